/*
 * scheduler.h -- Slurm's own files as the policy `slurm` takes them.  Layer: input.
 *
 * Five forms: slurm.conf; a dump of `sacctmgr dump`; the table that `sacctmgr -P show qos` prints; what
 * `scontrol show reservation` prints; and a CSV of when a daemon held its rounds (at_s; round: main, full, backfill or
 * priorities; clearing: nodes that were not free of an ended job yet).  What is read of each is in policies/slurm/README.md; what matters to scheduling there and is
 * not modelled is listed, each thing with its line, and is never an error.
 */
#ifndef INPUT_SLURM_SCHEDULER_H
#define INPUT_SLURM_SCHEDULER_H

#include "base/diag.h"
#include "base/hash.h"

struct slurm_scheduler {
    char *text;                 /* lines "KIND\tNAME\tKEY=VALUE\t...": policies/slurm/config.h */
    char   digest[HASH_HEX];    /* of the text: comments and layout do not count, but for the lines of reservations */
    char **note; size_t n_notes, cap_notes;     /* "slurm.conf:7: ... is not modelled", each once */
};

/* ST_EINPUT for what is wrong in it, at its line and column; on error *s is empty. */
enum st slurm_scheduler_conf(struct slurm_scheduler *s, const char *path, struct diag *d);
enum st slurm_scheduler_accounts(struct slurm_scheduler *s, const char *path, struct diag *d);
enum st slurm_scheduler_qos(struct slurm_scheduler *s, const char *path, struct diag *d);
enum st slurm_scheduler_reservations(struct slurm_scheduler *s, const char *path, struct diag *d);
enum st slurm_scheduler_rounds(struct slurm_scheduler *s, const char *path, struct diag *d);
void    slurm_scheduler_fini(struct slurm_scheduler *s);        /* of zeroed memory, too */

#endif

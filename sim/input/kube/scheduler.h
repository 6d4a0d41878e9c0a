/*
 * scheduler.h -- a KubeSchedulerConfiguration as the kube- policies take it.  Layer: input.
 *
 * What is read, of which versions, is in policies/README.md, "Kubernetes"; what is not is
 * listed, each thing with its line, and never an error.
 */
#ifndef INPUT_KUBE_SCHEDULER_H
#define INPUT_KUBE_SCHEDULER_H

#include "base/diag.h"
#include "base/hash.h"
#include "input/kube/notes.h"

struct kube_scheduler {
    char *text; /* "preempt 0|1", then a line "profile NAME\tPERCENTAGE\tSCORES" each: policies/kube.c */
    char   digest[HASH_HEX];    /* of what the document says: comments and layout do not count */
    struct kube_notes notes;
};

/* ST_EINPUT for what is wrong in it, at its line and column; on error *k is empty. */
enum st kube_scheduler_load(struct kube_scheduler *k, const char *path, struct diag *d);
void    kube_scheduler_fini(struct kube_scheduler *k);      /* of zeroed memory, too */

#endif

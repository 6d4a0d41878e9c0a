/*
 * select.h -- a run and a job as users name them.  Layer: db.
 *
 * A run is its number, or its policy's label, with /SEED where the label has
 * several.  Only finished runs can be selected.
 */
#ifndef DB_SELECT_H
#define DB_SELECT_H

#include "db/store.h"

struct selection {
    int64_t run;
    uint64_t seed;
    char *scenario, *title, *policy, *spec, *source, *version, *digest;     /* owned */
    bool clairvoyant, by_count;
};

/*
 * ST_EINPUT, with what there is as a hint, when there is no such finished run or several; then *p is empty.
 * Its rows are not looked at: check.h.
 */
enum st select_run(struct selection *p, struct store *s, const char *text, struct diag *d);
void    select_fini(struct selection *p);

/* ST_EINPUT: jobs arrived in the run, and its scenario left their rows out; how to have them. */
enum st select_jobs_kept(struct store *s, int64_t run, struct diag *d);
/* A job of the run by the trace's id, or ST_EINPUT with the nearest.  O(jobs). */
enum st select_job(struct store *s, const struct selection *p, const char *id, uint64_t *ordinal, struct diag *d);

#endif

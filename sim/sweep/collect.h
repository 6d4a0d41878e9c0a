/*
 * collect.h -- the one writer of a sweep's database: takes parts in, knows
 * what is missing, says how far it is.  Layer: sweep.
 *
 * A run gets the row id of its place in the plan, whatever the order in which
 * runs end and however often the sweep was interrupted, so that a sweep into
 * a new database leaves the rows that a serial one leaves.
 */
#ifndef SWEEP_COLLECT_H
#define SWEEP_COLLECT_H

#include "sweep/shards.h"

enum collect_state { COLLECT_WANTED, COLLECT_GIVEN, COLLECT_DONE, COLLECT_FAILED };

struct collect {
    const struct grid *grid;        /* borrowed, as are the next two */
    struct store *store;
    const char   *dir;
    uint8_t *state;                 /* [grid->n] enum collect_state; GIVEN is the caller's to set */
    int64_t *id;                    /* [grid->n] row ids */
    size_t n_before, n_done, n_failed;      /* done when it began; done and failed since */
    bool   left_unfinished;         /* a run without horizon left jobs unfinished */
    int    worst;                   /* exit status of failed runs; 0: none */
    bool   quiet;
    struct progress progress;
    char **note; size_t n_notes, cap_notes;         /* repairs and failures that were told */
};

/* Look up what the database holds; nothing is written yet. */
enum st collect_begin(struct collect *c, const struct grid *g, struct store *s, const char *dir, bool quiet, struct diag *d);
void    collect_fini(struct collect *c);

/* Merge every part that is whole, in one transaction, then remove the files.  *n: how many; NULL is fine. */
enum st collect_take(struct collect *c, size_t *n, struct diag *d);
/* A run that will bring no part: a row that says why.  status: STORE_FAILED, or STORE_INTERRUPTED, which leaves it to do. */
enum st collect_mark(struct collect *c, size_t run, enum store_status status, const char *why, struct diag *d);

size_t  collect_n_todo(const struct collect *c);    /* neither done nor failed */
/* Draw the bar: `under_way` runs count with their parts' sum. */
void    collect_show(struct collect *c, size_t n_under_way, double parts, const char *more);

#endif

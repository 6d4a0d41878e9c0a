/*
 * results.h -- what a sweep's database holds of its runs, and the one writer of it:
 * merges shards, marks runs that failed, counts what is still to do.  Layer: sweep.
 *
 * A run gets the row id of its place in the grid, whatever the order in which
 * runs end and however often the sweep was interrupted, so that a sweep into
 * a new database leaves the rows that a serial one leaves.
 */
#ifndef SWEEP_RESULTS_H
#define SWEEP_RESULTS_H

#include "sweep/shards.h"

enum results_state { RESULTS_WANTED, RESULTS_GIVEN, RESULTS_DONE, RESULTS_FAILED };

/* A run whose part cannot be read is done again, so often in all. */
enum { RESULTS_TRIES = 3 };

struct results {
    const struct grid *grid;        /* borrowed, as are the next two */
    struct store *store;
    const char   *dir;
    uint8_t *state;                 /* [grid->n] enum results_state; GIVEN is the caller's to set */
    int64_t *id;                    /* [grid->n] row ids */
    uint8_t *dropped;               /* [grid->n] parts of it that could not be read */
    char     bad[512];              /* why the last one could not */
    size_t first_wanted;            /* no run before it is RESULTS_WANTED */
    size_t n_before, n_done, n_failed;      /* done when it began; done and failed since */
    bool   left_unfinished;         /* a run without horizon left jobs unfinished */
    int    worst;                   /* exit status of failed runs; 0: none */
    bool   quiet;
    bool   is_silent;           /* nothing is said of runs, not even notes: whoever asked for them tells what came of them */
    struct progress progress;
    char **note; size_t n_notes, cap_notes;         /* repairs and failures printed so far, each once */
};

/* Look up what the database holds; nothing is written yet. */
enum st results_begin(struct results *r, const struct grid *g, struct store *s, const char *dir, bool quiet, struct diag *d);
void    results_fini(struct results *r);

/*
 * Merge every shard that is whole, then remove the files.  *n: how many there were; NULL is fine.
 * The first run of one that cannot be read is RESULTS_WANTED again, and the last time RESULTS_FAILED.
 */
enum st results_merge(struct results *r, size_t *n, struct diag *d);
/* The same of another run that a writer put into a shard, and that no merge brought. */
enum st results_lost(struct results *r, size_t run, struct diag *d);
/* A run that was given to a writer who will not bring it. */
void    results_want(struct results *r, size_t run);
/* A run that will bring no shard: a row with the reason.  status: STORE_FAILED, or STORE_INTERRUPTED (still to do). */
enum st results_mark(struct results *r, size_t run, enum store_status status, const char *reason, struct diag *d);

size_t  results_n_todo(const struct results *r);    /* neither done nor failed */
size_t  results_next(struct results *r);            /* the first run that is RESULTS_WANTED; grid->n: none */
/* Draw the bar: each run under way counts with the fraction of it that is done. */
void    results_show_progress(struct results *r, size_t n_under_way, double fractions, const char *more);

#endif

/*
 * merge.h -- runs of part files into one database.  Layer: db.
 *
 * A run is known by its key.  One that is done in the output stays as it is;
 * a done one replaces one that is not; an unfinished one comes in only where
 * the output has no run of that key.  So merging again changes nothing, and
 * the order of the parts does not matter to which runs are there.
 */
#ifndef DB_MERGE_H
#define DB_MERGE_H

#include "db/store.h"

struct merge_tally {
    uint64_t added, replaced;   /* new to the output; in place of an unfinished run of the output */
    uint64_t present;           /* left out: the output has that run already */
    uint64_t unfinished;        /* among those added or replaced: runs that are not done */
};

/* The row id that the run of this key gets; 0: the next free one, in the order of parts and runs; -1: it is left out.
 * A run with an id is known to be newer: unfinished, it replaces an unfinished one. */
struct merge_ids { int64_t (*of)(void *ctx, const char *key); void *ctx; };

/*
 * Merge the runs of the parts, in one transaction: all of it or nothing.
 *   part [n]  open for reading
 *   ids       NULL: the next free ones
 * A run that a part holds as 'running' comes in as 'interrupted': nobody goes
 * on with it here.  ST_EWORLD when either file fails.  O(rows), about 1 us each.
 */
enum st merge_parts(struct store *out, struct store *const *part, size_t n, const struct merge_ids *ids,
                    struct merge_tally *t, struct diag *d);

#endif

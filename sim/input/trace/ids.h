/*
 * ids.h -- has an id of a trace been used before?  In bounded memory: 64-bit hashes stand for ids, and when IDS_MOST of
 * them are in memory they go, sorted, to a temporary file.  Layer: input.
 *
 * Two of a million names have one hash with probability 3 in 10^8.  16 bytes of the file an id beyond the first
 * IDS_MOST; O(1) an id, and O(log runs) more for each when the trace is at its end.
 */
#ifndef INPUT_TRACE_IDS_H
#define INPUT_TRACE_IDS_H

#include "base/diag.h"
#include "base/scratch.h"
#include "lib/map.h"

enum { IDS_MOST = 1 << 20 };

struct ids {                    /* zero-initialise to begin */
    struct ids_entry { uint64_t hash, line; } *at;
    size_t n, cap, most;        /* most: of those in memory; 0: IDS_MOST */
    struct map map;
    FILE *file;                 /* runs of `most` entries, by hash and line */
    uint64_t n_runs;
};

void    ids_fini(struct ids *s);
/* *before: the line where an id of this hash was used, if that is in memory; else 0. */
enum st ids_add(struct ids *s, uint64_t hash, uint32_t line, uint32_t *before, struct diag *d);
/* Of all the others: the first line with an id that was used before, and where; 0: there is none. */
enum st ids_finish(struct ids *s, uint32_t *line, uint32_t *before, struct diag *d);

#endif

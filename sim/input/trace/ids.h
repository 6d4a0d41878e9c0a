/*
 * ids.h -- has an id of a trace been used before?  In bounded memory: 64-bit hashes stand for ids, and when there are
 * more than IDS_MOST of them they go to a temporary file, in parts by their first bits.  Layer: input.
 *
 * Two of a million names have one hash with probability 3 in 10^8.  O(1) an id; with a file 12 bytes of it an id, and
 * in memory 4 MiB, 4 bytes for each 341 ids, and when the trace is at its end one part.
 */
#ifndef INPUT_TRACE_IDS_H
#define INPUT_TRACE_IDS_H

#include "base/diag.h"
#include "base/scratch.h"
#include "lib/map.h"

enum { IDS_MOST = 1 << 20, IDS_PARTS = 1024, IDS_BLOCK = 341 };         /* entries of a block: nearly 4 KiB */

struct ids {                    /* zero-initialise to begin */
    struct ids_entry { uint32_t high, low, line; } *at;     /* all, or with a file the block of each part */
    size_t n, cap, most;        /* most: without a file; 0: IDS_MOST */
    struct map map;             /* of these; with a file nothing */
    FILE *file;                 /* blocks */
    struct ids_part { uint32_t n, n_blocks, first, last; } part[IDS_PARTS];     /* n: in its block; blocks in the file */
    uint32_t *next;             /* of a block in the file: that of the same part which follows it */
    size_t n_next, cap_next;
};

void    ids_fini(struct ids *s);
/* ids_add of this hash comes soon: what it looks at is fetched into the cache meanwhile. */
static inline void ids_expect(const struct ids *s, uint64_t hash)
{
    if (s->map.n_slots > 0) __builtin_prefetch(&s->map.at[(uint32_t)hash & (s->map.n_slots - 1)], 1);
}
/* *before: the line where an id of this hash was used, if there is no file; else 0. */
enum st ids_add(struct ids *s, uint64_t hash, uint32_t line, uint32_t *before, struct diag *d);
/* Of all the others: the first line with an id that was used before, and where; 0: there is none. */
enum st ids_finish(struct ids *s, uint32_t *line, uint32_t *before, struct diag *d);

#endif

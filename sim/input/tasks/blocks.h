/*
 * blocks.h -- blocks.csv, the data that the jobs of a native trace read:
 * where it is added to the run's blocks, and how stages name it.  Layer: input.
 *
 * traces/README.md is the reference of the file.
 */
#ifndef INPUT_TASKS_BLOCKS_H
#define INPUT_TASKS_BLOCKS_H

#include "input/text/csv.h"
#include "input/trace/trace.h"

struct blocks_index {
    const struct data *data;    /* borrowed from the trace_env */
    uint32_t *by_name;          /* [n] block ids in the order of their names */
    uint32_t  n;
};

/*
 * Add the blocks of the file (NULL: none) to env->data.  Every reader
 * of the trace opens them anew; whoever comes first adds them, and to the
 * others they are there.  On failure nothing is left to close.  O(n log n).
 */
enum st  blocks_open(struct blocks_index *b, const struct trace_env *env, const char *path, struct diag *d);
void     blocks_close(struct blocks_index *b);

/*
 * Call `found` for each block whose name begins with prefix[0..len), in the
 * file's order; returns how many.  O(log n + found * log found).
 */
uint32_t blocks_each(const struct blocks_index *b, const char *prefix, size_t len,
                           void (*found)(void *ctx, uint32_t block), void *ctx);

/* Column `at`: a size with a unit in [0, NET_SIZE_MAX], "8GB"; *out stays when it is empty. */
enum st  blocks_size(const struct csv *c, int at, int64_t *out, struct diag *d);
/* The same of a text; on failure `error` [cap] says what was found and what was expected. */
bool     blocks_parse_size(const char *s, int64_t *out, char *error, size_t cap);

#endif

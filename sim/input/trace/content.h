/*
 * content.h -- the hash of what a trace is made of, worked out while the trace is read.  Layer: input, private.
 */
#ifndef INPUT_TRACE_CONTENT_H
#define INPUT_TRACE_CONTENT_H

#include <pthread.h>

#include "input/trace/trace.h"

struct content {
    const struct trace_opts *opts;
    uint64_t hash;
    enum st st; struct diag d;      /* of finding it */
    pthread_t thread;
    bool is_beside;                 /* the thread is at it */
};

/*
 * Begin to find trace_content_hash of o: by a thread where the file is large and there are two processors, else it is
 * found when this returns.  ST_OK, else as trace_content_hash, and there is nothing to end.
 */
enum st content_begin(struct content *x, const struct trace_opts *o, struct diag *d);
/* The hash.  `read`: what came of reading the trace meanwhile, which is returned unless the hash was not found. */
enum st content_end(struct content *x, enum st read, uint64_t *hash, struct diag *d);

#endif

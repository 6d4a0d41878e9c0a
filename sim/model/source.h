/*
 * source.h -- where jobs come from, one arrival ahead.  Layer: model.
 *
 * Implemented by the trace readers, by the generator and by tests.
 */
#ifndef MODEL_SOURCE_H
#define MODEL_SOURCE_H

#include "base/diag.h"
#include "model/job.h"

struct source {
    void *ctx;
    /* Fill *out with the next job, in order of submit.  ST_OK, ST_END, or an
     * error with d filled.  What *out points at is valid until the next call. */
    enum st (*next)(void *ctx, struct job_spec *out, struct diag *d);
};

#endif

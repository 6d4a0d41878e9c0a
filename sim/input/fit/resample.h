/*
 * resample.h -- a trace of other length or load from the weeks of its users.  Layer: input.
 *
 * Each user has in each week one of the weeks that it had in the trace, whatever it did there, drawn with replacement;
 * all its jobs keep their minute of the week, so that days, nights and weekends stay in step.  More load is more
 * users, as with a model.  After: Zakay & Feitelson, Workload resampling for performance evaluation of parallel job
 * schedulers, Concurrency Comput. Pract. Exper. 26(12), 2014; theirs also lets users of a few weeks come and go as a
 * whole, where here every week of the trace is one of such a user's too, mostly an empty one.
 */
#ifndef INPUT_FIT_RESAMPLE_H
#define INPUT_FIT_RESAMPLE_H

#include <stdio.h>
#include "input/trace/option.h"
#include "input/trace/trace.h"

enum { RESAMPLE_WEEKS_LEAST = 2 }; /* whole ones, of the trace; else ST_EINPUT */

struct resample_opts {
    double load;
    int64_t span;
    uint64_t seed;
    uint32_t by;
};                                                  /* span 0: as many weeks as there are */
extern const struct trace_option resample_params[]; /* of all but the seed */
extern const size_t resample_n_params;
struct resample_facts {
    uint64_t jobs, past_last_week, dependent;
}; /* written; not used; that wait for no one now */

/* Rows of the native format.  Memory as spill.h, and 24 bytes a job of either trace. */
enum st resample_write(const struct trace *t, const struct resample_opts *o, FILE *to, struct resample_facts *facts,
                       struct diag *d);

#endif

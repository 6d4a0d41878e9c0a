/*
 * generator.h -- the seeded trace generator.  Layer: input.
 *
 * Arrivals: a Poisson process whose rate follows the hour of the day and the
 * day of the week, by thinning (Lewis & Shedler, 1979).  Durations: lognormal
 * per class, mixed with a bounded Pareto tail.  Users: Zipf.  Estimates: the
 * true duration times an over-estimate, rounded up to a usual value (Tsafrir,
 * Etsion & Feitelson, 2007).  Shares, cores and GPU mix after Alibaba's openb
 * trace; traces/README.md documents every parameter.
 *
 * Each aspect draws from a stream of its own: other durations leave arrivals,
 * users and sizes as they were.  Same parameters and seed, same jobs, whether
 * replayed (format "generate") or written (`fairway trace generate`): every
 * figure is whole in the native format's finest unit.
 */
#ifndef INPUT_SYNTH_GENERATOR_H
#define INPUT_SYNTH_GENERATOR_H

#include "input/trace/option.h"

enum { GEN_MIX_MAX = 16, GEN_TEXT_MAX = 256 };

struct gen_mix { uint32_t n; double value[GEN_MIX_MAX], weight[GEN_MIX_MAX]; };

struct gen_opts {               /* one member a parameter; see gen_params for meaning and default */
    int64_t  jobs, users, max_cpus, max_mem, gpus_per_task, mem_per_cpu, array_tasks;
    sim_tick span, dur_cpu, dur_frac, dur_single, dur_multi, dur_max, tail_from;
    double   diurnal, peak_hour, weekend;
    double   cpu_share, frac_share, array_share, typed_share, limit_share, tail_share;
    double   cpus, cpus_sigma, cpus_per_gpu, cpus_per_gpu_sigma, mem_sigma, dur_sigma, tail_alpha;
    double   user_skew, limit_over, bw_per_cpu, bw_sigma, hint_share;
    struct gen_mix gpu_mix, share_mix;
    char     gpu_types[GEN_TEXT_MAX], models[GEN_TEXT_MAX];
};

extern const struct trace_option gen_params[];      /* text is all they are set from */
extern const size_t gen_n_params;

/*
 * Set one parameter from text.  On failure: false, and error [cap] says what was
 * found and what was expected; for an unknown name *nearest is the best guess
 * or NULL (nearest itself may be NULL).
 */
bool gen_set(struct gen_opts *g, const char *name, const char *value, char *error, size_t cap, const char **nearest);
/* Do the parameters agree with one another? */
bool gen_check(const struct gen_opts *g, char *error, size_t cap);

#endif

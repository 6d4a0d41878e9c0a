/*
 * metrics_priv.h -- what the files of metrics.h share.  Layer: metrics, private.
 *
 * metrics.c      observes the world, keeps sums, writes rows as jobs end
 * summary.c  makes the run's metrics of them
 */
#ifndef METRICS_METRICS_PRIV_H
#define METRICS_METRICS_PRIV_H

#include <math.h>

#include "base/mem.h"
#include "metrics/bound.h"
#include "metrics/call_use.h"
#include "metrics/fairness.h"
#include "metrics/fragmentation.h"
#include "metrics/lending.h"
#include "metrics/metrics.h"
#include "metrics/bytes_read.h"
#include "metrics/notes.h"
#include "metrics/usage.h"

/* Of one ended job that counts. */
struct finished { int64_t jct, wait, span, nominal, stage_wait; double rho; uint32_t klass; };   /* stage_wait -1: no workflow */

struct value { char *name, *scope; const char *unit; double x; bool is_wall; };

/* Of one user, sums over jobs that count. */
struct user_sum { double jct, wait, slowdown; uint32_t n, n_slowdown; };

struct sum { double x; uint64_t n; };

/* Filling: what the first sample at or above each load says. */
enum fill_point { FRAG_AT_80, FRAG_AT_90, GPU_AT_100, CPU_AT_100, FILL_POINTS };

struct metrics {
    struct metrics_opts opts;
    struct usage usage;
    struct frag  frag;
    struct bytes_read moved;
    struct notes noted;
    struct bound bound;
    struct lending lending;
    struct call_use calls;
    struct fairness fairness[IDEALS];
    struct finished *job;   size_t n_jobs, cap_jobs;
    struct user_sum *user;  size_t cap_user;
    int64_t *active_at;     size_t cap_active;      /* by job slot: usage.active when it arrived */
    int64_t *decide_ns;     size_t n_decide, cap_decide;
    struct value *value;    size_t n_values, cap_values;
    struct sum frag_expected, frag_stranded, frag_lack_cpu;         /* over samples */
    int64_t  first_submit, first_start, last_end;   /* -1: none */
    int64_t  cpu_milli;                             /* of the whole cluster, up or down */
    usage_wide in_system;                           /* sum of times in the system */
    usage_wide asked;                               /* thousandths of cards that jobs which arrived ask for */
    double   at_load[FILL_POINTS];                  /* while filling: NaN until the load is reached */
    uint64_t n_unscheduled;                         /* jobs that never started, rejected ones left out */
    usage_wide useful, lost;                        /* thousandths of cards x us of nominal work */
    struct diag error;
};

/* Sums of one user: the intern hands out dense ids. */
static inline struct user_sum *metrics_user(struct metrics *m, uint32_t user)
{
    MEM_RESERVE(m->user, m->cap_user, (size_t)user + 1);
    return &m->user[user];
}

static inline double metrics_ratio(double a, double b) { return b > 0 ? a / b : NAN; }

#endif

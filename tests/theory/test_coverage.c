/*
 * Intervals on generated traces hold the truth as often as they say: eight GPUs under fifo, jobs of one to four GPUs
 * with lognormal durations that arrive by a daily rhythm.  There is no formula for the truth, so it is the mean over
 * all runs of the test together; its own error is small beside an interval's, by the root of how many there are.
 *
 *   of one long run   by batches, as `compare --batches`: of completion times the mean and the 99th percentile
 *   of ten seeds      as `compare`: of waits the mean, by Student's t, and the 99th percentile, corrected for skewness
 *
 * FAIRWAY_LONG=1: the mean of 300 runs of 40,000 jobs, the percentile of 120 runs of 100,000 (of 40,000 most are left
 * open), and 300 times ten seeds of 2,000 jobs.  Otherwise 24 runs of 12,000 jobs and 40 times ten seeds of 300.
 *
 * 300 intervals tell little between 93 and 97 %.  So of the seeds' percentiles, too, 20,000 samples of ten are drawn from
 * all of them, whose mean then is the truth by construction: 93 to 97 % hold it, in the short form and in the long one.
 * The other bounds of few intervals are such that at 95 % they are missed once in 400 times.  Seeds are fixed.
 */
#include <criterion/criterion.h>
#include <criterion/logging.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/rng.h"
#include "compare/compare.h"
#include "library/fairway.h"

enum { MOST = 300, SEEDS = 10 };
static struct diag d;
static char path[64];

/* By one metric: each interval, and the values that it is of. */
struct seen { const char *metric; struct stats_ci at[MOST]; double sum; int n; double each[MOST * SEEDS]; size_t n_each; };

static void look(struct seen *s, const struct compare *c)
{
    const struct compare_policy *p = &c->at[0].policy[0];
    const struct stats_ci x = compare_mean(c, p, s->metric, "all");
    cr_assert(!isnan(x.half), "%s has no interval", s->metric);
    s->at[s->n++] = x;
    s->sum += x.mean;
    for (size_t i = 0; i < p->n_runs; i++) s->each[s->n_each++] = compare_value(c, p->run[i], s->metric, "all");
}

/* Run the seeds from `first` on and look at them together. */
static void run(int jobs, double days, uint64_t first, uint64_t n_seeds, bool by_batches, struct seen *mean,
                struct seen *p99)
{
    char text[900];
    struct fairway_error e;
    struct store *s;
    struct compare c;
    (void)snprintf(
        text, sizeof text,
        "name: coverage\n"
        "cluster: {groups: [{name: n, count: 2, cpus: 256, mem: 2TiB, gpus: 4, gpu_type: V100}]}\n"
        "trace: {format: generate, generate: {jobs: %d, span: %.6gd, weekend: 1, cpu_share: 0, frac_share: 0,\n"
        "  gpu_mix: '1:70,2:20,4:10', gpus_per_task: 4, max_cpus: 8, mem_per_cpu: 1GiB,\n"
        "  dur_single: 13m, dur_multi: 13m, dur_sigma: 1, tail_share: 0}}\n"
        "policies: [fifo]\n",
        jobs, days);
    (void)remove(path);
    struct fairway *f = fairway_open("coverage.yaml", text, NULL, 0, &e);
    cr_assert_not_null(f, "%s", e.message);
    cr_assert_eq(fairway_add_seeds(f, first, first + n_seeds - 1, &e), FAIRWAY_OK, "%s", e.message);
    cr_assert_eq(
        fairway_run(f, &(struct fairway_options){ .size = sizeof(struct fairway_options), .database = path }, &e),
        FAIRWAY_OK, "%s", e.message);
    fairway_close(f);
    cr_assert_eq(store_open_read(&s, path, &d), ST_OK, "%s", d.msg);
    cr_assert_eq(compare_load(&c, s, &d), ST_OK, "%s", d.msg);
    if (by_batches) cr_assert_eq(compare_batches(&c, &d), ST_OK, "%s", d.msg);
    look(mean, &c);
    look(p99, &c);
    compare_fini(&c);
    store_close(s);
    (void)remove(path);
}

static void within(const struct seen *s, double low, double high)
{
    const double truth = s->sum / s->n;
    int held = 0, decided = 0;
    for (int i = 0; i < s->n; i++) {
        const struct stats_ci *x = &s->at[i];
        decided += isfinite(x->half);
        held += isfinite(x->half) && x->lo <= truth && truth <= x->hi;
    }
    cr_log_info("%s: truth %.6g, %d of %d decided intervals hold it, of %d", s->metric, truth, held, decided, s->n);
    cr_assert_gt(decided, s->n / 2, "%s: %d of %d are decided", s->metric, decided, s->n);
    cr_assert(held >= low * decided && held <= high * decided, "%s: %d of %d intervals of 95 %% hold %g", s->metric,
              held, decided, truth);
}

/* How often an interval of ten of the values, drawn again and again, holds the mean of all. */
static void drawn(const struct seen *s)
{
    enum { DRAWS = 20000 };
    const double truth = stats_mean(s->each, s->n_each);
    struct rng r;
    int held = 0;
    rng_init(&r, 1, "test coverage", 0);
    for (int k = 0; k < DRAWS; k++) {
        double x[SEEDS];
        for (int i = 0; i < SEEDS; i++) x[i] = s->each[rng_below(&r, s->n_each)];
        const struct stats_ci c = stats_skew95(x, SEEDS);
        held += c.lo <= truth && truth <= c.hi;
    }
    cr_log_info("%s: of %d samples of ten from %zu values %d hold their mean", s->metric, DRAWS, s->n_each, held);
    cr_assert(held >= 0.93 * DRAWS && held <= 0.97 * DRAWS, "%d of %d hold it", held, DRAWS);
}

/* NULL: nothing is asked of the metric. */
struct bounds { double low, high; };
static void judge(int runs, int jobs, double days, uint64_t n_seeds, bool by_batches, const char *const metric[2],
                  const struct bounds *mean_in, const struct bounds *p99_in)
{
    static struct seen mean, p99;
    mean = (struct seen){ .metric = metric[0] };
    p99 = (struct seen){ .metric = metric[1] };
    (void)snprintf(path, sizeof path, "/tmp/fairway-test-coverage-%ld.db", (long)getpid());
    for (int i = 0; i < runs; i++) run(jobs, days, 1 + (uint64_t)i * n_seeds, n_seeds, by_batches, &mean, &p99);
    if (mean_in != NULL) within(&mean, mean_in->low, mean_in->high);
    if (p99_in != NULL) within(&p99, p99_in->low, p99_in->high);
    if (!by_batches) drawn(&p99);
}

static const struct bounds as_it_says = { 0.93, 0.97 };
static bool is_long(void) { return getenv("FAIRWAY_LONG") != NULL; }

Test(coverage, of_one_long_run_by_batches)
{
    static const char *const metric[] = { "jct_mean", "jct_p99" };
    if (is_long()) judge(300, 40000, 250, 1, true, metric, &as_it_says, NULL);
    if (is_long()) judge(120, 100000, 625, 1, true, metric, NULL, &(struct bounds){ 0.90, 0.995 });
    else judge(24, 12000, 75, 1, true, metric, &(struct bounds){ 0.79, 1 }, NULL);
}

Test(coverage, of_ten_seeds)
{
    static const char *const metric[] = { "wait_mean", "wait_p99" };
    static const struct bounds few = { 0.84, 1 }, some = { 0.91, 0.985 };
    if (is_long()) judge(300, 2000, 12.5, SEEDS, false, metric, &as_it_says, &some);
    else judge(40, 300, 1.875, SEEDS, false, metric, &few, &few);
}

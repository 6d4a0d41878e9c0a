/*
 * Intervals by batches hold the truth as often as they say.  The waits of M/M/1, service mean 1 s, load rho, come from
 * Lindley's recursion and start with an empty queue; the truth is rho / (1 - rho), and ln(rho / (1 - p)) / (1 - rho)
 * for the p-quantile (Gross & Harris, Fundamentals of Queueing Theory, 2.3).  All goes as in `compare --batches`:
 * rows of jobs in a database, MSER-5, ten batches; what is left open counts as nothing.
 *
 * FAIRWAY_LONG=1: 1,000 runs of 80,000 jobs, mean and 99th percentile within 93 and 97 %; otherwise 60 runs of
 * 25,000 jobs and the mean alone, where at 95 % fewer than 52 would come once in 400 times.  Seeds are fixed.
 */
#include <criterion/criterion.h>
#include <criterion/logging.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/rng.h"
#include "cmd/until.h"
#include "compare/compare.h"

static struct diag d;

static void add_queue(struct store *s, uint64_t seed, size_t n, double rho)
{
    struct rng r;
    char key[32];
    int64_t run;
    double at = 0, wait = 0;
    rng_init(&r, seed, "mm1", 0);
    (void)snprintf(key, sizeof key, "%llu", (unsigned long long)seed);
    const struct store_run row = { .key = key, .scenario = "mm1", .title = "t", .scenario_text = key, .trace_path = "p", .trace_hash = "h",
                                   .policy = "fifo", .policy_spec = "fifo", .policy_source = "none", .seed = 1 };
    cr_assert_eq(store_run_begin(s, &row, &run, &d), ST_OK, "%s", d.msg);
    for (size_t i = 0; i < n; i++) {
        const double service = rng_exp(&r, 1), gap = rng_exp(&r, 1 / rho);
        const int64_t submit = (int64_t)(at * 1e6), start = (int64_t)((at + wait) * 1e6), end = start + (int64_t)(service * 1e6);
        const struct store_job j = { .ordinal = i, .id = "j", .user = "u", .class = "c", .submit_us = submit, .start_us = start, .end_us = end,
                                     .ran_us = end - start, .nominal_us = end - start, .status = "done", .counted = 1 };
        cr_assert_eq(store_job(s, run, &j, &d), ST_OK, "%s", d.msg);
        wait = fmax(0, wait + service - gap);
        at += gap;
    }
    cr_assert_eq(store_run_end(s, run, STORE_DONE, 0, NULL, 0, &d), ST_OK, "%s", d.msg);
}

struct held { int held, decided; };
static void judge(struct held *h, const struct compare *c, const struct compare_policy *p, const char *metric, double truth)
{
    const struct stats_ci x = compare_mean(c, p, metric, "all");
    cr_assert(!isnan(x.half), "%s has no interval", metric);
    h->decided += isfinite(x.half);
    h->held += isfinite(x.half) && x.lo <= truth && truth <= x.hi;
}

static void many(int runs, size_t jobs, double rho, struct held *mean, struct held *p99)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/tmp/fairway-test-intervals-%ld.db", (long)getpid());
    for (int i = 0; i < runs; i++) {
        struct store *s;
        struct compare c;
        (void)remove(path);
        cr_assert_eq(store_open(&s, path, &d), ST_OK, "%s", d.msg);
        add_queue(s, (uint64_t)i + 1, jobs, rho);
        cr_assert_eq(compare_load(&c, s, &d), ST_OK, "%s", d.msg);
        cr_assert_eq(compare_batches(&c, &d), ST_OK, "%s", d.msg);
        judge(mean, &c, &c.at[0].policy[0], "wait_mean", rho / (1 - rho));
        judge(p99, &c, &c.at[0].policy[0], "wait_p99", log(rho / 0.01) / (1 - rho));
        compare_fini(&c);
        store_close(s);
    }
    (void)remove(path);
    cr_log_info("rho %.1f, %zu jobs: mean %d of %d held, p99 %d of %d", rho, jobs, mean->held, mean->decided, p99->held, p99->decided);
}

static void within(const struct held *h, int runs, double low, double high)
{
    const double share = (double)h->held / h->decided;
    cr_assert_gt(h->decided, runs / 2, "%d of %d runs are decided", h->decided, runs);
    cr_assert(share >= low && share <= high, "%d of %d intervals of 95 %% hold the truth", h->held, h->decided);
}

Test(intervals, hold_the_truth_as_often_as_they_say)
{
    struct held mean = { 0 }, p99 = { 0 };
    if (getenv("FAIRWAY_LONG") != NULL) {
        many(1000, 80000, 0.5, &mean, &p99);
        within(&mean, 1000, 0.93, 0.97);
        within(&p99, 1000, 0.93, 0.97);
    } else {
        many(60, 25000, 0.5, &mean, &p99);
        within(&mean, 60, 0.86, 1);
        cr_assert_eq(p99.decided, 0, "250 jobs beyond a percentile are too few");
    }
}

Test(intervals, too_short_a_run_is_left_open)
{
    struct held mean = { 0 }, p99 = { 0 };
    many(20, 2000, 0.9, &mean, &p99);
    cr_assert_eq(mean.decided, 0);
    cr_assert_eq(p99.decided, 0);
}

/* As many runs as `run --until` would make, each the mean of 20 exponential times of mean 1: skewed, as waits are. */
Test(intervals, stopping_when_they_are_narrow_costs_little)
{
    enum { TRIES = 4000 };
    struct rng r;
    double x[UNTIL_MOST];
    int held = 0, narrow = 0;
    rng_init(&r, 1, "until", 0);
    for (int i = 0; i < TRIES; i++) {
        uint64_t n = 0, want = UNTIL_LEAST;
        struct stats_ci c = { 0 };
        while (want > n) {
            for (; n < want; n++) {
                x[n] = 0;
                for (int k = 0; k < 20; k++) x[n] += rng_exp(&r, 1) / 20;
            }
            c = stats_ci95(x, n);
            want = until_want(n, c.half / c.mean, 0.05);
        }
        held += c.lo <= 1 && 1 <= c.hi;
        narrow += c.half <= 0.05 * c.mean;
    }
    cr_assert_eq(narrow, TRIES);
    cr_assert(held >= 0.93 * TRIES && held <= 0.97 * TRIES, "%d of %d intervals hold the truth", held, TRIES);
}

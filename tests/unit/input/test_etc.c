/*
 * The tables of Braun et al. against their closed forms, and the jobs that
 * make the calls.  Bounds are five standard errors wide and the seed is fixed,
 * so a failure is a change.  With b uniform in [1, B) and r in [1, R):
 * E b = (1 + B) / 2, Var b = (B - 1)^2 / 12, and a row's figures are b r_k.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/mem.h"
#include "input/synth/etc.h"
#include "ref/traceopts.h"

enum { SEED = 20260322, ROWS = 20000, TYPES = 5 };
static struct etc_opts o;
static struct cluster cluster;
static struct throughput perf;
static struct calltime times;
static struct diag d;
static double row[ROWS][TYPES];

static void setup(void)
{
    static const char *const types[TYPES] = { "fpga", "gpu", "npu", "dsp", "cpu" };
    struct node_spec n = { .name = "n", .rack = "r", .cpu_milli = 1000, .mem_b = 1 };
    for (uint32_t k = 0; k < TYPES; k++) n.engine[intern_id(&cluster.engines, types[k])] = 1;
    cr_assert_eq(cluster_add(&cluster, &n, &d), ST_OK, "%s", d.msg);
    cluster_seal(&cluster);
    traceopts_own("etc", &o);
}

static void teardown(void)
{
    calltime_fini(&times);
    throughput_fini(&perf);
    cluster_fini(&cluster);
}

TestSuite(etc, .init = setup, .fini = teardown);

/* As calls will see it, in units; one unit is 10 s, so that rounding to a microsecond is nothing. */
static void table(enum etc_order order, double task, double machine)
{
    o.order = order;
    o.task = task;
    o.machine = machine;
    o.apis = ROWS;
    o.unit = 10 * TICK_SEC;
    etc_times(&o, &cluster, SEED, &times);
    for (uint32_t a = 0; a < ROWS; a++)
        for (uint32_t k = 0; k < TYPES; k++) row[a][k] = (double)calltime_us(&times, a, k, o.size_max) / (double)o.unit;
}

static void near(double got, double want, double se, const char *what)
{
    cr_expect(fabs(got - want) <= 5 * se, "%s: %g, expected %g within 5 x %g (seed %d)", what, got, want, se, SEED);
}

static const double task_of[] = { ETC_TASK_LO, ETC_TASK_HI }, machine_of[] = { ETC_MACHINE_LO, ETC_MACHINE_HI };

/*
 * Mean (1 + B)(1 + R) / 4; its variance over n rows of m: (Var b (E r)^2 + E b^2 Var r / m) / n.
 * All figures in [1, B R), and so many of them reach to within a tenth of either end.
 */
Test(etc, a_table_has_the_mean_and_the_range_of_its_heterogeneity)
{
    for (int t = 0; t < 2; t++)
        for (int m = 0; m < 2; m++) {
            double B = task_of[t], R = machine_of[m], eb = (1 + B) / 2, er = (1 + R) / 2, vb = (B - 1) * (B - 1) / 12, vr = (R - 1) * (R - 1) / 12;
            double sum = 0, least = HUGE_VAL, most = 0;
            table(ETC_INCONSISTENT, B, R);
            for (int a = 0; a < ROWS; a++)
                for (int k = 0; k < TYPES; k++) {
                    sum += row[a][k];
                    least = fmin(least, row[a][k]);
                    most = fmax(most, row[a][k]);
                }
            near(sum / ROWS / TYPES, eb * er, sqrt((vb * er * er + (vb + eb * eb) * vr / TYPES) / ROWS), "mean");
            cr_expect(least >= 1 && most < B * R && most > 0.9 * B * R, "%g .. %g of [1, %g)", least, most, B * R);
        }
}

/*
 * Var(b r) = E b^2 E r^2 - (E b E r)^2 within a column: its coefficient of variation is what Braun et al. call
 * heterogeneity.
 */
Test(etc, a_column_varies_as_the_product_of_two_uniforms)
{
    double B = ETC_TASK_HI, R = ETC_MACHINE_LO, eb = (1 + B) / 2, er = (1 + R) / 2;
    double b2 = (B * B + B + 1) / 3, r2 = (R * R + R + 1) / 3, sum = 0, sq = 0;
    table(ETC_INCONSISTENT, B, R);
    for (int a = 0; a < ROWS; a++) { sum += row[a][2]; sq += row[a][2] * row[a][2]; }
    double mean = sum / ROWS, cv = sqrt(sq / ROWS - mean * mean) / mean, want = sqrt(b2 * r2 - eb * er * eb * er) / (eb * er);
    cr_expect(fabs(cv - want) < 0.02 * want, "%g, expected %g", cv, want);
}

/*
 * The k-th smallest of m uniforms in [1, R) has mean 1 + (R - 1) k / (m + 1), so column k of a sorted table (1 +
 * B) / 2 times that.
 */
Test(etc, a_consistent_table_has_the_same_fastest_engine_in_every_row)
{
    double B = ETC_TASK_LO, R = ETC_MACHINE_HI, mean[TYPES] = { 0 };
    table(ETC_CONSISTENT, B, R);
    for (int a = 0; a < ROWS; a++)
        for (int k = 0; k < TYPES; k++) {
            cr_assert(k == 0 || row[a][k] >= row[a][k - 1], "row %d, column %d", a, k);
            mean[k] += row[a][k] / ROWS;
        }
    for (int k = 0; k < TYPES; k++) {
        double er = 1 + (R - 1) * (k + 1) / (TYPES + 1), u = (double)(k + 1) / (TYPES + 1), vr = (R - 1) * (R - 1) * u * (1 - u) / (TYPES + 2);
        double eb = (1 + B) / 2, vb = (B - 1) * (B - 1) / 12;
        near(mean[k], eb * er, sqrt((vb * er * er + (vb + eb * eb) * vr) / ROWS), "column");
    }
}

/* Between measured sizes too, and whatever the rows are. */
Test(etc, consistency_holds_at_every_size)
{
    o.points = 5;
    for (int by_size = 0; by_size < 2; by_size++) {
        o.rows = by_size == 1 ? ETC_BY_SIZE : ETC_BY_API;
        o.order = ETC_CONSISTENT;
        etc_times(&o, &cluster, SEED, &times);
        for (uint32_t a = 0; a < (uint32_t)o.apis; a++)
            for (int64_t s = o.size_min; s <= o.size_max; s += 7919)
                for (uint32_t k = 1; k < TYPES; k++) cr_assert_geq(calltime_us(&times, a, k, s), calltime_us(&times, a, k - 1, s));
    }
}

/* Of two independent figures the first is larger in half of the rows; columns 0, 2, 4 are sorted. */
Test(etc, a_semi_consistent_table_has_its_even_columns_sorted)
{
    int n = 0;
    table(ETC_SEMI, ETC_TASK_HI, ETC_MACHINE_HI);
    for (int a = 0; a < ROWS; a++) {
        cr_assert(row[a][0] <= row[a][2] && row[a][2] <= row[a][4], "row %d", a);
        n += row[a][1] > row[a][3];
    }
    near((double)n / ROWS, 0.5, sqrt(0.25 / ROWS), "odd columns out of order");
}

/* One of the 5! orders, each equally likely. */
Test(etc, an_inconsistent_table_is_sorted_in_one_row_of_120)
{
    int n = 0;
    table(ETC_INCONSISTENT, ETC_TASK_HI, ETC_MACHINE_LO);
    for (int a = 0; a < ROWS; a++) {
        bool up = true;
        for (int k = 1; k < TYPES; k++) up = up && row[a][k] > row[a][k - 1];
        n += up;
    }
    near((double)n / ROWS, 1.0 / 120, sqrt(119.0 / 120 / 120 / ROWS), "sorted rows");
}

/* Sorting moves figures within their row alone, so the three differ in nothing but consistency. */
Test(etc, all_three_orders_have_the_same_figures_in_each_row)
{
    static double sum[3][ROWS];
    for (int order = 0; order < 3; order++) {
        table((enum etc_order)order, ETC_TASK_LO, ETC_MACHINE_LO);
        for (int a = 0; a < ROWS; a++) {
            double least = HUGE_VAL, most = 0, all = 0;
            for (int k = 0; k < TYPES; k++) { least = fmin(least, row[a][k]); most = fmax(most, row[a][k]); all += row[a][k]; }
            sum[order][a] = all + 1000 * least + 1e6 * most;
            if (order > 0) cr_assert_float_eq(sum[order][a], sum[0][a], 1e-6 * sum[0][a]);
        }
    }
}

Test(etc, columns_are_the_engine_types_that_the_scenario_names_in_its_order)
{
    o.n_columns = TYPES;
    for (uint32_t k = 0; k < TYPES; k++) o.column[k] = TYPES - 1 - k;
    table(ETC_CONSISTENT, ETC_TASK_LO, ETC_MACHINE_LO);
    for (int a = 0; a < ROWS; a++) for (int k = 1; k < TYPES; k++) cr_assert_leq(row[a][k], row[a][k - 1]);
}

/* S2-9: with a row for each size the best engine hangs on the size; without, it never does. */
Test(etc, s2_9_rows_by_size_cross_over_and_rows_by_api_do_not)
{
    for (int by_size = 0; by_size < 2; by_size++) {
        int n = 0;
        o.rows = by_size == 1 ? ETC_BY_SIZE : ETC_BY_API;
        o.apis = 2000;
        o.unit = TICK_SEC;
        etc_times(&o, &cluster, SEED, &times);
        for (uint32_t a = 0; a < 2000; a++) {
            uint32_t best[2] = { 0, 0 };
            for (uint32_t k = 1; k < TYPES; k++)
                for (int i = 0; i < 2; i++) {
                    int64_t s = i == 0 ? o.size_min : o.size_max;
                    if (calltime_us(&times, a, k, s) < calltime_us(&times, a, best[i], s)) best[i] = k;
                }
            n += best[0] != best[1];
        }
        if (by_size == 0) cr_expect_eq(n, 0);
        else near(n / 2000.0, 1 - 1.0 / TYPES, sqrt(0.16 / 2000), "another engine is best");
    }
}

Test(etc, sizes_lie_apart_in_equal_ratios_and_times_grow_with_them)
{
    o.points = 4;
    cr_assert(etc_size(&o, 0) == 1000 && etc_size(&o, 1) == 10000 && etc_size(&o, 2) == 100000 && etc_size(&o, 3) == 1000000);
    etc_times(&o, &cluster, SEED, &times);
    /* Proportional, to the microsecond that each point is rounded to. */
    for (uint32_t a = 0; a < 16; a++) cr_expect_leq(llabs(calltime_us(&times, a, 1, 500000) * 2 - calltime_us(&times, a, 1, 1000000)), 3);
    o.size_max = 1004;
    for (int64_t k = 1; k < 4; k++) cr_expect_gt(etc_size(&o, k), etc_size(&o, k - 1));
}

/* ---- the jobs ---- */

struct seen { uint64_t jobs, tasks, calls, own; sim_tick last; double log_size, part; int64_t least, most; uint64_t digest; };

static struct seen make(uint64_t seed)
{
    struct trace_opts t = { .format = trace_format_find("etc", &d), .own = &o, .times = &times, .has_times = true, .speedup = 1, .window_to = TICK_NEVER, .seed = seed, .dflt = { .limit = -1, .cpu_milli = 250 } };
    struct trace_env env = { .opts = &t, .cluster = &cluster, .perf = &perf };
    struct trace_reader r;
    struct job_spec j;
    struct seen x = { .least = INT64_MAX };
    enum st st;
    cr_assert_eq(trace_reader_open(&env, &r, &d), ST_OK, "%s", d.msg);
    while ((st = r.next(r.ctx, &j, &d)) == ST_OK) {
        cr_assert_geq(j.submit, x.last);
        x.last = j.submit;
        x.jobs++;
        cr_assert(j.n_groups >= 1 && j.n_groups <= (uint64_t)o.tasks);
        for (uint32_t k = 0; k < j.n_groups; k++) {
            sim_tick dur = 0;
            uint32_t n = j.calls->n[k], same = 0;
            cr_assert(n >= 1 && n <= (uint64_t)o.calls && j.group[k].n == 1 && j.group[k].shape.cpu_milli == 250);
            for (uint32_t i = 0; i < n; i++) {
                const struct call *c = &j.calls->call[j.calls->first[k] + i];
                dur += calltime_best(&times, c->api, c->size, (1u << TYPES) - 1);
                x.log_size += log((double)c->size);
                x.part += (double)c->result / (double)c->size;
                x.least = i64_min(x.least, c->size);
                x.most = i64_max(x.most, c->size);
                x.digest = (x.digest ^ (uint64_t)c->size ^ c->api) * UINT64_C(0x100000001b3);
                same += c->api == j.calls->call[j.calls->first[k]].api;
            }
            x.own += same - 1;
            x.calls += n;
            x.tasks++;
            cr_assert_eq(j.group[k].dur, dur, "a task's nominal time is the sum of its calls' best ones");
        }
    }
    cr_assert_eq(st, ST_END);
    r.close(r.ctx);
    return x;
}

/*
 * Uniform 1..4 has mean 2.5 and variance 1.25; log-uniform sizes have a uniform
 * logarithm; two calls of a task are of one API if both are its own, or by
 * chance: f^2 + (1 - f^2) / A, of its n - 1 later calls.
 */
Test(etc, jobs_tasks_calls_and_sizes_have_the_stated_means)
{
    o.jobs = 20000;
    o.gap = 3 * TICK_SEC;
    struct seen x = make(SEED);
    double n = 20000, lo = log(1000), hi = log(1000000), f2 = 0.75 * 0.75, same = f2 + (1 - f2) / 16, later = (double)(x.calls - x.tasks);
    cr_assert_eq(x.jobs, 20000);
    near((double)x.last / TICK_SEC / n, 3, 3 / sqrt(n), "gap");
    near((double)x.tasks / n, 2.5, sqrt(1.25 / n), "tasks");
    near((double)x.calls / (double)x.tasks, 2.5, sqrt(1.25 / (double)x.tasks), "calls");
    near(x.log_size / (double)x.calls, (lo + hi) / 2, (hi - lo) / sqrt(12 * (double)x.calls), "log of the size");
    /* Rounded down to a byte of 1000 at least. */
    near(x.part / (double)x.calls, 0.05, 0.1 / sqrt(12 * (double)x.calls) + 1e-4, "result");
    /* Those of a task hang together. */
    near((double)x.own / later, same, sqrt(2 * same * (1 - same) / later), "calls like the task's first");
    cr_expect(x.least >= 1000 && x.most <= 1000000);
}

Test(etc, the_same_seed_gives_the_same_jobs_and_the_table_is_no_matter)
{
    struct seen a = make(1), b = make(1), c = make(2);
    cr_assert(a.digest == b.digest && a.last == b.last && a.digest != c.digest && a.last != c.last);
    o.order = ETC_CONSISTENT;
    o.task = ETC_TASK_HI;
    b = make(1);
    cr_assert(a.digest == b.digest && a.last == b.last && a.tasks == b.tasks);
    o.gap = 0;
    b = make(1);
    cr_assert(b.last == 0 && b.digest == a.digest, "all at once, and the same calls");
}

Test(etc, every_seed_has_a_table_of_its_own)
{
    (void)make(1);
    sim_tick was = calltime_us(&times, 0, 0, o.size_max);
    (void)make(2);
    cr_assert_neq(calltime_us(&times, 0, 0, o.size_max), was);
    (void)make(1);
    cr_assert_eq(calltime_us(&times, 0, 0, o.size_max), was);
}

/*
 * Unit tests of the generator: its moments against closed forms.  Bounds are
 * five standard errors wide and the seed is fixed, so a failure is a change.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "input/synth/generator.h"
#include "ref/traceopts.h"

enum { SEED = 20260101 };
static struct gen_opts g;
static struct cluster cluster;
static struct diag d;

static void set(const char *name, const char *value)
{
    char why[256];
    cr_assert(gen_set(&g, name, value, why, sizeof why, NULL), "%s", why);
}

static void setup(void)
{
    memset(&g, 0, sizeof g);
    traceopts_own("generate", &g);
    memset(&d, 0, sizeof d);
}

TestSuite(gen, .init = setup);

struct rec { sim_tick at, dur, limit; int64_t cpu, mem; uint32_t user, tasks; int32_t gpus, milli; uint64_t types; bool gang; };

/* All jobs of one seed; the caller frees. */
static struct rec *make(uint64_t seed, size_t *n)
{
    struct trace_opts o = { .format = trace_format_find("generate", &d), .own = &g, .seed = seed };
    struct trace_env env = { .opts = &o, .cluster = &cluster };
    struct trace_reader r;
    struct job_spec j;
    struct rec *all = NULL;
    size_t cap = 0;
    *n = 0;
    cr_assert_eq(trace_reader_open(&env, &r, &d), ST_OK, "%s", d.msg);
    while (r.next(r.ctx, &j, &d) == ST_OK) {
        MEM_RESERVE(all, cap, *n + 1);
        struct rec *x = &all[(*n)++];
        const struct shape *s = &j.group[0].shape;
        *x = (struct rec){ .at = j.submit, .dur = j.group[0].dur, .limit = j.limit, .cpu = s->cpu_milli, .mem = s->mem_b,
            .user = (uint32_t)atoi(j.user + 4), .milli = s->gpu_milli, .types = s->gpu_types, .gang = j.gang };
        for (uint32_t k = 0; k < j.n_groups; k++) {
            x->tasks += j.group[k].n;
            x->gpus += (int32_t)j.group[k].n * j.group[k].shape.n_gpu;
        }
    }
    r.close(r.ctx);
    cr_assert_eq(d.code, ST_OK);
    return all;
}

static void near(double got, double want, double se, const char *what)
{
    cr_expect(fabs(got - want) <= 5 * se, "%s: %g, expected %g within 5 x %g (seed %d)", what, got, want, se, SEED);
}

Test(gen, the_same_seed_gives_the_same_jobs_and_another_gives_others)
{
    size_t n[3];
    struct rec *a = make(1, &n[0]), *b = make(1, &n[1]), *c = make(2, &n[2]);
    cr_assert(n[0] == 5000 && n[1] == 5000 && n[2] == 5000);
    for (size_t i = 0; i < 5000; i++)
        cr_assert(a[i].at == b[i].at && a[i].dur == b[i].dur && a[i].user == b[i].user && a[i].cpu == b[i].cpu &&
                  a[i].mem == b[i].mem && a[i].limit == b[i].limit && a[i].gpus == b[i].gpus);
    cr_expect(a[9].at != c[9].at);
    mem_free(a); mem_free(b); mem_free(c);
}

Test(gen, other_durations_leave_arrivals_users_and_sizes_alone)
{
    size_t n;
    struct rec *a = make(1, &n);
    set("dur_sigma", "0.5");
    set("tail_share", "0");
    set("limit_over", "1");
    struct rec *b = make(1, &n);
    for (size_t i = 0; i < n; i++)
        cr_assert(a[i].at == b[i].at && a[i].user == b[i].user && a[i].gpus == b[i].gpus && a[i].cpu == b[i].cpu && a[i].mem == b[i].mem);
    mem_free(a); mem_free(b);
}

/*
 * Arrivals over whole weeks.  Expected count by hour h of the day: proportional
 * to 1 + a cos(2 pi (h - peak)/24); by day: weekend w against 1.  Counts are
 * Poisson, so the standard error of a count is its root.
 */
Test(gen, arrivals_follow_the_day_and_the_week)
{
    set("jobs", "200k");
    set("span", "28d");
    set("diurnal", "0.8");
    set("peak_hour", "14");
    set("weekend", "0.5");
    size_t n;
    struct rec *a = make(SEED, &n);
    double hour[24] = { 0 }, weekend = 0, pi = acos(-1), total = 0;
    sim_tick span = 28 * 86400 * TICK_SEC;
    for (size_t i = 0; i < n && a[i].at < span; i++) {
        hour[a[i].at / (3600 * TICK_SEC) % 24]++;
        weekend += a[i].at / (86400 * TICK_SEC) % 7 >= 5;
        total++;
    }
    near((double)a[n - 1].at / (double)span, 1, 1 / sqrt((double)n), "the last arrival over the span");
    near(weekend / total, 2 * 0.5 / (5 + 2 * 0.5), sqrt(1.0 / 6 * 5 / 6 / total), "share of weekends");
    for (int h = 0; h < 24; h++) {
        /* The integral over the hour of cos(2 pi (t - 14)/24), t in hours. */
        double mean = (sin(2 * pi * (h + 1 - 14) / 24) - sin(2 * pi * (h - 14) / 24)) * 24 / (2 * pi);
        double want = total / 24 * (1 + 0.8 * mean);
        near(hour[h], want, sqrt(want) + 1, "arrivals of an hour");
    }
    mem_free(a);
}

/* A constant rate: gaps are exponential, mean = deviation = span / jobs. */
Test(gen, without_day_and_week_gaps_are_exponential)
{
    set("jobs", "100k");
    set("diurnal", "0");
    set("weekend", "1");
    size_t n;
    struct rec *a = make(SEED, &n);
    double mean = (double)g.span / 1e5, sum = 0, sq = 0;
    for (size_t i = 1; i < n; i++) {
        double gap = (double)(a[i].at - a[i - 1].at);
        sum += gap;
        sq += gap * gap;
    }
    double m = (double)(n - 1);
    near(sum / m, mean, mean / sqrt(m), "mean gap");
    near(sqrt(sq / m - sum / m * sum / m), mean, mean * sqrt(2 / m), "deviation of gaps");
    mem_free(a);
}

static double phi(double x) { return erfc(-x / sqrt(2)) / 2; }

/* Mean of the truncated lognormal with this median, mixed with the bounded Pareto; us, before rounding to milliseconds. */
static double mean_duration(sim_tick median)
{
    double lo = (double)g.tail_from, hi = (double)g.dur_max, a = g.tail_alpha, s = g.dur_sigma, mu = log((double)median);
    double body = s > 0
        ? exp(mu + s * s / 2) * phi((log(hi) - mu - s * s) / s) / phi((log(hi) - mu) / s) : (double)median;
    double tail = fabs(a - 1) < 1e-9
        ? lo * hi / (hi - lo) * log(hi / lo)
        : pow(lo, a) / (1 - pow(lo / hi, a)) * a / (a - 1) * (pow(lo, 1 - a) - pow(hi, 1 - a));
    return (1 - g.tail_share) * body + g.tail_share * tail;
}

Test(gen, durations_have_their_closed_form_mean_and_median)
{
    set("jobs", "200k");
    set("cpu_share", "1");
    set("frac_share", "0");
    set("dur_cpu", "20m");
    set("dur_sigma", "1.5");
    set("tail_share", "0.1");
    set("tail_alpha", "1.3");
    set("dur_max", "2d");
    size_t n, below = 0;
    struct rec *a = make(SEED, &n);
    double sum = 0, sq = 0;
    for (size_t i = 0; i < n; i++) {
        double x = (double)a[i].dur;
        sum += x;
        sq += x * x;
        below += a[i].dur <= g.dur_cpu;
        cr_assert(a[i].dur >= 1000 && a[i].dur <= g.dur_max);
    }
    double m = sum / (double)n;
    near(m, mean_duration(g.dur_cpu), sqrt((sq / (double)n - m * m) / (double)n), "mean duration");
    /* Below the median: half of the body, by its truncation a hair more; the tail begins above. */
    double cut = 0.5 * erfc(-(log((double)g.dur_max) - log((double)g.dur_cpu)) / 1.5 / sqrt(2));
    near((double)below / (double)n, 0.9 * 0.5 / cut, 0.5 / sqrt((double)n), "share below the median");
    mem_free(a);
}

/* P(X > x) of the bounded Pareto on [L, H]: ((L/x)^a - (L/H)^a) / (1 - (L/H)^a). */
Test(gen, the_tail_is_bounded_pareto)
{
    set("jobs", "100k");
    set("tail_share", "1");
    size_t n;
    struct rec *a = make(SEED, &n);
    double lo = (double)g.tail_from, end = pow(lo / (double)g.dur_max, g.tail_alpha);
    const double times[] = { 1.5, 3, 10, 30 };
    for (size_t k = 0; k < ARRAY_LEN(times); k++) {
        double over = 0, want = (pow(1 / times[k], g.tail_alpha) - end) / (1 - end);
        for (size_t i = 0; i < n; i++) over += (double)a[i].dur > times[k] * lo;
        near(over / (double)n, want, sqrt(want * (1 - want) / (double)n), "tail");
    }
    mem_free(a);
}

/* openb: 13.3 % CPU-only, 37.8 % fractional; whole cards 11.3 cores a card in the median, 16 at p90. */
Test(gen, the_mix_is_that_of_openb)
{
    set("jobs", "100k");
    set("gpu_mix", "1:1");
    size_t n;
    struct rec *a = make(SEED, &n);
    double cpu = 0, share = 0, whole = 0, median = 0, p90 = 0, N = 1e5;
    for (size_t i = 0; i < n; i++) {
        cpu += a[i].gpus == 0;
        share += a[i].milli > 0 && a[i].milli < 1000;
        if (a[i].milli != 1000) continue;
        whole++;
        median += a[i].cpu <= 11000;    /* whole cores, rounded up: 11 or fewer means at most 11.0 */
        p90 += a[i].cpu <= 16000;
    }
    near(cpu / N, 0.133, sqrt(0.133 * 0.867 / N), "CPU-only");
    near(share / N, 0.378, sqrt(0.378 * 0.622 / N), "fractional");
    near(median / whole, 0.5 * erfc(-log(11 / 11.3) / 0.27 / sqrt(2)), 0.5 / sqrt(whole), "at most 11 cores a card");
    near(p90 / whole, 0.5 * erfc(-log(16 / 11.3) / 0.27 / sqrt(2)), 0.3 / sqrt(whole), "at most 16 cores a card");
    mem_free(a);
}

Test(gen, users_are_zipf)
{
    set("jobs", "100k");
    set("users", "10");
    set("user_skew", "1.2");
    size_t n;
    struct rec *a = make(SEED, &n);
    double count[11] = { 0 }, sum = 0;
    for (size_t i = 0; i < n; i++) count[a[i].user]++;
    for (int k = 1; k <= 10; k++) sum += pow(k, -1.2);
    for (int k = 1; k <= 10; k++) {
        double p = pow(k, -1.2) / sum;
        near(count[k] / (double)n, p, sqrt(p * (1 - p) / (double)n), "share of a user");
    }
    mem_free(a);
}

/* Of 2 + geometric with mean 8: variance (mean - 1)(mean - 2) = 42. */
Test(gen, arrays_have_their_mean_number_of_tasks)
{
    set("jobs", "50k");
    set("cpu_share", "1");
    set("frac_share", "0");
    set("array_share", "1");
    size_t n;
    struct rec *a = make(SEED, &n);
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        cr_assert(a[i].tasks >= 2 && !a[i].gang);
        sum += a[i].tasks;
    }
    near(sum / (double)n, 8, sqrt(42.0 / (double)n), "tasks of an array");
    mem_free(a);
}

Test(gen, limits_cover_the_duration_and_are_usual_values)
{
    size_t n, with = 0;
    struct rec *a = make(SEED, &n);
    for (size_t i = 0; i < n; i++) {
        if (a[i].limit < 0) continue;
        with++;
        cr_assert_geq(a[i].limit, a[i].dur);
        cr_assert_eq(a[i].limit % (900 * TICK_SEC), 0);
    }
    near((double)with / (double)n, 0.9, sqrt(0.09 / (double)n), "share with a limit");
    mem_free(a);
}

Test(gen, jobs_of_many_cards_are_gangs_and_lose_none)
{
    set("gpu_mix", "1:1,13:1,32:1");
    set("gpu_types", "V100:8,T4:4");
    set("typed_share", "1");
    size_t n;
    struct rec *a = make(SEED, &n);
    uint64_t v100 = UINT64_C(1) << intern_find(&cluster.gpu_types, "V100");
    for (size_t i = 0; i < n; i++) {
        if (a[i].gpus > 1) cr_assert_eq(a[i].types, v100);      /* more than four cards a task */
        if (a[i].gpus == 13) cr_assert(a[i].tasks == 2 && a[i].gang);
        if (a[i].gpus == 32) cr_assert(a[i].tasks == 4 && a[i].gang);
        cr_assert(a[i].gpus == 0 || a[i].gpus == 1 || a[i].gpus == 13 || a[i].gpus == 32);
    }
    mem_free(a);
}

Test(gen, every_default_is_valid_and_every_parameter_checked)
{
    char why[256];
    const char *near_name = NULL;
    cr_expect(gen_check(&g, why, sizeof why), "%s", why);
    cr_expect_not(gen_set(&g, "userz", "3", why, sizeof why, &near_name));
    cr_expect_str_eq(near_name, "users");
    static const char *const bad[][2] = {
        { "jobs", "0" }, { "jobs", "x" }, { "span", "0" }, { "diurnal", "1.5" }, { "cpu_share", "-0.1" }, { "gpu_mix", "" },
        { "gpu_mix", "1:0" }, { "gpu_mix", "1:2:3" }, { "mem_per_cpu", "3 apples" }, { "array_tasks", "1" }, { "tail_alpha", "0" }
    };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        cr_expect_not(gen_set(&g, bad[i][0], bad[i][1], why, sizeof why, NULL), "%s=%s", bad[i][0], bad[i][1]);
}

/*
 * The lower bounds: beside an optimum found by trying everything, beside closed
 * forms where they are tight, and below every policy's run on random clusters,
 * jobs and failures.  A bound that were too high would fail here.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include "host/host.h"
#include "base/mem.h"
#include "base/rng.h"
#include "builtin.h"
#include "metrics/metrics.h"

enum { JOBS_MAX = 60, GROUPS = 2 };

struct bench {
    struct cluster cluster;
    struct throughput perf;
    struct world_config cfg;
    struct task_group group[JOBS_MAX][GROUPS];
    struct job_spec job[JOBS_MAX];
    char id[JOBS_MAX][8];
    uint32_t n, given;
    double warmup;
    double makespan, makespan_bound, jct, jct_bound;        /* out, s */
};

static enum st next_job(void *ctx, struct job_spec *out, struct diag *d)
{
    struct bench *b = ctx;
    (void)d;
    if (b->given == b->n) return ST_END;
    *out = b->job[b->given++];
    return ST_OK;
}

static void node(struct bench *b, const char *type, uint32_t gpus, double speed)
{
    struct diag d = { 0 };
    char name[16];
    (void)snprintf(name, sizeof name, "n%u", b->cluster.n_nodes);
    struct node_spec n = { .name = name, .rack = "r", .cpu_milli = 8000, .mem_b = 1 << 20, .n_gpu = gpus, .gpu_type = gpus ? type : NULL };
    if (gpus > 0) {
        uint32_t g = cluster_gpu_type(&b->cluster, type, &d);
        cluster_set_gpu_type(&b->cluster, g, speed, &(struct gpu_figures){ 0 });
    }
    cr_assert_eq(cluster_add(&b->cluster, &n, &d), ST_OK, "%s", d.msg);
}

static struct job_spec *job(struct bench *b, sim_tick submit, sim_tick dur, uint32_t tasks, int32_t gpus)
{
    struct task_group *g = b->group[b->n];
    struct job_spec *j = &b->job[b->n];
    (void)snprintf(b->id[b->n], sizeof b->id[0], "j%u", b->n);
    g[0] = (struct task_group){ .n = tasks, .dur = dur, .shape = { .cpu_milli = 1000, .n_gpu = gpus, .gpu_milli = gpus ? GPU_WHOLE : 0 } };
    *j = (struct job_spec){ .id = b->id[b->n], .submit = submit, .limit = -1, .group = g, .n_groups = 1 };
    b->n++;
    return j;
}

/* False: the policy refuses the jobs, which lack what it needs. */
static bool runs(struct bench *b, const char *policy)
{
    struct host *h;
    struct diag d = { 0 };
    enum st st;
    b->given = 0;
    b->cfg.cluster = &b->cluster;
    b->cfg.throughput = &b->perf;
    b->cfg.horizon = TICK_NEVER;
    b->cfg.reject_infeasible = true;
    cr_assert_eq(host_create(&h, policy, NULL, &b->cfg, &(struct host_origin){ 0 }, NULL, &d), ST_OK, "%s", d.msg);
    struct world *w = world_create(&b->cfg, (struct source){ b, next_job }, host_decider(h));
    struct metrics *m = metrics_create(w, &(struct metrics_opts){ .n_jobs = b->n, .warmup = b->warmup });
    while ((st = world_step(w, &d)) == ST_OK) { }
    const bool refused = st == ST_EPOLICY && d.breach == BREACH_GAVE_UP;
    cr_assert(st == ST_END || refused, "%s: %s", policy, d.msg);
    if (!refused) cr_assert_eq(metrics_finish(m, w, &d), ST_OK);
    b->makespan = refused ? NAN : metrics_value(m, "makespan", "all");
    b->makespan_bound = refused ? NAN : metrics_value(m, "makespan_bound", "all");
    b->jct = refused ? NAN : metrics_value(m, "jct_mean", "all");
    b->jct_bound = refused ? NAN : metrics_value(m, "jct_mean_bound", "all");
    metrics_destroy(m);
    world_destroy(w);
    host_destroy(h);
    return !refused;
}

static void run(struct bench *b, const char *policy) { cr_assert(runs(b, policy), "%s refuses the jobs", policy); }

static void end(struct bench *b)
{
    cluster_fini(&b->cluster);
    throughput_fini(&b->perf);
}

static void near(double got, double want) { cr_assert(fabs(got - want) <= 1e-9 * fmax(1, fabs(want)), "got %.12g, expected %.12g", got, want); }

/* ---- closed forms ---- */

/*
 * n = k m equal jobs of p on m cards, all at once: the optimum ends m of them
 * each p, so the makespan is k p and the mean p (k + 1) / 2.  Bound c. gives
 * exactly that (Eastman, Even & Isaacs are tight here), a. only p, b. only
 * p (n + 1) / (2 m).
 */
Test(bound, is_met_by_equal_jobs_that_fill_the_cluster)
{
    struct bench b = { .n = 0 };
    node(&b, "G", 4, 1);
    cluster_seal(&b.cluster);
    for (int i = 0; i < 12; i++) job(&b, 0, 10 * TICK_SEC, 1, 1);
    run(&b, "fifo");
    near(b.makespan_bound, 30);
    near(b.makespan, 30);
    near(b.jct_bound, 20);
    near(b.jct, 20);
    end(&b);
}

/*
 * One card, jobs (submit, length) = (0, 10) (1, 2) (4, 3): shortest remaining
 * first ends them at 15, 3 and 7: mean (15 + 2 + 3) / 3 = 20/3, and no
 * schedule does better.  A fourth that asks for no GPU, 100 s at 0 s, is
 * alone on its CPU: (20 + 100) / 4.
 */
Test(bound, is_shortest_remaining_first_on_one_card)
{
    struct bench b = { .n = 0 };
    node(&b, "G", 1, 1);
    cluster_seal(&b.cluster);
    job(&b, 0, 10 * TICK_SEC, 1, 1);
    job(&b, 1 * TICK_SEC, 2 * TICK_SEC, 1, 1);
    job(&b, 4 * TICK_SEC, 3 * TICK_SEC, 1, 1);
    run(&b, "srtf:estimate=true");
    near(b.jct_bound, 20.0 / 3);
    near(b.jct, 20.0 / 3);
    near(b.makespan_bound, 15);
    struct bench c = { .n = 0 };
    node(&c, "G", 1, 1);
    cluster_seal(&c.cluster);
    job(&c, 0, 10 * TICK_SEC, 1, 1);
    job(&c, 0, 100 * TICK_SEC, 1, 0);
    job(&c, 1 * TICK_SEC, 2 * TICK_SEC, 1, 1);
    job(&c, 4 * TICK_SEC, 3 * TICK_SEC, 1, 1);
    run(&c, "srtf:estimate=true");
    near(c.jct_bound, 30);
    near(c.jct, 30);
    end(&b);
    end(&c);
}

/* What comes late counts from when it comes: 2 cards, 4 jobs of 10 s at 100 s: 100 + 4 x 10 / 2 = 120. */
Test(bound, of_the_makespan_counts_from_every_arrival)
{
    struct bench b = { .n = 0 };
    node(&b, "G", 2, 1);
    cluster_seal(&b.cluster);
    job(&b, 0, TICK_SEC, 1, 1);
    for (int i = 0; i < 4; i++) job(&b, 100 * TICK_SEC, 10 * TICK_SEC, 1, 1);
    run(&b, "fifo");
    near(b.makespan_bound, 120);
    near(b.makespan, 120);
    end(&b);
}

/*
 * Three cards of speed 1 and one of speed 1/2 do 3.5 s of nominal work a
 * second.  14 jobs of 10 s on one card each: 140 / 3.5 = 40 s.  Weights of 1
 * alone would say 140 / 4 = 35.  A model that runs on the fast type only: its
 * 140 s are done by three cards, 140 / 3.
 */
Test(bound, knows_how_fast_each_type_is_and_who_runs_where)
{
    struct bench b = { .n = 0 };
    node(&b, "fast", 3, 1);
    node(&b, "slow", 1, 0.5);
    cluster_seal(&b.cluster);
    uint32_t model = throughput_model(&b.perf, "big");
    throughput_set(&b.perf, model, 1, 0);
    for (int i = 0; i < 14; i++) job(&b, 0, 10 * TICK_SEC, 1, 1);
    run(&b, "fifo");
    near(b.makespan_bound, 40);
    for (uint32_t i = 0; i < b.n; i++) b.job[i].model = "big";
    run(&b, "fifo");
    near(b.makespan_bound, 140.0 / 3);
    end(&b);
}

/*
 * Two chained tasks on one card: each reads 1000 B at best at 500 B/s and writes
 * 500 B at 500 B/s to its disk, 3 s, and computes 10 s.  The second reads the
 * first's output, 1 s, besides: 13 + 14 = 27 s, which the only node takes.
 */
Test(bound, counts_what_is_read_and_written_at_the_best_speed_there_is)
{
    struct bench b = { .cfg.net = { .mode = NET_NOMINAL, .disk_bps = 500, .rack_bps = 250, .aggregation_bps = 100 } };
    static const uint32_t in_start[] = { 0, 1, 3 }, after_start[] = { 0, 0, 0 };
    static const int64_t out[] = { 500, 500 };
    struct data data = { 0 };
    uint32_t block = data_add(&data, "x", 1000);
    const struct task_input in[] = { { .block = block }, { .block = block }, { .block = NONE, .task = 0 } };
    const struct task_graph g = { .in_start = in_start, .in = in, .after_start = after_start, .after = NULL, .out = out };
    node(&b, "G", 2, 1);
    cluster_seal(&b.cluster);
    data_replicas(&data, block, (const uint32_t[]){ 0 }, 1);
    b.cfg.data = &data;
    job(&b, 0, 10 * TICK_SEC, 2, 1)->graph = &g;
    run(&b, "fifo");
    near(b.makespan, 27);
    near(b.makespan_bound, 27);
    near(b.jct_bound, 27);
    data_fini(&data);
    end(&b);
}

/* With one job in the system at a time arrivals hang on the policy: only lengths and areas are left. */
Test(bound, of_a_closed_system_takes_no_arrival_for_given)
{
    struct bench b = { .cfg.concurrency = 1 };
    node(&b, "G", 2, 1);
    cluster_seal(&b.cluster);
    for (int i = 0; i < 4; i++) job(&b, 0, 10 * TICK_SEC, 1, 1);
    run(&b, "fifo");
    near(b.makespan, 40);
    near(b.makespan_bound, 20);
    near(b.jct, 10);
    near(b.jct_bound, 10);
    end(&b);
}

/* ---- everything tried ---- */

enum { TINY = 4, LONGEST = 3 };

/* Units of time left of each of TINY jobs; every subset that fits may run in a unit. */
struct tiny { int cards, wide[TINY], submit[TINY]; };

static void best_from(const struct tiny *y, const int *left, int now, int sum, int *least_sum, int *least_end)
{
    bool done = true;
    for (int i = 0; i < TINY; i++) done = done && left[i] == 0;
    if (done) {
        if (sum < *least_sum) *least_sum = sum;
        if (now < *least_end) *least_end = now;
        return;
    }
    int waiting = 0;
    for (int i = 0; i < TINY; i++) waiting += left[i] > 0 && y->submit[i] <= now;
    for (unsigned set = waiting > 0; set < 1u << TINY; set++) {
        int used = 0, next[TINY], more = 0;
        bool ok = true;
        for (int i = 0; i < TINY; i++) {
            bool in = set >> i & 1;
            if (in && (left[i] == 0 || y->submit[i] > now)) ok = false;
            used += in ? y->wide[i] : 0;
            next[i] = left[i] - in;
            more += in && next[i] == 0 ? now + 1 - y->submit[i] : 0;
        }
        if (ok && used <= y->cards) best_from(y, next, now + 1, sum + more, least_sum, least_end);
        if (waiting == 0) break;
    }
}

Test(bound, is_never_above_the_optimum_of_tiny_cases_and_often_equal)
{
    enum { CASES = 120 };
    int tight_sum = 0, tight_end = 0;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        struct rng r;
        struct bench b = { .n = 0 };
        struct tiny y = { .cards = 1 + (int)(seed % 3) };
        int left[TINY], sum = INT32_MAX, last = INT32_MAX, at = 0;
        rng_init(&r, seed, "test bound tiny", 0);
        node(&b, "G", (uint32_t)y.cards, 1);
        cluster_seal(&b.cluster);
        for (int i = 0; i < TINY; i++) {
            y.wide[i] = 1 + (int)rng_below(&r, (uint64_t)y.cards);
            y.submit[i] = at;
            left[i] = 1 + (int)rng_below(&r, LONGEST);
            (void)job(&b, at * TICK_SEC, left[i] * TICK_SEC, 1, y.wide[i]);
            at += (int)rng_below(&r, 3);
        }
        best_from(&y, left, 0, 0, &sum, &last);
        run(&b, "fifo:mode=skip");
        double mean = (double)sum / TINY;
        cr_assert_leq(b.jct_bound, mean + 1e-9, "seed %llu: bound %g above the optimum %g", (unsigned long long)seed, b.jct_bound, mean);
        cr_assert_leq(b.makespan_bound, last + 1e-9, "seed %llu: bound %g above the optimum %d", (unsigned long long)seed, b.makespan_bound, last);
        tight_sum += b.jct_bound > mean - 1e-9;
        tight_end += b.makespan_bound > last - 1e-9;
        if (y.cards == 1) near(b.jct_bound, mean);          /* shortest remaining first is optimal there */
        end(&b);
    }
    cr_assert_geq(tight_sum, CASES / 3, "equal to the optimum in %d of %d", tight_sum, CASES);
    cr_assert_geq(tight_end, CASES / 3, "equal to the optimum in %d of %d", tight_end, CASES);
}

/* ---- every policy on random cases ---- */

static void random_case(struct bench *b, struct rng *r)
{
    static const char *const type[] = { "A", "B", "C" }, *const model[] = { NULL, "m0", "m1" };
    static const double speed[] = { 1, 0.5, 1.75 };
    uint32_t nodes = 2 + (uint32_t)rng_below(r, 5), n = 10 + (uint32_t)rng_below(r, JOBS_MAX - 10);
    for (uint32_t i = 0; i < nodes; i++) {
        size_t k = rng_below(r, 3);
        node(b, type[k], i == 0 ? 4 : (uint32_t)rng_below(r, 5), speed[k]);
    }
    cluster_seal(&b->cluster);
    for (int m = 1; m < 3; m++) {
        uint32_t row = throughput_model(&b->perf, model[m]);
        for (uint32_t g = 0; g < b->cluster.gpu_types.n; g++)
            if (rng_below(r, 2) == 0) throughput_set(&b->perf, row, g, g > 0 && rng_below(r, 3) == 0 ? 0 : (sim_rate)(RATE_ONE / 4 + rng_below(r, 2 * RATE_ONE)));
    }
    sim_tick at = 0;
    for (uint32_t i = 0; i < n; i++) {
        sim_tick dur = (sim_tick)rng_below(r, 100) * TICK_SEC;
        struct job_spec *j = job(b, at, dur, 1 + (uint32_t)rng_below(r, 4), (int32_t)rng_below(r, 4));
        struct task_group *g = b->group[i];
        if (g->shape.n_gpu == 1 && rng_below(r, 2) == 0) g->shape.gpu_milli = 300;
        j->gang = rng_below(r, 3) == 0;
        j->model = model[rng_below(r, 3)];
        j->limit = dur + (sim_tick)rng_below(r, 60) * TICK_SEC - 20 * TICK_SEC;
        if (j->limit < TICK_SEC) j->limit = TICK_SEC;
        if (!j->gang && rng_below(r, 3) == 0) {
            g[1] = g[0];
            g[1].dur = (sim_tick)rng_below(r, 100) * TICK_SEC;
            g[1].shape.n_gpu = 0;
            g[1].shape.gpu_milli = 0;
            j->n_groups = 2;
        }
        at += rng_below(r, 3) == 0 ? 0 : (sim_tick)rng_below(r, 40) * TICK_SEC;
    }
    b->cfg.seed = rng_u64(r);
    b->cfg.enforce_limits = rng_below(r, 3) == 0;
    b->cfg.checkpoint_interval = (sim_tick)rng_below(r, 3) * 10 * TICK_SEC - TICK_SEC;
    if (b->cfg.checkpoint_interval < 0) b->cfg.checkpoint_interval = -1;
    b->cfg.restore_cost = (sim_tick)rng_below(r, 2) * TICK_SEC;
    if (rng_below(r, 2) == 0) { b->cfg.fault.mtbf_us = 600e6; b->cfg.fault.mttr_us = 60e6; }
    if (rng_below(r, 4) == 0) b->cfg.concurrency = 3;
    b->warmup = rng_below(r, 3) == 0 ? 0.2 : 0;
}

Test(bound, is_below_every_policy_whatever_fails_or_is_cut_off)
{
    enum { CASES = 40 };
    double closest_makespan = INFINITY, closest_jct = INFINITY;
    size_t n_refused = 0;
    for (uint64_t seed = 1; seed <= CASES; seed++)
        for (size_t p = 0; pol_table[p] != NULL; p++) {
            struct rng r;
            struct bench b = { .n = 0 };
            rng_init(&r, seed, "test bound random", 0);
            random_case(&b, &r);
            n_refused += !runs(&b, pol_table[p]->name);
            if (!isnan(b.makespan)) {
                cr_assert_leq(b.makespan_bound, b.makespan * (1 + 1e-9), "seed %llu, %s: makespan %g below its bound %g",
                              (unsigned long long)seed, pol_table[p]->name, b.makespan, b.makespan_bound);
                closest_makespan = fmin(closest_makespan, b.makespan / b.makespan_bound);
            }
            if (!isnan(b.jct)) {
                cr_assert_leq(b.jct_bound, b.jct * (1 + 1e-9), "seed %llu, %s: mean %g below its bound %g",
                              (unsigned long long)seed, pol_table[p]->name, b.jct, b.jct_bound);
                closest_jct = fmin(closest_jct, b.jct / b.jct_bound);
            }
            end(&b);
        }
    cr_log_info("closest: makespan %g, mean completion time %g times the bound", closest_makespan, closest_jct);
    cr_assert_leq(n_refused, 5 * (size_t)CASES, "five policies need speeds of every type, profiles or elastic jobs");
    cr_assert_lt(closest_makespan, 1.2);
    cr_assert_lt(closest_jct, 1.5);
}

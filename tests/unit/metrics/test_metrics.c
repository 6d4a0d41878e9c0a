/* Metrics of a few jobs on one small node, every expected value worked by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>
#include <unistd.h>
#include "db/record.h"
#include "metrics/metrics.h"
#include "model/world.h"
#include "metrics/notes.h"
#include "base/stats.h"

struct script {
    const struct job_spec *job; size_t n, at;
    sim_tick preempt_at;        /* the first running task, once; 0: never */
    bool armed, preempted;
};

static enum st next_job(void *ctx, struct job_spec *out, struct diag *d)
{
    struct script *s = ctx;
    (void)d;
    if (s->at == s->n) return ST_END;
    *out = s->job[s->at++];
    return ST_OK;
}

/* Starts whatever fits on node 0, in order of arrival, skipping what does not. */
static enum st decide(void *ctx, struct world *w, const struct notice *n, size_t n_notices, bool *again, struct diag *d)
{
    struct script *s = ctx;
    (void)n; (void)n_notices; (void)again; (void)d;
    if (s->preempt_at > 0 && !s->armed) {
        s->armed = true;
        cr_assert_eq(world_wake(w, s->preempt_at), POL_OK);
    }
    if (s->armed && !s->preempted && world_now(w) == s->preempt_at) {
        s->preempted = true;
        for (uint32_t t = 0; t < world_n_task_slots(w); t++)
            if (world_task(w, t)->is_live && world_task(w, t)->state == TASK_RUNNING) { cr_assert_eq(world_preempt(w, t), POL_OK); return ST_OK; }
    }
    for (uint64_t o = 0; o < world_count(w)->arrived; o++)
        for (uint32_t j = 0; j < world_n_job_slots(w); j++) {
            const struct job *job = world_job(w, j);
            if (!job->is_live || job->ordinal != o || job->n_waiting == 0) continue;
            for (uint32_t t = job->first_task; t != NONE; t = world_task(w, t)->next)
                if (world_task(w, t)->state == TASK_WAITING && cluster_fits(world_cluster(w), 0, world_shape(w, world_task(w, t)->shape)))
                    cr_assert_eq(world_start(w, t, &(struct world_place){ .node = 0 }), POL_OK);
        }
    return ST_OK;
}

struct bench { struct cluster cluster; struct throughput perf; struct world *world; struct script script; struct metrics *m; struct record *record; bool noting; const int64_t *took; size_t n_took; };

/* One node: 4 CPUs, 1 GiB, 2 GPUs. */
static void run_world(struct bench *b, const struct job_spec *job, size_t n, const struct world_config *cfg, const struct metrics_opts *o)
{
    struct diag d = { 0 };
    struct world_config c = *cfg;
    struct node_spec node = { .name = "n0", .cpu_milli = 4000, .mem_b = 1 << 30, .n_gpu = 2, .gpu_type = "V100", .rack = "r0" };
    cr_assert_eq(cluster_add(&b->cluster, &node, &d), ST_OK, "%s", d.msg);
    cluster_seal(&b->cluster);
    c.cluster = &b->cluster;
    c.throughput = &b->perf;
    c.audit = true;
    if (c.horizon == 0) c.horizon = TICK_NEVER;
    b->script.job = job;
    b->script.n = n;
    b->world = world_create(&c, (struct source){ &b->script, next_job }, (struct decider){ .ctx = &b->script, .decide = decide });
    b->m = metrics_create(b->world, o);
    if (o->store != NULL) {
        b->record = record_create(b->world, o->store, o->run, false);
        world_observe(b->world, record_observer(b->record));
    }
    enum st st;
    if (b->noting) metrics_note(b->m, 0, "cores", 6);
    while ((st = world_step(b->world, &d)) == ST_OK)
        if (b->n_took == 0) metrics_decision_time(b->m, 2000);
    for (size_t i = 0; i < b->n_took; i++) metrics_decision_time(b->m, b->took[i]);
    cr_assert_eq(st, ST_END, "%s", d.msg);
    cr_assert_eq(metrics_finish(b->m, b->world, &d), ST_OK, "%s", d.msg);
}

static void end_world(struct bench *b)
{
    metrics_destroy(b->m);
    record_destroy(b->record);
    world_destroy(b->world);
    throughput_fini(&b->perf);
    cluster_fini(&b->cluster);
}

static void is(const struct bench *b, const char *name, const char *scope, double want)
{
    double got = metrics_value(b->m, name, scope);
    cr_assert(fabs(got - want) <= 1e-9 * fmax(1, fabs(want)), "%s of %s is %.12g, expected %.12g", name, scope, got, want);
}

#define GROUP(cpu, gpus, milli, secs) \
    (struct task_group[]){ { .shape = { .cpu_milli = (cpu), .n_gpu = (gpus), .gpu_milli = (milli) }, .n = 1, .dur = (secs) * TICK_SEC } }
#define JOB(name, who, at, g) { .id = name, .user = who, .submit = (at) * TICK_SEC, .limit = -1, .group = g, .n_groups = 1 }

/*
 * a: alice, 1 CPU 1 GPU, 10 s, arrives 0, runs 0..10
 * b: bob, 1 CPU 2 GPUs, 4 s, arrives 2, runs 10..14
 * c: alice, 4 CPUs, 6 s, arrives 4, runs 14..20
 */
#define ABC { JOB("a", "alice", 0, GROUP(1000, 1, 1000, 10)), JOB("b", "bob", 2, GROUP(1000, 2, 1000, 4)), \
              JOB("c", "alice", 4, GROUP(4000, 0, 0, 6)) }

Test(metrics, of_three_jobs_worked_by_hand)
{
    struct bench b = { 0 };
    struct job_spec abc[] = ABC;
    run_world(&b, abc, 3, &(struct world_config){ 0 }, &(struct metrics_opts){ .n_jobs = 3 });
    /* jct 10 12 16; wait 0 8 10; slowdown 1 3 16/6; bounded 1 1.2 1.6. */
    is(&b, "jct_mean", "all", 38.0 / 3);
    is(&b, "jct_p50", "all", 12);
    is(&b, "jct_p95", "all", 12 + 0.9 * 4);
    is(&b, "jct_max", "all", 16);
    is(&b, "wait_mean", "all", 6);
    is(&b, "not_running_mean", "all", 6);
    is(&b, "slowdown_mean", "all", (1 + 3 + 16.0 / 6) / 3);
    is(&b, "bounded_slowdown_mean", "all", (1 + 1.2 + 1.6) / 3);
    is(&b, "jct_mean", "class=cpu", 16);
    is(&b, "jct_mean", "class=single", 11);
    is(&b, "jct_mean", "gpus=0", 16);
    is(&b, "jct_mean", "gpus=1", 10);
    is(&b, "jct_p99", "gpus=2-3", 12);
    is(&b, "jct_mean", "user=alice", 13);
    is(&b, "wait_mean", "user=bob", 8);
    is(&b, "makespan", "all", 20);
    is(&b, "throughput", "all", 3 * 3600 / 20.0);
    /* GPU: 1 x 10 + 2 x 4 of 2 x 20; CPU: 1 x 10 + 1 x 4 + 4 x 6 of 4 x 20. */
    is(&b, "gpu_util", "all", 18.0 / 40);
    is(&b, "card_occupancy", "all", 18.0 / 40);
    is(&b, "cpu_util", "all", 38.0 / 80);
    is(&b, "mem_util", "all", 0);
    is(&b, "gpu_hours", "all", 18.0 / 3600);
    is(&b, "gpu_hours", "user=bob", 8.0 / 3600);
    is(&b, "goodput", "all", 1);
    end_world(&b);
}

/*
 * Active users: alice 0..20, bob 2..14; so 1 until 2, 2 until 14, 1 until 20.
 * N_avg: a (2 + 16) / 10, b 2, c (20 + 6) / 16.
 * Dominant demand on 4 CPUs and 2 GPUs: a max(1/4, 1/2), b 1, c 1.
 * rho: a 10 / (10 x max(1, 1.8 / 2)), b 12 / (4 x 2), c 16 / (6 x 1.625).
 */
Test(metrics, finish_time_fairness_counts_the_active_users_over_a_jobs_life)
{
    struct bench b = { 0 };
    struct job_spec abc[] = ABC;
    run_world(&b, abc, 3, &(struct world_config){ 0 }, &(struct metrics_opts){ .n_jobs = 3 });
    double rho[] = { 1, 1.5, 16 / (6 * 1.625) };
    is(&b, "rho_mean", "all", (rho[0] + rho[1] + rho[2]) / 3);
    is(&b, "rho_max", "all", rho[2]);
    is(&b, "rho_above_1", "all", 2.0 / 3);
    end_world(&b);
}

/*
 * Spans: a 10, b 4, c 6 s; the first start is at 0, the last end at 20.
 * Whole: s = 9 / 10, 4.4 / 4, c's not known: S = 1, sigma = .1.
 * Share: s = 1, .5, 1: S = 5/6, sigma^2 = (1/36 + 1/9 + 1/36) / 3 = 1/18.
 */
Test(metrics, S4_25_run_time_single_job_time_and_fairness_against_both_ideals)
{
    struct bench b = { 0 };
    struct job_spec abc[] = ABC;
    const int64_t whole[] = { 9000000, 4400000, -1 }, share[] = { 10000000, 2000000, 6000000 };
    run_world(&b, abc, 3, &(struct world_config){ 0 },
              &(struct metrics_opts){ .n_jobs = 3, .ideal_whole = whole, .ideal_share = share, .n_ideal = 3 });
    is(&b, "dt", "all", 20);
    is(&b, "span_mean", "all", 20.0 / 3);
    is(&b, "span_max", "class=cpu", 6);
    is(&b, "s_whole_mean", "all", 1);
    is(&b, "s_whole_sigma", "all", 0.1);
    is(&b, "s_share_mean", "all", 5.0 / 6);
    is(&b, "s_share_sigma", "all", sqrt(1.0 / 18));
    cr_assert(isnan(metrics_value(b.m, "bytes_read", "all")));
    end_world(&b);
}

/* From the first start, not from the first arrival: a node that is down until 5 s. */
Test(metrics, dt_begins_when_the_first_task_starts)
{
    struct bench b = { 0 };
    static const struct fault_event faults[] = { { 0, 0, false }, { 5 * TICK_SEC, 0, true } };
    struct job_spec a[] = { JOB("a", "alice", 0, GROUP(1000, 1, 1000, 15)) };
    run_world(&b, a, 1, &(struct world_config){ .fault = { .list = faults, .n_list = 2 } }, &(struct metrics_opts){ .n_jobs = 1 });
    is(&b, "dt", "all", 15);
    is(&b, "makespan", "all", 20);
    cr_assert(isnan(metrics_value(b.m, "s_share_mean", "all")));
    end_world(&b);
}

static double double_for_alice(const void *ctx, const char *user)
{
    (void)ctx;
    return strcmp(user, "alice") == 0 ? 2 : 1;
}

/* alice: max(1/4, 1/2) for 10 s, then 1 for 6 s, active 20 s; bob: 1 for 4 s, active 12 s. */
Test(metrics, dominant_shares_are_averages_while_active_and_jain_is_over_them)
{
    struct bench b = { 0 }, w = { 0 };
    struct job_spec abc[] = ABC;
    run_world(&b, abc, 3, &(struct world_config){ 0 }, &(struct metrics_opts){ .n_jobs = 3 });
    is(&b, "dominant_share", "user=alice", 11.0 / 20);
    is(&b, "dominant_share", "user=bob", 4.0 / 12);
    is(&b, "jain", "all", stats_jain((double[]){ 11.0 / 20, 4.0 / 12 }, 2));
    run_world(&w, abc, 3, &(struct world_config){ 0 }, &(struct metrics_opts){ .n_jobs = 3, .weight_of = double_for_alice });
    is(&w, "dominant_share", "user=alice", 11.0 / 40);
    is(&w, "dominant_share", "user=bob", 4.0 / 12);
    end_world(&b);
    end_world(&w);
}

Test(metrics, littles_law_holds_exactly)
{
    struct bench b = { 0 };
    struct job_spec abc[] = ABC;
    run_world(&b, abc, 3, &(struct world_config){ 0 }, &(struct metrics_opts){ .n_jobs = 3 });
    is(&b, "little_l", "all", 38.0 / 20);
    is(&b, "little_lambda", "all", 3.0 / 20);
    is(&b, "little_w", "all", 38.0 / 3);
    end_world(&b);
}

/* Cut at 12 s: a is done, b ran 2 s of it, c waits.  L = (10 + 10 + 8) / 12. */
Test(metrics, jobs_cut_by_the_horizon_are_counted_and_not_averaged)
{
    struct bench b = { 0 };
    struct job_spec abc[] = ABC;
    run_world(&b, abc, 3, &(struct world_config){ .horizon = 12 * TICK_SEC }, &(struct metrics_opts){ .n_jobs = 3 });
    is(&b, "jobs_done", "all", 1);
    is(&b, "jobs_unfinished", "all", 2);
    is(&b, "jobs_counted", "all", 1);
    is(&b, "jct_mean", "all", 10);
    is(&b, "gpu_util", "all", (10.0 + 4) / 24);
    is(&b, "little_l", "all", 28.0 / 12);
    is(&b, "little_lambda", "all", 3.0 / 12);
    is(&b, "little_w", "all", 28.0 / 3);
    end_world(&b);
}

Test(metrics, warm_up_and_cool_down_cut_job_metrics_only)
{
    struct bench b = { 0 };
    struct job_spec abc[] = ABC;
    run_world(&b, abc, 3, &(struct world_config){ 0 }, &(struct metrics_opts){ .n_jobs = 3, .warmup = 0.34, .cooldown = 0.34 });
    is(&b, "jobs_counted", "all", 1);
    is(&b, "jct_mean", "all", 12);
    is(&b, "jobs_done", "all", 3);
    is(&b, "gpu_util", "all", 18.0 / 40);
    end_world(&b);
}

/* d: 1 GPU, 10 s; killed at 5 s with nothing kept, runs 5..15 again. */
Test(metrics, work_thrown_away_is_lost_and_lowers_goodput)
{
    struct bench b = { .script = { .preempt_at = 5 * TICK_SEC } };
    struct job_spec d[] = { JOB("d", "alice", 0, GROUP(1000, 1, 1000, 10)) };
    run_world(&b, d, 1, &(struct world_config){ .checkpoint_interval = -1 }, &(struct metrics_opts){ .n_jobs = 1 });
    is(&b, "preemptions", "all", 1);
    is(&b, "starts", "all", 2);
    is(&b, "lost_gpu_hours", "all", 5.0 / 3600);
    is(&b, "goodput", "all", 10.0 / 15);
    is(&b, "jct_mean", "all", 15);
    is(&b, "wait_mean", "all", 0);
    end_world(&b);
}

/*
 * The node is down from 6 to 9 s, and nothing is kept.
 * w: two tasks of 4 and 10 s, arrives 0, runs 0..6 (from 4 on one of them) and 9..19: first starts at once, 3 s not running
 * a: 5 s, arrives 2, runs 2..6 and 9..14: first starts at once, 3 s not running
 * b: 1 s, arrives 7, runs 9..10: waits 2 s for its first start, as long as it does not run
 */
Test(metrics, time_not_running_is_the_wait_for_the_first_start_and_all_interruptions)
{
    struct bench b = { 0 };
    static const struct fault_event faults[] = { { 6 * TICK_SEC, 0, false }, { 9 * TICK_SEC, 0, true } };
    struct task_group two[] = { { .shape = { .cpu_milli = 1000 }, .n = 1, .dur = 4 * TICK_SEC },
                                { .shape = { .cpu_milli = 1000 }, .n = 1, .dur = 10 * TICK_SEC } };
    struct job_spec wab[] = { JOB("w", "alice", 0, two), JOB("a", "alice", 2, GROUP(1000, 0, 0, 5)), JOB("b", "bob", 7, GROUP(1000, 0, 0, 1)) };
    wab[0].n_groups = 2;
    run_world(&b, wab, 3, &(struct world_config){ .checkpoint_interval = -1, .fault = { .list = faults, .n_list = 2 } },
              &(struct metrics_opts){ .n_jobs = 3 });
    is(&b, "wait_mean", "all", 2.0 / 3);
    is(&b, "not_running_mean", "all", 8.0 / 3);
    is(&b, "not_running_p50", "all", 3);
    is(&b, "not_running_max", "class=cpu", 3);
    is(&b, "not_running_mean", "user=alice", 3);
    is(&b, "not_running_mean", "user=bob", 2);
    end_world(&b);
}

/*
 * x holds 600 of card 0, so 400 + 1000 are free; y waits for both cards.  For x
 * the 400 are of no use, for y all 1400: expected (400 + 1400) / 2 of 1400.
 * When y runs, nothing is free and nothing is defined.  At 15 s all is free and
 * of use: ten samples of 900 / 1400, one of 0.
 */
Test(metrics, fragmentation_worked_by_hand)
{
    struct bench b = { 0 };
    struct job_spec xy[] = { JOB("x", "alice", 0, GROUP(1000, 1, 600, 10)), JOB("y", "bob", 0, GROUP(1000, 2, 1000, 5)) };
    run_world(&b, xy, 2, &(struct world_config){ .sample_every = TICK_SEC }, &(struct metrics_opts){ .n_jobs = 2 });
    is(&b, "frag_expected", "samples", 900.0 / 1400 * 10 / 11);
    is(&b, "frag_stranded", "samples", 1);
    is(&b, "frag_lack_cpu", "samples", 0);
    is(&b, "card_occupancy", "all", (1 * 10.0 + 2 * 5) / 30);
    is(&b, "gpu_util", "all", (0.6 * 10 + 2 * 5) / 30);
    end_world(&b);
}

/* Both cards idle, one core free, both jobs ask two: 2000 lack CPUs, one job alone asks for 1000. */
Test(metrics, gpus_idle_for_want_of_cpus_are_no_more_than_what_waits_asks)
{
    for (size_t n = 2; n <= 3; n++) {
        struct bench b = { 0 };
        struct job_spec job[] = { JOB("x", "alice", 0, GROUP(3000, 0, 0, 10)), JOB("y", "bob", 0, GROUP(2000, 1, 1000, 5)),
                                  JOB("z", "bob", 0, GROUP(2000, 1, 1000, 5)) };
        run_world(&b, job, n, &(struct world_config){ .sample_every = 9 * TICK_SEC, .horizon = 9500000 }, &(struct metrics_opts){ .n_jobs = n });
        is(&b, "frag_lack_cpu", "samples", n == 2 ? 0.5 : 1);
        end_world(&b);
    }
}

/* Over 20 s: probes 3 at 5, 5 at 10; level 0 for 5, 3 for 5, 5 for 10 s.  What is not a number is in no figure. */
Test(metrics, notes_are_summed_as_findings_and_as_levels)
{
    struct notes t = { 0 };
    notes_add(&t, 5 * TICK_SEC, "probes", 3);
    notes_add(&t, 7 * TICK_SEC, "probes", NAN);
    notes_add(&t, 8 * TICK_SEC, "cold", -2);
    notes_add(&t, 10 * TICK_SEC, "probes", 5);
    const struct notes_sum *s = &t.at[intern_find(&t.name, "probes")], *cold = &t.at[intern_find(&t.name, "cold")];
    cr_expect_eq(s->n, 2);
    cr_expect_eq(s->sum, 8);
    cr_expect_eq(s->max, 5);
    cr_expect_eq(s->last, 5);
    cr_expect_eq(notes_level(s, 20 * TICK_SEC), (3 * 5 + 5 * 10) / 20.0);
    cr_expect_eq(cold->max, -2);
    cr_expect_eq(notes_level(cold, 8 * TICK_SEC), 0);
    notes_fini(&t);
}

Test(metrics, and_written_in_a_scope_of_their_own)
{
    struct bench b = { 0 };
    struct job_spec a[] = { JOB("a", "alice", 0, GROUP(1000, 0, 0, 10)) };
    b.noting = true;
    run_world(&b, a, 1, &(struct world_config){ 0 }, &(struct metrics_opts){ .n_jobs = 1 });
    is(&b, "cores_count", "notes", 1);      /* 6, at 0 */
    is(&b, "cores_mean", "notes", 6);
    is(&b, "cores_max", "notes", 6);
    is(&b, "cores_last", "notes", 6);
    is(&b, "cores_level", "notes", 6);
    end_world(&b);
}

Test(metrics, the_lowest_waiting_need_decides_what_is_stranded)
{
    struct bench b = { 0 };
    struct job_spec xyz[] = { JOB("x", "alice", 0, GROUP(4000, 1, 600, 10)), JOB("y", "bob", 0, GROUP(0, 2, 1000, 5)),
                              JOB("z", "bob", 0, GROUP(1000, 1, 300, 5)) };
    /* No CPU is left for z, and one card is too few for y: all 1400 are stranded. */
    run_world(&b, xyz, 3, &(struct world_config){ .sample_every = 9 * TICK_SEC, .horizon = 9500000 }, &(struct metrics_opts){ .n_jobs = 3 });
    is(&b, "frag_stranded", "samples", 1);
    /* Given cores, z could use all of it and y none: 1400 lack CPUs, but z asks for 300 only, of 2000 there are. */
    is(&b, "frag_lack_cpu", "samples", 0.15);
    /* x: fits no more (CPU) 1400; y 1400; z 1400. */
    is(&b, "frag_expected", "samples", 1);
    end_world(&b);
}

/* The node is away from 10 to 20: a (0..10 of 15 s, nothing kept) runs again 20..35. */
Test(metrics, capacity_counts_only_while_nodes_are_up)
{
    struct bench b = { 0 };
    static const struct fault_event faults[] = { { 10 * TICK_SEC, 0, false }, { 20 * TICK_SEC, 0, true } };
    struct job_spec a[] = { JOB("a", "alice", 0, GROUP(1000, 1, 1000, 15)) };
    run_world(&b, a, 1, &(struct world_config){ .fault = { .list = faults, .n_list = 2 } }, &(struct metrics_opts){ .n_jobs = 1 });
    is(&b, "failures", "all", 1);
    is(&b, "gpu_util", "all", 25.0 / 50);
    is(&b, "lost_gpu_hours", "all", 10.0 / 3600);
    is(&b, "goodput", "all", 15.0 / 25);
    is(&b, "dominant_share", "user=alice", 0.5 * 25 / 35);
    end_world(&b);
}

/* ---- what the database gets ---- */

static char *dump(const char *path, sim_tick sample_every, const char *except)
{
    struct bench b = { 0 };
    struct diag d = { 0 };
    struct job_spec abc[] = ABC;
    struct store *s;
    int64_t run;
    struct store_run r = { .key = "k", .scenario = "s", .title = "t", .scenario_text = "x", .trace_path = "p", .trace_hash = "h",
                           .policy = "fifo", .policy_spec = "fifo", .policy_source = "none", .seed = 1 };
    (void)unlink(path);
    cr_assert_eq(store_open(&s, path, &d), ST_OK, "%s", d.msg);
    cr_assert_eq(store_run_begin(s, &r, &run, &d), ST_OK);
    run_world(&b, abc, 3, &(struct world_config){ .sample_every = sample_every },
              &(struct metrics_opts){ .store = s, .run = run, .n_jobs = 3 });
    cr_assert_eq(store_run_end(s, run, STORE_DONE, world_digest(b.world), NULL, 0.5, &d), ST_OK);
    end_world(&b);
    char sql[1024];
    (void)snprintf(sql, sizeof sql,
        "SELECT group_concat(x, char(10)) FROM (SELECT digest AS x FROM run UNION ALL"
        " SELECT name || scope || printf('%%.17g', value) || unit FROM metric WHERE scope <> '%s' UNION ALL"
        " SELECT id || user || class || status || submit_us || ' ' || start_us || ' ' || end_us || printf(' %%.17g', rho) FROM job UNION ALL"
        " SELECT ordinal || ' ' || node || ' ' || cards || ' ' || start_us || ' ' || end_us || outcome FROM attempt)", except);
    sqlite3_stmt *q;
    cr_assert_eq(sqlite3_prepare_v2(store_db(s), sql, -1, &q, NULL), SQLITE_OK, "%s", sqlite3_errmsg(store_db(s)));
    cr_assert_eq(sqlite3_step(q), SQLITE_ROW);
    char *text = strdup((const char *)sqlite3_column_text(q, 0));
    (void)sqlite3_finalize(q);
    store_close(s);
    (void)unlink(path);
    return text;
}

Test(metrics, sampling_changes_nothing_outside_the_samples)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/tmp/fairway-test-metrics-%ld.db", (long)getpid());
    char *with = dump(path, 700000, "samples"), *without = dump(path, 0, "samples");
    cr_assert_str_eq(with, without);
    cr_assert(strstr(with, "aalicesingledone0 0 10000000 1\n") != NULL, "%s", with);
    cr_assert(strstr(with, "1 0 3 10000000 14000000done") != NULL, "%s", with);
    free(with);
    free(without);
}

/* Kept as counts: the quantiles are those of all of them, in any order and however often one comes again. */
Test(metrics, decision_times_are_exact_quantiles)
{
    static const double p[] = { 0.99, 1 };
    static const size_t n[] = { 1, 2, 101, 150, 3000 };
    for (size_t k = 0; k < ARRAY_LEN(n); k++) {
        struct bench b = { .n_took = n[k] };
        const struct job_spec job[] = ABC;
        int64_t took[3000];
        double us[3000], q[2];
        for (size_t i = 0; i < n[k]; i++) {
            took[i] = (int64_t)(i * i * 7919 % 1009) * 500;
            us[i] = (double)took[i] / 1e3;
        }
        b.took = took;
        run_world(&b, job, ARRAY_LEN(job), &(struct world_config){ 0 }, &(struct metrics_opts){ 0 });
        is(&b, "decision_mean", "all", stats_mean(us, n[k]));
        stats_quantiles(us, n[k], p, ARRAY_LEN(p), q);
        is(&b, "decision_p99", "all", q[0]);
        is(&b, "decision_max", "all", q[1]);
        end_world(&b);
    }
}

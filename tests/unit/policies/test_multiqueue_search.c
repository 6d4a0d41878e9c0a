/*
 * What the multi-queue policy measures, in whole runs worked out by hand: searches for cores, jobs that slow others;
 * seed 0, S0-2, S0-4 and S0-20 to S0-25.  Times are seconds.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "ref/stage.h"

#define S  INT64_C(1000000)
#define GB INT64_C(1000000000)

static struct stage s;
static void setup(void)
{
    stage_init(&s);
    stage_profiles(&s, "traces/profiles/coda.csv");
}

static void teardown(void) { stage_fini(&s); }

TestSuite(multiqueue, .init = setup, .fini = teardown);

static void run(const char *policy)
{
    s.policy = policy;
    stage_run(&s);
    cr_assert_eq(s.result, ST_END, "%s", s.diag.msg);
}

static sim_tick when(const char *what) { return stage_when(&s, what); }

static sim_tick started(uint64_t job) { return stage_started(&s, job); }

/* ---- the search in a run ---- */

/* resnet50, two cores are best; begun cold with one: probes at 1, 2, 3 end at 90, 180, 270 s, and it keeps 2. */
Test(multiqueue, cores_are_searched_while_the_job_runs_S0_4)
{
    stage_node(&s, 16000, 1, "v", 1);
    stage_job(&s, 0, 1000 * S, 8000, 1)->model = "resnet50";
    s.log_notes = true;
    run("multiqueue");
    cr_expect_eq(when("resize 0 1000 -> 2000"), 90 * S);
    cr_expect_eq(when("resize 0 2000 -> 3000"), 180 * S);
    cr_expect_eq(when("resize 0 3000 -> 2000"), 270 * S);
    cr_expect_eq(when("note probes 3"), 270 * S);
    cr_expect_eq(when("note cores_found 2"), 270 * S);
    /* 90 s at half speed, the rest at full: 1045 s. */
    cr_expect_eq(when("end 0 done"), 1045 * S);
}

/* The next of its category begins where the first ended. */
Test(multiqueue, history_is_where_the_next_begins)
{
    stage_node(&s, 16000, 1, "v", 1);
    stage_job(&s, 0, 300 * S, 8000, 1)->model = "resnet50";
    stage_job(&s, 0, 100 * S, 8000, 1)->model = "inception3";
    s.log_notes = true;
    run("multiqueue");
    cr_expect_eq(when("end 0 done"), 345 * S);
    cr_expect_eq(when("resize 1 2000 -> 1000"), (345 + 90) * S, "an image model too: it begins with 2 and tries 1");
}

/* From 6 cores on: one fewer from 100 million weights on, one more from 10 ms of work an example on, and as the user says without figures. */
Test(multiqueue, a_hint_with_a_figure_counts_from_the_preset_on_S0_2)
{
    static const struct { struct hints hints; const char *more; int cores; } row[] = {
        { { HINT_HEAVY_WEIGHTS, 0, 0 }, "", 5 }, { { HINT_HEAVY_WEIGHTS, 99999, 0 }, "", 6 }, { { HINT_HEAVY_WEIGHTS, 100000, 0 }, "", 5 },
        { { HINT_COMPLEX_CPU, 0, 0 }, "", 7 }, { { HINT_COMPLEX_CPU, 0, 9999 }, "", 6 }, { { HINT_COMPLEX_CPU, 0, 10000 }, "", 7 },
        { { HINT_COMPLEX_CPU | HINT_PIPELINED | HINT_HEAVY_WEIGHTS, 138000, 1 }, "", 4 },
        { { HINT_HEAVY_WEIGHTS, 99999, 0 }, ",weights_from=99.999", 5 }, { { HINT_COMPLEX_CPU, 0, 9999 }, ",work_from=9ms", 7 },
    };
    for (size_t i = 0; i < ARRAY_LEN(row); i++) {
        teardown();
        setup();
        stage_node(&s, 16000, 1, "v", 1);
        struct job_spec *j = stage_job(&s, 0, 10 * S, 1000, 1);
        j->model = "resnet50";
        j->hints = row[i].hints;
        s.log_notes = true;
        char policy[64], note[32];
        (void)snprintf(policy, sizeof policy, "multiqueue:cold=6%s", row[i].more);
        (void)snprintf(note, sizeof note, "note search_cores %d", row[i].cores);
        run(policy);
        cr_expect_eq(when(note), 0, "row %zu: %s", i, s.log);
    }
}

/* ---- contention ---- */

/* A training job from 0, a CPU job of 16 cores from 35 s that moves bw of 100 GB/s. */
static void contend(const char *model, int64_t bw, int64_t cpu)
{
    stage_node(&s, 40000, 2, "v", 1);
    s.cluster.own[0].mem_bw = 100 * GB;
    s.cfg.monitor.interval = 10 * S;
    stage_job(&s, 0, 200 * S, 8000, 1)->model = model;
    (void)stage_job(&s, 35 * S, 300 * S, cpu, 0);
    s.group[1][0].mem_bw = bw;
    (void)stage_job(&s, 70 * S, 10 * S, 18000, 0);
    s.log_notes = true;
    run("multiqueue:search=off,watch=10s");
}

Test(multiqueue, much_traffic_and_a_fall_halve_the_cpu_job_S0_20_S0_21)
{
    contend("alexnet", 80 * GB, 16000);
    /* At 40 s, the first look and the first watch after the job began, both are seen. */
    cr_expect_eq(when("resize 1 16000 -> 8000"), 40 * S, "%s", s.log);
    cr_expect_eq(when("resize 1 8000 -> 4000"), -1, "40 GB/s is below 75");
}

Test(multiqueue, odd_counts_round_down_S0_21)      { contend("alexnet", 80 * GB, 15000); cr_assert_eq(when("resize 1 15000 -> 7000"), 40 * S); }
Test(multiqueue, traffic_without_a_fall_does_not_S0_20_S0_25) { contend("resnet50", 80 * GB, 16000); cr_assert_null(strstr(s.log, "resize")); }
Test(multiqueue, a_fall_without_that_traffic_does_not_S0_20)  { contend("alexnet", 74 * GB, 16000); cr_assert_null(strstr(s.log, "resize")); }
Test(multiqueue, neither_does_not_S0_20)                      { contend("resnet50", 10 * GB, 16000); cr_assert_null(strstr(s.log, "resize")); }

/* 40 cores: 8 + 8 are held, 8 closed, 16 free: a job of 18 at 70 s waits though 24 are idle, and starts when the training job ends. */
Test(multiqueue, freed_cores_are_closed_to_cpu_jobs_until_the_gpu_job_ends_S0_22)
{
    contend("alexnet", 80 * GB, 16000);
    cr_expect_eq(started(2), when("end 0 done"));
    cr_expect_gt(started(2), 200 * S);
    cr_expect_eq(when("note closed_cores 8"), 40 * S);
    char open[48];
    (void)snprintf(open, sizeof open, "\n%lld note closed_cores 0\n", (long long)when("end 0 done"));
    cr_expect_not_null(strstr(s.log, open), "%s", s.log);
}

Test(multiqueue, nothing_is_throttled_with_contention_off)
{
    stage_node(&s, 40000, 2, "v", 1);
    s.cluster.own[0].mem_bw = 100 * GB;
    stage_job(&s, 0, 200 * S, 8000, 1)->model = "alexnet";
    (void)stage_job(&s, 35 * S, 300 * S, 16000, 0);
    s.group[1][0].mem_bw = 90 * GB;
    s.log_notes = true;
    run("multiqueue:search=off,contention=false");
    cr_assert_null(strstr(s.log, "resize"));
}

/* Two CPU jobs of 45 GB/s each, of 100: together they move enough, neither does alone. */
static void two_neighbours(const char *policy)
{
    stage_node(&s, 40000, 2, "v", 1);
    s.cluster.own[0].mem_bw = 100 * GB;
    s.cfg.monitor.interval = 10 * S;
    stage_job(&s, 0, 200 * S, 8000, 1)->model = "alexnet";
    for (int i = 1; i <= 2; i++) {
        (void)stage_job(&s, 35 * S, 300 * S, 8000, 0);
        s.group[i][0].mem_bw = 45 * GB;
    }
    s.log_notes = true;
    run(policy);
}

Test(multiqueue, one_cpu_job_must_move_that_much_S0_20)
{
    two_neighbours("multiqueue:search=off");
    cr_expect_null(strstr(s.log, "resize"), "%s", s.log);
}

Test(multiqueue, or_all_of_a_node_together_S0_20)
{
    two_neighbours("multiqueue:search=off,bandwidth_of=node");
    cr_expect_eq(when("resize 1 8000 -> 4000"), 40 * S, "%s", s.log);
    cr_expect_eq(when("note throttled 2"), -1, "then both move 67.5 of 100");
}

/*
 * alexnet needs six cores.  The first finds them alone, at 270 s; from 400 s on a CPU job moves 80 of 100 GB/s, so that the
 * second, which starts at 500 s with six cores, computes at 1 / 1.285.  The look at 510 s is the first at it.
 */
static void starts_beside(const char *policy, bool is_first)
{
    stage_node(&s, 40000, 2, "v", 1);
    s.cluster.own[0].mem_bw = 100 * GB;
    s.cfg.monitor.interval = 10 * S;
    stage_job(&s, 0, 280 * S, 6000, 1)->model = is_first ? "resnet50" : "alexnet";
    (void)stage_job(&s, 400 * S, 600 * S, 16000, 0);
    s.group[1][0].mem_bw = 80 * GB;
    stage_job(&s, 500 * S, 80 * S, 6000, 1)->model = "alexnet";
    if (is_first) s.group[0][0].shape.n_gpu = 2;        /* nothing is known of one card */
    s.log_notes = true;
    run(policy);
}

Test(multiqueue, who_starts_beside_a_heavy_neighbour_is_known_to_suffer_by_history_S0_20)
{
    starts_beside("multiqueue:cold=6", false);
    cr_expect_eq(when("note cores_found 6"), 270 * S, "%s", s.log);
    cr_expect_eq(when("resize 1 16000 -> 8000"), 510 * S, "%s", s.log);
}

Test(multiqueue, where_nothing_like_it_ran_it_is_not)
{
    starts_beside("multiqueue:cold=6", true);
    cr_expect_eq(when("resize 1 16000 -> 8000"), -1, "%s", s.log);
}

Test(multiqueue, unless_the_operator_says_what_to_expect)
{
    starts_beside("multiqueue:cold=6,expect=1", true);
    cr_expect_eq(when("resize 1 16000 -> 8000"), 510 * S, "%s", s.log);
}

/* ---- disturbed searches ---- */

/*
 * alexnet from one core on, a probe every 90 s: 4 cores at 360 s.  From 370 s for `dur` a CPU job moves 95 of 100 GB/s, which
 * slows by 1.57: at 450 s 5 cores seem worse (.531) than 4 without it (.667).
 */
static void disturb(const char *policy, sim_tick dur)
{
    stage_node(&s, 40000, 2, "v", 1);
    s.cluster.own[0].mem_bw = 100 * GB;
    s.cfg.monitor.interval = 10 * S;
    stage_job(&s, 0, 3000 * S, 4000, 1)->model = "alexnet";
    (void)stage_job(&s, 370 * S, dur, 8000, 0);
    s.group[1][0].mem_bw = 95 * GB;
    s.log_notes = true;
    run(policy);
}

Test(multiqueue, a_passing_disturbance_freezes_a_search_that_believes_every_probe)
{
    disturb("multiqueue:contention=false,repeat=0,again=1", 100 * S);
    cr_expect_eq(when("note cores_found 4"), 450 * S, "%s", s.log);
    cr_expect_gt(when("end 0 done"), 4500 * S, "two thirds of the speed, for life");
}

/* The probe of 5 cores is made again at 540 s, as the traffic came, and at 630 s, as it went; then 6 and 7. */
Test(multiqueue, a_probe_during_which_traffic_changed_is_repeated_S0_4)
{
    disturb("multiqueue:contention=false,again=1", 100 * S);
    cr_expect_eq(when("note cores_found 6"), 810 * S, "%s", s.log);
    /* 90 s each at 1 to 4 of 6 cores, 270 at 5, of which 100 (370 to 450 at 5, 450 to 470) at 1 / 1.57: some 480 s are lost. */
    cr_expect_lt(when("end 0 done"), 3500 * S, "%s", s.log);
}

/* It stays to 2370 s: the repeated probe at 540 s is believed, and 4 cores are the answer; at 630 s they give less than found. */
Test(multiqueue, a_search_whose_answer_no_longer_holds_begins_again_S0_4)
{
    disturb("multiqueue:contention=false", 2000 * S);
    cr_expect_eq(when("note cores_found 4"), 540 * S, "%s", s.log);
    /* From 630 s on: 4, 3, 5, 6 and 7 cores. */
    cr_expect_eq(when("note cores_found 6"), (630 + 5 * 90) * S, "%s", s.log);
}

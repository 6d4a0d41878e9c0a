/*
 * Cores, contention and what a monitor sees, on lives worked out by hand with
 * the published profiles (traces/profiles/coda.csv).  Times are microseconds.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "input/tasks/profiles.h"
#include "ref/stage.h"

#define GB INT64_C(1000000000)

static struct stage s;
static void setup(void)
{
    stage_init(&s);
    stage_profiles(&s, "traces/profiles/coda.csv");
}

static void teardown(void) { stage_fini(&s); }

TestSuite(speed, .init = setup, .fini = teardown);

static uint32_t model(const char *name) { return intern_find(&s.perf.models, name); }

/* One GPU node of 16 cores and 100 GB/s, a training job on it, and one CPU job that moves bw with 8 cores. */
static void one_of_each(const char *name, sim_tick dur, int64_t cpu_milli, int64_t bw)
{
    stage_node(&s, 16000, 4, "v", 1);
    s.cluster.own[0].mem_bw = 100 * GB;
    stage_job(&s, 0, dur, cpu_milli, 1)->model = name;
    stage_job(&s, 0, 100 * dur, 8000, 0);
    s.group[1][0].mem_bw = bw;
    stage_run(&s);
    cr_assert_eq(s.result, ST_END, "%s", s.diag.msg);
}

/* S0-27: one of two cores: utilisation .5, twice the time. */
Test(speed, half_the_cores_that_a_model_needs_double_its_run_time_S0_27)
{
    one_of_each("resnet50", 1000000, 1000, 0);
    cr_assert_eq(stage_end_of(&s, 0), 2000000);
}

Test(speed, cores_beyond_the_best_add_nothing)
{
    one_of_each("resnet50", 1000000, 8000, 0);
    cr_assert_eq(stage_end_of(&s, 0), 1000000);
}

/* S0-8, S0-7: linear to the best count, flat above; speed follows utilisation, so both are greatest there. */
Test(speed, utilisation_and_speed_are_greatest_at_the_same_count_S0_7_S0_8)
{
    static const char *const name[] = { "alexnet", "vgg16", "inception3", "resnet50", "bat", "transformer", "deepspeech", "wavenet" };
    static const uint32_t nodes[] = { 1, 1, 1, 2 }, gpus[] = { 1, 2, 4, 2 };
    static const int best[][4] = { { 6, 8, 12, 2 }, { 1, 2, 3, 2 }, { 2, 3, 6, 2 }, { 2, 3, 6, 2 },
                                   { 3, 6, 10, 5 }, { 2, 3, 4, 3 }, { 1, 3, 6, 3 }, { 3, 5, 8, 3 } };
    for (size_t m = 0; m < ARRAY_LEN(name); m++)
        for (size_t l = 0; l < ARRAY_LEN(nodes); l++) {
            double scale;
            const struct profile *p = profiles_find(&s.profiles, model(name[m]), NONE, nodes[l], gpus[l], &scale);
            cr_assert_eq(scale, 1);
            for (int c = 1; c <= 14; c++) {
                double u = curve_at(&p->util, c), speed = u / p->best;
                cr_assert_float_eq(u, fmin(1, (double)c / best[m][l]), 1e-12);
                cr_assert_eq(speed < 1, c < best[m][l]);
            }
        }
}

/* S0-23: the published run times under pressure, within .02, measured on whole runs. */
Test(speed, pressure_slows_as_published_S0_23)
{
    static const struct { const char *model; int cores; double time[4]; } row[] = {
        { "alexnet", 6, { 1.05, 1.09, 1.19, 1.57 } }, { "bat", 3, { 1.00, 1.10, 1.27, 1.85 } },
        { "transformer", 2, { 1.00, 1.02, 1.08, 1.26 } }, { "deepspeech", 1, { 1.02, 1.07, 1.13, 1.27 } },
        { "wavenet", 3, { 1.07, 1.11, 1.34, 2.07 } }, { "vgg16", 1, { 1, 1, 1, 1 } },
        { "inception3", 2, { 1, 1, 1, 1 } }, { "resnet50", 2, { 1, 1, 1, 1 } },
    };
    static const int64_t pressure[] = { 25, 50, 75, 97 };
    for (size_t m = 0; m < ARRAY_LEN(row); m++)
        for (size_t k = 0; k < ARRAY_LEN(pressure); k++) {
            teardown();
            setup();
            one_of_each(row[m].model, 1000000, row[m].cores * 1000, pressure[k] * GB);
            cr_assert_float_eq((double)stage_end_of(&s, 0) / 1e6, row[m].time[k], 0.02, "%s at %lld %%", row[m].model, (long long)pressure[k]);
        }
}

static int64_t moved;
static void look_at_500(struct stage *st, struct world *w)
{
    (void)st;
    if (world_now(w) == 0) { (void)world_wake(w, 500); return; }
    for (uint32_t t = 0; t < world_n_task_slots(w) && world_now(w) == 500; t++)
        if (world_task(w, t)->is_live) moved += world_read(w, t).bw;
}

/* CODA's Figure 5: GB/s on each node at the best count of cores, in all four layouts, as a monitor sees them. */
Test(speed, traffic_is_as_published)
{
    static const struct { const char *model; int gbs[4]; } row[] = {
        { "alexnet", { 15, 18, 36, 10 } }, { "vgg16", { 9, 15, 24, 8 } },
        { "inception3", { 12, 18, 27, 9 } }, { "resnet50", { 9, 15, 24, 9 } },
        { "bat", { 1, 1, 1, 1 } }, { "transformer", { 1, 1, 1, 1 } },
        { "deepspeech", { 9, 15, 24, 13 } }, { "wavenet", { 6, 9, 15, 9 } },
    };
    static const uint32_t nodes[] = { 1, 1, 1, 2 }, gpus[] = { 1, 2, 4, 1 };
    for (size_t m = 0; m < ARRAY_LEN(row); m++)
        for (size_t l = 0; l < ARRAY_LEN(nodes); l++) {
            teardown();
            setup();
            for (uint32_t n = 0; n < nodes[l]; n++) stage_node(&s, 16000, gpus[l], "v", 1);
            struct job_spec *j = stage_job(&s, 0, 1000, 16000, (int32_t)gpus[l]);
            j->model = row[m].model;
            j->gang = nodes[l] > 1;
            stage_tasks(&s, nodes[l]);
            s.meddle = look_at_500;
            moved = 0;
            stage_run(&s);
            cr_assert_eq(moved, row[m].gbs[l] * GB * nodes[l], "%s in layout %zu: %lld", row[m].model, l,
                (long long)moved);
        }
}

/* S0-25: a model that pressure does not slow keeps its speed above 95 %. */
Test(speed, resnet50_on_one_gpu_is_not_slowed_S0_25)
{
    one_of_each("resnet50", 1000000, 2000, 99 * GB);
    cr_assert_eq(stage_end_of(&s, 0), 1000000);
}

/* One's own traffic is no pressure: alexnet moves 15 of 100 GB/s. */
Test(speed, a_job_alone_is_not_slowed)
{
    one_of_each("alexnet", 1000000, 6000, 0);
    cr_assert_eq(stage_end_of(&s, 0), 1000000);
}

Test(speed, a_node_of_unknown_bandwidth_slows_nobody)
{
    stage_node(&s, 16000, 4, "v", 1);
    stage_job(&s, 0, 1000000, 6000, 1)->model = "alexnet";
    stage_job(&s, 0, 9000000, 8000, 0);
    s.group[1][0].mem_bw = 500 * GB;
    stage_run(&s);
    cr_assert_eq(stage_end_of(&s, 0), 1000000);
}

/* ---- resizing ---- */

static sim_tick cut_at;
static const char *refused;

static uint32_t task_of(const struct world *w, uint64_t job)
{
    for (uint32_t t = 0; t < world_n_task_slots(w); t++)
        if (world_task(w, t)->is_live && world_job_of(w, t)->ordinal == job) return t;
    return NONE;
}

static void halve(struct stage *st, struct world *w)
{
    (void)st;
    if (world_now(w) < cut_at) { (void)world_wake(w, cut_at); return; }
    if (world_now(w) == cut_at) cr_assert_eq(world_resize(w, task_of(w, 1), 4000, 0), POL_OK);
}

/*
 * S0-24, S0-21: at 75 GB/s of 100 alexnet takes 1.19 as long; with the CPU
 * job's cores halved its traffic is 37.5, and alexnet takes 1.07 as long.
 * After 595000 us half the work (1e6 / 2) is done; the rest takes 535000.
 */
Test(speed, halving_a_cpu_job_halves_its_traffic_S0_24)
{
    cut_at = 595000;
    s.meddle = halve;
    one_of_each("alexnet", 1000000, 6000, 75 * GB);
    cr_assert_float_eq((double)stage_end_of(&s, 0), 595000 + 535000, 20);
}

/* S0-21: a CPU job with half its cores runs at half its speed: 10 of 100 done, 90 at half. */
Test(speed, a_cpu_job_runs_as_fast_as_it_has_cores_S0_21)
{
    cut_at = 10;
    s.meddle = halve;
    stage_node(&s, 16000, 0, NULL, 1);
    stage_job(&s, 0, 5, 1000, 0);
    stage_job(&s, 0, 100, 8000, 0);
    stage_run(&s);
    cr_assert_eq(stage_end_of(&s, 1), 10 + 180);
}

Test(speed, the_same_without_profiles)
{
    s.cfg.profiles = NULL;
    cut_at = 10;
    s.meddle = halve;
    stage_node(&s, 16000, 0, NULL, 1);
    stage_job(&s, 0, 5, 1000, 0);
    stage_job(&s, 0, 100, 8000, 0);
    stage_run(&s);
    cr_assert_eq(stage_end_of(&s, 1), 10 + 180);
}

static void ask_wrong(struct stage *st, struct world *w)
{
    uint32_t t = task_of(w, 0);
    (void)st;
    if (t == NONE || world_task(w, t)->state != TASK_RUNNING) {
        if (t != NONE) cr_assert_eq(world_resize(w, t, 1000, 0), POL_REFUSAL_NOT_RUNNING);
        (void)world_wake(w, world_now(w) + 1);
        return;
    }
    cr_assert_eq(world_resize(w, t, 0, 0), POL_REFUSAL_CPU_NONE);
    cr_assert_eq(world_resize(w, t, 16001, 0), POL_REFUSAL_CPU_TAKEN);
    cr_assert_eq(world_resize(w, 4000, 1000, 0), POL_REFUSAL_NO_TASK);
    cr_assert_eq(world_resize(w, t, 1000, -1), POL_REFUSAL_MEM_BELOW_0);
    cr_assert_eq(world_resize(w, t, 1000, world_cluster(w)->node[0].mem_total + 1), POL_REFUSAL_MEM_TAKEN);
    cr_assert_eq(world_resize(w, t, 16000, 0), POL_OK);
    refused = "asked";
}

Test(speed, a_resize_that_cannot_be_is_refused_with_its_reason)
{
    stage_node(&s, 16000, 0, NULL, 1);
    stage_job(&s, 0, 100, 8000, 0);
    s.meddle = ask_wrong;
    stage_run(&s);
    cr_assert_not_null(refused);
    cr_assert_eq(stage_end_of(&s, 0), 100, "more cores than asked are of no use");
}

/* ---- the monitor ---- */

enum { LOOKS = 5 };
static struct speed_reading seen[LOOKS];

/* Readings at 5, 12, 25, 35 and 45; the CPU job of 60 GB/s starts at 0, is halved at 20. */
static void look(struct stage *st, struct world *w)
{
    static const sim_tick at[LOOKS] = { 5, 12, 25, 35, 45 };
    (void)st;
    if (world_now(w) == 20) cr_assert_eq(world_resize(w, task_of(w, 0), 4000, 0), POL_OK);
    else if (world_now(w) < 20) (void)world_wake(w, 20);
    for (int i = 0; i < LOOKS; i++) {
        if (world_now(w) < at[i]) (void)world_wake(w, at[i]);
        if (world_now(w) == at[i]) seen[i] = world_read(w, task_of(w, 0));
    }
}

static void watch(sim_tick interval, double noise)
{
    stage_node(&s, 16000, 0, NULL, 1);
    s.cluster.own[0].mem_bw = 100 * GB;
    stage_job(&s, 0, 100, 8000, 0);
    s.group[0][0].mem_bw = 60 * GB;
    s.meddle = look;
    s.cfg.monitor = (struct monitor_spec){ interval, noise };
    stage_run(&s);
}

/* Looks at 0 (nothing began before it), 10, 20 (before the change there), 30, 40. */
Test(speed, a_monitor_shows_what_it_saw_at_its_last_look)
{
    watch(10, 0);
    cr_assert_eq(seen[0].bw, -1);
    cr_assert_eq(seen[1].bw, 60 * GB);
    cr_assert_eq(seen[2].bw, 60 * GB);
    cr_assert_eq(seen[3].bw, 30 * GB);
    cr_assert_eq(seen[4].bw, 30 * GB);
}

Test(speed, one_that_looks_all_the_time_shows_what_is)
{
    watch(0, 0);
    cr_assert_eq(seen[0].bw, 60 * GB);
    cr_assert_eq(seen[2].bw, 30 * GB);
}

Test(speed, noise_is_of_the_stated_size_and_the_same_each_time)
{
    watch(10, 0.05);
    int64_t first = seen[1].bw;
    cr_assert_neq(first, 60 * GB);
    cr_assert_float_eq((double)first, 60e9, 60e9 * 0.05 * 5);
    cr_assert_neq(seen[3].bw, seen[4].bw, "each look errs on its own");
    teardown();
    setup();
    watch(10, 0.05);
    cr_assert_eq(seen[1].bw, first);
}

/* ---- layouts ---- */

Test(speed, a_layout_without_a_row_takes_the_nearest_below_in_proportion)
{
    double scale;
    const struct profile *p = profiles_find(&s.profiles, model("alexnet"), NONE, 1, 3, &scale);
    cr_assert_eq(p->n_gpus, 2);
    cr_assert_eq(scale, 1.5);
    p = profiles_find(&s.profiles, model("alexnet"), NONE, 1, 8, &scale);
    cr_assert_eq(p->n_gpus, 4);
    cr_assert_eq(scale, 2);
    p = profiles_find(&s.profiles, model("alexnet"), NONE, 4, 16, &scale);
    cr_assert_eq(p->n_nodes, 2);
    cr_assert_eq(scale, 4);     /* four GPUs on a node where the row has one */
    cr_assert_null(profiles_find(&s.profiles, NONE, NONE, 1, 1, &scale));
}

/* 2N2G of resnet50: 2 cores on each node; one task has 1, so both run at half. */
Test(speed, a_gang_runs_as_its_worst_node_lets_it)
{
    stage_node(&s, 2000, 1, "v", 1);
    stage_node(&s, 2000, 1, "v", 1);
    struct job_spec *j = stage_job(&s, 0, 1000, 2000, 1);
    j->model = "resnet50";
    j->gang = true;
    stage_group(&s, 1, 1000, 1000, 1);
    stage_run(&s);
    cr_assert_eq(stage_end_of(&s, 0), 2000);
}

/* A rate of its own is known, one by the type's speed is not; without a model there is none. */
Test(speed, which_rates_are_a_models_own)
{
    stage_node(&s, 1000, 1, "v", 1);
    stage_node(&s, 1000, 1, "w", 0.5);
    const uint32_t a = throughput_model(&s.perf, "a"), v = intern_find(&s.cluster.gpu_types, "v"),
                   w = intern_find(&s.cluster.gpu_types, "w");
    throughput_set(&s.perf, a, v, 3 * RATE_ONE);
    cr_assert(throughput_is_known(&s.perf, a, v) && !throughput_is_known(&s.perf, a, w));
    cr_assert_not(throughput_is_known(&s.perf, NONE, v));
    cr_assert_eq(throughput_rate(&s.perf, &s.cluster, a, v), 3 * RATE_ONE);
    cr_assert_eq(throughput_rate(&s.perf, &s.cluster, a, w), RATE_ONE / 2);
    cr_assert_eq(throughput_rate(&s.perf, &s.cluster, NONE, w), RATE_ONE / 2);
}

/*
 * Jobs that go as other models for parts of their work: where each phase ends, what a restart goes back to, and that
 * every factor of the speed follows.  Lives worked out by hand; times are microseconds.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "ref/stage.h"

#define GB INT64_C(1000000000)

static struct stage s;

static void setup(void)
{
    stage_init(&s);
    s.cfg.profiles = &s.profiles;
    stage_node(&s, 16000, 4, "v", 1);
}

static void teardown(void) { stage_fini(&s); }

TestSuite(phases, .init = setup, .fini = teardown);

static uint32_t model(const char *name) { return throughput_model(&s.perf, name); }

static void runs_at(const char *name, double speed)
{
    throughput_set(&s.perf, model(name), 0, (sim_rate)(speed * RATE_ONE));
}

static void phase(const char *of, double until, const char *as)
{
    phases_add(&s.profiles.phases, (struct phase){ .model = model(of), .as = model(as), .scaling = NONE,
                                                   .until = (uint32_t)(until * PHASES_WHOLE + .5) });
}

/* On one node with one card: so many cores, bytes/s, and run time against pressure. */
static struct profile *profile(const char *name, const char *util, int64_t bw, const char *slow)
{
    struct profile row = { .model = model(name), .category = intern_id(&s.profiles.categories, "image"),
                           .n_nodes = 1, .n_gpus = 1, .gpu_type = NONE, .bw = bw };
    cr_assert_null(curve_parse(&row.util, util));
    if (slow != NULL) cr_assert_null(curve_parse(&row.slow, slow));
    cr_assert(profiles_add(&s.profiles, &row));
    return &s.profiles.at[s.profiles.n - 1];
}

static struct job_spec *job(sim_tick submit, sim_tick dur, int64_t cpu_milli, int32_t gpus, const char *name)
{
    struct job_spec *j = stage_job(&s, submit, dur, cpu_milli, gpus);
    j->model = name;
    return j;
}

static void run(void)
{
    stage_run(&s);
    cr_assert_eq(s.result, ST_END, "%s", s.diag.msg);
}

static void ends(uint64_t job, sim_tick at)
{
    char find[48];
    (void)snprintf(find, sizeof find, "%lld end %llu done\n", (long long)at, (unsigned long long)job);
    const char *found = strstr(s.log, find);
    cr_assert(found == s.log || (found != NULL && found[-1] == '\n'), "no '%s' in\n%s", find, s.log);
}

/* 300 at half the speed, 500 at its own, 200 at double. */
Test(phases, each_takes_its_share_of_the_work_at_its_own_speed)
{
    runs_at("slow", .5);
    runs_at("fast", 2);
    phase("m", .3, "slow");
    phase("m", .8, "m");
    phase("m", 1, "fast");
    job(0, 1000, 1000, 1, "m");
    run();
    ends(0, 600 + 500 + 100);
}

Test(phases, behind_the_last_a_job_is_itself_again)
{
    runs_at("slow", .25);
    phase("m", .5, "slow");
    job(0, 1000, 1000, 1, "m");
    job(0, 1000, 1000, 1, "slow");
    job(0, 1000, 1000, 1, NULL);
    run();
    ends(0, 2000 + 500);
    ends(1, 4000);
    ends(2, 1000);
}

/*
 * A third of 1000 us is 333.333 of them: 21845311 units of work, which 3/4 of nominal does in 444.44 us.  The phase is
 * over at 445, and what is left, 43690689 units, takes 666.67 at nominal: nothing of the last microsecond goes on.
 */
Test(phases, end_at_the_exact_unit_of_work_and_the_next_microsecond)
{
    runs_at("slow", .75);
    phase("m", .333333, "slow");
    job(0, 1000, 1000, 1, "m");
    run();
    ends(0, 445 + 667);
}

/* Of one microsecond, none of the work is in the first; of none, nothing is in any. */
Test(phases, without_work_are_passed_over)
{
    runs_at("slow", .5);
    phase("m", .000001, "slow");
    phase("m", .000002, "m");
    job(0, 1, 1000, 1, "m");
    job(0, 0, 1000, 1, "m");
    run();
    ends(0, 1);
    ends(1, 0);
}

/* ---- restarts: 500 us at half the speed, then 500; a preemption at 1200 finds 700 us done ---- */

static void preempted(sim_tick interval, sim_tick restore, sim_tick end, sim_tick lost)
{
    s.cfg.checkpoint_interval = interval;
    s.cfg.restore_cost = restore;
    runs_at("slow", .5);
    phase("m", .5, "slow");
    job(0, 1000, 1000, 1, "m");
    stage_cue(&s, 1200, 1300, 0);
    run();
    cr_assert_eq(s.lost, lost);
    ends(0, end);
}

Test(phases, a_restart_without_checkpoints_goes_back_to_the_first) { preempted(-1, 0, 1300 + 1500, 700); }
Test(phases, a_restart_from_before_the_crossing_crosses_it_again) { preempted(400, 10, 1300 + 10 + 200 + 500, 300); }
Test(phases, a_restart_from_the_crossing_is_behind_it) { preempted(500, 10, 1300 + 10 + 500, 200); }
Test(phases, a_restart_from_behind_it_stays_there) { preempted(0, 10, 1300 + 10 + 300, 0); }

/* ---- every factor ---- */

/* 2 of 4 cores in the first half, of 2 in the second. */
Test(phases, cores)
{
    profile("early", "linear:4", 0, NULL);
    profile("m", "linear:2", 0, NULL);
    phase("m", .5, "early");
    job(0, 1000, 2000, 1, "m");
    run();
    ends(0, 1000 + 500);
}

/* The first half moves 50 of 100 GB/s, which slows its neighbour by half; then that is free of it. */
Test(phases, traffic_and_what_it_does_to_neighbours)
{
    s.cluster.own[0].mem_bw = 100 * GB;
    profile("early", "linear:1", 50 * GB, NULL);
    profile("m", "linear:1", 0, NULL);
    profile("other", "linear:1", 0, "0:1;50:1.5");
    phase("m", .5, "early");
    job(0, 1000, 1000, 1, "m");
    job(0, 1000, 1000, 1, "other");
    run();
    ends(0, 1000);
    ends(1, 501 + 666);             /* 500 us are 333.33 of its work */
}

/* It suffers from its neighbour in its second half alone. */
Test(phases, sensitivity)
{
    s.cluster.own[0].mem_bw = 100 * GB;
    profile("m", "linear:1", 0, "0:1;50:2");
    profile("early", "linear:1", 0, NULL);
    profile("other", "linear:1", 50 * GB, NULL);
    phase("m", .5, "early");
    job(0, 1000, 1000, 1, "m");
    job(0, 3000, 1000, 1, "other");
    run();
    ends(0, 500 + 1000);
}

/* Two nodes exchange 1 GB/s over 1 GB/s in the first half, nothing in the second. */
static void far_apart(enum net_mode mode)
{
    s.cfg.net = (struct net_spec){ .mode = mode, .card_bps = GB / 64 * 64 };
    stage_node(&s, 16000, 4, "v", 1);
    struct profile *p = profile("early", "linear:1", 0, NULL);
    p->net_bw = GB / 64 * 64;
    p->n_nodes = 2, p->n_gpus = 8;
    p = profile("m", "linear:1", 0, NULL);
    p->n_nodes = 2, p->n_gpus = 8;
    phase("m", .5, "early");
    job(0, 1000, 1000, 4, "m")->gang = true;
    stage_tasks(&s, 2);
    run();
    ends(0, 1000 + 500);
}

Test(phases, distance) { far_apart(NET_NOMINAL); }
Test(phases, contended_distance) { far_apart(NET_SHARED); }

Test(phases, measured_distances_and_pairs)
{
    stage_node(&s, 16000, 4, "v", 1);
    (void)measured_add(&s.profiles.apart, (struct measured_speed){ model("early"), LEVEL_RACK, NONE, .5 });
    s.profiles.sharing.is_on = true;
    s.profiles.sharing.utilisation = 1;
    (void)measured_add(&s.profiles.sharing.pairs, (struct measured_speed){ model("early"), model("x"), NONE, .5 });
    (void)measured_add(&s.profiles.sharing.pairs, (struct measured_speed){ model("m"), model("x"), NONE, 1 });
    (void)measured_add(&s.profiles.sharing.pairs, (struct measured_speed){ model("x"), model("early"), NONE, .25 });
    (void)measured_add(&s.profiles.sharing.pairs, (struct measured_speed){ model("x"), model("m"), NONE, 1 });
    phase("m", .5, "early");
    job(0, 1000, 1000, 4, "m")->gang = true;        /* over both nodes */
    stage_tasks(&s, 2);
    job(2000, 1000, 1000, 1, "m");                  /* two halves of a card */
    s.group[1][0].shape.gpu_milli = 500;
    job(2000, 1000, 1000, 1, "x");
    s.group[2][0].shape.gpu_milli = 500;
    run();
    ends(0, 1000 + 500);
    ends(1, 2000 + 1000 + 500);
    ends(2, 2000 + 1000 + 750);     /* 250 done beside the first half */
}

/* All its set in memory in the second half; in the first it is twice as large. */
Test(phases, data)
{
    struct profile *p = profile("early", "linear:1", 0, NULL);
    p->data_b = 2 * GB;
    p->data_bw = GB;
    p = profile("m", "linear:1", 0, NULL);
    p->data_b = p->data_bw = GB;
    s.cfg.net.disk_bps = GB / 4;
    phase("m", .5, "early");
    job(0, 1000, 1000, 1, "m");
    s.group[0][0].shape.mem_b = GB;
    run();
    ends(0, 1000 + 500);            /* half of 1 GB/s is missing, a quarter comes */
}

/* On 2 GPUs as many as it asked; on 4 of them 2 times as fast in the first half, and 1.25 times in the second. */
static bool scaled;
static void grow(struct stage *st, struct world *w)
{
    (void)st;
    struct world_place p[4] = { { 0 } };
    if (scaled) return;
    scaled = true;
    cr_assert_eq(world_scale_speed(w, 0, 0, 4, false), 2 * RATE_ONE);
    cr_assert_eq(world_start_gang(w, 0, p, 4), POL_OK);
}

static uint32_t add_scaling(const char *name, const char *curve)
{
    struct scaling_row row = { .gpu_type = NONE, .restart = 0 };
    row.name = intern_id(&s.profiles.scaling.names, name);
    cr_assert_null(curve_parse(&row.one, curve));
    cr_assert(scaling_add(&s.profiles.scaling, &row));
    return row.name;
}

/* An elastic job by the scaling of 2.5 on 4, whose first phase, this part of it, goes by another. */
static void elastic_job(const char *name, const char *curve, uint32_t part)
{
    (void)add_scaling("job's", "1:1;2:2;4:2.5");
    phases_add(&s.profiles.phases, (struct phase){ model("m"), model("m"), add_scaling(name, curve), part });
    struct job_spec *j = job(0, 1000, 100, 1, "m");
    j->gang = true;
    j->elastic = (struct elastic){ .min = 1, .max = 4, .scaling = 0 };
}

Test(phases, scaling)
{
    elastic_job("early", "1:1;2:2;4:4", PHASES_WHOLE / 2);
    stage_tasks(&s, 2);
    s.idle = true;
    s.meddle = grow;
    scaled = false;
    run();
    ends(0, 250 + 400);
}

/* A phase's scaling tells no speed of 3 and 4. */
Test(phases, a_scaling_that_lacks_sizes_of_a_job_is_an_error)
{
    elastic_job("few", "1:1;2:2", 1);
    stage_run(&s);
    cr_assert_eq(s.result, ST_EINPUT);
    cr_assert_not_null(strstr(s.diag.msg, "phase 1 of its model: scaling 'few' does not tell"), "%s", s.diag.msg);
}

/* Two cores of 4: half busy in the first half, all in the second. */
static int64_t seen[2];
static void look(struct stage *st, struct world *w)
{
    (void)st;
    if (world_now(w) == 0) (void)world_wake(w, 1);
    if (world_now(w) == 1) (void)world_wake(w, 1400);
    if (world_now(w) != 1 && world_now(w) != 1400) return;
    seen[world_now(w) == 1400] = world_read(w, world_job(w, 0)->first_task).util;
}

Test(phases, utilisation)
{
    profile("early", "linear:4", 0, NULL);
    profile("m", "linear:2", 0, NULL);
    phase("m", .5, "early");
    job(0, 1000, 2000, 1, "m");
    s.meddle = look;
    run();
    cr_assert_eq(seen[0], RATE_ONE / 2);
    cr_assert_eq(seen[1], RATE_ONE);
}

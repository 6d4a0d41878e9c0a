/* afs: shares worked out by hand, and by a second writing of the rule from its text, over random jobs. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "base/rng.h"
#include "ref/stage.h"

enum { JOBS = 6, GPUS = 12 };

static struct stage s;
static double curve[JOBS][GPUS + 1];    /* speed on so many GPUs */

static void setup(void) { stage_init(&s); s.policy = "afs"; }
static void teardown(void) { stage_fini(&s); }

TestSuite(afs, .init = setup, .fini = teardown);

static void add_scaling(uint32_t job, const char *one, sim_tick restart)
{
    char name[8];
    (void)snprintf(name, sizeof name, "r%u", job);
    struct scaling_row row = { .name = intern_id(&s.profiles.scaling.names, name), .gpu_type = NONE, .restart = restart };
    cr_assert_null(curve_parse(&row.one, one));
    cr_assert(scaling_add(&s.profiles.scaling, &row));
    s.cfg.profiles = &s.profiles;
}

static void add_job(sim_tick submit, sim_tick dur, uint32_t max, uint32_t scaling)
{
    struct job_spec *j = stage_job(&s, submit, dur, 100, 1);
    j->gang = true;
    j->elastic = (struct elastic){ .min = 1, .max = max, .scaling = scaling };
}

/* How many tasks of the job start at the instant. */
static uint32_t started(sim_tick at, uint32_t job)
{
    uint32_t n = 0;
    char alone[48], of_more[48];
    (void)snprintf(alone, sizeof alone, "%lld start %u ", (long long)at, job);
    (void)snprintf(of_more, sizeof of_more, "%lld start %u.", (long long)at, job);
    for (const char *line = s.log; *line != '\0'; line = strchr(line, '\n') + 1)
        n += strncmp(line, alone, strlen(alone)) == 0 || strncmp(line, of_more, strlen(of_more)) == 0;
    return n;
}

/*
 * Two jobs of speeds 1, 1.8, 2.4, 2.8 on 4 GPUs, 100 and 1000 us left.  The short one has the first, as both have none;
 * then 0.8 / 1 of it is less than 1 / 1 of the other, which has none; then both have one: 0.8 / 1 of the short against
 * 0.8 / 1.8 of the long; then 0.6 / 1.8 against 0.8 / 1.8 for the last.  Two each; at 56 the short one ends,
 * and the long one goes to 4, 900 us of work before it and a restart of 5.
 */
Test(afs, two_jobs_by_hand)
{
    stage_node(&s, 8000, 4, "V100", 1);
    add_scaling(0, "1:1;2:1.8;3:2.4;4:2.8", 5);
    add_job(0, 100, 4, 0);
    add_job(0, 1000, 4, 0);
    s.cfg.checkpoint_interval = 0;
    stage_run(&s);
    cr_assert_eq(s.result, ST_END, "%s", s.diag.msg);
    cr_assert_eq(started(0, 0), 2, "%s", s.log);
    cr_assert_eq(started(0, 1), 2, "%s", s.log);
    cr_assert_eq(started(56, 1), 4, "%s", s.log);
    cr_assert_not_null(strstr(s.log, "383 end 1 done"), "%s", s.log);   /* 56 + 5 + (1000 - 56 x 1.8) / 2.8 */
    cr_assert_eq(s.count.scalings, 1);
    cr_assert_eq(s.count.preemptions, 0);
}

/* A rigid gang of 3 comes: it starts at once, and the elastic job keeps one GPU of four. */
Test(afs, rigid_jobs_go_first)
{
    stage_node(&s, 8000, 4, "V100", 1);
    add_scaling(0, "1:1;2:1.8;3:2.4;4:2.8", 5);
    add_job(0, 1000, 4, 0);
    struct job_spec *j = stage_job(&s, 100, 50, 100, 1);
    stage_tasks(&s, 3);
    j->gang = true;
    s.cfg.checkpoint_interval = 0;
    stage_run(&s);
    cr_assert_eq(s.result, ST_END, "%s", s.diag.msg);
    cr_assert_eq(started(0, 0), 4, "%s", s.log);
    cr_assert_eq(started(100, 0), 1, "%s", s.log);
    cr_assert_eq(started(100, 1), 3, "%s", s.log);
    cr_assert_eq(started(150, 0), 4, "%s", s.log);
}

/*
 * Two jobs fill the cards of a node each.  A rigid job without GPUs needs the CPU that the first one holds: the latest
 * makes way first, but nothing comes to stand in its place, so the first one alone is stopped.
 */
Test(afs, who_is_not_in_the_way_runs_on)
{
    stage_node(&s, 8000, 2, "V100", 1);
    stage_node(&s, 4000, 2, "V100", 1);
    add_scaling(0, "1:1;2:2", 0);
    add_job(0, 1000, 2, 0);
    s.group[0][0].shape.cpu_milli = 4000;
    add_job(0, 1000, 2, 0);
    (void)stage_job(&s, 100, 50, 6000, 0);
    s.cfg.checkpoint_interval = 0;
    stage_run(&s);
    cr_assert_eq(s.result, ST_END, "%s", s.diag.msg);
    cr_assert_eq(s.count.preemptions, 1, "%s", s.log);
    cr_assert_not_null(strstr(s.log, "500 end 1 done"), "%s", s.log);
    cr_assert_not_null(strstr(s.log, "550 end 0 done"), "%s", s.log);
}

/* The model does not run on the type of the largest node. */
Test(afs, a_job_of_another_type_than_the_largest_nodes_runs)
{
    stage_node(&s, 8000, 4, "V100", 1);
    stage_node(&s, 8000, 2, "T4", 1);
    add_scaling(0, "1:1;2:2;4:4", 0);
    add_job(0, 1000, 4, 0);
    throughput_set(&s.perf, throughput_model(&s.perf, "m"), 0, 0);
    s.job[0].model = "m";
    s.cfg.checkpoint_interval = 0;
    stage_run(&s);
    cr_assert_eq(s.result, ST_END, "%s", s.diag.msg);
    cr_assert_eq(started(0, 0), 2, "%s", s.log);
}

/* The rule once more, from policies/README.md: a GPU at a time, to the winner of one sweep. */
static void shares(const double *left, const uint32_t *max, uint32_t n, uint32_t *share)
{
    memset(share, 0, n * sizeof *share);
    for (uint32_t gpu = 0; gpu < GPUS; gpu++) {
        int best = -1;
        for (uint32_t j = 0; j < n; j++) {
            if (share[j] == max[j]) continue;
            if (best < 0) { best = (int)j; continue; }
            uint32_t b = (uint32_t)best;
            double pb = curve[b][share[b]], pj = curve[j][share[j]], qb = curve[b][share[b] + 1], qj = curve[j][share[j] + 1];
            bool j_wins;
            if (share[b] == 0 && share[j] == 0) j_wins = left[j] / qj < left[b] / qb;
            else if (share[j] == 0) j_wins = !((qb - pb) / pb > 1);
            else if (share[b] == 0) j_wins = (qj - pj) / pj > 1;
            else if (left[j] / pj < left[b] / pb) j_wins = (qj - pj) / pj > (qb - pb) / qb;
            else j_wins = !((qb - pb) / pb > (qj - pj) / qj);
            if (j_wins) best = (int)j;
        }
        if (best < 0) return;
        share[best]++;
    }
}

Test(afs, random_jobs_get_the_shares_of_the_rule)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct rng g;
        double left[JOBS];
        uint32_t max[JOBS], share[JOBS], given = 0;
        stage_fini(&s);
        setup();
        rng_init(&g, seed, "afs", 0);
        stage_node(&s, 8000, GPUS, "V100", 1);
        uint32_t n = 2 + (uint32_t)rng_below(&g, JOBS - 1);
        for (uint32_t j = 0; j < n; j++) {
            char text[400];
            size_t at = 0;
            max[j] = 1 + (uint32_t)rng_below(&g, GPUS);
            left[j] = (double)(1000 + rng_below(&g, 100000));
            double gain = 1;
            for (uint32_t k = 1; k <= GPUS; k++) {
                curve[j][k] = k == 1 ? 1 : curve[j][k - 1] + gain;
                gain *= 0.5 + 0.0005 * (double)rng_below(&g, 1000);
                at += (size_t)snprintf(text + at, sizeof text - at, "%s%u:%.6f", k > 1 ? ";" : "", k, curve[j][k]);
            }
            add_scaling(j, text, 0);
            add_job(0, (sim_tick)left[j], max[j], j);
        }
        s.cfg.horizon = 10;
        stage_run(&s);
        cr_assert_eq(s.result, ST_END, "%s", s.diag.msg);
        shares(left, max, n, share);
        for (uint32_t j = 0; j < n; j++) {
            cr_assert_eq(started(0, j), share[j], "seed %d, job %u: %u and not %u", (int)seed, j, started(0, j), share[j]);
            given += share[j];
        }
        cr_assert(given > 0);
    }
}

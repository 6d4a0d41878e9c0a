/*
 * How fast data come to jobs: with the memory they hold, and from the node's disk.  Lives worked out by hand;
 * times are microseconds.
 */
#include <criterion/criterion.h>
#include <string.h>
#include "base/mem.h"
#include "ref/stage.h"

#define GB INT64_C(1000000000)
#define MB INT64_C(1000000)

static struct stage s;
static void setup(void)
{
    stage_init(&s);
    s.cfg.profiles = &s.profiles;
}

static void teardown(void) { stage_fini(&s); }

TestSuite(feed, .init = setup, .fini = teardown);

/* Within a ten-thousandth of `us`: a rate is a multiple of 1/65536. */
static void ends(uint64_t job, double us)
{
    cr_assert_float_eq((double)stage_end_of(&s, job), us, us * 1e-4, "job %llu, expected at %g:\n%s",
                       (unsigned long long)job, us, s.log);
}

/* Of one card on one node. */
static void profile(const char *model, const char *util, int64_t data, int64_t data_bw, const char *memory)
{
    struct profile row = { .model = throughput_model(&s.perf, model),
                           .category = intern_id(&s.profiles.categories, "image"),
                           .n_nodes = 1, .n_gpus = 1, .gpu_type = NONE, .data_b = data, .data_bw = data_bw };
    cr_assert_null(curve_parse(&row.util, util));
    if (memory != NULL) cr_assert_null(curve_parse(&row.memory, memory));
    cr_assert(profiles_add(&s.profiles, &row));
}

static void job(const char *model, sim_tick dur, int64_t cpu_milli, int64_t mem)
{
    stage_job(&s, 0, dur, cpu_milli, 1)->model = model;
    s.group[s.n_jobs - 1][0].shape.mem_b = mem;
}

Test(feed, what_memory_does_not_keep_comes_from_disk)
{
    s.cfg.net.disk_bps = 200 * MB;
    profile("m", "linear:1", 100 * GB, GB, NULL);
    stage_node(&s, 64000, 1, "v", 1);
    job("m", 1000000, 1000, 60 * GB);           /* .4 of 1 GB/s, of which it gets half */
    stage_run(&s);
    ends(0, 2000000);
}

Test(feed, a_set_that_memory_keeps_waits_for_no_disk)
{
    s.cfg.net.disk_bps = MB;
    profile("m", "linear:1", 100 * GB, GB, NULL);
    stage_node(&s, 64000, 1, "v", 1);
    job("m", 1000000, 1000, 100 * GB);
    stage_run(&s);
    ends(0, 1000000);
}

Test(feed, disks_without_a_speed_limit_nobody)
{
    profile("m", "linear:1", 100 * GB, GB, NULL);
    stage_node(&s, 64000, 1, "v", 1);
    job("m", 1000000, 1000, 0);
    stage_run(&s);
    ends(0, 1000000);
}

/*
 * Half of 1 GB/s, and a tenth: of 300 MB/s the second gets all, the first 200 of 500.  The second ends after 1 s,
 * when .4 of the first is done; the rest at 300 of 500.
 */
Test(feed, jobs_of_a_node_share_its_disk)
{
    s.cfg.net.disk_bps = 300 * MB;
    profile("m", "linear:1", 100 * GB, GB, NULL);
    stage_node(&s, 64000, 4, "v", 1);
    job("m", 1000000, 1000, 50 * GB);
    job("m", 1000000, 1000, 90 * GB);
    stage_run(&s);
    ends(1, 1000000);
    ends(0, 1000000 + 1000000);
}

/* Data come while it computes: with half of its cores it needs half of its data, which the disk can give. */
Test(feed, the_lesser_of_cores_and_data_counts)
{
    s.cfg.net.disk_bps = 600 * MB;
    profile("m", "linear:2", 100 * GB, GB, NULL);
    stage_node(&s, 64000, 1, "v", 1);
    stage_node(&s, 64000, 1, "v", 1);
    job("m", 600000, 1000, 0);
    job("m", 600000, 2000, 0);
    stage_run(&s);
    ends(0, 1200000);
    ends(1, 1000000);
}

Test(feed, a_faster_gpu_needs_its_data_faster)
{
    s.cfg.net.disk_bps = GB;
    profile("m", "linear:1", 100 * GB, GB, NULL);
    stage_node(&s, 64000, 1, "v", 4);
    job("m", 1000000, 4000, 50 * GB);           /* 2 GB/s at 4 times nominal speed */
    stage_run(&s);
    ends(0, 500000);
}

/* The worse of two nodes: .5 of the set is in memory there, .9 here. */
Test(feed, a_gang_waits_for_its_worst_node)
{
    struct profile row = { .model = throughput_model(&s.perf, "m"),
                           .category = intern_id(&s.profiles.categories, "image"),
                           .n_nodes = 2, .n_gpus = 2, .gpu_type = NONE, .data_b = 100 * GB, .data_bw = GB };
    cr_assert_null(curve_parse(&row.util, "linear:1"));
    cr_assert(profiles_add(&s.profiles, &row));
    s.cfg.net.disk_bps = 250 * MB;
    stage_node(&s, 64000, 1, "v", 1);
    stage_node(&s, 64000, 1, "v", 1);
    job("m", 1000000, 1000, 90 * GB);
    s.job[0].gang = true;
    stage_group(&s, 1, 1000000, 1000, 1);
    s.group[0][1].shape.mem_b = 50 * GB;
    stage_run(&s);
    ends(0, 2000000);
}

/* ---- measured ---- */

Test(feed, a_measured_curve_is_met_and_the_lesser_of_cores_and_memory_counts)
{
    profile("m", "1:0.25;2:0.5;4:1", 0, 0, "20:0.1;60:0.5;100:1");
    for (int i = 0; i < 4; i++) stage_node(&s, 64000, 1, "v", 1);
    job("m", 100000, 4000, 20 * GB);
    job("m", 100000, 4000, 80 * GB);            /* .75, between two points */
    job("m", 100000, 1000, 80 * GB);            /* .25, by its cores */
    job("m", 100000, 2000, 10 * GB);            /* as with 20 */
    stage_run(&s);
    ends(0, 1000000);
    ends(1, 100000 / 0.75);
    ends(2, 400000);
    ends(3, 1000000);
}

/*
 * Synergy's M5 on one GPU: 1.5, 2.0 and 2.5 times its speed at 3 cores with 62.5, 125 and 187.5 GB.  A set of
 * 312.5 GB of which the disk gives 0.48 of what the best speed asks for makes it so: .48 / .8, .48 / .6, more than 1.
 */
Test(feed, a_cache_s_share_is_synergy_s_curve_of_m5)
{
    static const struct { int64_t mem; double speed; } at[] = { { 62500 * MB, 1.5 }, { 125000 * MB, 2.0 },
        { 187500 * MB, 2.5 } };
    s.cfg.net.disk_bps = 240 * MB;
    profile("m5", "1:0.12;2:0.264;3:0.4;4:0.48;5:0.56;6:1", 312500 * MB, 500 * MB, NULL);
    for (size_t i = 0; i < ARRAY_LEN(at); i++) {
        stage_node(&s, 24000, 1, "v", 1);
        job("m5", 1000000, 6000, at[i].mem);
    }
    stage_run(&s);
    for (size_t i = 0; i < ARRAY_LEN(at); i++) ends(i, 1000000 * 2.5 / at[i].speed);
}

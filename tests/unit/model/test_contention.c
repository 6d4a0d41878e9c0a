/*
 * What jobs on one node lose to each other: bandwidth that is divided, cores that a faster GPU
 * needs more of, cards that are shared.  Lives worked out by hand; times are microseconds.
 */
#include <criterion/criterion.h>
#include <string.h>
#include "base/mem.h"
#include "ref/stage.h"

#define GB INT64_C(1000000000)

static struct stage s;
static void setup(void)
{
    stage_init(&s);
    s.cfg.profiles = &s.profiles;
}

static void teardown(void) { stage_fini(&s); }

TestSuite(contention, .init = setup, .fini = teardown);

/* Within two ten-thousandths of `us`: a rate is a multiple of 1/65536. */
static void ends(uint64_t job, double us)
{
    cr_assert_float_eq((double)stage_end_of(&s, job), us, us * 2e-4, "job %llu, expected at %g:\n%s",
                       (unsigned long long)job, us, s.log);
}

/* A row of one card on one node: utilisation cores / knee. */
static void profile(const char *model, uint32_t gpu_type, const char *util, int64_t bw)
{
    struct profile row = { .model = throughput_model(&s.perf, model), .category = intern_id(&s.profiles.categories, "image"),
                           .n_nodes = 1, .n_gpus = 1, .gpu_type = gpu_type, .bw = bw };
    cr_assert_null(curve_parse(&row.util, util));
    cr_assert(profiles_add(&s.profiles, &row));
}

static void pair(const char *model, const char *beside, uint32_t gpu_type, double speed)
{
    struct measured_speed p = { .model = throughput_model(&s.perf, model), .gpu_type = gpu_type, .speed = speed };
    p.where = throughput_model(&s.perf, beside);
    cr_assert(measured_add(&s.profiles.sharing.pairs, p));
}

static void node(uint32_t gpus, const char *type, double speed)
{
    stage_node(&s, 64000, gpus, type, speed);
    s.cluster.own[s.cluster.n_nodes - 1].mem_bw = 100 * GB;
}

static void cpu_job(sim_tick dur, int64_t bw)
{
    stage_job(&s, 0, dur, 1000, 0);
    s.group[s.n_jobs - 1][0].mem_bw = bw;
}

/* A job on half a card. */
static void half(const char *model, sim_tick dur)
{
    stage_job(&s, 0, dur, 1000, 1)->model = model;
    s.group[s.n_jobs - 1][0].shape.gpu_milli = 500;
}

/* ---- bandwidth ---- */

Test(contention, four_times_90_of_100_take_three_and_six_tenths_as_long)
{
    node(0, NULL, 1);
    for (int i = 0; i < 4; i++) cpu_job(1000000, 90 * GB);
    stage_run(&s);
    for (uint64_t i = 0; i < 4; i++) ends(i, 3600000);
}

/*
 * 90, 30 and 10 of 100: 10 get all, as 100/3 is more; 30 as well, as 90/2 is; 60 are left of 90, 1.5 times as long.
 * When the two have ended at 1 s, the last third of the long one has the node to itself.
 */
Test(contention, max_min_gives_the_modest_all_they_ask)
{
    node(0, NULL, 1);
    cpu_job(1000000, 90 * GB);
    cpu_job(1000000, 30 * GB);
    cpu_job(1000000, 10 * GB);
    stage_run(&s);
    ends(1, 1000000);
    ends(2, 1000000);
    ends(0, 1000000 + 1000000 / 3);
}

/* The same in proportion: all get 100/130 until 1.3 s. */
Test(contention, in_proportion_all_lose_alike)
{
    s.profiles.division = PROFILE_PROPORTIONAL;
    node(0, NULL, 1);
    cpu_job(1000000, 90 * GB);
    cpu_job(1000000, 30 * GB);
    cpu_job(1000000, 10 * GB);
    stage_run(&s);
    for (uint64_t i = 0; i < 3; i++) ends(i, 1300000);
}

/* A profile says how its model does beside such traffic; here that nothing slows it, and it takes nothing from others. */
Test(contention, a_model_is_slowed_by_its_profile_alone)
{
    profile("m", NONE, "linear:1", 40 * GB);
    node(1, "v", 1);
    stage_job(&s, 0, 1000000, 1000, 1)->model = "m";
    cpu_job(1000000, 60 * GB);
    cpu_job(1000000, 60 * GB);
    stage_run(&s);
    ends(0, 1000000);
    ends(1, 1200000);
    ends(2, 1200000);
}

static int64_t seen;
static void look(struct stage *st, struct world *w)
{
    (void)st;
    if (world_now(w) < 500000) { (void)world_wake(w, 500000); return; }
    if (world_now(w) > 500000) return;
    for (uint32_t t = 0; t < world_n_task_slots(w); t++)
        if (world_task(w, t)->is_live) seen += world_read(w, t).bw;
}

Test(contention, a_monitor_sees_no_more_than_the_node_moves)
{
    node(0, NULL, 1);
    for (int i = 0; i < 3; i++) cpu_job(1000000, 90 * GB);
    s.meddle = look;
    seen = 0;
    stage_run(&s);
    cr_assert_float_eq((double)seen, 100e9, 3);
}

/* ---- cores ---- */

/* Knee 4 at nominal speed.  Two cores: of the 16 that a GPU of speed 4 eats, an eighth, so 4 / 8 of nominal;
 * all that one of a quarter's speed needs.  As measured both have half of what they need. */
Test(contention, a_faster_gpu_needs_more_cores)
{
    profile("m", NONE, "linear:4", 0);
    node(1, "fast", 4);
    node(1, "slow", 0.25);
    stage_job(&s, 0, 1000000, 2000, 1)->model = "m";
    stage_job(&s, 0, 1000000, 2000, 1)->model = "m";
    stage_run(&s);
    ends(0, 2000000);
    ends(1, 4000000);
}

Test(contention, cores_as_measured_do_not_know_the_gpu)
{
    s.profiles.cores = PROFILE_CORES_AS_MEASURED;
    profile("m", NONE, "linear:4", 0);
    node(1, "fast", 4);
    node(1, "slow", 0.25);
    stage_job(&s, 0, 1000000, 2000, 1)->model = "m";
    stage_job(&s, 0, 1000000, 2000, 1)->model = "m";
    stage_run(&s);
    ends(0, 500000);
    ends(1, 8000000);
}

/* Measured on the fast one: it needs 8 there.  On the other, as ever, in proportion. */
Test(contention, a_row_of_the_type_says_what_it_needs)
{
    node(1, "fast", 4);
    node(1, "slow", 0.25);
    profile("m", NONE, "linear:4", 0);
    profile("m", intern_find(&s.cluster.gpu_types, "fast"), "linear:8", 0);
    stage_job(&s, 0, 1000000, 2000, 1)->model = "m";
    stage_job(&s, 0, 1000000, 2000, 1)->model = "m";
    stage_run(&s);
    ends(0, 1000000);
    ends(1, 4000000);
}

/* ---- distance ---- */

/* A gang of two tasks on nodes of these racks; each sends 1 GB/s at nominal speed. */
static void spread(const char *type0, double speed0, const char *type1, double speed1, const char *rack1)
{
    s.profiles.net_bw = GB;
    node(1, type0, speed0);
    node(1, type1, speed1);
    stage_rack(&s, 0, "r0");
    stage_rack(&s, 1, rack1);
    stage_job(&s, 0, 1000000, 1000, 1)->gang = true;
    stage_tasks(&s, 2);
    stage_run(&s);
}

/* 1 of 4 GB/s. */
Test(contention, nodes_of_a_rack_exchange_over_their_cards)
{
    s.cfg.net = (struct net_spec){ .card_bps = 4 * GB, .rack_bps = 5 * GB, .aggregation_bps = GB };
    spread("v", 1, "v", 1, "r0");
    ends(0, 1250000);
}

Test(contention, nodes_of_two_racks_over_the_aggregation)
{
    s.cfg.net = (struct net_spec){ .card_bps = 4 * GB, .rack_bps = 5 * GB, .aggregation_bps = GB };
    spread("v", 1, "v", 1, "r1");
    ends(0, 2000000);
}

/* Half as fast: .5 of 1 GB/s, at half the speed. */
Test(contention, a_slow_gpu_exchanges_less)
{
    s.cfg.net = (struct net_spec){ .card_bps = GB };
    spread("v", 0.5, "v", 0.5, "r0");
    ends(0, 3000000);
}

Test(contention, a_gang_on_one_node_exchanges_nothing)
{
    s.cfg.net = (struct net_spec){ .card_bps = GB };
    s.profiles.net_bw = GB;
    node(2, "v", 1);
    stage_job(&s, 0, 1000000, 1000, 1)->gang = true;
    stage_tasks(&s, 2);
    stage_run(&s);
    ends(0, 1000000);
}

Test(contention, without_links_nothing_is_slowed)
{
    spread("v", 1, "v", 1, "r1");
    ends(0, 1000000);
}

/* A row of the profile says what its model exchanges. */
Test(contention, a_profile_s_exchange_comes_first)
{
    struct profile row = { .model = throughput_model(&s.perf, "m"), .category = intern_id(&s.profiles.categories, "image"),
                           .n_nodes = 2, .n_gpus = 2, .gpu_type = NONE, .net_bw = 3 * GB };
    cr_assert_null(curve_parse(&row.util, "linear:1"));
    cr_assert(profiles_add(&s.profiles, &row));
    s.cfg.net = (struct net_spec){ .card_bps = 4 * GB };
    s.profiles.net_bw = GB;
    node(1, "v", 1);
    node(1, "v", 1);
    struct job_spec *j = stage_job(&s, 0, 1000000, 1000, 1);
    j->gang = true;
    j->model = "m";
    stage_tasks(&s, 2);
    stage_run(&s);
    ends(0, 1750000);
}

/* ---- cards ---- */

Test(contention, sharing_a_card_is_free_unless_it_is_said)
{
    node(1, "v", 1);
    half(NULL, 1000000);
    half(NULL, 1000000);
    stage_run(&s);
    ends(0, 1000000);
    ends(1, 1000000);
}

/* .8 of a card each: 1.6 of one.  The second lasts twice as long: 1.6 s together, the rest alone. */
Test(contention, utilisations_above_one_slow_in_proportion)
{
    s.profiles.sharing.is_on = true;
    s.profiles.sharing.utilisation = 0.8;
    node(1, "v", 1);
    half(NULL, 1000000);
    half(NULL, 2000000);
    stage_run(&s);
    ends(0, 1600000);
    ends(1, 2600000);
}

/* Half the cores that it needs: it uses half of the card, so two fit, at their own half speed. */
Test(contention, who_starves_for_cores_leaves_its_neighbour_alone)
{
    s.profiles.sharing.is_on = true;
    profile("m", NONE, "linear:2", 0);
    node(1, "v", 1);
    half("m", 1000000);
    half("m", 1000000);
    stage_run(&s);
    ends(0, 2000000);
    ends(1, 2000000);
}

/* a beside b at .9, b beside a at .6; a row of the type before one of any. */
Test(contention, measured_pairs_are_used_as_they_are)
{
    s.profiles.sharing.is_on = true;
    s.profiles.sharing.utilisation = 1;
    node(1, "v", 1);
    pair("a", "b", NONE, 0.5);
    pair("a", "b", intern_find(&s.cluster.gpu_types, "v"), 0.9);
    pair("b", "a", NONE, 0.6);
    half("a", 900000);
    half("b", 600000);
    stage_run(&s);
    ends(0, 1000000);
    ends(1, 1000000);
}

/* Of a's rows those of the type, of any type where there are none of it, and 0 where there are none at all. */
Test(contention, the_mean_of_measured_pairs)
{
    node(1, "v", 1);
    node(1, "w", 1);
    node(1, "x", 1);
    const uint32_t v = intern_find(&s.cluster.gpu_types, "v"), w = intern_find(&s.cluster.gpu_types, "w");
    pair("a", "b", v, 0.5);
    pair("a", "c", v, 0.9);
    pair("a", "b", NONE, 0.3);
    pair("b", "a", w, 0.6);
    const struct measured *m = &s.profiles.sharing.pairs;
    const uint32_t a = throughput_model(&s.perf, "a"), b = throughput_model(&s.perf, "b");
    cr_assert_float_eq(measured_mean(m, a, v), 0.7, 1e-12);
    cr_assert_float_eq(measured_mean(m, a, w), 0.3, 1e-12);
    cr_assert_float_eq(measured_mean(m, b, w), 0.6, 1e-12);
    cr_assert_eq(measured_mean(m, b, v), 0);
}

/* Factors of measured neighbours multiply; with one that was not measured the card is asked for twice. */
Test(contention, several_neighbours)
{
    s.profiles.sharing.is_on = true;
    s.profiles.sharing.utilisation = 1;
    node(1, "v", 1);
    pair("a", "b", NONE, 0.8);
    for (int i = 0; i < 4; i++) {
        stage_job(&s, 0, 160000, 1000, 1)->model = (const char *[]){ "a", "b", "b", "c" }[i];
        s.group[i][0].shape.gpu_milli = 250;
    }
    stage_run(&s);
    /* a: .8 x .8 / (1 + 1); the others meet nobody that was measured: 1/4 each.  From .5 s on all have ended. */
    ends(0, 500000);
}

/*
 * What a unit pays for distance: between cards of a node, between nodes, alone on its links or beside
 * others.  Lives worked out by hand; times are microseconds.
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

TestSuite(distance, .init = setup, .fini = teardown);

/* Within a ten-thousandth of `us`: a rate is a multiple of 1/65536. */
static void ends(uint64_t job, double us)
{
    cr_assert_float_eq((double)stage_end_of(&s, job), us, us * 1e-4, "job %llu, expected at %g:\n%s",
                       (unsigned long long)job, us, s.log);
}

static void nodes(const uint32_t *gpus, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) stage_node(&s, 64000, gpus[i], "v", 1);
}

static struct job_spec *gang(uint32_t tasks, int32_t gpus, sim_tick dur)
{
    struct job_spec *j = stage_job(&s, 0, dur, 1000, gpus);
    j->gang = tasks > 1;
    stage_tasks(&s, tasks);
    return j;
}

/* ---- within a node ---- */

/* Four cards, linked by NVLink in groups of `size`. */
static void wired(uint8_t size, int64_t nvlink, int64_t pcie)
{
    struct card_links l = { .nvlink_bps = nvlink, .pcie_bps = pcie };
    for (uint8_t k = 0; k < 4; k++) l.group[k] = k / size;
    s.profiles.gpu_bw = GB;
    nodes((uint32_t[]){ 4 }, 1);
    s.cluster.own[0].links = cluster_links(&s.cluster, &l);
}

Test(distance, cards_of_a_group_exchange_over_nvlink)
{
    wired(2, 10 * GB, 2 * GB);
    gang(1, 2, 1000000);
    stage_run(&s);
    ends(0, 1100000);
}

Test(distance, cards_of_two_groups_exchange_over_pcie)
{
    wired(2, 10 * GB, 2 * GB);
    gang(1, 3, 1000000);
    stage_run(&s);
    ends(0, 1500000);
}

Test(distance, without_nvlink_all_cards_exchange_over_pcie)
{
    wired(4, 0, 2 * GB);
    gang(2, 1, 1000000);
    stage_run(&s);
    ends(0, 1500000);
}

Test(distance, one_card_exchanges_nothing)
{
    wired(1, 10 * GB, 2 * GB);
    gang(1, 1, 1000000);
    stage_run(&s);
    ends(0, 1000000);
}

Test(distance, between_cards_and_between_nodes_add_up)
{
    struct card_links l = { .pcie_bps = 2 * GB };
    s.profiles.gpu_bw = s.profiles.net_bw = GB;
    s.cfg.net = (struct net_spec){ .card_bps = 4 * GB };
    nodes((uint32_t[]){ 2, 2 }, 2);
    for (int i = 0; i < 2; i++) s.cluster.own[i].links = cluster_links(&s.cluster, &l);
    gang(2, 2, 1000000);
    stage_run(&s);
    ends(0, 1750000);
}

/* ---- published ---- */

/* CODA: on two nodes at 10 Gb/s image models lose 25 to 30 %.  At 475 MB/s: 1 - 1 / (1 + .475 / 1.25) = 27.5 %. */
Test(distance, two_nodes_at_10_gbs_lose_25_to_30_percent)
{
    s.profiles.net_bw = 475 * GB / 1000;
    s.cfg.net = (struct net_spec){ .card_bps = 10 * GB / 8 };
    nodes((uint32_t[]){ 1, 1 }, 2);
    gang(2, 1, 1000000);
    stage_run(&s);
    ends(0, 1000000 / (1 - 0.27536));
}

/* ---- contended ---- */

/* Two gangs, of nodes 0 and 1 and of 1 and 2: they share the card of node 1, 2 of 4 GB/s each. */
static void chain(enum net_mode mode)
{
    s.profiles.net_bw = GB;
    s.cfg.net = (struct net_spec){ .mode = mode, .card_bps = 4 * GB };
    nodes((uint32_t[]){ 1, 2, 1 }, 3);
    gang(2, 1, 1000000);
    gang(2, 1, 2000000);
    stage_run(&s);
}

/* At 1 / 1.5 of nominal until the first ends at 1.5 s; the other then has 1 s left, at 1 / 1.25. */
Test(distance, two_gangs_over_one_link_get_half_each)
{
    chain(NET_SHARED);
    ends(0, 1500000);
    ends(1, 1500000 + 1250000);
}

Test(distance, in_nominal_mode_each_has_the_link_to_itself)
{
    chain(NET_NOMINAL);
    ends(0, 1250000);
    ends(1, 2500000);
}

/* Three nodes in a ring: three flows share the rack's switch of 6 GB/s, of which a card alone would let 4 through. */
Test(distance, a_ring_of_nodes_shares_the_switch)
{
    s.profiles.net_bw = GB;
    s.cfg.net = (struct net_spec){ .mode = NET_SHARED, .card_bps = 4 * GB, .rack_bps = 6 * GB };
    nodes((uint32_t[]){ 1, 1, 1 }, 3);
    gang(3, 1, 1000000);
    stage_run(&s);
    ends(0, 1500000);
}

/* One gang is preempted at .6 s, when .4 of both is done, and begins anew at 10 s: both have their links alone then. */
Test(distance, who_stops_gives_its_links_back)
{
    s.profiles.net_bw = GB;
    s.cfg.net = (struct net_spec){ .mode = NET_SHARED, .card_bps = 4 * GB };
    nodes((uint32_t[]){ 1, 2, 1 }, 3);
    gang(2, 1, 1000000);
    gang(2, 1, 1000000);
    stage_cue(&s, 600000, 10000000, 0);
    stage_run(&s);
    ends(1, 600000 + 600000 * 1.25);
    ends(0, 10000000 + 1250000);
}

Test(distance, whom_nothing_limits_loses_nothing)
{
    s.profiles.net_bw = GB;
    s.cfg.net = (struct net_spec){ .mode = NET_SHARED, .disk_bps = GB };
    nodes((uint32_t[]){ 1, 1 }, 2);
    gang(2, 1, 1000000);
    stage_run(&s);
    ends(0, 1000000);
}

/* ---- measured ---- */

static void apart(const char *model, enum data_level how, const char *type, double speed)
{
    struct measured_speed row = { .model = throughput_model(&s.perf, model), .where = how, .gpu_type = NONE,
        .speed = speed };
    if (type != NULL) row.gpu_type = intern_find(&s.cluster.gpu_types, type);
    cr_assert(measured_add(&s.profiles.apart, row));
}

/* Three gangs of two nodes: of one rack, of two, and of two by a model without a row of that. */
static void measured(enum net_mode mode)
{
    s.profiles.net_bw = GB;
    s.cfg.net = (struct net_spec){ .mode = mode, .card_bps = GB };
    nodes((uint32_t[]){ 1, 1, 1, 1, 1, 1 }, 6);
    for (uint32_t i = 0; i < 6; i++) stage_rack(&s, i, i < 3 ? "r0" : "r1");
    stage_rack(&s, 5, "r2");
    apart("m", LEVEL_RACK, NULL, 0.8);
    apart("m", LEVEL_CROSS, NULL, 0.1);
    apart("m", LEVEL_CROSS, "v", 0.5);
    apart("n", LEVEL_RACK, NULL, 0.4);
    gang(2, 1, 1000000)->model = "m";
    gang(2, 1, 1000000)->model = "m";
    gang(2, 1, 1000000)->model = "n";
    stage_run(&s);
    ends(0, 1250000);
    ends(1, 2000000);
    ends(2, 2500000);
}

Test(distance, a_measured_speed_takes_the_place_of_links) { measured(NET_NOMINAL); }
Test(distance, and_contends_with_nobody) { measured(NET_SHARED); }

/* On one node nothing was measured, and a model without a row pays for its links. */
Test(distance, what_was_not_measured_goes_by_links)
{
    s.profiles.net_bw = GB;
    s.cfg.net = (struct net_spec){ .card_bps = GB };
    nodes((uint32_t[]){ 2, 1, 1 }, 3);
    apart("m", LEVEL_RACK, NULL, 0.8);
    gang(2, 1, 1000000)->model = "m";
    gang(2, 1, 1000000)->model = "other";
    stage_run(&s);
    ends(0, 1000000);
    ends(1, 2000000);
}

/* Measured speeds: moving averages worked by hand, and what the network's transfers leave in them. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "base/rng.h"
#include "model/data/net.h"

#define MB INT64_C(1000000)

Test(estimate, the_speed_is_bytes_over_time_of_the_last_transfers)
{
    struct estimate e;
    memset(&e, 0xff, sizeof e);
    estimate_init(&e, 3);
    cr_assert_eq(estimate_us(&e, LEVEL_CROSS, 7), -1, "nothing is measured yet");
    estimate_add(&e, LEVEL_CROSS, 100 * MB, 1 * TICK_SEC);      /* 100 MB in 1 s */
    cr_assert_eq(estimate_us(&e, LEVEL_CROSS, 100 * MB), 1 * TICK_SEC);
    estimate_add(&e, LEVEL_CROSS, 100 * MB, 4 * TICK_SEC);      /* 200 MB in 5 s: 40 MB/s, not the mean of 100 and 25 */
    cr_assert_eq(estimate_us(&e, LEVEL_CROSS, 100 * MB), 2500000);
    estimate_add(&e, LEVEL_CROSS, 300 * MB, 5 * TICK_SEC);      /* 500 MB in 10 s */
    cr_assert_eq(estimate_us(&e, LEVEL_CROSS, 100 * MB), 2 * TICK_SEC);
    estimate_add(&e, LEVEL_CROSS, 200 * MB, 1 * TICK_SEC);      /* the first is forgotten: 600 MB in 10 s */
    cr_assert_eq(estimate_us(&e, LEVEL_CROSS, 100 * MB), 1666666, "rounded down");
    estimate_add(&e, LEVEL_CROSS, 100 * MB, 24 * TICK_SEC);     /* and the second: 600 MB in 30 s */
    cr_assert_eq(estimate_us(&e, LEVEL_CROSS, 100 * MB), 5 * TICK_SEC);
    cr_assert_eq(e.version, 5);
    estimate_fini(&e);
}

Test(estimate, levels_are_measured_each_for_itself)
{
    struct estimate e;
    estimate_init(&e, 1);
    for (int l = 0; l < LEVELS; l++) estimate_add(&e, (enum data_level)l, 1000 * (l + 1), 1000);
    for (int l = 0; l < LEVELS; l++) cr_assert_eq(estimate_us(&e, (enum data_level)l, 6000), 6000 / (l + 1));
    cr_assert_eq(e.version, LEVELS);
    estimate_add(&e, LEVEL_RACK, 2000, 1000);
    cr_assert_eq(e.version, LEVELS, "the same again changes nothing");
    estimate_fini(&e);
}

Test(estimate, the_widest_window_of_the_longest_transfers_does_not_overflow)
{
    struct estimate e;
    estimate_init(&e, ESTIMATE_WINDOW_MAX);
    for (int i = 0; i < 2 * ESTIMATE_WINDOW_MAX; i++) estimate_add(&e, LEVEL_LOCAL, NET_SIZE_MAX, INT64_MAX);
    cr_assert_eq(estimate_us(&e, LEVEL_LOCAL, NET_SIZE_MAX), INT64_MAX / ESTIMATE_WINDOW_MAX);
    estimate_fini(&e);
}

/* Any window is what the last samples sum up to. */
Test(estimate, any_window_is_the_sum_of_its_last_transfers)
{
    enum { N = 300 };
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct estimate e;
        struct rng g;
        int64_t bytes[N], us[N];
        rng_init(&g, seed, "test estimate", 0);
        uint32_t window = 1 + (uint32_t)rng_below(&g, 40);
        estimate_init(&e, window);
        for (uint32_t i = 0; i < N; i++) {
            bytes[i] = 1 + (int64_t)rng_below(&g, UINT64_C(1) << rng_below(&g, 40));
            us[i] = 1 + (int64_t)rng_below(&g, UINT64_C(1) << rng_below(&g, 40));
            estimate_add(&e, LEVEL_RACK, bytes[i], us[i]);
            int64_t b = 0, t = 0;
            for (uint32_t k = i + 1 < window ? 0 : i + 1 - window; k <= i; k++) b += bytes[k], t += us[k];
            cr_assert_eq(estimate_us(&e, LEVEL_RACK, 12345678), mul_div(12345678, t, b), "seed %llu", (unsigned long long)seed);
        }
        estimate_fini(&e);
    }
}

/* ---- what the network measures ---- */

static uint32_t slot_of(uint32_t flow) { return flow; }

/* Nodes 0 and 1 in one rack, 2 and 3 in another; disks of 640 MB/s, 320 MB/s between racks. */
static struct net *open_net(struct cluster *c, struct evq *q, struct estimate_spec estimate)
{
    static const char *const rack[] = { "a", "a", "b", "b" };
    struct diag d = { 0 };
    for (int i = 0; i < 4; i++) {
        char name[4];
        (void)snprintf(name, sizeof name, "n%d", i);
        cr_assert_eq(cluster_add(c, &(struct node_spec){ .name = name, .rack = rack[i], .cpu_milli = 1000 }, &d), ST_OK);
    }
    cluster_seal(c);
    return net_create(&(struct net_spec){ .mode = NET_SHARED, .disk_bps = 640 * MB, .aggregation_bps = 320 * MB, .estimate = estimate }, c, q, slot_of);
}

static void close_net(struct net *n, struct cluster *c, struct evq *q)
{
    net_destroy(n);
    evq_fini(q);
    cluster_fini(c);
}

Test(estimate, what_is_told_is_the_stated_speed_unless_something_was_measured)
{
    struct cluster c = { 0 };
    struct evq q = { 0 };
    struct net *n = open_net(&c, &q, (struct estimate_spec){ .window = 4, .start_bps = { [LEVEL_RACK] = 160 * MB } });
    cr_assert_eq(net_measured(n), 0);
    cr_assert_eq(net_measured_us(n, LEVEL_LOCAL, 640 * MB), TICK_SEC);
    cr_assert_eq(net_measured_us(n, LEVEL_RACK, 640 * MB), 4 * TICK_SEC, "where it starts");
    cr_assert_eq(net_measured_us(n, LEVEL_CROSS, 640 * MB), 2 * TICK_SEC);
    /* Two across share the aggregation, 160 MB/s each: 640 MB in 4 s.  A third is cut short 2 s after it began. */
    uint32_t x = net_start(n, 0, 2, 640 * MB, 1, 0), y = net_start(n, 1, 3, 640 * MB, 2, 0);
    net_settle(n, 0);
    net_stop(n, x, 4 * TICK_SEC);
    net_stop(n, y, 4 * TICK_SEC);
    net_settle(n, 4 * TICK_SEC);
    cr_assert_eq(net_measured_us(n, LEVEL_CROSS, 640 * MB), 4 * TICK_SEC);
    cr_assert_eq(net_measured(n), 2);
    uint32_t z = net_start(n, 0, 2, 6400 * MB, 3, 4 * TICK_SEC);
    net_settle(n, 4 * TICK_SEC);
    net_stop(n, z, 6 * TICK_SEC);           /* 640 MB in 2 s */
    net_settle(n, 6 * TICK_SEC);
    cr_assert_eq(net_measured_us(n, LEVEL_CROSS, 640 * MB), 10 * TICK_SEC / 3);
    /* In the rack and from the own disk, both from node 0's: 320 MB/s each. */
    x = net_start(n, 0, 1, 320 * MB, 4, 6 * TICK_SEC);
    y = net_start(n, 0, 0, 320 * MB, 5, 6 * TICK_SEC);
    net_settle(n, 6 * TICK_SEC);
    net_stop(n, x, 7 * TICK_SEC);
    net_stop(n, y, 7 * TICK_SEC);
    cr_assert_eq(net_measured_us(n, LEVEL_RACK, 640 * MB), 2 * TICK_SEC);
    cr_assert_eq(net_measured_us(n, LEVEL_LOCAL, 640 * MB), 2 * TICK_SEC);
    net_settle(n, 7 * TICK_SEC);
    close_net(n, &c, &q);
}

/* Nothing to move, or nothing moved yet, says nothing of a speed; and without a window nothing is measured. */
Test(estimate, what_moved_nothing_is_not_measured)
{
    for (uint32_t window = 0; window <= 4; window += 4) {
        struct cluster c = { 0 };
        struct evq q = { 0 };
        struct net *n = open_net(&c, &q, (struct estimate_spec){ .window = window });
        uint32_t none = net_start(n, 0, 2, 0, 1, 0), at_once = net_start(n, 0, 2, 640 * MB, 2, 0);
        net_settle(n, 0);
        net_stop(n, at_once, 0);
        net_stop(n, none, 5);
        net_settle(n, 5);
        cr_assert_eq(net_measured(n), 0);
        uint32_t whole = net_start(n, 0, 2, 640 * MB, 3, 5);
        net_settle(n, 5);
        net_stop(n, whole, 5 + 2 * TICK_SEC);
        net_settle(n, 5 + 2 * TICK_SEC);
        cr_assert_eq(net_measured(n), window > 0);
        close_net(n, &c, &q);
    }
}

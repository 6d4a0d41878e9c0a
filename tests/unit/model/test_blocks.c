/* Blocks: where the rules put replicas, how far they are, and what moving them costs. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "model/data/net.h"

/* n_nodes nodes, node i in rack i % n_racks. */
static void build(struct cluster *c, uint32_t n_nodes, uint32_t n_racks)
{
    struct diag d = { 0 };
    memset(c, 0, sizeof *c);
    for (uint32_t i = 0; i < n_nodes; i++) {
        char name[16], rack[16];
        (void)snprintf(name, sizeof name, "n%u", i);
        (void)snprintf(rack, sizeof rack, "r%u", i % n_racks);
        cr_assert_eq(cluster_add(c, &(struct node_spec){ .name = name, .rack = rack, .cpu_milli = 1000 }, &d), ST_OK);
    }
    cluster_seal(c);
}

static void add(struct data *d, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "b%u", d->names.n);
        cr_assert_eq(data_add(d, name, 1000), d->names.n - 1);
    }
}

static const uint32_t *of(const struct data *d, uint32_t block) { return d->replica + d->block[block].first; }

static bool same(const struct data *a, const struct data *b, uint32_t block)
{
    return a->block[block].n == b->block[block].n && memcmp(of(a, block), of(b, block), a->block[block].n * sizeof(uint32_t)) == 0;
}

static void expect_distinct(const struct data *d, uint32_t block, uint32_t n, const struct cluster *c)
{
    cr_assert_eq(d->block[block].n, n);
    for (uint32_t i = 0; i < n; i++) {
        cr_assert_lt(of(d, block)[i], c->n_nodes);
        if (i > 0) cr_assert_lt(of(d, block)[i - 1], of(d, block)[i]);
    }
}

Test(data, a_name_is_taken_once)
{
    struct data d = { 0 };
    cr_assert_eq(data_add(&d, "x", 5), 0);
    cr_assert_eq(data_add(&d, "y", 6), 1);
    cr_assert_eq(data_add(&d, "x", 7), NONE);
    cr_assert_eq(d.block[0].size, 5);
    data_fini(&d);
}

Test(data, replicas_named_are_kept_in_order_of_nodes)
{
    struct data d = { 0 };
    add(&d, 1);
    data_replicas(&d, 0, (uint32_t[]){ 9, 2, 5 }, 3);
    cr_assert(of(&d, 0)[0] == 2 && of(&d, 0)[1] == 5 && of(&d, 0)[2] == 9);
    data_fini(&d);
}

Test(data, random_replicas_are_distinct_and_uniform)
{
    enum { BLOCKS = 30000, NODES = 10 };
    struct cluster c;
    struct data d = { 0 };
    uint32_t count[NODES] = { 0 };
    build(&c, NODES, 3);
    add(&d, BLOCKS);
    data_place(&d, &c, DATA_RANDOM, 3, 1);
    for (uint32_t b = 0; b < BLOCKS; b++) {
        expect_distinct(&d, b, 3, &c);
        for (uint32_t i = 0; i < 3; i++) count[of(&d, b)[i]]++;
    }
    /* A node holds a block with p = 3/10: mean 9000, sigma = sqrt(30000 * .3 * .7) = 79; five of them. */
    for (int i = 0; i < NODES; i++) cr_assert(count[i] > 9000 - 397 && count[i] < 9000 + 397, "node %d: %u", i, count[i]);
    data_fini(&d);
    cluster_fini(&c);
}

/* Racks of one replica, and of two: the HDFS shape. */
static void expect_hdfs(const struct data *d, uint32_t block, const struct cluster *c)
{
    const uint32_t *r = of(d, block);
    uint32_t k[3] = { c->node[r[0]].rack, c->node[r[1]].rack, c->node[r[2]].rack };
    int pairs = (k[0] == k[1]) + (k[1] == k[2]) + (k[0] == k[2]);
    cr_assert_eq(pairs, 1, "block %u: racks %u %u %u", block, k[0], k[1], k[2]);
}

/* The paper's cluster: 15 nodes in 4 racks (S4-1). */
Test(data, rack_aware_puts_one_replica_in_a_rack_and_two_in_another)
{
    enum { BLOCKS = 20000, NODES = 15 };
    struct cluster c;
    struct data d = { 0 };
    uint32_t count[NODES] = { 0 };
    build(&c, NODES, 4);
    add(&d, BLOCKS);
    data_place(&d, &c, DATA_RACK_AWARE, 3, 7);
    for (uint32_t b = 0; b < BLOCKS; b++) {
        expect_distinct(&d, b, 3, &c);
        expect_hdfs(&d, b, &c);
        for (uint32_t i = 0; i < 3; i++) count[of(&d, b)[i]]++;
    }
    /*
     * A node of a rack of L (4, 4, 4, 3) is first with 1/15; second when the first lies in another rack M and the
     * draw among 15 - M hits it; third, given its rack is the second's, with 1/L of that rack.
     *   L = 4: 1/15 + (1/15) (8/11 + 3/12) + the same again = 0.19697;  L = 3: 1/15 + 2 (1/15) 12/11 = 0.21212
     * (the third is uniform on its rack, so as likely as the second)
     */
    for (uint32_t i = 0; i < NODES; i++) {
        double p = i % 4 == 3 ? 1.0 / 15 + 2.0 / 15 * 12 / 11 : 1.0 / 15 + 2.0 / 15 * (8.0 / 11 + 3.0 / 12);
        cr_assert_float_eq(count[i], p * BLOCKS, 5 * 58, "node %u: %u, not %.0f", i, count[i], p * BLOCKS);
    }
    data_fini(&d);
    cluster_fini(&c);
}

Test(data, rack_aware_makes_do_with_what_there_is)
{
    struct cluster c;
    struct data d = { 0 };
    add(&d, 500);

    build(&c, 3, 1);                    /* one rack: any nodes */
    data_place(&d, &c, DATA_RACK_AWARE, 3, 1);
    for (uint32_t b = 0; b < 500; b++) expect_distinct(&d, b, 3, &c);
    cluster_fini(&c);

    build(&c, 5, 5);                    /* racks of one node: three racks */
    data_place(&d, &c, DATA_RACK_AWARE, 3, 1);
    for (uint32_t b = 0; b < 500; b++) expect_distinct(&d, b, 3, &c);
    cluster_fini(&c);

    build(&c, 3, 2);                    /* racks {0, 2} and {1}: all three, whatever came first */
    data_place(&d, &c, DATA_RACK_AWARE, 3, 1);
    for (uint32_t b = 0; b < 500; b++) expect_distinct(&d, b, 3, &c);
    data_place(&d, &c, DATA_RACK_AWARE, 2, 1);      /* two: never one rack */
    for (uint32_t b = 0; b < 500; b++) {
        expect_distinct(&d, b, 2, &c);
        cr_assert_neq(c.node[of(&d, b)[0]].rack, c.node[of(&d, b)[1]].rack);
    }
    cluster_fini(&c);

    build(&c, 4, 2);                    /* more than there are nodes: all of them; more than three: three as HDFS */
    data_place(&d, &c, DATA_RACK_AWARE, 9, 1);
    for (uint32_t b = 0; b < 500; b++) expect_distinct(&d, b, 4, &c);
    cluster_fini(&c);
    data_fini(&d);
}

/* Where the second's rack has no other node, the third is apart from the first all the same, if anything is. */
Test(data, a_third_replica_without_company_still_leaves_the_first_rack)
{
    struct cluster c;
    struct data d = { 0 };
    build(&c, 6, 5);                    /* racks {0, 5}, {1}, {2}, {3}, {4} */
    add(&d, 2000);
    data_place(&d, &c, DATA_RACK_AWARE, 3, 3);
    uint32_t n_both = 0;
    for (uint32_t b = 0; b < 2000; b++) {
        const uint32_t *r = of(&d, b);
        expect_distinct(&d, b, 3, &c);
        n_both += r[0] == 0 && r[2] == 5;       /* both of the large rack: as second and third alone */
    }
    /* first in a small rack (4/6), second in the large one (2/5 of the five others): 2000 * 4/15 = 533, sigma 19.8 */
    cr_assert(n_both > 533 - 99 && n_both < 533 + 99, "%u", n_both);
    data_fini(&d);
    cluster_fini(&c);
}

/* 40 files of 5 parts; the last block of each five stands for it, so that some parts come before what they follow. */
static void add_files(struct data *d)
{
    add(d, 200);
    for (uint32_t b = 0; b < 200; b++)
        if (b % 5 != 4) data_part(d, b, b - b % 5 + 4);
}

Test(data, a_files_parts_lie_where_it_does)
{
    struct cluster c;
    struct data files = { 0 }, blocks = { 0 };
    uint32_t n_same = 0;
    build(&c, 15, 4);
    add_files(&files);
    add(&blocks, 200);
    for (uint32_t factor = 4; factor >= 1; factor--) {
        data_place(&files, &c, DATA_FILE, factor, 3);
        data_place(&blocks, &c, DATA_RANDOM, factor, 3);
        for (uint32_t b = 0; b < 200; b++) {
            uint32_t file = b - b % 5 + 4;
            expect_distinct(&files, b, factor, &c);
            cr_assert_eq(memcmp(of(&files, b), of(&files, file), factor * sizeof(uint32_t)), 0, "block %u", b);
            cr_assert_eq(memcmp(of(&files, file), of(&blocks, file), factor * sizeof(uint32_t)), 0, "a file is drawn as a block is");
            n_same += factor == 4 && file > 4 && memcmp(of(&files, file), of(&files, file - 5), factor * sizeof(uint32_t)) == 0;
        }
    }
    cr_assert_lt(n_same, 10, "files are drawn each for itself");
    data_fini(&files);
    data_fini(&blocks);
    cluster_fini(&c);
}

/* Rules by block know of no file: every draw is what it is without. */
Test(data, by_block_the_parts_of_a_file_are_drawn_each_for_itself)
{
    struct cluster c;
    struct data files = { 0 }, blocks = { 0 };
    build(&c, 15, 4);
    add_files(&files);
    add(&blocks, 200);
    for (int rule = DATA_RANDOM; rule <= DATA_RACK_AWARE; rule++) {
        data_place(&files, &c, (enum data_rule)rule, 3, 3);
        data_place(&blocks, &c, (enum data_rule)rule, 3, 3);
        for (uint32_t b = 0; b < 200; b++) cr_assert(same(&files, &blocks, b), "rule %d, block %u", rule, b);
    }
    data_place(&files, &c, DATA_FILE, 2, 3);
    data_place(&files, &c, DATA_RACK_AWARE, 3, 3);      /* and after another rule */
    for (uint32_t b = 0; b < 200; b++) cr_assert(same(&files, &blocks, b), "block %u", b);
    data_fini(&files);
    data_fini(&blocks);
    cluster_fini(&c);
}

Test(data, parts_of_a_file_on_named_nodes_lie_there_under_every_rule)
{
    struct cluster c;
    build(&c, 15, 4);
    for (int rule = DATA_RANDOM; rule <= DATA_FILE; rule++) {
        struct data d = { 0 };
        add(&d, 3);
        data_replicas(&d, 0, (uint32_t[]){ 9, 2 }, 2);
        data_part(&d, 1, 0);
        data_place(&d, &c, (enum data_rule)rule, 3, 1);
        cr_assert(d.block[1].n == 2 && of(&d, 1)[0] == 2 && of(&d, 1)[1] == 9, "rule %d", rule);
        expect_distinct(&d, 2, 3, &c);
        data_fini(&d);
    }
    cluster_fini(&c);
}

Test(data, the_seed_alone_decides_and_another_seed_places_anew)
{
    struct cluster c;
    struct data a = { 0 }, b = { 0 };
    build(&c, 15, 4);
    add(&a, 100);
    add(&b, 100);
    for (int rule = DATA_RANDOM; rule <= DATA_FILE; rule++) {
        uint32_t n_same = 0;
        data_place(&a, &c, (enum data_rule)rule, 3, 1);
        data_place(&b, &c, (enum data_rule)rule, 3, 2);
        for (uint32_t i = 0; i < 100; i++) n_same += same(&a, &b, i);
        cr_assert_lt(n_same, 10);
        data_place(&b, &c, (enum data_rule)rule, 3, 1);     /* and back */
        for (uint32_t i = 0; i < 100; i++) cr_assert(same(&a, &b, i));
    }
    cr_assert_eq(a.n_replicas, 300);    /* placing again takes no more room */
    data_fini(&a);
    data_fini(&b);
    cluster_fini(&c);
}

/* A block's draw depends on nothing but the seed and its id: not on how many others there are, nor on who placed them. */
Test(data, the_draw_of_a_block_is_independent_of_the_others)
{
    struct cluster c;
    struct data a = { 0 }, b = { 0 };
    build(&c, 15, 4);
    add(&a, 10);
    add(&b, 3);
    data_replicas(&b, 1, (uint32_t[]){ 4 }, 1);
    add(&b, 47);
    data_place(&a, &c, DATA_RACK_AWARE, 3, 5);
    data_place(&b, &c, DATA_RACK_AWARE, 3, 5);
    for (uint32_t i = 0; i < 10; i++)
        if (i != 1) cr_assert(same(&a, &b, i), "block %u", i);
    data_fini(&a);
    data_fini(&b);
    cluster_fini(&c);
}

Test(data, what_a_file_placed_stays)
{
    struct cluster c;
    struct data d = { 0 };
    build(&c, 15, 4);
    add(&d, 2);
    data_replicas(&d, 0, (uint32_t[]){ 14, 3 }, 2);
    for (uint64_t seed = 1; seed < 20; seed++) {
        data_place(&d, &c, DATA_RANDOM, 1 + (uint32_t)seed % 4, seed);      /* another factor, too */
        cr_assert(d.block[0].n == 2 && of(&d, 0)[0] == 3 && of(&d, 0)[1] == 14);
        expect_distinct(&d, 1, 1 + (uint32_t)seed % 4, &c);
    }
    data_fini(&d);
    cluster_fini(&c);
}

/* Nodes 0..7, racks i % 2: 0 2 4 6 and 1 3 5 7. */
Test(data, levels_and_sources_are_of_the_replicas_there_are)
{
    struct cluster c;
    build(&c, 8, 2);
    const uint32_t at[] = { 0, 2, 3 };
    const unsigned local = 1u << LEVEL_LOCAL, rack = 1u << LEVEL_RACK, cross = 1u << LEVEL_CROSS;
    cr_assert_eq(data_levels(&c, at, 3, 2), local | rack | cross);
    cr_assert_eq(data_levels(&c, at, 3, 6), rack | cross);
    cr_assert_eq(data_levels(&c, at, 2, 5), cross);
    cr_assert_eq(data_levels(&c, at, 0, 5), cross);
    for (uint32_t turn = 0; turn < 6; turn++) {
        cr_assert_eq(data_source(&c, at, 3, 2, LEVEL_LOCAL, turn), 2);
        cr_assert_eq(data_source(&c, at, 3, 6, LEVEL_RACK, turn), turn % 2 ? 2 : 0);    /* 0 and 2 are in its rack */
        cr_assert_eq(data_source(&c, at, 3, 7, LEVEL_RACK, turn), 3);
        cr_assert_eq(data_source(&c, at, 2, 7, LEVEL_CROSS, turn), turn % 2 ? 2 : 0);   /* both across */
    }
    cluster_fini(&c);
}

/* S4-4, "replicas: cheapest": the nearest while disk >= rack >= aggregation, else where the speed is. */
Test(data, S4_4_of_several_levels_the_cheapest_is_read)
{
    struct cluster c;
    build(&c, 8, 2);
    const uint32_t at[] = { 0, 2, 3 };
    struct net_spec usual = { .disk_bps = 300, .rack_bps = 200, .aggregation_bps = 100 }, slow_disk = usual, fast_core = usual, free_of_cost = { 0 };
    slow_disk.disk_bps = 150;
    fast_core.aggregation_bps = 1000;
    cr_assert_eq(net_level(&usual, &c, at, 3, 2), LEVEL_LOCAL);
    cr_assert_eq(net_level(&usual, &c, at, 3, 6), LEVEL_RACK);
    cr_assert_eq(net_level(&slow_disk, &c, at, 3, 2), LEVEL_RACK);      /* 0 holds it too, in the rack of 2 */
    cr_assert_eq(net_level(&slow_disk, &c, at, 1, 0), LEVEL_LOCAL);     /* it is nowhere else */
    cr_assert_eq(net_level(&fast_core, &c, at, 3, 2), LEVEL_CROSS);
    cr_assert_eq(net_level(&free_of_cost, &c, at, 3, 2), LEVEL_LOCAL);  /* ties: the nearer */
    cluster_fini(&c);
}

/* ---- nominal costs ---- */

#define GB INT64_C(1000000000)

/* Seed 4, figure 3: A, B in rack 1, C, D in rack 2; S_a lies on A, S_c on C.  The cost of node n: the sum over inputs. */
static int64_t cost(const struct cluster *c, const struct net_spec *s, int64_t s_a, int64_t s_c, uint32_t node)
{
    const uint32_t on_a = 0, on_c = 1;      /* A 0, C 1, B 2, D 3: racks by i % 2 */
    return net_nominal_us(s, net_level(s, c, &on_a, 1, node), s_a) + net_nominal_us(s, net_level(s, c, &on_c, 1, node), s_c);
}

/*
 * S4-3: W_A = S_c / B_s, W_D = S_c / B_r + S_a / B_s, with B_r = 1 and B_s = 0.5 GB/s.
 *   S_a = S_c = 1:        W_A = 1 / 0.5 = 2     <  W_D = 1 / 1 + 1 / 0.5 = 3:          A
 *   S_a = 0.1, S_c = 10:  W_A = 10 / 0.5 = 20   >  W_D = 10 / 1 + 0.1 / 0.5 = 10.2:    D
 */
Test(data, S4_3_the_cheaper_node_depends_on_the_sizes)
{
    struct cluster c;
    struct net_spec s = { .mode = NET_NOMINAL, .rack_bps = GB, .aggregation_bps = GB / 2 };
    build(&c, 4, 2);
    cr_assert_eq(cost(&c, &s, GB, GB, 0), 2 * TICK_SEC);
    cr_assert_eq(cost(&c, &s, GB, GB, 3), 3 * TICK_SEC);
    cr_assert_eq(cost(&c, &s, GB / 10, 10 * GB, 0), 20 * TICK_SEC);
    cr_assert_eq(cost(&c, &s, GB / 10, 10 * GB, 3), 10200000);
    cluster_fini(&c);
}

/*
 * S4-4: sum d/D local, sum d/B_r in the rack, sum d/B_s across, mixed sums the three; of replicas the cheapest.
 * D = 0.2, B_r = 0.125, B_s = 0.1 GB/s, blocks of 1, 2, 4 GB, one on each of nodes 0, 2, 1 of racks {0, 2}, {1, 3}.
 *   node 0: 1 / 0.2 + 2 / 0.125 + 4 / 0.1 = 5 + 16 + 40 = 61
 *   node 2: 1 / 0.125 + 2 / 0.2 + 4 / 0.1 = 8 + 10 + 40 = 58
 *   node 1: 1 / 0.1 + 2 / 0.1 + 4 / 0.2 = 10 + 20 + 20 = 50
 *   node 3: 1 / 0.1 + 2 / 0.1 + 4 / 0.125 = 10 + 20 + 32 = 62
 */
Test(data, S4_4_a_mixed_cost_sums_the_levels)
{
    struct cluster c;
    struct net_spec s = { .mode = NET_NOMINAL, .disk_bps = GB / 5, .rack_bps = GB / 8, .aggregation_bps = GB / 10 };
    const int64_t size[] = { 1 * GB, 2 * GB, 4 * GB };
    const uint32_t at[] = { 0, 2, 1 }, want[] = { 61, 50, 58, 62 };
    build(&c, 4, 2);
    for (uint32_t node = 0; node < 4; node++) {
        int64_t us = 0;
        for (int k = 0; k < 3; k++) us += net_nominal_us(&s, net_level(&s, &c, &at[k], 1, node), size[k]);
        cr_assert_eq(us, want[node] * TICK_SEC, "node %u: %lld", node, (long long)us);
    }
    /* Replicas on 1 and 2: node 0 reads from its rack, 4 / 0.125 = 32, not 4 / 0.1 = 40. */
    const uint32_t both[] = { 1, 2 };
    cr_assert_eq(net_nominal_us(&s, net_level(&s, &c, both, 2, 0), 4 * GB), 32 * TICK_SEC);
    cluster_fini(&c);
}

Test(data, S4_4_each_level_alone_and_no_speed_takes_no_time)
{
    struct net_spec s = { .disk_bps = 100, .rack_bps = 50, .aggregation_bps = 0 };
    cr_assert_eq(net_nominal_us(&s, LEVEL_LOCAL, 1000), 10 * TICK_SEC);
    cr_assert_eq(net_nominal_us(&s, LEVEL_RACK, 1000), 20 * TICK_SEC);
    cr_assert_eq(net_nominal_us(&s, LEVEL_CROSS, 1000), 0);
    cr_assert_eq(net_nominal_us(&s, LEVEL_LOCAL, 0), 0);
    s.disk_bps = NET_BPS_MIN;
    cr_assert_eq(net_nominal_us(&s, LEVEL_LOCAL, NET_SIZE_MAX), (INT64_C(1) << 43) * TICK_SEC);
    s.disk_bps = 3 * TICK_SEC;
    cr_assert_eq(net_nominal_us(&s, LEVEL_LOCAL, 8), 2);        /* 8/3 rounded down */
}

/*
 * bench_net -- the cost of one change of the shared network, against what it
 * touches: FLOWS transfers over 100 racks of 10 nodes, first all within their
 * racks, then all through the aggregation.  A change is one transfer that ends
 * and another that begins.
 * usage: bench_net [FLOWS [CHANGES]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "base/mem.h"
#include "base/rng.h"
#include "model/data/net.h"

enum { RACKS = 100, NODES_OF_RACK = 10, NODES = RACKS * NODES_OF_RACK };

static double wall(void)
{
    struct timespec ts;
    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static uint32_t same_slot(uint32_t flow) { return flow; }

/* Nodes are numbered rack by rack. */
static uint32_t start(struct net *n, struct rng *r, bool is_cross, uint64_t subject, sim_tick now)
{
    uint32_t rack = (uint32_t)rng_below(r, RACKS), to = is_cross ? (rack + 1 + (uint32_t)rng_below(r, RACKS - 1)) % RACKS : rack;
    uint32_t src = (uint32_t)rng_below(r, NODES_OF_RACK), dst = (uint32_t)rng_below(r, NODES_OF_RACK - 1);
    dst += dst >= src;
    return net_start(n, rack * NODES_OF_RACK + src, to * NODES_OF_RACK + dst, 1 << 30, subject, now);
}

/* Seconds a change. */
static double bench(const struct cluster *c, const char *what, bool is_cross, uint32_t n_flows, uint32_t n_changes)
{
    const struct net_spec s = { .mode = NET_SHARED, .disk_bps = 500000000, .card_bps = 125000000,
                                .rack_bps = 1250000000, .aggregation_bps = 1250000000 };
    struct evq q = { 0 };
    struct rng r;
    uint32_t *flow;
    uint64_t subject = 0;
    sim_tick now = 0;
    struct net *n = net_create(&s, c, &q, same_slot);
    MEM_ARRAY(flow, n_flows);
    rng_init(&r, 1, "bench net", is_cross);
    for (uint32_t i = 0; i < n_flows; i++) flow[i] = start(n, &r, is_cross, subject++, now);
    net_settle(n, now);
    uint64_t touched = net_touched(n);
    double t0 = wall();
    for (uint32_t k = 0; k < n_changes; k++) {
        uint32_t i = (uint32_t)rng_below(&r, n_flows);
        net_stop(n, flow[i], ++now);
        flow[i] = start(n, &r, is_cross, subject++, now);
        net_settle(n, now);
    }
    double each = (wall() - t0) / n_changes, per = (double)(net_touched(n) - touched) / n_changes;
    (void)printf("net   %" PRIu32 " transfers, %-24s %7.1f touched a change, %8.2f us, %5.1f ns each\n",
                 n_flows, what, per, each * 1e6, each / per * 1e9);
    mem_free(flow);
    net_destroy(n);
    evq_fini(&q);
    return each;
}

int main(int argc, char **argv)
{
    uint32_t n_flows = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1000;
    uint32_t n_changes = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 2000;
    struct cluster c = { 0 };
    struct diag d = { 0 };
    for (uint32_t i = 0; i < NODES; i++) {
        char name[16], rack[16];
        (void)snprintf(name, sizeof name, "n%u", i);
        (void)snprintf(rack, sizeof rack, "r%u", i / NODES_OF_RACK);
        if (cluster_add(&c, &(struct node_spec){ .name = name, .rack = rack, .cpu_milli = 1000 }, &d) != ST_OK) return 3;
    }
    cluster_seal(&c);
    double in = bench(&c, "each within its rack:", false, n_flows, 10 * n_changes);
    double across = bench(&c, "all through aggregation:", true, n_flows, n_changes);
    (void)printf("net   a change within a rack costs 1/%.0f of one through the aggregation\n", across / in);
    cluster_fini(&c);
    return 0;
}

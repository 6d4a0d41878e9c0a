/*
 * Transfers that share links: random starts and stops, with every rate
 * compared at every change to all rates worked out from scratch by the slow
 * solver, and bytes counted by a model that knows nothing of lists.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "base/mem.h"
#include "base/rng.h"
#include "model/data/net.h"
#include "ref/limit.h"
#include "ref/slowfair.h"

enum { LIVE = 48, STEPS = 120, SEEDS = 250, SLOTS = 3 };

static uint32_t slot_of(uint32_t flow) { return flow * SLOTS + 1; }

/* A flow as the model sees it: work in 1/15625 byte, exact. */
struct live { bool is_live, is_free; uint32_t src, dst, id; int64_t size, work, rate; sim_tick begun, due; uint64_t subject; };

struct lab {
    struct cluster c;
    struct net_spec spec;
    struct evq q;
    struct net *net;
    struct live f[LIVE];
    struct fair_net fair;
    sim_tick now;
    uint64_t subject, n_ended, n_stopped, n_kept, n_moved, seed;
    int64_t asked, moved, abandoned;        /* bytes */
    int64_t got[LEVELS], took[LEVELS];      /* by level, of the transfers so far: bytes (one begun counts), us */
};

static void build(struct lab *b, struct rng *r)
{
    struct diag d = { 0 };
    uint32_t n_racks = 1 + (uint32_t)rng_below(r, 4), n_nodes = n_racks + (uint32_t)rng_below(r, 8);
    for (uint32_t i = 0; i < n_nodes; i++) {
        char name[16], rack[16];
        (void)snprintf(name, sizeof name, "n%u", i);
        (void)snprintf(rack, sizeof rack, "r%u", i < n_racks ? i : (uint32_t)rng_below(r, n_racks));
        cr_assert_eq(cluster_add(&b->c, &(struct node_spec){ .name = name, .rack = rack, .cpu_milli = 1000 }, &d), ST_OK);
    }
    cluster_seal(&b->c);
    /* Round speeds make ties; small ones make rounding felt; 0 is not modelled. */
    static const int64_t few[] = { 0, 64, 640, 15625 * 64, 125000000, 1250000000, NET_BPS_MAX };
    int64_t *speed[] = { &b->spec.disk_bps, &b->spec.card_bps, &b->spec.rack_bps, &b->spec.aggregation_bps };
    for (size_t k = 0; k < ARRAY_LEN(speed); k++)
        *speed[k] = rng_below(r, 3) == 0 ? 64 + (int64_t)rng_below(r, 1u << 20) : few[rng_below(r, ARRAY_LEN(few))];
    b->spec.mode = NET_SHARED;
    if (b->seed % 2 == 0) b->spec.estimate.window = ESTIMATE_WINDOW_MAX;        /* more transfers than a lab has */
    b->net = net_create(&b->spec, &b->c, &b->q, slot_of);
}

/* The path as net.h states it, into links numbered as it states; links of no capacity left out. */
static uint32_t path(const struct lab *b, uint32_t src, uint32_t dst, uint32_t *hop)
{
    uint32_t n = b->c.n_nodes, racks = 3 * n, agg = racks + b->c.rack_names.n, k = 0;
    uint32_t rs = b->c.node[src].rack, rd = b->c.node[dst].rack;
    if (b->spec.disk_bps > 0) hop[k++] = src;
    if (src == dst) return k;
    if (b->spec.card_bps > 0) { hop[k++] = n + src; hop[k++] = 2 * n + dst; }
    if (b->spec.rack_bps > 0) { hop[k++] = racks + rs; if (rs != rd) hop[k++] = racks + rd; }
    if (b->spec.aggregation_bps > 0 && rs != rd) hop[k++] = agg;
    return k;
}

static void start(struct lab *b, struct rng *r)
{
    uint32_t i = 0;
    while (i < LIVE && b->f[i].is_live) i++;
    if (i == LIVE) return;
    struct live *f = &b->f[i];
    uint32_t hop[FAIR_HOPS];
    *f = (struct live){ .is_live = true, .begun = b->now, .src = (uint32_t)rng_below(r, b->c.n_nodes), .subject = b->subject++ };
    f->dst = rng_below(r, 4) == 0 ? f->src : (uint32_t)rng_below(r, b->c.n_nodes);
    f->size = rng_below(r, 12) == 0 ? 0 : (int64_t)rng_below(r, UINT64_C(1) << (4 + rng_below(r, 26)));
    f->is_free = f->size == 0 || path(b, f->src, f->dst, hop) == 0;
    f->work = f->is_free ? 0 : f->size * 15625;
    f->id = net_start(b->net, f->src, f->dst, f->size, f->subject, b->now);
    b->asked += f->size;
}

static int64_t left_bytes(const struct live *f) { return (f->work + 15624) / 15625; }

static void end(struct lab *b, struct live *f, bool is_over)
{
    int64_t left = net_left(b->net, f->id, b->now);
    cr_assert_eq(left, left_bytes(f), "seed %llu", (unsigned long long)b->seed);
    if (is_over) cr_assert_eq(left, 0);
    b->moved += f->size - (f->is_free ? 0 : left);
    b->abandoned += f->is_free ? 0 : left;
    net_stop(b->net, f->id, b->now);
    int level = f->src == f->dst ? LEVEL_LOCAL : b->c.node[f->src].rack == b->c.node[f->dst].rack ? LEVEL_RACK : LEVEL_CROSS;
    if (!f->is_free && b->now > f->begun) {
        b->got[level] += f->size - f->work / 15625;
        b->took[level] += b->now - f->begun;
    }
    if (b->spec.estimate.window > 0 && b->got[level] > 0)
        cr_assert_eq(net_measured_us(b->net, (enum data_level)level, 54321), mul_div(54321, b->took[level], b->got[level]), "seed %llu", (unsigned long long)b->seed);
    cr_assert_not(evq_pending(&b->q, slot_of(f->id)));
    f->is_live = false;
}

/* Flows in the components of links changed since the last settle, by labels that spread until they rest. */
static uint64_t count_touched(const struct lab *b, const bool *link_changed)
{
    bool link[FAIR_LINKS], flow[LIVE] = { false };
    uint64_t n = 0;
    memcpy(link, link_changed, sizeof link);
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < LIVE; i++) {
            uint32_t hop[FAIR_HOPS], k, n_hops;
            if (!b->f[i].is_live || b->f[i].is_free || flow[i]) continue;
            n_hops = path(b, b->f[i].src, b->f[i].dst, hop);
            for (k = 0; k < n_hops && !link[hop[k]]; k++) {}
            if (k == n_hops) continue;
            flow[i] = again = true;
            n++;
            for (k = 0; k < n_hops; k++) link[hop[k]] = true;
        }
    }
    return n;
}

static void mark(const struct lab *b, const struct live *f, bool *link)
{
    uint32_t hop[FAIR_HOPS], n = f->is_free ? 0 : path(b, f->src, f->dst, hop);
    for (uint32_t k = 0; k < n; k++) link[hop[k]] = true;
}

static const struct evq_item *event_of(const struct lab *b, uint32_t slot)
{
    const struct evq_slot p = b->q.slot[slot];
    return p.pile == 0 ? &b->q.heap[p.at] : &b->q.pile[p.pile - 1].at[p.at];
}

/* Settle, and compare every flow of the whole network with a full solution. */
static void settle(struct lab *b, const bool *changed)
{
    struct fair_net *g = &b->fair;
    int64_t rate[FAIR_FLOWS];
    uint64_t before = net_touched(b->net), want = count_touched(b, changed);
    net_settle(b->net, b->now);
    cr_assert_eq(net_touched(b->net) - before, want, "seed %llu: touched", (unsigned long long)b->seed);

    g->n_links = 3 * b->c.n_nodes + b->c.rack_names.n + 1;
    g->n_flows = LIVE;
    for (uint32_t l = 0; l < g->n_links; l++) {
        int64_t bps = l < b->c.n_nodes ? b->spec.disk_bps : l < 3 * b->c.n_nodes ? b->spec.card_bps
                    : l + 1 < g->n_links ? b->spec.rack_bps : b->spec.aggregation_bps;
        g->cap[l] = bps / 64;
    }
    for (uint32_t i = 0; i < LIVE; i++)
        g->n_hops[i] = b->f[i].is_live && !b->f[i].is_free ? path(b, b->f[i].src, b->f[i].dst, g->hop[i]) : 0;
    slowfair_solve(g, rate);
    for (uint32_t i = 0; i < LIVE; i++) {
        struct live *f = &b->f[i];
        if (!f->is_live) continue;
        uint32_t slot = slot_of(f->id);
        cr_assert(evq_pending(&b->q, slot), "seed %llu: a flow without its event", (unsigned long long)b->seed);
        const struct evq_item *e = event_of(b, slot);
        cr_assert(e->slot == slot && e->cls == EV_FINISH && b->q.slot[slot].subject == f->subject);
        cr_assert_eq(net_left(b->net, f->id, b->now), left_bytes(f));
        if (f->is_free) { cr_assert_eq(e->at, b->now); continue; }
        cr_assert_eq(net_rate(b->net, f->id), rate[i], "seed %llu: rate %u, not %lld", (unsigned long long)b->seed,
                     net_rate(b->net, f->id), (long long)rate[i]);
        /* Exact: the event is where the work that is left ends, however often it was folded ... */
        cr_assert_eq(e->at, b->now + (f->work + rate[i] - 1) / rate[i], "seed %llu", (unsigned long long)b->seed);
        /* ... and a rate that stays leaves the event alone. */
        if (rate[i] == f->rate) { cr_assert_eq(e->at, f->due); b->n_kept++; } else b->n_moved++;
        f->rate = rate[i];
        f->due = e->at;
    }
}

static void advance(struct lab *b, sim_tick to)
{
    for (uint32_t i = 0; i < LIVE; i++) {
        struct live *f = &b->f[i];
        if (!f->is_live || f->is_free) continue;
        int64_t did = (to - b->now) > f->work / f->rate ? f->work : (to - b->now) * f->rate;
        f->work -= did;
    }
    b->now = to;
}

static void step(struct lab *b, struct rng *r, bool may_start)
{
    bool changed[FAIR_LINKS] = { false };
    const struct evq_item *e = evq_peek(&b->q);
    if (e != NULL && (!may_start || rng_below(r, 3) > 0)) {         /* on to the next end, and all that end then */
        advance(b, e->at);
        while ((e = evq_peek(&b->q)) != NULL && e->at == b->now) {
            struct live *f = b->f;
            while (!f->is_live || slot_of(f->id) != e->slot) f++;
            mark(b, f, changed);
            end(b, f, true);
            b->n_ended++;
        }
    } else if (e != NULL && e->at > b->now) {                       /* somewhere before it */
        advance(b, b->now + (sim_tick)rng_below(r, (uint64_t)(e->at - b->now)));
    }
    for (uint64_t k = rng_below(r, 3); k > 0 && may_start; k--) {   /* cancel some */
        struct live *f = &b->f[rng_below(r, LIVE)];
        if (!f->is_live || event_of(b, slot_of(f->id))->at == b->now) continue;
        mark(b, f, changed);
        end(b, f, false);
        b->n_stopped++;
    }
    uint64_t first = b->subject;
    for (uint64_t k = rng_below(r, 6); k > 0 && may_start; k--) start(b, r);
    for (uint32_t i = 0; i < LIVE; i++)
        if (b->f[i].is_live && b->f[i].subject >= first) mark(b, &b->f[i], changed);
    settle(b, changed);
}

Test(net, equals_a_full_recompute_at_every_change_and_conserves_bytes, .timeout = LIMIT(300))
{
    uint64_t n_ended = 0, n_stopped = 0, n_kept = 0, n_moved = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        static struct lab b;
        struct rng r;
        memset(&b, 0, sizeof b);
        b.seed = seed;
        rng_init(&r, seed, "test net", 0);
        build(&b, &r);
        for (int k = 0; k < STEPS; k++) step(&b, &r, true);
        while (evq_peek(&b.q) != NULL) step(&b, &r, false);
        for (uint32_t i = 0; i < LIVE; i++) cr_assert_not(b.f[i].is_live, "seed %llu: never ended", (unsigned long long)seed);
        cr_assert_eq(b.asked, b.moved + b.abandoned, "seed %llu: bytes", (unsigned long long)seed);
        n_ended += b.n_ended;
        n_stopped += b.n_stopped;
        n_kept += b.n_kept;
        n_moved += b.n_moved;
        net_destroy(b.net);
        evq_fini(&b.q);
        cluster_fini(&b.c);
    }
    /* Enough of everything happened to mean something. */
    cr_log_info("ended %llu, cancelled %llu, rates kept %llu, changed %llu", (unsigned long long)n_ended,
                (unsigned long long)n_stopped, (unsigned long long)n_kept, (unsigned long long)n_moved);
    cr_assert(n_ended > 10 * SEEDS && n_stopped > 10 * SEEDS && n_kept > 10 * SEEDS && n_moved > 10 * SEEDS);
}

/* ---- by hand ---- */

static void two_racks(struct lab *b, struct net_spec s)
{
    struct diag d = { 0 };
    memset(b, 0, sizeof *b);
    static const char *const name[] = { "a", "b", "c", "d" }, *const rack[] = { "r1", "r1", "r2", "r2" };
    for (int i = 0; i < 4; i++)
        cr_assert_eq(cluster_add(&b->c, &(struct node_spec){ .name = name[i], .rack = rack[i], .cpu_milli = 1000 }, &d), ST_OK);
    cluster_seal(&b->c);
    b->spec = s;
    b->net = net_create(&b->spec, &b->c, &b->q, slot_of);
}

static void close_lab(struct lab *b)
{
    net_destroy(b->net);
    evq_fini(&b->q);
    cluster_fini(&b->c);
}

static sim_tick due(const struct lab *b, uint32_t flow) { return event_of(b, slot_of(flow))->at; }

/*
 * Two transfers of 6.4 GB cross an aggregation of 640 MB/s; the second starts at 5 s.
 *   the first alone: 5 s * 640 MB/s = 3.2 GB, 3.2 GB left; then 320 MB/s each: it ends at 5 + 10 = 15 s
 *   the second: 10 s * 320 MB/s = 3.2 GB, then alone: 15 + 5 = 20 s
 */
Test(net, two_transfers_share_the_aggregation)
{
    static struct lab b;
    two_racks(&b, (struct net_spec){ .mode = NET_SHARED, .aggregation_bps = 640000000 });
    uint32_t first = net_start(b.net, 0, 2, INT64_C(6400000000), 1, 0);
    net_settle(b.net, 0);
    cr_assert_eq(due(&b, first), 10 * TICK_SEC);
    uint32_t second = net_start(b.net, 1, 3, INT64_C(6400000000), 2, 5 * TICK_SEC);
    net_settle(b.net, 5 * TICK_SEC);
    cr_assert_eq(due(&b, first), 15 * TICK_SEC);
    cr_assert_eq(due(&b, second), 25 * TICK_SEC);
    cr_assert_eq(net_left(b.net, first, 10 * TICK_SEC), INT64_C(1600000000));
    net_stop(b.net, first, 15 * TICK_SEC);
    net_settle(b.net, 15 * TICK_SEC);
    cr_assert_eq(due(&b, second), 20 * TICK_SEC);
    close_lab(&b);
}

/* Cards are full duplex: a -> b and b -> a at once do not slow each other; a -> b twice does. */
Test(net, a_card_has_two_directions)
{
    static struct lab b;
    two_racks(&b, (struct net_spec){ .mode = NET_SHARED, .card_bps = 640 });
    uint32_t go = net_start(b.net, 0, 1, 640, 1, 0), back = net_start(b.net, 1, 0, 640, 2, 0);
    net_settle(b.net, 0);
    cr_assert_eq(due(&b, go), TICK_SEC);
    cr_assert_eq(due(&b, back), TICK_SEC);
    uint32_t again = net_start(b.net, 0, 1, 640, 3, 0);
    net_settle(b.net, 0);
    cr_assert_eq(due(&b, go), 2 * TICK_SEC);
    cr_assert_eq(due(&b, again), 2 * TICK_SEC);
    cr_assert_eq(due(&b, back), TICK_SEC);
    close_lab(&b);
}

Test(net, nothing_to_move_or_nothing_in_the_way_ends_at_once)
{
    static struct lab b;
    two_racks(&b, (struct net_spec){ .mode = NET_SHARED, .aggregation_bps = 64 });
    uint32_t none = net_start(b.net, 0, 2, 0, 1, 7), local = net_start(b.net, 0, 0, 1000, 2, 7), rack = net_start(b.net, 0, 1, 1000, 3, 7);
    net_settle(b.net, 7);
    cr_assert(due(&b, none) == 7 && due(&b, local) == 7 && due(&b, rack) == 7);
    cr_assert_eq(net_touched(b.net), 0);
    net_stop(b.net, local, 7);
    cr_assert_eq(net_start(b.net, 1, 3, 64, 4, 7), local);      /* ids are recycled */
    net_settle(b.net, 7);
    cr_assert_eq(due(&b, local), 7 + TICK_SEC);
    close_lab(&b);
}

/* 2^49 bytes at 64 B/s are 2^43 s = 2^43 * 10^6 us; one more flow halves nothing: a unit is the least. */
Test(net, the_largest_size_at_the_smallest_speed_does_not_overflow)
{
    static struct lab b;
    two_racks(&b, (struct net_spec){ .mode = NET_SHARED, .disk_bps = NET_BPS_MIN });
    uint32_t f = net_start(b.net, 0, 0, NET_SIZE_MAX, 1, TICK_SEC), g = net_start(b.net, 0, 1, NET_SIZE_MAX, 2, TICK_SEC);
    net_settle(b.net, TICK_SEC);
    cr_assert_eq(due(&b, f), TICK_SEC + (INT64_C(1) << 43) * TICK_SEC);
    cr_assert_eq(net_rate(b.net, g), 1);
    cr_assert_eq(net_left(b.net, f, TICK_SEC), NET_SIZE_MAX);
    cr_assert_eq(net_left(b.net, f, TICK_SEC + 1), NET_SIZE_MAX);                   /* 64 us a byte and more: rounded up */
    cr_assert_eq(net_left(b.net, f, 2 * TICK_SEC), NET_SIZE_MAX - 64);
    close_lab(&b);
}

/* A flow that goes through nothing that changed keeps its event and is not looked at. */
Test(net, other_racks_are_left_alone)
{
    static struct lab b;
    two_racks(&b, (struct net_spec){ .mode = NET_SHARED, .card_bps = 640, .rack_bps = 960, .aggregation_bps = 64000 });
    uint32_t here = net_start(b.net, 0, 1, 6400, 1, 0);
    net_settle(b.net, 0);
    cr_assert_eq(due(&b, here), 10 * TICK_SEC);
    uint64_t touched = net_touched(b.net);
    uint32_t there = net_start(b.net, 2, 3, 6400, 2, 1);
    net_settle(b.net, 1);
    cr_assert_eq(net_touched(b.net), touched + 1);
    cr_assert_eq(due(&b, here), 10 * TICK_SEC);
    /*
     * A third, from a to c, joins the two components; in units of 64 B/s the cards have 10, the racks 15:
     *   card out of a: here = third = 10 / 2 = 5;  rack 2: there <= 15 - 5, card out of c: there <= 10 -> 10 as before
     */
    sim_tick was = due(&b, there);
    uint32_t third = net_start(b.net, 0, 2, 6400, 3, TICK_SEC);
    net_settle(b.net, TICK_SEC);
    cr_assert_eq(net_touched(b.net), touched + 1 + 3);
    cr_assert_eq(net_rate(b.net, here), 5);
    cr_assert_eq(net_rate(b.net, third), 5);
    cr_assert_eq(net_rate(b.net, there), 10);
    cr_assert_eq(due(&b, there), was);
    cr_assert_eq(due(&b, here), TICK_SEC + (6400 - 640) / 320 * TICK_SEC);
    close_lab(&b);
}

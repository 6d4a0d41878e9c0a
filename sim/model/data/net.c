/*
 * net.c -- flows on links.  Each link has a doubly linked list of its flows, threaded
 * through the flows: a seat is flow * HOPS_MAX + hop.  Links that a start or stop
 * touched are listed, and net_settle walks from them to all that share a link with
 * them, which is the component whose rates can differ.
 */
#include "model/data/net.h"

#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "model/data/maxmin.h"

/* rate * 64 B/s * 1 us = rate * 64 / 10^6 bytes = rate / 15625 bytes. */
enum { UNIT_BPS = 64, WORK_PER_BYTE = 15625, HOPS_MAX = 6 };

struct flow {
    struct act act;
    int64_t  size;              /* bytes */
    sim_tick begun;
    uint32_t level;             /* enum data_level */
    uint32_t n_hops;            /* 0: never limited, ends at once */
    uint32_t next_free;
    uint32_t who;               /* of a standing flow; NONE: it has a size */
    bool     is_listed;         /* in n->reached_flow */
    uint32_t hop[HOPS_MAX];     /* link index */
    uint32_t next[HOPS_MAX], prev[HOPS_MAX];    /* seats of the same link */
};

struct link { int64_t cap; uint32_t first, local; bool is_listed; };

struct net {
    struct net_spec spec;
    const struct cluster *c;
    struct evq *q;
    uint32_t (*ev_slot)(uint32_t flow);
    struct link *link; uint32_t n_links;
    struct flow *flow; uint32_t n_flows, free; size_t cap_flow;
    uint64_t touched;
    struct estimate estimate;   /* all zero when nothing is measured */
    /* Links changed since the last settle, and in settle whatever they lead to. */
    uint32_t *reached;      uint32_t n_reached;     /* [n_links] */
    uint32_t *reached_flow; size_t cap_reached_flow;
    uint32_t *changed; uint32_t n_changed; size_t cap_changed;      /* whose standing flows the last settle changed */
    /* The problem handed to maxmin, in local numbers. */
    int64_t  *cap, *rate, *scratch; size_t cap_rate, cap_scratch;
    uint32_t *start, *hop;          size_t cap_start, cap_hop;
};

/* The slower of two speeds; 0 is none at all. */
static int64_t slower(int64_t a, int64_t b) { return a == 0 ? b : b == 0 ? a : i64_min(a, b); }

/*
 * What a transfer of a level runs at when it has its path to itself.  Nominal
 * and overlap mode: D, B_r or B_s (S4-4).  Shared mode: the slowest modelled link of the
 * path, so that the nearer is never the slower.
 */
static int64_t speed_of(const struct net_spec *s, enum data_level level)
{
    if (s->mode != NET_SHARED)
        return level == LEVEL_LOCAL ? s->disk_bps : level == LEVEL_RACK ? s->rack_bps : s->aggregation_bps;
    int64_t bps = s->disk_bps;
    if (level != LEVEL_LOCAL) bps = slower(slower(bps, s->card_bps), s->rack_bps);
    return level == LEVEL_CROSS ? slower(bps, s->aggregation_bps) : bps;
}

int64_t net_nominal_us(const struct net_spec *s, enum data_level level, int64_t size)
{
    int64_t bps = speed_of(s, level);
    return bps == 0 ? 0 : mul_div(size, TICK_SEC, bps);
}

enum data_level net_level(const struct net_spec *s, const struct cluster *c, const uint32_t *replica, uint32_t n, uint32_t node)
{
    unsigned levels = data_levels(c, replica, n, node);
    enum data_level best = LEVELS;
    int64_t best_bps = 0;
    for (int l = 0; l < LEVELS; l++) {
        if ((levels >> l & 1) == 0) continue;
        int64_t bps = speed_of(s, (enum data_level)l);
        /* 0 is no cost at all: cheaper than any speed. */
        if (best != LEVELS && (best_bps == 0 || (bps != 0 && bps <= best_bps))) continue;
        best = (enum data_level)l;
        best_bps = bps;
    }
    return best;
}

/* ---- life ---- */

static bool is_speed(int64_t bps) { return bps == 0 || (bps >= NET_BPS_MIN && bps <= NET_BPS_MAX); }

/* Links in the order that net.h states. */
static uint32_t disk_of(uint32_t node) { return node; }
static uint32_t out_of(const struct net *n, uint32_t node) { return n->c->n_nodes + node; }
static uint32_t in_of(const struct net *n, uint32_t node) { return 2 * n->c->n_nodes + node; }
static uint32_t rack_of(const struct net *n, uint32_t node) { return 3 * n->c->n_nodes + n->c->node[node].rack; }
static uint32_t aggregation(const struct net *n) { return n->n_links - 1; }

struct net *net_create(const struct net_spec *s, const struct cluster *c, struct evq *q,
                       uint32_t (*ev_slot)(uint32_t flow))
{
    SIM_ASSERT(is_speed(s->disk_bps) && is_speed(s->card_bps) && is_speed(s->rack_bps) && is_speed(s->aggregation_bps));
    struct net *n;
    MEM_NEW(n);
    *n = (struct net){ .spec = *s, .c = c, .q = q, .ev_slot = ev_slot, .free = NONE,
                       .n_links = 3 * c->n_nodes + c->rack_names.n + 1 };
    MEM_ARRAY(n->link, n->n_links);
    MEM_ARRAY(n->reached, n->n_links);
    MEM_ARRAY(n->cap, n->n_links);
    for (uint32_t l = 0; l < n->n_links; l++) {
        int64_t bps = l < c->n_nodes ? s->disk_bps : l < 3 * c->n_nodes ? s->card_bps
                    : l < aggregation(n) ? s->rack_bps : s->aggregation_bps;
        n->link[l] = (struct link){ .cap = bps / UNIT_BPS, .first = NONE };
    }
    if (s->estimate.window > 0) estimate_init(&n->estimate, s->estimate.window);
    return n;
}

void net_destroy(struct net *n)
{
    if (n == NULL) return;
    mem_free(n->link); mem_free(n->flow); mem_free(n->reached); mem_free(n->reached_flow);
    mem_free(n->changed);
    estimate_fini(&n->estimate);
    mem_free(n->cap); mem_free(n->rate); mem_free(n->scratch); mem_free(n->start); mem_free(n->hop);
    mem_free(n);
}

/* ---- flows and their links ---- */

static void reach(struct net *n, uint32_t link)
{
    if (n->link[link].is_listed) return;
    n->link[link].is_listed = true;
    n->reached[n->n_reached++] = link;
}

static struct flow *flow_of(const struct net *n, uint32_t seat) { return &n->flow[seat / HOPS_MAX]; }

static void join(struct net *n, uint32_t flow, uint32_t link)
{
    if (n->link[link].cap == 0) return;
    struct flow *f = &n->flow[flow];
    uint32_t k = f->n_hops++, seat = flow * HOPS_MAX + k, first = n->link[link].first;
    f->hop[k] = link;
    f->next[k] = first;
    f->prev[k] = NONE;
    if (first != NONE) flow_of(n, first)->prev[first % HOPS_MAX] = seat;
    n->link[link].first = seat;
    reach(n, link);
}

static void leave(struct net *n, const struct flow *f, uint32_t k)
{
    uint32_t next = f->next[k], prev = f->prev[k];
    if (next != NONE) flow_of(n, next)->prev[next % HOPS_MAX] = prev;
    if (prev != NONE) flow_of(n, prev)->next[prev % HOPS_MAX] = next;
    else n->link[f->hop[k]].first = next;
    reach(n, f->hop[k]);
}

static void join_path(struct net *n, uint32_t flow, uint32_t src, uint32_t dst)
{
    if (n->flow[flow].who == NONE) join(n, flow, disk_of(src));
    if (src == dst) return;
    join(n, flow, out_of(n, src));
    join(n, flow, rack_of(n, src));
    if (rack_of(n, src) != rack_of(n, dst)) {
        join(n, flow, aggregation(n));
        join(n, flow, rack_of(n, dst));
    }
    join(n, flow, in_of(n, dst));
}

static uint32_t new_id(struct net *n)
{
    uint32_t id = n->free;
    if (id != NONE) { n->free = n->flow[id].next_free; return id; }
    SIM_ASSERT(n->n_flows < NONE / HOPS_MAX);
    MEM_RESERVE(n->flow, n->cap_flow, (size_t)n->n_flows + 1);
    return n->n_flows++;
}

uint32_t net_start(struct net *n, uint32_t src, uint32_t dst, int64_t size, uint64_t subject, sim_tick now)
{
    SIM_ASSERT(size >= 0 && size <= NET_SIZE_MAX && src < n->c->n_nodes && dst < n->c->n_nodes);
    uint32_t id = new_id(n);
    struct flow *f = &n->flow[id];
    f->n_hops = 0;
    f->who = NONE;
    f->size = size;
    f->begun = now;
    f->level = src == dst ? LEVEL_LOCAL : rack_of(n, src) == rack_of(n, dst) ? LEVEL_RACK : LEVEL_CROSS;
    if (size > 0) join_path(n, id, src, dst);
    if (f->n_hops == 0) act_start(&f->act, n->q, n->ev_slot(id), subject, 0, 1, now);
    else act_start(&f->act, n->q, n->ev_slot(id), subject, size * WORK_PER_BYTE, 0, now);
    return id;
}

uint32_t net_stand(struct net *n, uint32_t src, uint32_t dst, uint32_t who)
{
    SIM_ASSERT(src < n->c->n_nodes && dst < n->c->n_nodes && src != dst);
    uint32_t id = new_id(n);
    struct flow *f = &n->flow[id];
    *f = (struct flow){ .who = who };
    join_path(n, id, src, dst);
    return id;
}

const uint32_t *net_changed(const struct net *n, uint32_t *count)
{
    *count = n->n_changed;
    return n->changed;
}

/*
 * What the flow really got.  A byte that began to come counts, so that no speed falls
 * below that of the slowest link there can be.
 */
static void measure(struct net *n, const struct flow *f, sim_tick now)
{
    int64_t bytes = f->size - act_left(&f->act, now) / WORK_PER_BYTE;
    if (bytes > 0 && now > f->begun) estimate_add(&n->estimate, (enum data_level)f->level, bytes, now - f->begun);
}

void net_stop(struct net *n, uint32_t flow, sim_tick now)
{
    struct flow *f = &n->flow[flow];
    if (n->spec.estimate.window > 0 && f->n_hops > 0 && f->who == NONE) measure(n, f, now);
    if (f->who == NONE) (void)act_stop(&f->act, n->q, now);
    for (uint32_t k = 0; k < f->n_hops; k++) leave(n, f, k);
    f->n_hops = 0;
    f->next_free = n->free;
    n->free = flow;
}

int64_t net_left(const struct net *n, uint32_t flow, sim_tick now)
{
    sim_work left = act_left(&n->flow[flow].act, now);
    return left / WORK_PER_BYTE + (left % WORK_PER_BYTE != 0);
}

sim_rate net_rate(const struct net *n, uint32_t flow) { return n->flow[flow].act.rate; }
int64_t net_bps(const struct net *n, uint32_t flow) { return (int64_t)n->flow[flow].act.rate * UNIT_BPS; }

int64_t net_measured_us(const struct net *n, enum data_level level, int64_t size)
{
    const struct estimate_spec *e = &n->spec.estimate;
    int64_t us = e->window > 0 ? estimate_us(&n->estimate, level, size) : -1;
    if (us >= 0) return us;
    return e->start_bps[level] > 0 ? mul_div(size, TICK_SEC, e->start_bps[level]) : net_nominal_us(&n->spec, level, size);
}

uint64_t net_measured(const struct net *n) { return n->estimate.version; }

uint64_t net_touched(const struct net *n) { return n->touched; }

/* ---- rates ---- */

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* From the changed links to all their flows, the links of those, and so on; the number of flows. */
static uint32_t collect(struct net *n)
{
    uint32_t n_flows = 0;
    for (uint32_t i = 0; i < n->n_reached; i++)
        for (uint32_t seat = n->link[n->reached[i]].first; seat != NONE; seat = flow_of(n, seat)->next[seat % HOPS_MAX]) {
            struct flow *f = flow_of(n, seat);
            if (f->is_listed) continue;
            f->is_listed = true;
            MEM_RESERVE(n->reached_flow, n->cap_reached_flow, (size_t)n_flows + 1);
            n->reached_flow[n_flows++] = seat / HOPS_MAX;
            for (uint32_t k = 0; k < f->n_hops; k++) reach(n, f->hop[k]);
        }
    return n_flows;
}

static void set_rate(struct net *n, struct flow *f, sim_rate rate, sim_tick now)
{
    if (f->who == NONE) { act_set_rate(&f->act, n->q, rate, now); return; }
    if (f->act.rate == rate) return;
    f->act.rate = rate;
    MEM_PUSH(n->changed, n->n_changed, n->cap_changed, f->who);
}

void net_settle(struct net *n, sim_tick now)
{
    n->n_changed = 0;
    if (n->n_reached == 0) return;
    uint32_t n_flows = collect(n), n_hops = 0;
    /* Links keep their order, so that a component alone is rounded as it would be among all. */
    qsort(n->reached, n->n_reached, sizeof *n->reached, by_number);
    for (uint32_t i = 0; i < n->n_reached; i++) {
        struct link *l = &n->link[n->reached[i]];
        l->local = i;
        n->cap[i] = l->cap;
    }
    MEM_RESERVE(n->start, n->cap_start, (size_t)n_flows + 1);
    MEM_RESERVE(n->hop, n->cap_hop, (size_t)n_flows * HOPS_MAX);
    MEM_RESERVE(n->rate, n->cap_rate, n_flows);
    for (uint32_t i = 0; i < n_flows; i++) {
        const struct flow *f = &n->flow[n->reached_flow[i]];
        n->start[i] = n_hops;
        for (uint32_t k = 0; k < f->n_hops; k++) n->hop[n_hops++] = n->link[f->hop[k]].local;
    }
    n->start[n_flows] = n_hops;
    MEM_RESERVE(n->scratch, n->cap_scratch, maxmin_scratch(n->n_reached, n_hops));
    maxmin_solve(n->n_reached, n->cap, n_flows, n->start, n->hop, n->rate, n->scratch);
    for (uint32_t i = 0; i < n_flows; i++) {
        struct flow *f = &n->flow[n->reached_flow[i]];
        f->is_listed = false;
        set_rate(n, f, (sim_rate)n->rate[i], now);
    }
    for (uint32_t i = 0; i < n->n_reached; i++) n->link[n->reached[i]].is_listed = false;
    n->n_reached = 0;
    n->touched += n_flows;
}

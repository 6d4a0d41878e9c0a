#include "ref/madeflow.h"

#include <math.h>
#include "base/mem.h"
#include "base/rng.h"

enum { PER_NODE = 8, PER_RACK = 5, LEVELS = 6, RATE = 1250000, DISK = 500000, BLOCK = 262144 };
static const int64_t level_mb[LEVELS] = { 16384, 32768, 49152, 81920, 98304, 131072 };

/* ---- rounds ---- */

static uint32_t upto(struct rng *g, uint32_t n) { return (uint32_t)rng_below(g, n); }

/* The first of n whose running sum passes a random part of the whole. */
static uint32_t pick(struct rng *g, const double *sum, uint32_t n)
{
    double x = rng_unit(g) * sum[n - 1];
    uint32_t lo = 0, hi = n - 1;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (sum[mid] < x) lo = mid + 1; else hi = mid;
    }
    return lo;
}

static void make_nodes(struct flow_round *f, const struct made_shape *m, struct rng *g)
{
    f->n_nodes = m->gpus / PER_NODE;
    f->n_racks = (f->n_nodes + PER_RACK - 1) / PER_RACK;
    f->n_gpus = f->n_nodes * PER_NODE;
    MEM_ARRAY(f->rack, f->n_nodes);
    MEM_ARRAY(f->disk, f->n_nodes);
    MEM_ARRAY(f->gpu_node, f->n_gpus);
    MEM_ARRAY(f->gpu_mem, f->n_gpus);
    for (uint32_t n = 0; n < f->n_nodes; n++) {
        f->rack[n] = n / PER_RACK;
        f->disk[n] = (int64_t)(DISK * (1 + rng_unit(g) * (m->disks - 1)));
    }
    for (uint32_t i = 0; i < f->n_gpus; i++) {
        f->gpu_node[i] = i / PER_NODE;
        f->gpu_mem[i] = i % PER_NODE == 0 || m->is_mixed ? level_mb[upto(g, m->levels)] : f->gpu_mem[i - 1];
    }
}

/* At least one task each, the others by lognormal weights. */
static void make_jobs(struct flow_round *f, const struct made_shape *m, struct rng *g)
{
    double *sum, all = 0;
    f->n_jobs = m->jobs;
    f->n_tasks = m->tasks;
    MEM_ARRAY(f->job_n, f->n_jobs);
    MEM_ARRAY(f->job_share, f->n_jobs);
    MEM_ARRAY(f->task_job, f->n_tasks);
    MEM_ARRAY(sum, f->n_jobs);
    for (uint32_t j = 0; j < f->n_jobs; j++) sum[j] = all += rng_lognormal(g, 0, 0.9);
    for (uint32_t t = 0; t < f->n_tasks; t++) f->job_n[f->task_job[t] = t < f->n_jobs ? t : pick(g, sum, f->n_jobs)]++;
    for (uint32_t j = 0; j < f->n_jobs; j++) {
        uint32_t part = f->n_gpus / f->n_jobs;
        f->job_share[j] = m->is_all || f->job_n[j] < part ? f->job_n[j] : part;
    }
    mem_free(sum);
}

static int64_t make_size(const struct made_shape *m, struct rng *g)
{
    if (m->sizes == MADE_BLOCKS) return upto(g, 10) < 7 ? BLOCK : 1000 + upto(g, BLOCK - 1000);
    double x = rng_lognormal(g, log(210000), 1);
    return x < 1000 ? 1000 : x > 4000000 ? 4000000 : (int64_t)x;
}

static void make_tasks(struct flow_round *f, const struct made_shape *m, struct rng *g)
{
    uint32_t *rank;
    double *sum, all = 0;
    size_t n = 0;
    MEM_ARRAY(rank, f->n_nodes);
    MEM_ARRAY(sum, f->n_nodes);
    for (uint32_t i = 0; i < f->n_nodes; i++) {
        uint32_t k = upto(g, i + 1);
        rank[i] = rank[k];
        rank[k] = i;
        sum[i] = all += pow(i + 1, -m->zipf);
    }
    MEM_ARRAY(f->size, f->n_tasks);
    MEM_ARRAY(f->mem, f->n_tasks);
    MEM_ARRAY(f->rep0, f->n_tasks + 1u);
    MEM_ARRAY(f->rep, (size_t)f->n_tasks * 3);
    for (uint32_t t = 0; t < f->n_tasks; t++) {
        uint32_t want = m->reps_min + upto(g, m->reps_max - m->reps_min + 1), first = rank[pick(g, sum, f->n_nodes)], second = first;
        f->size[t] = make_size(m, g);
        f->mem[t] = level_mb[upto(g, 100) < m->big ? m->levels - 1 : upto(g, m->levels)];
        f->rep[n++] = first;
        while (want > 1 && f->rack[second] == f->rack[first] && f->n_racks > 1) second = rank[pick(g, sum, f->n_nodes)];
        if (second != first) f->rep[n++] = second;
        uint32_t near = second + 1 < f->n_nodes && f->rack[second + 1] == f->rack[second] ? second + 1 : second - 1;
        if (want > 2 && second != first && near < f->n_nodes && f->rack[near] == f->rack[second]) f->rep[n++] = near;
        f->rep0[t + 1] = n;
    }
    mem_free(rank);
    mem_free(sum);
}

void made_round(struct flow_round *f, const struct made_shape *m, uint64_t seed)
{
    struct rng g;
    rng_init(&g, seed, m->name, 0);
    *f = (struct flow_round){ .b_rack = RATE, .b_switch = RATE, .a1 = m->a1, .a2 = m->a2, .alpha = m->alpha };
    make_nodes(f, m, &g);
    make_jobs(f, m, &g);
    make_tasks(f, m, &g);
}

/* ---- the aggregated network ---- */

struct drawing {
    struct flow_net *net;
    const struct flow_round *f;
    size_t   cap_from, cap_to, cap_cap, cap_cost;
    uint32_t level, all;                /* of the task at hand; vertex of level 0 */
};

static void arc(struct drawing *d, uint32_t from, uint32_t to, int64_t cap, int64_t cost)
{
    struct flow_net *n = d->net;
    MEM_RESERVE(n->from, d->cap_from, n->m + 1u);
    MEM_RESERVE(n->to, d->cap_to, n->m + 1u);
    MEM_RESERVE(n->cap, d->cap_cap, n->m + 1u);
    MEM_RESERVE(n->cost, d->cap_cost, n->m + 1u);
    n->from[n->m] = from;
    n->to[n->m] = to;
    n->cap[n->m] = cap;
    n->cost[n->m++] = cost;
}

static uint32_t job_v(uint32_t j) { return 1 + j; }
static uint32_t task_v(const struct drawing *d, uint32_t t) { return 1 + d->f->n_jobs + t; }
static uint32_t rack_v(const struct drawing *d, uint32_t r) { return d->all + LEVELS * (1 + r) + d->level; }
static uint32_t node_v(const struct drawing *d, uint32_t n) { return d->all + LEVELS * (1 + d->f->n_racks + n) + d->level; }

static bool holds(const struct drawing *d, uint32_t t, uint32_t node)
{
    for (size_t i = d->f->rep0[t]; i < d->f->rep0[t + 1]; i++) if (d->f->rep[i] == node) return true;
    return false;
}

/* Does a way at this cost undercut a node of the rack that holds the data, or, of any rack, that or the rack? */
static bool undercuts(const struct drawing *d, uint32_t t, uint32_t rack, int64_t cost)
{
    for (size_t i = d->f->rep0[t]; i < d->f->rep0[t + 1]; i++) {
        uint32_t n = d->f->rep[i];
        if ((rack == UINT32_MAX || d->f->rack[n] == rack) && cost < flow_round_local(d->f, t, n)) return true;
    }
    return rack == UINT32_MAX && cost < flow_round_rack(d->f, t);
}

static bool in_rack(const struct drawing *d, uint32_t t, size_t end, uint32_t rack)
{
    for (size_t i = d->f->rep0[t]; i < end; i++) if (d->f->rack[d->f->rep[i]] == rack) return true;
    return false;
}

static void draw_task(struct drawing *d, uint32_t t)
{
    const struct flow_round *f = d->f;
    uint32_t v = task_v(d, t);
    int64_t far = flow_round_cross(f, t), near = flow_round_rack(f, t);
    arc(d, job_v(f->task_job[t]), v, 1, 0);
    for (d->level = 0; level_mb[d->level] < f->mem[t]; ) d->level++;
    for (size_t i = f->rep0[t]; i < f->rep0[t + 1]; i++) {
        uint32_t rack = f->rack[f->rep[i]];
        arc(d, v, node_v(d, f->rep[i]), 1, flow_round_local(f, t, f->rep[i]));
        if (in_rack(d, t, i, rack)) continue;
        if (!undercuts(d, t, rack, near)) { arc(d, v, rack_v(d, rack), 1, near); continue; }
        for (uint32_t n = rack * PER_RACK; n < f->n_nodes && f->rack[n] == rack; n++) if (!holds(d, t, n)) arc(d, v, node_v(d, n), 1, near);
    }
    if (!undercuts(d, t, UINT32_MAX, far)) { arc(d, v, d->all + d->level, 1, far); return; }
    for (uint32_t r = 0; r < f->n_racks; r++) if (!in_rack(d, t, f->rep0[t + 1], r)) arc(d, v, rack_v(d, r), 1, far);
}

/* Places of each level on each node, and the ways down to them and up. */
static void draw_places(struct drawing *d, uint32_t end)
{
    const struct flow_round *f = d->f;
    uint32_t *n_gpus;
    MEM_ARRAY(n_gpus, (size_t)f->n_nodes * LEVELS);
    for (uint32_t g = 0; g < f->n_gpus; g++) {
        uint32_t k = 0;
        while (level_mb[k] < f->gpu_mem[g]) k++;
        n_gpus[f->gpu_node[g] * LEVELS + k]++;
    }
    for (d->level = 0; d->level < LEVELS; d->level++) {
        for (uint32_t r = 0; r < f->n_racks; r++) arc(d, d->all + d->level, rack_v(d, r), f->n_gpus, 0);
        for (uint32_t n = 0; n < f->n_nodes; n++) {
            arc(d, rack_v(d, f->rack[n]), node_v(d, n), PER_NODE, 0);
            if (d->level + 1 < LEVELS) arc(d, node_v(d, n), node_v(d, n) + 1, PER_NODE, 0);
            uint32_t here = n_gpus[n * LEVELS + d->level];
            if (here > 0) arc(d, node_v(d, n), end, here, 0);
        }
    }
    mem_free(n_gpus);
}

void made_net(struct flow_net *net, const struct flow_round *f, int64_t flow)
{
    struct drawing d = { .net = net, .f = f, .all = 1 + f->n_jobs + f->n_tasks };
    uint32_t left = d.all + LEVELS * (1 + f->n_racks + f->n_nodes), end = left + 1;
    *net = (struct flow_net){ .n = end + 1 };
    for (uint32_t j = 0; j < f->n_jobs; j++) {
        arc(&d, 0, job_v(j), f->job_n[j], 0);
        if (f->job_n[j] > f->job_share[j]) arc(&d, job_v(j), left, f->job_n[j] - f->job_share[j], f->alpha);
    }
    for (uint32_t t = 0; t < f->n_tasks; t++) draw_task(&d, t);
    draw_places(&d, end);
    arc(&d, left, end, f->n_tasks, 0);
    MEM_ARRAY(net->supply, net->n);
    net->supply[0] = flow;
    net->supply[end] = -flow;
}

/*
 * speed.c -- what units that compute demand, and how fast that lets each go.
 *
 * A change marks the nodes of its unit; speed_settle looks at every unit on a marked
 * node once a round.  Only sums are kept by node, so a unit's own share is taken off
 * to find what its neighbours move.
 */
#include "model/speed/speed.h"

#include <math.h>
#include "base/mem.h"
#include "base/rng.h"

/* By task slot; all but bw at the unit's lead. */
struct load {
    int64_t  bw, was_bw;            /* now, and at the last look before `since` */
    int64_t  util, was_util;        /* -1: not computing then */
    sim_tick since;                 /* of the present figures */
    int64_t  busy;
    bool     is_on;
};

/* The unit's share of one node. */
struct part { uint32_t node, first; int64_t cpu, bw; };

struct speed {
    struct speed_env env;
    struct load *load;  size_t n_load;
    int64_t     *node_bw;           /* [n_nodes] */
    bool        *is_dirty;          /* [n_nodes] */
    uint32_t    *dirty; uint32_t n_dirty;
    struct part *part;  size_t cap_part;
    uint32_t     n_part;
    int64_t      busy;
};

static const struct task  *task_at(const struct speed *s, uint32_t t) { return &s->env.jobs->task[t]; }
static const struct job   *job_of(const struct speed *s, uint32_t t) { return &s->env.jobs->job[task_at(s, t)->job]; }
static const struct shape *asked_by(const struct speed *s, uint32_t t) { return &s->env.shapes->at[task_at(s, t)->shape]; }
static const struct hold  *held_by(const struct speed *s, uint32_t t) { return &s->env.cluster->hold[t]; }

struct speed *speed_create(const struct speed_env *env)
{
    struct speed *s;
    MEM_NEW(s);
    s->env = *env;
    return s;
}

void speed_destroy(struct speed *s)
{
    if (s == NULL) return;
    MEM_FREE(s->load, s->node_bw, s->is_dirty, s->dirty, s->part, s);
}

static void make_room(struct speed *s)
{
    if (s->node_bw == NULL) {
        MEM_ARRAY(s->node_bw, s->env.cluster->n_nodes);
        MEM_ARRAY(s->is_dirty, s->env.cluster->n_nodes);
        MEM_ARRAY(s->dirty, s->env.cluster->n_nodes);
    }
    MEM_RESERVE(s->load, s->n_load, s->env.jobs->n_task_slots);
}

static void touch(struct speed *s, uint32_t node)
{
    if (s->is_dirty[node]) return;
    s->is_dirty[node] = true;
    s->dirty[s->n_dirty++] = node;
}

/* ---- one unit ---- */

/* By node, in order of first task: a gang's tasks on a node share its cores. */
static void find_parts(struct speed *s, uint32_t t)
{
    s->n_part = 0;
    JOBS_UNIT_EACH(s->env.jobs, t, k) {
        const struct hold *h = held_by(s, k);
        uint32_t i = s->n_part;
        while (i > 0 && s->part[i - 1].node != h->node) i--;
        if (i == 0) {
            MEM_PUSH(s->part, s->n_part, s->cap_part, (struct part){ .node = h->node, .first = k });
            i = s->n_part;
        }
        s->part[i - 1].cpu += h->cpu_milli;
        s->part[i - 1].bw += s->load[k].bw;
    }
}

static const struct profile *profile_of(const struct speed *s, uint32_t t, double *scale)
{
    const struct job *j = job_of(s, t);
    uint32_t n_gpus = 0;
    if (s->env.profiles == NULL || j->model == NONE) return NULL;
    JOBS_UNIT_EACH(s->env.jobs, t, k) n_gpus += (uint32_t)asked_by(s, k)->n_gpu;
    return n_gpus == 0 ? NULL : profiles_find(s->env.profiles, j->model, s->n_part, n_gpus, scale);
}

/* Utilisation that the cores allow, on the unit's worst node. */
static double util_of(const struct speed *s, const struct profile *p, double scale)
{
    double least = p->best;
    for (uint32_t i = 0; i < s->n_part; i++) least = fmin(least, curve_at(&p->util, (double)s->part[i].cpu / 1000 / scale));
    return least;
}

/* How much longer everything takes under what the others move, on its worst node. */
static double slow_of(const struct speed *s, const struct profile *p)
{
    double most = 1;
    for (uint32_t i = 0; i < s->n_part && !curve_is_none(&p->slow); i++) {
        const struct part *x = &s->part[i];
        int64_t cap = s->env.cluster->node[x->node].mem_bw;
        if (cap > 0) most = fmax(most, curve_at(&p->slow, (double)(s->node_bw[x->node] - x->bw) * 100 / (double)cap));
    }
    return most;
}

static bool has_gpus(const struct speed *s, uint32_t t) { return asked_by(s, t)->n_gpu > 0; }

/* held / asked of the task with the least, 1 at most. */
static double cpu_factor(const struct speed *s, uint32_t t)
{
    double least = 1;
    JOBS_UNIT_EACH(s->env.jobs, t, k) {
        int64_t asked = asked_by(s, k)->cpu_milli, held = held_by(s, k)->cpu_milli;
        if (!has_gpus(s, k) && held < asked) least = fmin(least, (double)held / (double)asked);
    }
    return least;
}

static sim_rate type_rate(const struct speed *s, uint32_t t)
{
    uint32_t model = job_of(s, t)->model;
    sim_rate slowest = UINT32_MAX;
    JOBS_UNIT_EACH(s->env.jobs, t, k) {
        uint32_t node = held_by(s, k)->node;
        sim_rate r = throughput_rate(s->env.throughput, s->env.cluster, model, has_gpus(s, k) ? s->env.cluster->node[node].gpu_type : NONE);
        if (r < slowest) slowest = r;
    }
    return slowest;
}

/* Factor on the type's speed; *util of its GPUs. */
static double factor(struct speed *s, uint32_t t, double *util)
{
    double f = cpu_factor(s, t), scale;
    *util = has_gpus(s, t) ? 1 : 0;
    if (s->env.profiles == NULL) return f;
    find_parts(s, t);
    const struct profile *p = profile_of(s, t, &scale);
    if (p == NULL) return f;
    double u = util_of(s, p, scale), slow = slow_of(s, p);
    *util = u / slow;
    return f * u / p->best / slow;
}

static sim_rate scaled(sim_rate r, double f)
{
    if (r == 0 || f >= 1) return r;
    long v = lround(r * f);
    return v > 0 ? (sim_rate)v : 1;
}

sim_rate speed_rate(struct speed *s, uint32_t t)
{
    double util;
    return scaled(type_rate(s, t), factor(s, t, &util));
}

/* ---- demand ---- */

/* The monitor's last look at or before now. */
static sim_tick last_look(const struct speed *s, sim_tick now)
{
    sim_tick every = s->env.monitor.interval;
    return every > 0 ? now / every * every : now;
}

/* Before a figure changes: what the last look saw stays. */
static void keep_seen(const struct speed *s, struct load *l, sim_tick now)
{
    if (l->since < last_look(s, now)) { l->was_bw = l->bw; l->was_util = l->util; }
    l->since = now;
}

static void set_bw(struct speed *s, uint32_t task, int64_t bw, sim_tick now)
{
    struct load *l = &s->load[task];
    uint32_t node = held_by(s, task)->node;
    s->node_bw[node] += bw - l->bw;
    if (bw != l->bw) keep_seen(s, l, now);
    l->bw = bw;
    touch(s, node);
}

static void set_util(struct speed *s, uint32_t t, double util, sim_tick now)
{
    struct load *l = &s->load[t];
    int64_t u = util < 0 ? -1 : llround(util * RATE_ONE), gpu = 0;
    if (u == l->util) return;
    keep_seen(s, l, now);
    l->util = u;
    JOBS_UNIT_EACH(s->env.jobs, t, k) {
        const struct hold *h = held_by(s, k);
        gpu += (int64_t)h->gpu_milli * __builtin_popcountll(h->cards);
    }
    s->busy -= l->busy;
    l->busy = u > 0 ? u * gpu : 0;
    s->busy += l->busy;
}

static void set_demand(struct speed *s, uint32_t t, sim_tick now)
{
    double scale = 1;
    find_parts(s, t);
    const struct profile *p = profile_of(s, t, &scale);
    JOBS_UNIT_EACH(s->env.jobs, t, k) {
        int64_t asked = asked_by(s, k)->cpu_milli, held = held_by(s, k)->cpu_milli, bw = task_at(s, k)->mem_bw;
        if (p != NULL && task_at(s, k)->mem_bw == 0) continue;
        set_bw(s, k, asked > 0 && held < asked ? mul_div(bw, held, asked) : bw, now);
    }
    if (p == NULL) return;
    /* A profile's is the node's: its first task there stands for all. */
    double per_node = (double)p->bw * scale * util_of(s, p, scale) / p->best;
    for (uint32_t i = 0; i < s->n_part; i++)
        if (task_at(s, s->part[i].first)->mem_bw == 0) set_bw(s, s->part[i].first, llround(per_node), now);
}

void speed_begin(struct speed *s, uint32_t t, sim_tick now)
{
    if (s->env.profiles == NULL) return;
    make_room(s);
    JOBS_UNIT_EACH(s->env.jobs, t, k) s->load[k] = (struct load){ .was_bw = -1, .util = -1, .was_util = -1, .since = now };
    s->load[t].is_on = true;
    set_demand(s, t, now);
}

void speed_end(struct speed *s, uint32_t t, sim_tick now)
{
    if (t >= s->n_load || !s->load[t].is_on) return;
    set_util(s, t, -1, now);
    JOBS_UNIT_EACH(s->env.jobs, t, k) set_bw(s, k, 0, now);
    s->load[t].is_on = false;
}

void speed_resized(struct speed *s, uint32_t t, sim_tick now)
{
    if (s->env.profiles != NULL) {
        if (t < s->n_load && s->load[t].is_on) set_demand(s, t, now);
    } else if (task_at(s, t)->phase == PHASE_COMPUTE) {
        s->env.rerate(s->env.ctx, t, speed_rate(s, t));
    }
}

void speed_settle(struct speed *s, sim_tick now)
{
    for (uint32_t i = 0; i < s->n_dirty; i++) {
        s->is_dirty[s->dirty[i]] = false;
        for (uint32_t k = s->env.cluster->node[s->dirty[i]].first_hold; k != NONE; k = held_by(s, k)->next) {
            uint32_t t = jobs_lead(s->env.jobs, k);
            if (t >= s->n_load || !s->load[t].is_on) continue;
            double util, f = factor(s, t, &util);
            s->env.rerate(s->env.ctx, t, scaled(type_rate(s, t), f));
            set_util(s, t, util, now);
        }
    }
    s->n_dirty = 0;
}

/* ---- what can be measured ---- */

static int64_t noisy(const struct speed *s, int64_t v, double by)
{
    return v < 0 ? v : llround(fmax(0, (double)v * (1 + s->env.monitor.noise * by)));
}

struct speed_reading speed_read(const struct speed *s, uint32_t task, sim_tick now)
{
    uint32_t t = jobs_lead(s->env.jobs, task);
    if (task_at(s, t)->state != TASK_RUNNING || t >= s->n_load || !s->load[t].is_on) return (struct speed_reading){ -1, -1 };
    const struct load *u = &s->load[t], *b = &s->load[task];
    sim_tick look = last_look(s, now);
    bool always = s->env.monitor.interval == 0;
    struct speed_reading r = { .util = always || u->since < look ? u->util : u->was_util, .bw = always || b->since < look ? b->bw : b->was_bw };
    if (!has_gpus(s, task) && r.util >= 0) r.util = 0;
    if (s->env.monitor.noise <= 0) return r;
    struct rng g;
    rng_init(&g, s->env.seed ^ (uint64_t)look, "monitor", jobs_order(s->env.jobs, task));
    r.util = noisy(s, r.util, rng_normal(&g));
    r.bw = noisy(s, r.bw, rng_normal(&g));
    return r;
}

int64_t speed_busy(const struct speed *s) { return s->busy; }

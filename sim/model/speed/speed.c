#include "model/speed/speed.h"

#include <math.h>
#include <string.h>
#include "base/mem.h"
#include "base/rng.h"
#include "model/world_priv.h"

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
    struct load *load;  size_t n_load;
    int64_t     *node_bw;           /* [n_nodes] */
    bool        *is_dirty;          /* [n_nodes] */
    uint32_t    *dirty; uint32_t n_dirty;
    struct part *part;  size_t cap_part;
    uint32_t     n_part;
    int64_t      busy;
};

struct speed *speed_create(void)
{
    struct speed *s;
    MEM_NEW(s);
    return s;
}

void speed_destroy(struct speed *s)
{
    if (s == NULL) return;
    mem_free(s->load); mem_free(s->node_bw); mem_free(s->is_dirty); mem_free(s->dirty); mem_free(s->part);
    mem_free(s);
}

static void make_room(struct world *w)
{
    struct speed *s = w->speed;
    if (s->node_bw == NULL) {
        MEM_ARRAY(s->node_bw, w->cluster->n_nodes);
        MEM_ARRAY(s->is_dirty, w->cluster->n_nodes);
        MEM_ARRAY(s->dirty, w->cluster->n_nodes);
    }
    MEM_RESERVE(s->load, s->n_load, w->jobs.n_task_slots);
}

static void touch(struct speed *s, uint32_t node)
{
    if (s->is_dirty[node]) return;
    s->is_dirty[node] = true;
    s->dirty[s->n_dirty++] = node;
}

/* ---- one unit ---- */

/* By node, in order of first task: a gang's tasks on a node share its cores. */
static void find_parts(struct world *w, uint32_t t)
{
    struct speed *s = w->speed;
    s->n_part = 0;
    UNIT_EACH(w, t, k) {
        const struct hold *h = &w->cluster->hold[k];
        uint32_t i = s->n_part;
        while (i > 0 && s->part[i - 1].node != h->node) i--;
        if (i == 0) {
            MEM_RESERVE(s->part, s->cap_part, (size_t)s->n_part + 1);
            s->part[s->n_part++] = (struct part){ .node = h->node, .first = k };
            i = s->n_part;
        }
        s->part[i - 1].cpu += h->cpu_milli;
        s->part[i - 1].bw += s->load[k].bw;
    }
}

static const struct profile *profile_of(const struct world *w, uint32_t t, double *scale)
{
    const struct job *j = &w->jobs.job[w->jobs.task[t].job];
    uint32_t n_gpus = 0;
    if (w->cfg.profiles == NULL || j->model == NONE) return NULL;
    UNIT_EACH(w, t, k) n_gpus += (uint32_t)w->shapes.at[w->jobs.task[k].shape].n_gpu;
    return n_gpus == 0 ? NULL : profiles_find(w->cfg.profiles, j->model, w->speed->n_part, n_gpus, scale);
}

/* Utilisation that the cores allow, on the unit's worst node. */
static double util_of(const struct speed *s, const struct profile *p, double scale)
{
    double least = p->best;
    for (uint32_t i = 0; i < s->n_part; i++) least = fmin(least, curve_at(&p->util, (double)s->part[i].cpu / 1000 / scale));
    return least;
}

/* How much longer everything takes under what the others move, on its worst node. */
static double slow_of(const struct world *w, const struct profile *p)
{
    const struct speed *s = w->speed;
    double most = 1;
    for (uint32_t i = 0; i < s->n_part && !curve_is_none(&p->slow); i++) {
        const struct part *x = &s->part[i];
        int64_t cap = w->cluster->node[x->node].mem_bw;
        if (cap > 0) most = fmax(most, curve_at(&p->slow, (double)(s->node_bw[x->node] - x->bw) * 100 / (double)cap));
    }
    return most;
}

static bool has_gpus(const struct world *w, uint32_t t) { return w->shapes.at[w->jobs.task[t].shape].n_gpu > 0; }

/* held / asked of the task with the least, 1 at most. */
static double cpu_factor(const struct world *w, uint32_t t)
{
    double least = 1;
    UNIT_EACH(w, t, k) {
        int64_t asked = w->shapes.at[w->jobs.task[k].shape].cpu_milli, held = w->cluster->hold[k].cpu_milli;
        if (!has_gpus(w, k) && held < asked) least = fmin(least, (double)held / (double)asked);
    }
    return least;
}

static sim_rate type_rate(const struct world *w, uint32_t t)
{
    uint32_t model = w->jobs.job[w->jobs.task[t].job].model;
    sim_rate slowest = UINT32_MAX;
    UNIT_EACH(w, t, k) {
        uint32_t node = w->cluster->hold[k].node;
        sim_rate r = throughput_rate(w->cfg.perf, w->cluster, model, has_gpus(w, k) ? w->cluster->node[node].gpu_type : NONE);
        if (r < slowest) slowest = r;
    }
    return slowest;
}

/* Factor on the type's speed; *util of its GPUs. */
static double factor(struct world *w, uint32_t t, double *util)
{
    double f = cpu_factor(w, t), scale;
    *util = has_gpus(w, t) ? 1 : 0;
    if (w->speed == NULL) return f;
    find_parts(w, t);
    const struct profile *p = profile_of(w, t, &scale);
    if (p == NULL) return f;
    double u = util_of(w->speed, p, scale), slow = slow_of(w, p);
    *util = u / slow;
    return f * u / p->best / slow;
}

static sim_rate scaled(sim_rate r, double f)
{
    if (r == 0 || f >= 1) return r;
    long v = lround(r * f);
    return v > 0 ? (sim_rate)v : 1;
}

sim_rate speed_rate(struct world *w, uint32_t t)
{
    double util;
    return scaled(type_rate(w, t), factor(w, t, &util));
}

/* ---- demand ---- */

/* The monitor's last look at or before now. */
static sim_tick last_look(const struct world *w)
{
    sim_tick every = w->cfg.monitor.interval;
    return every > 0 ? w->engine.now / every * every : w->engine.now;
}

/* Before a figure changes: what the last look saw stays. */
static void keep_seen(const struct world *w, struct load *l)
{
    if (l->since < last_look(w)) { l->was_bw = l->bw; l->was_util = l->util; }
    l->since = w->engine.now;
}

static void set_bw(struct world *w, uint32_t task, int64_t bw)
{
    struct load *l = &w->speed->load[task];
    uint32_t node = w->cluster->hold[task].node;
    w->speed->node_bw[node] += bw - l->bw;
    if (bw != l->bw) keep_seen(w, l);
    l->bw = bw;
    touch(w->speed, node);
}

static void set_util(struct world *w, uint32_t t, double util)
{
    struct load *l = &w->speed->load[t];
    int64_t u = util < 0 ? -1 : llround(util * RATE_ONE), gpu = 0;
    if (u == l->util) return;
    keep_seen(w, l);
    l->util = u;
    UNIT_EACH(w, t, k) {
        const struct hold *h = &w->cluster->hold[k];
        gpu += (int64_t)h->gpu_milli * __builtin_popcountll(h->cards);
    }
    w->speed->busy -= l->busy;
    l->busy = u > 0 ? u * gpu : 0;
    w->speed->busy += l->busy;
}

static void set_demand(struct world *w, uint32_t t)
{
    struct speed *s = w->speed;
    double scale = 1;
    find_parts(w, t);
    const struct profile *p = profile_of(w, t, &scale);
    UNIT_EACH(w, t, k) {
        int64_t asked = w->shapes.at[w->jobs.task[k].shape].cpu_milli, held = w->cluster->hold[k].cpu_milli, bw = w->jobs.task[k].mem_bw;
        if (p != NULL && w->jobs.task[k].mem_bw == 0) continue;
        set_bw(w, k, asked > 0 && held < asked ? mul_div(bw, held, asked) : bw);
    }
    if (p == NULL) return;
    /* A profile's is the node's: its first task there stands for all. */
    double per_node = (double)p->bw * scale * util_of(s, p, scale) / p->best;
    for (uint32_t i = 0; i < s->n_part; i++)
        if (w->jobs.task[s->part[i].first].mem_bw == 0) set_bw(w, s->part[i].first, llround(per_node));
}

void speed_begin(struct world *w, uint32_t t)
{
    if (w->speed == NULL) return;
    make_room(w);
    UNIT_EACH(w, t, k) w->speed->load[k] = (struct load){ .was_bw = -1, .util = -1, .was_util = -1, .since = w->engine.now };
    w->speed->load[t].is_on = true;
    set_demand(w, t);
}

void speed_end(struct world *w, uint32_t t)
{
    struct speed *s = w->speed;
    if (s == NULL || t >= s->n_load || !s->load[t].is_on) return;
    set_util(w, t, -1);
    UNIT_EACH(w, t, k) set_bw(w, k, 0);
    s->load[t].is_on = false;
}

void speed_resized(struct world *w, uint32_t t)
{
    struct speed *s = w->speed;
    if (s == NULL) {
        if (w->jobs.task[t].phase == PHASE_COMPUTE) act_set_rate(&w->jobs.task[t].act, &w->engine.q, speed_rate(w, t), w->engine.now);
        return;
    }
    if (t < s->n_load && s->load[t].is_on) set_demand(w, t);
}

void speed_settle(struct world *w)
{
    struct speed *s = w->speed;
    if (s == NULL) return;
    for (uint32_t i = 0; i < s->n_dirty; i++) {
        s->is_dirty[s->dirty[i]] = false;
        for (uint32_t k = w->cluster->node[s->dirty[i]].first_hold; k != NONE; k = w->cluster->hold[k].next) {
            uint32_t t = unit_lead(w, k);
            if (t >= s->n_load || !s->load[t].is_on) continue;
            double util, f = factor(w, t, &util);
            act_set_rate(&w->jobs.task[t].act, &w->engine.q, scaled(type_rate(w, t), f), w->engine.now);
            set_util(w, t, util);
        }
    }
    s->n_dirty = 0;
}

/* ---- what can be measured ---- */

static int64_t noisy(const struct world *w, int64_t v, double by)
{
    return v < 0 ? v : llround(fmax(0, (double)v * (1 + w->cfg.monitor.noise * by)));
}

struct reading speed_reading(const struct world *w, uint32_t task)
{
    const struct speed *s = w->speed;
    uint32_t t = unit_lead(w, task);
    if (s == NULL || w->jobs.task[t].state != TASK_RUNNING || t >= s->n_load || !s->load[t].is_on) return (struct reading){ -1, -1 };
    const struct load *u = &s->load[t], *b = &s->load[task];
    sim_tick look = last_look(w);
    bool always = w->cfg.monitor.interval == 0;
    struct reading r = { .util = always || u->since < look ? u->util : u->was_util, .bw = always || b->since < look ? b->bw : b->was_bw };
    if (!has_gpus(w, task) && r.util >= 0) r.util = 0;
    if (w->cfg.monitor.noise <= 0) return r;
    struct rng g;
    rng_init(&g, w->cfg.seed ^ (uint64_t)look, "monitor", order_of(w, task));
    r.util = noisy(w, r.util, rng_normal(&g));
    r.bw = noisy(w, r.bw, rng_normal(&g));
    return r;
}

int64_t speed_busy(const struct world *w) { return w->speed != NULL ? w->speed->busy : 0; }

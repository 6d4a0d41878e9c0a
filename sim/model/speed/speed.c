/*
 * speed.c -- what units that compute demand, and how fast that lets each go.
 *
 * A change marks the nodes of its unit; speed_settle first divides the bandwidth of each
 * marked node, then looks at every unit on one, once a round.  Only sums are kept by node,
 * so a unit's own share is taken off to find what its neighbours ask.
 */
#include "model/speed/speed_priv.h"

#include <math.h>
#include <stdlib.h>
#include "base/mem.h"
#include "base/rng.h"

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
    MEM_FREE(s->load, s->node_bw, s->level, s->node_disk, s->disk_level, s->asked, s->is_dirty, s->dirty, s->part, s->count, s);
}

static void make_room(struct speed *s)
{
    if (s->node_bw == NULL) {
        MEM_ARRAY(s->node_bw, s->env.cluster->n_nodes);
        MEM_ARRAY(s->level, s->env.cluster->n_nodes);
        MEM_ARRAY(s->node_disk, s->env.cluster->n_nodes);
        MEM_ARRAY(s->disk_level, s->env.cluster->n_nodes);
        for (uint32_t i = 0; i < s->env.cluster->n_nodes; i++) s->level[i] = s->disk_level[i] = INT64_MAX;
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

sim_rate speed_on(const struct speed *s, uint32_t t, uint32_t node)
{
    uint32_t type = speed_has_gpus(s, t) ? s->env.cluster->node[node].gpu_type : NONE;
    return throughput_rate(s->env.throughput, s->env.cluster, speed_model(s, t), type);
}

/* By node, in order of first task: a gang's tasks on a node share its cores. */
static void find_parts(struct speed *s, uint32_t t)
{
    uint32_t model = speed_model(s, t), n_gpus = 0;
    s->n_part = 0;
    JOBS_UNIT_EACH(s->env.jobs, t, k) {
        const struct hold *h = speed_held(s, k);
        uint32_t i = s->n_part;
        while (i > 0 && s->part[i - 1].node != h->node) i--;
        if (i == 0) {
            MEM_PUSH(s->part, s->n_part, s->cap_part, (struct part){ .node = h->node, .first = k });
            i = s->n_part;
        }
        s->part[i - 1].cpu += h->cpu_milli;
        s->part[i - 1].bw += s->load[k].bw;
        s->part[i - 1].cards |= h->cards;
        s->part[i - 1].mem += h->mem_b;
        s->part[i - 1].n_gpus += (uint32_t)speed_asked(s, k)->n_gpu;
        n_gpus += (uint32_t)speed_asked(s, k)->n_gpu;
    }
    s->n_gpus = n_gpus;
    if (s->env.profiles == NULL || model == NONE || n_gpus == 0) return;
    for (uint32_t i = 0; i < s->n_part; i++) {
        struct part *x = &s->part[i];
        uint32_t type = s->env.cluster->node[x->node].gpu_type;
        x->profile = profiles_find(s->env.profiles, model, type, s->n_part, n_gpus, &x->scale);
        if (x->profile != NULL && x->profile->gpu_type == NONE && s->env.profiles->cores == PROFILE_CORES_BY_SPEED)
            x->scale *= (double)speed_on(s, x->first, x->node) / RATE_ONE;
    }
}

/* ---- one unit ---- */

static double part_slow(const struct speed *s, const struct part *x)
{
    int64_t cap = s->env.cluster->own[x->node].mem_bw;
    if (cap <= 0 || curve_is_none(&x->profile->slow)) return 1;
    return curve_at(&x->profile->slow, (double)(s->node_bw[x->node] - x->bw) * 100 / (double)cap);
}

/* What a task on the node moves of what it asks for. */
static int64_t allotted(const struct speed *s, uint32_t node, uint32_t k)
{
    int64_t bw = s->load[k].bw;
    if (s->level[node] == INT64_MAX || s->load[k].has_profile) return bw;
    if (s->env.profiles->division == PROFILE_PROPORTIONAL) return mul_div(bw, s->env.cluster->own[node].mem_bw, s->level[node]);
    return bw < s->level[node] ? bw : s->level[node];
}

/* The slowest type's speed, as the model; *cores: of tasks without GPUs held / asked, 1 at most; the worst task's. */
static sim_rate plain_rate(const struct speed *s, uint32_t t, uint32_t model, double *cores)
{
    sim_rate least = UINT32_MAX;
    double least_share = 1;
    JOBS_UNIT_EACH(s->env.jobs, t, k) {
        const struct shape *asked = speed_asked(s, k);
        const struct hold *held = speed_held(s, k);
        const uint32_t type = asked->n_gpu > 0 ? s->env.cluster->node[held->node].gpu_type : NONE;
        const sim_rate rate = throughput_rate(s->env.throughput, s->env.cluster, model, type);
        if (rate < least) least = rate;
        if (asked->n_gpu > 0 || held->cpu_milli >= asked->cpu_milli) continue;
        const double share = (double)held->cpu_milli / (double)asked->cpu_milli;
        if (share < least_share) least_share = share;
    }
    *cores = least_share;
    return least;
}

/* Without a profile: asked / moved bandwidth, the worst task's. */
static double plain_slow(const struct speed *s, uint32_t t)
{
    double slow = 1;
    JOBS_UNIT_EACH(s->env.jobs, t, k) {
        const int64_t bw = s->load[k].bw, got = allotted(s, speed_held(s, k)->node, k);
        if (got < bw) slow = fmax(slow, (double)bw / fmax(1, (double)got));
    }
    return slow;
}

/* How far the unit's cards are shared: its speed beside those who hold parts of them, on the worst card. */
static double card_factor(const struct speed *s, uint32_t t)
{
    const struct sharing *how = &s->env.profiles->sharing;
    double least = 1;
    if (!how->is_on) return 1;
    JOBS_UNIT_EACH(s->env.jobs, t, k) {
        const struct hold *h = speed_held(s, k);
        uint32_t type = s->env.cluster->node[h->node].gpu_type, model = speed_model(s, k);
        for (uint64_t cards = h->gpu_milli < 1000 ? h->cards : 0; cards != 0; cards &= cards - 1) {
            double sum = s->load[t].alone, speed = 1;
            for (uint32_t o = s->env.cluster->own[h->node].first_hold; o != NONE; o = speed_held(s, o)->next) {
                uint32_t lead = jobs_lead(s->env.jobs, o);
                double pair;
                if (o == k || (speed_held(s, o)->cards & cards & -cards) == 0 || lead >= s->n_load ||
                        !s->load[lead].is_on) continue;
                if (measured_find(&how->pairs, model, speed_model(s, o), type, &pair)) speed *= pair;
                else sum += s->load[lead].alone;
            }
            least = fmin(least, speed / fmax(1, sum));
        }
    }
    return least;
}

const struct scaling_row *speed_scaling_on(const struct speed *s, uint32_t t, uint32_t node)
{
    const struct elastic *e = &speed_job(s, t)->elastic;
    if (e->max == 0) return NULL;
    const struct phase *p = speed_phase(s, t);
    uint32_t scaling = p != NULL && p->scaling != NONE ? p->scaling : e->scaling;
    return scaling_find(&s->env.profiles->scaling, scaling, s->env.cluster->node[node].gpu_type);
}

/* Where the unit is whose parts were found last. */
static struct spread speed_spread(struct speed *s)
{
    MEM_RESERVE(s->count, s->cap_count, s->n_part);
    for (uint32_t i = 0; i < s->n_part; i++) s->count[i] = s->part[i].n_gpus;
    return (struct spread){ .count = s->count, .n_nodes = s->n_part, .n_gpus = s->n_gpus };
}

/* By its number of GPUs, over its parts. */
static double scale_factor(struct speed *s, uint32_t t)
{
    double least = INFINITY;
    uint32_t asked = speed_job(s, t)->n_asked * (uint32_t)speed_asked(s, t)->n_gpu;
    const struct spread where = speed_spread(s);
    for (uint32_t i = 0; i < s->n_part; i++) {
        const struct scaling_row *row = speed_scaling_on(s, t, s->part[i].node);
        if (row == NULL) continue;
        least = fmin(least, scaling_speed(row, asked, &where));
    }
    return isinf(least) ? 1 : least;
}

/* All of it, each on the unit's worst node. */
static struct speed_factors factors_of(struct speed *s, uint32_t t)
{
    struct speed_factors f = { .scale = 1, .cores = 1, .slow = 1, .cards = 1, .distance = 1, .data = 1,
                               .util = speed_has_gpus(s, t) ? 1 : 0 };
    f.type = plain_rate(s, t, speed_model(s, t), &f.cores);
    if (s->env.profiles == NULL) return f;
    f.slow = plain_slow(s, t);
    double least = 1, worst = INFINITY;
    find_parts(s, t);
    for (uint32_t i = 0; i < s->n_part; i++) {
        const struct part *x = &s->part[i];
        if (x->profile == NULL) continue;
        double u = speed_util(x);
        worst = fmin(worst, u);
        least = fmin(least, u / x->profile->best);
        f.slow = fmax(f.slow, part_slow(s, x));
    }
    f.cores *= least;
    f.cards = card_factor(s, t);
    f.scale = scale_factor(s, t);
    f.distance = speed_distance(s, t);
    f.data = speed_feed(s);
    if (!isinf(worst)) f.util = worst / f.slow * f.data;
    return f;
}

static sim_rate rate_of(const struct speed_factors *f)
{
    double by = f->cores / f->slow * f->cards * f->distance * f->data;
    if (f->type == 0 || (by >= 1 && f->scale == 1)) return f->type;
    double v = round(f->type * f->scale * fmin(by, 1));
    return v < 1 ? 1 : v < UINT32_MAX ? (sim_rate)v : UINT32_MAX - 1;
}

struct speed_factors speed_factors(struct speed *s, uint32_t t)
{
    struct speed_factors f = factors_of(s, t);
    if (s->env.profiles != NULL && phases_n(&s->env.profiles->phases, speed_job(s, t)->model) > 0)
        f.model = intern_name(&s->env.throughput->models, speed_model(s, t));
    return f;
}

sim_rate speed_rate(struct speed *s, uint32_t t)
{
    struct speed_factors f;
    if (s->env.profiles == NULL) {
        /* Mostly nothing slows it down, and all the other factors need not be made. */
        const sim_rate type = plain_rate(s, t, speed_job(s, t)->model, &f.cores);
        if (f.cores >= 1) return type;
    }
    f = factors_of(s, t);
    return rate_of(&f);
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
    if (l->since < last_look(s, now)) { l->was_got = l->got; l->was_util = l->util; }
    l->since = now;
}

static void set_got(const struct speed *s, struct load *l, int64_t got, sim_tick now)
{
    if (got != l->got) keep_seen(s, l, now);
    l->got = got;
}

static void set_bw(struct speed *s, uint32_t task, int64_t bw, sim_tick now)
{
    struct load *l = &s->load[task];
    uint32_t node = speed_held(s, task)->node;
    s->node_bw[node] += bw - l->bw;
    l->bw = bw;
    set_got(s, l, bw, now);         /* until the node's bandwidth is divided */
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
        const struct hold *h = speed_held(s, k);
        gpu += (int64_t)h->gpu_milli * __builtin_popcountll(h->cards);
    }
    s->busy -= l->busy;
    l->busy = u > 0 ? u * gpu : 0;
    s->busy += l->busy;
}

/* A profile's bandwidth is its node's: the unit's first task there stands for all. */
static void set_demand(struct speed *s, uint32_t t, sim_tick now)
{
    bool is_known = false;
    double alone = INFINITY;
    find_parts(s, t);
    for (uint32_t i = 0; i < s->n_part; i++)
        if (s->part[i].profile != NULL) { is_known = true; alone = fmin(alone, speed_util(&s->part[i])); }
    s->load[t].alone = is_known ? alone : speed_has_gpus(s, t) ? s->env.profiles->sharing.utilisation : 0;
    JOBS_UNIT_EACH(s->env.jobs, t, k) {
        int64_t asked = speed_asked(s, k)->cpu_milli, held = speed_held(s, k)->cpu_milli, bw = speed_task(s, k)->mem_bw;
        s->load[k].has_profile = is_known;
        if (is_known && bw == 0) continue;
        set_bw(s, k, asked > 0 && held < asked ? mul_div(bw, held, asked) : bw, now);
    }
    for (uint32_t i = 0; i < s->n_part; i++) {
        const struct part *x = &s->part[i];
        if (x->profile == NULL || speed_task(s, x->first)->mem_bw != 0) continue;
        set_bw(s, x->first, llround((double)x->profile->bw * x->scale * speed_util(x) / x->profile->best), now);
    }
    speed_feed_ask(s);
}

void speed_begin(struct speed *s, uint32_t t, sim_tick now)
{
    if (s->env.profiles == NULL) return;
    make_room(s);
    JOBS_UNIT_EACH(s->env.jobs, t, k)
        s->load[k] = (struct load){ .was_got = -1, .util = -1, .was_util = -1, .since = now, .flow = NONE };
    s->load[t].is_on = true;
    set_demand(s, t, now);
    speed_exchange_begin(s, t);
}

/* Not inline: without profiles nothing is on, and who asks that is to stay small; the same of settle. */
__attribute__((noinline))
static void end(struct speed *s, uint32_t t, sim_tick now)
{
    set_util(s, t, -1, now);
    JOBS_UNIT_EACH(s->env.jobs, t, k) set_bw(s, k, 0, now);
    speed_feed_end(s, t);
    speed_exchange_end(s, t, now);
    s->load[t].is_on = false;
}

void speed_end(struct speed *s, uint32_t t, sim_tick now)
{
    if (t < s->n_load && s->load[t].is_on) end(s, t, now);
}

void speed_resized(struct speed *s, uint32_t t, sim_tick now)
{
    if (s->env.profiles != NULL) {
        if (t < s->n_load && s->load[t].is_on) set_demand(s, t, now);
    } else if (speed_task(s, t)->phase == PHASE_COMPUTE) {
        s->env.rerate(s->env.ctx, t, speed_rate(s, t));
    }
}

void speed_turned(struct speed *s, uint32_t t, sim_tick now)
{
    speed_exchange_end(s, t, now);
    set_demand(s, t, now);
    speed_exchange_begin(s, t);
}

/* ---- what changed ---- */

uint32_t speed_computing(const struct speed *s, uint32_t k)
{
    while (k != NONE && (jobs_lead(s->env.jobs, k) >= s->n_load || !s->load[jobs_lead(s->env.jobs, k)].is_on))
        k = speed_held(s, k)->next;
    return k;
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int64_t speed_level(int64_t *asked, size_t n, int64_t cap)
{
    qsort(asked, n, sizeof *asked, by_size);
    for (int64_t left = (int64_t)n; left > 0; cap -= *asked++, left--)
        if (*asked > cap / left) return cap / left;
    return INT64_MAX;
}

/* What a node can move, among those without a profile that ask for more than that together. */
static void divide(struct speed *s, uint32_t node, sim_tick now)
{
    int64_t cap = s->env.cluster->own[node].mem_bw, sum = 0, was = s->level[node];
    size_t n = 0;
    s->level[node] = INT64_MAX;
    if (cap > 0 && s->node_bw[node] > cap) {
        SPEED_COMPUTING_EACH(s, node, k) {
            if (s->load[k].has_profile) continue;
            MEM_RESERVE(s->asked, s->cap_asked, n + 1);
            sum += s->asked[n++] = s->load[k].bw;
        }
        if (sum > cap && s->env.profiles->division == PROFILE_PROPORTIONAL) {
            s->level[node] = sum;
        } else if (sum > cap) {
            s->level[node] = speed_level(s->asked, n, cap);
        }
    }
    if (was == INT64_MAX && s->level[node] == INT64_MAX) return;
    SPEED_COMPUTING_EACH(s, node, k) set_got(s, &s->load[k], allotted(s, node, k), now);
}

static void look_again(struct speed *s, uint32_t t, sim_tick now)
{
    struct speed_factors f = factors_of(s, t);
    s->env.rerate(s->env.ctx, t, rate_of(&f));
    set_util(s, t, f.util, now);
}

__attribute__((noinline))
static void settle(struct speed *s, sim_tick now)
{
    uint32_t n_changed = 0;
    const uint32_t *changed = s->env.net != NULL ? net_changed(s->env.net, &n_changed) : NULL;
    for (uint32_t i = 0; i < s->n_dirty; i++) {
        divide(s, s->dirty[i], now);
        speed_feed_divide(s, s->dirty[i]);
    }
    for (uint32_t i = 0; i < s->n_dirty; i++) {
        s->is_dirty[s->dirty[i]] = false;
        SPEED_COMPUTING_EACH(s, s->dirty[i], k) look_again(s, jobs_lead(s->env.jobs, k), now);
    }
    s->n_dirty = 0;
    for (uint32_t i = 0; i < n_changed; i++) look_again(s, changed[i], now);
}

void speed_settle(struct speed *s, sim_tick now)
{
    if (s->n_dirty > 0 || s->env.net != NULL) settle(s, now);
}

void speed_audit(const struct speed *s)
{
    for (uint32_t n = 0; n < s->env.cluster->n_nodes && s->node_bw != NULL; n++) {
        int64_t bw = 0, disk = 0;
        for (uint32_t k = s->env.cluster->own[n].first_hold; k != NONE; k = speed_held(s, k)->next) {
            if (k >= s->n_load) continue;
            SIM_ASSERT(s->load[jobs_lead(s->env.jobs, k)].is_on || (s->load[k].bw == 0 && s->load[k].disk == 0));
            bw += s->load[k].bw;
            disk += s->load[k].disk;
        }
        SIM_ASSERT(bw == s->node_bw[n] && disk == s->node_disk[n] && !s->is_dirty[n]);
    }
}

/* ---- what can be measured ---- */

static int64_t noisy(const struct speed *s, int64_t v, double by)
{
    return v < 0 ? v : llround(fmax(0, (double)v * (1 + s->env.monitor.noise * by)));
}

struct speed_reading speed_read(const struct speed *s, uint32_t task, sim_tick now)
{
    uint32_t t = jobs_lead(s->env.jobs, task);
    if (speed_task(s, t)->state != TASK_RUNNING || t >= s->n_load || !s->load[t].is_on)
        return (struct speed_reading){ -1, -1 };
    const struct load *u = &s->load[t], *b = &s->load[task];
    sim_tick look = last_look(s, now);
    bool always = s->env.monitor.interval == 0;
    struct speed_reading r = { .util = always || u->since < look ? u->util : u->was_util, .bw = always || b->since < look ? b->got : b->was_got };
    if (!speed_has_gpus(s, task) && r.util >= 0) r.util = 0;
    if (s->env.monitor.noise <= 0) return r;
    struct rng g;
    rng_init(&g, s->env.seed ^ (uint64_t)look, "monitor", jobs_order(s->env.jobs, task));
    r.util = noisy(s, r.util, rng_normal(&g));
    r.bw = noisy(s, r.bw, rng_normal(&g));
    return r;
}

int64_t speed_busy(const struct speed *s) { return s->busy; }

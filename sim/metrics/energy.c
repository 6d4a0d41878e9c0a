/*
 * energy.c -- the collector of energy and money: of the run, of users and of jobs; a row for each job.
 *
 * What nodes and cards draw is constant between instants.  A change marks its nodes, which are looked at once the
 * instant's state is final: O(holders x cards of the node) each.  What a task draws depends on its neighbours, so
 * all holders of such a node are folded with what they drew before.  Sums are integers, in the units of
 * model/cluster/energy.h; what a task pays for its share of a node is rounded down, by less than 10^-15 each time.
 */
#include "metrics/collector.h"

#include "base/mem.h"

static const struct collector_metric metric[] = {
    { "energy", "kWh", COLLECTOR_ONE }, { "energy_idle", "kWh", COLLECTOR_ONE },
    { "cost", "1", COLLECTOR_ONE }, { "cost_idle", "1", COLLECTOR_ONE },
    { "power", "kW", COLLECTOR_SERIES },
    { NULL, NULL, COLLECTOR_ONE },
};

/* Integrals: of power; of power x price of electricity; of prices of nodes and cards. */
struct sum { sim_wide drawn, electricity, rent; };

struct by_task {
    int64_t  mw;                /* it draws now */
    int64_t  cpu;               /* milli-CPU that it pays for */
    int64_t  cards;             /* the same of cards, thousandths */
    uint32_t node;              /* NONE: does not run */
    sim_tick since;             /* folded up to here */
    int64_t  util;              /* of a unit's first task: of its cards, in 1/65536 */
    uint64_t seen;              /* the look at which that was found */
};

struct by_node { int64_t mw; bool is_up, is_dirty; };

struct energy_use {
    const struct collector_out *out;
    const struct energy *of;
    struct by_task *task; size_t n_tasks;
    struct by_node *node;                       /* [n_nodes] */
    uint32_t *dirty; uint32_t n_dirty;          /* nodes to look at */
    struct sum *job, *user; size_t n_jobs, n_users;
    struct sum run;
    int64_t  mw;                                /* of the cluster now */
    sim_tick since;
    /* That are up: nodes by draw, cards by type. */
    struct up { uint32_t n; sim_tick since; } *nodes, cards[GPU_TYPES_MAX];
    uint64_t n_looks;
};

static bool init(void *self, const struct world *w)
{
    struct energy_use *e = self;
    const struct cluster *c = world_cluster(w);
    e->of = e->out->opts->energy;
    if (e->of == NULL) return false;
    MEM_ARRAY(e->node, c->n_nodes);
    MEM_ARRAY(e->dirty, c->n_nodes);
    MEM_ARRAY(e->nodes, e->of->n_node);
    for (; e->n_dirty < c->n_nodes; e->n_dirty++) {
        e->node[e->n_dirty].is_dirty = true;
        e->dirty[e->n_dirty] = e->n_dirty;
    }
    e->since = world_now(w);
    return true;
}

static void fini(void *self)
{
    struct energy_use *e = self;
    MEM_FREE(e->task, e->node, e->dirty, e->job, e->user, e->nodes);
}

static void touch(struct energy_use *e, uint32_t node)
{
    if (e->node[node].is_dirty) return;
    e->node[node].is_dirty = true;
    e->dirty[e->n_dirty++] = node;
}

static uint32_t lead_of(const struct world *w, uint32_t task)
{
    const struct job *j = world_job_of(w, task);
    return j->gang ? j->first_task : task;
}

/* All nodes on which a unit runs. */
static void touch_unit(struct energy_use *e, const struct world *w, uint32_t lead)
{
    const bool gang = world_job_of(w, lead)->gang;
    for (uint32_t t = lead; t != NONE; t = gang ? world_task(w, t)->next : NONE)
        if (cluster_hold(world_cluster(w), t) != NULL) touch(e, cluster_hold(world_cluster(w), t)->node);
}

/* ---- folding ---- */

static void add(struct sum *to, const struct sum *x)
{
    to->drawn += x->drawn;
    to->electricity += x->electricity;
    to->rent += x->rent;
}

static sim_wide price(const struct energy_use *e, const struct price *p, sim_tick from, sim_tick to)
{
    return energy_price_between(p, e->of->starts_at, from, to);
}

static void fold_run(struct energy_use *e, sim_tick now)
{
    struct sum x = { .drawn = (sim_wide)e->mw * (now - e->since),
                     .electricity = e->mw * price(e, &e->of->electricity, e->since, now) };
    add(&e->run, &x);
    e->since = now;
}

/* The rent of all nodes of a draw, or all cards of a type. */
static void fold_rent(struct energy_use *e, struct up *u, const struct price *p, sim_tick now)
{
    if (u->n > 0) e->run.rent += u->n * price(e, p, u->since, now);
    u->since = now;
}

static int64_t offered(const struct pol_node *n) { return n->cpu_total - n->cpu_reserved; }

static const struct draw *draw_of(const struct energy_use *e, const struct cluster *c, uint32_t node)
{
    return &e->of->node[c->own[node].draw];
}

static void fold_task(struct energy_use *e, const struct world *w, uint32_t task)
{
    struct by_task *k = &e->task[task];
    const sim_tick now = world_now(w);
    if (k->node == NONE || k->since == now) return;
    const struct pol_node *n = &world_cluster(w)->node[k->node];
    struct sum x = { .drawn = (sim_wide)k->mw * (now - k->since),
                     .electricity = k->mw * price(e, &e->of->electricity, k->since, now),
                     .rent = price(e, &draw_of(e, world_cluster(w), k->node)->price, k->since, now) * k->cpu / offered(n) };
    if (k->cards > 0) x.rent += price(e, &e->of->card[n->gpu_type].price, k->since, now) * k->cards / GPU_WHOLE;
    add(&e->job[world_task(w, task)->job], &x);
    add(&e->user[world_job_of(w, task)->user], &x);
    k->since = now;
}

/* ---- what a node draws now ---- */

/* As gpu_active has it: 0 of a unit that does not compute, 1 of one without a profile. */
static int64_t find_util(const struct world *w, uint32_t lead)
{
    const struct task *t = world_task(w, lead);
    if (t->phase != PHASE_COMPUTE || world_shape(w, t->shape)->n_gpu == 0) return 0;
    if (world_config(w)->profiles == NULL || world_job_of(w, lead)->calls != NULL) return RATE_ONE;
    return llround(world_speed_factors(w, lead).util * RATE_ONE);
}

/* A unit may be slowed by what happens on one of its nodes: then its cards idle on the others, too. */
static int64_t util_of(struct energy_use *e, const struct world *w, uint32_t task)
{
    const uint32_t lead = lead_of(w, task);
    struct by_task *k = &e->task[lead];
    if (k->seen == e->n_looks) return k->util;
    int64_t was = k->util;
    k->seen = e->n_looks;
    k->util = find_util(w, lead);
    if (k->util != was) touch_unit(e, w, lead);
    return k->util;
}

struct on_cards { int64_t used[NODE_GPUS_MAX], mw[NODE_GPUS_MAX]; };    /* used: utilisation x thousandths held */

/* Of idle power a task draws its share of the node and its cards; of what is drawn above, its share of what is used. */
static int64_t task_mw(struct energy_use *e, const struct world *w, uint32_t task, int64_t node_mw, const struct on_cards *on)
{
    const struct cluster *c = world_cluster(w);
    const struct hold *h = cluster_hold(c, task);
    const struct pol_node *n = &c->node[h->node];
    const int64_t idle = draw_of(e, c, h->node)->power.mw[0], offers = offered(n), used = offers - n->cpu_free;
    sim_wide mw = (sim_wide)idle * h->cpu_milli / offers;
    if (used > 0) mw += (sim_wide)(node_mw - idle) * h->cpu_milli / used;
    for (uint64_t cards = h->cards; cards != 0; cards &= cards - 1) {
        const int k = __builtin_ctzll(cards);
        const int64_t of_card = e->of->card[n->gpu_type].power.mw[0];
        mw += (sim_wide)of_card * h->gpu_milli / GPU_WHOLE;
        if (on->used[k] == 0) continue;
        mw += (sim_wide)(on->mw[k] - of_card) * util_of(e, w, task) * h->gpu_milli / on->used[k];
    }
    return (int64_t)mw;
}

static void look_at(struct energy_use *e, const struct world *w, uint32_t node)
{
    const struct cluster *c = world_cluster(w);
    const struct pol_node *n = &c->node[node];
    const struct draw *draw = draw_of(e, c, node);
    const uint32_t id = c->own[node].draw, first = c->own[node].first_hold;
    struct by_node *was = &e->node[node];
    struct on_cards on = { .used = { 0 } };
    int64_t mw = 0, all = 0;
    for (uint32_t t = first; t != NONE; t = c->hold[t].next)
        for (uint64_t cards = c->hold[t].cards; cards != 0; cards &= cards - 1)
            on.used[__builtin_ctzll(cards)] += util_of(e, w, t) * c->hold[t].gpu_milli;
    if (n->is_up) all = mw = energy_power_at(&draw->power, offered(n) - n->cpu_free, offered(n));
    for (uint32_t k = 0; k < n->n_gpu && n->is_up; k++)
        all += on.mw[k] = energy_power_at(&e->of->card[n->gpu_type].power, on.used[k], (int64_t)RATE_ONE * GPU_WHOLE);
    e->mw += all - was->mw;
    was->mw = all;
    if (n->is_up != was->is_up) {
        fold_rent(e, &e->nodes[id], &draw->price, world_now(w));
        e->nodes[id].n += n->is_up ? 1U : -1U;
        if (n->n_gpu > 0) fold_rent(e, &e->cards[n->gpu_type], &e->of->card[n->gpu_type].price, world_now(w));
        if (n->n_gpu > 0) e->cards[n->gpu_type].n += n->is_up ? n->n_gpu : -n->n_gpu;
        was->is_up = n->is_up;
    }
    for (uint32_t t = first; t != NONE; t = c->hold[t].next) {
        const struct hold *h = &c->hold[t];
        fold_task(e, w, t);
        e->task[t].cpu = h->cpu_milli;
        e->task[t].cards = (int64_t)h->gpu_milli * h->n_cards;
        e->task[t].mw = task_mw(e, w, t, mw, &on);
    }
}

/* Bounded: a unit's utilisation is found once a look, and only that marks further nodes. */
static void look(struct energy_use *e, const struct world *w)
{
    if (e->n_dirty == 0) return;
    fold_run(e, world_now(w));
    e->n_looks++;
    while (e->n_dirty > 0) {
        uint32_t node = e->dirty[--e->n_dirty];
        e->node[node].is_dirty = false;
        look_at(e, w, node);
    }
}

/* ---- what happens ---- */

static void on_arrived(void *self, const struct world *w, uint32_t job)
{
    struct energy_use *e = self;
    MEM_RESERVE(e->job, e->n_jobs, (size_t)job + 1);
    MEM_RESERVE(e->user, e->n_users, (size_t)world_job(w, job)->user + 1);
    e->job[job] = (struct sum){ .drawn = 0 };
}

static void on_started(void *self, const struct world *w, uint32_t task)
{
    struct energy_use *e = self;
    const uint32_t node = cluster_hold(world_cluster(w), task)->node;
    MEM_RESERVE(e->task, e->n_tasks, (size_t)world_n_task_slots(w));
    e->task[task] = (struct by_task){ .node = node, .since = world_now(w) };
    touch(e, node);
}

static void on_stopped(void *self, const struct world *w, uint32_t task, enum stop_reason reason)
{
    struct energy_use *e = self;
    (void)reason;
    fold_task(e, w, task);
    touch(e, e->task[task].node);
    e->task[task].node = NONE;
}

static void on_resized(void *self, const struct world *w, uint32_t task, int64_t was, int64_t mem_was)
{
    (void)was, (void)mem_was;
    touch_unit(self, w, lead_of(w, task));
}

static void on_turned(void *self, const struct world *w, uint32_t lead) { touch_unit(self, w, lead); }

static void on_node_changed(void *self, const struct world *w, uint32_t node)
{
    (void)w;
    touch(self, node);
}

static void on_instant(void *self, const struct world *w) { look(self, w); }

static void on_sample(void *self, const struct world *w)
{
    struct energy_use *e = self;
    look(e, w);
    if (e->of->has_power) collector_put_series(e->out, world_now(w), "power", (double)e->mw / 1e6);
}

/* ---- what it comes to ---- */

static double kwh(const struct energy_use *e, const struct sum *s)
{
    return e->of->has_power ? (double)s->drawn / (1e6 * 3600e6) : NAN;
}

static double cost(const struct energy_use *e, const struct sum *s)
{
    if (!e->of->has_price) return NAN;
    return (double)s->electricity / (1e6 * 3600e6 * 1e6) + (double)s->rent / (3600e6 * 1e6);
}

static void on_job_ended(void *self, const struct world *w, uint32_t job)
{
    const struct energy_use *e = self;
    const struct metrics_opts *o = e->out->opts;
    if (!collector_writes_jobs(e->out)) return;
    const struct sum *s = &e->job[job];
    (void)store_energy(o->store, o->run, &(struct store_energy){
        .ordinal = world_job(w, job)->ordinal, .kwh = kwh(e, s), .cost = cost(e, s) }, e->out->error);
}

static void put_users(struct energy_use *e, const struct world *w, struct sum *idle)
{
    for (uint32_t i = 0; i < world_users(w)->n && i < e->n_users; i++) {
        const struct sum *u = &e->user[i];
        char *scope = collector_scope("user", intern_name(world_users(w), i));
        collector_put(e->out, "energy", scope, kwh(e, u));
        collector_put(e->out, "cost", scope, cost(e, u));
        mem_free(scope);
        idle->drawn -= u->drawn;
        idle->electricity -= u->electricity;
        idle->rent -= u->rent;
    }
}

static void emit(void *self, const struct world *w)
{
    struct energy_use *e = self;
    const struct cluster *c = world_cluster(w);
    fold_run(e, world_now(w));
    for (size_t i = 0; i < e->of->n_node; i++) fold_rent(e, &e->nodes[i], &e->of->node[i].price, world_now(w));
    for (size_t i = 0; i < GPU_TYPES_MAX; i++) fold_rent(e, &e->cards[i], &e->of->card[i].price, world_now(w));
    for (uint32_t i = 0; i < c->n_nodes; i++)
        for (uint32_t t = c->own[i].first_hold; t != NONE; t = c->hold[t].next) fold_task(e, w, t);
    struct sum idle = e->run;
    put_users(e, w, &idle);
    collector_put(e->out, "energy", "all", kwh(e, &e->run));
    collector_put(e->out, "energy_idle", "all", kwh(e, &idle));
    collector_put(e->out, "cost", "all", cost(e, &e->run));
    collector_put(e->out, "cost_idle", "all", cost(e, &idle));
}

const struct collector energy_collector = {
    .metric = metric, .size = sizeof(struct energy_use), .init = init, .emit = emit, .fini = fini,
    .observer = { .arrived = on_arrived, .started = on_started, .resized = on_resized, .stopped = on_stopped,
                  .rated = on_turned, .phase = on_turned, .job_ended = on_job_ended, .node_changed = on_node_changed,
                  .instant = on_instant, .sample = on_sample },
};

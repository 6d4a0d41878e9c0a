/* gpujobs.c -- the books of jobs that use GPUs, see gpujobs.h. */
#include "lib/data/gpujobs.h"

#include "lib/util.h"

void gpujobs_init(struct gpujobs *g, struct sched *sched, enum locality_by by)
{
    memset(g, 0, sizeof *g);
    g->sched = sched;
    g->free_group = POL_NONE;
    locality_init(&g->locality, sched->host, &sched->plan, by);
}

static void close_job(struct gpujobs *g, struct gpujob *j)
{
    for (uint32_t x = j->first_group, next; x != POL_NONE; x = next) {
        next = g->group[x].next;
        locality_index_fini(&g->group[x].index);
        g->group[x].next = g->free_group;
        g->free_group = x;
    }
    queue_fini(&j->wait);
    queue_fini(&j->data);
    j->is_known = false;
}

void gpujobs_fini(struct gpujobs *g)
{
    for (size_t i = 0; i < g->cap; i++)
        if (g->at[i].is_known) close_job(g, &g->at[i]);
    locality_fini(&g->locality);
    queue_fini(&g->apart);
    POL_FREE(g->at, g->group, g->has_data, g->asks.at, g->order.at, g->dirty.slot, g->shares.want, g->shares.share);
}

int64_t gpujobs_ask(struct gpujobs *g, uint32_t class)
{
    const struct sched *d = g->sched;
    POL_RESERVE(g->asks.at, g->asks.cap, (size_t)class + 1);
    int64_t *ask = &g->asks.at[class];
    if (*ask == 0) {
        const struct request_class *k = &d->classes.at[class];
        *ask = 1;
        for (uint32_t i = 0; i < k->n_tasks; i++) {
            const struct pol_shape *s = &d->view->shape[k->shape[i]];
            *ask += (int64_t)s->n_gpu * s->gpu_milli;
        }
    }
    return *ask - 1;
}

void gpujobs_class_gone(struct gpujobs *g, uint32_t class)
{
    if (class < g->asks.cap) g->asks.at[class] = 0;
}

bool gpujobs_is_apart(const struct gpujobs *g, uint32_t class)
{
    const struct request_class *k = &g->sched->classes.at[class];
    const struct pol_shape *s = &g->sched->view->shape[k->shape[0]];
    return g->sets_apart && k->n_tasks == 1 && s->n_gpu == 1 && s->gpu_milli == GPU && !s->exclusive;
}

/* ---- jobs come and go ---- */

static void mark(struct gpujobs *g, uint32_t slot)
{
    g->shares.stand = false;
    if (g->at[slot].is_dirty) return;
    g->at[slot].is_dirty = true;
    POL_PUSH(g->dirty.slot, g->dirty.n, g->dirty.cap, slot);
}

/* What is over leaves the list when it makes up half of it. */
static void prune(struct gpujobs *g)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->order.n; i++) {
        struct gpujob *j = gpujobs_nth(g, i);
        if (j == NULL) continue;
        if (j->held + j->waiting > 0) g->order.at[n++] = g->order.at[i];
        else j->is_listed = false;
    }
    g->order.n = g->order.n_kept = n;
}

/* Jobs mostly come in order of arrival; one whose next stage is ready comes late. */
static void list_job(struct gpujobs *g, uint32_t slot)
{
    g->at[slot].is_listed = true;
    if (g->order.n >= 2 * g->order.n_kept + 64) prune(g);
    POL_RESERVE(g->order.at, g->order.cap, (size_t)g->order.n + 1);
    uint32_t i = g->order.n++;
    uint64_t ordinal = g->at[slot].ordinal;
    for (; i > 0 && g->order.at[i - 1].ordinal > ordinal; i--) g->order.at[i] = g->order.at[i - 1];
    g->order.at[i] = (struct gpujobs_listed){ ordinal, slot };
}

static void open_job(struct gpujobs *g, const struct unit *u)
{
    POL_RESERVE(g->at, g->cap, (size_t)u->job.slot + 1);
    struct gpujob *j = &g->at[u->job.slot];
    if (j->is_known && j->ordinal == u->ordinal) return;
    if (j->is_known) close_job(g, j);
    const struct pol_job_info *ji = g->sched->host->job(g->sched->host->ctx, u->job);
    *j = (struct gpujob){ .ordinal = u->ordinal, .job = u->job, .user = u->user, .queue = ji->queue, .runs = UNIT_SET_EMPTY,
                          .first_group = POL_NONE, .is_known = true };
}

static uint32_t group_of(struct gpujobs *g, const struct unit *u)
{
    struct gpujob *j = gpujobs_of(g, u);
    for (uint32_t x = j->first_group; x != POL_NONE; x = g->group[x].next)
        if (g->group[x].request_class == u->request_class) return x;
    uint32_t x = g->free_group;
    if (x == POL_NONE) {
        POL_RESERVE(g->group, g->cap_group, (size_t)g->n_groups + 1);
        x = g->n_groups++;
    } else {
        g->free_group = g->group[x].next;
    }
    g->group[x] = (struct gpujobs_group){ .job = u->job.slot, .request_class = u->request_class, .next = j->first_group,
                                          .nth = j->first_group == POL_NONE ? 0 : g->group[j->first_group].nth + 1 };
    return j->first_group = x;
}

static uint32_t shape_of(const struct gpujobs *g, uint32_t class) { return g->sched->classes.at[class].shape[0]; }

static pol_task handle(const void *ctx, uint32_t task)
{
    const struct gpujobs *g = ctx;
    return sched_unit(g->sched, task)->task;
}

void gpujobs_relearn(struct gpujobs *g, uint32_t unit)
{
    const struct unit *u = sched_unit(g->sched, unit);
    if (g->has_data[unit]) locality_learn(&g->locality, u->task, shape_of(g, u->request_class));
}

/* Learn the costs of the queue's units again. */
static void relearn_queue(struct gpujobs *g, struct queue *q)
{
    struct sched *d = g->sched;
    queue_walk_open(&d->walk, q, &d->units, NULL, NULL);
    for (uint32_t id; (id = queue_walk_top(&d->walk)) != POL_NONE; queue_walk_step(&d->walk, &d->units, POL_NEVER))
        gpujobs_relearn(g, id);
}

void gpujobs_open(struct gpujobs *g, const struct pol_event *ev, size_t n_ev)
{
    bool changed = false;
    for (size_t i = 0; i < n_ev; i++) {
        changed |= ev[i].type == POL_NODE_DOWN || ev[i].type == POL_NODE_UP;
        g->n_freed += ev[i].type == POL_NODE_UP;
    }
    g->has_relearnt = g->locality.by != LOCALITY_RACK && locality_is_old(&g->locality);
    if (!g->has_relearnt && (!changed || g->locality.by != LOCALITY_LEAST)) return;
    for (uint32_t i = 0; i < g->order.n; i++) {
        const struct gpujob *j = gpujobs_nth(g, i);
        for (uint32_t x = j != NULL ? j->first_group : POL_NONE; x != POL_NONE; x = g->group[x].next)
            locality_index_renew(&g->locality, &g->group[x].index, shape_of(g, g->group[x].request_class), handle, g);
    }
    if (!g->has_relearnt) return;
    relearn_queue(g, &g->apart);
    relearn_queue(g, &g->sched->wait);
}

/* ---- what the scheduler state tells ---- */

int64_t gpujobs_wait_key(struct gpujobs *g, const struct unit *u)
{
    const struct pol_host *h = g->sched->host;
    uint32_t t = u->task.slot;
    POL_RESERVE(g->has_data, g->cap_has_data, (size_t)t + 1);
    g->has_data[t] = u->n_tasks == 1 && g->locality.data->n_inputs(h->ctx, u->task) > 0;
    if (g->has_data[t]) locality_learn(&g->locality, u->task, shape_of(g, u->request_class));
    if (gpujobs_ask(g, u->request_class) > 0) open_job(g, u);
    return 0;
}

struct queue *gpujobs_queue(struct gpujobs *g, const struct unit *u)
{
    if (gpujobs_ask(g, u->request_class) == 0) return &g->sched->wait;
    if (gpujobs_is_apart(g, u->request_class)) return &g->apart;
    struct gpujob *j = gpujobs_of(g, u);
    return g->has_data[u->task.slot] ? &j->data : &j->wait;
}

void gpujobs_waits(struct gpujobs *g, const struct unit *u, int sign)
{
    int64_t ask = gpujobs_ask(g, u->request_class);
    if (ask == 0) return;
    struct gpujob *j = gpujobs_of(g, u);
    uint32_t at = group_of(g, u), t = u->task.slot;     /* the groups may move */
    struct gpujobs_group *x = &g->group[at];
    j->waiting += sign * ask;
    g->waiting += sign * ask;
    x->n_waiting += (uint32_t)sign;
    if (g->has_data[t] && !gpujobs_is_apart(g, u->request_class)) {
        x->n_data += (uint32_t)sign;
        g->n_data += (uint32_t)sign;
        if (sign > 0) locality_index_add(&g->locality, &x->index, t, u->index);
        else locality_index_del(&g->locality, t);
        if (x->n_data == 0) locality_index_fini(&x->index);
    }
    if (!j->is_listed) list_job(g, u->job.slot);
    mark(g, u->job.slot);
}

void gpujobs_moved(struct gpujobs *g, const struct unit *u, int sign)
{
    int64_t ask = gpujobs_ask(g, u->request_class);
    if (ask == 0) return;
    struct gpujob *j = gpujobs_of(g, u);
    struct units *units = &g->sched->units;
    uint32_t id = u->task.slot;
    j->held += sign * ask;
    if (sign > 0) {
        units->at[id].key = u->started;
        g->n_spare_runs += j->runs.n > 0;
        unit_set_add(&j->runs, units, id);
    } else {
        unit_set_del(&j->runs, units, id);
        g->n_spare_runs -= j->runs.n > 0;
        g->n_freed++;
    }
    mark(g, u->job.slot);
}

/* ---- shares ---- */

void gpujobs_share(struct gpujobs *g)
{
    int64_t q = g->sched->view->gpu_total;
    if (g->shares.stand && g->shares.of_gpus == q) return;
    POL_RESERVE(g->shares.want, g->shares.cap_want, g->order.n);
    POL_RESERVE(g->shares.share, g->shares.cap_share, g->order.n);
    for (uint32_t i = 0; i < g->order.n; i++) {
        const struct gpujob *j = gpujobs_nth(g, i);
        int64_t want = j != NULL ? j->held + j->waiting : 0, most = j != NULL && j->held > g->quota ? j->held : g->quota;
        g->shares.want[i] = g->quota > 0 && want > most ? most : want;
    }
    gpushare(q, GPU, g->order.n, g->shares.want, g->shares.share);
    for (uint32_t i = 0; i < g->order.n; i++) {
        struct gpujob *j = gpujobs_nth(g, i);
        if (j != NULL) j->share = g->shares.share[i];
    }
    g->shares.of_gpus = q;
    g->shares.stand = true;
}

uint32_t gpujobs_victim(struct gpujobs *g, const struct gpujob *j, uint32_t after, int64_t spare)
{
    const struct sched *d = g->sched;
    uint32_t longest = unit_set_first(&j->runs, &d->units);
    uint32_t v = after == POL_NONE ? unit_set_last(&j->runs, &d->units) : unit_set_prev(&j->runs, &d->units, after);
    for (; v != POL_NONE && v != longest; v = unit_set_prev(&j->runs, &d->units, v))
        if (sched_unit(d, v)->started != d->view->now_us && gpujobs_ask(g, sched_unit(d, v)->request_class) <= spare) return v;
    return POL_NONE;
}

/* ---- locality ---- */

bool gpujobs_nearest(struct gpujobs *g, struct gpujobs_group *x, const uint32_t *node, uint32_t n, struct locality_candidate *best, struct locality_nodes *nodes)
{
    const struct plan *p = &g->sched->plan;
    const struct pol_shape *s = &p->shape[shape_of(g, x->request_class)];
    bool fits = false;
    for (uint32_t i = 0; i < n; i++) {
        if (!plan_fits(p, node[i], s)) continue;
        fits = true;
        struct locality_candidate was = *best;
        if (!locality_index_best(&g->locality, &x->index, node[i], best)) continue;
        if (locality_before(best, &was)) nodes->n = 0;
        POL_PUSH(nodes->at, nodes->n, nodes->cap, node[i]);
    }
    return fits;
}

/* A choice of Kubernetes among all nodes counts as a search of its own, and fits less than the plan says. */
bool gpujobs_knows_regions(const struct gpujobs *g, const struct gpujobs_group *x)
{
    return !x->index.prefers_far && g->sched->placement.kube == NULL;
}

bool gpujobs_nearest_of_all(struct gpujobs *g, struct gpujobs_group *x, struct locality_candidate *best, struct locality_nodes *nodes)
{
    const uint32_t shape = shape_of(g, x->request_class);
    const struct pol_shape *s = &g->sched->plan.shape[shape];
    struct pol_place choice;
    if (!placement_find(&g->sched->placement, shape, &choice)) return false;
    if (!locality_index_nearest(&g->locality, &x->index, s, choice.node, best)) return true;
    const struct locality_reach_at there = locality_at(&g->locality, best->task, choice.node);
    nodes->n = 0;
    if (there.level == best->level && there.cost == best->cost) POL_PUSH(nodes->at, nodes->n, nodes->cap, choice.node);
    else locality_tied(&g->locality, s, best, nodes);
    return true;
}

/*
 * sched.c -- the scheduler state, in step with the host's events, see sched.h.
 *
 * Invariant: between decisions every waiting unit is in exactly one queue, every
 * running one in the running set (if the policy keeps one), and the plan equals the
 * view.  Inside a decision the plan runs ahead of the view by what was decided.
 */
#include "lib/sched/sched.h"

#include "lib/util.h"

void sched_init(struct sched *d, const struct pol_host *host, enum placement_rule rule, const struct sched_ops *ops,
                void *self)
{
    memset(d, 0, sizeof *d);
    d->host = host;
    d->ops = ops;
    d->self = self;
    d->tells = ops->asked != NULL;
    d->running = UNIT_SET_EMPTY;
    d->over.slot = POL_NONE;
    d->cores = host->extension(host->ctx, POL_CORES);
    if (ops->knows_licences) {
        d->plan.licences = pol_extension(host, POL_LICENCES);
        d->plan.ctx = host->ctx;
    }
    placement_init(&d->placement, &d->plan, rule);
    /* fgd counts for ever how often each request came. */
    if (rule != PLACEMENT_FGD && !ops->keeps_classes) plan_reuses(&d->plan, host);
}

void sched_fini(struct sched *d)
{
    placement_fini(&d->placement);
    plan_fini(&d->plan);
    request_class_fini(&d->classes);
    queue_fini(&d->wait);
    queue_walk_fini(&d->walk);
    free(d->units.at);
    free(d->held);
    free(d->fresh);
    free(d->place);
    free(d->shape);
    free(d->past);
    like_fini(&d->like);
}

static struct queue *queue_of(struct sched *d, const struct unit *u)
{
    return d->ops->queue != NULL ? d->ops->queue(d->self, u) : &d->wait;
}

/* ---- units come and go ---- */

static inline void wait_unit(struct sched *d, uint32_t id)
{
    struct unit *u = sched_unit(d, id);
    u->state = UNIT_WAITING;
    u->key = d->ops->wait_key != NULL ? d->ops->wait_key(d->self, u) : 0;
    queue_add(queue_of(d, u), &d->units, id);
    d->n_non_monotone += !u->is_monotone;
    POL_RESERVE(d->fresh, d->cap_fresh, (size_t)d->n_fresh + 1);
    d->fresh[d->n_fresh++] = id;
    if (d->ops->waits != NULL) d->ops->waits(d->self, u, +1);
}

static inline void unwait_unit(struct sched *d, uint32_t id)
{
    struct unit *u = sched_unit(d, id);
    queue_del(queue_of(d, u), &d->units, id);
    d->n_non_monotone -= !u->is_monotone;
    if (d->ops->waits != NULL) d->ops->waits(d->self, u, -1);
}

/*
 * Are the licences free that a unit asks for, all tasks together?  sign -1: take them, +1: give them back,
 * 0: only ask.
 */
static bool move_licences(struct sched *d, uint32_t class, int sign)
{
    const struct request_class *k = &d->classes.at[class];
    bool ok = true;
    for (uint32_t l = 0; l < plan_n_licences(&d->plan); l++) {
        int64_t ask = 0;
        for (uint32_t i = 0; i < k->n_tasks; i++) ask += plan_licence(&d->plan, k->shape[i], l);
        ok &= d->licence_free[l] >= ask;
        d->licence_free[l] += sign * ask;
    }
    return ok;
}

static inline bool licences(struct sched *d, uint32_t class, int sign)
{
    return plan_n_licences(&d->plan) == 0 || move_licences(d, class, sign);
}

static struct like_who who(const struct sched *d, const struct pol_job_info *ji)
{
    const struct pol_host *h = d->host;
    const struct pol_task_info *ti = h->task(h->ctx, ji->first_task);
    const struct pol_shape *s = ti != NULL ? &d->view->shape[ti->shape] : NULL;
    return (struct like_who){ .user = ji->user, .category = ji->category,
                              .gpu_milli = s == NULL ? 0 : (int64_t)s->n_gpu * s->gpu_milli * ji->n_tasks };
}

/* Run time of a job that arrives.  History: Tsafrir, Etsion & Feitelson, IEEE TPDS 18(6), 2007, without limits. */
static int64_t estimate(struct sched *d, const struct pol_job_info *ji)
{
    if (d->estimate == SCHED_LIMIT) return ji->limit_us;
    if (d->estimate == SCHED_TRUE) return ji->true_dur_us;
    if (d->estimate == SCHED_LIKE) return like_estimate(&d->like, who(d, ji));
    if (ji->user >= d->cap_past || d->past[ji->user].last == 0) return -1;
    const struct sched_past *p = &d->past[ji->user];
    return p->before == 0 ? p->last : p->before + (p->last - p->before) / 2;
}

static void remember(struct sched *d, const struct pol_job_info *ji)
{
    const struct pol_host *h = d->host;
    const struct pol_task_info *ti;
    int64_t ran = 0;
    for (pol_task t = ji->first_task; t.slot != POL_NONE && (ti = h->task(h->ctx, t)) != NULL; t = ti->next)
        if (ti->attained_us > ran) ran = ti->attained_us;
    if (ran == 0) return;       /* it never ran */
    if (d->estimate == SCHED_LIKE) {
        like_add(&d->like, who(d, ji), ran);
        return;
    }
    POL_RESERVE(d->past, d->cap_past, (size_t)ji->user + 1);
    d->past[ji->user] = (struct sched_past){ .last = ran, .before = d->past[ji->user].last };
}

/* A new unit of `n` tasks, the first of which is t, whose shapes are in d->shape. */
static void add_unit(struct sched *d, pol_job job, const struct pol_job_info *ji, pol_task t,
                     const struct pol_task_info *ti, uint32_t n)
{
    const uint32_t class = request_class_id(&d->classes, d->shape, n, d->view->shape);
    const struct request_class *k = &d->classes.at[class];
    const int64_t est = estimate(d, ji);
    POL_RESERVE(d->units.at, d->units.cap, (size_t)t.slot + 1);
    d->units.at[t.slot] = (struct unit){        /* every member, so that none is cleared before it is set */
        .key = 0, .ordinal = ji->ordinal, .index = ti->index, .left = POL_NONE, .right = POL_NONE, .prio = 0,
        .est = est < 0 ? POL_NEVER : est, .min_est = 0, .attained = ti->attained_us, .started = -1,
        .job = job, .task = t, .request_class = class, .kind = k->kind, .cpu_milli = k->cpu_milli, .mem_b = k->mem_b,
        .n_tasks = n, .user = ji->user, .bucket = POL_NONE, .state = UNIT_NONE, .is_gang = ji->is_gang != 0,
        .is_whole = ji->is_gang != 0 || ji->n_tasks == 1, .is_monotone = k->is_monotone, .started_in = 0,
    };
    wait_unit(d, t.slot);
}

static void on_arrival(struct sched *d, pol_job job)
{
    const struct pol_host *h = d->host;
    const struct pol_job_info *ji = h->job(h->ctx, job);
    if (ji == NULL) return;
    const struct pol_task_info *ti, *first = NULL;
    uint32_t n = 0;
    for (pol_task t = ji->first_task; t.slot != POL_NONE; t = ti->next) {
        ti = h->task(h->ctx, t);
        if (first == NULL) first = ti;
        placement_arrived(&d->placement, ti->shape, 1);
        POL_RESERVE(d->shape, d->cap_shape, (size_t)n + 1);
        POL_RESERVE(d->held, d->cap_held, (size_t)t.slot + 1);
        d->shape[n] = ti->shape;
        d->held[t.slot] = (struct sched_held){ .node = POL_NONE, .shape = ti->shape,
                                               .next = ji->is_gang ? ti->next.slot : POL_NONE };
        if (ji->is_gang) n++;
        else if (ti->is_waiting) add_unit(d, job, ji, t, ti, 1);
    }
    if (ji->is_gang) add_unit(d, job, ji, ji->first_task, first, n);
}

/* The unit stops running, for whatever reason, in the running set and in the plan. */
static inline void stop_unit(struct sched *d, uint32_t id)
{
    struct unit *u = sched_unit(d, id);
    if (d->ops->run_key != NULL) unit_set_del(&d->running, &d->units, id);
    if (d->ops->moved != NULL) d->ops->moved(d->self, u, -1);
    sched_release(d, id);
}

/* A unit that was interrupted waits again; or a task, new here, whose turn came only now. */
__attribute__((noinline))               /* rarer than arrivals and ends */
static void on_ready(struct sched *d, pol_task t)
{
    const struct pol_host *h = d->host;
    const struct pol_task_info *ti = h->task(h->ctx, t);
    const struct pol_job_info *ji = ti != NULL ? h->job(h->ctx, ti->job) : NULL;
    if (ji == NULL) return;
    if (t.slot >= d->units.cap || sched_unit(d, t.slot)->state == UNIT_NONE) {
        d->shape[0] = ti->shape;
        if (!ji->is_gang) add_unit(d, ti->job, ji, t, ti, 1);
        return;
    }
    struct unit *u = sched_unit(d, t.slot);
    if (u->state == UNIT_WAITING) return;
    if (u->state == UNIT_RUNNING) stop_unit(d, t.slot);
    u->attained = ti->attained_us;
    u->started = -1;
    wait_unit(d, t.slot);
}

static void forget(struct sched *d, uint32_t id)
{
    struct unit *u = sched_unit(d, id);
    if (u->state == UNIT_RUNNING) stop_unit(d, id);
    else if (u->state == UNIT_WAITING) unwait_unit(d, id);
    u->state = UNIT_NONE;
}

/* A gang is stopped at the event of its first task; its others follow in the same round. */
static void on_task_ended(struct sched *d, pol_task t)
{
    const struct unit *u = t.slot < d->units.cap ? sched_unit(d, t.slot) : NULL;
    if (u == NULL || u->state == UNIT_NONE || u->task.gen != t.gen) return;
    forget(d, t.slot);
    if (u->is_whole) d->over = u->job;
}

/* A job may end with tasks that never ran: it was cut off at its limit. */
static void on_job_ended(struct sched *d, pol_job job)
{
    const struct pol_host *h = d->host;
    if (d->estimate < SCHED_HISTORY && job.slot == d->over.slot && job.gen == d->over.gen) return;
    const struct pol_job_info *ji = h->job(h->ctx, job);
    if (ji == NULL) return;
    if (d->estimate >= SCHED_HISTORY) remember(d, ji);
    const struct pol_task_info *ti;
    for (pol_task t = ji->first_task;; t = ti->next) {
        on_task_ended(d, t);
        if (ji->is_gang || ji->n_tasks == 1 || (ti = h->task(h->ctx, t)) == NULL || ti->next.slot == POL_NONE) return;
    }
}

static void read_licences(struct sched *d)
{
    uint32_t n = plan_n_licences(&d->plan);
    if (n > PLAN_LICENCES_MAX) {
        d->host->fail(d->host->ctx,
                      "the cluster and its trace name more different licences than the policy keeps books of");
        n = 0;
    }
    for (uint32_t l = 0; l < n; l++) d->licence_free[l] = d->plan.licences->free[l];
}

static void class_gone(void *ctx, uint32_t class, uint32_t kind)
{
    const struct sched *d = ctx;
    if (d->ops->class_gone != NULL) d->ops->class_gone(d->self, class, kind);
}

/* What is known of requests that are no more is forgotten. */
static void forget_shapes(struct sched *d)
{
    const struct pol_shapes *s = d->plan.shapes;
    for (uint32_t i = 0; i < s->n_renewed; i++) request_class_renew(&d->classes, s->renewed[i]);
    placement_shapes(&d->placement);
    if (d->ops->shapes_renewed != NULL) d->ops->shapes_renewed(d->self);
}

/* Those that no unit is of may be others later. */
static void sweep_classes(struct sched *d)
{
    bool *is_used = pol_alloc(d->classes.n, sizeof *is_used);
    for (size_t i = 0; i < d->units.cap; i++)
        if (d->units.at[i].state != UNIT_NONE) is_used[d->units.at[i].request_class] = true;
    request_class_sweep(&d->classes, is_used, d->units.cap, class_gone, d);
    free(is_used);
}

void sched_open(struct sched *d, const struct pol_view *view, const struct pol_event *ev, size_t n_ev)
{
    d->view = view;
    d->round++;
    d->n_fresh = 0;
    plan_shapes(&d->plan, view);
    if (d->plan.node == NULL) plan_nodes(&d->plan, view);
    if (plan_n_renewed(&d->plan) > 0) forget_shapes(d);
    if (d->classes.is_full && !d->ops->keeps_classes) sweep_classes(d);
    for (size_t i = 0; i < n_ev; i++) {
        const struct pol_event *e = &ev[i];
        switch ((enum pol_event_type)e->type) {
        case POL_ARRIVED:    on_arrival(d, e->job); break;
        case POL_READY:      on_ready(d, e->task); break;
        case POL_TASK_ENDED: on_task_ended(d, e->task); break;
        case POL_JOB_ENDED:  on_job_ended(d, e->job); break;
        case POL_NODE_DOWN: case POL_NODE_UP: case POL_TIMER: case POL_CALL: case POL_REFUSED: break;
        }
    }
    plan_nodes(&d->plan, view);
    read_licences(d);
    /* Other costs lead to other placements, so a gang that found none may find one; a monotone class cannot. */
    if (placement_refresh(&d->placement)) plan_renew(&d->plan);
}

/* ---- placing ---- */

bool sched_known_unschedulable(const struct sched *d, uint32_t class)
{
    const struct request_class *k = &d->classes.at[class];
    return k->is_monotone ? k->failed.freed_epoch == d->plan.freed_epoch
                          : k->failed.change_epoch == d->plan.change_epoch;
}

/* Only monotone classes: another may come to fit by what starts before the walk reaches it. */
bool sched_skip(void *sched, uint32_t class)
{
    const struct sched *d = sched;
    return d->classes.at[class].is_monotone && sched_known_unschedulable(d, class);
}

bool sched_is_searchable(const struct sched *d, uint32_t class)
{
    return d->classes.at[class].is_monotone && plan_n_licences(&d->plan) == 0 && !d->tells;
}

bool sched_shares_refusals(const struct sched *d, uint32_t class)
{
    const struct pol_plugin *plugin = d->placement.plugin;
    return sched_is_searchable(d, class) && (plugin == NULL || plugin->filter == NULL);
}

bool sched_is_stranded(struct sched *d, uint32_t class)
{
    const struct request_class *c = &d->classes.at[class];
    struct request_kind *k = &d->classes.kind[c->kind];
    if (!k->is_asked) k->is_stranded = placement_index_strands(&d->placement, c->shape[0]);
    k->is_asked = true;
    return k->is_stranded;
}

bool sched_may_fit(void *sched, uint32_t class, int64_t cpu_milli, int64_t mem_b, int64_t est)
{
    (void)est;
    struct sched *d = sched;
    const struct request_class *c = &d->classes.at[class];
    struct request_kind *k = &d->classes.kind[c->kind];
    if (!sched_is_searchable(d, class)) return true;
    if (sched_is_stranded(d, class)) return false;
    const struct request_refusals at = { .freed_epoch = d->plan.freed_epoch };
    if (request_kind_is_refused(k, at, cpu_milli, mem_b)) return false;
    if (request_kind_has_room(k, d->plan.change_epoch, cpu_milli, mem_b)) return true;
    struct pol_shape s = d->plan.shape[c->shape[0]];
    s.cpu_milli = cpu_milli;
    s.mem_b = mem_b;
    if (placement_index_fits(&d->placement, &s)) {
        request_kind_note_room(k, d->plan.change_epoch, cpu_milli, mem_b);
        return true;
    }
    request_kind_refuse(k, at, cpu_milli, mem_b);
    return false;
}

struct queue_filter sched_filter(struct sched *d)
{
    return (struct queue_filter){ .skip = sched_skip, .may_fit = sched_may_fit, .ctx = d };
}

void sched_pass(const struct sched *d, struct queue_walk *w)
{
    if (d->classes.at[sched_unit(d, queue_walk_top(w))->request_class].is_monotone) queue_walk_drop(w, &d->units);
    else queue_walk_step(w, &d->units, POL_NEVER);
}

void sched_note_failed(struct sched *d, uint32_t class)
{
    d->classes.at[class].failed.freed_epoch = d->plan.freed_epoch;
    d->classes.at[class].failed.change_epoch = d->plan.change_epoch;
}

/*
 * A placement in d->place; of several tasks it is allocated in the plan as well.  False is noted of the request
 * class, and changes nothing else.
 */
static bool find(struct sched *d, uint32_t id)
{
    const struct unit *u = sched_unit(d, id);
    const struct request_class *k = &d->classes.at[u->request_class];
    if (sched_known_unschedulable(d, u->request_class)) return false;
    if (!licences(d, u->request_class, 0)) {
        d->host->hold(d->host->ctx, u->task, false, "too few licences are free");
        return false;
    }
    POL_RESERVE(d->place, d->cap_place, u->n_tasks);
    struct placement *by = d->ops->placement != NULL ? d->ops->placement(d->self, u) : &d->placement;
    bool ok;
    if (u->n_tasks == 1) {
        ok = placement_find(by, k->shape[0], d->place);
        if (d->ops->asked != NULL) d->ops->asked(d->self, id, ok ? d->place : NULL);
    } else {
        /* What many tasks lack in all is told sooner than by placing most of them. */
        const bool lacks = k->is_monotone && placement_index_knows(by) &&
                           !placement_index_holds(by, k->shape[0], u->n_tasks);
        ok = !lacks && placement_all(by, k->shape, u->n_tasks, d->place);
    }
    if (ok) return true;
    sched_note_failed(d, u->request_class);
    return false;
}

bool sched_place(struct sched *d, uint32_t id)
{
    if (!find(d, id)) return false;
    if (sched_unit(d, id)->n_tasks == 1)
        plan_allocate(&d->plan, d->place->node, &d->plan.shape[d->held[id].shape], d->place->cards);
    return true;
}

bool sched_place_on(struct sched *d, uint32_t id, const uint32_t *node, uint32_t n)
{
    const struct unit *u = sched_unit(d, id);
    const struct request_class *k = &d->classes.at[u->request_class];
    if (n == 0 || !licences(d, u->request_class, 0)) return false;
    struct placement *by = d->ops->placement != NULL ? d->ops->placement(d->self, u) : &d->placement;
    struct plan_mark m = plan_mark(&d->plan);
    POL_RESERVE(d->place, d->cap_place, u->n_tasks);
    for (uint32_t i = 0; i < u->n_tasks; i++) {
        const struct pol_shape *s = &d->plan.shape[k->shape[i]];
        uint32_t at = 0, own = (u->index + i) % n;
        while (at < n && !(plan_fits(&d->plan, node[(own + at) % n], s) &&
                           placement_admits(by, &d->plan, k->shape[i], node[(own + at) % n]))) at++;
        if (at == n) {
            plan_undo(&d->plan, m);
            return false;
        }
        uint32_t to = node[(own + at) % n];
        d->place[i] = (struct pol_place){ .node = to, .cards = plan_pick_cards(&d->plan, to, s) };
        plan_allocate(&d->plan, to, s, d->place[i].cards);
    }
    plan_keep(&d->plan, m);
    return true;
}

bool sched_fits(struct sched *d, uint32_t id)
{
    if (sched_known_unschedulable(d, sched_unit(d, id)->request_class)) return false;
    if (sched_unit(d, id)->n_tasks == 1) return find(d, id);
    struct plan_mark m = plan_mark(&d->plan);
    bool ok = find(d, id);
    plan_undo(&d->plan, m);
    if (!ok) sched_note_failed(d, sched_unit(d, id)->request_class);      /* as things are outside of the mark */
    return ok;
}

void sched_start(struct sched *d, uint32_t id, const char *reason)
{
    const struct pol_host *h = d->host;
    struct unit *u = sched_unit(d, id);
    unwait_unit(d, id);
    (void)licences(d, u->request_class, -1);
    uint32_t t = id;
    for (uint32_t i = 0; i < u->n_tasks; i++) {
        struct sched_held *held = &d->held[t];
        held->node = d->place[i].node;
        held->cards = d->place[i].cards;
        held->cpu_milli = d->place[i].cpu_milli;
        t = held->next;
    }
    h->start(h->ctx, u->task, d->place, u->n_tasks, reason);
    u->state = UNIT_RUNNING;
    u->started = d->view->now_us;
    u->started_in = d->round;
    if (d->ops->moved != NULL) d->ops->moved(d->self, u, +1);
    if (d->ops->run_key == NULL) return;
    u->key = d->ops->run_key(d->self, u);
    unit_set_add(&d->running, &d->units, id);
}

void sched_head(const struct sched *d, uint32_t id, const char *reason)
{
    d->host->hold(d->host->ctx, d->units.at[id].task, true, reason);
}

bool sched_try(struct sched *d, uint32_t id, const char *reason)
{
    if (!sched_place(d, id)) return false;
    sched_start(d, id, reason);
    return true;
}

void sched_preempt(struct sched *d, uint32_t id, const char *reason)
{
    struct unit *u = sched_unit(d, id);
    if (d->ops->run_key != NULL) unit_set_del(&d->running, &d->units, id);
    if (d->ops->moved != NULL) d->ops->moved(d->self, u, -1);
    u->state = UNIT_LEAVING;
    d->host->preempt(d->host->ctx, u->task, reason);
}

struct pol_shape sched_held_shape(const struct sched *d, uint32_t task)
{
    struct pol_shape s = d->plan.shape[d->held[task].shape];
    if (d->held[task].cpu_milli > 0) s.cpu_milli = d->held[task].cpu_milli;
    return s;
}

/* Release or allocate in the plan what the unit's tasks hold. */
static inline void move_held(struct sched *d, uint32_t id,
                             void (*move)(struct plan *, uint32_t, const struct pol_shape *, uint64_t))
{
    const struct sched_held *h;
    uint32_t t = id, n = sched_unit(d, id)->n_tasks;
    for (; n > 0 && (h = &d->held[t])->node != POL_NONE; n--, t = h->next) {
        struct pol_shape own;
        const struct pol_shape *s = &d->plan.shape[h->shape];
        if (h->cpu_milli > 0) {
            own = sched_held_shape(d, t);
            s = &own;
        }
        move(&d->plan, h->node, s, h->cards);
    }
}

void sched_release(struct sched *d, uint32_t id) { move_held(d, id, plan_release); }
void sched_reallocate(struct sched *d, uint32_t id) { move_held(d, id, plan_allocate); }

void sched_resize(struct sched *d, pol_task task, int64_t cpu_milli, const char *reason)
{
    struct sched_held *h = &d->held[task.slot];
    struct pol_shape was = sched_held_shape(d, task.slot);
    plan_release(&d->plan, h->node, &was, h->cards);
    h->cpu_milli = cpu_milli;
    was.cpu_milli = cpu_milli;
    plan_allocate(&d->plan, h->node, &was, h->cards);
    d->cores->resize(d->host->ctx, task, cpu_milli, reason);
}

int64_t sched_gpu_milli(const struct sched *d, const struct unit *u)
{
    const struct request_class *k = &d->classes.at[u->request_class];
    int64_t sum = 0;
    for (uint32_t i = 0; i < k->n_tasks; i++)
        sum += (int64_t)d->plan.shape[k->shape[i]].n_gpu * d->plan.shape[k->shape[i]].gpu_milli;
    return sum;
}

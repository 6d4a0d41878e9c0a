/*
 * afs.c -- elastic share by marginal gains: AFS-L.  README.md, afs.
 *
 * A decision works out three things on its plan: which rigid units start, with all elastic jobs out of
 * the way; the share of each elastic job of the GPUs left; and, with what runs back in place, the decisions
 * that lead there, each of which the ledger allows after those before it: shrinking first.
 *
 * Cost of a decision: O(waiting rigid units x placement + GPUs x elastic jobs + changes x nodes); the speed of a size
 * is asked once.
 * Source: Hwang et al., Elastic Resource Sharing for Distributed Deep Learning, NSDI 2021, section 3.
 */
#include "lib/elastic/types.h"
#include "lib/place/placement.h"
#include "lib/util.h"
#include "builtin.h"

/* What waits and has one size: a gang, or a task of another job. */
struct rigid { pol_task task; pol_job job; uint64_t ordinal; uint32_t index, n_tasks; };

/* What the next size would bring.  `now` 0: it has no share. */
struct gain { int64_t left, now, then, gpus; };

struct elastic {
    pol_job  job;
    pol_task task;                      /* its first */
    uint64_t ordinal;
    uint32_t shape, gpus;               /* of each task */
    struct elastic_sized sized;
    struct elastic_room room;           /* the type whose speeds count, and tasks on its largest node */
    struct pol_place *at; size_t cap_at;        /* [has] where its tasks run in the plan */
    uint32_t has, share;                /* tasks that run in the plan; that it should have */
    uint32_t next;                      /* the next size up on which it runs; 0: none is to be had */
    struct gain gain;                   /* at that */
    int64_t  left;                      /* us at nominal speed */
};

struct afs {
    const struct pol_host *host;
    const struct pol_elastic *ext;
    struct plan plan;
    struct placement placement;
    struct rigid *rigid;     size_t n_rigid, cap_rigid;
    struct elastic *job;     size_t n_jobs, cap_jobs;       /* in order of arrival */
    struct pol_place *place; size_t cap_place;
    uint32_t *shape;         size_t cap_shape;
    uint64_t *failed;        size_t cap_failed, n_tries;    /* by shape: the pass in which a single task found no place */
    struct elastic_types types;
};

/* ---- what there is ---- */

static void add_rigid(struct afs *a, pol_task t, const struct pol_task_info *ti, const struct pol_job_info *ji)
{
    POL_PUSH(a->rigid, a->n_rigid, a->cap_rigid,
             (struct rigid){ .task = t, .job = ti->job, .ordinal = ji->ordinal, .index = ti->index, .n_tasks = ji->is_gang ? ji->n_tasks : 1 });
}

static void arrived(struct afs *a, pol_job j)
{
    const struct pol_host *h = a->host;
    const struct pol_job_info *ji = h->job(h->ctx, j);
    struct pol_sizes s = a->ext->sizes(h->ctx, j);
    const struct pol_task_info *ti;
    if (s.is_elastic) {
        POL_PUSH(a->job, a->n_jobs, a->cap_jobs, (struct elastic){ .job = j, .task = ji->first_task,
                 .ordinal = ji->ordinal, .sized = { h, a->ext, j, s.min, s.max } });
        return;
    }
    for (pol_task t = ji->first_task; t.slot != POL_NONE; t = ti->next) {
        ti = h->task(h->ctx, t);
        if (ti->is_waiting) add_rigid(a, t, ti, ji);
        if (ji->is_gang) return;
    }
}

static void take_in(struct afs *a, const struct pol_event *ev, size_t n_ev)
{
    const struct pol_host *h = a->host;
    for (size_t i = 0; i < n_ev; i++) {
        if (ev[i].type == POL_ARRIVED) arrived(a, ev[i].job);
        if (ev[i].type != POL_READY || a->ext->sizes(h->ctx, ev[i].job).is_elastic) continue;
        add_rigid(a, ev[i].task, h->task(h->ctx, ev[i].task), h->job(h->ctx, ev[i].job));
    }
}

static int by_order(const void *x, const void *y)
{
    const struct rigid *a = x, *b = y;
    if (a->ordinal != b->ordinal) return a->ordinal < b->ordinal ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/* Forget what is over, and look at what is not. */
static void look(struct afs *a, const struct pol_event *ev, size_t n_ev)
{
    const struct pol_host *h = a->host;
    size_t n = 0;
    bool is_sorted = true;
    for (size_t i = 0; i < a->n_rigid; i++) {
        const struct pol_task_info *ti = h->task(h->ctx, a->rigid[i].task);
        if (ti == NULL || !ti->is_waiting) continue;
        a->rigid[n++] = a->rigid[i];
        is_sorted &= n < 2 || by_order(&a->rigid[n - 2], &a->rigid[n - 1]) <= 0;
    }
    a->n_rigid = n;
    if (!is_sorted) qsort(a->rigid, n, sizeof *a->rigid, by_order);
    n = 0;
    size_t n_ends = 0;      /* events up to the last end */
    for (size_t k = 0; k < n_ev; k++) if (ev[k].type == POL_JOB_ENDED) n_ends = k + 1;
    for (size_t i = 0; i < a->n_jobs; i++) {
        struct elastic e = a->job[i];
        const struct pol_task_info *ti = h->task(h->ctx, e.task);
        bool is_over = ti == NULL;
        for (size_t k = 0; k < n_ends && !is_over; k++)
            is_over = ev[k].type == POL_JOB_ENDED && ev[k].job.slot == e.job.slot && ev[k].job.gen == e.job.gen;
        if (is_over) { free(e.at); continue; }
        e.shape = ti->shape;
        e.gpus = (uint32_t)a->plan.shape[ti->shape].n_gpu;
        e.left = ti->true_left_us;
        e.has = 0;
        for (pol_task t = e.task; ti->is_running && t.slot != POL_NONE; t = ti->next) {
            ti = h->task(h->ctx, t);
            POL_PUSH(e.at, e.has, e.cap_at, (struct pol_place){ .node = ti->node, .cards = ti->cards });
        }
        a->job[n++] = e;
    }
    a->n_jobs = n;
}

/* ---- the plan ---- */

static void release(struct afs *a, const struct elastic *e)
{
    for (uint32_t i = 0; i < e->has; i++) plan_release(&a->plan, e->at[i].node, &a->plan.shape[e->shape], e->at[i].cards);
}

/* A place for every task of a rigid unit, taken in the plan. */
static bool place_rigid(struct afs *a, const struct rigid *u)
{
    const struct pol_host *h = a->host;
    pol_task t = u->task;
    POL_RESERVE(a->place, a->cap_place, u->n_tasks);
    POL_RESERVE(a->shape, a->cap_shape, u->n_tasks);
    for (uint32_t i = 0; i < u->n_tasks; i++) {
        const struct pol_task_info *ti = h->task(h->ctx, t);
        a->shape[i] = ti->shape;
        t = ti->next;
    }
    POL_RESERVE(a->failed, a->cap_failed, (size_t)a->shape[0] + 1);
    if (u->n_tasks == 1 && a->failed[a->shape[0]] == a->n_tries) return false;
    bool ok = placement_all(&a->placement, a->shape, u->n_tasks, a->place);
    if (!ok && u->n_tasks == 1) a->failed[a->shape[0]] = a->n_tries;
    return ok;
}

/* The node that n tasks would fill most, if one has room for all; else that with room for most.  POL_NONE: none has. */
static uint32_t choose_node(const struct plan *p, const struct pol_shape *s, uint32_t n)
{
    uint32_t best = POL_NONE, best_room = 0;
    for (uint32_t i = 0; i < p->n_nodes; i++) {
        uint32_t room = plan_capacity(p, i, s);
        if (room == 0) continue;
        bool is_better = best == POL_NONE || (best_room >= n ? room >= n && room < best_room : room > best_room);
        if (is_better) { best = i; best_room = room; }
    }
    return best;
}

/* Places for n tasks on as few nodes as may be, taken in the plan; or false and no change. */
static bool place_elastic(struct afs *a, const struct elastic *e, uint32_t n)
{
    const struct pol_shape *s = &a->plan.shape[e->shape];
    struct plan_mark m = plan_mark(&a->plan);
    POL_RESERVE(a->place, a->cap_place, n);
    for (uint32_t i = 0; i < n;) {
        uint32_t node = choose_node(&a->plan, s, n - i);
        if (node == POL_NONE) { plan_undo(&a->plan, m); return false; }
        for (; i < n && plan_fits(&a->plan, node, s); i++) {
            a->place[i] = (struct pol_place){ .node = node, .cards = plan_pick_cards(&a->plan, node, s) };
            plan_allocate(&a->plan, node, s, a->place[i].cards);
        }
    }
    plan_keep(&a->plan, m);
    return true;
}

/* ---- shares ---- */

static int64_t speed(const struct elastic *e, uint32_t n) { return elastic_speed_in(&e->sized, &e->room, n); }

/* The first of the types, widest first, on which it runs. */
static void choose_type(const struct afs *a, struct elastic *e)
{
    const uint64_t types = a->plan.shape[e->shape].gpu_types;
    for (size_t i = 0; i < a->types.n; i++) {
        const struct elastic_type *t = &a->types.at[i];
        e->room = (struct elastic_room){ t->gpu_type, t->cards / e->gpus, UINT32_MAX };     /* rooms are found later */
        if (types != 0 && (types >> t->gpu_type & 1) == 0) continue;
        if (elastic_size_above(&e->sized, &e->room, 0) > 0) return;
    }
}

/* It has this share, at which it goes so fast: what the next size would bring. */
static void set_share(struct elastic *e, uint32_t share, int64_t now)
{
    e->share = share;
    e->next = elastic_size_above(&e->sized, &e->room, share);
    e->gain = (struct gain){ e->left, now, speed(e, e->next), (int64_t)(e->next - share) * e->gpus };
}

/* Does x, which arrived before y, come before it? */
static bool wins(const struct gain *x, const struct gain *y)
{
    if (x->now == 0 && y->now == 0) return (pol_wide)x->left * y->then <= (pol_wide)y->left * x->then;
    bool x_is_short = y->now == 0 || (x->now > 0 && (pol_wide)x->left * y->now <= (pol_wide)y->left * x->now);
    const struct gain *s = x_is_short ? x : y, *l = x_is_short ? y : x;
    /* (s.then - s.now) / s.now > (l.then - l.now) / l.then, for each GPU. */
    bool s_wins = (double)(s->then - s->now) / (double)s->now / (double)s->gpus > (double)(l->then - l->now) / (double)l->then / (double)l->gpus;
    return s_wins == x_is_short;
}

static void give_shares(struct afs *a, int64_t gpus)
{
    for (size_t i = 0; i < a->n_jobs; i++) {
        choose_type(a, &a->job[i]);
        set_share(&a->job[i], 0, 0);
    }
    for (;;) {
        struct elastic *best = NULL;
        for (size_t i = 0; i < a->n_jobs; i++) {
            struct elastic *e = &a->job[i];
            if (e->next != 0 && e->gain.gpus > gpus) e->next = 0;
            if (e->next != 0 && (best == NULL || !wins(&best->gain, &e->gain))) best = e;
        }
        if (best == NULL) return;
        gpus -= best->gain.gpus;
        set_share(best, best->next, best->gain.then);
    }
}

/* ---- decisions ---- */

static void stop(struct afs *a, struct elastic *e, const char *reason)
{
    release(a, e);
    e->has = 0;
    a->host->preempt(a->host->ctx, e->task, reason);
}

/* To its share, or as near below as there is room; what it has stays if that is as much. */
static void go_to_share(struct afs *a, struct elastic *e)
{
    const struct pol_host *h = a->host;
    for (uint32_t n = e->share; n >= e->sized.min && n != e->has; n--) {
        if (speed(e, n) == 0) continue;
        if (n < e->has && e->share > e->has) return;
        struct plan_mark m = plan_mark(&a->plan);
        release(a, e);
        if (!place_elastic(a, e, n)) { plan_undo(&a->plan, m); continue; }
        plan_keep(&a->plan, m);
        if (e->has > 0) a->ext->scale(h->ctx, e->job, a->place, n, "its share by marginal gains");
        else h->start(h->ctx, e->task, a->place, n, "its share by marginal gains");
        POL_RESERVE(e->at, e->cap_at, n);
        memcpy(e->at, a->place, n * sizeof *e->at);
        e->has = n;
        return;
    }
}

/* Where it runs, taken in the plan once more; or false and no change. */
static bool put_back(struct afs *a, const struct elastic *e)
{
    const struct pol_shape *s = &a->plan.shape[e->shape];
    struct plan_mark m = plan_mark(&a->plan);
    for (uint32_t i = 0; i < e->has; i++) {
        uint32_t node = e->at[i].node;
        bool is_free = pol_node_fits_on(&a->plan.node[node].n, plan_cards_of(&a->plan, node), s, e->at[i].cards);
        if (!is_free) { plan_undo(&a->plan, m); return false; }
        plan_allocate(&a->plan, node, s, e->at[i].cards);
    }
    plan_keep(&a->plan, m);
    return true;
}

/*
 * A rigid unit for which there is room but for elastic jobs: of these the latest make way until it has that, and those
 * stop whose places it takes.  Without room even so, none does.
 */
static bool make_room(struct afs *a, const struct rigid *u)
{
    struct plan_mark m = plan_mark(&a->plan);
    size_t first = a->n_jobs;
    bool has_room = false;
    for (;;) {
        a->n_tries++;
        has_room = place_rigid(a, u);
        while (!has_room && first > 0 && a->job[first - 1].has == 0) first--;
        if (has_room || first == 0) break;
        release(a, &a->job[--first]);
    }
    if (!has_room) { plan_undo(&a->plan, m); return false; }
    plan_keep(&a->plan, m);
    for (size_t i = first; i < a->n_jobs; i++) {
        struct elastic *e = &a->job[i];
        if (e->has == 0 || put_back(a, e)) continue;
        e->has = 0;
        a->host->preempt(a->host->ctx, e->task, "a rigid job needs the room");
    }
    return true;
}

static void start_rigid(struct afs *a, bool *fits)
{
    const struct pol_host *h = a->host;
    size_t n = 0;
    for (size_t i = 0; i < a->n_rigid; i++) {
        const struct rigid u = a->rigid[i];
        if (fits[i] && make_room(a, &u)) h->start(h->ctx, u.task, a->place, u.n_tasks, "rigid, fits");
        else a->rigid[n++] = u;
    }
    a->n_rigid = n;
}

static void decide(void *self, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    struct afs *a = self;
    plan_shapes(&a->plan, v);
    placement_shapes(&a->placement);
    plan_sync(&a->plan, v);
    if (n_ev == 0) return;      /* shares change as jobs come and go, not as one passes a phase or begins to load */
    take_in(a, ev, n_ev);
    look(a, ev, n_ev);
    bool *fits = pol_alloc(a->n_rigid, sizeof *fits);
    struct plan_mark m = plan_mark(&a->plan);
    for (size_t i = 0; i < a->n_jobs; i++) release(a, &a->job[i]);
    a->n_tries++;
    for (size_t i = 0; i < a->n_rigid; i++) fits[i] = place_rigid(a, &a->rigid[i]);
    const int64_t idle = a->plan.n_idle;
    if (a->types.n == 0) elastic_types_list(&a->types, &a->plan);      /* nodes keep their cards, so once */
    plan_undo(&a->plan, m);
    give_shares(a, idle);
    for (size_t i = 0; i < a->n_jobs; i++)
        if (a->job[i].has > 0 && a->job[i].share == 0) stop(a, &a->job[i], "others gain more by its GPUs");
    for (size_t i = 0; i < a->n_jobs; i++)
        if (a->job[i].share < a->job[i].has) go_to_share(a, &a->job[i]);
    start_rigid(a, fits);
    free(fits);
    for (size_t i = 0; i < a->n_jobs; i++)
        if (a->job[i].share > a->job[i].has) go_to_share(a, &a->job[i]);
}

static void destroy(void *self)
{
    struct afs *a = self;
    placement_fini(&a->placement);
    plan_fini(&a->plan);
    for (size_t i = 0; i < a->n_jobs; i++) free(a->job[i].at);
    POL_FREE(a->rigid, a->job, a->place, a->shape, a->failed, a->types.at, a);
}

static void *create(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *error, size_t cap)
{
    struct afs *a = pol_alloc(1, sizeof *a);
    (void)value, (void)flags, (void)error, (void)cap;
    a->host = host;
    a->ext = pol_extension(host, POL_ELASTIC);
    plan_reuses(&a->plan, host);        /* what failed in a pass is of that pass alone */
    placement_init(&a->placement, &a->plan, PLACEMENT_BEST);
    return a;
}

const struct pol_ops pol_afs = {
    POL_HEADER, .name = "afs", .source = "Hwang et al., Elastic Resource Sharing for Distributed Deep Learning (NSDI 2021), section 3",
    .summary = "elastic jobs share GPUs by marginal gains, rigid ones go first", .flags = POL_PREEMPTS | POL_CLAIRVOYANT,
    .create = create, .decide = decide, .destroy = destroy,
};

/* elastic.c -- who the elastic jobs are, and from one allocation of all of them to the next.  See elastic.h. */
#include "lib/elastic/elastic.h"

void elastic_open(struct elastic *e, const struct pol_host *host, int64_t every)
{
    *e = (struct elastic){ .host = host, .ext = pol_extension(host, POL_ELASTIC), .every = every, .asked = -1 };
    plan_reuses(&e->plan, host);
}

static void drop(struct elastic *e, struct elastic_job *j)
{
    if (j->own != NULL) (e->forget != NULL ? e->forget : free)(j->own);
    POL_FREE(j->at, j->to);
}

void elastic_close(struct elastic *e)
{
    for (size_t i = 0; i < e->n_jobs; i++) drop(e, &e->job[i]);
    plan_fini(&e->plan);
    POL_FREE(e->job, e->types.at);
}

/* ---- who there is ---- */

static void arrived(struct elastic *e, pol_job j)
{
    const struct pol_host *h = e->host;
    const struct pol_job_info *ji = h->job(h->ctx, j);
    struct pol_sizes s = e->ext->sizes(h->ctx, j);
    char error[200];
    (void)snprintf(error, sizeof error, "job %llu of the trace cannot change its number of GPUs, and this policy gives GPUs to "
                   "elastic jobs alone: each needs 'min_tasks', 'max_tasks' and 'scaling'", (unsigned long long)ji->ordinal);
    if (!s.is_elastic) { h->fail(h->ctx, error); return; }
    POL_PUSH(e->job, e->n_jobs, e->cap_jobs, (struct elastic_job){ .job = j, .task = ji->first_task, .ordinal = ji->ordinal,
                                                                  .submit_us = ji->submit_us, .min = s.min, .max = s.max });
}

/* Where it runs, and so far; false: it is over. */
static bool refresh(struct elastic *e, struct elastic_job *j)
{
    const struct pol_host *h = e->host;
    const struct pol_task_info *ti = h->task(h->ctx, j->task);
    if (ti == NULL || (!ti->is_running && !ti->is_waiting)) return false;
    if (j->has > 0) j->service += (e->now - e->seen) * (int64_t)j->has * j->gpus;
    j->shape = ti->shape;
    j->gpus = (uint32_t)e->plan.shape[ti->shape].n_gpu;
    j->left = ti->true_left_us;
    j->has = 0;
    for (pol_task t = j->task; ti->is_running && t.slot != POL_NONE; t = ti->next) {
        ti = h->task(h->ctx, t);
        POL_PUSH(j->at, j->has, j->cap_at, (struct pol_place){ .node = ti->node, .cards = ti->cards });
    }
    j->gpu_type = j->has > 0 ? e->plan.node[j->at[0].node].n.gpu_type : POL_NONE;
    j->want = j->has;
    POL_RESERVE(j->to, j->cap_to, j->has);
    if (j->has > 0) memcpy(j->to, j->at, j->has * sizeof *j->to);
    return true;
}

static bool is_ended(const struct elastic_job *j, const struct pol_event *ev, size_t n_ev)
{
    for (size_t i = 0; i < n_ev; i++)
        if (ev[i].type == POL_JOB_ENDED && ev[i].job.slot == j->job.slot && ev[i].job.gen == j->job.gen) return true;
    return false;
}

/* To be woken at the next multiple. */
static void ask(struct elastic *e)
{
    int64_t next = pol_after(e->now, e->every - e->now % e->every);
    if (e->asked != next) e->host->wake(e->host->ctx, e->asked = next);
}

bool elastic_look(struct elastic *e, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    size_t n = 0;
    e->now = v->now_us;
    plan_shapes(&e->plan, v);
    plan_sync(&e->plan, v);
    for (size_t i = 0; i < n_ev; i++)
        if (ev[i].type == POL_ARRIVED) arrived(e, ev[i].job);
    for (size_t i = 0; i < e->n_jobs; i++) {
        struct elastic_job j = e->job[i];
        if (is_ended(&j, ev, n_ev) || !refresh(e, &j)) drop(e, &j);
        else e->job[n++] = j;
    }
    e->n_jobs = n;
    e->seen = e->now;
    e->n_gpus = 0;
    for (uint32_t i = 0; i < e->plan.n_nodes; i++)
        if (e->plan.node[i].n.is_up) e->n_gpus += e->plan.node[i].n.n_gpu;
    elastic_types_list(&e->types, &e->plan);
    if (e->n_jobs > 0 && e->now % e->every != 0) ask(e);
    return e->n_jobs > 0 && e->now % e->every == 0;
}

/* ---- sizes ---- */

struct elastic_sized elastic_sized(const struct elastic *e, const struct elastic_job *j)
{
    return (struct elastic_sized){ e->host, e->ext, j->job, j->min, j->max };
}

int64_t elastic_restart_us(const struct elastic *e, const struct elastic_job *j)
{
    if (e->types.n == 0) return 0;
    return e->ext->restart_us(e->host->ctx, j->job, j->has > 0 ? j->gpu_type : e->types.at[0].gpu_type);
}

/* ---- places ---- */

void elastic_release(struct elastic *e, const struct elastic_job *j)
{
    for (uint32_t i = 0; i < j->has; i++)
        plan_release(&e->plan, j->at[i].node, &e->plan.shape[j->shape], j->at[i].cards);
}

/* The node of the type on which the shape fits with most free GPUs. */
static uint32_t emptiest(const struct plan *p, const struct pol_shape *s, uint32_t gpu_type)
{
    uint32_t best = POL_NONE;
    for (uint32_t i = 0; i < p->n_nodes; i++)
        if (p->node[i].n.gpu_type == gpu_type && (best == POL_NONE || p->node[i].gpu_free > p->node[best].gpu_free) &&
            plan_fits(p, i, s)) best = i;
    return best;
}

bool elastic_place(struct elastic *e, struct elastic_job *j, uint32_t gpu_type)
{
    const struct pol_shape *s = &e->plan.shape[j->shape];
    struct plan_mark m = plan_mark(&e->plan);
    POL_RESERVE(j->to, j->cap_to, j->want);
    for (uint32_t i = 0; i < j->want;) {
        uint32_t node = emptiest(&e->plan, s, gpu_type);
        if (node == POL_NONE) { plan_undo(&e->plan, m); return false; }
        for (; i < j->want && plan_fits(&e->plan, node, s); i++) {
            j->to[i] = (struct pol_place){ .node = node, .cards = plan_pick_cards(&e->plan, node, s) };
            plan_allocate(&e->plan, node, s, j->to[i].cards);
        }
    }
    plan_keep(&e->plan, m);
    return true;
}

/* Take places in the plan, on whichever cards are free there, told in `to` if that is given.  False: no change. */
static bool take(struct elastic *e, const struct elastic_job *j, const struct pol_place *at, uint32_t n,
                 struct pol_place *to)
{
    const struct pol_shape *s = &e->plan.shape[j->shape];
    struct plan_mark m = plan_mark(&e->plan);
    for (uint32_t i = 0; i < n; i++) {
        if (!plan_fits(&e->plan, at[i].node, s)) { plan_undo(&e->plan, m); return false; }
        uint64_t cards = plan_pick_cards(&e->plan, at[i].node, s);
        plan_allocate(&e->plan, at[i].node, s, cards);
        if (to != NULL) to[i] = (struct pol_place){ .node = at[i].node, .cards = cards };
    }
    plan_keep(&e->plan, m);
    return true;
}

bool elastic_stay(struct elastic *e, struct elastic_job *j)
{
    if (j->has == 0 || !take(e, j, j->at, j->has, NULL)) return false;
    POL_RESERVE(j->to, j->cap_to, j->has);
    memcpy(j->to, j->at, j->has * sizeof *j->to);
    j->want = j->has;
    return true;
}

/* Does it stay on the same nodes, with as many tasks on each? */
static bool is_as_it_was(const struct elastic_job *j)
{
    if (j->has != j->want) return false;
    for (uint32_t i = 0; i < j->has; i++)
        if (j->at[i].node != j->to[i].node) return false;
    return true;
}

static bool move(struct elastic *e, struct elastic_job *j, const char *reason)
{
    const struct pol_host *h = e->host;
    struct plan_mark m = plan_mark(&e->plan);
    elastic_release(e, j);
    if (!take(e, j, j->to, j->want, j->to)) { plan_undo(&e->plan, m); return false; }
    plan_keep(&e->plan, m);
    if (j->has > 0) e->ext->scale(h->ctx, j->job, j->to, j->want, reason);
    else h->start(h->ctx, j->task, j->to, j->want, reason);
    j->n_changes++;
    POL_RESERVE(j->at, j->cap_at, j->want);
    memcpy(j->at, j->to, j->want * sizeof *j->at);
    j->has = j->want;
    return true;
}

static void stop(struct elastic *e, struct elastic_job *j, const char *reason)
{
    elastic_release(e, j);
    j->has = 0;
    e->host->preempt(e->host->ctx, j->task, reason);
}

/* Does it run on its places? */
static bool runs_there(const struct elastic *e, const struct elastic_job *j)
{
    uint32_t nodes = 0;
    for (uint32_t i = 0; i < j->want; i++) nodes += i == 0 || j->to[i].node != j->to[i - 1].node;
    for (uint32_t i = 0; i < j->want; i++) {
        uint32_t type = e->plan.node[j->to[i].node].n.gpu_type;
        if (i > 0 && type == e->plan.node[j->to[i - 1].node].n.gpu_type) continue;
        if (e->ext->speed(e->host->ctx, j->job, type, j->want, nodes > 1 ? nodes : 0) == 0) return false;
    }
    return true;
}

/* As many of its places as there is room for in the plan, and on which it runs; else none. */
static void take_most(struct elastic *e, struct elastic_job *j)
{
    const struct pol_shape *s = &e->plan.shape[j->shape];
    struct plan_mark m = plan_mark(&e->plan);
    uint32_t n = 0;
    for (uint32_t i = 0; i < j->want; i++) {
        if (!plan_fits(&e->plan, j->to[i].node, s)) continue;
        plan_allocate(&e->plan, j->to[i].node, s, plan_pick_cards(&e->plan, j->to[i].node, s));
        j->to[n++] = j->to[i];
    }
    plan_undo(&e->plan, m);
    while (n > 0 && (j->want = n, n < j->min || !runs_there(e, j))) n--;
    j->want = n;
    (void)take(e, j, j->to, n, j->to);
}

/* What they shall have is cut to what there is room for with all of it together; who stays comes first. */
static void make_fit(struct elastic *e)
{
    struct plan_mark m = plan_mark(&e->plan);
    for (size_t i = 0; i < e->n_jobs; i++)
        if (!is_as_it_was(&e->job[i])) elastic_release(e, &e->job[i]);
    for (size_t i = 0; i < e->n_jobs; i++) {
        struct elastic_job *j = &e->job[i];
        if (j->want == 0 || is_as_it_was(j)) continue;
        if (!runs_there(e, j) || !take(e, j, j->to, j->want, j->to))
            if (!elastic_stay(e, j)) take_most(e, j);
    }
    plan_undo(&e->plan, m);
}

/* The first job for which there is room gets its least size. */
static bool start_one(struct elastic *e, const char *reason)
{
    for (size_t i = 0; i < e->n_jobs; i++) {
        struct elastic_job *j = &e->job[i];
        const struct elastic_sized sized = elastic_sized(e, j);
        for (size_t t = 0; t < e->types.n; t++) {
            const struct elastic_room r = elastic_room(&e->plan, &e->plan.shape[j->shape], e->types.at[t].gpu_type);
            struct plan_mark m = plan_mark(&e->plan);
            j->want = elastic_size_above(&sized, &r, 0);
            bool ok = j->want > 0 && elastic_place(e, j, r.gpu_type) && runs_there(e, j);
            plan_undo(&e->plan, m);
            if (ok) return move(e, j, reason);
        }
    }
    return false;
}

/* Who shall have nothing stops; then whoever can moves, until all did. */
static void move_all(struct elastic *e, const char *reason)
{
    for (size_t i = 0; i < e->n_jobs; i++)
        if (e->job[i].want == 0 && e->job[i].has > 0) stop(e, &e->job[i], reason);
    for (size_t round = 0; round <= 2 * e->n_jobs; round++) {
        size_t n_left = 0, n_moved = 0;
        struct elastic_job *stuck = NULL;
        for (size_t i = 0; i < e->n_jobs; i++) {
            struct elastic_job *j = &e->job[i];
            if (j->want == 0 || is_as_it_was(j)) continue;
            if (move(e, j, reason)) { n_moved++; continue; }
            n_left++;
            if (j->has > 0) stuck = j;
        }
        if (n_left == 0 || (n_moved == 0 && stuck == NULL)) return;
        if (n_moved == 0) stop(e, stuck, "to make room for who takes its place");
    }
}

void elastic_apply(struct elastic *e, const char *reason)
{
    bool runs = false;
    make_fit(e);
    move_all(e, reason);
    for (size_t i = 0; i < e->n_jobs && !runs; i++) runs = e->job[i].has > 0;
    if (runs || start_one(e, "nothing else would run")) ask(e);
}

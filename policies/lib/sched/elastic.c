/* elastic.c -- who the elastic jobs are, and from one allocation of all of them to the next.  See elastic.h. */
#include "lib/sched/elastic.h"

void elastic_open(struct elastic *e, const struct pol_host *host, int64_t every)
{
    *e = (struct elastic){ .host = host, .ext = pol_extension(host, POL_ELASTIC), .every = every, .asked = -1 };
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
    free(e->job);
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
    e->widest = e->n_gpus = 0;
    for (uint32_t i = 0; i < e->plan.n_nodes; i++) {
        const struct plan_node *o = &e->plan.node[i];
        if (o->n.is_up) e->n_gpus += o->n.n_gpu;
        if (o->n.n_gpu > e->widest) { e->widest = o->n.n_gpu; e->gpu_type = o->n.gpu_type; }
    }
    int64_t next = pol_after(e->now, e->every - e->now % e->every);
    bool is_time = e->now % e->every == 0;
    if (e->n_jobs > 0 && e->asked != next) e->host->wake(e->host->ctx, e->asked = next);
    return e->n_jobs > 0 && is_time;
}

/* ---- sizes ---- */

int64_t elastic_speed(const struct elastic *e, const struct elastic_job *j, uint32_t n)
{
    return n == 0 ? 0 : e->ext->speed(e->host->ctx, j->job, e->gpu_type, n, n * j->gpus > e->widest);
}

uint32_t elastic_next(const struct elastic *e, const struct elastic_job *j, uint32_t n)
{
    for (uint32_t k = n < j->min ? j->min : n + 1; k <= j->max; k++)
        if (elastic_speed(e, j, k) > 0) return k;
    return 0;
}

/* ---- places ---- */

static void release(struct elastic *e, const struct elastic_job *j, const struct pol_place *at, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) plan_release(&e->plan, at[i].node, &e->plan.shape[j->shape], at[i].cards);
}

void elastic_release(struct elastic *e, const struct elastic_job *j) { release(e, j, j->at, j->has); }

/* The node on which the shape fits with most free GPUs. */
static uint32_t emptiest(const struct plan *p, const struct pol_shape *s)
{
    uint32_t best = POL_NONE;
    for (uint32_t i = 0; i < p->n_nodes; i++)
        if ((best == POL_NONE || p->node[i].gpu_free > p->node[best].gpu_free) && plan_fits(p, i, s)) best = i;
    return best;
}

bool elastic_place(struct elastic *e, struct elastic_job *j)
{
    const struct pol_shape *s = &e->plan.shape[j->shape];
    struct plan_mark m = plan_mark(&e->plan);
    POL_RESERVE(j->to, j->cap_to, j->want);
    for (uint32_t i = 0; i < j->want;) {
        uint32_t node = emptiest(&e->plan, s);
        if (node == POL_NONE) { plan_undo(&e->plan, m); return false; }
        for (; i < j->want && plan_fits(&e->plan, node, s); i++) {
            j->to[i] = (struct pol_place){ .node = node, .cards = plan_pick_cards(&e->plan, node, s) };
            plan_allocate(&e->plan, node, s, j->to[i].cards);
        }
    }
    plan_keep(&e->plan, m);
    return true;
}

/* Take `to` in the plan, on whichever cards are free there; false: they are not, and the plan is as it was. */
static bool take(struct elastic *e, struct elastic_job *j)
{
    const struct pol_shape *s = &e->plan.shape[j->shape];
    struct plan_mark m = plan_mark(&e->plan);
    for (uint32_t i = 0; i < j->want; i++) {
        if (!plan_fits(&e->plan, j->to[i].node, s)) { plan_undo(&e->plan, m); return false; }
        j->to[i].cards = plan_pick_cards(&e->plan, j->to[i].node, s);
        plan_allocate(&e->plan, j->to[i].node, s, j->to[i].cards);
    }
    plan_keep(&e->plan, m);
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
    if (!take(e, j)) { plan_undo(&e->plan, m); return false; }
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

void elastic_apply(struct elastic *e, const char *reason)
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
        if (n_left == 0) return;
        if (n_moved == 0 && stuck == NULL) return;      /* a node of the allocation went down */
        if (n_moved == 0) stop(e, stuck, "to make room for who takes its place");
    }
}

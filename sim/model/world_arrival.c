/*
 * world_arrival.c -- jobs arrive: one is read ahead, checked against the whole
 * cluster when its time has come, and let in, rejected, or reported.
 */
#include "model/world_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/mem.h"
#include "model/cluster/describe.h"

/* In a closed loop the next job waits outside until one has ended. */
void world_arrival_arm(struct world *w)
{
    uint32_t inside = w->jobs.n_live - (uint32_t)w->round.n_ended;
    if (evq_pending(&w->loop.q, ev_slot(SLOT_MISC, MISC_ARRIVAL))) return;
    if (w->arrivals.has_next && (w->cfg.concurrency == 0 || inside < w->cfg.concurrency))
        world_set_event(w, MISC_ARRIVAL, i64_max(w->arrivals.next.submit, w->loop.now),
                        w->arrivals.n_submitted, EV_ARRIVAL);
}

bool world_awaits_none(const struct world *w)
{
    if (w->n_due > 0) return false;
    return w->arrivals.ended || !evq_pending(&w->loop.q, ev_slot(SLOT_MISC, MISC_ARRIVAL));
}

void world_arrival_fetch(struct world *w)
{
    sim_tick last = w->arrivals.next.submit;
    w->arrivals.has_next = w->arrivals.source.next(w->arrivals.source.ctx, &w->arrivals.next, &w->fail) == ST_OK;
    w->arrivals.ended = !w->arrivals.has_next;
    if (!w->arrivals.has_next) return;
    SIM_ASSERT(w->arrivals.next.submit >= last && w->arrivals.next.n_groups > 0);
    world_arrival_arm(w);
}

/* What a task asks for when it is asked whether it can ever run: what the decider would ask. */
static struct shape asked(const struct world *w, const struct shape *s)
{
    return w->round.decider.by_count ? shape_by_count(s) : *s;
}

/* Tasks of this shape that the empty cluster can run at once, remembered. */
static uint32_t capacity_of(struct world *w, uint32_t shape)
{
    uint32_t *known = &w->shapes.use[shape].room;
    if (*known == 0) {
        const struct shape s = asked(w, &w->shapes.at[shape]);
        *known = cluster_capacity(w->cluster, &s) + 1;
    }
    return *known - 1;
}

/* NULL when the job of first task t can run on the whole cluster, else a reason; `shape` out: the one that cannot. */
static const char *infeasible(struct world *w, const struct job_spec *s, uint32_t t, uint32_t *shape)
{
    for (uint32_t g = 0; g < s->n_groups; g++) {
        for (uint32_t k = 0; g > 0 && k < s->group[g - 1].n; k++) t = w->jobs.task[t].next;
        *shape = w->jobs.task[t].shape;
        uint32_t room = capacity_of(w, *shape);
        for (uint32_t k = 0; k < w->cluster->licences.n; k++)
            if (s->group[g].shape.licence[k] > w->cluster->licence_total[k]) return "a task asks for more licences of a kind than the cluster has";
        if (room == 0) return "a task fits on no node of this cluster, even an empty one";
        if (s->gang && room < s->group[g].n) return "its tasks start together, and do not all fit on the empty cluster";
    }
    if (!s->gang || s->n_groups == 1) return NULL;
    struct shape *each;
    const struct shape **shapes;
    uint32_t *n;
    MEM_ARRAY(each, s->n_groups);
    MEM_ARRAY(shapes, s->n_groups);
    MEM_ARRAY(n, s->n_groups);
    for (uint32_t g = 0; g < s->n_groups; g++) {
        each[g] = asked(w, &s->group[g].shape);
        shapes[g] = &each[g];
        n[g] = s->group[g].n;
    }
    bool ok = cluster_could_gang(w->cluster, shapes, n, s->n_groups);
    MEM_FREE(each, shapes, n);
    return ok ? NULL : "its tasks start together, and do not all fit on the empty cluster";
}

static void report_infeasible(struct world *w, const struct job_spec *s, uint32_t shape, const char *error)
{
    char line[48] = "", words[700] = "";
    if (s->line > 0) (void)snprintf(line, sizeof line, " (line %u of the trace)", s->line);
    FILE *to = fmemopen(words, sizeof words, "w");
    if (to != NULL) {
        (void)fputs("; a task asks for ", to);
        describe_request(w->cluster, &w->shapes.at[shape], to);
        (void)fputs("; a node has at most ", to);
        describe_largest(w->cluster, to);
        (void)fclose(to);
    }
    (void)diag_set(&w->fail, ST_EINPUT, "job '%s'%s cannot run: %s%s", s->id, line, error, words);
    diag_hint(&w->fail, "`jobs: {infeasible: reject}` in the scenario counts such jobs as rejected and goes on");
}

static struct graph *graph_of(struct world *w, const struct job_spec *s, uint32_t n_tasks)
{
    uint32_t bad;
    struct graph *g = s->gang ? NULL : graph_create(s->graph, n_tasks, &bad);
    if (g == NULL)
        (void)diag_set(&w->fail, ST_EINPUT, s->gang ? "job '%s' (line %u of the trace) is a gang; its tasks cannot have inputs, outputs or order"
                                                    : "job '%s' (line %u of the trace): tasks wait for each other in a circle", s->id, s->line);
    return g;
}

/* A job that was bound before the trace began runs where it is. */
static void bind_job(struct world *w, uint32_t slot, const struct job_spec *s)
{
    struct world_place p = { .node = intern_find(&w->cluster->node_names, s->node), .by_count = true };
    const char *error = p.node == NONE ? "the cluster has no such node" : s->gang ? "a gang cannot be bound" : NULL;
    for (uint32_t t = w->jobs.job[slot].first_task; t != NONE && error == NULL; t = w->jobs.task[t].next) {
        enum pol_refusal refusal = world_start(w, t, &p);
        if (refusal != POL_OK) error = pol_refusal_words(refusal);
    }
    if (error != NULL)
        (void)diag_set(&w->fail, ST_EINPUT, "job '%s' (line %u of the trace) is bound to node '%s': %s", s->id, s->line, s->node, error);
}

/* Requests for those GPU types alone on which the job's model runs, owned by the caller; NULL: they stay as they are. */
static struct task_group *groups_for(const struct world *w, const struct job_spec *s, uint32_t model)
{
    struct task_group *group;
    uint64_t can = model == NONE ? w->types_of_none : throughput_types(w->cfg.throughput, w->cluster, model);
    if (can == 0) return NULL;
    MEM_ARRAY(group, s->n_groups);
    memcpy(group, s->group, s->n_groups * sizeof *group);
    for (uint32_t g = 0; g < s->n_groups; g++) {
        struct shape *sh = &group[g].shape;
        if (sh->n_gpu == 0) continue;
        uint64_t both = sh->gpu_types == 0 ? can : sh->gpu_types & can;
        sh->gpu_types = both != 0 ? both : UINT64_C(1) << (w->cluster->gpu_types.n & 63);    /* no node has that type */
    }
    return group;
}

/* What the trace says became of it; names of nodes that the cluster does not have were told of when they were read. */
static struct job_record *record_of(const struct world *w, const struct job_past *p)
{
    struct job_record *r;
    size_t cap = 0;
    if (!p->is_known) return NULL;
    MEM_NEW(r);
    *r = (struct job_record){ .start = p->start,
                              .end = p->end,
                              .state = p->state != NULL ? mem_strdup(p->state) : NULL };
    for (const char *s = p->nodes; s != NULL && *s != '\0';) {
        size_t len = strcspn(s, ",");
        char *name = mem_printf("%.*s", (int)len, s);
        uint32_t node = intern_find(&w->cluster->node_names, name);
        mem_free(name);
        if (node != NONE) MEM_PUSH(r->node, r->n_nodes, cap, node);
        s += len + (s[len] == ',');
    }
    return r;
}

/* Ids are given in order of arrival, to names that jobs have: so only then. */
static uint32_t user_of(struct world *w, const struct job_spec *s)
{
    if (s->user_number == 0) return intern_id(&w->users, s->user ? s->user : "-");
    MEM_RESERVE(w->arrivals.user, w->arrivals.cap_user, (size_t)s->user_number + 1);
    uint32_t *known = &w->arrivals.user[s->user_number];
    if (*known == 0) *known = intern_id(&w->users, s->user) + 1;
    return *known - 1;
}

static uint32_t klass_of(struct world *w, const struct job *j, const char *said)
{
    if (said != NULL) return intern_id(&w->classes, said);
    const enum job_class derived = job_class(j, w->cfg.multi_from);
    uint32_t *known = &w->arrivals.klass[derived];
    if (*known == 0) *known = intern_id(&w->classes, job_class_name[derived]) + 1;
    return *known - 1;
}

/* Into the tables; its slot. */
static uint32_t add(struct world *w, const struct job_spec *s, struct graph *graph, uint32_t model)
{
    uint32_t slot = jobs_add(&w->jobs, s, w->arrivals.ordinal, &w->shapes, graph);
    struct job *j = &w->jobs.job[slot];
    j->user = user_of(w, s);
    j->queue = s->queue ? intern_id(&w->queues, s->queue) : NONE;
    j->model = model;
    j->record = record_of(w, &s->past);
    j->klass = klass_of(w, j, s->klass);
    if (s->is_named) world_after_named(w, slot);
    if (s->calls != NULL) {
        SIM_ASSERT(w->calls != NULL && !s->gang);
        j->calls = calls_create(s->calls, j->n_tasks);
        world_calls_arrive(w, slot);
    }
    return slot;
}

void world_arrival_enter(struct world *w, uint32_t slot, enum job_status status)
{
    struct job *j = &w->jobs.job[slot];
    j->ordinal = w->arrivals.ordinal++;
    if (w->count.arrived++ == 0) w->count.first_submit = j->submit;
    w->count.unlimited += j->limit < 0;
    w->count.elastic += j->elastic.max > 0;
    world_fold(w, FACT_ARRIVE, j->ordinal, 0, 0);
    MEM_RESERVE(w->user_jobs, w->cap_user_jobs, w->users.n);
    if (w->user_jobs[j->user]++ == 0) TELL(w, user_changed, j->user, true);
    TELL(w, arrived, slot);
    if (status != JOB_LIVE) {
        if (j->calls != NULL) world_calls_forget(w, slot);
        world_end_job(w, slot, status);
        return;
    }
    w->n_waiting += j->n_waiting;
    world_notify(w, NOTICE_ARRIVED, slot, NONE, NONE);
}

void world_arrival_due(struct world *w)
{
    struct job_spec *s = &w->arrivals.next;
    const sim_tick submit = s->submit;
    struct graph *graph = NULL;
    uint32_t model = s->model ? intern_find(&w->cfg.throughput->models, s->model) : NONE, shape = NONE;
    uint64_t n_tasks = 0;
    s->submit = w->loop.now;
    w->arrivals.has_next = false;       /* it is inside now */
    for (uint32_t g = 0; g < s->n_groups; g++) n_tasks += s->group[g].n;
    if (n_tasks >> JOBS_INDEX_BITS != 0) {
        (void)diag_set(&w->fail, ST_EINPUT, "job '%s' (line %u of the trace) has %" PRIu64 " tasks; a job may have at most %d",
                       s->id, s->line, n_tasks, (1 << JOBS_INDEX_BITS) - 1);
        return;
    }
    if (s->elastic.max > 0 && !world_scale_check(w, s, model)) return;
    if (s->graph != NULL && (graph = graph_of(w, s, (uint32_t)n_tasks)) == NULL) return;
    struct task_group *group = groups_for(w, s, model);
    if (group != NULL) s->group = group;
    uint32_t slot = add(w, s, graph, model);
    const char *error = infeasible(w, s, w->jobs.job[slot].first_task, &shape);
    if (error != NULL && !w->cfg.reject_infeasible) report_infeasible(w, s, shape, error);
    mem_free(group);
    if (w->fail.code != ST_OK) return;
    w->arrivals.n_submitted++;
    w->count.recorded = s->recorded;
    if (s->after != NULL && error == NULL) world_after_submit(w, slot, s);
    else world_arrival_enter(w, slot, error != NULL ? JOB_REJECTED : JOB_LIVE);
    if (s->node != NULL && error == NULL) bind_job(w, slot, s);
    s->submit = submit;                 /* the next may be earlier than now */
    world_arrival_fetch(w);
}

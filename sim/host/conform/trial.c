/*
 * trial.c -- one case under one policy, stepped to its end, with everything that happened kept.
 *
 * Two trials can be stepped turn by turn, so that two instances of a policy are
 * alive at once.
 */
#include "host/conform/trial.h"

#include "host/conform/specs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "host/host.h"
#include "base/mem.h"

/* ---- what happened in it ---- */

void trial_history_fini(struct trial_history *h) { mem_free(h->ev); }

static void record(struct trial_history *h, struct trial_event e)
{
    MEM_PUSH(h->ev, h->n, h->cap, e);
}

static struct trial_event of_task(const struct world *w, enum trial_event_type type, uint32_t task, const char *how)
{
    const struct task *t = world_task(w, task);
    const struct hold *hold = cluster_hold(world_cluster(w), task);
    return (struct trial_event){ world_now(w), type, world_job(w, t->job)->ordinal, t->index, hold->node, hold->cards, how };
}

static void on_started(void *ctx, const struct world *w, uint32_t task) { record(ctx, of_task(w, TRIAL_START, task, "")); }

static void on_stopped(void *ctx, const struct world *w, uint32_t task, enum stop_reason how)
{
    static const char *const name[] = { [STOP_DONE] = "done", [STOP_PREEMPTED] = "preempted", [STOP_FAILED] = "failed",
                                        [STOP_TIMEOUT] = "timeout", [STOP_HORIZON] = "horizon",
                                        [STOP_MISMATCH] = "mismatch", [STOP_SCALED] = "scaled" };
    if (how != STOP_HORIZON) record(ctx, of_task(w, TRIAL_STOP, task, name[how]));   /* in the order of slots */
}

static void on_job_ended(void *ctx, const struct world *w, uint32_t job)
{
    static const char *const name[] = { [JOB_DONE] = "done", [JOB_TIMEOUT] = "timeout", [JOB_REJECTED] = "rejected",
                                        [JOB_FAILED] = "failed", [JOB_NEVER_ELIGIBLE] = "never_eligible" };
    const struct job *j = world_job(w, job);
    if (j->status != JOB_UNFINISHED) record(ctx, (struct trial_event){ world_now(w), TRIAL_END, j->ordinal, NONE, NONE, 0, name[j->status] });
}

static void on_node_changed(void *ctx, const struct world *w, uint32_t node)
{
    record(ctx, (struct trial_event){ world_now(w), TRIAL_NODE, UINT64_MAX, NONE, node, 0, world_cluster(w)->node[node].is_up ? "up" : "down" });
}

static void take_sample(void *ctx, const struct world *w) { (void)ctx, (void)w; }
static void take_decision(void *ctx, sim_tick at, const char *verb, uint64_t job, int64_t task, int64_t node, const char *reason)
{ (void)ctx, (void)at, (void)verb, (void)job, (void)task, (void)node, (void)reason; }
static void take_note(void *ctx, sim_tick at, const char *name, double value) { (void)ctx, (void)at, (void)name, (void)value; }

void trial_format_event(const struct trial_history *h, size_t i, char *buf, size_t cap)
{
    if (i >= h->n) { (void)snprintf(buf, cap, "nothing more"); return; }
    const struct trial_event *e = &h->ev[i];
    if (e->type == TRIAL_START)
        (void)snprintf(buf, cap, "t=%" PRId64 " us: task %u of job j%" PRIu64 " starts on node %u, cards %#" PRIx64, e->at, e->task, e->job, e->node, e->cards);
    else if (e->type == TRIAL_STOP)
        (void)snprintf(buf, cap, "t=%" PRId64 " us: task %u of job j%" PRIu64 " stops on node %u (%s)", e->at, e->task, e->job, e->node, e->how);
    else if (e->type == TRIAL_END) (void)snprintf(buf, cap, "t=%" PRId64 " us: job j%" PRIu64 " ends (%s)", e->at, e->job, e->how);
    else (void)snprintf(buf, cap, "t=%" PRId64 " us: node %u goes %s", e->at, e->node, e->how);
}

static bool same(const struct trial_event *a, const struct trial_event *b)
{
    return a->at == b->at && a->type == b->type && a->job == b->job && a->task == b->task && a->node == b->node && a->cards == b->cards &&
           strcmp(a->how, b->how) == 0;
}

size_t trial_first_difference(const struct trial_history *a, const struct trial_history *b)
{
    for (size_t i = 0; i < a->n && i < b->n; i++)
        if (!same(&a->ev[i], &b->ev[i])) return i;
    return a->n == b->n && a->result == b->result ? SIZE_MAX : a->n < b->n ? a->n : b->n;
}

/* ---- one run ---- */

struct trial { struct conform_case *c; struct host *host; struct world *w; struct trial_history *h; };

/* Unfinished though nothing keeps it: the earliest such job, and a node on which its first waiting task fits now. */
static void find_left(struct trial *s)
{
    const struct world *w = s->w;
    const struct job *first = NULL;
    uint32_t task = NONE, at = NONE;
    for (uint32_t i = 0; i < world_n_job_slots(w); i++) {
        const struct job *j = world_job(w, i);
        if (j->is_live && j->n_waiting > 0 && (first == NULL || j->ordinal < first->ordinal)) first = j;
    }
    if (first == NULL) return;
    for (uint32_t t = first->first_task; t != NONE && task == NONE; t = world_task(w, t)->next)
        if (world_task(w, t)->state == TASK_WAITING) task = t;
    const struct shape *shape = world_shape(w, world_task(w, task)->shape);
    for (uint32_t n = 0; n < world_cluster(w)->n_nodes && at == NONE; n++)
        if (cluster_fits(world_cluster(w), n, shape)) at = n;
    struct conform_problem *p = &s->h->left;
    p->at = world_now(w);
    (void)snprintf(p->what, sizeof p->what, "left job j%" PRIu64 " waiting %s", first->ordinal,
                   world_n_running(w) == 0 ? "on an idle cluster" : "to the end of the case");
    if (at != NONE) (void)snprintf(p->detail, sizeof p->detail, "its task %u has waited since t=%" PRId64 " us and fits on node %u", world_task(w, task)->index,
                                   world_task(w, task)->ready_at, at);
}

static void trial_open(struct trial *s, uint32_t i, const char *spec, const struct trial_variant *v, struct sandbox_page *page, struct trial_history *h)
{
    *h = (struct trial_history){ .result = ST_OK };
    *s = (struct trial){ .c = conform_case_make(i), .h = h };
    struct conform_case *c = s->c;
    if (v->other_limits)
        for (uint32_t k = 0; k < c->n_jobs; k++) c->job[k].limit = (7 * (int64_t)k) % 50 - 1;
    if (v->is_watched) c->cfg.sample_every = i64_max(1, c->cfg.horizon / 5000);
    struct host_hooks hooks = { .page = page, .tricks = v->tricks,
                                   .decision = v->is_watched ? take_decision : NULL, .note = v->is_watched ? take_note : NULL };
    char slow[CONFORM_SPEC_LEN];
    if (c->is_slow) conform_slow_spec(slow, spec);
    h->result = host_create(&s->host, c->is_slow ? slow : spec, NULL, &c->cfg, NULL, &hooks, &h->diag);
    if (h->result != ST_OK) return;
    h->flags = host_flags(s->host);
    h->asks_profiles = host_profiles(s->host);
    s->w = world_create(&c->cfg, conform_source(c), host_decider(s->host));
    world_observe(s->w, (struct observer){ .ctx = h, .started = on_started, .stopped = on_stopped, .job_ended = on_job_ended, .node_changed = on_node_changed });
    if (v->is_watched) world_observe(s->w, (struct observer){ .sample = take_sample });
}

/* No case needs nearly as many; who gets there asks to be woken without end. */
enum { INSTANTS_MAX = 300000 };

static bool trial_step(struct trial *s)
{
    struct trial_history *h = s->h;
    if (h->result != ST_OK) return false;
    if (world_next(s->w) > s->c->cfg.horizon) find_left(s);     /* the step to come gives up what is left */
    h->result = world_step(s->w, &h->diag);
    if (h->result == ST_EPOLICY) find_left(s);
    if (h->result == ST_OK && ++h->n_instants > INSTANTS_MAX) h->result = diag_breach(&h->diag, BREACH_WAKES, "it asks to be woken without end");
    return h->result == ST_OK;
}

static void trial_close(struct trial *s)
{
    struct trial_history *h = s->h;
    if (s->w != NULL) {
        h->digest = world_digest(s->w);
        h->count = *world_count(s->w);
        h->end = world_now(s->w);
        world_destroy(s->w);
    }
    host_destroy(s->host);
    conform_case_free(s->c);
}

void trial_run(uint32_t i, const char *spec, const struct trial_variant *v, struct sandbox_page *page, struct trial_history *h)
{
    struct trial s;
    trial_open(&s, i, spec, v, page, h);
    while (trial_step(&s)) { }
    trial_close(&s);
}

void trial_run_beside(uint32_t i, const char *spec, const struct trial_variant *v, struct sandbox_page *page, struct trial_history *h, struct trial_history *other)
{
    struct trial s, o;
    trial_open(&s, i, spec, v, page, h);
    trial_open(&o, i, spec, &(struct trial_variant){ 0 }, page, other);
    for (bool a = true, b = true; a || b;) {
        a = a && trial_step(&s);
        b = b && trial_step(&o);
    }
    trial_close(&o);
    trial_close(&s);
}

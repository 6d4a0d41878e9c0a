#include "app/polhost.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "app/polexec.h"
#include "app/polload.h"
#include "app/polspec.h"
#include "base/mem.h"
#include "base/text.h"

_Static_assert(POL_ENGINES_MAX == (int)ENGINE_KINDS_MAX, "the ABI shows every engine kind");

enum verb { VERB_START, VERB_START_GANG, VERB_PREEMPT, VERB_RESIZE, VERB_WAKE, VERB_HOLD, VERB_HEAD };
static const char *const verb_name[] = { "start", "start", "preempt", "resize", "wake", "hold", "head" };

struct decision {
    enum verb verb;
    uint32_t  slot, gen;        /* task, or job of a gang */
    uint32_t  place, n_place;   /* in the place buffer */
    int64_t   at;               /* of a wake; of a resize its milli-CPU */
    size_t    why;              /* offset in the text buffer; 0: none */
};

struct polhost {
    struct polspec spec;
    void          *self;
    struct pol_ops said;        /* what a policy in another process says of itself; then spec.ops points here */
    uint32_t       flags;
    struct pol_host api;
    struct polhost_hooks hooks;
    struct world  *w;           /* borrowed for the length of one decide call */
    struct diag    failed;      /* the policy called fail, or misused a verb */

    /* The mirror of the world that the policy sees. */
    struct pol_view view;
    int64_t *mem_bw;
    struct pol_node  *node;   struct pol_card *card;   bool is_shown;
    struct pol_gpu_type *gpu_type;
    struct pol_shape *shape;  size_t cap_shape;
    struct pol_job_info  *job_info;  uint64_t *job_seen;   size_t cap_job, cap_job_seen;
    struct pol_task_info *task_info; uint64_t *task_seen;  size_t cap_task, cap_task_seen;
    uint64_t call;              /* decide calls so far: marks which infos are current */
    struct pol_event *event;  size_t cap_event;

    /* The decision buffer, emptied at every call. */
    struct decision *dec;     size_t n_dec, cap_dec;
    struct world_place *place; size_t n_place, cap_place;
    char            *text;    size_t n_text, cap_text;
    void           **buried;  size_t n_buried, cap_buried;      /* see polhost_tricks */
    uint32_t        *all;
    uint64_t         n_idle;    /* calls in a row that did nothing but ask for the next, with jobs waiting on an idle cluster */
    size_t           max_dec;   /* what no policy in its senses appends in one call */

    /* What was last said to be held, so that only changes are recorded. */
    struct { uint32_t gen; uint64_t why; } *held; size_t cap_held;      /* by task slot; why: hash, 0 none */
    struct { uint32_t slot, gen; uint64_t why; } head;
};

/*
 * A call may start, stop and again start every task, and wake as often as it
 * likes within reason; who says more is in a loop that would eat all memory.
 */
enum { DECISIONS_A_TASK = 4, DECISIONS_BESIDES = 65536 };

/* So many times nobody needs to look at the clock before starting what waits. */
enum { IDLE_CALLS_MAX = 100000 };

/* ---- what the policy reads ---- */

static const struct pol_job_info *lend_job(void *ctx, pol_job h)
{
    struct polhost *p = ctx;
    const struct world *w = p->w;
    if (w == NULL || h.slot >= w->jobs.n_job_slots) return NULL;
    const struct job *j = &w->jobs.job[h.slot];
    if (!j->is_live || j->gen != h.gen) return NULL;
    struct pol_job_info *i = &p->job_info[h.slot];
    if (p->job_seen[h.slot] == p->call) return i;
    p->job_seen[h.slot] = p->call;
    *i = (struct pol_job_info){
        .ordinal = j->ordinal, .submit_us = j->submit, .limit_us = j->limit,
        .true_dur_us = p->flags & POL_CLAIRVOYANT ? j->nominal : -1,
        .first_task = { j->first_task, w->jobs.task[j->first_task].gen },
        .n_tasks = j->n_tasks, .n_waiting = j->n_waiting, .n_running = j->n_running,
        .user = j->user, .queue = j->queue, .priority = j->priority, .is_gang = j->gang,
        .kind = w->cfg.profiles != NULL && j->model != NONE ? profiles_kind(w->cfg.profiles, j->model) : POL_NONE, .hints = j->hints,
    };
    return i;
}

static const struct pol_task_info *lend_task(void *ctx, pol_task h)
{
    struct polhost *p = ctx;
    const struct world *w = p->w;
    if (w == NULL || h.slot >= w->jobs.n_task_slots) return NULL;
    const struct task *t = &w->jobs.task[h.slot];
    if (!t->is_live || t->gen != h.gen) return NULL;
    struct pol_task_info *i = &p->task_info[h.slot];
    if (p->task_seen[h.slot] == p->call) return i;
    p->task_seen[h.slot] = p->call;
    bool running = t->state == TASK_RUNNING;
    const struct hold *hold = running ? &w->cluster->hold[h.slot] : NULL;
    *i = (struct pol_task_info){
        .job = { t->job, w->jobs.job[t->job].gen },
        .next = { t->next, t->next == NONE ? 0 : w->jobs.task[t->next].gen },
        .index = t->index, .shape = t->shape, .is_running = running,
        .node = running ? hold->node : POL_NONE, .cards = running ? hold->cards : 0,
        .started_us = running ? t->started_at : -1,
        .attained_us = world_attained(w, h.slot),
        .true_left_us = p->flags & POL_CLAIRVOYANT ? world_left(w, h.slot) : -1,
        .is_waiting = t->state == TASK_WAITING, .n_inputs = world_n_inputs(w, h.slot),
        .cpu_milli = running ? hold->cpu_milli : 0,
    };
    return i;
}

static bool is_live_task(const struct polhost *p, pol_task h)
{
    return p->w != NULL && h.slot < p->w->jobs.n_task_slots && p->w->jobs.task[h.slot].is_live &&
           p->w->jobs.task[h.slot].gen == h.gen;
}

static struct pol_input lend_input(void *ctx, pol_task h, uint32_t k)
{
    const struct polhost *p = ctx;
    if (!is_live_task(p, h) || k >= world_n_inputs(p->w, h.slot)) return (struct pol_input){ .size_b = 0 };
    struct world_input in = world_input(p->w, h.slot, k);
    return (struct pol_input){ .size_b = in.size, .replica = in.replica, .n_replicas = in.n_replicas };
}

static struct pol_transfer lend_transfer(void *ctx, pol_task h, uint32_t node)
{
    const struct polhost *p = ctx;
    struct pol_transfer sum = { 0 };
    if (!is_live_task(p, h) || node >= p->w->cluster->n_nodes) return sum;
    int64_t *const bytes[LEVELS] = { &sum.local_b, &sum.rack_b, &sum.cross_b };
    int64_t *const us[LEVELS] = { &sum.local_us, &sum.rack_us, &sum.cross_us };
    for (uint32_t k = 0, n = world_n_inputs(p->w, h.slot); k < n; k++) {
        struct world_input in = world_input(p->w, h.slot, k);
        enum data_level level = net_level(&p->w->cfg.net, p->w->cluster, in.replica, in.n_replicas, node);
        *bytes[level] += in.size;
        *us[level] += net_nominal_us(&p->w->cfg.net, level, in.size);
    }
    return sum;
}

static const char *lend_user_name(void *ctx, uint32_t user)
{
    const struct polhost *p = ctx;
    return p->w != NULL && user < p->w->users.n ? intern_name(&p->w->users, user) : NULL;
}

static struct pol_reading lend_reading(void *ctx, pol_task h)
{
    const struct polhost *p = ctx;
    if (!is_live_task(p, h)) return (struct pol_reading){ -1, -1 };
    struct reading r = speed_reading(p->w, h.slot);
    return (struct pol_reading){ .gpu_util = r.util < 0 ? -1 : mul_div(r.util, 1000000, RATE_ONE), .mem_bw = r.bw };
}

static const char *name_in(const struct intern *t, uint32_t id) { return id < t->n ? intern_name(t, id) : NULL; }

static const char *lend_name(void *ctx, uint32_t kind, uint32_t id)
{
    const struct polhost *p = ctx;
    const struct world *w = p->w;
    if (w == NULL) return NULL;
    switch ((enum pol_name_kind)kind) {
    case POL_NAME_NODE:     return name_in(&w->cluster->node_names, id);
    case POL_NAME_RACK:     return name_in(&w->cluster->rack_names, id);
    case POL_NAME_GPU_TYPE: return name_in(&w->cluster->gpu_types, id);
    case POL_NAME_LABEL:    return name_in(&w->cluster->labels, id);
    case POL_NAME_ENGINE:   return name_in(&w->cluster->engines, id);
    case POL_NAME_USER:     return name_in(&w->users, id);
    case POL_NAME_QUEUE:    return name_in(&w->queues, id);
    case POL_NAME_KIND:     return w->cfg.profiles != NULL ? name_in(&w->cfg.profiles->kinds, id) : NULL;
    case POL_NAME_JOB:      return id < w->jobs.n_job_slots && w->jobs.job[id].is_live ? w->jobs.job[id].id : NULL;
    }
    return NULL;
}

static uint32_t lend_label(void *ctx, const char *name)
{
    const struct polhost *p = ctx;
    return p->w != NULL ? intern_find(&p->w->cluster->labels, name) : POL_NONE;
}

/* ---- what the policy says ---- */

static size_t keep_text(struct polhost *p, const char *why)
{
    if (why == NULL || p->hooks.decision == NULL) return 0;
    size_t n = strlen(why) + 1, at = p->n_text;
    MEM_RESERVE(p->text, p->cap_text, at + n);
    memcpy(p->text + at, why, n);
    p->n_text += n;
    return at;
}

/* The policy misused the host in a way that no decision stands for: the first one fails the run. */
static void misuse(struct polhost *p, const char *what)
{
    char when[64];
    if (p->w == NULL) (void)diag_set(&p->failed, ST_EPOLICY, "policy '%s' broke its contract in create: %s", p->spec.ops->name, what);
    else (void)diag_set(&p->failed, ST_EPOLICY, "policy '%s' broke its contract at t=%" PRId64 " us (%s), after %zu decisions: %s", p->spec.ops->name,
                        world_now(p->w), text_duration(when, sizeof when, world_now(p->w)), p->n_dec, what);
}

static struct decision *append(struct polhost *p, enum verb verb, uint32_t slot, uint32_t gen, const char *why)
{
    if (p->w == NULL) { misuse(p, "it decides outside of decide"); return NULL; }
    if (p->n_dec == p->max_dec) { misuse(p, "it appends more decisions than all its tasks could need"); return NULL; }
    MEM_RESERVE(p->dec, p->cap_dec, p->n_dec + 1);
    struct decision *d = &p->dec[p->n_dec++];
    *d = (struct decision){ .verb = verb, .slot = slot, .gen = gen, .why = keep_text(p, why) };
    if (p->hooks.page != NULL) p->hooks.page->n_decisions = p->n_dec;
    return d;
}

/* NULL, and a number that is not the gang's, are for the check to refuse: nothing is read through them. */
static void append_places(struct polhost *p, struct decision *d, const struct pol_place *place, uint32_t n)
{
    if (d == NULL) return;
    d->n_place = n;
    if (place == NULL) { misuse(p, "it starts something with places NULL"); return; }
    d->place = (uint32_t)p->n_place;
    MEM_RESERVE(p->place, p->cap_place, p->n_place + n);
    for (uint32_t i = 0; i < n; i++)
        p->place[p->n_place++] = (struct world_place){ .node = place[i].node, .cards = place[i].cards, .cpu_milli = place[i].cpu_milli,
                                                       .by_count = (p->flags & POL_BY_COUNT) != 0 };
}

static void say_start(void *ctx, pol_task t, const struct pol_place *place, const char *why)
{
    struct polhost *p = ctx;
    append_places(p, append(p, VERB_START, t.slot, t.gen, why), place, 1);
}

static void say_start_gang(void *ctx, pol_job j, const struct pol_place *place, uint32_t n, const char *why)
{
    struct polhost *p = ctx;
    struct decision *d = append(p, VERB_START_GANG, j.slot, j.gen, why);
    const struct pol_job_info *i = lend_job(p, j);
    if (i != NULL && i->n_tasks == n) append_places(p, d, place, n);
    else if (d != NULL) d->n_place = n;
}

static void say_preempt(void *ctx, pol_task t, const char *why)
{
    struct polhost *p = ctx;
    (void)append(p, VERB_PREEMPT, t.slot, t.gen, why);
}

static void say_resize(void *ctx, pol_task t, int64_t cpu_milli, const char *why)
{
    struct polhost *p = ctx;
    struct decision *d = append(p, VERB_RESIZE, t.slot, t.gen, why);
    if (d != NULL) d->at = cpu_milli;
}

static void say_wake(void *ctx, int64_t at_us)
{
    struct polhost *p = ctx;
    struct decision *d = append(p, VERB_WAKE, 0, 0, NULL);
    if (d != NULL) d->at = at_us;
}

/* FNV-1a, never 0. */
static uint64_t hash_why(const char *why)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (; why != NULL && *why != '\0'; why++) h = (h ^ (unsigned char)*why) * UINT64_C(0x100000001b3);
    return h | 1;
}

static void say_hold(void *ctx, pol_task t, bool is_head, const char *why)
{
    struct polhost *p = ctx;
    if (p->hooks.decision == NULL) return;
    uint64_t h = hash_why(why);
    if (is_head) {
        if (p->head.slot == t.slot && p->head.gen == t.gen && p->head.why == h) return;
        p->head.slot = t.slot;
        p->head.gen = t.gen;
        p->head.why = h;
    } else {
        MEM_RESERVE(p->held, p->cap_held, (size_t)t.slot + 1);
        if (p->held[t.slot].gen == t.gen && p->held[t.slot].why == h) return;
        p->held[t.slot].gen = t.gen;
        p->held[t.slot].why = h;
    }
    (void)append(p, is_head ? VERB_HEAD : VERB_HOLD, t.slot, t.gen, why);
}

static void say_note(void *ctx, const char *name, double value)
{
    struct polhost *p = ctx;
    if (p->w == NULL) misuse(p, "it notes something outside of decide");
    else if (name == NULL || *name == '\0') misuse(p, "it notes a number without a name");
    else if (!isfinite(value)) misuse(p, "it notes a number that is not finite");
    else if (p->hooks.note != NULL) p->hooks.note(p->hooks.ctx, world_now(p->w), name, value);
}

static void say_fail(void *ctx, const char *message)
{
    struct polhost *p = ctx;
    char when[64];
    int64_t now = p->w != NULL ? world_now(p->w) : 0;
    if (message == NULL) message = "it gave no reason";
    if (p->w == NULL) (void)diag_set(&p->failed, ST_EPOLICY, "policy '%s' failed in create: %s", p->spec.ops->name, message);
    else (void)diag_set(&p->failed, ST_EPOLICY, "policy '%s' failed at t=%" PRId64 " us (%s): %s", p->spec.ops->name, now,
                        text_duration(when, sizeof when, now), message);
}

/* ---- the mirror ---- */

static void show_node(struct polhost *p, uint32_t i)
{
    const struct node *n = &p->w->cluster->node[i];
    struct pol_node *o = &p->node[i];
    *o = (struct pol_node){
        .cpu_total = n->cpu_total, .cpu_free = n->cpu_free, .mem_total = n->mem_total, .mem_free = n->mem_free,
        .labels = n->labels, .card0 = n->card0, .n_gpu = n->n_gpu, .gpu_type = n->gpu_type, .rack = n->rack,
        .n_tasks = n->n_tasks, .is_up = n->is_up, .max_tasks = n->max_tasks,
        .cpu_reserved = n->cpu_reserved, .mem_reserved = n->mem_reserved,
    };
    memcpy(o->engine_total, n->engine_total, sizeof o->engine_total);
    memcpy(o->engine_free, n->engine_free, sizeof o->engine_free);
    for (uint32_t k = n->card0; k < n->card0 + n->n_gpu; k++) {
        const struct card *c = &p->w->cluster->card[k];
        p->card[k] = (struct pol_card){ .mem_total = c->mem_total, .mem_free = c->mem_free, .milli_free = c->milli_free,
                                        .core_total = c->core_total, .core_free = c->core_free };
    }
}

static void show_shapes(struct polhost *p)
{
    const struct shapes *s = &p->w->shapes;
    MEM_RESERVE(p->shape, p->cap_shape, s->n);
    for (uint32_t i = p->view.n_shapes; i < s->n; i++) {
        const struct shape *a = &s->at[i];
        p->shape[i] = (struct pol_shape){
            .cpu_milli = a->cpu_milli, .mem_b = a->mem_b, .gpu_mem_b = a->gpu_mem_b, .gpu_types = a->gpu_types,
            .need_all = a->need_all, .need_any = a->need_any, .n_gpu = a->n_gpu, .gpu_milli = a->gpu_milli,
            .exclusive = a->exclusive, .gpu_cores = a->gpu_cores,
        };
        memcpy(p->shape[i].engine, a->engine, sizeof a->engine);
    }
    p->view.n_shapes = s->n;
    p->view.shape = p->shape;
}

/* Destroy what is there; its place is given back a call later. */
static void bury(struct polhost *p, void *old, size_t bytes)
{
    memset(old, 0xa5, bytes);
    MEM_RESERVE(p->buried, p->cap_buried, p->n_buried + 1);
    p->buried[p->n_buried++] = old;
}

static void *move_array(struct polhost *p, void *old, size_t n, size_t size)
{
    if (old == NULL) return NULL;
    void *now = mem_alloc(n, size);
    memcpy(now, old, n * size);
    bury(p, old, n * size);
    return now;
}

/* After a call: nothing that the policy read may be where it was. */
static void move_memory(struct polhost *p)
{
    while (p->n_buried > 0) mem_free(p->buried[--p->n_buried]);
    p->node = move_array(p, p->node, p->w->cluster->n_nodes, sizeof *p->node);
    p->mem_bw = move_array(p, p->mem_bw, p->w->cluster->n_nodes, sizeof *p->mem_bw);
    p->view.mem_bw = p->mem_bw;
    p->card = move_array(p, p->card, p->w->cluster->n_cards, sizeof *p->card);
    p->shape = move_array(p, p->shape, p->cap_shape, sizeof *p->shape);
    p->job_info = move_array(p, p->job_info, p->cap_job, sizeof *p->job_info);
    p->task_info = move_array(p, p->task_info, p->cap_task, sizeof *p->task_info);
    p->event = move_array(p, p->event, p->cap_event, sizeof *p->event);
}

static void list_all_changed(struct polhost *p)
{
    uint32_t n = p->w->cluster->n_nodes;
    if (p->all == NULL) {
        MEM_ARRAY(p->all, n);
        for (uint32_t i = 0; i < n; i++) p->all[i] = i;
    }
    p->view.changed = p->all;
    p->view.n_changed = n;
}

static void show_world(struct polhost *p)
{
    struct world *w = p->w;
    struct cluster *c = w->cluster;
    if (!p->is_shown) {
        MEM_ARRAY(p->node, c->n_nodes);
        MEM_ARRAY(p->card, c->n_cards);
        MEM_ARRAY(p->mem_bw, c->n_nodes);
        MEM_ARRAY(p->gpu_type, c->gpu_types.n);
        for (uint32_t i = 0; i < c->n_nodes; i++) { show_node(p, i); p->mem_bw[i] = c->node[i].mem_bw; }
        for (uint32_t i = 0; i < c->gpu_types.n; i++)
            p->gpu_type[i] = (struct pol_gpu_type){ .compute_mflops = c->gpu_figures[i].compute_mflops,
                .bandwidth_bps = c->gpu_figures[i].bandwidth_bps, .clock_khz = c->gpu_figures[i].clock_khz };
        p->view.mem_bw = p->mem_bw;
        p->is_shown = true;
    } else {
        for (uint32_t i = 0; i < c->n_changed; i++) show_node(p, c->changed[i]);
    }
    show_shapes(p);
    struct pol_view *v = &p->view;
    v->now_us = world_now(w);
    v->n_nodes = c->n_nodes;
    v->n_cards = c->n_cards;
    v->n_users = w->users.n;
    v->n_gpu_types = c->gpu_types.n;
    v->n_racks = c->rack_names.n;
    v->node = p->node;
    v->card = p->card;
    v->gpu_type = p->gpu_type;
    v->changed = c->changed;
    v->n_changed = c->n_changed;
    if (p->hooks.tricks.lists_all_changed) list_all_changed(p);
    v->n_waiting = w->n_waiting;
    v->n_running = w->n_running;
    v->cpu_total = c->sum.cpu_total;
    v->mem_total = c->sum.mem_total;
    v->gpu_total = c->sum.gpu_total;
    /* Infos are filled when asked for; here only room for every slot. */
    MEM_RESERVE(p->job_info, p->cap_job, w->jobs.n_job_slots);
    MEM_RESERVE(p->job_seen, p->cap_job_seen, w->jobs.n_job_slots);
    MEM_RESERVE(p->task_info, p->cap_task, w->jobs.n_task_slots);
    MEM_RESERVE(p->task_seen, p->cap_task_seen, w->jobs.n_task_slots);
    p->call++;
}

static const uint32_t event_kind[] = {
    [NOTICE_ARRIVED] = POL_ARRIVED, [NOTICE_READY] = POL_READY, [NOTICE_TASK_ENDED] = POL_TASK_ENDED,
    [NOTICE_JOB_ENDED] = POL_JOB_ENDED, [NOTICE_NODE_DOWN] = POL_NODE_DOWN, [NOTICE_NODE_UP] = POL_NODE_UP,
    [NOTICE_TIMER] = POL_TIMER,
};

static void show_events(struct polhost *p, const struct notice *n, size_t n_notices)
{
    const struct job_table *t = &p->w->jobs;
    MEM_RESERVE(p->event, p->cap_event, n_notices);
    for (size_t i = 0; i < n_notices; i++) {
        struct pol_event *e = &p->event[i];
        uint32_t task = n[i].task;
        if (n[i].kind == NOTICE_READY && task == NONE) task = t->job[n[i].job].first_task;
        *e = (struct pol_event){ .kind = event_kind[n[i].kind], .node = n[i].node,
                                 .job = { POL_NONE, 0 }, .task = { POL_NONE, 0 } };
        if (n[i].job != NONE) e->job = (pol_job){ n[i].job, t->job[n[i].job].gen };
        if (task != NONE) e->task = (pol_task){ task, t->task[task].gen };
    }
}

/* ---- applying ---- */

static const char *refuse(struct polhost *p, const struct decision *d)
{
    struct world *w = p->w;
    switch (d->verb) {
    case VERB_START:
        if (d->slot >= w->jobs.n_task_slots || w->jobs.task[d->slot].gen != d->gen) return "the task's handle is stale";
        return world_start(w, d->slot, &p->place[d->place]);
    case VERB_START_GANG:
        if (d->slot >= w->jobs.n_job_slots || w->jobs.job[d->slot].gen != d->gen) return "the job's handle is stale";
        return world_start_gang(w, d->slot, &p->place[d->place], d->n_place);
    case VERB_PREEMPT:
        if ((p->flags & POL_PREEMPTS) == 0) return "the policy is not declared as one that preempts (POL_PREEMPTS)";
        if (d->slot >= w->jobs.n_task_slots || w->jobs.task[d->slot].gen != d->gen) return "the task's handle is stale";
        return world_preempt(w, d->slot);
    case VERB_RESIZE:
        if (d->slot >= w->jobs.n_task_slots || w->jobs.task[d->slot].gen != d->gen) return "the task's handle is stale";
        return world_resize(w, d->slot, d->at);
    case VERB_WAKE:
        return world_wake(w, d->at);
    case VERB_HOLD: case VERB_HEAD:
        if (d->slot >= w->jobs.n_task_slots || !w->jobs.task[d->slot].is_live || w->jobs.task[d->slot].gen != d->gen)
            return "the task's handle is stale";
        return w->jobs.task[d->slot].state == TASK_WAITING ? NULL : "the task does not wait";
    }
    return "unknown decision";
}

/* What starts is held no longer: said again, it is news. */
static void forget_held(struct polhost *p, uint32_t task)
{
    if (task < p->cap_held) p->held[task].why = 0;
    if (p->head.slot == task) p->head.why = 0;
}

static void record(struct polhost *p, const struct decision *d)
{
    if (p->hooks.decision == NULL || d->verb == VERB_WAKE) return;
    const struct job_table *t = &p->w->jobs;
    const char *why = d->why ? p->text + d->why : NULL;
    uint32_t job = d->verb == VERB_START_GANG ? d->slot : t->task[d->slot].job;
    if (d->verb == VERB_START || d->verb == VERB_START_GANG) forget_held(p, t->job[job].gang ? t->job[job].first_task : d->slot);
    if (d->verb == VERB_START_GANG) {
        for (uint32_t i = 0; i < d->n_place; i++)
            p->hooks.decision(p->hooks.ctx, world_now(p->w), verb_name[d->verb], t->job[job].ordinal, i,
                              p->place[d->place + i].node, why);
    } else {
        int64_t node = d->verb == VERB_START ? (int64_t)p->place[d->place].node
                     : d->verb == VERB_RESIZE ? (int64_t)p->w->cluster->hold[d->slot].node : -1;
        p->hooks.decision(p->hooks.ctx, world_now(p->w), verb_name[d->verb], t->job[job].ordinal,
                          t->task[d->slot].index, node, why);
    }
}

/* Name the job a refused decision was about, as far as the handle leads to one. */
static enum st refused(struct polhost *p, const struct decision *d, size_t i, const char *why, struct diag *diag)
{
    const struct job_table *t = &p->w->jobs;
    const char *job = "?";
    uint32_t slot = d->verb == VERB_START_GANG ? d->slot : d->slot < t->n_task_slots ? t->task[d->slot].job : NONE;
    if (d->verb != VERB_WAKE && slot < t->n_job_slots && t->job[slot].id != NULL) job = t->job[slot].id;
    char when[64];
    enum st st = diag_set(diag, ST_EPOLICY, "policy '%s' broke its contract at t=%" PRId64 " us (%s), decision %zu of %zu: %s%s%s%s: %s",
                          p->spec.ops->name, world_now(p->w), text_duration(when, sizeof when, world_now(p->w)),
                          i + 1, p->n_dec, verb_name[d->verb], d->verb == VERB_WAKE ? "" : " of job '",
                          d->verb == VERB_WAKE ? "" : job, d->verb == VERB_WAKE ? "" : "'", why);
    return st;
}

static int64_t wall_ns(void)
{
    struct timespec ts;
    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static enum st apply(struct polhost *p, struct diag *d)
{
    for (size_t i = 0; i < p->n_dec; i++) {
        const char *why = refuse(p, &p->dec[i]);
        if (why != NULL) return refused(p, &p->dec[i], i, why, d);
        record(p, &p->dec[i]);
    }
    return ST_OK;
}

/* Nothing ends by itself then: a policy that only asks to be woken would have the run go on for ever. */
static void watch_idle(struct polhost *p, size_t n_events)
{
    const struct world *w = p->w;
    bool idle = w->n_running == 0 && w->n_waiting > 0 && w->cluster->sum.n_up > 0;
    for (size_t i = 0; i < n_events && idle; i++)       /* nodes may come and go for ever, too */
        idle = p->event[i].kind == POL_TIMER || p->event[i].kind == POL_NODE_DOWN || p->event[i].kind == POL_NODE_UP;
    for (size_t i = 0; i < p->n_dec && idle; i++) idle = p->dec[i].verb == VERB_WAKE;
    p->n_idle = idle ? p->n_idle + 1 : 0;
    if (p->n_idle > IDLE_CALLS_MAX) misuse(p, "it asks to be woken for the 100,000th time in a row, while jobs wait on an idle cluster");
}

static void call_decide(struct polhost *p, size_t n_events)
{
    struct cage_page *page = p->hooks.page;
    if (page != NULL) {
        page->now_us = p->view.now_us;
        page->n_decides++;
        page->n_decisions = 0;
    }
    struct pol_view *view = &p->view;
    if (p->hooks.tricks.moves_memory) { MEM_NEW(view); *view = p->view; }
    cage_enter(page, CAGE_DECIDING);
    p->spec.ops->decide(p->self, view, p->event, n_events);
    cage_leave(page);
    if (p->hooks.tricks.moves_memory) { move_memory(p); bury(p, view, sizeof *view); }
}

static enum st decide(void *ctx, struct world *w, const struct notice *n, size_t n_notices, bool *again, struct diag *d)
{
    struct polhost *p = ctx;
    (void)again;
    p->w = w;
    p->api.is_audited = w->cfg.audit;
    p->api.seed = w->cfg.seed;
    show_world(p);
    show_events(p, n, n_notices);
    p->n_dec = 0;
    p->n_place = 0;
    p->n_text = 1;              /* offset 0 means no text */
    p->max_dec = (size_t)(w->n_waiting + w->n_running) * DECISIONS_A_TASK + DECISIONS_BESIDES;
    int64_t t0 = p->hooks.decided ? wall_ns() : 0;
    call_decide(p, n_notices);
    if (p->hooks.decided) p->hooks.decided(p->hooks.ctx, wall_ns() - t0);
    cluster_changes_clear(w->cluster);
    watch_idle(p, n_notices);
    enum st st = p->failed.code;
    if (st != ST_OK) *d = p->failed;
    else st = apply(p, d);
    p->w = NULL;
    return st;
}

/* ---- life ---- */

enum st polhost_create(struct polhost **out, const char *spec, const char *weights,
                       const struct polhost_origin *origin, const struct polhost_hooks *hooks, struct diag *d)
{
    struct polhost *p;
    MEM_NEW(p);
    *out = NULL;
    const char *file = origin && origin->file ? origin->file : "";
    uint32_t line = origin ? origin->line : 0, col = origin ? origin->col : 0;
    if (hooks != NULL) p->hooks = *hooks;
    cage_enter(p->hooks.page, CAGE_LOADING);
    enum st st = polspec_parse(&p->spec, spec, weights, file, line, col, d);
    cage_leave(p->hooks.page);
    if (st != ST_OK) { mem_free(p); return st; }
    if (p->spec.ops == &polexec_ops && p->hooks.call_us > 0) p->spec.value[POLEXEC_TIMEOUT].i = p->hooks.call_us;
    if (p->hooks.page != NULL) (void)snprintf(p->hooks.page->name, sizeof p->hooks.page->name, "%s", p->spec.ops->name);
    p->api = (struct pol_host){
        .abi_major = POL_ABI_MAJOR, .size = sizeof p->api, .abi_minor = POL_ABI_MINOR, .ctx = p,
        .job = lend_job, .task = lend_task, .user_name = lend_user_name,
        .start = say_start, .start_gang = say_start_gang, .preempt = say_preempt,
        .wake = say_wake, .note = say_note, .fail = say_fail,
        .input = lend_input, .transfer = lend_transfer,
        .resize = say_resize, .measure = lend_reading, .name = lend_name, .hold = say_hold,
        .label = lend_label,
    };
    p->flags = p->spec.ops->flags;
    char why[800] = "it gave no reason";
    cage_enter(p->hooks.page, CAGE_CREATING);
    p->self = p->spec.ops->create(&p->api, p->spec.value, &p->flags, why, sizeof why);
    cage_leave(p->hooks.page);
    why[sizeof why - 1] = '\0';
    if (p->self == NULL) st = diag_at(d, ST_EINPUT, file, line, col, "policy '%s' cannot be created: %s",
                                       p->spec.ops == &polexec_ops ? p->spec.full : p->spec.ops->name, why);
    else if (p->failed.code != ST_OK) { *d = p->failed; st = d->code; }
    else if ((p->flags & ~p->spec.ops->flags) != 0)
        st = diag_at(d, ST_EPOLICY, file, line, col, "policy '%s' broke its contract in create: it sets flags %#x, and its table has only %#x",
                     p->spec.ops->name, p->flags, p->spec.ops->flags);
    if (st != ST_OK) { polhost_destroy(p); return st; }
    if (p->spec.ops == &polexec_ops) {
        p->said = polexec_said(p->self);
        p->spec.ops = &p->said;
    }
    *out = p;
    return ST_OK;
}

void polhost_destroy(struct polhost *p)
{
    if (p == NULL) return;
    cage_enter(p->hooks.page, CAGE_DESTROYING);
    if (p->self != NULL) p->spec.ops->destroy(p->self);
    cage_leave(p->hooks.page);
    polspec_fini(&p->spec);
    mem_free(p->mem_bw); mem_free(p->node); mem_free(p->card); mem_free(p->shape); mem_free(p->gpu_type);
    mem_free(p->job_info); mem_free(p->job_seen); mem_free(p->task_info); mem_free(p->task_seen);
    while (p->n_buried > 0) mem_free(p->buried[--p->n_buried]);
    mem_free(p->buried); mem_free(p->all);
    mem_free(p->event); mem_free(p->dec); mem_free(p->place); mem_free(p->text); mem_free(p->held);
    mem_free(p);
}

struct decider polhost_decider(struct polhost *p)
{
    return (struct decider){ .ctx = p, .decide = decide, .strands = (p->flags & POL_STRANDS) != 0 };
}
const char *polhost_label(const struct polhost *p) { return p->spec.ops == &p->said ? polexec_label(p->self) : NULL; }
const char *polhost_spec(const struct polhost *p) { return p->spec.full; }
const char *polhost_file_digest(const struct polhost *p) { return p->spec.lib != NULL ? polload_digest(p->spec.lib) : ""; }
bool polhost_is_foreign(const char *spec) { return polload_path_len(spec) > 0; }
uint32_t polhost_flags(const struct polhost *p) { return p->flags; }
const struct pol_ops *polhost_ops(const struct polhost *p) { return p->spec.ops; }
bool polhost_clairvoyant(const struct polhost *p) { return (p->flags & POL_CLAIRVOYANT) != 0; }

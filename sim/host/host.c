/*
 * host.c -- one policy at work: its calls are kept in a buffer, and applied when it returns.
 *
 * Nothing that a policy calls changes the world: a decision is checked when it is
 * applied, in the order in which it was made, against what those before it left.
 * The first that the world refuses fails the run, as does misuse of the calls.
 * O(decisions) a call.
 */
#include "host/host.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "host/policy_load.h"
#include "host/policy_spec.h"
#include "host/policy_view.h"
#include "fits.h"
#include "base/hash64.h"
#include "base/mem.h"
#include "base/stopwatch.h"
#include "base/text.h"

/* What of the table of verbs is asked here. */
enum { ABOUT_TASK, ABOUT_JOB, ABOUT_RUN };
#define VERB(code, name, record, about, extension, words, fields) { record, ABOUT_##about },
static const struct { const char *record; int about; } verb[] = { POL_VERB_LIST(VERB, ) };

struct decision {
    enum pol_verb verb;
    uint32_t  slot, gen;        /* what it is about */
    uint32_t  place, n_place;   /* in the place buffer */
    int64_t   at;               /* of a wake; of a resize its milli-CPU; of a send and a call the node */
    int64_t   mem_b;            /* of a resize; 0: as it is */
    uint32_t  engine;           /* of a call */
    pol_job   lender;
    bool      flag;             /* of a hold: it is the head */
    size_t    entry;            /* in the buffer of stage entries; of a loan `need` says how much, SIZE_MAX all */
    size_t    reason;           /* offset in the text buffer; 0: none */
};

struct host {
    struct policy_view mirror;      /* first: what policies read is lent by it, with the host as its context */
    struct policy_spec spec;
    void          *self;
    struct pol_ops declared;    /* what a guest stated of itself (guest.h); then spec.ops points here */
    uint32_t       flags;
    bool           refuses_calls;   /* the world has tasks of calls, and the policy does not run them */
    struct pol_host api;
    struct host_hooks hooks;
    const struct stopwatch *watch;
    struct diag    failed;      /* the policy called fail, or misused a verb */

    /* The decision buffer, emptied at every call. */
    struct decision *dec;     size_t n_dec, cap_dec;
    struct world_place *place; size_t n_place, cap_place;
    struct reservations_stage *entry; size_t n_entry, cap_entry;
    char            *text;    size_t n_text, cap_text;
    uint64_t         n_idle;    /* calls in a row that at most asked for a wake, while jobs waited on an idle cluster */
    size_t           n_done, n_wakes;   /* of the last call: decisions that changed anything; wakes */
    struct pol_event *told;   size_t n_told, cap_told;  /* refusals of the last call, for the next to hear of */
    int64_t          refused_at;        /* the instant of the last refusal that was told, and rounds of it with one */
    uint32_t         n_refused_rounds;
    size_t           max_dec;   /* decisions that one call may append */
    struct decision misused;    /* what was appended in vain */

    /* What the policy last stated that it holds, so that only changes are recorded. */
    struct stated { uint32_t slot, gen; uint64_t reason; } head, *held; size_t cap_held;   /* by task slot; reason: hash */
};

/*
 * A call may start, stop and again start every task, and wake as often as it
 * likes within reason; a policy that appends more is in a loop that would eat all memory.
 */
enum { DECISIONS_A_TASK = 4, DECISIONS_BESIDES = 65536 };

/* A policy that was told so often within one instant does not listen: the next refusal fails the run. */
enum { REFUSED_ROUNDS_MAX = 100 };

/* No policy needs that many wakes before it starts what waits. */
enum { IDLE_CALLS_MAX = 100000 };

/* ---- what the policy calls ---- */

static size_t keep_text(struct host *p, const char *reason)
{
    if (reason == NULL || p->hooks.decision == NULL) return 0;
    size_t n = strlen(reason) + 1, at = p->n_text;
    MEM_RESERVE(p->text, p->cap_text, at + n);
    memcpy(p->text + at, reason, n);
    p->n_text += n;
    return at;
}

/* The policy misused the host in a way that no decision stands for: the first one fails the run. */
static void misuse(struct host *p, enum breach breach, const char *what)
{
    char when[64];
    if (p->mirror.w == NULL) {
        (void)diag_breach(&p->failed, breach, "policy '%s' broke its contract in create: %s", p->spec.ops->name, what);
        return;
    }
    int64_t now = world_now(p->mirror.w);
    (void)diag_breach(&p->failed, breach, "policy '%s' broke its contract at t=%" PRId64 " us (%s), "
                      "after %zu decisions: %s", p->spec.ops->name, now, text_duration(when, sizeof when, now), p->n_dec, what);
}

/* One more decision, to be filled: never NULL, though one that is misuse goes nowhere. */
static struct decision *append(struct host *p, enum pol_verb v, uint32_t slot, uint32_t gen, const char *reason)
{
    struct decision *d = &p->misused;
    if (p->mirror.w == NULL) misuse(p, BREACH_OUTSIDE, "it decides outside of decide");
    else if (p->n_dec == p->max_dec) misuse(p, BREACH_ENDLESS, "it appends more decisions than all its tasks could need");
    else d = MEM_NEXT(p->dec, p->n_dec, p->cap_dec);
    *d = (struct decision){ .verb = v, .slot = slot, .gen = gen };
    if (d == &p->misused) return d;
    d->reason = keep_text(p, reason);
    if (p->hooks.page != NULL) p->hooks.page->n_decisions = p->n_dec;
    return d;
}

/* Places that are NULL, or not one a task, are not read: the decision is refused when it is applied. */
static void append_places(struct host *p, struct decision *d, const struct pol_place *place, uint32_t n)
{
    d->n_place = n;
    if (d == &p->misused) return;
    if (place == NULL) { misuse(p, BREACH_NO_PLACE, "it starts something with places NULL"); return; }
    d->place = (uint32_t)p->n_place;
    MEM_RESERVE(p->place, p->cap_place, p->n_place + n);
    for (uint32_t i = 0; i < n; i++) {
        if (place[i].reserved != 0)
            misuse(p, BREACH_NO_PLACE, "it starts something with what is reserved of a place not 0");
        p->place[p->n_place++] = (struct world_place){ .node = place[i].node, .cards = place[i].cards,
            .cpu_milli = place[i].cpu_milli, .mem_b = place[i].mem_b, .by_count = (p->flags & POL_BY_COUNT) != 0 };
    }
}

/* Of a gang: all its tasks from the first on.  What is neither that nor one task is refused when it is applied. */
static void on_start(void *ctx, pol_task t, const struct pol_place *place, uint32_t n, const char *reason)
{
    struct host *p = ctx;
    const struct world *w = policy_view_world_of(&p->mirror, t);
    const struct job *j = w != NULL ? world_job_of(w, t.slot) : NULL;
    bool is_whole = j != NULL && j->gang && t.slot == j->first_task &&
                    (n == j->n_tasks || (n > 0 && j->elastic.max >= n));
    if (is_whole || (n != 1 && j != NULL)) {
        struct decision *d = append(p, POL_VERB_START_GANG, world_task(w, t.slot)->job, j->gen, reason);
        if (is_whole) append_places(p, d, place, n);
        else d->n_place = n;
    } else {
        append_places(p, append(p, POL_VERB_START, t.slot, t.gen, reason), place, 1);
    }
}

static void on_scale(void *ctx, pol_job j, const struct pol_place *place, uint32_t n, const char *reason)
{
    struct host *p = ctx;
    append_places(p, append(p, POL_VERB_SCALE, j.slot, j.gen, reason), place, n);
}

static void on_preempt(void *ctx, pol_task t, const char *reason)
{
    (void)append(ctx, POL_VERB_PREEMPT, t.slot, t.gen, reason);
}
static void on_regrant(void *ctx, pol_task t, int64_t cpu_milli, int64_t mem_b, const char *reason)
{
    struct decision *d = append(ctx, POL_VERB_RESIZE, t.slot, t.gen, reason);
    d->at = cpu_milli;
    d->mem_b = mem_b;
}
static void on_resize(void *ctx, pol_task t, int64_t cpu_milli, const char *reason)
{
    on_regrant(ctx, t, cpu_milli, 0, reason);
}
static void on_send(void *ctx, pol_task t, uint32_t node, const char *reason)
{
    append(ctx, POL_VERB_SEND, t.slot, t.gen, reason)->at = node;
}
static void on_call(void *ctx, pol_task t, uint32_t node, uint32_t engine, const char *reason)
{
    struct decision *d = append(ctx, POL_VERB_CALL, t.slot, t.gen, reason);
    d->at = node;
    d->engine = engine;
}
static void on_wake(void *ctx, int64_t at_us) { append(ctx, POL_VERB_WAKE, 0, 0, NULL)->at = at_us; }

static struct reservations_amount amount(const struct host *p, const struct pol_amount *a)
{
    struct reservations_amount o = { .cpu_milli = a->cpu_milli, .gpu_milli = a->gpu_milli };
    if (a->licence != NULL) memcpy(o.licence, a->licence, p->mirror.ext.licences.n * sizeof *o.licence);
    return o;
}

static void on_reserve(void *ctx, pol_job j, const struct pol_reserve *r, const char *reason)
{
    struct host *p = ctx;
    struct decision *d = append(p, POL_VERB_RESERVE, j.slot, j.gen, reason);
    if (d == &p->misused) return;
    d->entry = p->n_entry;
    MEM_PUSH(p->entry, p->n_entry, p->cap_entry, (struct reservations_stage){
        .stage = r->stage, .reserved = amount(p, &r->reserved), .need = amount(p, &r->need), .lendable = amount(p, &r->lendable),
        .usable = amount(p, &r->usable), .reclaimed = amount(p, &r->reclaimed) });
}

static void on_lend(void *ctx, pol_task t, pol_job lender, const struct pol_amount *part, const char *reason)
{
    struct host *p = ctx;
    struct decision *d = append(p, POL_VERB_LEND, t.slot, t.gen, reason);
    if (d == &p->misused) return;
    d->lender = lender;
    d->entry = part != NULL ? p->n_entry : SIZE_MAX;
    if (part != NULL) MEM_PUSH(p->entry, p->n_entry, p->cap_entry, (struct reservations_stage){ .need = amount(p, part) });
}

static int32_t on_knows(void *ctx, uint32_t type, const char *name)
{
    const struct host *p = ctx;
    return p->hooks.knows != NULL ? p->hooks.knows(p->hooks.ctx, type, name) : -1;
}

/* Never 0. */
static uint64_t hash_reason(const char *reason) { return hash64_text(HASH64_INIT, reason != NULL ? reason : "") | 1; }

static void on_hold(void *ctx, pol_task t, bool is_head, const char *reason)
{
    struct host *p = ctx;
    if (p->hooks.decision == NULL) return;
    uint64_t h = hash_reason(reason);
    if (!is_head) MEM_RESERVE(p->held, p->cap_held, (size_t)t.slot + 1);
    struct stated now = { t.slot, t.gen, h }, *last = is_head ? &p->head : &p->held[t.slot];
    if (last->slot == t.slot && last->gen == t.gen && last->reason == h) return;
    *last = now;
    append(p, POL_VERB_HOLD, t.slot, t.gen, reason)->flag = is_head;
}

static void on_note(void *ctx, const char *name, double value)
{
    struct host *p = ctx;
    if (p->mirror.w == NULL) misuse(p, BREACH_OUTSIDE, "it notes something outside of decide");
    else if (name == NULL || *name == '\0') misuse(p, BREACH_NOTE, "it notes a number without a name");
    else if (!isfinite(value)) misuse(p, BREACH_NOTE, "it notes a number that is not finite");
    else if (p->hooks.note != NULL) p->hooks.note(p->hooks.ctx, world_now(p->mirror.w), name, value);
}

static void on_scores(void *ctx, pol_task t, const struct pol_score *s, uint32_t n)
{
    struct host *p = ctx;
    if (p->mirror.w == NULL) { misuse(p, BREACH_OUTSIDE, "it tells a score outside of decide"); return; }
    const struct pol_task_info *ti = p->api.task(ctx, t);
    bool is_sound = ti != NULL && (s != NULL || n == 0);
    for (uint32_t i = 0; i < n && is_sound; i++)
        is_sound = s[i].plugin != NULL && s[i].node < p->mirror.view.n_nodes && isfinite(s[i].points) &&
                   isfinite(s[i].weight);
    if (!is_sound) misuse(p, BREACH_NOTE, "it tells a score of no task or node, without a name, or that is not finite");
    else if (p->hooks.scores != NULL)
        p->hooks.scores(p->hooks.ctx, world_now(p->mirror.w), p->api.job(ctx, ti->job)->ordinal, ti->index, s, n);
}

static void on_contradicts(void *ctx, pol_job j, uint32_t what)
{
    struct host *p = ctx;
    const struct pol_job_info *ji = p->mirror.w != NULL ? policy_view_job(ctx, j) : NULL;
    if (p->mirror.w == NULL) misuse(p, BREACH_OUTSIDE, "it tells of a contradiction outside of decide");
    else if (ji == NULL || what >= POL_CONTRADICTIONS)
        misuse(p, BREACH_NOTE, "it tells of a contradiction of no job, or of a kind that there is not");
    else if (p->hooks.contradicts != NULL)
        p->hooks.contradicts(p->hooks.ctx, world_now(p->mirror.w), ji->ordinal, what);
}

static void on_fail(void *ctx, const char *message)
{
    struct host *p = ctx;
    char when[64];
    int64_t now = p->mirror.w != NULL ? world_now(p->mirror.w) : 0;
    if (message == NULL) message = "it gave no reason";
    const char *name = p->spec.ops->name;
    if (p->mirror.w == NULL)
        (void)diag_breach(&p->failed, BREACH_GAVE_UP, "policy '%s' failed in create: %s", name, message);
    else
        (void)diag_breach(&p->failed, BREACH_GAVE_UP, "policy '%s' failed at t=%" PRId64 " us (%s): %s", name, now,
                          text_duration(when, sizeof when, now), message);
}

/* ---- applying ---- */

static bool is_task(const struct world *w, uint32_t slot, uint32_t gen)
{
    return slot < world_n_task_slots(w) && world_task(w, slot)->gen == gen;
}
static bool is_job(const struct world *w, uint32_t slot, uint32_t gen)
{
    return slot < world_n_job_slots(w) && world_job(w, slot)->gen == gen;
}

static enum pol_refusal refuse(struct host *p, const struct decision *d)
{
    struct world *w = p->mirror.w;
    bool stops = d->verb == POL_VERB_PREEMPT || d->verb == POL_VERB_SCALE;      /* both cost a running unit work */
    if (stops && (p->flags & POL_PREEMPTS) == 0) return POL_REFUSAL_NOT_DECLARED;
    if (verb[d->verb].about == ABOUT_TASK && !is_task(w, d->slot, d->gen)) return POL_REFUSAL_STALE_TASK;
    if (verb[d->verb].about == ABOUT_JOB && !is_job(w, d->slot, d->gen)) return POL_REFUSAL_STALE_JOB;
    switch (d->verb) {
    case POL_VERB_START:
        return world_start(w, d->slot, &p->place[d->place]);
    case POL_VERB_START_GANG:
        return world_start_gang(w, d->slot, &p->place[d->place], d->n_place);
    case POL_VERB_PREEMPT:
        return world_preempt(w, d->slot);
    case POL_VERB_RESIZE:
        return world_resize(w, d->slot, d->at, d->mem_b);
    case POL_VERB_WAKE:
        return world_wake(w, d->at);
    case POL_VERB_RESERVE:
        return world_reserve(w, d->slot, &p->entry[d->entry]);
    case POL_VERB_LEND:
        if (!is_job(w, d->lender.slot, d->lender.gen)) return POL_REFUSAL_STALE_LENDER;
        return world_lend(w, d->slot, d->lender.slot, d->entry != SIZE_MAX ? &p->entry[d->entry].need : NULL);
    case POL_VERB_HOLD:
        if (!world_task(w, d->slot)->is_live) return POL_REFUSAL_STALE_TASK;
        return world_task(w, d->slot)->state == TASK_WAITING ? POL_OK : POL_REFUSAL_NOT_WAITING;
    case POL_VERB_SEND:
        return world_send(w, d->slot, (uint32_t)d->at);
    case POL_VERB_CALL:
        return world_call(w, d->slot, (uint32_t)d->at, d->engine);
    case POL_VERB_SCALE:
        return world_scale(w, d->slot, &p->place[d->place], d->n_place);
    case POL_VERB_NOTE: case POL_VERB_FAIL: case POL_VERBS: break;      /* carried out at once, and never kept */
    }
    SIM_ASSERT(false);
    return POL_OK;
}

/* What starts is held no longer: held again, it is recorded again. */
static void forget_held(struct host *p, uint32_t task)
{
    if (task < p->cap_held) p->held[task].reason = 0;
    if (p->head.slot == task) p->head.reason = 0;
}

/* Its job's slot as far as the handle leads to one; NONE. */
static uint32_t job_of(const struct world *w, const struct decision *d)
{
    int about = verb[d->verb].about;
    uint32_t slot = about == ABOUT_JOB ? d->slot
                  : about == ABOUT_TASK && d->slot < world_n_task_slots(w) ? world_task(w, d->slot)->job : NONE;
    return slot < world_n_job_slots(w) ? slot : NONE;
}

/* The node that it names; -1. */
static int64_t node_of(const struct host *p, const struct decision *d)
{
    if (d->verb == POL_VERB_START) return p->place[d->place].node;
    return d->verb == POL_VERB_SEND || d->verb == POL_VERB_CALL ? d->at : -1;
}

static const char *name_of(const struct decision *d)
{
    return d->verb == POL_VERB_HOLD && d->flag ? "head" : verb[d->verb].record;
}

static void record(struct host *p, const struct decision *d)
{
    const struct world *w = p->mirror.w;
    if (p->hooks.decision == NULL) return;
    uint32_t slot = job_of(w, d);
    if (slot == NONE) return;
    const char *reason = d->reason ? p->text + d->reason : NULL;
    const struct job *job = world_job(w, slot);
    if (d->verb == POL_VERB_START) forget_held(p, d->slot);
    if (d->verb == POL_VERB_START_GANG || d->verb == POL_VERB_SCALE) {
        forget_held(p, job->first_task);
        for (uint32_t i = 0; i < d->n_place; i++)
            p->hooks.decision(p->hooks.ctx, world_now(w), name_of(d), job->ordinal, i,
                              p->place[d->place + i].node, reason);
        return;
    }
    int64_t node = d->verb == POL_VERB_RESIZE ? (int64_t)world_cluster(w)->hold[d->slot].node : node_of(p, d);
    p->hooks.decision(p->hooks.ctx, world_now(w), name_of(d), job->ordinal,
                      verb[d->verb].about == ABOUT_JOB ? -1 : (int64_t)world_task(w, d->slot)->index, node, reason);
}

/* Fails the run; names the job that the decision was about. */
static void refused(struct host *p, const struct decision *d, enum pol_refusal refusal, struct diag *diag)
{
    const struct world *w = p->mirror.w;
    uint32_t slot = job_of(w, d);
    bool has_job = verb[d->verb].about != ABOUT_RUN;
    const char *job = slot != NONE && world_job(w, slot)->is_live ? world_job(w, slot)->id : "?";
    char when[64];
    (void)diag_breach(diag, BREACH_REFUSED, "policy '%s' broke its contract at t=%" PRId64 " us (%s), "
                      "decision %zu of %zu: %s%s%s%s: %s",
                      p->spec.ops->name, world_now(w), text_duration(when, sizeof when, world_now(w)),
                      (size_t)(d - p->dec) + 1, p->n_dec, name_of(d), has_job ? " of job '" : "", has_job ? job : "",
                      has_job ? "'" : "", pol_refusal_words(refusal));
    if (diag->breach == BREACH_REFUSED) diag->refusal = refusal;
}

/* The policy is to hear of it in the next round of this instant. */
static void tell_refused(struct host *p, const struct decision *d, enum pol_refusal refusal)
{
    struct world *w = p->mirror.w;
    uint32_t slot = job_of(w, d);
    bool has_task = verb[d->verb].about == ABOUT_TASK;
    int64_t node = node_of(p, d);
    struct pol_event e = { .type = POL_REFUSED, .node = node < 0 ? POL_NONE : (uint32_t)node,
                           .job = { POL_NONE, 0 }, .task = { POL_NONE, 0 }, .refusal = refusal, .verb = d->verb };
    if (verb[d->verb].about == ABOUT_JOB) e.job = (pol_job){ d->slot, d->gen };
    else if (slot != NONE && is_task(w, d->slot, d->gen)) e.job = (pol_job){ slot, world_job(w, slot)->gen };
    if (has_task) e.task = (pol_task){ d->slot, d->gen };
    MEM_PUSH(p->told, p->n_told, p->cap_told, e);
    world_count_refusal(w);
    if (p->hooks.decision != NULL && slot != NONE)
        p->hooks.decision(p->hooks.ctx, world_now(w), "refused", world_job(w, slot)->ordinal,
                          has_task ? (int64_t)world_task(w, d->slot)->index : -1, node, pol_refusal_words(refusal));
}

/*
 * What is kept for the record alone must change nothing, and so is never told: with a
 * record the policy would be called once more than without.
 */
static bool is_told(const struct host *p, const struct decision *d)
{
    return (p->flags & POL_TAKES_REFUSALS) != 0 && d->verb != POL_VERB_HOLD &&
           p->n_refused_rounds <= REFUSED_ROUNDS_MAX;
}

static enum st apply(struct host *p, bool *again, struct diag *d)
{
    int64_t now = p->mirror.view.now_us;
    p->n_done = p->n_wakes = p->n_told = 0;
    p->n_refused_rounds = p->refused_at == now ? p->n_refused_rounds + 1 : 1;
    for (size_t i = 0; i < p->n_dec; i++) {
        struct decision *e = &p->dec[i];
        enum pol_refusal refusal = refuse(p, e);
        if (refusal != POL_OK && !is_told(p, e)) {
            refused(p, e, refusal, d);
            if (p->n_refused_rounds > REFUSED_ROUNDS_MAX)
                diag_hint(d, "it was told of refusals in %d rounds of this instant, and does not change its mind",
                          REFUSED_ROUNDS_MAX);
            return d->code;
        }
        if (refusal != POL_OK) { tell_refused(p, e, refusal); continue; }
        if (e->verb == POL_VERB_WAKE) p->n_wakes++;
        else if (e->verb != POL_VERB_HOLD) p->n_done++;
        record(p, e);
    }
    if (p->n_told > 0) p->refused_at = now;
    *again = p->n_told > 0;
    return ST_OK;
}

/*
 * While jobs wait and nothing runs, nothing ends by itself: a policy that only asks
 * to be woken, or nodes that come and go, would have the run go on for ever.
 */
static void watch_idle(struct host *p, struct world *w, size_t n_events)
{
    const struct pol_view *v = &p->mirror.view;
    bool idle = v->n_running == 0 && v->n_waiting > 0 && world_cluster(w)->sum.n_up > 0;
    for (size_t i = 0; i < n_events && idle; i++)
        idle = p->mirror.event[i].type == POL_TIMER || p->mirror.event[i].type == POL_REFUSED ||
               p->mirror.event[i].type == POL_NODE_DOWN || p->mirror.event[i].type == POL_NODE_UP;
    p->n_idle = idle && p->n_done == 0 ? p->n_idle + 1 : 0;
    if (p->n_idle <= IDLE_CALLS_MAX || (p->n_wakes == 0 && !world_awaits_none(w))) return;
    if (p->n_wakes > 0)
        misuse(p, BREACH_WAKES, "it asks to be woken for the 100,000th time in a row, while jobs wait on an idle cluster");
    else if ((p->flags & POL_STRANDS) != 0) world_strand(w);
    else misuse(p, BREACH_WAITING, "it leaves jobs waiting on an idle cluster for the 100,000th time in a row");
}

static void call_decide(struct host *p, size_t n_events)
{
    struct sandbox_page *page = p->hooks.page;
    if (page != NULL) {
        page->now_us = p->mirror.view.now_us;
        page->n_decides++;
        page->n_decisions = 0;
    }
    struct pol_view *view = policy_view_begin(&p->mirror);
    sandbox_enter(page, SANDBOX_DECIDING);
    p->spec.ops->decide(p->self, view, p->mirror.event, n_events);
    sandbox_leave(page);
    policy_view_end(&p->mirror, view);
}

static bool asks_licences(const struct world *w, const struct job *j)
{
    bool any = false;
    for (uint32_t t = j->first_task; t != NONE && !any; t = world_task(w, t)->next) {
        const struct shape *s = world_shape(w, world_task(w, t)->shape);
        for (uint32_t k = 0; k < world_cluster(w)->licences.n; k++) any |= s->licence[k] > 0;
    }
    return any;
}

/*
 * A policy that knows nothing of calls would leave their tasks waiting for ever; one that did not ask for
 * licences would start tasks whether they are free or not.
 */
static void refuse_jobs(struct host *p, const struct notice *n, size_t n_notices)
{
    const struct world *w = p->mirror.w;
    bool no_calls = p->refuses_calls, no_licences = !p->mirror.knows_licences && p->mirror.ext.licences.n > 0;
    for (size_t i = 0; (no_calls || no_licences) && i < n_notices && p->failed.code == ST_OK; i++) {
        if (n[i].type != NOTICE_ARRIVED) continue;
        const struct job *j = world_job(w, n[i].job);
        if (no_calls && j->calls != NULL) {
            (void)diag_breach(&p->failed, BREACH_CALLS, "policy '%s' does not run tasks that are made of API calls, as those of job '%s' are",
                              p->spec.ops->name, j->id);
            diag_hint(&p->failed, "`fairway policies` tells which do");
        } else if (no_licences && asks_licences(w, j)) {
            (void)diag_breach(&p->failed, BREACH_LICENCES, "policy '%s' does not schedule licences, and job '%s' asks for some",
                              p->spec.ops->name, j->id);
            diag_hint(&p->failed, DIAG_DOC("policies/README.md") " tells which built-ins do");
        }
    }
}

/* The first call: is it the world that the policy was told of in create? */
static void begin(struct host *p, const struct world *w)
{
    const struct world_config *cfg = world_config(w);
    SIM_ASSERT((p->api.is_audited != 0) == cfg->audit && p->api.seed == cfg->seed && p->api.multi_from == cfg->multi_from);
    p->refuses_calls = (p->flags & POL_RUNS_CALLS) == 0 && world_calls(w) != NULL;
}

static enum st decide(void *ctx, struct world *w, const struct notice *n, size_t n_notices, bool *again, struct diag *d)
{
    struct host *p = ctx;
    p->mirror.w = w;
    if (!p->mirror.is_shown) begin(p, w);
    size_t n_events = policy_view_show(&p->mirror, n, n_notices, p->told, p->n_told);
    refuse_jobs(p, n, n_notices);
    p->n_dec = 0;
    p->n_place = 0;
    p->n_entry = 0;
    p->n_text = 1;              /* offset 0 means no text */
    p->max_dec = (size_t)(p->mirror.view.n_waiting + p->mirror.view.n_running) * DECISIONS_A_TASK + DECISIONS_BESIDES;
    const int64_t then = stopwatch_now(p->watch);
    call_decide(p, n_events);
    if (p->hooks.decided != NULL) p->hooks.decided(p->hooks.ctx, stopwatch_since(p->watch, then));
    world_changes_clear(w);
    enum st st = p->failed.code != ST_OK ? ST_OK : apply(p, again, d);
    if (st == ST_OK) watch_idle(p, w, n_events);
    if (st == ST_OK && p->failed.code != ST_OK) {
        *d = p->failed;
        st = d->code;
    }
    p->mirror.w = NULL;
    return st;
}

/* ---- life ---- */

enum st host_create(struct host **out, const char *spec, const char *weights, const struct world_config *run,
                       const struct host_origin *origin, const struct host_hooks *hooks, struct diag *d)
{
    struct host *p;
    MEM_NEW(p);
    *out = NULL;
    const char *file = origin && origin->file ? origin->file : "";
    uint32_t line = origin ? origin->line : 0, col = origin ? origin->col : 0;
    const struct host_own *own = origin ? origin->own : NULL;
    if (hooks != NULL) p->hooks = *hooks;
    p->watch = stopwatch_get();
    sandbox_enter(p->hooks.page, SANDBOX_LOADING);
    enum st st = policy_spec_parse(&p->spec, spec, own, weights, file, line, col, d);
    sandbox_leave(p->hooks.page);
    if (st != ST_OK) { mem_free(p); return st; }
    const struct guest_ops *guest = p->spec.guest;
    if (guest != NULL && guest->timeout_param != POL_NONE && p->hooks.call_us > 0) p->spec.value[guest->timeout_param].i = p->hooks.call_us;
    if (p->hooks.page != NULL) (void)snprintf(p->hooks.page->name, sizeof p->hooks.page->name, "%s", p->spec.ops->name);
    p->api = (struct pol_host){
        .abi_major = POL_ABI_MAJOR, .size = sizeof p->api, .abi_minor = POL_ABI_MINOR, .ctx = p,
        .start = on_start, .preempt = on_preempt,
        .wake = on_wake, .note = on_note, .fail = on_fail,
        .hold = on_hold, .knows = on_knows,
        .fits = pol_node_fits, .capacity = pol_node_capacity, .pick_cards = pol_node_pick_cards,
    };
    policy_view_init(&p->mirror, &p->api, &p->hooks.tricks);
    p->mirror.client = own != NULL ? own->client : NULL;
    p->mirror.ext.cores.resize = on_resize;
    p->mirror.ext.cores.regrant = on_regrant;
    p->mirror.ext.elastic.scale = on_scale;
    p->mirror.ext.reservations.reserve = on_reserve;
    p->mirror.ext.reservations.lend = on_lend;
    p->mirror.ext.holds.is_recorded = p->hooks.decision != NULL;
    p->mirror.ext.scores.tell = on_scores;
    p->mirror.ext.scores.is_recorded = p->hooks.scores != NULL;
    p->mirror.ext.recorded.contradicts = on_contradicts;
    p->mirror.ext.calls.send = on_send;
    p->mirror.ext.calls.call = on_call;
    if (run != NULL) {
        p->api.is_audited = run->audit;
        p->api.seed = run->seed;
        p->api.multi_from = run->multi_from != 0 ? run->multi_from : JOB_MULTI_FROM;
    }
    p->flags = p->spec.ops->flags;
    p->refused_at = -1;
    char error[800] = "it gave no reason";
    sandbox_enter(p->hooks.page, SANDBOX_CREATING);
    p->mirror.profiles_to_come = run != NULL ? run->profiles : NULL;
    policy_view_open(&p->mirror, run != NULL ? run->cluster : NULL);
    p->self = p->spec.ops->create == NULL ? (void *)&p->api
            : p->spec.ops->create(&p->api, p->spec.value, &p->flags, error, sizeof error);
    sandbox_leave(p->hooks.page);
    policy_view_close(&p->mirror);
    error[sizeof error - 1] = '\0';
    if (p->self == NULL) {
        st = diag_at(d, guest != NULL ? guest->create_failed() : ST_EINPUT, file, line, col, "policy '%s' cannot be created: %s",
                     guest != NULL ? p->spec.full : p->spec.ops->name, error);
        d->breach = BREACH_CREATE;
    } else if (p->failed.code != ST_OK) {
        *d = p->failed;
        st = d->code;
    } else if ((p->flags & ~p->spec.ops->flags) != 0) {
        st = diag_at(d, ST_EPOLICY, file, line, col, "policy '%s' broke its contract in create: it sets flags %#x, and its table has only %#x",
                     p->spec.ops->name, p->flags, p->spec.ops->flags);
        d->breach = BREACH_FLAGS;
    }
    if (st != ST_OK) { host_destroy(p); return st; }
    const char *digest;
    const struct pol_plugin *plugin = host_plugin(p, &digest);
    if (plugin != NULL && plugin->filter != NULL) p->flags |= POL_STRANDS;
    p->mirror.is_clairvoyant = (p->flags & POL_CLAIRVOYANT) != 0;
    if (guest != NULL) {
        p->declared = *p->spec.ops;
        guest->declare(p->self, &p->declared);
        p->spec.ops = &p->declared;
    }
    *out = p;
    return ST_OK;
}

void host_destroy(struct host *p)
{
    if (p == NULL) return;
    sandbox_enter(p->hooks.page, SANDBOX_DESTROYING);
    if (p->self != NULL && p->spec.ops->destroy != NULL) p->spec.ops->destroy(p->self);
    sandbox_leave(p->hooks.page);
    policy_spec_fini(&p->spec);
    policy_view_fini(&p->mirror);
    MEM_FREE(p->dec, p->place, p->entry, p->text, p->held, p->told, p);
}

struct decider host_decider(struct host *p)
{
    enum shape_reuse shapes = p->hooks.tricks.reuses_shapes ? SHAPES_REUSED_AT_ONCE : SHAPES_REUSED;
    if (!p->mirror.knows_shapes) shapes = SHAPES_STAY;
    return (struct decider){ .ctx = p, .decide = decide, .shapes = shapes, .by_count = (p->flags & POL_BY_COUNT) != 0,
                             .strands = (p->flags & POL_STRANDS) != 0, .takes_refusals = (p->flags & POL_TAKES_REFUSALS) != 0 };
}
const char *host_label(const struct host *p) { return p->spec.guest != NULL ? p->spec.guest->label(p->self) : NULL; }
bool host_scores(const struct host *p) { return p->mirror.knows_scores; }

bool host_profiles(const struct host *p) { return p->mirror.knows_profiles; }

bool host_prefers(const struct host *p) { return p->mirror.knows_preferences; }

const char *const *host_notes(const struct host *p, size_t *n) { return policy_spec_notes(&p->spec, n); }
const char *host_spec(const struct host *p) { return p->spec.full; }
const char *host_file_digest(const struct host *p) { return p->spec.lib != NULL ? policy_load_digest(p->spec.lib) : ""; }
bool host_is_foreign(const char *spec) { return policy_spec_names_file(spec); }
bool host_is_command(const char *spec) { return policy_spec_is_command(spec); }
const char *host_known_spec(const struct host *p) { return p->spec.known; }
const struct pol_plugin *host_plugin(const struct host *p, const char **digest)
{
    const struct policy_load *l = policy_spec_plugin(&p->spec);
    *digest = l != NULL ? policy_load_digest(l) : "";
    return l != NULL ? policy_load_plugin_ops(l) : NULL;
}
uint32_t host_flags(const struct host *p) { return p->flags; }
const struct pol_ops *host_ops(const struct host *p) { return p->spec.ops; }
bool host_clairvoyant(const struct host *p) { return (p->flags & POL_CLAIRVOYANT) != 0; }

/*
 * conform.c -- what a policy does wrong in a case: an error of the host, a job left waiting, or a run
 * that goes otherwise where nothing that matters is otherwise.
 *
 * The other ways are tried all at once; only when that differs, one by one, to
 * know which.  O(three runs a case) for a policy that keeps its contract.
 */
#include "host/conform/conform.h"

#include <stdio.h>
#include <string.h>
#include "host/conform/trial.h"

static void add_problem(struct conform_result *r, sim_tick at, const char *what, const char *detail, const char *hint)
{
    if (r->n_problems == CONFORM_PROBLEMS) return;
    struct conform_problem *p = &r->problem[r->n_problems++];
    p->at = at;
    (void)snprintf(p->what, sizeof p->what, "%s", what);
    (void)snprintf(p->detail, sizeof p->detail, "%s", detail);
    (void)snprintf(p->hint, sizeof p->hint, "%s", hint);
}

/* What the policy's author did, and where to look. */
struct cause { const char *what, *hint; };

static const char taken_hint[] = "take a unit out of the queue when it is started; READY tells when it waits again";
static const char stale_what[] = "named a job or task that is over";
static const char stale_hint[] =
    "a limit can end a job while tasks of it wait: forget it at JOB_ENDED, or ask whether host->task is NULL";
static const char cards_what[] = "named cards or places that will not do";
static const char cards_hint[] =
    "cards: bit k is card k of that node, as many as the task asks; a gang: one place a task; "
    "cards 0 leaves the choice to the host";
static const char flags_what[] = "preempts though its flags say it does not";

static const struct cause of_refusal[POL_REFUSALS] = {
    [POL_REFUSAL_NOT_DECLARED] = { flags_what,
        "put POL_PREEMPTS into the table's flags, and do not take it out in create" },
    [POL_REFUSAL_RUNNING] = { "started a task that already runs", taken_hint },
    [POL_REFUSAL_DONE] = { "started a task that is done", taken_hint },
    [POL_REFUSAL_STALE_TASK] = { stale_what, stale_hint },
    [POL_REFUSAL_STALE_JOB] = { stale_what, stale_hint },
    [POL_REFUSAL_STALE_LENDER] = { stale_what, stale_hint },
    [POL_REFUSAL_PAST] = { "asked for a wake in the past",
        "ask for a time after view->now_us; what is due now belongs in this call" },
    [POL_REFUSAL_NODE_DOWN] = { "started a task on a node that is down",
        "look at the node's is_up in every call; NODE_DOWN tells" },
    [POL_REFUSAL_NO_LICENCE] = { "started a task whose licences are not free",
        "look at what is free and what is asked in licences/1, or do not ask the host for it" },
    [POL_REFUSAL_NO_ROOM] = { "started a task where it does not fit",
        "take what this call has started out of what is free; "
        "look at labels, GPU types, engines, memory and exclusive tasks too" },
    [POL_REFUSAL_NO_NODE] = { "named a node that does not exist", "nodes are 0 .. view->n_nodes - 1" },
    [POL_REFUSAL_PLACES] = { cards_what, cards_hint },
    [POL_REFUSAL_NO_CARD] = { cards_what, cards_hint },
    [POL_REFUSAL_CARD_TAKEN] = { cards_what, cards_hint },
    [POL_REFUSAL_CARDS] = { cards_what, cards_hint },
    [POL_REFUSAL_CARDS_OF_ALL] = { cards_what, cards_hint },
    [POL_REFUSAL_GANG] = { "started one task of a gang", "start a gang by its first task, with a place for each task" },
    [POL_REFUSAL_NO_GANG] = { "started several tasks of a job that is no gang at once", "look at is_gang of the job's info" },
    [POL_REFUSAL_NOT_RUNNING] = { "preempts or resizes a task that does not run",
        "look at is_running of the task's info; what this call preempted no longer runs" },
    [POL_REFUSAL_SIZE] = { "gave a job a size on which it does not run",
        "ask sizes and speed of elastic/1: where the speed is 0 it does not run" },
    [POL_REFUSAL_NOT_ELASTIC] = { "changed the size of a job that has only one", "look at is_elastic of its sizes in elastic/1" },
    [POL_REFUSAL_BLOCKED] = { "started a task before the tasks that it waits for",
        "look at is_waiting of the task's info; READY tells when it may start" },
};

static const struct cause of_breach[] = {
    [BREACH_OUTSIDE] = { "decides outside of decide",
        "create and destroy can decide nothing: wait for the first call" },
    [BREACH_ENDLESS] = { "appends decisions without end", "a loop over units must leave out those it has decided on" },
    [BREACH_NO_PLACE] = { "started something nowhere", "give a struct pol_place for each task" },
    [BREACH_NOTE] = { "notes something that is no number with a name",
        "note(name, value) wants a name and a finite value" },
    [BREACH_WAKES] = { "asks to be woken without end",
        "a wake must have a purpose: ask for the next instant at which something could change" },
    [BREACH_UNSETTLED] = { "never settles",
        "it decides something at each round of one instant, such as preempting what it has just started" },
    [BREACH_FLAGS] = { "claims more flags in create than its table has", "create may only take flags away" },
    [BREACH_CREATE] = { "cannot be created", "create returned NULL; the reason is what it wrote into `error`" },
    [BREACH_GAVE_UP] = { "gave up", "it called host->fail" },
    [BREACH_STUCK] = { "loops or is stuck", "look for a loop over a queue that nothing leaves" },
    [BREACH_MEMORY] = { "takes memory without end", "free or reuse what a call takes" },
    [BREACH_CRASH] = { "crashes", "build it with -g -fsanitize=address,undefined and run the case again" },
    [BREACH_EXIT] = { "ends the program", "a policy that cannot go on calls host->fail" },
};

static void add_problem_of_error(struct conform_result *r, sim_tick at, const struct diag *d)
{
    const struct cause *c = d->breach == BREACH_REFUSED ? &of_refusal[d->refusal] : &of_breach[d->breach];
    if (c->what != NULL) add_problem(r, at, c->what, d->msg, c->hint);
    else add_problem(r, at, d->code == ST_EPOLICY ? "breaks its contract" : "cannot be run", d->msg, d->hint);
}

/* Does it go as the first run went?  If not, and what is not NULL, that is a problem. */
static bool goes_the_same(struct conform_result *r, const struct trial_history *a, const struct trial_history *b, const char *what, const char *hint)
{
    size_t i = trial_first_difference(a, b);
    char x[160], y[160], detail[512];
    if (i == SIZE_MAX) return true;
    if (what == NULL) return false;
    trial_format_event(a, i, x, sizeof x);
    trial_format_event(b, i, y, sizeof y);
    if (b->result == ST_EPOLICY && i == b->n) (void)snprintf(y, sizeof y, "%.159s", b->diag.msg);
    (void)snprintf(detail, sizeof detail, "first: %s; then: %s", x, y);
    add_problem(r, i < a->n ? a->ev[i].at : b->end, what, detail, hint);
    return false;
}

static const char random_hint[] = "no random numbers, clock, addresses or memory that was never written may decide; with qsort no two elements may be equal";

/* The other ways, all at once; and when something differs, one by one, to know which. */
static void try_other_ways(uint32_t i, const char *spec, struct sandbox_page *page, const struct trial_history *base, struct conform_result *r)
{
    static const struct { struct trial_variant v; const char *what, *hint; } way[] = {
        { { .tricks.moves_memory = true }, "keeps a pointer into the view, an event or an info from one call to the next",
          "what decide can read is valid until it returns: keep handles and copies" },
        { { .tricks.lists_all_changed = true }, "decides otherwise when nodes are listed as changed that did not change",
          "view->changed says where to look; what is free there decides" },
        { { .tricks.reuses_shapes = true }, "decides otherwise when ids of shapes are used again at once",
          "whatever is kept by a shape's id, or by lists of ids, is forgotten when shapes/1 says that it is renewed" },
        { { .is_watched = true }, "decides otherwise when it is watched", random_hint },
    };
    static const struct trial_variant all = { .is_watched = true, .tricks = { true, true, true } };
    struct trial_history h, other;
    trial_run_beside(i, spec, &all, page, &h, &other);
    r->n_runs += 2;
    bool fine = goes_the_same(r, base, &h, NULL, NULL) && goes_the_same(r, base, &other, NULL, NULL);
    trial_history_fini(&h);
    trial_history_fini(&other);
    if (fine) return;
    for (size_t k = 0; k < ARRAY_LEN(way); k++) {
        trial_run(i, spec, &way[k].v, page, &h);
        r->n_runs++;
        bool same_way = goes_the_same(r, base, &h, way[k].what, way[k].hint);
        trial_history_fini(&h);
        if (!same_way) return;
    }
    trial_run_beside(i, spec, &(struct trial_variant){ 0 }, page, &h, &other);
    r->n_runs += 2;
    static const char what[] = "decides otherwise beside another instance of itself", hint[] = "no globals and no static variables: all state belongs to what create returns";
    if (goes_the_same(r, base, &h, what, hint) && goes_the_same(r, base, &other, what, hint))
        add_problem(r, -1, "decides otherwise when several things that must not matter come together", "", random_hint);
    trial_history_fini(&h);
    trial_history_fini(&other);
}

static void try_other_limits(uint32_t i, const char *spec, struct sandbox_page *page, struct conform_result *r)
{
    struct trial_history a, b;
    struct conform_case *c = conform_case_make(i);
    bool enforced = c->cfg.enforce_limits;
    conform_case_free(c);
    if (enforced) return;
    trial_run(i, spec, &(struct trial_variant){ 0 }, page, &a);
    trial_run(i, spec, &(struct trial_variant){ .other_limits = true }, page, &b);
    r->n_runs += 2;
    (void)goes_the_same(r, &a, &b, "reads users' estimates though its flags do not say so",
                        "put POL_USES_LIMITS into the table's flags: comparisons say which policies need estimates");
    trial_history_fini(&a);
    trial_history_fini(&b);
}

/* What the ledger audits, seen once more from outside: a fault of the host's if it is ever found. */
static void check_history(const struct trial_history *h, struct conform_result *r)
{
    uint64_t over = 0;
    sim_tick last = 0;
    for (size_t i = 0; i < h->n; i++) {
        const struct trial_event *e = &h->ev[i];
        if (e->at < last) add_problem(r, e->at, "the clock went back", "", "this is a fault of the simulator");
        last = e->at;
        over += e->type == TRIAL_END;
        bool is_stopped = e->type == TRIAL_STOP && (strcmp(e->how, "preempted") == 0 || strcmp(e->how, "scaled") == 0);
        if (is_stopped && (h->flags & POL_PREEMPTS) == 0)
            add_problem(r, e->at, "preempts though its flags say it does not", "", "put POL_PREEMPTS into the table's flags");
    }
    if (over + h->count.unfinished != h->count.arrived) add_problem(r, h->end, "a job was lost", "", "this is a fault of the simulator");
}

/* Does a job that asks for a licence arrive at that instant? */
static bool licence_asked_at(const struct conform_case *c, sim_tick at)
{
    for (uint32_t j = 0; j < c->n_jobs; j++)
        for (uint32_t g = 0; g < c->job[j].n_groups && c->job[j].submit == at; g++)
            for (uint32_t k = 0; k < LICENCES_MAX; k++)
                if (c->job[j].group[g].shape.licence[k] > 0) return true;
    return false;
}

/* Does a job whose tasks wait for each other, and make no calls, arrive at that instant? */
static bool workflow_arrives_at(const struct conform_case *c, sim_tick at)
{
    for (uint32_t j = 0; j < c->n_jobs; j++)
        if (c->job[j].submit == at && c->job[j].has_graph && c->job[j].n_calls == 0) return true;
    return false;
}

/*
 * The policy is not for what the case asks: calls by its flags, licences as it did not ask for them, or calls fail;
 * a policy for calls may do so when a workflow without them arrives, one that asked for profiles or goodput at any
 * job, but where each has all of that.
 */
static bool declines(const struct conform_case *c, const struct trial_history *h)
{
    if (h->diag.breach == BREACH_CALLS || h->diag.breach == BREACH_LICENCES) return true;
    return h->diag.breach == BREACH_GAVE_UP && ((h->asks_profiles && !c->has_profiles) || licence_asked_at(c, h->end) ||
                                                ((h->flags & POL_RUNS_CALLS) != 0 && workflow_arrives_at(c, h->end)));
}

static const char left_hint[] = "a unit that did not fit must stay in the queue and be tried at later calls; READY brings interrupted ones back";

void conform_case_run(uint32_t i, const char *spec, struct sandbox_page *page, struct conform_result *out)
{
    *out = (struct conform_result){ .n_runs = 1 };
    struct conform_case *c = conform_case_make(i);
    struct trial_history base, again;
    trial_run(i, spec, &(struct trial_variant){ 0 }, page, &base);
    uint32_t flags = base.flags;
    bool must_end = c->must_end, is_declined = declines(c, &base);
    conform_case_free(c);
    out->is_declined = is_declined;
    if (is_declined) {
        trial_history_fini(&base);
        return;
    }
    if (base.diag.breach == BREACH_WAITING && base.left.what[0] != '\0') {
        add_problem(out, base.left.at, base.left.what, base.left.detail, left_hint);
    } else if (base.result != ST_END) {
        add_problem_of_error(out, base.end, &base.diag);
        out->is_refused = base.diag.breach == BREACH_CREATE;
    } else {
        check_history(&base, out);
        if (must_end && (flags & POL_STRANDS) == 0 && base.count.unfinished > 0) {
            if (base.left.what[0] == '\0') add_problem(out, base.end, "never lets its jobs end", "they still run at the end of the case", "work that is stopped again and again gets nowhere");
            else add_problem(out, base.left.at, base.left.what, base.left.detail, left_hint);
        }
    }
    if (out->n_problems == 0) {
        trial_run(i, spec, &(struct trial_variant){ 0 }, page, &again);
        out->n_runs++;
        bool repeats = goes_the_same(out, &base, &again, "two runs of the same case decided differently", random_hint);
        trial_history_fini(&again);
        if (repeats) try_other_ways(i, spec, page, &base, out);
        if (out->n_problems == 0 && (flags & POL_USES_LIMITS) == 0) try_other_limits(i, spec, page, out);
    }
    trial_history_fini(&base);
}

struct sandboxed { uint32_t i; const char *spec; struct conform_result *out; };

static enum st run_there(void *ctx, struct sandbox_page *page, struct diag *d)
{
    struct sandboxed *c = ctx;
    (void)d;
    conform_case_run(c->i, c->spec, page, c->out);
    return ST_OK;
}

void conform_case_sandboxed(uint32_t i, const char *spec, const struct sandbox_limits *l, struct conform_result *out)
{
    struct conform_result *shared = sandbox_share(sizeof *shared);
    struct sandboxed c = { i, spec, shared };
    struct diag d = { 0 };
    if (sandbox_run(l, spec, NULL, run_there, &c, &d) != ST_OK) add_problem_of_error(shared, -1, &d);
    *out = *shared;
    out->is_stuck = d.breach == BREACH_STUCK;
    sandbox_unshare(shared, sizeof *shared);
}

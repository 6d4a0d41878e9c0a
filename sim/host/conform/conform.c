/*
 * conform.c -- what a policy does wrong in a case: an error of the host, a job left waiting, or a run
 * that goes otherwise where nothing that matters is otherwise.
 *
 * The other ways are tried all at once; only when that differs, one by one, to
 * know which.  O(three runs a case) for a policy that keeps its contract.
 */
#include "host/conform/conform.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "host/conform/trial.h"
#include "base/mem.h"

static void add_problem(struct conform_result *r, sim_tick at, const char *what, const char *detail, const char *hint)
{
    if (r->n_problems == CONFORM_PROBLEMS) return;
    struct conform_problem *p = &r->problem[r->n_problems++];
    p->at = at;
    (void)snprintf(p->what, sizeof p->what, "%s", what);
    (void)snprintf(p->detail, sizeof p->detail, "%s", detail);
    (void)snprintf(p->hint, sizeof p->hint, "%s", hint);
}

/* A part of the host's error, what the policy's author did, and where to look; the first that is found counts. */
static const struct { const char *error, *what, *hint; } causes[] = {
    { "not declared as one that preempts", "preempts though its flags say it does not", "put POL_PREEMPTS into the table's flags, and do not take it out in create" },
    { "is running already", "started a task that already runs", "take a unit out of the queue when it is started; READY tells when it waits again" },
    { "the task is done", "started a task that is done", "take a unit out of the queue when it is started; READY tells when it waits again" },
    { "handle is stale", "named a job or task that is over", "a limit can end a job while tasks of it wait: forget it at JOB_ENDED, or ask whether host->task is NULL" },
    { "not in the future", "asked for a wake in the past", "ask for a time after view->now_us; what is due now belongs in this call" },
    { "does not settle", "never settles", "it decides something at each round of one instant, such as preempting what it has just started" },
    { "the node is down", "started a task on a node that is down", "look at the node's is_up in every call; NODE_DOWN tells" },
    { "has not enough free licences", "started a task whose licences are not free", "look at licence_free and shape_licence of the view, or call host->fail when a task that asks for one arrives" },
    { "does not fit on the node", "started a task where it does not fit", "take what this call has started out of what is free; look at labels, GPU types, engines, memory and exclusive tasks too" },
    { "there is no such node", "named a node that does not exist", "nodes are 0 .. view->n_nodes - 1" },
    { "it names", "named cards or places that will not do", "cards: bit k is card k of that node, as many as the task asks; a gang: one place a task; cards 0 leaves the choice to the host" },
    { "all tasks start together", "started one task of a gang", "start a gang with start_gang, all its tasks at once" },
    { "is not a gang", "started a job that is no gang with start_gang", "look at is_gang of the job's info" },
    { "the task is not running", "preempts or resizes a task that does not run", "look at is_running of the task's info; what this call preempted no longer runs" },
    { "must end first", "started a task before the tasks that it waits for", "look at is_waiting of the task's info; READY tells when it may start" },
    { "more decisions than", "appends decisions without end", "a loop over units must leave out those it has decided on" },
    { "outside of decide", "decides outside of decide", "create and destroy can decide nothing: wait for the first call" },
    { "places NULL", "started something nowhere", "give a struct pol_place for each task" },
    { "notes a number", "notes something that is no number with a name", "note(name, value) wants a name and a finite value" },
    { "it sets flags", "claims more flags in create than its table has", "create may only take flags away" },
    { "failed at t=", "gave up", "it called host->fail" },
    { "failed in create", "gave up", "it called host->fail" },
    { "cannot be created", "cannot be created", "create returned NULL; the reason is what it wrote into `why`" },
    { "woken without end", "asks to be woken without end", "a wake must have a purpose: ask for the next instant at which something could change" },
    { "did not return", "loops or is stuck", "look for a loop over a queue that nothing leaves" },
    { "of memory, seen", "takes memory without end", "free or reuse what a call takes" },
    { "crashed", "crashes", "build it with -g -fsanitize=address,undefined and run the case again" },
    { "ended the program", "ends the program", "a policy that cannot go on calls host->fail" },
};

static void add_problem_of_error(struct conform_result *r, sim_tick at, const struct diag *d)
{
    for (size_t i = 0; i < ARRAY_LEN(causes); i++)
        if (strstr(d->msg, causes[i].error) != NULL) { add_problem(r, at, causes[i].what, d->msg, causes[i].hint); return; }
    add_problem(r, at, d->code == ST_EPOLICY ? "breaks its contract" : "cannot be run", d->msg, d->hint);
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
        { { .is_watched = true }, "decides otherwise when it is watched", random_hint },
    };
    static const struct trial_variant all = { .is_watched = true, .tricks = { true, true } };
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
        if (e->type == TRIAL_STOP && strcmp(e->how, "preempted") == 0 && (h->flags & POL_PREEMPTS) == 0)
            add_problem(r, e->at, "preempts though its flags say it does not", "", "put POL_PREEMPTS into the table's flags");
    }
    if (over + h->count.unfinished != h->count.arrived) add_problem(r, h->end, "a job was lost", "", "this is a fault of the simulator");
}

/* The policy is not for what the case asks, and refuses it: calls by its flags, licences by calling fail. */
static bool declines(const struct trial_history *h, bool has_licences)
{
    if (h->result != ST_EPOLICY) return false;
    if (strstr(h->diag.msg, "does not run tasks that are made of API calls") != NULL) return true;
    return has_licences && strstr(h->diag.msg, "failed at t=") != NULL && strstr(h->diag.msg, "licence") != NULL;
}

static const char left_hint[] = "a unit that did not fit must stay in the queue and be tried at later calls; READY brings interrupted ones back";

void conform_case_run(uint32_t i, const char *spec, struct sandbox_page *page, struct conform_result *out)
{
    *out = (struct conform_result){ .n_runs = 1 };
    struct conform_case *c = conform_case_make(i);
    bool must_end = c->must_end, has_licences = c->cluster.licences.n > 0;
    conform_case_free(c);
    struct trial_history base, again;
    trial_run(i, spec, &(struct trial_variant){ 0 }, page, &base);
    uint32_t flags = base.flags;
    if (declines(&base, has_licences)) {
        trial_history_fini(&base);
        return;
    }
    if (base.result == ST_EPOLICY && strstr(base.diag.msg, "waiting with nothing") != NULL && base.left.what[0] != '\0') {
        add_problem(out, base.left.at, base.left.what, base.left.detail, left_hint);
    } else if (base.result != ST_END) {
        add_problem_of_error(out, base.end, &base.diag);
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
    out->is_stuck = strstr(d.msg, "did not return") != NULL;
    sandbox_unshare(shared, sizeof *shared);
}

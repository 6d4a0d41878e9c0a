#include "host/conform/conform.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "host/host.h"
#include "host/policy_load.h"
#include "base/mem.h"

/* ---- what happened in a run ---- */

enum event_type { EVENT_START, EVENT_STOP, EVENT_END, EVENT_NODE };
struct event { sim_tick at; enum event_type type; uint64_t job; uint32_t task, node; uint64_t cards; const char *how; };

struct history {
    struct event *ev; size_t n, cap;
    enum st result;
    struct diag diag;
    struct world_count count;
    sim_tick end;
    uint64_t digest, n_instants;
    uint32_t flags;
    struct conform_problem left;        /* .what "" : no job was left waiting with room for it */
};

static void history_fini(struct history *h) { mem_free(h->ev); }

static void record(struct history *h, struct event e)
{
    MEM_RESERVE(h->ev, h->cap, h->n + 1);
    h->ev[h->n++] = e;
}

static struct event of_task(const struct world *w, enum event_type type, uint32_t task, const char *how)
{
    const struct task *t = world_task(w, task);
    const struct hold *hold = cluster_hold(world_cluster(w), task);
    return (struct event){ world_now(w), type, world_job(w, t->job)->ordinal, t->index, hold->node, hold->cards, how };
}

static void on_started(void *ctx, const struct world *w, uint32_t task) { record(ctx, of_task(w, EVENT_START, task, "")); }

static void on_stopped(void *ctx, const struct world *w, uint32_t task, enum stop_reason how)
{
    static const char *const name[] = { [STOP_DONE] = "done", [STOP_PREEMPTED] = "preempted", [STOP_FAILED] = "failed",
                                        [STOP_TIMEOUT] = "timeout", [STOP_HORIZON] = "horizon",
                                        [STOP_MISMATCH] = "mismatch" };
    if (how != STOP_HORIZON) record(ctx, of_task(w, EVENT_STOP, task, name[how]));      /* then the order is that of slots */
}

static void on_job_ended(void *ctx, const struct world *w, uint32_t job)
{
    static const char *const name[] = { [JOB_DONE] = "done", [JOB_TIMEOUT] = "timeout", [JOB_REJECTED] = "rejected",
                                        [JOB_FAILED] = "failed" };
    const struct job *j = world_job(w, job);
    if (j->status != JOB_UNFINISHED) record(ctx, (struct event){ world_now(w), EVENT_END, j->ordinal, NONE, NONE, 0, name[j->status] });
}

static void on_node_changed(void *ctx, const struct world *w, uint32_t node)
{
    record(ctx, (struct event){ world_now(w), EVENT_NODE, UINT64_MAX, NONE, node, 0, world_cluster(w)->node[node].is_up ? "up" : "down" });
}

static void take_sample(void *ctx, const struct world *w) { (void)ctx, (void)w; }
static void take_decision(void *ctx, sim_tick at, const char *verb, uint64_t job, int64_t task, int64_t node, const char *reason)
{ (void)ctx, (void)at, (void)verb, (void)job, (void)task, (void)node, (void)reason; }
static void take_note(void *ctx, sim_tick at, const char *name, double value) { (void)ctx, (void)at, (void)name, (void)value; }

/* "t=5 us: starts task 0 of job j3 on node 1, cards 0x3" */
static void format_event(const struct history *h, size_t i, char *buf, size_t cap)
{
    if (i >= h->n) { (void)snprintf(buf, cap, "nothing more"); return; }
    const struct event *e = &h->ev[i];
    if (e->type == EVENT_START)
        (void)snprintf(buf, cap, "t=%" PRId64 " us: task %u of job j%" PRIu64 " starts on node %u, cards %#" PRIx64, e->at, e->task, e->job, e->node, e->cards);
    else if (e->type == EVENT_STOP)
        (void)snprintf(buf, cap, "t=%" PRId64 " us: task %u of job j%" PRIu64 " stops on node %u (%s)", e->at, e->task, e->job, e->node, e->how);
    else if (e->type == EVENT_END) (void)snprintf(buf, cap, "t=%" PRId64 " us: job j%" PRIu64 " ends (%s)", e->at, e->job, e->how);
    else (void)snprintf(buf, cap, "t=%" PRId64 " us: node %u goes %s", e->at, e->node, e->how);
}

static bool same(const struct event *a, const struct event *b)
{
    return a->at == b->at && a->type == b->type && a->job == b->job && a->task == b->task && a->node == b->node && a->cards == b->cards &&
           strcmp(a->how, b->how) == 0;
}

/* Index of the first event that differs, or SIZE_MAX. */
static size_t first_difference(const struct history *a, const struct history *b)
{
    for (size_t i = 0; i < a->n && i < b->n; i++)
        if (!same(&a->ev[i], &b->ev[i])) return i;
    return a->n == b->n && a->result == b->result ? SIZE_MAX : a->n < b->n ? a->n : b->n;
}

/* ---- one run ---- */

struct variant { bool is_watched, other_limits; struct host_tricks tricks; };

struct trial { struct conform_case *c; struct host *host; struct world *w; struct history *h; };

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

static void trial_open(struct trial *s, uint32_t i, const char *spec, const struct variant *v, struct sandbox_page *page, struct history *h)
{
    *h = (struct history){ .result = ST_OK };
    *s = (struct trial){ .c = conform_case_make(i), .h = h };
    struct conform_case *c = s->c;
    if (v->other_limits)
        for (uint32_t k = 0; k < c->n_jobs; k++) c->job[k].limit = (7 * (int64_t)k) % 50 - 1;
    if (v->is_watched) c->cfg.sample_every = i64_max(1, c->cfg.horizon / 5000);
    struct host_hooks hooks = { .page = page, .tricks = v->tricks,
                                   .decision = v->is_watched ? take_decision : NULL, .note = v->is_watched ? take_note : NULL };
    h->result = host_create(&s->host, spec, NULL, NULL, &hooks, &h->diag);
    if (h->result != ST_OK) return;
    h->flags = host_flags(s->host);
    s->w = world_create(&c->cfg, conform_source(c), host_decider(s->host));
    world_observe(s->w, (struct observer){ .ctx = h, .started = on_started, .stopped = on_stopped, .job_ended = on_job_ended, .node_changed = on_node_changed });
    if (v->is_watched) world_observe(s->w, (struct observer){ .sample = take_sample });
}

/* No case needs nearly as many; who gets there asks to be woken without end. */
enum { INSTANTS_MAX = 300000 };

static bool trial_step(struct trial *s)
{
    struct history *h = s->h;
    if (h->result != ST_OK) return false;
    if (world_next(s->w) > s->c->cfg.horizon) find_left(s);     /* the step to come gives up what is left */
    h->result = world_step(s->w, &h->diag);
    if (h->result == ST_EPOLICY) find_left(s);
    if (h->result == ST_OK && ++h->n_instants > INSTANTS_MAX) h->result = diag_set(&h->diag, ST_EPOLICY, "it asks to be woken without end");
    return h->result == ST_OK;
}

static void trial_close(struct trial *s)
{
    struct history *h = s->h;
    if (s->w != NULL) {
        h->digest = world_digest(s->w);
        h->count = *world_count(s->w);
        h->end = world_now(s->w);
        world_destroy(s->w);
    }
    host_destroy(s->host);
    conform_case_free(s->c);
}

static void run_alone(uint32_t i, const char *spec, const struct variant *v, struct sandbox_page *page, struct history *h)
{
    struct trial s;
    trial_open(&s, i, spec, v, page, h);
    while (trial_step(&s)) { }
    trial_close(&s);
}

/* Two instances, turn by turn; the first is as v says. */
static void run_beside(uint32_t i, const char *spec, const struct variant *v, struct sandbox_page *page, struct history *h, struct history *other)
{
    struct trial s, o;
    trial_open(&s, i, spec, v, page, h);
    trial_open(&o, i, spec, &(struct variant){ 0 }, page, other);
    for (bool a = true, b = true; a || b;) {
        a = a && trial_step(&s);
        b = b && trial_step(&o);
    }
    trial_close(&o);
    trial_close(&s);
}

/* ---- what is wrong ---- */

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
static bool goes_the_same(struct conform_result *r, const struct history *a, const struct history *b, const char *what, const char *hint)
{
    size_t i = first_difference(a, b);
    char x[160], y[160], detail[512];
    if (i == SIZE_MAX) return true;
    if (what == NULL) return false;
    format_event(a, i, x, sizeof x);
    format_event(b, i, y, sizeof y);
    if (b->result == ST_EPOLICY && i == b->n) (void)snprintf(y, sizeof y, "%.159s", b->diag.msg);
    (void)snprintf(detail, sizeof detail, "first: %s; then: %s", x, y);
    add_problem(r, i < a->n ? a->ev[i].at : b->end, what, detail, hint);
    return false;
}

static const char random_hint[] = "no random numbers, clock, addresses or memory that was never written may decide; with qsort no two elements may be equal";

/* The other ways, all at once; and when something differs, one by one, to know which. */
static void try_other_ways(uint32_t i, const char *spec, struct sandbox_page *page, const struct history *base, struct conform_result *r)
{
    static const struct { struct variant v; const char *what, *hint; } way[] = {
        { { .tricks.moves_memory = true }, "keeps a pointer into the view, an event or an info from one call to the next",
          "what decide can read is valid until it returns: keep handles and copies" },
        { { .tricks.lists_all_changed = true }, "decides otherwise when nodes are listed as changed that did not change",
          "view->changed says where to look; what is free there decides" },
        { { .is_watched = true }, "decides otherwise when it is watched", random_hint },
    };
    static const struct variant all = { .is_watched = true, .tricks = { true, true } };
    struct history h, other;
    run_beside(i, spec, &all, page, &h, &other);
    r->n_runs += 2;
    bool fine = goes_the_same(r, base, &h, NULL, NULL) && goes_the_same(r, base, &other, NULL, NULL);
    history_fini(&h);
    history_fini(&other);
    if (fine) return;
    for (size_t k = 0; k < ARRAY_LEN(way); k++) {
        run_alone(i, spec, &way[k].v, page, &h);
        r->n_runs++;
        bool same_way = goes_the_same(r, base, &h, way[k].what, way[k].hint);
        history_fini(&h);
        if (!same_way) return;
    }
    run_beside(i, spec, &(struct variant){ 0 }, page, &h, &other);
    r->n_runs += 2;
    static const char what[] = "decides otherwise beside another instance of itself", hint[] = "no globals and no static variables: all state belongs to what create returns";
    if (goes_the_same(r, base, &h, what, hint) && goes_the_same(r, base, &other, what, hint))
        add_problem(r, -1, "decides otherwise when several things that must not matter come together", "", random_hint);
    history_fini(&h);
    history_fini(&other);
}

static void try_other_limits(uint32_t i, const char *spec, struct sandbox_page *page, struct conform_result *r)
{
    struct history a, b;
    struct conform_case *c = conform_case_make(i);
    bool enforced = c->cfg.enforce_limits;
    conform_case_free(c);
    if (enforced) return;
    run_alone(i, spec, &(struct variant){ 0 }, page, &a);
    run_alone(i, spec, &(struct variant){ .other_limits = true }, page, &b);
    r->n_runs += 2;
    (void)goes_the_same(r, &a, &b, "reads users' estimates though its flags do not say so",
                        "put POL_USES_LIMITS into the table's flags: comparisons say which policies need estimates");
    history_fini(&a);
    history_fini(&b);
}

/* What the ledger audits, seen once more from outside: a fault of the host's if it is ever found. */
static void check_history(const struct history *h, struct conform_result *r)
{
    uint64_t over = 0;
    sim_tick last = 0;
    for (size_t i = 0; i < h->n; i++) {
        const struct event *e = &h->ev[i];
        if (e->at < last) add_problem(r, e->at, "the clock went back", "", "this is a fault of the simulator");
        last = e->at;
        over += e->type == EVENT_END;
        if (e->type == EVENT_STOP && strcmp(e->how, "preempted") == 0 && (h->flags & POL_PREEMPTS) == 0)
            add_problem(r, e->at, "preempts though its flags say it does not", "", "put POL_PREEMPTS into the table's flags");
    }
    if (over + h->count.unfinished != h->count.arrived) add_problem(r, h->end, "a job was lost", "", "this is a fault of the simulator");
}

/* The policy is not for what the case asks, and refuses it: by its flags if that is calls, by calling fail if licences. */
static bool declines(const struct history *h, bool has_licences)
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
    struct history base, again;
    run_alone(i, spec, &(struct variant){ 0 }, page, &base);
    uint32_t flags = base.flags;
    if (declines(&base, has_licences)) {
        history_fini(&base);
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
        run_alone(i, spec, &(struct variant){ 0 }, page, &again);
        out->n_runs++;
        bool repeats = goes_the_same(out, &base, &again, "two runs of the same case decided differently", random_hint);
        history_fini(&again);
        if (repeats) try_other_ways(i, spec, page, &base, out);
        if (out->n_problems == 0 && (flags & POL_USES_LIMITS) == 0) try_other_limits(i, spec, page, out);
    }
    history_fini(&base);
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

/* ---- specs ---- */

/* NULL: not a parameter of few values. */
static const char *choices_of(const struct pol_param *p)
{
    return p->type == POL_CHOICE ? p->choices : p->type == POL_BOOL ? "false|true" : NULL;
}

static uint32_t n_choices(const struct pol_param *p)
{
    uint32_t n = 1;
    if (choices_of(p) == NULL) return 1;
    for (const char *s = choices_of(p); *s != '\0'; s++) n += *s == '|';
    return n;
}

static void add_spec(struct conform_specs *s, const char *name, const struct pol_ops *o, uint64_t which, uint32_t only)
{
    char *to = s->spec[s->n++];
    size_t at = (size_t)snprintf(to, CONFORM_SPEC_LEN, "%s", name);
    char sep = ':';
    for (uint32_t k = 0; k < o->n_params; k++) {
        uint32_t n = n_choices(&o->params[k]);
        const char *choice = choices_of(&o->params[k]);
        if (choice == NULL || (only != NONE && only != k)) continue;
        for (uint64_t skip = which % n; skip > 0; skip--) choice = strchr(choice, '|') + 1;
        which /= n;
        if (at < CONFORM_SPEC_LEN)
            at += (size_t)snprintf(to + at, CONFORM_SPEC_LEN - at, "%c%s=%.*s", sep, o->params[k].name, (int)strcspn(choice, "|"), choice);
        sep = ',';
    }
}

void conform_specs(struct conform_specs *s, const char *spec, const struct pol_ops *o)
{
    uint64_t n = 1;
    size_t path = policy_load_path_len(spec);
    s->n = 0;
    s->is_each_alone = false;
    if (spec[path] != '\0' && strchr(spec + path, ':') != NULL) {
        (void)snprintf(s->spec[s->n++], CONFORM_SPEC_LEN, "%s", spec);
        return;
    }
    for (uint32_t k = 0; k < o->n_params && n <= CONFORM_SPECS; k++) n *= n_choices(&o->params[k]);
    if (n <= CONFORM_SPECS) {
        for (uint64_t i = 0; i < n; i++) add_spec(s, spec, o, i, NONE);
        return;
    }
    s->is_each_alone = true;
    for (uint32_t k = 0; k < o->n_params; k++)
        for (uint64_t i = 0; choices_of(&o->params[k]) != NULL && i < n_choices(&o->params[k]) && s->n < CONFORM_SPECS; i++) add_spec(s, spec, o, i, k);
}

/*
 * exec.c -- the policy `exec`: rounds with a child, as PROTOCOL.md has them.
 *
 * The child is told what it has not been told yet: the cluster once, then shapes,
 * changed nodes and events.  It names jobs by their ordinal, which handles.h turns
 * into handles.  Whatever goes wrong ends the child and fails the run.
 */
#include "host/exec/exec.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include "base/text.h"
#include "host/exec/child.h"
#include "host/exec/handles.h"
#include "host/exec/reply.h"
#include "host/exec/message.h"
#include "host/exec/planned.h"
#include "base/mem.h"

/* How long a child may take to end after bye, and after it closed its output. */
enum { GRACE_US = 2000000 };

struct exec {
    const struct pol_host *host;    /* borrowed */
    const struct pol_cores *cores;
    const struct pol_reservations *reservations;
    const struct pol_calls *calls;
    const struct pol_elastic *elastic;
    struct child *child;            /* NULL once it failed */
    int64_t  timeout;
    uint32_t flags;
    struct reply_hello hello;
    struct json_text  out;
    struct reply reply;
    struct handles jobs;
    struct planned planned;
    uint32_t shapes_told;
    bool     cluster_told;
    uint32_t *node; size_t cap_node; uint32_t n_nodes;   /* whose state this round tells */
};

/* ---- failing ---- */

/* A failure to exchange lines, in words, into error [cap]; ends the child. */
static void describe_loss(struct exec *x, enum child_io io, bool writing, char *error, size_t cap)
{
    char how[80];
    int64_t grace = io == CHILD_CLOSED ? GRACE_US : 0;
    (void)child_end(x->child, grace, how, sizeof how);
    x->child = NULL;
    switch (io) {
    case CHILD_CLOSED:
        (void)snprintf(error, cap, "its process closed its pipe and %s", how);
        break;
    case CHILD_SILENT:
        (void)snprintf(error, cap, "its process %s within %.3g s and was killed",
                       writing ? "did not read what it was sent" : "gave no answer", (double)x->timeout / TICK_SEC);
        break;
    case CHILD_LONG:
        (void)snprintf(error, cap, "its process wrote a line of more than %d MiB and was killed", CHILD_LINE_MAX >> 20);
        break;
    case CHILD_OK: break;
    }
}

/* The run fails with this; the child has nothing more to say. */
static void fail(struct exec *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void fail(struct exec *x, const char *fmt, ...)
{
    char error[REPLY_ERROR_MAX + 200], how[80];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(error, sizeof error, fmt, ap);
    va_end(ap);
    if (x->child != NULL) (void)child_end(x->child, 0, how, sizeof how);
    x->child = NULL;
    x->host->fail(x->host->ctx, error);
}

static bool send(struct exec *x, int64_t deadline, char *error, size_t cap)
{
    enum child_io io = child_write(x->child, x->out.s, x->out.n, deadline);
    if (io != CHILD_OK) describe_loss(x, io, true, error, cap);
    return io == CHILD_OK;
}

static bool receive(struct exec *x, int64_t deadline, const char **line, size_t *n, char *error, size_t cap)
{
    enum child_io io = child_read(x->child, line, n, deadline);
    if (io != CHILD_OK) describe_loss(x, io, false, error, cap);
    return io == CHILD_OK;
}

/* ---- life ---- */

static bool exchange_hello(struct exec *x, const char *weights, char *error, size_t cap)
{
    const char *line;
    size_t n;
    char what[REPLY_ERROR_MAX];
    int64_t deadline = child_clock() + x->timeout;
    if (!message_hello(&x->out, weights))
        return text_error(error, cap, "weights: '%s' is not user:weight;...", weights);
    if (!send(x, deadline, error, cap) || !receive(x, deadline, &line, &n, error, cap)) return false;
    if (reply_hello(&x->hello, line, n, what)) return true;
    return text_error(error, cap, "its first line: %s", what);
}

static void destroy(void *self)
{
    struct exec *x = self;
    char how[80], error[200];
    if (x->child != NULL) {
        x->out.n = 0;
        message_bye(&x->out);
        if (!send(x, child_clock() + x->timeout, error, sizeof error))
            text_line(stderr, "warning: policy '%s': %s", x->hello.name, error);
        else if (!child_end(x->child, GRACE_US, how, sizeof how))
            text_line(stderr, "warning: policy '%s': after bye its process %s", x->hello.name, how);
    }
    reply_hello_fini(&x->hello);
    reply_fini(&x->reply);
    json_text_fini(&x->out);
    handles_fini(&x->jobs);
    planned_fini(&x->planned);
    mem_free(x->node);
    mem_free(x);
}

static _Thread_local enum st create_failed = ST_EINPUT;        /* create has no way to say more than why */

static void *create(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *error, size_t cap)
{
    struct exec *x;
    struct child *child = child_start(value[EXEC_COMMAND].s, value[EXEC_DIR].s, error, cap);
    create_failed = child == NULL ? ST_EWORLD : ST_EINPUT;
    if (child == NULL) return NULL;
    MEM_NEW(x);
    x->host = x->reply.host = host;
    (void)host->extension(host->ctx, POL_LICENCES);     /* the child is told of them, and may say that it knows none */
    x->cores = host->extension(host->ctx, POL_CORES);
    x->reservations = host->extension(host->ctx, POL_RESERVATIONS);
    x->calls = host->extension(host->ctx, POL_CALLS);
    x->elastic = host->extension(host->ctx, POL_ELASTIC);
    x->child = child;
    x->timeout = value[EXEC_TIMEOUT].i;
    if (!exchange_hello(x, value[EXEC_WEIGHTS].s, error, cap)) {
        char how[80];
        if (x->child != NULL) (void)child_end(x->child, 0, how, sizeof how);
        x->child = NULL;
        destroy(x);
        return NULL;
    }
    *flags = x->flags = x->hello.flags;
    return x;
}

/* ---- one round ---- */

/*
 * The first time every node that is not up and idle, as the child takes it to be; later those that changed.  After a
 * refusal all of them: the child has taken from what is free what it did not get.
 */
static void choose_nodes(struct exec *x, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    bool was_refused = n_ev > 0 && ev[n_ev - 1].type == POL_REFUSED;        /* they come last */
    x->n_nodes = 0;
    MEM_RESERVE(x->node, x->cap_node, v->n_nodes);
    if (x->cluster_told && !was_refused) {
        for (uint32_t i = 0; i < v->n_changed; i++) x->node[x->n_nodes++] = v->changed[i];
        return;
    }
    for (uint32_t i = 0; i < v->n_nodes; i++)
        if (was_refused || !v->node[i].is_up || v->node[i].n_tasks > 0) x->node[x->n_nodes++] = i;
}

static void write_round(struct exec *x, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    const struct pol_host *h = x->host;
    x->out.n = 0;
    choose_nodes(x, v, ev, n_ev);
    if (!x->cluster_told) message_cluster(&x->out, h, v);
    message_decide(&x->out, h, &(struct message_round){ .view = v, .event = ev, .n_events = n_ev, .node = x->node, .n_nodes = x->n_nodes,
                                                  .shapes_told = x->shapes_told, .flags = x->flags });
    x->cluster_told = true;
    x->shapes_told = v->n_shapes;
    for (size_t i = 0; i < n_ev; i++) {
        if (ev[i].type == POL_ARRIVED) handles_add(&x->jobs, h, ev[i].job);
        else if (ev[i].type == POL_JOB_ENDED) handles_del(&x->jobs, h->job(h->ctx, ev[i].job)->ordinal);
    }
}

/* The job that the child names, which must have a task of that number. */
static bool resolve(const struct exec *x, uint64_t ordinal, uint32_t task, const struct handles_job **job, char *error)
{
    *job = handles_find(&x->jobs, ordinal);
    if (*job == NULL && ordinal >= x->jobs.n_seen)
        return reply_error(error, "no job %" PRIu64 " has arrived; the latest is %" PRId64, ordinal, (int64_t)x->jobs.n_seen - 1);
    if (*job == NULL)
        return reply_error(error, "job %" PRIu64 " has ended", ordinal);
    if (task < (*job)->n_tasks) return true;
    return reply_error(error, "job %" PRIu64 " has %" PRIu32 " tasks, the first being 0; there is no task %" PRIu32, ordinal, (*job)->n_tasks, task);
}

static bool carry_out(const struct exec *x, const struct reply_decision *d, char *error)
{
    const struct pol_host *h = x->host;
    const struct handles_job *j = NULL;
    const struct handles_job *lender = NULL;
    bool about_job = d->verb != POL_VERB_WAKE && d->verb != POL_VERB_NOTE && d->verb != POL_VERB_FAIL;
    if (about_job && !resolve(x, d->job, d->task, &j, error)) return false;
    if (d->verb == POL_VERB_LEND && !resolve(x, d->lender, 0, &lender, error)) return false;
    if (d->verb == POL_VERB_START_GANG && d->n_places != j->n_tasks && !x->elastic->sizes(h->ctx, j->job).is_elastic)
        return reply_error(error, "'nodes' names %" PRIu32 " places; job %" PRIu64 " has %" PRIu32 " tasks", d->n_places, d->job, j->n_tasks);
    switch (d->verb) {
    case POL_VERB_START:      h->start(h->ctx, j->task[d->task], d->place, 1, d->text); break;
    case POL_VERB_START_GANG: h->start(h->ctx, j->task[0], d->place, d->n_places, d->text); break;
    case POL_VERB_PREEMPT:    h->preempt(h->ctx, j->task[d->task], d->text); break;
    case POL_VERB_RESIZE:     x->cores->resize(h->ctx, j->task[d->task], d->cpu_milli, d->text); break;
    case POL_VERB_HOLD:       h->hold(h->ctx, j->task[d->task], d->flag, d->text); break;
    case POL_VERB_RESERVE:    x->reservations->reserve(h->ctx, j->job, &d->reserve, d->text); break;
    case POL_VERB_LEND:
        x->reservations->lend(h->ctx, j->task[d->task], lender->job, d->flag ? NULL : &d->amount, d->text);
        break;
    case POL_VERB_SEND:       x->calls->send(h->ctx, j->task[d->task], d->node, d->text); break;
    case POL_VERB_CALL:       x->calls->call(h->ctx, j->task[d->task], d->node, d->engine, d->text); break;
    case POL_VERB_SCALE:      x->elastic->scale(h->ctx, j->job, d->place, d->n_places, d->text); break;
    case POL_VERB_WAKE:       h->wake(h->ctx, d->at_us); break;
    case POL_VERB_NOTE:       h->note(h->ctx, d->text, d->value); break;
    case POL_VERB_FAIL:
        return reply_error(error, "it says: %.400s", d->text);
    case POL_VERBS:        break;
    }
    return true;
}

static bool is_node(const struct pol_view *v, uint32_t node, char *error)
{
    if (node < v->n_nodes) return true;
    return reply_error(error, "there is no node %" PRIu32 "; the cluster has %" PRIu32, node, v->n_nodes);
}

/* Does all that the question names exist? */
static bool check_query(const struct exec *x, const struct pol_view *v, const struct handles_job **j, char *error)
{
    const struct reply *r = &x->reply;
    if (!resolve(x, r->job, r->task, j, error)) return false;
    for (size_t i = 0; i < r->n_nodes; i++)
        if (!is_node(v, r->node[i], error)) return false;
    for (size_t i = 0; i < r->n_ways; i++) {
        uint32_t n = x->calls->state(x->host->ctx, (*j)->task[r->task]).n_calls;
        if (!is_node(v, r->way[i].from, error) || !is_node(v, r->way[i].to, error)) return false;
        if (r->way[i].call < n) continue;
        return reply_error(error, "'overhead' asks for call %" PRIu32 "; the task has %" PRIu32 ", the first being 0", r->way[i].call, n);
    }
    return true;
}

static bool answer(struct exec *x, const struct pol_view *v, int64_t deadline, char *error, size_t cap)
{
    const struct handles_job *j;
    char what[REPLY_ERROR_MAX];
    struct reply *r = &x->reply;
    x->out.n = 0;
    if (r->asks_fits ? !planned_answer(&x->planned, &x->out, v, r, deadline, what) : !check_query(x, v, &j, what))
        return text_error(error, cap, "its query: %s", what);
    if (!r->asks_fits)
        message_answer(&x->out, x->host, j->task[r->task],
                    &(struct message_question){ .node = r->node, .n_nodes = r->n_nodes, .way = r->way, .n_ways = r->n_ways }, x->flags);
    return send(x, deadline, error, cap);
}

static void decide(void *self, const struct pol_view *view, const struct pol_event *ev, size_t n_ev)
{
    struct exec *x = self;
    char error[REPLY_ERROR_MAX + 100], what[REPLY_ERROR_MAX];
    int64_t deadline = child_clock() + x->timeout;      /* for the whole round, questions included */
    write_round(x, view, ev, n_ev);
    planned_sync(&x->planned, view);
    bool ok = send(x, deadline, error, sizeof error);
    do {
        const char *line;
        size_t n;
        ok = ok && receive(x, deadline, &line, &n, error, sizeof error);
        if (ok && !reply_open(&x->reply, line, n, what)) {
            fail(x, "line %" PRIu64 " of its output: %s", child_lines(x->child), what);
            return;
        }
        ok = ok && (!x->reply.is_query || answer(x, view, deadline, error, sizeof error));
        if (!ok) {
            fail(x, "%s", error);
            return;
        }
    } while (x->reply.is_query);
    for (struct reply_decision d; x->reply.next < x->reply.n;) {
        if (reply_next(&x->reply, &d, what) && carry_out(x, &d, what)) continue;
        fail(x, "line %" PRIu64 " of its output, decision %zu of %zu: %s", child_lines(x->child), x->reply.next, x->reply.n, what);
        return;
    }
}

/* ---- what it is ---- */

static const struct pol_param params[EXEC_PARAMS] = {
    [EXEC_COMMAND] = { .name = "command", .type = POL_TEXT, .dflt = "", .help = "what sh -c runs" },
    [EXEC_DIR]     = { .name = "dir", .type = POL_TEXT, .dflt = "", .help = "where it runs: the scenario's folder, or here" },
    [EXEC_WEIGHTS] = { .name = "weights", .type = POL_TEXT, .dflt = "", .help = "fair shares of users, as user:weight;..." },
    [EXEC_TIMEOUT] = { .name = "timeout", .type = POL_DURATION, .dflt = "10s", .help = "wall-clock time for an answer" },
};

const struct pol_ops exec_ops = {
    POL_HEADER, .name = "exec", .source = "a program of its own", .summary = "a policy in another process: exec:COMMAND",
    .flags = POL_PREEMPTS | POL_USES_LIMITS | POL_CLAIRVOYANT | POL_BY_COUNT | POL_STRANDS | POL_RUNS_CALLS |
             POL_TAKES_REFUSALS,
    .n_params = EXEC_PARAMS, .params = params,
    .create = create, .decide = decide, .destroy = destroy,
};

static void declare(const void *self, struct pol_ops *table)
{
    const struct exec *x = self;
    table->name = x->hello.name;
    table->source = x->hello.source;
    table->summary = x->hello.summary;
    table->flags = x->hello.flags;
}

static const char *label(const void *self) { return ((const struct exec *)self)->hello.label; }
static enum st last_failure(void) { return create_failed; }

const struct guest_ops exec_guest = {
    .declare = declare, .label = label, .create_failed = last_failure, .timeout_param = EXEC_TIMEOUT,
};

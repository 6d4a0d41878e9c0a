/*
 * exec.c -- the policy `exec`: rounds with a child, as PROTOCOL.md has them.
 *
 * The child is told what it has not been told yet: the cluster once, then shapes,
 * changed nodes and events.  It names jobs by their ordinal, which handles.h turns
 * into handles.  Whatever goes wrong ends the child and fails the run.
 */
#include "host/exec/exec.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/text.h"
#include "host/exec/child.h"
#include "host/exec/message.h"
#include "host/exec/dialog.h"
#include "base/mem.h"

/* How long a child may take to end after bye, and after it closed its output. */
enum { GRACE_US = 2000000 };

struct exec {
    struct dialog r;
    struct child *child;            /* NULL once it failed */
    int64_t timeout;
    uint32_t *node; size_t cap_node; uint32_t n_nodes;   /* whose state this round tells */
};

/* ---- failing ---- */

static _Thread_local enum st create_failed = ST_EINPUT; /* create has no way to say more than why */

/* A failure to exchange lines, in words, into error [cap]; ends the child. */
static void describe_loss(struct exec *x, enum child_io io, bool writing, char *error, size_t cap)
{
    char how[80];
    const int why = errno;
    int64_t grace = io == CHILD_CLOSED ? GRACE_US : 0;
    (void)child_end(x->child, grace, how, sizeof how);
    x->child = NULL;
    switch (io) {
    case CHILD_CLOSED:
        (void)snprintf(error, cap, "its process closed its pipe and %s", how);
        break;
    case CHILD_BROKEN:
        create_failed = ST_EWORLD;
        (void)snprintf(error, cap, "the pipe %s its process failed: %s", writing ? "to" : "from", strerror(why));
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
    x->r.host->fail(x->r.host->ctx, error);
}

static bool send(struct exec *x, int64_t deadline, char *error, size_t cap)
{
    enum child_io io = child_write(x->child, x->r.out.s, x->r.out.n, deadline);
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
    if (!message_hello(&x->r.out, weights))
        return text_error(error, cap, "weights: '%s' is not user:weight;...", weights);
    if (!send(x, deadline, error, cap) || !receive(x, deadline, &line, &n, error, cap)) return false;
    if (reply_hello(&x->r.hello, line, n, what)) return true;
    return text_error(error, cap, "its first line: %s", what);
}

static void destroy(void *self)
{
    struct exec *x = self;
    char how[80], error[200];
    if (x->child != NULL) {
        x->r.out.n = 0;
        message_bye(&x->r.out);
        if (!send(x, child_clock() + x->timeout, error, sizeof error))
            text_line(stderr, "warning: policy '%s': %s", x->r.hello.name, error);
        else if (!child_end(x->child, GRACE_US, how, sizeof how))
            text_line(stderr, "warning: policy '%s': after bye its process %s", x->r.hello.name, how);
    }
    dialog_fini(&x->r);
    mem_free(x->node);
    mem_free(x);
}

static void *create(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *error, size_t cap)
{
    struct exec *x;
    struct child *child = child_start(value[EXEC_COMMAND].s, value[EXEC_DIR].s, error, cap);
    create_failed = child == NULL ? ST_EWORLD : ST_EINPUT;
    if (child == NULL) return NULL;
    MEM_NEW(x);
    dialog_begin(&x->r, host);
    x->child = child;
    x->timeout = value[EXEC_TIMEOUT].i;
    if (!exchange_hello(x, value[EXEC_WEIGHTS].s, error, cap)) {
        char how[80];
        if (x->child != NULL) (void)child_end(x->child, 0, how, sizeof how);
        x->child = NULL;
        destroy(x);
        return NULL;
    }
    *flags = x->r.flags = x->r.hello.flags;
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
    if (x->r.cluster_told && !was_refused) {
        for (uint32_t i = 0; i < v->n_changed; i++) x->node[x->n_nodes++] = v->changed[i];
        return;
    }
    for (uint32_t i = 0; i < v->n_nodes; i++)
        if (was_refused || !v->node[i].is_up || v->node[i].n_tasks > 0) x->node[x->n_nodes++] = i;
}

static void write_round(struct exec *x, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    const struct pol_host *h = x->r.host;
    x->r.out.n = 0;
    choose_nodes(x, v, ev, n_ev);
    if (!x->r.cluster_told) message_cluster(&x->r.out, h, v);
    message_decide(&x->r.out, h, &(struct message_round){ .view = v, .event = ev, .n_events = n_ev, .node = x->node,
        .n_nodes = x->n_nodes, .shapes_told = x->r.shapes_told, .flags = x->r.flags, .frees = x->n_nodes > 0 });
    x->r.cluster_told = true;
    x->r.shapes_told = v->n_shapes;
    dialog_note_jobs(&x->r, ev, n_ev);
}

static bool answer(struct exec *x, const struct pol_view *v, int64_t deadline, char *error, size_t cap)
{
    char what[REPLY_ERROR_MAX];
    if (!dialog_answer(&x->r, v, deadline, what)) return text_error(error, cap, "its query: %s", what);
    return send(x, deadline, error, cap);
}

static void decide(void *self, const struct pol_view *view, const struct pol_event *ev, size_t n_ev)
{
    struct exec *x = self;
    char error[REPLY_ERROR_MAX + 100], what[REPLY_ERROR_MAX];
    int64_t deadline = child_clock() + x->timeout;      /* for the whole round, questions included */
    write_round(x, view, ev, n_ev);
    planned_sync(&x->r.planned, view);
    bool ok = send(x, deadline, error, sizeof error);
    do {
        const char *line;
        size_t n;
        ok = ok && receive(x, deadline, &line, &n, error, sizeof error);
        if (ok && !reply_open(&x->r.reply, line, n, what)) {
            fail(x, "line %" PRIu64 " of its output: %s", child_lines(x->child), what);
            return;
        }
        ok = ok && (!x->r.reply.is_query || answer(x, view, deadline, error, sizeof error));
        if (!ok) {
            fail(x, "%s", error);
            return;
        }
    } while (x->r.reply.is_query);
    for (struct reply_decision d; x->r.reply.next < x->r.reply.n;) {
        if (reply_next(&x->r.reply, &d, what) && dialog_carry_out(&x->r, &d, what)) continue;
        fail(x, "line %" PRIu64 " of its output, decision %zu of %zu: %s", child_lines(x->child), x->r.reply.next,
            x->r.reply.n, what);
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
    table->name = x->r.hello.name;
    table->source = x->r.hello.source;
    table->summary = x->r.hello.summary;
    table->flags = x->r.hello.flags;
}

static const char *label(const void *self) { return ((const struct exec *)self)->r.hello.label; }
static enum st last_failure(void) { return create_failed; }

const struct guest_ops exec_guest = {
    .declare = declare, .label = label, .create_failed = last_failure, .timeout_param = EXEC_TIMEOUT,
};

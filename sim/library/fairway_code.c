/*
 * fairway_code.c -- a policy in another language, of this process: rounds as numbers, what is rare as lines of the
 * protocol (fairway.h, policies/PROTOCOL.md).
 *
 * It is a guest of the host as a policy behind a pipe is, and shares with it all but the pipe (host/exec/dialog.h).
 * Costs: a round O(events + changed nodes + decisions), a place O(nodes up to it).
 */
#include <stdio.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"
#include "host/exec/message.h"
#include "library/fairway_code.h"

enum { ROOM = 4096 };

static const char *text_of(struct fairway_code *c)
{
    if (c->r.out.n == 0) return NULL;
    json_text_bytes(&c->r.out, "", 1);
    return c->r.out.s;
}

static void decide(void *self, const struct pol_view *view, const struct pol_event *ev, size_t n_ev)
{
    struct fairway_code *c = self;
    int64_t n = 0;
    c->view = view;
    if (!c->r.cluster_told) {
        c->r.cluster_told = true;
        planned_sync(&c->r.planned, view);
        for (uint32_t i = 0; i < view->n_nodes; i++) {
            c->most[0] = i64_max(c->most[0], view->node[i].cpu_total);
            c->most[1] = i64_max(c->most[1], view->node[i].mem_total);
            c->most[2] = i64_max(c->most[2], INT64_C(1000) * view->node[i].n_gpu);
        }
        fairway_code_room(c, ROOM, i64_max(ROOM, view->n_nodes));
        c->r.out.n = 0;
        message_cluster(&c->r.out, c->r.host, view);
        (void)text_of(c);
        n = c->ops.round(c->self, 0);
    }
    if (n == 0 && c->error[0] == '\0') {
        fairway_code_tell(c, view, ev, n_ev);
        const bool look = text_of(c) != NULL || c->moved;
        c->moved = false;
        n = c->ops.round(c->self, look ? -(int64_t)c->n_words : (int64_t)c->n_words);
        if (n >= 0) fairway_code_say(c, n);
    }
    if (n < 0) fairway_code_fail(c, "it failed");
    if (c->error[0] == '\0') fairway_code_carry_out(c);
    if (c->error[0] != '\0') c->r.host->fail(c->r.host->ctx, c->error);
    c->view = NULL;
}

static void destroy(void *self)
{
    struct fairway_code *c = self;
    if (c->self != NULL) c->ops.destroy(c->self);
    dialog_fini(&c->r);
    mem_free_all((void *const *)c->reason, c->n_reasons);
    MEM_FREE(c->words, c->names, c->out, c->said, c->place, c->gang, c->rare, (void *)c->reason, c);
}

static void *create(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *error, size_t cap)
{
    struct fairway_code *c;
    const char *answer = "";
    char what[REPLY_ERROR_MAX];
    const struct fairway_code_ops *given = host->extension(host->ctx, POL_CLIENT);
    MEM_NEW(c);
    memcpy(&c->ops, given, given->size < sizeof c->ops ? given->size : sizeof c->ops);
    dialog_begin(&c->r, host);
    if (!message_hello(&c->r.out, value[0].s)) (void)snprintf(c->error, sizeof c->error,
        "weights: '%s' is not user:weight;...", value[0].s);
    else c->self = c->ops.create(c->ops.ctx, c, text_of(c), &answer);
    if (c->self != NULL && !reply_hello(&c->r.hello, answer, strlen(answer), what)) fairway_code_fail(c, what);
    if (c->self != NULL && c->error[0] == '\0') {
        *flags = c->r.flags = c->r.hello.flags;
        return c;
    }
    (void)text_error(error, cap, "%s", c->error[0] != '\0' ? c->error : "it gave no reason");
    destroy(c);
    return NULL;
}

static void declare(const void *self, struct pol_ops *table)
{
    const struct reply_hello *h = &((const struct fairway_code *)self)->r.hello;
    table->name = h->name;
    table->source = h->source;
    table->summary = h->summary;
    table->flags = h->flags;
}

static const char *label(const void *self) { return ((const struct fairway_code *)self)->r.hello.label; }
static enum st why_not_created(void) { return ST_EINPUT; }

static const struct guest_ops guest = { .declare = declare, .label = label, .create_failed = why_not_created,
    .timeout_param = POL_NONE };

static const struct pol_param params[] = {
    { .name = "weights", .type = POL_TEXT, .dflt = "", .help = "fair shares of users, as user:weight;..." },
};
static const struct pol_ops table = {
    POL_HEADER,
    .name = "code",
    .source = "a policy of its own",
    .summary = "a policy in another language, of this process",
    .flags = POL_PREEMPTS | POL_USES_LIMITS | POL_CLAIRVOYANT | POL_BY_COUNT | POL_STRANDS | POL_RUNS_CALLS |
             POL_TAKES_REFUSALS,
    .n_params = ARRAY_LEN(params),
    .params = params,
    .create = create,
    .decide = decide,
    .destroy = destroy,
};

int fairway_add_code(struct fairway *f, const struct fairway_code_ops *ops, const char *spec, const char *label_text,
                     struct fairway_error *e)
{
    fairway_add_own(f, &(struct host_own){ .table = &table, .guest = &guest, .client = ops }, spec, label_text);
    if (e != NULL) *e = (struct fairway_error){ .status = FAIRWAY_OK };
    return FAIRWAY_OK;
}

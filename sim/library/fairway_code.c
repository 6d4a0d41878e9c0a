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
#include "host/exec/dialog.h"
#include "library/fairway_priv.h"

enum { ROOM = 4096 };

struct fairway_code {
    struct fairway_code_ops ops;
    void *self; /* the instance, as its maker calls it */
    struct dialog r;
    const struct pol_view *view; /* NULL outside of a round */
    int64_t *words;
    size_t n_words, cap_words;
    char *names;
    size_t n_names, cap_names;
    int64_t *out;
    size_t cap_out;
    struct planned_place *place;
    size_t cap_place;
    struct pol_place *gang;
    size_t cap_gang;
    struct pol_event *rare;
    size_t n_rare, cap_rare; /* events that are told as text */
    char **reason;
    size_t n_reasons, cap_reasons;
    int64_t most[3];             /* cores, memory and cards' thousandths of the largest nodes */
    bool moved;                  /* what the block tells has come to lie elsewhere */
    char error[REPLY_ERROR_MAX]; /* "": nothing failed */
};

/* ---- what it asks ---- */

void fairway_code_block(struct fairway_code *c, struct fairway_block *out)
{
    *out = (struct fairway_block){ c->words, (int64_t)c->cap_words, c->names, (int64_t)c->cap_names,
                                   c->out, (int64_t)c->cap_out, &c->place->node, (int64_t)c->cap_place,
                                   c->r.planned.node, c->r.planned.n_nodes,
                                   c->r.planned.card, c->view != NULL ? c->view->n_cards : 0 };
}

void fairway_code_fail(struct fairway_code *c, const char *message)
{
    if (c->error[0] == '\0') (void)snprintf(c->error, sizeof c->error, "%s", message);
}

void fairway_code_room(struct fairway_code *c, int64_t n_out, int64_t n_place)
{
    c->out = mem_reserve(c->out, &c->cap_out, (size_t)n_out, sizeof *c->out);
    c->place = mem_reserve(c->place, &c->cap_place, (size_t)n_place, sizeof *c->place);
}

/* NULL: there is none, and the run fails. */
static const struct pol_shape *find_shape(struct fairway_code *c, int64_t shape)
{
    if (c->view != NULL && shape >= 0 && shape < c->view->n_shapes) return &c->view->shape[shape];
    fairway_code_fail(c, "it asks for a shape that there is not, or outside of a round");
    return NULL;
}

int64_t fairway_code_places(struct fairway_code *c, int64_t shape, int64_t n, int64_t is_empty)
{
    const struct pol_shape *s = find_shape(c, shape);
    int64_t want = n > 0 ? n : c->r.planned.n_nodes;
    if (s == NULL || n < 0 || (size_t)want > c->cap_place) return 0;
    return planned_find(&c->r.planned, s, (uint32_t)n, is_empty != 0, c->place);
}

int64_t fairway_code_take(struct fairway_code *c, int64_t shape, int64_t n)
{
    int64_t found = fairway_code_places(c, shape, n, 0);
    if (found < n || found == 0) return found;
    const struct pol_shape *s = &c->view->shape[shape];
    for (int64_t i = 0; i < n; i++)
        planned_move(&c->r.planned, (uint32_t)c->place[i].node, s, c->place[i].cards, -1, s->cpu_milli);
    return found;
}

static bool is_node(struct fairway_code *c, int64_t node)
{
    if (node >= 0 && node < c->r.planned.n_nodes) return true;
    fairway_code_fail(c, "it names a node that there is not");
    return false;
}

int64_t fairway_code_fits(struct fairway_code *c, int64_t shape, int64_t node)
{
    const struct pol_shape *s = find_shape(c, shape);
    if (s == NULL || !is_node(c, node)) return 0;
    const struct pol_node *n = &c->r.planned.node[node];
    const struct pol_card *card = c->r.planned.card + n->card0;
    if (!c->r.host->fits(n, card, s)) return 0;
    c->place[0] = (struct planned_place){ node, c->r.host->pick_cards(n, card, s) };
    return 1;
}

/* The cards' thousandths that are free on a node. */
static int64_t gpu_free(const struct fairway_code *c, const struct pol_node *n)
{
    int64_t sum = 0;
    for (uint32_t k = n->card0; k < n->card0 + n->n_gpu; k++) sum += c->r.planned.card[k].milli_free;
    return sum;
}

/* What is left of so much, in 2^20ths of the most that a node has. */
static int64_t left(int64_t free, int64_t most) { return most > 0 ? (int64_t)mul_div(free, INT64_C(1) << 20, most)
    : 0; }

int64_t fairway_code_best(struct fairway_code *c, int64_t shape)
{
    const struct pol_shape *s = find_shape(c, shape);
    int64_t best = -1, least = INT64_MAX;
    for (uint32_t i = 0; s != NULL && i < c->r.planned.n_nodes; i++) {
        const struct pol_node *n = &c->r.planned.node[i];
        if (!c->r.host->fits(n, c->r.planned.card + n->card0, s)) continue;
        int64_t over = s->exclusive ? 0 : left(n->cpu_free - s->cpu_milli, c->most[0]) + left(n->mem_free - s->mem_b,
            c->most[1]) + left(gpu_free(c, n) - (int64_t)s->n_gpu * s->gpu_milli, c->most[2]);
        if (over < least) {
            least = over;
            best = i;
        }
    }
    return best;
}

void fairway_code_move(struct fairway_code *c, int64_t node, int64_t shape, int64_t cards, int64_t sign, int64_t cpu)
{
    const struct pol_shape *s = find_shape(c, shape);
    if (s == NULL || !is_node(c, node)) return;
    uint32_t n_gpu = c->r.planned.node[node].n_gpu;
    uint64_t all = n_gpu == 0 ? 0 : UINT64_MAX >> (64 - n_gpu);
    planned_move(&c->r.planned, (uint32_t)node, s, (uint64_t)cards & all, sign < 0 ? -1 : 1, cpu);
}

void fairway_code_free(struct fairway_code *c, int64_t node, int64_t cpu, int64_t engine, int64_t n_engines)
{
    if (!is_node(c, node)) return;
    struct pol_node *n = planned_touch(&c->r.planned, (uint32_t)node);
    n->cpu_free += cpu;
    if (engine >= 0 && engine < POL_ENGINES_MAX) n->engine_free[engine] += (int32_t)n_engines;
}

int64_t fairway_code_reason(struct fairway_code *c, const char *text)
{
    MEM_PUSH(c->reason, c->n_reasons, c->cap_reasons, mem_strdup(text));
    return (int64_t)c->n_reasons;
}

const char *fairway_code_name(struct fairway_code *c, int64_t type, int64_t id)
{
    return c->r.host->name(c->r.host->ctx, (uint32_t)type, (uint32_t)id);
}

const char *fairway_code_query(struct fairway_code *c, const char *line)
{
    char what[REPLY_ERROR_MAX];
    if (c->view == NULL) {
        fairway_code_fail(c, "it asks outside of a round");
        return NULL;
    }
    if (reply_open(&c->r.reply, line, strlen(line), what) && c->r.reply.is_query &&
        dialog_answer(&c->r, c->view, INT64_MAX, what)) {
        json_text_bytes(&c->r.out, "", 1);
        return c->r.out.s;
    }
    fairway_code_fail(c, what);
    return NULL;
}

int fairway_code_decisions(struct fairway_code *c, const char *line)
{
    char what[REPLY_ERROR_MAX];
    if (reply_open(&c->r.reply, line, strlen(line), what) && !c->r.reply.is_query) return FAIRWAY_OK;
    fairway_code_fail(c, what);
    return FAIRWAY_EPOLICY;
}

/* ---- what it is told ---- */

static void put(struct fairway_code *c, int64_t word)
{
    const size_t was = c->cap_words;
    MEM_PUSH(c->words, c->n_words, c->cap_words, word);
    c->moved |= c->cap_words != was;
}

static int64_t or_minus(uint32_t id) { return id == POL_NONE ? -1 : (int64_t)id; }

/* Is the job one of tasks that all wait, with nothing of what few jobs have?  Others are told as text. */
static bool is_plain(const struct fairway_code *c, pol_job j, const struct pol_job_info *ji)
{
    const struct pol_host *h = c->r.host;
    const struct pol_task_info *ti;
    if (ji->category != POL_NONE || ji->hints != 0 || ji->weights_thousands > 0 || ji->work_us > 0 ||
        ji->n_stages > 0 ||
        c->r.elastic->sizes(h->ctx, j).is_elastic) return false;
    for (pol_task t = ji->first_task; t.slot != POL_NONE && (ti = h->task(h->ctx, t)) != NULL; t = ti->next)
        if (!ti->is_waiting || c->r.calls->state(h->ctx, t).n_calls > 0) return false;
    return true;
}

static void put_job(struct fairway_code *c, pol_job j, const struct pol_job_info *ji)
{
    const struct pol_host *h = c->r.host;
    const struct pol_task_info *ti;
    const char *id = h->name(h->ctx, POL_NAME_JOB, j.slot);
    const size_t was = c->cap_names;
    size_t n_id = id != NULL ? strlen(id) : 0;
    put(c, FAIRWAY_ARRIVED);
    put(c, (int64_t)ji->ordinal);
    put(c, ji->submit_us);
    put(c, ji->priority);
    put(c, ji->is_gang);
    put(c, (c->r.flags & POL_USES_LIMITS) != 0 ? ji->limit_us : -1);
    put(c, (c->r.flags & POL_CLAIRVOYANT) != 0 ? ji->true_dur_us : -1);
    put(c, ji->user);
    put(c, or_minus(ji->queue));
    put(c, (int64_t)n_id);
    MEM_RESERVE(c->names, c->cap_names, c->n_names + n_id + 1);
    c->moved |= c->cap_names != was;
    if (n_id > 0) memcpy(c->names + c->n_names, id, n_id);
    c->n_names += n_id;
    size_t count = c->n_words;
    put(c, 0);
    for (pol_task t = ji->first_task; t.slot != POL_NONE && (ti = h->task(h->ctx, t)) != NULL; t = ti->next) {
        int64_t *last = c->words + c->n_words - 3;
        if (c->words[count] > 0 && last[0] == ti->shape && last[2] == ti->true_left_us) {
            last[1]++;
            continue;
        }
        put(c, ti->shape);
        put(c, 1);
        put(c, ti->true_left_us);
        c->words[count]++;
    }
}

static void put_task(struct fairway_code *c, int64_t event, pol_task t)
{
    const struct pol_host *h = c->r.host;
    const struct pol_task_info *ti = h->task(h->ctx, t);
    put(c, event);
    put(c, (int64_t)h->job(h->ctx, ti->job)->ordinal);
    put(c, ti->index);
    if (event != FAIRWAY_READY) return;
    put(c, ti->attained_us);
    put(c, (c->r.flags & POL_CLAIRVOYANT) != 0 ? ti->true_left_us : -1);
}

static void put_event(struct fairway_code *c, const struct pol_event *e)
{
    const struct pol_host *h = c->r.host;
    const struct pol_job_info *ji;
    switch ((enum pol_event_type)e->type) {
    case POL_ARRIVED:
        ji = h->job(h->ctx, e->job);
        if (!is_plain(c, e->job, ji)) break;
        put_job(c, e->job, ji);
        return;
    case POL_READY:
        if (h->job(h->ctx, h->task(h->ctx, e->task)->job)->n_stages > 0) break;
        put_task(c, FAIRWAY_READY, e->task);
        return;
    case POL_TASK_ENDED: put_task(c, FAIRWAY_ENDED, e->task); return;
    case POL_JOB_ENDED:
        put(c, FAIRWAY_JOB_ENDED);
        put(c, (int64_t)h->job(h->ctx, e->job)->ordinal);
        return;
    case POL_NODE_DOWN:
    case POL_NODE_UP:
        put(c, FAIRWAY_NODE);
        put(c, e->node);
        return;
    case POL_TIMER: put(c, FAIRWAY_TIMER); return;
    case POL_CALL:
    case POL_REFUSED: break;
    }
    put(c, FAIRWAY_RARE);
    MEM_PUSH(c->rare, c->n_rare, c->cap_rare, *e);
}

/* Is more free on the node than was planned? */
static bool grew(const struct planned *p, const struct pol_view *v, uint32_t i)
{
    const struct pol_node *a = &p->node[i], *b = &v->node[i];
    if (b->cpu_free > a->cpu_free || b->mem_free > a->mem_free || b->n_tasks < a->n_tasks || b->is_up > a->is_up)
        return true;
    for (int k = 0; k < POL_ENGINES_MAX; k++)
        if (b->engine_free[k] > a->engine_free[k]) return true;
    for (uint32_t k = a->card0; k < a->card0 + a->n_gpu; k++) {
        const struct pol_card *x = &p->card[k], *y = &v->card[k];
        if (y->milli_free > x->milli_free || y->mem_free > x->mem_free || y->core_free > x->core_free) return true;
    }
    return false;
}

/* The shapes that it does not know, as words; false: one has what only text tells of, and all are told so. */
static bool put_shapes(struct fairway_code *c, const struct pol_view *v)
{
    const struct pol_licences *l = c->r.host->extension(c->r.host->ctx, POL_LICENCES);
    for (uint32_t i = c->r.shapes_told; i < v->n_shapes; i++) {
        const struct pol_shape *s = &v->shape[i];
        if (s->gpu_types != 0 || s->need_all != 0 || s->need_any != 0 || l->n > 0) return false;
        for (int k = 0; k < POL_ENGINES_MAX; k++)
            if (s->engine[k] != 0) return false;
    }
    for (uint32_t i = c->r.shapes_told; i < v->n_shapes; i++) {
        const struct pol_shape *s = &v->shape[i];
        const int64_t word[] = { FAIRWAY_SHAPE, s->cpu_milli, s->mem_b, s->n_gpu, s->n_gpu > 0 ? s->gpu_milli : 0,
            s->gpu_mem_b,
                                 s->gpu_cores, s->exclusive };
        for (size_t k = 0; k < ARRAY_LEN(word); k++) put(c, word[k]);
    }
    c->r.shapes_told = v->n_shapes;
    return true;
}

/* The words of the round, and its text, "" if there is nothing to say in words. */
static void write_round(struct fairway_code *c, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    bool more = false;
    for (uint32_t i = 0; i < v->n_changed && !more; i++) more = grew(&c->r.planned, v, v->changed[i]);
    for (size_t i = 0; i < c->r.planned.n_set && !more; i++) more = grew(&c->r.planned, v, c->r.planned.set[i]);
    planned_sync(&c->r.planned, v);
    c->n_words = c->n_names = c->n_rare = 0;
    put(c, v->now_us);
    put(c, more);
    put(c, v->n_changed);
    const bool shapes = !put_shapes(c, v);
    for (size_t i = 0; i < n_ev; i++) put_event(c, &ev[i]);
    const struct pol_licences *l = c->r.host->extension(c->r.host->ctx, POL_LICENCES);
    const bool frees = l->n > 0 && v->n_changed > 0, queues = v->n_engines > 0 && v->n_changed > 0;
    c->r.out.n = 0;
    if (shapes || frees || queues || c->n_rare > 0)
        message_decide(&c->r.out, c->r.host, &(struct message_round){ .view = v, .event = c->rare,
            .n_events = c->n_rare, .node = v->changed, .n_nodes = queues ? v->n_changed : 0,
            .shapes_told = c->r.shapes_told, .flags = c->r.flags, .frees = frees });
    c->r.shapes_told = v->n_shapes;
    dialog_note_jobs(&c->r, ev, n_ev);
}

/* ---- what it decides ---- */

static const char *reason(const struct fairway_code *c, int64_t id)
{
    return id > 0 && (size_t)id <= c->n_reasons ? c->reason[id - 1] : NULL;
}

/* The decision at w, of at most n words; returns how many it has, 0 with `error` filled: it is none. */
static size_t read_decision(struct fairway_code *c, const int64_t *w, size_t n, struct reply_decision *d, char *error)
{
    static const size_t least[] = { [FAIRWAY_OTHER] = 1, [FAIRWAY_START] = 7, [FAIRWAY_START_GANG] = 4,
        [FAIRWAY_PREEMPT] = 4, [FAIRWAY_HOLD] = 5, [FAIRWAY_WAKE] = 2 };
    memset(d, 0, sizeof *d);
    if (w[0] < 0 || (size_t)w[0] >= ARRAY_LEN(least) || n < least[w[0]]) {
        (void)reply_error(error, "its decisions are cut short, or none");
        return 0;
    }
    if (w[0] == FAIRWAY_OTHER) return reply_next(&c->r.reply, d, error) ? 1 : 0;
    d->at_us = w[1];
    d->job = (uint64_t)w[1];
    d->task = (uint32_t)w[2 % n];
    size_t used = least[w[0]], n_places = 0;
    const int64_t *place = NULL;
    switch ((enum fairway_decided)w[0]) {
    case FAIRWAY_OTHER: break;
    case FAIRWAY_START:
        d->verb = POL_VERB_START;
        d->text = reason(c, w[6]);
        place = w + 3;
        n_places = 1;
        break;
    case FAIRWAY_START_GANG:
        d->verb = POL_VERB_START_GANG;
        d->task = 0;
        d->text = reason(c, w[2]);
        place = w + 4;
        n_places = (size_t)w[3];
        if (n_places > (n - 4) / 3) {
            (void)reply_error(error, "its decisions are cut short");
            return 0;
        }
        used += 3 * n_places;
        break;
    case FAIRWAY_PREEMPT:
        d->verb = POL_VERB_PREEMPT;
        d->text = reason(c, w[3]);
        break;
    case FAIRWAY_HOLD:
        d->verb = POL_VERB_HOLD;
        d->flag = w[3] != 0;
        d->text = reason(c, w[4]);
        break;
    case FAIRWAY_WAKE: d->verb = POL_VERB_WAKE; break;
    }
    MEM_RESERVE(c->gang, c->cap_gang, n_places);
    for (size_t i = 0; i < n_places; i++, place += 3)
        c->gang[i] = (struct pol_place){ .node = (uint32_t)place[0], .cards = (uint64_t)place[1],
            .cpu_milli = place[2] };
    d->place = c->gang;
    d->n_places = (uint32_t)n_places;
    return used;
}

static void carry_out(struct fairway_code *c, size_t n)
{
    struct reply_decision d;
    char what[REPLY_ERROR_MAX];
    for (size_t at = 0; at < n;) {
        size_t used = read_decision(c, c->out + at, n - at, &d, what);
        if (used == 0 || !dialog_carry_out(&c->r, &d, what)) {
            fairway_code_fail(c, what);
            return;
        }
        at += used;
    }
}

/* ---- life ---- */

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
        n = c->ops.round(c->self, text_of(c), 1, 0);
    }
    if (n == 0 && c->error[0] == '\0') {
        write_round(c, view, ev, n_ev);
        const char *text = text_of(c);
        n = c->ops.round(c->self, text, c->moved, (int64_t)c->n_words);
        c->moved = false;
        if (n > 0 && (size_t)n > c->cap_out) fairway_code_fail(c, "it wrote more decisions than there was room for");
        else if (n > 0 && c->error[0] == '\0') carry_out(c, (size_t)n);
    }
    if (n < 0) fairway_code_fail(c, "it failed");
    if (c->error[0] != '\0') c->r.host->fail(c->r.host->ctx, c->error);
    c->view = NULL;
}

static void destroy(void *self)
{
    struct fairway_code *c = self;
    if (c->self != NULL) c->ops.destroy(c->self);
    dialog_fini(&c->r);
    mem_free_all((void *const *)c->reason, c->n_reasons);
    MEM_FREE(c->words, c->names, c->out, c->place, c->gang, c->rare, (void *)c->reason, c);
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

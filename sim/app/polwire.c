#include "app/polwire.h"

#include <stdio.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"
#include "base/version.h"

void wire_fini(struct wire *w)
{
    mem_free(w->s);
    memset(w, 0, sizeof *w);
}

/* ---- text ---- */

static void put(struct wire *w, const char *s, size_t n)
{
    MEM_RESERVE(w->s, w->cap, w->n + n);
    memcpy(w->s + w->n, s, n);
    w->n += n;
}

void wire_text(struct wire *w, const char *s) { put(w, s, strlen(s)); }

void wire_int(struct wire *w, int64_t v)
{
    char buf[24], *at = buf + sizeof buf;
    uint64_t x = v < 0 ? -(uint64_t)v : (uint64_t)v;
    do *--at = (char)('0' + x % 10); while ((x /= 10) > 0);
    if (v < 0) *--at = '-';
    put(w, at, (size_t)(buf + sizeof buf - at));
}

/* Bytes of the UTF-8 sequence at s; 0: there is none.  RFC 3629, section 4. */
static size_t utf8(const unsigned char *s)
{
    if (s[0] < 0x80) return 1;
    size_t n = s[0] >= 0xc2 && s[0] <= 0xdf ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
        (s[0] == 0xf4 && s[1] > 0x8f)) return 0;
    return n;
}

void wire_string(struct wire *w, const char *s)
{
    wire_text(w, "\"");
    for (const unsigned char *c = (const unsigned char *)s; *c != '\0';) {
        size_t n = utf8(c);
        if (n == 0 || *c < 0x20 || *c == 0x7f) {
            char esc[8];
            (void)snprintf(esc, sizeof esc, "\\u%04x", *c);
            wire_text(w, esc);
            c++;
            continue;
        }
        if (*c == '"' || *c == '\\') wire_text(w, "\\");
        put(w, (const char *)c, n);
        c += n;
    }
    wire_text(w, "\"");
}

/* `,"key":` or, when it comes first in its object, without the comma. */
static void key(struct wire *w, const char *name)
{
    wire_text(w, w->s[w->n - 1] == '{' ? "\"" : ",\"");
    wire_text(w, name);
    wire_text(w, "\":");
}

static void key_int(struct wire *w, const char *name, int64_t v) { key(w, name); wire_int(w, v); }
static void key_bool(struct wire *w, const char *name, bool v) { key(w, name); wire_text(w, v ? "true" : "false"); }

static void key_string(struct wire *w, const char *name, const char *v)
{
    if (v == NULL) return;
    key(w, name);
    wire_string(w, v);
}

/* Between the elements of a list. */
static void comma(struct wire *w)
{
    if (w->s[w->n - 1] != '[') wire_text(w, ",");
}

static void item_int(struct wire *w, int64_t v) { comma(w); wire_int(w, v); }

static void begin(struct wire *w, const char *msg)
{
    wire_text(w, "{");
    key_string(w, "msg", msg);
}

/* ---- the parts of a cluster ---- */

/* The names of a set of bits, as a list; nothing when the set is empty. */
static void key_names(struct wire *w, const struct pol_host *h, const char *name, uint32_t kind, uint64_t bits)
{
    if (bits == 0) return;
    key(w, name);
    wire_text(w, "[");
    for (; bits != 0; bits &= bits - 1) {
        const char *s = h->name(h->ctx, kind, (uint32_t)__builtin_ctzll(bits));
        comma(w);
        wire_string(w, s != NULL ? s : "?");
    }
    wire_text(w, "]");
}

/* {"npu":4}; nothing when there are none, except that `of` has some: then zeroes are written too. */
static void key_engines(struct wire *w, const struct pol_host *h, const int32_t *n, const int32_t *of)
{
    bool any = false;
    for (uint32_t k = 0; k < POL_ENGINES_MAX; k++) any |= of[k] > 0;
    if (!any) return;
    key(w, "engines");
    wire_text(w, "{");
    for (uint32_t k = 0; k < POL_ENGINES_MAX; k++) {
        const char *s = of[k] > 0 ? h->name(h->ctx, POL_NAME_ENGINE, k) : NULL;
        if (s == NULL) continue;
        wire_text(w, w->s[w->n - 1] == '{' ? "" : ",");
        wire_string(w, s);
        wire_text(w, ":");
        wire_int(w, n[k]);
    }
    wire_text(w, "}");
}

static void cluster_node(struct wire *w, const struct pol_host *h, const struct pol_view *v, uint32_t i)
{
    const struct pol_node *n = &v->node[i];
    comma(w);
    wire_text(w, "{");
    key_int(w, "node", i);
    key_string(w, "name", h->name(h->ctx, POL_NAME_NODE, i));
    key_string(w, "rack", h->name(h->ctx, POL_NAME_RACK, n->rack));
    key_int(w, "cpu", n->cpu_total);
    key_int(w, "mem", n->mem_total);
    if (n->cpu_reserved > 0) key_int(w, "cpu_reserved", n->cpu_reserved);
    if (n->mem_reserved > 0) key_int(w, "mem_reserved", n->mem_reserved);
    if (n->max_tasks > 0) key_int(w, "max_tasks", n->max_tasks);
    if (n->n_gpu > 0) {
        key_int(w, "gpus", n->n_gpu);
        key_string(w, "gpu_type", h->name(h->ctx, POL_NAME_GPU_TYPE, n->gpu_type));
        if (v->card[n->card0].mem_total > 0) key_int(w, "gpu_mem", v->card[n->card0].mem_total);
        if (v->card[n->card0].core_total > 0) key_int(w, "gpu_cores", v->card[n->card0].core_total);
    }
    if (v->mem_bw[i] > 0) key_int(w, "mem_bw", v->mem_bw[i]);
    key_names(w, h, "labels", POL_NAME_LABEL, n->labels);
    key_engines(w, h, n->engine_total, n->engine_total);
    wire_text(w, "}");
}

static void node_state(struct wire *w, const struct pol_host *h, const struct pol_view *v, uint32_t i)
{
    const struct pol_node *n = &v->node[i];
    const struct pol_card *card = v->card + n->card0;
    comma(w);
    wire_text(w, "{");
    key_int(w, "node", i);
    key_bool(w, "up", n->is_up);
    key_int(w, "tasks", n->n_tasks);
    key_int(w, "cpu", n->cpu_free);
    key_int(w, "mem", n->mem_free);
    if (n->n_gpu > 0) {
        key(w, "gpu");
        wire_text(w, "[");
        for (uint32_t k = 0; k < n->n_gpu; k++) item_int(w, card[k].milli_free);
        wire_text(w, "]");
        if (card[0].mem_total > 0) {
            key(w, "gpu_mem");
            wire_text(w, "[");
            for (uint32_t k = 0; k < n->n_gpu; k++) item_int(w, card[k].mem_free);
            wire_text(w, "]");
        }
        if (card[0].core_total > 0) {
            key(w, "gpu_cores");
            wire_text(w, "[");
            for (uint32_t k = 0; k < n->n_gpu; k++) item_int(w, card[k].core_free);
            wire_text(w, "]");
        }
    }
    key_engines(w, h, n->engine_free, n->engine_total);
    wire_text(w, "}");
}

static void shape(struct wire *w, const struct pol_host *h, const struct pol_view *v, uint32_t i)
{
    const struct pol_shape *s = &v->shape[i];
    comma(w);
    wire_text(w, "{");
    key_int(w, "shape", i);
    key_int(w, "cpu", s->cpu_milli);
    key_int(w, "mem", s->mem_b);
    if (s->n_gpu > 0) {
        key_int(w, "gpus", s->n_gpu);
        key_int(w, "gpu_milli", s->gpu_milli);
        if (s->gpu_mem_b > 0) key_int(w, "gpu_mem", s->gpu_mem_b);
        if (s->gpu_cores > 0) key_int(w, "gpu_cores", s->gpu_cores);
        key_names(w, h, "gpu_types", POL_NAME_GPU_TYPE, s->gpu_types);
    }
    key_names(w, h, "need_all", POL_NAME_LABEL, s->need_all);
    key_names(w, h, "need_any", POL_NAME_LABEL, s->need_any);
    key_engines(w, h, s->engine, s->engine);
    if (s->exclusive) key_bool(w, "exclusive", true);
    wire_text(w, "}");
}

/* ---- events ---- */

static void inputs(struct wire *w, const struct pol_host *h, pol_task t, const struct pol_task_info *ti)
{
    for (uint32_t k = 0; k < ti->n_inputs; k++) {
        struct pol_input in = h->input(h->ctx, t, k);
        comma(w);
        wire_text(w, "{");
        key_int(w, "task", ti->index);
        key_int(w, "size", in.size_b);
        key(w, "nodes");
        wire_text(w, "[");
        for (uint32_t r = 0; r < in.n_replicas; r++) item_int(w, in.replica[r]);
        wire_text(w, "]}");
    }
}

/* Runs of equal things along a job's tasks, as [a, b] or [a, b, c]. */
struct runs { int64_t a, b, c; bool is_open; };      /* c -1: not told */

static void run_close(struct wire *w, struct runs *r)
{
    if (!r->is_open) return;
    comma(w);
    wire_text(w, "[");
    wire_int(w, r->a);
    wire_text(w, ",");
    wire_int(w, r->b);
    if (r->c >= 0) item_int(w, r->c);
    wire_text(w, "]");
    r->is_open = false;
}

/* [shape, how many], in task order; [shape, how many, true time of each] to those who may know it. */
static void tasks(struct wire *w, const struct pol_host *h, const struct pol_job_info *ji)
{
    struct runs r = { 0 };
    const struct pol_task_info *ti;
    key(w, "tasks");
    wire_text(w, "[");
    for (pol_task t = ji->first_task; t.slot != POL_NONE && (ti = h->task(h->ctx, t)) != NULL; t = ti->next) {
        if (!r.is_open || r.a != ti->shape || r.c != ti->true_left_us) {
            run_close(w, &r);
            r = (struct runs){ ti->shape, 0, ti->true_left_us, true };
        }
        r.b++;
    }
    run_close(w, &r);
    wire_text(w, "]");
}

/* [first, last] of the tasks that must wait for others; and what those that need not read. */
static void blocked_and_inputs(struct wire *w, const struct pol_host *h, const struct pol_job_info *ji)
{
    struct runs r = { 0 };
    const struct pol_task_info *ti;
    uint64_t n_inputs = 0;
    if (ji->n_waiting < ji->n_tasks) {
        key(w, "blocked");
        wire_text(w, "[");
        for (pol_task t = ji->first_task; t.slot != POL_NONE && (ti = h->task(h->ctx, t)) != NULL; t = ti->next) {
            if (ti->is_waiting) run_close(w, &r);
            else if (!r.is_open) r = (struct runs){ ti->index, ti->index, -1, true };
            else r.b = ti->index;
        }
        run_close(w, &r);
        wire_text(w, "]");
    }
    for (pol_task t = ji->first_task; t.slot != POL_NONE && (ti = h->task(h->ctx, t)) != NULL; t = ti->next)
        n_inputs += ti->is_waiting ? ti->n_inputs : 0;
    if (n_inputs == 0) return;
    key(w, "inputs");
    wire_text(w, "[");
    for (pol_task t = ji->first_task; t.slot != POL_NONE && (ti = h->task(h->ctx, t)) != NULL; t = ti->next)
        if (ti->is_waiting) inputs(w, h, t, ti);
    wire_text(w, "]");
}

/* What its user told of its model. */
static void hints(struct wire *w, const struct pol_host *h, const struct pol_job_info *ji)
{
    static const struct { uint32_t bit; const char *name; } word[] = {
        { POL_HINT_PIPELINED, "pipelined" }, { POL_HINT_HEAVY_WEIGHTS, "heavy_weights" }, { POL_HINT_COMPLEX_CPU, "complex_cpu" },
    };
    if (ji->kind != POL_NONE) key_string(w, "kind", h->name(h->ctx, POL_NAME_KIND, ji->kind));
    if (ji->hints == 0) return;
    key(w, "hints");
    wire_text(w, "[");
    for (size_t i = 0; i < ARRAY_LEN(word); i++) {
        if ((ji->hints & word[i].bit) == 0) continue;
        comma(w);
        wire_string(w, word[i].name);
    }
    wire_text(w, "]");
}

static void arrived(struct wire *w, const struct pol_host *h, pol_job j, uint32_t flags)
{
    const struct pol_job_info *ji = h->job(h->ctx, j);
    key_int(w, "job", (int64_t)ji->ordinal);
    key_string(w, "id", h->name(h->ctx, POL_NAME_JOB, j.slot));
    key_string(w, "user", h->name(h->ctx, POL_NAME_USER, ji->user));
    if (ji->queue != POL_NONE) key_string(w, "queue", h->name(h->ctx, POL_NAME_QUEUE, ji->queue));
    key_int(w, "submit", ji->submit_us);
    if (ji->priority != 0) key_int(w, "priority", ji->priority);
    if (ji->is_gang) key_bool(w, "gang", true);
    if ((flags & POL_USES_LIMITS) != 0 && ji->limit_us >= 0) key_int(w, "limit", ji->limit_us);
    if ((flags & POL_CLAIRVOYANT) != 0) key_int(w, "duration", ji->true_dur_us);
    hints(w, h, ji);
    tasks(w, h, ji);
    blocked_and_inputs(w, h, ji);
}

static void ready(struct wire *w, const struct pol_host *h, pol_task t, uint32_t flags)
{
    const struct pol_task_info *ti = h->task(h->ctx, t);
    key_int(w, "job", (int64_t)h->job(h->ctx, ti->job)->ordinal);
    key_int(w, "task", ti->index);
    key_int(w, "attained", ti->attained_us);
    if ((flags & POL_CLAIRVOYANT) != 0) key_int(w, "left", ti->true_left_us);
    if (ti->n_inputs == 0) return;
    key(w, "inputs");
    wire_text(w, "[");
    inputs(w, h, t, ti);
    wire_text(w, "]");
}

static void event(struct wire *w, const struct pol_host *h, const struct pol_event *e, uint32_t flags)
{
    static const char *const name[] = {
        [POL_ARRIVED] = "arrived", [POL_READY] = "ready", [POL_TASK_ENDED] = "ended", [POL_JOB_ENDED] = "job_ended",
        [POL_NODE_DOWN] = "node_down", [POL_NODE_UP] = "node_up", [POL_TIMER] = "timer", [POL_CALL] = "call",
    };
    const struct pol_task_info *ti;
    comma(w);
    wire_text(w, "{");
    key_string(w, "event", name[e->kind]);
    switch ((enum pol_event_kind)e->kind) {
    case POL_ARRIVED:   arrived(w, h, e->job, flags); break;
    case POL_READY:     ready(w, h, e->task, flags); break;
    case POL_TASK_ENDED:
        ti = h->task(h->ctx, e->task);
        key_int(w, "job", (int64_t)h->job(h->ctx, ti->job)->ordinal);
        key_int(w, "task", ti->index);
        key_int(w, "node", e->node);
        break;
    case POL_JOB_ENDED: key_int(w, "job", (int64_t)h->job(h->ctx, e->job)->ordinal); break;
    case POL_NODE_DOWN: case POL_NODE_UP: key_int(w, "node", e->node); break;
    case POL_TIMER: break;
    case POL_CALL: break;       /* only for policies of POL_RUNS_CALLS, which those of a process are not */
    }
    wire_text(w, "}");
}

/* ---- whole lines ---- */

/* {"alice":2,"bob":0.5} */
static bool weights_object(struct wire *w, const char *weights)
{
    wire_text(w, "{");
    for (const char *at = weights; *at != '\0';) {
        size_t n = strcspn(at, ";");
        char *pair = mem_strndup(at, n), *colon = strrchr(pair, ':'), number[40];
        double x = 0;
        bool ok = colon != NULL && colon != pair && text_double(colon + 1, &x) && x > 0;
        if (ok) {
            *colon = '\0';
            wire_text(w, w->s[w->n - 1] == '{' ? "" : ",");
            wire_string(w, pair);
            (void)snprintf(number, sizeof number, ":%.15g", x);
            wire_text(w, number);
        }
        mem_free(pair);
        if (!ok) return false;
        at += n + (at[n] == ';');
    }
    wire_text(w, "}");
    return true;
}

bool wire_hello(struct wire *w, const char *weights)
{
    begin(w, "hello");
    key_int(w, "protocol", WIRE_PROTOCOL);
    key_int(w, "minor", WIRE_MINOR);
    key_string(w, "program", "fairway " FAIRWAY_VERSION);
    if (weights[0] != '\0') {
        key(w, "weights");
        if (!weights_object(w, weights)) return false;
    }
    wire_text(w, "}\n");
    return true;
}

void wire_cluster(struct wire *w, const struct pol_host *h, const struct pol_view *v)
{
    begin(w, "cluster");
    key(w, "nodes");
    wire_text(w, "[");
    for (uint32_t i = 0; i < v->n_nodes; i++) cluster_node(w, h, v, i);
    wire_text(w, "]}\n");
}

void wire_decide(struct wire *w, const struct pol_host *h, const struct wire_round *r)
{
    const struct pol_view *v = r->view;
    begin(w, "decide");
    key_int(w, "now", v->now_us);
    if (r->shapes_told < v->n_shapes) {
        key(w, "shapes");
        wire_text(w, "[");
        for (uint32_t i = r->shapes_told; i < v->n_shapes; i++) shape(w, h, v, i);
        wire_text(w, "]");
    }
    if (r->n_nodes > 0) {
        key(w, "nodes");
        wire_text(w, "[");
        for (uint32_t i = 0; i < r->n_nodes; i++) node_state(w, h, v, r->node[i]);
        wire_text(w, "]");
    }
    key(w, "events");
    wire_text(w, "[");
    for (size_t i = 0; i < r->n_events; i++) event(w, h, &r->event[i], r->flags);
    wire_text(w, "]}\n");
}

static void transfer(struct wire *w, const struct pol_host *h, pol_task t, uint32_t node)
{
    struct pol_transfer x = h->transfer(h->ctx, t, node);
    comma(w);
    wire_text(w, "{");
    key_int(w, "node", node);
    key_int(w, "local", x.local_b);
    key_int(w, "rack", x.rack_b);
    key_int(w, "cross", x.cross_b);
    key_int(w, "local_us", x.local_us);
    key_int(w, "rack_us", x.rack_us);
    key_int(w, "cross_us", x.cross_us);
    wire_text(w, "}");
}

void wire_answer(struct wire *w, const struct pol_host *h, pol_task t, const uint32_t *node, size_t n, uint32_t flags)
{
    const struct pol_task_info *ti = h->task(h->ctx, t);
    begin(w, "answer");
    key_int(w, "job", (int64_t)h->job(h->ctx, ti->job)->ordinal);
    key_int(w, "task", ti->index);
    key_bool(w, "waiting", ti->is_waiting);
    key_bool(w, "running", ti->is_running);
    key_int(w, "attained", ti->attained_us);
    if ((flags & POL_CLAIRVOYANT) != 0) key_int(w, "left", ti->true_left_us);
    if (ti->is_running) {
        key_int(w, "node", ti->node);
        key_int(w, "started", ti->started_us);
        key_int(w, "cpu", ti->cpu_milli);
        struct pol_reading r = h->measure(h->ctx, t);
        if (r.gpu_util >= 0) key_int(w, "gpu_util", r.gpu_util);
        if (r.mem_bw >= 0) key_int(w, "mem_bw", r.mem_bw);
        key(w, "cards");
        wire_text(w, "[");
        for (uint64_t c = ti->cards; c != 0; c &= c - 1) item_int(w, __builtin_ctzll(c));
        wire_text(w, "]");
    }
    if (n > 0) {
        key(w, "transfer");
        wire_text(w, "[");
        for (size_t i = 0; i < n; i++) transfer(w, h, t, node[i]);
        wire_text(w, "]");
    }
    wire_text(w, "}\n");
}

void wire_bye(struct wire *w)
{
    begin(w, "bye");
    wire_text(w, "}\n");
}

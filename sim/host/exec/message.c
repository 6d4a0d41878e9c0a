#include "host/exec/message.h"

#include <stdio.h>
#include <string.h>
#include "host/exec/message_events.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/version.h"

static void begin(struct json_text *w, const char *msg)
{
    wire_text(w, "{");
    json_text_key_string(w, "msg", msg);
}

/* ---- the parts of a cluster ---- */

/* The names of a set of bits, as a list; nothing when the set is empty. */
static void key_names(struct json_text *w, const struct pol_host *h, const char *name, uint32_t kind, uint64_t bits)
{
    if (bits == 0) return;
    json_text_key(w, name);
    wire_text(w, "[");
    for (; bits != 0; bits &= bits - 1) {
        const char *s = h->name(h->ctx, kind, (uint32_t)__builtin_ctzll(bits));
        json_text_comma(w);
        json_text_string(w, s != NULL ? s : "?");
    }
    wire_text(w, "]");
}

/* {"npu":4}; nothing when there are none, except that `of` has some: then zeroes are written too. */
static void key_engines(struct json_text *w, const struct pol_host *h, const int32_t *n, const int32_t *of)
{
    bool any = false;
    for (uint32_t k = 0; k < POL_ENGINES_MAX; k++) any |= of[k] > 0;
    if (!any) return;
    json_text_key(w, "engines");
    wire_text(w, "{");
    for (uint32_t k = 0; k < POL_ENGINES_MAX; k++) {
        const char *s = of[k] > 0 ? h->name(h->ctx, POL_NAME_ENGINE, k) : NULL;
        if (s != NULL) json_text_member_int(w, s, n[k]);
    }
    wire_text(w, "}");
}

/* What a shape asks of each kind; nothing when it asks none. */
static void key_licences(struct json_text *w, const struct pol_host *h, const struct pol_view *v, const int32_t *n)
{
    bool any = false;
    for (uint32_t k = 0; n != NULL && k < v->n_licences; k++) any |= n[k] > 0;
    if (!any) return;
    json_text_key(w, "licences");
    wire_text(w, "{");
    for (uint32_t k = 0; k < v->n_licences; k++)
        if (n[k] > 0) json_text_member_int(w, h->name(h->ctx, POL_NAME_LICENCE, k), n[k]);
    wire_text(w, "}");
}

/* How many there are of each kind, or are free; nothing when there are no kinds. */
static void all_licences(struct json_text *w, const struct pol_host *h, const struct pol_view *v, const int64_t *n)
{
    if (v->n_licences == 0) return;
    json_text_key(w, "licences");
    wire_text(w, "{");
    for (uint32_t k = 0; k < v->n_licences; k++) json_text_member_int(w, h->name(h->ctx, POL_NAME_LICENCE, k), n[k]);
    wire_text(w, "}");
}

static bool is_known(const struct pol_gpu_type *t) { return t->compute_mflops > 0 || t->bandwidth_bps > 0 || t->clock_khz > 0; }

/* Of each type of which anything is known. */
static void gpu_types(struct json_text *w, const struct pol_host *h, const struct pol_view *v)
{
    bool any = false;
    for (uint32_t i = 0; i < v->n_gpu_types; i++) any |= is_known(&v->gpu_type[i]);
    if (!any) return;
    json_text_key(w, "gpu_types");
    wire_text(w, "{");
    for (uint32_t i = 0; i < v->n_gpu_types; i++) {
        const struct pol_gpu_type *t = &v->gpu_type[i];
        if (!is_known(t)) continue;
        json_text_comma(w);
        json_text_string(w, h->name(h->ctx, POL_NAME_GPU_TYPE, i));
        wire_text(w, ":{");
        if (t->compute_mflops > 0) json_text_key_int(w, "compute_mflops", t->compute_mflops);
        if (t->bandwidth_bps > 0) json_text_key_int(w, "bandwidth_bps", t->bandwidth_bps);
        if (t->clock_khz > 0) json_text_key_int(w, "clock_khz", t->clock_khz);
        wire_text(w, "}");
    }
    wire_text(w, "}");
}

/* The kinds of engines, in the order in which others refer to them. */
static void engines(struct json_text *w, const struct pol_host *h, const struct pol_view *v)
{
    if (v->n_engines == 0) return;
    json_text_key(w, "engines");
    wire_text(w, "[");
    for (uint32_t k = 0; k < v->n_engines; k++) {
        json_text_comma(w);
        json_text_string(w, h->name(h->ctx, POL_NAME_ENGINE, k));
    }
    wire_text(w, "]");
}

static void cluster_node(struct json_text *w, const struct pol_host *h, const struct pol_view *v, uint32_t i)
{
    const struct pol_node *n = &v->node[i];
    json_text_comma(w);
    wire_text(w, "{");
    json_text_key_int(w, "node", i);
    json_text_key_string(w, "name", h->name(h->ctx, POL_NAME_NODE, i));
    json_text_key_string(w, "rack", h->name(h->ctx, POL_NAME_RACK, n->rack));
    json_text_key_int(w, "cpu", n->cpu_total);
    json_text_key_int(w, "mem", n->mem_total);
    if (n->cpu_reserved > 0) json_text_key_int(w, "cpu_reserved", n->cpu_reserved);
    if (n->mem_reserved > 0) json_text_key_int(w, "mem_reserved", n->mem_reserved);
    if (n->max_tasks > 0) json_text_key_int(w, "max_tasks", n->max_tasks);
    if (n->n_gpu > 0) {
        json_text_key_int(w, "gpus", n->n_gpu);
        json_text_key_string(w, "gpu_type", h->name(h->ctx, POL_NAME_GPU_TYPE, n->gpu_type));
        if (v->card[n->card0].mem_total > 0) json_text_key_int(w, "gpu_mem", v->card[n->card0].mem_total);
        if (v->card[n->card0].core_total > 0) json_text_key_int(w, "gpu_cores", v->card[n->card0].core_total);
    }
    if (v->mem_bw[i] > 0) json_text_key_int(w, "mem_bw", v->mem_bw[i]);
    if (v->tier[i] > 0) json_text_key_int(w, "tier", v->tier[i]);
    key_names(w, h, "labels", POL_NAME_LABEL, n->labels);
    key_engines(w, h, n->engine_total, n->engine_total);
    wire_text(w, "}");
}

static void node_state(struct json_text *w, const struct pol_host *h, const struct pol_view *v, uint32_t i)
{
    const struct pol_node *n = &v->node[i];
    const struct pol_card *card = v->card + n->card0;
    json_text_comma(w);
    wire_text(w, "{");
    json_text_key_int(w, "node", i);
    json_text_key_bool(w, "up", n->is_up);
    json_text_key_int(w, "tasks", n->n_tasks);
    json_text_key_int(w, "cpu", n->cpu_free);
    json_text_key_int(w, "mem", n->mem_free);
    if (n->n_gpu > 0) {
        json_text_key(w, "gpu");
        wire_text(w, "[");
        for (uint32_t k = 0; k < n->n_gpu; k++) json_text_item_int(w, card[k].milli_free);
        wire_text(w, "]");
        if (card[0].mem_total > 0) {
            json_text_key(w, "gpu_mem");
            wire_text(w, "[");
            for (uint32_t k = 0; k < n->n_gpu; k++) json_text_item_int(w, card[k].mem_free);
            wire_text(w, "]");
        }
        if (card[0].core_total > 0) {
            json_text_key(w, "gpu_cores");
            wire_text(w, "[");
            for (uint32_t k = 0; k < n->n_gpu; k++) json_text_item_int(w, card[k].core_free);
            wire_text(w, "]");
        }
    }
    key_engines(w, h, n->engine_free, n->engine_total);
    if (v->queued[i] > 0) json_text_key_int(w, "queued", v->queued[i]);
    wire_text(w, "}");
}

static void shape(struct json_text *w, const struct pol_host *h, const struct pol_view *v, uint32_t i)
{
    const struct pol_shape *s = &v->shape[i];
    json_text_comma(w);
    wire_text(w, "{");
    json_text_key_int(w, "shape", i);
    json_text_key_int(w, "cpu", s->cpu_milli);
    json_text_key_int(w, "mem", s->mem_b);
    if (s->n_gpu > 0) {
        json_text_key_int(w, "gpus", s->n_gpu);
        json_text_key_int(w, "gpu_milli", s->gpu_milli);
        if (s->gpu_mem_b > 0) json_text_key_int(w, "gpu_mem", s->gpu_mem_b);
        if (s->gpu_cores > 0) json_text_key_int(w, "gpu_cores", s->gpu_cores);
        key_names(w, h, "gpu_types", POL_NAME_GPU_TYPE, s->gpu_types);
    }
    key_names(w, h, "need_all", POL_NAME_LABEL, s->need_all);
    key_names(w, h, "need_any", POL_NAME_LABEL, s->need_any);
    key_engines(w, h, s->engine, s->engine);
    key_licences(w, h, v, v->shape_licence != NULL ? v->shape_licence + (size_t)i * POL_LICENCES_MAX : NULL);
    if (s->exclusive) json_text_key_bool(w, "exclusive", true);
    wire_text(w, "}");
}

/* ---- whole lines ---- */

/* {"alice":2,"bob":0.5} */
static bool weights_object(struct json_text *w, const char *weights)
{
    wire_text(w, "{");
    for (const char *at = weights; *at != '\0';) {
        size_t n = strcspn(at, ";");
        char *pair = mem_strndup(at, n), *colon = strrchr(pair, ':');
        double x = 0;
        bool ok = colon != NULL && colon != pair && text_double(colon + 1, &x) && x > 0;
        if (ok) {
            *colon = '\0';
            json_text_comma(w);
            json_text_string(w, pair);
            wire_text(w, ":");
            json_text_number(w, x);
        }
        mem_free(pair);
        if (!ok) return false;
        at += n + (at[n] == ';');
    }
    wire_text(w, "}");
    return true;
}

bool message_hello(struct json_text *w, const char *weights)
{
    begin(w, "hello");
    json_text_key_int(w, "protocol", WIRE_PROTOCOL);
    json_text_key_int(w, "minor", WIRE_MINOR);
    json_text_key_string(w, "program", "fairway " FAIRWAY_VERSION);
    if (weights[0] != '\0') {
        json_text_key(w, "weights");
        if (!weights_object(w, weights)) return false;
    }
    wire_text(w, "}\n");
    return true;
}

void message_cluster(struct json_text *w, const struct pol_host *h, const struct pol_view *v)
{
    begin(w, "cluster");
    json_text_key(w, "seed");
    json_text_uint(w, h->seed);
    if (h->is_audited) json_text_key_bool(w, "audited", true);
    engines(w, h, v);
    all_licences(w, h, v, v->licence_total);
    gpu_types(w, h, v);
    json_text_key(w, "nodes");
    wire_text(w, "[");
    for (uint32_t i = 0; i < v->n_nodes; i++) cluster_node(w, h, v, i);
    wire_text(w, "]}\n");
}

void message_decide(struct json_text *w, const struct pol_host *h, const struct wire_round *r)
{
    const struct pol_view *v = r->view;
    begin(w, "decide");
    json_text_key_int(w, "now", v->now_us);
    if (r->shapes_told < v->n_shapes) {
        json_text_key(w, "shapes");
        wire_text(w, "[");
        for (uint32_t i = r->shapes_told; i < v->n_shapes; i++) shape(w, h, v, i);
        wire_text(w, "]");
    }
    if (r->n_nodes > 0) {
        json_text_key(w, "nodes");
        wire_text(w, "[");
        for (uint32_t i = 0; i < r->n_nodes; i++) node_state(w, h, v, r->node[i]);
        wire_text(w, "]");
        all_licences(w, h, v, v->licence_free);     /* who takes or gives one does so on a node */
    }
    json_text_key(w, "events");
    wire_text(w, "[");
    for (size_t i = 0; i < r->n_events; i++) message_event(w, h, &r->event[i], r->flags);
    wire_text(w, "]}\n");
}

static void transfer(struct json_text *w, const struct pol_host *h, pol_task t, uint32_t node)
{
    struct pol_transfer x = h->transfer(h->ctx, t, node);
    json_text_comma(w);
    wire_text(w, "{");
    json_text_key_int(w, "node", node);
    json_text_key_int(w, "local", x.local_b);
    json_text_key_int(w, "rack", x.rack_b);
    json_text_key_int(w, "cross", x.cross_b);
    json_text_key_int(w, "local_us", x.local_us);
    json_text_key_int(w, "rack_us", x.rack_us);
    json_text_key_int(w, "cross_us", x.cross_us);
    wire_text(w, "}");
}

/* Its place among the calls, the one that runs, and what profiling knows of it. */
static void calls_state(struct json_text *w, const struct pol_host *h, pol_task t, const struct pol_task_info *ti)
{
    static const char *const form[] = { [POL_RANKS] = "ranks", [POL_TIMES] = "times", [POL_EFFICIENCIES] = "efficiencies" };
    struct pol_relation r = h->relation(h->ctx, t);
    const char *name;
    json_text_key_int(w, "next_call", ti->next_call);
    if (ti->queue != POL_NONE) json_text_key_int(w, "queue", ti->queue);
    if (ti->call_node != POL_NONE) {
        json_text_key(w, "call");
        wire_text(w, "{");
        json_text_key_int(w, "node", ti->call_node);
        json_text_key_string(w, "engine", h->name(h->ctx, POL_NAME_ENGINE, ti->call_engine));
        json_text_key_int(w, "since", ti->call_since_us);
        json_text_key_int(w, "us", ti->call_us);
        wire_text(w, "}");
    }
    json_text_key(w, "relation");
    wire_text(w, "{");
    json_text_key_string(w, "form", form[r.form]);
    json_text_key(w, "value");
    wire_text(w, "{");
    for (uint32_t k = 0; k < POL_ENGINES_MAX; k++) {
        if (r.value[k] == 0 || (name = h->name(h->ctx, POL_NAME_ENGINE, k)) == NULL) continue;
        json_text_comma(w);
        json_text_string(w, name);
        wire_text(w, ":");
        json_text_number(w, r.value[k]);
    }
    wire_text(w, "}}");
}

static void running(struct json_text *w, const struct pol_host *h, pol_task t, const struct pol_task_info *ti)
{
    struct pol_reading r = h->measure(h->ctx, t);
    json_text_key_int(w, "node", ti->node);
    json_text_key_int(w, "started", ti->started_us);
    json_text_key_int(w, "cpu", ti->cpu_milli);
    if (r.gpu_util >= 0) json_text_key_int(w, "gpu_util", r.gpu_util);
    if (r.mem_bw >= 0) json_text_key_int(w, "mem_bw", r.mem_bw);
    message_cards(w, ti->cards);
}

static void followers(struct json_text *w, const struct pol_host *h, pol_task t)
{
    pol_task f = h->follower(h->ctx, t, 0);
    if (f.slot == POL_NONE) return;
    json_text_key(w, "followers");
    wire_text(w, "[");
    for (uint32_t k = 1; f.slot != POL_NONE; f = h->follower(h->ctx, t, k++)) json_text_item_int(w, h->task(h->ctx, f)->index);
    wire_text(w, "]");
}

/* null: there is no way that could be counted. */
static void overheads(struct json_text *w, const struct pol_host *h, pol_task t, const struct wire_question *q)
{
    json_text_key(w, "overhead");
    wire_text(w, "[");
    for (size_t i = 0; i < q->n_ways; i++) {
        int64_t us = h->overhead(h->ctx, t, q->way[i].call, q->way[i].from, q->way[i].to);
        json_text_comma(w);
        if (us == POL_NEVER) wire_text(w, "null"); else json_text_int(w, us);
    }
    wire_text(w, "]");
}

void message_answer(struct json_text *w, const struct pol_host *h, pol_task t, const struct wire_question *q, uint32_t flags)
{
    const struct pol_task_info *ti = h->task(h->ctx, t);
    begin(w, "answer");
    json_text_key_int(w, "job", (int64_t)h->job(h->ctx, ti->job)->ordinal);
    json_text_key_int(w, "task", ti->index);
    json_text_key_bool(w, "waiting", ti->is_waiting);
    json_text_key_bool(w, "running", ti->is_running);
    json_text_key_int(w, "attained", ti->attained_us);
    if ((flags & POL_CLAIRVOYANT) != 0) json_text_key_int(w, "left", ti->true_left_us);
    if (ti->is_running) running(w, h, t, ti);
    message_inputs(w, h, t, ti);
    followers(w, h, t);
    if (ti->n_calls > 0) calls_state(w, h, t, ti);
    if (q->n_ways > 0) overheads(w, h, t, q);
    if (q->n_nodes > 0) {
        json_text_key(w, "transfer");
        wire_text(w, "[");
        for (size_t i = 0; i < q->n_nodes; i++) transfer(w, h, t, q->node[i]);
        wire_text(w, "]");
    }
    wire_text(w, "}\n");
}

void message_bye(struct json_text *w)
{
    begin(w, "bye");
    wire_text(w, "}\n");
}

/*
 * message.c -- the lines hello, cluster, decide, answer and bye.
 *
 * Where PROTOCOL.md gives a member a default, such as 0 or none, it is left out.
 */
#include "host/exec/message.h"

#include <string.h>
#include "extensions.h"
#include "host/exec/message_events.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/version.h"
#include "model/job.h"

static void begin(struct json_text *out, const char *msg)
{
    json_text_raw(out, "{");
    json_text_key_string(out, "msg", msg);
}

/* ---- the parts of a cluster ---- */

/* Each of these leaves out what would be empty. */

/* The names of a set of bits. */
static void key_names(struct json_text *out, const struct pol_host *h, const char *name, uint32_t kind, uint64_t bits)
{
    size_t from = json_text_begin(out, name, '[');
    for (; bits != 0; bits &= bits - 1) {
        const char *s = h->name(h->ctx, kind, (uint32_t)__builtin_ctzll(bits));
        json_text_item_string(out, s != NULL ? s : "?");
    }
    json_text_end_some(out, from, ']');
}

/* {"npu":4}: n of each engine type of which `of` has some, be it 0. */
static void key_engines(struct json_text *out, const struct pol_host *h, const int32_t *n, const int32_t *of)
{
    size_t from = json_text_begin(out, "engines", '{');
    for (uint32_t k = 0; k < POL_ENGINES_MAX; k++) {
        const char *s = of[k] > 0 ? h->name(h->ctx, POL_NAME_ENGINE, k) : NULL;
        if (s != NULL) json_text_member_int(out, s, n[k]);
    }
    json_text_end_some(out, from, '}');
}

/* How many licences a shape asks of each name. */
static void key_licences(struct json_text *out, const struct pol_host *h, uint32_t shape)
{
    const struct pol_licences *l = h->extension(h->ctx, POL_LICENCES);
    const int32_t *n = l->asked(h->ctx, shape);
    size_t from = json_text_begin(out, "licences", '{');
    for (uint32_t k = 0; n != NULL && k < l->n; k++)
        if (n[k] > 0) json_text_member_int(out, h->name(h->ctx, POL_NAME_LICENCE, k), n[k]);
    json_text_end_some(out, from, '}');
}

/* How many licences there are of each name, or are free. */
static void all_licences(struct json_text *out, const struct pol_host *h, bool only_free)
{
    const struct pol_licences *l = h->extension(h->ctx, POL_LICENCES);
    const int64_t *n = only_free ? l->free : l->total;
    size_t from = json_text_begin(out, "licences", '{');
    for (uint32_t k = 0; k < l->n; k++) json_text_member_int(out, h->name(h->ctx, POL_NAME_LICENCE, k), n[k]);
    json_text_end_some(out, from, '}');
}

/* The types of GPU of which anything is known. */
static void gpu_types(struct json_text *out, const struct pol_host *h, const struct pol_view *v)
{
    size_t from = json_text_begin(out, "gpu_types", '{');
    for (uint32_t i = 0; i < v->n_gpu_types; i++) {
        const struct pol_gpu_type *t = &v->gpu_type[i];
        if (t->compute_mflops <= 0 && t->bandwidth_bps <= 0 && t->clock_khz <= 0) continue;
        json_text_member(out, h->name(h->ctx, POL_NAME_GPU_TYPE, i));
        json_text_raw(out, "{");
        if (t->compute_mflops > 0) json_text_key_int(out, "compute_mflops", t->compute_mflops);
        if (t->bandwidth_bps > 0) json_text_key_int(out, "bandwidth_bps", t->bandwidth_bps);
        if (t->clock_khz > 0) json_text_key_int(out, "clock_khz", t->clock_khz);
        json_text_end(out, '}');
    }
    json_text_end_some(out, from, '}');
}

static void cluster_node(struct json_text *out, const struct pol_host *h, const struct pol_view *v, uint32_t i)
{
    const struct pol_node *n = &v->node[i];
    const struct pol_cores *cores = h->extension(h->ctx, POL_CORES);
    const struct pol_calls *calls = h->extension(h->ctx, POL_CALLS);
    json_text_begin(out, NULL, '{');
    json_text_key_int(out, "node", i);
    json_text_key_string(out, "name", h->name(h->ctx, POL_NAME_NODE, i));
    json_text_key_string(out, "rack", h->name(h->ctx, POL_NAME_RACK, n->rack));
    json_text_key_int(out, "cpu", n->cpu_total);
    json_text_key_int(out, "mem", n->mem_total);
    if (n->cpu_reserved > 0) json_text_key_int(out, "cpu_reserved", n->cpu_reserved);
    if (n->mem_reserved > 0) json_text_key_int(out, "mem_reserved", n->mem_reserved);
    if (n->max_tasks > 0) json_text_key_int(out, "max_tasks", n->max_tasks);
    if (n->n_gpu > 0) {
        json_text_key_int(out, "gpus", n->n_gpu);
        json_text_key_string(out, "gpu_type", h->name(h->ctx, POL_NAME_GPU_TYPE, n->gpu_type));
        if (v->card[n->card0].mem_total > 0) json_text_key_int(out, "gpu_mem", v->card[n->card0].mem_total);
        if (v->card[n->card0].core_total > 0) json_text_key_int(out, "gpu_cores", v->card[n->card0].core_total);
    }
    if (cores->mem_bw[i] > 0) json_text_key_int(out, "mem_bw", cores->mem_bw[i]);
    if (calls->tier[i] > 0) json_text_key_int(out, "tier", calls->tier[i]);
    key_names(out, h, "labels", POL_NAME_LABEL, n->labels);
    key_engines(out, h, n->engine_total, n->engine_total);
    json_text_end(out, '}');
}

static void node_state(struct json_text *out, const struct pol_host *h, const struct pol_view *v, uint32_t i)
{
    const struct pol_node *n = &v->node[i];
    const struct pol_card *card = v->card + n->card0;
    const struct pol_calls *calls = h->extension(h->ctx, POL_CALLS);
    json_text_begin(out, NULL, '{');
    json_text_key_int(out, "node", i);
    json_text_key_bool(out, "up", n->is_up);
    json_text_key_int(out, "tasks", n->n_tasks);
    json_text_key_int(out, "cpu", n->cpu_free);
    json_text_key_int(out, "mem", n->mem_free);
    size_t from = json_text_begin(out, "gpu", '[');
    for (uint32_t k = 0; k < n->n_gpu; k++) json_text_item_int(out, card[k].milli_free);
    json_text_end_some(out, from, ']');
    from = json_text_begin(out, "gpu_mem", '[');
    for (uint32_t k = 0; k < n->n_gpu && card[0].mem_total > 0; k++) json_text_item_int(out, card[k].mem_free);
    json_text_end_some(out, from, ']');
    from = json_text_begin(out, "gpu_cores", '[');
    for (uint32_t k = 0; k < n->n_gpu && card[0].core_total > 0; k++) json_text_item_int(out, card[k].core_free);
    json_text_end_some(out, from, ']');
    key_engines(out, h, n->engine_free, n->engine_total);
    if (calls->queued[i] > 0) json_text_key_int(out, "queued", calls->queued[i]);
    json_text_end(out, '}');
}

static void shape(struct json_text *out, const struct pol_host *h, const struct pol_view *v, uint32_t i)
{
    const struct pol_shape *s = &v->shape[i];
    json_text_begin(out, NULL, '{');
    json_text_key_int(out, "shape", i);
    json_text_key_int(out, "cpu", s->cpu_milli);
    json_text_key_int(out, "mem", s->mem_b);
    if (s->n_gpu > 0) {
        json_text_key_int(out, "gpus", s->n_gpu);
        json_text_key_int(out, "gpu_milli", s->gpu_milli);
        if (s->gpu_mem_b > 0) json_text_key_int(out, "gpu_mem", s->gpu_mem_b);
        if (s->gpu_cores > 0) json_text_key_int(out, "gpu_cores", s->gpu_cores);
        key_names(out, h, "gpu_types", POL_NAME_GPU_TYPE, s->gpu_types);
    }
    key_names(out, h, "need_all", POL_NAME_LABEL, s->need_all);
    key_names(out, h, "need_any", POL_NAME_LABEL, s->need_any);
    key_engines(out, h, s->engine, s->engine);
    key_licences(out, h, i);
    if (s->exclusive) json_text_key_bool(out, "exclusive", true);
    json_text_end(out, '}');
}

/* ---- whole lines ---- */

/* {"alice":2,"bob":0.5} */
static bool weights_object(struct json_text *out, const char *weights)
{
    json_text_raw(out, "{");
    for (const char *at = weights; *at != '\0';) {
        size_t n = strcspn(at, ";");
        char *pair = mem_strndup(at, n), *colon = strrchr(pair, ':');
        double x = 0;
        bool ok = colon != NULL && colon != pair && text_double(colon + 1, &x) && x > 0;
        if (ok) {
            *colon = '\0';
            json_text_member(out, pair);
            json_text_number(out, x);
        }
        mem_free(pair);
        if (!ok) return false;
        at += n + (at[n] == ';');
    }
    json_text_end(out, '}');
    return true;
}

bool message_hello(struct json_text *out, const char *weights)
{
    begin(out, "hello");
    json_text_key_int(out, "protocol", MESSAGE_PROTOCOL);
    json_text_key_int(out, "minor", MESSAGE_MINOR);
    json_text_key_string(out, "program", "fairway " FAIRWAY_VERSION);
    if (weights[0] != '\0') {
        json_text_key(out, "weights");
        if (!weights_object(out, weights)) return false;
    }
    json_text_raw(out, "}\n");
    return true;
}

void message_cluster(struct json_text *out, const struct pol_host *h, const struct pol_view *v)
{
    begin(out, "cluster");
    json_text_key(out, "seed");
    json_text_uint(out, h->seed);
    if (h->is_audited) json_text_key_bool(out, "audited", true);
    if (h->multi_from != JOB_MULTI_FROM) json_text_key_int(out, "multi_from", (int64_t)h->multi_from);
    key_names(out, h, "engines", POL_NAME_ENGINE, (UINT64_C(1) << v->n_engines) - 1);
    all_licences(out, h, false);
    gpu_types(out, h, v);
    json_text_begin(out, "nodes", '[');
    for (uint32_t i = 0; i < v->n_nodes; i++) cluster_node(out, h, v, i);
    json_text_raw(out, "]}\n");
}

void message_decide(struct json_text *out, const struct pol_host *h, const struct message_round *r)
{
    const struct pol_view *v = r->view;
    begin(out, "decide");
    json_text_key_int(out, "now", v->now_us);
    size_t from = json_text_begin(out, "shapes", '[');
    for (uint32_t i = r->shapes_told; i < v->n_shapes; i++) shape(out, h, v, i);
    json_text_end_some(out, from, ']');
    from = json_text_begin(out, "nodes", '[');
    for (uint32_t i = 0; i < r->n_nodes; i++) node_state(out, h, v, r->node[i]);
    json_text_end_some(out, from, ']');
    if (r->frees) all_licences(out, h, true); /* they change only with a task, whose node has changed then */
    json_text_begin(out, "events", '[');
    for (size_t i = 0; i < r->n_events; i++) message_event(out, h, &r->event[i], r->flags);
    json_text_raw(out, "]}\n");
}

static void transfer(struct json_text *out, const struct pol_host *h, pol_task t, uint32_t node)
{
    const struct pol_data *data = h->extension(h->ctx, POL_DATA);
    struct pol_transfer x = data->transfer(h->ctx, t, node);
    json_text_begin(out, NULL, '{');
    json_text_key_int(out, "node", node);
    json_text_key_int(out, "local", x.local_b);
    json_text_key_int(out, "rack", x.rack_b);
    json_text_key_int(out, "cross", x.cross_b);
    json_text_key_int(out, "local_us", x.local_us);
    json_text_key_int(out, "rack_us", x.rack_us);
    json_text_key_int(out, "cross_us", x.cross_us);
    if (data->overlaps) json_text_key_int(out, "reading_us", data->reading_us(h->ctx, t, node));
    json_text_end(out, '}');
}

/* Its place among the calls, the one that runs, and what profiling knows of it. */
static void calls_state(struct json_text *out, const struct pol_host *h, const struct pol_calls *calls, pol_task t,
                        const struct pol_call_state *s)
{
    static const char *const form[] = { [POL_RANKS] = "ranks", [POL_TIMES] = "times", [POL_EFFICIENCIES] = "efficiencies" };
    struct pol_relation r = calls->relation(h->ctx, t);
    const char *name;
    json_text_key_int(out, "next_call", s->next);
    if (s->queue != POL_NONE) json_text_key_int(out, "queue", s->queue);
    if (s->node != POL_NONE) {
        json_text_begin(out, "call", '{');
        json_text_key_int(out, "node", s->node);
        json_text_key_string(out, "engine", h->name(h->ctx, POL_NAME_ENGINE, s->engine));
        json_text_key_int(out, "since", s->since_us);
        json_text_key_int(out, "us", s->us);
        json_text_end(out, '}');
    }
    json_text_begin(out, "relation", '{');
    json_text_key_string(out, "form", form[r.form]);
    json_text_begin(out, "value", '{');
    for (uint32_t k = 0; k < POL_ENGINES_MAX; k++) {
        if (r.value[k] == 0 || (name = h->name(h->ctx, POL_NAME_ENGINE, k)) == NULL) continue;
        json_text_member(out, name);
        json_text_number(out, r.value[k]);
    }
    json_text_raw(out, "}}");
}

static void running(struct json_text *out, const struct pol_host *h, pol_task t, const struct pol_task_info *ti)
{
    const struct pol_cores *cores = h->extension(h->ctx, POL_CORES);
    struct pol_reading r = cores->measure(h->ctx, t);
    json_text_key_int(out, "node", ti->node);
    json_text_key_int(out, "started", ti->started_us);
    json_text_key_int(out, "cpu", ti->cpu_milli);
    json_text_key_int(out, "mem", ti->mem_b);
    if (r.gpu_util >= 0) json_text_key_int(out, "gpu_util", r.gpu_util);
    if (r.mem_bw >= 0) json_text_key_int(out, "mem_bw", r.mem_bw);
    message_cards(out, ti->cards);
}

static void followers(struct json_text *out, const struct pol_host *h, pol_task t)
{
    const struct pol_graph *graph = h->extension(h->ctx, POL_GRAPH);
    size_t from = json_text_begin(out, "followers", '[');
    pol_task f;
    for (uint32_t k = 0; (f = graph->follower(h->ctx, t, k)).slot != POL_NONE; k++)
        json_text_item_int(out, h->task(h->ctx, f)->index);
    json_text_end_some(out, from, ']');
}

void message_answer(struct json_text *out, const struct pol_host *h, pol_task t, const struct message_question *q, uint32_t flags)
{
    const struct pol_task_info *ti = h->task(h->ctx, t);
    const struct pol_calls *calls = h->extension(h->ctx, POL_CALLS);
    struct pol_call_state s = calls->state(h->ctx, t);
    begin(out, "answer");
    json_text_key_int(out, "job", (int64_t)h->job(h->ctx, ti->job)->ordinal);
    json_text_key_int(out, "task", ti->index);
    json_text_key_bool(out, "waiting", ti->is_waiting);
    json_text_key_bool(out, "running", ti->is_running);
    json_text_key_int(out, "attained", ti->attained_us);
    if ((flags & POL_CLAIRVOYANT) != 0) json_text_key_int(out, "left", ti->true_left_us);
    if (ti->is_running) running(out, h, t, ti);
    message_inputs(out, h, t, ti);
    followers(out, h, t);
    if (s.n_calls > 0) calls_state(out, h, calls, t, &s);
    size_t from = json_text_begin(out, "overhead", '[');
    for (size_t i = 0; i < q->n_ways; i++) {
        int64_t us = calls->overhead(h->ctx, t, q->way[i].call, q->way[i].from, q->way[i].to);
        json_text_comma(out);
        if (us == POL_NEVER) json_text_raw(out, "null");        /* more than can be counted */
        else json_text_int(out, us);
    }
    json_text_end_some(out, from, ']');
    from = json_text_begin(out, "transfer", '[');
    for (size_t i = 0; i < q->n_nodes; i++) transfer(out, h, t, q->node[i]);
    json_text_end_some(out, from, ']');
    json_text_raw(out, "}\n");
}

void message_bye(struct json_text *out)
{
    begin(out, "bye");
    json_text_raw(out, "}\n");
}

#include "host/exec/message_events.h"

/* ---- inputs and cards ---- */

static void inputs(struct json_text *w, const struct pol_host *h, pol_task t, const struct pol_task_info *ti)
{
    for (uint32_t k = 0; k < ti->n_inputs; k++) {
        struct pol_input in = h->input(h->ctx, t, k);
        json_text_comma(w);
        wire_text(w, "{");
        json_text_key_int(w, "task", ti->index);
        json_text_key_int(w, "size", in.size_b);
        json_text_key(w, "nodes");
        wire_text(w, "[");
        for (uint32_t r = 0; r < in.n_replicas; r++) json_text_item_int(w, in.replica[r]);
        wire_text(w, "]}");
    }
}

void message_inputs(struct json_text *w, const struct pol_host *h, pol_task t, const struct pol_task_info *ti)
{
    if (ti->n_inputs == 0) return;
    json_text_key(w, "inputs");
    wire_text(w, "[");
    inputs(w, h, t, ti);
    wire_text(w, "]");
}

void message_cards(struct json_text *w, uint64_t cards)
{
    json_text_key(w, "cards");
    wire_text(w, "[");
    for (; cards != 0; cards &= cards - 1) json_text_item_int(w, __builtin_ctzll(cards));
    wire_text(w, "]");
}

/* ---- a job that arrived ---- */

/* Runs of equal things along a job's tasks, as [a, b] or [a, b, c]. */
struct runs { int64_t a, b, c; bool is_open; };      /* c -1: not told */

static void run_close(struct json_text *w, struct runs *r)
{
    if (!r->is_open) return;
    json_text_comma(w);
    wire_text(w, "[");
    json_text_int(w, r->a);
    wire_text(w, ",");
    json_text_int(w, r->b);
    if (r->c >= 0) json_text_item_int(w, r->c);
    wire_text(w, "]");
    r->is_open = false;
}

/* What of the rest is there to be told. */
struct survey { uint64_t n_inputs, n_blocked, n_running, n_calls; };

/* [shape, how many], in task order; [shape, how many, true time of each] to those who may know it. */
static struct survey tasks(struct json_text *w, const struct pol_host *h, const struct pol_job_info *ji)
{
    struct runs r = { 0 };
    struct survey s = { 0 };
    const struct pol_task_info *ti;
    json_text_key(w, "tasks");
    wire_text(w, "[");
    for (pol_task t = ji->first_task; t.slot != POL_NONE && (ti = h->task(h->ctx, t)) != NULL; t = ti->next) {
        if (!r.is_open || r.a != ti->shape || r.c != ti->true_left_us) {
            run_close(w, &r);
            r = (struct runs){ ti->shape, 0, ti->true_left_us, true };
        }
        r.b++;
        s.n_inputs += ti->is_waiting ? ti->n_inputs : 0;
        s.n_running += ti->is_running;
        s.n_blocked += !ti->is_waiting && !ti->is_running;
        s.n_calls += ti->n_calls;
    }
    run_close(w, &r);
    wire_text(w, "]");
    return s;
}

/* Stages as [stage, how many], in task order. */
static void stages(struct json_text *w, const struct pol_host *h, const struct pol_job_info *ji)
{
    struct runs r = { 0 };
    const struct pol_task_info *ti;
    if (ji->n_stages == 0) return;
    json_text_key_int(w, "n_stages", ji->n_stages);
    if (ji->n_stages == 1) return;
    json_text_key(w, "stages");
    wire_text(w, "[");
    for (pol_task t = ji->first_task; t.slot != POL_NONE && (ti = h->task(h->ctx, t)) != NULL; t = ti->next) {
        if (!r.is_open || r.a != ti->stage) {
            run_close(w, &r);
            r = (struct runs){ ti->stage, 0, -1, true };
        }
        r.b++;
    }
    run_close(w, &r);
    wire_text(w, "]");
}

/* [first, last] of the tasks that must wait for others. */
static void blocked(struct json_text *w, const struct pol_host *h, const struct pol_job_info *ji)
{
    struct runs r = { 0 };
    const struct pol_task_info *ti;
    json_text_key(w, "blocked");
    wire_text(w, "[");
    for (pol_task t = ji->first_task; t.slot != POL_NONE && (ti = h->task(h->ctx, t)) != NULL; t = ti->next) {
        if (ti->is_waiting || ti->is_running) run_close(w, &r);
        else if (!r.is_open) r = (struct runs){ ti->index, ti->index, -1, true };
        else r.b = ti->index;
    }
    run_close(w, &r);
    wire_text(w, "]");
}

/* Tasks that were bound to a node before the job came. */
static void running(struct json_text *w, const struct pol_host *h, const struct pol_job_info *ji)
{
    const struct pol_task_info *ti;
    json_text_key(w, "running");
    wire_text(w, "[");
    for (pol_task t = ji->first_task; t.slot != POL_NONE && (ti = h->task(h->ctx, t)) != NULL; t = ti->next) {
        if (!ti->is_running) continue;
        json_text_comma(w);
        wire_text(w, "{");
        json_text_key_int(w, "task", ti->index);
        json_text_key_int(w, "node", ti->node);
        message_cards(w, ti->cards);
        wire_text(w, "}");
    }
    wire_text(w, "]");
}

/* {"api":0,"size":1,"result":0,"us":{"cpu":20}}; the kinds on which it cannot run are left out of us. */
static void call(struct json_text *w, const struct pol_host *h, const struct pol_call *c)
{
    const char *name;
    json_text_comma(w);
    wire_text(w, "{");
    json_text_key_int(w, "api", c->api);
    json_text_key_int(w, "size", c->size_b);
    if (c->result_b > 0) json_text_key_int(w, "result", c->result_b);
    json_text_key(w, "us");
    wire_text(w, "{");
    for (uint32_t k = 0; k < POL_ENGINES_MAX; k++)
        if (c->us[k] >= 0 && (name = h->name(h->ctx, POL_NAME_ENGINE, k)) != NULL) json_text_member_int(w, name, c->us[k]);
    wire_text(w, "}}");
}

/* Of each task that is made of calls, blocked ones too. */
static void calls(struct json_text *w, const struct pol_host *h, const struct pol_job_info *ji)
{
    const struct pol_task_info *ti;
    json_text_key(w, "calls");
    wire_text(w, "[");
    for (pol_task t = ji->first_task; t.slot != POL_NONE && (ti = h->task(h->ctx, t)) != NULL; t = ti->next) {
        if (ti->n_calls == 0) continue;
        json_text_comma(w);
        wire_text(w, "{");
        json_text_key_int(w, "task", ti->index);
        json_text_key(w, "calls");
        wire_text(w, "[");
        for (uint32_t k = 0; k < ti->n_calls; k++) {
            struct pol_call c = h->call_info(h->ctx, t, k);
            call(w, h, &c);
        }
        wire_text(w, "]}");
    }
    wire_text(w, "]");
}

static void waiting_inputs(struct json_text *w, const struct pol_host *h, const struct pol_job_info *ji)
{
    const struct pol_task_info *ti;
    json_text_key(w, "inputs");
    wire_text(w, "[");
    for (pol_task t = ji->first_task; t.slot != POL_NONE && (ti = h->task(h->ctx, t)) != NULL; t = ti->next)
        if (ti->is_waiting) inputs(w, h, t, ti);
    wire_text(w, "]");
}

/* What its user told of its model. */
static void hints(struct json_text *w, const struct pol_host *h, const struct pol_job_info *ji)
{
    static const struct { uint32_t bit; const char *name; } word[] = {
        { POL_HINT_PIPELINED, "pipelined" }, { POL_HINT_HEAVY_WEIGHTS, "heavy_weights" }, { POL_HINT_COMPLEX_CPU, "complex_cpu" },
    };
    if (ji->kind != POL_NONE) json_text_key_string(w, "kind", h->name(h->ctx, POL_NAME_KIND, ji->kind));
    if (ji->hints == 0) return;
    json_text_key(w, "hints");
    wire_text(w, "[");
    for (size_t i = 0; i < ARRAY_LEN(word); i++) {
        if ((ji->hints & word[i].bit) == 0) continue;
        json_text_comma(w);
        json_text_string(w, word[i].name);
    }
    wire_text(w, "]");
}

static void arrived(struct json_text *w, const struct pol_host *h, pol_job j, uint32_t flags)
{
    const struct pol_job_info *ji = h->job(h->ctx, j);
    json_text_key_int(w, "job", (int64_t)ji->ordinal);
    json_text_key_string(w, "id", h->name(h->ctx, POL_NAME_JOB, j.slot));
    json_text_key_string(w, "user", h->name(h->ctx, POL_NAME_USER, ji->user));
    if (ji->queue != POL_NONE) json_text_key_string(w, "queue", h->name(h->ctx, POL_NAME_QUEUE, ji->queue));
    json_text_key_int(w, "submit", ji->submit_us);
    if (ji->priority != 0) json_text_key_int(w, "priority", ji->priority);
    if (ji->is_gang) json_text_key_bool(w, "gang", true);
    if ((flags & POL_USES_LIMITS) != 0 && ji->limit_us >= 0) json_text_key_int(w, "limit", ji->limit_us);
    if ((flags & POL_CLAIRVOYANT) != 0) json_text_key_int(w, "duration", ji->true_dur_us);
    hints(w, h, ji);
    struct survey s = tasks(w, h, ji);
    stages(w, h, ji);
    if (s.n_blocked > 0) blocked(w, h, ji);
    if (s.n_running > 0) running(w, h, ji);
    if (s.n_calls > 0) calls(w, h, ji);
    if (s.n_inputs > 0) waiting_inputs(w, h, ji);
}

/* ---- events ---- */

static void ready(struct json_text *w, const struct pol_host *h, pol_task t, uint32_t flags)
{
    const struct pol_task_info *ti = h->task(h->ctx, t);
    json_text_key_int(w, "job", (int64_t)h->job(h->ctx, ti->job)->ordinal);
    json_text_key_int(w, "task", ti->index);
    json_text_key_int(w, "attained", ti->attained_us);
    if ((flags & POL_CLAIRVOYANT) != 0) json_text_key_int(w, "left", ti->true_left_us);
    message_inputs(w, h, t, ti);
}

static void next_call(struct json_text *w, const struct pol_host *h, const struct pol_event *e)
{
    const struct pol_task_info *ti = h->task(h->ctx, e->task);
    json_text_key_int(w, "job", (int64_t)h->job(h->ctx, ti->job)->ordinal);
    json_text_key_int(w, "task", ti->index);
    json_text_key_int(w, "call", ti->next_call);
    if (e->node != POL_NONE) json_text_key_int(w, "lost", e->node);
}

void message_event(struct json_text *w, const struct pol_host *h, const struct pol_event *e, uint32_t flags)
{
    static const char *const name[] = {
        [POL_ARRIVED] = "arrived", [POL_READY] = "ready", [POL_TASK_ENDED] = "ended", [POL_JOB_ENDED] = "job_ended",
        [POL_NODE_DOWN] = "node_down", [POL_NODE_UP] = "node_up", [POL_TIMER] = "timer", [POL_CALL] = "call",
    };
    const struct pol_task_info *ti;
    json_text_comma(w);
    wire_text(w, "{");
    json_text_key_string(w, "event", name[e->kind]);
    switch ((enum pol_event_kind)e->kind) {
    case POL_ARRIVED:   arrived(w, h, e->job, flags); break;
    case POL_READY:     ready(w, h, e->task, flags); break;
    case POL_TASK_ENDED:
        ti = h->task(h->ctx, e->task);
        json_text_key_int(w, "job", (int64_t)h->job(h->ctx, ti->job)->ordinal);
        json_text_key_int(w, "task", ti->index);
        json_text_key_int(w, "node", e->node);
        break;
    case POL_JOB_ENDED: json_text_key_int(w, "job", (int64_t)h->job(h->ctx, e->job)->ordinal); break;
    case POL_NODE_DOWN: case POL_NODE_UP: json_text_key_int(w, "node", e->node); break;
    case POL_TIMER: break;
    case POL_CALL: next_call(w, h, e); break;
    }
    wire_text(w, "}");
}

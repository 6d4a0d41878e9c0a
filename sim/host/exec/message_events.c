/* message_events.c -- the events of a round; what arrived is described whole, the rest by number. */
#include "host/exec/message_events.h"

#include "extensions.h"

/* ---- inputs and cards ---- */

static void inputs(struct json_text *out, const struct pol_host *h, pol_task t, const struct pol_task_info *ti)
{
    const struct pol_data *data = h->extension(h->ctx, POL_DATA);
    for (uint32_t k = 0, n = data->n_inputs(h->ctx, t); k < n; k++) {
        struct pol_input in = data->input(h->ctx, t, k);
        json_text_begin(out, NULL, '{');
        json_text_key_int(out, "task", ti->index);
        json_text_key_int(out, "size", in.size_b);
        json_text_begin(out, "nodes", '[');
        for (uint32_t r = 0; r < in.n_replicas; r++) json_text_item_int(out, in.replica[r]);
        json_text_end(out, ']');
        pol_task writer = data->writer(h->ctx, t, k);
        if (writer.slot != POL_NONE) json_text_key_int(out, "writer", h->task(h->ctx, writer)->index);
        json_text_end(out, '}');
    }
}

void message_inputs(struct json_text *out, const struct pol_host *h, pol_task t, const struct pol_task_info *ti)
{
    size_t from = json_text_begin(out, "inputs", '[');
    inputs(out, h, t, ti);
    json_text_end_some(out, from, ']');
}

void message_cards(struct json_text *out, uint64_t cards)
{
    json_text_begin(out, "cards", '[');
    for (; cards != 0; cards &= cards - 1) json_text_item_int(out, __builtin_ctzll(cards));
    json_text_end(out, ']');
}

/* ---- a job that arrived ---- */

/* Runs of equal things along a job's tasks, as [a, b] or [a, b, c]. */
struct runs { int64_t a, b, c; bool is_open; };      /* c -1: left out */

static void run_close(struct json_text *out, struct runs *r)
{
    if (!r->is_open) return;
    json_text_begin(out, NULL, '[');
    json_text_item_int(out, r->a);
    json_text_item_int(out, r->b);
    if (r->c >= 0) json_text_item_int(out, r->c);
    json_text_end(out, ']');
    r->is_open = false;
}

/* One more of a and c; b counts them. */
static void run_count(struct json_text *out, struct runs *r, int64_t a, int64_t c)
{
    if (!r->is_open || r->a != a || r->c != c) {
        run_close(out, r);
        *r = (struct runs){ a, 0, c, true };
    }
    r->b++;
}

#define EACH_TASK(t, ti, h, ji) \
    for (pol_task t = (ji)->first_task; t.slot != POL_NONE && (ti = (h)->task((h)->ctx, t)) != NULL; t = ti->next)

/* [shape, how many], in task order; [shape, how many, true time of each] to those who may know it. */
static void tasks(struct json_text *out, const struct pol_host *h, const struct pol_job_info *ji)
{
    struct runs r = { 0 };
    const struct pol_task_info *ti;
    json_text_begin(out, "tasks", '[');
    EACH_TASK(t, ti, h, ji) run_count(out, &r, ti->shape, ti->true_left_us);
    run_close(out, &r);
    json_text_end(out, ']');
}

/* Stages as [stage, how many], in task order. */
static void stages(struct json_text *out, const struct pol_host *h, const struct pol_job_info *ji)
{
    struct runs r = { 0 };
    const struct pol_task_info *ti;
    if (ji->n_stages == 0) return;
    json_text_key_int(out, "n_stages", ji->n_stages);
    if (ji->n_stages == 1) return;
    json_text_begin(out, "stages", '[');
    EACH_TASK(t, ti, h, ji) run_count(out, &r, ti->stage, -1);
    run_close(out, &r);
    json_text_end(out, ']');
}

/* [first, last] of the tasks that must wait for others. */
static void blocked(struct json_text *out, const struct pol_host *h, const struct pol_job_info *ji)
{
    struct runs r = { 0 };
    const struct pol_task_info *ti;
    size_t from = json_text_begin(out, "blocked", '[');
    EACH_TASK(t, ti, h, ji) {
        if (ti->is_waiting || ti->is_running) run_close(out, &r);
        else if (!r.is_open) r = (struct runs){ ti->index, ti->index, -1, true };
        else r.b = ti->index;
    }
    run_close(out, &r);
    json_text_end_some(out, from, ']');
}

/* Tasks that were bound to a node before the job came. */
static void running(struct json_text *out, const struct pol_host *h, const struct pol_job_info *ji)
{
    const struct pol_task_info *ti;
    size_t from = json_text_begin(out, "running", '[');
    EACH_TASK(t, ti, h, ji) {
        if (!ti->is_running) continue;
        json_text_begin(out, NULL, '{');
        json_text_key_int(out, "task", ti->index);
        json_text_key_int(out, "node", ti->node);
        message_cards(out, ti->cards);
        json_text_end(out, '}');
    }
    json_text_end_some(out, from, ']');
}

/* {"api":0,"size":1,"result":0,"us":{"cpu":20}}; engine types on which it cannot run are left out of us. */
static void call(struct json_text *out, const struct pol_host *h, const struct pol_call *c)
{
    const char *name;
    json_text_begin(out, NULL, '{');
    json_text_key_int(out, "api", c->api);
    json_text_key_int(out, "size", c->size_b);
    if (c->result_b > 0) json_text_key_int(out, "result", c->result_b);
    json_text_begin(out, "us", '{');
    for (uint32_t k = 0; k < POL_ENGINES_MAX; k++)
        if (c->us[k] >= 0 && (name = h->name(h->ctx, POL_NAME_ENGINE, k)) != NULL) json_text_member_int(out, name, c->us[k]);
    json_text_raw(out, "}}");
}

/* Of each task that is made of calls, blocked ones too. */
static void all_calls(struct json_text *out, const struct pol_host *h, const struct pol_job_info *ji)
{
    const struct pol_calls *calls = h->extension(h->ctx, POL_CALLS);
    const struct pol_task_info *ti;
    size_t from = json_text_begin(out, "calls", '[');
    EACH_TASK(t, ti, h, ji) {
        uint32_t n = calls->state(h->ctx, t).n_calls;
        if (n == 0) continue;
        json_text_begin(out, NULL, '{');
        json_text_key_int(out, "task", ti->index);
        json_text_begin(out, "calls", '[');
        for (uint32_t k = 0; k < n; k++) {
            struct pol_call c = calls->info(h->ctx, t, k);
            call(out, h, &c);
        }
        json_text_raw(out, "]}");
    }
    json_text_end_some(out, from, ']');
}

static void waiting_inputs(struct json_text *out, const struct pol_host *h, const struct pol_job_info *ji)
{
    const struct pol_task_info *ti;
    size_t from = json_text_begin(out, "inputs", '[');
    EACH_TASK(t, ti, h, ji) if (ti->is_waiting) inputs(out, h, t, ti);
    json_text_end_some(out, from, ']');
}

/* The hints: what the user told of the job's model. */
static void hints(struct json_text *out, const struct pol_host *h, const struct pol_job_info *ji)
{
    static const struct { uint32_t bit; const char *name; } word[] = {
        { POL_HINT_PIPELINED, "pipelined" }, { POL_HINT_HEAVY_WEIGHTS, "heavy_weights" }, { POL_HINT_COMPLEX_CPU, "complex_cpu" },
    };
    if (ji->category != POL_NONE) json_text_key_string(out, "kind", h->name(h->ctx, POL_NAME_CATEGORY, ji->category));
    size_t from = json_text_begin(out, "hints", '[');
    for (size_t i = 0; i < ARRAY_LEN(word); i++)
        if ((ji->hints & word[i].bit) != 0) json_text_item_string(out, word[i].name);
    json_text_end_some(out, from, ']');
    if (ji->weights_thousands > 0) json_text_key_int(out, "weights_thousands", ji->weights_thousands);
    if (ji->work_us > 0) json_text_key_int(out, "work_us", ji->work_us);
}

/* The sizes from min to max, and the speed on each, of every type of GPU on which it runs. */
static void elastic(struct json_text *out, const struct pol_host *h, pol_job j)
{
    const struct pol_elastic *e = h->extension(h->ctx, POL_ELASTIC);
    struct pol_sizes s = e->sizes(h->ctx, j);
    const char *type;
    if (!s.is_elastic) return;
    json_text_begin(out, "elastic", '{');
    json_text_key_int(out, "min", s.min);
    json_text_key_int(out, "max", s.max);
    json_text_begin(out, "speeds", '{');
    for (uint32_t g = 0; (type = h->name(h->ctx, POL_NAME_GPU_TYPE, g)) != NULL; g++) {
        static const char *const spread[] = { "one", "several" };
        if (e->speed(h->ctx, j, g, s.asked, 0) == 0) continue;
        json_text_member(out, type);
        json_text_raw(out, "{");
        for (uint32_t k = 0; k < ARRAY_LEN(spread); k++) {
            json_text_begin(out, spread[k], '[');
            for (uint32_t n = s.min; n <= s.max; n++) json_text_item_int(out, e->speed(h->ctx, j, g, n, k));
            json_text_end(out, ']');
        }
        json_text_key_int(out, "restart", e->restart_us(h->ctx, j, g));
        json_text_end(out, '}');
    }
    json_text_raw(out, "}}");
}

static void arrived(struct json_text *out, const struct pol_host *h, pol_job j, uint32_t flags)
{
    const struct pol_job_info *ji = h->job(h->ctx, j);
    json_text_key_int(out, "job", (int64_t)ji->ordinal);
    json_text_key_string(out, "id", h->name(h->ctx, POL_NAME_JOB, j.slot));
    json_text_key_string(out, "user", h->name(h->ctx, POL_NAME_USER, ji->user));
    if (ji->queue != POL_NONE) json_text_key_string(out, "queue", h->name(h->ctx, POL_NAME_QUEUE, ji->queue));
    json_text_key_int(out, "submit", ji->submit_us);
    if (ji->priority != 0) json_text_key_int(out, "priority", ji->priority);
    if (ji->is_gang) json_text_key_bool(out, "gang", true);
    if ((flags & POL_USES_LIMITS) != 0 && ji->limit_us >= 0) json_text_key_int(out, "limit", ji->limit_us);
    if ((flags & POL_CLAIRVOYANT) != 0) json_text_key_int(out, "duration", ji->true_dur_us);
    hints(out, h, ji);
    elastic(out, h, j);
    tasks(out, h, ji);
    stages(out, h, ji);
    blocked(out, h, ji);
    running(out, h, ji);
    all_calls(out, h, ji);
    waiting_inputs(out, h, ji);
}

/* ---- events ---- */

/* Which task it is; its info. */
static const struct pol_task_info *key_task(struct json_text *out, const struct pol_host *h, pol_task t)
{
    const struct pol_task_info *ti = h->task(h->ctx, t);
    json_text_key_int(out, "job", (int64_t)h->job(h->ctx, ti->job)->ordinal);
    json_text_key_int(out, "task", ti->index);
    return ti;
}

static void ready(struct json_text *out, const struct pol_host *h, pol_task t, uint32_t flags)
{
    const struct pol_task_info *ti = key_task(out, h, t);
    json_text_key_int(out, "attained", ti->attained_us);
    if ((flags & POL_CLAIRVOYANT) != 0) json_text_key_int(out, "left", ti->true_left_us);
    message_inputs(out, h, t, ti);
}

static void next_call(struct json_text *out, const struct pol_host *h, const struct pol_event *e)
{
    const struct pol_calls *calls = h->extension(h->ctx, POL_CALLS);
    (void)key_task(out, h, e->task);
    json_text_key_int(out, "call", calls->state(h->ctx, e->task).next);
    if (e->node != POL_NONE) json_text_key_int(out, "lost", e->node);
}

/* Of a job that is over since only the words are left. */
static void refused(struct json_text *out, const struct pol_host *h, const struct pol_event *e)
{
#define VERB(code, name, record, about, extension, words, fields) name,
    static const char *const verb[] = { POL_VERB_LIST(VERB, ) };
    const struct pol_job_info *ji = h->job(h->ctx, e->job);
    const struct pol_task_info *ti = h->task(h->ctx, e->task);
    json_text_key_string(out, "do", verb[e->verb]);
    json_text_key_string(out, "refusal", pol_refusal_name(e->refusal));
    json_text_key_string(out, "words", pol_refusal_words(e->refusal));
    if (ji != NULL) json_text_key_int(out, "job", (int64_t)ji->ordinal);
    if (ti != NULL) json_text_key_int(out, "task", ti->index);
    if (e->node != POL_NONE) json_text_key_int(out, "node", e->node);
}

void message_event(struct json_text *out, const struct pol_host *h, const struct pol_event *e, uint32_t flags)
{
    static const char *const name[] = {
        [POL_ARRIVED] = "arrived", [POL_READY] = "ready", [POL_TASK_ENDED] = "ended", [POL_JOB_ENDED] = "job_ended",
        [POL_NODE_DOWN] = "node_down", [POL_NODE_UP] = "node_up", [POL_TIMER] = "timer", [POL_CALL] = "call",
        [POL_REFUSED] = "refused",
    };
    json_text_begin(out, NULL, '{');
    json_text_key_string(out, "event", name[e->type]);
    switch ((enum pol_event_type)e->type) {
    case POL_ARRIVED:   arrived(out, h, e->job, flags); break;
    case POL_READY:     ready(out, h, e->task, flags); break;
    case POL_TASK_ENDED:
        (void)key_task(out, h, e->task);
        json_text_key_int(out, "node", e->node);
        break;
    case POL_JOB_ENDED: json_text_key_int(out, "job", (int64_t)h->job(h->ctx, e->job)->ordinal); break;
    case POL_NODE_DOWN: case POL_NODE_UP: json_text_key_int(out, "node", e->node); break;
    case POL_TIMER: break;
    case POL_CALL: next_call(out, h, e); break;
    case POL_REFUSED: refused(out, h, e); break;
    }
    json_text_end(out, '}');
}

/*
 * fairway_code_tell.c -- a round as a policy in another language is told it: words, and what is rare as a line of the
 * protocol (fairway.h).  Costs O(events + changed nodes).
 */
#include <string.h>
#include "base/mem.h"
#include "host/exec/message.h"
#include "library/fairway_code.h"

static void put_all(struct fairway_code *c, const int64_t *word, size_t n)
{
    const size_t was = c->cap_words;
    MEM_RESERVE(c->words, c->cap_words, c->n_words + n);
    c->moved |= c->cap_words != was;
    memcpy(c->words + c->n_words, word, n * sizeof *word);
    c->n_words += n;
}

static void put(struct fairway_code *c, int64_t word) { put_all(c, &word, 1); }

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
    if (ji->ordinal > INT32_MAX) fairway_code_fail(c, "more jobs have arrived than a policy of this process can name");
    const int64_t word[] = { FAIRWAY_ARRIVED, (int64_t)ji->ordinal, ji->submit_us, ji->priority, ji->is_gang,
        (c->r.flags & POL_USES_LIMITS) != 0 ? ji->limit_us : -1,
        (c->r.flags & POL_CLAIRVOYANT) != 0 ? ji->true_dur_us : -1, ji->user, or_minus(ji->queue), (int64_t)n_id };
    put_all(c, word, ARRAY_LEN(word));
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
        put_all(c, (const int64_t[]){ ti->shape, 1, ti->true_left_us }, 3);
        c->words[count]++;
    }
}

static void put_task(struct fairway_code *c, int64_t event, pol_task t)
{
    const struct pol_host *h = c->r.host;
    const struct pol_task_info *ti = h->task(h->ctx, t);
    put_all(c, (const int64_t[]){ event, (int64_t)h->job(h->ctx, ti->job)->ordinal, ti->index }, 3);
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
    case POL_TASK_ENDED:
        c->ended = c->n_words;
        put_task(c, FAIRWAY_ENDED, e->task);
        return;
    case POL_JOB_ENDED:
        if (c->ended > 0 && c->words[c->ended + 1] == (int64_t)h->job(h->ctx, e->job)->ordinal) {
            c->words[c->ended] = FAIRWAY_LAST_ENDED;
            return;
        }
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
static bool put_shapes(struct fairway_code *c, const struct pol_view *v, const struct pol_licences *l)
{
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
        put_all(c, word, ARRAY_LEN(word));
    }
    c->r.shapes_told = v->n_shapes;
    return true;
}

void fairway_code_tell(struct fairway_code *c, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    bool more = false;
    for (uint32_t i = 0; i < v->n_changed && !more; i++) more = grew(&c->r.planned, v, v->changed[i]);
    for (size_t i = 0; i < c->r.planned.n_set && !more; i++) more = grew(&c->r.planned, v, c->r.planned.set[i]);
    planned_sync(&c->r.planned, v);
    c->n_words = c->n_names = c->n_rare = 0;
    put_all(c, (const int64_t[]){ v->now_us, more, v->n_changed }, 3);
    const struct pol_licences *l = c->r.host->extension(c->r.host->ctx, POL_LICENCES);
    const bool shapes = !put_shapes(c, v, l);
    for (size_t i = 0; i < n_ev; i++) {
        if (ev[i].type != POL_JOB_ENDED) c->ended = 0;
        put_event(c, &ev[i]);
    }
    const bool frees = l->n > 0 && v->n_changed > 0, queues = v->n_engines > 0 && v->n_changed > 0;
    c->r.out.n = 0;
    if (shapes || frees || queues || c->n_rare > 0)
        message_decide(&c->r.out, c->r.host, &(struct message_round){ .view = v, .event = c->rare,
            .n_events = c->n_rare, .node = v->changed, .n_nodes = queues ? v->n_changed : 0,
            .shapes_told = c->r.shapes_told, .flags = c->r.flags, .frees = frees });
    c->r.shapes_told = v->n_shapes;
    dialog_note_jobs(&c->r, ev, n_ev);
}

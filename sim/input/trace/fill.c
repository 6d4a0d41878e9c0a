/* fill.c -- the jobs of fill.h: all of the trace in memory, and the order in which they are drawn.  O(jobs). */
#include "input/trace/fill.h"

#include <string.h>
#include "base/mem.h"
#include "base/rng.h"

struct kept { struct job_spec spec; struct task_group *group; char *text[4]; int64_t milli; uint32_t times; };

struct fill {
    struct kept *job; size_t n, cap;
    uint32_t *order; size_t n_order, cap_order, next;
    char id[256];
};

static void keep(struct fill *f, const struct job_spec *s)
{
    struct kept *k = MEM_NEXT(f->job, f->n, f->cap);
    *k = (struct kept){ .spec = *s };
    const char *const text[] = { s->id, s->user, s->queue, s->klass };
    for (size_t i = 0; i < ARRAY_LEN(text); i++) k->text[i] = text[i] != NULL ? mem_strdup(text[i]) : NULL;
    MEM_ARRAY(k->group, s->n_groups);
    memcpy(k->group, s->group, s->n_groups * sizeof *k->group);
    for (uint32_t g = 0; g < s->n_groups; g++) {
        k->group[g].dur = DUR_MAX;
        k->milli += (int64_t)s->group[g].n * s->group[g].shape.n_gpu * s->group[g].shape.gpu_milli;
    }
    k->spec.model = NULL;               /* nothing ends: speeds do not matter */
    k->spec.limit = -1;
    k->spec.past = (struct job_past){ .is_known = false };
}

static enum st read_jobs(struct fill *f, const struct trace *t, struct diag *d)
{
    struct source s;
    struct job_spec j;
    enum st st;
    TRY(trace_source_open(t, &s, d));
    while ((st = s.next(s.ctx, &j, d)) == ST_OK) {
        if (j.graph != NULL) {
            st = diag_at(d, ST_EINPUT, t->opts.path, j.line, 0, "job '%s' has tasks that wait for others; 'fill' lets none end", j.id);
            break;
        }
        keep(f, &j);
    }
    trace_source_close(&s);
    return st == ST_END ? ST_OK : st;
}

static enum st draw(struct fill *f, const struct trace *t, double load, uint64_t seed, struct diag *d)
{
    struct rng r;
    int64_t asked = 0, all = 0;
    double want = load * (double)t->cluster->n_cards * GPU_WHOLE;
    for (size_t i = 0; i < f->n; i++) all += f->job[i].milli;
    if (all == 0 || t->cluster->n_cards == 0)
        return diag_at(d, ST_EINPUT, t->opts.path, 0, 0, "cannot fill the cluster: %s", all == 0 ? "no job asks for GPUs" : "it has none");
    rng_init(&r, seed, "trace fill", 0);
    MEM_RESERVE(f->order, f->cap_order, f->n);
    for (size_t i = 0; i < f->n; i++) f->order[i] = (uint32_t)i;
    for (size_t i = f->n; i > 1; i--) {
        size_t k = (size_t)rng_below(&r, i);
        uint32_t x = f->order[k];
        f->order[k] = f->order[i - 1];
        f->order[i - 1] = x;
    }
    while ((double)asked < want) {
        if (f->n_order >= f->n) {
            MEM_RESERVE(f->order, f->cap_order, f->n_order + 1);
            f->order[f->n_order] = (uint32_t)rng_below(&r, f->n);
        }
        asked += f->job[f->order[f->n_order++]].milli;
    }
    return ST_OK;
}

static enum st next(void *ctx, struct job_spec *out, struct diag *d)
{
    struct fill *f = ctx;
    (void)d;
    if (f->next == f->n_order) return ST_END;
    struct kept *k = &f->job[f->order[f->next]];
    *out = k->spec;
    if (k->times++ == 0) (void)snprintf(f->id, sizeof f->id, "%s", k->text[0]);
    else (void)snprintf(f->id, sizeof f->id, "%.230s+%u", k->text[0], k->times);     /* ids are unique */
    out->id = f->id;
    out->user = k->text[1];
    out->queue = k->text[2];
    out->klass = k->text[3];
    out->node = NULL;
    out->group = k->group;
    out->submit = (sim_tick)f->next++ * TICK_SEC;
    return ST_OK;
}

enum st trace_fill_open(const struct trace *t, double load, uint64_t seed, struct source *out, sim_tick *end, struct diag *d)
{
    struct fill *f;
    MEM_NEW(f);
    *out = (struct source){ .ctx = f, .next = next };
    enum st st = read_jobs(f, t, d);
    if (st == ST_OK) st = draw(f, t, load, seed, d);
    *end = (sim_tick)f->n_order * TICK_SEC;
    if (st != ST_OK) trace_fill_close(out);
    return st;
}

void trace_fill_close(struct source *s)
{
    struct fill *f = s->ctx;
    if (f == NULL) return;
    for (size_t i = 0; i < f->n; i++) {
        for (size_t k = 0; k < ARRAY_LEN(f->job[i].text); k++) mem_free(f->job[i].text[k]);
        mem_free(f->job[i].group);
    }
    MEM_FREE(f->job, f->order, f);
    s->ctx = NULL;
}

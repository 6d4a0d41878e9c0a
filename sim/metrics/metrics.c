/*
 * metrics.c -- creates the collectors of a run and writes what they emit.
 *
 * The world notifies each collector directly.  Only what it does not know passes
 * through here: notes of the policy, and how long decisions took.
 */
#include "metrics/metrics.h"

#include <string.h>

#include "base/mem.h"
#include "base/thread.h"
#include "metrics/collector.h"

#define ADDRESS_OF(name) &name##_collector,
static const struct collector *const collectors[] = { COLLECTORS(ADDRESS_OF) };

struct metrics {
    struct metrics_opts opts;
    struct collector_values values;
    struct diag error;
    struct member { const struct collector *of; struct collector_out out; void *self; } at[ARRAY_LEN(collectors)];
    size_t n;                                           /* members in this run */
    struct member *timed;                               /* the one that wants to know how long decisions took */
};

/* Which jobs count: those that the cuts at either end leave. */
static void set_cuts(struct collector_out *out, const struct metrics_opts *o)
{
    double n = (double)o->n_jobs;
    out->counted_from = (uint64_t)floor(o->warmup * n);
    out->counted_to = o->cooldown > 0 ? (uint64_t)fmax(0, n - floor(o->cooldown * n)) : UINT64_MAX;
}

struct metrics *metrics_create(struct world *w, const struct metrics_opts *o)
{
    static const struct observer nothing;
    struct metrics *m;
    MEM_NEW(m);
    m->opts = *o;
    for (size_t i = 0; i < ARRAY_LEN(collectors); i++) {
        const struct collector *c = collectors[i];
        struct member *k = &m->at[m->n];
        *k = (struct member){ .of = c, .out = { .opts = &m->opts, .error = &m->error, .metric = c->metric, .values = &m->values } };
        set_cuts(&k->out, o);
        k->self = mem_alloc(1, c->size);
        *(const struct collector_out **)k->self = &k->out;
        if (c->init != NULL && !c->init(k->self, w)) {
            mem_free(k->self);
            continue;
        }
        m->n++;
        if (c->decided != NULL) m->timed = k;
        struct observer hooks = c->observer;
        if (memcmp(&hooks, &nothing, sizeof hooks) == 0) continue;
        hooks.ctx = k->self;
        world_observe(w, hooks);
    }
    return m;
}

void metrics_destroy(struct metrics *m)
{
    if (m == NULL) return;
    for (size_t i = 0; i < m->n; i++) {
        if (m->at[i].of->fini != NULL) m->at[i].of->fini(m->at[i].self);
        mem_free(m->at[i].self);
    }
    for (size_t i = 0; i < m->values.n; i++) {
        mem_free(m->values.at[i].name);
        mem_free(m->values.at[i].scope);
    }
    mem_free(m->values.at);
    mem_free(m);
}

enum st metrics_error(const struct metrics *m, struct diag *d)
{
    if (m->error.code != ST_OK && d->code == ST_OK) *d = m->error;
    return m->error.code;
}

void metrics_decision_time(struct metrics *m, int64_t nanoseconds)
{
    m->timed->of->decided(m->timed->self, nanoseconds);
}

void metrics_note(struct metrics *m, int64_t at_us, const char *name, double value)
{
    for (size_t i = 0; i < m->n; i++)
        if (m->at[i].of->noted != NULL) m->at[i].of->noted(m->at[i].self, at_us, name, value);
}

static enum st write_values(const struct metrics *m, struct diag *d)
{
    if (m->opts.store == NULL) return ST_OK;
    for (size_t i = 0; i < m->values.n; i++) {
        const struct collector_value *v = &m->values.at[i];
        struct store_wall wall = { .name = v->name, .value = v->x, .unit = v->unit };
        struct store_metric metric = { .name = v->name, .scope = v->scope, .value = v->x, .unit = v->unit };
        TRY(v->is_wall ? store_wall(m->opts.store, m->opts.run, &wall, d) : store_metric(m->opts.store, m->opts.run, &metric, d));
    }
    return ST_OK;
}

/* Of fewer jobs it takes less time than a thread to begin. */
enum { MANY_JOBS = 10000 };

/* A member's last work, by a thread if one could be made. */
struct last { const struct member *of; const struct world *w; pthread_t thread; bool has_thread; };

static void *prepare(void *last)
{
    const struct last *l = last;
    l->of->of->prepare(l->of->self, l->w);
    return NULL;
}

/* All but the first that has such work by threads; meanwhile that one, and what no thread could be made for. */
static void prepare_all(const struct metrics *m, const struct world *w)
{
    struct last last[ARRAY_LEN(collectors)];
    size_t n = 0;
    for (size_t i = 0; i < m->n; i++)
        if (m->at[i].of->prepare != NULL) last[n++] = (struct last){ .of = &m->at[i], .w = w };
    const bool may_thread = m->opts.may_thread && world_count(w)->arrived >= MANY_JOBS;
    for (size_t i = 1; i < n && may_thread; i++) last[i].has_thread = thread_start(&last[i].thread, prepare, &last[i]);
    for (size_t i = 0; i < n; i++)
        if (!last[i].has_thread) (void)prepare(&last[i]);
    for (size_t i = 0; i < n; i++)
        if (last[i].has_thread) (void)pthread_join(last[i].thread, NULL);
}

enum st metrics_finish(struct metrics *m, const struct world *w, struct diag *d)
{
    TRY(metrics_error(m, d));
    prepare_all(m, w);
    for (size_t i = 0; i < m->n; i++) m->at[i].of->emit(m->at[i].self, w);
    return write_values(m, d);
}

double metrics_value(const struct metrics *m, const char *name, const char *scope)
{
    for (size_t i = 0; i < m->values.n; i++) {
        const struct collector_value *v = &m->values.at[i];
        if (strcmp(v->name, name) == 0 && strcmp(v->scope, scope) == 0) return v->x;
    }
    return NAN;
}

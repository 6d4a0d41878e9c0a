/*
 * draw.c -- jobs drawn from a model, and the format `model`, which makes all of them when it is opened.
 *
 * Each user has random streams of its own, so that what one does leaves the others alone, and those of load 1 are
 * there at load 2.  More load is more users, who submit as those learnt of do: neither the gaps within a session nor
 * the durations change, and so a burst is not more of a burst; of the last of a user's likes a part of the sessions
 * is left out where the load is not whole.
 */
#include <math.h>
#include <stdlib.h>
#include <gsl/gsl_cdf.h>
#include "base/hash64.h"
#include "base/mem.h"
#include "base/rng.h"
#include "input/fit/draw.h"
#include "input/trace/reader.h"

enum {
    DRAW_JOBS_MAX = 10000000,   /* expected; twice as many are never kept */
    DRAW_DAYS_MAX = 100000000   /* of all users together */
};

struct draw_opts {
    const char *file;
    double load;
    int64_t span;
};

struct draw {
    struct trace_env env;
    struct model model;
    struct drawn_jobs jobs;
    size_t next;
    struct trace_limits lim;
    char id[32], user[48];
    struct task_group group[2];
};

/* Where a user is: what it asked for last in each batch, and at which p of the durations. */
struct user {
    const struct model_class *c;
    struct rng days, sessions, jobs;
    uint32_t number, copy;
    double kept; /* share of its sessions that are made */
    struct { const struct model_kind *kind; double at; } last[MODEL_BATCHES];
};

static double draw_bins(const struct model_bins *b, struct rng *r) { return model_bins_at(b, rng_unit(r)); }

/* x or the whole number above it, so that the mean is x. */
static int64_t whole(double x, struct rng *r) { return (int64_t)floor(x + rng_unit(r)); }

static const struct model_kind *draw_kind(const struct model_batch *b, struct rng *r)
{
    double sum = 0;
    for (size_t i = 0; i < b->n; i++) sum += b->kind[i].weight;
    double x = rng_unit(r) * sum;
    size_t i = 0;
    while (i + 1 < b->n && x >= b->kind[i].weight) x -= b->kind[i++].weight;
    return &b->kind[i];
}

/* Where in the part of the durations that p is of. */
static double as_long(const struct model_bins *b, double p, double where)
{
    uint32_t i = 0;
    while (i + 1 < b->n && p >= b->upto[i]) i++;
    double low = i > 0 ? b->upto[i - 1] : 0;
    return low + (b->upto[i] - low) * where;
}

static void make_job(struct drawn_jobs *g, struct user *u, uint32_t batch, bool is_first, double t)
{
    struct rng *r = &u->jobs;
    const struct model_batch *b = &u->c->batch[batch];
    const struct model_kind **last = &u->last[batch].kind;
    double *at = &u->last[batch].at;
    /* As many numbers for each job, whatever it is. */
    const double repeats = rng_unit(r), stays = rng_unit(r), fresh = rng_unit(r), has_limit = rng_unit(r),
                 limit = rng_unit(r);
    const struct model_kind *drawn = draw_kind(b, r);
    const bool is_same = *last != NULL && repeats < (is_first ? b->again : b->repeat);
    *at = is_same && stays < b->repeat_duration ? as_long(&(*last)->duration, *at, fresh) : fresh;
    if (!is_same) *last = drawn;
    const struct model_kind *k = *last;
    struct drawn x = { .ms = llround(t * 1000),
                       .kind = k,
                       .dur = model_bins_at(&k->duration, *at),
                       .limit = -1,
                       .user = u->number,
                       .copy = u->copy,
                       .seq = (uint32_t)g->n };
    const uint32_t third = k->limit[1].n > 0 ? model_third(*at) : 0;
    if (has_limit < k->limited) x.limit = fmax(x.dur, model_bins_at(&k->limit[third], limit));
    MEM_PUSH(g->at, g->n, g->cap, x);
}

static void make_session(struct drawn_jobs *g, struct user *u, double t, bool is_made)
{
    const struct model_class *c = u->c;
    const int64_t n = i64_max(1, whole(draw_bins(&c->jobs, &u->sessions), &u->sessions));
    uint32_t i = c->n - 1;
    while (i > 0 && n < c->batch[i].from) i--;
    for (int64_t k = 0; k < n && t < g->span && g->n < 2 * DRAW_JOBS_MAX; k++) {
        if (k > 0) t += draw_bins(&c->batch[i].gap, &u->sessions);
        if (is_made && t < g->span) make_job(g, u, i, k == 0, t);
    }
}

static double draw_hour(const double *weight, struct rng *r)
{
    double sum = 0;
    for (int h = 0; h < MODEL_DAY; h++) sum += weight[h];
    double x = rng_unit(r) * sum;
    int h = 0;
    while (h + 1 < MODEL_DAY && x >= weight[h]) x -= weight[h++];
    return h * 3600.0;
}

/*
 * How busy a user's days are: a number of the normal distribution a day, of which a part `slow` of the variance moves
 * slowly and the rest is the day's own, so that days one and seven apart are correlated as the class says.
 */
struct mood {
    double slow, keeps, z;
};

static struct mood mood_of(const struct model_class *c, struct rng *r)
{
    struct mood m = { .slow = 1, .keeps = c->persist };
    if (c->persist_week > 0 && c->persist > 0) {
        m.keeps = fmin(pow(c->persist_week / c->persist, 1.0 / (MODEL_WEEK - 1)), 0.99);
        m.slow = fmin(1, c->persist / m.keeps);
    }
    m.z = rng_normal(r);
    return m;
}

static double mood_next(struct mood *m, struct rng *r)
{
    m->z = m->keeps * m->z + sqrt(1 - m->keeps * m->keeps) * rng_normal(r);
    return sqrt(m->slow) * m->z + sqrt(1 - m->slow) * rng_normal(r);
}

static void make_user(struct drawn_jobs *g, struct user *u, const struct model *m)
{
    const struct model_class *c = u->c;
    const double rest = 1 - c->stay + c->come;
    bool is_on = rng_unit(&u->days) < (rest > 0 ? c->come / rest : 1);
    struct mood mood = mood_of(c, &u->days);
    for (int64_t day = 0; (double)day * 86400 < g->span && g->n < 2 * DRAW_JOBS_MAX; day++) {
        const int w = (int)(day % MODEL_WEEK);
        is_on = rng_unit(&u->days) < model_odds(is_on ? c->stay : c->come, m->active[w]);
        const double p = fmin(1 - 0x1p-53, gsl_cdf_ugaussian_P(mood_next(&mood, &u->days)));
        const int64_t n = is_on ? whole(m->busy[w] * model_bins_at(&c->sessions, p), &u->days) : 0;
        for (int64_t k = 0; k < n; k++) {
            double t = (double)day * 86400 + draw_hour(m->hour[w], &u->sessions) + rng_unit(&u->sessions) * 3600;
            make_session(g, u, t, rng_unit(&u->sessions) < u->kept);
        }
    }
}

static int by_time(const void *a, const void *b)
{
    const struct drawn *x = a, *y = b;
    if (x->ms != y->ms) return x->ms < y->ms ? -1 : 1;
    return (x->seq > y->seq) - (x->seq < y->seq);
}

enum st draw_jobs(struct drawn_jobs *g, const struct model *m, double load, double span_s, uint64_t seed,
                  struct diag *d)
{
    uint32_t number = 0;
    double expected = 0, user_days = 0;
    *g = (struct drawn_jobs){ .span = span_s > 0 ? span_s : (double)m->days * 86400 };
    for (size_t i = 0; i < m->n; i++) {
        const double days = (double)m->at[i].users * ceil(load) * g->span / 86400;
        double on, sessions;
        model_expect(m, &m->at[i], &on, &sessions);
        expected += sessions * days * fmax(1, model_bins_mean(&m->at[i].jobs));
        user_days += days;
    }
    if (expected > DRAW_JOBS_MAX || user_days > DRAW_DAYS_MAX)
        return diag_set(d, ST_EINPUT, "the model makes about %.2g jobs of users on %.2g days at this load and span, more "
                        "than %d or %d", expected, user_days, DRAW_JOBS_MAX, DRAW_DAYS_MAX);
    for (size_t i = 0; i < m->n; i++)
        for (int64_t k = 0; k < m->at[i].users; k++, number++)
            for (uint32_t copy = 0; (double)copy < load; copy++) {
                struct user u = { .c = &m->at[i], .number = number, .copy = copy, .kept = fmin(1, load - copy) };
                const uint64_t index = (uint64_t)number << 32 | copy;
                rng_init(&u.days, seed, "model.days", index);
                rng_init(&u.sessions, seed, "model.sessions", index);
                rng_init(&u.jobs, seed, "model.jobs", index);
                make_user(g, &u, m);
            }
    g->n_users = number;
    if (g->n > 0) qsort(g->at, g->n, sizeof *g->at, by_time);
    if (g->n < 2 * DRAW_JOBS_MAX) return ST_OK;
    return diag_set(d, ST_EINPUT, "the model makes more than %d jobs at this load and span", 2 * DRAW_JOBS_MAX);
}

static enum st next(void *ctx, struct job_spec *out, struct diag *d)
{
    struct draw *g = ctx;
    const char *error;
    if (g->next == g->jobs.n) return ST_END;
    const struct drawn *x = &g->jobs.at[g->next++];
    const struct model_kind *k = x->kind;
    const struct trace_whole w = { .shape.exclusive = k->exclusive,
                                   .dur = llround(x->dur * 1000) * 1000,
                                   .n_tasks = k->tasks,
                                   .gpu_milli = k->gpu_milli,
                                   .cpu_milli = k->cpu_milli > 0 ? k->cpu_milli : -1,
                                   .mem_b = k->mem_b > 0 ? k->mem_b : -1,
                                   .gpu_mem_b = k->gpu_mem_b };
    trace_blank(out);
    (void)snprintf(g->id, sizeof g->id, "job-%06zu", g->next);
    (void)snprintf(g->user, sizeof g->user, x->copy > 0 ? "u%u-%u" : "u%u", x->user + 1, x->copy + 1);
    out->id = g->id;
    out->user = g->user;
    out->line = (uint32_t)g->next;
    out->submit = x->ms * 1000;
    TRY(trace_divide(&g->env, g->lim, &w, out, g->group, &error, d));
    SIM_ASSERT(error == NULL); /* model_read lets no such kind through */
    out->gang = k->gang;
    if (x->limit >= 0) out->limit = i64_max(llround(x->limit * 1000), llround(x->dur * 1000)) * 1000;
    return ST_OK;
}

static void close_draw(void *ctx)
{
    struct draw *g = ctx;
    model_fini(&g->model);
    mem_free(g->jobs.at);
    mem_free(g);
}

static enum st open_draw(const struct trace_env *env, struct trace_reader *out, struct diag *d)
{
    const struct draw_opts *o = env->opts->own;
    struct draw *g;
    if (o->file == NULL)
        return diag_set(d, ST_EINPUT, "the format 'model' needs a model: its 'file', as `fairway trace fit` writes it");
    MEM_NEW(g);
    *out = (struct trace_reader){ .ctx = g, .next = next, .close = close_draw };
    g->env = *env;
    g->lim = trace_limits(env);
    TRY(model_read(&g->model, o->file, d));
    return draw_jobs(&g->jobs, &g->model, o->load, (double)o->span / (double)TICK_SEC, env->opts->seed, d);
}

/* The file's bytes, the parameters and the seed. */
static enum st hash_draw(const struct trace_opts *o, uint64_t *h, struct diag *d)
{
    const struct draw_opts *own = o->own;
    *h = HASH64_INIT ^ o->seed;
    *h = hash64_bytes(*h, &own->load, sizeof own->load);
    *h = hash64_bytes(*h, &own->span, sizeof own->span);
    return own->file != NULL ? trace_hash_file(own->file, h, d) : ST_OK;
}

#define ENTRY(name, member, dflt_, help_, ...) \
    { \
        .key = name, .offset = offsetof(struct draw_opts, member), .dflt = dflt_, .help = help_, __VA_ARGS__ \
    }

static const struct trace_option params[] = {
    ENTRY("file", file, NULL, "what `fairway trace fit` wrote", .type = TRACE_FILE),
    ENTRY("load", load, "1", "how many times the users that were learnt of", .type = TRACE_NUMBER, .min = 0.001,
          .max = 1000),
    ENTRY("span", span, NULL, "how long jobs arrive; else as long as the trace that was learnt from",
          .type = TRACE_DURATION, .min = 1),
};
static const struct trace_option options[] = {
    { .key = "model",
      .type = TRACE_MAP,
      .sub = params,
      .n_sub = ARRAY_LEN(params),
      .help = "the model, and how much of it" },
};
static const char *const unused[] = { "gpus_per_task", NULL };

static enum st check_draw(struct trace_opts *o, const struct cluster *c, const struct ydoc_node *section,
                          struct diag *d)
{
    const struct ydoc_node *n = ydoc_get(section, "model"), *load = ydoc_get(section, "load"),
                           *speedup = ydoc_get(section, "speedup");
    (void)c;
    if (n == NULL || ydoc_get(n, "file") == NULL)
        return ydoc_error(n != NULL ? n : section, d, "found no model: {file: FILE}, which 'format: model' needs");
    (void)o;
    if (load == NULL && speedup == NULL) return ST_OK;
    (void)ydoc_key_error(load != NULL ? load : speedup, d, "'%s' would shrink the gaps of bursts too",
                         load != NULL ? "load" : "speedup");
    return diag_hint(d, "model: {load: 2} has twice as many users instead");
}

const struct trace_format draw_format = {
    .name = "model",
    .summary = "jobs drawn from a model that `fairway trace fit` learnt",
    .no_file = true,
    .unused = unused,
    .own_size = sizeof(struct draw_opts),
    .option = options,
    .n_options = ARRAY_LEN(options),
    .check = check_draw,
    .hash = hash_draw,
    .open = open_draw,
};

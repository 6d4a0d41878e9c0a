/* etc.c -- draws the table of times and the jobs that call by it (etc.h says how).  O(rows x columns) a table. */
#include "input/synth/etc.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/mem.h"
#include "base/rng.h"
#include "base/text.h"
#include "input/trace/reader.h"
#include "model/data/net.h"

enum { JOBS_MAX = 100000000, APIS_MAX = 100000, POINTS_MAX = 64 };

/* Do the parameters agree with one another? */
static bool check(const struct etc_opts *o, char *error, size_t cap)
{
    SIM_ASSERT(o->apis <= APIS_MAX && o->points <= POINTS_MAX && o->jobs <= JOBS_MAX && o->calls <= ETC_CALLS_MAX && o->size_max <= NET_SIZE_MAX);
    if (o->size_min > o->size_max) return text_error(error, cap, "'size_min' is above 'size_max'");
    if (o->points > 1 && o->size_max - o->size_min < o->points)
        return text_error(error, cap, "%lld points do not lie apart from %lld to %lld bytes", (long long)o->points,
                          (long long)o->size_min, (long long)o->size_max);
    if (o->task * o->machine * (double)o->unit * (double)o->calls > (double)DUR_MAX)
        return text_error(error, cap, "a task of %lld calls of up to %g x %g units would last longer than %lld days",
                          (long long)o->calls, o->task, o->machine, (long long)(DUR_MAX / (86400 * TICK_SEC)));
    return true;
}

/* ---- the table ---- */

int64_t etc_size(const struct etc_opts *o, int64_t k)
{
    if (k == o->points - 1) return o->size_max;
    double ratio = (double)o->size_max / (double)o->size_min;
    int64_t size = llround((double)o->size_min * pow(ratio, (double)k / (double)(o->points - 1)));
    return i64_min(i64_max(size, o->size_min + k), o->size_max - (o->points - 1 - k));      /* apart, however small */
}

static double between(struct rng *r, double lo, double hi) { return lo + (hi - lo) * rng_unit(r); }

/* Sort row[0], row[step], row[2 step] ... */
static void sort_row(double *row, uint32_t n, uint32_t step)
{
    for (uint32_t i = step; i < n; i += step)
        for (uint32_t j = i; j >= step && row[j] < row[j - step]; j -= step) {
            double t = row[j];
            row[j] = row[j - step];
            row[j - step] = t;
        }
}

static void draw_row(const struct etc_opts *o, uint64_t seed, uint64_t number, uint32_t n, double row[ENGINE_TYPES_MAX])
{
    struct rng r;
    rng_init(&r, seed, "etc.row", number);
    double base = between(&r, 1, o->task);
    for (uint32_t k = 0; k < n; k++) row[k] = base * between(&r, 1, o->machine);
    if (o->order != ETC_INCONSISTENT) sort_row(row, n, o->order == ETC_SEMI ? 2 : 1);
}

void etc_times(const struct etc_opts *o, const struct cluster *c, uint64_t seed, struct calltime *t)
{
    uint32_t n = o->n_columns > 0 ? o->n_columns : c->engines.n;
    double row[ENGINE_TYPES_MAX] = { 0 };
    char name[32];
    calltime_fini(t);
    for (int64_t a = 0; a < o->apis; a++) {
        (void)snprintf(name, sizeof name, "api%lld", (long long)a);
        uint32_t api = intern_id(&t->apis, name);
        for (int64_t p = 0; p < o->points; p++) {
            int64_t size = etc_size(o, p);
            if (p == 0 || o->rows == ETC_BY_SIZE) draw_row(o, seed, (uint64_t)(o->rows == ETC_BY_SIZE ? a * o->points + p : a), n, row);
            for (uint32_t k = 0; k < n; k++) {
                double us = row[k] * (double)o->unit * ((double)size / (double)o->size_max);
                bool is_new = calltime_add(t, api, o->n_columns > 0 ? o->column[k] : k, size, llround(us));
                SIM_ASSERT(is_new);
            }
        }
    }
}

/* ---- the stream ---- */

enum aspect { ARRIVAL, TASKS, CALLS, SIZES, N_ASPECTS };
static const char *const purposes[N_ASPECTS] = { "etc.arrival", "etc.tasks", "etc.calls", "etc.size" };

struct maker {
    struct trace_env env;
    const struct etc_opts *o;
    struct rng rng[N_ASPECTS];
    uint32_t mask;                  /* engine types of the cluster */
    int64_t n;
    double  at;                     /* us */
    char    id[32];
    struct task_group *group;       /* [o->tasks], as the next two */
    uint32_t *first, *n_calls;
    struct call *call;  size_t cap_call;
    struct task_calls calls;
};

static struct call draw_call(struct maker *m, uint32_t own)
{
    const struct etc_opts *o = m->o;
    bool is_own = rng_unit(&m->rng[CALLS]) < o->focus;
    /* Drawn either way, so that focus moves no later call. */
    uint32_t other = (uint32_t)rng_below(&m->rng[CALLS], (uint64_t)o->apis);
    double ratio = (double)o->size_max / (double)o->size_min;
    int64_t size = llround((double)o->size_min * pow(ratio, rng_unit(&m->rng[SIZES])));
    struct call c = { .size = i64_min(i64_max(size, o->size_min), o->size_max), .api = is_own ? own : other };
    c.result = i64_min((int64_t)floor(rng_unit(&m->rng[SIZES]) * o->result * (double)c.size), NET_SIZE_MAX);
    return c;
}

static enum st next(void *ctx, struct job_spec *out, struct diag *d)
{
    struct maker *m = ctx;
    const struct etc_opts *o = m->o;
    (void)d;
    if (m->n == o->jobs) return ST_END;
    uint32_t n_calls = 0;
    trace_blank(out);
    (void)snprintf(m->id, sizeof m->id, "job-%06lld", (long long)++m->n);
    if (o->gap > 0) m->at += rng_exp(&m->rng[ARRIVAL], (double)o->gap);
    out->id = m->id;
    out->submit = llround(m->at);
    out->n_groups = 1 + (uint32_t)rng_below(&m->rng[TASKS], (uint64_t)o->tasks);
    for (uint32_t k = 0; k < out->n_groups; k++) {
        uint32_t own = (uint32_t)rng_below(&m->rng[TASKS], (uint64_t)o->apis);
        m->n_calls[k] = 1 + (uint32_t)rng_below(&m->rng[TASKS], (uint64_t)o->calls);
        m->first[k] = n_calls;
        m->group[k] = (struct task_group){ .n = 1, .shape = { .cpu_milli = m->env.opts->dflt.cpu_milli, .mem_b = m->env.opts->dflt.mem_b } };
        MEM_RESERVE(m->call, m->cap_call, (size_t)n_calls + m->n_calls[k]);
        for (uint32_t i = 0; i < m->n_calls[k]; i++) {
            struct call *c = &m->call[n_calls++];
            *c = draw_call(m, own);
            m->group[k].dur += calltime_best(m->env.opts->times, c->api, c->size, m->mask);
        }
    }
    m->calls = (struct task_calls){ .first = m->first, .n = m->n_calls, .call = m->call, .n_calls = n_calls };
    out->group = m->group;
    out->calls = &m->calls;
    out->line = (uint32_t)m->n;
    return ST_OK;
}

static void close_etc(void *ctx)
{
    struct maker *m = ctx;
    MEM_FREE(m->group, m->first, m->n_calls, m->call, m);
}

static enum st open_etc(const struct trace_env *env, struct trace_reader *out, struct diag *d)
{
    const struct etc_opts *o = env->opts->own;
    if (!env->opts->has_times) return diag_set(d, ST_EINPUT, "the format 'etc' needs a scenario: the engines of its cluster are the columns of the table");
    struct maker *m;
    MEM_NEW(m);
    m->env = *env;
    m->o = o;
    m->mask = cluster_engine_types(env->cluster);
    for (size_t i = 0; i < N_ASPECTS; i++) rng_init(&m->rng[i], env->opts->seed, purposes[i], 0);
    MEM_ARRAY(m->group, (size_t)o->tasks);
    MEM_ARRAY(m->first, (size_t)o->tasks);
    MEM_ARRAY(m->n_calls, (size_t)o->tasks);
    etc_times(o, env->cluster, env->opts->seed, env->opts->times);
    *out = (struct trace_reader){ .ctx = m, .next = next, .close = close_etc };
    return ST_OK;
}

/* ---- the format ---- */

/* hi, lo, or the upper end of the range itself; lo stands for min, hi for max. */
static bool parse_heterogeneity(const struct trace_option *x, const char *text, void *to, char *error, size_t cap)
{
    double v = strcmp(text, "hi") == 0 ? x->max : strcmp(text, "lo") == 0 ? x->min : 0;
    if (v <= 0 && !text_double(text, &v))
        return text_error(error, cap, "'%s' is neither hi nor lo nor a number", text);
    *(double *)to = v;
    return true;
}

static enum st read_heterogeneity(const struct trace_option *x, const struct ydoc_node *v, void *to, struct trace_opts *o,
                                  const struct cluster *c, struct diag *d)
{
    static const char *const words[] = { "hi", "lo" };
    uint32_t i;
    (void)o; (void)c;
    if (v->type == YDOC_SCALAR && v->text[0] >= '0' && v->text[0] <= '9') return ydoc_node_double(v, 1, 1e6, to, d);
    TRY(ydoc_node_choice(v, words, ARRAY_LEN(words), &i, d));
    *(double *)to = i == 0 ? x->max : x->min;
    return ST_OK;
}

/* Each of the cluster's engine types once. */
static enum st read_columns(const struct trace_option *x, const struct ydoc_node *list, void *to, struct trace_opts *opts,
                            const struct cluster *c, struct diag *d)
{
    const struct intern *engines = &c->engines;
    struct etc_opts *o = opts->own;
    uint32_t seen = 0;
    (void)x; (void)to;
    if (list->type != YDOC_LIST) return ydoc_expected(list, d, "a list");
    for (size_t i = 0; i < list->n; i++) {
        const char *name;
        TRY(ydoc_node_str(list->at[i], &name, d));
        uint32_t engine = intern_find(engines, name);
        if (engine == NONE) {
            (void)ydoc_error(list->at[i], d, "found engine '%s', which no node of the cluster has", name);
            return diag_suggest(d, name, (const char *const *)engines->name, engines->n);
        }
        if (seen >> engine & 1) return ydoc_error(list->at[i], d, "found engine '%s' twice", name);
        seen |= 1u << engine;
        o->column[o->n_columns++] = engine;
    }
    if (o->n_columns == engines->n) return ST_OK;
    return ydoc_error(list, d, "found %u of the cluster's %u kinds of engine; the table has a column for each", o->n_columns, engines->n);
}

static enum st check_section(struct trace_opts *o, const struct cluster *c, const struct ydoc_node *section, struct diag *d)
{
    const struct ydoc_node *n = ydoc_get(section, "etc");
    const struct etc_opts *own = o->own;
    char error[256];
    if (o->has_times) return ydoc_error(section, d, "'format: etc' draws the times of its calls itself; found an 'engines' section too");
    if (c->engines.n == 0) return ydoc_error(section, d, "'format: etc' makes API calls for engines, and no node of the cluster has any");
    if (own->size_max > NET_SIZE_MAX) return ydoc_expected(ydoc_get(n, "size_max"), d, "at most %lld bytes", (long long)NET_SIZE_MAX);
    if (!check(own, error, sizeof error)) return ydoc_error(n, d, "etc: %s", error);       /* the defaults agree */
    o->has_times = o->reads_times = true;
    return ST_OK;
}

static const char *const orders[] = { [ETC_CONSISTENT] = "consistent", [ETC_SEMI] = "semi", [ETC_INCONSISTENT] = "inconsistent" };
static const char *const rows[] = { [ETC_BY_API] = "api", [ETC_BY_SIZE] = "size" };

#define ENTRY(field, dflt_, help_, ...) \
    { .key = #field, .offset = offsetof(struct etc_opts, field), .dflt = dflt_, .help = help_, __VA_ARGS__ }

#define HETEROGENEITY(field, help, lo, hi) \
    ENTRY(field, "lo", "heterogeneity " help, .type = TRACE_OWN, .read = read_heterogeneity, .parse = parse_heterogeneity, .min = lo, .max = hi)

static const struct trace_option params[] = {
    ENTRY(apis, "16", "APIs, rows of the table", .type = TRACE_COUNT, .min = 1, .max = APIS_MAX),
    ENTRY(points, "2", "sizes at which each is measured, in equal ratios", .type = TRACE_COUNT, .min = 1, .max = POINTS_MAX),
    HETEROGENEITY(task, "of rows: lo, hi or the upper end of the range", ETC_TASK_LO, ETC_TASK_HI),
    HETEROGENEITY(machine, "of columns, as that of rows", ETC_MACHINE_LO, ETC_MACHINE_HI),
    ENTRY(order, "inconsistent", "is what is faster for one faster for all?", .type = TRACE_CHOICE, .word = orders, .n_words = ARRAY_LEN(orders)),
    ENTRY(rows, "api", "what a row is", .type = TRACE_CHOICE, .word = rows, .n_words = ARRAY_LEN(rows)),
    ENTRY(unit, "1ms", "what one unit of the table takes, at size_max", .type = TRACE_DURATION, .min = 1),
    { .key = "engines", .type = TRACE_OWN, .read = read_columns,
      .help = "columns of the table, each engine type once; else as the cluster has them" },
    ENTRY(jobs, "150", "jobs to make", .type = TRACE_COUNT, .min = 1, .max = JOBS_MAX),
    ENTRY(tasks, "4", "most tasks of a job", .type = TRACE_COUNT, .min = 1, .max = 100000),
    ENTRY(calls, "4", "most calls of a task", .type = TRACE_COUNT, .min = 1, .max = ETC_CALLS_MAX),
    ENTRY(gap, "1s", "mean time between arrivals; 0: all at once", .type = TRACE_DURATION),
    ENTRY(focus, "0.75", "chance of a call to be of its task's own API", .type = TRACE_NUMBER, .min = 0, .max = 1),
    ENTRY(size_min, "1kB", "least size of a call", .type = TRACE_BYTES, .min = 1),
    ENTRY(size_max, "1MB", "most size of a call", .type = TRACE_BYTES, .min = 1),
    ENTRY(result, "0.1", "a result is uniform in 0 .. this part of the size", .type = TRACE_NUMBER, .min = 0, .max = 1000),
};

static const struct trace_option options[] = {
    { .key = "etc", .type = TRACE_MAP, .sub = params, .n_sub = ARRAY_LEN(params), .help = "parameters of the table and of the jobs" },
};
static const char *const unused[] = { "gpus_per_task", NULL };

const struct trace_format etc_format = {
    .name = "etc", .summary = "tasks of API calls with times after Braun et al., made from the seed",
    .no_file = true, .needs_scenario = true, .unused = unused, .own_size = sizeof(struct etc_opts),
    .option = options, .n_options = ARRAY_LEN(options), .check = check_section, .open = open_etc,
};

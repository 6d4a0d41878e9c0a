/* etc.c -- draws the table of times and the jobs that call by it (etc.h says how).  O(rows x columns) a table. */
#include "input/synth/etc.h"

#include <math.h>
#include <stdio.h>
#include "base/mem.h"
#include "base/rng.h"
#include "input/trace/reader.h"
#include "model/data/net.h"

enum { JOBS_MAX = 100000000, APIS_MAX = 100000, POINTS_MAX = 64 };

void etc_defaults(struct etc_opts *o)
{
    *o = (struct etc_opts){
        .apis = 16, .points = 2, .task = ETC_TASK_LO, .machine = ETC_MACHINE_LO, .order = ETC_INCONSISTENT, .unit = 1000,
        .jobs = 150, .tasks = 4, .calls = 4, .gap = TICK_SEC, .focus = 0.75,
        .size_min = 1000, .size_max = 1000000, .result = 0.1,
    };
}

bool etc_check(const struct etc_opts *o, char *error, size_t cap)
{
    SIM_ASSERT(o->apis <= APIS_MAX && o->points <= POINTS_MAX && o->jobs <= JOBS_MAX && o->calls <= ETC_CALLS_MAX && o->size_max <= NET_SIZE_MAX);
    if (o->size_min > o->size_max) {
        (void)snprintf(error, cap, "'size_min' is above 'size_max'");
        return false;
    }
    if (o->points > 1 && o->size_max - o->size_min < o->points) {
        (void)snprintf(error, cap, "%lld points do not lie apart from %lld to %lld bytes", (long long)o->points, (long long)o->size_min, (long long)o->size_max);
        return false;
    }
    if (o->task * o->machine * (double)o->unit * (double)o->calls > (double)DUR_MAX) {
        (void)snprintf(error, cap, "a task of %lld calls of up to %g x %g units would last longer than %lld days", (long long)o->calls, o->task, o->machine,
                       (long long)(DUR_MAX / (86400 * TICK_SEC)));
        return false;
    }
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

static void draw_row(const struct etc_opts *o, uint64_t seed, uint64_t number, uint32_t n, double row[ENGINE_KINDS_MAX])
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
    double row[ENGINE_KINDS_MAX] = { 0 };
    char name[32];
    calltime_fini(t);
    for (int64_t a = 0; a < o->apis; a++) {
        (void)snprintf(name, sizeof name, "api%lld", (long long)a);
        uint32_t api = intern_id(&t->apis, name);
        for (int64_t p = 0; p < o->points; p++) {
            int64_t size = etc_size(o, p);
            if (p == 0 || o->by_size) draw_row(o, seed, (uint64_t)(o->by_size ? a * o->points + p : a), n, row);
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
            m->group[k].dur += calltime_best(o->times, c->api, c->size, m->mask);
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
    mem_free(m->group);
    mem_free(m->first);
    mem_free(m->n_calls);
    mem_free(m->call);
    mem_free(m);
}

static enum st open_etc(const struct trace_env *env, struct trace_reader *out, struct diag *d)
{
    const struct etc_opts *o = env->opts->etc;
    if (o == NULL) return diag_set(d, ST_EINPUT, "the format 'etc' needs a scenario: the engines of its cluster are the columns of the table");
    struct maker *m;
    MEM_NEW(m);
    m->env = *env;
    m->o = o;
    m->mask = cluster_engine_mask(env->cluster);
    for (size_t i = 0; i < N_ASPECTS; i++) rng_init(&m->rng[i], env->opts->seed, purposes[i], 0);
    MEM_ARRAY(m->group, (size_t)o->tasks);
    MEM_ARRAY(m->first, (size_t)o->tasks);
    MEM_ARRAY(m->n_calls, (size_t)o->tasks);
    etc_times(o, env->cluster, env->opts->seed, o->times);
    *out = (struct trace_reader){ .ctx = m, .next = next, .close = close_etc };
    return ST_OK;
}

const struct trace_format etc_format = {
    .name = "etc", .summary = "tasks of API calls with times after Braun et al., made from the seed", .no_file = true, .open = open_etc
};

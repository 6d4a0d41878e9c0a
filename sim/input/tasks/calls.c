/* calls.c -- the reader of calls.h: a job's rows, gathered while they name it.  Memory: the calls of one job. */
#include "input/tasks/calls.h"

#include <inttypes.h>
#include <string.h>
#include "base/mem.h"
#include "input/text/csv.h"
#include "model/calls/calltime.h"
#include "model/data/net.h"

enum { CALLS_MAX = 10000000 };

enum col { JOB, TASK, CALL, API, SIZE, RESULT, N_COLS };
static const char *const names[N_COLS] = { "job", "task", "call", "api", "size_b", "result_b" };

struct calls_reader {
    struct trace_env env;
    const char *path;               /* borrowed */
    uint32_t mask;                  /* engine types of the cluster */
    struct csv *csv;
    bool   has_row;                 /* the csv stands at a row not yet read */
    int    at[N_COLS];
    char  *job;
    struct call *call;          size_t cap_call;    uint32_t n_calls;
    uint32_t *first, *n;        size_t cap_first, cap_n;
    sim_tick *dur;              size_t cap_dur;     /* by task */
    struct task_group *group;   size_t cap_group;
    struct task_calls calls;
};

static enum st advance(struct calls_reader *s, struct diag *d)
{
    enum st st = csv_next(s->csv, d);
    s->has_row = st == ST_OK;
    if (st == ST_OK) return csv_need(s->csv, s->at[JOB], d);
    return st == ST_END ? ST_OK : st;
}

const char *calls_next(const struct calls_reader *s) { return s->has_row ? csv_field(s->csv, s->at[JOB]) : NULL; }

static enum st unknown_api(const struct calls_reader *s, struct diag *d)
{
    const struct intern *apis = &s->env.opts->times->apis;
    enum st st = csv_fail(s->csv, s->at[API], d, "found API '%.60s', which the table of times does not have", csv_field(s->csv, s->at[API]));
    const char *near = diag_nearest(csv_field(s->csv, s->at[API]), (const char *const *)apis->name, apis->n);
    if (near != NULL) diag_hint(d, "did you mean '%s'?", near);
    return st;
}

/* One call of a task that has made k so far; its best time is added to *dur. */
static enum st read_call(struct calls_reader *s, uint32_t k, sim_tick *dur, struct diag *d)
{
    const struct calltime *t = s->env.opts->times;
    struct call c = { .result = 0 };
    int64_t number = 0;
    TRY(csv_need(s->csv, s->at[API], d));
    TRY(csv_need(s->csv, s->at[CALL], d));
    TRY(csv_need(s->csv, s->at[SIZE], d));
    TRY(csv_int(s->csv, s->at[CALL], 0, CALLS_MAX, &number, d));
    if (number != k) return csv_fail(s->csv, s->at[CALL], d, "found call %" PRId64 ", expected %" PRIu32 ": the calls of a task are numbered from 0, in order", number, k);
    TRY(csv_int(s->csv, s->at[SIZE], 1, NET_SIZE_MAX, &c.size, d));
    TRY(csv_int(s->csv, s->at[RESULT], 0, NET_SIZE_MAX, &c.result, d));
    c.api = intern_find(&t->apis, csv_field(s->csv, s->at[API]));
    if (c.api == NONE) return unknown_api(s, d);
    sim_tick best = calltime_best(t, c.api, c.size, s->mask);
    if (best < 0) {
        enum st st = csv_fail(s->csv, s->at[SIZE], d, "no engine of this cluster has a time for API '%.60s' at %" PRId64 " bytes", csv_field(s->csv, s->at[API]), c.size);
        diag_hint(d, "times are known between the smallest and the largest size in the table; a single size stands for all");
        return st;
    }
    if (*dur > DUR_MAX - best) return csv_fail(s->csv, s->at[API], d, "the calls of job '%.60s' last longer than %lld days", s->job, (long long)(DUR_MAX / (86400 * TICK_SEC)));
    *dur += best;
    if (s->n_calls == CALLS_MAX) return csv_fail(s->csv, s->at[CALL], d, "job '%.60s' makes more than %d calls", s->job, CALLS_MAX);
    MEM_RESERVE(s->call, s->cap_call, (size_t)s->n_calls + 1);
    s->call[s->n_calls++] = c;
    return ST_OK;
}

static bool is_same_job(const struct calls_reader *s) { return s->has_row && strcmp(calls_next(s), s->job) == 0; }

/* Rows without a task: every task makes these calls. */
static enum st read_common(struct calls_reader *s, uint32_t n_tasks, struct diag *d)
{
    sim_tick dur = 0;
    while (is_same_job(s)) {
        if (*csv_field(s->csv, s->at[TASK]) != '\0') return csv_fail(s->csv, s->at[TASK], d, "task '%.60s', but rows above give calls for every task of job '%.60s'", csv_field(s->csv, s->at[TASK]), s->job);
        TRY(read_call(s, s->n_calls, &dur, d));
        TRY(advance(s, d));
    }
    for (uint32_t k = 0; k < n_tasks; k++) {
        s->first[k] = 0;
        s->n[k] = s->n_calls;
        s->dur[k] = dur;
    }
    return ST_OK;
}

static enum st read_tasks(struct calls_reader *s, uint32_t n_tasks, struct diag *d)
{
    uint32_t next = 0, k = 0;       /* the next task; calls of the one before */
    sim_tick all = 0;
    while (is_same_job(s)) {
        int64_t task = -1;
        TRY(csv_need(s->csv, s->at[TASK], d));
        TRY(csv_int(s->csv, s->at[TASK], 0, INT64_MAX, &task, d));
        if (task >= n_tasks) return csv_fail(s->csv, s->at[TASK], d, "%" PRId64 ", but job '%.60s' has tasks 0 to %" PRIu32, task, s->job, n_tasks - 1);
        if (next == 0 || task != next - 1) {
            if (task != next) return csv_fail(s->csv, s->at[TASK], d, "found task %" PRId64 ", expected %" PRIu32 ": tasks come in order, each with its calls together", task, next);
            s->first[next] = s->n_calls;
            s->n[next] = 0;
            s->dur[next++] = 0;
            k = 0;
        }
        sim_tick was = all;
        TRY(read_call(s, k++, &all, d));
        s->n[next - 1] = k;
        s->dur[next - 1] += all - was;
        TRY(advance(s, d));
    }
    if (next == n_tasks) return ST_OK;
    return diag_at(d, ST_EINPUT, s->path, s->has_row ? csv_line(s->csv) : 0, 0,
                   "job '%s' ends without calls for its task %" PRIu32 "; all of its tasks make calls, or none", s->job, next);
}

/* The same tasks, with their times: a new group where shape or time differs. */
static void regroup(struct calls_reader *s, struct job_spec *out)
{
    uint32_t n = 0, k = 0;
    for (uint32_t g = 0; g < out->n_groups; g++)
        for (uint32_t i = 0; i < out->group[g].n; i++, k++) {
            if (i > 0 && s->group[n - 1].dur == s->dur[k]) { s->group[n - 1].n++; continue; }
            MEM_RESERVE(s->group, s->cap_group, (size_t)n + 1);
            s->group[n] = out->group[g];
            s->group[n].n = 1;
            s->group[n++].dur = s->dur[k];
        }
    out->group = s->group;
    out->n_groups = n;
}

enum st calls_read(struct calls_reader *s, struct job_spec *out, struct diag *d)
{
    SIM_ASSERT(s->has_row);
    uint64_t n_tasks = 0;
    for (uint32_t g = 0; g < out->n_groups; g++) {
        n_tasks += out->group[g].n;
        if (out->group[g].dur > 0)
            return csv_fail(s->csv, s->at[JOB], d, "job '%.60s' makes calls, whose times are in the table; its own duration must be empty, or 0 in stages", out->id);
    }
    if (out->node != NULL) return csv_fail(s->csv, s->at[JOB], d, "job '%.60s' is bound to a node; tasks of calls are sent to nodes by the policy", out->id);
    if (out->gang) return csv_fail(s->csv, s->at[JOB], d, "tasks of a gang start together; those of job '%.60s' make calls", out->id);
    if (n_tasks > CALLS_MAX) return csv_fail(s->csv, s->at[JOB], d, "job '%.60s' has more than %d tasks", out->id, CALLS_MAX);
    mem_free(s->job);
    s->job = mem_strdup(out->id);
    s->n_calls = 0;
    MEM_RESERVE(s->first, s->cap_first, n_tasks);
    MEM_RESERVE(s->n, s->cap_n, n_tasks);
    MEM_RESERVE(s->dur, s->cap_dur, n_tasks);
    TRY(*csv_field(s->csv, s->at[TASK]) == '\0' ? read_common(s, (uint32_t)n_tasks, d) : read_tasks(s, (uint32_t)n_tasks, d));
    regroup(s, out);
    s->calls = (struct task_calls){ .first = s->first, .n = s->n, .call = s->call, .n_calls = s->n_calls };
    out->calls = &s->calls;
    return ST_OK;
}

enum st calls_end(const struct calls_reader *s, struct diag *d)
{
    if (!s->has_row) return ST_OK;
    enum st st = csv_fail(s->csv, s->at[JOB], d, "job '%.60s' is not in %s, or stands earlier there", calls_next(s), s->env.opts->path);
    diag_hint(d, "calls come in the order of the jobs, those of one job together");
    return st;
}

enum st calls_open(struct calls_reader **out, const struct trace_env *env, const char *path, struct diag *d)
{
    static const bool need[N_COLS] = { [JOB] = true, [TASK] = true, [CALL] = true, [API] = true, [SIZE] = true };
    if (!env->opts->has_times) return diag_set(d, ST_EINPUT, "calls need a scenario: it says how long they take");
    struct calls_reader *s;
    MEM_NEW(s);
    s->env = *env;
    s->path = path;
    s->mask = cluster_engine_types(env->cluster);
    enum st st = csv_open(&s->csv, path, ',', d);
    if (st == ST_OK) st = csv_columns(s->csv, names, need, s->at, N_COLS, false,
                                         DIAG_DOC("traces/README.md") " lists the columns of a file of calls", d);
    if (st == ST_OK) st = advance(s, d);
    if (st != ST_OK) {
        calls_close(s);
        return st;
    }
    *out = s;
    return ST_OK;
}

void calls_close(struct calls_reader *s)
{
    if (s == NULL) return;
    csv_close(s->csv);
    mem_free(s->job);
    mem_free(s->call);
    mem_free(s->first);
    mem_free(s->n);
    mem_free(s->dur);
    mem_free(s->group);
    mem_free(s);
}

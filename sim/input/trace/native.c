/*
 * The native format: jobs.csv, one row a job.  Layer: input.
 * traces/README.md is the reference of its columns.
 *
 * Figures are per task.  A job whose tasks are not all alike has several groups
 * of tasks, and each per-task column holds one figure a group, joined by '+';
 * a single figure stands for all groups.  A job with rows in stages.csv
 * (input/tasks/stages.h) has its tasks from there, and one with rows in calls.csv
 * (input/tasks/calls.h) their times.
 */
#include <inttypes.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"
#include "input/tasks/dag.h"
#include "input/text/find.h"
#include "input/trace/reader.h"
#include "input/tasks/calls.h"
#include "input/tasks/stages.h"

enum { GROUPS_MAX = 64, TASKS_MAX = 1000000 };
#define MIB (INT64_C(1) << 20)

enum col {
    ID, SUBMIT, DURATION, USER, QUEUE, TASKS, GANG, CPUS, MEM, GPUS, GPU_MILLI, GPU_MEM,
    GPU_TYPE, LABELS, EXCLUSIVE, LIMIT, MODEL, PRIORITY, CLASS, MEM_BW, HINTS, GPU_CORES, NODE, LICENCES, WORKFLOW, N_COLS
};
static const char *const names[N_COLS] = {
    "id", "submit_s", "duration_s", "user", "queue", "tasks", "gang", "cpus", "mem_mib", "gpus",
    "gpu_milli", "gpu_mem_mib", "gpu_type", "labels", "exclusive", "limit_s", "model", "priority", "class",
    "mem_bw_mbs", "hints", "gpu_cores", "node", "licences", "workflow"
};

struct native {
    struct trace_env env;
    struct csv *csv;
    struct stages_reader *stages;    /* NULL: none */
    struct calls_reader *calls;      /* NULL: none */
    int at[N_COLS];
    struct task_group group[GROUPS_MAX];
    struct intern dag_names;            /* workflow files read so far */
    struct dag *dag; size_t cap_dag;    /* [dag_names.n] */
    struct dag_job job;             /* of the present row, from its workflow file */
};

/* The figures of one column, as many as there are groups. */
struct figures { int64_t v[GROUPS_MAX]; uint32_t n; };

/* `unit` 0: a whole number.  An empty field leaves n 0. */
static enum st read_figures(struct native *x, enum col col, int64_t unit, int64_t min, int64_t max,
                            struct figures *out, struct diag *d)
{
    const char *s = csv_field(x->csv, x->at[col]);
    out->n = 0;
    while (*s != '\0') {
        char one[64];
        size_t len = strcspn(s, "+");
        if (out->n == GROUPS_MAX) return csv_fail(x->csv, x->at[col], d, "more than %d groups of tasks", GROUPS_MAX);
        int64_t *v = &out->v[out->n];
        bool ok = len > 0 && len < sizeof one && (s[len] == '\0' || s[len + 1] != '\0');
        if (ok) {
            memcpy(one, s, len);
            one[len] = '\0';
            ok = (unit > 0 || strchr(one, '.') == NULL) && csv_decimal(one, unit > 0 ? unit : 1, v);
        }
        if (!ok)
            return csv_fail(x->csv, x->at[col], d, "'%.60s' is not %s", csv_field(x->csv, x->at[col]),
                            unit > 0 ? "a number >= 0, or is too large" : "a whole number >= 0");
        if (*v < min || *v > max)
            return csv_fail(x->csv, x->at[col], d, "'%s' is outside %lld..%lld", one, (long long)(min / (unit > 0 ? unit : 1)),
                            (long long)(max / (unit > 0 ? unit : 1)));
        out->n++;
        s += len + (s[len] == '+');
    }
    return ST_OK;
}

static int64_t figure(const struct figures *f, uint32_t k, int64_t dflt)
{
    return f->n == 0 ? dflt : f->v[f->n == 1 ? 0 : k];
}

static enum st read_flag(struct native *x, enum col col, bool *out, struct diag *d)
{
    int64_t v = 0;
    TRY(csv_int(x->csv, x->at[col], 0, 1, &v, d));
    *out = v != 0;
    return ST_OK;
}

/* Empty strings are "none". */
static const char *text(const struct native *x, enum col col)
{
    const char *s = csv_field(x->csv, x->at[col]);
    return *s != '\0' ? s : NULL;
}

/* Types, labels and exclusive: the job's, whatever its groups of tasks. */
static enum st read_common(struct native *x, struct shape *out, struct diag *d)
{
    char error[256];
    const char *labels = text(x, LABELS), *gpu_type = text(x, GPU_TYPE);
    *out = (struct shape){ .n_gpu = 0 };
    if (labels != NULL && !trace_labels(&x->env, labels, &out->need_all, &out->need_any, error, sizeof error))
        return csv_fail(x->csv, x->at[LABELS], d, "%s", error);
    if (gpu_type != NULL && !trace_gpu_types(&x->env, gpu_type, &out->gpu_types, error, sizeof error))
        return csv_fail(x->csv, x->at[GPU_TYPE], d, "%s", error);
    bool exclusive = false;
    TRY(read_flag(x, EXCLUSIVE, &exclusive, d));
    out->exclusive = exclusive;
    return trace_licences(&x->env, x->csv, x->at[LICENCES], out, d);
}

/* A type asked for by a job without a GPU is a mistake. */
static enum st check_type(const struct native *x, const struct job_spec *out, struct diag *d)
{
    for (uint32_t k = 0; k < out->n_groups; k++) if (out->group[k].shape.n_gpu > 0) return ST_OK;
    const char *gpu_type = text(x, GPU_TYPE);
    return gpu_type == NULL ? ST_OK : csv_fail(x->csv, x->at[GPU_TYPE], d, "'%s', but the job asks for no GPUs", gpu_type);
}

static enum st read_groups(struct native *x, struct job_spec *out, struct diag *d)
{
    static const enum col per_task[] = { TASKS, DURATION, CPUS, MEM, GPUS, GPU_MILLI, GPU_MEM, MEM_BW, GPU_CORES };
    struct figures f[N_COLS];
    const struct trace_opts *o = x->env.opts;
    TRY(read_figures(x, TASKS, 0, 1, TASKS_MAX, &f[TASKS], d));
    TRY(read_figures(x, DURATION, TICK_SEC, 0, DUR_MAX, &f[DURATION], d));
    TRY(trace_micros(x->csv, x->at[DURATION], d));
    TRY(read_figures(x, CPUS, 1000, 0, INT64_C(1000000000), &f[CPUS], d));
    TRY(read_figures(x, MEM, MIB, 0, INT64_MAX / 1024, &f[MEM], d));
    TRY(read_figures(x, GPUS, 0, 0, NODE_GPUS_MAX, &f[GPUS], d));
    TRY(read_figures(x, GPU_MILLI, 0, 0, GPU_WHOLE, &f[GPU_MILLI], d));
    TRY(read_figures(x, GPU_MEM, MIB, 0, INT64_MAX / 1024, &f[GPU_MEM], d));
    TRY(read_figures(x, MEM_BW, 1000000, 0, INT64_MAX / 1024, &f[MEM_BW], d));
    TRY(read_figures(x, GPU_CORES, 0, 0, INT32_MAX, &f[GPU_CORES], d));
    uint32_t n = 1;
    for (size_t i = 0; i < ARRAY_LEN(per_task); i++) if (f[per_task[i]].n > n) n = f[per_task[i]].n;
    for (size_t i = 0; i < ARRAY_LEN(per_task); i++)
        if (f[per_task[i]].n > 1 && f[per_task[i]].n < n)
            return csv_fail(x->csv, x->at[per_task[i]], d, "%u figures, but another column has one for each of %u groups of tasks",
                            f[per_task[i]].n, n);
    struct shape common;
    TRY(read_common(x, &common, d));
    for (uint32_t k = 0; k < n; k++) {
        int64_t gpus = figure(&f[GPUS], k, 0), milli = figure(&f[GPU_MILLI], k, gpus > 0 ? GPU_WHOLE : 0);
        int64_t gpu_mem = figure(&f[GPU_MEM], k, 0), cores = figure(&f[GPU_CORES], k, 0);
        if (gpus > 0 && milli == 0) return csv_fail(x->csv, x->at[GPU_MILLI], d, "0, but the job asks for GPUs; expected 1..1000");
        if (gpus == 0 && f[GPU_MILLI].n > 0 && milli > 0 && n == 1)
            return csv_fail(x->csv, x->at[GPU_MILLI], d, "a share of a card, but the job asks for no GPUs");
        if (gpus == 0 && gpu_mem > 0 && n == 1)
            return csv_fail(x->csv, x->at[GPU_MEM], d, "memory of a card, but the job asks for no GPUs");
        if (gpus == 0 && cores > 0 && n == 1)
            return csv_fail(x->csv, x->at[GPU_CORES], d, "cores of a card, but the job asks for no GPUs");
        struct task_group *g = &x->group[k];
        *g = (struct task_group){ .n = (uint32_t)figure(&f[TASKS], k, 1), .dur = figure(&f[DURATION], k, 0),
                                    .mem_bw = figure(&f[MEM_BW], k, 0), .shape = common };
        g->shape.cpu_milli = figure(&f[CPUS], k, gpus > 0 ? gpus * o->dflt.cpu_milli_per_gpu : o->dflt.cpu_milli);
        g->shape.mem_b = figure(&f[MEM], k, gpus > 0 ? gpus * o->dflt.mem_b_per_gpu : o->dflt.mem_b);
        g->shape.n_gpu = (int32_t)gpus;
        g->shape.gpu_milli = gpus > 0 ? (int32_t)milli : 0;
        g->shape.gpu_mem_b = gpus > 0 ? gpu_mem : 0;
        g->shape.gpu_cores = gpus > 0 ? (int32_t)cores : 0;
        if (gpus == 0) g->shape.gpu_types = 0;
        if (out->gang && x->group[k].dur != x->group[0].dur)
            return csv_fail(x->csv, x->at[DURATION], d, "tasks of a gang job end together; one duration for all groups expected");
    }
    out->group = x->group;
    out->n_groups = n;
    return check_type(x, out, d);
}

static const char *const hint_names[] = { "pipelined", "weights", "complex" };     /* bits HINT_... in order */

/* Words joined by '+'. */
static enum st read_hints(const struct native *x, uint32_t *out, struct diag *d)
{
    const char *s = csv_field(x->csv, x->at[HINTS]);
    *out = 0;
    while (*s != '\0') {
        size_t len = strcspn(s, "+"), k = 0;
        while (k < ARRAY_LEN(hint_names) && (strlen(hint_names[k]) != len || memcmp(hint_names[k], s, len) != 0)) k++;
        if (k == ARRAY_LEN(hint_names) || (s[len] == '+' && s[len + 1] == '\0'))
            return csv_fail(x->csv, x->at[HINTS], d, "'%.60s' is not a list of pipelined, weights and complex, joined by '+'", csv_field(x->csv, x->at[HINTS]));
        *out |= 1u << k;
        s += len + (s[len] == '+');
    }
    return ST_OK;
}

/* ---- jobs with stages ---- */

static bool has_stages(const struct native *x)
{
    const char *job = x->stages != NULL ? stages_next(x->stages) : NULL;
    return job != NULL && strcmp(job, csv_field(x->csv, x->at[ID])) == 0;
}

static bool has_calls(const struct native *x)
{
    const char *job = x->calls != NULL ? calls_next(x->calls) : NULL;
    return job != NULL && strcmp(job, csv_field(x->csv, x->at[ID])) == 0;
}

static enum st read_stages(struct native *x, struct job_spec *out, struct diag *d)
{
    static const enum col per_task[] = { TASKS, DURATION, CPUS, MEM, GPUS, GPU_MILLI, GPU_MEM, MEM_BW, GPU_CORES };
    struct shape common;
    for (size_t i = 0; i < ARRAY_LEN(per_task); i++)
        if (text(x, per_task[i]) != NULL)
            return csv_fail(x->csv, x->at[per_task[i]], d, "'%.60s', but job '%.60s' has its tasks from stages; expected nothing", text(x, per_task[i]), out->id);
    if (out->gang) return csv_fail(x->csv, x->at[GANG], d, "tasks of a gang start together; those of job '%.60s' come in stages", out->id);
    TRY(read_common(x, &common, d));
    TRY(stages_read(x->stages, &common, out, d));
    return check_type(x, out, d);
}

/* ---- jobs whose tasks stand in a file of their own ---- */

static enum st load_dag(struct native *x, const char *name, const struct dag **out, struct diag *d)
{
    uint32_t id = intern_find(&x->dag_names, name);
    if (id != NONE) { *out = &x->dag[id]; return ST_OK; }
    struct diag own = { .code = ST_OK };
    char *path = find_file(x->env.opts->path, name, &own);
    if (path == NULL) {
        enum st st = csv_fail(x->csv, x->at[WORKFLOW], d, "%s", own.msg);
        if (own.hint[0] != '\0') diag_hint(d, "%s", own.hint);
        return st;
    }
    MEM_RESERVE(x->dag, x->cap_dag, (size_t)x->dag_names.n + 1);
    struct dag *g = &x->dag[x->dag_names.n];
    enum st st = dag_load(g, path, d);
    mem_free(path);
    if (st == ST_OK && x->env.opts->measured != NULL && (st = dag_measure(g, x->env.opts->measured, d)) != ST_OK) dag_fini(g);
    if (st == ST_OK) *out = &x->dag[intern_id(&x->dag_names, name)];
    return st;
}

/* A file that is not there is told when its row is read. */
static enum st hash_rows(struct csv *c, int at, const struct trace_opts *o, struct intern *seen, uint64_t *h, struct diag *d)
{
    enum st st;
    while ((st = csv_next(c, d)) == ST_OK) {
        const char *name = csv_field(c, at);
        if (*name == '\0' || intern_find(seen, name) != NONE) continue;
        struct diag none = { .code = ST_OK };
        char *path = find_file(o->path, name, &none);
        (void)intern_id(seen, name);
        st = path != NULL ? trace_hash_file(path, h, d) : ST_OK;
        mem_free(path);
        if (st != ST_OK) return st;
    }
    return st == ST_END ? ST_OK : st;
}

enum st trace_native_hash(const struct trace_opts *o, uint64_t *h, struct diag *d)
{
    static const char *const column[] = { "workflow" };
    static const bool need[] = { false };
    struct intern seen = { .n = 0 };
    struct csv *c;
    int at;
    TRY(csv_open(&c, o->path, ',', d));
    /* A header that is wrong is told by the reader, which knows all columns. */
    struct diag none = { .code = ST_OK };
    enum st st = ST_OK;
    if (csv_columns(c, column, need, &at, 1, true, NULL, &none) == ST_OK && at != CSV_ABSENT) st = hash_rows(c, at, o, &seen, h, d);
    csv_close(c);
    intern_fini(&seen);
    return st;
}

static enum st read_workflow(struct native *x, struct job_spec *out, struct diag *d)
{
    static const enum col none[] = { TASKS, DURATION, GPUS, GPU_MILLI, GPU_MEM, MEM_BW, GPU_CORES, NODE };
    const struct trace_opts *o = x->env.opts;
    const struct dag *g;
    struct shape common;
    for (size_t i = 0; i < ARRAY_LEN(none); i++)
        if (text(x, none[i]) != NULL)
            return csv_fail(x->csv, x->at[none[i]], d, "'%.60s', but job '%.60s' has its tasks from a workflow file; expected nothing", text(x, none[i]), out->id);
    if (out->gang) return csv_fail(x->csv, x->at[GANG], d, "tasks of a gang start together; those of job '%.60s' wait for each other", out->id);
    if (has_stages(x)) return csv_fail(x->csv, x->at[WORKFLOW], d, "job '%.60s' has stages as well; its tasks come from one of the two", out->id);
    TRY(read_common(x, &common, d));
    common.cpu_milli = o->dflt.cpu_milli;
    common.mem_b = o->dflt.mem_b;
    TRY(csv_scaled(x->csv, x->at[CPUS], 1000, INT64_C(1000000000), &common.cpu_milli, d));
    TRY(csv_scaled(x->csv, x->at[MEM], MIB, INT64_MAX / 1024, &common.mem_b, d));
    TRY(load_dag(x, text(x, WORKFLOW), &g, d));
    dag_job_fini(&x->job);
    if (o->measured != NULL) TRY(dag_spec_calls(g, &x->env, &common, &x->job, d));
    else TRY(dag_spec(g, &x->env, &common, &x->job, d));
    if (g->n_rounded > 0) TRY(trace_repair(&x->env, "times of a workflow's tasks finer than a microsecond, rounded", out->line, d));
    out->group = x->job.group;
    out->n_groups = x->job.n;
    out->graph = &x->job.graph;
    out->calls = o->measured != NULL ? &x->job.calls : NULL;
    return check_type(x, out, d);
}

/* A job without rows in stages.csv has a duration; that it has none may mean that the rows stand elsewhere. */
static enum st need_duration(const struct native *x, struct diag *d)
{
    if (text(x, DURATION) != NULL) return ST_OK;
    enum st st = csv_fail(x->csv, x->at[DURATION], d, "is empty");
    if (x->stages == NULL) return st;
    const char *job = stages_next(x->stages);
    if (job != NULL) diag_hint(d, "the next row of the stages is of job '%.60s'; they come in the order of the jobs", job);
    else diag_hint(d, "the stages have no row of this job that is left; they come in the order of the jobs");
    return st;
}

static enum st next(void *ctx, struct job_spec *out, struct diag *d)
{
    struct native *x = ctx;
    const struct csv *c = x->csv;
    enum st st = csv_next(x->csv, d);
    if (st == ST_END && x->stages != NULL) TRY(stages_end(x->stages, d));
    if (st == ST_END && x->calls != NULL) TRY(calls_end(x->calls, d));
    TRY(st);
    trace_blank(out);
    TRY(csv_need(c, x->at[ID], d));
    TRY(csv_need(c, x->at[SUBMIT], d));
    bool from_file = text(x, WORKFLOW) != NULL, staged = !from_file && has_stages(x);
    if (!staged && !from_file && !has_calls(x)) TRY(need_duration(x, d));
    out->id = text(x, ID);
    out->user = text(x, USER);
    out->queue = text(x, QUEUE);
    out->model = text(x, MODEL);
    out->klass = text(x, CLASS);
    out->line = csv_line(c);
    int64_t priority = 0;
    TRY(csv_scaled(c, x->at[SUBMIT], TICK_SEC, TRACE_TIME_MAX, &out->submit, d));
    TRY(trace_micros(x->csv, x->at[SUBMIT], d));
    TRY(csv_seconds(c, x->at[LIMIT], &out->limit, d));
    TRY(trace_micros(x->csv, x->at[LIMIT], d));
    if (out->limit == 0) return csv_fail(c, x->at[LIMIT], d, "a limit of 0; leave the field empty for no limit");
    TRY(csv_int(c, x->at[PRIORITY], INT32_MIN, INT32_MAX, &priority, d));
    out->priority = (int32_t)priority;
    TRY(read_flag(x, GANG, &out->gang, d));
    TRY(read_hints(x, &out->hints, d));
    out->node = text(x, NODE);
    if (out->node != NULL && out->gang) return csv_fail(c, x->at[NODE], d, "'%.60s', but a gang cannot be bound to one node", out->node);
    if (out->node != NULL && x->env.cluster->n_nodes > 0 && intern_find(&x->env.cluster->node_names, out->node) == NONE)
        return csv_fail(c, x->at[NODE], d, "the cluster has no node '%.60s'", out->node);
    TRY(from_file ? read_workflow(x, out, d) : staged ? read_stages(x, out, d) : read_groups(x, out, d));
    return has_calls(x) ? calls_read(x->calls, out, d) : ST_OK;
}

static void close_native(void *ctx)
{
    struct native *x = ctx;
    csv_close(x->csv);
    stages_close(x->stages);
    for (uint32_t i = 0; i < x->dag_names.n; i++) dag_fini(&x->dag[i]);
    mem_free(x->dag);
    intern_fini(&x->dag_names);
    dag_job_fini(&x->job);
    calls_close(x->calls);
    mem_free(x);
}

static enum st open_native(const struct trace_env *env, struct trace_reader *out, struct diag *d)
{
    static const bool need[N_COLS] = { [ID] = true, [SUBMIT] = true };
    static const char advice[] = "traces/README.md lists the columns of the native format";
    struct native *x;
    MEM_NEW(x);
    *out = (struct trace_reader){ .ctx = x, .next = next, .close = close_native };
    x->env = *env;
    TRY(csv_open(&x->csv, env->opts->path, ',', d));
    TRY(csv_columns(x->csv, names, need, x->at, N_COLS, false, advice, d));
    if (env->opts->stages_path == NULL && env->opts->calls_path == NULL && x->at[WORKFLOW] == CSV_ABSENT && x->at[DURATION] == CSV_ABSENT) {
        enum st st = diag_at(d, ST_EINPUT, env->opts->path, csv_line(x->csv), 0, "column 'duration_s' is missing");
        diag_hint(d, "%s", advice);
        return st;
    }
    if (env->opts->stages_path != NULL) TRY(stages_open(&x->stages, env, d));
    if (env->opts->calls_path != NULL) TRY(calls_open(&x->calls, env, d));
    return ST_OK;
}

const struct trace_format native_format = {
    .name = "native", .summary = "Fairway's own: CSV with a header, one row a job", .open = open_native
};

/* ---- writing ---- */

/* Not every file has every column: see trace.h. */
static bool has_column(const struct cluster *c, bool bare, enum col col)
{
    return col == WORKFLOW ? false : col == LICENCES ? c->licences.n > 0 : !bare || (col != GPU_CORES && col != NODE);
}

void trace_native_header(FILE *f, const struct cluster *c, bool bare)
{
    for (size_t i = 0; i < N_COLS; i++)
        if (has_column(c, bare, (enum col)i)) (void)fprintf(f, "%s%s", i > 0 ? "," : "", names[i]);
    (void)fputc('\n', f);
}

/* whole + part / 10^decimals without trailing zeros: exact. */
static void put_parts(FILE *f, int64_t whole, int64_t part, int decimals)
{
    char frac[24];
    (void)fprintf(f, "%" PRId64, whole);
    if (part == 0) return;
    (void)snprintf(frac, sizeof frac, "%0*" PRId64, decimals, part);
    size_t n = strlen(frac);
    while (frac[n - 1] == '0') n--;
    (void)fprintf(f, ".%.*s", (int)n, frac);
}

/* v / 10^decimals */
static void put_decimal(FILE *f, int64_t v, int decimals)
{
    int64_t scale = 1;
    for (int i = 0; i < decimals; i++) scale *= 10;
    put_parts(f, v / scale, v % scale, decimals);
}

/* Seven decimals of a MiB are a tenth of a byte: reading rounds back to the same byte. */
static void put_mib(FILE *f, int64_t b)
{
    int64_t tenths = b % MIB * 10000000;
    put_parts(f, b / MIB, tenths / MIB + (tenths % MIB * 2 >= MIB), 7);
}

static void put_text(FILE *f, const char *s)
{
    if (s == NULL) return;
    /* Empty is not absent, and libcsv trims unquoted blanks. */
    text_csv(s, *s == '\0' || strspn(s, " \t") > 0 || strchr(" \t", s[strlen(s) - 1]) != NULL, f);
}

static void put_names(FILE *f, const struct intern *t, uint64_t mask, char sep)
{
    for (uint32_t i = 0, n = 0; i < 64; i++)
        if (mask >> i & 1) (void)fprintf(f, "%s%s", n++ > 0 ? (const char[]){ sep, '\0' } : "", intern_name(t, i));
}

enum unit { WHOLE, MILLI, MICRO, MEBI };

static void put_figure(FILE *f, int64_t v, enum unit unit)
{
    if (unit == MEBI) put_mib(f, v);
    else put_decimal(f, v, unit == WHOLE ? 0 : unit == MILLI ? 3 : 6);
}

/* One figure a group, one for all when they are equal. */
static void put_cells(FILE *f, const int64_t *v, uint32_t n, enum unit unit)
{
    bool same = true;
    for (uint32_t k = 1; k < n; k++) same = same && v[k] == v[0];
    for (uint32_t k = 0; k < (same ? 1 : n); k++) {
        if (k > 0) (void)fputc('+', f);
        put_figure(f, v[k], unit);
    }
}

static void put_figures(FILE *f, const int64_t *v, uint32_t n, enum unit unit)
{
    put_cells(f, v, n, unit);
    (void)fputc(',', f);
}

static void put_licences(FILE *f, const struct cluster *c, const struct shape *s)
{
    (void)fputc(',', f);
    for (uint32_t k = 0, n = 0; k < c->licences.n; k++)
        if (s->licence[k] > 0) (void)fprintf(f, "%s%s:%" PRId32, n++ > 0 ? ";" : "", intern_name(&c->licences, k), s->licence[k]);
}

/* What differs between a job's groups; any: some group has more of it than the format's default. */
enum { F_TASKS, F_DUR, F_CPU, F_MEM, F_GPUS, F_MILLI, F_GMEM, F_BW, F_GCORES, N_F };
struct row_figures { int64_t v[N_F][GROUPS_MAX]; bool any[N_F]; uint32_t n; const struct shape *shape; };

static void gather(struct row_figures *x, const struct job_spec *s)
{
    SIM_ASSERT(s->n_groups <= GROUPS_MAX);
    /* Types, labels and exclusive are the job's: any group's shape has them. */
    *x = (struct row_figures){ .n = s->n_groups, .shape = &s->group[0].shape };
    for (uint32_t k = 0; k < s->n_groups; k++) {
        const struct task_group *g = &s->group[k];
        const int64_t v[N_F] = {
            [F_TASKS] = g->n, [F_DUR] = g->dur, [F_CPU] = g->shape.cpu_milli, [F_MEM] = g->shape.mem_b,
            [F_GPUS] = g->shape.n_gpu, [F_MILLI] = g->shape.gpu_milli, [F_GMEM] = g->shape.gpu_mem_b,
            [F_BW] = g->mem_bw, [F_GCORES] = g->shape.gpu_cores,
        };
        for (int i = 0; i < N_F; i++) {
            x->v[i][k] = v[i];
            x->any[i] |= i == F_MILLI ? g->shape.n_gpu > 0 && v[i] != GPU_WHOLE : v[i] > 0;
        }
        if (g->shape.n_gpu > 0) x->shape = &g->shape;
    }
}

static void put_field(FILE *f, const char *s)
{
    put_text(f, s);
    (void)fputc(',', f);
}

/* Empty where no group has any. */
static void put_some(FILE *f, const struct row_figures *x, int figure, enum unit unit)
{
    if (x->any[figure]) put_cells(f, x->v[figure], x->n, unit);
    (void)fputc(',', f);
}

static void put_labels(FILE *f, const struct cluster *c, const struct shape *s)
{
    put_names(f, &c->labels, s->need_all, '&');
    if (s->need_any == 0) return;
    (void)fputs(s->need_all != 0 ? "&(" : "(", f);
    put_names(f, &c->labels, s->need_any, '|');
    (void)fputc(')', f);
}

void trace_native_write(FILE *f, const struct job_spec *s, const struct cluster *c, bool bare)
{
    struct row_figures x;
    gather(&x, s);
    put_field(f, s->id);
    put_decimal(f, s->submit, 6);
    (void)fputc(',', f);
    put_figures(f, x.v[F_DUR], x.n, MICRO);
    put_field(f, s->user);
    put_field(f, s->queue);
    /* The number of groups is that of the longest list, so the task counts of several groups are never folded. */
    for (uint32_t k = 0; k < x.n; k++) (void)fprintf(f, "%s%" PRId64, k > 0 ? "+" : "", x.v[F_TASKS][k]);
    (void)fprintf(f, ",%d,", s->gang);
    put_figures(f, x.v[F_CPU], x.n, MILLI);
    put_figures(f, x.v[F_MEM], x.n, MEBI);
    put_figures(f, x.v[F_GPUS], x.n, WHOLE);
    put_some(f, &x, F_MILLI, WHOLE);
    put_some(f, &x, F_GMEM, MEBI);
    if (x.any[F_GPUS]) put_names(f, &c->gpu_types, x.shape->gpu_types, '|');
    (void)fputc(',', f);
    put_labels(f, c, x.shape);
    (void)fprintf(f, ",%s,", x.shape->exclusive != 0 ? "1" : "");
    if (s->limit > 0) put_decimal(f, s->limit, 6);
    (void)fputc(',', f);
    put_field(f, s->model);
    if (s->priority != 0) (void)fprintf(f, "%d", (int)s->priority);
    (void)fputc(',', f);
    put_field(f, s->klass);
    put_some(f, &x, F_BW, MICRO);
    for (size_t k = 0, some = 0; k < ARRAY_LEN(hint_names); k++)
        if (s->hints >> k & 1) (void)fprintf(f, "%s%s", some++ > 0 ? "+" : "", hint_names[k]);
    SIM_ASSERT(!bare || (!x.any[F_GCORES] && s->node == NULL));
    if (!bare) {
        (void)fputc(',', f);
        put_some(f, &x, F_GCORES, WHOLE);
        put_text(f, s->node);
    }
    if (c->licences.n > 0) put_licences(f, c, x.shape);
    (void)fputc('\n', f);
}

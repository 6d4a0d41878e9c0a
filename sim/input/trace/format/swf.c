/*
 * Standard Workload Format (Feitelson's archive): 18 fields a job, -1 unknown,
 * header comments after ';'.  Layer: input.
 *
 * Processors are cores.  A job of more cores than the largest node has becomes
 * a gang of ceil(p / cores) tasks, as even as possible.  Fields past the 18th,
 * which some converters add, are not read.
 *
 * Requested memory is KiB a processor by the standard; some converters write
 * bytes of the whole job.  A file with any row above 1 TiB a processor is taken
 * to be written by one of these, all of it: no rule by row could tell the small ones.  A file of which no row says
 * when it arrived is a set of tasks measured one by one (heterogeneous-SWF): all arrive at 0.
 */
#include "base/mem.h"
#include "input/text/lines.h"
#include "input/text/value.h"
#include "input/trace/reader.h"

enum field { ID, SUBMIT, WAIT, RUN, PROCS, CPU_TIME, USED_MEM, REQ_PROCS, REQ_TIME, REQ_MEM, STATUS,
             USER, GROUP, EXE, QUEUE, PARTITION, PRECEDING, THINK, N_FIELDS };
static const char *const names[N_FIELDS] = {
    "job number", "submit time", "wait time", "run time", "allocated processors", "average CPU time",
    "used memory", "requested processors", "requested time", "requested memory", "status", "user", "group",
    "executable", "queue", "partition", "preceding job", "think time"
};
#define KIB    INT64_C(1024)
#define PROCS_MAX INT64_C(10000000)
#define MEM_KIB_MAX (INT64_C(1) << 30)      /* 1 TiB in KiB */

enum { DEPENDENCIES_IGNORE, DEPENDENCIES_KEEP };
struct swf_opts { uint32_t dependencies; };

struct swf {
    struct trace_env env;
    bool   keeps_dependencies;
    struct lines in;
    struct trace_limits lim;
    bool   mem_is_job_bytes, has_submit;
    char  *word[N_FIELDS];
    bool   rounded;             /* a time of the present row was */
    char   id[32], user[32], queue[32], after[96];
    struct task_group group[2];
};

/* The next job's fields; comments and blank lines are passed over. */
static enum st next_fields(struct swf *x, struct diag *d)
{
    for (;;) {
        TRY(lines_next(&x->in, d));
        size_t at = 0, n = 0;
        char *w = lines_word(&x->in, &at);
        if (w == NULL || *w == ';') continue;
        for (; w != NULL && n < N_FIELDS; w = lines_word(&x->in, &at)) x->word[n++] = w;
        if (n < N_FIELDS)
            return lines_fail(&x->in, NULL, d, "row has %zu fields, expected the %d of the Standard Workload Format", n, N_FIELDS);
        return ST_OK;
    }
}

/* A field times unit; any negative value is "unknown", -1. */
static enum st number(struct swf *x, enum field f, int64_t unit, int64_t max, int64_t *out, struct diag *d)
{
    const char *s = x->word[f];
    int64_t v;
    bool neg = *s == '-';
    sim_wide wide;
    if (!value_number(s + neg, unit, INT64_MAX, &wide, unit == TICK_SEC ? &x->rounded : NULL))
        return lines_fail(&x->in, s, d, "%s: '%.60s' is not a number", names[f], s);
    v = (int64_t)wide;
    if (v > max && !neg) return lines_fail(&x->in, s, d, "%s: '%.60s' is too large", names[f], s);
    *out = neg && v != 0 ? -1 : v;
    return ST_OK;
}

static enum st read_procs(struct swf *x, int64_t *procs, struct diag *d)
{
    TRY(number(x, REQ_PROCS, 1, PROCS_MAX, procs, d));
    if (*procs > 0) return ST_OK;
    TRY(number(x, PROCS, 1, PROCS_MAX, procs, d));
    if (*procs > 0) return trace_repair(&x->env, "requested processors unknown, those allocated used", x->in.line, d);
    *procs = 1;
    return trace_repair(&x->env, "processors unknown, 1 assumed", x->in.line, d);
}

/* Memory of one processor, bytes; -1 unknown. */
static enum st read_mem(struct swf *x, int64_t procs, int64_t *mem_b, struct diag *d)
{
    int64_t v;
    TRY(number(x, REQ_MEM, 1, INT64_MAX / (2 * KIB), &v, d));
    if (v <= 0) {
        *mem_b = -1;
        return ST_OK;
    }
    *mem_b = x->mem_is_job_bytes ? (v + procs - 1) / procs : v * KIB;
    if (*mem_b > INT64_MAX / procs)
        return lines_fail(&x->in, x->word[REQ_MEM], d, "%s: '%.60s' is too large", names[REQ_MEM], x->word[REQ_MEM]);
    return x->mem_is_job_bytes
        ? trace_repair(&x->env, "requested memory taken as bytes of the whole job, not KiB a processor", x->in.line, d) : ST_OK;
}

/* The preceding job, and the think time after its end. */
static enum st read_after(struct swf *x, struct job_spec *out, struct diag *d)
{
    char error[256];
    int64_t before, think;
    TRY(number(x, PRECEDING, 1, INT64_MAX, &before, d));
    TRY(number(x, THINK, TICK_SEC, DUR_MAX, &think, d));
    if (before <= 0) return ST_OK;
    think = i64_max(think, 0);
    (void)snprintf(x->after, sizeof x->after, "afterany:%lld+%lld.%06llds", (long long)before,
                   (long long)(think / TICK_SEC), (long long)(think % TICK_SEC));
    if (!trace_after(x->after, out->id, error, sizeof error))
        return lines_fail(&x->in, x->word[PRECEDING], d, "%s", error);
    out->after = x->after;
    return ST_OK;
}

static enum st next(void *ctx, struct job_spec *out, struct diag *d)
{
    struct swf *x = ctx;
    int64_t run, procs, mem, v;
    for (;;) {
        TRY(next_fields(x, d));
        TRY(number(x, RUN, TICK_SEC, DUR_MAX, &run, d));
        if (run >= 0) break;
        TRY(trace_repair(&x->env, "run time unknown (negative), row left out", x->in.line, d));
    }
    trace_blank(out);
    out->line = x->in.line;
    TRY(number(x, ID, 1, INT64_MAX, &v, d));
    (void)snprintf(x->id, sizeof x->id, "%lld", (long long)v);
    out->id = x->id;
    TRY(number(x, SUBMIT, TICK_SEC, TRACE_TIME_MAX, &out->submit, d));
    if (out->submit < 0 && !x->has_submit) {
        out->submit = 0;
        TRY(trace_repair(&x->env, "submit time unknown in all of the file, arrives at 0", x->in.line, d));
    }
    if (out->submit < 0) return lines_fail(&x->in, x->word[SUBMIT], d, "submit time: unknown, so the job cannot be replayed");
    TRY(number(x, REQ_TIME, TICK_SEC, DUR_MAX, &v, d));
    out->limit = v > 0 ? v : -1;
    TRY(number(x, USER, 1, INT64_MAX, &v, d));
    if (v >= 0) {
        (void)snprintf(x->user, sizeof x->user, "u%lld", (long long)v);
        out->user = x->user;
    }
    TRY(number(x, QUEUE, 1, INT64_MAX, &v, d));
    if (v >= 0) {
        (void)snprintf(x->queue, sizeof x->queue, "q%lld", (long long)v);
        out->queue = x->queue;
    }
    TRY(number(x, WAIT, TICK_SEC, TRACE_TIME_MAX, &v, d));
    if (v >= 0) {
        static const char *const status[] = { "failed",          "completed", "partial", "partial, the last",
                                              "partial, failed", "cancelled" };
        out->past = (struct job_past){ .is_known = true, .start = out->submit + v, .end = out->submit + v + run };
        TRY(number(x, STATUS, 1, INT64_MAX, &v, d));
        if (v >= 0 && v < (int64_t)ARRAY_LEN(status)) out->past.state = status[v];
    }
    if (x->keeps_dependencies) TRY(read_after(x, out, d));
    TRY(read_procs(x, &procs, d));
    TRY(read_mem(x, procs, &mem, d));
    if (run == 0) TRY(trace_repair(&x->env, "zero duration kept as 0", out->line, d));
    TRY(trace_rounded(&x->env, x->rounded, out->line, d));
    x->rounded = false;
    uint32_t n[2];
    int64_t size[2];
    out->n_groups = trace_split(procs, x->lim.cores, n, size);
    for (uint32_t k = 0; k < out->n_groups; k++)
        x->group[k] = (struct task_group){ .n = n[k], .dur = run, .shape = {
            .cpu_milli = size[k] * 1000, .mem_b = mem < 0 ? x->env.opts->dflt.mem_b : mem * size[k] } };
    out->group = x->group;
    out->gang = out->n_groups > 1 || n[0] > 1;
    return ST_OK;
}

/* Does any row ask for more than 1 TiB a processor, or say when it arrived?  Broken rows are left to next(). */
static enum st look_at_all(struct swf *x, struct diag *d)
{
    struct diag ignored = { .code = ST_OK };
    enum st st;
    while ((st = next_fields(x, &ignored)) == ST_OK || st == ST_EINPUT) {
        int64_t v;
        if (st == ST_OK && csv_decimal(x->word[REQ_MEM], 1, &v) && v > MEM_KIB_MAX) x->mem_is_job_bytes = true;
        x->has_submit = x->has_submit || (st == ST_OK && *x->word[SUBMIT] != '-');
        ignored.code = ST_OK;
    }
    char *path = mem_strdup(x->in.path);
    lines_close(&x->in);
    st = lines_open(&x->in, path, d);
    mem_free(path);
    return st;
}

static void close_swf(void *ctx)
{
    struct swf *x = ctx;
    lines_close(&x->in);
    mem_free(x);
}

static enum st open_swf(const struct trace_env *env, struct trace_reader *out, struct diag *d)
{
    struct swf *x;
    MEM_NEW(x);
    *out = (struct trace_reader){ .ctx = x, .next = next, .close = close_swf };
    x->env = *env;
    x->lim = trace_limits(env);
    x->keeps_dependencies = ((const struct swf_opts *)env->opts->own)->dependencies == DEPENDENCIES_KEEP;
    TRY(lines_open(&x->in, env->opts->path, d));
    return look_at_all(x, d);
}

static const char *const dependencies[] = { [DEPENDENCIES_IGNORE] = "ignore", [DEPENDENCIES_KEEP] = "keep" };

static const struct trace_option options[] = {
    { .key = "dependencies", .type = TRACE_CHOICE, .offset = offsetof(struct swf_opts, dependencies), .dflt = "ignore",
      .word = dependencies, .n_words = ARRAY_LEN(dependencies), .noun = "dependencies",
      .help = "whether a job waits for its preceding job's end and the think time" },
};

const struct trace_format swf_format = {
    .name = "swf", .summary = "Standard Workload Format of the Parallel Workloads Archive",
    .own_size = sizeof(struct swf_opts), .option = options, .n_options = ARRAY_LEN(options), .open = open_swf
};

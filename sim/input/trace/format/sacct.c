/*
 * What `sacct -P -o FIELD,...` prints: a job a row, between pipes, with a header.  Layer: input.
 *
 * Columns are found by the names that sacct gives them; which are read, and what is made of steps, arrays, requeued
 * jobs and those that never started, stands in traces/README.md, "sacct".  A row is kept until the next job's is there,
 * since only that tells whether it was requeued.
 */
#include <string.h>
#include "base/mem.h"
#include "input/trace/reader.h"

enum col {
    JOB, JOB_RAW, USER, ACCOUNT, PARTITION, QOS, STATE, SUBMIT, ELIGIBLE, START, END, ELAPSED, ELAPSED_RAW, LIMIT,
    LIMIT_RAW, NODES, ALLOC_NODES, ALLOC_CPUS, N_CPUS, REQ_CPUS, REQ_MEM, ALLOC_TRES, REQ_TRES, NODE_LIST, RESERVATION,
    CONSTRAINTS, N_COLS
};
static const char *const names[N_COLS] = {
    "JobID",        "JobIDRaw", "User",       "Account",     "Partition",   "QOS",        "State",
    "Submit",       "Eligible", "Start",      "End",         "Elapsed",     "ElapsedRaw", "Timelimit",
    "TimelimitRaw", "NNodes",   "AllocNodes", "AllocCPUS",   "NCPUS",       "ReqCPUS",    "ReqMem",
    "AllocTRES",    "ReqTRES",  "NodeList",   "Reservation", "Constraints",
};
enum { NODES_MAX = 1000000, CPUS_MAX = 100000000 };

struct sacct_opts { const char *zone; uint32_t arrival; };
enum { ARRIVAL_ELIGIBLE, ARRIVAL_SUBMIT };

/* One row, its fields copied. */
struct line { char *field[N_COLS]; uint32_t at; bool is_there; };

struct sacct {
    struct trace_env env;
    const struct sacct_opts *own;
    struct csv *csv;
    int at[N_COLS];
    struct trace_limits lim;
    struct line now, next;              /* now: the job at hand; next: the one after it */
    bool is_over, rounded;
    char *nodes;
    struct task_group group[2];
};

static enum st fail(const struct sacct *x, enum col c, struct diag *d, const char *what)
{
    return diag_at(d, ST_EINPUT, x->env.opts->path, x->now.at, 0, "%s: '%.60s' %s", names[c], x->now.field[c], what);
}

/* "" where sacct has no value. */
static const char *field(const struct sacct *x, enum col c)
{
    static const char *const none[] = { "Unknown",         "None",   "None assigned", "N/A", "UNLIMITED",
                                        "Partition_Limit", "INVALID" };
    const char *s = x->now.field[c];
    for (size_t i = 0; i < ARRAY_LEN(none); i++) if (strcmp(s, none[i]) == 0) return "";
    return s;
}

/* ---- rows ---- */

static void free_line(struct line *l)
{
    for (size_t i = 0; i < N_COLS; i++) mem_free(l->field[i]);
    *l = (struct line){ .is_there = false };
}

static bool has_step(const char *job) { return strchr(job, '.') != NULL; }

/* The next row of a job into x->next; those of steps are parts of it. */
static enum st read_line(struct sacct *x, struct diag *d)
{
    x->next.is_there = false;
    for (enum st st; !x->is_over;) {
        if ((st = csv_next(x->csv, d)) == ST_END) { x->is_over = true; break; }
        if (st != ST_OK)
            return diag_hint(d, "sacct writes '|' of a name as it is: leave JobName and the like out of -o");
        const enum col id = x->at[JOB] != CSV_ABSENT ? JOB : JOB_RAW;
        TRY(csv_need(x->csv, x->at[id], d));
        if (has_step(csv_field(x->csv, x->at[id]))) {
            trace_count(&x->env, "step of a job, which the job's own row counts", csv_line(x->csv));
            continue;
        }
        for (size_t i = 0; i < N_COLS; i++) x->next.field[i] = mem_strdup(csv_field(x->csv, x->at[i]));
        x->next.at = csv_line(x->csv);
        x->next.is_there = true;
        return ST_OK;
    }
    return ST_OK;
}

static const char *id_of(const struct line *l) { return *l->field[JOB] != '\0' ? l->field[JOB] : l->field[JOB_RAW]; }

/* The next job's last run into x->now. */
static enum st read_run(struct sacct *x, struct diag *d)
{
    for (;;) {
        free_line(&x->now);
        if (!x->next.is_there) TRY(read_line(x, d));
        if (!x->next.is_there) return ST_END;
        x->now = x->next;
        x->next = (struct line){ .is_there = false };
        TRY(read_line(x, d));
        if (!x->next.is_there || strcmp(id_of(&x->now), id_of(&x->next)) != 0) return ST_OK;
        TRY(trace_repair(&x->env, "earlier run of a requeued job, only its last is read", x->now.at, d));
    }
}

/* ---- fields ---- */

static enum st read_instant(struct sacct *x, enum col c, sim_tick *out, struct diag *d)
{
    const struct value_dates dates = { .zone = x->own->zone };
    const char *s = field(x, c);
    enum value_form form;
    *out = -1;
    if (*s == '\0' || value_instant(s, &dates, TRACE_TIME_MAX, out, &form, &x->rounded)) return ST_OK;
    return fail(x, c, d, "is not a date such as 2024-03-01T12:00:00, nor seconds");
}

static enum st read_span(struct sacct *x, enum col c, sim_tick *out, struct diag *d)
{
    const char *s = field(x, c);
    enum value_form form;
    *out = -1;
    if (*s == '\0' || value_span(s, DUR_MAX, out, &form, &x->rounded)) return ST_OK;
    return fail(x, c, d, "is not a time such as 1-02:03:04, or too long");
}

static enum st read_count(const struct sacct *x, enum col c, int64_t max, int64_t *out, struct diag *d)
{
    const char *s = field(x, c);
    sim_wide v;
    bool rounded = false;
    if (*s == '\0') return ST_OK;
    if (!value_number(s, 1, max, &v, &rounded) || rounded) return fail(x, c, d, "is not a whole number, or too large");
    *out = (int64_t)v;
    return ST_OK;
}

/* ---- TRES: "billing=4,cpu=4,gres/gpu:a100=2,gres/gpu=2,mem=16G,node=1" ---- */

struct tres { int64_t cpus, mem_b, nodes, gpus, typed; char type[64]; uint32_t n_types; };

static enum st read_tres(struct sacct *x, enum col c, struct tres *t, struct diag *d)
{
    *t = (struct tres){ .cpus = -1, .mem_b = -1, .nodes = -1, .gpus = -1 };
    for (const char *s = field(x, c); *s != '\0';) {
        char one[128], error[128], *value;
        size_t len = strcspn(s, ",");
        if (len >= sizeof one) return fail(x, c, d, "has a name that is too long");
        (void)snprintf(one, sizeof one, "%.*s", (int)len, s);
        s += len + (s[len] == ',');
        if ((value = strchr(one, '=')) == NULL) return fail(x, c, d, "is not a list such as cpu=4,mem=16G,node=1");
        *value++ = '\0';
        sim_wide v = 0;
        bool is_mem = strcmp(one, "mem") == 0, rounded = false;
        bool is_read = strcmp(one, "cpu") == 0 || strcmp(one, "node") == 0 || strncmp(one, "gres/gpu", 8) == 0;
        if (is_mem ? !text_parse(value, TEXT_BYTES, INT64_C(1) << 20, &t->mem_b, error, sizeof error)
                   : !value_number(value, 1, INT64_MAX, &v, &rounded) && (is_read || strpbrk(value, "KMGT") == NULL))
            return fail(x, c, d, "has an amount that is no number");
        if (!is_mem && v > CPUS_MAX && strcmp(one, "billing") != 0 && strncmp(one, "energy", 6) != 0)
            return fail(x, c, d, "has an amount that is too large");
        if (strcmp(one, "cpu") == 0) t->cpus = (int64_t)v;
        else if (strcmp(one, "node") == 0) t->nodes = (int64_t)v;
        else if (strcmp(one, "gres/gpu") == 0) t->gpus = (int64_t)v;
        else if (strncmp(one, "gres/gpu:", 9) == 0) {
            (void)snprintf(t->type, sizeof t->type, "%.63s", one + 9);
            t->typed += (int64_t)v;
            t->n_types++;
        } else if (strncmp(one, "gres/", 5) == 0 || strncmp(one, "license/", 8) == 0)
            TRY(trace_repair(&x->env, "TRES other than cpu, mem, node and gres/gpu, not modelled", x->now.at, d));
    }
    if (t->gpus < 0 && t->n_types > 0) t->gpus = t->typed;
    return ST_OK;
}

/* Since 21.08 of the whole job; before that with "c" or "n", of each CPU or node. */
static enum st read_req_mem(struct sacct *x, int64_t cpus, int64_t nodes, int64_t *out, struct diag *d)
{
    char one[64], error[128];
    const char *s = field(x, REQ_MEM);
    size_t n = strlen(s);
    if (n == 0) return ST_OK;
    char per = s[n - 1];
    if (per == '?') per = 'n';
    (void)snprintf(one, sizeof one, "%.*s", (int)(per == 'c' || per == 'n' ? n - 1 : n), s);
    if (n >= sizeof one || !text_parse(one, TEXT_BYTES, INT64_C(1) << 20, out, error, sizeof error))
        return fail(x, REQ_MEM, d, "is not an amount of memory");
    int64_t times = per == 'c' ? cpus : per == 'n' ? nodes : 1;
    if (times > 1 && *out > INT64_MAX / 1024 / times) return fail(x, REQ_MEM, d, "is too much");
    *out *= i64_max(times, 1);
    return ST_OK;
}

/* What the job held, as a whole: what was allocated, else what was asked. */
static enum st read_whole(struct sacct *x, struct trace_whole *w, struct diag *d)
{
    struct tres got, asked;
    int64_t cpus = -1, nodes = -1, mem = -1;
    char error[256];
    TRY(read_tres(x, ALLOC_TRES, &got, d));
    TRY(read_tres(x, REQ_TRES, &asked, d));
    TRY(read_count(x, REQ_CPUS, CPUS_MAX, &cpus, d));
    if (asked.cpus > 0) cpus = asked.cpus;
    TRY(read_count(x, N_CPUS, CPUS_MAX, &cpus, d));
    TRY(read_count(x, ALLOC_CPUS, CPUS_MAX, &cpus, d));
    if (got.cpus > 0) cpus = got.cpus;
    if (asked.nodes > 0) nodes = asked.nodes;
    TRY(read_count(x, NODES, NODES_MAX, &nodes, d));
    TRY(read_count(x, ALLOC_NODES, NODES_MAX, &nodes, d));
    if (got.nodes > 0) nodes = got.nodes;
    if (nodes > NODES_MAX) return fail(x, ALLOC_TRES, d, "has too many nodes");
    TRY(read_req_mem(x, cpus, nodes, &mem, d));
    if (asked.mem_b > 0) mem = asked.mem_b;
    if (got.mem_b > 0) mem = got.mem_b;
    if (mem > INT64_MAX / 1024) return fail(x, ALLOC_TRES, d, "has too much memory");
    if (cpus <= 0) TRY(trace_repair(&x->env, "no CPUs told, the scenario's default used", x->now.at, d));
    if (mem <= 0) TRY(trace_repair(&x->env, "no memory told, the scenario's default used", x->now.at, d));
    w->n_tasks = i64_max(nodes, 1);
    w->cpu_milli = cpus > 0 ? cpus * 1000 : -1;
    w->mem_b = mem > 0 ? mem : -1;
    w->gpu_milli = i64_max(got.gpus >= 0 ? got.gpus : asked.gpus, 0) * GPU_WHOLE;
    /* The type that it got is not one that it asked for. */
    if (asked.n_types == 1 && asked.typed == asked.gpus &&
        !trace_gpu_types(&x->env, asked.type, &w->shape.gpu_types, error, sizeof error))
        return fail(x, REQ_TRES, d, error);
    return ST_OK;
}

/* ---- where it may run ---- */

/* Partitions, "a,b" one of them, and constraints, as far as nodes of the cluster have labels of these names. */
static enum st read_needs(struct sacct *x, struct shape *s, struct diag *d)
{
    uint64_t any = 0;
    bool known = true;
    for (const char *p = field(x, PARTITION); *p != '\0';) {
        size_t len = strcspn(p, ",");
        char *name = mem_printf("%.*s", (int)len, p);
        uint32_t label = intern_find(&x->env.cluster->labels, name);
        mem_free(name);
        known = known && label != NONE;
        if (label != NONE) any |= UINT64_C(1) << label;
        p += len + (p[len] == ',');
    }
    if (known && any != 0) *((any & (any - 1)) == 0 ? &s->need_all : &s->need_any) = any;
    if (!known && x->env.cluster->n_nodes > 0)
        TRY(trace_repair(&x->env, "partition that no node has as a label, not asked for", x->now.at, d));
    if (*field(x, RESERVATION) != '\0')
        TRY(trace_repair(&x->env, "job of a reservation, which is not modelled", x->now.at, d));
    const char *c = field(x, CONSTRAINTS);
    uint32_t label = intern_find(&x->env.cluster->labels, c);
    if (*c == '\0') return ST_OK;
    if (label != NONE) s->need_all |= UINT64_C(1) << label;
    else return trace_repair(&x->env, "constraint that is not one label of the cluster, not asked for", x->now.at, d);
    return ST_OK;
}

/* ---- a job ---- */

/* When it arrived, ran and ended.  *why: it cannot be replayed. */
static enum st read_times(struct sacct *x, struct job_spec *out, sim_tick *dur, const char **why, struct diag *d)
{
    sim_tick submit, eligible, start, end, elapsed, minutes = -1;
    *why = NULL;
    TRY(read_instant(x, SUBMIT, &submit, d));
    TRY(read_instant(x, ELIGIBLE, &eligible, d));
    TRY(read_instant(x, START, &start, d));
    TRY(read_instant(x, END, &end, d));
    TRY(read_span(x, ELAPSED, &elapsed, d));
    if (*field(x, ELAPSED_RAW) != '\0') TRY(read_span(x, ELAPSED_RAW, &elapsed, d));
    TRY(read_span(x, LIMIT, &out->limit, d));
    TRY(read_count(x, LIMIT_RAW, DUR_MAX / (60 * TICK_SEC), &minutes, d));
    if (minutes > 0) out->limit = minutes * 60 * TICK_SEC;
    if (out->limit == 0) out->limit = -1;
    if (elapsed < 0 && start >= 0 && end >= start) elapsed = end - start;
    if (submit < 0) return fail(x, SUBMIT, d, "does not say when the job arrived");
    const char *state = x->now.field[STATE];
    const bool has_start = x->at[START] != CSV_ABSENT;
    if (strncmp(state, "PENDING", 7) == 0 || (has_start && start < 0) || strchr(id_of(&x->now), '[') != NULL)
        *why = "job that never started, left out";
    else if (elapsed < 0) *why = "job without a run time, left out";
    if (*why != NULL) return ST_OK;
    *dur = elapsed;
    if (*dur > DUR_MAX) return fail(x, END, d, "is so late that the clock cannot count how long the job ran");
    out->submit = submit;
    if (x->own->arrival == ARRIVAL_ELIGIBLE && eligible > submit && (start < 0 || eligible <= start)) {
        trace_count(&x->env, "job that arrives when it became eligible, later than it was submitted", x->now.at);
        out->submit = eligible;
    }
    if (has_start) out->past = (struct job_past){ .is_known = true, .start = start, .end = end, .state = state };
    if (strncmp(state, "RUNNING", 7) == 0 || strncmp(state, "SUSPENDED", 9) == 0)
        TRY(trace_repair(&x->env, "job that still ran, it runs as long as it had", x->now.at, d));
    return ST_OK;
}

static enum st read_job(struct sacct *x, struct job_spec *out, const char **why, struct diag *d)
{
    struct trace_whole w = { .n_tasks = 1 };
    const char *wrong, *list = field(x, NODE_LIST);
    char error[256];
    trace_blank(out);
    out->line = x->now.at;
    out->id = id_of(&x->now);
    TRY(read_times(x, out, &w.dur, why, d));
    if (*why != NULL) return ST_OK;
    if (*field(x, USER) != '\0') out->user = field(x, USER);
    else if (*field(x, ACCOUNT) != '\0') out->user = field(x, ACCOUNT);
    if (*field(x, QOS) != '\0') out->queue = field(x, QOS);
    else if (*field(x, PARTITION) != '\0') out->queue = field(x, PARTITION);
    if (strchr(out->id, '+') != NULL)
        TRY(trace_repair(&x->env, "part of a heterogeneous job, taken as a job of its own", x->now.at, d));
    TRY(read_whole(x, &w, d));
    TRY(read_needs(x, &w.shape, d));
    if (*list != '\0' && out->past.is_known) {
        out->past.nodes = trace_nodes(list, &x->nodes, error, sizeof error);
        if (out->past.nodes == NULL) return fail(x, NODE_LIST, d, error);
    }
    if (w.dur == 0) TRY(trace_repair(&x->env, "zero duration kept as 0", x->now.at, d));
    TRY(trace_divide(&x->env, x->lim, &w, out, x->group, &wrong, d));
    if (wrong != NULL) return fail(x, ALLOC_TRES, d, wrong);
    TRY(trace_rounded(&x->env, x->rounded, out->line, d));
    x->rounded = false;
    return ST_OK;
}

static enum st next(void *ctx, struct job_spec *out, struct diag *d)
{
    struct sacct *x = ctx;
    for (;;) {
        const char *why;
        TRY(read_run(x, d));
        TRY(read_job(x, out, &why, d));
        if (why == NULL) return ST_OK;
        TRY(trace_repair(&x->env, why, x->now.at, d));
    }
}

static void close_sacct(void *ctx)
{
    struct sacct *x = ctx;
    csv_close(x->csv);
    free_line(&x->now);
    free_line(&x->next);
    mem_free(x->nodes);
    mem_free(x);
}

static enum st open_sacct(const struct trace_env *env, struct trace_reader *out, struct diag *d)
{
    static const bool need[N_COLS] = { [SUBMIT] = true };
    static const char advice[] = "sacct -P -o "
                                 "JobID,User,Account,Partition,QOS,State,Submit,Eligible,Start,End,ElapsedRaw,"
                                 "TimelimitRaw,AllocTRES,ReqTRES,NodeList";
    struct sacct *x;
    const char *missing = NULL;
    MEM_NEW(x);
    *out = (struct trace_reader){ .ctx = x, .next = next, .close = close_sacct };
    x->env = *env;
    x->own = env->opts->own;
    x->lim = trace_limits(env);
    if (x->own->zone != NULL && !value_is_zone(x->own->zone))
        return diag_set(d, ST_EINPUT,
                        "'%s' is no time zone: expected an offset such as '+01:00', or a name that this machine knows",
                        x->own->zone);
    TRY(csv_open(&x->csv, env->opts->path, '|', d));
    TRY(csv_columns(x->csv, names, need, x->at, N_COLS, true, advice, d));
    if (x->at[JOB] == CSV_ABSENT && x->at[JOB_RAW] == CSV_ABSENT) missing = names[JOB];
    if (x->at[ELAPSED] == CSV_ABSENT && x->at[ELAPSED_RAW] == CSV_ABSENT &&
        (x->at[START] == CSV_ABSENT || x->at[END] == CSV_ABSENT))
        missing = names[ELAPSED];
    if (missing == NULL) return ST_OK;
    (void)diag_at(d, ST_EINPUT, env->opts->path, csv_line(x->csv), 0, "column '%s' is missing", missing);
    return diag_hint(d, "%s", advice);
}

static const char *const arrival[] = { [ARRIVAL_ELIGIBLE] = "eligible", [ARRIVAL_SUBMIT] = "submit" };

static const struct trace_option options[] = {
    { .key = "zone", .type = TRACE_TEXT, .offset = offsetof(struct sacct_opts, zone),
      .help = "the time zone of its dates: '+01:00' or a name; none: UTC" },
    { .key = "arrival", .type = TRACE_CHOICE, .offset = offsetof(struct sacct_opts, arrival), .dflt = "eligible",
      .word = arrival, .n_words = ARRAY_LEN(arrival), .noun = "arrival",
      .help = "jobs arrive when they became eligible (dependencies met, begin time past), or when submitted" },
};

const struct trace_format sacct_format = {
    .name = "sacct", .summary = "what sacct -P -o ... prints of a Slurm cluster's jobs",
    .own_size = sizeof(struct sacct_opts), .option = options, .n_options = ARRAY_LEN(options), .open = open_sacct,
};

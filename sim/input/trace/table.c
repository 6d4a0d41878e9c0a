/*
 * Tables of any kind, by a map of their columns (mapping.h): CSV, TSV, pipe-separated, JSON lines or a JSON list.
 * Layer: input.  traces/README.md, "Tables", is the reference.
 *
 * gpus, cpus and mem are the whole job's; `tasks` says into how many alike it is divided.  A row that says too little
 * to be replayed is left out and counted, as is one that the map's `where` does not want.
 */
#include <string.h>
#include "base/mem.h"
#include "input/trace/mapping.h"
#include "input/trace/reader.h"

enum { TASKS_MAX = 1000000 };

struct table_opts { struct trace_document map; };

struct table {
    struct trace_env env;
    struct mapping map;
    struct rows *rows;
    struct trace_limits lim;
    struct task_group group[2];
    char *text[MAPPING_FIGURES];            /* of figures with a prefix; nodes written out */
    struct {
        enum value_form form;
        uint32_t line;
    } * form;
    size_t cap_form;                    /* [column] of its first time; line 0: none yet */
    bool rounded;                       /* a figure of the present row was */
    char why[200];                      /* a field is no number: what it was expected to be */
};

/* ---- fields ---- */

struct cell { struct table *x; const struct mapping_value *v; };

static const char *cell_field(void *ctx, size_t name)
{
    const struct cell *c = ctx;
    const char *s = rows_field(c->x->rows, c->v->column[name]);
    for (size_t i = 0; i < c->x->map.n_empty; i++) if (strcmp(s, c->x->map.empty[i]) == 0) return "";
    return s;
}

/* One form of time in a column. */
static bool same_form(struct table *x, int column, enum value_form form)
{
    MEM_RESERVE(x->form, x->cap_form, (size_t)column + 1);
    if (x->form[column].line == 0) {
        x->form[column].form = form;
        x->form[column].line = rows_line(x->rows);
    }
    if (x->form[column].form == form) return true;
    return text_error(x->why, sizeof x->why, "is %s, but line %u has %s: two forms in one column",
                      value_form_words[form], x->form[column].line, value_form_words[x->form[column].form]);
}

/* In EXPR_ONE-ths of the value's unit. */
static bool cell_time(struct table *x, const struct mapping_value *v, int column, const char *s, value_wide *out)
{
    const bool neg = *s == '-';
    bool *rounded = expr_divides(v->expr) ? NULL : &x->rounded;
    int64_t us;
    enum value_form form = VALUE_NUMBER;
    if (value_number(s + neg, EXPR_ONE, (value_wide)1 << 100, out, rounded)) {
        if (neg) *out = -*out;
        return same_form(x, column, form);
    }
    form = VALUE_DATE;
    if (!value_date(s, &v->dates, &us, rounded) && !value_span(s, INT64_MAX / 4, &us, &form, rounded))
        return text_error(x->why, sizeof x->why, "is not %s",
                          v->dimension == MAPPING_INSTANT
                              ? "a time: expected a number or a date as the map's `dates` has them"
                              : "a time: expected a number, 1-02:03:04, 10m or a date");
    *out = (value_wide)us * EXPR_ONE / v->unit;
    return same_form(x, column, form);
}

static bool cell_number(void *ctx, size_t name, const char *s, value_wide *out)
{
    const struct cell *c = ctx;
    struct table *x = c->x;
    const struct mapping_value *v = c->v;
    const bool neg = *s == '-';
    int64_t bytes;
    char error[128];
    if (v->dimension == MAPPING_INSTANT || v->dimension == MAPPING_SPAN)
        return cell_time(x, v, v->column[name], s, out);
    if (value_number(s + neg, EXPR_ONE, (value_wide)1 << 100, out, NULL)) {
        if (neg) *out = -*out;
        if (v->dimension != MAPPING_BYTES || v->unit > 0 || *out == 0) return true;
        return text_error(x->why, sizeof x->why, "has no unit: state one in the map, as {value: %.60s, unit: MiB}",
                          expr_name(v->expr, name));
    }
    if (v->dimension == MAPPING_BYTES && text_parse(s, TEXT_BYTES, 0, &bytes, error, sizeof error)) {
        *out = (value_wide)bytes * EXPR_ONE / (v->unit > 0 ? v->unit : 1);
        return true;
    }
    /* A date or a span in a filter. */
    if (v->dimension == MAPPING_COUNT && v->dates.pattern == NULL) {
        enum value_form form;
        if (value_date(s, &v->dates, &bytes, NULL) || value_span(s, INT64_MAX / 4, &bytes, &form, NULL)) {
            *out = (value_wide)bytes * (EXPR_ONE / TICK_SEC);
            return true;
        }
    }
    return text_error(x->why, sizeof x->why, "is not a number");
}

/* An error of the expression, at the column that it is about. */
static enum st cell_fail(struct table *x, const struct mapping_value *v, size_t name, const char *error, struct diag *d)
{
    if (name == SIZE_MAX)
        return rows_fail(x->rows, -1, d, "%s: %s", v->node->key != NULL ? v->node->key : "where", error);
    struct cell c = { x, v };
    return rows_fail(x->rows, v->column[name], d, "'%.60s' %s", cell_field(&c, name),
                     x->why[0] != '\0' ? x->why : "is not a number");
}

/* In EXPR_ONE-ths of the figure's unit.  *is: there is one. */
static enum st read_number(struct table *x, enum mapping_figure f, value_wide *out, bool *is, struct diag *d)
{
    const struct mapping_value *v = &x->map.of[f];
    struct cell c = { x, v };
    const struct expr_row row = { &c, cell_field, cell_number };
    struct expr_value value;
    size_t at;
    char error[256];
    *is = false;
    x->why[0] = '\0';
    if (v->expr == NULL) return ST_OK;
    if (!expr_eval_number(v->expr, &row, &value, &at, error, sizeof error)) return cell_fail(x, v, at, error, d);
    *is = value.type == EXPR_NUMBER;
    if (*is) *out = value.n;
    return ST_OK;
}

/* v in EXPR_ONE-ths of `unit`, to whole ones; rounding is noted unless a division made the figure. */
static bool to_whole(struct table *x, enum mapping_figure f, value_wide v, int64_t unit, int64_t max, int64_t *out)
{
    value_wide n;
    if (__builtin_mul_overflow(v, (value_wide)unit, &n)) return false;
    if (n % EXPR_ONE != 0 && !expr_divides(x->map.of[f].expr)) x->rounded = true;
    n = (n + (n < 0 ? -EXPR_ONE / 2 : EXPR_ONE / 2)) / EXPR_ONE;
    if (n > max || n < -(value_wide)max) return false;
    *out = (int64_t)n;
    return true;
}

static enum st fail(struct table *x, enum mapping_figure f, struct diag *d, const char *what)
{
    return rows_fail(x->rows, -1, d, "%s: %s", mapping_figures[f].name, what);
}

/* A time in microseconds; it may be below 0. */
static enum st read_time(struct table *x, enum mapping_figure f, int64_t max, int64_t *out, bool *is, struct diag *d)
{
    value_wide v = 0;
    TRY(read_number(x, f, &v, is, d));
    if (!*is || to_whole(x, f, v, x->map.of[f].unit, max, out)) return ST_OK;
    return fail(x, f, d, "is too large");
}

static enum st read_amount(struct table *x, enum mapping_figure f, int64_t unit, int64_t max, int64_t *out, bool *is,
                           struct diag *d)
{
    value_wide v = 0;
    TRY(read_number(x, f, &v, is, d));
    if (!*is) return ST_OK;
    if (v < 0) return fail(x, f, d, "is negative");
    return to_whole(x, f, v, unit, max, out) ? ST_OK : fail(x, f, d, "is too large");
}

static enum st read_whole(struct table *x, enum mapping_figure f, int64_t min, int64_t max, int64_t *out,
                          struct diag *d)
{
    value_wide v = 0;
    bool is;
    char error[96];
    TRY(read_number(x, f, &v, &is, d));
    if (!is) return ST_OK;
    if (v % EXPR_ONE != 0 || v / EXPR_ONE < min || v / EXPR_ONE > max) {
        (void)snprintf(error, sizeof error, "is not a whole number in %lld..%lld", (long long)min, (long long)max);
        return fail(x, f, d, error);
    }
    *out = (int64_t)(v / EXPR_ONE);
    return ST_OK;
}

/* A text as one expression has it; "" where there is none. */
static enum st eval_text(struct table *x, const struct mapping_value *v, const char **out, struct diag *d)
{
    struct cell c = { x, v };
    const struct expr_row row = { &c, cell_field, cell_number };
    struct expr_value value;
    size_t at;
    char error[256];
    x->why[0] = '\0';
    if (!expr_eval(v->expr, &row, &value, &at, error, sizeof error)) return cell_fail(x, v, at, error, d);
    if (value.type == EXPR_NUMBER)
        return rows_fail(x->rows, -1, d, "%s: is a number, expected a text: a column, or 'text' in quotes",
                         v->node->key != NULL ? v->node->key : "");
    *out = value.type == EXPR_EMPTY ? "" : value.text;
    return ST_OK;
}

/* NULL: there is none. */
static enum st read_text(struct table *x, enum mapping_figure f, const char **out, struct diag *d)
{
    const struct mapping_value *v = &x->map.of[f];
    const char *text = "", *joined = "";
    char line[24];
    *out = NULL;
    if (v->node == NULL) return ST_OK;
    if (v->expr == NULL) {
        (void)snprintf(line, sizeof line, "%u", rows_line(x->rows));
        text = line;
    } else TRY(eval_text(x, v, &text, d));
    if (v->join != NULL) TRY(eval_text(x, v->join, &joined, d));
    if (*text == '\0' && *joined == '\0') return ST_OK;
    *out = text;
    if (v->prefix == NULL && v->join == NULL) return ST_OK;
    mem_free(x->text[f]);
    *out = x->text[f] =
        mem_printf("%s%s%s%s", v->prefix != NULL ? v->prefix : "", text, *joined != '\0' ? "/" : "", joined);
    return ST_OK;
}

/* ---- a job ---- */

static enum st is_wanted(struct table *x, bool *out, struct diag *d)
{
    *out = true;
    for (size_t i = 0; i < x->map.n_where && *out; i++) {
        struct cell c = { x, &x->map.where[i] };
        const struct expr_row row = { &c, cell_field, cell_number };
        size_t at;
        char error[256];
        x->why[0] = '\0';
        if (!expr_holds(c.v->expr, &row, out, &at, error, sizeof error)) return cell_fail(x, c.v, at, error, d);
    }
    return ST_OK;
}

/* When it arrived, started and ended.  *why: it cannot be replayed. */
static enum st read_times(struct table *x, struct job_spec *out, sim_tick *dur, const char **why, struct diag *d)
{
    sim_tick start = 0, end = 0, wait = 0, limit = 0;
    bool has_submit, has_start, has_end, has_wait, has_dur, has_limit;
    TRY(read_time(x, MAPPING_SUBMIT, TRACE_TIME_MAX, &out->submit, &has_submit, d));
    TRY(read_time(x, MAPPING_START, TRACE_TIME_MAX, &start, &has_start, d));
    TRY(read_time(x, MAPPING_WAIT, TRACE_TIME_MAX, &wait, &has_wait, d));
    TRY(read_time(x, MAPPING_END, TRACE_TIME_MAX, &end, &has_end, d));
    TRY(read_time(x, MAPPING_DURATION, TRACE_TIME_MAX, dur, &has_dur, d));
    TRY(read_time(x, MAPPING_LIMIT, TRACE_TIME_MAX, &limit, &has_limit, d));
    *why = NULL;
    if (!has_submit) *why = "row without an arrival, left out";
    if (*why != NULL) return ST_OK;
    if (has_wait && wait >= 0) { start = out->submit + wait; has_start = true; }
    if (x->map.of[MAPPING_DURATION].node == NULL && has_start && has_end) { *dur = end - start; has_dur = true; }
    if (!has_dur) *why = "row without a run time, left out";
    else if (*dur < 0) *why = "run time unknown (negative), row left out";
    else if (*dur > DUR_MAX) return fail(x, MAPPING_DURATION, d, "is longer than the clock can count");
    if (has_limit && limit > 0) out->limit = i64_min(limit, DUR_MAX);
    if (has_start)
        out->past = (struct job_past){ .is_known = true,
                                       .start = start,
                                       .end = has_end   ? end
                                              : has_dur ? start + *dur
                                                        : -1 };
    return ST_OK;
}

static enum st read_tasks(struct table *x, struct job_spec *out, sim_tick dur, struct diag *d)
{
    int64_t milli = 0, cpu = 0, mem = 0, gpu_mem = 0, n = 0, gang = 1, exclusive = 0;
    bool has_gpus, has_cpu, has_mem, has_gpu_mem;
    const char *types, *labels;
    char error[256];
    struct shape s = { .n_gpu = 0 };
    TRY(read_amount(x, MAPPING_GPUS, GPU_WHOLE, INT64_C(1000000) * GPU_WHOLE, &milli, &has_gpus, d));
    TRY(read_amount(x, MAPPING_CPUS, 1000, INT64_C(1000000000), &cpu, &has_cpu, d));
    TRY(read_amount(x, MAPPING_MEM, i64_max(x->map.of[MAPPING_MEM].unit, 1), INT64_MAX / 1024, &mem, &has_mem, d));
    TRY(read_amount(x, MAPPING_GPU_MEM, i64_max(x->map.of[MAPPING_GPU_MEM].unit, 1), INT64_MAX / 1024, &gpu_mem,
                    &has_gpu_mem, d));
    TRY(read_whole(x, MAPPING_TASKS, 1, TASKS_MAX, &n, d));
    TRY(read_whole(x, MAPPING_GANG, 0, 1, &gang, d));
    TRY(read_whole(x, MAPPING_EXCLUSIVE, 0, 1, &exclusive, d));
    TRY(read_text(x, MAPPING_GPU_TYPE, &types, d));
    TRY(read_text(x, MAPPING_LABELS, &labels, d));
    if (types != NULL && milli > 0 && !trace_gpu_types(&x->env, types, &s.gpu_types, error, sizeof error))
        return fail(x, MAPPING_GPU_TYPE, d, error);
    if (labels != NULL && !trace_labels(&x->env, labels, &s.need_all, &s.need_any, error, sizeof error))
        return fail(x, MAPPING_LABELS, d, error);
    s.exclusive = exclusive != 0;

    struct trace_whole w = {
        .shape = s,
        .dur = dur,
        .n_tasks = n,
        .gpu_milli = milli,
        .cpu_milli = has_cpu ? cpu : -1,
        .mem_b = has_mem ? mem : -1,
        .gpu_mem_b = has_gpu_mem ? gpu_mem : 0,
    };
    const char *error_of = NULL;
    TRY(trace_divide(&x->env, x->lim, &w, out, x->group, &error_of, d));
    if (error_of != NULL) return fail(x, MAPPING_GPUS, d, error_of);
    out->gang = out->gang && gang != 0;
    return ST_OK;
}

/* Host lists written out, joined by ','. */
static enum st read_nodes(struct table *x, struct job_spec *out, struct diag *d)
{
    const char *nodes;
    TRY(read_text(x, MAPPING_NODES, &nodes, d));
    if (nodes == NULL || !out->past.is_known) return ST_OK;
    char error[256];
    out->past.nodes = trace_nodes(nodes, &x->text[MAPPING_NODES], error, sizeof error);
    return out->past.nodes != NULL ? ST_OK : fail(x, MAPPING_NODES, d, error);
}

static enum st read_job(struct table *x, struct job_spec *out, const char **why, struct diag *d)
{
    sim_tick dur = 0;
    int64_t priority = 0;
    trace_blank(out);
    out->line = rows_line(x->rows);
    TRY(read_times(x, out, &dur, why, d));
    if (*why != NULL) return ST_OK;
    TRY(read_text(x, MAPPING_ID, &out->id, d));
    if (out->id == NULL) {
        mem_free(x->text[MAPPING_ID]);
        out->id = x->text[MAPPING_ID] = mem_printf("row-%u", out->line);
    }
    TRY(read_text(x, MAPPING_USER, &out->user, d));
    TRY(read_text(x, MAPPING_QUEUE, &out->queue, d));
    TRY(read_text(x, MAPPING_MODEL, &out->model, d));
    TRY(read_text(x, MAPPING_CLASS, &out->klass, d));
    TRY(read_text(x, MAPPING_STATE, &out->past.state, d));
    TRY(read_whole(x, MAPPING_PRIORITY, INT32_MIN, INT32_MAX, &priority, d));
    out->priority = (int32_t)priority;
    TRY(read_nodes(x, out, d));
    if (dur == 0) TRY(trace_repair(&x->env, "zero duration kept as 0", out->line, d));
    TRY(read_tasks(x, out, dur, d));
    TRY(trace_rounded(&x->env, x->rounded, out->line, d));
    x->rounded = false;
    return ST_OK;
}

static enum st next(void *ctx, struct job_spec *out, struct diag *d)
{
    struct table *x = ctx;
    for (;;) {
        bool wanted;
        const char *why = NULL;
        TRY(rows_next(x->rows, d));
        TRY(is_wanted(x, &wanted, d));
        if (!wanted) {
            trace_count(&x->env, "row that the map's `where` leaves out", rows_line(x->rows));
            continue;
        }
        TRY(read_job(x, out, &why, d));
        if (why == NULL) return ST_OK;
        TRY(trace_repair(&x->env, why, rows_line(x->rows), d));
    }
}

static void close_table(void *ctx)
{
    struct table *x = ctx;
    rows_close(x->rows);
    mapping_fini(&x->map);
    for (size_t i = 0; i < MAPPING_FIGURES; i++) mem_free(x->text[i]);
    MEM_FREE(x->form, x);
}

static enum st open_by(const struct trace_env *env, const struct trace_document *map, struct trace_reader *out,
                       struct diag *d)
{
    struct table *x;
    const char *path = env->opts->path;
    MEM_NEW(x);
    *out = (struct trace_reader){ .ctx = x, .next = next, .close = close_table };
    x->env = *env;
    x->lim = trace_limits(env);
    TRY(mapping_read(&x->map, map, d));
    char kind = x->map.kind != 0 ? x->map.kind : rows_kind(path);
    if (kind == 0) {
        (void)diag_at(d, ST_EINPUT, path, 0, 0, "its name does not say what separates its fields");
        return diag_hint(d, "say so in the map: `separator: comma`, tab, pipe, semicolon or json");
    }
    if (kind == ROWS_JSON && x->map.n_header > 0)
        return diag_at(d, ST_EINPUT, path, 0, 0, "is JSON, whose fields have names: leave `header` out of the map");
    TRY(rows_open(&x->rows, path, kind, x->map.header, x->map.n_header, d));
    return mapping_bind(&x->map, x->rows, path, d);
}

static enum st open_table(const struct trace_env *env, struct trace_reader *out, struct diag *d)
{
    return open_by(env, &((const struct table_opts *)env->opts->own)->map, out, d);
}

/* A map that is wrong is told before the trace is looked for. */
static enum st check_table(struct trace_opts *o, const struct cluster *c, const struct ydoc_node *section,
                           struct diag *d)
{
    const struct table_opts *own = o->own;
    struct mapping m = { .kind = 0 };
    (void)c; (void)section;
    enum st st = mapping_read(&m, &own->map, d);
    mapping_fini(&m);
    return st;
}

static enum st hash_table(const struct trace_opts *o, uint64_t *h, struct diag *d)
{
    const struct table_opts *own = o->own;
    return own->map.path != NULL ? trace_hash_file(own->map.path, h, d) : ST_OK;
}

static const struct trace_option options[] = {
    { .key = "map", .type = TRACE_DOCUMENT, .offset = offsetof(struct table_opts, map), .is_needed = true,
      .help = "which column is which figure: a file, the name of a ready map, or in a scenario the map itself" },
};

const struct trace_format table_format = {
    .name = "table", .summary = "any CSV, TSV, pipe-separated or JSON-lines file, by a map of its columns",
    .own_size = sizeof(struct table_opts), .option = options, .n_options = ARRAY_LEN(options),
    .check = check_table, .hash = hash_table, .open = open_table,
};

/* ---- formats that are a table and a ready map ---- */

#define READY(format, mapping_name, text) \
    static enum st open_##format(const struct trace_env *env, struct trace_reader *out, struct diag *d) \
    { return open_by(env, &(const struct trace_document){ .name = mapping_name }, out, d); } \
    const struct trace_format table_##format##_format = { .name = #format, .summary = text, .open = open_##format }

READY(helios, "helios-venus", "SenseTime Helios GPU jobs (job_id,arrival_s,service_sec,gpu_count)");
READY(philly, "philly-sia", "Microsoft Philly, cleaned for Sia (timestamp,duration,num_gpus,gpu_time,cluster)");

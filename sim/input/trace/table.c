/*
 * Tables of any kind, by a map of their columns (mapping.h): CSV, TSV, pipe-separated, JSON lines or a JSON list.
 * Layer: input.  traces/README.md, "Tables", is the reference.
 *
 * gpus, cpus and mem are the whole job's; `tasks` says into how many alike it is divided.  A row that says too little
 * to be replayed is left out and counted, as is one that the map's `where` does not want.
 *
 * What is the same for all rows is found out once, and gives a list of steps, one for each figure that the table can
 * tell.  Nearly every cell is a column alone and a plain number, date or text, which a step reads by itself; what is
 * not, and what is wrong, goes through the expression.
 */
#include <string.h>
#include "base/mem.h"
#include "input/trace/mapping.h"
#include "input/trace/reader.h"

enum { TASKS_MAX = 1000000,
       LINE_DIGITS = 11 };      /* of a line's number, with the NUL */

struct table_opts { struct trace_document map; };

/*
 * In the order in which figures are read, so that the first mistake of a row is the one that is told, and parts that
 * some rows do not get to.
 */
enum part { TIMES, WORDS, REQUEST, PARTS };
static const struct reading {
    enum part part;
    enum mapping_figure figure;
    int64_t unit;                       /* of a number; 0: the map's.  1: it must be whole */
    int64_t min, max;                   /* max 0: a text */
    int64_t dflt;
} readings[] = {
    { TIMES, MAPPING_SUBMIT, 0, -TRACE_TIME_MAX, TRACE_TIME_MAX, 0 },
    { TIMES, MAPPING_START, 0, -TRACE_TIME_MAX, TRACE_TIME_MAX, 0 },
    { TIMES, MAPPING_WAIT, 0, -TRACE_TIME_MAX, TRACE_TIME_MAX, 0 },
    { TIMES, MAPPING_END, 0, -TRACE_TIME_MAX, TRACE_TIME_MAX, 0 },
    { TIMES, MAPPING_DURATION, 0, -TRACE_TIME_MAX, TRACE_TIME_MAX, 0 },
    { TIMES, MAPPING_LIMIT, 0, -TRACE_TIME_MAX, TRACE_TIME_MAX, 0 },
    { WORDS, MAPPING_ID, 0, 0, 0, 0 },
    { WORDS, MAPPING_USER, 0, 0, 0, 0 },
    { WORDS, MAPPING_QUEUE, 0, 0, 0, 0 },
    { WORDS, MAPPING_MODEL, 0, 0, 0, 0 },
    { WORDS, MAPPING_CLASS, 0, 0, 0, 0 },
    { WORDS, MAPPING_STATE, 0, 0, 0, 0 },
    { WORDS, MAPPING_PRIORITY, 1, INT32_MIN, INT32_MAX, 0 },
    { WORDS, MAPPING_NODES, 0, 0, 0, 0 },
    { REQUEST, MAPPING_GPUS, GPU_WHOLE, 0, INT64_C(1000000) * GPU_WHOLE, 0 },
    { REQUEST, MAPPING_CPUS, 1000, 0, INT64_C(1000000000), 0 },
    { REQUEST, MAPPING_MEM, 0, 0, INT64_MAX / 1024, 0 },
    { REQUEST, MAPPING_GPU_MEM, 0, 0, INT64_MAX / 1024, 0 },
    { REQUEST, MAPPING_TASKS, 1, 1, TASKS_MAX, 0 },
    { REQUEST, MAPPING_GANG, 1, 0, 1, 1 },
    { REQUEST, MAPPING_EXCLUSIVE, 1, 0, 1, 0 },
    { REQUEST, MAPPING_GPU_TYPE, 0, 0, 0, 0 },
    { REQUEST, MAPPING_LABELS, 0, 0, 0, 0 },
};
_Static_assert(ARRAY_LEN(readings) == MAPPING_FIGURES, "every figure is read");

/* A figure that the table can tell.  column: it is that and no more; NONE: an expression, or put together. */
struct step {
    const struct reading *of;
    const struct mapping_value *v;
    uint32_t column;
    int64_t unit;                       /* of what it becomes; of bytes whose unit is in the text, 1 */
    bool dates_are_plain;               /* and exact in this unit; those of a pattern may be numbers, and mean these */
    bool is_constant, is_known;         /* constant: the same in every row; known: and read */
    bool is_line;                       /* the prefix, and the row's line */
    struct value_day day;               /* of its latest date */
};

/* A figure of the row at hand: is: there is one, else n is the default, and text NULL. */
struct figure { bool is; int64_t n; const char *text; };

/*
 * What a job asked for, without dur, and the groups that came of it: of parts these and gang alone.  is_known: dividing
 * it again would note no repair.
 */
struct division { struct trace_whole of; struct task_group group[2]; struct job_spec parts; bool is_known; };
enum { DIVISIONS = 16 };

struct table {
    struct trace_env env;
    struct mapping map;
    struct rows *rows;
    struct trace_limits lim;
    struct step step[MAPPING_FIGURES];
    struct step *end[PARTS];                /* of its steps */
    struct figure row[MAPPING_FIGURES];
    struct trace_whole whole;               /* what the row's job asks for, without dur */
    struct division division[DIVISIONS];    /* the last of so many cards and tasks */
    struct { char *at; size_t cap; } text[MAPPING_FIGURES];     /* of figures that are put together */
    uint32_t line;                          /* the latest that was asked for, */
    char digits[LINE_DIGITS], *digit;       /* with zeros before its first digit */
    char *nodes;                            /* written out */
    struct {
        enum value_form form;
        uint32_t line;
    } * form;
    size_t cap_form;                    /* [column] of its first time; line 0: none yet */
    bool rounded;                       /* a figure of the present row was */
    bool has_columns;       /* no expressions: each figure is a column as it is, the row's line, or a constant */
    char why[200];                      /* a field is no number: what it was expected to be */
};

/* ---- fields ---- */

struct cell { struct table *x; const struct mapping_value *v; };

static const char *unless_empty(const struct table *x, const char *s)
{
    for (size_t i = 0; i < x->map.n_empty; i++) if (strcmp(s, x->map.empty[i]) == 0) return "";
    return s;
}

static const char *cell_field(void *ctx, size_t name)
{
    const struct cell *c = ctx;
    return unless_empty(c->x, rows_field(c->x->rows, c->v->column[name]));
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
static bool cell_time(struct table *x, const struct mapping_value *v, int column, const char *s, sim_wide *out)
{
    const bool neg = *s == '-';
    bool *rounded = expr_divides(v->expr) ? NULL : &x->rounded;
    int64_t us;
    enum value_form form = VALUE_NUMBER;
    if (value_number(s + neg, EXPR_ONE, (sim_wide)1 << 100, out, rounded)) {
        if (neg) *out = -*out;
        return same_form(x, column, form);
    }
    form = VALUE_DATE;
    if (!value_date(s, &v->dates, &us, rounded) && !value_span(s, INT64_MAX / 4, &us, &form, rounded))
        return text_error(x->why, sizeof x->why, "is not %s",
                          v->dimension == MAPPING_INSTANT
                              ? "a time: expected a number or a date as the map's `dates` has them"
                              : "a time: expected a number, 1-02:03:04, 10m or a date");
    *out = (sim_wide)us * EXPR_ONE / v->unit;
    return same_form(x, column, form);
}

static bool cell_number(void *ctx, size_t name, const char *s, sim_wide *out)
{
    const struct cell *c = ctx;
    struct table *x = c->x;
    const struct mapping_value *v = c->v;
    const bool neg = *s == '-';
    int64_t bytes;
    char error[128];
    if (v->dimension == MAPPING_INSTANT || v->dimension == MAPPING_SPAN)
        return cell_time(x, v, v->column[name], s, out);
    if (value_number(s + neg, EXPR_ONE, (sim_wide)1 << 100, out, NULL)) {
        if (neg) *out = -*out;
        if (v->dimension != MAPPING_BYTES || v->unit > 0 || *out == 0) return true;
        return text_error(x->why, sizeof x->why, "has no unit: state one in the map, as {value: %.60s, unit: MiB}",
                          expr_name(v->expr, name));
    }
    if (v->dimension == MAPPING_BYTES && text_parse(s, TEXT_BYTES, 0, &bytes, error, sizeof error)) {
        *out = (sim_wide)bytes * EXPR_ONE / (v->unit > 0 ? v->unit : 1);
        return true;
    }
    /* A date or a span in a filter. */
    if (v->dimension == MAPPING_COUNT && v->dates.pattern == NULL) {
        enum value_form form;
        if (value_date(s, &v->dates, &bytes, NULL) || value_span(s, INT64_MAX / 4, &bytes, &form, NULL)) {
            *out = (sim_wide)bytes * (EXPR_ONE / TICK_SEC);
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

static enum st fail(struct table *x, enum mapping_figure f, struct diag *d, const char *what)
{
    return rows_fail(x->rows, -1, d, "%s: %s", mapping_figures[f].name, what);
}

/*
 * A cell that is a number, or a date in a column of dates, and no finer than what it becomes.  False: it is not, and
 * nothing was done.
 */
static inline bool read_plain(struct table *x, struct step *p, const char *s, struct figure *out)
{
    int64_t n;
    enum value_form form = VALUE_NUMBER;
    if (p->of->part == TIMES) {
        if (p->column >= x->cap_form || x->form[p->column].line == 0) return false;
        form = x->form[p->column].form;
    }
    if (form == VALUE_NUMBER) {
        const bool neg = *s == '-';
        if (!value_short(s + neg, p->unit, &n)) return false;
        if (neg) n = -n;
    } else if (form != VALUE_DATE || !p->dates_are_plain || !value_date_near(s, &p->v->dates, &p->day, &n, &x->rounded))
        return false;
    if (n < p->of->min || n > p->of->max) return false;
    out->is = true;
    out->n = n;
    return true;
}

/* By the expression, in EXPR_ONE-ths of the figure's unit, and from these to whole ones of the step's. */
static enum st read_number(struct table *x, const struct step *p, struct figure *out, struct diag *d)
{
    const struct reading *of = p->of;
    struct cell c = { x, p->v };
    const struct expr_row row = { &c, cell_field, cell_number };
    struct expr_value value;
    sim_wide n;
    size_t at;
    char error[256];
    x->why[0] = '\0';
    if (!expr_eval_number(p->v->expr, &row, &value, &at, error, sizeof error)) return cell_fail(x, p->v, at, error, d);
    if (value.type != EXPR_NUMBER) return ST_OK;
    out->is = true;
    if (of->unit == 1) {
        if (value.n % EXPR_ONE == 0 && value.n / EXPR_ONE >= of->min && value.n / EXPR_ONE <= of->max) {
            out->n = (int64_t)(value.n / EXPR_ONE);
            return ST_OK;
        }
        (void)snprintf(error, sizeof error, "is not a whole number in %lld..%lld", (long long)of->min,
                       (long long)of->max);
        return fail(x, of->figure, d, error);
    }
    if (value.n < 0 && of->min == 0) return fail(x, of->figure, d, "is negative");
    if (__builtin_mul_overflow(value.n, (sim_wide)p->unit, &n)) return fail(x, of->figure, d, "is too large");
    /* To nearest, which is noted unless a division made the figure. */
    if (n % EXPR_ONE != 0 && !expr_divides(p->v->expr)) x->rounded = true;
    n = (n + (n < 0 ? -EXPR_ONE / 2 : EXPR_ONE / 2)) / EXPR_ONE;
    if (n < of->min || n > of->max) return fail(x, of->figure, d, "is too large");
    out->n = (int64_t)n;
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

/* A text of the figure's own: these, one after another. */
static const char *put_together(struct table *x, enum mapping_figure f, const char *const *part, size_t n_parts)
{
    size_t n = 0;
    for (size_t i = 0; i < n_parts; i++) {
        const size_t len = strlen(part[i]);
        MEM_RESERVE(x->text[f].at, x->text[f].cap, n + len + 1);
        memcpy(x->text[f].at + n, part[i], len + 1);
        n += len;
    }
    return x->text[f].at;
}

/* The row's line in digits, counted up from that of a row before. */
static const char *line_of(struct table *x)
{
    for (const uint32_t line = rows_line(x->rows); x->line < line; x->line++) {
        char *s = x->digits + LINE_DIGITS - 2;
        for (; *s == '9'; s--) *s = '0';
        ++*s;
        if (s < x->digit) x->digit = s;
    }
    return x->digit;
}

static const char *text_of_line(struct table *x, enum mapping_figure f, const char *prefix)
{
    return put_together(x, f, (const char *[]){ prefix, line_of(x) }, 2);
}

/* A text that is more than a column. */
static enum st read_text(struct table *x, const struct step *p, struct figure *out, struct diag *d)
{
    const struct mapping_value *v = p->v;
    const char *text = "", *joined = "";
    if (v->expr == NULL) text = line_of(x);
    else TRY(eval_text(x, v, &text, d));
    if (v->join != NULL) TRY(eval_text(x, v->join, &joined, d));
    if (*text == '\0' && *joined == '\0') return ST_OK;
    const char *const part[] = { v->prefix != NULL ? v->prefix : "", text, *joined != '\0' ? "/" : "", joined };
    out->text = v->prefix == NULL && v->join == NULL ? text : put_together(x, p->of->figure, part, ARRAY_LEN(part));
    return ST_OK;
}

/* Nearly every row has plain cells alone, and is read at once.  False: this one is read part by part. */
static bool read_row(struct table *x)
{
    const char *const *const cells = rows_fields(x->rows);
    for (struct step *p = x->step; p < x->end[PARTS - 1]; p++) {
        struct figure *out = &x->row[p->of->figure];
        if (p->is_known) continue;
        if (p->is_line) {
            out->text = text_of_line(x, p->of->figure, p->v->prefix);
            continue;
        }
        if (p->column == NONE || cells == NULL) return false;
        const char *s = unless_empty(x, cells[p->column]);
        *out = (struct figure){ .n = p->of->dflt };
        if (*s == '\0') continue;
        if (p->of->max == 0) out->text = s;
        else if (!read_plain(x, p, s, out)) return false;
    }
    return true;
}

/* The figures of a part into x->row. */
static enum st read_part(struct table *x, enum part part, struct diag *d)
{
    const char *const *const cells = rows_fields(x->rows);
    for (struct step *p = part > 0 ? x->end[part - 1] : x->step; p < x->end[part]; p++) {
        struct figure *out = &x->row[p->of->figure];
        if (p->is_known) continue;
        const char *s = NULL;
        if (p->column != NONE)
            s = unless_empty(x, cells != NULL ? cells[p->column] : rows_field(x->rows, (int)p->column));
        out->is = false;
        out->n = p->of->dflt;
        out->text = NULL;
        if (s != NULL && *s == '\0') continue;
        if (p->of->max == 0 && s != NULL) out->text = s;
        else if (p->of->max == 0) TRY(read_text(x, p, out, d));
        else if (s == NULL || !read_plain(x, p, s, out)) TRY(read_number(x, p, out, d));
        p->is_known = p->is_constant && !x->rounded;
    }
    return ST_OK;
}

/* The prefix, and the row's line. */
static bool is_line(const struct mapping_value *v)
{
    return v->node != NULL && v->expr == NULL && v->prefix != NULL && v->join == NULL;
}

/* Which figures the table can tell, and how. */
static void plan(struct table *x)
{
    struct step *p = x->step;
    x->has_columns = true;
    for (const struct reading *of = readings; of < readings + ARRAY_LEN(readings); of++) {
        const struct mapping_value *v = &x->map.of[of->figure];
        const bool is_column = v->expr != NULL && expr_is_name(v->expr) && v->prefix == NULL && v->join == NULL;
        const int64_t unit = of->unit > 0 ? of->unit : v->unit;
        x->row[of->figure].n = of->dflt;
        if (v->node != NULL && !(is_column && v->column[0] < 0))
            *p++ = (struct step){
                .of = of,
                .v = v,
                .column = is_column && (of->max == 0 || unit > 0) ? (uint32_t)v->column[0] : NONE,
                .unit = i64_max(unit, 1),
                .dates_are_plain = v->dates.pattern == NULL && v->unit > 0 && EXPR_ONE % v->unit == 0,
                .is_constant =
                    v->expr != NULL && expr_n_names(v->expr) == 0 && v->prefix == NULL && v->join == NULL,
                .is_line = is_line(v),
            };
        if (p > x->step && p[-1].of == of) x->has_columns &= p[-1].column != NONE || p[-1].is_constant || p[-1].is_line;
        x->end[of->part] = p;
    }
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
    const struct figure *r = x->row, *wait = &r[MAPPING_WAIT], *limit = &r[MAPPING_LIMIT];
    struct figure start = r[MAPPING_START], end = r[MAPPING_END], ran = r[MAPPING_DURATION];
    *why = NULL;
    out->submit = r[MAPPING_SUBMIT].n;
    if (!r[MAPPING_SUBMIT].is) *why = "row without an arrival, left out";
    if (*why != NULL) return ST_OK;
    if (wait->is && wait->n >= 0) start = (struct figure){ .is = true, .n = out->submit + wait->n };
    if (x->map.of[MAPPING_DURATION].node == NULL && start.is && end.is)
        ran = (struct figure){ .is = true, .n = end.n - start.n };
    *dur = ran.n;
    if (!ran.is) *why = "row without a run time, left out";
    else if (*dur < 0) *why = "run time unknown (negative), row left out";
    else if (*dur > DUR_MAX) return fail(x, MAPPING_DURATION, d, "is longer than the clock can count");
    if (limit->is && limit->n > 0) out->limit = i64_min(limit->n, DUR_MAX);
    if (start.is)
        out->past = (struct job_past){ .is_known = true,
                                       .start = start.n,
                                       .end = end.is   ? end.n
                                              : ran.is ? start.n + *dur
                                                       : -1 };
    return ST_OK;
}

/* What the job asks for, as tasks that take so long: nearly always as one before was divided. */
static enum st divide(struct table *x, struct job_spec *out, sim_tick dur, struct diag *d)
{
    struct division *v = &x->division[(size_t)(x->whole.gpu_milli / GPU_WHOLE + x->whole.n_tasks) % DIVISIONS];
    const char *error;
    if (!v->is_known || memcmp(&x->whole, &v->of, sizeof x->whole) != 0) {
        v->is_known = false;
        v->of = x->whole;
        v->parts.line = out->line;
        TRY(trace_divide(&x->env, x->lim, &x->whole, &v->parts, v->group, &error, d));
        if (error != NULL) return fail(x, MAPPING_GPUS, d, error);
        /* A part of a card may be rounded, which is counted of every job. */
        v->is_known = x->whole.gpu_milli % GPU_WHOLE == 0 && v->group->shape.gpu_milli % GPU_WHOLE == 0;
    }
    out->group = v->group;
    out->n_groups = v->parts.n_groups;
    out->gang = v->parts.gang;
    for (uint32_t k = 0; k < out->n_groups; k++) v->group[k].dur = dur;
    return ST_OK;
}

static enum st read_tasks(struct table *x, struct job_spec *out, sim_tick dur, struct diag *d)
{
    const struct figure *r = x->row;
    const char *types = r[MAPPING_GPU_TYPE].text, *labels = r[MAPPING_LABELS].text;
    char error[256];
    struct trace_whole *w = &x->whole;
    struct shape *s = &w->shape;
    w->n_tasks = r[MAPPING_TASKS].n;
    w->gpu_milli = r[MAPPING_GPUS].n;
    w->cpu_milli = r[MAPPING_CPUS].is ? r[MAPPING_CPUS].n : -1;
    w->mem_b = r[MAPPING_MEM].is ? r[MAPPING_MEM].n : -1;
    w->gpu_mem_b = r[MAPPING_GPU_MEM].n;
    s->exclusive = r[MAPPING_EXCLUSIVE].n != 0;
    s->gpu_types = s->need_all = s->need_any = 0;
    if (types != NULL && w->gpu_milli > 0 && !trace_gpu_types(&x->env, types, &s->gpu_types, error, sizeof error))
        return fail(x, MAPPING_GPU_TYPE, d, error);
    if (labels != NULL && !trace_labels(&x->env, labels, &s->need_all, &s->need_any, error, sizeof error))
        return fail(x, MAPPING_LABELS, d, error);
    TRY(divide(x, out, dur, d));
    out->gang = out->gang && r[MAPPING_GANG].n != 0;
    return ST_OK;
}

/* Host lists written out, joined by ','. */
static enum st read_nodes(struct table *x, struct job_spec *out, struct diag *d)
{
    char error[256];
    out->past.nodes = trace_nodes(x->row[MAPPING_NODES].text, &x->nodes, error, sizeof error);
    return out->past.nodes != NULL ? ST_OK : fail(x, MAPPING_NODES, d, error);
}

static enum st read_job(struct table *x, struct job_spec *out, const char **why, struct diag *d)
{
    const struct figure *r = x->row;
    sim_tick dur = 0;
    trace_blank(out);
    out->line = rows_line(x->rows);
    const bool is_read = x->has_columns && read_row(x);
    if (!is_read) TRY(read_part(x, TIMES, d));
    TRY(read_times(x, out, &dur, why, d));
    if (*why != NULL) return ST_OK;
    if (!is_read) TRY(read_part(x, WORDS, d));
    out->id = r[MAPPING_ID].text;
    if (out->id == NULL) out->id = text_of_line(x, MAPPING_ID, "row-");
    out->user = r[MAPPING_USER].text;
    out->queue = r[MAPPING_QUEUE].text;
    out->model = r[MAPPING_MODEL].text;
    out->klass = r[MAPPING_CLASS].text;
    out->past.state = r[MAPPING_STATE].text;
    out->priority = (int32_t)r[MAPPING_PRIORITY].n;
    if (r[MAPPING_NODES].text != NULL && out->past.is_known) TRY(read_nodes(x, out, d));
    if (dur == 0) TRY(trace_repair(&x->env, "zero duration kept as 0", out->line, d));
    if (!is_read) TRY(read_part(x, REQUEST, d));
    TRY(read_tasks(x, out, dur, d));
    TRY(trace_rounded(&x->env, x->rounded, out->line, d));
    x->rounded = false;
    return ST_OK;
}

static enum st next(void *ctx, struct job_spec *out, struct diag *d)
{
    struct table *x = ctx;
    for (;;) {
        bool wanted = true;
        const char *why = NULL;
        TRY(rows_next(x->rows, d));
        if (x->map.n_where > 0) TRY(is_wanted(x, &wanted, d));
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
    for (size_t i = 0; i < MAPPING_FIGURES; i++) mem_free(x->text[i].at);
    MEM_FREE(x->form, x->nodes, x);
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
    memset(x->digits, '0', LINE_DIGITS - 1);
    x->digit = x->digits + LINE_DIGITS - 2;
    TRY(mapping_read(&x->map, map, d));
    char kind = x->map.kind != 0 ? x->map.kind : rows_kind(path);
    if (kind == 0) {
        (void)diag_at(d, ST_EINPUT, path, 0, 0, "its name does not say what separates its fields");
        return diag_hint(d, "say so in the map: `separator: comma`, tab, pipe, semicolon or json");
    }
    if (kind == ROWS_JSON && x->map.n_header > 0)
        return diag_at(d, ST_EINPUT, path, 0, 0, "is JSON, whose fields have names: leave `header` out of the map");
    TRY(rows_open(&x->rows, path, kind, x->map.header, x->map.n_header, d));
    TRY(mapping_bind(&x->map, x->rows, path, d));
    plan(x);
    /* Two objects of JSON may begin in one line. */
    out->ids_differ = !rows_is_json(x->rows) && (x->map.of[MAPPING_ID].node == NULL || is_line(&x->map.of[MAPPING_ID]));
    return ST_OK;
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

/*
 * query.c -- a figure of the user's own query: its columns chosen, its values checked, its script written.
 *
 * Rows are kept in the order of the query; a series, and a name on the axis, is
 * numbered when it is first met.
 */
#include "plot/query.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sqlite3.h>

#include "base/intern.h"
#include "base/mem.h"
#include "plot/compare/bar_names.h"
#include "plot/direct.h"

enum { X, Y, BY, LO, HI, ROLES };
static const char *const role[ROLES] = { "x", "y", "by", "lo", "hi" };

struct point { double x, y, lo, hi; uint32_t name, series; };   /* name: of x, for bars and boxes */

struct figure {
    const struct plot_sql_opts *o;
    sqlite3 *db;
    char    *sql;               /* owned */
    const char *path;           /* NULL: given on the command line */
    bool     is_named;          /* x is a name: bars and boxes */
    bool     is_box;
    int      col[ROLES];        /* -1: not used */
    char    *heading[ROLES];    /* owned; NULL where not used */
    struct point *at; size_t n, cap;
    struct intern name, series;
};

/* ---- the query ---- */

static enum st read_query(struct figure *f, struct diag *d)
{
    if (f->o->sql[0] != '@') { f->sql = mem_strdup(f->o->sql); return ST_OK; }
    f->path = f->o->sql + 1;
    FILE *in = fopen(f->path, "r");
    if (in == NULL) return diag_at(d, ST_EWORLD, f->path, 0, 0, "cannot read: %s", strerror(errno));
    size_t n = 0, cap = 0;
    for (int c; (c = fgetc(in)) != EOF;) {
        MEM_RESERVE(f->sql, cap, n + 2);
        f->sql[n++] = (char)c;
    }
    bool bad = ferror(in) != 0;
    (void)fclose(in);
    if (bad) return diag_at(d, ST_EWORLD, f->path, 0, 0, "cannot read it");
    if (n == 0) return diag_at(d, ST_EINPUT, f->path, 0, 0, "it is empty; expected a query");
    f->sql[n] = '\0';
    return ST_OK;
}

/* SQLite's error, at its place in the file or with the text that it did not understand. */
static enum st bad_query(const struct figure *f, struct diag *d)
{
    const char *error = sqlite3_errmsg(f->db);
    int offset = sqlite3_error_offset(f->db);
    uint32_t line = 1, col = 1;
    for (int i = 0; i < offset; i++) {
        if (f->sql[i] == '\n') { line++; col = 1; }
        else col++;
    }
    if (f->path != NULL) (void)diag_at(d, ST_EINPUT, f->path, offset < 0 ? 0 : line, offset < 0 ? 0 : col, "the query: %s", error);
    else if (offset < 0) (void)diag_set(d, ST_EINPUT, "the query: %s", error);
    else (void)diag_set(d, ST_EINPUT, "the query, line %u, column %u, at '%.20s': %s", line, col, f->sql + offset, error);
    return diag_hint(d, "there are the views v_run, v_job, v_metric, v_series, v_energy, v_moved and v_card, and the tables of "
                     DIAG_DOC("results/README.md") "; `sqlite3 FILE.db .schema` shows their columns");
}

static enum st prepare(struct figure *f, sqlite3_stmt **q, struct diag *d)
{
    const char *rest = NULL;
    if (sqlite3_prepare_v2(f->db, f->sql, -1, q, &rest) != SQLITE_OK) return bad_query(f, d);
    if (*q == NULL) return diag_set(d, ST_EINPUT, "the query is empty; expected a SELECT");
    if (rest[strspn(rest, " \t\r\n;")] != '\0')
        return diag_set(d, ST_EINPUT, "expected one query; found more after it: '%.40s'", rest + strspn(rest, " \t\r\n;"));
    if (!sqlite3_stmt_readonly(*q)) return diag_set(d, ST_EINPUT, "the query would write; a figure only reads");
    if (sqlite3_column_count(*q) == 0) return diag_set(d, ST_EINPUT, "the query returns no column; expected a SELECT");
    return ST_OK;
}

/* ---- which column is what ---- */

static int column_named(sqlite3_stmt *q, const char *name)
{
    for (int i = 0; i < sqlite3_column_count(q); i++) if (strcmp(sqlite3_column_name(q, i), name) == 0) return i;
    return -1;
}

static enum st no_column(sqlite3_stmt *q, const char *option, const char *name, struct diag *d)
{
    enum { MAX = 64 };
    const char *names[MAX];
    size_t n = 0;
    for (int i = 0; i < sqlite3_column_count(q) && n < MAX; i++) names[n++] = sqlite3_column_name(q, i);
    (void)diag_set(d, ST_EINPUT, "the query has no column '%s', which --%s names", name, option);
    (void)diag_suggest(d, name, names, n);
    return diag_hint(d, "its first is '%s'; name others with AS", names[0]);
}

static enum st choose_columns(struct figure *f, sqlite3_stmt *q, struct diag *d)
{
    const char *const asked[ROLES] = { f->o->x, f->o->y, f->o->by, f->o->lo, f->o->hi };
    for (int r = 0; r < ROLES; r++) {
        f->col[r] = -1;
        if (asked[r] != NULL && (f->col[r] = column_named(q, asked[r])) < 0) return no_column(q, role[r], asked[r], d);
    }
    for (int r = X; r <= Y; r++)
        for (int i = 0; i < sqlite3_column_count(q) && f->col[r] < 0; i++) {
            bool taken = false;
            for (int k = 0; k < ROLES; k++) taken = taken || f->col[k] == i;
            if (!taken) f->col[r] = i;
        }
    if (f->col[Y] < 0) return diag_set(d, ST_EINPUT, "the query has too few columns: expected one for x and one for y");
    for (int r = 0; r < ROLES; r++) if (f->col[r] >= 0) f->heading[r] = mem_strdup(sqlite3_column_name(q, f->col[r]));
    return ST_OK;
}

/* ---- the rows ---- */

/* NULL is no number; it leaves a gap.  Text is refused, and what an axis has no place for. */
static enum st number(const struct figure *f, sqlite3_stmt *q, int r, double *x, struct diag *d)
{
    int type = f->col[r] < 0 ? SQLITE_NULL : sqlite3_column_type(q, f->col[r]);
    *x = type == SQLITE_NULL ? NAN : sqlite3_column_double(q, f->col[r]);
    bool is_log = f->o->log != NULL && strchr(f->o->log, r == X ? 'x' : 'y') != NULL;
    if (isinf(*x) || (is_log && *x <= 0)) {
        (void)diag_set(d, ST_EINPUT, "row %zu of the query: %s is %g, which %s axis has no place for", f->n + 1, f->heading[r], *x,
                       isinf(*x) ? "an" : "a logarithmic");
        if (!isinf(*x)) diag_hint(d, "leave such rows out with WHERE, or the %s out of --log", r == X ? "x" : "y");
        return ST_EINPUT;
    }
    if (type == SQLITE_NULL || type == SQLITE_INTEGER || type == SQLITE_FLOAT) return ST_OK;
    (void)diag_set(d, ST_EINPUT, "row %zu of the query: %s is '%s'; expected a number", f->n + 1, f->heading[r],
                   (const char *)sqlite3_column_text(q, f->col[r]));
    if (r == X) diag_hint(d, "--with bars and --with boxes take names for x");
    return ST_EINPUT;
}

static enum st label(const struct figure *f, sqlite3_stmt *q, int r, struct intern *names, uint32_t most, uint32_t *id, struct diag *d)
{
    const char *s = f->col[r] < 0 ? "" : (const char *)sqlite3_column_text(q, f->col[r]);
    *id = intern_id(names, s != NULL ? s : "(none)");
    if (names->n <= most) return ST_OK;
    return diag_set(d, ST_EINPUT, "the query has more than %u different values of %s, which is more than a figure can tell apart", most, f->heading[r]);
}

static enum st read_rows(struct figure *f, sqlite3_stmt *q, struct diag *d)
{
    int rc;
    while ((rc = sqlite3_step(q)) == SQLITE_ROW) {
        struct point p = { .x = NAN };
        if (f->is_named) TRY(label(f, q, X, &f->name, PLOT_SQL_NAMES, &p.name, d));
        else TRY(number(f, q, X, &p.x, d));
        TRY(label(f, q, BY, &f->series, PLOT_SQL_SERIES, &p.series, d));
        TRY(number(f, q, Y, &p.y, d));
        TRY(number(f, q, LO, &p.lo, d));
        TRY(number(f, q, HI, &p.hi, d));
        if (f->n == PLOT_SQL_ROWS) {
            (void)diag_set(d, ST_EINPUT, "the query returns more than %d rows, more than a figure shows", PLOT_SQL_ROWS);
            return diag_hint(d, "thin them with GROUP BY, for example by time: CAST(at_us / 600e6 AS INTEGER)");
        }
        MEM_PUSH(f->at, f->n, f->cap, p);
    }
    if (rc != SQLITE_DONE) return bad_query(f, d);
    if (f->n > 0) return ST_OK;
    (void)diag_set(d, ST_EINPUT, "the query returns no row to draw");
    return ST_EINPUT;
}

/* ---- the script ---- */

static void write_numbers(struct gnuplot *g, const struct point *p)
{
    (void)fprintf(g->to, "\t%.9g\t%.9g\t%.9g", p->y, isnan(p->lo) ? p->y : p->lo, isnan(p->hi) ? p->y : p->hi);
}

/* A block a curve: x, y, lo, hi; an empty line is a gap. */
static void write_curves(struct figure *f, struct gnuplot *g)
{
    for (uint32_t s = 0; s < f->series.n; s++) {
        for (size_t i = 0; i < f->n; i++) {
            const struct point *p = &f->at[i];
            if (p->series != s) continue;
            if (isnan(p->x) || isnan(p->y)) { (void)fputc('\n', g->to); continue; }
            (void)fprintf(g->to, "%.12g", p->x);
            write_numbers(g, p);
            (void)fputc('\n', g->to);
        }
        (void)fprintf(g->to, "\n\n");
    }
}

/* A row a name: the name, then y, lo, hi of every series.  Two rows of one name and series are an error: the second
 * would hide the first. */
static enum st write_bars(struct figure *f, struct gnuplot *g, struct diag *d)
{
    const struct point **cell;
    enum st st = ST_OK;
    MEM_ARRAY(cell, (size_t)f->name.n * f->series.n);
    for (size_t i = 0; i < (size_t)f->name.n * f->series.n; i++) cell[i] = NULL;
    for (size_t i = 0; i < f->n && st == ST_OK; i++) {
        const struct point **at = &cell[(size_t)f->at[i].name * f->series.n + f->at[i].series];
        if (*at != NULL) {
            st = diag_set(d, ST_EINPUT, "the query has two rows for %s '%s'%s%s: a bar shows one", f->heading[X], intern_name(&f->name, f->at[i].name),
                          f->col[BY] >= 0 ? " and " : "", f->col[BY] >= 0 ? intern_name(&f->series, f->at[i].series) : "");
            diag_hint(d, "group them, or tell them apart with --by");
        }
        *at = &f->at[i];
    }
    for (uint32_t n = 0; n < f->name.n && st == ST_OK; n++) {
        gnuplot_cell(g, intern_name(&f->name, n));
        for (uint32_t s = 0; s < f->series.n; s++) {
            const struct point *p = cell[(size_t)n * f->series.n + s];
            if (p != NULL) write_numbers(g, p);
            else (void)fprintf(g->to, "\tnan\tnan\tnan");
        }
        (void)fputc('\n', g->to);
    }
    mem_free(cell);
    return st;
}

/* A block a name: its values. */
static void write_boxes(struct figure *f, struct gnuplot *g)
{
    for (uint32_t n = 0; n < f->name.n; n++) {
        for (size_t i = 0; i < f->n; i++)
            if (f->at[i].name == n && !isnan(f->at[i].y)) (void)fprintf(g->to, "%.9g\n", f->at[i].y);
        (void)fprintf(g->to, "\n\n");
    }
}

/* What an axis spans that has no names: all values, and a little. */
static struct direct_axis axis_of(const struct figure *f, int role_of, double inches)
{
    const bool is_log = f->o->log != NULL && strchr(f->o->log, role_of == X ? 'x' : 'y') != NULL;
    struct direct_axis a = { 1, HUGE_VAL, -HUGE_VAL, is_log, inches };
    for (size_t i = 0; i < f->n; i++) {
        const struct point *p = &f->at[i];
        const double v[] = { role_of == X ? p->x : p->y, role_of == X ? p->x : p->lo, role_of == X ? p->x : p->hi };
        for (size_t k = 0; k < ARRAY_LEN(v); k++) {
            a.from = fmin(a.from, v[k]);        /* of a NaN and a number fmin takes the number */
            a.to = fmax(a.to, v[k]);
        }
    }
    if (!(a.to > a.from)) { a.from -= a.is_log ? 0 : 0.5; a.to += a.is_log ? a.to : 0.5; }
    const double more = a.is_log ? pow(a.to / a.from, 0.04) : 0.04 * (a.to - a.from);
    a.from = a.is_log ? a.from / more : a.from - more;
    a.to = a.is_log ? a.to * more : a.to + more;
    return a;
}

/* More curves than colours differ: their names in the figure, whose axes are then fixed. */
static void write_direct(const struct figure *f, struct gnuplot *g, double w, double h)
{
    const struct direct_axis x = axis_of(f, X, w - 0.7 - 0.15), y = axis_of(f, Y, h - 0.25 - 0.48);
    struct direct marks = { 0 };
    const char **name;
    const bool joins = strcmp(f->o->with, "points") != 0;
    MEM_ARRAY(name, f->series.n);
    for (uint32_t s = 0; s < f->series.n; s++) {
        bool is_joined = false;
        name[s] = intern_name(&f->series, s);
        for (size_t i = 0; i < f->n; i++) {
            const struct point *p = &f->at[i];
            if (p->series != s) continue;
            const bool is_gap = isnan(p->x) || isnan(p->y);
            if (!is_gap) direct_add(&marks, s, p->x, p->y, is_joined && joins);
            is_joined = !is_gap;
        }
    }
    direct_begin(g);
    direct_write(&marks, g, name, f->series.n, &x, &y);
    direct_end(g, f->series.n);
    gnuplot_number(g, "XFROM", x.from);
    gnuplot_number(g, "XTO", x.to);
    gnuplot_number(g, "YFROM", y.from);
    gnuplot_number(g, "YTO", y.to);
    mem_free(name);
    mem_free(marks.at);
}

static void write_names(struct gnuplot *g, const char *array, const struct intern *names)
{
    (void)fprintf(g->to, "array %s[%u]\n", array, names->n);
    for (uint32_t i = 0; i < names->n; i++) gnuplot_item(g, array, i, intern_name(names, i));
}

static enum st write_script(struct figure *f, struct gnuplot *g, struct diag *d)
{
    const struct plot_sql_opts *o = f->o;
    struct bar_names names = { 0 };
    for (uint32_t i = 0; i < f->name.n; i++) bar_names_add(&names, intern_name(&f->name, i));
    (void)fprintf(g->to, "$data << EOD\n");
    if (f->is_box) write_boxes(f, g);
    else if (f->is_named) TRY(write_bars(f, g, d));
    else write_curves(f, g);
    (void)fprintf(g->to, "EOD\n");
    write_names(g, "LABEL", &f->series);
    if (f->is_named) write_names(g, "NAME", &f->name);
    const bool is_direct = !f->is_named && f->series.n > DIRECT_ABOVE;
    double wide = is_direct ? 7 : f->is_named ? fmin(7, fmax(3.5, 0.7 + (double)f->name.n * (double)f->series.n * 0.14 + (double)f->name.n * 0.1)) : 3.5;
    (void)fprintf(g->to, "if (!exists(\"W\")) W = %.2f\n", wide);
    if (f->is_named && f->name.n > 0) bar_names_end(g, &names, wide - 0.7, 2.3, 0.3);
    else (void)fprintf(g->to, "if (!exists(\"H\")) H = %.1f\n", is_direct ? 3.8 : 2.3);
    if (is_direct) write_direct(f, g, wide, 3.8);
    (void)fprintf(g->to, "N = %u\nNAMES = %u\nWITH = '%s'\nHAS_CI = %d\nHAS_KEY = %d\nLOGX = %d\nLOGY = %d\n", f->series.n, f->name.n,
                  o->with, f->col[LO] >= 0, f->col[BY] >= 0, o->log != NULL && strchr(o->log, 'x') != NULL, o->log != NULL && strchr(o->log, 'y') != NULL);
    gnuplot_text(g, "TITLE", o->title ? o->title : "");
    gnuplot_text(g, "XLABEL", o->xlabel ? o->xlabel : f->is_named ? "" : f->heading[X]);
    gnuplot_text(g, "YLABEL", o->ylabel ? o->ylabel : f->heading[Y]);
    return ST_OK;
}

static enum st check_options(struct plot_sql_opts *o, struct figure *f, struct diag *d)
{
    static const char *const with[] = { "lines", "points", "linespoints", "steps", "bars", "boxes" };
    size_t k = 0;
    if (o->with == NULL) o->with = "lines";
    while (k < ARRAY_LEN(with) && strcmp(with[k], o->with) != 0) k++;
    if (k == ARRAY_LEN(with)) {
        (void)diag_set(d, ST_EINPUT, "--with is '%s'; expected lines, points, linespoints, steps, bars or boxes", o->with);
        return diag_suggest(d, o->with, with, k);
    }
    f->is_box = strcmp(o->with, "boxes") == 0;
    f->is_named = f->is_box || strcmp(o->with, "bars") == 0;
    if ((o->lo == NULL) != (o->hi == NULL)) return diag_set(d, ST_EINPUT, "--lo and --hi go together");
    if (f->is_box && (o->lo != NULL || o->by != NULL)) return diag_set(d, ST_EINPUT, "boxes have no use for --by, --lo and --hi: each shows all values of an x");
    if (o->log == NULL) return ST_OK;
    if (strcmp(o->log, "x") != 0 && strcmp(o->log, "y") != 0 && strcmp(o->log, "xy") != 0)
        return diag_set(d, ST_EINPUT, "--log is '%s'; expected x, y or xy", o->log);
    if (f->is_named && o->log[0] == 'x') return diag_set(d, ST_EINPUT, "with %s, x is a name and has no logarithm", o->with);
    return ST_OK;
}

enum st plot_sql(struct store *s, const struct plot_sql_opts *opts, struct diag *d)
{
    struct plot_sql_opts o = *opts;
    struct figure f = { .o = &o, .db = store_db(s) };
    struct gnuplot g;
    sqlite3_stmt *q = NULL;
    TRY(check_options(&o, &f, d));
    enum st st = read_query(&f, d);
    if (st == ST_OK) st = prepare(&f, &q, d);
    if (st == ST_OK) st = choose_columns(&f, q, d);
    if (st == ST_OK) st = read_rows(&f, q, d);
    (void)sqlite3_finalize(q);
    if (st == ST_OK) st = gnuplot_begin(&g, o.out, "custom", d);
    if (st == ST_OK) {
        st = write_script(&f, &g, d);
        if (st == ST_OK) st = gnuplot_end(&g, "custom", d);
        else gnuplot_abort(&g);
    }
    for (int r = 0; r < ROLES; r++) mem_free(f.heading[r]);
    intern_fini(&f.name);
    intern_fini(&f.series);
    mem_free(f.at);
    mem_free(f.sql);
    return st;
}

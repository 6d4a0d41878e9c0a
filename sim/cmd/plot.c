/* fairway plot: a figure from a database. */
#include <stdio.h>
#include <string.h>
#include "base/text.h"
#include "cmd/cmd.h"
#include "plot/plot.h"
#include "plot/query.h"

struct args { struct plot_opts fig; struct plot_sql_opts sql; };

/* Figures by name have options of their own. */
static int check_use(const struct args *o, const struct cmd_args *a)
{
    for (const struct cmd_option *x = cmd_plot.option; o->sql.sql != NULL && x->help != NULL; x++)
        if (x->name != NULL && x->needs == NULL && strcmp(x->name, "sql") != 0 && strcmp(x->name, "output") != 0
            && option_is_given(&cmd_plot, a, x->name))
            return cmd_usage_error(&cmd_plot, "'--%s' is for figures by name, and --sql is a figure of its own",
                                   x->name);
    if (o->sql.sql != NULL && a->n != 1)
        return cmd_usage_error(&cmd_plot, "expected one database with --sql, found %d arguments", a->n);
    if (o->sql.sql == NULL && a->n != 2)
        return cmd_usage_error(&cmd_plot, "expected a database and a figure, found %d arguments", a->n);
    return 0;
}

static enum st plot(const char *db, const char *figure, struct plot_opts *o, struct diag *d)
{
    char path[64];
    struct store *s;
    const struct plot_figure *f = plot_find(figure, d);
    if (f == NULL) return d->code;
    (void)snprintf(path, sizeof path, "%s.svg", figure);
    if (o->out == NULL) o->out = path;
    TRY(store_open_read(&s, db, d));
    enum st st = plot_make(s, f, o, d);
    store_close(s);
    if (st == ST_OK) text_line(stdout, "%s", o->out);
    return st;
}

static enum st plot_query(const char *db, struct args *a, struct diag *d)
{
    struct store *s;
    a->sql.out = a->fig.out != NULL ? a->fig.out : "custom.svg";
    TRY(store_open_read(&s, db, d));
    enum st st = plot_sql(s, &a->sql, d);
    store_close(s);
    if (st == ST_OK) text_line(stdout, "%s", a->sql.out);
    return st;
}

static int run(void *opts, const struct cmd_args *a)
{
    struct args *o = opts;
    struct diag d = { 0 };
    int status = check_use(o, a);
    if (status != 0) return status;
    enum st st = o->sql.sql != NULL ? plot_query(a->at[0], o, &d) : plot(a->at[0], a->at[1], &o->fig, &d);
    return st == ST_OK ? 0 : cmd_fail(&d);
}

/* Indented lines that end before `end`. */
static void put_paragraph(const char *s, int indent, int end, FILE *to)
{
    for (int at = 0, len; *s != '\0'; s += len + (s[len] == ' ')) {
        len = (int)strcspn(s, " ");
        if (at > 0 && at + 1 + len > end) {
            (void)fputc('\n', to);
            at = 0;
        }
        at += fprintf(to, "%*s%.*s", at == 0 ? indent : 1, "", len, s);
    }
    (void)fputc('\n', to);
}

/* Summaries begin in one column, and options in another, as far as names and summaries are short. */
static void list_figures(FILE *to)
{
    enum { SUMMARY_AT = 14, OPTIONS_AT = 69 };
    (void)fputc('\n', to);
    for (size_t i = 0; plot_figures[i] != NULL; i++) {
        const struct plot_figure *f = plot_figures[i];
        int at = fprintf(to, "  %s  ", f->name);
        if (at < SUMMARY_AT) at += fprintf(to, "%*s", SUMMARY_AT - at, "");
        at += fprintf(to, "%s", f->summary);
        if (f->options != NULL) (void)fprintf(to, "  %*s%s", at + 2 < OPTIONS_AT ? OPTIONS_AT - at - 2 : 0, "", f->options);
        (void)fputc('\n', to);
        put_paragraph(f->about, SUMMARY_AT, 110, to);
    }
}

#define OF_QUERY(word, of, member, says) \
    { word, 0, OPTION_TEXT, of, says, .offset = offsetof(struct args, sql.member), .needs = "sql" }
#define OF_QUERY_WORDS(word, of, member, says, all) \
    { word, 0, OPTION_TEXT, of, says, .offset = offsetof(struct args, sql.member), .needs = "sql", .words = all }
static const struct cmd_option options[] = {
    { "output", 'o', OPTION_TEXT, "FILE", "default: FIGURE.svg; .gp keeps the script, data included",
      .offset = offsetof(struct args, fig.out), .words = "*" },
    { "metric", 'm', OPTION_TEXT, "METRIC",
      "jct (the default), wait, span, slowdown, bounded_slowdown, rho; cdf: s_whole, s_share;\n"
      "levels: names of series and notes, ',' in one panel, '/' in the next",
      .offset = offsetof(struct args, fig.metric) },
    { "scope", 0, OPTION_TEXT, "SCOPE", "all (the default) or class=NAME", .offset = offsetof(struct args, fig.scope) },
    { "base", 0, OPTION_TEXT, "POLICY", "default: the policy that was run first",
      .offset = offsetof(struct args, fig.base), .words = "@policies" },
    { "run", 0, OPTION_COUNT, "N", "one run; default: each policy's first (timeline), the first (levels, gantt)",
      .offset = offsetof(struct args, fig.run),
      .min = 1, .expected = "the number of a run" },
    { "nodes", 0, OPTION_TEXT, "N",
      "the N nodes with the most starts, or those named; default: as many as make 16 GPUs",
      .offset = offsetof(struct args, fig.nodes) },
    { "from", 0, OPTION_SECONDS, "T", "window (4h, 30m; bare: seconds); default: the busiest, some 160 bars wide",
      .offset = offsetof(struct args, fig.from) },
    { "to", 0, OPTION_SECONDS, "T", "its end; pods: the instant drawn, default: when the last task started",
      .offset = offsetof(struct args, fig.to) },
    { "scenario", 0, OPTION_TEXT, "NAME", "needed when the database holds several",
      .offset = offsetof(struct args, fig.scenario) },
    { .help = "A figure of a query, one SELECT that only reads.  The views: " DIAG_DOC("results/README.md") "." },
    { "sql", 0, OPTION_TEXT, "QUERY|@FILE", "the query, or the file that holds it",
      .offset = offsetof(struct args, sql.sql), .words = "*" },
    OF_QUERY_WORDS("with", "STYLE", with, "lines (the default), points, linespoints, steps: x is a number;\n"
                   "bars: x is a name; boxes: box plots of all y of each name x",
                   "lines points linespoints steps bars boxes"),
    OF_QUERY("x", "COL", x, "column of x (default: the first)"),
    OF_QUERY("y", "COL", y, "column of y (default: the next)"),
    OF_QUERY("by", "COL", by, "a curve, or a bar beside the others, for each of its values"),
    OF_QUERY("lo", "COL", lo, "the lower end of an interval about y"),
    OF_QUERY("hi", "COL", hi, "its upper end"),
    OF_QUERY_WORDS("log", "x|y|xy", log, "logarithmic axes", "x y xy"),
    OF_QUERY("title", "T", title, "above the figure"),
    OF_QUERY("xlabel", "T", xlabel, "under the x axis (default: the column's name)"),
    OF_QUERY("ylabel", "T", ylabel, "beside the y axis (default: the column's name)"),
    { 0 },
};

const struct cmd cmd_plot = {
    .name = "plot", .summary = "draw a figure with gnuplot, of those below or of a query of your own",
    .synopsis = "FILE.db FIGURE [-o FILE.svg|.pdf|.png|.gp] [OPTIONS]\nFILE.db --sql QUERY|@FILE [-o FILE] [OPTIONS]",
    .list = list_figures,
    .notes = "Only finished runs are drawn.  In figures as in tables, * marks a clairvoyant policy.\n",
    .option = options, .size = sizeof(struct args),
    .defaults = &(const struct args){ .fig = { .run = -1, .from = -1, .to = -1 } },
    .arg = { "*.db", "@figures" }, .run = run,
};

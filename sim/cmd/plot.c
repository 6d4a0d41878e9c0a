/* fairway plot: a figure from a database. */
#include <stdio.h>
#include <string.h>
#include "base/text.h"
#include "cmd/cmd.h"
#include "plot/plot.h"
#include "plot/query.h"

struct args { struct plot_opts fig; struct plot_sql_opts sql; };

/* Figures by name have options of their own. */
static int check(const void *opts, const struct cmd_args *a)
{
    const struct args *o = opts;
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

static enum st on_db(void *opts, const struct cmd_args *a, struct store *s, struct diag *d)
{
    struct args *o = opts;
    const char *out = o->fig.out;
    char path[64];
    if (o->sql.sql != NULL) {
        o->sql.out = out = out != NULL ? out : "custom.svg";
        TRY(plot_sql(s, &o->sql, d));
    } else {
        const struct plot_figure *f = plot_find(a->at[1], d);
        if (f == NULL) return d->code;
        (void)snprintf(path, sizeof path, "%s.svg", f->name);
        o->fig.out = out = out != NULL ? out : path;
        TRY(plot_make(s, f, &o->fig, d));
    }
    text_line(stdout, "%s", out);
    return ST_OK;
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
    .arg = { "*.db", "@figures" }, .check = check, .on_db = on_db,
};

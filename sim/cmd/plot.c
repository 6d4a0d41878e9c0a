/* fairway plot: a figure from a database. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include "cmd/cmd.h"
#include "base/text.h"
#include "plot/plot.h"
#include "plot/query.h"

enum { OPT_RUN = 256, OPT_SCOPE, OPT_BASE, OPT_NODES, OPT_FROM, OPT_TO, OPT_SCENARIO,
       OPT_SQL, OPT_WITH, OPT_X, OPT_Y, OPT_BY, OPT_LO, OPT_HI, OPT_TITLE, OPT_XLABEL, OPT_YLABEL, OPT_LOG };

static const struct option long_opts[] = {
    { "output", required_argument, NULL, 'o' }, { "run", required_argument, NULL, OPT_RUN },
    { "metric", required_argument, NULL, 'm' }, { "scope", required_argument, NULL, OPT_SCOPE },
    { "base", required_argument, NULL, OPT_BASE }, { "nodes", required_argument, NULL, OPT_NODES },
    { "from", required_argument, NULL, OPT_FROM }, { "to", required_argument, NULL, OPT_TO },
    { "scenario", required_argument, NULL, OPT_SCENARIO },
    { "sql", required_argument, NULL, OPT_SQL }, { "with", required_argument, NULL, OPT_WITH }, { "x", required_argument, NULL, OPT_X },
    { "y", required_argument, NULL, OPT_Y }, { "by", required_argument, NULL, OPT_BY }, { "lo", required_argument, NULL, OPT_LO },
    { "hi", required_argument, NULL, OPT_HI }, { "title", required_argument, NULL, OPT_TITLE },
    { "xlabel", required_argument, NULL, OPT_XLABEL }, { "ylabel", required_argument, NULL, OPT_YLABEL },
    { "log", required_argument, NULL, OPT_LOG }, { 0 },
};

struct args { struct plot_opts fig; struct plot_sql_opts sql; const char *figure_option, *sql_option; };

/* An option of query figures, or none of them. */
static const char **sql_option(struct plot_sql_opts *o, int c)
{
    switch (c) {
    case OPT_WITH:   return &o->with;
    case OPT_X:      return &o->x;
    case OPT_Y:      return &o->y;
    case OPT_BY:     return &o->by;
    case OPT_LO:     return &o->lo;
    case OPT_HI:     return &o->hi;
    case OPT_TITLE:  return &o->title;
    case OPT_XLABEL: return &o->xlabel;
    case OPT_YLABEL: return &o->ylabel;
    case OPT_LOG:    return &o->log;
    default:         return NULL;
    }
}

static int check_arguments(const struct args *a, int n)
{
    if (a->sql.sql != NULL && a->figure_option != NULL)
        return cmd_usage_error(&cmd_plot, "'%s' is for figures by name, and --sql is a figure of its own", a->figure_option);
    if (a->sql.sql == NULL && a->sql_option != NULL) return cmd_usage_error(&cmd_plot, "'%s' goes with --sql", a->sql_option);
    if (a->sql.sql != NULL && n != 1) return cmd_usage_error(&cmd_plot, "expected one database with --sql, found %d arguments", n);
    if (a->sql.sql == NULL && n != 2) return cmd_usage_error(&cmd_plot, "expected a database and a figure, found %d arguments", n);
    return 0;
}

static int parse(struct args *a, int argc, char **argv)
{
    struct plot_opts *o = &a->fig;
    int bad = 0;
    optind = 1;
    opterr = 0;
    for (int c; bad == 0 && (c = getopt_long(argc, argv, ":o:m:", long_opts, NULL)) != -1;) {
        const char **to = sql_option(&a->sql, c);
        if (to != NULL) { *to = optarg; a->sql_option = argv[optind - 1] == optarg ? argv[optind - 2] : argv[optind - 1]; continue; }
        if (c == OPT_SQL) { a->sql.sql = optarg; continue; }
        if (c != 'o' && c != ':' && c != '?') a->figure_option = argv[optind - 1] == optarg ? argv[optind - 2] : argv[optind - 1];
        switch (c) {
        case 'o':          o->out = optarg; break;
        case 'm':          o->metric = optarg; break;
        case OPT_SCOPE:    o->scope = optarg; break;
        case OPT_BASE:     o->base = optarg; break;
        case OPT_NODES:    o->nodes = optarg; break;
        case OPT_SCENARIO: o->scenario = optarg; break;
        case OPT_FROM:     bad = cmd_parse_time(&cmd_plot, "from", optarg, &o->from); break;
        case OPT_TO:       bad = cmd_parse_time(&cmd_plot, "to", optarg, &o->to); break;
        case OPT_RUN:
            if (!text_int(optarg, &o->run) || o->run < 1)
                bad = cmd_usage_error(&cmd_plot, "--run is '%s'; expected the number of a run", optarg);
            break;
        default: return cmd_option_error(&cmd_plot, c, argv);
        }
    }
    return bad != 0 ? bad : check_arguments(a, argc - optind);
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

static int run(int argc, char **argv)
{
    struct args a = { .fig = { .run = -1, .from = -1, .to = -1 } };
    struct diag d = { 0 };
    int status = parse(&a, argc, argv);
    if (status != 0) return status;
    enum st st = a.sql.sql != NULL ? plot_query(argv[optind], &a, &d) : plot(argv[optind], argv[optind + 1], &a.fig, &d);
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
    for (size_t i = 0; plot_figures[i] != NULL; i++) {
        const struct plot_figure *f = plot_figures[i];
        int at = fprintf(to, "  %s  ", f->name);
        if (at < SUMMARY_AT) at += fprintf(to, "%*s", SUMMARY_AT - at, "");
        at += fprintf(to, "%s", f->summary);
        if (f->options != NULL) (void)fprintf(to, "  %*s%s", at + 2 < OPTIONS_AT ? OPTIONS_AT - at - 2 : 0, "", f->options);
        (void)fputc('\n', to);
        put_paragraph(f->about, SUMMARY_AT, 110, to);
    }
    (void)fputc('\n', to);
}

static const char *usage(void)
{
    static char *text;
    size_t n;
    FILE *f = text == NULL ? open_memstream(&text, &n) : NULL;
    if (f == NULL) return text != NULL ? text : "";
    (void)fputs(
        "usage: fairway plot FILE.db FIGURE [-o FILE.svg|.pdf|.png|.gp] [OPTIONS]\n"
        "       fairway plot FILE.db --sql QUERY|@FILE [--with STYLE] [--x COL] [--y COL] [--by COL] [-o FILE]\n\n", f);
    list_figures(f);
    (void)fputs(
        "  -o, --output FILE      default: FIGURE.svg; .gp keeps the script, data included\n"
        "  -m, --metric METRIC    jct (the default), wait, span, slowdown, bounded_slowdown, rho; cdf: s_whole, s_share;\n"
        "                         levels: names of series and notes, ',' in one panel, '/' in the next\n"
        "      --scope SCOPE      all (the default) or class=NAME\n"
        "      --base POLICY      default: the policy that was run first\n"
        "      --run N            one run; default: each policy's first (timeline), the first (levels, gantt)\n"
        "      --nodes N          the N nodes with the most starts, or those named; default: as many as make 16 GPUs\n"
        "      --from T, --to T   window (4h, 30m; bare: seconds); default: the busiest, some 160 bars wide;\n"
        "                         pods: --to is the instant drawn, default: when the last task started\n"
        "      --scenario NAME    needed when the database holds several\n\n"
        "A figure of a query, one SELECT that only reads.  The views: " DIAG_DOC("results/README.md") ".\n"
        "      --sql QUERY|@FILE  the query, or the file that holds it\n"
        "      --with STYLE       lines (the default), points, linespoints, steps: x is a number;\n"
        "                         bars: x is a name; boxes: box plots of all y of each name x\n"
        "      --x COL, --y COL   columns (default: the first, and the next)\n"
        "      --by COL           a curve, or a bar beside the others, for each of its values\n"
        "      --lo COL, --hi COL the ends of an interval about y\n"
        "      --log x|y|xy       logarithmic axes\n"
        "      --title T, --xlabel T, --ylabel T\n\n"
        "Only finished runs are drawn.  In figures as in tables, * marks a clairvoyant policy.\n", f);
    (void)fclose(f);
    return text;
}

const struct cmd cmd_plot = {
    .name = "plot", .summary = "draw a figure with gnuplot, of those below or of a query of your own", .make_usage = usage, .run = run,
};

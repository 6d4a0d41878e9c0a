/* fairway plot: a figure from a database. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include "app/cmd.h"
#include "base/text.h"
#include "out/plot.h"

enum { OPT_RUN = 256, OPT_SCOPE, OPT_BASE, OPT_NODES, OPT_FROM, OPT_TO, OPT_SCENARIO };

static const struct option long_opts[] = {
    { "output", required_argument, NULL, 'o' }, { "run", required_argument, NULL, OPT_RUN },
    { "metric", required_argument, NULL, 'm' }, { "scope", required_argument, NULL, OPT_SCOPE },
    { "base", required_argument, NULL, OPT_BASE }, { "nodes", required_argument, NULL, OPT_NODES },
    { "from", required_argument, NULL, OPT_FROM }, { "to", required_argument, NULL, OPT_TO },
    { "scenario", required_argument, NULL, OPT_SCENARIO }, { 0 },
};

static int parse_time(const char *option, const char *s, sim_tick *out)
{
    char why[128];
    if (text_parse(s, TEXT_DURATION, TICK_SEC, out, why, sizeof why)) return 0;
    return cmd_usage_error(&cmd_plot, "--%s is '%s': %s", option, s, why);
}

static int parse(struct plot_opts *o, int argc, char **argv)
{
    int bad = 0;
    optind = 1;
    opterr = 0;
    for (int c; bad == 0 && (c = getopt_long(argc, argv, ":o:m:", long_opts, NULL)) != -1;) {
        switch (c) {
        case 'o':          o->out = optarg; break;
        case 'm':          o->metric = optarg; break;
        case OPT_SCOPE:    o->scope = optarg; break;
        case OPT_BASE:     o->base = optarg; break;
        case OPT_NODES:    o->nodes = optarg; break;
        case OPT_SCENARIO: o->scenario = optarg; break;
        case OPT_FROM:     bad = parse_time("from", optarg, &o->from); break;
        case OPT_TO:       bad = parse_time("to", optarg, &o->to); break;
        case OPT_RUN:
            if (!text_int(optarg, &o->run) || o->run < 1)
                bad = cmd_usage_error(&cmd_plot, "--run is '%s'; expected the number of a run", optarg);
            break;
        case ':': return cmd_usage_error(&cmd_plot, "option '%s' needs a value", argv[optind - 1]);
        default:  return cmd_usage_error(&cmd_plot, "unknown option '%s'", argv[optind - 1]);
        }
    }
    if (bad == 0 && argc - optind != 2)
        return cmd_usage_error(&cmd_plot, "expected a database and a figure, found %d arguments", argc - optind);
    return bad;
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
    if (st == ST_OK) (void)printf("%s\n", o->out);
    return st;
}

static int run(int argc, char **argv)
{
    struct plot_opts o = { .run = -1, .from = -1, .to = -1 };
    struct diag d = { 0 };
    int status = parse(&o, argc, argv);
    if (status == 0 && plot(argv[optind], argv[optind + 1], &o, &d) != ST_OK) status = cmd_fail(&d);
    return status;
}

const struct cmd cmd_plot = {
    .name = "plot", .summary = "draw a figure with gnuplot: cdf, bars, timeline, gantt, jobs-ideal, data-bars",
    .usage = "usage: fairway plot FILE.db FIGURE [-o FILE.svg|.pdf|.png|.gp] [OPTIONS]\n\n"
             "  cdf         distribution of a job metric, a curve a policy         [-m METRIC]\n"
             "  bars        mean, p95, p99 relative to a baseline, paired by seed  [-m METRIC] [--scope SCOPE] [--base POLICY]\n"
             "  timeline    GPU utilisation and tasks waiting over time            [--run N]\n"
             "  gantt       which user held which GPU when                         [--run N] [--nodes N|NAME,...] [--from T] [--to T]\n"
             "  jobs-ideal  each job's time beside its ideal times, a panel a policy\n"
             "  data-bars   DT, fairness deviation and bytes by level, three panels\n\n"
             "  -o, --output FILE      default: FIGURE.svg; .gp keeps the script, data included\n"
             "  -m, --metric METRIC    jct (the default), wait, span, slowdown, bounded_slowdown, rho; cdf: s_whole, s_share\n"
             "      --scope SCOPE      all (the default) or class=NAME\n"
             "      --base POLICY      default: the policy that was run first\n"
             "      --run N            one run; default: each policy's first (timeline), the first (gantt)\n"
             "      --nodes N          the N nodes with the most starts, or those named; default: as many as make 16 GPUs\n"
             "      --from T, --to T   window (4h, 30m; bare: seconds); default: the busiest, some 160 bars wide\n"
             "      --scenario NAME    needed when the database holds several\n\n"
             "Only finished runs are drawn.  In figures as in tables, * marks a clairvoyant policy.\n",
    .run = run,
};

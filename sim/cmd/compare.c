/* fairway compare: the policies of a database side by side. */
#include <getopt.h>
#include <string.h>
#include "cmd/cmd.h"
#include "cmd/option_list.h"
#include "base/text.h"
#include "compare/compare.h"

enum { OPT_CSV = 256, OPT_JSON, OPT_MARKDOWN, OPT_LATEX, OPT_FORMAT, OPT_SCOPE, OPT_AGAINST, OPT_FROM, OPT_TO };

static const struct option long_opts[] = {
    { "metric", required_argument, NULL, 'm' }, { "scope", required_argument, NULL, OPT_SCOPE },
    { "against", required_argument, NULL, OPT_AGAINST }, { "base", required_argument, NULL, OPT_AGAINST },
    { "from", required_argument, NULL, OPT_FROM }, { "to", required_argument, NULL, OPT_TO },
    { "format", required_argument, NULL, OPT_FORMAT }, { "latex", no_argument, NULL, OPT_LATEX }, { "csv", no_argument, NULL, OPT_CSV },
    { "json", no_argument, NULL, OPT_JSON }, { "markdown", no_argument, NULL, OPT_MARKDOWN }, { 0 },
};

struct args { struct compare_opts opts; const char *db; struct option_list metric; struct window window; };

static int parse_format(const char *s, enum table_format *out)
{
    if (table_format_of(s, out)) return 0;
    return cmd_usage_error(&cmd_compare, "--format is '%s'; expected text, markdown, latex, csv or json", s);
}


static int parse(struct args *a, int argc, char **argv)
{
    sim_tick from = 0, to = TICK_NEVER;
    int bad = 0;
    optind = 1;
    opterr = 0;
    for (int c; bad == 0 && (c = getopt_long(argc, argv, ":m:", long_opts, NULL)) != -1;) {
        switch (c) {
        case 'm':          option_list_add(&a->metric, optarg); break;
        case OPT_SCOPE:    a->opts.scope = optarg; break;
        case OPT_AGAINST:  a->opts.base = optarg; break;
        case OPT_FROM:     bad = cmd_parse_time(&cmd_compare, "from", optarg, &from); break;
        case OPT_TO:       bad = cmd_parse_time(&cmd_compare, "to", optarg, &to); break;
        case OPT_FORMAT:   bad = parse_format(optarg, &a->opts.format); break;
        case OPT_LATEX:    a->opts.format = TABLE_LATEX; break;
        case OPT_CSV:      a->opts.format = TABLE_CSV; break;
        case OPT_JSON:     a->opts.format = TABLE_JSON; break;
        case OPT_MARKDOWN: a->opts.format = TABLE_MARKDOWN; break;
        default: return cmd_option_error(&cmd_compare, c, argv);
        }
    }
    if (bad != 0) return bad;
    if (from != 0 || to != TICK_NEVER) a->window = (struct window){ from, to };
    if (argc - optind != 1) return cmd_usage_error(&cmd_compare, "expected one database, found %d", argc - optind);
    a->db = argv[optind];
    a->opts.metric = option_list_array(&a->metric);
    a->opts.n_metrics = a->metric.n;
    return 0;
}

static enum st compare(const struct args *a, struct diag *d)
{
    struct store *s;
    struct compare c;
    TRY(store_open_read(&s, a->db, d));
    enum st st = compare_load(&c, s, d);
    if (st == ST_OK) {
        c.window = a->window;
        st = compare_print(&c, &a->opts, stdout, d);
        compare_fini(&c);
    }
    store_close(s);
    return st;
}

static int run(int argc, char **argv)
{
    struct args a = { 0 };
    struct diag d = { 0 };
    int status = parse(&a, argc, argv);
    if (status == 0 && compare(&a, &d) != ST_OK) status = cmd_fail(&d);
    option_list_fini(&a.metric);
    return status;
}

const struct cmd cmd_compare = {
    .name = "compare", .summary = "policies side by side, paired by seed, with 95 % intervals",
    .usage = "usage: fairway compare FILE.db [-m METRIC,...] [--scope SCOPE] [--against POLICY]\n"
             "                       [--from T] [--to T] [--format F]\n\n"
             "  -m, --metric METRIC,...  which metrics, of those in\n"
             "                           " DIAG_DOC("results/README.md") "\n"
             "      --scope SCOPE        all (the default), class=NAME, gpus=2-3, user=NAME, samples or\n"
             "                           notes (figures of what policies note)\n"
             "      --against POLICY     what the others are compared with (default: the first run);\n"
             "                           --base POLICY is the same\n"
             "      --from T, --to T     a window (4h, 30m; bare: seconds): job metrics over the jobs submitted in\n"
             "                           it, utilisation over its samples; other metrics are of whole runs\n"
             "      --format F           text (the default), markdown, latex, csv or json\n"
             "      --markdown, --latex, --csv, --json  the same in a word\n\n"
             "Differences are paired by seed, with 95 % intervals: Student's t, and for _p95, _p99 and _max of\n"
             "eight seeds or more the bootstrap.  csv and json: every number in full, a row a policy and metric.\n"
             "Only finished runs are compared; the others are listed below the table.\n",
    .run = run,
};

/* fairway compare: the policies of a database side by side. */
#include <getopt.h>
#include <string.h>
#include "app/cmd.h"
#include "app/words.h"
#include "out/compare.h"

enum { OPT_CSV = 256, OPT_JSON, OPT_MARKDOWN, OPT_SCOPE, OPT_BASE };

static const struct option long_opts[] = {
    { "metric", required_argument, NULL, 'm' }, { "scope", required_argument, NULL, OPT_SCOPE },
    { "base", required_argument, NULL, OPT_BASE }, { "csv", no_argument, NULL, OPT_CSV },
    { "json", no_argument, NULL, OPT_JSON }, { "markdown", no_argument, NULL, OPT_MARKDOWN }, { 0 },
};

struct args { struct compare_opts opts; const char *db; struct words metric; };

static int parse(struct args *a, int argc, char **argv)
{
    optind = 1;
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, ":m:", long_opts, NULL)) != -1;) {
        switch (c) {
        case 'm':          words_add(&a->metric, optarg); break;
        case OPT_SCOPE:    a->opts.scope = optarg; break;
        case OPT_BASE:     a->opts.base = optarg; break;
        case OPT_CSV:      a->opts.format = TABLE_CSV; break;
        case OPT_JSON:     a->opts.format = TABLE_JSON; break;
        case OPT_MARKDOWN: a->opts.format = TABLE_MARKDOWN; break;
        case ':': return cmd_usage_error(&cmd_compare, "option '%s' needs a value", argv[optind - 1]);
        default:  return cmd_usage_error(&cmd_compare, "unknown option '%s'", argv[optind - 1]);
        }
    }
    if (argc - optind != 1) return cmd_usage_error(&cmd_compare, "expected one database, found %d", argc - optind);
    a->db = argv[optind];
    a->opts.metric = words_text(&a->metric);
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
    words_fini(&a.metric);
    return status;
}

const struct cmd cmd_compare = {
    .name = "compare", .summary = "policies side by side, paired by seed, with 95 % intervals",
    .usage = "usage: fairway compare FILE.db [-m METRIC,...] [--scope SCOPE] [--base POLICY]\n"
             "                       [--csv | --json | --markdown]\n\n"
             "  -m, --metric METRIC,...  which metrics (results/README.md lists them)\n"
             "      --scope SCOPE        all (the default), class=NAME, user=NAME or samples\n"
             "      --base POLICY        what the others are compared with (default: the first run)\n"
             "      --csv, --json        every number in full, one row a policy and metric\n"
             "      --markdown           the tables for people, as Markdown\n\n"
             "Only finished runs are compared; the others are listed below the table.\n",
    .run = run,
};

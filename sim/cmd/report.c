/* fairway report: a database as one HTML page. */
#include <getopt.h>
#include <string.h>
#include "base/text.h"
#include "cmd/cmd.h"
#include "report/report.h"

enum { OPT_NO_CHARTS = 256 };

static const struct option long_opts[] = {
    { "output", required_argument, NULL, 'o' }, { "no-charts", no_argument, NULL, OPT_NO_CHARTS }, { 0 },
};

static enum st report(const char *db, const char *out, const struct report_opts *o, struct diag *d)
{
    struct store *s;
    FILE *to;
    char *temp;
    TRY(store_open_read(&s, db, d));
    enum st st = cmd_output_open(&to, &temp, out, d);
    if (st == ST_OK) {
        st = report_write(s, o, to, d);
        st = cmd_output_close(to, temp, out, st, d);
    }
    store_close(s);
    if (st == ST_OK && strcmp(out, "-") != 0) text_line(stdout, "%s", out);
    return st;
}

static int run(int argc, char **argv)
{
    struct report_opts o = { 0 };
    struct diag d = { 0 };
    const char *out = "report.html";
    optind = 1;
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, ":o:", long_opts, NULL)) != -1;) {
        switch (c) {
        case 'o':           out = optarg; break;
        case OPT_NO_CHARTS: o.no_charts = true; break;
        default: return cmd_option_error(&cmd_report, c, argv);
        }
    }
    if (argc - optind != 1) return cmd_usage_error(&cmd_report, "expected one database, found %d", argc - optind);
    return report(argv[optind], out, &o, &d) == ST_OK ? 0 : cmd_fail(&d);
}

const struct cmd cmd_report = {
    .name = "report", .summary = "the whole database as one HTML page: tables, charts, a timeline to zoom into, provenance",
    .usage = "usage: fairway report FILE.db [-o FILE.html] [--no-charts]\n\n"
             "  -o, --output FILE  default: report.html; - is standard output\n"
             "      --no-charts    leave out what gnuplot draws\n\n"
             "The page needs no network and no other file.  It shows finished runs; the others are named.\n"
             "The timeline needs runs with `output: {attempts: true}`, its curves `sample_every`.\n",
    .run = run,
};

/* fairway timeline: one run for Perfetto, or for evalys. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include "cmd/cmd.h"
#include "explain/timeline.h"

enum { OPT_BATSIM = 256 };

static const struct option long_opts[] = {
    { "output", required_argument, NULL, 'o' }, { "batsim", no_argument, NULL, OPT_BATSIM }, { 0 },
};

struct args { const char *db, *run, *out; bool batsim; };

static int parse(struct args *a, int argc, char **argv)
{
    optind = 1;
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, ":o:", long_opts, NULL)) != -1;) {
        switch (c) {
        case 'o':        a->out = optarg; break;
        case OPT_BATSIM: a->batsim = true; break;
        default: return cmd_option_error(&cmd_timeline, c, argv);
        }
    }
    if (argc - optind != 2) return cmd_usage_error(&cmd_timeline, "expected a database and a run, found %d arguments", argc - optind);
    a->db = argv[optind];
    a->run = argv[optind + 1];
    if (a->out == NULL) a->out = a->batsim ? "jobs.csv" : "timeline.json";
    return 0;
}

static enum st write_run(struct store *s, const struct args *a, FILE *to, struct diag *d)
{
    struct selection p;
    TRY(select_run(&p, s, a->run, d));
    enum st st = (a->batsim ? timeline_batsim : timeline_write)(s, &p, to, d);
    select_fini(&p);
    return st;
}

static enum st timeline(const struct args *a, struct diag *d)
{
    struct store *s;
    FILE *to;
    TRY(store_open_read(&s, a->db, d));
    char *temp;
    enum st st = cmd_output_open(&to, &temp, a->out, d);
    if (st == ST_OK) {
        st = write_run(s, a, to, d);
        st = cmd_output_close(to, temp, a->out, st, d);
    }
    store_close(s);
    if (st == ST_OK && strcmp(a->out, "-") != 0) (void)printf("%s\n", a->out);
    return st;
}

static int run(int argc, char **argv)
{
    struct args a = { 0 };
    struct diag d = { 0 };
    int status = parse(&a, argc, argv);
    if (status == 0 && timeline(&a, &d) != ST_OK) status = cmd_fail(&d);
    return status;
}

const struct cmd cmd_timeline = {
    .name = "timeline", .summary = "every GPU of a run over time, for Perfetto or evalys",
    .usage = "usage: fairway timeline FILE.db RUN [-o FILE.json]\n"
             "       fairway timeline FILE.db RUN --batsim [-o FILE.csv]\n\n"
             "  RUN                the number of a finished run, or its policy's label, with /SEED where there are several\n"
             "  -o, --output FILE  default: timeline.json, or jobs.csv; - is standard output\n"
             "      --batsim       one row a job, in the columns of Batsim's jobs.csv, which evalys reads\n\n"
             "Open the JSON in ui.perfetto.dev or chrome://tracing: a process a node, a track a GPU,\n"
             "arrows from where a task was stopped to where it goes on, counters of queue and use.\n"
             "Needs a run with `output: {attempts: true}`.\n",
    .run = run,
};

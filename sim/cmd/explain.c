/* fairway explain: the story of one job. */
#include <getopt.h>
#include "cmd/cmd.h"
#include "base/text.h"
#include "explain/explain.h"

enum { OPT_JSON = 256, OPT_TASK };

static const struct option long_opts[] = { { "json", no_argument, NULL, OPT_JSON }, { "task", required_argument, NULL, OPT_TASK }, { 0 } };

static enum st explain(const char *db, const char *run_text, const char *job, int64_t task, bool json, struct diag *d)
{
    struct store *s;
    struct selection p;
    struct explain e;
    uint64_t ordinal;
    TRY(store_open_read(&s, db, d));
    enum st st = select_run(&p, s, run_text, d);
    if (st == ST_OK) {
        st = select_job(s, &p, job, &ordinal, d);
        if (st == ST_OK) st = explain_load(&e, s, &p, ordinal, task, d);
        if (st == ST_OK) {
            (json ? explain_json : explain_print)(&e, stdout);
            explain_fini(&e);
        }
        select_fini(&p);
    }
    store_close(s);
    return st;
}

static int run(int argc, char **argv)
{
    struct diag d = { 0 };
    bool json = false;
    int64_t task = -1;
    optind = 1;
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, ":", long_opts, NULL)) != -1;) {
        if (c == OPT_JSON) { json = true; continue; }
        if (c != OPT_TASK) return cmd_option_error(&cmd_explain, c, argv);
        if (!text_int(optarg, &task) || task < 0) return cmd_usage_error(&cmd_explain, "--task is '%s'; expected the number of a task, from 0", optarg);
    }
    if (argc - optind != 3) return cmd_usage_error(&cmd_explain, "expected a database, a run and a job, found %d arguments", argc - optind);
    return explain(argv[optind], argv[optind + 1], argv[optind + 2], task, json, &d) == ST_OK ? 0 : cmd_fail(&d);
}

const struct cmd cmd_explain = {
    .name = "explain", .summary = "the story of one job: why it waited, where it ran and why there, what stopped it",
    .usage = "usage: fairway explain FILE.db RUN JOB [--task N] [--json]\n\n"
             "  RUN     the number of a finished run, or its policy's label, with /SEED where there are several\n"
             "  JOB     the job's id in the trace\n"
             "      --task N  of a job of API calls: this task alone, with every call\n"
             "      --json  everything, also what the text sums up\n\n"
             "Why it waited is found by replaying the run's ledger: at each instant nothing had room for it\n"
             "(what was short, and who held it), or there was room and the policy held it back (for whom, in\n"
             "the policy's own words).  Of tasks of API calls: when each left the master's queue, for whose queue\n"
             "and why, where it was moved, how long it waited where, and each call's engine.  Needs a run with `output: {decisions: true}`.\n",
    .run = run,
};

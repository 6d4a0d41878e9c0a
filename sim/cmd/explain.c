/* fairway explain: the story of one job. */
#include "cmd/cmd.h"
#include "explain/explain.h"

struct args { bool json; int64_t task; };

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

static int run(void *opts, const struct cmd_args *a)
{
    const struct args *o = opts;
    struct diag d = { 0 };
    return explain(a->at[0], a->at[1], a->at[2], o->task, o->json, &d) == ST_OK ? 0 : cmd_fail(&d);
}

static const struct cmd_option options[] = {
    { "task", 0, OPTION_COUNT, "N", "of a job of API calls: this task alone, with every call",
      .offset = offsetof(struct args, task),
      .expected = "the number of a task, from 0" },
    { "json", 0, OPTION_FLAG, NULL, "everything, also what the text sums up", .offset = offsetof(struct args, json) },
    { 0 },
};

const struct cmd cmd_explain = {
    .name = "explain", .summary = "the story of one job: why it waited, where it ran and why there, what stopped it",
    .synopsis = "FILE.db RUN JOB [OPTIONS]",
    .about = "RUN is the number of a finished run, or its policy's label, with /SEED where there are several;\n"
             "JOB the job's id in the trace.\n",
    .notes = "Why it waited is found by replaying the run's ledger: at each instant nothing had room for it\n"
             "(what was short, and who held it), or there was room and the policy held it back (for whom, in\n"
             "the policy's own words).  Of tasks of API calls: when each left the master's queue, for whose queue\n"
             "and why, where it was moved, how long it waited where, and each call's engine.  Needs a run with\n"
             "`output: {decisions: true}`.\n",
    .option = options, .size = sizeof(struct args), .defaults = &(const struct args){ .task = -1 },
    .expected = "a database, a run and a job", .min_args = 3, .max_args = 3, .arg = { "*.db" }, .run = run,
};

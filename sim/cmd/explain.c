/* fairway explain: the story of one job. */
#include "cmd/cmd.h"
#include "explain/explain.h"

struct args { bool json; int64_t task; };

static enum st on_db(void *opts, const struct cmd_args *a, struct store *s, struct diag *d)
{
    const struct args *o = opts;
    struct selection p;
    struct explain e;
    uint64_t ordinal;
    TRY(select_run(&p, s, a->at[1], d));
    enum st st = select_job(s, &p, a->at[2], &ordinal, d);
    if (st == ST_OK) st = explain_load(&e, s, &p, ordinal, o->task, d);
    if (st == ST_OK) {
        (o->json ? explain_json : explain_print)(&e, stdout);
        explain_fini(&e);
    }
    select_fini(&p);
    return st;
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
             "`output: {decisions: true}`; with `scores: true`, each node's points, too.\n",
    .option = options, .size = sizeof(struct args), .defaults = &(const struct args){ .task = -1 },
    .expected = "a database, a run and a job", .min_args = 3, .max_args = 3, .arg = { "*.db" }, .on_db = on_db,
};

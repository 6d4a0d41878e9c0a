/* fairway explain: the story of one job, or what users and queues held of what was theirs. */
#include "cmd/cmd.h"
#include "explain/explain.h"
#include "explain/shares/shares.h"

struct args { bool json, csv, keep; int64_t task; int shares, resource; const char *user, *queue; struct option_list weights; sim_tick window; };

static const char *const party[] = { "user", "queue" };

static bool is_of_shares(const struct args *o) { return o->shares >= 0 || o->user != NULL || o->queue != NULL; }

static int check(const void *opts, const struct cmd_args *a)
{
    const bool shares = is_of_shares(opts);
    if (a->n == (shares ? 2 : 3)) return 0;
    return cmd_usage_error(&cmd_explain, "expected a database%s, found %d arguments", shares ? " and a run" : ", a run and a job", a->n);
}

static enum st keep(const struct shares *x, const char *path, const struct selection *run, struct diag *d)
{
    struct store *s;
    TRY(store_open(&s, path, d));
    const enum st st = shares_keep(x, s, run, d);
    store_close(s);
    return st;
}

static enum st on_shares(const struct args *o, const char *path, struct store *s, const struct selection *run, struct diag *d)
{
    const char *of = o->user != NULL ? o->user : o->queue;
    struct shares x;
    TRY(shares_load(&x, s, run, &(struct shares_opts){ .by = party[o->user != NULL ? 0 : o->queue != NULL ? 1 : o->shares], .of = of,
                    .window = o->window, .is_of_cpus = o->resource == 1, .weight = option_list_array(&o->weights), .n_weights = o->weights.n }, d));
    enum st st = o->keep ? keep(&x, path, run, d) : ST_OK;
    if (st == ST_OK) st = shares_print(&x, s, run, of, o->csv ? TABLE_CSV : o->json ? TABLE_JSON : TABLE_TEXT, stdout, d);
    shares_fini(&x);
    return st;
}

static enum st on_db(void *opts, const struct cmd_args *a, struct store *s, struct diag *d)
{
    const struct args *o = opts;
    struct selection p;
    struct explain e;
    uint64_t ordinal = 0;
    TRY(select_run(&p, s, a->at[1], d));
    if (is_of_shares(o)) {
        const enum st shares = on_shares(o, a->at[0], s, &p, d);
        select_fini(&p);
        return shares;
    }
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
    { .help = "Instead of a job's: who held how much of the cluster beside what was theirs.  The definitions: "
              DIAG_DOC("results/README.md") "." },
    { "shares", 0, OPTION_CHOICE, "user|queue", "all users, or queues: held, entitled, lost; violations of sharing incentive,\n"
      "envy, and the jobs that show them", .offset = offsetof(struct args, shares), .words = "user queue", .not_with = "user|queue|task" },
    { "user", 0, OPTION_TEXT, "NAME", "what this user lost, to whom, when", .offset = offsetof(struct args, user),
      .not_with = "queue|task" },
    { "queue", 0, OPTION_TEXT, "NAME", "the same of a queue", .offset = offsetof(struct args, queue), .not_with = "task" },
    { "weights", 0, OPTION_WORDS, "NAME=W,...", "what they are entitled to in proportion; default: the scenario's\n"
      "of users, else 1", .offset = offsetof(struct args, weights), .needs = "shares|user|queue" },
    { "resource", 0, OPTION_CHOICE, "gpu|cpu", "of what (default: GPUs, CPUs where the cluster has none)",
      .offset = offsetof(struct args, resource), .words = "gpu cpu", .needs = "shares|user|queue" },
    { "window", 0, OPTION_DURATION, "T", "of --shares (default: 1h, of runs above ten days 1d)",
      .offset = offsetof(struct args, window), .min = 1, .needs = "shares" },
    { "keep", 0, OPTION_FLAG, NULL, "write the windows and violations of --shares into the database, too",
      .offset = offsetof(struct args, keep), .needs = "shares" },
    { "csv", 0, OPTION_FLAG, NULL, "a row a window, or of one user a row a stretch of time; --json has the same rows",
      .offset = offsetof(struct args, csv), .needs = "shares|user|queue", .not_with = "json" },
    { 0 },
};

const struct cmd cmd_explain = {
    .name = "explain", .summary = "the story of one job: why it waited, where it ran and why there, what stopped it",
    .synopsis = "FILE.db RUN JOB [OPTIONS]\nFILE.db RUN --shares user|queue [OPTIONS]\nFILE.db RUN --user NAME|--queue NAME [OPTIONS]",
    .about = "RUN is the number of a finished run, or its policy's label, with /SEED where there are several;\n"
             "JOB the job's id in the trace.\n",
    .notes = "Why it waited is found by replaying the run's ledger: at each instant nothing had room for it\n"
             "(what was short, and who held it), or there was room and the policy held it back (for whom, in\n"
             "the policy's own words).  Of tasks of API calls: when each left the master's queue, for whose queue\n"
             "and why, where it was moved, how long it waited where, and each call's engine.  Needs a run with\n"
             "`output: {decisions: true}`; with `scores: true`, each node's points, too.\n",
    .option = options, .size = sizeof(struct args), .defaults = &(const struct args){ .task = -1, .shares = -1 },
    .arg = { "*.db" }, .check = check, .on_db = on_db,
};

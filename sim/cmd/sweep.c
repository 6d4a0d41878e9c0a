/* fairway sweep: every combination of a scenario's sweep, on this machine or a Slurm cluster. */
#include <stdio.h>
#include <unistd.h>
#include "base/text.h"
#include "cmd/cmd.h"
#include "run/lines.h"
#include "sweep/changes.h"
#include "sweep/local.h"
#include "sweep/slurm.h"

struct sweep_opts {
    struct grid_opts grid;
    struct option_list set, sbatch;
    const char *db, *shards, *list;
    int64_t jobs, task, per_task, retries;      /* task: -1 none */
    struct slurm_opts slurm;
    bool dry_run, quiet, use_slurm;
};

static int take_in(struct sweep_opts *o, const struct cmd_args *a)
{
    if ((o->list == NULL) != (o->task < 0) || (o->list != NULL && o->shards == NULL))
        return cmd_usage_error(&cmd_sweep, "--list, --task and --parts go together: they are what an array task is given");
    o->grid.is_plan = o->dry_run;
    o->grid.scenario = a->at[0];
    o->grid.set = option_list_array(&o->set);
    o->grid.n_set = o->set.n;
    o->slurm.opts = option_list_array(&o->sbatch);
    o->slurm.n_opts = o->sbatch.n;
    o->slurm.per_task = (size_t)o->per_task;
    o->slurm.retries = (uint32_t)o->retries;
    return 0;
}

/* ---- looking ---- */

/* Keys of done runs are looked up only where there is a database. */
static enum st dry_run(const struct grid *g, const char *db, struct diag *d)
{
    struct store *s = NULL;
    size_t n_done = 0;
    enum st st = access(db, F_OK) == 0 ? store_open_read(&s, db, d) : ST_OK;
    for (size_t i = 0; i < g->n && st == ST_OK; i++) {
        char label[256];
        bool is_done = false;
        if (s != NULL) st = store_has_run(s, g->run[i].key, &is_done, d);
        if (st == ST_OK) text_line(stdout, "%s  %-4s  %s", g->run[i].key, is_done ? "done" : "to do", grid_label(g, i, label, sizeof label));
        n_done += is_done;
    }
    if (st == ST_OK)
        (void)printf("%zu runs: %zu cases x %zu policies x %zu seeds%s; %zu to do\n", g->n, g->sweep.n_cases, g->n_policies, g->n_seeds,
                     g->n < g->n_groups * g->n_policies ? ", those of several cases once" : "", g->n - n_done);
    store_close(s);
    return st;
}

static void warn_idle_seeds(const struct grid *g)
{
    bool drawn = false;
    for (size_t k = 0; k < g->sweep.n_cases; k++) drawn = drawn || g->at[k].is_drawn;
    if (g->n_seeds > 1 && !drawn) lines_idle_seeds(g->n_seeds);
}

/* ---- doing ---- */

struct outcome { char db[4096]; size_t n, n_before, n_done, n_failed; int worst; bool left_unfinished, has_changes; };

static enum st do_runs(const struct sweep_opts *o, const struct grid *g, struct store *store, const char *shards,
                           struct outcome *out, struct diag *d)
{
    struct results results;
    TRY(results_begin(&results, g, store, shards, o->quiet, d));
    run_catch_interrupt();
    enum st st = results_merge(&results, NULL, d);         /* what an earlier sweep left */
    if (st == ST_OK && results_n_todo(&results) > 0) {
        if (o->use_slurm) st = slurm_run(&results, &o->slurm, d);
        else st = local_run(&results, o->jobs > 0 ? (uint32_t)o->jobs : base_n_processors(), d);
    }
    if (st == ST_OK) st = changes_keep(&results, d);
    if (st == ST_OK && results_n_todo(&results) > 0)
        st = diag_set(d, ST_EWORLD, "%zu runs have no result; the same command does them", results_n_todo(&results));
    if (st == ST_OK) slurm_clean(&results);
    out->n = g->n;
    out->has_changes = g->sweep.changes != NULL;
    out->n_before = results.n_before;
    out->n_done = results.n_done;
    out->n_failed = results.n_failed;
    out->worst = results.worst;
    out->left_unfinished = results.left_unfinished;
    results_fini(&results);
    return st;
}

static enum st sweep(const struct sweep_opts *o, const struct grid *g, struct outcome *out, struct diag *d)
{
    char shards[sizeof out->db + sizeof ".parts"];
    struct store *store;
    warn_idle_seeds(g);
    (void)snprintf(shards, sizeof shards, "%s%s", o->shards != NULL ? o->shards : out->db, o->shards != NULL ? "" : ".parts");
    TRY(store_open(&store, out->db, d));
    enum st st = shards_open(shards, d);
    if (st == ST_OK) {
        st = do_runs(o, g, store, shards, out, d);
        shards_close(shards);
    }
    store_close(store);
    return st;
}

static void summary(const struct sweep_opts *o, const struct outcome *r)
{
    if (o->quiet || r->n == 0) return;
    char before[64] = "", failed[64] = "";
    if (r->n_before > 0) (void)snprintf(before, sizeof before, ", %zu of them before", r->n_before);
    if (r->n_failed > 0) (void)snprintf(failed, sizeof failed, ", %zu failed", r->n_failed);
    text_line(stdout, "%zu of %zu runs done%s%s, in %s; next: fairway compare %s%s", r->n_before + r->n_done, r->n, before, failed, r->db, r->db,
              r->has_changes ? " --changes" : "");
}

static int run(void *opts, const struct cmd_args *a)
{
    struct sweep_opts *o = opts;
    struct grid g = { .n = 0 };
    struct outcome out = { .n = 0 };
    struct diag d = { 0 };
    int status = take_in(o, a);
    if (status != 0) return status;
    enum st st = grid_load(&g, &o->grid, &d);
    if (st == ST_OK) (void)snprintf(out.db, sizeof out.db, "%s%s", o->db ? o->db : g.at[0].name, o->db ? "" : ".db");
    if (st == ST_OK && o->list != NULL)
        st = slurm_task(&g, o->shards, o->list, (uint64_t)o->task, o->slurm.per_task, &d);
    else if (st == ST_OK && o->dry_run) st = dry_run(&g, out.db, &d);
    else if (st == ST_OK) st = sweep(o, &g, &out, &d);
    summary(o, &out);
    if (st != ST_OK) status = cmd_fail(&d);
    else if (out.worst != 0) status = out.worst;
    else if (out.left_unfinished) status = 1;
    grid_fini(&g);
    return status;
}

static const struct cmd_option options[] = {
    { "jobs", 'j', OPTION_COUNT, "N", "worker processes; default: one a core of this machine",
      .offset = offsetof(struct sweep_opts, jobs), 1, 4096, .not_with = "slurm" },
    { "database", 'd', OPTION_TEXT, "FILE", "where results go; default: NAME.db after the scenario's name",
      .offset = offsetof(struct sweep_opts, db), .words = "*.db" },
    { "set", 0, OPTION_TEXTS, "PATH=VALUE", "change the scenario first, e.g. --set sweep.seeds=1..30; may be repeated",
      .offset = offsetof(struct sweep_opts, set) },
    { "dry-run", 0, OPTION_FLAG, NULL, "list the runs with their keys and whether they are done; run nothing,\n"
      "and start no command of an `exec:` policy",
      .offset = offsetof(struct sweep_opts, dry_run) },
    { "audit", 0, OPTION_FLAG, NULL, "verify every invariant after every instant (slow)",
      .offset = offsetof(struct sweep_opts, grid.audit) },
    { "strict", 0, OPTION_FLAG, NULL, "a row of the trace that needs a repair is an error",
      .offset = offsetof(struct sweep_opts, grid.strict) },
    CMD_SANDBOX_OPTIONS(struct sweep_opts, grid.limits),
    { "no-exec", 0, OPTION_FLAG, NULL, "refuse policies that run code of their own, FILE.so and exec:COMMAND",
      .offset = offsetof(struct sweep_opts, grid.limits.no_exec) },
    { "parts", 0, OPTION_TEXT, "DIR", "folder of part files; default: FILE.parts",
      .offset = offsetof(struct sweep_opts, shards), .words = "/" },
    { "quiet", 'q', OPTION_FLAG, NULL, "no progress, no lines a run", .offset = offsetof(struct sweep_opts, quiet) },
    { .help = "On a Slurm cluster, where the database's folder and the scenario's must be shared by its nodes:" },
    { "slurm", 0, OPTION_FLAG, NULL, "send the runs as job arrays by sbatch, wait for them, merge them",
      .offset = offsetof(struct sweep_opts, use_slurm) },
    { "per-task", 0, OPTION_COUNT, "N", "runs that one array task does, one after the other; default: 1",
      .offset = offsetof(struct sweep_opts, per_task), 1, 1000000, .needs = "slurm|list" },
    { "deadline", 0, OPTION_SECONDS, "DURATION",
      "a task that runs for longer is cancelled and its runs sent again; default: none",
      .offset = offsetof(struct sweep_opts, slurm.deadline_us), .min = 1, .needs = "slurm|list" },
    { "retries", 0, OPTION_COUNT, "N", "how often a run that brought nothing is sent again; default: 3",
      .offset = offsetof(struct sweep_opts, retries), 0, 1000, .needs = "slurm|list" },
    { "sbatch-opt", 0, OPTION_TEXTS, "OPT",
      "an option for sbatch, e.g. --sbatch-opt=--partition=batch; may be repeated",
      .offset = offsetof(struct sweep_opts, sbatch), .needs = "slurm|list" },
    { "list", 0, OPTION_TEXT, "FILE", "what an array task does: keys of runs, of which --task says the part",
      .offset = offsetof(struct sweep_opts, list), .words = "*" },
    { "task", 0, OPTION_COUNT, "K", "the K-th of as many as --per-task says, into --parts",
      .offset = offsetof(struct sweep_opts, task) },
    { 0 },
};

const struct cmd cmd_sweep = {
    .name = "sweep", .summary = "every combination of a scenario's sweep, in parallel",
    .synopsis = "SCENARIO.yaml [OPTIONS]",
    .notes = "A run whose key the database holds as done is not run again, so the same command goes on after\n"
             "Ctrl-C, kill -9 or a power cut, and after the sweep was extended.  A run that failed is marked and\n"
             "tried again next time.  The database is the one that one worker would have left.\n",
    .option = options, .size = sizeof(struct sweep_opts),
    .defaults = &(const struct sweep_opts){ .grid.limits = SANDBOX_LIMITS, .task = -1, .per_task = 1, .retries = 3 },
    .expected = "one scenario", .min_args = 1, .max_args = 1, .arg = { "*.yaml *.yml" }, .run = run,
};

/* fairway search: the parameters of a scenario that come nearest to what is wanted. */
#include <stdio.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "search/search.h"

struct search_opts {
    struct trial_opts trial;
    struct slurm_opts slurm;
    struct option_list set, sbatch;
    const char *db, *shards;
    int64_t jobs, per_task, retries;
    bool use_slurm;
};

static uint32_t n_workers(const struct search_opts *o)
{
    return o->jobs > 0 ? (uint32_t)o->jobs : base_n_processors();
}

static enum st do_search(struct search_opts *o, const struct search_spec *spec, const struct targets *targets,
                         const char *db, struct diag *d)
{
    char *shards = o->shards != NULL ? mem_strdup(o->shards) : mem_printf("%s.parts", db);
    struct trial t = { .spec = spec, .targets = targets, .opts = &o->trial, .shards = shards };
    struct search s = { .n_sets = 0 };
    enum st st = store_open(&t.store, db, d);
    if (st == ST_OK) st = shards_open(shards, d);
    if (st == ST_OK) {
        run_catch_interrupt();
        st = search_run(&s, &t, d);
        shards_close(shards);
    }
    if (st == ST_OK) st = search_tell(&s, stdout, d);
    if (st == ST_OK && !o->trial.quiet) {
        (void)putchar('\n');
        text_line(stdout, "in %s; next: fairway plot %s search", db, db);
    }
    search_end(&s);
    store_close(t.store);
    mem_free(shards);
    return st;
}

static int run(void *opts, const struct cmd_args *a)
{
    struct search_opts *o = opts;
    struct search_spec spec;
    struct targets targets;
    struct diag d = { 0 };
    char *db;
    o->trial.grid.scenario = a->at[0];
    o->trial.grid.set = option_list_array(&o->set);
    o->trial.grid.n_set = o->set.n;
    o->trial.n_workers = n_workers(o);
    o->slurm.opts = option_list_array(&o->sbatch);
    o->slurm.n_opts = o->sbatch.n;
    o->slurm.per_task = (size_t)o->per_task;
    o->slurm.retries = (uint32_t)o->retries;
    o->trial.slurm = o->use_slurm ? &o->slurm : NULL;
    enum st st = search_load(&spec, a->at[0], o->trial.grid.set, o->set.n, &d);
    if (st != ST_OK) return cmd_fail(&d);
    st = targets_load(&targets, &spec, o->trial.grid.set, o->set.n, &d);
    if (st == ST_OK) {
        db = o->db != NULL ? mem_strdup(o->db) : mem_printf("%s.db", targets.scenario[0].name);
        st = do_search(o, &spec, &targets, db, &d);
        targets_fini(&targets);
        mem_free(db);
    }
    search_fini(&spec);
    return st == ST_OK ? 0 : cmd_fail(&d);
}

static const struct cmd_option options[] = {
    { "jobs", 'j', OPTION_COUNT, "N", "worker processes; default: one a core of this machine",
      .offset = offsetof(struct search_opts, jobs), 1, 4096, .not_with = "slurm" },
    { "database", 'd', OPTION_TEXT, "FILE", "where runs and the search go; default: NAME.db after the scenario's name",
      .offset = offsetof(struct search_opts, db), .words = "*.db" },
    { "set", 0, OPTION_TEXTS, "PATH=VALUE",
      "change the scenario first, e.g. --set search.budget.runs=200; may be repeated",
      .offset = offsetof(struct search_opts, set) },
    { "strict", 0, OPTION_FLAG, NULL, "a row of the trace that needs a repair is an error",
      .offset = offsetof(struct search_opts, trial.grid.strict) },
    CMD_SANDBOX_OPTIONS(struct search_opts, trial.grid.limits),
    { "no-exec", 0, OPTION_FLAG, NULL, "refuse policies that run code of their own, FILE.so and exec:COMMAND",
      .offset = offsetof(struct search_opts, trial.grid.limits.no_exec) },
    { "parts", 0, OPTION_TEXT, "DIR", "folder of part files; default: FILE.parts",
      .offset = offsetof(struct search_opts, shards), .words = "/" },
    { "quiet", 'q', OPTION_FLAG, NULL, "no progress, the tables alone",
      .offset = offsetof(struct search_opts, trial.quiet) },
    { .help = "On a Slurm cluster, as of `fairway sweep`:" },
    { "slurm", 0, OPTION_FLAG, NULL, "send the runs of each batch of sets as job arrays by sbatch",
      .offset = offsetof(struct search_opts, use_slurm) },
    { "per-task", 0, OPTION_COUNT, "N", "runs that one array task does, one after the other; default: 1",
      .offset = offsetof(struct search_opts, per_task), 1, 1000000, .needs = "slurm" },
    { "deadline", 0, OPTION_SECONDS, "DURATION",
      "a task that runs for longer is cancelled and its runs sent again; default: none",
      .offset = offsetof(struct search_opts, slurm.deadline_us), .min = 1, .needs = "slurm" },
    { "retries", 0, OPTION_COUNT, "N", "how often a run that brought nothing is sent again; default: 3",
      .offset = offsetof(struct search_opts, retries), 0, 1000, .needs = "slurm" },
    { "sbatch-opt", 0, OPTION_TEXTS, "OPT",
      "an option for sbatch, e.g. --sbatch-opt=--partition=batch; may be repeated",
      .offset = offsetof(struct search_opts, sbatch), .needs = "slurm" },
    { 0 },
};

const struct cmd cmd_search = {
    .name = "search",
    .summary = "the parameters that come nearest to what a scenario's search wants",
    .synopsis = "SCENARIO.yaml [OPTIONS]",
    .notes =
        "First each variable's ends, then a Latin hypercube, then simplexes from the best, then the best again on\n"
        "seeds not used before.  With `promises` the smallest cluster that keeps them, with `race: true` the best set\n"
        "by a race over seeds.  Every set meets the same seeds.  The same command goes on after Ctrl-C or kill -9,\n"
        "and tells a finished search again: runs that the database holds are not run again.\n",
    .option = options,
    .size = sizeof(struct search_opts),
    .defaults = &(const struct search_opts){ .trial.grid.limits = SANDBOX_LIMITS, .per_task = 1, .retries = 3 },
    .expected = "one scenario",
    .min_args = 1,
    .max_args = 1,
    .arg = { "*.yaml *.yml" },
    .run = run,
};

/* fairway sweep: every combination of a scenario's sweep, on this machine or a Slurm cluster. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cmd/cmd.h"
#include "run/lines.h"
#include "sweep/local.h"
#include "sweep/slurm.h"
#include "base/mem.h"
#include "base/text.h"

struct sweep_opts {
    struct grid_opts grid;
    const char **set, **sbatch;
    size_t cap_set, cap_sbatch;
    const char *db, *shards, *list;
    int64_t jobs, task;         /* task: -1 none */
    struct slurm_opts slurm;
    bool dry_run, quiet, use_slurm;
};

enum { OPT_SET = 256, OPT_AUDIT, OPT_STRICT, OPT_DRY, OPT_SLURM, OPT_PER_TASK, OPT_DEADLINE, OPT_RETRIES, OPT_SBATCH, OPT_PARTS,
       OPT_LIST, OPT_TASK, OPT_TIMEOUT, OPT_MEMORY, OPT_NO_EXEC };

static const struct option long_opts[] = {
    { "jobs", required_argument, NULL, 'j' }, { "database", required_argument, NULL, 'd' }, { "set", required_argument, NULL, OPT_SET },
    { "dry-run", no_argument, NULL, OPT_DRY }, { "audit", no_argument, NULL, OPT_AUDIT }, { "strict", no_argument, NULL, OPT_STRICT },
    { "quiet", no_argument, NULL, 'q' }, { "parts", required_argument, NULL, OPT_PARTS }, { "slurm", no_argument, NULL, OPT_SLURM },
    { "per-task", required_argument, NULL, OPT_PER_TASK }, { "deadline", required_argument, NULL, OPT_DEADLINE },
    { "retries", required_argument, NULL, OPT_RETRIES }, { "sbatch-opt", required_argument, NULL, OPT_SBATCH },
    { "decide-timeout", required_argument, NULL, OPT_TIMEOUT }, { "policy-memory", required_argument, NULL, OPT_MEMORY },
    { "no-exec", no_argument, NULL, OPT_NO_EXEC }, { "list", required_argument, NULL, OPT_LIST }, { "task", required_argument, NULL, OPT_TASK }, { 0 },
};

static int whole(const char *option, const char *text, int64_t lo, int64_t hi, int64_t *out)
{
    if (text_int(text, out) && *out >= lo && *out <= hi) return 0;
    return cmd_usage_error(&cmd_sweep, "%s is '%s'; expected a whole number from %" PRId64 " to %" PRId64, option, text, lo, hi);
}

static int parse_one(struct sweep_opts *o, int c, char **argv)
{
    int64_t v = 0;
    int bad = 0;
    char error[160];
    switch (c) {
    case 'j': return whole("--jobs", optarg, 1, 4096, &o->jobs);
    case 'd': o->db = optarg; break;
    case 'q': o->quiet = true; break;
    case OPT_SET: MEM_RESERVE(o->set, o->cap_set, o->grid.n_set + 1); o->set[o->grid.n_set++] = optarg; break;
    case OPT_AUDIT: o->grid.audit = true; break;
    case OPT_STRICT: o->grid.strict = true; break;
    case OPT_DRY: o->dry_run = o->grid.is_plan = true; break;
    case OPT_NO_EXEC: o->grid.limits.no_exec = true; break;
    case OPT_PARTS: o->shards = optarg; break;
    case OPT_SLURM: o->use_slurm = true; break;
    case OPT_PER_TASK: bad = whole("--per-task", optarg, 1, 1000000, &v); o->slurm.per_task = (size_t)v; return bad;
    case OPT_RETRIES: bad = whole("--retries", optarg, 0, 1000, &v); o->slurm.retries = (uint32_t)v; return bad;
    case OPT_DEADLINE:
        if (!text_parse(optarg, TEXT_DURATION, TICK_SEC, &o->slurm.deadline_us, error, sizeof error) || o->slurm.deadline_us <= 0)
            return cmd_usage_error(&cmd_sweep, "--deadline is '%s'; expected a duration above 0, such as 2h", optarg);
        break;
    case OPT_SBATCH: MEM_RESERVE(o->sbatch, o->cap_sbatch, o->slurm.n_opts + 1); o->sbatch[o->slurm.n_opts++] = optarg; break;
    case OPT_TIMEOUT: case OPT_MEMORY:
        return cmd_sandbox_limit(&cmd_sweep, c == OPT_TIMEOUT ? "decide-timeout" : "policy-memory", optarg, &o->grid.limits) ? 0 : 2;
    case OPT_LIST: o->list = optarg; break;
    case OPT_TASK: return whole("--task", optarg, 0, INT64_MAX, &o->task);
    default: return cmd_option_error(&cmd_sweep, c, argv);
    }
    return 0;
}

static int parse(struct sweep_opts *o, int argc, char **argv)
{
    optind = 1;
    opterr = 0;
    for (int c, bad; (c = getopt_long(argc, argv, ":j:d:q", long_opts, NULL)) != -1;)
        if ((bad = parse_one(o, c, argv)) != 0) return bad;
    if (argc - optind != 1) return cmd_usage_error(&cmd_sweep, "expected one scenario, found %d", argc - optind);
    o->grid.scenario = argv[optind];
    o->grid.set = (const char *const *)o->set;
    o->slurm.opts = (const char *const *)o->sbatch;
    if (o->use_slurm && o->jobs > 0) return cmd_usage_error(&cmd_sweep, "--jobs is of this machine; with --slurm, --per-task says how many runs a task does");
    if (!o->use_slurm && o->list == NULL && (o->slurm.per_task > 0 || o->slurm.n_opts > 0 || o->slurm.deadline_us > 0 || o->slurm.retries != UINT32_MAX))
        return cmd_usage_error(&cmd_sweep, "--per-task, --deadline, --retries and --sbatch-opt go with --slurm");
    if ((o->list == NULL) != (o->task < 0) || (o->list != NULL && o->shards == NULL))
        return cmd_usage_error(&cmd_sweep, "--list, --task and --parts go together: they are what an array task is given");
    if (o->slurm.per_task == 0) o->slurm.per_task = 1;
    if (o->slurm.retries == UINT32_MAX) o->slurm.retries = 3;
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
        (void)printf("%zu runs: %zu cases x %zu policies x %zu seeds; %zu to do\n", g->n, g->sweep.n_cases, g->n_policies, g->n_seeds, g->n - n_done);
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

static uint32_t n_cores(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (uint32_t)n : 1;
}

struct outcome { char db[4096]; size_t n, n_before, n_done, n_failed; int worst; bool left_unfinished; };

static enum st do_runs(const struct sweep_opts *o, const struct grid *g, struct store *store, const char *shards,
                           struct outcome *out, struct diag *d)
{
    struct results results;
    TRY(results_begin(&results, g, store, shards, o->quiet, d));
    run_catch_interrupt();
    enum st st = results_merge(&results, NULL, d);         /* what an earlier sweep left */
    if (st == ST_OK && results_n_todo(&results) > 0) {
        if (o->use_slurm) st = slurm_run(&results, &o->slurm, d);
        else st = local_run(&results, o->jobs > 0 ? (uint32_t)o->jobs : n_cores(), d);
    }
    if (st == ST_OK && results_n_todo(&results) > 0)
        st = diag_set(d, ST_EWORLD, "%zu runs have no result; the same command does them", results_n_todo(&results));
    out->n = g->n;
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
    text_line(stdout, "%zu of %zu runs done%s%s, in %s; next: fairway compare %s", r->n_before + r->n_done, r->n, before, failed, r->db, r->db);
}

static int run(int argc, char **argv)
{
    struct sweep_opts o = { .grid.limits = SANDBOX_LIMITS, .task = -1, .slurm = { .retries = UINT32_MAX } };
    struct grid g = { .n = 0 };
    struct outcome out = { .n = 0 };
    struct diag d = { 0 };
    int status = parse(&o, argc, argv);
    if (status == 0) {
        enum st st = grid_load(&g, &o.grid, &d);
        if (st == ST_OK) (void)snprintf(out.db, sizeof out.db, "%s%s", o.db ? o.db : g.at[0].name, o.db ? "" : ".db");
        if (st == ST_OK && o.list != NULL) st = slurm_task(&g, o.shards, o.list, (uint64_t)o.task, o.slurm.per_task, &d);
        else if (st == ST_OK && o.dry_run) st = dry_run(&g, out.db, &d);
        else if (st == ST_OK) st = sweep(&o, &g, &out, &d);
        summary(&o, &out);
        if (st != ST_OK) status = cmd_fail(&d);
        else if (out.worst != 0) status = out.worst;
        else if (out.left_unfinished) status = 1;
        grid_fini(&g);
    }
    mem_free(o.set);
    mem_free(o.sbatch);
    return status;
}

const struct cmd cmd_sweep = {
    .name = "sweep", .summary = "every combination of a scenario's sweep, in parallel",
    .usage = "usage: fairway sweep SCENARIO.yaml [OPTIONS]\n\n"
             "  -j, --jobs N             worker processes; default: one a core of this machine\n"
             "  -d, --database FILE      where results go; default: NAME.db after the scenario's name\n"
             "      --set PATH=VALUE     change the scenario first, e.g. --set sweep.seeds=1..30; may be repeated\n"
             "      --dry-run            list the runs with their keys and whether they are done; run nothing,\n"
             "                           and start no command of an `exec:` policy\n"
             "      --audit, --strict    as of `fairway run`, as are the next two\n"
             "      --decide-timeout DURATION, --policy-memory SIZE, --no-exec\n"
             "      --parts DIR          folder of part files; default: FILE.parts\n"
             "  -q, --quiet              no progress, no lines a run\n\n"
             "On a Slurm cluster, where the database's folder and the scenario's must be shared by its nodes:\n"
             "      --slurm              send the runs as job arrays by sbatch, wait for them, merge them\n"
             "      --per-task N         runs that one array task does, one after the other; default: 1\n"
             "      --deadline DURATION  a task that runs for longer is cancelled and its runs sent again; default: none\n"
             "      --retries N          how often a run that brought nothing is sent again; default: 3\n"
             "      --sbatch-opt OPT     an option for sbatch, e.g. --sbatch-opt=--partition=batch; may be repeated\n"
             "      --list FILE --task K what an array task does: the K-th N of the keys in FILE, into --parts\n\n"
             "A run whose key the database holds as done is not run again, so the same command goes on after\n"
             "Ctrl-C, kill -9 or a power cut, and after the sweep was extended.  A run that failed is marked and\n"
             "tried again next time.  The database is the one that one worker would have left.\n",
    .run = run,
};

/* fairway run: a scenario under its policies and seeds, into a database. */
#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include "cmd/cmd.h"
#include "db/query.h"
#include "run/lines.h"
#include "run/run.h"
#include "run/run_policy.h"
#include "run/setup.h"
#include "base/mem.h"
#include "base/text.h"

struct run_opts {
    const char *scenario, *db, *log;
    struct option_list policy, set;
    uint64_t    *seed;
    size_t       n_seeds, cap_seeds;
    bool         audit, strict, quiet;
    struct sandbox_limits limits;
};

/* -s: "3", or "1..3". */
static bool read_seed(const struct cmd_option *x, const char *text, void *opts, char *error, size_t cap)
{
    struct run_opts *o = opts;
    uint64_t lo, hi;
    if (!scn_seed_range(text, &lo, &hi) || hi - lo >= SCN_SEEDS_MAX)
        return text_error(error, cap, "--%s is '%s'; expected a whole number or a range such as 1..10", x->name, text);
    for (uint64_t seed = lo; seed <= hi; seed++) {
        for (size_t i = 0; i < o->n_seeds; i++)
            if (o->seed[i] == seed) return text_error(error, cap, "seed %" PRIu64 " is given twice", seed);
        MEM_PUSH(o->seed, o->n_seeds, o->cap_seeds, seed);
    }
    return true;
}

/* -p and -s replace the scenario's own lists. */
static void override(struct scenario *s, const struct run_opts *o)
{
    if (o->policy.n > 0) {
        for (size_t i = 0; i < s->asked.n_policies; i++) { mem_free(s->asked.policy[i].spec); mem_free(s->asked.policy[i].label); }
        s->asked.n_policies = 0;
        for (size_t i = 0; i < o->policy.n; i++) {
            MEM_RESERVE(s->asked.policy, s->asked.cap_policies, i + 1);
            s->asked.policy[s->asked.n_policies++] = (struct scn_policy){ mem_strdup(o->policy.at[i]),
                mem_strdup(o->policy.at[i]), 0, 0 };
        }
    }
    if (o->n_seeds > 0) {
        MEM_RESERVE(s->asked.seed, s->asked.cap_seeds, o->n_seeds);
        memcpy(s->asked.seed, o->seed, o->n_seeds * sizeof *s->asked.seed);
        s->asked.n_seeds = o->n_seeds;
    }
    if (o->audit) s->output.audit = true;
    if (o->strict) s->trace.strict = true;
}

struct tally { uint32_t done, failed; uint64_t unfinished, rejected; enum st worst; };

static void print_repairs(const struct trace *t, const char *path)
{
    char line[512];
    for (size_t i = 0; i < t->repairs.n; i++)
        text_line(stderr, "%s",
                  lines_repair(line, sizeof line, path ? path : "trace", "", t->repairs.at[i].what,
                               t->repairs.at[i].count, t->repairs.at[i].first_line));
}

/* What is not modelled of a policy's own file, or by the policy: the run's, not the trace's. */
static enum st print_notes(struct store *store, int64_t run, const char *label, struct diag *d)
{
    sqlite3_stmt *q;
    char line[512];
    TRY(query_run(store, run, "SELECT what, count FROM repair WHERE run = ? AND first_line = 0 ORDER BY what", &q, d));
    while (sqlite3_step(q) == SQLITE_ROW)
        text_line(
            stderr, "%s",
            lines_repair(line, sizeof line, "", label, query_text(q, 0), (uint64_t)sqlite3_column_int64(q, 1), 0));
    return query_end(store, q, d);
}

/* Every policy on the trace of one seed. */
static enum st run_seed(struct run_env *env, uint64_t seed, bool with_repairs, struct tally *tally, struct diag *d)
{
    struct scenario *s = env->scn;
    if (with_repairs) print_repairs(env->trace, s->trace.path);
    for (size_t i = 0; i < s->asked.n_policies; i++) {
        char label[80], digest[17];
        struct run_result r;
        struct diag failed = { 0 };
        (void)snprintf(label, sizeof label, "%.48s seed %" PRIu64, s->asked.policy[i].label, seed);
        progress_run(env->progress, label, env->trace->facts.n_jobs);
        if (env->log != NULL) (void)fprintf(env->log, "# %s\n", label);
        enum st st = run_one(env, &s->asked.policy[i], seed, &r, &failed);
        progress_clear(env->progress);
        if (st != ST_OK && st != ST_EPOLICY) { *d = failed; return st; }
        if (st == ST_EPOLICY) {
            diag_print(&failed, stderr);
            tally->failed++;
            tally->worst = ST_EPOLICY;
            continue;
        }
        (void)snprintf(digest, sizeof digest, "%016" PRIx64, r.digest);
        if (!env->quiet) lines_run(r.id, label, r.n_done, digest);
        tally->done++;
        tally->unfinished += r.n_unfinished;
        tally->rejected += r.n_rejected;
        if (r.n_unfinished > 0 && s->horizon == TICK_NEVER && s->replay.fill <= 0) lines_unfinished(label, r.n_unfinished);
        if (r.n_unlimited > 0 && !env->quiet)
            lines_unlimited(label, s->asked.policy[i].label, r.n_unlimited, r.n_arrived);
        if (r.n_rejected > 0) lines_rejected(label, r.n_rejected);
        if (r.n_never_eligible > 0) lines_never_eligible(label, r.n_never_eligible);
        if (r.is_scoreless) lines_scoreless(label);
        if (r.n_refused > 0) lines_refused(label, r.n_refused);
        if (with_repairs) TRY(print_notes(env->store, r.id, s->asked.policy[i].label, d));
    }
    return ST_OK;
}

static enum st run_all(struct run_env *env, struct setup *setup, struct tally *tally, struct diag *d)
{
    for (size_t k = 0; k < env->scn->asked.n_seeds; k++) {
        TRY(setup_trace(setup, env->scn->asked.seed[k], d));
        TRY(setup_isolated(setup, &env->isolated, d));
        TRY(run_seed(env, env->scn->asked.seed[k], k == 0, tally, d));
    }
    return ST_OK;
}

static enum st with_log(struct run_env *env, struct setup *setup, const char *log, struct tally *tally, struct diag *d)
{
    if (log != NULL && (env->log = fopen(log, "w")) == NULL)
        return diag_set(d, ST_EWORLD, "cannot write the log '%s': %s", log, strerror(errno));
    enum st st = run_all(env, setup, tally, d);
    if (env->log != NULL && fclose(env->log) != 0 && st == ST_OK)
        st = diag_set(d, ST_EWORLD, "cannot write the log '%s': %s", log, strerror(errno));
    return st;
}

/* All input is read and checked before the database is opened: a mistake leaves none behind. */
static enum st execute(const struct run_opts *o, struct scenario *s, struct tally *tally, char *db, size_t cap, struct diag *d)
{
    struct progress progress;
    struct setup setup;
    struct run_env env = { .scn = s, .trace = &setup.trace, .progress = &progress, .quiet = o->quiet, .limits = o->limits };
    TRY(scn_load(s, o->scenario, option_list_array(&o->set), o->set.n, d));
    override(s, o);
    if (s->asked.n_policies == 0) return diag_at(d, ST_EINPUT, s->id.path, 0, 0, "no policy: name some under `policies:` or with -p");
    TRY(run_policy_check_all(s, &o->limits, d));
    (void)snprintf(db, cap, "%s%s", o->db ? o->db : s->id.name, o->db ? "" : ".db");
    setup_begin(&setup, s);
    enum st st = setup_trace(&setup, s->asked.seed[0], d);
    if (st == ST_OK) st = store_open(&env.store, db, d);
    if (st == ST_OK) {
        /* Equal runs would show intervals of width 0. */
        if (s->asked.n_seeds > 1 && !setup_is_drawn(s)) lines_idle_seeds(s->asked.n_seeds);
        if (s->asked.has_sweep && !o->quiet)
            (void)fprintf(stderr, "note: this runs the scenario itself; `fairway sweep` runs every combination of its sweep\n");
        run_catch_interrupt();
        progress_begin(&progress, o->quiet, (uint32_t)(s->asked.n_policies * s->asked.n_seeds));
        st = with_log(&env, &setup, o->log, tally, d);
        store_close(env.store);
    }
    setup_fini(&setup);
    return st;
}

static int run(void *opts, const struct cmd_args *a)
{
    struct run_opts *o = opts;
    struct scenario s;
    struct tally tally = { 0 };
    struct diag d = { 0 };
    char db[4096];
    int status = 0;
    memset(&s, 0, sizeof s);
    o->scenario = a->at[0];
    enum st st = execute(o, &s, &tally, db, sizeof db, &d);
    if (tally.done + tally.failed > 0 && !o->quiet)
        text_line(stdout, "%" PRIu32 " run%s in %s%s; next: fairway compare %s", tally.done, tally.done == 1 ? "" : "s",
            db,
                     tally.failed ? " (and some that failed)" : "", db);
    if (st != ST_OK) status = cmd_fail(&d);
    else if (tally.worst != ST_OK) status = diag_exit_status(tally.worst);
    else if (tally.unfinished > 0 && s.horizon == TICK_NEVER && s.replay.fill <= 0) status = 1;
    scn_fini(&s);
    mem_free(o->seed);
    return status;
}

static const struct cmd_option options[] = {
    { "policy", 'p', OPTION_TEXTS, "NAME[:key=value,...]",
      "run this policy instead of the scenario's; may be repeated.\n"
      "NAME may be ./FILE.so, a shared object (`fairway policies --new` begins one),\n"
      "or exec:COMMAND, a program of yours:\n" DIAG_DOC("policies/PROTOCOL.md"),
      .offset = offsetof(struct run_opts, policy), .words = "@policies" },
    { "seed", 's', OPTION_OWN, "N[..M]", "run this seed, or these, instead of the scenario's; may be repeated", .read = read_seed },
    { "database", 'd', OPTION_TEXT, "FILE", "where results go; default: NAME.db after the scenario's name",
      .offset = offsetof(struct run_opts, db), .words = "*.db" },
    { "set", 0, OPTION_TEXTS, "PATH=VALUE", "change the scenario, e.g. --set trace.speedup=20; may be repeated",
      .offset = offsetof(struct run_opts, set) },
    { "audit", 0, OPTION_FLAG, NULL, "verify every invariant after every instant (slow)",
      .offset = offsetof(struct run_opts, audit) },
    { "strict", 0, OPTION_FLAG, NULL, "a row of the trace that needs a repair is an error",
      .offset = offsetof(struct run_opts, strict) },
    { "log", 0, OPTION_TEXT, "FILE", "write every event as a line of text",
      .offset = offsetof(struct run_opts, log), .words = "*" },
    CMD_SANDBOX_OPTIONS(struct run_opts, limits),
    { "no-exec", 0, OPTION_FLAG, NULL, "refuse policies that run code of their own, FILE.so and exec:COMMAND",
      .offset = offsetof(struct run_opts, limits.no_exec) },
    { "quiet", 'q', OPTION_FLAG, NULL, "no progress, no summary", .offset = offsetof(struct run_opts, quiet) },
    { 0 },
};

const struct cmd cmd_run = {
    .name = "run", .summary = "a scenario under its policies and seeds, into a database",
    .synopsis = "SCENARIO.yaml [OPTIONS]",
    .notes = "A run with the key of one that the database holds replaces it.  Ctrl-C keeps finished runs\n"
             "and marks the one under way as interrupted.\n",
    .option = options, .size = sizeof(struct run_opts),
        .defaults = &(const struct run_opts){ .limits = SANDBOX_LIMITS },
    .expected = "one scenario", .min_args = 1, .max_args = 1, .arg = { "*.yaml *.yml" }, .run = run,
};

/* fairway run: a scenario under its policies and seeds, into a database. */
#include <inttypes.h>
#include <stdio.h>
#include "cmd/cmd.h"
#include "cmd/ties.h"
#include "cmd/until.h"
#include "input/scenario/scenario.h"
#include "library/fairway.h"
#include "run/lines.h"
#include "run/run.h"
#include "base/mem.h"
#include "base/text.h"

struct run_opts {
    const char *db, *log;
    struct option_list policy, set;
    uint64_t    *seed;
    size_t       n_seeds, cap_seeds;
    bool         audit, strict, quiet;
    struct until until;
    uint64_t     tie_first, tie_last;       /* 0: ties are not asked about */
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

static bool read_ties(const struct cmd_option *x, const char *text, void *opts, char *error, size_t cap)
{
    struct run_opts *o = opts;
    if (scn_seed_range(text, &o->tie_first, &o->tie_last) && o->tie_first > 0 && o->tie_last - o->tie_first < SCN_SEEDS_MAX) return true;
    return text_error(error, cap, "--%s is '%s'; expected a whole number from 1 or a range such as 1..10", x->name, text);
}

static bool read_until(const struct cmd_option *x, const char *text, void *opts, char *error, size_t cap)
{
    (void)x;
    return until_read(&((struct run_opts *)opts)->until, text, error, cap);
}

/* What the client of the library, this program, keeps between its calls. */
struct client {
    const struct run_opts *o;
    char db[4096];
    bool may_end_unfinished, is_drawn;
    struct until_runs runs;
    uint64_t tie_seed;          /* under way; 0: as listed */
    struct ties_runs ties;
    uint32_t done, failed;
    uint64_t unfinished;
    struct progress bar;
};

static void on_begin(void *ctx, const struct fairway_plan *p)
{
    struct client *c = ctx;
    (void)snprintf(c->db, sizeof c->db, "%s", p->database);
    c->may_end_unfinished = p->may_end_unfinished != 0;
    c->is_drawn = p->is_drawn != 0;
    /* Equal runs would show intervals of width 0. */
    if (p->n_seeds > 1 && !p->is_drawn) lines_idle_seeds((size_t)p->n_seeds);
    if (p->has_sweep && !c->o->quiet)
        (void)fprintf(stderr,
            "note: this runs the scenario itself; `fairway sweep` runs every combination of its sweep\n");
    run_catch_interrupt();
}

static void on_progress(void *ctx, const struct fairway_progress *p)
{
    struct client *c = ctx;
    char text[256], sim[64];
    double fraction = p->n_jobs > 0 ? (double)p->n_ended / (double)p->n_jobs : 0;
    (void)snprintf(text, sizeof text, "run %" PRIu32 "/%" PRIu32 " %s: %" PRIu64 "/%" PRIu64 " jobs, simulated %s",
                   p->run, p->n_runs, p->label, p->n_ended, p->n_jobs, text_duration(sim, sizeof sim, p->now_us));
    progress_show(&c->bar, (p->run - 1 + fraction) / p->n_runs, text);
}

static void on_note(void *ctx, const struct fairway_note *n)
{
    struct client *c = ctx;
    char line[512];
    progress_clear(&c->bar);
    text_line(stderr, "%s", lines_repair(line, sizeof line, n->of, n->of, n->what, n->count, n->first_line));
}

static int print_error(const struct fairway_error *e)
{
    static const enum st code[] = { ST_EINPUT, ST_EWORLD, ST_EPOLICY, ST_EINTR };
    struct diag d = { .line = e->line, .col = e->column };
    for (size_t i = 0; i < ARRAY_LEN(code); i++)
        if (diag_exit_status(code[i]) == e->status) d.code = code[i];
    (void)snprintf(d.file, sizeof d.file, "%s", e->file);
    (void)snprintf(d.msg, sizeof d.msg, "%s", e->message);
    (void)snprintf(d.hint, sizeof d.hint, "%s", e->hint);
    return cmd_fail(&d);
}

static void on_run(void *ctx, const struct fairway_result *r)
{
    struct client *c = ctx;
    char digest[17];
    progress_clear(&c->bar);
    if (r->error != NULL) {
        (void)print_error(r->error);
        c->failed++;
        return;
    }
    (void)snprintf(digest, sizeof digest, "%016" PRIx64, r->digest);
    if (!c->o->quiet) lines_run(r->id, r->label, r->n_done, digest);
    c->done++;
    until_add(&c->runs, r->id, r->seed);
    ties_add(&c->ties, r->id, c->tie_seed, r->policy);
    c->unfinished += r->n_unfinished;
    if (r->n_unfinished > 0 && !c->may_end_unfinished) lines_unfinished(r->label, r->n_unfinished);
    if (r->n_unlimited > 0 && !c->o->quiet) lines_unlimited(r->label, r->policy, r->n_unlimited, r->n_arrived);
    if (r->n_rejected > 0) lines_rejected(r->label, r->n_rejected);
    if (r->n_never_eligible > 0) lines_never_eligible(r->label, r->n_never_eligible);
    if (r->is_scoreless) lines_scoreless(r->label);
    if (r->n_refused > 0) lines_refused(r->label, r->n_refused);
}

/* The scenario under its policies, and the seeds of the command line or else its own. */
static int run_seeds(struct client *c, struct fairway *f, struct fairway_error *e)
{
    const struct run_opts *o = c->o;
    int status = FAIRWAY_OK;
    for (size_t i = 0; i < o->policy.n && status == FAIRWAY_OK; i++) status = fairway_add_policy(f, o->policy.at[i],
        NULL, e);
    for (size_t i = 0; i < o->n_seeds && status == FAIRWAY_OK; i++) status = fairway_add_seeds(f, o->seed[i],
        o->seed[i], e);
    if (status != FAIRWAY_OK) return status;
    progress_begin(&c->bar, o->quiet);
    status = fairway_run(f, &(struct fairway_options){ .size = sizeof(struct fairway_options), .audit = o->audit,
        .strict = o->strict, .no_exec = o->limits.no_exec, .database = o->db, .log = o->log,
        .decide_timeout_us = o->limits.call_us, .policy_memory_b = o->limits.mem_b, .stop = run_interrupt(), .ctx = c,
        .begin = on_begin, .progress = c->bar.is_on ? on_progress : NULL, .note = on_note, .run = on_run }, e);
    progress_clear(&c->bar);
    return status;
}

static int told(const struct diag *d, struct fairway_error *e)
{
    *e = (struct fairway_error){ .status = diag_exit_status(d->code) };
    (void)snprintf(e->message, sizeof e->message, "%s", d->msg);
    (void)snprintf(e->hint, sizeof e->hint, "%s", d->hint);
    return e->status;
}

/* The scenario, and with --until as many seeds more as it takes. */
static int execute(struct client *c, const char *path, struct run_opts *o, struct fairway_error *e)
{
    struct fairway *f;
    struct diag d = { 0 };
    int status;
    bool more = false;
    do {
        f = fairway_open(path, NULL, option_list_array(&o->set), o->set.n, e);
        status = f == NULL ? e->status : run_seeds(c, f, e);
        fairway_close(f);
        if (!until_is_asked(&o->until) || status != FAIRWAY_OK) return status;
        if (!c->is_drawn) (void)until_idle(&o->until, &d);
        o->n_seeds = 0;
        if (d.code == ST_OK && until_more(&o->until, &c->runs, c->db, &more, &d) == ST_OK && more)
            for (uint64_t seed = o->until.first; seed <= o->until.last; seed++) MEM_PUSH(o->seed, o->n_seeds,
                o->cap_seeds, seed);
    } while (d.code == ST_OK && more);
    return d.code == ST_OK ? status : told(&d, e);
}

/* The scenario as it lists nodes and jobs, and in the order of each tie seed. */
static int execute_ties(struct client *c, const char *path, struct run_opts *o, struct fairway_error *e)
{
    struct diag d = { 0 };
    int status = execute(c, path, o, e);
    for (c->tie_seed = o->tie_first; status == FAIRWAY_OK && c->tie_seed <= o->tie_last; c->tie_seed++) {
        char *set = mem_printf("tie_seed=%" PRIu64, c->tie_seed);
        MEM_PUSH(o->set.at, o->set.n, o->set.cap, set);
        status = execute(c, path, o, e);
        o->set.n--;
        mem_free(set);
    }
    if (status != FAIRWAY_OK || o->quiet || ties_print(&c->ties, c->db, stdout, &d) == ST_OK) return status;
    return told(&d, e);
}

static int run(void *opts, const struct cmd_args *a)
{
    struct run_opts *o = opts;
    struct client c = { .o = o };
    struct fairway_error e;
    int status = o->tie_first > 0 ? execute_ties(&c, a->at[0], o, &e) : execute(&c, a->at[0], o, &e);
    if (c.done + c.failed > 0 && !o->quiet)
        text_line(stdout, "%" PRIu32 " run%s in %s%s; next: fairway compare %s", c.done, c.done == 1 ? "" : "s", c.db,
                  c.failed ? " (and some that failed)" : "", c.db);
    if (status != FAIRWAY_OK && (status != FAIRWAY_EPOLICY || c.failed == 0)) (void)print_error(&e);
    else if (status == FAIRWAY_OK && c.unfinished > 0 && !c.may_end_unfinished) status = 1;
    mem_free(c.runs.at);
    ties_fini(&c.ties);
    return status;
}

static void fini(void *opts)
{
    struct run_opts *o = opts;
    MEM_FREE(o->seed, o->until.metric);
}

static const struct cmd_option options[] = {
    { "policy", 'p', OPTION_TEXTS, "NAME[:key=value,...]",
      "run this policy instead of the scenario's; may be repeated.\n"
      "NAME may be ./FILE.so, a shared object (`fairway policies --new` begins one),\n"
      "or exec:COMMAND, a program of yours:\n" DIAG_DOC("policies/PROTOCOL.md"),
      .offset = offsetof(struct run_opts, policy), .words = "@policies" },
    { "seed", 's', OPTION_OWN, "N[..M]", "run this seed, or these, instead of the scenario's; may be repeated", .read = read_seed },
    { "until", 0, OPTION_OWN, "METRIC ±P%",
        "more seeds, until each policy's mean over its seeds has a 95 % interval of at\n"
      "most ±P% of it, as 'wait_mean ±2%'; of 10 seeds at least and 1,000 at most", .read = read_until, .not_with = "log" },
    { "tie-seed", 0, OPTION_OWN, "N[..M]",
        "run as listed, and with nodes, and jobs that arrive together, in the order of each\n"
      "of these seeds, and tell how far results hang on it", .read = read_ties, .not_with = "until|log" },
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
    .expected = "one scenario", .min_args = 1, .max_args = 1, .arg = { "*.yaml *.yml" }, .run = run, .fini = fini,
};

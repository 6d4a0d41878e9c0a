/*
 * storm.c -- random cases with failures at the worst moments, under every policy, each run checked from its tables.
 *
 *   storm [--runs N] [--first SEED] [--policy NAME]
 *   storm --plan 'SEED SPEC [NODE:DOWN-UP ...] [+JOB ...]' [--db FILE]      that one again, and what is wrong with it
 *   storm --plan ... --check FILE                              what is wrong with the rows that --db left
 *
 * A case is run without failures first.  Then, up to five times, a node or a whole rack is taken away in the middle
 * of something that the run before shows: a transfer, a loan, a probe, a call; what happens until then is the same.
 * Each of these is a run, and each is checked.  The runs of a case are made in a process of their own; a plan that
 * goes wrong, or crashes, is made smaller for as long as it still goes wrong, and printed as a --plan.
 *
 * Exit status: 0, nothing found; 1, something was; 2, mistaken use.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/mem.h"
#include "base/rng.h"
#include "builtin.h"
#include "host/conform/specs.h"
#include "host/sandbox.h"
#include "storm/check.h"
#include "storm/run.h"

enum { ROUNDS = 6, BATCH = 50, FOUND_MAX = 10 };

/* What a child hands back. */
struct shared {
    struct storm_plan plan; /* under way, or the one that went wrong */
    char wrong[1400];
    uint64_t n_runs, n_declined, n_attempts, n_failed, n_outages, n_racks, by_kind[STORM_KINDS];
};

static char dir[] = "/tmp/fairway-storm-XXXXXX", path[4096];

/* ---- what goes wrong where ---- */

static sim_tick within(const struct storm_moment *m, struct rng *r)
{
    sim_tick at[] = { m->from, m->from + 1, m->from + (m->to - m->from) / 2, m->to > m->from ? m->to - 1 : m->to,
                      m->to };
    return at[rng_below(r, sizeof at / sizeof at[0])];
}

/* A moment after `after`, of any kind that there is equally likely; NULL: none. */
static const struct storm_moment *choose(const struct storm_run *run, sim_tick after, struct rng *r)
{
    size_t n[STORM_KINDS] = { 0 }, kinds = 0;
    for (size_t i = 0; i < run->n_moments; i++)
        if (run->moment[i].from > after) n[run->moment[i].kind]++;
    for (int k = 0; k < STORM_KINDS; k++) kinds += n[k] > 0;
    if (kinds == 0) return NULL;
    size_t pick = (size_t)rng_below(r, kinds);
    int kind = 0;
    while (n[kind] == 0 || pick-- > 0) kind++;
    size_t which = (size_t)rng_below(r, n[kind]);
    for (size_t i = 0;; i++)
        if (run->moment[i].from > after && run->moment[i].kind == (enum storm_kind)kind && which-- == 0)
            return &run->moment[i];
}

/* Another node, or rack, fails in the middle of something.  False: there is nothing left to disturb. */
static bool disturb(struct shared *s, const struct storm_run *run, struct rng *r)
{
    struct storm_plan *p = &s->plan;
    sim_tick after = p->n_outages > 0 ? p->outage[p->n_outages - 1].down : -1;
    const struct storm_moment *m = choose(run, after, r), *back = choose(run, after, r);
    if (m == NULL) return false;
    struct storm_case *c = storm_case_make(p);
    const struct cluster *cl = &c->base->cluster;
    sim_tick down = within(m, r), ups[] = { down, down + 1, down + 5 * c->unit, down + 50 * c->unit, within(back, r) };
    sim_tick up = i64_max(down, ups[rng_below(r, sizeof ups / sizeof ups[0])]);
    uint32_t node =
        rng_below(r, 4) == 0 ? (uint32_t)rng_below(r, cl->n_nodes) : m->node; /* another: one that sends, or lends */
    bool rack = rng_below(r, 4) == 0;
    s->by_kind[m->kind]++;
    s->n_racks += rack;
    for (uint32_t n = 0; n < cl->n_nodes && p->n_outages < STORM_FAULTS; n++)
        if (n == node || (rack && cl->node[n].rack == cl->node[node].rack))
            p->outage[p->n_outages++] = (struct storm_outage){ .down = down, .up = up, .node = n };
    storm_case_free(c);
    return p->n_outages < STORM_FAULTS;
}

/* ---- in a child ---- */

static struct store *open_store(void)
{
    struct store *s;
    struct diag d = { 0 };
    (void)unlink(path);
    if (store_open_part(&s, path, &d) == ST_OK) return s;
    diag_print(&d, stderr);
    exit(3);
}

static void draw_plan(struct storm_plan *p, uint64_t seed, const struct pol_ops *ops, const struct conform_specs *specs,
                      struct rng *r)
{
    *p = (struct storm_plan){ .seed = seed, .runs_calls = (ops->flags & POL_RUNS_CALLS) != 0 };
    const char *spec = specs->spec[rng_below(r, specs->n)];
    (void)snprintf(p->spec, sizeof p->spec, "%s", spec);
    struct storm_case *c = storm_case_make(p);
    sim_tick unit = c->unit;
    storm_case_free(c);
    if (unit >= TICK_SEC / 1000) conform_slow_spec(p->spec, spec);
    size_t len = strlen(p->spec);
    if (strcmp(ops->name, "pollux") == 0)       /* as wrong as a long search, if it is */
        (void)snprintf(p->spec + len, sizeof p->spec - len, ":population=8,generations=4");
    if (strcmp(ops->name, "multiqueue") == 0 && rng_below(r, 2) == 0)
        (void)snprintf(p->spec + len, sizeof p->spec - len, "%sprobe=%" PRId64 "us,watch=%" PRId64 "us",
                       strchr(p->spec, ':') ? "," : ":", (1 + (sim_tick)rng_below(r, 6)) * unit,
                       (1 + (sim_tick)rng_below(r, 3)) * unit);
}

struct batch {
    uint64_t first;
    uint32_t n;
    const struct pol_ops *ops;
    struct shared *shared;
};

static enum st run_batch(void *ctx, struct sandbox_page *page, struct diag *d)
{
    struct batch *b = ctx;
    struct shared *s = b->shared;
    struct conform_specs *specs;
    struct storm_run run = { .moment = NULL };
    struct rng r;
    (void)page, (void)d;
    MEM_NEW(specs);
    conform_specs(specs, b->ops->name, b->ops);
    struct store *store = open_store();
    for (uint64_t seed = b->first; seed < b->first + b->n && s->wrong[0] == '\0'; seed++) {
        rng_init(&r, seed, "storm faults", 0);
        draw_plan(&s->plan, seed, b->ops, specs, &r);
        for (int round = 0; round < ROUNDS; round++) {
            storm_run(&s->plan, store, &run);
            if (run.declined) {
                s->n_declined++;
                break;
            }
            s->n_runs++;
            s->n_attempts += run.n_attempts;
            s->n_failed += run.n_failed;
            if (run.wrong[0] != '\0') {
                (void)snprintf(s->wrong, sizeof s->wrong, "%s", run.wrong);
                break;
            }
            if (!disturb(s, &run, &r)) break;
        }
    }
    store_close(store);
    mem_free(run.moment);
    mem_free(specs);
    return ST_OK;
}

static enum st run_plan(void *ctx, struct sandbox_page *page, struct diag *d)
{
    struct shared *s = ctx;
    struct storm_run run = { .moment = NULL };
    (void)page, (void)d;
    struct store *store = open_store();
    storm_run(&s->plan, store, &run);
    (void)snprintf(s->wrong, sizeof s->wrong, "%s", run.wrong);
    store_close(store);
    mem_free(run.moment);
    return ST_OK;
}

/* The rows in `path`, as they are. */
static bool check_rows(struct shared *s)
{
    struct store *store;
    struct diag d = { 0 };
    struct storm_case *c = storm_case_make(&s->plan);
    if (store_open_read(&store, path, &d) != ST_OK) {
        (void)snprintf(s->wrong, sizeof s->wrong, "%s", d.msg);
    } else {
        (void)storm_check(store, 1, c, s->wrong, sizeof s->wrong);
        store_close(store);
    }
    storm_case_free(c);
    return s->wrong[0] != '\0';
}

/* ---- smaller ---- */

static const struct sandbox_limits limits = { .call_us = 60 * TICK_SEC, .mem_b = INT64_C(2) << 30 };

static bool goes_wrong(struct shared *s)
{
    struct diag d = { 0 };
    s->wrong[0] = '\0';
    if (sandbox_run(&limits, s->plan.spec, NULL, run_plan, s, &d) != ST_OK)
        (void)snprintf(s->wrong, sizeof s->wrong, "%s", d.msg);
    return s->wrong[0] != '\0';
}

/* Keep what is in *s if it still goes wrong, else put the plan back. */
static bool keep_if_wrong(struct shared *s, const struct storm_plan *before)
{
    if (goes_wrong(s)) return true;
    s->plan = *before;
    return false;
}

static void make_smaller(struct shared *s)
{
    struct storm_plan before;
    if (!goes_wrong(s)) {
        (void)snprintf(s->wrong, sizeof s->wrong, "it goes wrong only after other runs in the same process");
        return;
    }
    for (bool smaller = true; smaller;) {
        smaller = false;
        for (uint32_t i = s->plan.n_outages; i-- > 0;) {
            before = s->plan;
            memmove(&s->plan.outage[i], &s->plan.outage[i + 1], (--s->plan.n_outages - i) * sizeof s->plan.outage[0]);
            smaller = keep_if_wrong(s, &before) || smaller;
        }
        for (uint32_t n = CONFORM_JOBS / 2; n > 0; n /= 2)
            for (uint32_t i = 0; i < CONFORM_JOBS; i += n) {
                bool any = false;
                before = s->plan;
                for (uint32_t k = i; k < i + n && k < CONFORM_JOBS; k++) {
                    any = any || !s->plan.dropped[k];
                    s->plan.dropped[k] = true;
                }
                if (any) (void)keep_if_wrong(s, &before);
            }
    }
    (void)goes_wrong(s); /* its words, of what is left */
}

/* ---- plans as text ---- */

static uint32_t n_jobs_of(const struct storm_plan *p)
{
    struct storm_case *c = storm_case_make(p);
    uint32_t n = c->base->n_jobs;
    storm_case_free(c);
    return n;
}

static void print_plan(const struct storm_plan *p)
{
    printf("    storm --plan '%" PRIu64 " %s", p->seed, p->spec);
    for (uint32_t i = 0; i < p->n_outages; i++)
        printf(" %u:%" PRId64 "-%" PRId64, p->outage[i].node, p->outage[i].down, p->outage[i].up);
    uint32_t n = n_jobs_of(p);
    bool any = false;
    for (uint32_t i = 0; i < n; i++) any = any || p->dropped[i];
    for (uint32_t i = 0; any && i < n; i++)
        if (!p->dropped[i]) printf(" +%u", i);
    puts("'");
}

static const struct pol_ops *policy_of(const char *spec)
{
    size_t len = strcspn(spec, ":");
    for (size_t i = 0; pol_table[i] != NULL; i++)
        if (strncmp(pol_table[i]->name, spec, len) == 0 && pol_table[i]->name[len] == '\0') return pol_table[i];
    return NULL;
}

static bool read_plan(struct storm_plan *p, const char *words)
{
    int used;
    if (sscanf(words, "%" SCNu64 " %299s%n", &p->seed, p->spec, &used) != 2 || policy_of(p->spec) == NULL) return false;
    p->runs_calls = (policy_of(p->spec)->flags & POL_RUNS_CALLS) != 0;
    bool any = false, kept[CONFORM_JOBS] = { false };
    for (words += used; words[strspn(words, " ")] != '\0'; words += used) {
        struct storm_outage o;
        uint32_t job;
        if (sscanf(words, " +%" SCNu32 "%n", &job, &used) == 1 && job < CONFORM_JOBS) any = kept[job] = true;
        else if (sscanf(words, " %" SCNu32 ":%" SCNd64 "-%" SCNd64 "%n", &o.node, &o.down, &o.up, &used) == 3 &&
                 p->n_outages < STORM_FAULTS)
            p->outage[p->n_outages++] = o;
        else return false;
    }
    for (uint32_t i = 0; any && i < CONFORM_JOBS; i++) p->dropped[i] = !kept[i];
    return true;
}

/* ---- all of it ---- */

static void report(struct shared *s, const char *name)
{
    make_smaller(s);
    printf("not ok - %s: %s\n", name, s->wrong);
    print_plan(&s->plan);
    (void)fflush(stdout);
}

/* Turn by turn, so that a short storm meets every policy. */
static uint32_t storm(uint64_t runs, uint64_t first, const char *only, struct shared *s)
{
    uint32_t found = 0, n_policies = 0;
    while (pol_table[n_policies] != NULL) n_policies++;
    uint32_t per = (uint32_t)(runs / n_policies / 16 + 1);
    if (only != NULL || per > BATCH) per = BATCH;
    for (uint64_t turn = 0; s->n_runs < runs && found < FOUND_MAX; turn++) {
        for (uint32_t i = 0; i < n_policies && found < FOUND_MAX; i++) {
            if (only != NULL && strcmp(pol_table[i]->name, only) != 0) continue;
            struct batch b = { .first = first + turn * per, .n = per, .ops = pol_table[i], .shared = s };
            struct diag d = { 0 };
            uint64_t had = s->n_runs;
            s->wrong[0] = '\0';
            if (sandbox_run(&limits, b.ops->name, NULL, run_batch, &b, &d) != ST_OK && s->wrong[0] == '\0')
                (void)snprintf(s->wrong, sizeof s->wrong, "%s", d.msg);
            if (s->wrong[0] != '\0') {
                found++;
                report(s, b.ops->name);
            }
            if (only != NULL && s->n_runs == had && s->n_declined > 1000) return found;
        }
    }
    return found;
}

static void print_sums(const struct shared *s, uint32_t found)
{
    printf("%" PRIu64 " runs, %" PRIu64 " attempts, %" PRIu64 " lost with a node, %u findings; %" PRIu64
           " cases declined\nfailures while",
           s->n_runs, s->n_attempts, s->n_failed, found, s->n_declined);
    for (int k = 0; k < STORM_KINDS; k++) printf("%s %s %" PRIu64, k ? "," : "", storm_kind_name[k], s->by_kind[k]);
    printf("; of whole racks %" PRIu64 "\n", s->n_racks);
}

int main(int argc, char **argv)
{
    uint64_t runs = 2000, first = 1;
    const char *only = NULL, *plan = NULL, *db = NULL, *check = NULL;
    bool ok = argc % 2 == 1;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--runs") == 0) runs = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--first") == 0) first = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--policy") == 0) only = argv[i + 1];
        else if (strcmp(argv[i], "--plan") == 0) plan = argv[i + 1];
        else if (strcmp(argv[i], "--db") == 0) db = argv[i + 1];
        else if (strcmp(argv[i], "--check") == 0) db = check = argv[i + 1];
        else ok = false;
    }
    struct shared *s = sandbox_share(sizeof *s);
    const bool is_unknown = only != NULL && (strchr(only, ':') != NULL || policy_of(only) == NULL);    /* runs draw specs */
    if (!ok || is_unknown || (plan != NULL && !read_plan(&s->plan, plan))) {
        (void)fputs("usage: storm [--runs N] [--first SEED] [--policy NAME] | --plan 'SEED SPEC [NODE:DOWN-UP ...] "
                    "[+JOB ...]' [--db | --check FILE]\n",
                    stderr);
        return 2;
    }
    if (mkdtemp(dir) == NULL) {
        perror(dir);
        return 3;
    }
    if (db != NULL) (void)snprintf(path, sizeof path, "%s", db);
    else (void)snprintf(path, sizeof path, "%s/runs.db", dir);
    uint32_t found;
    if (plan != NULL) {
        found = check != NULL ? check_rows(s) : goes_wrong(s);
        puts(found ? s->wrong : "nothing is wrong");
    } else {
        found = storm(runs, first, only, s);
        print_sums(s, found);
    }
    if (db == NULL) (void)unlink(path);
    (void)rmdir(dir);
    sandbox_unshare(s, sizeof *s);
    return found > 0;
}

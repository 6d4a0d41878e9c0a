/*
 * What every policy must keep, whatever it decides: every built-in, with every
 * value of each of its choices, on traces made to be awkward.  Runs are audited
 * after every instant, so a double booking stops the program.
 *   - no job is lost: each that arrived ends exactly once
 *   - a task is started only while it waits, and stopped only while it runs
 *   - a policy that is not declared to preempt does not
 *   - the same run has the same digest and log, with samples and records or without
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "ref/refcase.h"
#include "builtin.h"

#define GIB (INT64_C(1) << 30)

/* All is over by then; a wake asked for hours ahead must not draw out a run that samples every 3 us. */
enum { LONG_AFTER = 20000 };

/* ---- awkward traces ---- */

static void plain_nodes(struct ref_case *c, int n, int gpus)
{
    c->n_types = 1;
    c->type_rate[0] = RATE_ONE;
    for (int i = 0; i < n; i++)
        c->node[c->n_nodes++] = (struct ref_node){ .cpu = 8000, .mem = 16 * GIB, .gpu_mem = 16 * GIB, .n_gpu = gpus, .type = gpus ? 0 : -1 };
    c->horizon = LONG_AFTER;
    c->reject_infeasible = true;
}

static struct ref_job *job(struct ref_case *c, sim_tick submit, sim_tick dur, int64_t cpu, int gpus, int milli)
{
    struct ref_job *j = &c->job[c->n_jobs++];
    *j = (struct ref_job){ .submit = submit, .limit = dur, .user = c->n_jobs % 3, .model = -1, .n = 1 };
    j->task[0].dur = dur;
    j->task[0].shape.cpu_milli = cpu;
    j->task[0].shape.n_gpu = gpus;
    j->task[0].shape.gpu_milli = gpus ? milli : 0;
    return j;
}

static void gang(struct ref_job *j, int n)
{
    j->gang = true;
    for (j->n = 1; j->n < n; j->n++) j->task[j->n] = j->task[0];
}

static void all_at_once(struct ref_case *c)
{
    plain_nodes(c, 3, 4);
    for (int i = 0; i < 60; i++) job(c, 0, 10, 1000, 1, 1000);
}

static void of_no_length(struct ref_case *c)
{
    plain_nodes(c, 2, 1);
    for (int i = 0; i < 60; i++) job(c, i / 20, 0, 8000, i % 2, 1000);
}

/* A gang that needs everything, under a stream of sand. */
static void boulder_in_sand(struct ref_case *c)
{
    plain_nodes(c, 4, 2);
    for (int i = 0; i < 50; i++) {
        if (i == 10) gang(job(c, 10, 50, 8000, 2, 1000), 4);
        job(c, i, 7, 500, 1, 250);
    }
}

/* Shares that never tile a card. */
static void odd_shares(struct ref_case *c)
{
    static const int milli[] = { 300, 700, 400, 999, 1, 501, 1000 };
    plain_nodes(c, 2, 3);
    for (int i = 0; i < 70; i++) job(c, i / 2, 5 + i % 9, 100, 1 + (i % 11 == 0), milli[i % 7]);
}

static void no_estimates(struct ref_case *c)
{
    plain_nodes(c, 2, 2);
    for (int i = 0; i < 40; i++) {
        struct ref_job *j = job(c, i, 20 + i % 5, 2000, 1 + i % 2, 1000);
        j->limit = -1;
        if (i % 7 == 0) gang(j, 2);
    }
}

/* Everybody promises nothing and takes long; limits only advise. */
static void lying_estimates(struct ref_case *c)
{
    plain_nodes(c, 2, 2);
    for (int i = 0; i < 40; i++) job(c, i, 30, 2000, 1 + i % 2, 1000)->limit = i % 3 ? 0 : 1000;
}

static void killed_at_limits(struct ref_case *c)
{
    lying_estimates(c);
    c->enforce_limits = true;
}

/* Every node comes and goes, some at the instants of ends and arrivals. */
static void flapping_nodes(struct ref_case *c)
{
    plain_nodes(c, 3, 2);
    for (int i = 0; i < 30; i++) {
        struct ref_job *j = job(c, 5 * (i / 3), 20, 4000, 1, 500);
        if (i % 4 == 0) gang(j, 3);
    }
    for (int i = 0; i < 24; i++)
        c->fault[c->n_faults++] = (struct ref_fault){ .at = 5 * i, .node = i % 3, .up = i / 3 % 2 == 1 };
    c->checkpoint_interval = 7;
    c->restore_cost = 2;
}

static void nodes_that_never_return(struct ref_case *c)
{
    plain_nodes(c, 2, 1);
    for (int i = 0; i < 10; i++) gang(job(c, i, 20, 1000, 1, 1000), 2);
    c->fault[c->n_faults++] = (struct ref_fault){ .at = 50, .node = 1, .up = false };
}

static void whole_nodes(struct ref_case *c)
{
    plain_nodes(c, 3, 2);
    for (int i = 0; i < 40; i++) job(c, i, 9, 100, i % 2, 500)->task[0].shape.exclusive = i % 3 == 0;
}

static void none_feasible(struct ref_case *c)
{
    plain_nodes(c, 2, 1);
    for (int i = 0; i < 20; i++) job(c, i, 9, i % 2 ? 8001 : 100, i % 2 ? 0 : 2, 1000);
}

static void cut_short(struct ref_case *c)
{
    boulder_in_sand(c);
    c->horizon = 33;
    c->checkpoint_interval = 0;
    c->restore_cost = 1;
}

static const struct { const char *name; void (*make)(struct ref_case *); } awkward[] = {
    { "all at once", all_at_once }, { "of no length", of_no_length }, { "boulder in sand", boulder_in_sand },
    { "odd shares", odd_shares }, { "no estimates", no_estimates }, { "lying estimates", lying_estimates },
    { "killed at limits", killed_at_limits }, { "flapping nodes", flapping_nodes },
    { "nodes that never return", nodes_that_never_return }, { "whole nodes", whole_nodes },
    { "none feasible", none_feasible }, { "cut short", cut_short },
};
enum { N_AWKWARD = ARRAY_LEN(awkward), N_RANDOM = 8 };

static const char *make_case(struct ref_case *c, size_t i)
{
    static char name[32];
    if (i < N_AWKWARD) {
        memset(c, 0, sizeof *c);
        awkward[i].make(c);
        return awkward[i].name;
    }
    refcase_make(c, 1000000 + i);
    c->reject_infeasible = true;
    c->horizon = i64_min(c->horizon, LONG_AFTER);
    (void)snprintf(name, sizeof name, "random %zu", i - N_AWKWARD);
    return name;
}

/* ---- every spec of a policy ---- */

/* Call f with every combination of the policy's choices, other parameters at their defaults. */
static void each_spec(const struct pol_ops *p, void (*f)(const char *spec))
{
    size_t n = 1;
    for (uint32_t k = 0; k < p->n_params; k++) {
        if (p->params[k].type != POL_CHOICE) continue;
        size_t of = 1;
        for (const char *s = p->params[k].choices; *s != '\0'; s++) of += *s == '|';
        n *= of;
    }
    for (size_t i = 0; i < n; i++) {
        char spec[256];
        size_t at = (size_t)snprintf(spec, sizeof spec, "%s", p->name), left = i, chosen = 0;
        for (uint32_t k = 0; k < p->n_params; k++) {
            if (p->params[k].type != POL_CHOICE) continue;
            const char *s = p->params[k].choices;
            size_t of = 1;
            for (const char *x = s; *x != '\0'; x++) of += *x == '|';
            for (size_t skip = left % of; skip > 0; skip--) s = strchr(s, '|') + 1;
            left /= of;
            at += (size_t)snprintf(spec + at, sizeof spec - at, "%c%s=%.*s", chosen++ ? ',' : ':', p->params[k].name, (int)strcspn(s, "|"), s);
        }
        f(spec);
    }
}

/* ---- what is kept ---- */

static void check_log(const struct ref_case *c, const struct refcase_run *run, const struct ref_log *log, const char *where)
{
    static int running[REF_JOBS][REF_TASKS], ended[REF_JOBS];
    memset(running, 0, sizeof running);
    memset(ended, 0, sizeof ended);
    sim_tick last = 0;
    for (size_t i = 0; i < log->n; i++) {
        const struct ref_event *e = &log->ev[i];
        cr_assert_geq(e->at, last, "%s: the clock went back", where);
        last = e->at;
        if (e->kind == REF_START) {
            cr_assert(!running[e->job][e->task]++ && !ended[e->job], "%s: job %d task %d started twice", where, e->job, e->task);
            cr_assert_geq(e->at, c->job[e->job].submit, "%s: job %d started before it came", where, e->job);
        } else if (e->kind == REF_STOP) {
            cr_assert(running[e->job][e->task]--, "%s: job %d task %d stopped while it waits", where, e->job, e->task);
            if ((run->flags & POL_PREEMPTS) == 0) cr_assert_str_neq(e->why, "preempted", "%s", where);
        } else if (e->kind == REF_END) {
            cr_assert(!ended[e->job]++, "%s: job %d ended twice", where, e->job);
            for (int t = 0; t < REF_TASKS; t++) cr_assert(!running[e->job][t], "%s: job %d ended with task %d running", where, e->job, t);
        }
    }
    uint64_t over = 0;
    for (int j = 0; j < c->n_jobs; j++) over += (uint64_t)ended[j];
    cr_assert_eq(over, run->count.arrived, "%s: %lu jobs arrived, %lu ended", where, (unsigned long)run->count.arrived, (unsigned long)over);
    if (c->horizon == LONG_AFTER) cr_assert_eq(run->count.arrived, (uint64_t)c->n_jobs, "%s", where);
}

static size_t n_runs;

static void keeps_its_contract(const char *spec)
{
    for (size_t i = 0; i < N_AWKWARD + N_RANDOM; i++) {
        static struct ref_case c;
        char where[320];
        (void)snprintf(where, sizeof where, "%s on '%s'", spec, make_case(&c, i));
        struct refcase_run bare = { .spec = spec }, again = bare, seen = { .spec = spec, .sample_every = 3, .record = true };
        struct ref_log a = { 0 }, b = { 0 }, s = { 0 };
        refcase_run_real(&c, &bare, &a);
        cr_assert_eq(bare.result, ST_END, "%s: %s", where, bare.diag.msg);
        check_log(&c, &bare, &a, where);
        refcase_run_real(&c, &again, &b);
        refcase_run_real(&c, &seen, &s);
        cr_assert_eq(again.digest, bare.digest, "%s: the same run has another digest", where);
        cr_assert_eq(seen.digest, bare.digest, "%s: samples and records changed the digest", where);
        cr_assert_eq(refcase_difference(&a, &b), -1, "%s", where);
        cr_assert_eq(refcase_difference(&a, &s), -1, "%s", where);
        cr_assert_eq(seen.n_decisions >= seen.count.starts, true, "%s: %lu starts, %lu decisions", where,
                     (unsigned long)seen.count.starts, (unsigned long)seen.n_decisions);
        cr_assert_gt(seen.n_samples, 0, "%s", where);
        ref_log_fini(&a);
        ref_log_fini(&b);
        ref_log_fini(&s);
        n_runs += 3;
    }
}

Test(conform, every_policy_keeps_its_contract)
{
    for (size_t i = 0; pol_table[i] != NULL; i++) each_spec(pol_table[i], keeps_its_contract);
    fprintf(stderr, "%zu runs\n", n_runs);
}

Test(conform, every_policy_says_what_it_is)
{
    for (size_t i = 0; pol_table[i] != NULL; i++) {
        const struct pol_ops *p = pol_table[i];
        cr_assert(p->abi_major == POL_ABI_MAJOR && p->size == sizeof *p, "%s", p->name);
        cr_assert(p->name && strlen(p->name) > 0 && strspn(p->name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(p->name));
        cr_assert(p->source && *p->source && p->summary && *p->summary && !strchr(p->summary, '\n'), "%s", p->name);
        cr_assert(p->create && p->decide && p->destroy, "%s", p->name);
        for (uint32_t k = 0; k < p->n_params; k++) {
            const struct pol_param *a = &p->params[k];
            cr_assert(a->name && strspn(a->name, "abcdefghijklmnopqrstuvwxyz_") == strlen(a->name), "%s: %s", p->name, a->name);
            cr_assert(a->dflt && a->help && *a->help && !strchr(a->help, '\n'), "%s: %s", p->name, a->name);
            cr_assert_eq(a->type == POL_CHOICE, a->choices != NULL, "%s: %s", p->name, a->name);
        }
        for (size_t j = 0; j < i; j++) cr_assert_str_neq(pol_table[j]->name, p->name);
    }
}

/*
 * S1-17 on random instances: while its reservation holds, a workflow never
 * waits between stages, whoever borrows; and it then takes exactly the time of
 * its stages.  S1-7 is audited at every instant, by the books of the world.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "base/rng.h"
#include "ref/wfcase.h"

enum { CASES = 400, SEED = 17 };

static const char *const shares[] = {
    "", ",shares=[wf,p0],[u0,p1,1],[u1,p1,2],[u2,p1,1]", ",shares=[wf,p0],[u0,p1],[u1,p1]", ",shares=[wf,p0],[u0,p2],[u1,p1,3],[u2,p1,1]",
};
static const char *const lend[] = { "always", "start", "fits,estimate=true", "none", "always,short=true,estimate=true" };
static const char *const place[] = { "best", "first", "worst", "pack", "spread" };
/* Whoever waits for all of the stage before starts at the same instants with each of these. */
static const char *const barrier[] = { "", ",barrier=task", ",freed=lend", ",barrier=task,freed=lend" };
static const char *const admit[] = { "wait", "reclaim", "preempt" };

static struct wfcase c;
static char name[WF_JOBS][16];

/* The stages' lengths one after another. */
static sim_tick chain(const struct wf_job *j)
{
    sim_tick longest[WF_TASKS] = { 0 }, sum = 0;
    for (uint32_t g = 0; g < j->n; g++) if (j->task[g].dur > longest[j->task[g].stage]) longest[j->task[g].stage] = j->task[g].dur;
    for (int s = 0; s < WF_TASKS; s++) sum += longest[s];
    return sum;
}

static void random_case(struct rng *r)
{
    static const char *const user[] = { "u0", "u1", "u2", "u3" };
    wfcase_init(&c);
    uint32_t n_nodes = 1 + (uint32_t)rng_below(r, 4);
    for (uint32_t i = 0; i < n_nodes; i++) wfcase_node(&c, 1000 * (4 + (int64_t)rng_below(r, 8)), (uint32_t)rng_below(r, 4), NULL);
    for (uint32_t i = 0; i < n_nodes; i++) if (rng_below(r, 3) == 0) c.cluster.node[i].max_tasks = 3 + (uint32_t)rng_below(r, 6);
    c.cluster.licence_total[0] = 1 + (int64_t)rng_below(r, 6);
    uint32_t n_gpus = 0;
    for (uint32_t i = 0; i < n_nodes; i++) n_gpus = c.cluster.node[i].n_gpu > n_gpus ? c.cluster.node[i].n_gpu : n_gpus;
    uint32_t n_jobs = 3 + (uint32_t)rng_below(r, 14);
    sim_tick at = 0;
    for (uint32_t i = 0; i < n_jobs; i++) {
        bool staged = rng_below(r, 3) == 0;
        (void)snprintf(name[i], sizeof name[i], "j%u", i);
        struct wf_job *j = wfcase_job(&c, name[i], staged && rng_below(r, 3) > 0 ? "flow" : user[rng_below(r, 4)], staged);
        at += (sim_tick)rng_below(r, 15);
        j->submit = at;
        j->priority = (int32_t)rng_below(r, 3);
        uint32_t n_stages = staged ? 1 + (uint32_t)rng_below(r, 5) : 1;
        for (uint32_t s = 0; s < n_stages; s++)
            for (uint32_t k = 0, n = 1 + (uint32_t)rng_below(r, 3); k < n; k++) {
                wfcase_task(j, s, (sim_tick)rng_below(r, 30), 500 * (1 + (int64_t)rng_below(r, 6)), 1 + (uint32_t)rng_below(r, staged ? 2 : 6));
                struct wf_task *t = &j->task[j->n - 1];
                if (n_gpus > 0 && rng_below(r, 3) == 0) t->gpus = 1 + (int32_t)rng_below(r, n_gpus);
                if (rng_below(r, 4) == 0) t->licences = 1;
            }
    }
}

/* The stages that the empty cluster holds at once run so; a wider one runs in parts and may last longer. */
static bool has_parts(uint64_t job)
{
    uint32_t n = 0, stages = 0;
    for (uint32_t i = 0; i < c.n_entries; i++) n += c.entry[i].job == job;
    for (uint32_t g = 0; g < c.job[job].n; g++) if (c.job[job].task[g].stage + 1 > stages) stages = c.job[job].task[g].stage + 1;
    return n != stages;
}

/* S1-24: then what it submits is no workflow, whatever waits for what. */
static bool is_of_a_share_group(const char *policy, const char *user)
{
    char entry[16];
    (void)snprintf(entry, sizeof entry, "[%s,", user);
    return strstr(policy, entry) != NULL;
}

Test(workflow, s1_17_never_waits_between_stages_while_its_reservation_holds)
{
    uint32_t n_workflows = 0, n_chains = 0, n_reclaims = 0, n_lent = 0, n_done = 0;
    for (uint32_t k = 0; k < CASES; k++) {
        struct rng r;
        char policy[240];
        rng_init(&r, SEED, "workflow", k);
        random_case(&r);
        (void)snprintf(policy, sizeof policy, "workflow:place=%s,admit=%s,lend=%s%s%s%s", place[rng_below(&r, 5)], admit[rng_below(&r, 3)],
                       lend[rng_below(&r, 5)], shares[rng_below(&r, 4)], rng_below(&r, 4) == 0 ? ",mode=strict" : "", barrier[rng_below(&r, 4)]);
        wfcase_run(&c, policy);
        if (c.result == ST_EINPUT) { wfcase_fini(&c); continue; }      /* a task that fits nowhere */
        cr_assert_eq(c.result, ST_END, "seed %d, case %u, %s: %s", SEED, k, policy, c.diag.msg);
        for (uint32_t i = 0; i < c.n_jobs; i++) {
            cr_assert(c.end[i] >= 0, "case %u: job %u never ended", k, i);
            n_lent += c.lends[i];
            if (!c.job[i].staged) continue;
            if (is_of_a_share_group(policy, c.job[i].user)) { n_chains += c.lends[i]; continue; }
            n_workflows++;
            cr_assert_eq(c.lends[i], 0, "S1-7: what is lent never reaches a workflow's own jobs");
            if (has_parts(i)) continue;
            cr_assert_eq(c.end[i] - c.begin[i], chain(&c.job[i]), "case %u, %s: workflow %u took %lld, its stages %lld", k, policy, i,
                         (long long)(c.end[i] - c.begin[i]), (long long)chain(&c.job[i]));
        }
        n_reclaims += wfcase_reclaims(&c, UINT64_MAX, -1);
        n_done++;
        wfcase_fini(&c);
    }
    cr_assert(n_done > CASES / 2 && n_workflows > 500 && n_chains > 20 && n_lent > 500 && n_reclaims > 50,
              "%u cases, %u workflows, %u lent to chains, %u lent, %u reclaimed: too little was tried", n_done, n_workflows, n_chains, n_lent, n_reclaims);
}

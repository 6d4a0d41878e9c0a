/*
 * S1-17 on random instances: while its reservation holds, a workflow never
 * waits between stages, whoever borrows; and it then takes exactly the time of
 * its stages.  S1-7 is audited at every instant, by the books of the world.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "base/rng.h"
#include "ref/refwf.h"

enum { CASES = 400, REF_CASES = 1000, SEED = 17 };

static const char *const shares[] = {
    "",
    ",shares=[wf,p0],[u0,p1,1],[u1,p1,2],[u2,p1,1]",
    ",shares=[wf,p0],[u0,p1],[u1,p1]",
    ",shares=[wf,p0],[u0,p2],[u1,p1,3],[u2,p1,1]",
};
static const char *const lend[] = { "always", "start", "fits,estimate=true", "none",
                                    "always,short=true,estimate=true" };
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
    for (uint32_t g = 0; g < j->n; g++)
        if (j->task[g].dur > longest[j->task[g].stage]) longest[j->task[g].stage] = j->task[g].dur;
    for (int s = 0; s < WF_TASKS; s++) sum += longest[s];
    return sum;
}

static void random_case(struct rng *r)
{
    static const char *const user[] = { "u0", "u1", "u2", "u3" };
    wfcase_init(&c);
    uint32_t n_nodes = 1 + (uint32_t)rng_below(r, 4);
    for (uint32_t i = 0; i < n_nodes; i++)
        wfcase_node(&c, 1000 * (4 + (int64_t)rng_below(r, 8)), (uint32_t)rng_below(r, 4), NULL);
    for (uint32_t i = 0; i < n_nodes; i++)
        if (rng_below(r, 3) == 0) c.cluster.node[i].max_tasks = 3 + (uint32_t)rng_below(r, 6);
    c.cluster.licence_total[0] = 1 + (int64_t)rng_below(r, 6);
    uint32_t n_gpus = 0;
    for (uint32_t i = 0; i < n_nodes; i++) n_gpus = c.cluster.node[i].n_gpu > n_gpus ? c.cluster.node[i].n_gpu : n_gpus;
    uint32_t n_jobs = 3 + (uint32_t)rng_below(r, 14);
    sim_tick at = 0;
    for (uint32_t i = 0; i < n_jobs; i++) {
        bool staged = rng_below(r, 3) == 0;
        (void)snprintf(name[i], sizeof name[i], "j%u", i);
        struct wf_job *j =
            wfcase_job(&c, name[i], staged && rng_below(r, 3) > 0 ? "flow" : user[rng_below(r, 4)], staged);
        at += (sim_tick)rng_below(r, 15);
        j->submit = at;
        j->priority = (int32_t)rng_below(r, 3);
        uint32_t n_stages = staged ? 1 + (uint32_t)rng_below(r, 5) : 1;
        for (uint32_t s = 0; s < n_stages; s++)
            for (uint32_t k = 0, n = 1 + (uint32_t)rng_below(r, 3); k < n; k++) {
                wfcase_task(j, s, (sim_tick)rng_below(r, 30), 500 * (1 + (int64_t)rng_below(r, 6)),
                            1 + (uint32_t)rng_below(r, staged ? 2 : 6));
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
    for (uint32_t g = 0; g < c.job[job].n; g++)
        if (c.job[job].task[g].stage + 1 > stages) stages = c.job[job].task[g].stage + 1;
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
        (void)snprintf(policy, sizeof policy, "workflow:place=%s,admit=%s,lend=%s%s%s%s", place[rng_below(&r, 5)],
                       admit[rng_below(&r, 3)], lend[rng_below(&r, 5)], shares[rng_below(&r, 4)],
                       rng_below(&r, 4) == 0 ? ",mode=strict" : "", barrier[rng_below(&r, 4)]);
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
            cr_assert_eq(c.end[i] - c.begin[i], chain(&c.job[i]), "case %u, %s: workflow %u took %lld, its stages %lld",
                         k, policy, i, (long long)(c.end[i] - c.begin[i]), (long long)chain(&c.job[i]));
        }
        n_reclaims += wfcase_reclaims(&c, UINT64_MAX, -1);
        n_done++;
        wfcase_fini(&c);
    }
    cr_assert(n_done > CASES / 2 && n_workflows > 500 && n_chains > 20 && n_lent > 500 && n_reclaims > 50,
              "%u cases, %u workflows, %u lent to chains, %u lent, %u reclaimed: too little was tried", n_done,
              n_workflows, n_chains, n_lent, n_reclaims);
}

/* ---- a second implementation ---- */

static const struct { const char *text; int n; struct refwf_list list[2]; } lists[] = {
    { "[*,p0],[*,p1]", 1, { { "*", { { "*", 1, 0 } }, 1 } } },
    { "[wf,p0],[u0,p1,1],[u1,p1,2],[u2,p1,1]", 1, { { "*", { { "u0", 1, 1 }, { "u1", 1, 2 }, { "u2", 1, 1 } }, 3 } } },
    { "[wf,p0],[u0,p1],[u1,p1]", 1, { { "*", { { "u0", 1, 0 }, { "u1", 1, 0 } }, 2 } } },
    { "[wf,p0],[u0,p2],[u1,p1,3],[*,p1,1]", 1, { { "*", { { "u0", 2, 0 }, { "u1", 1, 3 }, { "*", 1, 1 } }, 3 } } },
    { "[flow,p0],[u0,p1],[*,p2];[j1,p0],[u1,p1,1],[u2,p1,2]", 2,
      { { "flow", { { "u0", 1, 0 }, { "*", 2, 0 } }, 2 }, { "j1", { { "u1", 1, 1 }, { "u2", 1, 2 } }, 2 } } },
};

static void random_policy(struct rng *r, struct refwf_policy *p, char *text, size_t cap)
{
    static const char *const lend_name[] = { "none", "start", "always", "fits,estimate=true" };
    size_t l = (size_t)rng_below(r, ARRAY_LEN(lists));
    *p = (struct refwf_policy){ .best = rng_below(r, 2) == 0,
                                .strict = rng_below(r, 4) == 0,
                                .by_task = rng_below(r, 3) == 0,
                                .lends_freed = rng_below(r, 3) == 0,
                                .lend = (enum refwf_lend)rng_below(r, 4),
                                .admit = (enum refwf_admit)rng_below(r, 3),
                                .n_lists = lists[l].n };
    if (p->lend == REFWF_NONE && rng_below(r, 2) == 0) p->lend = REFWF_ALWAYS;
    memcpy(p->list, lists[l].list, sizeof p->list);
    (void)snprintf(text, cap, "workflow:place=%s,mode=%s,barrier=%s,freed=%s,lend=%s,admit=%s,shares=%s",
                   p->best ? "best" : "first", p->strict ? "strict" : "skip", p->by_task ? "task" : "stage",
                   p->lends_freed ? "lend" : "keep", lend_name[p->lend], admit[p->admit], lists[l].text);
}

/* The first line in which they differ; (size_t)-1: none. */
static size_t first_difference(const struct wf_log *a, const struct wf_log *b)
{
    for (size_t i = 0; i < a->n || i < b->n; i++)
        if (i >= a->n || i >= b->n || a->line[i].at != b->line[i].at || strcmp(a->line[i].text, b->line[i].text) != 0)
            return i;
    return (size_t)-1;
}

Test(workflow, s1_a_second_implementation_does_the_same)
{
    struct wf_log log = { .line = NULL };
    size_t n_lines = 0;
    uint32_t n_done = 0;
    for (uint32_t k = 0; k < REF_CASES; k++) {
        struct rng r;
        struct refwf_policy p;
        char policy[300];
        rng_init(&r, SEED, "workflow twice", k);
        random_case(&r);
        for (uint32_t i = 0; i < c.cluster.n_nodes; i++) c.cluster.node[i].max_tasks = 0;
        random_policy(&r, &p, policy, sizeof policy);
        wfcase_run(&c, policy);
        if (c.result == ST_EINPUT) {
            wfcase_fini(&c);
            continue;
        } /* a task that fits nowhere, or no such workflow */
        cr_assert_eq(c.result, ST_END, "seed %d, case %u, %s: %s", SEED, k, policy, c.diag.msg);
        log.n = 0;
        refwf_run(&c, &p, &log);
        wfcase_log_sort(&c.log);
        wfcase_log_sort(&log);
        size_t at = first_difference(&c.log, &log);
        cr_assert(at == (size_t)-1, "seed %d, case %u, %s\n  line %zu, the policy:   %lld %s\n  the reference: %lld %s",
                  SEED, k, policy, at, at < c.log.n ? (long long)c.log.line[at].at : -1,
                  at < c.log.n ? c.log.line[at].text : "nothing", at < log.n ? (long long)log.line[at].at : -1,
                  at < log.n ? log.line[at].text : "nothing");
        n_lines += log.n;
        n_done++;
        wfcase_fini(&c);
    }
    wfcase_log_fini(&log);
    cr_assert(n_done > REF_CASES / 2 && n_lines > REF_CASES * 20, "%u cases, %zu lines: too little was tried", n_done,
              n_lines);
}

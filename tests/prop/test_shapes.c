/*
 * Ids of requests that are used again: under every built-in policy that takes rigid jobs a run in which they are, as
 * soon as they can be or as in the program, is the run in which each request keeps its own.  And then what is kept is
 * bounded by what is alive, whatever came before.
 *
 * Two thirds of the jobs ask for something that no other asks; the rest for what many ask, or what a job asked long
 * before.  Gangs of unlike tasks, shares of cards, what no node has, limits, users, priorities and failing nodes are
 * among them.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "builtin.h"
#include "host/host.h"
#include "base/mem.h"
#include "base/rng.h"

enum { NODES = 18, JOBS = 9000, COMMON = 40, GROUPS = 3, FAULTS = 40, SEED = 7 };

struct bench {
    struct cluster cluster;
    struct throughput perf;
    struct fault_event fault[FAULTS];
    struct job_spec job[JOBS];
    struct task_group group[JOBS][GROUPS];
    char id[JOBS][16];
    uint32_t given;
    uint32_t live, ended, peak;         /* tasks of live jobs; of those that ended in this instant; the most of both */
};

static enum st next_job(void *ctx, struct job_spec *out, struct diag *d)
{
    struct bench *b = ctx;
    (void)d;
    if (b->given == JOBS) return ST_END;
    *out = b->job[b->given++];
    return ST_OK;
}

static void on_arrived(void *ctx, const struct world *w, uint32_t job)
{
    struct bench *b = ctx;
    b->live += world_job(w, job)->n_tasks;
    if (b->live > b->peak) b->peak = b->live;
}

static void on_ended(void *ctx, const struct world *w, uint32_t job)
{
    ((struct bench *)ctx)->ended += world_job(w, job)->n_tasks;
}

static void on_instant(void *ctx, const struct world *w)
{
    struct bench *b = ctx;
    (void)w;
    b->live -= b->ended;
    b->ended = 0;
}

/* The k-th request: k tells it from all others. */
static struct shape request(uint32_t k)
{
    struct shape s = { .cpu_milli = 1000 + k % 7 * 500, .mem_b = (int64_t)(k + 1) << 16 };
    if (k % 3 > 0) s.n_gpu = 1 + (int32_t)(k % 5 == 0);
    if (k % 41 == 0) s.n_gpu = 16;      /* no node has so many: the job is rejected */
    if (s.n_gpu > 0) s.gpu_milli = k % 4 == 0 && s.n_gpu == 1 ? 500 : 1000;
    s.exclusive = k % 97 == 0;
    return s;
}

static uint32_t below(struct rng *r, uint32_t n) { return (uint32_t)rng_below(r, n); }

static void make(struct bench *b)
{
    static const char *const user[] = { "ann", "bob", "cid", "dan" };
    struct diag d = { 0 };
    struct rng r;
    uint32_t n_own = COMMON;
    sim_tick at = 0;
    rng_init(&r, SEED, "shapes", 0);
    for (uint32_t i = 0; i < NODES; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "n%u", i);
        struct node_spec node = { .name = name, .rack = i % 2 == 0 ? "r" : "s", .cpu_milli = 32000,
                                  .mem_b = INT64_C(1) << 36,
                                  .n_gpu = i % 3 == 0 ? 0 : 8, .gpu_type = i % 3 == 0 ? NULL : i % 2 == 0 ? "A" : "B" };
        cr_assert_eq(cluster_add(&b->cluster, &node, &d), ST_OK, "%s", d.msg);
    }
    cluster_seal(&b->cluster);
    for (uint32_t i = 0; i < JOBS; i++) {
        struct job_spec *j = &b->job[i];
        const uint32_t kind = below(&r, 6);
        const bool gang = below(&r, 3) == 0;
        at += below(&r, 8) * TICK_SEC;
        (void)snprintf(b->id[i], sizeof b->id[i], "%u", i);
        *j = (struct job_spec){ .id = b->id[i], .user = user[below(&r, 4)], .submit = at,
                                .priority = (int32_t)below(&r, 3),
                                .gang = gang, .group = b->group[i], .n_groups = 1 + below(&r, GROUPS),
                                .limit = 400 * TICK_SEC, .restore = { .is_own = false } };
        if (i > JOBS / 2 && kind == 0) {
            memcpy(b->group[i], b->group[i - JOBS / 2], sizeof b->group[i]);
            j->n_groups = b->job[i - JOBS / 2].n_groups;
            continue;
        }
        const sim_tick dur = (10 + below(&r, 230)) * TICK_SEC;
        for (uint32_t g = 0; g < j->n_groups; g++)
            b->group[i][g] = (struct task_group){ .shape = request(kind == 1 ? below(&r, COMMON) : n_own++),
                                                  .n = 1 + below(&r, 2), .dur = dur };
    }
    for (uint32_t i = 0; i < FAULTS; i++)
        b->fault[i] = (struct fault_event){ .at = at / FAULTS * (i / 2 * 2) + i % 2 * 100 * TICK_SEC,
                                            .node = i / 2 % NODES, .up = i % 2 == 1 };
}

/* The run's digest, and how many ids there were; false: the policy is not for such jobs. */
static bool run(struct bench *b, const char *spec, enum shape_reuse reuse, uint64_t *digest, uint32_t *n_shapes)
{
    struct host *h;
    struct diag d = { 0 };
    enum st st;
    const struct world_config cfg = { .cluster = &b->cluster, .throughput = &b->perf, .horizon = TICK_NEVER,
                                      .fault = { .list = b->fault, .n_list = FAULTS }, .reject_infeasible = true };
    if (host_create(&h, spec, NULL, &cfg, &(struct host_origin){ 0 }, NULL, &d) != ST_OK) return false;
    b->given = b->live = b->ended = b->peak = 0;
    struct decider decider = host_decider(h);
    if (decider.shapes != SHAPES_STAY) decider.shapes = reuse;
    struct world *w = world_create(&cfg, (struct source){ b, next_job }, decider);
    world_observe(w, (struct observer){
                         .ctx = b, .arrived = on_arrived, .job_ended = on_ended, .instant = on_instant });
    while ((st = world_step(w, &d)) == ST_OK) { }
    *digest = world_digest(w);
    *n_shapes = world_n_shapes(w);
    world_destroy(w);
    host_destroy(h);
    if (st == ST_END) return true;
    cr_log_info("%s: %s", spec, d.msg);
    return false;
}

/* With true estimates, where it has them. */
static void spec_of(const struct pol_ops *p, char *out, size_t cap)
{
    const char *how = "";
    for (uint32_t i = 0; i < p->n_params; i++) {
        if (strcmp(p->params[i].name, "estimate") == 0) how = ":estimate=true";
        if (strcmp(p->params[i].name, "aware") == 0) how = ":aware=false";
    }
    (void)snprintf(out, cap, "%s%s", p->name, how);
}

/* False: the policy is not for such jobs, or so many wait that none of them would have to give up its id. */
static bool check(struct bench *b, const char *spec)
{
    uint64_t stay, reused, at_once;
    uint32_t n_stay, n_reused, n_at_once;
    if (!run(b, spec, SHAPES_STAY, &stay, &n_stay)) return false;
    cr_assert(run(b, spec, SHAPES_REUSED, &reused, &n_reused) &&
              run(b, spec, SHAPES_REUSED_AT_ONCE, &at_once, &n_at_once));
    cr_assert_eq(stay, reused, "%s: another run where ids are used again", spec);
    cr_assert_eq(stay, at_once, "%s: another run where ids are used again at once", spec);
    if (n_stay == n_at_once) return false;      /* it did not ask for it */
    cr_assert_leq(n_at_once, b->peak + GROUPS, "%s: %u ids, and never more than %u tasks", spec, n_at_once, b->peak);
    cr_assert_leq(n_reused, SHAPES_KEPT + b->peak + GROUPS, "%s", spec);
    return n_stay > SHAPES_KEPT + b->peak + GROUPS;
}

Test(shapes, a_run_is_the_same_when_ids_of_requests_are_used_again_under_every_policy, .timeout = 600)
{
    static struct bench b;
    uint32_t n = 0;
    make(&b);
    for (size_t i = 0; pol_table[i] != NULL; i++) {
        char spec[64];
        if (strcmp(pol_table[i]->name, "gavel") == 0) continue;     /* an LP of all jobs a round: test_conform has it */
        spec_of(pol_table[i], spec, sizeof spec);
        const bool tells = check(&b, spec);
        n += tells;
        if (!tells) cr_log_info("%s: not for such jobs, or keeps too many waiting to tell", spec);
    }
    cr_assert_geq(n, 30, "only %u policies ran", n);
    cluster_fini(&b.cluster);
}

Test(shapes, a_run_is_the_same_by_rules_that_keep_something_for_each_request, .timeout = 600)
{
    static const char *const spec[] = { "fifo:place=kube", "fifo:place=pack", "fifo:mode=strict",
                                        "multiqueue:reclaim=true", "easy:estimate=true,place=worst", "kube-default:percentage=50" };
    static struct bench b;
    make(&b);
    for (size_t i = 0; i < ARRAY_LEN(spec); i++) cr_assert(check(&b, spec[i]), "%s did not run", spec[i]);
    cr_assert_not(check(&b, "fifo:place=fgd"), "fgd counts requests for ever");
    cluster_fini(&b.cluster);
}

/*
 * S4-26, the bounds of seed 4, section 5.2, under gs, fs and fsp: m equal jobs that
 * share the cluster end within m times the time of one alone; a job that needs at
 * most 1/m of it keeps the time that it takes alone; each job gets its share.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include "host/host.h"
#include "base/mem.h"
#include "base/rng.h"

enum { JOBS_MAX = 6, SEEDS = 100 };

struct bench {
    struct cluster cluster;
    struct throughput perf;
    struct task_group group[JOBS_MAX][2];
    struct job_spec job[JOBS_MAX];
    uint32_t n, given, only;            /* only: this job alone; NONE: all */
    sim_tick span[JOBS_MAX], end;
    uint32_t at_once[JOBS_MAX];         /* tasks of it that run after the first instant */
    bool looked;
};

static enum st next_job(void *ctx, struct job_spec *out, struct diag *d)
{
    struct bench *b = ctx;
    (void)d;
    if (b->only != NONE) { if (b->given++ > 0) return ST_END; *out = b->job[b->only]; return ST_OK; }
    if (b->given == b->n) return ST_END;
    *out = b->job[b->given++];
    return ST_OK;
}

static void on_ended(void *ctx, const struct world *w, uint32_t job)
{
    struct bench *b = ctx;
    const struct job *j = world_job(w, job);
    b->span[j->ordinal] = j->end - j->first_start;
    b->end = j->end;
}

static void on_instant(void *ctx, const struct world *w)
{
    struct bench *b = ctx;
    if (b->looked) return;
    b->looked = true;
    for (uint32_t j = 0; j < world_n_job_slots(w); j++)
        if (world_job(w, j)->is_live) b->at_once[world_job(w, j)->ordinal] = world_job(w, j)->n_running;
}

static const char *const policies[] = { "gs", "fs", "fsp", "fsp:replace=true" };
static const char *policy;

static void run(struct bench *b, uint32_t only)
{
    struct host *h;
    struct diag d = { 0 };
    enum st st;
    const struct world_config cfg = { .cluster = &b->cluster, .throughput = &b->perf, .audit = true, .horizon = TICK_NEVER };
    cr_assert_eq(host_create(&h, policy, NULL, &cfg, &(struct host_origin){ 0 }, NULL, &d), ST_OK, "%s", d.msg);
    b->only = only;
    b->given = 0;
    b->looked = false;
    struct world *w = world_create(&cfg, (struct source){ b, next_job }, host_decider(h));
    world_observe(w, (struct observer){ .ctx = b, .job_ended = on_ended, .instant = on_instant });
    while ((st = world_step(w, &d)) == ST_OK) { }
    cr_assert_eq(st, ST_END, "%s", d.msg);
    world_destroy(w);
    host_destroy(h);
}

/* `cards` GPUs on nodes of two. */
static void build(struct bench *b, uint32_t cards)
{
    struct diag d = { 0 };
    for (uint32_t i = 0; i < cards; i += 2) {
        char name[16];
        (void)snprintf(name, sizeof name, "n%u", i / 2);
        struct node_spec node = { .name = name, .rack = "r", .cpu_milli = 16000, .mem_b = 1, .n_gpu = cards - i < 2 ? 1 : 2, .gpu_type = "G" };
        cr_assert_eq(cluster_add(&b->cluster, &node, &d), ST_OK, "%s", d.msg);
    }
    cluster_seal(&b->cluster);
}

static void add_job(struct bench *b, uint32_t tasks, sim_tick dur)
{
    static const char *const id[JOBS_MAX] = { "a", "b", "c", "d", "e", "f" };
    struct task_group *g = b->group[b->n];
    g[0] = (struct task_group){ .n = tasks, .dur = dur, .shape = { .n_gpu = 1, .gpu_milli = GPU_WHOLE } };
    b->job[b->n] = (struct job_spec){ .id = id[b->n], .limit = -1, .group = g, .n_groups = 1 };
    b->n++;
}

Test(share_bounds, S4_26_m_equal_jobs_end_within_m_times_the_time_of_one)
{
    for (uint64_t k = 0; k < SEEDS * ARRAY_LEN(policies); k++) {
        uint64_t seed = 1 + k / ARRAY_LEN(policies);
        policy = policies[k % ARRAY_LEN(policies)];
        struct bench b = { .n = 0 };
        struct rng r;
        rng_init(&r, seed, "test share bounds", 0);
        uint32_t m = 2 + (uint32_t)rng_below(&r, JOBS_MAX - 1), tasks = 1 + (uint32_t)rng_below(&r, 60);
        build(&b, 1 + (uint32_t)rng_below(&r, 30));
        for (uint32_t i = 0; i < m; i++) add_job(&b, tasks, 10 * TICK_SEC);
        run(&b, 0);
        sim_tick alone = b.span[0];
        run(&b, NONE);
        cr_assert_leq(b.end, m * alone, "%s, seed %llu", policy, (unsigned long long)seed);
        cluster_fini(&b.cluster);
    }
}

Test(share_bounds, S4_26_a_job_within_its_share_keeps_the_time_it_takes_alone)
{
    for (uint64_t k = 0; k < SEEDS * ARRAY_LEN(policies); k++) {
        uint64_t seed = 1 + k / ARRAY_LEN(policies);
        policy = policies[k % ARRAY_LEN(policies)];
        struct bench b = { .n = 0 };
        struct rng r;
        sim_tick alone[JOBS_MAX];
        rng_init(&r, seed, "test share bounds", 1);
        uint32_t m = 2 + (uint32_t)rng_below(&r, JOBS_MAX - 1), cards = m + (uint32_t)rng_below(&r, 30);
        build(&b, cards);
        for (uint32_t i = 0; i < m; i++)
            add_job(&b, (i == 0 ? 1 : 2 * (uint32_t)rng_below(&r, 2) + 1) * (1 + (uint32_t)rng_below(&r, cards / m)), (sim_tick)(1 + rng_below(&r, 50)) * TICK_SEC);
        for (uint32_t i = 0; i < m; i++) { run(&b, i); alone[i] = b.span[0]; }
        run(&b, NONE);
        for (uint32_t i = 0; i < m; i++) {
            uint32_t share = cards / m, needs = b.group[i][0].n;
            cr_assert_geq(b.at_once[i], needs < share ? needs : share, "%s, seed %llu: job %u of %u tasks got %u of %u cards", policy, (unsigned long long)seed, i, needs, b.at_once[i], cards);
            if (needs <= share) cr_assert_eq(b.span[i], alone[i], "%s, seed %llu, job %u", policy, (unsigned long long)seed, i);
        }
        cluster_fini(&b.cluster);
    }
}

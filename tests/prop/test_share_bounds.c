/*
 * S4-26, the bounds of seed 4, section 5.2, without data and with: m equal jobs
 * that share the cluster end within m times the time of one alone; a job that
 * needs at most 1/m of it keeps the time that it takes alone; each job gets its
 * share.  fsu knows no shares, so of it only the first is asked.
 *
 * Data that lies on every node, or on none with GPUs, costs a task the same
 * anywhere.  With replicas on some nodes alone, where a job runs decides what it
 * reads; the bounds are then those of a job that reads everything from afar.
 * gsd may leave GPUs idle for such data, and moved tasks read twice: these two
 * are asked only where all nodes are alike.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "host/host.h"
#include "base/mem.h"
#include "base/rng.h"

enum { JOBS_MAX = 6, TASKS_MAX = 128, SEEDS = 100 };
enum where { NO_DATA, ON_ALL, APART, ON_SOME, WHERES };
#define MB INT64_C(1000000)
static const struct net_spec net = { .mode = NET_NOMINAL, .disk_bps = 500 * MB, .rack_bps = 200 * MB, .aggregation_bps = 100 * MB };

struct bench {
    struct cluster cluster;
    struct throughput perf;
    struct data data;
    enum where where;
    int64_t  size;                      /* of each task's block */
    uint32_t n_gpu_nodes;               /* the node after them has none */
    uint32_t start[TASKS_MAX + 1], none[TASKS_MAX + 1];      /* of every graph: one input a task; no waits */
    struct task_input in[JOBS_MAX][TASKS_MAX];
    int64_t  out[TASKS_MAX];
    struct task_graph graph[JOBS_MAX];
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

static const struct { const char *name; bool has_shares, is_tied; } policies[] = {        /* tied: to data on some nodes */
    { "gs", true, true }, { "gsp", true, true }, { "gsd", true, false }, { "fs", true, true }, { "fsp", true, true },
    { "fsp:replace=true", true, false }, { "fsu", false, true },
};
static const char *policy;

static void run(struct bench *b, uint32_t only)
{
    struct host *h;
    struct diag d = { 0 };
    enum st st;
    const struct world_config cfg = { .cluster = &b->cluster, .throughput = &b->perf, .audit = true, .horizon = TICK_NEVER, .data = &b->data,
                                      .net = b->where == NO_DATA ? (struct net_spec){ 0 } : net };
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

/* `cards` GPUs on nodes of two, in two racks, and a node without in a third. */
static void build(struct bench *b, uint32_t cards)
{
    struct diag d = { 0 };
    b->n_gpu_nodes = (cards + 1) / 2;
    for (uint32_t k = 0; k <= TASKS_MAX; k++) b->start[k] = k;
    for (uint32_t i = 0; i < cards; i += 2) {
        char name[16];
        (void)snprintf(name, sizeof name, "n%u", i / 2);
        struct node_spec node = { .name = name, .rack = i / 2 % 2 == 0 ? "r" : "s", .cpu_milli = 16000, .mem_b = 1, .n_gpu = cards - i < 2 ? 1 : 2, .gpu_type = "G" };
        cr_assert_eq(cluster_add(&b->cluster, &node, &d), ST_OK, "%s", d.msg);
    }
    cr_assert_eq(cluster_add(&b->cluster, &(struct node_spec){ .name = "store", .rack = "t", .cpu_milli = 16000, .mem_b = 1 }, &d), ST_OK);
    cluster_seal(&b->cluster);
}

static void close_bench(struct bench *b)
{
    cluster_fini(&b->cluster);
    data_fini(&b->data);
}

/* A block of its own for each task of job j. */
static void add_data(struct bench *b, uint32_t j, uint32_t tasks, struct rng *r)
{
    cr_assert_leq(tasks, TASKS_MAX);
    for (uint32_t k = 0; k < tasks; k++) {
        char name[16];
        uint32_t node[32], n = 0;       /* of at most 18 */
        (void)snprintf(name, sizeof name, "%u-%u", j, k);
        uint32_t block = data_add(&b->data, name, b->size);
        for (uint32_t i = 0; i < b->n_gpu_nodes; i++)
            if (b->where == ON_ALL || (b->where == ON_SOME && rng_below(r, 6) == 0)) node[n++] = i;
        if (n == 0) node[n++] = b->n_gpu_nodes;
        data_replicas(&b->data, block, node, n);
        b->in[j][k] = (struct task_input){ .block = block, .task = NONE };
    }
    b->graph[j] = (struct task_graph){ .in_start = b->start, .in = b->in[j], .after_start = b->none, .after = b->none, .out = b->out };
    b->job[j].graph = &b->graph[j];
}

/* What reading a task's block takes at most. */
static sim_tick read_us(const struct bench *b)
{
    return b->where == NO_DATA ? 0 : net_nominal_us(&net, b->where == ON_ALL ? LEVEL_LOCAL : LEVEL_CROSS, b->size);
}

static void add_job(struct bench *b, uint32_t tasks, sim_tick dur, struct rng *r)
{
    static const char *const id[JOBS_MAX] = { "a", "b", "c", "d", "e", "f" };
    struct task_group *g = b->group[b->n];
    g[0] = (struct task_group){ .n = tasks, .dur = dur, .shape = { .n_gpu = 1, .gpu_milli = GPU_WHOLE } };
    b->job[b->n] = (struct job_spec){ .id = id[b->n], .limit = -1, .group = g, .n_groups = 1 };
    if (b->where != NO_DATA) add_data(b, b->n, tasks, r);
    b->n++;
}

/* All policies on all kinds of data that suit them, a seed each in turn. */
static bool pick(uint64_t k, struct bench *b, bool needs_shares, struct rng *r)
{
    size_t p = k % ARRAY_LEN(policies);
    b->where = (enum where)(k / ARRAY_LEN(policies) % WHERES);
    policy = policies[p].name;
    rng_init(r, k / ARRAY_LEN(policies) / WHERES, "test share bounds", needs_shares);
    b->size = (int64_t)(1 + rng_below(r, 1000)) * MB;
    return (policies[p].has_shares || !needs_shares) && (policies[p].is_tied || b->where != ON_SOME);
}

Test(share_bounds, S4_26_m_equal_jobs_end_within_m_times_the_time_of_one)
{
    for (uint64_t k = 0; k < SEEDS * ARRAY_LEN(policies) * WHERES; k++) {
        static struct bench b;
        struct rng r;
        memset(&b, 0, sizeof b);
        if (!pick(k, &b, false, &r)) continue;
        uint32_t m = 2 + (uint32_t)rng_below(&r, JOBS_MAX - 1), tasks = 1 + (uint32_t)rng_below(&r, 60), cards = 1 + (uint32_t)rng_below(&r, 30);
        build(&b, cards);
        for (uint32_t i = 0; i < m; i++) add_job(&b, tasks, 10 * TICK_SEC, &r);
        run(&b, 0);
        sim_tick alone = (tasks + cards - 1) / cards * (10 * TICK_SEC + read_us(&b));
        if (b.where != ON_SOME) cr_assert_eq(b.span[0], alone, "%s, case %llu", policy, (unsigned long long)k);
        run(&b, NONE);
        cr_assert_leq(b.end, m * alone, "%s, case %llu", policy, (unsigned long long)k);
        close_bench(&b);
    }
}

Test(share_bounds, S4_26_a_job_within_its_share_keeps_the_time_it_takes_alone)
{
    for (uint64_t k = 0; k < SEEDS * ARRAY_LEN(policies) * WHERES; k++) {
        static struct bench b;
        struct rng r;
        sim_tick alone[JOBS_MAX];
        memset(&b, 0, sizeof b);
        if (!pick(k, &b, true, &r)) continue;
        uint32_t m = 2 + (uint32_t)rng_below(&r, JOBS_MAX - 1), cards = m + (uint32_t)rng_below(&r, 30);
        build(&b, cards);
        for (uint32_t i = 0; i < m; i++)
            add_job(&b, (i == 0 ? 1 : 2 * (uint32_t)rng_below(&r, 2) + 1) * (1 + (uint32_t)rng_below(&r, cards / m)),
                    (sim_tick)(1 + rng_below(&r, 50)) * TICK_SEC, &r);
        for (uint32_t i = 0; i < m; i++) { run(&b, i); alone[i] = b.span[0]; }
        run(&b, NONE);
        for (uint32_t i = 0; i < m; i++) {
            uint32_t share = cards / m, needs = b.group[i][0].n;
            cr_assert_geq(b.at_once[i], needs < share ? needs : share, "%s, case %llu: job %u of %u tasks got %u of %u cards", policy,
                          (unsigned long long)k, i, needs, b.at_once[i], cards);
            if (needs > share) continue;
            if (b.where == ON_SOME) cr_assert_leq(b.span[i], b.group[i][0].dur + read_us(&b), "%s, case %llu, job %u", policy, (unsigned long long)k, i);
            else cr_assert_eq(b.span[i], alone[i], "%s, case %llu, job %u", policy, (unsigned long long)k, i);
        }
        close_bench(&b);
    }
}

/*
 * Bytes are conserved: random jobs with random inputs on a random placement of
 * blocks, started and killed at random, in every network mode.  What was read
 * is what the jobs' specs ask for; each byte came from the level at which its
 * nearest replica lay; nothing is moved in vain unless something was killed.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include "base/mem.h"
#include "base/rng.h"
#include "model/data/blocks.h"
#include "model/world.h"
#include "metrics/metrics.h"

enum { NODES = 5, BLOCKS = 12, JOBS = 8, TASKS_MAX = 7, IN_MAX = 3, SEEDS = 60 };

struct made {                           /* one job's spec and what it borrows */
    char id[16];
    struct task_group group;
    struct task_input in[TASKS_MAX * IN_MAX];
    uint32_t in_start[TASKS_MAX + 1], after_start[TASKS_MAX + 1], after[TASKS_MAX];
    int64_t out[TASKS_MAX];
    struct task_graph graph;
    struct job_spec spec;
};

struct bench {
    struct rng rng;
    struct cluster cluster;
    struct data data;
    struct throughput perf;
    struct made job[JOBS];
    size_t given;
    uint32_t kills, max_kills;
    double moved[LEVELS], part;         /* as the hook told it */
};

static void make_job(struct bench *b, size_t i)
{
    struct made *j = &b->job[i];
    uint32_t n = 1 + (uint32_t)rng_below(&b->rng, TASKS_MAX), at = 0, n_after = 0;
    (void)snprintf(j->id, sizeof j->id, "j%zu", i);
    j->group = (struct task_group){ .n = n, .dur = (sim_tick)rng_below(&b->rng, 20) * TICK_SEC,
                                    .shape = { .cpu_milli = 1000, .n_gpu = 1, .gpu_milli = GPU_WHOLE } };
    for (uint32_t k = 0; k < n; k++) {
        j->in_start[k] = at;
        j->after_start[k] = n_after;
        for (uint64_t m = rng_below(&b->rng, IN_MAX + 1); m > 0; m--)
            j->in[at++] = k > 0 && rng_below(&b->rng, 2) == 0
                ? (struct task_input){ .block = NONE, .task = (uint32_t)rng_below(&b->rng, k),
                                       .part = (int64_t)rng_below(&b->rng, 2) * 3000000 }
                : (struct task_input){ .block = (uint32_t)rng_below(&b->rng, BLOCKS) };
        if (k > 0 && rng_below(&b->rng, 3) == 0) j->after[n_after++] = (uint32_t)rng_below(&b->rng, k);
        j->out[k] = rng_below(&b->rng, 3) == 0 ? 0 : (int64_t)rng_below(&b->rng, 100000000);
    }
    j->in_start[n] = at;
    j->after_start[n] = n_after;
    j->graph = (struct task_graph){ .in_start = j->in_start, .in = j->in, .after_start = j->after_start, .after = j->after, .out = j->out };
    j->spec = (struct job_spec){ .id = j->id, .submit = (sim_tick)i * TICK_SEC, .limit = -1, .group = &j->group, .n_groups = 1, .graph = &j->graph };
}

/* What the specs say all tasks read together. */
static double asked(const struct bench *b)
{
    double sum = 0;
    for (size_t i = 0; i < JOBS; i++) {
        const struct made *j = &b->job[i];
        for (uint32_t k = 0; k < j->in_start[j->group.n]; k++)
            sum += (double)(j->in[k].block != NONE ? b->data.block[j->in[k].block].size
                            : j->in[k].part > 0 ? j->in[k].part : j->out[j->in[k].task]);
    }
    return sum;
}

static enum st next_job(void *ctx, struct job_spec *out, struct diag *d)
{
    struct bench *b = ctx;
    (void)d;
    if (b->given == JOBS) return ST_END;
    *out = b->job[b->given++].spec;
    return ST_OK;
}

/* Starts what it can at random places; now and then kills a task. */
static enum st decide(void *ctx, struct world *w, const struct notice *n, size_t n_notices, bool *again, struct diag *d)
{
    struct bench *b = ctx;
    (void)n; (void)n_notices; (void)again; (void)d;
    for (uint32_t t = 0; t < world_n_task_slots(w); t++) {
        const struct task *k = world_task(w, t);
        if (!k->is_live || k->state != TASK_RUNNING || b->kills == b->max_kills || rng_below(&b->rng, 6) > 0) continue;
        cr_assert_eq(world_preempt(w, t), POL_OK);
        b->kills++;
    }
    for (uint32_t t = 0; t < world_n_task_slots(w); t++) {
        const struct task *k = world_task(w, t);
        uint32_t node = (uint32_t)rng_below(&b->rng, NODES);
        for (uint32_t i = 0; i < NODES && k->is_live && k->state == TASK_WAITING; i++, node = (node + 1) % NODES)
            if (cluster_fits(world_cluster(w), node, world_shape(w, k->shape))) cr_assert_eq(world_start(w, t, &(struct world_place){ .node = node }), POL_OK);
    }
    if (b->kills < b->max_kills && world_n_running(w) > 0) cr_assert_eq(world_wake(w, world_now(w) + 700000), POL_OK);
    return ST_OK;
}

static void on_moved(void *ctx, const struct world *w, uint32_t task, enum data_level level, int64_t bytes, bool whole)
{
    struct bench *b = ctx;
    bool possible = false;
    for (uint32_t k = 0; k < world_n_inputs(w, task); k++) {
        struct world_input in = world_input(w, task, k);
        bool same = net_level(&world_config(w)->net, world_cluster(w), in.replica, in.n_replicas, world_cluster(w)->hold[task].node) == level;
        possible = possible || (same && (whole ? in.size == bytes : bytes <= in.size));
    }
    cr_assert(possible, "%lld bytes from level %d are no input of the task", (long long)bytes, (int)level);
    b->moved[level] += (double)bytes;
    if (!whole) b->part += (double)bytes;
}

static double value(const struct metrics *m, const char *name)
{
    double x = metrics_value(m, name, "all");
    return isnan(x) ? 0 : x;
}

/* Returns the bytes moved in vain of inputs that were not read whole. */
static double check(uint64_t seed, enum net_mode mode, uint32_t max_kills)
{
    struct bench b = { .max_kills = max_kills };
    struct diag d = { 0 };
    rng_init(&b.rng, seed, "test bytes", (uint64_t)mode);
    for (uint32_t i = 0; i < NODES; i++) {
        char name[8], rack[8];
        (void)snprintf(name, sizeof name, "n%u", i);
        (void)snprintf(rack, sizeof rack, "r%u", i / 2);
        struct node_spec node = { .name = name, .rack = rack, .cpu_milli = 8000, .mem_b = 1, .n_gpu = 2, .gpu_type = "G" };
        cr_assert_eq(cluster_add(&b.cluster, &node, &d), ST_OK, "%s", d.msg);
    }
    cluster_seal(&b.cluster);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        char name[8];
        (void)snprintf(name, sizeof name, "b%u", i);
        (void)data_add(&b.data, name, (int64_t)rng_below(&b.rng, 300000000));
        if (i % 4 > 0) data_part(&b.data, i, i - i % 4);
    }
    data_place(&b.data, &b.cluster, seed % 2 == 0 ? DATA_FILE : DATA_RACK_AWARE, 1 + (uint32_t)rng_below(&b.rng, 3), seed);
    for (size_t i = 0; i < JOBS; i++) make_job(&b, i);
    struct world *w = world_create(&(struct world_config){
        .cluster = &b.cluster, .throughput = &b.perf, .data = &b.data, .audit = true, .horizon = TICK_NEVER, .checkpoint_interval = -1,
        .net = { .mode = mode, .disk_bps = 100000000, .card_bps = 125000000, .rack_bps = 125000000, .aggregation_bps = 50000000 } },
        (struct source){ &b, next_job }, (struct decider){ .ctx = &b, .decide = decide });
    struct metrics *m = metrics_create(w, &(struct metrics_opts){ .n_jobs = JOBS });
    world_observe(w, (struct observer){ .ctx = &b, .moved = on_moved });
    enum st st;
    while ((st = world_step(w, &d)) == ST_OK) { }
    cr_assert_eq(st, ST_END, "seed %llu: %s", (unsigned long long)seed, d.msg);
    cr_assert_eq(metrics_finish(m, w, &d), ST_OK);
    double all = b.moved[LEVEL_LOCAL] + b.moved[LEVEL_RACK] + b.moved[LEVEL_CROSS];
    cr_assert_eq(value(m, "jobs_done"), JOBS);
    cr_assert_eq(value(m, "bytes_read"), asked(&b), "seed %llu: %.0f read, %.0f asked for", (unsigned long long)seed, value(m, "bytes_read"), asked(&b));
    cr_assert_eq(value(m, "bytes_read") + value(m, "bytes_vain"), all);
    cr_assert_eq(value(m, "bytes_network"), all - b.moved[LEVEL_LOCAL]);
    cr_assert_eq(value(m, "preemptions"), b.kills);
    cr_assert(b.kills > 0 || value(m, "bytes_vain") == 0);
    cr_assert(value(m, "bytes_vain") >= b.part);
    metrics_destroy(m);
    world_destroy(w);
    data_fini(&b.data);
    cluster_fini(&b.cluster);
    return b.part;
}

static void check_seeds(enum net_mode mode)
{
    double cut_short = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        cr_assert_eq(check(seed, mode, 0), 0);
        cut_short += check(seed, mode, 25);
    }
    cr_assert_gt(cut_short, 0);         /* else the test tests little */
}

Test(bytes, what_done_tasks_needed_is_what_was_read_nominal) { check_seeds(NET_NOMINAL); }
Test(bytes, what_done_tasks_needed_is_what_was_read_overlap) { check_seeds(NET_OVERLAP); }
Test(bytes, what_done_tasks_needed_is_what_was_read_shared)  { check_seeds(NET_SHARED); }

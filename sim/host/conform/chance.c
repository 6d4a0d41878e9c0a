/* chance.c -- a cluster, jobs and faults drawn from a seed: the same case for the same seed. */
#include "host/conform/chance.h"

#include <stdio.h>
#include "base/rng.h"
#include "host/conform/build.h"

static int64_t draw(struct rng *r, const int64_t *of, size_t n) { return of[rng_below(r, n)]; }
#define DRAW(r, ...) draw((r), (const int64_t[]){ __VA_ARGS__ }, sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t))

static void random_job(struct conform_case *c, struct rng *r, sim_tick at)
{
    int32_t gpus = (int32_t)DRAW(r, 0, 1, 1, 1, 2);
    struct conform_job *j = build_job(c, at, DRAW(r, 0, 1, 10, 20, 20, 50, 80), DRAW(r, 0, 500, 1000, 2000), gpus,
                                gpus == 1 ? (int32_t)DRAW(r, 250, 500, 700, 1000, 1000) : 1000);
    j->limit = DRAW(r, -1, 0, 10, 40, j->group[0].dur, 2 * j->group[0].dur);
    if (rng_below(r, 3) == 0) {
        j->group[0].n = 1 + (uint32_t)rng_below(r, 3);
        j->gang = rng_below(r, 2) == 0;
    }
    if (rng_below(r, 15) == 0) j->group[0].shape.exclusive = 1;
}

void chance_case(struct conform_case *c, uint64_t seed)
{
    struct rng r;
    rng_init(&r, seed, "conformance case", 0);
    uint32_t n = 2 + (uint32_t)rng_below(&r, 4);
    for (uint32_t i = 0; i < n; i++) build_node(c, DRAW(&r, 4000, 8000), (uint32_t)DRAW(&r, 0, 1, 2, 4), rng_below(&r, 2) ? "A" : "B", NULL);
    sim_tick at = 0, gap = DRAW(&r, 0, 1, 3);
    for (int i = 0; i < 50; i++) random_job(c, &r, at += gap * DRAW(&r, 0, 0, 1, 5));
    for (sim_tick t = 0; t < 100; t += 10) build_fault(c, t, (uint32_t)rng_below(&r, n), false);
    for (uint32_t i = 0; i < n; i++) build_fault(c, 150, i, true);
    c->cfg.checkpoint_interval = DRAW(&r, -1, 0, 7, 20);
    c->cfg.restore_cost = DRAW(&r, 0, 3);
    c->cfg.enforce_limits = rng_below(&r, 3) == 0;
}

static void random_node(struct conform_case *c, struct rng *r)
{
    struct diag d = { 0 };
    char name[16];
    (void)snprintf(name, sizeof name, "n%u", c->cluster.n_nodes);
    struct node_spec s = { .name = name, .rack = rng_below(r, 2) ? "r0" : "r1", .cpu_milli = DRAW(r, 4000, 8000), .mem_b = 16 * BUILD_GIB,
                           .n_gpu = (uint32_t)DRAW(r, 0, 1, 2, 4), .gpu_mem_b = DRAW(r, 0, 16, 32) * BUILD_GIB, .gpu_cores = (int32_t)DRAW(r, 0, 20, 100),
                           .max_tasks = (uint32_t)DRAW(r, 0, 0, 1, 3), .cpu_reserved = DRAW(r, 0, 0, 500), .mem_reserved = DRAW(r, 0, BUILD_GIB),
                           .labels = rng_below(r, 8), .engine = { (int32_t)DRAW(r, 0, 1, 2), (int32_t)DRAW(r, 0, 1) } };
    s.gpu_type = s.n_gpu == 0 ? NULL : rng_below(r, 2) ? "A" : "B";
    enum st st = cluster_add(&c->cluster, &s, &d);
    SIM_ASSERT(st == ST_OK);
}

static void random_request(struct shape *s, struct rng *r, uint32_t n_licences)
{
    s->mem_b = DRAW(r, 0, 0, BUILD_GIB, 6 * BUILD_GIB);
    s->need_all = (uint64_t)DRAW(r, 0, 0, 0, 1, 2);
    s->need_any = (uint64_t)DRAW(r, 0, 0, 0, 3, 6);
    s->engine[0] = (int32_t)DRAW(r, 0, 0, 0, 1);
    s->engine[1] = (int32_t)DRAW(r, 0, 0, 0, 1);
    s->exclusive = rng_below(r, 20) == 0;
    for (uint32_t k = 0; k < n_licences; k++) s->licence[k] = (int32_t)DRAW(r, 0, 0, 1, 2);
    if (s->n_gpu == 0) return;
    s->gpu_types = (uint64_t)DRAW(r, 0, 0, 1, 2, 3);
    s->gpu_mem_b = DRAW(r, 0, 0, 5, 12, 20) * BUILD_GIB;
    s->gpu_cores = (int32_t)DRAW(r, 0, 0, 10, 30);
}

void chance_features(struct conform_case *c, uint64_t seed)
{
    static const char *const label[] = { "red", "green", "blue" };
    struct diag d = { 0 };
    struct rng r;
    rng_init(&r, seed, "conformance features", 0);
    for (size_t i = 0; i < ARRAY_LEN(label); i++) (void)cluster_label(&c->cluster, label[i], &d);
    (void)intern_id(&c->cluster.engines, "npu");
    (void)intern_id(&c->cluster.engines, "dsp");
    uint32_t n = 2 + (uint32_t)rng_below(&r, 5), n_blocks = rng_below(&r, 2) ? 6 : 0, n_licences = rng_below(&r, 4) == 0;
    for (uint32_t i = 0; i < n; i++) random_node(c, &r);
    for (uint32_t k = 0; k < n_licences; k++) c->cluster.licence_total[cluster_licence(&c->cluster, "solver", &d)] = 2 + (int64_t)rng_below(&r, 3);
    for (uint32_t b = 0; b < n_blocks; b++) {
        char name[16];
        (void)snprintf(name, sizeof name, "b%u", b);
        (void)data_add(&c->data, name, (int64_t)(b % 4) * 1000);
        data_replicas(&c->data, b, (const uint32_t[]){ (uint32_t)rng_below(&r, n) }, 1);
    }
    if (n_blocks > 0) c->cfg.net = (struct net_spec){ .disk_bps = BUILD_GIB, .card_bps = BUILD_GIB, .rack_bps = BUILD_GIB / 2, .aggregation_bps = BUILD_GIB / 8 };
    sim_tick at = 0, gap = DRAW(&r, 0, 1, 3);
    for (int i = 0; i < 50; i++) {
        random_job(c, &r, at += gap * DRAW(&r, 0, 0, 1, 5));
        struct conform_job *j = &c->job[c->n_jobs - 1];
        random_request(&j->group[0].shape, &r, n_licences);
        if (n_blocks == 0 || j->gang || rng_below(&r, 2)) continue;
        uint32_t in[CONFORM_TASKS];
        for (uint32_t k = 0; k < j->group[0].n; k++) in[k] = (uint32_t)rng_below(&r, n_blocks);
        build_graph(j, j->group[0].n, (const uint32_t[]){ 0, 1, 2 }, in);
    }
    if (rng_below(&r, 2)) build_fault(c, 40, (uint32_t)rng_below(&r, n), false);
    for (uint32_t i = 0; c->cfg.fault.n_list > 0 && i < n; i++) build_fault(c, 90, i, true);
}

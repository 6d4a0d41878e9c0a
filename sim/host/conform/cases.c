/*
 * cases.c -- the battery: cases made by hand, each for what policies get wrong, then those drawn by chance.
 *
 * A case is built anew for each run, since a run uses up its cluster and its data.
 */
#include "host/conform/cases.h"

#include <stdio.h>
#include "base/mem.h"
#include "host/conform/build.h"
#include "host/conform/chance.h"
#include "host/conform/elastic.h"

/* All is over by then; a wake asked for hours ahead must not draw out a run that samples. */
enum { LONG_AFTER = 20000, N_RANDOM = 10, N_FEATURES = 6 };

/* ---- made by hand ---- */

static void one_of_everything(struct conform_case *c)
{
    build_nodes(c, 1, 1);
    (void)build_job(c, 0, 10, 1000, 1, 1000);
}

static void all_at_once(struct conform_case *c)
{
    build_nodes(c, 3, 4);
    for (int i = 0; i < 60; i++) (void)build_job(c, 0, 10, 1000, 1, 1000);
}

static void of_no_length(struct conform_case *c)
{
    build_nodes(c, 2, 1);
    for (int i = 0; i < 60; i++) (void)build_job(c, i / 20, 0, 8000, i % 2, 1000);
}

static void boulder_in_sand(struct conform_case *c)
{
    build_nodes(c, 4, 2);
    for (int i = 0; i < 50; i++) {
        if (i == 10) build_gang(build_job(c, 10, 50, 8000, 2, 1000), 4);
        (void)build_job(c, i, 7, 500, 1, 250);
    }
}

static void odd_shares(struct conform_case *c)
{
    static const int milli[] = { 300, 700, 400, 999, 1, 501, 1000 };
    build_nodes(c, 2, 3);
    for (int i = 0; i < 70; i++) (void)build_job(c, i / 2, 5 + i % 9, 100, 1 + (i % 11 == 0), milli[i % 7]);
}

static void no_estimates(struct conform_case *c)
{
    build_nodes(c, 2, 2);
    for (int i = 0; i < 40; i++) {
        struct conform_job *j = build_job(c, i, 20 + i % 5, 2000, 1 + i % 2, 1000);
        j->limit = -1;
        if (i % 7 == 0) build_gang(j, 2);
    }
}

static void lying_estimates(struct conform_case *c)
{
    build_nodes(c, 2, 2);
    for (int i = 0; i < 40; i++) build_job(c, i, 30, 2000, 1 + i % 2, 1000)->limit = i % 3 ? 0 : 1000;
}

static void killed_at_limits(struct conform_case *c)
{
    lying_estimates(c);
    for (uint32_t i = 0; i < c->n_jobs; i += 4) c->job[i].group[0].n = 3;   /* some wait when the job ends */
    c->cfg.enforce_limits = true;
}

static void flapping_nodes(struct conform_case *c)
{
    build_nodes(c, 3, 2);
    for (int i = 0; i < 30; i++) {
        struct conform_job *j = build_job(c, 5 * (i / 3), 20, 4000, 1, 500);
        if (i % 4 == 0) build_gang(j, 3);
    }
    for (int i = 0; i < 24; i++) build_fault(c, 5 * i, (uint32_t)i % 3, i / 3 % 2 == 1);
    c->cfg.checkpoint_interval = 7;
    c->cfg.restore_cost = 2;
}

static void all_down_and_back(struct conform_case *c)
{
    build_nodes(c, 3, 2);
    for (int i = 0; i < 40; i++) {
        struct conform_job *j = build_job(c, i, 15, 1000, 1, 1000);
        if (i % 8 == 0) build_gang(j, 4);
    }
    for (uint32_t n = 0; n < 3; n++) build_fault(c, 20, n, false);
    for (uint32_t n = 0; n < 3; n++) build_fault(c, 30, n, true);
    for (uint32_t n = 0; n < 3; n++) build_fault(c, 45, n, false);
    for (uint32_t n = 0; n < 3; n++) build_fault(c, 90, n, true);
}

static void nodes_that_never_return(struct conform_case *c)
{
    build_nodes(c, 2, 1);
    for (int i = 0; i < 10; i++) build_gang(build_job(c, i, 20, 1000, 1, 1000), 2);
    build_fault(c, 50, 1, false);
    c->must_end = false;
}

/* What needs all of the cluster comes while a node is away. */
static void not_feasible_for_now(struct conform_case *c)
{
    build_nodes(c, 3, 2);
    build_fault(c, 1, 2, false);
    build_gang(build_job(c, 5, 10, 8000, 2, 1000), 3);
    for (int i = 0; i < 20; i++) (void)build_job(c, 6 + i, 8, 4000, 1, 1000);
    build_fault(c, 60, 2, true);
}

static void whole_nodes(struct conform_case *c)
{
    build_nodes(c, 3, 2);
    for (int i = 0; i < 40; i++) build_job(c, i, 9, 100, i % 2, 500)->group[0].shape.exclusive = i % 3 == 0;
}

static void none_feasible(struct conform_case *c)
{
    build_nodes(c, 2, 1);
    for (int i = 0; i < 20; i++) (void)build_job(c, i, 9, i % 2 ? 8001 : 100, i % 2 ? 0 : 2, 1000);
}

static void cut_short(struct conform_case *c)
{
    boulder_in_sand(c);
    c->cfg.horizon = 33;
    c->cfg.checkpoint_interval = 0;
    c->cfg.restore_cost = 1;
    c->must_end = false;
}

/* Ends, arrivals and repairs fall on the same instants, and long work is in the way of short. */
static void checkpoints(struct conform_case *c)
{
    build_nodes(c, 2, 2);
    for (int i = 0; i < 40; i++) {
        struct conform_job *j = build_job(c, 10 * (i / 2), i % 5 == 0 ? 300 : 10, 2000, 1 + i % 2, 1000);
        if (i % 10 == 5) build_gang(j, 2);
    }
    c->cfg.checkpoint_interval = 25;
    c->cfg.restore_cost = 5;
}

static void many_users(struct conform_case *c)
{
    build_nodes(c, 4, 4);
    for (uint32_t i = 0; i < 120; i++) {
        struct conform_job *j = build_job(c, i / 10, 5 + i % 13, 1000, (int32_t)(i % 3), 1000);
        (void)snprintf(j->user, sizeof j->user, "u%u", i % 61);
        (void)snprintf(j->queue, sizeof j->queue, "q%u", i % 5);
        j->priority = (int32_t)(i % 7) - 3;
    }
}

static void without_gpus(struct conform_case *c)
{
    build_nodes(c, 3, 0);
    for (int i = 0; i < 40; i++) (void)build_job(c, i / 4, 6 + i % 5, 1000 + 500 * (i % 6), 0, 0);
}

/* Types, labels and engines: most nodes will not do for most jobs. */
static void particular_jobs(struct conform_case *c)
{
    static const char *const label[] = { "red", "green", "blue", "big" };
    struct diag d = { 0 };
    for (size_t i = 0; i < ARRAY_LEN(label); i++) (void)cluster_label(&c->cluster, label[i], &d);
    (void)intern_id(&c->cluster.engines, "npu");
    for (uint32_t i = 0; i < 6; i++)
        build_node_of(c, (struct node_spec){ .cpu_milli = 8000, .n_gpu = i % 3 + 1, .gpu_type = i % 2 ? "B" : "A", .rack = i < 3 ? "r0" : "r1",
                                       .labels = UINT64_C(1) << i % 3 | (i > 3 ? 8 : 0), .engine = { (int32_t)(i % 2) } });
    cluster_set_gpu_type(&c->cluster, 1, 0.5, &(struct gpu_figures){ 0 });
    for (uint32_t i = 0; i < 60; i++) {
        struct shape *s = &build_job(c, i, 12, 500, (int32_t)(i % 2), 1000)->group[0].shape;
        if (i % 4 == 1) s->gpu_types = 1 + i % 8 / 4;
        if (i % 5 == 0) s->need_all = 2;
        if (i % 5 == 1) s->need_any = 8 | 4;
        if (i % 6 == 0) s->engine[0] = 1;
        if (s->n_gpu > 0) s->gpu_mem_b = (int64_t)(i % 4) * 5 * BUILD_GIB;
    }
}

static void staged_jobs(struct conform_case *c)
{
    static const uint32_t none[] = { NONE, NONE, NONE, NONE, NONE, NONE };
    build_nodes(c, 2, 2);
    for (uint32_t i = 0; i < 30; i++) {
        struct conform_job *j = build_job(c, 3 * i, i % 4 == 0 ? 0 : 8, 1000, (int32_t)(i % 2), 1000);
        j->group[0].n = 3;
        j->group[j->n_groups++] = (struct task_group){ .n = 3, .dur = 4, .shape = { .cpu_milli = 2000 } };
        build_graph(j, 6, (const uint32_t[]){ 0, 0, 1, 2, 2, 4 }, none);
    }
}

/*
 * Workflows whose stages ask for licences, beside ordinary jobs that ask for
 * them too; there are fewer than would keep the nodes busy.
 */
static void licensed_workflows(struct conform_case *c)
{
    static const uint32_t none[] = { NONE, NONE, NONE, NONE, NONE, NONE };
    struct diag d = { 0 };
    build_nodes(c, 3, 2);
    cluster_set_licence(&c->cluster, cluster_licence(&c->cluster, "solver", &d), 4);
    cluster_set_licence(&c->cluster, cluster_licence(&c->cluster, "viewer", &d), 1);
    for (uint32_t i = 0; i < 60; i++) {
        struct conform_job *j = build_job(c, 3 * (i / 2), i % 9 == 4 ? 0 : 8 + i % 5, 1000, (int32_t)(i % 2), 1000);
        struct shape *s = &j->group[0].shape;
        s->licence[0] = (int32_t)(i % 3);
        s->licence[1] = i % 7 == 3;
        if (i % 4 == 1) build_gang(j, 2 - (uint32_t)s->licence[1]);
        if (i % 4 != 2) continue;
        j->priority = (int32_t)(i % 3);
        j->group[0].n = 3;
        j->group[j->n_groups++] = (struct task_group){ .n = 3, .dur = 6, .shape = { .cpu_milli = 2000, .licence = { 2 - (int32_t)(i % 3) } } };
        build_graph(j, 6, (const uint32_t[]){ 0, 0, 1, 2, 2, 4 }, none);
    }
    build_fault(c, 40, 1, false);
    build_fault(c, 55, 1, true);
}

/* Blocks on three racks; hours rather than microseconds, as policies that wait for data count in seconds. */
static void data_inputs(struct conform_case *c)
{
    for (uint32_t i = 0; i < 6; i++) build_node(c, 8000, 2, "A", i < 2 ? "r0" : i < 4 ? "r1" : "r2");
    for (uint32_t b = 0; b < 12; b++) {
        char name[16];
        (void)snprintf(name, sizeof name, "b%u", b);
        (void)data_add(&c->data, name, (int64_t)(b % 4) * BUILD_GIB);
        data_replicas(&c->data, b, (const uint32_t[]){ b % 6, (b + 1 + b / 6) % 6 }, 2);
    }
    for (uint32_t i = 0; i < 40; i++) {
        struct conform_job *j = build_job(c, 5 * TICK_SEC * (i / 4), 20 * TICK_SEC, 1000, (int32_t)(i % 5 != 0), 1000);
        j->group[0].n = 2;
        build_graph(j, 2, (const uint32_t[]){ 0, 1 }, (const uint32_t[]){ i % 12, (i * 5 + 1) % 12 });
        j->write_b[1] = i % 3 == 0 ? BUILD_GIB / 4 : 0;
    }
    build_fault(c, 33 * TICK_SEC, 1, false);
    build_fault(c, 70 * TICK_SEC, 1, true);
    c->cfg.net = (struct net_spec){ .disk_bps = BUILD_GIB, .card_bps = BUILD_GIB, .rack_bps = BUILD_GIB / 2, .aggregation_bps = BUILD_GIB / 8 };
    c->cfg.horizon = 24 * 3600 * TICK_SEC;
    c->is_slow = true;
}

/*
 * Tasks of calls among others: mixed nodes, some of one kind of engine, two
 * tiers; a node is lost with its queue and its calls, some tasks wait for
 * others, and some jobs are ordinary.
 */
static void api_calls(struct conform_case *c)
{
    static const struct { uint32_t api, kind; int64_t size; sim_tick us; } time[] = {
        { 0, 0, 1, 20 }, { 0, 0, 1000, 90 }, { 0, 1, 1, 40 }, { 0, 1, 1000, 45 }, { 1, 2, 1, 10 }, { 1, 0, 1, 50 }, { 2, 1, 8, 0 }, { 2, 2, 8, 30 },
    };
    for (uint32_t i = 0; i < 6; i++)
        build_node_of(c, (struct node_spec){ .cpu_milli = 8000, .n_gpu = i == 5, .gpu_type = "A",
                                       .engine = { i == 3 ? 0 : 2, (int32_t)(i % 2), i == 2 || i == 3 },
                                       .latency_us = i < 3 ? 1 : 4, .link_bps = i < 3 ? 0 : 100000000 });
    (void)intern_id(&c->cluster.engines, "cpu");
    (void)intern_id(&c->cluster.engines, "gpu");
    (void)intern_id(&c->cluster.engines, "npu");
    for (uint32_t a = 0; a < 3; a++) (void)intern_id(&c->calltime.apis, (const char *const[]){ "a", "b", "c" }[a]);
    for (size_t i = 0; i < ARRAY_LEN(time); i++) (void)calltime_add(&c->calltime, time[i].api, time[i].kind, time[i].size, time[i].us);
    for (uint32_t i = 0; i < ARRAY_LEN(c->call); i++)
        c->call[i] = (struct call){ .api = i % 3, .size = i % 3 == 2 ? 8 : 1 + 111 * i, .result = 50 * i };
    for (uint32_t i = 0; i < 50; i++) {
        struct conform_job *j = build_job(c, 4 * (i / 2), 0, i % 4 == 0 ? 4000 : 0, 0, 0);
        j->limit = -1;
        if (i % 5 == 4) { j->group[0].dur = 15; continue; }
        j->group[0].n = 1 + i % 3;
        j->first_call = i % 5;
        j->n_calls = 1 + i % 4;
        if (i % 3 == 2) build_graph(j, 3, (const uint32_t[]){ 0, 0, 1 }, (const uint32_t[]){ NONE, NONE, NONE });
    }
    build_fault(c, 30, 3, false);
    build_fault(c, 60, 3, true);
    build_fault(c, 70, 1, false);
    build_fault(c, 90, 1, true);
    c->cfg.calltime = &c->calltime;
    c->cfg.horizon = 10000000;
}

/* Nodes that run few tasks at once, whatever is free there. */
static void crowded_nodes(struct conform_case *c)
{
    for (uint32_t i = 0; i < 4; i++) {
        build_node(c, 8000, i % 2 ? 4 : 0, "A", NULL);
        c->cluster.node[i].max_tasks = 1 + i;
    }
    for (int i = 0; i < 60; i++) {
        struct conform_job *j = build_job(c, i / 3, 6 + i % 7, 500, i % 3 == 1, 250);
        if (i % 9 == 0) build_gang(j, 3);
    }
}

/* Cards of which the memory or the cores run out before their share does; some say nothing of either. */
static void cards_of_parts(struct conform_case *c)
{
    static const struct { int64_t mem; int32_t cores; } of[] = { { 16 * BUILD_GIB, 100 }, { 32 * BUILD_GIB, 20 }, { 0, 100 }, { 16 * BUILD_GIB, 0 } };
    build_nodes(c, 4, 2);
    for (uint32_t i = 0; i < c->cluster.n_cards; i++) {
        struct pol_card *k = &c->cluster.card[i];
        k->mem_total = k->mem_free = of[i / 2].mem;
        k->core_total = k->core_free = of[i / 2].cores;
    }
    for (int i = 0; i < 60; i++) {
        struct shape *s = &build_job(c, i / 2, 5 + i % 8, 500, 1 + (i % 10 == 3), i % 4 ? 300 : 1000)->group[0].shape;
        s->gpu_mem_b = i % 3 * 10 * BUILD_GIB;
        s->gpu_cores = i % 5 * 15;
    }
}

/* Gangs that run on 1 to 6 GPUs, some on 1, 2 and 4 alone, among rigid ones; sizes change for a price, and nodes fail. */
static void elastic_jobs(struct conform_case *c)
{
    static const char *const one[] = { "1:1;2:1.9;4:3.4", "1:1;2:1.5;4:1.9" }, *const several[] = { "2:1.7;4:3;6:4.1", "2:1.1;4:1.3" };
    build_nodes(c, 3, 4);
    for (uint32_t i = 0; i < 2; i++) {
        struct scaling_row row = { .name = intern_id(&c->profiles.scaling.names, i == 0 ? "any" : "listed"), .gpu_type = NONE,
                                   .restart = i == 0 ? 2 : -1, .only_listed = i == 1 };
        SIM_ASSERT(curve_parse(&row.one, one[i]) == NULL && curve_parse(&row.several, several[i]) == NULL);
        SIM_ASSERT(scaling_add(&c->profiles.scaling, &row));
    }
    for (uint32_t i = 0; i < 40; i++) {
        struct conform_job *j = build_job(c, 6 * (i / 2), 20 + i % 7, 500, 1, 1000);
        if (i % 3 == 2) continue;
        build_gang(j, 1 + i % 2);
        j->elastic = (struct elastic){ .min = 1, .max = i % 3 == 0 ? 6 : 4, .scaling = i % 3 };
    }
    build_fault(c, 25, 1, false);
    build_fault(c, 60, 1, true);
    c->cfg.profiles = &c->profiles;
    c->cfg.checkpoint_interval = 5;
    c->cfg.restore_cost = 1;
}

static const struct { const char *name, *about; void (*make)(struct conform_case *); } made[] = {
    { "one of everything", "one job on one GPU", one_of_everything },
    { "all at once", "60 jobs at t=0 on 12 GPUs", all_at_once },
    { "of no length", "jobs that end in the instant in which they start", of_no_length },
    { "boulder in sand", "a gang that needs every GPU, in a stream of small jobs", boulder_in_sand },
    { "odd shares", "shares of GPUs that never fill one", odd_shares },
    { "no estimates", "no job says how long it will run", no_estimates },
    { "lying estimates", "limits of 0 and of far too much, which only advise", lying_estimates },
    { "killed at limits", "the same limits end jobs, some with tasks still waiting", killed_at_limits },
    { "flapping nodes", "nodes fail and return at the instants of ends and arrivals", flapping_nodes },
    { "all down and back", "every node fails at one instant and all return at another", all_down_and_back },
    { "nodes that never return", "gangs that no longer fit once a node is lost", nodes_that_never_return },
    { "not feasible for now", "a gang for the whole cluster arrives while a node is down", not_feasible_for_now },
    { "whole nodes", "exclusive jobs among shares", whole_nodes },
    { "none feasible", "every job is rejected at its arrival", none_feasible },
    { "cut short", "the run ends in the middle", cut_short },
    { "checkpoints", "restarts cost something and lose something", checkpoints },
    { "many users", "61 users, 5 queues, priorities", many_users },
    { "without GPUs", "nodes and jobs of CPU alone", without_gpus },
    { "particular jobs", "GPU types, labels, engines and GPU memory", particular_jobs },
    { "staged jobs", "tasks that wait for other tasks of their job", staged_jobs },
    { "licensed workflows", "stages and jobs that share few licences; for policies that know licences", licensed_workflows },
    { "data inputs", "tasks that read blocks from nodes near and far, and one node is lost", data_inputs },
    { "crowded nodes", "at most so many tasks on a node, whatever is free there", crowded_nodes },
    { "cards of parts", "memory and cores of cards that run out before their shares", cards_of_parts },
    { "elastic jobs", "gangs that may run on other numbers of GPUs than they ask, among rigid ones", elastic_jobs },
    { "API calls", "tasks made of calls, on mixed engines near and far, and nodes are lost; for policies that run them", api_calls },
};

/* ---- handing out ---- */

uint32_t conform_elastic_case(void) { return ARRAY_LEN(made) + N_RANDOM + N_FEATURES; }
uint32_t conform_n_cases(void) { return conform_elastic_case() + 1; }

struct conform_case *conform_case_make(uint32_t i)
{
    static const char *const chance[N_RANDOM] = { "chance 1", "chance 2", "chance 3", "chance 4", "chance 5",
                                                  "chance 6", "chance 7", "chance 8", "chance 9", "chance 10" };
    struct conform_case *c;
    MEM_NEW(c);
    c->must_end = true;
    c->cfg = (struct world_config){ .checkpoint_interval = -1, .horizon = LONG_AFTER, .reject_infeasible = true, .audit = true };
    if (i < ARRAY_LEN(made)) {
        c->name = made[i].name;
        c->about = made[i].about;
        made[i].make(c);
    } else if (i == conform_elastic_case()) {
        c->name = "elastic alone";
        c->about = "elastic jobs with profiles and models of goodput, on two types of GPU";
        elastic_case(c);
    } else if (i >= ARRAY_LEN(made) + N_RANDOM) {
        c->name = "any features";
        c->about = "drawn by chance: every property of nodes, cards and requests";
        chance_features(c, i);
    } else {
        c->name = chance[i - ARRAY_LEN(made)];
        c->about = "drawn by chance: gangs, shares, exclusive jobs, lost nodes";
        chance_case(c, i);
    }
    cluster_seal(&c->cluster);
    c->cfg.cluster = &c->cluster;
    c->cfg.throughput = &c->perf;
    c->cfg.fault.list = c->fault;
    if (c->data.names.n > 0) c->cfg.data = &c->data;
    return c;
}

void conform_case_free(struct conform_case *c)
{
    cluster_fini(&c->cluster);
    throughput_fini(&c->perf);
    profiles_fini(&c->profiles);
    data_fini(&c->data);
    calltime_fini(&c->calltime);
    mem_free(c);
}

static enum st next(void *ctx, struct job_spec *out, struct diag *d)
{
    struct conform_case *c = ctx;
    (void)d;
    if (c->next == c->n_jobs) return ST_END;
    struct conform_job *j = &c->job[c->next++];
    if (j->has_graph)
        j->graph = (struct task_graph){ .in_start = j->in_start, .in = j->in, .after_start = j->after_start, .after = j->after, .out = j->write_b };
    uint32_t n_tasks = 0;
    sim_tick dur = 0;
    for (uint32_t k = 0; k < j->n_groups; k++) n_tasks += j->group[k].n;
    for (uint32_t k = 0; k < j->n_calls; k++)
        dur += calltime_best(&c->calltime, c->call[j->first_call + k].api, c->call[j->first_call + k].size, cluster_engine_types(&c->cluster));
    for (uint32_t k = 0; j->n_calls > 0 && k < n_tasks; k++) { j->call_first[k] = j->first_call; j->call_n[k] = j->n_calls; }
    if (j->n_calls > 0) j->group[0].dur = dur;
    j->calls = (struct task_calls){ .first = j->call_first, .n = j->call_n, .call = c->call, .n_calls = ARRAY_LEN(c->call) };
    *out = (struct job_spec){ .id = j->id, .calls = j->n_calls > 0 ? &j->calls : NULL, .user = j->user, .queue = j->queue[0] ? j->queue : NULL, .submit = j->submit,
                              .limit = j->limit, .priority = j->priority, .gang = j->gang, .line = c->next + 1,
                              .model = j->model, .group = j->group, .n_groups = j->n_groups, .elastic = j->elastic,
                              .graph = j->has_graph ? &j->graph : NULL };
    return ST_OK;
}

struct source conform_source(struct conform_case *c)
{
    c->next = 0;
    return (struct source){ .ctx = c, .next = next };
}

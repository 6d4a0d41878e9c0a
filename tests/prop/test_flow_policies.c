/*
 * fs, fsp, fsu and quincy on random clusters, jobs and data: every round's
 * decisions are an optimum of the paper's explicit network, GPU by GPU and task
 * by task (tests/ref/flowgraph.h), over the life of a cluster in which tasks
 * end, jobs come and nodes go.  The policy keeps its network from round to
 * round, so each comparison also tests what it was told before.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/rng.h"
#include "lib/data/flowpol.h"
#include "ref/flowgraph.h"
#include "builtin.h"
#undef NONE                             /* of base; the solver's, which is the same, follows */
#include "lib/flow/state.h"

#define MB INT64_C(1000000)
#define S  INT64_C(1000000)

enum { SEEDS = 120, STEPS = 30 };

static struct fakehost *random_cluster(struct rng *g, bool alike)
{
    struct fakehost *h = fakehost_create();
    fakehost_random(h, g, alike);
    return h;
}

static void random_job(struct fakehost *h, struct rng *g)
{
    uint32_t n = 1 + (uint32_t)rng_below(g, 8), n_nodes = h->view.n_nodes;
    uint32_t job = fakehost_job(h, 0, (uint32_t)rng_below(g, 3), n, false, -1, -1);
    bool same = rng_below(g, 2) == 0, plain = rng_below(g, 5) == 0;
    for (uint32_t t = h->job[job].first_task.slot; !plain && t < h->n_tasks; t++)
        for (uint32_t k = (uint32_t)rng_below(g, 4); k-- > 0;) {
            uint32_t replica[FAKE_REPLICAS], m = 0;
            for (uint32_t i = 0; i < n_nodes && m < FAKE_REPLICAS; i++)
                if (rng_below(g, 4) == 0) replica[m++] = i;
            if (m > 0) fakehost_input(h, t, same ? 400 * MB : (10 * MB) << rng_below(g, 7), replica, m);
        }
}

/* ---- one round ---- */

static struct flowgraph graph;
static bool kills;                      /* the graph has the GPUs of those that were stopped */
static bool measures;                   /* speeds change now and then */
static uint64_t n_rounds, n_starts, n_stops, seed_now;

/* S4-10: a stop leaves the job's longest-run task alone (first started; ties: the lower index). */
static void spares_the_longest_run(const struct fakehost *h)
{
    for (size_t i = h->n_applied; i < h->n_log; i++) {
        if (h->log[i].is_start) continue;
        const struct pol_task_info *stopped = &h->task[h->log[i].task].info;
        uint32_t first = h->job[stopped->job.slot].first_task.slot, n = h->job[stopped->job.slot].n_tasks;
        bool is_longest = true;
        for (uint32_t t = first; t < first + n; t++) {
            const struct pol_task_info *x = &h->task[t].info;
            is_longest &= !x->is_running || x->started_us > stopped->started_us || (x->started_us == stopped->started_us && t >= h->log[i].task);
        }
        cr_assert_not(is_longest, "seed %lu: task %u ran longest of its job", (unsigned long)seed_now, h->log[i].task);
    }
}

static void round_of(struct fakehost *h, bool is_decided)
{
    if (!is_decided) {
        flowgraph_make(&graph, h, NULL, 0);
        return;
    }
    uint32_t more[FAKE_CARDS], n_more = 0, starts = 0;
    for (size_t i = h->n_applied; i < h->n_log; i++) {
        const struct fake_entry *e = &h->log[i];
        starts += e->is_start;
        n_stops += !e->is_start;
        for (uint32_t k = 0; kills && !e->is_start && k < h->node[h->task[e->task].info.node].n_gpu; k++)
            if (h->task[e->task].info.cards >> k & 1) more[n_more++] = h->task[e->task].info.node << 8 | k;
    }
    if (kills) {
        flowgraph_make(&graph, h, more, n_more);
        spares_the_longest_run(h);
    }
    struct flowgraph_answer best = flowgraph_solve(&graph, h);
    flowgraph_decided(&graph, h, h->n_applied, h->n_log);
    struct flowgraph_answer got = flowgraph_solve(&graph, h);
    cr_assert(got.flow == best.flow && got.cost == best.cost,
              "%s, seed %lu, %ld us: flow %ld at cost %ld, the network has %ld at %ld", h->ops->name, (unsigned long)seed_now, (long)h->view.now_us,
              (long)got.flow, (long)got.cost, (long)best.flow, (long)best.cost);
    n_rounds++;
    n_starts += starts;
}

static void note_waits(struct fakehost *h, int64_t us)
{
    for (uint32_t t = 0; t < h->n_tasks; t++)
        if (h->task[t].info.is_waiting) graph.waited[t] += us;
}

static void agrees(const struct pol_ops *ops, const char *params, struct flowgraph_rule rule, bool stops, bool alike)
{
    n_rounds = n_starts = n_stops = 0;
    kills = stops;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct rng g;
        rng_init(&g, 11, "flow policies", seed);
        struct fakehost *h = random_cluster(&g, alike);
        memset(graph.waited, 0, sizeof graph.waited);
        graph.rule = rule;
        seed_now = seed;
        fakehost_open(h, ops, params);
        h->round = round_of;
        int64_t now = 0;
        for (int step = 0; step < STEPS; step++) {
            int64_t us = (int64_t)rng_below(&g, 3) * S + (int64_t)rng_below(&g, 1000) + 1;
            note_waits(h, us);
            now += us;
            h->view.now_us = now;
            for (uint32_t t = 0; t < h->n_tasks; t++)
                if (h->task[t].info.is_running && rng_below(&g, 4) == 0) fakehost_end(h, t);
            if (h->n_tasks < 120 && rng_below(&g, 3) > 0) random_job(h, &g);
            if (measures && rng_below(&g, 3) == 0) fakehost_speeds(h, &g);
            uint32_t node = (uint32_t)rng_below(&g, h->view.n_nodes);
            if (rng_below(&g, 5) == 0 && h->node[node].n_tasks == 0) fakehost_up(h, node, !h->node[node].is_up);
            fakehost_decide(h, now);
        }
        fakehost_destroy(h);
    }
    flowgraph_fini(&graph);
    fprintf(stderr, "%s:%s: %lu rounds, %lu starts, %lu stops\n", ops->name, params, (unsigned long)n_rounds, (unsigned long)n_starts, (unsigned long)n_stops);
    cr_assert_gt(n_starts, 10 * SEEDS);
}

Test(fs, hard_is_the_papers_optimum)
{
    agrees(&pol_fs, "alpha1=1.5,alpha2=2,alpha3=3", (struct flowgraph_rule){ FLOWGRAPH_BASIC, false, 1500, 2000, 3 * S }, false, false);
}

Test(fs, soft_is_the_papers_optimum)
{
    agrees(&pol_fs, "mode=soft,alpha1=2.5,alpha2=7.125,alpha3=2", (struct flowgraph_rule){ FLOWGRAPH_ONE, false, 2500, 7125, 2 * S }, false, false);
}

Test(fsu, is_the_papers_optimum)
{
    agrees(&pol_fsu, "alpha1=1.5,alpha2=2", (struct flowgraph_rule){ FLOWGRAPH_ALL, false, 1500, 2000, 0 }, false, false);
}

/* With the GPUs of the tasks that it stops among the free ones. */
Test(fsp, with_stops_is_the_papers_optimum)
{
    agrees(&pol_fsp, "alpha1=1.5,alpha2=2,alpha3=20", (struct flowgraph_rule){ FLOWGRAPH_FINAL, false, 1500, 2000, 20 * S }, true, true);
    cr_assert_gt(n_stops, SEEDS);
}

Test(fsp, replacing_is_the_optimum_over_all_tasks)
{
    agrees(&pol_fsp, "replace=true,alpha1=1.5,alpha2=2,alpha3=3", (struct flowgraph_rule){ FLOWGRAPH_FINAL, true, 1500, 2000, 3 * S }, false, false);
    cr_assert_gt(n_stops, SEEDS);
}

Test(fsp, replacing_softly_is_the_optimum_over_all_tasks)
{
    agrees(&pol_fsp, "replace=true,mode=soft,alpha1=1.5,alpha2=2,alpha3=3", (struct flowgraph_rule){ FLOWGRAPH_ONE, true, 1500, 2000, 3 * S }, false, false);
    cr_assert_gt(n_stops, SEEDS);
}

/* What waits, and with replace what runs, costs what it does at the speeds of the moment. */
Test(fs, with_measured_speeds_is_the_papers_optimum)
{
    measures = true;
    agrees(&pol_fs, "alpha1=1.5,alpha2=2,alpha3=3", (struct flowgraph_rule){ FLOWGRAPH_BASIC, false, 1500, 2000, 3 * S }, false, false);
    agrees(&pol_fsu, "alpha1=1.5,alpha2=2", (struct flowgraph_rule){ FLOWGRAPH_ALL, false, 1500, 2000, 0 }, false, false);
}

Test(fsp, with_measured_speeds_is_the_papers_optimum)
{
    measures = true;
    agrees(&pol_fsp, "alpha1=1.5,alpha2=2,alpha3=20", (struct flowgraph_rule){ FLOWGRAPH_FINAL, false, 1500, 2000, 20 * S }, true, true);
    agrees(&pol_fsp, "replace=true,alpha1=1.5,alpha2=2,alpha3=3", (struct flowgraph_rule){ FLOWGRAPH_FINAL, true, 1500, 2000, 3 * S }, false, false);
    cr_assert_gt(n_stops, SEEDS);
}

Test(quincy, is_the_optimum_of_its_network)
{
    agrees(&pol_quincy, "", (struct flowgraph_rule){ FLOWGRAPH_QUINCY, true, 1000, 2000, 500 }, false, false);
    cr_assert_gt(n_stops, 0);
}

Test(quincy, without_preemption_is_the_optimum_of_its_network)
{
    agrees(&pol_quincy, "replace=false,wait=0.3", (struct flowgraph_rule){ FLOWGRAPH_QUINCY, false, 1000, 2000, 300 }, false, false);
}

/* ---- S4-14: the size of the network ---- */

struct own_size { uint32_t vertices, arcs; int64_t cost; };     /* cost: of all arcs from a task to a GPU */

/* The task's cost on a site: its entry for the node, else for the rack, else for all; false: it has none. */
static bool own_cost(const struct assign *s, uint32_t task, uint32_t site, int64_t *cost)
{
    const struct task *t = &s->task[task];
    uint32_t agg[3];
    index_aggs(s, site, t->group, agg);
    if ((s->index.group[t->group] >> s->site[site].class & 1) == 0) return false;
    for (int level = 0; level < 3; level++)
        for (uint32_t k = 0; k < t->n_entry; k++)
            if (entries(s, t)[k].agg == agg[level]) { *cost = entries(s, t)[k].cost; return true; }
    return false;
}

/* What fs told its solver of the jobs that came, arc by arc: the network that the solver keeps, unfolded. */
static struct own_size own_network(struct fakehost *h)
{
    struct flowpol *f = h->self;        /* the first member of fs */
    offer_open(&f->offer, &h->view, h->event, h->n_events);
    flownet_open(&f->net);
    flownet_places(&f->net, true);
    const struct assign *s = f->net.assign;
    struct own_size own = { .vertices = 2 };
    for (uint32_t c = 0; c < s->n_sites; c++) own.vertices += s->site[c].cap, own.arcs += s->site[c].cap;
    for (uint32_t j = 0; j < s->n_jobs; j++)
        if (s->job[j].n > 0) own.vertices += 2, own.arcs += 3;
    for (uint32_t t = 0; t < s->n_tasks; t++) {
        if (!s->task[t].is_here) continue;
        own.vertices++, own.arcs++;
        for (uint32_t c = 0; c < s->n_sites; c++) {
            int64_t cost;
            if (!own_cost(s, t, c, &cost)) continue;
            own.arcs += s->site[c].cap;
            own.cost += s->site[c].cap * cost;
        }
    }
    return own;
}

/* Figure 1: two nodes of a GPU, jobs of two tasks and one.  Figure 4: nodes of 2, 1, 1 and 2, jobs of 4, 3 and 2. */
Test(flow, s4_14_the_network_of_fs_has_the_papers_size)
{
    static const struct { uint32_t n_nodes, n_jobs, gpus[4], tasks[3], vertices, arcs; } figure[] = {
        { 2, 2, { 1, 1 }, { 2, 1 }, 11, 17 }, { 4, 3, { 2, 1, 1, 2 }, { 4, 3, 2 }, 23, 78 },
    };
    for (size_t k = 0; k < 2; k++)
        for (int has_data = 0; has_data < 2; has_data++) {
            struct fakehost *h = fakehost_create();
            h->disk_bps = h->rack_bps = h->aggregation_bps = 100 * MB;
            h->view.n_racks = 2;
            for (uint32_t i = 0; i < figure[k].n_nodes; i++) {
                (void)fakehost_node(h, 16000, 1000 * MB, figure[k].gpus[i], 1000 * MB);
                h->node[i].rack = 2 * i / figure[k].n_nodes;
            }
            uint32_t shape = fakehost_shape(h, (struct pol_shape){ .n_gpu = 1, .gpu_milli = 1000 });
            fakehost_open(h, &pol_fs, "");
            for (uint32_t j = 0; j < figure[k].n_jobs; j++) {
                uint32_t job = fakehost_job(h, 0, shape, figure[k].tasks[j], false, -1, -1), t = h->job[job].first_task.slot;
                for (uint32_t i = 0; has_data && i < figure[k].tasks[j]; i++) fakehost_input(h, t + i, 400 * MB, (uint32_t[]){ (i + j) % 2 }, 1);
            }
            struct own_size own = own_network(h);
            cr_assert_eq(own.vertices, figure[k].vertices);
            cr_assert_eq(own.arcs, figure[k].arcs);
            fakehost_destroy(h);
        }
}

/* Where cards are too small for some tasks, arcs are missing; each arc has the paper's cost. */
Test(flow, s4_14_it_has_the_arcs_of_the_explicit_network)
{
    uint32_t n_missing = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct rng g;
        rng_init(&g, 13, "size", seed);
        struct fakehost *h = random_cluster(&g, false);
        fakehost_open(h, &pol_fs, "alpha1=1.5,alpha2=2,alpha3=3");
        for (int i = 0; i < 5; i++) random_job(h, &g);
        graph.rule = (struct flowgraph_rule){ FLOWGRAPH_BASIC, false, 1500, 2000, 3 * S };
        flowgraph_make(&graph, h, NULL, 0);
        flowgraph_arcs(&graph, h);
        struct own_size own = own_network(h);
        int64_t cost = 0;
        uint32_t task0 = 1 + 2 * graph.n_jobs + graph.n_gpus;           /* vertices: S, jobs, unscheduled, GPUs, tasks, E */
        for (uint32_t i = 0; i < graph.m; i++) cost += graph.arc[i].from >= task0 ? graph.arc[i].cost : 0;
        cr_assert(own.vertices == graph.n && own.arcs == graph.m, "seed %lu: %u and %u, not %u and %u", (unsigned long)seed, own.vertices, own.arcs, graph.n, graph.m);
        cr_assert_eq(own.cost, cost, "seed %lu", (unsigned long)seed);
        uint32_t most = 3 * graph.n_jobs + graph.n_gpus + (graph.n_gpus + 1) * graph.n_tasks;
        cr_assert_leq(own.arcs, most);
        n_missing += own.arcs < most;
        flowgraph_fini(&graph);
        fakehost_destroy(h);
    }
    cr_assert_gt(n_missing, SEEDS / 4);
}

/* ---- S4-20: local networks, merged ---- */

static int by_arc(const void *a, const void *b)
{
    const struct mcf_arc *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

Test(flow, s4_20_the_jobs_networks_merged_are_the_global_one)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct rng g;
        rng_init(&g, 12, "merge", seed);
        struct fakehost *h = random_cluster(&g, false);
        for (int i = 0; i < 5; i++) random_job(h, &g);
        graph.rule = (struct flowgraph_rule){ FLOWGRAPH_BASIC, false, 1500, 2000, 3 * S };
        flowgraph_make(&graph, h, NULL, 0);
        struct mcf_arc *all = NULL;
        uint32_t n = 0;
        for (uint32_t j = 0; j < h->n_jobs; j++) {
            flowgraph_local(&graph, h, j);
            all = realloc(all, (n + graph.m + 1) * sizeof *all);
            memcpy(all + n, graph.arc, graph.m * sizeof *all);
            n += graph.m;
        }
        qsort(all, n, sizeof *all, by_arc);
        uint32_t merged = 0;
        for (uint32_t i = 0; i < n; i++)
            if (i == 0 || by_arc(&all[i], &all[i - 1]) != 0) all[merged++] = all[i];
        flowgraph_arcs(&graph, h);
        qsort(graph.arc, graph.m, sizeof *graph.arc, by_arc);
        cr_assert_eq(merged, graph.m, "seed %lu: %u arcs, %u", (unsigned long)seed, merged, graph.m);
        for (uint32_t i = 0; i < merged; i++)
            cr_assert(by_arc(&all[i], &graph.arc[i]) == 0 && all[i].cap == graph.arc[i].cap && all[i].cost == graph.arc[i].cost);
        free(all);
        flowgraph_fini(&graph);
        fakehost_destroy(h);
    }
}

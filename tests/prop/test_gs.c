/*
 * gs, gsp, gsd, capacity and fair on random clusters, jobs and data.
 *   - every start is the one that Algorithm 1, looking at every task on every
 *     node, would make (S4-8, S4-11); speeds that make a disk slower than the
 *     network included
 *   - gsp never stops a job's longest-run task and never leaves a job without
 *     any (S4-10), and every job comes to its share at once
 *   - gsd's local fraction is at least what delay scheduling promises (S4-12)
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/rng.h"
#include "lib/data/gpushare.h"
#include "ref/fakehost.h"
#include "builtin.h"

#define MB INT64_C(1000000)
#define S  INT64_C(1000000)

enum { T1 = 3, T2 = 6, JOBS_MOST = 200 };

/* ---- a random scene ---- */

static bool is_wide;        /* many nodes, and jobs of few tasks, which are looked for where their data lie */

static struct fakehost *random_cluster(struct rng *g)
{
    struct fakehost *h = fakehost_create();
    fakehost_random(h, g, false);
    for (uint32_t i = h->view.n_nodes; is_wide && i < 40; i++) {
        (void)fakehost_node(h, 64000, 64000 * MB, (uint32_t)rng_below(g, 4), (rng_below(g, 2) == 0 ? 20000 : 10000) * MB);
        h->node[i].rack = (uint32_t)rng_below(g, h->view.n_racks);
    }
    return h;
}

static void random_job(struct fakehost *h, struct rng *g, uint32_t shape)
{
    uint32_t n = 1 + (uint32_t)rng_below(g, is_wide ? 3 : 8), n_nodes = h->view.n_nodes;
    uint32_t job = fakehost_job(h, (uint32_t)rng_below(g, 3), shape, n, false, -1, -1);
    bool same = rng_below(g, 2) == 0, plain = rng_below(g, 5) == 0;
    for (uint32_t t = h->job[job].first_task.slot; !plain && t < h->n_tasks; t++) {
        for (uint32_t k = (uint32_t)rng_below(g, 4); k-- > 0;) {
            uint32_t replica[FAKE_REPLICAS], m = 0;
            for (uint32_t i = 0; i < n_nodes && m < FAKE_REPLICAS; i++)
                if (rng_below(g, is_wide ? 16 : 4) == 0) replica[m++] = i;
            if (m > 0) fakehost_input(h, t, same ? 400 * MB : (int64_t)rng_below(g, 5) * 100 * MB, replica, m);
        }
    }
}

static void end_some(struct fakehost *h, struct rng *g, uint64_t one_in)
{
    for (uint32_t t = 0; t < h->n_tasks; t++)
        if (h->task[t].info.is_running && rng_below(g, one_in) == 0) fakehost_end(h, t);
}

/* ---- Algorithm 1, the slow way ---- */

struct rank { uint32_t level, index, node, task; int64_t cost; };

static bool before(const struct rank *a, const struct rank *b)
{
    if (a->level != b->level) return a->level < b->level;
    if (a->cost != b->cost) return a->cost < b->cost;
    if (a->index != b->index) return a->index < b->index;
    return a->node < b->node;
}

struct slow {
    const struct fakehost *h;
    bool by_queue, fifo, patient;
    uint32_t by;                            /* 0 time, 1 least, 2 rack */
    int32_t  free[FAKE_NODES];              /* cards */
    int64_t  held[FAKE_TASKS], user_held[3], share[FAKE_TASKS];
    bool     started[FAKE_TASKS], passed[FAKE_TASKS];
    uint32_t declined[FAKE_TASKS];          /* kept from decision to decision, as are the next two */
    uint64_t freed, counted_freed[FAKE_TASKS];
    int64_t  counted_us[FAKE_TASKS];
};

static bool can(const struct fakehost *h, uint32_t node, uint32_t task)
{
    const struct pol_node *n = &h->node[node];
    return n->is_up && n->n_gpu > 0 && h->card[n->card0].mem_total >= h->shape[h->task[task].info.shape].gpu_mem_b;
}

static int64_t time_of(const struct fakehost *h, uint32_t task, uint32_t node)
{
    struct pol_transfer x = fakehost_transfer(h, (pol_task){ task, 0 }, node);
    /* Among equal times the nearer. */
    return 4 * (x.local_us + x.rack_us + x.cross_us) + (x.cross_b > 0 ? 2 : x.rack_b > 0);
}

static struct rank rank_of(const struct slow *s, uint32_t task, uint32_t node)
{
    const struct fakehost *h = s->h;
    const struct fake_task *t = &h->task[task];
    struct rank r = { .index = t->info.index, .node = node, .task = task };
    if (t->n_inputs == 0) return r;
    r.cost = time_of(h, task, node);
    if (s->by == 1) {
        int64_t least = INT64_MAX, second = INT64_MAX;
        for (uint32_t i = 0; i < h->view.n_nodes; i++)
            if (can(h, i, task) && time_of(h, task, i) < least) least = time_of(h, task, i);
        for (uint32_t i = 0; i < h->view.n_nodes; i++)
            if (can(h, i, task) && time_of(h, task, i) > least && time_of(h, task, i) < second) second = time_of(h, task, i);
        r.level = r.cost <= least ? 0 : r.cost <= second ? 1 : 2;
    }
    if (s->by == 2) {
        r.cost = 0;
        r.level = 2;
        for (uint32_t k = 0; k < t->n_inputs; k++)
            for (uint32_t i = 0; i < t->input[k].n; i++) {
                uint32_t at = t->input[k].replica[i];
                if (h->node[at].rack == h->node[node].rack && r.level > 1) r.level = 1;
                if (at == node) r.level = 0;
            }
    }
    return r;
}

static bool best_of(const struct slow *s, uint32_t job, struct rank *best)
{
    const struct fakehost *h = s->h;
    bool found = false;
    for (uint32_t i = 0; i < h->job[job].n_tasks; i++) {
        uint32_t t = h->job[job].first_task.slot + i;
        if (!h->task[t].info.is_waiting || s->started[t]) continue;
        for (uint32_t n = 0; n < h->view.n_nodes; n++) {
            if (s->free[n] == 0 || !can(h, n, t)) continue;
            struct rank r = rank_of(s, t, n);
            if (!found || before(&r, best)) *best = r;
            found = true;
        }
    }
    return found;
}

/* The job whose turn it is: POL_NONE when every one was passed over. */
static uint32_t next_job(const struct slow *s)
{
    uint32_t best = POL_NONE;
    for (uint32_t j = 0; j < s->h->n_jobs; j++) {
        struct rank r;
        if (s->passed[j] || !best_of(s, j, &r)) continue;
        if (best == POL_NONE) { best = j; continue; }
        uint32_t a = s->h->job[j].user, b = s->h->job[best].user;
        if (s->by_queue && s->user_held[a] != s->user_held[b]) {
            if (s->user_held[a] < s->user_held[b]) best = j;
        } else if (s->by_queue && a != b) {
            uint32_t first = 0;     /* the queue seen first */
            while (s->h->job[first].user != a && s->h->job[first].user != b) first++;
            if (s->h->job[first].user == a) best = j;
        } else if (!s->fifo && s->held[j] < s->held[best]) {
            best = j;
        }
    }
    return best;
}

static void reckon_shares(struct slow *s)
{
    const struct fakehost *h = s->h;
    int64_t want[FAKE_TASKS] = { 0 };
    for (uint32_t j = 0; j < h->n_jobs; j++) want[j] = h->job[j].n_running + h->job[j].n_waiting;
    gpushare(h->view.gpu_total / 1000, 1, h->n_jobs, want, s->share);
}

static void look(struct slow *s)
{
    const struct fakehost *h = s->h;
    memset(s->user_held, 0, sizeof s->user_held);
    memset(s->started, 0, sizeof s->started);
    memset(s->passed, 0, sizeof s->passed);
    for (uint32_t i = 0; i < h->view.n_nodes; i++) {
        s->free[i] = 0;
        for (uint32_t k = 0; k < h->node[i].n_gpu; k++) s->free[i] += h->card[h->node[i].card0 + k].milli_free == 1000;
    }
    for (uint32_t j = 0; j < h->n_jobs; j++) s->user_held[h->job[j].user] += s->held[j] = h->job[j].n_running;
    reckon_shares(s);
}

/* What the policy should do with what is free in s: out[] in order. */
static uint32_t serve(struct slow *s, struct rank *out)
{
    const struct fakehost *h = s->h;
    uint32_t n = 0, job;
    bool somebody_declined = false;
    while ((job = next_job(s)) != POL_NONE) {
        struct rank r;
        (void)best_of(s, job, &r);
        int64_t delta = s->share[job] - s->held[job] + s->declined[job];
        if (s->patient && somebody_declined && s->held[job] >= s->share[job]) {
            s->passed[job] = true;
        } else if (s->patient && r.level > (delta > T2 ? 2 : delta > T1 ? 1 : 0)) {
            s->passed[job] = somebody_declined = true;
            if (s->counted_us[job] < 0 || s->counted_freed[job] != s->freed || h->view.now_us >= s->counted_us[job] + S) {
                s->declined[job]++;
                s->counted_freed[job] = s->freed;
                s->counted_us[job] = h->view.now_us;
            }
        } else {
            s->declined[job] = 0;
            s->started[r.task] = true;
            s->free[r.node]--;
            s->held[job]++;
            s->user_held[h->job[job].user]++;
            out[n++] = r;
        }
    }
    return n;
}

static uint32_t expect(struct slow *s, struct rank *out)
{
    look(s);
    return serve(s, out);
}

static uint64_t n_starts, n_declines;
static bool measures;               /* speeds change now and then */

static void agrees(const struct pol_ops *ops, bool by_queue, bool fifo, bool patient, uint32_t by, uint64_t seed)
{
    static struct slow s;
    static struct rank want[FAKE_TASKS];
    struct rng g;
    rng_init(&g, 7, "gs", seed);
    struct fakehost *h = random_cluster(&g);
    fakehost_open(h, ops, patient ? "place=first,second_after=3,any_after=6,heartbeat=1000000" : "place=first");
    s = (struct slow){ .h = h, .by_queue = by_queue, .fifo = fifo, .patient = patient, .by = by };
    for (uint32_t j = 0; j < FAKE_TASKS; j++) s.counted_us[j] = -1;
    int64_t now = 0;
    for (int step = 0; step < 60; step++) {
        now += (int64_t)rng_below(&g, 3) * S / 2 + 1;
        h->view.now_us = now;
        size_t was = h->n_events;
        end_some(h, &g, 4);
        s.freed += h->n_events - was;       /* more than one a task: job ends too; it only has to differ */
        if (h->n_tasks < 300 && rng_below(&g, 3) > 0) random_job(h, &g, (uint32_t)rng_below(&g, 3));
        uint32_t node = (uint32_t)rng_below(&g, h->view.n_nodes);
        if (rng_below(&g, 5) == 0 && h->node[node].n_tasks == 0) {
            s.freed += !h->node[node].is_up;
            fakehost_up(h, node, !h->node[node].is_up);
        }
        if (measures && rng_below(&g, 3) == 0) fakehost_speeds(h, &g);
        uint32_t n = expect(&s, want);
        size_t before_it = h->n_log;
        fakehost_decide(h, now);
        for (uint32_t i = 0; i < n && before_it + i < h->n_log; i++) {
            const struct fake_entry *e = &h->log[before_it + i];
            cr_assert(e->task == want[i].task && e->node == want[i].node,
                      "%s, seed %lu, step %d, start %u: task %u (job %u) on node %u, expected task %u on node %u (level %u, cost %ld)", ops->name,
                      (unsigned long)seed, step, i, e->task, e->job, e->node, want[i].task, want[i].node, want[i].level, (long)want[i].cost);
        }
        cr_assert_eq(h->n_log - before_it, n, "%s, seed %lu, step %d: %zu starts, expected %u", ops->name, (unsigned long)seed, step,
                     h->n_log - before_it, n);
        n_starts += n;
    }
    for (uint32_t j = 0; j < h->n_jobs; j++) n_declines += s.declined[j];
    fakehost_destroy(h);
}

enum { SEEDS = 300 };

Test(gs, starts_what_algorithm_1_would)
{
    for (uint64_t i = 0; i < SEEDS; i++) agrees(&pol_gs, false, false, false, 0, i);
    cr_assert_gt(n_starts, 10 * SEEDS);
    fprintf(stderr, "%lu starts\n", (unsigned long)n_starts);
}

Test(gs, with_measured_speeds_starts_what_algorithm_1_would)
{
    measures = true;
    for (uint64_t i = 0; i < SEEDS; i++) agrees(&pol_gs, false, false, false, 0, i);
    for (uint64_t i = 0; i < SEEDS; i++) agrees(&pol_gsd, false, false, true, 1, i);
    cr_assert_gt(n_declines, 0);
}

Test(gs, on_many_nodes_starts_what_algorithm_1_would)
{
    enum { WIDE_SEEDS = 40 };       /* the slow way looks at each node */
    is_wide = true;
    for (uint64_t i = 0; i < WIDE_SEEDS; i++) {
        agrees(&pol_gs, false, false, false, 0, i);
        agrees(&pol_gsd, false, false, true, 1, i);
        agrees(&pol_capacity, true, true, false, 2, i);
        agrees(&pol_fair, true, false, false, 2, i);
    }
    cr_assert_gt(n_starts, 40 * WIDE_SEEDS);
    cr_assert_gt(n_declines, 0);
}

/* ---- offer=node ---- */

static struct slow by_node;
static uint64_t n_nodes_left;       /* times that a node was passed by for another, which all at once would not do */

/* Node by node as they were drawn, each gave what Algorithm 1 takes of it alone; and nothing more could be had. */
static void node_round(struct fakehost *h, bool is_decided)
{
    static struct rank want[FAKE_TASKS];
    if (!is_decided) return;
    int32_t free_of[FAKE_NODES];
    bool drawn[FAKE_NODES] = { false };
    look(&by_node);
    memcpy(free_of, by_node.free, sizeof free_of);
    for (size_t i = h->n_applied; i < h->n_log;) {
        uint32_t node = h->log[i].node;
        cr_assert_not(drawn[node], "node %u is offered twice", node);
        drawn[node] = true;
        struct rank all;
        uint32_t job = next_job(&by_node);
        memset(by_node.free, 0, sizeof by_node.free);
        if (job != POL_NONE) {
            memcpy(by_node.free, free_of, sizeof free_of);
            n_nodes_left += best_of(&by_node, job, &all) && all.node != node;
            memset(by_node.free, 0, sizeof by_node.free);
        }
        by_node.free[node] = free_of[node];
        memset(by_node.passed, 0, sizeof by_node.passed);
        uint32_t n = serve(&by_node, want);
        cr_assert(n > 0 && i + n <= h->n_log);
        for (uint32_t k = 0; k < n; k++, i++)
            cr_assert(h->log[i].task == want[k].task && h->log[i].node == node, "task %u on node %u, expected %u", h->log[i].task, h->log[i].node, want[k].task);
        free_of[node] = by_node.free[node];
        n_starts += n;
    }
    memcpy(by_node.free, free_of, sizeof free_of);
    memset(by_node.passed, 0, sizeof by_node.passed);
    cr_assert_eq(next_job(&by_node), POL_NONE, "a GPU idles that a task could use");
}

Test(gs, offers_node_by_node_when_told_to)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct rng g;
        rng_init(&g, 7, "gs", seed);
        struct fakehost *h = random_cluster(&g);
        h->api.seed = seed;
        fakehost_open(h, &pol_gs, "place=first,offer=node");
        by_node = (struct slow){ .h = h };
        h->round = node_round;
        for (int step = 1; step <= 30; step++) {
            end_some(h, &g, 3);
            if (h->n_tasks < 200) random_job(h, &g, (uint32_t)rng_below(&g, 3));
            fakehost_decide(h, step * S);
        }
        fakehost_destroy(h);
    }
    cr_assert_gt(n_starts, 10 * SEEDS);
    cr_assert_gt(n_nodes_left, SEEDS);
    fprintf(stderr, "%lu starts\n", (unsigned long)n_starts);
}

/* Of four nodes, each is drawn first by about a quarter of the seeds: 100 +- 4 x sqrt(400 x 3/16); and a seed draws the same again. */
Test(gs, the_seed_alone_draws_the_nodes)
{
    uint32_t first[4] = { 0 }, again[400];
    for (uint64_t run = 0; run < 2; run++)
        for (uint64_t seed = 0; seed < 400; seed++) {
            struct fakehost *h = fakehost_create();
            h->view.n_racks = 1;
            h->api.seed = seed;
            for (int i = 0; i < 4; i++) (void)fakehost_node(h, 1000, 1000 * MB, 1, 0);
            uint32_t shape = fakehost_shape(h, (struct pol_shape){ .n_gpu = 1, .gpu_milli = 1000 });
            fakehost_open(h, &pol_gs, "offer=node");
            (void)fakehost_job(h, 0, shape, 1, false, -1, -1);
            fakehost_decide(h, 0);
            uint32_t node = h->log[0].node;
            if (run == 0) first[again[seed] = node]++;
            else cr_assert_eq(again[seed], node);
            fakehost_destroy(h);
        }
    for (int i = 0; i < 4; i++) cr_assert(first[i] > 65 && first[i] < 135, "node %d: %u", i, first[i]);
}

Test(gsd, starts_and_declines_what_algorithm_1_with_delay_would)
{
    for (uint64_t i = 0; i < SEEDS; i++) agrees(&pol_gsd, false, false, true, 1, i);
    cr_assert_gt(n_declines, 0);
    fprintf(stderr, "%lu starts\n", (unsigned long)n_starts);
}

Test(capacity, starts_what_a_slow_search_would)
{
    for (uint64_t i = 0; i < SEEDS; i++) agrees(&pol_capacity, true, true, false, 2, i);
}

Test(fair, starts_what_a_slow_search_would)
{
    for (uint64_t i = 0; i < SEEDS; i++) agrees(&pol_fair, true, false, false, 2, i);
}

/* ---- gsp ---- */

/* Of the job's running tasks, was it the one that started first (ties: the lower)? */
static bool is_longest_run(const struct fakehost *h, const struct pol_task_info *was, uint32_t task)
{
    for (uint32_t t = h->job[was[task].job.slot].first_task.slot; t < h->n_tasks && was[t].job.slot == was[task].job.slot; t++)
        if (was[t].is_running && (was[t].started_us < was[task].started_us || (was[t].started_us == was[task].started_us && t < task))) return false;
    return true;
}

/* Was a running task of the job that started later (ties: the higher) left alone? */
static bool is_among_shortest(const struct fakehost *h, const struct pol_task_info *was, uint32_t task)
{
    for (uint32_t t = h->job[was[task].job.slot].first_task.slot; t < h->n_tasks && was[t].job.slot == was[task].job.slot; t++) {
        if (!was[t].is_running || !h->task[t].info.is_running || h->task[t].info.started_us != was[t].started_us) continue;
        if (was[t].started_us > was[task].started_us || (was[t].started_us == was[task].started_us && t > task)) return false;
    }
    return true;
}

Test(gsp, s4_10_keeps_the_longest_run_and_every_job_alive_and_fair)
{
    uint64_t stops = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        static struct pol_task_info was[FAKE_TASKS];
        struct rng g;
        rng_init(&g, 9, "gsp", seed);
        struct fakehost *h = random_cluster(&g);
        fakehost_open(h, &pol_gsp, "");
        for (int step = 1; step < 60; step++) {
            end_some(h, &g, 6);
            if (h->n_tasks < 300 && rng_below(&g, 3) == 0) random_job(h, &g, 0);
            int64_t want[FAKE_TASKS], share[FAKE_TASKS], running = 0, wanted = 0;
            uint32_t ran[FAKE_TASKS];
            for (uint32_t t = 0; t < h->n_tasks; t++) was[t] = h->task[t].info;
            for (uint32_t j = 0; j < h->n_jobs; j++) {
                ran[j] = h->job[j].n_running;
                wanted += want[j] = h->job[j].n_running + h->job[j].n_waiting;
            }
            gpushare(h->view.gpu_total / 1000, 1, h->n_jobs, want, share);
            size_t from = h->n_log;
            fakehost_decide(h, step * S);
            for (size_t i = from; i < h->n_log; i++) {
                const struct fake_entry *e = &h->log[i];
                if (e->is_start) continue;
                stops++;
                cr_assert(was[e->task].is_running, "seed %lu: what started in this decision is stopped in it", (unsigned long)seed);
                cr_assert(!is_longest_run(h, was, e->task), "seed %lu, step %d: the longest-run is stopped", (unsigned long)seed, step);
                cr_assert(is_among_shortest(h, was, e->task), "seed %lu, step %d: a shorter one runs on", (unsigned long)seed, step);
                cr_assert_gt(ran[e->job], share[e->job]);
            }
            for (uint32_t j = 0; j < h->n_jobs; j++) {
                int64_t now = h->job[j].n_running;
                running += now;
                cr_assert(ran[j] == 0 || now > 0, "seed %lu, step %d: job %u has nothing left", (unsigned long)seed, step, j);
                cr_assert(now <= share[j] || now == 1, "seed %lu, step %d: job %u holds %ld of %ld", (unsigned long)seed, step, j, (long)now, (long)share[j]);
            }
            cr_assert_eq(running, wanted < h->view.gpu_total / 1000 ? wanted : h->view.gpu_total / 1000);
        }
        fakehost_destroy(h);
    }
    cr_assert_gt(stops, 100);
    fprintf(stderr, "%lu stops\n", (unsigned long)stops);
}

/* ---- S4-12 ---- */

/*
 * Delay scheduling (Zaharia et al., section 4.3.2): with R replicas on M nodes,
 * a free node is local to one of k waiting tasks with probability
 * p_k >= 1 - (1 - k/M)^R, so after D declined offers the local fraction of N
 * tasks is at least 1 - sum_k (1 - k/M)^(R D) / N.
 */
static double bound(uint32_t n, uint32_t m, uint32_t r, uint32_t d)
{
    double lost = 0;
    for (uint32_t k = 1; k <= n; k++) lost += pow(1 - (double)k / m, (double)(r * d));
    return 1 - lost / n;
}

/*
 * M nodes of one GPU, all busy; each instant one of them, at random, is free.
 * One job of N tasks, each of which is over as soon as it ran, and which may
 * hold one GPU: delta0 = 1, so D = T1 + 1 - delta0 = T1.
 */
static double local_fraction(uint64_t seed, uint32_t n, uint32_t m, uint32_t r, uint32_t d)
{
    struct rng g;
    rng_init(&g, 12, "delay", seed);
    struct fakehost *h = fakehost_create();
    h->aggregation_bps = h->rack_bps = 100 * MB;
    h->disk_bps = 400 * MB;
    h->view.n_racks = 1;
    for (uint32_t i = 0; i < m; i++) h->card[h->node[fakehost_node(h, 1000, 0, 1, 0)].card0].milli_free = 0;
    uint32_t shape = fakehost_shape(h, (struct pol_shape){ .n_gpu = 1, .gpu_milli = 1000 });
    char params[64];
    (void)snprintf(params, sizeof params, "quota=1,second_after=%u,any_after=%u,heartbeat=1", d, d);
    fakehost_open(h, &pol_gsd, params);
    uint32_t job = fakehost_job(h, 0, shape, n, false, -1, -1), first = h->job[job].first_task.slot, local = 0;
    for (uint32_t t = first; t < first + n; t++) {
        uint32_t replica[FAKE_REPLICAS], k = 0;
        for (uint32_t node = 0; node < m && k < r; node++)
            if (rng_below(&g, m - node) < r - k) replica[k++] = node;
        fakehost_input(h, t, 100 * MB, replica, k);
    }
    for (int64_t now = 1; h->n_log < n; now++) {
        uint32_t node = (uint32_t)rng_below(&g, m);
        size_t from = h->n_log;
        fakehost_card(h, node, 1000);
        fakehost_decide(h, now);
        if (h->n_log > from) {
            cr_assert_eq(h->log[from].node, node);
            local += fakehost_transfer(h, (pol_task){ h->log[from].task, 0 }, node).local_b > 0;
            fakehost_end(h, h->log[from].task);
        }
        fakehost_card(h, node, 0);
    }
    fakehost_destroy(h);
    return (double)local / n;
}

/* M = 60, N = 20, R = 3: a bound of .95 takes D = .23 M = 14. */
Test(gsd, s4_12_local_fraction_reaches_the_delay_scheduling_bound)
{
    static const uint32_t d[] = { 1, 2, 5, 14 };
    cr_assert_geq(bound(20, 60, 3, 14), .95);
    for (size_t i = 0; i < 4; i++) {
        double sum = 0;
        enum { RUNS = 60 };
        for (uint64_t seed = 0; seed < RUNS; seed++) sum += local_fraction(seed, 20, 60, 3, d[i]);
        fprintf(stderr, "D=%u: local %.3f, bound %.3f\n", d[i], sum / RUNS, bound(20, 60, 3, d[i]));
        cr_assert_geq(sum / RUNS, bound(20, 60, 3, d[i]));
    }
}

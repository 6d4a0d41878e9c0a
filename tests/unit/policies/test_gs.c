/*
 * gs, gsp and gsd on a hand-worked host: S4-2, S4-7 to S4-11, S4-36.
 *
 * Speeds: disk 400 MB/s, rack 200 MB/s, aggregation 100 MB/s, so a block of
 * 400 MB costs 1 s local, 2 s in the rack, 4 s across.
 */
#include <criterion/criterion.h>
#include "ref/fakehost.h"
#include "builtin.h"

#define MB INT64_C(1000000)
#define GB (1000 * MB)
#define S  INT64_C(1000000)

static struct fakehost *cluster(uint32_t racks, uint32_t per_rack, uint32_t gpus)
{
    struct fakehost *h = fakehost_create();
    h->disk_bps = 400 * MB;
    h->rack_bps = 200 * MB;
    h->aggregation_bps = 100 * MB;
    fakehost_racks(h, racks, per_rack, gpus);
    return h;
}

static uint32_t gpu_shape(struct fakehost *h, int32_t gpus, int64_t gpu_mem)
{
    return fakehost_shape(h, (struct pol_shape){ .cpu_milli = 100, .n_gpu = gpus, .gpu_milli = 1000, .gpu_mem_b = gpu_mem });
}

static uint32_t first_of(const struct fakehost *h, uint32_t job) { return h->job[job].first_task.slot; }
/* n tasks of one GPU and 1 GB of its memory: the first shape of every cluster here. */
static uint32_t job_of_gpus(struct fakehost *h, uint32_t user, uint32_t n) { return fakehost_job(h, user, 0, n, false, -1, -1); }

static void reads(struct fakehost *h, uint32_t task, int64_t size, uint32_t node) { fakehost_input(h, task, size, &node, 1); }

static uint32_t n_running(const struct fakehost *h, uint32_t job) { return h->job[job].n_running; }

static void runs_on(const struct fakehost *h, uint32_t task, uint32_t node)
{
    cr_assert(h->task[task].info.is_running, "task %u waits", task);
    cr_assert_eq(h->task[task].info.node, node, "task %u runs on node %u, not %u", task, h->task[task].info.node, node);
}

/*
 * Figure 1.  t11 on both nodes, t12 and t21 on GPU2's.  Job 1 is asked first
 * and t11 costs the same on both; given GPU2, t21 can only read remotely.
 */
static void figure_1(uint32_t gpu2)
{
    struct fakehost *h = cluster(2, 1, 1);
    fakehost_open(h, &pol_gs, "place=first");
    uint32_t j1 = job_of_gpus(h, 0, 2), j2 = job_of_gpus(h, 1, 1);
    fakehost_input(h, first_of(h, j1), 400 * MB, (uint32_t[]){ 0, 1 }, 2);
    reads(h, first_of(h, j1) + 1, 400 * MB, gpu2);
    reads(h, first_of(h, j2), 400 * MB, gpu2);
    fakehost_decide(h, 0);
    runs_on(h, first_of(h, j1), 0);
    runs_on(h, first_of(h, j2), 1);
    struct pol_transfer x = fakehost_transfer(h, (pol_task){ first_of(h, j2), 0 }, 1);
    cr_assert_eq(x.cross_b, gpu2 == 1 ? 0 : 400 * MB);
    cr_assert_eq(x.local_b, gpu2 == 1 ? 400 * MB : 0);
    cr_assert(!h->task[first_of(h, j1) + 1].info.is_running);
    fakehost_destroy(h);
}

Test(gs, s4_2_giving_job_1_gpu2_makes_job_2_read_remotely) { figure_1(0); }
Test(gs, s4_2_giving_job_1_gpu1_leaves_job_2_its_data) { figure_1(1); }

/* Q = 30; N = 2, 3, 5, 10, 20, 60: 2, 3, 5, 7, 7, 6. */
Test(gs, s4_6_an_empty_cluster_fills_by_shares)
{
    static const uint32_t n[] = { 2, 3, 5, 10, 20, 60 }, share[] = { 2, 3, 5, 7, 7, 6 };
    const struct pol_ops *const all[] = { &pol_gs, &pol_gsp, &pol_gsd };
    for (size_t p = 0; p < 3; p++) {
        struct fakehost *h = cluster(5, 3, 2);
        fakehost_open(h, all[p], "");
        uint32_t job[6];
        for (int i = 0; i < 6; i++) job[i] = job_of_gpus(h, 0, n[i]);
        fakehost_decide(h, 0);
        for (int i = 0; i < 6; i++) cr_expect_eq(n_running(h, job[i]), share[i], "%s, job %d: %u", all[p]->name, i, n_running(h, job[i]));
        cr_assert_eq(h->n_log, 30);
        fakehost_destroy(h);
    }
}

/* 2 GPUs free; job b holds none, a holds 1: b takes both until it holds as many, a the next. */
Test(gs, s4_8_the_job_with_the_fewest_is_served)
{
    struct fakehost *h = cluster(1, 4, 1);
    fakehost_open(h, &pol_gs, "");
    uint32_t a = job_of_gpus(h, 0, 9);
    fakehost_decide(h, 0);
    uint32_t b = job_of_gpus(h, 1, 9);
    fakehost_decide(h, S);
    cr_assert_eq(n_running(h, b), 0, "S4-9: a newcomer waits");
    for (uint32_t i = 0; i < 3; i++) {
        fakehost_end(h, first_of(h, a) + i);
        fakehost_decide(h, (2 + i) * S);
        cr_assert_eq(n_running(h, b), i + 1 < 3 ? i + 1 : 2);
    }
    cr_assert_eq(n_running(h, a), 2);
    for (size_t i = 0; i < h->n_log; i++) cr_assert(h->log[i].is_start, "S4-9: gs never stops a task");
    fakehost_destroy(h);
}

/* One GPU, on node 0: task 2 has its 800 MB there (2 s), task 1 its 100 MB across (1 s), task 0 400 MB across (4 s). */
Test(gs, s4_8_the_job_picks_the_task_that_costs_least_there)
{
    struct fakehost *h = cluster(2, 1, 1);
    h->node[1].is_up = 0;
    fakehost_open(h, &pol_gs, "");
    uint32_t t = first_of(h, job_of_gpus(h, 0, 3));
    reads(h, t, 400 * MB, 1);
    reads(h, t + 1, 100 * MB, 1);
    reads(h, t + 2, 800 * MB, 0);
    static const uint32_t order[] = { 1, 2, 0 };
    for (uint32_t i = 0; i < 3; i++) {
        fakehost_decide(h, i * 10 * S);
        runs_on(h, t + order[i], 0);
        fakehost_end(h, t + order[i]);
    }
    fakehost_destroy(h);
}

/* Costs are summed over a task's inputs, each from its nearest replica: W_A = 4 s + 1 s, W_D = 2 s + 8 s. */
Test(gs, s4_4_mixed_inputs_are_summed)
{
    struct fakehost *h = cluster(2, 2, 1);
    fakehost_open(h, &pol_gs, "place=worst");
    uint32_t t = first_of(h, job_of_gpus(h, 0, 1));
    reads(h, t, 400 * MB, 1);
    reads(h, t, 800 * MB, 2);
    fakehost_decide(h, 0);
    runs_on(h, t, 2);       /* 800 local (2) + 400 across (4) = 6 s; node 1: 1 + 8; node 3: 4 + 4; node 0: 2 + 8 */
    fakehost_destroy(h);
}

/* Cards of 10 GB: the task that asks 11 is never offered one; one that asks 10 fits (S4-16, decision 5: <=). */
Test(gs, s4_8_memory_decides_what_may_be_picked)
{
    struct fakehost *h = cluster(1, 1, 1);
    fakehost_open(h, &pol_gs, "");
    uint32_t big = gpu_shape(h, 1, 11 * GB), just = gpu_shape(h, 1, 10 * GB);
    uint32_t a = fakehost_job(h, 0, big, 1, false, -1, -1), b = fakehost_job(h, 0, just, 1, false, -1, -1);
    fakehost_decide(h, 0);
    cr_assert_eq(n_running(h, a), 0);
    cr_assert_eq(n_running(h, b), 1);
    fakehost_destroy(h);
}

/* quota=2: one job alone gets 2 of 6 GPUs, two jobs 2 each. */
Test(gs, a_quota_bounds_what_a_job_holds)
{
    struct fakehost *h = cluster(1, 3, 2);
    fakehost_open(h, &pol_gs, "quota=2");
    uint32_t a = job_of_gpus(h, 0, 9);
    fakehost_decide(h, 0);
    cr_assert_eq(n_running(h, a), 2);
    uint32_t b = job_of_gpus(h, 0, 9);
    fakehost_end(h, first_of(h, a));
    fakehost_decide(h, S);
    cr_assert(n_running(h, a) == 2 && n_running(h, b) == 2);
    fakehost_destroy(h);
}

/* S4-36: CPU tasks take no share; they start beside GPU tasks, first come first served, near their data. */
Test(gs, s4_36_cpu_tasks_are_scheduled_apart)
{
    struct fakehost *h = cluster(2, 1, 1);
    fakehost_open(h, &pol_gsp, "");
    uint32_t cpu = fakehost_shape(h, (struct pol_shape){ .cpu_milli = 9000 });
    uint32_t a = fakehost_job(h, 0, cpu, 3, false, -1, -1), b = fakehost_job(h, 1, gpu_shape(h, 1, 0), 5, false, -1, -1);
    reads(h, first_of(h, a), 400 * MB, 1);
    reads(h, first_of(h, a) + 1, 400 * MB, 1);
    reads(h, first_of(h, a) + 2, 400 * MB, 1);
    fakehost_decide(h, 0);
    cr_assert_eq(n_running(h, b), 2, "K is 1: the CPU job does not count");
    runs_on(h, first_of(h, a), 1);
    runs_on(h, first_of(h, a) + 1, 0);
    cr_assert(!h->task[first_of(h, a) + 2].info.is_running);
    fakehost_destroy(h);
}

/*
 * A CPU task that came when nodes 0 and 3 were down reads 400 MB from node 1 and 800 MB from node 2, of the racks of
 * 0 and 3.  On node 0 that is 2 + 8 s, on node 3 4 + 4 s; with racks measured at 50 MB/s 8 + 8 and 4 + 16.
 */
static void cpu_task_goes_to(bool is_measured, uint32_t node)
{
    struct fakehost *h = cluster(2, 2, 1);
    for (uint32_t i = 0; i < 4; i++) h->node[i].is_up = 0;
    fakehost_open(h, &pol_gs, "place=first");
    uint32_t t = first_of(h, fakehost_job(h, 0, fakehost_shape(h, (struct pol_shape){ .cpu_milli = 9000 }), 1, false, -1, -1));
    reads(h, t, 400 * MB, 1);
    reads(h, t, 800 * MB, 2);
    fakehost_decide(h, 0);
    if (is_measured) h->rack_bps = 50 * MB, h->measured++;
    fakehost_up(h, 0, true);
    fakehost_up(h, 3, true);
    fakehost_decide(h, S);
    runs_on(h, t, node);
    fakehost_destroy(h);
}

Test(gs, a_waiting_cpu_task_goes_where_measured_speeds_are_least)
{
    cpu_task_goes_to(false, 3);
    cpu_task_goes_to(true, 0);
}

/* A successor waits for its turn; then it is offered to like any other, and counts in N_j only then. */
Test(gs, s4_21_a_task_that_waits_for_others_is_not_offered_anything)
{
    struct fakehost *h = cluster(1, 2, 2);
    fakehost_open(h, &pol_gsp, "");
    uint32_t a = job_of_gpus(h, 0, 3), t = first_of(h, a), b;
    fakehost_block(h, t + 1);
    fakehost_block(h, t + 2);
    b = job_of_gpus(h, 0, 9);
    fakehost_decide(h, 0);
    cr_assert(n_running(h, a) == 1 && n_running(h, b) == 3);
    fakehost_end(h, t);
    fakehost_ready(h, t + 1);
    fakehost_ready(h, t + 2);
    fakehost_decide(h, 5 * S);
    cr_assert(n_running(h, a) == 2 && n_running(h, b) == 2, "%u %u", n_running(h, a), n_running(h, b));
    fakehost_destroy(h);
}

/*
 * S4-10.  10 GPUs, a holds all, started at 0, 1, .. 9 s as they came; b with 3
 * tasks arrives: A = 7, 3.  The three shortest-run stop: the last started.
 */
Test(gsp, s4_10_the_shortest_run_are_stopped)
{
    struct fakehost *h = cluster(1, 5, 2);
    for (uint32_t i = 1; i < 5; i++) h->node[i].is_up = 0;
    h->view.gpu_total = 2000;
    fakehost_open(h, &pol_gsp, "");
    uint32_t a = job_of_gpus(h, 0, 20), t = first_of(h, a);
    fakehost_decide(h, 0);
    for (uint32_t i = 1; i < 5; i++) {
        fakehost_up(h, i, true);
        fakehost_decide(h, i * S);
    }
    cr_assert_eq(n_running(h, a), 10);
    size_t before = h->n_log;
    uint32_t b = job_of_gpus(h, 1, 3);
    fakehost_decide(h, 9 * S);
    cr_assert(n_running(h, a) == 7 && n_running(h, b) == 3, "%u and %u", n_running(h, a), n_running(h, b));
    static const uint32_t stopped[] = { 9, 8, 7 };
    size_t k = 0;
    for (size_t i = before; i < h->n_log; i++)
        if (!h->log[i].is_start) cr_assert_eq(h->log[i].task, t + stopped[k++]);
    cr_assert_eq(k, 3);
    fakehost_destroy(h);
}

/* Q = 3; five jobs of one task each would be A = 1, 1, 1, 0, 0; a holds all 3 and keeps its longest-run. */
Test(gsp, s4_10_a_job_keeps_its_longest_run_task)
{
    struct fakehost *h = cluster(1, 3, 1);
    fakehost_open(h, &pol_gsp, "");
    uint32_t job[5] = { job_of_gpus(h, 0, 9) };
    fakehost_decide(h, 0);
    for (int i = 1; i < 5; i++) {
        job[i] = job_of_gpus(h, 0, 9);
        fakehost_decide(h, i * S);
    }
    static const uint32_t want[] = { 1, 1, 1, 0, 0 };
    for (int i = 0; i < 5; i++) cr_assert_eq(n_running(h, job[i]), want[i]);
    runs_on(h, first_of(h, job[0]), 0);
    fakehost_destroy(h);
}

/* Q = 3; e, which came first, wants two, and is ready after a took all: the one that is over after 1 and 1 is e's. */
Test(gsp, s4_6_who_came_first_is_first_though_ready_late)
{
    struct fakehost *h = cluster(1, 3, 1);
    fakehost_open(h, &pol_gsp, "");
    uint32_t e = job_of_gpus(h, 0, 2), a = job_of_gpus(h, 0, 9);
    for (uint32_t i = 0; i < 2; i++) fakehost_block(h, first_of(h, e) + i);
    fakehost_decide(h, 0);
    cr_assert_eq(n_running(h, a), 3);
    for (uint32_t i = 0; i < 2; i++) fakehost_ready(h, first_of(h, e) + i);
    fakehost_decide(h, S);
    cr_assert(n_running(h, e) == 2 && n_running(h, a) == 1, "%u and %u", n_running(h, e), n_running(h, a));
    fakehost_destroy(h);
}

/*
 * Two jobs that came before have the two GPUs as their shares once their tasks are ready, and a, which holds both,
 * none: its longest-run task runs on all the same, so that one of them waits.
 */
static void spares_the_longest_run(const struct pol_ops *ops)
{
    struct fakehost *h = cluster(1, 2, 1);
    fakehost_open(h, ops, "");
    uint32_t e = job_of_gpus(h, 0, 1), f = job_of_gpus(h, 0, 1), a = job_of_gpus(h, 0, 9);
    fakehost_block(h, first_of(h, e));
    fakehost_block(h, first_of(h, f));
    h->node[1].is_up = 0;
    h->view.gpu_total = 1000;
    fakehost_decide(h, 0);
    uint32_t longest = first_of(h, a);
    while (!h->task[longest].info.is_running) longest++;
    fakehost_up(h, 1, true);
    fakehost_decide(h, S);
    cr_assert_eq(n_running(h, a), 2);
    fakehost_ready(h, first_of(h, e));
    fakehost_ready(h, first_of(h, f));
    fakehost_decide(h, 2 * S);
    cr_assert_eq(n_running(h, e) + n_running(h, f), 1, "%s", ops->name);
    cr_assert(n_running(h, a) == 1 && h->task[longest].info.is_running, "%s", ops->name);
    fakehost_decide(h, 3 * S);
    cr_assert(h->task[longest].info.is_running, "%s: nor later", ops->name);
    fakehost_destroy(h);
}

Test(gsp, s4_10_a_job_without_a_share_keeps_its_longest_run_task)
{
    spares_the_longest_run(&pol_gsp);
    spares_the_longest_run(&pol_fsp);
}

/*
 * Of three GPUs, a's first task holds one since 0 and its second two since 1 s; b's arrival leaves a share of two.
 * To stop the shortest-run would take two GPUs for the one that is too many, the longest-run is just as large.
 */
Test(gsp, s4_10_the_longest_run_is_spared_though_it_alone_is_small_enough)
{
    struct fakehost *h = cluster(1, 1, 3);
    fakehost_open(h, &pol_gsp, "");
    uint32_t two = gpu_shape(h, 2, GB), a = job_of_gpus(h, 0, 2), t = first_of(h, a);
    h->task[t + 1].info.shape = two;
    fakehost_block(h, t + 1);
    fakehost_decide(h, 0);
    fakehost_ready(h, t + 1);
    fakehost_decide(h, S);
    cr_assert_eq(n_running(h, a), 2);
    uint32_t b = job_of_gpus(h, 1, 3);
    fakehost_decide(h, 2 * S);
    cr_assert(n_running(h, a) == 2 && n_running(h, b) == 0);
    fakehost_end(h, t + 1);
    fakehost_decide(h, 3 * S);
    cr_assert(n_running(h, a) == 1 && n_running(h, b) == 2);
    fakehost_destroy(h);
}

/* Nothing is stopped for a job that could not use what would become free. */
Test(gsp, stops_nothing_in_vain)
{
    struct fakehost *h = cluster(1, 4, 1);
    fakehost_open(h, &pol_gsp, "");
    uint32_t a = job_of_gpus(h, 0, 9);
    fakehost_decide(h, 0);
    uint32_t b = fakehost_job(h, 1, gpu_shape(h, 2, 0), 2, false, -1, -1);
    fakehost_decide(h, S);
    cr_assert(n_running(h, a) == 4 && n_running(h, b) == 0 && h->n_log == 4);
    fakehost_destroy(h);
}

/* Two units of 2 cards on nodes of 4: A = 4, 4; just one node is emptied, as far as needed. */
Test(gsp, makes_room_for_what_asks_several_cards)
{
    struct fakehost *h = cluster(1, 2, 4);
    fakehost_open(h, &pol_gsp, "place=first");
    uint32_t a = job_of_gpus(h, 0, 20);
    fakehost_decide(h, 0);
    uint32_t b = fakehost_job(h, 1, gpu_shape(h, 2, 0), 2, true, -1, -1);
    fakehost_decide(h, S);
    cr_assert(n_running(h, a) == 4 && n_running(h, b) == 2);
    for (uint32_t i = 4; i < 8; i++) cr_assert(!h->task[first_of(h, a) + i].info.is_running, "the last started of node 1 make room");
    fakehost_destroy(h);
}

/* S4-7: a node lost and one returned change Q, a job's end changes K; shares follow at once. */
Test(gsp, s4_7_shares_follow_nodes_and_jobs)
{
    struct fakehost *h = cluster(1, 4, 2);
    fakehost_open(h, &pol_gsp, "place=first");
    uint32_t a = job_of_gpus(h, 0, 4), b = job_of_gpus(h, 0, 20);
    fakehost_decide(h, 0);
    cr_assert(n_running(h, a) == 4 && n_running(h, b) == 4);
    uint32_t c = job_of_gpus(h, 0, 20);             /* 8 over 4, 20, 20: 3, 3, 2 */
    fakehost_decide(h, S);
    cr_assert(n_running(h, a) == 3 && n_running(h, b) == 3 && n_running(h, c) == 2, "%u %u %u", n_running(h, a), n_running(h, b), n_running(h, c));
    for (uint32_t t = 0; t < 4; t++)
        if (h->task[t].info.is_running) fakehost_end(h, t);
    fakehost_decide(h, 2 * S);                      /* a has one task left: 8 over 1, 17 and 20: 1, 4, 3 */
    cr_assert(n_running(h, a) == 1 && n_running(h, b) == 4 && n_running(h, c) == 3, "%u %u %u", n_running(h, a), n_running(h, b), n_running(h, c));
    for (uint32_t t = 0; t < 4; t++)
        if (h->task[t].info.is_running) fakehost_end(h, t);
    fakehost_decide(h, 3 * S);                      /* a is over: 4, 4 */
    cr_assert(n_running(h, b) == 4 && n_running(h, c) == 4);
    fakehost_destroy(h);
}

/*
 * S4-11.  delta starts at the deficit, 2; T1 = 3, T2 = 6.  Node 0 holds the
 * data and is full; a GPU on `other` stays free and is offered again every
 * second.  delta > 3 first at the third offer, > 6 first at the sixth.
 */
static void declines_until(uint32_t other, uint32_t offers)
{
    struct fakehost *h = cluster(2, 2, 1);
    for (uint32_t i = 1; i < 4; i++) h->node[i].is_up = i == other;
    h->view.gpu_total = 2000;
    fakehost_open(h, &pol_gsd, "second_after=3,any_after=6,heartbeat=1000000,place=first");
    uint32_t t = first_of(h, job_of_gpus(h, 0, 2));
    h->card[0].milli_free = 0;
    reads(h, t, 400 * MB, 0);
    reads(h, t + 1, 400 * MB, 0);
    for (uint32_t i = 1; i < offers; i++) {
        fakehost_decide(h, i * S);
        cr_assert_eq(h->n_log, 0, "offer %u was taken", i);
        cr_assert_eq(h->wake[h->n_wakes - 1], (i + 1) * S);
        fakehost_timer(h);
    }
    fakehost_decide(h, offers * S);
    cr_assert_eq(h->n_log, 1, "offer %u was declined", offers);
    runs_on(h, t, other);
    fakehost_destroy(h);
}

Test(gsd, s4_11_the_second_best_is_taken_at_the_third_offer) { declines_until(1, 3); }

/* Node 1 is up too, but busy: the rack is second best, another rack is the worst. */
Test(gsd, s4_11_anything_is_taken_at_the_sixth_offer)
{
    struct fakehost *h = cluster(2, 2, 1);
    fakehost_open(h, &pol_gsd, "second_after=3,any_after=6,heartbeat=1000000,place=first");
    uint32_t t = first_of(h, job_of_gpus(h, 0, 2));
    h->view.gpu_total = 2000;
    h->node[3].is_up = 0;
    h->card[0].milli_free = h->card[1].milli_free = 0;
    reads(h, t, 400 * MB, 0);
    reads(h, t + 1, 400 * MB, 0);
    for (uint32_t i = 1; i < 6; i++) {
        fakehost_decide(h, i * S);
        cr_assert_eq(h->n_log, 0, "offer %u was taken", i);
        fakehost_timer(h);
    }
    fakehost_decide(h, 6 * S);
    runs_on(h, t, 2);
    fakehost_destroy(h);
}

Test(gsd, s4_11_local_is_taken_at_once)
{
    struct fakehost *h = cluster(2, 2, 1);
    fakehost_open(h, &pol_gsd, "second_after=3,any_after=6,place=worst");
    uint32_t t = first_of(h, job_of_gpus(h, 0, 1));
    reads(h, t, 400 * MB, 3);
    fakehost_decide(h, 0);
    runs_on(h, t, 3);
    cr_assert_eq(h->n_wakes, 0);
    fakehost_destroy(h);
}

/* An offer is a GPU that became free or a heartbeat; other things that happen meanwhile are none. */
Test(gsd, s4_11_what_was_declined_is_not_offered_again_between_heartbeats)
{
    struct fakehost *h = cluster(2, 2, 1);
    for (uint32_t i = 2; i < 4; i++) h->node[i].is_up = 0;
    h->view.gpu_total = 2000;
    h->card[0].milli_free = 0;
    fakehost_open(h, &pol_gsd, "second_after=3,any_after=6,heartbeat=1000000");
    uint32_t t = first_of(h, job_of_gpus(h, 0, 2));
    reads(h, t, 400 * MB, 0);
    reads(h, t + 1, 400 * MB, 0);
    for (int i = 0; i < 100; i++) {
        fakehost_decide(h, S + i);
        cr_assert_eq(h->n_log, 0);
        fakehost_timer(h);
    }
    cr_assert_eq(h->n_wakes, 1);
    fakehost_destroy(h);
}

/* Task 0's data is on node 0, task 1's on node 1; node 1's GPU is free: task 1 goes first, 0 waits. */
Test(gsd, a_job_takes_the_task_that_is_best_off)
{
    struct fakehost *h = cluster(1, 2, 1);
    fakehost_open(h, &pol_gsd, "");
    uint32_t a = job_of_gpus(h, 0, 2), t = first_of(h, a);
    reads(h, t, 40 * MB, 0);
    reads(h, t + 1, 400 * MB, 1);
    fakehost_decide(h, 0);
    runs_on(h, t, 0);
    runs_on(h, t + 1, 1);
    fakehost_destroy(h);
}

static void refuse(const struct pol_ops *ops, const char *const *params, size_t n, const char *words)
{
    for (size_t i = 0; i < n; i++) {
        struct fakehost *h = cluster(1, 1, 1);
        fakehost_refuses(h, ops, params[i], words);
        fakehost_destroy(h);
    }
}

Test(gsd, each_part_of_its_delay_is_looked_at)
{
    static const char *const bad[] = { "second_after=-1,any_after=2", "second_after=3,any_after=2", "heartbeat=0" };
    refuse(&pol_gsd, bad, 3, "0 <= second_after <= any_after and a heartbeat longer than 0");
}

Test(capacity, each_part_of_its_delay_is_looked_at)
{
    static const char *const bad[] = { "delay=-1", "delay=2147483648", "heartbeat=0" };
    refuse(&pol_capacity, bad, 3, "a delay from 0 to 2^31 - 1 and a heartbeat longer than 0");
}

/*
 * Queues of users 0 and 1, 4 GPUs.  capacity: user 0's first job takes all of
 * its queue's 2; fair: its two jobs take one each.
 */
static void two_users(const struct pol_ops *ops, uint32_t a0, uint32_t a1)
{
    struct fakehost *h = cluster(1, 2, 2);
    fakehost_open(h, ops, "");
    uint32_t a = job_of_gpus(h, 0, 9), b = job_of_gpus(h, 0, 9), c = job_of_gpus(h, 1, 9);
    fakehost_decide(h, 0);
    cr_assert_eq(n_running(h, a), a0);
    cr_assert_eq(n_running(h, b), a1);
    cr_assert_eq(n_running(h, c), 2);
    fakehost_destroy(h);
}

Test(capacity, s5_4_queues_share_equally_and_are_fifo_inside) { two_users(&pol_capacity, 2, 0); }
Test(fair, s5_4_queues_and_their_jobs_share_equally) { two_users(&pol_fair, 1, 1); }

/* One free GPU: a later task whose node or rack it is goes before an earlier one; idle queues lend theirs. */
Test(capacity, s5_4_local_before_rack_before_any)
{
    struct fakehost *h = cluster(2, 2, 1);
    fakehost_open(h, &pol_capacity, "");
    for (uint32_t i = 1; i < 4; i++) h->node[i].is_up = 0;
    uint32_t t = first_of(h, job_of_gpus(h, 0, 3));
    reads(h, t, 1 * MB, 3);
    reads(h, t + 1, 1 * MB, 1);
    reads(h, t + 2, 900 * MB, 0);
    for (uint32_t i = 0; i < 3; i++) {
        fakehost_decide(h, i * S);
        runs_on(h, t + 2 - i, 0);
        fakehost_end(h, t + 2 - i);
    }
    fakehost_destroy(h);
}

/* delay=2: a rack node is taken at the third offer, any other at the fifth. */
static void waits_for(uint32_t other, uint32_t offers)
{
    struct fakehost *h = cluster(2, 2, 1);
    for (uint32_t i = 0; i < 4; i++) h->node[i].is_up = i == other;
    fakehost_open(h, &pol_fair, "delay=2,heartbeat=1000000");
    uint32_t t = first_of(h, job_of_gpus(h, 0, 1));
    reads(h, t, 400 * MB, 0);
    for (uint32_t i = 1; i < offers; i++) {
        fakehost_decide(h, i * S);
        cr_assert_eq(h->n_log, 0);
        fakehost_timer(h);
    }
    fakehost_decide(h, offers * S);
    runs_on(h, t, other);
    fakehost_destroy(h);
}

Test(fair, a_delay_waits_for_the_rack) { waits_for(1, 3); }
Test(fair, a_delay_waits_twice_as_long_for_the_rest) { waits_for(3, 5); }

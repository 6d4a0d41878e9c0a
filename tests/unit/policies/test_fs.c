/*
 * fs, fsp, fsu and quincy on a hand-worked host: S4-2, S4-4, S4-5, S4-9, S4-10
 * and S4-15 to S4-19.
 *
 * Speeds: disk 500 MB/s, rack 250 MB/s, aggregation 125 MB/s, so a block of
 * 1 GB costs 2 s local, 4 s in the rack times alpha1, 8 s across times alpha2.
 * With alphas of 1.001 the last two are 4.004 s and 8.008 s.
 */
#include <criterion/criterion.h>
#include <string.h>
#include "ref/fakehost.h"
#include "builtin.h"

#define MB INT64_C(1000000)
#define GB (1000 * MB)
#define S  INT64_C(1000000)

static struct fakehost *cluster(uint32_t racks, uint32_t per_rack, uint32_t gpus)
{
    struct fakehost *h = fakehost_create();
    h->disk_bps = 500 * MB;
    h->rack_bps = 250 * MB;
    h->aggregation_bps = 125 * MB;
    fakehost_racks(h, racks, per_rack, gpus);
    return h;
}

static uint32_t first_of(const struct fakehost *h, uint32_t job) { return h->job[job].first_task.slot; }
/* n tasks of one GPU, the first shape of every cluster here. */
static uint32_t job_of(struct fakehost *h, uint32_t n) { return fakehost_job(h, 0, 0, n, false, -1, -1); }
static void reads(struct fakehost *h, uint32_t task, int64_t size, uint32_t node) { fakehost_input(h, task, size, &node, 1); }
static uint32_t n_running(const struct fakehost *h, uint32_t job) { return h->job[job].n_running; }
static int64_t node_of(const struct fakehost *h, uint32_t task) { return h->task[task].info.is_running ? (int64_t)h->task[task].info.node : -1; }
static uint32_t n_stops(const struct fakehost *h)
{
    uint32_t n = 0;
    for (size_t i = 0; i < h->n_log; i++) n += !h->log[i].is_start;
    return n;
}

/* Figure 1: t11 on both nodes, t12 and t21 on GPU 2's; two GPUs, two jobs. */
static struct fakehost *figure_1(const struct pol_ops *ops, uint32_t t[3])
{
    struct fakehost *h = cluster(2, 1, 1);
    fakehost_open(h, ops, "");
    uint32_t j1 = job_of(h, 2), j2 = job_of(h, 1);
    t[0] = first_of(h, j1), t[1] = t[0] + 1, t[2] = first_of(h, j2);
    fakehost_input(h, t[0], GB, (uint32_t[]){ 0, 1 }, 2);
    reads(h, t[1], GB, 1);
    reads(h, t[2], GB, 1);
    fakehost_decide(h, 0);
    return h;
}

Test(fs, s4_2_figure_1_is_fair_and_all_local)
{
    const struct pol_ops *const all[] = { &pol_fs, &pol_fsp };
    for (int p = 0; p < 2; p++) {
        uint32_t t[3];
        struct fakehost *h = figure_1(all[p], t);
        cr_expect(node_of(h, t[0]) == 0 && node_of(h, t[2]) == 1 && node_of(h, t[1]) == -1, "%s", all[p]->name);
        fakehost_destroy(h);
    }
}

/* Either of t12 and t21 beside t11. */
Test(fsu, s4_2_figure_1_without_shares_has_two_local_tasks)
{
    uint32_t t[3];
    struct fakehost *h = figure_1(&pol_fsu, t);
    cr_assert_eq(node_of(h, t[0]), 0);
    cr_assert_eq((node_of(h, t[1]) == 1) + (node_of(h, t[2]) == 1), 1);
    fakehost_destroy(h);
}

/*
 * A task is left where leaving it (2 alpha3) costs less than placing it.  Job a
 * holds its basic share of one GPU, job b too; the third GPU is left to a's
 * next task at a cost that the network decides (S4-4, S4-5):
 *   the data in the GPU's rack: 4 s x alpha1;  across: 8 s x alpha2;
 *   1 GB in the rack and 1 GB across: the sum;  two replicas: the cheaper.
 */
static bool takes_third(const char *params, int what)
{
    struct fakehost *h = cluster(2, 2, 1);          /* nodes 0, 1 in rack 0; 2, 3 in rack 1 */
    h->node[3].is_up = 0;                           /* Q = 3: nodes 0, 1, 2 */
    h->view.gpu_total = 3000;
    fakehost_open(h, &pol_fs, params);
    uint32_t a = first_of(h, job_of(h, 2)), b = first_of(h, job_of(h, 1));
    reads(h, a, GB, 0);
    reads(h, b, GB, 2);
    switch (what) {
    case 0: reads(h, a + 1, GB, 0); break;                                              /* in the rack of node 1 */
    case 1: reads(h, a + 1, GB, 2); break;                                              /* across */
    case 2: reads(h, a + 1, GB, 0); reads(h, a + 1, GB, 2); break;
    case 3: fakehost_input(h, a + 1, GB, (uint32_t[]){ 0, 2 }, 2); break;
    }
    fakehost_decide(h, 0);
    bool takes = node_of(h, a + 1) == 1;
    cr_assert(node_of(h, a) == 0 && node_of(h, b) == 2);
    cr_assert(takes || node_of(h, a + 1) == -1);
    fakehost_destroy(h);
    return takes;
}

Test(fs, s4_4_s4_5_costs_are_time_by_distance_times_the_alphas)
{
    /* 4 s x 2 = 8 s against 2 x 3.999 and 2 x 4.001 */
    cr_expect_not(takes_third("alpha1=2,alpha2=4,alpha3=3.999", 0));
    cr_expect(takes_third("alpha1=2,alpha2=4,alpha3=4.001", 0));
    /* 8 s x 4 = 32 s */
    cr_expect_not(takes_third("alpha1=2,alpha2=4,alpha3=15.999", 1));
    cr_expect(takes_third("alpha1=2,alpha2=4,alpha3=16.001", 1));
    /* 8 s + 32 s */
    cr_expect_not(takes_third("alpha1=2,alpha2=4,alpha3=19.999", 2));
    cr_expect(takes_third("alpha1=2,alpha2=4,alpha3=20.001", 2));
    /* the replica in the rack */
    cr_expect_not(takes_third("alpha1=2,alpha2=4,alpha3=3.999", 3));
    cr_expect(takes_third("alpha1=2,alpha2=4,alpha3=4.001", 3));
}

static bool accepted(const struct pol_ops *ops, uint32_t param, double x)
{
    union pol_value value[8] = { { 0 } };
    struct fakehost *h = fakehost_create();
    uint32_t flags = ops->flags;
    char error[256] = "";
    for (uint32_t k = 1; k <= 3; k++) value[k].x = 2;
    value[param].x = x;
    void *self = ops->create(&h->api, value, &flags, error, sizeof error);
    if (self != NULL) ops->destroy(self);
    else cr_assert_neq(strstr(error, ops->params[param].name), NULL, "%s", error);
    fakehost_destroy(h);
    return self != NULL;
}

Test(fs, s4_5_every_alpha_is_above_1)
{
    for (uint32_t k = 1; k <= 3; k++) {
        cr_expect(accepted(&pol_fs, k, 1.001));
        cr_expect_not(accepted(&pol_fs, k, 1));
        cr_expect_not(accepted(&pol_fsp, k, 0.5));
        cr_expect_not(accepted(&pol_fs, k, 2e6));
        if (k < 3) cr_expect_not(accepted(&pol_fsu, k, 1));
    }
}

/* Figure 4: 6 GPUs, jobs of 4, 3 and 2 tasks at equal costs: two each. */
Test(fs, s4_15_figure_4_gives_two_gpus_each)
{
    const struct pol_ops *const all[] = { &pol_fs, &pol_fsp };
    for (int p = 0; p < 2; p++) {
        struct fakehost *h = cluster(2, 3, 1);
        fakehost_open(h, all[p], "");
        uint32_t j[3] = { job_of(h, 4), job_of(h, 3), job_of(h, 2) };
        fakehost_decide(h, 0);
        for (int i = 0; i < 3; i++) cr_expect_eq(n_running(h, j[i]), 2, "%s, job %d", all[p]->name, i);
        fakehost_destroy(h);
    }
}

/* 8 GB fit the 10 GB card alone; exactly as much as there is fits (<=). */
Test(fs, s4_16_no_arc_where_the_memory_is_too_small)
{
    struct fakehost *h = cluster(1, 1, 1);
    (void)fakehost_node(h, 16000, 64 * GB, 1, 4 * GB);
    uint32_t big = fakehost_shape(h, (struct pol_shape){ .cpu_milli = 100, .n_gpu = 1, .gpu_milli = 1000, .gpu_mem_b = 10 * GB });
    uint32_t huge = fakehost_shape(h, (struct pol_shape){ .cpu_milli = 100, .n_gpu = 1, .gpu_milli = 1000, .gpu_mem_b = 10 * GB + 1 });
    fakehost_open(h, &pol_fs, "");
    uint32_t a = first_of(h, fakehost_job(h, 0, big, 2, false, -1, -1)), b = first_of(h, job_of(h, 1)), c = first_of(h, fakehost_job(h, 0, huge, 1, false, -1, -1));
    fakehost_decide(h, 0);
    cr_assert_eq((node_of(h, a) == 0) + (node_of(h, a + 1) == 0), 1);
    cr_assert_eq(node_of(h, b), 1);
    cr_assert_eq(node_of(h, c), -1);
    fakehost_destroy(h);
}

/*
 * Q = 3, K = 2; a's three tasks are local to g1, b's one to g2, all in racks of
 * their own: local 2 s, remote 8.008 s.  2 x 3 < 8 < 2 x 4.5: at 3 a uses one
 * GPU, at 4.5 two, and g3.
 */
Test(fs, s4_17_the_threshold_is_twice_alpha)
{
    static const struct { const char *params; uint32_t gpus; } is[] = {
        { "alpha1=1.001,alpha2=1.001,alpha3=3", 1 }, { "alpha1=1.001,alpha2=1.001,alpha3=4", 1 },
        { "alpha1=1.001,alpha2=1.001,alpha3=4.005", 2 }, { "alpha1=1.001,alpha2=1.001,alpha3=4.5", 2 },
    };
    for (size_t i = 0; i < sizeof is / sizeof *is; i++) {
        struct fakehost *h = cluster(3, 1, 1);
        fakehost_open(h, &pol_fs, is[i].params);
        uint32_t a = job_of(h, 3), b = job_of(h, 1);
        for (uint32_t t = 0; t < 3; t++) reads(h, first_of(h, a) + t, GB, 0);
        reads(h, first_of(h, b), GB, 1);
        fakehost_decide(h, 0);
        cr_expect_eq(n_running(h, a), is[i].gpus, "%s: %u", is[i].params, n_running(h, a));
        cr_expect_eq(node_of(h, first_of(h, b)), 1);
        cr_expect_eq(h->node[2].n_tasks, is[i].gpus - 1, "%s", is[i].params);
        fakehost_destroy(h);
    }
}

/* Softly, a job that holds nothing has a claim to one GPU, however dear; to no more. */
Test(fs, s4_17_soft_leaves_all_but_one)
{
    struct fakehost *h = cluster(3, 1, 1);
    h->node[0].is_up = 0;
    h->view.gpu_total = 2000;
    fakehost_open(h, &pol_fs, "mode=soft,alpha1=1.001,alpha2=1.001,alpha3=3");
    uint32_t a = job_of(h, 3);
    for (uint32_t t = 0; t < 3; t++) reads(h, first_of(h, a) + t, GB, 0);
    fakehost_decide(h, 0);
    cr_assert_eq(n_running(h, a), 1);
    fakehost_destroy(h);
}

/*
 * Q = 1, K = 2: job a has the claim, but needs a card of a node that is down;
 * job b has none, and its task would cost 8 s against 2 x 3 s.  Nothing else
 * would ever happen, so it runs.
 */
Test(fs, a_cluster_with_work_that_fits_is_never_idle)
{
    struct fakehost *h = cluster(2, 1, 1);
    uint32_t far = fakehost_node(h, 16000, 64 * GB, 1, 20 * GB);
    uint32_t big = fakehost_shape(h, (struct pol_shape){ .cpu_milli = 100, .n_gpu = 1, .gpu_milli = 1000, .gpu_mem_b = 20 * GB });
    h->node[1].is_up = h->node[far].is_up = 0;
    h->view.gpu_total = 1000;
    fakehost_open(h, &pol_fs, "alpha1=1.001,alpha2=1.001,alpha3=3");
    (void)fakehost_job(h, 0, big, 1, false, -1, -1);
    uint32_t b = first_of(h, job_of(h, 1));
    reads(h, b, GB, 1);
    fakehost_decide(h, 0);
    cr_assert_eq(node_of(h, b), 0);
    fakehost_destroy(h);
}

/* Job a has all six GPUs, then b comes: fs stops nothing, and b gets what ends (S4-9, S4-19). */
Test(fs, s4_19_newcomers_wait_and_come_first)
{
    struct fakehost *h = cluster(1, 6, 1);
    fakehost_open(h, &pol_fs, "");
    uint32_t a = job_of(h, 12);
    fakehost_decide(h, 0);
    cr_assert_eq(n_running(h, a), 6);
    uint32_t b = job_of(h, 6);
    fakehost_decide(h, S);
    cr_assert_eq(n_running(h, b), 0);
    for (uint32_t i = 0; i < 4; i++) {
        fakehost_end(h, first_of(h, a) + i);
        fakehost_decide(h, (2 + i) * S);
        cr_assert_eq(n_running(h, b), i < 3 ? i + 1 : 3 + (n_running(h, a) == 2));
    }
    cr_assert_eq(n_running(h, a) + n_running(h, b), 6);
    cr_assert_eq(n_stops(h), 0);
    fakehost_destroy(h);
}

/* The same under fsp: b has its three at once, and a loses the last started (S4-10, S4-19). */
Test(fsp, s4_19_the_shortest_run_above_the_share_are_stopped)
{
    struct fakehost *h = cluster(1, 6, 1);
    fakehost_open(h, &pol_fsp, "");
    uint32_t a = job_of(h, 12);
    for (uint32_t i = 3; i < 6; i++) h->node[i].is_up = 0;
    h->view.gpu_total = 3000;
    fakehost_decide(h, 0);
    for (uint32_t i = 3; i < 6; i++) fakehost_up(h, i, true);
    fakehost_decide(h, S);
    cr_assert_eq(n_running(h, a), 6);
    uint32_t late[6], n = 0;
    for (uint32_t i = 0; i < 12; i++)
        if (h->task[first_of(h, a) + i].info.started_us == S) late[n++] = first_of(h, a) + i;
    cr_assert_eq(n, 3);
    uint32_t b = job_of(h, 6);
    fakehost_decide(h, 2 * S);
    cr_assert(n_running(h, a) == 3 && n_running(h, b) == 3);
    cr_assert_eq(n_stops(h), 3);
    for (uint32_t i = 0; i < 3; i++) cr_expect_eq(node_of(h, late[i]), -1);
    fakehost_destroy(h);
}

/* A job alone, softly, and its data on node 0 with one GPU.  Its second task starts across, at 8 s, because
 * 2 x alpha3 is more; when node 0 is free after 3 s, 8.008 - 3 > 2, and it moves there.  After 7 s it would not. */
static void moves(int64_t at, bool expected)
{
    struct fakehost *h = cluster(2, 1, 1);
    fakehost_open(h, &pol_fsp, "replace=true,mode=soft,alpha1=1.001,alpha2=1.001,alpha3=30");
    uint32_t t = first_of(h, job_of(h, 2));
    reads(h, t, GB, 0);
    reads(h, t + 1, GB, 0);
    fakehost_decide(h, 0);
    uint32_t near = node_of(h, t) == 0 ? t : t + 1, away = t + t + 1 - near;
    cr_assert(node_of(h, near) == 0 && node_of(h, away) == 1);
    fakehost_end(h, near);
    fakehost_decide(h, at);
    cr_assert_eq(node_of(h, away), expected ? 0 : 1);
    cr_assert_eq(n_stops(h), expected);
    fakehost_destroy(h);
}

Test(fsp, replacing_moves_a_task_when_it_gains_more_than_it_ran)
{
    moves(3 * S, true);
    moves(7 * S, false);
}

/*
 * Quincy: 1 GB across the core costs 2; waiting 0.5 a second.  With node 0, which
 * holds the data, down for good, the task is worth its start after 4 s, and the
 * policy asks to be woken then.
 */
Test(quincy, a_task_waits_until_waiting_costs_more_than_reading)
{
    struct fakehost *h = cluster(2, 1, 1);
    h->node[0].is_up = 0;
    h->view.gpu_total = 1000;
    fakehost_open(h, &pol_quincy, "");
    uint32_t t = first_of(h, job_of(h, 1));
    reads(h, t, GB, 0);
    fakehost_decide(h, 0);
    cr_assert_eq(node_of(h, t), -1);
    cr_assert_eq(h->n_wakes, 1);
    cr_assert_eq(h->wake[0], 4 * S);
    fakehost_timer(h);
    fakehost_decide(h, h->wake[0]);
    cr_assert_eq(node_of(h, t), 1);
    cr_assert_eq(h->n_wakes, 1);
    fakehost_destroy(h);
}

/* Units of two GPUs, gangs and shares of a card are offered as gs does; nothing of them is lost. */
Test(fs, wider_units_run_beside_the_flow)
{
    const struct pol_ops *const all[] = { &pol_fs, &pol_fsp, &pol_fsu, &pol_quincy };
    for (int p = 0; p < 4; p++) {
        struct fakehost *h = cluster(1, 3, 2);
        uint32_t two = fakehost_shape(h, (struct pol_shape){ .cpu_milli = 100, .n_gpu = 2, .gpu_milli = 1000 });
        uint32_t half = fakehost_shape(h, (struct pol_shape){ .cpu_milli = 100, .n_gpu = 1, .gpu_milli = 500 });
        uint32_t cpu = fakehost_shape(h, (struct pol_shape){ .cpu_milli = 16000 });
        fakehost_open(h, all[p], "");
        uint32_t a = fakehost_job(h, 0, two, 1, false, -1, -1), b = fakehost_job(h, 0, half, 2, false, -1, -1);
        uint32_t c = fakehost_job(h, 0, 0, 1, true, -1, -1), d = job_of(h, 9), e = fakehost_job(h, 0, cpu, 1, false, -1, -1);
        fakehost_decide(h, 0);
        cr_expect_eq(n_running(h, a) + n_running(h, b) + n_running(h, c), 4, "%s", all[p]->name);
        cr_expect_eq(n_running(h, d), 2, "%s: %u", all[p]->name, n_running(h, d));
        cr_expect_eq(n_running(h, e), 0, "%s", all[p]->name);
        for (int64_t now = S; now < 40 * S; now += S) {
            for (uint32_t t = 0; t < h->n_tasks; t++)
                if (h->task[t].info.is_running) fakehost_end(h, t);
            fakehost_decide(h, now);
        }
        for (uint32_t t = 0; t < h->n_tasks; t++) cr_expect(h->task[t].is_done, "%s: task %u", all[p]->name, t);
        fakehost_destroy(h);
    }
}

/*
 * Stops for wider units and the flow's own do not mix: a job of two-GPU tasks
 * takes its share back by a stop, and then, nothing being left to stop, a single comes.
 */
Test(fsp, a_stop_for_a_wider_unit_is_made_once)
{
    struct fakehost *h = cluster(1, 2, 2);
    uint32_t two = fakehost_shape(h, (struct pol_shape){ .cpu_milli = 100, .n_gpu = 2, .gpu_milli = 1000 });
    fakehost_open(h, &pol_fsp, "");
    uint32_t a = fakehost_job(h, 0, two, 2, false, -1, -1);
    fakehost_decide(h, 0);
    cr_assert_eq(n_running(h, a), 2);
    uint32_t b = fakehost_job(h, 0, two, 1, false, -1, -1);
    fakehost_decide(h, S);
    cr_assert(n_running(h, a) == 1 && n_running(h, b) == 1);
    cr_assert_eq(n_stops(h), 1);
    fakehost_end(h, first_of(h, a));
    uint32_t c = job_of(h, 1);
    fakehost_decide(h, 2 * S);
    cr_assert_eq(n_stops(h), 1);
    cr_assert(n_running(h, a) + n_running(h, b) + n_running(h, c) >= 2);
    fakehost_destroy(h);
}

/* Two GPUs but CPU for one task: the other waits, though the flow would place it. */
Test(fs, a_place_that_lacks_cpu_is_left_out)
{
    struct fakehost *h = fakehost_create();
    h->view.n_racks = 1;
    (void)fakehost_node(h, 1000, 64 * GB, 2, 0);
    (void)fakehost_node(h, 8000, 64 * GB, 1, 0);
    uint32_t s = fakehost_shape(h, (struct pol_shape){ .cpu_milli = 800, .n_gpu = 1, .gpu_milli = 1000 });
    fakehost_open(h, &pol_fs, "");
    uint32_t a = fakehost_job(h, 0, s, 3, false, -1, -1);
    fakehost_decide(h, 0);
    cr_assert_eq(n_running(h, a), 2);
    cr_assert(h->node[0].n_tasks == 1 && h->node[1].n_tasks == 1);
    fakehost_destroy(h);
}

/* 70 classes of cards, more than the solver has GPU classes: each task asks a label that one node has. */
Test(fs, more_classes_of_cards_than_the_solver_has)
{
    struct fakehost *h = fakehost_create();
    h->view.n_racks = 1;
    for (uint32_t i = 0; i < FAKE_NODES; i++) (void)fakehost_node(h, 1000 + i, 64 * GB, i < 60 ? 1 : 2, 0);
    for (uint32_t k = h->node[60].card0; k < h->view.n_cards; k++) h->card[k].mem_total = h->card[k].mem_free = (1 + k) * GB;
    h->shape[0].n_gpu = 0;
    for (uint32_t i = 0; i < 6; i++)
        (void)fakehost_shape(h, (struct pol_shape){ .cpu_milli = 1000 + 63 - i, .n_gpu = 1, .gpu_milli = 1000 });
    fakehost_open(h, &pol_fs, "");
    uint32_t first[6];
    for (uint32_t i = 0; i < 6; i++) first[i] = first_of(h, fakehost_job(h, 0, i, 1, false, -1, -1));
    fakehost_decide(h, 0);
    for (uint32_t i = 0; i < 6; i++) cr_expect_geq(node_of(h, first[i]), 63 - (int64_t)i, "task %u on node %ld", i, (long)node_of(h, first[i]));
    fakehost_destroy(h);
}

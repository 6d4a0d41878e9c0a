/*
 * The affinity policy and what it is compared with, case by case of the
 * acceptance list: S2-… are its numbers.  Times in seconds, worked out by hand.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "base/mem.h"
#include "ref/yard.h"

static struct yard y;
static void setup(void) { yard_init(&y); }
static void teardown(void) { yard_fini(&y); }
TestSuite(affinity, .init = setup, .fini = teardown);

static void run(const char *policy)
{
    yard_run(&y, policy);
    cr_assert_eq(y.result, ST_END, "%s", y.diag.msg);
}

/* The next place where these words stand, whole: "5 send j1" is neither in "15 send j1" nor in "5 send j12". */
static const char *find(const char *in, const char *what)
{
    size_t n = strlen(what);
    for (const char *at = in; (at = strstr(at, what)) != NULL; at++)
        if ((at == in || strchr(" \n", *what) != NULL || strchr(" \n", at[-1]) != NULL) &&
            (strchr(" \n", what[n - 1]) != NULL || strchr(" \n,", at[n]) != NULL)) return at;
    return NULL;
}

static bool said(const char *what) { return find(y.reason, what) != NULL; }
static bool logged(const char *what) { return find(y.log, what) != NULL; }
#define SAID(what)   cr_assert(said(what), "decisions:\n%s", y.reason)
#define LOGGED(what) cr_assert(logged(what), "log:\n%s", y.log)

static int count(const char *in, const char *what)
{
    int n = 0;
    for (const char *at = in; (at = find(at, what)) != NULL; at += strlen(what)) n++;
    return n;
}

/* Types G and N of S2-19: on gpu 10 and 40, on npu 40 and 10, on cpu 80. */
static void two_types(void)
{
    static const struct { const char *api, *engine; int64_t s; } time[] = {
        { "G", "cpu", 80 }, { "G", "gpu", 10 }, { "G", "npu", 40 }, { "N", "cpu", 80 }, { "N", "gpu", 40 }, { "N", "npu", 10 },
    };
    for (size_t i = 0; i < ARRAY_LEN(time); i++) yard_time(&y, time[i].api, time[i].engine, 1, time[i].s);
}

Test(affinity, s2_1_the_master_takes_the_head_of_its_queue_or_the_first_q)
{
    two_types();
    yard_node(&y, "gpu:1", 0, 0);
    yard_node(&y, "gpu:1", 0, 0);
    for (int i = 0; i < 4; i++) yard_job(&y, 0, 1, "G:1:0");
    /* One at a time, each sees the last one's load: 0, 1, and then 0 as neither is below the preset. */
    run("affinity:target=best,balance=load,load=1,cross=off,rebalance=false");
    SAID("0 send j0.0 n0 target engine gpu, by load\n0 send j1.0 n1 target engine gpu, by load\n0 send j2.0 n0 target engine gpu, by load\n0 send j3.0 n1");
    /* Two at a time: both are placed on the loads as they were when they were taken. */
    run("affinity:target=best,balance=load,load=1,cross=off,rebalance=false,take=2");
    SAID("0 send j0.0 n0 target engine gpu, by load\n0 send j1.0 n0 target engine gpu, by load\n0 send j2.0 n1 target engine gpu, by load\n0 send j3.0 n1");
}

/* S2-4: ranks, times and efficiencies are three ways to say one thing. */
Test(affinity, s2_4_every_form_of_the_relation_gives_the_same_decisions)
{
    static const char *const set[] = { "G:1:0,G:1:0,N:1:0", "N:1:0", "G:1:0", "N:1:0,N:1:0,G:1:0" };
    uint64_t digest[RELATION_FORMS + 1];
    for (int f = 0; f <= RELATION_FORMS; f++) {
        yard_fini(&y);
        yard_init(&y);
        two_types();
        yard_node(&y, "cpu:1,gpu:1", 1, 0);
        yard_node(&y, "cpu:1,npu:1", 1, 0);
        yard_node(&y, "gpu:1,npu:1", 1, 0);
        for (int i = 0; i < 12; i++) yard_job(&y, i, 2, set[i % 4]);
        for (uint32_t i = 0; i < y.n_jobs && f < RELATION_FORMS; i++)
            for (uint32_t k = 0; k < 2; k++) {
                char name[32];
                sim_tick us[ENGINE_TYPES_MAX];
                (void)snprintf(name, sizeof name, "j%u/%u", i, k);
                relation_profile(&y.times, y.call + y.job[i].first, y.job[i].n, us);
                uint32_t id = intern_id(&y.relation.tasks, name);
                MEM_RESERVE(y.relation.row, y.relation.cap, (size_t)id + 1);
                y.relation.row[id] = relation_of_times(us, (enum relation_form)f);
            }
        run("affinity:target=best");
        digest[f] = y.digest;
    }
    cr_assert(digest[0] == digest[1] && digest[1] == digest[2] && digest[2] == digest[3], "the last is profiled by the host itself");
}

/* S2-5: G is best on the GPU and half as good on the "dsp". */
Test(affinity, s2_5_the_target_is_the_best_engine_or_any_above_a_preset)
{
    two_types();
    yard_time(&y, "G", "dsp", 1, 20);
    yard_node(&y, "dsp:1", 0, 0);
    yard_node(&y, "gpu:1", 0, 0);
    yard_job(&y, 0, 1, "G:1:0");
    run("affinity:cross=off,target=best");
    SAID("send j0.0 n1");
    run("affinity:cross=off,target=above,least=0.5");
    SAID("send j0.0 n1");                       /* exactly the preset is not above it */
    run("affinity:cross=off,target=above,least=0.49");
    SAID("send j0.0 n0");
    run("affinity:cross=off,target=above,least=1");
    SAID("send j0.0 n1");                       /* the best is a target whatever the preset */
}

Test(affinity, s2_5_ranks_alone_cannot_be_compared_with_a_preset)
{
    two_types();
    yard_node(&y, "gpu:1", 0, 0);
    yard_job(&y, 0, 1, "G:1:0");
    uint32_t id = intern_id(&y.relation.tasks, "j0/0");
    MEM_RESERVE(y.relation.row, y.relation.cap, (size_t)id + 1);
    y.relation.row[id] = (struct relation_row){ .form = RELATION_RANK, .value = { 2, 1 } };
    yard_run(&y, "affinity");
    cr_assert_eq(y.result, ST_EPOLICY);
    cr_assert(strstr(y.diag.msg, "only ranks: target=best") != NULL, "%s", y.diag.msg);
}

/* S2-6: n0 is idle and n1 full, and still N goes to n1, the only one with an NPU. */
Test(affinity, s2_6_the_first_node_has_the_target_engine_and_the_only_one_gets_the_task)
{
    two_types();
    yard_node(&y, "cpu:9,gpu:9", 0, 0);
    yard_node(&y, "npu:1", 0, 0);
    for (int i = 0; i < 5; i++) yard_job(&y, 0, 1, "N:1:0");
    run("affinity:cross=off");
    cr_assert_eq(count(y.reason, "send"), 5);
    for (int i = 0; i < 5; i++) {
        char what[32];
        (void)snprintf(what, sizeof what, "send j%d.0 n1", i);
        SAID(what);
    }
}

/* S2-7: below the preset the first node, though another has less; above it everywhere, the least loaded (S2-7 A). */
Test(affinity, s2_7_by_load_the_first_below_the_preset_else_the_least_loaded)
{
    two_types();
    yard_node(&y, "gpu:2", 0, 0);
    yard_node(&y, "gpu:4", 0, 0);
    for (int i = 0; i < 8; i++) yard_job(&y, 0, 1, "G:1:0");
    run("affinity:balance=load,cross=off,rebalance=false,load=1");
    /* Loads 0/2 1/2 | 0/4 1/4 2/4 3/4 | all at 1: n0, then n1 with 4/4 against 3/2. */
    for (int i = 0; i < 8; i++) {
        char what[32];
        (void)snprintf(what, sizeof what, "send j%d.0 n%d", i, (const int[]){ 0, 0, 1, 1, 1, 1, 0, 1 }[i]);
        SAID(what);
    }
}

/* S2-7: n0 has two GPUs and n1 four: n1 until both have two left, then in turn; n0 on ties. */
Test(affinity, s2_7_by_engines_the_node_with_most_of_them_available)
{
    two_types();
    yard_node(&y, "gpu:2,cpu:9", 0, 0);
    yard_node(&y, "gpu:4", 0, 0);
    for (int i = 0; i < 4; i++) yard_job(&y, 0, 1, "G:1:0");
    run("affinity:cross=off,rebalance=false,balance=engines");
    for (int i = 0; i < 4; i++) {
        char what[32];
        (void)snprintf(what, sizeof what, "send j%d.0 n%d", i, (const int[]){ 1, 1, 0, 1 }[i]);
        SAID(what);
    }
}

/* S2-8, S2-16: sent once, started once, ended once, in this order. */
Test(affinity, s2_8_s2_16_a_task_leaves_the_master_once_and_its_states_follow_each_other)
{
    two_types();
    yard_node(&y, "cpu:1,gpu:1", 0, 0);
    yard_node(&y, "cpu:1,npu:1", 0, 0);
    for (int i = 0; i < 20; i++) yard_job(&y, i, 1, i % 3 ? "G:1:0,N:1:0" : "N:1:0");
    run("affinity:rebalance=false");
    for (int i = 0; i < 20; i++) {
        char send[32], start[32], stop[32];
        (void)snprintf(send, sizeof send, " send j%d 0 ", i);
        (void)snprintf(start, sizeof start, " start j%d 0 ", i);
        (void)snprintf(stop, sizeof stop, " stop j%d 0 ", i);
        cr_assert(count(y.log, send) == 1 && count(y.log, start) == 1 && count(y.log, stop) == 1, "%s", y.log);
        cr_assert(strstr(y.log, send) < strstr(y.log, start) && strstr(y.log, start) < strstr(y.log, stop));
    }
}

/* S2-11: both of n0's GPUs and its NPU run G: gpu first, then gpu, and at condition above the npu (10 / 40 > 0.24). */
Test(affinity, s2_11_a_call_takes_the_best_free_engine_at_home_that_meets_the_condition)
{
    two_types();
    yard_node(&y, "cpu:1,gpu:2,npu:1", 0, 0);
    for (int i = 0; i < 4; i++) yard_job(&y, 0, 1, "G:1:0");
    run("affinity:condition=above,call_least=0.24");
    cr_assert_eq(count(y.log, " n0 gpu "), 3, "the fourth waits for a GPU, as the CPU is too slow: %s", y.log);
    cr_assert_eq(count(y.log, " n0 npu "), 1);
    cr_assert_eq(y.makespan, 40);
    run("affinity:condition=above,call_least=0.25");
    cr_assert_eq(count(y.log, " n0 gpu "), 4, "a quarter is not more than a quarter: %s", y.log);
    run("affinity:condition=above,call_least=1");
    cr_assert_eq(count(y.log, " n0 gpu "), 4, "the best meets every condition: %s", y.log);
    run("affinity:condition=best");
    cr_assert_eq(count(y.log, " n0 gpu "), 4);
    cr_assert_eq(y.makespan, 20);
}

/*
 * S2-14: one GPU and two tasks that are best there; the CPU is half as fast.
 * The second falls back to it at once: ends at 20, and nothing waits.
 */
Test(affinity, s2_14_when_the_best_engine_is_scarce_the_surplus_takes_the_next)
{
    yard_time(&y, "G", "gpu", 1, 10);
    yard_time(&y, "G", "cpu", 1, 20);
    yard_node(&y, "cpu:1,gpu:1", 0, 0);
    yard_job(&y, 0, 1, "G:1:0");
    yard_job(&y, 0, 1, "G:1:0");
    run("affinity:condition=above,call_least=0.49");
    LOGGED("10000000 call j0 0 0 n0 gpu 10000000+0 done");
    LOGGED("20000000 call j1 0 0 n0 cpu 20000000+0 done");
}

/*
 * S2-12, S2-13: the second call of S2-2's task takes 50 on the GPU at home and
 * 15 on an NPU elsewhere; `way` is what the way costs, there and back.
 */
static void second_call(int64_t way)
{
    yard_fini(&y);
    yard_init(&y);
    yard_time(&y, "x", "gpu", 1, 50);
    yard_time(&y, "x", "npu", 1, 15);
    yard_time(&y, "x", "cpu", 1, 120);
    yard_time(&y, "home", "gpu", 1, 18);
    yard_node(&y, "gpu:1,cpu:1", 0, 0);
    yard_node(&y, "npu:1", 0, 1);               /* 1 B/s: the way costs what the argument has in bytes */
    char calls[64];
    (void)snprintf(calls, sizeof calls, "home:1:0,x:%lld:1", (long long)(way - 1));
    yard_job(&y, 0, 1, calls);
}

Test(affinity, s2_13_a_call_travels_when_the_way_costs_less_than_it_saves)
{
    second_call(34);
    run("affinity:overhead=1000s");
    LOGGED("67000000 call j0 0 1 n1 npu 15000000+34000000 done");      /* 18 + 15 + 34 */
    cr_assert_eq(y.n_cross, 1);
    cr_assert_eq(y.cross_b, 34);
    second_call(35);
    run("affinity:overhead=1000s");
    LOGGED("68000000 call j0 0 1 n0 gpu 50000000+0 done");             /* 18 + 50 */
    cr_assert_eq(y.n_cross, 0);
}

/* The rule to the letter: any way below the preset, even one that costs more than it saves. */
Test(affinity, s2_12_s2_13_by_the_letter_it_travels_whenever_the_way_is_below_the_preset)
{
    second_call(60);
    run("affinity:overhead=61s,worth=false");
    LOGGED("93000000 call j0 0 1 n1 npu 15000000+60000000 done");
    run("affinity:overhead=60s,worth=false");
    LOGGED("68000000 call j0 0 1 n0 gpu");
    run("affinity:cross=off,worth=false");
    LOGGED("68000000 call j0 0 1 n0 gpu");
}

/* Two nodes with NPUs, a far one first: the least way wins over the lower number, whatever the limit. */
Test(affinity, s2_12_the_node_with_the_least_way)
{
    two_types();
    yard_time(&y, "home", "gpu", 1, 1);
    yard_node(&y, "gpu:1", 0, 0);
    yard_node(&y, "npu:1", 9, 0);
    yard_node(&y, "npu:1", 2, 0);
    yard_job(&y, 0, 1, "home:1:0,home:1:0,N:1:0,home:1:0");
    run("affinity:cross=least,width=1,target=above,least=0.01");
    LOGGED("n2 npu 10000000+4000000 done");
    cr_assert_eq(y.n_cross, 1);
}

/*
 * A faster engine far away, a slower one near: by the least way the near one, by the limit the fastest below it; of
 * two as near, the faster.
 */
Test(affinity, s2_12_the_least_way_wins_over_the_faster_engine)
{
    for (int64_t far = 9; far >= 2; far -= 7) {
        yard_fini(&y);
        yard_init(&y);
        yard_time(&y, "home", "gpu", 1, 1);
        yard_time(&y, "N", "dsp", 1, 15);
        yard_time(&y, "N", "npu", 1, 10);
        yard_node(&y, "gpu:1", 0, 0);
        yard_node(&y, "npu:1", far, 0);
        yard_node(&y, "dsp:1", 2, 0);
        yard_job(&y, 0, 1, "home:1:0,N:1:0");
        run("affinity:cross=least,width=1");
        if (far == 9) LOGGED("n2 dsp 15000000+4000000 done");
        else LOGGED("n1 npu 10000000+4000000 done");
        run("affinity:cross=limit,width=1,overhead=19s");
        if (far == 9) LOGGED("n1 npu 10000000+18000000 done");
        run("affinity:cross=limit,width=1,overhead=18s");
        if (far == 9) LOGGED("n2 dsp 15000000+4000000 done");
    }
}

/* A GPU and no CPU at home: a call that no engine there can run goes out, whatever the limit. */
Test(affinity, s2_12_what_home_cannot_run_travels_whatever_it_costs)
{
    yard_time(&y, "g", "gpu", 1, 10);
    yard_time(&y, "c", "cpu", 1, 10);
    yard_node(&y, "gpu:1", 100, 0);
    yard_node(&y, "cpu:1", 100, 0);
    yard_job(&y, 0, 1, "g:1:0,c:1:0");
    run("affinity:cross=off");
    LOGGED(" call j0 0 1 n1 cpu 10000000+400000000 done");
}

/*
 * S2-15: a burst of G comes while n0 alone has a GPU free; when n1 has emptied
 * its own queue it takes from the tail of n0's, but never what needs an NPU.
 */
Test(affinity, s2_15_an_empty_queue_takes_from_the_tail_of_the_longest_what_it_can_serve)
{
    two_types();
    yard_node(&y, "gpu:1,npu:1", 0, 0);
    yard_node(&y, "gpu:1", 0, 0);
    yard_fault(&y, 1, 1, false);
    yard_fault(&y, 5, 1, true);
    for (int i = 0; i < 6; i++) yard_job(&y, 2, 1, i % 2 ? "N:1:0" : "G:1:0");
    run("affinity:width=1,cross=off");
    /* n1 returns at 5: queue of n0 is j1..j5 behind j0; from the tail, the first with a GPU for target is j4. */
    SAID("5 send j4.0 n1 from a fuller queue to an empty one");
    cr_assert_eq(count(y.reason, "n1 from a fuller queue"), 2, "then j2: %s", y.reason);
    cr_assert_eq(count(y.log, " n1 npu "), 0);
    cr_assert_eq(y.n_moved, 2);
    run("affinity:width=1,cross=off,rebalance=false");
    cr_assert_eq(y.n_moved, 0);
    cr_assert_eq(count(y.log, " n1 gpu "), 0);
}

/*
 * n2 returns at 5 and takes the last of the longer queue: of n0's j1, j2 beside n1's j4; of n1's j3, j4 beside
 * n0's j1.
 */
Test(affinity, s2_15_of_two_queues_the_longer_gives_its_last)
{
    static const struct { const char *kinds, *moved; } c[] = {
        { "GGGGG", "5 send j2.0 n2 from a fuller queue to an empty one" },
        { "GGNNN", "5 send j4.0 n2 from a fuller queue to an empty one" },
    };
    for (size_t i = 0; i < ARRAY_LEN(c); i++) {
        yard_fini(&y);
        yard_init(&y);
        two_types();
        yard_node(&y, "gpu:1", 0, 0);
        yard_node(&y, "gpu:1,npu:1", 0, 0);
        yard_node(&y, "gpu:1,npu:1", 0, 0);
        yard_fault(&y, 1, 2, false);
        yard_fault(&y, 5, 2, true);
        for (const char *k = c[i].kinds; *k != '\0'; k++) yard_job(&y, 2, 1, *k == 'G' ? "G:1:0" : "N:1:0");
        run(i == 0 ? "affinity:width=1,cross=off,balance=load,load=3" : "affinity:width=1,cross=off,balance=load,load=2");
        SAID(c[i].moved);
    }
}

/* A node is lost with a queue, a running task and a call of another node's: all three are made good. */
Test(affinity, tasks_and_calls_of_a_lost_node_are_made_anew)
{
    two_types();
    yard_node(&y, "gpu:1", 0, 0);
    yard_node(&y, "npu:1", 0, 0);
    yard_job(&y, 0, 1, "N:1:0,N:1:0");
    yard_job(&y, 0, 3, "G:1:0,N:1:0");
    yard_fault(&y, 15, 1, false);
    yard_fault(&y, 100, 1, true);
    run("affinity");
    LOGGED("15000000 call");
    cr_assert_geq(count(y.log, " lost\n"), 1, "%s", y.log);
    cr_assert_eq(count(y.log, "end"), 2);
}

/* Z takes no time, so that nothing of the task's work was done when its node was lost: its result lay there all the same. */
Test(affinity, a_call_that_took_no_time_is_made_anew_with_the_others)
{
    two_types();
    yard_time(&y, "Z", "gpu", 1, 0);
    yard_node(&y, "gpu:1", 0, 0);
    yard_job(&y, 0, 1, "Z:1:0,G:1:0");
    yard_fault(&y, 5, 0, false);
    yard_fault(&y, 100, 0, true);
    run("affinity");
    cr_assert_eq(count(y.log, "call j0 0 0 n0 gpu 0+0 done"), 2, "%s", y.log);
}

/* S2-17: four nodes, each with engines of one type, of two architectures; and mixed nodes. */
Test(affinity, s2_17_it_works_on_mixed_nodes_and_on_nodes_of_one_type)
{
    for (int mixed = 0; mixed < 2; mixed++) {
        yard_fini(&y);
        yard_init(&y);
        two_types();
        for (int i = 0; i < 4; i++) yard_node(&y, mixed ? "cpu:1,gpu:1,npu:1" : i % 2 ? "npu:1" : "gpu:1", 0, 0);
        for (int i = 0; i < 12; i++) yard_job(&y, 0, 1, i % 2 ? "N:1:0,G:1:0" : "G:1:0,N:1:0");
        run("affinity");
        cr_assert_eq(count(y.log, " done\n") - count(y.log, "stop") - count(y.log, "end"), 24, "all calls");
        cr_assert_eq(count(y.log, " cpu "), 0, "none on a slow engine");
    }
}

/* S2-18: what a tier is called does not matter, only how far it is: the same numbers, the same run. */
Test(affinity, s2_18_a_tier_is_its_latency_and_bandwidth)
{
    static const int64_t latency[3][3] = { { 0, 1, 5 }, { 0, 1, 5 }, { 0, 2, 5 } };
    uint64_t digest[3];
    for (int v = 0; v < 3; v++) {
        yard_fini(&y);
        yard_init(&y);
        two_types();
        yard_node(&y, "gpu:1", latency[v][0], 0);
        yard_node(&y, "npu:1", latency[v][1], 100);
        yard_node(&y, "npu:1", latency[v][2], 10);
        for (int i = 0; i < 6; i++) yard_job(&y, i, 1, "G:1:0,N:100:100,G:1:0");
        run("affinity:overhead=1000s,condition=best,worth=false");
        digest[v] = y.digest;
    }
    cr_assert_eq(digest[0], digest[1]);
    cr_assert_neq(digest[1], digest[2]);
}

/* S2-19: by fewest tasks each node gets a G and an N, 10 + 40; by affinity two of its own type, 10 + 10. */
Test(affinity, s2_19_the_patents_two_nodes_50_against_20)
{
    two_types();
    yard_node(&y, "cpu:1,gpu:1", 0, 0);
    yard_node(&y, "cpu:1,npu:1", 0, 0);
    yard_job(&y, 0, 1, "G:1:0");
    yard_job(&y, 0, 1, "N:1:0");
    yard_job(&y, 0, 1, "N:1:0");
    yard_job(&y, 0, 1, "G:1:0");
    run("balance:cross=off,rebalance=false");
    cr_assert_eq(y.makespan, 50);
    run("affinity:cross=off");
    cr_assert_eq(y.makespan, 20);
    static const char *const others[] = { "met", "mct", "min-min", "dmda", "heft" };
    for (size_t i = 0; i < ARRAY_LEN(others); i++) {
        run(others[i]);
        cr_assert_eq(y.makespan, 20, "%s: %lld", others[i], (long long)y.makespan);
    }
}

/* S2-21: where every engine takes equally long there is nothing to gain, and nothing to lose. */
Test(affinity, s2_21_with_equal_times_it_is_no_worse_than_balancing)
{
    static const char *const engine[] = { "cpu", "gpu", "npu" };
    for (int k = 0; k < 3; k++) yard_time(&y, "E", engine[k], 1, 7);
    yard_node(&y, "cpu:1,gpu:1", 0, 0);
    yard_node(&y, "cpu:2,npu:1", 0, 0);
    yard_node(&y, "gpu:1", 0, 0);
    for (int i = 0; i < 60; i++) yard_job(&y, i / 3, 1 + (uint32_t)i % 3, "E:1:0,E:1:0");
    run("balance");
    sim_tick span = y.makespan, sum = y.task_s;
    run("affinity");
    cr_assert_leq(y.makespan, span);
    cr_assert_leq(y.task_s, sum, "%lld against %lld", (long long)y.task_s, (long long)sum);
}

/* MET takes the GPU for both; MCT sees that the second would wait 10 there and 15 end sooner than 20. */
Test(affinity, met_looks_at_the_time_alone_and_mct_at_the_end)
{
    yard_time(&y, "G", "gpu", 1, 10);
    yard_time(&y, "G", "cpu", 1, 15);
    yard_node(&y, "cpu:1,gpu:1", 0, 0);
    yard_job(&y, 0, 1, "G:1:0");
    yard_job(&y, 0, 1, "G:1:0");
    run("met");
    cr_assert_eq(y.makespan, 20);
    run("mct");
    cr_assert_eq(y.makespan, 15);
}

/* One CPU; long, short, in this order: MCT keeps it, Min-min turns it round: 30 + 35 against 5 + 35. */
Test(affinity, min_min_lets_the_shortest_end_first)
{
    yard_time(&y, "L", "cpu", 1, 30);
    yard_time(&y, "S", "cpu", 1, 5);
    yard_node(&y, "cpu:1", 0, 0);
    yard_job(&y, 0, 1, "L:1:0");
    yard_job(&y, 0, 1, "S:1:0");
    run("mct");
    cr_assert_eq(y.task_s, 65);
    run("min-min");
    cr_assert_eq(y.task_s, 40);
}

Test(affinity, other_policies_say_that_they_do_not_run_calls)
{
    two_types();
    yard_node(&y, "gpu:1", 0, 0);
    yard_job(&y, 0, 1, "G:1:0");
    yard_run(&y, "fifo");
    cr_assert_eq(y.result, ST_EPOLICY);
    cr_assert(strstr(y.diag.msg, "does not run tasks that are made of API calls") != NULL, "%s", y.diag.msg);
}

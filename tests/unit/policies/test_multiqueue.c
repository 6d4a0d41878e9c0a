/*
 * The multi-queue policy in whole runs, worked out by hand: who waits where, and what is lent to whom; seed 0, S0-1,
 * S0-11 to S0-19 and S0-26.  Times are microseconds where nothing is measured, else seconds.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "ref/stage.h"

#define S  INT64_C(1000000)
#define GB INT64_C(1000000000)

static struct stage s;
static void setup(void)
{
    stage_init(&s);
    stage_profiles(&s, "traces/profiles/coda.csv");
}

static void teardown(void) { stage_fini(&s); }

TestSuite(multiqueue, .init = setup, .fini = teardown);

static void run(const char *policy)
{
    s.policy = policy;
    stage_run(&s);
    cr_assert_eq(s.result, ST_END, "%s", s.diag.msg);
}

static sim_tick when(const char *what) { return stage_when(&s, what); }

static sim_tick started(uint64_t job) { return stage_started(&s, job); }

static uint32_t started_by(sim_tick at)
{
    uint32_t n = 0;
    for (uint64_t j = 0; j < s.n_jobs; j++) n += started(j) >= 0 && started(j) <= at;
    return n;
}

static void cpu_jobs(int n, sim_tick at, sim_tick dur, int64_t cpu) { for (int i = 0; i < n; i++) (void)stage_job(&s, at, dur, cpu, 0); }

/* ---- classes ---- */

/* All cards are the single array's, and a single job waits (for cores): multi jobs beyond the first must wait, others start. */
Test(multiqueue, jobs_of_four_cards_and_more_are_multi_S0_1)
{
    static const struct { int gpus; bool starts; } row[] = { { 0, true }, { 1, true }, { 3, true }, { 4, false }, { 8, false } };
    for (size_t i = 0; i < ARRAY_LEN(row); i++) {
        teardown();
        setup();
        stage_node(&s, 64000, 16, "v", 1);
        (void)stage_job(&s, 0, 100, 1000, 4);
        (void)stage_job(&s, 0, 100, 1000, 1);
        (void)stage_job(&s, 0, 100, 64000, 1);
        (void)stage_job(&s, 0, 50, 1000, row[i].gpus);
        run("multiqueue:search=off,multi_share=0,reserve=0,gpu_arrays=count,lend=empty");
        cr_expect_eq(started(3) == 0, row[i].starts, "%d GPUs", row[i].gpus);
    }
}

/* As above, where two cards are multi already. */
Test(multiqueue, where_multi_begins_is_the_scenarios_S0_1)
{
    stage_node(&s, 64000, 16, "v", 1);
    (void)stage_job(&s, 0, 100, 1000, 2);
    (void)stage_job(&s, 0, 100, 1000, 1);
    (void)stage_job(&s, 0, 100, 64000, 1);
    (void)stage_job(&s, 0, 50, 1000, 2);
    s.cfg.multi_from = 2;
    run("multiqueue:search=off,multi_share=0,reserve=0,gpu_arrays=count,lend=empty");
    cr_expect_gt(started(3), 0, "a second of two cards waits: the single array has all, and a single job waits");
    s.cfg.multi_from = 0;
    run("multiqueue:search=off,multi_share=0,reserve=0,gpu_arrays=count,lend=empty");
    cr_expect_eq(started(3), 0);
}

/* ---- cores lent ---- */

/* 16 cores, 10 kept: all 16 run while no GPU job waits, 6 while one does (it waits for the card). */
Test(multiqueue, cpu_jobs_borrow_only_while_no_gpu_job_waits_S0_12)
{
    stage_node(&s, 16000, 1, "v", 1);
    cpu_jobs(16, 0, 100, 1000);
    run("multiqueue:search=off,reserve=10");
    cr_assert_eq(started_by(0), 16);
}

Test(multiqueue, and_keep_to_their_array_while_one_does_S0_12)
{
    stage_node(&s, 17000, 1, "v", 1);
    (void)stage_job(&s, 0, 1000, 1000, 1);      /* holds the card and the 17th core */
    (void)stage_job(&s, 0, 10, 1000, 1);
    cpu_jobs(14, 0, 100, 1000);
    run("multiqueue:search=off,reserve=11");
    cr_assert_eq(started_by(0), 1 + 6);
}

/* At 50 a GPU job of 4 cores comes: the last 4 to start stop, and it starts at once. */
Test(multiqueue, a_gpu_job_takes_borrowed_cores_back_at_once_S0_13)
{
    stage_node(&s, 8000, 1, "v", 1);
    cpu_jobs(8, 0, 100, 1000);
    (void)stage_job(&s, 50, 20, 4000, 1);
    run("multiqueue:search=off,reserve=4");
    cr_expect_eq(started(8), 50);
    cr_expect_eq(when("stop 7 n0 preempted"), 50);
    cr_expect_eq(when("stop 4 n0 preempted"), 50);
    cr_expect_eq(when("stop 3 n0 preempted"), -1);
    cr_expect_eq(s.preempted, 4);
}

/* z (job 1) is stopped at 50 while x and y (2, 3; of a user who holds nothing) wait: z goes first at 70, at the GPU job's end. */
Test(multiqueue, a_stopped_job_waits_at_the_head_S0_14)
{
    stage_node(&s, 2000, 1, "v", 1);
    stage_job(&s, 0, 1000, 1000, 0)->user = "a";
    stage_job(&s, 1, 100, 1000, 0)->user = "a";
    stage_job(&s, 2, 100, 1000, 0)->user = "b";
    stage_job(&s, 3, 100, 1000, 0)->user = "b";
    stage_job(&s, 50, 20, 1000, 1)->user = "c";
    run("multiqueue:search=off,reserve=1");
    cr_expect_eq(when("stop 1 n0 preempted"), 50);
    const char *again = strstr(s.log, "70 start 1 ");
    cr_assert_not_null(again, "%s", s.log);
    cr_expect_eq(started(2), 170);
    cr_expect_eq(started(3), 270);
}

Test(multiqueue, fewest_are_stopped_and_those_not_in_the_way_go_on)
{
    stage_node(&s, 8000, 1, "v", 1);
    (void)stage_job(&s, 0, 100, 4000, 0);
    (void)stage_job(&s, 1, 100, 3000, 0);
    (void)stage_job(&s, 2, 100, 1000, 0);
    (void)stage_job(&s, 50, 20, 3000, 1);       /* the last (1 core) and the one before (3) are released; the last stays */
    run("multiqueue:search=off,reserve=4");
    cr_expect_eq(started(3), 50);
    cr_expect_eq(when("stop 1 n0 preempted"), 50);
    cr_expect_eq(when("stop 2 n0 preempted"), -1);
}

/* CPU jobs hold 6 of their 12: a GPU job of 8 takes free ones beyond its 4; one of 12 waits and stops nobody. */
Test(multiqueue, gpu_jobs_use_free_cores_of_the_cpu_array_and_stop_nobody_there_S0_15)
{
    stage_node(&s, 16000, 2, "v", 1);
    cpu_jobs(6, 0, 100, 1000);
    (void)stage_job(&s, 10, 30, 8000, 1);
    (void)stage_job(&s, 50, 20, 12000, 1);
    run("multiqueue:search=off,reserve=4");
    cr_expect_eq(started(6), 10);
    cr_expect_eq(started(7), 100);
    cr_expect_eq(s.preempted, 0);
}

Test(multiqueue, the_reserve_is_the_most_that_gpu_jobs_needed_S0_11)
{
    static const int64_t need[] = { 6000, 2000, 3000, 10000 };
    stage_node(&s, 32000, 4, "v", 1);
    for (int i = 0; i < 4; i++) (void)stage_job(&s, i, 100, need[i], 1);
    s.log_notes = true;
    run("multiqueue:search=off");
    cr_expect_eq(when("note reserved_cores 6"), 0);
    cr_expect_eq(when("note reserved_cores 10"), 3);
}

/* 6 + 2 + 3 + 10 at once on the node. */
Test(multiqueue, or_of_all_on_a_node_together)
{
    static const int64_t need[] = { 6000, 2000, 3000, 10000 };
    stage_node(&s, 32000, 4, "v", 1);
    for (int i = 0; i < 4; i++) (void)stage_job(&s, i, 100, need[i], 1);
    s.log_notes = true;
    run("multiqueue:search=off,reserve_of=node");
    cr_expect_eq(when("note reserved_cores 21"), 3);
}

Test(multiqueue, cores_are_lent_while_the_gpu_queue_is_relatively_idle_S0_12)
{
    stage_node(&s, 17000, 1, "v", 1);
    (void)stage_job(&s, 0, 1000, 1000, 1);
    (void)stage_job(&s, 0, 10, 1000, 1);
    cpu_jobs(14, 0, 100, 1000);
    run("multiqueue:search=off,reserve=11,idle=1");
    cr_assert_eq(started_by(0), 1 + 14, "one that waits is as good as none");
}

/* ---- queues ---- */

/* S0-16: it asks 8 cores and gets those that jobs like it need (here: to begin with, two). */
Test(multiqueue, a_gpu_job_gets_the_cores_it_needs_S0_16)
{
    stage_node(&s, 16000, 1, "v", 1);
    stage_job(&s, 0, 50 * S, 8000, 1)->model = "resnet50";
    cpu_jobs(14, 0, 50 * S, 1000);
    run("multiqueue:cold=2,reserve=2");
    cr_assert_eq(started_by(0), 15);
}

/*
 * A holds 4 of 8 GPUs and no CPU, B 10 % of the CPU; two cores fall free at 10.
 * B's dominant share is the smaller, so DRF serves B; within the CPU queue A holds nothing.
 */
static void two_users(const char *policy)
{
    stage_node(&s, 20000, 8, "v", 1);
    stage_job(&s, 0, 100, 0, 4)->user = "A";
    stage_job(&s, 0, 100, 2000, 0)->user = "B";
    stage_job(&s, 0, 10, 18000, 0)->user = "C";
    stage_job(&s, 1, 100, 18000, 0)->user = "B";
    stage_job(&s, 1, 100, 18000, 0)->user = "A";
    run(policy);
}

Test(multiqueue, a_users_gpus_do_not_count_in_the_cpu_queue_S0_17)
{
    two_users("multiqueue:search=off");
    cr_assert_eq(started(4), 10);
    cr_assert_eq(started(3), 110);
}

Test(multiqueue, while_they_do_under_one_drf_S0_17)
{
    two_users("drf");
    cr_assert_eq(started(3), 10);
    cr_assert_eq(started(4), 110);
}

/* ---- cards lent: arrays of 6 and 6; rows are (own exhausted, other queue empty) ---- */

static void cards(int multi, int single)
{
    stage_node(&s, 64000, 12, "v", 1);
    for (int i = 0; i < multi; i++) (void)stage_job(&s, 0, 100, 1000, 4);
    for (int i = 0; i < single; i++) (void)stage_job(&s, 0, 100, 1000, 1);
    run("multiqueue:search=off,multi_share=0.5,gpu_arrays=count,lend=empty");
}

Test(multiqueue, multi_jobs_borrow_when_exhausted_and_nobody_waits_S0_18) { cards(2, 0); cr_assert_eq(started_by(0), 2); }
Test(multiqueue, single_jobs_borrow_when_exhausted_and_nobody_waits_S0_18) { cards(0, 8); cr_assert_eq(started_by(0), 8); }
/* One multi, six single: both classes stop at their arrays, two cards stay idle. */
Test(multiqueue, neither_borrows_while_the_other_waits_S0_18) { cards(2, 7); cr_assert_eq(started_by(0), 1 + 6); }
Test(multiqueue, one_that_is_not_exhausted_takes_its_own_whoever_waits_S0_18) { cards(2, 3); cr_assert_eq(started_by(0), 2 + 3, "the single jobs had all begun"); }

/*
 * So the patent's rule must lose work: above, two cards of twelve are idle while a single job waits that they would do for, as
 * the multi queue is not empty, and the job in it needs four.  What nobody of the array can use is lent by default.
 */
Test(multiqueue, what_those_who_wait_cannot_use_is_lent_by_default_S0_18)
{
    stage_node(&s, 64000, 12, "v", 1);
    for (int i = 0; i < 2; i++) (void)stage_job(&s, 0, 100, 1000, 4);
    for (int i = 0; i < 7; i++) (void)stage_job(&s, 0, 100, 1000, 1);
    run("multiqueue:search=off,multi_share=0.5,gpu_arrays=count");
    cr_expect_eq(started_by(0), 1 + 7, "%s", s.log);
}

/* Two nodes of five cards: of the multi array's one holds a job of four and the other waits, so that the fifth card is lent. */
static void fifth_card(const char *policy)
{
    stage_node(&s, 16000, 5, "v", 1);
    stage_node(&s, 16000, 5, "v", 1);
    for (int i = 0; i < 2; i++) (void)stage_job(&s, 0, 100, 1000, 4);
    for (int i = 0; i < 7; i++) (void)stage_job(&s, 0, 50, 1000, 1);
    run(policy);
}

Test(multiqueue, cards_of_a_node_that_its_jobs_cannot_fill_are_lent_S0_18)
{
    fifth_card("multiqueue:search=off,multi_share=0.5");
    cr_expect_eq(started_by(0), 1 + 5 + 1, "%s", s.log);
    teardown();
    setup();
    fifth_card("multiqueue:search=off,multi_share=0.5,lend=empty");
    cr_expect_eq(started_by(0), 1 + 5, "%s", s.log);
}

/*
 * Nodes 1 and 2 of three are the multi array's, and single jobs hold all.  A multi job waits from 10 s, a single one from 11.
 * At 20 s a card of node 1 falls idle, and is kept; at 30 s two of node 2, which is then nearer to four: node 1 is lent again.
 */
Test(multiqueue, cards_are_kept_on_the_node_that_is_nearest_to_being_free_S0_18)
{
    static const int ends[3][4] = { { 90, 90, 90, 90 }, { 20, 90, 90, 90 }, { 30, 30, 50, 60 } };
    for (int n = 0; n < 3; n++) stage_node(&s, 16000, 4, "v", 1);
    for (int i = 0; i < 12; i++) (void)stage_job(&s, 0, ends[i / 4][i % 4] * S, 1000, 1);
    (void)stage_job(&s, 10 * S, 10 * S, 1000, 4);
    (void)stage_job(&s, 11 * S, 10 * S, 1000, 1);
    run("multiqueue:search=off,multi_share=0.67");
    cr_expect_eq(when("start 4 n1"), 0, "%s", s.log);
    cr_expect_eq(started(13), 30 * S, "%s", s.log);
    cr_expect_eq(started(12), 60 * S, "%s", s.log);
}

/* A node of eight keeps four cards for a job of four; four small ones may run beside it, no fifth. */
Test(multiqueue, no_more_cards_are_kept_than_the_first_that_waits_needs_S0_18)
{
    stage_node(&s, 16000, 1, "v", 1);
    stage_node(&s, 16000, 8, "v", 1);
    (void)stage_job(&s, 0, 100 * S, 1000, 1);
    (void)stage_job(&s, 1 * S, 100 * S, 1000, 6);
    (void)stage_job(&s, 2 * S, 100 * S, 1000, 4);
    for (int i = 0; i < 5; i++) (void)stage_job(&s, (3 + i) * S, 300 * S, 1000, 1);
    run("multiqueue:search=off,multi_share=0.9");
    cr_expect_eq(started(2), 101 * S, "%s", s.log);
    cr_expect_eq(started(3), 3 * S, "two cards are idle beside the job of six: %s", s.log);
    cr_expect_eq(started(4), 4 * S, "%s", s.log);
    cr_expect_eq(started(5), 100 * S, "the first node is free: %s", s.log);
    cr_expect_eq(started(6), 101 * S, "%s", s.log);
    cr_expect_eq(started(7), 101 * S, "%s", s.log);
}

/* Without arrays jobs on GPUs are one queue, in order: the single ones that came first go first. */
Test(multiqueue, without_arrays_of_gpus_there_is_one_queue)
{
    stage_node(&s, 64000, 8, "v", 1);
    for (int i = 0; i < 5; i++) (void)stage_job(&s, 0, 100, 1000, 1);
    (void)stage_job(&s, 0, 100, 1000, 4);
    run("multiqueue:search=off,gpu_arrays=off");
    cr_expect_eq(started_by(0), 5, "%s", s.log);
    cr_expect_eq(started(5), 100, "%s", s.log);
}

/*
 * Two nodes of four cards and ten cores, half of them the multi array's.  A job of one card and four cores comes every 33 s for
 * 100 s, so that four at most run, two a node, before one of four cards comes at 170 s, and after it.
 */
static void stream_of_small(const char *policy)
{
    stage_node(&s, 10000, 4, "v", 1);
    stage_node(&s, 10000, 4, "v", 1);
    for (int i = 0; i < 6; i++) (void)stage_job(&s, i * 33 * S, 100 * S, 4000, 1);
    (void)stage_job(&s, 170 * S, 100 * S, 4000, 4);
    for (int i = 6; i < 15; i++) (void)stage_job(&s, i * 33 * S, 100 * S, 4000, 1);
    run(policy);
}

/* From 170 s on they keep to the first node; the last of them on the other (job 3) ends at 199 s. */
Test(multiqueue, an_array_of_nodes_holds_its_nodes_S0_18)
{
    stream_of_small("multiqueue:search=off,multi_share=0.5,gpu_arrays=nodes");
    cr_expect_eq(started(6), 199 * S, "%s", s.log);
}

/* By number they hold no more than their four either, and so may go on on both nodes, for as long as they come. */
Test(multiqueue, an_array_that_is_a_number_holds_no_node_S0_18)
{
    stream_of_small("multiqueue:search=off,multi_share=0.5,gpu_arrays=count");
    cr_expect_gt(started(6), 14 * 33 * S, "%s", s.log);
}

/* Both nodes are held by single jobs when it comes; from then on they keep to the first. */
Test(multiqueue, whose_borrowed_nodes_come_back_as_their_jobs_end_S0_18)
{
    stage_node(&s, 16000, 4, "v", 1);
    stage_node(&s, 16000, 4, "v", 1);
    for (int i = 0; i < 8; i++) (void)stage_job(&s, i * S, 100 * S, 1000, 1);
    (void)stage_job(&s, 50 * S, 100 * S, 4000, 4);
    for (int i = 0; i < 5; i++) (void)stage_job(&s, (60 + i) * S, 100 * S, 1000, 1);
    run("multiqueue:search=off,multi_share=0.5,gpu_arrays=nodes");
    cr_expect_eq(started(8), 107 * S, "the last of the four on its node ends: %s", s.log);
    cr_expect_eq(started(13), 200 * S, "the first node is full until then: %s", s.log);
}

/* S0-19: eight single jobs hold two cards of the multi array; a multi job at 10 waits for them. */
Test(multiqueue, borrowed_cards_are_kept_to_the_end_S0_19)
{
    stage_node(&s, 64000, 12, "v", 1);
    for (int i = 0; i < 10; i++) (void)stage_job(&s, 0, 100, 1000, 1);
    (void)stage_job(&s, 10, 100, 1000, 4);
    run("multiqueue:search=off,multi_share=0.5,gpu_arrays=count");
    cr_expect_eq(started(10), 100);
    cr_expect_eq(s.preempted, 0);
}

/* As above, but at 10 the multi job takes 4 of the 6 cards of its array: of ten single jobs the last two to start stop. */
Test(multiqueue, borrowed_cards_can_be_taken_back_S0_19)
{
    stage_node(&s, 64000, 12, "v", 1);
    for (int i = 0; i < 10; i++) (void)stage_job(&s, 0, 100, 1000, 1);
    (void)stage_job(&s, 10, 100, 1000, 4);
    run("multiqueue:search=off,multi_share=0.5,gpu_arrays=count,reclaim=true");
    cr_expect_eq(started(10), 10, "%s", s.log);
    cr_expect_eq(s.preempted, 2);
    cr_expect_eq(when("stop 8 n0 preempted"), 10);
    cr_expect_eq(when("stop 9 n0 preempted"), 10);
}

/* Within its six cards the single class lends none: the second multi job waits. */
Test(multiqueue, but_not_cards_of_the_other_array_S0_19)
{
    stage_node(&s, 64000, 12, "v", 1);
    for (int i = 0; i < 6; i++) (void)stage_job(&s, 0, 100, 1000, 1);
    (void)stage_job(&s, 10, 150, 1000, 4);
    (void)stage_job(&s, 20, 100, 1000, 4);
    run("multiqueue:search=off,multi_share=0.5,gpu_arrays=count,reclaim=true");
    cr_expect_eq(started(7), 100, "%s", s.log);
    cr_expect_eq(s.preempted, 0);
}

/* Of a node of its array it takes what is borrowed there, at 50 s. */
Test(multiqueue, borrowed_nodes_can_be_taken_back_S0_19)
{
    stage_node(&s, 16000, 4, "v", 1);
    stage_node(&s, 16000, 4, "v", 1);
    for (int i = 0; i < 8; i++) (void)stage_job(&s, i * S, 100 * S, 1000, 1);
    (void)stage_job(&s, 50 * S, 100 * S, 4000, 4);
    run("multiqueue:search=off,multi_share=0.5,gpu_arrays=nodes,reclaim=true");
    cr_expect_eq(started(8), 50 * S, "%s", s.log);
    cr_expect_eq(s.preempted, 4);
    cr_expect_eq(when("stop 4 n1 preempted"), 50 * S);
    cr_expect_eq(when("stop 3 n0 preempted"), -1);
}

/* ---- fragmentation ---- */

/* S0-26: 16 cores, 4 cards; jobs of one card and 8 cores: two run and two cards are stranded; begun with 3 cores, all four run. */
Test(multiqueue, slim_jobs_leave_no_card_stranded_S0_26)
{
    stage_node(&s, 16000, 4, "v", 1);
    for (int i = 0; i < 4; i++) stage_job(&s, 0, 50 * S, 8000, 1)->model = "wavenet";
    run("multiqueue:search=off");
    cr_assert_eq(started_by(0), 2);
    run("multiqueue:cold=3");
    cr_assert_eq(started_by(0), 4);
}

/* ---- what must not be forgotten, or remembered too well ---- */

/*
 * At 50 two cores fall free.  The first in the queue wants three and waits on; the
 * second, which asks the same but begins with two, starts.
 */
Test(multiqueue, a_failure_with_more_cores_says_nothing_of_fewer)
{
    stage_node(&s, 8000, 4, "v", 1);
    (void)stage_job(&s, 0, 100, 6000, 0);
    (void)stage_job(&s, 0, 50, 2000, 0);
    struct job_spec *a = stage_job(&s, 5, 100, 8000, 1);
    a->model = "resnet50";
    a->hints.told = HINT_COMPLEX_CPU;
    stage_job(&s, 10, 100, 8000, 1)->model = "resnet50";
    run("multiqueue:cold=2,reserve=0");
    cr_expect_eq(started(3), 50);
    cr_expect_eq(started(2), 100);
}

Test(multiqueue, in_strict_mode_nobody_passes_who_waits_for_cards)
{
    stage_node(&s, 8000, 4, "v", 1);
    (void)stage_job(&s, 0, 100, 1000, 2);
    (void)stage_job(&s, 10, 100, 1000, 3);
    (void)stage_job(&s, 20, 100, 1000, 1);
    (void)stage_job(&s, 30, 100, 1000, 0);      /* gives one more look */
    run("multiqueue:search=off,gpu_arrays=off,mode=strict");
    cr_expect_eq(started(1), 100);
    cr_expect_eq(started(2), 100);
}

Test(multiqueue, exclusive_jobs_hold_whole_nodes_and_are_not_searched)
{
    stage_node(&s, 8000, 2, "v", 1);
    stage_job(&s, 0, 500 * S, 4000, 1)->model = "resnet50";
    s.group[0][0].shape.exclusive = 1;
    s.log_notes = true;
    run("multiqueue");
    cr_expect_null(strstr(s.log, "resize"));
    cr_expect_null(strstr(s.log, "note probes"));
    cr_expect_eq(when("end 0 done"), 500 * S);
}

/* A gang of two, 40 of 100 GB/s each: together they move enough, and one of them is halved. */
Test(multiqueue, tasks_of_a_gang_are_watched_too)
{
    stage_node(&s, 40000, 2, "v", 1);
    s.cluster.own[0].mem_bw = 100 * GB;
    s.cfg.monitor.interval = 10 * S;
    stage_job(&s, 0, 200 * S, 8000, 1)->model = "alexnet";
    stage_job(&s, 35 * S, 300 * S, 8000, 0)->gang = true;
    stage_tasks(&s, 2);
    s.group[1][0].mem_bw = 40 * GB;
    s.log_notes = true;
    run("multiqueue:search=off");
    cr_expect_eq(when("note throttled 1"), 40 * S, "%s", s.log);
    cr_expect_eq(when("note closed_cores 4"), 40 * S);
}

/* Two tasks of a gang stand on the node, the second borrows: both stop, and return together. */
Test(multiqueue, a_gang_that_borrows_stops_whole)
{
    stage_node(&s, 8000, 1, "v", 1);
    (void)stage_job(&s, 0, 100, 3000, 0);
    stage_job(&s, 1, 100, 2000, 0)->gang = true;
    stage_tasks(&s, 2);
    (void)stage_job(&s, 50, 20, 3000, 1);
    run("multiqueue:search=off,reserve=2");
    cr_expect_eq(started(2), 50);
    cr_expect_eq(when("stop 1.0 n0 preempted"), 50, "%s", s.log);
    cr_expect_eq(when("stop 1.1 n0 preempted"), 50);
    cr_expect_eq(when("stop 0 n0 preempted"), -1);
}

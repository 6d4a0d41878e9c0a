/*
 * Jobs whose tasks wait for each other, read blocks and write outputs, worked
 * out by hand.  Times are microseconds; speeds are chosen so that a byte takes
 * whole microseconds: local 1 us, in the rack 2 us, across racks 4 us.
 */
#include <criterion/criterion.h>
#include <string.h>
#include "model/graph.h"
#include "ref/stage.h"

static struct stage s;
static struct data data;

/* n0 n1 on rack a, n2 on rack b; one core and one GPU each. */
static void setup(void)
{
    stage_init(&s);
    memset(&data, 0, sizeof data);
    for (uint32_t i = 0; i < 3; i++) {
        stage_node(&s, 1000, 1, "g", 1);
        stage_rack(&s, i, i < 2 ? "a" : "b");
    }
    s.cfg.data = &data;
    s.cfg.net = (struct net_spec){ .disk_bps = 1000000, .rack_bps = 500000, .aggregation_bps = 250000 };
}

static void teardown(void)
{
    stage_fini(&s);
    data_fini(&data);
}

TestSuite(graph, .init = setup, .fini = teardown);

static void expect(const char *log)
{
    stage_run(&s);
    cr_assert_eq(s.result, ST_END, "%s", s.diag.msg);
    cr_assert_str_eq(s.log, log, "the log is\n%s", s.log);
}

static uint32_t block_on(const char *name, int64_t size, uint32_t node)
{
    uint32_t b = data_add(&data, name, size);
    data_replicas(&data, b, &node, 1);
    return b;
}

/* S4-21: tasks 0 and 1 first, then 2 that waits for both, then 3. */
Test(graph, successors_wait_for_all_their_predecessors)
{
    static const uint32_t in_start[5], after_start[] = { 0, 0, 0, 2, 3 }, after[] = { 0, 1, 2 };
    static const int64_t out[4];
    struct task_graph g = { .in_start = in_start, .after_start = after_start, .after = after, .out = out };
    struct job_spec *j = stage_job(&s, 0, 10, 1000, 0);
    stage_tasks(&s, 1);
    stage_group(&s, 1, 30, 1000, 0);
    stage_group(&s, 2, 5, 1000, 0);
    j->graph = &g;
    expect("0 start 0.0 n0\n0 start 0.1 n1\n10 stop 0.0 n0 done\n30 stop 0.1 n1 done\n"
           "30 start 0.2 n0\n35 stop 0.2 n0 done\n35 start 0.3 n0\n40 stop 0.3 n0 done\n40 end 0 done\n");
    cr_assert_eq(s.count.done, 1);
}

/* S4-4: on n0 the block of n0 takes 10, that of n1 takes 2 x 10, that of n2 takes 4 x 10; then 5 of computing. */
Test(graph, inputs_are_read_one_after_the_other_at_the_speed_of_their_level)
{
    uint32_t b[] = { block_on("x", 10, 0), block_on("y", 10, 1), block_on("z", 10, 2) };
    const struct task_input in[] = { { .block = b[0] }, { .block = b[1] }, { .block = b[2] } };
    static const uint32_t in_start[] = { 0, 3 }, after_start[2];
    static const int64_t out[1];
    struct task_graph g = { .in_start = in_start, .in = in, .after_start = after_start, .out = out };
    stage_job(&s, 0, 5, 1000, 0)->graph = &g;
    expect("0 start 0 n0\n10 moved 0.0 local 10\n30 moved 0.0 rack 10\n70 moved 0.0 cross 10\n75 stop 0 n0 done\n75 end 0 done\n");
}

/* Task 0 computes 5 and writes 20 bytes at disk speed; task 1 finds them on n0, 20 more to read. */
Test(graph, an_output_is_written_to_the_node_and_read_from_there)
{
    static const struct task_input in[] = { { .block = NONE, .task = 0 } };
    static const uint32_t in_start[] = { 0, 0, 1 }, after_start[3];
    static const int64_t out[] = { 20, 0 };
    struct task_graph g = { .in_start = in_start, .in = in, .after_start = after_start, .out = out };
    stage_job(&s, 0, 5, 1000, 0)->graph = &g;
    stage_tasks(&s, 2);
    expect("0 start 0.0 n0\n25 stop 0.0 n0 done\n25 start 0.1 n0\n45 moved 0.1 local 20\n50 stop 0.1 n0 done\n50 end 0 done\n");
}

/* Preempted at 15 on n0, after input x (10) and 5 of the 20 that y's 10 bytes take: 2 of them in vain;
 * it reads both anew from 20.  Its peer is not touched (S4-21). */
Test(graph, an_interrupted_reader_reads_anew_and_its_peers_go_on)
{
    uint32_t b[] = { block_on("x", 10, 0), block_on("y", 10, 1) };
    const struct task_input in[] = { { .block = b[0] }, { .block = b[1] } };
    static const uint32_t in_start[] = { 0, 2 }, after_start[2];
    static const int64_t out[1];
    struct task_graph g = { .in_start = in_start, .in = in, .after_start = after_start, .out = out };
    stage_job(&s, 0, 5, 1000, 0)->graph = &g;
    stage_job(&s, 0, 60, 1000, 0);
    stage_cue(&s, 15, 20, 0);
    stage_job(&s, 20, 0, 1000, 1)->limit = -1;      /* something happens at 20 */
    expect("0 start 0 n0\n0 start 1 n1\n10 moved 0.0 local 10\n15 moved 0.0 rack 2 in vain\n15 stop 0 n0 preempted\n"
           "20 start 0 n0\n20 start 2 n2\n20 stop 2 n2 done\n20 end 2 done\n"
           "30 moved 0.0 local 10\n50 moved 0.0 rack 10\n55 stop 0 n0 done\n55 end 0 done\n60 stop 1 n1 done\n60 end 1 done\n");
}

/* Two readers of one 12-byte block on n0, from n0 and n1, share its disk of 2 bytes/us: 1 each, so
 * that both are through at 12; shared mode, only the disk is modelled. */
Test(graph, in_a_shared_network_readers_share_the_disk)
{
    uint32_t b = block_on("x", 12, 0);
    const struct task_input in[] = { { .block = b } };
    static const uint32_t in_start[] = { 0, 1 }, after_start[2];
    static const int64_t out[1];
    struct task_graph g = { .in_start = in_start, .in = in, .after_start = after_start, .out = out };
    s.cfg.net = (struct net_spec){ .mode = NET_SHARED, .disk_bps = 2000000 };
    stage_job(&s, 0, 5, 1000, 0)->graph = &g;
    stage_job(&s, 0, 5, 1000, 0)->graph = &g;
    expect("0 start 0 n0\n0 start 1 n1\n12 moved 0.0 local 12\n12 moved 1.0 rack 12\n"
           "17 stop 0 n0 done\n17 end 0 done\n17 stop 1 n1 done\n17 end 1 done\n");
}

/* Of 30 bytes in all task 1 reads the 4 that task 0 wrote for it: 4 at disk speed, not 30. */
Test(graph, a_task_may_read_what_was_written_for_it_alone)
{
    static const struct task_input in[] = { { .block = NONE, .task = 0, .part = 4 } };
    static const uint32_t in_start[] = { 0, 0, 1 }, after_start[3];
    static const int64_t out[] = { 30, 0 };
    struct task_graph g = { .in_start = in_start, .in = in, .after_start = after_start, .out = out };
    stage_job(&s, 0, 5, 1000, 0)->graph = &g;
    stage_tasks(&s, 2);
    expect("0 start 0.0 n0\n35 stop 0.0 n0 done\n35 start 0.1 n0\n39 moved 0.1 local 4\n44 stop 0.1 n0 done\n"
           "44 end 0 done\n");
}

/* Task 0 ends at 5 on n0, task 1 at 50 on n1; task 2 reads 20 bytes of the one and 3 of the other. */
static const struct task_input joined[] = { { .block = NONE, .task = 0, .part = 20 },
                                            { .block = NONE, .task = 1, .part = 3 } };
static const uint32_t joined_start[] = { 0, 0, 0, 2 }, joined_after[4];
static const int64_t joined_out[3];
static const struct task_graph join = { .in_start = joined_start, .in = joined, .after_start = joined_after,
                                        .out = joined_out };

static void add_join(void)
{
    s.cfg.net.mode = NET_OVERLAP;
    stage_job(&s, 0, 5, 1000, 0)->graph = &join;
    stage_group(&s, 1, 50, 1000, 0);
    stage_group(&s, 1, 5, 1000, 0);
}

/* The 20 were on their way, or on the disk, from 5 to 25, while both were busy; the 3 come in 2 each, until 56. */
Test(graph, in_an_overlapping_network_data_leave_when_they_are_written)
{
    add_join();
    expect("0 start 0.0 n0\n0 start 0.1 n1\n5 stop 0.0 n0 done\n50 stop 0.1 n1 done\n50 start 0.2 n0\n"
           "50 moved 0.2 local 20\n56 moved 0.2 rack 3\n61 stop 0.2 n0 done\n61 end 0 done\n");
}

/* Stopped at 53, when half of the 3 bytes had come: 1 of them whole.  Begun anew at 60 it finds all there. */
Test(graph, what_overlaps_is_in_vain_for_an_interrupted_reader)
{
    add_join();
    stage_cue(&s, 53, 60, 0);
    stage_job(&s, 60, 0, 1000, 1);      /* something happens at 60, on n0 or n1 */
    expect("0 start 0.0 n0\n0 start 0.1 n1\n5 stop 0.0 n0 done\n50 stop 0.1 n1 done\n50 start 0.2 n0\n"
           "50 moved 0.2 local 20\n53 moved 0.2 rack 1 in vain\n53 stop 0.2 n0 preempted\n"
           "60 start 0.2 n0\n60 start 1 n1\n60 moved 0.2 local 20\n"
           "60 moved 0.2 rack 3\n60 stop 1 n1 done\n60 end 1 done\n65 stop 0.2 n0 done\n65 end 0 done\n");
}

/* Blocks leave when the job comes, at 0, all at once: 10, 20 and 40; it starts at 15, since the cores are taken. */
Test(graph, in_an_overlapping_network_blocks_leave_when_the_job_comes)
{
    uint32_t b[] = { block_on("x", 10, 0), block_on("y", 10, 1), block_on("z", 10, 2) };
    const struct task_input in[] = { { .block = b[2] }, { .block = b[0] }, { .block = b[1] } };
    static const uint32_t in_start[] = { 0, 3 }, after_start[2];
    struct task_graph g = { .in_start = in_start, .in = in, .after_start = after_start };
    s.cfg.net.mode = NET_OVERLAP;
    stage_job(&s, 0, 15, 1000, 0);
    stage_tasks(&s, 3);
    stage_job(&s, 0, 5, 1000, 0)->graph = &g;
    expect("0 start 0.0 n0\n0 start 0.1 n1\n0 start 0.2 n2\n"
           "15 stop 0.0 n0 done\n15 stop 0.1 n1 done\n15 stop 0.2 n2 done\n15 end 0 done\n15 start 1 n0\n"
           "40 moved 1.0 cross 10\n40 moved 1.0 local 10\n40 moved 1.0 rack 10\n"
           "45 stop 1 n0 done\n45 end 1 done\n");
}

/* S4-13: a GPU has one task at a time, however many wait: four on three nodes with a GPU each. */
Test(graph, S4_13_one_task_runs_on_a_gpu_at_a_time)
{
    stage_job(&s, 0, 10, 100, 1);
    stage_tasks(&s, 4);
    expect("0 start 0.0 n0\n0 start 0.1 n1\n0 start 0.2 n2\n10 stop 0.0 n0 done\n10 stop 0.1 n1 done\n10 stop 0.2 n2 done\n"
           "10 start 0.3 n0\n20 stop 0.3 n0 done\n20 end 0 done\n");
}

/* S4-24: at most two jobs inside; the third arrives when one ends, and its clock starts there. */
Test(graph, in_a_closed_loop_the_next_job_arrives_when_one_ends)
{
    s.cfg.concurrency = 2;
    s.log_arrivals = true;
    stage_job(&s, 0, 10, 1000, 0);
    stage_job(&s, 0, 20, 1000, 0);
    stage_job(&s, 0, 5, 1000, 0);
    expect("0 arrive 0\n0 arrive 1\n0 start 0 n0\n0 start 1 n1\n10 stop 0 n0 done\n10 end 0 done\n10 arrive 2\n10 start 2 n0\n"
           "15 stop 2 n0 done\n15 end 2 done\n20 stop 1 n1 done\n20 end 1 done\n");
}

Test(graph, a_circle_is_an_error_and_names_the_job)
{
    static const uint32_t in_start[3], after_start[] = { 0, 1, 2 }, after[] = { 1, 0 };
    static const int64_t out[2];
    struct task_graph g = { .in_start = in_start, .after_start = after_start, .after = after, .out = out };
    stage_job(&s, 0, 5, 1000, 0)->graph = &g;
    stage_tasks(&s, 2);
    stage_run(&s);
    cr_assert_eq(s.result, ST_EINPUT);
    cr_assert(strstr(s.diag.msg, "'j0'") != NULL && strstr(s.diag.msg, "circle") != NULL, "%s", s.diag.msg);
}

/* Chains 10+5+5 and 30+5+5. */
Test(graph, the_nominal_time_is_the_longest_chain)
{
    static const uint32_t in_start[5], after_start[] = { 0, 0, 0, 2, 3 }, after[] = { 0, 1, 2 };
    struct task_graph g = { .in_start = in_start, .after_start = after_start, .after = after };
    uint32_t bad;
    struct graph *owned = graph_create(&g, 4, &bad);
    cr_assert_not_null(owned);
    cr_expect_eq(graph_longest(owned, (sim_tick[]){ 10, 30, 5, 5 }), 40);
    graph_destroy(owned);
}

/* 2 -> 1 -> 0, of a job that has ended: nobody waits for anything any more. */
Test(graph, the_longest_chain_of_a_job_that_ended_is_the_same)
{
    static const uint32_t in_start[4], after_start[] = { 0, 1, 2, 2 }, after[] = { 1, 2 };
    struct task_graph g = { .in_start = in_start, .after_start = after_start, .after = after };
    uint32_t bad;
    struct graph *owned = graph_create(&g, 3, &bad);
    cr_assert_not_null(owned);
    for (uint32_t k = 0; k < 3; k++) owned->n_before[k] = 0;
    cr_expect_eq(graph_longest(owned, (sim_tick[]){ 30, 20, 10 }), 60);
    graph_destroy(owned);
}

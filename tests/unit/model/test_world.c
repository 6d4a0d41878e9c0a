/*
 * Lives of jobs, worked out by hand.  Times are microseconds and small; the
 * comment of a test does the sum that its log then shows.
 */
#include <criterion/criterion.h>
#include <string.h>
#include "ref/stage.h"

static struct stage s;

static void setup(void) { stage_init(&s); }
static void teardown(void) { stage_fini(&s); }

TestSuite(world, .init = setup, .fini = teardown);

static void expect(const char *log)
{
    stage_run(&s);
    cr_assert_eq(s.result, ST_END, "%s", s.diag.msg);
    cr_assert_str_eq(s.log, log, "the log is\n%s", s.log);
}

Test(world, jobs_wait_for_a_place_and_take_it_when_it_is_freed)
{
    stage_node(&s, 1000, 0, NULL, 1);
    stage_job(&s, 0, 100, 1000, 0);
    stage_job(&s, 10, 50, 1000, 0);
    expect("0 start 0 n0\n100 stop 0 n0 done\n100 end 0 done\n"
           "100 start 1 n0\n150 stop 1 n0 done\n150 end 1 done\n");
    cr_assert_eq(s.count.done, 2);
    cr_assert_eq(s.count.starts, 2);
    cr_assert_eq(s.count.elastic, 0);
}

/* Both at 100: the end comes first, so the arrival finds the place free. */
Test(world, an_arrival_sees_what_ended_at_its_instant)
{
    stage_node(&s, 1000, 0, NULL, 1);
    stage_job(&s, 0, 100, 1000, 0);
    stage_job(&s, 100, 50, 1000, 0);
    s.log_arrivals = true;
    expect("0 arrive 0\n0 start 0 n0\n100 stop 0 n0 done\n100 end 0 done\n"
           "100 arrive 1\n100 start 1 n0\n150 stop 1 n0 done\n150 end 1 done\n");
}

Test(world, work_of_no_length_ends_at_its_start_in_a_round_of_its_own)
{
    stage_node(&s, 1000, 0, NULL, 1);
    stage_job(&s, 5, 0, 1000, 0);
    stage_job(&s, 5, 0, 1000, 0);
    expect("5 start 0 n0\n5 stop 0 n0 done\n5 end 0 done\n5 start 1 n0\n5 stop 1 n0 done\n5 end 1 done\n");
    cr_assert_eq(s.n_rounds, 3);
}

/* ---- speed ---- */

/* 100 at rate 2 is 50; at 21845/65536, ceil(100 * 65536 / 21845) = ceil(300.004) = 301; CPU work is nominal there too. */
Test(world, speed_is_the_gpu_types)
{
    stage_node(&s, 1000, 1, "fast", 2);
    stage_node(&s, 1000, 1, "slow", 21845.0 / 65536);
    stage_job(&s, 0, 100, 0, 1);
    stage_job(&s, 0, 100, 0, 1);
    stage_job(&s, 0, 100, 1000, 0);
    expect("0 start 0 n0\n0 start 1 n1\n0 start 2 n0\n50 stop 0 n0 done\n50 end 0 done\n"
           "100 stop 2 n0 done\n100 end 2 done\n301 stop 1 n1 done\n301 end 1 done\n");
}

Test(world, a_models_row_overrides_the_types_speed_and_zero_bars_the_type)
{
    stage_node(&s, 1000, 1, "a", 1);
    stage_node(&s, 1000, 1, "b", 1);
    uint32_t m = throughput_model(&s.perf, "resnet");
    throughput_set(&s.perf, m, 0, 0);
    throughput_set(&s.perf, m, 1, 4 * RATE_ONE);
    stage_job(&s, 0, 100, 0, 1)->model = "resnet";
    stage_job(&s, 0, 100, 0, 1)->model = "other";
    expect("0 start 0 n1\n0 start 1 n0\n25 stop 0 n1 done\n25 end 0 done\n100 stop 1 n0 done\n100 end 1 done\n");
}

/* Nodes of rates 2 and 1/2: the gang runs at 1/2, 100 becomes 200. */
Test(world, a_gang_starts_together_and_runs_at_its_slowest_members_speed)
{
    stage_node(&s, 1000, 1, "fast", 2);
    stage_node(&s, 1000, 1, "slow", 0.5);
    stage_job(&s, 0, 10, 0, 1);
    stage_job(&s, 0, 100, 0, 1)->gang = true;
    stage_tasks(&s, 2);
    expect("0 start 0 n0\n5 stop 0 n0 done\n5 end 0 done\n5 start 1.0 n0\n5 start 1.1 n1\n"
           "205 stop 1.0 n0 done\n205 stop 1.1 n1 done\n205 end 1 done\n");
}

Test(world, tasks_of_a_job_that_is_no_gang_go_their_own_ways)
{
    stage_node(&s, 2000, 0, NULL, 1);
    stage_job(&s, 0, 10, 1000, 0);
    stage_tasks(&s, 2);
    stage_group(&s, 1, 30, 1000, 0);
    expect("0 start 0.0 n0\n0 start 0.1 n0\n10 stop 0.0 n0 done\n10 stop 0.1 n0 done\n"
           "10 start 0.2 n0\n40 stop 0.2 n0 done\n40 end 0 done\n");
}

/* ---- preemption ---- */

/* 100 from 0, stopped at 40, again from 50: killed it needs 100 more. */
Test(world, kill_loses_everything)
{
    stage_node(&s, 1000, 0, NULL, 1);
    stage_job(&s, 0, 100, 1000, 0);
    stage_cue(&s, 40, 50, 0);
    s.cfg.restore_cost = 7;         /* nothing was kept: nothing to restore */
    expect("0 start 0 n0\n40 stop 0 n0 preempted\n50 start 0 n0\n150 stop 0 n0 done\n150 end 0 done\n");
    cr_assert_eq(s.lost, 40);
    cr_assert_eq(s.preempted, 1);
    cr_assert_eq(s.count.preemptions, 1);
    cr_assert_eq(s.count.starts, 2);
}

/* Kept 40, restored in 5: 50 + 5 + 60 = 115. */
Test(world, a_checkpoint_on_demand_keeps_all_and_costs_its_restore)
{
    stage_node(&s, 1000, 0, NULL, 1);
    stage_job(&s, 0, 100, 1000, 0);
    stage_cue(&s, 40, 50, 0);
    s.cfg.checkpoint_interval = 0;
    s.cfg.restore_cost = 5;
    expect("0 start 0 n0\n40 stop 0 n0 preempted\n50 start 0 n0\n115 stop 0 n0 done\n115 end 0 done\n");
    cr_assert_eq(s.lost, 0);
}

/* Every 30: 40 done keeps 30, loses 10; 50 + 5 + 70 = 125. */
Test(world, an_interval_keeps_its_multiples)
{
    stage_node(&s, 1000, 0, NULL, 1);
    stage_job(&s, 0, 100, 1000, 0);
    stage_cue(&s, 40, 50, 0);
    s.cfg.checkpoint_interval = 30;
    s.cfg.restore_cost = 5;
    expect("0 start 0 n0\n40 stop 0 n0 preempted\n50 start 0 n0\n125 stop 0 n0 done\n125 end 0 done\n");
    cr_assert_eq(s.lost, 10);
}

/*
 * At rate 2 the interval counts work, not time: 20 us do 40, 30 are kept, the
 * other 70 take 35: 30 + 35 = 65.  A second stop at 50 has 30 + 40 = 70 done,
 * keeps 60, loses 10 more; 55 + 40/2 = 75.
 */
Test(world, an_interval_counts_nominal_work)
{
    stage_node(&s, 0, 1, "fast", 2);
    stage_job(&s, 0, 100, 0, 1);
    stage_cue(&s, 20, 30, 0);
    stage_cue(&s, 50, 55, 0);
    s.cfg.checkpoint_interval = 30;
    expect("0 start 0 n0\n20 stop 0 n0 preempted\n30 start 0 n0\n50 stop 0 n0 preempted\n55 start 0 n0\n"
           "75 stop 0 n0 done\n75 end 0 done\n");
    cr_assert_eq(s.lost, 20);
}

/* 100 us of work that keeps all of it, stopped at `first` until 50 and at `second` until 60, and done at `end`. */
static void stopped_twice(sim_tick first, sim_tick second, sim_tick cost, enum restore_as as, sim_tick end)
{
    char log[200];
    stage_node(&s, 1000, 0, NULL, 1);
    stage_job(&s, 0, 100, 1000, 0);
    stage_cue(&s, first, 50, 0);
    stage_cue(&s, second, 60, 0);
    s.cfg.checkpoint_interval = 0;
    s.cfg.restore_cost = cost;
    s.cfg.restore_as = as;
    (void)snprintf(log, sizeof log, "0 start 0 n0\n%d stop 0 n0 preempted\n50 start 0 n0\n%d stop 0 n0 preempted\n"
                   "60 start 0 n0\n%d stop 0 n0 done\n%d end 0 done\n", (int)first, (int)second, (int)end, (int)end);
    expect(log);
}

/* Stopped at 40 (keeps 40), restoring 50..55 is stopped at 52, restored anew 60..65, 60 left: 125. */
Test(world, a_stop_while_restoring_keeps_what_was_kept)
{
    stopped_twice(40, 52, 5, RESTORE_TIME, 125);
    cr_assert_eq(s.lost, 0);
}

/* 40 done keep 30, 10 go on saving; again from 50, stopped at 53: nothing new was saved; 70 left from 60: 130. */
Test(world, a_save_costs_the_last_of_an_attempt_and_not_more)
{
    stopped_twice(40, 53, 10, RESTORE_SAVE, 130);
    cr_assert_eq(s.lost, 13);
}

/* Stopped at 4 with 10 added: 106 left; again from 50, stopped at 53: 113 left from 60: 173. */
Test(world, added_work_may_be_more_than_was_done)
{
    stopped_twice(4, 53, 10, RESTORE_WORK, 173);
    cr_assert_eq(s.lost, 20);
}

/* Two tasks of a gang lose 10 each. */
Test(world, a_gang_is_preempted_whole)
{
    stage_node(&s, 1000, 0, NULL, 1);
    stage_node(&s, 1000, 0, NULL, 1);
    stage_job(&s, 0, 100, 1000, 0)->gang = true;
    stage_tasks(&s, 2);
    stage_cue(&s, 40, 50, 0);
    s.cfg.checkpoint_interval = 30;
    expect("0 start 0.0 n0\n0 start 0.1 n1\n40 stop 0.0 n0 preempted\n40 stop 0.1 n1 preempted\n"
           "50 start 0.0 n0\n50 start 0.1 n1\n120 stop 0.0 n0 done\n120 stop 0.1 n1 done\n120 end 0 done\n");
    cr_assert_eq(s.lost, 20);
    cr_assert_eq(s.preempted, 1);
}

/* ---- faults ---- */

/* A gang over n0 and n1 fails with n1 at 30 and waits for it until 60: 160. */
Test(world, a_gang_fails_with_any_of_its_nodes)
{
    static const struct fault_event f[] = { { 30, 1, false }, { 60, 1, true } };
    stage_node(&s, 1000, 0, NULL, 1);
    stage_node(&s, 1000, 0, NULL, 1);
    stage_job(&s, 0, 100, 1000, 0)->gang = true;
    stage_tasks(&s, 2);
    s.cfg.fault = (struct fault_spec){ .list = f, .n_list = 2 };
    expect("0 start 0.0 n0\n0 start 0.1 n1\n30 stop 0.0 n0 failed\n30 stop 0.1 n1 failed\n30 down n1\n60 up n1\n"
           "60 start 0.0 n0\n60 start 0.1 n1\n160 stop 0.0 n0 done\n160 stop 0.1 n1 done\n160 end 0 done\n");
    cr_assert_eq(s.failed, 1);
    cr_assert_eq(s.lost, 60);
}

/* Checkpoints on demand only: stopped at 40 (kept), from 50 again, failed at 70: the 20 since are lost. */
Test(world, a_fault_falls_back_to_the_last_checkpoint)
{
    static const struct fault_event f[] = { { 70, 0, false }, { 80, 0, true } };
    stage_node(&s, 1000, 0, NULL, 1);
    stage_job(&s, 0, 100, 1000, 0);
    stage_cue(&s, 40, 50, 0);
    s.cfg.checkpoint_interval = 0;
    s.cfg.fault = (struct fault_spec){ .list = f, .n_list = 2 };
    expect("0 start 0 n0\n40 stop 0 n0 preempted\n50 start 0 n0\n70 stop 0 n0 failed\n70 down n0\n80 up n0\n"
           "80 start 0 n0\n140 stop 0 n0 done\n140 end 0 done\n");
    cr_assert_eq(s.lost, 20);
}

/* 70 done at the fault, every 30: 60 kept; 80 + 40 = 120. */
Test(world, a_fault_keeps_periodic_checkpoints)
{
    static const struct fault_event f[] = { { 70, 0, false }, { 80, 0, true } };
    stage_node(&s, 1000, 0, NULL, 1);
    stage_job(&s, 0, 100, 1000, 0);
    s.cfg.checkpoint_interval = 30;
    s.cfg.fault = (struct fault_spec){ .list = f, .n_list = 2 };
    expect("0 start 0 n0\n70 stop 0 n0 failed\n70 down n0\n80 up n0\n80 start 0 n0\n120 stop 0 n0 done\n120 end 0 done\n");
    cr_assert_eq(s.lost, 10);
}

Test(world, what_ends_when_its_node_fails_has_ended)
{
    static const struct fault_event f[] = { { 100, 0, false }, { 110, 0, true } };
    stage_node(&s, 1000, 0, NULL, 1);
    stage_job(&s, 0, 100, 1000, 0);
    stage_job(&s, 20, 10, 1000, 0);
    s.cfg.fault = (struct fault_spec){ .list = f, .n_list = 2 };
    expect("0 start 0 n0\n100 stop 0 n0 done\n100 end 0 done\n100 down n0\n110 up n0\n110 start 1 n0\n120 stop 1 n0 done\n120 end 1 done\n");
}

Test(world, a_node_may_fail_and_return_at_one_instant)
{
    static const struct fault_event f[] = { { 40, 0, false }, { 40, 0, true } };
    stage_node(&s, 1000, 0, NULL, 1);
    stage_job(&s, 0, 100, 1000, 0);
    s.cfg.fault = (struct fault_spec){ .list = f, .n_list = 2 };
    expect("0 start 0 n0\n40 stop 0 n0 failed\n40 down n0\n40 up n0\n40 start 0 n0\n140 stop 0 n0 done\n140 end 0 done\n");
}

Test(world, jobs_that_wait_for_a_node_that_never_returns_are_unfinished)
{
    static const struct fault_event f[] = { { 40, 0, false } };
    stage_node(&s, 1000, 0, NULL, 1);
    stage_job(&s, 0, 100, 1000, 0);
    s.cfg.fault = (struct fault_spec){ .list = f, .n_list = 1 };
    expect("0 start 0 n0\n40 stop 0 n0 failed\n40 down n0\n40 end 0 unfinished\n");
    cr_assert_eq(s.count.unfinished, 1);
}

Test(world, nodes_that_never_return_end_a_sampled_run_too)
{
    static const struct fault_event f[] = { { 40, 0, false } };
    stage_node(&s, 1000, 0, NULL, 1);
    stage_job(&s, 0, 100, 1000, 0);
    s.cfg.fault = (struct fault_spec){ .list = f, .n_list = 1 };
    s.cfg.sample_every = 10;
    stage_run(&s);
    cr_assert_eq(s.result, ST_END);
    cr_assert_eq(s.count.unfinished, 1);
}

/* ---- limits ---- */

Test(world, a_limit_ends_its_job_when_it_is_enforced)
{
    stage_node(&s, 1000, 0, NULL, 1);
    stage_job(&s, 0, 100, 1000, 0)->limit = 30;
    stage_job(&s, 0, 100, 1000, 0)->limit = 100;        /* reached as it ends: done */
    s.cfg.enforce_limits = true;
    expect("0 start 0 n0\n30 stop 0 n0 timeout\n30 end 0 timeout\n30 start 1 n0\n130 stop 1 n0 done\n130 end 1 done\n");
    cr_assert_eq(s.count.timeout, 1);
    cr_assert_eq(s.count.done, 1);
}

Test(world, a_limit_is_only_an_estimate_when_it_is_not_enforced)
{
    stage_node(&s, 1000, 0, NULL, 1);
    stage_job(&s, 0, 100, 1000, 0)->limit = 30;
    expect("0 start 0 n0\n100 stop 0 n0 done\n100 end 0 done\n");
}

/* Each attempt has its limit: killed at 20 of 30, again from 25, stopped at 55. */
Test(world, a_limit_is_for_each_attempt)
{
    stage_node(&s, 1000, 0, NULL, 1);
    stage_job(&s, 0, 100, 1000, 0)->limit = 30;
    stage_cue(&s, 20, 25, 0);
    s.cfg.enforce_limits = true;
    expect("0 start 0 n0\n20 stop 0 n0 preempted\n25 start 0 n0\n55 stop 0 n0 timeout\n55 end 0 timeout\n");
}

Test(world, one_task_over_its_limit_makes_the_job_a_timeout_when_all_are_over)
{
    stage_node(&s, 3000, 0, NULL, 1);
    stage_job(&s, 0, 10, 1000, 0)->limit = 30;
    stage_group(&s, 1, 50, 1000, 0);
    stage_group(&s, 1, 30, 1000, 0);
    s.cfg.enforce_limits = true;
    expect("0 start 0.0 n0\n0 start 0.1 n0\n0 start 0.2 n0\n10 stop 0.0 n0 done\n30 stop 0.2 n0 done\n30 stop 0.1 n0 timeout\n30 end 0 timeout\n");
}

Test(world, a_limit_of_nothing_ends_a_job_at_its_start)
{
    stage_node(&s, 1000, 0, NULL, 1);
    stage_job(&s, 3, 10, 1000, 0)->limit = 0;
    s.cfg.enforce_limits = true;
    expect("3 start 0 n0\n3 stop 0 n0 timeout\n3 end 0 timeout\n");
}

/* ---- ends of runs ---- */

Test(world, the_horizon_stops_everything_where_it_stands)
{
    stage_node(&s, 1000, 0, NULL, 1);
    stage_job(&s, 0, 50, 1000, 0);
    stage_job(&s, 0, 100, 1000, 0);
    stage_job(&s, 10, 5, 1000, 0);
    stage_job(&s, 60, 5, 1000, 0);          /* never arrives */
    s.cfg.horizon = 50;                     /* what happens at the horizon still happens */
    expect("0 start 0 n0\n50 stop 0 n0 done\n50 end 0 done\n50 start 1 n0\n"
           "50 stop 1 n0 horizon\n50 end 1 unfinished\n50 end 2 unfinished\n");
    cr_assert_eq(s.count.unfinished, 2);
    cr_assert_eq(s.count.arrived, 3);
    cr_assert_eq(s.now, 50);
}

Test(world, an_infeasible_job_is_an_error_that_names_it_and_its_line)
{
    stage_node(&s, 1000, 1, "a", 1);
    stage_job(&s, 0, 100, 1000, 0);
    stage_job(&s, 0, 100, 1001, 0);
    stage_run(&s);
    cr_assert_eq(s.result, ST_EINPUT);
    cr_assert_not_null(strstr(s.diag.msg, "'j1'"), "%s", s.diag.msg);
    cr_assert_not_null(strstr(s.diag.msg, "line 3"), "%s", s.diag.msg);
    cr_assert_neq(s.diag.hint[0], '\0');
}

Test(world, infeasible_jobs_can_be_counted_as_rejected)
{
    stage_node(&s, 1000, 1, "a", 1);
    stage_job(&s, 0, 100, 1001, 0);
    stage_job(&s, 5, 100, 0, 2);
    stage_job(&s, 7, 10, 0, 1)->gang = true;
    stage_tasks(&s, 2);                     /* each fits, together they do not */
    stage_job(&s, 9, 10, 0, 1);
    stage_tasks(&s, 2);                     /* one after the other they do */
    s.cfg.reject_infeasible = true;
    expect("0 end 0 rejected\n5 end 1 rejected\n7 end 2 rejected\n9 start 3.0 n0\n"
           "19 stop 3.0 n0 done\n19 start 3.1 n0\n29 stop 3.1 n0 done\n29 end 3 done\n");
    cr_assert_eq(s.count.rejected, 3);
}

Test(world, a_decider_that_leaves_jobs_waiting_broke_its_contract)
{
    stage_node(&s, 1000, 0, NULL, 1);
    stage_job(&s, 0, 100, 1000, 0);
    s.idle = true;
    stage_run(&s);
    cr_assert_eq(s.result, ST_EPOLICY);
    cr_assert_not_null(strstr(s.diag.msg, "waiting"), "%s", s.diag.msg);
}

Test(world, no_jobs_at_all_is_an_end)
{
    stage_node(&s, 1000, 0, NULL, 1);
    expect("");
}

/* ---- acts ---- */

static void refused(enum pol_refusal found, enum pol_refusal want)
{
    cr_assert_eq(found, want, "found '%s', expected '%s'", pol_refusal_name(found), pol_refusal_name(want));
}

static void misuse(struct stage *st, struct world *w)
{
    (void)st;
    if (world_now(w) != 10) return;
    const struct world_place here = { .node = 0 }, there = { .node = 7 }, two[2] = { { .node = 0 }, { .node = 0 } };
    uint64_t digest = world_digest(w);
    uint32_t running = 0, single = NONE, gang = NONE;
    for (uint32_t t = 0; t < world_n_task_slots(w); t++) {
        if (world_job_of(w, t)->ordinal == 0) running = t;
        if (world_job_of(w, t)->ordinal == 1) single = t;
    }
    for (uint32_t j = 0; j < world_n_job_slots(w); j++)
        if (world_job(w, j)->ordinal == 2) gang = j;
    refused(world_start(w, 999, &here), POL_REFUSAL_NO_TASK);
    refused(world_start(w, running, &here), POL_REFUSAL_RUNNING);
    refused(world_start(w, single, &there), POL_REFUSAL_NO_NODE);
    refused(world_start(w, world_job(w, gang)->first_task, &here), POL_REFUSAL_GANG);
    refused(world_start_gang(w, 999, two, 2), POL_REFUSAL_NO_JOB);
    refused(world_start_gang(w, world_task(w, single)->job, &here, 1), POL_REFUSAL_NO_GANG);
    refused(world_start_gang(w, gang, two, 1), POL_REFUSAL_PLACES);
    refused(world_start_gang(w, gang, two, 2), POL_REFUSAL_NO_ROOM);     /* the first does: it must be given back */
    refused(world_preempt(w, single), POL_REFUSAL_NOT_RUNNING);
    refused(world_preempt(w, 999), POL_REFUSAL_NO_TASK);
    refused(world_wake(w, 10), POL_REFUSAL_PAST);
    refused(world_wake(w, 9), POL_REFUSAL_PAST);
    cr_assert_eq(world_digest(w), digest);
    cr_assert_eq(world_cluster(w)->node[0].cpu_free, 1500);
}

Test(world, acts_that_are_refused_change_nothing)
{
    stage_node(&s, 2500, 0, NULL, 1);
    stage_job(&s, 0, 100, 1000, 0);
    stage_job(&s, 10, 10, 1000, 0);
    stage_job(&s, 10, 10, 1000, 0)->gang = true;
    stage_tasks(&s, 2);
    s.meddle = misuse;
    expect("0 start 0 n0\n10 start 1 n0\n20 stop 1 n0 done\n20 end 1 done\n100 stop 0 n0 done\n100 end 0 done\n"
           "100 start 2.0 n0\n100 start 2.1 n0\n110 stop 2.0 n0 done\n110 stop 2.1 n0 done\n110 end 2 done\n");
}

/* At rate 1/2, cut at 41 with 20.5 done: attained 41, left 79.5 -> 80; then restoring adds to attained alone. */
static void look(struct stage *st, struct world *w)
{
    (void)st;
    if (world_n_live_jobs(w) == 0) return;
    sim_tick attained = world_attained(w, 0), left = world_left(w, 0);
    if (world_now(w) == 41) cr_assert(attained == 41 && left == 80, "%ld %ld", (long)attained, (long)left);
    if (world_now(w) == 50) cr_assert(attained == 41 && left == 80, "%ld %ld", (long)attained, (long)left);
    if (world_now(w) == 55) cr_assert(attained == 46 && left == 80, "%ld %ld", (long)attained, (long)left);
    if (world_now(w) == 60) cr_assert(attained == 51 && left == 80, "%ld %ld", (long)attained, (long)left);
    if (world_now(w) == 63) cr_assert(attained == 54 && left == 78, "%ld %ld", (long)attained, (long)left);
}

Test(world, attained_counts_time_on_a_node_and_left_counts_work)
{
    stage_node(&s, 0, 1, "slow", 0.5);
    stage_job(&s, 0, 100, 0, 1);
    stage_cue(&s, 41, 50, 0);
    stage_cue(&s, 55, 55, 99);      /* nobody: only to look */
    stage_cue(&s, 63, 63, 99);
    s.cfg.checkpoint_interval = 0;
    s.cfg.restore_cost = 10;
    s.meddle = look;
    expect("0 start 0 n0\n41 stop 0 n0 preempted\n50 start 0 n0\n219 stop 0 n0 done\n219 end 0 done\n");
}

/* ---- digests ---- */

static void a_busy_stage(void)
{
    static const struct fault_event f[] = { { 33, 1, false }, { 77, 1, true } };
    stage_node(&s, 2000, 1, "a", 1);
    stage_node(&s, 1000, 2, "b", 1.5);
    for (int i = 0; i < 10; i++) stage_job(&s, i * 7, 20 + i, 500 * (i % 3), i % 2);
    stage_cue(&s, 25, 40, 2);
    s.cfg.checkpoint_interval = 10;
    s.cfg.fault = (struct fault_spec){ .list = f, .n_list = 2 };
}

Test(world, the_same_run_has_the_same_digest_and_log)
{
    static char log[sizeof s.log];
    a_busy_stage();
    stage_run(&s);
    uint64_t digest = s.digest;
    memcpy(log, s.log, sizeof log);
    stage_run(&s);
    cr_assert_eq(s.digest, digest);
    cr_assert_str_eq(s.log, log);
}

Test(world, samples_change_nothing)
{
    static char log[sizeof s.log];
    a_busy_stage();
    stage_run(&s);
    uint64_t digest = s.digest;
    memcpy(log, s.log, sizeof log);
    s.cfg.sample_every = 3;
    stage_run(&s);
    cr_assert_eq(s.digest, digest);
    cr_assert_str_eq(s.log, log);
}

Test(world, a_microsecond_changes_the_digest)
{
    a_busy_stage();
    stage_run(&s);
    uint64_t digest = s.digest;
    s.group[8][0].dur++;      /* CPU work, at nominal speed */
    stage_run(&s);
    cr_assert_neq(s.digest, digest);
}

Test(world, memory_follows_live_jobs)
{
    stage_node(&s, 1000, 0, NULL, 1);
    for (int i = 0; i < 16; i++) stage_job(&s, i * 10, 10, 1000, 0);
    stage_run(&s);
    cr_assert_eq(s.count.done, 16);
    cr_assert_leq(s.peak_live, 2, "%u", s.peak_live);
}

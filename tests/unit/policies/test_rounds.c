/* Leases in rounds: lives worked out by hand, under the policy of tests/conform/so/turns.c. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ref/stage.h"

static struct stage s;
static char spec[4400];

static void setup(void) { stage_init(&s); }
static void teardown(void) { stage_fini(&s); }

TestSuite(rounds, .init = setup, .fini = teardown);

/* The policy, beside this program's folder (tests.mk), with these parameters. */
static void turns(const char *params)
{
    const char *fairway = getenv("FAIRWAY"), *slash = fairway != NULL ? strrchr(fairway, '/') : NULL;
    (void)snprintf(spec, sizeof spec, "%.*s/tests/so/turns.so:round=60us%s", slash != NULL ? (int)(slash - fairway) : 5,
                   slash != NULL ? fairway : "build", params);
    s.policy = spec;
    s.cfg.checkpoint_interval = 0;
    stage_run(&s);
    cr_assert_eq(s.result, ST_END, "%s", s.diag.msg);
}

static void logged(const char *want) { cr_assert_str_eq(s.log, want, "\n%s", s.log); }

/* One card, jobs of 90 and 30 us: turns of 60; the round is over when nothing runs any more. */
Test(rounds, two_jobs_take_turns_on_one_card)
{
    stage_node(&s, 8000, 1, "V100", 1);
    stage_job(&s, 0, 90, 100, 1);
    stage_job(&s, 0, 30, 100, 1);
    turns("");
    logged("0 start 0 n0\n60 stop 0 n0 preempted\n60 start 1 n0\n90 stop 1 n0 done\n90 end 1 done\n90 start 0 n0\n"
           "120 stop 0 n0 done\n120 end 0 done\n");
    cr_assert_eq(s.count.preemptions, 1);
}

/* Two cards: what ends at 30 leaves its card idle until 60, or for the third job, whose lease is then over at 60, too. */
static void three_on_two(const char *params)
{
    stage_node(&s, 8000, 2, "V100", 1);
    stage_job(&s, 0, 30, 100, 1);
    stage_job(&s, 0, 100, 100, 1);
    stage_job(&s, 0, 40, 100, 1);
    turns(params);
}

Test(rounds, an_early_end_leaves_its_card_idle)
{
    three_on_two("");
    logged("0 start 0 n0\n0 start 1 n0\n30 stop 0 n0 done\n30 end 0 done\n60 start 2 n0\n100 stop 1 n0 done\n"
           "100 end 1 done\n100 stop 2 n0 done\n100 end 2 done\n");
    cr_assert_eq(s.count.preemptions, 0);       /* the lease of the second was extended */
}

Test(rounds, or_its_card_is_leased_for_the_rest_of_the_round)
{
    three_on_two(",fill=true");
    logged("0 start 0 n0\n0 start 1 n0\n30 stop 0 n0 done\n30 end 0 done\n30 start 2 n0\n70 stop 2 n0 done\n70 end 2 done\n"
           "100 stop 1 n0 done\n100 end 1 done\n");
}

Test(rounds, leases_that_are_not_extended_cost_a_restart)
{
    s.cfg.restore_cost = 5;
    stage_node(&s, 8000, 1, "V100", 1);
    stage_job(&s, 0, 100, 100, 1);
    turns(",restart=true");
    logged("0 start 0 n0\n60 stop 0 n0 preempted\n60 start 0 n0\n105 stop 0 n0 done\n105 end 0 done\n");
    cr_assert_eq(s.count.preemptions, 1);
}

Test(rounds, by_the_clock_they_begin_at_multiples)
{
    stage_node(&s, 8000, 2, "V100", 1);
    stage_job(&s, 10, 20, 100, 1);
    stage_job(&s, 70, 20, 100, 1);
    turns(",clock=true");
    logged("60 start 0 n0\n80 stop 0 n0 done\n80 end 0 done\n120 start 1 n0\n140 stop 1 n0 done\n140 end 1 done\n");
}

Test(rounds, single_leases_end_each_at_its_time)
{
    stage_node(&s, 8000, 2, "V100", 1);
    stage_job(&s, 0, 100, 100, 1);
    stage_job(&s, 20, 100, 100, 1);
    stage_job(&s, 30, 10, 100, 1);
    turns(",each=true");
    logged("0 start 0 n0\n20 start 1 n0\n60 stop 0 n0 preempted\n60 start 2 n0\n70 stop 2 n0 done\n70 end 2 done\n70 start 0 n0\n"
           "110 stop 0 n0 done\n110 end 0 done\n120 stop 1 n0 done\n120 end 1 done\n");
}

/* At 60 the second job, which has not run yet, takes both cards of n0, where the first was; that goes on on n1. */
Test(rounds, who_moves_starts_at_its_place_in_the_same_instant)
{
    s.cfg.restore_cost = 5;
    stage_node(&s, 8000, 2, "V100", 1);
    stage_node(&s, 8000, 1, "V100", 1);
    stage_job(&s, 0, 200, 100, 1);
    stage_job(&s, 1, 20, 100, 2);
    turns("");
    logged("0 start 0 n0\n60 stop 0 n0 preempted\n60 start 1 n0\n60 start 0 n1\n80 stop 1 n0 done\n80 end 1 done\n"
           "205 stop 0 n1 done\n205 end 0 done\n");
}

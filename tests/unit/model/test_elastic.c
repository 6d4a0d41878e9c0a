/* Elastic jobs: speeds by their number of GPUs, changes of size and refusals, all worked out by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include "model/speed/adaptive.h"
#include "ref/stage.h"

enum { MOVES = 6 };

/* What is done at an instant: so many tasks, on the nodes that `nodes` lists as digits. */
static struct move { sim_tick at; uint32_t job; const char *nodes; enum pol_refusal expected; bool done; } move[MOVES];
static struct stage s;

/* Scaling 0: 1, 1.8 and 3 times on 1, 2 and 4 GPUs of one node; 1.5, 2.5 and 4 on 2, 4 and 8 of several. */
static void add_scaling(sim_tick restart, bool only_listed)
{
    struct scaling_row row = { .name = intern_id(&s.profiles.scaling.names, "r"), .gpu_type = NONE, .restart = restart, .only_listed = only_listed };
    cr_assert_null(curve_parse(&row.one, "1:1;2:1.8;4:3"));
    cr_assert_null(curve_parse(&row.several, "2:1.5;4:2.5;8:4"));
    cr_assert(scaling_add(&s.profiles.scaling, &row));
    s.cfg.profiles = &s.profiles;
}

static void setup(void)
{
    stage_init(&s);
    memset(move, 0, sizeof move);
    s.cfg.checkpoint_interval = 0;
    stage_node(&s, 8000, 4, "V100", 1);
    stage_node(&s, 8000, 4, "V100", 1);
}

static void teardown(void) { stage_fini(&s); }

TestSuite(elastic, .init = setup, .fini = teardown);

static struct job_spec *add_job(sim_tick submit, sim_tick dur, uint32_t asked, uint32_t min, uint32_t max)
{
    struct job_spec *j = stage_job(&s, submit, dur, 100, 1);
    stage_tasks(&s, asked);
    j->gang = true;
    j->elastic = (struct elastic){ .min = min, .max = max };
    return j;
}

/* Waiting jobs start where a move says, running ones go on there. */
static void meddle(struct stage *st, struct world *w)
{
    (void)st;
    for (int i = 0; i < MOVES && move[i].nodes != NULL; i++) {
        struct world_place p[16] = { { 0 } };
        uint32_t n = (uint32_t)strlen(move[i].nodes);
        if (world_now(w) < move[i].at) (void)world_wake(w, move[i].at);
        if (world_now(w) != move[i].at || move[i].done) continue;
        move[i].done = true;
        for (uint32_t k = 0; k < n; k++) p[k].node = (uint32_t)(move[i].nodes[k] - '0');
        uint64_t before = world_digest(w);
        bool runs = world_job(w, move[i].job)->n_running > 0;
        enum pol_refusal got = runs ? world_scale(w, move[i].job, p, n) : world_start_gang(w, move[i].job, p, n);
        cr_assert_eq(got, move[i].expected, "move %d: %s", i, pol_refusal_name(got));
        cr_assert((world_digest(w) == before) == (got != POL_OK));
    }
}

static void run(void)
{
    s.idle = true;
    s.meddle = meddle;
    stage_run(&s);
    cr_assert_eq(s.result, ST_END, "%s", s.diag.msg);
}

static void plan(int i, sim_tick at, uint32_t job, const char *nodes, enum pol_refusal expected)
{
    move[i] = (struct move){ .at = at, .job = job, .nodes = nodes, .expected = expected };
}

/*
 * 1000 us asked on 2 GPUs, where 1.8 is nominal.  On 8 of two nodes 4 / 1.8 of that: from 0 to 300 that is 666.7 us
 * of work; a restart of 100; then on 3 of one node 2.4 / 1.8: 250 us for what is left, 333.3.
 */
Test(elastic, goes_at_the_speed_of_its_size_and_pays_for_a_change)
{
    add_scaling(100, false);
    (void)add_job(0, 1000, 2, 1, 8);
    plan(0, 0, 0, "00001111", POL_OK);
    plan(1, 300, 0, "000", POL_OK);
    run();
    cr_assert_str_eq(s.log, "0 start 0.0 n0\n0 start 0.1 n0\n0 start 0.2 n0\n0 start 0.3 n0\n"
                            "0 start 0.4 n1\n0 start 0.5 n1\n0 start 0.6 n1\n0 start 0.7 n1\n"
                            "300 stop 0.0 n0 scaled\n300 stop 0.1 n0 scaled\n300 stop 0.2 n0 scaled\n300 stop 0.3 n0 scaled\n"
                            "300 stop 0.4 n1 scaled\n300 stop 0.5 n1 scaled\n300 stop 0.6 n1 scaled\n300 stop 0.7 n1 scaled\n"
                            "300 start 0.0 n0\n300 start 0.1 n0\n300 start 0.2 n0\n"
                            "650 stop 0.0 n0 done\n650 stop 0.1 n0 done\n650 stop 0.2 n0 done\n650 end 0 done\n", "%s", s.log);
    cr_assert_eq(s.count.elastic, 1);
    cr_assert_eq(s.count.scalings, 1);
    cr_assert_eq(s.count.preemptions, 0);
    cr_assert_eq(s.lost, 0);
}

/* Until half is done all is told to be left, then 0.9 until three quarters are, then 0.3; left is rounded up. */
Test(elastic, tells_by_its_curve_how_much_is_left)
{
    struct scaling_row row = { .gpu_type = NONE };
    cr_assert_float_eq(scaling_told(&row, 200, 50), 0.25, 1e-12, "without a curve as it is");
    cr_assert_null(curve_parse(&row.told, "0:1;0.5:0.9;0.75:0.3"));
    static const struct { sim_tick left; double told; } want[] = {
        { 100, 1 }, { 52, 1 }, { 51, 0.9 }, { 27, 0.9 }, { 26, 0.3 }, { 0, 0.3 },
    };
    for (size_t i = 0; i < ARRAY_LEN(want); i++)
        cr_assert_float_eq(scaling_told(&row, 100, want[i].left), want[i].told, 1e-12, "%d", (int)want[i].left);
    curve_fini(&row.told);
}

Test(elastic, refuses_sizes_and_places_that_will_not_do_and_goes_on_as_it_was)
{
    add_scaling(100, true);
    (void)add_job(0, 1000, 2, 2, 4);
    plan(0, 0, 0, "000", POL_REFUSAL_SIZE);         /* between what is listed */
    plan(1, 0, 0, "0", POL_REFUSAL_SIZE);
    plan(2, 0, 0, "00000000", POL_REFUSAL_SIZE);
    plan(3, 0, 0, "0001", POL_OK);
    plan(4, 100, 0, "1111", POL_OK);
    plan(5, 200, 0, "00000", POL_REFUSAL_SIZE);
    s.cfg.horizon = 300;
    run();
}

Test(elastic, of_places_that_do_not_all_fit_none_is_taken)
{
    add_scaling(0, false);
    (void)add_job(0, 1000, 2, 1, 8);
    plan(0, 0, 0, "00", POL_OK);
    plan(1, 400, 0, "00000", POL_REFUSAL_NO_ROOM);
    plan(2, 400, 0, "0000", POL_OK);        /* what it holds is free for it */
    run();
    cr_assert_not_null(strstr(s.log, "760 end 0 done\n"), "%s", s.log);     /* 600 left at 3 / 1.8 */
}

/* A task that asks for nothing came beside a job that has its node to itself: refused, that goes on as it was. */
Test(elastic, alone_on_its_node_it_goes_on_where_it_is_when_refused)
{
    add_scaling(0, false);
    (void)add_job(0, 1000, 1, 1, 8);
    s.group[0][0].shape.exclusive = 1;
    (void)stage_job(&s, 50, 500, 0, 0);
    plan(0, 0, 0, "0", POL_OK);
    plan(1, 100, 0, "00", POL_REFUSAL_NO_ROOM);
    s.idle = false;
    s.meddle = meddle;
    stage_run(&s);
    cr_assert_eq(s.result, ST_END, "%s", s.diag.msg);
    cr_assert_not_null(strstr(s.log, "550 end 1 done\n"), "%s", s.log);
    cr_assert_not_null(strstr(s.log, "1000 end 0 done\n"), "%s", s.log);
}

/* Every 250 us is kept of 400: 150 lost, for each of the 2 tasks that it asked. */
Test(elastic, keeps_what_a_preemption_keeps)
{
    s.cfg.checkpoint_interval = 250;
    s.cfg.restore_cost = 7;
    add_scaling(-1, false);
    (void)add_job(0, 1000, 2, 1, 8);
    plan(0, 0, 0, "00", POL_OK);
    plan(1, 400, 0, "1111", POL_OK);
    run();
    cr_assert_eq(s.lost, 300);
    cr_assert_not_null(strstr(s.log, "857 end 0 done\n"), "%s", s.log);     /* 400 + 7 + 750 / (3 / 1.8) */
}

Test(elastic, a_rigid_job_has_no_other_size)
{
    add_scaling(0, false);
    struct job_spec *j = add_job(0, 1000, 2, 1, 8);
    j->elastic.max = 0;
    plan(0, 0, 0, "000", POL_REFUSAL_PLACES);
    plan(1, 0, 0, "00", POL_OK);
    plan(2, 100, 0, "000", POL_REFUSAL_NOT_ELASTIC);
    run();
}

/* ---- goodput ---- */

static const struct adaptive model = { .alpha_c = 0.1, .beta_c = 0.001, .alpha_r = 0.05, .beta_r = 0.01, .alpha_n = 0.2, .beta_n = 0.02,
                                       .gamma = 1, .noise = 300, .batch = 100, .max_batch = 100, .min_local = 10, .max_local = 100 };

/* With one batch, 100: 4 GPUs do 25 each in 0.125 s, and exchange in 0.05 + 2 x 0.01 s, or 0.2 + 2 x 0.02. */
Test(elastic, goodput_is_the_closed_form_for_one_batch)
{
    cr_assert_float_eq(adaptive_goodput(&model, 4, false), 100 / (0.125 + 0.07), 1e-9);
    cr_assert_float_eq(adaptive_goodput(&model, 4, true), 100 / (0.125 + 0.24), 1e-9);
    cr_assert_float_eq(adaptive_goodput(&model, 1, false), 100 / 0.2, 1e-9);
    cr_assert_float_eq(adaptive_goodput(&model, 2, false), 100 / (0.15 + 0.05), 1e-9);
    cr_assert_eq(adaptive_goodput(&model, 11, false), 0);       /* 10 of 10 is the least each can do */
}

/* At most 50 at a time: 2 GPUs do 50 each; one does twice 50, the first half without exchange. */
Test(elastic, goodput_accumulates_what_does_not_fit)
{
    struct adaptive a = model;
    a.max_local = 50;
    cr_assert_float_eq(adaptive_goodput(&a, 1, false), 100 / (0.15 + 0.15), 1e-9);
    cr_assert_float_eq(adaptive_goodput(&a, 2, false), 100 / (0.15 + 0.05), 1e-9);
}

/* A larger batch is of less use by (300 + 100) / (300 + M), and the best of the 50 is chosen. */
Test(elastic, goodput_weighs_throughput_against_efficiency)
{
    struct adaptive a = model;
    double best = 0;
    a.max_batch = 1600;
    a.max_local = 1000;
    a.gamma = 2;
    for (int i = 0; i < 50; i++) {
        double m = 100 * pow(16, i / 49.0), grad = 0.1 + 0.001 * m / 4, step = sqrt(grad * grad + 0.07 * 0.07);
        best = fmax(best, m / step * 400 / (300 + m));
    }
    cr_assert_float_eq(adaptive_goodput(&a, 4, false), best, 1e-6);
    cr_assert(best > 100 / (0.125 + 0.07));
}

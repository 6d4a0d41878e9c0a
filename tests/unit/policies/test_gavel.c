/* Gavel's programs: fractions of time worked out by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include "gavel/program.h"

static struct gavel_program p;
static double cards[3], price[3];

static void setup(void)
{
    p = (struct gavel_program){ .cards = cards, .price = price };
    for (int k = 0; k < 3; k++) price[k] = 1;
}

static void teardown(void)
{
    p.cards = p.price = NULL;
    gavel_program_fini(&p);
}

TestSuite(gavel, .init = setup, .fini = teardown);

static void types(uint32_t n, const double *of_each)
{
    p.n_types = n;
    memcpy(cards, of_each, n * sizeof *cards);
}

/* A job and the row that it is by itself: all jobs before the first pair. */
static void job(struct gavel_job j, const double *rate)
{
    if (j.cards == 0) j.cards = 1;
    if (j.weight == 0) j.weight = 1;
    if (j.steps == 0) j.steps = 1;
    POL_PUSH(p.job, p.n_jobs, p.cap_job, j);
    POL_RESERVE(p.rate, p.cap_rate, ((size_t)p.n_rows + 1) * 2 * p.n_types);
    POL_PUSH(p.row, p.n_rows, p.cap_row, (struct gavel_row){ { p.n_jobs - 1, POL_NONE } });
    memcpy(gavel_rates(&p, p.n_rows - 1, 0), rate, p.n_types * sizeof *rate);
}

static void pair(uint32_t a, uint32_t b, const double *rate_a, const double *rate_b)
{
    POL_RESERVE(p.rate, p.cap_rate, ((size_t)p.n_rows + 1) * 2 * p.n_types);
    POL_PUSH(p.row, p.n_rows, p.cap_row, (struct gavel_row){ { a, b } });
    memcpy(gavel_rates(&p, p.n_rows - 1, 0), rate_a, p.n_types * sizeof *rate_a);
    memcpy(gavel_rates(&p, p.n_rows - 1, 1), rate_b, p.n_types * sizeof *rate_b);
}

static void solved(enum gavel_objective objective)
{
    char error[200] = "";
    p.objective = objective;
    cr_assert(gavel_program_solve(&p, error, sizeof error), "%s", error);
}

/* What a job has of all types together. */
static double rate_of(uint32_t j)
{
    double sum = 0;
    for (uint32_t r = 0; r < p.n_rows; r++)
        for (uint32_t m = 0; m < 2; m++)
            for (uint32_t k = 0; k < p.n_types && p.row[r].job[m] == j; k++) sum += gavel_times(&p, r)[k] * gavel_rates(&p, r, m)[k];
    return sum;
}

/* To a thousandth: floors are a hair below their optimum, so that there is an inside. */
static void near(double got, double want, const char *what) { cr_assert(fabs(got - want) < 1e-3, "%s: %g, expected %g", what, got, want); }

/*
 * One card of each type.  A is 4 times as fast on the first, B as fast on both: A has the first card and B the second.
 * In the measure of max-min A has 4 / 2.5 and B 1 / 1, of which 1 is the most that B can have.
 */
Test(gavel, each_job_has_the_type_on_which_it_gains)
{
    types(2, (double[]){ 1, 1 });
    job((struct gavel_job){ 0 }, (double[]){ 4, 1 });
    job((struct gavel_job){ 0 }, (double[]){ 1, 1 });
    solved(GAVEL_MAX_MIN);
    near(rate_of(1), 1, "B's rate");
    cr_assert_geq(rate_of(0), 2.5 * (1 - 1e-3));
    p.job[0].steps = p.job[1].steps = 1;
    solved(GAVEL_SUM);
    near(gavel_times(&p, 0)[0], 1, "A on the first");
    near(gavel_times(&p, 1)[1], 1, "B on the second");
}

/* Two like jobs on one card, one of twice the weight; then one of two cards, which has half the time for as much. */
Test(gavel, weights_and_widths_share_a_card)
{
    types(1, (double[]){ 1 });
    job((struct gavel_job){ .weight = 2 }, (double[]){ 1 });
    job((struct gavel_job){ .weight = 1 }, (double[]){ 1 });
    solved(GAVEL_MAX_MIN);
    near(gavel_times(&p, 0)[0], 2.0 / 3, "twice the weight");
    near(gavel_times(&p, 1)[0], 1.0 / 3, "the other");
    cards[0] = 2;
    p.job[0].weight = 1;
    p.job[0].cards = 2;
    solved(GAVEL_MAX_MIN);
    near(gavel_times(&p, 0)[0], 0.5, "two cards half the time");
    near(gavel_times(&p, 1)[0], 1, "one card all the time");
}

/* 10 s and 20 s on a card: done together after 30 s.  A job on a type that is not there waits, and holds up nobody. */
Test(gavel, the_makespan_is_shared_by_what_is_left)
{
    types(2, (double[]){ 1, 0 });
    job((struct gavel_job){ .left = 10 }, (double[]){ 1, 0 });
    job((struct gavel_job){ .left = 20 }, (double[]){ 1, 0 });
    job((struct gavel_job){ .left = 99 }, (double[]){ 0, 1 });
    solved(GAVEL_MAKESPAN);
    near(gavel_times(&p, 0)[0], 1.0 / 3, "the short one");
    near(gavel_times(&p, 1)[0], 2.0 / 3, "the long one");
    near(gavel_times(&p, 2)[1], 0, "the one without cards");
}

/*
 * Two jobs with 100 s left on one card, each at half speed on its share; one waited 100 s for nothing.  With x for that:
 * (100 + 100 / x) / 200 = (100 / (1 - x)) / 200, so x^2 + x - 1 = 0.
 */
Test(gavel, who_waited_catches_up_in_finish_time)
{
    types(1, (double[]){ 1 });
    job((struct gavel_job){ .left = 100, .elapsed = 100 }, (double[]){ 1 });
    job((struct gavel_job){ .left = 100 }, (double[]){ 1 });
    solved(GAVEL_FINISH_TIME);
    near(gavel_times(&p, 0)[0], (sqrt(5) - 1) / 2, "who waited");
    near(gavel_times(&p, 1)[0], (3 - sqrt(5)) / 2, "who came");
}

/* The first type is twice as fast and thrice as dear: throughput alone has it, throughput over price the second. */
Test(gavel, a_price_divides_what_throughput_is_worth)
{
    types(2, (double[]){ 1, 1 });
    price[0] = 3;
    job((struct gavel_job){ 0 }, (double[]){ 2, 1 });
    solved(GAVEL_SUM);
    near(gavel_times(&p, 0)[0], 0, "on the dear");
    near(gavel_times(&p, 0)[1], 1, "on the cheap");
    price[0] = 1;
    solved(GAVEL_SUM);
    near(gavel_times(&p, 0)[0], 1, "on the fast");
}

/* Beside each other both have 0.8: that is more than the half of turns; and where it is 0.4 turns it is. */
Test(gavel, pairs_run_where_they_do_more_than_turns)
{
    types(1, (double[]){ 1 });
    job((struct gavel_job){ 0 }, (double[]){ 1 });
    job((struct gavel_job){ 0 }, (double[]){ 1 });
    pair(0, 1, (double[]){ 0.8 }, (double[]){ 0.8 });
    solved(GAVEL_MAX_MIN);
    near(rate_of(0), 0.8, "beside each other");
    gavel_rates(&p, 2, 0)[0] = gavel_rates(&p, 2, 1)[0] = 0.4;
    solved(GAVEL_MAX_MIN);
    near(rate_of(0), 0.5, "in turns");
    near(rate_of(1), 0.5, "in turns");
}

/* Entities of one job and of two, of the same weight, on cards of one type. */
static void entities(double n_cards)
{
    types(1, &n_cards);
    p.n_entities = 2;
    for (uint32_t e = 0; e < 2; e++) {
        POL_RESERVE(p.entity_weight, p.cap_entity, 2);
        p.entity_weight[e] = 1;
    }
    job((struct gavel_job){ .entity = 0 }, (double[]){ 1 });
    job((struct gavel_job){ .entity = 1 }, (double[]){ 1 });
    job((struct gavel_job){ .entity = 1 }, (double[]){ 1 });
}

/* How much of the time each of the three has then. */
static void times(enum gavel_objective objective, double alone, double first, double second)
{
    solved(objective);
    near(gavel_times(&p, 0)[0], alone, "alone in its entity");
    near(gavel_times(&p, 1)[0], first, "the earlier of two");
    near(gavel_times(&p, 2)[0], second, "the later of two");
}

Test(gavel, water_rises_by_entities)
{
    entities(2);
    times(GAVEL_HIERARCHICAL, 1, 0.5, 0.5);
    p.entity_weight[1] = 3;     /* 2 cards: 0.5 and 1.5, in two */
    times(GAVEL_HIERARCHICAL, 0.5, 0.75, 0.75);
}

/* As many jobs as their table has room for: eight of two entities have half of the time on four cards. */
Test(gavel, water_rises_alike_for_eight)
{
    types(1, (double[]){ 4 });
    p.n_entities = 2;
    POL_RESERVE(p.entity_weight, p.cap_entity, 2);
    for (uint32_t e = 0; e < 2; e++) p.entity_weight[e] = 1;
    for (uint32_t j = 0; j < 8; j++) job((struct gavel_job){ .entity = j % 2 }, (double[]){ 1 });
    cr_assert_eq(p.cap_job, 8);
    solved(GAVEL_HIERARCHICAL);
    for (uint32_t j = 0; j < 8; j++) near(gavel_times(&p, j)[0], 0.5, "each");
}

/* With half a card more the first can have no more than all its time, and the rest rises further. */
Test(gavel, water_rises_further_beside_who_is_full)
{
    entities(2.5);
    times(GAVEL_HIERARCHICAL, 1, 0.75, 0.75);
}

Test(gavel, in_order_of_arrival_the_next_has_what_the_first_leaves)
{
    entities(2.5);
    times(GAVEL_HIERARCHICAL_FIFO, 1, 1, 0.5);
    cards[0] = 1;
    times(GAVEL_HIERARCHICAL_FIFO, 0.5, 0.5, 0);
}

/* Equal shares, whoever is asked for: a third of each type's cards, and no more than all the time. */
Test(gavel, isolated_jobs_have_equal_shares)
{
    types(2, (double[]){ 3, 1.5 });
    for (int j = 0; j < 3; j++) job((struct gavel_job){ .cards = j + 1 }, (double[]){ 1, 0.5 });
    solved(GAVEL_ISOLATED);
    near(gavel_times(&p, 0)[0], 2.0 / 3, "1 of 1.5, of all the time");
    near(gavel_times(&p, 2)[0], 1.0 / 3, "of three cards");
    near(rate_of(2), 1.0 / 3 + 0.5 / 6, "its rate");
}

/* Room for two on the fast type: the third is of two cards and has the other; the fourth is wider than what is left. */
Test(gavel, fifo_takes_the_fastest_type_with_room_and_lets_nobody_pass)
{
    types(2, (double[]){ 2, 3 });
    job((struct gavel_job){ 0 }, (double[]){ 4, 1 });
    job((struct gavel_job){ 0 }, (double[]){ 1, 0.5 });
    job((struct gavel_job){ .cards = 2 }, (double[]){ 4, 1 });
    job((struct gavel_job){ .cards = 2 }, (double[]){ 4, 1 });
    job((struct gavel_job){ 0 }, (double[]){ 4, 1 });
    solved(GAVEL_FIFO);
    const double want[5][2] = { { 1, 0 }, { 1, 0 }, { 0, 1 }, { 0, 0 }, { 0, 0 } };
    for (uint32_t j = 0; j < 5; j++)
        for (uint32_t k = 0; k < 2; k++) cr_assert_float_eq(gavel_times(&p, j)[k], want[j][k], 1e-12, "job %u type %u", j, k);
}

/* The second does not run where there is room: it has no time, and the next is not held up by it. */
Test(gavel, fifo_passes_over_who_does_not_run_where_there_is_room)
{
    types(2, (double[]){ 1, 1 });
    job((struct gavel_job){ 0 }, (double[]){ 1, 0 });
    job((struct gavel_job){ 0 }, (double[]){ 1, 0 });
    job((struct gavel_job){ 0 }, (double[]){ 1, 0.5 });
    solved(GAVEL_FIFO);
    cr_assert_float_eq(gavel_times(&p, 0)[0], 1, 1e-12);
    cr_assert_float_eq(rate_of(1), 0, 1e-12);
    cr_assert_float_eq(gavel_times(&p, 2)[1], 1, 1e-12);
}

/*
 * A card of each of two types that are alike, and two jobs.  The middle gives each half of both; a corner that is drawn
 * keeps the floor, and some draw gives one of them all the time on one type.
 */
Test(gavel, drawn_optima_are_corners_that_keep_the_floors)
{
    uint64_t draws = 1;
    double most = 0;
    types(2, (double[]){ 1, 1 });
    job((struct gavel_job){ .left = 10 }, (double[]){ 1, 1 });
    job((struct gavel_job){ .left = 10 }, (double[]){ 1, 1 });
    for (int n = 0; n < 8; n++) {
        for (enum gavel_objective o = GAVEL_MAX_MIN; o <= GAVEL_FINISH_TIME; o++) {
            p.draws = NULL;
            solved(o);
            near(gavel_times(&p, 0)[0], 0.5, "the middle");
            p.draws = &draws;
            solved(o);
            for (uint32_t j = 0; j < 2; j++) near(rate_of(j), 1, "what a corner gives");
            most = fmax(most, gavel_times(&p, 0)[0]);
        }
    }
    cr_assert_gt(most, 0.99);
}

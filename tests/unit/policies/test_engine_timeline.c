/* Time lines of engines, and HEFT on the example of its paper. */
#include <criterion/criterion.h>
#include <math.h>
#include "mapper/heft.h"

static struct engine_timeline line[3];
static void fini(void) { for (int i = 0; i < 3; i++) engine_timeline_fini(&line[i]); }
TestSuite(timeline, .fini = fini);

/* Planned 10..20 and 30..40: 10 of work fit from 0, from 20, or after all; 11 only after all. */
Test(timeline, insertion_takes_the_first_gap_that_is_long_enough)
{
    engine_timeline_put(&line[0], 1, 30, 10);
    engine_timeline_put(&line[0], 0, 10, 10);
    cr_assert_eq(line[0].slot[0].task, 0, "in order of time");
    cr_assert_eq(engine_timeline_fit(&line[0], 0, 10, true), 0);
    cr_assert_eq(engine_timeline_fit(&line[0], 1, 10, true), 20);
    cr_assert_eq(engine_timeline_fit(&line[0], 1, 11, true), 40);
    cr_assert_eq(engine_timeline_fit(&line[0], 0, 1, false), 40);
    cr_assert_eq(engine_timeline_fit(&line[0], 99, 1, true), 99);
    engine_timeline_drop(&line[0], 0);
    cr_assert_eq(engine_timeline_fit(&line[0], 1, 11, true), 1);
}

/*
 * S2-22: figure 2 of Topcuoglu, Hariri, Wu (TPDS 2002): ten tasks on three
 * processors.  Published: ranks 108, 77, 80, 80, 69, 63.333, 42.667, 35.667,
 * 44.333, 14.667, and a schedule of length 80.
 */
Test(timeline, s2_22_heft_plans_topcuoglus_example_in_80)
{
    static const int64_t w[10 * 3] = { 14, 16, 9, 13, 19, 18, 11, 13, 19, 13, 8, 17, 12, 13, 10, 13, 16, 9, 7, 15, 11, 5, 11, 14, 18, 12, 20, 21, 7, 16 };
    static const uint32_t start[11] = { 0, 5, 7, 8, 10, 11, 12, 13, 14, 15, 15 };
    static const uint32_t next[15] = { 1, 2, 3, 4, 5, 7, 8, 6, 7, 8, 8, 7, 9, 9, 9 };
    static const int64_t comm[15] = { 18, 12, 9, 11, 14, 19, 16, 23, 27, 23, 13, 15, 17, 11, 13 };
    static const double rank[10] = { 108, 77, 80, 80, 69, 63.333, 42.667, 35.667, 44.333, 14.667 };
    struct heft_out out[10];
    for (uint32_t i = 0; i < 3; i++) line[i] = (struct engine_timeline){ .node = i, .engine = i };
    heft_plan(&(struct heft_in){ .n = 10, .n_engines = 3, .w = w, .next_start = start, .next = next, .comm = comm }, line, 3, out);
    int64_t end = 0;
    for (int i = 0; i < 10; i++) {
        cr_assert_float_eq(out[i].rank, rank[i], 0.0006, "rank of task %d is %f", i + 1, out[i].rank);
        if (out[i].end > end) end = out[i].end;
    }
    cr_assert_eq(end, 80, "%lld", (long long)end);
    /* In any plan a task follows its forerunners, and the way from another processor. */
    for (uint32_t i = 0; i < 10; i++)
        for (uint32_t e = start[i]; e < start[i + 1]; e++)
            cr_assert_geq(out[next[e]].start, out[i].end + (out[i].line == out[next[e]].line ? 0 : comm[e]));
}

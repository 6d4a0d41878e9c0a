/* A stopwatch is as fast as the clock that it stands for. */
#include <criterion/criterion.h>
#include "base/stopwatch.h"

/* Read within one interval of the clock and around another, so that whoever interrupts it counts in all three. */
Test(stopwatch, it_lies_between_what_the_clock_says)
{
    enum { LONG = 20000000, READING = 1000 };      /* ns */
    const struct stopwatch *s = stopwatch_get();
    const int64_t outer = stopwatch_clock(), then = stopwatch_now(s), inner = stopwatch_clock();
    while (stopwatch_clock() - inner < LONG);
    const double least = (double)(stopwatch_clock() - inner), took = (double)stopwatch_since(s, then),
                 most = (double)(stopwatch_clock() - outer);
    cr_assert(took >= least * 0.998 - READING && took <= most * 1.002 + READING, "%g is not in %g ... %g", took, least, most);
}

Test(stopwatch, what_seems_to_have_begun_later_took_nothing)
{
    const struct stopwatch *s = stopwatch_get();
    cr_assert_eq(stopwatch_since(s, stopwatch_now(s) + 1000000000), 0);
}

Test(stopwatch, without_a_counter_it_is_the_clock)
{
    const struct stopwatch none = { .ns_per_tick = 0 };
    const int64_t before = stopwatch_clock(), now = stopwatch_now(&none), after = stopwatch_clock();
    cr_assert(before <= now && now <= after);
}

/* test_base.c -- processors are those that the process may run on. */
#define _GNU_SOURCE     /* sched_setaffinity */
#include <criterion/criterion.h>
#include <sched.h>

#include "base/base.h"

Test(base, processors_are_those_that_the_process_may_run_on)
{
    cpu_set_t all, one;
    cr_assert_eq(sched_getaffinity(0, sizeof all, &all), 0);
    cr_assert_eq(base_n_processors(), (uint32_t)CPU_COUNT(&all));
    size_t first = 0;
    while (!CPU_ISSET(first, &all)) first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    cr_assert_eq(sched_setaffinity(0, sizeof one, &one), 0);
    cr_assert_eq(base_n_processors(), 1);
}

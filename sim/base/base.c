/* base.c -- how a bug of our own stops the program, and what the machine gives it. */
#define _GNU_SOURCE     /* sched_getaffinity */
#include "base/base.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

_Noreturn void base_bug(const char *file, int line, const char *what)
{
    (void)fprintf(stderr, "fairway: internal error at %s:%d: %s\n"
                          "fairway: this is a bug in fairway, not in your input; please report it\n",
                  file, line, what);
    abort();
}

uint32_t base_n_processors(void)
{
    cpu_set_t set;
    /* A set has no room for the processors of the largest machines. */
    const long n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (uint32_t)n : 1;
}

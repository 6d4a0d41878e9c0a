/* stopwatch.c -- is there a counter of one pace, and what is its pace? */
#include "base/stopwatch.h"

#include <pthread.h>
#include <stdbool.h>
#if defined __x86_64__
#include <cpuid.h>
#endif

static struct stopwatch of_process;
static pthread_once_t is_made = PTHREAD_ONCE_INIT;

static bool has_counter(void)
{
#if defined __x86_64__
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1 << 8) != 0;
#else
    return false;
#endif
}

/* Both clocks at one instant: of several readings the one that was least disturbed. */
struct both { int64_t ns, ticks, gap; };

static struct both read_both(void)
{
    enum { TRIES = 8 };
    const struct stopwatch counter = { .ns_per_tick = 1 };
    struct both best = { .gap = INT64_MAX };
    for (int i = 0; i < TRIES; i++) {
        const int64_t before = stopwatch_now(&counter), ns = stopwatch_clock(), gap = stopwatch_now(&counter) - before;
        if (gap < best.gap) best = (struct both){ ns, before + gap / 2, gap };
    }
    return best;
}

static void make(void)
{
    enum { LONG_ENOUGH = 200000 };      /* ns */
    if (!has_counter()) return;
    const struct both from = read_both();
    while (stopwatch_clock() - from.ns < LONG_ENOUGH);
    const struct both to = read_both();
    of_process.ns_per_tick = (double)(to.ns - from.ns) / (double)(to.ticks - from.ticks);
}

const struct stopwatch *stopwatch_get(void)
{
    (void)pthread_once(&is_made, make);
    return &of_process;
}

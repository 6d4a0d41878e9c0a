/*
 * stopwatch.h -- how long something took that takes some hundred nanoseconds.  Layer: base.
 *
 * Two readings of CLOCK_MONOTONIC may take a good part of that, and wait for all that was begun before.  Where the
 * processor counts at one pace whatever it does (the invariant TSC of x86-64), its counter is read instead, which is
 * sooner done and waits for nothing.  Source: Intel SDM 3B, 18.17.1; AMD64 APM 3, E.4.7.
 */
#ifndef BASE_STOPWATCH_H
#define BASE_STOPWATCH_H

#include <stdint.h>
#include <time.h>

/* ns_per_tick 0: there is no such counter, or its pace is not known. */
struct stopwatch { double ns_per_tick; };

/* The one of this process; the first call takes 0.2 ms, to learn the counter's pace to some 1 in 5,000. */
const struct stopwatch *stopwatch_get(void);

static inline int64_t stopwatch_clock(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline int64_t stopwatch_now(const struct stopwatch *s)
{
#if defined __x86_64__
    if (s->ns_per_tick > 0) return (int64_t)__builtin_ia32_rdtsc();
#else
    (void)s;
#endif
    return stopwatch_clock();
}

/* ns since then, 0 or more. */
static inline int64_t stopwatch_since(const struct stopwatch *s, int64_t then)
{
    const int64_t ticks = stopwatch_now(s) - then;
    if (ticks < 0) return 0;            /* of two processors that differ by some ticks */
    return s->ns_per_tick > 0 ? (int64_t)((double)ticks * s->ns_per_tick) : ticks;
}

#endif

/*
 * base.h -- scalar types, status codes and checked arithmetic.  Layer: base.
 *
 * Time is int64_t microseconds since the run began; there is no floating-point
 * clock.  Work is microseconds at nominal speed in fixed point, so progress is
 * exact: looking at it can never change when it ends.
 */
#ifndef BASE_BASE_H
#define BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int64_t  sim_tick;  /* simulated time, microseconds since the run began */
typedef int64_t  sim_work;  /* remaining work, microseconds << RATE_BITS */
typedef uint32_t sim_rate;  /* progress per microsecond; RATE_ONE is nominal */
/* Sums and products of times: microseconds times bytes, or thousandths of a card, overflow 64 bits within a month. */
__extension__ typedef __int128 sim_wide;

enum { RATE_BITS = 16 };
#define RATE_ONE   ((sim_rate)1 << RATE_BITS)
#define TICK_NEVER INT64_MAX
#define TICK_SEC   INT64_C(1000000)
/* Longest nominal duration that work can hold: about 2.2 years. */
#define DUR_MAX    (INT64_MAX >> (RATE_BITS + 1))
#define NONE       UINT32_MAX

enum st {
    ST_OK,
    ST_END,         /* no more rows, jobs, events */
    ST_EINPUT,      /* the user's input is wrong            -> exit 2 */
    ST_EWORLD,      /* disk, database, missing program      -> exit 3 */
    ST_EPOLICY,     /* a policy broke its contract          -> exit 4 */
    ST_EINTR        /* interrupted by the user              -> exit 130 */
};

#define TRY(expr) do { enum st st_ = (expr); if (__builtin_expect(st_ != ST_OK, 0)) return st_; } while (0)

#define ARRAY_LEN(a) (sizeof(a) / sizeof *(a))

/* Our own bugs stop the program at once, in every build; see SIM_ASSERT's
 * message for where.  Never for a user's or a policy's mistake. */
_Noreturn void base_bug(const char *file, int line, const char *what) __attribute__((cold));
#define SIM_ASSERT(c) ((c) ? (void)0 : base_bug(__FILE__, __LINE__, #c))

/* Processors that this process may run on, 1 or more: not those of others' in a Slurm job, or outside a taskset. */
uint32_t base_n_processors(void);

static inline int64_t i64_min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t i64_max(int64_t a, int64_t b) { return a > b ? a : b; }

/* a * b / c rounded down, through 128 bits; a, b >= 0, c > 0. */
static inline int64_t mul_div(int64_t a, int64_t b, int64_t c)
{
    int64_t p;
    if (!__builtin_mul_overflow(a, b, &p)) return p / c;        /* dividing 128 bits is a call, some ten times slower */
    sim_wide q = (sim_wide)a * b / c;
    SIM_ASSERT(q <= INT64_MAX);
    return (int64_t)q;
}

#endif

/* run: signal 11, its stack overflowed */
static long down(long n, volatile char *above);
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    if (m->n_calls == 20) m->own[0] = down(1, NULL);
    return false;
}

static long (*volatile again)(long n, volatile char *above) = down;

static long down(long n, volatile char *above)
{
    volatile char frame[4096];
    frame[0] = above != NULL ? above[0] : 1;
    long below = again(n + 1, frame);
    return below + frame[0];
}

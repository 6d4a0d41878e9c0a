/*
 * bench_core -- events per second of the bare engine: an M/M/1 queue of N
 * customers (two timed events each, as the field's engines are compared), and
 * draining a large pending set.
 * usage: bench_core [CUSTOMERS [PENDING]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "base/rng.h"
#include "core/evloop.h"

/* Processor time: what else the machine does hardly changes it. */
static double cpu(void)
{
    struct timespec ts;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

enum { ARRIVAL, SERVICE };

struct mm1 { struct evloop e; struct rng rng; uint64_t left, queue, n; double area; sim_tick last; };

static void arm(struct mm1 *m, uint32_t slot, enum ev_class cls, double mean)
{
    evq_set(&m->e.q, (struct ev){ .at = m->e.now + (sim_tick)rng_exp(&m->rng, mean), .slot = slot, .cls = (uint8_t)cls });
}

static void apply(void *ctx, const struct ev *ev)
{
    struct mm1 *m = ctx;
    m->area += (double)m->queue * (double)(m->e.now - m->last);
    m->last = m->e.now;
    if (ev->slot == ARRIVAL) {
        if (m->queue++ == 0) arm(m, SERVICE, EV_FINISH, 0.9e6);
        if (--m->left > 0) arm(m, ARRIVAL, EV_ARRIVAL, 1e6);
    } else if (--m->queue > 0) {
        arm(m, SERVICE, EV_FINISH, 0.9e6);
    }
}

static enum st decide(void *ctx, bool *again, struct diag *d) { (void)ctx; (void)again; (void)d; return ST_OK; }

static void bench_mm1(uint64_t n)
{
    static const struct evloop_ops ops = { .apply = apply, .decide = decide };
    struct mm1 m = { .left = n, .n = n };
    struct diag d = { 0 };
    evloop_init(&m.e, &ops, &m);
    rng_init(&m.rng, 1, "bench", 0);
    arm(&m, ARRIVAL, EV_ARRIVAL, 1e6);
    double t0 = cpu();
    while (evloop_step(&m.e, &d) == ST_OK) {}
    double t = cpu() - t0;
    /* The mean number in system is printed so that the work cannot be optimised away, and can be checked: 9 in theory. */
    (void)printf("core  M/M/1 of %" PRIu64 " customers: %.3f s, %.2f M events/s (mean in system %.2f, theory 9)\n",
                 n, t, (double)m.e.n_events / t / 1e6, m.area / (double)m.e.now);
    evloop_fini(&m.e);
}

static void bench_drain(uint32_t n)
{
    struct evq q = { 0 };
    struct rng r;
    struct ev e;
    rng_init(&r, 1, "drain", 0);
    double t0 = cpu();
    for (uint32_t i = 0; i < n; i++)
        evq_set(&q, (struct ev){ .at = (sim_tick)rng_below(&r, UINT64_C(1) << 40), .subject = i, .slot = i });
    double t1 = cpu();
    while (evq_pop(&q, &e)) {}
    double t2 = cpu();
    (void)printf("core  %" PRIu32 " pending events: filled at %.2f M/s, drained at %.2f M/s\n", n, n / (t1 - t0) / 1e6, n / (t2 - t1) / 1e6);
    evq_fini(&q);
}

int main(int argc, char **argv)
{
    bench_mm1(argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000);
    bench_drain(argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 5000000);
    return 0;
}

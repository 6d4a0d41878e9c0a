/*
 * Queues with a known answer.  Each figure is the mean of R independent
 * replications with fixed seeds; its 99.9 % confidence half-width is t(R - 1)
 * times the standard error.  A test fails when theory lies outside the interval,
 * and also when the interval is wider than stated, so that it cannot pass by
 * being vague.  Half-widths are printed with `--verbose`.
 *
 * FIFO queues run through the real world: one node of c cores, jobs of one core.
 * Processor sharing runs on the engine with one activity a customer, all at rate
 * 1/n, since no model of this release shares a processor.
 */
#include <criterion/criterion.h>
#include <criterion/logging.h>
#include <math.h>
#include "base/mem.h"
#include "base/rng.h"
#include "core/act.h"
#include "core/evloop.h"
#include "model/world.h"

enum { R = 20, JOBS = 100000, WARMUP = 10000 };
#define T_19_0999 3.883         /* Student's t, 19 degrees of freedom, two-sided 99.9 % */
#define MEAN_US   1e6           /* mean service time */

enum law { EXPONENTIAL, CONSTANT, HYPER };      /* squared coefficient of variation 1, 0, 4 */

/*
 * HYPER: two exponentials with balanced means (p1 m1 = p2 m2 = 1/2) and scv 4:
 * p1 = (1 + sqrt((scv - 1) / (scv + 1))) / 2.
 */
static double service(struct rng *r, enum law law)
{
    if (law == CONSTANT) return MEAN_US;
    if (law == EXPONENTIAL) return rng_exp(r, MEAN_US);
    double p = (1 + sqrt(3.0 / 5.0)) / 2;
    return rng_unit(r) < p ? rng_exp(r, MEAN_US / (2 * p)) : rng_exp(r, MEAN_US / (2 * (1 - p)));
}

/* E[S^2] / E[S]^2 */
static double second_moment(enum law law) { return law == CONSTANT ? 1 : law == EXPONENTIAL ? 2 : 5; }

struct interval { double mean, half; };

static struct interval interval_of(const double x[R])
{
    double mean = 0, var = 0;
    for (int i = 0; i < R; i++) mean += x[i] / R;
    for (int i = 0; i < R; i++) var += (x[i] - mean) * (x[i] - mean) / (R - 1);
    return (struct interval){ mean, T_19_0999 * sqrt(var / R) };
}

/* widest: the largest half-width, as a fraction of theory. */
static void judge(const char *what, const double x[R], double theory, double widest)
{
    struct interval i = interval_of(x);
    cr_log_info("%s: %.4f +- %.4f, theory %.4f", what, i.mean, i.half, theory);
    cr_assert_lt(i.half, widest * theory, "%s: half-width %.4f is more than %g of theory %.4f", what, i.half, widest, theory);
    cr_assert_lt(fabs(i.mean - theory), i.half, "%s: %.4f +- %.4f, theory %.4f", what, i.mean, i.half, theory);
}

/* ---- FIFO through the world ---- */

struct fifo {
    struct rng gaps, lengths;
    double   gap;               /* mean, us */
    enum law law;
    int      made;
    double   at;
    struct task_group group;
    uint32_t *queue; size_t head, n, cap;       /* tasks that wait, in order */
    double   wait;              /* summed over jobs after the warm-up, us */
    int      counted;
    int64_t  area, sojourn;     /* integral of the number in the system; summed time in it */
    uint32_t in_system;
    sim_tick since;
};

static enum st next_job(void *ctx, struct job_spec *out, struct diag *d)
{
    struct fifo *f = ctx;
    (void)d;
    if (f->made == JOBS) return ST_END;
    f->made++;
    f->at += rng_exp(&f->gaps, f->gap);
    f->group = (struct task_group){ .n = 1, .dur = (sim_tick)llround(service(&f->lengths, f->law)), .shape = { .cpu_milli = 1000 } };
    *out = (struct job_spec){ .id = "j", .submit = (sim_tick)llround(f->at), .limit = -1, .group = &f->group, .n_groups = 1 };
    return ST_OK;
}

static enum st decide(void *ctx, struct world *w, const struct notice *n, size_t n_notices, bool *again, struct diag *d)
{
    struct fifo *f = ctx;
    (void)again; (void)d;
    for (size_t i = 0; i < n_notices; i++) {
        if (n[i].type != NOTICE_ARRIVED) continue;
        MEM_RESERVE(f->queue, f->cap, f->n + 1);
        f->queue[f->n++] = world_job(w, n[i].job)->first_task;
    }
    while (f->head < f->n && world_start(w, f->queue[f->head], &(struct world_place){ .node = 0 }) == POL_OK) f->head++;
    return ST_OK;
}

static void integrate(struct fifo *f, const struct world *w)
{
    f->area += (world_now(w) - f->since) * f->in_system;
    f->since = world_now(w);
}

static void arrived(void *ctx, const struct world *w, uint32_t job)
{
    (void)job;
    integrate(ctx, w);
    ((struct fifo *)ctx)->in_system++;
}

static void ended(void *ctx, const struct world *w, uint32_t job)
{
    struct fifo *f = ctx;
    const struct job *j = world_job(w, job);
    integrate(f, w);
    f->in_system--;
    f->sojourn += j->end - j->submit;
    if (j->ordinal < WARMUP) return;
    f->wait += (double)(j->first_start - j->submit);
    f->counted++;
}

/* Mean wait in units of the mean service time. */
static double fifo_wait(int servers, double rho, enum law law, uint64_t seed)
{
    struct cluster c = { 0 };
    struct throughput perf = { 0 };
    struct diag d = { 0 };
    struct fifo f = { .gap = MEAN_US / (rho * servers), .law = law };
    rng_init(&f.gaps, seed, "queueing gaps", 0);
    rng_init(&f.lengths, seed, "queueing lengths", 0);
    cr_assert_eq(cluster_add(&c, &(struct node_spec){ .name = "n", .cpu_milli = 1000 * servers }, &d), ST_OK);
    cluster_seal(&c);
    struct world *w = world_create(&(struct world_config){ .cluster = &c, .throughput = &perf, .horizon = TICK_NEVER, .checkpoint_interval = -1 },
               (struct source){ .ctx = &f, .next = next_job }, (struct decider){ .ctx = &f, .decide = decide });
    world_observe(w, (struct observer){ .ctx = &f, .arrived = arrived, .job_ended = ended });
    while (world_step(w, &d) == ST_OK) continue;
    cr_assert_eq(world_count(w)->done, JOBS, "%s", d.msg);
    /* Little's law over a run that begins and ends empty is an identity: integral of L = sum of W. */
    cr_assert_eq(f.area, f.sojourn);
    world_destroy(w);
    cluster_fini(&c);
    mem_free(f.queue);
    return f.wait / f.counted / MEAN_US;
}

/* Probability of waiting in M/M/c. */
static double erlang_c(int c, double rho)
{
    double a = rho * c, term = 1, sum = 1;
    for (int k = 1; k < c; k++) { term *= a / k; sum += term; }
    term *= a / c / (1 - rho);
    return term / (sum + term);
}

static void fifo_case(const char *what, int servers, double rho, enum law law, double theory, double widest)
{
    double x[R];
    for (int i = 0; i < R; i++) x[i] = fifo_wait(servers, rho, law, 1 + (uint64_t)i);
    judge(what, x, theory, widest);
}

/* M/M/1: Wq = rho / (1 - rho). */
Test(queueing, mm1_wait)
{
    fifo_case("M/M/1, 0.5", 1, 0.5, EXPONENTIAL, 1.0, 0.02);
    fifo_case("M/M/1, 0.7", 1, 0.7, EXPONENTIAL, 0.7 / 0.3, 0.03);
}

/* M/M/c: Wq = C(c, rho) / (c (1 - rho)). */
Test(queueing, mmc_wait_is_erlang_c)
{
    fifo_case("M/M/2, 0.7", 2, 0.7, EXPONENTIAL, erlang_c(2, 0.7) / (2 * 0.3), 0.03);
    fifo_case("M/M/4, 0.8", 4, 0.8, EXPONENTIAL, erlang_c(4, 0.8) / (4 * 0.2), 0.05);
    fifo_case("M/M/16, 0.85", 16, 0.85, EXPONENTIAL, erlang_c(16, 0.85) / (16 * 0.15), 0.08);
}

/* M/G/1: Wq = rho E[S^2] / (2 E[S]^2 (1 - rho)), Pollaczek and Khinchine. */
Test(queueing, mg1_wait_grows_with_the_second_moment)
{
    fifo_case("M/D/1, 0.7", 1, 0.7, CONSTANT, 0.7 * second_moment(CONSTANT) / 0.6, 0.03);
    fifo_case("M/H2/1, 0.6", 1, 0.6, HYPER, 0.6 * second_moment(HYPER) / 0.8, 0.06);
}

/* ---- processor sharing ---- */

enum { CUSTOMERS_MAX = 4000, SLOT_ARRIVAL = CUSTOMERS_MAX };

struct shared {
    struct evloop e;
    struct rng gaps, lengths;
    double gap, at;
    enum law law;
    int made, counted;
    double sojourn;
    struct act act[CUSTOMERS_MAX];
    sim_tick since[CUSTOMERS_MAX];
    int ordinal[CUSTOMERS_MAX];
    bool busy[CUSTOMERS_MAX];
    uint32_t n;
};

static void arm_arrival(struct shared *s)
{
    if (s->made == JOBS) return;
    s->at += rng_exp(&s->gaps, s->gap);
    evq_set(&s->e.q, (struct ev){ .at = (sim_tick)llround(s->at), .slot = SLOT_ARRIVAL, .cls = EV_ARRIVAL });
}

static void shared_apply(void *ctx, const struct ev *e)
{
    struct shared *s = ctx;
    if (e->slot == SLOT_ARRIVAL) {
        uint32_t i = 0;
        while (s->busy[i]) i++;
        cr_assert_lt(i, CUSTOMERS_MAX - 1);
        s->busy[i] = true;
        s->since[i] = s->e.now;
        s->ordinal[i] = s->made;
        s->n++;
        act_start(&s->act[i], &s->e.q, i, (uint64_t)s->made++, (sim_work)llround(service(&s->lengths, s->law)) << RATE_BITS, 0, s->e.now);
        arm_arrival(s);
        return;
    }
    s->busy[e->slot] = false;
    s->n--;
    if (s->ordinal[e->slot] < WARMUP) return;
    s->sojourn += (double)(s->e.now - s->since[e->slot]);
    s->counted++;
}

/* All rates 1/n.  65536 / n is floored, which slows the server by less than n / 65536. */
static enum st shared_settle(void *ctx, bool *again, struct diag *d)
{
    struct shared *s = ctx;
    (void)again; (void)d;
    for (uint32_t i = 0, left = s->n; left > 0; i++) {
        if (!s->busy[i]) continue;
        act_set_rate(&s->act[i], &s->e.q, RATE_ONE / s->n, s->e.now);
        left--;
    }
    return ST_OK;
}

static double shared_sojourn(double rho, enum law law, uint64_t seed)
{
    static const struct evloop_ops ops = { .apply = shared_apply, .decide = shared_settle };
    struct diag d = { 0 };
    struct shared *s;
    MEM_NEW(s);
    s->gap = MEAN_US / rho;
    s->law = law;
    rng_init(&s->gaps, seed, "sharing gaps", 0);
    rng_init(&s->lengths, seed, "sharing lengths", 0);
    evloop_init(&s->e, &ops, s);
    arm_arrival(s);
    while (evloop_step(&s->e, &d) == ST_OK) continue;
    cr_assert_eq(s->counted, JOBS - WARMUP, "%s", d.msg);
    double x = s->sojourn / s->counted / MEAN_US;
    evloop_fini(&s->e);
    mem_free(s);
    return x;
}

/* M/G/1-PS: E[T] = E[S] / (1 - rho), whatever the law of S. */
static void sharing_case(const char *what, double rho, enum law law, double widest)
{
    double x[R];
    for (int i = 0; i < R; i++) x[i] = shared_sojourn(rho, law, 1 + (uint64_t)i);
    judge(what, x, 1 / (1 - rho), widest);
}

Test(queueing, shared_processor_sojourn_of_exponential_work) { sharing_case("M/M/1-PS, 0.7", 0.7, EXPONENTIAL, 0.02); }
Test(queueing, shared_processor_sojourn_of_constant_work)    { sharing_case("M/D/1-PS, 0.7", 0.7, CONSTANT, 0.015); }
Test(queueing, shared_processor_sojourn_of_variable_work)    { sharing_case("M/H2/1-PS, 0.7", 0.7, HYPER, 0.04); }

/* The intervals can tell: M/M/1 at 0.7 is neither M/M/1 at 0.68 nor M/D/1. */
Test(queueing, the_intervals_are_narrow_enough_to_reject_a_near_miss)
{
    double x[R];
    for (int i = 0; i < R; i++) x[i] = fifo_wait(1, 0.7, EXPONENTIAL, 1 + (uint64_t)i);
    struct interval v = interval_of(x);
    cr_assert_gt(fabs(v.mean - 0.68 / 0.32), v.half);
    cr_assert_gt(fabs(v.mean - 0.7 / 0.6), v.half);
}

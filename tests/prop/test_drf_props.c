/*
 * S0-33: the properties that DRF is proved to have (Ghodsi et al., NSDI 2011,
 * sections 3 and 6), on random instances: for divisible tasks exactly, for the
 * policy's whole tasks within one task.  Resource monotonicity is not among
 * them: DRF does not have it.
 */
#include <criterion/criterion.h>
#include <math.h>
#include "base/rng.h"
#include "ref/fairness.h"
#include "ref/fakehost.h"
#include "builtin.h"

enum { CASES = 20000, SEED = 33 };
static const double EPS = 1e-9;

static double alone(const struct fair_case *c, int i, double part)
{
    double x = INFINITY;
    for (int r = 0; r < c->m; r++)
        if (c->demand[i][r] > 0) x = fmin(x, part * c->cap[r] / c->demand[i][r]);
    return x;
}

/* Tasks of user i that a bundle of j's x tasks would run. */
static double worth(const struct fair_case *c, int i, int j, double x)
{
    double n = INFINITY;
    for (int r = 0; r < c->m; r++)
        if (c->demand[i][r] > 0) n = fmin(n, x * c->demand[j][r] / c->demand[i][r]);
    return n;
}

static void make(struct fair_case *c, struct rng *g, bool zeros)
{
    c->n = 2 + (int)rng_below(g, 5);
    c->m = 1 + (int)rng_below(g, 4);
    for (int r = 0; r < c->m; r++) c->cap[r] = 10 + (double)rng_below(g, 90);
    for (int i = 0; i < c->n; i++) {
        c->weight[i] = 1;
        for (int r = 0; r < c->m; r++) c->demand[i][r] = zeros && rng_below(g, 4) == 0 ? 0 : 1 + (double)rng_below(g, 16);
        if (c->demand[i][0] <= 0) c->demand[i][0] = 1;
    }
}

#define FOR_CASES(zeros) \
    struct rng g; struct fair_case c; double x[FAIR_USERS]; \
    rng_init(&g, SEED, "drf", 0); \
    for (int k = 0; k < CASES && (make(&c, &g, zeros), fair_drf(&c, x), true); k++)

Test(drf_divisible, s0_33_sharing_incentive)
{
    FOR_CASES(true)
        for (int i = 0; i < c.n; i++) cr_assert(x[i] >= alone(&c, i, 1.0 / c.n) * (1 - EPS), "case %d, user %d", k, i);
}

/* What counts is how many true tasks the bundle got by a lie would run. */
Test(drf_divisible, s0_33_strategy_proof)
{
    FOR_CASES(true) {
        int i = (int)rng_below(&g, (uint64_t)c.n);
        struct fair_case lie = c;
        double y[FAIR_USERS];
        for (int r = 0; r < c.m; r++) lie.demand[i][r] = rng_below(&g, 5) == 0 ? 0 : c.demand[i][r] * (0.25 + 2 * rng_unit(&g));
        lie.demand[i][rng_below(&g, (uint64_t)c.m)] = 1 + (double)rng_below(&g, 16);
        fair_drf(&lie, y);
        double got = INFINITY;
        for (int r = 0; r < c.m; r++)
            if (c.demand[i][r] > 0) got = fmin(got, y[i] * lie.demand[i][r] / c.demand[i][r]);
        cr_assert(got <= x[i] * (1 + EPS), "case %d: user %d gains by a lie: %f > %f", k, i, got, x[i]);
    }
}

Test(drf_divisible, s0_33_envy_free)
{
    FOR_CASES(true)
        for (int i = 0; i < c.n; i++)
            for (int j = 0; j < c.n; j++) cr_assert(worth(&c, i, j, x[j]) <= x[i] * (1 + EPS), "case %d: %d envies %d", k, i, j);
}

Test(drf_divisible, s0_33_pareto_efficient)
{
    FOR_CASES(true) {
        for (int i = 0; i < c.n; i++) {
            bool stuck = false;
            for (int r = 0; r < c.m; r++) {
                double used = 0;
                for (int j = 0; j < c.n; j++) used += x[j] * c.demand[j][r];
                cr_assert(used <= c.cap[r] * (1 + EPS));
                stuck |= c.demand[i][r] > 0 && used >= c.cap[r] * (1 - EPS);
            }
            cr_assert(stuck, "case %d: user %d could have more", k, i);
        }
    }
}

Test(drf_divisible, s0_33_single_resource_fair)
{
    FOR_CASES(false) {
        c.m = 1;
        fair_drf(&c, x);
        for (int i = 0; i < c.n; i++) cr_assert(fabs(x[i] * c.demand[i][0] - c.cap[0] / c.n) < EPS * c.cap[0]);
    }
}

/* When all have the same dominant resource it is shared equally. */
Test(drf_divisible, s0_33_bottleneck_fair)
{
    FOR_CASES(true) {
        for (int i = 0; i < c.n; i++)
            for (int r = 1; r < c.m; r++) c.demand[i][r] = fmin(c.demand[i][r], c.demand[i][0] * c.cap[r] / c.cap[0]);
        fair_drf(&c, x);
        for (int i = 0; i < c.n; i++) cr_assert(fabs(x[i] * c.demand[i][0] - c.cap[0] / c.n) < EPS * c.cap[0]);
    }
}

/* Nobody loses when another leaves. */
Test(drf_divisible, s0_33_population_monotone)
{
    FOR_CASES(false) {
        struct fair_case less = c;
        double y[FAIR_USERS];
        int gone = (int)rng_below(&g, (uint64_t)c.n);
        less.n--;
        for (int r = 0; r < c.m; r++) less.demand[gone][r] = c.demand[less.n][r];
        fair_drf(&less, y);
        for (int i = 0; i < less.n; i++) {
            double was = i == gone ? x[less.n] : x[i];
            cr_assert(y[i] >= was * (1 - EPS), "case %d", k);
        }
    }
}

/* ---- whole tasks, by the policy ---- */

enum { WHOLE_CASES = 1500, EACH = 100 };

/* One node; the policy fills it. */
static void run_policy(const struct fair_case *c, int *x, int *order, int *n_order)
{
    struct fakehost *h = fakehost_create();
    fakehost_node(h, (int64_t)c->cap[0], c->m > 1 ? (int64_t)c->cap[1] : 0, 0, 0);
    fakehost_open(h, &pol_drf, "place=first");
    for (int i = 0; i < c->n; i++) {
        uint32_t s = fakehost_shape(h, (struct pol_shape){ .cpu_milli = (int64_t)c->demand[i][0],
                                                           .mem_b = c->m > 1 ? (int64_t)c->demand[i][1] : 0 });
        (void)fakehost_job(h, (uint32_t)i, s, EACH, false, -1, -1);
        x[i] = 0;
    }
    fakehost_decide(h, 0);
    *n_order = (int)h->n_log;
    for (size_t k = 0; k < h->n_log; k++) {
        order[k] = (int)h->log[k].job;
        x[h->log[k].job]++;
    }
    fakehost_destroy(h);
}

/*
 * With d the share of one task of a user, D the largest d of all: let s be a
 * user's share when its next task does not fit.
 * - Every start is of a user who then has the least share of those not set
 *   aside, so up to then no other is ahead by more than its own last task.
 * - What it lacks of some resource: 1 < sum of all shares + d, hence s >= 1/n -
 *   (1 + 1/n) D: the sharing incentive but for one task.
 * - Pareto: at the end nobody's next task fits.
 * - One resource: final shares differ by at most one task of each of the two.
 * - Envy: when a user is set aside, no bundle less its last task is worth more
 *   to it than its own.
 * - Divisible DRF is met within those same bounds for the user set aside first.
 */
Test(drf_whole, s0_33_properties_hold_within_one_task)
{
    struct rng g;
    rng_init(&g, SEED, "drf whole", 0);
    for (int k = 0; k < WHOLE_CASES; k++) {
        struct fair_case c;
        int x[FAIR_USERS], order[FAKE_LOG], n = 0;
        make(&c, &g, false);
        c.m = 1 + (int)rng_below(&g, 2);
        if (c.m > 1 && c.cap[1] <= 0) c.cap[1] = 50;
        for (int i = 0; i < c.n; i++) c.demand[i][1] = c.m > 1 ? 1 + (double)rng_below(&g, 16) : 0;
        if (c.m > 1) c.cap[1] = 10 + (double)rng_below(&g, 90);
        run_policy(&c, x, order, &n);
        double free[2] = { c.cap[0], c.cap[1] }, big = 0;
        int have[FAIR_USERS] = { 0 };
        bool aside[FAIR_USERS] = { false };
        for (int i = 0; i < c.n; i++) big = fmax(big, fair_share(&c, i, 1));
        for (int t = 0; t <= n; t++) {
            for (int i = 0; i < c.n; i++) {     /* who cannot go on from here */
                bool fits = true;
                for (int r = 0; r < c.m; r++) fits &= c.demand[i][r] <= free[r];
                if (fits || aside[i]) continue;
                aside[i] = true;
                double s = fair_share(&c, i, have[i]);
                cr_assert(s >= 1.0 / c.n - (1 + 1.0 / c.n) * big - EPS, "case %d: sharing incentive of user %d", k, i);
                for (int j = 0; j < c.n; j++)
                    if (have[j] > 0) cr_assert(worth(&c, i, j, have[j] - 1) <= have[i] + EPS, "case %d: %d envies %d", k, i, j);
            }
            if (t == n) break;
            double s = fair_share(&c, order[t], have[order[t]]);
            for (int i = 0; i < c.n; i++)
                cr_assert(aside[i] || s <= fair_share(&c, i, have[i]) + EPS, "case %d: pick %d was not of the poorest", k, t);
            have[order[t]]++;
            for (int r = 0; r < c.m; r++) free[r] -= c.demand[order[t]][r];
        }
        for (int i = 0; i < c.n; i++) cr_assert(aside[i] || x[i] == EACH, "case %d: user %d could have more", k, i);
        for (int i = 0; c.m == 1 && i < c.n; i++)
            for (int j = 0; j < c.n; j++)
                cr_assert(fair_share(&c, j, x[j]) - fair_share(&c, i, x[i]) <=
                          fair_share(&c, i, 1) + fair_share(&c, j, 1) + EPS, "case %d", k);
    }
}

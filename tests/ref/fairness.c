#include "ref/fairness.h"

#include <math.h>
#include <stdbool.h>

double fair_share(const struct fair_case *c, int i, double x)
{
    double most = 0;
    for (int r = 0; r < c->m; r++) most = fmax(most, c->demand[i][r] / c->cap[r]);
    return most * x;
}

/* Users' tasks grow at speed[i] together; who asks of a resource that is used up stops. */
static void fill(const struct fair_case *c, const double *speed, double *x)
{
    bool stopped[FAIR_USERS] = { false }, full[FAIR_DIMS] = { false };
    double left[FAIR_DIMS];
    for (int r = 0; r < c->m; r++) left[r] = c->cap[r];
    for (int i = 0; i < c->n; i++) x[i] = 0;
    for (;;) {
        double step = INFINITY, use[FAIR_DIMS];
        int next = -1;
        for (int r = 0; r < c->m; r++) {
            use[r] = 0;
            for (int i = 0; i < c->n; i++) use[r] += stopped[i] ? 0 : speed[i] * c->demand[i][r];
            if (!full[r] && use[r] > 0 && left[r] / use[r] < step) { step = left[r] / use[r]; next = r; }
        }
        if (next < 0) return;
        for (int i = 0; i < c->n; i++) x[i] += stopped[i] ? 0 : speed[i] * step;
        for (int r = 0; r < c->m; r++) left[r] -= use[r] * step;
        full[next] = true;
        for (int i = 0; i < c->n; i++) stopped[i] |= c->demand[i][next] > 0;
    }
}

void fair_drf(const struct fair_case *c, double *x)
{
    double speed[FAIR_USERS];
    for (int i = 0; i < c->n; i++) speed[i] = c->weight[i] / fair_share(c, i, 1);
    fill(c, speed, x);
}

void fair_asset(const struct fair_case *c, double *x)
{
    double speed[FAIR_USERS];
    for (int i = 0; i < c->n; i++) {
        double sum = 0;
        for (int r = 0; r < c->m; r++) sum += c->demand[i][r] / c->cap[r];
        speed[i] = c->weight[i] / sum;
    }
    fill(c, speed, x);
}

/*
 * Equal incomes of 1: at prices p a user buys 1 / (p . demand) tasks, and all
 * income is spent: p0 cap0 + p1 cap1 = n.  So one price is free.  What is used
 * of resource 0 falls as p0 grows: bisect; at an end one resource is free of
 * charge and not used up.
 */
static double used0(const struct fair_case *c, double p0, double *x)
{
    double p1 = (c->n - p0 * c->cap[0]) / c->cap[1], sum = 0;
    for (int i = 0; i < c->n; i++) {
        x[i] = 1 / (p0 * c->demand[i][0] + p1 * c->demand[i][1]);
        sum += x[i] * c->demand[i][0];
    }
    return sum;
}

void fair_ceei(const struct fair_case *c, double *x)
{
    double lo = 0, hi = c->n / c->cap[0];
    if (used0(c, lo, x) <= c->cap[0]) return;
    for (int k = 0; k < 200; k++) {
        double mid = (lo + hi) / 2;
        if (used0(c, mid, x) > c->cap[0]) lo = mid;
        else hi = mid;
    }
    (void)used0(c, hi, x);
}

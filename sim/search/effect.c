/* effect.c -- rank correlation, and the share of variance between groups. */
#include "search/effect.h"

#include <math.h>
#include <stdlib.h>
#include "base/mem.h"
#include "base/stats.h"

struct ranked { double x; size_t at; };

static int by_value(const void *a, const void *b)
{
    const struct ranked *p = a, *q = b;
    return p->x < q->x ? -1 : p->x > q->x;
}

static void ranks_of(const double *x, size_t n, double *rank)
{
    struct ranked *r;
    MEM_ARRAY(r, n);
    for (size_t i = 0; i < n; i++) r[i] = (struct ranked){ x[i], i };
    if (n > 0) qsort(r, n, sizeof *r, by_value);
    for (size_t i = 0; i < n;) {
        size_t end = i;
        while (end < n && !(r[end].x > r[i].x)) end++;
        for (size_t k = i; k < end; k++) rank[r[k].at] = 0.5 * (double)(i + end - 1);
        i = end;
    }
    mem_free(r);
}

double effect_correlation(const double *x, const double *y, size_t n)
{
    double *a, *b, mean = 0.5 * ((double)n - 1), ab = 0, aa = 0, bb = 0;
    MEM_ARRAY(a, n);
    MEM_ARRAY(b, n);
    ranks_of(x, n, a);
    ranks_of(y, n, b);
    for (size_t i = 0; i < n; i++) {
        ab += (a[i] - mean) * (b[i] - mean);
        aa += (a[i] - mean) * (a[i] - mean);
        bb += (b[i] - mean) * (b[i] - mean);
    }
    mem_free(a);
    mem_free(b);
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : NAN;
}

double effect_share(const size_t *group, size_t n_groups, const double *y, size_t n)
{
    double *sum, mean = stats_mean(y, n), total = 0, between = 0;
    size_t *count, n_used = 0;
    if (n <= n_groups) return NAN;
    MEM_ARRAY(sum, n_groups);
    MEM_ARRAY(count, n_groups);
    for (size_t i = 0; i < n; i++) {
        sum[group[i]] += y[i];
        count[group[i]]++;
        total += (y[i] - mean) * (y[i] - mean);
    }
    for (size_t k = 0; k < n_groups; k++) {
        if (count[k] == 0) continue;
        double of = sum[k] / (double)count[k] - mean;
        between += (double)count[k] * of * of;
        n_used++;
    }
    mem_free(sum);
    mem_free(count);
    if (!(total > 0) || n <= n_used) return NAN;
    double within = (total - between) / (double)(n - n_used);
    double share = (between - ((double)n_used - 1) * within) / (total + within);
    return share > 0 ? share : 0;
}

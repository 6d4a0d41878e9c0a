/* quantiles.c -- the ranks of quantiles.h, and the values among which they are looked for; selection is GSL's. */
#include "base/quantiles.h"

#include <math.h>
#include <stdlib.h>
#include <gsl/gsl_statistics_double.h>

#include "base/mem.h"

uint32_t quantiles_outer_bin(double x)
{
    SIM_ASSERT(!(x < 0));
    return isnan(x) ? QUANTILES_BINS : x < 1 ? x > 0 : QUANTILES_BINS - 1;
}

/* A bin of one value, which its number tells. */
static bool is_single(uint32_t bin) { return bin % 2 == 0 && bin < QUANTILES_BINS; }

static double value_of(uint32_t bin)
{
    const int64_t bits = (int64_t)(bin / 2 - 1 + (1023 - 20) * 8) << 49;
    double x = 0;
    if (bin > 0) memcpy(&x, &bits, sizeof x);
    return x;
}

void quantiles_add(struct quantiles *q, const struct quantiles *counted)
{
    for (uint32_t i = 0; i < QUANTILES_BINS; i++) q->count[i] += counted->count[i];
}

/* The bin of the k-th value. */
static uint32_t bin_of(const struct quantiles *q, uint32_t k)
{
    uint32_t from = 0, to = QUANTILES_BINS - 1;
    while (from < to) {
        const uint32_t middle = (from + to) / 2;
        if (q->count[middle] > k) to = middle;
        else from = middle + 1;
    }
    return from;
}

void quantiles_choose(struct quantiles *q, const double *p, uint32_t n_p)
{
    SIM_ASSERT(n_p <= QUANTILES_MOST);
    q->n_p = n_p;
    for (uint32_t i = 0; i < QUANTILES_BINS; i++) q->count[i] = q->n += q->count[i];
    for (uint32_t i = 0; i < n_p && q->n > 0; i++) {
        const double h = (double)(q->n - 1) * p[i];
        q->part[i] = h - floor(h);
        for (uint32_t next = 0; next < 2; next++) {
            const uint32_t low = (uint32_t)h, k = q->part[i] > 0 && low + next < q->n ? low + next : low;
            const uint32_t bin = bin_of(q, k);
            if (!is_single(bin) && q->keeps[bin] == 0) q->keeps[bin] = (uint8_t)++q->n_kept;
            q->rank[i][next].bin = bin;
            q->rank[i][next].k = bin > 0 ? k - q->count[bin - 1] : k;
        }
    }
}

void quantiles_mark(const struct quantiles *q, bool wanted[QUANTILES_BINS + 1])
{
    for (uint32_t i = 0; i < q->n_p && q->n > 0; i++)
        for (int next = 0; next < 2; next++) wanted[q->rank[i][next].bin] |= quantiles_wants(q, q->rank[i][next].bin);
}

static int by_value(const void *a, const void *b)
{
    const struct quantiles_value *x = a, *y = b;
    return (x->x > y->x) - (x->x < y->x);
}

/* In order, each value once. */
static void sort(struct quantiles_kept *k)
{
    size_t n = 0;
    qsort(k->at, k->n, sizeof *k->at, by_value);
    for (size_t i = 0; i < k->n; i++)
        if (n > 0 && k->at[n - 1].x == k->at[i].x) k->at[n - 1].n += k->at[i].n;
        else k->at[n++] = k->at[i];
    k->has_ties |= n < k->n;
    k->n = n;
}

void quantiles_keep(struct quantiles *q, uint32_t bin, double x)
{
    enum { FEW = 4096 };            /* so many may be the same */
    struct quantiles_kept *k = &q->kept[q->keeps[bin] - 1];
    if (k->n == k->cap && k->n >= FEW) {
        sort(k);
        if (k->n > k->cap / 2) MEM_RESERVE(k->at, k->cap, k->cap + 1);
    }
    MEM_PUSH(k->at, k->n, k->cap, (struct quantiles_value){ x, 1 });
}

static double nth(struct quantiles *q, uint32_t bin, uint64_t k)
{
    if (is_single(bin)) return value_of(bin);
    struct quantiles_kept *of = &q->kept[q->keeps[bin] - 1];
    const struct quantiles_value *v = of->at;
    if (!of->has_ties) return gsl_stats_select(&of->at->x, sizeof *v / sizeof v->x, of->n, k);
    for (sort(of); k >= v->n; v++) k -= v->n;
    return v->x;
}

void quantiles_get(struct quantiles *q, double *out)
{
    for (uint32_t i = 0; i < q->n_p; i++) {
        if (q->n == 0) { out[i] = NAN; continue; }
        const double a = nth(q, q->rank[i][0].bin, q->rank[i][0].k), b = nth(q, q->rank[i][1].bin, q->rank[i][1].k);
        out[i] = a + q->part[i] * (b - a);
    }
}

void quantiles_fini(struct quantiles *q)
{
    for (uint32_t i = 0; i < q->n_kept; i++) mem_free(q->kept[i].at);
}

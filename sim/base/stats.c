/* stats.c -- the statistics of stats.h; selection, sorting and distributions are GSL's. */
#include "base/stats.h"

#include <math.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort_double.h>
#include <gsl/gsl_statistics_double.h>

#include "base/mem.h"
#include "base/rng.h"

double stats_mean(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    return n > 0 ? sum / (double)n : NAN;
}

/* Two passes: the one-pass formula cancels badly when the mean is large beside the spread. */
double stats_sd(const double *x, size_t n)
{
    double mean = stats_mean(x, n), sum = 0;
    for (size_t i = 0; i < n; i++) sum += (x[i] - mean) * (x[i] - mean);
    return n > 1 ? sqrt(sum / (double)(n - 1)) : NAN;
}

void stats_quantiles(double *x, size_t n, const double *p, size_t n_p, double *out)
{
    size_t from = 0;                /* what is before it is not greater than what follows */
    for (size_t i = 0; i < n_p; i++) {
        if (n == 0) { out[i] = NAN; continue; }
        double h = (double)(n - 1) * p[i], low = floor(h);
        size_t k = (size_t)low;
        SIM_ASSERT(k >= from && k < n);
        double a = gsl_stats_select(x + from, 1, n - from, k - from), b = a;
        if (k + 1 < n && h > low) {
            b = x[k + 1];
            for (size_t j = k + 2; j < n; j++) if (x[j] < b) b = x[j];
        }
        out[i] = a + (h - low) * (b - a);
        from = k;
    }
}

struct stats_ci stats_ci95(const double *x, size_t n)
{
    struct stats_ci c = { .mean = stats_mean(x, n), .half = NAN, .n = n };
    if (n > 1) c.half = gsl_cdf_tdist_Pinv(0.975, (double)(n - 1)) * stats_sd(x, n) / sqrt((double)n);
    c.lo = c.mean - c.half;
    c.hi = c.mean + c.half;
    return c;
}

/* Sorted means of samples of x drawn with replacement. */
static void draw(const double *x, size_t n, double *means)
{
    struct rng r;
    rng_init(&r, 1, "bootstrap", n);
    for (size_t k = 0; k < STATS_BOOT_DRAWS; k++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++) sum += x[rng_below(&r, n)];
        means[k] = sum / (double)n;
    }
    gsl_sort(means, 1, STATS_BOOT_DRAWS);
}

/* How skewed the mean is: from the means without each value in turn, which differ by (mean - x_i) / (n - 1). */
static double acceleration(const double *x, size_t n, double mean)
{
    double squares = 0, cubes = 0;
    for (size_t i = 0; i < n; i++) {
        double off = x[i] - mean;
        squares += off * off;
        cubes += off * off * off;
    }
    return squares > 0 ? cubes / (6 * pow(squares, 1.5)) : 0;
}

struct stats_ci stats_boot95(const double *x, size_t n)
{
    struct stats_ci c = stats_ci95(x, n);
    double *means, below = 0, z0, a, end[2];
    if (n < STATS_BOOT_LEAST || !(c.half > 0)) return c;
    MEM_ARRAY(means, STATS_BOOT_DRAWS);
    draw(x, n, means);
    for (size_t k = 0; k < STATS_BOOT_DRAWS; k++) below += means[k] < c.mean ? 1 : means[k] > c.mean ? 0 : 0.5;
    z0 = gsl_cdf_ugaussian_Pinv(below / STATS_BOOT_DRAWS);
    a = acceleration(x, n, c.mean);
    for (int i = 0; i < 2; i++) {
        double z = z0 + gsl_cdf_ugaussian_Pinv(i == 0 ? 0.025 : 0.975);
        double at = gsl_cdf_ugaussian_P(z0 + z / (1 - a * z)) * (STATS_BOOT_DRAWS - 1);
        size_t k = (size_t)at;
        end[i] = k + 1 < STATS_BOOT_DRAWS ? means[k] + (at - (double)k) * (means[k + 1] - means[k]) : means[STATS_BOOT_DRAWS - 1];
    }
    mem_free(means);
    c.lo = end[0];
    c.hi = end[1];
    c.half = (c.hi - c.lo) / 2;
    return c;
}

static struct stats_ci paired(const double *x, const double *base, size_t n, bool ratio, stats_interval *of)
{
    double *d;
    MEM_ARRAY(d, n);
    for (size_t i = 0; i < n; i++) d[i] = !ratio ? x[i] - base[i] : base[i] != 0 ? x[i] / base[i] : NAN;
    struct stats_ci c = of(d, n);
    mem_free(d);
    return c;
}

struct stats_ci stats_diff(const double *x, const double *base, size_t n, stats_interval *of)  { return paired(x, base, n, false, of); }
struct stats_ci stats_ratio(const double *x, const double *base, size_t n, stats_interval *of) { return paired(x, base, n, true, of); }

size_t stats_mser5(const double *x, size_t n)
{
    const size_t b = n / 5, last = b / 2;
    double mean = 0, squares = 0, least = INFINITY;     /* of the means from i on, by Welford's formula backwards */
    size_t at = 0;
    for (size_t i = b; i-- > 0;) {
        const double m = stats_mean(x + 5 * i, 5), off = m - mean, count = (double)(b - i);
        mean += off / count;
        squares += off * (m - mean);
        if (i <= last && squares / (count * count) <= least) { least = squares / (count * count); at = i; }
    }
    return at == last && last > 0 ? n : 5 * at;
}

double stats_jain(const double *x, size_t n)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) { sum += x[i]; squares += x[i] * x[i]; }
    return squares > 0 ? sum * sum / ((double)n * squares) : NAN;
}

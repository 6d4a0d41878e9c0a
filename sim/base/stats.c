/* stats.c -- the statistics of stats.h; selection, sorting and distributions are GSL's. */
#include "base/stats.h"

#include <math.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort_double.h>
#include <gsl/gsl_statistics_double.h>

#include "base/mem.h"

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

struct stats_ci stats_ci(const double *x, size_t n, double level)
{
    struct stats_ci c = { .mean = stats_mean(x, n), .half = NAN, .n = n };
    if (n > 1) c.half = gsl_cdf_tdist_Pinv((1 + level) / 2, (double)(n - 1)) * stats_sd(x, n) / sqrt((double)n);
    c.lo = c.mean - c.half;
    c.hi = c.mean + c.half;
    return c;
}

struct stats_ci stats_ci95(const double *x, size_t n) { return stats_ci(x, n, 0.95); }

/* G1: the third moment about the mean in units of the deviation, without the bias of few values. */
static double skewness(const double *x, size_t n, double mean)
{
    double squares = 0, cubes = 0;
    for (size_t i = 0; i < n; i++) {
        const double off = x[i] - mean;
        squares += off * off;
        cubes += off * off * off;
    }
    const double k = (double)n;
    return cubes / k / pow(squares / k, 1.5) * sqrt(k * (k - 1)) / (k - 2);
}

/* The W of which g(W) is v.  Its form for g = 0 is v itself, which cbrt nears with a loss of digits. */
static double untransformed(double v, double g, size_t n)
{
    return fabs(g) < 1e-6 ? v : 3 / g * (cbrt(1 + g * (v - g / (6 * (double)n))) - 1);
}

struct stats_ci stats_skew95(const double *x, size_t n) { return stats_skew(x, n, 0.95); }

struct stats_ci stats_skew(const double *x, size_t n, double level)
{
    struct stats_ci c = stats_ci(x, n, level);
    if (n < STATS_SKEW_LEAST || !(c.half > 0)) return c;
    const double k = (double)n, g = skewness(x, n, c.mean), s = stats_sd(x, n) * sqrt((k - 1) / k),
                 v = c.half / s;
    c.lo = fmin(c.lo, c.mean - s * untransformed(v, g, n));
    c.hi = fmax(c.hi, c.mean - s * untransformed(-v, g, n));
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

double stats_ks(double *x, size_t n, double *y, size_t m)
{
    double most = n > 0 && m > 0 ? 0 : NAN;
    gsl_sort(x, 1, n);
    gsl_sort(y, 1, m);
    for (size_t i = 0, k = 0; i < n && k < m;) {
        const double v = fmin(x[i], y[k]);
        while (i < n && x[i] <= v) i++;
        while (k < m && y[k] <= v) k++;
        most = fmax(most, fabs((double)i / (double)n - (double)k / (double)m));
    }
    return most;
}

double stats_autocorrelation(const double *x, size_t n, size_t lag)
{
    const double mean = stats_mean(x, n);
    double products = 0, squares = 0;
    for (size_t i = 0; i < n; i++) squares += (x[i] - mean) * (x[i] - mean);
    for (size_t i = 0; i + lag < n; i++) products += (x[i] - mean) * (x[i + lag] - mean);
    return squares > 0 && lag < n ? products / squares : NAN;
}

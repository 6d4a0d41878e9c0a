#include "out/stats.h"

#include <math.h>
#include <gsl/gsl_cdf.h>
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

struct stats_ci stats_ci95(const double *x, size_t n)
{
    struct stats_ci c = { .mean = stats_mean(x, n), .half = NAN, .n = n };
    if (n > 1) c.half = gsl_cdf_tdist_Pinv(0.975, (double)(n - 1)) * stats_sd(x, n) / sqrt((double)n);
    return c;
}

static struct stats_ci paired(const double *x, const double *base, size_t n, bool ratio)
{
    double *d;
    MEM_ARRAY(d, n);
    for (size_t i = 0; i < n; i++) d[i] = !ratio ? x[i] - base[i] : base[i] != 0 ? x[i] / base[i] : NAN;
    struct stats_ci c = stats_ci95(d, n);
    mem_free(d);
    return c;
}

struct stats_ci stats_diff95(const double *x, const double *base, size_t n)  { return paired(x, base, n, false); }
struct stats_ci stats_ratio95(const double *x, const double *base, size_t n) { return paired(x, base, n, true); }

double stats_jain(const double *x, size_t n)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) { sum += x[i]; squares += x[i] * x[i]; }
    return squares > 0 ? sum * sum / ((double)n * squares) : NAN;
}

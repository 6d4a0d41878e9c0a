/* batch.c -- batches of a run's jobs and their intervals, of batch.h. */
#include "compare/batch.h"

#include <math.h>
#include <sqlite3.h>
#include <gsl/gsl_cdf.h>

#include "base/mem.h"
#include "db/query.h"
#include "db/select.h"

/* ---- where they are ---- */

struct waits { double *submit, *wait; size_t n, cap_submit, cap_wait; };

static enum st read_waits(struct waits *w, struct store *s, int64_t run, struct diag *d)
{
    sqlite3_stmt *q;
    w->n = 0;
    TRY(select_jobs_kept(s, run, d));
    TRY(query_run(s, run, "SELECT submit, wait FROM v_job WHERE run = ? AND wait IS NOT NULL ORDER BY submit, ordinal", &q, d));
    while (sqlite3_step(q) == SQLITE_ROW) {
        MEM_RESERVE(w->submit, w->cap_submit, w->n + 1);
        MEM_RESERVE(w->wait, w->cap_wait, w->n + 1);
        w->submit[w->n] = sqlite3_column_double(q, 0);
        w->wait[w->n++] = sqlite3_column_double(q, 1);
    }
    TRY(query_end(s, q, d));
    if (w->n < 5 * (size_t)BATCHES)
        return diag_set(d, ST_EINPUT, "run %lld has %zu jobs that count: too few to make %d batches of", (long long)run, w->n, BATCHES);
    return ST_OK;
}

static sim_tick tick_of(double seconds) { return (sim_tick)llround(seconds * 1e6); }

enum st batch_find(struct batches *b, struct store *s, const int64_t *run, size_t n, const struct window *given, struct diag *d)
{
    struct waits w = { 0 };
    enum st st = ST_OK;
    *b = (struct batches){ .whole = { 0, TICK_NEVER }, .n_jobs = SIZE_MAX, .is_settled = true };
    b->is_given = window_is_on(given);
    if (b->is_given) b->whole = *given;
    for (size_t i = 0; i < n && st == ST_OK && !b->is_given; i++) {
        st = read_waits(&w, s, run[i], d);
        if (st != ST_OK) break;
        const size_t k = stats_mser5(w.wait, w.n);
        if (k == w.n) b->is_settled = false;
        else if (k > 0 && tick_of(w.submit[k]) > b->whole.from) b->whole.from = tick_of(w.submit[k]);
    }
    for (size_t i = 0; i < n && st == ST_OK; i++) {
        size_t first = 0, end;
        st = read_waits(&w, s, run[i], d);
        while (first < w.n && tick_of(w.submit[first]) < b->whole.from) first++;
        for (end = first; end < w.n && tick_of(w.submit[end]) < b->whole.to;) end++;
        if (st != ST_OK || end - first >= b->n_jobs) continue;
        b->n_jobs = end - first;
        for (size_t k = 0; k < BATCHES && b->n_jobs > 0; k++) {
            b->at[k].from = k == 0 ? b->whole.from : tick_of(w.submit[first + k * b->n_jobs / BATCHES]);
            if (k > 0) b->at[k - 1].to = b->at[k].from;
        }
        b->at[BATCHES - 1].to = b->whole.to;
    }
    if (st == ST_OK && b->n_jobs < 5 * (size_t)BATCHES)
        st = diag_set(d, ST_EINPUT, "after the warm-up %zu jobs are left: too few to make %d batches of", b->n_jobs, BATCHES);
    MEM_FREE(w.submit, w.wait);
    return st;
}

/* ---- intervals ---- */

/* mean -+ t sqrt(sum off^2 / (b (b - 1))), of a tail corrected; what a batch does not have cannot be decided. */
static struct stats_ci interval(double mean, const double off[BATCHES], const struct batch_values *of, bool is_decided)
{
    struct stats_ci c = { .mean = mean, .half = INFINITY, .n = BATCHES };
    double squares = 0;
    for (size_t i = 0; i < BATCHES; i++) squares += off[i] * off[i];
    if (is_decided && !isnan(squares))
        c.half = gsl_cdf_tdist_Pinv(0.975, BATCHES - 1) * sqrt(squares / (BATCHES * (BATCHES - 1.0)));
    if (isnan(mean)) c.half = NAN;
    c.lo = c.mean - c.half;
    c.hi = c.mean + c.half;
    if (of->is_tail && isfinite(c.half)) {
        const struct stats_ci skew = stats_skew95(off, BATCHES);
        c.lo = fmin(c.lo, mean - (skew.mean - skew.lo));
        c.hi = fmax(c.hi, mean + (skew.hi - skew.mean));
        c.half = (c.hi - c.lo) / 2;
    }
    return c;
}

struct stats_ci batch_mean(const struct batch_values *x)
{
    double off[BATCHES];
    for (size_t i = 0; i < BATCHES; i++) off[i] = x->part[i] - x->whole;
    return interval(x->whole, off, x, x->is_decided);
}

struct stats_ci batch_diff(const struct batch_values *x, const struct batch_values *base)
{
    const double mean = x->whole - base->whole;
    double off[BATCHES];
    for (size_t i = 0; i < BATCHES; i++) off[i] = x->part[i] - base->part[i] - mean;
    return interval(mean, off, x, x->is_decided && base->is_decided);
}

struct stats_ci batch_ratio(const struct batch_values *x, const struct batch_values *base)
{
    const double ratio = base->whole != 0 ? x->whole / base->whole : NAN;
    double off[BATCHES];
    for (size_t i = 0; i < BATCHES; i++) off[i] = (x->part[i] - ratio * base->part[i]) / base->whole;
    return interval(ratio, off, x, x->is_decided && base->is_decided);
}

/* ties.c -- the table of ties.h. */
#include "cmd/ties.h"

#include <math.h>
#include <string.h>
#include "base/mem.h"
#include "base/table.h"
#include "base/text.h"
#include "compare/compare.h"

static const char *const shown[] = { "jct_mean", "wait_mean", "wait_p95", "makespan" };

void ties_add(struct ties_runs *r, int64_t id, uint64_t tie_seed, const char *label)
{
    MEM_PUSH(r->at, r->n, r->cap, (struct ties_run){ id, tie_seed, mem_strdup(label) });
}

void ties_fini(struct ties_runs *r)
{
    for (size_t i = 0; i < r->n; i++) mem_free(r->at[i].label);
    mem_free(r->at);
}

struct range { double listed, least, most; size_t n; };

/* The mean over seeds of this policy in every order: one comparison an order. */
static enum st read_range(const struct compare *by, size_t n, const char *label, const char *metric, struct range *out,
                          struct diag *d)
{
    *out = (struct range){ NAN, INFINITY, -INFINITY, 0 };
    for (size_t i = 0; i < n; i++) {
        const struct compare_case *k = &by[i].at[0];
        for (size_t p = 0; p < k->n_policies; p++) {
            if (strcmp(k->policy[p].label, label) != 0) continue;
            const double mean = compare_mean(&by[i], &k->policy[p], metric, "all").mean;
            if (i == 0) out->listed = mean;
            if (!isfinite(mean)) continue;
            out->least = fmin(out->least, mean);
            out->most = fmax(out->most, mean);
            out->n++;
        }
        TRY(compare_error(&by[i], d));
    }
    return ST_OK;
}

static enum st add_rows(struct table *t, const struct compare *by, size_t n, const char *metric, struct diag *d)
{
    char unit[64];
    for (size_t p = 0; p < by[0].at[0].n_policies; p++) {
        const char *label = by[0].at[0].policy[p].label;
        struct range r;
        TRY(read_range(by, n, label, metric, &r, d));
        if (r.n == 0) continue;
        table_cell(t, "%s", metric);
        table_cell(t, "%s", label);
        table_cell(t, "%s", compare_unit(&by[0], metric, unit, sizeof unit));
        table_cell(t, "%.6g", r.listed);
        table_cell(t, "%.6g", r.least);
        table_cell(t, "%.6g", r.most);
        if (r.most > r.least && r.listed > 0) table_cell(t, "%.3g %%", 100 * (r.most - r.least) / r.listed);
        else table_cell(t, "%s", r.most > r.least ? "" : "0 %");
    }
    return ST_OK;
}

/* One comparison for each order, the listed one first. */
static enum st load(struct compare *by, size_t *n, size_t cap, const struct ties_runs *r, struct store *s, struct diag *d)
{
    struct compare_run *run;
    enum st st = ST_OK;
    MEM_ARRAY(run, r->n);
    for (size_t i = 0, end; i < r->n && *n < cap && st == ST_OK; i = end) {
        size_t n_run = 0;
        for (end = i; end < r->n && r->at[end].tie_seed == r->at[i].tie_seed; end++)
            run[n_run++] = (struct compare_run){ r->at[end].id, "", r->at[end].label };
        st = compare_load_runs(&by[*n], s, run, n_run, d);
        if (st == ST_OK) (*n)++;
    }
    mem_free(run);
    return st;
}

enum st ties_print(const struct ties_runs *r, const char *database, FILE *to, struct diag *d)
{
    struct store *s;
    struct compare *by;
    size_t n = 0, n_orders = 0;
    for (size_t i = 0; i < r->n; i++) n_orders += i == 0 || r->at[i].tie_seed != r->at[i - 1].tie_seed;
    TRY(store_open_read(&s, database, d));
    MEM_ARRAY(by, n_orders);
    enum st st = load(by, &n, n_orders, r, s, d);
    if (st == ST_OK && n > 1) {
        struct table *t = table_of("metric|policy|unit|#as listed|#least|#most|#hangs on ties");
        for (size_t m = 0; m < ARRAY_LEN(shown) && st == ST_OK; m++) st = add_rows(t, by, n, shown[m], d);
        text_line(to, "%zu orders of equal nodes and of jobs that arrive together, beside the one listed:", n - 1);
        table_end(t, TABLE_TEXT, to);
    }
    for (size_t i = 0; i < n; i++) compare_fini(&by[i]);
    mem_free(by);
    store_close(s);
    return st;
}

/* until.c -- the rule of until.h. */
#include "cmd/until.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"
#include "compare/compare.h"

void until_add(struct until_runs *r, int64_t id, uint64_t seed)
{
    MEM_RESERVE(r->at, r->cap, r->n + 1);
    r->at[r->n++] = (struct until_run){ id, seed };
}

bool until_read(struct until *u, const char *text, char *error, size_t cap)
{
    const size_t len = strcspn(text, " ");
    const char *at = text + len + strspn(text + len, " ");
    char *end;
    if (strncmp(at, "\u00b1", strlen("\u00b1")) == 0) at += strlen("\u00b1");
    else if (strncmp(at, "+-", 2) == 0) at += 2;
    u->share = strtod(at, &end) / 100;
    if (len == 0 || end == at || strcmp(end + strspn(end, " "), "%") != 0 || !(u->share > 0) || !(u->share < 1))
        return text_error(error, cap, "--until is '%s'; expected a metric and a share of it, as 'wait_mean \u00b12%%'", text);
    mem_free(u->metric);
    u->metric = mem_printf("%.*s", (int)len, text);
    return true;
}

enum st until_idle(const struct until *u, struct diag *d)
{
    (void)diag_set(d, ST_EINPUT, "nothing hangs on the seed here: no number of seeds narrows the interval of %s", u->metric);
    return diag_hint(d, "`fairway compare --batches` has intervals from within one long run");
}

/* The widest interval of any policy, as a share of its mean. */
static enum st widest(const struct until *u, const struct until_runs *r, const char *database, double *share, struct diag *d)
{
    struct compare_run *run;
    struct store *s;
    struct compare c;
    *share = 0;
    TRY(store_open_read(&s, database, d));
    MEM_ARRAY(run, r->n);
    for (size_t i = 0; i < r->n; i++) run[i] = (struct compare_run){ r->at[i].id, "", "" };
    enum st st = compare_load_runs(&c, s, run, r->n, d);
    if (st == ST_OK) {
        st = compare_check_metric(&c, u->metric, "all", d);
        for (size_t k = 0; k < c.n && st == ST_OK; k++)
            for (size_t p = 0; p < c.at[k].n_policies && st == ST_OK; p++) {
                const struct stats_ci x = compare_mean(&c, &c.at[k].policy[p], u->metric, "all");
                const double is = x.half == 0 ? 0 : x.half / fabs(x.mean);
                if (!isfinite(is))
                    st = diag_set(d, ST_EINPUT, "%s of %s has no interval as a share of it", u->metric, c.at[k].policy[p].label);
                else if (is > *share) *share = is;
            }
        if (st == ST_OK) st = compare_error(&c, d);
        compare_fini(&c);
    }
    mem_free(run);
    store_close(s);
    return st;
}

uint64_t until_want(uint64_t n, double is, double share)
{
    if (n < UNTIL_LEAST) return UNTIL_LEAST;
    if (is <= share) return n;
    const double need = ceil((double)n * (is / share) * (is / share));
    const uint64_t want = need >= 2 * (double)n ? 2 * n : (uint64_t)need > n ? (uint64_t)need : n + 1;
    return want < UNTIL_MOST || n >= UNTIL_MOST ? want : UNTIL_MOST;
}

enum st until_more(struct until *u, const struct until_runs *r, const char *database, bool *more, struct diag *d)
{
    uint64_t n = 0, last = 0;
    double is = INFINITY;
    *more = false;
    for (size_t i = 0; i < r->n; i++) {
        bool is_new = true;
        for (size_t j = 0; j < i && is_new; j++) is_new = r->at[j].seed != r->at[i].seed;
        n += is_new;
        if (r->at[i].seed > last) last = r->at[i].seed;
    }
    if (n == 0) return ST_OK;
    if (n >= UNTIL_LEAST) TRY(widest(u, r, database, &is, d));
    const uint64_t want = until_want(n, is, u->share);
    if (want > n && n >= UNTIL_MOST)
        return diag_set(d, ST_EINPUT, "after %llu seeds the interval of %s is still \u00b1%.3g %%, and \u00b1%.3g %% was wanted",
                        (unsigned long long)n, u->metric, 100 * is, 100 * u->share);
    u->first = last + 1;
    u->last = last + want - n;
    *more = want > n && u->last >= u->first;
    return ST_OK;
}

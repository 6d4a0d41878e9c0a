/* published.c -- the rows of published.sql, whose they are, and the table beside ours. */
#include "compare/published.h"

#include <math.h>
#include <string.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "base/embed.h"
#include "db/query.h"

enum { COL_POLICY, COL_AGAINST, COL_METRIC, COL_IS, COL_VALUE, COL_WITHIN, COL_SOURCE };

/* The figures are no part of any file: SQLite reads them out of the statement itself. */
enum st published_load(struct published *p, const char *scenario, struct diag *d)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *q = NULL;
    *p = (struct published){ .n = 0 };
    int rc = sqlite3_open(":memory:", &db);
    if (rc == SQLITE_OK) rc = sqlite3_prepare_v2(db, embed_text("published.sql"), -1, &q, NULL);
    if (rc == SQLITE_OK) rc = sqlite3_bind_text(q, 1, scenario, -1, SQLITE_STATIC);
    while (rc == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW) {
        MEM_RESERVE(p->at, p->cap, p->n + 1);
        p->at[p->n++] = (struct published_row){
            .policy = query_text_dup(q, COL_POLICY), .against = query_text_dup(q, COL_AGAINST), .metric = query_text_dup(q, COL_METRIC),
            .is = (char)sqlite3_column_text(q, COL_IS)[0], .value = sqlite3_column_double(q, COL_VALUE),
            .within = sqlite3_column_double(q, COL_WITHIN), .source = query_text_dup(q, COL_SOURCE) };
    }
    int end = sqlite3_finalize(q);      /* also when nothing could be bound; the code of the last step */
    if (rc == SQLITE_OK) rc = end;
    if (rc != SQLITE_OK) {
        (void)diag_set(d, ST_EWORLD, "the published figures cannot be read: %s", sqlite3_errmsg(db));
        published_fini(p);
    }
    (void)sqlite3_close(db);
    return rc == SQLITE_OK ? ST_OK : d->code;
}

void published_fini(struct published *p)
{
    for (size_t i = 0; i < p->n; i++) {
        mem_free(p->at[i].policy); mem_free(p->at[i].against); mem_free(p->at[i].metric); mem_free(p->at[i].scope);
        mem_free(p->at[i].source);
    }
    mem_free(p->at);
    *p = (struct published){ .n = 0 };
}

/* ---- whose figure it is ---- */

static bool has_name(const struct compare_policy *p, const char *name)
{
    size_t n = strcspn(p->spec, ":");
    return strlen(name) == n && strncmp(p->spec, name, n) == 0;
}

static const struct compare_policy *policy_named(const struct compare_case *k, const char *name)
{
    const struct compare_policy *found = NULL;
    for (size_t i = 0; i < k->n_policies; i++) if (strcmp(k->policy[i].label, name) == 0) return &k->policy[i];
    for (size_t i = 0; i < k->n_policies; i++) {
        if (!has_name(&k->policy[i], name)) continue;
        if (found != NULL) return NULL;     /* two variants: which one is meant nobody can tell */
        found = &k->policy[i];
    }
    return found;
}

bool published_is_of(const struct published_row *r, const struct compare_case *k, const struct compare_policy *p)
{
    return policy_named(k, r->policy) == p;
}

/* "POLICY" of the case, or "SCENARIO/POLICY" of the latest case of that scenario. */
static const struct compare_policy *against_of(const struct compare *c, const struct compare_case *k, const char *against)
{
    const char *slash = strchr(against, '/');
    if (slash == NULL) return policy_named(k, against);
    size_t len = (size_t)(slash - against);
    for (size_t i = c->n; i-- > 0;)
        if (strlen(c->at[i].scenario) == len && strncmp(c->at[i].scenario, against, len) == 0) return policy_named(&c->at[i], slash + 1);
    return NULL;
}

bool published_policies(const struct compare *c, const struct compare_case *k, const struct published_row *r,
                        const struct compare_policy **p, const struct compare_policy **base)
{
    const bool has_base = r->against[0] != '\0';
    *p = policy_named(k, r->policy);
    *base = has_base ? against_of(c, k, r->against) : NULL;
    return *p != NULL && (*base != NULL || !has_base);
}

struct stats_ci published_ours(const struct compare *c, const struct compare_case *k, const struct published_row *r)
{
    const struct stats_ci none = { .mean = NAN, .half = NAN, .lo = NAN, .hi = NAN };
    const struct compare_policy *p, *base;
    const char *scope = r->scope != NULL ? r->scope : "all";
    if (!published_policies(c, k, r, &p, &base)) return none;
    return base == NULL ? compare_mean(c, p, r->metric, scope) : compare_ratio(c, p, base, r->metric, scope);
}

bool published_holds(const struct published_row *r, double ours)
{
    return r->is == '<' ? ours < r->value : r->is == '>' ? ours > r->value : fabs(ours - r->value) <= r->within;
}

/* ---- the table ---- */

static void cell_published(struct table *t, const struct published_row *r, const char *unit)
{
    if (r->is == '~') { table_cell(t, "%.4g \u00b1%.4g", r->value, r->within); return; }
    table_cell(t, "%s%.4g%s%s", r->is == '=' ? "" : r->is == '<' ? "< " : "> ", r->value, unit[0] ? " " : "", unit);
}

/* A statement's answer is open where an end of the interval gives another one. */
static void cell_verdict(struct table *t, const struct published_row *r, struct stats_ci ours)
{
    if (r->is == '=') { table_cell(t, "%+.1f%%", 100 * (ours.mean / r->value - 1)); return; }
    bool yes = published_holds(r, ours.mean);
    bool is_open = !isnan(ours.half) && (published_holds(r, ours.lo) != yes || published_holds(r, ours.hi) != yes);
    table_cell(t, "%s%s", yes ? "yes" : "NO", is_open ? " ?" : "");
}

static void row(struct table *t, const struct compare *c, const struct published_row *r, struct stats_ci ours)
{
    char unit[16] = "";
    if (r->against[0] == '\0') (void)compare_unit(c, r->metric, unit, sizeof unit);
    if (strcmp(unit, "1") == 0) unit[0] = '\0';
    table_cell(t, "%s", r->metric);
    table_cell(t, "%s%s%s", r->policy, r->against[0] ? " : " : "", r->against);
    cell_published(t, r, unit);
    if (isnan(ours.half)) table_cell(t, "%.4g", ours.mean);
    else table_cell(t, "%.4g \u00b1%.2g", ours.mean, ours.half);
    cell_verdict(t, r, ours);
    table_cell(t, "%s", r->source);
}

#define COLUMNS "metric|of|#published|#ours|#agrees|source"

enum st published_print_all(const struct compare *c, enum table_format f, FILE *to, struct diag *d)
{
    struct table *t = table_of("scenario|" COLUMNS);
    enum st st = ST_OK;
    for (size_t k = 0; k < c->n && st == ST_OK; k++) {
        struct published p;
        st = published_load(&p, c->at[k].scenario, d);
        for (size_t i = 0; i < p.n; i++) {
            struct stats_ci ours = published_ours(c, &c->at[k], &p.at[i]);
            if (isnan(ours.mean)) continue;
            table_cell(t, "%s", c->at[k].title);
            row(t, c, &p.at[i], ours);
        }
        published_fini(&p);
    }
    if (st == ST_OK) table_print(t, f, to);
    table_destroy(t);
    return st == ST_OK ? compare_error(c, d) : st;
}

void published_print(const struct compare *c, const struct compare_case *k, const struct published *p,
                     enum table_format f, FILE *to)
{
    size_t shown = 0;
    struct table *t = table_of(COLUMNS);
    for (size_t i = 0; i < p->n; i++) {
        struct stats_ci ours = published_ours(c, k, &p->at[i]);
        if (isnan(ours.mean)) continue;
        row(t, c, &p->at[i], ours);
        shown++;
    }
    if (p->n > 0) (void)fprintf(to, "\nPublished, and ours (a : b is the ratio of a's to b's; how far off, or whether the statement holds, '?' where the interval leaves it open):\n\n");
    if (shown > 0) table_print(t, f, to);
    if (shown < p->n)
        (void)fprintf(to, "%s%zu published figure%s: this database has not the runs to compare with.\n", shown > 0 ? "\n" : "",
                      p->n - shown, p->n - shown == 1 ? "" : "s");
    table_destroy(t);
}

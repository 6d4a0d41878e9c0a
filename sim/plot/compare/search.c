/* search.c -- search: the objective of every set of a search against each variable. */
#include <math.h>
#include <string.h>
#include <sqlite3.h>

#include "db/check.h"
#include "plot/figure.h"
#include "plot/compare/search.h"

enum { COLUMNS = 3, TICS_MAX = 7 };

enum st search_find(struct store *s, const char *scenario, const char *phase, int64_t *id, struct diag *d)
{
    sqlite3_stmt *q;
    int64_t n = 0;
    TRY(query_int(s, &n, d, "SELECT count(*) FROM sqlite_schema WHERE name = 'search_set'"));
    if (n == 0) return diag_set(d, ST_EINPUT, "the database holds no search; `fairway search` writes one");
    TRY(query_begin(s,
                    "SELECT max(id) FROM search h WHERE (?1 IS NULL OR scenario = ?1) AND (?2 IS NULL OR"
                    " EXISTS (SELECT 1 FROM search_set x WHERE x.search = h.id AND x.phase = ?2))",
                    &q, d));
    (void)sqlite3_bind_text(q, 1, scenario, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(q, 2, phase, -1, SQLITE_STATIC);
    bool found = sqlite3_step(q) == SQLITE_ROW && sqlite3_column_type(q, 0) != SQLITE_NULL;
    *id = sqlite3_column_int64(q, 0);
    TRY(query_end(s, q, d));
    if (!found && phase != NULL)
        return diag_set(d, ST_EINPUT, "the database holds no search by %s; `fairway plot FILE search` draws others",
                        strcmp(phase, "size") == 0 ? "promises" : "a race");
    if (!found) return diag_set(d, ST_EINPUT, "the database holds no search of '%s'", scenario != NULL ? scenario : "");
    return check_search(s, *id, d);
}

/* A block a variable: place on its side, objective, and which kind of point: 0 drawn or an end, 1 of a simplex,
 * 2 over a limit, 3 the best. */
static enum st write_points(struct gnuplot *g, struct store *s, int64_t id, int64_t n_variables, double *least,
                            double *most, struct diag *d)
{
    *least = HUGE_VAL;
    *most = -HUGE_VAL;
    (void)fprintf(g->to, "$points << EOD\n");
    for (int64_t v = 0; v < n_variables; v++) {
        sqlite3_stmt *q;
        TRY(query_format(
            s, &q, d,
            "SELECT v.at, x.objective, CASE WHEN x.\"set\" = (SELECT y.\"set\" FROM search_set y JOIN search h ON h.id "
            "= y.search"
            " WHERE y.search = x.search AND y.phase <> 'fresh' AND y.error IS NULL"
            " ORDER BY y.excess, CASE WHEN h.maximise THEN -y.objective ELSE y.objective END, y.\"set\" LIMIT 1) THEN 3"
            " WHEN x.excess > 0 THEN 2 WHEN x.phase = 'simplex' THEN 1 ELSE 0 END AS kind"
            " FROM search_set x JOIN search_value v ON v.search = x.search AND v.\"set\" = x.\"set\""
            " WHERE x.search = %lld AND v.variable = %lld AND x.phase <> 'fresh' AND x.error IS NULL ORDER BY kind, "
            "x.\"set\"",
            (long long)id, (long long)v));
        while (sqlite3_step(q) == SQLITE_ROW) {
            double y = sqlite3_column_double(q, 1);
            (void)fprintf(g->to, "%.9g\t%.9g\t%d\n", sqlite3_column_double(q, 0), y, sqlite3_column_int(q, 2));
            *least = fmin(*least, y);
            *most = fmax(*most, y);
        }
        (void)fprintf(g->to, "\n\n");
        TRY(query_end(s, q, d));
    }
    (void)fprintf(g->to, "EOD\n");
    return *least <= *most ? ST_OK : diag_set(d, ST_EINPUT, "the search has no set with an objective");
}

/*
 * Tics of a variable: its values where they are few, else the first and the last.  gnuplot takes this text as a part
 * of a command: a quote would end it, and what stands in backquotes would be given to a shell.
 */
static enum st write_tics(struct gnuplot *g, struct store *s, int64_t id, int64_t v, struct diag *d)
{
    sqlite3_stmt *q;
    int64_t n = 0, i = 0;
    TRY(query_int(s, &n, d, "SELECT count(DISTINCT value) FROM search_value WHERE search = %lld AND variable = %lld",
                  (long long)id, (long long)v));
    TRY(query_format(s, &q, d,
                     "SELECT value, min(at) AS low, max(at) FROM search_value WHERE search = %lld AND variable = %lld "
                     "GROUP BY value ORDER BY low",
                     (long long)id, (long long)v));
    (void)fprintf(g->to, "TICS%lld = '", (long long)v);
    for (; sqlite3_step(q) == SQLITE_ROW; i++) {
        if (n > TICS_MAX && i > 0 && i + 1 < n) continue;
        double low = sqlite3_column_double(q, 1), high = sqlite3_column_double(q, 2);
        double at = n > TICS_MAX ? (i == 0 ? low : high) : 0.5 * (low + high);
        (void)fprintf(g->to, "%s\"", i > 0 ? ", " : "");
        for (const char *c = query_text(q, 0); *c != '\0'; c++)
            if (strchr("\"'\\`", *c) == NULL && (unsigned char)*c >= 0x20) (void)fputc(*c, g->to);
        (void)fprintf(g->to, "\" %.6g", at);
    }
    (void)fprintf(g->to, "'\n");
    return query_end(s, q, d);
}

static enum st draw(struct gnuplot *g, const struct compare *c, const struct compare_case *k, const struct plot_opts *o,
                    struct diag *d)
{
    int64_t id = 0, n = 0;
    double least, most;
    sqlite3_stmt *q;
    (void)k;
    TRY(search_find(c->store, o->scenario, NULL, &id, d));
    TRY(query_int(c->store, &n, d, "SELECT count(*) FROM search_variable WHERE search = %lld", (long long)id));
    TRY(write_points(g, c->store, id, n, &least, &most, d));
    for (int64_t v = 0; v < n; v++) TRY(write_tics(g, c->store, id, v, d));
    (void)fprintf(g->to, "array NAME[%lld]\n", (long long)n);
    TRY(query_format(c->store, &q, d,
                     "SELECT variable, name FROM search_variable WHERE search = %lld AND variable BETWEEN 0 AND %lld"
                     " ORDER BY variable", (long long)id, (long long)n - 1));
    while (sqlite3_step(q) == SQLITE_ROW) {
        char name[32];
        (void)snprintf(name, sizeof name, "NAME[%lld]", (long long)sqlite3_column_int64(q, 0) + 1);
        gnuplot_text(g, name, query_text(q, 1));
    }
    TRY(query_end(c->store, q, d));
    TRY(query_format(c->store, &q, d, "SELECT objective FROM search WHERE id = %lld", (long long)id));
    if (sqlite3_step(q) == SQLITE_ROW) gnuplot_text(g, "OBJECTIVE", query_text(q, 0));
    TRY(query_end(c->store, q, d));
    int64_t rows = (n + COLUMNS - 1) / COLUMNS, columns = n < COLUMNS ? n : COLUMNS;
    (void)fprintf(g->to,
                  "if (!exists(\"W\")) W = %.2f\nif (!exists(\"H\")) H = %.2f\nN = %lld\nROWS = %lld\nCOLUMNS = "
                  "%lld\nISLOG = %d\n",
                  0.7 + 2.1 * (double)columns, 0.35 + 1.65 * (double)rows, (long long)n, (long long)rows,
                  (long long)columns, least > 0 && most / least > 30);
    gnuplot_number(g, "YMIN", least);
    gnuplot_number(g, "YMAX", most);
    return ST_OK;
}

const struct plot_figure plot_search = {
    .name = "search",
    .summary = "what each variable did: the objective of every set of a search, a panel a variable",
    .about = "The best set, those over a limit and those of simplexes by colour; of the latest search. From the tables "
             "of searches.",
    .draw = draw,
    .is_of_file = true,
};

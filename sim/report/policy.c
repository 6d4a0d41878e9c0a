/* policy.c -- one policy: its rule, the jobs that waited longest, its notes, every metric. */
#include "report/report_priv.h"

#include <string.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "base/text.h"
#include "db/query.h"

struct names { char **at; size_t n, cap; };

static void names_fini(struct names *l)
{
    for (size_t i = 0; i < l->n; i++) mem_free(l->at[i]);
    mem_free(l->at);
}

static enum st load_names(const struct report_page *p, struct names *l, const char *sql, int64_t run, struct diag *d)
{
    sqlite3_stmt *s;
    TRY(query_run(p->c->store, run, sql, &s, d));
    while (sqlite3_step(s) == SQLITE_ROW) {
        MEM_RESERVE(l->at, l->cap, l->n + 1);
        l->at[l->n++] = query_text_dup(s, 0);
    }
    return query_end(p->c->store, s, d);
}

/* A row a metric and a column a scope; of users the other way round, for there are many of them. */
static void metric_table(const struct report_page *p, const struct compare_policy *q, const struct names *metric, const struct names *scope, bool by_user)
{
    const struct names *row = by_user ? scope : metric, *col = by_user ? metric : scope;
    char unit[16];
    if (row->n == 0 || col->n == 0) return;
    (void)fprintf(p->to, "<div class=\"scroll\"><table><caption>%s</caption><thead><tr><th scope=\"col\">%s</th>",
                  by_user ? "By user, mean over seeds." : "Every metric, mean over seeds. Formulas: " DIAG_DOC("results/README.md") ".", by_user ? "user" : "metric");
    for (size_t i = 0; i < col->n; i++) {
        (void)fputs("<th scope=\"col\" class=\"n\">", p->to);
        report_text(col->at[i], p->to);
        if (by_user) (void)fprintf(p->to, "<span class=\"unit\"> %s</span>", strcmp(compare_unit(p->c, col->at[i], unit, sizeof unit), "1") == 0 ? "" : unit);
        (void)fputs("</th>", p->to);
    }
    (void)fprintf(p->to, "%s</tr></thead><tbody>\n", by_user ? "" : "<th scope=\"col\">unit</th>");
    for (size_t i = 0; i < row->n; i++) {
        (void)fputs("<tr><th scope=\"row\">", p->to);
        report_text(row->at[i] + (by_user ? strlen("user=") : 0), p->to);
        (void)fputs("</th>", p->to);
        for (size_t k = 0; k < col->n; k++)
            report_number_cell(p->to, compare_mean(p->c, q, metric->at[by_user ? k : i], scope->at[by_user ? i : k]), 1);
        if (!by_user) report_element(p->to, "td", compare_unit(p->c, row->at[i], unit, sizeof unit));
        (void)fputs("</tr>\n", p->to);
    }
    (void)fputs("</tbody></table></div>\n", p->to);
}

static enum st metrics(const struct report_page *p, const struct compare_policy *q, bool by_user, struct diag *d)
{
    struct names metric = { NULL, 0, 0 }, scope = { NULL, 0, 0 };
    enum st st = load_names(p, &metric, by_user ? "SELECT DISTINCT name FROM metric WHERE run = ? AND scope LIKE 'user=%' ORDER BY name"
                            : "SELECT DISTINCT name FROM metric WHERE run = ? AND scope NOT LIKE 'user=%' ORDER BY name", q->run[0], d);
    if (st == ST_OK) st = load_names(p, &scope, by_user ? "SELECT DISTINCT scope FROM metric WHERE run = ? AND scope LIKE 'user=%' ORDER BY scope"
                                     : "SELECT scope FROM metric WHERE run = ? AND scope NOT LIKE 'user=%' GROUP BY scope ORDER BY scope <> 'all', scope", q->run[0], d);
    if (st == ST_OK) metric_table(p, q, &metric, &scope, by_user);
    names_fini(&metric);
    names_fini(&scope);
    return st;
}

static enum st notes(const struct report_page *p, const struct compare_policy *q, struct diag *d)
{
    sqlite3_stmt *s;
    bool any = false;
    TRY(query_run(p->c->store, q->run[0], "SELECT name, count(*), avg(value), min(value), max(value) FROM note WHERE run = ? GROUP BY name ORDER BY name", &s, d));
    while (sqlite3_step(s) == SQLITE_ROW) {
        if (!any) (void)fputs("<div class=\"scroll\"><table><caption>Numbers that the policy kept, first seed.</caption><thead><tr><th scope=\"col\">note</th>"
            "<th scope=\"col\" class=\"n\">times</th><th scope=\"col\" class=\"n\">mean</th><th scope=\"col\" class=\"n\">least</th><th scope=\"col\" class=\"n\">most</th></tr></thead><tbody>\n", p->to);
        any = true;
        (void)fputs("<tr>", p->to);
        report_element(p->to, "td", query_text(s, 0));
        (void)fprintf(p->to, "<td class=\"n\">%lld</td>", (long long)sqlite3_column_int64(s, 1));
        for (int i = 2; i < 5; i++) (void)fprintf(p->to, "<td class=\"n\">%.6g</td>", sqlite3_column_double(s, i));
        (void)fputs("</tr>\n", p->to);
    }
    if (any) (void)fputs("</tbody></table></div>\n", p->to);
    return query_end(p->c->store, s, d);
}

static enum st slowest(const struct report_page *p, const struct compare_policy *q, struct diag *d)
{
    sqlite3_stmt *s;
    char time[48];
    TRY(query_run(p->c->store, q->run[0], "SELECT id, user, class, n_gpu, start_us - submit_us, end_us - submit_us, n_preempted, n_failed FROM job WHERE run = ? AND start_us >= 0 AND end_us >= 0"
              " ORDER BY start_us - submit_us DESC, ordinal LIMIT 8", &s, d));
    (void)fputs("<div class=\"scroll\"><table><caption>The jobs that waited longest, first seed.</caption><thead><tr><th scope=\"col\">job</th><th scope=\"col\">user</th><th scope=\"col\">class</th>"
                "<th scope=\"col\" class=\"n\">GPUs</th><th scope=\"col\" class=\"n\">waited</th><th scope=\"col\" class=\"n\">done after</th><th scope=\"col\" class=\"n\">preempted</th>"
                "<th scope=\"col\" class=\"n\">failed</th></tr></thead><tbody>\n", p->to);
    while (sqlite3_step(s) == SQLITE_ROW) {
        (void)fputs("<tr>", p->to);
        for (int i = 0; i < 3; i++) report_element(p->to, "td", query_text(s, i));
        (void)fprintf(p->to, "<td class=\"n\">%d</td>", sqlite3_column_int(s, 3));
        for (int i = 4; i < 6; i++) (void)fprintf(p->to, "<td class=\"n\">%s</td>", text_duration(time, sizeof time, sqlite3_column_int64(s, i)));
        (void)fprintf(p->to, "<td class=\"n\">%d</td><td class=\"n\">%d</td></tr>\n", sqlite3_column_int(s, 6), sqlite3_column_int(s, 7));
    }
    (void)fprintf(p->to, "</tbody></table></div>\n<p class=\"quiet\"><code>fairway explain FILE.db %lld JOB</code> tells why one of them waited, of a run with <code>output: {decisions: true}</code>.</p>\n",
                  (long long)q->run[0]);
    return query_end(p->c->store, s, d);
}

enum st report_policy(const struct report_page *p, const struct compare_case *k, size_t index, size_t i, struct diag *d)
{
    const struct compare_policy *q = &k->policy[i];
    sqlite3_stmt *s;
    (void)fprintf(p->to, "<details class=\"policy\" id=\"k%zup%zu\"><summary><b>", index, i);
    report_text(q->label, p->to);
    (void)fprintf(p->to, "</b>%s <code>", q->clairvoyant ? " *" : "");
    report_text(q->spec, p->to);
    (void)fputs("</code></summary>\n", p->to);
    TRY(query_run(p->c->store, q->run[0], "SELECT policy_source FROM run WHERE id = ?", &s, d));
    if (sqlite3_step(s) == SQLITE_ROW) {
        (void)fputs("<p>Rule: ", p->to);
        report_text(query_text(s, 0), p->to);
        (void)fprintf(p->to, "%s</p>\n", q->clairvoyant ? ". <b>Clairvoyant</b>: it was told true durations, which no scheduler knows" : "");
    }
    TRY(query_end(p->c->store, s, d));
    TRY(slowest(p, q, d));
    TRY(notes(p, q, d));
    TRY(metrics(p, q, false, d));
    TRY(metrics(p, q, true, d));
    (void)fputs("</details>\n", p->to);
    return ST_OK;
}

/*
 * report.c -- the page: for each case its facts, comparison, charts, timeline, policies and provenance.
 *
 * What a reader wants first comes first; what is needed to trust it stands last.
 */
#include "report/report_priv.h"

#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>

#include "base/embed.h"
#include "base/version.h"
#include "db/query.h"

/* ---- where it comes from ---- */

static enum st repairs(const struct report_page *p, const struct compare_case *k, struct diag *d)
{
    sqlite3_stmt *s;
    bool any = false;
    TRY(query_run(p->c->store, k->policy[0].run[0], "SELECT what, count, first_line FROM repair WHERE run = ? ORDER BY what", &s, d));
    while (sqlite3_step(s) == SQLITE_ROW) {
        if (!any) (void)fputs("<div class=\"scroll\"><table class=\"repairs\"><caption>Mended in the trace, counted.</caption><thead><tr><th scope=\"col\">what</th>"
                              "<th scope=\"col\" class=\"n\">how often</th><th scope=\"col\" class=\"n\">first in line</th></tr></thead><tbody>\n", p->to);
        any = true;
        (void)fputs("<tr>", p->to);
        report_element(p->to, "td", query_text(s, 0));
        (void)fprintf(p->to, "<td class=\"n\">%lld</td><td class=\"n\">%lld</td></tr>\n", (long long)sqlite3_column_int64(s, 1), (long long)sqlite3_column_int64(s, 2));
    }
    (void)fputs(any ? "</tbody></table></div>\n" : "<p>Nothing in the trace had to be mended.</p>\n", p->to);
    return query_end(p->c->store, s, d);
}

static enum st provenance(const struct report_page *p, const struct compare_case *k, size_t index, struct diag *d)
{
    (void)fprintf(p->to, "<div class=\"scroll\"><table class=\"mono\" id=\"k%zuruns\"><caption>Every run. The key is a hash of scenario, trace, policy, seed and version; the digest one of every event: "
                  "equal digests are equal runs.</caption><thead><tr><th scope=\"col\" class=\"n\">run</th><th scope=\"col\">policy</th><th scope=\"col\" class=\"n\">seed</th>"
                  "<th scope=\"col\">digest</th><th scope=\"col\">key</th><th scope=\"col\">trace</th><th scope=\"col\">fairway</th></tr></thead><tbody>\n", index);
    for (size_t i = 0; i < k->n_policies; i++)
        for (size_t j = 0; j < k->policy[i].n_runs; j++) {
            sqlite3_stmt *s;
            TRY(query_run(p->c->store, k->policy[i].run[j], "SELECT digest, key, trace_hash, version FROM run WHERE id = ?", &s, d));
            if (sqlite3_step(s) == SQLITE_ROW) {
                (void)fprintf(p->to, "<tr><td class=\"n\">%" PRId64 "</td>", k->policy[i].run[j]);
                report_element(p->to, "td", k->policy[i].label);
                (void)fprintf(p->to, "<td class=\"n\">%" PRIu64 "</td>", (uint64_t)k->policy[i].seed[j]);
                for (int c = 0; c < 4; c++) report_element(p->to, "td", query_text(s, c));
                (void)fputs("</tr>\n", p->to);
            }
            TRY(query_end(p->c->store, s, d));
        }
    (void)fputs("</tbody></table></div>\n<details><summary>The scenario as it was run, overrides included</summary><pre>", p->to);
    report_text(k->text, p->to);
    (void)fputs("</pre></details>\n", p->to);
    return ST_OK;
}

/* ---- the page ---- */

static enum st facts(const struct report_page *p, const struct compare_case *k, size_t index, struct diag *d)
{
    sqlite3_stmt *s;
    const struct compare_policy *q = &k->policy[0];
    TRY(query_run(p->c->store, q->run[0], "SELECT title, trace_path, (SELECT count(*) FROM node n WHERE n.run = r.id), (SELECT coalesce(sum(n_gpu), 0) FROM node n WHERE n.run = r.id),"
              " (SELECT count(*) FROM job j WHERE j.run = r.id), (SELECT count(DISTINCT user) FROM job j WHERE j.run = r.id) FROM run r WHERE id = ?", &s, d));
    if (sqlite3_step(s) == SQLITE_ROW) {
        (void)fprintf(p->to, "<section id=\"k%zu\"><h2>", index);
        report_text(query_text(s, 0), p->to);
        (void)fputs("</h2>\n<dl class=\"facts\"><div><dt>scenario</dt><dd>", p->to);
        report_text(k->title, p->to);
        (void)fprintf(p->to, "</dd></div><div><dt>policies</dt><dd>%zu</dd></div><div><dt>nodes</dt><dd>%lld</dd></div><div><dt>GPUs</dt><dd>%lld</dd></div>"
                      "<div><dt>jobs</dt><dd>%lld</dd></div><div><dt>users</dt><dd>%lld</dd></div><div><dt>trace</dt><dd>", k->n_policies,
                      (long long)sqlite3_column_int64(s, 2), (long long)sqlite3_column_int64(s, 3), (long long)sqlite3_column_int64(s, 4), (long long)sqlite3_column_int64(s, 5));
        report_text(query_text(s, 1), p->to);
        (void)fputs("</dd></div></dl>\n", p->to);
    }
    return query_end(p->c->store, s, d);
}

static enum st one_case(const struct report_page *p, size_t index, struct diag *d)
{
    const struct compare_case *k = &p->c->at[index];
    bool has_data = !isnan(compare_mean(p->c, &k->policy[0], "bytes_network", "all").mean);
    const struct metric_list *shown = &metric_info_lists[has_data ? METRIC_LIST_DATA : METRIC_LIST_USUAL];
    TRY(facts(p, k, index, d));
    (void)fprintf(p->to, "<h3 id=\"k%zucompare\">Policies side by side</h3>\n", index);
    TRY(report_comparison(p, k, index, shown, d));
    (void)fprintf(p->to, "<h3 id=\"k%zucharts\">Charts</h3>\n", index);
    if (p->o->no_charts) (void)fputs("<p class=\"quiet\">Left out (--no-charts).</p>\n", p->to);
    else TRY(report_charts(p->c, k, index, p->to, d));
    (void)fprintf(p->to, "<h3 id=\"k%zutime\">Timeline</h3>\n", index);
    TRY(report_timeline(p->c, k, index, p->to, d));
    (void)fprintf(p->to, "<h3 id=\"k%zupolicies\">Policy by policy</h3>\n", index);
    for (size_t i = 0; i < k->n_policies; i++) TRY(report_policy(p, k, index, i, d));
    (void)fprintf(p->to, "<h3 id=\"k%zutrace\">The trace</h3>\n", index);
    TRY(repairs(p, k, d));
    (void)fprintf(p->to, "<h3 id=\"k%zufrom\">Where it comes from</h3>\n", index);
    TRY(provenance(p, k, index, d));
    (void)fputs("</section>\n", p->to);
    return ST_OK;
}

static void unfinished_runs(const struct report_page *p)
{
    if (p->c->n_unfinished == 0) return;
    (void)fputs("<section id=\"left\"><h2>Not in any number here</h2><p>Runs that did not finish:</p><ul>\n", p->to);
    for (size_t i = 0; i < p->c->n_unfinished; i++) {
        const struct compare_unfinished *l = &p->c->unfinished[i];
        (void)fprintf(p->to, "<li>run %" PRId64 " (", l->run);
        report_text(l->scenario, p->to);
        (void)fputs(", ", p->to);
        report_text(l->policy, p->to);
        (void)fprintf(p->to, ", seed %" PRIu64 "): %s%s", (uint64_t)l->seed, l->status, l->message[0] != '\0' ? ": " : "");
        report_text(l->message, p->to);
        (void)fputs("</li>\n", p->to);
    }
    (void)fputs("</ul></section>\n", p->to);
}

static void head(const struct report_page *p)
{
    (void)fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n<title>", p->to);
    report_text(p->c->at[0].title, p->to);
    (void)fputs(" &ndash; Fairway</title>\n<style>\n", p->to);
    (void)fputs(embed_text("report.css"), p->to);
    (void)fputs("</style>\n</head>\n<body>\n<header><p class=\"brand\">Fairway</p><nav aria-label=\"Contents\"><ul>\n", p->to);
    static const struct { const char *anchor, *text; } sections[] = {
        { "compare", "Policies" }, { "charts", "Charts" }, { "time", "Timeline" }, { "policies", "Each policy" }, { "trace", "Trace" }, { "from", "Provenance" },
    };
    for (size_t i = 0; i < p->c->n; i++) {
        if (p->c->n > 1) {
            (void)fprintf(p->to, "<li class=\"case\"><a href=\"#k%zu\">", i);
            report_text(p->c->at[i].title, p->to);
            (void)fputs("</a></li>\n", p->to);
        }
        for (size_t k = 0; k < ARRAY_LEN(sections); k++) (void)fprintf(p->to, "<li><a href=\"#k%zu%s\">%s</a></li>\n", i, sections[k].anchor, sections[k].text);
    }
    (void)fputs("</ul></nav></header>\n<main>\n", p->to);
}

enum st report_write(struct store *s, const struct report_opts *o, FILE *to, struct diag *d)
{
    struct compare c;
    TRY(compare_load(&c, s, d));
    struct report_page p = { .c = &c, .o = o, .to = to };
    enum st st = ST_OK;
    head(&p);
    for (size_t i = 0; i < c.n && st == ST_OK; i++) st = one_case(&p, i, d);
    unfinished_runs(&p);
    (void)fprintf(to, "</main>\n<footer>Written by fairway %s from one database; nothing here is loaded from elsewhere. Times are simulated.</footer>\n<script>\n%s</script>\n</body>\n</html>\n",
                  FAIRWAY_VERSION, embed_text("report.js"));
    st = compare_error(&c, d);
    compare_fini(&c);
    return st;
}

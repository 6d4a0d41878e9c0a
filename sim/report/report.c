#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/version.h"
#include "compare/compare_priv.h"
#include "compare/metric_info.h"
#include "db/query.h"
#include "base/embed.h"

/* ---- text ---- */

void report_text(const char *s, FILE *to)
{
    for (; *s != '\0'; s++) {
        switch (*s) {
        case '<': (void)fputs("&lt;", to); break;
        case '>': (void)fputs("&gt;", to); break;
        case '&': (void)fputs("&amp;", to); break;
        case '"': (void)fputs("&quot;", to); break;
        case '\'': (void)fputs("&#39;", to); break;
        default:
            if ((unsigned char)*s >= 0x20 || *s == '\n' || *s == '\t') (void)fputc(*s, to);
            else (void)fprintf(to, "&#xfffd;");
        }
    }
}

static void element(FILE *to, const char *tag, const char *text)
{
    (void)fprintf(to, "<%s>", tag);
    report_text(text != NULL ? text : "", to);
    (void)fprintf(to, "</%.*s>", (int)strcspn(tag, " "), tag);
}

struct page { const struct compare *c; const struct report_opts *o; FILE *to; };

/* ---- numbers ---- */

static struct compare_scale scale_of(const struct page *p, const struct compare_case *k, const char *metric)
{
    return compare_scale_of(&(struct compare_view){ .c = p->c, .k = k, .scope = "all" }, metric);
}

/* data-v: what a column is sorted by. */
static void number_cell(FILE *to, struct stats_ci ci, double by)
{
    double x = ci.mean * by;
    if (isnan(x)) { (void)fputs("<td class=\"n\">&ndash;</td>", to); return; }
    (void)fprintf(to, "<td class=\"n\" data-v=\"%.12g\">%.*f", x, compare_digits(x), x);
    if (!isnan(ci.half)) (void)fprintf(to, " <span class=\"ci\">&plusmn;%.*f</span>", compare_digits(x), ci.half * by);
    (void)fputs("</td>", to);
}

static void signed_cell(FILE *to, double x, double half, bool open, int n_digits, const char *unit)
{
    (void)fprintf(to, "<td class=\"n%s\" data-v=\"%.12g\">%s%.*f%s", open ? " open" : "", x, x < 0 ? "&minus;" : "+", n_digits, fabs(x), unit);
    if (!isnan(half)) (void)fprintf(to, " <span class=\"ci\">&plusmn;%.*f</span>", n_digits, half);
    (void)fputs("</td>", to);
}

/* Per cent above or below the base; where that is 0, the plain difference. */
static void difference_cell(const struct page *p, const struct compare_case *k, const struct compare_policy *q, const char *metric)
{
    struct stats_ci r = compare_ratio(p->c, q, &k->policy[0], metric, "all"), x = compare_diff(p->c, q, &k->policy[0], metric, "all");
    struct compare_scale s = scale_of(p, k, metric);
    if (!isnan(r.mean)) signed_cell(p->to, 100 * (r.mean - 1), 100 * r.half, r.lo <= 1 && r.hi >= 1, 1, " %");
    else if (isnan(x.mean)) (void)fputs("<td class=\"n\">&ndash;</td>", p->to);
    else signed_cell(p->to, x.mean * s.by, x.half * s.by, x.lo <= 0 && x.hi >= 0, compare_digits(x.mean * s.by), "");
}

/* Of metric_info_troubles; the last, jobs_failed, is not on the page. */
enum { TROUBLES = METRIC_TROUBLES - 1 };

static void heading(FILE *to, const char *name, const char *unit, bool is_number)
{
    (void)fprintf(to, "<th scope=\"col\"%s aria-sort=\"none\"><button type=\"button\">", is_number ? " class=\"n\"" : "");
    for (; *name != '\0'; name++) {
        if (*name == '_') (void)fputs("_<wbr>", to);        /* a long name may take two lines */
        else report_text((char[]){ *name, '\0' }, to);
    }
    if (unit[0] != '\0') (void)fprintf(to, "<span class=\"unit\"> %s</span>", unit);
    (void)fputs("</button></th>", to);
}

/* Over its lower bound: 1.07 means that no schedule could be more than 7 % better. */
static void bound_heading(FILE *to, const char *metric)
{
    char name[64];
    (void)snprintf(name, sizeof name, "%s / bound", metric);
    heading(to, name, "", true);
}

static void policy_heading(FILE *to, const struct compare_policy *q, size_t k, size_t i)
{
    (void)fprintf(to, "<th scope=\"row\" data-v=\"%zu\"><a href=\"#k%zup%zu\">", i, k, i);
    report_text(q->label, to);
    (void)fprintf(to, "</a>%s</th>", q->clairvoyant ? " <abbr title=\"clairvoyant: it was told true durations\">*</abbr>" : "");
}

/* ---- the comparison ---- */

static void means(const struct page *p, const struct compare_case *k, size_t index, const char *const *metric, size_t n)
{
    (void)fprintf(p->to, "<div class=\"scroll\"><table class=\"sortable\" id=\"k%zumeans\"><caption>Means over seeds%s.%s Click a heading to sort.</caption><thead><tr>",
                  index, k->policy[0].n_runs > 1 ? " with 95 % intervals" : "; one seed, so no intervals",
                  compare_over_bound(p->c, &k->policy[0], "makespan").n > 0 ? " / bound: over the least that any schedule could reach." : "");
    heading(p->to, "policy", "", false);
    heading(p->to, "seeds", "", true);
    heading(p->to, "jobs done", "", true);
    for (size_t t = 0; t < TROUBLES; t++) if (compare_any(p->c, k, metric_info_troubles[t].metric)) heading(p->to, metric_info_troubles[t].heading, "", true);
    for (size_t m = 0; m < n; m++) heading(p->to, metric[m], scale_of(p, k, metric[m]).unit, true);
    for (size_t b = 0; b < METRIC_BOUNDED; b++)
        if (compare_over_bound(p->c, &k->policy[0], metric_info_bounded[b].metric).n > 0) bound_heading(p->to, metric_info_bounded[b].metric);
    (void)fputs("</tr></thead><tbody>\n", p->to);
    for (size_t i = 0; i < k->n_policies; i++) {
        const struct compare_policy *q = &k->policy[i];
        (void)fputs("<tr>", p->to);
        policy_heading(p->to, q, index, i);
        (void)fprintf(p->to, "<td class=\"n\" data-v=\"%zu\">%zu</td>", q->n_runs, q->n_runs);
        number_cell(p->to, (struct stats_ci){ .mean = compare_mean(p->c, q, "jobs_done", "all").mean, .half = NAN }, 1);
        for (size_t t = 0; t < TROUBLES; t++)
            if (compare_any(p->c, k, metric_info_troubles[t].metric)) number_cell(p->to, (struct stats_ci){ .mean = compare_mean(p->c, q, metric_info_troubles[t].metric, "all").mean, .half = NAN }, 1);
        for (size_t m = 0; m < n; m++) number_cell(p->to, compare_mean(p->c, q, metric[m], "all"), scale_of(p, k, metric[m]).by);
        for (size_t b = 0; b < METRIC_BOUNDED; b++)
            if (compare_over_bound(p->c, &k->policy[0], metric_info_bounded[b].metric).n > 0) number_cell(p->to, compare_over_bound(p->c, q, metric_info_bounded[b].metric), 1);
        (void)fputs("</tr>\n", p->to);
    }
    (void)fputs("</tbody></table></div>\n", p->to);
}

static void differences(const struct page *p, const struct compare_case *k, size_t index, const char *const *metric, size_t n)
{
    const struct compare_policy *base = &k->policy[0];
    if (k->n_policies < 2) return;
    (void)fprintf(p->to, "<div class=\"scroll\"><table class=\"sortable\" id=\"k%zudiffs\"><caption>Difference to ", index);
    report_text(base->label, p->to);
    (void)fprintf(p->to, "%s</caption><thead><tr>", base->n_runs > 1 ? ", paired by seed, with 95 % intervals; pale: the interval holds no difference, too. Plain numbers where the base is 0." : ".");
    heading(p->to, "policy", "", false);
    for (size_t m = 0; m < n; m++) heading(p->to, metric[m], "", true);
    (void)fputs("</tr></thead><tbody>\n", p->to);
    for (size_t i = 1; i < k->n_policies; i++) {
        (void)fputs("<tr>", p->to);
        policy_heading(p->to, &k->policy[i], index, i);
        for (size_t m = 0; m < n; m++) difference_cell(p, k, &k->policy[i], metric[m]);
        (void)fputs("</tr>\n", p->to);
    }
    (void)fputs("</tbody></table></div>\n", p->to);
}

/* The comparison as sentences, as `fairway compare` has it: its Markdown, a line a statement, made a list. */
static enum st sentences(const struct page *p, const struct compare_case *k, const char *const *metric, size_t n, struct diag *d)
{
    FILE *text = tmpfile();
    bool in_list = false;
    int c;
    if (k->n_policies < 2) { if (text != NULL) (void)fclose(text); return ST_OK; }
    if (text == NULL) return diag_set(d, ST_EWORLD, "cannot make a temporary file: %s", strerror(errno));
    compare_print_sentences(&(struct compare_view){ .c = p->c, .k = k, .base = &k->policy[0], .metric = metric, .n_metrics = n, .scope = "all",
                                .format = TABLE_MARKDOWN, .to = text });
    rewind(text);
    while ((c = fgetc(text)) != EOF) {
        if (c == '\n') continue;
        bool item = c == '-';
        if (item != in_list) (void)fputs(item ? "<ul class=\"words\">\n" : "</ul>\n", p->to);
        in_list = item;
        if (item) (void)fgetc(text);            /* the blank after the dash */
        (void)fputs(item ? "<li>" : "<p class=\"quiet\">", p->to);
        for (c = item ? fgetc(text) : c; c != EOF && c != '\n'; c = fgetc(text)) {
            if (c == '\\' && (c = fgetc(text)) == EOF) break;     /* Markdown's escape */
            report_text((char[]){ (char)c, '\0' }, p->to);
        }
        (void)fputs(item ? "</li>\n" : "</p>\n", p->to);
    }
    if (in_list) (void)fputs("</ul>\n", p->to);
    (void)fclose(text);
    return ST_OK;
}

/* ---- one policy ---- */

struct names { char **at; size_t n, cap; };

static void names_fini(struct names *l)
{
    for (size_t i = 0; i < l->n; i++) mem_free(l->at[i]);
    mem_free(l->at);
}

static enum st load_names(const struct page *p, struct names *l, const char *sql, int64_t run, struct diag *d)
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
static void metric_table(const struct page *p, const struct compare_policy *q, const struct names *metric, const struct names *scope, bool by_user)
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
            number_cell(p->to, compare_mean(p->c, q, metric->at[by_user ? k : i], scope->at[by_user ? i : k]), 1);
        if (!by_user) element(p->to, "td", compare_unit(p->c, row->at[i], unit, sizeof unit));
        (void)fputs("</tr>\n", p->to);
    }
    (void)fputs("</tbody></table></div>\n", p->to);
}

static enum st metrics(const struct page *p, const struct compare_policy *q, bool by_user, struct diag *d)
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

static enum st notes(const struct page *p, const struct compare_policy *q, struct diag *d)
{
    sqlite3_stmt *s;
    bool any = false;
    TRY(query_run(p->c->store, q->run[0], "SELECT name, count(*), avg(value), min(value), max(value) FROM note WHERE run = ? GROUP BY name ORDER BY name", &s, d));
    while (sqlite3_step(s) == SQLITE_ROW) {
        if (!any) (void)fputs("<div class=\"scroll\"><table><caption>Numbers that the policy kept, first seed.</caption><thead><tr><th scope=\"col\">note</th>"
            "<th scope=\"col\" class=\"n\">times</th><th scope=\"col\" class=\"n\">mean</th><th scope=\"col\" class=\"n\">least</th><th scope=\"col\" class=\"n\">most</th></tr></thead><tbody>\n", p->to);
        any = true;
        (void)fputs("<tr>", p->to);
        element(p->to, "td", query_text(s, 0));
        (void)fprintf(p->to, "<td class=\"n\">%lld</td>", (long long)sqlite3_column_int64(s, 1));
        for (int i = 2; i < 5; i++) (void)fprintf(p->to, "<td class=\"n\">%.6g</td>", sqlite3_column_double(s, i));
        (void)fputs("</tr>\n", p->to);
    }
    if (any) (void)fputs("</tbody></table></div>\n", p->to);
    return query_end(p->c->store, s, d);
}

static enum st slowest(const struct page *p, const struct compare_policy *q, struct diag *d)
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
        for (int i = 0; i < 3; i++) element(p->to, "td", query_text(s, i));
        (void)fprintf(p->to, "<td class=\"n\">%d</td>", sqlite3_column_int(s, 3));
        for (int i = 4; i < 6; i++) (void)fprintf(p->to, "<td class=\"n\">%s</td>", text_duration(time, sizeof time, sqlite3_column_int64(s, i)));
        (void)fprintf(p->to, "<td class=\"n\">%d</td><td class=\"n\">%d</td></tr>\n", sqlite3_column_int(s, 6), sqlite3_column_int(s, 7));
    }
    (void)fprintf(p->to, "</tbody></table></div>\n<p class=\"quiet\"><code>fairway explain FILE.db %lld JOB</code> tells why one of them waited, of a run with <code>output: {decisions: true}</code>.</p>\n",
                  (long long)q->run[0]);
    return query_end(p->c->store, s, d);
}

static enum st policy(const struct page *p, const struct compare_case *k, size_t index, size_t i, struct diag *d)
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

/* ---- where it comes from ---- */

static enum st repairs(const struct page *p, const struct compare_case *k, struct diag *d)
{
    sqlite3_stmt *s;
    bool any = false;
    TRY(query_run(p->c->store, k->policy[0].run[0], "SELECT what, count, first_line FROM repair WHERE run = ? ORDER BY what", &s, d));
    while (sqlite3_step(s) == SQLITE_ROW) {
        if (!any) (void)fputs("<div class=\"scroll\"><table class=\"repairs\"><caption>Mended in the trace, counted.</caption><thead><tr><th scope=\"col\">what</th>"
                              "<th scope=\"col\" class=\"n\">how often</th><th scope=\"col\" class=\"n\">first in line</th></tr></thead><tbody>\n", p->to);
        any = true;
        (void)fputs("<tr>", p->to);
        element(p->to, "td", query_text(s, 0));
        (void)fprintf(p->to, "<td class=\"n\">%lld</td><td class=\"n\">%lld</td></tr>\n", (long long)sqlite3_column_int64(s, 1), (long long)sqlite3_column_int64(s, 2));
    }
    (void)fputs(any ? "</tbody></table></div>\n" : "<p>Nothing in the trace had to be mended.</p>\n", p->to);
    return query_end(p->c->store, s, d);
}

static enum st provenance(const struct page *p, const struct compare_case *k, size_t index, struct diag *d)
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
                element(p->to, "td", k->policy[i].label);
                (void)fprintf(p->to, "<td class=\"n\">%" PRIu64 "</td>", (uint64_t)k->policy[i].seed[j]);
                for (int c = 0; c < 4; c++) element(p->to, "td", query_text(s, c));
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

static enum st facts(const struct page *p, const struct compare_case *k, size_t index, struct diag *d)
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

static enum st one_case(const struct page *p, size_t index, struct diag *d)
{
    const struct compare_case *k = &p->c->at[index];
    bool has_data = !isnan(compare_mean(p->c, &k->policy[0], "bytes_network", "all").mean);
    const struct metric_list *shown = &metric_info_lists[has_data ? METRIC_LIST_DATA : METRIC_LIST_USUAL];
    TRY(facts(p, k, index, d));
    (void)fprintf(p->to, "<h3 id=\"k%zucompare\">Policies side by side</h3>\n", index);
    means(p, k, index, shown->at, shown->n);
    differences(p, k, index, shown->at, shown->n);
    TRY(sentences(p, k, shown->at, shown->n, d));
    if (compare_any_clairvoyant(k)) (void)fputs("<p class=\"quiet\">* clairvoyant: it was told true durations.</p>\n", p->to);
    (void)fprintf(p->to, "<h3 id=\"k%zucharts\">Charts</h3>\n", index);
    if (p->o->no_charts) (void)fputs("<p class=\"quiet\">Left out (--no-charts).</p>\n", p->to);
    else TRY(report_charts(p->c, k, index, p->to, d));
    (void)fprintf(p->to, "<h3 id=\"k%zutime\">Timeline</h3>\n", index);
    TRY(report_timeline(p->c, k, index, p->to, d));
    (void)fprintf(p->to, "<h3 id=\"k%zupolicies\">Policy by policy</h3>\n", index);
    for (size_t i = 0; i < k->n_policies; i++) TRY(policy(p, k, index, i, d));
    (void)fprintf(p->to, "<h3 id=\"k%zutrace\">The trace</h3>\n", index);
    TRY(repairs(p, k, d));
    (void)fprintf(p->to, "<h3 id=\"k%zufrom\">Where it comes from</h3>\n", index);
    TRY(provenance(p, k, index, d));
    (void)fputs("</section>\n", p->to);
    return ST_OK;
}

static void unfinished_runs(const struct page *p)
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

static void head(const struct page *p)
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
    struct page p = { .c = &c, .o = o, .to = to };
    enum st st = ST_OK;
    head(&p);
    for (size_t i = 0; i < c.n && st == ST_OK; i++) st = one_case(&p, i, d);
    unfinished_runs(&p);
    (void)fprintf(to, "</main>\n<footer>Written by fairway %s from one database; nothing here is loaded from elsewhere. Times are simulated.</footer>\n<script>\n%s</script>\n</body>\n</html>\n",
                  FAIRWAY_VERSION, embed_text("report.js"));
    compare_fini(&c);
    return st;
}

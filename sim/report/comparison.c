/* comparison.c -- policies side by side: means, differences to the first, and the same as sentences. */
#include "report/report_priv.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "compare/view.h"

static struct compare_scale scale_of(const struct report_page *p, const struct compare_case *k, const char *metric)
{
    return compare_scale_of(&(struct compare_view){ .c = p->c, .k = k, .scope = "all" }, metric);
}

static void signed_cell(FILE *to, double x, double half, bool open, int n_digits, const char *unit)
{
    (void)fprintf(to, "<td class=\"n%s\" data-v=\"%.12g\">%s%.*f%s", open ? " open" : "", x, x < 0 ? "&minus;" : "+", n_digits, fabs(x), unit);
    if (!isnan(half)) (void)fprintf(to, " <span class=\"ci\">&plusmn;%.*f</span>", n_digits, half);
    (void)fputs("</td>", to);
}

/* Per cent above or below the base; where that is 0, the plain difference. */
static void difference_cell(const struct report_page *p, const struct compare_case *k, const struct compare_policy *q, const char *metric)
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

static void means(const struct report_page *p, const struct compare_case *k, size_t index, const char *const *metric, size_t n)
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
        report_number_cell(p->to, (struct stats_ci){ .mean = compare_mean(p->c, q, "jobs_done", "all").mean, .half = NAN }, 1);
        for (size_t t = 0; t < TROUBLES; t++)
            if (compare_any(p->c, k, metric_info_troubles[t].metric)) report_number_cell(p->to, (struct stats_ci){ .mean = compare_mean(p->c, q, metric_info_troubles[t].metric, "all").mean, .half = NAN }, 1);
        for (size_t m = 0; m < n; m++) report_number_cell(p->to, compare_mean(p->c, q, metric[m], "all"), scale_of(p, k, metric[m]).by);
        for (size_t b = 0; b < METRIC_BOUNDED; b++)
            if (compare_over_bound(p->c, &k->policy[0], metric_info_bounded[b].metric).n > 0) report_number_cell(p->to, compare_over_bound(p->c, q, metric_info_bounded[b].metric), 1);
        (void)fputs("</tr>\n", p->to);
    }
    (void)fputs("</tbody></table></div>\n", p->to);
}

static void differences(const struct report_page *p, const struct compare_case *k, size_t index, const char *const *metric, size_t n)
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
static enum st sentences(const struct report_page *p, const struct compare_case *k, const char *const *metric, size_t n, struct diag *d)
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

enum st report_comparison(const struct report_page *p, const struct compare_case *k, size_t index, const struct metric_list *shown, struct diag *d)
{
    means(p, k, index, shown->at, shown->n);
    differences(p, k, index, shown->at, shown->n);
    TRY(sentences(p, k, shown->at, shown->n, d));
    if (compare_any_clairvoyant(k)) (void)fputs("<p class=\"quiet\">* clairvoyant: it was told true durations.</p>\n", p->to);
    return ST_OK;
}

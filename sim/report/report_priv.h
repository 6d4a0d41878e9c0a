/*
 * report_priv.h -- what the files of the page share.  Layer: report, private.
 *
 * report.c         the page: question, repairs, provenance
 * comparison.c     policies side by side
 * policy.c         one policy
 * charts.c         charts drawn by plot.h, as SVG inside the page
 * timeline_data.c  the data of the interactive timeline, bounded in size
 * html.c           text, elements, cells
 */
#ifndef REPORT_REPORT_PRIV_H
#define REPORT_REPORT_PRIV_H

#include "compare/metric_info.h"
#include "report/report.h"

struct report_page { const struct compare *c; const struct report_opts *o; FILE *to; };

/* Escaped for text and for attributes in double quotes. */
void    report_text(const char *s, FILE *to);
void    report_element(FILE *to, const char *tag, const char *text);
/* A cell of a sortable table: the mean times `by`, with its interval. */
void    report_number_cell(FILE *to, struct stats_ci ci, double by);

/* Case number `index` of the page. */
enum st report_comparison(const struct report_page *p, const struct compare_case *k, size_t index, const struct metric_list *shown, struct diag *d);
enum st report_policy(const struct report_page *p, const struct compare_case *k, size_t index, size_t i, struct diag *d);
/* Every figure that the case's runs allow; mentions which are left out and why. */
enum st report_charts(const struct compare *c, const struct compare_case *k, size_t index, FILE *to, struct diag *d);
/* The timeline's element and its data.  Runs of the first policy's first seed. */
enum st report_timeline(const struct compare *c, const struct compare_case *k, size_t index, FILE *to, struct diag *d);

#endif

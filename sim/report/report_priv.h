/*
 * report_priv.h -- what the files of the page share: each fills in its part of one JSON document.
 * Layer: report, private.
 *
 * report.c         the document: cases, comparison, policies, provenance; and the page around it
 * charts.c         charts drawn by plot.h, as SVG
 * timeline_data.c  the data of the interactive timeline, bounded in size
 */
#ifndef REPORT_REPORT_PRIV_H
#define REPORT_REPORT_PRIV_H

#include <jansson.h>

#include "report/report.h"

/* charts, not_drawn: every figure that the case's runs allow, and which are left out and why. */
enum st report_charts(const struct compare *c, const struct compare_case *k, json_t *to, struct diag *d);
/* timeline: of the runs of the first policy's first seed; none when no attempt is recorded. */
enum st report_timeline(const struct compare *c, const struct compare_case *k, json_t *to, struct diag *d);

#endif

/*
 * report.h -- a database as one HTML page that needs nothing else.  Layer: report.
 *
 * report.c       the page: question, tables, policies, repairs, provenance
 * charts.c the charts, drawn by plot.h, as SVG inside the page
 * timeline_data.c  the data of the interactive timeline, bounded in size
 *
 * Style and script are sim/report/page/.  The page loads nothing (its own
 * content policy forbids it) and shows no wall-clock time, so that the same
 * database gives the same bytes, given the same gnuplot.  Text of users is
 * escaped wherever it is written.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdio.h>
#include "compare/compare.h"

struct report_opts { bool no_charts; };

/* ST_EINPUT without finished runs, ST_EWORLD when the database, the disk or gnuplot fails. */
enum st report_write(struct store *s, const struct report_opts *o, FILE *to, struct diag *d);

/* ---- between the files of this module ---- */

/* Escaped for text and for attributes in double quotes. */
void    report_text(const char *s, FILE *to);
/* Every figure that the case's runs allow; says which are left out and why. */
enum st report_charts(const struct compare *c, const struct compare_case *k, size_t index, FILE *to, struct diag *d);
/* The timeline's element and its data.  Runs of the first policy's first seed. */
enum st report_timeline(const struct compare *c, const struct compare_case *k, size_t index, FILE *to, struct diag *d);

#endif

/*
 * report.h -- a database as one HTML page that needs nothing else.  Layer: report.
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

#endif

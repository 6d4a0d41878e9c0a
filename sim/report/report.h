/*
 * report.h -- a database as one HTML page that needs nothing else.  Layer: report.
 *
 * The page is one JSON document of what was found, and the files of page/,
 * whose script draws it.  It loads nothing (its own content policy forbids it)
 * and shows no wall-clock time, so that the same database gives the same bytes,
 * given the same gnuplot.  No text of users is ever markup: '<' does not occur
 * in the document, and the script sets text.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdio.h>
#include "compare/compare.h"

struct report_opts { bool no_charts; };

/* ST_EINPUT without finished runs, ST_EWORLD when the database, the disk or gnuplot fails. */
enum st report_write(struct store *s, const struct report_opts *o, FILE *to, struct diag *d);

#endif

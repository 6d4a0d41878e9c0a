/* check_forms.h -- what `fairway check` found, in the forms that continuous integration reads.  Layer: cmd. */
#ifndef CMD_CHECK_FORMS_H
#define CMD_CHECK_FORMS_H

#include "cmd/check/baseline.h"

struct check_judged { const struct guard *guard; struct verdict verdict; };

/* A list of objects, one for each guarded number, moved or not; numbers are numbers, null where there is none. */
void check_json(const struct check_judged *j, size_t n, FILE *to);
/* `::error file=...,line=...::words` for each number that moved, at its row in the baseline, `path`. */
void check_github(const struct check_judged *j, size_t n, const char *path, FILE *to);
/* A test case for each guarded number; a moved one is a failure. */
enum st check_junit(const struct check_judged *j, size_t n, const char *path, struct diag *d);

#endif

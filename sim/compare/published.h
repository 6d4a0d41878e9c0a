/*
 * published.h -- figures that papers publish, beside ours.  Layer: compare.
 * The figures are rows of published.sql; a scenario is known by its name.
 */
#ifndef COMPARE_PUBLISHED_H
#define COMPARE_PUBLISHED_H

#include "compare/compare.h"

/* `against`: "" the metric itself, else a ratio to that policy, or SCENARIO/POLICY.
 * is: = < > ~ (see published.sql); '?': no figure, only ours is asked for.  scope: NULL for all. */
struct published_row { char *policy, *against, *metric, *scope, *source; char is; double value, within; };
struct published { struct published_row *at; size_t n, cap; };

/* n = 0 when nothing is published of the scenario. */
enum st published_load(struct published *p, const char *scenario, struct diag *d);
void    published_fini(struct published *p);

/* The row's policy of the case, and the one it is compared with (NULL: none); false where one is not there. */
bool    published_policies(const struct compare *c, const struct compare_case *k, const struct published_row *r,
                           const struct compare_policy **p, const struct compare_policy **base);
/* Ours for a row of the case: a mean, or the mean of ratios paired by seed; NaN when a run it needs is not there. */
struct stats_ci published_ours(const struct compare *c, const struct compare_case *k, const struct published_row *r);
/* Does ours bear out a statement ('<', '>', '~')? */
bool    published_holds(const struct published_row *r, double ours);

/* Does the row speak of this policy of the case?  By its label, else by its name where one label alone has it. */
bool    published_is_of(const struct published_row *r, const struct compare_case *k, const struct compare_policy *p);

/* The figures of every case in one table, with its scenario, and nothing else. */
enum st published_print_all(const struct compare *c, enum table_format f, FILE *to, struct diag *d);

/* One table, with a sentence before it; nothing when nothing is published. */
void    published_print(const struct compare *c, const struct compare_case *k, const struct published *p,
                        enum table_format f, FILE *to);

#endif

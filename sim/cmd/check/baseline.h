/*
 * baseline.h -- numbers that must not move unnoticed, as a CSV file that people
 * read and keep in version control.  Layer: cmd.
 *
 *   scenario,policy,metric,scope,value,tolerance,scenario_hash,trace_hash,spec
 *   demo,DRF,jain,all,0.4604,2%,6d0a...,generated,"drf:place=best"
 *
 * The last three may be left out: what the numbers are of, so that it is told when that changed.
 *
 * The value is a mean over the seeds of a database.  Tolerance:
 *   2%    relative to the value
 *   0.05  absolute, in the metric's unit
 *   ci    statistical: the value lies in the present mean's 95 % interval over
 *         seeds (of compare.h); with one seed the mean must be equal
 */
#ifndef CMD_BASELINE_H
#define CMD_BASELINE_H

#include "compare/compare.h"

enum tolerance_type { TOL_RELATIVE, TOL_ABSOLUTE, TOL_CI };

struct guard {
    char   *scenario, *policy, *metric, *scope, *tolerance;
    enum tolerance_type type;
    double  value, by;          /* by: fraction or amount; unused for ci */
    char *scenario_hash, *trace_hash, *spec; /* "": not told */
    uint32_t line;
};

struct baseline { char *path; struct guard *guard; size_t n, cap; };

enum st baseline_read(struct baseline *b, const char *path, struct diag *d);
/* Atomically: the old file stays until the new one is whole. */
enum st baseline_write(const struct baseline *b, struct diag *d);
/* The same, but a file that is there and holds something else stays: an error. */
enum st baseline_create(const struct baseline *b, struct diag *d);
/* One row for each policy and metric of every case, tolerance as given. */
enum st baseline_make(struct baseline *b, const char *path, const struct compare *c,
                      const char *const *metric, size_t n_metrics, const char *tolerance, struct diag *d);
void    baseline_fini(struct baseline *b);

/* What became of a guarded number, and of what it is a number of; NULL: nothing. */
struct verdict {
    struct stats_ci now;        /* n 0: no such policy or metric any more */
    const struct compare_policy *policy;
    bool   moved;
    int64_t furthest;           /* the run whose own value lies furthest from the baseline; -1: none */
    double furthest_value;
    const char *renamed; /* its policy's label is gone, and one of this name has its spec */
    bool scenario_changed, trace_changed;
};
enum { BASELINE_NOTE = 400 };
/* In words what changed behind it, "" if nothing did. */
const char *baseline_note(const struct verdict *v, char buf[BASELINE_NOTE]);
struct verdict baseline_judge(const struct guard *g, const struct compare *c);

#endif

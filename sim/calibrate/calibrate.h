/*
 * calibrate.h -- what happened beside what a policy would have done, from a database that has both.  Layer: calibrate.
 *
 * jobs.c      the jobs of the runs, each with its recorded stay and its wait under every policy
 * waits.c     waits by quantile, class, user and hour of day; utilisation over time
 * cause.c     which waits the cluster's capacity explains, and what could explain the rest
 * propose.c   a scenario with a search for what the cluster's description lacks
 *
 * Every figure is a fact: a number with the name that results/README.md defines it by.
 */
#ifndef CALIBRATE_CALIBRATE_H
#define CALIBRATE_CALIBRATE_H

#include "base/intern.h"
#include "base/table.h"
#include "db/store.h"

struct calibrate_opts {
    const char *scenario;       /* title of a case; NULL: the only one with a recorded run */
    const char *policy;         /* label; NULL: every other policy of the case */
    const char *search;         /* where the proposal goes; NULL: nowhere */
    enum table_format format;   /* CSV and JSON: a row a fact; else tables for people */
};

enum st calibrate(struct store *s, const struct calibrate_opts *o, FILE *to, struct diag *d);

/* ---- shared by the files here ---- */

/* A job with a recorded start that ended in the run of `recorded`.  It holds what it asks from then on for as long as
 * it did in that run. */
struct calibrate_job {
    sim_tick submit, start, end;        /* as recorded */
    int64_t cpu_milli, gpu_milli;       /* over all its tasks */
    uint32_t class, user, queue;        /* names of the calibration */
    bool counted;
};

struct calibrate_policy { const char *label, *spec; int64_t run; };     /* borrowed */

/* policy[0] is `recorded`.  In the tables a row a `of`, a column a `policy`; unit "" is a plain number. */
struct calibrate_fact { const char *section; char *of; const char *policy, *unit; double value; };

struct calibration {
    struct store *store;
    const char *title, *scenario_text;                  /* borrowed */
    struct calibrate_policy *policy; size_t n_policies, cap_policies;
    struct calibrate_job *job; size_t n, cap;           /* by arrival */
    double *wait;                       /* [n_policies][n] s; NaN: not in every one of the runs, or not counted */
    struct intern class, user, queue;
    int64_t cpu_milli, gpu_milli;                       /* of the cluster as it is described */
    struct calibrate_fact *fact; size_t n_facts, cap_facts;
};

enum st calibrate_load_jobs(struct calibration *c, struct diag *d);
enum st calibrate_waits(struct calibration *c, struct diag *d);
enum st calibrate_cause(struct calibration *c, struct diag *d);
enum st calibrate_propose(const struct calibration *c, const char *path, struct diag *d);

/* A number of a section; NaN is left out.  section, policy and unit are borrowed. */
void calibrate_add(struct calibration *c, const char *section, const char *policy, double value, const char *unit,
                   const char *of, ...) __attribute__((format(printf, 6, 7)));
/* NaN where there is none. */
double calibrate_value(const struct calibration *c, const char *section, const char *of, const char *policy);

/* The job metrics of waits that `error` and a proposed search go by. */
extern const char *const calibrate_metric[4];

#endif

/*
 * case.h -- the cases of a storm: a case of the conformance battery, drawn further.
 *
 * A plan is all that a case is made from, so that it can be made anew for each run,
 * written down in a line and made smaller.
 */
#ifndef STORM_CASE_H
#define STORM_CASE_H

#include "host/conform/cases.h"

enum { STORM_AFTER, STORM_AFTER_ANY, STORM_AFTER_OK, STORM_AFTER_NOT_OK };    /* storm_after.kind */
enum { STORM_FAULTS = 24, STORM_SPEC = 300 };

/* A node is down from `down` to `up`. */
struct storm_outage {
    sim_tick down, up;
    uint32_t node;
};

struct storm_plan {
    uint64_t seed;
    char spec[STORM_SPEC];
    bool runs_calls; /* the policy does, and is given tasks of calls */
    struct storm_outage outage[STORM_FAULTS];
    uint32_t n_outages;
    bool dropped[CONFORM_JOBS];
};

struct storm_case {
    const struct storm_plan *plan; /* borrowed */
    struct conform_case *base;     /* owned */
    struct source jobs;            /* of base */
    struct fault_event fault[2 * STORM_FAULTS];
    struct profiles profiles;
    uint32_t model[CONFORM_JOBS]; /* NONE, or number of the job's model */
    /* Of a job that waits for others: which of them, by their place in the case, and how; n 0: it does not. */
    struct storm_after { uint32_t n, before[2], kind[2]; } after[CONFORM_JOBS];
    char after_text[80];
    sim_tick unit;                /* what the battery calls a microsecond */
    bool must_end;                /* any policy can bring every job to its end */
};

struct storm_case *storm_case_make(const struct storm_plan *p);
void storm_case_free(struct storm_case *c);
/* Its jobs but those dropped, from the first. */
struct source storm_case_source(struct storm_case *c);
/* The place in the case of the job of that name; NONE: there is none. */
uint32_t storm_case_find(const struct storm_case *c, const char *id);
uint32_t storm_case_n_jobs(const struct storm_case *c);

#endif

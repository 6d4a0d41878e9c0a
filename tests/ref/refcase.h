/*
 * refcase.h -- random small cases, run by the real simulator and by the
 * reference, and compared event for event.
 */
#ifndef REFCASE_H
#define REFCASE_H

#include <stdio.h>
#include "model/world.h"
#include "ref/refsim.h"

/* Few nodes, many ties, every feature now and then; the policy is left to the caller. */
void refcase_make(struct ref_case *c, uint64_t seed);
/* The same for multiqueue: what models need, hints, traffic, where multi begins, and the policy's parameters. */
void refcase_make_mq(struct ref_case *c, uint64_t seed);

/* Elastic jobs, profiles and phases, decided on by dice. */
void refcase_make_dice(struct ref_case *c, uint64_t seed);

/* Is a model that has a profile of the category? */
bool refcase_has_category(const struct ref_case *c, int category);

/* The policy as `-p` takes it; without its history_file, which stands only while the policy is created. */
enum { REFCASE_SPEC = 1024 };
void refcase_spec(const struct ref_policy *p, char *buf, size_t cap);

/* How the real simulator is run, and what came of it. */
struct refcase_run {
    const char *spec;               /* NULL: the case's policy */
    sim_tick sample_every;          /* 0: no samples */
    bool     record;                /* hooks that take every decision and note */
    /* out */
    enum st  result;
    struct diag diag;
    struct world_count count;
    uint64_t digest, n_samples, n_decisions;
    uint32_t flags;                 /* of the policy */
};

/* Run the real simulator, audited; events go to log. */
void refcase_run_real(const struct ref_case *c, struct refcase_run *run, struct ref_log *log);

/* Index of the first event that differs, or -1 when the logs agree. */
long refcase_difference(const struct ref_log *a, const struct ref_log *b);

/*
 * Compare; when they differ, drop jobs, faults and nodes while they still do, and
 * describe the small case and both logs around the difference to `to`.
 */
bool refcase_agrees(const struct ref_case *c, FILE *to);

#endif

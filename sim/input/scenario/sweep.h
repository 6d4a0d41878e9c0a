/*
 * sweep.h -- many scenarios from one: every combination of a `sweep` section.
 * Layer: input.
 *
 * The paths under sweep.set make cases: each is the document with one value of
 * every path put in its place, and is read, and checked, like a scenario of its
 * own.  sweep.cases lists such cases one by one; sweep.changes names some, of which there is a case without any, one
 * with each and one with all.  sweep.policies, sweep.params and sweep.seeds are the same in all of
 * them.  scenarios/REFERENCE.md is the reference of the section.
 *
 * Order: the first path changes slowest; a case's policies stand as they are
 * listed, a parameter's values in the place of their policy, the first
 * parameter slowest.
 */
#ifndef INPUT_SCENARIO_SWEEP_H
#define INPUT_SCENARIO_SWEEP_H

#include "input/scenario/scenario.h"
#include "input/text/ydoc.h"

enum { SWEEP_CASES_MAX = 100000 };

struct sweep {
    struct ydoc doc;            /* after --set */
    const struct ydoc_node *section;        /* `sweep`, in doc; NULL when there is none: one case */
    const struct ydoc_node *set;            /* its `set`: each entry a list; NULL: none */
    const struct ydoc_node *cases; /* its `cases`, in place of `set`: each entry sets one value a path; NULL: none */
    const struct ydoc_node *changes;        /* its `changes`, in place of both: each entry a value a path; NULL: none */
    bool   has_all;             /* of changes: the last case has them all, as no two set the same */
    char  *path, *given;        /* given: the --set texts, "a=1, b=2" */
    size_t n_cases;             /* >= 1 */
};

/* Read the document and check the section's form; *w is empty after an error. */
enum st sweep_load(struct sweep *w, const char *path, const char *const *set, size_t n_set, struct diag *d);
void    sweep_fini(struct sweep *w);

/* Case k as a scenario, with the sweep's policies and seeds.  Mistakes in swept values are told where they stand. */
enum st sweep_case(const struct sweep *w, size_t k, struct scenario *out, struct diag *d);

/* Of a sweep of changes, which one case k is: its name, or these. */
#define SWEEP_BASE "base"
#define SWEEP_ALL "all together"
const char *sweep_change(const struct sweep *w, size_t k);

#endif

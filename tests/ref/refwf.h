/*
 * refwf.h -- the policy `workflow` a second time: a slow simulator of its own, with arrays and loops
 * only, that keeps nothing it can find anew.
 *
 * Written from policies/README.md, "Workflows".  It knows cores, whole cards and one kind of licence,
 * nodes that do not fail, and no gangs; placements first and best; reserve=max.  It shares with the
 * policy the form of a case (wfcase.h) alone, and is compared with it event for event
 * (tests/prop/test_workflow.c).
 */
#ifndef REFWF_H
#define REFWF_H

#include "ref/wfcase.h"

enum refwf_lend { REFWF_NONE, REFWF_START, REFWF_ALWAYS, REFWF_FITS };
enum refwf_admit { REFWF_WAIT, REFWF_RECLAIM, REFWF_PREEMPT };

/* who, owner: the name of a user, or of a workflow that lends; "*": all.  ratio 0: none. */
struct refwf_group { const char *who; int prio, ratio; };
struct refwf_list { const char *owner; struct refwf_group group[4]; int n; };

struct refwf_policy {
    bool best;                  /* place=best, else first */
    bool strict, by_task, lends_freed;
    enum refwf_lend lend;       /* fits: by true durations */
    enum refwf_admit admit;
    struct refwf_list list[2];
    int n_lists;
};

/* The case's events, in the form of wfcase_run's; c itself is not changed but for `log`. */
void refwf_run(struct wfcase *c, const struct refwf_policy *p, struct wf_log *log);

#endif

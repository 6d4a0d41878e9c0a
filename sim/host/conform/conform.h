/*
 * conform.h -- does a policy keep its contract?  Layer: host.
 *
 * Each case of the battery (cases.h) is run audited, and again in ways
 * that must not matter to a policy: a second time; beside another instance of
 * itself; with the memory it could read moved after every call, every node
 * listed as changed, samples and records taken; and with other estimates, if
 * the policy says that it does not read them.  What it decides must be the same
 * to the last start.
 */
#ifndef HOST_CONFORM_CONFORM_H
#define HOST_CONFORM_CONFORM_H

#include "host/sandbox.h"
#include "host/conform/cases.h"
#include "policy.h"

enum { CONFORM_PROBLEMS = 4 };

struct conform_problem {
    sim_tick at;                /* -1: not at any one instant */
    char what[160];             /* for the policy's author */
    char detail[1024];          /* the host's error, or where two runs differ first; may be "" */
    char hint[256];             /* where to look */
};
/*
 * is_declined: the policy is not for what the case asks, which is no problem.  is_refused: it cannot be created with
 * this spec; a problem, too, unless the spec is one of several combinations of choices (specs.h).
 */
struct conform_result {
    uint32_t n_problems, n_runs;
    bool is_stuck, is_declined, is_refused;
    struct conform_problem problem[CONFORM_PROBLEMS];
};

/*
 * One case under one spec, in this process, or where `page` (NULL: nowhere) is
 * watched.  Returns with *out filled: no problem is the good news.
 */
void conform_case_run(uint32_t i, const char *spec, struct sandbox_page *page, struct conform_result *out);

/* The same in a sandbox: a crash, or a call that does not return (is_stuck), is a problem like others. */
void conform_case_sandboxed(uint32_t i, const char *spec, const struct sandbox_limits *l, struct conform_result *out);

#endif

/*
 * sandbox.h -- code that may crash, loop or eat memory, in a process of its own.
 * Layer: host.
 *
 * A policy from a shared object runs with its whole run in a forked child:
 * simulation, metrics and the database connection, which the child opens for
 * itself.  Whatever becomes of it, nothing that it touched is used again: the
 * parent learns from a shared page where the policy was, reports it, and SQLite
 * rolls the unfinished batch back when the parent opens the file.
 *
 * Against jumping out of a signal handler: a policy that is stopped within
 * malloc or has written over the heap leaves a process in which nothing can be
 * trusted, least of all what goes into a database.  Against a child for the
 * policy alone: it reads jobs and tasks by calls, some hundred a decision, and
 * each would cross to another process; that is what `exec:` is for.  Policies
 * that are built in run in the program itself: their crash is our bug.
 *
 * The parent watches, so the child needs no timer and no signal of its own:
 * every SANDBOX_TICK_MS it looks at the page and at the child's memory.  Time in
 * which the parent was itself stopped (Ctrl-Z) does not count.  No simulated
 * result depends on any of it: a run that ends has the digest that it has
 * without a sandbox.  Cost: a fork a run, and two stores a call of the policy.
 */
#ifndef HOST_SANDBOX_H
#define HOST_SANDBOX_H

#include <signal.h>
#include <stdatomic.h>
#include "base/diag.h"

enum { SANDBOX_TICK_MS = 20 };

struct sandbox_limits {
    int64_t call_us;            /* longest that one call of the policy may take, wall clock */
    int64_t mem_b;              /* by how much the process may grow, resident */
    bool    no_exec;            /* policies that are not of this program are refused */
};
#define SANDBOX_LIMITS { 10 * TICK_SEC, INT64_C(4) << 30, false }

enum sandbox_phase { SANDBOX_OUTSIDE, SANDBOX_LOADING, SANDBOX_CREATING, SANDBOX_DECIDING, SANDBOX_DESTROYING };

/* Where the policy is: written by the host around every call, read by the parent. */
struct sandbox_page {
    char  name[256];                    /* of the policy, or its path until that is known */
    _Atomic int      phase;             /* enum sandbox_phase */
    _Atomic uint64_t entry;             /* calls entered so far, of any kind */
    _Atomic int64_t  now_us;            /* simulated time of the last decide */
    _Atomic uint64_t n_decides, n_decisions;        /* decide calls so far; decisions of the last */
    _Atomic int      stop;              /* the parent asks the child to come to an end */
    /* private to sandbox.c */
    _Atomic int      is_done, overflowed;
    enum st st;
    struct diag diag;
};

/* p NULL: nothing to tell. */
static inline void sandbox_enter(struct sandbox_page *p, enum sandbox_phase phase)
{
    if (p == NULL) return;
    p->entry++;
    p->phase = (int)phase;
}
static inline void sandbox_leave(struct sandbox_page *p)
{
    if (p != NULL) p->phase = SANDBOX_OUTSIDE;
}

/* Memory that parent and child share: zeroed, for what the child hands back. */
void *sandbox_share(size_t size);
void  sandbox_unshare(void *p, size_t size);

/*
 * Run fn(ctx, page, d) in a child.  Returns what it returned with d as it filled it;
 * ST_EPOLICY with d telling what became of the policy when the child did not
 * come back; ST_EINTR when it was interrupted; ST_EWORLD without a process.
 *   name  of the policy, for messages until the host knows better
 *   stop  while it is not 0 the child is asked to stop; may be NULL
 * Nothing that fn does to memory is seen outside, but for what sandbox_share gave.
 */
enum st sandbox_run(const struct sandbox_limits *l, const char *name, const volatile sig_atomic_t *stop,
                 enum st (*fn)(void *ctx, struct sandbox_page *page, struct diag *d), void *ctx, struct diag *d);

#endif

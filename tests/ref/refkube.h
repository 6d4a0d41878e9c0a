/*
 * refkube.h -- the kube- policies a second time: a slow simulator of its own (refkube.c) and their rule
 * (refkube_rule.c), with arrays and loops only, that keep nothing they can find anew.
 *
 * Written from policies/README.md, "Kubernetes" and "Fits", and sim/model/world.h.  It shares with the policies
 * the form of a case (kubecase.h) alone, and is compared with them event for event
 * (tests/prop/test_kube_reference.c).
 */
#ifndef REFKUBE_H
#define REFKUBE_H

#include "ref/kubecase.h"

/* The case's events, in the form of kubecase_run's. */
void refkube_run(const struct kubecase *c, struct wf_log *log);

/* ---- between refkube.c and refkube_rule.c ---- */

/* What a task holds; node -1: nothing.  is_short: cards without the memory or cores it asks, of which it has none. */
struct rk_hold { int node; unsigned cards; bool is_short; };

struct rk_ledger {
    bool    up[KC_NODES];
    struct rk_hold hold[KC_JOBS][KC_TASKS];
};

enum rk_state { RK_ABSENT, RK_WAITS, RK_RUNS, RK_DONE };

struct rk_world {
    const struct kubecase *c;
    struct rk_ledger l;
    enum rk_state state[KC_JOBS][KC_TASKS];
    sim_tick began[KC_JOBS][KC_TASKS];      /* of this attempt */
    sim_tick kept[KC_JOBS][KC_TASKS];       /* progress, of the unit at its first task */
    int      next;                          /* where the search for nodes goes on */
};

/* A gang, by task 0, or one task. */
struct rk_unit { int job, task; };
static inline int rk_size(const struct kubecase *c, struct rk_unit u)
{
    return c->job[u.job].gang ? c->job[u.job].n : 1;
}

struct rk_free { int64_t cpu, mem, card_mem[KC_CARDS]; int milli[KC_CARDS], cores[KC_CARDS], tasks, no_cpu, no_mem; };
struct rk_free rk_free_of(const struct kubecase *c, const struct rk_ledger *l, int node);
bool rk_fits(const struct kubecase *c, const struct rk_ledger *l, int node, const struct shape *s);
/* The cards by README.md, "Cards"; it fits. */
unsigned rk_pick_cards(const struct kubecase *c, const struct rk_ledger *l, int node, const struct shape *s);
void rk_take(const struct kubecase *c, struct rk_ledger *l, int job, int task, int node, unsigned cards);

struct rk_decision { bool stops; struct rk_unit u; struct rk_hold at[KC_TASKS]; };
enum { RK_DECISIONS = 4 * KC_JOBS * KC_TASKS };
int  rk_decide(struct rk_world *w, struct rk_decision out[RK_DECISIONS]);

#endif

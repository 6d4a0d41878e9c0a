/*
 * refplan.h -- the reference's ledger, its placements and its orders of units;
 * for refsim.c alone.  See refsim.h.
 */
#ifndef REFPLAN_H
#define REFPLAN_H

#include "ref/refsim.h"

struct ref_hold { int node; uint64_t cards; struct shape got; };    /* node -1: nothing */

/* Who holds what, and what is free; copied freely to plan on. */
struct ref_ledger {
    bool    up[REF_NODES];
    int     tasks[REF_NODES];
    int     no_cpu[REF_NODES], no_mem[REF_NODES];       /* running tasks that ask none */
    int64_t cpu[REF_NODES], mem[REF_NODES];
    int32_t engine[REF_NODES][ENGINE_TYPES_MAX];
    int32_t milli[REF_NODES][REF_CARDS];
    int64_t gpu_mem[REF_NODES][REF_CARDS];
    struct ref_hold hold[REF_JOBS][REF_TASKS];
};

enum ref_state { REF_ABSENT, REF_WAITING, REF_RUNNING, REF_DONE };

struct ref_live {
    enum ref_state state;
    sim_tick started, attained;     /* of this attempt; of earlier attempts */
    /* Of the unit: in its first task when it is a gang. */
    sim_work kept;                  /* progress a restart begins with */
    bool     restoring;
    sim_tick phase_began;
    sim_work left;                  /* when the phase began */
    sim_rate rate;
};

struct ref_world {
    const struct ref_case *c;
    struct ref_job    job[REF_JOBS];        /* shapes as they count after arrival */
    struct ref_live   live[REF_JOBS][REF_TASKS];
    struct ref_ledger ledger;
    sim_tick now;
    int  n_arrived, n_ended;
    bool ended[REF_JOBS], timed_out[REF_JOBS];
    sim_tick wake[REF_JOBS * REF_TASKS * 8];    /* when the policy asked to be called; -1: over */
    int  n_wakes;
    bool someone_ready;                     /* a unit waits again: another round */
    int  fault_of[REF_NODES];               /* the node's next change, -1: none */
    int  user_rank[REF_USERS], n_users;     /* in order of first arrival; -1 not seen */
    /* fgd: every shape in order of first sight, with the tasks that arrived of it. */
    struct shape seen[REF_JOBS * REF_TASKS];
    int64_t seen_tasks[REF_JOBS * REF_TASKS];
    int     n_seen;
    int64_t arrived_tasks, refreshed_at;    /* refreshed_at 0: never */
    int     typical[32], n_typical;
    int64_t typical_weight[32];
    struct ref_log *log;
};

/* A unit: a gang job (task 0 stands for it) or one task. */
struct ref_unit { int job, task; int64_t key; };

struct ref_decision { bool is_start; struct ref_unit u; int node[REF_TASKS]; uint64_t cards[REF_TASKS]; };
struct ref_plan { struct ref_decision *d; int n; };     /* [REF_JOBS * REF_TASKS * 2] */

void ref_decide(struct ref_world *w, struct ref_plan *out);
/* las: when the next running unit reaches a threshold; TICK_NEVER: none will. */
sim_tick ref_next_crossing(const struct ref_world *w);

bool ref_fits(const struct ref_case *c, const struct ref_ledger *l, int node, const struct shape *s);
uint64_t ref_pick_cards(const struct ref_case *c, const struct ref_ledger *l, int node, const struct shape *s);
void ref_take(const struct ref_case *c, struct ref_ledger *l, int job, int task, int node, const struct shape *s, uint64_t cards);
void ref_give(const struct ref_case *c, struct ref_ledger *l, int job, int task);

int      ref_unit_size(const struct ref_world *w, struct ref_unit u);
sim_tick ref_attained(const struct ref_world *w, int job, int task);
sim_work ref_progress(const struct ref_world *w, int job, int task);

#endif

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
    int      model_phase;           /* of its model, in which it is */
    int      attempts;
    sim_tick phase_began;
    sim_work did;                   /* of this attempt, when the rate last changed: at phase_began */
    sim_work left;                  /* then */
    sim_rate rate;
    bool     computes;
    int64_t  util, seen_util;       /* utilisation in 1/65536: now, at the monitor's last look; -1: none */
    int64_t  way;                   /* what its slowest flow to another node gets, bytes/s; 0: nothing limits it */
    int64_t  disk, disk_got;        /* of a unit's first task on a node: what all there ask of the disk, and get */
    int64_t  bw, got, seen_bw;      /* of each task, bytes/s: asked, moved, moved at the last look */
    bool     has_profile;
};

struct ref_mq;                      /* refmq.c's own */
struct ref_kq;                      /* refkueue.c's own */

struct ref_world {
    const struct ref_case *c;
    struct ref_mq    *mq;
    struct ref_kq    *kq;
    struct ref_job    job[REF_JOBS];        /* shapes as they count after arrival */
    struct ref_live   live[REF_JOBS][REF_TASKS];
    struct ref_ledger ledger;
    sim_tick now, looked_at;                /* looked_at: by the monitor */
    int  n_arrived, n_ended;
    bool ended[REF_JOBS], timed_out[REF_JOBS];
    /* Of jobs by their place in the case: submitted, and then waiting for others, or arrived as that job. */
    int  n_submitted, arrived_as[REF_JOBS];
    bool is_held[REF_JOBS];
    sim_tick begun_at[REF_JOBS], ended_at[REF_JOBS];    /* by order of arrival; -1: not yet */
    bool is_ok[REF_JOBS];
    sim_tick wake[REF_JOBS * REF_TASKS * 8];    /* when the policy asked to be called; -1: over */
    int  n_wakes;
    bool someone_ready;                     /* a unit waits again: another round */
    sim_tick counted_at;                    /* srtf by count: the last decision, and when the next may be */
    bool counts_again;
    bool strands;                           /* kueue: what waits never starts any more */
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

/* cpu: thousandths of cores instead of those asked; 0: as asked.  A resize is of one task, u.task. */
struct ref_decision {
    enum { REF_DO_PREEMPT, REF_DO_START, REF_DO_RESIZE } what;
    struct ref_unit u;
    int node[REF_TASKS];
    uint64_t cards[REF_TASKS];
    int64_t cpu[REF_TASKS];
};
struct ref_plan { struct ref_decision *d; int n; };     /* [REF_DECISIONS] */
enum { REF_DECISIONS = REF_JOBS * REF_TASKS * 4 };

void ref_decide(struct ref_world *w, struct ref_plan *out);
/* When the policy asks to be called: las, when the next running unit reaches a threshold; TICK_NEVER: not. */
sim_tick ref_next_wake(const struct ref_world *w);

int  ref_unit_cards(const struct ref_world *w, struct ref_unit u);
bool ref_fits(const struct ref_case *c, const struct ref_ledger *l, int node, const struct shape *s);
uint64_t ref_pick_cards(const struct ref_case *c, const struct ref_ledger *l, int node, const struct shape *s);
void ref_take(const struct ref_case *c, struct ref_ledger *l, int job, int task, int node, const struct shape *s, uint64_t cards);
void ref_give(const struct ref_case *c, struct ref_ledger *l, int job, int task);

/* multiqueue, in refmq.c. */
void     ref_mq_begin(struct ref_world *w);
void     ref_mq_end(struct ref_world *w);
void     ref_mq_decide(struct ref_world *w, struct ref_plan *out);
sim_tick ref_mq_wake(const struct ref_world *w);
/* The unit left its nodes, whyever. */
void     ref_mq_left(struct ref_world *w, struct ref_unit u);

/* kueue, in refkueue.c. */
void     ref_kq_begin(struct ref_world *w);
void     ref_kq_decide(struct ref_world *w, struct ref_plan *out);
sim_tick ref_kq_wake(const struct ref_world *w);

/* The ledger and placements, in refplace.c.  One task by the placement rule, taken in the ledger; false: it fits
 * nowhere. */
bool     ref_place_task(struct ref_world *w, struct ref_ledger *l, int job, int task, int *node, uint64_t *cards);
/* The unit by the rule; if it does not fit, the ledger is as before.  Would it fit? */
bool     ref_place_unit(struct ref_world *w, struct ref_ledger *l, struct ref_unit u, struct ref_decision *d);
bool     ref_could_place(struct ref_world *w, const struct ref_ledger *l, struct ref_unit u);
void     ref_release_unit(struct ref_world *w, struct ref_ledger *l, struct ref_unit u);
/* Back to where it was in `from`. */
void     ref_put_back(struct ref_world *w, struct ref_ledger *l, const struct ref_ledger *from, struct ref_unit u);
bool     ref_card_fits(const struct ref_case *c, const struct ref_ledger *l, int node, int card, const struct shape *s);
void     ref_move_hold(const struct ref_case *c, struct ref_ledger *l, const struct ref_hold *h, int sign);
/* fgd: the typical shapes, where it is time. */
void     ref_refresh_typical(struct ref_world *w);

/* How fast units compute, in refspeed.c: see sim/model/speed/speed.h. */
void     ref_speed_look(struct ref_world *w, sim_tick now);          /* before anything happens at `now` */
void     ref_speed_begin(struct ref_world *w, struct ref_unit u);
void     ref_speed_turn(struct ref_world *w, struct ref_unit u);      /* it computes, in another phase of its model */
void     ref_speed_settle(struct ref_world *w);                      /* after a round */
int64_t  ref_read_util(const struct ref_world *w, int job, int task);      /* millionths; -1: nothing */
int64_t  ref_read_bw(const struct ref_world *w, int job, int task);

/* As which model the task's unit goes; how much of its work is done when that next changes; in which phase after so much. */
int      ref_model(const struct ref_world *w, int job, int task);
sim_work ref_phase_end(const struct ref_world *w, struct ref_unit u);
int      ref_phase_at(const struct ref_world *w, struct ref_unit u, sim_work done);

/* A decider that starts, stops and scales by dice, in refdice.c. */
void     ref_dice_decide(struct ref_world *w);
/* refsim.c's, for it.  False: it does not fit there, or not on so many. */
bool     ref_try_start(struct ref_world *w, struct ref_unit u, const int *node, int n);
bool     ref_try_scale(struct ref_world *w, struct ref_unit u, const int *node, int n);
void     ref_preempt(struct ref_world *w, struct ref_unit u);

int      ref_unit_size(const struct ref_world *w, struct ref_unit u);
sim_tick ref_attained(const struct ref_world *w, int job, int task);
sim_work ref_progress(const struct ref_world *w, int job, int task);

#endif

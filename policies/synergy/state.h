/*
 * state.h -- what synergy keeps: units, what they hold and are to hold, and the books of a round.
 *
 * synergy.c  units, their order, and how a round is carried out
 * grant.c    who gets which GPUs, cores and memory in it
 * wish.c     alloc=opt: cores and memory of those who have GPUs, by an integer program over all nodes together
 */
#ifndef POL_SYNERGY_STATE_H
#define POL_SYNERGY_STATE_H

#include "lib/lp/program.h"
#include "lib/sched/rounds.h"
#include "lib/util.h"

enum synergy_alloc { ALLOC_PROPORTIONAL, ALLOC_GREEDY, ALLOC_TUNE, ALLOC_OPT };
enum synergy_order { ORDER_FIFO, ORDER_SRTF, ORDER_LAS, ORDER_FTF, ORDER_FTF_LEAST, ORDER_DRF, ORDER_TETRIS };

/* Cores and memory. */
struct grant { int64_t cpu_milli, mem_b; };

/* Where a task of a unit is, and with what. */
struct part { uint32_t node; struct grant has; };

/* What is placed at once: a gang, or a task of another job. */
struct synergy_unit {
    pol_job  job;
    pol_task task;                      /* its first */
    uint64_t ordinal;
    uint32_t index, n_tasks, shape;
    int64_t  gpus;                      /* of all its tasks */
    int64_t  task_gpus;                 /* of each */
    struct grant *best;                 /* [n_gpu_types] with which it goes at its best on one node with that type */
    struct part *now, *then;            /* [n_tasks] now: while it runs; then: as the round has it */
    bool     runs, is_in, is_moving;    /* it runs; the round has it; it stops and starts elsewhere at this instant */
    bool     is_fair;                   /* in the round it has its fair share, though it could use more */
    struct grant wish;                  /* alloc=opt: what the round's program gives it; cpu_milli 0: it is not in it */
    double   key;
};

/* A node while a round is planned. */
struct book { int64_t cpu_free, mem_free, gpu_free, cpu_total, mem_total; };

struct synergy {
    const struct pol_host *host;
    const struct pol_profiles *profiles;
    const struct pol_cores *cores;
    enum synergy_alloc alloc;
    enum synergy_order order;
    bool     refills, packs;
    struct rounds_clock clock;
    const struct pol_view *view;        /* of this decision */
    struct synergy_unit *unit; size_t n_units, cap_units;       /* in order of arrival */
    struct book *book; size_t cap_book;
    uint32_t *turn; size_t cap_turn;    /* units in the order of the round */
    uint32_t *given; size_t n_given, cap_given;     /* units that the round has, as they were given their place */
    uint32_t *peer; size_t cap_peer;
    struct lp *lp;                      /* alloc=opt */
    struct program_column *column; size_t cap_column;
};

/* A node's GPUs' worth of its cores and memory. */
struct grant synergy_fair(const struct synergy *s, uint32_t node, int64_t gpus);
/* With which all of the unit goes at its best on the node, and no more than the node has. */
struct grant synergy_best(const struct synergy *s, const struct synergy_unit *u, uint32_t node);
/* May the unit's tasks ever run there, whatever cores and memory they get? */
bool synergy_may_run(const struct synergy *s, const struct synergy_unit *u, uint32_t node);
/* Speed with so much on nodes such as this, over that at its best; 1 without a profile. */
double synergy_speed(const struct synergy *s, const struct synergy_unit *u, uint32_t node, const struct grant *g);
/* The first node on which it may run; POL_NONE: none. */
uint32_t synergy_some_node(const struct synergy *s, const struct synergy_unit *u);
/* The wishes of the first n in turn, whose GPUs are free in sum; none if the program has no answer. */
void synergy_wish(struct synergy *s, uint32_t n);
/* Who runs in the round, of s->turn [n_turns]: their `then`. */
void synergy_grant(struct synergy *s, uint32_t n_turns);

#endif

/*
 * refdice.h -- what to do with a unit, drawn from the case, the unit and the time alone, so that the reference and the
 * real simulator are told the same: no rule of a policy stands between them, and much of it is refused.
 */
#ifndef REFDICE_H
#define REFDICE_H

#include "ref/refsim.h"

/* `job`: by order of arrival; n: tasks that the unit has; max 0: it has one size. */
struct ref_dice_unit { int job, task, n, min, max; bool runs; sim_tick started; };
struct ref_dice {
    enum { REF_DICE_NOTHING, REF_DICE_STOP, REF_DICE_START, REF_DICE_SCALE } what;
    int n, node[REF_TASKS];
};

/* Tries of one that waits, at each decision; one that runs has one. */
enum { REF_DICE_ROLLS = 12 };
struct ref_dice ref_dice_roll(const struct ref_case *c, const struct ref_dice_unit *u, sim_tick now, int roll);
/* When it wants to decide next. */
static inline sim_tick ref_dice_wake(sim_tick now) { return (now / 10 + 1) * 10; }

#endif

/*
 * refuse.h -- requests for which no room can be made, remembered from decision to decision.
 *
 * Invariant: a refusal says that so many tasks of the kind, each with at least so much CPU and memory, find no room in
 * what is free and what units hold that run and stand behind all that wait in the queue `level`.  Whoever asks no less
 * and waits in that queue or a later one finds none either, until on some node more is free or held by those: which
 * nodes these are is logged, and a refusal stands for who finds that none of them takes even one of its tasks.
 * Cost: to know whether one stands O(refusals of the kind), at most REFUSE_MOST, and for each a look at the nodes that
 * were logged since, at most REFUSE_LOG, at first O(tasks there); O(tasks) when a unit starts or stops.
 */
#ifndef POL_TIRESIAS_REFUSE_H
#define POL_TIRESIAS_REFUSE_H

#include "lib/sched/sched.h"

struct tiresias;
enum { REFUSE_MOST = 16, REFUSE_LOG = 64, REFUSE_SNAPS = 64 };

struct refusal {
    int64_t  cpu_milli, mem_b;
    uint64_t until;             /* 0: it is held up; else it holds in this round alone, and whatever the queue */
    uint64_t looked;            /* log entries that it has stood up to */
    uint32_t level, n_tasks;
};

struct refusals {
    struct refusals_of_kind { struct refusal at[REFUSE_MOST]; uint32_t n, next; } *kind; size_t cap_kind;
    struct { uint32_t node, level; } log[REFUSE_LOG];   /* level: the queue of who held what is free or behind now */
    uint64_t n_log, n_grown;    /* n_grown: the plan's, when it was last looked at */
    /* Tasks that run, or are to, in lists by node: `first` [nodes] 1 + the first of one, 0: there is none. */
    struct refuse_task { uint64_t cards; uint32_t node, before, after, unit; } *task; size_t cap_task;  /* by slot */
    uint32_t *first;
    /* Nodes as those see them that wait in a queue. */
    struct refuse_snap { uint64_t round, touch; uint32_t node, level; struct plan_snap is; } snap[REFUSE_SNAPS];
};

void refuse_fini(struct tiresias *l);
bool refuse_lasts(const struct tiresias *l);            /* refusals are held up beyond their decision */
void refuse_open(struct tiresias *l);                   /* a decision begins */
void refuse_forget(struct tiresias *l, uint32_t kind);  /* its id is given up */

/* The unit holds, or lets go of, what is in d->place, or was. */
void refuse_hold(struct tiresias *l, uint32_t unit);
void refuse_let_go(struct tiresias *l, uint32_t unit);
/* What the unit holds, who stands in queue `level`, is free from now on, or it stands further behind. */
void refuse_log(struct tiresias *l, uint32_t unit, uint32_t level);

/* Is there no room for so many tasks of the kind, all at once, of a unit in queue `level` or a later one? */
bool refuse_knows(struct tiresias *l, uint32_t kind, uint32_t level, uint32_t n_tasks, int64_t cpu_milli,
                  int64_t mem_b);
/* There was none for the unit; is_lasting: nor is there for any that waits in its queue. */
void refuse_note(struct tiresias *l, const struct unit *u, bool has_cards, bool is_lasting);

#endif

/*
 * reservation.h -- a workflow's reservation: which amounts of which nodes and cards
 * are kept aside for it, what its present step needs of them, what is lent.
 *
 * The plan of a reservation names a place for every task.  Steps never run together, so
 * each is planned by itself in what is free: a task first goes where earlier planned steps
 * already keep something, else where the placement rule says.  What is kept of a node or
 * card is the largest that any step takes there (or the sum of all steps).
 *
 * Invariant: once a reservation is made, every task of every step has its place, whatever
 * happens in the cluster except the loss of a node.
 *
 * Costs: plan O(tasks x (parts + one placement)); the rest O(cards of a node).
 * Source: workflow reservation patent application, paragraphs 64 to 119.
 */
#ifndef POL_RESERVATION_H
#define POL_RESERVATION_H

#include "lib/place/placement.h"

/* Cores and cards in thousandths, and licences. */
struct reservation_amount { int64_t cpu_milli, gpu_milli, licence[PLAN_LICENCES_MAX]; };

/* What tasks hold of one node, and of its cards. */
struct reservation_sum  { int64_t cpu, mem; int32_t engine[POL_ENGINES_MAX], n_tasks; };
struct reservation_card { int64_t mem; int32_t milli, cores; };

/* What one task takes of a node and of the licences; of each of the cards what its shape asks. */
struct reservation_take {
    struct reservation_sum sum;
    uint64_t cards;
    int32_t licence[PLAN_LICENCES_MAX];
    uint32_t shape;
};

/* Kept aside in all; needed by the present step; held by its running tasks; lent to borrowers. */
enum reservation_sums { WF_KEPT, WF_NEED, WF_USED, WF_LENT, WF_SUMS };

struct reservation_part {           /* of one node */
    uint32_t node, n_gpu;
    struct reservation_sum  sum[WF_SUMS];
    struct reservation_card *card;  /* [WF_SUMS * n_gpu] owned */
};

struct reservation_task {
    pol_task task;
    uint32_t shape, stage, step;
    uint32_t part;                  /* where it is planned */
    struct pol_place place;
    struct pol_place made;          /* where it fits on the empty cluster, with the others of its step */
    int64_t  est;                   /* run time, -1 unknown */
    bool     is_running, is_done;
    bool     is_due;                /* it starts in this decision */
};

struct reservation {
    struct reservation_task *task;  uint32_t n_tasks;  /* ordered by step, then by index in the job */
    uint32_t *step_start;    uint32_t n_steps;  /* [n_steps + 1] */
    struct reservation_part *part;  size_t cap_part;  uint32_t n_parts;
    int64_t  licence[WF_SUMS][PLAN_LICENCES_MAX];
};

/* What is kept: the largest of the steps, or their sum; as made: the largest, with each task at its `made` place. */
enum reservation_rule { WF_RULE_MAX, WF_RULE_SUM, WF_RULE_AS_MADE };

void reservation_fini(struct reservation *r);         /* zero-initialise to begin */

/*
 * Plan all steps from `first` on in pl's plan, which is left as it was; tasks
 * that are done are passed over.  False when it cannot be now.
 *   extra   amounts that are to be reserved at least, all steps together, NULL: none
 *   free_licence [PLAN_LICENCES_MAX]
 * On success the parts are filled: kept as planned, nothing needed, used or lent.
 */
bool reservation_plan(struct reservation *r, struct placement *pl, uint32_t first, enum reservation_rule rule,
               const struct reservation_amount *extra, const int64_t *free_licence);
void reservation_drop(struct reservation *r);         /* no parts, no licences */

/* What the step's tasks that are not done ask of each part becomes what is needed; those that do not run are due. */
void reservation_enter(struct reservation *r, const struct plan *p, uint32_t step);
/*
 * The same of the tasks that run and, in order, of those that wait for no other and find room beside them in what is
 * kept, which are due: at their planned places, else on the first part.  is_ready [n_tasks].  O(tasks x parts).
 */
void reservation_enter_ready(struct reservation *r, const struct plan *p, const bool *is_ready);

/* All that a task of the shape holds on the node, with these cards. */
struct reservation_take reservation_take(const struct plan *p, uint32_t node, uint32_t shape, uint64_t cards);
/* It is taken (+1) or given back (-1) in one of the sums; part POL_NONE: its licences alone. */
void reservation_move(struct reservation *r, const struct plan *p, enum reservation_sums what, uint32_t part,
                      const struct reservation_take *t, int sign);
/*
 * Would a task of the shape find room on the part's node, of each resource first in what is free outside (the
 * plan's, and of cores and cards at most `outside`), then in kept - need - lent?  A card comes whole from one
 * of the two.  Out: what comes from the reservation, but for licences, and all its cards.
 */
bool reservation_can_lend(const struct reservation *r, const struct plan *p, uint32_t part, uint32_t shape,
                          const struct reservation_amount *outside, struct reservation_take *out, uint64_t *cards);
/* Is anything neither needed nor lent? */
bool reservation_has_rest(const struct reservation *r);
/* Is more lent on the part (POL_NONE: of licences) than the step leaves; and would this given back help? */
bool reservation_is_short(const struct reservation *r, uint32_t part);
bool reservation_holds_short(const struct reservation *r, uint32_t part, const struct reservation_take *t);

/* Thousandths of the part's cards that are lent beyond what the step leaves, of some of them. */
int64_t reservation_short_cards(const struct reservation *r, uint32_t part, uint64_t cards);

/* Cores, cards and licences, over all parts. */
struct reservation_amount reservation_total(const struct reservation *r, enum reservation_sums what);
struct reservation_amount reservation_amount(const struct plan *p, const struct reservation_take *t);
enum { WF_DIMS = 2 + PLAN_LICENCES_MAX };
static inline int64_t *reservation_dim(struct reservation_amount *a, int d)
{
    return d == 0 ? &a->cpu_milli : d == 1 ? &a->gpu_milli : &a->licence[d - 2];
}

#endif

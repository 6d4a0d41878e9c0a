/*
 * state.h -- what the files of the policy `workflow` share.
 *
 * workflow.c     events, ordinary jobs outside, the policy
 * view.c         the cluster without what is reserved
 * admit.c        which workflow gets its reservation, and when
 * stage.c        a workflow enters a stage: what it lent is taken back, what it leaves is lent
 * reservation.c  the books of one reservation, and the plan that makes it
 * lend.c         who may borrow
 *
 * The shared scheduler code (lib/sched) is shown a cluster from which everything
 * that is reserved is gone, so that ordinary units are placed outside by the same
 * code as everywhere:
 *   outside = free - (kept - used - lent), per node and card, over all workflows.
 * `idle` sums the bracket.  It is in step with the view: what a decision
 * changes is noted in `later` and booked when the next call shows it.
 */
#ifndef POL_WORKFLOW_STATE_H
#define POL_WORKFLOW_STATE_H

#include "lib/sched/sched.h"
#include "workflow/lend.h"
#include "workflow/reservation.h"

enum wf_admit { WF_ADMIT_WAIT, WF_ADMIT_RECLAIM, WF_ADMIT_PREEMPT };
enum wf_lend { WF_LEND_NONE, WF_LEND_START, WF_LEND_ALWAYS, WF_LEND_FITS };

struct wf {
    pol_job  job;
    uint64_t ordinal;
    int32_t  priority;
    bool     holds;                 /* it has its reservation */
    bool     is_broken;             /* a node of it was lost */
    bool     is_over;               /* its job ended */
    uint32_t list;                  /* of `shares`: who borrows what it leaves; POL_NONE: nobody */
    const struct wf_reserve *reserve;
    bool     entered;               /* it entered a step in this decision */
    bool     changed;               /* a task ended, or has none before it any more, since it last started some */
    bool     grew;                  /* it has more to lend than when it was last tried */
    bool     is_counted, has_rest;  /* something is neither needed nor lent; known while is_counted */
    uint32_t step, left, n_running; /* the present step, its tasks not done, tasks running */
    int64_t  shortest;              /* run time of its shortest task; -1: one is unknown */
    struct reservation reservation;
    int64_t  *lent, *quota;         /* [groups of its list * WF_DIMS] */
    uint32_t first_loan;            /* task slots; POL_NONE */
};

/* A running borrower, by its task slot. */
struct wf_loan {
    struct wf *from;                /* NULL: none */
    uint32_t part;                  /* POL_NONE: it borrows licences alone */
    uint32_t node, group, prev, next;
    uint64_t cards, ordinal;        /* cards: all that it holds */
    int64_t  started;
    struct reservation_take take;   /* what comes from the reservation, not from outside */
    bool     is_chosen;             /* to be stopped: not counted as lent any more */
    bool     is_former;             /* the lender is gone, and it runs on */
    pol_task task;
};

struct wf_of_task { struct wf *wf; uint32_t at, gen; };       /* task of a workflow, by slot */

/* A change of `idle`. */
struct wf_later { uint32_t node; int sign; struct reservation_take take; };

/* What is reserved for whom; amounts by name, NULL: the rule alone. */
struct wf_reserve { struct lend_group who; enum reservation_rule rule; char *amounts; };

/* As a user gave them; README.md, "Workflows". */
struct wf_param {
    enum wf_lend lend;
    enum wf_admit admit;
    struct wf_reserve *reserve; size_t cap_reserve; uint32_t n_reserve;     /* the last: for all others */
    bool     short_only, strict, est_true;
    bool     by_task;                   /* barrier=task */
    bool     lends_freed;
    struct lend_lists shares;
    const char *history_text;
    double   most;                      /* share of the cluster for one step */
};

/* What is kept on a node and neither used nor lent, over all workflows; of each of its cards as well. */
struct wf_idle { struct reservation_sum sum; struct reservation_card card[]; };

/* view.c: the cluster outside of reservations, as the shared scheduler code sees it. */
struct wf_outside {
    struct pol_view shown;
    struct pol_node *node;              /* [n_nodes] */
    struct pol_card *card;              /* [n_cards] */
    struct wf_idle **idle;              /* [n_nodes] NULL: nothing was ever kept there */
    int64_t  idle_licence[PLAN_LICENCES_MAX];
    struct reservation_amount reserved;         /* kept, over all workflows */
    uint32_t *touched; uint32_t n_touched; bool *is_touched;    /* nodes that are to be shown anew, each once */
    struct wf_later *later; size_t cap_later, n_later;
};

/* The whole cluster, empty and up: what fits on it at once makes the steps. */
struct wf_whole { struct plan plan; struct placement placement; int64_t cpu, gpu; };    /* gpu: thousandths */

/* Units that are no workflow's. */
struct wf_ordinary {
    /* One queue for all that belong to the same share group of each list. */
    struct queue *queue;      size_t cap_queue;  uint32_t n_queues;
    struct queue_walk *walk;  size_t cap_walk;  /* by queue */
    uint32_t *group;          size_t cap_group; /* [n_queues * lists]: in each list; its number of groups: in none */
    uint32_t *of_unit;        size_t cap_of_unit;       /* queue */
    int64_t  *longest; size_t cap_longest;      /* by user: run time of the longest task that ended; -1: none */
};

/*
 * While a workflow waits, ordinary units start outside only if what then remains there and
 * what is reserved are together enough for it: they take nothing that it will need.
 */
struct wf_hold { bool is_on; struct reservation_amount spare; };

/* What borrowers could take from outside when they were last looked through. */
struct wf_offer {
    uint64_t freed_epoch;
    struct reservation_amount spare;
    int64_t licence[PLAN_LICENCES_MAX];
    uint32_t head;
};

/* When the first waiting workflow last found no place. */
struct wf_failed { uint64_t freed_epoch, ordinal; };

struct wf_scratch {
    uint32_t *chosen; size_t cap_chosen; uint32_t n_chosen;     /* borrowers that are to be stopped, by task slot */
    struct pol_event *event; size_t cap_event;  /* those that are not of workflows */
    uint32_t *victim; size_t cap_victim;
};

struct wf_policy {
    struct sched sched;                 /* of what is outside */
    const struct pol_host *host;
    const struct pol_reservations *reservations;    /* the host's */
    const struct pol_view *view;        /* the true one */
    struct wf **active;  size_t cap_active;  uint32_t n_active;     /* holding a reservation, by (priority, ordinal) */
    struct wf **waiting; size_t cap_waiting; uint32_t n_waiting;    /* the others, in the same order */
    struct wf_of_task *of_task; size_t cap_of_task;         /* by task slot */
    struct wf_loan *loan; size_t cap_loan;                  /* by task slot */
    struct wf_param param;
    struct wf_outside outside;
    struct wf_whole whole;
    struct wf_ordinary ordinary;
    struct wf_failed failed;
    struct wf_hold hold;                /* of this decision */
    struct wf_offer offered;
    uint32_t head; /* in this decision, with mode=strict: the unit for which the others wait; POL_NONE */
    struct wf_scratch scratch;
};

/* ---- view.c ---- */
void wf_first_look(struct wf_policy *p, const struct pol_view *v);
/* What a task takes of reservations there becomes idle (+1), or no longer is (-1); POL_NONE: its licences alone. */
void wf_idle_move(struct wf_policy *p, uint32_t node, const struct reservation_take *t, int sign);
/* A whole reservation, as far as it is neither used nor lent, comes (+1) or goes (-1). */
void wf_idle_reservation(struct wf_policy *p, const struct wf *w, int sign);
/*
 * Bring p->outside.shown up to date with all that changed, in the cluster or in reservations; seen: forget
 * what changed.
 */
void wf_show(struct wf_policy *p);
void wf_show_node(struct wf_policy *p, uint32_t node);
void wf_touch(struct wf_policy *p, uint32_t node);
void wf_seen(struct wf_policy *p);
/*
 * Fail the run unless, on every node and card, `idle` is what the reservations have idle, and
 * nobody borrows what a step needs.  O(nodes + parts).
 */
void wf_audit(struct wf_policy *p);
/* Change `idle` so at the next call of decide, when the view shows it too. */
void wf_book_later(struct wf_policy *p, uint32_t node, const struct reservation_take *t, int sign);

/* ---- admit.c ---- */
/* Read reserve=; false with error [cap] filled. */
bool wf_reserve_parse(struct wf_param *param, const char *text, char *error, size_t cap);
/* Reserve for waiting workflows in order, until one finds no place. */
void wf_admit(struct wf_policy *p);
/* The first step with a task to do; n_steps when there is none. */
uint32_t wf_next_step(const struct reservation *r, uint32_t from);

/* ---- workflow.c ---- */
/* Lists are sorted by priority, the higher first, then by arrival. */
void wf_insert(struct wf ***list, size_t *cap, uint32_t *n, struct wf *w);
void wf_remove_from(struct wf **list, uint32_t *n, const struct wf *w);

/* The first unit in order of the list's group (POL_NONE: of all), in walks that are open; its queue. */
uint32_t wf_first_of(struct wf_policy *p, uint32_t list, uint32_t group, uint32_t *queue);
bool wf_is_queue_of(const struct wf_policy *p, uint32_t queue, uint32_t list, uint32_t group);
/* Who borrows of the workflow. */
const struct lend_shares *wf_shares(const struct wf_policy *p, const struct wf *w);

/* ---- stage.c ---- */
/* Enter w->step: take its places back from borrowers, start its tasks. */
void wf_enter(struct wf_policy *p, struct wf *w);
/* Enter the next step where the present one has ended; as `barrier` and `freed` say, follow what ended within one. */
void wf_advance(struct wf_policy *p);
/* Start borrowers in what the workflows leave. */
void wf_lend_all(struct wf_policy *p);
/* Allocate (+1) or release (-1) in the plan what a borrower holds outside: all that it holds if its lender is gone. */
void wf_plan_borrower(struct wf_policy *p, const struct wf_loan *l, int sign);
/* Stop a borrower; the scheduler state lets it wait again. */
void wf_stop_borrower(struct wf_policy *p, uint32_t slot, const char *reason);
/* The borrower no longer runs, or is ordinary now. */
void wf_loan_end(struct wf_policy *p, uint32_t slot);
/* The longest run time on record of a user; -1: none. */
int64_t wf_history(const struct wf_policy *p, uint32_t user);

#endif

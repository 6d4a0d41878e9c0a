/*
 * flownet.h -- the flow network of a cluster: which singles could take which
 * free GPUs and at what cost, told to the solver as things happen and solved.
 * Shared by fs, fsp, fsu and quincy; README.md, "The flow policies".
 *
 * A place is a GPU that is wholly free, or held by a task that may be moved.
 * GPUs are of one *class* when their nodes are alike when idle and they have as
 * much memory; a class is a kind of the solver.  It has room for 64: the
 * classes beyond share the last, and a task names the nodes of it where it
 * cannot run.
 *
 * Costs: a task O(its replicas), with a solver's O(log) at the next solve;
 * places O(nodes that changed); a solve see flow/README.md.
 */
#ifndef POL_LIB_DATA_FLOWNET_H
#define POL_LIB_DATA_FLOWNET_H

#include "lib/flow/assign.h"
#include "lib/data/gpujobs.h"

enum { FLOWNET_CARDS = 64 };                    /* most of a node: pol_place has a bit for each */
#define FLOWNET_COST_MAX (INT64_C(1) << 50)     /* costs are below; more fails the run */

/* What is alike of a card and its idle node. */
struct flownet_class { struct pol_node node; struct pol_card card; };

struct flownet_job { uint32_t share, n_tasks; int64_t alpha; };    /* as told; n_tasks: present in the network */

/* A task on a place, as solved. */
struct flownet_put { uint64_t ordinal, cards; uint32_t index, unit, node, card, is_due; };     /* card: see cards; is_due: its job was below its share */

struct flownet {
    struct sched *sched;                  /* borrowed, as is the next */
    struct gpujobs *jobs;
    struct assign *assign;
    struct flownet_class *cls; size_t cap_cls; uint32_t n_cls;
    uint32_t *class_of;                 /* [n_cards] */
    uint32_t *card;                     /* [n_cards] the first card of its node and kind: stands for both */
    uint32_t *extra, *less;             /* [n_cards] at such cards: places held by tasks that may move; not to be used in this decision */
    uint32_t *overflow, n_overflow;     /* nodes with cards of the last kind */
    uint64_t *fits; size_t cap_fits; uint32_t n_fits;   /* by unit kind: a bit per kind of card */
    struct flownet_job *job; size_t cap_job;            /* by job slot */
    uint64_t *open;                     /* bit per node: it has places */
    uint32_t *closed; size_t cap_closed; uint32_t n_closed;     /* nodes with such places as less counts */
    bool     has_extra;
    uint64_t  seen;                     /* touches of the plan taken in */
    struct assign_near *near; size_t cap_near;
    struct flownet_put *put; size_t cap_put; uint32_t n_put;
    bool has_failed;
};

void flownet_init(struct flownet *n, struct sched *sched, struct gpujobs *jobs);
void flownet_fini(struct flownet *n);

/*
 * A single that waits, at its price everywhere, plus `shift`.  A single that
 * runs the same, but at `stay` on its node.  Drop: neither; nothing happens if
 * it is not there.
 */
void flownet_wait(struct flownet *n, const struct unit *u, int64_t shift);
void flownet_run(struct flownet *n, const struct unit *u, int64_t shift, int64_t stay);
void flownet_drop(struct flownet *n, const struct unit *u);
/* What the task's price is on a node. */
int64_t flownet_price(const struct flownet *n, const struct unit *u, uint32_t node);

/* Share and leaving cost of a job: flow/assign.h.  Nothing is told twice. */
void flownet_job(struct flownet *n, uint32_t slot, uint32_t share, int64_t alpha);
struct flownet_job flownet_told(const struct flownet *n, uint32_t slot);

/* To begin a decision: no place is closed, and no running task is in the network. */
void flownet_open(struct flownet *n);
/* Places as the plan is now: of the nodes touched since the last time, or of all. */
void flownet_places(struct flownet *n, bool all);
/* One place of a card that a put names is not to be used again in this decision. */
void flownet_close(struct flownet *n, uint32_t node, uint32_t card);
/* A wholly free card of the node that `card` stands for and that fits the shape, not in `but`, as a bit of the node's cards; 0: none. */
uint64_t flownet_card(const struct flownet *n, uint32_t node, uint32_t card, const struct pol_shape *s, uint64_t but);

/*
 * Solve, and list who was put where in n->put, in unit order.  When the run is
 * audited the certificate is verified.  False: the run has failed.
 */
bool flownet_solve(struct flownet *n, struct assign_result *r);

#endif

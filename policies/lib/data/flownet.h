/*
 * flownet.h -- the flow network of a cluster: which singles could take which free GPUs and
 * at what cost, told to the solver as things happen, and solved.
 * Shared by fs, fsp, fsu and quincy; README.md, "The flow policies".
 *
 * A place is a GPU that is wholly free, or held by a task that may be moved.
 * Cards on which the same requests could ever fit are of one card class.  The solver has 64
 * GPU classes: the first 63 card classes have one each, all others share the last, and a
 * task names the nodes with cards of the last where it cannot run.
 *
 * Costs: a task O(its replicas), and O(log) for each at the next solve; places O(nodes that
 * changed); a solve: lib/flow/README.md.
 * Source: Tang et al., scheduling data-intensive jobs on GPU clusters, section 4.
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

/* A task on a place, as solved.  card: the first of its site; is_due: its job has a claim. */
struct flownet_put { uint64_t ordinal, cards; uint32_t index, unit, node, card, is_due; };

/* The cards, by what can be told of them when all is idle. */
struct flownet_cards {
    struct flownet_class *class; size_t cap_classes; uint32_t n_classes;
    uint32_t *class_of;                 /* [n_cards] */
    uint32_t *first;                    /* [n_cards] the first card of its site, which stands for all of the site */
    uint32_t *overflow, n_overflow;     /* nodes with cards of the last GPU class */
};

/* The places as the solver was told of them last. */
struct flownet_places {
    uint64_t *open;                     /* bit per node: it has some */
    uint32_t *extra;                    /* [n_cards] at a site's first card: places held by tasks that may move */
    uint32_t *less;                     /* [n_cards] the same: places not to be used in this decision */
    uint32_t *closed; size_t cap_closed; uint32_t n_closed;     /* nodes where less is not 0 */
    bool     has_extra;
    uint64_t seen;                      /* touches of the plan taken in */
};

struct flownet {
    struct sched *sched;                /* borrowed, as is the next */
    struct gpujobs *jobs;
    struct assign *assign;
    struct flownet_cards cards;
    struct flownet_places places;
    struct flownet_fits { uint64_t classes; bool is_known; } *fits; size_t cap_fits;    /* [request class] bits */
    struct flownet_job *job; size_t cap_job;            /* by job slot */
    struct assign_near *near; size_t cap_near;          /* scratch */
    struct flownet_put *put; size_t cap_put; uint32_t n_put;
    bool has_failed;
};

void flownet_init(struct flownet *n, struct sched *sched, struct gpujobs *jobs);
void flownet_fini(struct flownet *n);

/*
 * Tell of a single that waits: it costs its price plus `shift` on every node.  Of one that
 * runs: the same, but `stay` on its own node.  Drop: it does neither any more; nothing
 * happens if it is not in the network.
 */
void flownet_wait(struct flownet *n, const struct unit *u, int64_t shift);
void flownet_run(struct flownet *n, const struct unit *u, int64_t shift, int64_t stay);
void flownet_drop(struct flownet *n, const struct unit *u);
/* For sched_ops.class_gone. */
void flownet_class_gone(struct flownet *n, uint32_t class);
/* What the task's price is on a node. */
int64_t flownet_price(const struct flownet *n, const struct unit *u, uint32_t node);

/* A job's share and the cost of leaving its tasks, as in assign.h.  The solver is told only what changed. */
void flownet_job(struct flownet *n, uint32_t slot, uint32_t share, int64_t alpha);
struct flownet_job flownet_told(const struct flownet *n, uint32_t slot);

/* Begin a decision: no place is closed, and no running task is in the network. */
void flownet_open(struct flownet *n);
/* Take in the places as the plan is now: of the nodes touched since the last time, or of all. */
void flownet_places(struct flownet *n, bool all);
/* One place of the site that `card` stands for is not to be used again in this decision. */
void flownet_close(struct flownet *n, uint32_t node, uint32_t card);
/*
 * A wholly free card of the site that `card` stands for, that fits and is not in `but`, as a bit of the
 * node's cards; or 0.
 */
uint64_t flownet_card(const struct flownet *n, uint32_t node, uint32_t card, const struct pol_shape *s, uint64_t but);

/*
 * Solve, and list who was put where in n->put, in unit order.  When the run is
 * audited the certificate is verified.  False: the run has failed.
 */
bool flownet_solve(struct flownet *n, struct assign_result *r);

#endif

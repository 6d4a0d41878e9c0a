/*
 * placement.h -- where a task goes: one cost per rule, the cheapest node that fits.
 * The rules are defined in README.md, "Placement".
 *
 * first, best, worst, pack and spread search one index over the nodes, whatever the shape
 * (placement_index.h), and so do the rules of Kubernetes by score plugins with bounds.
 * fgd, other score plugins and plugins score every node by a function without bounds, and
 * some pods of kube look at a part of the nodes: there, for each shape asked, a tournament
 * tree over the nodes keeps the winner; a question recomputes only the nodes that changed
 * since that shape was last asked: O(changed x (cost + log n)), O(n) when the tree is
 * made.  As a shape may be asked a few times only, its first questions are searches that
 * look at one of each nodes that are alike, until they have looked at n.  Trees are
 * bounded by PLACEMENT_BYTES; the least recently asked is given up.  The answer is the one
 * that a scan over all nodes with placement_cost gives.
 */
#ifndef POL_LIB_SCHED_PLACEMENT_H
#define POL_LIB_SCHED_PLACEMENT_H

#include "lib/place/kube.h"
#include "lib/place/placement_index.h"

enum placement_rule { PLACEMENT_FIRST, PLACEMENT_BEST, PLACEMENT_WORST, PLACEMENT_PACK, PLACEMENT_SPREAD, PLACEMENT_FGD, PLACEMENT_KUBE, PLACEMENT_KUBE_HYBRID, PLACEMENT_FILL, PLACEMENT_PLUGIN };
enum { PLACEMENT_RULES = PLACEMENT_PLUGIN, PLACEMENT_TYPICAL = 32, PLACEMENT_BYTES = 64 << 20 };

/*
 * place=, a parameter of every policy that places.  Its value is an enum placement_rule, or a plugin where all
 * tasks are placed by it; PLACEMENT_RULE_PARAM is for policies that ask it only where other things are equal.
 */
#define PLACEMENT_CHOICES .name = "place", .dflt = "best", .choices = "first|best|worst|pack|spread|fgd|kube|kube-hybrid|fill", \
                          .help = "which of the nodes that fit"
#define PLACEMENT_PARAM { .type = POL_PLUGIN, PLACEMENT_CHOICES }
#define PLACEMENT_RULE_PARAM { .type = POL_CHOICE, PLACEMENT_CHOICES }

/* A frequent shape, as fgd looks at it. */
struct placement_typical { int64_t weight; struct pol_shape shape; };

struct placement_tree;
struct placement {
    enum placement_rule rule;           /* that of a task by itself: of fill, worst */
    bool fills;                         /* a gang's next task goes where its last went, while it fits there */
    struct plan *plan;                  /* borrowed */
    struct placement_tree **tree; size_t cap_tree;      /* [shape]; NULL: none */
    uint64_t *looked; size_t cap_looked;        /* [shape] at so many nodes searches looked, without a tree */
    struct placement_index index;
    uint32_t n_trees, max_trees, oldest, newest;    /* shapes whose trees were asked longest ago, and last; POL_NONE */
    /* Kube rules: the profile in use, NULL for others; `own` unless placement_use said otherwise. */
    struct kube *kube, own;
    const struct placement_costs *by_costs;     /* the index serves these, and not the rule; NULL */
    void *costs_ctx;
    const struct pol_plugin *plugin;    /* PLACEMENT_PLUGIN, borrowed as its host is */
    const struct pol_host *host;
    /* fgd */
    int64_t *arrived; size_t cap_arrived;           /* [shape] tasks that arrived */
    int64_t  n_arrived, n_refreshed;
    struct placement_typical typical[PLACEMENT_TYPICAL];
    uint32_t n_typical, generation;
};

/* Does the rule know bounds?  Others are asked of one of each nodes that are alike. */
static inline bool placement_index_knows(const struct placement *pl)
{
    if (pl->rule == PLACEMENT_KUBE || pl->rule == PLACEMENT_KUBE_HYBRID) return kube_is_bounded(pl->kube);
    return pl->rule <= PLACEMENT_SPREAD;
}

void placement_init(struct placement *pl, struct plan *plan, enum placement_rule rule);
void placement_fini(struct placement *pl);
/* Use this profile instead of the rule's; borrowed.  For a kube rule, before anything is asked. */
void placement_use(struct placement *pl, struct kube *k);

/* Let a plugin choose; before anything is asked. */
void placement_plug(struct placement *pl, const struct pol_plugin *plugin, const struct pol_host *host);

/* After plan_shapes: forget what was kept of shapes whose ids are renewed. */
void placement_shapes(struct placement *pl);
/* What the two below do where costs hang on what arrived: under PLACEMENT_FGD. */
void placement_count(struct placement *pl, uint32_t shape, uint32_t n);
bool placement_learn(struct placement *pl);
/* Tell of n tasks of a shape that arrived; then, once a decision, refresh: true when costs are others now. */
static inline void placement_arrived(struct placement *pl, uint32_t shape, uint32_t n)
{
    if (pl->rule == PLACEMENT_FGD) placement_count(pl, shape, n);
}
static inline bool placement_refresh(struct placement *pl) { return pl->rule == PLACEMENT_FGD && placement_learn(pl); }

/*
 * The cost of a task of the shape on a node on which it fits.
 *   cards  out: the cards it would take
 */
struct placement_cost placement_cost(const struct placement *pl, uint32_t shape, uint32_t node, uint64_t *cards);

/* May a task of the shape run on a node on which it fits in `in`, the plan or another of the cluster? */
bool placement_admits(const struct placement *pl, const struct plan *in, uint32_t shape, uint32_t node);

/* The node and cards for one task; false when it fits nowhere.  The plan is not changed. */
bool placement_find(struct placement *pl, uint32_t shape, struct pol_place *out);
/* The same, among some nodes only: node [n], any order.  O(n). */
bool placement_among(struct placement *pl, uint32_t shape, const uint32_t *node, size_t n, struct pol_place *out);
/* For placement_find, of kube rules: is the node that costs least of all the answer?  It was, for the record. */
bool placement_looks_at_all(const struct placement *pl, uint32_t shape);
void placement_looked_at_all(const struct placement *pl);
/*
 * If not: the node among those that kube-scheduler would look at, the next so many that fit, with what pods prefer
 * among these.  Some node fits.  O(n).
 *   cost [n_nodes]  hi POL_NEVER: does not fit
 */
uint32_t placement_choose(const struct placement *pl, uint32_t shape, const struct placement_cost *cost);
/*
 * Places for n tasks, one after the other, each seeing those before; taken in
 * the plan.  All or none: false leaves the plan as it was.
 *   shape [n], out [n]
 */
bool placement_all(struct placement *pl, const uint32_t *shape, uint32_t n, struct pol_place *out);

#endif

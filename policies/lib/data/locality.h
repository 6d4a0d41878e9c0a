/*
 * locality.h -- what it costs a task to read its inputs on each node, and which of many
 * waiting tasks a node serves cheapest.
 *
 * A task's costs take few values: one on each node that holds a replica of its inputs, one
 * on the other nodes of such a rack, one elsewhere.  Its *reach* lists them.  An *index*
 * holds tasks in one heap for each region that a reach in it names: a node, a rack, or
 * elsewhere; tasks that left are dropped when they come to the top.
 *
 * Cost: a reach O(inputs x replicas) host calls to make, O(replicas) to search; an index
 * has memory for what the reaches in it name.  The cheapest task for a node O(log n), if a
 * replica makes its node cheaper than the rest of its rack, and the rack cheaper than
 * others; else more is looked at for the same answer.  The cheapest task for any node
 * O(regions), and the nodes of some racks.
 * Source: Tang et al., scheduling data-intensive jobs on GPU clusters, sections 2.4, 3.2, 5.4.
 */
#ifndef POL_LIB_DATA_LOCALITY_H
#define POL_LIB_DATA_LOCALITY_H

#include "lib/map.h"
#include "lib/place/plan.h"

/* How a (task, node) pair is ranked: by level, then cost. */
enum locality_by {
    LOCALITY_TIME,      /* level 0; cost: transfer time */
    LOCALITY_LEAST,     /* level 0: the task's least time on any node, 1: its second least, 2: more; cost: the time */
    LOCALITY_RACK,      /* level 0: the node holds a replica of an input, 1: its rack does, 2: neither; cost 0 */
    LOCALITY_OWN,       /* level 0; cost: as the policy's `price` says */
};
enum { LOCALITY_LEVELS = 3 };

/* For which nodes an entry of a reach holds: that one, others of the rack, all others. */
enum locality_scope { LOCALITY_AT_NODE, LOCALITY_IN_RACK, LOCALITY_ELSEWHERE };

/* What a transfer costs, for LOCALITY_OWN.  INT64_MAX, but not of `elsewhere`: as much as the next wider scope. */
struct locality_price { int64_t (*of)(const void *ctx, const struct pol_transfer *x, enum locality_scope scope); const void *ctx; };

struct locality_reach_at { int64_t cost; uint32_t id, level; };      /* cost INT64_MAX, but by OWN: for no node */
struct locality_reach {
    struct locality_reach_at *at; size_t cap;   /* [n_nodes] nodes, [n_racks] racks, then elsewhere; ids increase */
    uint32_t n_nodes, n_racks;
    uint32_t epoch;                     /* of its present stay in an index: entries of others are out of date */
    bool     prefers_far;               /* on some node it ranks after others of the rack, or elsewhere */
};

struct locality {
    const struct pol_host *host;        /* borrowed */
    const struct pol_data *data;        /* borrowed */
    const struct plan *plan;            /* borrowed */
    enum locality_by by;
    struct locality_price price;        /* LOCALITY_OWN */
    uint64_t measured;                  /* the host's count of changes of speeds that was taken in */
    uint32_t *rack_node, *rack_first, n_racks;      /* nodes of rack r: rack_node[rack_first[r] .. rack_first[r + 1]) */
    struct locality_reach *reach; size_t cap_reach;          /* by task slot */
};

void locality_init(struct locality *l, const struct pol_host *host, const struct plan *plan, enum locality_by by);
void locality_fini(struct locality *l);

/* Have speeds changed since the last call, so that what was learnt is out of date? */
bool locality_is_old(struct locality *l);
/*
 * Learn a task's costs, as its inputs and the nodes are now.  LOCALITY_LEAST
 * looks at nodes that are up and could hold the shape when idle: learn again
 * when nodes come or go.
 */
void locality_learn(struct locality *l, pol_task t, uint32_t shape);
/* Of a task that was learnt. */
struct locality_reach_at locality_at(const struct locality *l, uint32_t task, uint32_t node);

/* Ranked by level, cost, index. */
struct locality_candidate { int64_t cost; uint32_t level, index, task, epoch; };
struct locality_region { struct locality_candidate *at; size_t cap; uint32_t n, id; };      /* a heap */
struct locality_index {
    struct locality_region *region; size_t cap; uint32_t n;     /* elsewhere, and others in no order that matters */
    struct map by_id;
    bool prefers_far;                   /* a task that was added does */
};
struct locality_nodes { uint32_t *at; size_t cap; uint32_t n; };

void locality_index_fini(struct locality_index *x);   /* zero-initialise to begin */
/* Add a task that was just learnt; index: of the task in its job.  Drop it again. */
void locality_index_add(struct locality *l, struct locality_index *x, uint32_t task, uint32_t index);
void locality_index_del(struct locality *l, uint32_t task);
/* Learn and add all of its tasks again; they are of one shape. */
void locality_index_renew(struct locality *l, struct locality_index *x, uint32_t shape, pol_task (*handle)(const void *ctx, uint32_t task), const void *ctx);
bool locality_before(const struct locality_candidate *a, const struct locality_candidate *b);
/* Is there a task on the node that ranks before or equal to *best?  If so it is put there. */
bool locality_index_best(const struct locality *l, struct locality_index *x, uint32_t node, struct locality_candidate *best);
/*
 * The same, but before *best, over all nodes on which the shape fits, of which `some` is one.  Only where the index
 * does not prefer far.
 */
bool locality_index_nearest(const struct locality *l, struct locality_index *x, const struct pol_shape *s, uint32_t some,
                            struct locality_candidate *best);
/* The nodes on which the shape fits and the task ranks as *best says. */
void locality_tied(const struct locality *l, const struct pol_shape *s, const struct locality_candidate *best,
                   struct locality_nodes *nodes);
#define LOCALITY_NONE ((struct locality_candidate){ INT64_MAX, UINT32_MAX, UINT32_MAX, POL_NONE, 0 })

#endif

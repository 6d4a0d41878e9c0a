/*
 * fault.h -- when nodes fail and return.  Layer: model.
 *
 * Either a list (a fault trace), or exponential times with MTBF and MTTR
 * from one seeded stream per node, so that a node's failures do not depend on
 * the policy or on other nodes.
 */
#ifndef MODEL_FAULT_H
#define MODEL_FAULT_H

#include "base/rng.h"

struct fault_event { sim_tick at; uint32_t node; bool up; };

struct fault_spec {
    const struct fault_event *list;     /* [n_list], by time then node; borrowed */
    size_t   n_list;
    double   mtbf_us, mttr_us;          /* 0: none */
};

struct fault_gen { const struct fault_spec *spec; struct rng *rng; size_t *cursor; uint32_t n_nodes; };

void fault_init(struct fault_gen *g, const struct fault_spec *spec, uint32_t n_nodes, uint64_t seed);
/* Node `node` has the failures of the one numbered `as`: for nodes in another order than described. */
void fault_number(struct fault_gen *g, uint32_t node, uint32_t as, uint64_t seed);
void fault_fini(struct fault_gen *g);
/*
 * The next change of `node` after `now`, given whether it is up: writes when
 * and what.  False when none will come.  Each call moves the node's stream on,
 * so ask once at the start and once after each change.  O(1), and fault_init
 * O(n_nodes + n_list).
 */
bool fault_next(struct fault_gen *g, uint32_t node, bool is_up, sim_tick now, struct fault_event *out);

#endif

/*
 * mcf.h -- minimum-cost maximum flow in any network, by network simplex.
 *
 * Knows nothing of clusters.  It is the general solver behind `fairway flow`,
 * and the yardstick for the structured one (assign.h).
 *
 * What is maximised first is the supply that reaches demand; among all flows
 * that ship so much, the cost is least.  Costs may be negative.
 */
#ifndef POL_LIB_FLOW_MCF_H
#define POL_LIB_FLOW_MCF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mcf_arc { uint32_t from, to; int64_t cap, cost; };     /* cap >= 0 */

struct mcf {
    uint32_t n, m;
    const int64_t        *supply;   /* [n] > 0 supply, < 0 demand; the sums may differ */
    const struct mcf_arc *arc;      /* [m] */
    int64_t *flow;                  /* [m] out */
    int64_t *pi;                    /* [n] out: cost + pi[from] - pi[to] >= 0 below cap, <= 0 above 0 */
    int64_t  shipped, cost;         /* out */
    uint64_t pivots;                /* out */
};

enum mcf_st {
    MCF_OK,
    MCF_RANGE,      /* the figures do not fit: (largest |cost| + 1) (n + 1) >= 2^60, or a sum >= 2^62 */
};

/*
 * Solve g.  Borrows its arrays; O(m) memory of its own, released before return.
 * Source: Ahuja, Magnanti & Orlin, Network Flows (1993), ch. 11; block search
 * after Kiraly & Kovacs, Efficient implementations of minimum-cost flow
 * algorithms (2012).
 */
enum mcf_st mcf_solve(struct mcf *g);

/*
 * The certificate, checked from flow, pi and the input alone: capacities,
 * conservation, complementary slackness, and that no supply that stayed can
 * reach a demand that is unmet.  Together they prove flow and cost optimal.
 * False with what is wrong in error [cap].  O(m).
 */
bool mcf_verify(const struct mcf *g, char *error, size_t cap);

#endif

/*
 * dimacs.h -- reader of DIMACS minimum-cost flow problems (.min).  Layer: input.
 *
 * Lines: `c comment` | `p min NODES ARCS` | `n NODE SUPPLY` | `a FROM TO LOW CAPACITY COST`,
 * nodes counted from 1.  LOW must be 0.
 */
#ifndef INPUT_FLOW_DIMACS_H
#define INPUT_FLOW_DIMACS_H

#include "base/diag.h"

enum { FLOW_NET_MAX = 1 << 29 };        /* nodes, and arcs */

struct flow_net {
    uint32_t n, m;
    int64_t  *supply;                   /* [n] > 0: supply; owned, as all */
    uint32_t *from, *to;                /* [m] counted from 0 */
    int64_t  *cap, *cost;               /* [m] */
};

enum st flow_net_read(struct flow_net *f, const char *path, struct diag *d);
void    flow_net_fini(struct flow_net *f);

#endif

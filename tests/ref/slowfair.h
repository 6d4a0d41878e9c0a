/*
 * slowfair.h -- max-min fair rates the obvious way, to check maxmin.h against,
 * and what makes rates max-min fair, asked of each flow directly.
 *
 * The rule of sim/model/data/maxmin.h written with loops only: at each step every
 * link counts its flows and what they use, from the start.  Shares only
 * base.h with sim/.  O(flows * links * hops).
 */
#ifndef SLOWFAIR_H
#define SLOWFAIR_H

#include "base/base.h"

enum { FAIR_LINKS = 400, FAIR_HOPS = 8, FAIR_FLOWS = 400 };

struct fair_net {
    uint32_t n_links, n_flows;
    int64_t  cap[FAIR_LINKS];
    uint32_t n_hops[FAIR_FLOWS], hop[FAIR_FLOWS][FAIR_HOPS];
};

/* rate [n_flows] out; INT64_MAX for a flow without hops. */
void slowfair_solve(const struct fair_net *f, int64_t *rate);
/* NULL when the rates are max-min fair up to rounding, else what is wrong (a static string) and of which flow or link. */
const char *slowfair_fault(const struct fair_net *f, const int64_t *rate, uint32_t *where);

#endif

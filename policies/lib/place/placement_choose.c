/*
 * placement_choose.c -- which nodes kube-scheduler looks at before it takes the best, see placement.h.
 *
 * 1. From where the last search stopped, nodes are looked at in turn until so many that
 *    fit were found (percentageOfNodesToScore); the next search begins at the next that
 *    fits.  Kubernetes looks with sixteen threads; this is what one does.
 * 2. What the pod prefers is divided by the most that any of these is preferred
 *    (NodeAffinity), and added to each one's score.
 *
 * Source: Kubernetes 1.20, pkg/scheduler/core/generic_scheduler.go, findNodesThatPassFilters and
 * numFeasibleNodesToFind; framework/plugins/nodeaffinity.
 */
#include "lib/place/placement.h"

bool placement_looks_at_all(const struct placement *pl, uint32_t shape)
{
    const struct kube *k = pl->kube;
    if (k->round == NULL) return true;
    return kube_to_find(k->percentage, pl->plan->n_nodes) >= pl->plan->n_nodes && kube_preferred(k, shape) == NULL;
}

static void begin(struct kube_round *r, bool looks_at_all)
{
    r->question++;
    r->most = 0;
    r->is_new = true;
    r->looks_at_all = looks_at_all;
}

void placement_looked_at_all(const struct placement *pl)
{
    if (pl->kube->round != NULL) begin(pl->kube->round, true);
}

uint32_t placement_choose(const struct placement *pl, uint32_t shape, const struct placement_cost *cost)
{
    const struct kube *k = pl->kube;
    struct kube_round *r = k->round;
    const uint32_t n = pl->plan->n_nodes, to_find = kube_to_find(k->percentage, n);
    const int32_t *preferred = kube_preferred(k, shape);
    uint32_t found = 0, at = 0, best = POL_NONE;
    int64_t best_cost = 0;
    begin(r, to_find >= n);
    for (; at < n; at++) {
        uint32_t node = r->order[(r->next + at) % n];
        if (cost[node].hi == POL_NEVER) continue;
        if (found == to_find) break;
        found++;
        r->looked[node] = r->question;
        if (preferred != NULL && preferred[node] > r->most) r->most = preferred[node];
    }
    for (uint32_t i = 0; i < at; i++) {
        uint32_t node = r->order[(r->next + i) % n];
        if (r->looked[node] != r->question) continue;
        int64_t x =
            cost[node].hi - (preferred != NULL ? k->affinity * kube_affinity_points(preferred, node, r->most) : 0);
        if (best != POL_NONE && (x > best_cost || (x == best_cost && k->rank[node] > k->rank[best]))) continue;
        best = node;
        best_cost = x;
    }
    r->next = (r->next + at) % n;
    return best;
}

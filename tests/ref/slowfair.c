#include "ref/slowfair.h"

static bool crosses(const struct fair_net *f, uint32_t flow, uint32_t link)
{
    for (uint32_t k = 0; k < f->n_hops[flow]; k++)
        if (f->hop[flow][k] == link) return true;
    return false;
}

/* Of the flows on a link: how many have no rate yet (0), and what the others use. */
static void look(const struct fair_net *f, const int64_t *rate, uint32_t link, int64_t *n_unset, int64_t *used)
{
    *n_unset = *used = 0;
    for (uint32_t i = 0; i < f->n_flows; i++) {
        if (!crosses(f, i, link)) continue;
        if (rate[i] == 0) ++*n_unset;
        else *used += rate[i];
    }
}

void slowfair_solve(const struct fair_net *f, int64_t *rate)
{
    for (uint32_t i = 0; i < f->n_flows; i++) rate[i] = f->n_hops[i] == 0 ? INT64_MAX : 0;
    for (;;) {
        int64_t least = -1;
        uint32_t at = 0;
        for (uint32_t l = 0; l < f->n_links; l++) {
            int64_t n, used;
            look(f, rate, l, &n, &used);
            if (n == 0) continue;
            int64_t left = used < f->cap[l] ? f->cap[l] - used : 0;
            if (least < 0 || left / n < least) { least = left / n; at = l; }
        }
        if (least < 0) return;
        for (uint32_t i = 0; i < f->n_flows; i++)
            if (rate[i] == 0 && crosses(f, i, at)) rate[i] = least > 0 ? least : 1;
    }
}

/* Is the link a bottleneck of the flow: nobody there is faster, and not one more unit for each of the fastest fits. */
static bool holds_back(const struct fair_net *f, const int64_t *rate, uint32_t flow, uint32_t link)
{
    int64_t used = 0, n_fastest = 0;
    for (uint32_t i = 0; i < f->n_flows; i++) {
        if (!crosses(f, i, link)) continue;
        if (rate[i] > rate[flow]) return false;
        used += rate[i];
        n_fastest += rate[i] == rate[flow];
    }
    return f->cap[link] - used < n_fastest;
}

const char *slowfair_fault(const struct fair_net *f, const int64_t *rate, uint32_t *where)
{
    for (uint32_t l = 0; l < f->n_links; l++) {
        int64_t used = 0, n = 0;
        for (uint32_t i = 0; i < f->n_flows; i++)
            if (crosses(f, i, l)) { used += rate[i]; n++; }
        *where = l;
        if (used > f->cap[l] && used > n) return "a link carries more than it can";
    }
    for (uint32_t i = 0; i < f->n_flows; i++) {
        *where = i;
        if (rate[i] < 1) return "a flow stands still";
        if (f->n_hops[i] == 0 && rate[i] != INT64_MAX) return "a free flow is limited";
        bool is_held = f->n_hops[i] == 0;
        for (uint32_t k = 0; k < f->n_hops[i] && !is_held; k++) is_held = holds_back(f, rate, i, f->hop[i][k]);
        if (!is_held) return "a flow has no bottleneck";
    }
    return NULL;
}

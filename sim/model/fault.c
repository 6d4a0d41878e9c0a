/*
 * fault.c -- the next fault or repair of a node, from a list or drawn.
 *
 * Of a list, cursor holds two arrays: [n_nodes] the next entry of each node's own,
 * then [n_list] the entry of the same node that follows each entry.  O(1) a step.
 */
#include "model/fault.h"

#include <string.h>
#include "base/mem.h"

enum { LIST_END = 0 };      /* entries are counted from 1, so that zeroed memory is empty */

static void link_list(struct fault_gen *g)
{
    const struct fault_spec *s = g->spec;
    MEM_ARRAY(g->cursor, g->n_nodes + s->n_list);
    for (size_t i = s->n_list; i-- > 0;) {
        uint32_t node = s->list[i].node;
        SIM_ASSERT(node < g->n_nodes);
        g->cursor[g->n_nodes + i] = g->cursor[node];
        g->cursor[node] = i + 1;
    }
}

void fault_init(struct fault_gen *g, const struct fault_spec *spec, uint32_t n_nodes, uint64_t seed)
{
    memset(g, 0, sizeof *g);
    g->spec = spec;
    g->n_nodes = n_nodes;
    if (spec->n_list > 0) link_list(g);
    if (spec->mtbf_us > 0) {
        MEM_ARRAY(g->rng, n_nodes);
        for (uint32_t i = 0; i < n_nodes; i++) rng_init(&g->rng[i], seed, "fault", i);
    }
}

void fault_number(struct fault_gen *g, uint32_t node, uint32_t as, uint64_t seed)
{
    if (g->rng != NULL) rng_init(&g->rng[node], seed, "fault", as);
}

void fault_fini(struct fault_gen *g)
{
    mem_free(g->rng);
    mem_free(g->cursor);
    memset(g, 0, sizeof *g);
}

static bool next_listed(struct fault_gen *g, uint32_t node, bool is_up, sim_tick now, struct fault_event *out)
{
    for (size_t i; (i = g->cursor[node]) != LIST_END;) {
        const struct fault_event *e = &g->spec->list[i - 1];
        g->cursor[node] = g->cursor[g->n_nodes + i - 1];
        if (e->at < now || e->up == is_up) continue;
        *out = *e;
        return true;
    }
    return false;
}

bool fault_next(struct fault_gen *g, uint32_t node, bool is_up, sim_tick now, struct fault_event *out)
{
    SIM_ASSERT(node < g->n_nodes);
    if (g->cursor != NULL) return next_listed(g, node, is_up, now, out);
    if (g->rng == NULL) return false;
    double mean = is_up ? g->spec->mtbf_us : g->spec->mttr_us;
    double wait = rng_exp(&g->rng[node], mean);
    /* Beyond the clock's range (292,000 years) is never; compared as doubles before the cast. */
    if (wait >= 9e18 || (sim_tick)wait >= TICK_NEVER - now) return false;
    *out = (struct fault_event){ .at = now + i64_max(1, (sim_tick)(wait + 0.5)), .node = node, .up = !is_up };
    return true;
}

/* engines.c -- bit sets of nodes with engines, and with free ones, see engines.h. */
#include "affinity/engines.h"

#include "lib/util.h"

void engines_fini(struct engines *e)
{
    POL_FREE(e->has, e->idle, e->n_idle, e->n_has);
}

static void set(uint64_t *word, uint32_t node, bool on, uint32_t *count)
{
    uint64_t bit = UINT64_C(1) << (node & 63), was = word[node / 64] & bit;
    if (on && was == 0) { word[node / 64] |= bit; ++*count; }
    if (!on && was != 0) { word[node / 64] &= ~bit; --*count; }
}

void engines_update(struct engines *e, const struct dispatcher *h, uint32_t node)
{
    uint32_t tier = h->calls->tier[node];
    bool is_up = h->view->node[node].is_up != 0;
    for (uint32_t k = 0; k < e->n_types; k++) {
        size_t at = ((size_t)k * e->n_tiers + tier) * e->words;
        set(e->has + at, node, is_up && dispatcher_total(h, node, k) > 0, &e->n_has[k]);
        set(e->idle + at, node, dispatcher_free(h, node, k) > 0, &e->n_idle[k]);
    }
}

void engines_sync(struct engines *e, const struct dispatcher *h)
{
    const struct pol_view *v = h->view;
    if (e->has != NULL) {
        for (uint32_t i = 0; i < h->n_dirty; i++) engines_update(e, h, h->dirty[i]);
        return;
    }
    e->n_types = v->n_engines;
    e->n_tiers = h->calls->n_tiers;
    e->words = (v->n_nodes + 63) / 64;
    size_t n = (size_t)e->n_types * e->n_tiers * e->words;
    e->has = pol_alloc(n, sizeof *e->has);
    e->idle = pol_alloc(n, sizeof *e->idle);
    e->n_has = pol_alloc(e->n_types, sizeof *e->n_has);
    e->n_idle = pol_alloc(e->n_types, sizeof *e->n_idle);
    for (uint32_t i = 0; i < v->n_nodes; i++) engines_update(e, h, i);
}

uint32_t engines_find(const struct engines *e, uint32_t type, uint32_t tier, bool is_idle, uint32_t but)
{
    const uint64_t *word = (is_idle ? e->idle : e->has) + ((size_t)type * e->n_tiers + tier) * e->words;
    for (uint32_t i = 0; i < e->words; i++) {
        uint64_t w = word[i];
        if (but != POL_NONE && but / 64 == i) w &= ~(UINT64_C(1) << (but & 63));
        if (w != 0) return i * 64 + (uint32_t)__builtin_ctzll(w);
    }
    return POL_NONE;
}

/* policy_calls.c -- calls, relations and overheads as policy_calls.h has them, read from the world. */
#include "host/policy_calls.h"

#include <string.h>
#include "base/mem.h"
#include "host/policy_view.h"
#include "model/graph.h"

_Static_assert((int)POL_RANKS == RELATION_RANK && (int)POL_TIMES == RELATION_TIME && (int)POL_EFFICIENCIES == RELATION_EFFICIENCY,
               "the forms of a relation are numbered alike");

static uint32_t n_calls(const struct world *w, uint32_t task) { return w == NULL ? 0 : world_n_calls(w, task); }

struct pol_call_state policy_calls_state(void *ctx, pol_task h)
{
    const struct world *w = policy_view_world_of(ctx, h);
    uint32_t task = h.slot;
    struct pol_call_state o = { .n_calls = n_calls(w, task), .queue = POL_NONE, .node = POL_NONE, .engine = POL_NONE,
                                .since_us = -1, .us = -1 };
    if (o.n_calls == 0) return o;
    const struct call_run *r = &world_calls(w)->run[task];
    o.next = r->at;
    o.queue = r->queue;
    if (r->node == NONE) return o;
    o.node = r->node;
    o.engine = r->engine;
    o.since_us = r->since;
    o.us = r->exec + r->overhead;
    return o;
}

struct pol_call policy_calls_info(void *ctx, pol_task h, uint32_t k)
{
    const struct world *w = policy_view_world_of(ctx, h);
    uint32_t task = h.slot;
    struct pol_call o = { .api = POL_NONE };
    for (uint32_t e = 0; e < POL_ENGINES_MAX; e++) o.us[e] = -1;
    if (k >= n_calls(w, task)) return o;
    const struct call *c = world_call_at(w, task, k);
    o.size_b = c->size;
    o.result_b = c->result;
    o.api = c->api;
    for (uint32_t e = 0; e < POL_ENGINES_MAX; e++) o.us[e] = calltime_us(world_config(w)->calltime, c->api, e, c->size);
    return o;
}

/* As the scenario gives it, or as running the calls on every engine finds it. */
struct pol_relation policy_calls_relation(void *ctx, pol_task h)
{
    const struct world *w = policy_view_world_of(ctx, h);
    uint32_t task = h.slot;
    struct pol_relation o = { .form = POL_TIMES };
    uint32_t n = n_calls(w, task);
    if (n == 0) return o;
    const struct task *t = world_task(w, task);
    const struct relation_row *row = world_config(w)->relation != NULL ? relation_find(world_config(w)->relation, world_job(w, t->job)->id, t->index) : NULL;
    struct relation_row found;
    if (row == NULL) {
        sim_tick us[ENGINE_TYPES_MAX];
        relation_profile(world_config(w)->calltime, world_call_at(w, task, 0), n, us);
        found = relation_of_times(us, RELATION_TIME);
        row = &found;
    }
    o.form = (uint32_t)row->form;
    memcpy(o.value, row->value, sizeof o.value);
    return o;
}

int64_t policy_calls_overhead(void *ctx, pol_task h, uint32_t k, uint32_t from, uint32_t to)
{
    const struct world *w = policy_view_world_of(ctx, h);
    uint32_t task = h.slot;
    if (k >= n_calls(w, task) || from >= world_cluster(w)->n_nodes || to >= world_cluster(w)->n_nodes) return 0;
    const struct call *c = world_call_at(w, task, k);
    sim_tick us = calltime_overhead(world_cluster(w), from, to, c->size, c->result);
    return us < 0 ? POL_NEVER : us;
}

pol_task policy_calls_follower(void *ctx, pol_task h, uint32_t k)
{
    const struct world *w = policy_view_world_of(ctx, h);
    uint32_t task = h.slot;
    pol_task none = { POL_NONE, 0 };
    const struct graph *g = w != NULL ? world_job_of(w, task)->graph : NULL;
    if (g == NULL) return none;
    uint32_t index = world_task(w, task)->index;
    if (k >= g->next_start[index + 1] - g->next_start[index]) return none;
    uint32_t slot = g->slot[g->next[g->next_start[index] + k]];
    return (pol_task){ slot, world_task(w, slot)->gen };
}

uint32_t policy_calls_tiers(const struct cluster *c, uint32_t *tier)
{
    uint32_t *first, n = 0;
    MEM_ARRAY(first, c->n_nodes);
    for (uint32_t i = 0; i < c->n_nodes; i++) {
        const struct node_own *a = &c->own[i];
        uint32_t k = 0;
        while (k < n && (c->own[first[k]].latency_us != a->latency_us || c->own[first[k]].link_bps != a->link_bps)) k++;
        if (k == n) first[n++] = i;
        tier[i] = k;
    }
    mem_free(first);
    return n;
}

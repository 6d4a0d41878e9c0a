/*
 * graph.c -- a job's tasks as a directed graph.  Edges are given as what comes before
 * each task and turned around once, so that an end finds who waited for it at once.
 */
#include "model/graph.h"

#include <string.h>
#include "base/mem.h"

/* Visit every task that must end before task k: by order, and as writer of an input. */
#define BEFORE_EACH(g, k, before) \
    for (uint32_t at_ = 0, after_n_ = (g)->after_start[(k) + 1] - (g)->after_start[k], \
                  all_ = after_n_ + (g)->in_start[(k) + 1] - (g)->in_start[k], before; at_ < all_; at_++) \
        if ((before = at_ < after_n_ ? (g)->after[(g)->after_start[k] + at_] \
                                     : writer(&(g)->in[(g)->in_start[k] + at_ - after_n_])) != NONE)

static uint32_t writer(const struct task_input *in) { return in->block == NONE ? in->task : NONE; }

static bool in_range(const struct task_graph *g, uint32_t n, uint32_t *bad)
{
    for (uint32_t k = 0; k < n; k++) {
        *bad = k;
        BEFORE_EACH(g, k, before) if (before >= n || before == k) return false;
    }
    return true;
}

/*
 * Kahn: take away tasks that wait for none, in `order`; returns how many could
 * be taken, all of them unless some wait in a circle.  wait [n] is zero.  From
 * the edges, which stay, and not from n_before, which counts down as the job runs.
 */
static uint32_t topological(const struct graph *g, uint32_t *order, uint32_t *wait)
{
    uint32_t n_ready = 0, taken = 0;
    for (uint32_t e = 0; e < g->next_start[g->n]; e++) wait[g->next[e]]++;
    for (uint32_t k = 0; k < g->n; k++) if (wait[k] == 0) order[n_ready++] = k;
    while (taken < n_ready) {
        uint32_t k = order[taken++];
        for (uint32_t e = g->next_start[k]; e < g->next_start[k + 1]; e++)
            if (--wait[g->next[e]] == 0) order[n_ready++] = g->next[e];
    }
    return taken;
}

/* And the levels, from the same order. */
static bool is_acyclic(struct graph *g, uint32_t *bad)
{
    uint32_t *order, *wait;
    MEM_ARRAY(order, g->n);
    MEM_ARRAY(wait, g->n);
    bool all = topological(g, order, wait) == g->n;
    for (uint32_t i = 0; i < g->n && all; i++) {
        uint32_t k = order[i], after = g->level[k] + 1;
        if (after > g->n_levels) g->n_levels = after;
        for (uint32_t e = g->next_start[k]; e < g->next_start[k + 1]; e++)
            if (g->level[g->next[e]] < after) g->level[g->next[e]] = after;
    }
    for (uint32_t k = 0; k < g->n && !all; k++)
        if (wait[k] > 0) { *bad = k; break; }
    mem_free(order);
    mem_free(wait);
    return all;
}

sim_tick graph_longest(const struct graph *g, const sim_tick *dur)
{
    uint32_t *order, *wait;
    sim_tick *begin, longest = 0;
    MEM_ARRAY(order, g->n);
    MEM_ARRAY(wait, g->n);
    MEM_ARRAY(begin, g->n);
    (void)topological(g, order, wait);
    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t k = order[i];
        sim_tick end = begin[k] + dur[k];
        longest = i64_max(longest, end);
        for (uint32_t e = g->next_start[k]; e < g->next_start[k + 1]; e++)
            begin[g->next[e]] = i64_max(begin[g->next[e]], end);
    }
    mem_free(order);
    mem_free(wait);
    mem_free(begin);
    return longest;
}

static void copy_inputs(struct graph *g, const struct task_graph *from)
{
    MEM_ARRAY(g->in_start, (size_t)g->n + 1);
    memcpy(g->in_start, from->in_start, ((size_t)g->n + 1) * sizeof *g->in_start);
    MEM_ARRAY(g->in, g->in_start[g->n]);
    if (g->in_start[g->n] > 0) memcpy(g->in, from->in, g->in_start[g->n] * sizeof *g->in);
    MEM_ARRAY(g->out, g->n);
    if (from->out != NULL) memcpy(g->out, from->out, g->n * sizeof *g->out);
    MEM_ARRAY(g->out_node, g->n);
    memset(g->out_node, 0xff, g->n * sizeof *g->out_node);
    MEM_ARRAY(g->out_at, g->n);
}

static void turn_edges(struct graph *g, const struct task_graph *from)
{
    MEM_ARRAY(g->n_before, g->n);
    MEM_ARRAY(g->next_start, (size_t)g->n + 1);
    for (uint32_t k = 0; k < g->n; k++)
        BEFORE_EACH(from, k, before) { g->n_before[k]++; g->next_start[before + 1]++; }
    for (uint32_t k = 0; k < g->n; k++) g->next_start[k + 1] += g->next_start[k];
    MEM_ARRAY(g->next, g->next_start[g->n]);
    uint32_t *fill;
    MEM_ARRAY(fill, g->n);
    for (uint32_t k = 0; k < g->n; k++)
        BEFORE_EACH(from, k, before) g->next[g->next_start[before] + fill[before]++] = k;
    mem_free(fill);
}

struct graph *graph_create(const struct task_graph *from, uint32_t n, uint32_t *bad)
{
    if (!in_range(from, n, bad)) return NULL;
    struct graph *g;
    MEM_NEW(g);
    g->n = n;
    MEM_ARRAY(g->slot, n);
    MEM_ARRAY(g->level, n);
    copy_inputs(g, from);
    turn_edges(g, from);
    if (is_acyclic(g, bad)) return g;
    graph_destroy(g);
    return NULL;
}

void graph_destroy(struct graph *g)
{
    if (g == NULL) return;
    mem_free(g->slot);
    mem_free(g->in_start);
    mem_free(g->in);
    mem_free(g->next_start);
    mem_free(g->next);
    mem_free(g->n_before);
    mem_free(g->out);
    mem_free(g->out_node);
    mem_free(g->out_at);
    mem_free(g->level);
    mem_free(g);
}

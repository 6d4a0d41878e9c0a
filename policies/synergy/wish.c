/*
 * wish.c -- alloc=opt: how many cores and how much memory each unit should have, if all nodes were one.
 *
 * An integer program chooses one pair for each: at least as fast as with its fair share, of all together no more than
 * there is, and the sum of speeds, each over that with the fair share, the greatest.  Pairs are those of whole cores
 * and of the fair share's memory, a third of it and its multiples, besides the fair share and the best; of two that are
 * as fast the larger is left out.
 *
 * Cost: O(units x cores of a best) pairs, and branch and bound over them; after NODES the best so far.
 * Source: Synergy's section 4 and opt_algo/synergy_opt.py, its first program.
 */
#include <math.h>
#include "synergy/state.h"

enum { NODES = 2000, CORE = 1000, STEPS = 64 };

/* A pair of the i-th in turn, unless it is slower than the fair share. */
static void add(struct synergy *s, size_t *n, size_t i, uint32_t node, struct grant g, double fair)
{
    const struct synergy_unit *u = &s->unit[s->turn[i]];
    double gain = synergy_speed(s, u, node, &g) / fair;
    const bool is_wide = u->gpus > s->view->node[node].n_gpu;           /* than a node: it is on several */
    if (gain < 1) return;
    if (!is_wide && (g.cpu_milli > s->book[node].cpu_total || g.mem_b > s->book[node].mem_total)) return;
    for (size_t k = *n; k-- > 0 && s->column[k].job == i;) {
        const struct program_column *c = &s->column[k];
        if (c->need[PROGRAM_CPU] <= g.cpu_milli && c->need[PROGRAM_MEM] <= g.mem_b && -c->cost >= gain) return;
    }
    const struct program_column c = { .job = i, .need = { u->gpus, g.cpu_milli, g.mem_b }, .cost = -gain };
    POL_PUSH(s->column, *n, s->cap_column, c);
}

static void add_pairs(struct synergy *s, size_t *n, size_t i)
{
    const struct synergy_unit *u = &s->unit[s->turn[i]];
    uint32_t node = synergy_some_node(s, u);
    struct grant fair = synergy_fair(s, node, u->gpus), best = synergy_best(s, u, node);
    double speed = synergy_speed(s, u, node, &fair);
    int64_t cores = best.cpu_milli / CORE, step = (cores + STEPS - 1) / STEPS;
    add(s, n, i, node, fair, speed);
    add(s, n, i, node, best, speed);
    if (u->gpus > s->view->node[node].n_gpu) return;
    for (int64_t k = 1; k <= cores; k += step > 0 ? step : 1)
        for (int m = 0; m <= 4; m++) {
            struct grant g = { k * CORE, m == 0 ? fair.mem_b / 3 : fair.mem_b * m };
            add(s, n, i, node, g, speed);
            g.mem_b = best.mem_b;
            if (m == 0) add(s, n, i, node, g, speed);
        }
}

void synergy_wish(struct synergy *s, uint32_t n)
{
    const struct lp_options options = { .nodes = NODES };
    int64_t capacity[1][PROGRAM_NEEDS] = { { 0 } };
    size_t n_columns = 0;
    double most = 1;
    for (uint32_t k = 0; k < s->view->n_nodes; k++) {
        if (!s->view->node[k].is_up) continue;
        capacity[0][PROGRAM_GPUS] += s->book[k].gpu_free;
        capacity[0][PROGRAM_CPU] += s->book[k].cpu_free;
        capacity[0][PROGRAM_MEM] += s->book[k].mem_free;
    }
    for (uint32_t i = 0; i < n; i++) add_pairs(s, &n_columns, i);
    for (size_t i = 0; i < n_columns; i++) most -= s->column[i].cost;   /* nothing is worth leaving one out */
    const int64_t (*of)[PROGRAM_NEEDS] = (const int64_t (*)[PROGRAM_NEEDS])capacity;
    if (!program_solve(s->lp, &options, s->column, n_columns, of, 1, most)) return;
    for (size_t i = 0; i < n_columns; i++) {
        const struct program_column *c = &s->column[i];
        if (c->is_chosen) s->unit[s->turn[c->job]].wish = (struct grant){ c->need[PROGRAM_CPU], c->need[PROGRAM_MEM] };
    }
}

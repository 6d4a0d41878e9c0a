#include "ref/scene.h"

static const int64_t GIB = INT64_C(1) << 30;

/* A node of its own kind, its cards after those that are there. */
static void make_node(struct scene *s, uint32_t i, struct rng *g)
{
    struct pol_node *n = &s->node[i];
    *n = (struct pol_node){ .cpu_total = 4000 << rng_below(g, 4), .mem_total = rng_below(g, 8) == 0 ? 0 : 8 * GIB << rng_below(g, 4),
                            .labels = rng_below(g, 8), .card0 = s->view.n_cards, .gpu_type = POL_NONE, .is_up = rng_below(g, 16) != 0 };
    n->cpu_reserved = rng_below(g, 3) == 0 ? 500 : 0;
    n->max_tasks = rng_below(g, 4) == 0 ? 3 : 0;
    n->cpu_free = n->cpu_total - n->cpu_reserved;
    n->mem_free = n->mem_total;
    n->engine_total[0] = n->engine_free[0] = (int32_t)rng_below(g, 3);
    if (rng_below(g, 4) == 0) return;
    int64_t mem = rng_below(g, 3) == 0 ? 0 : 16 * GIB;
    int32_t cores = rng_below(g, 3) == 0 ? 0 : 2560;
    n->gpu_type = (uint32_t)rng_below(g, 2);
    n->n_gpu = 1u << rng_below(g, 4);
    for (uint32_t k = 0; k < n->n_gpu; k++) {
        if (rng_below(g, 10) == 0) mem /= 4;        /* the rest of the cards are smaller */
        s->card[s->view.n_cards++] = (struct pol_card){ mem, mem, 1000, 0, cores, cores };
    }
}

void scene_open(struct scene *s, struct rng *g)
{
    struct pol_view *v = &s->view;
    v->n_nodes = 1 + (uint32_t)rng_below(g, SCENE_NODES);
    const uint64_t kinds = rng_below(g, 2) == 0 ? 1 : 5;        /* every node is of its own, or one in five */
    for (uint32_t i = 0; i < v->n_nodes; i++) {
        if (i == 0 || rng_below(g, kinds) == 0) {
            make_node(s, i, g);
            continue;
        }
        s->node[i] = s->node[i - 1];
        s->node[i].card0 = v->n_cards;
        for (uint32_t k = 0; k < s->node[i].n_gpu; k++) s->card[v->n_cards++] = s->card[s->node[i - 1].card0 + k];
    }
    for (uint32_t i = 0; i < SCENE_SHAPES; i++) {
        struct pol_shape *h = &s->shape[i];
        *h = (struct pol_shape){ .cpu_milli = (int64_t)rng_below(g, 5) * 1000, .mem_b = (int64_t)rng_below(g, 4) * GIB,
                                 .need_all = rng_below(g, 4) == 0 ? 1 : 0, .need_any = rng_below(g, 5) == 0 ? 6 : 0,
                                 .exclusive = rng_below(g, 10) == 0 };
        h->engine[0] = rng_below(g, 6) == 0;
        if (rng_below(g, 4) == 0) continue;
        h->n_gpu = 1 + (int32_t)rng_below(g, 3);
        h->gpu_milli = rng_below(g, 2) == 0 ? 1000 : 100 * (1 + (int32_t)rng_below(g, 9));
        h->gpu_mem_b = rng_below(g, 2) == 0 ? 0 : (int64_t)(1 + rng_below(g, 8)) * GIB;
        h->gpu_cores = rng_below(g, 3) == 0 ? 1000 : 0;
        h->gpu_types = rng_below(g, 4) == 0 ? 1 + rng_below(g, 3) : 0;
    }
    v->node = s->node;
    v->card = s->card;
    v->shape = s->shape;
    v->n_shapes = SCENE_SHAPES;
    plan_sync(&s->plan, v);
}

void scene_close(struct scene *s) { plan_fini(&s->plan); }

void scene_give(struct scene *s, uint32_t hold)
{
    struct scene_hold h = s->holds.at[hold];
    s->holds.at[hold] = s->holds.at[--s->holds.n];
    plan_release(&s->plan, h.node, &s->shape[h.shape], h.cards);
}

void scene_step(struct scene *s, struct rng *g)
{
    if (s->holds.n == SCENE_HOLDS || (s->holds.n > 0 && rng_below(g, 3) == 0)) {
        scene_give(s, (uint32_t)rng_below(g, s->holds.n));
        return;
    }
    uint32_t node = (uint32_t)rng_below(g, s->view.n_nodes), shape = (uint32_t)rng_below(g, SCENE_SHAPES);
    const struct pol_shape *h = &s->shape[shape];
    if (!plan_fits(&s->plan, node, h)) return;
    uint64_t cards = plan_pick_cards(&s->plan, node, h);
    plan_allocate(&s->plan, node, h, cards);
    s->holds.at[s->holds.n++] = (struct scene_hold){ node, shape, cards };
}

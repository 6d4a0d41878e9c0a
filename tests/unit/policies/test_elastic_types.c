/* The cluster's types of GPU as elastic policies see them. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "lib/elastic/types.h"

enum { NODES = 6, CARDS = 26 };

/* Type, cards, up or down. */
static const struct { uint32_t type, cards; int is_up; } of[NODES] = {
    { 7, 2, 1 }, { 5, 4, 1 }, { POL_NONE, 0, 1 }, { 7, 4, 1 }, { 3, 8, 1 }, { 3, 8, 0 },
};

/* 8 cards, then 4 of two types, of which 7 has the first node; on its second one card of four is in use. */
Test(elastic_types, the_widest_come_first_with_what_is_free)
{
    struct pol_node node[NODES];
    struct pol_card card[CARDS];
    struct plan plan = { 0 };
    struct pol_view view = { .node = node, .card = card };
    for (; view.n_nodes < NODES; view.n_nodes++) {
        const uint32_t i = view.n_nodes, n = of[i].cards;
        node[i] = (struct pol_node){ .cpu_total = 1000, .cpu_free = 100 + i, .mem_total = 1000, .mem_free = 200 + i,
                                     .card0 = view.n_cards, .n_gpu = n, .gpu_type = of[i].type,
                                     .is_up = (uint8_t)of[i].is_up };
        for (uint32_t k = 0; k < n; k++)
            card[view.n_cards++] = (struct pol_card){ .milli_free = i == 3 && k == 0 ? 500 : 1000 };
    }
    plan_sync(&plan, &view);
    struct elastic_types t = { 0 };
    for (int again = 0; again < 2; again++) {
        elastic_types_list(&t, &plan);
        static const struct elastic_type want[] = {
            { 3, 8, 8, 104, 204 }, { 7, 4, 2 + 3, 100 + 103, 200 + 203 }, { 5, 4, 4, 101, 201 },
        };
        cr_assert_eq(t.n, 3);
        for (size_t k = 0; k < t.n; k++) {
            const struct elastic_type *x = &t.at[k];
            cr_assert(x->gpu_type == want[k].gpu_type && x->cards == want[k].cards, "%zu: type %u", k, x->gpu_type);
            cr_assert(x->gpus == want[k].gpus && x->cpu == want[k].cpu && x->mem == want[k].mem, "%zu: %ld %ld %ld", k,
                      (long)x->gpus, (long)x->cpu, (long)x->mem);
        }
    }
    free(t.at);
    plan_fini(&plan);
}

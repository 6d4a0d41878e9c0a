/* The scratch ledger: undo restores exactly, and syncing with the view changes nothing that was foreseen. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "base/rng.h"
#include "ref/scene.h"

enum { SCRIPTS = 400, STEPS = 60 };

struct copy { struct plan_node node[SCENE_NODES]; struct pol_card card[SCENE_CARDS]; uint64_t freed_epoch, change_epoch; };

static void copy(struct copy *c, const struct plan *p)
{
    memset(c, 0, sizeof *c);
    memcpy(c->node, p->node, p->n_nodes * sizeof *p->node);
    for (uint32_t n = 0; n < p->n_nodes; n++)
        memcpy(&c->card[p->node[n].n.card0], plan_cards_of(p, n), p->node[n].n.n_gpu * sizeof *p->card);
    c->freed_epoch = p->freed_epoch;
    c->change_epoch = p->change_epoch;
}

/* Random takes and gives, sometimes inside nested marks, each level kept or undone at random. */
static void wander(struct scene *s, struct rng *g, int steps, int depth)
{
    for (int i = 0; i < steps; i++) {
        if (depth < 4 && rng_below(g, 6) == 0) {
            struct copy before, after;
            struct scene_holds holds = s->holds;
            copy(&before, &s->plan);
            struct plan_mark m = plan_mark(&s->plan);
            wander(s, g, (int)rng_below(g, 8), depth + 1);
            if (rng_below(g, 2) == 0) {
                plan_keep(&s->plan, m);
                continue;
            }
            plan_undo(&s->plan, m);
            s->holds = holds;
            copy(&after, &s->plan);
            cr_assert(memcmp(&before, &after, sizeof before) == 0, "undo left a difference");
        } else {
            scene_step(s, g);
        }
        int64_t gpu_free = 0, n_idle = 0;
        for (uint32_t n = 0; n < s->plan.n_nodes; n++)
            for (uint32_t k = 0; k < s->plan.node[n].n.n_gpu && s->plan.node[n].n.is_up; k++) {
                const int32_t milli = plan_cards_of(&s->plan, n)[k].milli_free;
                gpu_free += milli;
                n_idle += milli == 1000;
            }
        cr_assert(s->plan.gpu_free == gpu_free && s->plan.n_idle == n_idle);
    }
}

Test(plan, undo_restores_exactly)
{
    for (uint64_t seed = 1; seed <= SCRIPTS; seed++) {
        struct scene *s = calloc(1, sizeof *s);
        struct rng g;
        rng_init(&g, seed, "plan", 0);
        scene_open(s, &g);
        wander(s, &g, STEPS, 0);
        scene_close(s);
        free(s);
    }
}

/* While the freed epoch is the same, what did not fit still does not. */
Test(plan, a_failure_holds_as_long_as_the_freed_epoch)
{
    for (uint64_t seed = 1; seed <= SCRIPTS; seed++) {
        struct scene *s = calloc(1, sizeof *s);
        struct rng g;
        uint64_t failed[SCENE_SHAPES] = { 0 };
        rng_init(&g, seed, "stamp", 0);
        scene_open(s, &g);
        for (int k = 0; k < STEPS; k++) {
            wander(s, &g, 3, 0);
            for (uint32_t h = 0; h < SCENE_SHAPES; h++) {
                bool fits = false;
                for (uint32_t i = 0; i < s->plan.n_nodes; i++) fits |= plan_fits(&s->plan, i, &s->shape[h]);
                cr_assert(!fits || failed[h] != s->plan.freed_epoch, "it fits again in the same freed epoch");
                if (!fits) failed[h] = s->plan.freed_epoch;
            }
        }
        scene_close(s);
        free(s);
    }
}

/* Everything given back, the plan is what the view shows. */
Test(plan, gives_undo_takes)
{
    for (uint64_t seed = 1; seed <= SCRIPTS; seed++) {
        struct scene *s = calloc(1, sizeof *s);
        struct rng g;
        struct copy before, after;
        rng_init(&g, seed, "give", 0);
        scene_open(s, &g);
        copy(&before, &s->plan);
        for (int k = 0; k < STEPS; k++) scene_step(s, &g);
        while (s->holds.n > 0) scene_give(s, s->holds.n - 1);
        copy(&after, &s->plan);
        cr_assert(memcmp(before.node, after.node, sizeof before.node) == 0 && memcmp(before.card, after.card, sizeof before.card) == 0);
        scene_close(s);
        free(s);
    }
}

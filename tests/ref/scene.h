/*
 * scene.h -- a random small cluster with random shapes, and a plan of it that
 * wanders by random takes and gives.  For tests of plan and place.
 */
#ifndef SCENE_H
#define SCENE_H

#include "base/rng.h"
#include "lib/place/plan.h"

enum { SCENE_NODES = 40, SCENE_CARDS = SCENE_NODES * 8, SCENE_SHAPES = 12, SCENE_HOLDS = 512 };

struct scene_hold { uint32_t node, shape; uint64_t cards; };
struct scene_holds { struct scene_hold at[SCENE_HOLDS]; uint32_t n; };

struct scene {
    struct pol_view  view;
    struct pol_node  node[SCENE_NODES];
    struct pol_card  card[SCENE_CARDS];
    struct pol_shape shape[SCENE_SHAPES];
    struct plan plan;
    struct scene_holds holds;
};

void scene_open(struct scene *s, struct rng *g);        /* zero-initialise first */
void scene_close(struct scene *s);
/* Take a random shape on a random node with random fitting cards, or give something back. */
void scene_step(struct scene *s, struct rng *g);
void scene_give(struct scene *s, uint32_t hold);

#endif

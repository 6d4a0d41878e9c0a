/*
 * room.h -- how many tasks of one shape fit, over all nodes, while nodes change.
 *
 * For gangs whose tasks all ask for the same and are monotone (request_class.h): wherever
 * a rule places one, its node takes one less, so a gang fits exactly when there is room
 * for as many as it has, of nodes that the rule admits.
 *
 * Costs: open O(nodes on which the shape fits x log n), node O(cards of the node).
 */
#ifndef POL_LIB_SCHED_ROOM_H
#define POL_LIB_SCHED_ROOM_H

#include "lib/place/placement.h"

struct room {
    uint64_t all;                       /* tasks that fit */
    const struct plan *plan;
    const struct pol_shape *shape;      /* borrowed */
    uint64_t opened;                    /* times so far */
    struct room_node { uint64_t opened; uint32_t fit; } *node; size_t cap;  /* [n_nodes]; of an older opening: none */
};

void room_fini(struct room *r);         /* zero-initialise to begin */
void room_open(struct room *r, struct placement *pl, const struct pol_shape *s);
/* The node changed. */
void room_node(struct room *r, uint32_t node);

#endif

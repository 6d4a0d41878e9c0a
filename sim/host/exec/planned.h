/*
 * planned.h -- the nodes as a policy in another process plans them within a
 * round, and where requests fit on them: the query `fits` of
 * policies/PROTOCOL.md.  Layer: host.
 *
 * Invariant: when a round begins they equal the view's; within it they differ
 * where the child said so.
 *
 * Costs: sync O(what changed, and what the child had set), an answer
 * O(requests x nodes) and what it writes.
 */
#ifndef HOST_EXEC_PLANNED_H
#define HOST_EXEC_PLANNED_H

#include "host/exec/reply.h"

struct planned {
    struct pol_node *node; uint32_t n_nodes;
    struct pol_card *card;
    uint32_t *set; size_t n_set, cap_set;       /* nodes that the child set in this round, some twice */
    uint32_t *named, n_lists;                   /* named [n_nodes]: the number of the last list that named it */
};

void planned_fini(struct planned *p);           /* zero-initialise to begin */
void planned_sync(struct planned *p, const struct pol_view *v);
/* A place of one task: bits of the node's cards. */
struct planned_place {
    int64_t node;
    uint64_t cards;
};
/*
 * The first places of n tasks of the shape, one after the other, in *out [n]; returns how many there are.  n 0: of one
 * task on each node, [n_nodes].  empty: as if nothing ran there.
 */
uint32_t planned_find(const struct planned *p, const struct pol_shape *s, uint32_t n, bool empty,
    struct planned_place *out);
/* A task of the shape comes to hold what it asks of the node (sign -1), or no longer (+1). */
void planned_move(struct planned *p, uint32_t node, const struct pol_shape *s, uint64_t cards, int sign);
/* The node as it is planned, to be changed; it is the view's again when the next round begins. */
struct pol_node *planned_touch(struct planned *p, uint32_t node);
/*
 * Take over what the query says of nodes, and write the answer to it.
 *   deadline  by child_clock(): an answer that is not complete then is none
 * False with `error` filled [REPLY_ERROR_MAX]: what it names does not exist, or is
 * more than there is; the answer is too long, or too late.
 */
bool planned_answer(struct planned *p, struct json_text *out, const struct pol_view *v, struct reply *r, int64_t deadline, char *error);

#endif

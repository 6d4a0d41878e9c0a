/*
 * plan.h -- a private copy of what is free, to plan in.
 *
 * Invariant: outside a decision the plan equals the view's nodes and cards.
 * Allocating and releasing inside a decision change the plan alone; what is done
 * after a plan_mark can be undone exactly.
 *
 * Costs: plan_sync O(changed), allocate and release O(cards of the node), undo
 * O(what it undoes).
 *
 * Two epochs let callers remember failures.  While `freed_epoch` is the same,
 * nothing has become free since: what did not fit still does not.  While
 * `change_epoch` is the same, nothing has changed at all.  plan_undo restores both.
 */
#ifndef POL_LIB_SCHED_PLAN_H
#define POL_LIB_SCHED_PLAN_H

#include "extensions.h"
#include "fits.h"

struct plan_node {
    struct pol_node n;
    int32_t  gpu_free;              /* thousandths, over all its cards */
    int32_t  n_idle;                /* cards that are wholly free */
    uint64_t idle;                  /* which: bit k is card k */
    uint32_t n_no_cpu, n_no_mem;    /* running tasks that ask none (not exclusive ones) */
    bool     has_engines, has_like_cards;   /* none of its cards has more memory or cores than another */
};

/* Which nodes changed, for readers that keep something for each: touch k, from 1 on, was of node log[k & mask]. */
struct plan_touches { uint64_t n, *last; uint32_t *log, mask; };       /* last [n_nodes]: the node's latest k */

/* What nodes and cards were before they changed under a mark, the latest last. */
struct plan_undo {
    struct plan_old *node; size_t n, cap;
    struct pol_card *card; size_t n_cards, cap_cards;
    uint32_t depth;                         /* marks not ended yet */
    uint64_t n_releases;
};

struct plan {
    struct plan_node *node;  uint32_t n_nodes;
    struct pol_card  *card;  uint32_t n_cards;      /* n_cards: of the cluster */
    uint32_t *card0;                        /* [n_nodes] a node's cards are card[card0] and on: plan_cards_of */
    uint32_t card_own, card_end;            /* those before card_own stand for all nodes that came with the like of them */
    const struct pol_shape *shape;          /* the view's; current from plan_sync to the end of decide */
    const struct pol_shapes *shapes;        /* the host's; NULL: ids of shapes stay (plan_reuses) */
    const struct pol_gpu_type *gpu_type;    /* the view's, [n_gpu_types] */
    uint32_t n_gpu_types;
    const struct pol_licences *licences; void *ctx;     /* the host's; NULL: whoever plans knows none */
    bool by_count; /* POL_BY_COUNT: set before the first plan_sync; `shape` is then `bare`, and so are cards */
    struct { struct pol_shape *shape; size_t cap; uint32_t n; } bare;   /* shapes without memory and cores of cards */
    struct { int64_t cpu, mem, gpu; } largest;      /* total of any node */
    int64_t gpu_free, n_idle;               /* thousandths, and cards wholly free, over all nodes that are up */
    uint32_t *node_class;                   /* [n_nodes] nodes alike when idle share one; POL_NONE: unclassed */
    uint32_t n_node_classes;
    uint64_t freed_epoch, change_epoch, last_epoch;
    uint64_t n_grown;                       /* nodes that had more free than was foreseen, so far */
    struct plan_touches touches;
    struct plan_undo undo;
};

struct plan_mark { size_t n_old, n_old_card; uint64_t freed_epoch, change_epoch, n_releases; };

/* How many different licences policies here keep books of; sched_open fails the run of a cluster with more. */
enum { PLAN_LICENCES_MAX = 8 };
static inline uint32_t plan_n_licences(const struct plan *p) { return p->licences == NULL ? 0 : p->licences->n; }
/* How many of a licence a task of the shape asks; of a licence that is not there, 0. */
static inline int32_t plan_licence(const struct plan *p, uint32_t shape, uint32_t licence)
{
    const int32_t *n = licence < plan_n_licences(p) ? p->licences->asked(p->ctx, shape) : NULL;
    return n == NULL ? 0 : n[licence];
}

void plan_fini(struct plan *p);             /* zero-initialise to begin */
/* In create: whoever plans forgets what it keeps of shapes whose ids are renewed (shapes/1). */
void plan_reuses(struct plan *p, const struct pol_host *host);
static inline uint32_t plan_n_renewed(const struct plan *p) { return p->shapes == NULL ? 0 : p->shapes->n_renewed; }
/* New shapes, before events are read. */
void plan_shapes(struct plan *p, const struct pol_view *v);
/* Copies all nodes the first time, the changed ones later. */
void plan_nodes(struct plan *p, const struct pol_view *v);
/* Both. */
void plan_sync(struct plan *p, const struct pol_view *v);

/* Nothing changed, but failures noted by `change_epoch` no longer hold. */
void plan_renew(struct plan *p);

/*
 * Since something failed it can have come to fit only on nodes that changed.  `from` is the plan's touches at that
 * time, 0: all nodes.  How many there are, and the i-th, which may be met twice.
 */
static inline uint64_t plan_n_changed(const struct plan *p, uint64_t from)
{
    return from == 0 || p->touches.n - from > p->n_nodes ? p->n_nodes : p->touches.n - from;
}
static inline uint32_t plan_changed(const struct plan *p, uint64_t from, uint64_t i)
{
    const bool all = from == 0 || p->touches.n - from > p->n_nodes;
    return all ? (uint32_t)i : p->touches.log[(from + 1 + i) & p->touches.mask];
}

/*
 * fits.h asked of the plan.  What the node has in sum is compared first: most
 * refusals need no look at its cards.
 */
static inline const struct pol_card *plan_cards_of(const struct plan *p, uint32_t node) { return &p->card[p->card0[node]]; }
static inline bool plan_has_cards(const struct plan_node *o, const struct pol_shape *s)
{
    return o->gpu_free >= (int64_t)s->n_gpu * s->gpu_milli &&
           (s->gpu_milli != FITS_WHOLE_CARD || o->n_idle >= s->n_gpu);
}
/* Of cards that it asks for it asks nothing but that they are idle. */
static inline bool plan_asks_idle(const struct pol_shape *s)
{
    return s->gpu_milli == FITS_WHOLE_CARD && s->gpu_mem_b == 0 && s->gpu_cores == 0;
}
static inline bool plan_fits(const struct plan *p, uint32_t node, const struct pol_shape *s)
{
    const struct plan_node *o = &p->node[node];
    if (!plan_has_cards(o, s)) return false;
    if (s->n_gpu == 0 || plan_asks_idle(s)) return pol_node_fits_beside_cards(&o->n, s);
    return pol_node_fits(&o->n, plan_cards_of(p, node), s);
}
/* Would it fit if nothing ran there?  False of a node that is down. */
static inline bool plan_could_fit(const struct plan *p, uint32_t node, const struct pol_shape *s)
{
    return p->node[node].n.is_up && pol_node_capacity_empty(&p->node[node].n, plan_cards_of(p, node), s) > 0;
}
static inline uint32_t plan_capacity(const struct plan *p, uint32_t node, const struct pol_shape *s)
{
    const struct plan_node *o = &p->node[node];
    if (s->n_gpu == 0 || s->exclusive || !plan_asks_idle(s)) return pol_node_capacity(&o->n, plan_cards_of(p, node), s);
    if (!plan_fits(p, node, s)) return 0;
    const int64_t beside = pol_node_capacity_beside_cards(&o->n, s);
    return (uint32_t)(o->n_idle / s->n_gpu < beside ? o->n_idle / s->n_gpu : beside);
}
/* The cards a task gets when nobody says: README.md, "Cards".  It must fit. */
static inline uint64_t plan_pick_cards(const struct plan *p, uint32_t node, const struct pol_shape *s)
{
    const struct plan_node *o = &p->node[node];
    if (s->exclusive || !o->has_like_cards || !plan_asks_idle(s)) return pol_node_pick_cards(&o->n, plan_cards_of(p, node), s);
    uint64_t left = o->idle;            /* idle cards that are alike: the first of them */
    if (o->n_idle <= s->n_gpu) return o->n_idle == s->n_gpu ? left : 0;
    for (int32_t n = s->n_gpu; n > 0; n--) left &= left - 1;
    return o->idle ^ left;
}

/* The task must fit, on these cards; release undoes such an allocation. */
void plan_allocate(struct plan *p, uint32_t node, const struct pol_shape *s, uint64_t cards);
void plan_release(struct plan *p, uint32_t node, const struct pol_shape *s, uint64_t cards);
/* Allocations since change_epoch, the latest first: undone without a mark, where no failure was noted meanwhile. */
void plan_take_back(struct plan *p, uint32_t node, const struct pol_shape *s, uint64_t cards, uint64_t change_epoch);

/* A node's state, kept aside: `card` [n_gpu], owned by whoever keeps the snap. */
struct plan_snap { struct plan_node node; struct pol_card *card; size_t cap_card; };
void plan_snap(struct plan_snap *s, const struct plan *p, uint32_t node);
void plan_snap_allocate(struct plan_snap *s, const struct pol_shape *shape, uint64_t cards);
void plan_snap_release(struct plan_snap *s, const struct pol_shape *shape, uint64_t cards);
static inline bool plan_snap_fits(const struct plan_snap *s, const struct pol_shape *shape)
{
    return plan_has_cards(&s->node, shape) && pol_node_fits(&s->node.n, s->card, shape);
}
/* Lower the node to the smaller of itself and the snap, resource by resource; see README.md, easy. */
void plan_limit(struct plan *p, uint32_t node, const struct plan_snap *to);

/* Make a node of one plan what it is in another of the same cluster. */
void plan_copy_node(struct plan *to, const struct plan *from, uint32_t node);

/* Marks nest; each is ended by exactly one of undo and keep, the latest first. */
struct plan_mark plan_mark(struct plan *p);
void plan_undo(struct plan *p, struct plan_mark m);
void plan_keep(struct plan *p, struct plan_mark m);

#endif

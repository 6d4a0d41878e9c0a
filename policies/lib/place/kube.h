/*
 * kube.h -- Kubernetes' way of choosing a node: filter plugins, then the sum of
 * weighted score plugins.  README.md, "Kubernetes", has every plugin's rule.
 *
 * A plugin looks at one node and one shape, and at what is the same for the
 * whole run; so placement.h can keep scores in its trees and ask again only where a
 * node changed.  One that can say of many nodes how good the best of them can be spares
 * the tree: the best node is searched for.  To add one: a function and a row in kube_plugins.c.
 *
 * Scores are integers in ten-thousandths of a point: the paper's have decimals,
 * and Kubernetes' whole points are kept exactly.
 */
#ifndef POL_LIB_SCHED_KUBE_H
#define POL_LIB_SCHED_KUBE_H

#include "extensions.h"
#include "lib/place/plan.h"

enum { KUBE_POINT = 10000, KUBE_MAX = 100 * KUBE_POINT, KUBE_SCORES_MAX = 16, KUBE_KNEES_MAX = 101 };
enum kube_profile { KUBE_DEFAULT, KUBE_SPLIT, KUBE_HYBRID };
/* Values of similarity= in the order of its choices. */
enum kube_similarity { KUBE_MEAN, KUBE_TANIMOTO, KUBE_DISTANCE, KUBE_COSINE };
enum { KUBE_SHARE_BITS = 20, KUBE_ONE = 1 << KUBE_SHARE_BITS };     /* shares in 2^-20 */
enum { KUBE_DIMS = 5 };     /* cards (thousandths), memory and cores of a card, CPU, memory */

/* What a plugin's `resources` may name. */
enum { KUBE_CPU, KUBE_MEM, KUBE_GPU, KUBE_RESOURCES };

struct kube;

/* One question: this shape on this node, on which it fits. */
struct kube_ask {
    const struct plan *plan;
    const struct plan_node *node;
    const struct pol_shape *shape;
    uint32_t id;                    /* of the node */
};

/*
 * The same shape on any of many nodes with the same totals, labels and cards: as if one had the most of everything
 * free that any has, or the least, and the least and most that kube_skew is of any.
 */
struct kube_span { struct kube_ask freest, fullest; int64_t skew_min, skew_max; };

struct kube_filter {
    const char *name, *help;
    bool (*admits)(const struct kube *k, const struct kube_ask *a);
};

/*
 * A score plugin as a profile has it.  resource: weights; knee: a line through (per cent in use, points of 100),
 * used of `ratio` alone.
 */
struct kube_args {
    int64_t  resource[KUBE_RESOURCES];
    struct { int64_t used, points; } knee[KUBE_KNEES_MAX];
    uint32_t n_knees;
};

/*
 * raw: 0 .. full, which is normalised to 0 .. 100 points.  takes_resources, takes_knees: what its args may say.
 * most: no node of the span has more than this; NULL: nothing is known of many nodes at once.
 */
struct kube_score {
    const char *name, *help;
    int64_t full;
    int64_t (*raw)(const struct kube *k, const struct kube_ask *a, const struct kube_args *args);
    bool takes_resources, takes_knees;
    int64_t (*most)(const struct kube *k, const struct kube_span *s, const struct kube_args *args);
};

extern const struct kube_filter kube_filters[];     /* ended by a NULL name */
extern const struct kube_score  kube_scores[];

/*
 * Where the search for nodes is, the same for all profiles of a scheduler, and what its last question looked at.
 *   order   [n_nodes] nodes in the order in which they are looked at; from order[next] on
 *   looked  [n_nodes] the question that found the node to fit, unless it looked at all
 *   most    the most that one of them was preferred
 *   is_new  the record has not had that question yet
 */
struct kube_round { uint32_t *order, next; uint64_t *looked, question; int32_t most; bool looks_at_all, is_new; };
static inline bool kube_looked(const struct kube_round *r, uint32_t node)
{
    return r->looks_at_all || r->looked[node] == r->question;
}

struct kube {
    struct { const struct kube_score *plugin; int64_t weight; struct kube_args args; } score[KUBE_SCORES_MAX];
    uint32_t n_scores;
    int64_t  affinity;              /* weight of what pods prefer of nodes; 0: not looked at */
    const struct pol_preferences *preferences;  /* borrowed; NULL: nobody states any */
    const struct pol_host *host;
    uint32_t percentage;            /* of the nodes, that are scored when so many fit; 0: by their number */
    struct kube_round *round;       /* borrowed; NULL: all nodes are scored, and preferences not looked at */
    uint32_t filters;               /* bit by place in kube_filters */
    enum kube_similarity similarity;
    bool     mean_of_both;          /* S_GPU: the mean of card and similarity, not their product */
    uint64_t part_label;            /* kube-split: nodes with it are for GPU pods; 0: nodes with GPUs are */
    uint32_t *rank;                 /* [n_nodes] of equal scores the lowest wins; NULL: the lowest index */
    /* found by kube_prepare */
    const struct plan *plan;
    uint32_t n_gpu_nodes;
    int64_t  most[KUBE_DIMS];       /* largest total of any node */
    int64_t *type_score; size_t cap_type;   /* [n_gpu_types] Scard, in 2^-20 */
};

void kube_init(struct kube *k, enum kube_profile p);
void kube_fini(struct kube *k);
/* "name:weight:args;...", README.md, "Kubernetes"; false with error filled. */
bool kube_parse(struct kube *k, const char *text, char *error, size_t cap);
/* Ties: by node name (seed 0), or in an order drawn from the seed. */
void kube_rank(struct kube *k, const struct pol_host *h, uint32_t n_nodes, uint64_t seed);
/* The order in which nodes are looked at: of each rack in turn, as kube-scheduler does it with zones. */
void kube_round_begin(struct kube_round *r, const struct plan *p);
void kube_round_fini(struct kube_round *r);
/* How many nodes that fit are looked for, of n. */
uint32_t kube_to_find(uint32_t percentage, uint32_t n);
/* What a task of the shape prefers: a sum of weights for each node, [n_nodes]; NULL: nothing, or not looked at. */
const int32_t *kube_preferred(const struct kube *k, uint32_t shape);
extern const char kube_affinity[];         /* its name among score plugins */
/* NodeAffinity's points of a node, in ten-thousandths, whole ones; most: of any node that is scored. */
int64_t kube_affinity_points(const int32_t *preferred, uint32_t node, int32_t most);

/* Take in what is the same for the whole run; at once when done before. */
void kube_prepare(struct kube *k, const struct plan *p);

/* Points of score plugin i on a node where the shape fits, in ten-thousandths, without its weight. */
int64_t kube_points(const struct kube *k, const struct plan *p, uint32_t shape, uint32_t node, uint32_t i);
/* The first filter that strikes the node out; NULL: none does. */
const struct kube_filter *kube_struck(const struct kube *k, const struct plan *p, uint32_t shape, uint32_t node);
static inline bool kube_admits(const struct kube *k, const struct plan *p, uint32_t shape, uint32_t node)
{
    return kube_struck(k, p, shape, node) == NULL;
}
/* Sum of weight x points, in ten-thousandths; the shape fits on the node. */
int64_t kube_total(const struct kube *k, const struct plan *p, uint32_t shape, uint32_t node);
/* No node of the span has more; false: some plugin knows no bound. */
bool kube_is_bounded(const struct kube *k);
int64_t kube_most(const struct kube *k, const struct kube_span *s);
/* The share of the node's CPU that is in use less that of its memory, in 2^-20 of a share. */
int64_t kube_skew(const struct plan_node *o);

/* ---- the arithmetic, for tests too ---- */

/* What counts as requested on the node with the task on it. */
void    kube_requested(const struct kube_ask *a, int64_t *cpu, int64_t *mem);
/* The same of any resource: capacity and request. */
void    kube_amounts(const struct kube_ask *a, int64_t c[KUBE_RESOURCES], int64_t r[KUBE_RESOURCES]);
/* RequestedToCapacityRatio, 0 .. 100. */
int64_t kube_ratio(const int64_t c[KUBE_RESOURCES], const int64_t r[KUBE_RESOURCES], const struct kube_args *args);
/* Mean over CPU and memory of (c - r) * full / c, each floored: eq. 1, LeastAllocated. */
int64_t kube_least(int64_t c1, int64_t r1, int64_t c2, int64_t r2, int64_t full);
/* Similarity of what is free and what is asked, in 2^-20; most: eq. 3 (normalises all but the mean). */
int64_t kube_similar(enum kube_similarity how, const int64_t n[KUBE_DIMS], const int64_t r[KUBE_DIMS], const int64_t most[KUBE_DIMS]);
/* Eq. 5: a = g / n.  lrs in ten-thousandths of a point. */
int64_t kube_dominant(bool is_gpu_node, uint32_t g, uint32_t n, int64_t lrs);

#endif

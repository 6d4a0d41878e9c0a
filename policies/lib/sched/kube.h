/*
 * kube.h -- Kubernetes' way of choosing a node: filter plugins, then the sum of
 * weighted score plugins.  README.md, "Kubernetes", has every plugin's rule.
 *
 * A plugin looks at one node and one shape, and at what is the same for the
 * whole run; so placement.h can keep scores in its trees and ask again only where a
 * node changed.  To add one: a function and a row in kube_plugins.c.
 *
 * Scores are integers in ten-thousandths of a point: the paper's have decimals,
 * and Kubernetes' whole points are kept exactly.
 */
#ifndef POL_LIB_SCHED_KUBE_H
#define POL_LIB_SCHED_KUBE_H

#include "lib/sched/plan.h"

enum { KUBE_POINT = 10000, KUBE_MAX = 100 * KUBE_POINT, KUBE_SCORES_MAX = 16 };
enum kube_profile { KUBE_DEFAULT, KUBE_SPLIT, KUBE_HYBRID };
/* Values of similarity= in the order of its choices. */
enum kube_similarity { KUBE_MEAN, KUBE_TANIMOTO, KUBE_DISTANCE, KUBE_COSINE };
enum { KUBE_SHARE_BITS = 20, KUBE_ONE = 1 << KUBE_SHARE_BITS };     /* shares in 2^-20 */
enum { KUBE_DIMS = 5 };     /* cards (thousandths), memory and cores of a card, CPU, memory */

struct kube;

/* One question: this shape on this node, on which it fits. */
struct kube_ask {
    const struct plan *plan;
    const struct plan_node *node;
    const struct pol_shape *shape;
    uint32_t id;                    /* of the node */
};

struct kube_filter {
    const char *name, *help;
    bool (*admits)(const struct kube *k, const struct kube_ask *a);
};

/* raw: 0 .. full, which is normalised to 0 .. 100 points. */
struct kube_score {
    const char *name, *help;
    int64_t full;
    int64_t (*raw)(const struct kube *k, const struct kube_ask *a);
};

extern const struct kube_filter kube_filters[];     /* ended by a NULL name */
extern const struct kube_score  kube_scores[];

struct kube {
    struct { const struct kube_score *plugin; int64_t weight; } score[KUBE_SCORES_MAX];
    uint32_t n_scores;
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
/* "name:weight;..."; false with error filled. */
bool kube_parse(struct kube *k, const char *text, char *error, size_t cap);
/* Ties: by node name (seed 0), or in an order drawn from the seed. */
void kube_rank(struct kube *k, const struct pol_host *h, uint32_t n_nodes, uint64_t seed);
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

/* ---- the arithmetic, for tests too ---- */

/* What counts as requested on the node with the task on it. */
void    kube_requested(const struct kube_ask *a, int64_t *cpu, int64_t *mem);
/* Mean over CPU and memory of (c - r) * full / c, each floored: eq. 1, LeastAllocated. */
int64_t kube_least(int64_t c1, int64_t r1, int64_t c2, int64_t r2, int64_t full);
/* Similarity of what is free and what is asked, in 2^-20; most: eq. 3 (normalises all but the mean). */
int64_t kube_similar(enum kube_similarity how, const int64_t n[KUBE_DIMS], const int64_t r[KUBE_DIMS], const int64_t most[KUBE_DIMS]);
/* Eq. 5: a = g / n.  lrs in ten-thousandths of a point. */
int64_t kube_dominant(bool is_gpu_node, uint32_t g, uint32_t n, int64_t lrs);

#endif

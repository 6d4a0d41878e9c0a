/*
 * kube.c -- Kubernetes' scheduler in three profiles: kube-default, kube-split,
 * kube-hybrid.  README.md, "Kubernetes".
 *
 * Each orders units by priority, then arrival, and tries all; they differ in the
 * plugins that choose a node (lib/sched/kube.h).  Cost: list_run's
 * (lib/sched/list.h), a score for each node that changed.
 * Source: Kubernetes 1.20; Liu et al., fine-grained scheduling of heterogeneous
 * resources in Kubernetes, 2023.
 */
#include "lib/sched/kube.h"

#include "lib/sched/list.h"
#include "builtin.h"
#include "lib/util.h"

struct kube_policy { struct sched sched; struct kube kube; uint64_t tie_seed; const char *label; };

/* PrioritySort: the higher priority first, then as they came. */
static int64_t wait_key(void *self, const struct unit *u)
{
    const struct pol_host *h = ((const struct kube_policy *)self)->sched.host;
    const struct pol_job_info *ji = h->job(h->ctx, u->job);
    return ji != NULL ? -(int64_t)ji->priority : 0;
}

#define SCORE_PARAM(dflt_) { .name = "score", .type = POL_TEXT, .dflt = dflt_, \
                             .help = "score plugins with their weights, name:weight;...: policies/README.md lists them" }
#define TIE_PARAM { .name = "tie_seed", .type = POL_INT, .dflt = "0", .help = "of equal nodes: 0, the first by name; else in an order drawn from this" }

/* Every profile's first two parameters are `score` and `tie_seed`. */
static bool make(struct kube_policy *p, enum kube_profile profile, const union pol_value *value, char *error, size_t cap)
{
    placement_fini(&p->sched.placement);
    placement_init(&p->sched.placement, &p->sched.plan, profile == KUBE_HYBRID ? PLACEMENT_KUBE_HYBRID : PLACEMENT_KUBE);
    kube_init(&p->kube, profile);
    placement_use(&p->sched.placement, &p->kube);
    p->sched.plan.by_count = profile != KUBE_HYBRID;
    p->tie_seed = (uint64_t)value[1].i;
    return kube_parse(&p->kube, value[0].s, error, cap);
}

static void fini(void *self) { kube_fini(&((struct kube_policy *)self)->kube); }

static void decide(void *self)
{
    struct kube_policy *p = self;
    const struct pol_host *h = p->sched.host;
    if (p->kube.rank == NULL) {
        kube_rank(&p->kube, h, p->sched.view->n_nodes, p->tie_seed);
        if (p->label != NULL && p->label[0] != '\0') {
            uint32_t bit = h->label(h->ctx, p->label);
            if (bit == POL_NONE) { h->fail(h->ctx, "no node carries the label of its 'label' parameter"); return; }
            p->kube.part_label = UINT64_C(1) << bit;
        }
    }
    list_run(&p->sched, LIST_SKIP);
    if (p->kube.filters == 0) return;
    for (uint32_t i = 0; i < p->sched.n_fresh; i++)
        if (sched_unit(&p->sched, p->sched.fresh[i])->state == UNIT_WAITING)
            h->hold(h->ctx, sched_unit(&p->sched, p->sched.fresh[i])->task, false, "no room on the nodes that are for pods of its kind");
}

#define OPS(init_) { .wait_key = wait_key, .size = sizeof(struct kube_policy), .init = init_, .decide = decide, .fini = fini }

/* ---- kube-default ---- */

static const struct pol_param default_params[] = { SCORE_PARAM("least:1;balanced:1"), TIE_PARAM };

static bool init_default(void *self, const union pol_value *value, char *error, size_t cap) { return make(self, KUBE_DEFAULT, value, error, cap); }
static const struct sched_ops default_ops = OPS(init_default);

LIST_POLICY(pol_kube_default, default_ops, default_params,
            .name = "kube-default", .source = "Kubernetes 1.20, noderesources plugins; Liu et al. 2023, section 1",
            .summary = "Kubernetes' own scheduler: counts cards, spreads CPU and memory", .flags = POL_BY_COUNT);

/* ---- kube-split ---- */

static const struct pol_param split_params[] = {
    SCORE_PARAM("least:1;balanced:1"), TIE_PARAM,
    { .name = "label", .type = POL_TEXT, .dflt = "", .help = "nodes that carry it are for GPU pods; empty: nodes with GPUs are" },
};

static bool init_split(void *self, const union pol_value *value, char *error, size_t cap)
{
    struct kube_policy *p = self;
    bool ok = make(p, KUBE_SPLIT, value, error, cap);
    p->label = value[2].s;
    return ok;
}
static const struct sched_ops split_ops = OPS(init_split);

LIST_POLICY(pol_kube_split, split_ops, split_params,
            .name = "kube-split", .source = "Liu et al. 2023, section 3.1: clusters apart by LabelSelector",
            .summary = "kube-default with nodes for GPU pods and nodes for others kept apart", .flags = POL_BY_COUNT | POL_STRANDS);

/* ---- kube-hybrid ---- */

static const struct pol_param hybrid_params[] = {
    SCORE_PARAM("dominant:1;gpu:1"), TIE_PARAM,
    { .name = "similarity", .type = POL_CHOICE, .dflt = "mean", .choices = "mean|tanimoto|distance|cosine", .help = "of what is free and what is asked (eq. 3)" },
    { .name = "gpu_score", .type = POL_CHOICE, .dflt = "product", .choices = "product|mean", .help = "of the card's score and the similarity (eq. 4)" },
};

static bool init_hybrid(void *self, const union pol_value *value, char *error, size_t cap)
{
    struct kube_policy *p = self;
    bool ok = make(p, KUBE_HYBRID, value, error, cap);
    p->kube.similarity = (enum kube_similarity)value[2].i;
    p->kube.mean_of_both = value[3].i == 1;
    return ok;
}
static const struct sched_ops hybrid_ops = OPS(init_hybrid);

LIST_POLICY(pol_kube_hybrid, hybrid_ops, hybrid_params,
            .name = "kube-hybrid", .source = "Liu et al. 2023, section 2",
            .summary = "looks into the cards; CPU pods stay off GPU nodes while a CPU node fits");

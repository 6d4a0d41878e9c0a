/*
 * kube.c -- Kubernetes' scheduler in three profiles: kube-default, kube-split,
 * kube-hybrid.  README.md, "Kubernetes".
 *
 * Each orders units by priority, then arrival, and tries all; who fits nowhere may
 * stop lower priorities (lib/sched/preempt.h).  They differ in the plugins that
 * choose a node (lib/sched/kube.h).  Cost: preempt_run's, a score for each node that
 * changed.
 * Source: Kubernetes 1.20; Liu et al., fine-grained scheduling of heterogeneous
 * resources in Kubernetes, 2023.
 */
#include "lib/sched/kube.h"

#include "lib/sched/list.h"
#include "lib/sched/preempt.h"
#include "builtin.h"
#include "lib/util.h"

struct kube_policy {
    struct sched sched;
    struct kube kube;
    struct preempt preempt;
    bool preempts;
    uint64_t tie_seed;
    const char *label;
    const struct pol_scores *scores;            /* borrowed; NULL: the host keeps none */
    struct pol_score *row; size_t cap_row;      /* scratch */
    uint64_t *told; size_t cap_told;            /* [task slot] the decision in which its scores were told last */
};

/* PrioritySort: the higher priority first, then as they came. */
static int64_t wait_key(void *self, const struct unit *u)
{
    const struct pol_host *h = ((const struct kube_policy *)self)->sched.host;
    const struct pol_job_info *ji = h->job(h->ctx, u->job);
    return ji != NULL ? -(int64_t)ji->priority : 0;
}

static int64_t run_key(void *self, const struct unit *u) { return wait_key(self, u); }

/* Victims are of a lower priority. */
static int64_t victim_bound(void *self, const struct unit *u)
{
    (void)self;
    return u->key;
}

/* What each node is to a unit, for the record: which filter strikes it out, or every plugin's points. */
static void asked(void *self, uint32_t unit, const struct pol_place *place)
{
    struct kube_policy *p = self;
    const struct sched *d = &p->sched;
    if (p->scores == NULL || p->scores->is_recorded == 0) return;
    const struct unit *u = &d->units.at[unit];
    const uint32_t shape = d->classes.at[u->request_class].shape[0];
    POL_RESERVE(p->told, p->cap_told, (size_t)unit + 1);
    p->told[unit] = d->round;
    kube_prepare(&p->kube, &d->plan);
    POL_RESERVE(p->row, p->cap_row, (size_t)d->plan.n_nodes * p->kube.n_scores);
    uint32_t n_rows = 0;
    for (uint32_t n = 0; n < d->plan.n_nodes; n++) {
        struct pol_score s = { .node = n, .is_chosen = place != NULL && place->node == n,
                               .lacks = pol_node_lacks(&d->plan.node[n].n, plan_cards_of(&d->plan, n),
                                                       &d->plan.shape[shape]) };
        const struct kube_filter *by = s.lacks == 0 ? kube_struck(&p->kube, &d->plan, shape, n) : NULL;
        s.plugin = s.lacks != 0 ? "fits" : by != NULL ? by->name : NULL;
        if (s.plugin != NULL) p->row[n_rows++] = s;
        else for (uint32_t i = 0; i < p->kube.n_scores; i++) {
            s.plugin = p->kube.score[i].plugin->name;
            s.points = (double)kube_points(&p->kube, &d->plan, shape, n, i) / KUBE_POINT;
            s.weight = (double)p->kube.score[i].weight;
            p->row[n_rows++] = s;
        }
    }
    p->scores->tell(d->host->ctx, u->task, p->row, n_rows);
}

#define SCORE_PARAM(dflt_) { .name = "score", .type = POL_TEXT, .dflt = dflt_, \
                             .help = "score plugins with their weights, name:weight;...: policies/README.md lists them" }
#define TIE_PARAM { .name = "tie_seed", .type = POL_INT, .dflt = "0", .help = "of equal nodes: 0, the first by name; else in an order drawn from this" }

#define PREEMPT_PARAM { .name = "preempt", .type = POL_BOOL, .dflt = "true", .help = "a pod that fits nowhere stops pods of lower priority" }

/* Every profile's first three parameters are `score`, `tie_seed` and `preempt`. */
static bool make(struct kube_policy *p, enum kube_profile profile, const union pol_value *value, char *error, size_t cap)
{
    placement_fini(&p->sched.placement);
    placement_init(&p->sched.placement, &p->sched.plan, profile == KUBE_HYBRID ? PLACEMENT_KUBE_HYBRID : PLACEMENT_KUBE);
    kube_init(&p->kube, profile);
    placement_use(&p->sched.placement, &p->kube);
    p->scores = p->sched.host->extension(p->sched.host->ctx, POL_SCORES);
    p->sched.plan.by_count = profile != KUBE_HYBRID;
    p->tie_seed = (uint64_t)value[1].i;
    p->preempts = value[2].i != 0;
    return kube_parse(&p->kube, value[0].s, error, cap);
}

static void fini(void *self)
{
    struct kube_policy *p = self;
    kube_fini(&p->kube);
    preempt_fini(&p->preempt);
    free(p->told);
    free(p->row);
}

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
    const struct preempt_rule rule = { .on_node = true, .victim_bound = victim_bound, .reason = "a pod of higher priority needs the room" };
    if (p->preempts) preempt_run(&p->preempt, &p->sched, &rule, true);
    else list_run(&p->sched, LIST_SKIP);
    for (uint32_t i = 0; i < p->sched.n_fresh; i++) {
        const uint32_t id = p->sched.fresh[i];
        const struct unit *u = sched_unit(&p->sched, id);
        if (u->state != UNIT_WAITING) continue;
        /* It was not asked for, as one like it had just failed. */
        if (u->n_tasks == 1 && (id >= p->cap_told || p->told[id] != p->sched.round)) asked(p, id, NULL);
        if (p->kube.filters != 0) h->hold(h->ctx, u->task, false, "no room on the nodes that are for pods of its kind");
    }
}

#define OPS(init_) { .wait_key = wait_key, .run_key = run_key, .asked = asked, .size = sizeof(struct kube_policy), \
                     .init = init_, .decide = decide, .fini = fini }

/* ---- kube-default ---- */

static const struct pol_param default_params[] = { SCORE_PARAM("least:1;balanced:1"), TIE_PARAM, PREEMPT_PARAM };

static bool init_default(void *self, const union pol_value *value, char *error, size_t cap) { return make(self, KUBE_DEFAULT, value, error, cap); }
static const struct sched_ops default_ops = OPS(init_default);

LIST_POLICY(pol_kube_default, default_ops, default_params,
            .name = "kube-default", .source = "Kubernetes 1.20, noderesources plugins; Liu et al. 2023, section 1",
            .summary = "Kubernetes' own scheduler: counts cards, spreads CPU and memory", .flags = POL_BY_COUNT | POL_PREEMPTS);

/* ---- kube-split ---- */

static const struct pol_param split_params[] = {
    SCORE_PARAM("least:1;balanced:1"), TIE_PARAM, PREEMPT_PARAM,
    { .name = "label", .type = POL_TEXT, .dflt = "", .help = "nodes that carry it are for GPU pods; empty: nodes with GPUs are" },
};

static bool init_split(void *self, const union pol_value *value, char *error, size_t cap)
{
    struct kube_policy *p = self;
    bool ok = make(p, KUBE_SPLIT, value, error, cap);
    p->label = value[3].s;
    return ok;
}
static const struct sched_ops split_ops = OPS(init_split);

LIST_POLICY(pol_kube_split, split_ops, split_params,
            .name = "kube-split", .source = "Liu et al. 2023, section 3.1: clusters apart by LabelSelector",
            .summary = "kube-default with nodes for GPU pods and nodes for others kept apart", .flags = POL_BY_COUNT | POL_STRANDS | POL_PREEMPTS);

/* ---- kube-hybrid ---- */

static const struct pol_param hybrid_params[] = {
    SCORE_PARAM("dominant:1;gpu:1"), TIE_PARAM, PREEMPT_PARAM,
    { .name = "similarity", .type = POL_CHOICE, .dflt = "mean", .choices = "mean|tanimoto|distance|cosine", .help = "of what is free and what is asked (eq. 3)" },
    { .name = "gpu_score", .type = POL_CHOICE, .dflt = "product", .choices = "product|mean", .help = "of the card's score and the similarity (eq. 4)" },
};

static bool init_hybrid(void *self, const union pol_value *value, char *error, size_t cap)
{
    struct kube_policy *p = self;
    bool ok = make(p, KUBE_HYBRID, value, error, cap);
    p->kube.similarity = (enum kube_similarity)value[3].i;
    p->kube.mean_of_both = value[4].i == 1;
    return ok;
}
static const struct sched_ops hybrid_ops = OPS(init_hybrid);

LIST_POLICY(pol_kube_hybrid, hybrid_ops, hybrid_params,
            .name = "kube-hybrid", .source = "Liu et al. 2023, section 2",
            .summary = "looks into the cards; CPU pods stay off GPU nodes while a CPU node fits", .flags = POL_PREEMPTS);

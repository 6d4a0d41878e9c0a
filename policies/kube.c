/*
 * kube.c -- Kubernetes' scheduler in three profiles: kube-default, kube-split,
 * kube-hybrid.  README.md, "Kubernetes".
 *
 * Each orders units by priority, then arrival, and tries all; who fits nowhere may
 * stop lower priorities (lib/sched/preempt.h).  They differ in the plugins that
 * choose a node (lib/place/kube.h).  A pod whose queue is called as one of the profiles
 * of `config` is placed by that, others by the first.  Cost: preempt_run's, a search
 * for the node (lib/place/placement.h).
 * Source: Kubernetes 1.20; Liu et al., fine-grained scheduling of heterogeneous
 * resources in Kubernetes, 2023.
 */
#include "lib/place/kube.h"

#include "lib/sched/list.h"
#include "lib/sched/preempt.h"
#include "builtin.h"
#include "lib/util.h"

/* placement: of all but the first, which uses the sched's. */
struct profile { const char *name; size_t n_name; struct kube kube; struct placement placement; };
enum { PROFILES_MAX = 16 };

struct kube_policy {
    struct sched sched;
    struct profile *profile; uint32_t n_profiles;      /* the first is there */
    struct kube_round round;
    struct preempt preempt;
    bool preempts, has_config;
    uint64_t tie_seed;
    const char *label;
    char *config;                               /* profiles' names point into it; NULL: none */
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

/* Victims are of a lower priority.  Asked when the search found nothing: what it looked at before is another's. */
static int64_t victim_bound(void *self, const struct unit *u)
{
    ((struct kube_policy *)self)->round.is_new = false;
    return u->key;
}

/* The profile for a unit; POL_NONE: none is called as its queue. */
static uint32_t profile_of(const struct kube_policy *p, const struct unit *u)
{
    static const char otherwise[] = "default-scheduler";
    const struct pol_host *h = p->sched.host;
    const struct pol_job_info *ji = h->job(h->ctx, u->job);
    const char *queue = ji != NULL && ji->queue != POL_NONE ? h->name(h->ctx, POL_NAME_QUEUE, ji->queue) : otherwise;
    for (uint32_t i = 0; i < p->n_profiles && queue != NULL; i++)
        if (strlen(queue) == p->profile[i].n_name && memcmp(queue, p->profile[i].name, p->profile[i].n_name) == 0)
            return i;
    return POL_NONE;
}

static struct profile *profile_for(const struct kube_policy *p, const struct unit *u)
{
    uint32_t i = p->has_config ? profile_of(p, u) : 0;
    return &p->profile[i == POL_NONE ? 0 : i];
}

static struct placement *placement(void *self, const struct unit *u)
{
    struct kube_policy *p = self;
    struct profile *by = profile_for(p, u);
    return by == p->profile ? &p->sched.placement : &by->placement;
}

/*
 * What each node is to a unit, for the record: which filter strikes it out, or every plugin's points.  A node
 * at which the search did not look is left out.
 */
static void asked(void *self, uint32_t unit, const struct pol_place *place)
{
    struct kube_policy *p = self;
    const struct sched *d = &p->sched;
    if (p->scores == NULL || p->scores->is_recorded == 0) return;
    const struct unit *u = &d->units.at[unit];
    const uint32_t shape = d->classes.at[u->request_class].shape[0];
    POL_RESERVE(p->told, p->cap_told, (size_t)unit + 1);
    p->told[unit] = d->round;
    const struct kube *k = &profile_for(p, u)->kube;
    kube_prepare(&profile_for(p, u)->kube, &d->plan);
    const int32_t *preferred = kube_preferred(k, shape);
    /* A place on a node chosen by preemption was not searched for: `most` is then that node's own. */
    bool is_searched = place != NULL && p->round.is_new;
    int32_t most = is_searched ? p->round.most : preferred != NULL && place != NULL ? preferred[place->node] : 0;
    p->round.is_new = false;
    POL_RESERVE(p->row, p->cap_row, (size_t)d->plan.n_nodes * (k->n_scores + 1));
    uint32_t n_rows = 0;
    for (uint32_t n = 0; n < d->plan.n_nodes; n++) {
        struct pol_score s = { .node = n, .is_chosen = place != NULL && place->node == n,
                               .lacks = pol_node_lacks(&d->plan.node[n].n, plan_cards_of(&d->plan, n),
                                                       &d->plan.shape[shape]) };
        const struct kube_filter *by = s.lacks == 0 ? kube_struck(k, &d->plan, shape, n) : NULL;
        s.plugin = s.lacks != 0 ? "fits" : by != NULL ? by->name : NULL;
        if (s.plugin != NULL) {
            p->row[n_rows++] = s;
            continue;
        }
        if (place != NULL && !(is_searched ? kube_looked(&p->round, n) : s.is_chosen)) continue;
        for (uint32_t i = 0; i < k->n_scores; i++) {
            s.plugin = k->score[i].plugin->name;
            s.points = (double)kube_points(k, &d->plan, shape, n, i) / KUBE_POINT;
            s.weight = (double)k->score[i].weight;
            p->row[n_rows++] = s;
        }
        if (preferred == NULL) continue;
        s.plugin = kube_affinity;
        s.points = (double)kube_affinity_points(preferred, n, most) / KUBE_POINT;
        s.weight = (double)k->affinity;
        p->row[n_rows++] = s;
    }
    p->scores->tell(d->host->ctx, u->task, p->row, n_rows);
}

#define SCORE_PARAM(dflt_) { .name = "score", .type = POL_TEXT, .dflt = dflt_, \
                             .help = "score plugins with their weights, name:weight;...: policies/README.md lists them" }
#define TIE_PARAM { .name = "tie_seed", .type = POL_INT, .dflt = "0", .help = "of equal nodes: 0, the first by name; else in an order drawn from this" }

#define PREEMPT_PARAM { .name = "preempt", .type = POL_BOOL, .dflt = "true", .help = "a pod that fits nowhere stops pods of lower priority" }

#define PERCENTAGE_PARAM { .name = "percentage", .type = POL_INT, .dflt = "100", \
                           .help = "of nodes: so many that fit are scored, at least 100; 0: by the number of nodes" }

#define CONFIG_PARAM { .name = "config", .type = POL_FILE, .choices = "kube-scheduler", .dflt = "", \
                       .help = "a KubeSchedulerConfiguration, in place of score, preempt and percentage" }
static const char default_scores[] = "least:1;balanced:1;affinity:1";

/* The profile that the parameters state, or one of the file's. */
static bool add_profile(struct kube_policy *p, enum kube_profile kind, const char *name, size_t n_name,
                        const char *scores, int64_t percentage, char *error, size_t cap)
{
    struct sched *d = &p->sched;
    struct profile *f = &p->profile[p->n_profiles++];
    enum placement_rule rule = kind == KUBE_HYBRID ? PLACEMENT_KUBE_HYBRID : PLACEMENT_KUBE;
    struct placement *pl = p->n_profiles == 1 ? &d->placement : &f->placement;
    f->name = name;
    f->n_name = n_name;
    kube_init(&f->kube, kind);
    f->kube.round = &p->round;
    f->kube.host = d->host;
    f->kube.percentage = (uint32_t)percentage;
    f->kube.preferences = d->host->extension(d->host->ctx, POL_PREFERENCES);
    placement_fini(pl);
    placement_init(pl, &d->plan, rule);
    placement_use(pl, &f->kube);
    f->kube.n_scores = 0;
    return (p->has_config && scores[0] == '\0') || kube_parse(&f->kube, scores, error, cap);
}

/* The host's form of a file: "preempt 0|1", then "profile NAME\tPERCENTAGE\tSCORES" lines. */
static bool read_config(struct kube_policy *p, enum kube_profile kind, char *text, char *error, size_t cap)
{
    p->has_config = true;
    p->preempts = strncmp(text, "preempt 1\n", 10) == 0;
    for (char *line = strchr(text, '\n'); line != NULL && line[1] != '\0'; line = strchr(line + 1, '\n')) {
        static const char word[] = "profile ";
        char *name = line + sizeof word, *percentage, *scores, *end;
        if (strncmp(line + 1, word, sizeof word - 1) != 0 || (percentage = strchr(name, '\t')) == NULL ||
            (scores = strchr(percentage + 1, '\t')) == NULL || (end = strchr(scores, '\n')) == NULL) {
            (void)snprintf(error, cap, "the scheduler's configuration is not in the host's form");
            return false;
        }
        if (p->n_profiles == PROFILES_MAX) {
            (void)snprintf(error, cap, "more than %d profiles in `config`", PROFILES_MAX);
            return false;
        }
        *end = '\0';
        bool ok = add_profile(p, kind, name, (size_t)(percentage - name), scores + 1, strtol(percentage + 1, NULL, 10),
                              error, cap);
        *end = '\n';
        if (!ok) return false;
    }
    return p->n_profiles > 0;
}

/* Every policy's first four parameters are `score`, `tie_seed`, `preempt` and `percentage`.  config "": none. */
static bool make(struct kube_policy *p, enum kube_profile kind, const union pol_value *value, const char *config,
                 char *error, size_t cap)
{
    const int64_t percentage = value[3].i;
    p->profile = pol_alloc(PROFILES_MAX, sizeof *p->profile);
    p->scores = p->sched.host->extension(p->sched.host->ctx, POL_SCORES);
    p->sched.tells = p->scores != NULL && p->scores->is_recorded != 0;
    p->sched.plan.by_count = kind != KUBE_HYBRID;
    p->tie_seed = (uint64_t)value[1].i;
    p->preempts = value[2].i != 0;
    if (percentage < 0 || percentage > 100) {
        (void)snprintf(error, cap, "percentage is %lld; expected 0 to 100", (long long)percentage);
        return false;
    }
    if (config[0] == '\0') return add_profile(p, kind, "", 0, value[0].s, percentage, error, cap);
    if (strcmp(value[0].s, default_scores) != 0 || value[2].i == 0 || percentage != 100) {
        (void)snprintf(error, cap, "`config` states what score, preempt and percentage do: leave them out beside it");
        return false;
    }
    p->config = pol_alloc(strlen(config) + 1, 1);
    return read_config(p, kind, strcpy(p->config, config), error, cap);
}

static void fini(void *self)
{
    struct kube_policy *p = self;
    for (uint32_t i = 0; i < p->n_profiles; i++) {
        kube_fini(&p->profile[i].kube);
        if (i > 0) placement_fini(&p->profile[i].placement);
    }
    free(p->profile);
    free(p->config);
    kube_round_fini(&p->round);
    preempt_fini(&p->preempt);
    free(p->told);
    free(p->row);
}

/* What can be known only when there are nodes. */
static bool begin(struct kube_policy *p)
{
    const struct pol_host *h = p->sched.host;
    const uint32_t bit = p->label != NULL && p->label[0] != '\0' ? h->label(h->ctx, p->label) : 0;
    kube_round_begin(&p->round, &p->sched.plan);
    for (uint32_t i = 0; i < p->n_profiles; i++) {
        struct kube *k = &p->profile[i].kube;
        kube_rank(k, h, p->sched.view->n_nodes, p->tie_seed);
        if (p->label != NULL && p->label[0] != '\0' && bit != POL_NONE) k->part_label = UINT64_C(1) << bit;
    }
    if (bit == POL_NONE) h->fail(h->ctx, "no node carries the label of its 'label' parameter");
    return bit != POL_NONE;
}

static void decide(void *self)
{
    struct kube_policy *p = self;
    const struct pol_host *h = p->sched.host;
    if (p->round.order == NULL && !begin(p)) return;
    for (uint32_t i = 0; i < p->sched.n_fresh && p->has_config; i++) {
        const struct unit *u = sched_unit(&p->sched, p->sched.fresh[i]);
        if (u->attained == 0 && profile_of(p, u) == POL_NONE) h->note(h->ctx, "pod_of_no_profile", 1);
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
        if (p->profile[0].kube.filters != 0)
            h->hold(h->ctx, u->task, false, "no room on the nodes that are for pods of its kind");
    }
}

static void shapes_renewed(void *self)
{
    struct kube_policy *p = self;
    for (uint32_t i = 1; i < p->n_profiles; i++) placement_shapes(&p->profile[i].placement);
}

#define OPS(init_) \
    { \
        .wait_key = wait_key, .run_key = run_key, .asked = asked, .placement = placement, \
        .shapes_renewed = shapes_renewed, \
        .size = sizeof(struct kube_policy), .init = init_, .decide = decide, .fini = fini \
    }

/* ---- kube-default ---- */

static const struct pol_param default_params[] = { SCORE_PARAM(default_scores), TIE_PARAM, PREEMPT_PARAM,
                                                   PERCENTAGE_PARAM, CONFIG_PARAM };

static bool init_default(void *self, const union pol_value *value, char *error, size_t cap)
{
    return make(self, KUBE_DEFAULT, value, value[4].s, error, cap);
}
static const struct sched_ops default_ops = OPS(init_default);

LIST_POLICY(pol_kube_default, default_ops, default_params,
            .name = "kube-default", .source = "Kubernetes 1.20, noderesources plugins; Liu et al. 2023, section 1",
            .summary = "Kubernetes' own scheduler: counts cards, spreads CPU and memory", .flags = POL_BY_COUNT | POL_PREEMPTS);

/* ---- kube-split ---- */

static const struct pol_param split_params[] = {
    SCORE_PARAM(default_scores), TIE_PARAM, PREEMPT_PARAM, PERCENTAGE_PARAM, CONFIG_PARAM,
    { .name = "label", .type = POL_TEXT, .dflt = "", .help = "nodes that carry it are for GPU pods; empty: nodes with GPUs are" },
};

static bool init_split(void *self, const union pol_value *value, char *error, size_t cap)
{
    struct kube_policy *p = self;
    bool ok = make(p, KUBE_SPLIT, value, value[4].s, error, cap);
    p->label = value[5].s;
    return ok;
}
static const struct sched_ops split_ops = OPS(init_split);

LIST_POLICY(pol_kube_split, split_ops, split_params,
            .name = "kube-split", .source = "Liu et al. 2023, section 3.1: clusters apart by LabelSelector",
            .summary = "kube-default with nodes for GPU pods and nodes for others kept apart", .flags = POL_BY_COUNT | POL_STRANDS | POL_PREEMPTS);

/* ---- kube-hybrid ---- */

static const struct pol_param hybrid_params[] = {
    SCORE_PARAM("dominant:1;gpu:1"), TIE_PARAM, PREEMPT_PARAM, PERCENTAGE_PARAM,
    { .name = "similarity", .type = POL_CHOICE, .dflt = "mean", .choices = "mean|tanimoto|distance|cosine", .help = "of what is free and what is asked (eq. 3)" },
    { .name = "gpu_score", .type = POL_CHOICE, .dflt = "product", .choices = "product|mean", .help = "of the card's score and the similarity (eq. 4)" },
};

static bool init_hybrid(void *self, const union pol_value *value, char *error, size_t cap)
{
    struct kube_policy *p = self;
    bool ok = make(p, KUBE_HYBRID, value, "", error, cap);
    p->profile[0].kube.similarity = (enum kube_similarity)value[4].i;
    p->profile[0].kube.mean_of_both = value[5].i == 1;
    return ok;
}
static const struct sched_ops hybrid_ops = OPS(init_hybrid);

LIST_POLICY(pol_kube_hybrid, hybrid_ops, hybrid_params,
            .name = "kube-hybrid", .source = "Liu et al. 2023, section 2",
            .summary = "looks into the cards; CPU pods stay off GPU nodes while a CPU node fits", .flags = POL_PREEMPTS);

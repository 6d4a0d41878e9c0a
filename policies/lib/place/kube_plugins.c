/*
 * kube_plugins.c -- the filter and score plugins: rules in README.md,
 * "Kubernetes".  Sources: Kubernetes 1.20, pkg/scheduler/framework/plugins/
 * noderesources; Liu et al., fine-grained scheduling of heterogeneous resources
 * in Kubernetes ("the paper"), section 2.
 */
#include "lib/place/kube.h"

#include "lib/util.h"

/* ---- filters ---- */

static bool is_gpu_pod(const struct kube_ask *a) { return a->shape->n_gpu > 0; }
static bool is_gpu_node(const struct kube_ask *a) { return a->node->n.n_gpu > 0; }

static bool partition(const struct kube *k, const struct kube_ask *a)
{
    bool for_gpus = k->part_label != 0 ? (a->node->n.labels & k->part_label) != 0 : is_gpu_node(a);
    return for_gpus == is_gpu_pod(a);
}

const struct kube_filter kube_filters[] = {
    { "partition", "GPU pods on the nodes set apart for them, others on the rest", partition },
    { NULL, NULL, NULL },
};

/* ---- CPU and memory ---- */

/* Kubernetes counts a request of nothing as this much, when it scores. */
enum { NO_CPU = 100, NO_MEM = 200000000 };

static int64_t cpu_of(const struct pol_shape *s) { return s->cpu_milli > 0 ? s->cpu_milli : NO_CPU; }
static int64_t mem_of(const struct pol_shape *s) { return s->mem_b > 0 ? s->mem_b : NO_MEM; }

/* Without the task. */
static void in_use(const struct plan_node *o, int64_t *cpu, int64_t *mem)
{
    *cpu = o->n.cpu_total - o->n.cpu_free + o->n_no_cpu * (int64_t)NO_CPU;
    *mem = o->n.mem_total - o->n.mem_free + o->n_no_mem * (int64_t)NO_MEM;
}

void kube_requested(const struct kube_ask *a, int64_t *cpu, int64_t *mem)
{
    *cpu = a->node->n.cpu_total;
    *mem = a->node->n.mem_total;
    if (a->shape->exclusive) return;
    in_use(a->node, cpu, mem);
    *cpu += cpu_of(a->shape);
    *mem += mem_of(a->shape);
}

static int64_t left_of(int64_t c, int64_t r, int64_t full)
{
    return c == 0 || r > c ? 0 : (int64_t)((pol_wide)(c - r) * full / c);
}

int64_t kube_least(int64_t c1, int64_t r1, int64_t c2, int64_t r2, int64_t full)
{
    return (left_of(c1, r1, full) + left_of(c2, r2, full)) / 2;
}

/* BalancedAllocation, 0 .. 100. */
static int64_t balanced(int64_t c1, int64_t r1, int64_t c2, int64_t r2)
{
    if (c1 == 0 || c2 == 0 || r1 >= c1 || r2 >= c2) return 0;
    pol_wide all = (pol_wide)c1 * c2, gap = (pol_wide)r1 * c2 - (pol_wide)r2 * c1;
    return (int64_t)((all - (gap < 0 ? -gap : gap)) * 100 / all);
}

void kube_amounts(const struct kube_ask *a, int64_t c[KUBE_RESOURCES], int64_t r[KUBE_RESOURCES])
{
    enum { WHOLE = 1000 };
    c[KUBE_CPU] = a->node->n.cpu_total;
    c[KUBE_MEM] = a->node->n.mem_total;
    c[KUBE_GPU] = (int64_t)a->node->n.n_gpu * WHOLE;
    kube_requested(a, &r[KUBE_CPU], &r[KUBE_MEM]);
    r[KUBE_GPU] = a->shape->exclusive
                      ? c[KUBE_GPU]
                      : c[KUBE_GPU] - a->node->gpu_free + (int64_t)a->shape->n_gpu * a->shape->gpu_milli;
}

/* The mean of one figure of each resource, by weight, floored. */
static int64_t weighted(const struct kube_ask *a, const struct kube_args *args,
                        int64_t (*of)(int64_t c, int64_t r, int64_t full))
{
    int64_t c[KUBE_RESOURCES], r[KUBE_RESOURCES], sum = 0, weights = 0;
    kube_amounts(a, c, r);
    for (int i = 0; i < KUBE_RESOURCES; i++) {
        if (args->resource[i] == 0) continue;
        sum += args->resource[i] * of(c[i], r[i], 100);
        weights += args->resource[i];
    }
    return sum / weights;
}

static int64_t least_raw(const struct kube *k, const struct kube_ask *a, const struct kube_args *args)
{
    (void)k;
    return weighted(a, args, left_of);
}

static int64_t balanced_raw(const struct kube *k, const struct kube_ask *a, const struct kube_args *args)
{
    int64_t cpu, mem;
    (void)k; (void)args;
    kube_requested(a, &cpu, &mem);
    return balanced(a->node->n.cpu_total, cpu, a->node->n.mem_total, mem);
}

static int64_t skew(const struct pol_node *n, int64_t cpu, int64_t mem)
{
    if (n->cpu_total == 0 || n->mem_total == 0) return 0;
    return (int64_t)((pol_wide)cpu * KUBE_ONE / n->cpu_total) - (int64_t)((pol_wide)mem * KUBE_ONE / n->mem_total);
}

int64_t kube_skew(const struct plan_node *o)
{
    int64_t cpu, mem;
    in_use(o, &cpu, &mem);
    return skew(&o->n, cpu, mem);
}

/* One share less the other, of the node that has the task then: the least that it is of any. */
static int64_t balanced_most(const struct kube *k, const struct kube_span *s, const struct kube_args *args)
{
    enum { ROUNDED_OFF = 4 };           /* at most one 2^-20 of each of four shares */
    const struct pol_shape *shape = s->freest.shape;
    if (shape->exclusive) return balanced_raw(k, &s->freest, args);
    const int64_t by = skew(&s->freest.node->n, cpu_of(shape), mem_of(shape));
    const int64_t lo = s->skew_min + by, hi = s->skew_max + by;
    const int64_t gap = (lo > 0 ? lo : hi < 0 ? -hi : 0) - ROUNDED_OFF;
    return gap <= 0 ? 100 : gap >= KUBE_ONE ? 0 : (KUBE_ONE - gap) * 100 / KUBE_ONE;
}

static int64_t used_of(int64_t c, int64_t r, int64_t full)
{
    return c == 0 || r > c ? 0 : (int64_t)((pol_wide)r * full / c);
}

/* What is above capacity scores 0, but a node with less in use need not be. */
static int64_t used_at_most(int64_t c, int64_t r, int64_t full) { return used_of(c, r > c ? c : r, full); }

static int64_t most_raw(const struct kube *k, const struct kube_ask *a, const struct kube_args *args)
{
    (void)k;
    return weighted(a, args, used_of);
}

static int64_t most_most(const struct kube *k, const struct kube_span *s, const struct kube_args *args)
{
    (void)k;
    return weighted(&s->fullest, args, used_at_most);
}

static int64_t least_most(const struct kube *k, const struct kube_span *s, const struct kube_args *args)
{
    return least_raw(k, &s->freest, args);
}

/* The broken line at `used` per cent; quotients are cut off towards zero, as Go does. */
static int64_t line_at(const struct kube_args *args, int64_t used)
{
    uint32_t i = 0;
    while (i < args->n_knees && used > args->knee[i].used) i++;
    if (i == args->n_knees) return args->knee[i - 1].points;
    if (i == 0) return args->knee[0].points;
    int64_t rise = args->knee[i].points - args->knee[i - 1].points, run = args->knee[i].used - args->knee[i - 1].used;
    return args->knee[i - 1].points + rise * (used - args->knee[i - 1].used) / run;
}

/* Resources that score 0 have no weight; the mean is rounded to the nearest. */
int64_t kube_ratio(const int64_t c[KUBE_RESOURCES], const int64_t r[KUBE_RESOURCES], const struct kube_args *args)
{
    int64_t sum = 0, weights = 0;
    for (int i = 0; i < KUBE_RESOURCES; i++) {
        int64_t used = c[i] == 0 || r[i] > c[i] ? 100 : 100 - (int64_t)((pol_wide)(c[i] - r[i]) * 100 / c[i]);
        int64_t x = args->resource[i] > 0 ? line_at(args, used) : 0;
        if (x <= 0) continue;
        sum += x * args->resource[i];
        weights += args->resource[i];
    }
    return weights == 0 ? 0 : (2 * sum + weights) / (2 * weights);
}

static int64_t ratio_raw(const struct kube *k, const struct kube_ask *a, const struct kube_args *args)
{
    int64_t c[KUBE_RESOURCES], r[KUBE_RESOURCES];
    (void)k;
    kube_amounts(a, c, r);
    return kube_ratio(c, r, args);
}

/*
 * A CPU node scores in [100a, 100], rounded up, a GPU node in [0, 100a), rounded
 * down: so the order between the two holds in integers too.
 */
int64_t kube_dominant(bool gpu_node, uint32_t g, uint32_t n, int64_t lrs)
{
    int64_t floor_of_cpu = ((int64_t)KUBE_MAX * g + n - 1) / n;
    if (!gpu_node) return ((int64_t)KUBE_MAX * g + (int64_t)(n - g) * lrs + n - 1) / n;
    int64_t x = g * lrs / n;
    return x < floor_of_cpu ? x : floor_of_cpu - 1;
}

static int64_t dominant_raw(const struct kube *k, const struct kube_ask *a, const struct kube_args *args)
{
    int64_t cpu, mem;
    (void)args;
    if (is_gpu_pod(a)) return 0;
    kube_requested(a, &cpu, &mem);
    int64_t lrs = kube_least(a->node->n.cpu_total, cpu, a->node->n.mem_total, mem, KUBE_MAX);
    return kube_dominant(is_gpu_node(a), k->n_gpu_nodes, a->plan->n_nodes, lrs);
}

static int64_t dominant_most(const struct kube *k, const struct kube_span *s, const struct kube_args *args)
{
    return dominant_raw(k, &s->freest, args);
}

/* ---- cards ---- */

static int64_t card_raw(const struct kube *k, const struct kube_ask *a, const struct kube_args *args)
{
    (void)args;
    if (!is_gpu_node(a)) return 0;
    return a->node->n.gpu_type < k->cap_type ? k->type_score[a->node->n.gpu_type] : KUBE_ONE;
}

static int64_t card_most(const struct kube *k, const struct kube_span *s, const struct kube_args *args)
{
    return card_raw(k, &s->freest, args);
}

static uint64_t root(uint64_t x)
{
    uint64_t r = 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit != 0; bit >>= 1)
        if ((r | bit) * (r | bit) <= x) r |= bit;
    return r;
}

int64_t kube_similar(enum kube_similarity how, const int64_t n[KUBE_DIMS], const int64_t r[KUBE_DIMS], const int64_t most[KUBE_DIMS])
{
    int64_t count = 0, mean = 0, nn = 0, rr = 0, nr = 0, dd = 0;
    for (int d = 0; d < KUBE_DIMS; d++) {
        if (n[d] <= 0 || most[d] <= 0) continue;        /* not known of this node, or nothing there: no dimension */
        int64_t x = (int64_t)((pol_wide)n[d] * KUBE_ONE / most[d]), y = (int64_t)((pol_wide)r[d] * KUBE_ONE / most[d]);
        mean += (int64_t)((pol_wide)r[d] * KUBE_ONE / n[d]);
        nn += x * x;
        rr += y * y;
        nr += x * y;
        dd += (x - y) * (x - y);
        count++;
    }
    if (count == 0) return KUBE_ONE;
    switch (how) {
    case KUBE_MEAN:     return mean / count;
    case KUBE_TANIMOTO: return nn + rr == nr ? KUBE_ONE : (int64_t)((pol_wide)nr * KUBE_ONE / (nn + rr - nr));
    case KUBE_DISTANCE: return ((int64_t)KUBE_ONE << KUBE_SHARE_BITS) / (KUBE_ONE + (int64_t)root((uint64_t)dd));
    case KUBE_COSINE:
        if (nn == 0 || rr == 0) return 0;
        /* 2^16 more under each root: eight bits more of it. */
        int64_t c = (int64_t)((pol_wide)nr * KUBE_ONE * 65536 / ((pol_wide)root((uint64_t)nn << 16) * (pol_wide)root((uint64_t)rr << 16)));
        return c < KUBE_ONE ? c : KUBE_ONE;
    }
    return 0;
}

static int64_t similar_raw(const struct kube *k, const struct kube_ask *a, const struct kube_args *args)
{
    const struct plan_node *o = a->node;
    (void)args;
    const struct pol_shape *s = a->shape;
    if (s->exclusive) return KUBE_ONE;
    if (!is_gpu_node(a)) return 0;
    /* Memory and cores of a card: the least that the cards it would take have free. */
    int64_t mem = 0, cores = 0;
    bool first = true;
    for (uint64_t left = plan_pick_cards(a->plan, a->id, s); left != 0; left &= left - 1) {
        const struct pol_card *c = &plan_cards_of(a->plan, a->id)[__builtin_ctzll(left)];
        int64_t m = c->mem_total > 0 ? c->mem_free : 0, e = c->core_total > 0 ? c->core_free : 0;
        if (first || m < mem) mem = m;
        if (first || e < cores) cores = e;
        first = false;
    }
    const int64_t n[KUBE_DIMS] = { o->gpu_free, mem, cores, o->n.cpu_free, o->n.mem_free };
    const int64_t r[KUBE_DIMS] = { (int64_t)s->n_gpu * s->gpu_milli, s->gpu_mem_b, s->gpu_cores, s->cpu_milli, s->mem_b };
    return kube_similar(k->similarity, n, r, k->most);
}

static int64_t gpu_raw(const struct kube *k, const struct kube_ask *a, const struct kube_args *args)
{
    if (!is_gpu_pod(a)) return 0;
    int64_t card = card_raw(k, a, args), similar = similar_raw(k, a, args);
    return k->mean_of_both ? (card + similar) / 2 : card * similar >> KUBE_SHARE_BITS;
}

const struct kube_score kube_scores[] = {
    { "least", "LeastAllocated: most CPU and memory left, in whole points", 100, least_raw, true, false,
      least_most },
    { "balanced", "BalancedAllocation: CPU and memory used in like shares", 100, balanced_raw, false, false,
      balanced_most },
    { "most", "MostAllocated: least CPU and memory left, in whole points", 100, most_raw, true, false,
      most_most },
    { "ratio", "RequestedToCapacityRatio: points by the share in use", 100, ratio_raw, true, true, NULL },
    { "dominant", "CPU pods: any CPU node before any GPU node (the paper's eq. 5)", KUBE_MAX, dominant_raw, false,
      false, dominant_most },
    { "card", "how good the node's cards are (eq. 2)", KUBE_ONE, card_raw, false, false, card_most },
    { "similar", "how near what is free comes to what is asked (eq. 3)", KUBE_ONE, similar_raw, false, false,
      NULL },
    { "gpu", "GPU pods: cards and similarity together (eq. 4)", KUBE_ONE, gpu_raw, false, false,
      NULL },
    { NULL, NULL, 0, NULL, false, false, NULL },
};

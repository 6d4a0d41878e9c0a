/*
 * kube.c -- profiles of the Kubernetes scheduler: parsing scores, the order of ties,
 * and one node's sum of scores, see kube.h.
 */
#include "lib/sched/kube.h"

#include "lib/util.h"

void kube_init(struct kube *k, enum kube_profile p)
{
    static const char *const scores[] = {
        [KUBE_DEFAULT] = "least:1;balanced:1", [KUBE_SPLIT] = "least:1;balanced:1", [KUBE_HYBRID] = "dominant:1;gpu:1",
    };
    char error[1];
    memset(k, 0, sizeof *k);
    (void)kube_parse(k, scores[p], error, sizeof error);
    for (uint32_t i = 0; kube_filters[i].name != NULL; i++)
        if (p == KUBE_SPLIT && strcmp(kube_filters[i].name, "partition") == 0) k->filters |= 1u << i;
}

void kube_fini(struct kube *k)
{
    free(k->rank);
    free(k->type_score);
    memset(k, 0, sizeof *k);
}

static const struct kube_score *find_score(const char *name, size_t n)
{
    for (size_t i = 0; kube_scores[i].name != NULL; i++)
        if (strlen(kube_scores[i].name) == n && memcmp(kube_scores[i].name, name, n) == 0) return &kube_scores[i];
    return NULL;
}

bool kube_parse(struct kube *k, const char *text, char *error, size_t cap)
{
    enum { WEIGHT_MAX = 100000 };
    k->n_scores = 0;
    for (const char *s = text;;) {
        size_t n = strcspn(s, ":;");
        char *end = (char *)s + n;
        long weight = 1;
        const struct kube_score *plugin = find_score(s, n);
        if (plugin == NULL) {
            int at = snprintf(error, cap, "score plugin '%.*s' is not known; there are", (int)n, s);
            for (size_t i = 0; kube_scores[i].name != NULL && at > 0 && (size_t)at < cap; i++)
                at += snprintf(error + at, cap - (size_t)at, "%s %s", i > 0 ? "," : "", kube_scores[i].name);
            return false;
        }
        for (size_t i = 0; i < k->n_scores; i++)
            if (k->score[i].plugin == plugin) {
                (void)snprintf(error, cap, "score plugin '%s' is named twice", plugin->name);
                return false;
            }
        if (*end == ':') weight = strtol(s + n + 1, &end, 10);
        if (weight < 1 || weight > WEIGHT_MAX || (*end != ';' && *end != '\0')) {
            (void)snprintf(error, cap, "the weight of score plugin '%s' is not a whole number from 1 to %d", plugin->name, WEIGHT_MAX);
            return false;
        }
        if (k->n_scores == KUBE_SCORES_MAX) {
            (void)snprintf(error, cap, "more than %d score plugins", KUBE_SCORES_MAX);
            return false;
        }
        k->score[k->n_scores].plugin = plugin;
        k->score[k->n_scores++].weight = weight;
        if (*end == '\0') return true;
        s = end + 1;
    }
}

/* ---- ties ---- */

struct ranked { const char *name; uint64_t key; uint32_t node; };

static int by_name(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return strcmp(x->name, y->name);
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

void kube_rank(struct kube *k, const struct pol_host *h, uint32_t n_nodes, uint64_t seed)
{
    struct ranked *r = pol_alloc(n_nodes, sizeof *r);
    for (uint32_t i = 0; i < n_nodes; i++)
        r[i] = (struct ranked){ .name = h->name(h->ctx, POL_NAME_NODE, i), .node = i,
                                .key = seed == 0 ? 0 : mix(seed * UINT64_C(0x9e3779b97f4a7c15) + i) };
    qsort(r, n_nodes, sizeof *r, by_name);
    free(k->rank);
    k->rank = pol_alloc(n_nodes, sizeof *k->rank);
    for (uint32_t i = 0; i < n_nodes; i++) k->rank[r[i].node] = i;
    free(r);
}

/* ---- what is the same for the whole run ---- */

/*
 * Scard: the mean of three figures, each relative to the best of the cluster's types.  One that no type
 * states is 1 for all.
 */
static void score_types(struct kube *k, const struct plan *p)
{
    int64_t best[3] = { 0 };
    POL_RESERVE(k->type_score, k->cap_type, p->n_gpu_types);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < p->n_nodes; i++) {
            uint32_t type = p->node[i].n.gpu_type;
            if (type == POL_NONE || type >= p->n_gpu_types) continue;
            const struct pol_gpu_type *t = &p->gpu_type[type];
            const int64_t x[3] = { t->compute_mflops, t->bandwidth_bps, t->clock_khz };
            int64_t sum = 0;
            for (int d = 0; d < 3; d++) {
                if (pass == 0 && x[d] > best[d]) best[d] = x[d];
                sum += best[d] > 0 ? (int64_t)((pol_wide)x[d] * KUBE_ONE / best[d]) : KUBE_ONE;
            }
            k->type_score[type] = sum / 3;
        }
    }
}

void kube_prepare(struct kube *k, const struct plan *p)
{
    if (k->plan == p) return;
    k->plan = p;
    k->n_gpu_nodes = 0;
    k->most[0] = p->largest.gpu;
    k->most[1] = k->most[2] = 0;
    k->most[3] = p->largest.cpu;
    k->most[4] = p->largest.mem;
    for (uint32_t i = 0; i < p->n_nodes; i++) k->n_gpu_nodes += p->node[i].n.n_gpu > 0;
    for (uint32_t i = 0; i < p->n_cards; i++) {
        if (p->card[i].mem_total > k->most[1]) k->most[1] = p->card[i].mem_total;
        if (p->card[i].core_total > k->most[2]) k->most[2] = p->card[i].core_total;
    }
    if (p->gpu_type != NULL) score_types(k, p);
}

/* ---- asking ---- */

/* p may be another plan of the cluster than the one of kube_prepare, whose shapes alone are sure to be current. */
static struct kube_ask ask_of(const struct kube *k, const struct plan *p, uint32_t shape, uint32_t node)
{
    return (struct kube_ask){ .plan = p, .node = &p->node[node], .shape = &k->plan->shape[shape], .id = node };
}

const struct kube_filter *kube_struck(const struct kube *k, const struct plan *p, uint32_t shape, uint32_t node)
{
    struct kube_ask a = ask_of(k, p, shape, node);
    for (uint32_t left = k->filters; left != 0; left &= left - 1)
        if (!kube_filters[__builtin_ctz(left)].admits(k, &a)) return &kube_filters[__builtin_ctz(left)];
    return NULL;
}

static int64_t points(const struct kube *k, const struct kube_ask *a, uint32_t i)
{
    const struct kube_score *s = k->score[i].plugin;
    return s->raw(k, a) * KUBE_MAX / s->full;
}

int64_t kube_points(const struct kube *k, const struct plan *p, uint32_t shape, uint32_t node, uint32_t i)
{
    struct kube_ask a = ask_of(k, p, shape, node);
    return points(k, &a, i);
}

int64_t kube_total(const struct kube *k, const struct plan *p, uint32_t shape, uint32_t node)
{
    struct kube_ask a = ask_of(k, p, shape, node);
    int64_t sum = 0;
    for (uint32_t i = 0; i < k->n_scores; i++) sum += k->score[i].weight * points(k, &a, i);
    return sum;
}

/*
 * kube.c -- profiles of the Kubernetes scheduler: parsing scores, the orders of ties and
 * of the search, and one node's sum of scores, see kube.h.
 */
#include "lib/place/kube.h"

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

/* A whole number from lo to hi up to one of `ends`; *at is left there. */
static bool whole(const char **at, long lo, long hi, const char *ends, int64_t *out)
{
    char *end;
    long x = strtol(*at, &end, 10);
    bool ok = end != *at && x >= lo && x <= hi && (*end == '\0' || strchr(ends, *end) != NULL);
    *at = end;
    *out = x;
    return ok;
}

/* "cpu=1/memory=2/0=0/100=10": weights of resources, and points out of ten at per cents in use. */
static bool parse_args(const struct kube_score *plugin, const char **at, struct kube_args *args, char *error,
                       size_t cap)
{
    static const char *const resource[KUBE_RESOURCES] = { "cpu", "memory", "gpu" };
    enum { WEIGHT_MAX = 100 };
    if (**at == ':') {
        memset(args->resource, 0, sizeof args->resource);
        do {
            const char *s = ++*at;
            size_t n = strcspn(s, "=/;");
            int64_t used;
            int i = 0;
            while (i < KUBE_RESOURCES && (strlen(resource[i]) != n || strncmp(s, resource[i], n) != 0)) i++;
            *at = s + n + (s[n] == '=');
            if (i < KUBE_RESOURCES && plugin->takes_resources && s[n] == '=' &&
                whole(at, 1, WEIGHT_MAX, "/;", &args->resource[i]))
                continue;
            const char *knee = s;
            uint32_t k = args->n_knees;
            if (i == KUBE_RESOURCES && plugin->takes_knees && k < KUBE_KNEES_MAX && whole(&knee, 0, 100, "=", &used) &&
                s[n] == '=' && (k == 0 || used > args->knee[k - 1].used) &&
                whole(at, 0, 10, "/;", &args->knee[k].points)) {
                args->knee[k].points *= 10;
                args->knee[k].used = used;
                args->n_knees++;
                continue;
            }
            (void)snprintf(error, cap, "score plugin '%s' cannot be told '%.*s'; %s", plugin->name,
                           (int)strcspn(s, "/;"), s,
                           plugin->takes_knees
                               ? "expected weights such as cpu=1/memory=3, and points such as 0=0/100=10, rising in use"
                           : plugin->takes_resources ? "expected weights from 1 to 100, such as cpu=1/memory=3"
                                                     : "it takes a weight alone");
            return false;
        } while (**at == '/');
    }
    bool any = false;
    for (int i = 0; i < KUBE_RESOURCES; i++) any |= args->resource[i] > 0;
    if (!any) args->resource[KUBE_CPU] = args->resource[KUBE_MEM] = 1;
    if (!plugin->takes_knees || args->n_knees > 0) return true;
    (void)snprintf(error, cap, "score plugin '%s' needs points at per cents in use, such as ratio:1:0=0/100=10",
                   plugin->name);
    return false;
}

/* Kubernetes' NodeAffinity hangs on what other nodes are to the pod, and so is none of kube_scores. */
const char kube_affinity[] = "affinity";

static bool add_score(struct kube *k, const struct kube_score *plugin, int64_t weight, const char **at, char *error,
                      size_t cap)
{
    const char *name = plugin != NULL ? plugin->name : kube_affinity;
    bool is_twice = plugin == NULL && k->affinity > 0;
    for (size_t i = 0; i < k->n_scores; i++) is_twice |= k->score[i].plugin == plugin;
    if (is_twice || k->n_scores == KUBE_SCORES_MAX) {
        (void)snprintf(error, cap, is_twice ? "score plugin '%s' is named twice" : "'%s' is one score plugin too many",
                       name);
        return false;
    }
    if (plugin == NULL) {
        k->affinity = weight;
        return true;
    }
    k->score[k->n_scores].plugin = plugin;
    k->score[k->n_scores].weight = weight;
    k->score[k->n_scores].args = (struct kube_args){ .n_knees = 0 };
    return parse_args(plugin, at, &k->score[k->n_scores++].args, error, cap);
}

bool kube_parse(struct kube *k, const char *text, char *error, size_t cap)
{
    enum { WEIGHT_MAX = 100000 };
    k->n_scores = 0;
    k->affinity = 0;
    for (const char *s = text;;) {
        size_t n = strcspn(s, ":;");
        const char *end = s + n;
        int64_t weight = 1;
        const struct kube_score *plugin = find_score(s, n);
        if (plugin == NULL && (n != strlen(kube_affinity) || strncmp(s, kube_affinity, n) != 0)) {
            int at = snprintf(error, cap, "score plugin '%.*s' is not known; there are", (int)n, s);
            for (size_t i = 0; kube_scores[i].name != NULL && at > 0 && (size_t)at < cap; i++)
                at += snprintf(error + at, cap - (size_t)at, " %s,", kube_scores[i].name);
            if (at > 0 && (size_t)at < cap) (void)snprintf(error + at, cap - (size_t)at, " %s", kube_affinity);
            return false;
        }
        bool ok = *end != ':' || (end++, whole(&end, 1, WEIGHT_MAX, ":;", &weight));
        if (ok && !add_score(k, plugin, weight, &end, error, cap)) return false;
        if (!ok || (*end != ';' && *end != '\0')) {
            (void)snprintf(error, cap, "the weight of score plugin '%.*s' is not a whole number from 1 to %d", (int)n,
                           s, WEIGHT_MAX);
            return false;
        }
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

void kube_rank(struct kube *k, const struct pol_host *h, uint32_t n_nodes, uint64_t seed)
{
    struct ranked *r = pol_alloc(n_nodes, sizeof *r);
    for (uint32_t i = 0; i < n_nodes; i++)
        r[i] = (struct ranked){ .name = h->name(h->ctx, POL_NAME_NODE, i), .node = i,
                                .key = seed == 0 ? 0 : pol_mix(seed * UINT64_C(0x9e3779b97f4a7c15) + i) };
    qsort(r, n_nodes, sizeof *r, by_name);
    free(k->rank);
    k->rank = pol_alloc(n_nodes, sizeof *k->rank);
    for (uint32_t i = 0; i < n_nodes; i++) k->rank[r[i].node] = i;
    free(r);
}

/* ---- which nodes are looked at ---- */

struct turn { uint32_t in_rack, rack, node; };

static int by_turn(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    if (x->in_rack != y->in_rack) return x->in_rack < y->in_rack ? -1 : 1;
    return (x->rack > y->rack) - (x->rack < y->rack);
}

void kube_round_begin(struct kube_round *r, const struct plan *p)
{
    struct turn *turn = pol_alloc(p->n_nodes, sizeof *turn);
    uint32_t *n_of = NULL, n_racks = 0;
    for (uint32_t i = 0; i < p->n_nodes; i++)
        if (p->node[i].n.rack >= n_racks) n_racks = p->node[i].n.rack + 1;
    n_of = pol_alloc(n_racks, sizeof *n_of);
    for (uint32_t i = 0; i < p->n_nodes; i++)
        turn[i] = (struct turn){ .in_rack = n_of[p->node[i].n.rack]++, .rack = p->node[i].n.rack, .node = i };
    qsort(turn, p->n_nodes, sizeof *turn, by_turn);
    r->order = pol_alloc(p->n_nodes, sizeof *r->order);
    r->looked = pol_alloc(p->n_nodes, sizeof *r->looked);
    for (uint32_t i = 0; i < p->n_nodes; i++) r->order[i] = turn[i].node;
    free(n_of);
    free(turn);
}

void kube_round_fini(struct kube_round *r)
{
    free(r->order);
    free(r->looked);
}

uint32_t kube_to_find(uint32_t percentage, uint32_t n)
{
    enum { LEAST = 100, BASE = 50, STEP = 125, FLOOR = 5 };
    if (n < LEAST || percentage >= 100) return n;
    uint32_t share = percentage > 0 ? percentage : n / STEP + FLOOR < BASE ? BASE - n / STEP : FLOOR;
    uint32_t found = (uint32_t)((uint64_t)n * share / 100);
    return found < LEAST ? LEAST : found;
}

const int32_t *kube_preferred(const struct kube *k, uint32_t shape)
{
    if (k->affinity == 0 || k->preferences == NULL) return NULL;
    return k->preferences->of(k->host->ctx, shape);
}

int64_t kube_affinity_points(const int32_t *preferred, uint32_t node, int32_t most)
{
    return most == 0 ? 0 : (int64_t)preferred[node] * 100 / most * KUBE_POINT;
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
    for (uint32_t i = 0; i < p->card_end; i++) {
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
    return s->raw(k, a, &k->score[i].args) * KUBE_MAX / s->full;
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

bool kube_is_bounded(const struct kube *k)
{
    for (uint32_t i = 0; i < k->n_scores; i++)
        if (k->score[i].plugin->most == NULL) return false;
    return true;
}

int64_t kube_most(const struct kube *k, const struct kube_span *span)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < k->n_scores; i++) {
        const struct kube_score *s = k->score[i].plugin;
        sum += k->score[i].weight * (s->most(k, span, &k->score[i].args) * KUBE_MAX / s->full);
    }
    return sum;
}

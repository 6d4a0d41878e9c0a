/*
 * kueuecase.c -- kueue's objects drawn at random, few and tight, so that everything is short at times; and written as
 * YAML, so that its reader is compared, too.
 */
#include "ref/kueuecase.h"

#include <inttypes.h>
#include "base/rng.h"
#include "ref/refcase.h"

#define PICK(r, ...) \
    pick((r), (const int64_t[]){ __VA_ARGS__ }, sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t))
static int64_t pick(struct rng *r, const int64_t *of, size_t n) { return of[rng_below(r, n)]; }
static bool one_in(struct rng *r, uint64_t n) { return rng_below(r, n) == 0; }

#define GIB (INT64_C(1) << 30)
enum { CPU, MEMORY, GPU, PODS };
static const char *const resource[] = { "cpu", "memory", "nvidia.com/gpu", "pods" };

/* ---- making ---- */

static int64_t amount(struct rng *r, int res)
{
    switch (res) {
    case CPU: return PICK(r, 0, 2000, 4000, 4000, 8000, 16000);
    case MEMORY: return PICK(r, GIB, 4 * GIB, 8 * GIB, 16 * GIB);
    case GPU: return PICK(r, 0, 1000, 2000, 2000, 4000);
    default: return PICK(r, 1, 3, 5, 10);
    }
}

static struct ref_kq_quota make_quota(struct rng *r, int res, bool has_parent)
{
    struct ref_kq_quota q = { amount(r, res), -1, -1 };
    if (has_parent && one_in(r, 3)) q.borrow = amount(r, res) / 2;
    if (has_parent && one_in(r, 3)) q.lend = amount(r, res) / 2;
    return q;
}

static void no_quotas(struct ref_kq_pool *p)
{
    for (int f = 0; f < REF_KQ_FLAVORS; f++)
        for (int x = 0; x < REF_KQ_RESOURCES; x++) p->quota[f][x] = (struct ref_kq_quota){ -1, -1, -1 };
}

static void make_pool(struct rng *r, struct ref_kq_pool *p, int parent)
{
    no_quotas(p);
    p->parent = parent;
    p->weight = PICK(r, 1000, 1000, 2000, 500, 0);
}

static void make_queue(struct ref_kueue *k, struct rng *r, int i)
{
    struct ref_kq_queue *q = &k->queue[i];
    struct ref_kq_pool *p = &k->pool[k->n_cohorts + i];
    const bool two = k->n_flavors > 1 && one_in(r, 3);
    int order[REF_KQ_FLAVORS] = { 0, 1, 2 };
    make_pool(r, p, k->n_cohorts > 0 && !one_in(r, 6) ? (int)rng_below(r, (uint64_t)k->n_cohorts) : -1);
    for (int f = k->n_flavors - 1; f > 0; f--) {
        int o = (int)rng_below(r, (uint64_t)f + 1), was = order[f];
        order[f] = order[o];
        order[o] = was;
    }
    q->strict = one_in(r, 3);
    q->next_if_borrow = one_in(r, 2);
    q->next_if_preempt = one_in(r, 2);
    q->within = (int)rng_below(r, 3);
    q->reclaim = (int)rng_below(r, 3);
    q->borrows = q->reclaim > 0 && one_in(r, 2);
    q->threshold = (int)PICK(r, 99, 99, 0, 1);
    q->n_groups = two ? 2 : 1;
    q->covered[0] = two ? 1u << CPU | 1u << MEMORY : 1u << CPU | 1u << MEMORY | 1u << GPU;
    q->covered[1] = 1u << GPU;
    if (one_in(r, 3)) q->covered[0] |= 1u << PODS;
    if (k->no_memory) q->covered[0] &= ~(1u << MEMORY);
    for (int g = 0, f = 0; g < q->n_groups; g++) {
        const int end = two ? (g == 0 ? 1 : k->n_flavors) : 1 + (int)rng_below(r, (uint64_t)k->n_flavors);
        for (; f < end; f++) {
            q->flavor[g][q->n_flavors[g]++] = order[f];
            for (int x = 0; x < REF_KQ_RESOURCES; x++)
                if ((q->covered[g] >> x & 1) != 0) p->quota[order[f]][x] = make_quota(r, x, p->parent >= 0);
        }
    }
}

static void make_ready(struct ref_kueue *k, struct rng *r)
{
    k->waits = one_in(r, 4);
    k->blocks = one_in(r, 2);
    k->by_eviction = one_in(r, 2);
    k->timeout = PICK(r, 5, 20, 100);
    k->recovery = PICK(r, -1, 10);
    k->most = (int)PICK(r, 0, 1, 3);
    k->base = (int)PICK(r, 0, 1, 2);
    k->longest = (int)PICK(r, 1, 3, 60);
}

void kueuecase_make(struct ref_case *c, uint64_t seed)
{
    struct rng r;
    refcase_make(c, seed);
    rng_init(&r, seed, "reference case, kueue", 0);
    struct ref_kueue *k = &c->policy.kq;
    c->policy.order = REF_KUEUE;
    c->policy.place = (enum ref_place)rng_below(&r, REF_KUBE_HYBRID + 1);
    for (int j = 0; j < c->n_jobs; j++) c->job[j].priority = (int)PICK(&r, 0, 0, 0, 1, 2, 5, -1);
    k->n_flavors = 1 + (int)rng_below(&r, REF_KQ_FLAVORS);
    for (int f = 0; f < k->n_flavors; f++) {
        const int n = (int)rng_below(&r, (uint64_t)c->n_nodes);
        k->flavor[f].type = one_in(&r, 3) ? c->node[n].type : -1;
        k->flavor[f].host = k->flavor[f].type < 0 && one_in(&r, 4) ? n : -1;
    }
    k->no_memory = one_in(&r, 3);
    k->otherwise = one_in(&r, 2);
    k->n_cohorts = (int)rng_below(&r, REF_KQ_COHORTS + 1);
    for (int i = 0; i < k->n_cohorts; i++) {
        make_pool(&r, &k->pool[i], i > 0 && !one_in(&r, 4) ? (int)rng_below(&r, (uint64_t)i) : -1);
        for (int f = 0; f < k->n_flavors && one_in(&r, 2); f++)
            for (int x = 0; x <= GPU; x++) k->pool[i].quota[f][x] = make_quota(&r, x, k->pool[i].parent >= 0);
    }
    k->n_queues = 1 + (int)rng_below(&r, REF_KQ_QUEUES);
    for (int i = 0; i < k->n_queues; i++) make_queue(k, &r, i);
    k->fair = one_in(&r, 3);
    k->initial_first = one_in(&r, 4);
    k->initial_too = !k->initial_first && !one_in(&r, 3);
    make_ready(k, &r);
}

/* ---- YAML ---- */

static void write_amount(FILE *f, const char *key, int res, int64_t n)
{
    if (n < 0) return;
    if (res == CPU || res == GPU) fprintf(f, ", %s: %" PRId64 "m", key, n);
    else fprintf(f, ", %s: %" PRId64, key, n);
}

static void write_group(FILE *f, const struct ref_kq_pool *p, unsigned covered, const int *flavor, int n)
{
    const char *comma = "";
    fprintf(f, "  - coveredResources: [");
    for (int x = 0; x < REF_KQ_RESOURCES; x++)
        if ((covered >> x & 1) != 0) {
            fprintf(f, "%s%s", comma, resource[x]);
            comma = ", ";
        }
    fprintf(f, "]\n    flavors:\n");
    for (int i = 0; i < n; i++) {
        fprintf(f, "    - name: f%d\n      resources:\n", flavor[i]);
        for (int x = 0; x < REF_KQ_RESOURCES; x++) {
            const struct ref_kq_quota *q = &p->quota[flavor[i]][x];
            if ((covered >> x & 1) == 0) continue;
            fprintf(f, "      - {name: %s", resource[x]);
            write_amount(f, "nominalQuota", x, q->nominal);
            write_amount(f, "borrowingLimit", x, q->borrow);
            write_amount(f, "lendingLimit", x, q->lend);
            fprintf(f, "}\n");
        }
    }
}

static void write_head(FILE *f, const char *kind, const char *prefix, int i)
{
    fprintf(f, "---\napiVersion: kueue.x-k8s.io/v1beta1\nkind: %s\nmetadata: {name: %s%d}\nspec:\n", kind, prefix, i);
}

static void write_weight(FILE *f, const struct ref_kq_pool *p)
{
    fprintf(f, "  fairSharing: {weight: %" PRId64 "m}\n", p->weight);
}

static void write_config(const struct ref_kueue *k, FILE *f)
{
    static const char *const rules[] = { "LessThanOrEqualToFinalShare", "LessThanInitialShare" };
    fprintf(f, "apiVersion: config.kueue.x-k8s.io/v1beta1\nkind: Configuration\n");
    if (k->no_memory) fprintf(f, "resources: {excludeResourcePrefixes: [memory]}\n");
    fprintf(f, "fairSharing: {enable: %s, preemptionStrategies: [%s%s%s]}\n", k->fair ? "true" : "false",
            rules[k->initial_first], k->initial_too ? ", " : "", k->initial_too ? rules[1] : "");
    fprintf(f, "waitForPodsReady:\n  enable: %s\n  timeout: %" PRId64 "us\n  blockAdmission: %s\n",
            k->waits ? "true" : "false", k->timeout, k->blocks ? "true" : "false");
    if (k->recovery >= 0) fprintf(f, "  recoveryTimeout: %" PRId64 "us\n", k->recovery);
    fprintf(
        f,
        "  requeuingStrategy: {timestamp: %s, backoffLimitCount: %d, backoffBaseSeconds: %d, backoffMaxSeconds: %d}\n",
        k->by_eviction ? "Eviction" : "Creation", k->most, k->base, k->longest);
}

void kueuecase_write(const struct ref_kueue *k, FILE *f)
{
    static const char *const within[] = { "Never", "LowerPriority", "LowerOrNewerEqualPriority" };
    static const char *const reclaim[] = { "Never", "LowerPriority", "Any" };
    write_config(k, f);
    for (int i = 0; i < k->n_flavors; i++) {
        fprintf(f, "---\napiVersion: kueue.x-k8s.io/v1beta1\nkind: ResourceFlavor\nmetadata: {name: f%d}\n", i);
        if (k->flavor[i].type >= 0)
            fprintf(f, "spec: {nodeLabels: {nvidia.com/gpu.product: type%d}}\n", k->flavor[i].type);
        if (k->flavor[i].host >= 0)
            fprintf(f, "spec: {nodeLabels: {kubernetes.io/hostname: n%d}}\n", k->flavor[i].host);
    }
    for (int i = 0; i < k->n_cohorts; i++) {
        const struct ref_kq_pool *p = &k->pool[i];
        int flavor[REF_KQ_FLAVORS], n = 0;
        for (int x = 0; x < k->n_flavors; x++)
            if (p->quota[x][CPU].nominal >= 0) flavor[n++] = x;
        write_head(f, "Cohort", "c", i);
        write_weight(f, p);
        if (p->parent >= 0) fprintf(f, "  parentName: c%d\n", p->parent);
        if (n > 0) fprintf(f, "  resourceGroups:\n");
        if (n > 0) write_group(f, p, 1u << CPU | 1u << MEMORY | 1u << GPU, flavor, n);
    }
    for (int i = 0; i < k->n_queues; i++) {
        const struct ref_kq_queue *q = &k->queue[i];
        const struct ref_kq_pool *p = &k->pool[k->n_cohorts + i];
        write_head(f, "ClusterQueue", "u", i);
        write_weight(f, p);
        if (p->parent >= 0) fprintf(f, "  cohort: c%d\n", p->parent);
        fprintf(f, "  namespaceSelector: {}\n  queueingStrategy: %s\n", q->strict ? "StrictFIFO" : "BestEffortFIFO");
        fprintf(f, "  flavorFungibility: {whenCanBorrow: %s, whenCanPreempt: %s}\n",
                q->next_if_borrow ? "TryNextFlavor" : "Borrow", q->next_if_preempt ? "TryNextFlavor" : "Preempt");
        fprintf(f, "  preemption:\n    withinClusterQueue: %s\n    reclaimWithinCohort: %s\n", within[q->within],
                reclaim[q->reclaim]);
        if (q->borrows && q->threshold == 99) fprintf(f, "    borrowWithinCohort: {policy: LowerPriority}\n");
        else if (q->borrows)
            fprintf(f, "    borrowWithinCohort: {policy: LowerPriority, maxPriorityThreshold: %d}\n", q->threshold);
        fprintf(f, "  resourceGroups:\n");
        for (int g = 0; g < q->n_groups; g++) write_group(f, p, q->covered[g], q->flavor[g], q->n_flavors[g]);
    }
}

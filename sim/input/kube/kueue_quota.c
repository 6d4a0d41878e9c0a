/*
 * kueue_quota.c -- ClusterQueues and Cohorts: their quotas and policies, in the words of policies/kueue/config.c.
 *
 * Source: Kueue 0.13, apis/kueue/v1beta1/clusterqueue_types.go and cohort_types.go, with their validation.
 */
#include "input/kube/kueue_priv.h"

#include <string.h>
#include "input/kube/quantity.h"

/* Amounts are in the policy's units: thousandths of cores and of cards, bytes, pods. */
static const char *resource_of(const char *name, int64_t *scale)
{
    const char *slash = strrchr(name, '/');
    *scale = 1;
    if (strcmp(name, "memory") == 0) return "memory";
    if (strcmp(name, "pods") == 0) return "pods";
    *scale = 1000;
    if (strcmp(name, "cpu") == 0) return "cpu";
    return strcmp(slash != NULL ? slash + 1 : name, "gpu") == 0 ? "gpu" : NULL;
}

/* What one object's groups have named so far. */
struct named {
    const char **at;
    size_t n, cap;
};

static enum st name_once(struct named *all, const struct ydoc_node *at, const char *name, const char *what,
                         struct diag *d)
{
    for (size_t i = 0; i < all->n; i++)
        if (strcmp(all->at[i], name) == 0)
            return ydoc_error(at, d, "found %s '%s' a second time in one object", what, name);
    MEM_PUSH(all->at, all->n, all->cap, name);
    return ST_OK;
}

static enum st limit(const struct ydoc_node *quota, const char *key, bool has_cohort, const char *of, int64_t scale,
                     int64_t *out, struct diag *d)
{
    *out = -1;
    TRY(kueue_quantity(quota, key, scale, out, d));
    if (*out < 0 || has_cohort) return ST_OK;
    return ydoc_key_error(ydoc_get(quota, key), d, "found %s, but the object has no %s to %s", key, of,
                          key[0] == 'b' ? "borrow from" : "lend to");
}

static enum st read_quota(struct kueue_reading *r, const struct ydoc_node *quota, const struct ydoc_node *covered,
                          const char *flavor, bool has_cohort, const char *of, struct diag *d)
{
    static const char *const keys[] = { "name", "nominalQuota", "borrowingLimit", "lendingLimit" };
    const char *name;
    int64_t scale, nominal = -1, borrow, lend;
    TRY(kueue_keys(r, quota, "a quota", keys, ARRAY_LEN(keys), ARRAY_LEN(keys), d));
    TRY(kueue_name(quota, "name", &name, d));
    if (strcmp(covered->text, name) != 0)
        return ydoc_expected(ydoc_get(quota, "name"), d, "%s, as coveredResources has it here", covered->text);
    const char *ours = resource_of(name, &scale);
    TRY(kueue_quantity(quota, "nominalQuota", scale, &nominal, d));
    if (nominal < 0) return ydoc_error(quota, d, "found no 'nominalQuota'");
    TRY(limit(quota, "borrowingLimit", has_cohort, of, scale, &borrow, d));
    TRY(limit(quota, "lendingLimit", has_cohort, of, scale, &lend, d));
    if (ours == NULL) kueue_tell(r, quota, "resource %.60s is", name);
    else
        (void)fprintf(r->to.to, "quota\t%s\t%s\t%lld\t%lld\t%lld\n", flavor, ours, (long long)nominal,
                      (long long)borrow, (long long)lend);
    return ST_OK;
}

static enum st read_flavor(struct kueue_reading *r, const struct ydoc_node *f, const struct ydoc_node *covered,
                           bool has_cohort, const char *of, struct named *flavors, struct diag *d)
{
    static const char *const keys[] = { "name", "resources" };
    const struct ydoc_node *list;
    const char *name;
    size_t n;
    TRY(kueue_keys(r, f, "a flavor", keys, ARRAY_LEN(keys), ARRAY_LEN(keys), d));
    TRY(kueue_name(f, "name", &name, d));
    TRY(name_once(flavors, ydoc_get(f, "name"), name, "flavor", d));
    if (kueue_find(r->flavor, r->n_flavors, name) == NULL)
        return ydoc_error(ydoc_get(f, "name"), d, "there is no ResourceFlavor '%s' in the file", name);
    TRY(kueue_maps(f, "resources", &list, &n, d));
    if (n != covered->n)
        return ydoc_error(list != NULL ? list : f, d,
                          "found quotas of %zu resources, expected the %zu of "
                          "coveredResources",
                          n, covered->n);
    for (size_t i = 0; i < n; i++) TRY(read_quota(r, list->at[i], covered->at[i], name, has_cohort, of, d));
    return ST_OK;
}

static enum st read_covered(const struct ydoc_node *group, struct kueue_reading *r, struct named *resources,
                            const struct ydoc_node **covered, struct diag *d)
{
    *covered = NULL;
    TRY(ydoc_list(group, "coveredResources", covered, d));
    if (*covered == NULL || (*covered)->n == 0) return ydoc_error(group, d, "found no 'coveredResources'");
    (void)fputs("group", r->to.to);
    for (size_t i = 0; i < (*covered)->n; i++) {
        const struct ydoc_node *at = (*covered)->at[i];
        const char *name;
        int64_t scale;
        TRY(ydoc_node_str(at, &name, d));
        const char *ours = resource_of(name, &scale);
        TRY(name_once(resources, at, ours != NULL ? ours : name, "resource", d));
        if (ours != NULL) (void)fprintf(r->to.to, "\t%s", ours);
    }
    (void)fputc('\n', r->to.to);
    return ST_OK;
}

static enum st read_groups(struct kueue_reading *r, const struct ydoc_node *spec, bool has_cohort, const char *of,
                           struct named *resources, struct named *flavors, struct diag *d)
{
    static const char *const keys[] = { "coveredResources", "flavors" };
    const struct ydoc_node *list, *of_group, *covered;
    size_t n, n_flavors;
    TRY(kueue_maps(spec, "resourceGroups", &list, &n, d));
    for (size_t i = 0; i < n; i++) {
        const struct ydoc_node *g = list->at[i];
        TRY(kueue_keys(r, g, "a resource group", keys, ARRAY_LEN(keys), ARRAY_LEN(keys), d));
        TRY(read_covered(g, r, resources, &covered, d));
        TRY(kueue_maps(g, "flavors", &of_group, &n_flavors, d));
        if (n_flavors == 0) return ydoc_error(g, d, "found no 'flavors'");
        for (size_t k = 0; k < n_flavors; k++)
            TRY(read_flavor(r, of_group->at[k], covered, has_cohort, of, flavors, d));
    }
    return ST_OK;
}

static enum st quotas(struct kueue_reading *r, const struct ydoc_node *spec, bool has_cohort, const char *of,
                      struct diag *d)
{
    struct named resources = { 0 }, flavors = { 0 };
    enum st st = read_groups(r, spec, has_cohort, of, &resources, &flavors, d);
    MEM_FREE(resources.at, flavors.at);
    return st;
}

/* ---- ClusterQueue ---- */

static enum st read_preemption(struct kueue_reading *r, const struct ydoc_node *spec, uint32_t *within,
                               uint32_t *reclaim, char threshold[32], struct diag *d)
{
    static const char *const keys[] = { "withinClusterQueue", "reclaimWithinCohort", "borrowWithinCohort" };
    static const char *const borrow_keys[] = { "policy", "maxPriorityThreshold" };
    static const char *const in_queue[] = { "Never", "LowerPriority", "LowerOrNewerEqualPriority" };
    static const char *const in_cohort[] = { "Never", "LowerPriority", "Any" };
    const struct ydoc_node *map = NULL, *borrow = NULL;
    uint32_t lower = 0;
    int64_t most = 0;
    TRY(ydoc_map(spec, "preemption", &map, d));
    TRY(kueue_keys(r, map, "preemption", keys, ARRAY_LEN(keys), ARRAY_LEN(keys), d));
    TRY(ydoc_choice(map, "withinClusterQueue", in_queue, ARRAY_LEN(in_queue), within, d));
    TRY(ydoc_choice(map, "reclaimWithinCohort", in_cohort, ARRAY_LEN(in_cohort), reclaim, d));
    TRY(ydoc_map(map, "borrowWithinCohort", &borrow, d));
    TRY(kueue_keys(r, borrow, "borrowWithinCohort", borrow_keys, ARRAY_LEN(borrow_keys), ARRAY_LEN(borrow_keys), d));
    TRY(ydoc_choice(borrow, "policy", in_cohort, 2, &lower, d));
    TRY(ydoc_int(borrow, "maxPriorityThreshold", INT32_MIN, INT32_MAX, &most, d));
    if (lower == 1 && *reclaim == 0)
        return ydoc_error(borrow, d, "found borrowWithinCohort beside reclaimWithinCohort: Never, which Kueue refuses");
    (void)snprintf(threshold, 32, "%s", lower == 0 ? "never" : "any");
    if (lower == 1 && ydoc_get(borrow, "maxPriorityThreshold") != NULL)
        (void)snprintf(threshold, 32, "%lld", (long long)most);
    return ST_OK;
}

static enum st read_fungibility(struct kueue_reading *r, const struct ydoc_node *spec, uint32_t next[2], struct diag *d)
{
    static const char *const keys[] = { "whenCanBorrow", "whenCanPreempt" };
    static const char *const borrow[] = { "Borrow", "TryNextFlavor", "MayStopSearch" };
    static const char *const preempt[] = { "Preempt", "TryNextFlavor", "MayStopSearch" };
    const struct ydoc_node *map = NULL;
    TRY(ydoc_map(spec, "flavorFungibility", &map, d));
    TRY(kueue_keys(r, map, "flavorFungibility", keys, ARRAY_LEN(keys), ARRAY_LEN(keys), d));
    next[0] = 0;
    next[1] = 1;
    TRY(ydoc_choice(map, "whenCanBorrow", borrow, ARRAY_LEN(borrow), &next[0], d));
    return ydoc_choice(map, "whenCanPreempt", preempt, ARRAY_LEN(preempt), &next[1], d);
}

/* Only {} is modelled, all namespaces; without it Kueue admits nothing, which nobody means. */
static void tell_selector(struct kueue_reading *r, const struct kueue_object *o)
{
    const struct ydoc_node *s = ydoc_get(o->spec, "namespaceSelector");
    if (s == NULL || ydoc_is_null(s))
        kueue_tell(r, o->root,
                   "that ClusterQueue %.60s, without a namespaceSelector, "
                   "admits nothing is",
                   o->name);
    else if (s->type != YDOC_MAP || s->n > 0) kueue_tell(r, s, "the namespaceSelector of %.60s is", o->name);
}

enum st kueue_read_queue(struct kueue_reading *r, const struct kueue_object *o, struct diag *d)
{
    static const char *const keys[] = { "resourceGroups", "cohort", "queueingStrategy", "namespaceSelector",
                                        "flavorFungibility", "preemption", "stopPolicy", "fairSharing",
                                        /* told */
                                        "admissionChecks", "admissionChecksStrategy", "admissionScope",
                                        "excludeResourcePrefixes" };
    static const char *const order[] = { "BestEffortFIFO", "StrictFIFO" };
    static const char *const stop[] = { "None", "Hold", "HoldAndDrain" };
    uint32_t strict = 0, next[2], within = 0, reclaim = 0, held = 0;
    const char *cohort = NULL;
    char threshold[32];
    int64_t weight = 1000;
    TRY(kueue_keys(r, o->spec, "a ClusterQueue", keys, 8, ARRAY_LEN(keys), d));
    if (ydoc_get(o->spec, "cohort") != NULL) TRY(kueue_name(o->spec, "cohort", &cohort, d));
    TRY(ydoc_choice(o->spec, "queueingStrategy", order, ARRAY_LEN(order), &strict, d));
    TRY(ydoc_choice(o->spec, "stopPolicy", stop, ARRAY_LEN(stop), &held, d));
    TRY(read_fungibility(r, o->spec, next, d));
    TRY(read_preemption(r, o->spec, &within, &reclaim, threshold, d));
    TRY(kueue_weight(r, o->spec, &weight, d));
    tell_selector(r, o);
    (void)fprintf(r->to.to, "queue\t%s\t%s\t%d\t%d\t%d\t%u\t%u\t%s\t%lld\t%d\n", o->name, cohort != NULL ? cohort : "",
                  strict == 1, next[0] == 1, next[1] == 1, within, reclaim, threshold, (long long)weight, held != 0);
    return quotas(r, o->spec, cohort != NULL, "cohort", d);
}

/* ---- Cohort ---- */

/* v1alpha1 calls it parent. */
static const char *parent_key(const struct kueue_object *o)
{
    return ydoc_get(o->spec, "parent") != NULL ? "parent" : "parentName";
}

enum { COHORTS_DEEP = 64 };

static enum st find_cycle(const struct kueue_reading *r, const struct kueue_object *o, struct diag *d)
{
    const struct kueue_object *at = o;
    for (size_t steps = 0; at != NULL; steps++) {
        const struct ydoc_node *up = ydoc_get(at->spec, parent_key(at));
        at = up != NULL ? kueue_find(r->cohort, r->n_cohorts, up->text) : NULL;
        if (steps == COHORTS_DEEP)
            return ydoc_error(ydoc_get(o->spec, parent_key(o)), d, "cohort '%s' has more than %d above it", o->name,
                              COHORTS_DEEP);
        if (at == o)
            return ydoc_error(ydoc_get(o->spec, parent_key(o)), d, "cohort '%s' is, by its parents, above itself",
                              o->name);
    }
    return ST_OK;
}

enum st kueue_read_cohort(struct kueue_reading *r, const struct kueue_object *o, struct diag *d)
{
    static const char *const keys[] = { "parentName", "parent", "resourceGroups", "fairSharing" };
    const char *parent = NULL;
    int64_t weight = 1000;
    TRY(kueue_keys(r, o->spec, "a Cohort", keys, ARRAY_LEN(keys), ARRAY_LEN(keys), d));
    if (ydoc_get(o->spec, parent_key(o)) != NULL) TRY(kueue_name(o->spec, parent_key(o), &parent, d));
    TRY(find_cycle(r, o, d));
    TRY(kueue_weight(r, o->spec, &weight, d));
    (void)fprintf(r->to.to, "cohort\t%s\t%s\t%lld\n", o->name, parent != NULL ? parent : "", (long long)weight);
    return quotas(r, o->spec, parent != NULL, "parent", d);
}

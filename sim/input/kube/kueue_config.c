/*
 * kueue_config.c -- Kueue's own Configuration: fair sharing, waitForPodsReady, resources that have no quota.
 *
 * Source: Kueue 0.13, apis/config/v1beta1/configuration_types.go and its defaults.
 */
#include "input/kube/kueue_priv.h"

#include <string.h>

enum { SECONDS_MAX = 1000000000 };

/* Go's durations: numbers with h, m, s, ms, us or ns, one after the other; in microseconds. */
static bool go_duration(const char *s, int64_t *out)
{
    static const struct {
        const char *unit;
        double us;
    } units[] = {
        { "ms", 1e3 }, { "us", 1 }, { "ns", 1e-3 }, { "h", 3.6e9 }, { "m", 6e7 }, { "s", 1e6 },
    };
    double sum = 0;
    if (*s == '\0') return false;
    while (*s != '\0') {
        size_t n = strspn(s, "0123456789."), k = 0;
        char number[32];
        double v;
        if (n == 0 || n >= sizeof number) return false;
        memcpy(number, s, n);
        number[n] = '\0';
        if (!text_double(number, &v)) return false;
        s += n;
        while (k < ARRAY_LEN(units) && strncmp(s, units[k].unit, strlen(units[k].unit)) != 0) k++;
        if (k == ARRAY_LEN(units)) return false;
        sum += v * units[k].us;
        s += strlen(units[k].unit);
    }
    *out = (int64_t)(sum + 0.5);
    return sum < 1e15;
}

static enum st duration(const struct ydoc_node *map, const char *key, int64_t *out, struct diag *d)
{
    const char *text = NULL;
    TRY(ydoc_str(map, key, &text, d));
    if (text == NULL || (go_duration(text, out) && *out > 0)) return ST_OK;
    return ydoc_expected(ydoc_get(map, key), d, "a duration above 0 such as 5m or 1h30m");
}

static enum st read_fair(struct kueue_reading *r, const struct ydoc_node *root, struct diag *d)
{
    static const char *const keys[] = { "enable", "preemptionStrategies" };
    static const char *const rules[] = { "LessThanOrEqualToFinalShare", "LessThanInitialShare" };
    const struct ydoc_node *map = NULL, *list = NULL;
    bool on = false;
    uint32_t rule[2] = { 0, 1 };
    size_t n = 2;
    TRY(ydoc_map(root, "fairSharing", &map, d));
    TRY(kueue_keys(r, map, "fairSharing", keys, ARRAY_LEN(keys), ARRAY_LEN(keys), d));
    TRY(ydoc_bool(map, "enable", &on, d));
    TRY(ydoc_list(map, "preemptionStrategies", &list, d));
    if (list != NULL && list->n > 0) {
        n = list->n;
        for (size_t i = 0; i < n && i < 2; i++)
            TRY(ydoc_node_choice(list->at[i], rules, ARRAY_LEN(rules), &rule[i], d));
        if (n > 2 || (n == 2 && (rule[0] != 0 || rule[1] != 1)))
            return ydoc_error(list, d, "expected one of the two strategies, or both with %s first", rules[0]);
    }
    if (!on) return ST_OK;
    (void)fprintf(r->to.to, "fair\t%s\t%d\n", rule[0] == 0 ? "final" : "initial", n == 2);
    return ST_OK;
}

static enum st read_ready(struct kueue_reading *r, const struct ydoc_node *root, struct diag *d)
{
    static const char *const keys[] = { "enable", "timeout", "recoveryTimeout", "blockAdmission", "requeuingStrategy" };
    static const char *const again_keys[] = { "timestamp", "backoffLimitCount", "backoffBaseSeconds",
                                              "backoffMaxSeconds" };
    static const char *const stamps[] = { "Eviction", "Creation" };
    const struct ydoc_node *map = NULL, *again = NULL;
    bool on = false, block = false;
    int64_t timeout = INT64_C(300000000), recovery = -1, most = -1, base = 60, longest = 3600;
    uint32_t stamp = 0;
    TRY(ydoc_map(root, "waitForPodsReady", &map, d));
    TRY(kueue_keys(r, map, "waitForPodsReady", keys, ARRAY_LEN(keys), ARRAY_LEN(keys), d));
    TRY(ydoc_bool(map, "enable", &on, d));
    TRY(duration(map, "timeout", &timeout, d));
    TRY(duration(map, "recoveryTimeout", &recovery, d));
    TRY(ydoc_bool(map, "blockAdmission", &block, d));
    TRY(ydoc_map(map, "requeuingStrategy", &again, d));
    TRY(kueue_keys(r, again, "requeuingStrategy", again_keys, ARRAY_LEN(again_keys), ARRAY_LEN(again_keys), d));
    TRY(ydoc_choice(again, "timestamp", stamps, ARRAY_LEN(stamps), &stamp, d));
    if (ydoc_get(again, "backoffLimitCount") != NULL && !ydoc_is_null(ydoc_get(again, "backoffLimitCount")))
        TRY(ydoc_int(again, "backoffLimitCount", 0, INT32_MAX, &most, d));
    TRY(ydoc_int(again, "backoffBaseSeconds", 0, SECONDS_MAX, &base, d));
    TRY(ydoc_int(again, "backoffMaxSeconds", 0, SECONDS_MAX, &longest, d));
    if (!on) return ST_OK;
    (void)fprintf(r->to.to, "ready\t%lld\t%lld\t%d\t%d\t%lld\t%lld\t%lld\n", (long long)timeout, (long long)recovery,
                  block, stamp == 0, (long long)most, (long long)base, (long long)longest);
    return ST_OK;
}

/* Resources that no quota counts, by their names' beginnings. */
static enum st read_resources(struct kueue_reading *r, const struct ydoc_node *root, struct diag *d)
{
    static const char *const keys[] = { "excludeResourcePrefixes", /* told */ "transformations" };
    static const struct {
        const char *name, *ours;
    } known[] = {
        { "cpu", "cpu" },
        { "memory", "memory" },
        { "nvidia.com/gpu", "gpu" },
    };
    const struct ydoc_node *map = NULL, *list = NULL;
    TRY(ydoc_map(root, "resources", &map, d));
    TRY(kueue_keys(r, map, "resources", keys, 1, ARRAY_LEN(keys), d));
    TRY(ydoc_list(map, "excludeResourcePrefixes", &list, d));
    for (size_t i = 0; list != NULL && i < list->n; i++) {
        const char *prefix;
        TRY(ydoc_node_str(list->at[i], &prefix, d));
        for (size_t k = 0; k < ARRAY_LEN(known); k++)
            if (strncmp(known[k].name, prefix, strlen(prefix)) == 0)
                (void)fprintf(r->to.to, "exclude\t%s\n", known[k].ours);
    }
    return ST_OK;
}

enum st kueue_read_config(struct kueue_reading *r, const struct ydoc_node *root, struct diag *d)
{
    static const char *const keys[] = { "apiVersion", "kind", "fairSharing", "waitForPodsReady", "resources",
                                        /* nothing to a simulation, or told */
                                        "metadata", "namespace", "webhook", "leaderElection", "metrics", "health",
                                        "pprofBindAddress", "controller", "manageJobsWithoutQueueName",
                                        "managedJobsNamespaceSelector", "internalCertManagement", "clientConnection",
                                        "integrations", "queueVisibility", "multiKueue", "featureGates",
                                        "admissionFairSharing", "objectRetentionPolicies" };
    TRY(kueue_keys(r, root, "a Configuration", keys, 5, ARRAY_LEN(keys), d));
    TRY(read_fair(r, root, d));
    TRY(read_ready(r, root, d));
    return read_resources(r, root, d);
}

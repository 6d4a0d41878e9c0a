/* The network and data sections: transfers between nodes, and where blocks lie. */
#include "input/scenario/section.h"


static enum st read_speed(const struct ydoc_node *n, const char *key, int64_t *out, struct diag *d)
{
    TRY(ydoc_quantity(n, key, TEXT_RATE, 0, 1, out, d));
    const struct ydoc_node *v = ydoc_get(n, key);
    if (v != NULL && (*out < NET_BPS_MIN || *out > NET_BPS_MAX))
        return ydoc_expected(v, d, "a speed from %lld B/s to %.0f GB/s", (long long)NET_BPS_MIN, (double)NET_BPS_MAX / 1e9);
    return ST_OK;
}

/* How fast policies believe that transfers are: `estimate`, and how it is measured. */
static enum st read_estimate(struct net_spec *net, const struct ydoc_node *n, struct diag *d)
{
    static const char *const words[] = { "static", "measured" };
    static const char *const keys[] = { "disk", "rack", "aggregation" };        /* by level */
    uint32_t measured = 0;
    int64_t window = 10;
    const struct ydoc_node *start = ydoc_get(n, "start"), *span = ydoc_get(n, "window");
    TRY(ydoc_choice(n, "estimate", words, ARRAY_LEN(words), &measured, d));
    if (measured == 0) {
        if (start == NULL && span == NULL) return ST_OK;
        return ydoc_key_error(span != NULL ? span : start, d, "'%s' goes with 'estimate: measured'", span != NULL ? "window" : "start");
    }
    if (net->mode != NET_SHARED)
        return ydoc_error(ydoc_get(n, "estimate"), d, "transfers are measured only with 'mode: shared'; else all take what is stated");
    TRY(ydoc_int(n, "window", 1, ESTIMATE_WINDOW_MAX, &window, d));
    net->estimate.window = (uint32_t)window;
    if (start == NULL) return ST_OK;
    TRY(ydoc_keys(start, "start", keys, ARRAY_LEN(keys), d));
    for (int l = 0; l < LEVELS; l++) TRY(read_speed(start, keys[l], &net->estimate.start_bps[l], d));
    return ST_OK;
}

enum st scn_read_network(struct scn_data *s, const struct ydoc_node *n, struct diag *d)
{
    static const char *const keys[] = { "mode", "disk", "card", "rack", "aggregation", "estimate", "window", "start" };
    static const char *const modes[] = { "nominal", "shared", "overlap" };
    uint32_t mode = NET_NOMINAL;
    TRY(ydoc_keys(n, "network", keys, ARRAY_LEN(keys), d));
    TRY(ydoc_choice(n, "mode", modes, ARRAY_LEN(modes), &mode, d));
    s->net.mode = (enum net_mode)mode;
    TRY(read_speed(n, "disk", &s->net.disk_bps, d));
    TRY(read_speed(n, "card", &s->net.card_bps, d));
    TRY(read_speed(n, "rack", &s->net.rack_bps, d));
    TRY(read_speed(n, "aggregation", &s->net.aggregation_bps, d));
    if (s->net.mode != NET_SHARED && s->net.card_bps > 0)
        return ydoc_key_error(ydoc_get(n, "card"), d, "'card' has a meaning only with 'mode: shared'");
    return read_estimate(&s->net, n, d);
}

enum st scn_read_data(struct scn_data *s, const struct ydoc_node *n, struct diag *d)
{
    static const char *const keys[] = { "rule", "replicas" };
    static const char *const rules[] = { "random", "rack-aware", "file" };
    uint32_t rule = DATA_RANDOM;
    int64_t replicas = 3;
    TRY(ydoc_keys(n, "data", keys, ARRAY_LEN(keys), d));
    TRY(ydoc_choice(n, "rule", rules, ARRAY_LEN(rules), &rule, d));
    TRY(ydoc_int(n, "replicas", 1, 1000, &replicas, d));
    s->rule = (enum data_rule)rule;
    s->replicas = (uint32_t)replicas;
    return ST_OK;
}

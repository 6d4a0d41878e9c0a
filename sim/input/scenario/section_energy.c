/*
 * What nodes and cards draw and cost, wherever the cluster section states it, and the prices section.
 *
 * Power is stated of every node and every GPU type or of none, since a sum over some of them would be read as
 * that of the cluster; so are prices of nodes, and prices of cards.
 */
#include "input/scenario/section.h"

#include <math.h>
#include <string.h>
#include "base/mem.h"

/* The next of the points that go from 0 to 1. */
static enum st read_point(const struct ydoc_node *n, struct power *p, bool is_last, struct diag *d)
{
    const uint32_t i = p->n++;
    double at = 0;
    if (n->type != YDOC_LIST || n->n != 2) return ydoc_expected(n, d, "a utilisation and a power, such as [0.5, 420W]");
    const struct ydoc_node *where = n->at[0];
    TRY(ydoc_node_double(where, 0, 1, &at, d));
    TRY(ydoc_node_quantity(n->at[1], TEXT_POWER, 0, 0, &p->mw[i], d));
    p->at[i] = llround(at * POWER_WHOLE);
    if (i == 0 && p->at[i] != 0) return ydoc_expected(where, d, "0: the power of the first point is that of idling");
    if (i > 0 && p->at[i] <= p->at[i - 1]) return ydoc_expected(where, d, "a utilisation above that before");
    if (is_last && p->at[i] != POWER_WHOLE) return ydoc_expected(where, d, "1: the last point is that of full use");
    if (i > 0 && p->mw[i] < p->mw[i - 1]) return ydoc_expected(n->at[1], d, "no less than the point before draws");
    return ST_OK;
}

/* [[0, 200W], [0.5, 420W], [1, 500W]] */
static enum st read_points(const struct ydoc_node *list, struct power *p, struct diag *d)
{
    if (list->n < 2) return ydoc_expected(list, d, "at least two points, such as [[0, 200W], [0.5, 420W], [1, 500W]]");
    if (list->n > POWER_POINTS_MAX)
        return ydoc_error(list, d, "'power': found %zu points, expected at most %d", list->n, POWER_POINTS_MAX);
    for (size_t i = 0; i < list->n; i++) TRY(read_point(list->at[i], p, i + 1 == list->n, d));
    return ST_OK;
}

static enum st read_power(const struct ydoc_node *n, struct power *p, struct diag *d)
{
    static const char *const keys[] = { "idle", "peak" };
    if (n == NULL) return ST_OK;
    *p = (struct power){ .n = 0 };
    if (n->type == YDOC_LIST) return read_points(n, p, d);
    if (n->type != YDOC_MAP)
        return ydoc_expected(n, d, "{idle: 200W, peak: 500W}, or points such as [[0, 200W], [0.5, 420W], [1, 500W]]");
    TRY(ydoc_keys(n, "power", keys, ARRAY_LEN(keys), d));
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        if (ydoc_get(n, keys[i]) == NULL) return ydoc_error(n, d, "found 'power' without '%s'", keys[i]);
        TRY(ydoc_quantity(n, keys[i], TEXT_POWER, 0, 0, &p->mw[i], d));
    }
    if (p->mw[1] < p->mw[0]) return ydoc_expected(ydoc_get(n, "peak"), d, "no less than 'idle'");
    p->at[1] = POWER_WHOLE;
    p->n = 2;
    return ST_OK;
}

static enum st read_amount(const struct ydoc_node *n, int64_t most, int64_t *out, struct diag *d)
{
    double v = 0;
    TRY(ydoc_node_double(n, 0, (double)most / 1e6, &v, d));
    *out = llround(v * 1e6);
    return ST_OK;
}

/* One number, or {0: 0.18, 7: 0.34, 21: 0.18}: from that hour of the day on. */
static enum st read_price(const struct ydoc_node *n, int64_t most, struct price *p, struct diag *d)
{
    int64_t v = 0, from[HOURS_A_DAY];
    if (n == NULL) return ST_OK;
    *p = (struct price){ .is_stated = true };
    if (n->type == YDOC_SCALAR) {
        TRY(read_amount(n, most, &v, d));
        for (int h = 0; h < HOURS_A_DAY; h++) p->by_hour[h] = v;
        return ST_OK;
    }
    if (n->type != YDOC_MAP || n->n == 0)
        return ydoc_expected(n, d, "a price, or prices by hour of the day such as {0: 0.18, 7: 0.34, 21: 0.18}");
    for (int h = 0; h < HOURS_A_DAY; h++) from[h] = -1;
    for (size_t i = 0; i < n->n; i++) {
        int64_t h = 0;
        if (!text_int(n->at[i]->key, &h) || h < 0 || h >= HOURS_A_DAY)
            return ydoc_key_error(n->at[i], d, "found '%s', expected an hour of the day, 0 to 23", n->at[i]->key);
        if (from[h] >= 0) return ydoc_key_error(n->at[i], d, "found hour %d a second time", (int)h);
        TRY(read_amount(n->at[i], most, &from[h], d));
    }
    /* Before the first hour holds what the last left the day before. */
    for (int h = 0; h < HOURS_A_DAY; h++) if (from[h] >= 0) v = from[h];
    for (int h = 0; h < HOURS_A_DAY; h++) p->by_hour[h] = v = from[h] >= 0 ? from[h] : v;
    return ST_OK;
}

enum st scn_read_draw(const struct ydoc_node *map, struct draw *out, struct diag *d)
{
    TRY(read_power(ydoc_get(map, "power"), &out->power, d));
    return read_price(ydoc_get(map, "price"), PRICE_HOUR_MAX, &out->price, d);
}

/* ---- is it whole? ---- */

/* A key of struct draw, and what stands for it where others have it. */
struct part { const char *key, *example, *stated; };
static const struct part power_part = { "power", "{idle: 30W, peak: 300W}", "others have" };
static const struct part price_of_node = { "price", "", "other nodes have" };
static const struct part price_of_card = { "price", "1.5", "other types have" };

static bool has(const struct draw *w, const struct part *k)
{
    return k == &power_part ? w->power.n > 0 : w->price.is_stated;
}

static enum st check_nodes(const struct scenario *s, const struct ydoc_node *cluster, const struct part *k,
                           struct diag *d)
{
    const struct ydoc_node *groups = ydoc_get(cluster, "groups");
    if (has(&s->energy.node[0], k)) return ST_OK;
    if (groups == NULL)
        return ydoc_error(cluster, d, "found no '%s' of the cluster's nodes, which %s", k->key, k->stated);
    for (size_t i = 0; i < groups->n; i++) {
        if (ydoc_get(groups->at[i], k->key) != NULL) continue;
        return ydoc_error(groups->at[i], d, "found a node group without '%s', which %s", k->key, k->stated);
    }
    return ST_OK;
}

static enum st check_cards(const struct scenario *s, const struct ydoc_node *cluster, const struct part *k,
                           struct diag *d)
{
    const struct ydoc_node *types = ydoc_get(cluster, "gpu_types");
    for (uint32_t i = 0; i < s->cluster.n_nodes; i++) {
        const uint32_t type = s->cluster.node[i].gpu_type;
        if (type == NONE || has(&s->energy.card[type], k)) continue;
        const char *name = intern_name(&s->cluster.gpu_types, type);
        const struct ydoc_node *at = ydoc_get(types, name);
        if (at == NULL) at = types != NULL ? types : cluster;
        (void)ydoc_error(at, d, "found no '%s' of GPU type '%s', which %s", k->key, name, k->stated);
        return diag_hint(d, "gpu_types: {%s: {%s: %s}}", name, k->key, k->example);
    }
    return ST_OK;
}

/* So that sums can be counted, see energy.h. */
static enum st check_sum(const struct scenario *s, const struct ydoc_node *cluster, struct diag *d)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < s->cluster.n_kinds; i++) {
        const struct node_kind *kind = &s->cluster.kind[i];
        const struct pol_node *n = &s->cluster.node[kind->first];
        int64_t each = energy_power_at(&s->energy.node[s->cluster.own[kind->first].draw].power, 1, 1);
        if (n->n_gpu > 0) each += n->n_gpu * energy_power_at(&s->energy.card[n->gpu_type].power, 1, 1);
        if (each > (POWER_SUM_MAX - sum) / kind->n)
            return ydoc_error(cluster, d, "the cluster draws more than 1 GW, more than can be counted");
        sum += each * kind->n;
    }
    return ST_OK;
}

enum st scn_read_prices(struct scenario *s, const struct ydoc_node *n, const struct ydoc_node *cluster, struct diag *d)
{
    static const char *const keys[] = { "electricity", "starts_at" };
    const struct ydoc_node *starts = ydoc_get(n, "starts_at");
    struct energy *e = &s->energy;
    bool of_nodes = false, of_cards = false;
    for (size_t i = 0; i < e->n_node; i++) {
        e->has_power |= e->node[i].power.n > 0;
        of_nodes |= e->node[i].price.is_stated;
    }
    for (int i = 0; i < GPU_TYPES_MAX; i++) {
        e->has_power |= e->card[i].power.n > 0;
        of_cards |= e->card[i].price.is_stated;
    }
    TRY(ydoc_keys(n, "prices", keys, ARRAY_LEN(keys), d));
    TRY(read_price(ydoc_get(n, "electricity"), PRICE_KWH_MAX, &e->electricity, d));
    TRY(ydoc_quantity(n, "starts_at", TEXT_DURATION, TICK_SEC, 0, &e->starts_at, d));
    e->has_price = of_nodes || of_cards || e->electricity.is_stated;
    if (e->starts_at >= 24 * 3600 * TICK_SEC) return ydoc_expected(starts, d, "a time of day, below 24h");
    if (starts != NULL && !e->has_price) return ydoc_key_error(starts, d, "found 'starts_at', and nothing has a price");
    if (e->electricity.is_stated && !e->has_power) {
        const struct ydoc_node *at = ydoc_get(n, "electricity");
        return ydoc_key_error(at, d, "found 'electricity', and no node or GPU type states its 'power'");
    }
    if (e->has_power) TRY(check_nodes(s, cluster, &power_part, d));
    if (e->has_power) TRY(check_cards(s, cluster, &power_part, d));
    if (of_nodes) TRY(check_nodes(s, cluster, &price_of_node, d));
    if (of_cards) TRY(check_cards(s, cluster, &price_of_card, d));
    return check_sum(s, cluster, d);
}

/*
 * Which nodes a pod may go to (kube_match of nodes.h): selector, required affinity
 * and taints strike nodes out; the set that is left becomes a label of the cluster.
 */
#include <string.h>
#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "input/kube/nodes.h"

void kube_match_init(struct kube_match *m, struct cluster *c, const struct kube_nodes *nodes)
{
    *m = (struct kube_match){ .cluster = c, .nodes = nodes };
    MEM_ARRAY(m->item, c->n_nodes);
    for (size_t i = 0; nodes != NULL && i < nodes->doc.n; i++) {
        const char *name = json_string_value(json_object_get(json_object_get(nodes->doc.item[i], "metadata"), "name"));
        uint32_t at = name != NULL ? intern_find(&c->node_names, name) : NONE;
        if (at != NONE) m->item[at] = nodes->doc.item[i];
    }
}

void kube_match_fini(struct kube_match *m) { mem_free(m->item); }

/* ---- labels ---- */

/* The value of a node's label; NULL: it does not carry the key. */
static const char *label_of(const struct kube_match *m, uint32_t node, const char *key)
{
    if (m->nodes != NULL)
        return json_string_value(json_object_get(json_object_get(json_object_get(m->item[node], "metadata"), "labels"), key));
    const struct cluster *c = m->cluster;
    size_t n = strlen(key);
    for (uint32_t i = 0; i < c->labels.n; i++) {
        const char *s = intern_name(&c->labels, i);
        if ((c->node[node].labels >> i & 1) != 0 && strncmp(s, key, n) == 0 && (s[n] == '=' || s[n] == '\0')) return s[n] == '=' ? s + n + 1 : s + n;
    }
    return NULL;
}

enum op { OP_IN, OP_NOT_IN, OP_EXISTS, OP_ABSENT, OP_GT, OP_LT, OPS };
static const char *const op_name[OPS] = { "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt" };

static bool is_in(const json_t *values, const char *v)
{
    for (size_t i = 0; i < json_array_size(values); i++) {
        const char *s = json_string_value(json_array_get(values, i));
        if (s != NULL && strcmp(s, v) == 0) return true;
    }
    return false;
}

static bool holds(enum op op, const json_t *values, const char *have)
{
    int64_t a, b;
    switch (op) {
    case OP_IN:     return have != NULL && is_in(values, have);
    case OP_NOT_IN: return have == NULL || !is_in(values, have);
    case OP_EXISTS: return have != NULL;
    case OP_ABSENT: return have == NULL;
    case OP_GT: case OP_LT:
        if (have == NULL || !text_int(have, &a) || !text_int(json_string_value(json_array_get(values, 0)), &b)) return false;
        return op == OP_GT ? a > b : a < b;
    case OPS: break;
    }
    return false;
}

/* Clear the nodes that do not meet one requirement; field: it is of the node's name. */
static enum st apply_requirement(const struct kube_match *m, const struct kube_at *r, bool field, bool *ok, struct diag *d)
{
    const char *key, *op;
    struct kube_at values;
    uint32_t k = 0;
    int64_t ignored;
    TRY(kube_text(r, "key", &key, d));
    TRY(kube_text(r, "operator", &op, d));
    TRY(kube_array(r, "values", &values, d));
    if (key == NULL || op == NULL) return kube_fail(r, d, "expected 'key' and 'operator'");
    while (k < OPS && strcmp(op_name[k], op) != 0) k++;
    if (k == OPS) return kube_fail(r, d, "found operator '%.40s', expected In, NotIn, Exists, DoesNotExist, Gt or Lt", op);
    if (field && (strcmp(key, "metadata.name") != 0 || k > OP_NOT_IN))
        return kube_fail(r, d, "found field '%.60s' %s, expected metadata.name In or NotIn", key, op);
    for (size_t i = 0; values.o != NULL && i < json_array_size(values.o); i++)
        if (!json_is_string(json_array_get(values.o, i))) return kube_fail(&values, d, "[%zu] is not text", i);
    size_t n = values.o != NULL ? json_array_size(values.o) : 0;
    if (k <= OP_NOT_IN && n == 0) return kube_fail(r, d, "operator %s needs values", op);
    if (k >= OP_GT && (n != 1 || !text_int(json_string_value(json_array_get(values.o, 0)), &ignored)))
        return kube_fail(r, d, "operator %s needs one whole number", op);
    for (uint32_t i = 0; i < m->cluster->n_nodes; i++)
        if (ok[i]) ok[i] = holds((enum op)k, values.o, field ? intern_name(&m->cluster->node_names, i) : label_of(m, i, key));
    return ST_OK;
}

/* A term of requirements that must all hold; one without any holds for no node. */
static enum st term(const struct kube_match *m, const struct kube_at *t, bool *ok, struct diag *d)
{
    static const char *const lists[] = { "matchExpressions", "matchFields" };
    size_t count = 0;
    for (uint32_t i = 0; i < m->cluster->n_nodes; i++) ok[i] = true;
    for (size_t l = 0; l < ARRAY_LEN(lists); l++) {
        struct kube_at list, r;
        TRY(kube_array(t, lists[l], &list, d));
        for (size_t i = 0; list.o != NULL && i < json_array_size(list.o); i++, count++) {
            TRY(kube_element(&list, i, &r, d));
            TRY(apply_requirement(m, &r, l == 1, ok, d));
        }
    }
    for (uint32_t i = 0; i < m->cluster->n_nodes && count == 0; i++) ok[i] = false;
    return ST_OK;
}

static enum st affinity(const struct kube_match *m, const struct kube_at *spec, bool *ok, struct diag *d)
{
    struct kube_at a, node, required, terms, t;
    uint32_t n = m->cluster->n_nodes;
    bool *any, *one;
    TRY(kube_object(spec, "affinity", &a, d));
    TRY(kube_object(&a, "nodeAffinity", &node, d));
    TRY(kube_object(&node, "requiredDuringSchedulingIgnoredDuringExecution", &required, d));
    TRY(kube_array(&required, "nodeSelectorTerms", &terms, d));
    if (terms.o == NULL) return ST_OK;
    MEM_ARRAY(any, n);
    MEM_ARRAY(one, n);
    enum st st = ST_OK;
    for (size_t i = 0; i < json_array_size(terms.o) && st == ST_OK; i++) {
        st = kube_element(&terms, i, &t, d);
        if (st == ST_OK) st = term(m, &t, one, d);
        for (uint32_t k = 0; k < n && st == ST_OK; k++) any[k] |= one[k];
    }
    for (uint32_t k = 0; k < n; k++) ok[k] &= any[k];
    mem_free(any);
    mem_free(one);
    return st;
}

enum st kube_match_preferred(const struct kube_match *m, const struct kube_at *spec, uint32_t *prefers, struct diag *d)
{
    enum { WEIGHT_MAX = 100, TERMS_MAX = 1000000 };     /* so that sums stay small */
    struct kube_at a, node, list, t, preference;
    int32_t *sum;
    bool *ok;
    *prefers = 0;
    TRY(kube_object(spec, "affinity", &a, d));
    TRY(kube_object(&a, "nodeAffinity", &node, d));
    TRY(kube_array(&node, "preferredDuringSchedulingIgnoredDuringExecution", &list, d));
    size_t n_terms = list.o != NULL ? json_array_size(list.o) : 0;
    if (n_terms > TERMS_MAX) return kube_fail(&list, d, "has more than %d terms", TERMS_MAX);
    MEM_ARRAY(sum, m->cluster->n_nodes);
    MEM_ARRAY(ok, m->cluster->n_nodes);
    enum st st = ST_OK;
    for (size_t i = 0; i < n_terms && st == ST_OK; i++) {
        if ((st = kube_element(&list, i, &t, d)) != ST_OK) break;
        const json_t *weight = json_object_get(t.o, "weight");
        if (!json_is_integer(weight) || json_integer_value(weight) < 1 || json_integer_value(weight) > WEIGHT_MAX)
            st = kube_fail(&t, d, "expected a 'weight' from 1 to %d", WEIGHT_MAX);
        if (st == ST_OK) st = kube_object(&t, "preference", &preference, d);
        if (st == ST_OK && preference.o == NULL) st = kube_fail(&t, d, "found no 'preference'");
        if (st == ST_OK) st = term(m, &preference, ok, d);
        for (uint32_t k = 0; k < m->cluster->n_nodes && st == ST_OK; k++)
            sum[k] += ok[k] ? (int32_t)json_integer_value(weight) : 0;
    }
    if (st == ST_OK) *prefers = cluster_prefer(m->cluster, sum);
    mem_free(sum);
    mem_free(ok);
    return st;
}

static enum st selector(const struct kube_match *m, const struct kube_at *spec, bool *ok, struct diag *d)
{
    struct kube_at want;
    const char *key, *value;
    json_t *v;
    TRY(kube_object(spec, "nodeSelector", &want, d));
    if (want.o == NULL) return ST_OK;
    json_object_foreach(want.o, key, v) {
        TRY(kube_text(&want, key, &value, d));
        if (value == NULL) return kube_fail(&want, d, "'%.60s' is not text", key);
        for (uint32_t i = 0; i < m->cluster->n_nodes; i++) {
            const char *have = ok[i] ? label_of(m, i, key) : NULL;
            ok[i] = have != NULL && strcmp(have, value) == 0;
        }
    }
    return ST_OK;
}

/* ---- taints ---- */

static const char *text_or(const json_t *o, const char *key, const char *otherwise)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s != NULL ? s : otherwise;
}

static bool tolerates(const json_t *toleration, const char *key, const char *value, const char *effect)
{
    const char *t_key = text_or(toleration, "key", ""), *t_effect = text_or(toleration, "effect", "");
    bool exists = strcmp(text_or(toleration, "operator", "Equal"), "Exists") == 0;
    if (*t_effect != '\0' && strcmp(t_effect, effect) != 0) return false;
    if (*t_key == '\0') return exists;
    return strcmp(t_key, key) == 0 && (exists || strcmp(text_or(toleration, "value", ""), value) == 0);
}

static bool is_tolerated(const json_t *tolerations, const char *key, const char *value, const char *effect)
{
    for (size_t i = 0; i < json_array_size(tolerations); i++)
        if (tolerates(json_array_get(tolerations, i), key, value, effect)) return true;
    return false;
}

static enum st taints(const struct kube_match *m, const struct kube_at *spec, bool *ok, struct diag *d)
{
    struct kube_at list, t;
    TRY(kube_array(spec, "tolerations", &list, d));
    for (size_t i = 0; list.o != NULL && i < json_array_size(list.o); i++) {
        TRY(kube_element(&list, i, &t, d));
        const char *op = text_or(t.o, "operator", "Equal");
        if (strcmp(op, "Equal") != 0 && strcmp(op, "Exists") != 0)
            return kube_fail(&t, d, "found operator '%.40s', expected Equal or Exists", op);
    }
    for (uint32_t n = 0; n < m->cluster->n_nodes; n++) {
        const json_t *node = json_object_get(m->item[n], "spec"), *on = json_object_get(node, "taints");
        /* A cordoned node, as the node controller taints it. */
        if (json_is_true(json_object_get(node, "unschedulable")))
            ok[n] &= is_tolerated(list.o, "node.kubernetes.io/unschedulable", "", "NoSchedule");
        for (size_t i = 0; i < json_array_size(on); i++) {
            const json_t *o = json_array_get(on, i);
            const char *effect = text_or(o, "effect", "");
            if (strcmp(effect, "PreferNoSchedule") != 0) ok[n] &= is_tolerated(list.o, text_or(o, "key", ""), text_or(o, "value", ""), effect);
        }
    }
    return ST_OK;
}

/* ---- a set of nodes as a label ---- */

static enum st label_set(const struct kube_match *m, const struct kube_at *spec, const bool *ok, uint64_t *need, struct diag *d)
{
    struct cluster *c = m->cluster;
    struct hash128 h;
    char hex[HASH_HEX], name[HASH_HEX + 16];
    bool all = true;
    for (uint32_t i = 0; i < c->n_nodes; i++) all &= ok[i];
    *need = 0;
    if (all) return ST_OK;
    hash_init(&h);
    hash_bytes(&h, ok, c->n_nodes * sizeof *ok);
    hash_hex(&h, hex);
    (void)snprintf(name, sizeof name, "kube-nodes-%s", hex);
    struct diag own = { .code = ST_OK };
    uint32_t bit = cluster_label(c, name, &own);
    if (bit == NONE) return kube_fail(spec, d, "one choice of nodes too many: pods may ask for %d different sets of nodes, less the cluster's labels", LABELS_MAX);
    *need = UINT64_C(1) << bit;
    cluster_label_nodes(c, bit, ok);
    return ST_OK;
}

enum st kube_match_pod(const struct kube_match *m, const struct kube_at *spec, uint64_t *need, struct diag *d)
{
    bool *ok;
    MEM_ARRAY(ok, m->cluster->n_nodes);
    for (uint32_t i = 0; i < m->cluster->n_nodes; i++) ok[i] = true;
    enum st st = selector(m, spec, ok, d);
    if (st == ST_OK) st = affinity(m, spec, ok, d);
    if (st == ST_OK) st = taints(m, spec, ok, d);
    if (st == ST_OK) st = label_set(m, spec, ok, need, d);
    mem_free(ok);
    return st;
}

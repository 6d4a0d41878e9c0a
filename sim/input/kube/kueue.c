/*
 * kueue.c -- Kueue's objects of one file, in the words of policies/kueue/config.c; see kueue.h.
 *
 * Objects are gathered by kind first, so that they may stand in any order; then each is read, its parts checked
 * against the others'.  Source: Kueue 0.13, apis/kueue/v1beta1.
 */
#include "input/kube/kueue.h"

#include <string.h>
#include "input/kube/kueue_priv.h"
#include "input/kube/quantity.h"

static const char group[] = "kueue.x-k8s.io/", config_group[] = "config.kueue.x-k8s.io/";

/* ---- what the parts share ---- */

void kueue_tell(struct kueue_reading *r, const struct ydoc_node *at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    kube_notes_add(&r->out->notes, r->path, at, fmt, ap);
    va_end(ap);
}

enum st kueue_keys(struct kueue_reading *r, const struct ydoc_node *map, const char *what, const char *const *known,
                   size_t modelled, size_t n, struct diag *d)
{
    TRY(ydoc_keys(map, what, known, n, d));
    for (size_t i = 0; map != NULL && i < map->n; i++)
        for (size_t k = modelled; k < n; k++)
            if (strcmp(map->at[i]->key, known[k]) == 0) kueue_tell(r, map->at[i], "%s's %.60s is", what, known[k]);
    return ST_OK;
}

enum st kueue_maps(const struct ydoc_node *map, const char *key, const struct ydoc_node **list, size_t *n,
                   struct diag *d)
{
    *n = 0;
    *list = ydoc_get(map, key);
    if (*list == NULL || ((*list)->type == YDOC_SCALAR && ydoc_is_null(*list))) return ST_OK;
    TRY(ydoc_list(map, key, list, d));
    *n = (*list)->n;
    for (size_t i = 0; i < *n; i++)
        if ((*list)->at[i]->type != YDOC_MAP) return ydoc_expected((*list)->at[i], d, "a map");
    return ST_OK;
}

enum st kueue_name(const struct ydoc_node *map, const char *key, const char **out, struct diag *d)
{
    *out = NULL;
    TRY(ydoc_str(map, key, out, d));
    if (*out == NULL) return ydoc_error(map, d, "found no '%s'", key);
    for (const char *s = *out; *s != '\0'; s++)
        if ((unsigned char)*s <= ' ') return ydoc_expected(ydoc_get(map, key), d, "a name without spaces");
    return strlen(*out) <= 253 ? ST_OK : ydoc_expected(ydoc_get(map, key), d, "a name of at most 253 characters");
}

enum st kueue_quantity(const struct ydoc_node *map, const char *key, int64_t scale, int64_t *out, struct diag *d)
{
    const struct ydoc_node *v = ydoc_get(map, key);
    if (v == NULL || (v->type == YDOC_SCALAR && ydoc_is_null(v))) return ST_OK;
    if (v->type == YDOC_SCALAR && kube_quantity(v->text, scale, out)) return ST_OK;
    return ydoc_expected(v, d, "a quantity of at least 0, such as 9, 500m or 36Gi");
}

const struct kueue_object *kueue_find(const struct kueue_object *o, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(o[i].name, name) == 0) return &o[i];
    return NULL;
}

enum st kueue_weight(struct kueue_reading *r, const struct ydoc_node *spec, int64_t *weight, struct diag *d)
{
    static const char *const keys[] = { "weight" };
    const struct ydoc_node *map = NULL;
    TRY(ydoc_map(spec, "fairSharing", &map, d));
    TRY(kueue_keys(r, map, "fairSharing", keys, 1, 1, d));
    return kueue_quantity(map, "weight", 1000, weight, d);
}

/* ---- the smaller objects ---- */

static enum st read_flavor(struct kueue_reading *r, const struct kueue_object *o, struct diag *d)
{
    static const char *const keys[] = { "nodeLabels", /* told */ "nodeTaints", "tolerations", "topologyName" };
    const struct ydoc_node *labels = NULL;
    TRY(kueue_keys(r, o->spec, "a ResourceFlavor", keys, 1, ARRAY_LEN(keys), d));
    TRY(ydoc_map(o->spec, "nodeLabels", &labels, d));
    (void)fprintf(r->to.to, "flavor\t%s\t%u\t%u\n", o->name, o->root->line, o->root->col);
    for (size_t i = 0; labels != NULL && i < labels->n; i++) {
        const struct ydoc_node *v = labels->at[i];
        if (v->type != YDOC_SCALAR || strpbrk(v->text, "\t\n") != NULL || strpbrk(v->key, "\t\n") != NULL)
            return ydoc_expected(v, d, "a label's value");
        (void)fprintf(r->to.to, "label\t%s\t%s\t%u\t%u\n", v->key, v->text, v->key_line, v->key_col);
    }
    return ST_OK;
}

static enum st read_local(struct kueue_reading *r, const struct kueue_object *o, struct diag *d)
{
    static const char *const keys[] = { "clusterQueue", "stopPolicy", /* told */ "fairSharing" };
    static const char *const stop[] = { "None", "Hold", "HoldAndDrain" };
    const char *queue;
    uint32_t held = 0;
    TRY(kueue_keys(r, o->spec, "a LocalQueue", keys, 2, ARRAY_LEN(keys), d));
    if (o->spec == NULL) return ydoc_error(o->root, d, "found no 'spec'");
    TRY(kueue_name(o->spec, "clusterQueue", &queue, d));
    if (kueue_find(r->queue, r->n_queues, queue) == NULL)
        return ydoc_error(ydoc_get(o->spec, "clusterQueue"), d, "there is no ClusterQueue '%s' in the file", queue);
    TRY(ydoc_choice(o->spec, "stopPolicy", stop, ARRAY_LEN(stop), &held, d));
    (void)fprintf(r->to.to, "local\t%s\t%s\t%s\t%d\n", o->space, o->name, queue, held != 0);
    return ST_OK;
}

static enum st read_class(struct kueue_reading *r, const struct kueue_object *o, struct diag *d)
{
    int64_t value = 0;
    TRY(ydoc_int(o->root, "value", INT32_MIN, INT32_MAX, &value, d));
    if (ydoc_get(o->root, "value") == NULL) return ydoc_error(o->root, d, "found no 'value'");
    (void)fprintf(r->to.to, "class\t%s\t%lld\n", o->name, (long long)value);
    return ST_OK;
}

/* ---- objects ---- */

static enum st add(struct kueue_object **all, size_t *n, size_t *cap, struct kueue_object o, const char *kind,
                   struct diag *d)
{
    for (size_t i = 0; i < *n; i++)
        if (strcmp((*all)[i].name, o.name) == 0 && strcmp((*all)[i].space, o.space) == 0)
            return ydoc_error(ydoc_get(ydoc_get(o.root, "metadata"), "name"), d,
                              "found a second %s '%s'; the first is at line %u", kind, o.name, (*all)[i].root->line);
    MEM_PUSH(*all, *n, *cap, o);
    return ST_OK;
}

static enum st read_head(const struct ydoc_node *root, const char **kind, const char **api, struct diag *d)
{
    *kind = *api = NULL;
    TRY(ydoc_str(root, "kind", kind, d));
    TRY(ydoc_str(root, "apiVersion", api, d));
    if (*kind == NULL || *api == NULL)
        return ydoc_error(root, d, "found no '%s'", *kind == NULL ? "kind" : "apiVersion");
    return ST_OK;
}

/* An object of Kueue's by its kind. */
static enum st gather_object(struct kueue_reading *r, const struct ydoc_node *root, const char *kind,
                             const char *version, struct diag *d)
{
    static const char *const keys[] = { "apiVersion", "kind", "metadata", "spec", "status" };
    static const char *const class_keys[] = { "apiVersion", "kind", "metadata", "value", "description" };
    static const char *const kinds[] = { "ClusterQueue",
                                         "Cohort",
                                         "ResourceFlavor",
                                         "LocalQueue",
                                         "WorkloadPriorityClass",
                                         /* told */ "AdmissionCheck",
                                         "Topology",
                                         "MultiKueueConfig",
                                         "MultiKueueCluster",
                                         "ProvisioningRequestConfig",
                                         "Workload" };
    const struct ydoc_node *metadata = NULL;
    struct kueue_object o = { .space = "", .root = root };
    size_t k = 0;
    while (k < ARRAY_LEN(kinds) && strcmp(kind, kinds[k]) != 0) k++;
    if (k == ARRAY_LEN(kinds)) return ydoc_expected(ydoc_get(root, "kind"), d, "a kind of Kueue's");
    if (k >= 5) {
        kueue_tell(r, root, "%.60s is", kind);
        return ST_OK;
    }
    if (strcmp(version, "v1beta1") != 0 && !(k == 1 && strcmp(version, "v1alpha1") == 0))
        return ydoc_expected(ydoc_get(root, "apiVersion"), d, "%sv1beta1", group);
    TRY(k == 4 ? ydoc_keys(root, "a WorkloadPriorityClass", class_keys, ARRAY_LEN(class_keys), d)
               : ydoc_keys(root, "an object", keys, ARRAY_LEN(keys), d));
    TRY(ydoc_map(root, "metadata", &metadata, d));
    if (metadata == NULL) return ydoc_error(root, d, "found no 'metadata'");
    TRY(kueue_name(metadata, "name", &o.name, d));
    TRY(ydoc_map(root, "spec", &o.spec, d));
    if (k == 0) return add(&r->queue, &r->n_queues, &r->cap_queues, o, kind, d);
    if (k == 1) return add(&r->cohort, &r->n_cohorts, &r->cap_cohorts, o, kind, d);
    if (k == 2) return add(&r->flavor, &r->n_flavors, &r->cap_flavors, o, kind, d);
    if (k == 4) return add(&r->class, &r->n_classes, &r->cap_classes, o, kind, d);
    o.space = "default";
    if (ydoc_get(metadata, "namespace") != NULL) TRY(kueue_name(metadata, "namespace", &o.space, d));
    return add(&r->local, &r->n_locals, &r->cap_locals, o, kind, d);
}

static enum st gather(struct kueue_reading *r, const struct ydoc_node *root, bool in_list, struct diag *d)
{
    const struct ydoc_node *items;
    const char *kind, *api;
    size_t n;
    if (root->type == YDOC_SCALAR && ydoc_is_null(root)) return ST_OK;
    if (root->type != YDOC_MAP) return ydoc_expected(root, d, "an object of Kueue's");
    TRY(read_head(root, &kind, &api, d));
    if (!in_list && strcmp(kind, "List") == 0) {
        TRY(kueue_maps(root, "items", &items, &n, d));
        for (size_t i = 0; i < n; i++) TRY(gather(r, items->at[i], true, d));
        return ST_OK;
    }
    if (strcmp(kind, "Configuration") == 0 && strcmp(api, "config.kueue.x-k8s.io/v1beta1") == 0) {
        if (r->config != NULL)
            return ydoc_error(root, d, "found a second Configuration; the first is at line %u", r->config->line);
        r->config = root;
        return ST_OK;
    }
    if (strncmp(api, config_group, sizeof config_group - 1) == 0 || strncmp(api, group, sizeof group - 1) != 0)
        return ydoc_expected(ydoc_get(root, "apiVersion"), d, "%sv1beta1, or %sv1beta1 of a Configuration", group,
                             config_group);
    return gather_object(r, root, kind, api + sizeof group - 1, d);
}

static enum st read_all(struct kueue_reading *r, const struct ydoc_node *docs, struct diag *d)
{
    for (size_t i = 0; i < docs->n; i++) TRY(gather(r, docs->at[i], false, d));
    if (r->n_queues == 0) return diag_at(d, ST_EINPUT, r->path, 1, 1, "found no ClusterQueue");
    const char *slash = strrchr(r->path, '/');
    (void)fprintf(r->to.to, "file\t%s\n", slash != NULL ? slash + 1 : r->path);
    if (r->config != NULL) TRY(kueue_read_config(r, r->config, d));
    for (size_t i = 0; i < r->n_classes; i++) TRY(read_class(r, &r->class[i], d));
    for (size_t i = 0; i < r->n_flavors; i++) TRY(read_flavor(r, &r->flavor[i], d));
    for (size_t i = 0; i < r->n_cohorts; i++) TRY(kueue_read_cohort(r, &r->cohort[i], d));
    for (size_t i = 0; i < r->n_queues; i++) TRY(kueue_read_queue(r, &r->queue[i], d));
    for (size_t i = 0; i < r->n_locals; i++) TRY(read_local(r, &r->local[i], d));
    return ST_OK;
}

enum st kueue_load(struct kueue *k, const char *path, struct diag *d)
{
    struct kueue_reading r = { .out = k, .path = path };
    struct ydoc y;
    memset(k, 0, sizeof *k);
    TRY(ydoc_load_all(&y, path, d));
    mem_text_open(&r.to);
    enum st st = read_all(&r, y.root, d);
    k->text = mem_text_close(&r.to);
    if (st == ST_OK) {
        struct hash128 h;
        char *canonical = ydoc_canonical(&y);
        hash_init(&h);
        hash_text(&h, canonical);
        hash_hex(&h, k->digest);
        mem_free(canonical);
    } else {
        kueue_fini(k);
    }
    MEM_FREE(r.flavor, r.queue, r.cohort, r.local, r.class);
    ydoc_fini(&y);
    return st;
}

void kueue_fini(struct kueue *k)
{
    kube_notes_fini(&k->notes);
    mem_free(k->text);
    memset(k, 0, sizeof *k);
}

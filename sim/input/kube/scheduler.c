/*
 * scheduler.c -- profiles of a KubeSchedulerConfiguration: which score plugins are on, with what weights
 * and arguments; see scheduler.h.
 *
 * A profile begins with the plugins that are on by default in its version of the file;
 * `multiPoint` and then `score` take some away and add others.  Those that are modelled
 * are written down in the words of the policies' parameter `score`.
 * Source: Kubernetes 1.20, pkg/scheduler/algorithmprovider/registry.go and apis/config; of later versions
 * apis/config/v1beta2, v1beta3 and v1.
 */
#include "input/kube/scheduler.h"

#include <stdarg.h>
#include <string.h>
#include "base/mem.h"
#include "input/text/ydoc.h"

enum version { V1BETA1, V1BETA2, V1BETA3, V1, VERSIONS };
enum { WEIGHT_MAX = 100000, RESOURCE_WEIGHT_MAX = 100, SCORES_MAX = 64, CONFIGS_MAX = 64 };
static const char group[] = "kubescheduler.config.k8s.io/", preemption[] = "DefaultPreemption";

/* Score plugins; weight: by default, 0: off.  ours NULL: not modelled; "": by its arguments. */
static const struct plugin { const char *name, *ours; int64_t weight[VERSIONS]; } plugins[] = {
    { "NodeResourcesBalancedAllocation", "balanced", { 1, 1, 1, 1 } },
    { "ImageLocality", NULL, { 1, 1, 1, 1 } },
    { "InterPodAffinity", NULL, { 1, 1, 2, 2 } },
    { "NodeResourcesLeastAllocated", "least", { 1, 0, 0, 0 } },
    { "NodeResourcesFit", "", { 0, 1, 1, 1 } },
    { "NodeAffinity", "affinity", { 1, 1, 2, 2 } },
    { "NodePreferAvoidPods", NULL, { 10000, 0, 0, 0 } },
    { "PodTopologySpread", NULL, { 2, 2, 2, 2 } },
    { "TaintToleration", NULL, { 1, 1, 3, 3 } },
    { "NodeResourcesMostAllocated", "most", { 0, 0, 0, 0 } },
    { "RequestedToCapacityRatio", "ratio", { 0, 0, 0, 0 } },
};

/* A plugin that is on.  at: where the file enables it; NULL: by default. */
struct on { const char *name; const struct plugin *plugin; int64_t weight; const struct ydoc_node *at; };
struct config { const char *name; const struct ydoc_node *args; };

struct reading {
    struct kube_scheduler *out;
    const char *file;           /* its name without folders */
    enum version version;
    int64_t percentage;
    /* of the profile at hand */
    const char *profile;
    struct on on[SCORES_MAX]; size_t n_on;
    struct config config[CONFIGS_MAX]; size_t n_configs;
    bool preempts;
};

/* ---- words ---- */

static void append(char **text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void append(char **text, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *more = mem_vprintf(fmt, ap);
    va_end(ap);
    size_t had = *text != NULL ? strlen(*text) : 0, n = strlen(more);
    *text = mem_grow(*text, had + n + 1, 1);
    memcpy(*text + had, more, n + 1);
    mem_free(more);
}

static void tell(struct reading *r, const struct ydoc_node *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void tell(struct reading *r, const struct ydoc_node *at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    kube_notes_add(&r->out->notes, r->file, at, fmt, ap);
    va_end(ap);
}

static bool is_one_of(const char *s, const char *const *word, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(s, word[i]) == 0) return true;
    return false;
}

/* Every key that is none of these. */
static void tell_keys(struct reading *r, const struct ydoc_node *map, const char *where, const char *const *known,
                      size_t n)
{
    for (size_t i = 0; map != NULL && i < map->n; i++)
        if (!is_one_of(map->at[i]->key, known, n)) tell(r, map->at[i], "%s%.60s is", where, map->at[i]->key);
}

/* A list of maps; the key absent, or with nothing in it: *n is 0. */
static enum st list_of(const struct ydoc_node *map, const char *key, const struct ydoc_node **list, size_t *n,
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

static enum st name_of(const struct ydoc_node *map, const char **out, struct diag *d)
{
    *out = NULL;
    TRY(ydoc_str(map, "name", out, d));
    return *out != NULL ? ST_OK : ydoc_error(map, d, "found no 'name'");
}

/* ---- plugins ---- */

static const struct plugin *find_plugin(const char *name, enum version v)
{
    for (size_t i = 0; i < ARRAY_LEN(plugins); i++) {
        if (strcmp(plugins[i].name, name) != 0) continue;
        /* From v1beta2 on, what those three did is NodeResourcesFit's. */
        bool is_first_only =
            plugins[i].ours != NULL && strcmp(name, "NodeResourcesFit") != 0 && plugins[i].weight[V1] == 0;
        bool is_there = v == V1BETA1 ? strcmp(name, "NodeResourcesFit") != 0 : !is_first_only;
        return is_there ? &plugins[i] : NULL;
    }
    return NULL;
}

static size_t find_on(const struct reading *r, const char *name)
{
    size_t i = 0;
    while (i < r->n_on && strcmp(r->on[i].name, name) != 0) i++;
    return i;
}

static enum st switch_off(struct reading *r, const struct ydoc_node *point, bool is_multi, struct diag *d)
{
    const struct ydoc_node *list;
    size_t n;
    TRY(list_of(point, "disabled", &list, &n, d));
    for (size_t i = 0; i < n; i++) {
        const char *name;
        TRY(name_of(list->at[i], &name, d));
        bool is_all = strcmp(name, "*") == 0;
        size_t at = find_on(r, name);
        if (is_all) r->n_on = 0;
        else if (at < r->n_on) memmove(&r->on[at], &r->on[at + 1], (--r->n_on - at) * sizeof *r->on);
        if (is_multi && (is_all || strcmp(name, preemption) == 0)) r->preempts = false;
        /* Filters are part of what a plugin does at many points, and stay. */
        if (is_multi && !is_all && strcmp(name, preemption) != 0)
            tell(r, list->at[i], "plugin %.60s switched off but for its score is", name);
        if (is_multi && is_all) tell(r, list->at[i], "all plugins switched off but for their scores is");
    }
    return ST_OK;
}

static enum st switch_on(struct reading *r, const struct ydoc_node *point, bool is_multi, struct diag *d)
{
    const struct ydoc_node *list;
    size_t n;
    TRY(list_of(point, "enabled", &list, &n, d));
    for (size_t i = 0; i < n; i++) {
        static const char *const keys[] = { "name", "weight" };
        const char *name;
        int64_t weight = 1;
        TRY(name_of(list->at[i], &name, d));
        TRY(ydoc_int(list->at[i], "weight", 0, WEIGHT_MAX, &weight, d));
        tell_keys(r, list->at[i], "plugin's ", keys, ARRAY_LEN(keys));
        for (size_t k = 0; k < i; k++)
            if (strcmp(ydoc_get(list->at[k], "name")->text, name) == 0)
                return ydoc_error(list->at[i], d, "found plugin '%s' enabled twice", name);
        if (is_multi && strcmp(name, preemption) == 0) { r->preempts = true; continue; }
        const struct plugin *plugin = find_plugin(name, r->version);
        if (plugin == NULL || plugin->ours == NULL)
            tell(r, list->at[i], "%splugin %.60s is", is_multi ? "" : "score ", name);
        size_t at = find_on(r, name);
        if (at == SCORES_MAX) return ydoc_error(list->at[i], d, "found more than %d score plugins", SCORES_MAX);
        r->on[at] = (struct on){ .name = name, .plugin = plugin, .weight = weight > 0 ? weight : 1, .at = list->at[i] };
        if (at == r->n_on) r->n_on++;
    }
    return ST_OK;
}

static enum st read_preemption(struct reading *r, const struct ydoc_node *point, struct diag *d)
{
    static const char *const sides[] = { "disabled", "enabled" };
    for (int side = 0; side < 2; side++) {
        const struct ydoc_node *list;
        size_t n;
        TRY(list_of(point, sides[side], &list, &n, d));
        for (size_t i = 0; i < n; i++) {
            const char *name;
            TRY(name_of(list->at[i], &name, d));
            if (strcmp(name, preemption) == 0 || (side == 0 && strcmp(name, "*") == 0)) r->preempts = side == 1;
            else tell(r, list->at[i], "postFilter plugin %.60s (%s) is", name, sides[side]);
        }
    }
    return ST_OK;
}

/* Points at which nothing is modelled but what is always done. */
static enum st tell_point(struct reading *r, const struct ydoc_node *point, struct diag *d)
{
    static const char *const sides[] = { "disabled", "enabled" };
    for (size_t side = 0; side < ARRAY_LEN(sides); side++) {
        const struct ydoc_node *list;
        size_t n;
        TRY(list_of(point, sides[side], &list, &n, d));
        for (size_t i = 0; i < n; i++) {
            const char *name;
            TRY(name_of(list->at[i], &name, d));
            tell(r, list->at[i], "%.40s plugin %.60s (%s) is", point->key, name, sides[side]);
        }
    }
    return ST_OK;
}

static enum st read_plugins(struct reading *r, const struct ydoc_node *map, struct diag *d)
{
    static const char *const points[] = { "queueSort", "preFilter", "filter", "preScore", "reserve",
                                          "permit",    "preBind",   "bind",   "postBind", "preEnqueue" };
    const struct ydoc_node *multi = r->version >= V1BETA3 ? ydoc_get(map, "multiPoint") : NULL;
    for (size_t i = 0; map != NULL && i < map->n; i++) {
        const struct ydoc_node *p = map->at[i];
        if (ydoc_is_null(p)) continue;
        if (p->type != YDOC_MAP) return ydoc_expected(p, d, "a map of `enabled` and `disabled`");
        static const char *const sides[] = { "enabled", "disabled" };
        tell_keys(r, p, "plugins' ", sides, ARRAY_LEN(sides));
        if (p == multi || strcmp(p->key, "score") == 0) continue;
        if (strcmp(p->key, "postFilter") == 0) TRY(read_preemption(r, p, d));
        else if (is_one_of(p->key, points, ARRAY_LEN(points))) TRY(tell_point(r, p, d));
        else tell(r, p, "plugins.%.60s is", p->key);
    }
    if (multi != NULL && multi->type == YDOC_MAP) {
        TRY(switch_off(r, multi, true, d));
        TRY(switch_on(r, multi, true, d));
    }
    const struct ydoc_node *score = ydoc_get(map, "score");
    if (score == NULL || score->type != YDOC_MAP) return ST_OK;
    TRY(switch_off(r, score, false, d));
    return switch_on(r, score, false, d);
}

/* ---- their arguments ---- */

static const struct ydoc_node *args_of(const struct reading *r, const char *name)
{
    for (size_t i = 0; i < r->n_configs; i++)
        if (strcmp(r->config[i].name, name) == 0) return r->config[i].args;
    return NULL;
}

/* Weights of resources, "cpu=1/memory=1"; left out where none is given.  *any: one of them is modelled. */
static enum st write_resources(struct reading *r, const struct ydoc_node *args, char **to, bool *any, struct diag *d)
{
    static const struct {
        const char *name, *ours;
    } known[] = { { "cpu", "cpu" }, { "memory", "memory" }, { "nvidia.com/gpu", "gpu" } };
    static const char *const keys[] = { "name", "weight" };
    const struct ydoc_node *list;
    size_t n;
    TRY(list_of(args, "resources", &list, &n, d));
    *any = n == 0;
    if (n == 0) append(to, ":cpu=1/memory=1");
    for (size_t i = 0; i < n; i++) {
        const char *name;
        int64_t weight = 1;
        TRY(name_of(list->at[i], &name, d));
        TRY(ydoc_int(list->at[i], "weight", 0, RESOURCE_WEIGHT_MAX, &weight, d));
        tell_keys(r, list->at[i], "a resource's ", keys, ARRAY_LEN(keys));
        for (size_t k = 0; k < i; k++)
            if (strcmp(ydoc_get(list->at[k], "name")->text, name) == 0)
                return ydoc_error(list->at[i], d, "found resource '%s' twice", name);
        size_t k = 0;
        while (k < ARRAY_LEN(known) && strcmp(known[k].name, name) != 0) k++;
        if (k == ARRAY_LEN(known)) { tell(r, list->at[i], "resource %.60s in scores is", name); continue; }
        append(to, "%c%s=%lld", *any ? '/' : ':', known[k].ours, (long long)(weight > 0 ? weight : 1));
        *any = true;
    }
    return ST_OK;
}

/* "/0=0/100=10" */
static enum st write_shape(const struct ydoc_node *args, const struct ydoc_node *at, char **to, struct diag *d)
{
    const struct ydoc_node *list;
    size_t n;
    int64_t last = -1;
    TRY(list_of(args, "shape", &list, &n, d));
    if (n == 0)
        return ydoc_error(args != NULL ? args : at, d, "found no 'shape', which RequestedToCapacityRatio needs");
    for (size_t i = 0; i < n; i++) {
        int64_t used = 0, points = 0;
        TRY(ydoc_int(list->at[i], "utilization", 0, 100, &used, d));
        TRY(ydoc_int(list->at[i], "score", 0, 10, &points, d));
        if (used <= last)
            return ydoc_error(list->at[i], d, "found utilization %lld after %lld, expected a greater one",
                              (long long)used, (long long)last);
        append(to, "/%lld=%lld", (long long)used, (long long)points);
        last = used;
    }
    return ST_OK;
}

static enum st write_score(struct reading *r, const struct on *o, char **to, struct diag *d)
{
    static const char *const types[] = { "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio" };
    static const char *const names[] = { "least", "most", "ratio" };
    const struct ydoc_node *args = args_of(r, o->name), *shape = args;
    const char *ours = o->plugin->ours;
    bool any = true;
    uint32_t type = 0;
    if (ours[0] == '\0') {
        TRY(ydoc_map(args, "scoringStrategy", &args, d));
        TRY(ydoc_choice(args, "type", types, ARRAY_LEN(types), &type, d));
        TRY(ydoc_map(args, "requestedToCapacityRatio", &shape, d));
        if (shape == NULL) shape = args;
        ours = names[type];
    }
    char *spec = NULL;
    append(&spec, "%s%s:%lld", *to != NULL ? ";" : "", ours, (long long)o->weight);
    enum st st = ST_OK;
    bool has_resources = strcmp(ours, "balanced") != 0 && strcmp(ours, "affinity") != 0;
    if (has_resources) st = write_resources(r, args, &spec, &any, d);
    /* On by default is only who has its shape in a strategy. */
    if (st == ST_OK && any && strcmp(ours, "ratio") == 0)
        st = write_shape(shape, o->at != NULL ? o->at : args, &spec, d);
    if (st == ST_OK && any) append(to, "%s", spec);
    mem_free(spec);
    return st;
}

/* What of a plugin's arguments is looked at. */
static enum st check_args(struct reading *r, const char *name, const struct ydoc_node *args, struct diag *d)
{
    static const char *const resources[] = { "apiVersion", "kind", "resources" },
                             *const shape[] = { "apiVersion", "kind", "resources", "shape" },
                             *const fit[] = { "apiVersion", "kind", "scoringStrategy" },
                             *const strategy[] = { "type", "resources", "requestedToCapacityRatio" },
                             *const ratio[] = { "shape" };
    const struct plugin *plugin = find_plugin(name, r->version);
    const char *kind = NULL;
    char want[128];
    const struct ydoc_node *s = NULL, *q = NULL;
    TRY(ydoc_str(args, "kind", &kind, d));
    (void)snprintf(want, sizeof want, "%.100sArgs", name);
    if (kind != NULL && strcmp(kind, want) != 0) return ydoc_expected(ydoc_get(args, "kind"), d, "%s", want);
    const char *ours = plugin != NULL ? plugin->ours : NULL;
    if (ours != NULL && ours[0] == '\0') {
        tell_keys(r, args, "NodeResourcesFit's ", fit, ARRAY_LEN(fit));
        TRY(ydoc_map(args, "scoringStrategy", &s, d));
        tell_keys(r, s, "scoringStrategy.", strategy, ARRAY_LEN(strategy));
        TRY(ydoc_map(s, "requestedToCapacityRatio", &q, d));
        tell_keys(r, q, "requestedToCapacityRatio.", ratio, ARRAY_LEN(ratio));
    } else if (ours != NULL && strcmp(ours, "ratio") == 0) {
        tell_keys(r, args, "RequestedToCapacityRatio's ", shape, ARRAY_LEN(shape));
    } else if (ours != NULL && (strcmp(ours, "least") == 0 || strcmp(ours, "most") == 0)) {
        tell_keys(r, args, "a plugin's ", resources, ARRAY_LEN(resources));
    } else {
        char where[128];
        (void)snprintf(where, sizeof where, "%.100s's ", name);
        tell_keys(r, args, where, resources, 2);
    }
    return ST_OK;
}

static enum st read_configs(struct reading *r, const struct ydoc_node *profile, struct diag *d)
{
    static const char *const keys[] = { "name", "args" };
    const struct ydoc_node *list;
    size_t n;
    TRY(list_of(profile, "pluginConfig", &list, &n, d));
    r->n_configs = 0;
    if (n > CONFIGS_MAX) return ydoc_error(list, d, "found more than %d entries", CONFIGS_MAX);
    for (size_t i = 0; i < n; i++) {
        struct config *c = &r->config[r->n_configs];
        TRY(name_of(list->at[i], &c->name, d));
        TRY(ydoc_map(list->at[i], "args", &c->args, d));
        tell_keys(r, list->at[i], "pluginConfig's ", keys, ARRAY_LEN(keys));
        if (args_of(r, c->name) != NULL)
            return ydoc_error(list->at[i], d, "found arguments of plugin '%s' twice", c->name);
        TRY(check_args(r, c->name, c->args, d));
        r->n_configs++;
    }
    return ST_OK;
}

/* ---- profiles ---- */

static enum st read_profile(struct reading *r, const struct ydoc_node *profile, struct diag *d)
{
    static const char *const keys[] = { "schedulerName", "plugins", "pluginConfig", "percentageOfNodesToScore" };
    const struct ydoc_node *map = NULL;
    int64_t percentage = r->percentage;
    r->profile = "default-scheduler";
    r->preempts = true;
    r->n_on = 0;
    for (size_t i = 0; i < ARRAY_LEN(plugins); i++)
        if (plugins[i].weight[r->version] > 0)
            r->on[r->n_on++] =
                (struct on){ .name = plugins[i].name, .plugin = &plugins[i], .weight = plugins[i].weight[r->version] };
    tell_keys(r, profile, "a profile's ", keys, ARRAY_LEN(keys) - (r->version < V1));
    TRY(ydoc_str(profile, "schedulerName", &r->profile, d));
    for (const char *s = r->profile; *s != '\0'; s++)
        if ((unsigned char)*s <= ' ')
            return ydoc_expected(ydoc_get(profile, "schedulerName"), d, "a name without spaces");
    if (strlen(r->profile) > 253)
        return ydoc_expected(ydoc_get(profile, "schedulerName"), d, "a name of at most 253 characters");
    if (r->version >= V1) TRY(ydoc_int(profile, "percentageOfNodesToScore", 0, 100, &percentage, d));
    TRY(read_configs(r, profile, d));
    const struct ydoc_node *written = ydoc_get(profile, "plugins");
    if (written != NULL && !ydoc_is_null(written)) TRY(ydoc_map(profile, "plugins", &map, d));
    TRY(read_plugins(r, map, d));
    char *scores = NULL;
    enum st st = ST_OK;
    for (size_t i = 0; i < r->n_on && st == ST_OK; i++)
        if (r->on[i].plugin != NULL && r->on[i].plugin->ours != NULL) st = write_score(r, &r->on[i], &scores, d);
    if (st == ST_OK)
        append(&r->out->text, "profile %s\t%lld\t%s\n", r->profile, (long long)percentage,
               scores != NULL ? scores : "");
    mem_free(scores);
    return st;
}

static enum st read_head(struct reading *r, const struct ydoc_node *root, struct diag *d)
{
    static const char *const version[VERSIONS] = { "v1beta1", "v1beta2", "v1beta3", "v1" };
    static const char *const keys[] = { "apiVersion", "kind", "profiles", "percentageOfNodesToScore" };
    const char *kind = NULL, *api = NULL;
    uint32_t v = 0;
    TRY(ydoc_str(root, "kind", &kind, d));
    TRY(ydoc_str(root, "apiVersion", &api, d));
    if (kind == NULL || api == NULL) return ydoc_error(root, d, "found no '%s'", kind == NULL ? "kind" : "apiVersion");
    if (strcmp(kind, "KubeSchedulerConfiguration") != 0)
        return ydoc_expected(ydoc_get(root, "kind"), d, "KubeSchedulerConfiguration");
    while (v < VERSIONS &&
           (strncmp(api, group, sizeof group - 1) != 0 || strcmp(api + sizeof group - 1, version[v]) != 0))
        v++;
    if (v == VERSIONS)
        return ydoc_expected(ydoc_get(root, "apiVersion"), d, "%s and v1beta1, v1beta2, v1beta3 or v1", group);
    r->version = (enum version)v;
    tell_keys(r, root, "", keys, ARRAY_LEN(keys));
    return ydoc_int(root, "percentageOfNodesToScore", 0, 100, &r->percentage, d);
}

static enum st read_root(struct reading *r, const struct ydoc_node *root, struct diag *d)
{
    const struct ydoc_node *list;
    size_t n, n_preempting = 0;
    if (root == NULL || root->type != YDOC_MAP)
        return diag_at(d, ST_EINPUT, r->file, 1, 1, "found no map, expected a KubeSchedulerConfiguration");
    TRY(read_head(r, root, d));
    TRY(list_of(root, "profiles", &list, &n, d));
    const size_t n_profiles = n > 0 ? n : 1;
    append(&r->out->text, "preempt 1\n");
    for (size_t i = 0; i < n_profiles; i++) {
        const struct ydoc_node *p = n > 0 ? list->at[i] : NULL;
        TRY(read_profile(r, p, d));
        n_preempting += r->preempts;
        for (size_t k = 0; k < i; k++) {
            const struct ydoc_node *name = ydoc_get(list->at[k], "schedulerName");
            if (strcmp(name != NULL ? name->text : "default-scheduler", r->profile) == 0)
                return ydoc_error(p, d, "found a second profile '%s'", r->profile);
        }
    }
    if (n_preempting == 0) r->out->text[strlen("preempt ")] = '0';
    else if (n_preempting < n_profiles) tell(r, list, "preemption switched off in some profiles, not in all, is");
    return ST_OK;
}

enum st kube_scheduler_load(struct kube_scheduler *k, const char *path, struct diag *d)
{
    struct ydoc y;
    struct reading *r;
    memset(k, 0, sizeof *k);
    TRY(ydoc_load(&y, path, d));
    MEM_NEW(r);
    r->out = k;
    r->file = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
    enum st st = read_root(r, y.root, d);
    if (st == ST_OK) {
        struct hash128 h;
        char *canonical = ydoc_canonical(&y);
        hash_init(&h);
        hash_text(&h, canonical);
        hash_hex(&h, k->digest);
        mem_free(canonical);
    } else {
        kube_scheduler_fini(k);
    }
    mem_free(r);
    ydoc_fini(&y);
    return st;
}

void kube_scheduler_fini(struct kube_scheduler *k)
{
    kube_notes_fini(&k->notes);
    mem_free(k->text);
    memset(k, 0, sizeof *k);
}

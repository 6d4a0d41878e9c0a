/*
 * The trace section: which format, what is asked of every trace, and the options of
 * the format by its table (input/trace/option.h).
 */
#include "input/scenario/section.h"

#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "input/text/find.h"
#include "input/trace/option.h"

enum { FORMATS_MAX = 32, KEYS_MAX = 64 };

/* ---- keys ---- */

struct keys { const char *at[KEYS_MAX]; size_t n; };

static void add_key(struct keys *k, const char *key)
{
    for (size_t i = 0; i < k->n; i++) if (strcmp(k->at[i], key) == 0) return;
    SIM_ASSERT(k->n < KEYS_MAX);
    k->at[k->n++] = key;
}

static bool is_in(const struct trace_option *x, const char *map)
{
    return map == NULL ? x->in == NULL : x->in != NULL && strcmp(x->in, map) == 0;
}

/* Keys that may stand in a map of the trace section, NULL the section itself: those of every format. */
static enum st check_keys(const struct ydoc_node *n, const char *name, const char *map, const char *const *common, size_t n_common, struct diag *d)
{
    struct keys keys = { .n = 0 };
    for (size_t i = 0; i < n_common; i++) add_key(&keys, common[i]);
    for (size_t f = 0; trace_formats[f] != NULL; f++)
        for (size_t i = 0; i < trace_formats[f]->n_options; i++)
            if (is_in(&trace_formats[f]->option[i], map)) add_key(&keys, trace_formats[f]->option[i].key);
    return ydoc_keys(n, name, keys.at, keys.n, d);
}

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* "'format: dag', 'gavel' or 'native'": the formats that have the option. */
static void list_formats(const struct trace_option *x, char *buf, size_t cap)
{
    const char *name[FORMATS_MAX];
    size_t n = 0, at = 0;
    for (size_t f = 0; trace_formats[f] != NULL && n < FORMATS_MAX; f++)
        if (trace_option_find(trace_formats[f]->option, trace_formats[f]->n_options, x->key) != NULL) name[n++] = trace_formats[f]->name;
    qsort(name, n, sizeof *name, by_name);
    for (size_t i = 0; i < n && at < cap; i++)
        at += (size_t)snprintf(buf + at, cap - at, "%s'%s%s'", i == 0 ? "" : i + 1 == n ? " or " : ", ", i == 0 ? "format: " : "", name[i]);
}

/* An option of another format in this map is a mistake. */
static enum st check_foreign(const struct ydoc_node *n, const char *map, const struct trace_format *own, struct diag *d)
{
    for (size_t f = 0; trace_formats[f] != NULL; f++)
        for (size_t i = 0; i < trace_formats[f]->n_options; i++) {
            const struct trace_option *x = &trace_formats[f]->option[i];
            const struct ydoc_node *key = is_in(x, map) ? ydoc_get(n, x->key) : NULL;
            char formats[200];
            if (key == NULL || trace_option_find(own->option, own->n_options, x->key) != NULL) continue;
            list_formats(x, formats, sizeof formats);
            if (x->elsewhere != NULL) return ydoc_key_error(key, d, "'%s' goes with %s; %s", x->key, formats, x->elsewhere);
            return ydoc_key_error(key, d, "'%s' goes with %s, found 'format: %s'", x->key, formats, own->name);
        }
    return ST_OK;
}

static enum st read_format(struct scenario *s, const struct ydoc_node *n, struct diag *d)
{
    const char *word[FORMATS_MAX];
    size_t count = 0;
    uint32_t i = 0;
    while (count < FORMATS_MAX && trace_formats[count] != NULL) { word[count] = trace_formats[count]->name; count++; }
    if (ydoc_get(n, "format") == NULL) return ydoc_error(n, d, "found no 'format' in the trace section");
    TRY(ydoc_choice(n, "format", word, count, &i, d));
    return trace_opts_init(&s->trace, word[i], d);
}

/* What the format has no use for, and what it cannot do without. */
static enum st check_format(const struct ydoc_node *n, const struct trace_format *f, struct diag *d)
{
    TRY(check_foreign(n, NULL, f, d));
    for (size_t i = 0; i < f->n_options; i++)
        if (f->option[i].is_needed && ydoc_get(n, f->option[i].key) == NULL)
            return ydoc_error(n, d, "found no '%s', which 'format: %s' needs", f->option[i].key, f->name);
    for (size_t i = 0; f->unused != NULL && f->unused[i] != NULL; i++) {
        const struct ydoc_node *k = ydoc_get(n, f->unused[i]);
        if (k != NULL) return ydoc_key_error(k, d, "'%s' has no meaning for 'format: %s', whose jobs are given whole", f->unused[i], f->name);
    }
    const struct ydoc_node *instances = ydoc_get(n, "instances"), *path = ydoc_get(n, "path"), *strict = ydoc_get(n, "strict");
    if (instances != NULL && path != NULL) return ydoc_key_error(instances, d, "found both 'path' and 'instances', which take its place");
    if (path == NULL) path = instances;
    if (path == NULL && !f->no_file) return ydoc_error(n, d, "found no 'path' in the trace section");
    if (f->no_file && path != NULL) return ydoc_key_error(path, d, "'%s' names a file; 'format: %s' makes its jobs itself", path->key, f->name);
    if (f->no_file && strict != NULL) return ydoc_key_error(strict, d, "'strict' is about files; 'format: %s' has none to repair", f->name);
    return ST_OK;
}

/* ---- the format's own options ---- */

static enum st read_table(struct scenario *s, const struct trace_option *x, size_t n, const struct ydoc_node *map, const char *in, struct diag *d);

static enum st read_document(struct scenario *s, const struct ydoc_node *map, const struct ydoc_node *v,
                             struct trace_document *to, struct diag *d)
{
    const char *text;
    if (v->type == YDOC_MAP) {
        ydoc_keep(&s->kept->document, v);
        to->node = s->kept->document.root;
        return ST_OK;
    }
    TRY(ydoc_node_str(v, &text, d));
    if (!trace_option_is_name(text)) return scn_file(s, map, v->key, true, &to->path, d);
    to->name = scn_keep(s, text);
    return ST_OK;
}

static enum st read_option(struct scenario *s, const struct trace_option *x, const struct ydoc_node *map, struct diag *d)
{
    struct trace_opts *o = &s->trace;
    void *to = (char *)o->own + x->offset;
    const struct ydoc_node *v = ydoc_get(map, x->key);
    const char *text;
    struct keys keys = { .n = 0 };
    if (v == NULL) return ST_OK;
    switch (x->type) {
    case TRACE_TEXT:
        TRY(ydoc_node_str(v, &text, d));
        *(const char **)to = scn_keep(s, text);
        return ST_OK;
    case TRACE_FILE:     return scn_file(s, map, x->key, true, to, d);
    case TRACE_DOCUMENT: return read_document(s, map, v, to, d);
    case TRACE_BOOL:     return ydoc_bool(map, x->key, to, d);
    case TRACE_CHOICE:   return ydoc_node_choice(v, x->word, x->n_words, to, d);
    case TRACE_COUNT:    return ydoc_node_int(v, (int64_t)x->min, (int64_t)x->max, to, d);
    case TRACE_NUMBER:   return ydoc_node_double(v, x->min, x->max, to, d);
    case TRACE_DURATION: return ydoc_quantity(map, x->key, TEXT_DURATION, TICK_SEC, (int64_t)x->min, to, d);
    case TRACE_BYTES:    return ydoc_quantity(map, x->key, TEXT_BYTES, 0, (int64_t)x->min, to, d);
    case TRACE_RATE:     return ydoc_quantity(map, x->key, TEXT_RATE, 0, (int64_t)x->min, to, d);
    case TRACE_MAP:
        if (v->type != YDOC_MAP) return ydoc_expected(v, d, "a map");
        for (size_t i = 0; i < x->n_sub; i++) add_key(&keys, x->sub[i].key);
        TRY(ydoc_keys(v, x->key, keys.at, keys.n, d));
        return read_table(s, x->sub, x->n_sub, v, NULL, d);
    case TRACE_OWN:      return x->read(x, v, to, o, &s->cluster, d);
    }
    return ST_OK;
}

/* The options of a table that stand in this map, which the section knows as `in`. */
static enum st read_table(struct scenario *s, const struct trace_option *x, size_t n, const struct ydoc_node *map, const char *in, struct diag *d)
{
    for (size_t i = 0; i < n; i++)
        if (is_in(&x[i], in)) TRY(read_option(s, &x[i], map, d));
    return ST_OK;
}

/* ---- what is asked of every trace ---- */

static enum st read_default_models(struct scenario *s, const struct ydoc_node *n, struct diag *d)
{
    const struct ydoc_node *list;
    TRY(ydoc_list(n, "models", &list, d));
    if (list == NULL) return ST_OK;
    if (s->trace.dflt.model != NULL) return ydoc_key_error(list, d, "found both 'model' and 'models'");
    if (list->n == 0) return ydoc_expected(list, d, "at least one model");
    const char **name;
    MEM_ARRAY(name, list->n);
    (void)scn_own(s, name);
    for (size_t i = 0; i < list->n; i++) {
        const char *text;
        TRY(ydoc_node_str(list->at[i], &text, d));
        name[i] = scn_keep(s, text);
    }
    s->trace.dflt.models = name;
    s->trace.dflt.n_models = list->n;
    return ST_OK;
}

static enum st read_elastic_gpus(struct scenario *s, const struct ydoc_node *n, struct diag *d)
{
    const struct ydoc_node *gpus = ydoc_get(n, "elastic_gpus");
    int64_t most = 0;
    if (gpus == NULL) return ST_OK;
    if (s->profiles.table.scaling.n == 0) return ydoc_key_error(gpus, d, "'elastic_gpus' needs 'profiles.scaling', whose rows are called as models");
    TRY(ydoc_int(n, "elastic_gpus", 1, SCALING_GPUS_MAX, &most, d));
    s->trace.dflt.elastic_gpus = (uint32_t)most;
    return ST_OK;
}

static enum st read_defaults(struct scenario *s, const struct ydoc_node *n, struct diag *d)
{
    static const char *const keys[] = {
        "cpus_per_gpu", "cpus", "mem_per_gpu", "mem", "model", "models", "user", "queue", "limit", "limit_factor",
        "elastic_gpus",
    };
    const struct trace_format *f = s->trace.format;
    struct trace_defaults *o = &s->trace.dflt;
    const char *model = NULL, *user = NULL, *queue = NULL;
    TRY(check_keys(n, "defaults", "defaults", keys, ARRAY_LEN(keys), d));
    TRY(check_foreign(n, "defaults", f, d));
    TRY(ydoc_quantity(n, "cpus_per_gpu", TEXT_MILLI, 1000, 0, &o->cpu_milli_per_gpu, d));
    TRY(ydoc_quantity(n, "cpus", TEXT_MILLI, 1000, 0, &o->cpu_milli, d));
    TRY(ydoc_quantity(n, "mem_per_gpu", TEXT_BYTES, 0, 0, &o->mem_b_per_gpu, d));
    TRY(ydoc_quantity(n, "mem", TEXT_BYTES, 0, 0, &o->mem_b, d));
    TRY(ydoc_quantity(n, "limit", TEXT_DURATION, TICK_SEC, 1, &o->limit, d));
    TRY(ydoc_double(n, "limit_factor", YDOC_ABOVE_0, 1e6, &o->limit_factor, d));
    if (ydoc_get(n, "limit") != NULL && ydoc_get(n, "limit_factor") != NULL)
        return ydoc_key_error(ydoc_get(n, "limit_factor"), d, "found both 'limit' and 'limit_factor'");
    TRY(ydoc_str(n, "model", &model, d));
    TRY(ydoc_str(n, "user", &user, d));
    TRY(ydoc_str(n, "queue", &queue, d));
    if (model != NULL) o->model = scn_keep(s, model);
    TRY(read_default_models(s, n, d));
    TRY(read_elastic_gpus(s, n, d));
    if (user != NULL)  o->user  = scn_keep(s, user);
    if (queue != NULL) o->queue = scn_keep(s, queue);
    return read_table(s, f->option, f->n_options, n, "defaults", d);
}

static enum st read_instances(struct scenario *s, const struct ydoc_node *n, struct diag *d)
{
    const struct trace_format *f = s->trace.format;
    const struct ydoc_node *list;
    TRY(ydoc_list(n, "instances", &list, d));
    if (list == NULL) return ST_OK;
    if (list->n == 0) return ydoc_expected(list, d, "at least one file");
    for (size_t i = 0; i < f->n_options; i++) {
        const struct ydoc_node *beside = f->option[i].of_one_file ? ydoc_get(n, f->option[i].key) : NULL;
        if (beside != NULL) return ydoc_key_error(beside, d, "'%s' is of one file of jobs; found 'instances'", beside->key);
    }
    const char **path;
    MEM_ARRAY(path, list->n);
    (void)scn_own(s, path);
    for (size_t i = 0; i < list->n; i++) {
        struct diag own = { .code = ST_OK };
        const char *name;
        TRY(ydoc_node_str(list->at[i], &name, d));
        char *found = find_file(s->id.path, name, &own);
        if (found == NULL) return scn_at(list->at[i], &own, d);
        path[i] = scn_own(s, found);
    }
    s->trace.instance = path;
    s->trace.n_instances = list->n;
    return ST_OK;
}

static enum st read_window(struct scenario *s, const struct ydoc_node *n, struct diag *d)
{
    static const char *const keys[] = { "from", "to" };
    struct trace_opts *o = &s->trace;
    TRY(ydoc_keys(n, "window", keys, ARRAY_LEN(keys), d));
    TRY(ydoc_quantity(n, "from", TEXT_DURATION, TICK_SEC, 0, &o->window_from, d));
    TRY(ydoc_quantity(n, "to", TEXT_DURATION, TICK_SEC, 0, &o->window_to, d));
    const struct ydoc_node *to = ydoc_get(n, "to");
    if (to != NULL && o->window_to <= o->window_from) return ydoc_expected(to, d, "a time after 'from'");
    return ST_OK;
}

static enum st read_stretch(struct scenario *s, const struct ydoc_node *n, struct diag *d)
{
    struct trace_opts *o = &s->trace;
    TRY(ydoc_double(n, "speedup", YDOC_ABOVE_0, 1e9, &o->speedup, d));
    TRY(ydoc_double(n, "load", YDOC_ABOVE_0, 1e6, &o->load, d));
    if (ydoc_get(n, "speedup") == NULL || ydoc_get(n, "load") == NULL) return ST_OK;
    (void)ydoc_key_error(ydoc_get(n, "load"), d, "found both 'speedup' and 'load'; each alone says how fast jobs "
                         "arrive");
    return diag_hint(d, "an empty value takes a key out: --set trace.speedup= --set trace.load=0.9");
}

static enum st read_fill(struct scenario *s, const struct ydoc_node *n, struct diag *d)
{
    static const char *const others[] = { "speedup", "load", "concurrency" };
    TRY(ydoc_double(n, "fill", YDOC_ABOVE_0, 100, &s->replay.fill, d));
    for (size_t i = 0; i < ARRAY_LEN(others) && s->replay.fill > 0; i++)
        if (ydoc_get(n, others[i]) != NULL)
            return ydoc_key_error(ydoc_get(n, others[i]), d, "found both 'fill' and '%s'; with 'fill' a job arrives every second", others[i]);
    return ST_OK;
}

enum st scn_read_trace(struct scenario *s, const struct ydoc_node *n, struct diag *d)
{
    static const char *const keys[] = {
        "format", "path", "strict", "concurrency", "speedup", "load", "window", "max_jobs", "defaults", "gpus_per_task", "fill", "instances",
    };
    const struct ydoc_node *window, *defaults;
    struct trace_opts *o = &s->trace;
    int64_t max_jobs = 0, per_task = 0, concurrency = 0;

    TRY(check_keys(n, "trace", NULL, keys, ARRAY_LEN(keys), d));
    TRY(read_format(s, n, d));
    TRY(check_format(n, o->format, d));
    o->kube_nodes = s->kept->kube_nodes;
    o->data = &s->data.blocks;
    o->scaling = &s->profiles.table.scaling;
    o->times = &s->engines.times;
    o->has_times = s->engines.has_times;
    memcpy(o->as_calls, s->engines.as_calls, sizeof o->as_calls);
    if (s->engines.has_relation) o->relation = &s->engines.relation;
    TRY(scn_file(s, n, "path", false, &o->path, d));
    TRY(read_instances(s, n, d));
    TRY(ydoc_bool(n, "strict", &o->strict, d));
    TRY(read_stretch(s, n, d));
    TRY(ydoc_map(n, "window", &window, d));
    TRY(read_window(s, window, d));
    TRY(ydoc_int(n, "max_jobs", 1, INT64_MAX, &max_jobs, d));
    TRY(ydoc_int(n, "gpus_per_task", 1, NODE_GPUS_MAX, &per_task, d));
    o->max_jobs = (uint64_t)max_jobs;
    o->gpus_per_task = (uint32_t)per_task;
    TRY(ydoc_int(n, "concurrency", 1, 1000000, &concurrency, d));
    s->replay.concurrency = (uint32_t)concurrency;
    TRY(read_fill(s, n, d));
    TRY(ydoc_map(n, "defaults", &defaults, d));
    TRY(read_defaults(s, defaults, d));
    TRY(read_table(s, o->format->option, o->format->n_options, n, NULL, d));
    if (o->format->check != NULL) TRY(o->format->check(o, &s->cluster, n, d));
    s->engines.has_times = o->has_times;
    return ST_OK;
}

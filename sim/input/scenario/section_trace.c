/* The trace section. */
#include "input/scenario/section.h"

#include <math.h>
#include <string.h>
#include "base/mem.h"
#include "input/synth/generator.h"
#include "input/synth/workload.h"
#include "input/text/find.h"

enum { GPUS_PER_TASK_MAX = NODE_GPUS_MAX, FORMATS_MAX = 32 };

static bool is(const char *a, const char *b) { return strcmp(a, b) == 0; }

static enum st read_format(const struct ydoc_node *n, const struct trace_format **out, struct diag *d)
{
    const char *word[FORMATS_MAX];
    size_t count = 0;
    while (count < FORMATS_MAX && trace_formats[count] != NULL) { word[count] = trace_formats[count]->name; count++; }
    uint32_t i = 0;
    if (ydoc_get(n, "format") == NULL) return ydoc_error(n, d, "found no 'format' in the trace section");
    TRY(ydoc_choice(n, "format", word, count, &i, d));
    *out = trace_formats[i];
    return ST_OK;
}

/* Keys that mean something for some formats only. */
static enum st check_format_keys(const struct ydoc_node *n, const struct trace_format *f, struct diag *d)
{
    const char *format = f->name;
    static const struct { const char *key, *format; bool is_needed; } own[] = {
        { "throughputs", "gavel", true }, { "reference_gpu", "gavel", true }, { "pending", "openb", false },
        { "generate", "generate", false }, { "bound", "kubectl", false }, { "workload", "workload", false },
        { "stages", "native", false }, { "blocks", "native", false },
        { "calls", "native", false }, { "etc", "etc", false },
    };
    for (size_t i = 0; i < ARRAY_LEN(own); i++) {
        const struct ydoc_node *k = ydoc_get(n, own[i].key);
        bool fits = is(format, own[i].format);
        if (k != NULL && !fits) return ydoc_key_error(k, d, "'%s' goes with 'format: %s', found 'format: %s'", own[i].key, own[i].format, format);
        bool is_needed = own[i].is_needed && !(is(own[i].key, "reference_gpu") && ydoc_get(n, "measured") != NULL);
        if (k == NULL && fits && is_needed) return ydoc_error(n, d, "found no '%s', which 'format: %s' needs", own[i].key, format);
    }
    if (ydoc_get(n, "blocks") != NULL && ydoc_get(n, "stages") == NULL)
        return ydoc_key_error(ydoc_get(n, "blocks"), d, "'blocks' names data that only the tasks of 'stages' read; found no 'stages'");
    static const struct { const char *format, *key; } unused[] = { { "workload", "defaults" }, { "workload", "gpus_per_task" }, { "etc", "gpus_per_task" } };
    for (size_t i = 0; i < ARRAY_LEN(unused); i++) {
        const struct ydoc_node *k = is(format, unused[i].format) ? ydoc_get(n, unused[i].key) : NULL;
        if (k != NULL) return ydoc_key_error(k, d, "'%s' has no meaning for 'format: %s', whose jobs are given whole", unused[i].key, format);
    }
    const struct ydoc_node *instances = ydoc_get(n, "instances"), *path = ydoc_get(n, "path"), *strict = ydoc_get(n, "strict");
    if (instances != NULL && path != NULL) return ydoc_key_error(instances, d, "found both 'path' and 'instances', which take its place");
    if (path == NULL) path = instances;
    if (path == NULL && !f->no_file) return ydoc_error(n, d, "found no 'path' in the trace section");
    if (f->no_file && path != NULL) return ydoc_key_error(path, d, "'%s' names a file; 'format: %s' makes its jobs itself", path->key, format);
    if (f->no_file && strict != NULL) return ydoc_key_error(strict, d, "'strict' is about files; 'format: %s' has none to repair", format);
    return ST_OK;
}

static enum st read_default_models(struct scenario *s, const struct ydoc_node *n, struct diag *d)
{
    const struct ydoc_node *list;
    TRY(ydoc_list(n, "models", &list, d));
    if (list == NULL) return ST_OK;
    if (s->trace.dflt.model != NULL) return ydoc_key_error(list, d, "found both 'model' and 'models'");
    if (list->n == 0) return ydoc_expected(list, d, "at least one model");
    const char **name;
    MEM_ARRAY(name, list->n);
    s->default_models = name;
    for (size_t i = 0; i < list->n; i++) {
        const char *text;
        TRY(ydoc_node_str(list->at[i], &text, d));
        name[i] = scn_keep(s, text);
    }
    s->trace.dflt.models = name;
    s->trace.dflt.n_models = list->n;
    return ST_OK;
}

static enum st read_defaults(struct scenario *s, const struct ydoc_node *n, struct diag *d)
{
    static const char *const keys[] = {
        "cpus_per_gpu", "cpus", "mem_per_gpu", "mem", "model", "models", "user", "queue", "limit", "limit_factor", "duration",
    };
    struct trace_opts *o = &s->trace;
    const char *model = NULL, *user = NULL, *queue = NULL;
    TRY(ydoc_keys(n, "defaults", keys, ARRAY_LEN(keys), d));
    TRY(ydoc_quantity(n, "cpus_per_gpu", TEXT_MILLI, 1000, 0, &o->dflt.cpu_milli_per_gpu, d));
    TRY(ydoc_quantity(n, "cpus", TEXT_MILLI, 1000, 0, &o->dflt.cpu_milli, d));
    TRY(ydoc_quantity(n, "mem_per_gpu", TEXT_BYTES, 0, 0, &o->dflt.mem_b_per_gpu, d));
    TRY(ydoc_quantity(n, "mem", TEXT_BYTES, 0, 0, &o->dflt.mem_b, d));
    TRY(ydoc_quantity(n, "limit", TEXT_DURATION, TICK_SEC, 1, &o->dflt.limit, d));
    TRY(ydoc_double(n, "limit_factor", YDOC_ABOVE_0, 1e6, &o->dflt.limit_factor, d));
    TRY(ydoc_quantity(n, "duration", TEXT_DURATION, TICK_SEC, 0, &o->dflt.duration, d));
    if (ydoc_get(n, "duration") != NULL && !is(o->format, "kubectl"))
        return ydoc_key_error(ydoc_get(n, "duration"), d, "'duration' goes with 'format: kubectl'; traces of other formats say how long their jobs run");
    if (ydoc_get(n, "limit") != NULL && ydoc_get(n, "limit_factor") != NULL)
        return ydoc_key_error(ydoc_get(n, "limit_factor"), d, "found both 'limit' and 'limit_factor'");
    TRY(ydoc_str(n, "model", &model, d));
    TRY(ydoc_str(n, "user", &user, d));
    TRY(ydoc_str(n, "queue", &queue, d));
    if (model != NULL) o->dflt.model = scn_keep(s, model);
    TRY(read_default_models(s, n, d));
    if (user != NULL)  o->dflt.user  = scn_keep(s, user);
    if (queue != NULL) o->dflt.queue = scn_keep(s, queue);
    return ST_OK;
}

static enum st read_instances(struct scenario *s, const struct ydoc_node *n, struct diag *d)
{
    static const char *const beside[] = { "stages", "blocks", "calls" };
    const struct ydoc_node *list;
    TRY(ydoc_list(n, "instances", &list, d));
    if (list == NULL) return ST_OK;
    if (list->n == 0) return ydoc_expected(list, d, "at least one file");
    for (size_t i = 0; i < ARRAY_LEN(beside); i++)
        if (ydoc_get(n, beside[i]) != NULL) return ydoc_key_error(ydoc_get(n, beside[i]), d, "'%s' is of one file of jobs; found 'instances'", beside[i]);
    const char **path;
    MEM_ARRAY(path, list->n);
    s->instances = path;
    for (size_t i = 0; i < list->n; i++) {
        struct diag own = { .code = ST_OK };
        const char *name;
        TRY(ydoc_node_str(list->at[i], &name, d));
        char *found = find_file(s->path, name, &own);
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
    enum st st = ydoc_key_error(ydoc_get(n, "load"), d, "found both 'speedup' and 'load'; each alone says how fast jobs arrive");
    diag_hint(d, "an empty value takes a key out: --set trace.speedup= --set trace.load=0.9");
    return st;
}

static enum st read_fill(struct scenario *s, const struct ydoc_node *n, struct diag *d)
{
    static const char *const others[] = { "speedup", "load", "concurrency" };
    TRY(ydoc_double(n, "fill", YDOC_ABOVE_0, 100, &s->fill, d));
    for (size_t i = 0; i < ARRAY_LEN(others) && s->fill > 0; i++)
        if (ydoc_get(n, others[i]) != NULL)
            return ydoc_key_error(ydoc_get(n, others[i]), d, "found both 'fill' and '%s'; with 'fill' a job arrives every second", others[i]);
    return ST_OK;
}

/* A parameter's value as gen_set takes it: text, a list "a|b", or a map "value:weight,value:weight". */
static enum st gen_text(const struct ydoc_node *v, char *buf, size_t cap, struct diag *d)
{
    if (ydoc_is_null(v) || (v->type != YDOC_SCALAR && v->n == 0)) return ydoc_expected(v, d, "a value, or a map such as {1: 0.7, 8: 0.3}");
    bool is_map = v->type == YDOC_MAP;
    size_t n = 0;
    buf[0] = '\0';
    for (size_t i = 0; i < (v->type == YDOC_SCALAR ? 1 : v->n); i++) {
        const char *text = v->text;
        if (v->type != YDOC_SCALAR) TRY(ydoc_node_str(v->at[i], &text, d));
        int got = snprintf(buf + n, cap - n, "%s%s%s%s", i == 0 ? "" : is_map ? "," : "|", is_map ? v->at[i]->key : "", is_map ? ":" : "", text);
        n += (size_t)got;
        if (n >= cap) return ydoc_error(v, d, "'%s': found more than %zu characters", v->key, cap - 1);
    }
    return ST_OK;
}

static enum st read_workload(struct scenario *s, const struct ydoc_node *n, struct diag *d)
{
    static const char *const keys[] = { "compute", "images_per_s", "image", "add", "merge", "extra", "shuffle", "users", "jobs_per_user" };
    struct workload_opts *o;
    MEM_NEW(o);
    s->workload = o;
    s->trace.workload = o;
    workload_defaults(o);
    int64_t users = o->users, jobs = o->jobs_per_user;
    TRY(ydoc_keys(n, "workload", keys, ARRAY_LEN(keys), d));
    TRY(ydoc_quantity(n, "compute", TEXT_RATE, 0, 1, &o->compute_bps, d));
    TRY(ydoc_double(n, "images_per_s", YDOC_ABOVE_0, 1e9, &o->images_per_s, d));
    TRY(ydoc_quantity(n, "image", TEXT_BYTES, 0, 1, &o->image_b, d));
    TRY(ydoc_quantity(n, "add", TEXT_DURATION, TICK_SEC, 0, &o->add_us, d));
    TRY(ydoc_quantity(n, "merge", TEXT_DURATION, TICK_SEC, 0, &o->merge_us, d));
    TRY(ydoc_bool(n, "extra", &o->extra, d));
    TRY(ydoc_bool(n, "shuffle", &o->shuffle, d));
    TRY(ydoc_int(n, "users", 1, 64, &users, d));
    TRY(ydoc_int(n, "jobs_per_user", 1, WORKLOAD_JOBS, &jobs, d));
    if (ydoc_get(n, "jobs_per_user") != NULL && ydoc_get(n, "users") == NULL)
        return ydoc_key_error(ydoc_get(n, "jobs_per_user"), d, "'jobs_per_user' goes with 'users'");
    if (o->shuffle && ydoc_get(n, "users") != NULL) return ydoc_error(ydoc_get(n, "shuffle"), d, "'shuffle' orders the 36 jobs; with 'users' each draws its own");
    o->users = (uint32_t)users;
    o->jobs_per_user = (uint32_t)jobs;
    return ST_OK;
}

static enum st read_generate(struct scenario *s, const struct ydoc_node *n, struct diag *d)
{
    char value[1024], error[512];
    MEM_NEW(s->trace.gen);
    gen_defaults(s->trace.gen);
    for (size_t i = 0; n != NULL && i < n->n; i++) {
        const struct ydoc_node *v = n->at[i];
        const char *near = NULL;
        TRY(gen_text(v, value, sizeof value, d));
        if (gen_set(s->trace.gen, v->key, value, error, sizeof error, &near)) continue;
        bool known = false;
        for (size_t k = 0; k < gen_n_params; k++) known = known || is(gen_params[k].name, v->key);
        if (known) return ydoc_error(v, d, "'%s': %s", v->key, error);
        enum st st = ydoc_key_error(v, d, "found unknown key '%s' in generate", v->key);
        if (near != NULL) diag_hint(d, "did you mean '%s'?", near);
        return st;
    }
    if (gen_check(s->trace.gen, error, sizeof error)) return ST_OK;
    return ydoc_error(n, d, "generate: %s", error);       /* the defaults agree, so something was set */
}

enum st scn_read_trace(struct scenario *s, const struct ydoc_node *n, struct diag *d)
{
    static const char *const keys[] = {
        "format", "path", "strict", "concurrency", "workload", "speedup", "load", "window", "max_jobs", "defaults", "gpus_per_task",
        "throughputs", "reference_gpu", "pending", "generate", "stages", "blocks", "bound", "fill", "calls", "etc", "instances", "measured",
    }, *const bounds[] = { "keep", "replay" }, *const pending[] = { "replay", "skip" };
    const struct ydoc_node *window, *defaults, *generate, *workload;
    const char *reference = NULL;
    const struct trace_format *format = NULL;
    struct trace_opts *o = &s->trace;
    int64_t max_jobs = 0, per_task = 0, concurrency = 0;
    uint32_t wait = 0, bound = 0;

    *o = (struct trace_opts){ .speedup = 1, .window_to = TICK_NEVER, .dflt.limit = -1, .dflt.duration = -1, .kube_nodes = s->kube_nodes };
    TRY(ydoc_keys(n, "trace", keys, ARRAY_LEN(keys), d));
    TRY(read_format(n, &format, d));
    TRY(check_format_keys(n, format, d));
    o->format = format->name;
    TRY(scn_file(s, n, "path", false, &o->path, d));
    TRY(read_instances(s, n, d));
    TRY(ydoc_bool(n, "strict", &o->strict, d));
    TRY(read_stretch(s, n, d));
    TRY(ydoc_map(n, "window", &window, d));
    TRY(read_window(s, window, d));
    TRY(ydoc_int(n, "max_jobs", 1, INT64_MAX, &max_jobs, d));
    TRY(ydoc_int(n, "gpus_per_task", 1, GPUS_PER_TASK_MAX, &per_task, d));
    o->max_jobs = (uint64_t)max_jobs;
    o->gpus_per_task = (uint32_t)per_task;
    TRY(ydoc_map(n, "defaults", &defaults, d));
    TRY(read_defaults(s, defaults, d));
    TRY(scn_file(s, n, "throughputs", true, &o->throughputs, d));
    TRY(scn_file(s, n, "stages", true, &o->stages_path, d));
    TRY(scn_file(s, n, "blocks", true, &o->blocks_path, d));
    TRY(scn_file(s, n, "calls", true, &o->calls_path, d));
    if (o->calls_path != NULL && !s->has_calltime)
        return ydoc_key_error(ydoc_get(n, "calls"), d, "'calls' needs an 'engines' section, whose 'times' says how long a call takes");
    TRY(scn_read_measured(s, n, d));        /* after that: it brings times, but none for 'calls' */
    if (s->has_calltime) o->calltime = &s->calltime;
    TRY(ydoc_str(n, "reference_gpu", &reference, d));
    if (reference != NULL) o->reference_gpu = scn_keep(s, reference);
    TRY(ydoc_choice(n, "pending", pending, ARRAY_LEN(pending), &wait, d));
    o->pending = pending[wait];
    TRY(ydoc_choice(n, "bound", bounds, ARRAY_LEN(bounds), &bound, d));
    o->bound = bounds[bound];
    TRY(ydoc_int(n, "concurrency", 1, 1000000, &concurrency, d));
    s->concurrency = (uint32_t)concurrency;
    TRY(read_fill(s, n, d));
    o->data = &s->data;
    TRY(ydoc_map(n, "workload", &workload, d));
    if (is(o->format, "etc")) return scn_read_etc(s, n, d);
    if (is(o->format, "workload")) return read_workload(s, workload, d);
    TRY(ydoc_map(n, "generate", &generate, d));
    return is(o->format, "generate") ? read_generate(s, generate, d) : ST_OK;
}

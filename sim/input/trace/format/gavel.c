/*
 * Gavel's traces (tab-separated, no header) and its table of throughputs.
 * Layer: input.
 *
 * A row asks for a number of steps; its duration is steps / throughput on the
 * reference GPU.  The table's steps/s of a job running alone ("null") give the
 * row MODEL#GPUS of struct throughput: speed on each of the cluster's GPU types
 * relative to nominal, 0 where the table says it cannot run or lacks it.  Types
 * match without regard to case; "..._unconsolidated" types and packed pairs are
 * not used.  Throughput is not monotone in GPU generation: nothing here assumes it.
 *
 * With `measured` a job of one GPU is one call instead, whose API is its type
 * and whose size its steps: a step takes 1 / throughput on the engines called
 * as the table's types.
 */
#include <jansson.h>
#include <math.h>
#include <string.h>
#include <strings.h>
#include "base/mem.h"
#include "input/trace/measured.h"
#include "input/trace/reader.h"
#include "model/calls/calltime.h"

enum col { TYPE, COMMAND, STEPS_FLAG, NEEDS_DIR, STEPS, ARRIVAL, GPUS, N_COLS };
static const char *const names[N_COLS] = {
    "job type", "command", "steps flag", "needs data directory", "total steps", "arrival time", "GPUs"
};

struct gavel_opts { const char *throughputs, *reference_gpu; struct trace_measured measured; };

/* What the table says of one configuration; indexed by its id in configs. */
struct config { double steps_per_s; bool is_known, fewer_gpus, other_type; };

struct gavel {
    struct trace_env env;
    const struct gavel_opts *own;
    struct csv *csv;
    struct trace_limits lim;
    json_t *table;
    struct intern configs;              /* MODEL#GPUS */
    struct config *config; size_t cap_config;
    char id[24];
    struct task_group group[2];
    uint32_t mask;                      /* measured: engine types of the cluster */
    bool is_left_out;                   /* the row that was read is no job */
    struct call call;
    uint32_t first, n_calls;            /* of the one task: 0 and 1 */
    struct task_calls calls;
};

/* Steps/s of the configuration alone on a type of the table: -1 not listed. */
static double throughput(const json_t *type, const char *model, int64_t gpus)
{
    char key[256];
    (void)snprintf(key, sizeof key, "('%s', %lld)", model, (long long)gpus);
    const json_t *alone = json_object_get(json_object_get(type, key), "null");
    return json_is_number(alone) ? json_number_value(alone) : -1;
}

static bool is_type(const char *name)
{
    size_t n = strlen(name), m = strlen("_unconsolidated");
    return n <= m || strcmp(name + n - m, "_unconsolidated") != 0;
}

static const json_t *table_type(const struct gavel *x, const char *gpu)
{
    const char *name;
    json_t *v;
    json_object_foreach(x->table, name, v)
        if (strcasecmp(name, gpu) == 0) return v;
    return NULL;
}

/*
 * Learn a configuration once:
 *   1. the GPU count to look up: the one asked, else the largest listed below it;
 *   2. nominal speed: the reference type's, else the fastest that has one;
 *   3. the speed on each type of the cluster, relative to that.
 */
static enum st learn(struct gavel *x, const char *model, int64_t gpus, const char *name, struct config *c, struct diag *d)
{
    const char *type;
    json_t *v;
    int64_t listed = gpus;
    for (bool found = false; listed > 0; listed--) {
        json_object_foreach(x->table, type, v) found = found || (is_type(type) && throughput(v, model, listed) > 0);
        if (found) break;
    }
    if (listed == 0) return csv_fail(x->csv, TYPE, d, "'%.100s' has no throughput for %lld GPUs or fewer in %s", model, (long long)gpus, x->own->throughputs);
    double nominal = throughput(table_type(x, x->own->reference_gpu), model, listed);
    c->other_type = !(nominal > 0);
    if (c->other_type)
        json_object_foreach(x->table, type, v)
            if (is_type(type)) nominal = fmax(nominal, throughput(v, model, listed));
    c->fewer_gpus = listed < gpus;
    c->steps_per_s = nominal;
    c->is_known = true;
    uint32_t row = throughput_model(x->env.perf, name);
    throughput_set_steps(x->env.perf, row, nominal);
    for (uint32_t t = 0; t < x->env.cluster->gpu_types.n; t++) {
        const json_t *of = table_type(x, intern_name(&x->env.cluster->gpu_types, t));
        if (of == NULL) continue;       /* the table does not know the type: its general speed */
        double rate = throughput(of, model, listed) / nominal * RATE_ONE;
        if (rate > (double)(1u << 30)) return csv_fail(x->csv, TYPE, d, "'%.100s' runs at %g times its nominal speed; check the table", model, rate / RATE_ONE);
        throughput_set(x->env.perf, row, t, rate > 0 ? (sim_rate)fmax(1, nearbyint(rate)) : 0);
    }
    return ST_OK;
}

/* ---- as calls ---- */

/* Times of a type at 1 step and at as many as can be counted (no more than MOST, which keeps sums far from the end). */
static void add_times(struct gavel *x, const char *model, uint32_t api)
{
    static const double MOST = 1e12, MOST_US = 6e13;
    const struct trace_measured *m = &x->own->measured;
    for (uint32_t i = 0; i < m->n; i++) {
        const json_t *of = m->engine[i] != NONE ? table_type(x, intern_name(&x->env.cluster->engines, m->engine[i])) : NULL;
        /* us a step; below 0: no figure */
        double each = of != NULL ? (double)TICK_SEC / throughput(of, model, 1) : 0;
        if (!(each > 0) || !isfinite(each)) continue;
        double most = floor(fmin(MOST, MOST_US / each));
        if (most < 2) continue;
        (void)calltime_add(x->env.opts->times, api, m->engine[i], 1, llround(each));
        (void)calltime_add(x->env.opts->times, api, m->engine[i], (int64_t)most, llround(most * each));
    }
}

static enum st leave_out(struct gavel *x, const char *error, const struct job_spec *s, struct diag *d)
{
    x->is_left_out = true;
    return trace_repair(&x->env, error, s->line, d);
}

static enum st make_call(struct gavel *x, const char *model, int64_t gpus, int64_t steps, struct job_spec *out, struct diag *d)
{
    struct calltime *t = x->env.opts->times;
    if (gpus != 1) return leave_out(x, "a job of several GPUs, left out: a call takes one engine", out, d);
    uint32_t n = t->apis.n, api = intern_id(&t->apis, model);
    if (api == n) add_times(x, model, api);
    x->call = (struct call){ .api = api, .size = i64_max(steps, 1) };
    if (calltime_best(t, api, 1, x->mask) < 0) return leave_out(x, "a job whose type has no throughput on any engine, left out", out, d);
    sim_tick best = calltime_best(t, api, x->call.size, x->mask);
    if (best < 0) return csv_fail(x->csv, STEPS, d, "so many steps run longer than the clock can count");
    if (steps == 0) TRY(trace_repair(&x->env, "zero steps taken as one", out->line, d));
    x->group[0] = (struct task_group){ .n = 1, .dur = best, .shape = { .cpu_milli = x->env.opts->dflt.cpu_milli, .mem_b = x->env.opts->dflt.mem_b } };
    x->n_calls = 1;
    x->calls = (struct task_calls){ .first = &x->first, .n = &x->n_calls, .call = &x->call, .n_calls = 1 };
    out->group = x->group;
    out->n_groups = 1;
    out->calls = &x->calls;
    return ST_OK;
}

static enum st read_row(struct gavel *x, struct job_spec *out, struct diag *d)
{
    const struct csv *c = x->csv;
    int64_t gpus = 0, steps = 0;
    char name[300];
    TRY(csv_next(x->csv, d));
    TRY(csv_need(c, TYPE, d));
    TRY(csv_need(c, STEPS, d));
    TRY(csv_need(c, ARRIVAL, d));
    TRY(csv_need(c, GPUS, d));
    trace_blank(out);
    out->line = csv_line(c);
    (void)snprintf(x->id, sizeof x->id, "gavel-%u", out->line);
    out->id = x->id;
    TRY(csv_instant(c, ARRIVAL, TRACE_TIME_MAX, &out->submit, d));
    TRY(csv_int(c, STEPS, 0, INT64_C(1000000000000000), &steps, d));
    TRY(csv_int(c, GPUS, 1, 10000, &gpus, d));
    const char *model = csv_field(c, TYPE);
    if (strlen(model) > 200) return csv_fail(c, TYPE, d, "a name of more than 200 characters");
    if (x->own->measured.n > 0) return make_call(x, model, gpus, steps, out, d);
    (void)snprintf(name, sizeof name, "%s#%lld", model, (long long)gpus);
    uint32_t id = intern_id(&x->configs, name);
    MEM_RESERVE(x->config, x->cap_config, id + 1);
    struct config *k = &x->config[id];
    if (!k->is_known) TRY(learn(x, model, gpus, name, k, d));
    if (k->fewer_gpus) TRY(trace_repair(&x->env, "no throughput for this many GPUs, that of the largest smaller count used", out->line, d));
    if (k->other_type) TRY(trace_repair(&x->env, "no throughput on the reference GPU, nominal is the fastest type that has one", out->line, d));
    if (steps == 0) TRY(trace_repair(&x->env, "zero duration kept as 0", out->line, d));
    double us = (double)steps / k->steps_per_s * (double)TICK_SEC;
    if (us > (double)DUR_MAX) return csv_fail(c, STEPS, d, "at %g steps/s this runs longer than the clock can count", k->steps_per_s);
    trace_gpu_job(&x->env, x->lim, gpus, llround(us), out, x->group);
    out->model = intern_name(&x->configs, id);
    return trace_rounded(&x->env, csv_rounded(x->csv), out->line, d);
}

static enum st next(void *ctx, struct job_spec *out, struct diag *d)
{
    struct gavel *x = ctx;
    do {
        x->is_left_out = false;
        TRY(read_row(x, out, d));
    } while (x->is_left_out);
    return ST_OK;
}

static void close_gavel(void *ctx)
{
    struct gavel *x = ctx;
    csv_close(x->csv);
    json_decref(x->table);
    intern_fini(&x->configs);
    mem_free(x->config);
    mem_free(x);
}

static enum st read_table(struct gavel *x, struct diag *d)
{
    const struct gavel_opts *o = x->own;
    json_error_t e;
    char known[256] = "";
    if (o->throughputs == NULL) return diag_set(d, ST_EINPUT, "a gavel trace needs its table of throughputs (throughputs)");
    if (o->reference_gpu == NULL && o->measured.n == 0) return diag_set(d, ST_EINPUT, "a gavel trace needs the GPU type whose speed is nominal (reference_gpu)");
    x->table = json_load_file(o->throughputs, JSON_REJECT_DUPLICATES, &e);
    if (x->table == NULL) {
        uint32_t line = e.line > 0 ? (uint32_t)e.line : 0;
        return diag_at(d, ST_EINPUT, o->throughputs, line, line > 0 && e.column > 0 ? (uint32_t)e.column : 0, "%s", e.text);
    }
    if (!json_is_object(x->table)) return diag_at(d, ST_EINPUT, o->throughputs, 0, 0, "is not a table of throughputs: expected {GPU type: {...}}");
    if (o->reference_gpu == NULL || table_type(x, o->reference_gpu) != NULL) return ST_OK;
    const char *type;
    json_t *v;
    json_object_foreach(x->table, type, v)
        if (is_type(type)) (void)snprintf(known + strlen(known), sizeof known - strlen(known), " %s", type);
    return diag_at(d, ST_EINPUT, o->throughputs, 0, 0, "has no GPU type '%s', the reference; it has%s", o->reference_gpu, known);
}

static enum st open_gavel(const struct trace_env *env, struct trace_reader *out, struct diag *d)
{
    struct gavel *x;
    MEM_NEW(x);
    *out = (struct trace_reader){ .ctx = x, .next = next, .close = close_gavel };
    x->env = *env;
    x->own = env->opts->own;
    x->lim = trace_limits(env);
    x->mask = cluster_engine_types(env->cluster);
    TRY(read_table(x, d));
    TRY(csv_open(&x->csv, env->opts->path, '\t', d));
    csv_no_header(x->csv, names, N_COLS);
    return ST_OK;
}

static enum st check_gavel(struct trace_opts *o, const struct cluster *c, const struct ydoc_node *section, struct diag *d)
{
    const struct gavel_opts *own = o->own;
    (void)c;
    if (own->reference_gpu != NULL || own->measured.n > 0) return ST_OK;
    return ydoc_error(section, d, "found no 'reference_gpu', which 'format: gavel' needs");
}

static enum st hash_gavel(const struct trace_opts *o, uint64_t *h, struct diag *d)
{
    const struct gavel_opts *own = o->own;
    return own->throughputs != NULL ? trace_hash_file(own->throughputs, h, d) : ST_OK;
}

static const struct trace_option options[] = {
    { .key = "throughputs", .type = TRACE_FILE, .offset = offsetof(struct gavel_opts, throughputs), .is_needed = true,
      .help = "the table of throughputs" },
    { .key = "reference_gpu", .type = TRACE_TEXT, .offset = offsetof(struct gavel_opts, reference_gpu),
      .help = "the GPU type whose speed is nominal" },
    TRACE_MEASURED(offsetof(struct gavel_opts, measured), ENGINE_TYPES_MAX),
};

const struct trace_format gavel_format = {
    .name = "gavel", .summary = "Gavel's Philly-derived traces, with its table of throughputs",
    .own_size = sizeof(struct gavel_opts), .option = options, .n_options = ARRAY_LEN(options),
    .check = check_gavel, .hash = hash_gavel, .open = open_gavel,
};

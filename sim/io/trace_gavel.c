/*
 * Gavel's traces (tab-separated, no header) and its table of throughputs.
 * Layer: io.
 *
 * A row asks for a number of steps; its duration is steps / throughput on the
 * reference GPU.  The table's steps/s of a job running alone ("null") give the
 * row MODEL#GPUS of struct perf: speed on each of the cluster's GPU types
 * relative to nominal, 0 where the table says it cannot run or lacks it.  Types
 * match without regard to case; "..._unconsolidated" types and packed pairs are
 * not used.  Throughput is not monotone in GPU generation: nothing here assumes it.
 */
#include <jansson.h>
#include <math.h>
#include <string.h>
#include <strings.h>
#include "base/mem.h"
#include "io/trace_build.h"

enum col { TYPE, COMMAND, STEPS_FLAG, NEEDS_DIR, STEPS, ARRIVAL, GPUS, N_COLS };
static const char *const names[N_COLS] = {
    "job type", "command", "steps flag", "needs data directory", "total steps", "arrival time", "GPUs"
};

/* What the table says of one configuration; indexed by its id in configs. */
struct config { double steps_per_s; bool is_known, fewer_gpus, other_type; };

struct gavel {
    struct trace_env env;
    struct csv *csv;
    struct trace_limits lim;
    json_t *table;
    struct intern configs;              /* MODEL#GPUS */
    struct config *config; size_t cap_config;
    char id[24];
    struct task_group group[2];
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
    if (listed == 0) return csv_fail(x->csv, TYPE, d, "'%.100s' has no throughput for %lld GPUs or fewer in %s", model, (long long)gpus, x->env.opts->throughputs);
    double nominal = throughput(table_type(x, x->env.opts->reference_gpu), model, listed);
    c->other_type = !(nominal > 0);
    if (c->other_type)
        json_object_foreach(x->table, type, v)
            if (is_type(type)) nominal = fmax(nominal, throughput(v, model, listed));
    c->fewer_gpus = listed < gpus;
    c->steps_per_s = nominal;
    c->is_known = true;
    uint32_t row = perf_model(x->env.perf, name);
    for (uint32_t t = 0; t < x->env.cluster->gpu_types.n; t++) {
        const json_t *of = table_type(x, intern_name(&x->env.cluster->gpu_types, t));
        if (of == NULL) continue;       /* the table does not know the type: its general speed */
        double rate = throughput(of, model, listed) / nominal * RATE_ONE;
        if (rate > (double)(1u << 30)) return csv_fail(x->csv, TYPE, d, "'%.100s' runs at %g times its nominal speed; check the table", model, rate / RATE_ONE);
        perf_set(x->env.perf, row, t, rate > 0 ? (sim_rate)fmax(1, nearbyint(rate)) : 0);
    }
    return ST_OK;
}

static enum st next(void *ctx, struct job_spec *out, struct diag *d)
{
    struct gavel *x = ctx;
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
    TRY(csv_scaled(c, ARRIVAL, TICK_SEC, TRACE_TIME_MAX, &out->submit, d));
    TRY(csv_int(c, STEPS, 0, INT64_C(1000000000000000), &steps, d));
    TRY(csv_int(c, GPUS, 1, 10000, &gpus, d));
    const char *model = csv_field(c, TYPE);
    if (strlen(model) > 200) return csv_fail(c, TYPE, d, "a name of more than 200 characters");
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
    const struct trace_opts *o = x->env.opts;
    json_error_t e;
    char known[256] = "";
    if (o->throughputs == NULL) return diag_set(d, ST_EINPUT, "a gavel trace needs its table of throughputs (throughputs)");
    if (o->reference_gpu == NULL) return diag_set(d, ST_EINPUT, "a gavel trace needs the GPU type whose speed is nominal (reference_gpu)");
    x->table = json_load_file(o->throughputs, JSON_REJECT_DUPLICATES, &e);
    if (x->table == NULL) {
        uint32_t line = e.line > 0 ? (uint32_t)e.line : 0;
        return diag_at(d, ST_EINPUT, o->throughputs, line, line > 0 && e.column > 0 ? (uint32_t)e.column : 0, "%s", e.text);
    }
    if (!json_is_object(x->table)) return diag_at(d, ST_EINPUT, o->throughputs, 0, 0, "is not a table of throughputs: expected {GPU type: {...}}");
    if (table_type(x, o->reference_gpu) != NULL) return ST_OK;
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
    x->lim = trace_limits(env);
    TRY(read_table(x, d));
    TRY(csv_open(&x->csv, env->opts->path, '\t', d));
    csv_no_header(x->csv, names, N_COLS);
    return ST_OK;
}

const struct trace_format trace_gavel = {
    .name = "gavel", .summary = "Gavel's Philly-derived traces, with its table of throughputs", .open = open_gavel
};

/*
 * SenseTime Helios, as job_id,arrival_s,service_sec,gpu_count.  Layer: input.
 * No user, CPU or memory: the scenario's defaults.
 */
#include "base/mem.h"
#include "input/trace/reader.h"

enum col { ID, ARRIVAL, SERVICE, GPUS, N_COLS };
static const char *const names[N_COLS] = { "job_id", "arrival_s", "service_sec", "gpu_count" };

struct helios { struct trace_env env; struct csv *csv; struct trace_limits lim; int at[N_COLS]; struct task_group group[2]; };

static enum st next(void *ctx, struct job_spec *out, struct diag *d)
{
    struct helios *x = ctx;
    int64_t gpus = 0;
    sim_tick dur = 0;
    TRY(csv_next(x->csv, d));
    for (int i = 0; i < N_COLS; i++) TRY(csv_need(x->csv, x->at[i], d));
    trace_blank(out);
    out->id = csv_field(x->csv, x->at[ID]);
    out->line = csv_line(x->csv);
    TRY(csv_scaled(x->csv, x->at[ARRIVAL], TICK_SEC, TRACE_TIME_MAX, &out->submit, d));
    TRY(csv_seconds(x->csv, x->at[SERVICE], &dur, d));
    TRY(csv_int(x->csv, x->at[GPUS], 0, 1000000, &gpus, d));
    if (dur == 0) TRY(trace_repair(&x->env, "zero duration kept as 0", out->line, d));
    trace_gpu_job(&x->env, x->lim, gpus, dur, out, x->group);
    return ST_OK;
}

static void close_helios(void *ctx)
{
    struct helios *x = ctx;
    csv_close(x->csv);
    mem_free(x);
}

static enum st open_helios(const struct trace_env *env, struct trace_reader *out, struct diag *d)
{
    static const bool need[N_COLS] = { true, true, true, true };
    struct helios *x;
    MEM_NEW(x);
    *out = (struct trace_reader){ .ctx = x, .next = next, .close = close_helios };
    x->env = *env;
    x->lim = trace_limits(env);
    TRY(csv_open(&x->csv, env->opts->path, ',', d));
    return csv_columns(x->csv, names, need, x->at, N_COLS, false, NULL, d);
}

const struct trace_format helios_format = {
    .name = "helios", .summary = "SenseTime Helios GPU jobs (job_id,arrival_s,service_sec,gpu_count)", .open = open_helios
};

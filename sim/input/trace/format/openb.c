/*
 * Alibaba cluster-trace-gpu-v2023 (openb) pod lists.  Layer: input.
 *
 * A pod is a job of one task that runs for deletion - scheduled from creation
 * on: what it demanded, replayed.  Pods that were never scheduled (Pending)
 * run for deletion - creation or are left out, as the option `pending` says.  qos is a
 * class of service, not a user: users come from the scenario.
 */
#include <string.h>
#include "base/mem.h"
#include "input/trace/reader.h"

enum col { NAME, CPU, MEM, NUM_GPU, GPU_MILLI, GPU_SPEC, QOS, PHASE, CREATED, DELETED, SCHEDULED, N_COLS };
static const char *const names[N_COLS] = {
    "name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec", "qos", "pod_phase",
    "creation_time", "deletion_time", "scheduled_time"
};

struct openb_opts { uint32_t pending; };
enum { PENDING_REPLAY, PENDING_SKIP };

struct openb { struct trace_env env; struct csv *csv; bool skip_pending; int at[N_COLS]; struct task_group group; };

static enum st read_shape(struct openb *x, uint32_t line, struct shape *s, struct diag *d)
{
    const struct csv *c = x->csv;
    int64_t gpus = 0, milli = 0;
    char error[256];
    TRY(csv_int(c, x->at[CPU], 0, INT64_C(1000000000), &s->cpu_milli, d));
    TRY(csv_scaled(c, x->at[MEM], INT64_C(1) << 20, INT64_MAX / 1024, &s->mem_b, d));
    TRY(csv_int(c, x->at[NUM_GPU], 0, NODE_GPUS_MAX, &gpus, d));
    TRY(csv_int(c, x->at[GPU_MILLI], 0, GPU_WHOLE, &milli, d));
    if (gpus > 0 && milli == 0) return csv_fail(c, x->at[GPU_MILLI], d, "0, but num_gpu is %lld; expected 1..1000", (long long)gpus);
    if (gpus == 0 && milli > 0) return csv_fail(c, x->at[GPU_MILLI], d, "%lld, but num_gpu is 0", (long long)milli);
    s->n_gpu = (int32_t)gpus;
    s->gpu_milli = (int32_t)milli;
    const char *spec = csv_field(c, x->at[GPU_SPEC]);
    if (*spec != '\0') {
        if (gpus == 0) TRY(trace_repair(&x->env, "gpu_spec of a pod without GPUs ignored", line, d));
        else if (!trace_gpu_types(&x->env, spec, &s->gpu_types, error, sizeof error)) return csv_fail(c, x->at[GPU_SPEC], d, "%s", error);
    }
    if (s->mem_b == 0) TRY(trace_repair(&x->env, "zero memory kept as 0", line, d));
    return ST_OK;
}

static enum st next(void *ctx, struct job_spec *out, struct diag *d)
{
    struct openb *x = ctx;
    const struct csv *c = x->csv;
    for (;;) {
        TRY(csv_next(x->csv, d));
        for (int i = 0; i < N_COLS; i++)
            if (i != GPU_SPEC && i != QOS && i != SCHEDULED) TRY(csv_need(c, x->at[i], d));
        trace_blank(out);
        out->id = csv_field(c, x->at[NAME]);
        out->line = csv_line(c);
        x->group = (struct task_group){ .n = 1 };
        sim_tick deleted = 0, started = 0;
        TRY(csv_instant(c, x->at[CREATED], TRACE_TIME_MAX, &out->submit, d));
        TRY(csv_instant(c, x->at[DELETED], TRACE_TIME_MAX, &deleted, d));
        started = out->submit;
        TRY(csv_instant(c, x->at[SCHEDULED], TRACE_TIME_MAX, &started, d));
        bool pending = strcmp(csv_field(c, x->at[PHASE]), "Pending") == 0;
        if (!pending) TRY(csv_need(c, x->at[SCHEDULED], d));
        if (deleted < started)
            return csv_fail(c, x->at[DELETED], d, "'%s' is before the pod %s", csv_field(c, x->at[DELETED]), pending ? "was created" : "was scheduled");
        TRY(read_shape(x, out->line, &x->group.shape, d));
        if (pending && x->skip_pending) {
            TRY(trace_repair(&x->env, "pod never scheduled (Pending), left out", out->line, d));
            continue;
        }
        if (pending) TRY(trace_repair(&x->env, "pod never scheduled (Pending), runs for deletion - creation", out->line, d));
        x->group.dur = deleted - started;
        if (x->group.dur == 0) TRY(trace_repair(&x->env, "zero duration kept as 0", out->line, d));
        out->group = &x->group;
        out->n_groups = 1;
        if (!pending) out->past = (struct job_past){ .is_known = true, .start = started, .end = deleted };
        return trace_rounded(&x->env, csv_rounded(x->csv), out->line, d);
    }
}

static void close_openb(void *ctx)
{
    struct openb *x = ctx;
    csv_close(x->csv);
    mem_free(x);
}

static enum st open_openb(const struct trace_env *env, struct trace_reader *out, struct diag *d)
{
    static const bool need[N_COLS] = { true, true, true, true, true, true, true, true, true, true, true };
    const struct openb_opts *own = env->opts->own;
    struct openb *x;
    MEM_NEW(x);
    *out = (struct trace_reader){ .ctx = x, .next = next, .close = close_openb };
    x->env = *env;
    x->skip_pending = own->pending == PENDING_SKIP;
    TRY(csv_open(&x->csv, env->opts->path, ',', d));
    return csv_columns(x->csv, names, need, x->at, N_COLS, false,
                       "the sampled openb variants have no times; use the default, cpu or gpuspec pod list", d);
}

static const char *const pending[] = { [PENDING_REPLAY] = "replay", [PENDING_SKIP] = "skip" };

static const struct trace_option options[] = {
    { .key = "pending", .type = TRACE_CHOICE, .offset = offsetof(struct openb_opts, pending), .dflt = "replay",
      .word = pending, .n_words = ARRAY_LEN(pending), .noun = "pending pods", .help = "pods that never ran" },
};

const struct trace_format openb_format = {
    .name = "openb", .summary = "Alibaba cluster-trace-gpu-v2023 pod lists",
    .own_size = sizeof(struct openb_opts), .option = options, .n_options = ARRAY_LEN(options), .open = open_openb,
};

/*
 * Microsoft Philly as cleaned for Sia: timestamp,duration,num_gpus,gpu_time,cluster.
 * Layer: input.
 *
 * Rows have no id, so a job is named by its line.  The user is the virtual
 * cluster.  Timestamps carry no zone; they are read as if they were UTC, which
 * keeps gaps right except across a change to or from summer time.
 */
#include <stdio.h>
#include <string.h>
#include "base/mem.h"
#include "input/trace/reader.h"

enum col { TIMESTAMP, DURATION, GPUS, GPU_TIME, CLUSTER, N_COLS };
static const char *const names[N_COLS] = { "timestamp", "duration", "num_gpus", "gpu_time", "cluster" };

struct philly {
    struct trace_env env;
    struct csv *csv;
    struct trace_limits lim;
    int  at[N_COLS];
    char id[24];
    struct task_group group[2];
};

/* Days since 1970-01-01 of a Gregorian date (Hinnant, "chrono-compatible low-level date algorithms"). */
static int64_t days_from_civil(int64_t y, int64_t m, int64_t day)
{
    y -= m <= 2;
    int64_t era = y / 400, yoe = y - era * 400;
    int64_t doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

static bool parse_stamp(const char *s, sim_tick *out)
{
    static const char form[] = "dddd-dd-dd dd:dd:dd";
    int64_t part[6] = { 0 };
    size_t k = 0;
    if (strlen(s) != sizeof form - 1) return false;
    for (size_t i = 0; form[i] != '\0'; i++) {
        if (form[i] == 'd') {
            if (s[i] < '0' || s[i] > '9') return false;
            part[k] = part[k] * 10 + (s[i] - '0');
        } else {
            if (s[i] != form[i]) return false;
            k++;
        }
    }
    static const int64_t month_days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool leap = part[0] % 4 == 0 && (part[0] % 100 != 0 || part[0] % 400 == 0);
    if (part[0] < 1970 || part[1] < 1 || part[1] > 12 || part[2] < 1 ||
        part[2] > month_days[part[1] - 1] + (leap && part[1] == 2) || part[3] > 23 || part[4] > 59 || part[5] > 60)
        return false;
    *out = ((days_from_civil(part[0], part[1], part[2]) * 24 + part[3]) * 3600 + part[4] * 60 + part[5]) * TICK_SEC;
    return true;
}

static enum st next(void *ctx, struct job_spec *out, struct diag *d)
{
    struct philly *x = ctx;
    int64_t gpus = 0;
    sim_tick dur = 0;
    TRY(csv_next(x->csv, d));
    for (int i = 0; i < N_COLS; i++)
        if (i != GPU_TIME) TRY(csv_need(x->csv, x->at[i], d));
    trace_blank(out);
    out->line = csv_line(x->csv);
    (void)snprintf(x->id, sizeof x->id, "philly-%u", out->line);
    out->id = x->id;
    out->user = csv_field(x->csv, x->at[CLUSTER]);
    const char *stamp = csv_field(x->csv, x->at[TIMESTAMP]);
    if (!parse_stamp(stamp, &out->submit))
        return csv_fail(x->csv, x->at[TIMESTAMP], d, "'%.60s' is not a time, expected YYYY-MM-DD HH:MM:SS", stamp);
    TRY(csv_seconds(x->csv, x->at[DURATION], &dur, d));
    TRY(csv_int(x->csv, x->at[GPUS], 0, 1000000, &gpus, d));
    if (dur == 0) TRY(trace_repair(&x->env, "zero duration kept as 0", out->line, d));
    trace_gpu_job(&x->env, x->lim, gpus, dur, out, x->group);
    return ST_OK;
}

static void close_philly(void *ctx)
{
    struct philly *x = ctx;
    csv_close(x->csv);
    mem_free(x);
}

static enum st open_philly(const struct trace_env *env, struct trace_reader *out, struct diag *d)
{
    /* gpu_time is duration x num_gpus; it is not needed. */
    static const bool need[N_COLS] = { [TIMESTAMP] = true, [DURATION] = true, [GPUS] = true, [CLUSTER] = true };
    struct philly *x;
    MEM_NEW(x);
    *out = (struct trace_reader){ .ctx = x, .next = next, .close = close_philly };
    x->env = *env;
    x->lim = trace_limits(env);
    TRY(csv_open(&x->csv, env->opts->path, ',', d));
    return csv_columns(x->csv, names, need, x->at, N_COLS, false, NULL, d);
}

const struct trace_format philly_format = {
    .name = "philly", .summary = "Microsoft Philly, cleaned for Sia (timestamp,duration,num_gpus,gpu_time,cluster)", .open = open_philly
};

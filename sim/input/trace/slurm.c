/*
 * Events of the UB Slurm simulator: one submission a line,
 *     -dt SECONDS -e submit_batch_job | -sim-walltime SECONDS <sbatch options> SCRIPT
 * Layer: input.
 *
 * -N nodes become that many gang tasks; -n processes are spread over them as
 * evenly as possible (where N does not divide n, the first n mod N tasks get
 * one more).  --mem and --gres are a node's.  The partition is a label that a
 * node must have; the queue is the QOS, else the partition.  Jobs that run past
 * their limit are kept as they are: the run decides whether limits are enforced.
 */
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"
#include "input/text/lines.h"
#include "input/text/value.h"
#include "input/trace/reader.h"

enum opt { DT, EVENT, WALLTIME, UID, NAME, NODES, TASKS, TIME, QOS, PARTITION, GRES, MEM, CONSTRAINT, EXCLUSIVE,
           CPUS_PER_TASK, N_OPTS };
static const struct { const char *name; enum opt opt; } known[] = {
    { "-dt", DT }, { "-e", EVENT }, { "-sim-walltime", WALLTIME }, { "--uid", UID }, { "-J", NAME }, { "--job-name", NAME },
    { "-N", NODES }, { "--nodes", NODES }, { "-n", TASKS }, { "--ntasks", TASKS }, { "-t", TIME }, { "--time", TIME },
    { "-q", QOS }, { "--qos", QOS }, { "-p", PARTITION }, { "--partition", PARTITION }, { "--gres", GRES }, { "--mem", MEM },
    { "-C", CONSTRAINT }, { "--constraint", CONSTRAINT }, { "--exclusive", EXCLUSIVE },
    { "-c", CPUS_PER_TASK }, { "--cpus-per-task", CPUS_PER_TASK }
};
enum { NODES_MAX = 1000000, CORES_MAX = 100000000 };

struct slurm {
    struct trace_env env;
    struct lines in;
    bool   rounded;             /* a time of the present line was */
    char  *opt[N_OPTS];         /* values in the line's text; NULL: not given */
    struct task_group group[2];
};

static enum st set_option(struct slurm *x, enum opt o, char *value, struct diag *d)
{
    if (x->opt[o] != NULL) {
        if (o != GRES) return lines_fail(&x->in, value, d, "an option given twice on the line");
        TRY(trace_repair(&x->env, strcmp(x->opt[o], value) == 0 ? "--gres given twice with the same value, counted once"
                         : "--gres given twice with different values, the last counts", x->in.line, d));
    }
    x->opt[o] = value;
    return ST_OK;
}

static enum st unknown_option(struct slurm *x, const char *word, struct diag *d)
{
    const char *names[ARRAY_LEN(known)];
    for (size_t i = 0; i < ARRAY_LEN(known); i++) names[i] = known[i].name;
    (void)lines_fail(&x->in, word, d, "unknown option '%.60s'", word);
    return diag_suggest(d, word, names, ARRAY_LEN(known));
}

/* Split one line into x->opt.  ST_END: the line is blank or a comment. */
static enum st read_options(struct slurm *x, struct diag *d)
{
    memset(x->opt, 0, sizeof x->opt);
    size_t at = 0;
    char *script = NULL, *w = lines_word(&x->in, &at);
    if (w == NULL || *w == '#') return ST_END;
    for (; w != NULL; w = lines_word(&x->in, &at)) {
        if (strcmp(w, "|") == 0) continue;
        if (*w != '-') {
            if (script != NULL) return lines_fail(&x->in, w, d, "'%.60s' after the script '%.60s', expected an option", w, script);
            script = w;
            continue;
        }
        char *eq = w[1] == '-' ? strchr(w, '=') : NULL;
        if (eq != NULL) *eq = '\0';
        size_t k = 0;
        while (k < ARRAY_LEN(known) && strcmp(known[k].name, w) != 0) k++;
        if (k == ARRAY_LEN(known)) return unknown_option(x, w, d);
        char *value = eq != NULL ? eq + 1 : NULL;
        if (known[k].opt == EXCLUSIVE) {
            static char none[] = "";
            if (value == NULL) value = none;
        } else if (value == NULL && (value = lines_word(&x->in, &at)) == NULL) {
            return lines_fail(&x->in, w, d, "%s needs a value", w);
        }
        TRY(set_option(x, known[k].opt, value, d));
    }
    return ST_OK;
}

static enum st whole(const struct slurm *x, enum opt o, int64_t min, int64_t max, int64_t *out, struct diag *d)
{
    const char *s = x->opt[o];
    int64_t v;
    if (s == NULL) return ST_OK;
    if (!text_int(s, &v) || v < min || v > max)
        return lines_fail(&x->in, s, d, "'%.60s' is not a whole number in %lld..%lld", s, (long long)min, (long long)max);
    *out = v;
    return ST_OK;
}

/*
 * Slurm's time forms: minutes, minutes:seconds, hours:minutes:seconds,
 * days-hours, days-hours:minutes, days-hours:minutes:seconds; 0 and UNLIMITED
 * mean none.  sbatch(1), --time.
 */
static bool parse_time(const char *s, sim_tick *out)
{
    int64_t part[4] = { 0 }, days = 0;
    size_t n = 0;
    if (strcmp(s, "UNLIMITED") == 0 || strcmp(s, "INFINITE") == 0) {
        *out = -1;
        return true;
    }
    const char *dash = strchr(s, '-');
    for (const char *p = s; ; ) {
        size_t len = strspn(p, "0123456789");
        if (len == 0 || len > 9 || n == 4) return false;
        part[n++] = strtol(p, NULL, 10);
        p += len;
        if (*p == '\0') break;
        if (*p != (p == dash && n == 1 ? '-' : ':')) return false;
        p++;
    }
    int64_t h = 0, m = 0, sec = 0;
    if (dash != NULL) {
        if (n < 2) return false;
        days = part[0];
        h = part[1];
        m = n > 2 ? part[2] : 0;
        sec = n > 3 ? part[3] : 0;
    } else if (n == 1) m = part[0];
    else if (n == 2) { m = part[0]; sec = part[1]; }
    else if (n == 3) { h = part[0]; m = part[1]; sec = part[2]; }
    else return false;
    int64_t total = ((days * 24 + h) * 60 + m) * 60 + sec;
    if (total > DUR_MAX / TICK_SEC) return false;
    *out = total > 0 ? total * TICK_SEC : -1;
    return true;
}

/* gpu, gpu:K, gpu:TYPE, gpu:TYPE:K. */
static enum st read_gres(struct slurm *x, struct shape *s, struct diag *d)
{
    char buf[128], error[256];
    const char *text = x->opt[GRES];
    if (text == NULL) return ST_OK;
    (void)snprintf(buf, sizeof buf, "%s", text);
    char *type = strchr(buf, ':'), *count = NULL;
    if (type != NULL) *type++ = '\0';
    if (strcmp(buf, "gpu") != 0) return lines_fail(&x->in, text, d, "--gres=%.60s: only gpu is modelled, expected gpu[:TYPE][:COUNT]", text);
    if (type != NULL && (count = strchr(type, ':')) != NULL) *count++ = '\0';
    if (type != NULL && count == NULL && *type >= '0' && *type <= '9') { count = type; type = NULL; }
    int64_t n = 1;
    if (count != NULL && (!text_int(count, &n) || n < 0 || n > NODE_GPUS_MAX))
        return lines_fail(&x->in, text, d, "--gres=%.60s: the count is not in 0..%d", text, NODE_GPUS_MAX);
    if (type != NULL && !trace_gpu_types(&x->env, type, &s->gpu_types, error, sizeof error)) return lines_fail(&x->in, text, d, "%s", error);
    s->n_gpu = (int32_t)n;
    s->gpu_milli = n > 0 ? GPU_WHOLE : 0;
    return ST_OK;
}

static enum st read_mem(struct slurm *x, struct shape *s, struct diag *d)
{
    char error[256];
    const char *text = x->opt[MEM];
    s->mem_b = x->env.opts->dflt.mem_b;
    if (text == NULL) return trace_repair(&x->env, "no --mem, the scenario's default used", x->in.line, d);
    int64_t v;
    if (!text_parse(text, TEXT_BYTES, INT64_C(1) << 20, &v, error, sizeof error)) return lines_fail(&x->in, text, d, "--mem: %s", error);
    /* To Slurm 0 is all of a node's memory, which is not known here. */
    if (v == 0) return trace_repair(&x->env, "--mem=0 (all of the node), the scenario's default used", x->in.line, d);
    s->mem_b = v;
    return ST_OK;
}

static enum st read_needs(struct slurm *x, struct shape *s, struct diag *d)
{
    char error[256];
    uint64_t all, any;
    if (x->opt[PARTITION] != NULL) {
        if (!trace_labels(&x->env, x->opt[PARTITION], &all, &any, error, sizeof error) || any != 0)
            return lines_fail(&x->in, x->opt[PARTITION], d, "partition '%.60s' is not one name", x->opt[PARTITION]);
        s->need_all |= all;
    }
    if (x->opt[CONSTRAINT] != NULL) {
        if (!trace_labels(&x->env, x->opt[CONSTRAINT], &all, &any, error, sizeof error))
            return lines_fail(&x->in, x->opt[CONSTRAINT], d, "--constraint: %s", error);
        s->need_all |= all;
        s->need_any = any;
    }
    const char *ex = x->opt[EXCLUSIVE];
    if (ex == NULL) return ST_OK;
    s->exclusive = 1;
    if (strcmp(ex, "user") == 0) return trace_repair(&x->env, "--exclusive=user treated as --exclusive", x->in.line, d);
    return *ex == '\0' ? ST_OK : lines_fail(&x->in, ex, d, "--exclusive=%.60s is not known, expected --exclusive or --exclusive=user", ex);
}

static enum st read_duration(struct slurm *x, struct job_spec *out, sim_tick *dur, struct diag *d)
{
    const char *t = x->opt[TIME], *w = x->opt[WALLTIME];
    if (t != NULL && !parse_time(t, &out->limit))
        return lines_fail(&x->in, t, d, "'%.60s' is not a time limit, expected one of Slurm's forms, such as 90, 1:30:00 or 2-12", t);
    bool neg = *w == '-';
    value_wide v;
    if (!value_number(w + neg, TICK_SEC, DUR_MAX, &v, &x->rounded)) return lines_fail(&x->in, w, d, "'%.60s' is not a run time in seconds", w);
    *dur = (sim_tick)v;
    if (neg && *dur != 0) {
        /* The simulator's own meaning of a negative wall time. */
        if (out->limit < 0) return lines_fail(&x->in, w, d, "run time unknown and no limit given");
        *dur = out->limit;
        return trace_repair(&x->env, "run time unknown (negative), runs to its limit", x->in.line, d);
    }
    return *dur == 0 ? trace_repair(&x->env, "zero duration kept as 0", x->in.line, d) : ST_OK;
}

static enum st next(void *ctx, struct job_spec *out, struct diag *d)
{
    struct slurm *x = ctx;
    static const struct { enum opt opt; const char *name; } need[] = { { DT, "-dt" }, { EVENT, "-e" }, { WALLTIME, "-sim-walltime" }, { NAME, "-J" } };
    enum st st;
    do {
        TRY(lines_next(&x->in, d));
    } while ((st = read_options(x, d)) == ST_END);
    TRY(st);
    for (size_t i = 0; i < ARRAY_LEN(need); i++)
        if (x->opt[need[i].opt] == NULL) return lines_fail(&x->in, NULL, d, "%s is missing", need[i].name);
    if (strcmp(x->opt[EVENT], "submit_batch_job") != 0)
        return lines_fail(&x->in, x->opt[EVENT], d, "unknown event '%.60s', expected submit_batch_job", x->opt[EVENT]);

    trace_blank(out);
    out->line = x->in.line;
    out->id = x->opt[NAME];
    out->user = x->opt[UID];
    out->queue = x->opt[QOS] != NULL ? x->opt[QOS] : x->opt[PARTITION];
    value_wide dt;
    if (!value_number(x->opt[DT], TICK_SEC, TRACE_TIME_MAX, &dt, &x->rounded))
        return lines_fail(&x->in, x->opt[DT], d, "'%.60s' is not a time in seconds", x->opt[DT]);
    out->submit = (sim_tick)dt;
    sim_tick dur = 0;
    TRY(read_duration(x, out, &dur, d));

    struct shape s = { .cpu_milli = 0 };
    int64_t nodes = 1, procs = -1, per = 1;
    TRY(whole(x, NODES, 1, NODES_MAX, &nodes, d));
    TRY(whole(x, TASKS, 1, NODES_MAX, &procs, d));
    TRY(whole(x, CPUS_PER_TASK, 1, CORES_MAX / NODES_MAX, &per, d));
    if (procs < 0) procs = nodes;
    if (procs < nodes) {
        nodes = procs;
        TRY(trace_repair(&x->env, "-n below -N, nodes reduced to -n as Slurm does", x->in.line, d));
    }
    TRY(read_gres(x, &s, d));
    TRY(read_mem(x, &s, d));
    TRY(read_needs(x, &s, d));
    int64_t more = procs % nodes;
    out->n_groups = 0;
    for (int k = 0; k < 2; k++) {
        int64_t n = k == 0 ? more : nodes - more;
        if (n == 0) continue;
        s.cpu_milli = (procs / nodes + (k == 0)) * per * 1000;
        x->group[out->n_groups++] = (struct task_group){ .n = (uint32_t)n, .dur = dur, .shape = s };
    }
    out->group = x->group;
    out->gang = nodes > 1;
    TRY(trace_rounded(&x->env, x->rounded, out->line, d));
    x->rounded = false;
    return ST_OK;
}

static void close_slurm(void *ctx)
{
    struct slurm *x = ctx;
    lines_close(&x->in);
    mem_free(x);
}

static enum st open_slurm(const struct trace_env *env, struct trace_reader *out, struct diag *d)
{
    struct slurm *x;
    MEM_NEW(x);
    *out = (struct trace_reader){ .ctx = x, .next = next, .close = close_slurm };
    x->env = *env;
    return lines_open(&x->in, env->opts->path, d);
}

const struct trace_format slurm_format = {
    .name = "slurm", .summary = "events of the UB Slurm simulator (sbatch options a line)", .open = open_slurm
};

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

enum opt {
    DT, EVENT, WALLTIME, JOB_ID, UID, NAME, NODES, TASKS, TASKS_PER_NODE, TIME, QOS, PARTITION, GRES, GPUS,
    GPUS_PER_TASK, MEM, MEM_PER_CPU, MEM_PER_GPU, CONSTRAINT, EXCLUSIVE, CPUS_PER_TASK, DEPENDENCY,
    N_OPTS, IGNORED
};
/* is_flag: a value stands behind '=' alone, if there is one.  words: of what is ignored, for the count. */
static const struct known { const char *name; enum opt opt; bool is_flag; const char *words; } known[] = {
    { "-dt", DT, false, NULL }, { "-e", EVENT, false, NULL }, { "-sim-walltime", WALLTIME, false, NULL },
    { "-jid", JOB_ID, false, NULL }, { "--uid", UID, false, NULL }, { "-J", NAME, false, NULL },
    { "--job-name", NAME, false, NULL }, { "-N", NODES, false, NULL }, { "--nodes", NODES, false, NULL },
    { "-n", TASKS, false, NULL }, { "--ntasks", TASKS, false, NULL },
    { "--ntasks-per-node", TASKS_PER_NODE, false, NULL }, { "--tasks-per-node", TASKS_PER_NODE, false, NULL },
    { "-t", TIME, false, NULL }, { "--time", TIME, false, NULL }, { "-q", QOS, false, NULL },
    { "--qos", QOS, false, NULL }, { "-p", PARTITION, false, NULL }, { "--partition", PARTITION, false, NULL },
    { "--gres", GRES, false, NULL }, { "--gpus-per-node", GRES, false, NULL }, { "-G", GPUS, false, NULL },
    { "--gpus", GPUS, false, NULL }, { "--gpus-per-task", GPUS_PER_TASK, false, NULL }, { "--mem", MEM, false, NULL },
    { "--mem-per-cpu", MEM_PER_CPU, false, NULL }, { "--mem-per-gpu", MEM_PER_GPU, false, NULL },
    { "-C", CONSTRAINT, false, NULL }, { "--constraint", CONSTRAINT, false, NULL },
    { "--exclusive", EXCLUSIVE, true, NULL }, { "-c", CPUS_PER_TASK, false, NULL },
    { "--cpus-per-task", CPUS_PER_TASK, false, NULL }, { "-d", DEPENDENCY, false, NULL },
    { "--dependency", DEPENDENCY, false, NULL },
#define IGNORE(name) { name, IGNORED, false, "sbatch's " name ", which is not modelled" }
#define IGNORE_FLAG(name) { name, IGNORED, true, "sbatch's " name ", which is not modelled" }
    IGNORE("-A"), IGNORE("--account"), IGNORE("-a"), IGNORE("--array"), IGNORE("-b"), IGNORE("--begin"),
    IGNORE("-w"), IGNORE("--nodelist"), IGNORE("-x"), IGNORE("--exclude"), IGNORE("-L"),
    IGNORE("--licenses"), IGNORE("--reservation"), IGNORE("--nice"), IGNORE("--priority"), IGNORE("--time-min"),
    IGNORE("--deadline"), IGNORE("--switches"), IGNORE("--gid"), IGNORE("--cpus-per-gpu"), IGNORE("--tmp"),
    IGNORE("--mincpus"), IGNORE("--comment"), IGNORE("--signal"), IGNORE("--wckey"), IGNORE("--mail-type"),
    IGNORE("--mail-user"), IGNORE("-o"), IGNORE("--output"), IGNORE("--error"), IGNORE("--chdir"), IGNORE("--export"),
    IGNORE_FLAG("--requeue"), IGNORE_FLAG("--no-requeue"), IGNORE_FLAG("-s"), IGNORE_FLAG("--oversubscribe"),
    IGNORE_FLAG("-k"), IGNORE_FLAG("--no-kill"), IGNORE_FLAG("--contiguous"), IGNORE_FLAG("-H"),
    IGNORE_FLAG("--hold"),
};
enum { NODES_MAX = 1000000, CORES_MAX = 100000000 };

struct slurm {
    struct trace_env env;
    struct lines in;
    bool   rounded;             /* a time of the present line was */
    char  *opt[N_OPTS];         /* values in the line's text; NULL: not given */
    struct task_group group[2];
    char  *after; size_t cap_after;     /* what the present job waits for */
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
        if (known[k].is_flag) {
            static char none[] = "";
            if (value == NULL) value = none;
        } else if (value == NULL && (value = lines_word(&x->in, &at)) == NULL) {
            return lines_fail(&x->in, w, d, "%s needs a value", w);
        }
        if (known[k].opt == IGNORED) TRY(trace_repair(&x->env, known[k].words, x->in.line, d));
        else TRY(set_option(x, known[k].opt, value, d));
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
    char *type, *count = NULL;
    if (*buf >= '0' && *buf <= '9') (void)snprintf(buf, sizeof buf, "gpu:%.100s", text);      /* --gpus-per-node=2 */
    type = strchr(buf, ':');
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

/* Of a node of so many cores and cards: --mem-per-cpu and --mem-per-gpu go with these. */
static enum st mem_per(const struct slurm *x, enum opt o, int64_t times, struct shape *s, struct diag *d)
{
    char error[256];
    int64_t v;
    if (x->opt[o] == NULL) return ST_OK;
    if (!text_parse(x->opt[o], TEXT_BYTES, INT64_C(1) << 20, &v, error, sizeof error))
        return lines_fail(&x->in, x->opt[o], d, "%s", error);
    if (v > INT64_MAX / 1024 / i64_max(times, 1))
        return lines_fail(&x->in, x->opt[o], d, "'%.60s' is too much", x->opt[o]);
    s->mem_b = v * times;
    return ST_OK;
}

static enum st read_mem(struct slurm *x, struct shape *s, struct diag *d)
{
    char error[256];
    if (x->opt[MEM_PER_CPU] != NULL || x->opt[MEM_PER_GPU] != NULL)
        return ST_OK; /* mem_per, once the tasks are known */
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
    sim_wide v;
    if (!value_number(w + neg, TICK_SEC, DUR_MAX, &v, &x->rounded))
        return lines_fail(&x->in, w, d, "'%.60s' is not a run time in seconds", w);
    *dur = (sim_tick)v;
    if (neg && *dur != 0) {
        /* The simulator's own meaning of a negative wall time. */
        if (out->limit < 0) return lines_fail(&x->in, w, d, "run time unknown and no limit given");
        *dur = out->limit;
        return trace_repair(&x->env, "run time unknown (negative), runs to its limit", x->in.line, d);
    }
    return *dur == 0 ? trace_repair(&x->env, "zero duration kept as 0", x->in.line, d) : ST_OK;
}

/* Is it one that only Slurm knows?  `item` ends at a ':' or its end. */
static bool is_foreign(const char *item, size_t len)
{
    static const char *const foreign[] = { "singleton", "aftercorr", "afterburstbuffer", "expand" };
    const size_t n = strcspn(item, ":");
    for (size_t i = 0; i < ARRAY_LEN(foreign); i++)
        if ((n < len ? n : len) == strlen(foreign[i]) && strncmp(item, foreign[i], strlen(foreign[i])) == 0)
            return true;
    return false;
}

/* Conditions of a kind that is not modelled count as met: of several of which one is enough, then all do. */
static enum st read_dependency(struct slurm *x, struct job_spec *out, struct diag *d)
{
    const char *text = x->opt[DEPENDENCY];
    if (text == NULL) return ST_OK;
    const char sep = strchr(text, '?') != NULL ? '?' : ',';
    char error[256];
    bool any_foreign = false;
    size_t n = 0;
    MEM_RESERVE(x->after, x->cap_after, strlen(text) + 1);
    for (const char *item = text;;) {
        const char *end = strchr(item, sep);
        const size_t len = end != NULL ? (size_t)(end - item) : strlen(item);
        if (is_foreign(item, len)) {
            any_foreign = true;
        } else {
            if (n > 0) x->after[n++] = sep;
            memcpy(x->after + n, item, len);
            n += len;
        }
        if (end == NULL) break;
        item = end + 1;
    }
    x->after[n] = '\0';
    if (any_foreign)
        TRY(trace_repair(&x->env, "--dependency of a kind that is not modelled, which counts as met", x->in.line, d));
    if (any_foreign && (n == 0 || sep == '?')) return ST_OK;
    if (!trace_after(x->after, out->id, error, sizeof error))
        return lines_fail(&x->in, text, d, "--dependency: %s", error);
    out->after = x->after;
    return ST_OK;
}

static enum st next(void *ctx, struct job_spec *out, struct diag *d)
{
    struct slurm *x = ctx;
    static const struct {
        enum opt opt;
        const char *name;
    } need[] = { { DT, "-dt" }, { EVENT, "-e" }, { WALLTIME, "-sim-walltime" } };
    enum st st;
    do {
        TRY(lines_next(&x->in, d));
    } while ((st = read_options(x, d)) == ST_END);
    TRY(st);
    for (size_t i = 0; i < ARRAY_LEN(need); i++)
        if (x->opt[need[i].opt] == NULL) return lines_fail(&x->in, NULL, d, "%s is missing", need[i].name);
    if (x->opt[NAME] == NULL && x->opt[JOB_ID] == NULL) return lines_fail(&x->in, NULL, d, "-J is missing, and -jid");
    if (strcmp(x->opt[EVENT], "submit_batch_job") != 0 && strcmp(x->opt[EVENT], "submit_job") != 0)
        return lines_fail(&x->in, x->opt[EVENT], d, "unknown event '%.60s', expected submit_batch_job", x->opt[EVENT]);

    trace_blank(out);
    out->line = x->in.line;
    out->id = x->opt[JOB_ID] != NULL ? x->opt[JOB_ID] : x->opt[NAME];
    out->user = x->opt[UID];
    out->queue = x->opt[QOS] != NULL ? x->opt[QOS] : x->opt[PARTITION];
    sim_wide dt;
    if (!value_number(x->opt[DT], TICK_SEC, TRACE_TIME_MAX, &dt, &x->rounded))
        return lines_fail(&x->in, x->opt[DT], d, "'%.60s' is not a time in seconds", x->opt[DT]);
    out->submit = (sim_tick)dt;
    TRY(read_dependency(x, out, d));
    sim_tick dur = 0;
    TRY(read_duration(x, out, &dur, d));

    struct shape s = { .cpu_milli = 0 };
    int64_t nodes = -1, procs = -1, per = 1, per_node = -1, gpus = -1, gpus_per_task = -1;
    TRY(whole(x, NODES, 1, NODES_MAX, &nodes, d));
    TRY(whole(x, TASKS, 1, NODES_MAX, &procs, d));
    TRY(whole(x, TASKS_PER_NODE, 1, NODES_MAX, &per_node, d));
    TRY(whole(x, CPUS_PER_TASK, 1, CORES_MAX / NODES_MAX, &per, d));
    TRY(whole(x, GPUS, 0, NODES_MAX, &gpus, d));
    TRY(whole(x, GPUS_PER_TASK, 0, NODE_GPUS_MAX, &gpus_per_task, d));
    if (nodes < 0) nodes = procs > 0 && per_node > 0 ? (procs + per_node - 1) / per_node : 1;
    if (procs < 0) procs = per_node > 0 ? i64_min(nodes * per_node, NODES_MAX) : nodes;
    if (procs < nodes) {
        nodes = procs;
        TRY(trace_repair(&x->env, "-n below -N, nodes reduced to -n as Slurm does", x->in.line, d));
    }
    TRY(read_gres(x, &s, d));
    TRY(read_mem(x, &s, d));
    TRY(read_needs(x, &s, d));
    if (gpus >= 0 && x->opt[GRES] == NULL) {
        if (gpus % nodes != 0)
            TRY(trace_repair(&x->env, "--gpus that its nodes do not divide, rounded up on each", x->in.line, d));
        if ((gpus + nodes - 1) / nodes > NODE_GPUS_MAX)
            return lines_fail(&x->in, x->opt[GPUS], d, "--gpus=%.60s: too many for its nodes", x->opt[GPUS]);
        s.n_gpu = (int32_t)((gpus + nodes - 1) / nodes);
        s.gpu_milli = s.n_gpu > 0 ? GPU_WHOLE : 0;
    }
    int64_t more = procs % nodes;
    out->n_groups = 0;
    for (int k = 0; k < 2; k++) {
        int64_t n = k == 0 ? more : nodes - more;
        if (n == 0) continue;
        const int64_t tasks = procs / nodes + (k == 0);
        s.cpu_milli = tasks * per * 1000;
        if (gpus_per_task >= 0 && x->opt[GRES] == NULL) {
            if (tasks * gpus_per_task > NODE_GPUS_MAX)
                return lines_fail(&x->in, x->opt[GPUS_PER_TASK], d, "--gpus-per-task: more than %d cards on a node",
                                  NODE_GPUS_MAX);
            s.n_gpu = (int32_t)(tasks * gpus_per_task);
            s.gpu_milli = s.n_gpu > 0 ? GPU_WHOLE : 0;
        }
        TRY(mem_per(x, MEM_PER_CPU, tasks * per, &s, d));
        TRY(mem_per(x, MEM_PER_GPU, s.n_gpu, &s, d));
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
    mem_free(x->after);
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

/* generator.c -- the table of parameters, and the stream of jobs drawn from them (generator.h says how). */
#include "input/synth/generator.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/hash64.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/text.h"
#include "input/trace/trace.h"

#define PI 3.14159265358979323846

/* ---- parameters ---- */

static bool parse_duration(const struct trace_option *x, const char *s, void *to, char *error, size_t cap)
{
    (void)x;
    int64_t us;
    if (!text_parse(s, TEXT_DURATION, TICK_SEC, &us, error, cap)) return false;
    if (us < 1000 || us > DUR_MAX)
        return text_error(error, cap, "'%s' is outside 1ms..%lldd", s, (long long)(DUR_MAX / (86400 * TICK_SEC)));
    *(sim_tick *)to = us;
    return true;
}

static bool parse_size(const struct trace_option *x, const char *s, void *to, char *error, size_t cap)
{
    (void)x;
    int64_t b;
    if (!text_parse(s, TEXT_BYTES, INT64_C(1) << 20, &b, error, cap)) return false;
    if (b < INT64_C(1) << 20 || b > INT64_C(1) << 60)
        return text_error(error, cap, "'%s' is outside 1MiB..2^60 bytes", s);
    *(int64_t *)to = b;
    return true;
}

static bool parse_names(const struct trace_option *x, const char *s, void *to, char *error, size_t cap)
{
    (void)x;
    if (strlen(s) >= GEN_TEXT_MAX) return text_error(error, cap, "longer than %d characters", GEN_TEXT_MAX - 1);
    memset(to, 0, GEN_TEXT_MAX);
    memcpy(to, s, strlen(s));
    return true;
}

static bool parse_mix(const struct trace_option *x, const char *s, void *to, char *error, size_t cap)
{
    (void)x;
    struct gen_mix m = { .n = 0 };
    for (const char *p = s; *p != '\0'; ) {
        char item[64], *colon;
        size_t n = strcspn(p, ",;");
        if (m.n == GEN_MIX_MAX) return text_error(error, cap, "more than %d entries", GEN_MIX_MAX);
        (void)snprintf(item, sizeof item, "%.*s", (int)n, p);
        colon = strchr(item, ':');
        double w = 1;
        if (colon != NULL) *colon++ = '\0';
        if (n >= sizeof item || !text_double(item, &m.value[m.n]) || (colon != NULL && !text_double(colon,
                                                                                                    &w)) || w < 0)
            return text_error(error, cap, "'%.60s' is not a mix, expected value:weight,value:weight", s);
        m.weight[m.n++] = w;
        p += n + (p[n] != '\0');
    }
    double sum = 0;
    for (uint32_t i = 0; i < m.n; i++) sum += m.weight[i];
    if (!(sum > 0)) return text_error(error, cap, "'%.60s' has no weight at all", s);
    *(struct gen_mix *)to = m;
    return true;
}

#define ENTRY(field, dflt_, help_, ...) { .key = #field, .offset = offsetof(struct gen_opts, field), .dflt = dflt_, .help = help_, __VA_ARGS__ }
#define COUNT(field, lo, hi, dflt, help)    ENTRY(field, dflt, help, .type = TRACE_COUNT, .min = lo, .max = hi)
#define NUMBER(field, lo, hi, dflt, help)   ENTRY(field, dflt, help, .type = TRACE_NUMBER, .min = lo, .max = hi)
#define OWN(field, parser, dflt, help)      ENTRY(field, dflt, help, .type = TRACE_OWN, .parse = parser)

const struct trace_option gen_params[] = {
    COUNT(jobs, 1, 1e9, "5000", "jobs to make"),
    OWN(span, parse_duration, "7d", "time over which that many jobs are expected to arrive"),
    NUMBER(diurnal, 0, 1, "0.5", "swing of the arrival rate over a day: 0 none, 1 down to nothing at night"),
    NUMBER(peak_hour, 0, 24, "15", "hour of the day with the most arrivals"),
    NUMBER(weekend, 0, 10, "0.6", "arrival rate on days 6 and 7 of each week, relative to the others"),
    COUNT(users, 1, 1e6, "20", "users"),
    NUMBER(user_skew, 0, 10, "1.0", "Zipf exponent of jobs over users: 0 all alike"),
    NUMBER(cpu_share, 0, 1, "0.133", "share of jobs without a GPU (openb: 13.3 %)"),
    NUMBER(frac_share, 0, 1, "0.378", "share of jobs with a part of one card (openb: 37.8 %); the rest have whole cards"),
    OWN(gpu_mix, parse_mix, "1:72,2:9,4:8,8:9,16:1.5,32:0.5", "cards:weight of jobs with whole cards (between Philly and Helios)"),
    OWN(share_mix, parse_mix, "810:35,470:25,320:11,650:8,230:5,460:4,590:2.5,160:2.5,550:2.3,220:2,370:1.5,110:1",
      "thousandths of a card:weight of jobs with a part of one (openb)"),
    COUNT(gpus_per_task, 1, NODE_GPUS_MAX, "8", "jobs of more cards are gangs of tasks with at most this many"),
    OWN(gpu_types, parse_names, "", "types a job may insist on, with cards a node has: V100:8,T4:4"),
    NUMBER(typed_share, 0, 1, "0", "share of GPU jobs that insist on one of gpu_types (openb: 0.33)"),
    OWN(models, parse_names, "", "models of GPU jobs, joined by |, equally likely; empty: none"),
    NUMBER(cpus_per_gpu, 0.001, 1e4, "11.3", "median cores a card of jobs with GPUs (openb)"),
    NUMBER(cpus_per_gpu_sigma, 0, 5, "0.27", "its lognormal sigma (openb: 90th percentile 16)"),
    NUMBER(cpus, 0.001, 1e5, "10", "median cores a task of jobs without GPUs"),
    NUMBER(cpus_sigma, 0, 5, "0.75", "its lognormal sigma"),
    COUNT(max_cpus, 1, 1e5, "64", "most cores that a task asks for"),
    NUMBER(bw_per_cpu, 0, 1e6, "0", "median memory bandwidth a core of jobs without GPUs, MB/s; 0: none is told"),
    NUMBER(bw_sigma, 0, 5, "1", "its lognormal sigma"),
    NUMBER(hint_share, 0, 1, "0", "chance of each hint (pipelined, weights, complex) of jobs with a model"),
    OWN(mem_per_cpu, parse_size, "3GiB", "median memory a core"),
    NUMBER(mem_sigma, 0, 5, "0.4", "its lognormal sigma"),
    OWN(max_mem, parse_size, "256GiB", "most memory that a task asks for"),
    NUMBER(array_share, 0, 1, "0.1", "share of jobs without GPUs that have many independent tasks"),
    COUNT(array_tasks, 2, 1e4, "8", "their mean number of tasks, at least 2 each (geometric)"),
    OWN(dur_cpu, parse_duration, "8m", "median duration of jobs without GPUs (openb)"),
    OWN(dur_frac, parse_duration, "9m", "median duration of jobs with a part of a card (openb)"),
    OWN(dur_single, parse_duration, "13m", "median duration of jobs with one card (openb)"),
    OWN(dur_multi, parse_duration, "30m", "median duration of jobs with more cards"),
    NUMBER(dur_sigma, 0, 5, "1.8", "lognormal sigma of all durations (openb: 1.6 to 2.5)"),
    NUMBER(tail_share, 0, 1, "0.03", "share of jobs whose duration is bounded Pareto instead"),
    NUMBER(tail_alpha, 0.01, 20, "1.2", "Pareto exponent of that tail"),
    OWN(tail_from, parse_duration, "2h", "where the tail begins"),
    OWN(dur_max, parse_duration, "5d", "longest duration; longer lognormal ones are drawn again"),
    NUMBER(limit_share, 0, 1, "0.9", "share of jobs with a user's limit"),
    NUMBER(limit_over, 0, 1e4, "5", "limit = duration x uniform(1, 1 + this), rounded up to a usual value"),
};
const size_t gen_n_params = ARRAY_LEN(gen_params);

bool gen_set(struct gen_opts *g, const char *name, const char *value, char *error, size_t cap, const char **nearest)
{
    return trace_option_set(gen_params, gen_n_params, g, "the generator", name, value, error, cap, nearest);
}

/* The next "NAME" or "NAME:CARDS" of gpu_types.  False at the end; *cards 0: any. */
static bool next_type(const char **at, char *name, size_t cap, int64_t *cards, bool *ok)
{
    const char *s = *at;
    if (*s == '\0') return false;
    size_t n = strcspn(s, ",;");
    (void)snprintf(name, cap, "%.*s", (int)n, s);
    char *colon = strchr(name, ':');
    *cards = 0;
    *ok = n > 0 && n < cap;
    if (colon != NULL) {
        *colon = '\0';
        *ok = *ok && text_int(colon + 1, cards) && *cards > 0 && *name != '\0';
    }
    *at = s + n + (s[n] != '\0');
    return true;
}

bool gen_check(const struct gen_opts *g, char *error, size_t cap)
{
    const sim_tick medians[] = { g->dur_cpu, g->dur_frac, g->dur_single, g->dur_multi };
    if (g->cpu_share + g->frac_share > 1)
        return text_error(error, cap, "cpu_share %g and frac_share %g add up to more than 1", g->cpu_share,
                          g->frac_share);
    for (size_t i = 0; i < ARRAY_LEN(medians); i++)
        if (medians[i] > g->dur_max)
            return text_error(error, cap, "a median duration (dur_*) is longer than dur_max");
    if (g->tail_from >= g->dur_max) return text_error(error, cap, "tail_from is not below dur_max");
    for (uint32_t i = 0; i < g->gpu_mix.n; i++)
        if (g->gpu_mix.value[i] < 1 || g->gpu_mix.value[i] > 1e6 || g->gpu_mix.value[i] > floor(g->gpu_mix.value[i]))
            return text_error(error, cap, "gpu_mix: %g is not a number of cards", g->gpu_mix.value[i]);
    for (uint32_t i = 0; i < g->share_mix.n; i++)
        if (g->share_mix.value[i] < 1 || g->share_mix.value[i] >= GPU_WHOLE
            || g->share_mix.value[i] > floor(g->share_mix.value[i]))
            return text_error(error, cap, "share_mix: %g is not in 1..999 thousandths of a card",
                              g->share_mix.value[i]);
    char name[64];
    int64_t cards;
    bool ok, any = false;
    for (const char *at = g->gpu_types; next_type(&at, name, sizeof name, &cards, &ok); any = true)
        if (!ok)
            return text_error(error, cap, "gpu_types: '%.60s' is not a list of types such as V100:8,T4:4",
                              g->gpu_types);
    if (g->typed_share > 0 && !any)
        return text_error(error, cap, "typed_share is %g, but gpu_types names none", g->typed_share);
    return true;
}

/* ---- the stream ---- */

enum aspect { ARRIVAL, CLASS, SIZE, DURATION, USER, LIMIT, TYPE, BANDWIDTH, HINT, N_ASPECTS };
static const char *const purposes[N_ASPECTS] = {
    "gen.arrival", "gen.kind", "gen.size", "gen.duration", "gen.user", "gen.limit", "gen.type", "gen.bandwidth",
    "gen.hint"
};

struct gen {
    struct trace_env env;
    struct gen_opts  o;
    struct rng rng[N_ASPECTS];
    int64_t n;
    double  t;                          /* seconds */
    double *user_cdf;                   /* [users] */
    char    id[32], user[32], model[GEN_TEXT_MAX + 1];
    struct task_group group[2];
};

/* Arrival rate at t relative to its mean over a week. */
static double intensity(const struct gen_opts *o, double t)
{
    double day = floor(t / 86400), hour = (t - day * 86400) / 3600;
    double week = fmod(day, 7) >= 5 ? o->weekend : 1;
    return week * (1 + o->diurnal * cos(2 * PI * (hour - o->peak_hour) / 24)) * 7 / (5 + 2 * o->weekend);
}

static sim_tick next_arrival(struct gen *g)
{
    const struct gen_opts *o = &g->o;
    double mean_rate = (double)o->jobs / ((double)o->span / (double)TICK_SEC);
    double top = fmax(1, o->weekend) * (1 + o->diurnal) * 7 / (5 + 2 * o->weekend);
    do g->t += rng_exp(&g->rng[ARRIVAL], 1 / (mean_rate * top));
    while (rng_unit(&g->rng[ARRIVAL]) * top > intensity(o, g->t));
    return (sim_tick)floor(g->t * 1000) * 1000;
}

static double pick(struct rng *r, const struct gen_mix *m)
{
    double sum = 0;
    for (uint32_t i = 0; i < m->n; i++) sum += m->weight[i];
    double x = rng_unit(r) * sum;
    uint32_t i = 0;
    while (i + 1 < m->n && x >= m->weight[i]) x -= m->weight[i++];
    return m->value[i];
}

static sim_tick draw_duration(struct gen *g, sim_tick median)
{
    const struct gen_opts *o = &g->o;
    struct rng *r = &g->rng[DURATION];
    double us, hi = (double)o->dur_max;
    if (rng_unit(r) < o->tail_share)
        us = (double)o->tail_from * pow(1 - rng_unit(r) * (1 - pow((double)o->tail_from / hi, o->tail_alpha)), -1 / o->tail_alpha);
    else
        do us = rng_lognormal(r, log((double)median), o->dur_sigma); while (us > hi);
    return i64_max(1, llround(us / 1000)) * 1000;
}

static sim_tick draw_limit(struct gen *g, sim_tick dur)
{
    static const int minutes[] = { 15, 30, 60, 120, 240, 480, 720, 1440, 2880, 4320, 7200, 10080, 20160 };
    struct rng *r = &g->rng[LIMIT];
    bool has = rng_unit(r) < g->o.limit_share;
    double us = (double)dur * (1 + rng_unit(r) * g->o.limit_over);
    if (!has) return -1;
    const sim_tick minute = 60 * TICK_SEC, day = 1440 * minute;
    for (size_t i = 0; i < ARRAY_LEN(minutes); i++)
        if (us <= (double)(minutes[i] * minute)) return minutes[i] * minute;
    return (sim_tick)ceil(us / (double)day) * day;
}

static uint32_t draw_user(struct gen *g)
{
    double x = rng_unit(&g->rng[USER]);
    uint32_t lo = 0, hi = (uint32_t)g->o.users - 1;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (x < g->user_cdf[mid]) hi = mid; else lo = mid + 1;
    }
    return lo;
}

/* One of gpu_types whose nodes have room for `cards`; NONE: the job takes any. */
static enum st draw_type(struct gen *g, int64_t cards, uint64_t *mask, struct diag *d)
{
    struct rng *r = &g->rng[TYPE];
    char name[64], chosen[64] = "";
    int64_t room;
    bool ok, typed = rng_unit(r) < g->o.typed_share;
    double x = rng_unit(r), n = 0;
    for (const char *at = g->o.gpu_types; next_type(&at, name, sizeof name, &room, &ok); ) n += room == 0 || room >= cards;
    double k = floor(x * n);
    for (const char *at = g->o.gpu_types; next_type(&at, name, sizeof name, &room, &ok); )
        if ((room == 0 || room >= cards) && k-- < 0.5) { (void)snprintf(chosen, sizeof chosen, "%s", name); break; }
    if (!typed || chosen[0] == '\0') return ST_OK;
    uint32_t id = cluster_gpu_type(g->env.cluster, chosen, d);
    if (id == NONE) return d->code;
    *mask = UINT64_C(1) << id;
    return ST_OK;
}

static void draw_model(struct gen *g, struct job_spec *out)
{
    const char *s = g->o.models;
    double x = rng_unit(&g->rng[TYPE]);
    if (*s == '\0') return;
    size_t n = 1;
    for (const char *p = s; (p = strchr(p, '|')) != NULL; p++) n++;
    for (size_t k = (size_t)(x * (double)n); k > 0; k--) s = strchr(s, '|') + 1;
    (void)snprintf(g->model, sizeof g->model, "%.*s", (int)strcspn(s, "|"), s);
    out->model = g->model;
}

/* Whole multiples keep figures exact in the native format: a tenth of a core, 64 MiB. */
static int64_t draw_cores(struct gen *g, double median, double sigma, double times)
{
    double cores = times * rng_lognormal(&g->rng[SIZE], log(median), sigma);
    int64_t milli = times < 1 ? llround(ceil(cores * 10)) * 100 : llround(ceil(cores)) * 1000;
    return i64_min(i64_max(milli, 100), g->o.max_cpus * 1000);
}

static int64_t draw_memory(struct gen *g, int64_t cpu_milli)
{
    const int64_t step = INT64_C(64) << 20;
    double b = (double)cpu_milli / 1000 * (double)g->o.mem_per_cpu * exp(g->o.mem_sigma * rng_normal(&g->rng[SIZE]));
    b = fmin(b, (double)g->o.max_mem);
    return i64_min(llround(ceil(b / (double)step)) * step, g->o.max_mem / step * step);
}

/* Whole MB/s, so that the native format holds it; every job draws as many numbers, whatever it is. */
static int64_t draw_bandwidth(struct gen *g, int64_t cpu_milli)
{
    double per = exp(g->o.bw_sigma * rng_normal(&g->rng[BANDWIDTH])) * g->o.bw_per_cpu;
    return llround(fmin(per * (double)cpu_milli / 1000, 1e9)) * 1000000;
}

static uint32_t draw_hints(struct gen *g)
{
    uint32_t hints = 0;
    for (uint32_t bit = HINT_PIPELINED; bit <= HINT_COMPLEX_CPU; bit <<= 1)
        if (rng_unit(&g->rng[HINT]) < g->o.hint_share) hints |= bit;
    return hints;
}

static enum st next(void *ctx, struct job_spec *out, struct diag *d)
{
    struct gen *g = ctx;
    const struct gen_opts *o = &g->o;
    if (g->n == o->jobs) return ST_END;
    *out = (struct job_spec){ .limit = -1 };
    out->submit = next_arrival(g);
    (void)snprintf(g->id, sizeof g->id, "job-%06lld", (long long)++g->n);
    (void)snprintf(g->user, sizeof g->user, "user%02u", draw_user(g) + 1);
    out->id = g->id;
    out->user = g->user;

    /* Every job draws as many numbers, so that a share changes no other job. */
    double class = rng_unit(&g->rng[CLASS]), share = pick(&g->rng[CLASS], &o->share_mix), cards = pick(&g->rng[CLASS], &o->gpu_mix);
    double array = rng_unit(&g->rng[CLASS]), tasks = rng_unit(&g->rng[CLASS]);
    sim_tick dur;
    if (class < o->cpu_share) {
        uint32_t n = 1;
        /* 2 + geometric on 0, 1, ... with mean array_tasks - 2. */
        if (array < o->array_share)
            n = 2 + (o->array_tasks > 2 ? (uint32_t)floor(log(tasks) / log1p(-1 / ((double)o->array_tasks - 1))) : 0);
        dur = draw_duration(g, o->dur_cpu);
        int64_t cpu = draw_cores(g, o->cpus, o->cpus_sigma, 1);
        g->group[0] = (struct task_group){ .n = n, .dur = dur, .shape = { .cpu_milli = cpu, .mem_b = draw_memory(g, cpu) } };
        out->n_groups = 1;
    } else if (class < o->cpu_share + o->frac_share) {
        dur = draw_duration(g, o->dur_frac);
        int64_t cpu = draw_cores(g, o->cpus_per_gpu, o->cpus_per_gpu_sigma, share / GPU_WHOLE);
        g->group[0] = (struct task_group){ .n = 1, .dur = dur, .shape = {
            .cpu_milli = cpu, .mem_b = draw_memory(g, cpu), .n_gpu = 1, .gpu_milli = (int32_t)share } };
        out->n_groups = 1;
    } else {
        dur = draw_duration(g, cards > 1 ? o->dur_multi : o->dur_single);
        int64_t total = (int64_t)cards, n = (total + o->gpus_per_task - 1) / o->gpus_per_task, each = total / n, more = total % n;
        out->n_groups = 0;
        int64_t cpu = draw_cores(g, o->cpus_per_gpu, o->cpus_per_gpu_sigma, (double)(each + (more > 0)));
        int64_t mem = draw_memory(g, cpu);
        for (int k = 0; k < 2; k++) {
            int64_t count = k == 0 ? more : n - more;
            if (count == 0) continue;
            g->group[out->n_groups++] = (struct task_group){ .n = (uint32_t)count, .dur = dur, .shape = {
                .cpu_milli = cpu, .mem_b = mem, .n_gpu = (int32_t)(each + (k == 0)), .gpu_milli = GPU_WHOLE } };
        }
        out->gang = n > 1;
    }
    out->group = g->group;
    out->limit = draw_limit(g, dur);
    int64_t bw = draw_bandwidth(g, g->group[0].shape.cpu_milli);
    uint32_t hints = draw_hints(g);
    if (g->group[0].shape.n_gpu == 0) g->group[0].mem_bw = bw;
    if (g->group[0].shape.n_gpu > 0) {
        uint64_t types = 0;
        TRY(draw_type(g, g->group[0].shape.n_gpu, &types, d));
        for (uint32_t k = 0; k < out->n_groups; k++) g->group[k].shape.gpu_types = types;
        draw_model(g, out);
        if (out->model != NULL) out->hints.told = hints;
    }
    return ST_OK;
}

static void close_gen(void *ctx)
{
    struct gen *g = ctx;
    mem_free(g->user_cdf);
    mem_free(g);
}

static enum st open_gen(const struct trace_env *env, struct trace_reader *out, struct diag *d)
{
    char error[256];
    struct gen *g;
    const struct gen_opts *own = env->opts->own;
    if (!gen_check(own, error, sizeof error)) return diag_set(d, ST_EINPUT, "generate: %s", error);
    MEM_NEW(g);
    g->env = *env;
    g->o = *own;
    for (size_t i = 0; i < N_ASPECTS; i++) rng_init(&g->rng[i], env->opts->seed, purposes[i], 0);
    MEM_ARRAY(g->user_cdf, (size_t)g->o.users);
    double sum = 0;
    for (int64_t k = 0; k < g->o.users; k++) g->user_cdf[k] = sum += pow((double)(k + 1), -g->o.user_skew);
    for (int64_t k = 0; k < g->o.users; k++) g->user_cdf[k] /= sum;
    *out = (struct trace_reader){ .ctx = g, .next = next, .close = close_gen };
    return ST_OK;
}

/* ---- the format ---- */

/* A value as gen_set takes it: text, a list "a|b", or a map "value:weight,value:weight". */
static enum st flatten(const struct ydoc_node *v, char *buf, size_t cap, struct diag *d)
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

/* The map `generate`. */
static enum st read_params(const struct trace_option *x, const struct ydoc_node *n, void *to, struct trace_opts *o,
                           const struct cluster *c, struct diag *d)
{
    char value[1024], error[512];
    (void)x; (void)o; (void)c;
    if (n->type != YDOC_MAP) return ydoc_expected(n, d, "a map");
    for (size_t i = 0; i < n->n; i++) {
        const struct ydoc_node *v = n->at[i];
        const char *near = NULL;
        TRY(flatten(v, value, sizeof value, d));
        if (gen_set(to, v->key, value, error, sizeof error, &near)) continue;
        if (trace_option_find(gen_params, gen_n_params, v->key) != NULL) return ydoc_error(v, d, "'%s': %s", v->key, error);
        enum st st = ydoc_key_error(v, d, "found unknown key '%s' in generate", v->key);
        if (near != NULL) diag_hint(d, "did you mean '%s'?", near);
        return st;
    }
    return gen_check(to, error, sizeof error) ? ST_OK : ydoc_error(n, d, "generate: %s", error);
}

/* A number that stands for the parameters and the seed, as a file's content hash does. */
static enum st hash_gen(const struct trace_opts *o, uint64_t *h, struct diag *d)
{
    const unsigned char *own = o->own;
    (void)d;
    *h = HASH64_INIT ^ o->seed;
    for (size_t i = 0; i < gen_n_params; i++) {
        const struct trace_option *p = &gen_params[i];
        size_t n = p->parse == parse_mix ? sizeof(struct gen_mix) : p->parse == parse_names ? GEN_TEXT_MAX : 8;
        *h = hash64_bytes(*h, own + p->offset, n);
    }
    return ST_OK;
}

static const struct trace_option options[] = {
    { .key = "generate", .type = TRACE_OWN, .read = read_params, .sub = gen_params, .n_sub = ARRAY_LEN(gen_params),
      .help = "parameters of the generator" },
};

/* Its own parameter of that name says it. */
static const char *const unused[] = { "gpus_per_task", NULL };

const struct trace_format gen_format = {
    .name = "generate", .summary = "jobs made by the seeded generator", .no_file = true, .unused = unused,
    .own_size = sizeof(struct gen_opts), .option = options, .n_options = ARRAY_LEN(options), .hash = hash_gen, .open = open_gen,
};

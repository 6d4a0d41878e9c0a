/* reader.c -- what the readers of trace formats share: splitting jobs into tasks, and words of their columns. */
#include "input/trace/reader.h"

#include <string.h>
#include "base/mem.h"
#include "input/cluster/hostlist.h"
#include "model/dependency.h"
#include "model/graph.h"

struct trace_limits trace_limits(const struct trace_env *env)
{
    struct trace_limits lim = { 0, 0 };
    const struct cluster *c = env->cluster;
    for (uint32_t i = 0; i < c->n_nodes; i++) {
        lim.cores = i64_max(lim.cores, c->node[i].cpu_total / 1000);
        lim.gpus = i64_max(lim.gpus, c->node[i].n_gpu);
    }
    if (env->opts->gpus_per_task > 0) lim.gpus = env->opts->gpus_per_task;
    return lim;
}

uint32_t trace_split(int64_t total, int64_t most, uint32_t n[2], int64_t size[2])
{
    int64_t tasks = most > 0 ? (total + most - 1) / most : 1;
    if (tasks < 1) tasks = 1;
    int64_t more = total % tasks;
    if (more == 0) {
        n[0] = (uint32_t)tasks;
        size[0] = total / tasks;
        return 1;
    }
    n[0] = (uint32_t)more;
    size[0] = total / tasks + 1;
    n[1] = (uint32_t)(tasks - more);
    size[1] = total / tasks;
    return 2;
}

void trace_gpu_job(const struct trace_env *env, struct trace_limits lim, int64_t gpus, sim_tick dur,
                   struct job_spec *out, struct task_group group[2])
{
    const struct trace_opts *o = env->opts;
    uint32_t n[2];
    int64_t size[2];
    out->n_groups = trace_split(gpus, lim.gpus, n, size);
    out->group = group;
    for (uint32_t k = 0; k < out->n_groups; k++) {
        bool any = size[k] > 0;
        group[k] = (struct task_group){ .n = n[k], .dur = dur, .shape = {
            .cpu_milli = any ? size[k] * o->dflt.cpu_milli_per_gpu : o->dflt.cpu_milli,
            .mem_b = any ? size[k] * o->dflt.mem_b_per_gpu : o->dflt.mem_b,
            .n_gpu = (int32_t)size[k], .gpu_milli = any ? GPU_WHOLE : 0 } };
    }
    out->gang = out->n_groups > 1 || n[0] > 1;
}

enum st trace_divide(const struct trace_env *env, struct trace_limits lim, const struct trace_whole *w,
                     struct job_spec *out, struct task_group group[2], const char **error, struct diag *d)
{
    const struct trace_opts *o = env->opts;
    const int64_t milli = w->gpu_milli, cards = (milli + GPU_WHOLE - 1) / GPU_WHOLE;
    int64_t n = w->n_tasks;
    if (n == 0) {
        const int64_t cores = lim.cores * 1000;
        n = lim.gpus > 0 && cards > lim.gpus ? (cards + lim.gpus - 1) / lim.gpus : 1;
        if (cores > 0 && w->cpu_milli > cores) n = i64_max(n, (w->cpu_milli + cores - 1) / cores);
    }
    const bool is_share = milli > 0 && milli < n * GPU_WHOLE;
    *error = NULL;
    if (!is_share && milli % GPU_WHOLE != 0)
        TRY(trace_repair(env, "a part of a card beyond whole ones, rounded up to a whole one", out->line, d));
    if (is_share && milli % n != 0)
        TRY(trace_repair(env, "share of a card finer than a thousandth, rounded up", out->line, d));
    if (!is_share && cards > n * NODE_GPUS_MAX) {
        *error = "a task has more than 64 cards; `tasks` says into how many the job is divided";
        return ST_OK;
    }
    const int64_t each = is_share ? 1 : cards / n, more = is_share ? 0 : cards % n;
    out->n_groups = 0;
    for (int k = more > 0 ? 0 : 1; k < 2; k++) {
        const int64_t count = k == 0 ? more : n - more, size = each + (k == 0);
        struct task_group *g = &group[out->n_groups++];
        *g = (struct task_group){ .n = (uint32_t)count, .dur = w->dur, .shape = w->shape };
        /* What is stated of the whole job goes with the cards, or evenly. */
        const bool by_card = size > 0 && !is_share;
        const int64_t part = by_card ? size : 1, of = by_card ? cards : n;
        g->shape.cpu_milli = size > 0 ? size * o->dflt.cpu_milli_per_gpu : o->dflt.cpu_milli;
        g->shape.mem_b = size > 0 ? size * o->dflt.mem_b_per_gpu : o->dflt.mem_b;
        if (w->cpu_milli >= 0) g->shape.cpu_milli = (int64_t)(((sim_wide)w->cpu_milli * part + of - 1) / of);
        if (w->mem_b >= 0) g->shape.mem_b = (int64_t)(((sim_wide)w->mem_b * part + of - 1) / of);
        if (size == 0) {
            g->shape.gpu_types = 0;
            continue;
        }
        g->shape.n_gpu = (int32_t)size;
        g->shape.gpu_milli = is_share ? (int32_t)((milli + n - 1) / n) : GPU_WHOLE;
        g->shape.gpu_mem_b = w->gpu_mem_b;
    }
    out->group = group;
    out->gang = n > 1;
    return ST_OK;
}

void trace_blank(struct job_spec *s)
{
    *s = (struct job_spec){ .limit = -1 };
}

enum st trace_rounded(const struct trace_env *env, bool was, uint32_t line, struct diag *d)
{
    return was ? trace_repair(env, "figure finer than a microsecond or a thousandth of a core, rounded", line, d)
               : ST_OK;
}

enum st trace_licences(const struct trace_env *env, const struct csv *c, int at, struct shape *s, struct diag *d)
{
    const char *text = csv_field(c, at);
    while (*text != '\0') {
        char name[128];
        size_t len = strcspn(text, ":;"), end = strcspn(text, ";");
        int64_t n = 0;
        bool ok = len > 0 && len < sizeof name && text[len] == ':' && end - len - 1 < 12 && (text[end] == '\0' || text[end + 1] != '\0');
        if (ok) {
            char number[16];
            (void)snprintf(name, sizeof name, "%.*s", (int)len, text);
            (void)snprintf(number, sizeof number, "%.*s", (int)(end - len - 1), text + len + 1);
            ok = csv_decimal(number, 1, &n) && strchr(number, '.') == NULL && n > 0 && n <= INT32_MAX;
        }
        if (!ok) return csv_fail(c, at, d, "'%.60s' is not licences such as NAME:2;OTHER:1", csv_field(c, at));
        struct diag own = { .code = ST_OK };
        uint32_t k = cluster_licence(env->cluster, name, &own);
        if (k == NONE) return csv_fail(c, at, d, "%s", own.msg);
        if (s->licence[k] > 0) return csv_fail(c, at, d, "'%s' stands twice", name);
        s->licence[k] = (int32_t)n;
        text += end + (text[end] == ';');
    }
    return ST_OK;
}

bool trace_after(const char *text, const char *id, char *error, size_t cap)
{
    struct dependency_list l = { .n = 0 };
    bool ok = dependency_parse(&l, text, error, cap);
    for (size_t i = 0; ok && i < l.n; i++)
        if (strcmp(l.at[i].id, id) == 0) ok = text_error(error, cap, "job '%.60s' waits for itself", id);
    dependency_list_fini(&l);
    return ok;
}

const char *trace_nodes(const char *list, char **buf, char *error, size_t cap)
{
    struct hostlist h = { .n = 0 };
    const char *wrong = hostlist_parse(&h, list);
    size_t n = 1, at = 0;
    if (wrong != NULL) (void)text_error(error, cap, "'%.60s': %s", list, wrong);
    for (size_t i = 0; i < h.n; i++) n += strlen(h.name[i]) + 1;
    mem_free(*buf);
    *buf = wrong == NULL ? mem_alloc(n, 1) : NULL;
    for (size_t i = 0; i < h.n; i++) at += (size_t)sprintf(*buf + at, "%s%s", i > 0 ? "," : "", h.name[i]);
    hostlist_fini(&h);
    return *buf;
}

sim_tick trace_alone(const struct job_spec *s)
{
    sim_tick longest = 0, *dur;
    uint32_t n = 0, bad;
    for (uint32_t k = 0; k < s->n_groups; k++) {
        longest = i64_max(longest, s->group[k].dur);
        n += s->group[k].n;
    }
    struct graph *g = s->graph != NULL ? graph_create(s->graph, n, &bad) : NULL;
    if (g == NULL) return longest;
    MEM_ARRAY(dur, n);
    n = 0;
    for (uint32_t k = 0; k < s->n_groups; k++)
        for (uint32_t i = 0; i < s->group[k].n; i++) dur[n++] = s->group[k].dur;
    longest = graph_longest(g, dur);
    mem_free(dur);
    graph_destroy(g);
    return longest;
}

static bool label_bit(const struct trace_env *env, const char *s, size_t n, uint64_t *mask, char *error, size_t cap)
{
    char name[128];
    if (n == 0 || n >= sizeof name || strcspn(s, "&|()[]*, \t") < n)
        return text_error(error, cap, "label '%.*s' is not a name; expected A, A&B, A|B or A&(B|C)",
                          (int)(n < 100 ? n : 100), s);
    (void)snprintf(name, sizeof name, "%.*s", (int)n, s);
    struct diag d = { .code = ST_OK };
    uint32_t bit = cluster_label(env->cluster, name, &d);
    if (bit == NONE) return text_error(error, cap, "%s", d.msg);
    *mask |= UINT64_C(1) << bit;
    return true;
}

/* Every name of a list joined by `sep` in s[0..n). */
static bool label_list(const struct trace_env *env, const char *s, size_t n, char sep, uint64_t *mask, char *error, size_t cap)
{
    for (;;) {
        const char *e = memchr(s, sep, n);
        size_t len = e != NULL ? (size_t)(e - s) : n;
        if (!label_bit(env, s, len, mask, error, cap)) return false;
        if (e == NULL) return true;
        n -= len + 1;
        s = e + 1;
    }
}

bool trace_labels(const struct trace_env *env, const char *text, uint64_t *all, uint64_t *any, char *error, size_t cap)
{
    *all = *any = 0;
    if (strchr(text, '(') == NULL && strchr(text, '|') != NULL)
        return label_list(env, text, strlen(text), '|', any, error, cap);
    for (const char *s = text;;) {
        const char *e = s;
        if (*s == '(') {
            e = strchr(s, ')');
            if (e == NULL || *any != 0)
                return text_error(error, cap, e == NULL ? "'%s' has an unclosed parenthesis" : "'%s' has more than "
                                  "one group of alternatives", text);
            if (!label_list(env, s + 1, (size_t)(e - s - 1), '|', any, error, cap)) return false;
            e++;
        } else {
            e += strcspn(s, "&");
            if (!label_bit(env, s, (size_t)(e - s), all, error, cap)) return false;
        }
        if (*e == '\0') return true;
        if (*e != '&') return text_error(error, cap, "'%s': expected '&' after ')'", text);
        s = e + 1;
    }
}

bool trace_gpu_types(const struct trace_env *env, const char *text, uint64_t *mask, char *error, size_t cap)
{
    *mask = 0;
    for (const char *s = text;;) {
        size_t n = strcspn(s, "|");
        char name[128];
        if (n == 0 || n >= sizeof name)
            return text_error(error, cap, "'%s' names an empty GPU type; types are joined by '|'", text);
        (void)snprintf(name, sizeof name, "%.*s", (int)n, s);
        struct diag d = { .code = ST_OK };
        uint32_t id = cluster_gpu_type(env->cluster, name, &d);
        if (id == NONE) return text_error(error, cap, "%s", d.msg);
        *mask |= UINT64_C(1) << id;
        if (s[n] == '\0') return true;
        s += n + 1;
    }
}

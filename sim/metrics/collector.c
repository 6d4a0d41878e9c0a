/* collector.c -- what collectors emit, checked against what they declare. */
#include "metrics/collector.h"

#include <string.h>

#include "base/mem.h"

/* A name with a place for any text: a leading X or a final R. */
static bool is_pattern_of(const char *pattern, const char *name)
{
    size_t m = strlen(pattern) - 1, n = strlen(name);
    if (pattern[0] == 'X') return n >= m && strcmp(pattern + 1, name + n - m) == 0;
    return pattern[m] == 'R' && strncmp(pattern, name, m) == 0;
}

/* A collector that emits what it does not declare is a bug of ours: nobody would learn what it means. */
static const struct collector_metric *declared(const struct collector_out *out, const char *name, bool is_series)
{
    for (const struct collector_metric *m = out->metric; m->name != NULL; m++)
        if ((m->form == COLLECTOR_SERIES) == is_series && strcmp(m->name, name) == 0) return m;
    for (const struct collector_metric *m = out->metric; m->name != NULL; m++)
        if ((m->form == COLLECTOR_SERIES) == is_series && is_pattern_of(m->name, name)) return m;
    base_bug(__FILE__, __LINE__, name);
}

static void put(const struct collector_out *out, const struct collector_metric *m, const char *name, const char *scope, double x)
{
    struct collector_values *v = out->values;
    if (isnan(x)) return;
    MEM_PUSH(v->at, v->n, v->cap,
             (struct collector_value){ .name = mem_strdup(name), .scope = mem_strdup(scope), .unit = m->unit, .x = x,
                                              .is_wall = m->form == COLLECTOR_WALL });
}

void collector_put(const struct collector_out *out, const char *name, const char *scope, double x)
{
    const struct collector_metric *m = declared(out, name, false);
    SIM_ASSERT(m->form != COLLECTOR_SPREAD);
    put(out, m, name, scope, x);
}

static const struct { const char *name; double p; } tail[] = {
    { "p50", 0.5 }, { "p95", 0.95 }, { "p99", 0.99 }, { "max", 1 },
};

void collector_choose(struct quantiles *q)
{
    double p[ARRAY_LEN(tail)];
    for (size_t i = 0; i < ARRAY_LEN(tail); i++) p[i] = tail[i].p;
    quantiles_choose(q, p, ARRAY_LEN(tail));
}

void collector_put_spread(const struct collector_out *out, const char *name, const char *scope, double mean,
                          struct quantiles *q)
{
    const struct collector_metric *m = declared(out, name, false);
    double x[ARRAY_LEN(tail)];
    char full[64];
    SIM_ASSERT(m->form == COLLECTOR_SPREAD);
    (void)snprintf(full, sizeof full, "%s_mean", name);
    put(out, m, full, scope, mean);
    quantiles_get(q, x);
    for (size_t i = 0; i < ARRAY_LEN(tail); i++) {
        (void)snprintf(full, sizeof full, "%s_%s", name, tail[i].name);
        put(out, m, full, scope, x[i]);
    }
}

bool collector_writes(const struct collector_out *out) { return out->opts->store != NULL && out->error->code == ST_OK; }

bool collector_writes_jobs(const struct collector_out *out) { return !out->opts->no_jobs && collector_writes(out); }

void collector_put_series(const struct collector_out *out, sim_tick at, const char *name, double x)
{
    (void)declared(out, name, true);
    if (isnan(x) || !collector_writes(out)) return;
    (void)store_series(out->opts->store, out->opts->run, &(struct store_series){ .name = name, .at_us = at, .value = x }, out->error);
}

char *collector_scope(const char *by, const char *name)
{
    return mem_printf("%s=%s", by, name);
}

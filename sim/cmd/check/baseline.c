/* baseline.c -- a baseline read, written, made and judged. */
#include "cmd/check/baseline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "cmd/cmd.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "input/text/csv.h"

enum { SCENARIO,
       POLICY,
       METRIC,
       SCOPE,
       VALUE,
       TOLERANCE,
       SCENARIO_HASH,
       TRACE_HASH,
       SPEC,
       N_COLUMNS };
static const char *const column[N_COLUMNS] = { "scenario", "policy", "metric", "scope", "value", "tolerance",
                                               "scenario_hash", "trace_hash", "spec" };

static bool read_tolerance(const char *s, enum tolerance_type *type, double *by)
{
    size_t n = strlen(s);
    if (strcmp(s, "ci") == 0) { *type = TOL_CI; *by = 0; return true; }
    bool percent = n > 1 && s[n - 1] == '%';
    char *digits = mem_strndup(s, percent ? n - 1 : n);
    bool ok = text_double(digits, by) && *by >= 0;
    mem_free(digits);
    *type = percent ? TOL_RELATIVE : TOL_ABSOLUTE;
    if (percent) *by /= 100;
    return ok;
}

static enum st read_row(struct baseline *b, struct csv *f, const int *at, struct diag *d)
{
    struct guard g = { .line = csv_line(f) };
    for (int i = 0; i < SCENARIO_HASH; i++) TRY(csv_need(f, at[i], d));
    if (!text_double(csv_field(f, at[VALUE]), &g.value))
        return csv_fail(f, at[VALUE], d, "found '%s', expected a number", csv_field(f, at[VALUE]));
    if (!read_tolerance(csv_field(f, at[TOLERANCE]), &g.type, &g.by))
        return csv_fail(f, at[TOLERANCE], d, "found '%s', expected a percentage, an amount or ci", csv_field(f, at[TOLERANCE]));
    g.scenario = mem_strdup(csv_field(f, at[SCENARIO]));
    g.policy = mem_strdup(csv_field(f, at[POLICY]));
    g.metric = mem_strdup(csv_field(f, at[METRIC]));
    g.scope = mem_strdup(csv_field(f, at[SCOPE]));
    g.tolerance = mem_strdup(csv_field(f, at[TOLERANCE]));
    g.scenario_hash = mem_strdup(at[SCENARIO_HASH] >= 0 ? csv_field(f, at[SCENARIO_HASH]) : "");
    g.trace_hash = mem_strdup(at[TRACE_HASH] >= 0 ? csv_field(f, at[TRACE_HASH]) : "");
    g.spec = mem_strdup(at[SPEC] >= 0 ? csv_field(f, at[SPEC]) : "");
    MEM_PUSH(b->guard, b->n, b->cap, g);
    return ST_OK;
}

enum st baseline_read(struct baseline *b, const char *path, struct diag *d)
{
    static const bool need[N_COLUMNS] = { true, true, true, true, true, true, false, false, false };
    int at[N_COLUMNS];
    struct csv *f;
    memset(b, 0, sizeof *b);
    if (csv_open(&f, path, ',', d) != ST_OK) return diag_hint(d, "--create makes one of what the database holds");
    b->path = mem_strdup(path);
    enum st st = csv_columns(f, column, need, at, N_COLUMNS, false, NULL, d);
    while (st == ST_OK && (st = csv_next(f, d)) == ST_OK) st = read_row(b, f, at, d);
    csv_close(f);
    if (st == ST_END && b->n == 0) st = diag_at(d, ST_EINPUT, path, 0, 0, "it guards nothing: there is no row");
    if (st == ST_END) return ST_OK;
    baseline_fini(b);
    return st;
}

static void put_field(FILE *f, const char *s, char after)
{
    text_csv(s, false, f);
    (void)fputc(after, f);
}

static void print(const struct baseline *b, FILE *f)
{
    (void)fputs("scenario,policy,metric,scope,value,tolerance,scenario_hash,trace_hash,spec\n", f);
    for (size_t i = 0; i < b->n; i++) {
        const struct guard *g = &b->guard[i];
        put_field(f, g->scenario, ',');
        put_field(f, g->policy, ',');
        put_field(f, g->metric, ',');
        put_field(f, g->scope, ',');
        (void)fprintf(f, "%.9g,%s,%s,%s,", g->value, g->tolerance, g->scenario_hash, g->trace_hash);
        put_field(f, g->spec, '\n');
    }
}

enum st baseline_write(const struct baseline *b, struct diag *d)
{
    FILE *f;
    char *temp;
    TRY(cmd_output_open(&f, &temp, b->path, d));
    print(b, f);
    return cmd_output_close(f, temp, b->path, ST_OK, d);
}

/* Is there a file of the baseline's name with other bytes? */
static bool differs(const struct baseline *b)
{
    struct stat file;
    if (stat(b->path, &file) != 0 || !S_ISREG(file.st_mode)) return false;
    struct mem_text own;
    mem_text_open(&own);
    print(b, own.to);
    char *text = mem_text_close(&own);
    FILE *f = fopen(b->path, "r");
    bool is_other = f == NULL || (size_t)file.st_size != own.n;
    for (size_t i = 0; i < own.n && !is_other; i++) is_other = fgetc(f) != (unsigned char)text[i];
    if (f != NULL) (void)fclose(f);
    mem_free(text);
    return is_other;
}

enum st baseline_create(const struct baseline *b, struct diag *d)
{
    if (!differs(b)) return baseline_write(b, d);
    (void)diag_at(d, ST_EINPUT, b->path, 0, 0, "it is there already, and is not overwritten");
    return diag_hint(d, "--update takes over what is now and keeps the tolerances; for another baseline remove the file");
}

static char *hash_of(const char *text)
{
    struct hash128 h;
    char hex[HASH_HEX];
    hash_init(&h);
    hash_text(&h, text);
    hash_hex(&h, hex);
    return mem_strdup(hex);
}

enum st baseline_make(struct baseline *b, const char *path, const struct compare *c,
                      const char *const *metric, size_t n_metrics, const char *tolerance, struct diag *d)
{
    enum tolerance_type type;
    double by;
    memset(b, 0, sizeof *b);
    if (!read_tolerance(tolerance, &type, &by))
        return diag_set(d, ST_EINPUT, "the tolerance is '%s'; expected a percentage such as 2%%, an amount or ci", tolerance);
    b->path = mem_strdup(path);
    for (size_t k = 0; k < c->n; k++)
        for (size_t p = 0; p < c->at[k].n_policies; p++)
            for (size_t m = 0; m < n_metrics; m++) {
                struct stats_ci now = compare_mean(c, &c->at[k].policy[p], metric[m], "all");
                if (now.n == 0 || !isfinite(now.mean)) continue;
                MEM_PUSH(b->guard, b->n, b->cap, (struct guard){ .scenario = mem_strdup(c->at[k].title),
                    .policy = mem_strdup(c->at[k].policy[p].label), .metric = mem_strdup(metric[m]),
                    .scope = mem_strdup("all"), .tolerance = mem_strdup(tolerance), .type = type, .by = by,
                    .value = now.mean, .scenario_hash = hash_of(c->at[k].text),
                    .trace_hash = mem_strdup(c->at[k].trace), .spec = mem_strdup(c->at[k].policy[p].spec) });
            }
    return ST_OK;
}

void baseline_fini(struct baseline *b)
{
    for (size_t i = 0; i < b->n; i++) {
        struct guard *g = &b->guard[i];
        MEM_FREE(g->scenario, g->policy, g->metric, g->scope, g->tolerance, g->scenario_hash, g->trace_hash, g->spec);
    }
    mem_free(b->guard);
    mem_free(b->path);
    memset(b, 0, sizeof *b);
}

/* Its policy, by its label, and what changed behind it. */
static void find(struct verdict *v, const struct guard *g, const struct compare *c)
{
    for (size_t k = 0; k < c->n && v->policy == NULL; k++) {
        const struct compare_case *of = &c->at[k];
        if (strcmp(of->title, g->scenario) != 0) continue;
        char *hash = hash_of(of->text);
        v->scenario_changed = g->scenario_hash[0] != '\0' && strcmp(g->scenario_hash, hash) != 0;
        v->trace_changed = g->trace_hash[0] != '\0' && strcmp(g->trace_hash, of->trace) != 0;
        mem_free(hash);
        for (size_t p = 0; p < of->n_policies; p++) {
            if (strcmp(of->policy[p].label, g->policy) == 0) v->policy = &of->policy[p];
            else if (g->spec[0] != '\0' && strcmp(of->policy[p].spec, g->spec) == 0) v->renamed = of->policy[p].label;
        }
    }
    if (v->policy != NULL) v->renamed = NULL;
}

const char *baseline_note(const struct verdict *v, char buf[BASELINE_NOTE])
{
    (void)snprintf(buf, BASELINE_NOTE, "%s%s%s%.300s", v->scenario_changed ? "the scenario changed" : "",
                   v->scenario_changed && (v->trace_changed || v->renamed) ? "; " : "",
                   v->trace_changed ? v->renamed ? "the trace changed; the policy is now called " : "the trace changed"
                   : v->renamed     ? "the policy is now called "
                                    : "",
                   v->renamed != NULL ? v->renamed : "");
    return buf;
}

/* The file holds nine significant digits; no number moved by less than the tenth. */
static bool same_as_written(double now, double value)
{
    return fabs(now - value) <= 1e-8 * fmax(fabs(now), fabs(value));
}

struct verdict baseline_judge(const struct guard *g, const struct compare *c)
{
    struct verdict v = { .moved = true, .furthest = -1 };
    find(&v, g, c);
    if (v.policy == NULL) return v;
    v.now = compare_mean(c, v.policy, g->metric, g->scope);
    if (v.now.n == 0 || !isfinite(v.now.mean)) { v.now.n = 0; return v; }
    double off = fabs(v.now.mean - g->value);
    double room = g->type == TOL_RELATIVE ? g->by * fabs(g->value) : g->by;
    bool is_in = g->type != TOL_CI ? off <= room : isfinite(v.now.half) ? v.now.lo <= g->value && g->value <= v.now.hi : off <= 0;
    v.moved = !is_in && !same_as_written(v.now.mean, g->value);
    for (size_t i = 0; i < v.policy->n_runs; i++) {
        double x = compare_value(c, v.policy->run[i], g->metric, g->scope);
        if (isnan(x) || (v.furthest >= 0 && fabs(x - g->value) <= fabs(v.furthest_value - g->value))) continue;
        v.furthest = v.policy->run[i];
        v.furthest_value = x;
    }
    return v;
}

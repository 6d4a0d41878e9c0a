/*
 * propose.c -- a scenario that `fairway search` reads: how many nodes bring the simulated waits nearest to the record.
 *
 * The counts of the cluster's groups are the variables, each from what the record needs at least to what is described;
 * the objective is `error` of results/README.md, whose figures stand in a file beside the scenario.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "calibrate/calibrate.h"
#include "db/query.h"
#include "input/text/ydoc.h"

enum { RUNS_A_VARIABLE = 40 };

struct range { size_t group; int64_t from, to; };
struct proposal { const char *figures; struct range *range; size_t n; int64_t rejected; };

/* What was held at most, as a share of what is described of the resource that was held the most of. */
static double most_held(const struct calibration *c)
{
    const char *as = c->policy[0].label;
    const double gpu = calibrate_value(c, "cause", "gpu_most", as), cpu = calibrate_value(c, "cause", "cpu_most", as);
    return isnan(gpu) || cpu > gpu ? cpu : gpu;
}

static enum st find_ranges(const struct calibration *c, struct range **range, size_t *n, struct diag *d)
{
    struct ydoc y;
    const struct ydoc_node *cluster, *groups = NULL;
    size_t cap = 0, n_groups = 0;
    const double most = most_held(c);
    TRY(ydoc_parse(&y, "the scenario of the database", c->scenario_text, d));
    enum st st = ydoc_map(y.root, "cluster", &cluster, d);
    if (st == ST_OK) st = ydoc_list(cluster, "groups", &groups, d);
    for (size_t i = 0; groups != NULL && i < groups->n && st == ST_OK; i++) {
        int64_t count = 1;
        st = ydoc_int(groups->at[i], "count", 1, INT32_MAX, &count, d);
        const int64_t need = (int64_t)ceil((double)count * most - 1e-9);
        n_groups++;
        if (st == ST_OK && need >= 1 && need != count)
            MEM_PUSH(*range, *n, cap,
                     (struct range){ i, need < count ? need : count, need < count ? count : need });
    }
    ydoc_fini(&y);
    TRY(st);
    if (n_groups == 0) {
        (void)diag_set(d, ST_EINPUT, "the scenario's cluster has no groups whose counts a search could change");
        return diag_hint(d, "a cluster read from a file is searched when its nodes are told as `cluster.groups`, "
                            "with count, cpus, mem and gpus; without --search the figures are printed");
    }
    if (*n > 0) return ST_OK;
    return diag_set(d, ST_EINPUT, "the record held %.3g of the described cluster at its most: no count of nodes is in"
                    " doubt", most);
}

/* In double quotes, as YAML and JSON have them. */
static void put_quoted(const char *s, FILE *to)
{
    (void)fputc('"', to);
    for (; *s != '\0'; s++) (void)fprintf(to, *s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
    (void)fputc('"', to);
}

/* Fewer nodes must not look better because wide jobs, which wait long, no longer fit at all. */
static enum st find_rejected(const struct calibration *c, int64_t *n, struct diag *d)
{
    return query_int(c->store, n, d, "SELECT CAST(value AS INTEGER) FROM metric WHERE run = %lld"
                     " AND name = 'jobs_rejected' AND scope = 'all'", (long long)c->policy[1].run);
}

static void put_scenario(const struct calibration *c, const struct proposal *p, FILE *to)
{
    const char *slash = strrchr(p->figures, '/');
    (void)fprintf(to, "# How many nodes bring the simulated waits nearest to the recorded ones: made by"
                  " `fairway calibrate --search`.\n%spolicies:\n", c->scenario_text);
    for (size_t i = 0; i < 2; i++) {
        (void)fprintf(to, "  - ");
        put_quoted(c->policy[i].spec, to);
        (void)fputc('\n', to);
    }
    (void)fprintf(to, "search:\n  set:\n");
    for (const struct range *r = p->range; r < p->range + p->n; r++)
        (void)fprintf(to, "    cluster.groups.%zu.count: {from: %lld, to: %lld, step: 1}\n", r->group,
                      (long long)r->from, (long long)r->to);
    (void)fprintf(to, "  objective: {figures: ");
    put_quoted(slash != NULL ? slash + 1 : p->figures, to);
    (void)fprintf(to, "}\n  limits:\n    - {policy: ");
    put_quoted(c->policy[1].spec, to);
    (void)fprintf(to, ", metric: jobs_rejected, at_most: %lld}\n  budget: {runs: %zu}\n", (long long)p->rejected,
                  p->n * RUNS_A_VARIABLE);
}

static void put_figures(const struct calibration *c, FILE *to)
{
    (void)fprintf(to, "policy,metric,value,source\n");
    for (size_t i = 0; i < ARRAY_LEN(calibrate_metric); i++) {
        const double value = calibrate_value(c, "waits", calibrate_metric[i], c->policy[0].label);
        if (!(value > 0)) continue;
        text_csv(c->policy[1].spec, true, to);
        (void)fprintf(to, ",%s,%.12g,recorded\n", calibrate_metric[i], value);
    }
}

static enum st close_file(FILE *f, const char *path, struct diag *d)
{
    const bool failed = ferror(f) != 0;
    if (fclose(f) == 0 && !failed) return ST_OK;
    return diag_set(d, ST_EWORLD, "%s: %s", path, strerror(errno));
}

static enum st open_file(FILE **f, const char *path, struct diag *d)
{
    *f = fopen(path, "w");
    return *f != NULL ? ST_OK : diag_set(d, ST_EWORLD, "%s: %s", path, strerror(errno));
}

static enum st write_both(const struct calibration *c, const char *path, const struct proposal *p, struct diag *d)
{
    FILE *f;
    TRY(open_file(&f, p->figures, d));
    put_figures(c, f);
    TRY(close_file(f, p->figures, d));
    TRY(open_file(&f, path, d));
    put_scenario(c, p, f);
    return close_file(f, path, d);
}

enum st calibrate_propose(const struct calibration *c, const char *path, struct diag *d)
{
    struct proposal p = { 0 };
    size_t len = strlen(path);
    if (len < 6 || strcmp(path + len - 5, ".yaml") != 0)
        return diag_set(d, ST_EINPUT, "found '%s', expected a name that ends in .yaml", path);
    char *figures = mem_printf("%.*s.csv", (int)(len - 5), path);
    p.figures = figures;
    enum st st = find_ranges(c, &p.range, &p.n, d);
    if (st == ST_OK) st = find_rejected(c, &p.rejected, d);
    if (st == ST_OK) st = write_both(c, path, &p, d);
    mem_free(figures);
    mem_free(p.range);
    return st;
}

/* fairway check: did a guarded number leave its tolerance? */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "cmd/baseline.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/option_list.h"
#include "base/mem.h"

enum { OPT_UPDATE = 256, OPT_CREATE, OPT_TOLERANCE, OPT_CSV, OPT_JSON };

static const struct option long_opts[] = {
    { "update", no_argument, NULL, OPT_UPDATE }, { "create", no_argument, NULL, OPT_CREATE },
    { "metric", required_argument, NULL, 'm' }, { "tolerance", required_argument, NULL, OPT_TOLERANCE },
    { "csv", no_argument, NULL, OPT_CSV }, { "json", no_argument, NULL, OPT_JSON }, { 0 },
};

static const char *const usual[] = { "jct_mean", "jct_p99", "wait_mean", "jain", "rho_p95", "gpu_util" };

struct args {
    const char *db, *baseline, *tolerance;
    struct option_list metric;
    bool update, create;
    enum table_format format;
};

static int parse(struct args *a, int argc, char **argv)
{
    optind = 1;
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, ":m:", long_opts, NULL)) != -1;) {
        switch (c) {
        case 'm':           option_list_add(&a->metric, optarg); break;
        case OPT_UPDATE:    a->update = true; break;
        case OPT_CREATE:    a->create = true; break;
        case OPT_TOLERANCE: a->tolerance = optarg; break;
        case OPT_CSV:       a->format = TABLE_CSV; break;
        case OPT_JSON:      a->format = TABLE_JSON; break;
        default: return cmd_option_error(&cmd_check, c, argv);
        }
    }
    if (argc - optind != 2) return cmd_usage_error(&cmd_check, "expected a database and a baseline, found %d arguments", argc - optind);
    if (a->create && a->update) return cmd_usage_error(&cmd_check, "--create and --update exclude each other");
    if (!a->create && (a->metric.n > 0 || a->tolerance != NULL))
        return cmd_usage_error(&cmd_check, "--metric and --tolerance go with --create: a baseline names its own");
    a->db = argv[optind];
    a->baseline = argv[optind + 1];
    return 0;
}

/* "1-5 8": the runs that the mean is over. */
static void cell_runs(struct table *t, const struct compare_policy *p)
{
    char *s;
    size_t n = p != NULL ? p->n_runs : 0, at = 0, cap = n * 22 + 1;
    MEM_ARRAY(s, cap);
    s[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        size_t last = i;
        while (last + 1 < n && p->run[last + 1] == p->run[last] + 1) last++;
        at += (size_t)snprintf(s + at, cap - at, "%s%" PRId64, at > 0 ? " " : "", p->run[i]);
        if (last > i) at += (size_t)snprintf(s + at, cap - at, "-%" PRId64, p->run[last]);
        i = last;
    }
    table_cell(t, "%s", s);
    mem_free(s);
}

static void add_row(struct table *t, const struct guard *g, const struct verdict *v)
{
    table_cell(t, "%s", g->scenario);
    table_cell(t, "%s", g->policy);
    table_cell(t, "%s", g->metric);
    table_cell(t, "%s", g->scope);
    table_cell(t, "%.6g", g->value);
    if (v->now.n == 0) {
        table_cell(t, "%s", "");
        table_cell(t, "gone");
    } else {
        table_cell(t, "%.6g", v->now.mean);
        if (g->value != 0) table_cell(t, "%+.2f%%", 100 * (v->now.mean - g->value) / fabs(g->value));
        else table_cell(t, "%+.6g", v->now.mean);
    }
    table_cell(t, "%s", g->tolerance);
    cell_runs(t, v->policy);
    if (v->furthest < 0) table_cell(t, "%s", "");
    else table_cell(t, "run %" PRId64 ": %.6g", v->furthest, v->furthest_value);
}

static struct table *new_table(void)
{
    static const struct { const char *heading; bool number; } col[] = {
        { "scenario", false }, { "policy", false }, { "metric", false }, { "scope", false }, { "baseline", true },
        { "now", true }, { "change", false }, { "tolerance", false }, { "runs", false }, { "furthest off", false } };
    struct table *t = table_create();
    for (size_t i = 0; i < ARRAY_LEN(col); i++) table_column(t, col[i].heading, col[i].number);
    return t;
}

/* Judge every guarded number; print those that moved.  With update, take over what is now. */
static size_t judge(struct baseline *b, const struct compare *c, const struct args *a)
{
    struct table *t = new_table();
    size_t moved = 0;
    for (size_t i = 0; i < b->n; i++) {
        struct verdict v = baseline_judge(&b->guard[i], c);
        if (!v.moved) continue;
        moved++;
        add_row(t, &b->guard[i], &v);
        if (a->update && v.now.n > 0) b->guard[i].value = v.now.mean;
    }
    if (moved > 0 || a->format != TABLE_TEXT) table_print(t, a->format, stdout);
    table_destroy(t);
    return moved;
}

static enum st check(const struct args *a, const struct compare *c, int *status, struct diag *d)
{
    struct baseline b;
    if (a->create) {
        const char *const *metric = a->metric.n > 0 ? option_list_array(&a->metric) : usual;
        TRY(baseline_make(&b, a->baseline, c, metric, a->metric.n > 0 ? a->metric.n : ARRAY_LEN(usual),
                          a->tolerance ? a->tolerance : "1%", d));
        enum st st = baseline_write(&b, d);
        if (st == ST_OK) text_line(stdout, "%zu numbers are guarded in %s", b.n, a->baseline);
        baseline_fini(&b);
        return st;
    }
    TRY(baseline_read(&b, a->baseline, d));
    size_t moved = judge(&b, c, a);
    enum st st = a->update && moved > 0 ? baseline_write(&b, d) : ST_OK;
    if (st == ST_OK && a->format == TABLE_TEXT)
        (void)printf("%s%zu of %zu numbers moved%s\n", moved ? "\n" : "", moved, b.n,
                     a->update && moved > 0 ? "; the baseline holds what is now (numbers that are gone stay)" : "");
    *status = moved > 0 && !a->update ? 1 : 0;
    baseline_fini(&b);
    return st;
}

static int run(int argc, char **argv)
{
    struct args a = { 0 };
    struct diag d = { 0 };
    struct store *s = NULL;
    struct compare c;
    int status = parse(&a, argc, argv);
    if (status == 0) {
        enum st st = store_open_read(&s, a.db, &d);
        if (st == ST_OK && (st = compare_load(&c, s, &d)) == ST_OK) {
            st = check(&a, &c, &status, &d);
            compare_fini(&c);
        }
        if (st != ST_OK) status = cmd_fail(&d);
        if (s != NULL) store_close(s);
    }
    option_list_fini(&a.metric);
    return status;
}

const struct cmd cmd_check = {
    .name = "check", .summary = "exit 1 and a table of what moved if a number left its tolerance",
    .usage = "usage: fairway check FILE.db BASELINE.csv [--update] [--csv | --json]\n"
             "       fairway check FILE.db BASELINE.csv --create [-m METRIC,...] [--tolerance T]\n\n"
             "A baseline is a CSV file: scenario, policy, metric, scope, value, tolerance.  A value is\n"
             "the mean over seeds.  A tolerance is a percentage of it (2%), an amount (0.05), or ci: the\n"
             "value must lie in the present 95 % interval over seeds.  What moved is shown with the runs\n"
             "that it is the mean of, and the one furthest off.\n\n"
             "      --update         show what moved and take it over; exit 0\n"
             "      --create         write a baseline of what the database holds\n"
             "  -m, --metric M,...   create: guard these (default: jct_mean, jct_p99, wait_mean, jain,\n"
             "                       rho_p95, gpu_util)\n"
             "      --tolerance T    create: of every number (default 1%)\n",
    .run = run,
};

/* fairway check: did a guarded number leave its tolerance? */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "cmd/check/baseline.h"
#include "cmd/check/check_forms.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "base/mem.h"

static const char *const usual[] = { "jct_mean", "jct_p99", "wait_mean", "jain", "rho_p95", "gpu_util" };

struct args {
    const char *tolerance;
    struct option_list metric;
    bool update, create, github;
    const char *junit;
    enum table_format format;
};

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
    char note[BASELINE_NOTE];
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
    table_cell(t, "%s", baseline_note(v, note));
}

/* The number is now what it is of now: its value, its label and what that hangs on. */
static void take_over(struct guard *g, const struct verdict *v, const struct compare *c)
{
    struct baseline now = { .n = 0 };
    struct diag d = { 0 };
    if (v->now.n > 0) g->value = v->now.mean;
    const char *label = v->renamed != NULL ? v->renamed : g->policy;
    if (baseline_make(&now, "", c, (const char *const[]){ g->metric }, 1, g->tolerance, &d) != ST_OK) return;
    for (size_t i = 0; i < now.n; i++) {
        struct guard *n = &now.guard[i];
        if (strcmp(n->scenario, g->scenario) != 0 || strcmp(n->policy, label) != 0) continue;
        char *policy = g->policy, *scenario = g->scenario_hash, *trace = g->trace_hash, *spec = g->spec;
        g->policy = n->policy, g->scenario_hash = n->scenario_hash, g->trace_hash = n->trace_hash, g->spec = n->spec;
        n->policy = policy, n->scenario_hash = scenario, n->trace_hash = trace, n->spec = spec;
        if (v->renamed != NULL) {       /* of its own scope: what was made is of all */
            struct verdict again = baseline_judge(g, c);
            if (again.now.n > 0) g->value = again.now.mean;
        }
        break;
    }
    baseline_fini(&now);
}

/* What changed behind numbers that are as they were: once each. */
static void print_notes(const struct check_judged *j, size_t n)
{
    char note[BASELINE_NOTE], last[BASELINE_NOTE] = "";
    for (size_t i = 0; i < n; i++) {
        if (baseline_note(&j[i].verdict, note)[0] == '\0' || j[i].verdict.moved || strcmp(note, last) == 0) continue;
        text_line(stderr, "note: %s: %s since the baseline was made; --update takes it over", j[i].guard->scenario,
            note);
        (void)strcpy(last, note);
    }
}

/* A case of a guarded scenario's name that no row guards: what was run last may not be what is judged. */
static void print_unguarded(const struct baseline *b, const struct compare *c)
{
    for (size_t k = 0; k < c->n; k++) {
        bool is_named = false, is_guarded = false;
        for (size_t i = 0; i < b->n; i++) {
            is_guarded = is_guarded || strcmp(b->guard[i].scenario, c->at[k].title) == 0;
            for (size_t n = 0; n < c->n; n++)
                is_named = is_named || (strcmp(c->at[n].scenario, c->at[k].scenario) == 0 &&
                                        strcmp(c->at[n].title, b->guard[i].scenario) == 0);
        }
        if (is_named && !is_guarded)
            text_line(stderr, "note: %s: not guarded; the database has runs of %s with another scenario or trace, too: "
                              "check a database that has the new runs alone", c->at[k].title, c->at[k].scenario);
    }
}

/* Judge every guarded number; print those that moved.  With update, take over what is now. */
static enum st judge(struct baseline *b, const struct compare *c, const struct args *a, size_t *n_moved, struct diag *d)
{
    struct check_judged *j;
    MEM_ARRAY(j, b->n);

    struct table *t = table_of("scenario|policy|metric|scope|#baseline|#now|change|tolerance|runs|furthest off|note");
    size_t moved = 0;
    for (size_t i = 0; i < b->n; i++) {
        j[i] = (struct check_judged){ &b->guard[i], baseline_judge(&b->guard[i], c) };
        if (!j[i].verdict.moved) continue;
        moved++;
        add_row(t, j[i].guard, &j[i].verdict);
    }
    if (a->github) check_github(j, b->n, b->path, stdout);
    else if (a->format == TABLE_JSON) check_json(j, b->n, stdout);
    else if (moved > 0 || a->format != TABLE_TEXT) table_print(t, a->format, stdout);
    table_destroy(t);
    print_notes(j, b->n);
    print_unguarded(b, c);
    enum st st = a->junit != NULL ? check_junit(j, b->n, a->junit, d) : ST_OK;
    for (size_t i = 0; a->update && i < b->n; i++) take_over(&b->guard[i], &j[i].verdict, c);
    mem_free(j);
    *n_moved = moved;
    return st;
}

static enum st check(const struct args *a, const char *baseline, const struct compare *c, int *status, struct diag *d)
{
    struct baseline b;
    if (a->create) {
        const char *const *metric = a->metric.n > 0 ? option_list_array(&a->metric) : usual;
        TRY(baseline_make(&b, baseline, c, metric, a->metric.n > 0 ? a->metric.n : ARRAY_LEN(usual),
                          a->tolerance ? a->tolerance : "1%", d));
        enum st st = baseline_create(&b, d);
        if (st == ST_OK) text_line(stdout, "%zu numbers are guarded in %s", b.n, baseline);
        baseline_fini(&b);
        return st;
    }
    TRY(baseline_read(&b, baseline, d));
    size_t moved;
    enum st st = judge(&b, c, a, &moved, d);
    if (st == ST_OK && a->update) st = baseline_write(&b, d);
    if (st == ST_OK && a->format == TABLE_TEXT && !a->github)
        (void)printf("%s%zu of %zu numbers moved%s\n", moved ? "\n" : "", moved, b.n,
                     a->update && moved > 0 ? "; the baseline holds what is now (numbers that are gone stay)" : "");
    *status = moved > 0 && !a->update ? 1 : 0;
    baseline_fini(&b);
    return st;
}

static int run(void *opts, const struct cmd_args *args)
{
    struct diag d = { 0 };
    struct store *s = NULL;
    struct compare c;
    int status = 0;
    enum st st = store_open_read(&s, args->at[0], &d);
    if (st == ST_OK && (st = compare_load(&c, s, &d)) == ST_OK) {
        st = check(opts, args->at[1], &c, &status, &d);
        compare_fini(&c);
    }
    if (st != ST_OK) status = cmd_fail(&d);
    if (s != NULL) store_close(s);
    return status;
}

static const struct cmd_option options[] = {
    { "update", 0, OPTION_FLAG, NULL, "show what moved and take it over; exit 0",
      .offset = offsetof(struct args, update) },
    { "create", 0, OPTION_FLAG, NULL, "write a baseline of what the database holds; not over another",
      .offset = offsetof(struct args, create), .not_with = "update" },
    { "metric", 'm', OPTION_WORDS, "METRIC,...",
      "create: guard these (default: jct_mean, jct_p99, wait_mean, jain,\nrho_p95, gpu_util)",
      .offset = offsetof(struct args, metric), .needs = "create" },
    { "tolerance", 0, OPTION_TEXT, "T", "create: of every number (default 1%)",
      .offset = offsetof(struct args, tolerance), .needs = "create" },
    { "junit", 0, OPTION_TEXT, "FILE", "write every guarded number as a test case, in JUnit's XML, as well",
      .offset = offsetof(struct args, junit), .words = "*.xml" },
    { "github", 0, OPTION_FLAG, NULL, "what moved as annotations of GitHub's workflows, at its row of the baseline",
      .offset = offsetof(struct args, github), .not_with = "csv|json|markdown" },
    OPTION_TABLE(struct args, format, "markdown", TABLE_MARKDOWN, "Markdown"),
    OPTION_TABLE(struct args, format, "csv", TABLE_CSV, "CSV"),
    OPTION_TABLE(struct args, format, "json", TABLE_JSON, "JSON, of all guarded numbers"),
    { 0 },
};

const struct cmd cmd_check = {
    .name = "check", .summary = "exit 1 and a table of what moved if a number left its tolerance",
    .synopsis = "FILE.db BASELINE.csv [--update] [OPTIONS]\n"
                "FILE.db BASELINE.csv --create [-m METRIC,...] [--tolerance T]",
    .about = "A baseline is a CSV file: scenario, policy, metric, scope, value, tolerance.  A value is\n"
             "the mean over seeds.  A tolerance is a percentage of it (2%), an amount (0.05), or ci: the\n"
             "value must lie in the present 95 % interval over seeds.  What moved is shown with the runs\n"
             "that it is the mean of, and the one furthest off.\n",
    .option = options, .size = sizeof(struct args),
    .expected = "a database and a baseline", .min_args = 2, .max_args = 2, .arg = { "*.db", "*.csv" }, .run = run,
};

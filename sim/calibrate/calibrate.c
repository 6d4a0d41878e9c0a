/* calibrate.c -- the runs of a case that has the record and others beside it, their facts, and the tables of these. */
#include "calibrate/calibrate.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "compare/compare.h"
#include "db/select.h"

/* ---- facts ---- */

void calibrate_add(struct calibration *c, const char *section, const char *policy, double value, const char *unit,
                   const char *of, ...)
{
    if (isnan(value)) return;
    va_list ap;
    va_start(ap, of);
    char *text = mem_vprintf(of, ap);
    va_end(ap);
    MEM_PUSH(c->fact, c->n_facts, c->cap_facts, (struct calibrate_fact){ section, text, policy, unit, value });
}

double calibrate_value(const struct calibration *c, const char *section, const char *of, const char *policy)
{
    for (size_t i = 0; i < c->n_facts; i++) {
        const struct calibrate_fact *f = &c->fact[i];
        if (strcmp(f->section, section) == 0 && strcmp(f->of, of) == 0 && strcmp(f->policy, policy) == 0)
            return f->value;
    }
    return NAN;
}

/* ---- tables ---- */

static int digits(double x)
{
    const double a = fabs(x);
    if (a == floor(a) && a < 1e9) return 0;
    return a >= 100 ? 1 : a >= 1 ? 2 : 4;
}

/* A row for each `of` of the section, in the order in which they were added; a column for each policy that has any. */
static void print_section(const struct calibration *c, const char *section, const char *heading,
                          const char *const *column, size_t n, enum table_format f, FILE *to)
{
    struct table *t = table_create();
    table_column(t, heading, false);
    for (size_t p = 0; p < n; p++) table_column(t, column[p], true);
    table_column(t, "unit", false);
    for (size_t i = 0; i < c->n_facts; i++) {
        const struct calibrate_fact *x = &c->fact[i];
        bool is_first = strcmp(x->section, section) == 0;
        for (size_t k = 0; k < i && is_first; k++)
            is_first = strcmp(c->fact[k].section, section) != 0 || strcmp(c->fact[k].of, x->of) != 0;
        if (!is_first) continue;
        const char *unit = "";
        table_cell(t, "%s", x->of);
        for (size_t p = 0; p < n; p++) {
            const double value = calibrate_value(c, section, x->of, column[p]);
            if (isnan(value)) table_cell(t, "-");
            else table_cell(t, "%.*f", digits(value), value);
        }
        for (size_t k = i; k < c->n_facts; k++)
            if (strcmp(c->fact[k].section, section) == 0 && strcmp(c->fact[k].of, x->of) == 0) unit = c->fact[k].unit;
        table_cell(t, "%s", unit);
    }
    table_end(t, f, to);
}

/* The test that the most of the idle waiting passes, in words. */
static void print_verdict(const struct calibration *c, FILE *to)
{
    static const struct { const char *of, *words; } test[] = {
        { "idle_above_most", "there is less than described" },
        { "idle_user_limit", "a limit on what one user may hold" },
        { "idle_queue_limit", "limits of queues or partitions" },
        { "idle_no_starts", "reservations or maintenance" },
    };
    const char *as = c->policy[0].label;
    const double idle = calibrate_value(c, "cause", "idle", as);
    size_t best = 0;
    double most = 0;
    for (size_t i = 0; i < ARRAY_LEN(test); i++) {
        const double x = calibrate_value(c, "cause", test[i].of, as);
        if (x > most) { most = x; best = i; }
    }
    static const char *const held[][2] = { { "cpu_most", "CPUs" }, { "gpu_most", "GPUs" } };
    for (size_t i = 0; i < ARRAY_LEN(held); i++) {
        const double x = calibrate_value(c, "cause", held[i][0], as);
        if (x > 1)
            text_line(to, "The record held %.2f times the described %s at once: there were more.", x, held[i][1]);
    }
    if (isnan(idle)) return;
    text_line(to, "The described capacity explains %.1f %% to %.1f %% of the waiting (full; explained).",
              100 * calibrate_value(c, "cause", "full", as), 100 * (1 - idle));
    if (!(idle > 0)) return;
    if (most > 0)
        text_line(to, "Of the rest %.1f %% may be due to this (%s): %s.", 100 * most / idle, test[best].of,
                  test[best].words);
    text_line(to, "No test here explains %.1f %% of the rest.",
              100 * calibrate_value(c, "cause", "idle_unexplained", as) / idle);
}

static void print_tables(const struct calibration *c, enum table_format f, FILE *to)
{
    const char **column;
    MEM_ARRAY(column, c->n_policies + 1);
    column[0] = "jobs";
    for (size_t p = 0; p < c->n_policies; p++) column[p + 1] = c->policy[p].label;
    text_line(to, "%s: waits for the first start, recorded and simulated", c->title);
    (void)fputc('\n', to);
    print_section(c, "waits", "figure", column + 1, c->n_policies, f, to);
    (void)fprintf(to, "\nMean waits by class, by user (those with the most jobs) and by hour of day at arrival:\n\n");
    print_section(c, "groups", "jobs of", column, c->n_policies + 1, f, to);
    (void)fprintf(to, "\nUtilisation, means of samples in tenths of the record:\n\n");
    if (isnan(calibrate_value(c, "use", "cpu_util from 0.0 h", column[1])))
        (void)fprintf(to, "none were taken: output.sample_every\n");
    else print_section(c, "use", "share held", column + 1, c->n_policies, f, to);
    (void)fprintf(to, "\nWhat the recorded waiting is due to (shares of it, and what was held at most):\n\n");
    print_section(c, "cause", "figure", column + 1, 1, f, to);
    (void)fputc('\n', to);
    print_verdict(c, to);
    mem_free(column);
}

/* For programs: a row a fact. */
static void print_long(const struct calibration *c, enum table_format f, FILE *to)
{
    struct table *t = table_of("scenario|section|of|policy|#value|unit");
    for (size_t i = 0; i < c->n_facts; i++) {
        const struct calibrate_fact *x = &c->fact[i];
        const bool is_count = strcmp(x->policy, "jobs") == 0 && strcmp(x->section, "groups") == 0;
        table_cell(t, "%s", c->title);
        table_cell(t, "%s", x->section);
        table_cell(t, "%s%s", is_count ? "jobs " : "", x->of);
        table_cell(t, "%s", is_count ? "" : x->policy);
        table_cell(t, "%.12g", x->value);
        table_cell(t, "%s", x->unit);
    }
    table_end(t, f, to);
}

/* ---- the runs ---- */

static enum st choose_case(const struct compare *c, const char *title, const struct compare_case **k, struct diag *d)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (title != NULL ? strcmp(c->at[i].title, title) != 0 : compare_recorded(&c->at[i]) == NULL) continue;
        *k = &c->at[i];
        n++;
    }
    if (n == 1 && compare_recorded(*k) != NULL) return ST_OK;
    if (n > 1) {
        (void)diag_set(d, ST_EINPUT, "the database has records of %zu scenarios; choose one", n);
        return diag_hint(d, "--scenario '%s', for example", (*k)->title);
    }
    if (title != NULL && n == 0)
        return diag_set(d, ST_EINPUT, "the database has no finished run of a scenario '%s'", title);
    (void)diag_set(d, ST_EINPUT, "the database has no finished run of policy 'recorded'");
    return diag_hint(d, "`fairway run SCENARIO.yaml -p recorded` adds it");
}

static void add_policy(struct calibration *c, const struct compare_policy *p)
{
    MEM_PUSH(c->policy, c->n_policies, c->cap_policies, (struct calibrate_policy){ p->label, p->spec, p->run[0] });
}

static enum st choose_policies(struct calibration *c, const struct compare_case *k, const char *label, struct diag *d)
{
    const struct compare_policy *record = compare_recorded(k);
    size_t only = 0;
    add_policy(c, record);
    if (label != NULL) {
        TRY(compare_find(k, label, &only, d));
        if (&k->policy[only] == record) return diag_set(d, ST_EINPUT, "'%s' is the record itself", label);
    }
    for (size_t i = 0; i < k->n_policies; i++)
        if (&k->policy[i] != record && (label == NULL || i == only)) add_policy(c, &k->policy[i]);
    if (c->n_policies > 1) return ST_OK;
    (void)diag_set(d, ST_EINPUT, "the database has no other policy of '%s' to set beside the record", k->title);
    return diag_hint(d, "`fairway run SCENARIO.yaml -p easy` adds one");
}

static void fini(struct calibration *c)
{
    for (size_t i = 0; i < c->n_facts; i++) mem_free(c->fact[i].of);
    intern_fini(&c->class);
    intern_fini(&c->user);
    intern_fini(&c->queue);
    MEM_FREE(c->policy, c->job, c->wait, c->fact);
}

static enum st of_case(struct calibration *c, const struct compare_case *k, const struct calibrate_opts *o,
                       struct diag *d)
{
    c->title = k->title;
    c->scenario_text = k->text;
    TRY(choose_policies(c, k, o->policy, d));
    for (size_t p = 0; p < c->n_policies; p++) TRY(select_jobs_kept(c->store, c->policy[p].run, d));
    TRY(calibrate_load_jobs(c, d));
    TRY(calibrate_waits(c, d));
    TRY(calibrate_cause(c, d));
    return o->search != NULL ? calibrate_propose(c, o->search, d) : ST_OK;
}

enum st calibrate(struct store *s, const struct calibrate_opts *o, FILE *to, struct diag *d)
{
    struct compare all;
    struct calibration c = { .store = s };
    const struct compare_case *k = NULL;
    TRY(compare_load(&all, s, d));
    enum st st = choose_case(&all, o->scenario, &k, d);
    if (st == ST_OK) st = compare_check_rows(&all, k, d);
    if (st == ST_OK) st = of_case(&c, k, o, d);
    if (st == ST_OK && (o->format == TABLE_CSV || o->format == TABLE_JSON)) print_long(&c, o->format, to);
    else if (st == ST_OK) print_tables(&c, o->format, to);
    if (st == ST_OK && o->search != NULL && o->format != TABLE_CSV && o->format != TABLE_JSON)
        text_line(to, "Proposed: fairway search %s", o->search);
    fini(&c);
    compare_fini(&all);
    return st;
}

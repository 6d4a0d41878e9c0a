/* tell.c -- the tables that a search ends with. */
#include <math.h>
#include <string.h>
#include <sqlite3.h>
#include "base/mem.h"
#include "base/table.h"
#include "compare/metric_info.h"
#include "db/query.h"
#include "search/promise.h"
#include "search/race.h"
#include "search/space.h"
#include "search/tell.h"

void tell_name(FILE *to, const struct targets *t, size_t i)
{
    const struct published_row *r = &t->at[i].row;
    (void)fprintf(to, "%s of %s%s%s", r->metric, r->policy, r->against[0] != '\0' ? " : " : "", r->against);
    if (r->scope != NULL && strcmp(r->scope, "all") != 0) (void)fprintf(to, ", %s", r->scope);
}

void tell_interval(FILE *to, const struct stats_ci *c)
{
    if (isfinite(c->half)) (void)fprintf(to, "%.4g [%.4g, %.4g]", c->mean, c->lo, c->hi);
    else (void)fprintf(to, "%.4g (no interval)", c->mean);
}

void tell_cell(struct table *t, const struct stats_ci *c, const char *unit)
{
    if (isfinite(c->half)) table_cell(t, "%.4g%s [%.4g, %.4g]", c->mean, unit, c->lo, c->hi);
    else table_cell(t, "%.4g%s (no interval)", c->mean, unit);
}

void tell_sentence(char *words, FILE *to)
{
    if (words[0] >= 'a' && words[0] <= 'z') words[0] = (char)(words[0] - 'a' + 'A');
    table_sentence(words, TABLE_TEXT, to);
}

static void cell_number(struct table *t, double x)
{
    if (isnan(x)) table_cell(t, "%s", "");
    else table_cell(t, "%.4g", x);
}

/* ---- the best sets ---- */

static void tell_best(const struct search *s, FILE *to)
{
    const struct search_spec *spec = s->trial.spec;
    struct table *t = table_create();
    table_column(t, "set", true);
    table_column(t, "phase", false);
    table_column(t, "objective", true);
    if (spec->n_limits > 0) table_column(t, "over limits", true);
    table_column(t, "fresh seeds", true);
    for (size_t v = 0; v < spec->n_variables; v++) table_column(t, spec->variable[v].name, true);
    for (size_t i = 0; i < s->n_fresh; i++) {
        const struct trial_set *x = s->ranked[i];
        table_cell(t, "%zu", x->number);
        table_cell(t, "%s", trial_phase_name[x->phase]);
        cell_number(t, x->objective);
        if (spec->n_limits > 0) cell_number(t, x->excess);
        cell_number(t, s->fresh[i]->objective);
        for (size_t v = 0; v < spec->n_variables; v++) table_cell(t, "%s", x->value[v]);
    }
    if (s->ranked[0]->excess > 0)
        (void)fprintf(
            to, "\nNo set keeps every limit; the nearest ones (over limits: by how much of the bounds, summed):\n\n");
    else
        (void)fprintf(to, "\nThe best sets, by the seeds of the search and by seeds that it never used:\n\n");
    table_end(t, TABLE_TEXT, to);
    if (spec->n_fresh == spec->n_seeds && s->fresh[0]->digest == s->ranked[0]->digest)
        (void)fprintf(to, "\nNothing here is drawn from the seed: fresh seeds give equal runs.\n");
}

/* ---- what each variable did ---- */

/* The objective where this variable alone is at an end; NaN where it has none. */
static double end_objective(const struct search *s, size_t variable, const char *value)
{
    const struct search_spec *spec = s->trial.spec;
    for (size_t i = 0; i < s->n_sets; i++) {
        const struct trial_set *x = s->set[i];
        bool is_it = x->error == NULL && (x->phase == TRIAL_END || x->phase == TRIAL_MIDDLE) &&
                     strcmp(x->value[variable], value) == 0;
        for (size_t v = 0; v < spec->n_variables && is_it; v++)
            is_it = v == variable || strcmp(x->value[v], s->set[0]->value[v]) == 0;
        if (is_it) return x->objective;
    }
    return NAN;
}

static void tell_variables(const struct search *s, FILE *to)
{
    const struct search_spec *spec = s->trial.spec;
    struct table *t = table_of("variable|#from|#objective|#to|#objective|#rank correlation|#share of variance");
    for (size_t v = 0; v < spec->n_variables; v++) {
        char *from = space_value(&spec->variable[v], 0), *last = space_value(&spec->variable[v], 1);
        table_cell(t, "%s", spec->variable[v].name);
        table_cell(t, "%s", from);
        cell_number(t, end_objective(s, v, from));
        table_cell(t, "%s", last);
        cell_number(t, end_objective(s, v, last));
        if (isnan(s->effect[v].correlation)) table_cell(t, "%s", "");
        else table_cell(t, "%+.2f", s->effect[v].correlation);
        if (isnan(s->effect[v].share)) table_cell(t, "%s", "");
        else table_cell(t, "%.0f%%", 100 * s->effect[v].share);
        mem_free(from);
        mem_free(last);
    }
    (void)fprintf(
        to,
        "\nWhat each variable did: the objective at its ends, the others in the middle (%.4g there); over the %zu "
        "samples, the\n"
        "rank correlation with the objective, and the share of its variance that the variable alone explains:\n\n",
        s->set[0]->objective, s->n_by_phase[TRIAL_SAMPLE]);
    table_end(t, TABLE_TEXT, to);
}

/* ---- how far off ---- */

static void cell_of(struct table *t, const struct targets *a, const struct target *x)
{
    table_cell(t, "%s%s%s%s%s", a->n_scenarios > 1 ? a->scenario[x->scenario].name : "", a->n_scenarios > 1 ? "/" : "",
               x->row.policy, x->row.against[0] != '\0' ? " : " : "", x->row.against);
}

static void cell_wanted(struct table *t, const struct target *x)
{
    const struct published_row *r = &x->row;
    if (r->is == '?') table_cell(t, "%s", "");
    else if (x->role == TARGET_LIMIT) table_cell(t, "%s %.4g", r->is == '<' ? "at most" : "at least", r->value);
    else if (r->is == '~') table_cell(t, "%.4g \u00b1%.4g", r->value, r->within);
    else table_cell(t, "%s%.4g", r->is == '=' ? "" : r->is == '<' ? "< " : "> ", r->value);
}

static void cell_verdict(struct table *t, const struct target *x, double ours)
{
    if (isnan(ours) || x->row.is == '?') table_cell(t, "%s", "");
    else if (x->row.is == '=' && fabs(x->row.value) > 0) table_cell(t, "%+.1f%%", 100 * (ours / x->row.value - 1));
    else if (x->row.is == '=') table_cell(t, "%+.4g", ours);       /* a share of 0 is none */
    else if (x->role == TARGET_LIMIT)
        table_cell(t, "%s", (x->row.is == '<' ? ours <= x->row.value : ours >= x->row.value) ? "yes" : "NO");
    else table_cell(t, "%s", published_holds(&x->row, ours) ? "yes" : "NO");
}

static void tell_targets(const struct search *s, FILE *to)
{
    const struct targets *a = s->trial.targets;
    const struct trial_set *best = s->ranked[0], *fresh = s->fresh[0];
    struct table *t = table_of("metric|of|#wanted|#ours|#agrees|#fresh seeds|#agrees|source");
    double sum = 0, most = 0;
    size_t n_figures = 0, n_statements = 0, n_hold = 0;
    for (size_t i = 0; i < a->n; i++) {
        const struct target *x = &a->at[i];
        double e = x->role == TARGET_FIGURE ? target_error(a, i, best->ours[i]) : NAN;
        table_cell(t, "%s", x->row.metric);
        cell_of(t, a, x);
        cell_wanted(t, x);
        cell_number(t, best->ours[i]);
        cell_verdict(t, x, best->ours[i]);
        cell_number(t, fresh->ours[i]);
        cell_verdict(t, x, fresh->ours[i]);
        table_cell(t, "%s", x->row.source);
        if (x->role != TARGET_FIGURE || isnan(e)) continue;
        if (x->row.is != '=') { n_statements++; n_hold += published_holds(&x->row, best->ours[i]); continue; }
        sum += e;
        most = e > most ? e : most;
        n_figures++;
    }
    (void)fprintf(to, "\nSet %zu, and what was wanted:\n\n", best->number);
    table_end(t, TABLE_TEXT, to);
    if (n_figures > 0)
        (void)fprintf(to, "\n%zu figure%s: %.1f%% off in the mean, %.1f%% at most.", n_figures,
                      n_figures == 1 ? "" : "s", 100 * sum / (double)n_figures, 100 * most);
    if (n_statements > 0)
        (void)fprintf(to, "%s%zu of %zu statements hold.", n_figures > 0 ? " " : "\n", n_hold, n_statements);
    if (n_figures + n_statements > 0) (void)fputc('\n', to);
    if (a->n_skipped > 0)
        (void)fprintf(to, "%zu published figures are of policies that the scenarios do not name.\n", a->n_skipped);
}

/* ---- jobs that did not end as they should ---- */

enum st tell_troubles(const struct search *s, const struct trial_set *x, FILE *to, struct diag *d)
{
    for (size_t i = 0; i < METRIC_TROUBLES; i++) {
        double sum = 0;
        for (size_t k = 0; k < x->n_runs; k++) {
            sqlite3_stmt *q;
            TRY(query_run(s->trial.store, x->run[k].id,
                          "SELECT value FROM metric WHERE run = ?1 AND name = ?2 AND scope = 'all'", &q, d));
            (void)sqlite3_bind_text(q, 2, metric_info_troubles[i].metric, -1, SQLITE_STATIC);
            if (sqlite3_step(q) == SQLITE_ROW) sum += sqlite3_column_double(q, 0);
            TRY(query_end(s->trial.store, q, d));
        }
        if (sum > 0)
            (void)fprintf(to, "\nIn the %zu runs of set %zu, jobs %s: %.0f.\n", x->n_runs, x->number,
                          metric_info_troubles[i].heading, sum);
    }
    return ST_OK;
}

enum st search_tell(const struct search *s, FILE *to, struct diag *d)
{
    if (s->trial.spec->method == SEARCH_SIZE) return promise_tell(s, to, d);
    if (s->trial.spec->method == SEARCH_RACE) return race_tell(s, to, d);
    const size_t *n = s->n_by_phase;
    size_t n_failed = 0, first = 0;
    for (size_t i = s->n_ranked; i-- > 0;) if (s->set[i]->error != NULL) { n_failed++; first = i; }
    (void)fprintf(
        to, "%zu sets of %zu runs: 1 in the middle, %zu at the ends of a variable, %zu drawn, %zu by simplexes\n",
        s->n_ranked, trial_n_runs(&s->trial, s->trial.spec->n_seeds), n[TRIAL_END], n[TRIAL_SAMPLE], n[TRIAL_SIMPLEX]);
    if (n_failed > 0)
        (void)fprintf(to, "%zu set%s no objective; set %zu: %s\n", n_failed, n_failed == 1 ? " has" : "s have",
                      s->set[first]->number, s->set[first]->error);
    tell_best(s, to);
    tell_variables(s, to);
    tell_targets(s, to);
    return tell_troubles(s, s->ranked[0], to, d);
}

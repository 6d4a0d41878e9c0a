/* search.c -- the phases of a search, and its budget. */
#include "search/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "search/effect.h"
#include "search/minimise.h"
#include "search/promise.h"
#include "search/race.h"
#include "search/space.h"

/* Sets of one batch: the text of a batch is an argument of Slurm's tasks, which may have 128 KiB; with a budget in
 * minutes the clock is looked at between batches. */
enum { BATCH = 64, TIMED_BATCH = 16 };
/* Groups by which a variable's share of the variance is found; those of a list are its entries. */
enum { GROUPS = 5 };
/* A simplex that is smaller has closed; its first step along a side. */
static const double SIZE = 0.002, STEP = 0.15;

/* ---- sets ---- */

static bool same_values(const struct search *s, const struct trial_set *a, const struct trial_set *b)
{
    for (size_t i = 0; i < s->trial.spec->n_variables; i++) if (strcmp(a->value[i], b->value[i]) != 0) return false;
    return true;
}

static struct trial_set *add(struct search *s, struct trial_set *x)
{
    MEM_RESERVE(s->set, s->cap_sets, s->n_sets + 1);
    x->number = s->n_sets + 1;
    s->n_by_phase[x->phase]++;
    return s->set[s->n_sets++] = x;
}

struct trial_set *search_set_at(struct search *s, enum trial_phase phase, const double *at, bool *is_new)
{
    struct trial_set *x = trial_set_create(&s->trial, phase, at);
    *is_new = false;
    for (size_t i = 0; i < s->n_sets; i++)
        if (same_values(s, s->set[i], x)) {
            trial_set_destroy(&s->trial, x);
            return s->set[i];
        }
    *is_new = true;
    return add(s, x);
}

struct trial_set *search_fresh_of(struct search *s, const struct trial_set *of)
{
    struct trial_set *x = trial_set_create(&s->trial, TRIAL_FRESH, of->at);
    x->of = of->number;
    if (s->trial.spec->method == SEARCH_SIZE) x->objective = of->objective;     /* its cost, which no seed changes */
    return add(s, x);
}

void search_drop_last(struct search *s)
{
    s->n_by_phase[s->set[s->n_sets - 1]->phase]--;
    trial_set_destroy(&s->trial, s->set[--s->n_sets]);
}

/* What is minimised: any set that keeps the limits is below any that does not. */
static double rank_of(const struct search *s, const struct trial_set *x)
{
    if (x->error != NULL) return 1e200;
    if (x->excess > 0) return 1e100 * (1 + x->excess);
    return s->trial.spec->maximise ? -x->objective : x->objective;
}

int search_order(const struct search *s, const struct trial_set *a, const struct trial_set *b)
{
    double x = rank_of(s, a), y = rank_of(s, b);
    if (x < y || x > y) return x < y ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* ---- trying them ---- */

static bool is_late(const struct search *s)
{
    double budget_s = s->trial.spec->budget_s;
    return budget_s > 0 && progress_clock() - s->began > budget_s;
}

/* How many more sets the budget pays. */
static size_t n_affordable(const struct search *s)
{
    const struct search_spec *spec = s->trial.spec;
    if (spec->budget_runs == 0) return SEARCH_SETS_MAX;
    uint64_t left = spec->budget_runs > s->n_runs ? spec->budget_runs - s->n_runs : 0;
    uint64_t n = left / trial_n_runs(&s->trial, spec->n_seeds);
    return n < SEARCH_SETS_MAX ? (size_t)n : SEARCH_SETS_MAX;
}

/* Try the sets from `first` on; those that the budget does not pay are dropped, but never the very first. */
static enum st try_from(struct search *s, size_t first, struct diag *d)
{
    const struct search_spec *spec = s->trial.spec;
    while (first < s->n_sets) {
        size_t most = n_affordable(s), n = s->n_sets - first, batch = spec->budget_s > 0 ? TIMED_BATCH : BATCH;
        if (n > batch) n = batch;
        if (n > most) n = most;
        s->is_over = s->is_over || n == 0 || (first > 0 && is_late(s));
        if (s->is_over) break;
        TRY(trial_do(&s->trial, &s->set[first], n, spec->seed, spec->n_seeds, d));
        TRY(keep_sets(&s->trial, s->id, &s->set[first], n, d));
        s->n_runs += n * trial_n_runs(&s->trial, spec->n_seeds);
        first += n;
    }
    while (s->n_sets > first) search_drop_last(s);
    return ST_OK;
}

bool search_pay(struct search *s, size_t n_sets, size_t n_seeds)
{
    const struct search_spec *spec = s->trial.spec;
    const uint64_t n = n_sets * trial_n_runs(&s->trial, n_seeds);
    s->is_over = s->is_over || (spec->budget_runs > 0 && s->n_runs + n > spec->budget_runs) ||
                 (s->n_runs > 0 && is_late(s));
    if (!s->is_over) s->n_runs += n;
    return !s->is_over;
}

/* ---- 1: the middle and the ends ---- */

static size_t n_ends(const struct search_variable *v) { return v->n_values > 0 ? v->n_values : 2; }

/* End k of a variable: the ends of a range are its first and last value. */
static double end_at(const struct search_variable *v, size_t k)
{
    if (v->n_values > 0) return space_at(v, k);
    return (double)k;
}

static struct trial_set *end_set(struct search *s, size_t variable, size_t k, bool *is_new)
{
    const struct search_spec *spec = s->trial.spec;
    double *at;
    MEM_ARRAY(at, spec->n_variables);
    for (size_t i = 0; i < spec->n_variables; i++) at[i] = 0.5;
    at[variable] = end_at(&spec->variable[variable], k);
    struct trial_set *x = search_set_at(s, TRIAL_END, at, is_new);
    mem_free(at);
    return x;
}

enum st search_check_metrics(const struct search *s, const struct trial_set *x, struct diag *d)
{
    const struct targets *t = s->trial.targets;
    struct compare c;
    if (x->n_runs == 0) return ST_OK;
    TRY(compare_load_runs(&c, s->trial.store, x->run, x->n_runs, d));
    for (size_t i = 0; i < t->n && d->code == ST_OK; i++) {
        const struct search_metric *m = t->at[i].asked;
        struct diag own = { 0 };
        if (!isnan(x->ours[i]) ||
            compare_check_metric(&c, t->at[i].row.metric, t->at[i].row.scope != NULL ? t->at[i].row.scope : "all",
                                 &own) == ST_OK)
            continue;
        if (m != NULL) (void)ydoc_error(m->node, d, "%s", own.msg);
        else (void)ydoc_error(s->trial.spec->figures_node, d, "%s", own.msg);
        if (own.hint[0] != '\0') (void)diag_hint(d, "%s", own.hint);
    }
    compare_fini(&c);
    return d->code;
}

static bool same_end(const struct trial_set *a, const struct trial_set *b)
{
    bool same_objective = a->error == NULL && b->error == NULL && fabs(a->objective - b->objective) <= 0 &&
                          fabs(a->excess - b->excess) <= 0;
    return same_objective && a->digest == b->digest;
}

static enum st check_effect(struct search *s, size_t variable, struct diag *d)
{
    const struct search_variable *v = &s->trial.spec->variable[variable];
    bool is_new;
    for (size_t k = 0; k < n_ends(v); k++)
        if (!same_end(end_set(s, variable, k, &is_new), s->set[0])) return ST_OK;
    (void)ydoc_key_error(v->node, d, "'%s' has no effect: every run is the same with %s as with %s, event for event",
                         v->name, end_set(s, variable, 0, &is_new)->value[variable],
                         end_set(s, variable, n_ends(v) - 1, &is_new)->value[variable]);
    return diag_hint(d,
                     "the other variables were in the middle of their ranges; take it out, or set what makes it count");
}

static enum st check_budget(const struct search *s, size_t n_first, struct diag *d)
{
    const struct search_spec *spec = s->trial.spec;
    size_t per = trial_n_runs(&s->trial, spec->n_seeds);
    if (spec->budget_runs == 0 || spec->budget_runs >= (n_first + 2) * per) return ST_OK;
    return ydoc_error(spec->budget_node, d,
                      "found a budget of %llu runs, expected at least %zu: a set takes %zu, and before any is"
                      " drawn %zu are tried, the middle and each variable's ends",
                      (unsigned long long)spec->budget_runs, (n_first + 2) * per, per, n_first);
}

static enum st try_ends(struct search *s, struct diag *d)
{
    const struct search_spec *spec = s->trial.spec;
    bool is_new;
    double *at;
    size_t n_first = 1;
    for (size_t i = 0; i < spec->n_variables; i++) n_first += n_ends(&spec->variable[i]);
    TRY(check_budget(s, n_first, d));
    MEM_ARRAY(at, spec->n_variables);
    for (size_t i = 0; i < spec->n_variables; i++) at[i] = 0.5;
    (void)search_set_at(s, TRIAL_MIDDLE, at, &is_new);
    mem_free(at);
    TRY(trial_check_params(&s->trial, d));
    TRY(trial_check(&s->trial, s->set[0], d));
    TRY(try_from(s, 0, d));
    TRY(search_check_metrics(s, s->set[0], d));
    for (size_t i = 0; i < spec->n_variables; i++)
        for (size_t k = 0; k < n_ends(&spec->variable[i]); k++) (void)end_set(s, i, k, &is_new);
    TRY(try_from(s, 1, d));
    for (size_t i = 0; i < spec->n_variables && !s->is_over; i++) TRY(check_effect(s, i, d));
    return ST_OK;
}

/* ---- 2: the hypercube ---- */

static enum st try_samples(struct search *s, struct diag *d)
{
    const struct search_spec *spec = s->trial.spec;
    size_t n = spec->samples, first = s->n_sets, most = n_affordable(s);
    double *u;
    bool is_new;
    if (n == 0 && spec->budget_runs == 0) n = 10 * spec->n_variables;
    if (n == 0) n = spec->starts > 0 ? most - most / 3 : most;      /* two thirds, and the rest for simplexes */
    if (n > most) n = most;
    if (s->is_over || n == 0) return ST_OK;
    MEM_ARRAY(u, n * spec->n_variables);
    space_hypercube(spec->draw, n, spec->n_variables, u);
    for (size_t i = 0; i < n; i++) (void)search_set_at(s, TRIAL_SAMPLE, &u[i * spec->n_variables], &is_new);
    mem_free(u);
    return try_from(s, first, d);
}

/* ---- 3: simplexes ---- */

struct descent { struct search *s; struct diag *d; enum st st; size_t n_asked; };

static int ask(void *ctx, const double *x, double *y)
{
    struct descent *a = ctx;
    bool is_new;
    struct trial_set *set = search_set_at(a->s, TRIAL_SIMPLEX, x, &is_new);
    if (is_new) {
        size_t n = a->s->n_sets;
        a->st = try_from(a->s, n - 1, a->d);
        if (a->st != ST_OK || a->s->n_sets < n) return -1;
    }
    *y = rank_of(a->s, set);
    return ++a->n_asked > 200 * a->s->trial.spec->n_variables ? -1 : 0;
}

/* The best of the first n sets, those of no simplex, that none began from. */
static struct trial_set *next_start(const struct search *s, size_t n, const bool *is_taken)
{
    struct trial_set *best = NULL;
    for (size_t i = 0; i < n; i++) {
        struct trial_set *x = s->set[i];
        if (x->error != NULL || is_taken[i]) continue;
        if (best == NULL || search_order(s, x, best) < 0) best = x;
    }
    return best;
}

/* The corners of a simplex can be tried at once; minimise() then asks for them one after the other. */
static enum st try_corners(struct search *s, const double *start, const double *step, struct diag *d)
{
    const size_t n = s->trial.spec->n_variables, first = s->n_sets;
    double *x;
    bool is_new;
    MEM_ARRAY(x, n);
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; i < n; i++) x[i] = space_fold(start[i] + (i == k ? step[i] : 0));
        (void)search_set_at(s, TRIAL_SIMPLEX, x, &is_new);
    }
    mem_free(x);
    return try_from(s, first, d);
}

static enum st descend(struct search *s, const struct trial_set *from, struct diag *d)
{
    const struct search_spec *spec = s->trial.spec;
    struct descent a = { .s = s, .d = d };
    double *step, *best, *start, y;
    MEM_ARRAY(step, spec->n_variables);
    MEM_ARRAY(best, spec->n_variables);
    MEM_ARRAY(start, spec->n_variables);
    for (size_t i = 0; i < spec->n_variables; i++) {
        size_t n = space_choices(&spec->variable[i]);
        double least = n > 0 ? 1.0 / (double)n : 0;     /* a step that changes nothing would teach nothing */
        start[i] = from->at[i];
        step[i] = (least > STEP ? least : STEP) * (from->at[i] > 0.5 ? -1 : 1);
    }
    a.st = try_corners(s, start, step, d);
    if (a.st == ST_OK && !s->is_over) minimise(spec->n_variables, start, step, SIZE, ask, &a, best, &y);
    mem_free(step);
    mem_free(best);
    mem_free(start);
    return a.st;
}

static enum st try_simplexes(struct search *s, struct diag *d)
{
    const size_t n_others = s->n_sets;
    bool *is_taken;
    enum st st = ST_OK;
    MEM_ARRAY(is_taken, n_others);
    for (size_t k = 0; k < s->trial.spec->starts && !s->is_over && st == ST_OK; k++) {
        const struct trial_set *from = next_start(s, n_others, is_taken);
        if (from == NULL) break;
        is_taken[from->number - 1] = true;
        st = descend(s, from, d);
    }
    mem_free(is_taken);
    return st;
}

/* ---- 4: the best again ---- */

static const struct search *sorted;

static int by_order(const void *a, const void *b)
{
    return search_order(sorted, *(struct trial_set *const *)a, *(struct trial_set *const *)b);
}

static enum st try_fresh(struct search *s, struct diag *d)
{
    const struct search_spec *spec = s->trial.spec;
    s->n_ranked = s->n_sets;
    MEM_ARRAY(s->ranked, s->n_ranked);
    memcpy(s->ranked, s->set, s->n_ranked * sizeof *s->ranked);
    sorted = s;
    qsort(s->ranked, s->n_ranked, sizeof *s->ranked, by_order);
    MEM_ARRAY(s->fresh, spec->best);
    while (s->n_fresh < spec->best && s->n_fresh < s->n_ranked && s->ranked[s->n_fresh]->error == NULL) {
        s->fresh[s->n_fresh] = search_fresh_of(s, s->ranked[s->n_fresh]);
        s->n_fresh++;
    }
    if (s->n_fresh == 0) return ST_OK;
    TRY(trial_do(&s->trial, s->fresh, s->n_fresh, spec->fresh_seed, spec->n_fresh, d));
    return keep_sets(&s->trial, s->id, s->fresh, s->n_fresh, d);
}

/* ---- what each variable did ---- */

static void find_effects(struct search *s)
{
    const struct search_spec *spec = s->trial.spec;
    double *x, *y;
    size_t *group;
    MEM_ARRAY(x, s->n_sets);
    MEM_ARRAY(y, s->n_sets);
    MEM_ARRAY(group, s->n_sets);
    for (size_t v = 0; v < spec->n_variables; v++) {
        size_t n = 0, choices = spec->variable[v].n_values, n_groups = choices > 0 ? choices : GROUPS;
        for (size_t i = 0; i < s->n_sets; i++) {
            const struct trial_set *t = s->set[i];
            if (t->phase != TRIAL_SAMPLE || t->error != NULL) continue;
            x[n] = t->at[v];
            group[n] = (size_t)(t->at[v] * (double)n_groups);
            if (group[n] == n_groups) group[n]--;
            y[n++] = t->objective;
        }
        s->effect[v] = (struct keep_effect){ effect_correlation(x, y, n), effect_share(group, n_groups, y, n) };
    }
    mem_free(x);
    mem_free(y);
    mem_free(group);
}

/* ---- the whole ---- */

enum st search_run(struct search *s, const struct trial *t, struct diag *d)
{
    *s = (struct search){ .trial = *t, .began = progress_clock() };
    MEM_ARRAY(s->effect, t->spec->n_variables);
    TRY(keep_begin(t, &s->id, d));
    if (t->spec->method == SEARCH_SIZE) return promise_run(s, d);
    if (t->spec->method == SEARCH_RACE) return race_run(s, d);
    TRY(try_ends(s, d));
    TRY(try_samples(s, d));
    TRY(try_simplexes(s, d));
    TRY(try_fresh(s, d));
    find_effects(s);
    TRY(keep_effects(t, s->id, s->effect, d));
    if (s->ranked[0]->error == NULL) return ST_OK;
    return diag_at(d, ST_EINPUT, t->spec->path, 0, 0, "no set has an objective; the first: %s", s->set[0]->error);
}

void search_end(struct search *s)
{
    for (size_t i = 0; i < s->n_sets; i++) trial_set_destroy(&s->trial, s->set[i]);
    MEM_FREE(s->set, s->ranked, s->fresh, s->effect, s->answer);
    *s = (struct search){ .n_sets = 0 };
}

/* race.c -- the sets of a race, who drops out, and the best judged again, of race.h. */
#include "search/race.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "search/space.h"

enum { BATCH = 64 }; /* sets whose runs are made at once, as of search.c */

/* ---- who is better ---- */

void race_front(const double *x, const double *y, size_t n, bool *on)
{
    for (size_t i = 0; i < n; i++) {
        on[i] = true;
        for (size_t k = 0; k < n && on[i]; k++)
            on[i] = !(x[k] <= x[i] && y[k] <= y[i] && (x[k] < x[i] || y[k] < y[i]));
    }
}

static size_t n_objectives(const struct search *s) { return s->trial.targets->n; }

/* What is lower is better. */
static double sign_of(const struct search *s, size_t i) { return s->trial.targets->at[i].maximise ? -1 : 1; }
static double value_of(const struct search *s, const struct trial_set *x, size_t i)
{
    return sign_of(s, i) * x->ours[i];
}

static struct stats_ci diff_of(const struct trial_set *x, const struct trial_set *to, size_t i, double level)
{
    double *diff;
    MEM_ARRAY(diff, x->n_met);
    for (size_t k = 0; k < x->n_met; k++) diff[k] = x->by_seed[i][k] - to->by_seed[i][k];
    struct stats_ci c = stats_ci(diff, x->n_met, level);
    mem_free(diff);
    return c;
}

static bool is_worse(const struct search *s, const struct trial_set *x, const struct trial_set *than, double level)
{
    for (size_t i = 0; i < n_objectives(s); i++) {
        const struct stats_ci c = diff_of(x, than, i, level);
        if (!((sign_of(s, i) > 0 ? c.lo : -c.hi) > 0)) return false;
    }
    return true;
}

/* ---- the sets ---- */

/* All of them where they are few enough, else a hypercube. */
static void draw_sets(struct search *s)
{
    const struct search_spec *spec = s->trial.spec;
    const size_t n = spec->n_variables, most = spec->samples > 0 ? spec->samples : RACE_SETS;
    double all = 1, *u;
    bool is_new;
    for (size_t v = 0; v < n; v++) {
        const size_t choices = space_choices(&spec->variable[v]);
        all *= choices > 0 ? (double)choices : INFINITY;
    }
    const size_t n_sets = all <= (double)most ? (size_t)all : most;
    MEM_ARRAY(u, n_sets * n);
    if (all > (double)most) space_hypercube(spec->draw, n_sets, n, u);
    for (size_t i = 0; i < n_sets; i++) {
        size_t left = i;
        for (size_t v = n; v-- > 0 && all <= (double)most;) {
            const size_t choices = space_choices(&spec->variable[v]);
            u[i * n + v] = space_at(&spec->variable[v], left % choices);
            left /= choices;
        }
        (void)search_set_at(s, TRIAL_RACE, &u[i * n], &is_new);
    }
    mem_free(u);
}

static enum st check(struct search *s, struct diag *d)
{
    const struct search_spec *spec = s->trial.spec;
    const size_t least = s->n_sets * trial_n_runs(&s->trial, spec->n_seeds);
    if (!s->trial.targets->scenario[0].is_drawn) {
        (void)ydoc_key_error(spec->section, d,
                             "found a race where nothing hangs on the seed: every seed gives the same run");
        return diag_hint(d, "generated traces, `instances` of a trace and faults hang on it; or search without 'race'");
    }
    if (spec->n_seeds < 2)
        return ydoc_key_error(spec->section, d, "found one seed, which has no interval: state 'seeds: 5', for example");
    if (spec->budget_runs > 0 && spec->budget_runs < least)
        return ydoc_error(spec->budget_node, d,
                          "found a budget of %llu runs, expected at least %zu: %zu sets meet %zu seeds "
                          "before any drops out",
                          (unsigned long long)spec->budget_runs, least, s->n_sets, spec->n_seeds);
    TRY(trial_check_params(&s->trial, d));
    return trial_check(&s->trial, s->set[0], d);
}

/* ---- the race ---- */

/* Those that race, the best of the first objective first; of two objectives with the front marked as TRIAL_BEST. */
static const struct search *sorted;

static int by_first(const void *a, const void *b)
{
    const struct trial_set *p = *(struct trial_set *const *)a, *q = *(struct trial_set *const *)b;
    const double x = value_of(sorted, p, 0), y = value_of(sorted, q, 0);
    if (x < y || x > y) return x < y ? -1 : 1;
    return p->number < q->number ? -1 : p->number > q->number;
}

static void mark_best(struct search *s)
{
    const size_t n = s->n_ranked;
    double *x, *y;
    bool *on;
    sorted = s;
    if (n > 0) qsort(s->ranked, n, sizeof *s->ranked, by_first);
    MEM_ARRAY(x, n);
    MEM_ARRAY(y, n);
    MEM_ARRAY(on, n);
    for (size_t i = 0; i < n; i++) {
        x[i] = value_of(s, s->ranked[i], 0);
        y[i] = value_of(s, s->ranked[i], n_objectives(s) - 1);
    }
    race_front(x, y, n, on);
    for (size_t i = 0; i < n; i++)
        s->ranked[i]->verdict = (n_objectives(s) > 1 ? on[i] : i == 0) ? TRIAL_BEST : TRIAL_OPEN;
    MEM_FREE(x, y, on);
}

/* Those that a best one beats leave `ranked`. */
static void drop_out(struct search *s, double level)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n_ranked; i++) {
        struct trial_set *x = s->ranked[i];
        for (size_t k = 0; k < s->n_ranked && x->verdict == TRIAL_OPEN; k++) {
            struct trial_set *best = s->ranked[k];
            if (best->verdict != TRIAL_BEST || !is_worse(s, x, best, level)) continue;
            x->verdict = TRIAL_BEATEN;
            x->by = best;
            x->diff = diff_of(x, best, 0, level);
        }
    }
    for (size_t i = 0; i < s->n_ranked; i++)
        if (s->ranked[i]->verdict != TRIAL_BEATEN) s->ranked[n++] = s->ranked[i];
    s->n_ranked = n;
}

static size_t n_best(const struct search *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n_ranked; i++) n += s->ranked[i]->verdict == TRIAL_BEST;
    return n;
}

/* One look; a set with an error races no further. */
static enum st look(struct search *s, size_t n_seeds, struct diag *d)
{
    const struct search_spec *spec = s->trial.spec;
    const size_t n_met = s->ranked[0]->n_met;
    size_t n = 0;
    for (size_t i = 0; i < s->n_ranked; i += BATCH)
        TRY(trial_do(&s->trial, &s->ranked[i], s->n_ranked - i < BATCH ? s->n_ranked - i : BATCH, spec->seed + n_met,
                     n_seeds, d));
    if (n_met == 0 && s->set[0]->by_seed[0] != NULL) TRY(search_check_metrics(s, s->set[0], d));
    for (size_t i = 0; i < s->n_ranked; i++)
        if (s->ranked[i]->error == NULL) s->ranked[n++] = s->ranked[i];
    s->n_ranked = n;
    mark_best(s);
    const double n_pairs = fmax(1, (double)((s->n_sets - 1) * n_best(s)));
    const double level = 1 - (1 - spec->confidence) / ((double)spec->looks * n_pairs);
    drop_out(s, level);
    for (size_t i = 0; i < s->n_sets; i++)
        if (s->set[i]->error == NULL) trial_intervals(&s->trial, s->set[i], spec->confidence);
    return ST_OK;
}

/* What is left, on fresh seeds: as many as it has met, or those that are stated.  Differences are to the first. */
static enum st judge_again(struct search *s, struct diag *d)
{
    const struct search_spec *spec = s->trial.spec;
    MEM_ARRAY(s->fresh, s->n_ranked);
    for (size_t i = 0; i < s->n_ranked; i++) s->fresh[s->n_fresh++] = search_fresh_of(s, s->ranked[i]);
    for (size_t i = 0; i < s->n_fresh; i += BATCH)
        TRY(trial_do(&s->trial, &s->fresh[i], s->n_fresh - i < BATCH ? s->n_fresh - i : BATCH, spec->fresh_seed,
                     spec->has_fresh ? spec->n_fresh : s->ranked[0]->n_met, d));
    for (size_t i = 0; i < s->n_fresh; i++) {
        struct trial_set *const of[] = { s->ranked[i], s->fresh[i] }, *const first[] = { s->ranked[0], s->fresh[0] };
        s->fresh[i]->verdict = s->ranked[i]->verdict;
        for (size_t k = 0; k < 2; k++) {
            if (of[k]->error != NULL || first[k]->error != NULL) continue;
            trial_intervals(&s->trial, of[k], spec->confidence);
            of[k]->diff = diff_of(of[k], first[k], 0, spec->confidence);
            if (i > 0) of[k]->by = first[k];
        }
    }
    return keep_sets(&s->trial, s->id, s->fresh, s->n_fresh, d);
}

static enum st race(struct search *s, struct diag *d)
{
    const struct search_spec *spec = s->trial.spec;
    for (size_t k = 1; k <= spec->looks; k++) {
        const size_t n = search_seeds_at(spec, k) - (k > 1 ? search_seeds_at(spec, k - 1) : 0);
        if (!search_pay(s, s->n_ranked, n)) break;
        TRY(look(s, n, d));
        if (s->n_ranked == n_best(s)) break; /* the others are beaten, or had an error */
    }
    if (s->n_ranked > 0) return ST_OK;
    return diag_at(d, ST_EINPUT, spec->path, 0, 0, "no set has an objective; the first: %s", s->set[0]->error);
}

enum st race_run(struct search *s, struct diag *d)
{
    draw_sets(s);
    TRY(check(s, d));
    s->n_ranked = s->n_sets;
    MEM_ARRAY(s->ranked, s->n_sets);
    memcpy(s->ranked, s->set, s->n_sets * sizeof *s->ranked);
    const size_t n = s->n_sets;
    TRY(race(s, d));
    TRY(judge_again(s, d));
    TRY(keep_sets(&s->trial, s->id, s->set, n, d));
    MEM_ARRAY(s->answer, 1);
    s->answer[s->n_answers++] = (struct search_answer){
        .load = 1, .kept = s->ranked[0], .fresh = s->fresh[0], .least = NAN, .is_decided = s->n_ranked == n_best(s)
    };
    return keep_answers(s, d);
}

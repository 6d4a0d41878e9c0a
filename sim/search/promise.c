/* promise.c -- verdicts of sizes, and the search for the smallest at each load, of promise.h. */
#include "search/promise.h"

#include <math.h>
#include "base/mem.h"
#include "search/size.h"
#include "search/space.h"

/* ---- verdicts ---- */

enum trial_verdict promise_of(const struct published_row *r, const struct stats_ci *ours)
{
    if (r->is == '<') return ours->hi <= r->value ? TRIAL_KEPT : ours->lo > r->value ? TRIAL_BROKEN
                                                                                     : TRIAL_OPEN;
    return ours->lo >= r->value ? TRIAL_KEPT : ours->hi < r->value ? TRIAL_BROKEN
                                                                   : TRIAL_OPEN;
}

enum trial_verdict promise_verdict(const struct trial *t, const struct trial_set *x)
{
    enum trial_verdict all = TRIAL_KEPT;
    if (x->error != NULL) return TRIAL_BROKEN;
    for (size_t i = 0; i < t->targets->n && all != TRIAL_BROKEN; i++) {
        const enum trial_verdict one = promise_of(&t->targets->at[i].row, &x->ci[i]);
        if (one != TRIAL_KEPT) all = one;
    }
    return all;
}

/* ---- what sizes cost ---- */

static bool has_loads(const struct search_spec *s) { return s->n_loads > 1; }
static size_t n_sides(const struct search_spec *s) { return s->n_variables - has_loads(s); }

static double price_an_hour(const struct price *p)
{
    double sum = 0;
    for (int h = 0; h < HOURS_A_DAY; h++) sum += (double)p->by_hour[h];
    return sum / (1e6 * HOURS_A_DAY);
}

/* Of the whole cluster with each variable at its first value, but one at its next; NONE: all at the first. */
static enum st find_cost(const struct search *s, size_t next, double *cost, struct diag *d)
{
    const struct search_spec *spec = s->trial.spec;
    const struct grid_opts *o = &s->trial.opts->grid;
    struct scenario scn;
    char **set;
    size_t n = 0, cap = 0;
    set = NULL;
    for (size_t i = 0; i < o->n_set; i++) MEM_PUSH(set, n, cap, mem_strdup(o->set[i]));
    for (size_t v = 0; v < n_sides(spec); v++)
        for (size_t k = 0; k < spec->variable[v].n_places; k++) {
            const struct search_variable *of = &spec->variable[v];
            char *value = space_value_times(of, space_at(of, v == next), of->place[k].factor);
            MEM_PUSH(set, n, cap, mem_printf("%s=%s", of->place[k].path, value));
            mem_free(value);
        }
    MEM_PUSH(set, n, cap, mem_strdup("search="));
    enum st st = scn_load(&scn, o->scenario, (const char *const *)set, n, d);
    if (st == ST_OK) {
        *cost = spec->is_cost ? 0 : scn.cluster.n_nodes;
        for (uint32_t i = 0; spec->is_cost && i < scn.cluster.n_nodes; i++) {
            const struct pol_node *node = &scn.cluster.node[i];
            *cost += price_an_hour(&scn.energy.node[scn.cluster.own[i].draw].price);
            if (node->n_gpu > 0) *cost += node->n_gpu * price_an_hour(&scn.energy.card[node->gpu_type].price);
        }
        scn_fini(&scn);
    }
    for (size_t i = 0; i < n; i++) mem_free(set[i]);
    mem_free(set);
    return st;
}

static enum st find_sizes(const struct search *s, struct size *z, struct diag *d)
{
    const struct search_spec *spec = s->trial.spec;
    const size_t n = n_sides(spec);
    double least = 0, *step, points = 1, dearest = 0;
    size_t *choices;
    MEM_ARRAY(step, n);
    MEM_ARRAY(choices, n);
    enum st st = find_cost(s, NONE, &least, d);
    for (size_t v = 0; v < n && st == ST_OK; v++) {
        choices[v] = space_choices(&spec->variable[v]);
        points *= (double)choices[v];
        st = find_cost(s, v, &step[v], d);
        step[v] -= least;
        if (step[v] > dearest) dearest = step[v];
    }
    if (st == ST_OK && points > SEARCH_SETS_MAX)
        st = ydoc_error(spec->section, d, "found %.0f sizes, expected at most %d: state a 'step'", points,
                        SEARCH_SETS_MAX);
    if (st == ST_OK && !(dearest > 0))
        st = ydoc_error(spec->objective, d, "found no price of the nodes or cards of a group that is counted");
    if (st == ST_OK) size_init(z, n, choices, least, step);
    MEM_FREE(step, choices);
    return st;
}

/* ---- looking at one ---- */

static struct trial_set *set_of(struct search *s, const struct size *z, size_t point, size_t load)
{
    const struct search_spec *spec = s->trial.spec;
    double *at;
    bool is_new;
    MEM_ARRAY(at, spec->n_variables);
    for (size_t v = 0; v < spec->n_variables; v++)
        at[v] = space_at(&spec->variable[v], v < z->n_sides ? size_step(z, point, v) : load);
    struct trial_set *x = search_set_at(s, TRIAL_SIZE, at, &is_new);
    x->objective = z->cost[point];
    mem_free(at);
    return x;
}

/* Where nothing hangs on the seed there is one run, and one look. */
static bool is_drawn(const struct search *s) { return s->trial.targets->scenario[0].is_drawn; }
static size_t n_looks(const struct search *s) { return is_drawn(s) ? s->trial.spec->looks : 1; }

static enum st look_at(struct search *s, struct trial_set *x, struct diag *d)
{
    const struct search_spec *spec = s->trial.spec;
    const double level = 1 - (1 - spec->confidence) / (double)(n_looks(s) * spec->n_limits);
    for (size_t look = 1; look <= n_looks(s) && x->verdict == TRIAL_OPEN; look++) {
        const size_t n = is_drawn(s) ? search_seeds_at(spec, look) - x->n_met : 1;
        if (!search_pay(s, 1, n)) return ST_OK;
        TRY(trial_do(&s->trial, &x, 1, spec->seed + x->n_met, n, d));
        if (x->number == 1 && x->by_seed[0] != NULL) TRY(search_check_metrics(s, x, d));
        if (x->error == NULL) trial_intervals(&s->trial, x, level);
        x->verdict = promise_verdict(&s->trial, x);
    }
    return ST_OK;
}

/* Look at a size, keep what came of it; one for which the budget paid nothing is as if it had never been. */
static enum st try_size(struct search *s, struct size *z, size_t point, size_t load, struct diag *d)
{
    struct trial_set *x = set_of(s, z, point, load);
    TRY(look_at(s, x, d));
    if (x->n_met == 0) {
        search_drop_last(s);
        return ST_OK;
    }
    size_saw(z, point, load, x->verdict, x->error == NULL && !(x->excess > 0));
    return keep_sets(&s->trial, s->id, &x, 1, d);
}

/* ---- the answers ---- */

static void find_answer(struct search *s, const struct size *z, size_t load)
{
    struct search_answer *a = &s->answer[s->n_answers++];
    const struct size_answer is = size_answer(z, load);
    *a = (struct search_answer){ .load = s->trial.spec->load[load], .least = is.least, .is_decided = is.is_decided };
    if (is.kept < z->n_points) {
        a->kept = set_of(s, z, is.kept, load);
        a->is_first = z->cost[is.kept] <= z->cost[z->by_cost[0]];
    }
    for (size_t k = 0; k < z->n_seen; k++) {
        const struct size_seen *seen = &z->seen[k];
        const bool is_broken = seen->verdict == TRIAL_BROKEN && seen->load <= load,
                   is_open = seen->verdict == TRIAL_OPEN && seen->load == load;
        struct trial_set **dearest = is_broken ? &a->broken : &a->open;
        if ((!is_broken && !is_open) || (a->kept != NULL && z->cost[seen->point] >= a->kept->objective)) continue;
        struct trial_set *x = set_of(s, z, seen->point, seen->load);
        if (*dearest == NULL || x->objective >= (*dearest)->objective) *dearest = x;
    }
}

/* Each with as many fresh seeds as its choice took, or with those that are stated. */
static enum st judge_again(struct search *s, struct diag *d)
{
    const struct search_spec *spec = s->trial.spec;
    MEM_ARRAY(s->fresh, s->n_answers);
    for (size_t i = 0; i < s->n_answers && is_drawn(s); i++) {
        struct search_answer *a = &s->answer[i];
        if (a->kept == NULL) continue;
        struct trial_set *x = a->fresh = s->fresh[s->n_fresh++] = search_fresh_of(s, a->kept);
        TRY(trial_do(&s->trial, &x, 1, spec->fresh_seed, spec->has_fresh ? spec->n_fresh : a->kept->n_met, d));
        if (x->error == NULL) trial_intervals(&s->trial, x, spec->confidence);
        x->verdict = promise_verdict(&s->trial, x);
        TRY(keep_sets(&s->trial, s->id, &x, 1, d));
    }
    return ST_OK;
}

static enum st check(struct search *s, const struct size *z, struct diag *d)
{
    const struct search_spec *spec = s->trial.spec;
    const size_t per = trial_n_runs(&s->trial, is_drawn(s) ? spec->n_seeds : 1);
    if (is_drawn(s) && spec->n_seeds < 2)
        return ydoc_key_error(spec->section, d, "found one seed, which has no interval: state 'seeds: 5', for example");
    if (spec->budget_runs > 0 && spec->budget_runs < per)
        return ydoc_error(spec->budget_node, d,
                          "found a budget of %llu runs, expected at least the %zu that one size takes",
                          (unsigned long long)spec->budget_runs, per);
    return trial_check(&s->trial, set_of(s, z, z->n_points - 1, 0), d);
}

static enum st find_all(struct search *s, struct size *z, struct diag *d)
{
    TRY(check(s, z, d));
    TRY(try_size(s, z, z->n_points - 1, 0, d));
    MEM_ARRAY(s->answer, s->trial.spec->n_loads);
    for (size_t load = 0; load < s->trial.spec->n_loads; load++) {
        for (size_t p = size_next(z, load); p < z->n_points && !s->is_over; p = size_next(z, load))
            TRY(try_size(s, z, p, load, d));
        find_answer(s, z, load);
    }
    s->n_ranked = s->n_sets;
    TRY(judge_again(s, d));
    return keep_answers(s, d);
}

enum st promise_run(struct search *s, struct diag *d)
{
    struct size z = { .n_points = 0 };
    enum st st = find_sizes(s, &z, d);
    if (st == ST_OK) st = find_all(s, &z, d);
    size_fini(&z);
    return st;
}

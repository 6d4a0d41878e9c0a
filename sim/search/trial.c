/* trial.c -- a batch of sets as a sweep of each scenario, its runs, and the values that they gave. */
#include "search/trial.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sqlite3.h>
#include <gsl/gsl_cdf.h>
#include "base/mem.h"
#include "compare/metric_info.h"
#include "db/query.h"
#include "search/space.h"
#include "sweep/local.h"

const char *const trial_phase_name[] = { "middle", "end", "sample", "simplex", "fresh", "size", "race" };
const char *const trial_verdict_name[] = { "open", "kept", "broken", "best", "beaten" };

/* ---- sets ---- */

struct trial_set *trial_set_create(const struct trial *t, enum trial_phase phase, const double *at)
{
    const size_t n = t->spec->n_variables;
    struct trial_set *x;
    MEM_NEW(x);
    MEM_ARRAY(x->at, n);
    MEM_ARRAY(x->value, n);
    MEM_ARRAY(x->ours, t->targets->n);
    MEM_ARRAY(x->by_seed, t->targets->n);
    MEM_ARRAY(x->ci, t->targets->n);
    x->phase = phase;
    x->objective = x->excess = NAN;
    for (size_t i = 0; i < t->targets->n; i++) x->ours[i] = NAN;
    for (size_t i = 0; i < n; i++) {
        x->at[i] = at[i];
        x->value[i] = space_value(&t->spec->variable[i], at[i]);
    }
    return x;
}

void trial_set_destroy(const struct trial *t, struct trial_set *x)
{
    for (size_t i = 0; i < t->spec->n_variables; i++) mem_free(x->value[i]);
    for (size_t i = 0; i < t->targets->n; i++) mem_free(x->by_seed[i]);
    MEM_FREE(x->value, x->at, x->ours, x->run, x->error, x->by_seed, x->ci, x);
}

size_t trial_n_runs(const struct trial *t, size_t n_seeds)
{
    size_t n = 0;
    for (size_t k = 0; k < t->targets->n_scenarios; k++)
        for (size_t p = 0; p < t->targets->scenario[k].n_policies; p++) n += t->targets->scenario[k].policy[p].is_used;
    return n * n_seeds;
}

/* ---- a batch as the text of a sweep ---- */

static void put_key(FILE *f, const char *key, bool *is_first)
{
    (void)fputs(*is_first ? "\"" : ", \"", f);
    for (; *key != '\0'; key++) {
        if (*key == '"' || *key == '\\') (void)fputc('\\', f);
        (void)fputc(*key, f);
    }
    (void)fputs("\": ", f);
    *is_first = false;
}

static void put_text(FILE *f, char *owned)
{
    (void)fputs(owned[0] != '\0' ? owned : "~", f);
    mem_free(owned);
}

static bool asks_for(const struct target_scenario *s, const char *param)
{
    size_t n = (size_t)(strrchr(param, '.') != NULL ? strrchr(param, '.') - param : 0);
    for (size_t i = 0; i < s->n_policies; i++) {
        const struct target_policy *p = &s->policy[i];
        if (!p->is_used) continue;
        if ((strlen(p->label) == n && strncmp(p->label, param, n) == 0) ||
            (strlen(p->name) == n && strncmp(p->name, param, n) == 0))
            return true;
    }
    return false;
}

/* The values of paths, or of parameters of policies that are asked for. */
static void put_values(FILE *f, const struct trial *t, const struct target_scenario *s, const double *at,
                       size_t without, bool are_params)
{
    bool first = true;
    for (size_t i = 0; i < t->spec->n_variables; i++) {
        const struct search_variable *v = &t->spec->variable[i];
        if (v->is_param != are_params || i == without) continue;
        for (size_t k = 0; k < v->n_places; k++) {
            const struct search_place *p = &v->place[k];
            if (are_params ? !asks_for(s, p->path) : p->scenario != NULL && strcmp(p->scenario, s->name) != 0) continue;
            put_key(f, p->path, &first);
            put_text(f, space_value_times(v, at[i], p->factor));
        }
    }
}

/* Without one variable; NONE: with all. */
static char *case_of(const struct trial *t, const struct target_scenario *s, const double *at, size_t without)
{
    struct mem_text text;
    mem_text_open(&text);
    (void)fputs("{set: {", text.to);
    put_values(text.to, t, s, at, without, false);
    (void)fputs("}, params: {", text.to);
    put_values(text.to, t, s, at, without, true);
    (void)fputs("}}", text.to);
    return mem_text_close(&text);
}

/* Sets that are the same in this scenario are one case. */
struct batch {
    char **kase;
    size_t n_cases, *case_at;
    char *text;
};

static void batch_init(struct batch *b, const struct trial *t, const struct target_scenario *s,
                       struct trial_set *const *set, size_t n, const uint64_t *seed, size_t n_seeds, size_t without)
{
    struct mem_text text;
    bool first = true;
    *b = (struct batch){ .n_cases = 0 };
    MEM_ARRAY(b->kase, n);
    MEM_ARRAY(b->case_at, n);
    for (size_t i = 0; i < n; i++) {
        char *one = case_of(t, s, set[i]->at, without);
        size_t k = 0;
        while (k < b->n_cases && strcmp(b->kase[k], one) != 0) k++;
        b->case_at[i] = k;
        if (k < b->n_cases) mem_free(one);
        else b->kase[b->n_cases++] = one;
    }
    mem_text_open(&text);
    FILE *f = text.to;
    (void)fputs("sweep={seeds: [", f);
    for (size_t i = 0; i < n_seeds; i++) (void)fprintf(f, "%s%" PRIu64, i > 0 ? ", " : "", seed[i]);
    (void)fputs("], policies: [", f);
    for (size_t i = 0; i < s->n_policies; i++) {
        if (!s->policy[i].is_used) continue;
        (void)fprintf(f, "%s%s", first ? "" : ", ", s->policy[i].text);
        first = false;
    }
    (void)fputs("], cases: [", f);
    for (size_t k = 0; k < b->n_cases; k++) (void)fprintf(f, "%s%s", k > 0 ? ", " : "", b->kase[k]);
    (void)fputs("]}", f);
    b->text = mem_text_close(&text);
}

static void batch_fini(struct batch *b)
{
    for (size_t k = 0; k < b->n_cases; k++) mem_free(b->kase[k]);
    mem_free(b->kase);
    mem_free(b->case_at);
    mem_free(b->text);
}

/* The scenario's grid; what it borrows lives in `set`, which is the caller's to free. */
static enum st load_grid(struct grid *g, const struct trial *t, const struct target_scenario *s, const char *text,
                         const char ***set, struct diag *d)
{
    const struct grid_opts *o = &t->opts->grid;
    struct grid_opts own = *o;
    bool is_first = s == &t->targets->scenario[0];
    MEM_ARRAY(*set, o->n_set + 2);
    own.scenario = s->path;
    own.n_set = 0;
    for (size_t i = 0; i < o->n_set; i++)
        if (is_first || strncmp(o->set[i], "search", 6) != 0) (*set)[own.n_set++] = o->set[i];
    if (s->has_search) (*set)[own.n_set++] = "search=";
    (*set)[own.n_set++] = text;
    own.set = *set;
    return grid_load(g, &own, d);
}

/* ---- its runs ---- */

static enum st do_runs(const struct trial *t, struct results *r, struct diag *d)
{
    TRY(results_merge(r, NULL, d));
    if (results_n_todo(r) > 0)
        TRY(t->opts->slurm != NULL ? slurm_run(r, t->opts->slurm, d) : local_run(r, t->opts->n_workers, d));
    if (results_n_todo(r) == 0) {
        slurm_clean(r);
        return ST_OK;
    }
    return diag_set(d, ST_EWORLD, "%zu runs have no result; the same command does them", results_n_todo(r));
}

static enum st keep_error(const struct trial *t, struct trial_set *x, int64_t run, struct diag *d)
{
    sqlite3_stmt *q;
    if (x->error != NULL) return ST_OK;
    TRY(query_run(t->store, run, "SELECT policy, seed, coalesce(message, '') FROM run WHERE id = ?", &q, d));
    if (sqlite3_step(q) == SQLITE_ROW)
        x->error =
            mem_printf("%s, seed %lld: %s", query_text(q, 0), (long long)sqlite3_column_int64(q, 1), query_text(q, 2));
    return query_end(t->store, q, d);
}

/* Policy p of the grid, which has those that are asked for alone. */
static const char *label_of(const struct target_scenario *s, size_t p)
{
    size_t i = 0;
    for (; !s->policy[i].is_used || p > 0; i++) p -= s->policy[i].is_used;
    return s->policy[i].label;
}

/* The runs of each set are those of its case. */
static enum st take_runs(const struct trial *t, const struct target_scenario *s, const struct grid *g,
                         const struct results *r, const struct batch *b, struct trial_set *const *set, size_t n,
                         struct diag *d)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < g->n_seeds * g->n_policies; k++) {
            size_t run = g->run_at[b->case_at[i] * g->n_seeds * g->n_policies + k];
            MEM_RESERVE(set[i]->run, set[i]->cap_runs, set[i]->n_runs + 1);
            set[i]->run[set[i]->n_runs++] = (struct compare_run){ r->id[run], s->name, label_of(s, k % g->n_policies) };
            if (r->state[run] != RESULTS_DONE) TRY(keep_error(t, set[i], r->id[run], d));
        }
    return ST_OK;
}

/* A crash, or a full disk, says nothing of a size: one that counted as too small would be a wrong answer. */
static enum st judge_failures(const struct trial *t, const struct results *r, struct trial_set *const *set, size_t n,
                              struct diag *d)
{
    if (t->spec->method != SEARCH_SIZE || r->worst < 3) return ST_OK;
    size_t i = 0;
    while (i + 1 < n && set[i]->error == NULL) i++;
    return diag_set(d, r->worst == 4 ? ST_EPOLICY : ST_EWORLD, "no size can be told while a run fails%s%s",
                    set[i]->error != NULL ? ": " : "", set[i]->error != NULL ? set[i]->error : "");
}

static enum st run_grid(const struct trial *t, const struct target_scenario *s, const struct grid *g,
                        const struct batch *b, struct trial_set *const *set, size_t n, struct diag *d)
{
    struct results r;
    TRY(results_begin(&r, g, t->store, t->shards, t->opts->quiet, d));
    r.is_silent = true;
    enum st st = do_runs(t, &r, d);
    if (st == ST_OK) st = take_runs(t, s, g, &r, b, set, n, d);
    if (st == ST_OK) st = judge_failures(t, &r, set, n, d);
    results_fini(&r);
    return st;
}

/* Read and check the scenario of these sets, and make their runs unless they are only checked. */
static enum st load_batch(const struct trial *t, const struct target_scenario *s, struct trial_set *const *set,
                          size_t n, const uint64_t *seed, size_t n_seeds, bool is_check, enum st *loaded,
                          struct diag *d)
{
    struct batch b;
    struct grid g;
    const char **own = NULL;
    batch_init(&b, t, s, set, n, seed, n_seeds, NONE);
    enum st st = *loaded = load_grid(&g, t, s, b.text, &own, d);
    if (st == ST_OK) {
        if (!is_check) st = run_grid(t, s, &g, &b, set, n, d);
        grid_fini(&g);
    }
    mem_free(own);
    batch_fini(&b);
    return st;
}

/* Values that do not go together, as parameters of one policy, are the error of their set, not of the search. */
static enum st do_scenario(const struct trial *t, const struct target_scenario *s, struct trial_set *const *set,
                           size_t n, const uint64_t *seed, size_t n_seeds, struct diag *d)
{
    struct diag own = { 0 }, first;
    enum st loaded, st = n > 0 ? load_batch(t, s, set, n, seed, n_seeds, false, &loaded, &own) : ST_OK;
    if (st == ST_OK) return ST_OK;
    if (loaded != ST_EINPUT) {
        *d = own;
        return st;
    }
    first = own;
    struct trial_set **good;
    size_t n_good = 0;
    MEM_ARRAY(good, n);
    st = ST_OK;
    for (size_t i = 0; i < n && st == ST_OK; i++) {
        memset(&own, 0, sizeof own);
        st = load_batch(t, s, &set[i], 1, seed, n_seeds, true, &loaded, &own);
        if (st == ST_OK) good[n_good++] = set[i];
        else if (loaded == ST_EINPUT) {
            set[i]->error = mem_strdup(own.msg);
            st = ST_OK;
        } else *d = own;
    }
    if (st == ST_OK && n_good == n) {
        *d = first;
        st = first.code;
    }
    if (st == ST_OK) st = do_scenario(t, s, good, n_good, seed, n_seeds, d);
    mem_free(good);
    return st;
}

static bool is_used(const struct target_scenario *s)
{
    for (size_t p = 0; p < s->n_policies; p++)
        if (s->policy[p].is_used) return true;
    return false;
}

static uint64_t digest_of(const struct compare *c)
{
    struct hash128 h;
    hash_init(&h);
    for (size_t k = 0; k < c->n; k++)
        for (size_t p = 0; p < c->at[k].n_policies; p++)
            hash_bytes(&h, c->at[k].policy[p].digest, c->at[k].policy[p].n_runs * sizeof(uint64_t));
    return h.lo ^ h.hi;
}

/* Intervals from within the one run there is, at 95 %; none where it is too short, which decides nothing. */
static void find_batches(const struct trial *t, struct trial_set *x, struct compare *c)
{
    struct diag ignored = { 0 };
    const bool are_there = compare_batches(c, &ignored) == ST_OK;
    for (size_t i = 0; i < t->targets->n; i++) {
        if (are_there) x->ci[i] = target_interval(t->targets, c, i);
        else x->ci[i] = (struct stats_ci){ .mean = x->ours[i], .half = INFINITY, .lo = -INFINITY, .hi = INFINITY };
    }
}

/* A value a seed of every target; and jobs that no node can run, which have no wait: with them no promise is kept. */
static void find_by_seed(const struct trial *t, struct trial_set *x, struct compare *c)
{
    for (size_t i = 0; i < t->targets->n; i++) {
        mem_free(x->by_seed[i]);
        MEM_ARRAY(x->by_seed[i], x->n_met);
        targets_by_seed(t->targets, c, i, x->by_seed[i], x->n_met);
    }
    for (size_t k = 0; t->spec->method == SEARCH_SIZE && k < c->n && x->error == NULL; k++)
        for (size_t p = 0; p < c->at[k].n_policies && x->error == NULL; p++) {
            const double n = compare_mean(c, &c->at[k].policy[p], "jobs_rejected", "all").mean;
            if (n > 0)
                x->error = mem_printf("%s: %.4g jobs a run are rejected, which could not run even on the empty cluster",
                                      c->at[k].policy[p].label, n);
        }
    if (t->spec->method == SEARCH_SIZE && !t->targets->scenario[0].is_drawn) find_batches(t, x, c);
}

void trial_intervals(const struct trial *t, struct trial_set *x, double level)
{
    const bool is_drawn = t->targets->scenario[0].is_drawn;
    const double from = is_drawn ? 0 : x->level > 0 ? x->level
                                                    : 0.95;
    for (size_t i = 0; i < t->targets->n; i++) {
        struct stats_ci *c = &x->ci[i];
        if (is_drawn) {
            *c = metric_info_is_tail(t->targets->at[i].row.metric) ? stats_skew(x->by_seed[i], x->n_met, level)
                                                                   : stats_ci(x->by_seed[i], x->n_met, level);
            continue;
        }
        c->half *= gsl_cdf_tdist_Pinv((1 + level) / 2, BATCHES - 1) / gsl_cdf_tdist_Pinv((1 + from) / 2, BATCHES - 1);
        c->lo = c->mean - c->half;
        c->hi = c->mean + c->half;
    }
    x->level = level;
}

static enum st judge(const struct trial *t, struct trial_set *x, struct diag *d)
{
    struct compare c;
    if (x->error != NULL) return ST_OK;
    TRY(compare_load_runs(&c, t->store, x->run, x->n_runs, d));
    targets_ours(t->targets, &c, x->ours);
    x->digest = digest_of(&c);
    if (t->spec->method != SEARCH_NEAREST) find_by_seed(t, x, &c);
    enum st st = compare_error(&c, d);
    compare_fini(&c);
    if (x->error != NULL) return st;
    if (t->spec->method != SEARCH_SIZE) x->objective = targets_objective(t->targets, x->ours);
    x->excess = targets_excess(t->targets, x->ours);
    if (isnan(x->objective) || isnan(x->excess))
        x->error = mem_strdup("its runs have no value of a metric that is asked for");
    return st;
}

enum st trial_do(const struct trial *t, struct trial_set *const *set, size_t n, const uint64_t *seed, size_t n_seeds,
                 struct diag *d)
{
    struct trial_set **good;
    enum st st = ST_OK;
    MEM_ARRAY(good, n);
    for (size_t k = 0; k < t->targets->n_scenarios && st == ST_OK; k++) {
        size_t n_good = 0;
        for (size_t i = 0; i < n; i++)
            if (set[i]->error == NULL) good[n_good++] = set[i];
        if (is_used(&t->targets->scenario[k]))
            st = do_scenario(t, &t->targets->scenario[k], good, n_good, seed, n_seeds, d);
    }
    mem_free(good);
    TRY(st);
    for (size_t i = 0; i < n; i++) set[i]->n_met += n_seeds;
    for (size_t i = 0; i < n; i++) TRY(judge(t, set[i], d));
    return ST_OK;
}

/* ---- checking ---- */

static enum st check(const struct trial *t, struct trial_set *x, size_t without, struct diag *d)
{
    enum st st = ST_OK;
    for (size_t k = 0; k < t->targets->n_scenarios && st == ST_OK; k++) {
        struct batch b;
        struct grid g;
        const char **own = NULL;
        if (!is_used(&t->targets->scenario[k])) continue;
        batch_init(&b, t, &t->targets->scenario[k], &x, 1, t->spec->seed, 1, without);
        st = load_grid(&g, t, &t->targets->scenario[k], b.text, &own, d);
        if (st == ST_OK) grid_fini(&g);
        mem_free(own);
        batch_fini(&b);
    }
    return st;
}

/* The error, at the variable. */
static enum st blame(const struct trial *t, const struct trial_set *x, size_t variable, const struct diag *own,
                     struct diag *d)
{
    const struct search_variable *v = &t->spec->variable[variable];
    (void)ydoc_key_error(v->node, d, "'%s' at %s: %s", v->name, x->value[variable], own->msg);
    return own->hint[0] != '\0' ? diag_hint(d, "%s", own->hint) : d->code;
}

enum st trial_check(const struct trial *t, struct trial_set *x, struct diag *d)
{
    struct diag own = { 0 };
    enum st st = check(t, x, NONE, &own);
    for (size_t v = 0; v < t->spec->n_variables && st == ST_EINPUT; v++) {
        struct diag ignored = { 0 };
        if (check(t, x, v, &ignored) == ST_OK) return blame(t, x, v, &own, d);
    }
    if (st != ST_OK) *d = own;
    return st;
}

static bool is_anyones(const struct trial *t, const struct search_variable *v)
{
    for (size_t k = 0; k < t->targets->n_scenarios; k++)
        for (size_t p = 0; p < v->n_places; p++)
            if (asks_for(&t->targets->scenario[k], v->place[p].path)) return true;
    return false;
}

enum st trial_check_params(const struct trial *t, struct diag *d)
{
    for (size_t i = 0; i < t->spec->n_variables; i++) {
        const struct search_variable *v = &t->spec->variable[i];
        if (v->is_param && !is_anyones(t, v))
            return ydoc_key_error(v->node, d,
                                  "found '%s', expected a parameter of a policy that the objective or a limit asks for",
                                  v->name);
    }
    return ST_OK;
}

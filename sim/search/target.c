/* target.c -- targets out of the section, the published figures or a CSV file; the objective and limits from ours. */
#include "search/target.h"

#include <math.h>
#include <string.h>
#include "base/mem.h"
#include "input/scenario/sweep.h"
#include "input/text/csv.h"
#include "input/text/find.h"
#include "run/setup.h"

/* ---- scenarios ---- */

static bool is_of_search(const char *set) { return strncmp(set, "search", 6) == 0 && (set[6] == '.' || set[6] == '='); }

/* The text of each policy's entry stands in the document, what it is called in the scenario that is read from it. */
static void take_policies(struct target_scenario *t, const struct scn_asked *asked, const struct ydoc_node *list)
{
    t->n_policies = list != NULL ? asked->n_policies : 0;
    MEM_ARRAY(t->policy, t->n_policies);
    for (size_t i = 0; i < t->n_policies; i++)
        t->policy[i] =
            (struct target_policy){ .label = mem_strdup(asked->policy[i].label),
                                    .text = ydoc_flow(list->at[i]),
                                    .name = mem_strndup(asked->policy[i].spec, strcspn(asked->policy[i].spec, ":")) };
}

static enum st load_scenario(struct target_scenario *t, const char *path, const char *const *set, size_t n_set,
                             bool is_first, struct diag *d)
{
    struct scenario s;
    struct ydoc y;
    const char **own;
    size_t n = 0;
    MEM_ARRAY(own, n_set);
    for (size_t i = 0; i < n_set; i++) if (is_first || !is_of_search(set[i])) own[n++] = set[i];
    t->path = mem_strdup(path);
    enum st st = scn_load(&s, path, own, n, d);
    if (st == ST_OK) {
        st = ydoc_load(&y, path, d);
        for (size_t i = 0; i < n && st == ST_OK; i++) st = ydoc_set(&y, own[i], d);
        if (st == ST_OK) {
            t->name = mem_strdup(s.id.name);
            t->canonical = mem_strdup(s.id.canonical);
            t->has_search = ydoc_get(y.root, "search") != NULL;
            t->is_drawn = setup_is_drawn(&s);
            t->has_sweep = ydoc_get(y.root, "sweep") != NULL;
            take_policies(t, &s.asked, ydoc_get(y.root, "policies"));
            ydoc_fini(&y);
        }
        scn_fini(&s);
    }
    mem_free(own);
    return st;
}

/* By its label, else by its name where one policy alone has it: as published figures name them. */
static struct target_policy *find_policy(const struct target_scenario *s, const char *name)
{
    struct target_policy *found = NULL;
    for (size_t i = 0; i < s->n_policies; i++) if (strcmp(s->policy[i].label, name) == 0) return &s->policy[i];
    for (size_t i = 0; i < s->n_policies; i++) {
        if (strcmp(s->policy[i].name, name) != 0) continue;
        if (found != NULL) return NULL;
        found = &s->policy[i];
    }
    return found;
}

static struct target_policy *find_against(const struct targets *t, const struct target_scenario *s, const char *against)
{
    const char *slash = strchr(against, '/');
    if (slash == NULL) return find_policy(s, against);
    for (size_t i = 0; i < t->n_scenarios; i++)
        if (strlen(t->scenario[i].name) == (size_t)(slash - against) &&
            strncmp(t->scenario[i].name, against, (size_t)(slash - against)) == 0)
            return find_policy(&t->scenario[i], slash + 1);
    return NULL;
}

/* Mark the target's policies as asked for; the name that is not there, else NULL. */
static const char *use_policies(struct targets *t, const struct target *x)
{
    struct target_scenario *s = &t->scenario[x->scenario];
    struct target_policy *of = find_policy(s, x->row.policy), *against = NULL;
    if (of == NULL) return x->row.policy;
    if (x->row.against[0] != '\0' && (against = find_against(t, s, x->row.against)) == NULL) return x->row.against;
    of->is_used = true;
    if (against != NULL) against->is_used = true;
    return NULL;
}

/* ---- metrics and limits ---- */

static enum st add_metric(struct targets *t, const struct search_metric *m, enum target_role role, char is,
                          double value, struct diag *d)
{
    MEM_RESERVE(t->at, t->cap, t->n + 1);
    struct target *x = &t->at[t->n++];
    *x = (struct target){ .role = role,
                          .weight = 1,
                          .asked = m,
                          .row = { .policy = mem_strdup(m->policy),
                                   .against = mem_strdup(m->against),
                                   .metric = mem_strdup(m->metric),
                                   .scope = mem_strdup(m->scope),
                                   .source = mem_strdup(""),
                                   .is = is,
                                   .value = value } };
    const char *unknown = use_policies(t, x);
    if (unknown == NULL) return ST_OK;
    const struct target_scenario *s = &t->scenario[0];
    const char **label;
    MEM_ARRAY(label, s->n_policies);
    for (size_t i = 0; i < s->n_policies; i++) label[i] = s->policy[i].label;
    (void)ydoc_error(ydoc_get(m->node, strcmp(unknown, m->policy) == 0 ? "policy" : "against"), d,
                     "found no policy '%s' in %s", unknown, s->path);
    enum st st = diag_suggest(d, unknown, label, s->n_policies);
    mem_free(label);
    return st;
}

/* ---- figures ---- */

/* What the search weighs a row with, besides the row's own weight. */
static double weight_of(const struct search_spec *s, const struct published_row *r)
{
    double weight = r->is == '=' ? s->weight_figures : s->weight_statements;
    for (size_t i = 0; i < s->n_weights; i++)
        if (strcmp(s->weight[i].metric, r->metric) == 0) weight *= s->weight[i].factor;
    return weight;
}

/* The rows that the program knows; those of policies that a scenario does not name are counted. */
static enum st add_published(struct targets *t, const struct search_spec *s, struct diag *d)
{
    for (size_t k = 0; k < t->n_scenarios; k++) {
        struct published p;
        TRY(published_load(&p, t->scenario[k].name, d));
        for (size_t i = 0; i < p.n; i++) {
            MEM_RESERVE(t->at, t->cap, t->n + 1);
            struct target *x = &t->at[t->n];
            *x = (struct target){
                .role = TARGET_FIGURE, .scenario = k, .row = p.at[i], .weight = weight_of(s, &p.at[i])
            };
            if (use_policies(t, x) == NULL) {
                p.at[i] = (struct published_row){ .policy = NULL };         /* the target's now */
                t->n++;
            } else {
                t->n_skipped++;
            }
        }
        published_fini(&p);
    }
    return ST_OK;
}

enum {
    COL_SCENARIO, COL_POLICY, COL_AGAINST, COL_METRIC, COL_SCOPE, COL_IS, COL_VALUE, COL_WITHIN, COL_WEIGHT, COL_SOURCE,
    N_COLS
};
static const char *const column[N_COLS] = { "scenario", "policy", "against", "metric", "scope",
                                            "is", "value", "within", "weight", "source" };
static const bool needed[N_COLS] = { [COL_POLICY] = true, [COL_METRIC] = true, [COL_VALUE] = true };

struct reading { struct targets *t; const struct search_spec *s; };

static enum st read_number(struct csv *c, int at, double least, double *x, struct diag *d)
{
    const char *text = csv_field(c, at);
    if (text[0] == '\0') return ST_OK;
    if (text_double(text, x) && *x >= least) return ST_OK;
    return csv_fail(c, at, d, "found '%s', expected a number%s", text, least < 0 ? "" : " of at least 0");
}

static enum st read_row(void *ctx, struct csv *c, const int *at, struct diag *d)
{
    struct reading *r = ctx;
    const char *scenario = csv_field(c, at[COL_SCENARIO]), *is = csv_field(c, at[COL_IS]),
               *scope = csv_field(c, at[COL_SCOPE]);
    size_t k = 0;
    for (int i = 0; i < N_COLS; i++) if (needed[i]) TRY(csv_need(c, at[i], d));
    while (scenario[0] != '\0' && k < r->t->n_scenarios && strcmp(r->t->scenario[k].name, scenario) != 0) k++;
    if (k == r->t->n_scenarios)
        return csv_fail(c, at[COL_SCENARIO], d, "found '%s', which is no scenario of this search", scenario);
    if (is[0] == '\0') is = "=";
    if (strlen(is) != 1 || strchr("=<>~", is[0]) == NULL)
        return csv_fail(c, at[COL_IS], d, "found '%s', expected =, <, > or ~", is);
    struct target x = { .role = TARGET_FIGURE, .scenario = k, .weight = 1, .row.is = is[0] };
    TRY(read_number(c, at[COL_VALUE], -HUGE_VAL, &x.row.value, d));
    TRY(read_number(c, at[COL_WITHIN], 0, &x.row.within, d));
    TRY(read_number(c, at[COL_WEIGHT], 0, &x.weight, d));
    x.row.policy = mem_strdup(csv_field(c, at[COL_POLICY]));
    x.row.against = mem_strdup(csv_field(c, at[COL_AGAINST]));
    x.row.metric = mem_strdup(csv_field(c, at[COL_METRIC]));
    x.row.scope = mem_strdup(scope[0] != '\0' ? scope : "all");
    x.row.source = mem_strdup(csv_field(c, at[COL_SOURCE]));
    x.weight *= weight_of(r->s, &x.row);
    MEM_RESERVE(r->t->at, r->t->cap, r->t->n + 1);
    r->t->at[r->t->n++] = x;
    const char *unknown = use_policies(r->t, &x);
    if (unknown == NULL) return ST_OK;
    return csv_fail(c, at[unknown == x.row.policy ? COL_POLICY : COL_AGAINST], d,
                    "found '%s', which is no policy of '%s'", unknown, r->t->scenario[k].name);
}

static bool has_metric(const struct targets *t, const char *metric)
{
    for (size_t i = 0; i < t->n; i++) if (strcmp(t->at[i].row.metric, metric) == 0) return true;
    return false;
}

static enum st add_figures(struct targets *t, const struct search_spec *s, struct diag *d)
{
    struct reading r = { t, s };
    double weight = 0;
    if (s->figures == NULL) {
        TRY(add_published(t, s, d));
        if (t->n == 0) return ydoc_error(s->figures_node, d, "found no published figures of '%s'", t->scenario[0].name);
    } else {
        struct diag own = { 0 };
        char *path = find_file(s->path, s->figures, &own);
        if (path == NULL) return ydoc_error(s->figures_node, d, "%s", own.msg);
        enum st st = csv_read_file(path, column, needed, N_COLS, NULL, read_row, &r, d);
        mem_free(path);
        TRY(st);
    }
    for (size_t i = 0; i < s->n_weights; i++)
        if (!has_metric(t, s->weight[i].metric))
            return ydoc_key_error(s->weight[i].node, d, "found '%s', expected figures, statements or a metric of one",
                                  s->weight[i].metric);
    for (size_t i = 0; i < t->n; i++) weight += t->at[i].weight;
    return weight > 0 ? ST_OK : ydoc_error(s->figures_node, d, "found no figure with a weight above 0");
}

/* ---- all ---- */

static enum st load(struct targets *t, const struct search_spec *s, const char *const *set, size_t n_set,
                    struct diag *d)
{
    MEM_ARRAY(t->scenario, s->n_with + 1);
    for (size_t i = 0; i <= s->n_with; i++) {
        t->n_scenarios++;
        TRY(load_scenario(&t->scenario[i], i == 0 ? s->path : s->with[i - 1], set, n_set, i == 0, d));
        for (size_t k = 0; k < i; k++)
            if (strcmp(t->scenario[k].name, t->scenario[i].name) == 0)
                return diag_at(d, ST_EINPUT, t->scenario[i].path, 0, 0, "found the name '%s', which %s has too",
                               t->scenario[i].name, t->scenario[k].path);
    }
    if (s->has_figures) TRY(add_figures(t, s, d));
    else if (s->method != SEARCH_SIZE) {
        TRY(add_metric(t, &s->metric, TARGET_METRIC, '?', 0, d));
        t->at[t->n - 1].maximise = s->maximise;
    }
    if (s->second.metric != NULL) {
        TRY(add_metric(t, &s->second, TARGET_METRIC, '?', 0, d));
        t->at[t->n - 1].maximise = s->maximise_second;
    }
    for (size_t i = 0; i < s->n_limits; i++)
        TRY(add_metric(t, &s->limit[i].of, TARGET_LIMIT, s->limit[i].is_least ? '>' : '<', s->limit[i].bound, d));
    return ST_OK;
}

enum st targets_load(struct targets *t, const struct search_spec *s, const char *const *set, size_t n_set,
                     struct diag *d)
{
    *t = (struct targets){ .missed = s->missed, .maximise = s->maximise };
    enum st st = load(t, s, set, n_set, d);
    if (st != ST_OK) targets_fini(t);
    return st;
}

void targets_fini(struct targets *t)
{
    for (size_t i = 0; i < t->n_scenarios; i++) {
        struct target_scenario *s = &t->scenario[i];
        for (size_t k = 0; k < s->n_policies; k++) {
            mem_free(s->policy[k].label);
            mem_free(s->policy[k].name);
            mem_free(s->policy[k].text);
        }
        mem_free(s->policy);
        mem_free(s->path);
        mem_free(s->name);
        mem_free(s->canonical);
    }
    for (size_t i = 0; i < t->n; i++) {
        struct published one = { .n = 1, .cap = 1 };
        MEM_ARRAY(one.at, 1);
        one.at[0] = t->at[i].row;
        published_fini(&one);
    }
    mem_free(t->scenario);
    mem_free(t->at);
    *t = (struct targets){ .n = 0 };
}

/* ---- how far ---- */

static const struct compare_case *case_of(const struct targets *t, const struct compare *c, size_t i)
{
    const char *name = t->scenario[t->at[i].scenario].name;
    for (size_t k = c->n; k-- > 0;) if (strcmp(c->at[k].scenario, name) == 0) return &c->at[k];
    return NULL;
}

struct stats_ci target_interval(const struct targets *t, const struct compare *c, size_t i)
{
    const struct compare_case *k = case_of(t, c, i);
    if (k == NULL) return (struct stats_ci){ .mean = NAN, .half = NAN, .lo = NAN, .hi = NAN };
    return published_ours(c, k, &t->at[i].row);
}

void targets_ours(const struct targets *t, const struct compare *c, double *ours)
{
    for (size_t i = 0; i < t->n; i++) ours[i] = target_interval(t, c, i).mean;
}

void targets_by_seed(const struct targets *t, const struct compare *c, size_t i, double *x, size_t n)
{
    const struct compare_case *k = case_of(t, c, i);
    const struct published_row *r = &t->at[i].row;
    const struct compare_policy *p, *base;
    for (size_t j = 0; j < n; j++) x[j] = NAN;
    if (k == NULL || !published_policies(c, k, r, &p, &base) || p->n_runs != n) return;
    compare_by_seed(c, p, base, r->metric, r->scope != NULL ? r->scope : "all", x);
}

/* As a share of the figure, where it is not 0. */
static double share_of(double x, double figure) { return fabs(figure) > 0 ? x / fabs(figure) : x; }

double target_error(const struct targets *t, size_t i, double ours)
{
    const struct published_row *r = &t->at[i].row;
    double off = fabs(ours - r->value);
    if (r->is == '=') return share_of(off, r->value);
    if (published_holds(r, ours)) return 0;
    return t->missed + share_of(r->is == '~' ? off - r->within : off, r->value);
}

double targets_objective(const struct targets *t, const double *ours)
{
    double sum = 0, weight = 0;
    for (size_t i = 0; i < t->n; i++) {
        const struct target *x = &t->at[i];
        if (x->role == TARGET_METRIC) return ours[i];
        if (x->role != TARGET_FIGURE || !(x->weight > 0)) continue;
        double e = target_error(t, i, ours[i]);
        if (isnan(ours[i])) return NAN;
        sum += x->weight * e * e;
        weight += x->weight;
    }
    return sqrt(sum / weight);
}

double targets_excess(const struct targets *t, const double *ours)
{
    double sum = 0;
    for (size_t i = 0; i < t->n; i++) {
        const struct published_row *r = &t->at[i].row;
        if (t->at[i].role != TARGET_LIMIT) continue;
        double over = r->is == '>' ? r->value - ours[i] : ours[i] - r->value;
        if (isnan(ours[i])) return NAN;
        if (over > 0) sum += share_of(over, r->value);
    }
    return sum;
}

/* search.c -- reads the `search` section: variables with their lists and ranges, the objective, limits, the budget. */
#include "input/scenario/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "input/scenario/section.h"
#include "input/text/find.h"

/* ---- variables ---- */

/* "200MB/s" is 200 and "MB/s". */
static bool split_number(const char *text, double *x, const char **unit)
{
    size_t n = strspn(text, "+-0123456789.");
    if (n > 0 && (text[n] == 'e' || text[n] == 'E') && strspn(text + n + 1, "+-0123456789") > 0)
        n += 1 + strspn(text + n + 1, "+-0123456789");
    char *number = mem_strndup(text, n);
    bool ok = text_double(number, x);
    mem_free(number);
    *unit = text + n;
    return ok;
}

static enum st read_end(const struct ydoc_node *range, const char *key, double *x, const char **unit,
                        const struct ydoc_node **node, struct diag *d)
{
    const char *text = NULL;
    TRY(ydoc_str(range, key, &text, d));
    if (text == NULL)
        return ydoc_error(range, d, "found a range without '%s'; it is {from: 1, to: 8}, or a list of values", key);
    *node = ydoc_get(range, key);
    return split_number(text, x, unit) ? ST_OK
                                       : ydoc_expected(*node, d, "a number, or one with its unit, such as 200MB/s");
}

/* A path may be of one scenario, "SCENARIO/PATH"; a parameter is "POLICY.PARAMETER". */
static enum st add_place(struct search_variable *v, const char *key, double factor, const struct ydoc_node *node,
                         struct diag *d)
{
    const char *slash = v->is_param ? NULL : strchr(key, '/'), *path = slash != NULL ? slash + 1 : key;
    if (!v->is_param && (scn_is_asked(path) || path[0] == '\0'))
        return ydoc_key_error(
            node, d, "found '%s', which cannot be searched; parameters of policies stand under 'params'", path);
    v->place = mem_grow(v->place, v->n_places + 1, sizeof *v->place);
    v->place[v->n_places++] =
        (struct search_place){ .scenario = slash != NULL ? mem_strndup(key, (size_t)(slash - key)) : NULL,
                               .path = mem_strdup(path),
                               .factor = factor };
    return ST_OK;
}

static enum st read_range(struct search_variable *v, const struct ydoc_node *n, struct diag *d)
{
    static const char *const keys[] = { "from", "to", "scale", "step", "also" }, *const scales[] = { "linear", "log" };
    const struct ydoc_node *from, *to, *also;
    const char *unit, *unit_to;
    uint32_t scale = 0;
    TRY(ydoc_keys(n, "a range", keys, ARRAY_LEN(keys), d));
    TRY(read_end(n, "from", &v->from, &unit, &from, d));
    TRY(read_end(n, "to", &v->to, &unit_to, &to, d));
    TRY(ydoc_choice(n, "scale", scales, ARRAY_LEN(scales), &scale, d));
    TRY(ydoc_double(n, "step", YDOC_ABOVE_0, HUGE_VAL, &v->step, d));
    TRY(ydoc_map(n, "also", &also, d));
    if (strcmp(unit, unit_to) != 0)
        return ydoc_error(to, d, "found '%s', expected the unit of '%s', which the range begins with", to->text,
                          from->text);
    if (!(v->from < v->to)) return ydoc_error(n, d, "found the empty range %s to %s", from->text, to->text);
    if (v->step > 0 && v->step > v->to - v->from)
        return ydoc_error(ydoc_get(n, "step"), d, "found a step longer than the range");
    if (v->step > 0 && (v->to - v->from) / v->step > SEARCH_SETS_MAX)
        return ydoc_error(ydoc_get(n, "step"), d, "found more than %d steps", SEARCH_SETS_MAX);
    v->is_log = scale == 1;
    if (v->is_log && v->step > 0)
        return ydoc_key_error(ydoc_get(n, "step"), d, "found 'step' on a logarithmic scale, which has no equal steps");
    if (v->is_log && !(v->from > 0))
        return ydoc_error(from, d, "found '%s', expected more than 0 on a logarithmic scale", from->text);
    v->unit = mem_strdup(unit);
    for (size_t i = 0; also != NULL && i < also->n; i++) {
        double factor = 1;
        TRY(ydoc_node_double(also->at[i], YDOC_ABOVE_0, 1e12, &factor, d));
        TRY(add_place(v, also->at[i]->key, factor, also->at[i], d));
    }
    return ST_OK;
}

static enum st read_list(struct search_variable *v, const struct ydoc_node *n, struct diag *d)
{
    if (n->n < 2) return ydoc_expected(n, d, "at least two values to choose from");
    MEM_ARRAY(v->value, n->n);
    for (size_t i = 0; i < n->n; i++) {
        v->value[v->n_values++] = ydoc_flow(n->at[i]);
        for (size_t j = 0; j < i; j++)
            if (strcmp(v->value[i], v->value[j]) == 0)
                return ydoc_error(n->at[i], d, "found the value '%s' a second time", v->value[i]);
    }
    return ST_OK;
}

/* Of a size: counts of node groups, every one between two. */
static enum st check_count(struct search_variable *v, const struct ydoc_node *n, struct diag *d)
{
    static const char before[] = "cluster.groups.", after[] = ".count";
    const size_t len = strlen(v->name);
    if (strncmp(v->name, before, strlen(before)) != 0 || len < strlen(after) ||
        strcmp(v->name + len - strlen(after), after) != 0)
        return ydoc_key_error(n, d, "found '%s', expected the count of a node group, as cluster.groups.0.count: "
                              "promises are kept by a size", v->name);
    if (n->type != YDOC_MAP) return ydoc_expected(n, d, "a range of counts, such as {from: 1, to: 64}");
    if (!(v->step > 0)) v->step = 1;
    if (floor(v->from) < v->from || floor(v->step) < v->step || v->from < 0 || v->unit[0] != '\0')
        return ydoc_error(n, d, "found a range with a fraction, a unit or numbers below 0, expected whole numbers");
    if ((v->to - v->from) / v->step > SEARCH_SETS_MAX)
        return ydoc_error(n, d, "found more than %d sizes", SEARCH_SETS_MAX);
    return ST_OK;
}

static enum st read_variables(struct search_spec *s, const char *key, bool are_params, struct diag *d)
{
    const struct ydoc_node *map;
    TRY(ydoc_map(s->section, key, &map, d));
    for (size_t i = 0; map != NULL && i < map->n; i++) {
        const struct ydoc_node *n = map->at[i];
        if (s->n_variables == SEARCH_VARIABLES_MAX)
            return ydoc_key_error(n, d, "found more than %d variables", SEARCH_VARIABLES_MAX);
        struct search_variable *v = &s->variable[s->n_variables++];
        *v = (struct search_variable){ .name = n->key, .is_param = are_params, .node = n };
        TRY(add_place(v, n->key, 1, n, d));
        if (n->type == YDOC_LIST) TRY(read_list(v, n, d));
        else if (n->type == YDOC_MAP) TRY(read_range(v, n, d));
        else return ydoc_expected(n, d, "a list of values, such as [1, 2], or a range, such as {from: 1, to: 8}");
        if (s->method == SEARCH_SIZE) TRY(check_count(v, n, d));
    }
    return ST_OK;
}

/*
 * How the answer moves with the load: factors of trace.speedup, as one more variable, or of how many users a model
 * draws, whose bursts a speedup would shrink.  A load that is a share of the cluster's capacity would give every size
 * other jobs.
 */
static enum st read_loads(struct search_spec *s, struct diag *d)
{
    static const double usual[] = { 1.1, 1.2, 1.5 };
    static const char *const relative[] = { "load", "fill" };
    const struct ydoc_node *trace = ydoc_get(s->doc.root, "trace"), *list;
    const char *format = "";
    double as_stated = 1;
    TRY(ydoc_str(trace, "format", &format, d));
    const bool is_model = strcmp(format, "model") == 0;
    for (size_t i = 0; i < ARRAY_LEN(relative); i++) {
        const struct ydoc_node *n = ydoc_get(trace, relative[i]);
        if (n == NULL) continue;
        (void)ydoc_key_error(n, d, "found '%s', by which every size would meet other jobs: it is relative to the "
                             "cluster's capacity", relative[i]);
        return diag_hint(d, "state %s instead; `fairway trace stats --scenario` tells the load that it makes",
                         is_model ? "'model: {load: ...}'" : "'speedup'");
    }
    const struct ydoc_node *owner = is_model ? ydoc_get(trace, "model") : trace;
    if (owner != NULL) TRY(ydoc_double(owner, is_model ? "load" : "speedup", YDOC_ABOVE_0, 1e9, &as_stated, d));
    TRY(ydoc_list(s->section, "loads", &list, d));
    const size_t n = list != NULL ? list->n : ARRAY_LEN(usual);
    MEM_ARRAY(s->load, n + 1);
    s->load[s->n_loads++] = 1;
    for (size_t i = 0; i < n; i++) {
        double x = usual[list != NULL ? 0 : i];
        if (list != NULL) TRY(ydoc_node_double(list->at[i], YDOC_ABOVE_0, 1000, &x, d));
        if (x <= s->load[i]) return ydoc_expected(list->at[i], d, "loads above 1 that rise, such as [1.1, 1.2, 1.5]");
        s->load[s->n_loads++] = x;
    }
    if (n == 0) return ST_OK;
    if (s->n_variables == SEARCH_VARIABLES_MAX)
        return ydoc_key_error(s->section, d, "found %d variables, expected one less: the load is one",
                              SEARCH_VARIABLES_MAX);
    struct search_variable *v = &s->variable[s->n_variables++];
    *v = (struct search_variable){ .name = is_model ? "trace.model.load" : "trace.speedup", .node = s->section };
    TRY(add_place(v, v->name, 1, s->section, d));
    MEM_ARRAY(v->value, s->n_loads);
    while (v->n_values < s->n_loads) {
        v->value[v->n_values] = mem_printf("%.12g", as_stated * s->load[v->n_values]);
        v->n_values++;
    }
    return ST_OK;
}

/* ---- what is wanted ---- */

static enum st read_metric(struct search_metric *m, const struct ydoc_node *n, const char *key, struct diag *d)
{
    m->node = n;
    m->scope = "all";
    m->against = "";
    TRY(ydoc_str(n, key, &m->metric, d));
    TRY(ydoc_str(n, "policy", &m->policy, d));
    TRY(ydoc_str(n, "against", &m->against, d));
    TRY(ydoc_str(n, "scope", &m->scope, d));
    if (m->metric == NULL || m->policy == NULL)
        return ydoc_error(n, d, "found no '%s'", m->metric == NULL ? key : "policy");
    return ST_OK;
}

/* Of figures, of statements, and of single metrics. */
static enum st read_weights(struct search_spec *s, const struct ydoc_node *objective, struct diag *d)
{
    const struct ydoc_node *w;
    s->weight_figures = s->weight_statements = 1;
    TRY(ydoc_map(objective, "weights", &w, d));
    if (w == NULL) return ST_OK;
    MEM_ARRAY(s->weight, w->n);
    for (size_t i = 0; i < w->n; i++) {
        const char *key = w->at[i]->key;
        double x = 1;
        TRY(ydoc_double(w, key, 0, 1e6, &x, d));
        if (strcmp(key, "figures") == 0) s->weight_figures = x;
        else if (strcmp(key, "statements") == 0) s->weight_statements = x;
        else s->weight[s->n_weights++] = (struct search_weight){ key, x, w->at[i] };
    }
    if (s->weight_figures + s->weight_statements > 0) return ST_OK;
    return ydoc_error(w, d, "found no weight above 0");
}

static enum st read_figures(struct search_spec *s, const struct ydoc_node *n, struct diag *d)
{
    const char *text = NULL;
    TRY(ydoc_str(n, "figures", &text, d));
    s->has_figures = true;
    s->figures = strcmp(text, "published") == 0 ? NULL : text;
    s->figures_node = ydoc_get(n, "figures");
    TRY(ydoc_double(n, "missed", 0, 1e6, &s->missed, d));
    return read_weights(s, n, d);
}

static enum st read_best(const struct ydoc_node *n, struct search_metric *m, bool *maximise, struct diag *d)
{
    static const char *const keys[] = { "minimise", "maximise", "policy", "against", "scope" };
    if (n->type != YDOC_MAP) return ydoc_expected(n, d, "an objective, such as {minimise: wait_mean, policy: easy}");
    TRY(ydoc_keys(n, "the objective", keys, ARRAY_LEN(keys), d));
    *maximise = ydoc_get(n, "maximise") != NULL;
    if (*maximise == (ydoc_get(n, "minimise") != NULL))
        return ydoc_error(n, d, "expected one of 'minimise', 'maximise' and 'figures' in the objective");
    return read_metric(m, n, *maximise ? "maximise" : "minimise", d);
}

/* {minimise: nodes} */
static enum st read_size(struct search_spec *s, const struct ydoc_node *n, struct diag *d)
{
    static const char *const keys[] = { "minimise" }, *const of[] = { "nodes", "cost" };
    uint32_t what = 0;
    TRY(ydoc_keys(n, "the objective of a search with promises", keys, ARRAY_LEN(keys), d));
    TRY(ydoc_choice(n, "minimise", of, ARRAY_LEN(of), &what, d));
    s->is_cost = what == 1;
    return ST_OK;
}

static enum st read_objective(struct search_spec *s, struct diag *d)
{
    static const char *const by_figures[] = { "figures", "weights", "missed" };
    const struct ydoc_node *n = s->objective = ydoc_get(s->section, "objective");
    if (n == NULL) return ydoc_key_error(s->section, d, "found a search without 'objective'");
    if (s->method == SEARCH_RACE && n->type == YDOC_LIST) {
        if (n->n != 2) return ydoc_error(n, d, "found %zu objectives, expected one, or two for a front", n->n);
        TRY(read_best(n->at[0], &s->metric, &s->maximise, d));
        return read_best(n->at[1], &s->second, &s->maximise_second, d);
    }
    TRY(ydoc_map(s->section, "objective", &n, d));
    if (s->method == SEARCH_SIZE) return read_size(s, n, d);
    if (s->method == SEARCH_NEAREST && ydoc_get(n, "figures") != NULL) {
        TRY(ydoc_keys(n, "an objective of figures", by_figures, ARRAY_LEN(by_figures), d));
        return read_figures(s, n, d);
    }
    return read_best(n, &s->metric, &s->maximise, d);
}

/* Limits of any search, promises of a size. */
static enum st read_limits(struct search_spec *s, const char *key, struct diag *d)
{
    static const char *const keys[] = { "metric", "policy", "against", "scope", "at_least", "at_most" };
    const struct ydoc_node *list;
    TRY(ydoc_list(s->section, key, &list, d));
    if (list == NULL) return ST_OK;
    if (s->method == SEARCH_SIZE && list->n == 0) return ydoc_expected(list, d, "at least one promise");
    MEM_ARRAY(s->limit, list->n);
    for (size_t i = 0; i < list->n; i++) {
        const struct ydoc_node *n = list->at[i];
        struct search_limit *l = &s->limit[s->n_limits++];
        if (n->type != YDOC_MAP)
            return ydoc_expected(n, d, "a map such as {policy: easy, metric: wait_p95, at_most: 3600}");
        TRY(ydoc_keys(n, s->method == SEARCH_SIZE ? "a promise" : "a limit", keys, ARRAY_LEN(keys), d));
        TRY(read_metric(&l->of, n, "metric", d));
        l->is_least = ydoc_get(n, "at_least") != NULL;
        if (l->is_least == (ydoc_get(n, "at_most") != NULL))
            return ydoc_error(n, d, "expected one of 'at_least' and 'at_most' in a %s",
                              s->method == SEARCH_SIZE ? "promise" : "limit");
        TRY(ydoc_double(n, l->is_least ? "at_least" : "at_most", -HUGE_VAL, HUGE_VAL, &l->bound, d));
    }
    return ST_OK;
}

/* ---- how long, with which seeds ---- */

static enum st read_budget(struct search_spec *s, struct diag *d)
{
    static const char *const keys[] = { "runs", "minutes" };
    const struct ydoc_node *n = ydoc_get(s->section, "budget");
    int64_t runs = 0;
    s->budget_node = n;
    if (n == NULL)
        return ydoc_key_error(s->section, d, "found a search without 'budget': {runs: 500} or {minutes: 10}");
    if (n->type != YDOC_MAP) return ydoc_expected(n, d, "{runs: 500} or {minutes: 10}");
    TRY(ydoc_keys(n, "the budget", keys, ARRAY_LEN(keys), d));
    TRY(ydoc_int(n, "runs", 1, INT64_MAX, &runs, d));
    TRY(ydoc_double(n, "minutes", YDOC_ABOVE_0, 1e6, &s->budget_s, d));
    s->budget_s *= 60;
    s->budget_runs = (uint64_t)runs;
    return n->n == 1 ? ST_OK : ydoc_expected(n, d, "one of 'runs' and 'minutes'");
}

size_t search_seeds_at(const struct search_spec *s, size_t looks) { return s->n_seeds << (looks - 1); }

/* The seeds of every look: those of the first, then as many as there are, after the highest, again and again. */
static enum st read_looks(struct search_spec *s, struct diag *d)
{
    int64_t looks = 4;
    s->looks = 1;
    if (s->method == SEARCH_NEAREST) return ST_OK;
    TRY(ydoc_int(s->section, "looks", 1, SEARCH_LOOKS_MAX, &looks, d));
    s->looks = (size_t)looks;
    s->confidence = 0.95;
    TRY(ydoc_double(s->section, "confidence", 0.5, 0.9999, &s->confidence, d));
    return ST_OK;
}

/* The first of n seeds after the highest of those that there are. */
static void seeds_after(const uint64_t *seed, size_t n_before, uint64_t *out, size_t n)
{
    uint64_t most = 0;
    for (size_t i = 0; i < n_before; i++) if (seed[i] > most) most = seed[i];
    for (size_t i = 0; i < n; i++) out[i] = most + 1 + i;
}

/* The seeds of the search, and those that it never sees: as many again after the highest, unless they are given. */
static enum st read_search_seeds(struct search_spec *s, struct diag *d)
{
    struct scn_asked asked = { .seed = NULL }, fresh = { .seed = NULL };
    const struct ydoc_node *own = ydoc_get(s->section, "seeds"), *given = ydoc_get(s->section, "fresh_seeds");
    enum st st = scn_read_seeds(&asked, own != NULL ? s->section : s->doc.root, "seeds", d);
    if (st == ST_OK && given != NULL) st = scn_read_seeds(&fresh, s->section, "fresh_seeds", d);
    s->n_seeds = asked.n_seeds;
    const size_t n_all = search_seeds_at(s, s->looks);
    s->seed = mem_grow(asked.seed, n_all + 1, sizeof *s->seed);
    seeds_after(s->seed, s->n_seeds, s->seed + s->n_seeds, n_all - s->n_seeds);
    if (st == ST_OK && n_all > SCN_SEEDS_MAX)
        st = ydoc_key_error(s->section, d, "found %zu seeds in %zu looks, expected at most %d", n_all, s->looks,
                            SCN_SEEDS_MAX);
    s->has_fresh = given != NULL;
    s->n_fresh = s->has_fresh ? fresh.n_seeds : n_all;
    if (s->has_fresh) s->fresh_seed = fresh.seed;
    else MEM_ARRAY(s->fresh_seed, s->n_fresh);
    if (!s->has_fresh) seeds_after(s->seed, n_all, s->fresh_seed, s->n_fresh);
    for (size_t i = 0; s->has_fresh && i < s->n_fresh && st == ST_OK; i++)
        for (size_t k = 0; k < n_all && st == ST_OK; k++)
            if (s->fresh_seed[i] == s->seed[k])
                st = ydoc_error(given, d, "found seed %llu, which the search itself uses",
                                (unsigned long long)s->seed[k]);
    return st;
}

static enum st read_sizes(struct search_spec *s, struct diag *d)
{
    int64_t samples = 0, starts = 3, best = 5, draw = 1;
    TRY(ydoc_int(s->section, "samples", 1, SEARCH_SETS_MAX, &samples, d));
    TRY(ydoc_int(s->section, "starts", 0, 1000, &starts, d));
    TRY(ydoc_int(s->section, "best", 1, 100, &best, d));
    TRY(ydoc_int(s->section, "draw", 0, INT64_MAX, &draw, d));
    s->samples = (size_t)samples;
    s->starts = (size_t)starts;
    s->best = (size_t)best;
    s->draw = (uint64_t)draw;
    return ST_OK;
}

/* ---- the whole ---- */

static enum st read_with(struct search_spec *s, struct diag *d)
{
    const struct ydoc_node *list;
    TRY(ydoc_list(s->section, "with", &list, d));
    if (list == NULL) return ST_OK;
    MEM_ARRAY(s->with, list->n);
    for (size_t i = 0; i < list->n; i++) {
        const char *name;
        struct diag own = { 0 };
        TRY(ydoc_node_str(list->at[i], &name, d));
        char *path = find_file(s->path, name, &own);
        if (path == NULL) return scn_at(list->at[i], &own, d);
        s->with[s->n_with++] = path;
    }
    return ST_OK;
}

static enum st read_section(struct search_spec *s, struct diag *d)
{
    /* Of each method: what the others have is no key of it. */
    static const char *const nearest[] = { "with",   "set",     "params", "objective", "limits", "seeds", "fresh_seeds",
                                           "budget", "samples", "starts", "best",      "draw",   "race" },
                             *const size[] = { "set",         "objective", "promises",   "loads", "seeds",
                                               "fresh_seeds", "looks",     "confidence", "budget" },
                             *const race[] = { "set",        "params", "objective", "seeds", "fresh_seeds", "looks",
                                               "confidence", "budget", "samples",   "draw",  "race" };
    bool is_race = false;
    if (s->section->type != YDOC_MAP)
        return ydoc_expected(s->section, d, "a map with set or params, an objective and a budget");
    TRY(ydoc_bool(s->section, "race", &is_race, d));
    s->method = ydoc_get(s->section, "promises") != NULL ? SEARCH_SIZE : is_race ? SEARCH_RACE : SEARCH_NEAREST;
    if (s->method == SEARCH_SIZE)
        TRY(ydoc_keys(s->section, "a search with promises", size, ARRAY_LEN(size), d));
    else if (is_race) TRY(ydoc_keys(s->section, "a search by a race", race, ARRAY_LEN(race), d));
    else TRY(ydoc_keys(s->section, "the search section", nearest, ARRAY_LEN(nearest), d));
    MEM_ARRAY(s->variable, SEARCH_VARIABLES_MAX);
    TRY(read_variables(s, "set", false, d));
    TRY(read_variables(s, "params", true, d));
    if (s->n_variables == 0)
        return ydoc_key_error(s->section, d, "found a search without variables: name some under 'set' or 'params'");
    if (s->method == SEARCH_SIZE) TRY(read_loads(s, d));
    TRY(read_objective(s, d));
    TRY(read_limits(s, s->method == SEARCH_SIZE ? "promises" : "limits", d));
    TRY(read_budget(s, d));
    TRY(read_sizes(s, d));
    TRY(read_looks(s, d));
    TRY(read_search_seeds(s, d));
    return read_with(s, d);
}

static enum st load(struct search_spec *s, const char *path, struct diag *d)
{
    s->path = mem_strdup(path);
    s->section = ydoc_get(s->doc.root, "search");
    if (s->section == NULL)
        return diag_at(d, ST_EINPUT, path, 0, 0, "found no 'search' section, which says what is searched for");
    return read_section(s, d);
}

enum st search_load(struct search_spec *s, const char *path, const char *const *set, size_t n_set, struct diag *d)
{
    *s = (struct search_spec){ .path = NULL };
    TRY(ydoc_load(&s->doc, path, d));
    enum st st = ST_OK;
    for (size_t i = 0; i < n_set && st == ST_OK; i++) st = ydoc_set(&s->doc, set[i], d);
    if (st == ST_OK) st = load(s, path, d);
    if (st != ST_OK) search_fini(s);
    return st;
}

enum st search_check(const char *path, const struct ydoc *y, struct diag *d)
{
    struct search_spec s = { .path = NULL };
    if (ydoc_get(y->root, "search") == NULL) return ST_OK;
    ydoc_copy(&s.doc, y);
    enum st st = load(&s, path, d);
    search_fini(&s);
    return st;
}

void search_fini(struct search_spec *s)
{
    for (size_t i = 0; i < s->n_variables; i++) {
        struct search_variable *v = &s->variable[i];
        for (size_t k = 0; k < v->n_places; k++) { mem_free(v->place[k].scenario); mem_free(v->place[k].path); }
        for (size_t k = 0; k < v->n_values; k++) mem_free(v->value[k]);
        mem_free(v->place);
        mem_free(v->value);
        mem_free(v->unit);
    }
    for (size_t i = 0; i < s->n_with; i++) mem_free(s->with[i]);
    mem_free(s->variable);
    mem_free(s->with);
    mem_free(s->load);
    mem_free(s->limit);
    mem_free(s->weight);
    mem_free(s->seed);
    mem_free(s->fresh_seed);
    mem_free(s->path);
    ydoc_fini(&s->doc);
    *s = (struct search_spec){ .path = NULL };
}

/* sweep.c -- the form of a `sweep` section, and its cases: case k is the document with digit k of each path put in. */
#include "input/scenario/sweep.h"

#include <string.h>
#include "base/mem.h"
#include "input/scenario/section.h"

enum { CHANGES_MAX = 1000 };

/* ---- the section's form ---- */

static enum st not_twice(const struct ydoc_node *list, struct diag *d)
{
    enum st st = ST_OK;
    char **text;
    MEM_ARRAY(text, list->n);
    for (size_t i = 0; i < list->n; i++) {
        text[i] = ydoc_flow(list->at[i]);
        for (size_t j = 0; j < i && st == ST_OK; j++)
            if (strcmp(text[i], text[j]) == 0) st = ydoc_error(list->at[i], d, "found the value '%s' a second time", text[i]);
    }
    for (size_t i = 0; i < list->n; i++) mem_free(text[i]);
    mem_free(text);
    return st;
}

/* Entries that are lists of values, none twice. */
static enum st check_lists(const struct ydoc_node *map, struct diag *d)
{
    for (size_t i = 0; map != NULL && i < map->n; i++) {
        const struct ydoc_node *list = map->at[i];
        if (list->type != YDOC_LIST || list->n == 0) return ydoc_expected(list, d, "a list of the values to try, such as [0.8, 1.0]");
        TRY(not_twice(list, d));
    }
    return ST_OK;
}

static enum st check_path(const struct ydoc_node *axis, const char *under, struct diag *d)
{
    if (!scn_is_asked(axis->key)) return ST_OK;
    (void)ydoc_key_error(axis, d, "found '%s' under '%s', where it cannot be swept", axis->key, under);
    return diag_hint(d, "policies, params and seeds have keys of their own under 'sweep'");
}

/* Cases that are listed one by one, in place of a product. */
static enum st check_cases(const struct ydoc_node *sweep, struct diag *d)
{
    static const char *const keys[] = { "set", "params" };
    const struct ydoc_node *list;
    TRY(ydoc_list(sweep, "cases", &list, d));
    if (list == NULL) return ST_OK;
    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        if (ydoc_get(sweep, keys[i]) != NULL)
            return ydoc_key_error(ydoc_get(sweep, keys[i]), d, "found '%s' beside 'cases', which say all that is set", keys[i]);
    if (list->n == 0 || list->n > SWEEP_CASES_MAX) return ydoc_expected(list, d, "1 to %d cases", SWEEP_CASES_MAX);
    for (size_t i = 0; i < list->n; i++) {
        const struct ydoc_node *set, *params;
        if (list->at[i]->type != YDOC_MAP) return ydoc_expected(list->at[i], d, "a case, such as {set: {trace.load: 0.8}}");
        TRY(ydoc_keys(list->at[i], "a case", keys, ARRAY_LEN(keys), d));
        TRY(ydoc_map(list->at[i], "set", &set, d));
        TRY(ydoc_map(list->at[i], "params", &params, d));
        for (size_t k = 0; set != NULL && k < set->n; k++) TRY(check_path(set->at[k], "set", d));
    }
    return not_twice(list, d);
}

/* Do two paths set the same, or one a part of what the other sets? */
static bool overlap(const char *a, const char *b)
{
    const size_t n = strlen(a), m = strlen(b), least = n < m ? n : m;
    return strncmp(a, b, least) == 0 && (n == m || (n < m ? b : a)[least] == '.');
}

/* Are there two changes that cannot be made both? */
static bool any_overlap(const struct ydoc_node *changes)
{
    for (size_t i = 0; i < changes->n; i++)
        for (size_t j = 0; j < i; j++)
            for (size_t a = 0; a < changes->at[i]->n; a++)
                for (size_t b = 0; b < changes->at[j]->n; b++)
                    if (overlap(changes->at[i]->at[a]->key, changes->at[j]->at[b]->key)) return true;
    return false;
}

/* Changes by name, in place of a product. */
static enum st check_changes(const struct ydoc_node *sweep, struct diag *d)
{
    static const char *const others[] = { "set", "cases" };
    const struct ydoc_node *map;
    TRY(ydoc_map(sweep, "changes", &map, d));
    if (map == NULL) return ST_OK;
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        if (ydoc_get(sweep, others[i]) != NULL)
            return ydoc_key_error(ydoc_get(sweep, others[i]), d, "found '%s' beside 'changes', which say all that is set",
                                  others[i]);
    if (map->n == 0 || map->n > CHANGES_MAX) return ydoc_expected(map, d, "1 to %d changes", CHANGES_MAX);
    for (size_t i = 0; i < map->n; i++) {
        const struct ydoc_node *change = map->at[i];
        if (strcmp(change->key, SWEEP_BASE) == 0 || strcmp(change->key, SWEEP_ALL) == 0)
            return ydoc_key_error(change, d, "found a change '%s', which is a case of its own", change->key);
        if (change->type != YDOC_MAP || change->n == 0)
            return ydoc_expected(change, d, "what the change sets, such as {trace.load: 0.8}");
        for (size_t k = 0; k < change->n; k++) TRY(check_path(change->at[k], "changes", d));
    }
    return ST_OK;
}

enum st scn_check_sweep(const struct ydoc_node *sweep, struct diag *d)
{
    static const char *const keys[] = { "policies", "params", "seeds", "set", "cases", "changes" };
    const struct ydoc_node *set, *params;
    if (sweep == NULL) return ST_OK;
    if (sweep->type != YDOC_MAP) return ydoc_expected(sweep, d, "a map with policies, params, seeds, set, cases or changes");
    TRY(ydoc_keys(sweep, "the sweep section", keys, ARRAY_LEN(keys), d));
    TRY(check_cases(sweep, d));
    TRY(check_changes(sweep, d));
    TRY(ydoc_map(sweep, "set", &set, d));
    TRY(ydoc_map(sweep, "params", &params, d));
    TRY(check_lists(set, d));
    TRY(check_lists(params, d));
    size_t n = 1;
    for (size_t i = 0; set != NULL && i < set->n; i++) {
        TRY(check_path(set->at[i], "set", d));
        if ((n *= set->at[i]->n) > SWEEP_CASES_MAX)
            return ydoc_key_error(set->at[i], d, "found more than %d combinations under 'set'", SWEEP_CASES_MAX);
    }
    return ST_OK;
}

enum st scn_read_asked(struct scn_asked *s, const struct ydoc_node *root, const struct ydoc_node *sweep, struct diag *d)
{
    const struct ydoc_node *params;
    TRY(scn_read_policies(s, ydoc_get(sweep, "policies") != NULL ? sweep : root, d));
    TRY(ydoc_map(sweep, "params", &params, d));
    for (size_t i = 0; params != NULL && i < params->n; i++) TRY(scn_sweep_param(s, params->at[i], d));
    return scn_read_seeds(s, ydoc_get(sweep, "seeds") != NULL ? sweep : root, "seeds", d);
}

/* ---- the cases ---- */

static void append(char **text, const char *a, const char *b, const char *c)
{
    size_t n = strlen(*text), more = strlen(a) + strlen(b) + strlen(c) + 1;
    *text = mem_grow(*text, n + more, 1);
    (void)snprintf(*text + n, more, "%s%s%s", a, b, c);
}

enum st sweep_load(struct sweep *w, const char *path, const char *const *set, size_t n_set, struct diag *d)
{
    memset(w, 0, sizeof *w);
    TRY(ydoc_load(&w->doc, path, d));
    enum st st = ST_OK;
    w->given = scn_variant(set, n_set);
    for (size_t i = 0; i < n_set && st == ST_OK; i++) st = ydoc_set(&w->doc, set[i], d);
    w->path = mem_strdup(path);
    w->section = ydoc_get(w->doc.root, "sweep");
    if (st == ST_OK) st = scn_check_sweep(w->section, d);
    if (st == ST_OK) {
        w->set = ydoc_get(w->section, "set");
        w->cases = ydoc_get(w->section, "cases");
        w->changes = ydoc_get(w->section, "changes");
        w->has_all = w->changes != NULL && w->changes->n > 1 && !any_overlap(w->changes);
        w->n_cases = w->cases != NULL ? w->cases->n : w->changes != NULL ? 1 + w->changes->n + w->has_all : 1;
        for (size_t i = 0; w->set != NULL && i < w->set->n; i++) w->n_cases *= w->set->at[i]->n;
    }
    if (st != ST_OK) sweep_fini(w);
    return st;
}

void sweep_fini(struct sweep *w)
{
    ydoc_fini(&w->doc);
    mem_free(w->path);
    mem_free(w->given);
    memset(w, 0, sizeof *w);
}

/* Put the value at the path that the key of `axis` is, and say so in the variant. */
static enum st put_value(struct scenario *out, struct ydoc *y, const struct ydoc_node *axis, const struct ydoc_node *value, struct diag *d)
{
    char *text = ydoc_flow(value);
    append(&out->id.variant, out->id.variant[0] != '\0' ? ", " : "", axis->key, "=");
    append(&out->id.variant, text, "", "");
    mem_free(text);
    return ydoc_put(y, axis->key, axis, value, d);
}

enum st sweep_case(const struct sweep *w, size_t k, struct scenario *out, struct diag *d)
{
    struct ydoc y;
    enum st st = ST_OK;
    size_t n = w->n_cases;
    const struct ydoc_node *own = w->cases != NULL ? w->cases->at[k] : NULL;
    const struct ydoc_node *set = ydoc_get(own, "set"), *params = ydoc_get(own, "params");
    memset(out, 0, sizeof *out);
    out->id.variant = mem_strdup(w->given);
    out->asked.has_sweep = w->section != NULL;
    ydoc_copy(&y, &w->doc);
    for (size_t i = 0; w->set != NULL && i < w->set->n && st == ST_OK; i++) {
        const struct ydoc_node *axis = w->set->at[i];
        n /= axis->n;
        st = put_value(out, &y, axis, axis->at[k / n % axis->n], d);
    }
    for (size_t c = 0; w->changes != NULL && c < w->changes->n; c++)
        for (size_t i = 0; (k == c + 1 || k > w->changes->n) && i < w->changes->at[c]->n && st == ST_OK; i++)
            st = put_value(out, &y, w->changes->at[c]->at[i], w->changes->at[c]->at[i], d);
    for (size_t i = 0; set != NULL && i < set->n && st == ST_OK; i++) st = put_value(out, &y, set->at[i], set->at[i], d);
    if (st == ST_OK) {
        st = scn_read(out, w->path, &y, w->section, d);         /* on error *out is empty again */
        for (size_t i = 0; params != NULL && i < params->n && st == ST_OK; i++)
            if ((st = scn_set_param(&out->asked, params->at[i], d)) != ST_OK) scn_fini(out);
    } else {
        scn_fini(out);
    }
    ydoc_fini(&y);
    return st;
}

const char *sweep_change(const struct sweep *w, size_t k)
{
    return k == 0 ? SWEEP_BASE : k > w->changes->n ? SWEEP_ALL : w->changes->at[k - 1]->key;
}

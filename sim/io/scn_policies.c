/* The policies section: strings as -p takes them, or maps.  What they mean is the app's to check. */
#include "io/scn_read.h"

#include <string.h>
#include "base/mem.h"

/* Text inside a spec must not hold what separates its parts. */
static enum st plain_part(const struct ynode *n, const char *text, const char *bad, struct diag *d)
{
    if (text[0] != '\0' && text[strcspn(text, bad)] == '\0') return ST_OK;
    return ydoc_error(n, d, "found '%s', expected text without any of %s", text, bad);
}

static void add(char **spec, const char *a, const char *b, const char *c)
{
    size_t n = strlen(*spec), more = strlen(a) + strlen(b) + strlen(c) + 1;
    *spec = mem_grow(*spec, n + more, 1);
    (void)snprintf(*spec + n, more, "%s%s%s", a, b, c);
}

/* One parameter of a map: scalars as they are, lists "a;b", maps "k:v;k:v". */
static enum st add_param(const struct ynode *v, char **spec, bool is_first, struct diag *d)
{
    TRY(plain_part(v, v->key, ",;=:", d));
    add(spec, is_first ? ":" : ",", v->key, "=");
    if (v->kind == Y_SCALAR) {
        if (ydoc_is_null(v)) return ydoc_expected(v, d, "a value");
        TRY(plain_part(v, v->text, ",", d));
        add(spec, v->text, "", "");
        return ST_OK;
    }
    if (v->n == 0) return ydoc_expected(v, d, "at least one entry");
    for (size_t i = 0; i < v->n; i++) {
        const char *text;
        TRY(ydoc_node_str(v->at[i], &text, d));
        TRY(plain_part(v->at[i], text, ",;=:", d));
        if (v->kind == Y_MAP) {
            TRY(plain_part(v->at[i], v->at[i]->key, ",;=:", d));
            add(spec, i > 0 ? ";" : "", v->at[i]->key, ":");
            add(spec, text, "", "");
        } else {
            add(spec, i > 0 ? ";" : "", text, "");
        }
    }
    return ST_OK;
}

/* {exec: COMMAND, label: ...}: the command says all the rest. */
static enum st read_exec(const struct ynode *n, const char *command, char **spec, struct diag *d)
{
    for (size_t i = 0; i < n->n; i++)
        if (strcmp(n->at[i]->key, "exec") != 0 && strcmp(n->at[i]->key, "label") != 0)
            return ydoc_error(n->at[i], d, "found '%s' beside 'exec', expected 'label' alone: what a command takes is written in it", n->at[i]->key);
    add(spec, "exec:", command, "");
    return ST_OK;
}

static enum st read_map(const struct ynode *n, char **spec, const char **label, struct diag *d)
{
    const char *name = NULL, *command = NULL;
    TRY(ydoc_str(n, "name", &name, d));
    TRY(ydoc_str(n, "exec", &command, d));
    TRY(ydoc_str(n, "label", label, d));
    if (command != NULL) return read_exec(n, command, spec, d);
    if (name == NULL) return ydoc_error(n, d, "found a policy without 'name'");
    TRY(plain_part(ydoc_get(n, "name"), name, ",;=:", d));
    add(spec, name, "", "");
    bool is_first = true;
    for (size_t i = 0; i < n->n; i++) {
        const char *key = n->at[i]->key;
        if (strcmp(key, "name") == 0 || strcmp(key, "label") == 0) continue;
        TRY(add_param(n->at[i], spec, is_first, d));
        is_first = false;
    }
    return ST_OK;
}

static enum st read_one(struct scenario *s, const struct ynode *n, struct diag *d)
{
    if (n->kind == Y_LIST || ydoc_is_null(n)) return ydoc_expected(n, d, "a policy, such as drf:place=pack or {name: drf, place: pack}");
    MEM_RESERVE(s->policy, s->cap_policies, s->n_policies + 1);
    struct scn_policy *p = &s->policy[s->n_policies++];
    const char *label = NULL, *spec = NULL;
    p->line = n->line;
    p->col = n->col;
    p->spec = mem_strdup("");
    if (n->kind == Y_MAP) {
        TRY(read_map(n, &p->spec, &label, d));
    } else {
        TRY(ydoc_node_str(n, &spec, d));
        add(&p->spec, spec, "", "");
    }
    p->label = mem_strdup(label != NULL ? label : p->spec);
    for (size_t i = 0; i + 1 < s->n_policies; i++) {
        if (strcmp(s->policy[i].label, p->label) != 0) continue;
        enum st st = ydoc_error(n, d, "found policy '%s' a second time", p->label);
        diag_hint(d, "give each a 'label' of its own: {name: ..., label: ...}");
        return st;
    }
    return ST_OK;
}

enum st scn_read_policies(struct scenario *s, const struct ynode *root, struct diag *d)
{
    const struct ynode *list;
    TRY(ydoc_list(root, "policies", &list, d));
    if (list != NULL && list->n == 0) return ydoc_expected(list, d, "at least one policy");
    for (size_t i = 0; list != NULL && i < list->n; i++) TRY(read_one(s, list->at[i], d));
    return ST_OK;
}

/* The policies section: strings as -p takes them, or maps; and a sweep's parameters
 * written into them.  What they mean is checked where policies are created (sim/host). */
#include "input/scenario/section.h"

#include <string.h>
#include "base/mem.h"

/* Text inside a spec must not hold what separates its parts. */
static enum st plain_part(const struct ydoc_node *n, const char *text, const char *bad, struct diag *d)
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
static enum st add_param(const struct ydoc_node *v, const char *key, char **spec, struct diag *d)
{
    TRY(plain_part(v, key, ",;=:", d));
    add(spec, strchr(*spec, ':') == NULL ? ":" : ",", key, "=");
    if (v->type == YDOC_SCALAR) {
        if (ydoc_is_null(v)) return ydoc_expected(v, d, "a value");
        /* Commas between and in brackets belong to the value. */
        bool is_list = v->text[0] == '[' || strncmp(v->text, "shares:[", 8) == 0;
        if (!is_list) TRY(plain_part(v, v->text, ",", d));
        add(spec, v->text, "", "");
        return ST_OK;
    }
    if (v->n == 0) return ydoc_expected(v, d, "at least one entry");
    for (size_t i = 0; i < v->n; i++) {
        const char *text;
        TRY(ydoc_node_str(v->at[i], &text, d));
        TRY(plain_part(v->at[i], text, ",;=:", d));
        if (v->type == YDOC_MAP) {
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
static enum st read_exec(const struct ydoc_node *n, const char *command, char **spec, struct diag *d)
{
    for (size_t i = 0; i < n->n; i++)
        if (strcmp(n->at[i]->key, "exec") != 0 && strcmp(n->at[i]->key, "label") != 0)
            return ydoc_error(n->at[i], d, "found '%s' beside 'exec', expected 'label' alone: what a command takes is written in it", n->at[i]->key);
    add(spec, "exec:", command, "");
    return ST_OK;
}

static enum st read_map(const struct ydoc_node *n, char **spec, const char **label, struct diag *d)
{
    const char *name = NULL, *command = NULL;
    TRY(ydoc_str(n, "name", &name, d));
    TRY(ydoc_str(n, "exec", &command, d));
    TRY(ydoc_str(n, "label", label, d));
    if (command != NULL) return read_exec(n, command, spec, d);
    if (name == NULL) return ydoc_error(n, d, "found a policy without 'name'");
    TRY(plain_part(ydoc_get(n, "name"), name, ",;=:", d));
    add(spec, name, "", "");
    for (size_t i = 0; i < n->n; i++) {
        const char *key = n->at[i]->key;
        if (strcmp(key, "name") == 0 || strcmp(key, "label") == 0) continue;
        TRY(add_param(n->at[i], key, spec, d));
    }
    return ST_OK;
}

static enum st read_one(struct scn_asked *s, const struct ydoc_node *n, struct diag *d)
{
    if (n->type == YDOC_LIST || ydoc_is_null(n)) return ydoc_expected(n, d, "a policy, such as drf:place=pack or {name: drf, place: pack}");
    struct scn_policy *p = MEM_NEXT(s->policy, s->n_policies, s->cap_policies);
    const char *label = NULL, *spec = NULL;
    p->line = n->line;
    p->col = n->col;
    p->spec = mem_strdup("");
    if (n->type == YDOC_MAP) {
        TRY(read_map(n, &p->spec, &label, d));
    } else {
        TRY(ydoc_node_str(n, &spec, d));
        add(&p->spec, spec, "", "");
    }
    p->label = mem_strdup(label != NULL ? label : p->spec);
    for (size_t i = 0; i + 1 < s->n_policies; i++) {
        if (strcmp(s->policy[i].label, p->label) != 0) continue;
        (void)ydoc_error(n, d, "found policy '%s' a second time", p->label);
        return diag_hint(d, "give each a 'label' of its own: {name: ..., label: ...}");
    }
    return ST_OK;
}

enum st scn_read_policies(struct scn_asked *s, const struct ydoc_node *root, struct diag *d)
{
    const struct ydoc_node *list;
    TRY(ydoc_list(root, "policies", &list, d));
    if (list != NULL && list->n == 0) return ydoc_expected(list, d, "at least one policy");
    for (size_t i = 0; list != NULL && i < list->n; i++) TRY(read_one(s, list->at[i], d));
    return ST_OK;
}

/* ---- a sweep's parameters ---- */

static bool states(const char *spec, const char *key)
{
    size_t n = strlen(key);
    for (const char *at = strpbrk(spec, ":,"); at != NULL; at = strchr(at + 1, ','))
        if (strncmp(at + 1, key, n) == 0 && at[1 + n] == '=') return true;
    return false;
}

static bool is_called(const struct scn_policy *p, const char *name, size_t n)
{
    bool by_name = strcspn(p->spec, ":") == n && strncmp(p->spec, name, n) == 0;
    return by_name || (strlen(p->label) == n && strncmp(p->label, name, n) == 0);
}

/* p with the parameter at this value; a label that is the spec follows it. */
static enum st with_param(const struct scn_policy *p, const char *key, const struct ydoc_node *v, struct scn_policy *out, struct diag *d)
{
    out->line = v->line;
    out->col = v->col;
    out->spec = mem_strdup(p->spec);
    out->label = mem_strdup("");
    TRY(add_param(v, key, &out->spec, d));
    if (strcmp(p->spec, p->label) == 0) add(&out->label, out->spec, "", "");
    else add(&out->label, p->label, " ", out->spec + strlen(p->spec) + 1);
    return ST_OK;
}

static enum st no_such_policy(const struct scn_policy *p, size_t n, const struct ydoc_node *param, size_t len, struct diag *d)
{
    char **names, *name = mem_strndup(param->key, len);
    MEM_ARRAY(names, 2 * n);
    for (size_t i = 0; i < n; i++) {
        names[i] = mem_strdup(p[i].label);
        names[n + i] = mem_strndup(p[i].spec, strcspn(p[i].spec, ":"));
    }
    enum st st = ydoc_key_error(param, d, "found no policy '%s' in this sweep", name);
    const char *near = diag_nearest(name, (const char *const *)names, 2 * n);
    if (near != NULL) diag_hint(d, "did you mean '%s.%s'?", near, param->key + len + 1);
    for (size_t i = 0; i < 2 * n; i++) mem_free(names[i]);
    mem_free(names);
    mem_free(name);
    return st;
}

/* Where the parameter's name begins in "POLICY.PARAMETER"; NULL with the error when it is not so made. */
static const char *param_name(const struct ydoc_node *param, struct diag *d)
{
    const char *dot = strrchr(param->key, '.');
    if (dot != NULL && dot != param->key && dot[1] != '\0') return dot + 1;
    (void)ydoc_key_error(param, d, "found '%s', expected POLICY.PARAMETER, such as gsd.second_after", param->key);
    return NULL;
}

static enum st not_a_command(const struct scn_policy *p, const struct ydoc_node *param, struct diag *d)
{
    if (strncmp(p->spec, "exec:", 5) != 0) return ST_OK;
    return ydoc_key_error(param, d, "found a parameter of '%s' swept, a program whose command line holds all it is told",
                          p->label);
}

/* May this policy get a value of the parameter for each run? */
static enum st can_vary(const struct scn_policy *p, const struct ydoc_node *param, const char *name, struct diag *d)
{
    TRY(not_a_command(p, param, d));
    if (states(p->spec, name))
        return ydoc_key_error(param, d, "found '%s' swept, which the policy '%s' states itself", name, p->label);
    return ST_OK;
}

/* Take "NAME=VALUE" out of the spec; commas in brackets belong to the value. */
static void drop_param(char *spec, const char *name)
{
    size_t n = strlen(name), depth = 0;
    char *at = strchr(spec, ':'), *end;
    while (at != NULL && (strncmp(at + 1, name, n) != 0 || at[1 + n] != '=')) at = strchr(at + 1, ',');
    if (at == NULL) return;
    for (end = at + 1; *end != '\0' && (*end != ',' || depth > 0); end++)
        depth = *end == '[' ? depth + 1 : *end == ']' && depth > 0 ? depth - 1 : depth;
    if (*end == ',') memmove(at + 1, end + 1, strlen(end));
    else *at = '\0';
}

enum st scn_set_param(struct scn_asked *s, const struct ydoc_node *param, struct diag *d)
{
    const char *name = param_name(param, d);
    if (name == NULL) return d->code;
    size_t len = (size_t)(name - param->key) - 1, n_hit = 0;
    for (size_t i = 0; i < s->n_policies; i++) {
        struct scn_policy *p = &s->policy[i];
        if (!is_called(p, param->key, len)) continue;
        n_hit++;
        p->line = param->line;
        p->col = param->col;
        TRY(not_a_command(p, param, d));
        drop_param(p->spec, name);
        TRY(add_param(param, name, &p->spec, d));
    }
    return n_hit > 0 ? ST_OK : no_such_policy(s->policy, s->n_policies, param, len, d);
}

enum st scn_sweep_param(struct scn_asked *s, const struct ydoc_node *param, struct diag *d)
{
    const char *name = param_name(param, d);
    if (name == NULL) return d->code;
    size_t len = (size_t)(name - param->key) - 1, n_old = s->n_policies, n_hit = 0;
    struct scn_policy *old = s->policy;
    enum st st = ST_OK;
    s->policy = NULL;
    s->n_policies = s->cap_policies = 0;
    for (size_t i = 0; i < n_old; i++) {
        bool is_hit = is_called(&old[i], param->key, len);
        size_t n_new = is_hit ? param->n : 1;
        n_hit += is_hit;
        if (st == ST_OK && is_hit) st = can_vary(&old[i], param, name, d);
        MEM_RESERVE(s->policy, s->cap_policies, s->n_policies + n_new);
        for (size_t k = 0; k < n_new; k++) {
            struct scn_policy *p = &s->policy[s->n_policies++];
            if (!is_hit || st != ST_OK) {
                *p = (struct scn_policy){ mem_strdup(old[i].spec), mem_strdup(old[i].label), old[i].line, old[i].col, NULL };
                continue;
            }
            st = with_param(&old[i], name, param->at[k], p, d);
            for (size_t j = 0; j < k && st == ST_OK; j++)
                if (strcmp(p[-1 - (ptrdiff_t)j].spec, p->spec) == 0)
                    st = ydoc_error(param->at[k], d, "found the same value a second time");
        }
    }
    if (st == ST_OK && n_hit == 0) st = no_such_policy(old, n_old, param, len, d);
    for (size_t i = 0; i < n_old; i++) { mem_free(old[i].spec); mem_free(old[i].label); }
    mem_free(old);
    return st;
}

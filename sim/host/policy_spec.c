/*
 * policy_spec.c -- specs taken apart: NAME or FILE.so, then key=value pairs; or exec:COMMAND.
 *
 * A value may hold commas within brackets, as the lists of some policies do.
 */
#include "host/policy_spec.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "host/exec/exec.h"
#include "host/host.h"
#include "host/policy_load.h"
#include "input/text/find.h"
#include "base/mem.h"
#include "base/text.h"
#include "builtin.h"

struct origin { const char *file; uint32_t line, col; };

/* Does the text have the word, in letters of either case? */
static bool has_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (; strlen(text) >= n; text++)
        if (strncasecmp(text, word, n) == 0) return true;
    return false;
}

/* The first whose source or summary has the name: a paper, or what it does; NULL when it is too short to tell. */
static const struct pol_ops *policy_known_as(const char *name)
{
    size_t i = 0;
    if (strlen(name) < 4) return NULL;
    while (pol_table[i] != NULL && !has_word(pol_table[i]->source, name) && !has_word(pol_table[i]->summary, name)) i++;
    return pol_table[i];
}

static enum st unknown_policy(const struct origin *at, const char *name, struct diag *d)
{
    const char *names[64];
    size_t n = 0;
    for (; n < ARRAY_LEN(names) && pol_table[n] != NULL; n++) names[n] = pol_table[n]->name;
    enum st st = diag_at(d, ST_EINPUT, at->file, at->line, at->col, "there is no policy '%s'", name);
    const char *near = diag_nearest(name, names, n);
    const struct pol_ops *known = near == NULL ? policy_known_as(name) : NULL;
    if (near != NULL) diag_hint(d, "did you mean '%s'? `fairway policies` lists them all", near);
    else if (known != NULL) diag_hint(d, "did you mean '%s' (%s)? `fairway policies` lists them all", known->name, known->source);
    else diag_hint(d, "`fairway policies` lists them all");
    return st;
}

static enum st unknown_param(const struct origin *at, const struct pol_ops *ops, const char *key, struct diag *d)
{
    const char *names[32];
    size_t n = 0;
    for (; n < ops->n_params && n < ARRAY_LEN(names); n++) names[n] = ops->params[n].name;
    enum st st = diag_at(d, ST_EINPUT, at->file, at->line, at->col, "policy '%s' has no parameter '%s'", ops->name, key);
    const char *near = diag_nearest(key, names, n);
    if (near != NULL) diag_hint(d, "did you mean '%s'? `fairway policies %s` lists its parameters", near, ops->name);
    else diag_hint(d, "`fairway policies %s` lists its parameters", ops->name);
    return st;
}

static bool parse_choice(const char *choices, const char *text, int64_t *out)
{
    size_t len = strlen(text);
    int64_t i = 0;
    for (const char *c = choices; c != NULL; i++) {
        const char *bar = strchr(c, '|');
        size_t n = bar ? (size_t)(bar - c) : strlen(c);
        if (n == len && strncmp(c, text, n) == 0) { *out = i; return true; }
        c = bar ? bar + 1 : NULL;
    }
    return false;
}

static bool parse_bool(const char *s, int64_t *out)
{
    bool yes = strcmp(s, "true") == 0 || strcmp(s, "yes") == 0 || strcmp(s, "1") == 0;
    bool no = strcmp(s, "false") == 0 || strcmp(s, "no") == 0 || strcmp(s, "0") == 0;
    *out = yes;
    return yes || no;
}

/* A choice, or a file. */
static enum st parse_plugin(const struct origin *at, const struct pol_param *p, const char *text, struct policy_spec_plugin *to, bool *ok, struct diag *d)
{
    *ok = parse_choice(p->choices, text, &to->chosen.index);
    if (*ok || !policy_load_is_file(text)) return ST_OK;
    TRY(policy_load_plugin(&to->file, text, at->file, at->line, at->col, d));
    to->chosen.plugin = policy_load_plugin_ops(to->file);
    *ok = true;
    return ST_OK;
}

static void add_notes(struct policy_spec *spec, char *const *note, size_t n)
{
    for (size_t i = 0; i < n; i++) MEM_PUSH(spec->note, spec->n_notes, spec->cap_notes, note[i]);
}

/* A file that is there, in one of the forms that there are (policy_load.c). */
static enum st load_form(struct policy_spec *spec, struct policy_spec_plugin *to, const char *form, const char *path,
                         const char **out, struct diag *d)
{
    static const struct {
        const char *form;
        enum st (*load)(struct slurm_scheduler *s, const char *path, struct diag *d);
    } slurm[] = { { "slurm-conf", slurm_scheduler_conf }, { "slurm-accounts", slurm_scheduler_accounts },
                  { "slurm-qos", slurm_scheduler_qos }, { "slurm-rounds", slurm_scheduler_rounds },
                  { "slurm-reservations", slurm_scheduler_reservations } };
    for (size_t i = 0; i < ARRAY_LEN(slurm); i++) {
        if (strcmp(form, slurm[i].form) != 0) continue;
        TRY(slurm[i].load(&to->slurm, path, d));
        add_notes(spec, to->slurm.note, to->slurm.n_notes);
        *out = to->slurm.text;
        return ST_OK;
    }
    if (strcmp(form, "core-history") == 0) {
        TRY(core_history_load(&to->history, path, d));
        *out = to->history.text;
        return ST_OK;
    }
    if (strcmp(form, "kueue") == 0) {
        TRY(kueue_load(&to->kueue, path, d));
        add_notes(spec, to->kueue.notes.note, to->kueue.notes.n);
        *out = to->kueue.text;
        return ST_OK;
    }
    TRY(kube_scheduler_load(&to->scheduler, path, d));
    add_notes(spec, to->scheduler.notes.note, to->scheduler.notes.n);
    *out = to->scheduler.text;
    return ST_OK;
}

static enum st parse_file(const struct origin *at, struct policy_spec *spec, uint32_t i, const char **out, struct diag *d)
{
    struct diag own = { 0 };
    const char *name = spec->text[i];
    *out = "";
    if (name[0] == '\0') return ST_OK;
    char *path = find_file(at->file, name, &own);
    if (path == NULL) return diag_at(d, own.code, at->file, at->line, at->col, "%s", own.msg);
    enum st st = load_form(spec, &spec->plugin[i], spec->ops->params[i].choices, path, out, d);
    mem_free(path);
    return st;
}

static enum st parse_value(const struct origin *at, struct policy_spec *spec, uint32_t i, struct diag *d)
{
    const struct pol_ops *ops = spec->ops;
    const struct pol_param *p = &ops->params[i];
    char *text = spec->text[i];
    union pol_value *v = &spec->value[i];
    char error[200] = "";
    bool ok = false;
    const char *want = "";
    switch ((enum pol_param_type)p->type) {
    case POL_INT:      ok = text_int(text, &v->i); want = "a whole number"; break;
    case POL_NUMBER:   ok = text_double(text, &v->x); want = "a number"; break;
    case POL_BOOL:     ok = parse_bool(text, &v->i); want = "true or false"; break;
    case POL_DURATION: ok = text_parse(text, TEXT_DURATION, TICK_SEC, &v->i, error, sizeof error); want = "a duration such as 90s or 4h"; break;
    case POL_CHOICE:   ok = parse_choice(p->choices, text, &v->i); want = p->choices; break;
    case POL_TEXT:     v->s = text; ok = true; break;
    case POL_PLUGIN:
        v->chosen = &spec->plugin[i].chosen;
        TRY(parse_plugin(at, p, text, &spec->plugin[i], &ok, d));
        want = p->choices;
        break;
    case POL_FILE:     return parse_file(at, spec, i, &v->s, d);
    }
    if (ok) return ST_OK;
    return diag_at(d, ST_EINPUT, at->file, at->line, at->col, "policy '%s': %s is '%s'; expected %s%s%s%s",
                   ops->name, p->name, text, want, p->type == POL_PLUGIN ? "|FILE.so" : "", error[0] ? ": " : "", error);
}

static uint32_t find_param(const struct pol_ops *ops, const char *key)
{
    for (uint32_t i = 0; i < ops->n_params; i++)
        if (strcmp(ops->params[i].name, key) == 0) return i;
    return POL_NONE;
}

/* The first comma outside brackets: a value may be a list such as [a,p0],[b,p1,2]. */
static char *next_comma(char *s)
{
    for (int depth = 0; *s != '\0'; s++) {
        depth += (*s == '[') - (*s == ']');
        if (*s == ',' && depth <= 0 && s[1] != '[') return s;
    }
    return NULL;
}

/* Split "k=v,k=v" in place into p->text. */
static enum st read_pairs(struct policy_spec *p, char *pairs, const struct origin *at, struct diag *d)
{
    for (char *kv = pairs; kv != NULL && *kv != '\0';) {
        char *comma = next_comma(kv);
        if (comma != NULL) *comma = '\0';
        char *eq = strchr(kv, '=');
        if (eq == NULL)
            return diag_at(d, ST_EINPUT, at->file, at->line, at->col, "policy '%s': '%s' is not key=value", p->ops->name, kv);
        *eq = '\0';
        uint32_t i = find_param(p->ops, kv);
        if (i == POL_NONE) return unknown_param(at, p->ops, kv, d);
        if (p->text[i] != NULL)
            return diag_at(d, ST_EINPUT, at->file, at->line, at->col, "policy '%s': parameter '%s' is given twice", p->ops->name, kv);
        p->text[i] = mem_strdup(eq + 1);
        kv = comma ? comma + 1 : NULL;
    }
    return ST_OK;
}

/* What a run knows a parameter by: what is written, or of a file what it holds. */
static const char *known_text(const struct policy_spec *p, uint32_t i)
{
    if (p->plugin[i].file != NULL) return policy_load_digest(p->plugin[i].file);
    if (p->plugin[i].history.text != NULL) return p->plugin[i].history.digest;
    if (p->plugin[i].kueue.text != NULL) return p->plugin[i].kueue.digest;
    if (p->plugin[i].slurm.text != NULL) return p->plugin[i].slurm.digest;
    return p->plugin[i].scheduler.text != NULL ? p->plugin[i].scheduler.digest : p->text[i];
}

/* Plugins and files as they were written; or, digests, by what they hold. */
static char *format_spec(const struct policy_spec *p, const char *name, bool digests)
{
    size_t n = strlen(name) + 2;
    for (uint32_t i = 0; i < p->ops->n_params; i++) n += strlen(p->ops->params[i].name) + strlen(p->text[i]) + HASH_HEX + 2;
    char *s = mem_alloc(n, 1);
    int at = snprintf(s, n, "%s", name);
    for (uint32_t i = 0; i < p->ops->n_params; i++)
        at += snprintf(s + at, n - (size_t)at, "%c%s=%s", i ? ',' : ':', p->ops->params[i].name,
                       digests ? known_text(p, i) : p->text[i]);
    return s;
}

/* The policy behind a name: built in, or of a file. */
static enum st resolve(struct policy_spec *p, const char *name, bool is_file, const struct origin *at, struct diag *d)
{
    if (is_file) {
        TRY(policy_load_open(&p->lib, name, at->file, at->line, at->col, d));
        p->ops = policy_load_ops(p->lib);
        return ST_OK;
    }
    for (size_t i = 0; pol_table[i] != NULL; i++)
        if (strcmp(pol_table[i]->name, name) == 0) p->ops = pol_table[i];
    return p->ops != NULL ? ST_OK : unknown_policy(at, name, d);
}

static enum st parse(struct policy_spec *p, char *copy, const struct host_own *own, const char *weights, const struct origin *at,
                     struct diag *d)
{
    size_t path = own != NULL ? 0 : policy_load_path_len(copy);
    char *colon = path > 0 ? copy + path : strchr(copy, ':');
    if (colon != NULL && *colon == '\0') colon = NULL;
    if (colon != NULL) *colon = '\0';
    if (own != NULL) p->ops = own->table;
    else TRY(resolve(p, copy, path > 0, at, d));
    MEM_ARRAY(p->value, p->ops->n_params);
    MEM_ARRAY(p->text, p->ops->n_params);
    MEM_ARRAY(p->plugin, p->ops->n_params);
    TRY(read_pairs(p, colon ? colon + 1 : NULL, at, d));
    for (uint32_t i = 0; i < p->ops->n_params; i++) {
        const struct pol_param *prm = &p->ops->params[i];
        if (p->text[i] == NULL) p->text[i] = mem_strdup(weights && strcmp(prm->name, "weights") == 0 ? weights : prm->dflt);
        TRY(parse_value(at, p, i, d));
    }
    p->full = format_spec(p, copy, false);
    p->known = format_spec(p, copy, true);
    return ST_OK;
}

/* "exec:COMMAND": all of the rest is the command; it runs where the spec was written. */
static enum st parse_exec(struct policy_spec *p, const char *command, const char *weights, const struct origin *at, struct diag *d)
{
    const char *slash = strrchr(at->file, '/');
    if (command[strspn(command, " \t")] == '\0')
        return diag_at(d, ST_EINPUT, at->file, at->line, at->col, "policy 'exec' has no command; expected one such as exec:python3 mine.py");
    p->ops = &exec_ops;
    p->guest = &exec_guest;
    MEM_ARRAY(p->value, EXEC_PARAMS);
    MEM_ARRAY(p->text, EXEC_PARAMS);
    p->text[EXEC_COMMAND] = mem_strdup(command);
    p->text[EXEC_DIR] = slash != NULL ? mem_strndup(at->file, (size_t)(slash - at->file) + 1) : mem_strdup("");
    p->text[EXEC_WEIGHTS] = mem_strdup(weights != NULL ? weights : "");
    p->text[EXEC_TIMEOUT] = mem_strdup(p->ops->params[EXEC_TIMEOUT].dflt);
    for (uint32_t i = 0; i < EXEC_PARAMS; i++) TRY(parse_value(at, p, i, d));
    size_t n = strlen(EXEC_PREFIX) + strlen(command) + 1;
    p->full = mem_alloc(n, 1);
    (void)snprintf(p->full, n, "%s%s", EXEC_PREFIX, command);
    p->known = mem_strdup(p->full);
    return ST_OK;
}

/* One of this process that states what it is by itself: its spec is its own affair. */
static enum st parse_guest(struct policy_spec *p, const char *spec, const struct host_own *own, const char *weights,
                           const struct origin *at, struct diag *d)
{
    p->ops = own->table;
    p->guest = own->guest;
    MEM_ARRAY(p->value, p->ops->n_params);
    MEM_ARRAY(p->text, p->ops->n_params);
    for (uint32_t i = 0; i < p->ops->n_params; i++) {
        bool takes = weights != NULL && strcmp(p->ops->params[i].name, "weights") == 0;
        p->text[i] = mem_strdup(takes ? weights : p->ops->params[i].dflt);
        TRY(parse_value(at, p, i, d));
    }
    p->full = mem_strdup(spec);
    p->known = mem_strdup(spec);
    return ST_OK;
}

bool policy_spec_is_command(const char *spec) { return strncmp(spec, EXEC_PREFIX, strlen(EXEC_PREFIX)) == 0; }

enum st policy_spec_parse(struct policy_spec *p, const char *spec, const struct host_own *own, const char *weights,
                          const char *file, uint32_t line, uint32_t col, struct diag *d)
{
    memset(p, 0, sizeof *p);
    struct origin at = { file, line, col };
    char *copy = mem_strdup(spec);
    enum st st = own != NULL && own->guest != NULL             ? parse_guest(p, spec, own, weights, &at, d)
                 : own == NULL && policy_spec_is_command(spec) ? parse_exec(p, spec + strlen(EXEC_PREFIX), weights, &at, d)
                                                               : parse(p, copy, own, weights, &at, d);
    mem_free(copy);
    if (st != ST_OK) policy_spec_fini(p);
    return st;
}

const struct policy_load *policy_spec_plugin(const struct policy_spec *p)
{
    for (uint32_t i = 0; p->plugin != NULL && i < p->ops->n_params; i++)
        if (p->plugin[i].file != NULL) return p->plugin[i].file;
    return NULL;
}

const char *const *policy_spec_notes(const struct policy_spec *p, size_t *n)
{
    *n = p->n_notes;
    return p->note;
}

bool policy_spec_names_file(const char *spec)
{
    if (policy_spec_is_command(spec)) return false;
    if (policy_load_path_len(spec) > 0) return true;
    for (const char *s = spec; (s = strstr(s, ".so")) != NULL; s += 3)
        if (s[3] == ',' || s[3] == '\0') return true;
    return false;
}

void policy_spec_fini(struct policy_spec *p)
{
    for (uint32_t i = 0; p->ops != NULL && p->text != NULL && i < p->ops->n_params; i++) mem_free(p->text[i]);
    for (uint32_t i = 0; p->plugin != NULL && i < p->ops->n_params; i++) {
        policy_load_close(p->plugin[i].file);
        kube_scheduler_fini(&p->plugin[i].scheduler);
        core_history_fini(&p->plugin[i].history);
        kueue_fini(&p->plugin[i].kueue);
        slurm_scheduler_fini(&p->plugin[i].slurm);
    }
    MEM_FREE((void *)p->note, p->plugin, p->known, p->text, p->value, p->full);
    policy_load_close(p->lib);
    memset(p, 0, sizeof *p);
}

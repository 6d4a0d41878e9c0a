/*
 * policy_load.c -- a shared object found, loaded, and its table checked: a policy or a plugin.
 *
 * What the file exports is not trusted: its head is read first, then its size, and
 * only then what a table of that size has.
 */
#include "host/policy_load.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/mem.h"

/* A table that claims more than this is no table: its size was never written, or is something else. */
enum { OPS_MAX = 4096, PARAMS_MAX = 256 };

struct policy_load {
    void *dl;
    struct pol_ops ops;
    struct pol_plugin plugin;
    char  digest[HASH_HEX];
};

size_t policy_load_path_len(const char *spec)
{
    size_t first = strcspn(spec, ":");
    bool is_file = memchr(spec, '/', first) != NULL || (first >= 3 && strncmp(spec + first - 3, ".so", 3) == 0);
    if (!is_file) return 0;
    for (const char *s = spec; (s = strstr(s, ".so")) != NULL; s += 3)
        if (s[3] == ':' || s[3] == '\0') return (size_t)(s + 3 - spec);
    return first;
}

bool policy_load_is_file(const char *value)
{
    size_t n = strlen(value);
    return n > 3 && strcmp(value + n - 3, ".so") == 0;
}

/* ---- is it a policy? ---- */

static bool is_made_of(const char *s, const char *set) { return s != NULL && *s != '\0' && s[strspn(s, set)] == '\0'; }
static bool is_line(const char *s) { return s != NULL && *s != '\0' && strchr(s, '\n') == NULL; }

static bool has_empty_choice(const char *choices)
{
    size_t n = strlen(choices);
    return n == 0 || choices[0] == '|' || choices[n - 1] == '|' || strstr(choices, "||") != NULL;
}

static enum st check_param(const struct pol_ops *o, uint32_t i, struct diag *d)
{
    const struct pol_param *p = &o->params[i];
    if (!is_made_of(p->name, "abcdefghijklmnopqrstuvwxyz0123456789_"))
        return diag_set(d, ST_EINPUT, "parameter %u of policy '%s' has no name of [a-z0-9_]+", i, o->name);
    if (p->type > POL_FILE)
        return diag_set(d, ST_EINPUT, "parameter '%s' of policy '%s' is of type %u; there are types 0..%d", p->name,
                        o->name, p->type, POL_FILE);
    if (p->dflt == NULL || !is_line(p->help))
        return diag_set(d, ST_EINPUT, "parameter '%s' of policy '%s' has no %s", p->name, o->name, p->dflt == NULL ? "default" : "line of help");
    if ((p->type == POL_CHOICE || p->type == POL_PLUGIN) && (p->choices == NULL || has_empty_choice(p->choices)))
        return diag_set(d, ST_EINPUT, "parameter '%s' of policy '%s' is a choice without choices \"a|b\"", p->name, o->name);
    static const char *const forms[] = { "kube-scheduler", "core-history", "kueue", "slurm-conf", "slurm-accounts",
                                        "slurm-qos", "slurm-rounds", "slurm-reservations" };
    bool has_form = false;
    for (size_t k = 0; k < ARRAY_LEN(forms) && p->choices != NULL; k++) has_form |= strcmp(p->choices, forms[k]) == 0;
    if (p->type == POL_FILE && !has_form)
        return diag_set(d, ST_EINPUT, "parameter '%s' of policy '%s' is a file of no form that is known: kube-scheduler, core-history, kueue, "
                        "slurm-conf, slurm-accounts, slurm-qos, slurm-rounds, slurm-reservations",
                        p->name, o->name);
    for (uint32_t k = 0; k < i; k++)
        if (strcmp(o->params[k].name, p->name) == 0)
            return diag_set(d, ST_EINPUT, "policy '%s' has two parameters '%s'", o->name, p->name);
    return ST_OK;
}

static enum st check_table(const struct pol_ops *o, struct diag *d)
{
    if (!is_made_of(o->name, "abcdefghijklmnopqrstuvwxyz0123456789-"))
        return diag_set(d, ST_EINPUT, "the table has no name of [a-z0-9-]+");
    if (!is_line(o->source) || !is_line(o->summary))
        return diag_set(d, ST_EINPUT, "policy '%s' does not say its %s in one line", o->name, is_line(o->source) ? "summary" : "source");
    if (o->decide == NULL) return diag_set(d, ST_EINPUT, "policy '%s' has no decide function", o->name);
    const uint32_t known = POL_PREEMPTS | POL_USES_LIMITS | POL_CLAIRVOYANT | POL_BY_COUNT | POL_STRANDS | POL_RUNS_CALLS |
                           POL_TAKES_REFUSALS;
    if ((o->flags & ~known) != 0)
        return diag_set(d, ST_EINPUT, "policy '%s' has flags %#x, of which this program does not know all", o->name, o->flags);
    if (o->n_params > PARAMS_MAX || (o->n_params > 0 && o->params == NULL))
        return diag_set(d, ST_EINPUT, "policy '%s' says that it has %u parameters and %s", o->name, o->n_params,
                        o->params == NULL ? "lists none" : "that cannot be");
    for (uint32_t i = 0; i < o->n_params; i++) TRY(check_param(o, i, d));
    return ST_OK;
}

static enum st check_plugin(const struct pol_plugin *p, struct diag *d)
{
    if (!is_made_of(p->name, "abcdefghijklmnopqrstuvwxyz0123456789-"))
        return diag_set(d, ST_EINPUT, "the table has no name of [a-z0-9-]+");
    if (!is_line(p->summary)) return diag_set(d, ST_EINPUT, "plugin '%s' does not say its summary in one line", p->name);
    return p->score != NULL ? ST_OK : diag_set(d, ST_EINPUT, "plugin '%s' has no score function", p->name);
}

/* Copy what there is of the table; `min`: what the first minor had. */
static enum st adopt(const void *raw, void *out, size_t size, int min, const char *header, struct diag *d)
{
    uint32_t head[2];
    memcpy(head, raw, sizeof head);
    memset(out, 0, size);
    if (head[0] != POL_ABI_MAJOR) {
        (void)diag_set(d, ST_EINPUT, "it is built for major %u of the policy ABI; this program has major %u", head[0], POL_ABI_MAJOR);
        diag_hint(d, "build it again with this program's policy.h; `fairway policies --new NAME` says where it is");
        return d->code;
    }
    if (head[1] < (uint32_t)min || head[1] > OPS_MAX) {
        (void)diag_set(d, ST_EINPUT, "its table is cut short: it says it has %u bytes, and the first one of major %u had %d",
                       head[1], POL_ABI_MAJOR, min);
        diag_hint(d, "begin the table with %s", header);
        return d->code;
    }
    for (size_t i = size; i < head[1]; i++)
        if (((const unsigned char *)raw)[i] != 0)
            return diag_set(d, ST_EINPUT, "its table uses what a newer minor of the policy ABI added; this program has %u.%u",
                            POL_ABI_MAJOR, POL_ABI_MINOR);
    memcpy(out, raw, head[1] < size ? head[1] : size);
    return ST_OK;
}

enum st policy_load_adopt(const void *raw, void *out, size_t size, struct diag *d)
{
    TRY(adopt(raw, out, size, POLICY_LOAD_OPS_MIN, "POL_HEADER", d));
    struct pol_ops *o = out;
    if (o->source == NULL) o->source = "not told";
    if (o->summary == NULL) o->summary = "a policy of its own";
    return check_table(o, d);
}

/* ---- loading ---- */

static char *resolve(const char *path, const char *file)
{
    const char *slash = strrchr(file, '/');
    int dir = path[0] != '/' && slash != NULL ? (int)(slash - file) + 1 : 0;
    size_t n = (size_t)dir + strlen(path) + 3;
    char *s = mem_alloc(n, 1);
    /* Without a slash dlopen would search the system's folders. */
    bool bare = dir == 0 && strchr(path, '/') == NULL;
    (void)snprintf(s, n, "%s%.*s%s", bare ? "./" : "", dir, file, path);
    return s;
}

static enum st digest_file(const char *path, char out[HASH_HEX], struct diag *d)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL) return diag_set(d, errno == EMFILE || errno == ENFILE || errno == ENOMEM ? ST_EWORLD : ST_EINPUT, "cannot open it: %s", strerror(errno));
    struct hash128 h;
    char buf[16384];
    size_t n, total = 0;
    hash_init(&h);
    while ((n = fread(buf, 1, sizeof buf, f)) > 0) { hash_bytes(&h, buf, n); total += n; }
    bool ok = ferror(f) == 0;
    (void)fclose(f);
    hash_hex(&h, out);
    if (!ok) return diag_set(d, ST_EINPUT, "cannot read it");
    return total > 0 ? ST_OK : diag_set(d, ST_EINPUT, "it is empty");
}

static enum st load(struct policy_load *l, const char *path, bool is_plugin, struct diag *d)
{
    TRY(digest_file(path, l->digest, d));
    l->dl = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (l->dl == NULL) {
        const char *error = dlerror(), *after = error != NULL ? strstr(error, ": ") : NULL;     /* after the path */
        (void)diag_set(d, ST_EINPUT, "it cannot be loaded: %s", after != NULL ? after + 2 : error != NULL ? error : "no reason given");
        diag_hint(d, "build it with -shared -fPIC and link what it uses");
        return d->code;
    }
    const char *symbol = is_plugin ? "fairway_plugin" : "fairway_policy", *other = is_plugin ? "fairway_policy" : "fairway_plugin";
    const void *raw = dlsym(l->dl, symbol);
    if (raw == NULL) {
        (void)diag_set(d, ST_EINPUT, "it defines no '%s'", symbol);
        if (dlsym(l->dl, other) != NULL)
            diag_hint(d, is_plugin ? "it is a policy: -p FILE.so" : "it is a plugin, for a policy that has place=: -p fifo:place=FILE.so");
        else diag_hint(d, "define `const struct %s %s = { %s, ... };`, not static and not hidden", is_plugin ? "pol_plugin" : "pol_ops", symbol,
                       is_plugin ? "POL_PLUGIN_HEADER" : "POL_HEADER");
        return d->code;
    }
    if (!is_plugin) return policy_load_adopt(raw, &l->ops, sizeof l->ops, d);
    TRY(adopt(raw, &l->plugin, sizeof l->plugin, (int)sizeof l->plugin, "POL_PLUGIN_HEADER", d));
    return check_plugin(&l->plugin, d);
}

static enum st open_file(struct policy_load **out, const char *path, bool is_plugin, const char *file, uint32_t line, uint32_t col, struct diag *d)
{
    struct policy_load *l;
    struct diag error = { 0 };
    MEM_NEW(l);
    char *at = resolve(path, file);
    enum st st = load(l, at, is_plugin, &error);
    mem_free(at);
    *out = l;
    if (st == ST_OK) return ST_OK;
    policy_load_close(l);
    *out = NULL;
    (void)diag_at(d, st, file, line, col, "%s file '%s': %s", is_plugin ? "plugin" : "policy", path, error.msg);
    if (error.hint[0] != '\0') diag_hint(d, "%s", error.hint);
    return st;
}

enum st policy_load_open(struct policy_load **out, const char *path, const char *file, uint32_t line, uint32_t col, struct diag *d)
{
    return open_file(out, path, false, file, line, col, d);
}

enum st policy_load_plugin(struct policy_load **out, const char *path, const char *file, uint32_t line, uint32_t col, struct diag *d)
{
    return open_file(out, path, true, file, line, col, d);
}

void policy_load_close(struct policy_load *l)
{
    if (l == NULL) return;
    if (l->dl != NULL) (void)dlclose(l->dl);
    mem_free(l);
}

const struct pol_ops *policy_load_ops(const struct policy_load *l) { return &l->ops; }
const struct pol_plugin *policy_load_plugin_ops(const struct policy_load *l) { return &l->plugin; }
const char *policy_load_digest(const struct policy_load *l) { return l->digest; }

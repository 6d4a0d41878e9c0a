/*
 * run_policy.c -- policies created to learn who they are, and the key of a run.
 *
 * The key is a hash of the program's version, the scenario's text, the trace, the
 * policy's identity and the seed: equal keys are equal runs.
 */
#include "run/run_policy.h"

#include <inttypes.h>
#include <string.h>
#include "base/mem.h"
#include "base/version.h"
#include "host/policy_load.h"
#include "run/setup.h"

static char *format_weights(const struct scenario *s)
{
    if (s->users.n == 0) return NULL;
    size_t n = 1;
    for (size_t i = 0; i < s->users.n; i++) n += strlen(s->users.weight[i].user) + 32;
    char *t = mem_alloc(n, 1);
    int at = 0;
    for (size_t i = 0; i < s->users.n; i++)
        at += snprintf(t + at, n - (size_t)at, "%s%s:%.15g", i ? ";" : "", s->users.weight[i].user, s->users.weight[i].weight);
    return t;
}

enum st run_policy_open(struct host **h, struct scenario *s, uint64_t seed, const struct scn_policy *p,
                           const struct host_hooks *hooks, struct diag *d)
{
    char *weights = format_weights(s);
    struct host_origin at = { p->line ? s->id.path : NULL, p->line, p->col, p->own };
    const struct world_config run = setup_world(s, seed);
    enum st st = host_create(h, p->spec, weights, &run, &at, hooks, d);
    mem_free(weights);
    return st;
}

/* A policy that names itself takes that name where the user gave it none; no two may then be called the same. */
static enum st take_label(struct scenario *s, struct scn_policy *p, const char *label, struct diag *d)
{
    if (label == NULL || strcmp(p->label, p->spec) != 0) return ST_OK;
    for (size_t i = 0; i < s->asked.n_policies; i++) {
        if (&s->asked.policy[i] == p || strcmp(s->asked.policy[i].label, label) != 0) continue;
        (void)diag_at(d, ST_EINPUT, p->line ? s->id.path : "", p->line, p->col,
                      "policy '%s' calls itself '%s', as another is called", p->spec, label);
        return diag_hint(d, "in the scenario, give it a label: {exec: ..., label: ...}");
    }
    mem_free(p->label);
    p->label = mem_strdup(label);
    return ST_OK;
}

/* A policy of a file, and a plugin, is known by the file's bytes and its parameters, wherever the file lies. */
static void identify(const char *spec, const char *file, const char *name, char out[HASH_HEX])
{
    struct hash128 h;
    hash_init(&h);
    if (*file != '\0') {
        hash_text(&h, file);
        hash_text(&h, name);
        spec += policy_load_path_len(spec);
    }
    hash_text(&h, spec);
    hash_hex(&h, out);
}

void run_policy_describe(struct run_policy *out, const struct host *h)
{
    const char *source = host_ops(h)->source, *file = host_file_digest(h), *digest;
    const struct pol_plugin *plugin = host_plugin(h, &digest);
    const char *of_file = *file ? "; file digest " : "";
    out->spec = mem_strdup(host_spec(h));
    if (plugin == NULL) out->source = mem_printf("%s%s%s", source, of_file, file);
    else out->source = mem_printf("%s%s%s; plugin %s, file digest %s", source, of_file, file, plugin->name, digest);
    identify(host_known_spec(h), file, host_ops(h)->name, out->identity);
    out->is_clairvoyant = host_clairvoyant(h);
    out->by_count = (host_flags(h) & POL_BY_COUNT) != 0;
}

void run_policy_fini(struct run_policy *p)
{
    mem_free(p->spec);
    mem_free(p->source);
    memset(p, 0, sizeof *p);
}

/* What was found of a policy of a file, out of the process in which it was created. */
struct answer { char spec[1 << 16], source[1 << 12], identity[HASH_HEX]; bool is_clairvoyant, by_count; };
struct find { struct scenario *s; struct scn_policy *policy; int64_t call_us; struct answer *answer; struct run_policy *who; };

static enum st find_policy(void *ctx, struct sandbox_page *page, struct diag *d)
{
    const struct find *f = ctx;
    struct host *h;
    struct run_policy who;
    TRY(run_policy_open(&h, f->s, f->s->asked.n_seeds > 0 ? f->s->asked.seed[0] : 0, f->policy, &(struct host_hooks){ .page = page, .call_us = f->call_us }, d));
    enum st st = take_label(f->s, f->policy, host_label(h), d);
    run_policy_describe(&who, h);
    host_destroy(h);
    if (st != ST_OK) { run_policy_fini(&who); return st; }
    if (f->answer == NULL) { *f->who = who; return ST_OK; }
    if (strlen(who.spec) >= sizeof f->answer->spec || strlen(who.source) >= sizeof f->answer->source)
        return diag_set(d, ST_EINPUT, "the policy's spec has %zu characters, and its source %zu: too many", strlen(who.spec), strlen(who.source));
    (void)strcpy(f->answer->spec, who.spec);
    (void)strcpy(f->answer->source, who.source);
    memcpy(f->answer->identity, who.identity, sizeof who.identity);
    f->answer->is_clairvoyant = who.is_clairvoyant;
    f->answer->by_count = who.by_count;
    run_policy_fini(&who);
    return ST_OK;
}

enum st run_policy_find(struct run_policy *out, struct scenario *s, struct scn_policy *p,
                        const struct sandbox_limits *limits, struct diag *d)
{
    struct find f = { s, p, limits->call_us, NULL, out };
    memset(out, 0, sizeof *out);
    if (limits->no_exec && p->own == NULL && (host_is_foreign(p->spec) || host_is_command(p->spec)))
        return diag_at(d, ST_EINPUT, p->line ? s->id.path : "", p->line, p->col, "policy '%s' is code of its own, which --no-exec refuses", p->spec);
    if (p->own != NULL || !host_is_foreign(p->spec)) return find_policy(&f, NULL, d);
    f.answer = sandbox_share(sizeof *f.answer);
    enum st st = sandbox_run(limits, p->spec, NULL, find_policy, &f, d);
    if (st == ST_OK) {
        *out = (struct run_policy){ .spec = mem_strdup(f.answer->spec), .source = mem_strdup(f.answer->source), .is_clairvoyant = f.answer->is_clairvoyant,
                                     .by_count = f.answer->by_count };
        memcpy(out->identity, f.answer->identity, sizeof out->identity);
    }
    sandbox_unshare(f.answer, sizeof *f.answer);
    return st;
}

void run_policy_of_command(struct run_policy *out, const char *spec)
{
    *out = (struct run_policy){ .spec = mem_strdup(spec), .source = mem_strdup("") };
    identify(spec, "", "", out->identity);
}

enum st run_policy_check_all(struct scenario *s, const struct sandbox_limits *limits, struct diag *d)
{
    char (*seen)[HASH_HEX];
    enum st st = ST_OK;
    MEM_ARRAY(seen, s->asked.n_policies);
    for (size_t i = 0; i < s->asked.n_policies && st == ST_OK; i++) {
        struct run_policy who;
        st = run_policy_find(&who, s, &s->asked.policy[i], limits, d);
        if (st != ST_OK) break;
        memcpy(seen[i], who.identity, HASH_HEX);
        for (size_t k = 0; k < i && st == ST_OK; k++)       /* the later run would replace the earlier one */
            if (strcmp(seen[k], seen[i]) == 0)
                st = diag_at(d, ST_EINPUT, s->asked.policy[i].line > 0 ? s->id.path : "", s->asked.policy[i].line, s->asked.policy[i].col,
                             "policies '%s' and '%s' are the same: %s", s->asked.policy[k].label, s->asked.policy[i].label, who.spec);
        run_policy_fini(&who);
    }
    mem_free(seen);
    return st;
}

void run_policy_row(struct run_row *out, const struct scenario *s, uint64_t content_hash, const struct run_policy *who,
                  const char *label, uint64_t seed)
{
    struct hash128 key;
    hash_init(&key);
    hash_text(&key, FAIRWAY_VERSION);
    hash_text(&key, s->id.canonical);
    hash_bytes(&key, &content_hash, sizeof content_hash);
    hash_text(&key, who->identity);
    hash_bytes(&key, &seed, sizeof seed);
    hash_hex(&key, out->key);
    /* A generated trace, or one of instances, is another for each seed; the runs are still of one case, where
     * compare pairs them by seed. */
    if (trace_is_made(&s->trace)) (void)snprintf(out->trace_hash, sizeof out->trace_hash, "generated");
    else if (s->trace.n_instances > 0) (void)snprintf(out->trace_hash, sizeof out->trace_hash, "instances");
    else (void)snprintf(out->trace_hash, sizeof out->trace_hash, "%016" PRIx64, content_hash);
    out->row = (struct store_run){
        .key = out->key, .scenario = s->id.name, .title = s->id.title, .variant = s->id.variant, .scenario_text = s->id.canonical,
        .trace_path = s->trace.path ? s->trace.path : "(generated)", .trace_hash = out->trace_hash, .policy = label,
        .policy_spec = who->spec, .policy_source = who->source, .seed = seed, .clairvoyant = who->is_clairvoyant,
        .by_count = who->by_count, .multi_from = s->jobs.multi_from };
}

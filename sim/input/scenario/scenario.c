/*
 * scenario.c -- reads a scenario as a whole: files and strings that sections name,
 * the small sections, and the order in which sections are read (section.h).
 */
#include "input/scenario/scenario.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "base/hash.h"
#include "base/mem.h"
#include "input/kube/nodes.h"
#include "input/scenario/search.h"
#include "input/scenario/section.h"
#include "input/text/find.h"

/* ---- strings and files ---- */

void *scn_own(struct scenario *s, void *memory)
{
    struct scn_private *k = s->kept;
    MEM_RESERVE(k->owned, k->cap, k->n + 1);
    return k->owned[k->n++] = memory;
}

const char *scn_keep(struct scenario *s, const char *text) { return scn_own(s, mem_strdup(text)); }

enum st scn_at(const struct ydoc_node *n, const struct diag *own, struct diag *d)
{
    if (own->file[0] != '\0' || own->code != ST_EINPUT) {
        if (d->code == ST_OK) *d = *own;
        return d->code;
    }
    (void)ydoc_error(n, d, "%s", own->msg);
    return diag_hint(d, "%s", own->hint);
}

/* Of the file's bytes: a change of a node list or a fault trace changes the run key. */
static enum st hash_file(const char *path, char hex[HASH_HEX], struct diag *d)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL) return diag_at(d, errno == ENOENT ? ST_EINPUT : ST_EWORLD, path, 0, 0, "cannot read: %s", strerror(errno));
    struct hash128 h;
    unsigned char buf[8192];
    hash_init(&h);
    for (size_t n; (n = fread(buf, 1, sizeof buf, f)) > 0;) hash_bytes(&h, buf, n);
    bool bad = ferror(f) != 0;
    (void)fclose(f);
    if (bad) return diag_at(d, ST_EWORLD, path, 0, 0, "cannot read: %s", strerror(errno));
    hash_hex(&h, hex);
    return ST_OK;
}

/* One more comment line under the canonical document. */
static void key_line(struct scenario *s, const char *name, const char *hex)
{
    size_t n = strlen(s->id.canonical), more = strlen(name) + strlen(hex) + sizeof "#  \n";
    s->id.canonical = mem_grow(s->id.canonical, n + more, 1);
    (void)snprintf(s->id.canonical + n, more, "# %s %s\n", hex, name);
}

enum st scn_file(struct scenario *s, const struct ydoc_node *map, const char *key, bool is_keyed, const char **out, struct diag *d)
{
    const char *name = NULL;
    *out = NULL;
    TRY(ydoc_str(map, key, &name, d));
    if (name == NULL) return ST_OK;
    struct diag own = {0};
    char *path = find_file(s->id.path, name, &own);
    if (path == NULL) return scn_at(ydoc_get(map, key), &own, d);
    *out = scn_own(s, path);
    if (!is_keyed) return ST_OK;
    char hex[HASH_HEX];
    TRY(hash_file(path, hex, d));
    key_line(s, name, hex);
    return ST_OK;
}

/* ---- small sections ---- */

static enum st read_jobs(struct scn_jobs *s, const struct ydoc_node *n, struct diag *d)
{
    static const char *const keys[] = { "limits", "infeasible", "preemption", "mismatch_after", "multi_from" }, *const limits[] = { "ignore", "kill" },
        *const infeasible[] = { "error", "reject" },
        *const p_keys[] = { "mode", "interval", "restore_cost", "restore_as" },
        *const modes[] = { "kill", "checkpoint" }, *const as[] = { "time", "save", "work" };
    enum { KILL, CHECKPOINT };
    uint32_t limit = 0, inf = 0, mode = CHECKPOINT, restore_as = RESTORE_TIME;
    int64_t multi_from = JOB_MULTI_FROM;
    const struct ydoc_node *p;
    TRY(ydoc_keys(n, "jobs", keys, ARRAY_LEN(keys), d));
    TRY(ydoc_choice(n, "limits", limits, ARRAY_LEN(limits), &limit, d));
    TRY(ydoc_choice(n, "infeasible", infeasible, ARRAY_LEN(infeasible), &inf, d));
    s->enforce_limits = limit == 1;
    s->reject_infeasible = inf == 1;
    s->mismatch_after = 60 * TICK_SEC;
    TRY(ydoc_quantity(n, "mismatch_after", TEXT_DURATION, TICK_SEC, 0, &s->mismatch_after, d));
    TRY(ydoc_int(n, "multi_from", 2, 1000000, &multi_from, d));
    s->multi_from = (uint32_t)multi_from;
    TRY(ydoc_map(n, "preemption", &p, d));
    TRY(ydoc_keys(p, "preemption", p_keys, ARRAY_LEN(p_keys), d));
    TRY(ydoc_choice(p, "mode", modes, ARRAY_LEN(modes), &mode, d));
    TRY(ydoc_quantity(p, "interval", TEXT_DURATION, TICK_SEC, 1, &s->checkpoint_interval, d));
    TRY(ydoc_quantity(p, "restore_cost", TEXT_DURATION, TICK_SEC, 0, &s->restore_cost, d));
    TRY(ydoc_choice(p, "restore_as", as, ARRAY_LEN(as), &restore_as, d));
    s->restore_as = (enum restore_as)restore_as;
    if (mode == KILL) {
        const struct ydoc_node *extra = NULL;
        for (size_t i = ARRAY_LEN(p_keys); i-- > 1;)
            if (ydoc_get(p, p_keys[i]) != NULL) extra = ydoc_get(p, p_keys[i]);
        if (extra != NULL) return ydoc_key_error(extra, d, "'%s' needs 'mode: checkpoint': a killed task keeps nothing to restore", extra->key);
        s->checkpoint_interval = -1;
    }
    if (s->restore_as == RESTORE_SAVE && s->checkpoint_interval > 0)
        return ydoc_key_error(ydoc_get(p, "restore_as"), d,
                              "'restore_as: save' is of checkpoints made on demand; leave out 'interval'");
    return ST_OK;
}

static enum st add_seed(struct scn_asked *s, const struct ydoc_node *n, uint64_t v, struct diag *d)
{
    for (size_t i = 0; i < s->n_seeds; i++)
        if (s->seed[i] == v) return ydoc_error(n, d, "found seed %" PRIu64 " a second time", v);
    MEM_PUSH(s->seed, s->n_seeds, s->cap_seeds, v);
    return ST_OK;
}

bool scn_seed_range(const char *text, uint64_t *lo, uint64_t *hi)
{
    const char *dots = strstr(text, "..");
    char *first = mem_strndup(text, dots != NULL ? (size_t)(dots - text) : strlen(text));
    int64_t from = -1, to = -1;
    bool ok = text_int(first, &from) && text_int(dots != NULL ? dots + 2 : first, &to);
    mem_free(first);
    *lo = (uint64_t)from;
    *hi = (uint64_t)to;
    return ok && from >= 0 && from <= to;
}

static enum st read_range(struct scn_asked *s, const struct ydoc_node *n, struct diag *d)
{
    uint64_t lo, hi;
    if (!scn_seed_range(n->text, &lo, &hi)) return ydoc_expected(n, d, "a range of seeds, such as 1..10");
    if (hi - lo >= SCN_SEEDS_MAX) return ydoc_expected(n, d, "at most %d seeds", SCN_SEEDS_MAX);
    for (uint64_t i = lo; i <= hi; i++) TRY(add_seed(s, n, i, d));
    return ST_OK;
}

enum st scn_read_seeds(struct scn_asked *s, const struct ydoc_node *map, const char *key, struct diag *d)
{
    const struct ydoc_node *n = ydoc_get(map, key);
    int64_t v = 1;
    if (n != NULL && strstr(n->text, "..") != NULL) return read_range(s, n, d);
    if (n != NULL && n->type == YDOC_MAP) return ydoc_expected(n, d, "a number of seeds, such as 5, or a list of them, such as [1, 2, 3]");
    if (n != NULL && n->type == YDOC_LIST) {
        if (n->n == 0 || n->n > SCN_SEEDS_MAX) return ydoc_error(n, d, "'%s': found a list of %zu, expected 1 to %d seeds", key, n->n, SCN_SEEDS_MAX);
        for (size_t i = 0; i < n->n; i++) {
            TRY(ydoc_node_int(n->at[i], 0, INT64_MAX, &v, d));
            TRY(add_seed(s, n->at[i], (uint64_t)v, d));
        }
        return ST_OK;
    }
    TRY(ydoc_int(map, key, 1, SCN_SEEDS_MAX, &v, d));
    for (int64_t i = 1; i <= v; i++) TRY(add_seed(s, map, (uint64_t)i, d));
    return ST_OK;
}

static enum st read_users(struct scn_users *s, const struct ydoc_node *n, struct diag *d)
{
    static const char *const keys[] = { "weights" };
    const struct ydoc_node *w;
    TRY(ydoc_keys(n, "users", keys, ARRAY_LEN(keys), d));
    TRY(ydoc_map(n, "weights", &w, d));
    for (size_t i = 0; w != NULL && i < w->n; i++) {
        double v = 1;
        TRY(ydoc_node_double(w->at[i], YDOC_ABOVE_0, 1e6, &v, d));
        if (w->at[i]->key[strcspn(w->at[i]->key, ",;:=")] != '\0' || w->at[i]->key[0] == '\0')
            return ydoc_key_error(w->at[i], d, "found user name '%s', expected one without , ; : or =", w->at[i]->key);
        MEM_RESERVE(s->weight, s->cap, s->n + 1);
        s->weight[s->n].user = mem_strdup(w->at[i]->key);
        s->weight[s->n++].weight = v;
    }
    return ST_OK;
}

static enum st read_output(struct scn_output *s, bool is_filled, const struct ydoc_node *n, struct diag *d)
{
    static const char *const keys[] = { "sample_every", "attempts", "decisions", "warmup", "cooldown", "audit", "ideal",
                                        "lending", "scores", "speeds", "jobs" };
    const struct { const char *key; const bool *is; } of_jobs[] = {
        { "attempts", &s->attempts }, { "decisions", &s->decisions }, { "scores", &s->scores }, { "speeds", &s->speeds },
        { "lending", &s->lending },
    };
    TRY(ydoc_keys(n, "output", keys, ARRAY_LEN(keys), d));
    int64_t ideal = 0;
    TRY(ydoc_int(n, "ideal", 1, 1000000, &ideal, d));
    s->ideal_share = (uint32_t)ideal;
    TRY(ydoc_quantity(n, "sample_every", TEXT_DURATION, TICK_SEC, 1, &s->sample_every, d));
    TRY(ydoc_bool(n, "attempts", &s->attempts, d));
    TRY(ydoc_bool(n, "lending", &s->lending, d));
    TRY(ydoc_bool(n, "decisions", &s->decisions, d));
    TRY(ydoc_bool(n, "scores", &s->scores, d));
    TRY(ydoc_bool(n, "speeds", &s->speeds, d));
    bool jobs = true;
    TRY(ydoc_bool(n, "jobs", &jobs, d));
    s->no_jobs = !jobs;
    for (size_t i = 0; i < ARRAY_LEN(of_jobs) && s->no_jobs; i++)
        if (*of_jobs[i].is) return ydoc_error(ydoc_get(n, of_jobs[i].key), d, "'%s' tells of jobs, whose rows 'jobs: false' leaves out", of_jobs[i].key);
    s->decisions |= s->scores || s->speeds;     /* whose story tells them */
    TRY(ydoc_bool(n, "audit", &s->audit, d));
    TRY(ydoc_double(n, "warmup", 0, 1, &s->warmup, d));
    TRY(ydoc_double(n, "cooldown", 0, 1, &s->cooldown, d));
    if (is_filled && ideal > 0) return ydoc_error(ydoc_get(n, "ideal"), d, "'ideal' is about jobs that end; 'trace.fill' lets none end");
    if (s->warmup + s->cooldown >= 1)
        return ydoc_error(n, d, "'warmup' %g and 'cooldown' %g leave out every job; their sum must be below 1", s->warmup, s->cooldown);
    return ST_OK;
}

/* ---- the whole ---- */

static enum st section(const struct ydoc_node *root, const char *name, bool is_needed, const struct ydoc_node **out, struct diag *d)
{
    TRY(ydoc_map(root, name, out, d));
    if (*out == NULL && is_needed) return ydoc_error(root, d, "found no '%s' section; every scenario needs one", name);
    return ST_OK;
}

static void default_name(struct scenario *s)
{
    if (s->id.name != NULL) return;
    const char *slash = strrchr(s->id.path, '/'), *from = slash != NULL ? slash + 1 : s->id.path, *dot = strrchr(from, '.');
    s->id.name = dot != NULL && dot > from ? mem_strndup(from, (size_t)(dot - from)) : mem_strdup(from);
}

static enum st read_all(struct scenario *s, const struct ydoc_node *root, const struct ydoc_node *sweep, struct diag *d)
{
    static const char *const keys[] = {
        "name", "title", "cluster", "models", "trace", "jobs", "faults", "policies", "seeds", "users", "output", "horizon", "network", "data", "profiles",
        "sweep", "search", "engines", "prices", "tie_seed",
    };
    int64_t tie_seed = 0;
    const struct ydoc_node *cluster, *models, *trace, *jobs, *faults, *users, *output, *network, *data, *profiles;
    const struct ydoc_node *engines, *prices;
    const char *name = NULL, *title = NULL;
    if (root->type != YDOC_MAP) return ydoc_expected(root, d, "a map of sections: cluster, trace, policies ...");
    TRY(ydoc_keys(root, "the scenario", keys, ARRAY_LEN(keys), d));
    TRY(ydoc_str(root, "name", &name, d));
    TRY(ydoc_str(root, "title", &title, d));
    /* It names the database: outside of this folder, and out of sight, only whoever runs it says so (-d). */
    if (name != NULL && (name[0] == '.' || strchr(name, '/') != NULL))
        return ydoc_error(ydoc_get(root, "name"), d, "found name '%s', expected one without '/' that does not begin with '.'", name);
    if (name != NULL) s->id.name = mem_strdup(name);
    default_name(s);
    s->id.title = mem_strdup(title != NULL ? title : s->id.name);
    TRY(section(root, "cluster", true, &cluster, d));
    TRY(section(root, "models", false, &models, d));
    TRY(section(root, "trace", true, &trace, d));
    TRY(section(root, "jobs", false, &jobs, d));
    TRY(section(root, "faults", false, &faults, d));
    TRY(section(root, "users", false, &users, d));
    TRY(section(root, "output", false, &output, d));
    TRY(section(root, "network", false, &network, d));
    TRY(section(root, "data", false, &data, d));
    TRY(section(root, "profiles", false, &profiles, d));
    TRY(section(root, "engines", false, &engines, d));
    TRY(section(root, "prices", false, &prices, d));
    TRY(ydoc_int(root, "tie_seed", 1, INT64_MAX, &tie_seed, d));
    s->replay.tie_seed = (uint64_t)tie_seed;
    TRY(scn_read_cluster(s, cluster, d));
    TRY(scn_read_prices(s, prices, cluster, d));
    TRY(scn_read_models(s, models, d));
    TRY(scn_read_profiles(s, profiles, d));
    TRY(scn_read_engines(s, engines, d));
    TRY(scn_read_trace(s, trace, d));
    s->trace.tie_seed = s->replay.tie_seed;
    TRY(scn_read_network(&s->data, network, d));
    TRY(scn_read_data(&s->data, data, d));
    TRY(read_jobs(&s->jobs, jobs, d));
    TRY(scn_read_faults(s, faults, d));
    TRY(scn_read_asked(&s->asked, root, sweep, d));
    TRY(read_users(&s->users, users, d));
    TRY(read_output(&s->output, s->replay.fill > 0, output, d));
    return ydoc_quantity(root, "horizon", TEXT_DURATION, TICK_SEC, 1, &s->horizon, d);
}

/* What the runs of one case have in common: which policies and seeds are asked for besides is no part of a run. */
static char *canonical_of(const struct ydoc *y)
{
    struct ydoc bare;
    ydoc_copy(&bare, y);
    ydoc_drop(&bare, "policies");
    ydoc_drop(&bare, "seeds");
    ydoc_drop(&bare, "sweep");
    ydoc_drop(&bare, "search");
    char *text = ydoc_canonical(&bare);
    ydoc_fini(&bare);
    return text;
}

enum st scn_read(struct scenario *s, const char *path, const struct ydoc *y, const struct ydoc_node *sweep, struct diag *d)
{
    MEM_NEW(s->kept);
    s->id.path = mem_strdup(path);
    s->horizon = TICK_NEVER;
    s->id.canonical = canonical_of(y);
    enum st st = read_all(s, y->root, sweep, d);
    if (st != ST_OK) scn_fini(s);
    return st;
}

static void asked_fini(struct scn_asked *a)
{
    for (size_t i = 0; i < a->n_policies; i++) {
        mem_free(a->policy[i].spec);
        mem_free(a->policy[i].label);
    }
    mem_free(a->policy);
    mem_free(a->seed);
}

/* What a scenario asks for beside its own lists is checked although nobody runs it now. */
static enum st check_sweep(struct scenario *s, const struct ydoc_node *root, struct diag *d)
{
    const struct ydoc_node *sweep = ydoc_get(root, "sweep");
    struct scn_asked lists = { .policy = NULL };
    if (sweep == NULL) return ST_OK;
    s->asked.has_sweep = true;
    enum st st = scn_check_sweep(sweep, d);
    if (st == ST_OK) st = scn_read_asked(&lists, root, sweep, d);
    asked_fini(&lists);
    return st;
}

bool scn_is_asked(const char *path)
{
    static const char *const own[] = { "policies", "seeds", "sweep", "search" };
    size_t n = strcspn(path, ".=");
    for (size_t i = 0; i < ARRAY_LEN(own); i++)
        if (strlen(own[i]) == n && strncmp(path, own[i], n) == 0) return true;
    return false;
}

char *scn_variant(const char *const *set, size_t n)
{
    size_t len = 1, at = 0;
    for (size_t i = 0; i < n; i++) len += strlen(set[i]) + 2;
    char *text = mem_alloc(len, 1);
    for (size_t i = 0; i < n; i++)
        if (!scn_is_asked(set[i])) at += (size_t)snprintf(text + at, len - at, "%s%s", at > 0 ? ", " : "", set[i]);
    return text;
}

enum st scn_load(struct scenario *s, const char *path, const char *const *set, size_t n_set, struct diag *d)
{
    return scn_load_text(s, path, NULL, set, n_set, d);
}

enum st scn_load_text(struct scenario *s, const char *path, const char *text, const char *const *set, size_t n_set, struct diag *d)
{
    struct ydoc y;
    memset(s, 0, sizeof *s);
    TRY(text != NULL ? ydoc_parse(&y, path, text, d) : ydoc_load(&y, path, d));
    enum st st = ST_OK;
    for (size_t i = 0; i < n_set && st == ST_OK; i++) st = ydoc_set(&y, set[i], d);
    if (st == ST_OK) s->id.variant = scn_variant(set, n_set);
    if (st == ST_OK) st = scn_read(s, path, &y, NULL, d);
    if (st == ST_OK) st = check_sweep(s, y.root, d);
    if (st == ST_OK) st = search_check(path, &y, d);
    ydoc_fini(&y);
    if (st != ST_OK) scn_fini(s);
    return st;
}

static void private_destroy(struct scn_private *k)
{
    if (k == NULL) return;
    if (k->kube_nodes != NULL) kube_nodes_fini(k->kube_nodes);
    mem_free(k->kube_nodes);
    for (size_t i = 0; i < k->n; i++) mem_free(k->owned[i]);
    mem_free(k->owned);
    ydoc_fini(&k->document);
    mem_free(k);
}

void scn_fini(struct scenario *s)
{
    cluster_fini(&s->cluster);
    energy_fini(&s->energy);
    throughput_fini(&s->perf);
    profiles_fini(&s->profiles.table);
    calltime_fini(&s->engines.times);
    relation_fini(&s->engines.relation);
    trace_opts_fini(&s->trace);
    data_fini(&s->data.blocks);
    asked_fini(&s->asked);
    for (size_t i = 0; i < s->users.n; i++) mem_free(s->users.weight[i].user);
    MEM_FREE(s->users.weight, s->id.path, s->id.name, s->id.title, s->id.canonical, s->id.variant);
    private_destroy(s->kept);
    memset(s, 0, sizeof *s);
}

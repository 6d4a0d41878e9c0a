/*
 * grid.c -- every run of a sweep with its key, and the order of keys to find one by.
 *
 * A trace file that several cases name is read and hashed once.
 */
#include "sweep/grid.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/host.h"
#include "run/setup.h"
#include "base/mem.h"

enum st grid_scenario(const struct grid *g, uint32_t kase, struct scenario *out, struct diag *d)
{
    TRY(sweep_case(&g->sweep, kase, out, d));
    if (g->opts.audit) out->output.audit = true;
    if (g->opts.strict) out->trace.strict = true;
    return ST_OK;
}

/* Hashes of traces, so that a file is read once for all cases. */
struct hashes { struct { char *sources; uint64_t hash; } *at; size_t n, cap; };

static enum st hash_of(struct hashes *h, const struct trace_opts *o, uint64_t *out, struct diag *d)
{
    if (trace_is_made(o)) return trace_content_hash(o, out, d);
    char *sources = trace_sources(o);
    size_t i = 0;
    while (i < h->n && strcmp(h->at[i].sources, sources) != 0) i++;
    if (i < h->n) {
        mem_free(sources);
        *out = h->at[i].hash;
        return ST_OK;
    }
    MEM_RESERVE(h->at, h->cap, h->n + 1);
    h->at[h->n].sources = sources;
    TRY(trace_content_hash(o, &h->at[h->n++].hash, d));
    *out = h->at[i].hash;
    return ST_OK;
}

static enum st add_policy(struct grid *g, uint32_t kase, struct scenario *s, uint32_t p, struct hashes *hashes, struct diag *d)
{
    struct grid_policy *q = &g->at[kase].policy[p];
    const char *spec = s->asked.policy[p].spec;
    if (g->opts.is_plan && host_is_command(spec)) run_policy_of_command(&q->who, spec);
    else TRY(run_policy_find(&q->who, s, &s->asked.policy[p], &g->opts.limits, d));
    q->label = mem_strdup(s->asked.policy[p].label);
    enum st st = ST_OK;
    for (size_t k = 0; k < g->n_seeds && st == ST_OK; k++) {
        struct grid_run *r = &g->run[(kase * g->n_seeds + k) * g->n_policies + p];
        struct run_row row;
        uint64_t hash = 0;
        st = trace_seed(&s->trace, s->asked.seed[k], d);
        if (st == ST_OK) st = hash_of(hashes, &s->trace, &hash, d);
        run_policy_row(&row, s, hash, &q->who, q->label, s->asked.seed[k]);
        *r = (struct grid_run){ .kase = kase, .policy = p, .group = (uint32_t)(kase * g->n_seeds + k), .seed = s->asked.seed[k] };
        memcpy(r->key, row.key, sizeof r->key);
        memcpy(r->trace_hash, row.trace_hash, sizeof r->trace_hash);
    }
    return st;
}

static enum st add_case(struct grid *g, uint32_t kase, struct scenario *s, struct hashes *hashes, struct diag *d)
{
    struct grid_case *k = &g->at[kase];
    if (s->asked.n_policies == 0) return diag_at(d, ST_EINPUT, s->id.path, 0, 0, "no policy: name some under `policies:` or `sweep: {policies: ...}`");
    if (kase == 0) {
        g->n_policies = s->asked.n_policies;
        g->n_seeds = s->asked.n_seeds;
        if (g->n_policies * g->n_seeds > GRID_RUNS_MAX / g->sweep.n_cases)
            return diag_at(d, ST_EINPUT, s->id.path, 0, 0, "the sweep has %zu cases, %zu policies and %zu seeds: more than %d runs",
                           g->sweep.n_cases, g->n_policies, g->n_seeds, GRID_RUNS_MAX);
        g->n_groups = g->sweep.n_cases * g->n_seeds;
        g->n = g->n_groups * g->n_policies;
        MEM_ARRAY(g->run, g->n);
    }
    k->name = mem_strdup(s->id.name);
    k->title = mem_strdup(s->id.title);
    k->variant = mem_strdup(s->id.variant);
    k->text = mem_strdup(s->id.canonical);
    k->trace_path = mem_strdup(s->trace.n_instances > 0 ? "(instances)" : s->trace.path != NULL ? s->trace.path : "(generated)");
    k->has_horizon = s->horizon != TICK_NEVER;
    k->is_drawn = setup_is_drawn(s);
    k->multi_from = s->jobs.multi_from;
    MEM_ARRAY(k->policy, g->n_policies);
    for (uint32_t p = 0; p < g->n_policies; p++) TRY(add_policy(g, kase, s, p, hashes, d));
    return ST_OK;
}

/* By key; of equal ones the first place. */
static int cmp_run(const void *a, const void *b)
{
    const struct grid_run *const *x = a, *const *y = b;
    int order = strcmp((*x)->key, (*y)->key);
    return order != 0 ? order : *x < *y ? -1 : *x > *y;
}

static enum st same_runs(const struct grid *g, size_t a, size_t b, struct diag *d)
{
    char first[256], second[256];
    return diag_at(d, ST_EINPUT, g->opts.scenario, 0, 0, "two runs of the sweep are the same: '%s' and '%s'",
                   grid_label(g, a, first, sizeof first), grid_label(g, b, second, sizeof second));
}

/* Close the gaps of runs that stand in an earlier place, where run_at says which: then it says the run of each place. */
static void drop_copies(struct grid *g)
{
    const size_t n_places = g->n;
    size_t n = 0, group = 0;
    MEM_ARRAY(g->group_at, g->n_groups + 1);
    for (size_t i = 0; i < n_places; i++) {
        if (g->run_at[i] != i) { g->run_at[i] = g->run_at[g->run_at[i]]; continue; }
        for (; group <= g->run[i].group; group++) g->group_at[group] = n;
        g->run_at[i] = (uint32_t)n;
        g->run[n++] = g->run[i];
    }
    for (; group <= g->n_groups; group++) g->group_at[group] = n;
    g->n = n;
}

/* Sort by key.  A key twice is a run twice: a mistake in a product, one run in cases that are listed. */
static enum st index_keys(struct grid *g, struct diag *d)
{
    const struct grid_run **at;
    size_t first = 0, n = 0;
    MEM_ARRAY(at, g->n);
    MEM_ARRAY(g->by_key, g->n);
    MEM_ARRAY(g->run_at, g->n);
    for (size_t i = 0; i < g->n; i++) at[i] = &g->run[i];
    qsort(at, g->n, sizeof *at, cmp_run);
    enum st st = ST_OK;
    for (size_t i = 0; i < g->n && st == ST_OK; i++) {
        size_t place = (size_t)(at[i] - g->run);
        bool is_copy = i > 0 && strcmp(at[i]->key, g->run[first].key) == 0;
        if (is_copy && g->sweep.cases == NULL) st = same_runs(g, first, place, d);
        if (!is_copy) g->by_key[n++] = (uint32_t)(first = place);
        g->run_at[place] = (uint32_t)first;
    }
    mem_free(at);
    if (st != ST_OK) return st;
    drop_copies(g);
    for (size_t i = 0; i < n; i++) g->by_key[i] = g->run_at[g->by_key[i]];
    return ST_OK;
}

size_t grid_find(const struct grid *g, const char *key)
{
    size_t lo = 0, hi = g->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int order = strcmp(g->run[g->by_key[mid]].key, key);
        if (order == 0) return g->by_key[mid];
        if (order < 0) lo = mid + 1;
        else hi = mid;
    }
    return g->n;
}

enum st grid_load(struct grid *g, const struct grid_opts *o, struct diag *d)
{
    struct hashes hashes = { .n = 0 };
    memset(g, 0, sizeof *g);
    g->opts = *o;
    TRY(sweep_load(&g->sweep, o->scenario, o->set, o->n_set, d));
    MEM_ARRAY(g->at, g->sweep.n_cases);
    enum st st = ST_OK;
    for (uint32_t k = 0; k < g->sweep.n_cases && st == ST_OK; k++) {
        struct scenario s;
        if ((st = grid_scenario(g, k, &s, d)) != ST_OK) break;
        st = add_case(g, k, &s, &hashes, d);
        scn_fini(&s);
    }
    for (size_t i = 0; i < hashes.n; i++) mem_free(hashes.at[i].sources);
    mem_free(hashes.at);
    if (st == ST_OK) st = index_keys(g, d);
    if (st != ST_OK) grid_fini(g);
    return st;
}

void grid_fini(struct grid *g)
{
    for (size_t i = 0; g->at != NULL && i < g->sweep.n_cases; i++) {
        struct grid_case *k = &g->at[i];
        for (size_t p = 0; k->policy != NULL && p < g->n_policies; p++) {
            mem_free(k->policy[p].label);
            run_policy_fini(&k->policy[p].who);
        }
        mem_free(k->policy); mem_free(k->name); mem_free(k->title); mem_free(k->variant); mem_free(k->text); mem_free(k->trace_path);
    }
    mem_free(g->at);
    mem_free(g->run);
    mem_free(g->by_key);
    mem_free(g->run_at);
    mem_free(g->group_at);
    sweep_fini(&g->sweep);
    memset(g, 0, sizeof *g);
}

void grid_row(const struct grid *g, size_t i, struct store_run *row)
{
    const struct grid_run *r = &g->run[i];
    const struct grid_case *k = &g->at[r->kase];
    const struct grid_policy *p = &k->policy[r->policy];
    *row = (struct store_run){
        .key = r->key, .scenario = k->name, .title = k->title, .variant = k->variant, .scenario_text = k->text,
        .trace_path = k->trace_path, .trace_hash = r->trace_hash, .policy = p->label, .policy_spec = p->who.spec,
        .policy_source = p->who.source, .seed = r->seed, .clairvoyant = p->who.is_clairvoyant, .by_count = p->who.by_count,
        .multi_from = k->multi_from };
}

const char *grid_label(const struct grid *g, size_t i, char *buf, size_t cap)
{
    const struct grid_run *r = &g->run[i];
    const struct grid_case *k = &g->at[r->kase];
    (void)snprintf(buf, cap, "%.100s%s%s seed %" PRIu64, k->variant, k->variant[0] != '\0' ? "  " : "",
                   k->policy[r->policy].label, r->seed);
    return buf;
}

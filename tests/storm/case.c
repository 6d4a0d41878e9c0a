/*
 * case.c -- a case of the battery, and what is drawn on top of it: other times and lengths, orders of tasks, models
 * with speeds, profiles and phases, elastic jobs, jobs that wait for others, a shared network, checkpoints, limits, a
 * closed loop.
 *
 * The battery counts in microseconds.  Policies that think in seconds (probes, thresholds, monitors) get half of the
 * cases with its microsecond stretched to one second or ten.
 */
#include "storm/case.h"

#include <stdio.h>
#include <string.h>
#include "base/mem.h"
#include "base/rng.h"
#include "builtin.h"

enum { MODELS = 3, SCALINGS = 3, TASKS_MAX = 6 };

static int64_t draw(struct rng *r, const int64_t *of, size_t n) { return of[rng_below(r, n)]; }
#define DRAW(r, ...) \
    draw((r), (const int64_t[]){ __VA_ARGS__ }, sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t))
static bool one_in(struct rng *r, uint64_t n) { return rng_below(r, n) == 0; }

static const char *const model_name[MODELS] = { "m0", "m1", "m2" };

/* What the policy is for comes in every case of its own. */
static bool is_under(const struct storm_case *c, const char *policy)
{
    return strncmp(c->plan->spec, policy, strlen(policy)) == 0;
}

/* Takes elastic jobs alone, with models of goodput. */
static bool takes_elastic(const char *spec)
{
    static const char *const name[] = { "optimus", "pollux", "sia" };
    for (size_t i = 0; i < ARRAY_LEN(name); i++)
        if (strncmp(spec, name[i], strlen(name[i])) == 0) return true;
    return false;
}

/* Cases of calls are among those made by hand. */
static uint32_t case_of_calls(void)
{
    static uint32_t found = NONE;
    for (uint32_t i = 0; found == NONE; i++) {
        SIM_ASSERT(i < conform_n_cases());
        struct conform_case *c = conform_case_make(i);
        if (c->job[0].n_calls > 0) found = i;
        conform_case_free(c);
    }
    return found;
}

static sim_tick stretched(sim_tick t, sim_tick unit) { return t > 0 ? t * unit : t; }

static void stretch(struct conform_case *b, sim_tick unit)
{
    for (uint32_t i = 0; i < b->n_jobs; i++) {
        struct conform_job *j = &b->job[i];
        j->submit *= unit;
        j->limit = stretched(j->limit, unit);
        for (uint32_t g = 0; g < j->n_groups; g++) j->group[g].dur *= unit;
    }
    b->cfg.horizon *= unit;
}

static void draw_graph(struct conform_case *b, struct conform_job *j, struct rng *r)
{
    uint32_t n = j->group[0].n, in = 0, after = 0;
    while (n < TASKS_MAX && j->n_groups < 3 && one_in(r, 2)) { /* another group, in a later stage */
        struct task_group *g = &j->group[j->n_groups++];
        *g = j->group[0];
        g->n = 1 + (uint32_t)rng_below(r, 2);
        g->dur = g->dur * (1 + (int64_t)rng_below(r, 3)) / 2;
        if (one_in(r, 2)) g->shape.cpu_milli += 500;
        n += g->n;
    }
    j->has_graph = true;
    for (uint32_t k = 0; k < n; k++) {
        j->in_start[k] = in;
        j->after_start[k] = after;
        j->write_b[k] = b->data.names.n > 0 ? DRAW(r, 0, 0, 500, 3000) : 0;
        if (k == 0 || one_in(r, 4)) continue;
        uint32_t before = (uint32_t)rng_below(r, k);
        if (j->write_b[before] > 0 && one_in(r, 2)) j->in[in++] = (struct task_input){ .block = NONE, .task = before };
        else j->after[after++] = before;
    }
    j->in_start[n] = in;
    j->after_start[n] = after;
}

static void draw_jobs(struct storm_case *c, struct rng *r)
{
    struct conform_case *b = c->base;
    bool has_graphs = (one_in(r, 2) || is_under(c, "workflow")) && !c->plan->runs_calls;
    bool has_models = one_in(r, 2) || is_under(c, "multiqueue"), has_traffic = one_in(r, 2);
    for (uint32_t i = 0; i < b->n_jobs; i++) {
        struct conform_job *j = &b->job[i];
        c->model[i] = NONE;
        if (one_in(r, 3)) j->priority = (int32_t)rng_below(r, 4);
        if (one_in(r, 3)) (void)snprintf(j->queue, sizeof j->queue, "q%u", (unsigned)rng_below(r, 2));
        if (j->n_calls > 0) {
            j->first_call = (uint32_t)rng_below(r, 5);
            j->n_calls = 1 + (uint32_t)rng_below(r, 4);
            continue;
        }
        if (has_graphs && !j->gang && !j->has_graph && j->n_groups == 1 && one_in(r, 3)) draw_graph(b, j, r);
        if (has_models && j->group[0].shape.n_gpu > 0 && !b->has_profiles) c->model[i] = (uint32_t)rng_below(r, MODELS);
        for (uint32_t g = 0; c->model[i] != NONE && g < j->n_groups; g++) /* without cores it would hardly go on */
            j->group[g].shape.cpu_milli = i64_max(500, j->group[g].shape.cpu_milli);
        for (uint32_t g = 0; has_traffic && g < j->n_groups; g++)
            if (j->group[g].shape.n_gpu == 0) j->group[g].mem_bw = DRAW(r, 0, 25, 75) * 1000000;
    }
}

/* Speeds of models by type of GPU, 0 now and then, and profiles of what they need of cores and bandwidth. */
static void draw_models(struct storm_case *c, struct rng *r)
{
    struct conform_case *b = c->base;
    bool has_profiles = one_in(r, 2) || is_under(c, "multiqueue");
    for (uint32_t m = 0; m < MODELS; m++) {
        uint32_t id = throughput_model(&b->perf, model_name[m]);
        for (uint32_t t = 0; t < b->cluster.gpu_types.n; t++)
            if (!one_in(r, 4))
                throughput_set(&b->perf, id, t, (sim_rate)DRAW(r, 0, RATE_ONE, RATE_ONE / 2, 2 * RATE_ONE));
        struct profile p = { .model = id, .n_nodes = 1, .n_gpus = 1, .bw = DRAW(r, 8, 32) * 1000000 };
        p.category = intern_id(&c->profiles.categories, one_in(r, 2) ? "image" : "speech");
        char util[24];
        (void)snprintf(util, sizeof util, "linear:%d", (int)DRAW(r, 1, 2, 4));
        const char *error = curve_parse(&p.util, util);
        if (error == NULL && one_in(r, 2)) error = curve_parse(&p.slow, "0:1;50:1.2;100:2");
        SIM_ASSERT(error == NULL && profiles_add(&c->profiles, &p));
    }
    for (uint32_t n = 0; n < b->cluster.n_nodes; n++)
        cluster_set_mem_bw(&b->cluster, n, DRAW(r, 0, 100, 200) * 1000000);
    if (!has_profiles || b->has_profiles) return;
    b->cfg.profiles = &c->profiles;
    b->cfg.monitor = (struct monitor_spec){ .interval = DRAW(r, 0, 5, 10) * c->unit, .noise = one_in(r, 3) ? 0.05 : 0 };
}

/* Of every second model; what it goes as runs wherever it does. */
static void draw_phases(struct storm_case *c, struct rng *r)
{
    const struct conform_case *b = c->base;
    for (uint32_t m = 0; m < MODELS; m++) {
        struct phase x = { .model = throughput_model(&c->base->perf, model_name[m]), .scaling = NONE };
        for (uint32_t n = one_in(r, 2) ? 0 : 1 + (uint32_t)rng_below(r, 2); n > 0; n--) {
            x.as = throughput_model(&c->base->perf, model_name[rng_below(r, MODELS)]);
            x.until += (uint32_t)DRAW(r, 1, 100000, 333333, 499999);
            x.scaling = one_in(r, 2) ? NONE : (uint32_t)rng_below(r, SCALINGS);
            for (uint32_t g = 0; g < b->cluster.gpu_types.n; g++)
                if (throughput_rate(&b->perf, &b->cluster, x.model, g) > 0 &&
                    throughput_rate(&b->perf, &b->cluster, x.as, g) == 0) x.as = x.model;
            phases_add(&c->profiles.phases, x);
        }
    }
}

/* Speeds by size; those of the battery's own elastic jobs are among them. */
static void draw_scalings(struct storm_case *c, struct rng *r)
{
    static const char *const one[] = { "1:1;64:64", "1:1;2:1.8;4:3;8:4;64:4", "1:1;2:0.5;64:0.5" };
    for (uint32_t i = 0; i < SCALINGS; i++) {
        char name[8];
        (void)snprintf(name, sizeof name, "r%u", i);
        struct scaling_row row = { .name = intern_id(&c->profiles.scaling.names, name), .gpu_type = NONE };
        row.restart = stretched(DRAW(r, -1, 0, 3), c->unit);
        const char *error = curve_parse(&row.one, one[rng_below(r, ARRAY_LEN(one))]);
        if (error == NULL && one_in(r, 2)) error = curve_parse(&row.several, "2:1;8:3;64:3");
        SIM_ASSERT(error == NULL && scaling_add(&c->profiles.scaling, &row));
    }
}

/* Gangs of tasks that are alike and ask for whole cards may have other sizes; who is elastic already has others. */
static void draw_elastic(struct storm_case *c, struct rng *r)
{
    bool has_elastic = c->base->has_profiles;
    if (c->base->cfg.profiles == &c->profiles) has_elastic = one_in(r, 2) || is_under(c, "afs");
    for (uint32_t i = 0; has_elastic && i < c->base->n_jobs; i++) {
        struct conform_job *j = &c->base->job[i];
        const struct task_group *g = &j->group[0];
        if (!j->gang || j->n_groups > 1 || g->shape.n_gpu == 0 || g->shape.gpu_milli < GPU_WHOLE) continue;
        if (g->n > CONFORM_TASKS || one_in(r, 4)) continue;
        j->elastic = (struct elastic){ .min = 1 + (uint32_t)rng_below(r, g->n),
                                       .max = g->n + (uint32_t)rng_below(r, CONFORM_TASKS - g->n + 1),
                                       .scaling = c->base->has_profiles ? 0 : (uint32_t)rng_below(r, SCALINGS) };
    }
}

/* In every third case jobs wait for earlier ones. */
static void draw_after(struct storm_case *c, struct rng *r)
{
    if (!one_in(r, 3)) return;
    for (uint32_t i = 1; i < c->base->n_jobs; i++) {
        struct storm_after *a = &c->after[i];
        if (c->base->job[i].n_calls > 0 || !one_in(r, 3)) continue;
        a->n = 1 + (uint32_t)rng_below(r, 2);
        for (uint32_t k = 0; k < a->n; k++) {
            a->before[k] = (uint32_t)rng_below(r, i);
            a->kind[k] = (uint32_t)DRAW(r, STORM_AFTER, STORM_AFTER_ANY, STORM_AFTER_ANY, STORM_AFTER_OK, STORM_AFTER_OK,
                                       STORM_AFTER_NOT_OK);
        }
    }
}

static void draw_config(struct storm_case *c, struct rng *r)
{
    struct world_config *cfg = &c->base->cfg;
    cfg->checkpoint_interval = stretched(DRAW(r, -1, -1, 0, 7, 20), c->unit);
    cfg->restore_cost = DRAW(r, 0, 0, 3) * c->unit;
    cfg->enforce_limits = one_in(r, 4);
    cfg->multi_from = (uint32_t)DRAW(r, 0, 2, 3);
    cfg->concurrency = one_in(r, 8) ? 1 + (uint32_t)rng_below(r, 8) : 0;
    cfg->mismatch_after = 2 * c->unit;
    cfg->seed = c->plan->seed;
    if (cfg->data == NULL) return;
    cfg->net.mode = one_in(r, 2) ? NET_SHARED : NET_NOMINAL;
    if (c->base->data.block[1].size >= TICK_SEC) return; /* large blocks, to which its own speeds belong */
    /* As long as in microseconds, and longer: some thousand bytes take several units on the slow links. */
    int64_t bps = i64_max(NET_BPS_MIN, DRAW(r, 400, 2000, 40000) * 1000000 / c->unit / 4);
    cfg->net = (struct net_spec){ .mode = cfg->net.mode,
                                  .disk_bps = one_in(r, 3) ? 0 : 4 * bps,
                                  .card_bps = 2 * bps,
                                  .rack_bps = bps,
                                  .aggregation_bps = bps };
}

/* By time; at one time what goes down comes first. */
static void list_faults(struct storm_case *c)
{
    struct fault_spec *f = &c->base->cfg.fault;
    f->n_list = 0;
    for (uint32_t i = 0; i < c->plan->n_outages; i++) {
        const struct storm_outage *o = &c->plan->outage[i];
        c->fault[f->n_list++] = (struct fault_event){ .at = o->down, .node = o->node, .up = false };
        c->fault[f->n_list++] = (struct fault_event){ .at = o->up, .node = o->node, .up = true };
    }
    for (size_t i = 1; i < f->n_list; i++)
        for (size_t k = i; k > 0; k--) {
            struct fault_event *a = &c->fault[k - 1], *b = &c->fault[k], x = *a;
            if (a->at < b->at || (a->at == b->at && a->node <= b->node)) break;
            *a = *b;
            *b = x;
        }
    f->list = c->fault;
}

/* Jobs get their turns or sizes in rounds, each of which may end before the next checkpoint, and so for ever. */
static bool takes_turns(const char *spec)
{
    if (takes_elastic(spec)) return true;
    const size_t len = strcspn(spec, ":");
    for (size_t i = 0; pol_table[i] != NULL; i++)
        for (uint32_t k = 0; strlen(pol_table[i]->name) == len && strncmp(spec, pol_table[i]->name, len) == 0 && k < pol_table[i]->n_params; k++)
            if (strcmp(pol_table[i]->params[k].name, "round") == 0) return true;
    return false;
}

struct storm_case *storm_case_make(const struct storm_plan *p)
{
    struct storm_case *c;
    struct rng r;
    MEM_NEW(c);
    rng_init(&r, p->seed, "storm", 0);
    uint32_t n = conform_elastic_case(), /* the last but this */
             which = one_in(&r, 4) ? (uint32_t)rng_below(&r, n) : n + (uint32_t)(p->seed % 1000000000);
    c->plan = p;
    c->base = conform_case_make(p->runs_calls ? case_of_calls() : takes_elastic(p->spec) ? n : which);
    c->unit = DRAW(&r, 1, 1, TICK_SEC, 10 * TICK_SEC);
    c->must_end = c->base->cfg.horizon >= 20000;
    if (c->base->cfg.horizon < TICK_SEC) stretch(c->base, c->unit);
    else c->unit = p->runs_calls ? 1 : TICK_SEC; /* which it counts in itself */
    draw_jobs(c, &r);
    draw_models(c, &r);
    draw_config(c, &r);
    rng_init(&r, p->seed, "storm, elastic", 0);     /* random numbers of their own: the rest stays what it was */
    draw_scalings(c, &r);
    draw_phases(c, &r);
    draw_elastic(c, &r);
    draw_after(c, &r);
    list_faults(c);
    if (c->base->cfg.checkpoint_interval != 0 && takes_turns(p->spec)) c->must_end = false;
    return c;
}

void storm_case_free(struct storm_case *c)
{
    profiles_fini(&c->profiles);
    conform_case_free(c->base);
    mem_free(c);
}

/* Does a job behind it that is there wait for it? */
static bool is_named(const struct storm_case *c, uint32_t job)
{
    for (uint32_t i = job + 1; i < c->base->n_jobs; i++)
        for (uint32_t k = 0; k < c->after[i].n && !c->plan->dropped[i]; k++)
            if (c->after[i].before[k] == job) return true;
    return false;
}

/* As a trace has it, of those that are there; NULL: it waits for none. */
static const char *after_text(struct storm_case *c, uint32_t job)
{
    static const char *const kind[] = { [STORM_AFTER] = "after", [STORM_AFTER_ANY] = "afterany",
                                        [STORM_AFTER_OK] = "afterok", [STORM_AFTER_NOT_OK] = "afternotok" };
    const struct storm_after *a = &c->after[job];
    int n = 0;
    for (uint32_t k = 0; k < a->n; k++)
        if (!c->plan->dropped[a->before[k]])
            n += snprintf(c->after_text + n, sizeof c->after_text - (size_t)n, "%s%s:%s", n > 0 ? "," : "",
                          kind[a->kind[k]], c->base->job[a->before[k]].id);
    return n > 0 ? c->after_text : NULL;
}

static enum st next(void *ctx, struct job_spec *out, struct diag *d)
{
    struct storm_case *c = ctx;
    uint32_t at;
    do {
        at = c->base->next;
        TRY(c->jobs.next(c->jobs.ctx, out, d));
    } while (c->plan->dropped[at]);
    if (c->model[at] != NONE) out->model = model_name[c->model[at]];
    out->after = after_text(c, at);
    out->is_named = is_named(c, at);
    return ST_OK;
}

struct source storm_case_source(struct storm_case *c)
{
    c->jobs = conform_source(c->base);
    return (struct source){ .ctx = c, .next = next };
}

uint32_t storm_case_n_jobs(const struct storm_case *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->base->n_jobs; i++) n += !c->plan->dropped[i];
    return n;
}

uint32_t storm_case_find(const struct storm_case *c, const char *id)
{
    for (uint32_t i = 0; i < c->base->n_jobs; i++) if (strcmp(c->base->job[i].id, id) == 0) return i;
    return NONE;
}

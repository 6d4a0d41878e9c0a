#include "ref/refcase.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "host/host.h"
#include "ref/kueuecase.h"
#include "base/rng.h"
#include "model/world.h"

#define GIB (INT64_C(1) << 30)
#define MB  INT64_C(1000000)
#define PICK(r, ...) pick((r), (const int64_t[]){ __VA_ARGS__ }, sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t))

static int64_t pick(struct rng *r, const int64_t *of, size_t n) { return of[rng_below(r, n)]; }
static bool one_in(struct rng *r, uint64_t n) { return rng_below(r, n) == 0; }

/* ---- making ---- */

static void make_nodes(struct ref_case *c, struct rng *r, bool plain)
{
    c->n_types = (int)(1 + rng_below(r, 3));
    c->n_nodes = (int)(2 + rng_below(r, 5));
    for (int t = 0; t < REF_TYPES; t++) c->type_rate[t] = plain ? RATE_ONE : (sim_rate)PICK(r, RATE_ONE, RATE_ONE, RATE_ONE / 2, RATE_ONE * 2, 21845);
    for (int n = 0; n < c->n_nodes; n++) {
        struct ref_node *o = &c->node[n];
        if (n > 0 && one_in(r, 3)) { *o = c->node[n - 1]; continue; }       /* twins make ties */
        o->cpu = PICK(r, 4000, 8000, 16000);
        o->mem = PICK(r, 4 * GIB, 8 * GIB, 16 * GIB, 1000000000);
        o->n_gpu = (int)PICK(r, 0, 1, 2, 4, 4);
        o->type = o->n_gpu ? (int)rng_below(r, (uint64_t)c->n_types) : -1;
        o->gpu_mem = o->n_gpu ? PICK(r, 0, 16 * GIB, 16 * GIB, 8 * GIB) : 0;
        o->engine[0] = (int32_t)PICK(r, 0, 0, 1, 2);
        o->labels = rng_below(r, 8);
    }
    c->n_models = (int)rng_below(r, REF_MODELS + 1);
    for (int m = 0; m < c->n_models; m++)
        for (int t = 0; t < REF_TYPES; t++)
            c->rate[m][t] = (sim_rate)PICK(r, 0, RATE_ONE, RATE_ONE, RATE_ONE / 2, RATE_ONE * 3, 43690, 70001);
}

static struct shape make_shape(struct rng *r, bool plain, int n_types)
{
    struct shape s;
    memset(&s, 0, sizeof s);
    s.cpu_milli = PICK(r, 0, 500, 1000, 2000, 2000, 4000);
    s.mem_b = PICK(r, 0, GIB / 2, GIB, GIB, 2 * GIB, 4 * GIB);
    if (rng_below(r, 10) < 7) {
        s.n_gpu = (int32_t)PICK(r, 1, 1, 1, 2, 3);
        s.gpu_milli = s.n_gpu == 1 ? (int32_t)PICK(r, 250, 300, 500, 700, 1000, 1000) : (int32_t)PICK(r, 1000, 1000, 1000, 500);
        s.gpu_mem_b = PICK(r, 0, 0, 4 * GIB, 10 * GIB);
        if (one_in(r, 5)) s.gpu_types = 1 + rng_below(r, (UINT64_C(1) << n_types) - 1);
    }
    if (plain) return s;
    if (one_in(r, 8)) s.need_all = UINT64_C(1) << rng_below(r, 3);
    if (one_in(r, 8)) s.need_any = 1 + rng_below(r, 7);
    if (one_in(r, 8)) s.engine[0] = 1;
    if (one_in(r, 15)) s.exclusive = 1;
    return s;
}

static void make_job(struct ref_case *c, struct rng *r, struct ref_job *j, bool plain, bool varied)
{
    /* Shapes recur, so that some are typical. */
    struct shape pool[6];
    struct rng same = { { 1, 2, 3, (uint64_t)c->n_nodes } };
    for (size_t i = 0; i < 6; i++) pool[i] = make_shape(&same, plain, c->n_types);
    j->n = one_in(r, 3) ? (int)(2 + rng_below(r, 4)) : 1;
    j->gang = j->n > 1 ? !one_in(r, 3) : one_in(r, 4);
    j->user = (int)rng_below(r, 4);
    j->model = c->n_models > 0 && one_in(r, 2) ? (int)rng_below(r, (uint64_t)c->n_models) : -1;
    struct ref_task t = { .dur = 0 };
    for (int k = 0; k < j->n; k++) {
        if (k == 0 || one_in(r, 4)) {
            t.shape = varied || one_in(r, 3) ? make_shape(r, plain, c->n_types) : pool[rng_below(r, 6)];
            if (k == 0 || !j->gang) t.dur = PICK(r, 0, 1, 10, 20, 20, 30, 50, 80, 80, 130);
        }
        j->task[k] = t;
    }
    j->limit = PICK(r, -1, 0, 10, 40, 100, 200);
    if (one_in(r, 2)) j->limit = j->task[0].dur;
    else if (one_in(r, 2)) j->limit = 2 * j->task[0].dur;
}

static void make_faults(struct ref_case *c, struct rng *r)
{
    sim_tick at = 0;
    c->n_faults = (int)rng_below(r, 12);
    for (int i = 0; i < c->n_faults; i++) {
        at += PICK(r, 0, 10, 10, 25, 60);
        c->fault[i] = (struct ref_fault){ .at = at, .node = (int)rng_below(r, (uint64_t)c->n_nodes), .up = one_in(r, 2) };
    }
    for (int i = 1; i < c->n_faults; i++)       /* by time, then node */
        for (int k = i; k > 0 && c->fault[k].at == c->fault[k - 1].at && c->fault[k].node < c->fault[k - 1].node; k--) {
            struct ref_fault f = c->fault[k];
            c->fault[k] = c->fault[k - 1];
            c->fault[k - 1] = f;
        }
}

/* In every third case some jobs wait for others, from random numbers of their own. */
static void make_dependencies(struct ref_case *c, uint64_t seed)
{
    struct rng r;
    rng_init(&r, seed, "reference case, dependencies", 0);
    if (!one_in(&r, 3)) return;
    for (int i = 1; i < c->n_jobs; i++) {
        struct ref_job *o = &c->job[i];
        if (one_in(&r, 2)) continue;
        o->n_after = one_in(&r, 2) ? 2 : 1;
        o->after_any = one_in(&r, 2);
        for (int k = 0; k < o->n_after; k++) {
            o->after[k].before = (int)rng_below(&r, (uint64_t)i);
            o->after[k].kind = PICK(&r, REF_BEGUN, REF_ENDED, REF_ENDED, REF_OK, REF_OK, REF_NOT_OK);
            o->after[k].delay = PICK(&r, 0, 0, 0, 1, 5, 40);
        }
    }
}

void refcase_make(struct ref_case *c, uint64_t seed)
{
    struct rng r;
    memset(c, 0, sizeof *c);
    rng_init(&r, seed, "reference case", 0);
    bool plain = one_in(&r, 3), varied = one_in(&r, 8);     /* varied: more shapes than fgd keeps */
    make_nodes(c, &r, plain);
    c->n_jobs = (int)(5 + rng_below(&r, 36));
    int64_t gap = PICK(&r, 0, 1, 2, 3);
    sim_tick at = 0;
    for (int i = 0; i < c->n_jobs; i++) {
        at += gap * PICK(&r, 0, 0, 1, 5, 10);
        c->job[i].submit = at;
        make_job(c, &r, &c->job[i], plain, varied);
    }
    if (one_in(&r, 2)) make_faults(c, &r);
    c->checkpoint_interval = PICK(&r, -1, 0, 0, 7, 20);
    c->restore_cost = PICK(&r, 0, 0, 3, 10);
    c->enforce_limits = one_in(&r, 3);
    c->reject_infeasible = !one_in(&r, 50);
    c->horizon = one_in(&r, 8) ? PICK(&r, 0, 50, 120, 300) : TICK_NEVER;
    c->policy.threshold = PICK(&r, 5, 20, 60);
    c->policy.factor = (int)PICK(&r, 2, 3, 10);
    c->policy.queues = (int)PICK(&r, 2, 2, 3, 5);
    for (int u = 0; u < REF_USERS; u++) c->policy.weight[u] = one_in(&r, 2) ? 1000 : PICK(&r, 500, 2000, 3000);
    make_dependencies(c, seed);
}

static void make_profiles(struct ref_case *c, struct rng *r)
{
    c->has_profiles = !one_in(r, 4);
    c->monitor = PICK(r, 0, 0, 5, 10);
    for (int m = 0; m < REF_MODELS; m++) {
        struct ref_profile *p = &c->profile[m];
        p->category = (int)rng_below(r, 2);
        if (one_in(r, 8)) continue;
        for (int row = 0; row < 2; row++) {
            if (row > 0 && one_in(r, 2)) continue;
            p->on[row].knee = (int)PICK(r, 1, 2, 2, 3, 4);
            p->on[row].bw = PICK(r, 8, 16, 32) * MB;
            p->on[row].slows = !one_in(r, 3);
        }
    }
}

/* What they lose to each other. */
static void make_losses(struct ref_case *c, uint64_t seed)
{
    struct rng own, *r = &own;
    rng_init(r, seed, "reference case, losses", 0);
    c->as_measured = one_in(r, 4);
    c->is_proportional = one_in(r, 3);
    c->shares = c->has_profiles && one_in(r, 2);
    c->utilisation = (double)PICK(r, 4, 8, 10) / 10;
    c->net_bw = PICK(r, 0, 20, 50) * MB;
    c->card = PICK(r, 0, 100, 100, 200) * MB;
    for (int m = 0; m < REF_MODELS; m++)
        for (int o = 0; o < REF_MODELS; o++) c->pair[m][o] = (double)PICK(r, 0, 0, 50, 80, 100) / 100;
    c->net_shared = one_in(r, 2);
    c->rack = PICK(r, 0, 0, 150, 300) * MB;
    c->gpu_bw = PICK(r, 0, 20, 50) * MB;
    c->pcie = PICK(r, 0, 100, 200) * MB;
    c->nvlink = c->pcie > 0 ? PICK(r, 0, 300, 1000) * MB : 0;
    c->group = (int)PICK(r, 1, 2, 2, 4);
    for (int m = 0; m < REF_MODELS; m++) c->apart[m] = (double)PICK(r, 0, 0, 0, 70, 90) / 100;
    c->disk = PICK(r, 0, 20, 60, 100) * MB;
    for (int m = 0; m < REF_MODELS; m++) {
        c->profile[m].data = PICK(r, 0, 0, 3, 6) * GIB;
        c->profile[m].data_bw = c->profile[m].data > 0 ? PICK(r, 20, 50) * MB : 0;
        c->profile[m].half_mem = PICK(r, 0, 0, 1, 2) * GIB;
    }
}

void refcase_make_mq(struct ref_case *c, uint64_t seed)
{
    struct rng r;
    refcase_make(c, seed);
    rng_init(&r, seed, "reference case, multiqueue", 0);
    struct ref_mq_param *p = &c->policy.mq;
    c->policy.order = REF_MULTIQUEUE;
    c->policy.skip = !one_in(&r, 4);
    make_profiles(c, &r);
    make_losses(c, seed);
    for (int n = 0; n < c->n_nodes; n++) c->node[n].mem_bw = PICK(&r, 0, 100, 100, 100, 200) * MB;
    for (int j = 0; j < c->n_jobs; j++) {
        struct hints *h = &c->job[j].hints;
        h->told = (uint32_t)(one_in(&r, 2) ? rng_below(&r, 8) : 0);
        if ((h->told & HINT_HEAVY_WEIGHTS) != 0) h->weights = PICK(&r, 0, 0, 499, 500, 9000);
        if ((h->told & HINT_COMPLEX_CPU) != 0) h->work_us = PICK(&r, 0, 0, 3, 4, 5);
        int64_t bw = PICK(&r, 0, 0, 25, 50, 75) * MB;
        for (int k = 0; k < c->job[j].n; k++) {
            struct ref_task *t = &c->job[j].task[k];
            t->mem_bw = bw;
            /* Without a core it would compute at 1/65536, and be watched all that time. */
            if (t->shape.n_gpu > 0 && t->shape.cpu_milli == 0) t->shape.cpu_milli = 500;
        }
    }
    c->multi_from = (int)PICK(&r, 2, 2, 3, 4);
    p->search = !one_in(&r, 3);
    p->literal = one_in(&r, 4);
    p->probe = PICK(&r, 3, 5, 10, 20);
    p->tolerance = (int)PICK(&r, 0, 10, 50);
    p->cold = (int)PICK(&r, 1, 1, 2, 3);
    p->arrays = !one_in(&r, 4);
    p->reserve = (int)PICK(&r, -1, -1, -1, 0, 2, 4);
    p->by_node = one_in(&r, 4);
    p->gpu_arrays = one_in(&r, 4) ? REF_UNDIVIDED : one_in(&r, 2) ? REF_BY_COUNT : REF_BY_NODE;
    p->reclaim = one_in(&r, 3);
    p->lend_unused = one_in(&r, 2);
    p->multi_share = (int)PICK(&r, -1, -1, 0, 250, 500, 1000);
    p->contention = !one_in(&r, 4);
    p->bandwidth_by_node = one_in(&r, 3);
    p->weights_from = (int)PICK(&r, 500, 1000);
    p->work_from = (int)PICK(&r, 0, 4);
    p->n_past = one_in(&r, 3) ? 1 + (int)rng_below(&r, REF_PAST) : 0;
    for (int i = 0; i < p->n_past; i++)
        p->past[i] = (struct ref_past){ .category = i % 2, .cards = 1 + i / 2, .tasks = 1, .cores = (int)PICK(&r, 1, 2, 3, 5), .util = PICK(&r, 250000, 999999, 1000000) };
    p->steady = (int)PICK(&r, 0, 100, 100, 300);
    p->repeat = (int)PICK(&r, 0, 1, 3);
    p->again = (int)PICK(&r, 100, 100, 300, 1000);
    p->expect = (int)PICK(&r, -1, -1, 500, 1000);
    p->idle = (int)PICK(&r, 0, 0, 0, 1, 3);
    p->watch = PICK(&r, 2, 5, 10);
    p->bandwidth = (int)PICK(&r, 250, 500, 750);
    p->drop = (int)PICK(&r, 0, 50, 50, 250);
}

static void spec_mq(const struct ref_policy *p, FILE *f)
{
    const struct ref_mq_param *m = &p->mq;
    fprintf(f, "multiqueue:mode=%s,search=%s,probe=%" PRId64 "us,tolerance=%d.%03d,cold=%d,arrays=%s,reserve=%d,reserve_of=%s,gpu_arrays=%s",
            p->skip ? "skip" : "strict", !m->search ? "off" : m->literal ? "literal" : "slim", m->probe, m->tolerance / 1000, m->tolerance % 1000,
            m->cold, m->arrays ? "true" : "false", m->reserve, m->by_node ? "node" : "job", m->gpu_arrays == REF_BY_COUNT ? "count" : m->gpu_arrays == REF_BY_NODE ? "nodes" : "off");
    if (m->multi_share >= 0) fprintf(f, ",multi_share=%d.%03d", m->multi_share / 1000, m->multi_share % 1000);
    fprintf(f, ",reclaim=%s,lend=%s", m->reclaim ? "true" : "false", m->lend_unused ? "unused" : "empty");
    fprintf(f, ",weights_from=%d.%03d,work_from=%dus", m->weights_from / 1000, m->weights_from % 1000, m->work_from);
    fprintf(f, ",steady=%d.%03d,repeat=%d,again=%d.%03d,idle=%d,bandwidth_of=%s", m->steady / 1000, m->steady % 1000, m->repeat,
            m->again / 1000, m->again % 1000, m->idle, m->bandwidth_by_node ? "node" : "job");
    if (m->expect >= 0) fprintf(f, ",expect=%d.%03d", m->expect / 1000, m->expect % 1000);
    fprintf(f, ",contention=%s,watch=%" PRId64 "us,bandwidth=%d.%03d,drop=%d.%03d", m->contention ? "true" : "false", m->watch,
            m->bandwidth / 1000, m->bandwidth % 1000, m->drop / 1000, m->drop % 1000);
}

static void spec_weights(const struct ref_policy *p, FILE *f)
{
    fprintf(f, ",weights=");
    for (int u = 0; u < REF_USERS; u++)
        fprintf(f, "%su%d:%" PRId64 ".%03" PRId64, u ? ";" : "", u, p->weight[u] / 1000, p->weight[u] % 1000);
}

void refcase_spec(const struct ref_policy *p, char *buf, size_t cap)
{
    static const char *const place[] = { "first", "best", "worst", "pack", "spread", "fgd", "kube", "kube-hybrid" };
    static const char *const name[] = { "fifo", "sjf", "srtf", "las", "easy", "drf" };
    FILE *f = fmemopen(buf, cap, "w");
    SIM_ASSERT(f != NULL);
    if (p->order == REF_KUEUE) {
        fprintf(f, "kueue:place=%s%s", place[p->place], p->kq.otherwise ? ",otherwise=u0" : "");
        fclose(f);
        return;
    }
    if (p->order == REF_MULTIQUEUE) {
        spec_mq(p, f);
        spec_weights(p, f);
        fclose(f);
        return;
    }
    fprintf(f, "%s:place=%s", name[p->order], place[p->place]);
    if (p->order != REF_EASY) fprintf(f, ",mode=%s", p->skip ? "skip" : "strict");
    if (p->order == REF_SJF || p->order == REF_SRTF || p->order == REF_EASY)
        fprintf(f, ",estimate=%s", p->clairvoyant ? "true" : "limit");
    if (p->order == REF_LAS) fprintf(f, ",threshold=%" PRId64 "us,factor=%d,queues=%d", p->threshold, p->factor, p->queues);
    if (p->order == REF_DRF) spec_weights(p, f);
    fclose(f);
}

/* ---- the real simulator ---- */

struct feed { const struct ref_case *c; int next; struct task_group group[REF_TASKS]; char id[16], user[16], model[16],
              after[96]; };

static bool equal_tasks(const struct ref_task *a, const struct ref_task *b)
{
    return a->dur == b->dur && a->mem_bw == b->mem_bw && memcmp(&a->shape, &b->shape, sizeof a->shape) == 0;
}

/* As the real one reads it. */
static const char *after_text(struct feed *f, const struct ref_job *j)
{
    static const char *const kind[] = { [REF_BEGUN] = "after", [REF_ENDED] = "afterany", [REF_OK] = "afterok",
                                        [REF_NOT_OK] = "afternotok" };
    int n = 0;
    for (int k = 0; k < j->n_after; k++)
        n += snprintf(f->after + n, sizeof f->after - (size_t)n, "%s%s:j%d+0.%06ds",
                      k == 0 ? "" : j->after_any ? "?" : ",", kind[j->after[k].kind],
                      j->after[k].before, (int)j->after[k].delay);
    return n > 0 ? f->after : NULL;
}

static bool is_named(const struct ref_case *c, int job)
{
    for (int i = job + 1; i < c->n_jobs; i++)
        for (int k = 0; k < c->job[i].n_after; k++)
            if (c->job[i].after[k].before == job) return true;
    return false;
}

static enum st feed_next(void *ctx, struct job_spec *out, struct diag *d)
{
    struct feed *f = ctx;
    (void)d;
    if (f->next == f->c->n_jobs) return ST_END;
    const struct ref_job *j = &f->c->job[f->next];
    uint32_t g = 0;
    for (int k = 0; k < j->n; k++) {
        if (k > 0 && equal_tasks(&j->task[k], &j->task[k - 1])) { f->group[g - 1].n++; continue; }
        f->group[g++] = (struct task_group){ .shape = j->task[k].shape, .n = 1, .dur = j->task[k].dur, .mem_bw = j->task[k].mem_bw };
    }
    (void)snprintf(f->id, sizeof f->id, "j%d", f->next);
    (void)snprintf(f->user, sizeof f->user, "u%d", j->user);
    (void)snprintf(f->model, sizeof f->model, "m%d", j->model);
    *out = (struct job_spec){ .id = f->id, .user = f->user, .model = j->model < 0 ? NULL : f->model, .submit = j->submit,
                              .limit = j->limit, .hints = j->hints, .priority = j->priority, .gang = j->gang,
                              .group = f->group, .n_groups = g, .after = after_text(f, j),
                              .is_named = is_named(f->c, f->next) };
    f->next++;
    return ST_OK;
}

static void build_profiles(const struct ref_case *c, struct throughput *perf, struct profiles *out)
{
    char slow[128] = "", util[32], name[16];
    for (int i = 0, n = 0; i < REF_SLOW_POINTS; i++)
        n += snprintf(slow + n, sizeof slow - (size_t)n, "%s%g:%g", i ? ";" : "", ref_slow_x[i], ref_slow_y[i]);
    for (int m = 0; m < c->n_models; m++)
        for (int row = 0; row < 2; row++) {
            const struct ref_profile *p = &c->profile[m];
            if (p->on[row].knee == 0) continue;
            (void)snprintf(name, sizeof name, "m%d", m);
            struct profile x = { .model = throughput_model(perf, name), .n_nodes = (uint32_t)row + 1, .n_gpus = (uint32_t)row + 1, .gpu_type = NONE, .bw = p->on[row].bw };
            (void)snprintf(name, sizeof name, "kind%d", p->category);
            (void)snprintf(util, sizeof util, "linear:%d", p->on[row].knee);
            x.category = intern_id(&out->categories, name);
            x.data_b = p->data;
            x.data_bw = p->data_bw;
            char memory[64];
            (void)snprintf(memory, sizeof memory, "%.9f:0.5;%.9f:1", (double)(p->half_mem - 1) / 1e9,
                (double)p->half_mem / 1e9);
            const char *error = curve_parse(&x.util, util);
            if (error == NULL && p->on[row].slows) error = curve_parse(&x.slow, slow);
            if (error == NULL && p->half_mem > 0) error = curve_parse(&x.memory, memory);
            SIM_ASSERT(error == NULL && profiles_add(out, &x));
        }
    out->cores = c->as_measured ? PROFILE_CORES_AS_MEASURED : PROFILE_CORES_BY_SPEED;
    out->division = c->is_proportional ? PROFILE_PROPORTIONAL : PROFILE_MAX_MIN;
    out->sharing.is_on = c->shares;
    out->sharing.utilisation = c->utilisation;
    out->net_bw = c->net_bw;
    out->gpu_bw = c->gpu_bw;
    for (int m = 0; m < c->n_models; m++) {
        (void)snprintf(name, sizeof name, "m%d", m);
        struct measured_speed x = { .where = LEVEL_RACK, .gpu_type = NONE, .speed = c->apart[m] };
        x.model = throughput_model(perf, name);
        if (x.speed > 0) SIM_ASSERT(measured_add(&out->apart, x));
    }
    for (int m = 0; m < c->n_models; m++)
        for (int o = 0; o < c->n_models; o++) {
            char other[16];
            (void)snprintf(name, sizeof name, "m%d", m);
            (void)snprintf(other, sizeof other, "m%d", o);
            struct measured_speed x = { .gpu_type = NONE, .speed = c->pair[m][o] };
            x.model = throughput_model(perf, name);
            x.where = throughput_model(perf, other);
            if (x.speed > 0) SIM_ASSERT(measured_add(&out->sharing.pairs, x));
        }
}

bool refcase_has_category(const struct ref_case *c, int category)
{
    bool any = false;
    for (int m = 0; m < c->n_models && c->has_profiles; m++)
        any |= c->profile[m].category == category && (c->profile[m].on[0].knee > 0 || c->profile[m].on[1].knee > 0);
    return any;
}

static void write_history(const struct ref_case *c, FILE *f)
{
    const struct ref_mq_param *p = &c->policy.mq;
    fprintf(f, "category,gpus,tasks,cores,util\n");
    for (int i = 0; i < p->n_past; i++)
        if (refcase_has_category(c, p->past[i].category))
            fprintf(f, "kind%d,%d,%d,%d,%" PRId64 ".%06" PRId64 "\n", p->past[i].category, p->past[i].cards, p->past[i].tasks, p->past[i].cores,
                    p->past[i].util / 1000000, p->past[i].util % 1000000);
}

/* What searches found before, or kueue's objects, in a file that the spec comes to name; `path` "": nothing. */
static void add_file(const struct ref_case *c, char *spec, char path[], size_t cap)
{
    const bool is_kueue = c->policy.order == REF_KUEUE;
    (void)snprintf(path, cap, "%s", "");
    if (!is_kueue && (c->policy.order != REF_MULTIQUEUE || c->policy.mq.n_past == 0)) return;
    (void)snprintf(path, cap, "/tmp/fairway-refcase-XXXXXX");
    int fd = mkstemp(path);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    SIM_ASSERT(f != NULL);
    if (is_kueue) kueuecase_write(&c->policy.kq, f);
    else write_history(c, f);
    fclose(f);
    size_t n = strlen(spec);
    (void)snprintf(spec + n, REFCASE_SPEC - n, ",%s=%s", is_kueue ? "config" : "history_file", path);
}

static void build(const struct ref_case *c, struct cluster *cl, struct throughput *perf)
{
    struct diag d = { 0 };
    struct card_links wires = { .nvlink_bps = c->nvlink, .pcie_bps = c->pcie };
    for (int k = 0; k < NODE_GPUS_MAX && c->pcie > 0; k++) wires.group[k] = (uint8_t)(k / c->group);
    uint32_t links = c->pcie > 0 ? cluster_links(cl, &wires) : 0;
    for (int t = 0; t < c->n_types; t++) {
        char name[16];
        (void)snprintf(name, sizeof name, "type%d", t);
        cl->gpu_speed[cluster_gpu_type(cl, name, &d)] = (double)c->type_rate[t] / RATE_ONE;
    }
    for (int n = 0; n < c->n_nodes; n++) {
        const struct ref_node *o = &c->node[n];
        char name[16], type[16];
        (void)snprintf(name, sizeof name, "n%d", n);
        (void)snprintf(type, sizeof type, "type%d", o->type);
        struct node_spec s = { .name = name, .cpu_milli = o->cpu, .mem_b = o->mem, .n_gpu = (uint32_t)o->n_gpu,
                               .gpu_type = o->n_gpu ? type : NULL, .gpu_mem_b = o->gpu_mem, .labels = o->labels,
                               .mem_bw = o->mem_bw, .links = links };
        memcpy(s.engine, o->engine, sizeof s.engine);
        enum st st = cluster_add(cl, &s, &d);
        SIM_ASSERT(st == ST_OK);
    }
    cluster_seal(cl);
    for (int m = 0; m < c->n_models; m++) {
        char name[16];
        (void)snprintf(name, sizeof name, "m%d", m);
        uint32_t id = throughput_model(perf, name);
        for (int t = 0; t < c->n_types; t++) throughput_set(perf, id, (uint32_t)t, c->rate[m][t]);
    }
}

static void see(struct ref_log *log, const struct world *w, enum ref_type type, uint32_t task, const char *reason)
{
    const struct task *t = world_task(w, task);
    const struct hold *h = cluster_hold(world_cluster(w), task);
    ref_log_add(log, (struct ref_event){ .at = world_now(w), .type = type, .job = (int)world_job(w, t->job)->ordinal,
                                         .task = (int)t->index, .node = (int)h->node, .cards = h->cards, .reason = reason });
}

static void saw_start(void *ctx, const struct world *w, uint32_t task) { see(ctx, w, REF_START, task, ""); }

static void saw_stop(void *ctx, const struct world *w, uint32_t task, enum stop_reason reason)
{
    static const char *const name[] = { [STOP_DONE] = "done", [STOP_PREEMPTED] = "preempted", [STOP_FAILED] = "failed",
                                        [STOP_TIMEOUT] = "timeout", [STOP_HORIZON] = "horizon",
                                        [STOP_MISMATCH] = "mismatch" };
    see(ctx, w, REF_STOP, task, name[reason]);
}

static void saw_end(void *ctx, const struct world *w, uint32_t job)
{
    static const char *const name[] = { [JOB_DONE] = "done", [JOB_TIMEOUT] = "timeout", [JOB_REJECTED] = "rejected",
                                        [JOB_UNFINISHED] = "unfinished", [JOB_FAILED] = "failed",
                                        [JOB_NEVER_ELIGIBLE] = "never_eligible" };
    const struct job *j = world_job(w, job);
    ref_log_add(ctx, (struct ref_event){ .at = world_now(w), .type = REF_END, .job = (int)j->ordinal, .task = -1, .node = -1,
                                         .reason = name[j->status] });
}

static void saw_resize(void *ctx, const struct world *w, uint32_t task, int64_t was)
{
    (void)was;
    struct ref_log *log = ctx;
    see(log, w, REF_RESIZE, task, "");
    log->ev[log->n - 1].cards = (uint64_t)cluster_hold(world_cluster(w), task)->cpu_milli;
}

static void saw_node(void *ctx, const struct world *w, uint32_t node)
{
    ref_log_add(ctx, (struct ref_event){ .at = world_now(w), .type = world_cluster(w)->node[node].is_up ? REF_UP : REF_DOWN,
                                         .job = -1, .task = -1, .node = (int)node, .reason = "" });
}

static int by_job(const void *a, const void *b)
{
    const struct ref_event *x = a, *y = b;
    if (x->job != y->job) return x->job < y->job ? -1 : 1;
    if (x->type != y->type) return x->type < y->type ? -1 : 1;
    return (x->task > y->task) - (x->task < y->task);
}

static void saw_sample(void *ctx, const struct world *w) { (void)w; ((struct refcase_run *)ctx)->n_samples++; }

static void took_decision(void *ctx, sim_tick at, const char *verb, uint64_t job, int64_t task, int64_t node, const char *reason)
{
    (void)at; (void)verb; (void)job; (void)task; (void)node; (void)reason;
    ((struct refcase_run *)ctx)->n_decisions++;
}

static void took_note(void *ctx, sim_tick at, const char *name, double value) { (void)ctx; (void)at; (void)name; (void)value; }

/* How a run ended, in the reference's words. */
static void name_end(const struct refcase_run *run, struct ref_log *log)
{
    const char *word = run->diag.msg;
    if (run->result == ST_END) return;
    if (run->result == ST_EINPUT) word = "infeasible";
    else if (run->result == ST_EPOLICY && strstr(word, "waiting with nothing running")) word = "stuck";
    (void)snprintf(log->error, sizeof log->error, "%.120s", word);
}

void refcase_run_real(const struct ref_case *c, struct refcase_run *run, struct ref_log *log)
{
    struct cluster cl = { 0 };
    struct throughput perf = { 0 };
    struct profiles profiles = { 0 };
    struct fault_event fault[REF_FAULTS];
    struct feed feed = { .c = c };
    struct host_hooks hooks = { .ctx = run, .decision = took_decision, .note = took_note };
    struct host *host;
    char spec[REFCASE_SPEC], file[64];
    build(c, &cl, &perf);
    if (c->has_profiles) build_profiles(c, &perf, &profiles);
    for (int i = 0; i < c->n_faults; i++)
        fault[i] = (struct fault_event){ .at = c->fault[i].at, .node = (uint32_t)c->fault[i].node, .up = c->fault[i].up };
    refcase_spec(&c->policy, spec, sizeof spec);
    add_file(c, spec, file, sizeof file);
    struct world_config cfg = {
        .cluster = &cl, .throughput = &perf, .profiles = c->has_profiles ? &profiles : NULL, .monitor = { .interval = c->monitor },
        .net = { .mode = c->net_shared ? NET_SHARED : NET_NOMINAL, .card_bps = c->card, .rack_bps = c->rack,
                 .disk_bps = c->disk },
        .multi_from = (uint32_t)c->multi_from, .fault = { .list = fault, .n_list = (size_t)c->n_faults },
        .checkpoint_interval = c->checkpoint_interval, .restore_cost = c->restore_cost, .enforce_limits = c->enforce_limits,
        .reject_infeasible = c->reject_infeasible, .audit = true, .horizon = c->horizon, .sample_every = run->sample_every,
    };
    enum st st = host_create(&host, run->spec ? run->spec : spec, NULL, &cfg, NULL, run->record ? &hooks : NULL, &run->diag);
    if (file[0] != '\0') (void)unlink(file);
    if (st != ST_OK) { diag_print(&run->diag, stderr); abort(); }
    run->flags = host_ops(host)->flags;
    struct world *w = world_create(&cfg, (struct source){ .ctx = &feed, .next = feed_next }, host_decider(host));
    world_observe(w, (struct observer){ .ctx = log, .started = saw_start, .stopped = saw_stop, .resized = saw_resize, .job_ended = saw_end,
                                         .node_changed = saw_node });
    world_observe(w, (struct observer){ .ctx = run, .sample = saw_sample });
    while ((run->result = world_step(w, &run->diag)) == ST_OK) continue;
    name_end(run, log);
    run->digest = world_digest(w);
    run->count = *world_count(w);
    /* At the end jobs are given up in the order of their slots, which is nobody's business. */
    size_t tail = log->n;
    while (tail > 0 && (strcmp(log->ev[tail - 1].reason, "horizon") == 0 || strcmp(log->ev[tail - 1].reason, "unfinished") == 0)) tail--;
    if (tail < log->n) qsort(log->ev + tail, log->n - tail, sizeof *log->ev, by_job);
    world_destroy(w);
    host_destroy(host);
    throughput_fini(&perf);
    profiles_fini(&profiles);
    cluster_fini(&cl);
}

/* ---- comparing ---- */

static bool same(const struct ref_event *a, const struct ref_event *b)
{
    return a->at == b->at && a->type == b->type && a->job == b->job && a->task == b->task && a->node == b->node &&
           a->cards == b->cards && strcmp(a->reason, b->reason) == 0;
}

long refcase_difference(const struct ref_log *a, const struct ref_log *b)
{
    size_t n = a->n < b->n ? a->n : b->n;
    for (size_t i = 0; i < n; i++)
        if (!same(&a->ev[i], &b->ev[i])) return (long)i;
    return a->n == b->n && strcmp(a->error, b->error) == 0 ? -1 : (long)n;
}

static bool differs(const struct ref_case *c, struct ref_log *real, struct ref_log *ref, long *at)
{
    struct refcase_run run = { 0 };
    ref_log_fini(real);
    ref_log_fini(ref);
    refcase_run_real(c, &run, real);
    ref_run(c, ref);
    *at = refcase_difference(real, ref);
    return *at >= 0;
}

static void drop_job(struct ref_case *c, int j)
{
    memmove(&c->job[j], &c->job[j + 1], (size_t)(c->n_jobs - j - 1) * sizeof c->job[0]);
    c->n_jobs--;
    for (int i = j; i < c->n_jobs; i++) {
        struct ref_job *o = &c->job[i];
        int n = 0;
        for (int k = 0; k < o->n_after; k++) {
            struct ref_after a = o->after[k];
            if (a.before == j) continue;
            a.before -= a.before > j;
            o->after[n++] = a;
        }
        o->n_after = n;
    }
}

static void drop_fault(struct ref_case *c, int f)
{
    memmove(&c->fault[f], &c->fault[f + 1], (size_t)(c->n_faults - f - 1) * sizeof c->fault[0]);
    c->n_faults--;
}

static void drop_node(struct ref_case *c, int n)
{
    memmove(&c->node[n], &c->node[n + 1], (size_t)(c->n_nodes - n - 1) * sizeof c->node[0]);
    c->n_nodes--;
    for (int f = c->n_faults; f-- > 0;) {
        if (c->fault[f].node == n) drop_fault(c, f);
        else c->fault[f].node -= c->fault[f].node > n;
    }
}

static void shrink(struct ref_case *c, struct ref_log *real, struct ref_log *ref)
{
    long at;
    bool smaller = true;
    while (smaller) {
        smaller = false;
        for (int i = c->n_jobs + c->n_faults + c->n_nodes; i-- > 0;) {
            struct ref_case t = *c;
            /* A flavor of kueue may be of that node alone. */
            if (i < c->n_nodes) { if (c->n_nodes == 1 || c->policy.order == REF_KUEUE) continue; drop_node(&t, i); }
            else if (i < c->n_nodes + c->n_faults) drop_fault(&t, i - c->n_nodes);
            else drop_job(&t, i - c->n_nodes - c->n_faults);
            if (differs(&t, real, ref, &at)) { *c = t; smaller = true; break; }
        }
    }
}

/* ---- telling ---- */

static void tell_case(const struct ref_case *c, FILE *to)
{
    fprintf(to, "checkpoint %" PRId64 ", restore %" PRId64 ", limits %s, infeasible %s, horizon %" PRId64 "\n", c->checkpoint_interval,
            c->restore_cost, c->enforce_limits ? "kill" : "ignore", c->reject_infeasible ? "reject" : "error",
            c->horizon == TICK_NEVER ? -1 : c->horizon);
    for (int n = 0; n < c->n_nodes; n++) {
        const struct ref_node *o = &c->node[n];
        fprintf(to, "node %d: cpu %" PRId64 " mem %" PRId64 " gpus %d type %d (rate %u) gpu mem %" PRId64 " npu %d labels %" PRIx64 " bandwidth %" PRId64 "\n",
                n, o->cpu, o->mem, o->n_gpu, o->type, o->type < 0 ? RATE_ONE : c->type_rate[o->type], o->gpu_mem, o->engine[0], o->labels, o->mem_bw);
    }
    for (int m = 0; m < c->n_models; m++) fprintf(to, "model %d: rates %u %u %u\n", m, c->rate[m][0], c->rate[m][1], c->rate[m][2]);
    for (int m = 0; m < REF_MODELS && c->has_profiles; m++)
        fprintf(to, "model %d: data %" PRId64 " at %" PRId64 ", half below %" PRId64 ", kind %d, cores %d and %d, "
                "traffic %" PRId64 " and %" PRId64 ", slowed %d %d\n", m, c->profile[m].data, c->profile[m].data_bw,
                c->profile[m].half_mem, c->profile[m].category, c->profile[m].on[0].knee,
                c->profile[m].on[1].knee, c->profile[m].on[0].bw, c->profile[m].on[1].bw, c->profile[m].on[0].slows, c->profile[m].on[1].slows);
    if (c->has_profiles)
        fprintf(to, "cores %s, division %s, sharing %d at %g, exchange %" PRId64 " of %" PRId64 ", pairs of model 0 %g %g %g\n", c->as_measured ? "as measured" : "by speed",
                c->is_proportional ? "proportional" : "max-min", c->shares, c->utilisation, c->net_bw, c->card, c->pair[0][0], c->pair[0][1], c->pair[0][2]);
    if (c->has_profiles)
        fprintf(to, "network %s, disk %" PRId64 ", switch %" PRId64 ", cards exchange %" PRId64 " over %" PRId64
                " in groups of %d, else %" PRId64 ", apart %g %g %g\n", c->net_shared ? "shared" : "nominal", c->disk,
                c->rack, c->gpu_bw, c->nvlink, c->group, c->pcie, c->apart[0], c->apart[1], c->apart[2]);
    if (c->multi_from > 0) fprintf(to, "multi from %d, monitor %" PRId64 "\n", c->multi_from, c->monitor);
    for (int j = 0; j < c->n_jobs; j++) {
        const struct ref_job *o = &c->job[j];
        if (o->priority != 0) fprintf(to, "priority %d: ", o->priority);
        fprintf(to, "job %d: submit %" PRId64 " limit %" PRId64 " user %d model %d hints %u (%" PRId64 " %" PRId64 ")%s\n", j, o->submit, o->limit, o->user, o->model,
                o->hints.told, o->hints.weights, o->hints.work_us, o->gang ? " gang" : "");
        for (int k = 0; k < o->n_after; k++)
            fprintf(to, "    after job %d (%d) + %" PRId64 "%s\n", o->after[k].before, (int)o->after[k].kind,
                    o->after[k].delay, o->after_any ? ", or" : "");
        for (int k = 0; k < o->n; k++) {
            const struct shape *s = &o->task[k].shape;
            fprintf(to, "    dur %" PRId64 " bw %" PRId64 ": cpu %" PRId64 " mem %" PRId64 " gpus %d x %d (mem %" PRId64 ", types %" PRIx64 ") all %" PRIx64
                    " any %" PRIx64 " npu %d%s\n", o->task[k].dur, o->task[k].mem_bw, s->cpu_milli, s->mem_b, s->n_gpu, s->gpu_milli, s->gpu_mem_b,
                    s->gpu_types, s->need_all, s->need_any, s->engine[0], s->exclusive ? " exclusive" : "");
        }
    }
    for (int f = 0; f < c->n_faults; f++)
        fprintf(to, "at %" PRId64 " node %d %s\n", c->fault[f].at, c->fault[f].node, c->fault[f].up ? "up" : "down");
}

static void tell_log(const char *who, const struct ref_log *log, long at, FILE *to)
{
    static const char *const type[] = { "start", "stop", "end", "down", "up", "resize" };
    fprintf(to, "%s: %zu events%s%s\n", who, log->n, log->error[0] ? ", then: " : "", log->error);
    for (long i = at > 12 ? at - 12 : 0; i < (long)log->n && i < at + 8; i++) {
        const struct ref_event *e = &log->ev[i];
        fprintf(to, "%s %4ld  t=%-5" PRId64 " %-5s job %d task %d node %d cards %" PRIx64 " %s\n", i == at ? ">>" : "  ", i, e->at,
                type[e->type], e->job, e->task, e->node, e->cards, e->reason);
    }
}

bool refcase_agrees(const struct ref_case *c, FILE *to)
{
    struct ref_log real = { 0 }, ref = { 0 };
    struct ref_case small = *c;
    long at;
    bool ok = !differs(&small, &real, &ref, &at);
    if (!ok) {
        shrink(&small, &real, &ref);
        (void)differs(&small, &real, &ref, &at);
        char spec[REFCASE_SPEC];
        refcase_spec(&c->policy, spec, sizeof spec);
        fprintf(to, "policy %s\n", spec);
        if (c->policy.order == REF_KUEUE) kueuecase_write(&c->policy.kq, to);
        tell_case(&small, to);
        tell_log("simulator", &real, at, to);
        tell_log("reference", &ref, at, to);
    }
    ref_log_fini(&real);
    ref_log_fini(&ref);
    return ok;
}

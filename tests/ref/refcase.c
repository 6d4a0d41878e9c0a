/* refcase.c -- random small cases, and how their policy is written. */
#include "ref/refcase.h"

#include <inttypes.h>
#include <string.h>
#include "base/rng.h"

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
            o->after[k].kind = (unsigned)PICK(&r, REF_BEGUN, REF_ENDED, REF_ENDED, REF_OK, REF_OK, REF_NOT_OK);
            o->after[k].delay = PICK(&r, 0, 0, 0, 1, 5, 40);
        }
    }
}

void refcase_make(struct ref_case *c, uint64_t seed)
{
    struct rng r, cost;
    memset(c, 0, sizeof *c);
    rng_init(&r, seed, "reference case", 0);
    rng_init(&cost, seed, "restore", 0);
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
    enum restore_as as = (enum restore_as)PICK(&cost, RESTORE_TIME, RESTORE_TIME, RESTORE_SAVE, RESTORE_WORK);
    bool may = as == RESTORE_SAVE ? c->checkpoint_interval == 0 : c->checkpoint_interval >= 0;
    c->restore_as = may ? as : RESTORE_TIME;
    for (int i = 0; i < c->n_jobs; i++) c->job[i].restore = (struct own_cost){ one_in(&cost, 3), PICK(&cost, 0, 1, 8) };
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

static bool runs_wherever(const struct ref_case *c, int model, int other)
{
    for (int t = 0; t < c->n_types; t++) if (c->rate[other][t] > 0 && c->rate[model][t] == 0) return false;
    return true;
}

/* Of every second model, from random numbers of their own. */
static void make_phases(struct ref_case *c, uint64_t seed)
{
    struct rng own, *r = &own;
    rng_init(r, seed, "reference case, phases", 0);
    for (int m = 0; m < c->n_models; m++) {
        struct ref_phases *p = &c->phases[m];
        if (one_in(r, 2)) continue;
        p->n = 1 + (int)rng_below(r, REF_PHASES);
        for (int k = 0; k < p->n; k++) {
            p->until[k] = (int)(k == 0 ? PICK(r, 10000, 333333, 500000) : PICK(r, 500001, 777777, 1000000));
            p->as[k] = (int)rng_below(r, (uint64_t)c->n_models);
            if (!runs_wherever(c, p->as[k], m)) p->as[k] = m;
            p->scaling[k] = (int)PICK(r, -1, 0, 1);
        }
    }
}

static void make_scalings(struct ref_case *c, struct rng *r)
{
    for (int i = 0; i < REF_SCALINGS; i++) {
        struct ref_scaling *s = &c->scaling[i];
        double gain = 0.5, far = (double)PICK(r, 50, 75, 100) / 100;
        bool has_several = !one_in(r, 3);
        s->restart = PICK(r, -1, 0, 4, 15);
        for (int n = 1; n <= REF_GPUS; n++) {
            s->one[n] = n == 1 ? 1 : s->one[n - 1] + gain;
            s->several[n] = has_several && n > 1 ? s->one[n] * far : 0;
            if (one_in(r, 3)) gain /= 2;
        }
    }
}

void refcase_make_dice(struct ref_case *c, uint64_t seed)
{
    struct rng r;
    refcase_make(c, seed);
    rng_init(&r, seed, "reference case, dice", 0);
    c->policy.order = REF_DICE;
    c->dice = rng_below(&r, UINT32_MAX);
    c->horizon = PICK(&r, 150, 300, 600);
    make_profiles(c, &r);
    make_losses(c, seed);
    c->has_profiles = true;
    make_phases(c, seed);
    make_scalings(c, &r);
    for (int n = 0; n < c->n_nodes; n++) c->node[n].mem_bw = PICK(&r, 0, 100, 200) * MB;
    for (int i = 0; i < c->n_jobs; i++) {
        struct ref_job *j = &c->job[i];
        const struct shape *s = &j->task[0].shape;
        j->asked = j->n;
        if (!j->gang || s->n_gpu == 0 || s->gpu_milli < GPU_WHOLE || one_in(&r, 4)) continue;
        int most = REF_GPUS / s->n_gpu < REF_TASKS ? REF_GPUS / s->n_gpu : REF_TASKS;
        j->min = 1 + (int)rng_below(&r, (uint64_t)j->n);
        j->max = j->n + (int)rng_below(&r, (uint64_t)(most - j->n) + 1);
        j->scaling = (int)rng_below(&r, REF_SCALINGS);
        for (int k = 1; k < REF_TASKS; k++) j->task[k] = j->task[0];
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
    make_phases(c, seed);
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
    static const char *const name[] = {
        [REF_FIFO] = "fifo", [REF_SJF] = "sjf", [REF_SRTF] = "srtf", [REF_LAS] = "las", [REF_EASY] = "easy",
        [REF_DRF] = "drf", [REF_TIRESIAS] = "tiresias",
    };
    FILE *f = fmemopen(buf, cap, "w");
    SIM_ASSERT(f != NULL);
    if (p->order == REF_KUEUE) {
        fprintf(f, "kueue:place=%s%s", place[p->place], p->kq.otherwise ? ",otherwise=u0" : "");
        fclose(f);
        return;
    }
    if (p->order == REF_DICE) {         /* no policy of the program: a stand-in, which is never asked */
        fprintf(f, "fifo");
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
    if (p->order == REF_TIRESIAS) fprintf(f, ",order=submit,limits=");
    if (p->counts) fprintf(f, ",choose=count");
    if (p->order != REF_EASY && p->order != REF_TIRESIAS) fprintf(f, ",mode=%s", p->skip ? "skip" : "strict");
    if (p->order == REF_SJF || p->order == REF_SRTF || p->order == REF_EASY)
        fprintf(f, ",estimate=%s", p->clairvoyant ? "true" : "limit");
    if (p->order == REF_LAS) fprintf(f, ",threshold=%" PRId64 "us,factor=%d,queues=%d", p->threshold, p->factor, p->queues);
    if (p->order == REF_DRF) spec_weights(p, f);
    fclose(f);
}

/*
 * pollux.c -- co-adaptive allocation for goodput.  README.md, pollux.
 *
 * A decision: see what each running job measures, fit its model again where that is new, search for the allocation
 * of most goodput from the fronts of the last search, and make it so.
 * Cost of a decision: that of genetic.h, and of a fit for each job that measured something new.
 * Source: Qiao et al., Pollux, OSDI 2021, section 4; its artifact, github.com/petuum/adaptdl, branch osdi21-artifact.
 */
#include <math.h>
#include "builtin.h"
#include "lib/elastic/elastic.h"
#include "lib/elastic/goodput.h"
#include "pollux/genetic.h"

/* What is known of a job. */
struct known {
    struct goodput model;
    struct pol_batches batches;
    double  *table; size_t cap_table;   /* goodput by nodes and tasks; below 0: not asked yet */
    double   base;                      /* of its fair share */
    double   noise;
};

struct pollux {
    struct elastic e;
    const struct pol_goodput *goodput;
    struct genetic search;
    struct elastic_job **job; size_t cap_job;           /* in the order of the search */
    uint64_t *was; size_t cap_was, n_was;               /* ordinals of the jobs of the last fronts */
    uint8_t  *old; size_t cap_old;
    uint32_t max_gpus;
};

enum { P_EVERY, P_POPULATION, P_GENERATIONS, P_MAX_GPUS };
static const struct pol_param params[] = {
    { .name = "every", .type = POL_DURATION, .dflt = "60s", .help = "decide at multiples of this" },
    { .name = "population", .type = POL_INT, .dflt = "100", .help = "allocations that the search keeps" },
    { .name = "generations", .type = POL_INT, .dflt = "100", .help = "times that it makes as many new ones" },
    { .name = "max_gpus", .type = POL_INT, .dflt = "64", .help = "of a job at most" },
};

static void forget(void *own)
{
    struct known *k = own;
    goodput_fini(&k->model);
    POL_FREE(k->table, k);
}

/* ---- speedups ---- */

static struct known *known(const struct elastic_job *j) { return j->own; }

static bool learn(struct pollux *p, struct elastic_job *j)
{
    const struct pol_host *h = p->e.host;
    char error[200];
    if (j->own == NULL) {
        struct known *k = j->own = pol_alloc(1, sizeof *k);
        k->batches = p->goodput->batches(h->ctx, j->job);
        (void)snprintf(error, sizeof error,
                       "the scaling of job %llu of the trace has no model of goodput, which this policy needs: "
                       "'noise', 'batch', 'max_batch', 'min_local', 'max_local' and times of steps",
                       (unsigned long long)j->ordinal);
        if (k->batches.first <= 0) { h->fail(h->ctx, error); return false; }
    }
    struct known *k = known(j);
    struct pol_step s = p->goodput->measured(h->ctx, j->job);
    double noise = p->goodput->noise(h->ctx, j->job);
    uint32_t nodes = 0;
    for (uint32_t i = 0; i < j->has; i++) nodes += i == 0 || j->at[i].node != j->at[i - 1].node;
    bool is_new = s.batch > 0 && goodput_see(&k->model, nodes, j->has * j->gpus, &s);
    if (is_new) goodput_fit(&k->model);
    size_t n = (size_t)(p->e.plan.n_nodes + 1) * (j->max + 1);
    if (!is_new && k->noise == noise && k->cap_table >= n) return true;
    k->noise = noise;
    POL_RESERVE(k->table, k->cap_table, n);
    for (size_t i = 0; i < n; i++) k->table[i] = -1;
    return true;
}

static double goodput_of(const struct elastic_job *j, uint32_t nodes, uint32_t tasks)
{
    struct known *k = known(j);
    double *at = &k->table[(size_t)nodes * (j->max + 1) + tasks];
    if (*at < 0) *at = goodput_at(&k->model, &k->batches, k->noise, nodes, tasks * j->gpus);
    return *at;
}

/* Who never ran is taken to gain by each GPU as much. */
static double speedup(void *ctx, uint32_t job, uint32_t nodes, uint32_t tasks)
{
    const struct pollux *p = ctx;
    const struct elastic_job *j = p->job[job];
    return known(j)->model.most_gpus == 0 ? tasks / known(j)->base : goodput_of(j, nodes, tasks) / known(j)->base;
}

/* ---- a decision ---- */

static int by_service(const void *a, const void *b)
{
    const struct elastic_job *x = *(struct elastic_job *const *)a, *y = *(struct elastic_job *const *)b;
    if (x->service != y->service) return x->service < y->service ? -1 : 1;
    return (x->ordinal > y->ordinal) - (x->ordinal < y->ordinal);
}

/* The job's place among those of the search; n_jobs: it is over. */
static uint32_t place_of(const struct pollux *p, uint64_t ordinal)
{
    uint32_t i = 0;
    while (i < p->search.n_jobs && p->job[i]->ordinal != ordinal) i++;
    return i;
}

/* The fronts of the last search with the jobs of this; or, without any, the present allocation. */
static void carry_over(struct pollux *p)
{
    struct genetic *s = &p->search;
    const size_t n_nodes = s->n_nodes, n_old = p->n_was * n_nodes, n_genes = s->n_jobs * n_nodes;
    POL_RESERVE(p->old, p->cap_old, s->n_front * n_old);
    if (s->n_front > 0 && n_old > 0) memcpy(p->old, s->front, s->n_front * n_old);
    if (s->n_front == 0) s->n_front = 1;
    POL_RESERVE(s->front, s->cap_front, s->n_front * n_genes);
    memset(s->front, 0, s->n_front * n_genes);
    if (p->n_was == 0) memcpy(s->front, s->base, n_genes);
    for (size_t k = 0; k < p->n_was; k++) {
        uint32_t to = place_of(p, p->was[k]);
        if (to == s->n_jobs) continue;
        for (size_t f = 0; f < s->n_front; f++)
            memcpy(s->front + f * n_genes + to * n_nodes, p->old + f * n_old + k * n_nodes, n_nodes);
    }
    POL_RESERVE(p->was, p->cap_was, s->n_jobs);
    for (uint32_t i = 0; i < s->n_jobs; i++) p->was[i] = p->job[i]->ordinal;
    p->n_was = s->n_jobs;
}

/* Tasks of the job that each node could have, not more than its cards; of a type on which it runs in no size none. */
static void find_room(const struct elastic *e, const struct elastic_job *j, uint8_t *room)
{
    const struct pol_shape *s = &e->plan.shape[j->shape];
    const struct elastic_sized sized = elastic_sized(e, j);
    for (size_t t = 0; t < e->types.n; t++) {
        const struct elastic_room r = elastic_room(&e->plan, s, e->types.at[t].gpu_type);
        if (elastic_size_above(&sized, &r, 0) == 0) continue;
        for (uint32_t k = 0; k < e->plan.n_nodes; k++)
            if (e->plan.node[k].n.gpu_type == r.gpu_type) room[k] = (uint8_t)plan_capacity(&e->plan, k, s);
    }
}

/* What there is, with all jobs out of the way, and what each needs of it. */
static void look_at_nodes(struct pollux *p, int64_t *cap[GENETIC_NEEDS], int64_t *need[GENETIC_NEEDS], uint8_t *room)
{
    struct elastic *e = &p->e;
    const uint32_t n_nodes = e->plan.n_nodes;
    struct plan_mark m = plan_mark(&e->plan);
    for (uint32_t i = 0; i < e->n_jobs; i++) elastic_release(e, p->job[i]);
    for (uint32_t k = 0; k < n_nodes; k++) {
        const struct plan_node *o = &e->plan.node[k];
        if (!o->n.is_up || o->n_idle <= 0) continue;
        cap[GENETIC_GPUS][k] = o->n_idle;
        cap[GENETIC_CPU][k] = o->n.cpu_free;
        cap[GENETIC_MEM][k] = o->n.mem_free;
    }
    for (uint32_t i = 0; i < e->n_jobs; i++) {
        const struct pol_shape *s = &e->plan.shape[p->job[i]->shape];
        need[GENETIC_GPUS][i] = p->job[i]->gpus;
        need[GENETIC_CPU][i] = s->cpu_milli;
        need[GENETIC_MEM][i] = s->mem_b;
        find_room(e, p->job[i], room + (size_t)i * n_nodes);
    }
    plan_undo(&e->plan, m);
}

static void find(struct pollux *p)
{
    struct elastic *e = &p->e;
    struct genetic *s = &p->search;
    const uint32_t n = s->n_jobs = (uint32_t)e->n_jobs, n_nodes = s->n_nodes = e->plan.n_nodes;
    uint32_t *min = pol_alloc(n, sizeof *min), *max = pol_alloc(n, sizeof *max);
    int64_t *need[GENETIC_NEEDS], *cap[GENETIC_NEEDS];
    uint8_t *base = pol_alloc((size_t)n * n_nodes, 1), *room = pol_alloc((size_t)n * n_nodes, 1);
    double *factor = pol_alloc(n, sizeof *factor);
    for (int d = 0; d < GENETIC_NEEDS; d++) {
        s->need[d] = need[d] = pol_alloc(n, sizeof *need[d]);
        s->cap[d] = cap[d] = pol_alloc(n_nodes, sizeof *cap[d]);
    }
    look_at_nodes(p, cap, need, room);
    for (uint32_t i = 0; i < n; i++) {
        struct elastic_job *j = p->job[i];
        struct known *k = known(j);
        uint32_t seen = k->model.most_gpus, most = seen > 0 ? 2 * seen : 1, fair = (e->n_gpus / j->gpus + n - 1) / n;
        if (most > p->max_gpus) most = p->max_gpus;
        min[i] = j->min;
        max[i] = most / j->gpus > j->min ? most / j->gpus : j->min;
        if (max[i] > j->max) max[i] = j->max;
        if (fair > j->max) fair = j->max;
        if (fair < j->min) fair = j->min;
        k->base = fmax(seen == 0 ? fair : goodput_at(&k->model, &k->batches, k->noise, 1, fair * j->gpus), 1e-9);
        double age = (double)(e->now - j->submit_us), delay = (double)elastic_restart_us(e, j);
        factor[i] = fmax(age - (j->n_changes > 1 ? j->n_changes - 1 : 0) * delay, 0) / fmax(age + delay, 1);
        for (uint32_t t = 0; t < j->has; t++) base[(size_t)i * n_nodes + j->at[t].node]++;
    }
    s->min = min; s->max = max; s->base = base; s->room = room; s->factor = factor;
    carry_over(p);
    genetic_run(s);
    for (int d = 0; d < GENETIC_NEEDS; d++) POL_FREE(need[d], cap[d]);
    POL_FREE(min, max, base, room, factor);
}

static void decide(void *self, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    struct pollux *p = self;
    struct elastic *e = &p->e;
    if (!elastic_look(e, v, ev, n_ev)) return;
    POL_RESERVE(p->job, p->cap_job, e->n_jobs);
    for (size_t i = 0; i < e->n_jobs; i++) {
        if (!learn(p, &e->job[i])) return;
        p->job[i] = &e->job[i];
    }
    qsort(p->job, e->n_jobs, sizeof *p->job, by_service);
    find(p);
    const uint8_t *x = p->search.front + p->search.best * e->n_jobs * e->plan.n_nodes;
    for (size_t i = 0; i < e->n_jobs; i++) {
        struct elastic_job *j = p->job[i];
        j->want = 0;
        for (uint32_t k = 0; k < e->plan.n_nodes; k++)
            for (uint32_t t = 0; t < x[i * e->plan.n_nodes + k]; t++)
                POL_PUSH(j->to, j->want, j->cap_to, (struct pol_place){ .node = k });
    }
    elastic_apply(e, "the allocation of most goodput that was found");
}

static void destroy(void *self)
{
    struct pollux *p = self;
    elastic_close(&p->e);
    POL_FREE(p->job, p->was, p->old, p->search.front, p);
}

static void *create(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *error, size_t cap)
{
    (void)flags;
    bool ok = value[P_EVERY].i > 0 || pol_error(error, cap, "every is above 0");
    ok = ok && ((value[P_POPULATION].i >= 2 && value[P_POPULATION].i <= 10000) ||
                pol_error(error, cap, "population is from 2 to 10000"));
    ok = ok && ((value[P_GENERATIONS].i >= 1 && value[P_GENERATIONS].i <= 100000) ||
                pol_error(error, cap, "generations is from 1 to 100000"));
    ok = ok && ((value[P_MAX_GPUS].i >= 1 && value[P_MAX_GPUS].i <= 4096) ||
                pol_error(error, cap, "max_gpus is from 1 to 4096"));
    if (!ok) return NULL;
    struct pollux *p = pol_alloc(1, sizeof *p);
    elastic_open(&p->e, host, value[P_EVERY].i);
    p->e.forget = forget;
    p->goodput = pol_extension(host, POL_GOODPUT);
    p->max_gpus = (uint32_t)value[P_MAX_GPUS].i;
    p->search = (struct genetic){ .population = (uint32_t)value[P_POPULATION].i,
                                  .generations = (uint32_t)value[P_GENERATIONS].i,
                                  .max_nodes = 16,
                                  .speedup = speedup,
                                  .ctx = p,
                                  .draws = host->seed };
    return p;
}

const struct pol_ops pol_pollux = {
    POL_HEADER, .name = "pollux",
    .source = "Qiao et al., Pollux: Co-adaptive Cluster Scheduling (OSDI 2021), section 4, and its artifact",
    .summary = "elastic jobs share GPUs for most goodput, found by a genetic search", .flags = POL_PREEMPTS,
    .params = params, .n_params = sizeof params / sizeof *params,
    .create = create, .decide = decide, .destroy = destroy,
};

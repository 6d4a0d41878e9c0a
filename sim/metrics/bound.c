/*
 * bound.c -- the collector of how far from the best possible: lower bounds on the
 * makespan and on the mean completion time that hold for every schedule, known or
 * not.
 *
 * They hang on the jobs, the cluster, the models' speeds and those of an idle
 * network alone: no faults, no packing, no gangs, no place of data.  What a
 * real schedule adds to them (waiting, lost work, restores, far reads, slow
 * nodes) only lengthens it, so no run can be below.
 *
 * Which jobs: those that ended, as in the metrics they stand beside.  Leaving
 * jobs out only frees capacity, so a bound on some of them is one for all.  A
 * job that its limit ended is counted with no work and at most its limit.
 *
 * Cost: O(tasks) a job that ended, O(GPU types) for a request or model that was not
 * there lately, and 24 bytes of a scratch array, for one of several tasks 16 + 8 for
 * each machine more; O(n log n) for each machine that counts, when the run is over,
 * in memory by the jobs that are there at one time.
 *
 * 1. Pooled machines.  Give each GPU type g a weight w_g >= 0.  A task that
 *    holds c thousandths of cards of type g uses c w_g of the P = sum of
 *    w_g x cards of the cluster, and goes ahead by rate_g.  So each microsecond
 *    of its nominal work costs at least c x min over its types of w_g / rate_g:
 *    that times its duration is its area, and no schedule does more than P of
 *    area a microsecond.  Every w gives a bound (a point of the dual of the
 *    linear program "work to types"); we take w = 1, w = the types' general
 *    speeds, and each type alone.  CPU (of tasks without GPUs: others may be
 *    given fewer cores) and memory: the amount held, times the duration at the
 *    best speed, over the whole cluster.  Too few cores and busy neighbours
 *    only slow a task down: speed.h.  While it reads or writes a task holds its
 *    place too, for each input at least its size over the best speed of any
 *    level: that time, times the least that holding it uses, adds to the area.
 * 2. Makespan.  No job ends before its submit + `least`; and what is submitted
 *    at t or later fits between t and the end: t + area / P, for every t.
 * 3. Mean completion time, the greatest of three, for each machine:
 *    a. every job takes at least `least`;
 *    b. areas are processing times on one machine of speed P, which may be
 *       divided among jobs at will: any schedule of the cluster is one of it,
 *       and there shortest remaining first is optimal (Schrage, 1968);
 *    c. both together.  M_j is the mean time at which j's area is done.  A task
 *       that uses up area a at no more than a rate r ends at least a / 2r after
 *       its own mean.  It does so fastest while it computes at its best speed
 *       (holding a place uses less: min of w_g <= min of w_g best / rate_g), so
 *       a / r is at least the least time that it computes, and the job ends at
 *       M_j + drag or later, drag half that time of its shortest task.  Among
 *       the schedules of the one machine, preemptive shortest total area first
 *       makes the sum of M_j least (Goemans et al., Single machine scheduling
 *       with release dates, SIAM J. Discrete Math. 15, 2002, every weight 1);
 *       without releases this is the bound of Eastman, Even & Isaacs
 *       (Management Science 11, 1964).
 *    A job without area on a machine is nobody's rival there: a. for it alone.
 *    No schedule has a less sum of M_j than that of c., and in none is M_j after the end: so c. is at most b. and the
 *    drags, and is not computed where these are below what a. or b. found.
 */
#include "metrics/collector.h"

#include "base/mem.h"
#include "base/scratch.h"
#include "lib/heap.h"
#include "model/graph.h"

static const struct collector_metric metric[] = {
    { "makespan_bound", "s", COLLECTOR_ONE }, { "jct_mean_bound", "s", COLLECTOR_ONE }, { NULL, NULL, COLLECTOR_ONE },
};

/* Pooled machines: CPU, memory, GPUs, GPUs weighted by speed, and each GPU type alone. */
enum { BOUND_CPU, BOUND_MEM, BOUND_GPU, BOUND_SPEED, BOUND_TYPE, BOUND_TYPES_MAX = 8, BOUND_POOLS = BOUND_TYPE + BOUND_TYPES_MAX };

/* What a job needs, all of it `by` times what its kind says. */
struct bound_job {
    sim_tick submit;
    double   by;
    uint32_t kind;
    bool     ended, counted;    /* in the mean completion time */
};

/* Of one task, of a microsecond of its nominal work: many have that in common; of a job of several, of all of it. */
struct kind {
    double   least;             /* us: the longest task, or chain of them, at the best speeds there are */
    double   drag;              /* us: its end comes at least this long after its mean busy time */
    double   area[];            /* [n_pools] */
};

/* Of a microsecond of a shape's nominal work, as the model: the least time, and the least area on each machine; the
 * area of one of holding its place; all but that as a kind. */
struct cost { uint64_t request; uint32_t model, kind; bool keeps_within; double slow, area[BOUND_POOLS], hold[BOUND_POOLS]; };
enum { COSTS = 64 };                            /* that are kept, the last by shape; request: its serial, 0: none */

struct bound {
    const struct collector_out *out;
    uint32_t n_pools;
    double   capacity[BOUND_POOLS];     /* of each machine; an area over it is in us */
    struct scratch job;         /* of struct bound_job by ordinal, which is in order of submit */
    struct scratch kind;        /* of struct kind */
    uint64_t n_counted;
    double   least;             /* us: the sum over those that count */
    bool     closed;            /* arrivals hang on the policy (a limit on concurrency): submits bound nothing */
    uint32_t type_of[BOUND_TYPES_MAX];          /* of the machines from BOUND_TYPE on */
    uint64_t types;             /* bits: GPU types that the cluster has cards of */
    struct cost cost[COSTS];
    /* Machines that there are, of which every job's share of `of` is at most that of `in`, so far.  A cost keeps_within
     * if no job of one task of it can be the first to break that, however long it is. */
    struct within { uint32_t of, in; double by; } within[BOUND_POOLS * BOUND_POOLS];
    uint32_t n_within;
    double   makespan, jct_mean;        /* the bounds, us, when the run is over; NaN: there is none */
};

/* ---- what a job needs at least ---- */

static bool init(void *self, const struct world *w)
{
    const struct cluster *c = world_cluster(w);
    struct bound *b = self;
    double cards[GPU_TYPES_MAX] = { 0 };
    b->closed = world_config(w)->concurrency > 0;
    b->n_pools = BOUND_TYPE;
    for (uint32_t i = 0; i < c->n_nodes; i++) {
        const struct pol_node *n = &c->node[i];
        b->capacity[BOUND_CPU] += (double)n->cpu_total;
        b->capacity[BOUND_MEM] += (double)n->mem_total;
        if (n->n_gpu > 0) cards[n->gpu_type] += (double)n->n_gpu * GPU_WHOLE;
    }
    for (uint32_t g = 0; g < c->gpu_types.n; g++) {
        if (cards[g] > 0) b->types |= UINT64_C(1) << g;
        b->capacity[BOUND_GPU] += cards[g];
        b->capacity[BOUND_SPEED] += cards[g] * c->gpu_speed[g];
    }
    /* More types than that: theirs are left out, and the bound is a little looser. */
    for (uint32_t g = 0; g < c->gpu_types.n && c->gpu_types.n > 1 && b->n_pools < BOUND_POOLS; g++) {
        if (cards[g] <= 0) continue;
        b->type_of[b->n_pools - BOUND_TYPE] = g;
        b->capacity[b->n_pools++] = cards[g];
    }
    for (uint32_t p = 0; p < b->n_pools; p++)
        for (uint32_t q = 0; q < b->n_pools; q++)
            if (p != q && b->capacity[p] > 0 && b->capacity[q] > 0)
                b->within[b->n_within++] = (struct within){ p, q, b->capacity[q] / b->capacity[p] };
    scratch_init(&b->job, sizeof(struct bound_job));
    scratch_init(&b->kind, sizeof(struct kind) + b->n_pools * sizeof(double));
    return true;
}

static void fini(void *self)
{
    struct bound *b = self;
    scratch_fini(&b->job);
    scratch_fini(&b->kind);
}

static uint32_t add_kind(struct bound *b, double least, double drag, const double *area)
{
    const uint64_t i = b->kind.n;
    SIM_ASSERT(i < UINT32_MAX);
    struct kind *k = scratch_put(&b->kind, i);
    k->least = least;
    k->drag = drag;
    memcpy(k->area, area, b->n_pools * sizeof *area);
    return (uint32_t)i;
}

static double weight(const struct bound *b, const struct cluster *c, uint32_t pool, uint32_t type)
{
    return pool == BOUND_GPU ? 1 : pool == BOUND_SPEED ? c->gpu_speed[type] : b->type_of[pool - BOUND_TYPE] == type;
}

/* As struct cost has it; returns `slow`. */
static double cost_of(const struct bound *b, const struct world *w, const struct shape *s, uint32_t model, double *cost, double *hold)
{
    const struct cluster *c = world_cluster(w);
    double slow = s->n_gpu > 0 ? INFINITY : RATE_ONE / (double)throughput_rate(world_config(w)->throughput, c, model, NONE), amount = (double)s->n_gpu * s->gpu_milli;
    for (uint32_t k = BOUND_GPU; k < b->n_pools; k++) cost[k] = hold[k] = s->n_gpu > 0 ? INFINITY : 0;
    for (uint32_t g = 0; g < c->gpu_types.n && s->n_gpu > 0; g++) {
        if ((b->types >> g & 1) == 0) continue;
        sim_rate rate = throughput_rate(world_config(w)->throughput, c, model, g);
        if (rate == 0 || (s->gpu_types != 0 && (s->gpu_types >> g & 1) == 0)) continue;
        double per = RATE_ONE / (double)rate;
        slow = fmin(slow, per);
        for (uint32_t k = BOUND_GPU; k < b->n_pools; k++) {
            double used = amount * weight(b, c, k, g);
            cost[k] = fmin(cost[k], used * per);
            hold[k] = fmin(hold[k], used);
        }
    }
    /* A policy may give a task on GPUs fewer cores than it asks for, which need not slow it;
     * one without GPUs is slowed in proportion, so its area stays. */
    hold[BOUND_CPU] = s->n_gpu > 0 ? 0 : (double)s->cpu_milli;
    hold[BOUND_MEM] = (double)s->mem_b;
    cost[BOUND_CPU] = hold[BOUND_CPU] * slow;
    cost[BOUND_MEM] = hold[BOUND_MEM] * slow;
    return slow;
}

/* The same of a job's task, whose model may go as others for parts of its work. */
static double cost_of_phases(const struct bound *b, const struct world *w, const struct shape *s, uint32_t model,
                             double *cost, double *hold)
{
    const struct profiles *profiles = world_config(w)->profiles;
    const uint32_t n = profiles != NULL ? phases_n(&profiles->phases, model) : 0;
    double slow = 0, one[BOUND_POOLS], from = 0;
    if (n == 0) return cost_of(b, w, s, model, cost, hold);
    for (uint32_t k = 0; k < b->n_pools; k++) cost[k] = 0;
    for (uint32_t i = 0; i <= n; i++) {
        const struct phase *p = phases_get(&profiles->phases, model, i);
        double to = p != NULL ? (double)p->until / PHASES_WHOLE : 1, share = to - from;
        from = to;
        if (share <= 0) continue;
        slow += share * cost_of(b, w, s, p != NULL ? p->as : model, one, hold);
        for (uint32_t k = 0; k < b->n_pools; k++) cost[k] += share * one[k];
    }
    return slow;
}

/* c. has one rate, that of the best speed: in phases there are several. */
static bool has_phases(const struct world *w, uint32_t model)
{
    const struct profiles *profiles = world_config(w)->profiles;
    return profiles != NULL && phases_n(&profiles->phases, model) > 0;
}

/* Whether area x any duration passes check_within for all that there is still, whatever is rounded. */
static bool keeps_within(const struct bound *b, const double *area)
{
    for (uint32_t i = 0; i < b->n_within; i++) {
        const struct within *x = &b->within[i];
        const double rounding = x->by == 1 ? 1 : 1 + 1e-9;
        if (area[x->of] * x->by * rounding > area[x->in]) return false;
    }
    return true;
}

static void check_within(struct bound *b, const double *area)
{
    for (uint32_t i = 0; i < b->n_within;) {
        const struct within *x = &b->within[i];
        if (area[x->of] * x->by > area[x->in]) b->within[i] = b->within[--b->n_within];
        else i++;
    }
}

static void find_cost(struct bound *b, const struct world *w, struct cost *c, uint32_t shape)
{
    c->slow = cost_of_phases(b, w, world_shape(w, shape), c->model, c->area, c->hold);
    c->keeps_within = keeps_within(b, c->area);
    c->kind = add_kind(b, c->slow, has_phases(w, c->model) ? 0 : c->slow / 2, c->area);
}

/* Until the next call. */
static inline struct cost *cost_for(struct bound *b, const struct world *w, uint32_t shape, uint32_t model)
{
    struct cost *c = &b->cost[shape % COSTS];
    const uint64_t request = world_shapes(w)->use[shape].serial;
    if (c->request == request && c->model == model) return c;
    c->request = request;
    c->model = model;
    find_cost(b, w, c, shape);
    return c;
}

static int64_t fastest_us(const struct net_spec *net, int64_t size)
{
    int64_t least = net_nominal_us(net, LEVEL_LOCAL, size);
    for (enum data_level l = LEVEL_RACK; l < LEVELS; l++) least = i64_min(least, net_nominal_us(net, l, size));
    return least;
}

/* The least time that a task of a graph reads and writes: each input at the best speed there is, without a rival. */
static int64_t moving_us(const struct world *w, uint32_t task)
{
    const struct task *t = world_task(w, task);
    const struct graph *g = world_job(w, t->job)->graph;
    int64_t sum = 0;
    for (uint32_t k = 0; k < world_n_inputs(w, task); k++) sum += fastest_us(&world_config(w)->net, world_input(w, task, k).size);
    return sum + net_nominal_us(&world_config(w)->net, LEVEL_LOCAL, g->out[t->index]);
}

static inline void note_job(struct bound *b, const struct job *j, uint32_t kind, double by, double least)
{
    const bool counted = collector_is_counted(b->out, j->ordinal);
    *(struct bound_job *)scratch_put(&b->job, j->ordinal) = (struct bound_job){
        .submit = j->submit, .by = by, .kind = kind, .ended = true, .counted = counted };
    b->n_counted += counted;
    b->least += counted ? least : 0;
}

/* One task that did all its work, as it is in its cost but for the duration. */
static void note_task(struct bound *b, const struct world *w, const struct job *j, const struct task *t)
{
    struct cost *c = cost_for(b, w, t->shape, j->model);
    const double dur = (double)t->dur;
    if (!c->keeps_within) {
        double area[BOUND_POOLS];
        for (uint32_t p = 0; p < b->n_pools; p++) area[p] = dur * c->area[p];
        check_within(b, area);
        c->keeps_within = keeps_within(b, c->area);
    }
    note_job(b, j, c->kind, dur, collector_greater(0, dur * c->slow));
}

/* Any job: a kind of its own. */
static void note_tasks(struct bound *b, const struct world *w, const struct job *j)
{
    double area[BOUND_POOLS] = { 0 }, least = 0, drag = INFINITY;
    const bool phased = has_phases(w, j->model);
    sim_tick *longest = NULL;
    if (j->graph != NULL) MEM_ARRAY(longest, j->n_tasks);
    for (uint32_t t = j->first_task; t != NONE; t = world_task(w, t)->next) {
        const struct task *q = world_task(w, t);
        const struct cost *c = cost_for(b, w, q->shape, j->model);
        const double dur = (double)q->dur;
        const double work = dur * c->slow, moving = longest != NULL ? (double)moving_us(w, t) : 0;
        if (moving > 0) for (uint32_t p = 0; p < b->n_pools; p++) area[p] += dur * c->area[p] + moving * c->hold[p];
        else for (uint32_t p = 0; p < b->n_pools; p++) area[p] += dur * c->area[p];
        least = collector_greater(least, work + moving);
        drag = phased ? 0 : collector_less(drag, work / 2);
        if (longest != NULL) longest[q->index] = (sim_tick)(work + moving);
    }
    if (longest != NULL) least = collector_greater(least, (double)graph_longest(j->graph, longest));
    mem_free(longest);
    if (j->status != JOB_DONE) {        /* it did not do all its work */
        least = drag = collector_less(least, (double)j->limit);
        for (uint32_t p = 0; p < b->n_pools; p++) area[p] = 0;
    }
    check_within(b, area);
    note_job(b, j, add_kind(b, least, drag, area), 1, least);
}

static void on_job_ended(void *self, const struct world *w, uint32_t job)
{
    const struct job *j = world_job(w, job);
    if (j->status != JOB_DONE && j->status != JOB_TIMEOUT) return;
    const struct task *first = world_task(w, j->first_task);
    if (j->status == JOB_DONE && j->graph == NULL && first->next == NONE) note_task(self, w, j, first);
    else note_tasks(self, w, j);
}

/* ---- makespan ---- */

/* A job and its kind; NULL: there is none.  Until the next call. */
struct known { const struct bound_job *job; const struct kind *kind; };
static double least_of(struct known j) { return j.job->by * j.kind->least; }
static double drag_of(struct known j) { return j.job->by * j.kind->drag; }
static double area_of(struct known j, uint32_t p) { return j.job->by * j.kind->area[p]; }

/* The i-th in order of submit, if it ended. */
static struct known ended(struct bound *b, uint64_t i)
{
    const struct bound_job *j = scratch_get(&b->job, i);
    return j->ended ? (struct known){ j, scratch_get(&b->kind, j->kind) } : (struct known){ NULL, NULL };
}

/* us, from the first submit; NaN when no job ended. */
static double makespan(struct bound *b, sim_tick first_submit)
{
    double sum[BOUND_POOLS] = { 0 }, speed[BOUND_POOLS], most = b->job.n > 0 ? 0 : NAN;
    for (uint32_t p = 0; p < b->n_pools; p++) speed[p] = b->capacity[p] > 0 ? b->capacity[p] : INFINITY;     /* no bound */
    for (uint64_t i = b->job.n; i-- > 0;) {
        const struct known j = ended(b, i);
        if (j.job == NULL) continue;
        double from = b->closed ? 0 : (double)(j.job->submit - first_submit);
        most = collector_greater(most, from + least_of(j));
        for (uint32_t p = 0; p < b->n_pools; p++) {
            sum[p] += area_of(j, p);
            most = collector_greater(most, from + sum[p] / speed[p]);
        }
    }
    return most;
}

/* ---- mean completion time ---- */

/* Below what it is of by more than rounding is. */
#define NEARLY 0.999

/* A job on one machine, and a heap of them: by key, ties by order of submit. */
struct item { double key, left, drag; sim_tick submit; uint64_t at; };
struct pile { struct item *at; size_t n, cap; };
#define SMALLER(c, a, b) ((a)->key != (b)->key ? (a)->key < (b)->key : (a)->at < (b)->at)
HEAP(pile, int, struct item, SMALLER);

/* From the i-th in order on, the first job that counts and takes something of machine p.  The least times of those
 * before it that count are added to *alone. */
static inline struct known next_on(struct bound *b, uint32_t p, uint64_t *i, double *alone)
{
    for (; *i < b->job.n; ++*i) {
        const struct known j = ended(b, *i);
        if (j.job == NULL || !j.job->counted) continue;
        if (area_of(j, p) > 0) return j;
        *alone += least_of(j);
    }
    return (struct known){ NULL, NULL };
}

/* What one machine finds: of jobs on it how many, their sum and that of their drags; of others that of their least. */
struct found { uint64_t n; double ends, drags, alone; };

/*
 * Sum over the jobs on machine p of (end - submit) under shortest remaining
 * first, or with `mean_busy` of (mean busy time + drag - submit) under shortest
 * area first.  Areas over the capacity: the machine has speed 1.  The pile
 * holds those that wait at a time, not all.
 */
static struct found one_machine(struct bound *b, uint32_t p, struct pile *h, bool mean_busy)
{
    struct found f = { .n = 0 };
    double now = 0, next;                       /* next: the submit of j */
    uint64_t i = 0;
    struct known j = next_on(b, p, &i, &f.alone);
    struct item x = { .at = 0 };                /* the one that the machine works on, if is_busy */
    bool is_busy = false;
    h->n = 0;
    while (j.job != NULL || is_busy) {
        next = j.job != NULL ? (double)j.job->submit : INFINITY;
        if (!is_busy || next <= now) {          /* j comes, and then the next */
            const double size = area_of(j, p) / b->capacity[p];
            struct item y = { size, size, drag_of(j), j.job->submit, i++ };
            f.n++;
            f.drags += y.drag;
            if (!is_busy) { now = collector_greater(now, next); x = y; is_busy = true; }
            else {
                if (SMALLER(0, &y, &x)) { struct item was = x; x = y; y = was; }
                MEM_RESERVE(h->at, h->cap, h->n + 1);
                pile_push(0, h->at, h->n++, y);
            }
            j = next_on(b, p, &i, &f.alone);
            continue;
        }
        const bool ends = x.left <= next - now;
        const double step = ends ? x.left : next - now;
        if (mean_busy) f.ends += step / x.key * (now + step / 2 - (double)x.submit) + (ends ? x.drag : 0);
        else if (ends) f.ends += now + step - (double)x.submit;
        now = ends ? now + step : next;
        x.left -= step;
        if (!mean_busy) x.key = x.left;         /* still the least */
        if (!ends) continue;
        is_busy = h->n > 0;
        if (!is_busy) continue;
        x = h->at[0];
        pile_take(0, h->at, h->n--, 0);
    }
    return f;
}

/*
 * Machines that are worth the work.  Where every job's share of p is at most its share of q, p can hardly bound more
 * tightly; of two that are covered by each other the first.
 */
static void find_worth(const struct bound *b, bool worth[BOUND_POOLS])
{
    bool is_within[BOUND_POOLS][BOUND_POOLS] = { { false } };
    for (uint32_t i = 0; i < b->n_within; i++) is_within[b->within[i].of][b->within[i].in] = true;
    for (uint32_t p = 0; p < b->n_pools; p++) {
        worth[p] = b->capacity[p] > 0;
        for (uint32_t q = 0; q < b->n_pools; q++)
            if (is_within[p][q] && (q < p || !is_within[q][p])) worth[p] = false;
    }
}

/* us; NaN when none counts. */
static double jct_mean(struct bound *b)
{
    struct pile h = { NULL, 0, 0 };
    double most = b->least;
    bool worth[BOUND_POOLS];
    find_worth(b, worth);
    for (uint32_t p = 0; p < b->n_pools && !b->closed; p++) {
        if (!worth[p]) continue;
        const struct found f = one_machine(b, p, &h, false);
        if (f.n == 0) continue;
        most = fmax(most, f.alone + f.ends);
        if (f.alone + f.ends + f.drags < most * NEARLY) continue;
        most = fmax(most, f.alone + one_machine(b, p, &h, true).ends);
    }
    mem_free(h.at);
    return b->n_counted > 0 ? most / (double)b->n_counted : NAN;
}

static void prepare(void *self, const struct world *w)
{
    struct bound *b = self;
    /* On more GPUs than it asks a job ends before its nominal time. */
    const bool is_known = world_count(w)->elastic == 0;
    b->makespan = is_known ? makespan(b, world_count(w)->first_submit) : NAN;
    b->jct_mean = is_known ? jct_mean(b) : NAN;
}

static void emit(void *self, const struct world *w)
{
    const struct bound *b = self;
    (void)w;
    collector_put(b->out, "makespan_bound", "all", b->makespan / 1e6);
    collector_put(b->out, "jct_mean_bound", "all", b->jct_mean / 1e6);
}

const struct collector bound_collector = {
    .metric = metric, .size = sizeof(struct bound), .init = init, .prepare = prepare, .emit = emit, .fini = fini,
    .observer = { .job_ended = on_job_ended },
};

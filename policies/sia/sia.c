/*
 * sia.c -- each elastic job at most one configuration, chosen by an integer program each round.  README.md, sia.
 *
 * A configuration is a type of GPU and how many: powers of two within a node, then whole nodes.  Of each job and
 * configuration the program has a binary column; of each job a row, at most one; of each type a row, its GPUs.
 *
 * Cost of a decision: that program, of jobs x types x (log2 of a node's GPUs + nodes) columns; a fit for each job that
 * measured something new; placement O(changes x nodes).
 * Source: Jayaram Subramanya et al., Sia: Heterogeneity-aware, goodput-optimized ML-cluster scheduling, SOSP 2023.
 */
#include <math.h>
#include "builtin.h"
#include "lib/elastic/elastic.h"
#include "lib/elastic/goodput.h"
#include "lib/lp/program.h"

enum { TYPES_MAX = 64 };

/* What is known of a job. */
struct known {
    struct pol_batches batches;
    struct goodput model[TYPES_MAX];
    uint32_t most_gpus;                 /* that it ran on */
    int64_t  changed;                   /* when it last started or changed */
};

struct sia {
    struct elastic e;
    const struct pol_goodput *goodput;
    struct lp *lp;
    double   power, unused;             /* p; the price of a job without GPUs */
    struct lp_options options;
    struct program_column *column; size_t n_columns, cap_columns;       /* type: index in e.types */
    uint32_t *chosen; size_t cap_chosen;        /* [job] type of its GPUs; POL_NONE: what it has */
};

enum { P_EVERY, P_POWER, P_UNUSED, P_GAP, P_NODES };
static const struct pol_param params[] = {
    { .name = "every", .type = POL_DURATION, .dflt = "60s", .help = "decide at multiples of this" },
    { .name = "p", .type = POL_NUMBER, .dflt = "-0.5", .help = "exponent of a job's goodput: below 0, the less the fairer" },
    { .name = "lambda_n", .type = POL_NUMBER, .dflt = "1.1", .help = "what a job without GPUs costs" },
    { .name = "gap", .type = POL_NUMBER, .dflt = "0.0001", .help = "good enough is so near to the bound, relatively" },
    { .name = "nodes", .type = POL_INT, .dflt = "2000", .help = "of branch and bound, at most; 0: no limit" },
};

static void forget(void *own)
{
    struct known *k = own;
    for (uint32_t i = 0; i < TYPES_MAX; i++) goodput_fini(&k->model[i]);
    free(k);
}
static struct known *known(const struct elastic_job *j) { return j->own; }

/* ---- what there is ---- */

static bool learn(struct sia *s, struct elastic_job *j)
{
    const struct pol_host *h = s->e.host;
    char error[200];
    if (j->own == NULL) {
        struct known *k = j->own = pol_alloc(1, sizeof *k);
        k->batches = s->goodput->batches(h->ctx, j->job);
        (void)snprintf(error, sizeof error, "the scaling of job %llu of the trace has no model of goodput, which this policy "
                       "needs: 'noise', 'batch', 'max_batch', 'min_local', 'max_local' and times of steps", (unsigned long long)j->ordinal);
        if (k->batches.first <= 0) { h->fail(h->ctx, error); return false; }
    }
    struct known *k = known(j);
    struct pol_step step = s->goodput->measured(h->ctx, j->job);
    uint32_t nodes = 0;
    for (uint32_t i = 0; i < j->has; i++) nodes += i == 0 || j->at[i].node != j->at[i - 1].node;
    if (step.batch <= 0 || j->gpu_type >= TYPES_MAX) return true;
    if (goodput_see(&k->model[j->gpu_type], nodes, j->has * j->gpus, &step)) goodput_fit(&k->model[j->gpu_type]);
    if (j->has * j->gpus > k->most_gpus) k->most_gpus = j->has * j->gpus;
    return true;
}

/* Is it under way, and not about to begin to compute? */
static bool may_change(const struct sia *s, const struct elastic_job *j)
{
    return j->has == 0 || s->e.now - known(j)->changed >= elastic_restart_us(&s->e, j);
}

/* ---- what configurations are worth ---- */

/* A job on one of the types. */
struct on { const struct elastic_job *job; struct elastic_sized sized; struct elastic_room room; uint32_t least; };

/* On a type where it never ran, as on one where it did, by their speeds on the least size; 0: it does not run there. */
static double worth(const struct sia *s, const struct on *o, uint32_t tasks)
{
    const struct elastic_job *j = o->job;
    struct known *k = known(j);
    const struct elastic_types *types = &s->e.types;
    uint32_t nodes = (tasks + o->room.near - 1) / o->room.near, from = o->room.gpu_type;
    double noise = s->goodput->noise(s->e.host->ctx, j->job), ratio = 1;
    if (k->most_gpus == 0) return tasks == o->least ? 1 : 0;
    if (s->e.ext->speed(s->e.host->ctx, j->job, from, tasks, nodes > 1 ? nodes : 0) == 0) return 0;
    for (size_t i = 0; k->model[from].most_gpus == 0 && i < types->n; i++)
        if (k->model[types->at[i].gpu_type].most_gpus > 0) from = types->at[i].gpu_type;
    if (k->model[from].most_gpus == 0) return tasks == o->least ? 1 : 0;
    if (from != o->room.gpu_type) {
        const struct elastic_room there = { from, o->room.near, o->room.all };
        ratio = (double)elastic_speed_in(&o->sized, &o->room, o->least) /
                (double)(elastic_speed_in(&o->sized, &there, o->least) + 1);
    }
    return ratio * goodput_at(&k->model[from], &k->batches, noise, nodes, tasks * j->gpus);
}

/* What a restart now leaves of a job's speed; who waits has none to lose. */
static double restart_factor(const struct sia *s, const struct elastic_job *j)
{
    if (j->has == 0) return 1;
    double age = (double)(s->e.now - j->submit_us), delay = (double)elastic_restart_us(&s->e, j);
    uint32_t restarts = j->n_changes > 1 ? j->n_changes - 1 : 0;
    return age < delay || age <= 0 ? 1 : fmax(age - restarts * delay, 0) / (age + delay);
}

static void add_column(struct sia *s, size_t type, const struct on *o, uint32_t tasks)
{
    const struct elastic_job *j = o->job;
    const struct pol_shape *shape = &s->e.plan.shape[j->shape];
    double v = worth(s, o, tasks);
    if (v <= 0) return;
    POL_PUSH(s->column, s->n_columns, s->cap_columns,
             (struct program_column){ .job = (size_t)(j - s->e.job), .type = (uint32_t)type, .tasks = tasks, .cost = v,
             .need = { (int64_t)tasks * j->gpus, tasks * shape->cpu_milli, tasks * shape->mem_b } });
}

/*
 * Its configurations, as far as the type's nodes have room for them: its least size, that times powers of two within a
 * node, all that a node holds and multiples of it, up to twice as many GPUs as it ran on.
 */
static void add_columns(struct sia *s, size_t job)
{
    const struct elastic_job *j = &s->e.job[job];
    const size_t first = s->n_columns;
    const struct known *k = known(j);
    for (size_t t = 0; t < s->e.types.n; t++) {
        struct on o = { .job = j, .sized = elastic_sized(&s->e, j) };
        o.room = elastic_room(&s->e.plan, &s->e.plan.shape[j->shape], s->e.types.at[t].gpu_type);
        o.least = elastic_size_above(&o.sized, &o.room, 0);
        if (o.least == 0 || o.room.gpu_type >= TYPES_MAX) continue;
        const uint32_t near = o.room.near, twice = 2 * k->most_gpus / j->gpus;
        uint32_t most = twice > o.least ? twice : o.least;
        if (most > j->max) most = j->max;
        if (most > o.room.all) most = o.room.all;
        uint32_t last = o.least;
        add_column(s, t, &o, o.least);
        for (uint32_t n = 2 * o.least; n <= most && n <= near; n *= 2) add_column(s, t, &o, last = n);
        for (uint32_t n = near; n <= most; n += near)
            if (n > last) add_column(s, t, &o, n);
    }
    double least = INFINITY, factor = restart_factor(s, j);
    for (size_t i = first; i < s->n_columns; i++) least = fmin(least, s->column[i].cost);
    for (size_t i = first; i < s->n_columns; i++) {
        struct program_column *c = &s->column[i];
        bool is_present = c->tasks == j->has && s->e.types.at[c->type].gpu_type == j->gpu_type;
        double v = fmax(c->cost / least * (is_present ? 1 : factor), 1e-4);
        c->cost = fmin(round(pow(v, s->power) * 100) / 100, 3000);
    }
}

/* want of each job, and its type in chosen; what it has, if there is no answer. */
static void choose(struct sia *s)
{
    const struct elastic_types *types = &s->e.types;
    int64_t capacity[TYPES_MAX][PROGRAM_NEEDS];
    for (size_t t = 0; t < types->n && t < TYPES_MAX; t++) {
        capacity[t][PROGRAM_GPUS] = types->at[t].gpus;
        capacity[t][PROGRAM_CPU] = types->at[t].cpu;
        capacity[t][PROGRAM_MEM] = types->at[t].mem;
    }
    if (!program_solve(s->lp, &s->options, s->column, s->n_columns, (const int64_t (*)[PROGRAM_NEEDS])capacity,
                       (uint32_t)types->n, s->unused)) return;
    for (size_t i = 0; i < s->n_columns; i++) s->e.job[s->column[i].job].want = 0;
    for (size_t i = 0; i < s->n_columns; i++) {
        const struct program_column *c = &s->column[i];
        if (!c->is_chosen) continue;
        s->e.job[c->job].want = c->tasks;
        s->chosen[c->job] = types->at[c->type].gpu_type;
    }
}

/* ---- places ---- */

/* The tightest node of the type with room for all n, else that with most room; POL_NONE: none has any. */
static uint32_t node_for(const struct plan *p, const struct pol_shape *shape, uint32_t type, uint32_t n)
{
    uint32_t best = POL_NONE, best_room = 0;
    for (uint32_t i = 0; i < p->n_nodes; i++) {
        uint32_t room = p->node[i].n.gpu_type == type ? plan_capacity(p, i, shape) : 0;
        if (room == 0) continue;
        if (best == POL_NONE || (best_room >= n ? room >= n && room < best_room : room > best_room)) { best = i; best_room = room; }
    }
    return best;
}

static bool place_on(struct sia *s, struct elastic_job *j, uint32_t type)
{
    struct plan *p = &s->e.plan;
    const struct pol_shape *shape = &p->shape[j->shape];
    struct plan_mark m = plan_mark(p);
    POL_RESERVE(j->to, j->cap_to, j->want);
    for (uint32_t i = 0; i < j->want;) {
        uint32_t node = node_for(p, shape, type, j->want - i);
        if (node == POL_NONE) { plan_undo(p, m); return false; }
        for (; i < j->want && plan_fits(p, node, shape); i++) {
            j->to[i] = (struct pol_place){ .node = node, .cards = plan_pick_cards(p, node, shape) };
            plan_allocate(p, node, shape, j->to[i].cards);
        }
    }
    plan_keep(p, m);
    return true;
}

struct moving { struct elastic_job *job; uint32_t type; };

static int by_gpus(const void *a, const void *b)
{
    const struct moving *x = a, *y = b;
    uint32_t m = x->job->want * x->job->gpus, n = y->job->want * y->job->gpus;
    return m != n ? (m > n ? -1 : 1) : (x->job->ordinal > y->job->ordinal) - (x->job->ordinal < y->job->ordinal);
}

/* The job's next smaller configuration on the type; 0: none. */
static uint32_t next_below(const struct sia *s, const struct moving *m)
{
    const size_t job = (size_t)(m->job - s->e.job);
    uint32_t best = 0;
    for (size_t i = 0; i < s->n_columns; i++) {
        const struct program_column *c = &s->column[i];
        if (c->job != job || s->e.types.at[c->type].gpu_type != m->type) continue;
        if (c->tasks < m->job->want && c->tasks > best) best = c->tasks;
    }
    return best;
}

/* In its configuration; without room it stays where it is, or has a smaller one, or none. */
static void place_one(struct sia *s, const struct moving *m)
{
    struct elastic_job *j = m->job;
    if (j->want == 0) return;
    bool ok = place_on(s, j, m->type);
    if (!ok && elastic_stay(&s->e, j)) return;
    while (!ok && (j->want = next_below(s, m)) > 0) ok = place_on(s, j, m->type);
    if (ok) known(j)->changed = s->e.now;
}

/* Who keeps its configuration stays; the others are placed anew, those with most GPUs first. */
static void place(struct sia *s)
{
    struct elastic *e = &s->e;
    struct plan_mark m = plan_mark(&e->plan);
    struct moving *moving = pol_alloc(e->n_jobs, sizeof *moving);
    size_t n = 0;
    for (size_t i = 0; i < e->n_jobs; i++) {
        struct elastic_job *j = &e->job[i];
        if (j->want == j->has && (j->want == 0 || s->chosen[i] == POL_NONE || s->chosen[i] == j->gpu_type)) continue;
        elastic_release(e, j);
        moving[n++] = (struct moving){ j, s->chosen[i] };
    }
    qsort(moving, n, sizeof *moving, by_gpus);
    for (size_t i = 0; i < n; i++) place_one(s, &moving[i]);
    plan_undo(&e->plan, m);
    free(moving);
}

/* ---- a decision ---- */

static void decide(void *self, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    struct sia *s = self;
    struct elastic *e = &s->e;
    if (!elastic_look(e, v, ev, n_ev)) return;
    POL_RESERVE(s->chosen, s->cap_chosen, e->n_jobs);
    s->n_columns = 0;
    struct plan_mark m = plan_mark(&e->plan);
    for (size_t i = 0; i < e->n_jobs; i++) {
        struct elastic_job *j = &e->job[i];
        s->chosen[i] = POL_NONE;
        if (!learn(s, j)) { plan_undo(&e->plan, m); return; }
        if (may_change(s, j)) elastic_release(e, j);        /* who restarts is left alone */
    }
    elastic_types_list(&e->types, &e->plan);
    for (size_t i = 0; i < e->n_jobs; i++)
        if (may_change(s, &e->job[i])) add_columns(s, i);
    plan_undo(&e->plan, m);
    choose(s);
    place(s);
    elastic_apply(e, "its configuration in the program's answer");
}

static void destroy(void *self)
{
    struct sia *s = self;
    elastic_close(&s->e);
    lp_destroy(s->lp);
    POL_FREE(s->column, s->chosen, s);
}

static void *create(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *error, size_t cap)
{
    (void)flags;
    bool ok = value[P_EVERY].i > 0 || pol_error(error, cap, "every is above 0");
    ok = ok && ((value[P_POWER].x < 0 && value[P_POWER].x >= -10) || pol_error(error, cap, "p is below 0, and -10 at least"));
    ok = ok && (value[P_UNUSED].x > 0 || pol_error(error, cap, "lambda_n is above 0"));
    ok = ok && ((value[P_GAP].x >= 0 && value[P_GAP].x < 1) || pol_error(error, cap, "gap is from 0 to below 1"));
    ok = ok && ((value[P_NODES].i >= 0 && value[P_NODES].i <= INT32_MAX) || pol_error(error, cap, "nodes is 0 or more"));
    if (!ok) return NULL;
    struct sia *s = pol_alloc(1, sizeof *s);
    elastic_open(&s->e, host, value[P_EVERY].i);
    s->e.forget = forget;
    s->goodput = pol_extension(host, POL_GOODPUT);
    s->lp = lp_create(LP_MIN);
    s->power = value[P_POWER].x;
    s->unused = value[P_UNUSED].x;
    s->options = (struct lp_options){ .gap = value[P_GAP].x, .nodes = (uint32_t)value[P_NODES].i };
    return s;
}

const struct pol_ops pol_sia = {
    POL_HEADER, .name = "sia", .source = "Jayaram Subramanya et al., Sia: Heterogeneity-aware, goodput-optimized ML-cluster scheduling (SOSP 2023)",
    .summary = "elastic jobs get the configurations that an integer program chooses by goodput", .flags = POL_PREEMPTS,
    .params = params, .n_params = sizeof params / sizeof *params,
    .create = create, .decide = decide, .destroy = destroy,
};

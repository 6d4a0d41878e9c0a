/*
 * gavel.c -- Gavel: time on each GPU type by an objective, served out in rounds.  README.md, gavel.
 *
 * At the start of a round, if something came, ended or failed and the last solve is `every` ago, a linear program says
 * what fraction of its time each unit should have on each type (allocate.c, program.h).  In every round the units that
 * lag most behind that run (choose.c), under leases of one round (rounds.h).
 *
 * Units without GPUs, and gangs whose tasks insist on different types, are not part of it: they start where they fit,
 * in order of arrival, and are never stopped.
 *
 * Cost of a round: O(units log units x types) and places; of a solve that of its linear programs (program.c).
 * Source: Narayanan et al., OSDI 2020; the authors' simulator, github.com/stanford-futuredata/gavel, scheduler.py.
 */
#include <math.h>
#include "gavel/state.h"
#include "builtin.h"

#define SECOND 1e6

enum { P_OBJECTIVE, P_OPTIMUM, P_AWARE, P_PAIRS, P_ROUND, P_EVERY, P_WEIGHTS, P_PRICES };
static const struct pol_param params[] = {
    { .name = "objective", .type = POL_CHOICE, .dflt = "max-min",
      .choices = "max-min|makespan|finish-time|sum|hierarchical|hierarchical-fifo|isolated|fifo",
      .help = "what the fractions of time are to make best; isolated: equal shares; "
              "fifo: the fastest type with room, by arrival" },
    { .name = "optimum", .type = POL_CHOICE, .dflt = "middle", .choices = "middle|drawn",
      .help = "max-min, makespan, finish-time: of many optima one in their middle, "
              "or a corner that is drawn at each solve" },
    { .name = "aware", .type = POL_BOOL, .dflt = "true",
      .help = "of how fast each job is on each GPU type; false: all as one" },
    { .name = "pairs", .type = POL_BOOL, .dflt = "false",
      .help = "two jobs that ask for half a card at most may share it, "
              "if their speeds beside each other were measured" },
    { .name = "round", .type = POL_DURATION, .dflt = "360s", .help = "length of a round" },
    { .name = "every", .type = POL_DURATION, .dflt = "1920s", .help = "at least so long between two solves" },
    { .name = "weights", .type = POL_TEXT, .dflt = "",
      .help = "user:weight;user:weight... of each of their jobs, or hierarchical: of the entity; others weigh 1" },
    { .name = "prices", .type = POL_TEXT, .dflt = "",
      .help = "sum: throughput is worth what it is over this, TYPE:price;TYPE:price..." },
};

/* ---- the cluster ---- */

static void count_cards(struct gavel *g)
{
    const struct pol_view *v = g->sched.view;
    POL_RESERVE(g->node_type, g->cap_node_type, (size_t)v->n_nodes + 1);
    for (uint32_t k = 0; k < g->n_types; k++) g->cards[k] = 0;
    for (uint32_t n = 0; n < v->n_nodes; n++) {
        const struct pol_node *node = &v->node[n];
        uint32_t k = 0;
        g->node_type[n] = POL_NONE;
        if (node->n_gpu == 0) continue;
        while (k < g->n_types && g->type[k] != node->gpu_type) k++;
        g->node_type[n] = k;
        if (node->is_up) g->cards[k] += node->n_gpu;
    }
}

static bool read_types(struct gavel *g, const struct pol_host *host, const char *prices, char *error, size_t cap)
{
    struct share_weights given = { 0 };
    const struct pol_view *v = host->view(host->ctx);
    bool ok = share_weights_parse(&given, prices, error, cap);
    for (uint32_t n = 0; ok && n < v->n_nodes; n++) {
        uint32_t k = 0;
        if (v->node[n].n_gpu == 0) continue;
        while (k < g->n_types && g->type[k] != v->node[n].gpu_type) k++;
        if (k < g->n_types) continue;
        if (k == GAVEL_TYPES_MAX) {
            ok = pol_error(error, cap, "the cluster has more than %d GPU types", GAVEL_TYPES_MAX);
            break;
        }
        const char *name = host->name(host->ctx, POL_NAME_GPU_TYPE, v->node[n].gpu_type);
        for (size_t i = 0; i < given.n; i++)
            if (strcmp(given.at[i].user, name) == 0) g->price[k] = (double)given.at[i].weight / SHARE_ONE;
        if (given.n == 0) g->price[k] = 1;
        else if (!(g->price[k] > 0))
            ok = pol_error(error, cap, "prices must name every GPU type of the cluster: that of %s is missing", name);
        g->type[g->n_types++] = v->node[n].gpu_type;
    }
    share_weights_fini(&given);
    return ok;
}

/* ---- books ---- */

static void refuse(const struct gavel *g, const struct unit *u, uint32_t type)
{
    const struct pol_host *h = g->sched.host;
    const char *job = h->name(h->ctx, POL_NAME_JOB, u->job.slot), *name = h->name(h->ctx, POL_NAME_GPU_TYPE, type);
    char error[400];
    (void)snprintf(error, sizeof error,
                   "nothing says how fast job '%.80s' is on GPUs of type %.40s: "
                   "its model needs a speed for each type of the cluster "
                   "(`models` or `gpu_types` of the scenario, or a table of throughputs), or say aware=false",
                   job == NULL ? "?" : job, name == NULL ? "?" : name);
    h->fail(h->ctx, error);
}

/* Speeds are known of a model that has a row for the type, and where the scenario gives types speeds of their own. */
static void read_speeds(const struct gavel *g, const struct unit *u, struct gavel_book *b)
{
    const struct pol_host *h = g->sched.host;
    const struct request_class *c = &g->sched.classes.at[u->request_class];
    bool is_said = false, differs = false;
    for (uint32_t k = 0; k < g->n_types; k++) {
        bool is_known;
        b->speed[k] = (double)g->speeds->on(h->ctx, u->job, g->type[k], &is_known) / 1e6;
        b->may_have[k] = true;
        is_said |= is_known;
        differs |= b->speed[k] != b->speed[0] || b->speed[k] != 1;
    }
    for (uint32_t k = 0; k < g->n_types; k++) {
        bool is_known;
        (void)g->speeds->on(h->ctx, u->job, g->type[k], &is_known);
        if (g->is_aware && g->n_types > 1 && !is_known && (is_said || !differs)) {
            refuse(g, u, g->type[k]);
            break;
        }
    }
    for (uint32_t i = 0; i < c->n_tasks; i++) {
        const struct pol_shape *s = &g->sched.plan.shape[c->shape[i]];
        for (uint32_t k = 0; k < g->n_types; k++)
            if (s->n_gpu > 0 && s->gpu_types != 0 && (s->gpu_types >> g->type[k] & 1) == 0) {
                b->may_have[k] = b->speed[k] == 0;      /* left out of what is asked, as the job does not run there */
                b->speed[k] = 0;
            }
    }
}

static void open_book(struct gavel *g, uint32_t id)
{
    const struct unit *u = sched_unit(&g->sched, id);
    const struct pol_host *h = g->sched.host;
    const struct pol_job_info *ji = h->job(h->ctx, u->job);
    POL_RESERVE(g->book, g->cap_book, (size_t)id + 1);
    struct gavel_book *b = &g->book[id];
    *b = (struct gavel_book){ .ordinal = u->ordinal, .index = u->index, .is_known = true, .job = POL_NONE,
        .partner = POL_NONE,
        .entity = ji->queue != POL_NONE ? 2 * (uint64_t)ji->queue : 2 * (uint64_t)ji->user + 1 };
    for (uint32_t k = 0; k < g->n_types; k++) b->received[k] = (double)g->round / SECOND / 2;
    read_speeds(g, u, b);
    for (uint32_t k = 0; k < g->n_types; k++) b->is_part |= b->speed[k] > 0;
}

/* Not without GPUs, nor if no type does for all of its tasks. */
static bool is_leased(struct gavel *g, const struct unit *u)
{
    if (sched_gpu_milli(&g->sched, u) == 0) return false;
    if (!gavel_is_current(g, u->task.slot)) open_book(g, u->task.slot);
    return g->book[u->task.slot].is_part;
}

static struct queue *queue_of(void *self, const struct unit *u)
{
    struct gavel *g = self;
    return is_leased(g, u) ? &g->sched.wait : &g->others;
}

/* The time that a running unit had since it was last looked at. */
static void count_time(struct gavel *g, uint32_t id)
{
    struct gavel_book *b = &g->book[id];
    double had = (double)(g->sched.view->now_us - b->counted) / SECOND;
    if (sched_unit(&g->sched, id)->state != UNIT_RUNNING || b->type == POL_NONE) return;
    if (b->partner != POL_NONE && b->partner < g->n_pairs) g->pair[b->partner].received[b->type] += had;
    else b->received[b->type] += had;
    b->counted = g->sched.view->now_us;
}

/* Candidates that are leased, by arrival; others that run go on. */
static void collect(struct gavel *g)
{
    struct rounds *r = &g->rounds;
    struct sched *d = &g->sched;
    g->n_units = 0;
    for (uint32_t i = 0, j = r->n_due; i < r->n_due || j < r->n_candidates;) {
        const uint32_t *of = r->candidate;
        bool is_due = j == r->n_candidates || (i < r->n_due && unit_before(sched_unit(d, of[i]), sched_unit(d, of[j])));
        uint32_t id = r->candidate[is_due ? i++ : j++];
        if (!is_leased(g, sched_unit(d, id))) {
            (void)rounds_keep(r, id);
            continue;
        }
        count_time(g, id);
        POL_PUSH(g->unit, g->n_units, g->cap_unit, id);
    }
}

/* ---- decisions ---- */

static void hear(struct gavel *g, const struct pol_event *ev, size_t n_ev)
{
    bool is_other = g->node_type == NULL;
    for (size_t i = 0; i < n_ev; i++) {
        bool is_node = ev[i].type == POL_NODE_DOWN || ev[i].type == POL_NODE_UP;
        is_other |= is_node;
        g->is_stale |=
            is_node || ev[i].type == POL_ARRIVED || ev[i].type == POL_TASK_ENDED || ev[i].type == POL_JOB_ENDED;
    }
    if (is_other) count_cards(g);
}

static void start_others(struct gavel *g)
{
    struct sched *d = &g->sched;
    struct queue_walk *w = &d->walk;
    uint32_t id;
    for (queue_walk_open(w, &g->others, &d->units, sched_skip, d); (id = queue_walk_top(w)) != POL_NONE;) {
        if (!sched_place(d, id)) {
            sched_pass(d, w);
            continue;
        }
        queue_walk_step(w, &d->units, POL_NEVER);
        sched_start(d, id, "is not leased, and fits");
    }
}

/* Is it time to solve?  So it is, too, where none of those of the last solve is left. */
static bool is_due(const struct gavel *g)
{
    if (g->solved == 0 || g->sched.view->now_us - g->solved >= g->every) return true;
    for (uint32_t i = 0; i < g->n_units; i++)
        if (g->book[g->unit[i]].job != POL_NONE) return false;
    return true;
}

static void decide(void *self, const struct pol_view *view, const struct pol_event *ev, size_t n_ev)
{
    struct gavel *g = self;
    sched_open(&g->sched, view, ev, n_ev);
    hear(g, ev, n_ev);
    if (rounds_begin(&g->rounds)) {
        collect(g);
        if (g->is_stale && is_due(g) && !gavel_allocate(g)) return;
        gavel_choose(g);
    }
    rounds_end(&g->rounds, "lags behind the time it should have on this type");
    if (g->others.n > 0 && g->rounds.n_moving == 0) start_others(g);
}

/* ---- life ---- */

static const struct sched_ops ops = { .run_key = rounds_run_key, .queue = queue_of };

static void destroy(void *self)
{
    struct gavel *g = self;
    g->program.cards = g->program.price = NULL;         /* they are g's */
    gavel_program_fini(&g->program);
    rounds_fini(&g->rounds);
    share_weights_fini(&g->weights);
    queue_fini(&g->others);
    sched_fini(&g->sched);
    POL_FREE(g->entity, g->node_type, g->book, g->pair, g->unit, g->entry, g->choice, g->chosen, g);
}

static void *create(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *error, size_t cap)
{
    struct gavel *g = pol_alloc(1, sizeof *g);
    sched_init(&g->sched, host, PLACEMENT_FIRST, &ops, g);
    g->speeds = pol_extension(host, POL_SPEEDS);
    g->objective = (enum gavel_objective)value[P_OBJECTIVE].i;
    g->is_aware = value[P_AWARE].i != 0;
    g->has_pairs = value[P_PAIRS].i != 0;
    g->is_hierarchical = g->objective == GAVEL_HIERARCHICAL || g->objective == GAVEL_HIERARCHICAL_FIFO;
    g->round = value[P_ROUND].i;
    g->draws = host->seed;
    g->every = value[P_EVERY].i;
    rounds_init(&g->rounds, &g->sched, &(struct rounds_rule){ .length = g->round });
    if (value[P_OPTIMUM].i != 0) g->program.draws = &g->draws;
    bool reads_lengths = g->objective == GAVEL_MAKESPAN || g->objective == GAVEL_FINISH_TIME;
    if (!reads_lengths) *flags &= ~(uint32_t)POL_CLAIRVOYANT;
    bool ok = g->round > 0 || pol_error(error, cap, "round must be above 0");
    if (ok && g->program.draws != NULL && g->objective != GAVEL_MAX_MIN && !reads_lengths)
        ok = pol_error(error, cap, "optimum=drawn is of objectives max-min, makespan and finish-time");
    if (ok && g->has_pairs && (g->objective == GAVEL_ISOLATED || g->objective == GAVEL_FIFO))
        ok = pol_error(error, cap, "pairs=true is of objectives with a program, not of isolated and fifo");
    ok = ok && share_weights_parse(&g->weights, value[P_WEIGHTS].s, error, cap) &&
         read_types(g, host, value[P_PRICES].s, error, cap);
    if (ok) return g;
    destroy(g);
    return NULL;
}

const struct pol_ops pol_gavel = {
    POL_HEADER, .name = "gavel",
    .source = "Narayanan et al., Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning Workloads, "
              "OSDI 2020",
    .summary = "time on each GPU type by an objective (max-min, makespan, finish-time...), in rounds; "
               "needs speeds by type",
    .flags = POL_PREEMPTS | POL_CLAIRVOYANT,
    .n_params = sizeof params / sizeof *params, .params = params,
    .create = create, .decide = decide, .destroy = destroy,
};

/*
 * lucid.c -- Lucid: new jobs are profiled for a short while, then start by estimated run time x GPUs and share their
 * cards with one other job where that slows neither much.  Nobody is preempted but by the profiler.  README.md, lucid.
 *
 * Cost of a decision: O(waiting + running), and for each waiting unit the running ones that are alone on their cards;
 * for each request class that waits a search (lib/place/placement_index.h).
 * Source: Hu et al., Lucid, ASPLOS 2023; its simulator, github.com/S-Lab-System-Group/Lucid, policy/lucid.py and
 * profiler/lgf.py.
 */
#include "extensions.h"
#include "lib/sched/choose.h"
#include "lib/sched/list.h"
#include "builtin.h"
#include "lib/util.h"

enum { CARD = 1000, TINY = 0, MEDIUM = 1, JUMBO = 2, SCORES_MAX = 2, MILLION = 1000000 };

/* By task slot. */
struct mark { uint64_t ordinal; uint32_t index; bool is_known, is_profiled; int64_t priority; };
/* A unit alone on its cards. */
struct alone { uint32_t id, node; int32_t n_gpu; };

struct lucid {
    struct sched sched;
    struct queue profile;               /* who is to be profiled, by GPUs */
    const struct pol_speeds *speeds;
    int64_t n_profilers, profile_gpus, share_gpus, limit, window, quiet;
    double  tiny, medium;
    uint32_t first_profiler;            /* nodes from here on that have GPUs are the profiler's */
    bool    has_looked;
    const struct pol_shape *asks;       /* what a node is looked for at the moment, of the profiler or not */
    bool    asks_profiler;
    int64_t started;                    /* units so far: the order in which they did */
    struct mark *mark; size_t cap_mark;
    struct alone *alone; size_t cap_alone; uint32_t n_alone;
    uint32_t *list; size_t cap_list;
    uint64_t *failed; size_t cap_failed;        /* by request class: the decision in which it found no idle cards */
    int64_t *came; size_t cap_came; uint32_t n_came, n_past;    /* when jobs came; the first n_past before the window */
};

enum { P_ESTIMATE, P_PROFILERS, P_PROFILE_GPUS, P_LIMIT, P_SHARE_GPUS, P_TINY, P_MEDIUM, P_WINDOW, P_QUIET };
static const struct pol_param params[] = {
    LIST_ESTIMATE_OF("like"),
    { .name = "profilers", .type = POL_INT, .dflt = "2", .help = "nodes on which new jobs are profiled; 0: none" },
    { .name = "profile_gpus", .type = POL_INT, .dflt = "8", .help = "what asks for more cards is not profiled" },
    { .name = "profile_limit", .type = POL_DURATION, .dflt = "200s", .help = "how long a job is profiled at most" },
    { .name = "share_gpus", .type = POL_INT, .dflt = "8", .help = "what asks for more cards does not share them" },
    { .name = "tiny", .type = POL_NUMBER, .dflt = "0.95", .help = "mean speed beside others from which it is tiny" },
    { .name = "medium", .type = POL_NUMBER, .dflt = "0.85", .help = "and from which it is medium; below it is jumbo" },
    { .name = "window", .type = POL_DURATION, .dflt = "10m", .help = "time over which arrivals are counted" },
    { .name = "quiet", .type = POL_INT, .dflt = "2", .help = "with so few arrivals in it nothing shares; -1: always" },
};

/* ---- units ---- */

static bool is_profiler(const struct lucid *l, uint32_t node)
{
    return node >= l->first_profiler && l->sched.plan.node[node].n.n_gpu > 0;
}

/* The last n_profilers nodes with GPUs, but no more than half of them. */
static void find_profilers(struct lucid *l)
{
    const struct plan *p = &l->sched.plan;
    uint32_t n = 0, want;
    l->has_looked = true;
    l->first_profiler = p->n_nodes;
    for (uint32_t k = 0; k < p->n_nodes; k++) n += p->node[k].n.n_gpu > 0;
    want = l->n_profilers < n / 2 ? (uint32_t)l->n_profilers : n / 2;
    while (want > 0) want -= p->node[--l->first_profiler].n.n_gpu > 0;
}

static const struct pol_shape *first_shape(const struct lucid *l, const struct unit *u)
{
    return &l->sched.view->shape[l->sched.classes.at[u->request_class].shape[0]];
}

/* May some node of the profiler take it? */
static bool can_profile(struct lucid *l, const struct unit *u)
{
    const struct pol_shape *s = first_shape(l, u);
    if (u->n_tasks > 1 || s->n_gpu == 0 || s->n_gpu > l->profile_gpus || s->exclusive) return false;
    for (uint32_t n = l->first_profiler; n < l->sched.plan.n_nodes; n++)
        if (is_profiler(l, n) && plan_could_fit(&l->sched.plan, n, s)) return true;
    return false;
}

static int64_t wait_key(void *self, const struct unit *u)
{
    struct lucid *l = self;
    struct sched *d = &l->sched;
    if (!l->has_looked) find_profilers(l);
    POL_RESERVE(l->mark, l->cap_mark, (size_t)u->task.slot + 1);
    struct mark *m = &l->mark[u->task.slot];
    if (!m->is_known || m->ordinal != u->ordinal || m->index != u->index) {
        *m = (struct mark){ .ordinal = u->ordinal, .index = u->index, .is_known = true,
                            .is_profiled = !can_profile(l, u), .priority = list_by_gpu(d, u, u->est) };
        if (u->index == 0) POL_PUSH(l->came, l->n_came, l->cap_came, d->view->now_us);
    }
    return m->is_profiled ? m->priority : sched_gpu_milli(d, u);
}

static struct queue *queue_for(void *self, const struct unit *u)
{
    struct lucid *l = self;
    return l->mark[u->task.slot].is_profiled ? &l->sched.wait : &l->profile;
}

static int64_t run_key(void *self, const struct unit *u)
{
    (void)u;
    return ++((struct lucid *)self)->started;
}

/* ---- places ---- */

static uint64_t idle_cards(const struct plan *p, uint32_t node, const struct pol_shape *s)
{
    const struct pol_card *c = plan_cards_of(p, node);
    uint64_t cards = 0;
    int32_t n = 0;
    for (uint32_t k = 0; k < p->node[node].n.n_gpu && n < s->n_gpu; k++) {
        if (c[k].milli_free < CARD || !pol_node_card_fits(&c[k], s)) continue;
        cards |= UINT64_C(1) << k;
        n++;
    }
    return n == s->n_gpu ? cards : 0;
}

/* What a node costs is how many of its cards are idle, for the index of placement_index.h. */
static bool see(const void *ctx, uint32_t node, int32_t *order, uint16_t *most)
{
    const struct lucid *l = ctx;
    *order = l->sched.plan.node[node].n_idle;
    *most = 0;
    return true;
}

static const struct placement_cost NOTHING = { POL_NEVER, POL_NEVER };

static struct placement_cost bound(const void *ctx, const struct placement_box *b, int32_t order)
{
    const struct pol_shape *s = ((const struct lucid *)ctx)->asks;
    (void)order;
    if (b->cpu_max < s->cpu_milli || b->mem_max < s->mem_b || b->idle_max < s->n_gpu) return NOTHING;
    return (struct placement_cost){ b->idle_min > s->n_gpu ? b->idle_min : s->n_gpu, 0 };
}

/* Do its idle cards do?  Profilers come last: of nodes that are alike the first is one only if all are. */
static struct placement_cost cost(const void *ctx, uint32_t node, const struct placement_cost *least)
{
    const struct lucid *l = ctx;
    const struct plan *p = &l->sched.plan;
    (void)least;
    if (is_profiler(l, node) != l->asks_profiler || p->node[node].n_idle < l->asks->n_gpu || !plan_fits(p, node, l->asks) ||
        (l->asks->n_gpu > 0 && !l->asks->exclusive && idle_cards(p, node, l->asks) == 0))
        return NOTHING;
    return (struct placement_cost){ p->node[node].n_idle, 0 };
}

static const struct placement_costs costs = { see, bound, cost };

/* The tightest node of the part whose idle cards do; POL_NONE: none. */
static uint32_t tightest(struct lucid *l, const struct pol_shape *s, bool profiler, uint64_t *cards)
{
    const struct plan *p = &l->sched.plan;
    uint32_t best = POL_NONE;
    l->asks = s;
    l->asks_profiler = profiler;
    if (!profiler) best = placement_index_cheapest(&l->sched.placement);
    for (uint32_t n = l->first_profiler; profiler && n < p->n_nodes; n++)
        if (cost(l, n, NULL).hi != POL_NEVER && (best == POL_NONE || p->node[n].n_idle < p->node[best].n_idle)) best = n;
    if (best != POL_NONE) *cards = s->exclusive ? plan_pick_cards(p, best, s) : idle_cards(p, best, s);
    return best;
}

/* All tasks on idle cards of one part of the cluster, in the plan and in d->place; false: nothing changed. */
static bool place_idle(struct lucid *l, uint32_t id, bool profiler)
{
    struct sched *d = &l->sched;
    const struct request_class *c = &d->classes.at[sched_unit(d, id)->request_class];
    struct plan_mark m = plan_mark(&d->plan);
    POL_RESERVE(d->place, d->cap_place, c->n_tasks);
    for (uint32_t i = 0; i < c->n_tasks; i++) {
        const struct pol_shape *s = &d->plan.shape[c->shape[i]];
        uint64_t cards = 0;
        uint32_t node = tightest(l, s, profiler, &cards);
        if (node == POL_NONE) {
            plan_undo(&d->plan, m);
            return false;
        }
        d->place[i] = (struct pol_place){ .node = node, .cards = cards };
        plan_allocate(&d->plan, node, s, cards);
    }
    plan_keep(&d->plan, m);
    return true;
}

/* ---- sharing ---- */

static int score(const struct lucid *l, const struct unit *u, uint32_t gpu_type)
{
    int64_t mean = l->speeds->beside_mean(l->sched.host->ctx, u->job, gpu_type);
    return (double)mean >= l->tiny * MILLION ? TINY : (double)mean >= l->medium * MILLION ? MEDIUM : JUMBO;
}

static bool may_share(const struct lucid *l, const struct unit *u)
{
    const struct pol_shape *s = first_shape(l, u);
    return u->n_tasks == 1 && s->n_gpu > 0 && s->n_gpu <= l->share_gpus && 2 * s->gpu_milli <= CARD && !s->exclusive;
}

static void add_alone(struct lucid *l, uint32_t id)
{
    const struct sched *d = &l->sched;
    const struct unit *u = sched_unit(d, id);
    const struct sched_held *h = &d->held[id];
    if (!may_share(l, u) || is_profiler(l, h->node)) return;
    const struct pol_card *c = plan_cards_of(&d->plan, h->node);
    const struct pol_shape *s = first_shape(l, u);
    for (uint32_t k = 0; k < d->plan.node[h->node].n.n_gpu; k++)
        if ((h->cards >> k & 1) != 0 && c[k].milli_free < CARD - s->gpu_milli) return;
    POL_PUSH(l->alone, l->n_alone, l->cap_alone, (struct alone){ id, h->node, s->n_gpu });
}

/* Room for the unit beside the one that is alone there? */
static bool fits_beside(const struct lucid *l, const struct pol_shape *s, const struct alone *a)
{
    const struct plan *p = &l->sched.plan;
    const struct pol_card *c = plan_cards_of(p, a->node);
    if (!pol_node_fits_beside_cards(&p->node[a->node].n, s)) return false;
    for (uint32_t k = 0; k < p->node[a->node].n.n_gpu; k++)
        if ((l->sched.held[a->id].cards >> k & 1) != 0 && !pol_node_card_fits(&c[k], s)) return false;
    return true;
}

/* Beside the first to have started that suits it: in the plan and in d->place. */
static bool place_beside(struct lucid *l, uint32_t id)
{
    struct sched *d = &l->sched;
    const struct unit *u = sched_unit(d, id);
    const struct pol_shape *s = first_shape(l, u);
    if (!may_share(l, u)) return false;
    for (uint32_t i = 0; i < l->n_alone; i++) {
        const struct alone *a = &l->alone[i];
        const struct unit *r = sched_unit(d, a->id);
        uint32_t type = d->plan.node[a->node].n.gpu_type;
        if (a->n_gpu != s->n_gpu || l->mark[id].priority / 2 > l->mark[a->id].priority || !fits_beside(l, s, a) ||
            score(l, u, type) + score(l, r, type) > SCORES_MAX)
            continue;
        POL_RESERVE(d->place, d->cap_place, 1);
        d->place[0] = (struct pol_place){ .node = a->node, .cards = d->held[a->id].cards };
        plan_allocate(&d->plan, a->node, s, d->place[0].cards);
        memmove(&l->alone[i], &l->alone[i + 1], (--l->n_alone - i) * sizeof *l->alone);
        return true;
    }
    return false;
}

/* ---- a decision ---- */

/* Who was profiled long enough leaves; who is to be is, the fewest GPUs first, while the next one fits. */
static void profile(struct lucid *l)
{
    struct sched *d = &l->sched;
    int64_t now = d->view->now_us, soonest = POL_NEVER;
    uint32_t id;
    while ((id = queue_first(&l->profile)) != POL_NONE && place_idle(l, id, true)) sched_start(d, id, "is profiled");
    uint32_t n = d->running.n;
    POL_RESERVE(l->list, l->cap_list, (size_t)n + 1);
    unit_set_list(&d->running, &d->units, l->list);
    for (uint32_t i = 0; i < n; i++) {
        const struct unit *u = sched_unit(d, l->list[i]);
        int64_t over = pol_after(u->started, l->limit);
        if (l->mark[l->list[i]].is_profiled) continue;
        if (over > now) {
            if (over < soonest) soonest = over;
            continue;
        }
        l->mark[l->list[i]].is_profiled = true;
        choose_stop(d, l->list[i], "profiled");
    }
    if (soonest < POL_NEVER - 1) d->host->wake(d->host->ctx, soonest);
}

static bool is_quiet(struct lucid *l)
{
    int64_t from = l->sched.view->now_us - l->window;
    while (l->n_past < l->n_came && l->came[l->n_past] <= from) l->n_past++;
    return (int64_t)(l->n_came - l->n_past) <= l->quiet;
}

static void decide(void *self)
{
    struct lucid *l = self;
    struct sched *d = &l->sched;
    struct queue_walk *w = &d->walk;
    uint32_t id;
    if (!l->has_looked) find_profilers(l);
    if (l->first_profiler < d->plan.n_nodes) profile(l);
    bool shares = !is_quiet(l);
    l->n_alone = 0;
    POL_RESERVE(l->list, l->cap_list, (size_t)d->running.n + 1);
    unit_set_list(&d->running, &d->units, l->list);
    for (uint32_t i = 0; shares && i < d->running.n; i++) add_alone(l, l->list[i]);
    for (queue_walk_open(w, &d->wait, &d->units, NULL, NULL); (id = queue_walk_top(w)) != POL_NONE;) {
        uint32_t class = sched_unit(d, id)->request_class;
        POL_RESERVE(l->failed, l->cap_failed, (size_t)class + 1);
        queue_walk_step(w, &d->units, POL_NEVER);       /* before a start, which takes the unit out of its place */
        bool beside = shares && place_beside(l, id);
        if (!beside && (l->failed[class] == d->round || !place_idle(l, id, false))) {
            l->failed[class] = d->round;
            if (shares) continue;
            sched_head(d, id, "first in order; nothing passes it while few jobs come");
            return;
        }
        sched_start(d, id, beside ? "goes well beside another" : "fits");
        if (shares && !beside) add_alone(l, id);
    }
}

static bool init(void *self, const union pol_value *value, char *error, size_t cap)
{
    struct lucid *l = self;
    l->speeds = l->sched.host->extension(l->sched.host->ctx, POL_SPEEDS);
    l->sched.placement.by_costs = &costs;
    l->sched.placement.costs_ctx = l;
    l->n_profilers = value[P_PROFILERS].i;
    l->profile_gpus = value[P_PROFILE_GPUS].i;
    l->limit = value[P_LIMIT].i;
    l->share_gpus = value[P_SHARE_GPUS].i;
    l->tiny = value[P_TINY].x;
    l->medium = value[P_MEDIUM].x;
    l->window = value[P_WINDOW].i;
    l->quiet = value[P_QUIET].i;
    if (l->n_profilers < 0 || l->limit < 1)
        return pol_error(error, cap, "profilers must be 0 or more, profile_limit above 0");
    if (!(l->medium >= 0 && l->medium <= l->tiny)) return pol_error(error, cap, "medium must be from 0 to tiny");
    return l->speeds != NULL || pol_error(error, cap, "the host does not tell how fast models are beside others");
}

static void fini(void *self)
{
    struct lucid *l = self;
    queue_fini(&l->profile);
    POL_FREE(l->mark, l->alone, l->list, l->failed, l->came);
}

static const struct sched_ops ops = {
    .wait_key = wait_key, .run_key = run_key, .queue = queue_for,
    .size = sizeof(struct lucid), .init = init, .decide = decide, .fini = fini,
};

LIST_POLICY(pol_lucid, ops, params,
            .name = "lucid", .source = "Hu et al., Lucid, ASPLOS 2023, and its simulator",
            .summary = "short profiling, then by estimated run time x GPUs, two to a card where models go well together",
            .flags = POL_PREEMPTS | POL_USES_LIMITS | POL_CLAIRVOYANT | POL_STRANDS);

/*
 * affinity.c -- the master of affinity and balance: which node a task of API calls is
 * sent to.  README.md, affinity and balance.
 *
 * The master takes a few tasks from its queue at a time and chooses for each by
 * the nodes' loads as they are then.  The nodes' part is node.c.
 * Cost: O(nodes x engine types) a task.
 * Source: patent, task scheduling by engine affinity, paragraphs 92 to 137.
 */
#include "affinity/state.h"

#include "builtin.h"
#include "lib/util.h"

enum { P_CONDITION, P_CALL_LEAST, P_CROSS, P_OVERHEAD, P_WORTH, P_WIDTH, P_REBALANCE, P_TAKE, P_TARGET, P_LEAST, P_BALANCE, P_LOAD, N_PARAMS };
#define NODE_PARAMS \
    [P_CONDITION] = { .name = "condition", .type = POL_CHOICE, .dflt = "above", .choices = "best|above", .help = "engines that a call takes: the fastest kind, or all that are fast enough" }, \
    [P_CALL_LEAST] = { .name = "call_least", .type = POL_NUMBER, .dflt = "0.5", .help = "above: more than this fraction of the fastest kind's efficiency" }, \
    [P_CROSS] = { .name = "cross", .type = POL_CHOICE, .dflt = "limit", .choices = "limit|least|off", .help = "calls to other nodes: where the way costs less than overhead, where it costs least, or never" }, \
    [P_OVERHEAD] = { .name = "overhead", .type = POL_DURATION, .dflt = "1s", .help = "limit: the way there and back takes less than this" }, \
    [P_WORTH] = { .name = "worth", .type = POL_BOOL, .dflt = "true", .help = "a call travels only if it ends sooner than on an engine free at home" }, \
    [P_WIDTH] = { .name = "width", .type = POL_INT, .dflt = "0", .help = "tasks that a node runs at once; 0: as many as it has engines" }, \
    [P_REBALANCE] = { .name = "rebalance", .type = POL_BOOL, .dflt = "true", .help = "a node whose queue is empty takes from the longest" }, \
    [P_TAKE] = { .name = "take", .type = POL_INT, .dflt = "1", .help = "tasks that the master takes from its queue at a time, by the loads as they are then" }
static const struct pol_param params[N_PARAMS] = {
    NODE_PARAMS,
    [P_TARGET] = { .name = "target", .type = POL_CHOICE, .dflt = "above", .choices = "best|above", .help = "engines that a task is sent for: the best kind, or all that are good enough" },
    [P_LEAST] = { .name = "least", .type = POL_NUMBER, .dflt = "0.5", .help = "above: more than this fraction of the best kind's efficiency" },
    [P_BALANCE] = { .name = "balance", .type = POL_CHOICE, .dflt = "engines", .choices = "load|engines", .help = "of several nodes: the first below the load, or the one with most target engines free" },
    [P_LOAD] = { .name = "load", .type = POL_NUMBER, .dflt = "1", .help = "load: tasks queued and running for each engine of the node; none below it: the least loaded" },
};
static const struct pol_param balance_params[P_TARGET] = { NODE_PARAMS };

/* ---- what a task suits ---- */

/* Efficiencies relative to the best, whatever the relation's form; made of ranks, they only order. */
static void read_relation(const struct pol_relation *r, double eff[POL_ENGINES_MAX])
{
    double best = 0;
    for (uint32_t k = 0; k < POL_ENGINES_MAX; k++) {
        eff[k] = r->value[k] <= 0 ? 0 : r->form == POL_EFFICIENCIES ? r->value[k] : 1 / r->value[k];
        if (eff[k] > best) best = eff[k];
    }
    for (uint32_t k = 0; k < POL_ENGINES_MAX && best > 0; k++) eff[k] /= best;
}

/* The best engine types that some node has, equal ones all; target=above: also those strictly above `least` of it. */
static uint32_t targets_of(const struct affinity *a, const double eff[POL_ENGINES_MAX])
{
    double best = 0;
    uint32_t mask = 0;
    for (uint32_t k = 0; k < a->engines.n_types; k++)
        if (a->engines.n_has[k] > 0 && eff[k] > best) best = eff[k];
    for (uint32_t k = 0; k < a->engines.n_types; k++)
        mask |= (uint32_t)(eff[k] > 0 && (eff[k] >= best * (1 - AFFINITY_EQUAL) ||
                (a->param.target == AFFINITY_ABOVE && eff[k] > best * a->param.least * (1 + AFFINITY_EQUAL)))) << k;
    return mask;
}

/* ---- the master ---- */

static double load_of(const struct affinity *a, uint32_t node)
{
    return (double)(a->dispatcher.node[node].queue.n + a->dispatcher.node[node].running.n) * a->engine_of[node];
}

void affinity_count(struct affinity *a, uint32_t task, int sign)
{
    const struct dispatcher_task *k = dispatcher_task(&a->dispatcher, task);
    uint32_t by = (uint32_t)sign, mask = a->param.is_blind ? 0 : a->task[task].targets;
    if (k->engine != POL_NONE) a->queued.claim[(size_t)k->node * POL_ENGINES_MAX + k->engine] += by;
    a->queued.masked[(size_t)k->node << POL_ENGINES_MAX | mask] += by;
    a->queued.n_masked[mask] += by;
    a->queued.n += by;
}

/* Target engines free on the node, less the tasks that are queued there for them. */
static int64_t open_engines(const struct affinity *a, uint32_t node, uint32_t targets)
{
    int64_t n = 0;
    for (uint32_t k = 0; k < a->engines.n_types; k++)
        if (targets >> k & 1) n += (int64_t)dispatcher_free(&a->dispatcher, node, k) - (int64_t)a->queued.claim[(size_t)node * POL_ENGINES_MAX + k];
    return n;
}

uint32_t affinity_engine(const struct affinity *a, uint32_t t, uint32_t node)
{
    uint32_t best = POL_NONE;
    for (uint32_t k = 0; k < a->engines.n_types; k++)
        if (a->task[t].targets >> k & 1 && dispatcher_total(&a->dispatcher, node, k) > 0 && (best == POL_NONE || a->task[t].eff[k] > a->task[t].eff[best])) best = k;
    return best;
}

/*
 * The node for a task: of those with a target engine, by load or by free engines; if is_any, of all nodes
 * that are up, by their tasks.  POL_NONE: there is none now.
 */
static uint32_t choose(const struct affinity *a, uint32_t t, bool is_any)
{
    const struct dispatcher *h = &a->dispatcher;
    uint32_t best = POL_NONE;
    double best_load = 0;
    int64_t best_open = 0;
    for (uint32_t i = 0; i < h->n_nodes; i++) {
        if (is_any ? !h->view->node[i].is_up : (a->types[i] & a->task[t].targets) == 0) continue;
        double load = is_any ? (double)(h->node[i].queue.n + h->node[i].running.n) : load_of(a, i);
        if (!is_any && a->param.balance == AFFINITY_LOAD && load < a->param.load && dispatcher_suits(h, t, i)) return i;
        int64_t open = is_any || a->param.balance == AFFINITY_LOAD ? 0 : open_engines(a, i, a->task[t].targets);
        if (best != POL_NONE && !(open > best_open || (open == best_open && load < best_load))) continue;
        if (!dispatcher_suits(h, t, i)) continue;
        best = i;
        best_load = load;
        best_open = open;
    }
    return best;
}

/* Take a few tasks at a time, choose a node for each by the loads before any of them is sent, send them. */
static bool run_master(struct affinity *a)
{
    struct dispatcher *h = &a->dispatcher;
    bool has_sent = false;
    for (uint32_t t = h->master.first; t != POL_NONE;) {
        size_t n = 0, q = a->param.take > 0 ? (size_t)a->param.take : h->master.n;
        uint32_t next = t;
        for (; next != POL_NONE && n < q; next = dispatcher_task(h, next)->next, n++) {
            POL_RESERVE(a->chosen, a->cap_chosen, 2 * (n + 1));
            if (!a->param.is_blind) a->task[next].targets = targets_of(a, a->task[next].eff);
            a->chosen[2 * n] = next;
            uint32_t node = a->param.is_blind ? POL_NONE : choose(a, next, false);
            /* Calls that no one engine type can all run have no target; nor is one of use on nodes that do not suit. */
            a->chosen[2 * n + 1] = node != POL_NONE ? node : choose(a, next, true);
        }
        for (size_t i = 0; i < n; i++) {
            uint32_t id = a->chosen[2 * i], node = a->chosen[2 * i + 1];
            if (node == POL_NONE) continue;
            uint32_t engine = a->param.is_blind ? POL_NONE : affinity_engine(a, id, node);
            dispatcher_send(h, id, node, engine, a->param.is_blind ? "fewest tasks" : engine == POL_NONE ? "no target engine is in reach: fewest tasks" : a->reason[engine]);
            affinity_count(a, id, +1);
            has_sent = true;
        }
        t = next;
    }
    return has_sent;
}

/* ---- the policy ---- */

static void arrived(void *self, uint32_t t)
{
    struct affinity *a = self;
    const struct dispatcher *h = &a->dispatcher;
    POL_RESERVE(a->task, a->cap_task, (size_t)t + 1);
    a->task[t].targets = 0;
    struct pol_relation r = h->calls->relation(h->host->ctx, dispatcher_task(h, t)->task);
    if (r.form == POL_RANKS && a->param.target == AFFINITY_ABOVE && !a->param.is_blind)
        h->host->fail(h->host->ctx, "target=above compares efficiencies, and the relation gives only ranks: target=best goes by them");
    read_relation(&r, a->task[t].eff);
}

static void left(void *self, uint32_t t)
{
    struct affinity *a = self;
    affinity_forget(a, t);
    if (dispatcher_task(&a->dispatcher, t)->state == DISPATCHER_QUEUED) affinity_count(a, t, -1);
}

static void *create_any(const struct pol_host *host, const union pol_value *v, bool is_blind, char *error, size_t cap)
{
    if (v[P_CALL_LEAST].x <= 0 || v[P_CALL_LEAST].x > 1 || v[P_WIDTH].i < 0 || v[P_TAKE].i < 0) {
        (void)snprintf(error, cap, "call_least lies above 0 and at most at 1; width and take are 0 or more");
        return NULL;
    }
    if (!is_blind && (v[P_LEAST].x <= 0 || v[P_LEAST].x > 1 || v[P_LOAD].x < 0)) {
        (void)snprintf(error, cap, "least lies above 0 and at most at 1; load is 0 or more");
        return NULL;
    }
    struct affinity *a = pol_alloc(1, sizeof *a);
    dispatcher_init(&a->dispatcher, host, a);
    a->dispatcher.arrived = arrived;
    a->dispatcher.left = left;
    a->param.is_blind = is_blind;
    a->param.condition = (enum affinity_cond)v[P_CONDITION].i;
    a->param.call_least = v[P_CALL_LEAST].x;
    a->param.cross = (enum affinity_cross)v[P_CROSS].i;
    a->param.overhead = v[P_OVERHEAD].i;
    a->param.worth = v[P_WORTH].i != 0;
    a->param.width = v[P_WIDTH].i;
    a->param.rebalance = v[P_REBALANCE].i != 0;
    a->param.take = v[P_TAKE].i;
    if (is_blind) return a;
    a->param.target = (enum affinity_cond)v[P_TARGET].i;
    a->param.least = v[P_LEAST].x;
    a->param.balance = (enum affinity_balance)v[P_BALANCE].i;
    a->param.load = v[P_LOAD].x;
    return a;
}

static void *create(const struct pol_host *host, const union pol_value *v, uint32_t *flags, char *error, size_t cap)
{
    (void)flags;
    return create_any(host, v, false, error, cap);
}

static void *create_balance(const struct pol_host *host, const union pol_value *v, uint32_t *flags, char *error, size_t cap)
{
    (void)flags;
    return create_any(host, v, true, error, cap);
}

static void look_at(struct affinity *a, uint32_t node)
{
    a->types[node] = 0;
    for (uint32_t k = 0; k < a->dispatcher.view->n_engines && a->dispatcher.view->node[node].is_up; k++)
        a->types[node] |= (uint32_t)(dispatcher_total(&a->dispatcher, node, k) > 0) << k;
}

static void allocate(struct affinity *a, const struct pol_view *view)
{
    uint32_t n = view->n_nodes, pairs = view->n_engines * a->dispatcher.calls->n_tiers;
    a->queued.claim = pol_alloc((size_t)n * POL_ENGINES_MAX, sizeof *a->queued.claim);
    a->queued.masked = pol_alloc((size_t)n << POL_ENGINES_MAX, sizeof *a->queued.masked);
    a->types = pol_alloc(n, sizeof *a->types);
    a->engine_of = pol_alloc(n, sizeof *a->engine_of);
    a->waits.first = pol_alloc(pairs, sizeof *a->waits.first);
    a->waits.last = pol_alloc(pairs, sizeof *a->waits.last);
    for (uint32_t i = 0; i < pairs; i++) a->waits.first[i] = a->waits.last[i] = POL_NONE;
    for (uint32_t i = 0; i < n; i++) {
        int64_t engines = 0;
        for (uint32_t k = 0; k < view->n_engines; k++) engines += dispatcher_total(&a->dispatcher, i, k);
        a->engine_of[i] = 1.0 / (double)(engines > 0 ? engines : 1);
        look_at(a, i);
    }
    for (uint32_t k = 0; k < view->n_engines; k++)
        (void)snprintf(a->reason[k], sizeof a->reason[k], "target engine %.40s, %s", a->dispatcher.host->name(a->dispatcher.host->ctx, POL_NAME_ENGINE, k),
                       a->param.balance == AFFINITY_LOAD ? "by load" : "where most are free");
}

static void decide(void *self, const struct pol_view *view, const struct pol_event *ev, size_t n_ev)
{
    struct affinity *a = self;
    struct dispatcher *h = &a->dispatcher;
    dispatcher_open(h, view, ev, n_ev);
    if (a->queued.claim == NULL) allocate(a, view);
    engines_sync(&a->engines, h);
    for (uint32_t i = 0; i < h->n_dirty; i++) look_at(a, h->dirty[i]);
    for (size_t i = 0; i < n_ev; i++) a->epoch += ev[i].type == POL_NODE_UP || ev[i].type == POL_NODE_DOWN;
    bool has_sent = run_master(a);
    dispatcher_sort(h);        /* in which order nodes changed must not matter */
    uint32_t n = h->n_dirty;
    for (uint32_t i = 0; i < n; i++) affinity_node(a, h->dirty[i]);
    if (a->param.rebalance) affinity_rebalance(a, has_sent);
    affinity_others(a);
    dispatcher_clean(h);
}

static void destroy(void *self)
{
    struct affinity *a = self;
    dispatcher_fini(&a->dispatcher);
    engines_fini(&a->engines);
    POL_FREE(a->task, a->waits.at, a->queued.claim, a->queued.masked, a->types, a->engine_of, a->waits.first,
             a->waits.last, a->waits.free_block, a->chosen, a);
}

const struct pol_ops pol_affinity = {
    POL_HEADER, .name = "affinity", .source = "patent, task scheduling by engine affinity, paragraphs 92 to 137",
    .summary = "tasks of API calls to nodes with the engines that suit them, each call to the best engine",
    .flags = POL_RUNS_CALLS, .n_params = N_PARAMS, .params = params, .create = create, .decide = decide, .destroy = destroy,
};

const struct pol_ops pol_balance = {
    POL_HEADER, .name = "balance", .source = "the same patent, paragraph 78: its prior art",
    .summary = "tasks of API calls to the node with fewest tasks, each call to the best engine",
    .flags = POL_RUNS_CALLS, .n_params = P_TARGET, .params = balance_params, .create = create_balance, .decide = decide, .destroy = destroy,
};

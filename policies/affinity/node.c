/*
 * node.c -- the nodes of affinity and balance: which engine the next call of a task
 * runs on, there or elsewhere; and nodes with empty queues take from the longest.
 *
 * A call that finds no engine free at home waits in one list for each (engine
 * type, tier) where it may run, and is served from whichever is first.
 * Cost: O(engine types x tiers) a call; O(nodes) for each task that is moved.
 * Source: patent, task scheduling by engine affinity, paragraphs 92 to 137.
 */
#include "affinity/state.h"

#include "lib/util.h"

/* ---- waiting for engines of other nodes ---- */

static uint32_t n_pairs(const struct affinity *a) { return a->engines.n_types * a->engines.n_tiers; }
static struct affinity_wait *waits_of(const struct affinity *a, uint32_t t) { return a->waits.at + (size_t)(a->task[t].block - 1) * n_pairs(a); }

static void enlist(struct affinity *a, uint32_t t, uint32_t pair, int64_t way)
{
    if (a->task[t].block == 0) {
        a->task[t].block = a->waits.n_free > 0 ? a->waits.free_block[--a->waits.n_free] : ++a->waits.n_blocks;
        POL_RESERVE(a->waits.at, a->waits.cap, (size_t)a->waits.n_blocks * n_pairs(a));
    }
    struct affinity_wait *w = waits_of(a, t) + pair;
    uint32_t at = (uint32_t)(w - a->waits.at);
    *w = (struct affinity_wait){ .task = t, .prev = a->waits.last[pair], .next = POL_NONE, .is_in = true, .way = way };
    if (w->prev != POL_NONE) a->waits.at[w->prev].next = at; else a->waits.first[pair] = at;
    a->waits.last[pair] = at;
}

void affinity_forget(struct affinity *a, uint32_t task)
{
    if (a->task[task].block == 0) return;
    struct affinity_wait *all = waits_of(a, task);
    for (uint32_t pair = 0; pair < n_pairs(a); pair++) {
        struct affinity_wait *w = &all[pair];
        if (!w->is_in) continue;
        if (w->prev != POL_NONE) a->waits.at[w->prev].next = w->next; else a->waits.first[pair] = w->next;
        if (w->next != POL_NONE) a->waits.at[w->next].prev = w->prev; else a->waits.last[pair] = w->prev;
        w->is_in = false;
    }
    POL_PUSH(a->waits.free_block, a->waits.n_free, a->waits.cap_free, a->task[task].block);
    a->task[task].block = 0;
}

/* ---- one call ---- */

/* Engine types on which the call can run, as bits: those of the node, or (POL_NONE) of any. */
static uint32_t able(const struct affinity *a, const struct pol_call *c, uint32_t node)
{
    uint32_t mask = 0;
    for (uint32_t k = 0; k < a->engines.n_types; k++) {
        bool is_there = node == POL_NONE ? a->engines.n_has[k] > 0 : dispatcher_total(&a->dispatcher, node, k) > 0;
        mask |= (uint32_t)(is_there && c->us[k] >= 0) << k;
    }
    return mask;
}

/* Of `among`, the best, and with condition=above those of strictly more than `call_least` of its efficiency. */
static uint32_t good(const struct affinity *a, const struct pol_call *c, uint32_t among)
{
    int64_t best = POL_NEVER;
    uint32_t mask = 0;
    for (uint32_t k = 0; k < POL_ENGINES_MAX; k++)
        if (among >> k & 1 && c->us[k] < best) best = c->us[k];
    for (uint32_t k = 0; k < POL_ENGINES_MAX; k++) {
        bool ok = c->us[k] == best || (a->param.condition == AFFINITY_ABOVE &&
                                       (double)best > a->param.call_least * (double)c->us[k] * (1 + AFFINITY_EQUAL));
        mask |= (uint32_t)(among >> k & 1 && ok) << k;
    }
    return mask;
}

/* The fastest of `among` that the node has (is_free: has free); POL_NONE: none. */
static uint32_t fastest(const struct affinity *a, const struct pol_call *c, uint32_t among, uint32_t node, bool is_free)
{
    uint32_t best = POL_NONE;
    for (uint32_t k = 0; k < POL_ENGINES_MAX; k++) {
        if ((among >> k & 1) == 0 || (is_free ? dispatcher_free(&a->dispatcher, node, k) : dispatcher_total(&a->dispatcher, node, k)) <= 0) continue;
        if (best == POL_NONE || c->us[k] < c->us[best]) best = k;
    }
    return best;
}

static void run(struct affinity *a, uint32_t t, uint32_t node, uint32_t engine, const char *reason)
{
    affinity_forget(a, t);
    dispatcher_call(&a->dispatcher, t, node, engine, reason);
    engines_update(&a->engines, &a->dispatcher, node);
}

/*
 * Enlist the task for engines of the types `among` on other nodes.  With `must` any
 * distance will do; else the way must be below the limit (cross=limit), and with
 * worth=true the call must end there sooner than in home_us.  False: there are none.
 */
static bool seek(struct affinity *a, uint32_t t, uint32_t among, bool must, int64_t home_us)
{
    const struct dispatcher *h = &a->dispatcher;
    const struct dispatcher_task *k = dispatcher_task(h, t);
    bool any = false;
    for (uint32_t e = 0; e < a->engines.n_types; e++) {
        if ((among >> e & 1) == 0) continue;
        for (uint32_t tier = 0; tier < a->engines.n_tiers; tier++) {
            uint32_t node = engines_find(&a->engines, e, tier, false, k->node);
            if (node == POL_NONE) continue;
            int64_t way = h->calls->overhead(h->host->ctx, k->task, k->call_no, k->node, node);
            if (way == POL_NEVER || (!must && a->param.cross == AFFINITY_LIMIT && way >= a->param.overhead)) continue;
            if (!must && a->param.worth && pol_after(k->call.us[e], way) >= home_us) continue;
            enlist(a, t, e * a->engines.n_tiers + tier, way);
            any = true;
        }
    }
    return any;
}

/*
 * Try the call at home: the fastest free engine that meets the condition.  If none is
 * free the call waits for one, on other nodes too if it may travel.  If no engine that
 * meets the condition exists at home or in reach, the best at home will do; and if home
 * has none at all, whatever another node has.
 */
static void try_home(struct affinity *a, uint32_t t)
{
    const struct dispatcher_task *k = dispatcher_task(&a->dispatcher, t);
    const struct pol_call *c = &k->call;
    uint32_t here = able(a, c, k->node), all = able(a, c, POL_NONE);
    uint32_t ok = good(a, c, a->param.cross != AFFINITY_OFF || here == 0 ? all : here), engine = fastest(a, c, ok, k->node, true);
    if (engine != POL_NONE) {
        run(a, t, k->node, engine, c->us[engine] > c->us[fastest(a, c, ok, k->node, false)] ? "next best at home, the best is taken" : "best free engine at home");
        return;
    }
    if (a->task[t].block != 0 && a->task[t].epoch == a->epoch) return;
    affinity_forget(a, t);
    a->task[t].epoch = a->epoch;
    uint32_t home = fastest(a, c, here, k->node, false);
    if (a->param.cross != AFFINITY_OFF && seek(a, t, ok, false, home == POL_NONE || (ok & here) != 0 ? POL_NEVER : c->us[home])) return;
    if ((ok & here) != 0) return;
    if (here == 0) { (void)seek(a, t, all, true, POL_NEVER); return; }
    engine = fastest(a, c, here, k->node, true);
    if (engine != POL_NONE) run(a, t, k->node, engine, "nothing better in reach");
}

/*
 * An engine for which the task is enlisted is free somewhere: take the best of those, the
 * fastest or the one with the least way; or, with worth=true, an engine that is free at
 * home and would end the call no later.
 */
static void try_away(struct affinity *a, uint32_t t)
{
    const struct dispatcher_task *k = dispatcher_task(&a->dispatcher, t);
    const struct affinity_wait *w = waits_of(a, t);
    uint32_t node = POL_NONE, engine = 0, n_tiers = a->engines.n_tiers;
    int64_t way = 0;
    for (uint32_t pair = 0; pair < n_pairs(a); pair++) {
        uint32_t e = pair / n_tiers, to;
        if (!w[pair].is_in || (to = engines_find(&a->engines, e, pair % n_tiers, true, k->node)) == POL_NONE) continue;
        int64_t us = k->call.us[e], was = k->call.us[engine];
        bool better = node == POL_NONE || (a->param.cross == AFFINITY_LEAST ? w[pair].way < way || (w[pair].way == way && us < was)
                                                                 : us < was || (us == was && w[pair].way < way));
        if (!better) continue;
        node = to;
        engine = e;
        way = w[pair].way;
    }
    if (node == POL_NONE) return;
    uint32_t spare = fastest(a, &k->call, able(a, &k->call, k->node), k->node, true);
    if (a->param.worth && spare != POL_NONE && k->call.us[spare] <= pol_after(k->call.us[engine], way)) run(a, t, k->node, spare, "no slower at home");
    else run(a, t, node, engine, "no such engine free at home");
}

/* ---- a node ---- */

static int64_t width_of(const struct affinity *a, uint32_t node)
{
    int64_t n = 0;
    for (uint32_t k = 0; k < a->engines.n_types; k++) n += dispatcher_total(&a->dispatcher, node, k);
    return a->param.width > 0 ? a->param.width : n > 0 ? n : 1;
}

/* Is a task queued on the node that may be sent for one of these engine types? */
static bool has_for(const struct affinity *a, uint32_t node, uint32_t types)
{
    const uint32_t *n = node == POL_NONE ? a->queued.n_masked : a->queued.masked + ((size_t)node << POL_ENGINES_MAX);
    if (a->param.is_blind) return n[0] > 0;
    for (uint32_t m = 1; m < 1u << a->engines.n_types; m++)
        if ((m & types) != 0 && n[m] > 0) return true;
    return false;
}

/* A task of the longest other queue, from its tail, that may be sent here. */
static uint32_t find_to_move(const struct affinity *a, uint32_t node)
{
    const struct dispatcher *h = &a->dispatcher;
    uint32_t found = POL_NONE, longest = 0;
    if (!has_for(a, POL_NONE, a->types[node])) return found;
    for (uint32_t i = 0; i < h->n_nodes; i++) {
        if (i == node || h->node[i].queue.n <= longest || !has_for(a, i, a->types[node])) continue;
        for (uint32_t t = h->node[i].queue.last; t != POL_NONE; t = dispatcher_task(h, t)->prev) {
            if ((!a->param.is_blind && (a->task[t].targets & a->types[node]) == 0) || !dispatcher_suits(h, t, node)) continue;
            found = t;
            longest = h->node[i].queue.n;
            break;
        }
    }
    return found;
}

static bool move_here(struct affinity *a, uint32_t node)
{
    uint32_t t = find_to_move(a, node);
    if (t == POL_NONE) return false;
    affinity_count(a, t, -1);
    dispatcher_send(&a->dispatcher, t, node, a->param.is_blind ? POL_NONE : affinity_engine(a, t, node), "from a fuller queue to an empty one");
    affinity_count(a, t, +1);
    return true;
}

static bool has_width(const struct affinity *a, uint32_t node)
{
    const struct dispatcher_node *n = &a->dispatcher.node[node];
    return a->dispatcher.view->node[node].is_up && n->queue.n == 0 && n->running.n < width_of(a, node);
}

void affinity_node(struct affinity *a, uint32_t node)
{
    struct dispatcher *h = &a->dispatcher;
    if (!h->view->node[node].is_up) return;
    for (uint32_t t = h->node[node].running.first, next; t != POL_NONE; t = next) {
        next = dispatcher_task(h, t)->next;
        if (dispatcher_task(h, t)->is_idle) try_home(a, t);
    }
    for (int64_t width = width_of(a, node); h->node[node].running.n < width;) {
        uint32_t t = h->node[node].queue.first;
        if (t == POL_NONE || !dispatcher_start(h, t, "first in the node's queue")) return;
        affinity_count(a, t, -1);
    }
}

/*
 * A queue that did not grow since a node last looked has nothing for it now either.  So
 * only nodes that changed look, or all of them after the master sent something.
 */
void affinity_rebalance(struct affinity *a, bool all)
{
    const struct dispatcher *h = &a->dispatcher;
    uint32_t n = all ? h->n_nodes : h->n_dirty;
    for (uint32_t i = 0; i < n && a->queued.n > 0; i++) {
        uint32_t node = all ? i : h->dirty[i];
        while (has_width(a, node) && move_here(a, node)) affinity_node(a, node);
    }
}

void affinity_others(struct affinity *a)
{
    for (uint32_t pair = 0; pair < n_pairs(a); pair++)
        for (uint32_t at = a->waits.first[pair], next; at != POL_NONE; at = next) {
            next = a->waits.at[at].next;
            if (engines_find(&a->engines, pair / a->engines.n_tiers, pair % a->engines.n_tiers, true, POL_NONE) == POL_NONE) break;
            try_away(a, a->waits.at[at].task);
        }
}

/*
 * grant.c -- who gets which GPUs, cores and memory in a round.  README.md, synergy.
 *
 * Cost of a round: O(units x nodes), and with alloc=tune for each unit that finds no place O(peers log peers) more.
 */
#include "synergy/state.h"

struct grant synergy_fair(const struct synergy *s, uint32_t node, int64_t gpus)
{
    const struct book *b = &s->book[node];
    int64_t of = s->view->node[node].n_gpu;
    return (struct grant){ (int64_t)((pol_wide)b->cpu_total * gpus / of),
                           (int64_t)((pol_wide)b->mem_total * gpus / of) };
}

struct grant synergy_best(const struct synergy *s, const struct synergy_unit *u, uint32_t node)
{
    struct grant g = u->best[s->view->node[node].gpu_type];
    const struct book *b = &s->book[node];
    if (u->gpus > s->view->node[node].n_gpu) {      /* it is on several nodes anyway: at most its fair share */
        struct grant fair = synergy_fair(s, node, u->gpus);
        return g.cpu_milli > fair.cpu_milli || g.mem_b > fair.mem_b ? fair : g;
    }
    if (g.cpu_milli > b->cpu_total) g.cpu_milli = b->cpu_total;
    if (g.mem_b > b->mem_total) g.mem_b = b->mem_total;
    return g;
}

bool synergy_may_run(const struct synergy *s, const struct synergy_unit *u, uint32_t node)
{
    const struct pol_node *n = &s->view->node[node];
    struct pol_shape shape = s->view->shape[u->shape];
    shape.cpu_milli = shape.mem_b = 0;
    return n->is_up && n->n_gpu >= u->task_gpus && pol_node_capacity_empty(n, &s->view->card[n->card0], &shape) > 0;
}

static bool wants_more_than_fair(const struct synergy *s, const struct synergy_unit *u, uint32_t node)
{
    struct grant best = synergy_best(s, u, node), fair = synergy_fair(s, node, u->gpus);
    return best.cpu_milli > fair.cpu_milli || best.mem_b > fair.mem_b;
}

/* What all of the unit would get if it were on such nodes. */
static struct grant demand(const struct synergy *s, const struct synergy_unit *u, uint32_t node, bool fairly)
{
    if (s->alloc == ALLOC_PROPORTIONAL || (fairly && wants_more_than_fair(s, u, node)))
        return synergy_fair(s, node, u->gpus);
    if (!fairly && u->wish.cpu_milli > 0) return u->wish;
    return synergy_best(s, u, node);
}

static struct grant share(const struct grant *all, int64_t gpus, int64_t of)
{
    return (struct grant){ (int64_t)((pol_wide)all->cpu_milli * gpus / of),
                           (int64_t)((pol_wide)all->mem_b * gpus / of) };
}

static void move(struct synergy *s, const struct part *p, int64_t gpus, int sign)
{
    struct book *b = &s->book[p->node];
    b->cpu_free -= sign * p->has.cpu_milli;
    b->mem_free -= sign * p->has.mem_b;
    b->gpu_free -= sign * gpus;
}

/* How many of the unit's tasks fit on the node as the books are, `most` at most; *each: what one of them gets. */
static uint32_t room(const struct synergy *s, const struct synergy_unit *u, uint32_t node, bool fairly, uint32_t most,
                     struct grant *each)
{
    const struct book *b = &s->book[node];
    if (b->gpu_free < u->task_gpus || !synergy_may_run(s, u, node)) return 0;
    struct grant all = demand(s, u, node, fairly);
    *each = share(&all, u->task_gpus, u->gpus);
    int64_t n = b->gpu_free / u->task_gpus;
    if (each->cpu_milli > 0 && b->cpu_free / each->cpu_milli < n) n = b->cpu_free / each->cpu_milli;
    if (each->mem_b > 0 && b->mem_free / each->mem_b < n) n = b->mem_free / each->mem_b;
    return n < most ? (uint32_t)n : most;
}

/* The node for the next tasks: the first with room; or of those with room for all, else for one, the fewest GPUs. */
static uint32_t choose(const struct synergy *s, const struct synergy_unit *u, uint32_t from, bool fairly, uint32_t left,
                       struct grant *each, uint32_t *n)
{
    uint32_t best = POL_NONE, best_room = 0;
    struct grant g = { 0, 0 };
    for (uint32_t i = from; i < s->view->n_nodes; i++) {
        uint32_t r = room(s, u, i, fairly, left, &g);
        if (r == 0) continue;
        bool is_better = best == POL_NONE || (r == left) > (best_room == left) ||
                         ((r == left) == (best_room == left) && s->book[i].gpu_free < s->book[best].gpu_free);
        if (!is_better) continue;
        best = i;
        best_room = r;
        *each = g;
        if (!s->packs) break;
    }
    *n = best_room;
    return best;
}

/* Places for all its tasks, in the books and in `then`; or false and no change. */
static bool place(struct synergy *s, struct synergy_unit *u, bool fairly)
{
    uint32_t done = 0, n = 0, from = 0;
    struct grant each = { 0, 0 };
    while (done < u->n_tasks) {
        uint32_t node = choose(s, u, from, fairly, u->n_tasks - done, &each, &n);
        if (node == POL_NONE) {
            while (done > 0) move(s, &u->then[--done], u->task_gpus, -1);
            return false;
        }
        if (!s->packs) from = node + 1;
        for (; n > 0; n--) {
            u->then[done] = (struct part){ node, each };
            move(s, &u->then[done++], u->task_gpus, 1);
        }
    }
    u->is_fair = fairly && wants_more_than_fair(s, u, u->then[0].node);
    return true;
}

/* ---- tune: what peers have above their fair share is taken back ---- */

static int64_t gpus_on(const struct synergy_unit *u, uint32_t node)
{
    int64_t n = 0;
    for (uint32_t k = 0; k < u->n_tasks; k++) if (u->then[k].node == node) n += u->task_gpus;
    return n;
}

static uint32_t n_nodes_of(const struct synergy_unit *u)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < u->n_tasks; k++) {
        uint32_t i = 0;
        while (i < k && u->then[i].node != u->then[k].node) i++;
        n += i == k;
    }
    return n;
}

/* Does x give before y?  Who is on fewest nodes, has most cores for each GPU, most memory for each. */
static bool gives_first(const struct synergy_unit *x, const struct synergy_unit *y)
{
    uint32_t nx = n_nodes_of(x), ny = n_nodes_of(y);
    struct grant a = { 0, 0 }, b = { 0, 0 };
    for (uint32_t k = 0; k < x->n_tasks; k++) {
        a.cpu_milli += x->then[k].has.cpu_milli;
        a.mem_b += x->then[k].has.mem_b;
    }
    for (uint32_t k = 0; k < y->n_tasks; k++) {
        b.cpu_milli += y->then[k].has.cpu_milli;
        b.mem_b += y->then[k].has.mem_b;
    }
    pol_wide cpu = (pol_wide)a.cpu_milli * y->gpus - (pol_wide)b.cpu_milli * x->gpus;
    pol_wide mem = (pol_wide)a.mem_b * y->gpus - (pol_wide)b.mem_b * x->gpus;
    if (nx != ny) return nx < ny;
    return cpu != 0 ? cpu > 0 : mem > 0;
}

static int64_t within(int64_t fair, int64_t has, int64_t free) { return fair > has && fair > free ? has : fair; }

/* The unit has its fair share from now on, wherever its tasks are; of what it had less of only if that is free. */
static void make_fair(struct synergy *s, struct synergy_unit *u)
{
    if (u->is_fair || !wants_more_than_fair(s, u, u->then[0].node)) return;
    u->is_fair = true;
    for (uint32_t k = 0; k < u->n_tasks; k++) {
        const struct grant fair = synergy_fair(s, u->then[k].node, u->task_gpus), had = u->then[k].has;
        const struct book *b = &s->book[u->then[k].node];
        move(s, &u->then[k], u->task_gpus, -1);
        u->then[k].has = (struct grant){ within(fair.cpu_milli, had.cpu_milli, b->cpu_free),
                                         within(fair.mem_b, had.mem_b, b->mem_free) };
        move(s, &u->then[k], u->task_gpus, 1);
    }
}

/* Peers on the node give until so much is free there, or none is left. */
static void take_back(struct synergy *s, uint32_t node, const struct grant *need)
{
    uint32_t n = 0;
    POL_RESERVE(s->peer, s->cap_peer, s->n_given + 1);
    for (size_t i = 0; i < s->n_given; i++) {
        uint32_t id = s->given[i], k = n;
        if (gpus_on(&s->unit[id], node) == 0) continue;
        for (; k > 0 && gives_first(&s->unit[id], &s->unit[s->peer[k - 1]]); k--) s->peer[k] = s->peer[k - 1];
        s->peer[k] = id;
        n++;
    }
    for (uint32_t i = 0; i < n && (s->book[node].cpu_free < need->cpu_milli || s->book[node].mem_free < need->mem_b);
         i++)
        make_fair(s, &s->unit[s->peer[i]]);
}

/* The nodes whose free GPUs the unit would take: one that has enough, else those with fewest first. */
static void make_room(struct synergy *s, struct synergy_unit *u)
{
    int64_t left = u->gpus, last = 0;
    uint32_t after = POL_NONE;
    for (uint32_t i = 0; i < s->view->n_nodes && u->gpus > 1; i++) {
        if (s->book[i].gpu_free < u->gpus || !synergy_may_run(s, u, i)) continue;
        struct grant all = demand(s, u, i, true);
        take_back(s, i, &all);
        return;
    }
    while (left > 0) {          /* by free GPUs, then index: each node once */
        uint32_t best = POL_NONE;
        for (uint32_t i = 0; i < s->view->n_nodes; i++) {
            int64_t n = s->book[i].gpu_free / u->task_gpus * u->task_gpus;
            if (n == 0 || !synergy_may_run(s, u, i)) continue;
            bool is_past = n < last || (n == last && after != POL_NONE && i <= after);
            if (!is_past && (best == POL_NONE || n < s->book[best].gpu_free / u->task_gpus * u->task_gpus)) best = i;
        }
        if (best == POL_NONE) return;
        last = s->book[best].gpu_free / u->task_gpus * u->task_gpus;
        after = best;
        int64_t takes = last < left ? last : left;
        struct grant all = demand(s, u, best, true), need = share(&all, takes, u->gpus);
        take_back(s, best, &need);
        left -= takes;
    }
}

static bool give(struct synergy *s, struct synergy_unit *u)
{
    if (place(s, u, false)) return true;
    if (s->alloc != ALLOC_TUNE && s->alloc != ALLOC_OPT) return false;
    if (place(s, u, true)) return true;
    make_room(s, u);
    return place(s, u, true);
}

/* Units in turn whose GPUs are free in sum come first in s->turn; with tune and opt, most GPUs before. */
static uint32_t pick(struct synergy *s, uint32_t n_turns, int64_t free)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < n_turns; i++) {
        uint32_t id = s->turn[i], k = i;
        if (s->unit[id].gpus > free) continue;
        free -= s->unit[id].gpus;
        for (; k > n; k--) s->turn[k] = s->turn[k - 1];     /* who was passed over keeps its turn among those after */
        for (n++; s->alloc >= ALLOC_TUNE && k > 0 && s->unit[s->turn[k - 1]].gpus < s->unit[id].gpus; k--)
            s->turn[k] = s->turn[k - 1];
        s->turn[k] = id;
    }
    return n;
}

static void give_all(struct synergy *s, uint32_t from, uint32_t to, int64_t *free)
{
    for (uint32_t i = from; i < to; i++) {
        struct synergy_unit *u = &s->unit[s->turn[i]];
        if (u->gpus > *free || !give(s, u)) continue;
        u->is_in = true;
        *free -= u->gpus;
        POL_PUSH(s->given, s->n_given, s->cap_given, s->turn[i]);
    }
}

void synergy_grant(struct synergy *s, uint32_t n_turns)
{
    int64_t free = 0;
    for (uint32_t i = 0; i < s->view->n_nodes; i++) free += s->view->node[i].is_up ? s->book[i].gpu_free : 0;
    uint32_t n = s->refills && s->alloc != ALLOC_OPT ? n_turns : pick(s, n_turns, free);
    s->n_given = 0;
    if (s->alloc == ALLOC_OPT) synergy_wish(s, n);
    give_all(s, 0, n, &free);
    if (s->n_given == 0 || s->refills) give_all(s, n, n_turns, &free);  /* not refills: lest nobody runs */
}

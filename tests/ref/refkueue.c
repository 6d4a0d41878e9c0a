/*
 * refkueue.c -- kueue a second time, as policies/kueue/README.md words it, with arrays and loops only.
 *
 * It remembers where each workload stands; what is used of which quota it counts anew, from who holds what, whenever
 * it is asked.  Who is out, for a search, is a flag; what a cycle keeps for somebody is an extra.
 */
#include <stdlib.h>
#include <string.h>

#include "ref/refplan.h"

__extension__ typedef __int128 wide;

enum {
    FLAVORS = REF_KQ_FLAVORS,
    RES = REF_KQ_RESOURCES,
    PODS = 3,
    POOLS = REF_KQ_COHORTS + REF_KQ_QUEUES,
    ALL = REF_JOBS * REF_TASKS
};

enum where { NOWHERE, WAITS, BACKS_OFF, STRANDED, ADMITTED, RUNS, EVICTED };
enum fit { NO_FIT, NO_CANDIDATES, PREEMPT, RECLAIM, FIT };

struct workload {
    enum where where;
    int queue, priority, evictions; /* queue: index of its pool */
    sim_tick stamp, reserved, until;
    int flavor[REF_TASKS][RES], tried[REF_TASKS][RES];
    int64_t use[FLAVORS][RES];
    long tried_at;
    bool out; /* taken out for a search */
};

struct ref_kq {
    struct workload of[REF_JOBS][REF_TASKS];
    struct {
        int queue, priority;
        struct ref_unit like;
    } parked[ALL];
    int n_parked;
    struct ref_unit sticky[POOLS]; /* job -1: none */
    long generation[POOLS];
    int64_t extra[POOLS][FLAVORS][RES];
    sim_tick woken_at, asks;
    bool held_back;
};

struct deciding {
    struct ref_world *w;
    struct ref_kq *k;
    const struct ref_kueue *p;
    struct ref_ledger l;
    struct ref_plan *out;
};

/* What one queue's head came to. */
struct entry {
    struct ref_unit u;
    int queue, height;
    bool possible, fits;
    bool need[FLAVORS][RES];
    struct ref_unit go[ALL];
    int n_go;
};

void ref_kq_begin(struct ref_world *w)
{
    w->kq = calloc(1, sizeof *w->kq);
    SIM_ASSERT(w->kq != NULL);
    w->kq->woken_at = -1;
    w->kq->asks = TICK_NEVER;
    for (int i = 0; i < POOLS; i++) {
        w->kq->sticky[i].job = -1;
        w->kq->generation[i] = 1;
    }
}

sim_tick ref_kq_wake(const struct ref_world *w) { return w->kq->asks; }

static struct workload *of(const struct deciding *d, struct ref_unit u) { return &d->k->of[u.job][u.task]; }
static bool is_same(struct ref_unit a, struct ref_unit b) { return a.job == b.job && a.task == b.task; }
static const struct ref_kq_queue *queue_of(const struct deciding *d, int pool)
{
    return &d->p->queue[pool - d->p->n_cohorts];
}
static int n_pools(const struct deciding *d) { return d->p->n_cohorts + d->p->n_queues; }
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

static int units(const struct deciding *d, enum where where, int queue, struct ref_unit *out)
{
    int n = 0;
    for (int j = 0; j < d->w->n_arrived; j++)
        for (int t = 0; t < (d->w->job[j].gang ? 1 : d->w->job[j].n); t++)
            if (d->k->of[j][t].where == where && (queue < 0 || d->k->of[j][t].queue == queue))
                out[n++] = (struct ref_unit){ .job = j, .task = t };
    return n;
}

/* ---- quotas ---- */

static int64_t nominal(const struct deciding *d, int pool, int f, int r)
{
    return most(0, d->p->pool[pool].quota[f][r].nominal);
}

static int64_t guaranteed(const struct deciding *d, int pool, int f, int r);

static int64_t subtree(const struct deciding *d, int pool, int f, int r)
{
    int64_t n = nominal(d, pool, f, r);
    for (int c = 0; c < n_pools(d); c++)
        if (d->p->pool[c].parent == pool) n += subtree(d, c, f, r) - guaranteed(d, c, f, r);
    return n;
}

static int64_t guaranteed(const struct deciding *d, int pool, int f, int r)
{
    int64_t lend = d->p->pool[pool].quota[f][r].lend;
    return lend < 0 ? 0 : most(0, subtree(d, pool, f, r) - lend);
}

static int64_t used(const struct deciding *d, int pool, int f, int r)
{
    int64_t n = d->k->extra[pool][f][r];
    for (int c = 0; c < n_pools(d); c++)
        if (d->p->pool[c].parent == pool) n += most(0, used(d, c, f, r) - guaranteed(d, c, f, r));
    if (pool < d->p->n_cohorts) return n;
    for (int j = 0; j < d->w->n_arrived; j++)
        for (int t = 0; t < d->w->job[j].n; t++) {
            const struct workload *x = &d->k->of[j][t];
            if ((x->where == ADMITTED || x->where == RUNS) && x->queue == pool && !x->out) n += x->use[f][r];
        }
    return n;
}

static int64_t local(const struct deciding *d, int pool, int f, int r)
{
    return most(0, guaranteed(d, pool, f, r) - used(d, pool, f, r));
}

static int64_t free_of(const struct deciding *d, int pool, int f, int r)
{
    const int parent = d->p->pool[pool].parent;
    const int64_t limit = d->p->pool[pool].quota[f][r].borrow;
    if (parent < 0) return subtree(d, pool, f, r) - used(d, pool, f, r);
    int64_t above = free_of(d, parent, f, r);
    if (limit >= 0) {
        int64_t lent = subtree(d, pool, f, r) - guaranteed(d, pool, f, r);
        above = least(above, lent + limit - most(0, used(d, pool, f, r) - guaranteed(d, pool, f, r)));
    }
    return local(d, pool, f, r) + above;
}
static int64_t available(const struct deciding *d, int pool, int f, int r) { return most(0, free_of(d, pool, f, r)); }

static int64_t potential(const struct deciding *d, int pool, int f, int r)
{
    const int parent = d->p->pool[pool].parent;
    const int64_t limit = d->p->pool[pool].quota[f][r].borrow, all = subtree(d, pool, f, r);
    if (parent < 0) return all;
    int64_t n = guaranteed(d, pool, f, r) + potential(d, parent, f, r);
    return limit < 0 ? n : least(n, all + limit);
}

static bool borrows(const struct deciding *d, int pool, int f, int r, int64_t n)
{
    return used(d, pool, f, r) + n > subtree(d, pool, f, r);
}

static int height_of(const struct deciding *d, int pool)
{
    int h = 0;
    for (int c = 0; c < n_pools(d); c++)
        if (d->p->pool[c].parent == pool) h = (int)most(h, 1 + (c < d->p->n_cohorts ? height_of(d, c) : 0));
    return h;
}

static int root_of(const struct deciding *d, int pool)
{
    while (d->p->pool[pool].parent >= 0) pool = d->p->pool[pool].parent;
    return pool;
}

static int borrow_height(const struct deciding *d, int queue, int f, int r, int64_t n, bool *below)
{
    const int parent = d->p->pool[queue].parent;
    *below = parent >= 0;
    if (parent < 0 || !borrows(d, queue, f, r, n)) return 0;
    n -= local(d, queue, f, r);
    for (int at = parent; at >= 0; at = d->p->pool[at].parent) {
        *below = d->p->pool[at].parent >= 0;
        if (!borrows(d, at, f, r, n)) return height_of(d, at);
        n -= local(d, at, f, r);
    }
    *below = false;
    return height_of(d, root_of(d, queue));
}

static int64_t share(const struct deciding *d, int pool)
{
    const int parent = d->p->pool[pool].parent;
    int64_t part = 0;
    bool any = false;
    if (parent < 0) return 0;
    for (int r = 0; r < RES; r++) {
        int64_t takes = 0, could = 0;
        for (int f = 0; f < d->p->n_flavors; f++) {
            takes += most(0, used(d, pool, f, r) - subtree(d, pool, f, r));
            could += potential(d, parent, f, r);
        }
        any = any || takes > 0;
        if (takes > 0 && could > 0) part = most(part, (int64_t)((wide)takes * 1000 / could));
    }
    if (!any) return 0;
    return d->p->pool[pool].weight == 0 ? INT64_MAX : part * 1000 / d->p->pool[pool].weight;
}

/* ---- who waits ---- */

static bool before(const struct deciding *d, struct ref_unit a, struct ref_unit b)
{
    const struct workload *x = of(d, a), *y = of(d, b);
    if (x->priority != y->priority) return x->priority > y->priority;
    if (x->stamp != y->stamp) return x->stamp < y->stamp;
    return a.job != b.job ? a.job < b.job : a.task < b.task;
}

static bool asks_the_same(const struct deciding *d, struct ref_unit a, struct ref_unit b)
{
    if (ref_unit_size(d->w, a) != ref_unit_size(d->w, b)) return false;
    for (int k = 0; k < ref_unit_size(d->w, a); k++)
        if (memcmp(&d->w->job[a.job].task[a.task + k].shape, &d->w->job[b.job].task[b.task + k].shape,
                   sizeof(struct shape)) != 0)
            return false;
    return true;
}

static bool is_parked(const struct deciding *d, struct ref_unit u)
{
    for (int i = 0; i < d->k->n_parked; i++)
        if (d->k->parked[i].queue == of(d, u)->queue && d->k->parked[i].priority == of(d, u)->priority &&
            asks_the_same(d, d->k->parked[i].like, u))
            return true;
    return false;
}

static void unpark(struct deciding *d, int queue)
{
    int left = 0;
    for (int i = 0; i < d->k->n_parked; i++)
        if (queue >= 0 && root_of(d, d->k->parked[i].queue) != root_of(d, queue))
            d->k->parked[left++] = d->k->parked[i];
    d->k->n_parked = left;
}

static void leave(struct deciding *d, struct ref_unit u)
{
    if (is_same(d->k->sticky[of(d, u)->queue], u)) d->k->sticky[of(d, u)->queue].job = -1;
}

/* Its quota is given back; where it goes is the caller's. */
static void release(struct deciding *d, struct ref_unit u, enum where to)
{
    of(d, u)->where = to;
    d->k->generation[of(d, u)->queue]++;
    unpark(d, of(d, u)->queue);
}

static bool head_of(const struct deciding *d, int queue, struct ref_unit *head)
{
    struct ref_unit all[ALL];
    int n = units(d, WAITS, queue, all);
    *head = d->k->sticky[queue];
    if (head->job >= 0) return true;
    for (int i = 0; i < n; i++)
        if (!is_parked(d, all[i]) && (head->job < 0 || before(d, all[i], *head))) *head = all[i];
    return head->job >= 0;
}

/* ---- nodes ---- */

static bool flavor_has(const struct deciding *d, int f, int node)
{
    if (d->p->flavor[f].type >= 0) return d->w->c->node[node].type == d->p->flavor[f].type;
    return d->p->flavor[f].host < 0 || d->p->flavor[f].host == node;
}

/* Pod set s of a unit: the s-th different shape; the set of a task. */
static int set_of(const struct deciding *d, struct ref_unit u, int task)
{
    int n = 0;
    for (int k = 0; k <= task; k++) {
        int first = 0;
        while (memcmp(&d->w->job[u.job].task[u.task + first].shape, &d->w->job[u.job].task[u.task + k].shape,
                      sizeof(struct shape)) != 0)
            first++;
        if (first == k && k < task) n++;
        if (k == task && first < task) return set_of(d, u, first);
    }
    return n;
}

static bool try_pods(struct deciding *d, struct ref_unit u)
{
    struct ref_decision *x = &d->out->d[d->out->n];
    struct ref_ledger was = d->l;
    *x = (struct ref_decision){ .what = REF_DO_START, .u = u };
    for (int k = 0; k < ref_unit_size(d->w, u); k++) {
        bool up[REF_NODES];
        memcpy(up, d->l.up, sizeof up);
        for (int n = 0; n < d->w->c->n_nodes; n++)
            for (int r = 0; r < RES; r++) {
                int f = of(d, u)->flavor[set_of(d, u, k)][r];
                if (f >= 0 && !flavor_has(d, f, n)) d->l.up[n] = false;
            }
        bool ok = ref_place_task(d->w, &d->l, u.job, u.task + k, &x->node[k], &x->cards[k]);
        memcpy(d->l.up, up, sizeof up);
        if (ok) continue;
        d->l = was;
        return false;
    }
    d->out->n++;
    of(d, u)->where = RUNS;
    of(d, u)->until = TICK_NEVER;
    return true;
}

static void try_pending(struct deciding *d)
{
    struct ref_unit all[ALL];
    int n = units(d, ADMITTED, -1, all);
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && before(d, all[k], all[k - 1]); k--) {
            struct ref_unit u = all[k];
            all[k] = all[k - 1];
            all[k - 1] = u;
        }
    for (int i = 0; i < n; i++) (void)try_pods(d, all[i]);
}

/* ---- preemption ---- */

/* So much of pairs, of which `need` are short. */
struct demand {
    struct ref_unit u;
    int queue;
    int64_t n[FLAVORS][RES];
    bool need[FLAVORS][RES];
};
struct candidate {
    struct ref_unit u;
    int rank, lca;
    bool gone;
};

static bool is_within(const struct deciding *d, int pool, const struct demand *q)
{
    for (int f = 0; f < d->p->n_flavors; f++)
        for (int r = 0; r < RES; r++)
            if (q->need[f][r] && borrows(d, pool, f, r, 0)) return false;
    return true;
}

static bool demand_fits(const struct deciding *d, const struct demand *q, bool borrowing)
{
    for (int f = 0; f < d->p->n_flavors; f++)
        for (int r = 0; r < RES; r++) {
            if (q->n[f][r] == 0) continue;
            if (!borrowing && borrows(d, q->queue, f, r, q->n[f][r])) return false;
            if (q->n[f][r] > available(d, q->queue, f, r)) return false;
        }
    return true;
}

static int collect(struct deciding *d, const struct demand *q, int pool, int lca, int rank, struct candidate *out,
                   int n)
{
    const struct ref_kq_queue *p = queue_of(d, q->queue);
    const struct workload *w = of(d, q->u);
    struct ref_unit all[ALL];
    for (int pass = 0; pass < 2; pass++) {
        int m = units(d, pass ? RUNS : ADMITTED, pool, all);
        for (int i = 0; i < m; i++) {
            const struct workload *v = of(d, all[i]);
            bool uses = false, may;
            for (int f = 0; f < d->p->n_flavors; f++)
                for (int r = 0; r < RES; r++) uses = uses || (q->need[f][r] && v->use[f][r] > 0);
            if (pool != q->queue) may = p->reclaim == 2 || (p->reclaim == 1 && v->priority < w->priority);
            else
                may = (p->within > 0 && v->priority < w->priority) ||
                      (p->within == 2 && v->priority == w->priority && v->stamp > w->stamp);
            if (!uses || !may) continue;
            if (v->reserved == d->w->now) {
                d->k->held_back = true;
                continue;
            }
            out[n++] = (struct candidate){ .u = all[i], .rank = rank, .lca = lca };
        }
    }
    return n;
}

static int collect_below(struct deciding *d, const struct demand *q, int cohort, int lca, int skip, int rank,
                         struct candidate *out, int n)
{
    for (int c = 0; c < n_pools(d); c++) {
        if (d->p->pool[c].parent != cohort || c == skip || c == q->queue || is_within(d, c, q)) continue;
        n = c < d->p->n_cohorts ? collect_below(d, q, c, lca, skip, rank, out, n) : collect(d, q, c, lca, rank, out, n);
    }
    return n;
}

static void sort(const struct deciding *d, struct candidate *c, int n)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0; k--) {
            const struct workload *a = of(d, c[k].u), *b = of(d, c[k - 1].u);
            int64_t by = c[k].rank - c[k - 1].rank;
            if (by == 0) by = (int64_t)a->priority - b->priority;
            if (by == 0) by = b->reserved - a->reserved;
            if (by == 0) by = c[k].u.job - c[k - 1].u.job;
            if (by == 0) by = c[k].u.task - c[k - 1].u.task;
            if (by >= 0) break;
            struct candidate x = c[k];
            c[k] = c[k - 1];
            c[k - 1] = x;
        }
}

/* Those whose going was in vain stay; nobody is out afterwards. */
static int settle(struct deciding *d, const struct demand *q, struct ref_unit *go, int n, bool borrowing)
{
    for (int i = n - 2; i >= 0; i--) {
        of(d, go[i])->out = false;
        if (demand_fits(d, q, borrowing)) go[i] = go[--n];
        else of(d, go[i])->out = true;
    }
    for (int i = 0; i < n; i++) of(d, go[i])->out = false;
    return n;
}

static int attempt(struct deciding *d, const struct demand *q, const struct candidate *c, int n, bool borrowing,
                   struct ref_unit *go)
{
    const struct ref_kq_queue *p = queue_of(d, q->queue);
    int n_go = 0;
    for (int i = 0; i < n; i++) {
        const int prio = of(d, c[i].u)->priority;
        bool may_borrow = c[i].rank != 1 ||
                          (p->borrows && prio < of(d, q->u)->priority && (p->threshold == 99 || prio <= p->threshold));
        bool valid = c[i].rank == 2 || !borrowing || may_borrow;
        for (int at = of(d, c[i].u)->queue; c[i].rank < 2 && valid && at != c[i].lca; at = d->p->pool[at].parent)
            valid = !is_within(d, at, q);
        if (!valid) continue;
        of(d, c[i].u)->out = true;
        go[n_go++] = c[i].u;
        if (demand_fits(d, q, borrowing)) return settle(d, q, go, n_go, borrowing);
    }
    for (int i = 0; i < n_go; i++) of(d, go[i])->out = false;
    return 0;
}

static int find_classical(struct deciding *d, const struct demand *q, struct ref_unit *go)
{
    static struct candidate c[ALL];
    const struct ref_kq_queue *p = queue_of(d, q->queue);
    int n = 0, n_above = 0, skip = -1;
    int64_t rest[FLAVORS][RES];
    memcpy(rest, q->n, sizeof rest);
    bool above = false, under = true;
    for (int at = q->queue; at >= 0 && p->reclaim > 0; at = d->p->pool[at].parent) {
        if (at != q->queue) {
            int had = n;
            n = collect_below(d, q, at, at, skip, above ? 0 : 1, c, n);
            if (above) n_above += n - had;
            skip = at;
        }
        bool fits = true;
        for (int f = 0; f < d->p->n_flavors; f++)
            for (int r = 0; r < RES; r++) {
                if (q->n[f][r] == 0) continue;
                if (borrows(d, at, f, r, rest[f][r])) fits = false;
                rest[f][r] = most(0, rest[f][r] - local(d, at, f, r));
            }
        above = above || fits;
    }
    const int n_others = n;
    n = collect(d, q, q->queue, -1, 2, c, n);
    sort(d, c, n);
    for (int f = 0; f < d->p->n_flavors; f++)
        for (int r = 0; r < RES; r++)
            if (q->need[f][r] && used(d, q->queue, f, r) >= nominal(d, q->queue, f, r)) under = false;
    bool way[2] = { true, false };
    int n_ways = 2;
    if (n_others == 0 || (!p->borrows && !under)) n_ways = 1;
    else if (!p->borrows && n_above == 0) {
        way[0] = false;
        way[1] = true;
    }
    for (int i = 0; i < n_ways; i++) {
        int n_go = attempt(d, q, c, n, way[i], go);
        if (n_go > 0) return n_go;
    }
    return 0;
}

/* ---- fair sharing ---- */

static bool is_over(const struct deciding *d, int cohort, int queue)
{
    for (int at = d->p->pool[queue].parent; at >= 0; at = d->p->pool[at].parent)
        if (at == cohort) return true;
    return false;
}

static struct candidate *next_of(const struct deciding *d, struct candidate *c, int n, int queue)
{
    for (int i = 0; i < n; i++)
        if (!c[i].gone && of(d, c[i].u)->queue == queue) return &c[i];
    return NULL;
}

/* The queue to take of next; -1: none. */
static int next_target(const struct deciding *d, const struct demand *q, struct candidate *c, int n, bool pruned[POOLS])
{
    if (d->p->pool[q->queue].parent < 0) return next_of(d, c, n, q->queue) != NULL ? q->queue : -1;
    const int root = root_of(d, q->queue);
    int at = root;
    while (!pruned[root]) {
        int queue = -1, below = -1;
        for (int x = 0; x < n_pools(d); x++) {
            if (d->p->pool[x].parent != at || pruned[x]) continue;
            const bool is_queue = x >= d->p->n_cohorts;
            const int64_t s = share(d, x);
            if (is_queue ? (s == 0 && x != q->queue) || next_of(d, c, n, x) == NULL
                         : s == 0 && !is_over(d, x, q->queue)) {
                pruned[x] = true;
                continue;
            }
            int *best = is_queue ? &queue : &below;
            if (*best < 0 || s >= share(d, *best)) *best = x;
        }
        if (queue < 0 && below < 0) {
            pruned[at] = true;
            at = root;
            continue;
        }
        if (below >= 0 && (queue < 0 || share(d, below) >= share(d, queue))) at = below;
        else return queue;
    }
    return -1;
}

static int find_fair(struct deciding *d, const struct demand *q, struct ref_unit *go)
{
    static struct candidate c[ALL], left[ALL];
    bool pruned[POOLS] = { false }, fits = false;
    int n = collect(d, q, q->queue, -1, 1, c, 0), n_go = 0, n_left = 0, queue;
    for (int x = d->p->n_cohorts; x < n_pools(d) && d->p->pool[q->queue].parent >= 0; x++)
        if (x != q->queue && root_of(d, x) == root_of(d, q->queue) && !is_within(d, x, q))
            n = collect(d, q, x, -1, 0, c, n);
    sort(d, c, n);
    int64_t(*extra)[RES] = d->k->extra[q->queue];
    for (int round = 0; round < 2 && !fits; round++) {
        if (round == 1 && !d->p->initial_too) break;
        if (round == 1) {
            memcpy(c, left, sizeof left);
            n = n_left;
            memset(pruned, 0, sizeof pruned);
        }
        for (;;) {
            struct candidate *v = NULL;
            for (int f = 0; f < FLAVORS; f++)
                for (int r = 0; r < RES; r++) extra[f][r] += q->n[f][r];
            queue = fits ? -1 : next_target(d, q, c, n, pruned);
            int own = q->queue, other = queue;
            if (queue >= 0 && queue != q->queue) {
                while (!is_over(d, d->p->pool[other].parent, q->queue)) other = d->p->pool[other].parent;
                while (d->p->pool[own].parent != d->p->pool[other].parent) own = d->p->pool[own].parent;
            }
            if (queue == q->queue) {
                v = next_of(d, c, n, queue);
            } else if (queue >= 0) {
                const int64_t with = share(d, own), was = share(d, other);
                const bool initial = round == 1 || d->p->initial_first;
                while ((v = next_of(d, c, n, queue)) != NULL) {
                    of(d, v->u)->out = true;
                    const int64_t now = share(d, other);
                    of(d, v->u)->out = false;
                    if (initial ? with < was : with <= now) break;
                    if (round == 1) {
                        v = NULL;
                        break;
                    }
                    v->gone = true;
                    left[n_left] = *v;
                    left[n_left++].gone = false;
                }
                if (round == 1) pruned[queue] = true;
            }
            for (int f = 0; f < FLAVORS; f++)
                for (int r = 0; r < RES; r++) extra[f][r] -= q->n[f][r];
            if (queue < 0) break;
            if (v == NULL) continue;
            v->gone = true;
            of(d, v->u)->out = true;
            go[n_go++] = v->u;
            fits = demand_fits(d, q, true);
        }
    }
    if (fits) return settle(d, q, go, n_go, true);
    for (int i = 0; i < n_go; i++) of(d, go[i])->out = false;
    return 0;
}

static int find(struct deciding *d, const struct demand *q, struct ref_unit *go)
{
    return d->p->fair ? find_fair(d, q, go) : find_classical(d, q, go);
}

/* ---- flavors ---- */

struct grade {
    enum fit fit;
    bool borrows;
    int height;
};

static bool is_better(struct grade a, struct grade b)
{
    if (a.fit == NO_FIT || b.fit == NO_FIT) return a.fit != NO_FIT;
    return a.fit != b.fit ? a.fit > b.fit : !a.borrows && b.borrows;
}

static struct grade look(struct deciding *d, struct ref_unit u, int f, int r, int64_t n)
{
    const int queue = of(d, u)->queue;
    const struct ref_kq_queue *p = queue_of(d, queue);
    struct grade g = { NO_FIT, false, 0 };
    struct ref_unit go[ALL];
    bool below;
    if (n > potential(d, queue, f, r)) return g;
    g.height = borrow_height(d, queue, f, r, n, &below);
    g.borrows = g.height > 0;
    if (n <= available(d, queue, f, r)) {
        g.fit = FIT;
        return g;
    }
    if (n > nominal(d, queue, f, r) && !below && !p->borrows && !(d->p->fair && p->reclaim > 0)) return g;
    struct demand q = { .u = u, .queue = queue };
    q.n[f][r] = n;
    q.need[f][r] = true;
    int n_go = find(d, &q, go);
    g.fit = n_go > 0 ? RECLAIM : NO_CANDIDATES;
    for (int i = 0; i < n_go; i++) {
        of(d, go[i])->out = true;
        if (of(d, go[i])->queue == queue) g.fit = PREEMPT;
    }
    g.height = borrow_height(d, queue, f, r, n, &below);
    for (int i = 0; i < n_go; i++) of(d, go[i])->out = false;
    g.borrows = g.height > 0;
    return g;
}

static bool suits(const struct deciding *d, const struct shape *s, int f)
{
    for (int n = 0; n < d->w->c->n_nodes; n++) {
        const struct ref_node *o = &d->w->c->node[n];
        if (flavor_has(d, f, n) && (o->labels & s->need_all) == s->need_all &&
            (s->need_any == 0 || (o->labels & s->need_any) != 0) &&
            (s->n_gpu == 0 || s->gpu_types == 0 || (o->type >= 0 && (s->gpu_types >> o->type & 1) != 0)))
            return true;
    }
    return false;
}

static int64_t ask(const struct deciding *d, struct ref_unit u, int set, int r)
{
    int64_t n = 0;
    for (int k = 0; k < ref_unit_size(d->w, u); k++) {
        const struct shape *s = &d->w->job[u.job].task[u.task + k].shape;
        const int64_t of_one[RES] = { s->cpu_milli, d->p->no_memory ? 0 : s->mem_b, (int64_t)s->n_gpu * s->gpu_milli,
                                      1 };
        if (set_of(d, u, k) == set) n += of_one[r];
    }
    return n;
}

static int n_sets(const struct deciding *d, struct ref_unit u)
{
    int n = 0;
    for (int k = 0; k < ref_unit_size(d->w, u); k++) n = (int)most(n, set_of(d, u, k) + 1);
    return n;
}

/* A flavor for one group of one set; -1: none. */
static int choose(struct deciding *d, struct ref_unit u, int set, int g, int from, int *tried, struct grade *of_res)
{
    const struct ref_kq_queue *p = queue_of(d, of(d, u)->queue);
    int best = -1, last = from, i = from;
    struct grade so_far = { NO_FIT, true, 0 };
    const struct shape *shape = NULL;
    for (int k = 0; shape == NULL; k++)
        if (set_of(d, u, k) == set) shape = &d->w->job[u.job].task[u.task + k].shape;
    for (bool stop = false; i < p->n_flavors[g] && !stop; i++) {
        const int f = p->flavor[g][i];
        struct grade worst = { FIT, false, 0 }, now[RES] = { { NO_FIT, false, 0 } };
        last = i;
        if (!suits(d, shape, f)) continue;
        for (int r = 0; r < RES && worst.fit != NO_FIT; r++) {
            if ((p->covered[g] >> r & 1) == 0 || ask(d, u, set, r) == 0) continue;
            now[r] = look(d, u, f, r, ask(d, u, set, r) + of(d, u)->use[f][r]);
            const int h = (int)most(worst.height, now[r].height);
            if (is_better(worst, now[r])) worst = now[r];
            worst.height = h;
        }
        const bool well = !worst.borrows || !p->next_if_borrow;
        stop = well && (worst.fit == FIT || ((worst.fit == PREEMPT || worst.fit == RECLAIM) && !p->next_if_preempt));
        if (!stop && !is_better(worst, so_far)) continue;
        best = f;
        so_far = worst;
        for (int r = 0; r < RES; r++) {
            of_res[r] = now[r];
            of_res[r].height = worst.height;
        }
    }
    *tried = best < 0 || last + 1 >= p->n_flavors[g] ? -1 : last;
    return best;
}

static void assign(struct deciding *d, struct ref_unit u, struct entry *e)
{
    struct workload *x = of(d, u);
    const struct ref_kq_queue *p = queue_of(d, x->queue);
    const bool keeps = x->tried_at == d->k->generation[x->queue];
    int old[REF_TASKS][RES];
    memcpy(old, x->tried, sizeof old);
    memset(x->use, 0, sizeof x->use);
    memset(e, 0, sizeof *e);
    e->u = u;
    e->queue = x->queue;
    e->possible = e->fits = true;
    x->tried_at = d->k->generation[x->queue];
    for (int s = 0; s < REF_TASKS; s++)
        for (int r = 0; r < RES; r++) x->tried[s][r] = -1;
    for (int s = 0; s < n_sets(d, u); s++) {
        int flavor[RES] = { -1, -1, -1, -1 }, tried[RES] = { -1, -1, -1, -1 };
        struct grade grade[RES];
        for (int r = 0; r < RES; r++) {
            int g = 0;
            struct grade of_res[RES];
            if (ask(d, u, s, r) == 0 || flavor[r] >= 0) continue;
            while (g < p->n_groups && (p->covered[g] >> r & 1) == 0) g++;
            if (g == p->n_groups && r == PODS) continue;
            int t = -1, f = g == p->n_groups ? -1 : choose(d, u, s, g, keeps ? old[s][r] + 1 : 0, &t, of_res);
            if (f < 0) {
                e->possible = e->fits = false;
                return;
            }
            for (int o = r; o < RES; o++)
                if ((p->covered[g] >> o & 1) != 0 && ask(d, u, s, o) > 0) {
                    flavor[o] = f;
                    tried[o] = t;
                    grade[o] = of_res[o];
                }
        }
        for (int r = 0; r < RES; r++) {
            x->flavor[s][r] = flavor[r];
            x->tried[s][r] = tried[r];
            if (flavor[r] < 0) continue;
            x->use[flavor[r]][r] += ask(d, u, s, r);
            e->height = (int)most(e->height, grade[r].height);
            if (grade[r].fit != FIT) {
                e->fits = false;
                e->need[flavor[r]][r] = true;
            }
        }
    }
}

/* ---- the cycle ---- */

static void add_extra(struct deciding *d, struct ref_unit u, int sign)
{
    for (int f = 0; f < FLAVORS; f++)
        for (int r = 0; r < RES; r++) d->k->extra[of(d, u)->queue][f][r] += sign * of(d, u)->use[f][r];
}

static bool turn_before(struct deciding *d, const struct entry *a, const struct entry *b, int cohort)
{
    const struct entry *x[2] = { a, b };
    int64_t s[2];
    for (int i = 0; i < 2; i++) {
        int child = x[i]->queue;
        while (d->p->pool[child].parent != cohort) child = d->p->pool[child].parent;
        add_extra(d, x[i]->u, +1);
        s[i] = share(d, child);
        add_extra(d, x[i]->u, -1);
    }
    if (s[0] != s[1]) return s[0] < s[1];
    if (of(d, a->u)->priority != of(d, b->u)->priority) return of(d, a->u)->priority > of(d, b->u)->priority;
    return of(d, a->u)->stamp < of(d, b->u)->stamp;
}

static struct entry *tournament(struct deciding *d, struct entry *e, const bool *in, int cohort)
{
    struct entry *best = NULL;
    for (int c = 0; c < n_pools(d); c++) {
        if (d->p->pool[c].parent != cohort) continue;
        struct entry *x = c < d->p->n_cohorts ? tournament(d, e, in, c) : in[c] ? &e[c] : NULL;
        if (x != NULL && (best == NULL || turn_before(d, x, best, cohort))) best = x;
    }
    return best;
}

static struct entry *next_entry(struct deciding *d, struct entry *e, const bool *in)
{
    struct entry *best = NULL;
    for (int q = d->p->n_cohorts; q < n_pools(d); q++) {
        if (!in[q]) continue;
        if (d->p->fair) return d->p->pool[q].parent < 0 ? &e[q] : tournament(d, e, in, root_of(d, q));
        if (best == NULL || e[q].height < best->height || (e[q].height == best->height && before(d, e[q].u, best->u)))
            best = &e[q];
    }
    return best;
}

static bool has_left(const struct deciding *d, struct ref_unit u)
{
    for (int s = 0; s < REF_TASKS; s++)
        for (int r = 0; r < RES; r++)
            if (of(d, u)->tried[s][r] != -1) return true;
    return false;
}

/* 0: nothing happened; 1: only flavors are left; 2: something did. */
static int cycle(struct deciding *d)
{
    static struct entry e[POOLS];
    static struct ref_unit victim[ALL];
    bool in[POOLS] = { false };
    int result = 0, n_victims = 0;
    for (int q = d->p->n_cohorts; q < n_pools(d); q++) {
        struct ref_unit head;
        if (!head_of(d, q, &head)) continue;
        in[q] = true;
        assign(d, head, &e[q]);
        if (!e[q].possible || e[q].fits) continue;
        struct demand dem = { .u = head, .queue = q };
        memcpy(dem.n, of(d, head)->use, sizeof dem.n);
        memcpy(dem.need, e[q].need, sizeof dem.need);
        e[q].n_go = find(d, &dem, e[q].go);
    }
    for (struct entry *x; (x = next_entry(d, e, in)) != NULL;) {
        const struct ref_kq_queue *p = queue_of(d, x->queue);
        struct workload *w = of(d, x->u);
        in[x->queue] = false;
        if (!x->possible || (!x->fits && x->n_go == 0)) {
            for (int f = 0; f < d->p->n_flavors && x->possible && p->reclaim != 2; f++)
                for (int r = 0; r < RES; r++) {
                    const int64_t limit = d->p->pool[x->queue].quota[f][r].borrow;
                    int64_t rest = nominal(d, x->queue, f, r) - used(d, x->queue, f, r), n = w->use[f][r];
                    if (x->height > 0) rest = limit < 0 ? n : rest + limit;
                    if (n > 0) d->k->extra[x->queue][f][r] += most(0, least(n, rest));
                }
            if (has_left(d, x->u)) {
                if (result == 0) result = 1;
            } else if (!p->strict) {
                leave(d, x->u);
                d->k->parked[d->k->n_parked].queue = x->queue;
                d->k->parked[d->k->n_parked].priority = w->priority;
                d->k->parked[d->k->n_parked++].like = x->u;
                result = 2;
            }
            continue;
        }
        bool overlaps = false, fits = true;
        for (int i = 0; i < x->n_go; i++)
            for (int v = 0; v < n_victims; v++) overlaps = overlaps || is_same(x->go[i], victim[v]);
        for (int v = 0; v < n_victims; v++) of(d, victim[v])->out = true;
        for (int i = 0; i < x->n_go; i++) of(d, x->go[i])->out = true;
        for (int f = 0; f < d->p->n_flavors; f++)
            for (int r = 0; r < RES; r++)
                fits = fits && (w->use[f][r] == 0 || w->use[f][r] <= available(d, x->queue, f, r));
        for (int v = 0; v < n_victims; v++) of(d, victim[v])->out = false;
        for (int i = 0; i < x->n_go; i++) of(d, x->go[i])->out = false;
        if (overlaps || !fits) {
            w->tried_at = 0;
        } else if (!x->fits) {
            for (int i = 0; i < x->n_go; i++) victim[n_victims++] = x->go[i];
            add_extra(d, x->u, +1);
            w->tried_at = 0;
            if (!p->strict) d->k->sticky[x->queue] = x->u;
            result = 2;
        } else {
            struct ref_unit all[ALL];
            if (d->p->waits && d->p->blocks && units(d, ADMITTED, -1, all) > 0) break;
            leave(d, x->u);
            w->where = ADMITTED;
            w->reserved = d->w->now;
            w->until = d->p->waits ? d->w->now + d->p->timeout : TICK_NEVER;
            w->tried_at = 0;
            (void)try_pods(d, x->u);
            result = 2;
        }
    }
    memset(d->k->extra, 0, sizeof d->k->extra);
    for (int v = 0; v < n_victims; v++) {
        const bool ran = of(d, victim[v])->where == RUNS;
        release(d, victim[v], ran ? EVICTED : WAITS);
        if (!ran) continue;
        for (int k = 0; k < ref_unit_size(d->w, victim[v]); k++)
            ref_give(d->w->c, &d->l, victim[v].job, victim[v].task + k);
        d->out->d[d->out->n++] = (struct ref_decision){ .what = REF_DO_PREEMPT, .u = victim[v] };
    }
    if (n_victims > 0) try_pending(d);
    return result;
}

/* ---- in step with what happened ---- */

static void look_around(struct deciding *d)
{
    for (int j = 0; j < d->w->n_arrived; j++)
        for (int t = 0; t < (d->w->job[j].gang ? 1 : d->w->job[j].n); t++) {
            const struct ref_unit u = { .job = j, .task = t };
            const enum ref_state s = d->w->live[j][t].state;
            struct workload *x = of(d, u);
            if (x->where == RUNS && s == REF_DONE) release(d, u, NOWHERE);
            if (s != REF_WAITING) continue;
            if (x->where == RUNS) {
                x->where = ADMITTED;
                x->until = d->p->waits && d->p->recovery >= 0 ? d->w->now + d->p->recovery : TICK_NEVER;
            } else if (x->where == EVICTED) {
                x->where = WAITS;
            } else if (x->where == NOWHERE) {
                const int user = d->w->job[j].user;
                *x = (struct workload){ .where = WAITS,
                                        .priority = d->w->job[j].priority,
                                        .stamp = d->w->job[j].submit };
                x->queue = d->p->n_cohorts + (user < d->p->n_queues ? user : 0);
                if (user >= d->p->n_queues && !d->p->otherwise) x->where = STRANDED;
            }
        }
}

static void pass_time(struct deciding *d)
{
    struct ref_unit all[ALL];
    for (int i = 0, n = units(d, ADMITTED, -1, all); i < n; i++) {
        struct workload *x = of(d, all[i]);
        if (x->until > d->w->now) continue;
        release(d, all[i], BACKS_OFF);
        x->evictions++;
        if (d->p->by_eviction) x->stamp = d->w->now;
        if (x->evictions > d->p->most) {
            x->where = STRANDED;
            continue;
        }
        int64_t wait = d->p->base;
        for (int k = 1; k < x->evictions; k++) wait = least(2 * wait, d->p->longest);
        x->until = d->w->now + least(wait, d->p->longest) * 1000000;
    }
    for (int i = 0, n = units(d, BACKS_OFF, -1, all); i < n; i++)
        if (of(d, all[i])->until <= d->w->now) of(d, all[i])->where = WAITS;
    if (!d->k->held_back || d->k->woken_at > d->w->now) return;
    d->k->held_back = false;
    unpark(d, -1);
}

static void ask_to_be_woken(struct deciding *d)
{
    struct ref_unit all[ALL];
    sim_tick at = d->k->held_back ? d->w->now + 1 : TICK_NEVER;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0, n = units(d, pass ? BACKS_OFF : ADMITTED, -1, all); i < n; i++)
            at = least(at, of(d, all[i])->until);
    d->k->asks = TICK_NEVER;
    if (at == TICK_NEVER || (d->k->woken_at > d->w->now && d->k->woken_at <= at)) return;
    d->k->woken_at = d->k->asks = at;
}

void ref_kq_decide(struct ref_world *w, struct ref_plan *out)
{
    struct deciding d = { .w = w, .k = w->kq, .p = &w->c->policy.kq, .l = w->ledger, .out = out };
    look_around(&d);
    try_pending(&d);
    pass_time(&d);
    for (int idle = 0, what; idle <= d.p->n_flavors && (what = cycle(&d)) != 0;) idle = what == 2 ? 0 : idle + 1;
    ask_to_be_woken(&d);
}

/* refkueue_room.c -- of refkueue.c: quotas, what is used of them, and who makes room for whom. */
#include <stdlib.h>
#include <string.h>

#include "ref/refkueue_priv.h"

__extension__ typedef __int128 wide;

/* ---- quotas ---- */

int64_t ref_kq_nominal(const struct deciding *d, int pool, int f, int r)
{
    return most(0, d->p->pool[pool].quota[f][r].nominal);
}

static int64_t guaranteed(const struct deciding *d, int pool, int f, int r);

static int64_t subtree(const struct deciding *d, int pool, int f, int r)
{
    int64_t n = ref_kq_nominal(d, pool, f, r);
    for (int c = 0; c < n_pools(d); c++)
        if (d->p->pool[c].parent == pool) n += subtree(d, c, f, r) - guaranteed(d, c, f, r);
    return n;
}

static int64_t guaranteed(const struct deciding *d, int pool, int f, int r)
{
    int64_t lend = d->p->pool[pool].quota[f][r].lend;
    return lend < 0 ? 0 : most(0, subtree(d, pool, f, r) - lend);
}

int64_t ref_kq_used(const struct deciding *d, int pool, int f, int r)
{
    int64_t n = d->k->extra[pool][f][r];
    for (int c = 0; c < n_pools(d); c++)
        if (d->p->pool[c].parent == pool) n += most(0, ref_kq_used(d, c, f, r) - guaranteed(d, c, f, r));
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
    return most(0, guaranteed(d, pool, f, r) - ref_kq_used(d, pool, f, r));
}

static int64_t free_of(const struct deciding *d, int pool, int f, int r)
{
    const int parent = d->p->pool[pool].parent;
    const int64_t limit = d->p->pool[pool].quota[f][r].borrow;
    if (parent < 0) return subtree(d, pool, f, r) - ref_kq_used(d, pool, f, r);
    int64_t above = free_of(d, parent, f, r);
    if (limit >= 0) {
        int64_t lent = subtree(d, pool, f, r) - guaranteed(d, pool, f, r);
        above = least(above, lent + limit - most(0, ref_kq_used(d, pool, f, r) - guaranteed(d, pool, f, r)));
    }
    return local(d, pool, f, r) + above;
}
int64_t ref_kq_available(const struct deciding *d, int pool, int f, int r) { return most(0, free_of(d, pool, f, r)); }

int64_t ref_kq_potential(const struct deciding *d, int pool, int f, int r)
{
    const int parent = d->p->pool[pool].parent;
    const int64_t limit = d->p->pool[pool].quota[f][r].borrow, all = subtree(d, pool, f, r);
    if (parent < 0) return all;
    int64_t n = guaranteed(d, pool, f, r) + ref_kq_potential(d, parent, f, r);
    return limit < 0 ? n : least(n, all + limit);
}

static bool borrows(const struct deciding *d, int pool, int f, int r, int64_t n)
{
    return ref_kq_used(d, pool, f, r) + n > subtree(d, pool, f, r);
}

static int height_of(const struct deciding *d, int pool)
{
    int h = 0;
    for (int c = 0; c < n_pools(d); c++)
        if (d->p->pool[c].parent == pool) h = (int)most(h, 1 + (c < d->p->n_cohorts ? height_of(d, c) : 0));
    return h;
}

int ref_kq_root_of(const struct deciding *d, int pool)
{
    while (d->p->pool[pool].parent >= 0) pool = d->p->pool[pool].parent;
    return pool;
}

int ref_kq_borrow_height(const struct deciding *d, int queue, int f, int r, int64_t n, bool *below)
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
    return height_of(d, ref_kq_root_of(d, queue));
}

int64_t ref_kq_share(const struct deciding *d, int pool)
{
    const int parent = d->p->pool[pool].parent;
    int64_t part = 0;
    bool any = false;
    if (parent < 0) return 0;
    for (int r = 0; r < RES; r++) {
        int64_t takes = 0, could = 0;
        for (int f = 0; f < d->p->n_flavors; f++) {
            takes += most(0, ref_kq_used(d, pool, f, r) - subtree(d, pool, f, r));
            could += ref_kq_potential(d, parent, f, r);
        }
        any = any || takes > 0;
        if (takes > 0 && could > 0) part = most(part, (int64_t)((wide)takes * 1000 / could));
    }
    if (!any) return 0;
    return d->p->pool[pool].weight == 0 ? INT64_MAX : part * 1000 / d->p->pool[pool].weight;
}

/* ---- preemption ---- */

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
            if (q->n[f][r] > ref_kq_available(d, q->queue, f, r)) return false;
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
            if (q->need[f][r] && ref_kq_used(d, q->queue, f, r) >= ref_kq_nominal(d, q->queue, f, r)) under = false;
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
    const int root = ref_kq_root_of(d, q->queue);
    int at = root;
    while (!pruned[root]) {
        int queue = -1, below = -1;
        for (int x = 0; x < n_pools(d); x++) {
            if (d->p->pool[x].parent != at || pruned[x]) continue;
            const bool is_queue = x >= d->p->n_cohorts;
            const int64_t s = ref_kq_share(d, x);
            if (is_queue ? (s == 0 && x != q->queue) || next_of(d, c, n, x) == NULL
                         : s == 0 && !is_over(d, x, q->queue)) {
                pruned[x] = true;
                continue;
            }
            int *best = is_queue ? &queue : &below;
            if (*best < 0 || s >= ref_kq_share(d, *best)) *best = x;
        }
        if (queue < 0 && below < 0) {
            pruned[at] = true;
            at = root;
            continue;
        }
        if (below >= 0 && (queue < 0 || ref_kq_share(d, below) >= ref_kq_share(d, queue))) at = below;
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
        if (x != q->queue && ref_kq_root_of(d, x) == ref_kq_root_of(d, q->queue) && !is_within(d, x, q))
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
                const int64_t with = ref_kq_share(d, own), was = ref_kq_share(d, other);
                const bool initial = round == 1 || d->p->initial_first;
                while ((v = next_of(d, c, n, queue)) != NULL) {
                    of(d, v->u)->out = true;
                    const int64_t now = ref_kq_share(d, other);
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

int ref_kq_room_for(struct deciding *d, const struct demand *q, struct ref_unit *go)
{
    return d->p->fair ? find_fair(d, q, go) : find_classical(d, q, go);
}

/*
 * auction.c -- an auction that finds good prices when one price for each GPU class would
 * leave many sites overfull and as many places empty.
 *
 * Jobs bid for places, one task at a time: the cheapest (waiting task, site) under the
 * present prices gets a place of the site, and the site's lowest bidder gives way if it is
 * full.  The bid is the price at which the job would be no worse off than with its next
 * best site, or without the task, plus epsilon.  A site's price is its lowest bid, or the
 * price it began with while it has empty places.
 * Afterwards no task gains more than epsilon by another site, so the repairs that remain
 * (search.c) are short.  A second round runs with a smaller epsilon; a small one from the
 * start would creep where many tasks are alike.
 *
 * Prices only rise within a round, so what was cheapest is a lower bound.  Aggregators
 * keep their sites, and jobs their arcs, in heaps ordered by such bounds, of which only
 * the top is made exact.
 *
 * Cost: O(log) a bid for each of these heaps.
 * Source: Bertsekas & Castanon, The auction algorithm for the transportation problem,
 * Annals of Operations Research 20 (1989).
 */
#include "lib/heap.h"
#include "lib/flow/state.h"

struct offer { int64_t bound; uint32_t id; };       /* a site of an aggregator; an arc of a job */

struct auction {
    struct assign *s;
    struct offer *site;                 /* parallel to live.of_agg: a heap for each aggregator */
    struct offer *arc;                  /* parallel to live.arc: a heap for each job */
    uint32_t *next;                     /* [n_arcs] the arc's next task, unless it is placed already */
    bool     *is_placed;                /* [n_tasks] */
    int64_t  *bid;                      /* [n_tasks] of placed ones */
    /* [n_jobs] a heap of the job's tasks that lost their place. */
    struct back { struct offer *at; size_t cap; uint32_t n; } *back;
    uint32_t *queue, head, n_queue;     /* [n_jobs] jobs that may bid, a ring */
    bool     *is_queued;                /* [n_jobs] */
    int64_t  eps, most;                 /* most: what a task within a job's share is worth here, in place of M */
    int64_t  beyond;                    /* higher prices mean that jobs want a GPU class for their shares */
    uint64_t left;                      /* of the round: bids, and what large sites cost them */
};

/* ---- the cheapest site of an aggregator ---- */

#define LOWER(c, x, y) ((x)->bound < (y)->bound)
HEAP(offers, int, struct offer, LOWER);

struct seek { uint32_t task, not; int64_t cost, price; uint32_t site; };     /* task NONE: any */

/* Among sites below the i-th of the heap, the cheapest other than `not` that the task may use at this cost. */
static void seek_site(struct auction *a, struct offer *h, uint32_t n, uint32_t i, struct seek *x)
{
    const struct assign *s = a->s;
    while (h[i].bound < s->site[h[i].id].pi) {
        h[i].bound = s->site[h[i].id].pi;
        offers_sink(0, h, n, i);
    }
    uint32_t c = h[i].id;
    if (h[i].bound >= x->price) return;
    if (c != x->not && (x->task == NONE || place_may(s, &s->task[x->task], x->cost, c))) {
        x->price = h[i].bound;
        x->site = c;
        return;
    }
    if (2 * i + 1 < n) seek_site(a, h, n, 2 * i + 1, x);
    if (2 * i + 2 < n) seek_site(a, h, n, 2 * i + 2, x);
}

/* What the arc's next task would pay on its cheapest site other than `not`; `most` bounds the search. */
static int64_t arc_value(struct auction *a, uint32_t at, uint32_t not, int64_t most, uint32_t *site)
{
    struct assign *s = a->s;
    const struct arc *r = &s->live.arc[at];
    if (r->cost == FAR_AWAY) return FAR_AWAY;
    const struct agg *v = &s->index.agg[r->agg];
    struct seek x = { s->count.odd > 0 && s->task[a->next[at]].is_odd ? a->next[at] : NONE, not, r->cost, most - r->cost, NONE };
    seek_site(a, a->site + v->begin, v->end - v->begin, 0, &x);
    *site = x.site;
    return x.site == NONE ? FAR_AWAY : r->cost + x.price;
}

/* ---- the best arc of a job ---- */

/* Make the i-th of the job's heap exact among those below it; its value, and the site. */
static int64_t arc_exact(struct auction *a, const struct job *j, uint32_t i, uint32_t *site)
{
    for (;;) {
        struct offer *x = &a->arc[j->arc0 + i];
        if (x->bound >= FAR_AWAY) return FAR_AWAY;
        int64_t val = arc_value(a, x->id, NONE, FAR_AWAY, site);
        if (val <= x->bound) {
            if (!a->is_placed[a->next[x->id]]) return val;
            const struct item *it = index_head(a->s, &a->s->index.bucket[a->s->live.arc[x->id].bucket]);
            if (it != NULL) a->next[x->id] = it->task;
            val = it == NULL ? FAR_AWAY : arc_value(a, x->id, NONE, FAR_AWAY, site);
        }
        x->bound = val;
        offers_sink(0, a->arc + j->arc0, j->arc1 - j->arc0, i);
    }
}

/* The job's best value on any site but `not`, if less than `best`. */
static int64_t arc_second(struct auction *a, const struct job *j, uint32_t i, uint32_t not, int64_t best)
{
    uint32_t site;
    if (i >= j->arc1 - j->arc0 || a->arc[j->arc0 + i].bound >= best) return best;
    int64_t val = arc_exact(a, j, i, &site);
    if (val >= best) return best;
    if (site != not) return val;
    val = arc_value(a, a->arc[j->arc0 + i].id, not, best, &site);
    if (val < best) best = val;
    best = arc_second(a, j, 2 * i + 1, not, best);
    return arc_second(a, j, 2 * i + 2, not, best);
}

/* ---- tasks that lost their place ---- */

static int64_t task_value(struct auction *a, uint32_t id, uint32_t not, int64_t most, uint32_t *site)
{
    const struct assign *s = a->s;
    const struct task *t = &s->task[id];
    const struct entry *e = entries(s, t);
    for (uint32_t k = 0; k < t->n_entry; k++) {
        const struct agg *v = &s->index.agg[e[k].agg];
        if (v->end == v->begin) continue;
        struct seek x = { t->is_odd ? id : NONE, not, e[k].cost, most - e[k].cost, NONE };
        seek_site(a, a->site + v->begin, v->end - v->begin, 0, &x);
        if (x.site == NONE) continue;
        most = e[k].cost + x.price;
        *site = x.site;
    }
    return most;
}

static void back_remove(struct back *b, uint32_t i)
{
    b->at[i] = b->at[--b->n];
    if (i < b->n) offers_sink(0, b->at, b->n, i);
}

/* As arc_exact; tasks that have a place again are dropped from the heap. */
static int64_t back_exact(struct auction *a, struct back *b, uint32_t i, uint32_t *site)
{
    while (i < b->n) {
        struct offer *x = &b->at[i];
        if (a->is_placed[x->id]) { back_remove(b, i); continue; }
        int64_t val = task_value(a, x->id, NONE, FAR_AWAY, site);
        if (val <= x->bound) return val;
        x->bound = val;
        offers_sink(0, b->at, b->n, i);
    }
    return FAR_AWAY;
}

static int64_t back_second(struct auction *a, struct back *b, uint32_t i, uint32_t not, int64_t best)
{
    uint32_t site;
    if (i >= b->n || b->at[i].bound >= best) return best;
    int64_t val = back_exact(a, b, i, &site);
    if (val >= best) return best;
    if (site != not) return val;
    val = task_value(a, b->at[i].id, not, best, &site);
    if (val < best) best = val;
    best = back_second(a, b, 2 * i + 1, not, best);
    return back_second(a, b, 2 * i + 2, not, best);
}

/* ---- bids ---- */

static void enqueue(struct auction *a, uint32_t job)
{
    if (a->is_queued[job]) return;
    a->is_queued[job] = true;
    a->queue[(a->head + a->n_queue++) % (uint32_t)a->s->n_jobs] = job;
}

static void leave(struct auction *a, uint32_t id)
{
    const struct task *t = &a->s->task[id];
    struct back *b = &a->back[t->job];
    FLOW_RESERVE(b->at, b->cap, b->n + 1u);
    offers_push(0, b->at, b->n++, (struct offer){ t->cost, id });       /* no price is below 0 */
    place_forget(a->s, id);
    a->is_placed[id] = false;
    enqueue(a, t->job);
}

/* The task on the site that bid least. */
static uint32_t lowest(const struct auction *a, uint32_t c)
{
    const struct assign *s = a->s;
    uint32_t least = s->site[c].first;
    for (uint32_t id = s->task[least].cnext; id != NONE; id = s->task[id].cnext)
        if (a->bid[id] < a->bid[least] || (a->bid[id] == a->bid[least] && id < least)) least = id;
    return least;
}

enum { LOAD = 64 };                     /* looking through so many tasks of a site counts as one bid */

/* The job's next unit gets a place; false: none is worth its price. */
static bool make_bid(struct auction *a, uint32_t job)
{
    struct assign *s = a->s;
    struct job *j = &s->job[job];
    struct back *b = &a->back[job];
    uint32_t c = NONE, c2 = NONE, id;
    if (j->arc0 == j->arc1) return false;
    int64_t up = j->x < j->share ? a->most : j->alpha, val = arc_exact(a, j, 0, &c), other = FAR_AWAY;
    if (b->n > 0 && b->at[0].bound < val) other = back_exact(a, b, 0, &c2);
    bool is_back = other < val;
    if (is_back) { val = other; c = c2; }
    if (val >= up) return false;
    id = is_back ? b->at[0].id : a->next[a->arc[j->arc0].id];
    int64_t next = arc_second(a, j, 0, c, up);
    if (b->n > 0) next = back_second(a, b, 0, c, next);
    int64_t bid = s->site[c].pi + next - val + a->eps;
    if (is_back) back_remove(b, 0);         /* exact at the top: the search for the next best left it there */
    if (s->site[c].load == s->site[c].cap) leave(a, lowest(a, c));
    a->is_placed[id] = true;
    place_quietly(s, id, c, index_task_cost(s, &s->task[id], s->site[c].node));
    a->bid[id] = bid;
    s->stats.bids++;
    uint64_t took = 1 + s->site[c].load / LOAD;
    a->left -= took < a->left ? took : a->left;
    if (s->site[c].load < s->site[c].cap) return true;
    int64_t least = a->bid[lowest(a, c)];
    if (least > s->site[c].pi) s->site[c].pi = least;
    return true;
}

/* ---- rounds ---- */

/* Heaps for prices and placements as they are; every job may bid. */
static void open_bids(struct auction *a)
{
    struct assign *s = a->s;
    index_rewind(s);
    for (size_t i = 0; i < s->live.n_aggs; i++) {
        const struct agg *v = &s->index.agg[s->live.agg[i]];
        struct offer *h = a->site + v->begin;
        uint32_t n = v->end - v->begin;
        for (uint32_t k = 0; k < n; k++) h[k] = (struct offer){ s->site[s->live.of_agg[v->begin + k]].pi, s->live.of_agg[v->begin + k] };
        offers_make(0, h, n);
    }
    for (uint32_t k = 0; k < s->n_jobs; k++) {
        const struct job *j = &s->job[k];
        for (uint32_t i = j->arc0; i < j->arc1; i++) {
            const struct arc *r = &s->live.arc[i];
            const struct bucket *b = &s->index.bucket[r->bucket];
            if (b->head < b->n) a->next[i] = items(s, b)[b->head].task;
            a->arc[i] = (struct offer){ r->cost == FAR_AWAY ? FAR_AWAY : r->cost + a->site[s->index.agg[r->agg].begin].bound, i };
        }
        offers_make(0, a->arc + j->arc0, j->arc1 - j->arc0);
        a->back[k].n = 0;
        enqueue(a, k);
    }
}

static void bid_all(struct auction *a)
{
    while (a->n_queue > 0 && a->left > 0) {
        uint32_t job = a->queue[a->head];
        a->head = (a->head + 1) % (uint32_t)a->s->n_jobs;
        a->n_queue--;
        a->is_queued[job] = false;
        if (make_bid(a, job)) enqueue(a, job);
    }
}

static void lower_prices(struct assign *s, int64_t by)
{
    for (size_t i = 0; i < s->live.n_sites; i++) {
        struct site *c = &s->site[s->live.site[i]];
        c->pi = c->pi > by ? c->pi - by : 0;
    }
}

/* Most bids for each place in a round: a price that has far to climb takes too many. */
enum { BIDS = 32 };

/* Bid for all places anew.  False: the bids that a round may make were used up. */
static bool run_round(struct auction *a, int64_t eps)
{
    struct assign *s = a->s;
    for (size_t i = 0; i < s->live.n_sites; i++) while (s->site[s->live.site[i]].first != NONE) place_forget(s, s->site[s->live.site[i]].first);
    memset(a->is_placed, 0, s->n_tasks);
    memset(a->is_queued, 0, s->n_jobs);
    a->n_queue = 0;
    a->eps = eps;
    a->left = BIDS * s->count.places + s->n_jobs;
    open_bids(a);
    bid_all(a);
    return a->left > 0;
}

/*
 * The dearest placement; and by how much, in the mean, a task's placement is cheaper than the dearest place
 * it names.
 */
static void survey(const struct assign *s, int64_t *dearest, int64_t *spread)
{
    pol_wide sum = 0;
    *dearest = 0;
    for (size_t i = 0; i < s->live.n_sites; i++)
        for (uint32_t id = s->site[s->live.site[i]].first; id != NONE; id = s->task[id].cnext) {
            const struct task *t = &s->task[id];
            int64_t hi = t->cost;
            for (uint32_t k = 0; k < t->n_entry; k++) if (entries(s, t)[k].cost > hi) hi = entries(s, t)[k].cost;
            sum += hi - t->cost;
            if (t->cost > *dearest) *dearest = t->cost;
        }
    *spread = s->count.placed > 0 ? (int64_t)(sum / (pol_wide)s->count.placed) : 0;
}

/* Do jobs want more places below their shares than there are? */
static bool is_short(const struct assign *s)
{
    uint64_t n = 0;
    for (size_t j = 0; j < s->n_jobs; j++) n += s->job[j].n < s->job[j].share ? s->job[j].n : s->job[j].share;
    return n > s->count.places;
}

/* The price of each GPU class's cheapest site: what the class itself is worth. */
static void cheapest(const struct assign *s, int64_t price[ASSIGN_CLASSES_MAX])
{
    for (uint32_t k = 0; k < s->topo.n_classes; k++) price[k] = INT64_MAX;
    for (size_t i = 0; i < s->live.n_sites; i++) {
        const struct site *c = &s->site[s->live.site[i]];
        if (c->pi - s->pi_root < price[c->class]) price[c->class] = c->pi - s->pi_root;
    }
}

/*
 * Where the first round begins: at one price for each GPU class, that of its cheapest
 * site (the repairs so far have raised others), less a little, so that most places are
 * wanted.  A price above `beyond` is that of a class of which jobs wanted more for their
 * shares than there was.  If all places together are too few for the shares, `most`
 * takes the place of M in it; else the class begins at the dearest other class's price,
 * and the bids will tell.
 */
static void begin_low(struct auction *a, int64_t by)
{
    struct assign *s = a->s;
    int64_t price[ASSIGN_CLASSES_MAX], top = 0, less = is_short(s) && s->cost.big_m > a->most ? s->cost.big_m - a->most : INT64_MAX;
    cheapest(s, price);
    for (uint32_t k = 0; k < s->topo.n_classes; k++) if (price[k] <= a->beyond && price[k] > top) top = price[k];
    for (uint32_t k = 0; k < s->topo.n_classes; k++) if (price[k] > a->beyond) price[k] = price[k] - less > top ? price[k] - less : top;
    for (size_t i = 0; i < s->live.n_sites; i++) s->site[s->live.site[i]].pi = price[s->site[s->live.site[i]].class];
    s->pi_root = 0;
    lower_prices(s, by);
}

/* Put M back into the prices of classes that are short for shares; a dear site of another class is only sought after. */
static void raise_short(const struct auction *a)
{
    const struct assign *s = a->s;
    int64_t price[ASSIGN_CLASSES_MAX];
    cheapest(s, price);
    for (size_t i = 0; i < s->live.n_sites; i++) {
        struct site *c = &s->site[s->live.site[i]];
        if (price[c->class] > a->beyond && s->cost.big_m > a->most) c->pi += s->cost.big_m - a->most;
    }
}

/* Move each placed task to its cheapest site, full or not, and let each job choose its tasks. */
static void settle(struct assign *s)
{
    uint32_t n = 0, *list = pol_alloc((size_t)s->count.placed, sizeof *list);
    place_lows(s);
    for (size_t i = 0; i < s->live.n_sites; i++)
        for (uint32_t id = s->site[s->live.site[i]].first; id != NONE; id = s->task[id].cnext) list[n++] = id;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t site;
        int64_t cost, val = place_best(s, list[i], &site, &cost);
        if (val < s->task[list[i]].cost + s->site[s->task[list[i]].site].pi) place_move(s, list[i], site, cost);
    }
    for (uint32_t j = 0; j < s->n_jobs; j++) place_balance(s, j);
    free(list);
}

static void open_auction(struct auction *a, struct assign *s)
{
    *a = (struct auction){ .s = s };
    a->site = pol_alloc(s->index.agg[s->index.n_aggs].end, sizeof *a->site);
    a->arc = pol_alloc(s->live.n_arcs, sizeof *a->arc);
    a->next = pol_alloc(s->live.n_arcs, sizeof *a->next);
    a->is_placed = pol_alloc(s->n_tasks, sizeof *a->is_placed);
    a->bid = pol_alloc(s->n_tasks, sizeof *a->bid);
    a->back = pol_alloc(s->n_jobs, sizeof *a->back);
    a->queue = pol_alloc(s->n_jobs, sizeof *a->queue);
    a->is_queued = pol_alloc(s->n_jobs, sizeof *a->is_queued);
}

static void close_auction(struct auction *a)
{
    for (size_t j = 0; j < a->s->n_jobs; j++) free(a->back[j].at);
    free(a->site); free(a->arc); free(a->next); free(a->is_placed); free(a->bid); free(a->back); free(a->queue); free(a->is_queued);
}

/*
 * In mean spreads of costs: by how much a task within a share is worth more than one left at
 * alpha (NEED); and in fractions of it, how much lower prices begin, and the rounds' epsilons.
 */
enum { NEED = 4, LOWER = 4, COARSE = 16, FINE = 128 };

void auction_run(struct assign *s)
{
    int64_t spread, dearest, alpha = 0, *old;
    struct auction a;
    survey(s, &dearest, &spread);
    if (spread == 0) return;            /* no place is better than another */
    for (size_t j = 0; j < s->n_jobs; j++) if (s->job[j].n > 0 && s->job[j].alpha > alpha) alpha = s->job[j].alpha;
    open_auction(&a, s);
    a.beyond = alpha - s->cost.least + NEED / 2 * spread;   /* no task that may be left pays more than alpha - least */
    a.most = alpha - s->cost.least + NEED * spread + dearest;
    old = pol_alloc(s->live.n_sites, sizeof *old);
    for (size_t i = 0; i < s->live.n_sites; i++) old[i] = s->site[s->live.site[i]].pi - s->pi_root;
    begin_low(&a, spread / LOWER);
    bool done = run_round(&a, spread / COARSE + 1);
    if (done) {
        lower_prices(s, 2 * a.eps);
        done = run_round(&a, spread / FINE + 1);
    }
    if (done) raise_short(&a);
    else for (size_t i = 0; i < s->live.n_sites; i++) s->site[s->live.site[i]].pi = old[i];
    free(old);
    index_rewind(s);
    close_auction(&a);
    settle(s);
}

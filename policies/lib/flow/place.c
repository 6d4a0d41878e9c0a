/*
 * place.c -- putting tasks on sites and taking them off, and the state from which a solve
 * begins: prices, each task on its cheapest site whether that is full or not, and job
 * values to match.  Too many or too few tasks on a site is left to search.c.
 *
 * Cost: place_best O(entries x sites of each); place_balance O(arcs of the job) for each
 * task that changes; place_cold O(places x arcs of a job).
 */
#include "lib/heap.h"
#include "lib/flow/state.h"

int64_t place_value_up(const struct assign *s, const struct job *j) { return j->x < j->share ? s->cost.big_m : j->alpha; }
int64_t place_value_down(const struct assign *s, const struct job *j) { return j->x <= j->share ? s->cost.big_m : j->alpha; }

static void link_in(struct assign *s, uint32_t id, uint32_t site, int64_t cost)
{
    struct task *t = &s->task[id];
    struct site *c = &s->site[site];
    struct job *j = &s->job[t->job];
    t->site = site;
    t->cost = cost;
    t->cprev = t->jprev = NONE;
    t->cnext = c->first;
    t->jnext = j->first;
    if (c->first != NONE) s->task[c->first].cprev = id;
    if (j->first != NONE) s->task[j->first].jprev = id;
    c->first = j->first = id;
    c->load++;
    j->x++;
    s->count.placed++;
}

void place_put(struct assign *s, uint32_t id, uint32_t site, int64_t cost)
{
    link_in(s, id, site, cost);
    index_placed(s, id);
}

/* Take a task out of the lists of its site and job; the index is not told. */
static void link_out(struct assign *s, uint32_t id)
{
    struct task *t = &s->task[id];
    struct site *c = &s->site[t->site];
    struct job *j = &s->job[t->job];
    if (t->cprev != NONE) s->task[t->cprev].cnext = t->cnext; else c->first = t->cnext;
    if (t->cnext != NONE) s->task[t->cnext].cprev = t->cprev;
    if (t->jprev != NONE) s->task[t->jprev].jnext = t->jnext; else j->first = t->jnext;
    if (t->jnext != NONE) s->task[t->jnext].jprev = t->jprev;
    c->load--;
    j->x--;
    s->count.placed--;
    t->site = NONE;
}

void place_drop(struct assign *s, uint32_t id)
{
    link_out(s, id);
    index_waits(s, id);
}

void place_quietly(struct assign *s, uint32_t id, uint32_t site, int64_t cost) { link_in(s, id, site, cost); }

void place_forget(struct assign *s, uint32_t id) { link_out(s, id); }

void place_move(struct assign *s, uint32_t id, uint32_t site, int64_t cost)
{
    link_out(s, id);
    link_in(s, id, site, cost);
}

/*
 * The cheapest site for a task under the prices, and its cost + pi.  Among
 * equals the one with most room: that spreads ties before any search.
 */
int64_t place_best(const struct assign *s, uint32_t id, uint32_t *site, int64_t *cost)
{
    const struct task *t = &s->task[id];
    const struct entry *e = entries(s, t);
    int64_t best = FAR_AWAY, room = INT64_MIN;
    *site = NONE;
    for (uint32_t k = 0; k < t->n_entry; k++) {
        const struct agg *v = &s->index.agg[e[k].agg];
        if (v->end == v->begin || e[k].cost + s->index.low[e[k].agg] > best) continue;
        for (uint32_t i = v->begin; i < v->end; i++) {
            uint32_t c = s->live.of_agg[i];
            const struct site *x = &s->site[c];
            int64_t val = e[k].cost + x->pi, r = (int64_t)x->cap - x->load;
            if (val > best || (val == best && r <= room)) continue;
            if (!place_may(s, t, e[k].cost, c)) continue;
            best = val;
            room = r;
            *site = c;
            *cost = e[k].cost;
        }
    }
    return best;
}

/* ---- a job's value ---- */

/* The job's waiting task with the least cost + price, and that sum in *best; NONE: none can be placed. */
static uint32_t best_waiting(struct assign *s, const struct job *j, int64_t *best)
{
    uint32_t found = NONE;
    *best = FAR_AWAY;
    for (uint32_t i = j->arc0; i < j->arc1; i++) {
        int64_t low = s->index.low[s->live.arc[i].agg];
        if (s->live.arc[i].cost + low >= *best) continue;
        struct bucket *b = &s->index.bucket[s->live.arc[i].bucket];
        const struct item *it = items(s, b);
        if (it[b->head].is_odd) index_sort(s, b);
        for (uint32_t k = b->head; k < b->n && it[k].cost + low < *best; k++) {
            uint32_t site;
            int64_t cost, val = it[k].cost + low;
            if (s->task[it[k].task].site != NONE) continue;
            if (it[k].is_odd) val = place_best(s, it[k].task, &site, &cost);
            if (val < *best) { *best = val; found = it[k].task; }
            if (!it[k].is_odd) break;
        }
    }
    return found;
}

static uint32_t worst_placed(const struct assign *s, const struct job *j, int64_t *worst)
{
    uint32_t found = NONE;
    *worst = -FAR_AWAY;
    for (uint32_t id = j->first; id != NONE; id = s->task[id].jnext) {
        int64_t val = s->task[id].cost + s->site[s->task[id].site].pi;
        if (val > *worst) { *worst = val; found = id; }
    }
    return found;
}

static void put_best(struct assign *s, uint32_t id)
{
    uint32_t site;
    int64_t cost;
    (void)place_best(s, id, &site, &cost);
    place_put(s, id, site, cost);
}

/*
 * Choose which of the job's tasks are placed, and its value, so that under the
 * prices no waiting task should enter and no placed one leave.  Needs exact
 * lows.  O(arcs of the job) for each task that changes.
 */
void place_balance(struct assign *s, uint32_t job)
{
    struct job *j = &s->job[job];
    int64_t enter, leave;
    for (;;) {
        uint32_t in = best_waiting(s, j, &enter), out = worst_placed(s, j, &leave);
        if (in != NONE && enter < place_value_up(s, j) + s->pi_root) {
            put_best(s, in);
        } else if (out != NONE && leave > place_value_down(s, j) + s->pi_root) {
            place_drop(s, out);
        } else if (in != NONE && out != NONE && enter < leave) {
            place_drop(s, out);
            put_best(s, in);
        } else {
            break;
        }
    }
    /* At least what placed tasks pay, and what one more is worth if one waits. */
    int64_t lo = (j->x < j->n ? place_value_up(s, j) : j->alpha) + s->pi_root;
    j->pi = leave > lo ? leave : lo;
    j->low = enter;
    j->is_dirty = false;
}

/* ---- from nothing ---- */

enum { TAKEN = -2 };                    /* as a task's site: it has a place, not yet known which */

struct bid { int64_t worth; uint32_t job, arc; };

#define ABOVE(c, x, y) ((x)->worth != (y)->worth ? (x)->worth > (y)->worth : (x)->job < (y)->job)
HEAP(bids, int, struct bid, ABOVE);

struct cold {
    uint64_t left[ASSIGN_CLASSES_MAX];     /* places of each GPU class */
    int64_t  price[ASSIGN_CLASSES_MAX];
    uint32_t order[ASSIGN_CLASSES_MAX];    /* GPU classes, those that fewest groups fit first */
    bool     *is_dead;                  /* [n_groups] */
    struct bid *bid;
    size_t   n;
};

/* What the job gains by its next task: its value less the cheapest arc, of groups that still have places or of one. */
static int64_t worth(const struct assign *s, const struct cold *k, uint32_t job, uint32_t only, uint32_t *arc)
{
    const struct job *j = &s->job[job];
    int64_t best = FAR_AWAY;
    for (uint32_t i = j->arc0; i < j->arc1; i++) {
        if (s->live.arc[i].cost >= best) continue;
        uint32_t g = s->live.arc[i].agg / s->topo.n_regions;
        if (only == NONE ? k->is_dead[g] : g != only) continue;
        best = s->live.arc[i].cost;
        *arc = i;
    }
    return best == FAR_AWAY ? -FAR_AWAY : place_value_up(s, j) - best;
}

/*
 * A GPU class has no place left.  Groups that fit no other class are closed, and the
 * price of their classes is what the best task that is now refused would have paid.
 */
static void used_up(const struct assign *s, struct cold *k)
{
    for (uint32_t g = 0; g < s->index.n_groups; g++) {
        uint64_t fits = s->index.group[g];
        bool any = k->is_dead[g];
        for (uint32_t i = 0; i < s->topo.n_classes && !any; i++) any = (fits >> i & 1) != 0 && k->left[i] > 0;
        if (any) continue;
        k->is_dead[g] = true;
        int64_t price = 0;
        uint32_t arc;
        for (uint32_t j = 0; j < s->n_jobs; j++) {
            int64_t w = worth(s, k, j, g, &arc);
            if (w > price) price = w;
        }
        for (uint32_t i = 0; i < s->topo.n_classes; i++)
            if ((fits >> i & 1) != 0 && price > k->price[i]) k->price[i] = price;
    }
}

static void order_classes(const struct assign *s, struct cold *k)
{
    uint32_t n_fit[ASSIGN_CLASSES_MAX] = { 0 };
    for (uint32_t i = 0; i < s->topo.n_classes; i++) {
        for (uint32_t g = 0; g < s->index.n_groups; g++) n_fit[i] += (uint32_t)(s->index.group[g] >> i & 1);
        uint32_t at = i;
        for (; at > 0 && n_fit[k->order[at - 1]] > n_fit[i]; at--) k->order[at] = k->order[at - 1];
        k->order[at] = i;
    }
}

static void take(struct assign *s, struct cold *k, uint32_t arc, uint32_t *list, size_t *n)
{
    const struct bucket *b = &s->index.bucket[s->live.arc[arc].bucket];
    uint32_t id = items(s, b)[b->head].task;
    uint64_t fits = s->index.group[s->task[id].group];
    s->task[id].site = (uint32_t)TAKEN;
    index_placed(s, id);
    s->job[s->task[id].job].x++;
    list[(*n)++] = id;
    for (uint32_t i = 0; i < s->topo.n_classes; i++) {
        uint32_t class = k->order[i];
        if ((fits >> class & 1) == 0 || k->left[class] == 0) continue;
        if (--k->left[class] == 0) used_up(s, k);
        return;
    }
}

/*
 * One price a GPU class.  Jobs bid the worth of their next task, cheapest first, at
 * its cheapest aggregator as if there were always room; the highest bid takes a
 * place.  When a group of GPU classes is used up, the best bid refused is its price.
 */
void place_cold(struct assign *s)
{
    struct cold k = { .n = 0 };
    uint32_t arc, *list = pol_alloc((size_t)s->count.places, sizeof *list);
    size_t n = 0;
    for (size_t i = 0; i < s->live.n_sites; i++) k.left[s->site[s->live.site[i]].class] += s->site[s->live.site[i]].cap;
    order_classes(s, &k);
    k.bid = pol_alloc(s->n_jobs, sizeof *k.bid);
    k.is_dead = pol_alloc(s->index.n_groups, sizeof *k.is_dead);
    used_up(s, &k);             /* groups that fit nothing */
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        int64_t w = worth(s, &k, j, NONE, &arc);
        if (w > 0) k.bid[k.n++] = (struct bid){ w, j, arc };
    }
    bids_make(0, k.bid, k.n);
    while (k.n > 0) {
        struct bid *top = &k.bid[0];
        /* A bid is out of date only if its group was closed since: else none but the job's own tasks change it. */
        if (!k.is_dead[s->live.arc[top->arc].agg / s->topo.n_regions]) take(s, &k, top->arc, list, &n);
        top->worth = worth(s, &k, top->job, NONE, &top->arc);
        if (top->worth <= 0) bids_take(0, k.bid, k.n--, 0);
        else bids_sink(0, k.bid, k.n, 0);
    }
    for (size_t i = 0; i < s->live.n_sites; i++) s->site[s->live.site[i]].pi = k.price[s->site[s->live.site[i]].class];
    place_lows(s);
    for (size_t i = 0; i < n; i++) {
        uint32_t site;
        int64_t cost;
        s->job[s->task[list[i]].job].x--;
        s->task[list[i]].site = NONE;
        (void)place_best(s, list[i], &site, &cost);
        if (site == NONE) index_waits(s, list[i]);       /* an odd task whose only sites are not live */
        else link_in(s, list[i], site, cost);
    }
    POL_FREE(k.bid, k.is_dead, list);
}

void place_low(struct assign *s, uint32_t agg)
{
    const struct agg *v = &s->index.agg[agg];
    int64_t low = FAR_AWAY;
    for (uint32_t i = v->begin; i < v->end; i++) if (s->site[s->live.of_agg[i]].pi < low) low = s->site[s->live.of_agg[i]].pi;
    s->index.low[agg] = low;
}

void place_lows(struct assign *s)
{
    for (size_t i = 0; i < s->live.n_aggs; i++) place_low(s, s->live.agg[i]);
    place_low(s, s->index.n_aggs);
}

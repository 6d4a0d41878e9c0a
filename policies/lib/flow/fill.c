/*
 * fill.c -- repair of many empty places: for each place that is left empty though it has a
 * price, one shortest path from the root, searched backwards from the place.
 *
 * A search forwards from the root first visits all that is nearer than the nearest empty
 * place, and fills few places.  A search backwards ends as soon as it meets a job that
 * takes one task more, or the root, which takes the place itself when its price has
 * fallen to nothing.
 *
 * The arcs are those of search.c.  Two groups can come into the sites of an aggregator:
 *   placed tasks    a list for each aggregator, with a key for each task: a lower bound
 *                   of its cost there less what it pays now.  Prices only fall while this
 *                   runs, so a key stays a bound until its task moves and gets a new one.
 *   waiting tasks   the aggregator's buckets, with one bound for all of them.
 * Either group is looked at only when the search reaches its least bound, and of the
 * placed tasks only those that are not much farther than the nearest.  A second label on
 * an aggregator is useful only if it is smaller, or if an odd task could not use the first.
 *
 * Here the nearer potentials fall and the root's stays.  At the end all are raised by as
 * much as the root's would have risen, because bounds kept elsewhere rely on potentials
 * that never fall.
 *
 * Cost: README.md, step 7.
 */
#include "lib/flow/state.h"

struct fill {
    uint32_t n;                         /* of s->fill.comer */
    int64_t  fallen;                    /* what the root would have risen */
    uint32_t end;                       /* the root's neighbour on the best path yet */
};

static int64_t price(const struct assign *s, uint32_t c) { return s->site[c].pi - s->pi_root; }
static int64_t value(const struct assign *s, uint32_t j) { return s->job[j].pi - s->pi_root; }
static bool is_live(const struct assign *s, uint32_t agg) { return s->index.agg[agg].end > s->index.agg[agg].begin; }

/* Enter a task that was placed, or moved, in the lists of its aggregators: others may take it from where it is now. */
static void note(struct assign *s, struct fill *f, uint32_t id)
{
    struct task *t = &s->task[id];
    const struct entry *e = entries(s, t);
    bool is_new = t->comer == NONE;
    if (is_new) t->comer = f->n;
    FLOW_RESERVE(s->fill.comer, s->fill.cap_comer, (size_t)f->n + t->n_entry);
    for (uint32_t k = 0, at = t->comer; k < t->n_entry; k++) {
        if (!is_live(s, e[k].agg)) continue;
        struct inlet *in = &s->fill.inlet[e[k].agg];
        int64_t key = e[k].cost - t->cost - price(s, t->site);
        if (is_new) {
            s->fill.comer[at] = (struct comer){ key, id, in->first };
            in->first = at;
            f->n++;
        }
        s->fill.comer[at++].key = key;
        if (key < in->placed) in->placed = key;
    }
}

static void note_all(struct assign *s, struct fill *f)
{
    FLOW_RESERVE(s->fill.inlet, s->fill.cap_inlet, s->index.n_aggs);
    for (size_t i = 0; i < s->live.n_aggs; i++) s->fill.inlet[s->live.agg[i]] = (struct inlet){ FAR_AWAY, FAR_AWAY, NONE };
    for (uint32_t j = 0; j < s->n_jobs; j++)
        for (uint32_t i = s->job[j].arc0; i < s->job[j].arc1; i++) {
            const struct arc *a = &s->live.arc[i];
            struct inlet *in = &s->fill.inlet[a->agg];
            if (a->cost < FAR_AWAY && a->cost - value(s, j) < in->waiting) in->waiting = a->cost - value(s, j);
        }
    for (size_t i = 0; i < s->live.n_sites; i++)
        for (uint32_t id = s->site[s->live.site[i]].first; id != NONE; id = s->task[id].cnext) note(s, f, id);
}

/* ---- one search ---- */

static uint32_t placed_v(const struct assign *s, uint32_t agg) { return (uint32_t)(s->n_sites + s->n_jobs) + agg; }
static uint32_t waiting_v(const struct assign *s, uint32_t agg) { return placed_v(s, s->index.n_aggs) + agg; }

static bool relax(struct assign *s, uint32_t v, int64_t d, uint32_t via, uint32_t next)
{
    struct mark *m = &s->search.mark[v];
    if (d >= s->search.ub || (m->stamp == s->search.stamp && m->d <= d)) return false;
    *m = (struct mark){ d, via, next, s->search.stamp, 0 };
    search_labels_push(s, (struct label){ d, d, v, via });
    return true;
}

/* The root can supply a vertex at this distance; the nearest such vertex ends the search. */
static void from_root(struct assign *s, struct fill *f, int64_t d, uint32_t v)
{
    if (d < s->search.ub) { s->search.ub = d; f->end = v; }
}

/* Queue a group of an aggregator until the search reaches its least key. */
static void later(struct assign *s, uint32_t v, int64_t key, int64_t d, uint32_t at)
{
    if (key < s->search.ub) search_labels_push(s, (struct label){ key, d, v, at });
}

/* Tasks placed elsewhere that name the aggregator move to a site of it: those not much farther than the nearest. */
static void placed_into(struct assign *s, uint32_t agg, const struct label *l)
{
    struct inlet *in = &s->fill.inlet[agg];
    int64_t least = FAR_AWAY, rest = FAR_AWAY, end = l->key > 0 ? 2 * l->key : 0;
    for (uint32_t i = in->first; i != NONE; i = s->fill.comer[i].next) {
        struct comer *x = &s->fill.comer[i];
        s->stats.arcs++;
        if (x->key < least) least = x->key;
        if (l->d + x->key > end) { if (x->key < rest) rest = x->key; continue; }
        const struct task *t = &s->task[x->task];
        if (t->site == NONE) { x->key = FAR_AWAY; continue; }        /* until it is noted again */
        int64_t cost = entry_at(s, x->task, agg)->cost;
        x->key = cost - t->cost - price(s, t->site);
        if (t->site != l->via && place_may(s, t, cost, l->via)) (void)relax(s, t->site, l->d + x->key, x->task, l->via);
    }
    in->placed = least;
    later(s, placed_v(s, agg), l->d + rest, l->d, l->via);
}

static void waiting_into(struct assign *s, struct fill *f, uint32_t agg, const struct label *l)
{
    int64_t least = FAR_AWAY;
    for (uint32_t k = s->index.agg[agg].first_bucket; k != NONE; k = s->index.bucket[k].next) {
        struct bucket *b = &s->index.bucket[k];
        int64_t cost = s->live.arc[b->arc].cost, key = cost - value(s, b->job);
        s->stats.arcs++;
        if (cost == FAR_AWAY) continue;
        if (key < least) least = key;
        if (l->d + key >= s->search.ub) continue;
        uint32_t id = items(s, b)[b->head].task;
        while (id != NONE && !place_may(s, &s->task[id], cost, l->via)) {
            id = index_after(s, b, cost, id);
            if (id != NONE) cost = entry_at(s, id, agg)->cost;
        }
        if (id == NONE) continue;
        uint32_t v = (uint32_t)s->n_sites + b->job;
        int64_t d = l->d + cost - value(s, b->job);
        /* An early bound on the search: the job may always have one task more. */
        if (relax(s, v, d, id, l->via)) from_root(s, f, d + value(s, b->job) - place_value_up(s, &s->job[b->job]), v);
    }
    s->fill.inlet[agg].waiting = least;
}

static void into_site(struct assign *s, struct fill *f, uint32_t at, int64_t d)
{
    int64_t label = d + price(s, at);
    uint32_t agg[3];
    from_root(s, f, label, at);         /* the place is left idle */
    for (uint32_t g = 0; g < s->index.n_groups; g++) {
        if ((s->index.group[g] >> s->site[at].class & 1) == 0) continue;
        index_aggs(s, at, g, agg);
        for (int k = 0; k < 3; k++) {
            struct agg *v = &s->index.agg[agg[k]];
            const struct inlet *in = &s->fill.inlet[agg[k]];
            if (v->opened == s->search.stamp && v->label <= label && !v->is_odd) continue;
            v->opened = s->search.stamp;
            v->label = label;
            later(s, placed_v(s, agg[k]), label + in->placed, label, at);
            later(s, waiting_v(s, agg[k]), label + in->waiting, label, at);
        }
    }
}

static void into_agg(struct assign *s, struct fill *f, const struct label *l)
{
    bool is_placed = l->id < waiting_v(s, 0);
    uint32_t agg = l->id - (is_placed ? placed_v(s, 0) : waiting_v(s, 0));
    if (s->index.agg[agg].label < l->d && !s->index.agg[agg].is_odd) return;
    if (is_placed) placed_into(s, agg, l);
    else waiting_into(s, f, agg, l);
}

/* The job gives up another of its tasks. */
static void into_job(struct assign *s, uint32_t at, int64_t d)
{
    const struct job *j = &s->job[at];
    uint32_t v = (uint32_t)s->n_sites + at;
    for (uint32_t id = j->first; id != NONE; id = s->task[id].jnext) {
        uint32_t c = s->task[id].site;
        s->stats.arcs++;
        (void)relax(s, c, d + value(s, at) - s->task[id].cost - price(s, c), id, v);
    }
}

/* Move the tasks along the path, from the root's side to the empty place. */
static void augment(struct assign *s, struct fill *f, uint32_t to)
{
    for (uint32_t v = f->end; v != to; v = s->search.mark[v].from) {
        const struct mark *m = &s->search.mark[v];
        uint32_t id = m->via;
        if (m->from >= s->n_sites) {
            place_drop(s, id);          /* j->low stays: the one that comes in its stead could enter as low */
            const struct entry *e = entries(s, &s->task[id]);
            for (uint32_t k = 0; k < s->task[id].n_entry; k++) {
                int64_t key = e[k].cost - value(s, s->task[id].job);
                if (is_live(s, e[k].agg) && key < s->fill.inlet[e[k].agg].waiting) s->fill.inlet[e[k].agg].waiting = key;
            }
            continue;
        }
        int64_t cost = index_task_cost(s, &s->task[id], s->site[m->from].node);
        if (v < s->n_sites) place_move(s, id, m->from, cost);
        else place_put(s, id, m->from, cost);
        note(s, f, id);
    }
    s->stats.paths++;
}

static void fill_one(struct assign *s, struct fill *f, uint32_t to)
{
    search_labels_begin(s);
    (void)relax(s, to, 0, NONE, to);
    for (struct label x; search_labels_pop(s, &x); ) {
        s->stats.pops++;
        if (x.id >= placed_v(s, 0)) { into_agg(s, f, &x); continue; }
        if (s->search.mark[x.id].d < x.d || s->search.mark[x.id].via != x.via) continue;
        FLOW_RESERVE(s->search.popped, s->search.cap_popped, s->search.n_popped + 1);
        s->search.popped[s->search.n_popped++] = x.id;
        if (x.id < s->n_sites) into_site(s, f, x.id, x.d);
        else into_job(s, x.id - (uint32_t)s->n_sites, x.d);
    }
    for (size_t i = 0; i < s->search.n_popped; i++) {
        uint32_t v = s->search.popped[i];
        int64_t fall = s->search.ub - s->search.mark[v].d;
        if (v < s->n_sites) s->site[v].pi -= fall;
        else s->job[v - s->n_sites].pi -= fall;
    }
    f->fallen += s->search.ub;
    augment(s, f, to);
    s->stats.phases++;
}

/*
 * If searches backwards reach a good part of the graph too, a search from the root is
 * cheaper, as it fills about two places: the rest is then left to search.c.
 */
enum { TRIAL = 8 };                     /* paths that are not counted: the first few may be long */

void fill_run(struct assign *s)
{
    struct fill f = { .n = 0 };
    uint64_t paths = 0, arcs = s->stats.arcs;
    note_all(s, &f);
    uint64_t most = s->tune.fill_from == 0 ? UINT32_MAX : (f.n + s->live.n_arcs) / 8;
    for (size_t i = 0; i < s->live.n_sites; i++) {
        uint32_t c = s->live.site[i];
        while (s->site[c].load < s->site[c].cap && s->site[c].pi > s->pi_root && s->stats.arcs - arcs <= most * (paths + TRIAL)) {
            fill_one(s, &f, c);
            paths++;
        }
    }
    for (size_t c = 0; c < s->n_sites; c++) s->site[c].pi += f.fallen;
    for (size_t j = 0; j < s->n_jobs; j++) s->job[j].pi += f.fallen;
    s->pi_root += f.fallen;
    for (uint32_t i = 0; i < f.n; i++) s->task[s->fill.comer[i].task].comer = NONE;
}

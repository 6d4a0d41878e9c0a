/*
 * state.h -- what the parts of the structured solver share; private to this folder.
 *
 *   site        the places of one GPU class on one node
 *   region      a node, a rack, or the whole cluster
 *   group       a set of GPU classes that some task fits
 *   aggregator  any site of a region whose GPU class is in a group (as the rack and
 *               cluster aggregators of Quincy)
 *   entry       a task's cost at one aggregator; it has one for each region it names
 *   bucket      a job's entries at one aggregator, in order of cost: the search sees one
 *               arc for each (job, aggregator), however many tasks wait
 *   odd task    one for which some site of an aggregator costs more than its entry there
 *               says (a disk slower than the network); the entry must not be used for it
 *
 * Potentials: pi of site, job and root; price = pi[site] - pi[root], value = pi[job] -
 * pi[root].  While repairs run they only rise.
 */
#ifndef POL_LIB_FLOW_STATE_H
#define POL_LIB_FLOW_STATE_H

#include "lib/flow/assign.h"
#include "lib/map.h"
#include "lib/util.h"

enum { NIL = -1 };
#define NONE ASSIGN_NONE
#define FAR_AWAY (INT64_MAX / 4)        /* greater than every distance */
#define NOWHERE  (INT64_MAX / 2)        /* `low` of an aggregator without places: beyond FAR_AWAY */

struct entry { int64_t cost; uint32_t agg, bucket; };   /* bucket NONE: no site can ever be there */
struct item  { int64_t cost; uint32_t task, is_odd; };  /* of a bucket */

struct task {
    int64_t  cost;                      /* of its placement */
    uint32_t job, group, site;          /* site NONE: waiting */
    uint32_t block, units;              /* in the pool: its entries, and behind them an odd task's near list as told */
    uint32_t n_entry, n_near;
    uint32_t cprev, cnext, jprev, jnext;        /* neighbours in the lists of its site and its job */
    uint32_t comer;                     /* fill.c: its first; NONE outside */
    int64_t  far;
    bool     is_here, is_odd, is_new;
};

struct job {
    int64_t  alpha, pi, low;            /* low: below this potential no waiting task can be placed */
    uint32_t share, n, x;               /* n: tasks present; x: placed */
    uint32_t first;                     /* list of placed tasks */
    uint32_t arc0, arc1;                /* its arcs in this solve: live.arc[arc0 .. arc1) */
    bool     is_dirty;                  /* its tasks, share or arcs changed */
};

struct site {
    uint32_t node, class, cap, load;    /* cap: places; load: tasks on it */
    uint32_t first, next_on_node;       /* list of its tasks; next site of the node */
    uint32_t was_cap;                   /* at the last solve */
    int64_t  pi;
};

struct bucket {
    uint32_t job, agg, block, n, cap, n_sorted, head, arc;
    uint32_t want;                      /* items that are about to come */
    uint32_t prev, next;                /* buckets of the same aggregator */
};

/* The cheapest waiting task of a bucket, kept here so that a search need not fetch it; cost FAR_AWAY: nothing waits. */
struct arc { int64_t cost; uint32_t agg, bucket, task, is_odd; };

struct agg {
    uint32_t first_bucket, n_buckets;
    uint32_t begin, end;                /* its sites with places: live.of_agg[begin .. end) */
    uint32_t opened, served_by;         /* the search by which its label was made, and by which it was served */
    int64_t  label;                     /* each of its sites has, or will have, one as small */
    int64_t  served;                    /* the label that all its sites have had but the rest: search.rest[begin ..) */
    int64_t  low;                       /* the least pi of its sites, once served */
    uint32_t n_rest;
    bool     is_known, is_odd;          /* some site is there, with places or not; an odd task named it once */
};

/* Make an array hold `want` elements, growing fourfold.  Unlike pol_reserve's, new ones are not set. */
static inline void *flow_reserve(void *p, size_t *cap, size_t want, size_t size)
{
    if (want <= *cap) return p;
    size_t c = *cap ? *cap : 256;
    while (c < want) c = c <= SIZE_MAX / 4 ? c * 4 : want;
    p = pol_check(c <= SIZE_MAX / size ? realloc(p, c * size) : NULL, c, size);
    *cap = c;
    return p;
}
#define FLOW_RESERVE(p, cap, want) ((p) = flow_reserve((p), &(cap), (want), sizeof *(p)))

struct pool { struct entry *at; size_t n, cap; uint32_t free[32]; };    /* blocks of 2^k units of 16 bytes */

/* A vertex as a search reached it.  `used` is the search's number for a job whose count one of its paths changed. */
struct mark { int64_t d; uint32_t via, from, stamp, used; };
struct label { int64_t key, d; uint32_t id, via; };

/* A site of an aggregator that an odd task could not use, and the best label that it has had so far. */
struct rest { int64_t label; uint32_t site; };

/* fill.c: a placed task that could come to an aggregator; and who could come there, with the least keys. */
struct comer { int64_t key; uint32_t task, next; };
struct inlet { int64_t placed, waiting; uint32_t first; };

/* The cluster, as it was made. */
struct flow_topo { uint32_t n_racks, n_nodes, n_classes, n_regions, *rack; };   /* rack [n_nodes] */

/* index.c: every task told, found by what it may take. */
struct flow_index {
    uint64_t *group;       size_t cap_groups;           /* bits of GPU classes */
    struct agg *agg;       size_t cap_aggs;             /* [n_aggs + 1]; the last is "everything" */
    int64_t  *low;         size_t cap_low;              /* by aggregator: <= pi of its sites; NOWHERE if not live */
    uint32_t n_groups, n_aggs;                          /* n_aggs: n_groups * n_regions */
    struct bucket *bucket; size_t n_buckets, cap_buckets;
    uint32_t free_bucket;
    struct map of_pair;                                 /* (job, aggregator) -> bucket */
    struct pool pool;                                   /* of entries and items */
    uint32_t *fresh;       size_t n_fresh, cap_fresh;   /* tasks not yet in buckets */
    bool     is_stale;                                  /* the aggregators of some site are not known yet */
    bool     is_scarce;                                 /* of the many tasks that come now, few will be asked for */
};

/* What of it one solve looks at: sites with places, their aggregators, and the heads of these aggregators' buckets. */
struct flow_live {
    uint32_t *site;        size_t n_sites, cap_sites;
    uint32_t *agg;        size_t n_aggs, cap_aggs;
    uint32_t *of_agg;      size_t cap_of_agg;           /* sites of each aggregator: from its begin to its end */
    struct arc *arc;       size_t n_arcs, cap_arcs;     /* of each job: from its arc0 to its arc1 */
    bool     has_changed;                               /* which sites have places */
};

/* search.c and fill.c: one search for shortest paths. */
struct flow_search {
    struct mark  *mark;    size_t cap_mark;             /* by vertex: distance, and whence */
    struct label *heap;    size_t n_heap, cap_heap;
    struct label *stack;   size_t n_stack, cap_stack;   /* labels at distance `now` or less */
    int64_t  now, ub;                                   /* ub: nothing this far is of use any more */
    uint32_t *popped;      size_t n_popped, cap_popped;
    uint32_t *end;         size_t n_end, cap_end, want; /* vertices found that can take a unit; how many are wanted */
    struct rest *rest;     size_t cap_rest;             /* parallel to live.of_agg: sites that were not served */
    uint32_t from, stamp;                               /* the overfull site; the search's number, on all it marks */
    bool     for_root, sink_root;                       /* only priced places count as empty; the root takes a unit */
};

/* fill.c: who could come into an aggregator. */
struct flow_fill {
    struct comer *comer;   size_t cap_comer;
    struct inlet *inlet;   size_t cap_inlet;            /* by aggregator; of live ones */
};

struct flow_cost { int64_t least, most, big_m; };       /* of all costs and alphas so far; M, a unit of flow's worth */
struct flow_count { uint64_t places, placed, present, odd; };   /* odd: of the tasks present */
struct flow_tune { uint64_t bid_from, fill_from; };     /* assign_bid_from, assign_fill_from */

struct assign {
    struct flow_topo topo;
    struct site *site;     size_t n_sites, cap_sites;
    struct job *job;       size_t n_jobs, cap_jobs;     /* by id, as are tasks */
    struct task *task;     size_t n_tasks, cap_tasks;
    uint32_t *node_site;                                /* [n_nodes] first site of a node */
    int64_t  pi_root;
    bool     must_start_cold;
    struct flow_count count;
    struct flow_cost cost;
    struct flow_index index;
    struct flow_live live;
    struct flow_search search;
    struct flow_fill fill;
    struct flow_tune tune;
    struct assign_stats stats;                          /* of this solve */
};

/* index.c: what is told, kept in buckets */
void index_flush(struct assign *s);                      /* put fresh tasks into buckets */
void index_drop(struct assign *s, uint32_t id);          /* take a task's entries out of them */
void index_sort(struct assign *s, struct bucket *b);
void index_placed(struct assign *s, uint32_t id);        /* the task no longer waits: heads move on */
void index_waits(struct assign *s, uint32_t id);         /* it waits again */
uint32_t index_after(struct assign *s, struct bucket *b, int64_t cost, uint32_t id);   /* next waiting task, or NONE */
uint32_t index_group(struct assign *s, uint64_t fits);
void index_live(struct assign *s);                       /* sites of aggregators, arcs of jobs, for this solve */
/* The aggregators of a site for one group: of its node, its rack, all. */
void index_aggs(const struct assign *s, uint32_t site, uint32_t group, uint32_t out[3]);
void index_rewind(struct assign *s);                     /* heads at the cheapest that waits, after untold placements */
const struct item *index_head(struct assign *s, struct bucket *b);      /* the same for one; NULL: none waits */
void index_fini(struct assign *s);
uint32_t index_pool_allocate(struct pool *p, uint32_t units, uint32_t *cap);
void index_pool_release(struct pool *p, uint32_t block, uint32_t cap);

static inline const struct entry *entries(const struct assign *s, const struct task *t) { return s->index.pool.at + t->block; }
static inline struct item *items(const struct assign *s, const struct bucket *b)
{
    return (struct item *)(void *)(s->index.pool.at + b->block);
}
/* The task's entry at an aggregator that it names. */
static inline const struct entry *entry_at(const struct assign *s, uint32_t id, uint32_t agg)
{
    const struct entry *e = s->index.pool.at + s->task[id].block;
    while (e->agg != agg) e++;
    return e;
}
/*
 * The k-th region that the task names, as an entry: `agg` is the node or rack, `bucket` 1 for
 * a rack.  An odd task's are as told; other tasks' are those that have entries.
 */
static inline uint32_t n_named(const struct task *t) { return t->is_odd ? t->n_near : t->n_entry - (t->far != ASSIGN_NEVER); }
static inline struct entry named(const struct assign *s, const struct task *t, uint32_t k)
{
    struct entry e = s->index.pool.at[t->block + (t->is_odd ? t->n_entry : 0) + k];
    if (t->is_odd) return e;
    uint32_t region = e.agg - t->group * s->topo.n_regions;
    return (struct entry){ e.cost, region < s->topo.n_nodes ? region : region - s->topo.n_nodes, region >= s->topo.n_nodes };
}
/* What a task costs on a node. */
int64_t index_task_cost(const struct assign *s, const struct task *t, uint32_t node);

/* place.c: placements and prices */
void place_put(struct assign *s, uint32_t id, uint32_t site, int64_t cost);
void place_quietly(struct assign *s, uint32_t id, uint32_t site, int64_t cost);     /* the index is not told */
void place_drop(struct assign *s, uint32_t id);
void place_move(struct assign *s, uint32_t id, uint32_t site, int64_t cost);
void place_forget(struct assign *s, uint32_t id);                    /* the index is not told */
/* May an entry of this cost be used there? */
static inline bool place_may(const struct assign *s, const struct task *t, int64_t cost, uint32_t site)
{
    return !t->is_odd || index_task_cost(s, t, s->site[site].node) <= cost;
}
/* The cheapest site for a task under the prices; returns its cost + pi. */
int64_t place_best(const struct assign *s, uint32_t id, uint32_t *site, int64_t *cost);
void place_lows(struct assign *s);                            /* of all aggregators */
void place_low(struct assign *s, uint32_t agg);               /* make low exact */
void place_balance(struct assign *s, uint32_t job);
void place_cold(struct assign *s);
int64_t place_value_up(const struct assign *s, const struct job *j);      /* of one more */
int64_t place_value_down(const struct assign *s, const struct job *j);    /* of the last */

/* auction.c: better prices, and placements to match, if many long repairs are ahead; some sites stay over or under */
void auction_run(struct assign *s);

/* search.c */
void search_repair(struct assign *s);
void search_labels_begin(struct assign *s);              /* no vertex has a label, nothing is queued */
void search_labels_push(struct assign *s, struct label x);
bool search_labels_pop(struct assign *s, struct label *top);     /* the nearest below search.ub; false: none */

/* fill.c: empty places that have a price, when they are many; it may leave some */
void fill_run(struct assign *s);

#endif

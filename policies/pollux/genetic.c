/* genetic.c -- the generations of genetic.h. */
#include "pollux/genetic.h"

#include <math.h>
#include "lib/util.h"

/* In ten thousandths: a job's row is reset, loses entries, and each entry of it; a child is crossed. */
enum { RESET = 1000, THIN = 1000, LOSE = 1000, CROSS = 9000, WHOLE = 10000, TRIES = 4 };

struct one { uint8_t *x; double f[2], crowd; uint32_t rank; uint64_t hash; };

struct pool {
    struct genetic *s;
    size_t   n_genes, n, n_kept;        /* ones; of which of the last generation */
    struct one *one;                    /* [2 x population] */
    uint8_t *genes;
    int64_t *left[GENETIC_NEEDS];       /* [n_nodes] */
    uint32_t *used;                     /* [n_nodes] */
    int      n_needs;                   /* up to the last that anybody has */
    uint32_t *at;                       /* [n_nodes or pool] */
    double   share;                     /* of a node that a task of one GPU is */
    uint32_t n_gpus;
};

/* ---- random numbers ---- */

static uint32_t below(struct genetic *s, uint32_t n) { return (uint32_t)(((pol_draw(&s->draws) >> 32) * n) >> 32); }
static bool chance(struct genetic *s, uint32_t of_whole) { return below(s, WHOLE) < of_whole; }
/* How many fail before one of this probability succeeds, n at most. */
static uint32_t misses(struct genetic *s, double p, uint32_t n)
{
    if (p >= 1) return 0;
    double k = log(((double)(pol_draw(&s->draws) >> 11) + 1) * 0x1p-53) / log1p(-p);
    return k < n ? (uint32_t)k : n;
}

/* ---- one state ---- */

static uint8_t *row(const struct pool *p, uint8_t *x, uint32_t job) { return x + (size_t)job * p->s->n_nodes; }

static uint32_t tasks_of(const struct pool *p, const uint8_t *r, uint32_t *nodes)
{
    uint32_t n = 0, k = 0;
    for (uint32_t i = 0; i < p->s->n_nodes; i++) { n += r[i]; k += r[i] > 0; }
    *nodes = k;
    return n;
}

static void mutate(struct pool *p, uint8_t *x)
{
    struct genetic *s = p->s;
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        if (chance(s, RESET)) memcpy(row(p, x, j), s->base + (size_t)j * s->n_nodes, s->n_nodes);
        if (!chance(s, THIN)) continue;
        for (uint32_t k = misses(s, (double)LOSE / WHOLE, s->n_nodes); k < s->n_nodes;
             k += 1 + misses(s, (double)LOSE / WHOLE, s->n_nodes))
            row(p, x, j)[k] = 0;
    }
    for (uint32_t k = 0; k < s->n_nodes; k++) {         /* on average one of all jobs, and one of those there */
        uint32_t n_there = 0;
        int64_t left = s->cap[GENETIC_GPUS][k];
        for (uint32_t j = 0; j < s->n_jobs; j++) {
            left -= x[(size_t)j * s->n_nodes + k] * s->need[GENETIC_GPUS][j];
            n_there += x[(size_t)j * s->n_nodes + k] > 0;
        }
        if (left <= 0) continue;
        uint32_t next = misses(s, 1.0 / s->n_jobs, s->n_jobs);
        for (uint32_t j = 0; j < s->n_jobs; j++) {
            uint8_t *at = &x[(size_t)j * s->n_nodes + k];
            bool is_chosen = j == next || (*at > 0 && below(s, n_there) == 0);
            if (j == next) next += 1 + misses(s, 1.0 / s->n_jobs, s->n_jobs);
            if (!is_chosen || s->need[GENETIC_GPUS][j] > left) continue;
            uint32_t most = s->room[(size_t)j * s->n_nodes + k];
            if (most > *at) *at = (uint8_t)(*at + below(s, most - *at + 1));
        }
    }
}

/* No more than its most, nor on more nodes: entries are kept in a random order. */
static void cut_job(struct pool *p, uint32_t j, uint8_t *r)
{
    struct genetic *s = p->s;
    uint32_t nodes, n = tasks_of(p, r, &nodes);
    if (n <= s->max[j] && nodes <= s->max_nodes) return;
    uint32_t k = 0, left = s->max[j], left_nodes = s->max_nodes;
    for (uint32_t i = 0; i < s->n_nodes; i++) if (r[i] > 0) p->at[k++] = i;
    for (uint32_t i = 0; i < k; i++) {
        uint32_t o = i + below(s, k - i), node = p->at[o];
        p->at[o] = p->at[i];
        if (r[node] > left || left_nodes == 0) r[node] = (uint8_t)(left_nodes == 0 ? 0 : left);
        left -= r[node];
        left_nodes -= r[node] > 0;
    }
}

/* No more of the job on node k than there is room for, in what the jobs before it left. */
static uint32_t fit(struct pool *p, uint32_t j, uint32_t k, uint32_t n)
{
    const struct genetic *s = p->s;
    if (n > s->room[(size_t)j * s->n_nodes + k]) n = s->room[(size_t)j * s->n_nodes + k];
    for (int d = 0; d < p->n_needs; d++)
        if (s->need[d][j] > 0 && n * s->need[d][j] > p->left[d][k])
            n = p->left[d][k] > 0 ? (uint32_t)(p->left[d][k] / s->need[d][j]) : 0;
    return n;
}

static void take(struct pool *p, uint32_t j, uint32_t k, int64_t n)
{
    for (int d = 0; d < p->n_needs; d++) p->left[d][k] -= n * p->s->need[d][j];
}

static void repair(struct pool *p, uint8_t *x)
{
    struct genetic *s = p->s;
    for (uint32_t k = 0; k < s->n_nodes; k++) p->used[k] = 0;
    for (uint32_t j = 0; j < s->n_jobs; j++) {          /* who spreads comes first on each node */
        uint8_t *r = row(p, x, j);
        uint32_t nodes;
        (void)tasks_of(p, r, &nodes);
        if (nodes < 2) continue;
        for (uint32_t k = 0; k < s->n_nodes; k++) {
            if (r[k] == 0) continue;
            if (p->used[k]) r[k] = 0;
            p->used[k] = 1;
        }
    }
    for (uint32_t j = 0; j < s->n_jobs; j++) cut_job(p, j, row(p, x, j));
    for (int d = 0; d < p->n_needs; d++) memcpy(p->left[d], s->cap[d], s->n_nodes * sizeof *p->left[d]);
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        uint8_t *r = row(p, x, j);
        uint32_t n = 0;
        for (uint32_t k = 0; k < s->n_nodes; k++) {
            if (r[k] == 0) continue;
            r[k] = (uint8_t)fit(p, j, k, r[k]);
            n += r[k];
            take(p, j, k, r[k]);
        }
        for (uint32_t k = 0; k < s->n_nodes && n < s->min[j]; k++) {
            take(p, j, k, -(int64_t)r[k]);
            r[k] = 0;
        }
    }
}

/* Both objectives, to be made small. */
static void evaluate(struct pool *p, struct one *o)
{
    const struct genetic *s = p->s;
    double sum = 0, used = 0, weighed = 0;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (uint32_t k = 0; k < s->n_nodes; k++) p->used[k] = 0;
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        const uint8_t *r = row(p, o->x, j);
        uint32_t nodes, n = tasks_of(p, r, &nodes);
        double speedup = n == 0 ? 0 : s->speedup(s->ctx, j, nodes, n);
        double scaled = speedup * (double)s->need[GENETIC_GPUS][j] * p->share;
        if (memcmp(r, s->base + (size_t)j * s->n_nodes, s->n_nodes) != 0) scaled *= s->factor[j];
        sum += 1 / (scaled + 1e-3);
        weighed += speedup;             /* speedup / GPUs x GPUs: of all nodes in use */
        for (uint32_t k = 0; k < s->n_nodes; k++) {
            p->used[k] += r[k];
            hash = (hash ^ r[k]) * UINT64_C(0x100000001b3);
        }
    }
    for (uint32_t k = 0; k < s->n_nodes; k++) used += p->used[k] > 0 ? (double)s->cap[GENETIC_GPUS][k] : 0;
    o->f[0] = -(double)s->n_jobs / sum;
    o->f[1] = used > 0 ? -weighed / used : 0;
    o->hash = hash;
}

/* ---- generations ---- */

static bool beats(const struct one *a, const struct one *b)
{
    return a->f[0] <= b->f[0] && a->f[1] <= b->f[1] && (a->f[0] < b->f[0] || a->f[1] < b->f[1]);
}

static int by_first(const void *a, const void *b)
{
    const struct one *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    for (int k = 0; k < 2; k++)
        if (x->f[k] != y->f[k]) return x->f[k] < y->f[k] ? -1 : 1;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

static int by_crowd(const void *a, const void *b)
{
    const struct one *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    if (x->crowd != y->crowd) return x->crowd > y->crowd ? -1 : 1;
    return by_first(a, b);
}

/* Rank: how many fronts are before its own.  Crowding: how far the neighbours in a front are, infinite at its ends. */
static void rank(struct pool *p)
{
    for (size_t i = 0; i < p->n; i++) p->one[i].rank = 0;
    qsort(p->one, p->n, sizeof *p->one, by_first);
    for (size_t i = 0; i < p->n; i++)           /* who beats it stands before it, and has its rank already */
        for (size_t k = 0; k < i; k++)
            if (p->one[k].rank >= p->one[i].rank && beats(&p->one[k], &p->one[i])) p->one[i].rank = p->one[k].rank + 1;
    qsort(p->one, p->n, sizeof *p->one, by_first);
    for (size_t from = 0, to; from < p->n; from = to) {
        for (to = from; to < p->n && p->one[to].rank == p->one[from].rank;) to++;
        double wide = p->one[to - 1].f[0] - p->one[from].f[0], high = p->one[from].f[1] - p->one[to - 1].f[1];
        for (size_t i = from; i < to; i++)
            p->one[i].crowd = i == from || i + 1 == to
                                  ? INFINITY
                                  : (p->one[i + 1].f[0] - p->one[i - 1].f[0]) / fmax(wide, 1e-30) +
                                        (p->one[i - 1].f[1] - p->one[i + 1].f[1]) / fmax(high, 1e-30);
    }
    qsort(p->one, p->n, sizeof *p->one, by_crowd);
}

/* The better of two drawn; they stand in order. */
static const struct one *parent(struct pool *p)
{
    uint32_t a = below(p->s, (uint32_t)p->n_kept), b = below(p->s, (uint32_t)p->n_kept);
    return &p->one[a < b ? a : b];
}

static bool is_new(const struct pool *p, const struct one *o)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->one[i].hash == o->hash && memcmp(p->one[i].x, o->x, p->n_genes) == 0) return false;
    return true;
}

/* The next of the pool, from what its genes are; false: it was there already. */
static bool take_in(struct pool *p)
{
    evaluate(p, &p->one[p->n]);
    if (!is_new(p, &p->one[p->n])) return false;
    p->n++;
    return true;
}

/* Two children of two parents; how many of them are new. */
static int breed(struct pool *p, size_t most)
{
    struct genetic *s = p->s;
    const struct one *a = parent(p), *b = parent(p);
    size_t cut = chance(s, CROSS) ? (size_t)below(s, s->n_jobs) * s->n_nodes : 0;
    int n = 0;
    for (int k = 0; k < 2 && p->n < most; k++) {
        uint8_t *x = p->one[p->n].x;
        memcpy(x, (k == 0 ? b : a)->x, cut);
        memcpy(x + cut, (k == 0 ? a : b)->x + cut, p->n_genes - cut);
        mutate(p, x);
        repair(p, x);
        n += take_in(p);
    }
    return n;
}

static void begin(struct pool *p, struct genetic *s)
{
    *p = (struct pool){ .s = s, .n_genes = (size_t)s->n_jobs * s->n_nodes };
    size_t most = 2 * (size_t)s->population;
    p->one = pol_alloc(most, sizeof *p->one);
    p->genes = pol_alloc(most * p->n_genes, 1);
    for (int d = 0; d < GENETIC_NEEDS; d++) p->left[d] = pol_alloc(s->n_nodes, sizeof *p->left[d]);
    for (int d = 0; d < GENETIC_NEEDS; d++)
        for (uint32_t j = 0; j < s->n_jobs; j++)
            if (s->need[d][j] > 0) p->n_needs = d + 1;
    p->used = pol_alloc(s->n_nodes, sizeof *p->used);
    p->at = pol_alloc(s->n_nodes, sizeof *p->at);
    for (uint32_t k = 0; k < s->n_nodes; k++) p->n_gpus += (uint32_t)s->cap[GENETIC_GPUS][k];
    p->share = p->n_gpus > 0 ? (double)s->n_nodes / p->n_gpus : 0;
    for (size_t i = 0; i < most; i++) p->one[i].x = p->genes + i * p->n_genes;
    for (size_t i = 0; i < s->n_front && p->n < s->population; i++) {
        memcpy(p->one[p->n].x, s->front + i * p->n_genes, p->n_genes);
        repair(p, p->one[p->n].x);
        (void)take_in(p);
    }
    p->n_kept = p->n;
    rank(p);
}

void genetic_run(struct genetic *s)
{
    struct pool p;
    begin(&p, s);
    for (uint32_t g = 0; g < s->generations; g++) {
        const size_t both = p.n + s->population, twice = 2 * (size_t)s->population, most = both < twice ? both : twice;
        int n_new = 0;
        for (uint32_t k = 0; k < TRIES * s->population && p.n < most; k++) n_new += breed(&p, most);
        if (n_new == 0) break;
        rank(&p);
        if (p.n > s->population) p.n = s->population;
        p.n_kept = p.n;
    }
    s->n_front = 0;
    s->best = 0;
    qsort(p.one, p.n, sizeof *p.one, by_first);         /* the best by the first objective comes first */
    while (s->n_front < p.n && p.one[s->n_front].rank == 0) s->n_front++;
    POL_RESERVE(s->front, s->cap_front, s->n_front * p.n_genes);
    for (size_t i = 0; i < s->n_front; i++) memcpy(s->front + i * p.n_genes, p.one[i].x, p.n_genes);
    for (int d = 0; d < GENETIC_NEEDS; d++) free(p.left[d]);
    POL_FREE(p.one, p.genes, p.used, p.at);
}

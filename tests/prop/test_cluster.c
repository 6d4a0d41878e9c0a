/*
 * The ledger against a slow model that keeps only a list of who holds what, and
 * sums it anew for every question.  Requests are often unreasonable; a refusal
 * must leave everything as it was.
 */
#include <criterion/criterion.h>
#include <string.h>
#include "base/rng.h"
#include "model/cluster/cluster.h"

enum { NODES = 5, TASKS = 25 };

struct sched_held { bool on, is_short; uint32_t node; uint64_t cards; struct shape got; };
struct model { struct sched_held h[TASKS]; bool down[NODES]; };

static int64_t pick(struct rng *r, const int64_t *of, size_t n) { return of[rng_below(r, n)]; }
#define PICK(r, ...) pick((r), (const int64_t[]){ __VA_ARGS__ }, sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t))

static void build(struct cluster *c, struct rng *r)
{
    struct diag d = { 0 };
    for (uint32_t i = 0; i < NODES; i++) {
        char name[8];
        (void)snprintf(name, sizeof name, "n%u", i);
        struct node_spec s = { .name = name, .cpu_milli = PICK(r, 1000, 4000, 8000), .mem_b = PICK(r, 0, 10, 40), .n_gpu = (uint32_t)PICK(r, 0, 1, 2, 4),
                               .gpu_mem_b = PICK(r, 0, 16), .gpu_cores = (int32_t)PICK(r, 0, 0, 100), .max_tasks = (uint32_t)PICK(r, 0, 0, 1, 3),
                               .cpu_reserved = PICK(r, 0, 0, 700), .labels = rng_below(r, 4), .engine = { (int32_t)PICK(r, 0, 1) } };
        s.mem_reserved = s.mem_b > 0 ? PICK(r, 0, 0, 3) : 0;
        s.gpu_type = s.n_gpu ? (rng_below(r, 2) ? "x" : "y") : NULL;
        cr_assert_eq(cluster_add(c, &s, &d), ST_OK);
    }
    cluster_seal(c);
}

static struct shape make_shape(struct rng *r)
{
    struct shape s;
    memset(&s, 0, sizeof s);
    s.cpu_milli = PICK(r, 0, 500, 1000, 3000);
    s.mem_b = PICK(r, 0, 1, 10, 20);
    if (rng_below(r, 2)) {
        s.n_gpu = (int32_t)PICK(r, 1, 1, 2, 3);
        s.gpu_milli = (int32_t)PICK(r, 1, 250, 400, 1000);
        s.gpu_mem_b = PICK(r, 0, 5, 16, 17);
        s.gpu_cores = (int32_t)PICK(r, 0, 0, 30, 100, 101);
        s.gpu_types = rng_below(r, 4);
    }
    if (rng_below(r, 5) == 0) s.need_all = rng_below(r, 4);
    if (rng_below(r, 5) == 0) s.need_any = rng_below(r, 4);
    if (rng_below(r, 6) == 0) s.engine[0] = 1;
    if (rng_below(r, 8) == 0) s.exclusive = 1;
    return s;
}

/* Free now, summed over the holders. */
static int64_t left(const struct cluster *c, const struct model *m, uint32_t node, int what, uint32_t card)
{
    const struct pol_node *n = &c->node[node];
    int64_t x = what == 0 ? n->cpu_total - n->cpu_reserved : what == 1 ? n->mem_total - n->mem_reserved : what == 5 ? c->card[n->card0 + card].core_total : what == 2 ? GPU_WHOLE : what == 3 ? c->card[n->card0 + card].mem_total : n->engine_total[0];
    for (int t = 0; t < TASKS; t++) {
        const struct sched_held *h = &m->h[t];
        if (!h->on || h->node != node || ((what == 2 || what == 3 || what == 5) && (h->cards >> card & 1) == 0)) continue;
        x -= what == 0 ? h->got.cpu_milli : what == 1 ? h->got.mem_b : what == 2 ? h->got.gpu_milli : what == 3 ? h->got.gpu_mem_b : what == 5 ? h->got.gpu_cores : h->got.engine[0];
    }
    return x;
}

static int holders(const struct model *m, uint32_t node)
{
    int n = 0;
    for (int t = 0; t < TASKS; t++) n += m->h[t].on && m->h[t].node == node;
    return n;
}

static bool card_ok(const struct cluster *c, const struct model *m, uint32_t node, uint32_t k, const struct shape *s)
{
    return left(c, m, node, 2, k) >= s->gpu_milli &&
           (s->gpu_mem_b == 0 || c->card[c->node[node].card0 + k].mem_total == 0 || left(c, m, node, 3, k) >= s->gpu_mem_b) &&
           (s->gpu_cores == 0 || c->card[c->node[node].card0 + k].core_total == 0 || left(c, m, node, 5, k) >= s->gpu_cores);
}

static bool fits(const struct cluster *c, const struct model *m, uint32_t node, const struct shape *s)
{
    const struct pol_node *n = &c->node[node];
    int cards = 0;
    for (uint32_t k = 0; k < n->n_gpu; k++) cards += card_ok(c, m, node, k, s);
    bool type = s->n_gpu == 0 || s->gpu_types == 0 || (n->gpu_type != NONE && (s->gpu_types >> n->gpu_type & 1));
    bool label = (n->labels & s->need_all) == s->need_all && (s->need_any == 0 || (n->labels & s->need_any));
    return !m->down[node] && left(c, m, node, 0, 0) >= s->cpu_milli && left(c, m, node, 1, 0) >= s->mem_b &&
           left(c, m, node, 4, 0) >= s->engine[0] && type && label && cards >= s->n_gpu && (!s->exclusive || holders(m, node) == 0) &&
           (n->max_tasks == 0 || holders(m, node) < (int)n->max_tasks);
}

/* What is missing, one resource after the other; never: not even on the empty node, up. */
static uint32_t lacks(const struct cluster *c, const struct model *m, uint32_t node, const struct shape *s)
{
    static const struct model empty;
    uint32_t bits = 0;
    struct shape share = *s, mem = *s, cores = *s;
    int n_all = 0, n_share = 0, n_mem = 0, n_cores = 0;
    share.gpu_mem_b = cores.gpu_mem_b = share.gpu_cores = mem.gpu_cores = 0;
    if (fits(c, m, node, s)) return 0;
    if (!fits(c, &empty, node, s)) return LACK_NEVER;
    if (m->down[node]) return LACK_DOWN;
    for (uint32_t k = 0; k < c->node[node].n_gpu; k++) {
        n_all += card_ok(c, m, node, k, s);
        n_share += card_ok(c, m, node, k, &share);
        n_mem += card_ok(c, m, node, k, &mem);
        n_cores += card_ok(c, m, node, k, &cores);
    }
    if (n_share < s->n_gpu) bits |= LACK_GPU;
    else if (n_all < s->n_gpu && n_mem >= s->n_gpu && n_cores >= s->n_gpu) bits |= LACK_CARD_MEM | LACK_CARD_CORES;
    else bits |= (n_mem < s->n_gpu ? LACK_CARD_MEM : 0) | (n_cores < s->n_gpu ? LACK_CARD_CORES : 0);
    if (c->node[node].max_tasks > 0 && holders(m, node) >= (int)c->node[node].max_tasks) bits |= LACK_TASKS;
    if (left(c, m, node, 0, 0) < s->cpu_milli) bits |= LACK_CPU;
    if (left(c, m, node, 1, 0) < s->mem_b) bits |= LACK_MEM;
    if (left(c, m, node, 4, 0) < s->engine[0]) bits |= LACK_ENGINE;
    if (s->exclusive && holders(m, node) > 0) bits |= LACK_IDLE;
    return bits;
}

static uint64_t cards_of(const struct cluster *c, const struct model *m, uint32_t node, const struct shape *s)
{
    uint64_t got = 0;
    for (int i = 0; i < s->n_gpu; i++) {
        int best = -1;
        for (uint32_t k = 0; k < c->node[node].n_gpu; k++) {
            if ((got >> k & 1) || !card_ok(c, m, node, k, s)) continue;
            if (best < 0) { best = (int)k; continue; }
            int64_t a = left(c, m, node, 2, k), b = left(c, m, node, 2, (uint32_t)best);
            if (a < b || (a == b && c->card[c->node[node].card0].mem_total > 0 && left(c, m, node, 3, k) < left(c, m, node, 3, (uint32_t)best))) best = (int)k;
        }
        got |= UINT64_C(1) << best;
    }
    return got;
}

static void same_state(const struct cluster *c, const struct model *m, uint64_t seed, int step)
{
    cluster_audit(c);
    for (uint32_t i = 0; i < NODES; i++) {
        const struct pol_node *n = &c->node[i];
        cr_assert(n->cpu_free == left(c, m, i, 0, 0) && n->mem_free == left(c, m, i, 1, 0) && n->engine_free[0] == left(c, m, i, 4, 0) &&
                  (int)n->n_tasks == holders(m, i) && n->is_up == !m->down[i], "seed %lu step %d node %u", (unsigned long)seed, step, i);
        for (uint32_t k = 0; k < n->n_gpu; k++) {
            const struct pol_card *card = &c->card[n->card0 + k];
            cr_assert(card->milli_free == left(c, m, i, 2, k) && (card->mem_total == 0 || card->mem_free == left(c, m, i, 3, k)) &&
                      (card->core_total == 0 || card->core_free == left(c, m, i, 5, k)),
                      "seed %lu step %d node %u card %u", (unsigned long)seed, step, i, k);
        }
    }
}

static void try_take(struct cluster *c, struct model *m, struct rng *r, uint64_t seed, int step)
{
    uint32_t t = (uint32_t)rng_below(r, TASKS), node = (uint32_t)rng_below(r, NODES + (rng_below(r, 20) == 0));
    struct shape s = make_shape(r), given = s;
    uint64_t cards = rng_below(r, 3) ? 0 : rng_below(r, 16), all, want = cards;
    bool ok = node < NODES && !m->h[t].on && fits(c, m, node, &s);
    if (node < NODES) cr_assert_eq(cluster_fits(c, node, &s), fits(c, m, node, &s), "seed %lu step %d", (unsigned long)seed, step);
    if (node < NODES) cr_assert_eq(cluster_lacks(c, node, &s), lacks(c, m, node, &s), "seed %lu step %d: lacks %u, not %u", (unsigned long)seed, step,
                                   cluster_lacks(c, node, &s), lacks(c, m, node, &s));
    if (ok) {
        all = (UINT64_C(1) << c->node[node].n_gpu) - 1;
        if (s.exclusive) { ok = cards == 0 || cards == all; want = all; }
        else if (cards == 0) { want = cards_of(c, m, node, &s); cr_assert_eq(cluster_pick_cards(c, node, &s), want); }
        else {
            ok = (cards & ~all) == 0 && __builtin_popcountll(cards) == s.n_gpu;
            for (uint32_t k = 0; k < c->node[node].n_gpu; k++) ok = ok && ((cards >> k & 1) == 0 || card_ok(c, m, node, k, &s));
        }
    }
    /* By count: when it is refused for the cards' memory or cores alone, it gets the shares without them. */
    bool by_count = rng_below(r, 3) == 0, is_short = false;
    if (by_count && !ok && node < NODES) {
        struct shape counted = s;
        counted.gpu_mem_b = 0;
        counted.gpu_cores = 0;
        all = (UINT64_C(1) << c->node[node].n_gpu) - 1;
        ok = !m->h[t].on && fits(c, m, node, &counted);
        want = s.exclusive ? all : cards == 0 && ok ? cards_of(c, m, node, &counted) : cards;
        if (s.exclusive) ok = ok && (cards == 0 || cards == all);
        else ok = ok && (want & ~all) == 0 && __builtin_popcountll(want) == s.n_gpu;
        for (uint32_t k = 0; k < c->node[node].n_gpu; k++) ok = ok && (s.exclusive || (want >> k & 1) == 0 || card_ok(c, m, node, k, &counted));
        if (ok) { s = counted; is_short = true; }
    }
    struct shape asked = s;
    if (is_short) { asked.gpu_mem_b = given.gpu_mem_b; asked.gpu_cores = given.gpu_cores; }
    enum pol_refusal why = by_count ? cluster_allocate_by_count(c, t, node, &asked, cards) : cluster_allocate(c, t, node, &s, cards);
    cr_assert_eq(why == POL_OK, ok, "seed %lu step %d: %s", (unsigned long)seed, step, pol_refusal_words(why));
    if (!ok) return;
    cr_assert_eq(cluster_hold(c, t)->is_short, is_short);
    m->h[t] = (struct sched_held){ .on = true, .is_short = is_short, .node = node, .cards = want, .got = s };
    cr_assert_eq(cluster_hold(c, t)->cards, want, "seed %lu step %d", (unsigned long)seed, step);
    if (s.exclusive) {
        const struct pol_node *n = &c->node[node];
        m->h[t].got = (struct shape){ .cpu_milli = n->cpu_total - n->cpu_reserved, .mem_b = n->mem_total - n->mem_reserved, .gpu_milli = GPU_WHOLE, .engine = { n->engine_total[0] },
                                      .gpu_mem_b = n->n_gpu && !is_short ? c->card[n->card0].mem_total : 0,
                                      .gpu_cores = n->n_gpu && !is_short ? c->card[n->card0].core_total : 0 };
    }
}

static void script(uint64_t seed)
{
    struct rng r;
    rng_init(&r, seed, "test cluster", 0);
    struct cluster c = { 0 };
    struct model m = { 0 };
    build(&c, &r);
    for (int i = 0; i < 200; i++) {
        uint64_t what = rng_below(&r, 10);
        uint32_t t = (uint32_t)rng_below(&r, TASKS), node = (uint32_t)rng_below(&r, NODES);
        if (what < 6) {
            try_take(&c, &m, &r, seed, i);
        } else if (what < 9) {
            if (m.h[t].on) { cluster_release(&c, t); m.h[t].on = false; }
            cr_assert_null(cluster_hold(&c, t));
        } else if (holders(&m, node) == 0) {
            cluster_set_up(&c, node, m.down[node]);
            m.down[node] = !m.down[node];
        }
        same_state(&c, &m, seed, i);
    }
    cluster_reset(&c);
    memset(&m, 0, sizeof m);
    same_state(&c, &m, seed, -1);
    cluster_fini(&c);
}

Test(cluster_prop, agrees_with_a_list_of_holders_on_random_scripts)
{
    for (uint64_t seed = 1; seed <= 300; seed++) script(seed);
}

/* Capacity of one shape is what first fit really places on the empty cluster. */
Test(cluster_prop, capacity_is_how_many_can_be_placed)
{
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        struct rng r;
        rng_init(&r, seed, "test capacity", 0);
        struct cluster c = { 0 };
        build(&c, &r);
        struct shape s = make_shape(&r);
        if (s.cpu_milli == 0 && s.mem_b == 0) s.cpu_milli = 500;
        uint32_t n = 0;
        for (uint32_t i = 0; i < NODES; i++)
            while (cluster_allocate(&c, n, i, &s, 0) == POL_OK) n++;
        cr_assert_eq(cluster_capacity(&c, &s), n, "seed %lu", (unsigned long)seed);
        cluster_fini(&c);
    }
}

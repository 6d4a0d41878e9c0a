/* test_heap.c -- lib/heap.h against a slow reference: an array that is searched from end to end. */
#include <criterion/criterion.h>
#include "base/rng.h"
#include "lib/heap.h"

enum { ITEMS = 300, STEPS = 20000 };

struct item { uint32_t key, id; };
struct where { size_t at[ITEMS]; bool in[ITEMS]; };     /* by id */

static bool before(struct where *w, const struct item *a, const struct item *b)
{
    (void)w;
    return a->key != b->key ? a->key < b->key : a->id < b->id;
}
static void stands(struct where *w, const struct item *x, size_t i) { w->at[x->id] = i; }

HEAP(plain, struct where *, struct item, before);
HEAP_INDEXED(two, 2, struct where *, struct item, before, stands);
HEAP_INDEXED(four, 4, struct where *, struct item, before, stands);

static size_t least(struct where *w, const struct item *at, size_t n)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (before(w, &at[i], &at[best])) best = i;
    return best;
}

/* Every vertex stands where its owner thinks, and is not after its children. */
static void audit(struct where *w, const struct item *at, size_t n, size_t ways, const uint32_t *key)
{
    size_t in = 0;
    for (size_t i = 0; i < ITEMS; i++) in += w->in[i];
    cr_assert_eq(in, n);
    for (size_t i = 0; i < n; i++) {
        cr_assert(w->in[at[i].id]);
        cr_assert_eq(w->at[at[i].id], i);
        cr_assert_eq(at[i].key, key[at[i].id]);
        if (i > 0) cr_assert_not(before(w, &at[i], &at[(i - 1) / ways]), "vertex %zu of %zu", i, n);
    }
}

/* Random pushes, removals anywhere and changes of keys, at sizes that grow and shrink. */
#define CHURN(name, ways)                                                                           \
static void churn_##name(uint64_t seed)                                                             \
{                                                                                                   \
    struct where w = { .in = { false } };                                                           \
    struct item at[ITEMS];                                                                          \
    uint32_t key[ITEMS] = { 0 };                                                                    \
    size_t n = 0;                                                                                   \
    struct rng r;                                                                                   \
    rng_init(&r, seed, "heap", ways);                                                               \
    for (int step = 0; step < STEPS; step++) {                                                      \
        uint32_t id = (uint32_t)rng_below(&r, ITEMS), k = (uint32_t)rng_below(&r, 50);              \
        if (!w.in[id]) {                                                                            \
            key[id] = k;                                                                            \
            w.in[id] = true;                                                                        \
            name##_push(&w, at, n++, (struct item){ k, id });                                       \
        } else if (rng_below(&r, step / 5000 % 2 ? 2 : 5) == 0) {                                   \
            w.in[id] = false;                                                                       \
            name##_take(&w, at, n--, w.at[id]);                                                     \
        } else {                                                                                    \
            bool later = k > key[id];                                                               \
            at[w.at[id]].key = key[id] = k;                                                         \
            if (later) name##_sink(&w, at, n, w.at[id]); else name##_rise(&w, at, w.at[id]);        \
        }                                                                                           \
        if (n > 0) cr_assert_eq(least(&w, at, n), 0);                                               \
        if (step % 100 == 0) audit(&w, at, n, ways, key);                                           \
    }                                                                                               \
    cr_assert_gt(n, 0);                                                                             \
}
CHURN(two, 2)
CHURN(four, 4)

Test(heap, stays_one_under_random_changes)
{
    for (uint64_t seed = 1; seed <= 5; seed++) churn_two(seed);
}

Test(heap, of_four_ways_too)
{
    for (uint64_t seed = 1; seed <= 5; seed++) churn_four(seed);
}

/* Made of any array, and emptied from the top, it sorts. */
Test(heap, make_then_take_sorts)
{
    struct rng r;
    rng_init(&r, 7, "heap", 0);
    for (size_t n = 0; n <= 70; n++) {
        struct where w = { .in = { false } };
        struct item a[ITEMS], b[ITEMS], last = { 0, 0 };
        for (size_t i = 0; i < n; i++) a[i] = b[i] = (struct item){ (uint32_t)rng_below(&r, 20), (uint32_t)i };
        plain_make(&w, a, n);
        four_make(&w, b, n);
        for (size_t i = 0; i < n; i++) cr_assert_eq(w.at[b[i].id], i);
        for (size_t left = n; left > 0; left--) {
            cr_assert_eq(a[0].id, b[0].id);
            if (left < n) cr_assert(before(&w, &last, &a[0]));
            last = a[0];
            plain_take(&w, a, left, 0);
            four_take(&w, b, left, 0);
        }
    }
}

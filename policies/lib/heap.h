/*
 * heap.h -- the one heap: a macro that makes the functions of a heap over any
 * array.  policies/ and sim/ share it; it includes nothing of either.
 *
 *   HEAP(name, ctx, item, before)                  a binary heap
 *   HEAP_INDEXED(name, ways, ctx, item, before, stands)
 *
 *   ctx     a type that is handed through to the two macros or functions below
 *   before  bool before(ctx, const item *a, const item *b).  Where the order of
 *           equal items would show in a result, let no two be equal
 *   ways    children of a vertex: 2, or 4 where the heap is large and always hot
 *   stands  stands(ctx, const item *x, size_t i): x stands at i from now on, so
 *           that whoever owns items can tell where each is
 *
 * The heap is at[0 .. n), the first item at [0]; the caller owns the array, grows
 * it, and counts: name_push needs room for one more, and after it, and after
 * name_take, n differs by one.  at[i] is not after its children, at[ways * i + 1
 * .. ways * i + ways]; a caller may search below a vertex by that.
 *
 *   name_push(c, at, n, x)     add x, the n + 1st                      O(log n)
 *   name_take(c, at, n, i)     remove the i-th; it is overwritten      O(log n)
 *   name_sink(c, at, n, i)     the i-th may have to stand later now    O(log n)
 *   name_rise(c, at, i)        the i-th may have to stand earlier now  O(log n)
 *   name_make(c, at, n)        an array in any order becomes a heap    O(n)
 */
#ifndef POL_LIB_HEAP_H
#define POL_LIB_HEAP_H

#include <stdbool.h>
#include <stddef.h>

#define HEAP_STANDS_ANYWHERE(c, x, i) ((void)0)
#define HEAP_MADE __attribute__((unused)) static inline      /* few callers use all five */
#define HEAP(name, ctx, item, before) HEAP_INDEXED(name, 2, ctx, item, before, HEAP_STANDS_ANYWHERE)

#define HEAP_INDEXED(name, ways, ctx, item, before, stands)                                  \
HEAP_MADE void name##_rise(ctx c, item *at, size_t i)                                        \
{                                                                                            \
    (void)c;                                                                                 \
    item x = at[i];                                                                          \
    for (size_t up; i > 0 && before(c, &x, &at[up = (i - 1) / (ways)]); i = up) {            \
        at[i] = at[up];                                                                      \
        stands(c, &at[i], i);                                                                \
    }                                                                                        \
    at[i] = x;                                                                               \
    stands(c, &at[i], i);                                                                    \
}                                                                                            \
HEAP_MADE void name##_sink(ctx c, item *at, size_t n, size_t i)                              \
{                                                                                            \
    (void)c;                                                                                 \
    item x = at[i];                                                                          \
    for (size_t k; (k = (ways) * i + 1) < n;) {                                              \
        item *first = &at[k], *end = k + (ways) < n ? first + (ways) : at + n;               \
        for (item *child = first + 1; child < end; child++)                                  \
            first = before(c, child, first) ? child : first;                                 \
        if (!before(c, first, &x)) break;                                                    \
        at[i] = *first;                                                                      \
        stands(c, &at[i], i);                                                                \
        i = (size_t)(first - at);                                                            \
    }                                                                                        \
    at[i] = x;                                                                               \
    stands(c, &at[i], i);                                                                    \
}                                                                                            \
HEAP_MADE void name##_push(ctx c, item *at, size_t n, item x)                                \
{                                                                                            \
    at[n] = x;                                                                               \
    name##_rise(c, at, n);                                                                   \
}                                                                                            \
HEAP_MADE void name##_take(ctx c, item *at, size_t n, size_t i)                              \
{                                                                                            \
    if (i == --n) return;                                                                    \
    at[i] = at[n];                                                                           \
    if (i > 0 && before(c, &at[i], &at[(i - 1) / (ways)])) name##_rise(c, at, i);            \
    else name##_sink(c, at, n, i);                                                           \
}                                                                                            \
HEAP_MADE void name##_make(ctx c, item *at, size_t n)                                        \
{                                                                                            \
    size_t inner = n > 1 ? (n - 2) / (ways) + 1 : 0;                                         \
    for (size_t i = inner; i < n; i++) stands(c, &at[i], i);                                 \
    for (size_t i = inner; i-- > 0;) name##_sink(c, at, n, i);                               \
}                                                                                            \
typedef item name##_item    /* so that a semicolon ends it */

#endif

/*
 * mem.h -- allocation that cannot fail quietly, and growable arrays.  Layer: base.
 *
 * mem_* never return NULL: when memory is exhausted the program says how much
 * was asked for and exits with status 3.  Products are overflow-checked.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdarg.h>
#include <stdio.h>
#include "base/base.h"

/*
 * For the program's first lines: glibc's heap begins in large pages, as far as the system gives them on advice
 * (lib/pages.h), and blocks of 4 MiB or more are mapped one by one, so that they grow without being copied.
 */
void  mem_use_large_pages(void);

void *mem_alloc(size_t n, size_t size);              /* zeroed */
void *mem_grow(void *p, size_t n, size_t size);      /* like realloc; new bytes are not zeroed */
char *mem_strdup(const char *s);
char *mem_strndup(const char *s, size_t n);
char *mem_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));              /* of any length */
char *mem_vprintf(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));
void  mem_free(void *p);                             /* NULL is fine */
void  mem_free_all(void *const *p, size_t n);        /* in this order; every p is read before any is freed */
#define MEM_FREE(...) mem_free_all((void *[]){ __VA_ARGS__ }, sizeof (void *[]){ __VA_ARGS__ } / sizeof(void *))

/* Text that is written as to a file; closing gives it, owned by the caller.  It is all there: else they exit as above. */
struct mem_text { FILE *to; char *text; size_t n; };
void  mem_text_open(struct mem_text *t);
char *mem_text_close(struct mem_text *t);

/* A new zeroed object, or an array of n of them, typed by its pointer. */
#define MEM_NEW(p)      ((p) = mem_alloc(1, sizeof *(p)))
#define MEM_ARRAY(p, n) ((p) = mem_alloc((n), sizeof *(p)))

/*
 * Make room for element `want` - 1 of an array that holds `*cap` elements,
 * doubling; new elements are zeroed.  Returns the array, which may have moved.
 */
void *mem_reserve_more(void *p, size_t *cap, size_t want, size_t size) __attribute__((cold));     /* where there is too little */
static inline void *mem_reserve(void *p, size_t *cap, size_t want, size_t size)
{
    return want <= *cap ? p : mem_reserve_more(p, cap, want, size);
}
#define MEM_RESERVE(p, cap, want) ((p) = mem_reserve((p), &(cap), (want), sizeof *(p)))
/* The same for the largest arrays: new elements are not zeroed, so what is not in use yet takes no memory. */
void *mem_room_more(void *p, size_t *cap, size_t want, size_t size) __attribute__((cold));
static inline void *mem_room(void *p, size_t *cap, size_t want, size_t size)
{
    return want <= *cap ? p : mem_room_more(p, cap, want, size);
}
#define MEM_ROOM(p, cap, want) ((p) = mem_room((p), &(cap), (want), sizeof *(p)))
/* One more element behind the n that there are: where it is; with this value. */
#define MEM_NEXT(p, n, cap) (MEM_RESERVE(p, cap, (size_t)(n) + 1), &(p)[(n)++])
#define MEM_PUSH(p, n, cap, ...) (MEM_RESERVE(p, cap, (size_t)(n) + 1), (p)[(n)] = __VA_ARGS__, (void)(n)++)

#endif

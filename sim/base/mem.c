/* mem.c -- calloc and realloc, checked: the only calls of them in sim/. */
#define _DEFAULT_SOURCE     /* sbrk */
#include "base/mem.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lib/pages.h"

static _Noreturn void exhausted(size_t n, size_t size)
{
    (void)fprintf(stderr, "fairway: out of memory: asked for %zu x %zu bytes\n", n, size);
    exit(3);
}

void mem_use_large_pages(void)
{
#ifdef M_MMAP_THRESHOLD
    enum { BLOCK = 28 << 20, BLOCKS = 9, MOST = 32 << 20, LARGE = 4 << 20 };    /* MOST: glibc takes no more */
    void *block[BLOCKS];
    char *const begin = sbrk(0);
    (void)mallopt(M_ARENA_MAX, 1);
    (void)mallopt(M_MMAP_THRESHOLD, MOST);
    (void)mallopt(M_TRIM_THRESHOLD, BLOCKS * MOST);
    for (size_t i = 0; i < BLOCKS; i++) block[i] = malloc(BLOCK);
    (void)pages_large(begin, (size_t)((char *)sbrk(0) - begin));
    mem_free_all(block, BLOCKS);
    (void)mallopt(M_MMAP_THRESHOLD, LARGE);
#endif
}

void *mem_alloc(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size ? size : 1);    /* calloc checks the product */
    if (p == NULL) exhausted(n, size);
    return pages_large(p, n * size);
}

void *mem_grow(void *p, size_t n, size_t size)
{
    if (size != 0 && n > SIZE_MAX / size) exhausted(n, size);
    void *q = realloc(p, n * size > 0 ? n * size : 1);
    if (q == NULL) exhausted(n, size);
    return pages_large(q, n * size);
}

char *mem_vprintf(const char *fmt, va_list ap)
{
    char few[128];
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(few, sizeof few, fmt, again);
    va_end(again);
    SIM_ASSERT(n >= 0);
    if ((size_t)n < sizeof few) return mem_strndup(few, (size_t)n);
    char *s = mem_alloc((size_t)n + 1, 1);
    (void)vsnprintf(s, (size_t)n + 1, fmt, ap);
    return s;
}

char *mem_printf(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *s = mem_vprintf(fmt, ap);
    va_end(ap);
    return s;
}

char *mem_strndup(const char *s, size_t n)
{
    char *p = mem_alloc(n + 1, 1);
    memcpy(p, s, n);
    return p;
}

char *mem_strdup(const char *s) { return mem_strndup(s, strlen(s)); }

void mem_free(void *p) { free(p); }

void mem_free_all(void *const *p, size_t n)
{
    for (size_t i = 0; i < n; i++) free(p[i]);
}

void mem_text_open(struct mem_text *t)
{
    *t = (struct mem_text){ .to = NULL };
    t->to = open_memstream(&t->text, &t->n);
    if (t->to == NULL) exhausted(1, 1);
}

char *mem_text_close(struct mem_text *t)
{
    bool failed = ferror(t->to) != 0;
    if (fclose(t->to) != 0 || failed || t->text == NULL) exhausted(t->n, 1);
    return t->text;
}

void *mem_room_more(void *p, size_t *cap, size_t want, size_t size)
{
    size_t c = *cap ? *cap : 8;
    while (c < want) {
        if (c > SIZE_MAX / 2) exhausted(want, size);
        c *= 2;
    }
    *cap = c;
    return mem_grow(p, c, size);
}

void *mem_reserve_more(void *p, size_t *cap, size_t want, size_t size)
{
    const size_t was = *cap;
    p = mem_room_more(p, cap, want, size);
    memset((char *)p + was * size, 0, (*cap - was) * size);
    return p;
}

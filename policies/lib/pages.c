/* pages.c -- the advice of pages.h. */
#define _DEFAULT_SOURCE     /* madvise */
#include "lib/pages.h"

#include <stdint.h>
#include <sys/mman.h>

enum { LARGE_PAGE = 2 << 20 };

void *pages_large(void *p, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    if (bytes < LARGE_PAGE) return p;
    const size_t before = -(uintptr_t)p % LARGE_PAGE;
    (void)madvise((char *)p + before, (bytes - before) / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
#else
    (void)bytes;
#endif
    return p;
}

/*
 * pages.h -- large pages for large blocks: to be given 100,000 nodes and their cards in pages of 4 KiB took a third of
 * the processor time of a run on them.  policies/ and sim/ share it; it includes nothing of either.
 */
#ifndef POL_LIB_PAGES_H
#define POL_LIB_PAGES_H

#include <stddef.h>

/*
 * Ask the system for large pages for a block of malloc's where it is large and the system has them (Linux:
 * MADV_HUGEPAGE), best before it is written to.  Only advice: whether it is taken shows nowhere.  Returns p.
 */
void *pages_large(void *p, size_t bytes);

#endif

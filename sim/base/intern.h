/*
 * intern.h -- strings to dense ids in first-seen order, and back.  Layer: base.
 * Ids depend on the order of interning alone, so they are the same on every
 * machine.  O(length) a look-up.
 */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include "base/base.h"
#include "lib/map.h"

struct intern_block;

struct intern {
    char   **name;          /* [n] in the blocks */
    uint32_t n, last;       /* last: asked for most recently */
    size_t   cap_name;
    struct map of_name;
    struct intern_block *block;     /* the latest; the names of a cluster are many, and short */
    size_t   block_size, n_used;    /* its bytes */
};

void        intern_fini(struct intern *t);      /* zero-initialise to begin */
uint32_t    intern_id(struct intern *t, const char *s);          /* adds it when new */
uint32_t    intern_find(const struct intern *t, const char *s);  /* NONE when absent */
const char *intern_name(const struct intern *t, uint32_t id);    /* borrowed until fini */

#endif

/*
 * intern.h -- strings to dense ids in first-seen order, and back.  Layer: base.
 * Ids depend on the order of interning alone, so they are the same on every
 * machine.  O(length) a look-up.
 */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include <string.h>
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
uint32_t    intern_id_of(struct intern *t, const char *s);       /* adds it when new */
/* As in traces often, and in clusters. */
static inline bool intern_is_last(const struct intern *t, const char *s) { return t->n > 0 && strcmp(t->name[t->last], s) == 0; }
/* The same, asked of the last one first. */
static inline uint32_t intern_id(struct intern *t, const char *s) { return intern_is_last(t, s) ? t->last : intern_id_of(t, s); }
uint32_t    intern_find(const struct intern *t, const char *s);  /* NONE when absent */
const char *intern_name(const struct intern *t, uint32_t id);    /* borrowed until fini */

#endif

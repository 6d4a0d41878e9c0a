/*
 * scratch.h -- files without a name for what outgrows memory, and arrays in them.  Layer: base.
 *
 * Files lie in $TMPDIR, else in /tmp, and are gone when they are closed or the program ends.
 */
#ifndef BASE_SCRATCH_H
#define BASE_SCRATCH_H

#include <stdio.h>
#include "base/base.h"

FILE *scratch_file(void);       /* NULL: errno says why */
/* n bytes at this offset, which were written before; false: errno says why, 0 that the file is too short.  There is
 * no position to share: several may read one file. */
bool scratch_read(FILE *f, void *to, size_t n, int64_t at);

/*
 * An array, of which SCRATCH_FRAMES pages are in memory, those used last, and the others in a file, which is made
 * when there are more.  Elements are zero until they are written.  A page not in memory costs reading it and writing
 * another, so going through in order costs that once a page.  As in mem.h nothing fails quietly: where the file
 * cannot be used the program says so and exits with status 3.
 */
enum { SCRATCH_PAGE = 1 << 16, SCRATCH_FRAMES = 256 };      /* bytes; 16 MiB of an array are in memory */

struct scratch {
    uint64_t n;                 /* elements, up to the last that was asked for to be written */
    size_t   size;              /* of an element, bytes */
    unsigned shift;             /* a page has 2^shift of them, */
    uint64_t in_page;           /* and these bits of an index say which */
    char    *bytes;             /* the page at hand */
    uint64_t at;                /* its number; UINT64_MAX: none is */
    uint32_t current;           /* its frame */
    struct scratch_page { uint32_t frame; bool is_in_file; } *page; size_t cap_page;    /* frame NONE: not in memory */
    struct scratch_frame { char *bytes; uint64_t page; bool is_changed, is_used; } *frame;
    uint32_t n_frames, hand;
    FILE    *file;
};

void  scratch_init(struct scratch *s, size_t size);         /* size: at most a page */
void  scratch_fini(struct scratch *s);                      /* of zeroes too */
void  scratch_turn(struct scratch *s, uint64_t page);       /* the page at hand is this one now */

/* An element to be read, i < n; valid until the next call. */
static inline const void *scratch_get(struct scratch *s, uint64_t i)
{
    if (s->at != i >> s->shift) scratch_turn(s, i >> s->shift);
    return s->bytes + (i & s->in_page) * s->size;
}

/* One to be written as well, any. */
static inline void *scratch_put(struct scratch *s, uint64_t i)
{
    if (i >= s->n) s->n = i + 1;
    char *e = (char *)scratch_get(s, i);
    s->frame[s->current].is_changed = true;
    return e;
}

/*
 * Numbers, SCRATCH_NUMBERS at a time, at the end of an array of bytes, each in as few of them as it takes; and those at
 * byte *at, which is moved to the next: the faster, the more zeros are at their end.
 */
enum { SCRATCH_NUMBERS = 7 };
void scratch_append(struct scratch *s, const uint64_t x[SCRATCH_NUMBERS]);
void scratch_take(struct scratch *s, uint64_t *at, uint64_t x[SCRATCH_NUMBERS]);

#endif

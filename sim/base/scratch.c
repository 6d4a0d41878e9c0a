/*
 * scratch.c -- the pages of scratch.h.  Which page leaves memory: the first that was not used since the hand last
 * came by, as in the clock algorithm (Corbato, A paging experiment with the Multics system, 1968).
 */
#include "base/scratch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

FILE *scratch_file(void)
{
    const char *dir = getenv("TMPDIR");
    char *name = mem_printf("%s/fairway-XXXXXX", dir != NULL && *dir != '\0' ? dir : "/tmp");
    int fd = mkstemp(name);
    FILE *f = NULL;
    if (fd >= 0) {
        (void)unlink(name);
        f = fdopen(fd, "w+b");
        if (f == NULL) (void)close(fd);
    }
    mem_free(name);
    return f;
}

bool scratch_read(FILE *f, void *to, size_t n, int64_t at)
{
    for (char *p = to; n > 0;) {
        ssize_t got = pread(fileno(f), p, n, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got == 0) errno = 0;
        if (got <= 0) return false;
        p += got;
        at += got;
        n -= (size_t)got;
    }
    return true;
}

static bool write_at(FILE *f, const char *p, size_t n, int64_t at)
{
    while (n > 0) {
        ssize_t put = pwrite(fileno(f), p, n, (off_t)at);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        p += put;
        at += put;
        n -= (size_t)put;
    }
    return true;
}

static _Noreturn void failed(const char *what)
{
    (void)fprintf(stderr, "fairway: cannot %s the temporary file for what outgrows memory: %s\n", what,
                  errno != 0 ? strerror(errno) : "it is too short");
    exit(3);
}

void scratch_init(struct scratch *s, size_t size)
{
    SIM_ASSERT(size > 0 && size <= SCRATCH_PAGE);
    *s = (struct scratch){ .size = size, .at = UINT64_MAX };
    while (size << (s->shift + 1) <= SCRATCH_PAGE) s->shift++;
    s->in_page = (UINT64_C(1) << s->shift) - 1;
}

void scratch_fini(struct scratch *s)
{
    for (uint32_t i = 0; i < s->n_frames; i++) mem_free(s->frame[i].bytes);
    MEM_FREE(s->frame, s->page);
    if (s->file != NULL) (void)fclose(s->file);
    *s = (struct scratch){ .at = UINT64_MAX };
}

/* A frame whose page has left. */
static uint32_t empty_frame(struct scratch *s)
{
    if (s->frame == NULL) MEM_ARRAY(s->frame, SCRATCH_FRAMES);
    if (s->n_frames < SCRATCH_FRAMES) {
        s->frame[s->n_frames].bytes = mem_grow(NULL, 1, s->size << s->shift);
        return s->n_frames++;
    }
    for (; s->frame[s->hand].is_used; s->hand = (s->hand + 1) % SCRATCH_FRAMES) s->frame[s->hand].is_used = false;
    const uint32_t k = s->hand;
    struct scratch_frame *f = &s->frame[k];
    s->hand = (k + 1) % SCRATCH_FRAMES;
    if (f->is_changed) {
        if (s->file == NULL && (s->file = scratch_file()) == NULL) failed("make");
        if (!write_at(s->file, f->bytes, s->size << s->shift, (int64_t)(f->page * SCRATCH_PAGE))) failed("write");
        s->page[f->page].is_in_file = true;
    }
    s->page[f->page].frame = NONE;
    return k;
}

void scratch_turn(struct scratch *s, uint64_t page)
{
    if (page >= s->cap_page) {
        size_t i = s->cap_page;
        MEM_RESERVE(s->page, s->cap_page, page + 1);
        for (; i < s->cap_page; i++) s->page[i].frame = NONE;
    }
    struct scratch_page *p = &s->page[page];
    if (p->frame == NONE) {
        const uint32_t k = empty_frame(s);
        struct scratch_frame *f = &s->frame[k];
        const size_t n = s->size << s->shift;
        if (!p->is_in_file) memset(f->bytes, 0, n);
        else if (!scratch_read(s->file, f->bytes, n, (int64_t)(page * SCRATCH_PAGE))) failed("read");
        f->page = page;
        f->is_changed = false;
        p->frame = k;
    }
    s->at = page;
    s->current = p->frame;
    s->bytes = s->frame[p->frame].bytes;
    s->frame[p->frame].is_used = true;
}

/* ---- packed numbers: how many bytes each has, 4 bits each, and these bytes; all in one page ---- */

typedef uint32_t lengths;
enum { PACKED_MOST = sizeof(lengths) + SCRATCH_NUMBERS * sizeof(uint64_t) };

/* The bytes of a number in memory, the lowest first; and back. */
static uint64_t lowest_first(uint64_t x)
{
#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    return x;
}

/* Of a number its n lowest bytes. */
static const uint64_t first_bytes[sizeof(uint64_t) + 1] = {
    0, 0xff, 0xffff, 0xffffff, 0xffffffff, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff, UINT64_MAX,
};

/* The first place at or behind this one where there is room. */
static uint64_t place(uint64_t at)
{
    const uint64_t left = SCRATCH_PAGE - at % SCRATCH_PAGE;
    return left < PACKED_MOST ? at + left : at;
}

void scratch_append(struct scratch *s, const uint64_t x[SCRATCH_NUMBERS])
{
    const uint64_t at = place(s->n);
    char *const first = scratch_put(s, at), *to = first + sizeof(lengths);
    lengths all = 0;
#pragma GCC unroll 8
    for (uint32_t i = 0; i < SCRATCH_NUMBERS; i++) {
        const uint64_t bytes = lowest_first(x[i]);
        const uint32_t n = x[i] != 0 ? (63 - (uint32_t)__builtin_clzll(x[i])) / 8 + 1 : 0;
        memcpy(to, &bytes, sizeof bytes);
        to += n;
        all |= n << 4 * i;
    }
    memcpy(first, &all, sizeof all);
    s->n = at + (uint64_t)(to - first);
}

void scratch_take(struct scratch *s, uint64_t *at, uint64_t x[SCRATCH_NUMBERS])
{
    *at = place(*at);
    const char *const first = scratch_get(s, *at), *from = first + sizeof(lengths);
    lengths all;
    memcpy(&all, first, sizeof all);
    memset(x, 0, SCRATCH_NUMBERS * sizeof *x);
    SIM_ASSERT(all >> 4 * SCRATCH_NUMBERS == 0);    /* else the file was spoilt */
    for (; all != 0; all >>= 4) {                   /* up to the last that is not 0 */
        const uint32_t n = all & 15;
        uint64_t bytes;
        memcpy(&bytes, from, sizeof bytes);
        *x++ = lowest_first(bytes) & first_bytes[n];
        from += n;
    }
    *at += (uint64_t)(from - first);
}

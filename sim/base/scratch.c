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

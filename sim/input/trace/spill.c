/* spill.c -- the temporary file of spill.h: records one after another, and where each begins, sorted by time. */
#include "input/trace/spill.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/mem.h"

struct entry { sim_tick submit; int64_t offset; };
struct spill { FILE *tmp; struct entry *at; size_t n, cap; int64_t end; };

/*
 * A job in the file: this, the strings with their NULs, the groups.  The spec is
 * kept as it is, so that what is added to it is kept; only what it points to has
 * to be told of, here.
 */
static const size_t text_at[] = {
    offsetof(struct job_spec, id), offsetof(struct job_spec, user), offsetof(struct job_spec, queue),
    offsetof(struct job_spec, model), offsetof(struct job_spec, klass), offsetof(struct job_spec, node),
    offsetof(struct job_spec, past.nodes), offsetof(struct job_spec, past.state),
};
struct record {
    struct job_spec spec;       /* its pointers mean nothing */
    uint32_t bytes;             /* of all that follows */
    uint32_t len[ARRAY_LEN(text_at)];   /* 0: NULL */
};

enum { FIRST_READ = 512 };      /* more than a record and a short job */

enum st spill_create(struct spill **out, struct diag *d)
{
    MEM_NEW(*out);
    (*out)->tmp = tmpfile();
    return (*out)->tmp != NULL ? ST_OK : diag_set(d, ST_EWORLD, "cannot make a temporary file to sort the trace: %s", strerror(errno));
}

void spill_destroy(struct spill *x)
{
    if (x == NULL) return;
    if (x->tmp != NULL) (void)fclose(x->tmp);
    mem_free(x->at);
    mem_free(x);
}

enum st spill_add(struct spill *x, const struct job_spec *s, struct diag *d)
{
    const char *text[ARRAY_LEN(text_at)];
    SIM_ASSERT(s->graph == NULL && s->calls == NULL);       /* scan refuses such a trace unless it is in order */
    struct record h = { .spec = *s };
    for (size_t i = 0; i < ARRAY_LEN(text_at); i++) {
        memcpy(&text[i], (const char *)s + text_at[i], sizeof text[i]);
        h.len[i] = text[i] != NULL ? (uint32_t)strlen(text[i]) + 1 : 0;
        h.bytes += h.len[i];
    }
    h.bytes += s->n_groups * (uint32_t)sizeof *s->group;
    MEM_PUSH(x->at, x->n, x->cap, (struct entry){ .submit = s->submit, .offset = x->end });
    x->end += (int64_t)sizeof h + h.bytes;
    bool ok = fwrite(&h, sizeof h, 1, x->tmp) == 1;
    for (size_t i = 0; i < ARRAY_LEN(text_at); i++)
        ok = ok && fwrite(text[i] != NULL ? text[i] : "", 1, h.len[i], x->tmp) == h.len[i];
    ok = ok && fwrite(s->group, sizeof *s->group, s->n_groups, x->tmp) == s->n_groups;
    return ok ? ST_OK : diag_set(d, ST_EWORLD, "cannot write the temporary file that sorts the trace: %s", strerror(errno));
}

static int by_submit(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->submit != y->submit) return x->submit < y->submit ? -1 : 1;
    return x->offset < y->offset ? -1 : 1;      /* offset: file order */
}

enum st spill_sort(struct spill *x, struct diag *d)
{
    if (fflush(x->tmp) != 0) return diag_set(d, ST_EWORLD, "cannot write the temporary file that sorts the trace: %s", strerror(errno));
    if (x->n > 0) qsort(x->at, x->n, sizeof *x->at, by_submit);
    return ST_OK;
}

/* pread has no position to share: several streams may read one temporary file. */
static enum st read_bytes(void *to, size_t n, int64_t at, const struct spill *x, struct diag *d)
{
    for (char *p = to; n > 0; ) {
        ssize_t got = pread(fileno(x->tmp), p, n, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0)
            return diag_set(d, ST_EWORLD, "cannot read the temporary file that sorts the trace: %s",
                            got < 0 ? strerror(errno) : "it is too short");
        p += got; at += got; n -= (size_t)got;
    }
    return ST_OK;
}

enum st spill_read(const struct spill *x, uint64_t k, struct spill_job *j, struct job_spec *out, struct diag *d)
{
    if (k >= x->n) return ST_END;
    int64_t at = x->at[k].offset;
    struct record h;
    /* Nearly every job fits the first read; a long one takes a second. */
    size_t first = (size_t)i64_min(FIRST_READ, x->end - at);
    MEM_RESERVE(j->bytes, j->cap, FIRST_READ);
    TRY(read_bytes(j->bytes, first, at, x, d));
    memcpy(&h, j->bytes, sizeof h);
    if (sizeof h + h.bytes > first) {
        MEM_RESERVE(j->bytes, j->cap, sizeof h + h.bytes);
        TRY(read_bytes(j->bytes + first, sizeof h + h.bytes - first, at + (int64_t)first, x, d));
    }
    const char *p = j->bytes + sizeof h;
    *out = h.spec;
    for (size_t i = 0; i < ARRAY_LEN(text_at); i++) {
        const char *text = h.len[i] > 0 ? p : NULL;
        memcpy((char *)out + text_at[i], &text, sizeof text);
        p += h.len[i];
    }
    MEM_RESERVE(j->group, j->cap_group, h.spec.n_groups);
    memcpy(j->group, p, h.spec.n_groups * sizeof *j->group);    /* from no particular alignment */
    out->group = j->group;
    return ST_OK;
}

void spill_job_fini(struct spill_job *j)
{
    mem_free(j->bytes);
    mem_free(j->group);
}

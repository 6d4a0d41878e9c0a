/* content.c -- the hash of a trace's files, found by a thread beside the reading: it takes a byte at a time. */
#include "input/trace/content.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "base/hash64.h"
#include "base/thread.h"
#include "input/trace/reader.h"

enum { LARGE = 1 << 20 };       /* bytes that take longer than to make a thread */

enum st trace_hash_file(const char *path, uint64_t *h, struct diag *d)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        return diag_at(d, errno == ENOENT ? ST_EINPUT : ST_EWORLD, path, 0, 0, "cannot be opened: %s", strerror(errno));
    unsigned char buf[1 << 14];
    size_t n;
    uint64_t x = *h;
    while ((n = fread(buf, 1, sizeof buf, f)) > 0) x = hash64_bytes(x, buf, n);
    *h = x;
    bool bad = ferror(f) != 0;
    (void)fclose(f);
    return bad ? diag_at(d, ST_EWORLD, path, 0, 0, "cannot be read: %s", strerror(errno)) : ST_OK;
}

enum st trace_content_hash(const struct trace_opts *o, uint64_t *out, struct diag *d)
{
    *out = HASH64_INIT;
    if (!o->format->no_file && o->path != NULL) TRY(trace_hash_file(o->path, out, d));
    return o->format->hash != NULL ? o->format->hash(o, out, d) : ST_OK;
}

static void *hash_files(void *ctx)
{
    struct content *x = ctx;
    x->st = trace_content_hash(x->opts, &x->hash, &x->d);
    return NULL;
}

/* A file that can be read twice at once. */
static bool is_large(const struct trace_opts *o)
{
    struct stat s;
    return !o->format->no_file && o->path != NULL && stat(o->path, &s) == 0 && S_ISREG(s.st_mode) && s.st_size >= LARGE;
}

enum st content_begin(struct content *x, const struct trace_opts *o, struct diag *d)
{
    *x = (struct content){ .opts = o };
    x->is_beside = is_large(o) && base_n_processors() > 1 && thread_start(&x->thread, hash_files, x);
    if (x->is_beside) return ST_OK;
    (void)hash_files(x);
    if (x->st != ST_OK) *d = x->d;
    return x->st;
}

enum st content_end(struct content *x, enum st read, uint64_t *hash, struct diag *d)
{
    if (x->is_beside) (void)pthread_join(x->thread, NULL);
    *hash = x->hash;
    if (x->st != ST_OK) *d = x->d;
    return x->st != ST_OK ? x->st : read;
}

/*
 * ids.c -- runs of hashes, and their merge: equal ones come one after another, in order of line.
 * Invariant: with a file each run in it has `most` entries, without one all that there is is in memory.
 */
#include "input/trace/ids.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lib/heap.h"

/* What is read of a run at once. */
enum { READ_AHEAD = 1024 };

void ids_fini(struct ids *s)
{
    mem_free(s->at);
    map_fini(&s->map);
    if (s->file != NULL) (void)fclose(s->file);
    *s = (struct ids){ .at = NULL };
}

static int by_hash(const void *a, const void *b)
{
    const struct ids_entry *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

static enum st failed(const char *what, struct diag *d)
{
    return diag_set(d, ST_EWORLD, "cannot %s the temporary file of the trace's ids: %s", what,
                    errno != 0 ? strerror(errno) : "it is too short");
}

/* What is in memory becomes a run of the file. */
static enum st write_run(struct ids *s, struct diag *d)
{
    if (s->file == NULL && (s->file = scratch_file()) == NULL) return failed("make", d);
    qsort(s->at, s->n, sizeof *s->at, by_hash);
    if (fwrite(s->at, sizeof *s->at, s->n, s->file) != s->n || fflush(s->file) != 0) return failed("write", d);
    s->n_runs++;
    s->n = 0;
    map_fini(&s->map);
    return ST_OK;
}

enum st ids_add(struct ids *s, uint64_t hash, uint32_t line, uint32_t *before, struct diag *d)
{
    uint32_t k;
    if (s->most == 0) s->most = IDS_MOST;
    if (s->n == s->most) TRY(write_run(s, d));
    *before = 0;
    MAP_EACH(k, &s->map, (uint32_t)hash)
        if (s->at[k].hash == hash) *before = (uint32_t)s->at[k].line;
    map_add(&s->map, (uint32_t)hash, (uint32_t)s->n);
    MEM_ROOM(s->at, s->cap, s->n + 1);
    s->at[s->n++] = (struct ids_entry){ hash, line };
    return ST_OK;
}

/* A run that is merged: its first entry that was not taken, and what was read of it. */
struct run { struct ids_entry at, *ahead; size_t n, next; uint64_t left; int64_t offset; };
#define EARLIER(c, a, b) (by_hash(&(a)->at, &(b)->at) < 0)
HEAP(runs, int, struct run, EARLIER);

/* The run's next entry; *more false: it has none. */
static enum st advance(const struct ids *s, struct run *r, bool *more, struct diag *d)
{
    *more = r->next < r->n || r->left > 0;
    if (!*more) return ST_OK;
    if (r->next == r->n) {
        r->n = r->left < READ_AHEAD ? (size_t)r->left : READ_AHEAD;
        r->next = 0;
        if (!scratch_read(s->file, r->ahead, r->n * sizeof *r->ahead, r->offset)) return failed("read", d);
        r->offset += (int64_t)(r->n * sizeof *r->ahead);
        r->left -= r->n;
    }
    r->at = r->ahead[r->next++];
    return ST_OK;
}

static enum st merge(const struct ids *s, struct run *run, size_t n, uint32_t *line, uint32_t *before, struct diag *d)
{
    struct ids_entry last = { .line = 0 };
    while (n > 0) {
        const struct ids_entry e = run[0].at;
        bool more;
        if (last.line > 0 && last.hash == e.hash && (*line == 0 || e.line < *line)) {
            *line = (uint32_t)e.line;
            *before = (uint32_t)last.line;
        }
        last = e;
        TRY(advance(s, &run[0], &more, d));
        if (more) runs_sink(0, run, n, 0);
        else runs_take(0, run, n--, 0);
    }
    return ST_OK;
}

enum st ids_finish(struct ids *s, uint32_t *line, uint32_t *before, struct diag *d)
{
    struct run *run;
    struct ids_entry *ahead;
    bool more;
    *line = *before = 0;
    if (s->file == NULL) return ST_OK;
    const uint64_t rest = s->n;
    if (rest > 0) TRY(write_run(s, d));
    MEM_ARRAY(run, s->n_runs);
    MEM_ARRAY(ahead, s->n_runs * READ_AHEAD);
    enum st st = ST_OK;
    for (uint64_t i = 0; i < s->n_runs && st == ST_OK; i++) {
        run[i] = (struct run){ .ahead = ahead + i * READ_AHEAD,
                               .left = i + 1 < s->n_runs || rest == 0 ? s->most : rest,
                               .offset = (int64_t)(i * s->most * sizeof *s->at) };
        st = advance(s, &run[i], &more, d);
    }
    if (st == ST_OK) {
        runs_make(0, run, s->n_runs);
        st = merge(s, run, s->n_runs, line, before, d);
    }
    MEM_FREE(run, ahead);
    return st;
}

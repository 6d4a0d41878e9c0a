/*
 * ids.c -- a map of hashes, and when they are too many, parts that are small enough for one: what is put into a part
 * waits in a block of it, and full blocks are in the file, chained in order of line.
 */
#include "input/trace/ids.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"

static const size_t BLOCK_BYTES = IDS_BLOCK * sizeof(struct ids_entry);

void ids_fini(struct ids *s)
{
    MEM_FREE(s->at, s->next);
    map_fini(&s->map);
    if (s->file != NULL) (void)fclose(s->file);
    *s = (struct ids){ .at = NULL };
}

static enum st failed(const char *what, struct diag *d)
{
    return diag_set(d, ST_EWORLD, "cannot %s the temporary file of the trace's ids: %s", what,
                    errno != 0 ? strerror(errno) : "it is too short");
}

/* Into its part. */
static enum st put(struct ids *s, struct ids_entry e, struct diag *d)
{
    struct ids_part *p = &s->part[e.high / (UINT32_MAX / IDS_PARTS + 1)];
    struct ids_entry *block = s->at + (size_t)(p - s->part) * IDS_BLOCK;
    block[p->n++] = e;
    if (p->n < IDS_BLOCK) return ST_OK;
    const uint32_t k = (uint32_t)s->n_next;
    if (p->n_blocks++ == 0) p->first = k;
    else s->next[p->last] = k;
    p->last = k;
    p->n = 0;
    MEM_PUSH(s->next, s->n_next, s->cap_next, 0);
    return fwrite(block, 1, BLOCK_BYTES, s->file) == BLOCK_BYTES ? ST_OK : failed("write", d);
}

/* What is in memory goes to the parts. */
static enum st leave_memory(struct ids *s, struct diag *d)
{
    struct ids_entry *const was = s->at;
    enum st st = ST_OK;
    if ((s->file = scratch_file()) == NULL) return failed("make", d);
    MEM_ARRAY(s->at, (size_t)IDS_PARTS * IDS_BLOCK);
    for (size_t i = 0; i < s->n && st == ST_OK; i++) st = put(s, was[i], d);
    mem_free(was);
    map_fini(&s->map);
    return st;
}

/* The entry of this hash; MAP_NONE: there is none. */
static uint32_t find(const struct map *m, const struct ids_entry *at, struct ids_entry e)
{
    uint32_t k;
    MAP_EACH(k, m, e.low)
        if (at[k].high == e.high) break;
    return k;
}

enum st ids_add(struct ids *s, uint64_t hash, uint32_t line, uint32_t *before, struct diag *d)
{
    const struct ids_entry e = { (uint32_t)(hash >> 32), (uint32_t)hash, line };
    if (s->most == 0) s->most = IDS_MOST;
    *before = 0;
    if (s->file == NULL && s->n == s->most) TRY(leave_memory(s, d));
    if (s->file != NULL) return put(s, e, d);
    const uint32_t k = find(&s->map, s->at, e);
    if (k != MAP_NONE) *before = s->at[k].line;
    map_add(&s->map, e.low, (uint32_t)s->n);
    MEM_ROOM(s->at, s->cap, s->n + 1);
    s->at[s->n++] = e;
    return ST_OK;
}

/* All entries of a part, in order of line. */
static enum st read_part(const struct ids *s, const struct ids_part *p, struct ids_entry *to, struct diag *d)
{
    uint32_t k = p->first;
    for (uint32_t i = 0; i < p->n_blocks; i++, to += IDS_BLOCK, k = s->next[k])
        if (!scratch_read(s->file, to, BLOCK_BYTES, (int64_t)(k * BLOCK_BYTES))) return failed("read", d);
    memcpy(to, s->at + (size_t)(p - s->part) * IDS_BLOCK, p->n * sizeof *to);
    return ST_OK;
}

/* The first of the n lines with an id that was used before, if that is before *line. */
static void look(struct map *m, const struct ids_entry *at, size_t n, uint32_t *line, uint32_t *before)
{
    map_clear(m);
    for (size_t i = 0; i < n; i++) {
        const uint32_t k = find(m, at, at[i]);
        if (k == MAP_NONE) { map_add(m, at[i].low, (uint32_t)i); continue; }
        if (*line > 0 && *line < at[i].line) return;
        *line = at[i].line;
        *before = at[k].line;
        return;
    }
}

enum st ids_finish(struct ids *s, uint32_t *line, uint32_t *before, struct diag *d)
{
    struct ids_entry *at = NULL;
    struct map map = { .n = 0 };
    size_t cap = 0;
    *line = *before = 0;
    if (s->file == NULL) return ST_OK;
    enum st st = fflush(s->file) == 0 ? ST_OK : failed("write", d);
    for (const struct ids_part *p = s->part; p < s->part + IDS_PARTS && st == ST_OK; p++) {
        const size_t n = (size_t)p->n_blocks * IDS_BLOCK + p->n;
        MEM_ROOM(at, cap, n + 1);
        st = read_part(s, p, at, d);
        if (st == ST_OK) look(&map, at, n, line, before);
    }
    map_fini(&map);
    mem_free(at);
    return st;
}

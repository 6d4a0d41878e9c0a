/* blocks.c -- reads blocks.csv, and keeps its names in order, so that those with a prefix are found by bisection. */
#include "input/tasks/blocks.h"

#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"
#include "model/data/net.h"

enum { BLOCK, SIZE, REPLICAS, FILE_OF, OFFSET, N_COLS };

enum st blocks_size(const struct csv *c, int at, int64_t *out, struct diag *d)
{
    const char *s = csv_field(c, at);
    char error[256];
    if (*s == '\0') return ST_OK;
    return blocks_parse_size(s, out, error, sizeof error) ? ST_OK : csv_fail(c, at, d, "%s", error);
}

bool blocks_parse_size(const char *s, int64_t *out, char *error, size_t cap)
{
    int64_t v;
    if (!text_parse(s, TEXT_BYTES, 0, &v, error, cap)) return false;
    if (v > NET_SIZE_MAX)
        return text_error(error, cap, "'%.60s' is above 2^49 bytes (562 TB), the most that is modelled", s);
    *out = v;
    return true;
}

/* The nodes of a list joined by '|', to node[0 .. *n). */
static enum st read_replicas(const struct csv *c, int at, const struct cluster *cl, uint32_t *node, uint32_t *n, struct diag *d)
{
    *n = 0;
    for (const char *s = csv_field(c, at); *s != '\0';) {
        char name[256];
        size_t len = strcspn(s, "|");
        if (len == 0 || (s[len] == '|' && s[len + 1] == '\0'))
            return csv_fail(c, at, d, "'%.60s' names an empty node; nodes are joined by '|'", csv_field(c, at));
        (void)snprintf(name, sizeof name, "%.*s", (int)i64_min((int64_t)len, (int64_t)sizeof name - 1), s);
        uint32_t id = intern_find(&cl->node_names, name);
        if (id == NONE) {
            enum st st = csv_fail(c, at, d, "found node '%s', which the cluster does not have", name);
            const char *near = diag_nearest(name, (const char *const *)cl->node_names.name, cl->node_names.n);
            if (near != NULL) diag_hint(d, "did you mean '%s'?", near);
            return st;
        }
        for (uint32_t k = 0; k < *n; k++)
            if (node[k] == id) return csv_fail(c, at, d, "found node '%s' twice; a node holds one replica of a block", name);
        node[(*n)++] = id;      /* distinct, so never more than there are nodes */
        s += len + (s[len] == '|');
    }
    return ST_OK;
}

/* end: by block, where the last part of it ends that was read, in bytes; node: room for a block's replicas. */
struct target { const struct trace_env *env; uint32_t *node; int64_t *end; size_t cap_end; };

/* The block of a row above that stands for the file. */
static enum st find_file(const struct csv *c, int at, const struct data *data, uint32_t *out, struct diag *d)
{
    const char *name = csv_field(c, at);
    const struct intern *names = &data->names;
    uint32_t id = intern_find(names, name);
    if (id == NONE) {
        enum st st = csv_fail(c, at, d, "found file '%.60s', which no row above has as its block", name);
        const char *near = diag_nearest(name, (const char *const *)names->name, names->n);
        if (near != NULL) diag_hint(d, "did you mean '%s'?", near);
        return st;
    }
    if (data->block[id].file != id)
        return csv_fail(c, at, d, "'%.60s' is itself a part, of '%.60s'", name, intern_name(names, data->block[id].file));
    *out = id;
    return ST_OK;
}

/* The file that the row's block of `size` bytes is to be a part of; *file stays when it names none. */
static enum st read_part(struct target *to, const struct csv *c, const int *at, int64_t size, uint32_t *file, struct diag *d)
{
    const struct data *data = to->env->data;
    bool has_offset = *csv_field(c, at[OFFSET]) != '\0';
    if (*csv_field(c, at[FILE_OF]) == '\0')
        return has_offset ? csv_fail(c, at[OFFSET], d, "it is an offset in a file; the row names no 'file'") : ST_OK;
    TRY(find_file(c, at[FILE_OF], data, file, d));
    if (*csv_field(c, at[REPLICAS]) != '\0')
        return csv_fail(c, at[REPLICAS], d, "a part lies where its file does; its own row names no nodes");
    MEM_RESERVE(to->end, to->cap_end, (size_t)*file + 1);
    int64_t offset = to->end[*file], all = data->block[*file].size;
    TRY(blocks_size(c, at[OFFSET], &offset, d));
    if (offset > all - size)
        return csv_fail(c, has_offset ? at[OFFSET] : at[SIZE], d, "the part ends at byte %lld of '%.60s', which has %lld",
                        (long long)(offset + size), csv_field(c, at[FILE_OF]), (long long)all);
    to->end[*file] = offset + size;
    return ST_OK;
}

static enum st read_row(void *ctx, struct csv *c, const int *at, struct diag *d)
{
    struct target *to = ctx;
    const struct trace_env *env = to->env;
    uint32_t n = 0, file = NONE;
    int64_t size = 0;
    TRY(csv_need(c, at[BLOCK], d));
    TRY(csv_need(c, at[SIZE], d));
    const char *name = csv_field(c, at[BLOCK]);
    if (name[0] == '@' || strpbrk(name, "|*") != NULL)
        return csv_fail(c, at[BLOCK], d, "found block name '%.60s', expected one without '|' and '*', not beginning with '@'", name);
    TRY(blocks_size(c, at[SIZE], &size, d));
    TRY(read_replicas(c, at[REPLICAS], env->cluster, to->node, &n, d));
    TRY(read_part(to, c, at, size, &file, d));
    uint32_t id = data_add(env->data, name, size);
    if (id == NONE) return csv_fail(c, at[BLOCK], d, "found block '%.60s' a second time", name);
    if (file != NONE) data_part(env->data, id, file);
    if (n > 0) data_replicas(env->data, id, to->node, n);
    return ST_OK;
}

static enum st read_file(const struct trace_env *env, const char *path, struct diag *d)
{
    static const char *const name[N_COLS] = { "block", "size", "replicas", "file", "offset" };
    static const bool need[N_COLS] = { [BLOCK] = true, [SIZE] = true };
    struct target to = { .env = env };
    MEM_ARRAY(to.node, (size_t)env->cluster->n_nodes + 1);
    enum st st = csv_read_file(path, name, need, N_COLS, "a file of blocks has block,size,replicas,file,offset", read_row, &to, d);
    mem_free(to.node);
    mem_free(to.end);
    return st;
}

/* ---- by name ---- */

struct named { const char *name; uint32_t id; };

static int by_name(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static int by_id(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

enum st blocks_open(struct blocks_index *b, const struct trace_env *env, const char *path, struct diag *d)
{
    *b = (struct blocks_index){ .data = env->data };
    /* A native trace has no other blocks than its file's, so some mean that it was read. */
    if (path != NULL && env->data->names.n == 0) TRY(read_file(env, path, d));
    b->n = env->data->names.n;
    struct named *all;
    MEM_ARRAY(all, (size_t)b->n + 1);
    MEM_ARRAY(b->by_name, (size_t)b->n + 1);
    for (uint32_t k = 0; k < b->n; k++) all[k] = (struct named){ intern_name(&env->data->names, k), k };
    if (b->n > 0) qsort(all, b->n, sizeof *all, by_name);
    for (uint32_t k = 0; k < b->n; k++) b->by_name[k] = all[k].id;
    mem_free(all);
    return ST_OK;
}

void blocks_close(struct blocks_index *b)
{
    mem_free(b->by_name);
    *b = (struct blocks_index){ .data = NULL };
}

static int compare(const struct blocks_index *b, uint32_t place, const char *prefix, size_t len)
{
    return strncmp(intern_name(&b->data->names, b->by_name[place]), prefix, len);
}

uint32_t blocks_each(const struct blocks_index *b, const char *prefix, size_t len,
                           void (*found)(void *ctx, uint32_t block), void *ctx)
{
    uint32_t lo = 0, hi = b->n, n = 0;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (compare(b, mid, prefix, len) < 0) lo = mid + 1; else hi = mid;
    }
    while (lo + n < b->n && compare(b, lo + n, prefix, len) == 0) n++;
    if (n == 0) return 0;
    uint32_t *id;
    MEM_ARRAY(id, n);
    memcpy(id, b->by_name + lo, n * sizeof *id);
    qsort(id, n, sizeof *id, by_id);
    for (uint32_t k = 0; k < n; k++) found(ctx, id[k]);
    mem_free(id);
    return n;
}

/* core_history.c -- the rows of core_history.h, checked but for their categories, which the scenario's profiles have. */
#include "input/tasks/core_history.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/intern.h"
#include "base/mem.h"
#include "input/text/csv.h"

enum col { CATEGORY, GPUS, TASKS, CORES, UTIL, N_COLS };
enum { FIGURE_MAX = 1000000, UTIL_ONE = 1000000 };

/* A row is told apart by its name and two sizes, which `seen` holds as one text; `text` is the file as it is kept. */
struct reading { struct core_history *out; struct hash128 hash; struct intern seen; size_t n, len, cap; };

static enum st check_twice(struct reading *r, const struct csv *c, int at, const char *name, const int64_t *v, struct diag *d)
{
    char *key = mem_printf("%" PRId64 " %" PRId64 " %s", v[GPUS], v[TASKS], name);
    bool twice = intern_id(&r->seen, key) != r->n++;
    mem_free(key);
    return !twice ? ST_OK : csv_fail(c, at, d, "a second row of '%.60s' with gpus %" PRId64 " and tasks %" PRId64,
                                     name, v[GPUS], v[TASKS]);
}

static void append(struct reading *r, const char *s)
{
    size_t n = strlen(s);
    MEM_RESERVE(r->out->text, r->cap, r->len + n + 1);
    memcpy(r->out->text + r->len, s, n + 1);
    r->len += n;
}

static enum st read_row(void *ctx, struct csv *c, const int *at, struct diag *d)
{
    struct reading *r = ctx;
    int64_t v[N_COLS];
    for (int k = CATEGORY; k < N_COLS; k++) TRY(csv_need(c, at[k], d));
    for (int k = GPUS; k <= CORES; k++) TRY(csv_int(c, at[k], 1, FIGURE_MAX, &v[k], d));
    TRY(csv_scaled(c, at[UTIL], UTIL_ONE, UTIL_ONE, &v[UTIL], d));
    const char *name = csv_field(c, at[CATEGORY]);
    if (strchr(name, '\n') != NULL) return csv_fail(c, at[CATEGORY], d, "a line break in a name");
    TRY(check_twice(r, c, at[CATEGORY], name, v, d));
    char *line = mem_printf("%u %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %s\n", csv_line(c),
                            v[GPUS], v[TASKS], v[CORES], v[UTIL], name);
    hash_text(&r->hash, strchr(line, ' ') + 1);     /* where a row stands does not count */
    append(r, line);
    mem_free(line);
    return ST_OK;
}

enum st core_history_load(struct core_history *h, const char *path, struct diag *d)
{
    static const char *const name[N_COLS] = { "category", "gpus", "tasks", "cores", "util" };
    static const bool need[N_COLS] = { true, true, true, true, true };
    struct reading r = { .out = h };
    *h = (struct core_history){ .text = NULL };
    append(&r, "");
    hash_init(&r.hash);
    enum st st = csv_read_file(path, name, need, N_COLS, "what searches found: category,gpus,tasks,cores,util", read_row, &r, d);
    hash_hex(&r.hash, h->digest);
    intern_fini(&r.seen);
    if (st != ST_OK) core_history_fini(h);
    return st;
}

void core_history_fini(struct core_history *h)
{
    mem_free(h->text);
    *h = (struct core_history){ .text = NULL };
}

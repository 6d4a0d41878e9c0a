/* core_history.c -- the rows of core_history.h, checked but for their categories, which the scenario's profiles have. */
#include "input/tasks/core_history.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/mem.h"
#include "input/text/csv.h"

enum col { CATEGORY, GPUS, TASKS, CORES, UTIL, N_COLS };
enum { FIGURE_MAX = 1000000, UTIL_ONE = 1000000 };

/* What rows are told apart by; `name` is owned. */
struct row { char *name; int64_t v[N_COLS]; };
struct reading { struct core_history *out; struct hash128 hash; struct row *row; size_t n, cap; };

static enum st check_twice(const struct reading *r, const struct csv *c, int at, const struct row *x, struct diag *d)
{
    for (size_t i = 0; i < r->n; i++)
        if (strcmp(r->row[i].name, x->name) == 0 && r->row[i].v[GPUS] == x->v[GPUS] && r->row[i].v[TASKS] == x->v[TASKS])
            return csv_fail(c, at, d, "a second row of '%.60s' with gpus %" PRId64 " and tasks %" PRId64, x->name, x->v[GPUS], x->v[TASKS]);
    return ST_OK;
}

static enum st read_row(void *ctx, struct csv *c, const int *at, struct diag *d)
{
    struct reading *r = ctx;
    struct row x = { .name = NULL };
    for (int k = CATEGORY; k < N_COLS; k++) TRY(csv_need(c, at[k], d));
    for (int k = GPUS; k <= CORES; k++) TRY(csv_int(c, at[k], 1, FIGURE_MAX, &x.v[k], d));
    TRY(csv_scaled(c, at[UTIL], UTIL_ONE, UTIL_ONE, &x.v[UTIL], d));
    const char *name = csv_field(c, at[CATEGORY]);
    if (strchr(name, '\n') != NULL) return csv_fail(c, at[CATEGORY], d, "a line break in a name");
    x.name = mem_strdup(name);
    MEM_RESERVE(r->row, r->cap, r->n + 1);
    enum st st = check_twice(r, c, at[CATEGORY], &x, d);
    r->row[r->n++] = x;
    TRY(st);
    char *line = mem_printf("%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %s\n", x.v[GPUS], x.v[TASKS], x.v[CORES], x.v[UTIL], name);
    char *all = mem_printf("%s%u %s", r->out->text, csv_line(c), line);
    hash_text(&r->hash, line);
    mem_free(line);
    mem_free(r->out->text);
    r->out->text = all;
    return ST_OK;
}

enum st core_history_load(struct core_history *h, const char *path, struct diag *d)
{
    static const char *const name[N_COLS] = { "category", "gpus", "tasks", "cores", "util" };
    static const bool need[N_COLS] = { true, true, true, true, true };
    struct reading r = { .out = h };
    *h = (struct core_history){ .text = mem_strdup("") };
    hash_init(&r.hash);
    enum st st = csv_read_file(path, name, need, N_COLS, "what searches found: category,gpus,tasks,cores,util", read_row, &r, d);
    hash_hex(&r.hash, h->digest);
    for (size_t i = 0; i < r.n; i++) mem_free(r.row[i].name);
    mem_free(r.row);
    if (st != ST_OK) core_history_fini(h);
    return st;
}

void core_history_fini(struct core_history *h)
{
    mem_free(h->text);
    *h = (struct core_history){ .text = NULL };
}

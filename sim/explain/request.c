/* request.c -- what a job asks: its runs of equal tasks, and the same as text. */
#include "explain/explain_priv.h"

#include <inttypes.h>
#include <string.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "db/query.h"

static void format_request(char *buf, size_t cap, const struct replay *r, const struct explain_group *g)
{
    size_t at = 0;
    const struct shape *s = &g->shape;
    if (g->n > 1) at += (size_t)snprintf(buf + at, cap - at, "%" PRIu32 " tasks of ", g->n);
    if (s->n_gpu == 1 && s->gpu_milli < GPU_WHOLE) at += (size_t)snprintf(buf + at, cap - at, "%g of a GPU", s->gpu_milli / 1000.0);
    else if (s->n_gpu > 0 && s->gpu_milli < GPU_WHOLE) at += (size_t)snprintf(buf + at, cap - at, "%" PRId32 " x %g of a GPU", s->n_gpu, s->gpu_milli / 1000.0);
    else if (s->n_gpu > 0) at += (size_t)snprintf(buf + at, cap - at, "%" PRId32 " GPU%s", s->n_gpu, s->n_gpu > 1 ? "s" : "");
    for (uint32_t i = 0, n = 0; s->n_gpu > 0 && i < r->cluster.gpu_types.n && i < 64 && at < cap; i++)
        if (s->gpu_types >> i & 1) at += (size_t)snprintf(buf + at, cap - at, "%s%s", n++ > 0 ? " or " : " of type ", intern_name(&r->cluster.gpu_types, i));
    if (s->n_gpu > 0 && s->gpu_mem_b > 0 && at < cap) at += (size_t)snprintf(buf + at, cap - at, ", %.4g GiB of a card", (double)s->gpu_mem_b / 1073741824);
    if (s->n_gpu > 0 && s->gpu_cores > 0 && at < cap) at += (size_t)snprintf(buf + at, cap - at, ", %" PRId32 " cores of a card", s->gpu_cores);
    if (at < cap) at += (size_t)snprintf(buf + at, cap - at, "%s%g CPUs", s->n_gpu > 0 ? ", " : "", (double)s->cpu_milli / 1000);
    if (s->mem_b > 0 && at < cap) at += (size_t)snprintf(buf + at, cap - at, ", %.4g GiB", (double)s->mem_b / 1073741824);
    for (int k = 0; k < ENGINE_TYPES_MAX && at < cap; k++)
        if (s->engine[k] > 0 && (uint32_t)k < r->cluster.engines.n)
            at += (size_t)snprintf(buf + at, cap - at, ", %" PRId32 " %s", s->engine[k], intern_name(&r->cluster.engines, (uint32_t)k));
    if (s->exclusive && at < cap) (void)snprintf(buf + at, cap - at, ", a node to itself");
}

enum st explain_request(struct explain_state *l, struct diag *d)
{
    char sql[400], text[600] = "", one[256];
    sqlite3_stmt *q;
    (void)snprintf(sql, sizeof sql, "SELECT task0, gang, %s FROM request q WHERE run = ?1 AND ordinal = ?2 ORDER BY task0", replay_request_columns);
    TRY(explain_query(l, sql, &q, d));
    (void)sqlite3_bind_int64(q, 2, (int64_t)l->e->ordinal);
    while (sqlite3_step(q) == SQLITE_ROW) {
        MEM_RESERVE(l->group, l->cap_groups, l->n_groups + 1);
        struct explain_group *g = &l->group[l->n_groups++];
        g->task0 = (uint32_t)sqlite3_column_int64(q, 0);
        l->e->is_gang = sqlite3_column_int(q, 1) != 0;
        replay_shape(q, 2, &g->shape);
    }
    TRY(query_end(l->store, q, d));
    if (l->n_groups == 0) return diag_set(d, ST_EWORLD, "the record of run %" PRId64 " has no request of job '%s'", l->e->run->run, l->e->id);
    for (size_t i = 0; i < l->n_groups; i++) {
        struct explain_group *g = &l->group[i];
        g->n = (i + 1 < l->n_groups ? g[1].task0 : l->e->n_tasks) - g->task0;
        if (i < 3) {
            format_request(one, sizeof one, &l->replay, g);
            size_t at = strlen(text);
            (void)snprintf(text + at, sizeof text - at, "%s%s", i > 0 ? "; " : "", one);
        }
        if (l->e->run->by_count) g->shape.gpu_mem_b = g->shape.gpu_cores = 0;
    }
    l->e->request = l->n_groups > 3 ? explain_text("%s; and %zu more groups", text, l->n_groups - 3) : mem_strdup(text);
    return ST_OK;
}

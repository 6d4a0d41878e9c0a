/* request.c -- what a job asks: its runs of equal tasks, and the same as text. */
#include "explain/explain_priv.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "db/query.h"
#include "model/cluster/describe.h"

enum st explain_request(struct explain_state *l, struct diag *d)
{
    char sql[400];
    struct mem_text words;
    sqlite3_stmt *q;
    (void)snprintf(sql, sizeof sql, "SELECT task0, gang, %s FROM request q WHERE run = ?1 AND ordinal = ?2 ORDER BY task0", replay_request_columns);
    TRY(explain_query(l, sql, &q, d));
    while (sqlite3_step(q) == SQLITE_ROW) {
        struct explain_group *g = MEM_NEXT(l->group, l->n_groups, l->cap_groups);
        g->task0 = (uint32_t)sqlite3_column_int64(q, 0);
        l->e->is_gang = sqlite3_column_int(q, 1) != 0;
        replay_shape(q, 2, &g->shape);
    }
    TRY(query_end(l->store, q, d));
    if (l->n_groups == 0) return diag_set(d, ST_EWORLD, "the record of run %" PRId64 " has no request of job '%s'", l->e->run->run, l->e->id);
    mem_text_open(&words);
    for (size_t i = 0; i < l->n_groups; i++) {
        struct explain_group *g = &l->group[i];
        g->n = (i + 1 < l->n_groups ? g[1].task0 : l->e->n_tasks) - g->task0;
        if (i < 3) {
            if (i > 0) (void)fputs("; ", words.to);
            if (g->n > 1) (void)fprintf(words.to, "%" PRIu32 " tasks of ", g->n);
            describe_request(&l->replay.cluster, &g->shape, words.to);
        }
        if (l->e->run->by_count) g->shape = shape_by_count(&g->shape);
    }
    if (l->n_groups > 3) (void)fprintf(words.to, "; and %zu more groups", l->n_groups - 3);
    l->e->request = mem_text_close(&words);
    return ST_OK;
}

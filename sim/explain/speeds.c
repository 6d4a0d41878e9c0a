/* speeds.c -- how fast a job's tasks computed from when on, and what made it so, from the table `speed`. */
#include "explain/explain_priv.h"

#include <sqlite3.h>

#include "base/mem.h"
#include "db/query.h"

enum { AT, SPEED, TYPE, SCALE, CORES, BANDWIDTH, CARDS, DISTANCE, DATA, N_FACTORS, MODEL = N_FACTORS };
static const char *const factor_name[N_FACTORS] = {
    [TYPE] = "type of GPU", [SCALE] = "number of GPUs", [CORES] = "cores", [BANDWIDTH] = "memory bandwidth", [CARDS] = "shared cards",
    [DISTANCE] = "distance", [DATA] = "data",
};

/* "0.8 cores x 0.76 memory bandwidth": those that are not 1; NULL: all are. */
static char *product(sqlite3_stmt *q)
{
    char *text = NULL;
    for (int k = TYPE; k < N_FACTORS; k++) {
        double f = sqlite3_column_double(q, k);
        if (f == 1) continue;
        char *more = mem_printf("%s%s%.3g %s", text != NULL ? text : "", text != NULL ? " × " : "", f, factor_name[k]);
        mem_free(text);
        text = more;
    }
    return text;
}

/* Behind what else happened at that instant, but for its end. */
static void put_in_order(struct explain *e)
{
    size_t i = e->n_steps - 1;
    struct explain_step s = e->step[i];
    for (; i > 0 && (e->step[i - 1].at > s.at || (e->step[i - 1].at == s.at && e->step[i - 1].type == EXPLAIN_ENDED)); i--)
        e->step[i] = e->step[i - 1];
    e->step[i] = s;
}

enum st explain_speeds(struct explain_state *l, struct diag *d)
{
    sqlite3_stmt *q;
    /* Of an instant the last: what it was while others began and ended then was nobody's speed. */
    TRY(explain_query(l, "SELECT at_us, speed, type, scale, cores, bandwidth, cards, distance, data, model, max(seq) FROM speed"
                      " WHERE run = ?1 AND ordinal = ?2 GROUP BY task, at_us ORDER BY seq", &q, d));
    while (sqlite3_step(q) == SQLITE_ROW) {
        struct explain_step *s = explain_step_add(l->e, EXPLAIN_SPEED, sqlite3_column_int64(q, AT));
        double speed = sqlite3_column_double(q, SPEED);
        s->n_tasks = l->e->is_gang ? l->e->n_tasks : 1;
        const char *go = s->n_tasks > 1 ? "go" : "goes";
        const char *as = (const char *)sqlite3_column_text(q, MODEL);
        char *phase = as != NULL ? mem_printf(" as %s,", as) : NULL;
        s->text = speed == 1 ? mem_printf("%s%s at nominal speed", go, phase != NULL ? phase : "")
                             : mem_printf("%s%s at %.3g of nominal speed", go, phase != NULL ? phase : "", speed);
        mem_free(phase);
        s->more = product(q);
        put_in_order(l->e);
    }
    return query_end(l->store, q, d);
}

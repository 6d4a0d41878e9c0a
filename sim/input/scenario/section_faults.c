/* The faults section: a list in a CSV file, or mean times. */
#include "input/scenario/section.h"

#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "input/text/csv.h"

struct fault_row { struct fault_event ev; uint32_t line; };
struct fault_rows { const struct scenario *scn; struct fault_row *at; size_t n, cap; };

enum { AT, NODE, EVENT, N_COLUMNS };

static enum st read_row(void *ctx, struct csv *c, const int *at, struct diag *d)
{
    struct fault_rows *rows = ctx;
    const struct scenario *s = rows->scn;
    sim_tick when = 0;
    for (int i = 0; i < N_COLUMNS; i++) TRY(csv_need(c, at[i], d));
    TRY(csv_seconds(c, at[AT], &when, d));
    const char *name = csv_field(c, at[NODE]), *event = csv_field(c, at[EVENT]);
    uint32_t node = intern_find(&s->cluster.node_names, name);
    if (node == NONE) {
        (void)csv_fail(c, at[NODE], d, "found node '%s', which the cluster does not have", name);
        return diag_suggest(d, name, (const char *const *)s->cluster.node_names.name, s->cluster.node_names.n);
    }
    bool up = strcmp(event, "up") == 0;
    if (!up && strcmp(event, "down") != 0) return csv_fail(c, at[EVENT], d, "found '%s', expected down or up", event);
    MEM_PUSH(rows->at, rows->n, rows->cap,
             (struct fault_row){ .ev = { .at = when, .node = node, .up = up }, .line = csv_line(c) });
    return ST_OK;
}

static int by_node(const void *a, const void *b)
{
    const struct fault_row *x = a, *y = b;
    if (x->ev.node != y->ev.node) return x->ev.node < y->ev.node ? -1 : 1;
    if (x->ev.at != y->ev.at) return x->ev.at < y->ev.at ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

static int by_time(const void *a, const void *b)
{
    const struct fault_event *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* Each node's events must alternate, down first, at different times. */
static enum st check_rows(const struct scenario *s, const char *path, const struct fault_rows *rows, struct diag *d)
{
    for (size_t i = 0; i < rows->n; i++) {
        const struct fault_row *r = &rows->at[i], *before = i > 0 && rows->at[i - 1].ev.node == r->ev.node ? r - 1 : NULL;
        const char *name = intern_name(&s->cluster.node_names, r->ev.node), *what = r->ev.up ? "up" : "down";
        if (before == NULL && r->ev.up)
            return diag_at(d, ST_EINPUT, path, r->line, 0, "node '%s' comes up, but it was never down", name);
        if (before == NULL) continue;
        if (before->ev.at == r->ev.at)
            return diag_at(d, ST_EINPUT, path, r->line, 0, "node '%s' changes twice at one time; the other is at line %u", name, before->line);
        if (before->ev.up == r->ev.up)
            return diag_at(d, ST_EINPUT, path, r->line, 0, "node '%s' goes %s, but it is %s since line %u", name, what, what, before->line);
    }
    return ST_OK;
}

static enum st read_list(struct scenario *s, const char *path, struct diag *d)
{
    static const char *const name[N_COLUMNS] = { "at_s", "node", "event" };
    static const bool need[N_COLUMNS] = { true, true, true };
    struct fault_rows rows = { .scn = s };
    enum st st = csv_read_file(path, name, need, N_COLUMNS, "a fault trace has at_s,node,event", read_row, &rows, d);
    if (st == ST_OK) {
        if (rows.n > 1) qsort(rows.at, rows.n, sizeof *rows.at, by_node);
        st = check_rows(s, path, &rows, d);
    }
    if (st == ST_OK) {
        struct fault_event *list;
        MEM_ARRAY(list, rows.n);
        for (size_t i = 0; i < rows.n; i++) list[i] = rows.at[i].ev;
        if (rows.n > 1) qsort(list, rows.n, sizeof *list, by_time);
        s->fault.list = scn_own(s, list);
        s->fault.n_list = rows.n;
    }
    mem_free(rows.at);
    return st;
}

enum st scn_read_faults(struct scenario *s, const struct ydoc_node *n, struct diag *d)
{
    static const char *const keys[] = { "trace", "mtbf", "mttr" };
    const char *path;
    int64_t mtbf = 0, mttr = 0;
    if (n == NULL) return ST_OK;
    TRY(ydoc_keys(n, "faults", keys, ARRAY_LEN(keys), d));
    TRY(scn_file(s, n, "trace", true, &path, d));
    TRY(ydoc_quantity(n, "mtbf", TEXT_DURATION, TICK_SEC, 1, &mtbf, d));
    TRY(ydoc_quantity(n, "mttr", TEXT_DURATION, TICK_SEC, 1, &mttr, d));
    const struct ydoc_node *mean = ydoc_get(n, mtbf > 0 ? "mtbf" : "mttr");
    if (path != NULL && mean != NULL) return ydoc_key_error(mean, d, "found both 'trace' and '%s'; faults come from one of the two", mean->key);
    if (path == NULL && mean == NULL) return ydoc_error(n, d, "found neither 'trace' nor 'mtbf' and 'mttr' in faults");
    if (path == NULL && (mtbf == 0 || mttr == 0)) return ydoc_key_error(mean, d, "found '%s' without '%s'", mean->key, mtbf > 0 ? "mttr" : "mtbf");
    s->fault.mtbf_us = (double)mtbf;
    s->fault.mttr_us = (double)mttr;
    return path != NULL ? read_list(s, path, d) : ST_OK;
}

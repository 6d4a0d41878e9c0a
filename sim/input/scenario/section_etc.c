/* trace.etc: tables of times after Braun et al. */
#include "base/mem.h"
#include "input/synth/etc.h"
#include "input/scenario/section.h"
#include "model/data/net.h"

/* hi, lo, or the upper end of the range itself. */
static enum st heterogeneity(const struct ydoc_node *n, const char *key, double hi, double lo, double *out, struct diag *d)
{
    static const char *const words[] = { "hi", "lo" };
    const struct ydoc_node *v = ydoc_get(n, key);
    uint32_t i = 0;
    if (v != NULL && v->type == YDOC_SCALAR && v->text[0] >= '0' && v->text[0] <= '9') return ydoc_double(n, key, 1, 1e6, out, d);
    if (v == NULL) return ST_OK;
    TRY(ydoc_choice(n, key, words, ARRAY_LEN(words), &i, d));
    *out = i == 0 ? hi : lo;
    return ST_OK;
}

/* Each of the cluster's engine types once. */
static enum st columns(const struct scenario *s, const struct ydoc_node *n, struct etc_opts *o, struct diag *d)
{
    const struct intern *engines = &s->cluster.engines;
    const struct ydoc_node *list;
    uint32_t seen = 0;
    TRY(ydoc_list(n, "engines", &list, d));
    if (list == NULL) return ST_OK;
    for (size_t i = 0; i < list->n; i++) {
        const char *name;
        TRY(ydoc_node_str(list->at[i], &name, d));
        uint32_t engine = intern_find(engines, name);
        if (engine == NONE) {
            enum st st = ydoc_error(list->at[i], d, "found engine '%s', which no node of the cluster has", name);
            const char *near = diag_nearest(name, (const char *const *)engines->name, engines->n);
            if (near != NULL) diag_hint(d, "did you mean '%s'?", near);
            return st;
        }
        if (seen >> engine & 1) return ydoc_error(list->at[i], d, "found engine '%s' twice", name);
        seen |= 1u << engine;
        o->column[o->n_columns++] = engine;
    }
    if (o->n_columns == engines->n) return ST_OK;
    return ydoc_error(list, d, "found %u of the cluster's %u kinds of engine; the table has a column for each", o->n_columns, engines->n);
}

enum st scn_read_etc(struct scenario *s, const struct ydoc_node *trace, struct diag *d)
{
    static const char *const keys[] = { "apis", "points", "task", "machine", "order", "rows", "unit", "engines", "jobs", "tasks", "calls",
                                        "gap", "focus", "size_min", "size_max", "result" };
    static const char *const orders[] = { "consistent", "semi", "inconsistent" }, *const rows[] = { "api", "size" };
    const struct ydoc_node *n;
    struct etc_opts *o;
    char error[256];
    if (s->has_calltime) return ydoc_error(trace, d, "'format: etc' draws the times of its calls itself; found an 'engines' section too");
    if (s->cluster.engines.n == 0) return ydoc_error(trace, d, "'format: etc' makes API calls for engines, and no node of the cluster has any");
    TRY(ydoc_map(trace, "etc", &n, d));
    MEM_NEW(o);
    s->etc = o;
    s->trace.etc = o;
    etc_defaults(o);
    uint32_t order = o->order, row = 0;
    TRY(ydoc_keys(n, "etc", keys, ARRAY_LEN(keys), d));
    TRY(ydoc_int(n, "apis", 1, 100000, &o->apis, d));
    TRY(ydoc_int(n, "points", 1, 64, &o->points, d));
    TRY(heterogeneity(n, "task", ETC_TASK_HI, ETC_TASK_LO, &o->task, d));
    TRY(heterogeneity(n, "machine", ETC_MACHINE_HI, ETC_MACHINE_LO, &o->machine, d));
    TRY(ydoc_choice(n, "order", orders, ARRAY_LEN(orders), &order, d));
    TRY(ydoc_choice(n, "rows", rows, ARRAY_LEN(rows), &row, d));
    TRY(ydoc_quantity(n, "unit", TEXT_DURATION, TICK_SEC, 1, &o->unit, d));
    TRY(columns(s, n, o, d));
    TRY(ydoc_int(n, "jobs", 1, 100000000, &o->jobs, d));
    TRY(ydoc_int(n, "tasks", 1, 100000, &o->tasks, d));
    TRY(ydoc_int(n, "calls", 1, ETC_CALLS_MAX, &o->calls, d));
    TRY(ydoc_quantity(n, "gap", TEXT_DURATION, TICK_SEC, 0, &o->gap, d));
    TRY(ydoc_double(n, "focus", 0, 1, &o->focus, d));
    TRY(ydoc_quantity(n, "size_min", TEXT_BYTES, 0, 1, &o->size_min, d));
    TRY(ydoc_quantity(n, "size_max", TEXT_BYTES, 0, 1, &o->size_max, d));
    TRY(ydoc_double(n, "result", 0, 1000, &o->result, d));
    o->order = (enum etc_order)order;
    o->by_size = row == 1;
    if (o->size_max > NET_SIZE_MAX) return ydoc_expected(ydoc_get(n, "size_max"), d, "at most %lld bytes", (long long)NET_SIZE_MAX);
    if (!etc_check(o, error, sizeof error)) return ydoc_error(n, d, "etc: %s", error);        /* the defaults agree, so something was set */
    o->times = &s->calltime;
    s->has_calltime = true;
    return ST_OK;
}

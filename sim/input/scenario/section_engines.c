/* The engines section, and times that a trace brings. */
#include <string.h>
#include "base/mem.h"
#include "input/tasks/dag.h"
#include "input/tasks/call_times.h"
#include "input/tasks/relation.h"
#include "input/scenario/section.h"

enum st scn_read_engines(struct scenario *s, const struct ydoc_node *n, struct diag *d)
{
    static const char *const keys[] = { "times", "relation" };
    const char *times, *relation;
    if (n == NULL) return ST_OK;
    TRY(ydoc_keys(n, "engines", keys, ARRAY_LEN(keys), d));
    if (s->cluster.engines.n == 0) return ydoc_error(n, d, "found an 'engines' section, but no node of the cluster has any");
    if (ydoc_get(n, "times") == NULL) return ydoc_error(n, d, "found no 'times' in the engines section, the file that says how long calls take");
    TRY(scn_file(s, n, "times", true, &times, d));
    TRY(scn_file(s, n, "relation", true, &relation, d));
    TRY(call_times_read(&s->calltime, &s->cluster, times, d));
    s->has_calltime = true;
    s->has_relation = relation != NULL;
    return relation != NULL ? relation_read(&s->relation, &s->cluster, relation, d) : ST_OK;
}

/* Engine types by their place in the files; "-": none. */
static enum st read_engines(struct scenario *s, const struct ydoc_node *list, size_t most, struct diag *d)
{
    const struct intern *engines = &s->cluster.engines;
    struct trace_measured *m = &s->measured;
    if (list->n == 0 || list->n > most) return ydoc_expected(list, d, "1 to %zu kinds of engine", most);
    for (size_t i = 0; i < list->n; i++) {
        const char *name;
        TRY(ydoc_node_str(list->at[i], &name, d));
        uint32_t engine = strcmp(name, "-") == 0 ? NONE : intern_find(engines, name);
        if (engine == NONE && strcmp(name, "-") != 0) {
            enum st st = ydoc_error(list->at[i], d, "found engine '%s', which no node of the cluster has", name);
            const char *near = diag_nearest(name, (const char *const *)engines->name, engines->n);
            if (near != NULL) diag_hint(d, "did you mean '%s'?", near);
            return st;
        }
        for (uint32_t k = 0; k < m->n && engine != NONE; k++)
            if (m->engine[k] == engine) return ydoc_error(list->at[i], d, "found engine '%s' twice", name);
        m->engine[m->n++] = engine;
    }
    return ST_OK;
}

enum st scn_read_measured(struct scenario *s, const struct ydoc_node *trace, struct diag *d)
{
    const struct ydoc_node *list, *key = ydoc_get(trace, "measured");
    const char *format = s->trace.format;
    TRY(ydoc_list(trace, "measured", &list, d));
    if (list == NULL) return ST_OK;
    bool is_gavel = strcmp(format, "gavel") == 0;
    if (!is_gavel && strcmp(format, "dag") != 0 && strcmp(format, "native") != 0)
        return ydoc_key_error(key, d, "'measured' goes with 'format: dag', 'gavel' or 'native', found 'format: %s'", format);
    if (s->has_calltime) return ydoc_key_error(key, d, "'measured' takes the times of calls from the trace; found an 'engines' section too");
    TRY(read_engines(s, list, is_gavel ? (size_t)ENGINE_KINDS_MAX : (size_t)DAG_ENGINES, d));
    s->measured.times = &s->calltime;
    s->trace.measured = &s->measured;
    s->has_calltime = true;
    return ST_OK;
}

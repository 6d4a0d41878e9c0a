/* The engines section: how long calls take, and which engines suit a task. */
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
    TRY(call_times_read(&s->engines.times, &s->cluster, times, d));
    s->engines.has_times = true;
    s->engines.has_relation = relation != NULL;
    return relation != NULL ? relation_read(&s->engines.relation, &s->cluster, relation, d) : ST_OK;
}

/* The engines section: how long calls take, and which engines suit a task. */
#include "input/tasks/call_times.h"
#include "input/tasks/relation.h"
#include "input/scenario/section.h"

enum { SPEED_MAX = 1000 };

/* {cpu: 1, fast: 2.5}: engine types that tasks without calls run on, and how fast. */
static enum st read_tasks(struct scenario *s, const struct ydoc_node *n, struct diag *d)
{
    const struct ydoc_node *map;
    const struct intern *engines = &s->cluster.engines;
    TRY(ydoc_map(n, "tasks", &map, d));
    if (map != NULL && map->n == 0)
        return ydoc_expected(map, d, "at least one engine type with its speed, such as {cpu: 1}");
    for (size_t i = 0; map != NULL && i < map->n; i++) {
        const char *type = map->at[i]->key;
        uint32_t e = intern_find(engines, type);
        if (e == NONE) {
            (void)ydoc_key_error(map->at[i], d, "found engine '%s', which no node of the cluster has", type);
            return diag_suggest(d, type, (const char *const *)engines->name, engines->n);
        }
        TRY(ydoc_quantity(map, type, TEXT_MILLI, 1000, 1, &s->engines.as_calls[e], d));
        if (s->engines.as_calls[e] > SPEED_MAX * INT64_C(1000))
            return ydoc_expected(map->at[i], d, "a speed of at most %d", SPEED_MAX);
    }
    return ST_OK;
}

enum st scn_read_engines(struct scenario *s, const struct ydoc_node *n, struct diag *d)
{
    static const char *const keys[] = { "times", "relation", "tasks" };
    const char *times, *relation;
    if (n == NULL) return ST_OK;
    TRY(ydoc_keys(n, "engines", keys, ARRAY_LEN(keys), d));
    if (s->cluster.engines.n == 0) return ydoc_error(n, d, "found an 'engines' section, but no node of the cluster has any");
    if (ydoc_get(n, "times") == NULL && ydoc_get(n, "tasks") == NULL)
        return ydoc_error(n, d, "found neither 'times' in the engines section, the file that says how long calls take, "
                          "nor 'tasks'");
    TRY(read_tasks(s, n, d));
    TRY(scn_file(s, n, "times", true, &times, d));
    TRY(scn_file(s, n, "relation", true, &relation, d));
    if (times != NULL) TRY(call_times_read(&s->engines.times, &s->cluster, times, d));
    s->engines.has_times = true;
    s->engines.has_relation = relation != NULL;
    return relation != NULL ? relation_read(&s->engines.relation, &s->cluster, relation, d) : ST_OK;
}

/*
 * WfFormat 1.5 (WfCommons): tasks and their order from `specification`, times and the makespan of the run that was
 * recorded from `execution`.  Layer: input.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>
#include "base/mem.h"
#include "input/tasks/dag.h"

struct wf_json { struct dag *g; char *text; json_t *root; const char *at; uint32_t at_line; };

/*
 * The line on which `"id": "..."` stands, from where the last one stood, then
 * from the beginning; 0 if nowhere (escaped).  jansson keeps no places.
 */
static uint32_t line_of(struct wf_json *x, const char *id)
{
    char *quoted;
    size_t n = strlen(id) + 3;
    MEM_ARRAY(quoted, n);
    (void)snprintf(quoted, n, "\"%s\"", id);
    uint32_t line = 0;
    for (int tries = 0; tries < 2 && line == 0; tries++) {
        if (tries > 0) { x->at = x->text; x->at_line = 1; }
        for (const char *s = x->at; line == 0 && (s = strstr(s, quoted)) != NULL; s++) {
            const char *b = s;
            while (b > x->text && strchr(" \t\r\n", b[-1]) != NULL) b--;
            if (b == x->text || b[-1] != ':') continue;
            for (b--; b > x->text && strchr(" \t\r\n", b[-1]) != NULL; b--) continue;
            if (b - x->text < 4 || strncmp(b - 4, "\"id\"", 4) != 0) continue;
            line = x->at_line;
            for (const char *p = x->at; p < s; p++) line += *p == '\n';
            x->at = s;
            x->at_line = line;
        }
    }
    mem_free(quoted);
    return line;
}

static enum st expected(const struct wf_json *x, struct diag *d, uint32_t line, const char *where, size_t i, const char *what)
{
    return diag_at(d, ST_EINPUT, x->g->path, line, 0, "%s[%zu]: expected %s", where, i, what);
}

static enum st read_list(const struct wf_json *x, const json_t *task, const char *key, size_t i, struct diag *d, const json_t **out)
{
    *out = json_object_get(task, key);
    if (*out != NULL && !json_is_array(*out)) return expected(x, d, 0, "workflow.specification.tasks", i, "lists of names for parents and children");
    for (size_t k = 0; k < json_array_size(*out); k++)
        if (!json_is_string(json_array_get(*out, k))) return expected(x, d, 0, "workflow.specification.tasks", i, "lists of names for parents and children");
    return ST_OK;
}

static enum st read_tasks(struct wf_json *x, const json_t *tasks, struct diag *d)
{
    for (size_t i = 0; i < json_array_size(tasks); i++) {
        const char *id = json_string_value(json_object_get(json_array_get(tasks, i), "id"));
        uint32_t at;
        if (id == NULL) return expected(x, d, 0, "workflow.specification.tasks", i, "an id");
        TRY(dag_add(x->g, id, line_of(x, id), &at, d));
    }
    for (size_t i = 0; i < json_array_size(tasks); i++) {
        const json_t *list;
        uint32_t line = x->g->task[i].line;
        TRY(read_list(x, json_array_get(tasks, i), "parents", i, d, &list));
        for (size_t k = 0; k < json_array_size(list); k++)
            dag_wait(x->g, (uint32_t)i, json_string_value(json_array_get(list, k)), line, 0);
        /* A child that does not name its parent waits for it all the same. */
        TRY(read_list(x, json_array_get(tasks, i), "children", i, d, &list));
        for (size_t k = 0; k < json_array_size(list); k++) {
            const char *child = json_string_value(json_array_get(list, k));
            const char *id = json_string_value(json_object_get(json_array_get(tasks, i), "id"));
            uint32_t name = intern_find(&x->g->names, child), at = name != NONE ? x->g->of_name[name] : NONE;
            if (at == NONE) return diag_at(d, ST_EINPUT, x->g->path, line, 0, "task '%.80s' names the child '%.80s', which is not in the file", id, child);
            dag_wait(x->g, at, id, line, 0);
        }
    }
    return ST_OK;
}

static enum st read_run(struct wf_json *x, const json_t *t, size_t i, bool *has_time, struct diag *d)
{
    const char *where = "workflow.execution.tasks", *id = json_string_value(json_object_get(t, "id"));
    const json_t *run = json_object_get(t, "runtimeInSeconds"), *cores = json_object_get(t, "coreCount"), *mem = json_object_get(t, "memoryInBytes");
    uint32_t name = id != NULL ? intern_find(&x->g->names, id) : NONE, at = name != NONE ? x->g->of_name[name] : NONE;
    if (id == NULL) return expected(x, d, 0, where, i, "an id");
    if (at == NONE) return diag_at(d, ST_EINPUT, x->g->path, line_of(x, id), 0, "%s[%zu]: task '%.80s' is not in the specification", where, i, id);
    struct dag_task *o = &x->g->task[at];
    if (has_time[at]) return diag_at(d, ST_EINPUT, x->g->path, o->line, 0, "task '%.80s' has two executions", id);
    if (!json_is_number(run) || (o->dur[DAG_CPU] = dag_time(x->g, json_number_value(run), TICK_SEC)) < 0)
        return diag_at(d, ST_EINPUT, x->g->path, o->line, 0, "task '%.80s': expected runtimeInSeconds, a number from 0", id);
    if (cores != NULL && (!json_is_number(cores) || !(json_number_value(cores) > 0) || json_number_value(cores) > 1e6))
        return diag_at(d, ST_EINPUT, x->g->path, o->line, 0, "task '%.80s': coreCount is not a number above 0", id);
    if (mem != NULL && (!json_is_number(mem) || !(json_number_value(mem) >= 0) || json_number_value(mem) > 1e15))
        return diag_at(d, ST_EINPUT, x->g->path, o->line, 0, "task '%.80s': memoryInBytes is not a number from 0", id);
    if (cores != NULL) o->cpu_milli = llround(json_number_value(cores) * 1000);
    if (mem != NULL) o->mem_b = llround(json_number_value(mem));
    has_time[at] = true;
    return ST_OK;
}

static enum st read_runs(struct wf_json *x, const json_t *runs, struct diag *d)
{
    bool *has_time;
    MEM_ARRAY(has_time, x->g->n);
    enum st st = ST_OK;
    for (size_t i = 0; i < json_array_size(runs) && st == ST_OK; i++) st = read_run(x, json_array_get(runs, i), i, has_time, d);
    for (uint32_t k = 0; k < x->g->n && st == ST_OK; k++)
        if (!has_time[k]) st = diag_at(d, ST_EINPUT, x->g->path, x->g->task[k].line, 0, "workflow.specification.tasks[%u] has no execution, and so no time", k);
    mem_free(has_time);
    return st;
}

/* Of a document about a run that was not recorded to its end there is none, or 0. */
static enum st read_makespan(struct wf_json *x, const json_t *makespan, struct diag *d)
{
    if (makespan == NULL || json_is_null(makespan)) return ST_OK;
    if (!json_is_number(makespan) || (x->g->recorded = dag_time(x->g, json_number_value(makespan), TICK_SEC)) < 0)
        return diag_at(d, ST_EINPUT, x->g->path, 0, 0, "execution: expected makespanInSeconds, a number from 0");
    return ST_OK;
}

static enum st read_root(struct wf_json *x, struct diag *d)
{
    const char *version = json_string_value(json_object_get(x->root, "schemaVersion"));
    const json_t *wf = json_object_get(x->root, "workflow");
    const json_t *tasks = json_object_get(json_object_get(wf, "specification"), "tasks"), *runs = json_object_get(json_object_get(wf, "execution"), "tasks");
    if (version == NULL || strcmp(version, "1.5") != 0)
        return diag_at(d, ST_EINPUT, x->g->path, 0, 0, "schemaVersion is '%.20s', expected 1.5", version != NULL ? version : "not there");
    if (!json_is_array(tasks)) return diag_at(d, ST_EINPUT, x->g->path, 0, 0, "found no list workflow.specification.tasks");
    if (!json_is_array(runs)) return diag_at(d, ST_EINPUT, x->g->path, 0, 0, "found no list workflow.execution.tasks, which holds the times");
    TRY(read_makespan(x, json_object_get(json_object_get(wf, "execution"), "makespanInSeconds"), d));
    TRY(read_tasks(x, tasks, d));
    return read_runs(x, runs, d);
}

static enum st slurp(const char *path, char **text, struct diag *d)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL) return diag_at(d, errno == ENOENT ? ST_EINPUT : ST_EWORLD, path, 0, 0, "cannot be opened: %s", strerror(errno));
    size_t cap = 0, n = 0, got = 1;
    while (got > 0) {
        MEM_RESERVE(*text, cap, n + 65537);
        got = fread(*text + n, 1, 65536, f);
        n += got;
    }
    (*text)[n] = '\0';
    bool bad = ferror(f) != 0;
    (void)fclose(f);
    return bad ? diag_at(d, ST_EWORLD, path, 0, 0, "cannot be read") : ST_OK;
}

enum st dag_read_json(struct dag *g, struct diag *d)
{
    struct wf_json x = { .g = g };
    json_error_t e;
    enum st st = slurp(g->path, &x.text, d);
    if (st == ST_OK && (x.root = json_loads(x.text, JSON_REJECT_DUPLICATES, &e)) == NULL)
        st = diag_at(d, ST_EINPUT, g->path, (uint32_t)i64_max(e.line, 0), (uint32_t)i64_max(e.column, 0), "is not JSON: %s", e.text);
    x.at = x.text;
    x.at_line = 1;
    if (st == ST_OK) st = read_root(&x, d);
    json_decref(x.root);
    mem_free(x.text);
    return st;
}

/*
 * WfFormat of WfCommons: tasks and their order, times, the machines on which they ran and the makespan of the run that
 * was recorded; files where they are asked for.  Layer: input.
 *
 * Schema 1.5 has what a workflow is in `specification` and how a run of it went in `execution`; 1.4 has one list of
 * tasks, which are called by their names, and files with each task.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>
#include "base/mem.h"
#include "input/tasks/dag/dag.h"

/* Where a schema has what. */
struct schema {
    const char *version, *tasks, *runs, *name, *cores, *machine_mhz;
};
static const struct schema schemas[] = {
    { "1.4", "workflow.tasks", "workflow.tasks", "name", "cores", "speed" },
    { "1.5", "workflow.specification.tasks", "workflow.execution.tasks", "id", "coreCount", "speedInMHz" },
};

struct wf_json {
    struct dag *g;
    const struct schema *schema;
    char *text; json_t *root;
    const json_t *tasks, *runs, *execution;     /* lists; and where makespan and machines stand */
    const char *at; uint32_t at_line;
};

/* ---- places ---- */

/*
 * The line on which `"id": "..."` stands (1.4: "name"), from where the last one
 * stood, then from the beginning; 0 if nowhere (escaped).  jansson keeps no places.
 */
static uint32_t line_of(struct wf_json *x, const char *id)
{
    char *quoted = mem_printf("\"%s\"", id), *key = mem_printf("\"%s\"", x->schema->name);
    const ptrdiff_t n = (ptrdiff_t)strlen(key);
    uint32_t line = 0;
    for (int tries = 0; tries < 2 && line == 0; tries++) {
        if (tries > 0) { x->at = x->text; x->at_line = 1; }
        for (const char *s = x->at; line == 0 && (s = strstr(s, quoted)) != NULL; s++) {
            const char *b = s;
            while (b > x->text && strchr(" \t\r\n", b[-1]) != NULL) b--;
            if (b == x->text || b[-1] != ':') continue;
            for (b--; b > x->text && strchr(" \t\r\n", b[-1]) != NULL; b--) continue;
            if (b - x->text < n || strncmp(b - n, key, (size_t)n) != 0) continue;
            line = x->at_line;
            for (const char *p = x->at; p < s; p++) line += *p == '\n';
            x->at = s;
            x->at_line = line;
        }
    }
    mem_free(quoted);
    mem_free(key);
    return line;
}

static enum st expected(const struct wf_json *x, struct diag *d, uint32_t line, const char *where, size_t i, const char *what)
{
    return diag_at(d, ST_EINPUT, x->g->path, line, 0, "%s[%zu]: expected %s", where, i, what);
}

/* ---- tasks and their order ---- */

/* A list of names; NULL: it is not there. */
static enum st read_list(const struct wf_json *x, const json_t *task, const char *key, size_t i, const char *what,
                         struct diag *d, const json_t **out)
{
    *out = json_object_get(task, key);
    if (*out != NULL && !json_is_array(*out)) return expected(x, d, 0, x->schema->tasks, i, what);
    for (size_t k = 0; k < json_array_size(*out); k++)
        if (!json_is_string(json_array_get(*out, k))) return expected(x, d, 0, x->schema->tasks, i, what);
    return ST_OK;
}

static enum st read_tasks(struct wf_json *x, struct diag *d)
{
    static const char *const what = "lists of names for parents and children";
    const json_t *tasks = x->tasks;
    for (size_t i = 0; i < json_array_size(tasks); i++) {
        const char *id = json_string_value(json_object_get(json_array_get(tasks, i), x->schema->name));
        uint32_t at;
        if (id == NULL) return expected(x, d, 0, x->schema->tasks, i, x->schema == &schemas[0] ? "a name" : "an id");
        TRY(dag_add(x->g, id, line_of(x, id), &at, d));
    }
    for (size_t i = 0; i < json_array_size(tasks); i++) {
        const json_t *list;
        uint32_t line = x->g->task[i].line;
        TRY(read_list(x, json_array_get(tasks, i), "parents", i, what, d, &list));
        for (size_t k = 0; k < json_array_size(list); k++)
            dag_wait(x->g, (uint32_t)i, json_string_value(json_array_get(list, k)), line, 0);
        /* A child that does not name its parent waits for it all the same. */
        TRY(read_list(x, json_array_get(tasks, i), "children", i, what, d, &list));
        for (size_t k = 0; k < json_array_size(list); k++) {
            const char *child = json_string_value(json_array_get(list, k));
            const char *id = json_string_value(json_object_get(json_array_get(tasks, i), x->schema->name));
            uint32_t name = intern_find(&x->g->names, child), at = name != NONE ? x->g->of_name[name] : NONE;
            if (at == NONE)
                return diag_at(d, ST_EINPUT, x->g->path, line, 0,
                               "task '%.80s' names the child '%.80s', which is not in the file", id, child);
            dag_wait(x->g, at, id, line, 0);
        }
    }
    return ST_OK;
}

/* ---- files ---- */

/* A size, when it is one: whole, though a double may have been written. */
static int64_t size_of(const json_t *file)
{
    const json_t *size = json_object_get(file, "sizeInBytes");
    double v = json_is_number(size) ? json_number_value(size) : -1;
    return v >= 0 && v <= 1e18 ? llround(v) : -1;
}

static enum st add_file(struct wf_json *x, const char *name, const json_t *file, uint32_t line, uint32_t *out,
                        struct diag *d)
{
    if (size_of(file) < 0)
        return diag_at(d, ST_EINPUT, x->g->path, line, 0, "file '%.80s': expected sizeInBytes, a number from 0", name);
    return dag_file_add(x->g, name, size_of(file), line, out, d);
}

/* 1.4: [{link, path, name, sizeInBytes}] with each task. */
static enum st files_of_task(struct wf_json *x, uint32_t task, const json_t *files, struct diag *d)
{
    uint32_t line = x->g->task[task].line, id;
    for (size_t k = 0; k < json_array_size(files); k++) {
        const json_t *file = json_array_get(files, k);
        const char *name = json_string_value(json_object_get(file, "name"));
        const char *path = json_string_value(json_object_get(file, "path"));
        const char *link = json_string_value(json_object_get(file, "link"));
        bool is_input = link != NULL && strcmp(link, "input") == 0;
        if (name == NULL || link == NULL || (!is_input && strcmp(link, "output") != 0))
            return diag_at(d, ST_EINPUT, x->g->path, line, 0,
                           "file %zu of this task: expected a name, and as link input or output", k);
        char *whole = mem_printf("%s%s", path != NULL ? path : "", name);
        enum st st = add_file(x, whole, file, line, &id, d);
        mem_free(whole);
        if (st != ST_OK) return st;
        if (is_input) dag_file_read(x->g, task, id);
        else TRY(dag_file_write(x->g, task, id, d));
    }
    return ST_OK;
}

/* 1.5: inputFiles and outputFiles of each task name those of specification.files. */
static enum st named_files(struct wf_json *x, uint32_t task, const char *key, bool is_input, struct diag *d)
{
    const json_t *list;
    const char *what = "lists of names for inputFiles and outputFiles";
    TRY(read_list(x, json_array_get(x->tasks, task), key, task, what, d, &list));
    for (size_t k = 0; k < json_array_size(list); k++) {
        const char *name = json_string_value(json_array_get(list, k));
        uint32_t file = intern_find(&x->g->files, name);
        if (file == NONE) {
            (void)diag_at(d, ST_EINPUT, x->g->path, x->g->task[task].line, 0,
                          "found file '%.80s', which is not in workflow.specification.files", name);
            return diag_suggest(d, name, (const char *const *)x->g->files.name, x->g->files.n);
        }
        if (is_input) dag_file_read(x->g, task, file);
        else TRY(dag_file_write(x->g, task, file, d));
    }
    return ST_OK;
}

static enum st read_files(struct wf_json *x, const json_t *specification, struct diag *d)
{
    const json_t *files = json_object_get(specification, "files");
    uint32_t file;
    for (size_t i = 0; i < json_array_size(files); i++) {
        const char *name = json_string_value(json_object_get(json_array_get(files, i), "id"));
        if (name == NULL) return expected(x, d, 0, "workflow.specification.files", i, "an id");
        TRY(add_file(x, name, json_array_get(files, i), line_of(x, name), &file, d));
    }
    for (uint32_t k = 0; k < x->g->n; k++) {
        if (specification == NULL) {
            TRY(files_of_task(x, k, json_object_get(json_array_get(x->tasks, k), "files"), d));
        } else {
            TRY(named_files(x, k, "inputFiles", true, d));
            TRY(named_files(x, k, "outputFiles", false, d));
        }
    }
    dag_file_edges(x->g);
    return ST_OK;
}

/* ---- the run ---- */

static uint32_t machine_id(struct wf_json *x, const char *name)
{
    uint32_t old = x->g->machines.n, id = intern_id(&x->g->machines, name);
    MEM_RESERVE(x->g->machine_khz, x->g->cap_machine, (size_t)id + 1);
    if (id == old) x->g->machine_khz[id] = 0;
    return id;
}

static enum st read_machines(struct wf_json *x, struct diag *d)
{
    const json_t *machines = json_object_get(x->execution, "machines");
    for (size_t i = 0; i < json_array_size(machines); i++) {
        const json_t *machine = json_array_get(machines, i);
        const char *name = json_string_value(json_object_get(machine, "nodeName"));
        const json_t *mhz = json_object_get(json_object_get(machine, "cpu"), x->schema->machine_mhz);
        if (name == NULL) return expected(x, d, 0, "machines", i, "a nodeName");
        if (mhz != NULL && (!json_is_number(mhz) || !(json_number_value(mhz) > 0) || json_number_value(mhz) > 1e6))
            return expected(x, d, 0, "machines", i, "a speed of its cpu in MHz, above 0");
        uint32_t id = machine_id(x, name);
        if (mhz != NULL) x->g->machine_khz[id] = llround(json_number_value(mhz) * 1000);
    }
    return ST_OK;
}

/* 1.5 a list of names, 1.4 one name. */
static void read_machine(struct wf_json *x, const json_t *run, struct dag_task *o)
{
    const json_t *list = json_object_get(run, "machines"), *one = json_object_get(run, "machine");
    if (json_array_size(list) == 1) one = json_array_get(list, 0);
    if (json_is_string(one)) o->machine = machine_id(x, json_string_value(one));
}

static enum st read_run(struct wf_json *x, const json_t *t, size_t i, bool *has_time, struct diag *d)
{
    const char *id = json_string_value(json_object_get(t, x->schema->name));
    const json_t *run = json_object_get(t, "runtimeInSeconds"), *cores = json_object_get(t, x->schema->cores);
    const json_t *mem = json_object_get(t, "memoryInBytes");
    uint32_t name = id != NULL ? intern_find(&x->g->names, id) : NONE, at = name != NONE ? x->g->of_name[name] : NONE;
    if (id == NULL) return expected(x, d, 0, x->schema->runs, i, "an id");
    if (at == NONE)
        return diag_at(d, ST_EINPUT, x->g->path, line_of(x, id), 0, "%s[%zu]: task '%.80s' is not in the specification",
                       x->schema->runs, i, id);
    struct dag_task *o = &x->g->task[at];
    if (has_time[at]) return diag_at(d, ST_EINPUT, x->g->path, o->line, 0, "task '%.80s' has two executions", id);
    if (!json_is_number(run) || (o->dur[DAG_CPU] = dag_time(x->g, json_number_value(run), TICK_SEC)) < 0)
        return diag_at(d, ST_EINPUT, x->g->path, o->line, 0, "task '%.80s': expected runtimeInSeconds, a number from 0", id);
    if (cores != NULL && (!json_is_number(cores) || !(json_number_value(cores) > 0) || json_number_value(cores) > 1e6))
        return diag_at(d, ST_EINPUT, x->g->path, o->line, 0, "task '%.80s': %s is not a number above 0", id,
                       x->schema->cores);
    if (mem != NULL && (!json_is_number(mem) || !(json_number_value(mem) >= 0) || json_number_value(mem) > 1e15))
        return diag_at(d, ST_EINPUT, x->g->path, o->line, 0, "task '%.80s': memoryInBytes is not a number from 0", id);
    if (cores != NULL) o->cpu_milli = llround(json_number_value(cores) * 1000);
    if (mem != NULL) o->mem_b = llround(json_number_value(mem));
    read_machine(x, t, o);
    has_time[at] = true;
    return ST_OK;
}

static enum st read_runs(struct wf_json *x, struct diag *d)
{
    bool *has_time;
    MEM_ARRAY(has_time, x->g->n);
    enum st st = ST_OK;
    for (size_t i = 0; i < json_array_size(x->runs) && st == ST_OK; i++)
        st = read_run(x, json_array_get(x->runs, i), i, has_time, d);
    for (uint32_t k = 0; k < x->g->n && st == ST_OK; k++)
        if (!has_time[k])
            st = diag_at(d, ST_EINPUT, x->g->path, x->g->task[k].line, 0, "%s[%u] has no execution, and so no time",
                         x->schema->tasks, k);
    mem_free(has_time);
    return st;
}

/* Of a document about a run that was not recorded to its end there is none, or 0. */
static enum st read_makespan(struct wf_json *x, struct diag *d)
{
    const json_t *makespan = json_object_get(x->execution, "makespanInSeconds");
    if (makespan == NULL || json_is_null(makespan)) return ST_OK;
    if (!json_is_number(makespan) || (x->g->recorded = dag_time(x->g, json_number_value(makespan), TICK_SEC)) < 0)
        return diag_at(d, ST_EINPUT, x->g->path, 0, 0, "execution: expected makespanInSeconds, a number from 0");
    return ST_OK;
}

/* ---- the document ---- */

static enum st read_root(struct wf_json *x, struct diag *d)
{
    const char *version = json_string_value(json_object_get(x->root, "schemaVersion"));
    const json_t *wf = json_object_get(x->root, "workflow"), *specification = json_object_get(wf, "specification");
    for (size_t i = 0; i < ARRAY_LEN(schemas) && version != NULL; i++)
        if (strcmp(version, schemas[i].version) == 0) x->schema = &schemas[i];
    if (x->schema == NULL)
        return diag_at(d, ST_EINPUT, x->g->path, 0, 0, "schemaVersion is '%.20s', expected 1.4 or 1.5",
                       version != NULL ? version : "not there");
    bool is_one = x->schema == &schemas[0];
    x->execution = is_one ? wf : json_object_get(wf, "execution");
    x->runs = json_object_get(x->execution, "tasks");
    x->tasks = is_one ? x->runs : json_object_get(specification, "tasks");
    if (!json_is_array(x->tasks)) return diag_at(d, ST_EINPUT, x->g->path, 0, 0, "found no list %s", x->schema->tasks);
    if (!json_is_array(x->runs))
        return diag_at(d, ST_EINPUT, x->g->path, 0, 0, "found no list %s, which holds the times", x->schema->runs);
    TRY(read_makespan(x, d));
    TRY(read_tasks(x, d));
    TRY(read_machines(x, d));
    TRY(read_runs(x, d));
    return x->g->reads_files ? read_files(x, is_one ? NULL : specification, d) : ST_OK;
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

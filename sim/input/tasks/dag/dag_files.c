/*
 * dag_files.c -- the files of a workflow: what one task writes and another reads is an edge
 * between them; what nobody writes is a block, which lies on nodes.  Layer: input.
 */
#include <string.h>
#include "base/mem.h"
#include "input/tasks/dag/dag.h"
#include "model/data/net.h"

enum st dag_file_add(struct dag *g, const char *name, int64_t size, uint32_t line, uint32_t *file, struct diag *d)
{
    uint32_t old = g->files.n;
    if (size < 0 || size > NET_SIZE_MAX)
        return diag_at(d, ST_EINPUT, g->path, line, 0, "file '%.80s' has %lld bytes; expected 0 to 2^49", name, (long long)size);
    *file = intern_id(&g->files, name);
    MEM_RESERVE(g->file, g->cap_file, (size_t)*file + 1);
    if (*file == old) g->file[old] = (struct dag_file){ .size = size, .writer = NONE, .block = NONE };
    if (g->file[*file].size == size) return ST_OK;
    return diag_at(d, ST_EINPUT, g->path, line, 0, "file '%.80s' has %lld bytes here and %lld elsewhere", name, (long long)size,
                   (long long)g->file[*file].size);
}

enum st dag_file_write(struct dag *g, uint32_t task, uint32_t file, struct diag *d)
{
    struct dag_file *f = &g->file[file];
    if (f->writer != NONE && f->writer != task)
        return diag_at(d, ST_EINPUT, g->path, g->task[task].line, 0, "file '%.80s' is written by this task and by that on line %u",
                       intern_name(&g->files, file), g->task[f->writer].line);
    f->writer = task;
    return ST_OK;
}

void dag_file_read(struct dag *g, uint32_t task, uint32_t file)
{
    MEM_RESERVE(g->read, g->cap_read, (size_t)g->n_reads + 1);
    g->read[g->n_reads++] = (struct dag_read){ .task = task, .file = file };
}

/* A task may read again what it wrote itself: that is no edge. */
void dag_file_edges(struct dag *g)
{
    const char **name;          /* of each task */
    uint32_t kept = 0;
    MEM_ARRAY(name, g->n);
    for (uint32_t i = 0; i < g->names.n; i++) if (g->of_name[i] != NONE) name[g->of_name[i]] = intern_name(&g->names, i);
    for (uint32_t r = 0; r < g->n_reads; r++) {
        const struct dag_file *f = &g->file[g->read[r].file];
        uint32_t task = g->read[r].task;
        if (f->writer == NONE) g->read[kept++] = g->read[r];
        else if (f->writer != task) dag_wait(g, task, name[f->writer], g->task[task].line, f->size);
    }
    g->n_reads = kept;
    mem_free(name);
}

/* "WORKFLOW:FILE", and several rows or readers of one workflow share it. */
enum st dag_file_blocks(struct dag *g, struct data *data, struct diag *d)
{
    const char *base = strrchr(g->path, '/') != NULL ? strrchr(g->path, '/') + 1 : g->path;
    if (data == NULL) return diag_at(d, ST_EINPUT, g->path, 0, 0, "'files' need a scenario: it has data, and a cluster to hold it");
    for (uint32_t r = 0; r < g->n_reads; r++) {
        struct dag_file *f = &g->file[g->read[r].file];
        if (f->block != NONE) continue;
        char *name = mem_printf("%.*s:%s", (int)strcspn(base, "."), base, intern_name(&g->files, g->read[r].file));
        f->block = intern_find(&data->names, name);
        if (f->block == NONE) f->block = data_add(data, name, f->size);
        bool is_other = data->block[f->block].size != f->size;
        mem_free(name);
        if (is_other)
            return diag_at(d, ST_EINPUT, g->path, g->task[g->read[r].task].line, 0,
                           "file '%.80s' has another size in another workflow's file of the same name",
                           intern_name(&g->files, g->read[r].file));
    }
    return ST_OK;
}

/* gavel_table.c -- Gavel's table of throughputs: its types, whatever their case, and the names of its models. */
#include "input/tasks/gavel_table.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

bool gavel_table_is(const char *path)
{
    size_t n = strlen(path);
    return n > 5 && strcmp(path + n - 5, ".json") == 0;
}

enum st gavel_table_load(const char *path, json_t **table, struct diag *d)
{
    json_error_t at;
    *table = json_load_file(path, 0, &at);
    if (*table == NULL) return diag_at(d, ST_EINPUT, path, at.line > 0 ? (uint32_t)at.line : 0, 0, "%s", at.text);
    if (json_is_object(*table)) return ST_OK;
    json_decref(*table);
    return diag_set(d, ST_EINPUT, "%s: expected an object, of GPU types", path);
}

static bool has_cards(const struct cluster *c, uint32_t type)
{
    for (uint32_t i = 0; i < c->n_nodes; i++) if (c->node[i].n_gpu > 0 && c->node[i].gpu_type == type) return true;
    return false;
}

enum st gavel_table_rows(const json_t *table, const char *path, const struct cluster *c, uint32_t type,
    const char *suffix, const json_t **rows, struct diag *d)
{
    const char *name, *wanted = intern_name(&c->gpu_types, type);
    json_t *v;
    size_t n = strlen(wanted);
    *rows = NULL;
    json_object_foreach((json_t *)table, name, v) {
        if (strncasecmp(name, wanted, n) != 0 || strcmp(name + n, suffix) != 0) continue;
        if (!json_is_object(v)) return diag_set(d, ST_EINPUT, "%s: '%.60s': expected an object, of models", path, name);
        *rows = v;
    }
    if (*rows != NULL || c->gpu_part[type].share > 0 || !has_cards(c, type)) return ST_OK;
    return diag_set(d, ST_EINPUT, "%s: has no GPU type '%s%s', and nodes of the cluster have '%s'", path, wanted, suffix, wanted);
}

enum st gavel_table_model(struct throughput *perf, const char *path, const char *key, uint32_t *model, int *gpus,
    struct diag *d)
{
    char name[256];
    const char *end = strrchr(key, '\'');
    char close, more;
    bool is_key = strncmp(key, "('", 2) == 0 && end != NULL && end >= key + 3 && end - key <= 200 &&
                  sscanf(end, "', %6d%c%c", gpus, &close, &more) == 2 && close == ')' && *gpus >= 1;
    if (!is_key) return diag_set(d, ST_EINPUT, "%s: found '%.60s', expected ('MODEL', GPUS)", path, key);
    (void)snprintf(name, sizeof name, "%.*s#%d", (int)(end - key - 2), key + 2, *gpus);
    *model = throughput_model(perf, name);
    return ST_OK;
}

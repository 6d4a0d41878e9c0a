/* pairs.c -- the pairs of sharing.h: a CSV file of our own, or Gavel's table of throughputs (JSON). */
#include "input/tasks/pairs.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "input/tasks/profiles.h"
#include "input/text/csv.h"

enum col { MODEL, BESIDE, SPEED, GPU_TYPE, N_COLS };
struct target { struct sharing *sharing; struct throughput *perf; const struct cluster *cluster; const char *path; };

static enum st read_row(void *ctx, struct csv *c, const int *at, struct diag *d)
{
    enum { UNIT = 1000000 };
    const struct target *to = ctx;
    struct sharing_pair pair;
    int64_t speed;
    for (int k = MODEL; k <= SPEED; k++) TRY(csv_need(c, at[k], d));
    TRY(csv_scaled(c, at[SPEED], UNIT, UNIT, &speed, d));
    if (speed == 0) return csv_fail(c, at[SPEED], d, "a job beside another goes at more than 0 times its speed alone");
    pair.model = throughput_model(to->perf, csv_field(c, at[MODEL]));
    pair.beside = throughput_model(to->perf, csv_field(c, at[BESIDE]));
    pair.speed = (double)speed / UNIT;
    if (!profiles_gpu_type(to->cluster, csv_field(c, at[GPU_TYPE]), &pair.gpu_type)) return ST_OK;
    return sharing_add(to->sharing, pair) ? ST_OK : csv_fail(c, at[MODEL], d, "a row above says this of the pair already");
}

/* ---- Gavel's ---- */

/* "('ResNet-50 (batch size 16)', 1)" is model "ResNet-50 (batch size 16)#1". */
static bool model_of(struct throughput *perf, const char *key, uint32_t *model)
{
    char name[256];
    const char *end = strrchr(key, '\'');
    int gpus;
    char close, more;
    if (strncmp(key, "('", 2) != 0 || end == NULL || end < key + 3 || end - key > 200) return false;
    if (sscanf(end, "', %6d%c%c", &gpus, &close, &more) != 2 || close != ')' || gpus < 1) return false;
    (void)snprintf(name, sizeof name, "%.*s#%d", (int)(end - key - 2), key + 2, gpus);
    *model = throughput_model(perf, name);
    return true;
}

/* Those of one configuration.  A pair at 0 did not fit on the card together: nothing was measured. */
static enum st read_pairs(const struct target *to, uint32_t gpu_type, const char *key, const json_t *row, struct diag *d)
{
    const char *other;
    json_t *v;
    struct sharing_pair pair = { .gpu_type = gpu_type };
    if (!json_is_object(row)) return diag_set(d, ST_EINPUT, "%s: '%.60s': expected an object, of throughputs", to->path, key);
    double alone = json_number_value(json_object_get(row, "null"));
    if (!model_of(to->perf, key, &pair.model)) return diag_set(d, ST_EINPUT, "%s: found '%.60s', expected ('MODEL', GPUS)", to->path, key);
    json_object_foreach((json_t *)row, other, v) {
        if (strcmp(other, "null") == 0) continue;
        double speed = json_number_value(json_array_get(v, 0)) / alone;
        if (!model_of(to->perf, other, &pair.beside)) return diag_set(d, ST_EINPUT, "%s: found '%.60s', expected ('MODEL', GPUS)", to->path, other);
        if (!(alone > 0) || !(speed > 0) || !isfinite(speed)) continue;
        pair.speed = fmin(speed, 1);        /* a little above 1 is the error of a measurement */
        (void)sharing_add(to->sharing, pair);
    }
    return ST_OK;
}

static enum st read_gavel(const struct target *to, struct diag *d)
{
    json_error_t at;
    json_t *table = json_load_file(to->path, 0, &at);
    enum st st = ST_OK;
    const char *type, *key;
    json_t *rows, *row;
    if (table == NULL) return diag_at(d, ST_EINPUT, to->path, at.line > 0 ? (uint32_t)at.line : 0, 0, "%s", at.text);
    if (!json_is_object(table)) st = diag_set(d, ST_EINPUT, "%s: expected an object, of GPU types", to->path);
    json_object_foreach(table, type, rows)
        for (uint32_t g = 0; g < to->cluster->gpu_types.n; g++) {
            if (strcasecmp(type, intern_name(&to->cluster->gpu_types, g)) != 0) continue;
            if (!json_is_object(rows)) st = diag_set(d, ST_EINPUT, "%s: '%.60s': expected an object, of models", to->path, type);
            json_object_foreach(rows, key, row) if (st == ST_OK) st = read_pairs(to, g, key, row, d);
        }
    json_decref(table);
    return st;
}

enum st pairs_read(struct sharing *s, struct throughput *perf, const struct cluster *c, const char *path, struct diag *d)
{
    static const char *const name[N_COLS] = { "model", "beside", "speed", "gpu_type" };
    static const bool need[N_COLS] = { [MODEL] = true, [BESIDE] = true, [SPEED] = true };
    struct target to = { s, perf, c, path };
    size_t n = strlen(path);
    if (n > 5 && strcmp(path + n - 5, ".json") == 0) return read_gavel(&to, d);
    return csv_read_file(path, name, need, N_COLS, DIAG_DOC("traces/profiles/README.md") " lists the columns of pairs", read_row, &to, d);
}

/* pairs.c -- the pairs of sharing.h: a CSV file of our own, or Gavel's table of throughputs (JSON). */
#include "input/tasks/pairs.h"

#include <math.h>
#include <string.h>
#include "input/tasks/gavel_table.h"
#include "input/tasks/profiles.h"
#include "input/text/csv.h"

enum col { MODEL, BESIDE, SPEED, GPU_TYPE, N_COLS };
struct target { struct measured *pairs; struct throughput *perf; const struct cluster *cluster; const char *path; };

static enum st read_row(void *ctx, struct csv *c, const int *at, struct diag *d)
{
    enum { UNIT = 1000000 };
    const struct target *to = ctx;
    struct measured_speed pair;
    int64_t speed;
    for (int k = MODEL; k <= SPEED; k++) TRY(csv_need(c, at[k], d));
    TRY(csv_scaled(c, at[SPEED], UNIT, UNIT, &speed, d));
    if (speed == 0) return csv_fail(c, at[SPEED], d, "a job beside another goes at more than 0 times its speed alone");
    pair.model = throughput_model(to->perf, csv_field(c, at[MODEL]));
    pair.where = throughput_model(to->perf, csv_field(c, at[BESIDE]));
    pair.speed = (double)speed / UNIT;
    if (!profiles_gpu_type(to->cluster, csv_field(c, at[GPU_TYPE]), &pair.gpu_type)) return ST_OK;
    if (measured_add(to->pairs, pair)) return ST_OK;
    return csv_fail(c, at[MODEL], d, "a row above says this of the pair already");
}

/* ---- Gavel's ---- */

/* Those of one configuration.  A pair at 0 did not fit on the card together: nothing was measured. */
static enum st read_pairs(const struct target *to, uint32_t gpu_type, const char *key, const json_t *row, struct diag *d)
{
    const char *other;
    json_t *v;
    struct measured_speed pair = { .gpu_type = gpu_type };
    int gpus;
    if (!json_is_object(row)) return diag_set(d, ST_EINPUT, "%s: '%.60s': expected an object, of throughputs", to->path, key);
    double alone = json_number_value(json_object_get(row, "null"));
    TRY(gavel_table_model(to->perf, to->path, key, &pair.model, &gpus, d));
    json_object_foreach((json_t *)row, other, v) {
        if (strcmp(other, "null") == 0) continue;
        double speed = json_number_value(json_array_get(v, 0)) / alone;
        TRY(gavel_table_model(to->perf, to->path, other, &pair.where, &gpus, d));
        if (!(alone > 0) || !(speed > 0) || !isfinite(speed)) continue;
        pair.speed = fmin(speed, 1);        /* a little above 1 is the error of a measurement */
        (void)measured_add(to->pairs, pair);
    }
    return ST_OK;
}

static enum st read_gavel(const struct target *to, struct diag *d)
{
    json_t *table, *row;
    TRY(gavel_table_load(to->path, &table, d));
    enum st st = ST_OK;
    for (uint32_t g = 0; g < to->cluster->gpu_types.n && st == ST_OK; g++) {
        const json_t *rows;
        const char *key;
        st = gavel_table_rows(table, to->path, to->cluster, g, "", &rows, d);
        json_object_foreach((json_t *)rows, key, row) if (st == ST_OK) st = read_pairs(to, g, key, row, d);
    }
    json_decref(table);
    return st;
}

enum st pairs_read(struct measured *s, struct throughput *perf, const struct cluster *c, const char *path,
    struct diag *d)
{
    static const char *const name[N_COLS] = { "model", "beside", "speed", "gpu_type" };
    static const bool need[N_COLS] = { [MODEL] = true, [BESIDE] = true, [SPEED] = true };
    struct target to = { s, perf, c, path };
    if (gavel_table_is(path)) return read_gavel(&to, d);
    return csv_read_file(path, name, need, N_COLS, DIAG_DOC("traces/profiles/README.md") " lists the columns of pairs", read_row, &to, d);
}

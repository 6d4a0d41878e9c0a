/* apart.c -- speeds of jobs on several nodes over those on one: a CSV file of our own, or Gavel's table. */
#include "input/tasks/apart.h"

#include <math.h>
#include <string.h>
#include "input/tasks/gavel_table.h"
#include "input/tasks/profiles.h"
#include "input/text/csv.h"
#include "model/data/blocks.h"

enum col { MODEL, SPAN, SPEED, GPU_TYPE, N_COLS };
struct target { struct measured *apart; struct throughput *perf; const struct cluster *cluster; };

static enum st read_row(void *ctx, struct csv *c, const int *at, struct diag *d)
{
    enum { UNIT = 1000000 };
    const struct target *to = ctx;
    struct measured_speed row;
    int64_t speed;
    for (int k = MODEL; k <= SPEED; k++) TRY(csv_need(c, at[k], d));
    const char *span = csv_field(c, at[SPAN]);
    if (strcmp(span, "rack") != 0 && strcmp(span, "cross") != 0)
        return csv_fail(c, at[SPAN], d,
            "found '%.60s', expected rack (several nodes of one) or cross (of several racks)", span);
    TRY(csv_scaled(c, at[SPEED], UNIT, UNIT, &speed, d));
    if (speed == 0)
        return csv_fail(c, at[SPEED], d, "a job that runs at all goes at more than 0 times its speed on one node");
    row.model = throughput_model(to->perf, csv_field(c, at[MODEL]));
    row.where = strcmp(span, "rack") == 0 ? LEVEL_RACK : LEVEL_CROSS;
    row.speed = (double)speed / UNIT;
    if (!profiles_gpu_type(to->cluster, csv_field(c, at[GPU_TYPE]), &row.gpu_type)) return ST_OK;
    if (measured_add(to->apart, row)) return ST_OK;
    return csv_fail(c, at[MODEL], d, "a row above says this of the model already");
}

/* Of one type.  A model without both figures was not measured there. */
static enum st read_type(const struct target *to, const char *path, uint32_t type, const json_t *near,
    const json_t *far, struct diag *d)
{
    const char *key;
    json_t *row;
    json_object_foreach((json_t *)near, key, row) {
        struct measured_speed one = { .where = LEVEL_RACK, .gpu_type = type };
        int gpus;
        TRY(gavel_table_model(to->perf, path, key, &one.model, &gpus, d));
        double together = json_number_value(json_object_get(row, "null"));
        double speed = json_number_value(json_object_get(json_object_get(far, key), "null")) / together;
        if (gpus < 2 || !(together > 0) || !(speed > 0) || !isfinite(speed)) continue;
        one.speed = fmin(speed, 1);         /* above 1, as some are on slow GPUs, the nodes cost nothing */
        (void)measured_add(to->apart, one);
    }
    return ST_OK;
}

static enum st read_gavel(const struct target *to, const char *path, struct diag *d)
{
    json_t *table;
    TRY(gavel_table_load(path, &table, d));
    enum st st = ST_OK;
    for (uint32_t g = 0; g < to->cluster->gpu_types.n && st == ST_OK; g++) {
        const json_t *near, *far;
        st = gavel_table_rows(table, path, to->cluster, g, "", &near, d);
        if (st == ST_OK) st = gavel_table_rows(table, path, to->cluster, g, "_unconsolidated", &far, d);
        if (st == ST_OK && near != NULL && far != NULL) st = read_type(to, path, g, near, far, d);
    }
    json_decref(table);
    return st;
}

enum st apart_read(struct measured *m, struct throughput *perf, const struct cluster *c, const char *path,
    struct diag *d)
{
    static const char *const name[N_COLS] = { "model", "span", "speed", "gpu_type" };
    static const bool need[N_COLS] = { [MODEL] = true, [SPAN] = true, [SPEED] = true };
    struct target to = { m, perf, c };
    if (gavel_table_is(path)) return read_gavel(&to, path, d);
    return csv_read_file(path, name, need, N_COLS,
        DIAG_DOC("traces/profiles/README.md") " lists the columns of distances", read_row, &to, d);
}

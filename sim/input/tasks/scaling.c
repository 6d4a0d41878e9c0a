/* scaling.c -- rows of scaling.h: measured points, or the parameters of a model of goodput that gives them. */
#include "input/tasks/scaling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"
#include "input/tasks/profiles.h"
#include "input/text/csv.h"
#include "model/speed/adaptive.h"

enum col { NAME, GPU_TYPE, ONE, SEVERAL, SIZES, RESTART, ALPHA_C, BETA_C, ALPHA_R, BETA_R, ALPHA_N, BETA_N, GAMMA, NOISE,
           BATCH, MAX_BATCH, MIN_LOCAL, MAX_LOCAL, MAX_GPUS, N_COLS };
enum { GPUS_MAX = 4096 };

struct target { struct scaling *scaling; const struct cluster *cluster; };

static enum st read_points(const struct csv *c, int at, struct curve *out, struct diag *d)
{
    const char *error = curve_parse(out, csv_field(c, at));
    if (error == NULL && out->knee > 0) error = "expected points such as 1:1;2:1.9;4:3.6";
    if (error == NULL && out->x[0] < 1) error = "a number of GPUs is 1 or more";
    for (uint32_t i = 0; i < out->n && error == NULL; i++)
        if (out->y[i] <= 0) error = "a speed is above 0";
    return error == NULL ? ST_OK : csv_fail(c, at, d, "%s", error);
}

/* ---- by its model ---- */

/* The parameters in the order of their columns, and the least that each may be. */
static enum st read_parameters(const struct csv *c, const int *at, struct adaptive *a, struct diag *d)
{
    const struct { enum col col; double *to, least; } all[] = {
        { ALPHA_C, &a->alpha_c, 0 }, { BETA_C, &a->beta_c, 0 }, { ALPHA_R, &a->alpha_r, 0 }, { BETA_R, &a->beta_r, 0 },
        { ALPHA_N, &a->alpha_n, 0 }, { BETA_N, &a->beta_n, 0 }, { GAMMA, &a->gamma, 1 }, { NOISE, &a->noise, 0 },
        { BATCH, &a->batch, 1 }, { MAX_BATCH, &a->max_batch, 1 }, { MIN_LOCAL, &a->min_local, 1 }, { MAX_LOCAL, &a->max_local, 1 },
    };
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        const char *text = csv_field(c, at[all[i].col]);
        TRY(csv_need(c, at[all[i].col], d));
        if (!text_double(text, all[i].to) || *all[i].to < all[i].least)
            return csv_fail(c, at[all[i].col], d, "'%.60s' is not a number of %g or more", text, all[i].least);
    }
    if (a->alpha_c + a->beta_c <= 0) return csv_fail(c, at[ALPHA_C], d, "a step takes longer than 0: alpha_c or beta_c is above 0");
    if (a->max_batch < a->batch) return csv_fail(c, at[MAX_BATCH], d, "%g is below the first batch, %g", a->max_batch, a->batch);
    if (a->max_local < a->min_local) return csv_fail(c, at[MAX_LOCAL], d, "%g is below min_local, %g", a->max_local, a->min_local);
    return ST_OK;
}

/* Goodput on each number of GPUs from 1 (2 on several nodes) to most, as far as its batch sizes go. */
static void fill_points(struct curve *out, const struct adaptive *a, uint32_t most, bool is_several)
{
    double *x, *y, v;
    uint32_t n = 0;
    MEM_ARRAY(x, most);
    MEM_ARRAY(y, most);
    for (uint32_t k = is_several ? 2 : 1; k <= most && (v = adaptive_goodput(a, k, is_several)) > 0 && isfinite(v); k++) { x[n] = k; y[n++] = v; }
    curve_points(out, x, y, n);
    MEM_FREE(x, y);
}

static enum st read_model(const struct csv *c, const int *at, struct scaling_row *row, struct diag *d)
{
    struct adaptive a;
    int64_t most = 64;
    for (int k = SEVERAL; k <= SIZES; k++)
        if (*csv_field(c, at[k]) != '\0') return csv_fail(c, at[k], d, "'%.60s', but the row has no one_node: its points come from a model", csv_field(c, at[k]));
    TRY(read_parameters(c, at, &a, d));
    TRY(csv_int(c, at[MAX_GPUS], 1, GPUS_MAX, &most, d));
    fill_points(&row->one, &a, (uint32_t)most, false);
    fill_points(&row->several, &a, (uint32_t)most, true);
    return row->one.n > 0 ? ST_OK : csv_fail(c, at[MAX_LOCAL], d, "one GPU cannot run it, or has no finite speed, with batches from %g to %g", a.batch, a.max_batch);
}

/* ---- rows ---- */

static enum st read_form(const struct csv *c, const int *at, struct scaling_row *row, struct diag *d)
{
    const char *sizes = csv_field(c, at[SIZES]);
    TRY(csv_seconds(c, at[RESTART], &row->restart, d));
    if (*csv_field(c, at[ONE]) == '\0') return read_model(c, at, row, d);
    for (int k = ALPHA_C; k < N_COLS; k++)
        if (*csv_field(c, at[k]) != '\0') return csv_fail(c, at[k], d, "'%.60s', but the row has its speeds in one_node", csv_field(c, at[k]));
    row->only_listed = strcmp(sizes, "listed") == 0;
    if (*sizes != '\0' && !row->only_listed && strcmp(sizes, "any") != 0)
        return csv_fail(c, at[SIZES], d, "'%.60s' is neither 'any' nor 'listed'", sizes);
    TRY(read_points(c, at[ONE], &row->one, d));
    return *csv_field(c, at[SEVERAL]) != '\0' ? read_points(c, at[SEVERAL], &row->several, d) : ST_OK;
}

static enum st read_row(void *ctx, struct csv *c, const int *at, struct diag *d)
{
    const struct target *to = ctx;
    struct scaling_row row = { .restart = -1 };
    TRY(csv_need(c, at[NAME], d));
    row.name = intern_id(&to->scaling->names, csv_field(c, at[NAME]));
    bool is_here = profiles_gpu_type(to->cluster, csv_field(c, at[GPU_TYPE]), &row.gpu_type);
    enum st st = read_form(c, at, &row, d);
    if (st == ST_OK && is_here) {
        if (scaling_add(to->scaling, &row)) return ST_OK;
        st = csv_fail(c, at[NAME], d, "a row above is of scaling '%.60s' and this type already", csv_field(c, at[NAME]));
    }
    curve_fini(&row.one);
    curve_fini(&row.several);
    return st;
}

enum st scaling_read(struct scaling *s, const struct cluster *c, const char *path, struct diag *d)
{
    static const char *const name[N_COLS] = {
        "scaling", "gpu_type", "one_node", "several_nodes", "sizes", "restart_s", "alpha_c", "beta_c", "alpha_r", "beta_r",
        "alpha_n", "beta_n", "gamma", "noise", "batch", "max_batch", "min_local", "max_local", "max_gpus"
    };
    static const bool need[N_COLS] = { [NAME] = true };
    struct target to = { s, c };
    return csv_read_file(path, name, need, N_COLS, DIAG_DOC("traces/profiles/README.md") " lists the columns of scalings", read_row, &to, d);
}

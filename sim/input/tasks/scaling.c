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
           BATCH, MAX_BATCH, MIN_LOCAL, MAX_LOCAL, MAX_GPUS, STEPS, GAIN, FIXED_BATCH, EPOCHS, START, N_COLS };
enum { FIRST_OF_MODEL = ALPHA_C, LAST_OF_MODEL = EPOCHS, GPUS_MAX = SCALING_GPUS_MAX, EPOCHS_MAX = CURVE_POINTS_MAX };

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

/* A number of at least so much; empty: *to stays. */
static enum st read_number(const struct csv *c, int at, double least, double *to, struct diag *d)
{
    const char *text = csv_field(c, at);
    if (*text == '\0') return ST_OK;
    if (!text_double(text, to) || *to < least) return csv_fail(c, at, d, "'%.60s' is not a number of %g or more", text, least);
    return ST_OK;
}

/* The parameters in the order of their columns, and the least that each may be. */
static enum st read_parameters(const struct csv *c, const int *at, struct adaptive *a, struct diag *d)
{
    const struct { enum col col; double *to, least; } all[] = {
        { ALPHA_C, &a->alpha_c, 0 }, { BETA_C, &a->beta_c, 0 }, { ALPHA_R, &a->alpha_r, 0 }, { BETA_R, &a->beta_r, 0 },
        { ALPHA_N, &a->alpha_n, 0 }, { BETA_N, &a->beta_n, 0 }, { GAMMA, &a->gamma, 1 }, { NOISE, &a->noise, 0 },
        { BATCH, &a->batch, 1 }, { MAX_BATCH, &a->max_batch, 1 }, { MIN_LOCAL, &a->min_local, 1 }, { MAX_LOCAL, &a->max_local, 1 },
    };
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        if (a->steps != NULL && all[i].col <= GAMMA) {
            if (*csv_field(c, at[all[i].col]) == '\0') continue;
            return csv_fail(c, at[all[i].col], d, "the row's step times are measured: '%.60s'", csv_field(c, at[STEPS]));
        }
        TRY(csv_need(c, at[all[i].col], d));
        TRY(read_number(c, at[all[i].col], all[i].least, all[i].to, d));
    }
    TRY(read_number(c, at[FIXED_BATCH], 1, &a->fixed, d));
    if (a->steps == NULL && a->alpha_c + a->beta_c <= 0)
        return csv_fail(c, at[ALPHA_C], d, "a step takes longer than 0: alpha_c or beta_c is above 0");
    if (a->max_batch < a->batch) return csv_fail(c, at[MAX_BATCH], d, "%g is below the first batch, %g", a->max_batch, a->batch);
    if (a->max_local < a->min_local) return csv_fail(c, at[MAX_LOCAL], d, "%g is below min_local, %g", a->max_local, a->min_local);
    if (a->fixed > 0 && (a->fixed < a->batch || a->fixed > a->max_batch))
        return csv_fail(c, at[FIXED_BATCH], d, "%g is not from batch to max_batch, %g to %g", a->fixed, a->batch, a->max_batch);
    return ST_OK;
}

static enum st read_gain(const struct csv *c, int at, struct curve *out, struct diag *d)
{
    if (*csv_field(c, at) == '\0') return ST_OK;
    const char *error = curve_parse(out, csv_field(c, at));
    if (error == NULL && out->knee > 0) error = "expected points such as 128:1;256:1.9";
    for (uint32_t i = 0; i < out->n && error == NULL; i++)
        if (out->y[i] <= 0) error = "a gain is above 0";
    return error == NULL ? ST_OK : csv_fail(c, at, d, "%s", error);
}

/* So many equal parts of the work, each told when it is over; or what is left from which share on. */
static enum st read_told(const struct csv *c, int at, struct curve *out, struct diag *d)
{
    const char *text = csv_field(c, at), *error;
    if (strchr(text, ':') == NULL) {
        double done[EPOCHS_MAX], left[EPOCHS_MAX];
        int64_t n = 0;
        TRY(csv_int(c, at, 1, EPOCHS_MAX, &n, d));
        for (int64_t i = 0; i < n; i++) {
            done[i] = (double)i / (double)n;
            left[i] = (double)(n - 1 - i) / (double)n;
        }
        curve_points(out, done, left, (uint32_t)n);
        return ST_OK;
    }
    error = curve_parse(out, text);
    if (error == NULL && (out->knee > 0 || out->x[0] > 0)) error = "expected points from 0 on, such as 0:0.6;0.45:0";
    for (uint32_t i = 1; i < out->n && error == NULL; i++)
        if (out->y[i] > out->y[i - 1]) error = "what is left never grows";
    return error == NULL ? ST_OK : csv_fail(c, at, d, "%s", error);
}

static enum st read_model(const struct csv *c, const int *at, const struct target *to, struct scaling_row *row, struct diag *d)
{
    int64_t most = 64;
    const char *steps = csv_field(c, at[STEPS]);
    for (int k = SEVERAL; k <= SIZES; k++)
        if (*csv_field(c, at[k]) != '\0') return csv_fail(c, at[k], d, "'%.60s', but the row has no one_node: its points come from a model", csv_field(c, at[k]));
    MEM_NEW(row->model);
    if (*steps != '\0' && (row->model->steps = scaling_steps(to->scaling, steps)) == NULL)
        return csv_fail(c, at[STEPS], d, "the file that the scenario's 'profiles.steps' names has no '%.60s'", steps);
    TRY(read_parameters(c, at, row->model, d));
    TRY(read_gain(c, at[GAIN], &row->model->gain, d));
    TRY(csv_int(c, at[MAX_GPUS], 1, GPUS_MAX, &most, d));
    TRY(read_told(c, at[EPOCHS], &row->told, d));
    if (row->model->steps == NULL) {
        scaling_fill(row, (uint32_t)most);
        if (row->one.n > 0) return ST_OK;
    } else if (adaptive_goodput(row->model, 1, false) > 0) {
        return ST_OK;
    }
    return csv_fail(c, at[MAX_LOCAL], d, "one GPU cannot run it, or has no finite speed, with batches from %g to %g", row->model->batch, row->model->max_batch);
}

/* ---- rows ---- */

static enum st read_form(const struct csv *c, const int *at, const struct target *to, struct scaling_row *row, struct diag *d)
{
    const char *sizes = csv_field(c, at[SIZES]);
    TRY(csv_seconds(c, at[RESTART], &row->restart, d));
    TRY(csv_seconds(c, at[START], &row->start, d));
    if (*csv_field(c, at[ONE]) == '\0') return read_model(c, at, to, row, d);
    for (int k = FIRST_OF_MODEL; k <= LAST_OF_MODEL; k++)
        if (*csv_field(c, at[k]) != '\0') return csv_fail(c, at[k], d, "'%.60s', but the row has its speeds in one_node", csv_field(c, at[k]));
    row->only_listed = strcmp(sizes, "listed") == 0;
    if (*sizes != '\0' && !row->only_listed && strcmp(sizes, "any") != 0)
        return csv_fail(c, at[SIZES], d, "'%.60s' is neither 'any' nor 'listed'", sizes);
    TRY(read_points(c, at[ONE], &row->one, d));
    return *csv_field(c, at[SEVERAL]) != '\0' ? read_points(c, at[SEVERAL], &row->several, d) : ST_OK;
}

/* Cards of the largest node of the type, NONE: of any. */
static uint32_t widest(const struct cluster *c, uint32_t gpu_type)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < c->n_nodes; i++)
        if (c->node[i].n_gpu > most && (gpu_type == NONE || c->node[i].gpu_type == gpu_type)) most = c->node[i].n_gpu;
    return most;
}

static enum st read_row(void *ctx, struct csv *c, const int *at, struct diag *d)
{
    const struct target *to = ctx;
    struct scaling_row row = { .restart = -1, .start = -1 };
    TRY(csv_need(c, at[NAME], d));
    row.name = intern_id(&to->scaling->names, csv_field(c, at[NAME]));
    bool is_here = profiles_gpu_type(to->cluster, csv_field(c, at[GPU_TYPE]), &row.gpu_type);
    row.widest = widest(to->cluster, row.gpu_type);
    enum st st = read_form(c, at, to, &row, d);
    if (st == ST_OK && is_here) {
        if (scaling_add(to->scaling, &row)) return ST_OK;
        st = csv_fail(c, at[NAME], d, "a row above is of scaling '%.60s' and this type already", csv_field(c, at[NAME]));
    }
    curve_fini(&row.one);
    curve_fini(&row.several);
    curve_fini(&row.told);
    adaptive_free(row.model);
    return st;
}

enum st scaling_read(struct scaling *s, const struct cluster *c, const char *path, struct diag *d)
{
    static const char *const name[N_COLS] = {
        "scaling", "gpu_type", "one_node", "several_nodes", "sizes", "restart_s", "alpha_c", "beta_c", "alpha_r", "beta_r",
        "alpha_n", "beta_n", "gamma", "noise", "batch", "max_batch", "min_local", "max_local", "max_gpus",
        "steps", "gain", "fixed_batch", "epochs", "start_s"
    };
    static const bool need[N_COLS] = { [NAME] = true };
    struct target to = { s, c };
    return csv_read_file(path, name, need, N_COLS, DIAG_DOC("traces/profiles/README.md") " lists the columns of scalings", read_row, &to, d);
}

/* ---- measured step times ---- */

enum step_col { STEP_NAME, STEP_PLACEMENT, STEP_NODES, STEP_GPUS, STEP_LOCAL, STEP_TIME, STEP_SYNC, N_STEP_COLS };

static enum st read_step(void *ctx, struct csv *c, const int *at, struct diag *d)
{
    int64_t nodes = 0, gpus = 0;
    double local = 0;
    struct step_time t = { 0, 0 };
    for (int k = STEP_NAME; k < N_STEP_COLS; k++)
        if (k != STEP_PLACEMENT) TRY(csv_need(c, at[k], d));
    TRY(csv_int(c, at[STEP_GPUS], 1, GPUS_MAX, &gpus, d));
    TRY(csv_int(c, at[STEP_NODES], 1, gpus, &nodes, d));
    TRY(read_number(c, at[STEP_LOCAL], 1, &local, d));
    TRY(read_number(c, at[STEP_TIME], 1e-9, &t.step, d));
    TRY(read_number(c, at[STEP_SYNC], 0, &t.sync, d));
    if (t.sync >= t.step) return csv_fail(c, at[STEP_SYNC], d, "%g s of exchange leave nothing of a step of %g s", t.sync, t.step);
    const char *placement = csv_field(c, at[STEP_PLACEMENT]);
    const char *error = steps_add(scaling_steps_add(ctx, csv_field(c, at[STEP_NAME])), *placement != '\0' ? placement : NULL,
                                  (uint32_t)nodes, (uint32_t)gpus, local, t);
    return error == NULL ? ST_OK : csv_fail(c, at[STEP_PLACEMENT], d, "%s", error);
}

enum st scaling_read_steps(struct scaling *s, const char *path, struct diag *d)
{
    static const char *const name[N_STEP_COLS] = { "steps", "placement", "nodes", "gpus", "local", "step_s", "sync_s" };
    static const bool need[N_STEP_COLS] = { true, false, true, true, true, true, true };
    TRY(csv_read_file(path, name, need, N_STEP_COLS, DIAG_DOC("traces/profiles/README.md") " lists the columns of step times", read_step, s, d));
    for (uint32_t i = 0; i < s->step_names.n; i++) {
        const char *error = steps_ready(s->steps[i]);
        if (error != NULL) return diag_at(d, ST_EINPUT, path, 0, 0, "steps '%.60s': %s", intern_name(&s->step_names, i), error);
    }
    return ST_OK;
}

/* profiles.c -- the rows of profiles.h, each a model at a layout, with its curves (model/speed/curve.h). */
#include "input/tasks/profiles.h"

#include <stdio.h>
#include <string.h>
#include "base/text.h"
#include "input/text/csv.h"

/* A type that the cluster lacks. */
#define ELSEWHERE (NONE - 1)

enum col { MODEL, KIND, LAYOUT, UTIL, MEM_BW, SLOW, GPU_TYPE, NET_BW, GPU_BW, DATA, DATA_BW, MEMORY, N_COLS };

/* "2N4G": nodes, and GPUs on all of them. */
static bool read_layout(const char *s, struct profile *out)
{
    char end;
    return s[0] >= '1' && s[0] <= '9' && strlen(s) < 16 && sscanf(s, "%5uN%5uG%c", &out->n_nodes, &out->n_gpus, &end) == 2 &&
           s[strlen(s) - 1] == 'G' && out->n_gpus >= out->n_nodes;
}

struct target { struct profiles *profiles; struct throughput *perf; const struct cluster *cluster; };

bool profiles_gpu_type(const struct cluster *c, const char *name, uint32_t *id)
{
    *id = *name == '\0' ? NONE : intern_find(&c->gpu_types, name);
    return *name == '\0' || *id != NONE;
}

/* More memory makes no job slower, and none goes faster than at its best. */
static enum st read_memory(const struct csv *c, int at, struct curve *to, struct diag *d)
{
    const char *text = csv_field(c, at), *error = *text != '\0' ? curve_parse(to, text) : NULL;
    if (error == NULL && to->knee > 0) error = "speed against memory in GB comes in points such as 20:0.1;62.5:1";
    for (uint32_t i = 0; error == NULL && i < to->n; i++) {
        if (to->y[i] <= 0 || to->y[i] > 1)
            error = "speed with some memory is above 0 and at most 1, what it is with enough";
        else if (i > 0 && to->y[i] < to->y[i - 1]) error = "speed falls where memory grows";
    }
    if (error == NULL) return ST_OK;
    curve_fini(to);
    return csv_fail(c, at, d, "%s", error);
}

static enum st read_row(void *ctx, struct csv *c, const int *at, struct diag *d)
{
    const struct target *to = ctx;
    struct profiles *p = to->profiles;
    struct profile row = { .bw = 0 };
    char reason[128];
    for (int k = MODEL; k <= UTIL; k++) TRY(csv_need(c, at[k], d));
    row.model = throughput_model(to->perf, csv_field(c, at[MODEL]));
    row.category = intern_id(&p->categories, csv_field(c, at[KIND]));
    if (!read_layout(csv_field(c, at[LAYOUT]), &row))
        return csv_fail(c, at[LAYOUT], d, "'%.60s' is not a layout such as 1N4G (nodes, GPUs on all of them)", csv_field(c, at[LAYOUT]));
    const struct { enum col col; enum text_dimension in; int64_t *to; } figure[] = {
        { MEM_BW, TEXT_RATE, &row.bw }, { NET_BW, TEXT_RATE, &row.net_bw }, { GPU_BW, TEXT_RATE, &row.gpu_bw },
        { DATA, TEXT_BYTES, &row.data_b }, { DATA_BW, TEXT_RATE, &row.data_bw },
    };
    for (size_t i = 0; i < ARRAY_LEN(figure); i++) {
        const char *text = csv_field(c, at[figure[i].col]);
        if (*text != '\0' && !text_parse(text, figure[i].in, 0, figure[i].to, reason, sizeof reason))
            return csv_fail(c, at[figure[i].col], d, "%s", reason);
    }
    if ((row.data_b > 0) != (row.data_bw > 0))
        return csv_fail(c, at[row.data_b > 0 ? DATA : DATA_BW], d,
            "data and data_bw go together: how much there is, and how fast it is read");
    const char *slow = csv_field(c, at[SLOW]);
    const char *error = curve_parse(&row.util, csv_field(c, at[UTIL]));
    if (error != NULL) return csv_fail(c, at[UTIL], d, "%s", error);
    if (curve_max(&row.util) <= 0 || curve_max(&row.util) > 1) error = "utilisation lies above 0 and at most at 1 somewhere";
    enum st st = error != NULL ? csv_fail(c, at[UTIL], d, "%s", error) : read_memory(c, at[MEMORY], &row.memory, d);
    if (st == ST_OK && *slow != '\0' && (error = curve_parse(&row.slow, slow)) != NULL) {
        st = csv_fail(c, at[SLOW], d, "%s", error);
    } else if (row.slow.knee > 0) {
        st = csv_fail(c, at[SLOW], d, "run time against pressure comes in points such as 0:1;50:1.09;95:1.57");
    } else {
        for (uint32_t i = 0; i < row.slow.n && st == ST_OK; i++)
            if (row.slow.y[i] < 1) st = csv_fail(c, at[SLOW], d, "run time %g is below 1, what it is without pressure", row.slow.y[i]);
        bool is_here = profiles_gpu_type(to->cluster, csv_field(c, at[GPU_TYPE]), &row.gpu_type);
        if (!is_here) row.gpu_type = ELSEWHERE;         /* it stays, so that check_types sees that there was one */
        if (st == ST_OK && profiles_add(p, &row)) return ST_OK;
        if (st == ST_OK && is_here)
            st = csv_fail(c, at[MODEL], d, "model '%.60s' has this layout already, or another kind in a row above", csv_field(c, at[MODEL]));
    }
    curve_fini(&row.util);
    curve_fini(&row.memory);
    curve_fini(&row.slow);
    return st;
}

/* Of row i's model and a type, or of none; any layout. */
static bool has_row(const struct profiles *p, size_t i, uint32_t gpu_type)
{
    for (size_t k = 0; k < p->n; k++) if (p->at[k].model == p->at[i].model && p->at[k].gpu_type == gpu_type) return true;
    return false;
}

static enum st check_types(const struct profiles *p, const struct throughput *perf, const struct cluster *c, const char *path, struct diag *d)
{
    for (size_t i = 0; i < p->n; i++)
        for (uint32_t g = 0; g < c->gpu_types.n; g++) {
            bool can_run = throughput_rate(perf, c, p->at[i].model, g) > 0;
            if (!can_run || has_row(p, i, NONE) || has_row(p, i, g)) continue;
            return diag_set(d, ST_EINPUT, "%s: model '%s' has rows of other GPU types, but none of '%s', and none of any type", path,
                             intern_name(&perf->models, p->at[i].model), intern_name(&c->gpu_types, g));
        }
    return ST_OK;
}

enum st profiles_read(struct profiles *p, struct throughput *perf, const struct cluster *c, const char *path, struct diag *d)
{
    static const char *const name[N_COLS] = { "model", "kind", "layout", "util", "mem_bw", "slow", "gpu_type",
        "net_bw", "gpu_bw", "data", "data_bw", "memory" };
    static const bool need[N_COLS] = { [MODEL] = true, [KIND] = true, [LAYOUT] = true, [UTIL] = true };
    struct target to = { p, perf, c };
    TRY(csv_read_file(path, name, need, N_COLS, DIAG_DOC("traces/profiles/README.md") " lists the columns of profiles", read_row, &to, d));
    return check_types(p, perf, c, path, d);
}

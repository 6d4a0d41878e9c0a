/* profiles.c -- the rows of profiles.h, each a model at a layout, with its curves (model/speed/curve.h). */
#include "input/tasks/profiles.h"

#include <stdio.h>
#include <string.h>
#include "base/text.h"
#include "input/text/csv.h"

enum col { MODEL, KIND, LAYOUT, UTIL, MEM_BW, SLOW, N_COLS };

/* "2N4G": nodes, and GPUs on all of them. */
static bool read_layout(const char *s, struct profile *out)
{
    char end;
    return s[0] >= '1' && s[0] <= '9' && strlen(s) < 16 && sscanf(s, "%5uN%5uG%c", &out->n_nodes, &out->n_gpus, &end) == 2 &&
           s[strlen(s) - 1] == 'G' && out->n_gpus >= out->n_nodes;
}

struct target { struct profiles *profiles; struct throughput *perf; };

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
    const char *bw = csv_field(c, at[MEM_BW]), *slow = csv_field(c, at[SLOW]);
    if (*bw != '\0' && !text_parse(bw, TEXT_RATE, 0, &row.bw, reason, sizeof reason))
        return csv_fail(c, at[MEM_BW], d, "%s", reason);
    const char *error = curve_parse(&row.util, csv_field(c, at[UTIL]));
    if (error != NULL) return csv_fail(c, at[UTIL], d, "%s", error);
    if (curve_max(&row.util) <= 0 || curve_max(&row.util) > 1) error = "utilisation lies above 0 and at most at 1 somewhere";
    enum st st = ST_OK;
    if (error != NULL) {
        st = csv_fail(c, at[UTIL], d, "%s", error);
    } else if (*slow != '\0' && (error = curve_parse(&row.slow, slow)) != NULL) {
        st = csv_fail(c, at[SLOW], d, "%s", error);
    } else if (row.slow.knee > 0) {
        st = csv_fail(c, at[SLOW], d, "run time against pressure comes in points such as 0:1;50:1.09;95:1.57");
    } else {
        for (uint32_t i = 0; i < row.slow.n && st == ST_OK; i++)
            if (row.slow.y[i] < 1) st = csv_fail(c, at[SLOW], d, "run time %g is below 1, what it is without pressure", row.slow.y[i]);
        if (st == ST_OK && !profiles_add(p, &row))
            st = csv_fail(c, at[MODEL], d, "model '%.60s' has this layout already, or another kind in a row above", csv_field(c, at[MODEL]));
    }
    if (st == ST_OK) return ST_OK;
    curve_fini(&row.util);
    curve_fini(&row.slow);
    return st;
}

enum st profiles_read(struct profiles *p, struct throughput *perf, const char *path, struct diag *d)
{
    static const char *const name[N_COLS] = { "model", "kind", "layout", "util", "mem_bw", "slow" };
    static const bool need[N_COLS] = { [MODEL] = true, [KIND] = true, [LAYOUT] = true, [UTIL] = true };
    struct target to = { p, perf };
    return csv_read_file(path, name, need, N_COLS, DIAG_DOC("traces/profiles/README.md") " lists the columns of profiles",
                         read_row, &to, d);
}

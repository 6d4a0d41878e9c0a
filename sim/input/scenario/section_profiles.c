/* The profiles section: how models run beside others, and the memory bandwidth of nodes. */
#include "input/scenario/section.h"

#include <stdio.h>
#include <string.h>

#include "input/tasks/apart.h"
#include "input/tasks/pairs.h"
#include "input/tasks/profiles.h"
#include "input/tasks/scaling.h"
#include "input/text/csv.h"

/* Its presence alone makes holders of parts of a card slow each other. */
static enum st read_sharing(struct scenario *s, const struct ydoc_node *n, struct diag *d)
{
    static const char *const keys[] = { "file", "utilisation" };
    struct sharing *to = &s->profiles.table.sharing;
    const char *path;
    if (n == NULL) return ST_OK;
    to->is_on = true;
    to->utilisation = 1;
    if (n->type != YDOC_MAP) return ydoc_expected(n, d, "a map");
    TRY(ydoc_keys(n, "profiles.sharing", keys, ARRAY_LEN(keys), d));
    TRY(ydoc_double(n, "utilisation", 0, 1, &to->utilisation, d));
    TRY(scn_file(s, n, "file", true, &path, d));
    return path != NULL ? pairs_read(&to->pairs, &s->perf, &s->cluster, path, d) : ST_OK;
}

/* ---- phases ---- */

/* 30%, or 0.3: in millionths. */
static enum st read_share(const struct ydoc_node *n, uint32_t above, uint32_t *out, struct diag *d)
{
    const char *text;
    char number[32];
    int64_t share = 0;
    TRY(ydoc_node_str(n, &text, d));
    size_t len = strlen(text), is_percent = len > 0 && text[len - 1] == '%';
    (void)snprintf(number, sizeof number, "%.*s", (int)(len - is_percent), text);
    bool is_number = len < sizeof number && csv_decimal(number, is_percent ? PHASES_WHOLE / 100 : PHASES_WHOLE, &share);
    if (!is_number || share <= 0 || share > PHASES_WHOLE)
        return ydoc_expected(n, d, "a share of the work above 0 and up to 1, such as 0.3 or 30%%");
    if (share <= above)
        return ydoc_error(n, d, "'until': %s is not above the share at which the phase before ends", text);
    *out = (uint32_t)share;
    return ST_OK;
}

/* A name that is known by now, or an error at its place. */
static enum st find_name(const struct ydoc_node *n, const char *name, const struct intern *names, const char *where,
                         uint32_t *out, struct diag *d)
{
    *out = intern_find(names, name);
    if (*out != NONE) return ST_OK;
    bool is_key = n->key != NULL && strcmp(n->key, name) == 0;
    (void)(is_key ? ydoc_key_error : ydoc_error)(n, d, "'%s' is no %s", name, where);
    return diag_suggest(d, name, (const char *const *)names->name, names->n);
}

static const char known_models[] = "model of 'models' or of a file of 'profiles'";

static enum st read_phase(struct scenario *s, const struct ydoc_node *n, struct phase *x, struct diag *d)
{
    static const char *const keys[] = { "until", "as", "scaling" };
    const char *name;
    if (n->type != YDOC_MAP) return ydoc_expected(n, d, "a map such as {until: 30%%, as: MODEL}");
    const struct ydoc_node *until = ydoc_get(n, "until"), *as = ydoc_get(n, "as"), *scaling = ydoc_get(n, "scaling");
    TRY(ydoc_keys(n, "a phase", keys, ARRAY_LEN(keys), d));
    if (until == NULL) return ydoc_error(n, d, "a phase needs 'until', the share of the work at which it ends");
    if (as == NULL && scaling == NULL)
        return ydoc_error(n, d, "a phase needs 'as', a model, or 'scaling': else nothing changes");
    TRY(read_share(until, x->until, &x->until, d));
    x->as = x->model;
    x->scaling = NONE;
    if (scaling != NULL) {
        TRY(ydoc_node_str(scaling, &name, d));
        TRY(find_name(scaling, name, &s->profiles.table.scaling.names, "scaling of the file 'profiles.scaling'",
                      &x->scaling, d));
    }
    if (as == NULL) return ST_OK;
    TRY(ydoc_node_str(as, &name, d));
    TRY(find_name(as, name, &s->perf.models, known_models, &x->as, d));
    for (uint32_t g = 0; g < s->cluster.gpu_types.n; g++) {
        if (throughput_rate(&s->perf, &s->cluster, x->model, g) == 0) continue;
        if (throughput_rate(&s->perf, &s->cluster, x->as, g) > 0) continue;
        return ydoc_error(as, d, "'%s' cannot run on GPU type '%s', and '%s' can", name,
                          intern_name(&s->cluster.gpu_types, g), intern_name(&s->perf.models, x->model));
    }
    return ST_OK;
}

static enum st read_phases(struct scenario *s, const struct ydoc_node *n, struct diag *d)
{
    for (size_t i = 0; n != NULL && i < n->n; i++) {
        const struct ydoc_node *row = n->at[i];
        struct phase x = { .until = 0 };
        if (row->type != YDOC_LIST || row->n == 0)
            return ydoc_expected(row, d, "a list of phases such as [{until: 30%%, as: MODEL}]");
        if (row->n > PHASES_MAX) return ydoc_error(row, d, "'%s' has more than %d phases", row->key, PHASES_MAX);
        TRY(find_name(row, row->key, &s->perf.models, known_models, &x.model, d));
        for (size_t k = 0; k < row->n; k++) {
            TRY(read_phase(s, row->at[k], &x, d));
            phases_add(&s->profiles.table.phases, x);
        }
    }
    return ST_OK;
}

enum st scn_read_profiles(struct scenario *s, const struct ydoc_node *n, struct diag *d)
{
    static const char *const keys[] = { "file", "mem_bandwidth", "monitor", "noise", "cores", "division", "sharing",
                                        "net_bw", "gpu_bw", "distance", "scaling", "steps", "phases" };
    static const char *const cores[] = { "by-speed", "as-measured" }, *const division[] = { "max-min", "proportional" };
    struct profiles *table = &s->profiles.table;
    const char *path, *apart;
    int64_t bw = 0;
    uint32_t choice;
    /* A node whose bandwidth is known can be contended for, profiles or not. */
    for (uint32_t i = 0; i < s->cluster.n_nodes; i++) s->profiles.is_used |= s->cluster.own[i].mem_bw > 0;
    if (n == NULL) return ST_OK;
    s->profiles.is_used = true;
    TRY(ydoc_keys(n, "profiles", keys, ARRAY_LEN(keys), d));
    TRY(scn_file(s, n, "file", true, &path, d));
    TRY(ydoc_quantity(n, "mem_bandwidth", TEXT_RATE, 0, 1, &bw, d));
    TRY(ydoc_quantity(n, "monitor", TEXT_DURATION, TICK_SEC, 0, &s->profiles.monitor.interval, d));
    TRY(ydoc_double(n, "noise", 0, 1, &s->profiles.monitor.noise, d));
    if (bw > 0)
        for (uint32_t i = 0; i < s->cluster.n_nodes; i++)
            if (s->cluster.own[i].mem_bw == 0) cluster_set_mem_bw(&s->cluster, i, bw);
    choice = table->cores;
    TRY(ydoc_choice(n, "cores", cores, ARRAY_LEN(cores), &choice, d));
    table->cores = (enum profile_cores)choice;
    choice = table->division;
    TRY(ydoc_choice(n, "division", division, ARRAY_LEN(division), &choice, d));
    table->division = (enum profile_division)choice;
    TRY(ydoc_quantity(n, "net_bw", TEXT_RATE, 0, 1, &table->net_bw, d));
    TRY(ydoc_quantity(n, "gpu_bw", TEXT_RATE, 0, 1, &table->gpu_bw, d));
    TRY(scn_file(s, n, "distance", true, &apart, d));
    if (apart != NULL) TRY(apart_read(&table->apart, &s->perf, &s->cluster, apart, d));
    TRY(read_sharing(s, ydoc_get(n, "sharing"), d));
    const char *scaling, *steps;
    TRY(scn_file(s, n, "steps", true, &steps, d));
    if (steps != NULL) TRY(scaling_read_steps(&table->scaling, steps, d));
    TRY(scn_file(s, n, "scaling", true, &scaling, d));
    if (scaling != NULL) TRY(scaling_read(&table->scaling, &s->cluster, scaling, d));
    if (path != NULL) TRY(profiles_read(table, &s->perf, &s->cluster, path, d));
    const struct ydoc_node *phases;
    TRY(ydoc_map(n, "phases", &phases, d));
    return read_phases(s, phases, d);
}

/* The profiles section: how models run beside others, and the memory bandwidth of nodes. */
#include "input/scenario/section.h"

#include "input/tasks/apart.h"
#include "input/tasks/pairs.h"
#include "input/tasks/profiles.h"
#include "input/tasks/scaling.h"

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

enum st scn_read_profiles(struct scenario *s, const struct ydoc_node *n, struct diag *d)
{
    static const char *const keys[] = { "file", "mem_bandwidth", "monitor", "noise", "cores", "division", "sharing",
                                        "net_bw", "gpu_bw", "distance", "scaling" };
    static const char *const cores[] = { "by-speed", "as-measured" }, *const division[] = { "max-min", "proportional" };
    struct profiles *table = &s->profiles.table;
    const char *path, *apart;
    int64_t bw = 0;
    uint32_t choice;
    /* A node whose bandwidth is known can be contended for, profiles or not. */
    for (uint32_t i = 0; i < s->cluster.n_nodes; i++) s->profiles.is_used |= s->cluster.node[i].mem_bw > 0;
    if (n == NULL) return ST_OK;
    s->profiles.is_used = true;
    TRY(ydoc_keys(n, "profiles", keys, ARRAY_LEN(keys), d));
    TRY(scn_file(s, n, "file", true, &path, d));
    TRY(ydoc_quantity(n, "mem_bandwidth", TEXT_RATE, 0, 1, &bw, d));
    TRY(ydoc_quantity(n, "monitor", TEXT_DURATION, TICK_SEC, 0, &s->profiles.monitor.interval, d));
    TRY(ydoc_double(n, "noise", 0, 1, &s->profiles.monitor.noise, d));
    if (bw > 0)
        for (uint32_t i = 0; i < s->cluster.n_nodes; i++)
            if (s->cluster.node[i].mem_bw == 0) cluster_set_mem_bw(&s->cluster, i, bw);
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
    const char *scaling;
    TRY(scn_file(s, n, "scaling", true, &scaling, d));
    if (scaling != NULL) TRY(scaling_read(&table->scaling, &s->cluster, scaling, d));
    return path != NULL ? profiles_read(table, &s->perf, &s->cluster, path, d) : ST_OK;
}

/* The profiles section: how models run beside others, and the memory bandwidth of nodes. */
#include "input/scenario/section.h"

#include "input/tasks/profiles.h"

enum st scn_read_profiles(struct scenario *s, const struct ydoc_node *n, struct diag *d)
{
    static const char *const keys[] = { "file", "mem_bandwidth", "monitor", "noise" };
    const char *path;
    int64_t bw = 0;
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
    return path != NULL ? profiles_read(&s->profiles.table, &s->perf, path, d) : ST_OK;
}

/* openb.c -- the node list of openb.h, one row a node. */
#include "input/cluster/openb.h"

#include <string.h>
#include "input/text/csv.h"

int64_t cluster_openb_gpu_mem(const char *type)
{
    static const struct { const char *type; int64_t gib; } known[] = {
        { "T4", 16 }, { "P100", 16 }, { "V100M16", 16 }, { "V100M32", 32 }, { "A10", 24 },
    };
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (strcmp(known[i].type, type) == 0) return known[i].gib << 30;
    return 0;
}

enum { SN, CPU, MEM, GPU, MODEL, N_COLUMNS };

struct target { struct node_sink *sink; const char *path; };

static enum st read_row(void *ctx, struct csv *c, const int *at, struct diag *d)
{
    const struct target *to = ctx;
    enum { CPU_MAX = 1000000000, MEM_MIB_MAX = 1000000000 };
    int64_t cpu = 0, mib = 0, gpus = 0;
    static const int needed[] = { SN, CPU, MEM, GPU };
    for (size_t i = 0; i < ARRAY_LEN(needed); i++) TRY(csv_need(c, at[needed[i]], d));
    TRY(csv_int(c, at[CPU], 1, CPU_MAX, &cpu, d));
    TRY(csv_int(c, at[MEM], 1, MEM_MIB_MAX, &mib, d));
    TRY(csv_int(c, at[GPU], 0, NODE_GPUS_MAX, &gpus, d));
    const char *model = csv_field(c, at[MODEL]);
    if (gpus > 0 && model[0] == '\0') return csv_fail(c, at[MODEL], d, "found nothing, expected the type of the node's %d GPUs", (int)gpus);
    struct node_spec s = { .name = csv_field(c, at[SN]), .cpu_milli = cpu, .mem_b = mib << 20, .n_gpu = (uint32_t)gpus };
    if (gpus > 0) s.gpu_type = model;
    return to->sink->add(to->sink, &s, to->path, csv_line(c), 0, d);
}

enum st cluster_openb_load(struct node_sink *to, const char *path, struct diag *d)
{
    static const char *const name[N_COLUMNS] = { "sn", "cpu_milli", "memory_mib", "gpu", "model" };
    static const bool need[N_COLUMNS] = { true, true, true, true, true };
    struct target t = { to, path };
    return csv_read_file(path, name, need, N_COLUMNS, "an openb node list has sn,cpu_milli,memory_mib,gpu,model", read_row, &t, d);
}

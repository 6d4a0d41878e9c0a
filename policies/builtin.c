/* builtin.c -- the table of the built-in policies. */
#include "builtin.h"

#include <string.h>

#define BUILTIN_ENTRY(name, kind) &pol_##name,
const struct pol_ops *const pol_table[] = { BUILTIN_POLICIES(BUILTIN_ENTRY) NULL };

#define BUILTIN_KIND(name, kind) BUILTIN_##kind,
static const enum builtin_kind kinds[] = { BUILTIN_POLICIES(BUILTIN_KIND) BUILTIN_ANY };

#define ELASTIC "jobs that run on other numbers of GPUs"
#define HOW     " (max_tasks, scaling; or trace.defaults.elastic_gpus)"

const struct builtin_need builtin_needs[] = {
    [BUILTIN_ANY]       = { true, "nothing that a trace does not tell" },
    [BUILTIN_ESTIMATES] = { true, "estimates of run times: limits, the past, or the truth (estimate=)" },
    [BUILTIN_SPEEDS]    = { true, "speeds of each job's model on all GPU types (models, or Gavel's throughputs), "
                                  "unless aware=false" },
    [BUILTIN_CORES]     = { true, "profiles of each job's model by cores and memory (profiles.file), "
                                  "unless alloc=proportional" },
    [BUILTIN_SCALING]   = { true, ELASTIC HOW },
    [BUILTIN_GOODPUT]   = { true, ELASTIC ", whose scalings have a model of goodput" },
    [BUILTIN_ELASTIC]   = { false, ELASTIC HOW },
    [BUILTIN_MANAGER]   = { false, "clusters whose manager's settings are known (config=)" },
    [BUILTIN_RECORD]    = { false, "jobs of which the trace tells when they started (start_s)" },
    [BUILTIN_DATA]      = { false, "tasks that read data (stages, blocks)" },
    [BUILTIN_STEPS]     = { false, "workflows in steps" },
    [BUILTIN_CALLS]     = { false, "tasks of API calls, on nodes with engines" },
    [BUILTIN_CALLS + 1] = { false, NULL },
};

const struct builtin_need *builtin_need_of(const char *name)
{
    size_t i = 0;
    while (pol_table[i] != NULL && strcmp(pol_table[i]->name, name) != 0) i++;
    return &builtin_needs[kinds[i]];
}

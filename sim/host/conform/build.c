/* build.c -- nodes, jobs and faults, put into a case. */
#include "host/conform/build.h"

#include <stdio.h>

void build_node_of(struct conform_case *c, struct node_spec n)
{
    struct diag d = { 0 };
    char name[16];
    (void)snprintf(name, sizeof name, "n%u", c->cluster.n_nodes);
    n.name = name;
    n.mem_b = n.gpu_mem_b = 16 * BUILD_GIB;
    if (n.n_gpu == 0) n.gpu_type = NULL;
    enum st st = cluster_add(&c->cluster, &n, &d);
    SIM_ASSERT(st == ST_OK);
}

void build_node(struct conform_case *c, int64_t cpu, uint32_t gpus, const char *type, const char *rack)
{
    build_node_of(c, (struct node_spec){ .cpu_milli = cpu, .n_gpu = gpus, .gpu_type = type, .rack = rack });
}

void build_nodes(struct conform_case *c, uint32_t n, uint32_t gpus)
{
    for (uint32_t i = 0; i < n; i++) build_node(c, 8000, gpus, "A", NULL);
}

struct conform_job *build_job(struct conform_case *c, sim_tick submit, sim_tick dur, int64_t cpu, int32_t gpus, int32_t milli)
{
    SIM_ASSERT(c->n_jobs < CONFORM_JOBS);
    struct conform_job *j = &c->job[c->n_jobs];
    *j = (struct conform_job){ .submit = submit, .limit = dur, .n_groups = 1 };
    (void)snprintf(j->id, sizeof j->id, "j%u", c->n_jobs % 1000);
    (void)snprintf(j->user, sizeof j->user, "u%u", c->n_jobs % 3);
    j->group[0] = (struct task_group){ .n = 1, .dur = dur, .shape = { .cpu_milli = cpu, .n_gpu = gpus, .gpu_milli = gpus ? milli : 0 } };
    c->n_jobs++;
    return j;
}

void build_gang(struct conform_job *j, uint32_t n)
{
    j->gang = true;
    j->group[0].n = n;
}

void build_fault(struct conform_case *c, sim_tick at, uint32_t n, bool up)
{
    SIM_ASSERT(c->cfg.fault.n_list < CONFORM_FAULTS);
    c->fault[c->cfg.fault.n_list++] = (struct fault_event){ .at = at, .node = n, .up = up };
}

void build_graph(struct conform_job *j, uint32_t n, const uint32_t *before, const uint32_t *in)
{
    uint32_t n_after = 0, n_in = 0;
    for (uint32_t k = 0; k < n; k++) {
        j->after_start[k] = n_after;
        j->in_start[k] = n_in;
        if (before[k] != k) j->after[n_after++] = before[k];
        if (in[k] != NONE) j->in[n_in++] = (struct task_input){ .block = in[k], .task = NONE };
    }
    j->after_start[n] = n_after;
    j->in_start[n] = n_in;
    j->has_graph = true;
}

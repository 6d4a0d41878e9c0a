/*
 * cases.h -- the battery of the conformance kit: small clusters, traces
 * and faults made to be awkward.  Layer: host.
 */
#ifndef HOST_CONFORM_CASES_H
#define HOST_CONFORM_CASES_H

#include "model/world.h"

enum { CONFORM_JOBS = 128, CONFORM_GROUPS = 5, CONFORM_TASKS = 8, CONFORM_FAULTS = 64 };

struct conform_job {
    char   id[12], user[12], queue[12];     /* queue "": none */
    const char *model;                      /* NULL: none */
    sim_tick submit, limit;
    int32_t priority;
    bool   gang, has_graph;
    struct task_group group[CONFORM_GROUPS]; uint32_t n_groups;
    /* The graph, where has_graph: one input a task at most, and one task before it. */
    uint32_t in_start[CONFORM_TASKS + 1], after_start[CONFORM_TASKS + 1], after[CONFORM_TASKS];
    struct task_input in[CONFORM_TASKS];
    int64_t  write_b[CONFORM_TASKS];
    struct task_graph graph;
    /* Calls, where n_calls: of every task, so many from case.call[first_call]. */
    uint32_t first_call, n_calls, call_first[CONFORM_TASKS], call_n[CONFORM_TASKS];
    struct task_calls calls;
    struct elastic elastic;
};

struct conform_case {
    const char *name, *about;               /* about: one line, for who must look into it */
    struct cluster cluster;
    struct throughput perf;
    struct profiles profiles;
    struct calltime calltime;
    struct call call[8];
    struct data data;
    struct world_config cfg;                /* points into this struct */
    struct conform_job job[CONFORM_JOBS]; uint32_t n_jobs;
    struct fault_event fault[CONFORM_FAULTS];
    bool is_slow;                           /* its jobs take seconds: rounds last as long as they do by default */
    bool must_end;                          /* any policy can bring every job to its end before the horizon */
    bool has_profiles;                      /* each job is elastic and has a profile and a model of goodput */
    uint32_t next;                          /* of the source */
};

uint32_t conform_n_cases(void);
/* The case whose jobs are all elastic. */
uint32_t conform_elastic_case(void);
/* Build case i; owned by the caller.  From conform_n_cases() on each i draws another one with any features. */
struct conform_case *conform_case_make(uint32_t i);
void conform_case_free(struct conform_case *c);
/* Its jobs, from the first. */
struct source conform_source(struct conform_case *c);

#endif

/*
 * state.h -- what the files of the mappers share; private to this folder.
 *
 * mapper.c    the master and the nodes; where one task goes
 * job_plan.c  HEFT: where all tasks of a job go, when it arrives
 *
 * README.md, met, mct, min-min, dmda and heft.
 */
#ifndef POL_MAPPER_STATE_H
#define POL_MAPPER_STATE_H

#include "lib/calls/dispatcher.h"
#include "mapper/engine_timeline.h"

enum mapper_rule { MAPPER_MET, MAPPER_MCT, MAPPER_MIN_MIN, MAPPER_DMDA, MAPPER_HEFT };

/* What is planned for a task; kept while it is blocked, waits or runs. */
struct mapper_plan {
    uint32_t line; bool is_planned;             /* line POL_NONE: no one engine type runs all of its calls */
    uint32_t forgotten;                         /* number of the forgetting that last came by */
};

struct mapper {
    struct dispatcher dispatcher;
    const struct pol_data *data;                /* the host's */
    const struct pol_graph *graph;
    enum mapper_rule rule;
    struct engine_timeline *line;  uint32_t n_lines;       /* by node, engine type, number */
    uint32_t *first_line;                       /* [n_nodes + 1] */
    struct mapper_plan *plan;  size_t cap_plan; /* by task slot */
    int64_t *time;         size_t cap_time;     /* by task slot x engine type; of tasks with the master */
    uint32_t n_forgettings;
};

/* Time of all calls of a task on each engine type; -1: one of them cannot run there. */
void mapper_time(const struct mapper *m, pol_task t, uint32_t n_calls, int64_t us[POL_ENGINES_MAX]);
/* Time in which a task writes its output, on the node where it runs. */
int64_t mapper_write_us(const struct mapper *m, pol_task t, uint32_t node);
/* HEFT: book all tasks of a job that arrived, if they are made of calls. */
void mapper_plan_job(struct mapper *m, pol_job job);

#endif

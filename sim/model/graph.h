/*
 * graph.h -- what the tasks of one live job read, write and wait for.  Layer: model.
 *
 * Only jobs with data or order have one; it lives and goes with its job.
 */
#ifndef MODEL_GRAPH_H
#define MODEL_GRAPH_H

#include "model/job.h"

struct graph {
    uint32_t n;                     /* tasks */
    uint32_t *slot;                 /* [n] task slot by index */
    uint32_t *in_start;             /* [n + 1] */
    struct task_input *in;
    uint32_t *next_start, *next;    /* tasks that wait for this one; one listed k times counts k times */
    uint32_t *n_before;             /* [n] ends that a task still waits for */
    int64_t  *out;                  /* [n] bytes it writes */
    uint32_t *out_node;             /* [n] where its output lies; NONE until written */
    sim_tick *out_at;               /* [n] and since when */
    uint32_t *level, n_levels;      /* [n] the longest chain of tasks that must end before it: its stage */
};

/*
 * An owned copy, with every wait open.  NULL if some tasks wait for each other
 * in a circle, or an index is out of range; *bad then names one such task.
 * O(tasks + inputs + edges).
 */
struct graph *graph_create(const struct task_graph *g, uint32_t n, uint32_t *bad);
void          graph_destroy(struct graph *g);   /* NULL is fine */

/* The longest chain of durations dur [n]: the run time on as many machines as one likes.  O(tasks + edges). */
sim_tick      graph_longest(const struct graph *g, const sim_tick *dur);

static inline uint32_t graph_n_inputs(const struct graph *g, uint32_t task) { return g->in_start[task + 1] - g->in_start[task]; }

#endif

/*
 * flowgraph.h -- the flow policies' networks, vertex by vertex as the paper
 * draws them, from what a fake host shows; and whether a round's decisions are
 * an optimum of them.
 *
 * One vertex a GPU, a task, a job and a job's unscheduled vertex; costs from
 * the host's transfers, node by node; shares a GPU at a time.  Solved by
 * network simplex (flow/mcf.h).  Nothing is shared with policies/lib/data/flownet.c.
 */
#ifndef FLOWGRAPH_H
#define FLOWGRAPH_H

#include "lib/flow/mcf.h"
#include "ref/fakehost.h"

enum flowgraph_share { FLOWGRAPH_BASIC, FLOWGRAPH_FINAL, FLOWGRAPH_ONE, FLOWGRAPH_ALL, FLOWGRAPH_QUINCY };

struct flowgraph_rule {
    enum flowgraph_share share;
    bool    replaces;
    int64_t a1, a2;             /* thousandths; quincy: costs of a GB through rack and core, in thousandths */
    int64_t alpha;              /* of either arc; quincy: of a second's wait, in thousandths */
};

struct flowgraph_task { uint32_t id, job; int64_t leave, stay; bool is_running, must_stay, must_go, must_wait; uint32_t must_node; };

struct flowgraph {
    struct flowgraph_rule rule;
    uint32_t n_gpus, n_tasks, n_jobs;
    uint32_t gpu_node[FAKE_CARDS], gpu_card[FAKE_CARDS];
    struct flowgraph_task task[FAKE_TASKS];
    int64_t  share[FAKE_TASKS];         /* by job: tasks that may not be left */
    uint32_t n_of[FAKE_TASKS];          /* by job: its tasks here */
    int64_t  waited[FAKE_TASKS];        /* quincy: by task, all its waits so far; the caller keeps it */
    /* out */
    uint32_t n, m;
    struct mcf_arc *arc;
};

/* The round ahead: what waits, runs and is free on the host.  Also GPUs [n_more] (node << 8 | card of it) held by tasks that will be stopped. */
void flowgraph_make(struct flowgraph *f, const struct fakehost *h, const uint32_t *more, uint32_t n_more);
/* What was decided: log[from .. to).  Tasks that were stopped may go anywhere but back. */
void flowgraph_decided(struct flowgraph *f, const struct fakehost *h, size_t from, size_t to);
struct flowgraph_answer { int64_t flow, cost; };
struct flowgraph_answer flowgraph_solve(struct flowgraph *f, const struct fakehost *h);
void flowgraph_fini(struct flowgraph *f);

/* Algorithm 2's arcs of one job, appended to f->arc; and of all jobs at once. */
void flowgraph_local(struct flowgraph *f, const struct fakehost *h, uint32_t job);
void flowgraph_arcs(struct flowgraph *f, const struct fakehost *h);

#endif

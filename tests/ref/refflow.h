/*
 * refflow.h -- scheduling rounds solved the slow way, to judge policies/lib/flow by.
 *
 * A round is kept GPU by GPU and task by task; its network is the paper's,
 * vertex by vertex (seed 4 section 4.3): S -> job -> task -> GPU -> E and
 * job -> unscheduled -> E.  It is solved by successive shortest paths with
 * Bellman & Ford's algorithm: another method, another graph, no shared code.
 */
#ifndef REF_FLOW_H
#define REF_FLOW_H

#include "base/rng.h"
#include "lib/flow/mcf.h"
#include "lib/flow/assign.h"

enum { REF_GPUS = 64, REF_TASKS = 96, REF_JOBS = 12, REF_NODES = 16, REF_RACKS = 6, REF_NEAR = 6 };

struct ref_gpu  { uint32_t node, class; bool is_here; };
struct ref_job  { uint32_t share; int64_t alpha; };
struct ref_task { uint32_t job; uint64_t fits; int64_t far; uint32_t n_near; struct assign_near near[REF_NEAR]; bool is_here; };

struct ref_round {
    uint32_t n_racks, n_nodes, n_classes, n_gpus, n_jobs, n_tasks;
    uint32_t rack[REF_NODES];
    struct ref_gpu  gpu[REF_GPUS];
    struct ref_job  job[REF_JOBS];
    struct ref_task task[REF_TASKS];
};

/* What makes a random round: small figures make ties. */
struct ref_shape {
    uint32_t gpus, tasks, jobs, nodes, racks, classes;    /* most of each */
    int64_t  costs;             /* costs are in 0 .. costs - 1 */
    bool     is_wild;           /* any cost anywhere, NEVER and negative ones too; else local <= rack <= far */
};

void ref_random(struct ref_round *r, struct rng *g, const struct ref_shape *shape);
void ref_random_task(const struct ref_round *r, struct ref_task *t, struct rng *g, const struct ref_shape *shape);
void ref_random_job(struct ref_job *j, struct rng *g, const struct ref_shape *shape);

/* ASSIGN_NEVER where the task cannot run there. */
int64_t ref_cost(const struct ref_round *r, const struct ref_task *t, const struct ref_gpu *g);

/* The paper's network; its arrays are owned by the caller, freed with ref_net_fini. */
struct ref_net { uint32_t n, m; struct mcf_arc *arc; int64_t *supply; };
void ref_net_init(struct ref_net *net, const struct ref_round *r);
void ref_net_fini(struct ref_net *net);

struct ref_answer { int64_t flow, cost; };
/* Successive shortest paths from the first vertex to the last. */
struct ref_answer ref_ssp(const struct ref_net *net);
/* Every assignment; for rounds with a handful of tasks. */
struct ref_answer ref_brute(const struct ref_round *r);

/* Tell a round to the solver: all of it, or one task. */
struct assign *ref_tell(const struct ref_round *r);
void ref_tell_task(struct assign *s, const struct ref_round *r, uint32_t t);
void ref_tell_gpus(struct assign *s, const struct ref_round *r);     /* places of every class */

#endif

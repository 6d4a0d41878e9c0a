/*
 * assign.h -- which waiting task gets which free GPU: the paper's minimum-cost
 * maximum flow, solved exactly on its structure, again and again as tasks and
 * GPUs come and go.
 *
 * The problem.  Places are free GPUs.  Those of one node and one GPU class are alike and
 * form a *site*; a GPU class is whatever tells the GPUs of a node apart (a memory size).
 * A task of job j may take one place of a class in its `fits`, at a cost that depends on
 * the node.  A job with N tasks present and share A may leave N - A of them unplaced at
 * a cost of alpha each; each further one that is left loses a unit of flow.  Wanted: the
 * largest flow, and the least cost among those:
 *
 *   x_j  tasks of j placed        z_j = min(max(0, N_j - A_j), N_j - x_j)
 *   flow = sum x_j + z_j          cost = sum of placed tasks' costs + alpha_j z_j
 *
 * With A_j = 0 a task may always be left (soft), with A_j = N_j never (the job has no
 * unscheduled vertex).  To give one task a leaving cost of its own, subtract the
 * difference from all of its costs; they may be negative.
 *
 * Ids of jobs and tasks are the caller's: small numbers, reused at will once
 * removed; arrays grow to the largest.  Everything is deterministic: the same
 * calls give the same answers.  The algorithm and its costs: README.md.
 * Source: Tang et al., scheduling data-intensive jobs on GPU clusters, sections 3 to
 * 4; Isard et al., Quincy, SOSP 2009.
 */
#ifndef POL_LIB_FLOW_ASSIGN_H
#define POL_LIB_FLOW_ASSIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ASSIGN_NONE  UINT32_MAX
#define ASSIGN_NEVER INT64_MAX       /* as a cost: not there */
enum { ASSIGN_CLASSES_MAX = 64 };

enum assign_st {
    ASSIGN_OK,
    ASSIGN_RANGE     /* costs so large, and tasks so many, that sums could pass 2^60: nothing was solved */
};

struct assign;

/* rack [n_nodes], each < n_racks; copied.  n_classes <= ASSIGN_CLASSES_MAX. */
struct assign *assign_create(uint32_t n_racks, uint32_t n_nodes, const uint32_t *rack, uint32_t n_classes);
void assign_destroy(struct assign *s);            /* NULL is fine */

/*
 * How many places of a GPU class tasks may take on a node now, those included that
 * running tasks hold which may be moved.  Name every site that can ever be once at the
 * beginning (with 0 places): otherwise all tasks are indexed anew when one first comes.
 * O(1).
 */
void assign_places(struct assign *s, uint32_t node, uint32_t class, uint32_t n);

/* A job's share and the cost of leaving one of its tasks; 0 and 0 until told.  |alpha| < 2^50.  O(1). */
void assign_job(struct assign *s, uint32_t job, uint32_t share, int64_t alpha);

/* What a node or a rack costs, in place of what lies above it. */
struct assign_near { uint32_t at, is_rack; int64_t cost; };

struct assign_task {
    uint32_t job;
    uint64_t fits;                  /* bit per GPU class; 0: it can run nowhere */
    int64_t  far;                   /* any node not named; ASSIGN_NEVER: only those named */
    const struct assign_near *near;  /* [n_near], each node and rack at most once; copied */
    uint32_t n_near;
};
/*
 * Add a task under a free id.  Its cost on a node is what `near` says of the
 * node, else of the node's rack, else `far`; |cost| < 2^50 or ASSIGN_NEVER.
 * O(n_near^2), and O(log n) for each of its places at the next solve.
 */
void assign_add(struct assign *s, uint32_t id, const struct assign_task *t);
void assign_remove(struct assign *s, uint32_t id);
bool assign_has(const struct assign *s, uint32_t id);

/* What one solve did. */
struct assign_stats {
    uint64_t paths, phases;         /* units repaired; searches for them */
    uint64_t pops, arcs;            /* vertices and arcs that these looked at */
    uint64_t bids;                  /* of an auction; 0: there was none */
    uint32_t was_cold, reserved;    /* started from nothing */
};

struct assign_result {
    int64_t  flow, cost;
    uint32_t placed;
    struct assign_stats stats;
};

/* Place tasks optimally.  The second solve begins where the first ended. */
enum assign_st assign_solve(struct assign *s, struct assign_result *out);

/* Where a task was placed; false: it is left waiting. */
bool assign_place(const struct assign *s, uint32_t id, uint32_t *node, uint32_t *class);
/* Tasks on a site, in no particular order: first, then next until ASSIGN_NONE. */
uint32_t assign_first(const struct assign *s, uint32_t node, uint32_t class);
uint32_t assign_next(const struct assign *s, uint32_t id);

/* The dual: what a place is worth to the others, and what one more place is worth to a job. */
int64_t assign_price(const struct assign *s, uint32_t node, uint32_t class);
int64_t assign_value(const struct assign *s, uint32_t job);

/* Forget prices and placements; the next solve starts cold. */
void assign_forget(struct assign *s);
/*
 * A cold solve turns to an auction when its repairs would look at more than so
 * many arcs for each place; 1000 until told, 0: at once.  No optimum depends on
 * it, only time and which of equal placements is found.
 */
void assign_bid_from(struct assign *s, uint64_t arcs);
/*
 * Places left empty at a price are each searched from when there are so many, of
 * 128 placed tasks one at least, and few tasks are odd (state.h); 6 until told,
 * 0: always.  No answer depends on it, only time.
 */
void assign_fill_from(struct assign *s, uint64_t places);

/*
 * The certificate: capacities, complementary slackness of every task, site and
 * job under the prices and values above, and that M is large enough for "most
 * flow first".  Recomputed from what was told, sharing nothing with the search.
 * False with what is wrong in error [cap].  O(tasks log + sites log), after a solve only.
 */
bool assign_verify(const struct assign *s, const struct assign_result *r, char *error, size_t cap);

size_t assign_bytes(const struct assign *s);      /* memory held between solves */

#endif

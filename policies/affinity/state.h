/*
 * state.h -- what the two levels of affinity and balance share; private to this folder.
 *
 * affinity.c  the master: which node a task goes to
 * node.c      the nodes: which engine a call runs on
 *
 * README.md, affinity.
 */
#ifndef POL_AFFINITY_STATE_H
#define POL_AFFINITY_STATE_H

#include "affinity/engines.h"

enum affinity_cond { AFFINITY_BEST, AFFINITY_ABOVE };
enum affinity_cross { AFFINITY_LIMIT, AFFINITY_LEAST, AFFINITY_OFF };
enum affinity_balance { AFFINITY_LOAD, AFFINITY_ENGINES };

/* Efficiencies that differ by less, relatively, are equal: they are quotients of times. */
#define AFFINITY_EQUAL 1e-12

/* A call waiting for an engine of one type in one tier; each waiting task has a block, one for each type and tier. */
struct affinity_wait { uint32_t task, prev, next; bool is_in; int64_t way; };

struct affinity_task {
    uint32_t targets;           /* engine types that it may be sent for */
    double   eff[POL_ENGINES_MAX];      /* efficiency by engine type, the best 1; 0: it cannot run there */
    uint32_t block;             /* of its waits; 0: none */
    uint32_t epoch;             /* when it was enlisted */
};

/* As a user gave them; README.md, affinity.  balance has those of its nodes alone. */
struct affinity_param {
    bool is_blind;                      /* the master balances alone, and knows nothing of engines */
    int64_t take, overhead, width;
    enum affinity_cond target, condition;
    enum affinity_balance balance;
    enum affinity_cross cross;
    double least, call_least, load;
    bool worth, rebalance;
};

/* Calls that wait for an engine elsewhere: a list for each (engine type, tier). */
struct affinity_waits {
    struct affinity_wait *at; size_t cap; uint32_t n_blocks;
    uint32_t *free_block; size_t cap_free; uint32_t n_free;
    uint32_t *first, *last;             /* [engine type x tier] index in `at` */
};

/* Tasks in the nodes' queues. */
struct affinity_queued {
    uint32_t *claim;                    /* [node][engine type] those that were sent for that type */
    uint32_t *masked;                   /* [node][targets] by what they may be sent for */
    uint32_t n_masked[1 << POL_ENGINES_MAX], n;     /* on all nodes */
};

struct affinity {
    struct dispatcher dispatcher;
    struct engines engines;
    struct affinity_task *task; size_t cap_task;        /* by task slot */
    uint32_t epoch;                     /* how often nodes came or went: what is in reach is another question then */
    uint32_t *types;                    /* [node] engine types that it has, as bits; 0 while it is down */
    double   *engine_of;                /* [node] 1 / its engines */
    uint32_t *chosen; size_t cap_chosen;                /* scratch: task, node, task, node ... */
    char reason[POL_ENGINES_MAX][96];   /* why a task is sent for each engine type */
    struct affinity_waits waits;
    struct affinity_queued queued;
    struct affinity_param param;
};

/* Try the next call of each of the node's idle tasks, then start tasks of its queue. */
void affinity_node(struct affinity *a, uint32_t node);
/*
 * Nodes that may run more and have an empty queue take from the longest; all: every node, not only those
 * that changed.
 */
void affinity_rebalance(struct affinity *a, bool all);
/* Calls that wait for engines elsewhere. */
void affinity_others(struct affinity *a);
/* The best of its targets that the node has; POL_NONE: none. */
uint32_t affinity_engine(const struct affinity *a, uint32_t task, uint32_t node);
/* The task waits for no engine any more. */
void affinity_forget(struct affinity *a, uint32_t task);
/* The task is in its node's queue (+1), or no longer (-1). */
void affinity_count(struct affinity *a, uint32_t task, int sign);

#endif

/*
 * blocks.h -- blocks of data, where their replicas lie, and how far that is from
 * a node.  Layer: model.
 *
 * Blocks named by a trace live as long as the run; what a task writes lives as
 * long as its job.  A block has at least one replica on a node; replicas are
 * node indices in increasing order.
 *
 * Blocks may be parts of a file.  One block stands for the file: `file` of its
 * parts, and of itself, as of a block that is no part of anything.
 */
#ifndef MODEL_DATA_BLOCKS_H
#define MODEL_DATA_BLOCKS_H

#include "base/intern.h"
#include "base/rng.h"
#include "model/cluster/cluster.h"

struct block { int64_t size; uint32_t first, n, file; bool is_by_rule; };   /* replica[first .. first + n) */

struct data {
    struct intern  names;               /* block id = intern id */
    struct block  *block;   size_t cap_block;
    uint32_t      *replica; size_t cap_replica; uint32_t n_replicas;
};

void     data_fini(struct data *d);     /* zero-initialise to begin */
/* A named block; its replicas follow with data_replicas or data_place.  NONE when the name is taken. */
uint32_t data_add(struct data *d, const char *name, int64_t size);
/* node [n], n >= 1, distinct, in any order; once a block, before data_place. */
void     data_replicas(struct data *d, uint32_t block, const uint32_t *node, uint32_t n);
/* The block is a part of the file that `file` stands for, which is no part of another; without data_replicas. */
void     data_part(struct data *d, uint32_t block, uint32_t file);

/*
 * Place every block that data_replicas did not, by a seeded rule: `factor`
 * (>= 1) distinct nodes each, or all nodes when there are fewer.  Called again,
 * it places the same blocks anew.  The draw of a block depends on (seed, block
 * id) alone.  A part of a file whose replicas were given lies there under every
 * rule.  O(n_nodes + blocks * factor^2).
 *   DATA_RANDOM      uniformly
 *   DATA_RACK_AWARE  the first uniformly; the second uniformly on the other
 *                    racks; the third on the second's rack, or, where that has
 *                    no other node, on any rack but the first's (HDFS); further
 *                    ones, and those for which no such node is left, uniformly
 *   DATA_FILE        as DATA_RANDOM, but once a file: its parts lie where it does
 */
enum data_rule { DATA_RANDOM, DATA_RACK_AWARE, DATA_FILE };
void     data_place(struct data *d, const struct cluster *c, enum data_rule rule, uint32_t factor, uint64_t seed);

/* How far a replica is from a node. */
enum data_level { LEVEL_LOCAL, LEVEL_RACK, LEVEL_CROSS, LEVELS };
/* The levels at which a node can read one of these replicas: bit per level; LEVEL_CROSS's when there is none. */
unsigned data_levels(const struct cluster *c, const uint32_t *replica, uint32_t n, uint32_t node);
/* The replica a task reads at this level, which must be one of data_levels: the (turn mod their number)-th of them. */
uint32_t data_source(const struct cluster *c, const uint32_t *replica, uint32_t n, uint32_t node,
                     enum data_level level, uint32_t turn);

#endif

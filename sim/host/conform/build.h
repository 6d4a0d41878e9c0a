/*
 * build.h -- what cases of the battery are built of.  Layer: host, private to conform.
 */
#ifndef HOST_CONFORM_BUILD_H
#define HOST_CONFORM_BUILD_H

#include "host/conform/cases.h"

#define BUILD_GIB (INT64_C(1) << 30)

/* A node with what n says, a name, and 16 GiB of memory and on each card; so many that are alike. */
void build_node_of(struct conform_case *c, struct node_spec n);
void build_node(struct conform_case *c, int64_t cpu, uint32_t gpus, const char *type, const char *rack);
void build_nodes(struct conform_case *c, uint32_t n, uint32_t gpus);

/* A job of one task, to be changed; a gang of n of it. */
struct conform_job *build_job(struct conform_case *c, sim_tick submit, sim_tick dur, int64_t cpu, int32_t gpus, int32_t milli);
void build_gang(struct conform_job *j, uint32_t n);
/* Its graph: task k comes after task before[k] (itself: none) and reads block in[k], or NONE. */
void build_graph(struct conform_job *j, uint32_t n, const uint32_t *before, const uint32_t *in);

void build_fault(struct conform_case *c, sim_tick at, uint32_t n, bool up);

#endif

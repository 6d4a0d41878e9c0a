/*
 * fragmentation.h -- how much of the free GPU capacity is of no use.  Layer: metrics.
 *
 * Three measures, all in thousandths of cards over nodes that are up, looked at
 * when a sample is taken; formulas in results/README.md.  What a node
 * contributes is remembered until it changes, so a sample costs in proportion
 * to the nodes touched since the last, plus, while GPU tasks wait, the nodes
 * with a free GPU.
 */
#ifndef METRICS_FRAGMENTATION_H
#define METRICS_FRAGMENTATION_H

#include "model/world_view.h"

enum { FRAG_TYPICAL = 32 };     /* shapes looked at, the most frequent */

struct frag {
    uint64_t *arrived, *waiting; size_t cap_arrived, cap_waiting;   /* tasks by shape */
    uint64_t  n_arrived, n_typical_at;      /* tasks; when the typical list was made */
    uint32_t  typical[FRAG_TYPICAL]; uint32_t n_typical;
    int64_t  *free_milli; double *expected; bool *is_dirty;         /* [n_nodes] */
    uint32_t *dirty; uint32_t n_dirty, n_nodes;
};

void frag_init(struct frag *f, uint32_t n_nodes);
void frag_fini(struct frag *f);

void frag_arrived(struct frag *f, const struct world *w, uint32_t job);
void frag_ended(struct frag *f, const struct world *w, uint32_t job);       /* before its tasks are gone */
void frag_started(struct frag *f, const struct world *w, uint32_t task);
void frag_stopped(struct frag *f, const struct world *w, uint32_t task, enum stop_reason reason);
void frag_node(struct frag *f, uint32_t node);

/*
 * expected, stranded: shares of the free GPU capacity, 0..1; NaN when nothing is free or, for stranded,
 * no GPU task waits.  lack_cpu: of all capacity; NaN without any.
 */
struct frag_now { double expected, stranded, lack_cpu; };
struct frag_now frag_sample(struct frag *f, const struct world *w);

#endif

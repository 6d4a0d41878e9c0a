/*
 * lending.h -- reservations, what was lent of them, licences, and how long
 * workflows waited between their stages: exact sums for metrics.  Layer: metrics.
 * O(kinds of licences) a change.
 */
#ifndef METRICS_LENDING_H
#define METRICS_LENDING_H

#include "model/world_view.h"
#include "metrics/usage.h"

enum { LENDING_DIMS = 2 + LICENCES_MAX };       /* CPU and GPU in thousandths, then licences */

/* When the tasks of each stage of a live job first started last, and ended last; us, -1 never. */
struct lending_job { sim_tick *start, *end; uint32_t n; };

struct lending {
    struct reservations_amount reserved, used, lent, licensed;   /* as the last instant left it; licensed: licences in use */
    sim_tick since;
    usage_wide reserved_us[LENDING_DIMS], used_us[LENDING_DIMS], lent_us[LENDING_DIMS];
    usage_wide reclaimed_us[LENDING_DIMS];      /* held by borrowers in attempts that ended in a reclaim */
    usage_wide licence_us[LICENCES_MAX];
    uint64_t n_reclaims;
    int64_t *lender; size_t cap_lender;         /* by task slot: ordinal of the job it borrows from; -1 none */
    struct lending_job *job; size_t cap_job;    /* by job slot */
};

void lending_fini(struct lending *l);           /* zero-initialise to begin */
void lending_arrived(struct lending *l, const struct world *w, uint32_t job);
void lending_started(struct lending *l, const struct world *w, uint32_t task);
void lending_lent(struct lending *l, const struct world *w, uint32_t task, uint32_t lender);
void lending_stopped(struct lending *l, const struct world *w, uint32_t task, enum stop_reason reason);
/* Fold up to now, and take the state as it is from here on; true if what is reserved, used or lent changed. */
bool lending_instant(struct lending *l, const struct world *w);

/* Ordinal of the job of which the running task borrows, or did when it began; -1: of none. */
int64_t  lending_of(const struct lending *l, uint32_t task);
/* Time between the end of each stage and the last first start of the next; -1: the job has no order. */
sim_tick lending_stage_wait(const struct lending *l, uint32_t job);
int64_t  lending_dim(const struct reservations_amount *a, int d);
/* "cpu", "gpu", or the licence's name. */
const char *lending_name(const struct world *w, int d);

#endif

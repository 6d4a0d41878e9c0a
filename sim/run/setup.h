/*
 * setup.h -- a case as one seed replays it: its trace, the places of its
 * blocks, the times of its jobs alone.  Layer: run.
 *
 * What hangs on the seed is made anew for each, what does not is kept: a
 * trace read from a file is prepared once for all seeds.
 */
#ifndef RUN_SETUP_H
#define RUN_SETUP_H

#include "model/world.h"
#include "run/isolated.h"

struct setup {
    struct scenario *scn;       /* borrowed */
    struct trace     trace;
    struct isolated_times isolated;
    uint64_t seed;
    bool has_trace, has_isolated;
};

void    setup_begin(struct setup *u, struct scenario *s);
/* The trace and its data for this seed; nothing is done when they are there already. */
enum st setup_trace(struct setup *u, uint64_t seed, struct diag *d);
/* Then the times of its jobs alone, where the scenario asks for them: *out, borrowed; else NULL. */
enum st setup_isolated(struct setup *u, const struct isolated_times **out, struct diag *d);
void    setup_fini(struct setup *u);

/* What every world of the scenario has, also that of a job alone; no faults, horizon or what else a whole run has. */
struct world_config setup_world(struct scenario *s, uint64_t seed);

/* Is anything in this scenario drawn from the seed?  Else all seeds give equal runs. */
bool    setup_is_drawn(const struct scenario *s);

#endif

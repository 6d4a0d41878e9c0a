/*
 * run.h -- one run of a storm: its tables are written and checked, and the moments at which a failure would hurt
 * are noted.
 */
#ifndef STORM_RUN_H
#define STORM_RUN_H

#include "db/store.h"
#include "storm/case.h"

/* What a node was in the middle of. */
enum storm_kind {
    STORM_RUNNING,
    STORM_RESTORING,
    STORM_READING,
    STORM_WRITING,
    STORM_COMPUTING,
    STORM_LENT,
    STORM_RESIZED,
    STORM_QUEUED,
    STORM_CALLING,
    STORM_WAITING,
    STORM_KINDS
};
extern const char *const storm_kind_name[STORM_KINDS];

struct storm_moment {
    enum storm_kind kind;
    sim_tick from, to;
    uint32_t node;
};

struct storm_run {
    char wrong[1400]; /* "": nothing is */
    bool declined;    /* the policy is not for what the case asks, or refuses these choices together */
    uint64_t digest, n_attempts, n_failed;
    struct storm_moment *moment;
    size_t n_moments, cap_moments; /* owned */
};

/* Run the plan, into the store.  *out is filled anew; its moments' memory is used again. */
void storm_run(const struct storm_plan *p, struct store *s, struct storm_run *out);

#endif

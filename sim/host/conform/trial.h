/*
 * trial.h -- a case of the battery run under a policy, and what happened in it.
 * Layer: host, private to conform.
 */
#ifndef HOST_CONFORM_TRIAL_H
#define HOST_CONFORM_TRIAL_H

#include "host/conform/conform.h"
#include "host/host.h"

enum trial_event_type { TRIAL_START, TRIAL_STOP, TRIAL_END, TRIAL_NODE };
struct trial_event { sim_tick at; enum trial_event_type type; uint64_t job; uint32_t task, node; uint64_t cards; const char *how; };

struct trial_history {
    struct trial_event *ev; size_t n, cap;
    enum st result;
    struct diag diag;
    struct world_count count;
    sim_tick end;
    uint64_t digest, n_instants;
    uint32_t flags;
    bool     asks_profiles;     /* the policy asked for profiles/1 or goodput/1 */
    struct conform_problem left;        /* .what "" : no job was left waiting with room for it */
};

/* What of a run is otherwise than in the first; none of it may matter to a policy but other_limits. */
struct trial_variant { bool is_watched, other_limits; struct host_tricks tricks; };

/* Case i under the spec; h out, freed by trial_history_fini.  page may be NULL. */
void trial_run(uint32_t i, const char *spec, const struct trial_variant *v, struct sandbox_page *page, struct trial_history *h);
/* Two instances, turn by turn; the first is as v says. */
void trial_run_beside(uint32_t i, const char *spec, const struct trial_variant *v, struct sandbox_page *page, struct trial_history *h,
                      struct trial_history *other);
void trial_history_fini(struct trial_history *h);

/* "t=5 us: task 0 of job j3 starts on node 1, cards 0x3", of event i. */
void trial_format_event(const struct trial_history *h, size_t i, char *buf, size_t cap);
/* Index of the first event that differs, or SIZE_MAX. */
size_t trial_first_difference(const struct trial_history *a, const struct trial_history *b);

#endif

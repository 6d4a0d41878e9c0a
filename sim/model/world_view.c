/* world_view.c -- what may be read of a world, where it is not worked out elsewhere. */
#include "model/world_priv.h"

const struct world_config *world_config(const struct world *w) { return &w->cfg; }

sim_tick world_next(const struct world *w)
{
    const struct evq_item *next = evq_peek(&w->loop.q);
    return next != NULL ? next->at : TICK_NEVER;
}

uint32_t world_n_running(const struct world *w) { return w->n_running; }
uint32_t world_n_waiting(const struct world *w) { return w->n_waiting; }

const struct world_count *world_count(const struct world *w) { return &w->count; }
bool world_takes_refusals(const struct world *w) { return w->round.decider.takes_refusals; }
uint64_t world_digest(const struct world *w) { return w->loop.digest; }
uint64_t world_n_events(const struct world *w) { return w->loop.n_events; }
uint64_t world_n_instants(const struct world *w) { return w->loop.n_instants; }
uint64_t world_n_rounds(const struct world *w) { return w->loop.n_rounds; }

uint32_t world_n_live_jobs(const struct world *w) { return w->jobs.n_live - w->n_dependents; }
uint32_t world_peak_live_jobs(const struct world *w) { return w->jobs.peak_live; }

const struct intern *world_users(const struct world *w) { return &w->users; }
const struct intern *world_queues(const struct world *w) { return &w->queues; }
const struct intern *world_classes(const struct world *w) { return &w->classes; }

struct speed_reading world_read(const struct world *w, uint32_t task) { return speed_read(w->speed, task, w->loop.now); }
struct speed_factors world_speed_factors(const struct world *w, uint32_t task) { return speed_factors(w->speed, task); }
int64_t world_busy(const struct world *w) { return speed_busy(w->speed); }

const struct reservations_sum *world_reserved(const struct world *w) { return &w->reservations.sum; }
bool world_borrows(const struct world *w, uint32_t task) { return reservations_lender(&w->jobs, task) != NULL; }
const struct call_queue *world_calls(const struct world *w) { return w->calls; }
uint32_t world_engine_types(const struct world *w) { return w->engine_types; }

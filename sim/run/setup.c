/* setup.c -- what of a case is kept from seed to seed, and what is made anew. */
#include "run/setup.h"

#include <string.h>

void setup_begin(struct setup *u, struct scenario *s)
{
    memset(u, 0, sizeof *u);
    u->scn = s;
}

static void drop_isolated(struct setup *u)
{
    if (u->has_isolated) isolated_fini(&u->isolated);
    u->has_isolated = false;
}

enum st setup_trace(struct setup *u, uint64_t seed, struct diag *d)
{
    struct scenario *s = u->scn;
    if (u->has_trace && u->seed == seed) return ST_OK;
    drop_isolated(u);
    if (!u->has_trace || trace_is_drawn(&s->trace)) {
        /* Blocks are drawn by number, in the order in which a trace first names them: those of another seed must go. */
        if (u->has_trace) { trace_fini(&u->trace); data_fini(&s->data.blocks); }
        u->has_trace = false;
        TRY(trace_seed(&s->trace, seed, d));
        TRY(trace_prepare(&u->trace, &s->trace, &s->cluster, &s->perf, d));
        u->has_trace = true;
    }
    if (s->data.blocks.names.n > 0) data_place(&s->data.blocks, &s->cluster, s->data.rule, s->data.replicas, seed);
    u->seed = seed;
    return ST_OK;
}

enum st setup_isolated(struct setup *u, const struct isolated_times **out, struct diag *d)
{
    *out = NULL;
    if (u->scn->output.ideal_share == 0) return ST_OK;
    if (!u->has_isolated) TRY(isolated_find(&u->isolated, u->scn, &u->trace, u->seed, d));
    u->has_isolated = true;
    *out = &u->isolated;
    return ST_OK;
}

void setup_fini(struct setup *u)
{
    drop_isolated(u);
    if (u->has_trace) trace_fini(&u->trace);
    u->has_trace = false;
}

struct world_config setup_world(struct scenario *s, uint64_t seed)
{
    return (struct world_config){
        .cluster = &s->cluster, .throughput = &s->perf, .profiles = s->profiles.is_used ? &s->profiles.table : NULL,
        .monitor = s->profiles.monitor, .seed = seed, .checkpoint_interval = s->jobs.checkpoint_interval,
        .restore_cost = s->jobs.restore_cost, .restore_as = s->jobs.restore_as, .enforce_limits = s->jobs.enforce_limits, .audit = s->output.audit,
        .multi_from = s->jobs.multi_from,
        .data = &s->data.blocks, .net = s->data.net, .horizon = TICK_NEVER };
}

bool setup_is_drawn(const struct scenario *s)
{
    return trace_is_drawn(&s->trace) || s->fault.mtbf_us > 0 || s->profiles.monitor.noise > 0 || s->data.blocks.names.n > 0 || s->replay.fill > 0;
}

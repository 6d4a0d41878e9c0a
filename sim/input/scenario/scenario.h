/*
 * scenario.h -- a scenario: one question asked of the simulator.  Layer: input.
 *
 * Read from YAML; scenarios/REFERENCE.md is the reference of the format.  Every
 * mistake is an error with file, line, column, caret and, for a misspelt word,
 * the nearest right one.
 */
#ifndef INPUT_SCENARIO_SCENARIO_H
#define INPUT_SCENARIO_SCENARIO_H

#include "input/trace/trace.h"
#include "model/calls/relation.h"
#include "model/cluster/energy.h"
#include "model/world.h"

/* What it is known by. */
struct scn_identity {
    char *path, *name, *title;
    char *canonical;            /* the document after --set without `policies`, `seeds` and `sweep`, in one fixed form:
                                 * what runs of one case have in common; part of the run key, stored with the run */
    char *variant;              /* what was set in the document, "a.b=1, c=2", for people; "" when nothing was */
};

struct scn_profiles {           /* profiles: */
    bool     is_used;           /* or a node's memory bandwidth is known, so that it can be contended for */
    struct profiles table;
    struct monitor_spec monitor;
};

struct scn_engines {            /* engines:, or times that the trace brings */
    bool     has_times, has_relation;
    int64_t  as_calls[ENGINE_TYPES_MAX];    /* trace_opts.as_calls */
    struct calltime times;
    struct relation relation;
};

/* How the trace is replayed. */
struct scn_replay {
    double   fill;              /* trace.fill; 0: the trace as it is */
    uint32_t concurrency;       /* trace.concurrency; 0: no bound */
    uint64_t tie_seed;          /* > 0: nodes are numbered, and jobs that arrive together come, in an order drawn from it */
};

struct scn_jobs {               /* jobs: */
    bool     enforce_limits, reject_infeasible;
    sim_tick checkpoint_interval, restore_cost, mismatch_after;
    enum restore_as restore_as;
    uint32_t multi_from;        /* cards */
};

struct scn_data {               /* network:, data: */
    struct net_spec net;
    struct data blocks;         /* placed by the rule for each seed */
    enum data_rule rule;
    uint32_t replicas;
};

struct host_own;
struct scn_policy {
    char *spec;                 /* "name:key=value,..." as `-p` takes it */
    char *label;                /* how tables and charts call it; the spec when none is given */
    uint32_t line, col;         /* in the scenario; 0 from the command line */
    const struct host_own *own; /* whose the spec is (host/host.h); NULL: a built-in, a file or a command; borrowed */
};

/* Which runs are asked for, which is no part of a case. */
struct scn_asked {
    struct scn_policy *policy;  size_t n_policies, cap_policies;
    uint64_t *seed;             size_t n_seeds, cap_seeds;
    bool     has_sweep;         /* it has a `sweep` section, which scn_load checks and sweep.h takes in */
};

struct scn_users {              /* users: fair-share weights */
    struct { char *user; double weight; } *weight; size_t n, cap;
};

struct scn_output {             /* output: */
    sim_tick sample_every;
    bool     audit, attempts, decisions, scores, speeds, lending;       /* all but the first: which optional tables */
    bool     no_jobs;           /* no row of a job: metrics and series alone */
    uint32_t ideal_share;       /* m, the ideal on 1/m of the GPUs; 0: no ideals */
    double   warmup, cooldown;  /* fractions of the arrivals left out of job metrics at either end */
};

struct scenario {
    struct scn_identity id;
    struct cluster      cluster;        /* cluster:; sealed */
    struct energy       energy;         /* power and prices, of the cluster and of prices: */
    struct throughput   perf;           /* models:, and what traces say of speeds */
    struct scn_profiles profiles;
    struct scn_engines  engines;
    struct trace_opts   trace;
    struct scn_replay   replay;
    struct scn_jobs     jobs;
    struct fault_spec   fault;
    struct scn_data     data;
    struct scn_asked    asked;
    struct scn_users    users;
    struct scn_output   output;
    sim_tick            horizon;
    struct scn_private *kept;           /* what its readers keep for it (section.h) */
};

/*
 * Load a scenario.
 *   set [n_set]  "path=value" overrides, applied to the document before it is read
 * On error *s is empty again.
 */
enum { SCN_SEEDS_MAX = 10000 };
/* "3..7", both ends in it, or "3" alone; false when it is no range. */
bool    scn_seed_range(const char *text, uint64_t *lo, uint64_t *hi);
enum st scn_load(struct scenario *s, const char *path, const char *const *set, size_t n_set, struct diag *d);
/* The same of a text; path: what errors call it, and beside which files are looked for. */
enum st scn_load_text(struct scenario *s, const char *path, const char *text, const char *const *set, size_t n_set, struct diag *d);
void    scn_fini(struct scenario *s);

#endif

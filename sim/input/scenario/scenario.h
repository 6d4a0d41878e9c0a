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
#include "model/world.h"

struct scn_policy {
    char *spec;                 /* "name:key=value,..." as `-p` takes it */
    char *label;                /* how tables and charts call it; the spec when none is given */
    uint32_t line, col;         /* in the scenario; 0 from the command line */
};

struct scenario {
    char *path, *name, *title;
    char *canonical;            /* the document after --set without `policies`, `seeds` and `sweep`, in one fixed form:
                                 * what runs of one case have in common; part of the run key, stored with the run */
    char *variant;              /* what was set in the document, "a.b=1, c=2", for people; "" when nothing was */
    struct cluster cluster;     /* sealed */
    struct throughput    perf;
    struct profiles profiles;   /* profiles: */
    bool     has_profiles;
    struct monitor_spec monitor;
    struct calltime calltime;               /* engines: */
    struct relation relation;
    bool     has_calltime, has_relation;
    struct trace_opts trace;
    struct fault_spec fault;
    struct fault_event *fault_list;         /* owned; fault.list points here */
    bool has_sweep;             /* it has a `sweep` section, which scn_load checks and sweep.h takes in */
    struct scn_policy *policy; size_t n_policies, cap_policies;
    uint64_t *seed;            size_t n_seeds, cap_seeds;
    sim_tick checkpoint_interval, restore_cost, horizon, sample_every;
    sim_tick mismatch_after;    /* jobs.mismatch_after */
    bool     enforce_limits, reject_infeasible, audit;
    bool     write_attempts, write_decisions, write_lending;    /* output: which optional tables */
    struct kube_nodes *kube_nodes;          /* owned; cluster from kubectl; trace.kube_nodes points here */
    const char **instances;                 /* owned; trace.instance points here */
    const char **default_models;            /* owned; trace.dflt.models points here */
    struct net_spec net;                    /* network: */
    struct data data;                       /* data: blocks, placed for seed `data_seed` */
    enum data_rule data_rule; uint32_t data_replicas;
    double   fill;                          /* trace.fill; 0: the trace as it is */
    uint32_t concurrency;                   /* trace.concurrency */
    uint32_t ideal_share;                   /* output.ideal: m, the ideal on 1/m of the GPUs; 0: no ideals */
    double   warmup, cooldown;              /* fractions of the arrivals left out of job metrics at either end */
    struct { char *user; double weight; } *weight; size_t n_weights, cap_weights;   /* users: fair-share weights */
    char   **owned; size_t n_owned, cap_owned;          /* strings that opts borrow */
};

/*
 * Load a scenario.
 *   set [n_set]  "path=value" overrides, applied to the document before it is read
 * On error *s is empty again.
 */
enum st scn_load(struct scenario *s, const char *path, const char *const *set, size_t n_set, struct diag *d);
void    scn_fini(struct scenario *s);

#endif

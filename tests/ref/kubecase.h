/*
 * kubecase.h -- small cases for the kube- policies, drawn from a seed: nodes of all kinds, pods with priorities,
 * gangs, failing nodes, a policy with its parameters or a configuration; run under the real host with every
 * audit on, and what happened.
 */
#ifndef KUBECASE_H
#define KUBECASE_H

#include "model/world.h"
#include "ref/wfcase.h"

enum {
    KC_NODES = 160,
    KC_CARDS = 4,
    KC_JOBS = 48,
    KC_TASKS = 3,
    KC_FAULTS = 8,
    KC_PREFS = 4,
    KC_PROFILES = 2,
    KC_KNEES = 3
};
enum kc_policy { KC_DEFAULT, KC_SPLIT, KC_HYBRID };
enum kc_plugin { KC_LEAST, KC_BALANCED, KC_MOST, KC_RATIO, KC_DOMINANT, KC_GPU, KC_AFFINITY, KC_PLUGINS };

struct kc_node {
    int64_t cpu, mem, cpu_reserved, mem_reserved, card_mem;     /* card_mem, card_cores 0: not known */
    int     cards, card_cores, type, rack, max_tasks;           /* type < 2; max_tasks 0: no limit */
    uint64_t labels;
};

struct kc_task { struct shape shape; sim_tick dur; };
struct kc_job {
    sim_tick submit;
    int      priority, n, prefers;          /* prefers: of pref, -1: nothing */
    bool     gang, other;                   /* other: of the second profile */
    struct kc_task task[KC_TASKS];
};

/* A score plugin; weight 0: off.  Weights of CPU, memory and cards; knees: per cent in use, points of ten. */
struct kc_score { int weight, resource[3], n_knees, knee[KC_KNEES][2]; };

struct kubecase {
    int n_nodes, n_jobs, n_faults, n_prefs;
    struct kc_node node[KC_NODES];
    struct kc_job  job[KC_JOBS];
    struct { sim_tick at; int node; bool up; } fault[KC_FAULTS];
    int32_t  pref[KC_PREFS][KC_NODES];
    int64_t  figures[2][3];                 /* of a type: compute, bandwidth, clock; 0: not known */
    sim_tick mismatch_after;
    bool     keeps;                         /* a pod that is preempted keeps its progress */
    /* The policy. */
    enum kc_policy policy;
    struct kc_score score[KC_PROFILES][KC_PLUGINS];
    bool     has_config, preempts, by_label, mean_of_both;     /* by_label: label 0 is kube-split's */
    int      percentage, n_profiles;
};

void kubecase_make(struct kubecase *c, uint64_t seed);
/* What the policies did, lines in order of time and text; `error`: "" or why the run failed. */
void kubecase_run(const struct kubecase *c, struct wf_log *log, char *error, size_t cap);
/* The case in words, and as the policy's spec. */
void kubecase_tell(const struct kubecase *c, FILE *to);

#endif

/*
 * wfcase.h -- small cases for the policy workflow: workflows of stages and
 * ordinary jobs in memory, run under a real policy host with every audit on,
 * and what happened.
 */
#ifndef WFCASE_H
#define WFCASE_H

#include "model/world.h"

enum { WF_JOBS = 64, WF_TASKS = 64, WF_ENTRIES = 512, WF_STOPS = 4096 };

/* after: bit g, group g of the job ends before; read where the job is `linked`. */
struct wf_task { uint32_t stage; sim_tick dur; int64_t cpu_milli; int32_t gpus, licences; uint32_t n; uint64_t after; };

/* A job: a workflow if `staged`, whose tasks wait for all of the stage before, or if `linked` for whom they name. */
struct wf_job {
    const char *id, *user, *queue;
    sim_tick submit, limit;
    int32_t  priority;
    bool     staged, linked;
    struct wf_task task[WF_TASKS];
    uint32_t n;
    uint64_t need_any;
};

struct wf_entry { sim_tick at; uint64_t job; struct reservations_stage e; };
struct wf_stop { sim_tick at; uint64_t job; uint32_t task; enum stop_reason reason; bool borrowed; };

/* What happened, a line each; those of one instant in the order of their texts. */
struct wf_line { sim_tick at; char text[120]; };
struct wf_log { struct wf_line *line; size_t n, cap; };
void wfcase_log_fini(struct wf_log *log);
void wfcase_log_sort(struct wf_log *log);
void wfcase_log_add(struct wf_log *log, sim_tick at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Amounts [3]: cores and cards in thousandths, licences of kind 0. */
void wfcase_log_entry(struct wf_log *log, sim_tick at, int job, int stage, const int64_t *need, const int64_t *lendable,
                      const int64_t *reclaimed, const int64_t *usable);
void wfcase_log_loan(struct wf_log *log, sim_tick at, int job, int task, int lender, const int64_t *amount);

struct wfcase {
    struct cluster cluster;
    struct wf_job  job[WF_JOBS];
    uint32_t n_jobs;
    sim_tick horizon;
    struct fault_event fault[8]; uint32_t n_faults;
    /* out */
    struct wf_entry entry[WF_ENTRIES]; uint32_t n_entries;
    struct wf_stop  stop[WF_STOPS];    uint32_t n_stops;
    sim_tick begin[WF_JOBS], end[WF_JOBS];      /* -1 never */
    sim_tick late; /* most that a stage's first starts lagged behind its predecessor's end */
    uint32_t lends[WF_JOBS];                    /* tasks of the job that borrowed */
    sim_tick first_loan[WF_JOBS];               /* -1 never */
    struct wf_log log;
    enum st  result;
    struct diag diag;
};

/* A case of no nodes; licences of kind 0 are called "lic". */
void wfcase_init(struct wfcase *c);
void wfcase_fini(struct wfcase *c);
void wfcase_node(struct wfcase *c, int64_t cpu_milli, uint32_t gpus, const char *label);
struct wf_job *wfcase_job(struct wfcase *c, const char *id, const char *user, bool staged);
/* n tasks alike in a stage (from 0). */
void wfcase_task(struct wf_job *j, uint32_t stage, sim_tick dur, int64_t cpu_milli, uint32_t n);
/* Stages of Figure 1 of seed 1, in whole cores of T each. */
struct wf_job *wfcase_figure_1(struct wfcase *c, sim_tick t);
void wfcase_run(struct wfcase *c, const char *policy);
/* Stops of borrowers of a job (UINT64_MAX: of all) by reclaim, at an instant (-1: at any). */
uint32_t wfcase_reclaims(const struct wfcase *c, uint64_t job, sim_tick at);

#endif

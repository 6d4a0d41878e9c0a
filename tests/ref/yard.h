/*
 * yard.h -- a small cluster with engines, jobs of API calls, and a policy that
 * runs them: what it did comes back as a log.  For tests that work a case out
 * by hand.  Times are seconds here, and in the log.
 */
#ifndef YARD_H
#define YARD_H

#include "model/world.h"

enum { YARD_JOBS = 256, YARD_CALLS = 1024, YARD_LOG = 1 << 18 };

struct yard_job { char id[16]; sim_tick submit; uint32_t n_tasks, first, n; };

struct yard {
    struct cluster cluster;
    struct throughput perf;
    struct calltime times;
    struct relation relation;
    struct yard_job job[YARD_JOBS]; uint32_t n_jobs, next;
    struct call call[YARD_CALLS];   uint32_t n_calls;
    struct fault_event fault[4];    uint32_t n_faults;
    struct task_group group;
    uint32_t call_first[64], call_n[64];
    struct task_calls calls;
    /* after yard_run */
    char     log[YARD_LOG];         /* "10 call j0 0 0 n1 gpu 10+0 done\n" ...; see db/event_log.c */
    char     reason[YARD_LOG];         /* decisions: "0 send j0.0 n1 REASON\n" */
    struct diag diag;
    enum st  result;
    uint64_t digest, n_cross, n_moved;
    int64_t  cross_b;
    sim_tick makespan, task_s;      /* seconds; task_s: sum over tasks of the time to their ends from submit */
};

void yard_init(struct yard *y);     /* zero-initialised or finished */
void yard_fini(struct yard *y);
/* "cpu:1,gpu:2"; latency in s each way, bandwidth in B/s, 0 free. */
void yard_node(struct yard *y, const char *engines, int64_t latency, int64_t bps);
void yard_time(struct yard *y, const char *api, const char *engine, int64_t size, int64_t s);
/* A job whose tasks each make the calls "api:size:result,...". */
void yard_job(struct yard *y, int64_t submit, uint32_t n_tasks, const char *calls);
void yard_fault(struct yard *y, int64_t at, uint32_t node, bool up);
void yard_run(struct yard *y, const char *policy);

#endif

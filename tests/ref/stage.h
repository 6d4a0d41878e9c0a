/*
 * stage.h -- a stage for hand-worked lives: jobs in memory, a greedy decider
 * with a script, and what happened as text.
 *
 * The decider starts every waiting unit it can, by job and task, each task on
 * the first node that fits.  The script preempts a job at an instant and keeps
 * it from starting until another.
 */
#ifndef STAGE_H
#define STAGE_H

#include "model/world.h"

enum { STAGE_JOBS = 16, STAGE_GROUPS = 3, STAGE_CUES = 8 };

struct cue { sim_tick at, until; uint64_t job; };

struct stage {
    struct cluster cluster;
    struct throughput perf;
    struct profiles profiles;       /* none until stage_profiles */
    struct world_config cfg;
    struct job_spec   job[STAGE_JOBS];
    struct task_group group[STAGE_JOBS][STAGE_GROUPS];
    uint32_t n_jobs, next;
    struct cue cue[STAGE_CUES];
    uint32_t n_cues;
    bool     idle;                  /* the decider does nothing */
    const char *policy;             /* decides instead of the script; NULL: none */
    bool     log_notes;             /* "t note name value" lines, and resizes, from a policy */
    bool     log_arrivals;
    /* Asked each round before anything is started; may be NULL. */
    void   (*meddle)(struct stage *s, struct world *w);
    /* out */
    char     log[8192];             /* "t kind job[.task] [node] [why]" a line */
    enum st  result;
    struct diag diag;
    uint64_t digest, n_rounds;
    struct world_count count;
    sim_tick lost, now;             /* lost: summed over jobs */
    uint64_t preempted, failed;
    uint32_t peak_live;
};

/* A stage without nodes or jobs; interval -1, no restore cost, no horizon, audited. */
void stage_init(struct stage *s);
void stage_fini(struct stage *s);
/* Models have the profiles of this file. */
void stage_profiles(struct stage *s, const char *path);
/* speed: of the GPUs' type, 1 = nominal. */
void stage_node(struct stage *s, int64_t cpu_milli, uint32_t gpus, const char *type, double speed);
void stage_rack(struct stage *s, uint32_t node, const char *rack);
/* One task by default; change what is returned, or add groups with stage_group. */
struct job_spec *stage_job(struct stage *s, sim_tick submit, sim_tick dur, int64_t cpu_milli, int32_t gpus);
void stage_tasks(struct stage *s, uint32_t n);          /* of the last group of the last job */
void stage_group(struct stage *s, uint32_t n, sim_tick dur, int64_t cpu_milli, int32_t gpus);
void stage_cue(struct stage *s, sim_tick at, sim_tick until, uint64_t job);
void stage_run(struct stage *s);
/* When a line of the log first has this text after its time; -1: never. */
sim_tick stage_when(const struct stage *s, const char *text);
/* When it first starts; as stage_when. */
sim_tick stage_started(const struct stage *s, uint64_t job);
/* When the job was done; -1: it was not. */
sim_tick stage_end_of(const struct stage *s, uint64_t job);

#endif

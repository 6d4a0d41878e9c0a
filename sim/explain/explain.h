/*
 * explain.h -- the story of one job, from the record of a run.  Layer: explain.
 *
 * Why it waited is worked out by replaying the ledger (replay.h): at every
 * instant either nothing had room for it, and then what was short on which
 * nodes, or there was room and the policy held it back, and then for whom or
 * for what, by the reason that the policy gave.  Times in microseconds since the run began.
 */
#ifndef EXPLAIN_EXPLAIN_H
#define EXPLAIN_EXPLAIN_H

#include <stdio.h>
#include "db/select.h"

/* Some jobs or nodes by name, and how many there were in all. */
struct explain_names { char **at; size_t n, cap, all; };
enum { EXPLAIN_NAMES = 5 };

/* A stretch of a wait with one reason. */
struct explain_stretch {
    int64_t  from, to;
    bool     had_room;              /* the policy held it back */
    uint32_t lacks;                 /* else LACK_ bits: on some node this was all that was missing */
    char    *text;                  /* the state when it began, in words */
    char    *reason;                /* as the policy gave it; NULL: none */
    struct explain_names jobs;      /* for whom it waits: the head; or who holds the nearest node */
};

enum explain_step_type { EXPLAIN_SUBMITTED, EXPLAIN_NEVER, EXPLAIN_ARRIVED,
               EXPLAIN_WAITED, EXPLAIN_STARTED, EXPLAIN_STOPPED, EXPLAIN_ENDED, EXPLAIN_SPEED,
               EXPLAIN_QUEUED, EXPLAIN_CALLED, EXPLAIN_TASK_ENDED };   /* of one task of API calls */

/* Of a task of calls.  call -1: the step is not about one. */
struct explain_call { int64_t call, waited, exec, way; char *api, *engine; };

struct explain_step {
    enum explain_step_type type;
    int64_t  at, until;             /* until: of a wait */
    int64_t  task;                  /* -1: the job's, or of several */
    struct explain_call call;
    char    *text, *more, *reason;  /* more: detail; reason: the policy's; either may be NULL */
    uint32_t n_tasks;
    struct explain_names nodes;
    struct explain_names jobs;      /* arrived: ahead of it; waited: started meanwhile though they arrived later;
                                     * stopped: for whom room was made */
    struct explain_stretch *stretch; size_t n_stretches, cap_stretches;
};

/* What a node was to a task that asked for one: a row a score plugin, or one by the filter that struck it out. */
struct explain_score { char *node, *plugin; double points, weight; uint32_t lacks; bool is_chosen; };
struct explain_ask { int64_t at, task; struct explain_score *row; size_t n, cap; };

struct explain {
    const struct selection *run;       /* borrowed */
    uint64_t ordinal;
    int64_t  task;                  /* the one whose story is asked for; -1: of all */
    char    *id, *user, *klass, *status, *request;
    int64_t  submit, end;           /* end: -1 never */
    uint32_t n_tasks, max_tasks;        /* as it asked; more: it is elastic */
    bool     is_gang;
    struct explain_step *step; size_t n_steps, cap_steps;
    struct explain_ask *ask; size_t n_asks, cap_asks;       /* where the run recorded scores; by time */
};

/*
 * ST_EINPUT when the run did not record its decisions.
 *   task  number of a task of calls, whose story alone is made, in full; -1: all of the job
 */
enum st explain_load(struct explain *e, struct store *s, const struct selection *run, uint64_t ordinal, int64_t task, struct diag *d);
void    explain_fini(struct explain *e);
void    explain_print(const struct explain *e, FILE *to);
void    explain_json(const struct explain *e, FILE *to);

/* The names of LACK_ bits: "GPUs and CPUs". */
void    explain_format_lacks(uint32_t lacks, char *buf, size_t cap);

#endif

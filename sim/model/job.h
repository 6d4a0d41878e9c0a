/*
 * job.h -- jobs and their tasks: what a trace says of them, and their live state.
 * Layer: model.
 *
 * Slots are recycled, so memory follows live jobs and not the trace's length;
 * a handle {slot, gen} goes stale when its slot is free again.  `ordinal` is
 * the job's place in arrival order (ties in trace order) and never recycled.
 */
#ifndef MODEL_JOB_H
#define MODEL_JOB_H

#include "core/act.h"
#include "model/calls/calls.h"
#include "model/cluster/shape.h"

/* A run of identical tasks within a job. */
struct task_group {
    struct shape shape;
    uint32_t n;                 /* tasks, >= 1 */
    sim_tick dur;               /* of each, at nominal speed; 0 is allowed */
    int64_t  mem_bw;            /* bytes/s of memory that each moves with all its cores; 0: unknown, or its profile's */
};

/* What a task reads: a named block, or what an earlier task of the job wrote. */
struct task_input { uint32_t block;     /* id in the run's data; NONE: the output of ... */
                    uint32_t task;      /* ... this task of the job (its index) */
                    int64_t  part; };   /* bytes of its own that this task wrote for it; 0: all that it writes */

/*
 * Inputs, outputs and order of a job's tasks; absent for most jobs.  Tasks in
 * index order; CSR arrays: of task k, in[in_start[k] .. in_start[k+1]), and the
 * tasks that must end before it after[after_start[k] .. after_start[k+1]).
 * Reading a task's output implies that order; it need not be given again.
 */
struct task_graph {
    const uint32_t *in_start;    const struct task_input *in;
    const uint32_t *after_start; const uint32_t *after;
    const int64_t  *out;        /* [n_tasks] bytes that the task writes, to its node; 0: none */
};

/*
 * What a user told of a training job's needs, see the multi-queue policy.  Bits of `told`; the figures: 0 if none was
 * given, and then the user's word is all there is.
 */
enum { HINT_PIPELINED = 1, HINT_HEAVY_WEIGHTS = 2, HINT_COMPLEX_CPU = 4 };
struct hints { uint32_t told; int64_t weights, work_us; };      /* thousands of weights; CPU time for one example */

/*
 * What the trace says became of a job where it ran, on the clock of `submit`.  All zero: it says nothing.
 * nodes: their names joined by ','.
 */
struct job_past {
    bool is_known;
    sim_tick start, end;
    const char *nodes, *state;
}; /* end -1, others NULL: unknown */

/*
 * A gang that may run on other numbers of its tasks than it asks.  max 0: it may not.  scaling: how fast it goes
 * then, an id in the scalings of the run's profiles.
 */
struct elastic { uint32_t min, max, scaling; };

/* What interrupting a job costs, where that is its own. */
struct own_cost { bool is_own; sim_tick cost; };

/* One job as a source delivers it.  Strings and groups are borrowed until the next call. */
struct job_spec {
    const char *id;             /* unique within the trace */
    const char *user, *queue, *model;   /* NULL: none; model names a throughput row */
    const char *klass;          /* NULL: derived, see job_class */
    sim_tick submit;            /* >= 0 and not before the previous job's */
    sim_tick limit;             /* the user's estimate or limit, -1: none given */
    sim_tick recorded;          /* how long a run of it took that its file tells of; 0: unknown */
    struct job_past past;       /* when it was started, where, and how that ended */
    int32_t  priority;
    bool     gang;              /* all tasks start together, and run at the slowest's speed */
    struct hints hints;
    struct own_cost restore;    /* in place of the run's restore_cost */
    struct elastic elastic;     /* of a gang of one group alone, min <= its tasks <= max */
    /* What it waits for before it is eligible (dependency.h); NULL: nothing.  Never of a bound job or one of calls. */
    const char *after;
    bool     is_named;          /* a job behind it in the source waits for it */
    const char *node;           /* bound: its tasks run there from its arrival on, whatever the policy; NULL: none */
    uint32_t line;              /* in the trace, for diagnostics; 0 unknown */
    uint32_t user_number;       /* from 1, of the names that its source has as users; 0: it does not number them */
    const struct task_group *group;     /* [n_groups]; groups of a gang job have equal dur */
    uint32_t n_groups;
    const struct task_graph *graph;     /* NULL: no data, no order; never for a gang */
    const struct task_calls *calls;     /* NULL: its tasks just compute; else never a gang, and dur the sum
                                         * of the best times of a task's calls */
};

/* Blocked: others must end first; spare: of an elastic job, beyond the number of its tasks for now. */
enum task_state { TASK_BLOCKED, TASK_WAITING, TASK_RUNNING, TASK_DONE, TASK_SPARE };
/* Of a running task, in this order; one on cards without what it asks only fails. */
enum task_phase { PHASE_FAIL, PHASE_RESTORE, PHASE_READ, PHASE_COMPUTE, PHASE_WRITE };

struct task {
    /* Which it is. */
    uint32_t job;               /* slot */
    uint32_t next;              /* next task of the job, NONE at the end */
    uint32_t index;             /* in the job, from 0 */
    uint32_t gen;
    bool     is_live;           /* the slot is in use */

    /* What it asks. */
    uint32_t shape;             /* id among the world's shapes */
    sim_tick dur;
    int64_t  mem_bw;            /* as its group has it */

    /* How far it is. */
    uint8_t  state, phase;      /* enum task_state, enum task_phase */
    uint8_t  model_phase;       /* of a lead: the phase of its model in which it is, or goes on (phases.h) */
    bool     restores;          /* this attempt spent, or spends, time on restoring first */
    uint32_t attempts;          /* starts so far */
    sim_tick ready_at;          /* when it last became ready to start */
    sim_tick started_at;        /* of the present attempt */
    sim_tick attained;          /* running time of earlier attempts, kept or lost */
    sim_work done;              /* progress that a restart keeps */
    struct act act;             /* a gang job's lives in its first task */
    uint32_t input;             /* number of the input being read */
    uint32_t flow;              /* shared network: the transfer under way; NONE */

    struct reservations_loan *loan;     /* what it borrows of a reservation, owned; NULL: nothing */
};

enum job_status { JOB_LIVE, JOB_DONE, JOB_TIMEOUT, JOB_REJECTED, JOB_UNFINISHED, JOB_FAILED,
                  JOB_NEVER_ELIGIBLE };     /* what it waited for can never come about */

/* A job's past, kept while it lives.  node [n_nodes]: those of them that the cluster has. */
struct job_record { sim_tick start, end; char *state; uint32_t n_nodes, *node; };

/* Of a job that waits for others, kept while it lives. */
struct job_after {
    char *text;                 /* what for */
    sim_tick submitted;
    bool is_eligible;           /* it waits for them no longer */
    const char *last;           /* id of the job that let it go, or made that impossible; NULL: none was left */
};

struct job {
    /* Which it is, and whose. */
    uint64_t ordinal;
    char    *id;                /* owned */
    size_t   cap_id;            /* its room, which stays with the slot */
    uint32_t gen, line;
    uint32_t user, queue, model, klass;     /* ids among the world's names; queue, model: NONE when absent */
    bool     is_live;

    /* What its user said. */
    sim_tick submit, limit;     /* submit: when it became eligible; limit -1: none */
    int32_t  priority;
    struct hints hints;
    struct own_cost restore;
    bool     gang;
    uint32_t named;             /* its number among jobs that others wait for; NONE: none does */

    struct elastic elastic;

    /* What it asks in all. */
    uint32_t first_task, n_tasks;       /* of an elastic job n_tasks is how many it has now */
    uint32_t n_asked;           /* tasks as its user asked: n_tasks, unless it is elastic */
    uint32_t first_spare;       /* tasks beyond n_tasks, in order of index; NONE */
    int32_t  n_gpu_total;       /* cards over all its tasks, a share counting as the card it is on */
    int32_t  n_gpu_at_once;     /* the most that start together: over a gang, else of one task */
    int64_t  gpu_milli_total;   /* thousandths of cards over all its tasks */
    int64_t  cpu_milli_total;   /* over all its tasks */
    sim_tick nominal;           /* longest dur of its tasks, or chain of them: computing alone at nominal speed */

    /* How far it is. */
    uint8_t  status;            /* enum job_status */
    bool     timed_out, mismatched;
    uint32_t n_blocked, n_waiting, n_running, n_done;       /* tasks */
    sim_tick first_start;       /* -1 until it starts */
    sim_tick end;               /* -1 until it ended */
    sim_tick ran, ran_since;    /* time during which any task of it ran, up to ran_since while one runs */
    sim_tick lost;              /* nominal work thrown away by interruptions, summed over tasks, us */
    uint32_t n_preempted, n_failed;         /* interruptions: by the policy, by a node */
    uint32_t n_scaled;          /* changes of its size while it ran */

    /* What only some have; owned. */
    struct graph *graph;        /* NULL: no data, no order */
    struct calls *calls;        /* NULL: its tasks just compute */
    struct reservation *reservation;        /* NULL: nothing is reserved for it */
    struct job_after *after;    /* NULL: it waits for no job */
    struct job_record *record;  /* NULL: the trace does not say when it started */
};

struct job_table {
    struct job  *job;  size_t cap_job;   uint32_t n_job_slots;   uint32_t *free_job;  size_t cap_free_job;  uint32_t n_free_job;
    struct task *task; size_t cap_task;  uint32_t n_task_slots;  uint32_t *free_task; size_t cap_free_task; uint32_t n_free_task;
    uint32_t n_live, peak_live;          /* jobs */
};

void     jobs_fini(struct job_table *t);        /* zero-initialise to begin */
/*
 * A new job with its tasks, waiting or blocked; returns its slot.  May move
 * both arrays.  Takes `graph` (NULL: none).
 */
uint32_t jobs_add(struct job_table *t, const struct job_spec *s, uint64_t ordinal, struct shapes *shapes, struct graph *graph);
/* Handles to it go stale, and its tasks let go of their shapes, which jobs_add had them hold. */
void     jobs_release(struct job_table *t, uint32_t job, struct shapes *shapes);
/* An elastic job that waits has so many tasks from now on.  O(its max). */
void     jobs_set_size(struct job_table *t, uint32_t job, uint32_t n);

/* The task whose activity drives this one: the first of its gang, or itself. */
static inline uint32_t jobs_lead(const struct job_table *t, uint32_t task)
{
    const struct job *j = &t->job[t->task[task].job];
    return j->gang ? j->first_task : task;
}

/* Visit the unit of lead task `lead`: all tasks k of a gang, else the task alone. */
#define JOBS_UNIT_EACH(t, lead, k) \
    for (uint32_t k = (lead), gang_ = (t)->job[(t)->task[lead].job].gang; k != NONE; k = gang_ ? (t)->task[k].next : NONE)

/* A task's place among the events of one instant, and its own name in random streams: job order, then task order. */
enum { JOBS_INDEX_BITS = 20 };  /* a job has fewer tasks than 2 to this */
static inline uint64_t jobs_order(const struct job_table *t, uint32_t task)
{
    const struct task *k = &t->task[task];
    return t->job[k->job].ordinal << JOBS_INDEX_BITS | k->index;
}

/*
 * cpu, single or multi (`multi_from` cards and more), by the cards that start together: what a policy
 * decides on at once, so that a job is of the class in which it was queued.  A share counts as its card.
 */
enum { JOB_MULTI_FROM = 4 };    /* unless a scenario says otherwise (S0-1) */
enum job_class { JOB_CPU, JOB_SINGLE, JOB_MULTI, JOB_CLASSES };
extern const char *const job_class_name[JOB_CLASSES];
enum job_class job_class(const struct job *j, uint32_t multi_from);

#endif

/*
 * world_priv.h -- the world's members, and what its files share: event slots,
 * notices, facts of the digest, and the steps of a unit's life.  Layer: model, private.
 *
 * world.c          beginning and end, events, rounds
 * world_arrival.c  jobs arrive
 * world_after.c    jobs that wait for others before they arrive
 * world_node.c     nodes fail and return
 * world_unit.c     a unit starts, goes from phase to phase, ends, is interrupted
 * world_data.c     a task reads its inputs, writes its output, unblocks others
 * world_calls.c    queues and calls of tasks that are made of calls
 * world_reserve.c  reservations and loans
 * world_scale.c    elastic jobs change their size
 * world_view.c     what others may read
 * world_audit.c    what must hold
 */
#ifndef MODEL_WORLD_PRIV_H
#define MODEL_WORLD_PRIV_H

#include "base/mem.h"
#include "model/dependency.h"
#include "model/graph.h"
#include "model/world.h"

/* Members of struct observer behind its ctx, up to `sample` pointers to functions, by number. */
#define OBSERVER_MEMBER(member) ((offsetof(struct observer, member) - sizeof(void *)) / sizeof(void (*)(void)))
enum { OBSERVER_MEMBERS = OBSERVER_MEMBER(sample) + 1 };

/* Who listens to a member, in the order in which they came; tell has that member's type. */
struct world_listeners { struct listener { void (*tell)(void); void *ctx; } *at; size_t n, cap; };

/* Jobs come from here, one read ahead of its arrival. */
struct world_arrivals {
    struct source source;
    struct job_spec next;       bool has_next, ended;   /* ended: the source has no more */
    uint64_t ordinal;           /* of the next that is eligible */
    uint64_t n_submitted;       /* of the source's jobs */
    uint32_t *user;             size_t cap_user;    /* by its number of a user: our id + 1; 0: none yet */
    uint32_t klass[JOB_CLASSES];                    /* id + 1 of those that are derived; 0: none yet */
};

/* What a round is made of. */
struct world_round {
    struct decider decider;
    struct notice *notice;      size_t n_notice, cap_notice;    /* what happened since the decider was last told */
    struct notice *told;        size_t cap_told;                /* what it is being told */
    uint32_t *ended;            size_t n_ended, cap_ended;      /* jobs to release after the round */
};

struct world_timers { sim_tick *at; size_t cap; uint32_t n, n_busy; };  /* by timer slot; -1 free */

struct world {
    /* As world_front has them. */
    struct job_table jobs;
    struct evloop    loop;
    struct cluster  *cluster;
    struct shapes    shapes;

    struct world_config cfg;
    struct world_arrivals arrivals;
    struct world_round round;
    struct world_timers timers;

    /* The state of what is modelled. */
    struct intern    users, queues, classes;
    uint32_t        *user_jobs; size_t cap_user_jobs;   /* in the system, by user */
    uint32_t         engine_types;      /* that some node has, as bits */
    uint64_t         types_of_none;     /* throughput_types of a job without a model */

    /* The parts that it is composed of; none of them knows it. */
    struct fault_gen faults;
    struct speed    *speed;
    struct net      *net;               /* NULL in nominal mode */
    uint32_t        *flow_task; size_t cap_flow_task;   /* the task that reads or writes through a flow of it */
    struct reservations reservations;
    struct dependency_queue *dependencies;  /* of jobs on others */
    uint32_t n_dependents, n_due;       /* jobs that wait for others, and of these those with an event ahead */
    struct call_queue *calls;           /* NULL without cfg.calltime */

    /* What others are told and ask. */
    struct world_listeners listeners[OBSERVER_MEMBERS];
    struct world_count count;
    uint32_t         n_running, n_waiting;      /* tasks */
    bool             is_stuck;          /* nothing is left to happen and tasks wait, which the decider may do */
    struct diag      fail;              /* an error met while applying events */
};

_Static_assert(offsetof(struct world, jobs) == offsetof(struct world_front, jobs) &&
               offsetof(struct world, loop) == offsetof(struct world_front, loop) &&
               offsetof(struct world, cluster) == offsetof(struct world_front, cluster) &&
               offsetof(struct world, shapes) == offsetof(struct world_front, shapes), "a world begins as its front");

/*
 * Event slots, families interleaved so that each grows without moving the
 * others: what a unit is doing, its limit, a node's next fault or repair, a
 * transfer, the rest (arrival, sample, timers), and a job that waits for others.
 */
enum { SLOT_ACT, SLOT_LIMIT, SLOT_NODE, SLOT_FLOW, SLOT_MISC, SLOT_AFTER, SLOT_FAMILIES };
enum { MISC_ARRIVAL, MISC_SAMPLE, MISC_TIMER0 };

static inline uint32_t ev_slot(uint32_t family, uint32_t i)
{
    SIM_ASSERT(i < NONE / SLOT_FAMILIES);
    return i * SLOT_FAMILIES + family;
}

/* Tell every observer that listens to `member`, in order; the world is the first argument.  None comes meanwhile. */
#define TELL_EACH(w, member, ...) \
    do { const struct world_listeners *all_ = &(w)->listeners[OBSERVER_MEMBER(member)]; \
         const struct listener *o_ = all_->at; \
         for (size_t left_ = all_->n; left_ > 0; left_--, o_++) \
             ((__typeof__(((struct observer *)0)->member))o_->tell)(__VA_ARGS__); } while (0)
#define TELL(w, member, ...) TELL_EACH(w, member, o_->ctx, (w), __VA_ARGS__)
#define TELL0(w, member) TELL_EACH(w, member, o_->ctx, (w))

static inline uint64_t order_of(const struct world *w, uint32_t t) { return jobs_order(&w->jobs, t); }

/* What enters the digest, tagged so that no two facts can be confused.
 * RESIZE with c not 0: a reservation or a loan. */
enum fact { FACT_ARRIVE = 1, FACT_START, FACT_STOP, FACT_JOB_END, FACT_NODE, FACT_RESIZE, FACT_CALLS, FACT_MEMORY };
static inline void world_fold(struct world *w, enum fact fact, uint64_t a, uint64_t b, uint64_t c)
{
    evloop_fold(&w->loop, (uint64_t)fact ^ (uint64_t)w->loop.now << 3);
    evloop_fold(&w->loop, a);
    evloop_fold(&w->loop, b);
    evloop_fold(&w->loop, c);
}
static inline void world_notify(struct world *w, enum notice_type type, uint32_t job, uint32_t task, uint32_t node)
{
    MEM_PUSH(w->round.notice, w->round.n_notice, w->round.cap_notice,
             (struct notice){ .type = type, .job = job, .task = task, .node = node });
}
void world_end_job(struct world *w, uint32_t job, enum job_status status);
/* An event of the world's own: of SLOT_MISC. */
void world_set_event(struct world *w, uint32_t misc, sim_tick at, uint64_t subject, enum ev_class cls);

/* Slots to be taken in an order that hangs on nothing but jobs and tasks. */
struct world_slot { uint64_t order; uint32_t slot; };
void world_sort(struct world_slot *slot, size_t n);

static inline struct task *task_at(struct world *w, uint32_t t) { return &w->jobs.task[t]; }
static inline struct job  *job_of(struct world *w, uint32_t t) { return &w->jobs.job[w->jobs.task[t].job]; }

static inline uint32_t unit_lead(const struct world *w, uint32_t t) { return jobs_lead(&w->jobs, t); }
#define UNIT_EACH(w, t, k) JOBS_UNIT_EACH(&(w)->jobs, t, k)

static inline sim_work total_work(const struct task *t) { return (sim_work)t->dur << RATE_BITS; }

/* ---- world_arrival.c ---- */
void world_arrival_fetch(struct world *w);      /* read one job ahead and arm its arrival */
void world_arrival_arm(struct world *w);        /* a job ended, and a closed loop may let in the next */
void world_arrival_due(struct world *w);       /* its time has come */

/* It is in the system: told of, and then it waits; or it ends with that status at once. */
void world_arrival_enter(struct world *w, uint32_t job, enum job_status status);

/* ---- world_after.c ---- */
void world_after_init(struct world *w);
void world_after_named(struct world *w, uint32_t job);          /* submitted, and others wait for it */
void world_after_submit(struct world *w, uint32_t job, const struct job_spec *s);       /* it waits for others */
void world_after_due(struct world *w, uint32_t k);              /* dependent k goes, or never will */
void world_after_flush(struct world *w);                        /* the run ends: all that wait arrive */
static inline void world_after_started(struct world *w, const struct job *j)
{
    if (j->named != NONE) dependency_queue_started(w->dependencies, j->named, w->loop.now);
}
static inline void world_after_ended(struct world *w, const struct job *j)
{
    if (j->named != NONE) dependency_queue_ended(w->dependencies, j->named, j->status == JOB_DONE, w->loop.now);
}
/* It was submitted, and no policy knows of it yet. */
static inline bool world_after_waits(const struct job *j) { return j->after != NULL && !j->after->is_eligible; }

/* ---- world_node.c ---- */
void world_node_arm(struct world *w, uint32_t node);    /* its next fault or repair */
void world_node_turn(struct world *w, uint32_t node, bool up);

/* ---- world_audit.c ---- */
void world_audit(const struct world *w);

/* ---- world_unit.c: t is a unit's lead task ---- */
sim_work world_unit_progress(const struct world *w, const struct task *t);    /* computing done */
void world_unit_phase_over(struct world *w, uint32_t t);      /* its activity came to an end */
void world_unit_compute(struct world *w, uint32_t t);         /* reading is over */
void world_unit_finish(struct world *w, uint32_t t, enum stop_reason reason);
void world_unit_interrupt(struct world *w, uint32_t t, enum stop_reason reason);
void world_unit_leave(struct world *w, uint32_t t, enum stop_reason reason);  /* the same, told to nobody: it waits, with what it keeps */
/* Places for all tasks of a gang that waits, all or none; then it starts there. */
enum pol_refusal world_unit_allocate(struct world *w, uint32_t t, const struct world_place *p);
void world_unit_go(struct world *w, uint32_t t);
void world_unit_abandon(struct world *w, uint32_t t);         /* the horizon */

/* ---- world_scale.c: jobs whose number of tasks may change ---- */
/* May the job run on n of its tasks?  POL_OK, or why not. */
enum pol_refusal world_scale_may(const struct world *w, uint32_t job, uint32_t n);
/* Before an elastic job comes in: do the scalings of its model's phases know its sizes?  False: w->fail says what not. */
bool world_scale_check(struct world *w, const struct job_spec *s, uint32_t model);
void world_scale_set(struct world *w, uint32_t job, uint32_t n);        /* it waits, and has n tasks from now on */
void world_scale_tell(struct world *w, uint32_t job, uint32_t was);     /* that it had another number of tasks before */
/* Time that the elastic unit, which just got its places, spends before it computes; -1: no scaling says so. */
sim_tick world_scale_restart(const struct world *w, uint32_t t);
/* Has the scaling of the elastic unit, which has places, a cost of a restart of its own? */
bool world_scale_has_restart(const struct world *w, uint32_t t);
static inline sim_tick world_restore_cost(const struct world *w, const struct job *j)
{
    return j->restore.is_own ? j->restore.cost : w->cfg.restore_cost;
}
void world_scale_audit(const struct world *w, uint32_t job);

/* ---- world_data.c: t is a running task of a job with a graph ---- */
void world_data_read(struct world *w, uint32_t t);            /* begin to read; ends in world_unit_compute */
void world_data_write(struct world *w, uint32_t t);           /* begin to write; ends in world_unit_finish */
void world_data_step_over(struct world *w, uint32_t t);       /* a nominal transfer is through */
void world_data_flow_over(struct world *w, uint32_t flow);    /* a shared one */
void world_data_stop(struct world *w, uint32_t t);            /* interrupted: what was under way was in vain */
void world_data_audit(const struct world *w, uint32_t t);     /* it computes or writes: what it read was there */
void world_data_unblock(struct world *w, uint32_t t, uint32_t node);  /* t ended on node: its output lies there */

/* ---- world_calls.c: t is a task of calls ---- */
void world_calls_arrive(struct world *w, uint32_t job);         /* its tasks begin to wait, or are blocked */
enum pol_refusal world_calls_may_start(const struct world *w, uint32_t t, uint32_t node);
void world_calls_unqueue(struct world *w, uint32_t t);          /* it starts */
void world_calls_forget(struct world *w, uint32_t job);         /* over with tasks that still wait, or rejected */
void world_calls_over(struct world *w, uint32_t t);             /* its call came to an end */
void world_calls_stop(struct world *w, uint32_t t);             /* interrupted: the call under way is lost */
void world_calls_node_down(struct world *w, uint32_t node);     /* queue and calls of a node that fails */
void world_calls_audit(const struct world *w);

#endif

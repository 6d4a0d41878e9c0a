/*
 * state.h -- the state of the policy `slurm`, and what its files ask of each other.
 *
 * Times with _s are whole seconds since 1970 of the daemon's clock, as slurmctld keeps them;
 * with _us the simulator's.
 */
#ifndef POL_SLURM_STATE_H
#define POL_SLURM_STATE_H

#include "lib/sched/sched.h"
#include "lib/util.h"
#include "slurm/config.h"
#include "slurm/nodeset.h"

enum { PARTS_MAX = 8 };

/* Of a unit, by its id.  What is of the job is the same in all its units. */
struct slurm_job {
    uint32_t part[PARTS_MAX], n_parts;  /* partitions that it may run in */
    int32_t  qos, assoc;                /* CONFIG_NONE: none */
    int64_t  nice, submit_s, limit_s;   /* limit_s -1: none was given */
    int64_t  came_us;                   /* since when it waits */
    double   priority[PARTS_MAX];       /* of each partition */
    struct slurm_tres tres;             /* of all its tasks; node: at least so many */
    const char *held;                   /* why it can not run in any of them, NULL: it can */
    uint8_t  held_in; bool is_array;    /* held_in: bits of the partitions in which it can not */
    /* while it runs */
    uint32_t in;                        /* partition */
    int64_t  start_s, end_s;            /* end_s: by its limit */
    double   billing; int64_t billed_s; /* what it uses up, and until when that was booked */
    int64_t  planned_s;                 /* by the last backfill, 0: not */
};

struct slurm_record { uint32_t unit, k; };      /* a unit in its k-th partition */

/* Nodes that are alike while nothing runs there; idle: those on which nothing does. */
struct slurm_kind { uint64_t *all, *idle; uint32_t first; int64_t cpu; };
struct slurm_fitting {
    struct slurm_kind *kind; uint32_t n_kinds;
    uint64_t *others;                   /* nodes of no kind */
    uint64_t seen;                      /* touches of the plan that `idle` knows of */
    /* The last question: the nodes on which the unit fits, and the CPU that counts there. */
    uint32_t unit; bool is_exclusive;
    uint64_t *at;
    struct slurm_kind **met; uint32_t n_met;    /* whose idle nodes are among them, all with the CPU of the kind */
    int64_t *cpu;                       /* [n_nodes] of other nodes */
};

/* Neighbours of one weight on which a job fits; n is 0 once it was tried. */
struct slurm_run { uint32_t first, n; int64_t cpu; uint64_t weight; };
struct slurm_chosen { uint32_t node; int64_t used; };
struct slurm_select {
    uint64_t *at; uint32_t n;           /* nodes that the unit may be placed on */
    struct slurm_run *run; size_t cap_run; uint32_t n_runs;
    struct slurm_chosen *chosen; size_t cap_chosen; uint32_t n_chosen;
    uint64_t *nodes;                    /* the set of those chosen */
    uint64_t *begins;                   /* nodes whose weight is not that of the one before */
};

/* The future as backfill plans it: nodes that nobody has reserved, from begin_s to end_s. */
struct slurm_span { int64_t begin_s, end_s; uint64_t *free; };

/* When a job of this class can start on these nodes as things are.  asked: a set, behind it the one found; owned. */
struct slurm_answer { uint64_t state, class_serial, *asked; int64_t start_s; uint32_t part; int what; };

struct slurm_count { uint32_t a, b; int64_t n; };       /* of pairs of small numbers */

enum slurm_round { ROUND_NONE, ROUND_MAIN, ROUND_BACKFILL, ROUND_PRIORITIES };
struct slurm_recorded { int64_t at_us; enum slurm_round round; bool full; uint64_t *clearing; };   /* NULL: no nodes */

struct slurm_clear { int64_t at_us; uint32_t node; };   /* the node is clear of an ended job from then on */

/* Nodes kept for users, accounts, or both: for those named, or with `not_` for all others; NULL: for any. */
struct slurm_resv {
    const char *users, *accounts; bool not_users, not_accounts;
    int64_t begin_s, end_s;
    uint64_t *nodes;            /* a set, owned */
};

/* When rounds are held; times of the simulator, but for those with _s. */
struct slurm_clock {
    int64_t phase_us;                   /* of the background thread */
    int64_t asked_us, last_s, last_full_s;
    bool    is_asked, is_dirty, ends_at_once;   /* is_dirty: something changed since the last backfill */
    int64_t bf_us, calc_us;             /* when the backfill thread looks next; when priorities are next worked out */
    int64_t booked_s;                   /* until when usage decayed; 0: it never did */
    int64_t passed_us;                  /* rounds before this are over */
    struct slurm_clear *clear; size_t cap_clear; uint32_t n_clears, i_clear;
    struct slurm_recorded *round; size_t cap_round; uint32_t n_rounds, i_round;
};

struct slurm {
    struct sched sched;
    struct slurm_conf conf;
    struct { int64_t epoch_us, tick_us, clearing_us, bf_length_us; bool by_node; } param;
    struct slurm_job *job; size_t cap_job;
    struct slurm_record *order; size_t cap_order; uint32_t n_order;     /* waiting, by priority; some started since */
    uint32_t n_waiting;
    uint64_t *up; bool knows_up;        /* nodes that are up, of this decision; knows: only changes are to be noted */
    uint64_t *clearing;                 /* nodes that are not clear of an ended job yet */
    struct slurm_fitting fit;
    struct slurm_select select;
    struct slurm_clock clock;
    /* by end_s; those before `first` are over */
    struct { struct slurm_resv *at; size_t cap; uint32_t n, first; char *text; } resv;
    bool is_in_round, is_changed, has_come;     /* the last two: since the last decision */
    int64_t round_us;                   /* when the last round was held */
    uint32_t n_quiet;                   /* rounds in which nothing runs and nothing starts */
    /* scratch of the rounds */
    uint64_t *avail, *set[5];
    int64_t *later_cpu;                 /* [n_nodes]: of a job that starts, its tasks that are not placed yet */
    bool *failed; size_t cap_failed;
    uint32_t *running; size_t cap_running; uint32_t n_running;          /* by end_s */
    struct slurm_answer *answer; size_t cap_answer;
    uint64_t n_states;                  /* of what runs: an answer of an earlier one is none */
    uint32_t *victim; size_t cap_victim; uint32_t n_victims;
    struct slurm_span *span; size_t cap_span; uint32_t n_spans;
    struct slurm_count *count; size_t cap_count; uint32_t n_counts;
    struct slurm_record *sorted; size_t cap_sorted;
};

static inline int64_t slurm_now_s(const struct slurm *s, int64_t us) { return (s->param.epoch_us + us) / 1000000; }
static inline int64_t slurm_time_s(const struct slurm *s) { return slurm_now_s(s, s->sched.view->now_us); }
static inline struct slurm_job *slurm_job(const struct slurm *s, uint32_t unit) { return &s->job[unit]; }
static inline const struct request_class *slurm_class(const struct slurm *s, uint32_t unit)
{
    return &s->sched.classes.at[s->sched.units.at[unit].request_class];
}
/* Seconds that a job may run in a partition. */
int64_t slurm_limit_s(const struct slurm *s, uint32_t unit, uint32_t part);
/* Start the unit where the last search placed it. */
void    slurm_start(struct slurm *s, uint32_t unit, uint32_t part, const char *reason);

/* job.c: what a unit that begins to wait asks for. */
void slurm_job_read(struct slurm *s, const struct unit *u, uint32_t unit);
bool slurm_has_licences(const struct slurm *s, uint32_t unit);

/* priority.c */
void slurm_priority(struct slurm *s, uint32_t unit);
/* order.c: who comes first. */
void slurm_order_add(struct slurm *s, uint32_t unit);
void slurm_order_del(struct slurm *s, uint32_t unit);
void slurm_order_sort(struct slurm *s);

/* fitting.c: where the unit's first task fits as the plan is; s->fit until the plan changes. */
const struct slurm_fitting *slurm_fit(struct slurm *s, uint32_t unit, uint32_t part);
void slurm_fitting_end(struct slurm *s);
/* How many of its tasks count on a node on which one fits. */
uint32_t slurm_tasks_on(const struct slurm *s, uint32_t unit, uint32_t node);
/* Of these nodes those that are large enough and have its features, but for cards; that it would fit if idle. */
void slurm_keep_suited(struct slurm *s, uint32_t unit, uint64_t *nodes);
void slurm_keep_possible(struct slurm *s, uint32_t unit, uint64_t *nodes);

/* select.c: where the unit would run among these nodes as the plan is: in sched.place, and as a set in select.nodes. */
bool slurm_select(struct slurm *s, uint32_t unit, uint32_t part, const uint64_t *nodes);
void slurm_select_begin(struct slurm *s);
void slurm_select_end(struct slurm *s);
/* The nodes that it needs at least. */
uint32_t slurm_min_nodes(const struct slurm *s, uint32_t unit);

/* main_loop.c and backfill.c: one round of each. */
void slurm_main_loop(struct slurm *s, bool full);
void slurm_backfill(struct slurm *s);

/* clock.c: begin, then in each decision open, calculates, round until there is none, close, next. */
void slurm_clock_begin(struct slurm *s, int64_t started_us, int64_t bf_us, const char *rounds);
void slurm_clock_end(struct slurm *s);
void slurm_clock_open(struct slurm *s);
void slurm_clock_clears(struct slurm *s, uint32_t unit);       /* the unit ended */
void slurm_clock_close(struct slurm *s);                        /* without `clearing`, who was preempted is gone */
bool slurm_clock_calculates(struct slurm *s);
enum slurm_round slurm_clock_round(struct slurm *s, bool *full);
int64_t slurm_clock_next(const struct slurm *s);

/* reservations.c */
bool slurm_resv_begin(struct slurm *s, const char *reservations, char *error, size_t cap);
void slurm_resv_end(struct slurm *s);
bool slurm_resv_ahead(struct slurm *s);                         /* is there one that has not ended? */
int64_t slurm_resv_free_s(const struct slurm *s, int64_t after_s);      /* when the next ends after then; 0: none */
/* Take those away that are kept from the unit at some time of [from_s, to_s).  True: there were some. */
bool slurm_resv_take(const struct slurm *s, uint32_t unit, int64_t from_s, int64_t to_s, uint64_t *nodes);

/* preempt.c */
bool slurm_preempts(const struct slurm *s, struct slurm_record a, struct slurm_record b);
bool slurm_may_preempt(const struct slurm *s, uint32_t unit, uint32_t part, uint32_t victim);
bool slurm_preempts_any(const struct slurm *s, uint32_t unit, uint32_t part);      /* may it stop anything at all? */
/* As slurm_select, after stopping what must be; the victims are in s->victim, and are released in the plan. */
bool slurm_select_preempting(struct slurm *s, uint32_t unit, uint32_t part, const uint64_t *nodes);

/* limits.c */
const char *slurm_held(struct slurm *s, uint32_t unit, uint32_t part);     /* by the partition; NULL: it may */
bool slurm_held_by_tres(const char *held);      /* rounds look at it, unlike at what a partition does not allow */
enum slurm_limits { LIMITS_JOBS, LIMITS_TRES };         /* on numbers of jobs; on what they ask for */
bool slurm_within_limits(const struct slurm *s, uint32_t unit, uint32_t part, enum slurm_limits what);
void slurm_limits_book(struct slurm *s, uint32_t unit, int sign);

/* fairshare.c */
void slurm_fairshare_round(struct slurm *s);           /* decay, book what ran, and work the factors out */
void slurm_fairshare_book(struct slurm *s, uint32_t unit, int64_t until_s);
double slurm_fairshare(const struct slurm *s, int32_t assoc);

#endif

/*
 * program.h -- how much of its time each job spends on each GPU type: Gavel's objectives as linear programs.
 *
 * Knows no units and no nodes.  A row is a job, or a pair of jobs that share each of their cards; x[row][type] is the
 * fraction of time that the row runs on the type.  Constraints are those of get_base_constraints: no job runs more
 * than all the time over the rows that it is in, and rows use no more cards of a type than there are, each row those
 * of one of its jobs.
 * Source: Narayanan et al., Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning Workloads, OSDI 2020,
 * section 4; the authors' code, github.com/stanford-futuredata/gavel, scheduler/policies.
 */
#ifndef POL_GAVEL_PROGRAM_H
#define POL_GAVEL_PROGRAM_H

#include "lib/lp/lp.h"
#include "lib/util.h"

enum gavel_objective {
    GAVEL_MAX_MIN, GAVEL_MAKESPAN, GAVEL_FINISH_TIME, GAVEL_SUM,
    GAVEL_HIERARCHICAL, GAVEL_HIERARCHICAL_FIFO,        /* in an entity all jobs weigh alike; the first has all */
    GAVEL_ISOLATED, GAVEL_FIFO
};

struct gavel_job {
    double cards;               /* that it holds while it runs */
    double weight;
    double left;                /* seconds at nominal speed */
    double elapsed;             /* seconds since it arrived */
    double alone;               /* seconds in which its share of the cluster would have done what is done */
    double steps;               /* a second at nominal speed */
    uint32_t entity;
    /* Worked out by the program. */
    double base, need;          /* its rate is to be at least base + need x what is maximised */
    double unit;                /* a rate of 1, in the objective's measure */
    bool   is_frozen;
};
struct gavel_row { uint32_t job[2]; };  /* [1] POL_NONE: a job by itself */

struct gavel_program {
    enum gavel_objective objective;
    uint32_t n_types, n_jobs, n_rows, n_entities;
    double *cards, *price;              /* [n_types] of each type: how many there are; what one costs */
    uint64_t *draws;                    /* NULL: of many optima the middle; else one is drawn, and this is the state */
    double *entity_weight; size_t cap_entity;           /* [n_entities] */
    struct gavel_job *job;  size_t cap_job;             /* in order of arrival; row i < n_jobs is job i by itself */
    struct gavel_row *row;  size_t cap_row;
    double *rate;  size_t cap_rate;     /* [n_rows][2][n_types] of each job of the row, 1 is nominal; 0: not there */
    double *x;     size_t cap_x;        /* [n_rows][n_types] out */
    /* scratch */
    struct lp *lp;
    bool is_built;                      /* it holds the floors of this solve for simplex; `raised` is their s */
    uint32_t raised;
    uint32_t *column;  size_t cap_column;               /* [n_rows][n_types] POL_NONE: there is none */
    uint32_t *first_row, *next_row;  size_t cap_first, cap_next;        /* rows that a job is in, as lists */
    uint32_t *index;   size_t cap_index;
    double *value;     size_t cap_value;
    uint32_t *floor_row;  size_t cap_floor;             /* [n_jobs] */
    double *left;      size_t cap_left;                 /* [n_types] cards */
};

void gavel_program_fini(struct gavel_program *p);       /* zero-initialise to begin */
static inline double *gavel_rates(struct gavel_program *p, uint32_t row, uint32_t member)
{
    return &p->rate[((size_t)row * 2 + member) * p->n_types];
}
static inline double *gavel_times(struct gavel_program *p, uint32_t row) { return &p->x[(size_t)row * p->n_types]; }
/* A job's rate with an equal share of the cluster, and x [n_types] with it, or NULL. */
double gavel_program_isolated(const struct gavel_program *p, uint32_t job, double *x);

/* x by the objective; false with error [cap] filled: the solver gave up. */
bool gavel_program_solve(struct gavel_program *p, char *error, size_t cap);

/* Of program.c, for the objectives in files of their own. */
/* The most s with unit x rate >= base + need x s for every job, and x with it. */
bool gavel_program_raise(struct gavel_program *p, enum lp_method method, double *s, char *error, size_t cap);
/*
 * x of what keeps the floors at s, in the middle: that is what the authors' solver finds, who bisect for s; or a corner
 * of it that is drawn.
 */
bool gavel_program_settle(struct gavel_program *p, double s, char *error, size_t cap);
bool gavel_finish_time_solve(struct gavel_program *p, char *error, size_t cap);
bool gavel_water_solve(struct gavel_program *p, char *error, size_t cap);

#endif

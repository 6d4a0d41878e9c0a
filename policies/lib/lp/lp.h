/*
 * lp.h -- linear programs, and those with binary columns: build, solve, read.
 *
 * Knows nothing of clusters, and nothing of the solver behind it shows here: lp.c has it over GLPK 5, and another
 * solver may take its place.
 *
 *     minimise or maximise  sum cost[j] x[j]   subject to  lo[i] <= sum a[i][j] x[j] <= hi[i],  lo[j] <= x[j] <= hi[j]
 *
 * Columns and rows count from 0, in the order in which they were added; rows are sparse.  Bounds may be -INFINITY
 * and INFINITY.  What was solved can be changed and solved again: simplex then goes on from the last basis, which is
 * cheap where only bounds, a few coefficients or costs are others.
 *
 * The same calls in the same order give the same answer to the last bit, on one machine: nothing is drawn, and the
 * clock is looked at only where `seconds` is set.  Limits by iterations and nodes stop at the same point every time;
 * an answer that a time limit cut short is told by lp_met, and may be another on another day.  Nothing is printed.
 * A program that is solved in `decide` is part of the decision's time.
 *
 * Figures that are not numbers make the program LP_FAILED; an index that does not exist, or rows whose lower bound is
 * above the upper one, end the process.  Memory that is lacking ends it with status 3, as elsewhere.
 */
#ifndef POL_LIB_LP_LP_H
#define POL_LIB_LP_LP_H

#include <stdbool.h>
#include <stdint.h>

enum lp_sense { LP_MIN, LP_MAX };

enum lp_method {
    LP_SIMPLEX,         /* a vertex of the optimal face; with binary columns branch and bound over it */
    /*
     * A point inside of the optimal face, as cvxopt's and ECOS' methods find one: what is alike gets alike.  For
     * programs without binary columns; where it does not converge, simplex solves it.  No limits apply.
     */
    LP_INTERIOR
};

enum lp_status {
    LP_OPTIMAL,
    LP_FEASIBLE,        /* a limit was met: the values keep every row, and there may be better ones */
    LP_STOPPED,         /* a limit was met before there were such values */
    LP_INFEASIBLE,
    LP_UNBOUNDED,
    LP_FAILED           /* numerical trouble: there are no values */
};

/* What stopped the last solve. */
enum lp_limit { LP_NO_LIMIT, LP_ITERATIONS, LP_NODES, LP_SECONDS };

/* All zero: simplex without limits, and with binary columns to the proven optimum. */
struct lp_options {
    enum lp_method method;
    uint32_t iterations;        /* of simplex, for a program without binary columns; 0: no limit */
    uint32_t nodes;             /* of branch and bound; 0: no limit */
    double   seconds;           /* of the clock; 0: no limit.  The answer then depends on the machine */
    double   gap;               /* of binary programs: good enough is a relative gap to the bound of so much */
};

struct lp;
struct lp *lp_create(enum lp_sense sense);      /* without columns and rows */
void lp_destroy(struct lp *lp);                 /* NULL: nothing */
void lp_clear(struct lp *lp, enum lp_sense sense);      /* as created anew */

/* Both return the index of what was added. */
uint32_t lp_add_col(struct lp *lp, double lo, double hi, double cost);
uint32_t lp_add_binary(struct lp *lp, double cost);
/* n coefficients a [n] of the columns col [n], no column twice; copied. */
uint32_t lp_add_row(struct lp *lp, double lo, double hi, uint32_t n, const uint32_t *col, const double *a);

/* All of its coefficients. */
void lp_set_row(struct lp *lp, uint32_t row, uint32_t n, const uint32_t *col, const double *a);
void lp_set_row_bounds(struct lp *lp, uint32_t row, double lo, double hi);
void lp_set_col_bounds(struct lp *lp, uint32_t col, double lo, double hi);      /* not of a binary column */
void lp_set_cost(struct lp *lp, uint32_t col, double cost);

uint32_t lp_n_cols(const struct lp *lp);
uint32_t lp_n_rows(const struct lp *lp);

/* options NULL: all zero. */
enum lp_status lp_solve(struct lp *lp, const struct lp_options *options);
enum lp_limit lp_met(const struct lp *lp);

/* Of the last solve, if it was LP_OPTIMAL or LP_FEASIBLE and nothing was changed since. */
double lp_objective(const struct lp *lp);
double lp_value(const struct lp *lp, uint32_t col);
/* What the objective gains for each unit by which the row's bound that holds is moved; not with binary columns. */
double lp_dual(const struct lp *lp, uint32_t row);

const char *lp_status_name(enum lp_status status);

#endif

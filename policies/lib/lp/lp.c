/*
 * lp.c -- linear and binary programs by GLPK.  lp.h says what is promised.
 *
 * GLPK counts rows and columns from 1, and its element 0 of every array is not used.  It keeps one environment a
 * thread, which is given back with the thread's last program.
 * Source: Makhorin, GNU Linear Programming Kit, reference manual for version 5.0 (2020).
 */
#include <glpk.h>
#include <limits.h>
#include <math.h>
#include "lib/lp/lp.h"
#include "lib/util.h"

struct lp {
    glp_prob *prob;
    enum lp_limit met;
    int  kind;                  /* which of GLPK's answers was the last: GLP_SOL, GLP_IPT, GLP_MIP */
    bool is_bad;                /* some figure was not a number */
    bool is_reshaped;           /* rows, columns or coefficients were changed since it was scaled */
    int    *col; size_t cap_col;        /* a row as GLPK wants it */
    double *a;   size_t cap_a;
};

static _Thread_local uint32_t n_programs;

/* GLPK's own complaint: memory, or a wrong call. */
static void gave_up(void *info)
{
    (void)info;
    (void)fprintf(stderr,
                  "fairway: the solver of linear programs gave up: out of memory, or an index that does not exist\n");
    exit(3);
}

static void begin(struct lp *lp, enum lp_sense sense)
{
    glp_set_obj_dir(lp->prob, sense == LP_MAX ? GLP_MAX : GLP_MIN);
    lp->met = LP_NO_LIMIT;
    lp->kind = GLP_SOL;
    lp->is_bad = false;
    lp->is_reshaped = true;
}

struct lp *lp_create(enum lp_sense sense)
{
    struct lp *lp = pol_alloc(1, sizeof *lp);
    if (n_programs++ == 0) {
        (void)glp_term_out(GLP_OFF);
        glp_error_hook(gave_up, NULL);
    }
    lp->prob = glp_create_prob();
    begin(lp, sense);
    return lp;
}

void lp_destroy(struct lp *lp)
{
    if (lp == NULL) return;
    glp_delete_prob(lp->prob);
    if (--n_programs == 0) (void)glp_free_env();
    POL_FREE(lp->col, lp->a, lp);
}

void lp_clear(struct lp *lp, enum lp_sense sense)
{
    glp_erase_prob(lp->prob);
    begin(lp, sense);
}

/* ---- building ---- */

static double number(struct lp *lp, double x)
{
    if (isfinite(x)) return x;
    lp->is_bad = true;
    return 0;
}

static int kind_of_bounds(struct lp *lp, double lo, double hi)
{
    if (isnan(lo) || isnan(hi)) {
        lp->is_bad = true;
        return GLP_FR;
    }
    if (isinf(lo)) return isinf(hi) ? GLP_FR : GLP_UP;
    return isinf(hi) ? GLP_LO : lo < hi ? GLP_DB : GLP_FX;
}

void lp_set_row_bounds(struct lp *lp, uint32_t row, double lo, double hi)
{
    if (lo > hi) gave_up(NULL);
    glp_set_row_bnds(lp->prob, (int)row + 1, kind_of_bounds(lp, lo, hi), lo, hi);
}

void lp_set_col_bounds(struct lp *lp, uint32_t col, double lo, double hi)
{
    if (lo > hi) gave_up(NULL);
    glp_set_col_bnds(lp->prob, (int)col + 1, kind_of_bounds(lp, lo, hi), lo, hi);
}

void lp_set_cost(struct lp *lp, uint32_t col, double cost)
{
    glp_set_obj_coef(lp->prob, (int)col + 1, number(lp, cost));
}

uint32_t lp_add_col(struct lp *lp, double lo, double hi, double cost)
{
    uint32_t col = (uint32_t)glp_add_cols(lp->prob, 1) - 1;
    lp_set_col_bounds(lp, col, lo, hi);
    lp_set_cost(lp, col, cost);
    lp->is_reshaped = true;
    return col;
}

uint32_t lp_add_binary(struct lp *lp, double cost)
{
    uint32_t col = lp_add_col(lp, 0, 1, cost);
    glp_set_col_kind(lp->prob, (int)col + 1, GLP_BV);
    return col;
}

void lp_set_row(struct lp *lp, uint32_t row, uint32_t n, const uint32_t *col, const double *a)
{
    POL_RESERVE(lp->col, lp->cap_col, (size_t)n + 1);
    POL_RESERVE(lp->a, lp->cap_a, (size_t)n + 1);
    for (uint32_t k = 0; k < n; k++) {
        lp->col[k + 1] = (int)col[k] + 1;
        lp->a[k + 1] = number(lp, a[k]);
    }
    glp_set_mat_row(lp->prob, (int)row + 1, (int)n, lp->col, lp->a);
    lp->is_reshaped = true;
}

uint32_t lp_add_row(struct lp *lp, double lo, double hi, uint32_t n, const uint32_t *col, const double *a)
{
    uint32_t row = (uint32_t)glp_add_rows(lp->prob, 1) - 1;
    lp_set_row_bounds(lp, row, lo, hi);
    lp_set_row(lp, row, n, col, a);
    return row;
}

uint32_t lp_n_cols(const struct lp *lp) { return (uint32_t)glp_get_num_cols(lp->prob); }
uint32_t lp_n_rows(const struct lp *lp) { return (uint32_t)glp_get_num_rows(lp->prob); }

/* ---- solving ---- */

static int milliseconds(double seconds)
{
    if (seconds <= 0) return INT_MAX;
    double ms = ceil(seconds * 1e3);
    return ms < INT_MAX ? (int)ms : INT_MAX;
}

/* What simplex found; rc is its return code. */
static enum lp_status by_simplex(struct lp *lp, int rc)
{
    lp->met = rc == GLP_EITLIM ? LP_ITERATIONS : rc == GLP_ETMLIM ? LP_SECONDS : LP_NO_LIMIT;
    int st = glp_get_status(lp->prob);
    if (lp->met != LP_NO_LIMIT && st != GLP_OPT) return st == GLP_FEAS ? LP_FEASIBLE : LP_STOPPED;
    switch (st) {
    case GLP_OPT:    return LP_OPTIMAL;
    case GLP_NOFEAS: return LP_INFEASIBLE;
    case GLP_UNBND:  return LP_UNBOUNDED;
    default:         return glp_get_dual_stat(lp->prob) == GLP_NOFEAS && st == GLP_FEAS ? LP_UNBOUNDED : LP_FAILED;
    }
}

static enum lp_status simplex(struct lp *lp, const struct lp_options *o)
{
    glp_smcp p;
    glp_init_smcp(&p);
    p.msg_lev = GLP_MSG_OFF;
    p.it_lim = o->iterations && o->iterations < INT_MAX ? (int)o->iterations : INT_MAX;
    p.tm_lim = milliseconds(o->seconds);
    if (lp->is_reshaped) {
        glp_scale_prob(lp->prob, GLP_SF_AUTO);
        lp->is_reshaped = false;
    }
    lp->kind = GLP_SOL;
    int rc = glp_simplex(lp->prob, &p);
    enum lp_status st = by_simplex(lp, rc);
    if (st != LP_FAILED) return st;
    /* The last basis was singular, or led astray: from the beginning, and with presolving. */
    glp_std_basis(lp->prob);
    p.presolve = GLP_ON;
    rc = glp_simplex(lp->prob, &p);
    return rc == GLP_ENOPFS ? LP_INFEASIBLE : rc == GLP_ENODFS ? LP_UNBOUNDED : by_simplex(lp, rc);
}

static bool interior(struct lp *lp)
{
    glp_iptcp p;
    glp_init_iptcp(&p);
    p.msg_lev = GLP_MSG_OFF;
    p.ord_alg = GLP_ORD_AMD;
    lp->kind = GLP_IPT;
    return glp_interior(lp->prob, &p) == 0 && glp_ipt_status(lp->prob) == GLP_OPT;
}

struct nodes { uint32_t most; bool is_met; };

static void count_nodes(glp_tree *tree, void *info)
{
    struct nodes *nodes = info;
    int total = 0;
    glp_ios_tree_size(tree, NULL, NULL, &total);
    if (nodes->most == 0 || (uint32_t)total <= nodes->most) return;
    nodes->is_met = true;
    glp_ios_terminate(tree);
}

static enum lp_status branch_and_bound(struct lp *lp, const struct lp_options *o)
{
    struct nodes nodes = { .most = o->nodes };
    glp_iocp p;
    glp_init_iocp(&p);
    p.msg_lev = GLP_MSG_OFF;
    p.presolve = GLP_ON;
    p.tm_lim = milliseconds(o->seconds);
    p.mip_gap = o->gap;
    p.cb_func = count_nodes;
    p.cb_info = &nodes;
    lp->kind = GLP_MIP;
    int rc = glp_intopt(lp->prob, &p);
    lp->met = nodes.is_met ? LP_NODES : rc == GLP_ETMLIM ? LP_SECONDS : LP_NO_LIMIT;
    if (rc == GLP_ENOPFS) return LP_INFEASIBLE;
    if (rc == GLP_ENODFS) return LP_UNBOUNDED;
    switch (glp_mip_status(lp->prob)) {
    case GLP_OPT:    return LP_OPTIMAL;
    case GLP_FEAS:   return rc == GLP_EMIPGAP ? LP_OPTIMAL : LP_FEASIBLE;
    case GLP_NOFEAS: return LP_INFEASIBLE;
    default:         return lp->met != LP_NO_LIMIT ? LP_STOPPED : LP_FAILED;
    }
}

enum lp_status lp_solve(struct lp *lp, const struct lp_options *options)
{
    static const struct lp_options none;
    const struct lp_options *o = options != NULL ? options : &none;
    lp->met = LP_NO_LIMIT;
    if (lp->is_bad) return LP_FAILED;
    if (glp_get_num_bin(lp->prob) > 0) return branch_and_bound(lp, o);
    if (o->method == LP_INTERIOR && interior(lp)) return LP_OPTIMAL;
    return simplex(lp, o);
}

enum lp_limit lp_met(const struct lp *lp) { return lp->met; }

/* ---- the answer ---- */

double lp_objective(const struct lp *lp)
{
    return lp->kind == GLP_MIP ? glp_mip_obj_val(lp->prob) :
           lp->kind == GLP_IPT ? glp_ipt_obj_val(lp->prob) : glp_get_obj_val(lp->prob);
}

double lp_value(const struct lp *lp, uint32_t col)
{
    int j = (int)col + 1;
    return lp->kind == GLP_MIP ? glp_mip_col_val(lp->prob, j) :
           lp->kind == GLP_IPT ? glp_ipt_col_prim(lp->prob, j) : glp_get_col_prim(lp->prob, j);
}

double lp_dual(const struct lp *lp, uint32_t row)
{
    int i = (int)row + 1;
    return lp->kind == GLP_IPT ? glp_ipt_row_dual(lp->prob, i) : glp_get_row_dual(lp->prob, i);
}

const char *lp_status_name(enum lp_status status)
{
    static const char *const name[] = { "optimal", "feasible", "stopped", "infeasible", "unbounded", "failed" };
    return name[status];
}

/* Linear and binary programs: closed forms, small random ones against every vertex or every choice, and limits. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include "lib/lp/lp.h"

static void near(double got, double want, double within, const char *what)
{
    cr_assert(fabs(got - want) <= within * fmax(1, fabs(want)), "%s: %.12g, expected %.12g", what, got, want);
}

/* max 3x + 5y, x <= 4, 2y <= 12, 3x + 2y <= 18: (2, 6), 36; the last two rows hold. */
static struct lp *textbook(void)
{
    struct lp *lp = lp_create(LP_MAX);
    uint32_t x = lp_add_col(lp, 0, 4, 3), y = lp_add_col(lp, 0, INFINITY, 5);
    lp_add_row(lp, -INFINITY, 12, 1, &y, (double[]){ 2 });
    lp_add_row(lp, -INFINITY, 18, 2, (uint32_t[]){ x, y }, (double[]){ 3, 2 });
    return lp;
}

Test(lp, a_textbook_program_has_its_vertex_and_its_prices)
{
    static const struct lp_options by[] = { { .method = LP_SIMPLEX }, { .method = LP_INTERIOR } };
    for (int k = 0; k < 2; k++) {
        struct lp *lp = textbook();
        cr_assert_eq(lp_solve(lp, &by[k]), LP_OPTIMAL);
        near(lp_objective(lp), 36, 1e-6, "objective");
        near(lp_value(lp, 0), 2, 1e-6, "x");
        near(lp_value(lp, 1), 6, 1e-6, "y");
        near(lp_dual(lp, 0), 1.5, 1e-6, "price of the first row");
        near(lp_dual(lp, 1), 1, 1e-6, "price of the second row");
        cr_assert_eq(lp_met(lp), LP_NO_LIMIT);
        lp_destroy(lp);
    }
}

Test(lp, a_changed_program_is_solved_anew)
{
    struct lp *lp = textbook();
    cr_assert_eq(lp_solve(lp, NULL), LP_OPTIMAL);
    lp_set_row_bounds(lp, 1, -INFINITY, 12);            /* 3x + 2y <= 12: y 6, x 0 */
    cr_assert_eq(lp_solve(lp, NULL), LP_OPTIMAL);
    near(lp_objective(lp), 30, 1e-9, "fewer on the right");
    lp_set_cost(lp, 0, 9);                              /* x 4, y 0 */
    cr_assert_eq(lp_solve(lp, NULL), LP_OPTIMAL);
    near(lp_objective(lp), 36, 1e-9, "another cost");
    lp_set_col_bounds(lp, 0, 1, 2);                     /* x 2, y 3 */
    cr_assert_eq(lp_solve(lp, NULL), LP_OPTIMAL);
    near(lp_objective(lp), 33, 1e-9, "bounds of a column");
    lp_set_row(lp, 1, 1, (uint32_t[]){ 1 }, (double[]){ 4 });   /* y <= 3 */
    cr_assert_eq(lp_solve(lp, NULL), LP_OPTIMAL);
    near(lp_objective(lp), 33, 1e-9, "coefficients of a row");
    lp_clear(lp, LP_MIN);
    cr_assert(lp_n_cols(lp) == 0 && lp_n_rows(lp) == 0);
    lp_add_col(lp, -3, INFINITY, 2);
    cr_assert_eq(lp_solve(lp, NULL), LP_OPTIMAL);
    near(lp_objective(lp), -6, 1e-9, "begun anew, without rows");
    lp_destroy(lp);
}

Test(lp, what_has_no_answer_says_so)
{
    for (int k = 0; k < 2; k++) {
        struct lp_options o = { .method = k ? LP_INTERIOR : LP_SIMPLEX };
        struct lp *lp = lp_create(LP_MAX);
        uint32_t x = lp_add_col(lp, 0, INFINITY, 1), y = lp_add_col(lp, 0, INFINITY, 1);
        uint32_t row = lp_add_row(lp, -INFINITY, 1, 2, (uint32_t[]){ x, y }, (double[]){ 1, -1 });
        cr_assert_eq(lp_solve(lp, &o), LP_UNBOUNDED);
        lp_set_row_bounds(lp, row, -INFINITY, -1);
        lp_set_col_bounds(lp, y, 0, 0.5);
        cr_assert_eq(lp_solve(lp, &o), LP_INFEASIBLE);
        lp_set_cost(lp, x, NAN);
        cr_assert_eq(lp_solve(lp, &o), LP_FAILED);
        lp_destroy(lp);
    }
    cr_assert_str_eq(lp_status_name(LP_INFEASIBLE), "infeasible");
}

/* Equal claims on one unit: simplex may serve some alone, a point inside of the face serves all alike. */
Test(lp, a_point_inside_serves_alike_what_is_alike)
{
    struct lp *lp = lp_create(LP_MAX);
    uint32_t col[10];
    double a[10];
    for (int k = 0; k < 10; k++) {
        col[k] = lp_add_col(lp, 0, 1, 1);
        a[k] = 1;
    }
    lp_add_row(lp, 0, 4, 10, col, a);
    cr_assert_eq(lp_solve(lp, &(struct lp_options){ .method = LP_INTERIOR }), LP_OPTIMAL);
    for (uint32_t k = 0; k < 10; k++) near(lp_value(lp, k), 0.4, 1e-6, "its part");
    lp_destroy(lp);
}

/* ---- random programs ---- */

static uint64_t state;
static double draw(int lo, int hi)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return lo + (double)((state >> 33) % (uint64_t)(hi - lo + 1));
}

enum { COLS = 4, ROWS = 5, PLANES = 2 * (ROWS + COLS) };
struct random_lp {
    int n, m;
    double lo[COLS], hi[COLS], cost[COLS];      /* every column is bounded, so the best point is a vertex */
    double a[ROWS][COLS], row_lo[ROWS], row_hi[ROWS];
};

static struct random_lp random_program(void)
{
    struct random_lp r = { .n = (int)draw(1, COLS), .m = (int)draw(0, ROWS) };
    for (int j = 0; j < r.n; j++) {
        r.lo[j] = draw(-3, 1);
        r.hi[j] = r.lo[j] + draw(0, 5);
        r.cost[j] = draw(-5, 5);
    }
    for (int i = 0; i < r.m; i++) {
        for (int j = 0; j < r.n; j++) r.a[i][j] = draw(0, 2) > 0 ? draw(-4, 4) : 0;
        r.row_lo[i] = draw(0, 2) > 0 ? (double)-INFINITY : draw(-6, 2);
        r.row_hi[i] = draw(0, 3) > 0 ? draw(2, 9) : (double)INFINITY;
        if (draw(0, 9) == 0) r.row_lo[i] = r.row_hi[i] = draw(-2, 3);
    }
    return r;
}

static bool holds(const struct random_lp *r, const double *x)
{
    for (int j = 0; j < r->n; j++)
        if (x[j] < r->lo[j] - 1e-7 || x[j] > r->hi[j] + 1e-7) return false;
    for (int i = 0; i < r->m; i++) {
        double sum = 0;
        for (int j = 0; j < r->n; j++) sum += r->a[i][j] * x[j];
        if (sum < r->row_lo[i] - 1e-7 || sum > r->row_hi[i] + 1e-7) return false;
    }
    return true;
}

static double worth(const struct random_lp *r, const double *x)
{
    double sum = 0;
    for (int j = 0; j < r->n; j++) sum += r->cost[j] * x[j];
    return sum;
}

/* Where n planes meet, by elimination with pivoting; false: they do not meet in one point. */
static bool meet(int n, double p[COLS][COLS + 1], double *x)
{
    for (int c = 0; c < n; c++) {
        int best = c;
        for (int i = c + 1; i < n; i++)
            if (fabs(p[i][c]) > fabs(p[best][c])) best = i;
        if (fabs(p[best][c]) < 1e-9) return false;
        for (int j = 0; j <= n; j++) {
            double swapped = p[c][j];
            p[c][j] = p[best][j];
            p[best][j] = swapped;
        }
        for (int i = 0; i < n; i++) {
            double by = i == c ? 0 : p[i][c] / p[c][c];
            for (int j = c; j <= n; j++) p[i][j] -= by * p[c][j];
        }
    }
    for (int c = 0; c < n; c++) x[c] = p[c][n] / p[c][c];
    return true;
}

/* The greatest worth of any vertex; -INFINITY: there is none. */
static double best_vertex(const struct random_lp *r)
{
    double plane[PLANES][COLS + 1] = { 0 }, best = -INFINITY;
    int n_planes = 0;
    for (int k = 0; k < 2 * (r->n + r->m); k++) {
        bool is_row = k / 2 >= r->n;
        int i = is_row ? k / 2 - r->n : k / 2;
        double at = is_row ? (k % 2 ? r->row_hi[i] : r->row_lo[i]) : k % 2 ? r->hi[i] : r->lo[i];
        if (isinf(at)) continue;
        for (int j = 0; j < r->n; j++) plane[n_planes][j] = is_row ? r->a[i][j] : j == i;
        plane[n_planes++][r->n] = at;       /* a plane's right side stands behind its n coefficients */
    }
    for (uint32_t set = 0; set < 1u << n_planes; set++) {
        double p[COLS][COLS + 1], x[COLS];
        int n = 0;
        for (uint32_t left = set; left; left &= left - 1) n++;
        if (n != r->n) continue;
        n = 0;
        for (int k = 0; k < n_planes; k++)
            if (set >> k & 1) memcpy(p[n++], plane[k], sizeof plane[k]);
        if (meet(n, p, x) && holds(r, x)) best = fmax(best, worth(r, x));
    }
    return best;
}

static struct lp *built(const struct random_lp *r, bool is_binary)
{
    static const uint32_t col[COLS] = { 0, 1, 2, 3 };
    struct lp *lp = lp_create(LP_MAX);
    for (int j = 0; j < r->n; j++)
        if (is_binary) lp_add_binary(lp, r->cost[j]);
        else lp_add_col(lp, r->lo[j], r->hi[j], r->cost[j]);
    for (int i = 0; i < r->m; i++) lp_add_row(lp, r->row_lo[i], r->row_hi[i], (uint32_t)r->n, col, r->a[i]);
    return lp;
}

Test(lp, random_programs_have_the_worth_of_their_best_vertex)
{
    state = 7;
    int n_infeasible = 0;
    for (int k = 0; k < 150; k++) {
        struct random_lp r = random_program();
        double want = best_vertex(&r);
        n_infeasible += isinf(want) != 0;
        for (int method = LP_SIMPLEX; method <= LP_INTERIOR; method++) {
            struct lp *lp = built(&r, false);
            enum lp_status st = lp_solve(lp, &(struct lp_options){ .method = (enum lp_method)method });
            cr_assert_eq(st, isinf(want) ? LP_INFEASIBLE : LP_OPTIMAL, "program %d: %s", k, lp_status_name(st));
            if (st == LP_OPTIMAL) {
                double x[COLS];
                for (uint32_t j = 0; j < (uint32_t)r.n; j++) x[j] = lp_value(lp, j);
                near(lp_objective(lp), want, 1e-5, "objective");
                near(worth(&r, x), want, 1e-5, "worth of the values");
            }
            lp_destroy(lp);
        }
    }
    cr_assert(n_infeasible > 10 && n_infeasible < 100, "%d infeasible", n_infeasible);
}

Test(lp, random_binary_programs_have_the_worth_of_their_best_choice)
{
    state = 11;
    int n_infeasible = 0;
    for (int k = 0; k < 300; k++) {
        struct random_lp r = random_program();
        double want = -INFINITY;
        for (int j = 0; j < r.n; j++) {
            r.lo[j] = 0;
            r.hi[j] = 1;
        }
        for (uint32_t set = 0; set < 1u << r.n; set++) {
            double x[COLS];
            for (int j = 0; j < r.n; j++) x[j] = set >> j & 1;
            if (holds(&r, x)) want = fmax(want, worth(&r, x));
        }
        n_infeasible += isinf(want) != 0;
        struct lp *lp = built(&r, true);
        enum lp_status st = lp_solve(lp, NULL);
        cr_assert_eq(st, isinf(want) ? LP_INFEASIBLE : LP_OPTIMAL, "program %d: %s", k, lp_status_name(st));
        if (st == LP_OPTIMAL) near(lp_objective(lp), want, 1e-9, "objective");
        lp_destroy(lp);
    }
    cr_assert(n_infeasible > 10 && n_infeasible < 200, "%d infeasible", n_infeasible);
}

/* ---- limits, and the same answer twice ---- */

/* Jobs of random sizes on machines of random speeds. */
static struct lp *shares(uint32_t jobs, bool is_binary)
{
    enum { TYPES = 3 };
    struct lp *lp = lp_create(LP_MAX);
    uint32_t col[3 * 60];
    double size[3 * 60];
    state = 3;
    for (uint32_t j = 0; j < jobs; j++) {
        uint32_t mine[TYPES];
        for (uint32_t t = 0; t < TYPES; t++) {
            double cost = draw(10, 99);
            mine[t] = is_binary ? lp_add_binary(lp, cost) : lp_add_col(lp, 0, 1, cost);
            col[t * jobs + j] = mine[t];
            size[t * jobs + j] = draw(5, 17);
        }
        lp_add_row(lp, -INFINITY, 1, TYPES, mine, (double[]){ 1, 1, 1 });
    }
    for (uint32_t t = 0; t < TYPES; t++) lp_add_row(lp, -INFINITY, 83, jobs, &col[t * jobs], &size[t * jobs]);
    return lp;
}

Test(lp, limits_stop_at_the_same_point_and_are_told)
{
    double first = 0;
    for (int again = 0; again < 2; again++) {
        struct lp *lp = shares(60, false);
        enum lp_status st = lp_solve(lp, &(struct lp_options){ .iterations = 20 });
        cr_assert_eq(st, LP_FEASIBLE);
        cr_assert_eq(lp_met(lp), LP_ITERATIONS);
        double cut = lp_objective(lp);
        cr_assert_eq(lp_solve(lp, NULL), LP_OPTIMAL);
        cr_assert_eq(lp_met(lp), LP_NO_LIMIT);
        cr_assert(cut < lp_objective(lp));
        if (again) cr_assert_eq(cut, first);
        first = cut;
        lp_destroy(lp);
    }
    struct lp *whole = shares(60, true);
    cr_assert_neq(lp_solve(whole, &(struct lp_options){ .nodes = 1 }), LP_OPTIMAL);
    cr_assert_eq(lp_met(whole), LP_NODES);
    cr_assert_eq(lp_solve(whole, &(struct lp_options){ .gap = 0.05 }), LP_OPTIMAL);
    double near_enough = lp_objective(whole);
    struct lp *relaxed = shares(60, false);
    cr_assert_eq(lp_solve(relaxed, NULL), LP_OPTIMAL);
    cr_assert(near_enough <= lp_objective(relaxed) + 1e-6 && near_enough >= 0.95 * lp_objective(relaxed) - 1e-6);
    lp_destroy(relaxed);
    lp_destroy(whole);
}

Test(lp, the_same_program_has_the_same_answer_to_the_last_bit)
{
    for (int method = LP_SIMPLEX; method <= LP_INTERIOR; method++) {
        struct lp *a = shares(50, false), *b = shares(50, false);
        struct lp_options o = { .method = (enum lp_method)method };
        cr_assert(lp_solve(a, &o) == LP_OPTIMAL && lp_solve(b, &o) == LP_OPTIMAL);
        for (uint32_t j = 0; j < lp_n_cols(a); j++) cr_assert_eq(lp_value(a, j), lp_value(b, j));
        lp_destroy(a);
        lp_destroy(b);
    }
}

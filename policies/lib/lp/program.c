/* program.c -- the rows and columns of program.h for lib/lp. */
#include "lib/lp/program.h"

#include <math.h>
#include "lib/util.h"

/* In which the rows count: GPUs, cores, GiB. */
static const double UNIT[PROGRAM_NEEDS] = { 1, 1000, 1 << 30 };

bool program_solve(struct lp *lp, const struct lp_options *o, struct program_column *column, size_t n,
                   const int64_t (*capacity)[PROGRAM_NEEDS], uint32_t n_types, double unused)
{
    uint32_t *index = pol_alloc(n, sizeof *index);
    double *a = pol_alloc(n, sizeof *a);
    lp_clear(lp, LP_MIN);
    for (size_t i = 0; i < n; i++) {
        column[i].is_chosen = false;
        (void)lp_add_binary(lp, column[i].cost - unused);
    }
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from; to < n && column[to].job == column[from].job; to++) {
            index[to - from] = (uint32_t)to;
            a[to - from] = 1;
        }
        (void)lp_add_row(lp, -INFINITY, 1, (uint32_t)(to - from), index, a);
    }
    for (uint32_t t = 0; t < n_types; t++)
        for (int d = 0; d < PROGRAM_NEEDS; d++) {       /* of cores and memory a row only where somebody needs them */
            uint32_t k = 0;
            for (size_t i = 0; i < n; i++) {
                if (column[i].type != t || column[i].need[d] == 0) continue;
                index[k] = (uint32_t)i;
                a[k++] = (double)column[i].need[d] / UNIT[d];
            }
            if (k == 0 && d != PROGRAM_GPUS) continue;
            (void)lp_add_row(lp, -INFINITY, (double)capacity[t][d] / UNIT[d], k, index, a);
        }
    enum lp_status status = n > 0 ? lp_solve(lp, o) : LP_STOPPED;
    bool ok = status == LP_OPTIMAL || status == LP_FEASIBLE;
    for (size_t i = 0; i < n && ok; i++) column[i].is_chosen = lp_value(lp, (uint32_t)i) > 0.5;
    POL_FREE(index, a);
    return ok;
}

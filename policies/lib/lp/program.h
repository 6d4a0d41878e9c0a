/*
 * program.h -- the integer program of Sia and Synergy: at most one configuration for each job, within what each type's
 * nodes have.
 *
 *   minimise  sum over columns (cost - unused) x     at most one x of a job is 1, and what those of a type need fits
 *
 * That is: costs of what is chosen, and `unused` for each job without a configuration, less a constant.
 */
#ifndef POL_LIB_LP_PROGRAM_H
#define POL_LIB_LP_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/lp/lp.h"

enum { PROGRAM_GPUS, PROGRAM_CPU, PROGRAM_MEM, PROGRAM_NEEDS };

struct program_column { size_t job; uint32_t type, tasks; int64_t need[PROGRAM_NEEDS]; double cost; bool is_chosen; };

/* column [n], those of a job one after the other; capacity [n_types].  False: no answer was found.  Clears lp. */
bool program_solve(struct lp *lp, const struct lp_options *o, struct program_column *column, size_t n,
                   const int64_t (*capacity)[PROGRAM_NEEDS], uint32_t n_types, double unused);

#endif

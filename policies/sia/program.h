/*
 * program.h -- Sia's integer program: at most one configuration for each job, within the GPUs of each type.
 *
 *   minimise  sum over columns (cost - unused) x     at most one x of a job is 1, and the GPUs of those of a type fit
 *
 * That is: costs of what is chosen, and `unused` for each job without a configuration, less a constant.
 */
#ifndef POL_SIA_PROGRAM_H
#define POL_SIA_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/lp/lp.h"

struct program_column { size_t job; uint32_t type, tasks, gpus; double cost; bool is_chosen; };

/* column [n], those of a job one after the other; capacity [n_types].  False: no answer was found.  Clears lp. */
bool program_solve(struct lp *lp, const struct lp_options *o, struct program_column *column, size_t n,
                   const int64_t *capacity, uint32_t n_types, double unused);

#endif

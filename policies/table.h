/* table.h -- the built-in policies. */
#ifndef POL_TABLE_H
#define POL_TABLE_H

#include "policy.h"

extern const struct pol_ops pol_fifo, pol_sjf, pol_srtf, pol_las, pol_easy, pol_drf;

/* NULL-terminated, in the order in which they are listed. */
extern const struct pol_ops *const pol_table[];

#endif

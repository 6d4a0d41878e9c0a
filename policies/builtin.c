/* builtin.c -- the table of the built-in policies. */
#include "builtin.h"

#define BUILTIN_ENTRY(name) &pol_##name,
const struct pol_ops *const pol_table[] = { BUILTIN_POLICIES(BUILTIN_ENTRY) NULL };

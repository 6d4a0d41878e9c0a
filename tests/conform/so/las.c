/* The built-in las in a shared object: nothing about being loaded, or being in a sandbox, may show in its runs. */
#define pol_las fairway_policy
#include "../../../policies/las.c"

/* builtin.c -- the table of the built-in policies, in the order in which they are listed. */
#include "builtin.h"

const struct pol_ops *const pol_table[] = {
    &pol_fifo, &pol_sjf, &pol_srtf, &pol_las, &pol_easy, &pol_drf,
    &pol_kube_default, &pol_kube_split, &pol_kube_hybrid,
    &pol_gs, &pol_gsp, &pol_gsd, &pol_capacity, &pol_fair,
    &pol_fs, &pol_fsp, &pol_fsu, &pol_quincy, &pol_multiqueue,
    &pol_affinity, &pol_balance, &pol_met, &pol_mct, &pol_min_min, &pol_dmda, &pol_heft, &pol_workflow, NULL,
};

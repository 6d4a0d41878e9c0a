/*
 * hostlist.h -- Slurm's host lists, "n[001-087,100],gn[1-2]", written out in
 * order; several bracket groups in one name multiply.  Layer: input.
 * Source: scontrol(1), "show hostnames".
 */
#ifndef INPUT_CLUSTER_HOSTLIST_H
#define INPUT_CLUSTER_HOSTLIST_H

#include "base/base.h"

enum { HOSTLIST_MAX = 200000 };         /* names */
struct hostlist { char **name; size_t n, cap; };
/* NULL on success, else what is wrong (a static string); *h is then empty. */
const char *hostlist_parse(struct hostlist *h, const char *text);
void        hostlist_fini(struct hostlist *h);

#endif

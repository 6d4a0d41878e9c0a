/*
 * ties.h -- how far results hang on the order of what is equal, for `run --tie-seed`.  Layer: cmd.
 *
 * A policy that finds two nodes equally good takes the one of the lower number, and of two jobs that arrive together the
 * one that the trace lists first.  Each tie seed numbers the nodes and lists those jobs in another order: what differs
 * between these runs is the work of ties alone.
 */
#ifndef CMD_TIES_H
#define CMD_TIES_H

#include <stdio.h>
#include "base/base.h"
#include "base/diag.h"

struct ties_run { int64_t id; uint64_t tie_seed; char *label; };         /* tie_seed 0: as listed; label: the policy's, owned */
struct ties_runs { struct ties_run *at; size_t n, cap; };

void ties_add(struct ties_runs *r, int64_t id, uint64_t tie_seed, const char *label);
void ties_fini(struct ties_runs *r);        /* zero-initialise to begin */
/* A row a metric and policy: its mean over seeds as listed, the least and the most of any tie seed, and their distance. */
enum st ties_print(const struct ties_runs *r, const char *database, FILE *to, struct diag *d);

#endif

/*
 * lend.h -- who may borrow what a workflow leaves: share groups, and how an
 * amount is divided among them.  Source: the workflow reservation
 * patent application, paragraphs 84-97, 103-105.
 *
 *   shares:[wf,p0],[u1,p1,2],[u2,p1,1]
 *
 * The first entry is who lends: `wf`, `workflow` or `*`, any workflow; else the
 * workflows of that user (queue:NAME, of that queue).  The others borrow: a
 * user, queue:NAME, machines:LABEL (tasks that ask for nodes with the label), or
 * `*`, everyone.  p0 is above p1: a greater number borrows later and gives back
 * sooner.  Groups of one number all state a ratio, or none does: then the
 * earlier borrows first, and gives back first.
 */
#ifndef POL_LEND_H
#define POL_LEND_H

#include "policy.h"

enum lend_who { LEND_ANY, LEND_USER, LEND_QUEUE, LEND_MACHINES };
struct lend_group { char *name; enum lend_who who; int64_t prio, ratio; };     /* ratio 0: by order */
struct lend_shares { struct lend_group owner, *at; uint32_t n; size_t cap; };

/* False with error [cap] filled.  An empty text is [*,p0],[*,p1]. */
bool lend_parse(struct lend_shares *s, const char *text, char *error, size_t cap);
void lend_fini(struct lend_shares *s);

/* Does a job (and one of its shapes) belong to the group? */
bool lend_is_of(const struct lend_group *g, const struct pol_host *h, const struct pol_job_info *ji, const struct pol_shape *s);

/*
 * Divide `total` by ratio [n] in whole `unit`s (the last may be a part of one)
 * by largest remainder, ties to the earlier; part [n] out.  Exact.
 */
void lend_split(int64_t total, int64_t unit, const int64_t *ratio, uint32_t n, int64_t *part);

#endif

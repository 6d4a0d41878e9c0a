/*
 * lend.h -- who may borrow what a workflow leaves: share groups, and how an
 * amount is divided among them.  Source: the workflow reservation
 * patent application, paragraphs 81-97, 103-105, 134.
 *
 *   shares:[wf,p0],[u1,p1,2],[u2,p1,1];[w7,p0],[queue:q,p1]
 *
 * Lists, each of one lender and its share groups.  The first entry is who lends:
 * `wf`, `workflow` or `*`, any workflow; a name, the workflow (job) or the
 * workflows of the user of that name; workflow:NAME, user:NAME, queue:NAME.  The
 * others borrow: a user, queue:NAME, machines:LABEL (tasks that ask for nodes
 * with the label), or `*`, everyone.  p0 is above p1: a greater number borrows
 * later and gives back sooner.  Groups of one number all state a ratio, or none
 * does: then the earlier borrows first, and gives back first.
 */
#ifndef POL_LEND_H
#define POL_LEND_H

#include "policy.h"

/* NAME: of a workflow or a user. */
enum lend_who { LEND_ANY, LEND_NAME, LEND_WORKFLOW, LEND_USER, LEND_QUEUE, LEND_MACHINES };
struct lend_group { char *name; enum lend_who who; int64_t prio, ratio; };     /* ratio 0: by order */
struct lend_shares { struct lend_group owner, *at; uint32_t n; size_t cap; };
struct lend_lists { struct lend_shares *at; uint32_t n; size_t cap; };

/* False with error [cap] filled.  An empty text is [*,p0],[*,p1]. */
bool lend_parse(struct lend_lists *l, const char *text, char *error, size_t cap);
void lend_fini(struct lend_lists *l);

/* The n bytes at s name workflows (is_owner) or who borrows; out: name owned, prio and ratio 0. */
void lend_read_name(struct lend_group *out, const char *s, size_t n, bool is_owner);

/* Does the input know no such name?  Then error [cap] says so, `what` being the parameter.  */
bool lend_is_unknown(const struct lend_group *g, const struct pol_host *h, const char *what, char *error, size_t cap);

/* Does a job (and one of its shapes) belong to the group? */
enum lend_match { LEND_NO, LEND_GENERALLY, LEND_BY_NAME };
enum lend_match lend_match(const struct lend_group *g, const struct pol_host *h, pol_job job,
                           const struct pol_job_info *ji, const struct pol_shape *s);
/* The first group to which it belongs; s->n: none. */
uint32_t lend_group_of(const struct lend_shares *s, const struct pol_host *h, pol_job job,
                       const struct pol_job_info *ji, const struct pol_shape *shape);

/*
 * Divide `total` by ratio [n] in whole `unit`s (the last may be a part of one)
 * by largest remainder, ties to the earlier; part [n] out.  Exact.
 */
void lend_split(int64_t total, int64_t unit, const int64_t *ratio, uint32_t n, int64_t *part);

#endif

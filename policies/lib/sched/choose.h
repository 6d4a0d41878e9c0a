/*
 * choose.h -- who runs, where that is not "what fits beside those before it": by cards that are only counted, or with
 * all units placed anew.  README.md, "Who runs".
 */
#ifndef POL_LIB_SCHED_CHOOSE_H
#define POL_LIB_SCHED_CHOOSE_H

#include "lib/sched/sched.h"

/* Values of choose= in the order of its choices. */
enum choose { CHOOSE_FIT, CHOOSE_COUNT, CHOOSE_ANEW };
#define CHOOSE_PARAM { .name = "choose", .type = POL_CHOICE, .dflt = "fit", .choices = "fit|count|anew", \
                       .help = "who runs: what fits with those before it; whose cards there are by count; " \
                               "all placed anew" }

/* A unit in the order of a decision. */
struct chooser { int64_t key; uint64_t ordinal; uint32_t index, id; };
int choose_order(const void *a, const void *b);         /* for qsort: by key, ordinal, index */

/* Thousandths of cards on the nodes that are up.  O(nodes). */
int64_t choose_cards(const struct sched *d);
/* Does the unit take its cards off what is left? */
bool choose_takes(const struct sched *d, const struct unit *u, int64_t *left);
/* A unit that runs stops, in the plan too. */
void choose_stop(struct sched *d, uint32_t unit, const char *reason);

#endif

/*
 * flowpol.h -- one decision of a policy that places singles by minimum-cost
 * flow.  Shared by fs, fsp, fsu and quincy, which differ in their rule alone;
 * README.md, "The flow policies".
 *
 * GPU units that are not singles (several cards, shares of one, gangs) are offered as gs
 * does: before the flow to jobs below their share, after it to all.  CPU units come last.
 *
 * Cost: one solve a decision (lib/flow/README.md), more if a place turns out not to fit.
 * Source: Tang et al., scheduling data-intensive jobs on GPU clusters, section 4.
 */
#ifndef POL_LIB_DATA_FLOWPOL_H
#define POL_LIB_DATA_FLOWPOL_H

#include "lib/data/evict.h"
#include "lib/data/flownet.h"

/* How many of a job's tasks have a claim to a GPU: README.md, "Claim". */
enum flowpol_share {
    FLOWPOL_BASIC,         /* its basic share A*; its final one where A* is 0 for all */
    FLOWPOL_FINAL,         /* its final share A */
    FLOWPOL_ALL,           /* all of them: there is no unscheduled vertex */
    FLOWPOL_NONE           /* none */
};

struct flowpol_rule {
    enum flowpol_share share;
    bool    is_soft;            /* only that a job which holds nothing has a claim to one GPU */
    bool    stops;              /* jobs above their share lose their shortest-run tasks to those below */
    bool    replaces;           /* running tasks are in the network, at what they cost less what they ran */
    int64_t leave;              /* what leaving a task costs */
    int64_t wait_milli;         /* and so many thousandths more for each microsecond that it waited */
    int64_t keep_milli;         /* thousandths that a microsecond of running counts */
    struct locality_price price;
    enum placement_rule placement;
};

/* Of a task: since when it waits, and the sum of its earlier waits. */
struct flowpol_wait { int64_t since, before; uint32_t gen; };

struct flowpol {
    struct offer offer;         /* first: lib/sched calls back with a pointer to it */
    struct evict evict;
    struct flownet net;
    struct flowpol_rule rule;
    struct flowpol_wait *wait; size_t cap_wait;        /* by task slot */
    uint32_t *moved; size_t cap_moved; uint32_t n_moved;    /* running units that the flow puts elsewhere or nowhere */
    uint32_t *victim_of; size_t cap_victim_of;      /* by card: place in the victims + 1 of the unit that holds it */
    bool     *is_used; size_t cap_is_used;          /* by victim */
    uint32_t *list; size_t cap_list;                /* scratch */
    int64_t  wake_us;           /* the last wake asked for */
    const char *reason;
};

void flowpol_init(struct flowpol *f, const struct pol_host *host, const struct flowpol_rule *rule, const char *reason);
void flowpol_fini(struct flowpol *f);
void flowpol_decide(void *flowpol, const struct pol_view *view, const struct pol_event *ev, size_t n_ev);
void flowpol_destroy(void *flowpol);        /* and free it */

#endif

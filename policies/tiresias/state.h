/*
 * state.h -- what tiresias keeps: units' places in the queues, and who runs.
 *
 * tiresias.c   the queues, who reaches a limit or waited too long, and when to decide
 * rearrange.c  who runs: through the order, taking what fits
 * refuse.c     requests for which no room can be made
 */
#ifndef POL_TIRESIAS_STATE_H
#define POL_TIRESIAS_STATE_H

#include "lib/sched/choose.h"
#include "lib/sched/preempt.h"
#include "lib/util.h"
#include "tiresias/gittins.h"
#include "tiresias/refuse.h"
#include "tiresias/skew.h"

enum { LIMITS_MAX = 15, CARD = 1000, LEVEL_BIT = 58 };
#define SECOND INT64_C(1000000)
#define WAITING (INT64_C(1) << 56)      /* ranks of waiting units are around it, of running ones far below */
#define LAST    (INT64_C(1) << 57)

enum tiresias_order { BY_START, BY_SUBMIT, BY_GITTINS, BY_ENTRY };
enum tiresias_foresee { EXACT, LATE, WHOLE_SECOND };

/* A unit's place in the queues, by task slot. */
struct stand {
    uint64_t ordinal;
    uint32_t index, level;
    int64_t  rank;
    int64_t  entry;             /* to its queue: which of all entries to any, from 1 */
    int64_t  base;              /* running time that no longer counts: it had it when it was promoted */
    int64_t  waited, since;     /* after having run, since then; and when the present wait began */
    int64_t  rank_run;          /* before it was preempted: it keeps it if it goes on at that instant elsewhere */
    bool     is_known, is_ranked;       /* ranked: when it was preempted */
    bool     is_out;            /* it runs, and this decision stops it */
    int64_t  limit_at;          /* when it reaches its queue's limit if it runs on; POL_NEVER: it will not */
    uint32_t place;             /* in `limits` */
};

/* A running unit, in the order of a decision. */
struct runner { int64_t key; uint64_t ordinal; uint32_t index, id; int64_t gpu_milli; bool is_out, was_out; };
struct chosen { uint32_t id; size_t place; };

struct tiresias {
    struct sched sched;
    int64_t limit[LIMITS_MAX];  /* service at which queue i ends, thousandths of a card times us */
    uint32_t n_limits;
    bool    by_gpu;
    enum tiresias_foresee foresee;
    enum tiresias_order order;
    enum choose choose;
    double  knob;
    int64_t every;
    struct stand *stand; size_t cap_stand;
    int64_t started, tail, front, entered;      /* ranks and entries given so far */
    int64_t due, asked, reviewed;       /* when a unit changes queues next; the last wake; the last review */
    uint64_t seen;              /* the plan's freed_epoch after the last decision */
    bool    is_stirred;         /* a unit came, started or stopped since */
    struct runner *run; size_t cap_run; uint32_t n_run;
    bool    is_ordered;         /* `run` has those that run, or nobody is to be in it */
    struct runner *late; size_t cap_late; uint32_t n_late;      /* who runs and has a rank of those that wait */
    uint32_t *limits; size_t cap_limits; uint32_t n_limits_at;  /* foresee=exact: who runs, as a heap by limit_at */
    uint32_t *list; size_t cap_list;
    uint32_t *stopped; size_t cap_stopped; uint32_t n_stopped;      /* choose=anew: in order, when `renewed` */
    int64_t renewed;
    struct chosen *chosen; size_t cap_chosen; uint32_t n_chosen;
    struct pol_place *place; size_t cap_place, n_place;
    uint32_t *taken; size_t cap_taken; uint32_t n_taken;        /* nodes that those chosen take whole */
    struct room room;           /* that is made for a gang */
    struct refusals refusals;
    struct gittins gittins;
    bool    learns;             /* its samples are those of this run */
    struct skew skew;
};

/* ---- tiresias.c ---- */

int64_t tiresias_key(const struct tiresias *l, const struct unit *u);
void    tiresias_rekey(struct tiresias *l, uint32_t id);        /* of one that waits: its key is another */
/* Was it demoted while it runs, so that it stands among those that wait in its queue until the decision ends? */
static inline bool tiresias_is_late(const struct tiresias *l, uint32_t id)
{
    return sched_unit(&l->sched, id)->state == UNIT_RUNNING && l->stand[id].rank >= WAITING / 2;
}

/* ---- rearrange.c ---- */

int  tiresias_by_arrival(const void *runner, const void *other);        /* for qsort */
void tiresias_add_runner(struct tiresias *l, const struct unit *u, uint32_t id, int64_t key);       /* to l->run */
void tiresias_add_late(struct tiresias *l, uint32_t id);        /* to l->late */
void tiresias_list_running(struct tiresias *l);         /* those that run, by arrival; in l->list */
void tiresias_rearrange(struct tiresias *l);            /* who runs, anew */
bool tiresias_stop_all(struct tiresias *l);     /* choose=anew: all stop, and keep their places; false: nobody runs */

#endif

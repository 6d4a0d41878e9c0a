/*
 * request_class.h -- units that ask for the same are of one request class.
 *
 * The class of a single task is its shape, that of a gang the list of its tasks' shapes.
 * A class is *monotone* when allocating more can never make it fit: then one failure
 * holds until something becomes free.  Gangs of unlike tasks, and gangs whose tasks ask
 * for shares of several cards, are not: if less is free, the placement rule may put the
 * first task elsewhere, and that may leave what the next one needs.
 *
 * Classes whose first tasks differ in CPU and memory alone are of one *kind*: what asks no
 * less of both than another of its kind that fits nowhere does not fit either, if both are
 * monotone.  Classes that are not have a kind of their own.
 *
 * A class whose shapes all mean what they meant when it was made is found again; when ids of
 * shapes were renewed, or many classes have come, those that nobody uses are given up, and their ids used again.
 *
 * Cost: O(tasks of the unit) to find its class, of one task that of its shape; giving up O(classes), once for as
 * many that came.
 */
#ifndef POL_LIB_SCHED_REQUEST_CLASS_H
#define POL_LIB_SCHED_REQUEST_CLASS_H

#include "lib/map.h"
#include "policy.h"

struct request_class {
    uint32_t *shape;            /* [n_tasks] owned */
    uint32_t  n_tasks, kind;            /* n_tasks 0: the id is free */
    uint64_t  serial;                   /* from 1 on: no two classes of a run have the same */
    uint64_t  made;                     /* renewals of shapes before it */
    int64_t   cpu_milli, mem_b;         /* that the first task asks */
    bool      is_monotone, is_uniform;
    struct { uint64_t freed_epoch, change_epoch; } failed;          /* the plan's, when it last did not fit; 0: never */
    /* When not even preempting all victims made it fit, and the least key of a unit refused so; see preempt.h. */
    struct { uint64_t freed_epoch, key_epoch; int64_t key; } no_victims;
};

enum { REQUEST_REFUSED_MAX = 8 };
/* When units were refused: epochs of the plan and, where victims count, of their keys, and the greatest key refused. */
struct request_refusals { uint64_t freed_epoch, key_epoch; int64_t key; };
/* A kind, and the latest requests of it that were found to fit nowhere: CPU and memory. */
struct request_kind {
    struct pol_shape shape;             /* without CPU and memory */
    bool     is_monotone, is_used;      /* is_used: the id is not free */
    bool     is_asked, is_stranded;     /* whether any node is for it; none is */
    uint32_t n_users;                   /* classes, while they are counted */
    struct request_refusals at;
    uint32_t n_refused;
    struct request_amount { int64_t cpu_milli, mem_b; } refused[REQUEST_REFUSED_MAX];
    /* And such as fitted; the plan's change_epoch of that time. */
    uint64_t room_epoch;
    uint32_t n_room;
    struct request_amount room[REQUEST_REFUSED_MAX];
};

struct request_classes {
    struct request_class *at; size_t cap; uint32_t n; struct map of_shapes;
    uint32_t *single; size_t cap_single;        /* [shape] 1 + the class of one task of it; 0: not known, or there is none */
    struct request_kind *kind; size_t cap_kind; uint32_t n_kinds; struct map of_kind;
    uint32_t *free, *free_kind; size_t cap_free, cap_free_kind; uint32_t n_free, n_free_kind;
    uint64_t *renewed; size_t cap_renewed;      /* [shape] the last renewal of its id; from 1 on */
    uint64_t n_made, n_renewals;
    /* Classes are to be given up: as many came, or shapes were renewed, as that costs. */
    bool     is_full;
    struct { uint64_t n_renewals; size_t n, n_looked; } swept;  /* when that was last; n: that were left */
};

void     request_class_fini(struct request_classes *k);           /* zero-initialise to begin */
/* The id of the class, from 0 in first-seen order; shape [n] is copied when new.  O(n). */
uint32_t request_class_id(struct request_classes *k, const uint32_t *shape, uint32_t n, const struct pol_shape *shapes);
/* The id of the shape came to mean another request. */
void     request_class_renew(struct request_classes *k, uint32_t shape);
/*
 * To be called where `is_full`: give up classes, and kinds of none that is left.
 *   is_used [n]  classes that stay
 *   n_looked     how many had to be looked at to know that
 *   gone         is told of each class, and each kind, that is given up; the other is POL_NONE
 */
void     request_class_sweep(struct request_classes *k, const bool *is_used, size_t n_looked,
                             void (*gone)(void *ctx, uint32_t class, uint32_t kind), void *ctx);

/*
 * Does it ask no less than something that was refused?  And note one that was.  What is known is as old as `at`
 * says, and is forgotten when it is asked for other epochs, or for a smaller key: the unit may have more victims.
 */
bool request_kind_is_refused(struct request_kind *k, struct request_refusals at, int64_t cpu_milli, int64_t mem_b);
void request_kind_refuse(struct request_kind *k, struct request_refusals at, int64_t cpu_milli, int64_t mem_b);
/* Does it ask no more than something that fitted while the plan was as it is?  And note one that did. */
bool request_kind_has_room(const struct request_kind *k, uint64_t change_epoch, int64_t cpu_milli, int64_t mem_b);
void request_kind_note_room(struct request_kind *k, uint64_t change_epoch, int64_t cpu_milli, int64_t mem_b);

#endif

/*
 * state.h -- what themis keeps: units and their fairness, and the nodes that are held for one.
 *
 * themis.c   fairness, who is asked for a bid, what a bid is, leases
 * auction.c  who wins, and what it keeps
 * hold.c     nodes on which leases are let run out, for a unit that found no room for long
 */
#ifndef POL_THEMIS_STATE_H
#define POL_THEMIS_STATE_H

#include "lib/sched/list.h"
#include "lib/sched/rounds.h"
#include "themis/auction.h"

/* By task slot. */
struct themis_book {
    uint64_t ordinal;
    uint32_t index;
    bool     is_known;
    int64_t  since, waits;      /* when it first waited; when it began to wait as it does now */
    double   present;           /* themis.present when it came */
    int64_t  left;              /* when it last began to wait; without true times 0 */
    int64_t  stalled;           /* times it was stopped and had no less left than when it had last waited */
};

/* A unit that waits, or whose lease is over. */
struct themis_unit {
    uint32_t id, index;
    uint64_t ordinal;
    double   rho;               /* finish-time fairness if it ran from now on */
    double   elapsed, left;     /* us */
    int64_t  waited;            /* us, since it came or last ran; 0: it runs */
    bool     is_done;           /* it has a lease */
};

struct themis {
    struct sched  sched;
    struct rounds rounds;
    struct auction auction;
    const struct pol_profiles *profiles;
    double  filter;
    int64_t lease;
    struct themis_book *book; size_t cap_book;
    double  present;            /* units in the system, integrated over time until `counted` */
    int64_t counted;
    uint32_t n_present;         /* since then */
    struct themis_unit *unit; size_t cap_unit; uint32_t n_units;        /* of a decision, the least fair first */
    struct auction_bid *bid; size_t cap_bid;
    uint32_t *who; size_t cap_who;      /* [bids] index in `unit` */
    /* hold.c */
    bool     holds;             /* in this decision nobody but its unit gets a lease on a held node */
    uint8_t *is_held; size_t cap_held;          /* [n_nodes] */
    uint32_t *open; size_t cap_open; uint32_t n_open;   /* the others, increasing */
    uint64_t *failed; size_t cap_failed;        /* by request class: the decision in which it did not fit on these */
    uint64_t n_given;           /* leases given, and decisions: while it stands, so does what follows */
    uint64_t ends_at;           /* n_given of `ends` */
    int64_t *ends; size_t cap_ends;             /* [n_nodes] until when leases last there */
    uint64_t *no_hold; size_t cap_no_hold;      /* by request class: n_given at which there was nothing to hold */
    struct hold_node { int64_t until; uint32_t node, room; } *node; size_t cap_node;
    uint32_t *list; size_t cap_list;
};

/*
 * Hold for the unit, which found no room, the nodes that are the first to be rid of their leases and have room for it
 * then; false and none: there are not so many, or no lease to wait for.  O(nodes log nodes + running); O(1) for a class
 * that had none since the last lease was given.
 */
bool themis_hold(struct themis *l, uint32_t id);
/* Does the unit run on a held node? */
bool themis_is_on_held(const struct themis *l, uint32_t id);

#endif

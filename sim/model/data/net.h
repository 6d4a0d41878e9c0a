/*
 * net.h -- transfers between nodes.  Layer: model.
 *
 * Three modes.  `nominal`: each transfer has its path to itself and takes
 * size / (disk D | rack B_r | aggregation B_s) by its level, the estimate of
 * seed 4, section 4.2.  `overlap`: it takes as long, but data leave for whoever
 * will read them as soon as they are there, all at once, while both ends do
 * other things: the contention-free network of list schedulers such as HEFT
 * (world_data.c).  `shared`: the transfers under way share disks, cards,
 * rack switches and the aggregation max-min fairly, and rates change as flows
 * come and go, for the touched component only.
 *
 * Paths in shared mode:
 *   local  disk(src)
 *   rack   disk(src) card_out(src) rack(r) card_in(dst)
 *   cross  disk(src) card_out(src) rack(src's) aggregation rack(dst's) card_in(dst)
 *   standing   as rack or cross, without disk(src)
 * A standing flow has always more to send, from the memory of its source: what the nodes of
 * a running gang exchange.  It takes what it is given, and has neither size nor end.
 * A link of capacity 0 is not modelled: it never limits.  Links are numbered
 * disks, cards out, cards in (each by node), racks, aggregation; maxmin.h says
 * what that order decides.
 *
 * A flow is an activity (core/act.h): its rate is in units of 64 B/s and its
 * work is bytes * 15625, so that work / rate is microseconds and every byte is
 * accounted exactly.  Capacities are rounded down to a unit.
 *
 * What flows really got may be measured, as an estimate for policies: estimate.h.
 * Nothing here depends on it.
 */
#ifndef MODEL_DATA_NET_H
#define MODEL_DATA_NET_H

#include "core/act.h"
#include "model/data/estimate.h"

/* A speed that is not 0 lies in [NET_BPS_MIN, NET_BPS_MAX] (275 GB/s), a size in [0, NET_SIZE_MAX]; readers check. */
#define NET_BPS_MIN  INT64_C(64)
#define NET_BPS_MAX  (INT64_C(64) * UINT32_MAX)
#define NET_SIZE_MAX (INT64_C(1) << 49)

enum net_mode { NET_NOMINAL, NET_SHARED, NET_OVERLAP };

struct net_spec {
    enum net_mode mode;
    int64_t disk_bps;           /* D, of each node; 0: takes no time and never limits */
    int64_t card_bps;           /* network card, each direction; 0: not modelled */
    int64_t rack_bps;           /* B_r: nominal speed within a rack; capacity of a rack's switch */
    int64_t aggregation_bps;    /* B_s: nominal speed between racks; capacity of the aggregation */
    struct estimate_spec estimate;      /* shared mode only: what transfers take is measured */
};

/*
 * Time of `size` bytes, us, rounded down, when the transfer has its path to
 * itself: at the speed of the level, in shared mode of the path's slowest link.
 * 0 where that is not modelled.
 */
int64_t net_nominal_us(const struct net_spec *s, enum data_level level, int64_t size);
/*
 * The level from which a node reads a block with these replicas: of those
 * there are, the fastest (S4-4: the cheapest), ties to the nearer.
 */
enum data_level net_level(const struct net_spec *s, const struct cluster *c, const uint32_t *replica, uint32_t n, uint32_t node);

/* ---- shared mode ---- */
struct net;
/*
 * A flow's end is an event of class EV_FINISH and slot ev_slot(flow) in q.
 * Borrows c and q until net_destroy, which leaves q alone.  O(links).
 */
struct net *net_create(const struct net_spec *s, const struct cluster *c, struct evq *q,
                       uint32_t (*ev_slot)(uint32_t flow));
void     net_destroy(struct net *n);    /* NULL is fine */
/*
 * A flow from src to dst; its event has `subject` and fires when all is
 * through: at once when size is 0 or no link of its path is modelled.  It
 * begins to move at net_settle, which must follow within the instant.
 * Ids are dense and recycled.  Borrows nothing.  O(1) but for the event queue.
 */
uint32_t net_start(struct net *n, uint32_t src, uint32_t dst, int64_t size, uint64_t subject, sim_tick now);
/*
 * A standing flow between two nodes, of `who`; without an event.  Its rate is 0 until the next net_settle,
 * and where no link of its path is modelled.  O(1).
 */
uint32_t net_stand(struct net *n, uint32_t src, uint32_t dst, uint32_t who);
/* Whose standing flows have other rates since the last net_settle, some perhaps more than once: [*count]. */
const uint32_t *net_changed(const struct net *n, uint32_t *count);
/* Ended or cancelled: its event is gone and the id free again.  net_settle must follow. */
void     net_stop(struct net *n, uint32_t flow, sim_tick now);
int64_t  net_left(const struct net *n, uint32_t flow, sim_tick now);        /* bytes, rounded up */
sim_rate net_rate(const struct net *n, uint32_t flow);                      /* units of 64 B/s */
int64_t  net_bps(const struct net *n, uint32_t flow);                       /* the same in bytes/s */
/*
 * New rates for every component (flows that share links, and so on) touched by
 * starts and stops since the last call; only flows whose rate differs have
 * their event moved.  O(touched component * log of it).
 */
void     net_settle(struct net *n, sim_tick now);
/*
 * Time of `size` bytes, us, at the measured speed of the level; net_nominal_us
 * when nothing is measured, or at `start`, before anything was.
 */
int64_t  net_measured_us(const struct net *n, enum data_level level, int64_t size);
/* How often that has changed; 0 when nothing is measured. */
uint64_t net_measured(const struct net *n);
uint64_t net_touched(const struct net *n);      /* rates worked out so far, for benches and tests */

#endif

/*
 * extensions.h -- what a host may offer beyond policy.h, by name: licences/1, graph/1, data/1, cores/1,
 * reservations/1, holds/1, scores/1, preferences/1, recorded/1, calls/1, elastic/1, speeds/1, profiles/1,
 * goodput/1, shapes/1 and client/1.
 *
 *     const struct pol_data *data = host->extension(host->ctx, POL_DATA);        in create; NULL: there is none
 *
 * A struct begins with its size and may grow at its end: who uses a later member looks at `size` first.  Another
 * meaning would get another name ("data/2").  It lives as long as the policy; what it points to may move and
 * change between two calls of the policy, so read its members anew in each.  Its functions take host->ctx, and
 * may be called in decide; those that read O(1) if nothing is said.  Decisions are kept and checked in order with
 * those of policy.h; `reason` is as there.  What stands in arrays or is passed by value is frozen.
 *
 * A policy that did not ask for licences/1 is given no task that asks for licences: such a job's arrival fails
 * the run.  Tasks of calls go to a policy with the flag POL_RUNS_CALLS.
 */
#ifndef POL_EXTENSIONS_H
#define POL_EXTENSIONS_H

#include "policy.h"

/* ---- licences: of the cluster, not of a node ---- */

#define POL_LICENCES "licences/1"
struct pol_licences {
    uint32_t size;
    uint32_t n;                         /* different ones; a trace may name more as it is read: never fewer */
    const int64_t *total, *free;        /* [n] what the cluster has, and what of it is free */
    /* [n] what a task of the shape asks, until decide returns; NULL: none, or no such shape. */
    const int32_t *(*asked)(void *ctx, uint32_t shape);
};

/* ---- graph: tasks of a job that wait for others ---- */

#define POL_GRAPH "graph/1"
struct pol_graph {
    uint32_t size, reserved;
    /* The k-th task that waits for this one; slot POL_NONE past the last, or if the handle is stale. */
    pol_task (*follower)(void *ctx, pol_task t, uint32_t k);
};

/* ---- data: blocks that tasks read ---- */

/* One block that a task reads; replica [n_replicas]: the nodes that hold it, increasing, until decide returns. */
struct pol_input { int64_t size_b; const uint32_t *replica; uint32_t n_replicas, reserved; };

/* What reading a task's inputs on some node comes to, each from its cheapest replica. */
struct pol_transfer {
    int64_t local_b, rack_b, cross_b;       /* bytes by how far they come */
    int64_t local_us, rack_us, cross_us;    /* time: bytes over disk, rack and aggregation speed, stated or measured */
};

#define POL_DATA "data/1"
struct pol_data {
    uint32_t size;
    /*
     * 1: data leave for whoever will read them as soon as they are there (an output when it is written, a block when
     * the job comes), each by itself, while both ends do other things; a task waits for the last.  0: a task reads
     * its inputs one after the other once it has started.
     */
    uint32_t overlaps;
    uint32_t (*n_inputs)(void *ctx, pol_task t);                                /* blocks; of a stale handle 0 */
    struct pol_input (*input)(void *ctx, pol_task t, uint32_t k);               /* k < n_inputs; else all zero */
    struct pol_transfer (*transfer)(void *ctx, pol_task t, uint32_t node);      /* O(replicas) */
    /* The task whose output input k is; slot POL_NONE: it is a block of the trace.  Unwritten, it has no replica. */
    pol_task (*writer)(void *ctx, pol_task t, uint32_t k);
    int64_t (*output_b)(void *ctx, pol_task t);         /* what the task writes, to its node's disk */
    /* Time in which node `to` reads so many bytes that lie on node `from`, which may be the same; speeds as above. */
    int64_t (*read_us)(void *ctx, int64_t size_b, uint32_t from, uint32_t to);
    /*
     * How often measured speeds can have changed; 0 as long as they are the stated ones.  Since it grew, times kept
     * from transfer and read_us are out of date.
     */
    uint64_t (*measured)(void *ctx);
    /* Time in which a task that waits would read all its inputs, if it started on the node now; speeds as above. */
    int64_t (*reading_us)(void *ctx, pol_task t, uint32_t node);
};

/* ---- cores: how many a running task holds, how much memory, and what a monitor sees ---- */

/*
 * What the monitor saw last of a running task; -1: nothing yet, or nothing is measured in this run.
 * gpu_util: of its unit, in millionths.  mem_bw: bytes/s that the task moves.
 */
struct pol_reading { int64_t gpu_util, mem_bw; };

#define POL_CORES "cores/1"
struct pol_cores {
    uint32_t size, reserved;
    const int64_t *mem_bw;              /* [n_nodes] memory bandwidth, bytes/s; 0: unknown */
    struct pol_reading (*measure)(void *ctx, pol_task t);
    /* A running task holds other cores from now on, > 0; its speed follows.  Not for exclusive tasks. */
    void (*resize)(void *ctx, pol_task t, int64_t cpu_milli, const char *reason);
    /* The same, of cores and of the node's memory. */
    void (*regrant)(void *ctx, pol_task t, int64_t cpu_milli, int64_t mem_b, const char *reason);
};

/* ---- reservations: what is kept aside for a job, and lent ---- */

/* CPU and GPU in thousandths; licence [n of licences/1] in pieces, NULL: none.  Copied. */
struct pol_amount { int64_t cpu_milli, gpu_milli; const int64_t *licence; };

/* What a policy has reserved for a job when it enters a stage. */
struct pol_reserve {
    uint32_t stage, reserved0;
    struct pol_amount reserved;     /* all zero: the reservation is given up */
    struct pol_amount need;         /* the stage's: its tasks may hold no more */
    struct pol_amount lendable;     /* reserved - need */
    struct pol_amount usable;       /* there for the stage before anything was taken back */
    struct pol_amount reclaimed;    /* taken back for it */
};

#define POL_RESERVATIONS "reservations/1"
struct pol_reservations {
    uint32_t size, reserved;
    /*
     * Decisions, for the record and the audit; in every resource need + lent <= reserved.
     * reserve: at each stage's start.  lend: a task that runs (was just started) borrows so much of what it holds
     * (NULL: all of it) from a job's reservation; its end, or the reservation's, ends that.
     */
    void (*reserve)(void *ctx, pol_job j, const struct pol_reserve *r, const char *reason);
    void (*lend)(void *ctx, pol_task t, pol_job lender, const struct pol_amount *part, const char *reason);
};

/* ---- holds: whether host->hold is heard ---- */

#define POL_HOLDS "holds/1"
struct pol_holds {
    uint32_t size;
    uint32_t is_recorded;               /* 0: nobody keeps reasons in this run: do not work them out */
};

/* ---- scores: what each node was to a task that asked for one ---- */

/*
 * Of a node on which the task may run: a score plugin's points, 0 to 100, and their weight, above 0.  Of another:
 * the filter that struck it out (`fits`: the request does not fit), weight 0, and what is lacking, LACK_... of
 * fits.h.  is_chosen: the task goes there.
 */
struct pol_score { const char *plugin; double points, weight; uint32_t node, lacks, is_chosen, reserved; };

#define POL_SCORES "scores/1"
struct pol_scores {
    uint32_t size;
    uint32_t is_recorded;               /* 0: nobody keeps them in this run: do not work them out */
    /* For the record alone, in decide: a task that waits asked once, and this was each node to it.  s [n], copied. */
    void (*tell)(void *ctx, pol_task t, const struct pol_score *s, uint32_t n);
};

/* ---- shapes: ids of requests that are used again ---- */

/*
 * A policy that asked for this may find that the id of a shape comes to mean another request: one that no task has
 * which is waiting, running or told of in this call.  Whatever it kept by the id, or by lists of ids, it forgets then.
 * To all others an id means one request as long as the policy lives, and memory is not given back.
 */
#define POL_SHAPES "shapes/1"
struct pol_shapes {
    uint32_t size;
    uint32_t n_renewed;
    const uint32_t *renewed;            /* [n_renewed] ids of other requests than in the last call; maybe twice */
};

/* ---- preferences: nodes that a task would rather run on ---- */

#define POL_PREFERENCES "preferences/1"
struct pol_preferences {
    uint32_t size, reserved;
    /* [n_nodes] sums of the weights of the preferences that each node meets, 0 or more; NULL: the shape has none. */
    const int32_t *(*of)(void *ctx, uint32_t shape);
};

/* ---- recorded: what the trace says became of its jobs where they ran ---- */

/* start_us -1: it does not say.  end_us: to a clairvoyant policy alone, else -1.  node: until decide returns. */
struct pol_record { int64_t start_us, end_us; const uint32_t *node; uint32_t n_nodes, reserved; };

/* How the record and the cluster do not go together, at this instant.  Append only. */
enum pol_contradiction {
    POL_UNRECORDED,                     /* the trace does not say when the job started */
    POL_ELSEWHERE,                      /* its nodes do not have what it asks: it starts on others */
    POL_LATE,                           /* no nodes have: it waits */
    POL_CONTRADICTIONS
};

#define POL_RECORDED "recorded/1"
struct pol_recorded {
    uint32_t size, reserved;
    struct pol_record (*of)(void *ctx, pol_job j);                  /* of a stale handle: nothing */
    /* For the record alone, in decide: kept with the instant, and counted in what the run says; once a job and kind. */
    void (*contradicts)(void *ctx, pol_job j, uint32_t what);
};

/* ---- calls: tasks that are made of API calls, each on one engine ---- */

/* One call of a task.  us: time on an engine of each type; -1: it cannot run there. */
struct pol_call { int64_t size_b, result_b; int64_t us[POL_ENGINES_MAX]; uint32_t api, reserved; };

/* Where a task stands among its calls. */
struct pol_call_state {
    uint32_t n_calls;                       /* 0: it is not made of calls, or the handle is stale */
    uint32_t next;                          /* its next call, or the one that runs; n_calls: all are done */
    uint32_t queue;                         /* node in whose queue it waits; POL_NONE: in none */
    uint32_t node, engine, reserved;        /* where its call runs; node POL_NONE: none does */
    int64_t  since_us, us;                  /* when that began, and how long it takes, the way included; -1: none */
};

/*
 * What profiling knows of a task: a value for each engine type, 0 where the
 * task cannot run.  form: POL_RANKS 1 is best; POL_TIMES seconds;
 * POL_EFFICIENCIES 1/seconds.
 */
enum { POL_RANKS, POL_TIMES, POL_EFFICIENCIES };
struct pol_relation { uint32_t form, reserved; double value[POL_ENGINES_MAX]; };

#define POL_CALLS "calls/1"
struct pol_calls {
    uint32_t size;
    uint32_t n_tiers;
    const uint32_t *tier;               /* [n_nodes] nodes that are as far from all others share one, < n_tiers */
    const uint32_t *queued;             /* [n_nodes] tasks in each node's queue */
    struct pol_call_state (*state)(void *ctx, pol_task t);
    struct pol_call (*info)(void *ctx, pol_task t, uint32_t k);                 /* k < n_calls */
    struct pol_relation (*relation)(void *ctx, pol_task t);                     /* O(calls) where none is given */
    /* Time on the way there and back if a node had call k run on another; 0 when they are one; POL_NEVER: no end. */
    int64_t (*overhead)(void *ctx, pol_task t, uint32_t k, uint32_t from, uint32_t to);
    /*
     * Decisions.  send: a waiting task goes to a node's queue, from the master's or another's; start takes it from
     * there, on that node alone.  call: the next call of a task that was started runs on an engine of that type,
     * there or on another node, once POL_CALL said that it may.
     */
    void (*send)(void *ctx, pol_task t, uint32_t node, const char *reason);
    void (*call)(void *ctx, pol_task t, uint32_t node, uint32_t engine, const char *reason);
};

/*
 * ---- client: what a client of libfairway gave with the policy's table (fairway.h) ----
 * The extension is that pointer itself; NULL elsewhere.
 */
#define POL_CLIENT "client/1"

/* ---- elastic: jobs that may run on other numbers of tasks than they ask ---- */

/* Of a job: from min to max tasks; how many its user asked for.  Of one that is not elastic all three are the same. */
struct pol_sizes { uint32_t min, max, asked, is_elastic; };

#define POL_ELASTIC "elastic/1"
struct pol_elastic {
    uint32_t size, reserved;
    /* All zero: the handle is stale. */
    struct pol_sizes (*sizes)(void *ctx, pol_job j);
    /*
     * How fast an elastic job goes on n of its tasks on GPUs of the type, on one node (n_nodes 0), on several but as
     * few as may be (1), or on that many, and nothing else slowing it: in millionths of nominal.  0: it does not run
     * on so many, or not there.
     */
    int64_t (*speed)(void *ctx, pol_job j, uint32_t gpu_type, uint32_t n, uint32_t n_nodes);
    /* Time that a start of it after its first takes before it computes. */
    int64_t (*restart_us)(void *ctx, pol_job j, uint32_t gpu_type);
    /*
     * A running elastic job goes on at place [n], copied, one a task in task order: it stops, keeps what a preemption
     * keeps, and starts there at once.  What it holds is free for that.  (One that waits: host->start, with any n
     * that it runs on.)  As it costs the job what a preemption does, it takes POL_PREEMPTS.  Its n_tasks is n from the next call on; the handles of tasks beyond name nothing that waits
     * or runs.
     */
    void (*scale)(void *ctx, pol_job j, const struct pol_place *place, uint32_t n, const char *reason);
};

/* ---- speeds: how fast jobs go on each GPU type, and beside each other ---- */

#define POL_SPEEDS "speeds/1"
struct pol_speeds {
    uint32_t size, reserved;
    /*
     * Of a job that has its cards to itself, on GPUs of the type: in millionths of nominal; 0: it does not run there,
     * or the handle is stale.  is_known, may be NULL: false where the job has a model of which nobody said how fast it
     * is there; like a job without a model it is taken for as fast as the type.
     */
    int64_t (*on)(void *ctx, pol_job j, uint32_t gpu_type, bool *is_known);
    /* Of a job that shares each of its cards with another, over that: in millionths; 0: it was not measured. */
    int64_t (*beside)(void *ctx, pol_job j, pol_job other, uint32_t gpu_type);
    /* Steps that a job does in a second at nominal speed; 0: nobody said. */
    double (*steps_per_s)(void *ctx, pol_job j);
    /*
     * Mean speed of the job's model beside each of those with which it was measured on one card of the type, over its
     * speed alone, in millionths; 0: it was measured with none, or the handle is stale.  O(pairs measured).
     */
    int64_t (*beside_mean)(void *ctx, pol_job j, uint32_t gpu_type);
};

/* ---- profiles: how fast a model goes with so many cores and so much memory, and on several nodes ---- */

/* Of a unit on one node. */
struct pol_needs { int64_t cpu_milli, mem_b; };

#define POL_PROFILES "profiles/1"
struct pol_profiles {
    uint32_t size, reserved;
    /*
     * How fast the unit of the task goes on one node that has GPUs of the type, with so many cores and so much memory
     * in all and nothing else slowing it: in millionths of its best there.  -1: its model has no profile.
     */
    int64_t (*speed)(void *ctx, pol_task t, uint32_t gpu_type, int64_t cpu_milli, int64_t mem_b);
    /* The least with which it goes at its best, both alone; memory 0: it is as fast with any.  -1: no profile. */
    struct pol_needs (*needs)(void *ctx, pol_task t, uint32_t gpu_type);
    /*
     * Of a unit on several nodes of one rack, or of several racks, over that on one node, as its model was measured:
     * in millionths; 0: it was not, or the handle is stale; -1: no model was.
     */
    int64_t (*apart)(void *ctx, pol_task t, uint32_t gpu_type, bool is_cross);
};

/* ---- goodput: elastic jobs whose scaling has a model of how they train ---- */

/*
 * Total batches in examples: the first, for which efficiency is 1; the most; the only one, 0: any of these.  left: the
 * share of its work that the job says is left, which many say at the ends of epochs alone; -1: the policy is not
 * clairvoyant.
 */
struct pol_batches { double first, max, fixed, min_local, max_local, left; };
/* One step: its batch; examples on a GPU at a time; how many gradients before the last; s of each, of the last with exchange. */
struct pol_step { double batch, local, accumulate, grad_s, step_s; };

#define POL_GOODPUT "goodput/1"
struct pol_goodput {
    uint32_t size, reserved;
    /* first 0: nothing is known of how the job trains. */
    struct pol_batches (*batches)(void *ctx, pol_job j);
    /* On n tasks, n_nodes as speed of elastic/1 has it, at its best batch there: what profiling would tell.  batch 0: not there. */
    struct pol_step (*step)(void *ctx, pol_job j, uint32_t gpu_type, uint32_t n, uint32_t n_nodes);
    /* Of a job that runs, where it is; batch 0: it does not. */
    struct pol_step (*measured)(void *ctx, pol_job j);
    /* Its gradient noise scale, in examples. */
    double (*noise)(void *ctx, pol_job j);
};

#endif

/*
 * fakehost.h -- a small host for policies: nodes, jobs, and a log of what was
 * decided.  No clock of its own: the test says what time it is and what ends.
 *
 * Decisions are checked against the host's own ledger and applied at once
 * after decide; a bad one fails the test.
 */
#ifndef FAKEHOST_H
#define FAKEHOST_H

#include "base/rng.h"
#include "extensions.h"

enum { FAKE_INPUTS = 4, FAKE_REPLICAS = 4, FAKE_NODES = 64, FAKE_CARDS = 256, FAKE_SHAPES = 64, FAKE_TASKS = 1024, FAKE_LOG = 4096 };

struct fake_entry { bool is_start; uint32_t job, task, node; uint64_t cards; };     /* a start, or a preemption */

struct fake_input { int64_t size_b; uint32_t n, replica[FAKE_REPLICAS]; };
struct fake_task { struct pol_task_info info, shown; bool is_done; uint32_t n_inputs; struct fake_input input[FAKE_INPUTS]; };

struct fakehost {
    struct pol_host api;
    struct pol_view view;
    struct pol_licences licences;       /* none, unless the test sets them */
    struct pol_node  node[FAKE_NODES];
    struct pol_card  card[FAKE_CARDS];
    struct pol_shape shape[FAKE_SHAPES];
    struct pol_job_info job[FAKE_TASKS];  uint32_t n_jobs;
    struct fake_task task[FAKE_TASKS];    uint32_t n_tasks;
    struct pol_event event[FAKE_TASKS];   size_t n_events;
    uint32_t changed[FAKE_NODES]; bool is_changed[FAKE_NODES];
    struct fake_entry log[FAKE_LOG];      size_t n_log, n_applied;
    int64_t wake[FAKE_LOG];               size_t n_wakes;
    int64_t disk_bps, rack_bps, aggregation_bps;        /* 0: takes no time */
    uint64_t measured;                  /* how often a test changed these */
    /* Called before (false) and after (true) each round, before its decisions, log[n_applied .. n_log), are applied; may be NULL. */
    void (*round)(struct fakehost *h, bool is_decided);
    const struct pol_ops *ops;
    void *self;
};

/* All zero; then nodes, then fakehost_open. */
struct fakehost *fakehost_create(void);
uint32_t fakehost_node(struct fakehost *h, int64_t cpu_milli, int64_t mem_b, uint32_t n_gpu, int64_t gpu_mem_b);
/* `racks` racks of `per_rack` nodes of 16 cores and `gpus` cards of 10 GB; the first shape asks one card and 1 GB of it. */
void     fakehost_racks(struct fakehost *h, uint32_t racks, uint32_t per_rack, uint32_t gpus);
/* Up to 9 nodes of up to 3 cards in up to 4 racks, any speeds, and three shapes of one card; alike: all cards of 20 GB, else some of 10. */
void     fakehost_random(struct fakehost *h, struct rng *g, bool alike);
/* Draw other speeds, as a monitor of bandwidth would find. */
void     fakehost_speeds(struct fakehost *h, struct rng *g);
/* Create the policy with "key=value,..." over its defaults; "" for none. */
void     fakehost_open(struct fakehost *h, const struct pol_ops *ops, const char *params);
/* Parameters that it cannot be created with, and words of what it says of them. */
void     fakehost_refuses(struct fakehost *h, const struct pol_ops *ops, const char *params, const char *words);
void     fakehost_destroy(struct fakehost *h);

uint32_t fakehost_shape(struct fakehost *h, struct pol_shape s);
/* A job of n tasks of one shape arrives; limit and dur in us, -1: none. */
uint32_t fakehost_job(struct fakehost *h, uint32_t user, uint32_t shape, uint32_t n, bool gang, int64_t limit, int64_t dur);
/* What the data extension tells. */
struct pol_transfer fakehost_transfer(const struct fakehost *h, pol_task t, uint32_t node);
/* One more block that a task reads; before anyone asks.  replica [n]: nodes, increasing. */
void     fakehost_input(struct fakehost *h, uint32_t task, int64_t size_b, const uint32_t *replica, uint32_t n);
/* The task waits for others of its job, from its arrival until fakehost_ready. */
void     fakehost_block(struct fakehost *h, uint32_t task);
void     fakehost_ready(struct fakehost *h, uint32_t task);
void     fakehost_timer(struct fakehost *h);                    /* a wake came true */
void     fakehost_end(struct fakehost *h, uint32_t task);       /* tells of the job's end after its last */
void     fakehost_up(struct fakehost *h, uint32_t node, bool is_up);    /* down: nothing may run there */
/* What is free of a node's first card, whoever holds the rest. */
void     fakehost_card(struct fakehost *h, uint32_t node, int32_t milli_free);
/* At `now`: decide, apply, again while preemptions left something to tell. */
void     fakehost_decide(struct fakehost *h, int64_t now);

#endif

/*
 * speed_priv.h -- the members of a world's speeds, and what their files share.  Layer: model, private.
 *
 * speed.c      factors, demand, what changed, what a monitor sees
 * distance.c   what exchange between cards and between nodes costs
 * feed.c       what of a data set comes from memory and from the node's disk
 */
#ifndef MODEL_SPEED_SPEED_PRIV_H
#define MODEL_SPEED_SPEED_PRIV_H

#include "base/mem.h"
#include "model/speed/speed.h"

/* By task slot; all but bw, got, disk and flow at the unit's lead. */
struct load {
    int64_t  bw;                    /* what it asks for */
    int64_t  got, was_got;          /* what it moves now, and at the last look before `since` */
    int64_t  util, was_util;        /* -1: not computing then */
    sim_tick since;                 /* of the present figures */
    int64_t  busy;
    int64_t  disk;                  /* what it would read from its node's, bytes/s; at its part's first task */
    uint32_t flow;                  /* of the network, from its node to the unit's next; NONE: none */
    bool     has_profile;
    double   alone;                 /* utilisation of its cards if nobody shared them */
    bool     is_on;
};

/* The unit's share of one node, and the profile that holds there (NULL: none). */
struct part {
    uint32_t node, first;
    int64_t  cpu, bw, mem;
    uint64_t cards;
    uint32_t n_gpus;
    const struct profile *profile;
    double   scale;                 /* cores and bandwidth here over the profile's */
};

struct speed {
    struct speed_env env;
    struct load *load;  size_t n_load;
    int64_t     *node_bw;           /* [n_nodes]: asked */
    int64_t     *level;             /* [n_nodes]: what a task gets at most; INT64_MAX: what it asks */
    int64_t     *node_disk, *disk_level;        /* [n_nodes]: the same of its disk */
    int64_t     *asked; size_t cap_asked;       /* of one node's tasks */
    bool        *is_dirty;          /* [n_nodes] */
    uint32_t    *dirty; uint32_t n_dirty;
    struct part *part;  size_t cap_part;        /* of the unit looked at, by speed_parts */
    uint32_t     n_part, n_gpus;    /* of the unit whose parts were found last */
    uint32_t    *count; size_t cap_count;       /* [n_part]: GPUs of each */
    int64_t      busy;
};

static inline const struct task  *speed_task(const struct speed *s, uint32_t t) { return &s->env.jobs->task[t]; }
static inline const struct job *speed_job(const struct speed *s, uint32_t t)
{
    return &s->env.jobs->job[speed_task(s, t)->job];
}
static inline const struct shape *speed_asked(const struct speed *s, uint32_t t)
{
    return &s->env.shapes->at[speed_task(s, t)->shape];
}
static inline const struct hold  *speed_held(const struct speed *s, uint32_t t) { return &s->env.cluster->hold[t]; }
static inline bool speed_has_gpus(const struct speed *s, uint32_t t) { return speed_asked(s, t)->n_gpu > 0; }
/* The phase of its model in which the task's unit is; NULL: in none, as most. */
static inline const struct phase *speed_phase(const struct speed *s, uint32_t t)
{
    const struct profiles *p = s->env.profiles;
    if (p == NULL || p->phases.n == 0) return NULL;
    return phases_get(&p->phases, speed_job(s, t)->model, speed_task(s, jobs_lead(s->env.jobs, t))->model_phase);
}
/* As which model it goes now; NONE: no model. */
static inline uint32_t speed_model(const struct speed *s, uint32_t t)
{
    const struct phase *p = speed_phase(s, t);
    return p != NULL ? p->as : speed_job(s, t)->model;
}
/* By the profile at the cores that the part holds. */
static inline double speed_util(const struct part *x)
{
    return curve_at(&x->profile->util, (double)x->cpu / 1000 / x->scale);
}
/* The next task on a node whose unit computes, from k on; NONE: there is none. */
uint32_t speed_computing(const struct speed *s, uint32_t k);
#define SPEED_COMPUTING_EACH(s, n, k) \
    for (uint32_t k = speed_computing(s, (s)->env.cluster->own[n].first_hold); k != NONE; \
         k = speed_computing(s, speed_held(s, k)->next))
/* The greatest share with which what is asked stays within cap; INT64_MAX: all of it does.  Sorts `asked`. */
int64_t speed_level(int64_t *asked, size_t n, int64_t cap);
/* The scaling that holds on a node, of an elastic job's unit; NULL: none. */
const struct scaling_row *speed_scaling_on(const struct speed *s, uint32_t t, uint32_t node);
/* Of the model on that node; nominal for CPU work. */
sim_rate speed_on(const struct speed *s, uint32_t t, uint32_t node);

/* ---- distance.c: t is the lead of the unit whose parts were found last ---- */
double speed_distance(const struct speed *s, uint32_t t);
/* Its exchange begins to contend with other transfers, and no longer. */
void   speed_exchange_begin(struct speed *s, uint32_t t);
void   speed_exchange_end(struct speed *s, uint32_t t, sim_tick now);

/* ---- feed.c: the same ---- */
double speed_feed(const struct speed *s);
/* What its parts would read from their nodes' disks, and no longer. */
void   speed_feed_ask(struct speed *s);
void   speed_feed_end(struct speed *s, uint32_t t);
/* What is asked of a node's disk, among who asks. */
void   speed_feed_divide(struct speed *s, uint32_t node);

#endif

/*
 * kit.h -- what most policies need besides their rule: a queue of what waits,
 * and a private copy of what is free, on which one call's decisions are planned.
 *
 * A simple stand-in that is yours to change: every call copies the cluster and
 * looks at nodes in order, O(nodes) a unit.  policy.h is all it includes.
 *
 *   kit_hear   first in decide: takes in what happened, copies what is free
 *   kit_start  tries one unit; decides its start if it fits
 *   kit_close  last in decide: drops from the queue what was started
 */
#ifndef KIT_H
#define KIT_H

#include <stdlib.h>
#include <string.h>
#include "policy.h"

struct unit {                       /* what starts at once: a gang job, or a task of any other */
    pol_job  job;
    pol_task task;                  /* of a gang: the first */
    uint64_t ordinal;               /* of the job's arrival */
    int64_t  submit_us, gpu_milli;
    uint32_t index, n_tasks, is_gang;
    uint32_t is_gone;               /* started in this call, or its job was ended while it waited */
    int64_t  rank;                  /* the policy's own */
};

struct plan { struct pol_node *node; struct pol_card *card; };

struct kit {
    const struct pol_host *host;
    struct unit *queue;      size_t n, cap;         /* in any order */
    struct plan now, saved;                         /* what is free; the same before a gang was tried */
    struct pol_place *place; size_t cap_place;
};

static inline const struct pol_task_info *kit_task(const struct kit *k, pol_task t) { return k->host->task(k->host->ctx, t); }
static inline const struct pol_job_info *kit_job(const struct kit *k, pol_job j) { return k->host->job(k->host->ctx, j); }

static inline void *kit_grow(void *p, size_t *cap, size_t want, size_t size)
{
    if (want <= *cap) return p;
    *cap = 2 * want;
    p = realloc(p, *cap * size);
    if (p == NULL) abort();
    return p;
}

/* ---- where a task fits ---- */

/* Take what the shape asks of node n out of the plan, on the cards that the host would choose. */
static inline bool kit_take(const struct kit *kit, struct plan *p, uint32_t n, const struct pol_shape *a, struct pol_place *out)
{
    struct pol_node *o = &p->node[n];
    if (!kit->host->fits(o, &p->card[o->card0], a)) return false;
    *out = (struct pol_place){ .node = n, .cards = kit->host->pick_cards(o, &p->card[o->card0], a) };
    if (a->exclusive) { out->cards = 0; o->is_up = 0; return true; }    /* the host gives it all; nothing else fits */
    o->cpu_free -= a->cpu_milli;
    o->mem_free -= a->mem_b;
    o->n_tasks++;
    for (int e = 0; e < POL_ENGINES_MAX; e++) o->engine_free[e] -= a->engine[e];
    for (uint32_t k = 0; k < o->n_gpu; k++) {
        if ((out->cards >> k & 1) == 0) continue;
        p->card[o->card0 + k].milli_free -= a->gpu_milli;
        p->card[o->card0 + k].mem_free -= a->gpu_mem_b;
        p->card[o->card0 + k].core_free -= a->gpu_cores;
    }
    return true;
}

static inline void kit_copy(struct plan *to, const struct pol_node *node, const struct pol_card *card, const struct pol_view *v)
{
    memcpy(to->node, node, v->n_nodes * sizeof *node);
    if (v->n_cards > 0) memcpy(to->card, card, v->n_cards * sizeof *card);
}

/* Start the unit if all its tasks find a node, each on the first that fits; else leave the plan as it was. */
static inline bool kit_start(struct kit *k, const struct pol_view *v, struct unit *u, const char *reason)
{
    uint32_t want = u->is_gang ? u->n_tasks : 1, i = 0;
    if (want > 1) kit_copy(&k->saved, k->now.node, k->now.card, v);
    for (pol_task t = u->task; i < want; i++, t = kit_task(k, t)->next) {
        const struct pol_shape *a = &v->shape[kit_task(k, t)->shape];
        uint32_t n = 0;
        while (n < v->n_nodes && !kit_take(k, &k->now, n, a, &k->place[i])) n++;
        if (n < v->n_nodes) continue;
        if (i > 0) kit_copy(&k->now, k->saved.node, k->saved.card, v);
        return false;
    }
    k->host->start(k->host->ctx, u->task, k->place, want, reason);
    u->is_gone = 1;
    return true;
}

/* ---- the queue ---- */

static inline void kit_add(struct kit *k, const struct pol_view *v, pol_task task)
{
    const struct pol_task_info *t = kit_task(k, task);
    const struct pol_job_info *j = kit_job(k, t->job);
    struct unit u = { .job = t->job, .task = task, .ordinal = j->ordinal, .submit_us = j->submit_us, .index = t->index,
                      .n_tasks = j->n_tasks, .is_gang = j->is_gang };
    for (uint32_t i = 0; i < (j->is_gang ? j->n_tasks : 1); i++, t = kit_task(k, t->next))
        u.gpu_milli += (int64_t)v->shape[t->shape].n_gpu * v->shape[t->shape].gpu_milli;
    k->queue = kit_grow(k->queue, &k->cap, k->n + 1, sizeof *k->queue);
    k->place = kit_grow(k->place, &k->cap_place, j->n_tasks, sizeof *k->place);
    k->queue[k->n++] = u;
}

/* A job came: those of its tasks wait that need no other's end.  The others are told of as they become ready. */
static inline void kit_arrive(struct kit *k, const struct pol_view *v, pol_job job)
{
    pol_task t = kit_job(k, job)->first_task;
    if (kit_job(k, job)->is_gang) { kit_add(k, v, t); return; }
    for (const struct pol_task_info *i; t.slot != POL_NONE; t = i->next) {
        i = kit_task(k, t);
        if (i->is_waiting) kit_add(k, v, t);
    }
}

static inline void kit_close(struct kit *k)
{
    size_t kept = 0;
    for (size_t i = 0; i < k->n; i++)
        if (!k->queue[i].is_gone) k->queue[kept++] = k->queue[i];
    k->n = kept;
}

static inline void kit_hear(struct kit *k, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    if (k->now.node == NULL) {                      /* the first call; nodes never become more */
        size_t cap[4] = { 0 };
        k->now = (struct plan){ kit_grow(NULL, &cap[0], v->n_nodes, sizeof *v->node), kit_grow(NULL, &cap[1], v->n_cards, sizeof *v->card) };
        k->saved = (struct plan){ kit_grow(NULL, &cap[2], v->n_nodes, sizeof *v->node), kit_grow(NULL, &cap[3], v->n_cards, sizeof *v->card) };
    }
    kit_copy(&k->now, v->node, v->card, v);
    for (size_t i = 0; i < k->n; i++) {             /* a limit may end a job of which some tasks still wait */
        const struct pol_task_info *t = kit_task(k, k->queue[i].task);
        k->queue[i].is_gone = t == NULL || !t->is_waiting;
    }
    kit_close(k);
    for (size_t i = 0; i < n_ev; i++) {             /* of events of other types nothing needs to be known here */
        if (ev[i].type == POL_ARRIVED) kit_arrive(k, v, ev[i].job);
        if (ev[i].type == POL_READY) kit_add(k, v, ev[i].task);
    }
}

static inline void kit_fini(struct kit *k)
{
    free(k->queue); free(k->place);
    free(k->now.node); free(k->now.card); free(k->saved.node); free(k->saved.card);
}

#endif

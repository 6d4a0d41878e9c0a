/* evict.c -- preemption by shares: whose unit stops, for whose, see evict.h. */
#include "lib/data/evict.h"

#include "lib/util.h"

void evict_fini(struct evict *e)
{
    POL_FREE(e->rich, e->needy, e->victim, e->failed_in);
}

static struct gpujob *job_of(struct offer *o, uint32_t slot) { return &o->jobs.at[slot]; }

static bool is_needy(const struct gpujob *j) { return j->waiting > 0 && j->held < j->share; }

/* ---- releasing and handing back ---- */

bool evict_hand_back(struct sched *d, uint32_t v)
{
    struct plan *p = &d->plan;
    struct plan_mark m = plan_mark(p);
    uint32_t t = v;
    for (uint32_t i = 0; i < sched_unit(d, v)->n_tasks; i++, t = d->held[t].next) {
        const struct sched_held *h = &d->held[t];
        if (!pol_node_fits_on(&p->node[h->node].n, plan_cards_of(p, h->node), &p->shape[h->shape], h->cards)) {
            plan_undo(p, m);
            return false;
        }
        plan_allocate(p, h->node, &p->shape[h->shape], h->cards);
    }
    plan_keep(p, m);
    return true;
}

uint32_t evict_next(struct evict *e, struct offer *o)
{
    for (;;) {
        struct evict_rich *most = NULL;
        int64_t excess = 0;
        for (uint32_t i = 0; i < e->n_rich; i++) {
            const struct gpujob *j = job_of(o, e->rich[i].job);
            int64_t over = j->held - e->rich[i].gone - j->share;
            if (over <= 0 || over < excess) continue;
            excess = over;
            most = &e->rich[i];
        }
        if (most == NULL) return POL_NONE;
        uint32_t v = gpujobs_victim(&o->jobs, job_of(o, most->job), most->last, excess);
        if (v == POL_NONE) {
            size_t at = (size_t)(most - e->rich);      /* in order, for ties */
            memmove(most, most + 1, (--e->n_rich - at) * sizeof *most);
            continue;
        }
        most->last = v;
        most->gone += gpujobs_ask(&o->jobs, sched_unit(&o->sched, v)->request_class);
        sched_release(&o->sched, v);
        POL_RESERVE(e->victim, e->cap_victim, (size_t)e->n_victims + 1);
        return e->victim[e->n_victims++] = v;
    }
}

void evict_begin(struct evict *e, struct offer *o)
{
    struct gpujobs *g = &o->jobs;
    e->n_rich = e->n_victims = 0;
    for (uint32_t i = 0; i < g->order.n; i++) {
        const struct gpujob *j = gpujobs_nth(g, i);
        if (j == NULL || j->held <= j->share || j->runs.n < 2) continue;
        POL_PUSH(e->rich, e->n_rich, e->cap_rich, (struct evict_rich){ .job = g->order.at[i].slot, .last = POL_NONE });
    }
}

/* ---- one job's try ---- */

/* Is everything that the job waits for of classes for which not even all victims were enough in this decision? */
static bool is_known_unschedulable(struct evict *e, struct offer *o, uint32_t slot)
{
    struct gpujobs *g = &o->jobs;
    for (uint32_t x = job_of(o, slot)->first_group; x != POL_NONE; x = g->group[x].next) {
        POL_RESERVE(e->failed_in, e->cap_failed_in, (size_t)g->group[x].request_class + 1);
        if (g->group[x].n_waiting > 0 && !gpujobs_is_apart(g, g->group[x].request_class) && e->failed_in[g->group[x].request_class] != o->sched.round) return false;
    }
    return true;
}

static uint32_t all_released(struct evict *e, struct offer *o, uint32_t slot)
{
    bool declines;
    while (evict_next(e, o) != POL_NONE) { }
    return offer_pick(o, slot, &declines);
}

/*
 * 1. Release the first victim; that is mostly enough.
 * 2. If not, would all of them be?  The plan is put back after asking.
 * 3. If so, release one by one until something of the job fits.
 */
static uint32_t release_enough(struct evict *e, struct offer *o, uint32_t slot)
{
    struct plan *p = &o->sched.plan;
    bool declines;
    struct plan_mark m = plan_mark(p);
    evict_begin(e, o);
    uint32_t unit = evict_next(e, o) != POL_NONE ? offer_pick(o, slot, &declines) : POL_NONE;
    if (unit != POL_NONE) {
        plan_keep(p, m);
        return unit;
    }
    unit = e->n_victims > 0 ? all_released(e, o, slot) : POL_NONE;
    plan_undo(p, m);
    if (unit == POL_NONE) return POL_NONE;
    evict_begin(e, o);
    do (void)evict_next(e, o);
    while ((unit = offer_pick(o, slot, &declines)) == POL_NONE);
    return unit;
}

static bool try(struct evict *e, struct offer *o, uint32_t slot)
{
    struct sched *d = &o->sched;
    struct gpujobs *g = &o->jobs;
    uint32_t unit = release_enough(e, o, slot);
    if (unit == POL_NONE) {
        /* Only without a quota: a job at its quota takes nothing of a class that another job may take. */
        for (uint32_t x = g->quota > 0 ? POL_NONE : job_of(o, slot)->first_group; x != POL_NONE; x = g->group[x].next)
            if (g->group[x].n_waiting > 0 && d->classes.at[g->group[x].request_class].is_monotone) e->failed_in[g->group[x].request_class] = d->round;
        return false;
    }
    uint32_t n = e->n_victims;
    for (uint32_t i = n; i-- > 0;)
        if (evict_hand_back(d, e->victim[i])) e->victim[i] = POL_NONE;
    for (uint32_t i = 0; i < n; i++)
        if (e->victim[i] != POL_NONE) sched_preempt(d, e->victim[i], e->reason);
    offer_take(o, unit, "its job is below its share");
    return true;
}

void evict_run(struct evict *e, struct offer *o)
{
    struct gpujobs *g = &o->jobs;
    if (g->waiting == 0 || g->n_spare_runs == 0) return;
    gpujobs_share(g);
    evict_begin(e, o);
    if (e->n_rich == 0) return;
    e->n_needy = 0;
    for (uint32_t i = 0; i < g->order.n; i++) {
        struct gpujob *j = gpujobs_nth(g, i);
        if (j == NULL || !is_needy(j)) continue;
        POL_PUSH(e->needy, e->n_needy, e->cap_needy, g->order.at[i].slot);
    }
    while (e->n_needy > 0) {
        uint32_t at = 0;
        for (uint32_t i = 1; i < e->n_needy; i++)
            if (job_of(o, e->needy[i])->held < job_of(o, e->needy[at])->held) at = i;
        uint32_t slot = e->needy[at];
        if (!is_known_unschedulable(e, o, slot) && try(e, o, slot) && is_needy(job_of(o, slot))) continue;
        memmove(&e->needy[at], &e->needy[at + 1], (--e->n_needy - at) * sizeof *e->needy);
    }
}

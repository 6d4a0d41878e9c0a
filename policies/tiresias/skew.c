/*
 * skew.c -- gangs on as few nodes as may be, see skew.h.
 *
 * A gang's tasks are alike, so that filling the node with the most room, and then the next, takes the fewest nodes that
 * there are; on an empty cluster that is the least number.
 */
#include "lib/util.h"
#include "tiresias/skew.h"

enum { CARDS_MAX = 64 };

void skew_init(struct skew *s, struct sched *d, enum skew_who who, double slow)
{
    *s = (struct skew){ .sched = d, .who = who, .slow = slow };
    if (who == SKEW_SLOW) s->profiles = pol_extension(d->host, POL_PROFILES);
}

void skew_fini(struct skew *s) { POL_FREE(s->least, s->node); }

static bool is_slow(const struct skew *s, const struct unit *u)
{
    const struct pol_host *h = s->sched->host;
    for (uint32_t k = 0; k < s->sched->view->n_gpu_types; k++) {
        int64_t speed = s->profiles->apart(h->ctx, u->task, k, false);
        if (speed < 0) {
            h->fail(h->ctx, "consolidate=skew needs speeds of models on several nodes: there is no profiles.distance");
            return false;
        }
        if (speed > 0 && (double)speed < s->slow * 1e6) return true;
    }
    return false;
}

bool skew_holds(const struct skew *s, const struct unit *u)
{
    if (s->who == SKEW_NOBODY || u->n_tasks == 1) return false;
    const struct request_class *c = &s->sched->classes.at[u->request_class];
    for (uint32_t i = 1; i < c->n_tasks; i++)
        if (c->shape[i] != c->shape[0]) return false;
    if (s->sched->plan.shape[c->shape[0]].n_gpu == 0) return false;
    return s->who == SKEW_ALL || is_slow(s, u);
}

/* Nodes that it needs at least, if nothing ran there. */
static uint32_t least_nodes(struct skew *s, const struct unit *u)
{
    const struct plan *p = &s->sched->plan;
    const struct request_class *c = &s->sched->classes.at[u->request_class];
    uint32_t nodes[CARDS_MAX + 1] = { 0 }, n = 0, left = u->n_tasks;
    POL_RESERVE(s->least, s->cap_least, (size_t)u->request_class + 1);
    if (s->least[u->request_class] > 0) return s->least[u->request_class];
    for (uint32_t i = 0; i < p->n_nodes; i++) {
        uint32_t room = pol_node_capacity_empty(&p->node[i].n, plan_cards_of(p, i), &p->shape[c->shape[0]]);
        nodes[room < CARDS_MAX ? room : CARDS_MAX]++;
    }
    for (uint32_t room = CARDS_MAX; room > 0; room--)
        for (; nodes[room] > 0 && left > 0; nodes[room]--, n++) left -= room < left ? room : left;
    return s->least[u->request_class] = n > 0 ? n : 1;
}

/* The node that takes all that are left and has the least room beside; or that with the most room.  POL_NONE: none. */
static uint32_t next_node(const struct skew *s, const struct pol_shape *shape, const uint32_t *taken, uint32_t n_taken,
                          uint32_t left, uint32_t *room)
{
    const struct plan *p = &s->sched->plan;
    uint32_t best = POL_NONE;
    for (uint32_t i = 0; i < p->n_nodes; i++) {
        uint32_t n = plan_capacity(p, i, shape), k = 0;
        if (n == 0 || (best != POL_NONE && (n < left ? n <= *room : *room >= left && n >= *room))) continue;
        while (k < n_taken && taken[k] != i) k++;
        if (k < n_taken) continue;
        best = i;
        *room = n;
    }
    return best;
}

bool skew_place(struct skew *s, uint32_t id)
{
    struct sched *d = s->sched;
    const struct unit *u = sched_unit(d, id);
    if (!skew_holds(s, u)) return sched_place(d, id);
    const struct pol_shape *shape = &d->plan.shape[d->classes.at[u->request_class].shape[0]];
    uint32_t done = 0, room = 0, last = POL_NONE;
    POL_RESERVE(s->node, s->cap_node, u->n_tasks);
    for (uint32_t n = least_nodes(s, u); n > 0 && done < u->n_tasks; n--) {
        last = next_node(s, shape, s->node, done, u->n_tasks - done, &room);
        if (last == POL_NONE) return false;
        for (; room > 0 && done < u->n_tasks; room--) s->node[done++] = last;
    }
    return done == u->n_tasks && sched_place_on(d, id, s->node, u->n_tasks);
}

bool skew_fits(struct skew *s, uint32_t id)
{
    struct sched *d = s->sched;
    if (!skew_holds(s, sched_unit(d, id))) return sched_fits(d, id);
    struct plan_mark m = plan_mark(&d->plan);
    bool ok = skew_place(s, id);
    plan_undo(&d->plan, m);
    return ok;
}

/*
 * Dual ascent: before any path is searched, give overfull places the price at
 * which just as many of their tasks want to stay as fit.  First the classes of
 * a rack together, a group of kinds at a time, then each class.
 *
 * 1. For each task on the classes, what its best alternative costs more: a class
 *    outside, or leaving (the job's next waiting task takes its turn, or nobody).
 *    The classes being priced must not count, or their own old prices would hold
 *    the new ones down.
 * 2. The prices rise by an amount between what the last that must leave and the
 *    first that stays can bear.  Tasks that leave go to their alternatives,
 *    which may overfill those.
 * 3. Some rounds of this.  What is left, ties above all, is for the repairs; any
 *    prices >= 0 are a right start for them.
 * Worth its while only where many paths through a large graph are ahead; on
 * smaller rounds it spares few and costs as much.  Classes alone are not enough: where tasks crowd a rack they outbid each other from
 * class to class by tiny steps, while the rack as a whole is too cheap.
 */
#include "flow/state.h"

struct stay { int64_t until; uint32_t id, cls; int64_t cost; };     /* until: the rise at which it leaves */

static int by_until(const void *pa, const void *pb)
{
    const struct stay *a = pa, *b = pb;
    if (a->until != b->until) return a->until < b->until ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

static void raise_prices(struct sched *s, const uint32_t *set, uint32_t n, int64_t by)
{
    uint32_t spot[3];
    for (uint32_t i = 0; i < n; i++) s->cls[set[i]].pi += by;
    for (uint32_t i = 0; i < n; i++) {
        const struct cls *c = &s->cls[set[i]];
        for (uint32_t g = 0; g < s->n_groups; g++) {
            if ((s->group[g] >> c->kind & 1) == 0) continue;
            index_spots(s, set[i], g, spot);
            for (int k = 0; k < 3; k++) if (s->low[spot[k]] >= c->pi - by) spot_low(s, spot[k]);
        }
    }
}

static struct stay alternative(const struct sched *s, uint32_t id)
{
    const struct task *t = &s->task[id];
    const struct job *j = &s->job[t->job];
    struct stay x = { .id = id };
    int64_t other = place_best(s, id, true, &x.cls, &x.cost), up = value_down(s, j) + s->pi_root;
    if (j->low < up) up = j->low;
    if (up < other) { other = up; x.cls = NONE; }
    x.until = other - t->cost - s->cls[t->cls].pi;
    return x;
}

/* `over` of the tasks on the set's classes must go. */
static void ascend(struct sched *s, const uint32_t *set, uint32_t n_set, uint32_t over, struct stay *x)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < n_set; i++) s->cls[set[i]].is_apart = true;
    for (uint32_t i = 0; i < n_set; i++)
        for (uint32_t id = s->cls[set[i]].first; id != NONE; id = s->task[id].cnext) x[n++] = alternative(s, id);
    for (uint32_t i = 0; i < n_set; i++) s->cls[set[i]].is_apart = false;
    qsort(x, n, sizeof *x, by_until);
    int64_t goes = x[over - 1].until, by = over < n ? goes + (x[over].until - goes + 1) / 2 : goes + 1;
    if (by > 0) raise_prices(s, set, n_set, by);
    for (uint32_t i = over; i < n; i++) {
        const struct task *t = &s->task[x[i].id];
        if (s->job[t->job].pi < t->cost + s->cls[t->cls].pi) s->job[t->job].pi = t->cost + s->cls[t->cls].pi;
    }
    /* All moves before any job settles, which may drop tasks.  One that its job gives up
     * must go at once: j->low may be out of date, and the task then has a cheaper class. */
    for (uint32_t i = 0; i < over; i++) {
        if (x[i].cls != NONE) place_move(s, x[i].id, x[i].cls, x[i].cost);
        else place_drop(s, x[i].id);
    }
    for (uint32_t i = 0; i < over; i++) place_balance(s, s->task[x[i].id].job);
    s->stats.ascents++;
}

struct room { struct stay *x; size_t cap; };

static bool relieve(struct sched *s, const uint32_t *set, uint32_t n, struct room *r)
{
    uint32_t load = 0, cap = 0;
    for (uint32_t i = 0; i < n; i++) { load += s->cls[set[i]].load; cap += s->cls[set[i]].cap; }
    if (load <= cap) return false;
    ROOM(r->x, r->cap, load);
    ascend(s, set, n, load - cap, r->x);
    return true;
}

enum { ROUNDS = 6 };

void ascent_run(struct sched *s)
{
    struct room r = { NULL, 0 };
    uint64_t over = 0;
    for (size_t i = 0; i < s->n_live; i++) {
        const struct cls *c = &s->cls[s->live[i]];
        if (c->load > c->cap) over += c->load - c->cap;
    }
    if (over * (s->n_live + s->n_jobs) <= s->ascend_from) return;
    bool any = true;
    for (int round = 0; any && round < ROUNDS; round++) {
        any = false;
        for (uint32_t v = 0; v < s->n_spots && s->n_racks > 1; v++) {
            const struct spot *x = &s->spot[v];
            uint32_t place = v % s->n_places;
            if (place >= s->n_nodes && place + 1 < s->n_places && x->c1 > x->c0 + 1) any |= relieve(s, s->sc + x->c0, x->c1 - x->c0, &r);
        }
        for (size_t i = 0; i < s->n_live; i++) any |= relieve(s, &s->live[i], 1, &r);
    }
    free(r.x);
}

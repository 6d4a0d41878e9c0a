/* refdice.c -- a decider that throws dice, and the reference's side of it. */
#include "ref/refdice.h"

#include "base/rng.h"
#include "ref/refplan.h"

static int below(struct rng *r, int n) { return (int)rng_below(r, (uint64_t)n); }

struct ref_dice ref_dice_roll(const struct ref_case *c, const struct ref_dice_unit *u, sim_tick now, int roll)
{
    struct rng r;
    struct ref_dice d = { .what = REF_DICE_NOTHING, .n = u->n };
    rng_init(&r, c->dice ^ (uint64_t)now << 16, "dice",
             ((uint64_t)u->job * REF_TASKS + (uint64_t)u->task) * REF_DICE_ROLLS + (uint64_t)roll);
    if (u->runs && u->started == now) return d;
    int what = below(&r, 8);
    if (u->runs && what == 0) { d.what = REF_DICE_STOP; return d; }
    if (u->runs && (u->max == 0 || what > 3)) return d;
    if (u->max > 0) d.n = roll < REF_DICE_ROLLS / 2 ? u->min + below(&r, u->max - u->min + 1) : u->min;
    if (!u->runs) d.what = REF_DICE_START;
    else if (d.n != u->n) d.what = REF_DICE_SCALE;
    bool on_one = below(&r, 2) == 0;
    int node = below(&r, c->n_nodes);
    for (int k = 0; k < d.n; k++) d.node[k] = on_one ? node : below(&r, c->n_nodes);
    return d;
}

static void decide_unit(struct ref_world *w, struct ref_unit u)
{
    const struct ref_job *j = &w->job[u.job];
    const struct ref_live *l = &w->live[u.job][u.task];
    if (l->state != REF_WAITING && l->state != REF_RUNNING) return;
    struct ref_dice_unit x = { .job = u.job, .task = u.task, .n = ref_unit_size(w, u), .min = j->min, .max = j->max,
                               .runs = l->state == REF_RUNNING, .started = l->started };
    for (int roll = 0; roll < (x.runs ? 1 : REF_DICE_ROLLS); roll++) {
        struct ref_dice d = ref_dice_roll(w->c, &x, w->now, roll);
        if (d.what == REF_DICE_STOP) { ref_preempt(w, u); return; }
        if (d.what == REF_DICE_SCALE && ref_try_scale(w, u, d.node, d.n)) return;
        if (d.what == REF_DICE_START && ref_try_start(w, u, d.node, d.n)) return;
    }
}

void ref_dice_decide(struct ref_world *w)
{
    for (int j = 0; j < w->n_arrived; j++)
        for (int t = 0; !w->ended[j] && t < (w->job[j].gang ? 1 : w->job[j].n); t++)
            decide_unit(w, (struct ref_unit){ .job = j, .task = t });
}

/* refuse.c -- requests for which no room can be made, see refuse.h. */
#include "tiresias/refuse.h"

#include "tiresias/state.h"

/* In another order, or where all are placed anew, units that run come to stand behind others unseen. */
bool refuse_lasts(const struct tiresias *l) { return l->order == BY_START && l->choose == CHOOSE_FIT; }

void refuse_fini(struct tiresias *l)
{
    struct refusals *r = &l->refusals;
    POL_FREE(r->kind, r->task, r->first);
    for (int i = 0; i < REFUSE_SNAPS; i++) free(r->snap[i].is.card);
}

void refuse_open(struct tiresias *l)
{
    struct refusals *r = &l->refusals;
    const struct plan *p = &l->sched.plan;
    if (r->n_grown != p->n_grown) r->n_log += REFUSE_LOG + 1;           /* nobody can stand up to that */
    r->n_grown = p->n_grown;
}

void refuse_forget(struct tiresias *l, uint32_t kind)
{
    if (kind < l->refusals.cap_kind) l->refusals.kind[kind].n = 0;
}

/* ---- who holds what, by node ---- */

void refuse_hold(struct tiresias *l, uint32_t unit)
{
    struct refusals *r = &l->refusals;
    const struct sched *d = &l->sched;
    uint32_t t = unit;
    if (!refuse_lasts(l)) return;
    if (r->first == NULL) r->first = pol_alloc(d->plan.n_nodes, sizeof *r->first);
    for (uint32_t i = 0; i < sched_unit(d, unit)->n_tasks; i++, t = d->held[t].next) {
        const uint32_t node = d->place[i].node, after = r->first[node];
        POL_RESERVE(r->task, r->cap_task, (size_t)t + 1);
        r->task[t] = (struct refuse_task){ .cards = d->place[i].cards, .node = node, .after = after, .unit = unit };
        if (after > 0) r->task[after - 1].before = t + 1;
        r->first[node] = t + 1;
    }
}

void refuse_let_go(struct tiresias *l, uint32_t unit)
{
    struct refusals *r = &l->refusals;
    const struct sched *d = &l->sched;
    uint32_t t = unit;
    if (!refuse_lasts(l)) return;
    refuse_log(l, unit, l->stand[unit].level);
    for (uint32_t i = 0; i < sched_unit(d, unit)->n_tasks; i++, t = d->held[t].next) {
        const struct refuse_task *k = &r->task[t];
        if (k->before > 0) r->task[k->before - 1].after = k->after;
        else r->first[k->node] = k->after;
        if (k->after > 0) r->task[k->after - 1].before = k->before;
    }
}

void refuse_log(struct tiresias *l, uint32_t unit, uint32_t level)
{
    struct refusals *r = &l->refusals;
    const struct sched *d = &l->sched;
    uint32_t t = unit;
    if (!refuse_lasts(l)) return;
    for (uint32_t i = 0; i < sched_unit(d, unit)->n_tasks; i++, t = d->held[t].next, r->n_log++) {
        r->log[r->n_log % REFUSE_LOG].node = r->task[t].node;
        r->log[r->n_log % REFUSE_LOG].level = level;
    }
}

/* ---- refusals ---- */

/* Does it run, or will it, behind those that wait in the queue?  In the same one only who has just come there. */
static bool is_behind(const struct tiresias *l, uint32_t unit, uint32_t level)
{
    const struct stand *p = &l->stand[unit];
    return p->level > level || (p->level == level && tiresias_is_late(l, unit));
}

/* The node with what is held there by those behind released. */
static const struct plan_snap *look(struct tiresias *l, uint32_t node, uint32_t level)
{
    struct refusals *r = &l->refusals;
    const struct sched *d = &l->sched;
    struct refuse_snap *s = &r->snap[(node * 5 + level) % REFUSE_SNAPS];
    const uint64_t touch = d->plan.touches.last[node];
    if (s->round == d->round && s->touch == touch && s->node == node && s->level == level) return &s->is;
    s->round = d->round;
    s->touch = touch;
    s->node = node;
    s->level = level;
    plan_snap(&s->is, &d->plan, node);
    for (uint32_t t = r->first[node]; t > 0; t = r->task[t - 1].after) {
        const struct refuse_task *k = &r->task[t - 1];
        if (!l->stand[k->unit].is_out && is_behind(l, k->unit, level))
            plan_snap_release(&s->is, &d->plan.shape[d->held[t - 1].shape], k->cards);
    }
    return &s->is;
}

/* The first log entry from `from` on whose node takes the task, as those in the queue see it. */
static uint64_t first_taker(struct tiresias *l, const struct pol_shape *s, uint32_t level, uint64_t from)
{
    const struct refusals *r = &l->refusals;
    for (; from < r->n_log; from++) {
        const uint32_t i = from % REFUSE_LOG;
        if (r->log[i].level <= level && plan_snap_fits(look(l, r->log[i].node, level), s)) break;
    }
    return from;
}

/* Does the refusal stand, or at least for who asks so much?  That may be more. */
static bool stands(struct tiresias *l, struct pol_shape s, struct refusal *f, int64_t cpu_milli, int64_t mem_b)
{
    if (f->until > 0) return true;
    s.cpu_milli = f->cpu_milli;
    s.mem_b = f->mem_b;
    f->looked = first_taker(l, &s, f->level, f->looked);
    s.cpu_milli = cpu_milli;
    s.mem_b = mem_b;
    return first_taker(l, &s, f->level, f->looked) == l->refusals.n_log;
}

bool refuse_knows(struct tiresias *l, uint32_t kind, uint32_t level, uint32_t n_tasks, int64_t cpu_milli,
                  int64_t mem_b)
{
    struct refusals *r = &l->refusals;
    if (kind >= r->cap_kind) return false;
    struct refusals_of_kind *k = &r->kind[kind];
    for (uint32_t i = 0; i < k->n;) {
        struct refusal *f = &k->at[i];
        const bool is_over = f->until > 0 ? f->until != l->sched.round : r->n_log - f->looked > REFUSE_LOG;
        if (is_over) {
            *f = k->at[--k->n];
            continue;
        }
        i++;
        if (f->cpu_milli > cpu_milli || f->mem_b > mem_b || f->n_tasks > n_tasks) continue;
        if (f->until == 0 && f->level > level) continue;
        if (stands(l, l->sched.classes.kind[kind].shape, f, cpu_milli, mem_b)) return true;
    }
    return false;
}

void refuse_note(struct tiresias *l, const struct unit *u, bool has_cards, bool is_lasting)
{
    struct refusals *r = &l->refusals;
    const bool is_kept = is_lasting && refuse_lasts(l);
    POL_RESERVE(r->kind, r->cap_kind, (size_t)u->kind + 1);
    struct refusals_of_kind *k = &r->kind[u->kind];
    /* Of the kind whoever it is lacks the cards, whatever else it asks. */
    const struct refusal f = { .cpu_milli = has_cards ? u->cpu_milli : 0, .mem_b = has_cards ? u->mem_b : 0,
                               .until = is_kept ? 0 : l->sched.round, .looked = r->n_log,
                               .level = l->stand[u->task.slot].level, .n_tasks = u->n_tasks };
    for (uint32_t i = 0; i < k->n;) {
        const struct refusal *g = &k->at[i];
        const bool is_less = f.until == 0 && g->cpu_milli >= f.cpu_milli && g->mem_b >= f.mem_b &&
                             g->level >= f.level && g->n_tasks >= f.n_tasks;
        if (is_less) k->at[i] = k->at[--k->n];
        else i++;
    }
    const uint32_t i = k->n < REFUSE_MOST ? k->n++ : k->next++ % REFUSE_MOST;
    k->at[i] = f;
}

/*
 * view.c -- the cluster outside of reservations: what the shared scheduler code
 * (lib/sched) is shown.
 *
 * Invariant: idle = kept - used - lent, per node and card, summed over all
 * reservations; shown free = free - idle.  wf_audit checks it.
 * Cost: O(nodes touched); wf_audit O(nodes + parts of reservations).
 */
#include "workflow/state.h"

#include "lib/util.h"

void wf_touch(struct wf_policy *p, uint32_t node)
{
    if (p->outside.is_touched[node]) return;
    p->outside.is_touched[node] = true;
    p->outside.touched[p->outside.n_touched++] = node;
}

static struct wf_idle *idle_on(struct wf_policy *p, uint32_t node)
{
    struct wf_idle **at = &p->outside.idle[node];
    if (*at == NULL) *at = pol_alloc(1, sizeof **at + p->view->node[node].n_gpu * sizeof *(*at)->card);
    return *at;
}

void wf_idle_move(struct wf_policy *p, uint32_t node, const struct reservation_take *t, int sign)
{
    for (int k = 0; k < PLAN_LICENCES_MAX; k++) p->outside.idle_licence[k] += sign * t->licence[k];
    if (node == POL_NONE) return;
    const struct pol_shape *s = &p->view->shape[t->shape];
    const struct pol_node *n = &p->view->node[node];
    struct wf_idle *idle = idle_on(p, node);
    struct reservation_sum *a = &idle->sum;
    a->cpu += sign * t->sum.cpu;
    a->mem += sign * t->sum.mem;
    a->n_tasks += sign * t->sum.n_tasks;
    for (int k = 0; k < POL_ENGINES_MAX; k++) a->engine[k] += sign * t->sum.engine[k];
    for (uint64_t left = t->cards; left != 0; left &= left - 1) {
        const uint32_t c = (uint32_t)__builtin_ctzll(left);
        idle->card[c].milli += sign * (s->exclusive ? 1000 : s->gpu_milli);
        idle->card[c].mem += sign * pol_node_card_mem_of(&p->view->card[n->card0 + c], s);
        idle->card[c].cores += sign * pol_node_card_cores_of(&p->view->card[n->card0 + c], s);
    }
    wf_touch(p, node);
}

void wf_book_later(struct wf_policy *p, uint32_t node, const struct reservation_take *t, int sign)
{
    POL_PUSH(p->outside.later, p->outside.n_later, p->outside.cap_later, (struct wf_later){ node, sign, *t });
}

/* A whole reservation, as far as it is neither used nor lent, comes (+1) or goes (-1). */
void wf_idle_reservation(struct wf_policy *p, const struct wf *w, int sign)
{
    for (uint32_t i = 0; i < w->reservation.n_parts; i++) {
        const struct reservation_part *o = &w->reservation.part[i];
        const struct reservation_sum *k = &o->sum[WF_KEPT], *u = &o->sum[WF_USED], *l = &o->sum[WF_LENT];
        struct wf_idle *idle = idle_on(p, o->node);
        struct reservation_sum *a = &idle->sum;
        a->cpu += sign * (k->cpu - u->cpu - l->cpu);
        a->mem += sign * (k->mem - u->mem - l->mem);
        a->n_tasks += sign * (k->n_tasks - u->n_tasks);
        for (int e = 0; e < POL_ENGINES_MAX; e++) a->engine[e] += sign * (k->engine[e] - u->engine[e] - l->engine[e]);
        for (uint32_t c = 0; c < o->n_gpu; c++) {
            const struct reservation_card *ck = &o->card[c], *cu = &o->card[WF_USED * o->n_gpu + c],
                                          *cl = &o->card[WF_LENT * o->n_gpu + c];
            idle->card[c].milli += sign * (ck->milli - cu->milli - cl->milli);
            idle->card[c].mem += sign * (ck->mem - cu->mem - cl->mem);
            idle->card[c].cores += sign * (ck->cores - cu->cores - cl->cores);
        }
        wf_touch(p, o->node);
    }
    struct reservation_amount kept = reservation_total(&w->reservation, WF_KEPT);
    p->outside.reserved.cpu_milli += sign * kept.cpu_milli;
    p->outside.reserved.gpu_milli += sign * kept.gpu_milli;
    for (int k = 0; k < PLAN_LICENCES_MAX; k++) {
        p->outside.idle_licence[k] += sign * (w->reservation.licence[WF_KEPT][k] - w->reservation.licence[WF_USED][k] -
                                              w->reservation.licence[WF_LENT][k]);
        p->outside.reserved.licence[k] += sign * kept.licence[k];
    }
}

static int64_t less(int64_t a, int64_t b) { return a > b ? a - b : 0; }

/* Where others were stopped for a reservation the view still has them, and less is free than is kept: then 0. */
void wf_show_node(struct wf_policy *p, uint32_t i)
{
    const struct pol_node *n = &p->view->node[i];
    const struct wf_idle *idle = p->outside.idle[i];
    struct pol_node *o = &p->outside.node[i];
    *o = *n;
    memcpy(&p->outside.card[n->card0], &p->view->card[n->card0], n->n_gpu * sizeof *p->outside.card);
    if (idle == NULL) return;
    const struct reservation_sum *a = &idle->sum;
    o->cpu_free = less(o->cpu_free, a->cpu);
    o->mem_free = less(o->mem_free, a->mem);
    o->n_tasks += (uint32_t)a->n_tasks;         /* an exclusive task finds the node taken, others its limit of tasks */
    /* Kept whole, it takes no task that asks for nothing either: an exclusive one would find it taken. */
    bool is_whole = a->cpu > 0 && a->cpu >= n->cpu_total - n->cpu_reserved && a->mem >= n->mem_total - n->mem_reserved;
    if (is_whole) o->max_tasks = o->n_tasks;
    for (int k = 0; k < POL_ENGINES_MAX; k++) o->engine_free[k] = (int32_t)less(o->engine_free[k], a->engine[k]);
    for (uint32_t c = 0; c < n->n_gpu; c++) {
        const struct reservation_card *of = &idle->card[c];
        struct pol_card *card = &p->outside.card[n->card0 + c];
        card->milli_free = (int32_t)less(card->milli_free, of->milli);
        if (card->mem_total > 0) card->mem_free = less(card->mem_free, of->mem);
        if (card->core_total > 0) card->core_free = (int32_t)less(card->core_free, of->cores);
    }
}

/* Nodes that changed in the view, and those that were touched here. */
void wf_show(struct wf_policy *p)
{
    const struct pol_view *v = p->view;
    p->outside.shown = *v;
    for (uint32_t i = 0; i < v->n_changed; i++) wf_touch(p, v->changed[i]);
    for (uint32_t i = 0; i < p->outside.n_touched; i++) wf_show_node(p, p->outside.touched[i]);
    p->outside.shown.node = p->outside.node;
    p->outside.shown.card = p->outside.card;
    p->outside.shown.changed = p->outside.touched;
    p->outside.shown.n_changed = p->outside.n_touched;
}

void wf_seen(struct wf_policy *p)
{
    for (uint32_t i = 0; i < p->outside.n_touched; i++) p->outside.is_touched[p->outside.touched[i]] = false;
    p->outside.n_touched = 0;
}

void wf_first_look(struct wf_policy *p, const struct pol_view *v)
{
    POL_LARGE(p->outside.node, v->n_nodes);
    POL_LARGE(p->outside.card, v->n_cards);
    p->outside.idle = pol_alloc(v->n_nodes, sizeof *p->outside.idle);
    p->outside.touched = pol_alloc(v->n_nodes, sizeof *p->outside.touched);
    p->outside.is_touched = pol_alloc(v->n_nodes, sizeof *p->outside.is_touched);
    for (uint32_t i = 0; i < v->n_nodes; i++) wf_touch(p, i);
    plan_sync(&p->whole.plan, v);        /* nothing runs yet */
    for (uint32_t i = 0; i < v->n_nodes; i++) {
        p->whole.plan.node[i].n.is_up = 1;
        p->whole.cpu += v->node[i].cpu_total;
        p->whole.gpu += (int64_t)v->node[i].n_gpu * 1000;
    }
}

void wf_audit(struct wf_policy *p)
{
    const struct pol_view *v = p->view;
    struct reservation_sum *sum = pol_alloc(v->n_nodes, sizeof *sum);
    struct reservation_card *card = pol_alloc(v->n_cards, sizeof *card);
    bool ok = true;
    for (uint32_t w = 0; w < p->n_active; w++) {
        const struct reservation *r = &p->active[w]->reservation;
        for (uint32_t i = 0; i < r->n_parts; i++) {
            const struct reservation_part *o = &r->part[i];
            const struct reservation_sum *k = &o->sum[WF_KEPT], *u = &o->sum[WF_USED], *l = &o->sum[WF_LENT];
            sum[o->node].cpu += k->cpu - u->cpu - l->cpu;
            sum[o->node].mem += k->mem - u->mem - l->mem;
            sum[o->node].n_tasks += k->n_tasks - u->n_tasks;
            ok &= !reservation_is_short(r, i) && u->cpu <= o->sum[WF_NEED].cpu && u->mem <= o->sum[WF_NEED].mem;
            for (uint32_t c = 0; c < o->n_gpu; c++)
                card[v->node[o->node].card0 + c].milli +=
                    o->card[c].milli - o->card[WF_USED * o->n_gpu + c].milli - o->card[WF_LENT * o->n_gpu + c].milli;
        }
    }
    for (uint32_t i = 0; i < v->n_nodes; i++) {
        const struct wf_idle *idle = idle_on(p, i);
        ok &= sum[i].cpu == idle->sum.cpu && sum[i].mem == idle->sum.mem && sum[i].n_tasks == idle->sum.n_tasks;
        for (uint32_t c = 0; c < v->node[i].n_gpu; c++) ok &= card[v->node[i].card0 + c].milli == idle->card[c].milli;
    }
    free(sum);
    free(card);
    if (!ok) p->host->fail(p->host->ctx, "audit: what its reservations keep, need, use and lend does not add up");
}

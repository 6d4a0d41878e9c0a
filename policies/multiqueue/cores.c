/* cores.c -- the books of each node's cores, see cores.h. */
#include "multiqueue/cores.h"

#include "lib/util.h"

void cores_fini(struct cores *c)
{
    free(c->node);
    free(c->task);
    free(c->closure);
}

void cores_size(struct cores *c, uint32_t n_nodes)
{
    if (c->n_nodes == n_nodes) return;
    c->n_nodes = n_nodes;
    c->node = pol_alloc(n_nodes, sizeof *c->node);
    for (uint32_t i = 0; i < n_nodes; i++) c->node[i].first = c->node[i].last = POL_NONE;
}

void cores_add(struct cores *c, uint32_t node, uint32_t task, uint32_t unit, int64_t cpu)
{
    struct cores_node *n = &c->node[node];
    POL_RESERVE(c->task, c->cap_task, (size_t)task + 1);
    c->task[task] = (struct cores_task){ .prev = n->last, .next = POL_NONE, .unit = unit, .cpu = cpu };
    if (n->last != POL_NONE) c->task[n->last].next = task;
    else n->first = task;
    n->last = task;
    n->held += cpu;
}

void cores_del(struct cores *c, uint32_t node, uint32_t task)
{
    struct cores_node *n = &c->node[node];
    struct cores_task *t = &c->task[task];
    if (t->prev != POL_NONE) c->task[t->prev].next = t->next; else n->first = t->next;
    if (t->next != POL_NONE) c->task[t->next].prev = t->prev; else n->last = t->prev;
    if (!t->is_lifted) n->held -= t->cpu;
}

void cores_lift(struct cores *c, uint32_t node, uint32_t task, bool lifted)
{
    c->task[task].is_lifted = lifted;
    c->node[node].held += lifted ? -c->task[task].cpu : c->task[task].cpu;
}

void cores_resize(struct cores *c, uint32_t node, uint32_t task, int64_t cpu)
{
    c->node[node].held += cpu - c->task[task].cpu;
    c->task[task].cpu = cpu;
}

uint32_t cores_borrower(const struct cores *c, const struct pol_node *n, uint32_t node, uint32_t after, int64_t *before)
{
    const struct cores_node *x = &c->node[node];
    uint32_t t = after == POL_NONE ? x->last : c->task[after].prev;
    if (after == POL_NONE) *before = x->held;
    while (t != POL_NONE && c->task[t].is_lifted) t = c->task[t].prev;
    if (t == POL_NONE || *before <= cores_array(c, n)) return POL_NONE;
    *before -= c->task[t].cpu;
    return t;
}

void cores_sum(struct cores *c, const struct plan *p)
{
    const uint64_t from = c->sum.reserve == c->reserve ? c->sum.touches : 0;
    for (uint64_t i = 0, n = plan_n_changed(p, from); i < n; i++) {
        const uint32_t k = plan_changed(p, from, i);
        const struct pol_node *a = &p->node[k].n;
        struct cores_node *x = &c->node[k];
        const int64_t kept = a->cpu_total - a->cpu_reserved - cores_array(c, a), over = cores_over(c, a, k);
        c->sum.kept += kept - x->kept;
        c->sum.over += over - x->over;
        x->kept = kept;
        x->over = over;
    }
    c->sum.reserve = c->reserve;
    c->sum.touches = p->touches.n;
}

void cores_close(struct cores *c, uint32_t node, uint32_t until, int64_t cpu)
{
    POL_RESERVE(c->closure, c->cap_closures, c->n_closures + 1);
    c->closure[c->n_closures++] = (struct cores_closure){ node, until, cpu };
    c->node[node].closed += cpu;
    c->closed += cpu;
}

void cores_reopen(struct cores *c, uint32_t unit)
{
    for (size_t i = c->n_closures; i-- > 0;) {
        if (c->closure[i].until != unit) continue;
        c->node[c->closure[i].node].closed -= c->closure[i].cpu;
        c->closed -= c->closure[i].cpu;
        c->closure[i] = c->closure[--c->n_closures];
    }
}

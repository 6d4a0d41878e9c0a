/*
 * fitting.c -- on which nodes a job fits, and how much CPU it counts there, as sets.
 *
 * Nodes that are alike while nothing runs there are of a kind, and those of it on which nothing does are a set that is
 * kept: they go in or out together.  Others are asked of the placement's index, which passes over those that are full
 * and asks one of each that are alike.
 *
 * Cost of a question: O(nodes / 64 for each kind, and those in use that have room); O(nodes) after many have changed.
 */
#include "slurm/state.h"

#include "lib/util.h"

enum { CPU = 1000 };

void slurm_fitting_end(struct slurm *s)
{
    for (uint32_t k = 0; k < s->fit.n_kinds; k++) POL_FREE(s->fit.kind[k].all, s->fit.kind[k].idle);
    POL_FREE(s->fit.kind, s->fit.others, s->fit.at, s->fit.cpu, s->fit.met);
}

/* ---- kinds ---- */

static bool is_idle(const struct plan *p, uint32_t node)
{
    return p->node[node].n.is_up && p->node[node].n.n_tasks == 0;
}

static void begin(struct slurm *s)
{
    struct slurm_fitting *f = &s->fit;
    const struct plan *p = &s->sched.plan;
    f->others = pol_alloc(s->conf.n_words, sizeof *f->others);
    f->at = pol_alloc(s->conf.n_words, sizeof *f->at);
    f->cpu = pol_alloc(s->conf.n_nodes, sizeof *f->cpu);
    f->n_kinds = p->n_node_classes < PLACEMENT_CLASS_OTHER ? p->n_node_classes : PLACEMENT_CLASS_OTHER;
    f->kind = pol_alloc(f->n_kinds, sizeof *f->kind);
    f->met = pol_alloc(f->n_kinds, sizeof *f->met);
    for (uint32_t k = 0; k < f->n_kinds; k++)
        f->kind[k] = (struct slurm_kind){ .all = pol_alloc(s->conf.n_words, sizeof *f->kind->all),
                                          .idle = pol_alloc(s->conf.n_words, sizeof *f->kind->idle) };
    for (uint32_t i = s->conf.n_nodes; i-- > 0;) {
        const uint32_t k = p->node_class[i];
        nodeset_put(k < f->n_kinds ? f->kind[k].all : f->others, i);
        if (k < f->n_kinds) f->kind[k].first = i;
    }
}

static struct slurm_fitting *refresh(struct slurm *s)
{
    struct slurm_fitting *f = &s->fit;
    const struct plan *p = &s->sched.plan;
    if (f->kind == NULL) begin(s);
    const uint64_t n = plan_n_changed(p, f->seen);
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t node = plan_changed(p, f->seen, i), k = p->node_class[node];
        if (k >= f->n_kinds) continue;
        nodeset_drop(f->kind[k].idle, node);
        if (is_idle(p, node)) nodeset_put(f->kind[k].idle, node);
    }
    f->seen = p->touches.n;
    return f;
}

/* Those of `nodes` for which `is` holds of what does not change with use. */
static void keep(struct slurm *s, uint32_t unit, uint64_t *nodes,
                 bool (*is)(const struct plan *p, uint32_t node, const struct pol_shape *a))
{
    const struct slurm_fitting *f = refresh(s);
    const struct plan *p = &s->sched.plan;
    const struct pol_shape *a = &p->shape[slurm_class(s, unit)->shape[0]];
    for (uint32_t k = 0; k < f->n_kinds; k++)
        if (!is(p, f->kind[k].first, a)) nodeset_and_not(nodes, f->kind[k].all, s->conf.n_words);
    for (size_t w = 0; w < s->conf.n_words; w++)
        for (uint64_t bits = nodes[w] & f->others[w]; bits != 0; bits &= bits - 1) {
            const uint32_t node = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits);
            if (!is(p, node, a)) nodeset_drop(nodes, node);
        }
}

static bool is_suited(const struct plan *p, uint32_t node, const struct pol_shape *a)
{
    const struct pol_node *n = &p->node[node].n;
    return a->cpu_milli <= n->cpu_total && a->mem_b <= n->mem_total && (a->need_all & ~n->labels) == 0 &&
           (a->need_any == 0 || (a->need_any & n->labels) != 0);
}

static bool is_possible(const struct plan *p, uint32_t node, const struct pol_shape *a)
{
    return pol_node_capacity_empty(&p->node[node].n, plan_cards_of(p, node), a) > 0;
}

void slurm_keep_suited(struct slurm *s, uint32_t unit, uint64_t *nodes) { keep(s, unit, nodes, is_suited); }
void slurm_keep_possible(struct slurm *s, uint32_t unit, uint64_t *nodes) { keep(s, unit, nodes, is_possible); }

/* ---- where it fits ---- */

uint32_t slurm_tasks_on(const struct slurm *s, uint32_t unit, uint32_t node)
{
    const struct request_class *k = slurm_class(s, unit);
    if (s->param.by_node || k->n_tasks == 1) return 1;
    const uint32_t n = plan_capacity(&s->sched.plan, node, &s->sched.plan.shape[k->shape[0]]);
    return n < k->n_tasks ? n : k->n_tasks;
}

/* On a node on which it fits: with cards only the cores that the job's tasks can use, not all that are free. */
static int64_t cpu_on(const struct slurm *s, uint32_t node)
{
    const struct request_class *k = slurm_class(s, s->fit.unit);
    const struct pol_shape *a = &s->sched.plan.shape[k->shape[0]];
    const bool counts_all = (s->param.by_node || k->n_tasks == 1) && a->n_gpu == 0;
    const int64_t tasks = counts_all ? 1 : slurm_tasks_on(s, s->fit.unit, node);
    const int64_t cpu = counts_all ? s->sched.plan.node[node].n.cpu_free : tasks * a->cpu_milli;
    return cpu >= CPU ? cpu : a->cpu_milli > 0 ? a->cpu_milli : tasks;
}

/* Nodes that are alike, on which the job fits. */
static void add(void *ctx, const uint32_t *node, uint32_t n)
{
    struct slurm *s = ctx;
    struct slurm_fitting *f = &s->fit;
    const struct plan *p = &s->sched.plan;
    const uint32_t k = p->node_class[node[0]];
    if (f->is_exclusive && p->node[node[0]].n.n_tasks > 0) return;
    int64_t cpu = cpu_on(s, node[0]);
    if (k < f->n_kinds && is_idle(p, node[0])) {
        for (uint32_t i = 0; i < f->n_met; i++)
            if (f->met[i] == &f->kind[k]) return;       /* of unlike cards: the index knows no nodes that are alike */
        f->kind[k].cpu = cpu;
        f->met[f->n_met++] = &f->kind[k];
        nodeset_or(f->at, f->kind[k].idle, s->conf.n_words);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        /* Else how many more may run differs. */
        if (i > 0 && p->node[node[0]].n.max_tasks > 0) cpu = cpu_on(s, node[i]);
        nodeset_put(f->at, node[i]);
        f->cpu[node[i]] = cpu;
    }
}

const struct slurm_fitting *slurm_fit(struct slurm *s, uint32_t unit, uint32_t part)
{
    struct slurm_fitting *f = refresh(s);
    f->unit = unit;
    f->is_exclusive = s->conf.partition[part].is_exclusive;
    f->n_met = 0;
    memset(f->at, 0, s->conf.n_words * sizeof *f->at);
    placement_index_each(&s->sched.placement, &s->sched.plan.shape[slurm_class(s, unit)->shape[0]], add, s);
    return f;
}

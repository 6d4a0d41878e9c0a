/*
 * select.c -- the nodes that a job gets: Slurm's select/cons_tres, plugins/select/cons_tres/job_test.c,
 * choose_nodes and _eval_nodes.
 *
 * Nodes that fit stand in sets of neighbours of one weight.  The set of the lowest weight goes first, of
 * equal ones the tightest that is enough, else the largest; within it, where one node is enough, the tightest
 * node, else nodes in order.  If that ends without enough, nodes of few CPUs are left out one by one.
 * Cost: O(nodes), times the CPUs of the largest node when no way is found at first.
 */
#include "slurm/state.h"

enum { CPU = 1000 };        /* milli: what is reserved for each further node */

/* What the search is for. */
struct want {
    int64_t cpu, task_cpu, max_rem;     /* of all tasks; of one; what may still be given away */
    int64_t min_nodes, max_nodes, rem_nodes;
    bool is_whole;                      /* exclusive: all CPU of each node is used */
};
struct set { uint32_t first, n; int64_t cpu; uint64_t weight; };

uint32_t slurm_min_nodes(const struct slurm *s, uint32_t unit)
{
    const struct request_class *k = slurm_class(s, unit);
    return s->param.by_node ? k->n_tasks : 1;
}

/* ---- candidates ---- */

static void gather(struct slurm *s, uint32_t unit, uint32_t part, const uint64_t *nodes)
{
    const struct request_class *k = slurm_class(s, unit);
    const struct pol_shape *shape = &s->sched.plan.shape[k->shape[0]];
    const struct slurm_partition *p = &s->conf.partition[part];
    struct slurm_select *x = &s->select;
    x->n = 0;
    for (size_t w = 0; w < s->conf.n_words; w++) {
        for (uint64_t bits = nodes[w]; bits != 0; bits &= bits - 1) {
            const uint32_t node = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits);
            const struct plan_node *o = &s->sched.plan.node[node];
            if (node >= s->conf.n_nodes || !plan_fits(&s->sched.plan, node, shape)) continue;
            if (p->is_exclusive && o->n.n_tasks > 0) continue;
            struct slurm_candidate c = { .node = node, .tasks = 1, .weight = s->conf.weight[node] };
            if (!s->param.by_node && k->n_tasks > 1) c.tasks = plan_capacity(&s->sched.plan, node, shape);
            if (c.tasks > k->n_tasks) c.tasks = k->n_tasks;
            /* With cards only the cores that the job's tasks can use count, not all that are free. */
            const bool counts_all = (s->param.by_node || k->n_tasks == 1) && shape->n_gpu == 0;
            c.cpu = counts_all ? o->n.cpu_free : c.tasks * shape->cpu_milli;
            if (c.cpu < CPU) c.cpu = shape->cpu_milli > 0 ? shape->cpu_milli : c.tasks;
            POL_PUSH(x->at, x->n, x->cap, c);
        }
    }
}

/* ---- sets of neighbours ---- */

static bool enough_nodes(int64_t have, const struct want *w) { return have >= w->rem_nodes; }

/* The next set from candidate *i on; n 0: there is none. */
static struct set next_set(const struct slurm_select *x, const bool *out, uint32_t *i)
{
    while (*i < x->n && out[*i]) (*i)++;
    struct set t = { .first = *i };
    for (uint32_t k = *i; k < x->n && !out[k]; k++) {
        if (k > *i && (x->at[k].node != x->at[k - 1].node + 1 || x->at[k].weight != x->at[*i].weight)) break;
        t.n++;
        t.cpu += x->at[k].cpu;
    }
    if (t.n > 0) t.weight = x->at[*i].weight;
    *i += t.n;
    return t;
}

static struct set best_set(const struct slurm_select *x, const bool *out, const struct want *w)
{
    struct set best = { .n = 0 }, t;
    bool is_enough = false;
    for (uint32_t i = 0; (t = next_set(x, out, &i)).n > 0;) {
        bool enough = t.cpu >= w->cpu && enough_nodes(t.n, w);
        bool better = best.n == 0 || t.weight < best.weight;
        if (!better && t.weight == best.weight)
            better = (enough && !is_enough) || (enough && t.cpu < best.cpu) || (!enough && t.cpu > best.cpu);
        if (!better) continue;
        best = t;
        is_enough = enough;
    }
    return best;
}

/* Take a node: what of its CPU the job is to use leaves something for each further node. */
static void take(struct slurm_select *x, uint32_t i, struct want *w)
{
    struct slurm_candidate *c = &x->at[i];
    int64_t most = w->max_rem - (w->min_nodes > 1 ? (w->min_nodes - 1) * CPU : 0);
    c->used = c->cpu;
    if (!w->is_whole && c->used > most) c->used = most > w->task_cpu ? most : w->task_cpu;
    w->cpu -= c->used;
    w->max_rem -= c->used;
    w->rem_nodes--;
    w->min_nodes--;
    w->max_nodes--;
    POL_PUSH(x->chosen, x->n_chosen, x->cap_chosen, i);
}

static bool is_done(const struct want *w) { return w->rem_nodes <= 0 && w->cpu <= 0; }

/* The tightest node of a set that is enough alone; POL_NONE: none is. */
static uint32_t best_node(const struct slurm_select *x, struct set t, int64_t cpu)
{
    uint32_t best = POL_NONE;
    for (uint32_t i = t.first; i < t.first + t.n; i++)
        if (x->at[i].cpu >= cpu && (best == POL_NONE || x->at[i].cpu < x->at[best].cpu)) best = i;
    return best;
}

static bool eval_sets(struct slurm_select *x, bool *out, struct want w)
{
    x->n_chosen = 0;
    while (w.max_nodes > 0) {
        struct set t = best_set(x, out, &w);
        if (t.n == 0) break;
        uint32_t one = w.rem_nodes <= 1 ? best_node(x, t, w.cpu) : POL_NONE;
        for (uint32_t i = t.first; i < t.first + t.n; i++) {
            bool is_wanted = (one == POL_NONE || i == one) && !(w.max_nodes == 1 && x->at[i].cpu < w.cpu);
            if (w.max_nodes > 0 && !is_done(&w) && is_wanted) take(x, i, &w);
            out[i] = true;
        }
        if (is_done(&w)) return true;
    }
    return false;
}

/* CR_LLN: within a weight the nodes with most free CPU; pack_serial_at_end: the last node. */
static bool eval_ordered(struct slurm_select *x, bool *out, struct want w, bool is_serial)
{
    x->n_chosen = 0;
    while (w.max_nodes > 0 && !is_done(&w)) {
        uint32_t best = POL_NONE;
        for (uint32_t i = 0; i < x->n; i++) {
            if (out[i] || (w.max_nodes == 1 && x->at[i].cpu < w.cpu)) continue;
            const struct slurm_candidate *c = &x->at[i], *b = best != POL_NONE ? &x->at[best] : c;
            if (best == POL_NONE || c->weight < b->weight || (c->weight == b->weight && (is_serial || c->cpu > b->cpu)))
                best = i;
        }
        if (best == POL_NONE) return false;
        take(x, best, &w);
        out[best] = true;
    }
    return is_done(&w);
}

/* ---- a job ---- */

/* One node for each task, in order of nodes; those taken are in x->chosen as candidates. */
static bool spread_tasks(struct slurm *s, uint32_t unit)
{
    const struct request_class *k = slurm_class(s, unit);
    struct slurm_select *x = &s->select;
    struct sched *d = &s->sched;
    const int64_t task_cpu = d->plan.shape[k->shape[0]].cpu_milli;
    uint32_t n = 0, left = k->n_tasks;
    POL_RESERVE(d->place, d->cap_place, k->n_tasks);
    for (uint32_t i = 1; i < x->n_chosen; i++) {        /* by node */
        uint32_t c = x->chosen[i], at = i;
        for (; at > 0 && x->chosen[at - 1] > c; at--) x->chosen[at] = x->chosen[at - 1];
        x->chosen[at] = c;
    }
    for (int pass = 0; pass < 2 && left > 0; pass++) {  /* first what was counted on, then what fits besides */
        for (uint32_t i = 0; i < x->n_chosen && left > 0; i++) {
            struct slurm_candidate *c = &x->at[x->chosen[i]];
            uint32_t m = pass > 0 || task_cpu <= 0 || s->param.by_node ? c->tasks : (uint32_t)(c->used / task_cpu);
            if (m > c->tasks) m = c->tasks;
            if (m > left) m = left;
            c->tasks -= m;
            left -= m;
            for (; m > 0; m--) d->place[n++] = (struct pol_place){ .node = c->node };
        }
    }
    return left == 0;
}

/* Whether a gang's tasks are alike, or the first asks for no less than the others. */
static bool first_is_largest(const struct slurm *s, const struct request_class *k)
{
    const struct pol_shape *a = &s->sched.plan.shape[k->shape[0]];
    for (uint32_t i = 1; i < k->n_tasks; i++) {
        const struct pol_shape *b = &s->sched.plan.shape[k->shape[i]];
        if (b->cpu_milli > a->cpu_milli || b->mem_b > a->mem_b || b->n_gpu > a->n_gpu || b->gpu_milli > a->gpu_milli ||
            b->gpu_mem_b > a->gpu_mem_b || b->gpu_cores > a->gpu_cores || b->exclusive > a->exclusive ||
            b->need_all != a->need_all || b->need_any != a->need_any || b->gpu_types != a->gpu_types)
            return false;
        for (int e = 0; e < POL_ENGINES_MAX; e++)
            if (b->engine[e] > a->engine[e]) return false;
    }
    return true;
}

/* Tasks that are not alike: one after the other, each on the first node that fits. */
static bool first_fit(struct slurm *s, uint32_t unit, const uint64_t *nodes)
{
    const struct request_class *k = slurm_class(s, unit);
    struct sched *d = &s->sched;
    struct plan_mark m = plan_mark(&d->plan);
    uint32_t n = 0;
    POL_RESERVE(d->place, d->cap_place, k->n_tasks);
    for (uint32_t i = 0; i < k->n_tasks; i++) {
        const struct pol_shape *shape = &d->plan.shape[k->shape[i]];
        uint32_t node = s->param.by_node && i > 0 ? d->place[i - 1].node + 1 : 0;
        while (node < s->conf.n_nodes && (!nodeset_has(nodes, node) || !plan_fits(&d->plan, node, shape))) node++;
        if (node == s->conf.n_nodes) break;
        d->place[n++] = (struct pol_place){ .node = node };
        plan_allocate(&d->plan, node, shape, plan_pick_cards(&d->plan, node, shape));
    }
    plan_undo(&d->plan, m);
    return n == k->n_tasks;
}

/* What a node has by which small ones are left out: CPUs, and free cards where the job asks for some. */
static int64_t resources(const struct slurm *s, const struct slurm_candidate *c, bool has_cards)
{
    return c->cpu / CPU + (has_cards ? s->sched.plan.node[c->node].n_idle : 0);
}

/* Leave out the candidates with at most so many CPUs and cards; as many as may go.  False: there were none. */
static bool drop_small(struct slurm *s, uint32_t unit, int64_t most, uint32_t *left)
{
    struct slurm_select *x = &s->select;
    const bool has_cards = s->sched.plan.shape[slurm_class(s, unit)->shape[0]].n_gpu > 0;
    const uint32_t least = slurm_min_nodes(s, unit);
    uint32_t n = 0;
    bool any = false, stop = false;
    for (uint32_t i = 0; i < x->n; i++) {
        if (!stop && resources(s, &x->at[i], has_cards) <= most) {
            any = true;
            stop = --*left <= least;
            continue;
        }
        x->at[n++] = x->at[i];
    }
    x->n = n;
    return any;
}

static bool eval(struct slurm *s, uint32_t unit, uint32_t part, const struct want *w)
{
    struct slurm_select *x = &s->select;
    POL_RESERVE(x->is_out, x->cap_out, x->n);
    memset(x->is_out, 0, x->n * sizeof *x->is_out);
    bool is_serial = s->conf.serial_at_end && w->cpu <= CPU && slurm_class(s, unit)->n_tasks == 1;
    if (s->conf.least_loaded || s->conf.partition[part].least_loaded) return eval_ordered(x, x->is_out, *w, false);
    return is_serial ? eval_ordered(x, x->is_out, *w, true) : eval_sets(x, x->is_out, *w);
}

static bool choose(struct slurm *s, uint32_t unit, uint32_t part)
{
    const struct request_class *k = slurm_class(s, unit);
    const struct pol_shape *shape = &s->sched.plan.shape[k->shape[0]];
    struct slurm_select *x = &s->select;
    const int64_t task_cpu = shape->cpu_milli > 0 ? shape->cpu_milli : 1, min_nodes = slurm_min_nodes(s, unit);
    const struct want w = {
        .cpu = task_cpu * k->n_tasks, .task_cpu = task_cpu, .max_rem = task_cpu * k->n_tasks, .min_nodes = min_nodes,
        .max_nodes = s->param.by_node ? min_nodes : k->n_tasks, .rem_nodes = min_nodes,
        .is_whole = shape->exclusive != 0 || s->conf.partition[part].is_exclusive,
    };
    if (x->n < min_nodes) return false;
    if (eval(s, unit, part, &w)) return true;
    int64_t most = 0;
    for (uint32_t i = 0; i < x->n; i++) {
        int64_t have = resources(s, &x->at[i], shape->n_gpu > 0);
        if (have > most) most = have;
    }
    uint32_t left = x->n;
    for (int64_t count = 1; count < most && left > min_nodes; count++)
        if (drop_small(s, unit, count, &left) && eval(s, unit, part, &w)) return true;
    return false;
}

bool slurm_select(struct slurm *s, uint32_t unit, uint32_t part, const uint64_t *nodes)
{
    const struct request_class *k = slurm_class(s, unit);
    struct sched *d = &s->sched;
    bool ok;
    s->n_victims = 0;
    if (first_is_largest(s, k)) {
        gather(s, unit, part, nodes);
        ok = choose(s, unit, part) && spread_tasks(s, unit);
    } else {
        ok = first_fit(s, unit, nodes);
    }
    if (!ok) return false;
    memset(s->select.nodes, 0, s->conf.n_words * sizeof *s->select.nodes);
    for (uint32_t i = 0; i < k->n_tasks; i++) nodeset_put(s->select.nodes, d->place[i].node);
    return true;
}

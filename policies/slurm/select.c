/*
 * select.c -- the nodes that a job gets: Slurm's select/cons_tres, plugins/select/cons_tres/job_test.c,
 * choose_nodes and _eval_nodes.
 *
 * Nodes that fit stand in sets of neighbours of one weight, called runs here.  The run of the lowest weight goes
 * first, of equal ones the tightest that is enough, else the largest; within it, where one node is enough, the tightest
 * node, else nodes in order.  If that ends without enough, nodes of few CPUs are left out one by one.
 * Cost: O(nodes / 64 + runs) for each run that is used, times the CPUs of the largest node when no way is found at
 * first; in words whose nodes differ, or of which some are not to be had, nodes are looked at one by one.
 */
#include "slurm/state.h"

#include "lib/util.h"

enum { CPU = 1000 };        /* milli: what is reserved for each further node */

/* What the search is for. */
struct want {
    int64_t cpu, task_cpu, max_rem;     /* of all tasks; of one; what may still be given away */
    int64_t min_nodes, max_nodes, rem_nodes;
    bool is_whole;                      /* exclusive: all CPU of each node is used */
};

uint32_t slurm_min_nodes(const struct slurm *s, uint32_t unit)
{
    const struct request_class *k = slurm_class(s, unit);
    return s->param.by_node ? k->n_tasks : 1;
}

void slurm_select_begin(struct slurm *s)
{
    struct slurm_select *x = &s->select;
    x->nodes = pol_alloc(s->conf.n_words, sizeof *x->nodes);
    x->at = pol_alloc(s->conf.n_words, sizeof *x->at);
    x->begins = pol_alloc(s->conf.n_words, sizeof *x->begins);
    for (uint32_t i = 1; i < s->conf.n_nodes; i++)
        if (s->conf.weight[i] != s->conf.weight[i - 1]) nodeset_put(x->begins, i);
}

void slurm_select_end(struct slurm *s)
{
    const struct slurm_select *x = &s->select;
    POL_FREE(x->nodes, x->at, x->begins, x->run, x->chosen);
}

/* ---- sets of neighbours ---- */

static uint64_t bits_from(uint32_t i, uint32_t n) { return (n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX) << i; }

/* CPU that counts on a node, on n of a word, and the nodes of a word that have so much. */
static int64_t cpu_at(const struct slurm *s, uint32_t node)
{
    const struct slurm_fitting *f = &s->fit;
    for (uint32_t i = 0; i < f->n_met; i++)
        if (nodeset_has(f->met[i]->idle, node)) return f->met[i]->cpu;
    return f->cpu[node];
}

static inline int64_t cpu_of(const struct slurm *s, size_t word, uint64_t bits, uint32_t n)
{
    const struct slurm_fitting *f = &s->fit;
    int64_t sum = 0;
    for (uint32_t i = 0; i < f->n_met && bits != 0; i++) {
        const uint64_t idle = bits & f->met[i]->idle[word];
        const uint32_t k = idle == bits ? n : nodeset_bits(idle);
        sum += f->met[i]->cpu * k;
        bits &= ~idle;
        n -= k;
    }
    for (; bits != 0; bits &= bits - 1) sum += f->cpu[word * 64 + (size_t)__builtin_ctzll(bits)];
    return sum;
}

static uint64_t having(const struct slurm *s, size_t word, uint64_t bits, int64_t cpu)
{
    const struct slurm_fitting *f = &s->fit;
    for (uint32_t i = 0; i < f->n_met; i++)
        if (f->met[i]->cpu < cpu) bits &= ~f->met[i]->idle[word];
    for (uint64_t left = bits; left != 0 && cpu > 0; left &= left - 1)
        if (cpu_at(s, (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(left)) < cpu) bits &= ~(left & -left);
    return bits;
}

/* How many words from one on go on with a run: all of their nodes are there, and are idle ones of one kind, *alike. */
static uint32_t going_on(const struct slurm *s, size_t word, const struct slurm_kind **alike)
{
    const uint64_t *const at = s->select.at, *const begins = s->select.begins;
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->fit.n_met && n == 0; i++) {
        const uint64_t *const idle = s->fit.met[i]->idle;
        *alike = s->fit.met[i];
        while (word + n < s->conf.n_words && (at[word + n] & idle[word + n] & ~begins[word + n]) == UINT64_MAX) n++;
    }
    return n;
}

static void list_runs(const struct slurm *s, struct slurm_select *x)
{
    struct slurm_run *last = NULL;
    x->n_runs = 0;
    for (size_t w = 0; w < s->conf.n_words; w++) {
        uint64_t left = x->at[w];
        if (left == UINT64_MAX && last != NULL && last->first + last->n == w * 64) {    /* most words of a large set */
            const struct slurm_kind *alike;
            const uint32_t n = going_on(s, w, &alike);
            if (n > 0) {
                last->n += n * 64;
                last->cpu += alike->cpu * n * 64;
                w += n - 1;
                continue;
            }
        }
        while (left != 0) {
            const uint32_t i = (uint32_t)__builtin_ctzll(left), node = (uint32_t)(w * 64) + i;
            const uint64_t ends = (~left | x->begins[w]) & ~bits_from(0, i + 1);
            const uint32_t end = ends != 0 ? (uint32_t)__builtin_ctzll(ends) : 64;      /* beyond its nodes here */
            const uint64_t bits = bits_from(i, end - i);
            if (last == NULL || last->first + last->n != node || nodeset_has(x->begins, node)) {
                const struct slurm_run run = { .first = node, .weight = s->conf.weight[node] };
                POL_PUSH(x->run, x->n_runs, x->cap_run, run);
                last = &x->run[x->n_runs - 1];
            }
            last->n += end - i;
            last->cpu += cpu_of(s, w, bits, end - i);
            left &= ~bits;
        }
    }
}

static struct slurm_run *best_run(const struct slurm_select *x, const struct want *w)
{
    struct slurm_run *best = NULL;
    bool is_enough = false;
    for (struct slurm_run *t = x->run; t < x->run + x->n_runs; t++) {
        if (t->n == 0) continue;
        const bool enough = t->cpu >= w->cpu && t->n >= w->rem_nodes;
        bool better = best == NULL || t->weight < best->weight;
        if (!better && t->weight == best->weight)
            better = (enough && !is_enough) || (enough && t->cpu < best->cpu) || (!enough && t->cpu > best->cpu);
        if (!better) continue;
        best = t;
        is_enough = enough;
    }
    return best;
}

/* Take a node: what of its CPU the job is to use leaves something for each further node. */
static void take(struct slurm *s, uint32_t node, struct want *w)
{
    struct slurm_select *x = &s->select;
    int64_t most = w->max_rem - (w->min_nodes > 1 ? (w->min_nodes - 1) * CPU : 0), used = cpu_at(s, node);
    if (!w->is_whole && used > most) used = most > w->task_cpu ? most : w->task_cpu;
    w->cpu -= used;
    w->max_rem -= used;
    w->rem_nodes--;
    w->min_nodes--;
    w->max_nodes--;
    POL_PUSH(x->chosen, x->n_chosen, x->cap_chosen, (struct slurm_chosen){ node, used });
}

static bool is_done(const struct want *w) { return w->rem_nodes <= 0 && w->cpu <= 0; }

/* Those of a run in a word, from node `from` on. */
static uint64_t of_run(const struct slurm_run *t, size_t word, uint32_t from)
{
    const uint32_t first = (uint32_t)(word * 64), end = t->first + t->n;
    uint64_t bits = UINT64_MAX;
    if (from > first) bits &= ~bits_from(0, from - first);
    if (end - first < 64) bits &= bits_from(0, end - first);
    return bits;
}

/* The next node of the run from `from` on that has so much CPU; POL_NONE: none has. */
static uint32_t next_node(const struct slurm *s, const struct slurm_run *t, uint32_t from, int64_t cpu)
{
    for (uint32_t word = from / 64; word * 64 < t->first + t->n; word++) {
        const uint64_t bits = having(s, word, of_run(t, word, from), cpu);
        if (bits != 0) return word * 64 + (uint32_t)__builtin_ctzll(bits);
    }
    return POL_NONE;
}

/* The tightest node of a run that is enough alone; POL_NONE: none is. */
static uint32_t best_node(const struct slurm *s, const struct slurm_run *t, int64_t cpu)
{
    const struct slurm_fitting *f = &s->fit;
    uint32_t best = POL_NONE;
    int64_t least = POL_NEVER;
    for (uint32_t word = t->first / 64; word * 64 < t->first + t->n && least > cpu; word++) {
        uint64_t bits = of_run(t, word, t->first), ask = 0;
        for (uint32_t i = 0; i < f->n_met && bits != 0; i++) {    /* one of those that are alike, if it would be tighter */
            const uint64_t alike = bits & f->met[i]->idle[word];
            if (f->met[i]->cpu >= cpu && f->met[i]->cpu < least) ask |= alike & -alike;
            bits &= ~alike;
        }
        for (ask |= bits; ask != 0; ask &= ask - 1) {
            const uint32_t node = word * 64 + (uint32_t)__builtin_ctzll(ask);
            const int64_t has = cpu_at(s, node);
            if (has < cpu || has >= least) continue;
            best = node;
            least = has;
        }
    }
    return best;
}

static bool eval_runs(struct slurm *s, struct want w)
{
    struct slurm_select *x = &s->select;
    list_runs(s, x);
    x->n_chosen = 0;
    for (struct slurm_run *t; w.max_nodes > 0 && (t = best_run(x, &w)) != NULL; t->n = 0) {
        const uint32_t one = w.rem_nodes <= 1 ? best_node(s, t, w.cpu) : POL_NONE;
        uint32_t node = one != POL_NONE ? one : t->first;
        while (w.max_nodes > 0 && (node = next_node(s, t, node, w.max_nodes == 1 ? w.cpu : 0)) != POL_NONE) {
            take(s, node++, &w);
            if (is_done(&w)) return true;
            if (one != POL_NONE) break;
        }
    }
    return false;
}

/* CR_LLN: within a weight the nodes with most free CPU; pack_serial_at_end: the last node. */
static bool eval_ordered(struct slurm *s, struct want w, bool is_serial)
{
    const uint32_t *weight = s->conf.weight;
    uint64_t *left = s->set[2];
    nodeset_copy(left, s->select.at, s->conf.n_words);
    s->select.n_chosen = 0;
    while (w.max_nodes > 0 && !is_done(&w)) {
        uint32_t best = POL_NONE;
        int64_t most = 0;
        for (size_t word = 0; word < s->conf.n_words; word++)
            for (uint64_t bits = left[word]; bits != 0; bits &= bits - 1) {
                const uint32_t i = (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(bits);
                const int64_t cpu = cpu_at(s, i);
                if (w.max_nodes == 1 && cpu < w.cpu) continue;
                if (best != POL_NONE && weight[i] >= weight[best] &&
                    (weight[i] > weight[best] || (!is_serial && cpu <= most)))
                    continue;
                best = i;
                most = cpu;
            }
        if (best == POL_NONE) return false;
        take(s, best, &w);
        nodeset_drop(left, best);
    }
    return is_done(&w);
}

/* ---- a job ---- */

/* One node for each task, in order of nodes, of those that were chosen. */
static bool spread_tasks(struct slurm *s, uint32_t unit)
{
    const struct request_class *k = slurm_class(s, unit);
    struct slurm_select *x = &s->select;
    struct sched *d = &s->sched;
    const int64_t task_cpu = d->plan.shape[k->shape[0]].cpu_milli;
    uint32_t n = 0, left = k->n_tasks;
    POL_RESERVE(d->place, d->cap_place, k->n_tasks);
    for (uint32_t i = 1; i < x->n_chosen; i++) {        /* by node */
        const struct slurm_chosen c = x->chosen[i];
        uint32_t at = i;
        for (; at > 0 && x->chosen[at - 1].node > c.node; at--) x->chosen[at] = x->chosen[at - 1];
        x->chosen[at] = c;
    }
    for (int pass = 0; pass < 2 && left > 0; pass++) {  /* first what was counted on, then what fits besides */
        for (uint32_t i = 0; i < x->n_chosen && left > 0; i++) {
            struct slurm_chosen *c = &x->chosen[i];
            const uint32_t most = slurm_tasks_on(s, unit, c->node);
            const bool by_use = task_cpu > 0 && !s->param.by_node;
            const int64_t counted = by_use && c->used / task_cpu < most ? c->used / task_cpu : most;
            uint32_t m = pass == 0 ? (uint32_t)counted : most - (uint32_t)counted;
            if (m > left) m = left;
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
static bool first_fit(struct slurm *s, uint32_t unit, uint32_t part, const uint64_t *nodes)
{
    const struct request_class *k = slurm_class(s, unit);
    uint64_t *const at = s->select.at;
    struct sched *d = &s->sched;
    struct plan_mark m = plan_mark(&d->plan);
    uint32_t n = 0;
    POL_RESERVE(d->place, d->cap_place, k->n_tasks);
    nodeset_copy(at, nodes, s->conf.n_words);
    for (uint32_t i = 0; i < s->conf.n_nodes && s->conf.partition[part].is_exclusive; i++)
        if (d->plan.node[i].n.n_tasks > 0) nodeset_drop(at, i);
    for (uint32_t i = 0; i < k->n_tasks; i++) {
        const struct pol_shape *shape = &d->plan.shape[k->shape[i]];
        uint32_t node = s->param.by_node && i > 0 ? d->place[i - 1].node + 1 : 0;
        while (node < s->conf.n_nodes && (!nodeset_has(at, node) || !plan_fits(&d->plan, node, shape))) node++;
        if (node == s->conf.n_nodes) break;
        d->place[n++] = (struct pol_place){ .node = node };
        plan_allocate(&d->plan, node, shape, plan_pick_cards(&d->plan, node, shape));
    }
    plan_undo(&d->plan, m);
    return n == k->n_tasks;
}

/* What a node has by which small ones are left out: CPUs, and free cards where the job asks for some. */
static int64_t resources(const struct slurm *s, uint32_t node, bool has_cards)
{
    return cpu_at(s, node) / CPU + (has_cards ? s->sched.plan.node[node].n_idle : 0);
}

/* Leave out the nodes with at most so many CPUs and cards; as many as may go.  False: there were none. */
static bool drop_small(struct slurm *s, uint32_t unit, bool has_cards, int64_t most)
{
    struct slurm_select *x = &s->select;
    const uint32_t least = slurm_min_nodes(s, unit), n = x->n;
    for (size_t w = 0; w < s->conf.n_words; w++) {
        for (uint64_t bits = x->at[w]; bits != 0; bits &= bits - 1) {
            const uint32_t node = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits);
            if (resources(s, node, has_cards) > most) continue;
            nodeset_drop(x->at, node);
            if (--x->n <= least) return true;
        }
    }
    return x->n < n;
}

static bool eval(struct slurm *s, uint32_t unit, uint32_t part, const struct want *w)
{
    bool is_serial = s->conf.serial_at_end && w->cpu <= CPU && slurm_class(s, unit)->n_tasks == 1;
    if (s->conf.least_loaded || s->conf.partition[part].least_loaded) return eval_ordered(s, *w, false);
    return is_serial ? eval_ordered(s, *w, true) : eval_runs(s, *w);
}

static bool choose(struct slurm *s, uint32_t unit, uint32_t part, const uint64_t *nodes)
{
    const struct request_class *k = slurm_class(s, unit);
    const struct pol_shape *shape = &s->sched.plan.shape[k->shape[0]];
    struct slurm_select *x = &s->select;
    const bool has_cards = shape->n_gpu > 0;
    const int64_t task_cpu = shape->cpu_milli > 0 ? shape->cpu_milli : 1, min_nodes = slurm_min_nodes(s, unit);
    const struct want w = {
        .cpu = task_cpu * k->n_tasks, .task_cpu = task_cpu, .max_rem = task_cpu * k->n_tasks, .min_nodes = min_nodes,
        .max_nodes = s->param.by_node ? min_nodes : k->n_tasks, .rem_nodes = min_nodes,
        .is_whole = shape->exclusive != 0 || s->conf.partition[part].is_exclusive,
    };
    nodeset_copy(x->at, slurm_fit(s, unit, part)->at, s->conf.n_words);
    nodeset_and(x->at, nodes, s->conf.n_words);
    if (!nodeset_holds(x->at, s->conf.n_words, (uint32_t)min_nodes)) return false;
    if (eval(s, unit, part, &w)) return true;
    x->n = nodeset_count(x->at, s->conf.n_words);
    int64_t most = 0, all = 0;
    for (size_t i = 0; i < s->conf.n_words; i++) {
        all += cpu_of(s, i, x->at[i], nodeset_bits(x->at[i]));
        for (uint64_t bits = x->at[i]; bits != 0; bits &= bits - 1) {
            const int64_t have = resources(s, (uint32_t)(i * 64) + (uint32_t)__builtin_ctzll(bits), has_cards);
            if (have > most) most = have;
        }
    }
    if (all < w.cpu) return false;
    for (int64_t count = 1; count < most && x->n > min_nodes; count++)
        if (drop_small(s, unit, has_cards, count) && eval(s, unit, part, &w)) return true;
    return false;
}

bool slurm_select(struct slurm *s, uint32_t unit, uint32_t part, const uint64_t *nodes)
{
    const struct request_class *k = slurm_class(s, unit);
    struct sched *d = &s->sched;
    bool ok;
    s->n_victims = 0;
    if (first_is_largest(s, k)) {
        ok = choose(s, unit, part, nodes) && spread_tasks(s, unit);
    } else {
        ok = first_fit(s, unit, part, nodes);
    }
    if (!ok) return false;
    memset(s->select.nodes, 0, s->conf.n_words * sizeof *s->select.nodes);
    for (uint32_t i = 0; i < k->n_tasks; i++) nodeset_put(s->select.nodes, d->place[i].node);
    return true;
}

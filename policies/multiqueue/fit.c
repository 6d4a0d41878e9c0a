/*
 * fit.c -- a place for one unit, and whom it stops.
 *
 * A CPU job gets no core that is closed to CPU jobs, and while a GPU job waits none
 * that is kept for GPU jobs.  A GPU job gets as many cores as its search says, and
 * may stop CPU jobs that borrow cores; those that still fit afterwards run on.
 *
 * Cost: a search among nodes (nodes.c), or O(nodes that changed since the request class last failed) where those are few.
 */
#include "multiqueue/state.h"

#include "lib/util.h"

struct placement_cost fit_cost(enum mq_use use, int64_t cores, int64_t cards, int64_t left)
{
    enum { USE_AT = 56, CARDS_AT = 48 };
    return (struct placement_cost){ ((int64_t)use << USE_AT) + cores, (cards << CARDS_AT) + left };
}

static bool cheaper(struct placement_cost a, struct placement_cost b)
{
    return a.hi != b.hi ? a.hi < b.hi : a.lo < b.lo;
}

int64_t fit_cores(const struct pol_shape *s, uint32_t cores, const struct pol_node *n)
{
    int64_t most = n->cpu_total - n->cpu_reserved;
    if (cores == 0 || s->exclusive) return s->cpu_milli;
    return (int64_t)cores * 1000 < most ? (int64_t)cores * 1000 : most;
}

static struct pol_shape with_cores(const struct pol_shape *s, uint32_t cores, const struct pol_node *n)
{
    struct pol_shape x = *s;
    x.cpu_milli = fit_cores(s, cores, n);
    return x;
}

/* ---- CPU tasks ---- */

enum fit_verdict fit_verdict(const struct mq *m, const struct pol_shape *s, uint32_t node)
{
    const struct pol_node *n = &m->sched.plan.node[node].n;
    int64_t cpu = pol_node_cpu_of(n, s);
    if (!plan_fits(&m->sched.plan, node, s)) return FIT_NO;
    if (n->cpu_free - m->cores.node[node].closed < cpu) return FIT_CLOSED;
    bool is_kept = m->param.arrays_on && !mq_gpu_idle(m) && m->cores.node[node].held + cpu > cores_array(&m->cores, n);
    return is_kept ? FIT_KEPT : FIT_YES;
}

/* What is not cheaper than `least` (NULL: nothing yet) is left out before its fit is asked, which takes longer. */
static bool is_beaten(const struct placement_cost *least, struct placement_cost c) { return least != NULL && cheaper(*least, c); }

static bool cpu_cost(const struct mq *m, const struct pol_shape *s, uint32_t node, const struct placement_cost *least,
                     struct placement_cost *out)
{
    const struct pol_node *n = &m->sched.plan.node[node].n;
    int64_t cpu = pol_node_cpu_of(n, s), held = m->cores.node[node].held + cpu, array = cores_array(&m->cores, n);
    int64_t over = m->param.arrays_on && held > array ? held - array : 0;
    if (n->cpu_free < cpu) return false;
    *out = fit_cost(MQ_USE_OWN, over < cpu ? over : cpu, n->n_gpu, n->cpu_free - cpu);
    return !is_beaten(least, *out) && fit_verdict(m, s, node) == FIT_YES;
}

/* ---- GPU tasks ---- */

/* Cores of borrowers that would have to stop for the shape to fit; -1: not even all would do. */
static int64_t to_stop(const struct mq *m, const struct pol_shape *s, uint32_t node)
{
    const struct plan *p = &m->sched.plan;
    const struct pol_node *n = &p->node[node].n;
    struct pol_shape bare = *s;
    bare.cpu_milli = 0;
    bare.mem_b = 0;
    if (!m->param.arrays_on || s->exclusive || m->cores.node[node].held <= cores_array(&m->cores, n) || !plan_fits(p, node, &bare)) return -1;
    int64_t cpu = n->cpu_free, mem = n->mem_free, before;
    for (uint32_t t = cores_borrower(&m->cores, n, node, POL_NONE, &before); t != POL_NONE; t = cores_borrower(&m->cores, n, node, t, &before)) {
        cpu += m->cores.task[t].cpu;
        mem += pol_node_mem_of(n, &p->shape[m->sched.held[t].shape]);      /* an exclusive one holds all */
        if (cpu >= s->cpu_milli && mem >= s->mem_b) return cpu - n->cpu_free;
    }
    return -1;
}

static bool gpu_cost(const struct mq *m, enum mq_class class, const struct pol_shape *asked, uint32_t cores,
                     uint32_t node, const struct placement_cost *least, struct placement_cost *out)
{
    const struct plan *p = &m->sched.plan;
    const struct plan_node *o = &p->node[node];
    int64_t stop = 0;
    if (!plan_has_cards(o, asked)) return false;
    enum mq_use use = mq_use_of(m, class, asked, node);
    if (use == MQ_USE_NOT || (m->fit.own_only && use != MQ_USE_OWN)) return false;
    /* If nobody has to stop. */
    *out = fit_cost(use, 0, o->n_idle, o->n.cpu_free - fit_cores(asked, cores, &o->n));
    if (is_beaten(least, *out)) return false;
    struct pol_shape s = with_cores(asked, cores, &o->n);
    if (!plan_fits(p, node, &s) && (stop = to_stop(m, &s, node)) < 0) return false;
    *out = fit_cost(use, stop, o->n_idle, o->n.cpu_free + stop - s.cpu_milli);
    return true;
}

bool fit_takes_gpu(const struct mq *m, enum mq_class class, const struct pol_shape *s, uint32_t node)
{
    struct placement_cost c;
    return gpu_cost(m, class, s, 0, node, NULL, &c);
}

/* ---- among nodes ---- */

bool fit_cost_of(const struct mq *m, enum mq_class class, const struct pol_shape *s, uint32_t cores, uint32_t node,
                 const struct placement_cost *least, struct placement_cost *out)
{
    return class == MQ_CPU ? cpu_cost(m, s, node, least, out) : gpu_cost(m, class, s, cores, node, least, out);
}

/* The cheapest node that changed since `from`; all others will not do, so where many did all are asked for it at once. */
static uint32_t best_node(struct mq *m, enum mq_class class, const struct pol_shape *s, uint32_t cores, uint64_t from)
{
    enum { MANY = 4 };
    const struct plan *p = &m->sched.plan;
    struct placement_cost least, c;
    uint32_t best = POL_NONE;
    uint64_t n = plan_n_changed(p, from);
    if (n > MANY) return nodes_cheapest(m, class, s, cores);
    for (uint64_t i = 0; i < n; i++) {
        uint32_t node = plan_changed(p, from, i);
        if (!fit_cost_of(m, class, s, cores, node, best != POL_NONE ? &least : NULL, &c)) continue;
        if (best != POL_NONE && (cheaper(least, c) || (!cheaper(c, least) && node > best))) continue;
        best = node;
        least = c;
    }
    return best;
}

/* No node has cards for tasks of the shape: no other cores would help, nor would stopping CPU jobs. */
static bool no_cards(struct mq *m, const struct pol_shape *s, uint64_t from)
{
    const struct plan *p = &m->sched.plan;
    struct pol_shape bare = *s;
    uint64_t n = plan_n_changed(p, from);
    bare.cpu_milli = 0;
    bare.mem_b = 0;
    if (from == 0) return !placement_index_fits(&m->sched.placement, &bare);
    for (uint64_t i = 0; i < n; i++) if (plan_fits(p, plan_changed(p, from, i), &bare)) return false;
    return true;
}

static size_t failed_at(const struct mq *m, uint32_t request_class) { return 2 * (size_t)request_class + m->gpu.is_lending; }

/*
 * The most cores that are free on a node that changed since `from`, whatever the rules.  Mostly all
 * request classes of a queue failed at the same time, so the last answer is kept; it holds while no node changed.
 */
static int64_t most_cores(struct mq *m, uint64_t from)
{
    const struct plan *p = &m->sched.plan;
    struct mq_most *x = &m->fit.most;
    if (x->from == from && x->to == p->touches.n) return x->cpu;
    *x = (struct mq_most){ .from = from, .to = p->touches.n };
    for (uint64_t i = 0, n = plan_n_changed(p, from); i < n; i++) {
        int64_t cpu = p->node[plan_changed(p, from, i)].n.cpu_free;
        if (cpu > x->cpu) x->cpu = cpu;
    }
    return x->cpu;
}

bool fit_skip_cpu(void *ctx, uint32_t request_class)
{
    struct mq *m = ctx;
    const struct plan *p = &m->sched.plan;
    const struct request_class *k = &m->sched.classes.at[request_class];
    struct mq_failure *f = failed_at(m, request_class) < m->fit.cap_failed ? &m->fit.failed[failed_at(m, request_class)] : NULL;
    if (f == NULL || f->rules != m->epoch.cpu_rules) return false;
    if (f->touches == p->touches.n) return true;
    if (k->n_tasks > 1 || f->touches == 0) return false;
    const struct pol_shape *s = &p->shape[k->shape[0]];
    enum mq_hold hold = MQ_HOLD_NONE;
    if (s->exclusive || s->cpu_milli <= most_cores(m, f->touches)) {
        uint64_t n = plan_n_changed(p, f->touches);
        for (uint64_t i = 0; i < n; i++) {
            enum fit_verdict v = fit_verdict(m, s, plan_changed(p, f->touches, i));
            if (v == FIT_YES) return false;
            if (v != FIT_NO) hold = MQ_HOLD_RULES;
        }
    }
    record_hold(m, request_class, hold);
    f->touches = p->touches.n;
    return true;
}

bool fit_skip_gpu(void *ctx, uint32_t request_class)
{
    struct mq *m = ctx;
    const struct plan *p = &m->sched.plan;
    const struct request_class *k = &m->sched.classes.at[request_class];
    struct mq_request *x = request_class < m->cap_request ? &m->request[request_class] : NULL;
    if (x == NULL || x->no_cards == 0 || k->n_tasks > 1) return false;
    if (x->no_cards - 1 != p->touches.n && !no_cards(m, &p->shape[k->shape[0]], x->no_cards - 1)) return false;
    x->no_cards = p->touches.n + 1;
    record_hold(m, request_class, MQ_HOLD_NONE);
    return true;
}

/* ---- whom it stops ---- */

static void lift(struct mq *m, uint32_t unit, bool lifted)
{
    struct sched *d = &m->sched;
    for (uint32_t t = unit, i = 0; i < sched_unit(d, unit)->n_tasks; i++, t = d->held[t].next) cores_lift(&m->cores, d->held[t].node, t, lifted);
}

static void release(struct mq *m, uint32_t unit)
{
    sched_release(&m->sched, unit);
    lift(m, unit, true);
    POL_RESERVE(m->fit.victim, m->fit.cap_victim, (size_t)m->fit.n_victims + 1);
    m->fit.victim[m->fit.n_victims++] = unit;
}

/*
 * Release borrowers of the node, the last to start first, until the shape fits, which
 * to_stop found that it will.  A gang leaves as a whole, and so frees no less than to_stop
 * counted.
 */
static void release_for(struct mq *m, uint32_t node, const struct pol_shape *s)
{
    int64_t before;
    while (!plan_fits(&m->sched.plan, node, s)) {
        uint32_t t = cores_borrower(&m->cores, &m->sched.plan.node[node].n, node, POL_NONE, &before);
        release(m, m->cores.task[t].unit);
    }
}

/* All tasks of a released unit would fit where they run. */
static bool may_stay(const struct mq *m, uint32_t unit)
{
    const struct sched *d = &m->sched;
    uint32_t t = unit;
    for (uint32_t i = 0; i < sched_unit(d, unit)->n_tasks; i++, t = d->held[t].next) {
        struct pol_shape s = sched_held_shape(d, t);
        if (!plan_fits(&d->plan, d->held[t].node, &s)) return false;
    }
    return sched_unit(d, unit)->n_tasks == 1;    /* two tasks of a gang may share a node: each fits alone */
}

/* Those that need not stop after all go on; the others are stopped. */
static void settle_victims(struct mq *m)
{
    for (uint32_t i = 0; i < m->fit.n_victims; i++) {
        uint32_t v = m->fit.victim[i];
        if (may_stay(m, v)) {
            sched_reallocate(&m->sched, v);
            lift(m, v, false);
            continue;
        }
        mq_unit(m, v)->was_stopped = true;
        sched_preempt(&m->sched, v, "borrows cores that a GPU job needs");
        m->n_stopped++;
    }
    m->fit.n_victims = 0;
}

static void spare_victims(struct mq *m)
{
    for (uint32_t i = 0; i < m->fit.n_victims; i++) lift(m, m->fit.victim[i], false);
    m->fit.n_victims = 0;
}

/* ---- one unit ---- */

/* For the record: would it fit with the cores that it asks, or its tasks one by one?  Looks at nodes that changed since `from`. */
static enum mq_hold hold_of(const struct mq *m, const struct unit *u, enum mq_class class, uint32_t cores, uint64_t from)
{
    const struct plan *p = &m->sched.plan;
    const struct pol_shape *s = &p->shape[m->sched.classes.at[u->request_class].shape[0]];
    bool is_more = (int64_t)cores * 1000 > s->cpu_milli;
    if (u->n_tasks > 1) return class != MQ_CPU && is_more ? MQ_HOLD_CORES : MQ_HOLD_TOGETHER;
    for (uint64_t i = 0, n = plan_n_changed(p, from); i < n; i++) {
        uint32_t node = plan_changed(p, from, i);
        if (!plan_fits(p, node, s)) continue;
        return class == MQ_CPU ? MQ_HOLD_RULES : mq_use_of(m, class, s, node) == MQ_USE_NOT ? MQ_HOLD_ARRAY : MQ_HOLD_CORES;
    }
    return MQ_HOLD_NONE;
}

/* Places for all tasks of the unit, taken in the plan, looking at nodes that changed since `from`; how many tasks got one. */
static uint32_t place_tasks(struct mq *m, const struct unit *u, enum mq_class class, uint32_t cores, uint64_t from)
{
    struct sched *d = &m->sched;
    const struct request_class *k = &d->classes.at[u->request_class];
    POL_RESERVE(d->place, d->cap_place, u->n_tasks);
    uint32_t i = 0;
    for (; i < u->n_tasks; i++) {
        const struct pol_shape *asked = &d->plan.shape[k->shape[i]];
        uint32_t node = best_node(m, class, asked, cores, from);
        if (node == POL_NONE) break;
        struct pol_shape s = with_cores(asked, cores, &d->plan.node[node].n);
        if (class != MQ_CPU) release_for(m, node, &s);
        uint64_t cards = plan_pick_cards(&d->plan, node, &s);
        d->place[i] = (struct pol_place){ .node = node, .cards = cards, .cpu_milli = s.cpu_milli != asked->cpu_milli ? s.cpu_milli : 0 };
        plan_allocate(&d->plan, node, &s, cards);
        if (class == MQ_CPU) m->cores.node[node].held += s.cpu_milli;   /* the gang's next task sees it */
    }
    if (class == MQ_CPU)
        for (uint32_t k2 = 0; k2 < i; k2++) m->cores.node[d->place[k2].node].held -= d->plan.shape[k->shape[k2]].cpu_milli;
    return i;
}

static bool place_unit(struct mq *m, uint32_t id, enum mq_class class, uint32_t cores)
{
    struct sched *d = &m->sched;
    const struct unit *u = sched_unit(d, id);
    const struct request_class *k = &d->classes.at[u->request_class];
    uint64_t rules = mq_rules(m, class), from = 0;
    POL_RESERVE(m->fit.failed, m->fit.cap_failed, failed_at(m, u->request_class) + 1);
    struct mq_failure *f = &m->fit.failed[failed_at(m, u->request_class)];
    bool is_same = f->rules == rules && f->cores == cores;
    bool known = is_same || (f->rules == rules && u->n_tasks == 1 && f->cores > 0 && cores > f->cores);
    if (known && f->touches == d->plan.touches.n) return false;
    if (known && u->n_tasks == 1) from = f->touches;
    struct plan_mark mark = plan_mark(&d->plan);
    if (place_tasks(m, u, class, cores, from) == u->n_tasks) {
        plan_keep(&d->plan, mark);
        return true;
    }
    spare_victims(m);
    plan_undo(&d->plan, mark);
    if (m->is_recorded) record_hold(m, u->request_class, hold_of(m, u, class, cores, from));
    if (class != MQ_CPU && u->n_tasks == 1 && no_cards(m, &d->plan.shape[k->shape[0]], 0)) m->request[u->request_class].no_cards = d->plan.touches.n + 1;
    /* A failure with fewer cores stays noted: it was not tried again, and nodes that changed since may hold that. */
    if (is_same || !known) *f = (struct mq_failure){ rules, d->plan.touches.n, cores };
    return false;
}

bool fit_cpu(struct mq *m, uint32_t id)
{
    if (!place_unit(m, id, MQ_CPU, 0)) return false;
    sched_start(&m->sched, id, mq_unit(m, id)->was_stopped ? "was stopped, at the head" : "CPU queue, smallest share");
    return true;
}

/* ---- GPUs taken back ---- */

/* Does a running unit of the other class hold GPUs of this class's array?  By number any does while its class is beyond its own. */
static bool is_on_borrowed(const struct mq *m, enum mq_class class, uint32_t id)
{
    const struct sched *d = &m->sched;
    if (m->param.gpu_arrays == MQ_ARRAYS_COUNT) return true;
    for (uint32_t t = id, i = 0; i < sched_unit(d, id)->n_tasks; i++, t = d->held[t].next)
        if (m->gpu.node[d->held[t].node].is_multi == (class == MQ_MULTI)) return true;
    return false;
}

/* Running units of the other class that are on borrowed GPUs, the last started first; not those that start in this decision. */
static uint32_t list_borrowers(struct mq *m, enum mq_class class)
{
    struct sched *d = &m->sched;
    uint32_t n = 0;
    POL_RESERVE(m->fit.lender, m->fit.cap_lender, (size_t)m->gpu.n_running);
    for (uint32_t i = 0; i < m->gpu.n_running; i++) {
        uint32_t id = m->gpu.running[i], k;
        const struct unit *u = sched_unit(d, id);
        if (mq_class(m, u->request_class) == class || u->started_in == d->round || !is_on_borrowed(m, class, id)) continue;
        for (k = n++; k > 0; k--) {
            const struct unit *o = sched_unit(d, m->fit.lender[k - 1]);
            if (o->started > u->started || (o->started == u->started && unit_before(u, o))) break;
            m->fit.lender[k] = m->fit.lender[k - 1];
        }
        m->fit.lender[k] = id;
    }
    return n;
}

/* All tasks of a released unit fit where they run; they are taken back, or all left out. */
static bool take_back(struct mq *m, uint32_t id)
{
    struct sched *d = &m->sched;
    if (sched_unit(d, id)->n_tasks > 1) return false;       /* two tasks of a gang may share a node: each fits alone */
    struct pol_shape s = sched_held_shape(d, id);
    const struct plan_node *o = &d->plan.node[d->held[id].node];
    for (uint32_t i = 0; i < o->n.n_gpu; i++) {
        const struct pol_card *c = &plan_cards_of(&d->plan, d->held[id].node)[i];
        bool is_short = c->milli_free < s.gpu_milli || (c->mem_total > 0 && c->mem_free < s.gpu_mem_b) || (c->core_total > 0 && c->core_free < s.gpu_cores);
        if ((d->held[id].cards >> i & 1) != 0 && is_short) return false;
    }
    if (!plan_fits(&d->plan, d->held[id].node, &s)) return false;
    sched_reallocate(d, id);
    return true;
}

/*
 * The unit, which its array has GPUs for, takes those that the other class borrowed (S0-19): borrowers are released, the last
 * to start first, until it fits; those that are not in its way then go on.
 */
static bool reclaim(struct mq *m, uint32_t id, enum mq_class class, uint32_t cores)
{
    struct sched *d = &m->sched;
    const struct unit *u = sched_unit(d, id);
    enum mq_class other = class == MQ_MULTI ? MQ_SINGLE : MQ_MULTI;
    bool by_count = m->param.gpu_arrays == MQ_ARRAYS_COUNT;
    int64_t beyond = mq_beyond(m, other);
    if (by_count && mq_beyond(m, class) + mq_request(m, u->request_class)->gpu_milli > 0) return false;
    uint32_t n = list_borrowers(m, class), released = 0;
    struct plan_mark mark = plan_mark(&d->plan);
    bool fits = false;
    while (!fits && released < n && (!by_count || beyond > 0)) {
        uint32_t v = m->fit.lender[released++];
        sched_release(d, v);
        beyond -= mq_request(m, sched_unit(d, v)->request_class)->gpu_milli;
        struct plan_mark before = plan_mark(&d->plan);
        m->fit.own_only = true;             /* else each of two classes could take from the other without end */
        fits = place_tasks(m, u, class, cores, 0) == u->n_tasks;
        m->fit.own_only = false;
        if (fits) {
            plan_keep(&d->plan, before);
            break;
        }
        spare_victims(m);
        plan_undo(&d->plan, before);
    }
    if (!fits) {
        plan_undo(&d->plan, mark);
        return false;
    }
    plan_keep(&d->plan, mark);
    for (uint32_t i = 0; i < released; i++)
        if (!take_back(m, m->fit.lender[i])) sched_preempt(d, m->fit.lender[i], "is on GPUs borrowed of the other array, whose own job waits");
    return true;
}

bool fit_gpu(struct mq *m, uint32_t id)
{
    enum mq_class class = mq_class(m, sched_unit(&m->sched, id)->request_class);
    uint32_t cores = tune_cores(m, id);
    if (!place_unit(m, id, class, cores) && !(m->param.reclaim && reclaim(m, id, class, cores))) return false;
    settle_victims(m);
    sched_start(&m->sched, id, m->param.gpu_arrays == MQ_ARRAYS_OFF ? "GPU queue, smallest share" : class == MQ_MULTI ? "multi-GPU queue, smallest share" : "single-GPU queue, smallest share");
    tune_started(m, id);
    return true;
}

/* ---- other cores for one that runs ---- */

bool fit_resize(struct mq *m, uint32_t id, uint32_t cores, const char *reason)
{
    struct sched *d = &m->sched;
    const struct unit *u = sched_unit(d, id);
    struct plan_mark mark = plan_mark(&d->plan);
    uint32_t t = id, i = 0;
    for (; i < u->n_tasks; i++, t = d->held[t].next) {
        struct sched_held *h = &d->held[t];
        struct pol_shape was = sched_held_shape(d, t), now = with_cores(&was, cores, &d->plan.node[h->node].n);
        plan_release(&d->plan, h->node, &was, h->cards);
        bool ok = plan_fits(&d->plan, h->node, &now) || to_stop(m, &now, h->node) >= 0;
        if (ok) release_for(m, h->node, &now);
        plan_allocate(&d->plan, h->node, ok ? &now : &was, h->cards);
        if (!ok) break;
    }
    bool done = i == u->n_tasks;
    if (!done) spare_victims(m);
    plan_undo(&d->plan, mark);
    if (!done) return false;
    /* Victims stop first, so that the cores are there when the host applies the rest. */
    for (uint32_t v = 0; v < m->fit.n_victims; v++) sched_release(d, m->fit.victim[v]);
    for (t = id, i = 0; i < u->n_tasks; i++, t = d->held[t].next) {
        struct sched_held *h = &d->held[t];
        struct pol_shape was = sched_held_shape(d, t), now = with_cores(&was, cores, &d->plan.node[h->node].n);
        if (now.cpu_milli == was.cpu_milli) continue;
        plan_release(&d->plan, h->node, &was, h->cards);
        plan_allocate(&d->plan, h->node, &now, h->cards);
    }
    settle_victims(m);
    pol_task task = u->task;
    for (t = id, i = 0; i < u->n_tasks; i++, t = d->held[t].next) {
        struct sched_held *h = &d->held[t];
        struct pol_shape was = sched_held_shape(d, t), now = with_cores(&was, cores, &d->plan.node[h->node].n);
        if (now.cpu_milli != was.cpu_milli) {
            m->gpu.node[h->node].cpu += now.cpu_milli - was.cpu_milli;
            h->cpu_milli = now.cpu_milli;
            d->cores->resize(d->host->ctx, task, now.cpu_milli, reason);
        }
        const struct pol_task_info *ti = d->host->task(d->host->ctx, task);
        task = ti->next;
    }
    return true;
}

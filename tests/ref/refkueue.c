/*
 * refkueue.c -- kueue a second time, as policies/kueue/README.md words it, with arrays and loops only.
 *
 * It remembers where each workload stands; what is used of which quota it counts anew, from who holds what, whenever
 * it is asked.  Who is out, for a search, is a flag; what a cycle keeps for somebody is an extra.
 */
#include <stdlib.h>
#include <string.h>

#include "ref/refkueue_priv.h"

/* What one queue's head came to. */
struct entry {
    struct ref_unit u;
    int queue, height;
    bool possible, fits;
    bool need[FLAVORS][RES];
    struct ref_unit go[ALL];
    int n_go;
};

void ref_kq_begin(struct ref_world *w)
{
    w->kq = calloc(1, sizeof *w->kq);
    SIM_ASSERT(w->kq != NULL);
    w->kq->woken_at = -1;
    w->kq->asks = TICK_NEVER;
    for (int i = 0; i < POOLS; i++) {
        w->kq->sticky[i].job = -1;
        w->kq->generation[i] = 1;
    }
}

sim_tick ref_kq_wake(const struct ref_world *w) { return w->kq->asks; }

/* ---- who waits ---- */

static bool before(const struct deciding *d, struct ref_unit a, struct ref_unit b)
{
    const struct workload *x = of(d, a), *y = of(d, b);
    if (x->priority != y->priority) return x->priority > y->priority;
    if (x->stamp != y->stamp) return x->stamp < y->stamp;
    return a.job != b.job ? a.job < b.job : a.task < b.task;
}

static bool asks_the_same(const struct deciding *d, struct ref_unit a, struct ref_unit b)
{
    if (ref_unit_size(d->w, a) != ref_unit_size(d->w, b)) return false;
    for (int k = 0; k < ref_unit_size(d->w, a); k++)
        if (memcmp(&d->w->job[a.job].task[a.task + k].shape, &d->w->job[b.job].task[b.task + k].shape,
                   sizeof(struct shape)) != 0)
            return false;
    return true;
}

static bool is_parked(const struct deciding *d, struct ref_unit u)
{
    for (int i = 0; i < d->k->n_parked; i++)
        if (d->k->parked[i].queue == of(d, u)->queue && d->k->parked[i].priority == of(d, u)->priority &&
            asks_the_same(d, d->k->parked[i].like, u))
            return true;
    return false;
}

static void unpark(struct deciding *d, int queue)
{
    int left = 0;
    for (int i = 0; i < d->k->n_parked; i++)
        if (queue >= 0 && ref_kq_root_of(d, d->k->parked[i].queue) != ref_kq_root_of(d, queue))
            d->k->parked[left++] = d->k->parked[i];
    d->k->n_parked = left;
}

static void leave(struct deciding *d, struct ref_unit u)
{
    if (is_same(d->k->sticky[of(d, u)->queue], u)) d->k->sticky[of(d, u)->queue].job = -1;
}

/* Its quota is given back; where it goes is the caller's. */
static void release(struct deciding *d, struct ref_unit u, enum where to)
{
    of(d, u)->where = to;
    d->k->generation[of(d, u)->queue]++;
    unpark(d, of(d, u)->queue);
}

static bool head_of(const struct deciding *d, int queue, struct ref_unit *head)
{
    struct ref_unit all[ALL];
    int n = units(d, WAITS, queue, all);
    *head = d->k->sticky[queue];
    if (head->job >= 0) return true;
    for (int i = 0; i < n; i++)
        if (!is_parked(d, all[i]) && (head->job < 0 || before(d, all[i], *head))) *head = all[i];
    return head->job >= 0;
}

/* ---- nodes ---- */

static bool flavor_has(const struct deciding *d, int f, int node)
{
    if (d->p->flavor[f].type >= 0) return d->w->c->node[node].type == d->p->flavor[f].type;
    return d->p->flavor[f].host < 0 || d->p->flavor[f].host == node;
}

/* Pod set s of a unit: the s-th different shape; the set of a task. */
static int set_of(const struct deciding *d, struct ref_unit u, int task)
{
    int n = 0;
    for (int k = 0; k <= task; k++) {
        int first = 0;
        while (memcmp(&d->w->job[u.job].task[u.task + first].shape, &d->w->job[u.job].task[u.task + k].shape,
                      sizeof(struct shape)) != 0)
            first++;
        if (first == k && k < task) n++;
        if (k == task && first < task) return set_of(d, u, first);
    }
    return n;
}

static bool try_pods(struct deciding *d, struct ref_unit u)
{
    struct ref_decision *x = &d->out->d[d->out->n];
    struct ref_ledger was = d->l;
    *x = (struct ref_decision){ .what = REF_DO_START, .u = u };
    for (int k = 0; k < ref_unit_size(d->w, u); k++) {
        bool up[REF_NODES];
        memcpy(up, d->l.up, sizeof up);
        for (int n = 0; n < d->w->c->n_nodes; n++)
            for (int r = 0; r < RES; r++) {
                int f = of(d, u)->flavor[set_of(d, u, k)][r];
                if (f >= 0 && !flavor_has(d, f, n)) d->l.up[n] = false;
            }
        bool ok = ref_place_task(d->w, &d->l, u.job, u.task + k, &x->node[k], &x->cards[k]);
        memcpy(d->l.up, up, sizeof up);
        if (ok) continue;
        d->l = was;
        return false;
    }
    d->out->n++;
    of(d, u)->where = RUNS;
    of(d, u)->until = TICK_NEVER;
    return true;
}

static void try_pending(struct deciding *d)
{
    struct ref_unit all[ALL];
    int n = units(d, ADMITTED, -1, all);
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && before(d, all[k], all[k - 1]); k--) {
            struct ref_unit u = all[k];
            all[k] = all[k - 1];
            all[k - 1] = u;
        }
    for (int i = 0; i < n; i++) (void)try_pods(d, all[i]);
}

/* ---- flavors ---- */

struct grade {
    enum fit fit;
    bool borrows;
    int height;
};

static bool is_better(struct grade a, struct grade b)
{
    if (a.fit == NO_FIT || b.fit == NO_FIT) return a.fit != NO_FIT;
    return a.fit != b.fit ? a.fit > b.fit : !a.borrows && b.borrows;
}

static struct grade look(struct deciding *d, struct ref_unit u, int f, int r, int64_t n)
{
    const int queue = of(d, u)->queue;
    const struct ref_kq_queue *p = queue_of(d, queue);
    struct grade g = { NO_FIT, false, 0 };
    struct ref_unit go[ALL];
    bool below;
    if (n > ref_kq_potential(d, queue, f, r)) return g;
    g.height = ref_kq_borrow_height(d, queue, f, r, n, &below);
    g.borrows = g.height > 0;
    if (n <= ref_kq_available(d, queue, f, r)) {
        g.fit = FIT;
        return g;
    }
    if (n > ref_kq_nominal(d, queue, f, r) && !below && !p->borrows && !(d->p->fair && p->reclaim > 0)) return g;
    struct demand q = { .u = u, .queue = queue };
    q.n[f][r] = n;
    q.need[f][r] = true;
    int n_go = ref_kq_room_for(d, &q, go);
    g.fit = n_go > 0 ? RECLAIM : NO_CANDIDATES;
    for (int i = 0; i < n_go; i++) {
        of(d, go[i])->out = true;
        if (of(d, go[i])->queue == queue) g.fit = PREEMPT;
    }
    g.height = ref_kq_borrow_height(d, queue, f, r, n, &below);
    for (int i = 0; i < n_go; i++) of(d, go[i])->out = false;
    g.borrows = g.height > 0;
    return g;
}

static bool suits(const struct deciding *d, const struct shape *s, int f)
{
    for (int n = 0; n < d->w->c->n_nodes; n++) {
        const struct ref_node *o = &d->w->c->node[n];
        if (flavor_has(d, f, n) && (o->labels & s->need_all) == s->need_all &&
            (s->need_any == 0 || (o->labels & s->need_any) != 0) &&
            (s->n_gpu == 0 || s->gpu_types == 0 || (o->type >= 0 && (s->gpu_types >> o->type & 1) != 0)))
            return true;
    }
    return false;
}

static int64_t ask(const struct deciding *d, struct ref_unit u, int set, int r)
{
    int64_t n = 0;
    for (int k = 0; k < ref_unit_size(d->w, u); k++) {
        const struct shape *s = &d->w->job[u.job].task[u.task + k].shape;
        const int64_t of_one[RES] = { s->cpu_milli, d->p->no_memory ? 0 : s->mem_b, (int64_t)s->n_gpu * s->gpu_milli,
                                      1 };
        if (set_of(d, u, k) == set) n += of_one[r];
    }
    return n;
}

static int n_sets(const struct deciding *d, struct ref_unit u)
{
    int n = 0;
    for (int k = 0; k < ref_unit_size(d->w, u); k++) n = (int)most(n, set_of(d, u, k) + 1);
    return n;
}

/* A flavor for one group of one set; -1: none. */
static int choose(struct deciding *d, struct ref_unit u, int set, int g, int from, int *tried, struct grade *of_res)
{
    const struct ref_kq_queue *p = queue_of(d, of(d, u)->queue);
    int best = -1, last = from, i = from;
    struct grade so_far = { NO_FIT, true, 0 };
    const struct shape *shape = NULL;
    for (int k = 0; shape == NULL; k++)
        if (set_of(d, u, k) == set) shape = &d->w->job[u.job].task[u.task + k].shape;
    for (bool stop = false; i < p->n_flavors[g] && !stop; i++) {
        const int f = p->flavor[g][i];
        struct grade worst = { FIT, false, 0 }, now[RES] = { { NO_FIT, false, 0 } };
        last = i;
        if (!suits(d, shape, f)) continue;
        for (int r = 0; r < RES && worst.fit != NO_FIT; r++) {
            if ((p->covered[g] >> r & 1) == 0 || ask(d, u, set, r) == 0) continue;
            now[r] = look(d, u, f, r, ask(d, u, set, r) + of(d, u)->use[f][r]);
            const int h = (int)most(worst.height, now[r].height);
            if (is_better(worst, now[r])) worst = now[r];
            worst.height = h;
        }
        const bool well = !worst.borrows || !p->next_if_borrow;
        stop = well && (worst.fit == FIT || ((worst.fit == PREEMPT || worst.fit == RECLAIM) && !p->next_if_preempt));
        if (!stop && !is_better(worst, so_far)) continue;
        best = f;
        so_far = worst;
        for (int r = 0; r < RES; r++) {
            of_res[r] = now[r];
            of_res[r].height = worst.height;
        }
    }
    *tried = best < 0 || last + 1 >= p->n_flavors[g] ? -1 : last;
    return best;
}

static void assign(struct deciding *d, struct ref_unit u, struct entry *e)
{
    struct workload *x = of(d, u);
    const struct ref_kq_queue *p = queue_of(d, x->queue);
    const bool keeps = x->tried_at == d->k->generation[x->queue];
    int old[REF_TASKS][RES];
    memcpy(old, x->tried, sizeof old);
    memset(x->use, 0, sizeof x->use);
    memset(e, 0, sizeof *e);
    e->u = u;
    e->queue = x->queue;
    e->possible = e->fits = true;
    x->tried_at = d->k->generation[x->queue];
    for (int s = 0; s < REF_TASKS; s++)
        for (int r = 0; r < RES; r++) x->tried[s][r] = -1;
    for (int s = 0; s < n_sets(d, u); s++) {
        int flavor[RES] = { -1, -1, -1, -1 }, tried[RES] = { -1, -1, -1, -1 };
        struct grade grade[RES];
        for (int r = 0; r < RES; r++) {
            int g = 0;
            struct grade of_res[RES];
            if (ask(d, u, s, r) == 0 || flavor[r] >= 0) continue;
            while (g < p->n_groups && (p->covered[g] >> r & 1) == 0) g++;
            if (g == p->n_groups && r == PODS) continue;
            int t = -1, f = g == p->n_groups ? -1 : choose(d, u, s, g, keeps ? old[s][r] + 1 : 0, &t, of_res);
            if (f < 0) {
                e->possible = e->fits = false;
                return;
            }
            for (int o = r; o < RES; o++)
                if ((p->covered[g] >> o & 1) != 0 && ask(d, u, s, o) > 0) {
                    flavor[o] = f;
                    tried[o] = t;
                    grade[o] = of_res[o];
                }
        }
        for (int r = 0; r < RES; r++) {
            x->flavor[s][r] = flavor[r];
            x->tried[s][r] = tried[r];
            if (flavor[r] < 0) continue;
            x->use[flavor[r]][r] += ask(d, u, s, r);
            e->height = (int)most(e->height, grade[r].height);
            if (grade[r].fit != FIT) {
                e->fits = false;
                e->need[flavor[r]][r] = true;
            }
        }
    }
}

/* ---- the cycle ---- */

static void add_extra(struct deciding *d, struct ref_unit u, int sign)
{
    for (int f = 0; f < FLAVORS; f++)
        for (int r = 0; r < RES; r++) d->k->extra[of(d, u)->queue][f][r] += sign * of(d, u)->use[f][r];
}

static bool turn_before(struct deciding *d, const struct entry *a, const struct entry *b, int cohort)
{
    const struct entry *x[2] = { a, b };
    int64_t s[2];
    for (int i = 0; i < 2; i++) {
        int child = x[i]->queue;
        while (d->p->pool[child].parent != cohort) child = d->p->pool[child].parent;
        add_extra(d, x[i]->u, +1);
        s[i] = ref_kq_share(d, child);
        add_extra(d, x[i]->u, -1);
    }
    if (s[0] != s[1]) return s[0] < s[1];
    if (of(d, a->u)->priority != of(d, b->u)->priority) return of(d, a->u)->priority > of(d, b->u)->priority;
    return of(d, a->u)->stamp < of(d, b->u)->stamp;
}

static struct entry *tournament(struct deciding *d, struct entry *e, const bool *in, int cohort)
{
    struct entry *best = NULL;
    for (int c = 0; c < n_pools(d); c++) {
        if (d->p->pool[c].parent != cohort) continue;
        struct entry *x = c < d->p->n_cohorts ? tournament(d, e, in, c) : in[c] ? &e[c] : NULL;
        if (x != NULL && (best == NULL || turn_before(d, x, best, cohort))) best = x;
    }
    return best;
}

static struct entry *next_entry(struct deciding *d, struct entry *e, const bool *in)
{
    struct entry *best = NULL;
    for (int q = d->p->n_cohorts; q < n_pools(d); q++) {
        if (!in[q]) continue;
        if (d->p->fair) return d->p->pool[q].parent < 0 ? &e[q] : tournament(d, e, in, ref_kq_root_of(d, q));
        if (best == NULL || e[q].height < best->height || (e[q].height == best->height && before(d, e[q].u, best->u)))
            best = &e[q];
    }
    return best;
}

static bool has_left(const struct deciding *d, struct ref_unit u)
{
    for (int s = 0; s < REF_TASKS; s++)
        for (int r = 0; r < RES; r++)
            if (of(d, u)->tried[s][r] != -1) return true;
    return false;
}

/* 0: nothing happened; 1: only flavors are left; 2: something did. */
static int cycle(struct deciding *d)
{
    static struct entry e[POOLS];
    static struct ref_unit victim[ALL];
    bool in[POOLS] = { false };
    int result = 0, n_victims = 0;
    for (int q = d->p->n_cohorts; q < n_pools(d); q++) {
        struct ref_unit head;
        if (!head_of(d, q, &head)) continue;
        in[q] = true;
        assign(d, head, &e[q]);
        if (!e[q].possible || e[q].fits) continue;
        struct demand dem = { .u = head, .queue = q };
        memcpy(dem.n, of(d, head)->use, sizeof dem.n);
        memcpy(dem.need, e[q].need, sizeof dem.need);
        e[q].n_go = ref_kq_room_for(d, &dem, e[q].go);
    }
    for (struct entry *x; (x = next_entry(d, e, in)) != NULL;) {
        const struct ref_kq_queue *p = queue_of(d, x->queue);
        struct workload *w = of(d, x->u);
        in[x->queue] = false;
        if (!x->possible || (!x->fits && x->n_go == 0)) {
            for (int f = 0; f < d->p->n_flavors && x->possible && p->reclaim != 2; f++)
                for (int r = 0; r < RES; r++) {
                    const int64_t limit = d->p->pool[x->queue].quota[f][r].borrow;
                    int64_t rest = ref_kq_nominal(d, x->queue, f, r) - ref_kq_used(d, x->queue, f, r), n = w->use[f][r];
                    if (x->height > 0) rest = limit < 0 ? n : rest + limit;
                    if (n > 0) d->k->extra[x->queue][f][r] += most(0, least(n, rest));
                }
            if (has_left(d, x->u)) {
                if (result == 0) result = 1;
            } else if (!p->strict) {
                leave(d, x->u);
                d->k->parked[d->k->n_parked].queue = x->queue;
                d->k->parked[d->k->n_parked].priority = w->priority;
                d->k->parked[d->k->n_parked++].like = x->u;
                result = 2;
            }
            continue;
        }
        bool overlaps = false, fits = true;
        for (int i = 0; i < x->n_go; i++)
            for (int v = 0; v < n_victims; v++) overlaps = overlaps || is_same(x->go[i], victim[v]);
        for (int v = 0; v < n_victims; v++) of(d, victim[v])->out = true;
        for (int i = 0; i < x->n_go; i++) of(d, x->go[i])->out = true;
        for (int f = 0; f < d->p->n_flavors; f++)
            for (int r = 0; r < RES; r++)
                fits = fits && (w->use[f][r] == 0 || w->use[f][r] <= ref_kq_available(d, x->queue, f, r));
        for (int v = 0; v < n_victims; v++) of(d, victim[v])->out = false;
        for (int i = 0; i < x->n_go; i++) of(d, x->go[i])->out = false;
        if (overlaps || !fits) {
            w->tried_at = 0;
        } else if (!x->fits) {
            for (int i = 0; i < x->n_go; i++) victim[n_victims++] = x->go[i];
            add_extra(d, x->u, +1);
            w->tried_at = 0;
            if (!p->strict) d->k->sticky[x->queue] = x->u;
            result = 2;
        } else {
            struct ref_unit all[ALL];
            if (d->p->waits && d->p->blocks && units(d, ADMITTED, -1, all) > 0) break;
            leave(d, x->u);
            w->where = ADMITTED;
            w->reserved = d->w->now;
            w->until = d->p->waits ? d->w->now + d->p->timeout : TICK_NEVER;
            w->tried_at = 0;
            (void)try_pods(d, x->u);
            result = 2;
        }
    }
    memset(d->k->extra, 0, sizeof d->k->extra);
    for (int v = 0; v < n_victims; v++) {
        const bool ran = of(d, victim[v])->where == RUNS;
        release(d, victim[v], ran ? EVICTED : WAITS);
        if (!ran) continue;
        for (int k = 0; k < ref_unit_size(d->w, victim[v]); k++)
            ref_give(d->w->c, &d->l, victim[v].job, victim[v].task + k);
        d->out->d[d->out->n++] = (struct ref_decision){ .what = REF_DO_PREEMPT, .u = victim[v] };
    }
    if (n_victims > 0) try_pending(d);
    return result;
}

/* ---- in step with what happened ---- */

static void look_around(struct deciding *d)
{
    for (int j = 0; j < d->w->n_arrived; j++)
        for (int t = 0; t < (d->w->job[j].gang ? 1 : d->w->job[j].n); t++) {
            const struct ref_unit u = { .job = j, .task = t };
            const enum ref_state s = d->w->live[j][t].state;
            struct workload *x = of(d, u);
            if (x->where == RUNS && s == REF_DONE) release(d, u, NOWHERE);
            if (s != REF_WAITING) continue;
            if (x->where == RUNS) {
                x->where = ADMITTED;
                x->until = d->p->waits && d->p->recovery >= 0 ? d->w->now + d->p->recovery : TICK_NEVER;
            } else if (x->where == EVICTED) {
                x->where = WAITS;
            } else if (x->where == NOWHERE) {
                const int user = d->w->job[j].user;
                *x = (struct workload){ .where = WAITS,
                                        .priority = d->w->job[j].priority,
                                        .stamp = d->w->job[j].submit };
                x->queue = d->p->n_cohorts + (user < d->p->n_queues ? user : 0);
                if (user >= d->p->n_queues && !d->p->otherwise) x->where = STRANDED;
            }
        }
}

static void pass_time(struct deciding *d)
{
    struct ref_unit all[ALL];
    for (int i = 0, n = units(d, ADMITTED, -1, all); i < n; i++) {
        struct workload *x = of(d, all[i]);
        if (x->until > d->w->now) continue;
        release(d, all[i], BACKS_OFF);
        x->evictions++;
        if (d->p->by_eviction) x->stamp = d->w->now;
        if (x->evictions > d->p->most) {
            x->where = STRANDED;
            continue;
        }
        int64_t wait = d->p->base;
        for (int k = 1; k < x->evictions; k++) wait = least(2 * wait, d->p->longest);
        x->until = d->w->now + least(wait, d->p->longest) * 1000000;
    }
    for (int i = 0, n = units(d, BACKS_OFF, -1, all); i < n; i++)
        if (of(d, all[i])->until <= d->w->now) of(d, all[i])->where = WAITS;
    if (!d->k->held_back || d->k->woken_at > d->w->now) return;
    d->k->held_back = false;
    unpark(d, -1);
}

static void ask_to_be_woken(struct deciding *d)
{
    struct ref_unit all[ALL];
    sim_tick at = d->k->held_back ? d->w->now + 1 : TICK_NEVER;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0, n = units(d, pass ? BACKS_OFF : ADMITTED, -1, all); i < n; i++)
            at = least(at, of(d, all[i])->until);
    d->k->asks = TICK_NEVER;
    if (at == TICK_NEVER || (d->k->woken_at > d->w->now && d->k->woken_at <= at)) return;
    d->k->woken_at = d->k->asks = at;
}

void ref_kq_decide(struct ref_world *w, struct ref_plan *out)
{
    struct deciding d = { .w = w, .k = w->kq, .p = &w->c->policy.kq, .l = w->ledger, .out = out };
    look_around(&d);
    try_pending(&d);
    pass_time(&d);
    for (int idle = 0, what; idle <= d.p->n_flavors && (what = cycle(&d)) != 0;) idle = what == 2 ? 0 : idle + 1;
    ask_to_be_woken(&d);
}

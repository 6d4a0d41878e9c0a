/*
 * refmq.c -- multiqueue a second time, as policies/README.md words it, with arrays and loops only.
 *
 * It keeps what a rule remembers (what searches saw, who was stopped, what is closed) and finds
 * everything else anew from who holds what.  Decisions run ahead in a copy of the ledger.
 */
#include <stdlib.h>

#include "ref/refcase.h"
#include "ref/refplan.h"

__extension__ typedef __int128 wide;

enum class { CPU, SINGLE, MULTI };
enum { TRIES = 64, PAST = 64, CLOSED = REF_JOBS * REF_TASKS };

/* Of a unit, at its first task. */
struct memory {
    bool     is_counted, was_stopped;       /* in what arrived; its cores were taken */
    bool     searches, is_found, is_short;
    int      cores[TRIES], n_tries, wants;
    int64_t  util[TRIES];
    sim_tick due, cores_set;
    int64_t  top, hope;                     /* -1: none */
    int      hope_cores, n_repeats;
    int64_t  pressure;                      /* when the probe began */
    int64_t  found;                         /* the best utilisation of the search */
};

struct ref_mq {
    struct memory of[REF_JOBS][REF_TASKS];
    uint64_t began[REF_JOBS][REF_TASKS], n_began;   /* the order in which tasks started */
    int64_t  reserve, seen[3];
    struct ref_past past[PAST];
    int      n_past;
    struct { int node; struct ref_unit until; int64_t cpu; } closed[CLOSED];
    int      n_closed;
};

enum state { NO, WAITS, RUNS, LEAVES };

struct deciding {
    struct ref_world *w;
    struct ref_mq *m;
    const struct ref_mq_param *p;
    struct ref_ledger l;
    enum state state[REF_JOBS][REF_TASKS];
    struct ref_plan *out;
    bool own_only;              /* no borrowed nodes */
    bool lends_unused;          /* what no unit of the array can use */
    int  kept[REF_NODES];       /* cards, for the first unit of the node's array that waits */
};

void ref_mq_begin(struct ref_world *w)
{
    w->mq = calloc(1, sizeof *w->mq);
    SIM_ASSERT(w->mq != NULL);
    const struct ref_mq_param *p = &w->c->policy.mq;
    if (p->reserve > 0) w->mq->reserve = (int64_t)p->reserve * 1000;
    for (int i = 0; i < p->n_past; i++) {
        if (!refcase_has_category(w->c, p->past[i].category)) continue;
        w->mq->past[w->mq->n_past++] = p->past[i];
        if (p->reserve < 0) w->mq->reserve = i64_max(w->mq->reserve, (int64_t)p->past[i].cores * 1000);
    }
}

void ref_mq_end(struct ref_world *w) { free(w->mq); }

void ref_mq_left(struct ref_world *w, struct ref_unit u)
{
    struct ref_mq *m = w->mq;
    m->of[u.job][u.task].searches = false;
    for (int i = m->n_closed; i-- > 0;)
        if (m->closed[i].until.job == u.job && m->closed[i].until.task == u.task) m->closed[i] = m->closed[--m->n_closed];
}

/* ---- units ---- */

static enum class class_of(const struct ref_world *w, struct ref_unit u)
{
    int cards = ref_unit_cards(w, u);
    return cards == 0 ? CPU : cards < w->c->multi_from || w->c->policy.mq.gpu_arrays == REF_UNDIVIDED ? SINGLE : MULTI;
}

static struct ref_unit unit_of(const struct ref_world *w, int job, int task) { return (struct ref_unit){ .job = job, .task = w->job[job].gang ? 0 : task }; }

/* The first tasks of all units, in order; returns how many. */
static int all_units(const struct ref_world *w, struct ref_unit *out)
{
    int n = 0;
    for (int j = 0; j < w->n_arrived; j++)
        for (int t = 0; t < (w->job[j].gang ? 1 : w->job[j].n); t++) out[n++] = (struct ref_unit){ .job = j, .task = t };
    return n;
}

static bool is_on_gpus_and_runs(const struct deciding *d, struct ref_unit u)
{
    return d->state[u.job][u.task] == RUNS && class_of(d->w, u) != CPU;
}

static int n_waiting(const struct deciding *d, enum class class)
{
    struct ref_unit u[REF_JOBS * REF_TASKS];
    int n = all_units(d->w, u), waiting = 0;
    for (int i = 0; i < n; i++) waiting += d->state[u[i].job][u[i].task] == WAITS && class_of(d->w, u[i]) == class;
    return waiting;
}

/* More than may while cores are lent. */
static bool gpu_jobs_wait(const struct deciding *d) { return n_waiting(d, SINGLE) + n_waiting(d, MULTI) > d->p->idle; }

static int64_t gpu_asked(const struct ref_world *w, struct ref_unit u)
{
    int64_t sum = 0;
    for (int k = 0; k < ref_unit_size(w, u); k++) {
        const struct shape *s = &w->job[u.job].task[u.task + k].shape;
        sum += (int64_t)s->n_gpu * s->gpu_milli;
    }
    return sum;
}

static struct ref_decision *say(struct deciding *d, struct ref_decision x)
{
    SIM_ASSERT(d->out->n < REF_DECISIONS);
    d->out->d[d->out->n] = x;
    return &d->out->d[d->out->n++];
}

/* ---- cores of a node ---- */

struct cpu_task { int job, task; };

/* Tasks of CPU units on the node, in the order in which they started; returns how many. */
static int cpu_tasks(const struct deciding *d, int node, struct cpu_task *out)
{
    int n = 0;
    for (int j = 0; j < d->w->n_arrived; j++)
        for (int t = 0; t < d->w->job[j].n; t++) {
            if (d->l.hold[j][t].node != node || class_of(d->w, unit_of(d->w, j, t)) != CPU) continue;
            int i = n++;
            for (; i > 0 && d->m->began[out[i - 1].job][out[i - 1].task] > d->m->began[j][t]; i--) out[i] = out[i - 1];
            out[i] = (struct cpu_task){ j, t };
        }
    return n;
}

static int64_t cpu_held(const struct deciding *d, int node)
{
    struct cpu_task t[REF_JOBS * REF_TASKS];
    int64_t sum = 0;
    for (int n = cpu_tasks(d, node, t); n-- > 0;) sum += d->l.hold[t[n].job][t[n].task].got.cpu_milli;
    return sum;
}

static int64_t array_of(const struct deciding *d, int node)
{
    const struct ref_node *n = &d->w->c->node[node];
    if (n->n_gpu == 0) return n->cpu;
    return i64_max(0, n->cpu - d->m->reserve);
}

static int64_t closed_on(const struct deciding *d, int node)
{
    int64_t sum = 0;
    for (int i = 0; i < d->m->n_closed; i++) sum += d->m->closed[i].node == node ? d->m->closed[i].cpu : 0;
    return sum;
}

/* Borrowers of the node, the one that started last first; returns how many. */
static int borrowers(const struct deciding *d, int node, struct cpu_task *out)
{
    struct cpu_task t[REF_JOBS * REF_TASKS];
    int64_t up_to = cpu_held(d, node);
    int n_borrow = 0;
    for (int n = cpu_tasks(d, node, t); n-- > 0 && up_to > array_of(d, node);) {
        out[n_borrow++] = t[n];
        up_to -= d->l.hold[t[n].job][t[n].task].got.cpu_milli;
    }
    return n_borrow;
}

/* ---- places ---- */

struct cost { int64_t v[4]; };

static bool is_less(const struct cost *a, const struct cost *b)
{
    for (int i = 0; i < 4; i++) if (a->v[i] != b->v[i]) return a->v[i] < b->v[i];
    return false;
}

static bool cpu_fits(const struct deciding *d, int node, const struct shape *s, struct cost *cost)
{
    const struct ref_node *n = &d->w->c->node[node];
    int64_t cpu = s->exclusive ? n->cpu : s->cpu_milli, beyond = cpu_held(d, node) + cpu - array_of(d, node);
    if (!ref_fits(d->w->c, &d->l, node, s) || d->l.cpu[node] - closed_on(d, node) < cpu) return false;
    if (d->p->arrays && beyond > 0 && gpu_jobs_wait(d)) return false;
    int64_t borrowed = d->p->arrays ? i64_min(cpu, i64_max(0, beyond)) : 0;
    *cost = (struct cost){ { 0, borrowed, n->n_gpu, d->l.cpu[node] - cpu } };
    return true;
}

/* Cores to take from borrowers so that the shape fits; -1: even all would not do. */
static int64_t cores_to_stop(const struct deciding *d, int node, const struct shape *s)
{
    struct cpu_task t[REF_JOBS * REF_TASKS];
    struct shape bare = *s;
    bare.cpu_milli = bare.mem_b = 0;
    if (!d->p->arrays || s->exclusive || !ref_fits(d->w->c, &d->l, node, &bare)) return -1;
    int64_t cpu = 0, mem = 0;
    for (int i = 0, n = borrowers(d, node, t); i < n; i++) {
        cpu += d->l.hold[t[i].job][t[i].task].got.cpu_milli;
        mem += d->l.hold[t[i].job][t[i].task].got.mem_b;
        if (d->l.cpu[node] + cpu >= s->cpu_milli && d->l.mem[node] + mem >= s->mem_b) return cpu;
    }
    return -1;
}

static struct shape with_cores(const struct deciding *d, int node, const struct shape *asked, int cores)
{
    struct shape s = *asked;
    if (cores > 0 && !s.exclusive) s.cpu_milli = i64_min((int64_t)cores * 1000, d->w->c->node[node].cpu);
    return s;
}

static int64_t gpus_of(const struct deciding *d, enum class class);
static bool may_borrow(const struct deciding *d, enum class class);

/* Is the node the multi array's?  From the last node on, as many as fit in it. */
static bool is_multi_node(const struct deciding *d, int node)
{
    int64_t cards = 0;
    if (d->w->c->node[node].n_gpu == 0) return false;
    for (int n = node; n < d->w->c->n_nodes; n++) cards += d->w->c->node[n].n_gpu;
    return cards * GPU_WHOLE <= gpus_of(d, MULTI);
}

/* Of `kept` cards, those that are idle once the shape is there and those that the node's own class holds. */
static bool leaves_kept(const struct deciding *d, enum class class, int node, const struct shape *s)
{
    int left = -(s->exclusive ? d->w->c->node[node].n_gpu : s->n_gpu);
    for (int k = 0; k < d->w->c->node[node].n_gpu; k++) left += d->l.milli[node][k] == GPU_WHOLE;
    for (int j = 0; j < d->w->n_arrived; j++)
        for (int t = 0; t < d->w->job[j].n; t++)
            if (d->l.hold[j][t].node == node && class_of(d->w, unit_of(d->w, j, t)) != class) left += d->w->job[j].task[t].shape.n_gpu;
    return d->kept[node] == 0 || left >= d->kept[node];
}

static bool gpu_fits(const struct deciding *d, enum class class, int node, const struct shape *s, struct cost *cost)
{
    bool is_other = d->p->gpu_arrays == REF_BY_NODE && is_multi_node(d, node) != (class == MULTI);
    if (is_other && (d->own_only || !(may_borrow(d, class) || (d->lends_unused && leaves_kept(d, class, node, s))))) return false;
    int64_t stop = ref_fits(d->w->c, &d->l, node, s) ? 0 : cores_to_stop(d, node, s), idle = 0;
    if (stop < 0) return false;
    for (int k = 0; k < d->w->c->node[node].n_gpu; k++) idle += d->l.milli[node][k] == GPU_WHOLE;
    *cost = (struct cost){ { is_other, stop, idle, d->l.cpu[node] + stop - s->cpu_milli } };
    return true;
}

struct victims { struct ref_unit u[REF_JOBS * REF_TASKS]; int n; };

static void release(struct deciding *d, struct ref_unit u)
{
    for (int k = 0; k < ref_unit_size(d->w, u); k++) ref_give(d->w->c, &d->l, u.job, u.task + k);
}

static void release_borrowers(struct deciding *d, int node, const struct shape *s, struct victims *v)
{
    struct cpu_task t[REF_JOBS * REF_TASKS];
    while (!ref_fits(d->w->c, &d->l, node, s)) {
        int n = borrowers(d, node, t);
        SIM_ASSERT(n > 0);
        v->u[v->n] = unit_of(d->w, t[0].job, t[0].task);
        release(d, v->u[v->n++]);
    }
}

/* Who need not stop stays; `before` has where they were. */
static void settle(struct deciding *d, const struct ref_ledger *before, const struct victims *v)
{
    for (int i = 0; i < v->n; i++) {
        struct ref_unit u = v->u[i];
        const struct ref_hold *h = &before->hold[u.job][u.task];
        if (ref_unit_size(d->w, u) == 1 && ref_fits(d->w->c, &d->l, h->node, &h->got)) {
            ref_take(d->w->c, &d->l, u.job, u.task, h->node, &h->got, h->cards);
            continue;
        }
        d->state[u.job][u.task] = LEAVES;
        d->m->of[u.job][u.task].was_stopped = true;
        (void)say(d, (struct ref_decision){ .what = REF_DO_PREEMPT, .u = u });
    }
}

/* ---- starting ---- */

static const struct ref_past *past_of(const struct deciding *d, struct ref_unit u)
{
    const struct ref_job *j = &d->w->job[u.job];
    for (int i = 0; i < d->m->n_past; i++)
        if (d->m->past[i].category == d->w->c->profile[j->model].category && d->m->past[i].cards == ref_unit_cards(d->w, u) &&
            d->m->past[i].tasks == ref_unit_size(d->w, u)) return &d->m->past[i];
    return NULL;
}

/* What CPU tasks move on the unit's nodes, in millionths of the bandwidth, on the worst. */
static int64_t pressure_on(const struct deciding *d, struct ref_unit u)
{
    int64_t most = 0;
    for (int k = 0; k < ref_unit_size(d->w, u); k++) {
        struct cpu_task t[REF_JOBS * REF_TASKS];
        int node = d->l.hold[u.job][u.task + k].node;
        int64_t sum = 0, all = d->w->c->node[node].mem_bw;
        for (int n = cpu_tasks(d, node, t); n-- > 0;) sum += i64_max(0, ref_read_bw(d->w, t[n].job, t[n].task));
        if (all > 0) most = i64_max(most, sum * 1000000 / all);
    }
    return most;
}

static bool has_profile(const struct ref_world *w, struct ref_unit u)
{
    int model = w->job[u.job].model;
    return w->c->has_profiles && model >= 0 && (w->c->profile[model].on[0].knee > 0 || w->c->profile[model].on[1].knee > 0);
}

/* Cores that each task begins with; 0: what it asks. */
static int cores_first(const struct deciding *d, struct ref_unit u)
{
    const struct ref_job *j = &d->w->job[u.job];
    if (!d->p->search || !has_profile(d->w, u)) return 0;
    for (int k = 0; k < ref_unit_size(d->w, u); k++) if (j->task[u.task + k].shape.exclusive) return 0;
    int cores = past_of(d, u) != NULL ? past_of(d, u)->cores : d->p->cold;
    if (j->hints.told & HINT_PIPELINED) cores--;
    if (j->hints.told & HINT_HEAVY_WEIGHTS && (j->hints.weights == 0 || j->hints.weights >= d->p->weights_from)) cores--;
    if (j->hints.told & HINT_COMPLEX_CPU && (j->hints.work_us == 0 || j->hints.work_us >= d->p->work_from)) cores++;
    return cores < 1 ? 1 : cores;
}

/* What the unit's cores tell of how much GPU jobs need. */
static void note_need(struct deciding *d, struct ref_unit of)
{
    if (d->p->reserve >= 0) return;
    for (int k = 0; k < ref_unit_size(d->w, of); k++) {
        int64_t need = 0;
        for (int j = 0; j < d->w->n_arrived; j++)
            for (int t = 0; t < d->w->job[j].n; t++) {
                const struct ref_hold *h = &d->l.hold[j][t];
                if (h->node < 0 || h->node != d->l.hold[of.job][of.task + k].node || class_of(d->w, unit_of(d->w, j, t)) == CPU) continue;
                if (!d->p->by_node && (j != of.job || t != of.task + k)) continue;
                need += h->got.exclusive ? d->w->job[j].task[t].shape.cpu_milli : h->got.cpu_milli;
            }
        d->m->reserve = i64_max(d->m->reserve, need);
    }
}

static bool place(struct deciding *d, struct ref_unit u, int cores, struct ref_decision *x, struct victims *v)
{
    bool is_cpu = class_of(d->w, u) == CPU;
    for (int k = 0; k < ref_unit_size(d->w, u); k++) {
        const struct shape *asked = &d->w->job[u.job].task[u.task + k].shape;
        struct cost least = { { 0 } }, c;
        int best = -1;
        for (int n = 0; n < d->w->c->n_nodes; n++) {
            struct shape s = with_cores(d, n, asked, cores);
            if (!(is_cpu ? cpu_fits(d, n, &s, &c) : gpu_fits(d, class_of(d->w, u), n, &s, &c)) || (best >= 0 && !is_less(&c, &least))) continue;
            best = n;
            least = c;
        }
        if (best < 0) return false;
        struct shape s = with_cores(d, best, asked, cores);
        if (!is_cpu) release_borrowers(d, best, &s, v);
        ref_take(d->w->c, &d->l, u.job, u.task + k, best, &s, 0);
        x->node[k] = best;
        x->cards[k] = d->l.hold[u.job][u.task + k].cards;
        x->cpu[k] = s.cpu_milli != asked->cpu_milli ? s.cpu_milli : 0;
    }
    return true;
}

static int64_t gpus_held(const struct deciding *d, enum class class);

static bool is_on_borrowed(const struct deciding *d, struct ref_unit u, enum class class)
{
    if (class_of(d->w, u) == CPU || class_of(d->w, u) == class || d->state[u.job][u.task] != RUNS || d->w->live[u.job][u.task].state != REF_RUNNING) return false;
    for (int k = 0; k < ref_unit_size(d->w, u); k++)
        if (d->p->gpu_arrays == REF_BY_COUNT || is_multi_node(d, d->l.hold[u.job][u.task + k].node) == (class == MULTI)) return true;
    return false;
}

/* GPU units that stop for this one; they are released in d->l, where it is placed. */
static bool reclaim(struct deciding *d, struct ref_unit u, int cores, struct ref_decision *s, struct victims *v)
{
    struct ref_unit all[REF_JOBS * REF_TASKS], gone[REF_JOBS * REF_TASKS];
    const struct ref_ledger before = d->l;
    enum class class = class_of(d->w, u), other = class == MULTI ? SINGLE : MULTI;
    int n = all_units(d->w, all), n_gone = 0;
    bool by_count = d->p->gpu_arrays == REF_BY_COUNT, fits = false;
    int64_t held = gpus_held(d, other);
    if (!d->p->reclaim || d->p->gpu_arrays == REF_UNDIVIDED || class == CPU) return false;
    if (by_count && gpus_held(d, class) + gpu_asked(d->w, u) > gpus_of(d, class)) return false;
    while (!fits && (!by_count || held > gpus_of(d, other))) {
        int last = -1;
        for (int i = 0; i < n; i++) {
            if (d->l.hold[all[i].job][all[i].task].node < 0 || !is_on_borrowed(d, all[i], class)) continue;
            if (last < 0 || d->w->live[all[i].job][all[i].task].started >= d->w->live[all[last].job][all[last].task].started) last = i;
        }
        if (last < 0) break;
        release(d, all[last]);
        held -= gpu_asked(d->w, all[last]);
        gone[n_gone++] = all[last];
        const struct ref_ledger without = d->l;
        v->n = 0;
        d->own_only = true;
        fits = place(d, u, cores, s, v);
        d->own_only = false;
        if (!fits) d->l = without;
    }
    if (!fits) { d->l = before; return false; }
    for (int i = 0; i < n_gone; i++) {
        const struct ref_hold *h = &before.hold[gone[i].job][gone[i].task];
        bool free = ref_unit_size(d->w, gone[i]) == 1 && ref_fits(d->w->c, &d->l, h->node, &h->got);
        for (int c = 0; c < REF_CARDS && free; c++) 
            free = (h->cards >> c & 1) == 0 || (d->l.milli[h->node][c] >= h->got.gpu_milli &&
                   (d->w->c->node[h->node].gpu_mem == 0 || d->l.gpu_mem[h->node][c] >= h->got.gpu_mem_b));
        if (free) { ref_take(d->w->c, &d->l, gone[i].job, gone[i].task, h->node, &h->got, h->cards); continue; }
        d->state[gone[i].job][gone[i].task] = LEAVES;
        ref_mq_left(d->w, gone[i]);     /* what was closed for it is open at once */
        (void)say(d, (struct ref_decision){ .what = REF_DO_PREEMPT, .u = gone[i] });
    }
    return true;
}

static bool start(struct deciding *d, struct ref_unit u)
{
    struct memory *x = &d->m->of[u.job][u.task];
    int cores = class_of(d->w, u) == CPU ? 0 : cores_first(d, u);
    const struct ref_ledger before = d->l;
    struct ref_decision s = { .what = REF_DO_START, .u = u };
    struct victims v = { .n = 0 };
    /* A gang's tasks are no older than anything: none of them stops another. */
    for (int k = 0; k < ref_unit_size(d->w, u); k++) d->m->began[u.job][u.task + k] = d->m->n_began + 1 + (uint64_t)k;
    if (!place(d, u, cores, &s, &v)) {
        d->l = before;
        if (!reclaim(d, u, cores, &s, &v)) return false;
    }
    settle(d, &before, &v);
    d->m->n_began += (uint64_t)ref_unit_size(d->w, u);
    (void)say(d, s);
    d->state[u.job][u.task] = RUNS;
    x->was_stopped = false;
    x->searches = x->is_found = x->is_short = false;
    x->top = -1;
    x->cores_set = d->w->now;
    const struct ref_past *past = class_of(d->w, u) != CPU && has_profile(d->w, u) ? past_of(d, u) : NULL;
    x->hope = past != NULL ? past->util : d->p->expect < 0 ? -1 : (int64_t)d->p->expect * 1000;
    x->hope_cores = past != NULL ? past->cores : 0;
    if (cores > 0) {
        x->searches = true;
        x->pressure = pressure_on(d, u);
        x->n_repeats = 0;
        x->n_tries = 0;
        x->wants = cores;
        x->due = d->w->now + d->p->probe;
    } else if (class_of(d->w, u) != CPU) {
        note_need(d, u);
    }
    return true;
}

/* ---- the search ---- */

/* After these tries: what to try next, or with *over what was found. */
static int next_try(const struct deciding *d, struct memory *x, bool *over)
{
    int64_t equal = (int64_t)d->p->tolerance * 1000, most = x->util[0];
    int i = 1, best = x->cores[0], cores;
    bool down = false;
    *over = false;
    x->found = most;
    for (cores = best - 1; cores >= 1; cores--, i++) {
        if (i == x->n_tries) return cores;
        bool ok = d->p->literal ? x->util[i] > most + equal : x->util[i] >= most - equal;
        if (!ok) break;
        best = cores;
        down = true;
        x->found = most = i64_max(most, x->util[i]);
    }
    bool is_refused = cores >= 1;
    if (down) { *over = true; return best; }
    for (i += is_refused, cores = best + 1;; cores++, i++) {
        if (i == x->n_tries) return cores;
        if (x->util[i] <= most + equal) { *over = true; return best; }
        x->found = most = x->util[i];
        best = cores;
    }
}

static bool resize(struct deciding *d, struct ref_unit u, int cores)
{
    const struct ref_ledger before = d->l;
    struct victims v = { .n = 0 };
    for (int k = 0; k < ref_unit_size(d->w, u); k++) {
        struct ref_hold h = d->l.hold[u.job][u.task + k];
        struct shape s = with_cores(d, h.node, &h.got, cores);
        ref_give(d->w->c, &d->l, u.job, u.task + k);
        if (!ref_fits(d->w->c, &d->l, h.node, &s) && cores_to_stop(d, h.node, &s) < 0) { d->l = before; return false; }
        release_borrowers(d, h.node, &s, &v);
        ref_take(d->w->c, &d->l, u.job, u.task + k, h.node, &s, h.cards);
    }
    settle(d, &before, &v);
    for (int k = 0; k < ref_unit_size(d->w, u); k++) {
        int64_t cpu = d->l.hold[u.job][u.task + k].got.cpu_milli;
        if (cpu == before.hold[u.job][u.task + k].got.cpu_milli) continue;
        say(d, (struct ref_decision){ .what = REF_DO_RESIZE, .u = { .job = u.job, .task = u.task + k } })->cpu[0] = cpu;
    }
    return true;
}

static void learn(struct deciding *d, struct ref_unit u, int cores)
{
    int category = d->w->c->profile[d->w->job[u.job].model].category, cards = ref_unit_cards(d->w, u), tasks = ref_unit_size(d->w, u), i = 0;
    while (i < d->m->n_past && (d->m->past[i].category != category || d->m->past[i].cards != cards || d->m->past[i].tasks != tasks)) i++;
    SIM_ASSERT(i < PAST);
    d->m->past[i].category = category;
    d->m->past[i].cards = cards;
    d->m->past[i].tasks = tasks;
    d->m->past[i].cores = cores;
    d->m->past[i].util = d->m->of[u.job][u.task].found;
    if (i == d->m->n_past) d->m->n_past++;
}

static bool is_probing(const struct ref_mq_param *p, const struct memory *x) { return x->searches && (!x->is_found || x->is_short || p->again < 1000); }

static void probe_over(struct deciding *d, struct ref_unit u)
{
    struct memory *x = &d->m->of[u.job][u.task];
    x->due = d->w->now + d->p->probe;
    if (!x->is_short) {
        int64_t util = ref_read_util(d->w, u.job, u.task);
        if (util < 0) return;
        int64_t pressure = pressure_on(d, u);
        if (x->is_found) {
            if (llabs(util - x->found) <= (int64_t)d->p->again * 1000) return;
            x->is_found = false;
            x->n_tries = x->n_repeats = 0;
            x->pressure = pressure;
            return;
        }
        if (llabs(pressure - x->pressure) > (int64_t)d->p->steady * 1000 && x->n_repeats++ < d->p->repeat) {
            x->pressure = pressure;
            return;
        }
        SIM_ASSERT(x->n_tries < TRIES);
        x->cores[x->n_tries] = x->wants;
        x->util[x->n_tries++] = util;
        x->wants = next_try(d, x, &x->is_found);
        if (x->is_found) learn(d, u, x->wants);
    }
    x->is_short = !resize(d, u, x->wants);
    if (x->is_short) return;
    x->top = -1;
    x->cores_set = d->w->now;
    x->pressure = pressure_on(d, u);
    x->n_repeats = 0;
    if (x->is_found) note_need(d, u);
}

static void run_probes(struct deciding *d)
{
    struct ref_unit u[REF_JOBS * REF_TASKS];
    int n = all_units(d->w, u);
    for (int i = 0; i < n; i++) {
        const struct memory *x = &d->m->of[u[i].job][u[i].task];
        if (is_on_gpus_and_runs(d, u[i]) && is_probing(d->p, x) && x->due <= d->w->now) probe_over(d, u[i]);
    }
}

/* ---- memory bandwidth ---- */

static bool knows_bandwidth(const struct ref_case *c)
{
    for (int n = 0; n < c->n_nodes; n++) if (c->node[n].mem_bw > 0) return true;
    return false;
}

static void halve(struct deciding *d, int node, struct ref_unit for_unit)
{
    struct cpu_task t[REF_JOBS * REF_TASKS];
    int n = cpu_tasks(d, node, t), heavy = -1;
    int64_t most = 0;
    for (int i = 0; i < n; i++) {
        int64_t own = ref_read_bw(d->w, t[i].job, t[i].task), sum = 0;
        struct ref_unit u = unit_of(d->w, t[i].job, t[i].task);
        for (int k = 0; k < n; k++) {
            struct ref_unit other = unit_of(d->w, t[k].job, t[k].task);
            bool counts = d->p->bandwidth_by_node || (other.job == u.job && other.task == u.task);
            if (counts) sum += i64_max(0, ref_read_bw(d->w, t[k].job, t[k].task));
        }
        bool enough = sum * 1000 >= d->p->bandwidth * d->w->c->node[node].mem_bw;
        if (own > most && enough && d->l.hold[t[i].job][t[i].task].got.cpu_milli >= 2000) { most = own; heavy = i; }
    }
    if (heavy < 0) return;
    struct ref_hold h = d->l.hold[t[heavy].job][t[heavy].task];
    int64_t was = h.got.cpu_milli, now = was / 2000 * 1000;
    ref_give(d->w->c, &d->l, t[heavy].job, t[heavy].task);
    h.got.cpu_milli = now;
    ref_take(d->w->c, &d->l, t[heavy].job, t[heavy].task, node, &h.got, h.cards);
    say(d, (struct ref_decision){ .what = REF_DO_RESIZE, .u = { .job = t[heavy].job, .task = t[heavy].task } })->cpu[0] = now;
    SIM_ASSERT(d->m->n_closed < CLOSED);
    d->m->closed[d->m->n_closed].node = node;
    d->m->closed[d->m->n_closed].until = for_unit;
    d->m->closed[d->m->n_closed++].cpu = was - now;
}

static void watch(struct deciding *d)
{
    struct ref_unit u[REF_JOBS * REF_TASKS], fell[REF_NODES] = { { 0 } };
    int64_t by[REF_NODES];
    int n = all_units(d->w, u);
    for (int k = 0; k < REF_NODES; k++) by[k] = -1;
    for (int i = 0; i < n; i++) {
        if (!is_on_gpus_and_runs(d, u[i])) continue;
        struct memory *x = &d->m->of[u[i].job][u[i].task];
        int64_t util = ref_read_util(d->w, u[i].job, u[i].task);
        if (util < 0 || x->cores_set == d->w->now) continue;
        x->top = i64_max(x->top, util);
        const struct ref_hold *h = &d->l.hold[u[i].job][u[i].task];
        int64_t cpu = h->got.exclusive ? d->w->job[u[i].job].task[u[i].task].shape.cpu_milli : h->got.cpu_milli, below = x->top - util;
        if (cpu >= (int64_t)x->hope_cores * 1000) below = i64_max(below, x->hope - util);
        for (int k = 0; below >= (int64_t)d->p->drop * 1000 && k < ref_unit_size(d->w, u[i]); k++) {
            int node = d->l.hold[u[i].job][u[i].task + k].node;
            if (below <= by[node]) continue;
            by[node] = below;
            fell[node] = u[i];
        }
    }
    for (int k = 0; k < d->w->c->n_nodes; k++)
        if (by[k] >= 0 && d->w->c->node[k].mem_bw > 0) halve(d, k, fell[k]);
}

/* ---- the queues ---- */

/* GPUs of the class's array, thousandths. */
static int64_t gpus_of(const struct deciding *d, enum class class)
{
    int64_t cards = 0, multi = 0, seen = d->m->seen[SINGLE] + d->m->seen[MULTI];
    for (int n = 0; n < d->w->c->n_nodes; n++) cards += d->l.up[n] ? d->w->c->node[n].n_gpu : 0;
    if (d->p->multi_share >= 0) multi = cards * d->p->multi_share / 1000;
    else if (seen > 0) multi = cards * d->m->seen[MULTI] / seen;
    return (class == MULTI ? multi : cards - multi) * GPU_WHOLE;
}

static int64_t gpus_held(const struct deciding *d, enum class class)
{
    struct ref_unit u[REF_JOBS * REF_TASKS];
    int n = all_units(d->w, u);
    int64_t held = 0;
    for (int i = 0; i < n; i++) if (d->state[u[i].job][u[i].task] == RUNS && class_of(d->w, u[i]) == class) held += gpu_asked(d->w, u[i]);
    return held;
}

static bool may_borrow(const struct deciding *d, enum class class)
{
    return gpus_held(d, class) == 0 || n_waiting(d, class == MULTI ? SINGLE : MULTI) == 0;
}

static bool may_take(const struct deciding *d, struct ref_unit of)
{
    enum class class = class_of(d->w, of);
    if (d->p->gpu_arrays != REF_BY_COUNT || class == CPU || d->lends_unused || may_borrow(d, class)) return true;
    return gpus_held(d, class) + gpu_asked(d->w, of) <= gpus_of(d, class);
}

struct share { wide num, den; };

static struct share share_of(const struct deciding *d, int user, enum class class)
{
    struct ref_unit u[REF_JOBS * REF_TASKS];
    int n = all_units(d->w, u);
    wide held = 0, all = 0;
    for (int k = 0; k < d->w->c->n_nodes; k++)
        if (d->l.up[k]) all += class == CPU ? d->w->c->node[k].cpu : (int64_t)d->w->c->node[k].n_gpu * GPU_WHOLE;
    for (int i = 0; i < n; i++) {
        if (d->state[u[i].job][u[i].task] != RUNS || d->w->job[u[i].job].user != user || (class_of(d->w, u[i]) == CPU) != (class == CPU)) continue;
        if (class != CPU) held += gpu_asked(d->w, u[i]);
        for (int k = 0; class == CPU && k < ref_unit_size(d->w, u[i]); k++) held += d->l.hold[u[i].job][u[i].task + k].got.cpu_milli;
    }
    return all == 0 ? (struct share){ 0, 1 } : (struct share){ held, all * d->w->c->policy.weight[user] };
}

/* In order, the first that can start does; user -1: those that were stopped, whoever's they are. */
static bool serve(struct deciding *d, enum class class, int user)
{
    struct ref_unit u[REF_JOBS * REF_TASKS];
    int n = all_units(d->w, u);
    for (int i = 0; i < n; i++) {
        bool was_stopped = d->m->of[u[i].job][u[i].task].was_stopped;
        if (d->state[u[i].job][u[i].task] != WAITS || class_of(d->w, u[i]) != class) continue;
        if (user < 0 ? !was_stopped : was_stopped || d->w->job[u[i].job].user != user) continue;
        if (may_take(d, u[i]) && start(d, u[i])) return true;
        if (!d->w->c->policy.skip) return false;
    }
    return false;
}

static bool has_waiting(const struct deciding *d, enum class class, int user)
{
    struct ref_unit u[REF_JOBS * REF_TASKS];
    int n = all_units(d->w, u);
    for (int i = 0; i < n; i++) {
        bool was_stopped = d->m->of[u[i].job][u[i].task].was_stopped;
        if (d->state[u[i].job][u[i].task] != WAITS || class_of(d->w, u[i]) != class) continue;
        if (user < 0 ? was_stopped : !was_stopped && d->w->job[u[i].job].user == user) return true;
    }
    return false;
}

static void run_queue(struct deciding *d, enum class class)
{
    bool aside[REF_USERS] = { false };
    for (;;) {
        int least = -1;
        struct share s = { 0, 1 };
        for (int rank = 0; rank < d->w->n_users; rank++)
            for (int x = 0; x < REF_USERS; x++) {
                if (d->w->user_rank[x] != rank || aside[x] || !has_waiting(d, class, x)) continue;
                struct share of = share_of(d, x, class);
                if (least >= 0 && of.num * s.den >= s.num * of.den) continue;
                least = x;
                s = of;
            }
        if (least < 0) return;
        if (!serve(d, class, least)) aside[least] = true;
    }
}

static void run_cpu(struct deciding *d)
{
    while (serve(d, CPU, -1)) continue;
    if (d->w->c->policy.skip || !has_waiting(d, CPU, -1)) run_queue(d, CPU);
}

/* ---- what is not used ---- */

/* For the first unit that waits, in the nodes of its array: those with the most idle cards first, then the lowest. */
static void keep(struct deciding *d, enum class class)
{
    struct ref_unit u[REF_JOBS * REF_TASKS];
    int n_units = all_units(d->w, u), first = 0, next = 0;
    bool seen[REF_NODES] = { false };
    for (int k = 0; k < d->w->c->n_nodes; k++) if (is_multi_node(d, k) == (class == MULTI)) d->kept[k] = 0;
    while (first < n_units && (d->state[u[first].job][u[first].task] != WAITS || class_of(d->w, u[first]) != class)) first++;
    if (first == n_units) return;
    for (;;) {
        int best = -1, most = -1;
        for (int k = 0; k < d->w->c->n_nodes; k++) {
            int idle = 0;
            for (int i = 0; i < d->w->c->node[k].n_gpu; i++) idle += d->l.milli[k][i] == GPU_WHOLE;
            if (seen[k] || !d->l.up[k] || is_multi_node(d, k) != (class == MULTI) || idle <= most) continue;
            best = k;
            most = idle;
        }
        if (best < 0) return;
        seen[best] = true;
        const struct ref_node *n = &d->w->c->node[best];
        for (; next < ref_unit_size(d->w, u[first]); next++) {
            const struct shape *s = &d->w->job[u[first].job].task[u[first].task + next].shape;
            bool is_type = s->n_gpu == 0 || s->gpu_types == 0 || (n->type >= 0 && (s->gpu_types >> n->type & 1) != 0);
            bool is_label = (n->labels & s->need_all) == s->need_all && (s->need_any == 0 || (n->labels & s->need_any) != 0);
            if (!is_type || !is_label || d->kept[best] + s->n_gpu > n->n_gpu) break;
            d->kept[best] += s->n_gpu;
        }
    }
}

static void lend_unused(struct deciding *d)
{
    d->lends_unused = true;
    for (int before = -1; before != d->out->n;) {
        before = d->out->n;
        keep(d, SINGLE);
        run_queue(d, MULTI);
        keep(d, MULTI);
        run_queue(d, SINGLE);
    }
}

void ref_mq_decide(struct ref_world *w, struct ref_plan *out)
{
    struct deciding *d = calloc(1, sizeof *d);
    struct ref_unit u[REF_JOBS * REF_TASKS];
    int n = all_units(w, u);
    SIM_ASSERT(d != NULL);
    *d = (struct deciding){ .w = w, .m = w->mq, .p = &w->c->policy.mq, .l = w->ledger, .out = out };
    for (int i = 0; i < n; i++) {
        enum ref_state s = w->live[u[i].job][u[i].task].state;
        d->state[u[i].job][u[i].task] = s == REF_WAITING ? WAITS : s == REF_RUNNING ? RUNS : NO;
        if (s != REF_WAITING || d->m->of[u[i].job][u[i].task].is_counted) continue;
        d->m->of[u[i].job][u[i].task].is_counted = true;
        d->m->seen[class_of(w, u[i])] += gpu_asked(w, u[i]);
    }
    if (d->p->search) run_probes(d);
    if (d->p->contention && knows_bandwidth(w->c) && w->now % d->p->watch == 0) watch(d);
    run_cpu(d);
    bool gpus_waited = gpu_jobs_wait(d);
    run_queue(d, MULTI);
    bool single_waited = n_waiting(d, SINGLE) > 0;
    run_queue(d, SINGLE);
    if (single_waited && n_waiting(d, SINGLE) == 0) run_queue(d, MULTI);
    if (d->p->lend_unused && d->p->gpu_arrays != REF_UNDIVIDED && n_waiting(d, SINGLE) > 0 && n_waiting(d, MULTI) > 0) lend_unused(d);
    if (gpus_waited && !gpu_jobs_wait(d)) run_cpu(d);
    free(d);
}

sim_tick ref_mq_wake(const struct ref_world *w)
{
    const struct ref_mq_param *p = &w->c->policy.mq;
    struct ref_unit u[REF_JOBS * REF_TASKS];
    sim_tick at = TICK_NEVER;
    int n = all_units(w, u);
    for (int i = 0; i < n; i++) {
        if (w->live[u[i].job][u[i].task].state != REF_RUNNING || class_of(w, u[i]) == CPU) continue;
        const struct memory *x = &w->mq->of[u[i].job][u[i].task];
        if (p->search && is_probing(p, x)) at = i64_min(at, x->due);
        if (p->contention && knows_bandwidth(w->c)) at = i64_min(at, w->now / p->watch * p->watch + p->watch);
    }
    return at;
}

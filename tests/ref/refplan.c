/* refplan.c -- the orders of refplan.h: who is served next, who is stopped for whom, when to look again. */
#include "ref/refplan.h"

#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 wide;

/* ---- keys and lists of units ---- */

static int64_t estimate(const struct ref_world *w, int job)
{
    if (!w->c->policy.clairvoyant) return w->job[job].limit < 0 ? TICK_NEVER : w->job[job].limit;
    sim_tick longest = 0;
    for (int k = 0; k < w->job[job].n; k++) longest = i64_max(longest, w->job[job].task[k].dur);
    return longest;
}

/* Attained running time x thousandths of cards. */
static int64_t service(const struct ref_world *w, struct ref_unit u, int64_t *per_us)
{
    int64_t milli = 0;
    for (int k = 0; k < ref_unit_size(w, u); k++) {
        const struct shape *s = &w->job[u.job].task[u.task + k].shape;
        milli += s->n_gpu == 0 ? GPU_WHOLE : (int64_t)s->n_gpu * s->gpu_milli;
    }
    *per_us = milli;
    return ref_attained(w, u.job, u.task) * milli;
}

static int level(const struct ref_world *w, struct ref_unit u, int64_t *next_threshold)
{
    int64_t per_us, has = service(w, u, &per_us), at = w->c->policy.threshold * GPU_WHOLE;
    int lv = 0;
    while (lv < w->c->policy.queues - 1 && has >= at) { lv++; at *= w->c->policy.factor; }
    *next_threshold = lv < w->c->policy.queues - 1 ? at : TICK_NEVER;
    return lv;
}

static int64_t key_of(const struct ref_world *w, struct ref_unit u)
{
    int64_t ignored, est;
    switch (w->c->policy.order) {
    case REF_SJF:
        return estimate(w, u.job);
    case REF_SRTF:
        if (w->c->policy.clairvoyant) {
            sim_work left = ((sim_work)w->job[u.job].task[u.task].dur << RATE_BITS) - ref_progress(w, u.job, u.task);
            return (left + RATE_ONE - 1) >> RATE_BITS;
        }
        est = estimate(w, u.job);
        return est == TICK_NEVER ? est : i64_max(0, est - ref_attained(w, u.job, u.task));
    case REF_LAS:
        return level(w, u, &ignored);
    case REF_FIFO: case REF_EASY: case REF_DRF: case REF_MULTIQUEUE: case REF_KUEUE: case REF_DICE:
    case REF_TIRESIAS:
        break;
    }
    return 0;       /* by job and task alone */
}

static bool unit_before(const struct ref_unit *a, const struct ref_unit *b)
{
    if (a->key != b->key) return a->key < b->key;
    if (a->job != b->job) return a->job < b->job;
    return a->task < b->task;
}

/* The units in a state, sorted; returns how many. */
static int list_units(const struct ref_world *w, enum ref_state state, struct ref_unit *out)
{
    int n = 0;
    for (int j = 0; j < w->n_arrived; j++)
        for (int t = 0; t < (w->job[j].gang ? 1 : w->job[j].n); t++) {
            if (w->live[j][t].state != state) continue;
            struct ref_unit u = { .job = j, .task = t };
            u.key = key_of(w, u);
            int i = n++;
            for (; i > 0 && unit_before(&u, &out[i - 1]); i--) out[i] = out[i - 1];
            out[i] = u;
        }
    return n;
}

sim_tick ref_next_wake(const struct ref_world *w)
{
    sim_tick at = TICK_NEVER;
    if (w->c->policy.order == REF_MULTIQUEUE) return ref_mq_wake(w);
    if (w->c->policy.order == REF_KUEUE) return ref_kq_wake(w);
    if (w->counts_again) return w->now + 1;
    if (w->c->policy.order != REF_LAS) return at;
    for (int j = 0; j < w->n_arrived; j++)
        for (int t = 0; t < (w->job[j].gang ? 1 : w->job[j].n); t++) {
            struct ref_unit u = { .job = j, .task = t };
            int64_t next, per_us, has = service(w, u, &per_us);
            if (w->live[j][t].state != REF_RUNNING) continue;
            (void)level(w, u, &next);
            if (next != TICK_NEVER) at = i64_min(at, w->now + (next - has + per_us - 1) / per_us);
        }
    return at;
}

/* ---- the orders ---- */

struct deciding { struct ref_world *w; struct ref_ledger l; struct ref_plan *out; };

static bool start(struct deciding *p, struct ref_unit u)
{
    struct ref_decision *d = &p->out->d[p->out->n];
    if (!ref_place_unit(p->w, &p->l, u, d)) return false;
    p->out->n++;
    return true;
}

/* fifo, sjf: in order; at the first that does not fit, stop or go on. */
static void decide_list(struct deciding *p, const struct ref_unit *waiting, int n)
{
    for (int i = 0; i < n; i++)
        if (!start(p, waiting[i]) && !p->w->c->policy.skip) return;
}

/* srtf, las: one that does not fit may take the place of running units of greater key. */
static void decide_preempting(struct deciding *p, const struct ref_unit *waiting, int n, struct ref_unit *running, int n_running)
{
    const struct ref_ledger now = p->l;     /* where running units are */
    for (int i = 0; i < n; i++) {
        struct ref_unit u = waiting[i], victim[REF_JOBS * REF_TASKS];
        if (start(p, u)) continue;
        const struct ref_ledger before = p->l;
        int taken = 0;
        bool fits = false;
        for (int v = n_running; v-- > 0 && !fits;) {
            if (running[v].key <= u.key || p->l.hold[running[v].job][running[v].task].node < 0) continue;   /* or preempted above */
            ref_release_unit(p->w, &p->l, running[v]);
            victim[taken++] = running[v];
            fits = ref_could_place(p->w, &p->l, u);
        }
        if (!fits) {
            p->l = before;
            if (!p->w->c->policy.skip) return;
            continue;
        }
        for (int v = 0; v < taken; v++) {
            ref_put_back(p->w, &p->l, &now, victim[v]);
            if (ref_could_place(p->w, &p->l, u)) continue;
            ref_release_unit(p->w, &p->l, victim[v]);
            p->out->d[p->out->n++] = (struct ref_decision){ .what = REF_DO_PREEMPT, .u = victim[v] };
        }
        bool placed = start(p, u);
        SIM_ASSERT(placed);
    }
}

static sim_tick expected_end(const struct ref_world *w, struct ref_unit u, sim_tick started)
{
    sim_tick est = estimate(w, u.job);
    if (est == TICK_NEVER) return TICK_NEVER;
    return started + est <= w->now ? w->now + 1 : started + est;
}

/* Of every resource of every node, the smaller of the two. */
static struct ref_ledger smaller(const struct ref_case *c, const struct ref_ledger *a, const struct ref_ledger *b)
{
    struct ref_ledger m = *a;
    for (int n = 0; n < c->n_nodes; n++) {
        m.cpu[n] = i64_min(a->cpu[n], b->cpu[n]);
        m.mem[n] = i64_min(a->mem[n], b->mem[n]);
        if (b->tasks[n] > m.tasks[n]) m.tasks[n] = b->tasks[n];
        if (b->no_cpu[n] > m.no_cpu[n]) m.no_cpu[n] = b->no_cpu[n];
        if (b->no_mem[n] > m.no_mem[n]) m.no_mem[n] = b->no_mem[n];
        for (int e = 0; e < ENGINE_TYPES_MAX; e++)
            if (b->engine[n][e] < m.engine[n][e]) m.engine[n][e] = b->engine[n][e];
        for (int k = 0; k < REF_CARDS; k++) {
            if (b->milli[n][k] < m.milli[n][k]) m.milli[n][k] = b->milli[n][k];
            m.gpu_mem[n][k] = i64_min(a->gpu_mem[n][k], b->gpu_mem[n][k]);
        }
    }
    return m;
}

static void decide_easy(struct deciding *p, const struct ref_unit *waiting, int n, const struct ref_unit *running, int n_running)
{
    struct ref_world *w = p->w;
    int h = 0;
    while (h < n && start(p, waiting[h])) h++;
    if (h >= n) return;
    /* Everything that runs, with when it is expected to end. */
    struct { struct ref_unit u; sim_tick end; } run[REF_JOBS * REF_TASKS];
    int n_run = 0;
    for (int i = 0; i < n_running; i++, n_run++) {
        run[n_run].u = running[i];
        run[n_run].end = expected_end(w, running[i], w->live[running[i].job][running[i].task].started);
    }
    for (int i = 0; i < h; i++, n_run++) { run[n_run].u = waiting[i]; run[n_run].end = expected_end(w, waiting[i], w->now); }
    /* Release instant by instant until the head can be placed. */
    struct ref_ledger shadow = p->l;
    struct ref_decision reserved;
    sim_tick at = w->now;
    bool found = false;
    while (!found) {
        sim_tick next = TICK_NEVER;
        for (int i = 0; i < n_run; i++)
            if (run[i].end > at) next = i64_min(next, run[i].end);
        if (next == TICK_NEVER) break;
        for (int i = 0; i < n_run; i++)
            if (run[i].end == next) ref_release_unit(w, &shadow, run[i].u);
        at = next;
        found = ref_place_unit(w, &shadow, waiting[h], &reserved);
    }
    for (int i = h + 1; i < n; i++) {
        struct ref_unit u = waiting[i];
        if (!found) { (void)start(p, u); continue; }
        sim_tick est = estimate(w, u.job);
        if (est != TICK_NEVER && w->now + est <= at) { (void)start(p, u); continue; }
        struct ref_ledger both = smaller(w->c, &p->l, &shadow);
        struct ref_decision *d = &p->out->d[p->out->n];
        if (!ref_place_unit(w, &both, u, d)) continue;
        p->out->n++;
        for (int k = 0; k < ref_unit_size(w, u); k++) {
            const struct shape *s = &w->job[u.job].task[u.task + k].shape;
            ref_take(w->c, &p->l, u.job, u.task + k, d->node[k], s, d->cards[k]);
            ref_take(w->c, &shadow, u.job, u.task + k, d->node[k], s, d->cards[k]);
        }
    }
}

static int64_t cards_asked(const struct ref_world *w, struct ref_unit u)
{
    int64_t milli = 0;
    for (int k = 0; k < ref_unit_size(w, u); k++) {
        const struct shape *s = &w->job[u.job].task[u.task + k].shape;
        milli += (int64_t)s->n_gpu * s->gpu_milli;
    }
    return milli;
}

/* By count: srtf once an instant, and once more after it stopped somebody. */
static void decide_by_count(struct deciding *p, const struct ref_unit *waiting, int n, const struct ref_unit *running, int n_running)
{
    struct ref_world *w = p->w;
    bool is_srtf = w->c->policy.order == REF_SRTF, runs[REF_JOBS * REF_TASKS] = { false };
    int64_t left = 0;
    int stops = 0;
    w->counts_again = is_srtf && w->counted_at == w->now + 1;           /* one more than when: 0 is never */
    if (w->counts_again) return;
    w->counted_at = w->now + 1;
    for (int k = 0; k < w->c->n_nodes; k++) left += w->ledger.up[k] ? (int64_t)w->c->node[k].n_gpu * GPU_WHOLE : 0;
    bool stays[REF_JOBS * REF_TASKS] = { false };
    for (int i = 0, r = 0; i < n || r < n_running;) {
        bool is_running = i == n || (r < n_running && unit_before(&running[r], &waiting[i]));
        int64_t ask = cards_asked(w, is_running ? running[r] : waiting[i]);
        bool *to = is_running ? &stays[r++] : &runs[i++];
        *to = ask <= left;
        left -= *to ? ask : 0;
    }
    for (int k = 0; k < n_running; k++) {
        int r = is_srtf ? k : n_running - 1 - k;        /* tiresias stops the last first */
        if (stays[r]) continue;
        ref_release_unit(w, &p->l, running[r]);
        p->out->d[p->out->n++] = (struct ref_decision){ .what = REF_DO_PREEMPT, .u = running[r] };
        stops++;
    }
    for (int i = 0; i < n; i++)
        if (runs[i]) (void)start(p, waiting[i]);
    w->counts_again = is_srtf && stops > 0;
}

/* Back to where it was in `from`, if it fits there now, too; false: the ledger is as before. */
static bool returns(struct ref_world *w, struct ref_ledger *l, const struct ref_ledger *from, struct ref_unit u)
{
    const struct ref_ledger before = *l;
    for (int k = 0; k < ref_unit_size(w, u); k++) {
        const struct ref_hold *h = &from->hold[u.job][u.task + k];
        struct shape bare = h->got;
        bare.n_gpu = 0;
        bool fits = ref_fits(w->c, l, h->node, &bare);
        for (int card = 0; card < REF_CARDS; card++)
            fits = fits && ((h->cards >> card & 1) == 0 || ref_card_fits(w->c, l, h->node, card, &h->got));
        /* What asks for nothing fits beside an exclusive task, but that does not start beside it. */
        for (int j = 0; j < w->n_arrived; j++)
            for (int t = 0; t < w->job[j].n; t++)
                if (l->hold[j][t].node == h->node && w->live[j][t].state == REF_WAITING) fits = fits && !l->hold[j][t].got.exclusive;
        if (!fits) { *l = before; return false; }
        l->hold[u.job][u.task + k] = *h;
        ref_move_hold(w->c, l, &l->hold[u.job][u.task + k], -1);
    }
    return true;
}

/* tiresias, in one queue by arrival: later ones make room, and stay if they need not or may go back. */
static void decide_by_arrival(struct deciding *p, const struct ref_unit *waiting, int n, const struct ref_unit *running, int n_running)
{
    const struct ref_ledger now = p->l;
    struct ref_decision starts[REF_JOBS * REF_TASKS];
    bool is_out[REF_JOBS * REF_TASKS] = { false };
    for (int i = 0; i < n; i++) {
        struct ref_unit u = waiting[i];
        if (start(p, u)) continue;
        const struct ref_ledger before = p->l;
        bool was_out[REF_JOBS * REF_TASKS], fits = false;
        memcpy(was_out, is_out, sizeof is_out);
        for (int v = n_running; v-- > 0 && unit_before(&u, &running[v]) && !fits;) {
            if (is_out[v]) continue;
            ref_release_unit(p->w, &p->l, running[v]);
            is_out[v] = true;
            fits = ref_could_place(p->w, &p->l, u);
        }
        if (!fits) {
            p->l = before;
            memcpy(is_out, was_out, sizeof is_out);
            continue;
        }
        for (int v = 0; v < n_running; v++) {
            if (!is_out[v] || !unit_before(&u, &running[v]) || !returns(p->w, &p->l, &now, running[v])) continue;
            is_out[v] = !ref_could_place(p->w, &p->l, u);
            if (is_out[v]) ref_release_unit(p->w, &p->l, running[v]);
        }
        bool placed = start(p, u);
        SIM_ASSERT(placed);
    }
    int n_starts = p->out->n;
    memcpy(starts, p->out->d, (size_t)n_starts * sizeof *starts);
    p->out->n = 0;
    for (int v = n_running; v-- > 0;)
        if (is_out[v]) p->out->d[p->out->n++] = (struct ref_decision){ .what = REF_DO_PREEMPT, .u = running[v] };
    memcpy(p->out->d + p->out->n, starts, (size_t)n_starts * sizeof *starts);
    p->out->n += n_starts;
}

/* A user's dominant share over its weight, as a fraction num / den. */
struct share { wide num, den; };

static struct share share_of(const struct deciding *p, int user)
{
    const struct ref_case *c = p->w->c;
    int64_t total[3] = { 0 }, has[3] = { 0 };
    for (int n = 0; n < c->n_nodes; n++) {
        if (!p->l.up[n]) continue;
        total[0] += c->node[n].cpu;
        total[1] += c->node[n].mem;
        total[2] += (int64_t)c->node[n].n_gpu * GPU_WHOLE;
    }
    for (int j = 0; j < p->w->n_arrived; j++)
        for (int t = 0; t < p->w->job[j].n; t++) {
            const struct ref_hold *h = &p->l.hold[j][t];
            if (p->w->job[j].user != user || h->node < 0) continue;
            has[0] += h->got.cpu_milli;
            has[1] += h->got.mem_b;
            has[2] += (int64_t)__builtin_popcountll(h->cards) * h->got.gpu_milli;
        }
    struct share most = { 0, 1 };
    for (int d = 0; d < 3; d++) {
        if (total[d] == 0) continue;
        struct share s = { has[d], total[d] };
        if (s.num * most.den > most.num * s.den) most = s;
    }
    most.den *= c->policy.weight[user];
    return most;
}

static void decide_drf(struct deciding *p, const struct ref_unit *waiting, int n)
{
    struct ref_world *w = p->w;
    bool aside[REF_USERS] = { false }, tried[REF_JOBS * REF_TASKS] = { false };
    for (;;) {
        int user = -1;
        struct share least = { 0, 1 };
        for (int i = 0; i < n; i++) {
            int x = w->job[waiting[i].job].user;
            if (tried[i] || aside[x] || x == user) continue;
            struct share s = share_of(p, x);
            wide a = s.num * least.den, b = least.num * s.den;
            if (user < 0 || a < b || (a == b && w->user_rank[x] < w->user_rank[user])) { user = x; least = s; }
        }
        if (user < 0) return;
        bool any = false;
        for (int i = 0; i < n && !any; i++) {
            if (tried[i] || w->job[waiting[i].job].user != user) continue;
            tried[i] = true;
            any = start(p, waiting[i]);
            if (!any && !w->c->policy.skip) break;
        }
        if (!any) aside[user] = true;
    }
}

void ref_decide(struct ref_world *w, struct ref_plan *out)
{
    struct deciding p = { .w = w, .l = w->ledger, .out = out };
    struct ref_unit waiting[REF_JOBS * REF_TASKS], running[REF_JOBS * REF_TASKS];
    int n = list_units(w, REF_WAITING, waiting), n_running = list_units(w, REF_RUNNING, running);
    ref_refresh_typical(w);
    if (w->c->policy.counts) { decide_by_count(&p, waiting, n, running, n_running); return; }
    switch (w->c->policy.order) {
    case REF_FIFO: case REF_SJF: decide_list(&p, waiting, n); return;
    case REF_SRTF: case REF_LAS: decide_preempting(&p, waiting, n, running, n_running); return;
    case REF_EASY: decide_easy(&p, waiting, n, running, n_running); return;
    case REF_DRF:  decide_drf(&p, waiting, n); return;
    case REF_MULTIQUEUE: ref_mq_decide(w, out); return;
    case REF_KUEUE: ref_kq_decide(w, out); return;
    case REF_DICE: ref_dice_decide(w); return;
    case REF_TIRESIAS: decide_by_arrival(&p, waiting, n, running, n_running); return;
    }
}

/*
 * refkube_rule.c -- whom the kube- policies start and stop, and where: filters, scores, preemption, as
 * policies/README.md words them; see refkube.h.
 */
#include "ref/refkube.h"

#include <string.h>

__extension__ typedef __int128 wide;

/* ---- fits ---- */

static bool by_count(const struct kubecase *c) { return c->policy != KC_HYBRID; }

struct rk_free rk_free_of(const struct kubecase *c, const struct rk_ledger *l, int node)
{
    const struct kc_node *o = &c->node[node];
    struct rk_free f = { .cpu = o->cpu - o->cpu_reserved, .mem = o->mem - o->mem_reserved };
    for (int k = 0; k < o->cards; k++) {
        f.milli[k] = GPU_WHOLE;
        f.card_mem[k] = o->card_mem;
        f.cores[k] = o->card_cores;
    }
    for (int j = 0; j < c->n_jobs; j++)
        for (int t = 0; t < c->job[j].n; t++) {
            const struct rk_hold *h = &l->hold[j][t];
            const struct shape *s = &c->job[j].task[t].shape;
            if (h->node != node) continue;
            f.tasks++;
            f.cpu -= s->cpu_milli;
            f.mem -= s->mem_b;
            f.no_cpu += s->cpu_milli == 0;
            f.no_mem += s->mem_b == 0;
            for (int k = 0; k < o->cards; k++) {
                if ((h->cards >> k & 1) == 0) continue;
                f.milli[k] -= s->gpu_milli;
                if (o->card_mem > 0 && !h->is_short) f.card_mem[k] -= s->gpu_mem_b;
                if (o->card_cores > 0 && !h->is_short) f.cores[k] -= s->gpu_cores;
            }
        }
    return f;
}

static bool has_mem_and_cores(const struct kc_node *o, const struct rk_free *f, int k, const struct shape *s)
{
    return (s->gpu_mem_b == 0 || o->card_mem == 0 || f->card_mem[k] >= s->gpu_mem_b) &&
           (s->gpu_cores == 0 || o->card_cores == 0 || f->cores[k] >= s->gpu_cores);
}

static bool card_fits(const struct kubecase *c, const struct kc_node *o, const struct rk_free *f, int k,
                      const struct shape *s)
{
    return f->milli[k] >= s->gpu_milli && (by_count(c) || has_mem_and_cores(o, f, k, s));
}

bool rk_fits(const struct kubecase *c, const struct rk_ledger *l, int node, const struct shape *s)
{
    const struct kc_node *o = &c->node[node];
    struct rk_free f = rk_free_of(c, l, node);
    int cards = 0;
    if (!l->up[node] || f.cpu < s->cpu_milli || f.mem < s->mem_b || (o->labels & s->need_all) != s->need_all)
        return false;
    if (o->max_tasks > 0 && f.tasks >= o->max_tasks) return false;
    for (int k = 0; k < o->cards && s->n_gpu > 0; k++) cards += card_fits(c, o, &f, k, s);
    return cards >= s->n_gpu;
}

/* Of the cards that fit those with the least free share, then, unless cards are counted, memory; then the first. */
unsigned rk_pick_cards(const struct kubecase *c, const struct rk_ledger *l, int node, const struct shape *s)
{
    struct rk_free f = rk_free_of(c, l, node);
    unsigned picked = 0;
    for (int i = 0; i < s->n_gpu; i++) {
        int best = -1;
        for (int k = 0; k < c->node[node].cards; k++) {
            if ((picked >> k & 1) != 0 || !card_fits(c, &c->node[node], &f, k, s)) continue;
            bool before = best < 0 || f.milli[k] < f.milli[best];
            if (best >= 0 && f.milli[k] == f.milli[best] && !by_count(c)) before = f.card_mem[k] < f.card_mem[best];
            if (before) best = k;
        }
        SIM_ASSERT(best >= 0);
        picked |= 1u << best;
    }
    return picked;
}

void rk_take(const struct kubecase *c, struct rk_ledger *l, int job, int task, int node, unsigned cards)
{
    const struct shape *s = &c->job[job].task[task].shape;
    struct rk_free f = rk_free_of(c, l, node);
    bool is_short = false;
    for (int k = 0; k < c->node[node].cards; k++)
        if ((cards >> k & 1) != 0) is_short |= !has_mem_and_cores(&c->node[node], &f, k, s);
    l->hold[job][task] = (struct rk_hold){ node, cards, is_short };
}

/* ---- filters ---- */

static bool admits(const struct kubecase *c, int node, const struct shape *s)
{
    if (c->policy != KC_SPLIT) return true;
    bool for_gpus = c->by_label ? (c->node[node].labels & 1) != 0 : c->node[node].cards > 0;
    return for_gpus == (s->n_gpu > 0);
}

static bool could_go(const struct rk_world *w, const struct rk_ledger *l, int node, const struct shape *s)
{
    return rk_fits(w->c, l, node, s) && admits(w->c, node, s);
}

/* ---- scores, in ten-thousandths of a point ---- */

/* Capacity and request of CPU, memory and cards with the pod there. */
static void amounts(const struct kubecase *c, const struct rk_ledger *l, int node, const struct shape *s,
                    int64_t cap[3], int64_t req[3])
{
    const struct kc_node *o = &c->node[node];
    struct rk_free f = rk_free_of(c, l, node);
    cap[0] = o->cpu;
    cap[1] = o->mem;
    cap[2] = 1000 * o->cards;
    req[0] = o->cpu - f.cpu + 100 * f.no_cpu + (s->cpu_milli > 0 ? s->cpu_milli : 100);
    req[1] = o->mem - f.mem + INT64_C(200000000) * f.no_mem + (s->mem_b > 0 ? s->mem_b : INT64_C(200000000));
    req[2] = (int64_t)s->n_gpu * s->gpu_milli;
    for (int k = 0; k < o->cards; k++) req[2] += 1000 - f.milli[k];
}

static int64_t share(int64_t c, int64_t x, int64_t r, int64_t full)
{
    return c == 0 || r > c ? 0 : (int64_t)((wide)x * full / c);
}

static int64_t on_line(const struct kc_score *p, int64_t used)
{
    for (int i = 0; i < p->n_knees; i++) {
        if (used > p->knee[i][0]) continue;
        if (i == 0) return 10 * p->knee[0][1];
        int64_t y = 10 * p->knee[i - 1][1], rise = 10 * p->knee[i][1] - y;
        return y + rise * (used - p->knee[i - 1][0]) / (p->knee[i][0] - p->knee[i - 1][0]);
    }
    return 10 * p->knee[p->n_knees - 1][1];
}

static int64_t ratio(const struct kc_score *p, const int64_t c[3], const int64_t r[3])
{
    int64_t sum = 0, weights = 0;
    for (int i = 0; i < 3; i++) {
        int64_t used = c[i] == 0 || r[i] > c[i] ? 100 : 100 - (int64_t)((wide)(c[i] - r[i]) * 100 / c[i]);
        int64_t x = on_line(p, used);
        if (p->resource[i] == 0 || x == 0) continue;
        sum += x * p->resource[i];
        weights += p->resource[i];
    }
    if (weights == 0) return 0;
    return sum / weights + (sum % weights * 2 >= weights);
}

static int64_t dominant(const struct kubecase *c, int node, const struct shape *s, const int64_t cap[3],
                        const int64_t req[3])
{
    if (s->n_gpu > 0) return 0;
    int64_t lrs =
                (share(cap[0], cap[0] - req[0], req[0], 1000000) + share(cap[1], cap[1] - req[1], req[1], 1000000)) / 2,
            g = 0, n = c->n_nodes;
    for (int i = 0; i < n; i++) g += c->node[i].cards > 0;
    int64_t floor_of_cpu = (1000000 * g + n - 1) / n;
    if (c->node[node].cards == 0) return (1000000 * g + (n - g) * lrs + n - 1) / n;
    return i64_min(g * lrs / n, floor_of_cpu - 1);
}

/* Eqs. 2 to 4, in 2^-20; similarity=mean. */
static int64_t gpu(const struct rk_world *w, const struct rk_ledger *l, int node, const struct shape *s)
{
    const struct kubecase *c = w->c;
    const struct kc_node *o = &c->node[node];
    const int64_t one = 1 << 20;
    if (s->n_gpu == 0) return 0;
    int64_t card = 0;
    for (int d = 0; d < 3; d++) {
        int64_t best = 0;
        for (int n = 0; n < c->n_nodes; n++)
            if (c->node[n].cards > 0) best = i64_max(best, c->figures[c->node[n].type][d]);
        card += best == 0 ? one : c->figures[o->type][d] * one / best;
    }
    card /= 3;
    struct rk_free f = rk_free_of(c, l, node);
    int64_t have[5] = { 0, INT64_MAX, INT64_MAX, f.cpu, f.mem }, sum = 0, n = 0;
    unsigned cards = rk_pick_cards(c, l, node, s);
    for (int k = 0; k < o->cards; k++) {
        have[0] += f.milli[k];
        if ((cards >> k & 1) == 0) continue;
        have[1] = i64_min(have[1], f.card_mem[k]);
        have[2] = i64_min(have[2], f.cores[k]);
    }
    const int64_t want[5] = { (int64_t)s->n_gpu * s->gpu_milli, s->gpu_mem_b, s->gpu_cores, s->cpu_milli, s->mem_b };
    for (int d = 0; d < 5; d++) {
        if (have[d] <= 0) continue;
        sum += (int64_t)((wide)want[d] * one / have[d]);
        n++;
    }
    int64_t similar = n > 0 ? sum / n : one;
    return c->mean_of_both ? (card + similar) / 2 : card * similar / one;
}

static int64_t points(const struct rk_world *w, const struct rk_ledger *l, const struct kc_score *p, int plugin,
                      int node, const struct shape *s)
{
    int64_t c[3], r[3], sum = 0, weights = 0;
    amounts(w->c, l, node, s, c, r);
    switch ((enum kc_plugin)plugin) {
    case KC_LEAST: case KC_MOST:
        for (int i = 0; i < 3; i++) {
            sum += p->resource[i] * share(c[i], plugin == KC_LEAST ? c[i] - r[i] : r[i], r[i], 100);
            weights += p->resource[i];
        }
        return sum / weights * 10000;
    case KC_BALANCED: {
        if (c[0] == 0 || c[1] == 0 || r[0] >= c[0] || r[1] >= c[1]) return 0;
        wide all = (wide)c[0] * c[1], gap = (wide)r[0] * c[1] - (wide)r[1] * c[0];
        return (int64_t)((all - (gap < 0 ? -gap : gap)) * 100 / all) * 10000;
    }
    case KC_RATIO:    return ratio(p, c, r) * 10000;
    case KC_DOMINANT: return dominant(w->c, node, s, c, r);
    case KC_GPU:      return gpu(w, l, node, s) * 1000000 / (1 << 20);
    case KC_AFFINITY: case KC_PLUGINS: break;
    }
    return 0;       /* affinity: of all nodes together */
}

/* ---- the search for a node ---- */

static bool before_by_name(int a, int b)
{
    char x[16], y[16];
    (void)snprintf(x, sizeof x, "n%d", a);
    (void)snprintf(y, sizeof y, "n%d", b);
    return strcmp(x, y) < 0;
}

/* Nodes in turn: the first of each rack, the second of each ...; racks as they first stand in the cluster. */
static void in_turn(const struct kubecase *c, int order[KC_NODES])
{
    int rack[3], n_racks = 0, n = 0;
    for (int i = 0; i < c->n_nodes; i++) {
        int k = 0;
        while (k < n_racks && rack[k] != c->node[i].rack) k++;
        if (k == n_racks) rack[n_racks++] = c->node[i].rack;
    }
    for (int turn = 0; n < c->n_nodes; turn++)
        for (int k = 0; k < n_racks; k++)
            for (int i = 0, seen = 0; i < c->n_nodes; i++)
                if (c->node[i].rack == rack[k] && seen++ == turn) order[n++] = i;
}

static int to_find(const struct kubecase *c)
{
    int n = c->n_nodes, percentage = c->percentage;
    if (n < 100 || percentage == 100) return n;
    if (percentage == 0) percentage = 50 - n / 125 > 5 ? 50 - n / 125 : 5;
    return n * percentage / 100 > 100 ? n * percentage / 100 : 100;
}

/* The node for one task; -1: it fits nowhere. */
static int find(struct rk_world *w, const struct rk_ledger *l, int job, int task)
{
    const struct kubecase *c = w->c;
    const struct kc_job *j = &c->job[job];
    const struct shape *s = &j->task[task].shape;
    const struct kc_score *p = c->score[c->n_profiles > 1 && j->other ? 1 : 0];
    int order[KC_NODES], found[KC_NODES], n = 0, i = 0, best = -1, most = 0;
    int64_t best_score = 0;
    in_turn(c, order);
    for (; i < c->n_nodes; i++) {
        int node = order[(w->next + i) % c->n_nodes];
        if (!could_go(w, l, node, s)) continue;
        if (n == to_find(c)) break;
        found[n++] = node;
        if (j->prefers >= 0 && c->pref[j->prefers][node] > most) most = c->pref[j->prefers][node];
    }
    for (int k = 0; k < n; k++) {
        int64_t score = 0;
        for (int x = 0; x < KC_PLUGINS; x++)
            if (p[x].weight > 0) score += p[x].weight * points(w, l, &p[x], x, found[k], s);
        if (most > 0) score += (int64_t)p[KC_AFFINITY].weight * (100 * c->pref[j->prefers][found[k]] / most) * 10000;
        if (best >= 0 && (score < best_score || (score == best_score && before_by_name(best, found[k])))) continue;
        best = found[k];
        best_score = score;
    }
    w->next = (w->next + i) % c->n_nodes;
    return best;
}

static bool place(struct rk_world *w, struct rk_ledger *l, struct rk_unit u, struct rk_decision *d)
{
    const struct rk_ledger before = *l;
    const int next = w->next;
    d->u = u;
    d->stops = false;
    for (int k = 0; k < rk_size(w->c, u); k++) {
        const struct shape *s = &w->c->job[u.job].task[u.task + k].shape;
        int node = find(w, l, u.job, u.task + k);
        if (node < 0) {
            *l = before;
            w->next = next;
            return false;
        }
        rk_take(w->c, l, u.job, u.task + k, node, rk_pick_cards(w->c, l, node, s));
        d->at[k] = l->hold[u.job][u.task + k];
    }
    return true;
}

/* ---- preemption ---- */

static int priority(const struct rk_world *w, struct rk_unit u) { return w->c->job[u.job].priority; }

/* The more important first. */
static bool is_before(const struct rk_world *w, struct rk_unit a, struct rk_unit b)
{
    if (priority(w, a) != priority(w, b)) return priority(w, a) > priority(w, b);
    if (w->began[a.job][a.task] != w->began[b.job][b.task]) return w->began[a.job][a.task] < w->began[b.job][b.task];
    return a.job != b.job ? a.job < b.job : a.task < b.task;
}

static void give_back(const struct rk_world *w, struct rk_ledger *l, struct rk_unit u)
{
    for (int k = 0; k < rk_size(w->c, u); k++) l->hold[u.job][u.task + k].node = -1;
}

static void put_back(const struct rk_world *w, struct rk_ledger *l, const struct rk_ledger *from, struct rk_unit u)
{
    for (int k = 0; k < rk_size(w->c, u); k++) l->hold[u.job][u.task + k] = from->hold[u.job][u.task + k];
}

/* Units with a task on the node that run since before this decision, of a lower priority; in order. */
static int victims(const struct rk_world *w, const struct rk_ledger *l, struct rk_unit u, int node, struct rk_unit *out)
{
    int n = 0;
    for (int j = 0; j < w->c->n_jobs; j++)
        for (int t = 0; t < (w->c->job[j].gang ? 1 : w->c->job[j].n); t++) {
            struct rk_unit v = { j, t };
            bool is_there = false;
            for (int k = 0; k < rk_size(w->c, v); k++) is_there |= l->hold[j][t + k].node == node;
            if (!is_there || w->state[j][t] != RK_RUNS || priority(w, v) >= priority(w, u)) continue;
            int i = n++;
            for (; i > 0 && is_before(w, v, out[i - 1]); i--) out[i] = out[i - 1];
            out[i] = v;
        }
    return n;
}

struct choice { int node, n; struct rk_unit goes[KC_JOBS * KC_TASKS]; };

static bool is_better(const struct rk_world *w, const struct choice *a, const struct choice *b)
{
    int64_t sum[2] = { 0, 0 };
    const struct choice *of[2] = { a, b };
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < of[s]->n; i++) sum[s] += priority(w, of[s]->goes[i]) + (INT64_C(1) << 31);
    if (priority(w, a->goes[0]) != priority(w, b->goes[0])) return priority(w, a->goes[0]) < priority(w, b->goes[0]);
    if (sum[0] != sum[1]) return sum[0] < sum[1];
    sim_tick x = w->began[a->goes[0].job][a->goes[0].task], y = w->began[b->goes[0].job][b->goes[0].task];
    return x != y ? x > y : before_by_name(a->node, b->node);
}

static bool make_room(struct rk_world *w, struct rk_ledger *l, struct rk_unit u, struct choice *best)
{
    const struct shape *s = &w->c->job[u.job].task[u.task].shape;
    best->node = -1;
    for (int node = 0; node < w->c->n_nodes; node++) {
        struct rk_ledger t = *l;
        struct rk_unit v[KC_JOBS * KC_TASKS];
        struct choice here = { .node = node };
        int n = victims(w, l, u, node, v);
        for (int i = 0; i < n; i++) give_back(w, &t, v[i]);
        if (n == 0 || !could_go(w, &t, node, s)) continue;
        for (int i = 0; i < n; i++) {
            put_back(w, &t, l, v[i]);
            if (could_go(w, &t, node, s)) continue;
            give_back(w, &t, v[i]);
            here.goes[here.n++] = v[i];
        }
        SIM_ASSERT(here.n > 0);
        if (best->node < 0 || is_better(w, &here, best)) *best = here;
    }
    return best->node >= 0;
}

/* ---- a decision ---- */

static int waiting(const struct rk_world *w, struct rk_unit *out)
{
    int n = 0;
    for (int j = 0; j < w->c->n_jobs; j++)
        for (int t = 0; t < (w->c->job[j].gang ? 1 : w->c->job[j].n); t++) {
            struct rk_unit u = { j, t };
            if (w->state[j][t] != RK_WAITS) continue;
            int i = n++;
            for (; i > 0 && priority(w, u) > priority(w, out[i - 1]); i--) out[i] = out[i - 1];
            out[i] = u;
        }
    return n;
}

int rk_decide(struct rk_world *w, struct rk_decision out[RK_DECISIONS])
{
    struct rk_unit unit[KC_JOBS * KC_TASKS];
    struct rk_ledger l = w->l;
    int n = waiting(w, unit), n_out = 0;
    for (int i = 0; i < n; i++) {
        struct rk_unit u = unit[i];
        struct choice c;
        if (place(w, &l, u, &out[n_out])) { n_out++; continue; }
        if (!w->c->preempts || rk_size(w->c, u) > 1 || !make_room(w, &l, u, &c)) continue;
        for (int v = 0; v < c.n; v++) {
            give_back(w, &l, c.goes[v]);
            out[n_out++] = (struct rk_decision){ .stops = true, .u = c.goes[v] };
        }
        rk_take(w->c, &l, u.job, u.task, c.node, rk_pick_cards(w->c, &l, c.node, &w->c->job[u.job].task[u.task].shape));
        out[n_out++] = (struct rk_decision){ .u = u, .at = { l.hold[u.job][u.task] } };
    }
    return n_out;
}

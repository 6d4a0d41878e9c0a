/* refplace.c -- the ledger and the placement rules of refplan.h, with loops over nodes and cards. */
#include "ref/refplan.h"

#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 wide;

/* ---- the ledger ---- */

bool ref_card_fits(const struct ref_case *c, const struct ref_ledger *l, int node, int card, const struct shape *s)
{
    if (l->milli[node][card] < s->gpu_milli) return false;
    return s->gpu_mem_b == 0 || c->node[node].gpu_mem == 0 || l->gpu_mem[node][card] >= s->gpu_mem_b;
}

bool ref_fits(const struct ref_case *c, const struct ref_ledger *l, int node, const struct shape *s)
{
    const struct ref_node *n = &c->node[node];
    if (!l->up[node]) return false;
    if (l->cpu[node] < s->cpu_milli || l->mem[node] < s->mem_b) return false;
    for (int e = 0; e < ENGINE_TYPES_MAX; e++)
        if (l->engine[node][e] < s->engine[e]) return false;
    if ((n->labels & s->need_all) != s->need_all) return false;
    if (s->need_any != 0 && (n->labels & s->need_any) == 0) return false;
    if (s->exclusive && l->tasks[node] > 0) return false;
    if (s->n_gpu == 0) return true;
    if (s->gpu_types != 0 && (n->type < 0 || (s->gpu_types >> n->type & 1) == 0)) return false;
    int cards = 0;
    for (int k = 0; k < n->n_gpu; k++) cards += ref_card_fits(c, l, node, k, s);
    return cards >= s->n_gpu;
}

/* Does card a come before card b: less free share, less free memory, lower index. */
static bool card_before(const struct ref_ledger *l, int node, int a, int b)
{
    if (l->milli[node][a] != l->milli[node][b]) return l->milli[node][a] < l->milli[node][b];
    if (l->gpu_mem[node][a] != l->gpu_mem[node][b]) return l->gpu_mem[node][a] < l->gpu_mem[node][b];
    return a < b;
}

uint64_t ref_pick_cards(const struct ref_case *c, const struct ref_ledger *l, int node, const struct shape *s)
{
    uint64_t all = (UINT64_C(1) << c->node[node].n_gpu) - 1, picked = 0;
    if (s->exclusive) return all;
    for (int i = 0; i < s->n_gpu; i++) {
        int best = -1;
        for (int k = 0; k < c->node[node].n_gpu; k++) {
            if (picked >> k & 1 || !ref_card_fits(c, l, node, k, s)) continue;
            if (best < 0 || card_before(l, node, k, best)) best = k;
        }
        SIM_ASSERT(best >= 0);
        picked |= UINT64_C(1) << best;
    }
    return picked;
}

void ref_move_hold(const struct ref_case *c, struct ref_ledger *l, const struct ref_hold *h, int sign)
{
    l->tasks[h->node] -= sign;
    l->cpu[h->node] += sign * h->got.cpu_milli;
    l->mem[h->node] += sign * h->got.mem_b;
    l->no_cpu[h->node] -= sign * (h->got.cpu_milli == 0 && !h->got.exclusive);
    l->no_mem[h->node] -= sign * (h->got.mem_b == 0 && !h->got.exclusive);
    for (int e = 0; e < ENGINE_TYPES_MAX; e++) l->engine[h->node][e] += sign * h->got.engine[e];
    for (int k = 0; k < REF_CARDS; k++) {
        if ((h->cards >> k & 1) == 0) continue;
        l->milli[h->node][k] += sign * h->got.gpu_milli;
        if (c->node[h->node].gpu_mem > 0) l->gpu_mem[h->node][k] += sign * h->got.gpu_mem_b;
        SIM_ASSERT(l->milli[h->node][k] >= 0 && l->milli[h->node][k] <= GPU_WHOLE && l->gpu_mem[h->node][k] >= 0);
    }
    SIM_ASSERT(l->cpu[h->node] >= 0 && l->mem[h->node] >= 0);
}

/* cards 0: the ledger's choice. */
void ref_take(const struct ref_case *c, struct ref_ledger *l, int job, int task, int node, const struct shape *s, uint64_t cards)
{
    struct ref_hold *h = &l->hold[job][task];
    SIM_ASSERT(h->node < 0 && ref_fits(c, l, node, s));
    *h = (struct ref_hold){ .node = node, .cards = cards ? cards : ref_pick_cards(c, l, node, s), .got = *s };
    if (s->exclusive) {       /* all of the node */
        const struct ref_node *n = &c->node[node];
        h->got.cpu_milli = n->cpu;
        h->got.mem_b = n->mem;
        h->got.gpu_milli = GPU_WHOLE;
        h->got.gpu_mem_b = n->gpu_mem;
        memcpy(h->got.engine, n->engine, sizeof h->got.engine);
    }
    ref_move_hold(c, l, h, -1);
}

void ref_give(const struct ref_case *c, struct ref_ledger *l, int job, int task)
{
    struct ref_hold *h = &l->hold[job][task];
    SIM_ASSERT(h->node >= 0);
    ref_move_hold(c, l, h, +1);
    h->node = -1;
}

/* ---- costs: smaller is better, compared from the first ---- */

struct cost { int64_t v[4]; };

static int cost_cmp(const struct cost *a, const struct cost *b)
{
    for (int i = 0; i < 4; i++)
        if (a->v[i] != b->v[i]) return a->v[i] < b->v[i] ? -1 : 1;
    return 0;
}

static int64_t free_milli(const struct ref_case *c, const struct ref_ledger *l, int node)
{
    int64_t sum = 0;
    for (int k = 0; k < c->node[node].n_gpu; k++) sum += l->milli[node][k];
    return sum;
}

/* Free on the node, its total, and the largest total of any node, by dimension. */
static void amounts(const struct ref_case *c, const struct ref_ledger *l, int node, int64_t f[3], int64_t t[3], int64_t m[3])
{
    f[0] = l->cpu[node];
    f[1] = l->mem[node];
    f[2] = free_milli(c, l, node);
    for (int d = 0; d < 3; d++) m[d] = 0;
    for (int n = 0; n < c->n_nodes; n++) {
        int64_t of[3] = { c->node[n].cpu, c->node[n].mem, (int64_t)c->node[n].n_gpu * GPU_WHOLE };
        for (int d = 0; d < 3; d++) {
            if (of[d] > m[d]) m[d] = of[d];
            if (n == node) t[d] = of[d];
        }
    }
}

static int64_t best_cost(const struct ref_case *c, const struct ref_ledger *after, int node)
{
    int64_t f[3], t[3], m[3], sum = 0;
    amounts(c, after, node, f, t, m);
    for (int d = 0; d < 3; d++)
        if (m[d] > 0) sum += f[d] * (1 << 20) / m[d];
    return sum;
}

static int64_t spread_cost(const struct ref_case *c, const struct ref_ledger *after, int node)
{
    int64_t f[3], t[3], m[3], worst = 0;
    amounts(c, after, node, f, t, m);
    for (int d = 0; d < 3; d++)
        if (t[d] > 0) worst = i64_max(worst, (t[d] - f[d]) * (1 << 20) / t[d]);
    return worst;
}

static int idle_cards(const struct ref_case *c, const struct ref_ledger *l, int node)
{
    int n = 0;
    for (int k = 0; k < c->node[node].n_gpu; k++) n += l->milli[node][k] == GPU_WHOLE;
    return n;
}

/* ---- fgd ---- */

void ref_refresh_typical(struct ref_world *w)
{
    if (2 * w->arrived_tasks < 3 * w->refreshed_at || w->arrived_tasks == w->refreshed_at) return;
    w->refreshed_at = w->arrived_tasks;
    w->n_typical = 0;
    bool used[REF_JOBS * REF_TASKS] = { false };
    while (w->n_typical < 32) {
        int most = -1;
        for (int i = 0; i < w->n_seen; i++)
            if (!used[i] && w->seen_tasks[i] > 0 && (most < 0 || w->seen_tasks[i] > w->seen_tasks[most])) most = i;
        if (most < 0) break;
        used[most] = true;
        w->typical[w->n_typical] = most;
        w->typical_weight[w->n_typical++] = w->seen_tasks[most];
    }
}

/* Could the node as it is run a task of shape s?  Engines, card memory and exclusiveness are not looked at. */
static bool serves(const struct ref_case *c, const struct ref_ledger *l, int node, const struct shape *s)
{
    struct shape plain = *s;
    plain.gpu_mem_b = 0;
    plain.exclusive = 0;
    memset(plain.engine, 0, sizeof plain.engine);
    return ref_fits(c, l, node, &plain);
}

static int64_t fragments(const struct ref_world *w, const struct ref_ledger *l, int node)
{
    int64_t sum = 0;
    for (int i = 0; i < w->n_typical; i++) {
        const struct shape *m = &w->seen[w->typical[i]];
        int64_t frag = 0;
        if (m->n_gpu == 0 || !serves(w->c, l, node, m)) {
            frag = free_milli(w->c, l, node);
        } else {
            for (int k = 0; k < w->c->node[node].n_gpu; k++)
                if (l->milli[node][k] < m->gpu_milli) frag += l->milli[node][k];
        }
        sum += w->typical_weight[i] * frag;
    }
    return sum;
}

/* ---- kube ---- */

static int64_t least_allocated(int64_t r, int64_t cap) { return cap <= 0 || r > cap ? 0 : (cap - r) * 100 / cap; }

static int64_t kube_score(const struct ref_world *w, const struct ref_ledger *after, int node)
{
    int64_t cpu = w->c->node[node].cpu, mem = w->c->node[node].mem;
    int64_t r_cpu = cpu - after->cpu[node] + 100 * after->no_cpu[node];
    int64_t r_mem = mem - after->mem[node] + 200000000 * (int64_t)after->no_mem[node];
    int64_t least = (least_allocated(r_cpu, cpu) + least_allocated(r_mem, mem)) / 2, balanced = 0;
    if (cpu > 0 && mem > 0 && r_cpu < cpu && r_mem < mem) {
        wide all = (wide)cpu * mem, diff = (wide)r_cpu * mem - (wide)r_mem * cpu;
        if (diff < 0) diff = -diff;
        balanced = (int64_t)((all - diff) * 100 / all);
    }
    return least + balanced;
}

/* ---- kube-hybrid: points in ten-thousandths; types without figures ---- */

static int64_t eq1(int64_t r, int64_t cap) { return cap <= 0 || r > cap ? 0 : (cap - r) * 1000000 / cap; }

/* Eq. 3 by the mean, in 2^-20; l: before the task. */
static int64_t similarity(const struct ref_case *c, const struct ref_ledger *l, int node, const struct shape *s, uint64_t cards)
{
    int64_t mem = INT64_MAX, sum = 0, n = 0;
    if (s->exclusive) return 1 << 20;
    for (int k = 0; k < c->node[node].n_gpu; k++)
        if (cards >> k & 1) mem = i64_min(mem, l->gpu_mem[node][k]);
    const int64_t have[4] = { free_milli(c, l, node), mem, l->cpu[node], l->mem[node] };
    const int64_t want[4] = { (int64_t)s->n_gpu * s->gpu_milli, s->gpu_mem_b, s->cpu_milli, s->mem_b };
    for (int d = 0; d < 4; d++) {
        if (have[d] <= 0) continue;
        sum += (int64_t)((wide)want[d] * (1 << 20) / have[d]);
        n++;
    }
    return n == 0 ? 1 << 20 : sum / n;
}

static int64_t hybrid_score(const struct ref_world *w, const struct ref_ledger *l, const struct ref_ledger *after, int node,
                            const struct shape *s, uint64_t cards)
{
    const struct ref_case *c = w->c;
    if (s->n_gpu > 0) return similarity(c, l, node, s, cards) * 1000000 / (1 << 20);
    int64_t cpu = c->node[node].cpu, mem = c->node[node].mem, g = 0, n = c->n_nodes;
    for (int i = 0; i < n; i++) g += c->node[i].n_gpu > 0;
    int64_t lrs = (eq1(cpu - after->cpu[node] + 100 * after->no_cpu[node], cpu) +
                   eq1(mem - after->mem[node] + 200000000 * (int64_t)after->no_mem[node], mem)) / 2;
    int64_t least_cpu_node = (1000000 * g + n - 1) / n;
    if (c->node[node].n_gpu == 0) return (1000000 * g + (n - g) * lrs + n - 1) / n;
    return i64_min(g * lrs / n, least_cpu_node - 1);
}

/* ---- placing ---- */

/* The cost of the task on the node with these cards; `l` is as before it. */
static struct cost cost_of(const struct ref_world *w, const struct ref_ledger *l, int job, int task, int node, uint64_t cards)
{
    const struct ref_case *c = w->c;
    const struct shape *s = &w->job[job].task[task].shape;
    struct ref_ledger after = *l;
    ref_take(c, &after, job, task, node, s, cards);
    int64_t best = best_cost(c, &after, node);
    switch (c->policy.place) {
    case REF_FIRST:  return (struct cost){ { node } };
    case REF_BEST:   return (struct cost){ { best } };
    case REF_WORST:  return (struct cost){ { -best } };
    case REF_PACK:   return (struct cost){ { idle_cards(c, l, node) - idle_cards(c, &after, node), l->tasks[node] == 0,
                                             idle_cards(c, &after, node), best } };
    case REF_SPREAD: return (struct cost){ { spread_cost(c, &after, node) } };
    case REF_FGD:    return (struct cost){ { fragments(w, &after, node) - fragments(w, l, node), best } };
    case REF_KUBE:   return (struct cost){ { -kube_score(w, &after, node) } };
    case REF_KUBE_HYBRID: return (struct cost){ { -hybrid_score(w, l, &after, node, s, cards) } };
    }
    SIM_ASSERT(false);
    return (struct cost){ { 0 } };
}

/* The cards that the rule would take on the node, and their cost. */
static uint64_t best_cards(struct ref_world *w, const struct ref_ledger *l, int job, int task, int node, struct cost *cost)
{
    const struct shape *s = &w->job[job].task[task].shape;
    uint64_t cards = ref_pick_cards(w->c, l, node, s);
    *cost = cost_of(w, l, job, task, node, cards);
    if (w->c->policy.place != REF_FGD || s->n_gpu != 1 || s->gpu_milli == GPU_WHOLE || s->exclusive) return cards;
    int chosen = -1;
    for (int k = 0; k < w->c->node[node].n_gpu; k++) {
        if (!ref_card_fits(w->c, l, node, k, s)) continue;
        struct cost x = cost_of(w, l, job, task, node, UINT64_C(1) << k);
        int order = chosen < 0 ? -1 : cost_cmp(&x, cost);
        if (order < 0 || (order == 0 && card_before(l, node, k, chosen))) { chosen = k; *cost = x; }
    }
    return UINT64_C(1) << chosen;
}

bool ref_place_task(struct ref_world *w, struct ref_ledger *l, int job, int task, int *node, uint64_t *cards)
{
    struct cost least = { { 0 } };
    *node = -1;
    for (int n = 0; n < w->c->n_nodes; n++) {
        struct cost cost;
        if (!ref_fits(w->c, l, n, &w->job[job].task[task].shape)) continue;
        uint64_t with = best_cards(w, l, job, task, n, &cost);
        if (*node >= 0 && cost_cmp(&cost, &least) >= 0) continue;
        *node = n;
        *cards = with;
        least = cost;
    }
    if (*node < 0) return false;
    ref_take(w->c, l, job, task, *node, &w->job[job].task[task].shape, *cards);
    return true;
}

bool ref_place_unit(struct ref_world *w, struct ref_ledger *l, struct ref_unit u, struct ref_decision *d)
{
    struct ref_ledger before = *l;
    *d = (struct ref_decision){ .what = REF_DO_START, .u = u };
    for (int k = 0; k < ref_unit_size(w, u); k++)
        if (!ref_place_task(w, l, u.job, u.task + k, &d->node[k], &d->cards[k])) { *l = before; return false; }
    return true;
}

bool ref_could_place(struct ref_world *w, const struct ref_ledger *l, struct ref_unit u)
{
    struct ref_ledger copy = *l;
    struct ref_decision d;
    return ref_place_unit(w, &copy, u, &d);
}

void ref_release_unit(struct ref_world *w, struct ref_ledger *l, struct ref_unit u)
{
    for (int k = 0; k < ref_unit_size(w, u); k++) ref_give(w->c, l, u.job, u.task + k);
}

void ref_put_back(struct ref_world *w, struct ref_ledger *l, const struct ref_ledger *from, struct ref_unit u)
{
    for (int k = 0; k < ref_unit_size(w, u); k++) {
        l->hold[u.job][u.task + k] = from->hold[u.job][u.task + k];
        ref_move_hold(w->c, l, &l->hold[u.job][u.task + k], -1);
    }
}

/*
 * assign_verify.c -- the certificate of a solve.  With prices p >= 0, job values V, and M, the
 * worth of one unit of flow:
 *   a site holds no more than its places; one with places free has p = 0
 *   a placed task pays cost + p <= V of its job, and no site is cheaper for it
 *   a waiting task finds no site below V
 *   V >= the worth of one more, if the job has tasks waiting; V <= the worth of its last
 *   M is more than all costs together can move
 * This is complementary slackness for the flow problem of assign.h, so it proves the
 * placement optimal.  Loads, counts and costs are summed anew from the tasks, and a task's
 * cheapest site is found from what its caller said.
 *
 * Cost: O(tasks log + sites log).
 */
#include "lib/flow/state.h"

struct priced { int64_t price; uint32_t site; };

struct check {
    const struct assign *s;
    struct priced *all;                 /* sites that fit the group, cheapest first; [n] */
    struct priced *rack;                /* the same, rack after rack */
    uint32_t *rack0;                    /* [n_racks + 1] */
    uint32_t n;
    char    *error;
    size_t   cap;
};

static int cheaper(const void *pa, const void *pb)
{
    const struct priced *a = pa, *b = pb;
    if (a->price != b->price) return a->price < b->price ? -1 : 1;
    return a->site < b->site ? -1 : a->site > b->site;
}

static int64_t price(const struct assign *s, uint32_t c) { return s->site[c].pi - s->pi_root; }

static void sort_group(struct check *k, uint64_t fits)
{
    const struct assign *s = k->s;
    k->n = 0;
    memset(k->rack0, 0, (s->topo.n_racks + 1u) * sizeof *k->rack0);
    for (uint32_t c = 0; c < s->n_sites; c++) {
        if (s->site[c].cap == 0 || (fits >> s->site[c].class & 1) == 0) continue;
        k->all[k->n++] = (struct priced){ price(s, c), c };
        k->rack0[s->topo.rack[s->site[c].node] + 1]++;
    }
    qsort(k->all, k->n, sizeof *k->all, cheaper);
    for (uint32_t r = 0; r < s->topo.n_racks; r++) k->rack0[r + 1] += k->rack0[r];
    for (uint32_t i = 0; i < k->n; i++) k->rack[k->rack0[s->topo.rack[s->site[k->all[i].site].node]]++] = k->all[i];
    for (uint32_t r = s->topo.n_racks; r > 0; r--) k->rack0[r] = k->rack0[r - 1];
    k->rack0[0] = 0;
}

static bool is_named(const struct assign *s, const struct task *t, uint32_t node, bool or_rack)
{
    for (uint32_t i = 0; i < n_named(t); i++) {
        struct entry e = named(s, t, i);
        if (e.bucket == 0 ? e.agg == node : or_rack && e.agg == s->topo.rack[node]) return true;
    }
    return false;
}

static int64_t sum(int64_t cost, int64_t p) { return cost == ASSIGN_NEVER ? FAR_AWAY : cost + p; }

/* The least cost + price over all sites, or FAR_AWAY. */
static int64_t cheapest(const struct check *k, const struct task *t, uint64_t fits)
{
    const struct assign *s = k->s;
    int64_t best = FAR_AWAY;
    for (uint32_t i = 0; i < n_named(t); i++) {
        struct entry near = named(s, t, i);
        uint32_t at = near.agg;
        if (near.bucket == 0) {
            for (uint32_t c = s->node_site[at]; c != NONE; c = s->site[c].next_on_node) {
                int64_t val = sum(near.cost, price(s, c));
                if (s->site[c].cap > 0 && (fits >> s->site[c].class & 1) != 0 && val < best) best = val;
            }
            continue;
        }
        uint32_t x = k->rack0[at];
        while (x < k->rack0[at + 1] && is_named(s, t, s->site[k->rack[x].site].node, false)) x++;
        if (x < k->rack0[at + 1] && sum(near.cost, k->rack[x].price) < best) best = sum(near.cost, k->rack[x].price);
    }
    uint32_t x = 0;
    while (x < k->n && is_named(s, t, s->site[k->all[x].site].node, true)) x++;
    if (x < k->n && sum(t->far, k->all[x].price) < best) best = sum(t->far, k->all[x].price);
    return best;
}

static bool bad(const struct check *k, const char *what, uint32_t id)
{
    (void)snprintf(k->error, k->cap, "%s (%u)", what, id);
    return false;
}

static bool check_tasks(struct check *k)
{
    const struct assign *s = k->s;
    for (uint32_t g = 0; g < s->index.n_groups; g++) {
        bool is_sorted = false;
        for (uint32_t id = 0; id < s->n_tasks; id++) {
            const struct task *t = &s->task[id];
            if (!t->is_here || t->group != g) continue;
            if (!is_sorted) sort_group(k, s->index.group[g]);
            is_sorted = true;
            int64_t best = cheapest(k, t, s->index.group[g]), value = s->job[t->job].pi - s->pi_root;
            if (t->site == NONE) {
                if (best < value) return bad(k, "a task waits that should run", id);
                continue;
            }
            const struct site *c = &s->site[t->site];
            if ((s->index.group[g] >> c->class & 1) == 0) return bad(k, "a task is on a GPU that it does not fit", id);
            if (t->cost != index_task_cost(s, t, c->node)) return bad(k, "a task's cost is not that of its place", id);
            if (t->cost + price(s, t->site) > value) return bad(k, "a task runs that should wait", id);
            if (t->cost + price(s, t->site) > best) return bad(k, "a task is not at a cheapest place", id);
        }
    }
    return true;
}

static bool check_counts(const struct check *k, const struct assign_result *r)
{
    const struct assign *s = k->s;
    uint32_t *load = pol_alloc(s->n_sites, sizeof *load), *x = pol_alloc(s->n_jobs, sizeof *x), *n = pol_alloc(s->n_jobs, sizeof *n);
    int64_t flow = 0;
    pol_wide cost = 0;
    bool ok = true;
    for (size_t id = 0; id < s->n_tasks; id++) {
        const struct task *t = &s->task[id];
        if (!t->is_here) continue;
        n[t->job]++;
        if (t->site == NONE) continue;
        x[t->job]++;
        load[t->site]++;
        flow++;
        cost += t->cost;
    }
    for (uint32_t c = 0; c < s->n_sites && ok; c++) {
        if (load[c] > s->site[c].cap) ok = bad(k, "more tasks than places", c);
        else if (s->site[c].cap > 0 && price(s, c) < 0) ok = bad(k, "a price is negative", c);
        else if (load[c] < s->site[c].cap && price(s, c) != 0) ok = bad(k, "a place with a price is left empty", c);
    }
    for (uint32_t i = 0; i < s->n_jobs && ok; i++) {
        const struct job *j = &s->job[i];
        int64_t value = j->pi - s->pi_root, z = n[i] > j->share ? n[i] - j->share : 0;
        if (n[i] - x[i] < z) z = n[i] - x[i];
        flow += z;
        cost += (pol_wide)z * j->alpha;
        if (x[i] < n[i] && value < (x[i] < j->share ? s->cost.big_m : j->alpha)) ok = bad(k, "a job's value is below what one more task is worth", i);
        if (x[i] > 0 && value > (x[i] <= j->share ? s->cost.big_m : j->alpha)) ok = bad(k, "a job's value is above what its last task is worth", i);
    }
    if (ok && (flow != r->flow || cost != r->cost)) ok = bad(k, "flow or cost is not the sum over tasks and jobs", (uint32_t)r->placed);
    free(load); free(x); free(n);
    return ok;
}

static bool check_m(const struct check *k)
{
    const struct assign *s = k->s;
    int64_t lo = 0, hi = 0;
    for (size_t i = 0; i < s->n_tasks; i++) {
        const struct task *t = &s->task[i];
        if (!t->is_here) continue;
        for (uint32_t e = 0; e <= n_named(t); e++) {
            int64_t c = e < n_named(t) ? named(s, t, e).cost : t->far;
            if (c == ASSIGN_NEVER) continue;
            if (c < lo) lo = c;
            if (c > hi) hi = c;
        }
    }
    for (size_t j = 0; j < s->n_jobs; j++) {
        if (s->job[j].alpha < lo) lo = s->job[j].alpha;
        if (s->job[j].alpha > hi) hi = s->job[j].alpha;
    }
    uint64_t units = (s->count.places < s->count.present ? s->count.places : s->count.present) + s->n_jobs + 1;
    return (pol_wide)(hi - lo + 1) * (pol_wide)units < s->cost.big_m || bad(k, "M is too small for 'most flow first'", 0);
}

bool assign_verify(const struct assign *s, const struct assign_result *r, char *error, size_t cap)
{
    struct check k = { .s = s, .error = error, .cap = cap };
    k.all = pol_alloc(s->n_sites, sizeof *k.all);
    k.rack = pol_alloc(s->n_sites, sizeof *k.rack);
    k.rack0 = pol_alloc(s->topo.n_racks + 2u, sizeof *k.rack0);
    bool ok = check_counts(&k, r) && check_m(&k) && check_tasks(&k);
    free(k.all); free(k.rack); free(k.rack0);
    return ok;
}

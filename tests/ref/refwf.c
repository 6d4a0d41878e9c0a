/* refwf.c -- see refwf.h. */
#include "ref/refwf.h"

#include <stdlib.h>
#include <string.h>

enum { NODES = 8, CARDS = 8, TASKS = 1024, CPU = 0, GPU = 1, LICENCE = 2, DIMS = 3, NOWHERE = -1, UNBOUND = -1 };
enum state { BLOCKED, WAITING, RUNNING, DONE };

struct amount { int64_t of[DIMS]; };

struct item {
    int      job, index, stage;
    sim_tick dur, attained, started;
    int64_t  cpu;
    int      gpus, licences;
    enum state state;
    bool     is_leaving;        /* it is stopped in this decision */
    int      node;              /* while it runs */
    unsigned cards;
    /* Of a borrower: what is from the reservation. */
    int      lender;            /* -1: none */
    bool     is_former;         /* of a reservation that has ended */
    int      in_node, in_licences, group;       /* in_node NOWHERE: licences alone */
    int64_t  in_cpu;
    unsigned in_cards;
    bool     is_chosen;
    /* Of a workflow's task. */
    int      step, place, made;
    unsigned place_cards, made_cards;
    bool     is_due;
};

/* What a workflow keeps on a node, and what it needs there now. */
struct share { int64_t kept_cpu, need_cpu; unsigned kept_cards, need_cards; };

struct flow {
    bool     is_flow, waits, holds, changed, entered;
    int      list, step, n_steps;
    struct share share[NODES];
    int      part[NODES], n_parts;      /* its nodes, in the order in which they came to be */
    int      kept_licences, need_licences;
    int64_t  quota[4][DIMS];
};

struct free { int64_t cpu[NODES]; int card[NODES][CARDS]; int64_t licences; };

static struct wfcase *c;
static const struct refwf_policy *p;
static struct wf_log *out;
static struct item task[TASKS];
static int n_tasks, first_of[WF_JOBS + 1];
static struct flow flow[WF_JOBS];
static int n_arrived;
static bool ready;                      /* someone waits again: another round */
static sim_tick now;
static struct free outside;             /* of this decision, as it goes on */
static int64_t most_cpu, most_cards;    /* of any node */
static struct amount spare;             /* what a workflow that waits leaves to others */
static bool is_held;
static int head;                        /* strict: for whom others wait; -1 */

static int n_nodes(void) { return (int)c->cluster.n_nodes; }
static int n_cards(int node) { return (int)c->cluster.node[node].n_gpu; }
static int count(unsigned bits) { return __builtin_popcount(bits); }
static int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t max(int64_t a, int64_t b) { return a > b ? a : b; }

static struct amount asks(const struct item *t) { return (struct amount){ { t->cpu, t->gpus * 1000, t->licences } }; }
static struct amount borrows(const struct item *t)
{
    return (struct amount){ { t->in_cpu, count(t->in_cards) * 1000, t->in_licences } };
}

/* ---- who is who ---- */

static bool is_named(const char *name, const struct wf_job *j, bool is_owner)
{
    return strcmp(name, j->user) == 0 || (is_owner && strcmp(name, j->id) == 0);
}
/* 0: not meant, 1: as all are, 2: by name. */
static int meant(const char *name, const struct wf_job *j, bool is_owner)
{
    return strcmp(name, "*") == 0 ? 1 : is_named(name, j, is_owner) ? 2 : 0;
}

/* The group of the list to which it belongs; -1: none. */
static int group_in(int list, int job)
{
    for (int g = 0; g < p->list[list].n; g++) if (meant(p->list[list].group[g].who, &c->job[job], false) > 0) return g;
    return -1;
}

static void classify(int job)
{
    const struct wf_job *j = &c->job[job];
    int lends = 0, takes = 0;
    flow[job] = (struct flow){ .list = -1 };
    for (int l = 0; l < p->n_lists; l++) {
        int m = meant(p->list[l].owner, j, true);
        if (m > lends) { lends = m; flow[job].list = l; }
        for (int g = 0; g < p->list[l].n; g++) takes = (int)max(takes, meant(p->list[l].group[g].who, j, false));
    }
    flow[job].is_flow = j->staged && lends >= takes;
}

static bool is_before(int a, int b)     /* jobs, workflows among themselves */
{
    return c->job[a].priority != c->job[b].priority ? c->job[a].priority > c->job[b].priority : a < b;
}

/* The next workflow after `a` (-1: the first) of those that hold a reservation, or wait for one; -1: none. */
static int next_flow(int a, bool holds)
{
    int best = -1;
    for (int j = 0; j < n_arrived; j++)
        if (flow[j].is_flow && (holds ? flow[j].holds : flow[j].waits) && (a < 0 || is_before(a, j)) &&
            (best < 0 || is_before(j, best)))
            best = j;
    return best;
}

static bool is_unit(int t) { return !flow[task[t].job].is_flow; }
/* The estimate of a unit is its job's true length: the longest task, or chain of them. */
static sim_tick estimate(int job)
{
    sim_tick longest = 0, chain = 0, of_stage[WF_TASKS] = { 0 };
    for (int t = first_of[job]; t < first_of[job + 1]; t++) {
        longest = max(longest, task[t].dur);
        of_stage[task[t].stage] = max(of_stage[task[t].stage], task[t].dur);
    }
    for (int s = 0; s < WF_TASKS; s++) chain += of_stage[s];
    return c->job[job].staged ? chain : longest;
}

/* The next waiting unit after `a` (-1: the first): interrupted ones first, then by arrival and number. */
static bool unit_before(int a, int b)
{
    int ka = task[a].attained > 0 ? 0 : 1, kb = task[b].attained > 0 ? 0 : 1;
    return ka != kb ? ka < kb : a < b;
}
static int next_unit(int a)
{
    int best = -1;
    for (int t = 0; t < first_of[n_arrived]; t++)
        if (is_unit(t) && task[t].state == WAITING && (a < 0 || unit_before(a, t)) &&
            (best < 0 || unit_before(t, best)))
            best = t;
    return best;
}

/* ---- what is free ---- */

static struct amount lent(int job, int node, int group)    /* node NOWHERE, group -1: all */
{
    struct amount a = { { 0 } };
    for (int t = 0; t < first_of[n_arrived]; t++) {
        if (task[t].lender != job || task[t].is_chosen || (group >= 0 && task[t].group != group)) continue;
        if (node != NOWHERE && task[t].in_node != node) continue;
        struct amount b = borrows(&task[t]);
        for (int d = 0; d < DIMS; d++) a.of[d] += b.of[d];
    }
    return a;
}

static unsigned lent_cards(int job, int node)
{
    unsigned cards = 0;
    for (int t = 0; t < first_of[n_arrived]; t++)
        if (task[t].lender == job && !task[t].is_chosen && task[t].in_node == node) cards |= task[t].in_cards;
    return cards;
}

/* Free, less what is reserved and neither used nor lent. */
static void look_outside(void)
{
    outside = (struct free){ .licences = c->cluster.licence_total[0] };
    for (int n = 0; n < n_nodes(); n++) {
        outside.cpu[n] = c->cluster.node[n].cpu_total;
        for (int k = 0; k < n_cards(n); k++) outside.card[n][k] = 1;
    }
    for (int t = 0; t < first_of[n_arrived]; t++) {
        const struct item *x = &task[t];
        if (x->state != RUNNING) continue;
        bool of_flow = !is_unit(t);     /* it uses what is reserved, which is taken off below */
        outside.licences -= of_flow ? 0 : x->licences - x->in_licences;
        outside.cpu[x->node] -= of_flow ? 0 : x->cpu - x->in_cpu;
        for (int k = 0; k < CARDS && !of_flow; k++)
            outside.card[x->node][k] -= ((x->cards & ~x->in_cards) >> k & 1) != 0;
    }
    for (int j = 0; j < n_arrived; j++) {
        if (!flow[j].holds) continue;
        outside.licences -= flow[j].kept_licences;
        for (int n = 0; n < n_nodes(); n++) {
            outside.cpu[n] -= flow[j].share[n].kept_cpu;
            for (int k = 0; k < CARDS; k++) outside.card[n][k] -= (flow[j].share[n].kept_cards >> k & 1) != 0;
        }
    }
}

/* The lowest n of the node's free cards; fewer: all there are. */
static unsigned pick(const int *card, int n)
{
    unsigned cards = 0;
    for (int k = 0; k < CARDS && count(cards) < n; k++) if (card[k] > 0) cards |= 1u << k;
    return cards;
}

static int cards_free(const struct free *f, int node)
{
    int n = 0;
    for (int k = 0; k < CARDS; k++) n += f->card[node][k];
    return n;
}

static bool fits(const struct free *f, int node, const struct item *t)
{
    return f->cpu[node] >= t->cpu && count(pick(f->card[node], t->gpus)) == t->gpus;
}

static int64_t left_over(const struct free *f, int node, const struct item *t)
{
    return (f->cpu[node] - t->cpu) * (1 << 20) / most_cpu +
           (most_cards > 0 ? (int64_t)(cards_free(f, node) - t->gpus) * 1000 * (1 << 20) / (most_cards * 1000) : 0);
}

static int find_node(const struct free *f, const struct item *t, bool best)
{
    int at = NOWHERE;
    for (int n = 0; n < n_nodes(); n++)
        if (fits(f, n, t) && (at == NOWHERE || (best && left_over(f, n, t) < left_over(f, at, t)))) at = n;
    return at;
}

static void take(struct free *f, int node, int64_t cpu, unsigned cards, int64_t licences)
{
    if (node != NOWHERE) f->cpu[node] -= cpu;
    for (int k = 0; k < CARDS && node != NOWHERE; k++) f->card[node][k] -= (cards >> k & 1) != 0;
    f->licences -= licences;
}

/* ---- what happens ---- */

static void say(const char *verb, int t, const char *what)
{
    wfcase_log_add(out, now, "%s %d.%d %s", verb, task[t].job, task[t].index, what);
}

static void start(int t, int node, unsigned cards)
{
    char what[32];
    (void)snprintf(what, sizeof what, "n%d %x", node, cards);
    task[t].state = RUNNING;
    task[t].started = now;
    task[t].node = node;
    task[t].cards = cards;
    say("start", t, what);
}

static void stop(int t)
{
    outside.licences += task[t].licences - task[t].in_licences;
    task[t].is_leaving = true;
    task[t].lender = -1;
    task[t].is_former = task[t].is_chosen = false;
    say("stop", t, "preempted");
}

/* ---- steps and places of a workflow ---- */

/* A stage, or as much of one as the empty cluster holds at once. */
static void make_steps(int job)
{
    struct free all = { .licences = c->cluster.licence_total[0] }, f;
    int step = -1;
    for (int n = 0; n < n_nodes(); n++) {
        all.cpu[n] = c->cluster.node[n].cpu_total;
        for (int k = 0; k < n_cards(n); k++) all.card[n][k] = 1;
    }
    for (int stage = 0, last = -1; stage < WF_TASKS; stage++)
        for (int t = first_of[job]; t < first_of[job + 1]; t++) {
            if (task[t].stage != stage) continue;
            int node = step >= 0 && last == stage ? find_node(&f, &task[t], true) : NOWHERE;
            if (node == NOWHERE || f.licences < task[t].licences) {
                f = all;
                step++;
                node = find_node(&f, &task[t], true);
            }
            last = stage;
            task[t].step = step;
            task[t].made = node;
            task[t].made_cards = pick(f.card[node], task[t].gpus);
            take(&f, node, task[t].cpu, task[t].made_cards, task[t].licences);
        }
    flow[job].n_steps = step + 1;
}

/* The k-th task of a workflow by stage, then number; -1: no more. */
static int in_order(int job, int k)
{
    for (int stage = 0; stage < WF_TASKS; stage++)
        for (int t = first_of[job]; t < first_of[job + 1]; t++) if (task[t].stage == stage && k-- == 0) return t;
    return -1;
}

static int next_step(int job, int from)
{
    int best = flow[job].n_steps;
    for (int t = first_of[job]; t < first_of[job + 1]; t++)
        if (task[t].state != DONE && task[t].step >= from && task[t].step < best) best = task[t].step;
    return best;
}

static struct amount step_asks(int job, int step)
{
    struct amount a = { { 0 } };
    for (int t = first_of[job]; t < first_of[job + 1]; t++)
        for (int d = 0; d < DIMS && task[t].step == step && task[t].state != DONE; d++) a.of[d] += asks(&task[t]).of[d];
    return a;
}

static void add_part(struct flow *w, int node)
{
    for (int i = 0; i < w->n_parts; i++) if (w->part[i] == node) return;
    w->part[w->n_parts++] = node;
}

static void needs_nothing(struct flow *w)
{
    w->need_licences = 0;
    for (int n = 0; n < NODES; n++) w->share[n].need_cpu = w->share[n].need_cards = 0;
}

static void need(struct flow *w, const struct item *t, int node, unsigned cards)
{
    w->share[node].need_cpu += t->cpu;
    w->share[node].need_cards |= cards;
    w->need_licences += t->licences;
}

/* The first node of the workflow on which it fits in what is kept and not needed; NOWHERE.  Cards out. */
static int place_inside(const struct flow *w, const struct item *t, const struct free *f, unsigned *cards)
{
    for (int i = 0; i < w->n_parts; i++) {
        const struct share *s = &w->share[w->part[i]];
        int card[CARDS];
        for (int k = 0; k < CARDS; k++) card[k] = ((s->kept_cards & ~s->need_cards) >> k & 1) != 0;
        *cards = pick(card, t->gpus);
        if (s->kept_cpu - s->need_cpu < t->cpu || count(*cards) < t->gpus || (f != NULL && !fits(f, w->part[i], t)))
            continue;
        return w->part[i];
    }
    return NOWHERE;
}

/* Places for all steps from `first` on, and what is kept for them. */
static bool plan(int job, int first, const struct free *from, bool as_made)
{
    struct flow *w = &flow[job];
    bool is_planned[WF_TASKS * 4] = { false };
    memset(w->share, 0, sizeof w->share);
    w->n_parts = w->kept_licences = 0;
    for (;;) {
        int step = -1;                  /* the largest that is left */
        int64_t largest = -1;
        for (int s = first; s < w->n_steps; s++) {
            struct amount a = step_asks(job, s);
            if (!is_planned[s] && a.of[CPU] + a.of[GPU] * 64 > largest) {
                largest = a.of[CPU] + a.of[GPU] * 64;
                step = s;
            }
        }
        if (step < 0) break;
        struct free f = *from;
        is_planned[step] = true;
        needs_nothing(w);
        for (int k = 0, t; (t = in_order(job, k)) >= 0; k++) {
            struct item *x = &task[t];
            if (x->step != step || x->state == DONE) continue;
            unsigned cards = x->made_cards;
            int node = as_made ? x->made : place_inside(w, x, &f, &cards);
            if (as_made && !fits(&f, node, x)) return false;
            if (node == NOWHERE && (node = find_node(&f, x, p->best)) != NOWHERE) cards = pick(f.card[node], x->gpus);
            if (node == NOWHERE) return false;
            add_part(w, node);
            x->place = node;
            x->place_cards = cards;
            take(&f, node, x->cpu, cards, 0);
            need(w, x, node, cards);
        }
        for (int n = 0; n < n_nodes(); n++) {
            w->share[n].kept_cpu = max(w->share[n].kept_cpu, w->share[n].need_cpu);
            w->share[n].kept_cards |= w->share[n].need_cards;
        }
        w->kept_licences = (int)max(w->kept_licences, w->need_licences);
    }
    needs_nothing(w);
    return w->kept_licences <= from->licences;
}

/* ---- taking back ---- */

static struct amount kept(const struct flow *w)
{
    struct amount a = { { 0, 0, w->kept_licences } };
    for (int n = 0; n < NODES; n++) {
        a.of[CPU] += w->share[n].kept_cpu;
        a.of[GPU] += count(w->share[n].kept_cards) * 1000;
    }
    return a;
}

static struct amount needed(const struct flow *w)
{
    struct amount a = { { 0, 0, w->need_licences } };
    for (int n = 0; n < NODES; n++) {
        a.of[CPU] += w->share[n].need_cpu;
        a.of[GPU] += count(w->share[n].need_cards) * 1000;
    }
    return a;
}

/* What is lent there beyond what is left, node NOWHERE: of licences. */
static unsigned short_cards(int job, int node)
{
    const struct share *s = &flow[job].share[node];
    return s->need_cards & lent_cards(job, node);
}
static struct amount lacks(int job, int node)
{
    const struct flow *w = &flow[job];
    if (node == NOWHERE)
        return (struct amount){ { 0, 0,
                                  max(0, w->need_licences + lent(job, NOWHERE, -1).of[LICENCE] - w->kept_licences) } };
    const struct share *s = &w->share[node];
    return (struct amount){ { max(0, s->need_cpu + lent(job, node, -1).of[CPU] - s->kept_cpu),
                              count(short_cards(job, node)) * 1000, 0 } };
}
static bool is_short(int job, int node)
{
    struct amount a = lacks(job, node);
    return a.of[CPU] + a.of[GPU] + a.of[LICENCE] > 0;
}

/* Whom to stop of the group, which is to give `by` of a resource; -1: nobody there has any of what is short. */
static int whom(int job, int node, int group, int dim, int64_t by)
{
    int best = -1;
    bool best_does = false;
    int64_t best_gives = 0;
    for (int t = 0; t < first_of[n_arrived]; t++) {
        struct item *x = &task[t];
        if (x->lender != job || x->is_chosen || x->group != group || (node != NOWHERE && x->in_node != node)) continue;
        struct amount l = lacks(job, node);
        unsigned hit = node == NOWHERE ? 0 : x->in_cards & short_cards(job, node);
        bool helps = (l.of[CPU] > 0 && x->in_cpu > 0) || hit != 0 || (l.of[LICENCE] > 0 && x->in_licences > 0);
        if (!helps) continue;
        int64_t gives = dim == CPU ? x->in_cpu : dim == GPU ? count(hit) * 1000 : x->in_licences;
        x->is_chosen = true;
        bool does = !is_short(job, node) || (gives > 0 && gives >= by);
        x->is_chosen = false;
        if (!does) gives = min(gives, by);
        bool better = best < 0 || does > best_does;
        if (best >= 0 && does == best_does && gives != best_gives)
            better = does ? gives < best_gives : gives > best_gives;
        if (best >= 0 && does == best_does && gives == best_gives) {
            better = x->started >= task[best].started;
        }
        if (!better) continue;
        best = t;
        best_does = does;
        best_gives = gives;
    }
    return best;
}

/* Whole units of `total` by ratio; what remains goes by largest remainder, ties to the earlier. */
static void divide(int64_t total, int64_t unit, const int *ratio, int n, int64_t *part)
{
    int64_t units = (total + unit - 1) / unit, sum = 0, given = 0;
    bool got[4] = { false };
    for (int i = 0; i < n; i++) sum += ratio[i];
    for (int i = 0; i < n; i++) given += part[i] = units * ratio[i] / sum;
    for (; given < units; given++) {
        int best = -1;
        for (int i = 0; i < n; i++)
            if (!got[i] && (best < 0 || units * ratio[i] % sum > units * ratio[best] % sum)) best = i;
        got[best] = true;
        part[best]++;
    }
    for (int i = 0; i < n; i++) part[i] *= unit;
    for (int i = n - 1; i >= 0 && units * unit > total; i--)
        if (part[i] > 0) {
            part[i] -= units * unit - total;
            break;
        }
}

/* The groups of one priority that state ratios: part [4] out, UNBOUND for others. */
static void by_ratio(const struct refwf_list *l, int prio, int64_t total, int dim, int64_t *part)
{
    int ratio[4], at[4], n = 0;
    int64_t each[4];
    for (int g = 0; g < l->n; g++) {
        part[g] = UNBOUND;
        if (l->group[g].prio == prio && l->group[g].ratio > 0) { ratio[n] = l->group[g].ratio; at[n++] = g; }
    }
    if (n == 0) return;
    divide(total, dim == LICENCE ? 1 : 1000, ratio, n, each);
    for (int i = 0; i < n; i++) part[at[i]] = each[i];
}

static int first_dim(struct amount a) { return a.of[CPU] > 0 ? CPU : a.of[GPU] > 0 ? GPU : LICENCE; }

static void choose_on(int job, int node, int *chosen, int *n_chosen)
{
    const struct refwf_list *l = &p->list[flow[job].list];
    while (is_short(job, node)) {
        struct amount a = lacks(job, node);
        int dim = first_dim(a), prio = -1, t;
        int64_t part[4];
        for (int g = 0; g < l->n; g++)
            if (l->group[g].prio > prio && whom(job, node, g, dim, a.of[dim]) >= 0) prio = l->group[g].prio;
        SIM_ASSERT(prio >= 0);
        by_ratio(l, prio, a.of[dim], dim, part);
        for (int g = 0; g < l->n; g++) if (part[g] != UNBOUND) part[g] = min(part[g], lent(job, NOWHERE, g).of[dim]);
        for (int g = 0; g < l->n; g++)
            while (part[g] > 0 && is_short(job, node) && (t = whom(job, node, g, dim, part[g])) >= 0) {
                int64_t x = dim == CPU   ? task[t].in_cpu
                            : dim == GPU ? count(task[t].in_cards & short_cards(job, node)) * 1000
                                         : task[t].in_licences;
                part[g] -= x > 0 ? x : part[g];
                task[t].is_chosen = true;
                chosen[(*n_chosen)++] = t;
            }
        for (int g = 0; g < l->n; g++)
            while (l->group[g].prio == prio && is_short(job, node)) {
                a = lacks(job, node);
                if ((t = whom(job, node, g, first_dim(a), a.of[first_dim(a)])) < 0) break;
                task[t].is_chosen = true;
                chosen[(*n_chosen)++] = t;
            }
    }
}

static struct amount take_back(int job)
{
    struct flow *w = &flow[job];
    struct amount back = { { 0 } };
    int chosen[TASKS], n = 0;
    if (w->list < 0) return back;
    for (int i = 0; i < w->n_parts; i++) choose_on(job, w->part[i], chosen, &n);
    choose_on(job, NOWHERE, chosen, &n);
    for (int i = 0; i < n; i++) {
        struct item *x = &task[chosen[i]];
        x->is_chosen = false;
        x->is_chosen = (x->in_node != NOWHERE && is_short(job, x->in_node)) || is_short(job, NOWHERE);
    }
    for (int i = 0; i < n; i++) {
        if (!task[chosen[i]].is_chosen) continue;
        for (int d = 0; d < DIMS; d++) back.of[d] += borrows(&task[chosen[i]]).of[d];
        stop(chosen[i]);
    }
    return back;
}

/* ---- a stage begins ---- */

static void settle(int job)
{
    struct flow *w = &flow[job];
    struct amount k = kept(w), n = needed(w), l = lent(job, NOWHERE, -1), lendable, usable;
    int stage = -1;
    for (int d = 0; d < DIMS; d++) { lendable.of[d] = k.of[d] - n.of[d]; usable.of[d] = k.of[d] - l.of[d]; }
    struct amount back = take_back(job);
    for (int t = first_of[job]; t < first_of[job + 1]; t++) if (task[t].step == w->step) stage = task[t].stage;
    wfcase_log_entry(out, now, job, stage, n.of, lendable.of, back.of, usable.of);
    for (int t = first_of[job]; t < first_of[job + 1]; t++) {
        if (!task[t].is_due) continue;
        task[t].is_due = false;
        start(t, task[t].place, task[t].place_cards);
        w->entered = true;
    }
    for (int g = 0; g < 4; g++) for (int d = 0; d < DIMS; d++) w->quota[g][d] = UNBOUND;
    for (int g = 0; w->list >= 0 && g < p->list[w->list].n; g++)
        for (int d = 0; d < DIMS; d++) {
            int64_t part[4];
            by_ratio(&p->list[w->list], p->list[w->list].group[g].prio, lendable.of[d], d, part);
            w->quota[g][d] = part[g];
        }
    w->changed = false;
}

static void enter(int job)
{
    struct flow *w = &flow[job];
    needs_nothing(w);
    if (!p->by_task) {
        for (int t = first_of[job]; t < first_of[job + 1]; t++) {
            if (task[t].step != w->step || task[t].state == DONE) continue;
            need(w, &task[t], task[t].place, task[t].place_cards);
            task[t].is_due = task[t].state != RUNNING;
        }
        settle(job);
        return;
    }
    for (int t = first_of[job]; t < first_of[job + 1]; t++)
        if (task[t].state == RUNNING) need(w, &task[t], task[t].node, task[t].cards);
    for (int k = 0, t; (t = in_order(job, k)) >= 0; k++) {
        struct item *x = &task[t];
        const struct share *s = &w->share[x->place];
        unsigned cards = x->place_cards;
        int node = x->place;
        if (x->state != WAITING || w->need_licences + x->licences > w->kept_licences) continue;
        if (s->kept_cpu - s->need_cpu < x->cpu || (s->need_cards & cards) != 0) node = place_inside(w, x, NULL, &cards);
        if (node == NOWHERE) continue;
        x->place = node;
        x->place_cards = cards;
        x->is_due = true;
        need(w, x, node, cards);
    }
    settle(job);
}

static void advance(void)
{
    for (int j = -1; (j = next_flow(j, true)) >= 0;) {
        struct flow *w = &flow[j];
        int next = next_step(j, w->step);
        if (next == w->n_steps) continue;
        bool is_next = next != w->step;
        w->step = next;
        if (is_next || (w->changed && (p->by_task || p->lends_freed))) enter(j);
    }
}

/* ---- admission ---- */

static bool is_victim(int t)
{
    const struct item *x = &task[t];
    if (!is_unit(t) || x->state != RUNNING || x->is_leaving) return false;
    return p->admit == REFWF_PREEMPT || (p->admit == REFWF_RECLAIM && x->lender < 0 && x->is_former);
}

static bool plan_without(int job, int first, const int *victim, int n, int but)
{
    struct free f = outside;
    for (int i = 0; i < n; i++) {
        const struct item *x = &task[victim[i]];
        bool is = x->lender >= 0;
        if (i != but)
            take(&f, x->node, -(x->cpu - (is ? x->in_cpu : 0)), 0, -(x->licences - (is ? x->in_licences : 0)));
        for (int k = 0; k < CARDS && i != but; k++)
            f.card[x->node][k] += ((x->cards & ~(is ? x->in_cards : 0)) >> k & 1) != 0;
    }
    return plan(job, first, &f, false);
}

/* By those that began last, until the workflow finds places; then whoever is not needed for it runs on. */
static bool plan_with_victims(int job, int first)
{
    int victim[TASKS], n = 0;
    bool ok = false;
    while (!ok) {
        int best = -1;
        for (int t = 0; t < first_of[n_arrived]; t++) {
            bool seen = false;
            for (int i = 0; i < n; i++) seen |= victim[i] == t;
            if (is_victim(t) && !seen && (best < 0 || task[t].started >= task[best].started)) best = t;
        }
        if (best < 0) return false;
        victim[n++] = best;
        ok = plan_without(job, first, victim, n, -1);
    }
    for (int i = 0; i + 1 < n;) {
        if (!plan_without(job, first, victim, n, i)) { i++; continue; }
        for (int k = i; k + 1 < n; k++) victim[k] = victim[k + 1];
        n--;
    }
    (void)plan_without(job, first, victim, n, -1);
    for (int i = 0; i < n; i++) stop(victim[i]);
    return true;
}

static bool is_empty(void)
{
    for (int t = 0; t < first_of[n_arrived]; t++) if (task[t].state == RUNNING) return false;
    return next_flow(-1, true) < 0;
}

static void admit(void)
{
    for (int j; (j = next_flow(-1, false)) >= 0;) {
        struct flow *w = &flow[j];
        int first = next_step(j, 0);
        if (!plan(j, first, &outside, false) && !plan_with_victims(j, first) &&
            !(is_empty() && plan(j, first, &outside, true)))
            return;
        w->waits = false;
        w->holds = true;
        w->step = first;
        for (int n = 0; n < n_nodes(); n++) take(&outside, n, w->share[n].kept_cpu, w->share[n].kept_cards, 0);
        for (int n = 0; n < n_nodes(); n++) { /* who was stopped for it holds its place until the decision is over */
            outside.cpu[n] = max(0, outside.cpu[n]);
            for (int k = 0; k < CARDS; k++) outside.card[n][k] = (int)max(0, outside.card[n][k]);
        }
        outside.licences -= w->kept_licences;
        enter(j);
    }
}

/* ---- ordinary units ---- */

/* While a workflow waits: what others may take. */
static void look_spare(void)
{
    struct amount most = { { 0 } }, there = { { 0, 0, outside.licences } };
    int j = next_flow(-1, false);
    bool is_enough = true;
    is_held = j >= 0;
    if (!is_held) return;
    for (int s = 0; s < flow[j].n_steps; s++)
        for (int d = 0; d < DIMS; d++) most.of[d] = max(most.of[d], step_asks(j, s).of[d]);
    for (int n = 0; n < n_nodes(); n++) {
        there.of[CPU] += outside.cpu[n];
        there.of[GPU] += cards_free(&outside, n) * 1000;
    }
    for (int d = 0; d < DIMS; d++) {
        is_enough &= there.of[d] >= most.of[d];
        spare.of[d] = there.of[d] - most.of[d];
    }
    for (int k = -1; (k = next_flow(k, true)) >= 0;) for (int d = 0; d < DIMS; d++) spare.of[d] += kept(&flow[k]).of[d];
    if (is_enough) spare = (struct amount){ { -1, -1, 0 } };
}

static void start_outside(void)
{
    head = -1;
    look_spare();
    for (int t = -1, next = next_unit(-1); (t = next) >= 0;) {
        struct amount a = asks(&task[t]);
        bool may = true;
        next = next_unit(t);
        for (int d = 0; d < DIMS; d++) may &= !is_held || a.of[d] == 0 || a.of[d] <= spare.of[d];
        int node = may && task[t].licences <= outside.licences ? find_node(&outside, &task[t], p->best) : NOWHERE;
        if (node == NOWHERE && p->strict) { head = t; return; }
        if (node == NOWHERE) continue;
        for (int d = 0; d < DIMS; d++) spare.of[d] -= a.of[d];
        unsigned cards = pick(outside.card[node], task[t].gpus);
        take(&outside, node, task[t].cpu, cards, task[t].licences);
        start(t, node, cards);
    }
}

/* ---- lending ---- */

static sim_tick stays(int job)      /* how long the need does not grow */
{
    sim_tick longest = 0, shortest = TICK_NEVER;
    for (int t = first_of[job]; t < first_of[job + 1]; t++) {
        const struct item *x = &task[t];
        if (x->state == DONE || (p->by_task ? x->state != RUNNING : x->step != flow[job].step)) continue;
        sim_tick left = x->dur - x->attained - (now - x->started);
        longest = max(longest, left);
        shortest = min(shortest, left);
    }
    return p->by_task ? shortest : longest;
}

/* Does what the loan takes of the workflow come to something, and to no more than the group's part? */
static bool is_allowed(int job, int group, const struct item *t)
{
    struct amount a = borrows(t), l = lent(job, NOWHERE, group);
    bool any = false;
    for (int d = 0; d < DIMS; d++) {
        if (a.of[d] == 0) continue;
        any = true;
        if (flow[job].quota[group][d] != UNBOUND && l.of[d] + a.of[d] > flow[job].quota[group][d]) return false;
    }
    return any;
}

static void lend_to(int job, int group, int t, int node, unsigned cards)
{
    struct item *x = &task[t];
    struct amount a = asks(x), b = borrows(x);
    take(&outside, node, x->cpu - x->in_cpu, cards & ~x->in_cards, x->licences - x->in_licences);
    for (int d = 0; d < DIMS; d++) spare.of[d] -= a.of[d] - b.of[d];
    x->lender = job;
    x->group = group;
    start(t, node, cards);
    wfcase_log_loan(out, now, x->job, x->index, job, b.of);
}

static bool try_to_lend(int job, int group, int t)
{
    struct item *x = &task[t];
    const struct flow *w = &flow[job];
    struct amount may = { { 0 } };
    bool takes_outside = head < 0 || head == t;
    for (int d = 0; d < DIMS && takes_outside; d++) may.of[d] = is_held ? max(0, spare.of[d]) : INT64_MAX;
    x->in_licences = (int)max(0, x->licences - min(may.of[LICENCE], max(0, outside.licences)));
    x->in_node = NOWHERE;
    x->in_cpu = 0;
    x->in_cards = 0;
    if (x->in_licences > w->kept_licences - w->need_licences - lent(job, NOWHERE, -1).of[LICENCE]) return false;
    if (x->in_licences > 0 && x->cpu <= may.of[CPU] && x->gpus * 1000 <= may.of[GPU]) {
        int node = find_node(&outside, x, p->best);
        if (node != NOWHERE && is_allowed(job, group, x)) {
            lend_to(job, group, t, node, pick(outside.card[node], x->gpus));
            return true;
        }
    }
    for (int i = 0; i < w->n_parts; i++) {
        const int n = w->part[i];
        const struct share *s = &w->share[n];
        int card[CARDS];
        x->in_node = n;
        x->in_cpu = x->cpu - min(x->cpu, max(0, min(outside.cpu[n], may.of[CPU])));
        unsigned from_outside = pick(outside.card[n], (int)min(x->gpus, may.of[GPU] / 1000));
        unsigned rest = s->kept_cards & ~s->need_cards & ~lent_cards(job, n) & ~from_outside;
        for (int k = 0; k < CARDS; k++) card[k] = (rest >> k & 1) != 0;
        x->in_cards = pick(card, x->gpus - count(from_outside));
        if (x->in_cpu > s->kept_cpu - s->need_cpu - lent(job, n, -1).of[CPU] ||
            count(x->in_cards | from_outside) < x->gpus)
            continue;
        if (!is_allowed(job, group, x)) continue;
        lend_to(job, group, t, n, x->in_cards | from_outside);
        return true;
    }
    return false;
}

static void lend_all(void)
{
    for (int j = -1; (j = next_flow(j, true)) >= 0;) {
        struct flow *w = &flow[j];
        bool open = w->list >= 0 && p->lend != REFWF_NONE && (p->lend != REFWF_START || w->entered);
        w->entered = false;
        for (int prio = 0; open && prio < 10; prio++)
            for (int g = 0; g < p->list[w->list].n; g++)
                for (int t = -1, next = next_unit(-1); p->list[w->list].group[g].prio == prio && (t = next) >= 0;) {
                    next = next_unit(t);
                    if (group_in(w->list, task[t].job) != g ||
                        (p->lend == REFWF_FITS && estimate(task[t].job) > stays(j)))
                        continue;
                    if (!try_to_lend(j, g, t)) { task[t].in_cpu = 0; task[t].in_cards = 0; task[t].in_licences = 0; }
                }
    }
}

/* ---- time ---- */

static void decide(void)
{
    for (int j = 0; j < n_arrived; j++) {           /* reservations that end */
        if (!flow[j].is_flow || next_step(j, 0) < flow[j].n_steps) continue;
        for (int t = 0; t < first_of[n_arrived] && flow[j].holds; t++) {
            if (task[t].lender != j) continue;
            task[t].lender = -1;
            task[t].is_former = true;
            task[t].in_cpu = 0;
            task[t].in_cards = 0;
            task[t].in_licences = 0;
        }
        flow[j].holds = flow[j].waits = false;
    }
    look_outside();
    advance();
    admit();
    start_outside();
    lend_all();
    for (int t = 0; t < first_of[n_arrived]; t++) {
        if (!task[t].is_leaving) continue;
        task[t].is_leaving = false;
        task[t].state = WAITING;
        task[t].attained += now - task[t].started;
        task[t].in_cpu = 0;
        task[t].in_cards = 0;
        task[t].in_licences = 0;
        ready = true;
    }
}

/* Those wait who have none before them any more. */
static void unblock(int job)
{
    for (int t = first_of[job]; t < first_of[job + 1]; t++) {
        bool blocked = false;
        for (int b = first_of[job]; b < first_of[job + 1] && c->job[job].staged; b++)
            blocked |= task[b].stage + 1 == task[t].stage && task[b].state != DONE;
        if (task[t].state != BLOCKED || blocked) continue;
        task[t].state = WAITING;
        flow[job].changed = true;
    }
}

static sim_tick end_of(int t)
{
    return task[t].state == RUNNING ? task[t].started + task[t].dur - task[t].attained : TICK_NEVER;
}

static bool happens(void)
{
    bool any = false;
    for (int t = 0; t < first_of[n_arrived]; t++) {
        struct item *x = &task[t];
        if (end_of(t) != now) continue;
        say("stop", t, "done");
        x->state = DONE;
        x->lender = -1;
        x->is_former = false;
        x->in_cpu = 0;
        x->in_cards = 0;
        x->in_licences = 0;
        flow[x->job].changed = true;
        unblock(x->job);
        any = true;
    }
    for (; n_arrived < (int)c->n_jobs && c->job[n_arrived].submit == now; any = true) {
        int j = n_arrived++;
        classify(j);
        if (flow[j].is_flow) make_steps(j);
        flow[j].waits = flow[j].is_flow;
        unblock(j);
    }
    return any;
}

static void lay_out(void)
{
    n_tasks = 0;
    for (uint32_t j = 0; j < c->n_jobs; j++) {
        first_of[j] = n_tasks;
        for (uint32_t g = 0, index = 0; g < c->job[j].n; g++)
            for (uint32_t i = 0; i < c->job[j].task[g].n; i++, index++) {
                const struct wf_task *w = &c->job[j].task[g];
                SIM_ASSERT(n_tasks < TASKS);
                task[n_tasks++] = (struct item){ .job = (int)j,
                                                 .index = (int)index,
                                                 .stage = (int)w->stage,
                                                 .dur = w->dur,
                                                 .cpu = w->cpu_milli,
                                                 .gpus = w->gpus,
                                                 .licences = w->licences,
                                                 .lender = -1,
                                                 .in_node = NOWHERE };
            }
    }
    first_of[c->n_jobs] = n_tasks;
    most_cpu = most_cards = 0;
    for (int n = 0; n < n_nodes(); n++) {
        most_cpu = max(most_cpu, c->cluster.node[n].cpu_total);
        most_cards = max(most_cards, n_cards(n));
    }
}

void refwf_run(struct wfcase *the_case, const struct refwf_policy *policy, struct wf_log *log)
{
    c = the_case;
    p = policy;
    out = log;
    n_arrived = 0;
    ready = false;
    lay_out();
    for (;;) {
        now = n_arrived < (int)c->n_jobs ? c->job[n_arrived].submit : TICK_NEVER;
        for (int t = 0; t < first_of[n_arrived]; t++) now = min(now, end_of(t));
        if (now == TICK_NEVER) return;
        while (happens() || ready) {
            ready = false;
            decide();
        }
    }
}

/*
 * refspeed.c -- how fast the reference's units compute: sim/model/speed/speed.h once more, from nothing
 * but who holds what.  Every figure is made anew after every round.
 */
#include <math.h>

#include "ref/refplan.h"

const double ref_slow_x[REF_SLOW_POINTS] = { 0, 64, 128 }, ref_slow_y[REF_SLOW_POINTS] = { 1, 1.25, 2.25 };

static const struct ref_hold *held(const struct ref_world *w, struct ref_unit u, int k) { return &w->ledger.hold[u.job][u.task + k]; }
static const struct ref_task *task(const struct ref_world *w, struct ref_unit u, int k) { return &w->job[u.job].task[u.task + k]; }

/* Is task k the unit's first on its node? */
static bool is_first_there(const struct ref_world *w, struct ref_unit u, int k)
{
    for (int i = 0; i < k; i++) if (held(w, u, i)->node == held(w, u, k)->node) return false;
    return true;
}

int ref_unit_cards(const struct ref_world *w, struct ref_unit u)
{
    int n = 0;
    for (int k = 0; k < ref_unit_size(w, u); k++) n += task(w, u, k)->shape.n_gpu;
    return n;
}

/* Which of the model's rows; -1: none.  *scale: what one node needs over what the row says of one. */
static int row_of(const struct ref_world *w, struct ref_unit u, double *scale)
{
    int nodes = 0, cards = ref_unit_cards(w, u), model = w->job[u.job].model;
    for (int k = 0; k < ref_unit_size(w, u); k++) nodes += is_first_there(w, u, k);
    if (!w->c->has_profiles || model < 0 || cards == 0) return -1;
    int row = nodes > 1;
    *scale = (double)cards / nodes;         /* a row is of one card a node */
    return w->c->profile[model].on[row].knee > 0 ? row : -1;
}

/* Of the cores that it holds on each node, on the worst. */
static double util_alone(const struct ref_world *w, struct ref_unit u, int row, double scale)
{
    double least = 1;
    for (int k = 0; k < ref_unit_size(w, u); k++) {
        int64_t cpu = 0;
        for (int i = 0; i < ref_unit_size(w, u); i++) if (held(w, u, i)->node == held(w, u, k)->node) cpu += held(w, u, i)->got.cpu_milli;
        double cores = (double)cpu / 1000 / scale, knee = w->c->profile[w->job[u.job].model].on[row].knee;
        if (cores < knee) least = fmin(least, cores / knee);
    }
    return least;
}

/* What all tasks on the node move but those of unit `but`. */
static int64_t traffic(const struct ref_world *w, int node, struct ref_unit but)
{
    int64_t sum = 0;
    for (int j = 0; j < w->n_arrived; j++)
        for (int t = 0; t < w->job[j].n; t++) {
            bool own = j == but.job && (w->job[j].gang || t == but.task);
            if (w->ledger.hold[j][t].node == node && !own) sum += w->live[j][t].bw;
        }
    return sum;
}

static double slowed_at(double pressure)
{
    if (pressure >= ref_slow_x[REF_SLOW_POINTS - 1]) return ref_slow_y[REF_SLOW_POINTS - 1];
    int i = 0;
    while (pressure >= ref_slow_x[i + 1]) i++;
    return ref_slow_y[i] + (pressure - ref_slow_x[i]) / (ref_slow_x[i + 1] - ref_slow_x[i]) * (ref_slow_y[i + 1] - ref_slow_y[i]);
}

static double slowed(const struct ref_world *w, struct ref_unit u, int row)
{
    double most = 1;
    for (int k = 0; k < ref_unit_size(w, u) && w->c->profile[w->job[u.job].model].on[row].slows; k++) {
        int node = held(w, u, k)->node;
        int64_t all = w->c->node[node].mem_bw;
        if (all > 0) most = fmax(most, slowed_at((double)traffic(w, node, u) * 100 / (double)all));
    }
    return most;
}

static double least_part(const struct ref_world *w, struct ref_unit u)
{
    double least = 1;
    for (int k = 0; k < ref_unit_size(w, u); k++) {
        int64_t asked = task(w, u, k)->shape.cpu_milli, has = held(w, u, k)->got.cpu_milli;
        if (task(w, u, k)->shape.n_gpu == 0 && has < asked) least = fmin(least, (double)has / (double)asked);
    }
    return least;
}

static sim_rate type_rate(const struct ref_world *w, struct ref_unit u)
{
    sim_rate slowest = UINT32_MAX;
    int model = w->job[u.job].model;
    for (int k = 0; k < ref_unit_size(w, u); k++) {
        int type = w->c->node[held(w, u, k)->node].type;
        sim_rate r = task(w, u, k)->shape.n_gpu == 0 ? RATE_ONE : model < 0 ? w->c->type_rate[type] : w->c->rate[model][type];
        if (r < slowest) slowest = r;
    }
    return slowest;
}

static sim_rate rate_of(const struct ref_world *w, struct ref_unit u, double *util)
{
    double scale, by = least_part(w, u);
    int row = row_of(w, u, &scale);
    *util = ref_unit_cards(w, u) > 0 && task(w, u, 0)->shape.n_gpu > 0;
    if (row >= 0) {
        double alone = util_alone(w, u, row, scale), slow = slowed(w, u, row);
        *util = alone / slow;
        by = by * alone / slow;
    }
    sim_rate r = type_rate(w, u);
    if (by >= 1) return r;
    long v = lround(r * by);
    return v > 0 ? (sim_rate)v : 1;
}

/* What each task of a computing unit moves: its own figure, or the profile's, which the first on a node stands for. */
static void find_traffic(struct ref_world *w, struct ref_unit u)
{
    double scale = 1;
    int row = row_of(w, u, &scale);
    for (int k = 0; k < ref_unit_size(w, u); k++) {
        int64_t asked = task(w, u, k)->shape.cpu_milli, has = held(w, u, k)->got.cpu_milli, bw = task(w, u, k)->mem_bw;
        if (asked > 0 && has < asked) bw = bw * has / asked;
        if (row >= 0 && bw == 0 && task(w, u, k)->mem_bw == 0 && is_first_there(w, u, k))
            bw = llround((double)w->c->profile[w->job[u.job].model].on[row].bw * scale * util_alone(w, u, row, scale));
        w->live[u.job][u.task + k].bw = w->c->has_profiles ? bw : 0;
    }
}

void ref_speed_begin(struct ref_world *w, struct ref_unit u)
{
    struct ref_live *l = &w->live[u.job][u.task];
    double util;
    for (int k = 0; k < ref_unit_size(w, u); k++) l[k].computes = true, l[k].util = -1, l[k].seen_util = -1, l[k].seen_bw = -1;
    find_traffic(w, u);
    l->rate = rate_of(w, u, &util);
}

/* Units that compute; each by its first task. */
static int computing(const struct ref_world *w, struct ref_unit *out)
{
    int n = 0;
    for (int j = 0; j < w->n_arrived; j++)
        for (int t = 0; t < (w->job[j].gang ? 1 : w->job[j].n); t++)
            if (w->live[j][t].state == REF_RUNNING && w->live[j][t].computes) out[n++] = (struct ref_unit){ .job = j, .task = t };
    return n;
}

void ref_speed_settle(struct ref_world *w)
{
    struct ref_unit u[REF_JOBS * REF_TASKS];
    int n = computing(w, u);
    for (int i = 0; i < n; i++) find_traffic(w, u[i]);
    for (int i = 0; i < n; i++) {
        struct ref_live *l = &w->live[u[i].job][u[i].task];
        double util;
        sim_rate rate = rate_of(w, u[i], &util);
        l->util = llround(util * RATE_ONE);
        if (rate == l->rate) continue;
        sim_work did = (w->now - l->phase_began) * (sim_work)l->rate;
        if (did > l->left) did = l->left;
        l->did += did;
        l->left -= did;
        l->phase_began = w->now;
        l->rate = rate;
    }
}

/* Between the last instant and this one: what the monitor saw, if it looked. */
void ref_speed_look(struct ref_world *w, sim_tick now)
{
    sim_tick every = w->c->monitor;
    if (every > 0 && now / every == w->looked_at / every) return;
    w->looked_at = now;
    for (int j = 0; j < w->n_arrived; j++)
        for (int t = 0; t < w->job[j].n; t++) {
            struct ref_live *l = &w->live[j][t];
            if (!l->computes) continue;
            l->seen_util = l->util;
            l->seen_bw = l->bw;
        }
}

int64_t ref_read_util(const struct ref_world *w, int job, int t)
{
    const struct ref_live *l = &w->live[job][w->job[job].gang ? 0 : t];
    int64_t util = w->c->monitor == 0 ? l->util : l->seen_util;
    if (!w->c->has_profiles || l->state != REF_RUNNING || !l->computes || util < 0) return -1;
    return w->job[job].task[t].shape.n_gpu > 0 ? util * 1000000 / RATE_ONE : 0;
}

int64_t ref_read_bw(const struct ref_world *w, int job, int t)
{
    const struct ref_live *l = &w->live[job][t];
    if (!w->c->has_profiles || l->state != REF_RUNNING || !l->computes) return -1;
    return w->c->monitor == 0 ? l->bw : l->seen_bw;
}

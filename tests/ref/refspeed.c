/*
 * refspeed.c -- how fast the reference's units compute: sim/model/speed/speed.h once more, from nothing
 * but who holds what.  Every figure is made anew after every round.
 */
#include <math.h>

#include "ref/refplan.h"
#include "ref/slowfair.h"

const double ref_slow_x[REF_SLOW_POINTS] = { 0, 64, 128 }, ref_slow_y[REF_SLOW_POINTS] = { 1, 1.25, 2.25 };

static const struct ref_hold *held(const struct ref_world *w, struct ref_unit u, int k) { return &w->ledger.hold[u.job][u.task + k]; }
static const struct ref_task *task(const struct ref_world *w, struct ref_unit u, int k) { return &w->job[u.job].task[u.task + k]; }

static const struct ref_phases *phases_of(const struct ref_world *w, int job)
{
    return w->c->has_profiles && w->job[job].model >= 0 ? &w->c->phases[w->job[job].model] : NULL;
}

/* In which phase of its model the unit is; -1: in none. */
static int phase_of(const struct ref_world *w, int job, int task)
{
    const struct ref_phases *p = phases_of(w, job);
    int k = w->live[job][w->job[job].gang ? 0 : task].model_phase;
    return p != NULL && k < p->n ? k : -1;
}

int ref_model(const struct ref_world *w, int job, int task)
{
    int k = phase_of(w, job, task);
    return k < 0 ? w->job[job].model : phases_of(w, job)->as[k];
}

static int model_of(const struct ref_world *w, struct ref_unit u) { return ref_model(w, u.job, u.task); }

/* Of the unit's work, when phase k is over. */
static sim_work phase_end(const struct ref_world *w, struct ref_unit u, int k)
{
    const struct ref_phases *p = phases_of(w, u.job);
    sim_work all = (sim_work)w->job[u.job].task[u.task].dur << RATE_BITS;
    return p == NULL || k >= p->n ? all : all * p->until[k] / 1000000;
}

sim_work ref_phase_end(const struct ref_world *w, struct ref_unit u) { return phase_end(w, u, w->live[u.job][u.task].model_phase); }

int ref_phase_at(const struct ref_world *w, struct ref_unit u, sim_work done)
{
    const struct ref_phases *p = phases_of(w, u.job);
    for (int k = 0; p != NULL && k < p->n; k++) if (done < phase_end(w, u, k)) return k;
    return p != NULL ? p->n : 0;
}

/* The speeds by size that hold of an elastic unit now; NULL: it has one size. */
static const struct ref_scaling *scaling_of(const struct ref_world *w, struct ref_unit u)
{
    int k = phase_of(w, u.job, u.task);
    if (w->job[u.job].max == 0) return NULL;
    int own = w->job[u.job].scaling, now = k >= 0 ? phases_of(w, u.job)->scaling[k] : -1;
    return &w->c->scaling[now >= 0 ? now : own];
}

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
    int nodes = 0, cards = ref_unit_cards(w, u), model = model_of(w, u);
    for (int k = 0; k < ref_unit_size(w, u); k++) nodes += is_first_there(w, u, k);
    if (!w->c->has_profiles || model < 0 || cards == 0) return -1;
    int row = nodes > 1;
    *scale = (double)cards / nodes;         /* a row is of one card a node */
    return w->c->profile[model].on[row].knee > 0 ? row : -1;
}

/* How fast the unit's task k goes where it is, over nominal. */
static sim_rate rate_there(const struct ref_world *w, struct ref_unit u, int k)
{
    int type = w->c->node[held(w, u, k)->node].type, model = model_of(w, u);
    return task(w, u, k)->shape.n_gpu == 0 ? RATE_ONE : model < 0 ? w->c->type_rate[type] : w->c->rate[model][type];
}

/* Cores and traffic there over the row's: as many times as there are cards, and as fast as these are. */
static double scale_there(const struct ref_world *w, struct ref_unit u, int k, double scale)
{
    return w->c->as_measured ? scale : scale * ((double)rate_there(w, u, k) / RATE_ONE);
}

/* Of the cores that it holds on task k's node. */
static double util_there(const struct ref_world *w, struct ref_unit u, int k, int row, double scale)
{
    int64_t cpu = 0;
    for (int i = 0; i < ref_unit_size(w, u); i++) if (held(w, u, i)->node == held(w, u, k)->node) cpu += held(w, u, i)->got.cpu_milli;
    double cores = (double)cpu / 1000 / scale_there(w, u, k, scale), knee = w->c->profile[model_of(w, u)].on[row].knee;
    return cores < knee ? cores / knee : 1;
}

/* On the worst node. */
static double util_alone(const struct ref_world *w, struct ref_unit u, int row, double scale)
{
    double least = 1;
    for (int k = 0; k < ref_unit_size(w, u); k++)
        if (is_first_there(w, u, k)) least = fmin(least, util_there(w, u, k, row, scale));
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
    for (int k = 0; k < ref_unit_size(w, u) && w->c->profile[model_of(w, u)].on[row].slows; k++) {
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
    for (int k = 0; k < ref_unit_size(w, u); k++) if (rate_there(w, u, k) < slowest) slowest = rate_there(w, u, k);
    return slowest;
}

/* Utilisation of a computing unit's cards, if nobody shared them. */
static double alone_on_cards(const struct ref_world *w, struct ref_unit u)
{
    double scale;
    int row = row_of(w, u, &scale);
    return row >= 0 ? util_alone(w, u, row, scale) : task(w, u, 0)->shape.n_gpu > 0 ? w->c->utilisation : 0;
}

/* Its speed beside those who hold parts of its cards, on the worst card. */
static double beside(const struct ref_world *w, struct ref_unit u)
{
    double least = 1;
    for (int k = 0; k < ref_unit_size(w, u) && w->c->shares; k++) {
        const struct ref_hold *h = held(w, u, k);
        for (int card = 0; card < REF_CARDS; card++) {
            double sum = alone_on_cards(w, u), speed = 1;
            if (h->got.gpu_milli >= 1000 || (h->cards >> card & 1) == 0) continue;
            for (int j = 0; j < w->n_arrived; j++)
                for (int t = 0; t < w->job[j].n; t++) {
                    const struct ref_hold *o = &w->ledger.hold[j][t];
                    struct ref_unit v = { .job = j, .task = w->job[j].gang ? 0 : t };
                    bool is_other = j != u.job || t != u.task + k;
                    if (!is_other || o->node != h->node || (o->cards >> card & 1) == 0 || !w->live[j][v.task].computes) continue;
                    int mine = model_of(w, u), theirs = ref_model(w, j, t);
                    if (mine >= 0 && theirs >= 0 && w->c->pair[mine][theirs] > 0) speed *= w->c->pair[mine][theirs];
                    else sum += alone_on_cards(w, v);
                }
            least = fmin(least, speed / fmax(1, sum));
        }
    }
    return least;
}

/* ---- distance ---- */

/* Its nodes, in order of their first tasks. */
static int nodes_of(const struct ref_world *w, struct ref_unit u, int node[])
{
    int n = 0;
    for (int k = 0; k < ref_unit_size(w, u); k++) if (is_first_there(w, u, k)) node[n++] = held(w, u, k)->node;
    return n;
}

/* As measured; 0: it was not. */
static double measured_apart(const struct ref_world *w, struct ref_unit u)
{
    int model = model_of(w, u);
    return model >= 0 ? w->c->apart[model] : 0;
}

/* Of GPUs as fast as those of task k. */
static double sent_there(const struct ref_world *w, struct ref_unit u, int k, int64_t bw)
{
    return (double)bw * ((double)rate_there(w, u, k) / RATE_ONE);
}

/* The longest that the cards of one of its nodes exchange. */
static double within(const struct ref_world *w, struct ref_unit u)
{
    double most = 0;
    for (int k = 0; k < ref_unit_size(w, u); k++) {
        uint64_t cards = 0;
        int first = -1;
        int64_t way = 0;
        for (int i = 0; i < ref_unit_size(w, u); i++)
            if (held(w, u, i)->node == held(w, u, k)->node) cards |= held(w, u, i)->cards;
        for (int card = 0; card < REF_CARDS; card++) {
            if ((cards >> card & 1) == 0) continue;
            bool is_near = first >= 0 && card / w->c->group == first / w->c->group && w->c->nvlink > 0;
            if (first >= 0) way = is_near && way != w->c->pcie ? w->c->nvlink : w->c->pcie;
            else first = card;
        }
        if (way > 0 && is_first_there(w, u, k)) most = fmax(most, sent_there(w, u, k, w->c->gpu_bw) / (double)way);
    }
    return most;
}

/* All exchange is in its scaling. */
static bool is_in_scaling(const struct ref_world *w, struct ref_unit u)
{
    const struct ref_scaling *s = scaling_of(w, u);
    return s != NULL && s->several[2] > 0;
}

/* What each flow of each gang that computes gets beside all others. */
static void find_ways(struct ref_world *w, const struct ref_unit *u, int n)
{
    static struct fair_net f;
    static int64_t rate[FAIR_FLOWS];
    static int whose[FAIR_FLOWS];
    uint32_t nodes = (uint32_t)w->c->n_nodes;
    f.n_links = 2 * nodes + 1;
    f.n_flows = 0;
    for (uint32_t l = 0; l < f.n_links; l++) f.cap[l] = (l < 2 * nodes ? w->c->card : w->c->rack) / 64;
    for (int i = 0; i < n; i++) {
        int node[REF_TASKS], m = nodes_of(w, u[i], node);
        w->live[u[i].job][u[i].task].way = 0;
        bool exchanges = !is_in_scaling(w, u[i]) && m > 1 && task(w, u[i], 0)->shape.n_gpu > 0 && w->c->net_bw > 0 && measured_apart(w, u[i]) == 0;
        if (!w->c->net_shared || !exchanges) continue;
        for (int k = 0; k < m; k++) {
            uint32_t hop[] = { (uint32_t)node[k], nodes + (uint32_t)node[(k + 1) % m], 2 * nodes }, x = f.n_flows++;
            f.n_hops[x] = 0;
            whose[x] = i;
            for (int h = 0; h < 3; h++) if (f.cap[hop[h]] > 0) f.hop[x][f.n_hops[x]++] = hop[h];
        }
    }
    slowfair_solve(&f, rate);
    for (uint32_t x = 0; x < f.n_flows; x++) {
        struct ref_live *l = &w->live[u[whose[x]].job][u[whose[x]].task];
        if (f.n_hops[x] > 0 && (l->way == 0 || rate[x] * 64 < l->way)) l->way = rate[x] * 64;
    }
}

static double scaled(const struct ref_world *w, struct ref_unit u)
{
    const struct ref_scaling *s = scaling_of(w, u);
    int node[REF_TASKS], n = ref_unit_cards(w, u);
    if (s == NULL) return 1;
    bool is_far = nodes_of(w, u, node) > 1 && s->several[2] > 0;
    return (is_far ? s->several[n] : s->one[n]) / s->one[w->job[u.job].asked * task(w, u, 0)->shape.n_gpu];
}

/* What nodes of a unit exchange takes its time. */
static double apart(const struct ref_world *w, struct ref_unit u)
{
    int node[REF_TASKS], n = nodes_of(w, u, node);
    double most = 0, between = 0;
    if (!w->c->has_profiles || task(w, u, 0)->shape.n_gpu == 0 || is_in_scaling(w, u)) return 1;
    if (n > 1 && measured_apart(w, u) > 0) return measured_apart(w, u);
    int64_t way = w->c->card > 0 && (w->c->rack == 0 || w->c->card < w->c->rack) ? w->c->card : w->c->rack;
    if (w->c->net_shared) way = w->live[u.job][u.task].way;
    for (int k = 0; k < ref_unit_size(w, u); k++)
        if (is_first_there(w, u, k)) most = fmax(most, sent_there(w, u, k, w->c->net_bw));
    if (n > 1 && way > 0) between = most / (double)way;
    return 1 / (1 + within(w, u) + between);
}

/* ---- data ---- */

static int64_t memory_there(const struct ref_world *w, struct ref_unit u, int k)
{
    int64_t sum = 0;
    for (int i = 0; i < ref_unit_size(w, u); i++)
        if (held(w, u, i)->node == held(w, u, k)->node) sum += held(w, u, i)->got.mem_b;
    return sum;
}

/* What a computing unit asks of its nodes' disks. */
static void ask_disks(struct ref_world *w, struct ref_unit u)
{
    double scale;
    int row = row_of(w, u, &scale);
    for (int k = 0; k < ref_unit_size(w, u); k++) {
        struct ref_live *l = &w->live[u.job][u.task + k];
        const struct ref_profile *p = row >= 0 ? &w->c->profile[model_of(w, u)] : NULL;
        l->disk = 0;
        if (p == NULL || !is_first_there(w, u, k) || memory_there(w, u, k) >= p->data) continue;
        double missing = (double)(p->data - memory_there(w, u, k)) / (double)p->data;
        l->disk = llround(missing * (double)p->data_bw * scale_there(w, u, k, scale) * util_there(w, u, k, row, scale));
    }
}

/* The least who still ask for more than an equal part of what is left get that part. */
static void share_disk(struct ref_world *w, int node)
{
    struct ref_live *l[REF_JOBS * REF_TASKS];
    int64_t left = w->c->disk, sum = 0;
    int n = 0;
    for (int j = 0; j < w->n_arrived; j++)
        for (int t = 0; t < w->job[j].n; t++) {
            struct ref_live *x = &w->live[j][t];
            x->disk_got = w->ledger.hold[j][t].node == node ? x->disk : x->disk_got;
            if (x->state != REF_RUNNING || !w->live[j][w->job[j].gang ? 0 : t].computes ||
                    w->ledger.hold[j][t].node != node || x->disk == 0) continue;
            sum += x->disk, l[n++] = x;
        }
    if (left == 0 || sum <= left) return;
    for (bool again = true; again; ) {
        again = false;
        for (int i = 0; i < n && !again; i++) {
            if (l[i]->disk > left / n) continue;
            left -= l[i]->disk;
            l[i] = l[--n];
            again = true;
        }
    }
    for (int i = 0; i < n; i++) l[i]->disk_got = left / n;
}

/* The worst of its nodes, over what its cores there alone would let it do. */
static double fed(const struct ref_world *w, struct ref_unit u, int row, double scale)
{
    double least = 1;
    int64_t half = w->c->profile[model_of(w, u)].half_mem;
    for (int k = 0; k < ref_unit_size(w, u); k++) {
        const struct ref_live *l = &w->live[u.job][u.task + k];
        if (!is_first_there(w, u, k)) continue;
        if (half > 0 && memory_there(w, u, k) < half) least = fmin(least, 0.5 / util_there(w, u, k, row, scale));
        if (l->disk_got < l->disk) least = fmin(least, fmax(1, (double)l->disk_got) / (double)l->disk);
    }
    return least;
}

static sim_rate rate_of(const struct ref_world *w, struct ref_unit u, double *util)
{
    double scale, by = least_part(w, u), starved = 1;
    int row = row_of(w, u, &scale);
    for (int k = 0; k < ref_unit_size(w, u); k++) {
        const struct ref_live *l = &w->live[u.job][u.task + k];
        if (l->got < l->bw) starved = fmax(starved, (double)l->bw / fmax(1, (double)l->got));
    }
    by /= starved;
    *util = ref_unit_cards(w, u) > 0 && task(w, u, 0)->shape.n_gpu > 0;
    if (row >= 0) {
        double alone = util_alone(w, u, row, scale), slow = slowed(w, u, row);
        double data = fed(w, u, row, scale);
        *util = alone / slow * data;
        by = by * alone / slow * data;
    }
    by *= beside(w, u);
    by *= apart(w, u);
    sim_rate r = type_rate(w, u);
    double scale_by = scaled(w, u);
    if (by >= 1 && scale_by == 1) return r;
    long v = lround(r * scale_by * fmin(by, 1));
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
        struct ref_live *l = &w->live[u.job][u.task + k];
        if (row >= 0 && bw == 0 && task(w, u, k)->mem_bw == 0 && is_first_there(w, u, k))
            bw = llround((double)w->c->profile[model_of(w, u)].on[row].bw * scale_there(w, u, k, scale) * util_there(w, u, k, row, scale));
        l->has_profile = row >= 0;
        l->got = l->bw = w->c->has_profiles ? bw : 0;
    }
}

/* What tasks without a profile get of a node that cannot move all they ask: one byte at a time would be slower yet. */
static void divide(struct ref_world *w, int node)
{
    struct ref_live *l[REF_JOBS * REF_TASKS];
    int64_t left = w->c->node[node].mem_bw, sum = 0;
    int n = 0;
    for (int j = 0; j < w->n_arrived; j++)
        for (int t = 0; t < w->job[j].n; t++) {
            struct ref_live *x = &w->live[j][t];
            bool computes = x->state == REF_RUNNING && w->live[j][w->job[j].gang ? 0 : t].computes;
            if (w->ledger.hold[j][t].node == node && computes && !x->has_profile) sum += x->bw, l[n++] = x;
        }
    if (left == 0 || sum <= left) return;
    if (w->c->is_proportional) {
        for (int i = 0; i < n; i++) l[i]->got = mul_div(l[i]->bw, left, sum);
        return;
    }
    /* Who asks for less than an equal part of what is left gets it all; what is left then is divided again. */
    for (bool again = true; again; ) {
        again = false;
        for (int i = 0; i < n && !again; i++) {
            if (l[i]->bw > left / n) continue;
            left -= l[i]->bw;
            l[i] = l[--n];
            again = true;
        }
    }
    for (int i = 0; i < n; i++) l[i]->got = left / n;
}

void ref_speed_begin(struct ref_world *w, struct ref_unit u)
{
    struct ref_live *l = &w->live[u.job][u.task];
    double util;
    for (int k = 0; k < ref_unit_size(w, u); k++) l[k].computes = true, l[k].util = -1, l[k].seen_util = -1, l[k].seen_bw = -1;
    find_traffic(w, u);
    l->rate = rate_of(w, u, &util);
}

void ref_speed_turn(struct ref_world *w, struct ref_unit u)
{
    double util;
    find_traffic(w, u);
    w->live[u.job][u.task].rate = rate_of(w, u, &util);
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
    for (int i = 0; i < n; i++) find_traffic(w, u[i]), ask_disks(w, u[i]);
    for (int i = 0; i < w->c->n_nodes; i++) divide(w, i), share_disk(w, i);
    find_ways(w, u, n);
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
            l->seen_bw = l->got;
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
    return w->c->monitor == 0 ? l->got : l->seen_bw;
}

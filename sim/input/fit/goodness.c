/* goodness.c -- the figures of a list of jobs, and of lists beside each other. */
#include "input/fit/goodness.h"

#include <math.h>
#include <string.h>
#include "base/mem.h"
#include "base/stats.h"

const struct goodness_info goodness_info[GOODNESS_N] = {
    [GOODNESS_JOBS] = { "jobs a day", "", false },
    [GOODNESS_ARRIVALS] = { "arrivals in an hour", "", true },
    [GOODNESS_LAG1] = { "arrivals' autocorrelation at 1 h", "", false },
    [GOODNESS_LAG24] = { "arrivals' autocorrelation at 24 h", "", false },
    [GOODNESS_GAP] = { "gap between arrivals", "s", true },
    [GOODNESS_USER] = { "share of a job's user", "", true },
    [GOODNESS_DURATION] = { "duration", "s", true },
    [GOODNESS_CARDS] = { "cards of a job", "", true },
    [GOODNESS_CORES] = { "cores of a job", "", true },
    [GOODNESS_LIMIT] = { "limit / duration", "", true },
    [GOODNESS_DEMAND] = { "demand in an hour", "", true },
    [GOODNESS_DEMAND_LAG24] = { "demand's autocorrelation at 24 h", "", false },
};

/* Jobs from one time to another: the figures, and the samples of the distributions. */
struct look {
    double figure[GOODNESS_N];
    double *x[GOODNESS_N];
    size_t n[GOODNESS_N], cap[GOODNESS_N];
    size_t n_hours;
};

static void sample(struct look *l, enum goodness_figure f, double v) { MEM_PUSH(l->x[f], l->n[f], l->cap[f], v); }

static void look_fini(struct look *l)
{
    for (int f = 0; f < GOODNESS_N; f++) mem_free(l->x[f]);
}

/* Cards or cores, for as long as the job runs, into the hours [0, n). */
static void add_demand(double *hour, size_t n, const struct fit_job *x, double from, double size)
{
    double begin = x->t - from, end = begin + x->dur;
    for (size_t h = (size_t)(begin / FIT_HOUR); h < n && (double)h * FIT_HOUR < end; h++)
        hour[h] += size * (fmin(end, (double)(h + 1) * FIT_HOUR) - fmax(begin, (double)h * FIT_HOUR)) / FIT_HOUR;
}

/* Samples of an hour are kept in the order of time until they are compared. */
static void look_at(struct look *l, const struct fit_job *at, size_t n, double from, double to, uint32_t n_users,
                    bool has_cards)
{
    const size_t hours = (size_t)ceil((to - from) / FIT_HOUR);
    size_t *by_user, k = 0, first;
    double *arrivals, *demand;
    *l = (struct look){ .n_hours = hours };
    MEM_ARRAY(arrivals, hours + 1);
    MEM_ARRAY(demand, hours + 1);
    MEM_ARRAY(by_user, n_users);
    while (k < n && at[k].t < from) k++;
    for (first = k; k < n && at[k].t <= to; k++) {
        const struct fit_job *x = &at[k];
        by_user[x->user]++;
        arrivals[(size_t)((x->t - from) / FIT_HOUR)]++;
        add_demand(demand, hours, x, from, (has_cards ? (double)x->ask.gpu_milli : (double)x->ask.cpu_milli) / 1000);
        if (k > first) sample(l, GOODNESS_GAP, x->t - at[k - 1].t);
        sample(l, GOODNESS_DURATION, x->dur);
        if (has_cards) sample(l, GOODNESS_CARDS, (double)x->ask.gpu_milli / 1000);
        if (x->ask.cpu_milli > 0) sample(l, GOODNESS_CORES, (double)x->ask.cpu_milli / 1000);
        if (x->limit >= 0) sample(l, GOODNESS_LIMIT, x->limit / fmax(1, x->dur));
    }
    const double jobs = (double)(k - first);
    for (size_t i = first; i < k && n_users > 1; i++) sample(l, GOODNESS_USER, (double)by_user[at[i].user] / jobs);
    for (size_t h = 0; h < hours; h++) {
        sample(l, GOODNESS_ARRIVALS, arrivals[h]);
        sample(l, GOODNESS_DEMAND, demand[h]);
    }
    for (int f = 0; f < GOODNESS_N; f++)
        l->figure[f] = goodness_info[f].is_distribution ? stats_mean(l->x[f], l->n[f]) : NAN;
    l->figure[GOODNESS_JOBS] = jobs / ((to - from) / FIT_DAY);
    l->figure[GOODNESS_LAG1] = stats_autocorrelation(arrivals, hours, 1);
    l->figure[GOODNESS_LAG24] = stats_autocorrelation(arrivals, hours, 24);
    l->figure[GOODNESS_DEMAND_LAG24] = stats_autocorrelation(demand, hours, 24);
    MEM_FREE(by_user, arrivals, demand);
}

static void keep_hours(struct goodness *g, int of, const struct look *l)
{
    g->hour[of].n = l->n_hours;
    MEM_ARRAY(g->hour[of].arrivals, l->n_hours);
    MEM_ARRAY(g->hour[of].demand, l->n_hours);
    memcpy(g->hour[of].arrivals, l->x[GOODNESS_ARRIVALS], l->n_hours * sizeof(double));
    memcpy(g->hour[of].demand, l->x[GOODNESS_DEMAND], l->n_hours * sizeof(double));
}

static double distance(struct look *a, struct look *b, int f)
{
    return goodness_info[f].is_distribution ? stats_ks(a->x[f], a->n[f], b->x[f], b->n[f]) : NAN;
}

static void add_draw(struct goodness *g, struct look *trace, struct look *drawn, size_t n_draws)
{
    for (int f = 0; f < GOODNESS_N; f++) {
        struct goodness_row *r = &g->row[f];
        const double v = drawn->figure[f];
        r->least = g->n_draws > 0 ? fmin(r->least, v) : v;
        r->most = g->n_draws > 0 ? fmax(r->most, v) : v;
        r->model += v / (double)n_draws;
        r->distance += distance(trace, drawn, f) / (double)n_draws;
    }
    g->n_draws++;
}

enum st goodness_measure(struct goodness *g, const struct fit_jobs *j, const struct model *m, size_t n_draws,
                         struct diag *d)
{
    const double from = j->at[0].t, to = j->at[j->n - 1].t;
    struct look all, half[2], drawn;
    bool has_cards = false;
    enum st st = ST_OK;
    *g = (struct goodness){ .n_draws = 0 };
    for (size_t i = 0; i < j->n; i++) has_cards = has_cards || j->at[i].ask.gpu_milli > 0;
    look_at(&all, j->at, j->n, from, to, j->users.n, has_cards);
    look_at(&half[0], j->at, j->n, from, (from + to) / 2, j->users.n, has_cards);
    look_at(&half[1], j->at, j->n, (from + to) / 2, to, j->users.n, has_cards);
    keep_hours(g, 0, &all);
    for (int f = 0; f < GOODNESS_N; f++) {
        g->row[f].trace = all.figure[f];
        g->row[f].halves = distance(&half[0], &half[1], f);
    }
    for (size_t i = 0; i < n_draws && st == ST_OK; i++) {
        struct drawn_jobs made;
        struct fit_job *x;
        st = draw_jobs(&made, m, 1, to - from, i + 1, d);
        MEM_ARRAY(x, made.n);
        for (size_t k = 0; k < made.n; k++) {
            const struct model_kind *kind = made.at[k].kind;
            x[k] = (struct fit_job){
                .t = (double)made.at[k].ms / 1000,
                .dur = made.at[k].dur,
                .limit = made.at[k].limit,
                .user = made.at[k].user,
                .ask = { .tasks = kind->tasks, .gpu_milli = kind->gpu_milli, .cpu_milli = kind->cpu_milli }
            };
        }
        look_at(&drawn, x, made.n, 0, to - from, made.n_users, has_cards);
        if (i == 0) keep_hours(g, 1, &drawn);
        add_draw(g, &all, &drawn, n_draws);
        look_fini(&drawn);
        MEM_FREE(x, made.at);
    }
    look_fini(&all);
    look_fini(&half[0]);
    look_fini(&half[1]);
    return st;
}

void goodness_fini(struct goodness *g)
{
    for (int i = 0; i < 2; i++) MEM_FREE(g->hour[i].arrivals, g->hour[i].demand);
}

const char *goodness_verdict(const struct goodness_row *r)
{
    if (isnan(r->trace) || isnan(r->model)) return "";
    if (!isnan(r->distance) && isnan(r->halves)) return "";
    if (!isnan(r->distance)) return r->distance <= r->halves ? "nearer" : "further";
    return r->trace < r->least ? "above" : r->trace > r->most ? "below" : "within";
}

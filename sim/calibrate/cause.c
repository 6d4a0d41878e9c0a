/*
 * cause.c -- which recorded waits the capacity of the described cluster explains, and what could explain the rest.
 *
 * One sweep over the instants at which a recorded job arrived, started or ended; between two of them it is known what
 * was held and who waited.  Each stretch of waiting is put to the tests of results/README.md.
 * Cost: O(instants x jobs that wait), and a sort.
 */
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "calibrate/calibrate.h"
#include "db/query.h"

enum kind { ENDS, ARRIVES, STARTS };
struct event { sim_tick at; enum kind kind; uint32_t job; };

/* What holds of a stretch of waiting that capacity does not explain. */
enum test { ABOVE_MOST, USER_LIMIT, QUEUE_LIMIT, NO_STARTS, N_TESTS };
static const char *const test_name[N_TESTS] = { "above_most", "user_limit", "queue_limit", "no_starts" };

struct held { int64_t cpu, gpu; };

struct sweep {
    const struct calibration *c;
    struct event *event; size_t n_events;
    bool of_gpu;                        /* which resource limits are looked for in: the one more in demand */
    struct held in_use, most;
    int64_t *by_user, *by_queue, *most_user, *most_queue;     /* of that resource */
    int64_t user_limit;                 /* the most that any user held; -1: no two came near it */
    uint32_t *wait; size_t n_wait;      /* jobs, by arrival */
    double total, full, behind, idle, test[N_TESTS], unexplained;       /* us of waiting */
};

static int by_time(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    return x->job < y->job ? -1 : x->job > y->job;
}

static int64_t asked(const struct sweep *s, const struct calibrate_job *j)
{
    return s->of_gpu ? j->gpu_milli : j->cpu_milli;
}

static void hold(struct sweep *s, const struct calibrate_job *j, int sign)
{
    s->in_use.cpu += sign * j->cpu_milli;
    s->in_use.gpu += sign * j->gpu_milli;
    s->by_user[j->user] += sign * asked(s, j);
    s->by_queue[j->queue] += sign * asked(s, j);
}

static void stop_waiting(struct sweep *s, uint32_t job)
{
    size_t i = 0;
    while (s->wait[i] != job) i++;
    memmove(&s->wait[i], &s->wait[i + 1], (s->n_wait - i - 1) * sizeof *s->wait);
    s->n_wait--;
}

static void apply(struct sweep *s, const struct event *e)
{
    const struct calibrate_job *j = &s->c->job[e->job];
    if (e->kind == ARRIVES) s->wait[s->n_wait++] = e->job;
    else hold(s, j, e->kind == STARTS ? 1 : -1);
    if (e->kind == STARTS) stop_waiting(s, e->job);
}

/* Everything at one instant; the index of the first event after it. */
static size_t apply_instant(struct sweep *s, size_t i)
{
    const sim_tick now = s->event[i].at;
    while (i < s->n_events && s->event[i].at == now) apply(s, &s->event[i++]);
    return i;
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

static void find_peaks(struct sweep *s)
{
    for (size_t i = 0; i < s->n_events;) {
        const size_t first = i;
        i = apply_instant(s, i);
        s->most = (struct held){ larger(s->most.cpu, s->in_use.cpu), larger(s->most.gpu, s->in_use.gpu) };
        for (size_t k = first; k < i; k++) {
            const struct calibrate_job *j = &s->c->job[s->event[k].job];
            s->most_user[j->user] = larger(s->most_user[j->user], s->by_user[j->user]);
            s->most_queue[j->queue] = larger(s->most_queue[j->queue], s->by_queue[j->queue]);
        }
    }
}

/* Users who held at least 95 % of the most that any held. */
static size_t find_user_limit(struct sweep *s)
{
    size_t n = 0;
    s->user_limit = 0;
    for (size_t u = 0; u < s->c->user.n; u++) s->user_limit = larger(s->user_limit, s->most_user[u]);
    for (size_t u = 0; u < s->c->user.n; u++) n += s->most_user[u] * 20 >= s->user_limit * 19;
    return n;
}

static bool fits(struct held asks, struct held of, struct held in_use)
{
    return (asks.cpu == 0 || asks.cpu <= of.cpu - in_use.cpu) && (asks.gpu == 0 || asks.gpu <= of.gpu - in_use.gpu);
}

/* Between two instants: who waits, and whether it must. */
static void judge(struct sweep *s, double us, bool no_starts)
{
    const struct held there_is = { s->c->cpu_milli, s->c->gpu_milli };
    struct held ahead = { 0, 0 };       /* of those that came before, and the job itself */
    for (size_t i = 0; i < s->n_wait; i++) {
        const struct calibrate_job *j = &s->c->job[s->wait[i]];
        ahead = (struct held){ ahead.cpu + j->cpu_milli, ahead.gpu + j->gpu_milli };
        s->total += us;
        if (!fits((struct held){ j->cpu_milli, j->gpu_milli }, there_is, s->in_use)) { s->full += us; continue; }
        if (!fits(ahead, there_is, s->in_use)) { s->behind += us; continue; }
        const bool holds[N_TESTS] = {
            [ABOVE_MOST] = !fits(ahead, s->most, s->in_use),
            [USER_LIMIT] = s->user_limit >= 0 && s->by_user[j->user] + asked(s, j) > s->user_limit,
            [QUEUE_LIMIT] = s->c->queue.n > 1 && s->by_queue[j->queue] + asked(s, j) > s->most_queue[j->queue],
            [NO_STARTS] = no_starts,
        };
        bool any = false;
        s->idle += us;
        for (int t = 0; t < N_TESTS; t++) if (holds[t]) { s->test[t] += us; any = true; }
        if (!any) s->unexplained += us;
    }
}

/* The first start at or after an event, or where events end. */
static sim_tick next_start(const struct sweep *s, size_t i)
{
    while (i + 1 < s->n_events && s->event[i].kind != STARTS) i++;
    return s->event[i].at;
}

static void judge_all(struct sweep *s)
{
    sim_tick last = s->event[0].at, next = next_start(s, 0);
    for (size_t i = 0; i < s->n_events;) {
        const sim_tick now = s->event[i].at;
        i = apply_instant(s, i);
        if (i == s->n_events) break;
        if (next <= now) {
            last = next;
            next = next_start(s, i);
        }
        judge(s, (double)(s->event[i].at - now), next - last > 3600 * TICK_SEC);
    }
}

static void sort_events(struct sweep *s)
{
    MEM_ARRAY(s->event, 3 * s->c->n);
    for (uint32_t i = 0; i < s->c->n; i++) {
        const struct calibrate_job *j = &s->c->job[i];
        s->event[s->n_events++] = (struct event){ j->submit, ARRIVES, i };
        s->event[s->n_events++] = (struct event){ j->start, STARTS, i };
        s->event[s->n_events++] = (struct event){ j->end, ENDS, i };
    }
    /* A job without a duration starts and ends at once: it never holds anything. */
    qsort(s->event, s->n_events, sizeof *s->event, by_time);
}

/* Which share of the cluster its jobs ask for more of, over the time for which they hold it. */
static bool is_of_gpu(const struct calibration *c)
{
    double cpu = 0, gpu = 0;
    for (size_t i = 0; i < c->n; i++) {
        const double us = (double)(c->job[i].end - c->job[i].start);
        cpu += us * (double)c->job[i].cpu_milli;
        gpu += us * (double)c->job[i].gpu_milli;
    }
    return c->gpu_milli > 0 && gpu * (double)c->cpu_milli >= cpu * (double)c->gpu_milli;
}

static double share(double x, double of) { return of > 0 ? x / of : NAN; }

/* Nodes on which nothing ran, where the run kept what ran where. */
static enum st add_nodes(struct calibration *c, const char *as, struct diag *d)
{
    sqlite3_stmt *q;
    TRY(query_run(c->store, c->policy[0].run,
                  "SELECT (SELECT count(*) FROM node WHERE run = ?1),"
                  " (SELECT count(DISTINCT node) FROM attempt WHERE run = ?1)", &q, d));
    if (sqlite3_step(q) == SQLITE_ROW && sqlite3_column_int64(q, 1) > 0)
        calibrate_add(c, "cause", as, sqlite3_column_double(q, 0) - sqlite3_column_double(q, 1), "",
                      "nodes_never_used");
    return query_end(c->store, q, d);
}

static enum st add_facts(struct calibration *c, const struct sweep *s, size_t at_limit, struct diag *d)
{
    const char *as = c->policy[0].label;
    const double in_demand = (double)(s->of_gpu ? c->gpu_milli : c->cpu_milli);
    calibrate_add(c, "cause", as, s->total / 3600e6, "h", "waiting");
    calibrate_add(c, "cause", as, share(s->full, s->total), "", "full");
    calibrate_add(c, "cause", as, share(s->behind, s->total), "", "behind");
    calibrate_add(c, "cause", as, share(s->full + s->behind, s->total), "", "explained");
    calibrate_add(c, "cause", as, share(s->idle, s->total), "", "idle");
    for (int t = 0; t < N_TESTS; t++) {
        if ((t == USER_LIMIT && s->user_limit < 0) || (t == QUEUE_LIMIT && c->queue.n < 2)) continue;
        calibrate_add(c, "cause", as, share(s->test[t], s->total), "", "idle_%s", test_name[t]);
    }
    calibrate_add(c, "cause", as, share(s->unexplained, s->total), "", "idle_unexplained");
    calibrate_add(c, "cause", as, share((double)s->most.cpu, (double)c->cpu_milli), "", "cpu_most");
    calibrate_add(c, "cause", as, share((double)s->most.gpu, (double)c->gpu_milli), "", "gpu_most");
    int64_t most = 0;
    for (size_t u = 0; u < c->user.n; u++) most = larger(most, s->most_user[u]);
    calibrate_add(c, "cause", as, share((double)most, in_demand), "", "user_most");
    calibrate_add(c, "cause", as, (double)at_limit, "", "users_at_most");
    return add_nodes(c, as, d);
}

enum st calibrate_cause(struct calibration *c, struct diag *d)
{
    struct sweep s = { .c = c, .of_gpu = is_of_gpu(c) };
    MEM_ARRAY(s.by_user, c->user.n);
    MEM_ARRAY(s.most_user, c->user.n);
    MEM_ARRAY(s.by_queue, c->queue.n);
    MEM_ARRAY(s.most_queue, c->queue.n);
    MEM_ARRAY(s.wait, c->n);
    sort_events(&s);
    find_peaks(&s);
    const size_t at_limit = find_user_limit(&s);
    if (at_limit < 2) s.user_limit = -1;
    judge_all(&s);
    enum st st = add_facts(c, &s, at_limit, d);
    MEM_FREE(s.event, s.by_user, s.most_user, s.by_queue, s.most_queue, s.wait);
    return st;
}

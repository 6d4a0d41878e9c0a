/*
 * learn.c -- in four steps:
 *   1. each user's jobs are cut into sessions, and its days into those with and without;
 *   2. users of many jobs are classes of their own, others are pooled with users of as many;
 *   3. the week is learnt of all users together;
 *   4. of each class: days, sessions, and by the size of sessions (a large one is seldom of long jobs) what jobs ask,
 *      how long they run, and what limits they have (learn_kinds.c).
 * O(n log n) in jobs, and users x days.
 */
#include "input/fit/learn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/stats.h"
#include "input/fit/learn_priv.h"

enum { BATCH_JOBS = 4 * MODEL_LEAST, PAUSE_GAPS = 2 };
static const size_t batch_from[MODEL_BATCHES] = { 1, 3, 16 };

struct session {
    size_t first, n;
    uint32_t user;
    size_t day;
};

struct learn {
    struct fit_job *job;
    size_t n; /* by user, then time */
    struct session *session;
    size_t n_sessions, cap_sessions;
    uint32_t n_users;
    size_t n_days, *of_user; /* jobs by user */
    uint32_t *count;         /* [user * n_days + day] sessions */
    uint32_t *class_of, n_classes;
};

void learn_numbers_add(struct learn_numbers *x, double v) { MEM_PUSH(x->at, x->n, x->cap, v); }

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct model_bins learn_numbers_bins(struct learn_numbers *x)
{
    struct model_bins b = { .n = 0 };
    if (x->n > 0) qsort(x->at, x->n, sizeof *x->at, by_value);
    if (x->n > 0) b = model_bins_of(x->at, x->n);
    x->n = 0;
    return b;
}

static int by_user_and_time(const void *a, const void *b)
{
    const struct fit_job *x = a, *y = b;
    if (x->user != y->user) return x->user < y->user ? -1 : 1;
    if (x->t < y->t || x->t > y->t) return x->t < y->t ? -1 : 1;
    if (x->dur < y->dur || x->dur > y->dur) return x->dur < y->dur ? -1 : 1;
    return (x->seq > y->seq) - (x->seq < y->seq);
}

/* ---- 1. sessions ---- */

/* Twice the mean gap in the hours in which the user submits at all: a longer one is no part of a burst. */
static double pause_of(const struct learn *l, size_t from, size_t to)
{
    double hours = 0, last = -1;
    for (size_t i = from; i < to; i++) {
        double hour = floor(l->job[i].t / FIT_HOUR);
        if (hour > last) hours++;
        last = hour;
    }
    return fmax(LEARN_PAUSE_LEAST, fmin(LEARN_PAUSE, PAUSE_GAPS * FIT_HOUR * hours / (double)(to - from)));
}

static void find_sessions(struct learn *l)
{
    for (size_t from = 0, to; from < l->n; from = to) {
        const uint32_t u = l->job[from].user;
        for (to = from; to < l->n && l->job[to].user == u;) to++;
        const double pause = pause_of(l, from, to);
        l->of_user[u] = to - from;
        for (size_t i = from; i < to; i++) {
            struct session *s = i > from ? &l->session[l->n_sessions - 1] : NULL;
            if (s != NULL && l->job[i].t - l->job[i - 1].t <= pause) {
                s->n++;
                continue;
            }
            size_t day = (size_t)(l->job[i].t / FIT_DAY);
            MEM_PUSH(l->session, l->n_sessions, l->cap_sessions, (struct session){ i, 1, u, day });
            l->count[u * l->n_days + day]++;
        }
    }
}

/* ---- 2. classes ---- */

struct rank {
    uint32_t user;
    size_t jobs;
};

static int by_jobs(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;
    if (x->jobs != y->jobs) return x->jobs > y->jobs ? -1 : 1;
    return (x->user > y->user) - (x->user < y->user);
}

/* A user, or users of as many jobs to the next power of two, until these are enough; what is left joins the last. */
static void find_classes(struct learn *l)
{
    struct rank *rank;
    MEM_ARRAY(rank, l->n_users);
    for (uint32_t u = 0; u < l->n_users; u++) rank[u] = (struct rank){ u, l->of_user[u] };
    qsort(rank, l->n_users, sizeof *rank, by_jobs);
    size_t users = 0, jobs = 0;
    for (uint32_t i = 0; i < l->n_users; i++) {
        bool own = i < LEARN_OWN_USERS && rank[i].jobs >= LEARN_OWN_JOBS;
        l->class_of[rank[i].user] = l->n_classes;
        users++;
        jobs += rank[i].jobs;
        bool is_full = users >= LEARN_POOL_USERS && jobs >= BATCH_JOBS && l->n_classes < MODEL_CLASSES_MAX - 1 &&
                       (i + 1 == l->n_users || ilogb((double)rank[i].jobs) != ilogb((double)rank[i + 1].jobs));
        if (!own && !is_full) continue;
        l->n_classes++;
        users = jobs = 0;
    }
    if (users > 0 && (users < LEARN_POOL_USERS || jobs < BATCH_JOBS) && l->n_classes > 0)
        for (uint32_t u = 0; u < l->n_users; u++) {
            if (l->class_of[u] == l->n_classes) l->class_of[u]--;
        }
    else if (users > 0) l->n_classes++;
    mem_free(rank);
}

/* ---- 3. the week ---- */

static void learn_week(const struct learn *l, struct model *m)
{
    double active[MODEL_WEEK] = { 0 }, days[MODEL_WEEK] = { 0 }, all = 0, busy[MODEL_WEEK] = { 0 },
           hour[MODEL_DAY] = { 0 };
    const double smooth = 4 * MODEL_LEAST; /* sessions of an ordinary day, which each weekday is mixed with */
    for (uint32_t u = 0; u < l->n_users; u++) {
        double n = 0, sum = 0;
        const uint32_t *count = &l->count[u * l->n_days];
        for (size_t k = 0; k < l->n_days; k++) {
            n += count[k] > 0;
            sum += count[k];
        }
        for (size_t k = 0; k < l->n_days; k++) {
            days[k % MODEL_WEEK]++;
            active[k % MODEL_WEEK] += count[k] > 0;
            busy[k % MODEL_WEEK] += count[k] * n / sum;
        }
        all += n;
    }
    const double p = all / ((double)l->n_users * (double)l->n_days);
    for (int w = 0; w < MODEL_WEEK; w++) {
        m->active[w] = m->busy[w] = 1;
        if (days[w] <= 0) continue;
        double q = fmin(active[w] / days[w], 1 - 0.5 / days[w]);
        if (p < 1 && q > 0) m->active[w] = q / (1 - q) * (1 - p) / p;
        if (active[w] > 0) m->busy[w] = busy[w] / active[w];
    }
    for (size_t i = 0; i < l->n_sessions; i++) {
        int h = (int)(fmod(l->job[l->session[i].first].t, FIT_DAY) / FIT_HOUR);
        hour[h] += smooth / (double)l->n_sessions;
        m->hour[l->session[i].day % MODEL_WEEK][h]++;
    }
    for (int w = 0; w < MODEL_WEEK; w++) {
        double sum = 0;
        for (int h = 0; h < MODEL_DAY; h++) sum += m->hour[w][h] += hour[h];
        for (int h = 0; h < MODEL_DAY; h++) m->hour[w][h] *= MODEL_DAY / sum;
    }
}

/* ---- 4. a class ---- */

/* Of log sessions of a user's days with jobs that are `lag` days apart. */
static double day_correlation(const struct learn *l, uint32_t class, size_t lag)
{
    double n = 0, sum[2] = { 0 }, square[2] = { 0 }, product = 0;
    for (uint32_t u = 0; u < l->n_users; u++)
        for (size_t k = lag; l->class_of[u] == class && k < l->n_days; k++) {
            const uint32_t *count = &l->count[u * l->n_days];
            if (count[k] == 0 || count[k - lag] == 0) continue;
            const double x[] = { log(count[k - lag]), log(count[k]) };
            n++;
            for (int i = 0; i < 2; i++) sum[i] += x[i], square[i] += x[i] * x[i];
            product += x[0] * x[1];
        }
    const double var = (square[0] - sum[0] * sum[0] / n) * (square[1] - sum[1] * sum[1] / n);
    if (n < 2 * MODEL_LEAST || !(var > 0)) return 0;
    return fmin(0.95, fmax(0, (product - sum[0] * sum[1] / n) / sqrt(var)));
}

/* Users' days: a chain of two states, and how busy the days with jobs are. */
static void learn_days(const struct learn *l, uint32_t class, struct model_class *c, const struct model *m,
                       struct learn_numbers *x)
{
    double from[2] = { 0 }, on[2] = { 0 }, days = 0, sessions = 0;
    for (uint32_t u = 0; u < l->n_users; u++) {
        if (l->class_of[u] != class) continue;
        const uint32_t *count = &l->count[u * l->n_days];
        c->users++;
        for (size_t k = 0; k < l->n_days; k++) {
            if (count[k] > 0) learn_numbers_add(x, count[k]);
            days++;
            sessions += count[k];
            if (k == 0) continue;
            from[count[k - 1] > 0]++;
            on[count[k - 1] > 0] += count[k] > 0;
        }
    }
    c->come = (on[0] + 0.5) / (from[0] + 1);
    c->stay = (on[1] + 0.5) / (from[1] + 1);
    if (from[0] <= 0) c->come = c->stay = 1;
    c->sessions = learn_numbers_bins(x);
    c->persist = day_correlation(l, class, 1);
    c->persist_week = day_correlation(l, class, MODEL_WEEK);
    /* The week and the chain together must not change how many sessions there are. */
    double e_days, e_sessions;
    model_expect(m, c, &e_days, &e_sessions);
    for (uint32_t i = 0; i < c->sessions.n; i++) c->sessions.mean[i] *= sessions / days / e_sessions;
}

static bool is_of(const struct learn *l, const struct session *s, uint32_t class, size_t lo, size_t hi)
{
    return l->class_of[s->user] == class && s->n >= lo && s->n < hi;
}

/* The jobs of sessions of lo to hi of the class's. */
static void learn_batch(const struct learn *l, uint32_t class, size_t lo, size_t hi, struct model_class *c,
                        struct learn_numbers *x)
{
    struct model_batch *b = &c->batch[c->n++];
    struct fit_job *job;
    size_t n = 0, *session;
    b->from = (int64_t)lo;
    for (size_t i = 0; i < l->n_sessions; i++) n += is_of(l, &l->session[i], class, lo, hi) ? l->session[i].n : 0;
    MEM_ARRAY(job, n);
    MEM_ARRAY(session, n);
    n = 0;
    for (size_t i = 0; i < l->n_sessions; i++) {
        const struct session *s = &l->session[i];
        if (!is_of(l, s, class, lo, hi)) continue;
        for (size_t k = 0; k < s->n; k++, n++) {
            job[n] = l->job[s->first + k];
            session[n] = i;
            if (k > 0) learn_numbers_add(x, job[n].t - job[n - 1].t);
        }
    }
    b->gap = learn_numbers_bins(x);
    learn_kinds(b, job, session, n);
    MEM_FREE(job, session);
}

static void learn_class(const struct learn *l, uint32_t class, struct model *m)
{
    struct model_class *c = &m->at[class];
    struct learn_numbers x = { .n = 0 };
    double jobs[MODEL_BATCHES] = { 0 };
    learn_days(l, class, c, m, &x);
    for (size_t i = 0; i < l->n_sessions; i++) {
        const struct session *s = &l->session[i];
        if (l->class_of[s->user] != class) continue;
        learn_numbers_add(&x, (double)s->n);
        int k = MODEL_BATCHES - 1;
        while (s->n < batch_from[k]) k--;
        jobs[k] += (double)s->n;
    }
    c->jobs = learn_numbers_bins(&x);
    for (int k = 0, first = 0; k < MODEL_BATCHES; k++) {
        double here = 0, rest = 0;
        for (int i = first; i <= k; i++) here += jobs[i];
        for (int i = k + 1; i < MODEL_BATCHES; i++) rest += jobs[i];
        if (k + 1 < MODEL_BATCHES && (here < BATCH_JOBS || rest < BATCH_JOBS)) continue;
        learn_batch(l, class, batch_from[first], k + 1 < MODEL_BATCHES ? batch_from[k + 1] : SIZE_MAX, c, &x);
        first = k + 1;
    }
    mem_free(x.at);
}

enum st learn_model(const struct fit_jobs *j, const char *path, struct model *m, struct diag *d)
{
    const double span = j->n > 0 ? j->at[j->n - 1].t - j->at[0].t : 0;
    *m = (struct model){ .jobs = (int64_t)j->n };
    if (j->n < LEARN_JOBS_LEAST || span < LEARN_DAYS_LEAST * FIT_DAY)
        return diag_at(
            d, ST_EINPUT, path != NULL ? path : "", 0, 0,
            "not decided: %zu jobs over %.3g days are too few to learn from; at least %d over %d days are needed", j->n,
            span / FIT_DAY, LEARN_JOBS_LEAST, LEARN_DAYS_LEAST);
    if (span > MODEL_DAYS_MAX * FIT_DAY || (double)j->users.n * span > LEARN_USER_DAYS * FIT_DAY)
        return diag_at(d, ST_EINPUT, path != NULL ? path : "", 0, 0,
                       "found %zu users over %.4g days, expected at most %d days, and %d days of all users together",
                       (size_t)j->users.n, span / FIT_DAY, MODEL_DAYS_MAX, LEARN_USER_DAYS);
    struct learn l = { .n = j->n, .n_users = j->users.n, .n_days = (size_t)(j->at[j->n - 1].t / FIT_DAY) + 1 };
    MEM_ARRAY(l.job, l.n);
    MEM_ARRAY(l.of_user, l.n_users);
    MEM_ARRAY(l.count, l.n_users * l.n_days);
    MEM_ARRAY(l.class_of, l.n_users);
    memcpy(l.job, j->at, l.n * sizeof *l.job);
    qsort(l.job, l.n, sizeof *l.job, by_user_and_time);
    find_sessions(&l);
    find_classes(&l);
    learn_week(&l, m);
    m->days = (int64_t)ceil(span / FIT_DAY);
    MEM_RESERVE(m->at, m->cap, l.n_classes);
    m->n = l.n_classes;
    for (uint32_t c = 0; c < l.n_classes; c++) learn_class(&l, c, m);
    MEM_FREE(l.job, l.session, l.of_user, l.count, l.class_of);
    return ST_OK;
}

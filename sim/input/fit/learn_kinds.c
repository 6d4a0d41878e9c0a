/*
 * learn_kinds.c -- jobs sorted by what they ask, and cut into kinds: what enough jobs ask is a kind as it is, and
 * what few ask is put together with the next larger until it is enough.  The kind then asks for what the one of these
 * does that is nearest to their mean size, weighted with their durations, so that the work in all stays; rounded.
 */
#include "input/fit/learn_priv.h"

#include <math.h>
#include <stdlib.h>
#include "base/mem.h"

enum { KINDS_OF_BATCH = 25 }; /* of kinds of few jobs, at most about so many */

struct item {
    const struct fit_job *job;
    size_t at;
};

static int compare(double a, double b) { return (a > b) - (a < b); }

/* 0 cores alone, 1 parts of cards, 2 cards. */
static int sort_of(const struct fit_ask *a) { return a->gpu_milli == 0 ? 0 : a->gpu_milli < 1000 * a->tasks ? 1 : 2; }

static int compare_asks(const struct fit_ask *a, const struct fit_ask *b)
{
    const double x[] = { sort_of(a),       (double)a->gpu_milli, (double)a->cpu_milli,
                         (double)a->tasks, (double)a->mem_b,     (double)a->gpu_mem_b,
                         a->gang,          a->exclusive };
    const double y[] = { sort_of(b),       (double)b->gpu_milli, (double)b->cpu_milli,
                         (double)b->tasks, (double)b->mem_b,     (double)b->gpu_mem_b,
                         b->gang,          b->exclusive };
    for (size_t i = 0; i < ARRAY_LEN(x); i++)
        if (compare(x[i], y[i]) != 0) return compare(x[i], y[i]);
    return 0;
}

static bool is_alike(const struct fit_ask *a, const struct fit_ask *b) { return compare_asks(a, b) == 0; }

static int by_ask(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    int c = compare_asks(&x->job->ask, &y->job->ask);
    if (c == 0) c = compare(x->job->dur, y->job->dur);
    return c != 0 ? c : (x->at > y->at) - (x->at < y->at);
}

static int by_duration(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    int c = compare(x->job->dur, y->job->dur);
    return c != 0 ? c : (x->at > y->at) - (x->at < y->at);
}

/* Down to three binary digits. */
static int64_t rounded(int64_t x)
{
    int64_t unit = 1;
    while (x / unit >= 8) unit *= 2;
    return x / unit * unit;
}

/* A part of n, whole units, and rounded: what few ask for is not told exactly, and fits wherever a task of theirs did. */
static int64_t part_of(int64_t x, int64_t n, int64_t unit)
{
    const int64_t part = (x + n - 1) / n;
    return part < unit ? rounded(part) : rounded((part + unit - 1) / unit) * unit;
}

static struct fit_ask ask_of(const struct item *x, size_t n)
{
    double work = 0, time = 0;
    for (size_t i = 0; i < n; i++) {
        work += fit_size(&x[i].job->ask) * (x[i].job->dur + 1);
        time += x[i].job->dur + 1;
    }
    size_t best = 0, same = 0;
    for (size_t i = 1; i < n; i++)
        if (fabs(fit_size(&x[i].job->ask) - work / time) < fabs(fit_size(&x[best].job->ask) - work / time)) best = i;
    struct fit_ask a = x[best].job->ask;
    for (size_t i = 0; i < n; i++) same += is_alike(&a, &x[i].job->ask);
    if (same >= MODEL_LEAST) return a;
    const int sort = sort_of(&a);
    const int64_t tasks = a.tasks;
    a.tasks = rounded(tasks);
    if (sort > 0) a.gpu_milli = part_of(a.gpu_milli, tasks, sort == 1 ? 1 : 1000) * a.tasks;
    a.cpu_milli = part_of(a.cpu_milli, tasks, 1000) * a.tasks;
    a.mem_b = part_of(a.mem_b, tasks, 1) * a.tasks;
    a.gpu_mem_b = rounded(a.gpu_mem_b);
    return a;
}

static void learn_limits(struct model_kind *k, const struct item *x, size_t n)
{
    struct learn_numbers third[MODEL_THIRDS] = { { .n = 0 } }, all = { .n = 0 };
    bool enough = true;
    for (size_t i = 0; i < n; i++) {
        if (x[i].job->limit < 0) continue;
        learn_numbers_add(&third[model_third(((double)i + 0.5) / (double)n)], x[i].job->limit);
        learn_numbers_add(&all, x[i].job->limit);
    }
    for (int t = 0; t < MODEL_THIRDS; t++) enough = enough && third[t].n >= MODEL_LEAST;
    if (all.n >= MODEL_LEAST) {
        k->limited = (double)all.n / (double)n;
        for (int t = 0; t < (enough ? MODEL_THIRDS : 1); t++)
            k->limit[t] = learn_numbers_bins(enough ? &third[t] : &all);
    }
    for (int t = 0; t < MODEL_THIRDS; t++) mem_free(third[t].at);
    mem_free(all.at);
}

/* Which part of its kind's durations each job is of, for those that repeat. */
static void learn_kind(struct model_batch *b, struct item *x, size_t n, uint32_t *kind, uint32_t *part)
{
    struct fit_ask a = ask_of(x, n);
    struct model_kind k = { .weight = (double)n,
                            .tasks = a.tasks,
                            .gpu_milli = a.gpu_milli,
                            .cpu_milli = a.cpu_milli,
                            .mem_b = a.mem_b,
                            .gpu_mem_b = a.gpu_mem_b,
                            .gang = a.gang,
                            .exclusive = a.exclusive };
    struct learn_numbers dur = { .n = 0 };
    qsort(x, n, sizeof *x, by_duration);
    for (size_t i = 0; i < n; i++) learn_numbers_add(&dur, x[i].job->dur);
    k.duration = learn_numbers_bins(&dur);
    for (size_t i = 0, p = 0; i < n; i++) {
        while (p + 1 < k.duration.n && (double)i >= k.duration.upto[p] * (double)n) p++;
        kind[x[i].at] = (uint32_t)b->n;
        part[x[i].at] = (uint32_t)p;
    }
    learn_limits(&k, x, n);
    mem_free(dur.at);
    MEM_PUSH(b->kind, b->n, b->cap, k);
}

/* The chance beyond that of two draws to be alike. */
static double beyond_chance(double same, double of, double chance)
{
    if (of < MODEL_LEAST || chance >= 1) return 0;
    return fmin(1, fmax(0, (same / of - chance) / (1 - chance)));
}

/* Of two jobs drawn to be of one kind. */
static double chance_of(const struct model_batch *b)
{
    double sum = 0, square = 0;
    for (size_t k = 0; k < b->n; k++) {
        sum += b->kind[k].weight;
        square += b->kind[k].weight * b->kind[k].weight;
    }
    return sum > 0 ? square / (sum * sum) : 0;
}

/* How often a job is like the one before, in its session, or the session's first like the last of the one before. */
static void learn_repeats(struct model_batch *b, const struct fit_job *job, const size_t *session, size_t n,
                          const uint32_t *kind, const uint32_t *part)
{
    double pairs[2] = { 0 }, same[2] = { 0 }, as_long = 0, by_chance = 0;
    for (size_t i = 1; i < n; i++) {
        if (job[i].user != job[i - 1].user) continue;
        const bool first = session[i] != session[i - 1];
        pairs[first]++;
        if (kind[i] != kind[i - 1]) continue;
        const struct model_bins *dur = &b->kind[kind[i]].duration;
        same[first]++;
        as_long += part[i] == part[i - 1];
        for (uint32_t p = 0; p < dur->n; p++) by_chance += pow(dur->upto[p] - (p > 0 ? dur->upto[p - 1] : 0), 2);
    }
    const double all = same[0] + same[1], chance = chance_of(b);
    b->repeat = beyond_chance(same[0], pairs[0], chance);
    b->again = beyond_chance(same[1], pairs[1], chance);
    b->repeat_duration = beyond_chance(as_long, all, all > 0 ? by_chance / all : 1);
}

void learn_kinds(struct model_batch *b, const struct fit_job *job, const size_t *session, size_t n)
{
    const size_t least = n / KINDS_OF_BATCH > MODEL_LEAST ? n / KINDS_OF_BATCH : MODEL_LEAST;
    struct item *x;
    uint32_t *kind, *part;
    size_t *cut, n_cuts = 0;
    MEM_ARRAY(x, n);
    MEM_ARRAY(kind, n);
    MEM_ARRAY(part, n);
    MEM_ARRAY(cut, n + 1);
    for (size_t i = 0; i < n; i++) x[i] = (struct item){ &job[i], i };
    qsort(x, n, sizeof *x, by_ask);
    /* Cut where what is asked changes and enough jobs are behind; those before something of another sort stay alone. */
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && is_alike(&x[from].job->ask, &x[to].job->ask);) to++;
        const size_t begun = n_cuts > 0 ? cut[n_cuts - 1] : 0;
        const bool other = from > 0 && sort_of(&x[from].job->ask) != sort_of(&x[from - 1].job->ask);
        if (from - begun >= MODEL_LEAST && (to - from >= least || from - begun >= least || other)) cut[n_cuts++] = from;
    }
    if (n_cuts > 0 && n - cut[n_cuts - 1] < MODEL_LEAST) n_cuts--;
    cut[n_cuts++] = n;
    for (size_t i = 0, from = 0; i < n_cuts; from = cut[i++]) learn_kind(b, &x[from], cut[i] - from, kind, part);
    learn_repeats(b, job, session, n, kind, part);
    MEM_FREE(x, kind, part, cut);
}

/*
 * model.h -- what `fairway trace fit` learns of a trace, and its file.  Layer: input.
 *
 * A file of this form may be published where the trace may not: it has no name, id, label, date or exact time of
 * a job.  Every number in it is of at least MODEL_LEAST jobs, sessions or gaps, or of all that a class has of these, or
 * of all users of the trace, and is rounded to three digits.  traces/README.md, "Models learnt from a trace", says how
 * jobs are drawn from it.
 */
#ifndef INPUT_FIT_MODEL_H
#define INPUT_FIT_MODEL_H

#include <stdio.h>
#include "base/diag.h"
#include "base/rng.h"

enum {
    MODEL_VERSION = 1,
    MODEL_LEAST = 5,            /* the fewest jobs that a number may stand for */
    MODEL_DAYS_MAX = 36500,     /* that it may be learnt from */
    MODEL_CUTS = 16, MODEL_BATCHES = 3, MODEL_THIRDS = 3,
    MODEL_CLASSES_MAX = 64, MODEL_KINDS_MAX = 4096      /* of a file; kinds of one batch */
};

/* A distribution: up to the share upto[i] of the values, in ascending order, their mean is mean[i]. */
struct model_bins { uint32_t n; double upto[MODEL_CUTS], mean[MODEL_CUTS]; };
/* Of n >= 1 values, ascending; no part is of fewer than MODEL_LEAST of them, unless there are fewer. */
struct model_bins model_bins_of(const double *sorted, size_t n);
/* The value at p in (0, 1): linear in each part about its mean, so that the mean of draws is that of the values. */
double model_bins_at(const struct model_bins *b, double p);
double model_bins_mean(const struct model_bins *b);
/* Which third of the durations, say, p is of. */
static inline uint32_t model_third(double p) { return p < 1.0 / 3 ? 0 : p < 2.0 / 3 ? 1 : 2; }

/* Jobs that ask for the same, all tasks of a job together. */
struct model_kind {
    double  weight;             /* of the batch's jobs, in any unit */
    int64_t tasks, gpu_milli, cpu_milli, mem_b, gpu_mem_b;
    bool    gang, exclusive;
    struct model_bins duration;         /* s */
    double  limited;                    /* share of jobs that have a limit */
    struct model_bins limit[MODEL_THIRDS];      /* s, of the shortest, middle and longest third; n 0: none has one */
};

/* Jobs of sessions of at least so many jobs, fewer than the next batch begins with. */
struct model_batch {
    int64_t from;
    struct model_bins gap;      /* s, between the jobs of a session */
    /* Chance that a job asks for what the one before did, that a session begins with what the last one of the batch
     * ended with, and that either then runs as long. */
    double  repeat, again, repeat_duration;
    struct model_kind *kind; size_t n, cap;
};

/* One user, or several who submit too little to be told apart. */
struct model_class {
    int64_t users;
    double  come, stay;         /* chance of a day with jobs after one without, after one with */
    /* Correlation of the logarithm of the number of sessions of such a day with that of a day before, a week before. */
    double  persist, persist_week;
    struct model_bins sessions, jobs;   /* of a day with any; of a session */
    struct model_batch batch[MODEL_BATCHES]; uint32_t n;
};

enum { MODEL_WEEK = 7, MODEL_DAY = 24 };
struct model {
    int64_t days, jobs;         /* that it was learnt from; jobs rounded */
    double  active[MODEL_WEEK]; /* odds of a day with jobs, by the day of the week from the trace's first, about 1 */
    double  busy[MODEL_WEEK];   /* sessions of such a day, likewise */
    double  hour[MODEL_WEEK][MODEL_DAY];        /* when its sessions begin, in any unit */
    struct model_class *at; size_t n, cap;
};

void model_fini(struct model *m);
/* p with its odds multiplied: the chance of a day with jobs on a weekday, from that on any day. */
static inline double model_odds(double p, double by) { return p < 1 ? p * by / (1 - p + p * by) : 1; }
/* Days with jobs and sessions, of one user of the class, in the mean over weeks: computed, not drawn. */
void model_expect(const struct model *m, const struct model_class *c, double *days, double *sessions);

void    model_write(const struct model *m, FILE *to);
/* ST_EINPUT with the place of what is not as model_write has it, ST_EWORLD when it cannot be read. */
enum st model_read(struct model *m, const char *path, struct diag *d);

#endif

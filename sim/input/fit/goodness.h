/*
 * goodness.h -- how much jobs drawn from a model are like those that it was learnt from.  Layer: input.
 *
 * Distributions are compared by Kolmogorov and Smirnov's distance.  How far two parts of one trace are from each
 * other is the yardstick: a model that is nearer to the trace than the trace's halves are to each other cannot be told
 * from a part of it by that figure.  Demand is that of jobs which all start at once: it hangs on no cluster.
 */
#ifndef INPUT_FIT_GOODNESS_H
#define INPUT_FIT_GOODNESS_H

#include "input/fit/draw.h"
#include "input/fit/jobs.h"

enum goodness_figure {
    GOODNESS_JOBS,
    GOODNESS_ARRIVALS,
    GOODNESS_LAG1,
    GOODNESS_LAG24,
    GOODNESS_GAP,
    GOODNESS_USER,
    GOODNESS_DURATION,
    GOODNESS_CARDS,
    GOODNESS_CORES,
    GOODNESS_LIMIT,
    GOODNESS_DEMAND,
    GOODNESS_DEMAND_LAG24,
    GOODNESS_N
};
extern const struct goodness_info {
    const char *name, *unit;
    bool is_distribution;
} goodness_info[GOODNESS_N];

struct goodness_row {
    double trace, model, least, most; /* the figure, or the mean of its distribution; of the draws: mean and range */
    double distance, halves;          /* of the draws' distributions, in the mean; of the trace's halves.  NaN: none */
};
struct goodness {
    struct goodness_row row[GOODNESS_N]; /* trace NaN: it has nothing of the kind */
    size_t n_draws;
    struct {
        double *arrivals, *demand;
        size_t n;
    } hour[2]; /* of the trace and of the first draw */
};

/* Draws from 1 to n, load 1, as long as the trace is. */
enum st goodness_measure(struct goodness *g, const struct fit_jobs *j, const struct model *m, size_t n_draws,
                         struct diag *d);
void goodness_fini(struct goodness *g);
/* Of a row: "nearer", "further", "within", "below", "above", or "" where the trace has nothing of it. */
const char *goodness_verdict(const struct goodness_row *r);

#endif

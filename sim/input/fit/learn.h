/*
 * learn.h -- from the jobs of a trace to a model of them.  Layer: input.
 *
 * A user is taken to come and go by days, to submit in sessions (the jobs between which no more than a pause
 * passes, LEARN_PAUSE at most), and to repeat itself.  After: Zilber, Amit & Talby, What is worth learning from
 * parallel workloads?, ICS 2005 (sessions, and clusters of users); Zakay & Feitelson, On identifying user session
 * boundaries in parallel workload logs, JSSPP 2012 (gaps between submissions of up to 20 minutes or an hour);
 * Feitelson, Workload Modeling for Computer Systems Performance Evaluation, 2015, ch. 8 and 9 (users' locality).
 */
#ifndef INPUT_FIT_LEARN_H
#define INPUT_FIT_LEARN_H

#include "input/fit/jobs.h"
#include "input/fit/model.h"

enum {
    LEARN_PAUSE = 1200,
    LEARN_PAUSE_LEAST = 60, /* s */
    LEARN_JOBS_LEAST = 100,
    LEARN_DAYS_LEAST = 2, /* of a trace, else ST_EINPUT */
    LEARN_USER_DAYS = 100000000, /* at most: a count each is kept */
    LEARN_OWN_JOBS = 100,
    LEARN_OWN_USERS = 40, /* users of so many jobs have a class of their own, so many */
    LEARN_POOL_USERS = 3  /* the fewest users of any other class, unless there are fewer */
};

enum st learn_model(const struct fit_jobs *j, const char *path, struct model *m, struct diag *d);

#endif

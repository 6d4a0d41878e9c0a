/*
 * fairness.h -- divisible allocations, solved directly: what DRF, asset
 * fairness and CEEI give when tasks can be split.  For tests.
 * Source: Ghodsi et al., Dominant Resource Fairness, NSDI 2011, sections 4 and 5.
 */
#ifndef FAIRNESS_H
#define FAIRNESS_H

enum { FAIR_USERS = 8, FAIR_DIMS = 4 };

struct fair_case {
    int n, m;                               /* users, resources */
    double cap[FAIR_DIMS];
    double demand[FAIR_USERS][FAIR_DIMS];   /* of one task */
    double weight[FAIR_USERS];
};

/* Dominant share that x tasks of user i are. */
double fair_share(const struct fair_case *c, int i, double x);
/* x [n] out: tasks of each user. */
void   fair_drf(const struct fair_case *c, double *x);
void   fair_asset(const struct fair_case *c, double *x);
void   fair_ceei(const struct fair_case *c, double *x);     /* two resources, positive demands, equal weights */

#endif

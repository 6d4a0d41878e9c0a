/*
 * water.c -- hierarchical fairness by filling water: the floor of all jobs rises in proportion to their weights until
 * some can rise no more; these are frozen at what they have, and the floor of the others rises further.
 *
 * An entity's weight is shared out among those of its jobs that are not frozen, in proportion to their own weights, or
 * is all that of the earliest.  Who can rise no more the authors ask a program with binary columns; here it is who has
 * a price: the dual of its floor is above 0.  A point inside of the optimal face, with a price inside of its own, has
 * every such job priced (Goldman & Tucker 1956), and what rounding hides is frozen a step later, at a rise of 0.
 *
 * Cost: a linear program for each level of the water, at most one a job.
 */
#include <math.h>
#include "gavel/program.h"

static void set_needs(struct gavel_program *p)
{
    for (uint32_t j = 0; j < p->n_jobs; j++) p->job[j].need = 0;
    for (uint32_t e = 0; e < p->n_entities; e++) {
        double sum = 0;
        uint32_t first = POL_NONE;
        for (uint32_t j = 0; j < p->n_jobs; j++) {
            if (p->job[j].entity != e || p->job[j].is_frozen) continue;
            sum += p->job[j].weight;
            if (first == POL_NONE) first = j;
        }
        if (first == POL_NONE) continue;
        if (p->objective == GAVEL_HIERARCHICAL_FIFO) {
            p->job[first].need = p->entity_weight[e];
            continue;
        }
        for (uint32_t j = 0; j < p->n_jobs; j++)
            if (p->job[j].entity == e && !p->job[j].is_frozen)
                p->job[j].need = p->entity_weight[e] * p->job[j].weight / sum;
    }
}

bool gavel_water_solve(struct gavel_program *p, char *error, size_t cap)
{
    double all = 0;
    for (uint32_t k = 0; k < p->n_types; k++) all += p->cards[k];
    for (uint32_t j = 0; j < p->n_jobs; j++) {
        double average = 0;
        for (uint32_t k = 0; k < p->n_types; k++) average += gavel_rates(p, j, 0)[k] * p->cards[k] / all;
        p->job[j].unit = average > 0 ? p->job[j].cards / average : 0;
        p->job[j].base = 0;
        p->job[j].is_frozen = !(average > 0);
    }
    for (uint32_t level = 0; level <= p->n_jobs; level++) {
        double s, most = 0;
        bool rises = false;
        set_needs(p);
        for (uint32_t j = 0; j < p->n_jobs; j++) rises |= p->job[j].need > 0;
        if (!rises) return true;
        if (!gavel_program_raise(p, LP_INTERIOR, &s, error, cap)) return false;
        for (uint32_t j = 0; j < p->n_jobs; j++)
            if (p->job[j].need > 0) most = fmax(most, fabs(lp_dual(p->lp, p->floor_row[j])) * p->job[j].need);
        for (uint32_t j = 0; j < p->n_jobs; j++) {
            struct gavel_job *job = &p->job[j];
            if (!(job->need > 0)) continue;
            double price = fabs(lp_dual(p->lp, p->floor_row[j])) * job->need;
            /* A hair below what was found, so that rounding leaves the next level a point inside. */
            job->base += job->need * s * (1 - 1e-7);
            job->is_frozen = price > most * 1e-4;
        }
    }
    return true;
}

/* minimise.c -- GSL's simplex behind the interface of minimise.h: folding, stopping, the best point met. */
#include "search/minimise.h"

#include <float.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multimin.h>
#include <string.h>
#include "base/mem.h"
#include "search/space.h"

struct asked { minimise_fn *fn; void *ctx; size_t n; double *x, *best, least; bool is_over; };

/* Once it is over, GSL finishes its step with points that are no better than any. */
static double value(const gsl_vector *v, void *ctx)
{
    struct asked *c = ctx;
    double y = DBL_MAX;
    if (c->is_over) return DBL_MAX;
    for (size_t i = 0; i < c->n; i++) c->x[i] = space_fold(gsl_vector_get(v, i));
    if (c->fn(c->ctx, c->x, &y) != 0) { c->is_over = true; return DBL_MAX; }
    if (y < c->least) {
        c->least = y;
        memcpy(c->best, c->x, c->n * sizeof *c->x);
    }
    return y;
}

void minimise(size_t n, const double *start, const double *step, double size, minimise_fn *fn, void *ctx, double *best,
              double *y)
{
    struct asked c = { .fn = fn, .ctx = ctx, .n = n, .best = best, .least = DBL_MAX };
    gsl_multimin_function f = { value, n, &c };
    gsl_vector *x = gsl_vector_alloc(n), *h = gsl_vector_alloc(n);
    gsl_multimin_fminimizer *m = gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, n);
    gsl_error_handler_t *old = gsl_set_error_handler_off();     /* what it reports ends the loop below */
    MEM_ARRAY(c.x, n);
    for (size_t i = 0; i < n; i++) {
        gsl_vector_set(x, i, start[i]);
        gsl_vector_set(h, i, step[i]);
    }
    bool goes_on = gsl_multimin_fminimizer_set(m, &f, x, h) == GSL_SUCCESS;
    while (goes_on && !c.is_over)
        goes_on = gsl_multimin_fminimizer_iterate(m) == GSL_SUCCESS && gsl_multimin_fminimizer_size(m) > size;
    *y = c.least;
    (void)gsl_set_error_handler(old);
    gsl_multimin_fminimizer_free(m);
    gsl_vector_free(x);
    gsl_vector_free(h);
    mem_free(c.x);
}

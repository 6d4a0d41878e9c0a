/* space.c -- values of variables by their place on a side, and Latin hypercubes. */
#include "search/space.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/mem.h"
#include "base/rng.h"

/* So many digits has a value of a range without steps. */
#define DIGITS "4"

size_t space_choices(const struct search_variable *v)
{
    if (v->n_values > 0) return v->n_values;
    return v->step > 0 ? (size_t)floor((v->to - v->from) / v->step + 1e-9) + 1 : 0;
}

static size_t part_of(double u, size_t n)
{
    size_t k = (size_t)(u * (double)n);
    return k < n ? k : n - 1;
}

double space_at(const struct search_variable *v, size_t k) { return ((double)k + 0.5) / (double)space_choices(v); }

static double number_at(const struct search_variable *v, double u)
{
    size_t n = space_choices(v);
    char text[64];
    if (n > 0) return v->from + (double)part_of(u, n) * v->step;
    double x = v->is_log ? v->from * pow(v->to / v->from, u) : v->from + u * (v->to - v->from);
    (void)snprintf(text, sizeof text, "%." DIGITS "g", x);
    return strtod(text, NULL);
}

char *space_value_times(const struct search_variable *v, double u, double factor)
{
    if (v->n_values > 0) return mem_strdup(v->value[part_of(u, v->n_values)]);
    return mem_printf("%.12g%s", number_at(v, u) * factor, v->unit);
}

char *space_value(const struct search_variable *v, double u) { return space_value_times(v, u, 1); }

double space_fold(double x)
{
    double r = fmod(fabs(x), 2);
    return r > 1 ? 2 - r : r;
}

void space_hypercube(uint64_t draw, size_t n, size_t n_sides, double *u)
{
    size_t *order;
    MEM_ARRAY(order, n);
    for (size_t side = 0; side < n_sides; side++) {
        struct rng r;
        rng_init(&r, draw, "search hypercube", side);
        for (size_t i = 0; i < n; i++) order[i] = i;
        for (size_t i = n; i > 1; i--) {
            size_t k = (size_t)rng_below(&r, i), other = order[i - 1];
            order[i - 1] = order[k];
            order[k] = other;
        }
        for (size_t i = 0; i < n; i++) u[i * n_sides + side] = ((double)order[i] + rng_unit(&r)) / (double)n;
    }
    mem_free(order);
}

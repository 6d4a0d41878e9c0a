/*
 * curve.h -- a quantity that a scenario states at a few points.  Layer: model.
 *
 * Between points the straight line, as one reads a published chart (S0-24): a
 * smooth curve would differ by less than the charts can be read, and be harder
 * to check by hand.  Beyond the ends the end's value.  `linear:N` is the
 * published shape of GPU utilisation: x / N up to N, 1 above, exactly.
 */
#ifndef MODEL_SPEED_CURVE_H
#define MODEL_SPEED_CURVE_H

#include <gsl/gsl_interp.h>
#include "base/diag.h"

enum { CURVE_POINTS_MAX = 1000 };      /* in a text */

struct curve {
    double  *x, *y;             /* [n], x increasing; owned.  n 0 with knee 0: no curve */
    uint32_t n;
    double   knee;              /* N of linear:N; 0 otherwise */
    gsl_interp *line;           /* n >= 2 */
};

/*
 * Parse "x:y;x:y;..." (x increasing, x and y >= 0) or "linear:N" (N > 0).
 * Returns NULL, or what is wrong with it (a static string); *c is then empty.
 */
const char *curve_parse(struct curve *c, const char *text);
/* Through the points, x increasing; copied. */
void   curve_points(struct curve *c, const double *x, const double *y, uint32_t n);
void   curve_fini(struct curve *c);             /* zero-initialised is fine */
double curve_at(const struct curve *c, double x);
double curve_max(const struct curve *c);        /* the greatest y; 0 without a curve */
double curve_argmax(const struct curve *c);     /* the least x with it; 0 without a curve */
static inline bool curve_is_none(const struct curve *c) { return c->n == 0 && c->knee <= 0; }

#endif

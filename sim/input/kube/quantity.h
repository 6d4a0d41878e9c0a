/*
 * quantity.h -- Kubernetes' quantities and times.  Layer: input.
 *
 * A quantity: [+]digits[.digits] and one of n u m k M G T P E, Ki Mi Gi Ti Pi
 * Ei, e<exponent>, E<exponent>, or nothing.  Exact, as in Kubernetes: what is
 * not whole in the unit asked for is rounded up.
 * Source: Kubernetes API conventions, resource.Quantity.
 */
#ifndef INPUT_KUBE_QUANTITY_H
#define INPUT_KUBE_QUANTITY_H

#include "base/base.h"

/* s x scale, rounded up; false for what is no quantity >= 0, or too large. */
bool kube_quantity(const char *s, int64_t scale, int64_t *out);
/* RFC 3339, "2023-02-20T09:38:18Z", in microseconds since 1970; false for anything else, and before 1970. */
bool kube_time(const char *s, int64_t *out);

#endif

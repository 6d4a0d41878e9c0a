/*
 * specs.h -- the specs of a policy that the battery is run under.  Layer: host.
 */
#ifndef HOST_CONFORM_SPECS_H
#define HOST_CONFORM_SPECS_H

#include "base/base.h"
#include "policy.h"

enum { CONFORM_SPECS = 256, CONFORM_SPEC_LEN = 256 };

/*
 * The specs to try for what a user gave: that alone if it has parameters, else
 * every combination of the policy's choices, true and false among them, its
 * other parameters as they are; or, where there are more than CONFORM_SPECS of
 * them, each choice on its own.
 */
struct conform_specs { uint32_t n; bool is_each_alone; char spec[CONFORM_SPECS][CONFORM_SPEC_LEN]; };
void conform_specs(struct conform_specs *s, const char *spec, const struct pol_ops *ops);
/* The spec for a case whose jobs take seconds: rounds last as long as they do by default.  out [CONFORM_SPEC_LEN] */
void conform_slow_spec(char *out, const char *spec);

#endif

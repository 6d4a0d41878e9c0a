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
struct conform_specs {
    uint32_t n;
    bool is_each_alone;
    bool is_refused[CONFORM_SPECS];             /* filled by the caller: create will not have these choices together */
    char spec[CONFORM_SPECS][CONFORM_SPEC_LEN];
};
void conform_specs(struct conform_specs *s, const char *spec, const struct pol_ops *ops);
/*
 * A policy may refuse some of its choices together, but none of them with everything else: is there one that is in
 * refused specs only?  It is written to out [CONFORM_SPEC_LEN] as "name=value".  O(specs^2).
 */
bool conform_specs_lack(const struct conform_specs *s, char *out);
/* The spec for a case whose jobs take seconds: rounds last as long as they do by default.  out [CONFORM_SPEC_LEN] */
void conform_slow_spec(char *out, const char *spec);

#endif

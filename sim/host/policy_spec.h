/*
 * policy_spec.h -- "name:key=value,..." against a policy's table of parameters, and
 * "exec:COMMAND".  Layer: host.
 */
#ifndef HOST_POLICY_SPEC_H
#define HOST_POLICY_SPEC_H

#include "base/diag.h"
#include "host/guest.h"

struct policy_load;

struct policy_spec {
    const struct pol_ops *ops;
    const struct guest_ops *guest;      /* of one that states what it is once it was created; else NULL */
    struct policy_load       *lib;      /* the shared object it is from; NULL: built in */
    union pol_value      *value;    /* [ops->n_params] */
    char                **text;     /* [ops->n_params] as written, or the default; owns what value[].s points at */
    char                 *full;     /* the spec with every parameter, its name or path as it was written */
};

/*
 * Parse against the built-ins, or load the shared object that the spec names
 * (policy_load.h).  Errors name what was found and what was
 * expected, with the nearest name; file, line and col say where (file "" for
 * the command line).  On error *p is empty.
 *   weights  see host_create
 */
enum st policy_spec_parse(struct policy_spec *p, const char *spec, const char *weights,
                      const char *file, uint32_t line, uint32_t col, struct diag *d);
void    policy_spec_fini(struct policy_spec *p);
bool    policy_spec_is_command(const char *spec);       /* exec:COMMAND */

#endif

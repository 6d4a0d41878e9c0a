/*
 * spec.h -- "name:key=value,..." against a policy's table of parameters, and
 * "exec:COMMAND".  Layer: host.
 */
#ifndef HOST_SPEC_H
#define HOST_SPEC_H

#include "base/diag.h"
#include "policy.h"

struct polload;

struct polspec {
    const struct pol_ops *ops;
    struct polload       *lib;      /* the shared object it is from; NULL: built in */
    union pol_value      *value;    /* [ops->n_params] */
    char                **text;     /* [ops->n_params] as written, or the default; owns what value[].s points at */
    char                 *full;     /* the spec with every parameter, its name or path as it was written */
};

/*
 * Parse against the built-ins, or load the shared object that the spec names
 * (load.h).  Errors name what was found and what was
 * expected, with the nearest name; file, line and col say where (file "" for
 * the command line).  On error *p is empty.
 *   weights  see polhost_create
 */
enum st polspec_parse(struct polspec *p, const char *spec, const char *weights,
                      const char *file, uint32_t line, uint32_t col, struct diag *d);
void    polspec_fini(struct polspec *p);

#endif

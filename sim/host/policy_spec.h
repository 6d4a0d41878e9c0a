/*
 * policy_spec.h -- "name:key=value,..." against a policy's table of parameters, and
 * "exec:COMMAND".  Layer: host.
 */
#ifndef HOST_POLICY_SPEC_H
#define HOST_POLICY_SPEC_H

#include "base/diag.h"
#include "host/guest.h"
#include "input/kube/kueue.h"
#include "input/kube/scheduler.h"
#include "input/slurm/scheduler.h"
#include "input/tasks/core_history.h"

struct policy_load;
struct host_own;

/* Of a POL_PLUGIN parameter; file NULL: one of its choices.  Of a POL_FILE: what was read. */
struct policy_spec_plugin {
    struct pol_chosen chosen;
    struct policy_load *file;
    struct kube_scheduler scheduler;
    struct slurm_scheduler slurm;
    struct core_history history;
    struct kueue kueue;
};

struct policy_spec {
    const struct pol_ops *ops;
    const struct guest_ops *guest;      /* of one that states what it is once it was created; else NULL */
    struct policy_load       *lib;      /* the shared object it is from; NULL: built in */
    union pol_value      *value;    /* [ops->n_params] */
    char                **text;     /* [ops->n_params] as written, or the default; owns what value[].s points at */
    struct policy_spec_plugin *plugin;  /* [ops->n_params]; what value[].chosen points at */
    char                 *known;    /* as full, with a digest in the place of the path of each plugin and file */
    const char          **note; size_t n_notes, cap_notes;      /* borrowed of `plugin` */
    char                 *full;     /* the spec with every parameter, its name or path as it was written */
};

/*
 * Parse against the built-ins, or load the shared object that the spec names
 * (policy_load.h).  Errors name what was found and what was
 * expected, with the nearest name; file, line and col say where (file "" for
 * the command line).  On error *p is empty.
 *   own      see host.h; NULL: there is none
 *   weights  see host_create
 */
enum st policy_spec_parse(struct policy_spec *p, const char *spec, const struct host_own *own, const char *weights,
                          const char *file, uint32_t line, uint32_t col, struct diag *d);
/* The plugin of the spec, the first if a policy has parameters for several; NULL: none. */
const struct policy_load *policy_spec_plugin(const struct policy_spec *p);
/* What the files of parameters say that is not modelled, [n]. */
const char *const *policy_spec_notes(const struct policy_spec *p, size_t *n);
/* Does a spec name a shared object, as a policy or as a plugin?  Seen from its letters alone. */
bool    policy_spec_names_file(const char *spec);
void    policy_spec_fini(struct policy_spec *p);
bool    policy_spec_is_command(const char *spec);       /* exec:COMMAND */

#endif

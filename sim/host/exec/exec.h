/*
 * exec.h -- a policy in a process of its own, in any language: `exec:COMMAND`.
 * policies/PROTOCOL.md specifies the messages.  Layer: host.
 *
 * To the host it is a policy like others: its table's create starts the child
 * and agrees on a version, decide sends what changed and reads the decisions,
 * destroy says bye and reaps.  What the child states of itself (name, source,
 * flags) is known only after create: exec_guest.
 *
 * Costs of a decision: O(events + changed nodes + decisions) and one round trip,
 * and what its queries cost, a round trip each.
 */
#ifndef HOST_EXEC_EXEC_H
#define HOST_EXEC_EXEC_H

#include "host/guest.h"

#define EXEC_PREFIX "exec:"

/* Parameters of the table, filled by whoever parses a spec. */
enum {
    EXEC_COMMAND,            /* text: for sh -c */
    EXEC_DIR,                /* text: where it runs; "": here */
    EXEC_WEIGHTS,            /* text: users' weights, see host_create; "": none */
    EXEC_TIMEOUT,            /* duration: wall-clock time for the first answer, and for each decision */
    EXEC_PARAMS
};
extern const struct pol_ops exec_ops;
extern const struct guest_ops exec_guest;

#endif

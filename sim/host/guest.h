/*
 * guest.h -- what the host asks of a policy that states what it is only once it
 * was created, beside policy.h's table.  Layer: host.
 */
#ifndef HOST_GUEST_H
#define HOST_GUEST_H

#include "base/base.h"
#include "policy.h"

struct guest_ops {
    /* *table is the general one; put in its place what this instance stated of itself.  Texts live as long as self. */
    void (*declare)(const void *self, struct pol_ops *table);
    /* "name:key=value,..." as it states its own parameters; borrowed from self. */
    const char *(*label)(const void *self);
    /* What the last create that returned NULL met: ST_EWORLD no process, ST_EINPUT a command that is no policy. */
    enum st (*create_failed)(void);
    uint32_t timeout_param; /* number of the parameter for the longest time it may take to answer; POL_NONE: there is none */
};

#endif

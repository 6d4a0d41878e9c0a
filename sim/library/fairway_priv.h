/* fairway_priv.h -- what the files of this room share.  Layer: library. */
#ifndef LIBRARY_FAIRWAY_PRIV_H
#define LIBRARY_FAIRWAY_PRIV_H

#include "base/diag.h"
#include "host/host.h"
#include "library/fairway.h"

/* The error handed out; returns its status. */
int fairway_fail(struct fairway_error *e, const struct diag *d);
/* A policy of this process; what own points at is borrowed until fairway_close. */
void fairway_add_own(struct fairway *f, const struct host_own *own, const char *spec, const char *label);

#endif

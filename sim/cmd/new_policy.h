/*
 * new_policy.h -- `fairway policies --new`: the beginning of a policy of one's own.  Layer: cmd.
 */
#ifndef CMD_NEW_POLICY_H
#define CMD_NEW_POLICY_H

#include "base/diag.h"

/*
 * Write the folder `dir` (NULL: one named `name`) with NAME.c, kit.h, Makefile
 * and policy.h: policies/example under another name.  The folder is made if it
 * is not there.  ST_EINPUT when the name is none, or a file is there already
 * (nothing is overwritten, and nothing written); ST_EWORLD when it cannot be written.
 */
enum st new_policy_write(const char *name, const char *dir, struct diag *d);

#endif

/*
 * new_policy.h -- `fairway policies --new`: the beginning of a policy, or a plugin, of one's own.  Layer: cmd.
 */
#ifndef CMD_NEW_POLICY_H
#define CMD_NEW_POLICY_H

#include "base/diag.h"

/*
 * Write the folder `dir` (NULL: one named `name`) with NAME.c and a Makefile that
 * knows where this program's headers and library are: policies/example under
 * another name.  The folder is made if it is not there.  ST_EINPUT when the name is none, or a file
 * is there already (nothing is overwritten, and nothing written); ST_EWORLD when it cannot be written.
 */
enum st new_policy_write(const char *name, const char *dir, bool is_plugin, struct diag *d);

#endif

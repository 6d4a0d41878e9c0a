/*
 * policy_load.h -- a policy, or a plugin, from a shared object: found, checked, lent.  Layer: host.
 *
 * The object defines one table, `fairway_policy` or `fairway_plugin` (policy.h),
 * and is bound to nothing of the program.  Loading runs its constructors in this
 * process; a run with it therefore has a process of its own (sandbox.h).
 */
#ifndef HOST_POLICY_LOAD_H
#define HOST_POLICY_LOAD_H

#include "base/diag.h"
#include "base/hash.h"
#include "policy.h"

struct policy_load;

/*
 * The length of the path that a spec begins with, or 0 if it names no file.  A
 * spec names a file when the part before its first ':' has a '/' or ends in
 * ".so"; the path then ends at the first ".so" that a ':' or the end follows,
 * or, without one, at the first ':'.
 */
size_t policy_load_path_len(const char *spec);

/* Does a parameter's value name a plugin's file?  If it ends in ".so". */
bool policy_load_is_file(const char *value);

/*
 * Load and check.  A path that does not begin with '/' is relative to the
 * folder of `file`, or to the current directory if file is "".  ST_EINPUT with
 * d filled, at file:line:col, when there is no such file or symbol, or the
 * table is of another major, cut short, or makes no sense.
 */
enum st policy_load_open(struct policy_load **out, const char *path, const char *file, uint32_t line, uint32_t col, struct diag *d);
/* The same for a plugin, a shared object that defines `fairway_plugin`. */
enum st policy_load_plugin(struct policy_load **out, const char *path, const char *file, uint32_t line, uint32_t col, struct diag *d);
void    policy_load_close(struct policy_load *l);       /* NULL is fine */
const struct pol_ops *policy_load_ops(const struct policy_load *l);
const struct pol_plugin *policy_load_plugin_ops(const struct policy_load *l);
/* Of the file's bytes: a policy built anew is another policy. */
const char *policy_load_digest(const struct policy_load *l);

/*
 * Check a table that a policy exports and copy what there is of it into a
 * zeroed one: a table of an older minor is shorter, one of a newer minor may be
 * longer if what this program does not know of it is zero.
 *   raw       [raw->size] bytes, of which the first 8 are read before anything else
 *   out       [size] bytes, zeroed here; >= POLICY_LOAD_OPS_MIN
 * ST_EINPUT with d filled (no file) if it cannot be used.
 */
enum { POLICY_LOAD_OPS_MIN = (int)(offsetof(struct pol_ops, destroy) + sizeof(void (*)(void))) };      /* ABI 1.0 */
enum st policy_load_adopt(const void *raw, void *out, size_t size, struct diag *d);

#endif

/*
 * proc.h -- run another program, without a shell, and read what it writes.  Layer: sweep.
 */
#ifndef SWEEP_PROC_H
#define SWEEP_PROC_H

#include "base/diag.h"

/*
 * Run argv (looked for in PATH) to its end, with nothing on its standard input.
 *   out     out: what it wrote to standard output and error, in the order it came; owned by the caller
 *   status  out: its exit status; 128 + the signal's number when one ended it
 * ST_EWORLD with d filled: it cannot be started, or did not end within limit_s and was killed.
 */
enum st proc_read(const char *const *argv, double limit_s, char **out, int *status, struct diag *d);

#endif

/*
 * report.h -- `fairway policies --conform`: the battery for one policy, and what it breaks.  Layer: host.
 */
#ifndef HOST_CONFORM_REPORT_H
#define HOST_CONFORM_REPORT_H

#include "host/sandbox.h"
#include "base/table.h"

/*
 * Run every case under every spec of the policy (conform_specs), each in a
 * sandbox, and print what breaks, with TABLE_TEXT for people.  Sets *n_problems.
 * ST_EINPUT when the policy cannot be found or created; ST_EPOLICY when it
 * crashes before it can be tried.
 */
enum st conform_report(const char *spec, const struct sandbox_limits *l, enum table_format f, uint32_t *n_problems, struct diag *d);

#endif

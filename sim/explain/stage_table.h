/*
 * stage_table.h -- reservations stage by stage as a table: what each stage needs, what
 * can be shared, what is taken back for it (Table 1 of seed 1).  Layer: explain.
 */
#ifndef EXPLAIN_STAGE_TABLE_H
#define EXPLAIN_STAGE_TABLE_H

#include "base/diag.h"
#include "db/store.h"
#include "base/table.h"

/*
 * Every stage of every workflow of a run; run -1: the first finished one that
 * has any.  `resource` NULL: all.  ST_EINPUT when there is nothing to show.
 */
enum st stage_table_print(struct store *s, int64_t run, const char *resource, enum table_format f, FILE *to, struct diag *d);

#endif

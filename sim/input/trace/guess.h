/*
 * guess.h -- a first map of somebody's table (mapping.h): what its columns may be, why, and what only its owner knows.
 * Layer: input.
 */
#ifndef INPUT_TRACE_GUESS_H
#define INPUT_TRACE_GUESS_H

#include <stdio.h>
#include "base/diag.h"

/*
 * Write the map as YAML.  Each line says what it goes by; where the table does not tell, TODO stands in the place of
 * the answer, which the reader of maps refuses.  Looks at the first GUESS_ROWS rows.
 */
enum { GUESS_ROWS = 10000 };
enum st guess_map(const char *path, FILE *out, struct diag *d);

#endif

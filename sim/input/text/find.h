/*
 * find.h -- files that other files name.  Layer: input.
 */
#ifndef INPUT_TEXT_FIND_H
#define INPUT_TEXT_FIND_H

#include "base/diag.h"

/*
 * As it is when absolute, else in the folder of the file `beside`, else under
 * $FAIRWAY_TRACES.  Returns an owned path, or NULL with d filled and every place
 * that was tried named.
 */
char *find_file(const char *beside, const char *name, struct diag *d);

#endif

/*
 * writer.h -- a thread that does one kind of work while its owner goes on: numbered places of work, each filled by the
 * owner, done by the thread in the order in which they were filled, and then free again.  Layer: db.
 *
 * At most WRITER_PLACES are filled: then the owner waits.  After the first failure nothing more is done.  Between
 * writer_place and writer_go the place is the owner's, from then on the thread's; what else the thread touches is its
 * own until writer_stop.  No signal is taken in the thread.
 */
#ifndef DB_WRITER_H
#define DB_WRITER_H

#include "base/diag.h"

enum { WRITER_PLACES = 32 };

struct writer;

/* NULL: no thread can be made. */
struct writer *writer_start(enum st (*work)(void *ctx, size_t place, struct diag *d), void *ctx);
/* The next place, when it is free.  false: the work failed; writer_stop says how. */
bool    writer_place(struct writer *w, size_t *place);
void    writer_go(struct writer *w);            /* it is filled */
/* Wait until all is done; ends the thread.  The first failure. */
enum st writer_stop(struct writer *w, struct diag *d);

#endif

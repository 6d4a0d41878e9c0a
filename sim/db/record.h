/*
 * record.h -- an observer that writes what a later reading of the run needs
 * beyond jobs: attempts, calls, outages and phases (for `timeline`), and with
 * `requests` what each task asked for and what nodes offer (for `explain`).
 * Layer: db.
 *
 * Phases of a unit that only computes are not written: its attempt says all.
 */
#ifndef DB_RECORD_H
#define DB_RECORD_H

#include "model/world_view.h"
#include "db/store.h"

struct record;

/* After world_create, before the first step.  Borrows the store; with requests: writes the cluster at once. */
struct record *record_create(const struct world *w, struct store *s, int64_t run, bool requests);
/* Write how fast units compute, too.  Before the observer is taken. */
void    record_speeds(struct record *r);
struct observer record_observer(struct record *r);
/* The first store error met, or ST_OK. */
enum st record_error(const struct record *r, struct diag *d);
/* Write the outages that last until the end of the run. */
enum st record_finish(struct record *r, const struct world *w, struct diag *d);
void    record_destroy(struct record *r);

#endif

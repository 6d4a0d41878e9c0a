/*
 * replay.h -- the ledger of a stored run, instant by instant.  Layer: explain.
 *
 * Rebuilds the cluster from a run that recorded its decisions and allocates and
 * releases as its attempts did, in a cluster of its own, so that what fits is
 * asked of the ledger that the run itself asked.  Attempts that lasted no time
 * are left out: at the end of an instant they hold nothing.
 *
 * Memory follows what runs at once; a step costs O(starts and stops).
 */
#ifndef EXPLAIN_REPLAY_H
#define EXPLAIN_REPLAY_H

#include "model/cluster/cluster.h"
#include "db/store.h"

struct replay_holder { uint64_t ordinal; uint32_t task; };

struct replay {
    struct store  *store;       /* borrowed */
    int64_t        run;
    struct cluster cluster;     /* as after the last step; may be asked, and tried with slots of its own */
    struct replay_holder *holder; size_t cap_holder;    /* by the cluster's task slot */
    /* What started in the last step. */
    struct replay_start { uint64_t ordinal; uint32_t task, node; } *started; size_t n_started, cap_started;
    int64_t        next_at;     /* of the step to come; INT64_MAX: none */
    /* private from here */
    void    *rows;
    uint32_t *free_slot; size_t n_free, cap_free; uint32_t n_slots;
};

/* Of everything that overlaps [from, to).  ST_EINPUT when the run did not record its decisions. */
enum st replay_open(struct replay *r, struct store *s, int64_t run, int64_t from, int64_t to, struct diag *d);
/* That error, and how to have what is missing. */
enum st replay_not_recorded(int64_t run, struct diag *d);
/* Apply what happened at next_at.  ST_EWORLD when the record contradicts itself. */
enum st replay_step(struct replay *r, struct diag *d);
void    replay_close(struct replay *r);

/* Does any task of the job (task -1), or that one, hold something now? */
bool    replay_holds(const struct replay *r, uint64_t ordinal, int64_t task);
/* A slot that no holder has, for a trial. */
uint32_t replay_spare_slot(const struct replay *r);

/* A request row's columns, from `col` on, as replay_request_columns names them. */
extern const char replay_request_columns[];
struct sqlite3_stmt;
void    replay_shape(struct sqlite3_stmt *q, int col, struct shape *out);

#endif

/*
 * store.h -- the SQLite file of results.  Layer: db.
 *
 * A run is written under status 'running' in batches of one transaction each
 * and becomes 'done' or 'failed' in the last one, so that killing the program
 * at any moment leaves a readable file in which every finished run is whole.
 * Its tables are in schema.def; results/README.md
 * explains their words.
 *
 * A run ends up 'done' only if every row of it was written: after the first
 * failure each further call returns that failure again, until the next
 * store_run_begin.  One run is written at a time; with two processors, and a file opened with store_open, a thread
 * ends its first batch and writes its rows, and a failure is told at a later row or when the run ends.
 *
 * Every function returns ST_EWORLD with d filled when SQLite fails (disk full,
 * locked, not a Fairway file...), or a number is out of its column's range.
 * Strings are borrowed for the call.  A row costs about a microsecond and a half.
 *
 * Rollback journal, not WAL: between runs the file is one file, to be copied
 * as it is; rows are appended, so the journal stays small and each page is
 * written once, where WAL writes it twice.
 */
#ifndef DB_STORE_H
#define DB_STORE_H

#include "base/diag.h"

struct store;

/* Create or open for writing; refuses another program's database (application_id) and other schema versions. */
enum st store_open(struct store **out, const char *path, struct diag *d);
/*
 * Create a part: a new file for runs of a sweep, to be renamed when it is whole and
 * merged (merge.h).  Nothing waits for the disk: before the renaming the
 * caller does.  It stays locked while it is open, and keeps one journal,
 * PATH-journal: what a process left undone that died over it is rolled back
 * when it is opened again.  The caller removes the journal of a closed part.
 */
enum st store_open_part(struct store **out, const char *path, struct diag *d);
/* Open for reading only. */
enum st store_open_read(struct store **out, const char *path, struct diag *d);
void    store_close(struct store *s);
struct sqlite3 *store_db(struct store *s);      /* borrowed, for queries */
const char *store_path(const struct store *s);  /* as it was given; borrowed */
bool    store_may_thread(const struct store *s);        /* its run may have threads: rows are written by one, too */
/* Write the rows of a source to a table (schema.h), within the transaction that the caller began. */
struct feed_source;
enum st store_feed(struct store *s, int table, const struct feed_source *from, struct diag *d);
/*
 * A connection must not be carried across a fork.  Leave the file before it,
 * outside of a run, and return to it on either side; nothing but these and
 * store_close may be called in between.  A run begun by another process is
 * ended here with store_run_end, as one's own is.
 */
void    store_leave(struct store *s);
enum st store_return(struct store *s, struct diag *d);
/* SQLite's last error of this file, in words. */
enum st store_failed(struct store *s, struct diag *d);

/*
 * A row of each table: struct store_run, store_job, store_attempt and so on, with a member for each column of
 * schema.def that the store does not fill itself.
 */
#define TABLE(name, comment, key)   struct store_##name {
#define END                         };
#define INT(name, comment)          int64_t name;
#define INT_OR_NULL                 INT
#define ROWID                       INT
#define UINT(name, comment)         uint64_t name;
#define REAL(name, comment)         double name;
#define REAL_OR_NULL                REAL
#define TEXT(name, comment)         const char *name;
#define TEXT_OR_NULL                TEXT
#include "db/schema.def"

enum store_status { STORE_DONE, STORE_FAILED, STORE_INTERRUPTED };

/* Is there a finished run with this key? */
enum st store_has_run(struct store *s, const char *key, bool *yes, struct diag *d);
/*
 * Begin: removes an unfinished or finished run of the same key.  r: as the caller knows it;
 * status and version are added here, digest and message when it ends; no variant is the empty one.
 */
enum st store_run_begin(struct store *s, const struct store_run *r, int64_t *run_id, struct diag *d);
enum st store_run_end(struct store *s, int64_t run, enum store_status st, uint64_t digest,
                      const char *message, double wall_s, struct diag *d);

/* Write a row: store_job(s, run, &(struct store_job){ ... }, d), store_attempt and so on for every table but `run`. */
#define TABLE(name, comment, key) \
    enum st store_##name(struct store *s, int64_t run, const struct store_##name *row, struct diag *d);
#define TABLE_OF_RUNS(name, comment, key)
#include "db/schema.def"

#endif

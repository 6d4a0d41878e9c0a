/*
 * shards.h -- shards: databases of one finished run each, in a folder that writers and
 * the one reader share.  Layer: sweep.
 *
 * A shard is written as KEY.tmp-HOST-PID and renamed to KEY-STATUS.part when it
 * is whole and on the disk (STATUS: the run's exit status; 0 done).  So a name
 * that ends in .part is always a whole database, whoever was killed when, and
 * two writers of one run leave one shard, of equal contents.
 */
#ifndef SWEEP_SHARDS_H
#define SWEEP_SHARDS_H

#include "sweep/grid.h"
#include "run/setup.h"

/* What a process that runs one run after another keeps: the case at hand. */
struct shards_writer {
    const struct grid *grid;    /* borrowed */
    const char *dir;
    struct progress *progress;  /* told how far the run is; NULL: nobody */
    struct scenario scn;
    struct setup    setup;
    uint32_t kase;              /* NONE: none yet */
};

void    shards_writer_begin(struct shards_writer *w, const struct grid *g, const char *dir, struct progress *p);
/*
 * Run number i and leave its shard.  A run that fails, for its input or its
 * policy, leaves a shard that says so, and *failed has the reason: ST_OK all
 * the same.  ST_EWORLD, ST_EINTR: no shard.
 */
enum st shards_write(struct shards_writer *w, size_t i, struct diag *failed, struct diag *d);
void    shards_writer_fini(struct shards_writer *w);

/*
 * The folder, made when it is not there, and locked against another sweep
 * until the process ends; unfinished files of dead writers are removed.
 */
enum st shards_open(const char *dir, struct diag *d);
/* Remove unfinished files, and the folder if nothing is left in it. */
void    shards_close(const char *dir);

/* A whole shard of a run of the grid. */
struct shard { size_t run; int status; char *path; };
/* Those there are now, in the order of their runs.  Parts of other keys stay where they are. */
struct shards { struct shard *at; size_t n, cap; };
enum st shards_scan(struct shards *p, const char *dir, const struct grid *g, struct diag *d);
void    shards_fini(struct shards *p);

#endif

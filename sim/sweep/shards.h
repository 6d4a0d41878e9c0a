/*
 * shards.h -- shards: databases of finished runs, in a folder that writers and
 * the one reader share.  Layer: sweep.
 *
 * A shard is written as KEY.tmp-HOST-PID, after its first run, and sealed: on the disk and renamed to KEY-STATUS.part.
 * So a name that ends in .part is always a whole database, whoever was killed when.  It holds runs that a writer did
 * one after the other, within a second or so, as making and merging a database costs more than a short run does.  A run
 * that its input stopped, or its policy before it began, is alone in its shard, and STATUS is its exit status; else 0.
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
    struct store *store;        /* the shard at hand; NULL: none */
    size_t first, n;            /* its first run, and how many it holds */
    double began;               /* on the clock of progress_clock */
};

void    shards_writer_begin(struct shards_writer *w, const struct grid *g, const char *dir, struct progress *p);
/*
 * Run number i into the shard at hand.  A run that fails, for its input or its policy, leaves rows that say so, and
 * *failed has the reason: ST_OK all the same.  ST_EINTR: nothing of it; ST_EWORLD: nor of the others in the shard.
 */
enum st shards_write(struct shards_writer *w, size_t i, struct diag *failed, struct diag *d);
/* Is the shard old or large enough to be sealed? */
bool    shards_is_due(const struct shards_writer *w);
/* Seal the shard at hand, if there is one.  ST_EWORLD: it is gone. */
enum st shards_seal(struct shards_writer *w, struct diag *d);
void    shards_writer_fini(struct shards_writer *w);

/*
 * The folder, made when it is not there, and locked against another sweep
 * until the process ends; unfinished files of dead writers are removed.
 */
enum st shards_open(const char *dir, struct diag *d);
/* Remove unfinished files, and the folder if nothing is left in it. */
void    shards_close(const char *dir);

/* A whole shard, whose first run is one of the grid. */
struct shard { size_t run; int status; char *path; };
/* Those there are now, in the order of their first runs.  Parts of other keys stay where they are. */
struct shards { struct shard *at; size_t n, cap; };
enum st shards_scan(struct shards *p, const char *dir, const struct grid *g, struct diag *d);
void    shards_fini(struct shards *p);

#endif

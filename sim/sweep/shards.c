/*
 * shards.c -- shards written, and the folder that they are in.
 *
 * Written under a name of its own, synced, then renamed: a name that ends in .part
 * is a whole database.  The lock is a POSIX lock on a file, which ends with the process.
 */
#include "sweep/shards.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/mem.h"
#include "db/query.h"

enum { KEY_LEN = HASH_HEX - 1, PATH_MAX_LEN = 4096,
       RUNS_MOST = 64 };        /* of a shard, however short */
#define SECONDS_MOST 0.5        /* from its first run's begin to its last's end, if it holds more than one */

static const char tmp_mark[] = ".tmp-", shard_end[] = ".part", lock_name[] = "lock";

/* ---- writing ---- */

void shards_writer_begin(struct shards_writer *w, const struct grid *g, const char *dir, struct progress *p)
{
    *w = (struct shards_writer){ .grid = g, .dir = dir, .progress = p, .kase = NONE };
}

static void leave_case(struct shards_writer *w)
{
    if (w->kase == NONE) return;
    setup_fini(&w->setup);
    scn_fini(&w->scn);
    w->kase = NONE;
}

static const char *tmp_path(const struct shards_writer *w, char buf[PATH_MAX_LEN])
{
    char host[65] = "";
    (void)gethostname(host, sizeof host - 1);
    (void)snprintf(buf, PATH_MAX_LEN, "%s/%s%s%s-%ld", w->dir, w->grid->run[w->first].key, tmp_mark, host, (long)getpid());
    return buf;
}

/* What SQLite leaves beside it, which is worth nothing once that is closed, or gone. */
static void drop_journal(const char *tmp)
{
    char path[PATH_MAX_LEN + sizeof "-journal"];
    (void)snprintf(path, sizeof path, "%s-journal", tmp);
    (void)unlink(path);
}

static void drop_shard(struct shards_writer *w)
{
    char tmp[PATH_MAX_LEN];
    if (w->store == NULL) return;
    store_close(w->store);
    (void)unlink(tmp_path(w, tmp));
    drop_journal(tmp);
    w->store = NULL;
}

void shards_writer_fini(struct shards_writer *w)
{
    drop_shard(w);
    leave_case(w);
}

static enum st enter_case(struct shards_writer *w, uint32_t kase, struct diag *d)
{
    if (w->kase == kase) return ST_OK;
    leave_case(w);
    TRY(grid_scenario(w->grid, kase, &w->scn, d));
    w->kase = kase;
    for (size_t p = 0; p < w->scn.asked.n_policies; p++) {        /* labels of the grid: a policy may name itself */
        mem_free(w->scn.asked.policy[p].label);
        w->scn.asked.policy[p].label = mem_strdup(w->grid->at[kase].policy[p].label);
    }
    setup_begin(&w->setup, &w->scn);
    return ST_OK;
}

/* *row: the id of the row that the run has in the shard, 0 for none; *is_it: it stands under the key that is expected. */
static enum st run_into(struct shards_writer *w, size_t i, int64_t *row, bool *is_it, struct diag *d)
{
    const struct grid_run *r = &w->grid->run[i];
    struct run_env env = { .store = w->store, .progress = w->progress, .stop = run_interrupt(), .limits = w->grid->opts.limits };
    struct run_result result;
    TRY(enter_case(w, r->kase, d));
    TRY(setup_trace(&w->setup, r->seed, d));
    TRY(setup_isolated(&w->setup, &env.isolated, d));
    env.scn = &w->scn;
    env.trace = &w->setup.trace;
    if (w->progress != NULL) progress_run(w->progress, env.trace->facts.n_jobs);
    enum st st = run_one(&env, &w->scn.asked.policy[r->policy], r->seed, &result, d);
    *row = result.id;
    *is_it = strcmp(result.key, r->key) == 0;
    if (st != ST_OK || *is_it) return st;
    return diag_at(d, ST_EINPUT, w->scn.id.path, 0, 0, "the scenario or its trace changed while the sweep ran");
}

static enum st open_shard(struct shards_writer *w, size_t first, struct diag *d)
{
    char tmp[PATH_MAX_LEN];
    w->first = first;
    w->n = 0;
    w->began = progress_clock();
    (void)unlink(tmp_path(w, tmp));
    drop_journal(tmp);
    return store_open_part(&w->store, tmp, d);
}

/* Synced to the disk, then renamed. */
static enum st seal(struct shards_writer *w, int status, struct diag *d)
{
    char tmp[PATH_MAX_LEN], path[PATH_MAX_LEN];
    (void)tmp_path(w, tmp);
    (void)snprintf(path, sizeof path, "%s/%s-%d%s", w->dir, w->grid->run[w->first].key, status, shard_end);
    store_close(w->store);
    w->store = NULL;
    drop_journal(tmp);
    int fd = open(tmp, O_RDWR);
    bool ok = fd >= 0 && fsync(fd) == 0;
    if (fd >= 0 && close(fd) != 0) ok = false;
    if (ok && rename(tmp, path) == 0) return ST_OK;
    (void)diag_at(d, ST_EWORLD, w->dir, 0, 0, "a part cannot be written: %s", strerror(errno));
    (void)unlink(tmp);
    return d->code;
}

bool shards_is_due(const struct shards_writer *w)
{
    return w->store != NULL && (w->n >= RUNS_MOST || progress_clock() - w->began >= SECONDS_MOST);
}

enum st shards_seal(struct shards_writer *w, struct diag *d)
{
    if (w->store != NULL && w->n == 0) drop_shard(w);
    return w->store != NULL ? seal(w, 0, d) : ST_OK;
}

/* A run that its input or its policy stopped: its row, with the error, alone in a shard. */
static enum st write_failure(struct shards_writer *w, size_t i, int status, const struct diag *error, struct diag *d)
{
    struct store_run row;
    int64_t id;
    char text[sizeof error->file + sizeof error->msg + 32];
    grid_row(w->grid, i, &row);
    if (error->file[0] == '\0') (void)snprintf(text, sizeof text, "%s", error->msg);
    else if (error->line == 0) (void)snprintf(text, sizeof text, "%s: %s", error->file, error->msg);
    else (void)snprintf(text, sizeof text, "%s:%u:%u: %s", error->file, error->line, error->col, error->msg);
    TRY(open_shard(w, i, d));
    TRY(store_run_begin(w->store, &row, &id, d));
    TRY(store_run_end(w->store, id, STORE_FAILED, 0, text, 0, d));
    return seal(w, status, d);
}

static enum st drop_row(struct shards_writer *w, int64_t row, struct diag *d)
{
    char sql[64];
    if (row == 0) return ST_OK;
    (void)snprintf(sql, sizeof sql, "DELETE FROM run WHERE id = %lld", (long long)row);
    return query_exec(w->store, sql, d);
}

static enum st write_run(struct shards_writer *w, size_t i, struct diag *failed, struct diag *d)
{
    int64_t row = 0;
    bool is_it = false;
    if (w->store == NULL) TRY(open_shard(w, i, d));
    enum st st = run_into(w, i, &row, &is_it, failed);
    /* A policy that failed: run_one wrote it, with what there was until then. */
    const bool is_whole = st == ST_OK || (st == ST_EPOLICY && row != 0 && is_it);
    w->n += is_whole;
    if (is_whole) return ST_OK;
    if (st == ST_EWORLD) { *d = *failed; return st; }
    TRY(drop_row(w, row, d));
    if (st == ST_EINTR) { *d = *failed; return st; }
    TRY(shards_seal(w, d));
    return write_failure(w, i, diag_exit_status(st), failed, d);
}

enum st shards_write(struct shards_writer *w, size_t i, struct diag *failed, struct diag *d)
{
    enum st st = write_run(w, i, failed, d);
    /* The file is about to go: its folder is what anyone finds. */
    if (strstr(d->file, tmp_mark) != NULL) (void)snprintf(d->file, sizeof d->file, "%s", w->dir);
    if (st != ST_OK && st != ST_EINTR) drop_shard(w);
    return st;
}

/* ---- the folder ---- */

static enum st cannot(const char *dir, const char *what, struct diag *d)
{
    return diag_at(d, ST_EWORLD, dir, 0, 0, "cannot %s: %s", what, strerror(errno));
}

static enum st lock(const char *dir, struct diag *d)
{
    char path[PATH_MAX_LEN];
    struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    (void)snprintf(path, sizeof path, "%s/%s", dir, lock_name);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);      /* stays open: the lock ends with the process */
    if (fd < 0) return cannot(path, "be written", d);
    if (fcntl(fd, F_SETLK, &l) == 0) return ST_OK;
    bool is_taken = errno == EACCES || errno == EAGAIN;
    (void)close(fd);
    if (!is_taken) return cannot(path, "be locked", d);
    (void)diag_at(d, ST_EWORLD, dir, 0, 0, "another sweep is at work here");
    return diag_hint(d, "wait until it is done, or give another database with -d");
}

static enum st drop_unfinished(const char *dir, struct diag *d)
{
    DIR *at = opendir(dir);
    if (at == NULL) return cannot(dir, "read the folder", d);
    for (const struct dirent *e; (e = readdir(at)) != NULL;) {
        char path[PATH_MAX_LEN];
        if (strstr(e->d_name, tmp_mark) == NULL) continue;
        (void)snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        (void)unlink(path);
    }
    (void)closedir(at);
    return ST_OK;
}

enum st shards_open(const char *dir, struct diag *d)
{
    if (strlen(dir) > PATH_MAX_LEN - 300) return diag_set(d, ST_EINPUT, "the path of the folder for parts is too long");
    if (mkdir(dir, 0777) != 0 && errno != EEXIST) return cannot(dir, "make the folder", d);
    TRY(lock(dir, d));
    return drop_unfinished(dir, d);
}

void shards_close(const char *dir)
{
    char path[PATH_MAX_LEN];
    struct diag ignored = { 0 };
    (void)drop_unfinished(dir, &ignored);       /* left by a writer that died */
    (void)snprintf(path, sizeof path, "%s/%s", dir, lock_name);
    (void)unlink(path);
    (void)rmdir(dir);           /* fails, rightly, when shards of another sweep are in it */
}

/* KEY-STATUS.part of a run of the grid? */
static bool read_name(const char *name, const struct grid *g, size_t *run, int *status)
{
    char key[HASH_HEX], *end;
    if (strlen(name) < KEY_LEN + sizeof "-0" || name[KEY_LEN] != '-') return false;
    memcpy(key, name, KEY_LEN);
    key[KEY_LEN] = '\0';
    *status = (int)strtol(name + KEY_LEN + 1, &end, 10);
    if (strcmp(end, shard_end) != 0) return false;
    *run = grid_find(g, key);
    return *run < g->n;
}

static int by_run(const void *a, const void *b)
{
    const struct shard *x = a, *y = b;
    if (x->run != y->run) return x->run < y->run ? -1 : 1;
    return x->status - y->status;       /* a done one first */
}

enum st shards_scan(struct shards *p, const char *dir, const struct grid *g, struct diag *d)
{
    memset(p, 0, sizeof *p);
    DIR *at = opendir(dir);
    if (at == NULL) return cannot(dir, "read the folder", d);
    for (const struct dirent *e; (e = readdir(at)) != NULL;) {
        char path[PATH_MAX_LEN];
        struct shard one = { .run = 0 };
        if (!read_name(e->d_name, g, &one.run, &one.status)) continue;
        (void)snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        one.path = mem_strdup(path);
        MEM_RESERVE(p->at, p->cap, p->n + 1);
        p->at[p->n++] = one;
    }
    (void)closedir(at);
    if (p->n > 0) qsort(p->at, p->n, sizeof *p->at, by_run);
    return ST_OK;
}

void shards_fini(struct shards *p)
{
    for (size_t i = 0; i < p->n; i++) mem_free(p->at[i].path);
    mem_free(p->at);
    memset(p, 0, sizeof *p);
}

/*
 * local.c -- worker processes, and the loop that gives them runs.
 *
 * A worker is sent a run through one pipe and answers through
 * another; the end of the answers is the worker's end.  One that dies over its run
 * costs that run alone: it is marked, those of its shard that was not sealed are done again,
 * and another worker is started.
 */
#include "sweep/local.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/mem.h"

enum { POLL_MS = 200, GRACE_S = 10 };

/* What a worker is sent.  is_late: one of the last: its shard is sealed at its end, to be taken while others run. */
struct order { size_t run; bool is_late; };

/* What a worker writes: its run is in the shard, which is sealed (is_sealed) or not; or that is sealed for want of
 * another run.  MSG_BROKEN is followed by its diag.  Shorter than PIPE_BUF, so that each arrives whole. */
enum msg_type { MSG_PROGRESS, MSG_RAN, MSG_SEALED, MSG_BROKEN };
struct msg { enum msg_type type; double fraction; bool is_sealed; };

struct worker {
    pid_t  pid;             /* 0: none */
    int    to, from;        /* -1: closed */
    size_t run;             /* that it was given; n: none */
    size_t *shard, n_shard, cap_shard;          /* the runs that it did since it sealed one */
    double fraction, began;     /* of it that is done; when it was given */
};

struct pool {
    struct results *results;
    struct worker *w; uint32_t n;
    bool  *is_open;         /* [n_groups] some worker was given a run of this case and seed */
    size_t next_group;
    struct { double sum, n; } *took;            /* [n_policies] seconds that its runs did take */
    bool   is_stopping;
    struct diag broken;     /* a worker met a full disk or the like */
};

/* 1: all of it; 0: the end; -1: an error, or a signal that stops the sweep. */
static int read_all(int fd, void *to, size_t n)
{
    for (char *p = to; n > 0;) {
        ssize_t got = read(fd, p, n);
        if (got < 0 && errno == EINTR && !run_is_interrupted()) continue;
        if (got <= 0) return (int)got;
        p += got;
        n -= (size_t)got;
    }
    return 1;
}

static bool write_all(int fd, const void *from, size_t n)
{
    for (const char *p = from; n > 0;) {
        ssize_t put = write(fd, p, n);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        p += put;
        n -= (size_t)put;
    }
    return true;
}

/* ---- in the worker ---- */

/* When the reader is gone, nobody waits for the result: as if interrupted, here or in the sandbox of a policy. */
static void report(void *ctx, double fraction, uint64_t n_ended, sim_tick now)
{
    (void)n_ended;
    (void)now;
    const int *fd = ctx;
    struct msg m = { MSG_PROGRESS, fraction, false };
    if (!write_all(*fd, &m, sizeof m)) (void)raise(SIGTERM);
}

_Noreturn static void work(const struct results *results, int in, int out)
{
    struct progress progress;
    struct shards_writer w;
    progress_begin(&progress, true);
    progress.report = report;
    progress.ctx = &out;
    shards_writer_begin(&w, results->grid, results->dir, &progress);
    struct { struct msg m; struct diag d; } answer = { .m = { MSG_RAN, 1, false } };
    bool is_heard = true;
    for (struct order o; is_heard && read_all(in, &o, sizeof o) > 0;) {
        struct diag failed = { 0 };
        enum st st = shards_write(&w, o.run, &failed, &answer.d);
        if (st == ST_EINTR) break;
        answer.m.is_sealed = o.is_late || shards_is_due(&w) || failed.code != ST_OK;
        if (st == ST_OK && answer.m.is_sealed) st = shards_seal(&w, &answer.d);
        if (st != ST_OK) answer.m.type = MSG_BROKEN;
        is_heard = write_all(out, &answer, st == ST_OK ? sizeof answer.m : sizeof answer);
    }
    if (w.store != NULL) {
        answer.d.code = ST_OK;
        answer.m.type = shards_seal(&w, &answer.d) == ST_OK ? MSG_SEALED : MSG_BROKEN;
        (void)write_all(out, &answer, answer.m.type == MSG_SEALED ? sizeof answer.m : sizeof answer);
    }
    shards_writer_fini(&w);
    _exit(0);
}

/* ---- workers, seen from here ---- */

static void close_fd(int *fd)
{
    if (*fd >= 0) (void)close(*fd);
    *fd = -1;
}

static enum st start_worker(struct pool *p, struct worker *w, struct diag *d)
{
    int to[2], from[2];
    if (pipe(to) != 0) return diag_set(d, ST_EWORLD, "cannot start a worker: %s", strerror(errno));
    if (pipe(from) != 0) {
        (void)close(to[0]);
        (void)close(to[1]);
        return diag_set(d, ST_EWORLD, "cannot start a worker: %s", strerror(errno));
    }
    /* Closed in programs that policies start: an end held open there would hide that the worker ended. */
    for (int i = 0; i < 2; i++) {
        (void)fcntl(to[i], F_SETFD, FD_CLOEXEC);
        (void)fcntl(from[i], F_SETFD, FD_CLOEXEC);
    }
    (void)fflush(stdout);
    (void)fflush(stderr);
    pid_t pid = fork();
    if (pid == 0) {
        /* The pipes of other workers: an end held open here would hide that they ended. */
        for (uint32_t i = 0; i < p->n; i++) { close_fd(&p->w[i].to); close_fd(&p->w[i].from); }
        (void)close(to[1]);
        (void)close(from[0]);
        work(p->results, to[0], from[1]);
    }
    (void)close(to[0]);
    (void)close(from[1]);
    *w = (struct worker){ .pid = pid, .to = to[1], .from = from[0], .run = p->results->grid->n,
                          .shard = w->shard, .cap_shard = w->cap_shard };
    if (pid > 0) return ST_OK;
    w->pid = 0;
    close_fd(&w->to);
    close_fd(&w->from);
    return diag_set(d, ST_EWORLD, "cannot start a worker: %s", strerror(errno));
}

/*
 * Of the runs wanted from `i` to before `end` that of the policy whose runs took longest, so that short ones are last;
 * first of all of one that is not known yet.
 */
static size_t longest(const struct pool *p, size_t i, size_t end)
{
    const struct grid *g = p->results->grid;
    size_t best = g->n;
    double most = -1;
    for (; i < end; i++) {
        const uint32_t k = g->run[i].policy;
        const double mean = p->took[k].n > 0 ? p->took[k].sum / p->took[k].n : INFINITY;
        if (p->results->state[i] != RESULTS_WANTED || mean <= most) continue;
        best = i;
        most = mean;
    }
    return best;
}

static size_t longest_of(const struct pool *p, size_t group)
{
    const struct grid *g = p->results->grid;
    return longest(p, g->group_at[group], g->group_at[group + 1]);
}

/* More of the case and seed at hand; else one that nobody has begun; else what is left of any. */
static size_t choose(struct pool *p, size_t last)
{
    const struct grid *g = p->results->grid;
    size_t i = last < g->n ? longest_of(p, g->run[last].group) : g->n;
    for (; i == g->n && p->next_group < g->n_groups; p->next_group++)
        if (!p->is_open[p->next_group]) i = longest_of(p, p->next_group);
    if (i == g->n) i = longest(p, results_next(p->results), g->n);
    if (i < g->n) p->is_open[g->run[i].group] = true;
    return i;
}

/* Give it work, or let it go. */
static void give_run(struct pool *p, struct worker *w)
{
    size_t last = w->run;
    w->run = p->is_stopping ? p->results->grid->n : choose(p, last);
    w->fraction = 0;
    w->began = progress_clock();
    if (w->run == p->results->grid->n) { close_fd(&w->to); return; }
    p->results->state[w->run] = RESULTS_GIVEN;
    /* If it has ended, its pipe shows it when it is read; if it cannot be told, it ends, and that shows too. */
    const struct order o = { w->run, results_n_todo(p->results) <= 3 * (size_t)p->n };
    if (!write_all(w->to, &o, sizeof o)) close_fd(&w->to);
}

static void stop_workers(struct pool *p, int sig)
{
    p->is_stopping = true;
    for (uint32_t i = 0; i < p->n; i++) {
        if (p->w[i].pid == 0) continue;
        close_fd(&p->w[i].to);
        (void)kill(p->w[i].pid, sig);
    }
}

/* Its pipe ended: it was let go, or it died over its run. */
static enum st reap_worker(struct pool *p, struct worker *w, struct diag *d)
{
    int status = 0;
    const size_t run = w->run, none = p->results->grid->n;
    char error[128];
    while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR) {}
    close_fd(&w->to);
    close_fd(&w->from);
    w->pid = 0;
    w->run = none;
    TRY(results_merge(p->results, NULL, d));                   /* it may have died between its shard and its message */
    for (size_t i = 0; i < w->n_shard; i++) results_want(p->results, w->shard[i]);
    w->n_shard = 0;
    if (run == none || p->results->state[run] != RESULTS_GIVEN) return ST_OK;
    if (p->is_stopping) return results_mark(p->results, run, STORE_INTERRUPTED, "interrupted", d);
    if (WIFSIGNALED(status)) (void)snprintf(error, sizeof error, "its worker was ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else (void)snprintf(error, sizeof error, "its worker ended with status %d", WEXITSTATUS(status));
    return results_mark(p->results, run, STORE_FAILED, error, d);
}

/* What was in the sealed shard and is not in the database could not be read. */
static enum st take_shard(struct pool *p, struct worker *w, struct diag *d)
{
    TRY(results_merge(p->results, NULL, d));
    for (size_t i = 0; i < w->n_shard; i++)
        if (p->results->state[w->shard[i]] == RESULTS_GIVEN) TRY(results_lost(p->results, w->shard[i], d));
    w->n_shard = 0;
    return ST_OK;
}

static enum st read_worker(struct pool *p, struct worker *w, struct diag *d)
{
    struct msg m;
    const int got = read_all(w->from, &m, sizeof m);
    if (got < 0 && errno == EINTR) return ST_OK;
    if (got < 0) return diag_set(d, ST_EWORLD, "cannot hear a worker: %s", strerror(errno));    /* it may well live */
    if (got == 0) {
        TRY(reap_worker(p, w, d));
        if (!p->is_stopping && results_next(p->results) < p->results->grid->n) {
            TRY(start_worker(p, w, d));
            give_run(p, w);
        }
        return ST_OK;
    }
    w->fraction = m.fraction;
    if (m.type == MSG_PROGRESS) return ST_OK;
    if (m.type == MSG_BROKEN) {
        struct diag error = { 0 };
        if (read_all(w->from, &error, sizeof error) > 0 && p->broken.code == ST_OK) p->broken = error;
        stop_workers(p, SIGTERM);
        return ST_OK;
    }
    if (m.type == MSG_SEALED) return take_shard(p, w, d);
    const uint32_t k = p->results->grid->run[w->run].policy;
    p->took[k].sum += progress_clock() - w->began;
    p->took[k].n++;
    MEM_PUSH(w->shard, w->n_shard, w->cap_shard, w->run);
    give_run(p, w);             /* first: it simulates while its shard is taken */
    return m.is_sealed ? take_shard(p, w, d) : ST_OK;
}

/* ---- the loop ---- */

static enum st serve(struct pool *p, struct diag *d)
{
    struct pollfd *fds;
    struct worker **of;
    enum st st = ST_OK;
    double stopped = 0;
    MEM_ARRAY(fds, p->n);
    MEM_ARRAY(of, p->n);
    while (st == ST_OK) {
        nfds_t n = 0;
        size_t busy = 0;
        double fractions = 0;
        if (run_is_interrupted() && !p->is_stopping) stop_workers(p, SIGTERM);
        if (p->is_stopping && stopped <= 0) stopped = progress_clock();
        if (p->is_stopping && progress_clock() - stopped > GRACE_S) stop_workers(p, SIGKILL);
        for (uint32_t i = 0; i < p->n; i++) {
            struct worker *w = &p->w[i];
            if (w->pid == 0) continue;
            fds[n] = (struct pollfd){ .fd = w->from, .events = POLLIN };
            of[n++] = w;
            busy += w->run < p->results->grid->n;
            fractions += w->run < p->results->grid->n ? w->fraction : 0;
        }
        if (n == 0) break;
        results_show_progress(p->results, busy, fractions, "");
        if (poll(fds, n, POLL_MS) < 0) {
            if (errno == EINTR) continue;
            st = diag_set(d, ST_EWORLD, "cannot wait for the workers: %s", strerror(errno));
        }
        for (nfds_t i = 0; i < n && st == ST_OK; i++)
            if (fds[i].revents != 0) st = read_worker(p, of[i], d);
    }
    mem_free(fds);
    mem_free(of);
    return st;
}

enum st local_run(struct results *results, uint32_t n_workers, struct diag *d)
{
    struct pool p = { .results = results };
    struct sigaction ignore, old;
    size_t todo = results_n_todo(results);
    enum st st = ST_OK;
    memset(&ignore, 0, sizeof ignore);
    ignore.sa_handler = SIG_IGN;
    (void)sigaction(SIGPIPE, &ignore, &old);
    MEM_ARRAY(p.w, n_workers);
    MEM_ARRAY(p.is_open, results->grid->n_groups);
    MEM_ARRAY(p.took, results->grid->n_policies);
    for (; p.n < n_workers && p.n < todo && st == ST_OK; p.n++) {
        st = start_worker(&p, &p.w[p.n], d);
        if (st == ST_OK) give_run(&p, &p.w[p.n]);
    }
    if (st == ST_OK) st = serve(&p, d);
    if (st != ST_OK) {
        stop_workers(&p, SIGKILL);
        for (uint32_t i = 0; i < p.n; i++) {
            if (p.w[i].pid != 0) while (waitpid(p.w[i].pid, NULL, 0) < 0 && errno == EINTR) {}
            close_fd(&p.w[i].from);
        }
    }
    progress_clear(&results->progress);
    if (st == ST_OK && p.broken.code != ST_OK) { *d = p.broken; st = d->code; }
    if (st == ST_OK && p.is_stopping) st = diag_set(d, ST_EINTR, "interrupted; the same command goes on from here");
    for (uint32_t i = 0; i < n_workers; i++) mem_free(p.w[i].shard);
    mem_free(p.w);
    mem_free(p.is_open);
    mem_free(p.took);
    (void)sigaction(SIGPIPE, &old, NULL);
    return st;
}

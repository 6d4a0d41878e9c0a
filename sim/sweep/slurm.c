/*
 * slurm.c -- array tasks sent, watched and sent again; and what such a task does.
 *
 * What counts is the shards.  The queue is asked only to learn which tasks are
 * gone, and a task is thought lost when it was missing twice.
 */
#include "sweep/slurm.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include "sweep/slurm_cmd.h"
#include "base/mem.h"

/* Looks at the folder, and the patience with a controller that does not answer, in seconds. */
enum { LOOK_MS = 300, SILENCE_S = 600 };

/* One array task: runs first .. first + n of `order`. */
struct sent_task {
    uint64_t job, index;
    size_t   first, n;
    double   began;             /* when it was first seen to run; 0: not yet */
    uint32_t missed;            /* looks at the queue without it */
    bool     is_over;
};

struct slurm_sweep {
    struct results *results;
    const struct slurm_opts *o;
    struct slurm_cmd cmd;
    size_t   *order; size_t n_order, cap_order;         /* runs as they were sent */
    struct sent_task *task; size_t n_tasks, cap_tasks;
    uint32_t *sent;             /* [grid->n] how often */
    double    polled, answered;  /* the queue: when last, and when it last answered */
};

/* ---- sending ---- */

static enum st send_all(struct slurm_sweep *v, struct diag *d)
{
    const struct grid *g = v->results->grid;
    size_t from = v->n_order;
    for (size_t i = 0; i < g->n; i++) {
        if (v->results->state[i] != RESULTS_WANTED) continue;
        MEM_RESERVE(v->order, v->cap_order, v->n_order + 1);
        v->order[v->n_order++] = i;
        v->sent[i]++;
    }
    size_t n = v->n_order - from, per = v->o->per_task, n_new = (n + per - 1) / per;
    if (n == 0) return ST_OK;
    TRY(slurm_cmd_list(&v->cmd, g, &v->order[from], n, d));
    for (size_t t = 0; t < n_new;) {
        size_t k = n_new - t < v->cmd.array_max ? n_new - t : v->cmd.array_max;
        uint64_t job;
        TRY(slurm_cmd_send(&v->cmd, t, k, &job, d));
        for (size_t i = 0; i < k; i++, t++) {
            MEM_RESERVE(v->task, v->cap_tasks, v->n_tasks + 1);
            v->task[v->n_tasks++] = (struct sent_task){ .job = job, .index = i, .first = from + t * per,
                                                   .n = n - t * per < per ? n - t * per : per };
        }
    }
    for (size_t k = from; k < v->n_order; k++) v->results->state[v->order[k]] = RESULTS_GIVEN;
    return ST_OK;
}

/* ---- looking ---- */

static bool is_wanted(const struct slurm_sweep *v, const struct sent_task *t)
{
    for (size_t k = t->first; k < t->first + t->n; k++)
        if (v->results->state[v->order[k]] == RESULTS_GIVEN) return true;
    return false;
}

static struct sent_task *find_task(struct slurm_sweep *v, uint64_t job, uint64_t index)
{
    size_t i = 0;
    while (i < v->n_tasks && v->task[i].job != job) i++;        /* an array's tasks stand together, from index 0 */
    return i < v->n_tasks && index < v->n_tasks - i && v->task[i + index].job == job ? &v->task[i + index] : NULL;
}

/* The runs that it did not bring are sent again, or given up. */
static enum st task_over(struct slurm_sweep *v, struct sent_task *t, struct diag *d)
{
    t->is_over = true;
    for (size_t k = t->first; k < t->first + t->n; k++) {
        size_t i = v->order[k];
        char reason[512];
        if (v->results->state[i] != RESULTS_GIVEN) continue;
        v->results->state[i] = RESULTS_WANTED;
        if (v->sent[i] <= v->o->retries) continue;
        (void)snprintf(reason, sizeof reason, "no result after it was sent %" PRIu32 " times; see %.300s/log-%" PRIu64 "_%" PRIu64 ".txt",
                       v->sent[i], v->results->dir, t->job, t->index);
        TRY(results_mark(v->results, i, STORE_FAILED, reason, d));
    }
    return ST_OK;
}

/*
 * Ask the queue.  A task that is not in it is over, but only the second time:
 * its shards may still be on their way through the shared file system, and it
 * may not have come into the queue yet.
 */
static enum st poll_queue(struct slurm_sweep *v, struct diag *d)
{
    struct slurm_queue q;
    double now = progress_clock();
    struct diag silent = { 0 };
    v->polled = now;
    if (slurm_cmd_queue(&v->cmd, &q, &silent) != ST_OK) {
        if (now - v->answered > SILENCE_S) *d = silent;
        return now - v->answered > SILENCE_S ? ST_EWORLD : ST_OK;
    }
    v->answered = now;
    for (size_t i = 0; i < v->n_tasks; i++) v->task[i].missed++;
    for (size_t i = 0; i < q.n; i++) {
        struct sent_task *t = find_task(v, q.at[i].job, q.at[i].index);
        if (t == NULL || q.at[i].is_ending) continue;
        t->missed = 0;
        if (q.at[i].is_running && t->began <= 0) t->began = now;
    }
    slurm_cmd_queue_fini(&q);
    TRY(results_merge(v->results, NULL, d));               /* before anything is thought lost */
    for (size_t i = 0; i < v->n_tasks; i++) {
        struct sent_task *t = &v->task[i];
        if (t->is_over) continue;
        bool is_late = v->o->deadline_us > 0 && t->began > 0 && (now - t->began) * 1e6 > (double)v->o->deadline_us;
        if (is_late) slurm_cmd_cancel_task(t->job, t->index);
        if (is_late || t->missed >= 2) TRY(task_over(v, t, d));
    }
    return ST_OK;
}

static size_t n_running(const struct slurm_sweep *v)
{
    size_t n = 0;
    for (size_t i = 0; i < v->n_tasks; i++) n += !v->task[i].is_over && v->task[i].began > 0 && is_wanted(v, &v->task[i]);
    return n;
}

/* The queue is asked after a twentieth of the time that the sweep has taken, one to fifteen seconds. */
static bool is_time_to_poll(const struct slurm_sweep *v, double began)
{
    double now = progress_clock(), every = (now - began) / 20;
    every = every < 1 ? 1 : every > 15 ? 15 : every;
    return now - v->polled >= every;
}

static enum st watch(struct slurm_sweep *v, struct diag *d)
{
    double began = progress_clock();
    v->answered = v->polled = began;
    TRY(send_all(v, d));
    while (results_n_todo(v->results) > 0) {
        char more[64];
        size_t running = n_running(v);
        (void)snprintf(more, sizeof more, " (of %zu sent)", v->n_tasks);
        results_show_progress(v->results, running, 0, more);
        if (run_is_interrupted()) return diag_set(d, ST_EINTR, "interrupted, and its jobs cancelled; the same command goes on from here");
        (void)poll(NULL, 0, LOOK_MS);
        TRY(results_merge(v->results, NULL, d));
        if (!is_time_to_poll(v, began)) continue;
        TRY(poll_queue(v, d));
        TRY(send_all(v, d));
    }
    return ST_OK;
}

static enum st mark_interrupted(struct slurm_sweep *v, struct diag *d)
{
    for (size_t i = 0; i < v->n_tasks; i++) {
        const struct sent_task *t = &v->task[i];
        for (size_t k = t->first; !t->is_over && t->began > 0 && k < t->first + t->n; k++)
            if (v->results->state[v->order[k]] == RESULTS_GIVEN) TRY(results_mark(v->results, v->order[k], STORE_INTERRUPTED, "interrupted", d));
    }
    return ST_OK;
}

enum st slurm_run(struct results *results, const struct slurm_opts *o, struct diag *d)
{
    struct slurm_sweep v = { .results = results, .o = o };
    MEM_ARRAY(v.sent, results->grid->n);
    enum st st = slurm_cmd_begin(&v.cmd, results->grid, o, results->dir, d);
    if (st == ST_OK) {
        st = watch(&v, d);
        progress_clear(&results->progress);
        slurm_cmd_cancel(&v.cmd);       /* tasks whose runs came otherwise; on Ctrl-C and errors, all */
        struct diag ignored = { 0 };
        struct diag *then = st == ST_OK ? d : &ignored;
        enum st took = results_merge(results, NULL, then);
        if (st == ST_EINTR) (void)mark_interrupted(&v, &ignored);
        if (st == ST_OK) st = took;
    }
    slurm_cmd_fini(&v.cmd);
    mem_free(v.order);
    mem_free(v.task);
    mem_free(v.sent);
    return st;
}

void slurm_clean(const struct results *results)
{
    if (results->n_failed == 0) slurm_cmd_clean(results->dir);
}

/* ---- an array task ---- */

enum st slurm_task(const struct grid *g, const char *dir, const char *list, uint64_t task, size_t per_task, struct diag *d)
{
    char line[HASH_HEX + 8];
    FILE *f = fopen(list, "r");
    if (f == NULL) return diag_at(d, ST_EWORLD, list, 0, 0, "cannot read: %s", strerror(errno));
    struct shards_writer w;
    enum st st = ST_OK;
    shards_writer_begin(&w, g, dir, NULL);
    run_catch_interrupt();
    for (uint64_t at = 0; st == ST_OK && at < (task + 1) * per_task && fgets(line, sizeof line, f) != NULL; at++) {
        struct diag failed = { 0 };
        line[strcspn(line, "\n")] = '\0';
        if (at < task * per_task) continue;
        size_t i = grid_find(g, line);
        if (i == g->n) st = diag_at(d, ST_EINPUT, list, (uint32_t)at + 1, 1, "this is no run of %s: the scenario, its trace or the program changed", g->opts.scenario);
        else st = shards_write(&w, i, &failed, d);
        if (st == ST_OK) st = shards_seal(&w, d);       /* whoever watches counts each run */
        if (failed.code != ST_OK) diag_print(&failed, stderr);
    }
    (void)fclose(f);
    shards_writer_fini(&w);
    return st;
}

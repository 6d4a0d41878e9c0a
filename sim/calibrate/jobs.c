/* jobs.c -- the jobs of the compared runs, read once: what is recorded of each, and its wait under every policy. */
#include <math.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "calibrate/calibrate.h"
#include "db/query.h"

static enum st load_recorded(struct calibration *c, int64_t **ordinal, struct diag *d)
{
    sqlite3_stmt *q;
    size_t n = 0, cap = 0;
    TRY(query_run(c->store, c->policy[0].run,
                  "SELECT ordinal, submit_us, recorded_start_us, end_us - start_us, cpu_milli, gpu_milli, class, user,"
                  " queue, counted FROM job WHERE run = ?1 AND recorded_start_us IS NOT NULL"
                  " AND status IN ('done', 'timeout') ORDER BY ordinal", &q, d));
    while (sqlite3_step(q) == SQLITE_ROW) {
        const sim_tick start = sqlite3_column_int64(q, 2);
        MEM_PUSH(*ordinal, n, cap, sqlite3_column_int64(q, 0));
        MEM_PUSH(c->job, c->n, c->cap, (struct calibrate_job){
            .submit = sqlite3_column_int64(q, 1), .start = start, .end = start + sqlite3_column_int64(q, 3),
            .cpu_milli = sqlite3_column_int64(q, 4), .gpu_milli = sqlite3_column_int64(q, 5),
            .class = intern_id(&c->class, query_text(q, 6)), .user = intern_id(&c->user, query_text(q, 7)),
            .queue = intern_id(&c->queue, query_text(q, 8)), .counted = sqlite3_column_int(q, 9) != 0 });
    }
    TRY(query_end(c->store, q, d));
    if (c->n > 0) return ST_OK;
    (void)diag_set(d, ST_EINPUT, "no job of '%s' has a recorded start", c->title);
    return diag_hint(d, "the trace must have them: `fairway trace stats` tells");
}

/* Both are in the order of ordinals. */
static enum st load_waits(struct calibration *c, size_t policy, const int64_t *ordinal, struct diag *d)
{
    sqlite3_stmt *q;
    size_t i = 0;
    TRY(query_run(c->store, c->policy[policy].run,
                  "SELECT ordinal, start_us - submit_us FROM job WHERE run = ?1 AND counted"
                  " AND status IN ('done', 'timeout') ORDER BY ordinal", &q, d));
    while (sqlite3_step(q) == SQLITE_ROW) {
        while (i < c->n && ordinal[i] < sqlite3_column_int64(q, 0)) i++;
        if (i < c->n && ordinal[i] == sqlite3_column_int64(q, 0))
            c->wait[policy * c->n + i] = (double)sqlite3_column_int64(q, 1) / 1e6;
    }
    return query_end(c->store, q, d);
}

/* Quantiles of different jobs cannot be set beside each other: a job that one run lacks is in none. */
static void keep_common(struct calibration *c)
{
    for (size_t i = 0; i < c->n; i++) {
        bool all = c->job[i].counted;
        c->wait[i] = (double)(c->job[i].start - c->job[i].submit) / 1e6;
        for (size_t p = 1; p < c->n_policies; p++) all = all && !isnan(c->wait[p * c->n + i]);
        for (size_t p = 0; p < c->n_policies && !all; p++) c->wait[p * c->n + i] = NAN;
    }
}

enum st calibrate_load_jobs(struct calibration *c, struct diag *d)
{
    sqlite3_stmt *q;
    int64_t *ordinal = NULL;
    enum st st = load_recorded(c, &ordinal, d);
    if (st == ST_OK) {
        MEM_ARRAY(c->wait, c->n_policies * c->n);
        for (size_t i = 0; i < c->n_policies * c->n; i++) c->wait[i] = NAN;
        for (size_t p = 1; p < c->n_policies && st == ST_OK; p++) st = load_waits(c, p, ordinal, d);
        keep_common(c);
    }
    mem_free(ordinal);
    TRY(st);
    TRY(query_run(c->store, c->policy[0].run, "SELECT sum(cpu_milli), sum(n_gpu) * 1000 FROM node WHERE run = ?1",
                  &q, d));
    if (sqlite3_step(q) == SQLITE_ROW) {
        c->cpu_milli = sqlite3_column_int64(q, 0);
        c->gpu_milli = sqlite3_column_int64(q, 1);
    }
    return query_end(c->store, q, d);
}

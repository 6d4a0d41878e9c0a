/*
 * explain.c -- the story of one job: what it is and asks, its arrival, its steps, its end.
 *
 * The steps in between are found by attempts.c, or by calls.c for a job whose
 * tasks make API calls.
 */
#include "explain/explain_priv.h"

#include <inttypes.h>
#include <string.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "base/text.h"
#include "db/check.h"
#include "db/query.h"

/* Which jobs it waited for, before it was eligible. */
static enum st add_dependency(struct explain_state *l, bool is_never, struct diag *d)
{
    struct explain *e = l->e;
    sqlite3_stmt *q;
    char time[48];
    TRY(explain_query(l, "SELECT submitted_us, after, last FROM dependency WHERE run = ?1 AND ordinal = ?2", &q, d));
    if (sqlite3_step(q) == SQLITE_ROW) {
        const int64_t at = sqlite3_column_int64(q, 0);
        const char *last = sqlite3_column_type(q, 2) != SQLITE_NULL ? query_text(q, 2) : NULL;
        struct explain_step *s = explain_step_add(e, EXPLAIN_SUBMITTED, at);
        (void)text_duration(time, sizeof time, e->submit - at);
        if (last != NULL)
            s->text = mem_printf("was submitted, and waited for job %s%s, %s", last,
                                 is_never ? "" : " until it was eligible", time);
        else s->text = mem_printf("was submitted; no job that it waits for was left");
        s->more = mem_strdup(query_text(q, 1));
    }
    return query_end(l->store, q, d);
}

static enum st add_arrival(struct explain_state *l, struct diag *d)
{
    struct explain *e = l->e;
    sqlite3_stmt *q;
    struct explain_step *s = explain_step_add(e, EXPLAIN_ARRIVED, e->submit);
    s->n_tasks = e->n_tasks;
    TRY(explain_query(l, "SELECT id FROM job WHERE run = ?1 AND ordinal < ?2 AND "
                 "status NOT IN ('rejected', 'never_eligible') AND (start_us < 0 OR start_us > ?3)"
                 " AND (end_us < 0 OR end_us > ?3) ORDER BY ordinal", &q, d));
    (void)sqlite3_bind_int64(q, 3, e->submit);
    while (sqlite3_step(q) == SQLITE_ROW) explain_names_add(&s->jobs, query_text(q, 0));
    s->text = mem_strdup(s->jobs.all > 0 ? "arrived; had not started yet of those before it" : "arrived; all those before it had started");
    return query_end(l->store, q, d);
}

static enum st load_job(struct explain_state *l, struct diag *d)
{
    struct explain *e = l->e;
    sqlite3_stmt *q;
    TRY(explain_query(l, "SELECT id, user, class, status, submit_us, end_us, n_tasks, max(n_tasks, coalesce((SELECT max_tasks FROM"
                      " elastic WHERE run = ?1 AND ordinal = ?2), 0)) FROM job WHERE run = ?1 AND ordinal = ?2", &q, d));
    if (sqlite3_step(q) == SQLITE_ROW) {
        char **const to[] = { &e->id, &e->user, &e->klass, &e->status };
        for (int i = 0; i < (int)ARRAY_LEN(to); i++) *to[i] = mem_strdup((const char *)sqlite3_column_text(q, i));
        e->submit = sqlite3_column_int64(q, 4);
        e->end = sqlite3_column_int64(q, 5);
        e->n_tasks = (uint32_t)sqlite3_column_int64(q, 6);
        e->max_tasks = (uint32_t)sqlite3_column_int64(q, 7);
    }
    return query_end(l->store, q, d);
}

static enum st add_call_steps(struct explain_state *l, struct diag *d)
{
    struct explain *e = l->e;
    if (e->task >= e->n_tasks) return diag_set(d, ST_EINPUT, "job '%s' has tasks 0 to %" PRIu32 ", found --task %" PRId64, e->id, e->n_tasks - 1, e->task);
    TRY(explain_calls_steps(l, d));
    if (e->task >= 0) return ST_OK;
    int64_t last = e->submit;
    for (size_t i = 0; i < e->n_steps; i++) last = i64_max(last, e->step[i].at);
    struct explain_step *s = explain_step_add(e, EXPLAIN_ENDED, e->end >= 0 ? e->end : last);
    s->text = mem_strdup(e->status);
    return ST_OK;
}

static enum st build(struct explain_state *l, struct diag *d)
{
    struct explain *e = l->e;
    bool rejected, never;
    TRY(check_job(l->store, e->run->run, e->ordinal, d));
    TRY(load_job(l, d));
    rejected = strcmp(e->status, "rejected") == 0;
    never = strcmp(e->status, "never_eligible") == 0;
    int64_t to = e->end >= 0 ? e->end + 1 : rejected || never ? e->submit + 1 : INT64_MAX;
    TRY(replay_open(&l->replay, l->store, e->run->run, e->submit, to, d));
    TRY(explain_request(l, d));
    TRY(add_dependency(l, never, d));
    if (never) {
        struct explain_step *s = explain_step_add(e, EXPLAIN_NEVER, e->submit);
        s->text = mem_strdup("never eligible: what it waited for can never come about");
        return ST_OK;
    }
    TRY(add_arrival(l, d));
    if (rejected) {
        struct explain_step *s = explain_step_add(e, EXPLAIN_ENDED, e->submit);
        s->text = mem_strdup("rejected: it can never fit on this cluster");
        return ST_OK;
    }
    bool calls;
    TRY(explain_calls_any(l, &calls, d));
    if (calls) return add_call_steps(l, d);
    if (e->task >= 0) return diag_set(d, ST_EINPUT, "job '%s' made no API call in run %" PRId64 "; the stories of such tasks are not told apart", e->id, e->run->run);
    TRY(explain_scores(l, d));
    TRY(explain_attempts_steps(l, d));
    return explain_speeds(l, d);
}

enum st explain_load(struct explain *e, struct store *s, const struct selection *run, uint64_t ordinal, int64_t task, struct diag *d)
{
    struct explain_state l = { .e = e, .store = s };
    memset(e, 0, sizeof *e);
    e->run = run;
    e->ordinal = ordinal;
    e->task = task;
    enum st st = build(&l, d);
    replay_close(&l.replay);
    explain_fit_fini(&l.fit);
    mem_free(l.group);
    mem_free(l.head.reason);
    if (st != ST_OK) explain_fini(e);
    return st;
}

/* select.c -- runs and jobs by name, through the views of finished runs. */
#include "db/select.h"

#include <inttypes.h>
#include <string.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "base/text.h"
#include "db/query.h"

void select_fini(struct selection *p)
{
    MEM_FREE(p->scenario, p->title, p->policy, p->spec, p->source, p->version, p->digest);
    memset(p, 0, sizeof *p);
}

/* ---- what there is ---- */

/* "FIFO/1 (run 1), FIFO/2 (run 7) and 9 more"; policy NULL: of any. */
static void list_runs(struct store *s, const char *policy, char *out, size_t cap)
{
    enum { SHOWN = 6 };
    sqlite3_stmt *q;
    struct diag ignored = { 0 };
    size_t at = 0, n = 0;
    out[0] = '\0';
    if (query_begin(s, "SELECT policy, seed, id FROM v_run WHERE ?1 IS NULL OR policy = ?1 ORDER BY id", &q, &ignored) == ST_OK)
        (void)sqlite3_bind_text(q, 1, policy, -1, SQLITE_STATIC);
    for (; q != NULL && sqlite3_step(q) == SQLITE_ROW; n++) {
        if (n >= SHOWN || at >= cap - 1) continue;
        at += (size_t)snprintf(out + at, cap - at, "%s%s/%llu (run %lld)", n > 0 ? ", " : "", (const char *)sqlite3_column_text(q, 0),
                               (unsigned long long)sqlite3_column_int64(q, 1), (long long)sqlite3_column_int64(q, 2));
    }
    (void)sqlite3_finalize(q);
    if (n > SHOWN && at < cap - 1) (void)snprintf(out + at, cap - at, " and %zu more", n - SHOWN);
}

static enum st none(struct store *s, const char *text, struct diag *d)
{
    enum { LABELS_MAX_SHOWN = 256 };
    char *label[LABELS_MAX_SHOWN], there[200];
    size_t n = 0;
    sqlite3_stmt *q;
    TRY(query_begin(s, "SELECT policy FROM v_run GROUP BY policy ORDER BY min(id)", &q, d));
    (void)diag_set(d, ST_EINPUT, "there is no finished run '%s'", text);
    while (n < ARRAY_LEN(label) && sqlite3_step(q) == SQLITE_ROW) label[n++] = query_text_dup(q, 0);
    (void)sqlite3_finalize(q);
    char *bare = mem_strndup(text, strcspn(text, "/"));
    const char *near = diag_nearest(bare, (const char *const *)label, n);
    list_runs(s, near, there, sizeof there);
    if (near != NULL && strcmp(near, bare) != 0) diag_hint(d, "did you mean '%s'? there is %s", near, there);
    else if (n > 0) diag_hint(d, "there is %s", there);
    else diag_hint(d, "the database holds no finished run");
    for (size_t i = 0; i < n; i++) mem_free(label[i]);
    mem_free(bare);
    return ST_EINPUT;
}

/* ---- finding one ---- */

/* By number; a run that is there but not finished is an error of its own. */
static enum st by_number(struct store *s, int64_t run, const char *text, struct diag *d)
{
    sqlite3_stmt *q;
    TRY(query_run(s, run, "SELECT status, message, policy, seed FROM run WHERE id = ?", &q, d));
    int rc = sqlite3_step(q);
    if (rc == SQLITE_DONE) {
        (void)none(s, text, d);
    } else if (rc == SQLITE_ROW && strcmp(query_text(q, 0), "done") != 0) {
        const char *error = (const char *)sqlite3_column_text(q, 1);
        (void)diag_set(d, ST_EINPUT, "run %" PRId64 " (%s/%llu) is not finished: %s%s%s", run, query_text(q, 2),
                       (unsigned long long)sqlite3_column_int64(q, 3), query_text(q, 0), error ? ": " : "", error ? error : "");
        diag_hint(d, "run it again: `fairway run` replaces it");
    }
    return query_end(s, q, d);
}

/* Of the label, and of the seed where one is given. */
static enum st by_label(struct store *s, const char *label, const char *seed, int64_t *run, size_t *n, struct diag *d)
{
    sqlite3_stmt *q;
    TRY(query_begin(s, "SELECT id FROM v_run WHERE policy = ?1 AND (?2 IS NULL OR printf('%u', seed) = ?2) ORDER BY id", &q, d));
    (void)sqlite3_bind_text(q, 1, label, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(q, 2, seed, -1, SQLITE_STATIC);
    for (*n = 0; sqlite3_step(q) == SQLITE_ROW; ++*n)
        if (*n == 0) *run = sqlite3_column_int64(q, 0);
    return query_end(s, q, d);
}

static enum st find_run(struct store *s, const char *text, int64_t *run, struct diag *d)
{
    const char *slash = strrchr(text, '/');
    size_t n;
    if (text_int(text, run)) return by_number(s, *run, text, d);
    TRY(by_label(s, text, NULL, run, &n, d));
    if (n == 0 && slash != NULL) {
        char *label = mem_strndup(text, (size_t)(slash - text));
        enum st st = by_label(s, label, slash + 1, run, &n, d);
        mem_free(label);
        if (st != ST_OK) return st;
    }
    if (n == 1) return ST_OK;
    if (n == 0) return none(s, text, d);
    char there[200];
    char *label = mem_strdup(text);
    TRY(by_label(s, text, NULL, run, &n, d));
    if (n == 0) label[slash - text] = '\0';
    list_runs(s, label, there, sizeof there);
    mem_free(label);
    (void)diag_set(d, ST_EINPUT, "'%s' is several runs; say which", text);
    return diag_hint(d, "there is %s", there);
}

enum st select_run(struct selection *p, struct store *s, const char *text, struct diag *d)
{
    memset(p, 0, sizeof *p);
    TRY(find_run(s, text, &p->run, d));
    sqlite3_stmt *q;
    TRY(query_run(s, p->run, "SELECT scenario, title, policy, policy_spec, policy_source, version, digest, clairvoyant, seed, by_count"
                  " FROM run WHERE id = ?", &q, d));
    if (sqlite3_step(q) == SQLITE_ROW) {
        char **const to[] = { &p->scenario, &p->title, &p->policy, &p->spec, &p->source, &p->version, &p->digest };
        for (int i = 0; i < (int)ARRAY_LEN(to); i++) *to[i] = query_text_dup(q, i);
        p->clairvoyant = sqlite3_column_int(q, 7) != 0;
        p->seed = (uint64_t)sqlite3_column_int64(q, 8);
        p->by_count = sqlite3_column_int(q, 9) != 0;
    }
    enum st st = query_end(s, q, d);
    if (st != ST_OK) select_fini(p);
    return st;
}

enum st select_jobs_kept(struct store *s, int64_t run, struct diag *d)
{
    int64_t left_out = 0;
    TRY(query_int(s, &left_out, d, "SELECT NOT EXISTS (SELECT 1 FROM job WHERE run = %" PRId64 ") AND EXISTS (SELECT 1 FROM metric"
                  " WHERE run = %" PRId64 " AND name = 'jobs_arrived' AND scope = 'all' AND value > 0)", run, run));
    if (left_out == 0) return ST_OK;
    (void)diag_set(d, ST_EINPUT, "run %" PRId64 " has no rows of its jobs: its scenario says `output: {jobs: false}`", run);
    return diag_hint(d, "run it again with `fairway run SCENARIO.yaml --set output.jobs=true`");
}

enum st select_job(struct store *s, const struct selection *p, const char *id, uint64_t *ordinal, struct diag *d)
{
    sqlite3_stmt *q;
    char **ids = NULL;
    size_t n = 0, cap = 0;
    TRY(select_jobs_kept(s, p->run, d));
    TRY(query_run(s, p->run, "SELECT ordinal FROM job WHERE run = ?1 AND id = ?2 ORDER BY ordinal LIMIT 1", &q, d));
    (void)sqlite3_bind_text(q, 2, id, -1, SQLITE_STATIC);
    bool found = sqlite3_step(q) == SQLITE_ROW;
    if (found) *ordinal = (uint64_t)sqlite3_column_int64(q, 0);
    TRY(query_end(s, q, d));
    if (found) return ST_OK;
    TRY(query_run(s, p->run, "SELECT id FROM job WHERE run = ? ORDER BY ordinal", &q, d));
    while (sqlite3_step(q) == SQLITE_ROW) MEM_PUSH(ids, n, cap, query_text_dup(q, 0));
    enum st st = query_end(s, q, d);
    if (st == ST_OK) {
        st = diag_set(d, ST_EINPUT, "run %" PRId64 " (%s/%" PRIu64 ") has no job '%s'", p->run, p->policy, p->seed, id);
        (void)diag_suggest(d, id, (const char *const *)ids, n);
        if (n > 0) diag_hint(d, "its %zu jobs are those of the trace, from '%s' to '%s'", n, ids[0], ids[n - 1]);
    }
    for (size_t i = 0; i < n; i++) mem_free(ids[i]);
    mem_free(ids);
    return st;
}

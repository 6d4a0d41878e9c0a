/* timeline_batsim.c -- jobs.csv in the columns of Batsim 4, which evalys reads. */
#include <inttypes.h>
#include <string.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "base/text.h"
#include "db/query.h"
#include "explain/timeline.h"

struct resources { bool *is_held; uint32_t n; };

/* Microseconds as seconds, exactly. */
static void seconds(int64_t us, FILE *to)
{
    (void)fprintf(to, ",%s%" PRId64 ".%06" PRId64, us < 0 ? "-" : "", (us < 0 ? -us : us) / 1000000, (us < 0 ? -us : us) % 1000000);
}

static void seconds_or(bool is_known, int64_t us, FILE *to)
{
    if (is_known) seconds(us, to);
    else (void)fputs(",-1", to);
}

/* "0-3 7": Batsim's interval sets. */
static void intervals(const struct resources *r, FILE *to)
{
    bool any = false;
    for (uint32_t i = 0, end; i < r->n; i = end + 1) {
        end = i;
        if (!r->is_held[i]) continue;
        while (end + 1 < r->n && r->is_held[end + 1]) end++;
        (void)fprintf(to, "%s%" PRIu32, any ? " " : "", i);
        if (end > i) (void)fprintf(to, "-%" PRIu32, end);
        any = true;
    }
}

static const char *state_of(const char *status)
{
    static const struct { const char *ours, *theirs; } state[] = {
        { "done", "COMPLETED_SUCCESSFULLY" }, { "timeout", "COMPLETED_WALLTIME_REACHED" }, { "rejected", "REJECTED" },
        { "never_eligible", "REJECTED" },
    };
    for (size_t i = 0; i < ARRAY_LEN(state); i++)
        if (strcmp(state[i].ours, status) == 0) return state[i].theirs;
    return NULL;
}

/* Resource numbers: cards in node order, and after them one for each node, for tasks without a card. */
static enum st first_cards(struct store *s, int64_t run, uint32_t **card0, uint32_t *n_nodes, uint32_t *n_cards, struct diag *d)
{
    sqlite3_stmt *q;
    size_t cap = 0;
    *card0 = NULL;
    *n_nodes = *n_cards = 0;
    TRY(query_run(s, run, "SELECT n_gpu FROM node WHERE run = ?1 ORDER BY node", &q, d));
    while (sqlite3_step(q) == SQLITE_ROW) {
        MEM_PUSH(*card0, *n_nodes, cap, *n_cards);
        *n_cards += (uint32_t)sqlite3_column_int(q, 0);
    }
    return query_end(s, q, d);
}

/* What the last attempt of each task of the job held. */
static enum st last_places(struct store *s, sqlite3_stmt *q, int64_t ordinal, const uint32_t *card0, uint32_t n_nodes, uint32_t n_cards,
                           struct resources *r, struct diag *d)
{
    memset(r->is_held, 0, r->n * sizeof *r->is_held);
    (void)sqlite3_bind_int64(q, 2, ordinal);
    while (sqlite3_step(q) == SQLITE_ROW) {
        uint32_t node = (uint32_t)sqlite3_column_int64(q, 0);
        uint64_t cards = (uint64_t)sqlite3_column_int64(q, 1);
        if (node >= n_nodes) continue;
        if (cards == 0) r->is_held[n_cards + node] = true;
        for (; cards != 0; cards &= cards - 1) r->is_held[card0[node] + (uint32_t)__builtin_ctzll(cards)] = true;
    }
    return sqlite3_reset(q) == SQLITE_OK ? ST_OK : store_failed(s, d);
}

static void row(sqlite3_stmt *q, const struct selection *p, const struct resources *r, FILE *to)
{
    const char *status = (const char *)sqlite3_column_text(q, 2), *model = (const char *)sqlite3_column_text(q, 8);
    int64_t submit = sqlite3_column_int64(q, 3), start = sqlite3_column_int64(q, 4), end = sqlite3_column_int64(q, 5);
    int64_t limit = sqlite3_column_int64(q, 6);
    const char *state = state_of(status);
    bool ended = end >= 0, started = start >= 0, ran = ended && started;
    if (state == NULL) state = started ? "RUNNING" : "SUBMITTED";
    text_csv((const char *)sqlite3_column_text(q, 1), false, to);
    (void)fputc(',', to);
    text_csv(p->scenario, false, to);
    (void)fputc(',', to);
    text_csv(model != NULL ? model : (const char *)sqlite3_column_text(q, 9), false, to);
    seconds(submit, to);
    (void)fprintf(to, ",%" PRId64, (int64_t)sqlite3_column_int64(q, 7));
    seconds_or(limit >= 0, limit, to);
    (void)fprintf(to, ",%d,%s", strcmp(status, "done") == 0, state);
    seconds_or(started, start, to);
    seconds_or(ran, end - start, to);
    seconds_or(ended, end, to);
    seconds_or(started, start - submit, to);
    seconds_or(ended, end - submit, to);
    if (ran && end > start) (void)fprintf(to, ",%.6f", (double)(end - submit) / (double)(end - start));
    else (void)fputs(",-1", to);
    (void)fputc(',', to);
    intervals(r, to);
    if (sqlite3_column_type(q, 10) != SQLITE_NULL) (void)fprintf(to, ",%.6f\n", sqlite3_column_double(q, 10) * 3.6e6);
    else (void)fputs(",-1\n", to);
}

enum st timeline_batsim(struct store *s, const struct selection *p, FILE *to, struct diag *d)
{
    sqlite3_stmt *jobs = NULL, *places = NULL;
    uint32_t *card0, n_nodes, n_cards;
    TRY(timeline_check(s, p, d));
    enum st st = first_cards(s, p->run, &card0, &n_nodes, &n_cards, d);
    struct resources r = { .n = n_cards + n_nodes };
    MEM_ARRAY(r.is_held, r.n + 1);
    if (st == ST_OK)
        st = query_run(s, p->run, "SELECT ordinal, id, status, submit_us, start_us, end_us, limit_us, CASE WHEN n_gpu > 0 THEN n_gpu"
                       " ELSE n_tasks END, model, class, kwh FROM job LEFT JOIN energy USING (run, ordinal) WHERE run = ?"
                       " ORDER BY ordinal", &jobs, d);
    if (st == ST_OK)
        st = query_run(s, p->run, "SELECT node, cards, max(attempt) FROM attempt WHERE run = ? AND ordinal = ? GROUP BY task", &places, d);
    (void)fputs("job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,"
                "starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,consumed_energy\n", to);
    while (st == ST_OK && sqlite3_step(jobs) == SQLITE_ROW) {
        st = last_places(s, places, sqlite3_column_int64(jobs, 0), card0, n_nodes, n_cards, &r, d);
        row(jobs, p, &r, to);
    }
    (void)query_end(s, places, d);
    st = query_end(s, jobs, d);
    mem_free(r.is_held);
    mem_free(card0);
    return st;
}

/* print.c -- shares.h as tables and sentences for people, and as rows for programs and of the database. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "base/text.h"
#include "compare/view.h"
#include "db/query.h"
#include "explain/explain_priv.h"
#include "explain/shares/shares.h"

enum { SHOWN = 5, CLOCK = 48 };

struct page { const struct shares *x; struct store *store; int64_t run; FILE *to; };

static const char *name_of(const struct shares *x, uint32_t i)
{
    return i == x->n ? "what was idle" : x->party[i].name;
}

static void hours_cell(struct table *t, double h) { table_cell(t, "%.*f", compare_digits(h), h); }

/* "b, c and 3 more". */
static char *jobs_text(const struct page *p, const struct shares_jobs *jobs, struct diag *d)
{
    struct mem_text text;
    mem_text_open(&text);
    for (size_t i = 0; i < jobs->n && i < SHARES_JOBS; i++) {
        sqlite3_stmt *q;
        if (query_run(p->store, p->run, "SELECT id FROM job WHERE run = ?1 AND ordinal = ?2", &q, d) != ST_OK) break;
        (void)sqlite3_bind_int64(q, 2, (int64_t)jobs->ordinal[i]);
        if (sqlite3_step(q) == SQLITE_ROW)
            (void)fprintf(text.to, "%s%s", i == 0 ? "" : i + 1 == jobs->n ? " and " : ", ", query_text(q, 0));
        (void)query_end(p->store, q, d);
    }
    if (jobs->n > SHARES_JOBS) (void)fprintf(text.to, " and %zu more", jobs->n - SHARES_JOBS);
    return mem_text_close(&text);
}

/* IDs may be numbers, so that a list of them needs the word before it. */
static const char *plural(const struct shares_jobs *jobs) { return jobs->n == 1 ? "" : "s"; }

/* "most at 00:10:00, with 0 of 1.333 GPUs, while job b waited; ann had 2 (job a)". */
static char *instant_text(const struct page *p, const struct shares_case *c, struct diag *d)
{
    char clock[CLOCK];
    char *waiting = jobs_text(p, &c->waiting, d), *running = jobs_text(p, &c->running, d);
    char *text = mem_printf("most at %s, with %.4g of %.4g %ss, while job%s %s waited; %s%s %.4g%s%s%s%s%s",
                            explain_clock(clock, sizeof clock, c->at), (double)c->held / 1000, c->due_then / 1000,
                            p->x->unit, plural(&c->waiting), waiting,
                            c->other_then == p->x->n ? "idle" : name_of(p->x, c->other_then),
                            c->other_then == p->x->n ? " were" : " had", (double)c->others / 1000,
                            running[0] ? " (job" : "", running[0] ? plural(&c->running) : "",
                            running[0] ? " " : "", running, running[0] ? ")" : "");
    mem_free(waiting);
    mem_free(running);
    return text;
}

static void case_line(const struct page *p, const struct shares_case *c, struct diag *d)
{
    char from[CLOCK], to[CLOCK];
    const struct shares *x = p->x;
    char *instant = instant_text(p, c, d);
    (void)explain_clock(from, sizeof from, c->from);
    (void)explain_clock(to, sizeof to, c->to);
    if (c->is_envy)
        text_line(p->to, "  %s to %s  %s would have had %.4g %s hours more with the place of %s; %s", from, to,
                  name_of(x, c->party), c->most, x->unit, name_of(x, c->other), instant);
    else
        text_line(p->to, "  %s to %s  %s held %.4g of %.4g %s hours, %.4g short, most of what it lost to %s (%.4g); %s",
                  from, to, name_of(x, c->party), c->had, c->due, x->unit, c->due - c->had, name_of(x, c->other),
                  c->most, instant);
    mem_free(instant);
}

/* ---- the cases ---- */

static double size_of(const struct shares_case *c) { return c->is_envy ? c->most : c->due - c->had; }

static int by_size(const void *a, const void *b)
{
    const struct shares_case *const *x = a, *const *y = b;
    const double l = size_of(*x), r = size_of(*y);
    return l != r ? (l < r ? 1 : -1) : *x < *y ? -1 : *x > *y;
}

static int by_time(const void *a, const void *b)
{
    const struct shares_case *const *x = a, *const *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* The SHOWN largest, in the order of time, and what the others come to. */
static void print_cases(const struct page *p, bool is_envy, struct diag *d)
{
    const struct shares *x = p->x;
    const struct shares_case **at;
    size_t n = 0;
    double rest = 0;
    MEM_ARRAY(at, x->n_cases);
    for (size_t i = 0; i < x->n_cases; i++) if (x->at[i].is_envy == is_envy) at[n++] = &x->at[i];
    qsort(at, n, sizeof(const void *), by_size);
    for (size_t i = SHOWN; i < n; i++) rest += size_of(at[i]);
    if (n > SHOWN) qsort(at, SHOWN, sizeof(const void *), by_time);
    else qsort(at, n, sizeof(const void *), by_time);
    for (size_t i = 0; i < n && i < SHOWN; i++) case_line(p, at[i], d);
    if (n > SHOWN) text_line(p->to, "  and %zu smaller, %.4g %s hours in all", n - SHOWN, rest, x->unit);
    mem_free(at);
}

static size_t n_cases(const struct shares *x, bool is_envy)
{
    size_t n = 0;
    for (size_t i = 0; i < x->n_cases; i++) n += x->at[i].is_envy == is_envy;
    return n;
}

/* "bo 2, cy 1 and 30 more": how many cases each has, of those with the most. */
static char *counts(const struct shares *x, bool is_envy)
{
    struct mem_text text;
    size_t *n, n_with = 0, n_shown = 0;
    MEM_ARRAY(n, x->n);
    for (size_t i = 0; i < x->n_cases; i++)
        if (x->at[i].is_envy == is_envy) n_with += n[x->at[i].party]++ == 0;
    mem_text_open(&text);
    for (; n_shown < n_with && n_shown < SHOWN; n_shown++) {
        size_t most = 0;
        for (size_t i = 1; i < x->n; i++) if (n[i] > n[most]) most = i;
        (void)fprintf(text.to, "%s%s %zu", n_shown > 0 ? ", " : "", x->party[most].name, n[most]);
        n[most] = 0;
    }
    if (n_with > n_shown) (void)fprintf(text.to, " and %zu more %ss", n_with - n_shown, x->by);
    mem_free(n);
    return mem_text_close(&text);
}

/* ---- all parties ---- */

int shares_by_loss(const void *a, const void *b)
{
    const struct shares_party *const *x = a, *const *y = b;
    return (*x)->sum.lost != (*y)->sum.lost ? ((*x)->sum.lost < (*y)->sum.lost ? 1 : -1) : *x < *y ? -1 : *x > *y;
}

/* Who lost most first. */
static struct table *parties(const struct shares *x)
{
    char heading[200];
    (void)snprintf(heading, sizeof heading,
                   "%s|#weight|#held, %s h|#entitled, %s h|#lost, %s h|#above, %s h|lost most to|#%s h|#windows|#below",
                   x->by, x->unit, x->unit, x->unit, x->unit, x->unit);
    struct table *t = table_of(heading);
    const struct shares_party **at;
    MEM_ARRAY(at, x->n);
    for (size_t i = 0; i < x->n; i++) at[i] = &x->party[i];
    qsort(at, x->n, sizeof(const void *), shares_by_loss);
    for (size_t i = 0; i < x->n; i++) {
        const struct shares_party *p = at[i];
        if (p->n_windows == 0) continue;        /* it neither held nor wanted any of it */
        const sim_wide sums[] = { p->sum.held, p->sum.entitled, p->sum.lost, p->sum.above };
        uint32_t most = 0;
        for (uint32_t k = 1; k <= x->n; k++) if (p->lost_to[k] > p->lost_to[most]) most = k;
        table_cell(t, "%s", p->name);
        table_cell(t, "%.6g", p->weight);
        for (size_t k = 0; k < ARRAY_LEN(sums); k++) hours_cell(t, shares_hours(sums[k]));
        table_cell(t, "%s", p->sum.lost > 0 ? name_of(x, most) : "-");
        hours_cell(t, shares_hours(p->lost_to[most]));
        table_cell(t, "%zu", p->n_windows);
        table_cell(t, "%zu", p->n_below);
    }
    mem_free(at);
    return t;
}

static void print_most(const struct page *p)
{
    const struct shares *x = p->x;
    const struct shares_party *most = &x->party[0];
    sim_wide all = 0;
    for (size_t i = 0; i < x->n; i++) {
        all += x->party[i].sum.lost;
        if (x->party[i].sum.lost > most->sum.lost) most = &x->party[i];
    }
    if (most->sum.lost == 0) { text_line(p->to, "No %s ever held less than its entitlement.", x->by); return; }
    const double lost = shares_hours(most->sum.lost), of = shares_hours(most->sum.entitled);
    text_line(p->to,
              "Together they lost %.4g %s hours.  %s lost most: %.4g below its entitlement at the time, %.1f %% of the "
              "%.4g that it was "
              "entitled to.",
              shares_hours(all), x->unit, most->name, lost, 100 * lost / of, of);
}

static void print_all(const struct page *p, struct diag *d)
{
    const struct shares *x = p->x;
    table_end(parties(x), TABLE_TEXT, p->to);
    (void)fputc('\n', p->to);
    print_most(p);
    char *below = counts(x, false), *envious = counts(x, true);
    if (below[0] != '\0')
        text_line(p->to, "The sharing incentive is violated in %zu of %zu windows of a %s: %s.",
                  n_cases(x, false), x->n_rows, x->by, below);
    else
        text_line(p->to, "The sharing incentive holds: in no window did a %s hold less than its entitlement.", x->by);
    print_cases(p, false, d);
    if (envious[0] != '\0')
        text_line(p->to, "In %zu of %zu windows of a %s it waited and would have had more in another's place: %s.",
                  n_cases(x, true), x->n_rows, x->by, envious);
    else
        text_line(p->to, "Nothing to envy: in no window would a %s that waited have had more in another's place.",
                  x->by);
    print_cases(p, true, d);
    mem_free(below);
    mem_free(envious);
}

static void print_rows(const struct shares *x, enum table_format f, FILE *to)
{
    char heading[200];
    (void)snprintf(heading, sizeof heading,
                   "%s|#from_us|#to_us|#capacity_h|#held_h|#entitled_h|#lost_h|#above_h|#below", x->by);
    struct table *t = table_of(heading);
    for (size_t i = 0; i < x->n_rows; i++) {
        const struct shares_window *w = &x->row[i];
        const sim_wide sums[] = { w->capacity, w->sum.held, w->sum.entitled, w->sum.lost, w->sum.above };
        table_cell(t, "%s", x->party[w->party].name);
        table_cell(t, "%lld", (long long)w->from);
        table_cell(t, "%lld", (long long)w->to);
        for (size_t k = 0; k < ARRAY_LEN(sums); k++) table_cell(t, "%.12g", shares_hours(sums[k]));
        table_cell(t, "%d", w->sum.held < w->sum.entitled);
    }
    table_end(t, f, to);
}

/* ---- one party ---- */

/* The place after *i, which holds *last, in the order of falling values; false: none above 0 is left. */
static bool next_greatest(const sim_wide *x, size_t n, sim_wide *last, uint32_t *i)
{
    uint32_t best = NONE;
    for (uint32_t k = 0; k < n; k++)
        if (x[k] > 0 && (x[k] < *last || (x[k] == *last && k > *i)) && (best == NONE || x[k] > x[best])) best = k;
    if (best == NONE) return false;
    *i = best;
    *last = x[best];
    return true;
}

static void print_one(const struct page *p, const struct shares_party *of, struct diag *d)
{
    const struct shares *x = p->x;
    char heading[64];
    const double lost = shares_hours(of->sum.lost);
    text_line(p->to,
              "%s held %.4g %s hours and was entitled to %.4g; %.4g above its entitlement at some times, %.4g below at "
              "others.",
              of->name, shares_hours(of->sum.held), x->unit, shares_hours(of->sum.entitled),
              shares_hours(of->sum.above), lost);
    if (of->sum.lost == 0) { text_line(p->to, "It lost nothing."); return; }
    (void)snprintf(heading, sizeof heading, "lost to|#%s h|#%%", x->unit);
    struct table *t = table_of(heading);
    sim_wide last = of->sum.lost + 1;        /* the greatest first; of equal ones in the order of the parties */
    uint32_t i = 0;
    while (next_greatest(of->lost_to, x->n + 1, &last, &i)) {
        table_cell(t, "%s", name_of(x, i));
        hours_cell(t, shares_hours(of->lost_to[i]));
        table_cell(t, "%.1f", 100 * shares_hours(of->lost_to[i]) / lost);
    }
    (void)fputc('\n', p->to);
    table_end(t, TABLE_TEXT, p->to);
    (void)fputc('\n', p->to);
    text_line(p->to, "It was below in %zu stretch%s of time:", x->n_cases, x->n_cases == 1 ? "" : "es");
    print_cases(p, false, d);
}

static void print_case_rows(const struct page *p, enum table_format f, struct diag *d)
{
    const struct shares *x = p->x;
    char heading[200];
    (void)snprintf(heading, sizeof heading,
                   "%s|kind|#from_us|#to_us|#hours|other|#held_h|#entitled_h|#most_h|#worst_us|waited|ran", x->by);
    struct table *t = table_of(heading);
    for (size_t i = 0; i < x->n_cases; i++) {
        const struct shares_case *c = &x->at[i];
        const int64_t when[] = { c->from, c->to };
        const double of_loss[] = { c->had, c->due, c->most };
        char *waiting = jobs_text(p, &c->waiting, d), *running = jobs_text(p, &c->running, d);
        table_cell(t, "%s", name_of(x, c->party));
        table_cell(t, "%s", c->is_envy ? "envy" : "below");
        for (size_t k = 0; k < ARRAY_LEN(when); k++) table_cell(t, "%lld", (long long)when[k]);
        table_cell(t, "%.12g", size_of(c));
        table_cell(t, "%s", name_of(x, c->other));
        for (size_t k = 0; k < ARRAY_LEN(of_loss); k++) {
            if (c->is_envy) table_cell(t, "%s", "");
            else table_cell(t, "%.12g", of_loss[k]);
        }
        table_cell(t, "%lld", (long long)c->at);
        table_cell(t, "%s", waiting);
        table_cell(t, "%s", running);
        mem_free(waiting);
        mem_free(running);
    }
    table_end(t, f, p->to);
}

enum st shares_print(const struct shares *x, struct store *s, const struct selection *run, const char *of,
                     enum table_format f, FILE *to, struct diag *d)
{
    const struct page p = { x, s, run->run, to };
    char window[CLOCK];
    if (f != TABLE_TEXT) {
        if (of == NULL) print_rows(x, f, to);
        else print_case_rows(&p, f, d);
        return d->code;
    }
    text_line(to, "run %lld: %s, %s, seed %llu", (long long)run->run, run->scenario, run->policy,
              (unsigned long long)run->seed);
    text_line(to, "%ss by %s%s, %s%s; exact, of this run alone.", x->unit, x->by,
              x->is_weighted ? " with weights" : ", equal weights",
              of == NULL ? "windows of " : "from its start to its end",
              of == NULL ? text_duration(window, sizeof window, x->window) : "");
    (void)fputc('\n', to);
    if (of == NULL) print_all(&p, d);
    else
        for (size_t i = 0; i < x->n; i++) if (strcmp(x->party[i].name, of) == 0) print_one(&p, &x->party[i], d);
    return d->code;
}

/* ---- rows of the database ---- */

static const char tables[] =
    "CREATE TABLE IF NOT EXISTS share_window ("
    " key TEXT NOT NULL, party TEXT NOT NULL, unit TEXT NOT NULL, name TEXT NOT NULL, from_us INTEGER NOT NULL, to_us "
    "INTEGER NOT NULL,"
    " capacity_h REAL NOT NULL, held_h REAL NOT NULL, entitled_h REAL NOT NULL, lost_h REAL NOT NULL, above_h REAL NOT "
    "NULL,"
    " below INTEGER NOT NULL, PRIMARY KEY (key, party, unit, name, from_us)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS share_case ("
    " key TEXT NOT NULL, party TEXT NOT NULL, unit TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, from_us "
    "INTEGER NOT NULL,"
    " to_us INTEGER NOT NULL, hours REAL NOT NULL, other TEXT NOT NULL, held_h REAL, entitled_h REAL, most_h REAL,"
    " worst_us INTEGER NOT NULL, waited TEXT NOT NULL, ran TEXT NOT NULL,"
    " PRIMARY KEY (key, party, unit, name, kind, from_us)) STRICT, WITHOUT ROWID;";

/* A statement on the rows of this run and these parties; json: of which the rows are made, NULL: none. */
static enum st on_rows(const struct page *p, const char *sql, const char *json, struct diag *d)
{
    sqlite3_stmt *q;
    TRY(query_run(p->store, p->run, sql, &q, d));
    (void)sqlite3_bind_text(q, 2, p->x->by, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(q, 3, p->x->unit, -1, SQLITE_STATIC);
    if (json != NULL) (void)sqlite3_bind_text(q, 4, json, -1, SQLITE_STATIC);
    (void)sqlite3_step(q);
    return query_end(p->store, q, d);
}

#define KEY    "(SELECT key FROM run WHERE id = ?1)"
#define OF_RUN " WHERE key = " KEY " AND party = ?2 AND unit = ?3"
#define ROWS   " FROM (SELECT value AS v FROM json_each(?4))"
#define OF(c)  "v ->> '" c "'"

static enum st keep(struct page *p, struct diag *d)
{
    struct mem_text rows, cases;
    mem_text_open(&rows);
    print_rows(p->x, TABLE_JSON, rows.to);
    mem_text_open(&cases);
    p->to = cases.to;
    print_case_rows(p, TABLE_JSON, d);
    char *windows = mem_text_close(&rows), *instants = mem_text_close(&cases);
    enum st st = query_exec(p->store, tables, d);
    if (st == ST_OK) st = on_rows(p, "DELETE FROM share_window" OF_RUN, NULL, d);
    if (st == ST_OK) st = on_rows(p, "DELETE FROM share_case" OF_RUN, NULL, d);
    if (st == ST_OK)
        st = on_rows(p, "INSERT INTO share_window SELECT " KEY ", ?2, ?3, v ->> ?2, "
                     OF("from_us") ", " OF("to_us") ", " OF("capacity_h") ", " OF("held_h") ", " OF("entitled_h") ", "
                     OF("lost_h") ", " OF("above_h") ", " OF("below") ROWS, windows, d);
    if (st == ST_OK)
        st = on_rows(p, "INSERT INTO share_case SELECT " KEY ", ?2, ?3, v ->> ?2, "
                     OF("kind") ", " OF("from_us") ", " OF("to_us") ", " OF("hours") ", " OF("other") ", "
                     OF("held_h") ", " OF("entitled_h") ", " OF("most_h") ", " OF("worst_us") ", " OF("waited") ", "
                     "coalesce(" OF("ran") ", '')" ROWS, instants, d);
    mem_free(windows);
    mem_free(instants);
    return st;
}

enum st shares_keep(const struct shares *x, struct store *s, const struct selection *run, struct diag *d)
{
    struct page p = { x, s, run->run, NULL };
    TRY(query_exec(s, "BEGIN IMMEDIATE", d));
    const enum st st = keep(&p, d);
    if (st == ST_OK) return query_exec(s, "COMMIT", d);
    (void)sqlite3_exec(store_db(s), "ROLLBACK", NULL, NULL, NULL);
    return st;
}

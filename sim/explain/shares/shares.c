/*
 * shares.c -- the accounts of shares.h: the record as changes of what jobs hold and wait for, summed up between them.
 *
 * The first pass makes sums, windows and cases; the second looks at each case again for the instant that shows it
 * most.  An elastic job waits for what it asked and does not have, at whatever size the policy runs it.
 */
#include "explain/shares/shares.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/text.h"
#include "db/check.h"
#include "db/query.h"
#include "explain/replay.h"

enum { WAITING, RUNNING };

struct job { uint64_t ordinal; uint32_t party, next[2], prev[2]; int64_t held, wait; bool is_in[2]; };

struct account {
    struct shares *x;
    struct store *store;
    int64_t  run, capacity, used;
    uint32_t of;                /* NONE: all */
    struct job *job; size_t n_jobs, cap_jobs;
    int64_t  now, from;         /* from: the window or stretch began */
    sim_wide window_capacity;
    struct { double due; sim_wide entitled, above; } *turn;  /* [n + 1] of this step; due: thousandths entitled to */
    bool     is_second; size_t first_case;
};

/* ---- the record as changes ---- */

/* In this order at one instant: what a job asks before what becomes of it, and its end after that. */
enum change { ARRIVES, TURNS, NODE, ENDS, OVER };

/* %1: what a request asks; %2 of a job; %3 of a node. */
static char *changes(const char *ask, const char *job, const char *node)
{
    return mem_printf(
        "WITH r AS (SELECT ordinal, task0, lead(task0, 1, 1 << 40) OVER (PARTITION BY ordinal ORDER BY task0) AS task1,"
        " %s AS ask, exclusive FROM request WHERE run = ?1),"
        " n AS (SELECT node, %s AS has FROM node JOIN capability USING (run, node) WHERE run = ?1),"
        " a AS (SELECT a.ordinal, start_us, end_us, outcome IN ('done', 'timeout') AS is_over, ask,"
        "   CASE WHEN exclusive THEN has ELSE ask END AS held FROM attempt a JOIN n USING (node)"
        "   JOIN r ON r.ordinal = a.ordinal AND a.task >= task0 AND a.task < task1 WHERE a.run = ?1)"
        " SELECT submit_us AS at, %d AS what, ordinal, 0 AS held, %s AS wait FROM job WHERE run = ?1"
        "   AND status NOT IN ('rejected', 'never_eligible')"
        " UNION ALL SELECT start_us, %d, ordinal, held, -ask FROM a WHERE end_us > start_us"
        " UNION ALL SELECT end_us, %d, ordinal, -held, CASE WHEN is_over THEN 0 ELSE ask END FROM a WHERE end_us > "
        "start_us"
        " UNION ALL SELECT end_us, %d, ordinal, 0, -ask FROM a WHERE end_us = start_us AND is_over"
        " UNION ALL SELECT at_us, %d, p.ordinal, 0, CASE phase WHEN 'ready' THEN ask ELSE -ask END FROM phase p"
        "   JOIN r ON r.ordinal = p.ordinal AND p.task >= task0 AND p.task < task1 WHERE p.run = ?1"
        "   AND phase IN ('ready', 'blocked') AND p.ordinal NOT IN (SELECT ordinal FROM elastic WHERE run = ?1)"
        " UNION ALL SELECT down_us, %d, 0, -has, 0 FROM outage JOIN n USING (node) WHERE run = ?1"
        " UNION ALL SELECT up_us, %d, 0, has, 0 FROM outage JOIN n USING (node) WHERE run = ?1 AND up_us >= 0"
        " UNION ALL SELECT end_us, %d, ordinal, 0, 0 FROM job WHERE run = ?1 AND end_us >= 0"
        " UNION ALL SELECT max(ifnull((SELECT max(max(end_us, submit_us)) FROM job WHERE run = ?1), 0),"
        "   ifnull((SELECT max(end_us) FROM attempt WHERE run = ?1), 0)), %d, 0, 0, 0 ORDER BY at, what, ordinal",
        ask, node, ARRIVES, job, TURNS, TURNS, TURNS, TURNS, NODE, NODE, ENDS, OVER);
}

static int by_ordinal(const void *a, const void *b)
{
    const int64_t x = (int64_t)((const struct job *)a)->ordinal, y = (int64_t)((const struct job *)b)->ordinal;
    return x < y ? -1 : x > y;
}

static void list_add(struct account *a, uint32_t i, int which)
{
    struct job *j = &a->job[i];
    struct shares_party *p = &a->x->party[j->party];
    j->is_in[which] = true;
    j->next[which] = NONE;
    j->prev[which] = p->last[which];
    if (p->last[which] != NONE) a->job[p->last[which]].next[which] = i;
    else p->first[which] = i;
    p->last[which] = i;
}

static void list_remove(struct account *a, uint32_t i, int which)
{
    struct job *j = &a->job[i];
    struct shares_party *p = &a->x->party[j->party];
    j->is_in[which] = false;
    *(j->next[which] != NONE ? &a->job[j->next[which]].prev[which] : &p->last[which]) = j->prev[which];
    *(j->prev[which] != NONE ? &a->job[j->prev[which]].next[which] : &p->first[which]) = j->next[which];
}

/* More than it asked counts as waiting for nothing. */
static void change(struct account *a, uint64_t ordinal, int64_t held, int64_t wait, bool ends)
{
    struct job key = { .ordinal = ordinal }, *j = bsearch(&key, a->job, a->n_jobs, sizeof key, by_ordinal);
    if (j == NULL) return;
    struct shares_party *p = &a->x->party[j->party];
    const int64_t before = i64_max(0, j->wait);
    if (ends) { held = -j->held; wait = -j->wait; }
    j->held += held;
    j->wait += wait;
    p->held += held;
    a->used += held;
    p->wait += i64_max(0, j->wait) - before;
    const bool is[2] = { j->wait > 0, j->held > 0 };
    for (int k = 0; k < 2; k++)
        if (is[k] != j->is_in[k]) (is[k] ? list_add : list_remove)(a, (uint32_t)(j - a->job), k);
}

/* ---- sums ---- */

/* Parts in proportion to what each is above: differences of rounded running sums, so that they sum to it. */
static void apportion(struct account *a, struct shares_party *p, sim_wide lost, sim_wide all)
{
    sim_wide sum = 0, before = 0;
    size_t last = a->x->n;
    if (all <= 0) {             /* rounded entitlements came to more than there is */
        p->lost_to[last] += lost;
        p->part[last] += lost;
        return;
    }
    while (last > 0 && a->turn[last].above == 0) last--;
    for (size_t i = 0; i <= last; i++) {
        sum += a->turn[i].above;
        sim_wide part = (sim_wide)((double)lost * ((double)sum / (double)all));
        if (i == last || part > lost) part = lost;
        if (part < before) part = before;
        p->lost_to[i] += part - before;
        p->part[i] += part - before;
        before = part;
    }
}

static void add_envy(struct account *a, struct shares_party *p, int64_t dt)
{
    for (size_t i = 0; p->wait > 0 && p->envy != NULL && i < a->x->n; i++) {
        const struct shares_party *o = &a->x->party[i];
        const double theirs = (double)o->held * p->weight / o->weight, demand = (double)(p->held + p->wait);
        if (o != p) p->envy[i] += (fmin(demand, theirs) - (double)p->held) * (double)dt;
    }
}

static void take_jobs(const struct account *a, uint32_t party, int which, struct shares_jobs *to)
{
    to->n = 0;
    if (party == a->x->n) return;
    for (uint32_t i = a->x->party[party].first[which]; i != NONE; i = a->job[i].next[which], to->n++)
        if (to->n < SHARES_JOBS) to->ordinal[to->n] = a->job[i].ordinal;
}

/* Does this instant show the case more than those before? */
static void look(const struct account *a, struct shares_case *c)
{
    const struct shares *x = a->x;
    const struct shares_party *p = &x->party[c->party];
    uint32_t other = c->other;
    double due = a->turn[c->party].due;
    if (p->wait <= 0) return;
    if (c->is_envy) {
        due = fmin((double)(p->held + p->wait), (double)x->party[other].held * p->weight / x->party[other].weight);
    } else {
        other = 0;
        for (uint32_t i = 1; i <= x->n; i++) if (a->turn[i].above > a->turn[other].above) other = i;
    }
    if (due <= (double)p->held || (c->at >= 0 && due - (double)p->held <= c->due_then - (double)c->held)) return;
    c->at = a->now;
    c->held = p->held;
    c->due_then = due;
    c->other_then = other;
    c->others = other == x->n ? a->capacity - a->used : x->party[other].held;
    take_jobs(a, c->party, WAITING, &c->waiting);
    take_jobs(a, other, RUNNING, &c->running);
}

/* What held from now until `to`. */
static void step(struct account *a, int64_t to)
{
    struct shares *x = a->x;
    const int64_t dt = to - a->now;
    double weights = 0;
    sim_wide all = a->turn[x->n].above = (sim_wide)i64_max(0, a->capacity - a->used) * dt;
    for (size_t i = 0; i < x->n; i++)
        if (x->party[i].held + x->party[i].wait > 0) weights += x->party[i].weight;
    for (size_t i = 0; i < x->n; i++) {
        const struct shares_party *p = &x->party[i];
        const int64_t demand = p->held + p->wait;
        const double due = demand > 0 ? fmin((double)demand, (double)a->capacity * p->weight / weights) : 0,
                     whole = floor(due);
        const sim_wide entitled = (sim_wide)whole * dt + (sim_wide)((due - whole) * (double)dt + 0.5),
                          held = (sim_wide)p->held * dt;
        a->turn[i].due = due;
        a->turn[i].entitled = entitled;
        all += a->turn[i].above = held > entitled ? held - entitled : 0;
    }
    for (size_t i = 0; i < x->n && !a->is_second; i++) {
        struct shares_party *p = &x->party[i];
        const sim_wide held = (sim_wide)p->held * dt, entitled = a->turn[i].entitled;
        p->now.held += held;
        p->now.entitled += entitled;
        p->now.above += a->turn[i].above;
        p->now.lost += entitled > held ? entitled - held : 0;
        if (entitled > held && p->lost_to != NULL) apportion(a, p, entitled - held, all);
        add_envy(a, p, dt);
    }
    a->window_capacity += (sim_wide)a->capacity * dt;
    for (size_t i = a->first_case; a->is_second && i < x->n_cases && x->at[i].from <= a->now; i++) {
        if (x->at[i].to > a->now) look(a, &x->at[i]);
        else if (i == a->first_case) a->first_case++;
    }
    a->now = to;
}

/* ---- windows, stretches, cases ---- */

static uint32_t greatest(const sim_wide *x, size_t n)
{
    uint32_t most = 0;
    for (uint32_t i = 1; i < n; i++) if (x[i] > x[most]) most = i;
    return most;
}

static void fold(struct shares_party *p)
{
    p->sum.held += p->now.held;
    p->sum.entitled += p->now.entitled;
    p->sum.lost += p->now.lost;
    p->sum.above += p->now.above;
}

static void add_below(struct account *a, uint32_t i)
{
    struct shares *x = a->x;
    const struct shares_party *p = &x->party[i];
    const uint32_t other = greatest(p->part, x->n + 1);
    MEM_PUSH(x->at, x->n_cases, x->cap_cases,
             (struct shares_case){ .party = i,
                                   .other = other,
                                   .from = a->from,
                                   .to = a->now,
                                   .at = -1,
                                   .had = shares_hours(p->now.held),
                                   .due = shares_hours(p->now.entitled),
                                   .most = shares_hours(p->part[other]) });
}

static void add_envied(struct account *a, uint32_t i)
{
    struct shares *x = a->x;
    const struct shares_party *p = &x->party[i];
    uint32_t most = 0;
    for (uint32_t k = 1; k < x->n; k++) if (p->envy[k] > p->envy[most]) most = k;
    if (p->envy[most] > 0)
        MEM_PUSH(x->at, x->n_cases, x->cap_cases,
                 (struct shares_case){ .is_envy = true,
                                       .party = i,
                                       .other = most,
                                       .from = a->from,
                                       .to = a->now,
                                       .at = -1,
                                       .most = p->envy[most] / (1000 * 3600e6) });
}

/* All parties' window ends here. */
static void end_window(struct account *a)
{
    struct shares *x = a->x;
    for (uint32_t i = 0; i < x->n; i++) {
        struct shares_party *p = &x->party[i];
        if (p->now.held != 0 || p->now.entitled != 0) {
            MEM_PUSH(x->row, x->n_rows, x->cap_rows,
                     (struct shares_window){ i, a->from, a->now, p->now, a->window_capacity });
            p->n_windows++;
            p->n_below += p->now.held < p->now.entitled;
            if (p->now.held < p->now.entitled) add_below(a, i);
            add_envied(a, i);
            fold(p);
        }
        p->now = (struct shares_sum){ 0 };
        memset(p->part, 0, (x->n + 1) * sizeof *p->part);
        memset(p->envy, 0, x->n * sizeof *p->envy);
    }
    a->from = a->now;
    a->window_capacity = 0;
}

/* Does the one party lose at present? */
static bool loses(const struct account *a)
{
    const struct shares *x = a->x;
    const struct shares_party *p = &x->party[a->of];
    double weights = 0;
    for (size_t i = 0; i < x->n; i++)
        if (x->party[i].held + x->party[i].wait > 0) weights += x->party[i].weight;
    return p->wait > 0 && (double)a->capacity * p->weight / weights > (double)p->held;
}

/* The one party's stretch ends here; what came before it without a loss is no case. */
static void end_stretch(struct account *a)
{
    struct shares_party *p = &a->x->party[a->of];
    if (p->now.lost > 0) add_below(a, a->of);
    for (size_t i = 0; i < a->x->n; i++) {
        fold(&a->x->party[i]);
        a->x->party[i].now = (struct shares_sum){ 0 };
    }
    memset(p->part, 0, (a->x->n + 1) * sizeof *p->part);
    a->from = a->now;
}

static void go_to(struct account *a, int64_t to)
{
    while (a->now < to) {
        const int64_t end = a->of == NONE ? (a->now / a->x->window + 1) * a->x->window : INT64_MAX;
        step(a, i64_min(to, end));
        if (a->now == end && !a->is_second) end_window(a);
    }
}

static enum st pass(struct account *a, const char *sql, bool is_second, struct diag *d)
{
    sqlite3_stmt *q;
    struct shares *x = a->x;
    int64_t at = 0;
    bool was = false, is_over = false;
    a->now = a->from = a->used = 0;
    a->is_second = is_second;
    for (size_t i = 0; i < a->n_jobs; i++)
        a->job[i] = (struct job){ .ordinal = a->job[i].ordinal, .party = a->job[i].party };
    for (size_t i = 0; i < x->n; i++) {
        struct shares_party *p = &x->party[i];
        p->held = p->wait = 0;
        for (int k = 0; k < 2; k++) p->first[k] = p->last[k] = NONE;
    }
    const int64_t capacity = a->capacity;
    TRY(query_run(a->store, a->run, sql, &q, d));
    for (bool more = true; more;) {
        more = !is_over && sqlite3_step(q) == SQLITE_ROW;
        const int64_t next = more ? sqlite3_column_int64(q, 0) : INT64_MAX;
        if (next > at && a->of != NONE && !is_second) {         /* all of the instant is known */
            const bool is = loses(a);
            if (is != was) end_stretch(a);
            was = is;
        }
        if (!more) break;
        go_to(a, at = next);
        const enum change what = (enum change)sqlite3_column_int(q, 1);
        const int64_t held = sqlite3_column_int64(q, 3), wait = sqlite3_column_int64(q, 4);
        if (what == NODE) a->capacity += held;
        else if (what == OVER) is_over = true;          /* what else nodes did is of no job */
        else change(a, (uint64_t)sqlite3_column_int64(q, 2), held, wait, what == ENDS);
    }
    if (a->of != NONE && !is_second) end_stretch(a);
    else if (!is_second && a->now > a->from) end_window(a);
    a->capacity = capacity;
    return query_end(a->store, q, d);
}

/* ---- loading ---- */

static enum st load_jobs(struct account *a, const char *by, struct diag *d)
{
    sqlite3_stmt *q;
    struct intern names = { 0 };
    char *sql = mem_printf("SELECT ordinal, coalesce(nullif(%s, ''), '(none)') FROM job WHERE run = ?1"
                           " AND status NOT IN ('rejected', 'never_eligible') ORDER BY ordinal", by);
    enum st st = query_run(a->store, a->run, sql, &q, d);
    mem_free(sql);
    while (st == ST_OK && sqlite3_step(q) == SQLITE_ROW)
        MEM_PUSH(a->job, a->n_jobs, a->cap_jobs, (struct job){ .ordinal = (uint64_t)sqlite3_column_int64(q, 0),
                 .party = intern_id(&names, query_text(q, 1)) });
    if (st == ST_OK) st = query_end(a->store, q, d);
    a->x->n = names.n;
    MEM_ARRAY(a->x->party, names.n);
    for (uint32_t i = 0; i < names.n; i++)
        a->x->party[i] = (struct shares_party){ .name = mem_strdup(intern_name(&names, i)), .weight = 1 };
    intern_fini(&names);
    return st;
}

static uint32_t find(const struct shares *x, const char *name, size_t len)
{
    for (uint32_t i = 0; i < x->n; i++)
        if (strncmp(x->party[i].name, name, len) == 0 && x->party[i].name[len] == '\0') return i;
    return NONE;
}

static enum st no_party(const struct shares *x, const char *name, size_t len, struct diag *d)
{
    const char **names;
    char *word = mem_strndup(name, len);
    MEM_ARRAY(names, x->n);
    for (size_t i = 0; i < x->n; i++) names[i] = x->party[i].name;
    (void)diag_set(d, ST_EINPUT, "no job of the run is of a %s '%s'", x->by, word);
    (void)diag_suggest(d, word, names, x->n);
    (void)diag_hint(d, "there is '%s', among others", x->party[0].name);
    mem_free(names);
    mem_free(word);
    return ST_EINPUT;
}

static enum st load_weights(struct account *a, const struct shares_opts *o, struct diag *d)
{
    struct shares *x = a->x;
    sqlite3_stmt *q;
    TRY(query_run(
        a->store, a->run,
        "SELECT substr(scope, 6), value FROM metric WHERE run = ?1 AND name = 'weight' AND scope LIKE 'user=%'", &q,
        d));
    while (strcmp(o->by, "user") == 0 && sqlite3_step(q) == SQLITE_ROW) {
        const uint32_t i = find(x, query_text(q, 0), strlen(query_text(q, 0)));
        if (i != NONE && sqlite3_column_double(q, 1) > 0) x->party[i].weight = sqlite3_column_double(q, 1);
    }
    TRY(query_end(a->store, q, d));
    for (size_t i = 0; i < o->n_weights; i++) {
        const char *at = strrchr(o->weight[i], '=');
        double w;
        if (at == NULL || !text_double(at + 1, &w) || !(w > 0))
            return diag_set(d, ST_EINPUT, "'%s': expected NAME=WEIGHT, the weight above 0", o->weight[i]);
        const uint32_t p = find(x, o->weight[i], (size_t)(at - o->weight[i]));
        if (p == NONE) return no_party(x, o->weight[i], (size_t)(at - o->weight[i]), d);
        x->party[p].weight = w;
    }
    for (size_t i = 0; i < x->n; i++) x->is_weighted = x->is_weighted || x->party[i].weight != 1;
    return ST_OK;
}

static enum st choose(struct account *a, const struct shares_opts *o, struct diag *d)
{
    struct shares *x = a->x;
    if (x->n == 0) return diag_set(d, ST_EINPUT, "no job arrived in run %" PRId64 " that could run", a->run);
    TRY(load_weights(a, o, d));
    a->of = o->of != NULL ? find(x, o->of, strlen(o->of)) : NONE;
    if (o->of != NULL && a->of == NONE) return no_party(x, o->of, strlen(o->of), d);
    if (a->of == NONE && x->n > SHARES_PARTIES_MAX)
        return diag_set(d, ST_EINPUT, "the run has %zu %ss: more than %d are not set beside each other", x->n, x->by,
                        SHARES_PARTIES_MAX);
    x->window = o->window > 0                        ? o->window
                : x->end > 10 * INT64_C(86400000000) ? INT64_C(86400000000)
                                                     : INT64_C(3600000000);
    if (a->of == NONE && (x->end / x->window + 1) > SHARES_ROWS_MAX / (int64_t)x->n)
        return diag_set(d, ST_EINPUT, "more than %d windows of all %ss: take a longer --window", SHARES_ROWS_MAX,
                        x->by);
    for (uint32_t i = 0; i < x->n; i++) {
        if (a->of != NONE && a->of != i) continue;
        MEM_ARRAY(x->party[i].lost_to, x->n + 1);
        MEM_ARRAY(x->party[i].part, x->n + 1);
        MEM_ARRAY(x->party[i].envy, x->n);
        if (a->of != NONE) { mem_free(x->party[i].envy); x->party[i].envy = NULL; }
    }
    MEM_ARRAY(a->turn, x->n + 1);
    return ST_OK;
}

static enum st account(struct account *a, const struct shares_opts *o, struct diag *d)
{
    int64_t n = 0, cards = 0;
    TRY(check_run(a->store, a->run, d));
    TRY(select_jobs_kept(a->store, a->run, d));
    TRY(query_int(a->store, &n, d, "SELECT count(*) FROM node JOIN capability USING (run, node) WHERE run = %lld",
                  (long long)a->run));
    if (n == 0) return replay_not_recorded(a->run, d);
    TRY(query_int(a->store, &cards, d, "SELECT sum(n_gpu) FROM node WHERE run = %lld", (long long)a->run));
    if (o->is_of_cpus) cards = 0;
    const char *of_node = cards > 0 ? "n_gpu * 1000" : "cpu_milli - cpu_reserved_milli";
    a->x->unit = cards > 0 ? "GPU" : "core";
    TRY(query_int(a->store, &a->capacity, d,
                  "SELECT sum(%s) FROM node JOIN capability USING (run, node) WHERE run = %lld", of_node,
                  (long long)a->run));
    TRY(query_int(a->store, &a->x->end, d,
                  "SELECT max(ifnull((SELECT max(end_us) FROM attempt WHERE run = %lld), 0),"
                  " ifnull((SELECT max(max(end_us, submit_us)) FROM job WHERE run = %lld), 0))",
                  (long long)a->run, (long long)a->run));
    TRY(load_jobs(a, o->by, d));
    TRY(choose(a, o, d));
    char *sql =
        cards > 0 ? changes("n_gpu * gpu_milli", "gpu_milli", of_node) : changes("cpu_milli", "cpu_milli", of_node);
    enum st st = pass(a, sql, false, d);
    if (st == ST_OK) st = pass(a, sql, true, d);
    mem_free(sql);
    return st;
}

enum st shares_load(struct shares *x, struct store *s, const struct selection *run, const struct shares_opts *o,
                    struct diag *d)
{
    struct account a = { .x = x, .store = s, .run = run->run };
    *x = (struct shares){ .by = o->by };
    const enum st st = account(&a, o, d);
    mem_free(a.job);
    mem_free(a.turn);
    if (st != ST_OK) shares_fini(x);
    return st;
}

void shares_fini(struct shares *x)
{
    for (size_t i = 0; i < x->n; i++)
        MEM_FREE(x->party[i].name, x->party[i].lost_to, x->party[i].part, x->party[i].envy);
    MEM_FREE(x->party, x->row, x->at);
    *x = (struct shares){ 0 };
}

/* resample.c -- jobs by user and week, a draw of these for each user and week to be, and all in order of time. */
#include "input/fit/resample.h"

#include <math.h>
#include <stdlib.h>
#include "base/mem.h"
#include "base/rng.h"
#include "input/trace/format/native.h"
#include "input/trace/spill.h"

static const char *const by[] = { "user,week" };
const struct trace_option resample_params[] = {
    { .key = "by",
      .type = TRACE_CHOICE,
      .offset = offsetof(struct resample_opts, by),
      .dflt = "user,week",
      .word = by,
      .n_words = ARRAY_LEN(by),
      .help = "what is drawn as a whole" },
    { .key = "load",
      .type = TRACE_NUMBER,
      .offset = offsetof(struct resample_opts, load),
      .dflt = "1",
      .min = 0.001,
      .max = 1000,
      .help = "how many times the trace's users" },
    { .key = "span",
      .type = TRACE_DURATION,
      .offset = offsetof(struct resample_opts, span),
      .min = 1,
      .help = "how long jobs arrive; else as many whole weeks as the trace has" },
};
const size_t resample_n_params = ARRAY_LEN(resample_params);

#define WEEK (7 * 86400 * TICK_SEC)

struct of_week {
    uint32_t user, week;
    uint64_t job;
};
struct again {
    sim_tick submit;
    uint64_t job;
    uint32_t copy, seq;
};

struct resample {
    struct spill *jobs;
    struct intern users;
    struct of_week *at;
    size_t n, cap; /* by user, week and time */
    uint32_t *uses;
    size_t cap_uses; /* of each job, so far */
    sim_tick *submit;
    size_t cap_submit;
    struct again *out;
    size_t n_out, cap_out;
    uint32_t weeks;
};

static int by_user(const void *a, const void *b)
{
    const struct of_week *x = a, *y = b;
    if (x->user != y->user) return x->user < y->user ? -1 : 1;
    if (x->week != y->week) return x->week < y->week ? -1 : 1;
    return (x->job > y->job) - (x->job < y->job);
}

static int by_time(const void *a, const void *b)
{
    const struct again *x = a, *y = b;
    if (x->submit != y->submit) return x->submit < y->submit ? -1 : 1;
    return (x->seq > y->seq) - (x->seq < y->seq);
}

static enum st read_jobs(struct resample *r, const struct trace *t, struct resample_facts *facts, struct diag *d)
{
    struct source src;
    struct job_spec s;
    sim_tick last = 0;
    uint64_t n = 0;
    TRY(trace_source_open(t, &src, d));
    enum st st;
    while ((st = src.next(src.ctx, &s, d)) == ST_OK) {
        if (!spill_can_keep(&s))
            st = diag_at(d, ST_EINPUT, t->opts.path != NULL ? t->opts.path : "", s.line, 0,
                         "job '%s' is a workflow or makes calls, which one file of jobs cannot tell", s.id);
        facts->dependent += s.after != NULL;
        s.after = NULL;
        s.past = (struct job_past){ .is_known = false };
        if (st == ST_OK) st = spill_add(r->jobs, &s, d);
        if (st != ST_OK) break;
        MEM_PUSH(r->at, r->n, r->cap,
                 (struct of_week){ intern_id(&r->users, s.user != NULL ? s.user : "-"), (uint32_t)(s.submit / WEEK),
                                   n });
        MEM_RESERVE(r->submit, r->cap_submit, n + 1);
        r->submit[n++] = last = s.submit;
    }
    trace_source_close(&src);
    if (st == ST_END) st = spill_sort(r->jobs, 0, 0, TICK_NEVER, 0, 0, d);
    if (st != ST_OK) return st;
    /* A week that the trace just about reaches the end of counts as whole. */
    r->weeks = (uint32_t)((last + 86400 * TICK_SEC) / WEEK);
    if (r->weeks < RESAMPLE_WEEKS_LEAST)
        return diag_at(d, ST_EINPUT, t->opts.path != NULL ? t->opts.path : "", 0, 0,
                       "not decided: %.3g days hold %u whole weeks, and at least %d are needed to draw from",
                       (double)last / (86400.0 * (double)TICK_SEC), r->weeks, RESAMPLE_WEEKS_LEAST);
    qsort(r->at, r->n, sizeof *r->at, by_user);
    return ST_OK;
}

/* The jobs of a user in week `from` of the trace, in week `to`. */
static void put_week(struct resample *r, size_t first, size_t end, uint32_t from, uint32_t to, uint32_t copy,
                     sim_tick span)
{
    for (size_t i = first; i < end; i++) {
        sim_tick at = r->submit[r->at[i].job] % WEEK + to * WEEK;
        if (r->at[i].week == from && at < span)
            MEM_PUSH(r->out, r->n_out, r->cap_out, (struct again){ at, r->at[i].job, copy, (uint32_t)r->n_out });
    }
}

/* Drawn jobs, and weeks of users, are counted in 32 bits and kept. */
static enum st check_size(const struct resample *r, const struct resample_opts *o, struct diag *d)
{
    enum { MOST = 50000000 };
    const double weeks = o->load * (o->span > 0 ? (double)o->span / WEEK + 1 : r->weeks);
    if ((double)r->n / r->weeks * weeks <= MOST && (double)r->users.n * weeks <= MOST) return ST_OK;
    return diag_set(d, ST_EINPUT, "more than %d jobs or weeks of users would be drawn: ask for less load or a shorter span", MOST);
}

static void draw_weeks(struct resample *r, const struct resample_opts *o)
{
    const sim_tick span = o->span > 0 ? o->span : r->weeks * WEEK;
    for (size_t first = 0, end; first < r->n; first = end) {
        for (end = first; end < r->n && r->at[end].user == r->at[first].user;) end++;
        for (uint32_t copy = 0; (double)copy < o->load; copy++) {
            struct rng rng;
            rng_init(&rng, o->seed, "resample", (uint64_t)r->at[first].user << 32 | copy);
            for (uint32_t to = 0; to * WEEK < span; to++) {
                uint32_t from = (uint32_t)rng_below(&rng, r->weeks);
                bool is_kept = rng_unit(&rng) < o->load - copy;
                if (is_kept) put_week(r, first, end, from, to, copy, span);
            }
        }
    }
    if (r->n_out > 0) qsort(r->out, r->n_out, sizeof *r->out, by_time);
}

static enum st write_jobs(struct resample *r, const struct trace *t, FILE *to, struct diag *d)
{
    const struct native_form form = { .bare = !t->opts.format->binds_nodes, .restores = t->facts.has_restores };
    struct spill_job memory = { .bytes = NULL };
    enum st st = ST_OK;
    native_write_header(to, t->cluster, form);
    MEM_RESERVE(r->uses, r->cap_uses, r->n);
    for (size_t i = 0; i < r->n_out && st == ST_OK; i++) {
        const struct again *x = &r->out[i];
        struct job_spec s;
        if ((st = spill_read(r->jobs, x->job, &memory, &s, d)) != ST_OK) break;
        char *id = mem_printf("%s~%u", s.id, ++r->uses[x->job]);
        char *user = x->copy > 0 ? mem_printf("%s~%u", s.user != NULL ? s.user : "-", x->copy + 1) : NULL;
        s.id = id;
        if (user != NULL) s.user = user;
        s.submit = x->submit;
        native_write(to, &s, t->cluster, form);
        MEM_FREE(id, user);
    }
    spill_job_fini(&memory);
    return st;
}

enum st resample_write(const struct trace *t, const struct resample_opts *o, FILE *to, struct resample_facts *facts,
                       struct diag *d)
{
    struct resample r = { .jobs = spill_create(SPILL_MEMORY) };
    *facts = (struct resample_facts){ .jobs = 0 };
    enum st st = read_jobs(&r, t, facts, d);
    for (size_t i = 0; i < r.n; i++) facts->past_last_week += r.at[i].week >= r.weeks;
    if (st == ST_OK) st = check_size(&r, o, d);
    if (st == ST_OK) draw_weeks(&r, o);
    if (st == ST_OK && r.n_out == 0) st = diag_set(d, ST_EINPUT, "no job is left: ask for more load or a longer span");
    if (st == ST_OK) st = write_jobs(&r, t, to, d);
    facts->jobs = r.n_out;
    spill_destroy(r.jobs);
    intern_fini(&r.users);
    MEM_FREE(r.at, r.uses, r.submit, r.out);
    return st;
}

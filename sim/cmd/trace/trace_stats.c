/* trace_stats.c -- one pass over a prepared trace for the figures of `fairway trace stats`. */
#include "cmd/trace/trace_stats.h"

#include <inttypes.h>
#include <stdlib.h>
#include "base/mem.h"

struct tally {
    struct intern users, queues;
    uint64_t *by_user; size_t cap_user;
    sim_tick *dur; size_t n, cap_dur;           /* longest task of each job */
    uint64_t cpu, share, single, multi, gang, array, staged, typed, limited, cards;
    double   dur_sum;
};

static void add(struct tally *y, const struct job_spec *s)
{
    int64_t cards = 0, tasks = 0, milli = 0;
    sim_tick dur = 0;
    uint64_t types = 0;
    for (uint32_t k = 0; k < s->n_groups; k++) {
        const struct task_group *g = &s->group[k];
        cards += (int64_t)g->n * g->shape.n_gpu;
        milli += (int64_t)g->n * g->shape.n_gpu * g->shape.gpu_milli;
        tasks += g->n;
        types |= g->shape.gpu_types;
        dur = i64_max(dur, g->dur);
    }
    if (cards == 0) y->cpu++;
    else if (cards > 1) y->multi++;
    else if (milli < GPU_WHOLE) y->share++;
    else y->single++;
    y->gang += s->gang && tasks > 1;
    y->array += !s->gang && tasks > 1 && s->graph == NULL;
    y->staged += s->graph != NULL;
    y->typed += types != 0;
    y->limited += s->limit >= 0;
    y->cards += (uint64_t)cards;
    MEM_PUSH(y->dur, y->n, y->cap_dur, dur);
    y->dur_sum += (double)dur;
    if (s->queue != NULL) (void)intern_id(&y->queues, s->queue);
    if (s->user == NULL) return;
    uint32_t u = intern_id(&y->users, s->user);
    MEM_RESERVE(y->by_user, y->cap_user, u + 1);
    y->by_user[u]++;
}

static int by_value(const void *a, const void *b)
{
    sim_tick x = *(const sim_tick *)a, z = *(const sim_tick *)b;
    return (x > z) - (x < z);
}

static void row(struct table *t, const char *name, const char *unit, double v)
{
    table_cell(t, "%s", name);
    table_cell(t, "%.10g", v);
    table_cell(t, "%s", unit);
}

/* The smallest duration that at least q of the jobs do not exceed. */
static double quantile(const struct tally *y, double q)
{
    size_t k = (size_t)(q * (double)y->n);
    if ((double)k < q * (double)y->n) k++;
    return (double)y->dur[k > 0 ? k - 1 : 0] / (double)TICK_SEC;
}

static void fill(struct table *t, const struct trace *tr, struct tally *y)
{
    const struct trace_facts *f = &tr->facts;
    const double sec = (double)TICK_SEC, hour = 3600 * sec, milli = 1000;
    uint64_t top = 0;
    for (uint32_t u = 0; u < y->users.n; u++) top = y->by_user[u] > top ? y->by_user[u] : top;
    if (y->n > 0) qsort(y->dur, y->n, sizeof *y->dur, by_value);
    row(t, "jobs", "", (double)f->n_jobs);
    row(t, "jobs in the file", "", (double)f->n_file);
    row(t, "tasks", "", (double)f->n_tasks);
    row(t, "users", "", y->users.n);
    row(t, "jobs of the busiest user", "", (double)top);
    row(t, "queues", "", y->queues.n);
    row(t, "span of arrivals", "s", (double)(f->last - f->first) / sec);
    row(t, "jobs without GPU", "", (double)y->cpu);
    row(t, "jobs with a share of a card", "", (double)y->share);
    row(t, "jobs with one card", "", (double)y->single);
    row(t, "jobs with more cards", "", (double)y->multi);
    row(t, "gang jobs", "", (double)y->gang);
    row(t, "jobs of many independent tasks", "", (double)y->array);
    row(t, "jobs whose tasks read or wait", "", (double)y->staged);
    row(t, "jobs that name GPU types", "", (double)y->typed);
    row(t, "jobs with a limit", "", (double)y->limited);
    row(t, "jobs that run past their limit", "", (double)f->n_past_limit);
    row(t, "cards asked", "", (double)y->cards);
    if (f->n_dependent > 0) row(t, "jobs that wait for others", "", (double)f->n_dependent);
    if (f->n_recorded > 0) {
        row(t, "jobs with a recorded start", "", (double)f->n_recorded);
        row(t, "recorded wait, mean", "s", f->recorded_wait_us / (double)f->n_recorded / sec);
    }
    row(t, "duration, mean", "s", y->dur_sum / (double)y->n / sec);
    row(t, "duration, p50", "s", quantile(y, 0.5));
    row(t, "duration, p90", "s", quantile(y, 0.9));
    row(t, "duration, p99", "s", quantile(y, 0.99));
    row(t, "duration, max", "s", quantile(y, 1));
    row(t, "GPU demand", "card h", f->gpu_us / milli / hour);
    row(t, "CPU demand", "core h", f->cpu_us / milli / hour);
    row(t, "memory demand", "GiB h", f->mem_us / (double)(INT64_C(1) << 30) / hour);
    if (tr->cluster->n_nodes > 0) {
        row(t, "offered GPU load", "", f->load_gpu / f->stretch);
        row(t, "offered CPU load", "", f->load_cpu / f->stretch);
        row(t, "offered memory load", "", f->load_mem / f->stretch);
        row(t, "gaps multiplied by", "", f->stretch);
    }
    for (size_t i = 0; i < tr->repairs.n; i++) {
        table_cell(t, "repair: %s", tr->repairs.at[i].what);
        table_cell(t, "%" PRIu64, tr->repairs.at[i].count);
        table_cell(t, "rows, first at line %" PRIu32, tr->repairs.at[i].first_line);
    }
}

enum st trace_stats_table(const struct trace *t, struct table **out, struct diag *d)
{
    struct tally y = { .n = 0 };
    struct source src;
    struct job_spec s;
    TRY(trace_source_open(t, &src, d));
    enum st st;
    while ((st = src.next(src.ctx, &s, d)) == ST_OK) add(&y, &s);
    trace_source_close(&src);
    if (st == ST_END) {
        *out = table_of("figure|#value|unit");
        fill(*out, t, &y);
        st = ST_OK;
    }
    intern_fini(&y.users);
    intern_fini(&y.queues);
    mem_free(y.by_user);
    mem_free(y.dur);
    return st;
}

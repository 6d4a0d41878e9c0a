#include "ref/wfcase.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "host/host.h"
#include "base/mem.h"
#include "model/graph.h"

struct run {
    struct wfcase *c;
    uint32_t next;
    struct task_group group[WF_TASKS];
    uint32_t *in_start, *after_start, *after;
    struct task_graph graph;
    sim_tick last_end[WF_JOBS][WF_TASKS];
};

void wfcase_init(struct wfcase *c)
{
    struct diag d = { 0 };
    memset(c, 0, sizeof *c);
    c->horizon = TICK_NEVER;
    (void)cluster_licence(&c->cluster, "lic", &d);
}

void wfcase_fini(struct wfcase *c)
{
    cluster_fini(&c->cluster);
    wfcase_log_fini(&c->log);
}

/* ---- what happened ---- */

void wfcase_log_fini(struct wf_log *log)
{
    mem_free(log->line);
    *log = (struct wf_log){ .line = NULL };
}

static int by_time_and_text(const void *a, const void *b)
{
    const struct wf_line *x = a, *y = b;
    return x->at != y->at ? (x->at < y->at ? -1 : 1) : strcmp(x->text, y->text);
}

void wfcase_log_sort(struct wf_log *log)
{
    if (log->n > 0) qsort(log->line, log->n, sizeof *log->line, by_time_and_text);
}

void wfcase_log_add(struct wf_log *log, sim_tick at, const char *fmt, ...)
{
    va_list ap;
    MEM_RESERVE(log->line, log->cap, log->n + 1);
    struct wf_line *l = &log->line[log->n++];
    l->at = at;
    va_start(ap, fmt);
    (void)vsnprintf(l->text, sizeof l->text, fmt, ap);
    va_end(ap);
}

void wfcase_log_entry(struct wf_log *log, sim_tick at, int job, int stage, const int64_t *need, const int64_t *lendable,
                      const int64_t *reclaimed, const int64_t *usable)
{
    const int64_t *of[] = { need, lendable, reclaimed, usable };
    static const char *const name[] = { "needs", "leaves", "takes back", "could use" };
    for (int i = 0; i < 4; i++)
        wfcase_log_add(log, at, "job %d in stage %d %s %" PRId64 " %" PRId64 " %" PRId64, job, stage, name[i], of[i][0],
                       of[i][1], of[i][2]);
}

void wfcase_log_loan(struct wf_log *log, sim_tick at, int job, int task, int lender, const int64_t *amount)
{
    wfcase_log_add(log, at, "loan to %d.%d of job %d: %" PRId64 " %" PRId64 " %" PRId64, job, task, lender, amount[0],
                   amount[1], amount[2]);
}

/* ---- cases ---- */

void wfcase_node(struct wfcase *c, int64_t cpu_milli, uint32_t gpus, const char *label)
{
    char name[16];
    struct diag d = { 0 };
    (void)snprintf(name, sizeof name, "n%u", c->cluster.n_nodes);
    uint64_t labels = label != NULL ? UINT64_C(1) << cluster_label(&c->cluster, label, &d) : 0;
    enum st st = cluster_add(&c->cluster,
                             &(struct node_spec){ .name = name,
                                                  .cpu_milli = cpu_milli,
                                                  .mem_b = INT64_C(1) << 40,
                                                  .n_gpu = gpus,
                                                  .gpu_type = gpus ? "V100" : NULL,
                                                  .labels = labels },
                             &d);
    SIM_ASSERT(st == ST_OK);
}

struct wf_job *wfcase_job(struct wfcase *c, const char *id, const char *user, bool staged)
{
    SIM_ASSERT(c->n_jobs < WF_JOBS);
    struct wf_job *j = &c->job[c->n_jobs++];
    *j = (struct wf_job){ .id = id, .user = user, .limit = -1, .staged = staged };
    return j;
}

void wfcase_task(struct wf_job *j, uint32_t stage, sim_tick dur, int64_t cpu_milli, uint32_t n)
{
    SIM_ASSERT(j->n < WF_TASKS);
    j->task[j->n++] = (struct wf_task){ .stage = stage, .dur = dur, .cpu_milli = cpu_milli, .n = n };
}

struct wf_job *wfcase_figure_1(struct wfcase *c, sim_tick t)
{
    static const struct {
        uint32_t stage;
        int64_t cores;
    } fig[] = { { 0, 2 }, { 1, 2 }, { 1, 3 }, { 1, 1 }, { 2, 5 }, { 2, 1 }, { 3, 8 } };
    struct wf_job *j = wfcase_job(c, "fig1", "flow", true);
    for (size_t i = 0; i < ARRAY_LEN(fig); i++) wfcase_task(j, fig[i].stage, t, fig[i].cores * 1000, 1);
    return j;
}

static void link_stages(struct run *r, const struct wf_job *j, uint32_t n)
{
    uint32_t group[WF_TASKS * 64], at = 0, edges = 0;
    for (uint32_t g = 0; g < j->n; g++) for (uint32_t i = 0; i < j->task[g].n; i++) group[at++] = g;
    mem_free(r->in_start); mem_free(r->after_start); mem_free(r->after);
    MEM_ARRAY(r->in_start, (size_t)n + 1);
    MEM_ARRAY(r->after_start, (size_t)n + 1);
    MEM_ARRAY(r->after, (size_t)n * n + 1);
    for (uint32_t k = 0; k < n; k++) {
        const struct wf_task *t = &j->task[group[k]];
        for (uint32_t p = 0; p < n; p++)
            if (j->linked ? (t->after >> group[p] & 1) != 0 : j->task[group[p]].stage + 1 == t->stage)
                r->after[edges++] = p;
        r->after_start[k + 1] = edges;
    }
    r->graph = (struct task_graph){ .in_start = r->in_start, .after_start = r->after_start, .after = r->after };
}

static enum st next(void *ctx, struct job_spec *out, struct diag *d)
{
    struct run *r = ctx;
    (void)d;
    if (r->next == r->c->n_jobs) return ST_END;
    const struct wf_job *j = &r->c->job[r->next++];
    uint32_t n = 0;
    for (uint32_t g = 0; g < j->n; g++) {
        const struct wf_task *t = &j->task[g];
        r->group[g] = (struct task_group){ .n = t->n,
                                           .dur = t->dur,
                                           .shape = { .cpu_milli = t->cpu_milli,
                                                      .n_gpu = t->gpus,
                                                      .gpu_milli = t->gpus ? GPU_WHOLE : 0,
                                                      .need_any = j->need_any } };
        r->group[g].shape.licence[0] = t->licences;
        n += t->n;
    }
    *out = (struct job_spec){ .id = j->id,
                              .user = j->user,
                              .queue = j->queue,
                              .submit = j->submit,
                              .limit = j->limit,
                              .priority = j->priority,
                              .group = r->group,
                              .n_groups = j->n };
    if (!j->staged) return ST_OK;
    link_stages(r, j, n);
    out->graph = &r->graph;
    return ST_OK;
}

static void started(void *ctx, const struct world *w, uint32_t task)
{
    struct run *r = ctx;
    const struct task *t = world_task(w, task);
    const struct job *j = world_job(w, t->job);
    const struct hold *h = cluster_hold(world_cluster(w), task);
    wfcase_log_add(&r->c->log, world_now(w), "start %d.%u n%u %" PRIx64, (int)j->ordinal, t->index, h->node, h->cards);
    if (r->c->begin[j->ordinal] < 0) r->c->begin[j->ordinal] = world_now(w);
    uint32_t level = j->graph != NULL ? j->graph->level[t->index] : 0;
    if (level > 0 && t->attempts == 1)
        r->c->late = i64_max(r->c->late, world_now(w) - r->last_end[j->ordinal][level - 1]);
}

static void stopped(void *ctx, const struct world *w, uint32_t task, enum stop_reason reason)
{
    struct run *r = ctx;
    const struct task *t = world_task(w, task);
    const struct job *j = world_job(w, t->job);
    if (j->graph != NULL) r->last_end[j->ordinal][j->graph->level[t->index]] = world_now(w);
    wfcase_log_add(&r->c->log, world_now(w), "stop %d.%u %s", (int)j->ordinal, t->index,
                   reason == STOP_DONE ? "done" : "preempted");
    if (r->c->n_stops < WF_STOPS)
        r->c->stop[r->c->n_stops++] =
            (struct wf_stop){ world_now(w), j->ordinal, t->index, reason, world_borrows(w, task) };
}

static void staged(void *ctx, const struct world *w, uint32_t job, const struct reservations_stage *e)
{
    struct wfcase *c = ((struct run *)ctx)->c;
    const struct reservations_amount *a[] = { &e->need, &e->lendable, &e->reclaimed, &e->usable };
    int64_t of[4][3];
    for (int i = 0; i < 4; i++) { of[i][0] = a[i]->cpu_milli; of[i][1] = a[i]->gpu_milli; of[i][2] = a[i]->licence[0]; }
    wfcase_log_entry(&c->log, world_now(w), (int)world_job(w, job)->ordinal, (int)e->stage, of[0], of[1], of[2], of[3]);
    if (c->n_entries < WF_ENTRIES)
        c->entry[c->n_entries++] = (struct wf_entry){ world_now(w), world_job(w, job)->ordinal, *e };
}

static void lent(void *ctx, const struct world *w, uint32_t task, uint32_t lender)
{
    struct wfcase *c = ((struct run *)ctx)->c;
    uint64_t job = world_job_of(w, task)->ordinal;
    const struct reservations_amount *a = &world_task(w, task)->loan->amount;
    int64_t of[] = { a->cpu_milli, a->gpu_milli, a->licence[0] };
    wfcase_log_loan(&c->log, world_now(w), (int)job, (int)world_task(w, task)->index,
                    (int)world_job(w, lender)->ordinal, of);
    if (c->lends[job]++ == 0) c->first_loan[job] = world_now(w);
}

static void ended(void *ctx, const struct world *w, uint32_t job)
{
    ((struct run *)ctx)->c->end[world_job(w, job)->ordinal] = world_job(w, job)->end;
}

void wfcase_run(struct wfcase *c, const char *policy)
{
    static struct run r;
    struct host *h;
    struct throughput perf = { .rate = NULL };
    r = (struct run){ .c = c };
    c->n_entries = c->n_stops = 0;
    c->log.n = 0;
    c->late = 0;
    c->diag = (struct diag){ 0 };
    memset(c->lends, 0, sizeof c->lends);
    for (int i = 0; i < WF_JOBS; i++) c->begin[i] = c->end[i] = c->first_loan[i] = -1;
    if (c->cluster.changed == NULL) cluster_seal(&c->cluster);
    const struct world_config cfg = { .cluster = &c->cluster, .throughput = &perf, .audit = true, .horizon = c->horizon,
                                      .fault = { .list = c->fault, .n_list = c->n_faults } };
    const struct host_hooks hooks = { .tricks.reuses_shapes = true };
    c->result = host_create(&h, policy, NULL, &cfg, NULL, &hooks, &c->diag);
    if (c->result != ST_OK) return;
    struct world *w = world_create(&cfg, (struct source){ .ctx = &r, .next = next }, host_decider(h));
    world_observe(
        w, (struct observer){
               .ctx = &r, .started = started, .stopped = stopped, .staged = staged, .lent = lent, .job_ended = ended });
    while ((c->result = world_step(w, &c->diag)) == ST_OK) continue;
    world_destroy(w);
    host_destroy(h);
    throughput_fini(&perf);
    mem_free(r.in_start); mem_free(r.after_start); mem_free(r.after);
}

uint32_t wfcase_reclaims(const struct wfcase *c, uint64_t job, sim_tick at)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n_stops; i++)
        n += c->stop[i].borrowed && c->stop[i].reason == STOP_PREEMPTED &&
             (job == UINT64_MAX || c->stop[i].job == job) && (at < 0 || c->stop[i].at == at);
    return n;
}

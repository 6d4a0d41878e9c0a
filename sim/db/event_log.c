/* event_log.c -- the observer that prints the lines of event_log.h. */
#include "db/event_log.h"

#include <inttypes.h>

const char *const event_log_stop_reason[] = {
    [STOP_DONE] = "done", [STOP_PREEMPTED] = "preempted", [STOP_FAILED] = "failed",
    [STOP_TIMEOUT] = "timeout", [STOP_HORIZON] = "horizon", [STOP_MISMATCH] = "mismatch",
    [STOP_SCALED] = "scaled",
};
const char *const event_log_job_status[] = {
    [JOB_LIVE] = "live", [JOB_DONE] = "done", [JOB_TIMEOUT] = "timeout",
    [JOB_REJECTED] = "rejected", [JOB_UNFINISHED] = "unfinished", [JOB_FAILED] = "failed",
    [JOB_NEVER_ELIGIBLE] = "never_eligible",
};

static const char *node_name(const struct world *w, uint32_t node) { return intern_name(&world_cluster(w)->node_names, node); }

static void arrived(void *ctx, const struct world *w, uint32_t job)
{
    (void)fprintf(ctx, "%" PRId64 " arrive %s\n", world_now(w), world_job(w, job)->id);
}

static void started(void *ctx, const struct world *w, uint32_t task)
{
    const struct task *t = world_task(w, task);
    const struct hold *h = cluster_hold(world_cluster(w), task);
    const struct shape *asked = world_shape(w, t->shape);
    (void)fprintf(ctx, "%" PRId64 " start %s %" PRIu32 " %s %" PRIx64, world_now(w), world_job(w, t->job)->id,
                  t->index, node_name(w, h->node), h->cards);
    if (h->cpu_milli != asked->cpu_milli && !asked->exclusive) (void)fprintf(ctx, " %" PRId64 "m", h->cpu_milli);
    if (h->mem_b != asked->mem_b && !asked->exclusive) (void)fprintf(ctx, " %" PRId64 "B", h->mem_b);
    (void)fputc('\n', ctx);
}

static void resized(void *ctx, const struct world *w, uint32_t task, int64_t was, int64_t mem_was)
{
    const struct task *t = world_task(w, task);
    const struct hold *h = cluster_hold(world_cluster(w), task);
    (void)was;
    (void)fprintf(ctx, "%" PRId64 " resize %s %" PRIu32 " %" PRId64 "m", world_now(w), world_job(w, t->job)->id,
                  t->index, h->cpu_milli);
    if (h->mem_b != mem_was) (void)fprintf(ctx, " %" PRId64 "B", h->mem_b);
    (void)fputc('\n', ctx);
}

static void stopped(void *ctx, const struct world *w, uint32_t task, enum stop_reason reason)
{
    const struct task *t = world_task(w, task);
    (void)fprintf(ctx, "%" PRId64 " stop %s %" PRIu32 " %s %s\n", world_now(w), world_job(w, t->job)->id, t->index,
                  node_name(w, cluster_hold(world_cluster(w), task)->node), event_log_stop_reason[reason]);
}

static void sent(void *ctx, const struct world *w, uint32_t task, uint32_t from)
{
    const struct task *t = world_task(w, task);
    uint32_t to = world_calls(w)->run[task].queue;
    (void)from;
    (void)fprintf(ctx, "%" PRId64 " send %s %" PRIu32 " %s\n", world_now(w), world_job(w, t->job)->id, t->index, to == NONE ? "master" : node_name(w, to));
}

static void called(void *ctx, const struct world *w, uint32_t task, bool done)
{
    const struct task *t = world_task(w, task);
    const struct call_run *r = &world_calls(w)->run[task];
    (void)fprintf(ctx, "%" PRId64 " call %s %" PRIu32 " %" PRIu32 " %s %s %" PRId64 "+%" PRId64 " %s\n", world_now(w), world_job(w, t->job)->id, t->index,
                  r->at, node_name(w, r->node), intern_name(&world_cluster(w)->engines, r->engine), r->exec, r->overhead, done ? "done" : "lost");
}

static void job_ended(void *ctx, const struct world *w, uint32_t job)
{
    const struct job *j = world_job(w, job);
    (void)fprintf(ctx, "%" PRId64 " end %s %s\n", world_now(w), j->id, event_log_job_status[j->status]);
}

static void node_changed(void *ctx, const struct world *w, uint32_t node)
{
    (void)fprintf(ctx, "%" PRId64 " %s %s\n", world_now(w), world_cluster(w)->node[node].is_up ? "up" : "down", node_name(w, node));
}

struct observer event_log_observer(FILE *to)
{
    return (struct observer){ .ctx = to, .arrived = arrived, .started = started, .resized = resized, .stopped = stopped,
                              .sent = sent, .called = called,
                              .job_ended = job_ended, .node_changed = node_changed };
}

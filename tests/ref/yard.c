#include "ref/yard.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/host.h"
#include "base/mem.h"
#include "db/event_log.h"

void yard_init(struct yard *y) { memset(y, 0, sizeof *y); }

void yard_fini(struct yard *y)
{
    cluster_fini(&y->cluster);
    throughput_fini(&y->perf);
    calltime_fini(&y->times);
    relation_fini(&y->relation);
}

void yard_node(struct yard *y, const char *engines, int64_t latency, int64_t bps)
{
    char name[16];
    struct node_spec s = { .cpu_milli = 64000, .mem_b = INT64_C(1) << 36, .latency_us = latency * TICK_SEC, .link_bps = bps };
    (void)snprintf(name, sizeof name, "n%u", y->cluster.n_nodes);
    s.name = name;
    for (const char *p = engines; *p != '\0';) {
        char type[16];
        int n = 0, used = 0;
        SIM_ASSERT(sscanf(p, "%15[^:]:%d%n", type, &n, &used) == 2);
        s.engine[intern_id(&y->cluster.engines, type)] = n;
        p += used;
        if (*p == ',') p++;
    }
    struct diag d = { 0 };
    SIM_ASSERT(cluster_add(&y->cluster, &s, &d) == ST_OK);
}

void yard_time(struct yard *y, const char *api, const char *engine, int64_t size, int64_t s)
{
    SIM_ASSERT(calltime_add(&y->times, intern_id(&y->times.apis, api), intern_id(&y->cluster.engines, engine), size, s * TICK_SEC));
}

void yard_job(struct yard *y, int64_t submit, uint32_t n_tasks, const char *calls)
{
    SIM_ASSERT(y->n_jobs < YARD_JOBS && n_tasks <= ARRAY_LEN(y->call_first));
    struct yard_job *j = &y->job[y->n_jobs];
    *j = (struct yard_job){ .submit = submit * TICK_SEC, .n_tasks = n_tasks, .first = y->n_calls };
    (void)snprintf(j->id, sizeof j->id, "j%u", y->n_jobs++);
    for (const char *p = calls; *p != '\0';) {
        char api[16];
        int used = 0;
        struct call *c = &y->call[y->n_calls++];
        SIM_ASSERT(y->n_calls <= YARD_CALLS && sscanf(p, "%15[^:]:%" SCNd64 ":%" SCNd64 "%n", api, &c->size, &c->result, &used) == 3);
        c->api = intern_find(&y->times.apis, api);
        SIM_ASSERT(c->api != NONE);
        j->n++;
        p += used;
        if (*p == ',') p++;
    }
}

void yard_fault(struct yard *y, int64_t at, uint32_t node, bool up)
{
    y->fault[y->n_faults++] = (struct fault_event){ .at = at * TICK_SEC, .node = node, .up = up };
}

static enum st next(void *ctx, struct job_spec *out, struct diag *d)
{
    struct yard *y = ctx;
    (void)d;
    if (y->next == y->n_jobs) return ST_END;
    const struct yard_job *j = &y->job[y->next++];
    sim_tick dur = 0;
    for (uint32_t k = j->first; k < j->first + j->n; k++) dur += calltime_best(&y->times, y->call[k].api, y->call[k].size, cluster_engine_types(&y->cluster));
    for (uint32_t t = 0; t < j->n_tasks; t++) { y->call_first[t] = j->first; y->call_n[t] = j->n; }
    y->group = (struct task_group){ .n = j->n_tasks, .dur = dur };
    y->calls = (struct task_calls){ y->call_first, y->call_n, y->call, y->n_calls };
    *out = (struct job_spec){ .id = j->id, .submit = j->submit, .limit = -1, .group = &y->group, .n_groups = 1, .calls = &y->calls };
    return ST_OK;
}

struct watch { struct yard *y; FILE *reason; };

static void stopped(void *ctx, const struct world *w, uint32_t task, enum stop_reason reason)
{
    struct watch *x = ctx;
    if (reason == STOP_DONE) x->y->task_s += (world_now(w) - world_job_of(w, task)->submit) / TICK_SEC;
    if (reason == STOP_DONE) x->y->makespan = world_now(w) / TICK_SEC;
}

static void decision(void *ctx, sim_tick at, const char *verb, uint64_t job, int64_t task, int64_t node, const char *reason)
{
    struct watch *x = ctx;
    (void)fprintf(x->reason, "%" PRId64 " %s j%" PRIu64 ".%" PRId64 " n%" PRId64 " %s\n", at / TICK_SEC, verb, job, task, node, reason);
}

void yard_run(struct yard *y, const char *policy)
{
    struct host *h;
    FILE *log = fmemopen(y->log, sizeof y->log, "w");
    struct watch x = { y, fmemopen(y->reason, sizeof y->reason, "w") };
    struct host_hooks hooks = { .ctx = &x, .decision = decision, .tricks.reuses_shapes = true };
    y->diag = (struct diag){ 0 };
    y->makespan = y->task_s = 0;
    y->next = 0;
    SIM_ASSERT(log != NULL && x.reason != NULL);
    if (y->cluster.changed == NULL) cluster_seal(&y->cluster);
    const struct world_config cfg = { .cluster = &y->cluster, .throughput = &y->perf, .calltime = &y->times,
               .relation = y->relation.tasks.n > 0 ? &y->relation : NULL, .fault = { .list = y->fault, .n_list = y->n_faults },
               .checkpoint_interval = 0, .horizon = TICK_NEVER, .audit = true };
    y->result = host_create(&h, policy, NULL, &cfg, NULL, &hooks, &y->diag);
    SIM_ASSERT(y->result == ST_OK);
    struct world *w = world_create(&cfg, (struct source){ .ctx = y, .next = next }, host_decider(h));
    world_observe(w, event_log_observer(log));
    world_observe(w, (struct observer){ .ctx = &x, .stopped = stopped });
    while ((y->result = world_step(w, &y->diag)) == ST_OK) { }
    y->digest = world_digest(w);
    y->n_cross = world_calls(w)->n_cross;
    y->n_moved = world_calls(w)->n_moved;
    y->cross_b = world_calls(w)->cross_b;
    world_destroy(w);
    host_destroy(h);
    (void)fclose(log);
    (void)fclose(x.reason);
}

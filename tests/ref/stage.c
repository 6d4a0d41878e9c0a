#include "ref/stage.h"

#include "host/host.h"
#include "input/tasks/profiles.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void stage_init(struct stage *s)
{
    memset(s, 0, sizeof *s);
    s->cfg = (struct world_config){ .checkpoint_interval = -1, .audit = true, .horizon = TICK_NEVER };
}

void stage_fini(struct stage *s)
{
    throughput_fini(&s->perf);
    profiles_fini(&s->profiles);
    cluster_fini(&s->cluster);
}

void stage_profiles(struct stage *s, const char *path)
{
    enum st st = profiles_read(&s->profiles, &s->perf, &s->cluster, path, &s->diag);
    SIM_ASSERT(st == ST_OK);
    s->cfg.profiles = &s->profiles;
}

void stage_node(struct stage *s, int64_t cpu_milli, uint32_t gpus, const char *type, double speed)
{
    char name[16];
    (void)snprintf(name, sizeof name, "n%u", s->cluster.n_nodes);
    struct node_spec n = { .name = name, .cpu_milli = cpu_milli, .mem_b = INT64_C(1) << 40, .n_gpu = gpus, .gpu_type = type };
    enum st st = cluster_add(&s->cluster, &n, &s->diag);
    SIM_ASSERT(st == ST_OK);
    if (gpus > 0) cluster_set_gpu_type(&s->cluster, intern_find(&s->cluster.gpu_types, type), speed, &(struct gpu_figures){ 0 });
}

void stage_rack(struct stage *s, uint32_t node, const char *rack)
{
    s->cluster.node[node].rack = intern_id(&s->cluster.rack_names, rack);
}

struct job_spec *stage_job(struct stage *s, sim_tick submit, sim_tick dur, int64_t cpu_milli, int32_t gpus)
{
    static const char *const id[STAGE_JOBS] = { "j0", "j1", "j2", "j3", "j4", "j5", "j6", "j7", "j8", "j9", "j10", "j11", "j12", "j13", "j14", "j15" };
    SIM_ASSERT(s->n_jobs < STAGE_JOBS);
    uint32_t i = s->n_jobs++;
    s->job[i] = (struct job_spec){ .id = id[i], .user = "u", .submit = submit, .limit = -1, .line = i + 2, .group = s->group[i] };
    stage_group(s, 1, dur, cpu_milli, gpus);
    return &s->job[i];
}

void stage_group(struct stage *s, uint32_t n, sim_tick dur, int64_t cpu_milli, int32_t gpus)
{
    uint32_t i = s->n_jobs - 1, g = s->job[i].n_groups++;
    SIM_ASSERT(g < STAGE_GROUPS);
    s->group[i][g] = (struct task_group){ .n = n, .dur = dur,
                                          .shape = { .cpu_milli = cpu_milli, .n_gpu = gpus, .gpu_milli = gpus ? GPU_WHOLE : 0 } };
}

void stage_tasks(struct stage *s, uint32_t n) { s->group[s->n_jobs - 1][s->job[s->n_jobs - 1].n_groups - 1].n = n; }

void stage_cue(struct stage *s, sim_tick at, sim_tick until, uint64_t job)
{
    SIM_ASSERT(s->n_cues < STAGE_CUES);
    s->cue[s->n_cues++] = (struct cue){ .at = at, .until = until, .job = job };
}

/* ---- what happened, as text ---- */

static void say(struct stage *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(struct stage *s, const char *fmt, ...)
{
    size_t n = strlen(s->log);
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(s->log + n, sizeof s->log - n, fmt, ap);
    va_end(ap);
}

static void say_task(struct stage *s, const struct world *w, const char *verb, uint32_t t, const char *reason)
{
    const struct task *k = world_task(w, t);
    const struct job *j = world_job(w, k->job);
    say(s, "%" PRId64 " %s %" PRIu64, world_now(w), verb, j->ordinal);
    if (j->n_tasks > 1) say(s, ".%u", k->index);
    say(s, " n%u%s%s\n", world_cluster(w)->hold[t].node, *reason ? " " : "", reason);
}

static void arrived(void *ctx, const struct world *w, uint32_t job)
{
    struct stage *s = ctx;
    if (s->log_arrivals) say(s, "%" PRId64 " arrive %" PRIu64 "\n", world_now(w), world_job(w, job)->ordinal);
}

static void started(void *ctx, const struct world *w, uint32_t t) { say_task(ctx, w, "start", t, ""); }

static void stopped(void *ctx, const struct world *w, uint32_t t, enum stop_reason reason)
{
    static const char *const name[] = { "done", "preempted", "failed", "timeout", "horizon", "mismatch", "scaled" };
    say_task(ctx, w, "stop", t, name[reason]);
}

static void ended(void *ctx, const struct world *w, uint32_t job)
{
    static const char *const name[] = { "live", "done", "timeout", "rejected", "unfinished" };
    struct stage *s = ctx;
    const struct job *j = world_job(w, job);
    say(s, "%" PRId64 " end %" PRIu64 " %s\n", world_now(w), j->ordinal, name[j->status]);
    s->lost += j->lost;
    s->preempted += j->n_preempted;
    s->failed += j->n_failed;
}

static void moved(void *ctx, const struct world *w, uint32_t t, enum data_level level, int64_t bytes, bool whole)
{
    static const char *const name[] = { "local", "rack", "cross" };
    const struct task *k = world_task(w, t);
    say(ctx, "%" PRId64 " moved %" PRIu64 ".%u %s %" PRId64 "%s\n", world_now(w), world_job(w, k->job)->ordinal, k->index,
        name[level], bytes, whole ? "" : " in vain");
}

static void node_changed(void *ctx, const struct world *w, uint32_t node)
{
    say(ctx, "%" PRId64 " %s n%u\n", world_now(w), world_cluster(w)->node[node].is_up ? "up" : "down", node);
}

/* ---- deciding ---- */

static bool held_back(const struct stage *s, const struct world *w, uint64_t job)
{
    for (uint32_t i = 0; i < s->n_cues; i++)
        if (s->cue[i].job == job && world_now(w) >= s->cue[i].at && world_now(w) < s->cue[i].until) return true;
    return false;
}

/* Start the unit of task t on first fitting nodes; a gang is tried for real on the ledger and taken back. */
static void try_start(struct stage *s, struct world *w, const struct job *j, uint32_t slot, uint32_t t)
{
    struct world_place p[STAGE_JOBS] = { { 0 } };
    uint32_t n = 0, k = t;
    for (bool ok = true; ok && k != NONE; k = j->gang ? world_task(w, k)->next : NONE) {
        uint32_t node = 0;
        while (node < s->cluster.n_nodes &&
               cluster_allocate(&s->cluster, k, node, world_shape(w, world_task(w, k)->shape), 0) != POL_OK) node++;
        ok = node < s->cluster.n_nodes;
        if (ok) p[n++].node = node;
    }
    uint32_t given = 0;
    for (uint32_t g = t; given < n; g = world_task(w, g)->next, given++) cluster_release(&s->cluster, g);
    if (n < (j->gang ? j->n_tasks : 1)) return;
    enum pol_refusal refusal = j->gang ? world_start_gang(w, slot, p, n) : world_start(w, t, p);
    SIM_ASSERT(refusal == POL_OK);
}

static void start_all(struct stage *s, struct world *w)
{
    for (uint64_t o = 0; o < world_count(w)->arrived; o++)
        for (uint32_t slot = 0; slot < world_n_job_slots(w); slot++) {
            const struct job *j = world_job(w, slot);
            if (!j->is_live || j->ordinal != o || j->status != JOB_LIVE || held_back(s, w, o)) continue;
            for (uint32_t t = j->first_task; t != NONE; t = world_task(w, t)->next)
                if (world_task(w, t)->state == TASK_WAITING && (!j->gang || t == j->first_task)) try_start(s, w, j, slot, t);
        }
}

static void follow_script(struct stage *s, struct world *w)
{
    for (uint32_t i = 0; i < s->n_cues; i++) {
        const struct cue *c = &s->cue[i];
        if (c->at > world_now(w)) (void)world_wake(w, c->at);
        if (c->until > world_now(w)) (void)world_wake(w, c->until);
        if (c->at != world_now(w)) continue;
        for (uint32_t t = 0; t < world_n_task_slots(w); t++) {
            const struct task *k = world_task(w, t);
            if (k->is_live && k->state == TASK_RUNNING && world_job(w, k->job)->ordinal == c->job) {
                enum pol_refusal refusal = world_preempt(w, t);
                SIM_ASSERT(refusal == POL_OK);
            }
        }
    }
}

static enum st decide(void *ctx, struct world *w, const struct notice *n, size_t n_notices, bool *again, struct diag *d)
{
    struct stage *s = ctx;
    (void)n; (void)n_notices; (void)again; (void)d;
    if (s->meddle != NULL) s->meddle(s, w);
    if (s->idle) return ST_OK;
    follow_script(s, w);
    start_all(s, w);
    return ST_OK;
}

static enum st next(void *ctx, struct job_spec *out, struct diag *d)
{
    struct stage *s = ctx;
    (void)d;
    if (s->next == s->n_jobs) return ST_END;
    *out = s->job[s->next++];
    return ST_OK;
}

static void note(void *ctx, sim_tick at, const char *name, double value)
{
    const struct stage *s = ctx;
    if (s->log_notes) say(ctx, "%" PRId64 " note %s %g\n", at, name, value);
}

static void resized(void *ctx, const struct world *w, uint32_t t, int64_t was, int64_t mem_was)
{
    (void)mem_was;
    const struct stage *s = ctx;
    const struct task *k = world_task(w, t);
    if (s->log_notes) say(ctx, "%" PRId64 " resize %" PRIu64 " %" PRId64 " -> %" PRId64 "\n", world_now(w), world_job(w, k->job)->ordinal, was, world_cluster(w)->hold[t].cpu_milli);
}

void stage_run(struct stage *s)
{
    struct host *host = NULL;
    struct decider decider = { .ctx = s, .decide = decide };
    if (s->cluster.changed == NULL) cluster_seal(&s->cluster);
    s->cfg.cluster = &s->cluster;
    s->cfg.throughput = &s->perf;
    if (s->policy != NULL) {
        const struct host_hooks hooks = { .ctx = s, .note = note };
        enum st st = host_create(&host, s->policy, NULL, &s->cfg, NULL, &hooks, &s->diag);
        SIM_ASSERT(st == ST_OK);
        decider = host_decider(host);
    }
    s->log[0] = '\0';
    s->next = 0;
    s->lost = 0;
    s->preempted = s->failed = 0;
    s->diag = (struct diag){ 0 };
    struct world *w = world_create(&s->cfg, (struct source){ .ctx = s, .next = next }, decider);
    world_observe(w, (struct observer){ .ctx = s, .arrived = arrived, .started = started, .stopped = stopped, .moved = moved, .job_ended = ended, .resized = resized,
                                         .node_changed = node_changed });
    while ((s->result = world_step(w, &s->diag)) == ST_OK) continue;
    s->digest = world_digest(w);
    s->n_rounds = world_n_rounds(w);
    s->count = *world_count(w);
    s->now = world_now(w);
    s->peak_live = world_peak_live_jobs(w);
    world_destroy(w);
    host_destroy(host);
}

sim_tick stage_when(const struct stage *s, const char *text)
{
    for (const char *line = s->log; *line != '\0'; line = strchr(line, '\n') + 1) {
        const char *at = strchr(line, ' ') + 1;
        if (strncmp(at, text, strlen(text)) == 0 && strchr(" \n", at[strlen(text)]) != NULL)
            return strtoll(line, NULL, 10);
    }
    return -1;
}

sim_tick stage_started(const struct stage *s, uint64_t job)
{
    char what[32];
    (void)snprintf(what, sizeof what, "start %llu", (unsigned long long)job);
    return stage_when(s, what);
}

sim_tick stage_end_of(const struct stage *s, uint64_t job)
{
    char text[40];
    (void)snprintf(text, sizeof text, "end %llu done", (unsigned long long)job);
    return stage_when(s, text);
}

/* refcase_run.c -- a case as the real simulator runs it. */
#include "ref/refcase.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "host/host.h"
#include "ref/kueuecase.h"
#include "ref/refdice.h"
#include "model/world.h"

struct feed { const struct ref_case *c; int next; struct task_group group[REF_TASKS]; char id[16], user[16], model[16],
              after[96]; };

static bool equal_tasks(const struct ref_task *a, const struct ref_task *b)
{
    return a->dur == b->dur && a->mem_bw == b->mem_bw && memcmp(&a->shape, &b->shape, sizeof a->shape) == 0;
}

/* As the real one reads it. */
static const char *after_text(struct feed *f, const struct ref_job *j)
{
    static const char *const kind[] = { [REF_BEGUN] = "after", [REF_ENDED] = "afterany", [REF_OK] = "afterok",
                                        [REF_NOT_OK] = "afternotok" };
    int n = 0;
    for (int k = 0; k < j->n_after; k++)
        n += snprintf(f->after + n, sizeof f->after - (size_t)n, "%s%s:j%d+0.%06ds",
                      k == 0 ? "" : j->after_any ? "?" : ",", kind[j->after[k].kind],
                      j->after[k].before, (int)j->after[k].delay);
    return n > 0 ? f->after : NULL;
}

static bool is_named(const struct ref_case *c, int job)
{
    for (int i = job + 1; i < c->n_jobs; i++)
        for (int k = 0; k < c->job[i].n_after; k++)
            if (c->job[i].after[k].before == job) return true;
    return false;
}

static enum st feed_next(void *ctx, struct job_spec *out, struct diag *d)
{
    struct feed *f = ctx;
    (void)d;
    if (f->next == f->c->n_jobs) return ST_END;
    const struct ref_job *j = &f->c->job[f->next];
    uint32_t g = 0;
    for (int k = 0; k < j->n; k++) {
        if (k > 0 && equal_tasks(&j->task[k], &j->task[k - 1])) { f->group[g - 1].n++; continue; }
        f->group[g++] = (struct task_group){ .shape = j->task[k].shape, .n = 1, .dur = j->task[k].dur, .mem_bw = j->task[k].mem_bw };
    }
    (void)snprintf(f->id, sizeof f->id, "j%d", f->next);
    (void)snprintf(f->user, sizeof f->user, "u%d", j->user);
    (void)snprintf(f->model, sizeof f->model, "m%d", j->model);
    *out = (struct job_spec){ .id = f->id, .user = f->user, .model = j->model < 0 ? NULL : f->model, .submit = j->submit,
                               .restore = j->restore,
                              .limit = j->limit, .hints = j->hints, .priority = j->priority, .gang = j->gang,
                              .elastic = { (uint32_t)j->min, (uint32_t)j->max, (uint32_t)j->scaling },
                              .group = f->group, .n_groups = g, .after = after_text(f, j),
                              .is_named = is_named(f->c, f->next) };
    f->next++;
    return ST_OK;
}

static void build_scalings(const struct ref_case *c, struct profiles *out)
{
    double x[REF_GPUS];
    for (int i = 0; i < REF_GPUS; i++) x[i] = i + 1;
    for (int i = 0; i < REF_SCALINGS; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "r%d", i);
        struct scaling_row row = { .name = intern_id(&out->scaling.names, name), .gpu_type = NONE, .restart = c->scaling[i].restart };
        curve_points(&row.one, x, &c->scaling[i].one[1], REF_GPUS);
        if (c->scaling[i].several[2] > 0) curve_points(&row.several, x + 1, &c->scaling[i].several[2], REF_GPUS - 1);
        SIM_ASSERT(scaling_add(&out->scaling, &row));
    }
}

static void build_profiles(const struct ref_case *c, struct throughput *perf, struct profiles *out)
{
    char slow[128] = "", util[32], name[16];
    for (int i = 0, n = 0; i < REF_SLOW_POINTS; i++)
        n += snprintf(slow + n, sizeof slow - (size_t)n, "%s%g:%g", i ? ";" : "", ref_slow_x[i], ref_slow_y[i]);
    for (int m = 0; m < c->n_models; m++)
        for (int row = 0; row < 2; row++) {
            const struct ref_profile *p = &c->profile[m];
            if (p->on[row].knee == 0) continue;
            (void)snprintf(name, sizeof name, "m%d", m);
            struct profile x = { .model = throughput_model(perf, name), .n_nodes = (uint32_t)row + 1, .n_gpus = (uint32_t)row + 1, .gpu_type = NONE, .bw = p->on[row].bw };
            (void)snprintf(name, sizeof name, "kind%d", p->category);
            (void)snprintf(util, sizeof util, "linear:%d", p->on[row].knee);
            x.category = intern_id(&out->categories, name);
            x.data_b = p->data;
            x.data_bw = p->data_bw;
            char memory[64];
            (void)snprintf(memory, sizeof memory, "%.9f:0.5;%.9f:1", (double)(p->half_mem - 1) / 1e9,
                (double)p->half_mem / 1e9);
            const char *error = curve_parse(&x.util, util);
            if (error == NULL && p->on[row].slows) error = curve_parse(&x.slow, slow);
            if (error == NULL && p->half_mem > 0) error = curve_parse(&x.memory, memory);
            SIM_ASSERT(error == NULL && profiles_add(out, &x));
        }
    for (int m = 0; m < c->n_models; m++)
        for (int k = 0; k < c->phases[m].n; k++) {
            const struct ref_phases *x = &c->phases[m];
            char other[16];
            (void)snprintf(name, sizeof name, "m%d", m);
            (void)snprintf(other, sizeof other, "m%d", x->as[k]);
            struct phase y = { .scaling = x->scaling[k] < 0 ? NONE : (uint32_t)x->scaling[k], .until = (uint32_t)x->until[k] };
            y.model = throughput_model(perf, name);
            y.as = throughput_model(perf, other);
            phases_add(&out->phases, y);
        }
    if (c->policy.order == REF_DICE) build_scalings(c, out);
    out->cores = c->as_measured ? PROFILE_CORES_AS_MEASURED : PROFILE_CORES_BY_SPEED;
    out->division = c->is_proportional ? PROFILE_PROPORTIONAL : PROFILE_MAX_MIN;
    out->sharing.is_on = c->shares;
    out->sharing.utilisation = c->utilisation;
    out->net_bw = c->net_bw;
    out->gpu_bw = c->gpu_bw;
    for (int m = 0; m < c->n_models; m++) {
        (void)snprintf(name, sizeof name, "m%d", m);
        struct measured_speed x = { .where = LEVEL_RACK, .gpu_type = NONE, .speed = c->apart[m] };
        x.model = throughput_model(perf, name);
        if (x.speed > 0) SIM_ASSERT(measured_add(&out->apart, x));
    }
    for (int m = 0; m < c->n_models; m++)
        for (int o = 0; o < c->n_models; o++) {
            char other[16];
            (void)snprintf(name, sizeof name, "m%d", m);
            (void)snprintf(other, sizeof other, "m%d", o);
            struct measured_speed x = { .gpu_type = NONE, .speed = c->pair[m][o] };
            x.model = throughput_model(perf, name);
            x.where = throughput_model(perf, other);
            if (x.speed > 0) SIM_ASSERT(measured_add(&out->sharing.pairs, x));
        }
}

bool refcase_has_category(const struct ref_case *c, int category)
{
    bool any = false;
    for (int m = 0; m < c->n_models && c->has_profiles; m++)
        any |= c->profile[m].category == category && (c->profile[m].on[0].knee > 0 || c->profile[m].on[1].knee > 0);
    return any;
}

static void write_history(const struct ref_case *c, FILE *f)
{
    const struct ref_mq_param *p = &c->policy.mq;
    fprintf(f, "category,gpus,tasks,cores,util\n");
    for (int i = 0; i < p->n_past; i++)
        if (refcase_has_category(c, p->past[i].category))
            fprintf(f, "kind%d,%d,%d,%d,%" PRId64 ".%06" PRId64 "\n", p->past[i].category, p->past[i].cards, p->past[i].tasks, p->past[i].cores,
                    p->past[i].util / 1000000, p->past[i].util % 1000000);
}

/* What searches found before, or kueue's objects, in a file that the spec comes to name; `path` "": nothing. */
static void add_file(const struct ref_case *c, char *spec, char path[], size_t cap)
{
    const bool is_kueue = c->policy.order == REF_KUEUE;
    (void)snprintf(path, cap, "%s", "");
    if (!is_kueue && (c->policy.order != REF_MULTIQUEUE || c->policy.mq.n_past == 0)) return;
    (void)snprintf(path, cap, "/tmp/fairway-refcase-XXXXXX");
    int fd = mkstemp(path);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    SIM_ASSERT(f != NULL);
    if (is_kueue) kueuecase_write(&c->policy.kq, f);
    else write_history(c, f);
    fclose(f);
    size_t n = strlen(spec);
    (void)snprintf(spec + n, REFCASE_SPEC - n, ",%s=%s", is_kueue ? "config" : "history_file", path);
}

static void build(const struct ref_case *c, struct cluster *cl, struct throughput *perf)
{
    struct diag d = { 0 };
    struct card_links wires = { .nvlink_bps = c->nvlink, .pcie_bps = c->pcie };
    for (int k = 0; k < NODE_GPUS_MAX && c->pcie > 0; k++) wires.group[k] = (uint8_t)(k / c->group);
    uint32_t links = c->pcie > 0 ? cluster_links(cl, &wires) : 0;
    for (int t = 0; t < c->n_types; t++) {
        char name[16];
        (void)snprintf(name, sizeof name, "type%d", t);
        cluster_set_gpu_type(cl, cluster_gpu_type(cl, name, &d), (double)c->type_rate[t] / RATE_ONE, &(struct gpu_figures){ 0 });
    }
    for (int n = 0; n < c->n_nodes; n++) {
        const struct ref_node *o = &c->node[n];
        char name[16], type[16];
        (void)snprintf(name, sizeof name, "n%d", n);
        (void)snprintf(type, sizeof type, "type%d", o->type);
        struct node_spec s = { .name = name, .cpu_milli = o->cpu, .mem_b = o->mem, .n_gpu = (uint32_t)o->n_gpu,
                               .gpu_type = o->n_gpu ? type : NULL, .gpu_mem_b = o->gpu_mem, .labels = o->labels,
                               .mem_bw = o->mem_bw, .links = links };
        memcpy(s.engine, o->engine, sizeof s.engine);
        enum st st = cluster_add(cl, &s, &d);
        SIM_ASSERT(st == ST_OK);
    }
    cluster_seal(cl);
    for (int m = 0; m < c->n_models; m++) {
        char name[16];
        (void)snprintf(name, sizeof name, "m%d", m);
        uint32_t id = throughput_model(perf, name);
        for (int t = 0; t < c->n_types; t++) throughput_set(perf, id, (uint32_t)t, c->rate[m][t]);
    }
}

static void see(struct ref_log *log, const struct world *w, enum ref_type type, uint32_t task, const char *reason)
{
    const struct task *t = world_task(w, task);
    const struct hold *h = cluster_hold(world_cluster(w), task);
    ref_log_add(log, (struct ref_event){ .at = world_now(w), .type = type, .job = (int)world_job(w, t->job)->ordinal,
                                         .task = (int)t->index, .node = (int)h->node, .cards = h->cards, .reason = reason });
}

static void saw_start(void *ctx, const struct world *w, uint32_t task) { see(ctx, w, REF_START, task, ""); }

static void saw_stop(void *ctx, const struct world *w, uint32_t task, enum stop_reason reason)
{
    static const char *const name[] = { [STOP_DONE] = "done", [STOP_PREEMPTED] = "preempted", [STOP_FAILED] = "failed",
                                        [STOP_TIMEOUT] = "timeout", [STOP_HORIZON] = "horizon",
                                        [STOP_MISMATCH] = "mismatch", [STOP_SCALED] = "scaled" };
    see(ctx, w, REF_STOP, task, name[reason]);
}

static void saw_end(void *ctx, const struct world *w, uint32_t job)
{
    static const char *const name[] = { [JOB_DONE] = "done", [JOB_TIMEOUT] = "timeout", [JOB_REJECTED] = "rejected",
                                        [JOB_UNFINISHED] = "unfinished", [JOB_FAILED] = "failed",
                                        [JOB_NEVER_ELIGIBLE] = "never_eligible" };
    const struct job *j = world_job(w, job);
    ref_log_add(ctx, (struct ref_event){ .at = world_now(w), .type = REF_END, .job = (int)j->ordinal, .task = -1, .node = -1,
                                         .reason = name[j->status] });
}

static void saw_resize(void *ctx, const struct world *w, uint32_t task, int64_t was, int64_t mem_was)
{
    (void)mem_was;
    (void)was;
    struct ref_log *log = ctx;
    see(log, w, REF_RESIZE, task, "");
    log->ev[log->n - 1].cards = (uint64_t)cluster_hold(world_cluster(w), task)->cpu_milli;
}

static void saw_node(void *ctx, const struct world *w, uint32_t node)
{
    ref_log_add(ctx, (struct ref_event){ .at = world_now(w), .type = world_cluster(w)->node[node].is_up ? REF_UP : REF_DOWN,
                                         .job = -1, .task = -1, .node = (int)node, .reason = "" });
}

static int by_job(const void *a, const void *b)
{
    const struct ref_event *x = a, *y = b;
    if (x->job != y->job) return x->job < y->job ? -1 : 1;
    if (x->type != y->type) return x->type < y->type ? -1 : 1;
    return (x->task > y->task) - (x->task < y->task);
}

static void saw_sample(void *ctx, const struct world *w) { (void)w; ((struct refcase_run *)ctx)->n_samples++; }

static void took_decision(void *ctx, sim_tick at, const char *verb, uint64_t job, int64_t task, int64_t node, const char *reason)
{
    (void)at; (void)verb; (void)job; (void)task; (void)node; (void)reason;
    ((struct refcase_run *)ctx)->n_decisions++;
}

static void took_note(void *ctx, sim_tick at, const char *name, double value) { (void)ctx; (void)at; (void)name; (void)value; }

/* ---- dice ---- */

static void throw_for(const struct ref_case *c, struct world *w, uint32_t slot, uint32_t t)
{
    const struct job *j = world_job(w, slot);
    const struct task *k = world_task(w, t);
    if (k->state != TASK_WAITING && k->state != TASK_RUNNING) return;
    struct ref_dice_unit u = { .job = (int)j->ordinal, .task = (int)k->index, .n = j->gang ? (int)j->n_tasks : 1, .min = (int)j->elastic.min,
                               .max = (int)j->elastic.max, .runs = k->state == TASK_RUNNING, .started = k->started_at };
    for (int roll = 0; roll < (u.runs ? 1 : REF_DICE_ROLLS); roll++) {
        struct ref_dice d = ref_dice_roll(c, &u, world_now(w), roll);
        struct world_place p[REF_TASKS] = { { .cards = 0 } };
        enum pol_refusal refusal = POL_REFUSAL_NO_ROOM;
        for (int i = 0; i < d.n; i++) p[i].node = (uint32_t)d.node[i];
        if (d.what == REF_DICE_STOP) refusal = world_preempt(w, t);
        else if (d.what == REF_DICE_SCALE) refusal = world_scale(w, slot, p, (uint32_t)d.n);
        else if (d.what == REF_DICE_START) refusal = j->gang ? world_start_gang(w, slot, p, (uint32_t)d.n) : world_start(w, t, p);
        if (refusal == POL_OK) return;
    }
}

static uint32_t slot_of(const struct world *w, uint64_t ordinal)
{
    for (uint32_t s = 0; s < world_n_job_slots(w); s++) {
        const struct job *j = world_job(w, s);
        if (j->is_live && j->ordinal == ordinal && world_task(w, j->first_task)->state != TASK_BLOCKED) return s;
    }
    return NONE;
}

static enum st decide_by_dice(void *ctx, struct world *w, const struct notice *n, size_t n_notices, bool *again, struct diag *d)
{
    (void)n, (void)n_notices, (void)again, (void)d;
    for (uint64_t o = 0; o < world_count(w)->arrived; o++) {
        uint32_t slot = slot_of(w, o), next;
        if (slot == NONE || world_job(w, slot)->status != JOB_LIVE) continue;
        for (uint32_t t = world_job(w, slot)->first_task; t != NONE; t = next) {
            next = world_job(w, slot)->gang ? NONE : world_task(w, t)->next;
            throw_for(ctx, w, slot, t);
        }
    }
    (void)world_wake(w, ref_dice_wake(world_now(w)));
    return ST_OK;
}

/* How a run ended, in the reference's words. */
static void name_end(const struct refcase_run *run, struct ref_log *log)
{
    const char *word = run->diag.msg;
    if (run->result == ST_END) return;
    if (run->result == ST_EINPUT) word = "infeasible";
    else if (run->result == ST_EPOLICY && strstr(word, "waiting with nothing running")) word = "stuck";
    (void)snprintf(log->error, sizeof log->error, "%.120s", word);
}

void refcase_run_real(const struct ref_case *c, struct refcase_run *run, struct ref_log *log)
{
    struct cluster cl = { 0 };
    struct throughput perf = { 0 };
    struct profiles profiles = { 0 };
    struct fault_event fault[REF_FAULTS];
    struct feed feed = { .c = c };
    struct host_hooks hooks = { .tricks.reuses_shapes = true };
    struct host *host;
    char spec[REFCASE_SPEC], file[64];
    build(c, &cl, &perf);
    if (c->has_profiles) build_profiles(c, &perf, &profiles);
    for (int i = 0; i < c->n_faults; i++)
        fault[i] = (struct fault_event){ .at = c->fault[i].at, .node = (uint32_t)c->fault[i].node, .up = c->fault[i].up };
    const bool by_dice = c->policy.order == REF_DICE;
    refcase_spec(&c->policy, spec, sizeof spec);
    add_file(c, spec, file, sizeof file);
    struct world_config cfg = {
        .cluster = &cl, .throughput = &perf, .profiles = c->has_profiles ? &profiles : NULL, .monitor = { .interval = c->monitor },
        .net = { .mode = c->net_shared ? NET_SHARED : NET_NOMINAL, .card_bps = c->card, .rack_bps = c->rack,
                 .disk_bps = c->disk },
        .multi_from = (uint32_t)c->multi_from, .fault = { .list = fault, .n_list = (size_t)c->n_faults },
        .checkpoint_interval = c->checkpoint_interval, .restore_cost = c->restore_cost, .restore_as = c->restore_as,
        .enforce_limits = c->enforce_limits,
        .reject_infeasible = c->reject_infeasible, .audit = true, .horizon = c->horizon, .sample_every = run->sample_every,
    };
    if (run->record) {
        hooks.ctx = run;
        hooks.decision = took_decision;
        hooks.note = took_note;
    }
    enum st st = host_create(&host, run->spec ? run->spec : spec, NULL, &cfg, NULL, &hooks, &run->diag);
    if (file[0] != '\0') (void)unlink(file);
    if (st != ST_OK) { diag_print(&run->diag, stderr); abort(); }
    run->flags = host_ops(host)->flags;
    struct ref_case copy = *c;
    const struct decider dice = { .ctx = &copy, .decide = decide_by_dice, .shapes = SHAPES_REUSED_AT_ONCE };
    struct decider decider = by_dice ? dice : host_decider(host);
    struct world *w = world_create(&cfg, (struct source){ .ctx = &feed, .next = feed_next }, decider);
    world_observe(w, (struct observer){ .ctx = log, .started = saw_start, .stopped = saw_stop, .resized = saw_resize, .job_ended = saw_end,
                                         .node_changed = saw_node });
    world_observe(w, (struct observer){ .ctx = run, .sample = saw_sample });
    while ((run->result = world_step(w, &run->diag)) == ST_OK) continue;
    name_end(run, log);
    run->digest = world_digest(w);
    run->count = *world_count(w);
    /* At the end jobs are given up in the order of their slots, which is nobody's business. */
    size_t tail = log->n;
    while (tail > 0 && (strcmp(log->ev[tail - 1].reason, "horizon") == 0 || strcmp(log->ev[tail - 1].reason, "unfinished") == 0)) tail--;
    if (tail < log->n) qsort(log->ev + tail, log->n - tail, sizeof *log->ev, by_job);
    world_destroy(w);
    host_destroy(host);
    throughput_fini(&perf);
    profiles_fini(&profiles);
    cluster_fini(&cl);
}

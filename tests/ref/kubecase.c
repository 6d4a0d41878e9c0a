/* kubecase.c -- cases drawn, and run under the real policies; see kubecase.h. */
#include "ref/kubecase.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>
#include "base/rng.h"
#include "host/host.h"
#include "ref/temp.h"

#define GIB (INT64_C(1) << 30)
#define PICK(r, ...) \
    pick((r), (const int64_t[]){ __VA_ARGS__ }, sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t))

static int64_t pick(struct rng *r, const int64_t *of, size_t n) { return of[rng_below(r, n)]; }
static bool one_in(struct rng *r, uint64_t n) { return rng_below(r, n) == 0; }

/* ---- making ---- */

static void make_node(struct kc_node *o, struct rng *r, bool is_large)
{
    o->cpu = is_large ? PICK(r, 1000, 2000, 4000) : PICK(r, 4000, 8000, 16000);
    o->mem = is_large ? PICK(r, GIB, 4 * GIB) : PICK(r, 8 * GIB, 16 * GIB, 32 * GIB);
    o->cpu_reserved = one_in(r, 4) ? 500 : 0;
    o->mem_reserved = one_in(r, 4) ? GIB / 2 : 0;
    o->cards = (int)PICK(r, 0, 0, 1, 2, 4);
    o->type = (int)rng_below(r, 2);
    o->card_mem = o->cards > 0 ? PICK(r, 0, 16, 32) * GIB : 0;
    o->card_cores = o->cards > 0 ? (int)PICK(r, 0, 100) : 0;
    o->rack = (int)rng_below(r, 3);
    o->max_tasks = (int)PICK(r, 0, 0, 0, 2, 4);
    o->labels = rng_below(r, 4);
}

static struct shape make_shape(struct rng *r)
{
    struct shape s;
    memset(&s, 0, sizeof s);
    s.cpu_milli = PICK(r, 0, 500, 1000, 1000, 2000, 4000);
    s.mem_b = PICK(r, 0, GIB / 2, GIB, 4 * GIB);
    if (one_in(r, 6)) s.need_all = 1 + rng_below(r, 2);
    if (one_in(r, 2)) return s;
    s.n_gpu = (int32_t)PICK(r, 1, 1, 1, 2);
    s.gpu_milli = (int32_t)PICK(r, 1000, 1000, 500, 250);
    s.gpu_mem_b = PICK(r, 0, 0, 6, 16, 24) * GIB;
    s.gpu_cores = (int32_t)PICK(r, 0, 0, 30, 60);
    return s;
}

static void make_job(struct kc_job *j, struct rng *r, const struct shape *pool, size_t n_pool, int n_prefs)
{
    j->priority = (int)PICK(r, 0, 0, 1, 5, -3);
    j->n = one_in(r, 4) ? (int)(2 + rng_below(r, KC_TASKS - 1)) : 1;
    j->gang = one_in(r, 2);
    j->other = one_in(r, 3);
    j->prefers = n_prefs > 0 && one_in(r, 3) ? (int)rng_below(r, (uint64_t)n_prefs) : -1;
    struct kc_task t = { .dur = 0 };
    for (int k = 0; k < j->n; k++) {
        if (k == 0 || one_in(r, 3)) t.shape = pool[rng_below(r, n_pool)];
        if (k == 0 || !j->gang) t.dur = PICK(r, 0, 5, 10, 20, 40, 80, 200);
        j->task[k] = t;
    }
}

/* By time, then node; as many as a node's life allows are heeded. */
static void make_faults(struct kubecase *c, struct rng *r)
{
    sim_tick at = 0;
    c->n_faults = (int)rng_below(r, KC_FAULTS + 1);
    for (int i = 0; i < c->n_faults; i++) {
        at += PICK(r, 1, 10, 25, 60);
        c->fault[i].at = at;
        c->fault[i].node = (int)rng_below(r, (uint64_t)c->n_nodes);
        c->fault[i].up = one_in(r, 2);
    }
}

static void make_scores(struct kc_score s[KC_PLUGINS], struct rng *r, bool is_hybrid)
{
    for (int i = 0; i < KC_PLUGINS; i++) {
        bool is_papers = i == KC_DOMINANT || i == KC_GPU;
        bool may_be_on = i == KC_AFFINITY || is_papers == is_hybrid;
        s[i].weight = may_be_on && one_in(r, 2) ? (int)PICK(r, 1, 1, 2, 5) : 0;
        s[i].resource[0] = (int)PICK(r, 1, 1, 3);
        s[i].resource[1] = (int)PICK(r, 0, 1, 1, 2);
        s[i].resource[2] = (int)PICK(r, 0, 0, 1, 5);
        s[i].n_knees = 1 + (int)rng_below(r, KC_KNEES);
        for (int k = 0, used = 0; k < s[i].n_knees; k++) {
            used += (int)PICK(r, 0, 10, 25, 32) + (k > 0);
            s[i].knee[k][0] = used;
            s[i].knee[k][1] = (int)rng_below(r, 11);
        }
    }
    if (is_hybrid && s[KC_GPU].weight == 0) s[KC_DOMINANT].weight = 1;
}

static void make_policy(struct kubecase *c, struct rng *r)
{
    c->policy = (enum kc_policy)rng_below(r, 3);
    c->has_config = c->policy != KC_HYBRID && one_in(r, 2);
    c->n_profiles = c->has_config ? (int)(1 + rng_below(r, KC_PROFILES)) : 1;
    c->preempts = !one_in(r, 4);
    c->percentage = (int)PICK(r, 100, 0, 0, 10, 80);
    c->by_label = one_in(r, 2);
    c->mean_of_both = one_in(r, 2);
    for (int i = 0; i < c->n_profiles; i++) make_scores(c->score[i], r, c->policy == KC_HYBRID);
    bool any = c->has_config;       /* only a file can say that there are none */
    for (int i = 0; i < KC_PLUGINS; i++) any |= c->score[0][i].weight > 0;
    if (!any) c->score[0][KC_LEAST].weight = 1;
    for (int t = 0; t < 2; t++)
        for (int i = 0; i < 3; i++) c->figures[t][i] = one_in(r, 3) ? 0 : PICK(r, 100, 200, 300);
}

void kubecase_make(struct kubecase *c, uint64_t seed)
{
    struct rng r;
    struct shape pool[5];
    memset(c, 0, sizeof *c);
    rng_init(&r, seed, "kube case", 0);
    bool is_large = one_in(&r, 4);
    c->n_nodes = is_large ? 101 + (int)rng_below(&r, KC_NODES - 100) : 1 + (int)rng_below(&r, 6);
    for (int n = 0; n < c->n_nodes; n++) {
        if (n > 0 && one_in(&r, 3)) c->node[n] = c->node[n - 1];        /* twins make ties */
        else make_node(&c->node[n], &r, is_large);
    }
    c->n_prefs = (int)rng_below(&r, KC_PREFS + 1);
    for (int i = 0; i < c->n_prefs; i++)
        for (int n = 0; n < c->n_nodes; n++) c->pref[i][n] = (int32_t)PICK(&r, 0, 0, 10, 30, 80);
    for (size_t i = 0; i < ARRAY_LEN(pool); i++) pool[i] = make_shape(&r);
    c->n_jobs = 4 + (int)rng_below(&r, KC_JOBS - 3);
    sim_tick at = 0, gap = PICK(&r, 0, 1, 2);
    for (int j = 0; j < c->n_jobs; j++) {
        at += gap * PICK(&r, 0, 0, 1, 5, 10);
        c->job[j].submit = at;
        make_job(&c->job[j], &r, pool, ARRAY_LEN(pool), c->n_prefs);
    }
    if (one_in(&r, 3)) make_faults(c, &r);
    c->mismatch_after = PICK(&r, 0, 7, 30);
    c->keeps = one_in(&r, 2);
    make_policy(c, &r);
}

/* ---- the policy in words ---- */

static const char *const ours[KC_PLUGINS] = { "least", "balanced", "most", "ratio", "dominant", "gpu", "affinity" };
static const char *const theirs[KC_PLUGINS] = { "NodeResourcesLeastAllocated",
                                                "NodeResourcesBalancedAllocation",
                                                "NodeResourcesMostAllocated",
                                                "RequestedToCapacityRatio",
                                                NULL,
                                                NULL,
                                                "NodeAffinity" };

static void write_args(const struct kc_score *s, int plugin, FILE *f)
{
    if (plugin != KC_LEAST && plugin != KC_MOST && plugin != KC_RATIO) return;
    static const char *const name[] = { "cpu", "memory", "gpu" };
    char sep = ':';
    for (int i = 0; i < 3; i++) {
        if (s->resource[i] == 0) continue;
        fprintf(f, "%c%s=%d", sep, name[i], s->resource[i]);
        sep = '/';
    }
    for (int k = 0; k < s->n_knees && plugin == KC_RATIO; k++) fprintf(f, "/%d=%d", s->knee[k][0], s->knee[k][1]);
}

static void write_config(const struct kubecase *c, FILE *f)
{
    static const char *const name[] = { "cpu", "memory", "nvidia.com/gpu" };
    fprintf(f,
            "apiVersion: kubescheduler.config.k8s.io/v1beta1\nkind: "
            "KubeSchedulerConfiguration\npercentageOfNodesToScore: %d\nprofiles:\n",
            c->percentage);
    for (int p = 0; p < c->n_profiles; p++) {
        fprintf(f, "- schedulerName: %s\n  plugins:\n", p == 0 ? "default-scheduler" : "other");
        if (!c->preempts) fprintf(f, "    postFilter: {disabled: [{name: '*'}]}\n");
        fprintf(f, "    score:\n      disabled: [{name: '*'}]\n      enabled:\n");
        for (int i = 0; i < KC_PLUGINS; i++)
            if (c->score[p][i].weight > 0)
                fprintf(f, "      - {name: %s, weight: %d}\n", theirs[i], c->score[p][i].weight);
        fprintf(f, "  pluginConfig:\n");
        for (int i = 0; i < KC_PLUGINS; i++) {
            const struct kc_score *s = &c->score[p][i];
            if (s->weight == 0 || (i != KC_LEAST && i != KC_MOST && i != KC_RATIO)) continue;
            fprintf(f, "  - name: %s\n    args:\n      resources:\n", theirs[i]);
            for (int k = 0; k < 3; k++)
                if (s->resource[k] > 0) fprintf(f, "      - {name: %s, weight: %d}\n", name[k], s->resource[k]);
            if (i == KC_RATIO) fprintf(f, "      shape:\n");
            for (int k = 0; k < s->n_knees && i == KC_RATIO; k++)
                fprintf(f, "      - {utilization: %d, score: %d}\n", s->knee[k][0], s->knee[k][1]);
        }
    }
}

static void write_spec(const struct kubecase *c, const char *config, FILE *f)
{
    static const char *const name[] = { "kube-default", "kube-split", "kube-hybrid" };
    fprintf(f, "%s:tie_seed=0", name[c->policy]);
    if (c->has_config) {
        fprintf(f, ",config=%s", config);
    } else {
        fprintf(f, ",preempt=%s,percentage=%d,score=", c->preempts ? "true" : "false", c->percentage);
        for (int i = 0, n = 0; i < KC_PLUGINS; i++) {
            if (c->score[0][i].weight == 0) continue;
            fprintf(f, "%s%s:%d", n++ > 0 ? ";" : "", ours[i], c->score[0][i].weight);
            write_args(&c->score[0][i], i, f);
        }
    }
    if (c->policy == KC_SPLIT && c->by_label) fprintf(f, ",label=l0");
    if (c->policy == KC_HYBRID && c->mean_of_both) fprintf(f, ",gpu_score=mean");
}

/* ---- the real policies ---- */

struct feed {
    const struct kubecase *c;
    const uint32_t *pref;
    int next;
    struct task_group group[KC_TASKS];
    char id[16];
};

static enum st feed_next(void *ctx, struct job_spec *out, struct diag *d)
{
    struct feed *f = ctx;
    (void)d;
    if (f->next == f->c->n_jobs) return ST_END;
    const struct kc_job *j = &f->c->job[f->next];
    for (int k = 0; k < j->n; k++) {
        f->group[k] = (struct task_group){ .shape = j->task[k].shape, .n = 1, .dur = j->task[k].dur };
        if (j->prefers >= 0) f->group[k].shape.prefers = f->pref[j->prefers];
    }
    (void)snprintf(f->id, sizeof f->id, "j%d", f->next);
    *out = (struct job_spec){ .id = f->id,
                              .user = "u",
                              .queue = j->other ? "other" : NULL,
                              .submit = j->submit,
                              .limit = -1,
                              .priority = j->priority,
                              .gang = j->gang,
                              .group = f->group,
                              .n_groups = (uint32_t)j->n };
    f->next++;
    return ST_OK;
}

static void build(const struct kubecase *c, struct cluster *cl, uint32_t pref[KC_PREFS])
{
    static const char *const type[] = { "t0", "t1" }, *const label[] = { "l0", "l1" };
    struct diag d = { 0 };
    for (uint32_t t = 0; t < 2; t++) {
        (void)cluster_label(cl, label[t], &d);
        cluster_set_gpu_type(cl, cluster_gpu_type(cl, type[t], &d), 1,
                             &(struct gpu_figures){ c->figures[t][0], c->figures[t][1], c->figures[t][2] });
    }
    for (int n = 0; n < c->n_nodes; n++) {
        const struct kc_node *o = &c->node[n];
        char name[16], rack[16];
        (void)snprintf(name, sizeof name, "n%d", n);
        (void)snprintf(rack, sizeof rack, "r%d", o->rack);
        enum st st = cluster_add(cl,
                                 &(struct node_spec){ .name = name,
                                                      .rack = rack,
                                                      .cpu_milli = o->cpu,
                                                      .mem_b = o->mem,
                                                      .cpu_reserved = o->cpu_reserved,
                                                      .mem_reserved = o->mem_reserved,
                                                      .n_gpu = (uint32_t)o->cards,
                                                      .gpu_type = o->cards > 0 ? type[o->type] : NULL,
                                                      .gpu_mem_b = o->card_mem,
                                                      .gpu_cores = o->card_cores,
                                                      .max_tasks = (uint32_t)o->max_tasks,
                                                      .labels = o->labels },
                                 &d);
        SIM_ASSERT(st == ST_OK);
    }
    cluster_seal(cl);
    for (int i = 0; i < c->n_prefs; i++) pref[i] = cluster_prefer(cl, c->pref[i]);
}

static void started(void *ctx, const struct world *w, uint32_t t)
{
    const struct task *k = world_task(w, t);
    const struct hold *h = cluster_hold(world_cluster(w), t);
    wfcase_log_add(ctx, world_now(w), "start %d.%u n%u %" PRIx64, (int)world_job(w, k->job)->ordinal, k->index, h->node,
                   h->cards);
}

static void stopped(void *ctx, const struct world *w, uint32_t t, enum stop_reason reason)
{
    static const char *const why[] = {
        [STOP_DONE] = "done",       [STOP_PREEMPTED] = "preempted", [STOP_FAILED] = "failed",
        [STOP_TIMEOUT] = "timeout", [STOP_HORIZON] = "horizon",     [STOP_MISMATCH] = "mismatch"
    };
    const struct task *k = world_task(w, t);
    wfcase_log_add(ctx, world_now(w), "stop %d.%u %s", (int)world_job(w, k->job)->ordinal, k->index, why[reason]);
}

static void ended(void *ctx, const struct world *w, uint32_t job)
{
    static const char *const how[] = { [JOB_DONE] = "done", [JOB_TIMEOUT] = "timeout", [JOB_REJECTED] = "rejected",
                                       [JOB_UNFINISHED] = "unfinished", [JOB_FAILED] = "failed" };
    const struct job *j = world_job(w, job);
    wfcase_log_add(ctx, world_now(w), "end %d %s", (int)j->ordinal, how[j->status]);
}

void kubecase_run(const struct kubecase *c, struct wf_log *log, char *error, size_t cap)
{
    struct cluster cl = { 0 };
    struct throughput perf = { .rate = NULL };
    struct feed feed = { .c = c };
    struct fault_event fault[KC_FAULTS];
    struct diag d = { 0 };
    struct host *h;
    uint32_t pref[KC_PREFS] = { 0 };
    char config[TEMP_PATH], text[8192] = "", spec[1024] = "";
    build(c, &cl, pref);
    for (int i = 0; i < c->n_faults; i++)
        fault[i] =
            (struct fault_event){ .at = c->fault[i].at, .node = (uint32_t)c->fault[i].node, .up = c->fault[i].up };
    FILE *f = fmemopen(text, sizeof text, "w");
    write_config(c, f);
    fclose(f);
    if (c->has_config) temp_file(config, text);
    f = fmemopen(spec, sizeof spec, "w");
    write_spec(c, config, f);
    fclose(f);
    const struct world_config cfg = { .cluster = &cl,
                                      .throughput = &perf,
                                      .audit = true,
                                      .horizon = TICK_NEVER,
                                      .checkpoint_interval = c->keeps ? 0 : -1,
                                      .reject_infeasible = true,
                                      .mismatch_after = c->mismatch_after,
                                      .fault = { .list = fault, .n_list = (size_t)c->n_faults } };
    enum st st = host_create(&h, spec, NULL, &cfg, NULL, &(struct host_hooks){ .tricks.reuses_shapes = true }, &d);
    error[0] = '\0';
    if (st == ST_OK) {
        feed.pref = pref;
        struct world *w = world_create(&cfg, (struct source){ .ctx = &feed, .next = feed_next }, host_decider(h));
        world_observe(w, (struct observer){ .ctx = log, .started = started, .stopped = stopped, .job_ended = ended });
        while ((st = world_step(w, &d)) == ST_OK) continue;
        if (st == ST_EPOLICY && d.breach == BREACH_WAITING) {
            wfcase_log_add(log, world_now(w), "stuck");
            st = ST_END;
        }
        world_destroy(w);
        host_destroy(h);
    }
    if (st != ST_END) (void)snprintf(error, cap, "%.200s: %.300s", spec, d.msg);
    if (c->has_config) (void)unlink(config);
    throughput_fini(&perf);
    cluster_fini(&cl);
    wfcase_log_sort(log);
}

/* ---- telling ---- */

void kubecase_tell(const struct kubecase *c, FILE *to)
{
    write_spec(c, "below", to);
    fprintf(to, "\n");
    if (c->has_config) write_config(c, to);
    fprintf(to, "mismatch after %" PRId64 ", progress %s\n", c->mismatch_after, c->keeps ? "kept" : "lost");
    for (int n = 0; n < c->n_nodes; n++) {
        const struct kc_node *o = &c->node[n];
        fprintf(to,
                "node %d: cpu %" PRId64 "-%" PRId64 " mem %" PRId64 "-%" PRId64 " cards %d type %d mem %" PRId64
                " cores %d rack %d tasks %d labels %" PRIx64 "\n",
                n, o->cpu, o->cpu_reserved, o->mem, o->mem_reserved, o->cards, o->type, o->card_mem, o->card_cores,
                o->rack, o->max_tasks, o->labels);
    }
    for (int i = 0; i < c->n_prefs; i++) {
        fprintf(to, "preference %d:", i);
        for (int n = 0; n < c->n_nodes; n++) fprintf(to, " %d", c->pref[i][n]);
        fprintf(to, "\n");
    }
    for (int j = 0; j < c->n_jobs; j++) {
        const struct kc_job *o = &c->job[j];
        fprintf(to, "job %d: at %" PRId64 " priority %d%s%s prefers %d\n", j, o->submit, o->priority,
                o->gang ? " gang" : "", o->other ? " other" : "", o->prefers);
        for (int k = 0; k < o->n; k++) {
            const struct shape *s = &o->task[k].shape;
            fprintf(to,
                    "    %" PRId64 ": cpu %" PRId64 " mem %" PRId64 " cards %d x %d mem %" PRId64
                    " cores %d labels %" PRIx64 "\n",
                    o->task[k].dur, s->cpu_milli, s->mem_b, s->n_gpu, s->gpu_milli, s->gpu_mem_b, s->gpu_cores,
                    s->need_all);
        }
    }
    for (int i = 0; i < c->n_faults; i++)
        fprintf(to, "at %" PRId64 " node %d %s\n", c->fault[i].at, c->fault[i].node, c->fault[i].up ? "up" : "down");
}

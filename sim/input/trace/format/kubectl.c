/*
 * Pods as `kubectl get pods -A -o json` prints them.  Layer: input.
 *
 * A pod is a job of one task; its user is the namespace.  `bound: keep`: the
 * list is a snapshot, all of it at time 0; pods on a node stay there, ended ones
 * are left out.  `replay`: each pod arrives when it was created, wherever it
 * ran.  What is read, what is not and how it is told: scenarios/REFERENCE.md,
 * "Kubernetes".
 */
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "input/kube/nodes.h"
#include "input/kube/quantity.h"
#include "input/trace/reader.h"

#define MB INT64_C(1000000)
#define AMOUNT_MAX (INT64_MAX / 4096)

struct pod {
    char *id;
    const char *user, *queue, *node;
    struct task_group group;
    sim_tick submit;
    int32_t priority;
    uint32_t line;
    size_t item;
};

struct kubectl_opts { uint32_t bound; sim_tick duration; };         /* duration -1: none */
enum { BOUND_KEEP, BOUND_REPLAY };

struct kubectl {
    struct trace_env env;
    const struct kubectl_opts *own;
    struct kube_doc doc;
    struct kube_match match;
    struct pod *pod; size_t n_pods, cap_pods, next;
    bool keep;
};

/* ---- requests ---- */

struct amounts { int64_t cpu, mem, gpus; };

static enum st checked_add(const struct kube_at *at, struct amounts *to, const struct amounts *x, struct diag *d)
{
    to->cpu += x->cpu;
    to->mem += x->mem;
    to->gpus += x->gpus;
    if (to->cpu > AMOUNT_MAX || to->mem > AMOUNT_MAX || to->gpus > AMOUNT_MAX) return kube_fail(at, d, "asks for more than can be counted");
    return ST_OK;
}

static void raise_to(struct amounts *to, const struct amounts *x)
{
    to->cpu = i64_max(to->cpu, x->cpu);
    to->mem = i64_max(to->mem, x->mem);
    to->gpus = i64_max(to->gpus, x->gpus);
}

/* Count what a list asks for that is not modelled; what `but` names too was counted there. */
static enum st tell_unmodelled(const struct kubectl *x, const struct kube_at *list, const json_t *but, struct diag *d)
{
    static const struct { const char *name; bool is_prefix; const char *what; } known[] = {
        { "cpu", false, NULL }, { "memory", false, NULL }, { "nvidia.com/gpu", false, NULL },
        { "ephemeral-storage", false, "pod asks for ephemeral-storage, which is not modelled" },
        { "hugepages-", true, "pod asks for hugepages, which are not modelled" },
        { "", true, "pod asks for an extended resource other than nvidia.com/gpu, which is not modelled" },
    };
    const char *key;
    json_t *v;
    if (list->o == NULL) return ST_OK;
    json_object_foreach(list->o, key, v) {
        size_t i = 0;
        if (json_object_get(but, key) != NULL) continue;
        while (known[i].is_prefix ? strncmp(key, known[i].name, strlen(known[i].name)) != 0 : strcmp(key, known[i].name) != 0) i++;
        if (known[i].what != NULL) TRY(trace_repair(&x->env, known[i].what, x->doc.line[list->item], d));
    }
    return ST_OK;
}

/* What is requested; where only a limit stands, it is the request. */
static enum st read_amounts(const struct kubectl *x, const struct kube_at *container, struct amounts *out, struct diag *d)
{
    struct kube_at res, requests, limits;
    *out = (struct amounts){ 0 };
    TRY(kube_object(container, "resources", &res, d));
    TRY(kube_object(&res, "limits", &limits, d));
    TRY(kube_object(&res, "requests", &requests, d));
    const struct kube_at *from[] = { &limits, &requests };
    for (size_t i = 0; i < ARRAY_LEN(from); i++) {
        TRY(kube_amount(from[i], "cpu", 1000, &out->cpu, d));
        TRY(kube_amount(from[i], "memory", 1, &out->mem, d));
        TRY(kube_amount(from[i], "nvidia.com/gpu", 1, &out->gpus, d));
    }
    TRY(tell_unmodelled(x, &requests, NULL, d));
    return tell_unmodelled(x, &limits, requests.o, d);
}

/*
 * Containers run together; init containers one after the other before them,
 * except those that restart always: they stay, for what comes after them too.
 */
static enum st read_requests(const struct kubectl *x, const struct kube_at *spec, struct amounts *out, struct diag *d)
{
    struct kube_at list, c, overhead;
    struct amounts most = { 0 }, stay = { 0 }, one;
    *out = (struct amounts){ 0 };
    TRY(kube_array(spec, "initContainers", &list, d));
    for (size_t i = 0; list.o != NULL && i < json_array_size(list.o); i++) {
        const char *restart;
        TRY(kube_element(&list, i, &c, d));
        TRY(read_amounts(x, &c, &one, d));
        TRY(kube_text(&c, "restartPolicy", &restart, d));
        struct amounts now = stay;
        TRY(checked_add(&c, &now, &one, d));
        raise_to(&most, &now);
        if (restart != NULL && strcmp(restart, "Always") == 0) stay = now;
    }
    *out = stay;
    TRY(kube_array(spec, "containers", &list, d));
    if (list.o == NULL || json_array_size(list.o) == 0) return kube_fail(&list, d, "a pod has at least one container");
    for (size_t i = 0; i < json_array_size(list.o); i++) {
        TRY(kube_element(&list, i, &c, d));
        TRY(read_amounts(x, &c, &one, d));
        TRY(checked_add(&c, out, &one, d));
    }
    raise_to(out, &most);
    one = (struct amounts){ 0 };
    TRY(kube_object(spec, "overhead", &overhead, d));
    TRY(kube_amount(&overhead, "cpu", 1000, &one.cpu, d));
    TRY(kube_amount(&overhead, "memory", 1, &one.mem, d));
    return checked_add(&overhead, out, &one, d);
}

/* One that is near to the paper's words would else silently make a CPU pod, or a CPU node. */
static enum st tell_notes(const struct kubectl *x, const json_t *notes, const char *what, uint32_t line, struct diag *d)
{
    for (uint64_t n = kube_cards_unknown(notes); n > 0; n--) TRY(trace_repair(&x->env, what, line, d));
    return ST_OK;
}

static enum st read_shape(const struct kubectl *x, const struct kube_at *meta, const struct kube_at *spec, struct shape *s, struct diag *d)
{
    struct amounts a;
    struct kube_at notes;
    struct kube_cards cards;
    TRY(read_requests(x, spec, &a, d));
    TRY(kube_object(meta, "annotations", &notes, d));
    TRY(kube_cards_read(&notes, &cards, d));
    TRY(tell_notes(x, notes.o, "annotation oks/... of a pod that is none of gpu-number, gpunumber, gpu-memory, gpu-core: not read",
                   x->doc.line[meta->item], d));
    int64_t number = cards.number;
    if (number >= 0 && a.gpus > 0 && number != a.gpus)
        return kube_fail(&notes, d, "oks/gpu-number is %lld, and the containers ask for %lld nvidia.com/gpu", (long long)number, (long long)a.gpus);
    if (number < 0) number = a.gpus;
    if (number > NODE_GPUS_MAX) return kube_fail(spec, d, "asks for %lld GPUs; a node may have at most %d", (long long)number, NODE_GPUS_MAX);
    if (number == 0 && (cards.cores > 0 || cards.mb > 0)) return kube_fail(&notes, d, "asks for cores or memory of cards, but for no cards");
    *s = (struct shape){ .cpu_milli = a.cpu, .mem_b = a.mem, .n_gpu = (int32_t)number, .gpu_milli = number > 0 ? GPU_WHOLE : 0,
                         .gpu_mem_b = cards.mb * MB, .gpu_cores = (int32_t)cards.cores };
    TRY(kube_match_preferred(&x->match, spec, &s->prefers, d));
    return kube_match_pod(&x->match, spec, &s->need_all, d);
}

/* ---- what is left out ---- */

static bool has(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    return v != NULL && !json_is_null(v) && !(json_is_array(v) && json_array_size(v) == 0) && !(json_is_object(v) && json_object_size(v) == 0);
}

static bool asks_host_port(const json_t *spec)
{
    const json_t *containers = json_object_get(spec, "containers");
    for (size_t i = 0; i < json_array_size(containers); i++) {
        const json_t *ports = json_object_get(json_array_get(containers, i), "ports");
        for (size_t k = 0; k < json_array_size(ports); k++)
            if (has(json_array_get(ports, k), "hostPort")) return true;
    }
    return false;
}

static bool asks_claim(const json_t *spec)
{
    const json_t *volumes = json_object_get(spec, "volumes");
    for (size_t i = 0; i < json_array_size(volumes); i++)
        if (has(json_array_get(volumes, i), "persistentVolumeClaim")) return true;
    return false;
}

/* Every field that a scheduler would look at and this one does not. */
static enum st tell_ignored(const struct kubectl *x, const struct pod *p, const struct kube_at *spec, struct diag *d)
{
    const json_t *s = spec->o, *affinity = json_object_get(s, "affinity");
    const struct { bool is_there; const char *what;
    } field[] = {
        { has(affinity, "podAffinity"), "spec.affinity.podAffinity not modelled" },
        { has(affinity, "podAntiAffinity"), "spec.affinity.podAntiAffinity not modelled" },
        { has(s, "topologySpreadConstraints"), "spec.topologySpreadConstraints not modelled" },
        { has(s, "schedulingGates"), "spec.schedulingGates not modelled: the pod is taken as ready" },
        { has(s, "resourceClaims"), "spec.resourceClaims not modelled" },
        { has(s, "resources"), "resources of the pod as a whole (spec.resources) not modelled" },
        { asks_host_port(s), "hostPort not modelled" },
        { asks_claim(s), "persistentVolumeClaim not modelled: a volume may keep a pod from nodes that it gets here" },
        { p->queue != NULL,
          "another spec.schedulerName is read as the pod's queue: only `config` of the kube- policies goes by it" },
    };
    if (x->env.cluster->n_nodes == 0 && (has(s, "nodeSelector") || has(affinity, "nodeAffinity")))
        TRY(trace_repair(&x->env, "nodes not known: the pod's choice of them is left out", x->doc.line[spec->item], d));
    for (size_t i = 0; i < ARRAY_LEN(field); i++)
        if (field[i].is_there) TRY(trace_repair(&x->env, field[i].what, x->doc.line[spec->item], d));
    return ST_OK;
}

/* ---- times ---- */

static enum st read_time(const struct kube_at *a, const char *key, sim_tick *out, struct diag *d)
{
    const char *s;
    TRY(kube_text(a, key, &s, d));
    *out = -1;
    if (s != NULL && !kube_time(s, out)) return kube_fail(a, d, "'%s': '%.40s' is not a time such as 2023-02-20T09:38:18Z", key, s);
    return ST_OK;
}

/* From the first container's start to the last one's end, when all have ended; else -1. */
static enum st read_run(const struct kube_at *status, sim_tick *out, struct diag *d)
{
    struct kube_at list, c, state, ended;
    sim_tick first = -1, last = -1;
    *out = -1;
    TRY(kube_array(status, "containerStatuses", &list, d));
    for (size_t i = 0; list.o != NULL && i < json_array_size(list.o); i++) {
        sim_tick from, to;
        TRY(kube_element(&list, i, &c, d));
        TRY(kube_object(&c, "state", &state, d));
        TRY(kube_object(&state, "terminated", &ended, d));
        if (ended.o == NULL) return ST_OK;
        TRY(read_time(&ended, "startedAt", &from, d));
        TRY(read_time(&ended, "finishedAt", &to, d));
        if (from < 0 || to < 0) return ST_OK;
        if (to < from) return kube_fail(&ended, d, "finishedAt is before startedAt");
        first = first < 0 ? from : i64_min(first, from);
        last = i64_max(last, to);
    }
    *out = first < 0 ? -1 : last - first;
    return ST_OK;
}

/* ---- pods ---- */

static enum st read_pod(struct kubectl *x, size_t item, struct diag *d)
{
    struct kube_at pod = kube_item(&x->doc, item), meta, spec, status, notes;
    struct pod p = { .item = item, .line = x->doc.line[item], .group.n = 1 };
    const char *name, *phase, *mirror;
    sim_tick ran;
    TRY(kube_object(&pod, "metadata", &meta, d));
    TRY(kube_object(&pod, "spec", &spec, d));
    TRY(kube_object(&pod, "status", &status, d));
    TRY(kube_object(&meta, "annotations", &notes, d));
    TRY(kube_text(&meta, "name", &name, d));
    TRY(kube_text(&meta, "namespace", &p.user, d));
    TRY(kube_text(&spec, "nodeName", &p.node, d));
    TRY(kube_text(&status, "phase", &phase, d));
    TRY(kube_text(&notes, "kubernetes.io/config.mirror", &mirror, d));
    TRY(read_time(&meta, "creationTimestamp", &p.submit, d));
    if (name == NULL) return kube_fail(&meta, d, "found no 'name'");
    if (spec.o == NULL) return kube_fail(&spec, d, "is not there");
    if (p.user == NULL) p.user = "default";
    bool over = phase != NULL && (strcmp(phase, "Succeeded") == 0 || strcmp(phase, "Failed") == 0);
    if (x->keep && over) return trace_repair(&x->env, "pod has ended, left out of the snapshot", p.line, d);
    TRY(read_run(&status, &ran, d));
    p.group.dur = over && ran >= 0 ? ran : x->own->duration;
    if (p.group.dur < 0) {
        (void)kube_fail(&status, d, "does not say how long the pod ran");
        return diag_hint(d, "`defaults: {duration: 1h}` in the trace section is for pods that have not ended");
    }
    if (!x->keep && !over) TRY(trace_repair(&x->env, "pod had not ended, runs for the default duration", p.line, d));
    if (x->keep) p.submit = 0;
    else if (p.submit < 0) return kube_fail(&meta, d, "found no 'creationTimestamp'");
    if (!x->keep && mirror == NULL) p.node = NULL;          /* replayed; a static pod never was a scheduler's */
    if (p.node != NULL && x->env.cluster->n_nodes > 0 && intern_find(&x->env.cluster->node_names, p.node) == NONE)
        return kube_fail(&spec, d, "'nodeName': the cluster has no node '%.60s'", p.node);
    json_t *priority = json_object_get(spec.o, "priority");
    if (json_is_integer(priority)) p.priority = (int32_t)i64_max(INT32_MIN, i64_min(INT32_MAX, json_integer_value(priority)));
    TRY(kube_text(&spec, "schedulerName", &p.queue, d));
    if (p.queue != NULL && strcmp(p.queue, "default-scheduler") == 0) p.queue = NULL;
    TRY(tell_ignored(x, &p, &spec, d));
    TRY(read_shape(x, &meta, &spec, &p.group.shape, d));
    /* Taints came later than the pod, or no scheduler placed it. */
    if (p.node != NULL) p.group.shape.need_all = p.group.shape.prefers = 0;
    if (p.group.shape.prefers != 0 && x->env.repairs != NULL) x->env.cluster->preferences.n_jobs++;
    p.id = mem_printf("%s/%s", p.user, name);
    MEM_PUSH(x->pod, x->n_pods, x->cap_pods, p);
    return ST_OK;
}

/* What is bound first, then by time, then as they stand: kubectl sorts by name. */
static int by_turn(const void *a, const void *b)
{
    const struct pod *x = a, *y = b;
    if (x->submit != y->submit) return x->submit < y->submit ? -1 : 1;
    if ((x->node == NULL) != (y->node == NULL)) return x->node == NULL ? 1 : -1;
    return (x->item > y->item) - (x->item < y->item);
}

static enum st next(void *ctx, struct job_spec *out, struct diag *d)
{
    struct kubectl *x = ctx;
    (void)d;
    if (x->next == x->n_pods) return ST_END;
    const struct pod *p = &x->pod[x->next++];
    trace_blank(out);
    out->id = p->id;
    out->user = p->user;
    out->queue = p->queue;
    out->node = p->node;
    out->submit = p->submit;
    out->priority = p->priority;
    out->line = p->line;
    out->group = &p->group;
    out->n_groups = 1;
    return ST_OK;
}

static void close_kubectl(void *ctx)
{
    struct kubectl *x = ctx;
    for (size_t i = 0; i < x->n_pods; i++) mem_free(x->pod[i].id);
    mem_free(x->pod);
    kube_match_fini(&x->match);
    kube_doc_fini(&x->doc);
    mem_free(x);
}

static enum st open_kubectl(const struct trace_env *env, struct trace_reader *out, struct diag *d)
{
    struct kubectl *x;
    const struct kube_nodes *nodes = env->opts->kube_nodes;
    MEM_NEW(x);
    *out = (struct trace_reader){ .ctx = x, .next = next, .close = close_kubectl };
    x->env = *env;
    x->own = env->opts->own;
    x->keep = x->own->bound == BOUND_KEEP;
    kube_match_init(&x->match, env->cluster, nodes);
    TRY(kube_doc_load(&x->doc, env->opts->path, "Pod", d));
    for (uint64_t i = 0; nodes != NULL && i < nodes->n_prefer; i++)
        TRY(trace_repair(env, "PreferNoSchedule taint of a node not modelled", nodes->prefer_line, d));
    for (size_t i = 0; nodes != NULL && i < nodes->doc.n; i++)
        TRY(tell_notes(x, json_object_get(json_object_get(nodes->doc.item[i], "metadata"), "annotations"),
                       "annotation oks/... of a node that is none of gpu-number, gpunumber, gpu-memory, gpu-core: not read",
                       nodes->doc.line[i], d));
    for (size_t i = 0; i < x->doc.n; i++) TRY(read_pod(x, i, d));
    if (x->n_pods > 0) qsort(x->pod, x->n_pods, sizeof *x->pod, by_turn);
    return ST_OK;
}

static const char *const bound[] = { [BOUND_KEEP] = "keep", [BOUND_REPLAY] = "replay" };

static const struct trace_option options[] = {
    { .key = "bound", .type = TRACE_CHOICE, .offset = offsetof(struct kubectl_opts, bound), .dflt = "keep",
      .word = bound, .n_words = ARRAY_LEN(bound), .help = "pods on a node stay there, or all is replayed from its creation" },
    { .key = "duration", .in = "defaults", .type = TRACE_DURATION, .offset = offsetof(struct kubectl_opts, duration), .unset = -1,
      .help = "of pods that have not ended", .elsewhere = "traces of other formats say how long their jobs run" },
};

const struct trace_format kubectl_format = {
    .name = "kubectl", .summary = "pods as `kubectl get pods -A -o json` prints them", .binds_nodes = true,
    .own_size = sizeof(struct kubectl_opts), .option = options, .n_options = ARRAY_LEN(options), .open = open_kubectl,
};

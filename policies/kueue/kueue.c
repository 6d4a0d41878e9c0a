/*
 * kueue.c -- Kueue, Kubernetes' job queueing: cluster queues with quotas, cohorts that lend, flavors, preemption and
 * fair sharing.  README.md of this folder.
 *
 * A decision: who stopped gives its quota back, pods of the admitted get nodes, then scheduling cycles (cycle.c).
 * Cost: what changed; queue.c says why those who wait cost nothing.
 * Source: Kueue 0.13, https://github.com/kubernetes-sigs/kueue.
 */
#include "builtin.h"
#include "kueue/state.h"
#include "lib/util.h"

enum { P_PLACE, P_CONFIG, P_OTHERWISE };
static const struct pol_param params[] = {
    PLACEMENT_PARAM,
    { .name = "config",
      .type = POL_FILE,
      .choices = "kueue",
      .dflt = "",
      .help = "Kueue's objects and Configuration, YAML; without it, one queue with all of the cluster" },
    { .name = "otherwise",
      .type = POL_TEXT,
      .dflt = "",
      .help = "ClusterQueue of jobs that name no queue of the file; empty: they never start" },
};

/* ---- which queue, at what priority ---- */

static const struct kueue_local *find_local(const struct kueue_config *c, const char *space, const char *name)
{
    for (uint32_t i = 0; i < c->n_locals; i++)
        if (strcmp(c->local[i].space, space) == 0 && strcmp(c->local[i].name, name) == 0) return &c->local[i];
    return NULL;
}

/* The LocalQueue "namespace/name"; or in the namespace called as the user; or the only one of that name. */
static const struct kueue_local *local_of(const struct kueue_config *c, const char *user, const char *name)
{
    const struct kueue_local *only = find_local(c, user, name);
    uint32_t n = 0;
    if (only != NULL) return only;
    for (uint32_t i = 0; i < c->n_locals; i++) {
        const struct kueue_local *l = &c->local[i];
        const size_t len = strlen(l->space);
        if (strncmp(name, l->space, len) == 0 && name[len] == '/' && strcmp(name + len + 1, l->name) == 0) return l;
        if (strcmp(l->name, name) != 0) continue;
        only = l;
        n++;
    }
    return n == 1 ? only : NULL;
}

/* The pool of a job's ClusterQueue; POL_NONE: none that takes anything. */
static uint32_t queue_of(const struct kueue *k, const struct pol_job_info *ji)
{
    const struct kueue_config *c = &k->config;
    const struct pol_host *h = k->sched.host;
    const char *user = h->name(h->ctx, POL_NAME_USER, ji->user);
    const char *name = ji->queue != POL_NONE ? h->name(h->ctx, POL_NAME_QUEUE, ji->queue) : NULL;
    if (user == NULL) user = "";
    const struct kueue_local *local = name != NULL ? local_of(c, user, name) : find_local(c, user, "default");
    uint32_t queue = local != NULL ? local->queue : kueue_config_queue(c, name != NULL ? name : user);
    if (queue == POL_NONE) queue = k->otherwise;
    if (queue == POL_NONE || (local != NULL && local->is_held) || kueue_policy_of(c, queue)->is_held) return POL_NONE;
    return queue;
}

/* The value of the WorkloadPriorityClass called as the job's class, or the job's own. */
static int32_t priority_of(const struct kueue *k, const struct pol_job_info *ji)
{
    const struct pol_host *h = k->sched.host;
    const char *class = ji->category != POL_NONE ? h->name(h->ctx, POL_NAME_CATEGORY, ji->category) : NULL;
    for (uint32_t i = 0; class != NULL && i < k->config.n_classes; i++)
        if (strcmp(k->config.class[i].name, class) == 0) return k->config.class[i].value;
    return ji->priority;
}

static void begin(struct kueue *k, const struct unit *u)
{
    const struct pol_host *h = k->sched.host;
    const struct pol_job_info *ji = h->job(h->ctx, u->job);
    struct kueue_workload *w = &k->workload[u->task.slot];
    w->queue = queue_of(k, ji);
    w->priority = priority_of(k, ji);
    w->stamp = ji->submit_us;
    w->evictions = 0;
    w->tried_at = 0;
    if (w->queue != POL_NONE) {
        kueue_join(k, u->task.slot);
        return;
    }
    w->state = KUEUE_STRANDED;
    h->note(h->ctx, "workload_of_no_queue", 1);
    h->hold(h->ctx, u->task, false, "no queue of the file that admits anything is its job's");
}

/* ---- in step with the scheduler's state ---- */

static void waits(void *self, const struct unit *u, int sign)
{
    struct kueue *k = self;
    const uint32_t id = u->task.slot;
    POL_RESERVE(k->workload, k->cap_workload, (size_t)id + 1);
    struct kueue_workload *w = &k->workload[id];
    if (sign > 0) {
        if (w->state == KUEUE_STOPPED) kueue_pods_lost(k, id);
        else if (w->state == KUEUE_EVICTED) kueue_join(k, id);
        else begin(k, u);
        return;
    }
    if (w->state == KUEUE_RUNS) return; /* it starts */
    if (w->state == KUEUE_WAITS) kueue_leave(k, id);
    if (w->state == KUEUE_BACKS_OFF) kueue_back_forget(k, id);
    if (w->state == KUEUE_ADMITTED) {
        kueue_pods_forget(k, id);
        kueue_release(k, id);
    }
    w->state = KUEUE_UNKNOWN;
}

static void moved(void *self, const struct unit *u, int sign)
{
    struct kueue *k = self;
    struct kueue_workload *w = &k->workload[u->task.slot];
    if (sign > 0 || w->state != KUEUE_RUNS) return;
    w->state = KUEUE_STOPPED;
    POL_PUSH(k->stopped, k->n_stopped, k->cap_stopped, u->task.slot);
}

static void decide(void *self)
{
    struct kueue *k = self;
    for (size_t i = 0; i < k->n_stopped; i++) {
        const uint32_t id = k->stopped[i];
        if (k->workload[id].state != KUEUE_STOPPED) continue; /* its node was lost */
        k->workload[id].state = KUEUE_UNKNOWN;
        kueue_release(k, id);
    }
    k->n_stopped = 0;
    kueue_place_pending(k);
    kueue_time(k);
    kueue_run_cycles(k);
    kueue_wake(k);
}

static bool init(void *self, const union pol_value *value, char *error, size_t cap)
{
    struct kueue *k = self;
    const char *otherwise = value[P_OTHERWISE].s;
    k->woken_at = -1;
    if (!kueue_config_read(&k->config, k->sched.host, value[P_CONFIG].s, error, cap)) return false;
    const struct kueue_tree *t = &k->config.tree;
    k->queue = pol_alloc(t->n_pools - t->n_cohorts, sizeof *k->queue);
    for (uint32_t i = 0; i < t->n_pools - t->n_cohorts; i++) {
        k->queue[i].sticky = k->queue[i].entry.workload = POL_NONE;
        k->queue[i].generation = 1;
    }
    k->otherwise = value[P_CONFIG].s[0] == '\0' ? t->n_cohorts : kueue_config_queue(&k->config, otherwise);
    if (otherwise[0] == '\0' || (k->otherwise != POL_NONE && value[P_CONFIG].s[0] != '\0')) return true;
    return pol_error(error, cap, "otherwise is '%s', and `config` has no ClusterQueue of that name", otherwise);
}

static void fini(void *self)
{
    struct kueue *k = self;
    const struct kueue_tree *t = &k->config.tree;
    for (uint32_t i = 0; k->queue != NULL && i < t->n_pools - t->n_cohorts; i++) {
        struct kueue_queue *q = &k->queue[i];
        POL_FREE(q->group, q->parked, q->holds, q->entry.need, q->entry.targets.at);
    }
    for (size_t i = 0; i < k->cap_workload; i++)
        POL_FREE(k->workload[i].flavor, k->workload[i].use, k->workload[i].tried);
    for (size_t i = 0; i < k->cap_request; i++) POL_FREE(k->request[i].set, k->request[i].set_of);
    kueue_queue_fini(k);
    kueue_config_fini(&k->config);
    POL_FREE(k->queue, k->workload, k->request, k->suits, k->pending, k->backing, k->stopped, k->candidate, k->node,
             k->own);
}

static void class_gone(void *self, uint32_t class, uint32_t kind)
{
    (void)kind;
    if (class != POL_NONE) kueue_class_gone(self, class);
}

static void shapes_renewed(void *self)
{
    struct kueue *k = self;
    const struct plan *p = &k->sched.plan;
    for (uint32_t i = 0; i < plan_n_renewed(p); i++) {
        const size_t at = (size_t)p->shapes->renewed[i] * k->config.n_flavors;
        for (size_t f = at; f < at + k->config.n_flavors && f < k->cap_suits; f++) k->suits[f] = 0;
    }
}

static const struct sched_ops ops = {
    .waits = waits,
    .moved = moved,
    .class_gone = class_gone,
    .shapes_renewed = shapes_renewed,
    .size = sizeof(struct kueue),
    .init = init,
    .decide = decide,
    .fini = fini,
};

LIST_POLICY(pol_kueue, ops, params, .name = "kueue",
            .source = "Kueue 0.13 (kubernetes-sigs/kueue), pkg/scheduler and pkg/cache",
            .summary = "Kueue: cluster queues with quotas that borrow in cohorts, flavors, preemption, fair sharing",
            .flags = POL_PREEMPTS | POL_STRANDS);

/*
 * job.c -- what Slurm knows of a job: its partitions, QOS, account and size.
 *
 * A job's queue is "PARTITION[,PARTITION...][/QOS[/ACCOUNT]]", each part may be left out; a queue that is no
 * partition's name is a QOS, as the events of the UB simulator have it.  Without one the partition is that
 * whose name the job asks of nodes as a label, else the default one.  Nice is minus its priority.
 */
#include "slurm/state.h"

static void add_part(struct slurm_job *j, int32_t part)
{
    if (part != CONFIG_NONE && j->n_parts < PARTS_MAX) j->part[j->n_parts++] = (uint32_t)part;
}

/* By what it asks of nodes, else the default partition, else the first. */
static void infer_part(const struct slurm *s, const struct pol_shape *shape, struct slurm_job *j)
{
    const struct pol_host *h = s->sched.host;
    for (uint32_t i = 0; i < s->conf.n_partitions && j->n_parts == 0; i++) {
        uint32_t bit = h->label(h->ctx, s->conf.partition[i].name);
        if (bit != POL_NONE && (shape->need_all >> bit & 1) != 0) add_part(j, (int32_t)i);
    }
    for (uint32_t i = 0; i < s->conf.n_partitions && j->n_parts == 0; i++)
        if (s->conf.partition[i].is_default) add_part(j, (int32_t)i);
    if (j->n_parts == 0) add_part(j, 0);
}

/* The names of partitions up to `len`; false if one is none. */
static bool read_parts(const struct slurm *s, const char *names, size_t len, struct slurm_job *j)
{
    for (size_t n; len > 0; names += n, len -= n) {
        if (*names == ',') { names++; len--; }
        n = 0;
        while (n < len && names[n] != ',') n++;
        int32_t part = config_partition(&s->conf, names, n);
        if (part == CONFIG_NONE) return false;
        add_part(j, part);
    }
    return true;
}

static void read_queue(const struct slurm *s, const char *queue, const char *user, struct slurm_job *j,
                       const struct pol_shape *shape)
{
    const struct slurm_conf *c = &s->conf;
    const char *slash = strchr(queue, '/'), *account = "";
    size_t len = slash != NULL ? (size_t)(slash - queue) : strlen(queue);
    j->qos = j->assoc = CONFIG_NONE;
    if (!read_parts(s, queue, len, j)) {
        j->n_parts = 0;
        if (slash == NULL) j->qos = config_qos(c, queue, len);
    }
    if (slash != NULL) {
        const char *second = strchr(slash + 1, '/');
        j->qos = config_qos(c, slash + 1, second != NULL ? (size_t)(second - slash - 1) : strlen(slash + 1));
        if (second != NULL) account = second + 1;
    }
    if (j->n_parts == 0) infer_part(s, shape, j);
    if (c->n_assocs > 0) j->assoc = config_assoc(c, user, account, c->partition[j->part[0]].name);
    if (j->qos == CONFIG_NONE && j->assoc != CONFIG_NONE && c->assoc[j->assoc].default_qos != NULL)
        j->qos = config_qos(c, c->assoc[j->assoc].default_qos, strlen(c->assoc[j->assoc].default_qos));
    if (j->qos == CONFIG_NONE) j->qos = config_qos(c, "normal", 6);
}

void slurm_job_read(struct slurm *s, const struct unit *u, uint32_t unit)
{
    const struct pol_host *h = s->sched.host;
    const struct pol_job_info *ji = h->job(h->ctx, u->job);
    const struct request_class *k = &s->sched.classes.at[u->request_class];
    const char *queue = ji->queue != POL_NONE ? h->name(h->ctx, POL_NAME_QUEUE, ji->queue) : NULL;
    const char *user = h->name(h->ctx, POL_NAME_USER, ji->user);
    POL_RESERVE(s->job, s->cap_job, (size_t)unit + 1);
    struct slurm_job *j = &s->job[unit];
    *j = (struct slurm_job){ .nice = -(int64_t)ji->priority,
                              .submit_s = slurm_now_s(s, ji->submit_us),
                              .came_us = s->sched.view->now_us,
                              .limit_s = -1 };
    /* Limits are whole minutes. */
    if (ji->limit_us >= 0) j->limit_s = (ji->limit_us + 59999999) / 60000000 * 60;
    read_queue(s, queue != NULL ? queue : "", user != NULL ? user : "", j, &s->sched.plan.shape[k->shape[0]]);
    for (uint32_t i = 0; i < k->n_tasks; i++) {
        const struct pol_shape *shape = &s->sched.plan.shape[k->shape[i]];
        j->tres.cpu += shape->cpu_milli;
        j->tres.mem += shape->mem_b;
        j->tres.gpu += shape->n_gpu;
    }
    j->tres.node = slurm_min_nodes(s, unit);
    j->is_array = !u->is_gang && ji->n_tasks > 1;
    bool may_run = false;
    for (uint32_t i = 0; i < j->n_parts; i++) {
        const char *held = slurm_held(s, unit, j->part[i]);
        if (held != NULL && !slurm_held_by_tres(held)) j->held_in |= (uint8_t)(1u << i);
        may_run |= held == NULL;
        j->held = held;
    }
    if (may_run) j->held = NULL;
}

int64_t slurm_limit_s(const struct slurm *s, uint32_t unit, uint32_t part)
{
    const struct slurm_partition *p = &s->conf.partition[part];
    const struct slurm_job *j = slurm_job(s, unit);
    int64_t max = p->max_time >= 0 ? p->max_time : CONFIG_YEAR, own = j->limit_s >= 0 ? j->limit_s : p->default_time;
    return own >= 0 && own < max ? own : max;
}

bool slurm_has_licences(const struct slurm *s, uint32_t unit)
{
    const struct request_class *k = slurm_class(s, unit);
    for (uint32_t l = 0; l < plan_n_licences(&s->sched.plan); l++) {
        int64_t ask = 0;
        for (uint32_t i = 0; i < k->n_tasks; i++) ask += plan_licence(&s->sched.plan, k->shape[i], l);
        if (s->sched.licence_free[l] < ask) return false;
    }
    return true;
}

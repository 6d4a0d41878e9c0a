/*
 * priority.c -- a waiting job's priority: priority/basic, in order of submission, or priority/multifactor,
 * a weighted sum, worked out when the job is submitted and every PriorityCalcPeriod after (order.c).
 * Source: priority_basic.c; priority_multifactor.c, set_priority_factors and _get_priority_internal.
 */
#include "slurm/state.h"

static double within(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

static double size_factor(const struct slurm *s, uint32_t unit, uint32_t part)
{
    const struct slurm_conf *c = &s->conf;
    const double nodes = c->n_nodes, all = (double)s->sched.view->cpu_total;
    const struct slurm_job *j = slurm_job(s, unit);
    const double min_nodes = slurm_min_nodes(s, unit), cpu = (double)j->tres.cpu;
    if (nodes <= 0 || all <= 0) return 0;
    if (c->relative_size) {
        double share = min_nodes * all / nodes;
        share = (cpu > share ? cpu : share) / ((double)slurm_limit_s(s, unit, part) / 60) / all;
        return within(c->favor_small ? 1 - share : share);
    }
    if (c->favor_small) return within(((nodes - min_nodes) / nodes + (all - cpu) / all) / 2);
    return within((min_nodes / nodes + cpu / all) / 2);
}

/* What a job asks, as parts of what its partition has. */
static double tres_sum(const struct slurm *s, uint32_t unit, uint32_t part)
{
    const struct slurm_conf *c = &s->conf;
    const struct slurm_weights *w = &c->w_tres;
    if (w->cpu + w->mem + w->node + w->gpu <= 0) return 0;
    const struct slurm_job *j = slurm_job(s, unit);
    double cpu = 0, mem = 0, gpu = 0, node = 0;
    if (c->raw_tres)
        return w->cpu * (double)j->tres.cpu / 1000 + w->mem * (double)j->tres.mem / 1048576 +
               w->node * (double)j->tres.node + w->gpu * (double)j->tres.gpu;
    for (uint32_t i = 0; i < c->n_nodes; i++) {
        if (!nodeset_has(c->partition[part].nodes, i)) continue;
        const struct pol_node *n = &s->sched.view->node[i];
        node++;
        cpu += (double)n->cpu_total;
        mem += (double)n->mem_total;
        gpu += n->n_gpu;
    }
    return (cpu > 0 ? w->cpu * (double)j->tres.cpu / cpu : 0) + (mem > 0 ? w->mem * (double)j->tres.mem / mem : 0) +
           (node > 0 ? w->node * (double)j->tres.node / node : 0) + (gpu > 0 ? w->gpu * (double)j->tres.gpu / gpu : 0);
}

static double partition_factor(const struct slurm_conf *c, uint32_t part)
{
    int64_t most = 0;
    if (c->raw_partition) return (double)c->partition[part].job_factor;
    for (uint32_t i = 0; i < c->n_partitions; i++)
        if (c->partition[i].job_factor > most) most = c->partition[i].job_factor;
    return most > 0 ? (double)c->partition[part].job_factor / (double)most : 0;
}

static double qos_factor(const struct slurm_conf *c, int32_t qos)
{
    int64_t most = 0;
    if (c->raw_qos && qos != CONFIG_NONE) return (double)c->qos[qos].priority;
    for (uint32_t i = 0; i < c->n_qos; i++)
        if (c->qos[i].priority > most) most = c->qos[i].priority;
    return most > 0 && qos != CONFIG_NONE ? (double)c->qos[qos].priority / (double)most : 0;
}

static double assoc_factor(const struct slurm_conf *c, int32_t assoc)
{
    int64_t most = 0;
    if (c->raw_assoc && assoc != CONFIG_NONE) return (double)c->assoc[assoc].priority;
    for (uint32_t i = 0; i < c->n_assocs; i++)
        if (c->assoc[i].priority > most) most = c->assoc[i].priority;
    return most > 0 && assoc != CONFIG_NONE ? (double)c->assoc[assoc].priority / (double)most : 0;
}

static double multifactor(const struct slurm *s, uint32_t unit, uint32_t part)
{
    const struct slurm_conf *c = &s->conf;
    const struct slurm_job *j = slurm_job(s, unit);
    double sum = -(double)j->nice;
    if (c->has_database) {
        /* Age is since submission, but none before a round has met the job (acct_policy_handle_accrue_time). */
        const int64_t age = j->came_us < s->round_us ? slurm_time_s(s) - j->submit_s : 0;
        sum += c->w_age * (age >= c->max_age ? 1 : (double)age / (double)c->max_age);
        if (j->assoc != CONFIG_NONE) sum += c->w_fairshare * slurm_fairshare(s, j->assoc);
    }
    if (c->w_size > 0) sum += c->w_size * size_factor(s, unit, part);
    sum += c->w_partition * partition_factor(c, part) + c->w_qos * qos_factor(c, j->qos) +
           c->w_assoc * assoc_factor(c, j->assoc);
    sum += tres_sum(s, unit, part);
    return sum < 1 ? 1 : sum > UINT32_MAX ? UINT32_MAX : (double)(uint32_t)sum;
}

void slurm_priority(struct slurm *s, uint32_t unit)
{
    struct slurm_job *j = slurm_job(s, unit);
    for (uint32_t i = 0; i < j->n_parts; i++) {
        double p = s->conf.is_multifactor ? multifactor(s, unit, j->part[i])
                                          : -(double)s->sched.units.at[unit].ordinal - (double)j->nice;
        if (!s->conf.incr_only || p > j->priority[i]) j->priority[i] = p;
    }
}

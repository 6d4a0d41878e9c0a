/*
 * preempt.c -- who may stop whom, and who is stopped: preempt/qos and preempt/partition_prio.
 * Source: plugins/preempt/ and plugins/select/cons_common/job_test.c, _run_now.
 *
 * Candidates are taken away from the least important on, until the job fits; once more with those first
 * whose nodes it would use; the victims are those on the nodes that it then gets.
 */
#include "slurm/state.h"

static bool qos_may(const struct slurm *s, int32_t a, int32_t b)
{
    const struct slurm_conf *c = &s->conf;
    return a != CONFIG_NONE && b != CONFIG_NONE && a != b && config_lists(c->qos[a].preempt, c->qos[b].name);
}

bool slurm_preempts(const struct slurm *s, struct slurm_record a, struct slurm_record b)
{
    const struct slurm_job *ja = slurm_job(s, a.unit), *jb = slurm_job(s, b.unit);
    if (s->conf.preempt_type == PREEMPT_BY_QOS) return qos_may(s, ja->qos, jb->qos);
    const struct slurm_partition *pa = &s->conf.partition[ja->part[a.k]], *pb = &s->conf.partition[jb->part[b.k]];
    return pa->tier > pb->tier && nodeset_share(pa->nodes, pb->nodes, s->conf.n_words, 1);
}

bool slurm_may_preempt(const struct slurm *s, uint32_t unit, uint32_t part, uint32_t victim)
{
    const struct slurm_job *j = slurm_job(s, unit), *v = slurm_job(s, victim);
    if (!s->conf.preempts || s->sched.units.at[victim].started_in == s->sched.round) return false;
    if (s->conf.preempt_type == PREEMPT_BY_QOS)
        return qos_may(s, j->qos, v->qos) && s->conf.qos[v->qos].may_be_preempted;
    if (s->conf.preempt_type != PREEMPT_BY_PARTITION) return false;
    return s->conf.partition[part].tier > s->conf.partition[v->in].tier && s->conf.partition[v->in].may_be_preempted;
}

/* The less, the sooner it is stopped: by QOS or tier, then by nodes. */
static int64_t importance(const struct slurm *s, uint32_t unit)
{
    const struct slurm_job *j = slurm_job(s, unit);
    int64_t rank = s->conf.preempt_type == PREEMPT_BY_PARTITION ? s->conf.partition[j->in].tier
                 : j->qos != CONFIG_NONE ? s->conf.qos[j->qos].priority : 0;
    return ((rank < 0xffff ? rank : 0xffff) << 16) + slurm_class(s, unit)->n_tasks;
}

static bool goes_first(const struct slurm *s, uint32_t a, uint32_t b)
{
    if (s->conf.youngest_first) return slurm_job(s, a)->start_s > slurm_job(s, b)->start_s;
    return importance(s, a) < importance(s, b);
}

static uint32_t nodes_used(const struct slurm *s, uint32_t unit, const uint64_t *nodes)
{
    uint32_t n = 0, t = unit;
    for (uint32_t i = 0; i < s->sched.units.at[unit].n_tasks; i++, t = s->sched.held[t].next)
        n += nodeset_has(nodes, s->sched.held[t].node);
    return n;
}

/* Insertion sort, stable. */
static void sort_victims(struct slurm *s, uint32_t n, const uint64_t *used)
{
    for (uint32_t i = 1; i < n; i++) {
        uint32_t v = s->victim[i], at = i;
        for (; at > 0; at--) {
            uint32_t o = s->victim[at - 1];
            if (used != NULL ? nodes_used(s, v, used) <= nodes_used(s, o, used) : !goes_first(s, v, o)) break;
            s->victim[at] = o;
        }
        s->victim[at] = v;
    }
}

/* Release candidates from the first on until the unit fits; how many that took, 0: it never does.  Undone. */
static uint32_t release_until(struct slurm *s, uint32_t unit, uint32_t part, const uint64_t *nodes, uint32_t n)
{
    struct plan_mark m = plan_mark(&s->sched.plan);
    uint32_t taken = 0;
    for (uint32_t i = 0; i < n && taken == 0; i++) {
        sched_release(&s->sched, s->victim[i]);
        if (slurm_select(s, unit, part, nodes)) taken = i + 1;
    }
    plan_undo(&s->sched.plan, m);
    return taken;
}

bool slurm_preempts_any(const struct slurm *s, uint32_t unit, uint32_t part)
{
    const struct slurm_conf *c = &s->conf;
    if (!c->preempts) return false;
    if (c->preempt_type == PREEMPT_BY_PARTITION)
        for (uint32_t i = 0; i < c->n_partitions; i++)
            if (c->partition[i].tier < c->partition[part].tier && c->partition[i].may_be_preempted) return true;
    const int32_t qos = slurm_job(s, unit)->qos;
    return c->preempt_type == PREEMPT_BY_QOS && qos != CONFIG_NONE && c->qos[qos].preempt != NULL;
}

bool slurm_select_preempting(struct slurm *s, uint32_t unit, uint32_t part, const uint64_t *nodes)
{
    uint32_t n = 0;
    if (!slurm_preempts_any(s, unit, part)) return false;
    for (uint32_t i = 0; i < s->n_running; i++) {
        if (!slurm_may_preempt(s, unit, part, s->running[i]) || nodes_used(s, s->running[i], nodes) == 0) continue;
        POL_PUSH(s->victim, n, s->cap_victim, s->running[i]);
    }
    sort_victims(s, n, NULL);
    uint32_t taken = release_until(s, unit, part, nodes, n);
    if (taken == 0) return false;
    nodeset_copy(s->set[1], s->select.nodes, s->conf.n_words);
    /* The last one taken made the difference: it is first now, then those on most of the nodes. */
    uint32_t last = s->victim[taken - 1];
    memmove(&s->victim[1], &s->victim[0], (taken - 1) * sizeof *s->victim);
    s->victim[0] = last;
    if (taken > 2) {
        s->victim++;
        sort_victims(s, taken - 1, s->set[1]);
        s->victim--;
    }
    uint32_t again = release_until(s, unit, part, nodes, taken);
    if (again == 0) return false;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < again; i++)
        if (nodes_used(s, s->victim[i], s->select.nodes) > 0) s->victim[kept++] = s->victim[i];
    for (uint32_t i = 0; i < kept; i++) sched_release(&s->sched, s->victim[i]);
    s->n_victims = kept;
    return true;
}

/*
 * limits.c -- what keeps a job from running: the limits of its partition, QOS and associations.
 * Source: slurmctld/job_mgr.c, job_limits_check; slurmctld/acct_policy.c.
 *
 * What a job can never satisfy holds it for good; the other limits are compared with what runs.
 * Cost: O(depth of the tree of accounts), and O(running jobs) where a limit is per user or account of a QOS.
 */
#include "slurm/state.h"

static bool tres_above(struct slurm_tres a, struct slurm_tres most)
{
    return (most.cpu >= 0 && a.cpu > most.cpu) || (most.mem >= 0 && a.mem > most.mem) ||
           (most.node >= 0 && a.node > most.node) || (most.gpu >= 0 && a.gpu > most.gpu);
}
static struct slurm_tres tres_sum(struct slurm_tres a, struct slurm_tres b, int sign)
{
    return (struct slurm_tres){ a.cpu + sign * b.cpu, a.mem + sign * b.mem, a.node + sign * b.node,
                                a.gpu + sign * b.gpu };
}
static bool tres_limits(struct slurm_tres t) { return t.cpu >= 0 || t.mem >= 0 || t.node >= 0 || t.gpu >= 0; }

static const struct slurm_assoc *assoc_of(const struct slurm *s, int32_t i)
{
    return i != CONFIG_NONE ? &s->conf.assoc[i] : NULL;
}
static const struct slurm_qos *qos_of(const struct slurm *s, int32_t i)
{
    return i != CONFIG_NONE ? &s->conf.qos[i] : NULL;
}

/* ---- for good ---- */

static const char *held_by_partition(const struct slurm *s, const struct slurm_job *j, const struct slurm_partition *p)
{
    const struct slurm_assoc *a = assoc_of(s, j->assoc);
    const struct slurm_qos *q = qos_of(s, j->qos);
    if (!p->is_up) return "PartitionDown";
    if (j->limit_s >= 0 && p->max_time >= 0 && j->limit_s > p->max_time) return "PartitionTimeLimit";
    if ((p->max_nodes >= 0 && j->tres.node > p->max_nodes) || j->tres.node < p->min_nodes) return "PartitionNodeLimit";
    if (a != NULL && p->allow_accounts != NULL && !config_lists(p->allow_accounts, a->account))
        return "AccountNotAllowed";
    if (a != NULL && p->allow_accounts == NULL && config_lists(p->deny_accounts, a->account))
        return "AccountNotAllowed";
    if (q != NULL && p->allow_qos != NULL && !config_lists(p->allow_qos, q->name)) return "QOSNotAllowed";
    if (q != NULL && p->allow_qos == NULL && config_lists(p->deny_qos, q->name)) return "QOSNotAllowed";
    return NULL;
}

static const char *held_by_qos(const struct slurm_qos *q, struct slurm_tres t, int64_t limit_s)
{
    if (q == NULL) return NULL;
    if (tres_above(t, q->max) || tres_above(t, q->per_user) || tres_above(t, q->per_account) || tres_above(t, q->grp))
        return "QOSMaxTRESPerJob";
    return q->max_wall >= 0 && limit_s > q->max_wall ? "QOSMaxWallDurationPerJobLimit" : NULL;
}

const char *slurm_held(struct slurm *s, uint32_t unit, uint32_t part)
{
    const struct slurm_job *j = slurm_job(s, unit);
    const struct slurm_partition *p = &s->conf.partition[part];
    const char *why = held_by_partition(s, j, p);
    if (why != NULL || !s->conf.enforces_limits) return why;
    const int64_t limit_s = slurm_limit_s(s, unit, part);
    if ((why = held_by_qos(qos_of(s, j->qos), j->tres, limit_s)) != NULL) return why;
    if ((why = held_by_qos(qos_of(s, p->qos), j->tres, limit_s)) != NULL) return why;
    for (const struct slurm_assoc *a = assoc_of(s, j->assoc); a != NULL; a = assoc_of(s, a->parent)) {
        if (tres_above(j->tres, a->max) || tres_above(j->tres, a->grp)) return "AssocMaxTRESPerJob";
        if (a->max_wall >= 0 && limit_s > a->max_wall) return "AssocMaxWallDurationPerJobLimit";
    }
    return NULL;
}

/* ---- for now ---- */

/* Running jobs of a QOS, of a user (POL_NONE: of an account). */
static struct slurm_tres running_of(const struct slurm *s, int32_t qos, bool by_partition, uint32_t user,
                                    const char *account, int64_t *n_jobs)
{
    struct slurm_tres t = { 0, 0, 0, 0 };
    *n_jobs = 0;
    for (uint32_t i = 0; i < s->n_running; i++) {
        const struct slurm_job *r = slurm_job(s, s->running[i]);
        const struct slurm_assoc *a = assoc_of(s, r->assoc);
        if ((by_partition ? s->conf.partition[r->in].qos : r->qos) != qos) continue;
        if (user != POL_NONE ? s->sched.units.at[s->running[i]].user != user
                             : a == NULL || strcmp(a->account, account) != 0)
            continue;
        t = tres_sum(t, r->tres, +1);
        (*n_jobs)++;
    }
    return t;
}

static bool within_qos(const struct slurm *s, uint32_t unit, int32_t qos, bool by_partition)
{
    const struct slurm_job *j = slurm_job(s, unit);
    const struct slurm_qos *q = qos_of(s, qos);
    const struct slurm_assoc *a = assoc_of(s, j->assoc);
    int64_t n;
    if (q == NULL) return true;
    if ((q->grp_jobs >= 0 && q->n_jobs >= q->grp_jobs) || tres_above(tres_sum(q->used, j->tres, +1), q->grp))
        return false;
    if (q->jobs_per_user >= 0 || tres_limits(q->per_user)) {
        struct slurm_tres t = running_of(s, qos, by_partition, s->sched.units.at[unit].user, NULL, &n);
        if ((q->jobs_per_user >= 0 && n >= q->jobs_per_user) || tres_above(tres_sum(t, j->tres, +1), q->per_user))
            return false;
    }
    if (a != NULL && (q->jobs_per_account >= 0 || tres_limits(q->per_account))) {
        struct slurm_tres t = running_of(s, qos, by_partition, POL_NONE, a->account, &n);
        if ((q->jobs_per_account >= 0 && n >= q->jobs_per_account) ||
            tres_above(tres_sum(t, j->tres, +1), q->per_account))
            return false;
    }
    return true;
}

bool slurm_within_limits(const struct slurm *s, uint32_t unit, uint32_t part)
{
    const struct slurm_job *j = slurm_job(s, unit);
    const int32_t own = s->conf.partition[part].qos;
    if (!s->conf.enforces_limits) return true;
    if (!within_qos(s, unit, j->qos, false) || (own != j->qos && !within_qos(s, unit, own, true))) return false;
    for (const struct slurm_assoc *a = assoc_of(s, j->assoc); a != NULL; a = assoc_of(s, a->parent)) {
        if (a->grp_jobs >= 0 && a->n_jobs >= a->grp_jobs) return false;
        if (a->max_jobs >= 0 && a->user != NULL && a->n_jobs >= a->max_jobs) return false;
        if (tres_above(tres_sum(a->used, j->tres, +1), a->grp)) return false;
    }
    return true;
}

static void book_qos(struct slurm *s, int32_t qos, struct slurm_tres t, int sign)
{
    if (qos == CONFIG_NONE) return;
    s->conf.qos[qos].n_jobs += sign;
    s->conf.qos[qos].used = tres_sum(s->conf.qos[qos].used, t, sign);
}

void slurm_limits_book(struct slurm *s, uint32_t unit, int sign)
{
    const struct slurm_job *j = slurm_job(s, unit);
    const int32_t own = s->conf.partition[j->in].qos;
    book_qos(s, j->qos, j->tres, sign);
    if (own != j->qos) book_qos(s, own, j->tres, sign);
    for (int32_t i = j->assoc; i != CONFIG_NONE; i = s->conf.assoc[i].parent) {
        s->conf.assoc[i].n_jobs += sign;
        s->conf.assoc[i].used = tres_sum(s->conf.assoc[i].used, j->tres, sign);
    }
}

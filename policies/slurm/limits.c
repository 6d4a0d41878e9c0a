/*
 * limits.c -- what keeps a job from running: the limits of its partition, QOS and associations.
 * Source: slurmctld/job_mgr.c, job_limits_check; slurmctld/acct_policy.c.
 *
 * What a job can never satisfy holds it for good; the other limits are compared with what runs.  Limits on numbers of
 * jobs are asked before nodes are looked for (acct_policy_job_runnable_pre_select), those on what a job asks for after
 * (..._post_select): backfill counts the job as one that it tested, and sets nothing aside for it.
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

/*
 * A limit that the partition's QOS sets counts and no other, else that of the job's QOS, else that of the
 * association: acct_policy_set_qos_order and the `qos_rec` of acct_policy.c.
 */
static int64_t unless(int64_t first, int64_t then) { return first >= 0 ? CONFIG_NONE : then; }
static struct slurm_tres tres_unless(struct slurm_tres first, struct slurm_tres then)
{
    return (struct slurm_tres){ unless(first.cpu, then.cpu), unless(first.mem, then.mem),
                                unless(first.node, then.node), unless(first.gpu, then.gpu) };
}

struct two_qos { int32_t id[2]; struct slurm_qos q[2]; };        /* what the second limits and the first does not */

static const struct slurm_assoc *assoc_of(const struct slurm *s, int32_t i)
{
    return i != CONFIG_NONE ? &s->conf.assoc[i] : NULL;
}
static const struct slurm_qos *qos_of(const struct slurm *s, int32_t i)
{
    return i != CONFIG_NONE ? &s->conf.qos[i] : NULL;
}

static struct two_qos qos_in_order(const struct slurm *s, const struct slurm_job *j, int32_t of_part)
{
    static const struct slurm_qos unlimited = { .grp_jobs = CONFIG_NONE, .max_wall = CONFIG_NONE,
                                                .jobs_per_user = CONFIG_NONE, .jobs_per_account = CONFIG_NONE,
                                                .grp = { -1, -1, -1, -1 }, .max = { -1, -1, -1, -1 },
                                                .per_user = { -1, -1, -1, -1 }, .per_account = { -1, -1, -1, -1 } };
    struct two_qos t = { .id = { of_part, j->qos != of_part ? j->qos : CONFIG_NONE }, .q = { unlimited, unlimited } };
    for (int i = 0; i < 2; i++)
        if (t.id[i] != CONFIG_NONE) t.q[i] = s->conf.qos[t.id[i]];
    const struct slurm_qos *a = &t.q[0];
    struct slurm_qos *b = &t.q[1];
    b->grp_jobs = unless(a->grp_jobs, b->grp_jobs);
    b->max_wall = unless(a->max_wall, b->max_wall);
    b->jobs_per_user = unless(a->jobs_per_user, b->jobs_per_user);
    b->jobs_per_account = unless(a->jobs_per_account, b->jobs_per_account);
    b->grp = tres_unless(a->grp, b->grp);
    b->max = tres_unless(a->max, b->max);
    b->per_user = tres_unless(a->per_user, b->per_user);
    b->per_account = tres_unless(a->per_account, b->per_account);
    return t;
}
static struct slurm_tres tres_of_assoc(struct slurm_tres a, struct slurm_tres first, struct slurm_tres then)
{
    return tres_unless(first, tres_unless(then, a));
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

static const char above_qos[] = "QOSMaxTRESPerJob", above_assoc[] = "AssocMaxTRESPerJob";

static const char *held_by_qos(const struct slurm_qos *q, struct slurm_tres t, int64_t limit_s)
{
    if (tres_above(t, q->max) || tres_above(t, q->per_user) || tres_above(t, q->per_account) || tres_above(t, q->grp))
        return above_qos;
    return q->max_wall >= 0 && limit_s > q->max_wall ? "QOSMaxWallDurationPerJobLimit" : NULL;
}

const char *slurm_held(struct slurm *s, uint32_t unit, uint32_t part)
{
    const struct slurm_job *j = slurm_job(s, unit);
    const struct slurm_partition *p = &s->conf.partition[part];
    const char *why = held_by_partition(s, j, p);
    if (why != NULL || !s->conf.enforces_limits) return why;
    const int64_t limit_s = slurm_limit_s(s, unit, part);
    const struct two_qos t = qos_in_order(s, j, p->qos);
    const bool has_wall = t.q[0].max_wall >= 0 || t.q[1].max_wall >= 0;
    for (int i = 0; i < 2; i++)
        if ((why = held_by_qos(&t.q[i], j->tres, limit_s)) != NULL) return why;
    for (const struct slurm_assoc *a = assoc_of(s, j->assoc); a != NULL; a = assoc_of(s, a->parent)) {
        if (tres_above(j->tres, tres_of_assoc(a->max, t.q[0].max, t.q[1].max)) ||
            tres_above(j->tres, tres_of_assoc(a->grp, t.q[0].grp, t.q[1].grp)))
            return above_assoc;
        if (!has_wall && a->max_wall >= 0 && limit_s > a->max_wall) return "AssocMaxWallDurationPerJobLimit";
    }
    return NULL;
}

bool slurm_held_by_tres(const char *held) { return held == above_qos || held == above_assoc; }

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

static bool within_qos(const struct slurm *s, uint32_t unit, int32_t qos, const struct slurm_qos *q, bool by_partition,
                       enum slurm_limits what)
{
    const bool jobs = what == LIMITS_JOBS, tres = !jobs;
    const struct slurm_job *j = slurm_job(s, unit);
    const struct slurm_assoc *a = assoc_of(s, j->assoc);
    int64_t n;
    if (qos == CONFIG_NONE) return true;
    if (jobs && q->grp_jobs >= 0 && q->n_jobs >= q->grp_jobs) return false;
    if (tres && (tres_above(j->tres, q->max) || tres_above(tres_sum(q->used, j->tres, +1), q->grp))) return false;
    if (q->jobs_per_user >= 0 || tres_limits(q->per_user)) {
        struct slurm_tres t = running_of(s, qos, by_partition, s->sched.units.at[unit].user, NULL, &n);
        if ((jobs && q->jobs_per_user >= 0 && n >= q->jobs_per_user) ||
            (tres && tres_above(tres_sum(t, j->tres, +1), q->per_user)))
            return false;
    }
    if (a != NULL && (q->jobs_per_account >= 0 || tres_limits(q->per_account))) {
        struct slurm_tres t = running_of(s, qos, by_partition, POL_NONE, a->account, &n);
        if ((jobs && q->jobs_per_account >= 0 && n >= q->jobs_per_account) ||
            (tres && tres_above(tres_sum(t, j->tres, +1), q->per_account)))
            return false;
    }
    return true;
}

bool slurm_within_limits(const struct slurm *s, uint32_t unit, uint32_t part, enum slurm_limits what)
{
    const bool jobs = what == LIMITS_JOBS, tres = !jobs;
    const struct slurm_job *j = slurm_job(s, unit);
    if (!s->conf.enforces_limits) return true;
    if (j->assoc == CONFIG_NONE && j->qos == CONFIG_NONE && s->conf.partition[part].qos == CONFIG_NONE) return true;
    const struct two_qos t = qos_in_order(s, j, s->conf.partition[part].qos);
    const struct slurm_qos *q = t.q;
    for (int i = 0; i < 2; i++)
        if (!within_qos(s, unit, t.id[i], &q[i], i == 0, what)) return false;
    const bool has_grp_jobs = q[0].grp_jobs >= 0 || q[1].grp_jobs >= 0;
    const bool has_jobs = q[0].jobs_per_user >= 0 || q[1].jobs_per_user >= 0 || q[0].jobs_per_account >= 0 ||
                          q[1].jobs_per_account >= 0;
    for (const struct slurm_assoc *a = assoc_of(s, j->assoc); a != NULL; a = assoc_of(s, a->parent)) {
        if (jobs && !has_grp_jobs && a->grp_jobs >= 0 && a->n_jobs >= a->grp_jobs) return false;
        if (jobs && !has_jobs && a->max_jobs >= 0 && a->user != NULL && a->n_jobs >= a->max_jobs) return false;
        if (tres && (tres_above(j->tres, tres_of_assoc(a->max, q[0].max, q[1].max)) ||
                     tres_above(tres_sum(a->used, j->tres, +1), tres_of_assoc(a->grp, q[0].grp, q[1].grp))))
            return false;
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

/*
 * main_loop.c -- the main scheduling loop: jobs in order, each started where it fits; the first of a partition
 * that does not keeps that partition's nodes from all that come after it.
 * Source: slurmctld/job_scheduler.c, _schedule.
 * Cost: O(records x nodes / 64), and a search for nodes for each that a partition's first failure does not pass over.
 */
#include "slurm/state.h"

struct pass {
    struct slurm *s;
    bool full;
    int64_t depth, n_started;
    uint64_t rejected; uint32_t rejected_part;      /* the array whose element did not start, by its ordinal */
};

/* No more of this partition, nor on its nodes. */
static void fail_partition(struct slurm *s, uint32_t part)
{
    if (s->failed[part]) return;
    s->failed[part] = true;
    nodeset_and_not(s->avail, s->conf.partition[part].nodes, s->conf.n_words);
}

/* Is the job too young, or of too little priority, to keep others waiting? */
static bool may_fail_partition(const struct slurm *s, struct slurm_record r)
{
    const struct slurm_job *j = slurm_job(s, r.unit);
    if (s->conf.bf_min_age > 0 && slurm_time_s(s) - j->submit_s < s->conf.bf_min_age) return false;
    return s->conf.bf_min_prio <= 0 || j->priority[r.k] >= (double)s->conf.bf_min_prio;
}

/*
 * Would the job run on the nodes that are left to it, were nothing there?  If not it fails for their want, and not as
 * they are busy, which alone fails its partition; nodes that are being cleared are busy.
 */
static bool is_busy(struct slurm *s, uint32_t unit, uint32_t part)
{
    uint64_t *nodes = s->set[3];
    nodeset_copy(nodes, s->avail, s->conf.n_words);
    nodeset_and(nodes, s->conf.partition[part].nodes, s->conf.n_words);
    slurm_keep_possible(s, unit, nodes);
    return nodeset_share(nodes, s->clearing, s->conf.n_words, 1) ||
           nodeset_holds(nodes, s->conf.n_words, slurm_min_nodes(s, unit));
}

/* A job above its limits: it is passed over, or with assoc_limit_stop keeps its partition waiting. */
static bool pass_over(struct slurm *s, struct slurm_record r)
{
    if (s->conf.limit_stop && may_fail_partition(s, r)) fail_partition(s, slurm_job(s, r.unit)->part[r.k]);
    return true;
}

/* One record.  False: the pass is over. */
static bool try_record(struct pass *p, struct slurm_record r)
{
    struct slurm *s = p->s;
    const struct unit *u = &s->sched.units.at[r.unit];
    const uint32_t part = slurm_job(s, r.unit)->part[r.k];
    if (u->state != UNIT_WAITING || (slurm_job(s, r.unit)->held_in >> r.k & 1) != 0) return true;
    const bool array = slurm_job(s, r.unit)->is_array;
    if (array && p->rejected == u->ordinal && p->rejected_part == part) return true;
    if (s->conf.max_job_start > 0 && p->n_started >= s->conf.max_job_start) return false;
    if (array) {
        p->rejected = u->ordinal;
        p->rejected_part = part;
    }
    if (s->conf.partition_depth > 0 && s->count[part].n++ >= s->conf.partition_depth) return true;
    if (!p->full && p->depth++ > s->conf.queue_depth) return false;
    if (s->failed[part]) return true;
    if (!slurm_within_limits(s, r.unit, part, LIMITS_JOBS)) return pass_over(s, r);
    const bool has_room =
        nodeset_share(s->avail, s->conf.partition[part].nodes, s->conf.n_words, slurm_min_nodes(s, r.unit));
    if (has_room && !slurm_has_licences(s, r.unit)) {
        s->sched.host->hold(s->sched.host->ctx, u->task, false, "Licenses");
        return true;
    }
    /* Who lacks nodes fails its partition whatever its limits. */
    if (has_room && !slurm_within_limits(s, r.unit, part, LIMITS_TRES)) return pass_over(s, r);
    if (has_room) {
        nodeset_copy(s->set[0], s->avail, s->conf.n_words);
        nodeset_and(s->set[0], s->conf.partition[part].nodes, s->conf.n_words);
        const int64_t now = slurm_time_s(s);
        const bool is_reserved = slurm_resv_take(s, r.unit, now, now + slurm_limit_s(s, r.unit, part), s->set[0]);
        nodeset_and_not(s->set[0], s->clearing, s->conf.n_words);
        if (slurm_select(s, r.unit, part, s->set[0]) || slurm_select_preempting(s, r.unit, part, s->set[0])) {
            slurm_start(s, r.unit, part, "main: fits");
            p->n_started++;
            if (array) p->rejected = UINT64_MAX;
            return true;
        }
        if (is_reserved) {      /* it keeps nobody waiting */
            s->sched.host->hold(s->sched.host->ctx, u->task, false, "ReqNodeNotAvail");
            return true;
        }
        if (!is_busy(s, r.unit, part)) return true;
    }
    if (may_fail_partition(s, r)) {
        if (!s->failed[part]) sched_head(&s->sched, r.unit, "Resources");
        fail_partition(s, part);
    }
    return true;
}

void slurm_main_loop(struct slurm *s, bool full)
{
    struct pass p = { .s = s, .full = full, .rejected = UINT64_MAX };
    POL_RESERVE(s->failed, s->cap_failed, s->conf.n_partitions);
    POL_RESERVE(s->count, s->cap_count, s->conf.n_partitions);
    memset(s->failed, 0, s->conf.n_partitions * sizeof *s->failed);
    memset(s->count, 0, s->conf.n_partitions * sizeof *s->count);
    nodeset_copy(s->avail, s->up, s->conf.n_words);
    for (uint32_t i = 0; i < s->n_order; i++)
        if (!try_record(&p, s->order[i])) break;
}

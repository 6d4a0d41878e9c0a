/*
 * order.c -- the queue: a record for each waiting unit and partition, in the order in which both schedulers
 * try them.  Source: slurmctld/job_scheduler.c, sort_job_queue2.
 *
 * The order changes when priorities are worked out anew; what comes in between goes to its place.
 * While a round goes through the queue nothing is taken out of it: records of units that started are
 * known by that, and go at its end.  Cost: O(records) for each that comes or goes, O(n log n) to sort.
 */
#include "slurm/state.h"

static bool before(const struct slurm *s, struct slurm_record a, struct slurm_record b)
{
    const struct slurm_job *ja = slurm_job(s, a.unit), *jb = slurm_job(s, b.unit);
    if (s->conf.preempt_type != PREEMPT_BY_NOBODY) {
        if (slurm_preempts(s, a, b)) return true;
        if (slurm_preempts(s, b, a)) return false;
    }
    const int64_t ta = s->conf.partition[ja->part[a.k]].tier, tb = s->conf.partition[jb->part[b.k]].tier;
    if (ta != tb) return ta > tb;
    if (ja->priority[a.k] != jb->priority[b.k]) return ja->priority[a.k] > jb->priority[b.k];
    if (ja->submit_s != jb->submit_s) return ja->submit_s < jb->submit_s;
    const struct unit *ua = &s->sched.units.at[a.unit], *ub = &s->sched.units.at[b.unit];
    if (ua->ordinal != ub->ordinal) return ua->ordinal < ub->ordinal;
    return ua->index != ub->index ? ua->index < ub->index : a.k < b.k;
}

void slurm_order_add(struct slurm *s, uint32_t unit)
{
    for (uint32_t k = 0; k < slurm_job(s, unit)->n_parts; k++) {
        const struct slurm_record r = { unit, k };
        uint32_t lo = 0, hi = s->n_order;
        while (lo < hi) {
            uint32_t mid = lo + (hi - lo) / 2;
            if (before(s, r, s->order[mid])) hi = mid;
            else lo = mid + 1;
        }
        POL_RESERVE(s->order, s->cap_order, (size_t)s->n_order + 1);
        memmove(&s->order[lo + 1], &s->order[lo], (s->n_order - lo) * sizeof *s->order);
        s->order[lo] = r;
        s->n_order++;
    }
}

void slurm_order_del(struct slurm *s, uint32_t unit)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n_order; i++)
        if (s->order[i].unit != unit) s->order[n++] = s->order[i];
    s->n_order = n;
}

/* A merge sort: where QOS preempt each other in a circle there is no order, and the result is the same everywhere. */
void slurm_order_sort(struct slurm *s)
{
    POL_RESERVE(s->sorted, s->cap_sorted, s->n_order);
    for (uint32_t width = 1; width < s->n_order; width *= 2) {
        for (uint32_t lo = 0; lo < s->n_order; lo += 2 * width) {
            uint32_t mid = lo + width < s->n_order ? lo + width : s->n_order,
                     hi = mid + width < s->n_order ? mid + width : s->n_order;
            for (uint32_t i = lo, j = mid, to = lo; to < hi; to++)
                s->sorted[to] =
                    i < mid && (j >= hi || !before(s, s->order[j], s->order[i])) ? s->order[i++] : s->order[j++];
        }
        memcpy(s->order, s->sorted, s->n_order * sizeof *s->order);
    }
}

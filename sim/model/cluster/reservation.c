#include "model/cluster/reservation.h"

#include "base/mem.h"
#include "model/world_priv.h"

enum { DIMS = 2 + LICENCES_MAX };

static int64_t dim(const struct amount *a, int d) { return d == 0 ? a->cpu_milli : d == 1 ? a->gpu_milli : a->licence[d - 2]; }

static void add(struct amount *a, const struct amount *b, int sign)
{
    a->cpu_milli += sign * b->cpu_milli;
    a->gpu_milli += sign * b->gpu_milli;
    for (int k = 0; k < LICENCES_MAX; k++) a->licence[k] += sign * b->licence[k];
}

static struct amount held_by(const struct world *w, uint32_t task)
{
    const struct hold *h = cluster_hold(w->cluster, task);
    struct amount a = { .cpu_milli = h->cpu_milli };
    for (uint64_t c = h->cards; c != 0; c &= c - 1) a.gpu_milli += h->gpu_milli;
    for (int k = 0; k < LICENCES_MAX; k++) a.licence[k] = h->licence[k];
    return a;
}

static struct amount borrowed_by(const struct world *w, uint32_t task)
{
    struct amount a = held_by(w, task);
    for (int k = 0; k < LICENCES_MAX && !w->jobs.task[task].lender_licences; k++) a.licence[k] = 0;
    return a;
}

static struct amount capacity(const struct world *w)
{
    struct amount a = { .cpu_milli = w->cluster->sum.cpu_total, .gpu_milli = w->cluster->sum.gpu_total };
    for (int k = 0; k < LICENCES_MAX; k++) a.licence[k] = w->cluster->licence_total[k];
    return a;
}

struct reserve *reserve_lender(const struct world *w, uint32_t task)
{
    const struct task *t = &w->jobs.task[task];
    if (t->lender_no == 0) return NULL;
    struct reserve *r = w->jobs.job[t->lender].reserve;
    return r != NULL && r->no == t->lender_no ? r : NULL;
}

void reserve_took(struct world *w, uint32_t task)
{
    struct reserve *r = job_of(w, task)->reserve;
    if (r == NULL) return;
    struct amount a = held_by(w, task);
    add(&r->used, &a, +1);
    add(&w->reserves.used, &a, +1);
}

void reserve_gives(struct world *w, uint32_t task)
{
    struct reserve *own = job_of(w, task)->reserve, *lender = reserve_lender(w, task);
    if (own != NULL) {
        struct amount a = held_by(w, task);
        add(&own->used, &a, -1);
        add(&w->reserves.used, &a, -1);
    }
    if (lender != NULL) {
        struct amount a = borrowed_by(w, task);
        add(&lender->lent, &a, -1);
        add(&w->reserves.lent, &a, -1);
    }
    task_at(w, task)->lender_no = 0;
}

/* Borrowers that still run are ordinary from now on: their lender_no names nothing any more. */
void reserve_end(struct world *w, uint32_t job)
{
    struct job *j = &w->jobs.job[job];
    if (j->reserve == NULL) return;
    add(&w->reserves.reserved, &j->reserve->reserved, -1);
    add(&w->reserves.used, &j->reserve->used, -1);
    add(&w->reserves.lent, &j->reserve->lent, -1);
    mem_free(j->reserve);
    j->reserve = NULL;
}

static struct reserve *begin(struct world *w, uint32_t job)
{
    struct job *j = &w->jobs.job[job];
    MEM_NEW(j->reserve);
    j->reserve->no = ++w->n_reserves;
    for (uint32_t t = j->first_task; t != NONE; t = w->jobs.task[t].next)
        if (w->jobs.task[t].state == TASK_RUNNING) reserve_took(w, t);
    return j->reserve;
}

const char *world_reserve(struct world *w, uint32_t job, const struct stage_entry *s)
{
    if (job >= w->jobs.n_job_slots || !w->jobs.job[job].is_live || w->jobs.job[job].status != JOB_LIVE) return "there is no such job";
    struct job *j = &w->jobs.job[job];
    struct amount zero = { 0 }, all = capacity(w), others = w->reserves.reserved;
    const struct amount *lent = j->reserve ? &j->reserve->lent : &zero;
    bool any = false;
    if (s->stage >= (j->graph ? j->graph->n_levels : 1)) return "the job has no such stage";
    if (j->reserve != NULL) add(&others, &j->reserve->reserved, -1);
    for (int d = 0; d < DIMS; d++) {
        any |= dim(&s->reserved, d) != 0;
        if (dim(&s->need, d) < 0 || dim(&s->need, d) > dim(&s->reserved, d)) return "the stage needs more than is reserved";
        if (dim(&others, d) + dim(&s->reserved, d) > dim(&all, d)) return "more is reserved than the cluster has";
    }
    world_fold(w, FACT_RESIZE, j->ordinal, s->stage, ((uint64_t)s->reserved.cpu_milli ^ (uint64_t)s->reserved.gpu_milli << 32) | UINT64_C(1) << 63);
    if (!any) {
        reserve_end(w, job);
        return NULL;
    }
    for (int d = 0; d < DIMS; d++)
        if (dim(&s->need, d) + dim(lent, d) > dim(&s->reserved, d)) return "what is lent reaches into what the stage needs";
    struct reserve *r = j->reserve != NULL ? j->reserve : begin(w, job);
    add(&w->reserves.reserved, &r->reserved, -1);
    add(&w->reserves.reserved, &s->reserved, +1);
    r->stage = s->stage;
    r->reserved = s->reserved;
    r->need = s->need;
    TELL(w, staged, job, s);
    return NULL;
}

const char *world_lend(struct world *w, uint32_t task, uint32_t job, bool licences)
{
    if (task >= w->jobs.n_task_slots || !w->jobs.task[task].is_live || w->jobs.task[task].state != TASK_RUNNING) return "the task is not running";
    if (job >= w->jobs.n_job_slots || !w->jobs.job[job].is_live || w->jobs.job[job].reserve == NULL) return "nothing is reserved for the lender";
    if (w->jobs.task[task].job == job) return "what is lent never reaches the lender's own tasks";
    if (reserve_lender(w, task) != NULL) return "the task borrows already";
    struct reserve *r = w->jobs.job[job].reserve;
    task_at(w, task)->lender_licences = licences;
    struct amount a = borrowed_by(w, task);
    for (int d = 0; d < DIMS; d++)
        if (dim(&r->need, d) + dim(&r->lent, d) + dim(&a, d) > dim(&r->reserved, d)) return "more is lent than the lender's stage leaves";
    add(&r->lent, &a, +1);
    add(&w->reserves.lent, &a, +1);
    task_at(w, task)->lender = job;
    task_at(w, task)->lender_no = r->no;
    world_fold(w, FACT_RESIZE, order_of(w, task), w->jobs.job[job].ordinal, UINT64_MAX);        /* no amount is that */
    TELL(w, lent, task, job);
    return NULL;
}

void reserve_audit(const struct world *w)
{
    struct reserve_sum sum = { .reserved = { 0 } };
    struct amount all = capacity(w);
    for (uint32_t s = 0; s < w->jobs.n_job_slots; s++) {
        const struct job *j = &w->jobs.job[s];
        if (!j->is_live) continue;
        if (j->reserve != NULL) {
            struct amount used = { 0 }, lent = { 0 };
            for (uint32_t t = j->first_task; t != NONE; t = w->jobs.task[t].next) {
                if (w->jobs.task[t].state != TASK_RUNNING) continue;
                struct amount a = held_by(w, t);
                add(&used, &a, +1);
                SIM_ASSERT(reserve_lender(w, t) != j->reserve);
            }
            for (uint32_t t = 0; t < w->jobs.n_task_slots; t++) {
                if (!w->jobs.task[t].is_live || w->jobs.task[t].state != TASK_RUNNING || reserve_lender(w, t) != j->reserve) continue;
                struct amount a = borrowed_by(w, t);
                add(&lent, &a, +1);
            }
            for (int d = 0; d < DIMS; d++) {
                SIM_ASSERT(dim(&used, d) == dim(&j->reserve->used, d) && dim(&lent, d) == dim(&j->reserve->lent, d));
                SIM_ASSERT(dim(&used, d) <= dim(&j->reserve->need, d));
                SIM_ASSERT(dim(&j->reserve->need, d) + dim(&lent, d) <= dim(&j->reserve->reserved, d));
            }
            add(&sum.reserved, &j->reserve->reserved, +1);
            add(&sum.used, &used, +1);
            add(&sum.lent, &lent, +1);
        }
    }
    for (int d = 0; d < DIMS; d++) {
        SIM_ASSERT(dim(&sum.reserved, d) == dim(&w->reserves.reserved, d) && dim(&sum.reserved, d) <= dim(&all, d));
        SIM_ASSERT(dim(&sum.used, d) == dim(&w->reserves.used, d) && dim(&sum.lent, d) == dim(&w->reserves.lent, d));
    }
}

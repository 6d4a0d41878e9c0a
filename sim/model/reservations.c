/* reservations.c -- the books of reservations.h, in sums that every change keeps current. */
#include "model/reservations.h"

#include "base/mem.h"
#include "model/graph.h"

enum { DIMS = 2 + LICENCES_MAX };

static int64_t dim(const struct reservations_amount *a, int d) { return d == 0 ? a->cpu_milli : d == 1 ? a->gpu_milli : a->licence[d - 2]; }

static void add(struct reservations_amount *a, const struct reservations_amount *b, int sign)
{
    a->cpu_milli += sign * b->cpu_milli;
    a->gpu_milli += sign * b->gpu_milli;
    for (int k = 0; k < LICENCES_MAX; k++) a->licence[k] += sign * b->licence[k];
}

static struct reservations_amount held_by(const struct reservations *r, uint32_t task)
{
    const struct hold *h = cluster_hold(r->cluster, task);
    struct reservations_amount a = { .cpu_milli = h->cpu_milli };
    for (uint64_t c = h->cards; c != 0; c &= c - 1) a.gpu_milli += h->gpu_milli;
    for (int k = 0; k < LICENCES_MAX; k++) a.licence[k] = h->licence[k];
    return a;
}

static struct reservations_amount capacity(const struct reservations *r)
{
    struct reservations_amount a = { .cpu_milli = r->cluster->sum.cpu_total, .gpu_milli = r->cluster->sum.gpu_total };
    for (int k = 0; k < LICENCES_MAX; k++) a.licence[k] = r->cluster->licence_total[k];
    return a;
}

struct reservation *reservations_lender(const struct job_table *jobs, uint32_t task)
{
    const struct reservations_loan *l = jobs->task[task].loan;
    struct reservation *v = l != NULL ? jobs->job[l->job].reservation : NULL;
    return v != NULL && v->no == l->no ? v : NULL;
}

void reservations_allocated(struct reservations *r, uint32_t task)
{
    struct reservation *own = r->jobs->job[r->jobs->task[task].job].reservation;
    struct reservations_amount a = held_by(r, task);
    add(&own->used, &a, +1);
    add(&r->sum.used, &a, +1);
}

void reservations_releasing(struct reservations *r, uint32_t task)
{
    struct task *t = &r->jobs->task[task];
    struct reservation *own = r->jobs->job[t->job].reservation, *lender = reservations_lender(r->jobs, task);
    if (own != NULL) {
        struct reservations_amount a = held_by(r, task);
        add(&own->used, &a, -1);
        add(&r->sum.used, &a, -1);
    }
    if (lender != NULL) {
        add(&lender->lent, &t->loan->amount, -1);
        add(&r->sum.lent, &t->loan->amount, -1);
    }
    mem_free(t->loan);
    t->loan = NULL;
}

/* Borrowers that still run are ordinary from now on: their loan names nothing any more. */
void reservations_end(struct reservations *r, uint32_t job)
{
    struct job *j = &r->jobs->job[job];
    if (j->reservation == NULL) return;
    add(&r->sum.reserved, &j->reservation->reserved, -1);
    add(&r->sum.used, &j->reservation->used, -1);
    add(&r->sum.lent, &j->reservation->lent, -1);
    mem_free(j->reservation);
    j->reservation = NULL;
}

/* What runs of the job already is used from it. */
static struct reservation *begin(struct reservations *r, uint32_t job)
{
    struct job *j = &r->jobs->job[job];
    MEM_NEW(j->reservation);
    j->reservation->no = ++r->n_begun;
    for (uint32_t t = j->first_task; t != NONE; t = r->jobs->task[t].next)
        if (r->jobs->task[t].state == TASK_RUNNING) reservations_allocated(r, t);
    return j->reservation;
}

enum pol_refusal reservations_enter(struct reservations *r, uint32_t job, const struct reservations_stage *s)
{
    struct job *j = &r->jobs->job[job];
    struct reservations_amount zero = { 0 }, all = capacity(r), others = r->sum.reserved;
    const struct reservations_amount *lent = j->reservation ? &j->reservation->lent : &zero;
    bool any = false;
    if (s->stage >= (j->graph ? j->graph->n_levels : 1)) return POL_REFUSAL_NO_STAGE;
    if (j->reservation != NULL) add(&others, &j->reservation->reserved, -1);
    for (int d = 0; d < DIMS; d++) {
        any |= dim(&s->reserved, d) != 0;
        if (dim(&s->need, d) < 0 || dim(&s->need, d) > dim(&s->reserved, d)) return POL_REFUSAL_NEED;
        /* Nodes may have been lost since others reserved: what does not grow is not refused for that. */
        int64_t held = j->reservation != NULL ? dim(&j->reservation->reserved, d) : 0;
        if (dim(&s->reserved, d) > held && dim(&others, d) + dim(&s->reserved, d) > dim(&all, d)) return POL_REFUSAL_OVERBOOKED;
    }
    if (!any) {
        reservations_end(r, job);
        return POL_OK;
    }
    for (int d = 0; d < DIMS; d++)
        if (dim(&s->need, d) + dim(lent, d) > dim(&s->reserved, d)) return POL_REFUSAL_LENT;
    struct reservation *v = j->reservation != NULL ? j->reservation : begin(r, job);
    add(&r->sum.reserved, &v->reserved, -1);
    add(&r->sum.reserved, &s->reserved, +1);
    v->reserved = s->reserved;
    v->need = s->need;
    return POL_OK;
}

enum pol_refusal reservations_lend(struct reservations *r, uint32_t task, uint32_t job,
                                   const struct reservations_amount *part)
{
    struct task *t = &r->jobs->task[task];
    struct reservation *v = r->jobs->job[job].reservation;
    if (v == NULL) return POL_REFUSAL_NO_RESERVATION;
    if (t->job == job) return POL_REFUSAL_OWN_TASK;
    if (reservations_lender(r->jobs, task) != NULL) return POL_REFUSAL_BORROWS;
    const struct reservations_amount held = held_by(r, task), a = part != NULL ? *part : held;
    for (int d = 0; d < DIMS; d++)
        if (dim(&a, d) < 0 || dim(&a, d) > dim(&held, d)) return POL_REFUSAL_LENT_UNHELD;
    for (int d = 0; d < DIMS; d++)
        if (dim(&v->need, d) + dim(&v->lent, d) + dim(&a, d) > dim(&v->reserved, d)) return POL_REFUSAL_LENT_OUT;
    add(&v->lent, &a, +1);
    add(&r->sum.lent, &a, +1);
    mem_free(t->loan);
    MEM_NEW(t->loan);
    *t->loan = (struct reservations_loan){ .job = job, .no = v->no, .amount = a };
    return POL_OK;
}

void reservations_audit(const struct reservations *r)
{
    struct reservations_sum sum = { .reserved = { 0 } };
    struct reservations_amount all = capacity(r);
    for (uint32_t s = 0; s < r->jobs->n_job_slots; s++) {
        const struct job *j = &r->jobs->job[s];
        if (!j->is_live) continue;
        if (j->reservation != NULL) {
            struct reservations_amount used = { 0 }, lent = { 0 };
            for (uint32_t t = j->first_task; t != NONE; t = r->jobs->task[t].next) {
                if (r->jobs->task[t].state != TASK_RUNNING) continue;
                struct reservations_amount a = held_by(r, t);
                add(&used, &a, +1);
                SIM_ASSERT(reservations_lender(r->jobs, t) != j->reservation);
            }
            for (uint32_t t = 0; t < r->jobs->n_task_slots; t++) {
                if (!r->jobs->task[t].is_live || r->jobs->task[t].state != TASK_RUNNING || reservations_lender(r->jobs, t) != j->reservation) continue;
                add(&lent, &r->jobs->task[t].loan->amount, +1);
            }
            for (int d = 0; d < DIMS; d++) {
                SIM_ASSERT(dim(&used, d) == dim(&j->reservation->used, d) && dim(&lent, d) == dim(&j->reservation->lent, d));
                SIM_ASSERT(dim(&used, d) <= dim(&j->reservation->need, d));
                SIM_ASSERT(dim(&j->reservation->need, d) + dim(&lent, d) <= dim(&j->reservation->reserved, d));
            }
            add(&sum.reserved, &j->reservation->reserved, +1);
            add(&sum.used, &used, +1);
            add(&sum.lent, &lent, +1);
        }
    }
    for (int d = 0; d < DIMS; d++) {
        SIM_ASSERT(dim(&sum.reserved, d) == dim(&r->sum.reserved, d) && dim(&sum.reserved, d) <= dim(&all, d));
        SIM_ASSERT(dim(&sum.used, d) == dim(&r->sum.used, d) && dim(&sum.lent, d) == dim(&r->sum.lent, d));
    }
}

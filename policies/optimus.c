/*
 * optimus.c -- GPUs one by one to whom they save most time.  README.md, optimus.
 *
 * Cost of a decision: O(GPUs x jobs + changes x nodes).
 * Source: Peng et al., Optimus, EuroSys 2018, section 4; as the artifact of Pollux (OSDI 2021) runs it, optimus.py.
 */
#include <math.h>
#include "lib/sched/elastic.h"
#include "builtin.h"

/* Of one job in a decision. */
struct gain { double steps, saved; uint32_t next; };       /* left; the gain of its next size for each GPU */

struct optimus { struct elastic e; const struct pol_goodput *goodput; struct gain *gain; size_t cap_gain; };

enum { P_EVERY };
static const struct pol_param params[] = {
    { .name = "every", .type = POL_DURATION, .dflt = "60s", .help = "decide at multiples of this" },
};

/* s of one step on n tasks; of a job that is not known to keep its batch, of what it does in a us at nominal speed. */
static double step_time(const struct optimus *o, const struct elastic_job *j, bool is_fixed, uint32_t n)
{
    if (!is_fixed) return 1 / (double)elastic_speed(&o->e, j, n);
    struct pol_step s = o->goodput->step(o->e.host->ctx, j->job, o->e.gpu_type, n, n * j->gpus > o->e.widest);
    return s.accumulate * s.grad_s + s.step_s;
}

/* How many of these steps are left; where progress is told by epochs, after the present one, and one at least. */
static double steps_left(const struct optimus *o, const struct elastic_job *j, const struct pol_batches *b, uint32_t least)
{
    const struct pol_host *h = o->e.host;
    if (b->fixed == 0) return (double)j->left;
    double step = step_time(o, j, true, least) * (double)elastic_speed(&o->e, j, least);
    if (b->epochs == 0) return (double)j->left / step;
    double all = (double)h->job(h->ctx, j->job)->true_dur_us, done = floor((1 - (double)j->left / all) * b->epochs + 1e-6);
    return done + 1 >= b->epochs ? 1 : all / step * (b->epochs - done - 1) / b->epochs;
}

/* What the next size of job i saves, of as many GPUs as are left. */
static void look_ahead(struct optimus *o, size_t i, int64_t gpus)
{
    const struct elastic_job *j = &o->e.job[i];
    const struct pol_batches b = o->goodput->batches(o->e.host->ctx, j->job);
    struct gain *g = &o->gain[i];
    g->next = elastic_next(&o->e, j, j->want);
    g->saved = 0;
    int64_t more = (int64_t)(g->next - j->want) * j->gpus;
    if (g->next == 0 || more > gpus) return;
    g->saved = (step_time(o, j, b.fixed > 0, j->want) - step_time(o, j, b.fixed > 0, g->next)) * g->steps / (double)more;
}

static int by_size(const void *a, const void *b)
{
    const struct elastic_job *x = *(struct elastic_job *const *)a, *y = *(struct elastic_job *const *)b;
    return x->want != y->want ? (x->want < y->want ? -1 : 1) : (x->ordinal > y->ordinal) - (x->ordinal < y->ordinal);
}

/* First each its least size, in order of arrival; then to the greatest gain, the first of equals. */
static void give(struct optimus *o)
{
    int64_t gpus = o->e.n_gpus;
    size_t n = o->e.n_jobs, best;
    POL_RESERVE(o->gain, o->cap_gain, n);
    for (size_t i = 0; i < n; i++) {
        struct elastic_job *j = &o->e.job[i];
        const struct pol_batches b = o->goodput->batches(o->e.host->ctx, j->job);
        uint32_t least = elastic_next(&o->e, j, 0);
        o->gain[i] = (struct gain){ .steps = steps_left(o, j, &b, least) };
        j->want = (int64_t)least * j->gpus <= gpus ? least : 0;
        gpus -= (int64_t)j->want * j->gpus;
    }
    for (size_t i = 0; i < n; i++)
        if (o->e.job[i].want > 0) look_ahead(o, i, gpus);
    for (;;) {
        best = 0;
        for (size_t i = 1; i < n; i++)
            if (o->gain[i].saved > o->gain[best].saved) best = i;
        if (o->gain[best].saved <= 0) return;
        struct elastic_job *j = &o->e.job[best];
        int64_t more = (int64_t)(o->gain[best].next - j->want) * j->gpus;
        if (more <= gpus) {
            gpus -= more;
            j->want = o->gain[best].next;
        }
        look_ahead(o, best, gpus);
    }
}

/* The largest size below n on which it runs; 0: there is none. */
static uint32_t next_below(const struct elastic *e, const struct elastic_job *j, uint32_t n)
{
    while (n-- > j->min) if (elastic_speed(e, j, n) > 0) return n;
    return 0;
}

/* Who has another size now gets new places, the smallest first. */
static void place(struct optimus *o)
{
    struct elastic *e = &o->e;
    struct plan_mark m = plan_mark(&e->plan);
    struct elastic_job **moving = pol_alloc(e->n_jobs, sizeof(struct elastic_job *));
    size_t n = 0;
    for (size_t i = 0; i < e->n_jobs; i++)
        if (e->job[i].want != e->job[i].has) {
            elastic_release(e, &e->job[i]);
            moving[n++] = &e->job[i];
        }
    qsort(moving, n, sizeof(struct elastic_job *), by_size);
    for (size_t i = 0; i < n; i++)
        while (moving[i]->want > 0 && !elastic_place(e, moving[i])) moving[i]->want = next_below(e, moving[i], moving[i]->want);
    plan_undo(&e->plan, m);
    free(moving);
}

static void decide(void *self, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    struct optimus *o = self;
    if (!elastic_look(&o->e, v, ev, n_ev)) return;
    give(o);
    place(o);
    elastic_apply(&o->e, "its GPUs by the time that each saves");
}

static void destroy(void *self)
{
    struct optimus *o = self;
    elastic_close(&o->e);
    POL_FREE(o->gain, o);
}

static void *create(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *error, size_t cap)
{
    if (value[P_EVERY].i <= 0 && !pol_error(error, cap, "every is above 0")) return NULL;
    struct optimus *o = pol_alloc(1, sizeof *o);
    (void)flags;
    elastic_open(&o->e, host, value[P_EVERY].i);
    o->goodput = pol_extension(host, POL_GOODPUT);
    return o;
}

const struct pol_ops pol_optimus = {
    POL_HEADER, .name = "optimus", .source = "Peng et al., Optimus (EuroSys 2018), section 4; Pollux' artifact (OSDI 2021), optimus.py",
    .summary = "elastic jobs get GPUs one by one, each where it saves most time", .flags = POL_PREEMPTS | POL_CLAIRVOYANT,
    .params = params, .n_params = sizeof params / sizeof *params,
    .create = create, .decide = decide, .destroy = destroy,
};

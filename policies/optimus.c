/*
 * optimus.c -- GPUs one by one to whom they save most time.  README.md, optimus.
 *
 * Cost of a decision: O(GPUs x jobs + changes x nodes).
 * Source: Peng et al., Optimus, EuroSys 2018, section 4; as the artifact of Pollux (OSDI 2021) runs it, optimus.py.
 */
#include <math.h>
#include "lib/elastic/elastic.h"
#include "builtin.h"

/* Of one job in a decision. */
struct gain {
    struct elastic_sized sized;
    struct elastic_room room;
    size_t   type;                      /* of e.types: where it has GPUs, or shall */
    double   steps, saved;              /* left; the gain of its next size for each GPU */
    uint32_t next;
};

struct optimus { struct elastic e; const struct pol_goodput *goodput; struct gain *gain; size_t cap_gain; };

enum { P_EVERY };
static const struct pol_param params[] = {
    { .name = "every", .type = POL_DURATION, .dflt = "60s", .help = "decide at multiples of this" },
};

/* s of one step on n tasks; of a job that is not known to keep its batch, of what it does in a us at nominal speed. */
static double step_time(const struct optimus *o, const struct gain *g, bool is_fixed, uint32_t n)
{
    if (!is_fixed) return 1 / (double)elastic_speed_in(&g->sized, &g->room, n);
    struct pol_step s = o->goodput->step(o->e.host->ctx, g->sized.job, g->room.gpu_type, n, n > g->room.near);
    return s.accumulate * s.grad_s + s.step_s;
}

/*
 * How many steps the job says are left: whole ones on as many tasks as it asked, one at least.  Over the type's speed,
 * of which step_time knows nothing: on a type half as fast each saves twice as much.
 */
static double steps_left(const struct optimus *o, const struct elastic_job *j, const struct gain *g)
{
    const struct pol_host *h = o->e.host;
    const struct pol_batches b = o->goodput->batches(h->ctx, j->job);
    if (b.fixed == 0) return (double)j->left;
    const uint32_t asked = o->e.ext->sizes(h->ctx, j->job).asked;
    const int64_t speed = o->e.ext->speed(h->ctx, j->job, g->room.gpu_type, asked, asked > g->room.near);
    double all_s = (double)h->job(h->ctx, j->job)->true_dur_us / 1e6;
    return fmax(1, round(b.left * all_s / step_time(o, g, true, asked))) / ((double)speed / 1e6);
}

/* What the next size of job i saves, of as many GPUs as its type has left. */
static void look_ahead(struct optimus *o, size_t i)
{
    const struct elastic_job *j = &o->e.job[i];
    const struct pol_batches b = o->goodput->batches(o->e.host->ctx, j->job);
    struct gain *g = &o->gain[i];
    g->next = elastic_size_above(&g->sized, &g->room, j->want);
    g->saved = 0;
    int64_t more = (int64_t)(g->next - j->want) * j->gpus;
    if (g->next == 0 || more > o->e.types.at[g->type].gpus) return;
    double now = step_time(o, g, b.fixed > 0, j->want), then = step_time(o, g, b.fixed > 0, g->next);
    g->saved = (now - then) * g->steps / (double)more;
}

/*
 * Its least size, on the type where it runs if that has GPUs left for it, else where it is fastest; ties: the widest.
 * 0: on none.
 */
static uint32_t choose_type(struct optimus *o, const struct elastic_job *j, struct gain *g)
{
    const struct plan *p = &o->e.plan;
    uint32_t least = 0;
    int64_t fastest = 0;
    for (size_t t = 0; t < o->e.types.n; t++) {
        const struct elastic_room r = elastic_room(p, &p->shape[j->shape], o->e.types.at[t].gpu_type);
        uint32_t n = elastic_size_above(&g->sized, &r, 0);
        if (n == 0 || (int64_t)n * j->gpus > o->e.types.at[t].gpus) continue;
        int64_t speed = r.gpu_type == j->gpu_type ? INT64_MAX : elastic_speed_in(&g->sized, &r, n);
        if (speed <= fastest) continue;
        fastest = speed;
        least = n;
        g->room = r;
        g->type = t;
    }
    return least;
}

/* First each its least size, in order of arrival; then to the greatest gain, the first of equals. */
static void give(struct optimus *o)
{
    struct elastic *e = &o->e;
    size_t n = e->n_jobs, best;
    struct plan_mark m = plan_mark(&e->plan);
    POL_RESERVE(o->gain, o->cap_gain, n);
    for (size_t i = 0; i < n; i++) elastic_release(e, &e->job[i]);
    elastic_types_list(&e->types, &e->plan);
    for (size_t i = 0; i < n; i++) {
        struct elastic_job *j = &e->job[i];
        o->gain[i] = (struct gain){ .sized = elastic_sized(e, j) };
        j->want = choose_type(o, j, &o->gain[i]);
        if (j->want == 0) continue;
        o->gain[i].steps = steps_left(o, j, &o->gain[i]);
        e->types.at[o->gain[i].type].gpus -= (int64_t)j->want * j->gpus;
    }
    plan_undo(&e->plan, m);
    for (size_t i = 0; i < n; i++)
        if (e->job[i].want > 0) look_ahead(o, i);
    for (;;) {
        best = 0;
        for (size_t i = 1; i < n; i++)
            if (o->gain[i].saved > o->gain[best].saved) best = i;
        if (o->gain[best].saved <= 0) return;
        struct elastic_job *j = &e->job[best];
        int64_t more = (int64_t)(o->gain[best].next - j->want) * j->gpus, *left = &e->types.at[o->gain[best].type].gpus;
        if (more <= *left) {
            *left -= more;
            j->want = o->gain[best].next;
        }
        look_ahead(o, best);
    }
}

struct moving { struct elastic_job *job; const struct gain *gain; };

static int by_size(const void *a, const void *b)
{
    const struct elastic_job *x = ((const struct moving *)a)->job, *y = ((const struct moving *)b)->job;
    return x->want != y->want ? (x->want < y->want ? -1 : 1) : (x->ordinal > y->ordinal) - (x->ordinal < y->ordinal);
}

/* Who has another size now, or another type, gets new places, the smallest first. */
static void place(struct optimus *o)
{
    struct elastic *e = &o->e;
    struct plan_mark m = plan_mark(&e->plan);
    struct moving *moving = pol_alloc(e->n_jobs, sizeof *moving);
    size_t n = 0;
    for (size_t i = 0; i < e->n_jobs; i++) {
        struct elastic_job *j = &e->job[i];
        if (j->want == j->has && (j->want == 0 || o->gain[i].room.gpu_type == j->gpu_type)) continue;
        elastic_release(e, j);
        moving[n++] = (struct moving){ j, &o->gain[i] };
    }
    qsort(moving, n, sizeof *moving, by_size);
    for (size_t i = 0; i < n; i++) {
        struct elastic_job *j = moving[i].job;
        const struct gain *g = moving[i].gain;
        while (j->want > 0 && !(j->want == j->has && g->room.gpu_type == j->gpu_type && elastic_stay(e, j)) &&
               !elastic_place(e, j, g->room.gpu_type))
            j->want = elastic_size_below(&g->sized, &g->room, j->want);
    }
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

#include "metrics/usage.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

void usage_init(struct usage *u, const struct world *w)
{
    u->now = world_cluster(w)->sum;
    u->since = world_now(w);
}

void usage_fini(struct usage *u)
{
    mem_free(u->user);
    memset(u, 0, sizeof *u);
}

/* Fold the cluster's integrals.  Only the first change of an instant finds time to fold. */
static void advance(struct usage *u, sim_tick now)
{
    usage_wide dt = now - u->since;
    if (dt == 0) return;
    u->cpu_used += u->now.cpu_used * dt;
    u->cpu_cap += u->now.cpu_total * dt;
    u->mem_used += u->now.mem_used * dt;
    u->mem_cap += u->now.mem_total * dt;
    u->gpu_used += u->now.gpu_used * dt;
    u->gpu_cap += u->now.gpu_total * dt;
    u->gpu_busy += u->busy * dt;
    u->card_used += u->now.card_used * dt;
    u->jobs += u->n_jobs * dt;
    u->active += (int64_t)u->n_active * (now - u->since);
    u->since = now;
}

static void fold_user(struct usage_user *x, sim_tick now)
{
    sim_tick dt = now - x->since;
    x->share_us += x->share * (double)dt;
    x->gpu_us += (usage_wide)x->gpu * dt;
    x->cpu_us += (usage_wide)x->cpu * dt;
    x->since = now;
}

static void set_share(struct usage_user *x, const struct cluster_sum *s)
{
    double a = s->cpu_total > 0 ? (double)x->cpu / (double)s->cpu_total : 0;
    double b = s->mem_total > 0 ? (double)x->mem / (double)s->mem_total : 0;
    double c = s->gpu_total > 0 ? (double)x->gpu / (double)s->gpu_total : 0;
    x->share = fmax(a, fmax(b, c)) / x->weight;
}

static struct usage_user *user_of(struct usage *u, const struct job *j) { return &u->user[j->user]; }

void usage_enter(struct usage *u, const struct world *w, uint32_t job)
{
    uint32_t id = world_job(w, job)->user;
    advance(u, world_now(w));
    MEM_RESERVE(u->user, u->cap_users, (size_t)id + 1);
    for (; u->n_users <= id; u->n_users++) {
        const char *name = intern_name(world_users(w), (uint32_t)u->n_users);
        u->user[u->n_users] = (struct usage_user){
            .weight = u->weight_of != NULL ? u->weight_of(u->weight_ctx, name) : 1, .since = world_now(w) };
    }
    u->n_jobs++;
    struct usage_user *x = &u->user[id];
    if (x->n_live++ > 0) return;
    x->active_since = world_now(w);
    u->n_active++;
}

void usage_leave(struct usage *u, const struct world *w, uint32_t job)
{
    struct usage_user *x = user_of(u, world_job(w, job));
    advance(u, world_now(w));
    u->n_jobs--;
    if (--x->n_live > 0) return;
    x->active_us += world_now(w) - x->active_since;
    u->n_active--;
}

static void change(struct usage *u, const struct world *w, uint32_t task, int sign)
{
    const struct cluster *c = world_cluster(w);
    const struct hold *h = cluster_hold(c, task);
    sim_tick now = world_now(w);
    struct usage_user *x = user_of(u, world_job_of(w, task));
    int n_cards = 0;
    for (uint64_t k = h->cards; k != 0; k &= k - 1) n_cards++;
    advance(u, now);
    fold_user(x, now);
    x->cpu += sign * h->cpu_milli;
    x->mem += sign * h->mem_b;
    x->gpu += sign * (int64_t)h->gpu_milli * n_cards;
    set_share(x, &c->sum);
}

void usage_resize(struct usage *u, const struct world *w, uint32_t task, int64_t was)
{
    struct usage_user *x = user_of(u, world_job_of(w, task));
    advance(u, world_now(w));
    fold_user(x, world_now(w));
    x->cpu += cluster_hold(world_cluster(w), task)->cpu_milli - was;
    set_share(x, &world_cluster(w)->sum);
}

void usage_take(struct usage *u, const struct world *w, uint32_t task) { change(u, w, task, 1); }
void usage_give(struct usage *u, const struct world *w, uint32_t task) { change(u, w, task, -1); }

void usage_capacity(struct usage *u, const struct world *w)
{
    advance(u, world_now(w));
    for (size_t i = 0; i < u->n_users; i++) {
        fold_user(&u->user[i], world_now(w));
        set_share(&u->user[i], &world_cluster(w)->sum);
    }
}

void usage_instant(struct usage *u, const struct world *w)
{
    advance(u, world_now(w));
    u->now = world_cluster(w)->sum;
    u->busy = world_busy(w);
}

void usage_fold(struct usage *u, const struct world *w)
{
    sim_tick now = world_now(w);
    advance(u, now);
    for (size_t i = 0; i < u->n_users; i++) {
        struct usage_user *x = &u->user[i];
        fold_user(x, now);
        if (x->n_live == 0) continue;
        x->active_us += now - x->active_since;
        x->active_since = now;
    }
}

double usage_share(const struct usage_user *x)
{
    return x->active_us > 0 ? x->share_us / (double)x->active_us : NAN;
}

/*
 * usage.c -- the collector of who used how much for how long: exact integrals
 * over time, for the cluster and for each user.
 *
 * The cluster's state is constant between instants, so an integral is folded
 * with the state that the last instant left; a user's, when what it holds
 * changes, and the capacity when nodes fail or return.  Cores and GPUs in use are
 * the sums of what users hold.  O(1) a change, O(users) when a node fails or
 * returns.  Shares are of the capacity that is up at the time.
 */
#include "metrics/collector.h"

#include "base/mem.h"
#include "base/stats.h"

static const struct collector_metric metric[] = {
    { "gpu_util", "1", COLLECTOR_ONE }, { "gpu_active", "1", COLLECTOR_ONE }, { "cpu_util", "1", COLLECTOR_ONE },
    { "mem_util", "1", COLLECTOR_ONE }, { "card_occupancy", "1", COLLECTOR_ONE },
    { "gpu_hours", "h", COLLECTOR_ONE }, { "cpu_hours", "h", COLLECTOR_ONE },
    { "dominant_share", "1", COLLECTOR_ONE }, { "weight", "1", COLLECTOR_ONE }, { "jain", "1", COLLECTOR_ONE },
    { "gpu_util", "1", COLLECTOR_SERIES }, { "gpu_active", "1", COLLECTOR_SERIES }, { "cpu_util", "1", COLLECTOR_SERIES },
    { "mem_util", "1", COLLECTOR_SERIES }, { "card_occupancy", "1", COLLECTOR_SERIES }, { "users_active", "1", COLLECTOR_SERIES },
    { NULL, NULL, COLLECTOR_ONE },
};

struct by_user {
    int64_t  cpu, mem, gpu;                 /* held now */
    double   weight;                        /* fair-share weight, > 0 */
    double   share_us;                      /* integral of the weighted dominant share */
    sim_tick since;                         /* share_us is folded up to here */
    sim_tick active_since, active_us;       /* time with a job in the system; the present one began then */
    bool     is_active;                     /* has a job in the system */
    sim_wide gpu_us, cpu_us;          /* thousandths x us held */
};

struct usage {
    const struct collector_out *out;
    struct by_user *user; size_t n_users, cap_users;
    int64_t  mem, cards, busy;              /* in use, and world_busy, as the last instant left them */
    sim_tick since;
    sim_wide mem_used, card_used, gpu_busy;
    struct cluster_sum up;                  /* totals: of the nodes that are up */
    double   cpu_up, mem_up, gpu_up;        /* the same, to divide by: of what there is none, there is no end */
    sim_tick up_since;
    sim_wide cpu_cap, mem_cap, gpu_cap;
    bool     has_profiles;                  /* else no GPU's business is known */
    uint32_t n_active;                      /* users with a job in the system */
};

static double divisor(int64_t total) { return total > 0 ? (double)total : INFINITY; }

/* From now on so much is up. */
static void take_capacity(struct usage *u, const struct world *w)
{
    u->up = world_cluster(w)->sum;
    u->cpu_up = divisor(u->up.cpu_total);
    u->mem_up = divisor(u->up.mem_total);
    u->gpu_up = divisor(u->up.gpu_total);
    u->up_since = world_now(w);
}

static bool init(void *self, const struct world *w)
{
    struct usage *u = self;
    take_capacity(u, w);
    u->has_profiles = world_config(w)->profiles != NULL;
    u->mem = u->up.mem_used;
    u->cards = u->up.card_used;
    u->since = world_now(w);
    return true;
}

static void fini(void *self)
{
    struct usage *u = self;
    mem_free(u->user);
}

/* ---- while things happen ---- */

/* Fold the cluster's integrals: once an instant, before its state is taken over. */
static void fold_cluster(struct usage *u, sim_tick now)
{
    sim_wide dt = now - u->since;
    u->mem_used += u->mem * dt;
    u->card_used += u->cards * dt;
    if (u->has_profiles) u->gpu_busy += u->busy * dt;
    u->since = now;
}

static void fold_capacity(struct usage *u, sim_tick now)
{
    sim_wide dt = now - u->up_since;
    u->cpu_cap += u->up.cpu_total * dt;
    u->mem_cap += u->up.mem_total * dt;
    u->gpu_cap += u->up.gpu_total * dt;
    u->up_since = now;
}

/* Of all that is up. */
static double share_of(const struct by_user *x, const struct usage *u)
{
    const double a = (double)x->cpu / u->cpu_up, b = (double)x->mem / u->mem_up, c = (double)x->gpu / u->gpu_up;
    const double most = b > c ? b : c;
    return (a > most ? a : most) / x->weight;
}

static void fold_user(const struct usage *u, struct by_user *x, sim_tick now)
{
    const sim_tick dt = now - x->since;
    if (dt == 0) return;
    x->share_us += share_of(x, u) * (double)dt;
    x->gpu_us += (sim_wide)x->gpu * dt;
    x->cpu_us += (sim_wide)x->cpu * dt;
    x->since = now;
}

static struct by_user *user_of(struct usage *u, const struct job *j) { return &u->user[j->user]; }

/* All up to this one. */
static void add_users(struct usage *u, const struct world *w, uint32_t id)
{
    const struct metrics_opts *o = u->out->opts;
    MEM_RESERVE(u->user, u->cap_users, (size_t)id + 1);
    for (; u->n_users <= id; u->n_users++) {
        const char *name = intern_name(world_users(w), (uint32_t)u->n_users);
        u->user[u->n_users] = (struct by_user){
            .weight = o->weight_of != NULL ? o->weight_of(o->weight_ctx, name) : 1, .since = world_now(w) };
    }
}

static void on_user_changed(void *self, const struct world *w, uint32_t id, bool is_active)
{
    struct usage *u = self;
    if (u->n_users <= id) add_users(u, w, id);
    struct by_user *x = &u->user[id];
    x->is_active = is_active;
    if (is_active) x->active_since = world_now(w);
    else x->active_us += world_now(w) - x->active_since;
    u->n_active += is_active ? 1 : -1U;
}

static inline void change(struct usage *u, const struct world *w, uint32_t task, int sign)
{
    const struct hold *h = &world_cluster(w)->hold[task];
    struct by_user *x = user_of(u, world_job(w, world_task(w, task)->job));
    fold_user(u, x, world_now(w));
    x->cpu += sign * h->cpu_milli;
    x->mem += sign * h->mem_b;
    x->gpu += sign * (int64_t)h->gpu_milli * h->n_cards;
}

static void on_resized(void *self, const struct world *w, uint32_t task, int64_t was, int64_t mem_was)
{
    struct usage *u = self;
    struct by_user *x = user_of(u, world_job_of(w, task));
    fold_user(u, x, world_now(w));
    x->cpu += cluster_hold(world_cluster(w), task)->cpu_milli - was;
    x->mem += cluster_hold(world_cluster(w), task)->mem_b - mem_was;
}

static void on_started(void *self, const struct world *w, uint32_t task) { change(self, w, task, 1); }

static void on_stopped(void *self, const struct world *w, uint32_t task, enum stop_reason reason)
{
    (void)reason;
    change(self, w, task, -1);
}

static void on_node_changed(void *self, const struct world *w, uint32_t node)
{
    struct usage *u = self;
    (void)node;
    for (size_t i = 0; i < u->n_users; i++) fold_user(u, &u->user[i], world_now(w));
    fold_capacity(u, world_now(w));
    take_capacity(u, w);
}

static void on_instant(void *self, const struct world *w)
{
    struct usage *u = self;
    const struct cluster_sum *s = &world_cluster(w)->sum;
    fold_cluster(u, world_now(w));
    u->mem = s->mem_used;
    u->cards = s->card_used;
    if (u->has_profiles) u->busy = world_busy(w);
}

static void on_sample(void *self, const struct world *w)
{
    const struct usage *u = self;
    const struct cluster_sum *s = &world_cluster(w)->sum;
    sim_tick at = world_now(w);
    collector_put_series(u->out, at, "gpu_util", collector_ratio((double)s->gpu_used, (double)s->gpu_total));
    if (u->has_profiles)
        collector_put_series(u->out, at, "gpu_active", collector_ratio((double)world_busy(w) / RATE_ONE, (double)s->gpu_total));
    collector_put_series(u->out, at, "cpu_util", collector_ratio((double)s->cpu_used, (double)s->cpu_total));
    collector_put_series(u->out, at, "mem_util", collector_ratio((double)s->mem_used, (double)s->mem_total));
    collector_put_series(u->out, at, "card_occupancy", collector_ratio((double)s->card_used * GPU_WHOLE, (double)s->gpu_total));
    collector_put_series(u->out, at, "users_active", u->n_active);
}

/* ---- when the run is over ---- */

/* Fold everything up to now. */
static void fold(struct usage *u, sim_tick now)
{
    fold_cluster(u, now);
    fold_capacity(u, now);
    for (size_t i = 0; i < u->n_users; i++) {
        struct by_user *x = &u->user[i];
        fold_user(u, x, now);
        if (!x->is_active) continue;
        x->active_us += now - x->active_since;
        x->active_since = now;
    }
}

static void put_users(const struct usage *u, const struct world *w)
{
    double *share;
    size_t n_shares = 0;
    MEM_ARRAY(share, u->n_users);
    for (uint32_t i = 0; i < u->n_users; i++) {
        const struct by_user *x = &u->user[i];
        char *scope = collector_scope("user", intern_name(world_users(w), i));
        collector_put(u->out, "gpu_hours", scope, collector_hours(x->gpu_us));
        collector_put(u->out, "cpu_hours", scope, collector_hours(x->cpu_us));
        double s = x->active_us > 0 ? x->share_us / (double)x->active_us : NAN;
        collector_put(u->out, "dominant_share", scope, s);
        if (x->weight != 1) collector_put(u->out, "weight", scope, x->weight);
        if (!isnan(s)) share[n_shares++] = s;
        mem_free(scope);
    }
    collector_put(u->out, "jain", "all", stats_jain(share, n_shares));
    mem_free(share);
}

static void emit(void *self, const struct world *w)
{
    struct usage *u = self;
    sim_wide cpu_used = 0, gpu_used = 0;
    fold(u, world_now(w));
    for (size_t i = 0; i < u->n_users; i++) {
        cpu_used += u->user[i].cpu_us;
        gpu_used += u->user[i].gpu_us;
    }
    put_users(u, w);
    collector_put(u->out, "gpu_util", "all", collector_ratio((double)gpu_used, (double)u->gpu_cap));
    if (u->has_profiles)
        collector_put(u->out, "gpu_active", "all", collector_ratio((double)u->gpu_busy / RATE_ONE, (double)u->gpu_cap));
    collector_put(u->out, "cpu_util", "all", collector_ratio((double)cpu_used, (double)u->cpu_cap));
    collector_put(u->out, "mem_util", "all", collector_ratio((double)u->mem_used, (double)u->mem_cap));
    collector_put(u->out, "card_occupancy", "all", collector_ratio((double)(u->card_used * GPU_WHOLE), (double)u->gpu_cap));
    collector_put(u->out, "gpu_hours", "all", collector_hours(gpu_used));
    collector_put(u->out, "cpu_hours", "all", collector_hours(cpu_used));
}

const struct collector usage_collector = {
    .metric = metric, .size = sizeof(struct usage), .init = init, .emit = emit, .fini = fini,
    .observer = { .user_changed = on_user_changed, .started = on_started, .resized = on_resized,
                  .stopped = on_stopped, .node_changed = on_node_changed, .instant = on_instant, .sample = on_sample },
};

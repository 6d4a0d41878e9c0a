/*
 * lending.c -- the collector of reservations, what was lent of them, and licences:
 * exact sums; a row for each resource reserved when a workflow enters a stage; and
 * as series, where they are asked for, what is reserved, used and lent after each change.
 *
 * Cost: O(types of licences) an instant.
 */
#include "metrics/collector.h"

#include <string.h>

#include "base/mem.h"

static const struct collector_metric metric[] = {
    { "reserved_cpu_hours", "h", COLLECTOR_ONE }, { "reserved_gpu_hours", "h", COLLECTOR_ONE },
    { "reserved_used_cpu_hours", "h", COLLECTOR_ONE }, { "reserved_used_gpu_hours", "h", COLLECTOR_ONE },
    { "lent_cpu_hours", "h", COLLECTOR_ONE }, { "lent_gpu_hours", "h", COLLECTOR_ONE },
    { "reclaimed_cpu_hours", "h", COLLECTOR_ONE }, { "reclaimed_gpu_hours", "h", COLLECTOR_ONE },
    { "reclaims", "1", COLLECTOR_ONE },
    { "licence_util", "1", COLLECTOR_ONE },
    { "reserved_licence_hours", "h", COLLECTOR_ONE }, { "lent_licence_hours", "h", COLLECTOR_ONE },
    { "reserved_R", "1", COLLECTOR_SERIES }, { "reserved_used_R", "1", COLLECTOR_SERIES }, { "lent_R", "1", COLLECTOR_SERIES },
    { NULL, NULL, COLLECTOR_ONE },
};

enum { RESOURCES = 2 + LICENCES_MAX };          /* CPU and GPU in thousandths, then licences */

struct lending {
    const struct collector_out *out;
    struct reservations_amount reserved, used, lent, licensed;  /* as the last instant left it; licensed: in use */
    bool     has_begun;                         /* some job entered a stage, or there are licences: before, nothing is held */
    bool     has_any;                           /* one of the first three is not 0 */
    sim_tick since;
    sim_wide reserved_us[RESOURCES], used_us[RESOURCES], lent_us[RESOURCES];
    sim_wide reclaimed_us[RESOURCES];     /* borrowed in attempts that ended in a reclaim */
    sim_wide licence_us[LICENCES_MAX];
    uint64_t n_reclaims;
};

static int64_t amount_of(const struct reservations_amount *a, int r) { return r == 0 ? a->cpu_milli : r == 1 ? a->gpu_milli : a->licence[r - 2]; }

/* In cores, cards or licences. */
static double in_units(const struct reservations_amount *a, int r) { return r < 2 ? (double)amount_of(a, r) / 1000 : (double)amount_of(a, r); }

/* "cpu", "gpu", or the licence's name. */
static const char *name_of(const struct world *w, int r)
{
    return r == 0 ? "cpu" : r == 1 ? "gpu" : intern_name(&world_cluster(w)->licences, (uint32_t)r - 2);
}

static bool init(void *self, const struct world *w)
{
    ((struct lending *)self)->has_begun = world_cluster(w)->licences.n > 0;
    return true;
}

static void on_returning(void *self, const struct world *w, uint32_t task, enum stop_reason reason)
{
    struct lending *l = self;
    if (reason != STOP_PREEMPTED || !world_borrows(w, task)) return;
    const struct task *t = world_task(w, task);
    sim_tick ran = world_now(w) - t->started_at;
    l->n_reclaims++;
    for (int r = 0; r < RESOURCES; r++) l->reclaimed_us[r] += (sim_wide)amount_of(&t->loan->amount, r) * ran;
}

static void on_staged(void *self, const struct world *w, uint32_t job, const struct reservations_stage *s)
{
    struct lending *l = self;
    const struct metrics_opts *o = l->out->opts;
    l->has_begun = true;
    for (int r = 0; r < RESOURCES; r++) {
        if (amount_of(&s->reserved, r) == 0 || !collector_writes_jobs(l->out)) continue;
        (void)store_stage(o->store, o->run, &(struct store_stage){
            .resource = name_of(w, r), .ordinal = world_job(w, job)->ordinal, .stage = s->stage + 1, .at_us = world_now(w),
            .reserved = in_units(&s->reserved, r), .need = in_units(&s->need, r), .lendable = in_units(&s->lendable, r),
            .usable = in_units(&s->usable, r), .reclaimed = in_units(&s->reclaimed, r) }, l->out->error);
    }
}

static bool are_same(const struct reservations_amount *a, const struct reservations_amount *b) { return memcmp(a, b, sizeof *a) == 0; }

/* Fold up to now, and take the state as it is from here on; true if what is reserved, used or lent changed. */
static bool fold(struct lending *l, const struct world *w)
{
    static const struct reservations_amount none;
    const struct cluster *c = world_cluster(w);
    const struct reservations_sum *s = world_reserved(w);
    sim_wide dt = world_now(w) - l->since;
    for (int r = 0; r < RESOURCES && l->has_any && dt > 0; r++) {
        l->reserved_us[r] += amount_of(&l->reserved, r) * dt;
        l->used_us[r] += amount_of(&l->used, r) * dt;
        l->lent_us[r] += amount_of(&l->lent, r) * dt;
    }
    for (uint32_t k = 0; k < c->licences.n; k++) {
        l->licence_us[k] += l->licensed.licence[k] * dt;
        l->licensed.licence[k] = c->licence_total[k] - c->licence_free[k];
    }
    l->since = world_now(w);
    if (are_same(&l->reserved, &s->reserved) && are_same(&l->used, &s->used) && are_same(&l->lent, &s->lent)) return false;
    l->reserved = s->reserved;
    l->used = s->used;
    l->lent = s->lent;
    l->has_any = !are_same(&l->reserved, &none) || !are_same(&l->used, &none) || !are_same(&l->lent, &none);
    return true;
}

static void on_instant(void *self, const struct world *w)
{
    struct lending *l = self;
    if (!l->has_begun) return;
    if (!fold(l, w) || !l->out->opts->write_lending) return;
    const struct { const char *name; const struct reservations_amount *a; } sum[] = {
        { "reserved", &l->reserved }, { "reserved_used", &l->used }, { "lent", &l->lent } };
    for (int r = 0; r < 2 + (int)world_cluster(w)->licences.n; r++)
        for (size_t i = 0; i < ARRAY_LEN(sum); i++) {
            char name[160];
            (void)snprintf(name, sizeof name, "%s_%s", sum[i].name, name_of(w, r));
            collector_put_series(l->out, world_now(w), name, in_units(sum[i].a, r));
        }
}

/* But for the licences' use, nothing where nothing was reserved. */
static void emit(void *self, const struct world *w)
{
    struct lending *l = self;
    const struct cluster *c = world_cluster(w);
    (void)fold(l, w);
    bool any = false;
    for (int r = 0; r < RESOURCES; r++) any |= l->reserved_us[r] > 0;
    for (int r = 0; r < 2 && any; r++) {
        const struct { const char *name; sim_wide x; } sum[] = {
            { "reserved", l->reserved_us[r] }, { "reserved_used", l->used_us[r] }, { "lent", l->lent_us[r] },
            { "reclaimed", l->reclaimed_us[r] } };
        for (size_t i = 0; i < ARRAY_LEN(sum); i++) {
            char name[64];
            (void)snprintf(name, sizeof name, "%s_%s_hours", sum[i].name, name_of(w, r));
            collector_put(l->out, name, "all", collector_hours(sum[i].x));
        }
    }
    if (any) collector_put(l->out, "reclaims", "all", (double)l->n_reclaims);
    for (uint32_t k = 0; k < c->licences.n; k++) {
        char *scope = collector_scope("licence", intern_name(&c->licences, k));
        double there_is = (double)c->licence_total[k] * (double)world_now(w);
        collector_put(l->out, "licence_util", scope, collector_ratio((double)l->licence_us[k], there_is));
        if (any) collector_put(l->out, "reserved_licence_hours", scope, (double)l->reserved_us[2 + k] / 3600e6);
        if (any) collector_put(l->out, "lent_licence_hours", scope, (double)l->lent_us[2 + k] / 3600e6);
        mem_free(scope);
    }
}

const struct collector lending_collector = {
    .metric = metric, .size = sizeof(struct lending), .init = init, .emit = emit,
    .observer = { .returning = on_returning, .staged = on_staged, .instant = on_instant },
};

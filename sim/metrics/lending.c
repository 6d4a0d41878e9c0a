#include "metrics/lending.h"

#include <string.h>
#include "base/mem.h"
#include "model/graph.h"

int64_t lending_dim(const struct reservations_amount *a, int d) { return d == 0 ? a->cpu_milli : d == 1 ? a->gpu_milli : a->licence[d - 2]; }

const char *lending_name(const struct world *w, int d)
{
    return d == 0 ? "cpu" : d == 1 ? "gpu" : intern_name(&world_cluster(w)->licences, (uint32_t)d - 2);
}

static void drop_job(struct lending_job *j)
{
    mem_free(j->start);
    mem_free(j->end);
    *j = (struct lending_job){ .n = 0 };
}

void lending_fini(struct lending *l)
{
    for (size_t i = 0; i < l->cap_job; i++) drop_job(&l->job[i]);
    mem_free(l->job);
    mem_free(l->lender);
    memset(l, 0, sizeof *l);
}

void lending_arrived(struct lending *l, const struct world *w, uint32_t job)
{
    const struct graph *g = world_job(w, job)->graph;
    MEM_RESERVE(l->job, l->cap_job, (size_t)job + 1);
    struct lending_job *j = &l->job[job];
    drop_job(j);
    if (g == NULL) return;
    j->n = g->n_levels;
    MEM_ARRAY(j->start, j->n);
    MEM_ARRAY(j->end, j->n);
    for (uint32_t k = 0; k < j->n; k++) j->start[k] = j->end[k] = -1;
}

void lending_started(struct lending *l, const struct world *w, uint32_t task)
{
    const struct task *t = world_task(w, task);
    size_t old = l->cap_lender;
    MEM_RESERVE(l->lender, l->cap_lender, (size_t)task + 1);
    for (size_t i = old; i < l->cap_lender; i++) l->lender[i] = -1;
    l->lender[task] = -1;
    struct lending_job *j = &l->job[t->job];
    if (j->n > 0 && t->attempts == 1) j->start[world_job(w, t->job)->graph->level[t->index]] = world_now(w);
}

void lending_lent(struct lending *l, const struct world *w, uint32_t task, uint32_t lender)
{
    l->lender[task] = (int64_t)world_job(w, lender)->ordinal;
}

void lending_stopped(struct lending *l, const struct world *w, uint32_t task, enum stop_why why)
{
    const struct task *t = world_task(w, task);
    struct lending_job *j = &l->job[t->job];
    if (j->n > 0 && why == STOP_DONE) j->end[world_job(w, t->job)->graph->level[t->index]] = world_now(w);
    if (why != STOP_PREEMPTED || !world_borrows(w, task)) return;
    const struct hold *h = cluster_hold(world_cluster(w), task);
    sim_tick ran = world_now(w) - t->started_at;
    l->n_reclaims++;
    l->reclaimed_us[0] += (usage_wide)h->cpu_milli * ran;
    for (uint64_t c = h->cards; c != 0; c &= c - 1) l->reclaimed_us[1] += (usage_wide)h->gpu_milli * ran;
    for (int k = 0; k < LICENCES_MAX && t->lender_licences; k++) l->reclaimed_us[2 + k] += (usage_wide)h->licence[k] * ran;
}

bool lending_instant(struct lending *l, const struct world *w)
{
    const struct cluster *c = world_cluster(w);
    const struct reservations_sum *s = world_reserved(w);
    usage_wide dt = world_now(w) - l->since;
    for (int d = 0; d < LENDING_DIMS && dt > 0; d++) {
        l->reserved_us[d] += lending_dim(&l->reserved, d) * dt;
        l->used_us[d] += lending_dim(&l->used, d) * dt;
        l->lent_us[d] += lending_dim(&l->lent, d) * dt;
    }
    for (uint32_t k = 0; k < c->licences.n; k++) {
        l->licence_us[k] += l->licensed.licence[k] * dt;
        l->licensed.licence[k] = c->licence_total[k] - c->licence_free[k];
    }
    bool changed = memcmp(&l->reserved, &s->reserved, sizeof l->reserved) != 0 || memcmp(&l->used, &s->used, sizeof l->used) != 0 ||
                   memcmp(&l->lent, &s->lent, sizeof l->lent) != 0;
    l->since = world_now(w);
    l->reserved = s->reserved;
    l->used = s->used;
    l->lent = s->lent;
    return changed;
}

int64_t lending_of(const struct lending *l, uint32_t task) { return task < l->cap_lender ? l->lender[task] : -1; }

sim_tick lending_stage_wait(const struct lending *l, uint32_t job)
{
    const struct lending_job *j = &l->job[job];
    if (j->n == 0) return -1;
    sim_tick sum = 0;
    for (uint32_t k = 1; k < j->n; k++)
        if (j->end[k - 1] >= 0 && j->start[k] > j->end[k - 1]) sum += j->start[k] - j->end[k - 1];
    return sum;
}

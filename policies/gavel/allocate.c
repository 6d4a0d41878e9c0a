/* allocate.c -- from units to the program of program.h and back: how much time each should have. */
#include "gavel/state.h"

#define SECOND 1e6

int64_t gavel_cards_milli(const struct gavel *g, const struct unit *u)
{
    const struct request_class *k = &g->sched.classes.at[u->request_class];
    int64_t sum = 0;
    for (uint32_t i = 0; i < k->n_tasks; i++) {
        const struct pol_shape *s = &g->sched.plan.shape[k->shape[i]];
        sum += (int64_t)s->n_gpu * (g->has_pairs ? GAVEL_CARD : s->gpu_milli);
    }
    return sum;
}

/* Half a card at most of each, as many tasks of as many cards. */
bool gavel_may_pair(const struct gavel *g, uint32_t a, uint32_t b)
{
    const struct unit *u = &g->sched.units.at[a], *v = &g->sched.units.at[b];
    const struct request_class *k = &g->sched.classes.at[u->request_class], *l = &g->sched.classes.at[v->request_class];
    if (k->n_tasks != l->n_tasks) return false;
    for (uint32_t i = 0; i < k->n_tasks; i++) {
        const struct pol_shape *s = &g->sched.plan.shape[k->shape[i]], *t = &g->sched.plan.shape[l->shape[i]];
        if (s->n_gpu != t->n_gpu || s->gpu_milli + t->gpu_milli > GAVEL_CARD || s->exclusive || t->exclusive)
            return false;
    }
    return true;
}

/* What was received since the last solve, against what should have been, goes to deficits; counting begins anew. */
static void settle(struct gavel *g)
{
    double since = (double)(g->sched.view->now_us - g->solved) / SECOND, credit = (double)g->round / SECOND / 2;
    for (uint32_t i = 0; i < g->n_units; i++) {
        struct gavel_book *b = &g->book[g->unit[i]];
        for (uint32_t k = 0; k < g->n_types; k++) {
            b->deficit[k] += b->x[k] * since - (b->received[k] - credit);
            b->received[k] = credit;
            b->x[k] = 0;
        }
    }
    g->n_pairs = 0;
}

/* The entity's index in the program. */
static uint32_t entity_of(struct gavel *g, const struct gavel_book *b)
{
    struct gavel_program *p = &g->program;
    const struct pol_host *h = g->sched.host;
    uint32_t e = 0;
    while (e < p->n_entities && g->entity[e] != b->entity) e++;
    if (e < p->n_entities) return e;
    POL_RESERVE(g->entity, g->cap_entity, (size_t)e + 1);
    g->entity[e] = b->entity;
    const char *name = h->name(h->ctx, b->entity % 2 == 0 ? POL_NAME_QUEUE : POL_NAME_USER, (uint32_t)(b->entity / 2));
    POL_PUSH(p->entity_weight, p->n_entities, p->cap_entity,
             (double)share_weight(&g->weights, name == NULL ? "" : name) / SHARE_ONE);
    return e;
}

static void add_job(struct gavel *g, uint32_t id)
{
    struct gavel_program *p = &g->program;
    struct gavel_book *b = &g->book[id];
    const struct unit *u = sched_unit(&g->sched, id);
    const struct pol_host *h = g->sched.host;
    const struct pol_job_info *ji = h->job(h->ctx, u->job);
    const struct pol_task_info *ti = h->task(h->ctx, u->task);
    const char *user = h->name(h->ctx, POL_NAME_USER, u->user);
    double left = ti->true_left_us < 0 ? 0 : (double)ti->true_left_us / SECOND;
    double steps = g->speeds->steps_per_s(h->ctx, u->job);
    if (b->job != POL_NONE && b->alone_rate > 0) b->alone += (b->left - left) / b->alone_rate;
    b->left = left;
    b->job = p->n_jobs;
    const struct gavel_job job = { .cards = (double)gavel_cards_milli(g, u) / GAVEL_CARD,
        .weight = g->is_hierarchical ? 1 : (double)share_weight(&g->weights, user == NULL ? "" : user) / SHARE_ONE,
        .left = left, .elapsed = (double)(g->sched.view->now_us - ji->submit_us) / SECOND, .alone = b->alone,
        .steps = steps > 0 ? steps : 1, .entity = g->is_hierarchical ? entity_of(g, b) : 0 };
    POL_PUSH(p->job, p->n_jobs, p->cap_job, job);
}

/* Its speeds as the policy sees them: all alike where it does not look at types. */
static void add_row(struct gavel *g, uint32_t a, uint32_t b)
{
    struct gavel_program *p = &g->program;
    const uint32_t id[2] = { a, b };
    const struct pol_host *h = g->sched.host;
    POL_RESERVE(p->rate, p->cap_rate, ((size_t)p->n_rows + 1) * 2 * p->n_types);
    POL_PUSH(p->row, p->n_rows, p->cap_row,
             (struct gavel_row){ { g->book[a].job, b == POL_NONE ? POL_NONE : g->book[b].job } });
    for (uint32_t m = 0; m < 2; m++)
        for (uint32_t k = 0; k < p->n_types; k++) {
            double *rate = &gavel_rates(p, p->n_rows - 1, m)[k];
            *rate = id[m] == POL_NONE ? 0 : g->book[id[m]].speed[k];
            if (!g->is_aware && id[m] != POL_NONE) *rate = g->book[id[m]].may_have[k] ? 1 : 0;
            if (b == POL_NONE) continue;
            pol_job own = sched_unit(&g->sched, id[m])->job, other = sched_unit(&g->sched, id[1 - m])->job;
            *rate *= (double)g->speeds->beside(h->ctx, own, other, g->type[k]) / 1e6;
        }
}

/*
 * Pairs that may do more together than in turns.  On a type where their speeds beside each other, over those alone,
 * come to no more than 1, turns do as well, so that the pair is left out there.
 */
static void add_pairs(struct gavel *g)
{
    struct gavel_program *p = &g->program;
    for (uint32_t i = 0; i < g->n_units; i++)
        for (uint32_t j = 0; j < i; j++) {
            uint32_t a = g->unit[j], b = g->unit[i];
            bool is_worth = false;
            if (!gavel_may_pair(g, a, b)) continue;
            add_row(g, a, b);
            for (uint32_t k = 0; k < p->n_types; k++) {
                double *first = &gavel_rates(p, p->n_rows - 1, 0)[k], *second = &gavel_rates(p, p->n_rows - 1, 1)[k];
                double of_first = gavel_rates(p, g->book[a].job, 0)[k],
                       of_second = gavel_rates(p, g->book[b].job, 0)[k];
                if (*first > 0 && *second > 0 && *first / of_first + *second / of_second > 1) is_worth = true;
                else *first = *second = 0;
            }
            if (!is_worth) p->n_rows--;
        }
}

static void take_over(struct gavel *g)
{
    struct gavel_program *p = &g->program;
    double credit = (double)g->round / SECOND / 2;
    for (uint32_t i = 0; i < g->n_units; i++) {
        struct gavel_book *b = &g->book[g->unit[i]];
        memcpy(b->x, gavel_times(p, b->job), p->n_types * sizeof *b->x);
        b->alone_rate = gavel_program_isolated(p, b->job, NULL);
    }
    for (uint32_t r = p->n_jobs; r < p->n_rows; r++) {
        struct gavel_pair pair = { .id = { g->unit[p->row[r].job[0]], g->unit[p->row[r].job[1]] } };
        double all = 0;
        for (uint32_t k = 0; k < p->n_types; k++) {
            pair.x[k] = gavel_times(p, r)[k];
            pair.received[k] = credit;
            all += pair.x[k];
        }
        for (uint32_t m = 0; m < 2; m++) pair.ordinal[m] = sched_unit(&g->sched, pair.id[m])->ordinal;
        if (all > 1e-6) POL_PUSH(g->pair, g->n_pairs, g->cap_pair, pair);
    }
    /* Who runs as a pair that is no more is counted by itself. */
    for (uint32_t i = 0; i < g->n_units; i++) g->book[g->unit[i]].partner = POL_NONE;
}

bool gavel_allocate(struct gavel *g)
{
    struct gavel_program *p = &g->program;
    char error[200];
    settle(g);
    p->objective = g->objective;
    p->n_types = g->n_types;
    p->cards = g->cards;
    p->price = g->price;
    p->n_jobs = p->n_rows = p->n_entities = 0;
    for (uint32_t i = 0; i < g->n_units; i++) add_job(g, g->unit[i]);
    for (uint32_t i = 0; i < g->n_units; i++) add_row(g, g->unit[i], POL_NONE);
    if (g->has_pairs) add_pairs(g);
    g->is_stale = false;
    g->solved = g->sched.view->now_us;
    if (!gavel_program_solve(p, error, sizeof error)) {
        g->sched.host->fail(g->sched.host->ctx, error);
        return false;
    }
    take_over(g);
    return true;
}

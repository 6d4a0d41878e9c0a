/*
 * fairshare.c -- how much of its share each association has used: usage with half-life decay, and the factor
 * of it by Fair Tree or by the classic rule.
 * Source: priority_multifactor.c, _decay_thread, _apply_new_usage, _set_usage_efctv; fair_tree.c.
 *
 * Cost: a round O(associations^2 + running jobs); a job's start and end O(depth).
 */
#include "slurm/state.h"

#include <math.h>

/* Slurm's own approximation of the factor of one second. */
static double decay_of(const struct slurm_conf *c, double seconds)
{
    return c->half_life > 0 ? pow(1 - 0.693 / (double)c->half_life, seconds) : 1;
}

/* What a job uses up in a second: CPUs, or by TRESBillingWeights. */
static double billing(const struct slurm *s, const struct slurm_job *j)
{
    const struct slurm_partition *p = &s->conf.partition[j->in];
    const double cpu = (double)j->tres.cpu / 1000, mib = (double)j->tres.mem / 1048576;
    if (!p->has_billing) return cpu;
    const double part[] = { cpu * p->billing.cpu, mib * p->billing.mem, (double)j->tres.node * p->billing.node,
                            (double)j->tres.gpu * p->billing.gpu };
    double sum = 0, most = 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        sum += part[i];
        if (part[i] > most && i != 2) most = part[i];
    }
    return s->conf.max_tres ? most : sum;
}

void slurm_fairshare_book(struct slurm *s, uint32_t unit, int64_t until_s)
{
    struct slurm_job *j = slurm_job(s, unit);
    if (j->billed_s < j->start_s) j->billed_s = j->start_s;
    const double run = until_s > j->billed_s ? (double)(until_s - j->billed_s) : 0;
    const double factor =
        j->qos != CONFIG_NONE && s->conf.qos[j->qos].usage_factor >= 0 ? s->conf.qos[j->qos].usage_factor : 1;
    const double used = run * decay_of(&s->conf, run) * billing(s, j) * factor;
    j->billed_s = until_s;
    for (int32_t i = j->assoc; i != CONFIG_NONE; i = s->conf.assoc[i].parent) s->conf.assoc[i].usage += used;
}

/* ---- shares ---- */

/* The account whose share and usage an association is measured against: `parent` shares pass it on. */
static int32_t measured_by(const struct slurm_conf *c, const struct slurm_assoc *a)
{
    int32_t p = a->parent;
    while (p != CONFIG_NONE && c->assoc[p].parent != CONFIG_NONE && c->assoc[p].shares == CONFIG_NONE)
        p = c->assoc[p].parent;
    return p;
}

/* An association's part of the shares at its level. */
static double share_of(const struct slurm_conf *c, const struct slurm_assoc *a)
{
    double all = 0;
    for (uint32_t i = 0; i < c->n_assocs; i++)
        if (c->assoc[i].parent == a->parent && c->assoc[i].shares > 0) all += (double)c->assoc[i].shares;
    return all > 0 && a->shares > 0 ? (double)a->shares / all : 0;
}

/* ---- classic: 2^(-usage / share) ---- */

/* Parents stand before their children in the dump. */
static void classic(struct slurm_conf *c)
{
    const double all = c->assoc[0].usage;
    c->assoc[0].shares_norm = c->assoc[0].usage_eff = 1;
    for (uint32_t i = 1; i < c->n_assocs; i++) {
        struct slurm_assoc *a = &c->assoc[i];
        const int32_t by = measured_by(c, a);
        const struct slurm_assoc *p = &c->assoc[by];
        const double norm = all > 0 ? a->usage / all : 0, share = share_of(c, a);
        if (a->shares == CONFIG_NONE) {
            a->shares_norm = p->shares_norm;
            a->usage_eff = by == 0 ? norm : p->usage_eff;
        } else {
            a->shares_norm = p->shares_norm * share;
            a->usage_eff = by == 0 ? norm : norm + (p->usage_eff - norm) * share;
        }
        a->factor = a->shares_norm > 0 ? pow(2, -(a->usage_eff / a->shares_norm) / c->dampening) : 0;
    }
}

/* ---- Fair Tree ---- */

struct tree { struct slurm_conf *c; uint32_t n_users, rank, no_ties; };

static void set_level(struct slurm_conf *c, struct slurm_assoc *a)
{
    const struct slurm_assoc *p = &c->assoc[measured_by(c, a)];
    const double used = p->usage > 0 ? a->usage / p->usage : 0, share = share_of(c, a);
    if (a->shares == CONFIG_NONE) a->level = a->user != NULL ? (double)INFINITY : (double)UINT32_MAX;
    else a->level = share <= 0 ? 0 : used > 0 ? share / used : INFINITY;
}

static bool is_same(double a, double b) { return !(a < b) && !(a > b); }

/* The higher level first, of equal ones users before accounts. */
static bool goes_before(const struct slurm_assoc *a, const struct slurm_assoc *b)
{
    if (!is_same(a->level, b->level)) return a->level > b->level;
    return a->user != NULL && b->user == NULL;
}

static uint32_t children(const struct slurm_conf *c, uint32_t parent, uint32_t *out)
{
    uint32_t n = 0;
    for (uint32_t i = 1; i < c->n_assocs; i++)
        if (c->assoc[i].parent == (int32_t)parent) out[n++] = i;
    return n;
}

/* Rank those at one level, and below each account; accounts that tie are gone through as one. */
static void rank_level(struct tree *t, uint32_t *at, uint32_t n, bool is_tied)
{
    struct slurm_conf *c = t->c;
    double last = -1;
    for (uint32_t i = 0; i < n; i++) set_level(c, &c->assoc[at[i]]);
    for (uint32_t i = 1; i < n; i++) {
        uint32_t x = at[i], k = i;
        for (; k > 0 && goes_before(&c->assoc[x], &c->assoc[at[k - 1]]); k--) at[k] = at[k - 1];
        at[k] = x;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct slurm_assoc *a = &c->assoc[at[i]];
        const bool ties = i == 0 ? is_tied : is_same(last, a->level);
        last = a->level;
        if (a->user != NULL) {
            if (!ties) t->rank = t->no_ties;
            a->factor = (double)t->rank / (double)t->n_users;
            t->no_ties--;
            continue;
        }
        uint32_t *below = pol_alloc(c->n_assocs, sizeof *below), n_below = children(c, at[i], below);
        while (i + 1 < n && is_same(c->assoc[at[i + 1]].level, a->level))
            n_below += children(c, at[++i], below + n_below);
        rank_level(t, below, n_below, ties);
        free(below);
    }
}

static void fair_tree(struct slurm_conf *c)
{
    struct tree t = { .c = c };
    uint32_t *top = pol_alloc(c->n_assocs, sizeof *top);
    for (uint32_t i = 0; i < c->n_assocs; i++) t.n_users += c->assoc[i].user != NULL;
    t.rank = t.no_ties = t.n_users;
    rank_level(&t, top, children(c, 0, top), false);
    free(top);
}

/* ---- a round ---- */

void slurm_fairshare_round(struct slurm *s)
{
    struct slurm_conf *c = &s->conf;
    const int64_t now = slurm_time_s(s);
    if (c->n_assocs == 0) return;
    if (s->clock.booked_s > 0 && now > s->clock.booked_s) {
        const double decay = decay_of(c, (double)(now - s->clock.booked_s));
        for (uint32_t i = 0; i < c->n_assocs; i++) c->assoc[i].usage *= decay;
        for (uint32_t i = 0; i < s->n_running; i++) slurm_fairshare_book(s, s->running[i], now);
    }
    s->clock.booked_s = now;
    if (c->fair_tree) fair_tree(c);
    else classic(c);
}

double slurm_fairshare(const struct slurm *s, int32_t assoc) { return s->conf.assoc[assoc].factor; }

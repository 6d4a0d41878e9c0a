/*
 * wfexample.h -- what the hand-worked cases of the policy workflow have in common: stages of one task, ten seconds
 * long, on one node, and borrowers who never end.
 */
#ifndef REF_WFEXAMPLE_H
#define REF_WFEXAMPLE_H

#include <criterion/criterion.h>
#include <string.h>
#include "ref/wfcase.h"

#define S  INT64_C(1000000)
#define T  (10 * S)
#define CORE INT64_C(1000)
#define ALL UINT64_MAX

static inline void setup(struct wfcase *c, int64_t cores)
{
    wfcase_init(c);
    wfcase_node(c, cores * CORE, 0, NULL);
}

/* More one-core tasks than can end within the horizon. */
static inline void endless(struct wfcase *c, const char *user, sim_tick dur)
{
    wfcase_task(wfcase_job(c, user, user, false), 0, dur, CORE, 300);
}

static inline void ran(const struct wfcase *c, enum st st) { cr_assert_eq(c->result, st, "%s", c->diag.msg); }

static inline void is_entry(const struct wfcase *c, uint32_t i, sim_tick at, int64_t need, int64_t lendable,
                            int64_t reclaimed, int64_t usable)
{
    cr_assert(i < c->n_entries);
    const struct wf_entry *e = &c->entry[i];
    cr_expect_eq(e->at, at);
    cr_expect_eq(e->e.need.cpu_milli, need * CORE, "entry %u needs %lld", i, (long long)e->e.need.cpu_milli);
    cr_expect_eq(e->e.lendable.cpu_milli, lendable * CORE);
    cr_expect_eq(e->e.reclaimed.cpu_milli, reclaimed * CORE, "entry %u took back %lld", i,
                 (long long)e->e.reclaimed.cpu_milli);
    cr_expect_eq(e->e.usable.cpu_milli, usable * CORE, "entry %u could use %lld", i, (long long)e->e.usable.cpu_milli);
}

/* Stages of the given needs, one task each, T long. */
static inline struct wf_job *needs(struct wfcase *c, const char *id, const int64_t *need, uint32_t n)
{
    struct wf_job *j = wfcase_job(c, id, "flow", true);
    for (uint32_t i = 0; i < n; i++) wfcase_task(j, i, T, need[i] * CORE, 1);
    return j;
}

/* R = 9 or so with a first stage of 1: what the two users get, and what they give back of it. */
static inline void two_users(const char *policy, int64_t first, int64_t second, int64_t all, uint32_t lent_1,
                             uint32_t lent_2, uint32_t back_1, uint32_t back_2)
{
    struct wfcase c;
    setup(&c, all);
    (void)needs(&c, "w", (int64_t[]){ first, second, all }, 3);
    endless(&c, "u1", 100 * T);
    endless(&c, "u2", 100 * T);
    c.horizon = T;
    wfcase_run(&c, policy);
    ran(&c, ST_END);
    cr_expect_eq(c.lends[1], lent_1, "%s: u1 has %u", policy, c.lends[1]);
    cr_expect_eq(c.lends[2], lent_2, "%s: u2 has %u", policy, c.lends[2]);
    cr_expect_eq(wfcase_reclaims(&c, 1, T), back_1, "%s: u1 gives %u", policy, wfcase_reclaims(&c, 1, T));
    cr_expect_eq(wfcase_reclaims(&c, 2, T), back_2, "%s: u2 gives %u", policy, wfcase_reclaims(&c, 2, T));
    wfcase_fini(&c);
}

#endif

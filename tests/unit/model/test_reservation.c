/* The books of reservations: what is refused, and what need + lent + idle come to (S1-7). */
#include <criterion/criterion.h>
#include <string.h>
#include "model/graph.h"
#include "ref/stage.h"

static struct stage s;

static struct reservations_stage entry(int64_t reserved, int64_t need) { return (struct reservations_stage){ .reserved = { .cpu_milli = reserved }, .need = { .cpu_milli = need } }; }

static void refused(enum pol_refusal found, enum pol_refusal want)
{
    cr_expect_eq(found, want, "found '%s', expected '%s'", pol_refusal_name(found), pol_refusal_name(want));
}

static uint32_t task_of(const struct world *w, uint64_t ordinal)
{
    for (uint32_t i = 0; i < world_n_job_slots(w); i++) if (world_job(w, i)->is_live && world_job(w, i)->ordinal == ordinal) return world_job(w, i)->first_task;
    return NONE;
}

/*
 * Jobs 0 and 1, of 2 cores each, run on 8 cores; at 5 the first gets a reservation and the second borrows of it; at 10
 * the first ends, and is still looked at.
 */
static void books(struct stage *st, struct world *w)
{
    static uint32_t first;
    const struct reservations_stage nothing = entry(0, 0);
    (void)st;
    if (world_now(w) == 0) { (void)world_wake(w, 5); first = world_task(w, task_of(w, 0))->job; return; }
    if (world_now(w) == 10) {
        cr_assert(world_job(w, first)->is_live);
        refused(world_reserve(w, first, &nothing), POL_REFUSAL_NO_JOB);
    }
    if (world_now(w) != 5) return;
    uint32_t t0 = task_of(w, 0), t1 = task_of(w, 1), job = world_task(w, t0)->job, other = world_task(w, t1)->job;
    struct reservations_stage e = entry(8001, 1), ok = entry(6000, 3000), late = { .stage = 1 };
    refused(world_lend(w, t1, job, NULL), POL_REFUSAL_NO_RESERVATION);
    refused(world_reserve(w, job, &e), POL_REFUSAL_OVERBOOKED);
    e = entry(2000, 3000);
    refused(world_reserve(w, job, &e), POL_REFUSAL_NEED);
    refused(world_reserve(w, job, &late), POL_REFUSAL_NO_STAGE);
    refused(world_reserve(w, 99, &ok), POL_REFUSAL_NO_JOB);
    cr_assert_eq(world_reserve(w, job, &ok), POL_OK);
    cr_assert_eq(world_reserved(w)->reserved.cpu_milli, 6000);
    cr_assert_eq(world_reserved(w)->used.cpu_milli, 2000, "what it held already");
    refused(world_lend(w, t0, job, NULL), POL_REFUSAL_OWN_TASK);
    refused(world_lend(w, t1, job, &(struct reservations_amount){ .cpu_milli = 2001 }), POL_REFUSAL_LENT_UNHELD);
    refused(world_lend(w, t1, job, &(struct reservations_amount){ .licence = { -1 } }), POL_REFUSAL_LENT_UNHELD);
    cr_assert_eq(world_lend(w, t1, job, &(struct reservations_amount){ .cpu_milli = 1500 }), POL_OK);
    refused(world_lend(w, t1, job, NULL), POL_REFUSAL_BORROWS);
    cr_assert_eq(world_reserved(w)->lent.cpu_milli, 1500, "the rest it has from outside");
    e = entry(6000, 4501);
    refused(world_reserve(w, job, &e), POL_REFUSAL_LENT);
    refused(world_resize(w, t1, 1000, 0), POL_REFUSAL_CPU_RESERVED);
    struct reservations_stage big = entry(4000, 2000), two = entry(2001, 0);
    cr_assert_eq(world_reserve(w, job, &big), POL_OK);
    refused(world_reserve(w, other, &(struct reservations_stage){ .reserved = { .cpu_milli = 4001 } }), POL_REFUSAL_OVERBOOKED);
    cr_assert_eq(world_reserve(w, other, &two), POL_OK);
    struct reservations_stage none = entry(0, 0);
    cr_assert_eq(world_reserve(w, other, &none), POL_OK);
    cr_assert_eq(world_reserved(w)->reserved.cpu_milli, 4000);
}

Test(reserve, s1_7_need_lent_and_idle_make_up_what_is_reserved)
{
    struct world_count c;
    stage_init(&s);
    stage_node(&s, 8000, 0, NULL, 1);
    (void)stage_job(&s, 0, 10, 2000, 0);
    (void)stage_job(&s, 0, 20, 2000, 0);
    s.meddle = books;
    stage_run(&s);
    c = s.count;
    cr_assert_eq(s.result, ST_END, "%s", s.diag.msg);
    cr_assert_eq(c.done, 2);            /* audited: the borrower outlives the reservation, and is ordinary then */
    stage_fini(&s);
}

/* a -> b -> d, a -> c -> d, e: levels 0 1 1 2 0. */
Test(reserve, levels_are_the_longest_chains_before)
{
    static const uint32_t in[6] = { 0 }, after_start[] = { 0, 0, 1, 2, 5, 5 }, after[] = { 0, 0, 1, 2, 0 };
    uint32_t bad;
    struct graph *g = graph_create(&(struct task_graph){ .in_start = in, .after_start = after_start, .after = after }, 5, &bad);
    cr_assert_not_null(g);
    static const uint32_t level[] = { 0, 1, 1, 2, 0 };
    for (int i = 0; i < 5; i++) cr_expect_eq(g->level[i], level[i]);
    cr_assert_eq(g->n_levels, 3);
    graph_destroy(g);
}

/* The event queue by hand: order of ties, moving, cancelling. */
#include <criterion/criterion.h>
#include "core/evq.h"

static struct ev mk(sim_tick at, uint8_t cls, uint64_t subject, uint32_t slot)
{
    return (struct ev){ .at = at, .cls = cls, .subject = subject, .slot = slot };
}

static uint32_t pop_slot(struct evq *q)
{
    struct ev e;
    cr_assert(evq_pop(q, &e));
    return e.slot;
}

Test(evq, empty_has_nothing_to_pop_or_peek)
{
    struct evq q = { 0 };
    struct ev e;
    cr_assert_not(evq_pop(&q, &e));
    cr_assert_null(evq_peek(&q));
    cr_assert_not(evq_pending(&q, 0));
    evq_cancel(&q, 12345);      /* a slot never seen */
    evq_fini(&q);
}

/* (at, class, subject, slot): each key in turn decides when the ones before tie. */
Test(evq, ties_fall_to_class_then_subject_then_slot)
{
    struct evq q = { 0 };
    evq_set(&q, mk(5, EV_FINISH, 0, 9));
    evq_set(&q, mk(4, EV_SAMPLE, 0, 8));
    evq_set(&q, mk(4, EV_FINISH, 7, 7));
    evq_set(&q, mk(4, EV_FINISH, 7, 3));
    evq_set(&q, mk(4, EV_FINISH, 6, 6));
    evq_set(&q, mk(4, EV_ARRIVAL, 0, 5));
    const uint32_t want[] = { 6, 3, 7, 5, 8, 9 };
    for (size_t i = 0; i < ARRAY_LEN(want); i++) cr_assert_eq(pop_slot(&q), want[i], "place %zu", i);
    cr_assert_eq(q.n, 0);
    evq_fini(&q);
}

Test(evq, classes_fire_in_the_phases_of_an_instant)
{
    cr_assert(EV_FINISH < EV_FAULT && EV_FAULT < EV_REPAIR && EV_REPAIR < EV_ARRIVAL
              && EV_ARRIVAL < EV_TIMER && EV_TIMER < EV_SAMPLE);
}

Test(evq, a_slot_owns_one_event_which_moves_both_ways)
{
    struct evq q = { 0 };
    for (uint32_t s = 0; s < 20; s++) evq_set(&q, mk(100 + s, EV_TIMER, s, s));
    evq_set(&q, mk(0, EV_TIMER, 19, 19));       /* from last to first */
    evq_set(&q, mk(500, EV_TIMER, 0, 0));       /* from first to last */
    cr_assert_eq(q.n, 20);
    cr_assert_eq(evq_peek(&q)->slot, 19);
    cr_assert_eq(pop_slot(&q), 19);
    for (uint32_t s = 1; s < 19; s++) cr_assert_eq(pop_slot(&q), s);
    cr_assert_eq(pop_slot(&q), 0);
    evq_fini(&q);
}

Test(evq, cancelling_removes_only_that_slot)
{
    struct evq q = { 0 };
    for (uint32_t s = 0; s < 30; s++) evq_set(&q, mk(s * 7 % 30, EV_TIMER, 0, s));
    for (uint32_t s = 0; s < 30; s += 2) { evq_cancel(&q, s); cr_assert_not(evq_pending(&q, s)); }
    evq_cancel(&q, 0);          /* again: nothing happens */
    cr_assert_eq(q.n, 15);
    sim_tick last = -1;
    for (struct ev e; evq_pop(&q, &e); last = e.at) {
        cr_assert(e.slot % 2 == 1);
        cr_assert_gt(e.at, last);
    }
    evq_fini(&q);
}

Test(evq, a_far_slot_number_costs_an_index_not_an_event)
{
    struct evq q = { 0 };
    evq_set(&q, mk(1, EV_TIMER, 0, 100000));
    cr_assert_eq(q.n, 1);
    cr_assert(evq_pending(&q, 100000));
    cr_assert_not(evq_pending(&q, 99999));
    cr_assert_eq(pop_slot(&q), 100000);
    evq_fini(&q);
}

/* Setting an event to what it already is must keep the heap in order. */
Test(evq, setting_the_same_event_again_changes_nothing)
{
    struct evq q = { 0 };
    for (uint32_t s = 0; s < 10; s++) evq_set(&q, mk(10 - (sim_tick)s, EV_TIMER, s, s));
    for (uint32_t s = 0; s < 10; s++) evq_set(&q, mk(10 - (sim_tick)s, EV_TIMER, s, s));
    for (uint32_t s = 10; s-- > 0;) cr_assert_eq(pop_slot(&q), s);
    evq_fini(&q);
}

/* Requests by id: who keeps one, and which id is used again for which. */
#include <criterion/criterion.h>
#include "model/cluster/shape.h"

static struct shapes t;

static struct shape asks(int64_t cpu) { return (struct shape){ .cpu_milli = cpu }; }
static uint32_t id_of(int64_t cpu)
{
    const struct shape s = asks(cpu);
    return shapes_id(&t, &s);
}

static void teardown(void) { shapes_fini(&t); }
TestSuite(shape, .fini = teardown);

Test(shape, equal_requests_have_one_id_member_by_member)
{
    struct shape a = asks(1), b = asks(1);
    b.engine[ENGINE_TYPES_MAX - 1] = 2;
    struct shape c = b, d = asks(1), e = asks(1);
    c.engine[ENGINE_TYPES_MAX - 1] = 0;
    c.engine[0] = 2;
    d.licence[0] = 2;
    e.licence[LICENCES_MAX - 1] = 2;
    const struct shape *const all[] = { &a, &b, &c, &d, &e };
    for (int again = 0; again < 2; again++)
        for (uint32_t i = 0; i < ARRAY_LEN(all); i++) cr_assert_eq(shapes_id(&t, all[i]), i);
    cr_assert_eq(t.n, ARRAY_LEN(all));
}

Test(shape, an_id_stays_unless_its_owner_lets_them_be_used_again)
{
    for (uint32_t i = 0; i < SHAPES_KEPT + 10; i++) cr_assert_eq(id_of(i), i);
    cr_assert(t.n_renewed == 0 && t.n_idle == SHAPES_KEPT + 10);
    cr_assert_eq(id_of(3), 3);
}

/* 0 and 1 are held, 2 was let go after 3: so the longest idle are 3, then 2. */
Test(shape, the_longest_idle_one_gives_its_id_to_the_next_new_request)
{
    t.reuse = SHAPES_REUSED_AT_ONCE;
    for (uint32_t i = 0; i < 4; i++) {
        cr_assert_eq(id_of(i), i);
        shapes_hold(&t, i, 2);
        t.use[i].room = 7;
    }
    for (uint32_t i = 3; i >= 2; i--) {
        shapes_let_go(&t, i);
        cr_assert_eq(t.n_idle, 3 - i, "one task has it still");
        shapes_let_go(&t, i);
    }
    shapes_audit(&t, (uint32_t[]){ 2, 2, 0, 0 });
    cr_assert_eq(id_of(3), 3, "it is what it was until then");
    cr_assert_eq(id_of(10), 3);
    cr_assert(t.n_renewed == 1 && t.renewed[0] == 3 && t.use[3].room == 0 && t.use[2].room == 7);
    shapes_hold(&t, 3, 1);
    cr_assert_eq(id_of(11), 2);
    shapes_hold(&t, 2, 1);
    cr_assert_eq(id_of(3), 4, "none is idle");
    cr_assert_eq(t.n_renewed, 2);
    shapes_told(&t);
    cr_assert_eq(t.n_renewed, 0);
    shapes_audit(&t, (uint32_t[]){ 2, 2, 1, 1, 0 });
}

Test(shape, so_many_idle_ones_keep_their_ids)
{
    t.reuse = SHAPES_REUSED;
    for (uint32_t i = 0; i < SHAPES_KEPT + 1; i++) cr_assert_eq(id_of(i), i);
    shapes_hold(&t, 0, 1);
    cr_assert_eq(id_of(100000), SHAPES_KEPT + 1);
    cr_assert_eq(id_of(100001), 1, "0 is held");
    cr_assert(t.n_idle == SHAPES_KEPT + 1 && t.n_renewed == 1);
}

/* Interning: dense ids in first-seen order, for ever. */
#include <criterion/criterion.h>
#include <stdio.h>
#include "base/intern.h"

Test(intern, ids_are_dense_and_in_first_seen_order)
{
    struct intern t = { 0 };
    cr_assert_eq(intern_id(&t, "b"), 0);
    cr_assert_eq(intern_id(&t, "a"), 1);
    cr_assert_eq(intern_id(&t, "b"), 0);
    cr_assert_eq(intern_id(&t, ""), 2);
    cr_assert_eq(t.n, 3);
    cr_assert_str_eq(intern_name(&t, 1), "a");
    cr_assert_str_eq(intern_name(&t, 2), "");
    intern_fini(&t);
}

Test(intern, finding_adds_nothing)
{
    struct intern t = { 0 };
    cr_assert_eq(intern_find(&t, "a"), NONE);
    (void)intern_id(&t, "a");
    cr_assert_eq(intern_find(&t, "a"), 0);
    cr_assert_eq(intern_find(&t, "ab"), NONE);
    cr_assert_eq(t.n, 1);
    intern_fini(&t);
}

Test(intern, many_names_keep_their_ids_while_the_table_grows)
{
    struct intern t = { 0 };
    char name[32];
    for (uint32_t i = 0; i < 20000; i++) {
        (void)snprintf(name, sizeof name, "user-%u", i * 7919u);
        cr_assert_eq(intern_id(&t, name), i);
    }
    for (uint32_t i = 0; i < 20000; i++) {
        (void)snprintf(name, sizeof name, "user-%u", i * 7919u);
        cr_assert_eq(intern_find(&t, name), i);
        cr_assert_str_eq(intern_name(&t, i), name);
    }
    intern_fini(&t);
}

Test(intern, the_name_is_a_copy)
{
    struct intern t = { 0 };
    char name[] = "abc";
    (void)intern_id(&t, name);
    name[0] = 'x';
    cr_assert_str_eq(intern_name(&t, 0), "abc");
    intern_fini(&t);
}

Test(intern, emptied_it_begins_again)
{
    struct intern t = { 0 };
    (void)intern_id(&t, "a");
    intern_fini(&t);
    cr_assert_eq(intern_find(&t, "a"), NONE);
    cr_assert_eq(intern_id(&t, "z"), 0);
    intern_fini(&t);
}

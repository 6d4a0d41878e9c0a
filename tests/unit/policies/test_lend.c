/* Share groups and divisions: S1-11, S1-14. */
#include <criterion/criterion.h>
#include <string.h>
#include "workflow/lend.h"

static char error[200];

Test(lend, s1_14_the_notation_of_the_source)
{
    struct lend_lists l;
    cr_assert(lend_parse(&l, "shares:[wf,p0],[u1,p1,2],[u2,p1,1]", error, sizeof error), "%s", error);
    cr_assert_eq(l.n, 1);
    struct lend_shares s = l.at[0];
    cr_assert_eq(s.owner.who, LEND_ANY);
    cr_assert_eq(s.owner.prio, 0);
    cr_assert_eq(s.n, 2);
    cr_assert_str_eq(s.at[0].name, "u1");
    cr_assert_eq(s.at[0].prio, 1);
    cr_assert_eq(s.at[0].ratio, 2);
    cr_assert_str_eq(s.at[1].name, "u2");
    cr_assert_eq(s.at[1].ratio, 1);
    lend_fini(&l);
    cr_assert(lend_parse(&l, " [ queue:biz , p0 ], [machines:gpu,p3] ,[*,p4]", error, sizeof error), "%s", error);
    s = l.at[0];
    cr_assert_eq(s.owner.who, LEND_QUEUE);
    cr_assert_str_eq(s.owner.name, "biz");
    cr_assert_eq(s.at[0].who, LEND_MACHINES);
    cr_assert_eq(s.at[0].ratio, 0);
    cr_assert_eq(s.at[1].who, LEND_ANY);
    lend_fini(&l);
}

Test(lend, s1_25_a_list_for_each_lender)
{
    struct lend_lists l;
    cr_assert(lend_parse(&l, "shares:[w1,p0],[u1,p1,2],[u2,p1,1];[workflow:w2,p0],[u1,p1];[user:f,p0],[*,p2]", error,
                         sizeof error),
              "%s", error);
    cr_assert_eq(l.n, 3);
    cr_expect(l.at[0].owner.who == LEND_NAME && strcmp(l.at[0].owner.name, "w1") == 0 && l.at[0].n == 2 &&
              l.at[0].at[1].ratio == 1);
    cr_expect(l.at[1].owner.who == LEND_WORKFLOW && strcmp(l.at[1].owner.name, "w2") == 0 && l.at[1].n == 1 &&
              l.at[1].at[0].who == LEND_USER);
    cr_expect(l.at[2].owner.who == LEND_USER && l.at[2].at[0].who == LEND_ANY && l.at[2].at[0].prio == 2);
    lend_fini(&l);
}

Test(lend, s1_14_mistakes_are_told)
{
    static const struct { const char *text, *error; } bad[] = {
        { "[wf,p0]", "nobody stands after the lender" },
        { "[wf,p1],[u,p1]", "p1 must be above p1 of 'u'" },
        { "[wf,p0],[u,p1,1],[v,p1]", "one has a ratio and one has none" },
        { "[wf,p0],[u,p1],[u,p1]", "'u' stands twice" },
        { "[wf,p0],[u,1]", "expected a priority" },
        { "[wf,p0],[u,p1,0]", "expected a ratio" },
        { "[wf,p0][u,p1]", "expected ','" },
        { "wf,p0", "expected '['" },
        { "[wf,p0],[u,p1", "expected ']'" },
        { "[wf,p0,2],[u,p1]", "has no ratio" },
        { "[w,p0],[u,p1];[w,p0],[v,p1]", "two lists have the lender 'w'" },
        { "[w,p0],[u,p1];", "expected '['" },
        { "[w,p0],[workflow:x,p1]", "does not borrow" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct lend_lists s;
        cr_assert(!lend_parse(&s, bad[i].text, error, sizeof error), "%s", bad[i].text);
        cr_expect(strstr(error, bad[i].error) != NULL, "%s: %s", bad[i].text, error);
        lend_fini(&s);
    }
}

static void splits(int64_t total, int64_t unit, int64_t x, int64_t y, int64_t a, int64_t b)
{
    int64_t part[2];
    lend_split(total, unit, (int64_t[]){ x, y }, 2, part);
    cr_expect(part[0] == a && part[1] == b, "%lld at %lld:%lld is %lld/%lld", (long long)total, (long long)x,
              (long long)y, (long long)part[0], (long long)part[1]);
}

Test(lend, s1_11_ratios)
{
    splits(8, 1, 1, 1, 4, 4);
    splits(6, 1, 2, 1, 4, 2);
    splits(7, 1, 1, 1, 4, 3);       /* ties to the earlier */
    splits(7, 1, 1, 2, 2, 5);       /* remainders 1/3 and 2/3 */
    splits(0, 1, 1, 1, 0, 0);
    splits(7000, 1000, 1, 1, 4000, 3000);
    splits(7500, 1000, 1, 1, 4000, 3500);   /* the last unit is half a core */
}

/* Whole, and nobody more than a unit from the exact part. */
Test(lend, s1_11_all_is_divided_and_nobody_is_a_unit_off)
{
    for (int64_t total = 0; total < 60; total++)
        for (int64_t x = 1; x < 8; x++)
            for (int64_t y = 1; y < 8; y++)
                for (int64_t z = 1; z < 8; z++) {
                    int64_t ratio[] = { x, y, z }, part[3], sum = x + y + z;
                    lend_split(total, 1, ratio, 3, part);
                    cr_assert_eq(part[0] + part[1] + part[2], total);
                    for (int i = 0; i < 3; i++) {
                        int64_t off = part[i] * sum - total * ratio[i];
                        cr_assert(off > -sum && off < sum);
                    }
                }
}

/* The Gittins index on four samples, worked out by hand: 10, 20, 60 and 100 us of one card. */
#include <criterion/criterion.h>
#include "tiresias/gittins.h"

enum { CARD = 1000, ONE = 1000000 };

static struct gittins g;
static void setup(void)
{
    static const int64_t us[] = { 60, 10, 100, 20 };
    for (int i = 0; i < 4; i++) gittins_add(&g, us[i] * CARD);
    cr_assert(gittins_learn(&g));
}

static void fini(void) { gittins_fini(&g); }
TestSuite(gittins, .init = setup, .fini = fini);

static int64_t at(int64_t us) { return gittins_index(&g, us * CARD, ONE); }

/* A quantum of 30 us: two samples of 10 + 20 + 2 x 30; one of 20 + 2 x 30; one of 60 + 30; none before the last. */
Test(gittins, what_ends_in_a_quantum_over_what_it_takes)
{
    g.delta = 30;
    cr_expect_eq(at(0), ONE * 2 / 90);
    cr_expect_eq(at(9), ONE * 2 / 90);
    cr_expect_eq(at(10), ONE / 80, "10 us are done with: the next is 20");
    cr_expect_eq(at(20), ONE / 90);
    cr_expect_eq(at(60), 0);
    cr_expect_eq(at(100), 0, "beyond all samples");
}

/* 10 + 50 is the sample 60 and 20 + 80 the last, which do not count. */
Test(gittins, a_quantum_ends_before_the_sample_at_its_end)
{
    g.delta = 50;
    cr_expect_eq(at(0), ONE * 2 / (30 + 2 * 50));
    g.delta = 80;
    cr_expect_eq(at(10), ONE * 2 / (80 + 80));
    cr_expect_eq(at(0), ONE * 3 / (90 + 80));
}

Test(gittins, it_learns_when_there_is_half_as_much_again)
{
    g.delta = 30;
    cr_expect_not(gittins_learn(&g), "nothing is new");
    gittins_add(&g, 5 * CARD);
    cr_expect_not(gittins_learn(&g), "five for four");
    cr_expect_eq(at(0), ONE * 2 / 90);
    gittins_add(&g, 200 * CARD);
    cr_expect(gittins_learn(&g), "six for four");
    cr_expect_eq(at(0), ONE * 3 / (35 + 3 * 30), "5, 10 and 20; 60, 100 and 200 are beyond");
}

/* Network simplex on small networks whose answers are known, and its certificate. */
#include <criterion/criterion.h>
#include <string.h>
#include "lib/flow/mcf.h"

enum { MOST = 16 };
static int64_t flow[MOST], pi[MOST];

static struct mcf solved(uint32_t n, const int64_t *supply, uint32_t m, const struct mcf_arc *arc)
{
    struct mcf g = { .n = n, .m = m, .supply = supply, .arc = arc, .flow = flow, .pi = pi };
    char error[200] = "";
    cr_assert_eq(mcf_solve(&g), MCF_OK);
    cr_assert(mcf_verify(&g, error, sizeof error), "%s", error);
    return g;
}

/* 4 units over a cheap path of 3 and a dear one: 3 x 2 + 1 x 5. */
Test(mcf, the_cheap_path_fills_first)
{
    static const struct mcf_arc a[] = { { 0, 1, 3, 1 }, { 1, 3, 3, 1 }, { 0, 2, 9, 2 }, { 2, 3, 9, 3 } };
    struct mcf g = solved(4, (int64_t[]){ 4, 0, 0, -4 }, 4, a);
    cr_assert_eq(g.shipped, 4);
    cr_assert_eq(g.cost, 11);
    cr_assert(flow[0] == 3 && flow[2] == 1);
}

Test(mcf, what_does_not_fit_stays_and_the_flow_is_the_largest)
{
    static const struct mcf_arc a[] = { { 0, 1, 2, 7 }, { 0, 1, 1, 1000000 } };
    struct mcf g = solved(2, (int64_t[]){ 9, -9 }, 2, a);
    cr_assert_eq(g.shipped, 3);
    cr_assert_eq(g.cost, 1000014);
}

Test(mcf, of_several_supplies_the_cheaper_ships_when_demand_is_short)
{
    static const struct mcf_arc a[] = { { 0, 2, 9, 5 }, { 1, 2, 9, 3 } };
    struct mcf g = solved(3, (int64_t[]){ 4, 4, -5 }, 2, a);
    cr_assert_eq(g.shipped, 5);
    cr_assert_eq(g.cost, 4 * 3 + 5);
}

Test(mcf, negative_arcs_are_used_even_where_nothing_is_shipped)
{
    static const struct mcf_arc a[] = { { 0, 1, 2, -4 }, { 1, 0, 2, 1 } };
    struct mcf g = solved(2, (int64_t[]){ 0, 0 }, 2, a);
    cr_assert_eq(g.shipped, 0);
    cr_assert_eq(g.cost, -6);
}

Test(mcf, supply_does_not_stop_where_a_negative_arc_led_it)
{
    static const struct mcf_arc a[] = { { 0, 1, 5, -10 }, { 1, 2, 2, 3 } };
    struct mcf g = solved(3, (int64_t[]){ 5, 0, -5 }, 2, a);
    cr_assert_eq(g.shipped, 2);
    cr_assert_eq(g.cost, 2 * -7);
}

Test(mcf, networks_without_nodes_or_arcs_are_solved)
{
    cr_assert_eq(solved(0, NULL, 0, NULL).cost, 0);
    cr_assert_eq(solved(2, (int64_t[]){ 3, -3 }, 0, NULL).shipped, 0);
}

Test(mcf, figures_too_large_to_add_up_are_refused)
{
    static const struct mcf_arc a[] = { { 0, 1, 1, INT64_C(1) << 59 } };
    struct mcf g = { .n = 2, .m = 1, .supply = (int64_t[]){ 1, -1 }, .arc = a, .flow = flow, .pi = pi };
    cr_assert_eq(mcf_solve(&g), MCF_RANGE);
}

/* Each is one fault in an otherwise right answer. */
Test(mcf, the_certificate_refuses_wrong_answers)
{
    static const struct mcf_arc a[] = { { 0, 1, 3, 1 }, { 1, 3, 3, 1 }, { 0, 2, 9, 2 }, { 2, 3, 9, 3 } };
    struct mcf g = solved(4, (int64_t[]){ 4, 0, 0, -4 }, 4, a);
    char error[200];
    int64_t right[4];
    memcpy(right, flow, sizeof right);
    flow[0]++; flow[1]++; flow[2]--; flow[3]--;
    cr_assert_not(mcf_verify(&g, error, sizeof error), "above capacity");
    memcpy(flow, right, sizeof right);
    flow[1]--;
    cr_assert_not(mcf_verify(&g, error, sizeof error), "not conserved");
    memcpy(flow, right, sizeof right);
    flow[0]--; flow[1]--; flow[2]++; flow[3]++;
    cr_assert_not(mcf_verify(&g, error, sizeof error), "dearer than need be");
    memcpy(flow, right, sizeof right);
    flow[2]--; flow[3]--;
    g.shipped--;
    cr_assert_not(mcf_verify(&g, error, sizeof error), "not the largest");
}

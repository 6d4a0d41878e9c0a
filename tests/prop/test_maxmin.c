/*
 * The solver against the same rule written obviously (ref/slowfair.h), and
 * against what makes rates max-min fair: each flow has a bottleneck.
 */
#include <criterion/criterion.h>
#include <string.h>
#include "base/mem.h"
#include "base/rng.h"
#include "model/data/maxmin.h"
#include "ref/limit.h"
#include "ref/slowfair.h"

enum { CASES = 6000, SMALL = 24 };

/* Capacities from few values make ties, from 1 up make links with more flows than units. */
static void make(struct fair_net *f, struct rng *r)
{
    static const int64_t few[] = { 1, 2, 3, 5, 10, 12, 60, 125000000 / 64 };
    f->n_links = 1 + (uint32_t)rng_below(r, SMALL);
    f->n_flows = (uint32_t)rng_below(r, 2 * SMALL);
    uint64_t kind = rng_below(r, 3), most = 1 + rng_below(r, FAIR_HOPS);
    for (uint32_t l = 0; l < f->n_links; l++)
        f->cap[l] = kind == 0 ? few[rng_below(r, ARRAY_LEN(few))] : 1 + (int64_t)rng_below(r, kind == 1 ? 40 : UINT32_MAX);
    for (uint32_t i = 0; i < f->n_flows; i++) {
        bool has[SMALL] = { false };
        f->n_hops[i] = 0;
        for (uint64_t k = rng_below(r, most + 1); k > 0; k--) {
            uint32_t l = (uint32_t)rng_below(r, f->n_links);
            if (!has[l]) f->hop[i][f->n_hops[i]++] = l;
            has[l] = true;
        }
    }
}

static void solve(const struct fair_net *f, int64_t *rate)
{
    uint32_t start[2 * SMALL + 1], hop[2 * SMALL * FAIR_HOPS], n = 0;
    for (uint32_t i = 0; i < f->n_flows; i++) {
        start[i] = n;
        for (uint32_t k = 0; k < f->n_hops[i]; k++) hop[n++] = f->hop[i][k];
    }
    start[f->n_flows] = n;
    int64_t *scratch = mem_alloc(maxmin_scratch(f->n_links, n), sizeof *scratch);
    memset(rate, 0x7e, f->n_flows * sizeof *rate);
    maxmin_solve(f->n_links, f->cap, f->n_flows, start, hop, rate, scratch);
    mem_free(scratch);
}

Test(maxmin, equals_the_slow_one_and_gives_every_flow_a_bottleneck, .timeout = LIMIT(120))
{
    static struct fair_net f;
    uint64_t n_levels = 0;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        struct rng r;
        int64_t rate[2 * SMALL], want[2 * SMALL];
        uint32_t where = 0;
        rng_init(&r, seed, "test maxmin", 0);
        make(&f, &r);
        solve(&f, rate);
        slowfair_solve(&f, want);
        for (uint32_t i = 0; i < f.n_flows; i++)
            cr_assert_eq(rate[i], want[i], "seed %llu: flow %u has %lld, not %lld", (unsigned long long)seed, i,
                         (long long)rate[i], (long long)want[i]);
        const char *fault = slowfair_fault(&f, rate, &where);
        cr_assert_null(fault, "seed %llu: %s: %u", (unsigned long long)seed, fault, where);
        for (uint32_t i = 1; i < f.n_flows; i++) n_levels += rate[i] != rate[i - 1];
    }
    cr_assert_gt(n_levels, CASES);      /* the cases are not all one level */
}

/* Flows in another order, hops in another order: the same rate for each. */
Test(maxmin, order_of_flows_and_hops_is_irrelevant)
{
    static struct fair_net f, g;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        struct rng r;
        int64_t rate[2 * SMALL], turned[2 * SMALL];
        rng_init(&r, seed, "test maxmin order", 0);
        make(&f, &r);
        g = f;
        for (uint32_t i = 0; i < f.n_flows; i++) {
            uint32_t to = f.n_flows - 1 - i;
            g.n_hops[to] = f.n_hops[i];
            for (uint32_t k = 0; k < f.n_hops[i]; k++) g.hop[to][k] = f.hop[i][f.n_hops[i] - 1 - k];
        }
        solve(&f, rate);
        solve(&g, turned);
        for (uint32_t i = 0; i < f.n_flows; i++)
            cr_assert_eq(rate[i], turned[f.n_flows - 1 - i], "seed %llu: flow %u", (unsigned long long)seed, i);
    }
}

/* The check itself notices: one unit more or less for one flow is found. */
Test(maxmin, the_property_is_not_vacuous)
{
    static struct fair_net f;
    uint32_t n_tried = 0, n_found = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct rng r;
        int64_t rate[2 * SMALL];
        uint32_t where;
        rng_init(&r, seed, "test maxmin wrong", 0);
        make(&f, &r);
        slowfair_solve(&f, rate);
        for (uint32_t i = 0; i < f.n_flows; i++) {
            if (f.n_hops[i] == 0 || rate[i] < 100) continue;
            rate[i] += rate[i] / 4;
            n_found += slowfair_fault(&f, rate, &where) != NULL;
            rate[i] -= rate[i] / 2;
            n_found += slowfair_fault(&f, rate, &where) != NULL;
            n_tried += 2;
            slowfair_solve(&f, rate);
        }
    }
    cr_assert_gt(n_tried, 1000);
    cr_assert_eq(n_found, n_tried, "%u of %u", n_found, n_tried);
}

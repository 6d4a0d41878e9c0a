/*
 * affinity and balance against their rules written a second time (ref/refaffinity.c), on random cases with
 * many ties, event for event: who is sent where, moved, started, which engine each call takes, and when.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/rng.h"
#include "ref/limit.h"
#include "ref/refaffinity.h"

enum { CASES = 2000, SEED = 5 };

static struct yard y;
static char wanted[YARD_LOG];

static int64_t one_of(struct rng *r, const int64_t *of, size_t n) { return of[rng_below(r, n)]; }
#define ONE_OF(r, ...) one_of((r), (const int64_t[]){ __VA_ARGS__ }, sizeof (const int64_t[]){ __VA_ARGS__ } / sizeof(int64_t))

static const char *const types[] = { "cpu", "gpu", "npu" };
static const char *const apis[] = { "A", "B", "C" };

/* One to five nodes, some equally far; the last has a CPU, on which everything runs. */
static void random_nodes(struct rng *r)
{
    uint32_t n = 1 + (uint32_t)rng_below(r, 5);
    for (uint32_t i = 0; i < n; i++) {
        char engines[64] = "";
        for (uint32_t k = 0; k < 3; k++) {
            uint64_t count = i + 1 == n ? 1 : rng_below(r, 3);
            size_t at = strlen(engines);
            if (count > 0)
                (void)snprintf(engines + at, sizeof engines - at, "%s%s:%d", at > 0 ? "," : "", types[k], (int)count);
            if (i + 1 == n && k == (uint32_t)rng_below(r, 3)) break;
        }
        if (engines[0] == '\0') (void)strcpy(engines, "cpu:1");
        yard_node(&y, engines, ONE_OF(r, 0, 0, 1, 2), ONE_OF(r, 0, 0, 1, 2));
    }
}

/* Each interface runs on the CPU, and on others mostly, for one of a few times: often as fast. */
static void random_times(struct rng *r)
{
    for (uint32_t a = 0; a < 3; a++)
        for (uint32_t k = 0; k < 3; k++)
            if (k == 0 || rng_below(r, 4) > 0) yard_time(&y, apis[a], types[k], 1, ONE_OF(r, 1, 2, 3, 4, 4, 8, 12));
}

static void random_jobs(struct rng *r)
{
    uint32_t n = 3 + (uint32_t)rng_below(r, 12);
    int64_t at = 0;
    for (uint32_t i = 0; i < n; i++) {
        char calls[128] = "";
        for (uint64_t k = 1 + rng_below(r, 3); k > 0; k--) {
            size_t end = strlen(calls);
            (void)snprintf(calls + end, sizeof calls - end, "%s%s:%d:%d", end > 0 ? "," : "", apis[rng_below(r, 3)],
                           1 + (int)rng_below(r, 4), (int)rng_below(r, 4));
        }
        at += ONE_OF(r, 0, 0, 0, 1, 2, 5);
        yard_job(&y, at, 1 + (uint32_t)rng_below(r, 3), calls);
    }
}

static struct ref_affinity random_rule(struct rng *r)
{
    static const double part[] = { 0.25, 0.5, 0.75, 1 };
    return (struct ref_affinity){
        .is_balance = rng_below(r, 4) == 0, .target_best = rng_below(r, 3) == 0, .call_best = rng_below(r, 3) == 0,
        .least = part[rng_below(r, 4)], .call_least = part[rng_below(r, 4)], .by_load = rng_below(r, 2) == 0,
        .load = (double)ONE_OF(r, 0, 1, 1, 2), .cross = (enum ref_cross)rng_below(r, 3),
        .overhead = ONE_OF(r, 1, 2, 4, 6, 9) * TICK_SEC, .worth = rng_below(r, 3) > 0, .rebalance = rng_below(r, 3) > 0, .width = (uint32_t)ONE_OF(r, 0, 0, 1, 2, 4),
        .take = (uint32_t)ONE_OF(r, 1, 1, 2, 0),
    };
}

/* The same as text, for the product. */
static void write_spec(const struct ref_affinity *p, char *to, size_t cap)
{
    static const char *const cross[] = { "limit", "least", "off" };
    int n = snprintf(to, cap, "%s:condition=%s,call_least=%g,cross=%s,overhead=%" PRId64 "s,worth=%s,width=%u,"
                     "rebalance=%s,take=%u", p->is_balance ? "balance" : "affinity", p->call_best ? "best" : "above",
                     p->call_least, cross[p->cross], p->overhead / TICK_SEC, p->worth ? "true" : "false", p->width,
                     p->rebalance ? "true" : "false", p->take);
    if (!p->is_balance)
        (void)snprintf(to + n, cap - (size_t)n, ",target=%s,least=%g,balance=%s,load=%g", p->target_best ? "best" : "above",
                       p->least, p->by_load ? "load" : "engines", p->load);
}

/* Both logs around the first line that differs. */
static void differ(uint64_t seed, const char *spec)
{
    size_t at = 0, line = 0;
    for (; y.log[at] == wanted[at] && y.log[at] != '\0'; at++) if (y.log[at] == '\n') line = at + 1;
    size_t from = line > 600 ? line - 600 : 0;
    cr_assert_fail("case %llu, %s:\n%.*s--- done\n%.300s\n--- expected\n%.300s", (unsigned long long)seed, spec,
                   (int)(line - from), y.log + from, y.log + line, wanted + line);
}

static void check_case(uint64_t seed, uint64_t *moved, uint64_t *crossed)
{
    struct rng r;
    char spec[400];
    yard_init(&y);
    rng_init(&r, seed, "test affinity", SEED);
    random_nodes(&r);
    random_times(&r);
    random_jobs(&r);
    struct ref_affinity p = random_rule(&r);
    write_spec(&p, spec, sizeof spec);
    yard_run(&y, spec);
    bool all = ref_affinity_run(&y, &p, wanted, sizeof wanted);
    if (strcmp(y.log, wanted) != 0) differ(seed, spec);
    cr_assert_eq(y.result == ST_END, all, "case %llu, %s: %s", (unsigned long long)seed, spec, y.diag.msg);
    *moved += y.n_moved;
    *crossed += y.n_cross;
    yard_fini(&y);
}

Test(affinity_reference, s2_a_second_implementation_does_the_same, .timeout = LIMIT(600))
{
    uint64_t n = getenv("FAIRWAY_LONG") != NULL ? 10 * CASES : CASES, moved = 0, crossed = 0;
    for (uint64_t seed = 1; seed <= n; seed++) check_case(seed, &moved, &crossed);
    cr_assert(moved > n / 10 && crossed > n, "%llu moved, %llu crossed: the cases test little", (unsigned long long)moved,
              (unsigned long long)crossed);
}

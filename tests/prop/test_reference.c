/*
 * The simulator against the reference of tests/ref, event for event, on random
 * small cases: every order with every placement.  FAIRWAY_LONG=1 runs 10 times
 * as many, FAIRWAY_SHORT=1 a tenth; FAIRWAY_SEED=n runs only that seed.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include "ref/kueuecase.h"
#include "ref/refcase.h"

enum { CASES = 300, MADE_CASES = 3000, FACTOR = 10 };

static bool counts;             /* each test is a process of its own */

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && *value == '1';
}

static uint64_t cases(uint64_t n)
{
    return is_set("FAIRWAY_LONG") ? n * FACTOR : is_set("FAIRWAY_SHORT") ? n / FACTOR : n;
}

static void compare(enum ref_order order, bool skip, bool clairvoyant)
{
    const char *only = getenv("FAIRWAY_SEED");
    const uint64_t n = cases(CASES);
    for (int place = REF_FIRST; place <= REF_KUBE_HYBRID; place++) {
        for (uint64_t i = 0; i < n; i++) {
            /* Other cases for each combination: more of them are seen. */
            uint64_t seed = 1 + i + n * (uint64_t)(place + 8 * (2 * (int)order + skip + 12 * clairvoyant));
            if (only != NULL) { seed = strtoull(only, NULL, 10); i = n; }
            struct ref_case c;
            refcase_make(&c, seed);
            c.policy.order = order;
            c.policy.place = (enum ref_place)place;
            c.policy.skip = skip;
            c.policy.clairvoyant = clairvoyant;
            c.policy.counts = counts;
            if (refcase_agrees(&c, stderr)) continue;
            cr_assert_fail("seed %lu: the simulator and the reference differ (see above)", (unsigned long)seed);
        }
    }
}

static void compare_made(void (*make)(struct ref_case *, uint64_t))
{
    const char *only = getenv("FAIRWAY_SEED");
    const uint64_t n = cases(MADE_CASES);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t seed = 1 + i;
        if (only != NULL) { seed = strtoull(only, NULL, 10); i = n; }
        struct ref_case c;
        make(&c, seed);
        if (refcase_agrees(&c, stderr)) continue;
        cr_assert_fail("seed %lu: the simulator and the reference differ (see above)", (unsigned long)seed);
    }
}

Test(reference, multiqueue)    { compare_made(refcase_make_mq); }
Test(reference, dice)          { compare_made(refcase_make_dice); }
Test(reference, kueue)         { compare_made(kueuecase_make); }
Test(reference, fifo_strict)   { compare(REF_FIFO, false, false); }
Test(reference, fifo_skip)     { compare(REF_FIFO, true, false); }
Test(reference, sjf_strict)    { compare(REF_SJF, false, false); }
Test(reference, sjf_skip)      { compare(REF_SJF, true, false); }
Test(reference, sjf_true)      { compare(REF_SJF, true, true); }
Test(reference, srtf_strict)   { compare(REF_SRTF, false, false); }
Test(reference, srtf_skip)     { compare(REF_SRTF, true, false); }
Test(reference, srtf_true)     { compare(REF_SRTF, true, true); }
Test(reference, srtf_count)    { counts = true; compare(REF_SRTF, true, false); }
Test(reference, srtf_true_count)    { counts = true; compare(REF_SRTF, true, true); }
Test(reference, tiresias)      { compare(REF_TIRESIAS, true, false); }
Test(reference, tiresias_count)     { counts = true; compare(REF_TIRESIAS, true, false); }
Test(reference, las_strict)    { compare(REF_LAS, false, false); }
Test(reference, las_skip)      { compare(REF_LAS, true, false); }
Test(reference, easy_limit)    { compare(REF_EASY, true, false); }
Test(reference, easy_true)     { compare(REF_EASY, true, true); }
Test(reference, drf_strict)    { compare(REF_DRF, false, false); }
Test(reference, drf_skip)      { compare(REF_DRF, true, false); }

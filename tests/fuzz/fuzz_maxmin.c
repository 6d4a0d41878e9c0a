/* fuzz_maxmin.c -- the max-min fair solver against the slow one, and a bottleneck for every flow. */
#include "fuzz/fuzz.h"
#include "prop/test_maxmin.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static struct fair_net f;
    struct rng r;
    int64_t rate[2 * SMALL], want[2 * SMALL];
    uint32_t where = 0;
    fuzz_draw_from(data, n);
    rng_init(&r, 0, "fuzz", 0);
    make(&f, &r);
    solve(&f, rate);
    slowfair_solve(&f, want);
    for (uint32_t i = 0; i < f.n_flows; i++) cr_assert_eq(rate[i], want[i]);
    cr_assert_null(slowfair_fault(&f, rate, &where));
    return 0;
}

/* fuzz_flow.c -- the flow solver, over rounds that change, against successive shortest paths on the whole network. */
#include "fuzz/fuzz.h"
#include "prop/test_flow_fuzz.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct ref_round r;
    struct rng g;
    fuzz_draw_from(data, n);
    rng_init(&g, 0, "fuzz", 0);
    const struct ref_shape *shape = &shapes[rng_below(&g, 6)]; /* the others are slow */
    ref_random(&r, &g, shape);
    struct assign *s = ref_tell(&r);
    if (rng_below(&g, 2)) assign_bid_from(s, 0);
    if (rng_below(&g, 2)) assign_fill_from(s, 0);
    (void)expect_solved(s, &r, 0, 0);
    for (int round = 1; round < 4; round++) {
        uint64_t what = rng_below(&g, 12);
        if (what == 0) dispatch(s, &r);
        if (what == 1) assign_forget(s);
        for (uint64_t k = rng_below(&g, 8); k > 0; k--) change(s, &r, &g, shape);
        (void)expect_solved(s, &r, 0, round);
    }
    assign_destroy(s);
    return 0;
}

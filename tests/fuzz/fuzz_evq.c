/* fuzz_evq.c -- the event queue against a searched array. */
#include "fuzz/fuzz.h"
#include "prop/test_evq.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    fuzz_draw_from(data, n);
    script(0);
    return 0;
}

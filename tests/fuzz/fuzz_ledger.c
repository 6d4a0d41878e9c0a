/* fuzz_ledger.c -- the ledger of the cluster against a list of holders. */
#include "fuzz/fuzz.h"
#include "prop/test_cluster.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    fuzz_draw_from(data, n);
    script(0);
    return 0;
}

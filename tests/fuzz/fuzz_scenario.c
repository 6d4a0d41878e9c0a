/* fuzz_scenario.c -- a scenario: read, or refused in words. */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include "input/scenario/scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct scenario s;
    struct diag d = { 0 };
    enum st st = scn_load(&s, fuzz_file(data, n), NULL, 0, &d);
    if (st == ST_OK) scn_fini(&s);
    else if (d.msg[0] == '\0' || (st != ST_EINPUT && st != ST_EWORLD)) abort();
    return 0;
}

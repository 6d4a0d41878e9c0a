/* fuzz_model.c -- a model of a trace: read and drawn from, or refused in words. */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include "base/mem.h"
#include "input/fit/draw.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct model m;
    struct drawn_jobs made = { .n = 0 };
    struct diag d = { 0 };
    fuzz_draw_from(data, n);
    enum st st = model_read(&m, fuzz_file(data, n), &d);
    if (st == ST_OK) {
        double jobs = 0;
        for (size_t i = 0; i < m.n; i++)
            jobs += (double)m.at[i].users * model_bins_mean(&m.at[i].sessions) * (1 + model_bins_mean(&m.at[i].jobs));
        if (jobs < 1e4) st = draw_jobs(&made, &m, 1, 86400, 1, &d);
        for (size_t i = 1; i < made.n; i++)
            if (made.at[i].ms < made.at[i - 1].ms || made.at[i].dur < 0) abort();
        mem_free(made.at);
        model_fini(&m);
    }
    if (st != ST_OK && (d.msg[0] == '\0' || (st != ST_EINPUT && st != ST_EWORLD))) abort();
    return 0;
}

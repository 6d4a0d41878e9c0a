/* gpushare.c -- how many GPUs each job should have, see gpushare.h. */
#include "lib/data/gpushare.h"

int64_t gpushare_basic(int64_t q, int64_t grain, uint32_t k, int64_t want)
{
    if (k == 0) return 0;
    int64_t even = q / grain / (int64_t)k * grain;
    return even < want ? even : want;
}

/*
 * 1. The first pass gives A*; each later one spreads what is left in the same
 *    way over those that want more.  Every pass but the last satisfies a job
 *    or leaves less than a grain for each.
 * 2. What remains goes out a grain at a time, in order of arrival.
 * A pass that gives s grains to each is s turns of one grain, so the number of
 * passes does not matter to the result.
 */
void gpushare(int64_t q, int64_t grain, uint32_t k, const int64_t *want, int64_t *share)
{
    for (uint32_t i = 0; i < k; i++) share[i] = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < k; i++) n += want[i] > 0;
    while (n > 0 && q / grain / (int64_t)n > 0) {
        int64_t each = q / grain / (int64_t)n * grain;
        n = 0;
        for (uint32_t i = 0; i < k; i++) {
            int64_t more = want[i] - share[i] < each ? want[i] - share[i] : each;
            share[i] += more;
            q -= more;
            n += want[i] > share[i];
        }
    }
    while (n > 0 && q > 0) {
        n = 0;
        for (uint32_t i = 0; i < k && q > 0; i++) {
            int64_t more = want[i] - share[i] < grain ? want[i] - share[i] : grain;
            if (more > q) more = q;
            share[i] += more;
            q -= more;
            n += want[i] > share[i];
        }
    }
}

/* estimate.c -- sums over the last transfers of each level, see estimate.h. */
#include "model/data/estimate.h"

#include <string.h>
#include "base/mem.h"

/* A longer transfer, 292 years, counts as this, so that no sum of them overflows. */
#define LONGEST_US (INT64_MAX / ESTIMATE_WINDOW_MAX)

void estimate_init(struct estimate *e, uint32_t window)
{
    SIM_ASSERT(window > 0 && window <= ESTIMATE_WINDOW_MAX);
    memset(e, 0, sizeof *e);
    e->window = window;
    for (int l = 0; l < LEVELS; l++) MEM_ARRAY(e->level[l].last, window);
}

void estimate_fini(struct estimate *e)
{
    for (int l = 0; l < LEVELS; l++) mem_free(e->level[l].last);
}

void estimate_add(struct estimate *e, enum data_level level, int64_t bytes, sim_tick us)
{
    struct estimate_level *l = &e->level[level];
    struct estimate_sample *last = &l->last[l->next], was = l->sum;
    SIM_ASSERT(bytes > 0 && us > 0);
    l->sum.bytes += bytes - last->bytes;        /* of a place not yet used both are 0 */
    l->sum.us += i64_min(us, LONGEST_US) - last->us;
    *last = (struct estimate_sample){ bytes, i64_min(us, LONGEST_US) };
    l->next = (l->next + 1) % e->window;
    if (l->n < e->window) l->n++;
    e->version += l->sum.bytes != was.bytes || l->sum.us != was.us;
}

int64_t estimate_us(const struct estimate *e, enum data_level level, int64_t size)
{
    const struct estimate_level *l = &e->level[level];
    return l->n == 0 ? -1 : mul_div(size, l->sum.us, l->sum.bytes);
}

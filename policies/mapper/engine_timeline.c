/* engine_timeline.c -- the bookings of one engine, see engine_timeline.h. */
#include "mapper/engine_timeline.h"

#include "lib/util.h"

int64_t engine_timeline_fit(const struct engine_timeline *l, int64_t ready, int64_t dur, bool inserts)
{
    if (!inserts) return l->n > 0 && l->slot[l->n - 1].end > ready ? l->slot[l->n - 1].end : ready;
    for (uint32_t i = 0; i < l->n; i++) {
        if (l->slot[i].start >= pol_after(ready, dur)) return ready;
        if (l->slot[i].end > ready) ready = l->slot[i].end;
    }
    return ready;
}

void engine_timeline_put(struct engine_timeline *l, uint32_t task, int64_t start, int64_t dur)
{
    POL_RESERVE(l->slot, l->cap, (size_t)l->n + 1);
    uint32_t i = l->n++;
    for (; i > 0 && l->slot[i - 1].start > start; i--) l->slot[i] = l->slot[i - 1];
    l->slot[i] = (struct engine_slot){ start, pol_after(start, dur), task };
}

void engine_timeline_drop(struct engine_timeline *l, uint32_t task)
{
    for (uint32_t i = 0; i < l->n; i++) {
        if (l->slot[i].task != task) continue;
        memmove(&l->slot[i], &l->slot[i + 1], (l->n - i - 1) * sizeof *l->slot);
        l->n--;
        return;
    }
}

void engine_timeline_fini(struct engine_timeline *l) { free(l->slot); }

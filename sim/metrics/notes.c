#include "metrics/notes.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

void notes_fini(struct notes *t)
{
    intern_fini(&t->name);
    mem_free(t->at);
    memset(t, 0, sizeof *t);
}

void notes_add(struct notes *t, sim_tick at, const char *name, double value)
{
    if (isnan(value)) return;
    uint32_t id = intern_id(&t->name, name);
    MEM_RESERVE(t->at, t->cap, (size_t)id + 1);
    struct notes_sum *s = &t->at[id];
    if (s->n > 0) s->level_us += s->last * (double)(at - s->since);
    s->max = s->n > 0 ? fmax(s->max, value) : value;
    s->sum += value;
    s->last = value;
    s->since = at;
    s->n++;
}

double notes_level(const struct notes_sum *s, sim_tick now)
{
    return now > 0 ? (s->level_us + s->last * (double)(now - s->since)) / (double)now : NAN;
}

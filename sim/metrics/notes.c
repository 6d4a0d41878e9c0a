/* notes.c -- the collector of what the policy notes, in the scope `notes`. */
#include "metrics/notes.h"

#include <string.h>

#include "base/mem.h"

static const struct collector_metric metric[] = {      /* X: the name that the policy gave it */
    { "X_count", "1", COLLECTOR_ONE }, { "X_mean", "1", COLLECTOR_ONE }, { "X_max", "1", COLLECTOR_ONE },
    { "X_last", "1", COLLECTOR_ONE }, { "X_level", "1", COLLECTOR_ONE },
    { NULL, NULL, COLLECTOR_ONE },
};

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

static void fini(void *self) { notes_fini(self); }

static void noted(void *self, sim_tick at, const char *name, double value) { notes_add(self, at, name, value); }

static void emit(void *self, const struct world *w)
{
    const struct notes *t = self;
    for (uint32_t i = 0; i < t->name.n; i++) {
        const struct notes_sum *s = &t->at[i];
        const struct { const char *tail; double x; } figure[] = {
            { "count", (double)s->n }, { "mean", s->sum / (double)s->n }, { "max", s->max }, { "last", s->last },
            { "level", notes_level(s, world_now(w)) },
        };
        for (size_t k = 0; k < ARRAY_LEN(figure); k++) {
            char *name = mem_printf("%s_%s", intern_name(&t->name, i), figure[k].tail);
            collector_put(t->out, name, "notes", figure[k].x);
            mem_free(name);
        }
    }
}

const struct collector notes_collector = {
    .metric = metric, .size = sizeof(struct notes), .noted = noted, .emit = emit, .fini = fini,
};

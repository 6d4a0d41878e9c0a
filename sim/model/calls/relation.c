/* relation.c -- rows by task name, and what running a task's calls on each engine type finds. */
#include "model/calls/relation.h"

#include <stdio.h>
#include <string.h>
#include "base/mem.h"

const char *const relation_form_name[RELATION_FORMS] = { "rank", "time", "efficiency" };

void relation_fini(struct relation *r)
{
    intern_fini(&r->tasks);
    mem_free(r->row);
    mem_free(r->line);
    mem_free(r->path);
    memset(r, 0, sizeof *r);
}

uint32_t relation_task(const struct relation *r, const char *job, uint32_t index)
{
    char *name;
    size_t cap = strlen(job) + 16;
    MEM_ARRAY(name, cap);
    (void)snprintf(name, cap, "%s/%u", job, index);
    uint32_t id = intern_find(&r->tasks, name);
    mem_free(name);
    return id;
}

const struct relation_row *relation_find(const struct relation *r, const char *job, uint32_t index)
{
    uint32_t id = relation_task(r, job, index);
    return id == NONE ? NULL : &r->row[id];
}

void relation_profile(const struct calltime *t, const struct call *call, uint32_t n, sim_tick us[ENGINE_TYPES_MAX])
{
    for (uint32_t k = 0; k < ENGINE_TYPES_MAX; k++) {
        us[k] = 0;
        for (uint32_t i = 0; i < n && us[k] >= 0; i++) {
            sim_tick one = calltime_us(t, call[i].api, k, call[i].size);
            us[k] = one < 0 ? -1 : us[k] > DUR_MAX - one ? DUR_MAX : us[k] + one;
        }
    }
}

struct relation_row relation_of_times(const sim_tick us[ENGINE_TYPES_MAX], enum relation_form form)
{
    struct relation_row r = { .form = form };
    for (uint32_t k = 0; k < ENGINE_TYPES_MAX; k++) {
        if (us[k] < 0) continue;
        sim_tick t = i64_max(us[k], 1);         /* no time at all: as good as the shortest that can be told */
        if (form == RELATION_TIME) r.value[k] = (double)t / TICK_SEC;
        if (form == RELATION_EFFICIENCY) r.value[k] = TICK_SEC / (double)t;
        if (form != RELATION_RANK) continue;
        r.value[k] = 1;
        for (uint32_t o = 0; o < ENGINE_TYPES_MAX; o++) r.value[k] += us[o] >= 0 && i64_max(us[o], 1) < t;
    }
    return r;
}

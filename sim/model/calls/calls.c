/* calls.c -- the copy of its calls that a live job owns. */
#include "model/calls/calls.h"

#include <string.h>
#include "base/mem.h"

struct calls *calls_create(const struct task_calls *c, uint32_t n_tasks)
{
    struct calls *o;
    MEM_NEW(o);
    MEM_ARRAY(o->first, n_tasks);
    MEM_ARRAY(o->n, n_tasks);
    MEM_ARRAY(o->call, c->n_calls);
    memcpy(o->first, c->first, n_tasks * sizeof *o->first);
    memcpy(o->n, c->n, n_tasks * sizeof *o->n);
    memcpy(o->call, c->call, c->n_calls * sizeof *o->call);
    for (uint32_t k = 0; k < n_tasks; k++) SIM_ASSERT(o->n[k] > 0 && o->first[k] <= c->n_calls - o->n[k]);
    return o;
}

void calls_destroy(struct calls *c)
{
    if (c == NULL) return;
    mem_free(c->first);
    mem_free(c->n);
    mem_free(c->call);
    mem_free(c);
}

/*
 * calls.h -- tasks that are made of API calls, and how long a call takes on an
 * engine of each kind.  Layer: model.
 *
 * A call names an API and the bytes that its arguments occupy; the same API has
 * an implementation for some kinds of engine (cluster.engines).  Its time is
 * measured at some sizes; between two of them it lies on the straight line,
 * rounded down to a microsecond.  One measured size stands for all.
 */
#ifndef MODEL_CALLS_CALLS_H
#define MODEL_CALLS_CALLS_H

#include "base/intern.h"
#include "model/cluster/shape.h"

/* ---- what a task does ---- */

struct call { int64_t size, result; uint32_t api, reserved; };     /* bytes of the arguments, > 0, and of the result, >= 0 */

/* The calls of a job's tasks, in order: task k makes call[first[k] .. first[k] + n[k]); n >= 1; ranges may coincide. */
struct task_calls { const uint32_t *first, *n; const struct call *call; uint32_t n_calls; };

/* An owned copy, for a live job of n_tasks. */
struct calls { uint32_t *first, *n; struct call *call; };
struct calls *calls_create(const struct task_calls *c, uint32_t n_tasks);
void          calls_destroy(struct calls *c);      /* NULL is fine */

/* ---- how long it takes ---- */

struct call_point { int64_t size; sim_tick us; };
struct call_row { struct call_point *at; uint32_t n; size_t cap; };            /* by size, increasing */

struct calltime { struct intern apis; struct call_row *row; size_t cap_row; };  /* row [api * ENGINE_KINDS_MAX + kind] */

void calltime_fini(struct calltime *t);             /* zero-initialise to begin */
/* A measured time, 0 <= us <= DUR_MAX; size > 0.  False: that size is there already.  O(sizes of the row). */
bool calltime_add(struct calltime *t, uint32_t api, uint32_t kind, int64_t size, sim_tick us);
/*
 * Time of a call on an engine of that kind; -1: it cannot run there, or its
 * size is outside of what was measured.  O(log sizes).
 */
sim_tick calltime_us(const struct calltime *t, uint32_t api, uint32_t kind, int64_t size);
/* The least over the kinds of `mask`; -1: none of them can run it. */
sim_tick calltime_best(const struct calltime *t, uint32_t api, int64_t size, uint32_t mask);

#endif

/*
 * calls.h -- tasks that are made of API calls: what each calls, in order.
 * Layer: model.
 *
 * A call names an API and the bytes that its arguments and its result occupy.
 */
#ifndef MODEL_CALLS_CALLS_H
#define MODEL_CALLS_CALLS_H

#include "base/base.h"

/* size: bytes of the arguments, > 0; result: its bytes, >= 0. */
struct call { int64_t size, result; uint32_t api, reserved; };

/* The calls of a job's tasks, in order: task k makes call[first[k] .. first[k] + n[k]); n >= 1; ranges may coincide. */
struct task_calls { const uint32_t *first, *n; const struct call *call; uint32_t n_calls; };

/* An owned copy, for a live job of n_tasks. */
struct calls { uint32_t *first, *n; struct call *call; };
struct calls *calls_create(const struct task_calls *c, uint32_t n_tasks);
void          calls_destroy(struct calls *c);      /* NULL is fine */

#endif

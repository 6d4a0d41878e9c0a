/*
 * as_calls.h -- tasks of workflows as calls: what makes no calls of its own becomes
 * one call, whose time is the task's on engines of known speeds.  Layer: input.
 *
 * So the mappings of calls to engines serve any workflow, on nodes of differing speed.
 */
#ifndef INPUT_TRACE_AS_CALLS_H
#define INPUT_TRACE_AS_CALLS_H

#include "input/trace/trace.h"

/*
 * Where env->opts->as_calls asks for it: put a reader of such jobs before *r, and take r's place.  Each duration is
 * an API of its own, `task of SECONDS s`, in env->opts->times.  A task's nominal time is then the shortest.
 */
void as_calls_open(const struct trace_env *env, struct trace_reader *r);

#endif

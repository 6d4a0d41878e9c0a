/*
 * relation.h -- which engines suit a task: the relation of tasks to engine
 * types, as profiling finds it (S2-2, S2-3).  Layer: model.
 *
 * For each type a value: a rank (1 the best), a time, or an efficiency, which
 * is work by time with the work of any task 1.  All three order the types in
 * the same way; ranks alone do not say how much better one is.
 */
#ifndef MODEL_CALLS_RELATION_H
#define MODEL_CALLS_RELATION_H

#include "base/intern.h"
#include "model/calls/calls.h"
#include "model/calls/calltime.h"

enum relation_form { RELATION_RANK, RELATION_TIME, RELATION_EFFICIENCY, RELATION_FORMS };
extern const char *const relation_form_name[RELATION_FORMS];    /* rank, time, efficiency */

/* value[k]: rank; seconds; 1/seconds; 0: the task cannot run on that type. */
struct relation_row { enum relation_form form; double value[ENGINE_TYPES_MAX]; };

/* By task: "JOB/INDEX"; path and line [tasks]: where its row stands, for messages. */
struct relation {
    struct intern tasks;
    struct relation_row *row; size_t cap;
    uint32_t *line; size_t cap_line;
    char *path;
};

void relation_fini(struct relation *r);     /* zero-initialise to begin */
const struct relation_row *relation_find(const struct relation *r, const char *job, uint32_t index);    /* NULL: none */
uint32_t relation_task(const struct relation *r, const char *job, uint32_t index);      /* its place in `tasks`; NONE */

/*
 * Run n calls on every engine type and add up: us[k] out, -1 where one of
 * them cannot run.  Source: the patent's figure 5.  O(n types log sizes).
 */
void relation_profile(const struct calltime *t, const struct call *call, uint32_t n, sim_tick us[ENGINE_TYPES_MAX]);
/* The row of such times in a form; equal times share a rank, and the next rank counts them all. */
struct relation_row relation_of_times(const sim_tick us[ENGINE_TYPES_MAX], enum relation_form form);

#endif

/*
 * event_log.h -- a run as text, one line an event, for golden tests and for reading.
 * Layer: db.
 *
 *   T_US arrive JOB
 *   T_US start  JOB TASK NODE CARDS      cards as a bit mask in hex
 *   T_US stop   JOB TASK NODE WHY        done preempted failed timeout horizon
 *   T_US end    JOB STATUS               done timeout rejected unfinished failed
 *   T_US down   NODE  /  T_US up NODE
 */
#ifndef DB_EVENT_LOG_H
#define DB_EVENT_LOG_H

#include <stdio.h>
#include "model/world_view.h"

struct observer event_log_observer(FILE *to);     /* borrows `to` */

extern const char *const event_log_stop_reason[];    /* by enum stop_why */
extern const char *const event_log_job_status[];  /* by enum job_status */

#endif

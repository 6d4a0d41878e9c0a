/*
 * event_log.h -- a run as text, one line an event, for golden tests and for reading.
 * Layer: db.
 *
 *   T_US arrive JOB
 *   T_US start  JOB TASK NODE CARDS [CPUm] [MEMB]   cards as a bit mask in hex; milli-CPU, bytes where not those asked
 *   T_US resize JOB TASK CPUm [MEMB]         the cores it now holds; the memory where that changed
 *   T_US stop   JOB TASK NODE REASON         done preempted failed timeout horizon mismatch
 *   T_US send   JOB TASK NODE|master         to that queue
 *   T_US call   JOB TASK CALL NODE ENGINE EXEC_US+WAY_US done|lost
 *   T_US end    JOB STATUS                   done timeout rejected unfinished failed
 *   T_US down   NODE  /  T_US up NODE
 */
#ifndef DB_EVENT_LOG_H
#define DB_EVENT_LOG_H

#include <stdio.h>
#include "model/world_view.h"

struct observer event_log_observer(FILE *to);     /* borrows `to` */

extern const char *const event_log_stop_reason[];    /* by enum stop_reason */
extern const char *const event_log_job_status[];  /* by enum job_status */

#endif

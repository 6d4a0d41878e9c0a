/*
 * message_events.h -- what happened, as a policy in another process is told: the
 * events of a round, and the parts that its answers share with them.
 * policies/PROTOCOL.md, "decide".  Layer: host.
 */
#ifndef HOST_EXEC_MESSAGE_EVENTS_H
#define HOST_EXEC_MESSAGE_EVENTS_H

#include "host/exec/json_text.h"
#include "policy.h"

/* One element of `events`.  flags: what the policy declared. */
void message_event(struct json_text *out, const struct pol_host *h, const struct pol_event *e, uint32_t flags);
/* `inputs` of one task; nothing when it reads nothing. */
void message_inputs(struct json_text *out, const struct pol_host *h, pol_task t, const struct pol_task_info *ti);
/* `cards` of a running task. */
void message_cards(struct json_text *out, uint64_t cards);

#endif

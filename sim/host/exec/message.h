/*
 * message.h -- what the host says to a policy in another process: one JSON
 * document a line.  policies/PROTOCOL.md is the specification.  Layer: host.
 */
#ifndef HOST_EXEC_MESSAGE_H
#define HOST_EXEC_MESSAGE_H

#include "host/exec/json_text.h"
#include "policy.h"

enum { WIRE_PROTOCOL = 1, WIRE_MINOR = 0 };

/*
 * Each writes one whole line.
 *   weights  "user:weight;...", see host_create; false: it is not of that form
 *   flags    what the policy declared: limits are told to POL_USES_LIMITS, true
 *            durations to POL_CLAIRVOYANT alone
 *   nodes    [n_nodes] whose state to tell
 */
bool message_hello(struct json_text *w, const char *weights);
void message_cluster(struct json_text *w, const struct pol_host *h, const struct pol_view *v);
struct wire_round {
    const struct pol_view  *view;
    const struct pol_event *event; size_t n_events;
    const uint32_t *node; uint32_t n_nodes;
    uint32_t shapes_told;       /* shapes from this one on are new */
    uint32_t flags;
};
void message_decide(struct json_text *w, const struct pol_host *h, const struct wire_round *r);
/* The state of a task, what reading its inputs would cost on some nodes, and what the way of its calls between two. */
struct wire_way { uint32_t call, from, to; };
struct wire_question { const uint32_t *node; size_t n_nodes; const struct wire_way *way; size_t n_ways; };
void message_answer(struct json_text *w, const struct pol_host *h, pol_task t, const struct wire_question *q, uint32_t flags);
void message_bye(struct json_text *w);

#endif

/*
 * message.h -- the messages from the host to a policy in another process: one JSON
 * document a line.  policies/PROTOCOL.md is the specification.  Layer: host.
 */
#ifndef HOST_EXEC_MESSAGE_H
#define HOST_EXEC_MESSAGE_H

#include "host/exec/json_text.h"
#include "policy.h"

enum { MESSAGE_PROTOCOL = 1, MESSAGE_MINOR = 0 };

/*
 * Each writes one whole line.
 *   weights  "user:weight;...", see host_create; false: it is not of that form
 *   flags    what the policy declared: limits go to POL_USES_LIMITS, true durations
 *            to POL_CLAIRVOYANT alone
 *   nodes    [n_nodes] whose state to tell
 */
bool message_hello(struct json_text *out, const char *weights);
void message_cluster(struct json_text *out, const struct pol_host *h, const struct pol_view *v);
struct message_round {
    const struct pol_view  *view;
    const struct pol_event *event; size_t n_events;
    const uint32_t *node; uint32_t n_nodes;
    uint32_t shapes_told;       /* shapes from this one on are new */
    uint32_t flags;
    bool frees; /* something changed hands: what is free of licences is told */
};
void message_decide(struct json_text *out, const struct pol_host *h, const struct message_round *r);
/* The state of a task, what reading its inputs would cost on some nodes, and what the way of its calls between two. */
struct message_way { uint32_t call, from, to; };
struct message_question { const uint32_t *node; size_t n_nodes; const struct message_way *way; size_t n_ways; };
void message_answer(struct json_text *out, const struct pol_host *h, pol_task t, const struct message_question *q, uint32_t flags);
void message_bye(struct json_text *out);

#endif

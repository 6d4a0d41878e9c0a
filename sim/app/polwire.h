/*
 * polwire.h -- what the host says to a policy in another process: one JSON
 * document a line.  policies/PROTOCOL.md is the specification.  Layer: app.
 *
 * Documents are appended as text: most of a run's time with such a policy is
 * the making and reading of them, and a tree of values to print them from would
 * cost several times as much.  O(what is written).
 */
#ifndef SIM_POLWIRE_H
#define SIM_POLWIRE_H

#include "base/base.h"
#include "policy.h"

enum { WIRE_PROTOCOL = 1, WIRE_MINOR = 0 };

/* A growing text; zero-initialise to begin, reuse by setting n to 0. */
struct wire { char *s; size_t n, cap; };
void wire_fini(struct wire *w);

void wire_text(struct wire *w, const char *s);          /* as it is */
/* In quotes, escaped.  A byte that is not UTF-8 stands for the Latin-1 character it would be. */
void wire_string(struct wire *w, const char *s);
void wire_int(struct wire *w, int64_t v);

/*
 * Each writes one whole line.
 *   weights  "user:weight;...", see polhost_create; false: it is not of that form
 *   flags    what the policy declared: limits are told to POL_USES_LIMITS, true
 *            durations to POL_CLAIRVOYANT alone
 *   nodes    [n_nodes] whose state to tell
 */
bool wire_hello(struct wire *w, const char *weights);
void wire_cluster(struct wire *w, const struct pol_host *h, const struct pol_view *v);
struct wire_round {
    const struct pol_view  *view;
    const struct pol_event *event; size_t n_events;
    const uint32_t *node; uint32_t n_nodes;
    uint32_t shapes_told;       /* shapes from this one on are new */
    uint32_t flags;
};
void wire_decide(struct wire *w, const struct pol_host *h, const struct wire_round *r);
/* The state of a task, and what reading its inputs would cost on each of node [n]. */
void wire_answer(struct wire *w, const struct pol_host *h, pol_task t, const uint32_t *node, size_t n, uint32_t flags);
void wire_bye(struct wire *w);

#endif

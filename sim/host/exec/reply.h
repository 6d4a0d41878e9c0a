/*
 * reply.h -- the messages from a policy in another process to the host: one JSON
 * document a line, checked field by field.  policies/PROTOCOL.md is the
 * specification.  Layer: host.
 *
 * Every error is one sentence in `error`: what was found, what was expected, and
 * for a misspelt word the nearest right one.  A field that is not known, or
 * stands twice, is an error: nothing that a policy sends is ignored.
 */
#ifndef HOST_EXEC_REPLY_H
#define HOST_EXEC_REPLY_H

#include "base/text.h"
#include "host/exec/message.h"
#include "model/cluster/cluster.h"
#include "extensions.h"

enum { REPLY_ERROR_MAX = 600 };       /* room that `error` needs everywhere here */
#define reply_error(error, ...) text_error(error, REPLY_ERROR_MAX, __VA_ARGS__)

/* The first answer.  Texts are owned. */
struct reply_hello { char *name, *source, *summary, *label; uint32_t flags; };
bool reply_hello(struct reply_hello *out, const char *line, size_t n, char *error);
void reply_hello_fini(struct reply_hello *r);

struct reply_decision {
    enum pol_verb verb;
    uint64_t job;               /* ordinal */
    uint64_t lender;            /* lend: ordinal */
    uint32_t task;              /* index in the job */
    uint32_t node, engine;      /* start, send, call */
    bool     flag;              /* hold: head; lend: all that it holds, not `amount` */
    struct pol_amount amount;
    struct pol_reserve reserve;
    const struct pol_place *place; uint32_t n_places;       /* start: one */
    const char *text;           /* the reason, or the note's name, or the failure's message; NULL: none */
    int64_t  at_us;             /* wake */
    int64_t  cpu_milli, mem_b;  /* resize */
    double   value;             /* note */
};

/* Places asked for: of n tasks of a shape, one after the other; n 0: of one on each node. */
struct reply_request { uint32_t shape, n; };
/* What is free of a node's cards, or of their memory or cores, by card. */
struct reply_cards { int64_t free[NODE_GPUS_MAX]; uint32_t n; bool is_told; };
/* A node as the child plans it; -1 and not told: as it was. */
struct reply_state {
    uint32_t node;
    int64_t  up, tasks, cpu, mem, engine[POL_ENGINES_MAX];
    struct reply_cards gpu, gpu_mem, gpu_cores;
};

/* An answer to a round: decisions one by one, or a question.  Zero-initialise all but host; reused for every line. */
struct reply {
    const struct pol_host *host;                    /* borrowed: names engines and licences; NULL: there are none */
    void    *doc;               /* the parsed line; json_t */
    size_t   n, next;           /* decisions in all; handed out */
    bool     is_query, asks_fits;                   /* query: about a task, or where requests fit */
    uint64_t job;               /* query: about this task */
    uint32_t task;
    uint32_t *node; size_t n_nodes, cap_nodes;      /* query: and these nodes */
    bool     all_nodes;                             /* no nodes were named */
    struct message_way *way; size_t n_ways, cap_ways;  /* query: and the way of these calls */
    struct reply_request *request; size_t n_requests, cap_requests;     /* query: where these fit */
    bool     empty;                                 /* if nothing ran there */
    size_t   n_states, next_state;                  /* nodes that the child plans otherwise; handed out */
    struct pol_place *place; size_t cap_place;
    int64_t *licence; size_t cap_licence;           /* of a decision's amounts, one after the other */
    uint32_t n_licences, n_amounts;
};
bool reply_open(struct reply *r, const char *line, size_t n, char *error);
/* The next decision; its texts and places are borrowed until the next call.  r->next has counted it already. */
bool reply_next(struct reply *r, struct reply_decision *out, char *error);
/* The same for the nodes of a query.  Counts and amounts are as told, at least 0: what the node has is not looked at. */
bool reply_next_state(struct reply *r, struct reply_state *out, char *error);
void reply_fini(struct reply *r);

#endif

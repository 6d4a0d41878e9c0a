/*
 * host.h -- the host of one policy: parses its spec, shows it the world as
 * a frozen view, checks and applies its decisions.  Layer: host.
 */
#ifndef HOST_HOST_H
#define HOST_HOST_H

#include "host/guest.h"
#include "host/sandbox.h"
#include "model/world.h"
#include "extensions.h"

struct host;

/* Ways to show the same world that a policy must not depend on; for the conformance kit. */
struct host_tricks {
    bool moves_memory;      /* what a decide call could read is overwritten after it; the next finds it elsewhere */
    bool lists_all_changed; /* view->changed names every node, whether it changed or not */
    bool reuses_shapes;     /* to a policy of shapes/1, an id means another request as soon as it can */
};

/* What is recorded of a policy's doings, and what it is told.  Any member may be NULL. */
struct host_hooks {
    void *ctx;
    /* An applied decision, or what the policy states that it holds back (hold, head); job: ordinal; task, node: -1
     * where they do not apply; reason: as the policy gave it, or NULL. */
    void (*decision)(void *ctx, sim_tick at, const char *verb, uint64_t job, int64_t task, int64_t node, const char *reason);
    void (*note)(void *ctx, sim_tick at, const char *name, double value);
    /* What each node was to a task that asked (scores/1); without it the policy is told not to work that out. */
    void (*scores)(void *ctx, sim_tick at, uint64_t job, uint32_t task, const struct pol_score *s, uint32_t n);
    /* The record of a job does not go with the cluster (recorded/1); what: enum pol_contradiction. */
    void (*contradicts)(void *ctx, sim_tick at, uint64_t job, uint32_t what);
    void (*decided)(void *ctx, int64_t wall_ns);    /* after each decide call */
    /* Has the trace or the cluster such a user, queue, job with a graph or label?  1, 0; NULL: not known. */
    int32_t (*knows)(void *ctx, uint32_t type, const char *name);
    int64_t call_us;            /* longest that a policy in another process may take to answer; 0: its own default */
    struct sandbox_page *page;  /* kept up to date with where the policy is */
    struct host_tricks tricks;
};

/* A policy of this process that is not built in: the table that a spec is read against. */
struct host_own {
    const struct pol_ops *table;
    const struct guest_ops *guest; /* of one that states what it is once it was created; else NULL */
    const void *client;            /* what client/1 gives it */
};

/* Where a spec was written, for diagnostics; all zero: the command line.  own NULL: a built-in, a file or a command. */
struct host_origin {
    const char *file;
    uint32_t line, col;
    const struct host_own *own;
};

/*
 * Create a policy from "name[:key=value,...]" or "exec:COMMAND" (host/exec/exec.h).
 *   weights  "user:weight;..." from the scenario, the value of a parameter
 *            named `weights` that the spec leaves out; NULL: none
 *   run      what the world that it serves is made of: the policy knows its cluster, seed
 *            and audit in create; NULL: it serves none, and is shown a cluster without nodes
 * ST_EINPUT with d filled for an unknown name, parameter or value.
 */
enum st host_create(struct host **out, const char *spec, const char *weights, const struct world_config *run,
                       const struct host_origin *origin, const struct host_hooks *hooks, struct diag *d);
void    host_destroy(struct host *h);

/* To give to world_create; the host serves one world at a time, from its beginning. */
struct decider host_decider(struct host *h);

/* "name:key=value,..." with every parameter; of a file, its path in place of the name; borrowed. */
const char *host_spec(const struct host *h);
/* By what a run knows the policy: its spec, with the digest of a plugin in the place of its path; borrowed. */
const char *host_known_spec(const struct host *h);
/* The plugin that chooses its nodes, and its file's digest; NULL: it has none. */
const struct pol_plugin *host_plugin(const struct host *h, const char **digest);
/* The digest of the shared object that the policy is from, or "" if it is built in. */
const char *host_file_digest(const struct host *h);
/* Does the spec name a shared object, whose code must run in a sandbox? */
bool host_is_foreign(const char *spec);
/* Does it name a command, whose process is one of its own? */
bool host_is_command(const char *spec);
/* What this instance does: ops->flags, as its parameters narrow them. */
uint32_t host_flags(const struct host *h);
/* How tables call it unless the user names it: what a policy in another process
 * calls itself, "name:key=value,..."; NULL for others.  Borrowed. */
const char *host_label(const struct host *h);
const struct pol_ops *host_ops(const struct host *h);
bool host_clairvoyant(const struct host *h);
/* Does it tell of the scores of nodes?  Does it look at what tasks prefer of nodes? */
bool host_scores(const struct host *h);
/* Did it ask for profiles/1 or goodput/1? */
bool host_profiles(const struct host *h);
bool host_prefers(const struct host *h);
/* What a file that its parameters name asks, and is not modelled: [n], borrowed. */
const char *const *host_notes(const struct host *h, size_t *n);

#endif

/*
 * run_policy.h -- who a policy is, in a run's row and key.  Layer: run.
 *
 * A built-in is its spec with every parameter; a policy of a file is the file's
 * bytes and its parameters, wherever the file lies.
 */
#ifndef RUN_RUN_POLICY_H
#define RUN_RUN_POLICY_H

#include "base/hash.h"
#include "db/store.h"
#include "host/host.h"
#include "input/scenario/scenario.h"

struct run_policy {
    char *spec;                 /* with every parameter */
    char *source;               /* and the digest of its file, if it is from one */
    char  identity[HASH_HEX];
    bool  is_clairvoyant, by_count;
};

/* Create a policy of the scenario, with the scenario's weights of users. */
enum st run_policy_open(struct host **h, struct scenario *s, uint64_t seed, const struct scn_policy *p, const struct host_hooks *hooks,
                        struct diag *d);
/* Who the policy is that this host runs. */
void    run_policy_describe(struct run_policy *out, const struct host *h);
void    run_policy_fini(struct run_policy *p);

/*
 * Both at once, in a sandbox if the policy is not of this program.  p is one of s;
 * where it was given no label it takes the name that it gives itself.
 */
enum st run_policy_find(struct run_policy *out, struct scenario *s, struct scn_policy *p,
                        const struct sandbox_limits *limits, struct diag *d);

/* "exec:COMMAND", known well enough for its key without its command being run. */
void    run_policy_of_command(struct run_policy *out, const char *spec);

/*
 * Every policy of the scenario, before anything runs, and that no two are the same.
 * ST_EINPUT, or ST_EPOLICY when one cannot even be created.
 */
enum st run_policy_check_all(struct scenario *s, const struct sandbox_limits *limits, struct diag *d);

/* The row of a run; it borrows from the members here, from the scenario and from the policy. */
struct run_row { struct store_run row; char key[HASH_HEX], trace_hash[17]; };
void    run_policy_row(struct run_row *out, const struct scenario *s, uint64_t content_hash, const struct run_policy *who,
                       const char *label, uint64_t seed);

#endif

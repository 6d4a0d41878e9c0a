/*
 * config.h -- slurm.conf, the accounts and the QOS as the policy keeps them.
 *
 * The host reads the files and checks their values (sim/input/slurm/); here they come as lines
 * "KIND\tNAME\tKEY=VALUE\t...": of slurm.conf `set` (globals), `node` (its Weight), `partition`, and `member` (a node
 * of the last partition, or ALL); of rounds `main`, `full`, `backfill` and `priorities`, whose name is the time in
 * microseconds and whose fields are nodes; of a dump `cluster`, `parent`, `account` and `user`; of QOS `qos`;
 * of reservations `reservation` and its `member` nodes.
 * Times are seconds, amounts the base units of policy.h; what is not set is -1.
 */
#ifndef POL_SLURM_CONFIG_H
#define POL_SLURM_CONFIG_H

#include "extensions.h"
#include "lib/map.h"

enum { CONFIG_NONE = -1, CONFIG_YEAR = 365 * 24 * 3600 };

struct slurm_tres { int64_t cpu, mem, node, gpu; };
struct slurm_weights { double cpu, mem, node, gpu; };    /* for a CPU, a MiB, a node, a GPU */

enum slurm_preempt_type { PREEMPT_BY_NOBODY, PREEMPT_BY_QOS, PREEMPT_BY_PARTITION };

struct slurm_partition {
    const char *name;
    uint64_t *nodes;            /* a set, owned */
    int64_t max_time, default_time, max_nodes, min_nodes, tier, job_factor;
    bool is_default, is_up, is_exclusive, least_loaded, may_be_preempted, has_billing;
    struct slurm_weights billing;
    const char *allow_accounts, *deny_accounts, *allow_qos, *deny_qos, *qos_name;   /* NULL: none */
    int32_t qos;                /* of its own limits; CONFIG_NONE: none */
};

/* Of a user in an account, or of an account; the limits are -1 where there is none. */
struct slurm_assoc {
    const char *account, *user, *partition;     /* user NULL: an account */
    int32_t parent;             /* CONFIG_NONE: the root */
    int64_t shares, priority;   /* shares CONFIG_NONE: its parent's */
    const char *default_qos, *default_account;
    int64_t grp_jobs, max_jobs, max_wall;
    struct slurm_tres grp, max;
    /* fairshare.c */
    double usage, shares_norm, usage_eff, factor, level;
    /* limits.c */
    int64_t n_jobs; struct slurm_tres used;
};

struct slurm_qos {
    const char *name, *preempt;
    int64_t priority;
    double usage_factor;
    bool no_reserve, no_decay, may_be_preempted;
    int64_t grp_jobs, max_wall, jobs_per_user, jobs_per_account;
    struct slurm_tres grp, max, per_user, per_account;
    int64_t n_jobs; struct slurm_tres used;
};

struct slurm_conf {
    char *text[3];              /* what the names below point into */
    bool has_backfill, is_multifactor, fair_tree, favor_small, relative_size, incr_only, max_tres, least_loaded;
    bool raw_assoc, raw_partition, raw_qos, raw_tres;    /* PriorityFlags=NO_NORMAL_... */
    bool defers, has_epilog;
    bool enforces_limits, enforces_qos, limit_stop, serial_at_end, youngest_first, has_database, one_resv;
    enum slurm_preempt_type preempt_type;
    bool preempts;              /* PreemptMode is not OFF */
    double w_age, w_fairshare, w_size, w_partition, w_qos, w_assoc, dampening;
    struct slurm_weights w_tres;
    int64_t max_age, half_life, calc_period;
    int64_t bf_interval, bf_window, bf_resolution, bf_max_job_test, bf_max_job_user, bf_max_job_part,
        bf_max_job_user_part, bf_max_job_assoc, bf_max_job_start, bf_part_reserve, bf_array_resv, bf_min_age,
        bf_min_prio, bf_window_linear;
    int64_t queue_depth, partition_depth, sched_interval, max_job_start, sched_delay, kill_wait, over_time;
    uint32_t n_nodes; size_t n_words;
    uint32_t *weight;           /* [n_nodes] */
    struct slurm_partition *partition; uint32_t n_partitions; size_t cap_partitions;
    struct slurm_assoc *assoc; uint32_t n_assocs; size_t cap_assocs;
    struct slurm_qos *qos; uint32_t n_qos; size_t cap_qos;
    struct map node_of, account_of, user_of;    /* by name */
};

/* field: the first of n, which lie one after the other, each ended by a NUL. */
struct config_line { char *kind, *name, *field; uint32_t n; };
/* Cut the next line of *at off, in place.  False at the end. */
bool config_next(char **at, struct config_line *l);
const char *config_field(const char *field);    /* the one after it */
const char *config_value(const struct config_line *l, const char *key);        /* of its KEY=VALUE; NULL: none */
uint32_t config_node(const struct slurm_conf *c, const struct pol_host *h, const char *name);      /* POL_NONE: none */

/* text: of slurm.conf, the dump and the QOS, each "" if there is none.  False: error [cap] is filled. */
bool config_read(struct slurm_conf *c, const struct pol_host *host, const char *const text[3], char *error, size_t cap);
void config_fini(struct slurm_conf *c);         /* of zeroed memory, too */

/* CONFIG_NONE: there is none. */
int32_t config_partition(const struct slurm_conf *c, const char *name, size_t len);
int32_t config_qos(const struct slurm_conf *c, const char *name, size_t len);
/* The association of a user in an account ("" for the user's default one); of the partition alone, if it has one. */
int32_t config_assoc(const struct slurm_conf *c, const char *user, const char *account, const char *partition);
/* Is the word in a list with commas?  Without regard to case. */
bool config_lists(const char *list, const char *word);

#endif

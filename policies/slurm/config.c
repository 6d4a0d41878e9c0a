/* config.c -- the lines of config.h taken apart. */
#include "slurm/config.h"

#include <inttypes.h>
#include <strings.h>
#include "lib/util.h"
#include "slurm/nodeset.h"

bool config_next(char **at, struct config_line *l)
{
    char *s = *at, *end = strchr(s, '\n');
    if (end == NULL) return false;
    *end = '\0';
    *at = end + 1;
    *l = (struct config_line){ .kind = s, .name = s + strlen(s) };
    for (uint32_t k = 0; (s = strchr(s, '\t')) != NULL; k++) {
        *s++ = '\0';
        if (k == 0) l->name = s;
        else if (l->n++ == 0) l->field = s;
    }
    return true;
}

const char *config_field(const char *field) { return field + strlen(field) + 1; }

const char *config_value(const struct config_line *l, const char *key)
{
    size_t n = strlen(key);
    const char *v = NULL, *f = l->field;
    for (uint32_t i = 0; i < l->n; i++, f = config_field(f))
        if (strncmp(f, key, n) == 0 && f[n] == '=') v = f + n + 1;
    return v;
}

static void whole(const struct config_line *l, const char *key, int64_t *out)
{
    const char *v = config_value(l, key);
    if (v != NULL) *out = strtoll(v, NULL, 10);
}
static void number(const struct config_line *l, const char *key, double *out)
{
    const char *v = config_value(l, key);
    if (v != NULL) *out = strtod(v, NULL);
}
static void word(const struct config_line *l, const char *key, const char **out)
{
    const char *v = config_value(l, key);
    if (v != NULL) *out = strcasecmp(v, "ALL") == 0 ? NULL : v;
}
static void tres(const struct config_line *l, const char *key, struct slurm_tres *out)
{
    const char *v = config_value(l, key);
    if (v != NULL &&
        sscanf(v, "%" SCNd64 ":%" SCNd64 ":%" SCNd64 ":%" SCNd64, &out->cpu, &out->mem, &out->node, &out->gpu) != 4)
        out->cpu = CONFIG_NONE;     /* the host writes four */
}
static bool weights(const struct config_line *l, const char *key, struct slurm_weights *out)
{
    const char *v = config_value(l, key);
    return v != NULL && sscanf(v, "%lf:%lf:%lf:%lf", &out->cpu, &out->mem, &out->node, &out->gpu) == 4;
}

bool config_lists(const char *list, const char *what)
{
    size_t n = what != NULL ? strlen(what) : 0, len;
    for (const char *p = list; p != NULL && *p != '\0' && n > 0; p += len + (p[len] == ',')) {
        len = strcspn(p, ",");
        if (len == n && strncasecmp(p, what, n) == 0) return true;
    }
    return false;
}

/* ---- slurm.conf ---- */

/* slurm.conf(5)'s defaults. */
static void defaults(struct slurm_conf *c)
{
    c->has_backfill = true;
    c->fair_tree = true;
    c->dampening = 1;
    c->max_age = 7 * 86400;
    c->half_life = 7 * 86400;
    c->calc_period = 300;
    c->bf_interval = 30;
    c->bf_window = 1440;
    c->bf_resolution = 60;
    c->bf_max_job_test = 500;
    c->bf_array_resv = 20;
    c->queue_depth = 100;
    c->sched_interval = 60;
    c->sched_delay = 3;
    c->kill_wait = 30;
}

static void read_words(struct slurm_conf *c, const struct config_line *l)
{
    const char *v;
    if ((v = config_value(l, "SchedulerType")) != NULL) c->has_backfill = strcasecmp(v, "sched/builtin") != 0;
    if ((v = config_value(l, "PriorityType")) != NULL) c->is_multifactor = strcasecmp(v, "priority/multifactor") == 0;
    if ((v = config_value(l, "PriorityFavorSmall")) != NULL) c->favor_small = strcasecmp(v, "YES") == 0;
    if ((v = config_value(l, "PriorityFlags")) != NULL) {
        c->fair_tree = !config_lists(v, "NO_FAIR_TREE");
        c->relative_size = config_lists(v, "SMALL_RELATIVE_TO_TIME");
        c->incr_only = config_lists(v, "INCR_ONLY");
        c->max_tres = config_lists(v, "MAX_TRES");
        const bool all = config_lists(v, "NO_NORMAL_ALL");
        c->raw_assoc = all || config_lists(v, "NO_NORMAL_ASSOC");
        c->raw_partition = all || config_lists(v, "NO_NORMAL_PART");
        c->raw_qos = all || config_lists(v, "NO_NORMAL_QOS");
        c->raw_tres = all || config_lists(v, "NO_NORMAL_TRES");
    }
    if ((v = config_value(l, "SelectTypeParameters")) != NULL) c->least_loaded = config_lists(v, "CR_LLN");
    if ((v = config_value(l, "PreemptType")) != NULL)
        c->preempt_type = strcasecmp(v, "preempt/qos") == 0              ? PREEMPT_BY_QOS
                        : strcasecmp(v, "preempt/partition_prio") == 0 ? PREEMPT_BY_PARTITION : PREEMPT_BY_NOBODY;
    if ((v = config_value(l, "PreemptMode")) != NULL) c->preempts = !config_lists(v, "OFF");
    if ((v = config_value(l, "AccountingStorageEnforce")) != NULL) {
        c->enforces_limits = config_lists(v, "limits") || config_lists(v, "safe") || config_lists(v, "all");
        c->enforces_qos = config_lists(v, "qos") || config_lists(v, "all");
    }
    if ((v = config_value(l, "AccountingStorageType")) != NULL)
        c->has_database = strcasecmp(v, "accounting_storage/slurmdbd") == 0;
    c->has_epilog |= config_value(l, "Epilog") != NULL;
    c->defers |= config_value(l, "defer") != NULL;
    c->limit_stop |= config_value(l, "assoc_limit_stop") != NULL;
    c->serial_at_end |= config_value(l, "pack_serial_at_end") != NULL;
    c->youngest_first |= config_value(l, "preempt_youngest_first") != NULL;
    c->one_resv |= config_value(l, "bf_one_resv_per_job") != NULL;
}

static void read_set(struct slurm_conf *c, const struct config_line *l)
{
    read_words(c, l);
    number(l, "PriorityWeightAge", &c->w_age);
    number(l, "PriorityWeightFairshare", &c->w_fairshare);
    number(l, "PriorityWeightJobSize", &c->w_size);
    number(l, "PriorityWeightPartition", &c->w_partition);
    number(l, "PriorityWeightQOS", &c->w_qos);
    number(l, "PriorityWeightAssoc", &c->w_assoc);
    number(l, "FairShareDampeningFactor", &c->dampening);
    (void)weights(l, "PriorityWeightTRES", &c->w_tres);
    whole(l, "PriorityMaxAge", &c->max_age);
    whole(l, "PriorityDecayHalfLife", &c->half_life);
    whole(l, "PriorityCalcPeriod", &c->calc_period);
    whole(l, "bf_interval", &c->bf_interval);
    whole(l, "bf_window", &c->bf_window);
    whole(l, "bf_resolution", &c->bf_resolution);
    whole(l, "bf_max_job_test", &c->bf_max_job_test);
    whole(l, "bf_max_job_user", &c->bf_max_job_user);
    whole(l, "bf_max_job_part", &c->bf_max_job_part);
    whole(l, "bf_max_job_user_part", &c->bf_max_job_user_part);
    whole(l, "bf_max_job_assoc", &c->bf_max_job_assoc);
    whole(l, "bf_max_job_start", &c->bf_max_job_start);
    whole(l, "bf_job_part_count_reserve", &c->bf_part_reserve);
    whole(l, "bf_max_job_array_resv", &c->bf_array_resv);
    whole(l, "bf_min_age_reserve", &c->bf_min_age);
    whole(l, "bf_min_prio_reserve", &c->bf_min_prio);
    whole(l, "bf_window_linear", &c->bf_window_linear);
    whole(l, "default_queue_depth", &c->queue_depth);
    whole(l, "partition_job_depth", &c->partition_depth);
    whole(l, "sched_interval", &c->sched_interval);
    whole(l, "sched_max_job_start", &c->max_job_start);
    whole(l, "batch_sched_delay", &c->sched_delay);
    whole(l, "KillWait", &c->kill_wait);
    whole(l, "OverTimeLimit", &c->over_time);
}

static void read_partition(struct slurm_conf *c, const struct config_line *l, struct slurm_partition *p)
{
    const char *v;
    whole(l, "MaxTime", &p->max_time);
    whole(l, "DefaultTime", &p->default_time);
    whole(l, "MaxNodes", &p->max_nodes);
    whole(l, "MinNodes", &p->min_nodes);
    whole(l, "Priority", &p->tier);
    whole(l, "Priority", &p->job_factor);
    whole(l, "PriorityTier", &p->tier);
    whole(l, "PriorityJobFactor", &p->job_factor);
    if ((v = config_value(l, "Default")) != NULL) p->is_default = strcasecmp(v, "YES") == 0;
    if ((v = config_value(l, "State")) != NULL) p->is_up = strcasecmp(v, "UP") == 0 || strcasecmp(v, "DRAIN") == 0;
    if ((v = config_value(l, "OverSubscribe")) != NULL || (v = config_value(l, "Shared")) != NULL)
        p->is_exclusive = strncasecmp(v, "EXCLUSIVE", 9) == 0;
    if ((v = config_value(l, "LLN")) != NULL) p->least_loaded = strcasecmp(v, "YES") == 0;
    if ((v = config_value(l, "PreemptMode")) != NULL) p->may_be_preempted = !config_lists(v, "OFF");
    word(l, "AllowAccounts", &p->allow_accounts);
    word(l, "DenyAccounts", &p->deny_accounts);
    word(l, "AllowQos", &p->allow_qos);
    word(l, "DenyQos", &p->deny_qos);
    word(l, "QOS", &p->qos_name);
    p->has_billing |= weights(l, "TRESBillingWeights", &p->billing);
    (void)c;
}

/* FNV-1a. */
static uint32_t hash_of(const char *name)
{
    uint64_t h = UINT64_C(14695981039346656037);
    for (; *name != '\0'; name++) h = (h ^ (unsigned char)*name) * UINT64_C(1099511628211);
    return map_mix(h);
}

static void index_nodes(struct slurm_conf *c, const struct pol_host *h)
{
    const char *name;
    for (uint32_t i = 0; i < c->n_nodes; i++)
        if ((name = h->name(h->ctx, POL_NAME_NODE, i)) != NULL) map_add(&c->node_of, hash_of(name), i);
}

uint32_t config_node(const struct slurm_conf *c, const struct pol_host *h, const char *name)
{
    uint32_t i;
    MAP_EACH(i, &c->node_of, hash_of(name)) if (strcmp(h->name(h->ctx, POL_NAME_NODE, i), name) == 0) return i;
    return POL_NONE;
}

/* A node of the file that is not of the cluster is passed over. */
static void read_conf(struct slurm_conf *c, const struct pol_host *h, char *text)
{
    struct slurm_partition dflt = { .max_time = CONFIG_NONE,
                                    .default_time = CONFIG_NONE,
                                    .max_nodes = CONFIG_NONE,
                                    .tier = 1,
                                    .job_factor = 1,
                                    .is_up = true,
                                    .may_be_preempted = true,
                                    .qos = CONFIG_NONE };
    uint64_t *dflt_nodes = pol_alloc(c->n_words, sizeof *dflt_nodes), *to = NULL;
    struct config_line l;
    for (uint32_t at = 0; config_next(&text, &l);) {
        if (strcmp(l.kind, "set") == 0) read_set(c, &l);
        else if (strcmp(l.kind, "node") == 0 && (at = config_node(c, h, l.name)) != POL_NONE)
            c->weight[at] = (uint32_t)strtoul(config_value(&l, "Weight"), NULL, 10);
        else if (strcmp(l.kind, "member") == 0 && to != NULL) {
            if (strcmp(l.name, "ALL") == 0) memset(to, 0xff, c->n_words * sizeof *to);
            else if ((at = config_node(c, h, l.name)) != POL_NONE) nodeset_put(to, at);
        } else if (strcmp(l.kind, "partition") == 0 && strcasecmp(l.name, "DEFAULT") == 0) {
            read_partition(c, &l, &dflt);
            to = dflt_nodes;
        } else if (strcmp(l.kind, "partition") == 0) {
            struct slurm_partition p = dflt;
            p.name = l.name;
            p.nodes = to = pol_alloc(c->n_words, sizeof *to);
            read_partition(c, &l, &p);
            POL_PUSH(c->partition, c->n_partitions, c->cap_partitions, p);
        }
    }
    for (uint32_t i = 0; i < c->n_partitions; i++)
        if (!nodeset_holds(c->partition[i].nodes, c->n_words, 1))
            nodeset_copy(c->partition[i].nodes, dflt_nodes, c->n_words);
    free(dflt_nodes);
}

/* ---- accounts and QOS ---- */

enum { DEPTH_MAX = 64 };        /* of accounts; fairshare.c calls itself for each level */
static const struct slurm_tres no_tres = { CONFIG_NONE, CONFIG_NONE, CONFIG_NONE, CONFIG_NONE };

static int32_t find_account(const struct slurm_conf *c, const char *name)
{
    uint32_t i;
    MAP_EACH(i, &c->account_of, hash_of(name)) if (strcmp(c->assoc[i].account, name) == 0) return (int32_t)i;
    return CONFIG_NONE;
}

/* Accounts by their own names, users' associations by the users'. */
static void index_assoc(struct slurm_conf *c, uint32_t i)
{
    const struct slurm_assoc *a = &c->assoc[i];
    if (a->user != NULL) map_add(&c->user_of, hash_of(a->user), i);
    else if (find_account(c, a->account) == CONFIG_NONE) map_add(&c->account_of, hash_of(a->account), i);
}

static struct slurm_assoc *add_assoc(struct slurm_conf *c, const char *account, int32_t parent)
{
    POL_PUSH(c->assoc, c->n_assocs, c->cap_assocs,
             (struct slurm_assoc){ .account = account,
                                   .parent = parent,
                                   .shares = 1,
                                   .grp_jobs = CONFIG_NONE,
                                   .max_jobs = CONFIG_NONE,
                                   .max_wall = CONFIG_NONE,
                                   .grp = no_tres,
                                   .max = no_tres });
    return &c->assoc[c->n_assocs - 1];
}

static void read_assoc(const struct config_line *l, struct slurm_assoc *a)
{
    const char *v = config_value(l, "Fairshare");
    if (v != NULL) a->shares = strcasecmp(v, "parent") == 0 ? CONFIG_NONE : strtoll(v, NULL, 10);
    whole(l, "Priority", &a->priority);
    whole(l, "GrpJobs", &a->grp_jobs);
    whole(l, "MaxJobs", &a->max_jobs);
    whole(l, "MaxWallDurationPerJob", &a->max_wall);
    whole(l, "MaxWall", &a->max_wall);
    tres(l, "GrpTRES", &a->grp);
    tres(l, "MaxTRES", &a->max);
    tres(l, "MaxTRESPerJob", &a->max);
    word(l, "DefaultQOS", &a->default_qos);
    word(l, "DefaultAccount", &a->default_account);
    word(l, "Partition", &a->partition);
}

static bool is_too_deep(const struct slurm_conf *c, int32_t assoc)
{
    int depth = 0;
    while (assoc != CONFIG_NONE && depth <= DEPTH_MAX) {
        assoc = c->assoc[assoc].parent;
        depth++;
    }
    return depth > DEPTH_MAX;
}

static bool read_accounts(struct slurm_conf *c, char *text, char *error, size_t cap)
{
    int32_t parent = 0;
    struct config_line l;
    while (config_next(&text, &l)) {
        if (strcmp(l.kind, "cluster") == 0) {
            if (c->n_assocs > 0) return pol_error(error, cap, "the dump of accounts is of more than one cluster");
            read_assoc(&l, add_assoc(c, "root", CONFIG_NONE));
        } else if (c->n_assocs == 0) {
            return pol_error(error, cap, "the dump of accounts does not begin with its cluster");
        } else if (strcmp(l.kind, "parent") == 0) {
            parent = find_account(c, l.name);
            if (parent == CONFIG_NONE)
                return pol_error(error, cap, "the dump of accounts names parent '%s' before that account", l.name);
            if (is_too_deep(c, parent))
                return pol_error(error, cap, "account '%s' is more than %d deep in the dump of accounts", l.name,
                                 DEPTH_MAX);
        } else {
            struct slurm_assoc *a =
                add_assoc(c, strcmp(l.kind, "user") == 0 ? c->assoc[parent].account : l.name, parent);
            if (strcmp(l.kind, "user") == 0) a->user = l.name;
            read_assoc(&l, a);
        }
        if (strcmp(l.kind, "parent") != 0) index_assoc(c, c->n_assocs - 1);
    }
    return true;
}

static void read_qos(struct slurm_conf *c, char *text)
{
    struct config_line l;
    while (config_next(&text, &l)) {
        const char *v;
        struct slurm_qos q = { .name = l.name,
                               .usage_factor = 1,
                               .may_be_preempted = true,
                               .grp_jobs = CONFIG_NONE,
                               .max_wall = CONFIG_NONE,
                               .jobs_per_user = CONFIG_NONE,
                               .jobs_per_account = CONFIG_NONE,
                               .grp = no_tres,
                               .max = no_tres,
                               .per_user = no_tres,
                               .per_account = no_tres };
        whole(&l, "Priority", &q.priority);
        number(&l, "UsageFactor", &q.usage_factor);
        whole(&l, "GrpJobs", &q.grp_jobs);
        whole(&l, "MaxWall", &q.max_wall);
        whole(&l, "MaxJobsPU", &q.jobs_per_user);
        whole(&l, "MaxJobsPA", &q.jobs_per_account);
        tres(&l, "GrpTRES", &q.grp);
        tres(&l, "MaxTRES", &q.max);
        tres(&l, "MaxTRESPU", &q.per_user);
        tres(&l, "MaxTRESPA", &q.per_account);
        q.preempt = config_value(&l, "Preempt");
        if ((v = config_value(&l, "PreemptMode")) != NULL) q.may_be_preempted = strcasecmp(v, "OFF") != 0;
        q.no_reserve = config_lists(config_value(&l, "Flags"), "NoReserve");
        q.no_decay = config_lists(config_value(&l, "Flags"), "NoDecay");
        POL_PUSH(c->qos, c->n_qos, c->cap_qos, q);
    }
}

/* ---- all ---- */

bool config_read(struct slurm_conf *c, const struct pol_host *host, const char *const text[3], char *error, size_t cap)
{
    memset(c, 0, sizeof *c);
    c->n_nodes = host->view(host->ctx)->n_nodes;
    c->n_words = (c->n_nodes + 63) / 64;
    c->weight = pol_alloc(c->n_nodes, sizeof *c->weight);
    for (uint32_t i = 0; i < c->n_nodes; i++) c->weight[i] = 1;
    for (int i = 0; i < 3; i++) c->text[i] = strcpy(pol_alloc(strlen(text[i]) + 1, 1), text[i]);
    defaults(c);
    index_nodes(c, host);
    read_conf(c, host, c->text[0]);
    if (c->n_partitions == 0) {         /* no file: one partition of all nodes */
        uint64_t *all = pol_alloc(c->n_words, sizeof *all);
        memset(all, 0xff, c->n_words * sizeof *all);
        POL_PUSH(c->partition, c->n_partitions, c->cap_partitions,
                 (struct slurm_partition){ .name = "",
                                           .nodes = all,
                                           .max_time = CONFIG_NONE,
                                           .default_time = CONFIG_NONE,
                                           .is_default = true,
                                           .max_nodes = CONFIG_NONE,
                                           .tier = 1,
                                           .job_factor = 1,
                                           .is_up = true,
                                           .may_be_preempted = true,
                                           .qos = CONFIG_NONE });
    }
    if (!read_accounts(c, c->text[1], error, cap)) return false;
    read_qos(c, c->text[2]);
    c->has_database |= c->n_assocs > 0;
    for (uint32_t i = 0; i < c->n_partitions; i++) {
        struct slurm_partition *p = &c->partition[i];
        if (p->qos_name == NULL) continue;
        p->qos = config_qos(c, p->qos_name, strlen(p->qos_name));
        if (p->qos == CONFIG_NONE && c->n_qos > 0)
            return pol_error(error, cap, "partition %s has QOS '%s', which the table of QOS has not", p->name,
                             p->qos_name);
    }
    if (c->bf_interval < 1 || c->bf_resolution < 1 || c->bf_window < 1 || c->sched_interval < 1 || c->calc_period < 1)
        return pol_error(
            error, cap, "bf_interval, bf_window, bf_resolution, sched_interval and PriorityCalcPeriod must be above 0");
    if (c->dampening <= 0) return pol_error(error, cap, "FairShareDampeningFactor must be above 0");
    return true;
}

void config_fini(struct slurm_conf *c)
{
    for (uint32_t i = 0; i < c->n_partitions; i++) free(c->partition[i].nodes);
    map_fini(&c->node_of);
    map_fini(&c->account_of);
    map_fini(&c->user_of);
    POL_FREE(c->partition, c->assoc, c->qos, c->weight, c->text[0], c->text[1], c->text[2]);
    memset(c, 0, sizeof *c);
}

int32_t config_partition(const struct slurm_conf *c, const char *name, size_t len)
{
    for (uint32_t i = 0; i < c->n_partitions; i++)
        if (strlen(c->partition[i].name) == len && memcmp(c->partition[i].name, name, len) == 0) return (int32_t)i;
    return CONFIG_NONE;
}

int32_t config_qos(const struct slurm_conf *c, const char *name, size_t len)
{
    for (uint32_t i = 0; i < c->n_qos; i++)
        if (strlen(c->qos[i].name) == len && memcmp(c->qos[i].name, name, len) == 0) return (int32_t)i;
    return CONFIG_NONE;
}

int32_t config_assoc(const struct slurm_conf *c, const char *user, const char *account, const char *partition)
{
    uint32_t i, own = POL_NONE, any = POL_NONE;         /* of the partition alone, the last; else the first */
    MAP_EACH(i, &c->user_of, hash_of(user)) {
        const struct slurm_assoc *a = &c->assoc[i];
        if (strcmp(a->user, user) != 0) continue;
        if (account[0] != '\0' ? strcmp(a->account, account) != 0
                               : a->default_account != NULL && strcmp(a->account, a->default_account) != 0)
            continue;
        if (a->partition != NULL && strcmp(a->partition, partition) != 0) continue;
        if (a->partition == NULL && i < any) any = i;
        if (a->partition != NULL && (own == POL_NONE || i > own)) own = i;
    }
    if (own != POL_NONE) return (int32_t)own;
    return any != POL_NONE ? (int32_t)any : CONFIG_NONE;
}

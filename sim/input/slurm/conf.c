/*
 * conf.c -- slurm.conf as the policy `slurm` takes it, see scheduler.h.
 *
 * A key is modelled, or is the daemons' own affair (paths, ports, logs, the start of jobs on
 * nodes), or it is listed; so is a value that is not modelled of a key that is.
 */
#include <string.h>
#include <strings.h>
#include "base/mem.h"
#include "base/text.h"
#include "input/cluster/slurm_conf.h"
#include "input/slurm/words.h"

static const struct slurm_key keys[] = {
    { "SchedulerType", SLURM_WORD },
    { "SelectType", SLURM_WORD },
    { "SelectTypeParameters", SLURM_WORD },
    { "PriorityType", SLURM_WORD },
    { "PriorityFlags", SLURM_WORD },
    { "PriorityFavorSmall", SLURM_WORD },
    { "PriorityWeightAge", SLURM_NUMBER },
    { "PriorityWeightFairshare", SLURM_NUMBER },
    { "PriorityWeightJobSize", SLURM_NUMBER },
    { "PriorityWeightPartition", SLURM_NUMBER },
    { "PriorityWeightQOS", SLURM_NUMBER },
    { "PriorityWeightAssoc", SLURM_NUMBER },
    { "PriorityWeightTRES", SLURM_WEIGHTS },
    { "PriorityMaxAge", SLURM_MINUTES },
    { "PriorityDecayHalfLife", SLURM_MINUTES },
    { "PriorityCalcPeriod", SLURM_MINUTES },
    { "FairShareDampeningFactor", SLURM_NUMBER },
    { "Epilog", SLURM_WORD },
    { "PreemptType", SLURM_WORD },
    { "PreemptMode", SLURM_WORD },
    { "AccountingStorageEnforce", SLURM_WORD },
    { "AccountingStorageType", SLURM_WORD },
    { "OverTimeLimit", SLURM_WHOLE },
    { "KillWait", SLURM_WHOLE },
};
static const struct slurm_key parameters[] = {
    { "bf_interval", SLURM_WHOLE },
    { "bf_window", SLURM_WHOLE },
    { "bf_resolution", SLURM_WHOLE },
    { "bf_max_job_test", SLURM_WHOLE },
    { "bf_max_job_user", SLURM_WHOLE },
    { "bf_max_job_part", SLURM_WHOLE },
    { "bf_max_job_user_part", SLURM_WHOLE },
    { "bf_max_job_assoc", SLURM_WHOLE },
    { "bf_max_job_start", SLURM_WHOLE },
    { "bf_job_part_count_reserve", SLURM_WHOLE },
    { "bf_max_job_array_resv", SLURM_WHOLE },
    { "bf_min_age_reserve", SLURM_WHOLE },
    { "bf_min_prio_reserve", SLURM_WHOLE },
    { "bf_window_linear", SLURM_WHOLE },
    { "bf_busy_nodes", SLURM_WORD },
    { "bf_one_resv_per_job", SLURM_WORD },
    { "default_queue_depth", SLURM_WHOLE },
    { "partition_job_depth", SLURM_WHOLE },
    { "sched_interval", SLURM_WHOLE },
    { "sched_max_job_start", SLURM_WHOLE },
    { "batch_sched_delay", SLURM_WHOLE },
    { "assoc_limit_stop", SLURM_WORD },
    { "defer", SLURM_WORD },
    { "pack_serial_at_end", SLURM_WORD },
    { "preempt_youngest_first", SLURM_WORD },
};
/* They bound how long a round of the daemon takes; here a round takes no time. */
static const char *const no_time[] = {
    "bf_continue",         "bf_yield_interval",     "bf_yield_sleep",         "bf_max_time",      "bf_node_space_size",
    "build_queue_timeout", "max_rpc_cnt",           "max_rpc_count",          "max_sched_time",   "sched_min_interval",
    "max_array_tasks",     "batch_sched_delay_max", "jobs_per_user_per_hour", "bf_yield_rpc_cnt", "max_script_size",
    "Ignore_NUMA",
};
static const struct slurm_key partition_keys[] = {
    { "Default", SLURM_WORD },
    { "DefaultTime", SLURM_MINUTES },
    { "MaxTime", SLURM_MINUTES },
    { "MaxNodes", SLURM_WHOLE },
    { "MinNodes", SLURM_WHOLE },
    { "PriorityTier", SLURM_WHOLE },
    { "PriorityJobFactor", SLURM_WHOLE },
    { "Priority", SLURM_WHOLE },
    { "State", SLURM_WORD },
    { "AllowAccounts", SLURM_WORD },
    { "DenyAccounts", SLURM_WORD },
    { "AllowQos", SLURM_WORD },
    { "DenyQos", SLURM_WORD },
    { "QOS", SLURM_WORD },
    { "PreemptMode", SLURM_WORD },
    { "OverSubscribe", SLURM_WORD },
    { "Shared", SLURM_WORD },
    { "LLN", SLURM_WORD },
    { "TRESBillingWeights", SLURM_WEIGHTS },
    { "OverTimeLimit", SLURM_WHOLE },
};
/* Beginnings of the names of keys that are the daemons' own affair, or that the cluster and the trace say already. */
static const char *const daemons[] = {
    "Slurmctld",
    "Slurmd",
    "SlurmUser",
    "SlurmSched",
    "ClusterName",
    "Control",
    "Backup",
    "Auth",
    "Cred",
    "Crypto",
    "Log",
    "Debug",
    "StateSave",
    "JobComp",
    "JobAcctGather",
    "AcctGather",
    "AccountingStorageHost",
    "AccountingStoragePort",
    "AccountingStorageUser",
    "AccountingStoragePass",
    "AccountingStorageLoc",
    "AccountingStorageBackup",
    "AccountingStorageExternal",
    "AccountingStorageTRES",
    "AccountingStoreFlags",
    "AccountingStoreJobComment",
    "Mpi",
    "Mail",
    "ReturnToService",
    "InactiveLimit",
    "Proctrack",
    "Task",
    "Prolog",
    "PropagateResource",
    "Plug",
    "Tmp",
    "UsePAM",
    "Srun",
    "BatchStartTimeout",
    "MessageTimeout",
    "TCPTimeout",
    "TreeWidth",
    "Route",
    "Health",
    "MinJobAge",
    "MaxJob",
    "MaxArraySize",
    "FirstJobId",
    "MaxStepCount",
    "MaxTasksPerNode",
    "SwitchType",
    "X11",
    "Launch",
    "GresTypes",
    "GpuFreqDef",
    "CoreSpecPlugin",
    "CommunicationParameters",
    "Dependency",
    "DisableRootJobs",
    "EioTimeout",
    "Ext",
    "GetEnvTimeout",
    "Group",
    "HostFile",
    "Interactive",
    "JobCheckpoint",
    "JobContainer",
    "JobFile",
    "JobRequeue",
    "Keep",
    "Node",
    "PartitionName",
    "Prep",
    "PrivateData",
    "RebootProgram",
    "RequeueExit",
    "ResvProlog",
    "ResvEpilog",
    "ScronParameters",
    "Unkillable",
    "TrackWCKey",
    "UnkillableStep",
    "VSizeFactor",
    "EpilogMsgTime",
    "EpilogSlurmctld",
    "TopologyParam",
    "TaskPlugin",
    "Power",
    "Suspend",
    "Resume",
    "Licenses",
    "EnforcePartLimits",
    "CliFilter",
    "FastSchedule",
    "CacheGroups",
    "Checkpoint",
    "PreemptParameters",
    "DefMem",
    "MaxMem",
    "KillOnBadExit",
    "Frontend",
    "WaitTime",
    "SchedulerTimeSlice",
    "CompleteWait",
    "JobDefaults",
};
/* Of those, what has an effect on scheduling all the same. */
static const char *const listed[] = { "CompleteWait",   "PreemptParameters", "Power",
                                      "SuspendProgram", "ResumeProgram",     "JobDefaults" };

static bool begins(const char *s, const char *const *with, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strncasecmp(s, with[i], strlen(with[i])) == 0) return true;
    return false;
}

static bool has(const char *list, const char *word)
{
    size_t n = strlen(word), len;
    for (const char *p = list; *p != '\0'; p += len + (p[len] == ',')) {
        len = strcspn(p, ",");
        if (len == n && strncasecmp(p, word, n) == 0) return true;
    }
    return false;
}

/* ---- values that are not modelled ---- */

/* KEY's value must be one of these, if it is not to be listed. */
static const struct { const char *key, *value[11];
} modelled[] = {
    { "SchedulerType", { "sched/backfill", "sched/builtin" } },
    { "SelectType", { "select/cons_tres", "select/cons_res" } },
    { "PriorityType", { "priority/basic", "priority/multifactor" } },
    { "PreemptType", { "preempt/none", "preempt/qos", "preempt/partition_prio" } },
    { "PreemptMode", { "OFF", "REQUEUE", "CANCEL" } },
    { "PriorityFlags",
      { "FAIR_TREE", "NO_FAIR_TREE", "SMALL_RELATIVE_TO_TIME", "INCR_ONLY", "MAX_TRES", "NO_NORMAL_ALL",
        "NO_NORMAL_ASSOC", "NO_NORMAL_PART", "NO_NORMAL_QOS", "NO_NORMAL_TRES" } },
    { "SelectTypeParameters",
      { "CR_CPU", "CR_CPU_Memory", "CR_Core", "CR_Core_Memory", "CR_LLN", "CR_CORE_DEFAULT_DIST_BLOCK" } },
    { "AccountingStorageType", { "accounting_storage/none", "accounting_storage/slurmdbd" } },
    { "OverSubscribe", { "NO", "EXCLUSIVE" } },
    { "Shared", { "NO", "EXCLUSIVE" } },
    { "State", { "UP", "DOWN", "DRAIN", "INACTIVE" } },
};

static void check_value(struct slurm_words *w, const struct slurm_key *k, const char *value, uint32_t line)
{
    for (size_t i = 0; i < ARRAY_LEN(modelled); i++) {
        if (strcmp(modelled[i].key, k->name) != 0) continue;
        size_t len;
        for (const char *p = value; *p != '\0'; p += len + (p[len] == ',')) {
            len = strcspn(p, ",");
            size_t v = 0;
            while (modelled[i].value[v] != NULL &&
                   (strlen(modelled[i].value[v]) != len || strncasecmp(p, modelled[i].value[v], len) != 0))
                v++;
            if (modelled[i].value[v] == NULL) slurm_words_tell(w, line, "%s=%.*s is", k->name, (int)len, p);
        }
    }
}

/* What a suspended job becomes, told once for the file. */
static void tell_suspend(struct slurm_words *w, const struct slurm_key *k, const char *value, uint32_t line)
{
    if (strcmp(k->name, "PreemptMode") == 0 && (has(value, "SUSPEND") || has(value, "GANG")))
        slurm_words_tell(w, line,
                         "a job suspended in place (PreemptMode=%.40s): it waits again as with REQUEUE, with what "
                         "progress `jobs.preemption` keeps; its memory held meanwhile is",
                         value);
}

/* ---- lines ---- */

static enum st put(struct slurm_words *w, const struct slurm_key *k, const struct slurm_line *l,
                   const struct slurm_field *f, struct diag *d)
{
    check_value(w, k, f->value, l->line);
    tell_suspend(w, k, f->value, l->line);
    return slurm_words_put(w, k, f->value, l->line, f->value_col, d);
}

static enum st read_parameters(struct slurm_words *w, const struct slurm_line *l, const struct slurm_field *f,
                               struct diag *d)
{
    size_t n;
    for (const char *p = f->value; *p != '\0'; p += n + (p[n] == ',')) {
        char one[256];
        n = strcspn(p, ",");
        (void)snprintf(one, sizeof one, "%.*s", (int)n, p);
        char *eq = strchr(one, '=');
        if (eq != NULL) *eq = '\0';
        const struct slurm_key *k = slurm_words_find(parameters, ARRAY_LEN(parameters), one);
        if (one[0] == '\0') continue;
        if (k != NULL)
            TRY(slurm_words_put(w, k, eq != NULL ? eq + 1 : "yes", l->line, f->value_col + (uint32_t)(p - f->value),
                                d));
        else if (!begins(one, no_time, ARRAY_LEN(no_time)))
            slurm_words_tell(w, l->line, "SchedulerParameters=%s is", one);
    }
    return ST_OK;
}

static enum st read_set(struct slurm_words *w, const struct slurm_line *l, struct diag *d)
{
    for (size_t i = 0; i < l->n; i++) {
        const struct slurm_field *f = &l->at[i];
        const struct slurm_key *k = slurm_words_find(keys, ARRAY_LEN(keys), f->key);
        (void)fputs("set\t", w->text.to);
        if (strcasecmp(f->key, "SchedulerParameters") == 0) TRY(read_parameters(w, l, f, d));
        else if (k != NULL) TRY(put(w, k, l, f, d));
        else if (!begins(f->key, daemons, ARRAY_LEN(daemons)) || begins(f->key, listed, ARRAY_LEN(listed)))
            slurm_words_tell(w, l->line, "%s=%.60s is", f->key, f->value);
        (void)fputs("\n", w->text.to);
    }
    return ST_OK;
}

/* ---- nodes and partitions ---- */

static enum st read_node(struct slurm_words *w, const struct slurm_conf *c, const struct slurm_line *l, int64_t *weight,
                         struct diag *d)
{
    const struct slurm_field *name = slurm_line_get(l, "NodeName"), *f = slurm_line_get(l, "Weight");
    const struct slurm_field *threads = slurm_line_get(l, "ThreadsPerCore");
    char rest[64];
    int64_t own = *weight;
    if (f != NULL && (!text_int(f->value, &own) || own < 0 || own > UINT32_MAX))
        return slurm_error(c, l, f, d, "'Weight': found '%s', expected a whole number below 2^32", f->value);
    if (threads != NULL && strcmp(threads->value, "1") != 0)
        slurm_words_tell(w, l->line, "that a core's threads go to one job (ThreadsPerCore=%.20s) is", threads->value);
    if (strcasecmp(name->value, "DEFAULT") == 0) {
        *weight = own;
        return ST_OK;
    }
    (void)snprintf(rest, sizeof rest, "\tWeight=%lld", (long long)own);
    return own == 1 ? ST_OK : slurm_words_hosts(w, c, l, name, "node", rest, d);
}

/* A DEFAULT line is a partition to the policy, whose keys hold for those after it. */
static enum st read_partition(struct slurm_words *w, const struct slurm_conf *c, const struct slurm_line *l,
                              struct diag *d)
{
    static const char *const said[] = { "PartitionName",   "Nodes",        "Hidden",        "RootOnly",
                                        "DisableRootJobs", "Alternate",    "AllocNodes",    "DefMemPerCPU",
                                        "DefMemPerNode",   "MaxMemPerCPU", "MaxMemPerNode", "CpuBind" };
    const struct slurm_field *name = slurm_line_get(l, "PartitionName"), *nodes = slurm_line_get(l, "Nodes");
    (void)fprintf(w->text.to, "partition\t%s", name->value);
    for (size_t i = 0; i < l->n; i++) {
        const struct slurm_field *f = &l->at[i];
        const struct slurm_key *k = slurm_words_find(partition_keys, ARRAY_LEN(partition_keys), f->key);
        if (k != NULL) TRY(put(w, k, l, f, d));
        else if (!begins(f->key, said, ARRAY_LEN(said)) && strcasecmp(f->value, "ALL") != 0 &&
                 strcasecmp(f->value, "NO") != 0)
            slurm_words_tell(w, l->line, "%s=%.60s of a partition is", f->key, f->value);
    }
    (void)fputs("\n", w->text.to);
    if (nodes == NULL) return ST_OK;
    if (strcasecmp(nodes->value, "ALL") != 0) return slurm_words_hosts(w, c, l, nodes, "member", "", d);
    (void)fputs("member\tALL\n", w->text.to);
    return ST_OK;
}

static enum st read_all(struct slurm_words *w, const struct slurm_conf *c, struct diag *d)
{
    int64_t weight = 1;
    bool any = false;
    for (size_t i = 0; i < c->n; i++) {
        const struct slurm_line *l = &c->at[i];
        any |= slurm_line_get(l, "PartitionName") != NULL;
        if (slurm_line_get(l, "NodeName") != NULL) TRY(read_node(w, c, l, &weight, d));
        else if (slurm_line_get(l, "PartitionName") != NULL) TRY(read_partition(w, c, l, d));
        else if (slurm_line_get(l, "TopologyPlugin") != NULL &&
                 strcasecmp(slurm_line_get(l, "TopologyPlugin")->value, "topology/none") == 0)
            continue;
        else TRY(read_set(w, l, d));
    }
    return any ? ST_OK : diag_at(d, ST_EINPUT, c->path, 0, 0, "found no PartitionName line");
}

enum st slurm_scheduler_conf(struct slurm_scheduler *s, const char *path, struct diag *d)
{
    struct slurm_conf c;
    struct slurm_words w;
    memset(s, 0, sizeof *s);
    TRY(slurm_conf_load(&c, path, d));
    slurm_words_open(&w, s, path);
    enum st st = read_all(&w, &c, d);
    slurm_words_close(&w, st);
    slurm_conf_fini(&c);
    return st;
}

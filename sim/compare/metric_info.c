/*
 * metric_info.c -- the tables of metric_info.h: a row a metric that is emitted, or a family of them.
 *
 * What has no row, a policy's note, is shown in its own unit, and a sentence about it says "has 3 % less NAME".
 */
#include "compare/metric_info.h"

#include <string.h>

/* With tails: _mean, _p50, _p95, _p99, _max. */
static const struct metric_info families[] = {
    { "jct", BETTER_LOWER, WINDOW_JOBS, false, "completion times", "finishes jobs %s sooner", "finishes jobs %s later" },
    { "wait", BETTER_LOWER, WINDOW_JOBS, false, "waiting for the first start",
      "lets jobs wait %s less for their first start", "lets jobs wait %s more for their first start" },
    { "not_running", BETTER_LOWER, WINDOW_JOBS, false, "time not running",
      "has jobs not running for %s less time", "has jobs not running for %s more time" },
    { "span", BETTER_LOWER, WINDOW_JOBS, false, "time from start to end",
      "gets started jobs done %s sooner", "gets started jobs done %s later" },
    { "slowdown", BETTER_LOWER, WINDOW_JOBS, false, "slowdown", "slows jobs %s less", "slows jobs %s more" },
    { "bounded_slowdown", BETTER_LOWER, WINDOW_JOBS, false, "bounded slowdown", "slows jobs %s less", "slows jobs %s more" },
    { "stage_wait", BETTER_LOWER, WINDOW_JOBS, false, "waiting between stages",
      "lets stages wait %s less", "lets stages wait %s more" },
    { "rho", BETTER_LOWER, WINDOW_JOBS, false, "finish-time fairness",
      "ends jobs %s sooner against their fair share", "ends jobs %s later against their fair share" },
};

static const struct metric_info single[] = {
    { "jain", BETTER_HIGHER, WINDOW_NONE, false, "fairness among users",
      "shares %s less evenly among users", "shares %s more evenly among users" },
    { "rho_above_1", BETTER_LOWER, WINDOW_JOBS, false, "share of jobs later than fair",
      "has %s fewer jobs later than fair", "has %s more jobs later than fair" },
    { "makespan", BETTER_LOWER, WINDOW_NONE, false, "makespan", "ends all work %s sooner", "ends all work %s later" },
    { "dt", BETTER_LOWER, WINDOW_NONE, false, "DT",
      "ends all work %s sooner after the first start", "ends all work %s later after the first start" },
    { "throughput", BETTER_HIGHER, WINDOW_NONE, false, "throughput",
      "ends %s fewer jobs an hour", "ends %s more jobs an hour" },
    { "task_time_mean", BETTER_LOWER, WINDOW_NONE, false, "task times", "ends tasks %s sooner", "ends tasks %s later" },
    { "calls_cross", BETTER_LOWER, WINDOW_NONE, false, "calls to other nodes",
      "sends %s fewer calls to other nodes", "sends %s more calls to other nodes" },
    { "calls_cross_bytes", BETTER_LOWER, WINDOW_NONE, false, "bytes of calls to other nodes",
      "carries %s less to other nodes and back", "carries %s more to other nodes and back" },
    { "calls_lost", BETTER_LOWER, WINDOW_NONE, false, "interrupted calls",
      "has %s fewer calls interrupted", "has %s more calls interrupted" },
    { "calls_done", BETTER_HIGHER, WINDOW_NONE, false, "calls done", "gets %s fewer calls done", "gets %s more calls done" },
    { "tasks_sent", BETTER_NEITHER, WINDOW_NONE, false, "tasks sent to nodes",
      "sends %s fewer tasks to nodes", "sends %s more tasks to nodes" },
    { "tasks_moved", BETTER_NEITHER, WINDOW_NONE, false, "tasks moved between nodes",
      "moves %s fewer tasks between nodes", "moves %s more tasks between nodes" },
    { "queue_master_mean", BETTER_LOWER, WINDOW_NONE, false, "waiting with the master",
      "keeps %s fewer tasks waiting with the master", "keeps %s more tasks waiting with the master" },
    { "queue_nodes_mean", BETTER_LOWER, WINDOW_NONE, false, "waiting in nodes' queues",
      "keeps %s fewer tasks waiting in nodes' queues", "keeps %s more tasks waiting in nodes' queues" },
    { "queue_master_max", BETTER_LOWER, WINDOW_NONE, false, "the master's longest queue",
      "has a master's queue %s shorter", "has a master's queue %s longer" },
    { "queue_nodes_max", BETTER_LOWER, WINDOW_NONE, false, "most tasks in nodes' queues",
      "has %s fewer tasks in nodes' queues", "has %s more tasks in nodes' queues" },
    { "queue_node_max", BETTER_LOWER, WINDOW_NONE, false, "a node's longest queue",
      "has a longest queue of a node %s shorter", "has a longest queue of a node %s longer" },
    { "engine_useful", BETTER_NEITHER, WINDOW_NONE, true, "executing time of engines",
      "lets engines execute %s less", "lets engines execute %s more" },
    { "engine_taken", BETTER_NEITHER, WINDOW_NONE, true, "time taken of engines",
      "takes engines for %s less time", "takes engines for %s more time" },
    { "engine_best", BETTER_HIGHER, WINDOW_NONE, true, "useful work of engines",
      "gets %s less useful work out of the engines", "gets %s more useful work out of the engines" },
    { "useful_share", BETTER_HIGHER, WINDOW_NONE, true, "executing share of the time taken",
      "executes for %s less of the time that calls take", "executes for %s more of the time that calls take" },
    { "best_share", BETTER_HIGHER, WINDOW_NONE, true, "useful share of the time taken",
      "makes %s less useful what calls take of engines", "makes %s more useful what calls take of engines" },
    { "gpu_util", BETTER_HIGHER, WINDOW_SAMPLES, true, "GPU utilisation",
      "keeps %s less of the GPUs busy", "keeps %s more of the GPUs busy" },
    { "gpu_hours", BETTER_NEITHER, WINDOW_NONE, false, "GPU hours held",
      "holds %s fewer GPU hours", "holds %s more GPU hours" },
    { "cpu_hours", BETTER_NEITHER, WINDOW_NONE, false, "core hours held",
      "holds %s fewer core hours", "holds %s more core hours" },
    { "dominant_share", BETTER_NEITHER, WINDOW_NONE, false, "dominant share of users",
      "gives users %s smaller dominant shares", "gives users %s larger dominant shares" },
    { "gpu_active", BETTER_HIGHER, WINDOW_SAMPLES, true, "work of the GPUs",
      "makes GPUs work %s less", "makes GPUs work %s more" },
    { "cpu_util", BETTER_HIGHER, WINDOW_SAMPLES, true, "CPU utilisation",
      "keeps %s less of the CPUs busy", "keeps %s more of the CPUs busy" },
    { "mem_util", BETTER_NEITHER, WINDOW_SAMPLES, true, "memory in use", "holds %s less memory", "holds %s more memory" },
    { "card_occupancy", BETTER_NEITHER, WINDOW_SAMPLES, true, "cards in use",
      "touches %s fewer cards", "touches %s more cards" },
    { "frag_expected", BETTER_LOWER, WINDOW_SAMPLES, false, "fragmentation",
      "leaves free GPUs %s less fragmented", "leaves free GPUs %s more fragmented" },
    { "frag_stranded", BETTER_LOWER, WINDOW_SAMPLES, false, "stranded capacity",
      "strands %s less GPU capacity", "strands %s more GPU capacity" },
    { "frag_lack_cpu", BETTER_LOWER, WINDOW_SAMPLES, true, "GPUs idle for want of CPUs",
      "leaves %s fewer GPUs idle for want of CPUs", "leaves %s more GPUs idle for want of CPUs" },
    { "frag_at_80", BETTER_LOWER, WINDOW_NONE, false, "fragmentation at load 0.8",
      "leaves free GPUs %s less fragmented at load 0.8", "leaves free GPUs %s more fragmented at load 0.8" },
    { "frag_at_90", BETTER_LOWER, WINDOW_NONE, false, "fragmentation at load 0.9",
      "leaves free GPUs %s less fragmented at load 0.9", "leaves free GPUs %s more fragmented at load 0.9" },
    { "gpu_at_100", BETTER_HIGHER, WINDOW_NONE, false, "GPUs allocated at load 1",
      "allocates %s fewer GPUs at load 1", "allocates %s more GPUs at load 1" },
    { "cpu_at_100", BETTER_HIGHER, WINDOW_NONE, false, "CPUs allocated at load 1",
      "allocates %s fewer CPUs at load 1", "allocates %s more CPUs at load 1" },
    { "unscheduled", BETTER_LOWER, WINDOW_NONE, false, "jobs not started",
      "leaves %s fewer jobs not started", "leaves %s more jobs not started" },
    { "starts", BETTER_NEITHER, WINDOW_NONE, false, "starts",
      "starts tasks %s less often", "starts tasks %s more often" },
    { "failures", BETTER_LOWER, WINDOW_NONE, false, "interruptions by nodes",
      "has %s fewer tasks interrupted by nodes", "has %s more tasks interrupted by nodes" },
    { "mismatches", BETTER_LOWER, WINDOW_NONE, false, "starts on unfit cards",
      "starts %s fewer tasks on cards that lack what they ask", "starts %s more tasks on cards that lack what they ask" },
    { "refusals", BETTER_LOWER, WINDOW_NONE, false, "decisions refused",
      "has %s fewer decisions refused", "has %s more decisions refused" },
    { "preemptions", BETTER_LOWER, WINDOW_NONE, false, "preemptions", "preempts %s less", "preempts %s more" },
    { "scalings", BETTER_NEITHER, WINDOW_NONE, false, "changes of size",
      "changes sizes of jobs %s less often", "changes sizes of jobs %s more often" },
    { "restart_gpu_hours", BETTER_LOWER, WINDOW_NONE, false, "GPU hours of restarts",
      "spends %s fewer GPU hours on restarts", "spends %s more GPU hours on restarts" },
    { "reclaims", BETTER_LOWER, WINDOW_NONE, false, "interruptions of borrowers",
      "stops %s fewer borrowers", "stops %s more borrowers" },
    { "lent_cpu_hours", BETTER_NEITHER, WINDOW_NONE, false, "cores lent",
      "lends %s less of the cores reserved", "lends %s more of the cores reserved" },
    { "lent_gpu_hours", BETTER_NEITHER, WINDOW_NONE, false, "GPUs lent",
      "lends %s less of the GPUs reserved", "lends %s more of the GPUs reserved" },
    { "lent_licence_hours", BETTER_NEITHER, WINDOW_NONE, false, "licences lent",
      "lends %s less of the licences reserved", "lends %s more of the licences reserved" },
    { "reserved_cpu_hours", BETTER_NEITHER, WINDOW_NONE, false, "cores reserved",
      "reserves %s fewer core hours", "reserves %s more core hours" },
    { "reserved_gpu_hours", BETTER_NEITHER, WINDOW_NONE, false, "GPUs reserved",
      "reserves %s fewer GPU hours", "reserves %s more GPU hours" },
    { "reserved_licence_hours", BETTER_NEITHER, WINDOW_NONE, false, "licences reserved",
      "reserves %s fewer licence hours", "reserves %s more licence hours" },
    { "reserved_used_cpu_hours", BETTER_NEITHER, WINDOW_NONE, false, "reserved cores in use",
      "uses %s less of the cores reserved", "uses %s more of the cores reserved" },
    { "reserved_used_gpu_hours", BETTER_NEITHER, WINDOW_NONE, false, "reserved GPUs in use",
      "uses %s less of the GPUs reserved", "uses %s more of the GPUs reserved" },
    { "reclaimed_cpu_hours", BETTER_LOWER, WINDOW_NONE, false, "core hours taken back",
      "takes %s fewer core hours back from borrowers", "takes %s more core hours back from borrowers" },
    { "reclaimed_gpu_hours", BETTER_LOWER, WINDOW_NONE, false, "GPU hours taken back",
      "takes %s fewer GPU hours back from borrowers", "takes %s more GPU hours back from borrowers" },
    { "licence_util", BETTER_HIGHER, WINDOW_NONE, true, "licences in use",
      "keeps %s less of the licences in use", "keeps %s more of the licences in use" },
    { "lost_gpu_hours", BETTER_LOWER, WINDOW_NONE, false, "lost work", "loses %s less work", "loses %s more work" },
    { "goodput", BETTER_HIGHER, WINDOW_NONE, false, "goodput", "keeps %s less of its work", "keeps %s more of its work" },
    { "energy", BETTER_LOWER, WINDOW_NONE, false, "energy", "takes %s less energy", "takes %s more energy" },
    { "energy_idle", BETTER_LOWER, WINDOW_NONE, false, "energy that no job holds",
      "leaves %s less energy to what no job holds", "leaves %s more energy to what no job holds" },
    { "cost", BETTER_LOWER, WINDOW_NONE, false, "cost", "costs %s less", "costs %s more" },
    { "cost_idle", BETTER_LOWER, WINDOW_NONE, false, "cost of what no job holds",
      "pays %s less for what no job holds", "pays %s more for what no job holds" },
    { "s_whole_mean", BETTER_HIGHER, WINDOW_JOBS, false, "speed against the whole cluster",
      "comes %s less near the ideal on the whole cluster", "comes %s nearer to the ideal on the whole cluster" },
    { "s_share_mean", BETTER_HIGHER, WINDOW_JOBS, false, "speed against a share",
      "comes %s less near the ideal on a share", "comes %s nearer to the ideal on a share" },
    { "s_whole_sigma", BETTER_LOWER, WINDOW_JOBS, false, "fairness among jobs (whole)",
      "treats jobs %s more alike", "treats jobs %s less alike" },
    { "s_share_sigma", BETTER_LOWER, WINDOW_JOBS, false, "fairness among jobs (share)",
      "treats jobs %s more alike", "treats jobs %s less alike" },
    { "local_share", BETTER_HIGHER, WINDOW_NONE, true, "local reads",
      "reads %s less of its data locally", "reads %s more of its data locally" },
    { "rack_share", BETTER_NEITHER, WINDOW_NONE, true, "reads within the rack",
      "reads %s less of its data within the rack", "reads %s more of its data within the rack" },
    { "cross_share", BETTER_NEITHER, WINDOW_NONE, true, "reads from other racks",
      "reads %s less of its data from other racks", "reads %s more of its data from other racks" },
    { "bytes_local", BETTER_NEITHER, WINDOW_NONE, false, "bytes read locally",
      "reads %s fewer bytes locally", "reads %s more bytes locally" },
    { "bytes_rack", BETTER_NEITHER, WINDOW_NONE, false, "bytes read within the rack",
      "reads %s fewer bytes within the rack", "reads %s more bytes within the rack" },
    { "bytes_cross", BETTER_NEITHER, WINDOW_NONE, false, "bytes read from other racks",
      "reads %s fewer bytes from other racks", "reads %s more bytes from other racks" },
    { "bytes_read", BETTER_NEITHER, WINDOW_NONE, false, "bytes read", "reads %s fewer bytes", "reads %s more bytes" },
    { "bytes_network", BETTER_LOWER, WINDOW_NONE, false, "network traffic",
      "moves %s less over the network", "moves %s more over the network" },
    { "bytes_vain", BETTER_LOWER, WINDOW_NONE, false, "bytes moved in vain", "moves %s less in vain", "moves %s more in vain" },
    { "makespan_recorded", BETTER_NEITHER, WINDOW_NONE, false, "the recorded makespan",
      "has a recorded makespan %s smaller", "has a recorded makespan %s larger" },
    { "makespan_bound", BETTER_NEITHER, WINDOW_NONE, false, "the makespan's bound",
      "has a bound of the makespan %s smaller", "has a bound of the makespan %s larger" },
    { "jct_mean_bound", BETTER_NEITHER, WINDOW_NONE, false, "the mean completion time's bound",
      "has a bound of the mean completion time %s smaller", "has a bound of the mean completion time %s larger" },
    { "little_l", BETTER_LOWER, WINDOW_NONE, false, "jobs in the system",
      "has %s fewer jobs in the system", "has %s more jobs in the system" },
    { "little_lambda", BETTER_NEITHER, WINDOW_NONE, false, "arrival rate",
      "takes in jobs at a rate %s lower", "takes in jobs at a rate %s higher" },
    { "little_w", BETTER_LOWER, WINDOW_NONE, false, "time in the system",
      "keeps jobs in the system for %s less time", "keeps jobs in the system for %s more time" },
    { "events", BETTER_NEITHER, WINDOW_NONE, false, "events", "takes %s fewer events", "takes %s more events" },
    { "instants", BETTER_NEITHER, WINDOW_NONE, false, "instants", "has %s fewer instants", "has %s more instants" },
    { "peak_live_jobs", BETTER_LOWER, WINDOW_NONE, false, "most jobs at once",
      "has a peak of jobs at once %s lower", "has a peak of jobs at once %s higher" },
    { "jobs_counted", BETTER_NEITHER, WINDOW_COUNT, false, "jobs counted", "counts %s fewer jobs", "counts %s more jobs" },
    { "jobs_arrived", BETTER_NEITHER, WINDOW_COUNT, false, "arrivals", "has %s fewer arrivals", "has %s more arrivals" },
    { "jobs_done", BETTER_HIGHER, WINDOW_COUNT, false, "jobs done", "gets %s fewer jobs done", "gets %s more jobs done" },
    { "jobs_timeout", BETTER_LOWER, WINDOW_COUNT, false, "jobs cut off by their limit",
      "has %s fewer jobs cut off by their limit", "has %s more jobs cut off by their limit" },
    { "jobs_rejected", BETTER_LOWER, WINDOW_COUNT, false, "rejected jobs", "rejects %s fewer jobs", "rejects %s more jobs" },
    { "jobs_failed", BETTER_LOWER, WINDOW_COUNT, false, "failed jobs",
      "has %s fewer jobs fail", "has %s more jobs fail" },
    { "jobs_dependent", BETTER_NEITHER, WINDOW_NONE, false, "jobs that wait for others",
      "has %s fewer jobs that wait for others", "has %s more jobs that wait for others" },
    { "jobs_never_eligible", BETTER_LOWER, WINDOW_NONE, false, "jobs that never became eligible",
      "has %s fewer jobs that never become eligible", "has %s more jobs that never become eligible" },
    { "jobs_unfinished", BETTER_LOWER, WINDOW_COUNT, false, "unfinished jobs",
      "leaves %s fewer jobs unfinished", "leaves %s more jobs unfinished" },
    { "jobs_unlimited", BETTER_NEITHER, WINDOW_NONE, false, "jobs without a limit",
      "has %s fewer jobs without a limit", "has %s more jobs without a limit" },
};

const struct metric_job metric_info_jobs[METRIC_JOBS] = {
    { "jct", "Job completion time", true },
    { "wait", "Wait for the first start", true },
    { "not_running", "Time not running", true },
    { "span", "Single-job time", true },
    { "slowdown", "Slowdown", false },
    { "bounded_slowdown", "Bounded slowdown", false },
    { "rho", "Finish-time fairness", false },
    { "stage_wait", NULL, true },
    { "s_whole", "Ideal time on the whole cluster / time", false },
    { "s_share", "Ideal time on a share of the cluster / time", false },
};

static const char *const usual[] = {
    "jct_mean", "jct_p99", "wait_mean", "not_running_mean", "bounded_slowdown_mean", "gpu_util", "jain", "rho_p95", "preemptions",
};
static const char *const usual_data[] = {
    "dt", "span_mean", "s_share_mean", "s_share_sigma", "local_share", "bytes_network", "bytes_vain", "preemptions", "gpu_util",
};
static const char *const usual_calls[] = {
    "makespan", "task_time_mean", "jct_mean", "calls_cross", "calls_cross_bytes", "engine_taken", "engine_best", "best_share",
};
/* The last two only where something has a price. */
static const char *const usual_energy[] = {
    "jct_mean", "jct_p99", "wait_mean", "makespan", "gpu_util", "energy", "energy_idle", "cost", "cost_idle",
};
const struct metric_list metric_info_lists[METRIC_LISTS] = {
    [METRIC_LIST_DATA]  = { "bytes_network", usual_data, ARRAY_LEN(usual_data) },
    [METRIC_LIST_CALLS] = { "calls_done", usual_calls, ARRAY_LEN(usual_calls) },
    [METRIC_LIST_COST]  = { "cost", usual_energy, ARRAY_LEN(usual_energy) },
    [METRIC_LIST_ENERGY] = { "energy", usual_energy, ARRAY_LEN(usual_energy) - 2 },
    [METRIC_LIST_USUAL] = { NULL, usual, ARRAY_LEN(usual) },
};

const struct metric_trouble metric_info_troubles[METRIC_TROUBLES] = {
    { "jobs_timeout", "timed out" }, { "jobs_rejected", "rejected" }, { "jobs_unfinished", "unfinished" },
    { "jobs_unlimited", "without limit" }, { "jobs_failed", "failed" },
    { "jobs_never_eligible", "never eligible" },
};

const struct metric_bounded metric_info_bounded[METRIC_BOUNDED] = { { "makespan", "makespan_bound" }, { "jct_mean", "jct_mean_bound" } };

const char *metric_info_tail(const char *metric)
{
    static const char *const tail[] = { "_mean", "_p50", "_p95", "_p99", "_max" };
    size_t n = strlen(metric);
    for (size_t i = 0; i < ARRAY_LEN(tail); i++) {
        size_t m = strlen(tail[i]);
        if (n > m && strcmp(metric + n - m, tail[i]) == 0) return metric + n - m;
    }
    return "";
}

const struct metric_info *metric_info_of(const char *metric)
{
    const char *tail = metric_info_tail(metric);
    for (size_t i = 0; i < ARRAY_LEN(single); i++)
        if (strcmp(single[i].name, metric) == 0) return &single[i];
    for (size_t i = 0; i < ARRAY_LEN(families) && tail[0] != '\0'; i++) {
        size_t n = strlen(families[i].name);
        if (n == (size_t)(tail - metric) && strncmp(families[i].name, metric, n) == 0) return &families[i];
    }
    return NULL;
}

bool metric_info_is_tail(const char *metric)
{
    const char *tail = metric_info_tail(metric);
    return strcmp(tail, "_p95") == 0 || strcmp(tail, "_p99") == 0 || strcmp(tail, "_max") == 0;
}

bool metric_info_is_percent(const char *metric)
{
    const struct metric_info *m = metric_info_of(metric);
    return m != NULL ? m->is_percent : strstr(metric, "_util") != NULL;
}

const struct metric_job *metric_info_job_of(const char *metric)
{
    const struct metric_job *best = NULL;
    for (size_t i = 0; i < METRIC_JOBS; i++) {
        size_t n = strlen(metric_info_jobs[i].name);
        if (strncmp(metric, metric_info_jobs[i].name, n) == 0 && (best == NULL || n > strlen(best->name))) best = &metric_info_jobs[i];
    }
    return best;
}

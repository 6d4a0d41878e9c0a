#include "compare/metric_info.h"

#include <string.h>

/* Families come with tails: _mean, _p50, _p95, _p99, _max. */
static const struct metric_info families[] = {
    { "jct", BETTER_LOWER, "completion times", "finishes jobs %s sooner", "finishes jobs %s later", WINDOW_JOBS },
    { "wait", BETTER_LOWER, "waiting", "lets jobs wait %s less", "lets jobs wait %s more", WINDOW_JOBS },
    { "span", BETTER_LOWER, "time from start to end", "gets started jobs done %s sooner", "gets started jobs done %s later", WINDOW_JOBS },
    { "slowdown", BETTER_LOWER, "slowdown", "slows jobs %s less", "slows jobs %s more", WINDOW_JOBS },
    { "bounded_slowdown", BETTER_LOWER, "bounded slowdown", "slows jobs %s less", "slows jobs %s more", WINDOW_JOBS },
    { "stage_wait", BETTER_LOWER, "waiting between stages", "lets stages wait %s less", "lets stages wait %s more", WINDOW_JOBS },
    { "rho", BETTER_LOWER, "finish-time fairness", "ends jobs %s sooner against their fair share", "ends jobs %s later against their fair share", WINDOW_JOBS },
};

static const struct metric_info single[] = {
    { "jain", BETTER_HIGHER, "fairness among users", "shares %s less evenly among users", "shares %s more evenly among users", WINDOW_NONE },
    { "rho_above_1", BETTER_LOWER, "share of jobs later than fair", "has %s fewer jobs later than fair", "has %s more jobs later than fair", WINDOW_JOBS },
    { "makespan", BETTER_LOWER, "makespan", "ends all work %s sooner", "ends all work %s later", WINDOW_NONE },
    { "dt", BETTER_LOWER, "DT", "ends all work %s sooner after the first start", "ends all work %s later after the first start", WINDOW_NONE },
    { "throughput", BETTER_HIGHER, "throughput", "ends %s fewer jobs an hour", "ends %s more jobs an hour", WINDOW_NONE },
    { "task_time_mean", BETTER_LOWER, "task times", "ends tasks %s sooner", "ends tasks %s later", WINDOW_NONE },
    { "calls_cross", BETTER_LOWER, "calls to other nodes", "sends %s fewer calls to other nodes", "sends %s more calls to other nodes", WINDOW_NONE },
    { "calls_cross_bytes", BETTER_LOWER, "bytes of calls to other nodes", "carries %s less to other nodes and back", "carries %s more to other nodes and back", WINDOW_NONE },
    { "calls_lost", BETTER_LOWER, "interrupted calls", "has %s fewer calls interrupted", "has %s more calls interrupted", WINDOW_NONE },
    { "calls_done", BETTER_HIGHER, "calls done", "gets %s fewer calls done", "gets %s more calls done", WINDOW_NONE },
    { "tasks_sent", BETTER_NEITHER, "tasks sent to nodes", "sends %s fewer tasks to nodes", "sends %s more tasks to nodes", WINDOW_NONE },
    { "tasks_moved", BETTER_NEITHER, "tasks moved between nodes", "moves %s fewer tasks between nodes", "moves %s more tasks between nodes", WINDOW_NONE },
    { "queue_master_mean", BETTER_LOWER, "waiting with the master", "keeps %s fewer tasks waiting with the master", "keeps %s more tasks waiting with the master", WINDOW_NONE },
    { "queue_nodes_mean", BETTER_LOWER, "waiting in nodes' queues", "keeps %s fewer tasks waiting in nodes' queues", "keeps %s more tasks waiting in nodes' queues", WINDOW_NONE },
    { "queue_master_max", BETTER_LOWER, "the master's longest queue", "has a master's queue %s shorter", "has a master's queue %s longer", WINDOW_NONE },
    { "queue_nodes_max", BETTER_LOWER, "most tasks in nodes' queues", "has %s fewer tasks in nodes' queues", "has %s more tasks in nodes' queues", WINDOW_NONE },
    { "queue_node_max", BETTER_LOWER, "a node's longest queue", "has a longest queue of a node %s shorter", "has a longest queue of a node %s longer", WINDOW_NONE },
    { "engine_useful", BETTER_NEITHER, "executing time of engines", "lets engines execute %s less", "lets engines execute %s more", WINDOW_NONE },
    { "engine_taken", BETTER_NEITHER, "time taken of engines", "takes engines for %s less time", "takes engines for %s more time", WINDOW_NONE },
    { "engine_best", BETTER_HIGHER, "useful work of engines", "gets %s less useful work out of the engines", "gets %s more useful work out of the engines", WINDOW_NONE },
    { "useful_share", BETTER_HIGHER, "executing share of the time taken", "executes for %s less of the time that calls take", "executes for %s more of the time that calls take", WINDOW_NONE },
    { "best_share", BETTER_HIGHER, "useful share of the time taken", "makes %s less useful what calls take of engines", "makes %s more useful what calls take of engines", WINDOW_NONE },
    { "gpu_util", BETTER_HIGHER, "GPU utilisation", "keeps %s less of the GPUs busy", "keeps %s more of the GPUs busy", WINDOW_SAMPLES },
    { "gpu_active", BETTER_HIGHER, "work of the GPUs", "makes GPUs work %s less", "makes GPUs work %s more", WINDOW_SAMPLES },
    { "cpu_util", BETTER_HIGHER, "CPU utilisation", "keeps %s less of the CPUs busy", "keeps %s more of the CPUs busy", WINDOW_SAMPLES },
    { "mem_util", BETTER_NEITHER, "memory in use", "holds %s less memory", "holds %s more memory", WINDOW_SAMPLES },
    { "card_occupancy", BETTER_NEITHER, "cards in use", "touches %s fewer cards", "touches %s more cards", WINDOW_SAMPLES },
    { "frag_expected", BETTER_LOWER, "fragmentation", "leaves free GPUs %s less fragmented", "leaves free GPUs %s more fragmented", WINDOW_SAMPLES },
    { "frag_stranded", BETTER_LOWER, "stranded capacity", "strands %s less GPU capacity", "strands %s more GPU capacity", WINDOW_SAMPLES },
    { "frag_lack_cpu", BETTER_LOWER, "GPUs idle for want of CPUs", "leaves %s fewer GPUs idle for want of CPUs", "leaves %s more GPUs idle for want of CPUs", WINDOW_SAMPLES },
    { "preemptions", BETTER_LOWER, "preemptions", "preempts %s less", "preempts %s more", WINDOW_NONE },
    { "reclaims", BETTER_LOWER, "interruptions of borrowers", "stops %s fewer borrowers", "stops %s more borrowers", WINDOW_NONE },
    { "lent_cpu_hours", BETTER_NEITHER, "cores lent", "lends %s less of the cores reserved", "lends %s more of the cores reserved", WINDOW_NONE },
    { "lent_gpu_hours", BETTER_NEITHER, "GPUs lent", "lends %s less of the GPUs reserved", "lends %s more of the GPUs reserved", WINDOW_NONE },
    { "lost_gpu_hours", BETTER_LOWER, "lost work", "loses %s less work", "loses %s more work", WINDOW_NONE },
    { "goodput", BETTER_HIGHER, "goodput", "keeps %s less of its work", "keeps %s more of its work", WINDOW_NONE },
    { "s_whole_mean", BETTER_HIGHER, "speed against the whole cluster", "comes %s less near the ideal on the whole cluster", "comes %s nearer to the ideal on the whole cluster", WINDOW_JOBS },
    { "s_share_mean", BETTER_HIGHER, "speed against a share", "comes %s less near the ideal on a share", "comes %s nearer to the ideal on a share", WINDOW_JOBS },
    { "s_whole_sigma", BETTER_LOWER, "fairness among jobs (whole)", "treats jobs %s more alike", "treats jobs %s less alike", WINDOW_JOBS },
    { "s_share_sigma", BETTER_LOWER, "fairness among jobs (share)", "treats jobs %s more alike", "treats jobs %s less alike", WINDOW_JOBS },
    { "local_share", BETTER_HIGHER, "local reads", "reads %s less of its data locally", "reads %s more of its data locally", WINDOW_NONE },
    { "bytes_network", BETTER_LOWER, "network traffic", "moves %s less over the network", "moves %s more over the network", WINDOW_NONE },
    { "bytes_vain", BETTER_LOWER, "bytes moved in vain", "moves %s less in vain", "moves %s more in vain", WINDOW_NONE },
    { "jobs_counted", BETTER_NEITHER, "jobs counted", "counts %s fewer jobs", "counts %s more jobs", WINDOW_COUNT },
    { "jobs_arrived", BETTER_NEITHER, "arrivals", "has %s fewer arrivals", "has %s more arrivals", WINDOW_COUNT },
    { "jobs_done", BETTER_HIGHER, "jobs done", "gets %s fewer jobs done", "gets %s more jobs done", WINDOW_COUNT },
    { "jobs_timeout", BETTER_LOWER, "jobs cut off by their limit", "has %s fewer jobs cut off by their limit", "has %s more jobs cut off by their limit", WINDOW_COUNT },
    { "jobs_rejected", BETTER_LOWER, "rejected jobs", "rejects %s fewer jobs", "rejects %s more jobs", WINDOW_COUNT },
    { "jobs_unfinished", BETTER_LOWER, "unfinished jobs", "leaves %s fewer jobs unfinished", "leaves %s more jobs unfinished", WINDOW_COUNT },
};

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

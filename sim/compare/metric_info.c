/*
 * metric_info.c -- the tables of metric_info.h: a row a metric that is emitted, or a family of them.
 *
 * What has no row, a policy's note, is shown in its own unit, and a sentence about it says "has 3 % less NAME".
 */
#include "compare/metric_info.h"

#include <string.h>

#include "base/mem.h"

/* With tails. */
static const struct metric_info families[] = {
    { "jct", BETTER_LOWER, WINDOW_JOBS, false, "completion times", "finishes jobs %s sooner", "finishes jobs %s later",
      "Time from the submission of a job to its end" },
    { "wait", BETTER_LOWER, WINDOW_JOBS, false, "waiting for the first start",
      "lets jobs wait %s less for their first start", "lets jobs wait %s more for their first start",
      "Time from the submission of a job to its first start; later interruptions are not in it" },
    { "not_running", BETTER_LOWER, WINDOW_JOBS, false, "time not running",
      "has jobs not running for %s less time", "has jobs not running for %s more time",
      "Time between the submission and the end of a job in which none of its tasks ran, after interruptions too" },
    { "span", BETTER_LOWER, WINDOW_JOBS, false, "time from start to end",
      "gets started jobs done %s sooner", "gets started jobs done %s later",
      "Time from the first start of a job to its end" },
    { "slowdown", BETTER_LOWER, WINDOW_JOBS, false, "slowdown", "slows jobs %s less", "slows jobs %s more",
      "Completion time of a job over the time that it takes alone at nominal speed: 1 is not slowed at all" },
    { "bounded_slowdown", BETTER_LOWER, WINDOW_JOBS, false, "bounded slowdown", "slows jobs %s less", "slows jobs %s more",
      "Completion time over the time alone, where jobs shorter than 10 s count as 10 s, and at least 1: so very"
      " short jobs do not decide the mean" },
    { "stage_wait", BETTER_LOWER, WINDOW_JOBS, false, "waiting between stages",
      "lets stages wait %s less", "lets stages wait %s more",
      "Time between the end of a stage of a workflow and the start of the last task of the next, over all its"
      " stages" },
    { "rho", BETTER_LOWER, WINDOW_JOBS, false, "finish-time fairness",
      "ends jobs %s sooner against their fair share", "ends jobs %s later against their fair share",
      "Finish-time fairness: completion time over what an equal share of the cluster among the users at that time"
      " would have taken; above 1 is worse than that share" },
};

static const struct metric_info single[] = {
    { "jain", BETTER_HIGHER, WINDOW_NONE, false, "fairness among users",
      "shares %s less evenly among users", "shares %s more evenly among users",
      "Jain's index of how evenly users held the cluster (their dominant shares): 1 where all held as much, 1/m"
      " where one of m users held everything" },
    { "rho_above_1", BETTER_LOWER, WINDOW_JOBS, false, "share of jobs later than fair",
      "has %s fewer jobs later than fair", "has %s more jobs later than fair",
      "Share of the jobs that ended later than on an equal share of the cluster (rho above 1)" },
    { "makespan", BETTER_LOWER, WINDOW_NONE, false, "makespan", "ends all work %s sooner", "ends all work %s later",
      "Time from the first submission to the last end" },
    { "dt", BETTER_LOWER, WINDOW_NONE, false, "DT",
      "ends all work %s sooner after the first start", "ends all work %s later after the first start",
      "Time from the first start to the last end" },
    { "throughput", BETTER_HIGHER, WINDOW_NONE, false, "throughput",
      "ends %s fewer jobs an hour", "ends %s more jobs an hour",
      "Jobs that ended, for each hour of the makespan" },
    { "task_time_mean", BETTER_LOWER, WINDOW_NONE, false, "task times", "ends tasks %s sooner", "ends tasks %s later",
      "Time from when a task of calls was ready to be sent to its end, mean over the tasks done" },
    { "calls_cross", BETTER_LOWER, WINDOW_NONE, false, "calls to other nodes",
      "sends %s fewer calls to other nodes", "sends %s more calls to other nodes",
      "Calls done on another node than that of their task" },
    { "calls_cross_bytes", BETTER_LOWER, WINDOW_NONE, false, "bytes of calls to other nodes",
      "carries %s less to other nodes and back", "carries %s more to other nodes and back",
      "Arguments and results of the calls done on another node than that of their task" },
    { "calls_lost", BETTER_LOWER, WINDOW_NONE, false, "interrupted calls",
      "has %s fewer calls interrupted", "has %s more calls interrupted",
      "Calls that were interrupted" },
    { "calls_done", BETTER_HIGHER, WINDOW_NONE, false, "calls done", "gets %s fewer calls done", "gets %s more calls done",
      "Calls that ended" },
    { "tasks_sent", BETTER_NEITHER, WINDOW_NONE, false, "tasks sent to nodes",
      "sends %s fewer tasks to nodes", "sends %s more tasks to nodes",
      "How often the master sent a task to the queue of a node" },
    { "tasks_moved", BETTER_NEITHER, WINDOW_NONE, false, "tasks moved between nodes",
      "moves %s fewer tasks between nodes", "moves %s more tasks between nodes",
      "How often a task was moved from the queue of one node to that of another" },
    { "queue_master_mean", BETTER_LOWER, WINDOW_NONE, false, "waiting with the master",
      "keeps %s fewer tasks waiting with the master", "keeps %s more tasks waiting with the master",
      "Tasks that waited with the master, mean over time" },
    { "queue_nodes_mean", BETTER_LOWER, WINDOW_NONE, false, "waiting in nodes' queues",
      "keeps %s fewer tasks waiting in nodes' queues", "keeps %s more tasks waiting in nodes' queues",
      "Tasks that waited in the queues of all nodes, mean over time" },
    { "queue_master_max", BETTER_LOWER, WINDOW_NONE, false, "the master's longest queue",
      "has a master's queue %s shorter", "has a master's queue %s longer",
      "The most tasks that waited with the master at once" },
    { "queue_nodes_max", BETTER_LOWER, WINDOW_NONE, false, "most tasks in nodes' queues",
      "has %s fewer tasks in nodes' queues", "has %s more tasks in nodes' queues",
      "The most tasks that waited in the queues of all nodes at once" },
    { "queue_node_max", BETTER_LOWER, WINDOW_NONE, false, "a node's longest queue",
      "has a longest queue of a node %s shorter", "has a longest queue of a node %s longer",
      "The most tasks that waited in the queue of one node at once" },
    { "engine_useful", BETTER_NEITHER, WINDOW_NONE, true, "executing time of engines",
      "lets engines execute %s less", "lets engines execute %s more",
      "Share of the engines' time in which they executed calls that ended" },
    { "engine_taken", BETTER_NEITHER, WINDOW_NONE, true, "time taken of engines",
      "takes engines for %s less time", "takes engines for %s more time",
      "Share of the engines' time for which calls took them, with ways there and back and interrupted calls" },
    { "engine_best", BETTER_HIGHER, WINDOW_NONE, true, "useful work of engines",
      "gets %s less useful work out of the engines", "gets %s more useful work out of the engines",
      "Share of the engines' time that the calls done need on the type of engine that suits each best" },
    { "useful_share", BETTER_HIGHER, WINDOW_NONE, true, "executing share of the time taken",
      "executes for %s less of the time that calls take", "executes for %s more of the time that calls take",
      "Of the time for which calls took engines, the share in which they executed calls that ended" },
    { "best_share", BETTER_HIGHER, WINDOW_NONE, true, "useful share of the time taken",
      "makes %s less useful what calls take of engines", "makes %s more useful what calls take of engines",
      "Of the time for which calls took engines, the share that the calls done need on the type of engine that"
      " suits each best" },
    { "gpu_util", BETTER_HIGHER, WINDOW_SAMPLES, true, "GPU utilisation",
      "keeps %s less of the GPUs busy", "keeps %s more of the GPUs busy",
      "Share of the GPUs of nodes that are up that was allocated, mean over time" },
    { "gpu_hours", BETTER_NEITHER, WINDOW_NONE, false, "GPU hours held",
      "holds %s fewer GPU hours", "holds %s more GPU hours",
      "GPUs allocated, times the hours for which they were; a part of a GPU counts as that part" },
    { "cpu_hours", BETTER_NEITHER, WINDOW_NONE, false, "core hours held",
      "holds %s fewer core hours", "holds %s more core hours",
      "Cores allocated, times the hours for which they were" },
    { "dominant_share", BETTER_NEITHER, WINDOW_NONE, false, "dominant share of users",
      "gives users %s smaller dominant shares", "gives users %s larger dominant shares",
      "The largest of a user's shares of the cluster's GPUs, CPUs and memory, over the user's weight; mean over the time"
      " in which the user had a job in the system" },
    { "weight", BETTER_NEITHER, WINDOW_NONE, false, "weights of users",
      "gives users %s less weight", "gives users %s more weight",
      "Weight that the scenario gives a user, where it is not 1: users are to have as much in proportion to theirs" },
    { "gpu_active", BETTER_HIGHER, WINDOW_SAMPLES, true, "work of the GPUs",
      "makes GPUs work %s less", "makes GPUs work %s more",
      "What the GPUs really did: the utilisation by the jobs that held them, over all GPUs, mean over time" },
    { "cpu_util", BETTER_HIGHER, WINDOW_SAMPLES, true, "CPU utilisation",
      "keeps %s less of the CPUs busy", "keeps %s more of the CPUs busy",
      "Share of the cores of nodes that are up that was allocated, mean over time" },
    { "mem_util", BETTER_NEITHER, WINDOW_SAMPLES, true, "memory in use", "holds %s less memory", "holds %s more memory",
      "Share of the memory of nodes that are up that was allocated, mean over time" },
    { "card_occupancy", BETTER_NEITHER, WINDOW_SAMPLES, true, "cards in use",
      "touches %s fewer cards", "touches %s more cards",
      "Share of the GPUs that any job held, be it in part, mean over time" },
    { "frag_expected", BETTER_LOWER, WINDOW_SAMPLES, false, "fragmentation",
      "leaves free GPUs %s less fragmented", "leaves free GPUs %s more fragmented",
      "Fragmentation: the share of the free GPUs that a task, drawn from those that arrived, could not use; mean"
      " over samples" },
    { "frag_stranded", BETTER_LOWER, WINDOW_SAMPLES, false, "stranded capacity",
      "strands %s less GPU capacity", "strands %s more GPU capacity",
      "Share of the free GPUs that no waiting task could use where they are, mean over samples" },
    { "frag_lack_cpu", BETTER_LOWER, WINDOW_SAMPLES, true, "GPUs idle for want of CPUs",
      "leaves %s fewer GPUs idle for want of CPUs", "leaves %s more GPUs idle for want of CPUs",
      "Share of all GPUs that were idle only because their nodes lacked CPUs for the tasks that waited, mean over"
      " samples" },
    { "frag_at_80", BETTER_LOWER, WINDOW_NONE, false, "fragmentation at load 0.8",
      "leaves free GPUs %s less fragmented at load 0.8", "leaves free GPUs %s more fragmented at load 0.8",
      "Fragmentation (frag_expected) when jobs had asked for 80 % of the GPUs" },
    { "frag_at_90", BETTER_LOWER, WINDOW_NONE, false, "fragmentation at load 0.9",
      "leaves free GPUs %s less fragmented at load 0.9", "leaves free GPUs %s more fragmented at load 0.9",
      "Fragmentation (frag_expected) when jobs had asked for 90 % of the GPUs" },
    { "gpu_at_100", BETTER_HIGHER, WINDOW_NONE, false, "GPUs allocated at load 1",
      "allocates %s fewer GPUs at load 1", "allocates %s more GPUs at load 1",
      "Share of the GPUs allocated when jobs had asked for as many as there are" },
    { "cpu_at_100", BETTER_HIGHER, WINDOW_NONE, false, "CPUs allocated at load 1",
      "allocates %s fewer CPUs at load 1", "allocates %s more CPUs at load 1",
      "Share of the CPUs allocated when jobs had asked for as many GPUs as there are" },
    { "unscheduled", BETTER_LOWER, WINDOW_NONE, false, "jobs not started",
      "leaves %s fewer jobs not started", "leaves %s more jobs not started",
      "Jobs that had not started when the last one had arrived, without the rejected ones" },
    { "starts", BETTER_NEITHER, WINDOW_NONE, false, "starts",
      "starts tasks %s less often", "starts tasks %s more often",
      "Starts of tasks" },
    { "failures", BETTER_LOWER, WINDOW_NONE, false, "interruptions by nodes",
      "has %s fewer tasks interrupted by nodes", "has %s more tasks interrupted by nodes",
      "Interruptions by nodes that failed, each of a task or of a whole gang" },
    { "mismatches", BETTER_LOWER, WINDOW_NONE, false, "starts on unfit cards",
      "starts %s fewer tasks on cards that lack what they ask", "starts %s more tasks on cards that lack what they ask",
      "Starts of tasks on GPUs that lack the memory or the cores asked" },
    { "refusals", BETTER_LOWER, WINDOW_NONE, false, "decisions refused",
      "has %s fewer decisions refused", "has %s more decisions refused",
      "Decisions of the policy that were refused" },
    { "preemptions", BETTER_LOWER, WINDOW_NONE, false, "preemptions", "preempts %s less", "preempts %s more",
      "Interruptions by the policy, each of a task or of a whole gang" },
    { "scalings", BETTER_NEITHER, WINDOW_NONE, false, "changes of size",
      "changes sizes of jobs %s less often", "changes sizes of jobs %s more often",
      "Changes of the size of an elastic job while it ran" },
    { "restart_gpu_hours", BETTER_LOWER, WINDOW_NONE, false, "GPU hours of restarts",
      "spends %s fewer GPU hours on restarts", "spends %s more GPU hours on restarts",
      "GPU hours that elastic jobs held while they restored their state" },
    { "reclaims", BETTER_LOWER, WINDOW_NONE, false, "interruptions of borrowers",
      "stops %s fewer borrowers", "stops %s more borrowers",
      "Interruptions of tasks on borrowed capacity because its owner wanted it back" },
    { "lent_cpu_hours", BETTER_NEITHER, WINDOW_NONE, false, "cores lent",
      "lends %s less of the cores reserved", "lends %s more of the cores reserved",
      "Core hours that borrowers held of what workflows had reserved" },
    { "lent_gpu_hours", BETTER_NEITHER, WINDOW_NONE, false, "GPUs lent",
      "lends %s less of the GPUs reserved", "lends %s more of the GPUs reserved",
      "GPU hours that borrowers held of what workflows had reserved" },
    { "lent_licence_hours", BETTER_NEITHER, WINDOW_NONE, false, "licences lent",
      "lends %s less of the licences reserved", "lends %s more of the licences reserved",
      "Licence hours that borrowers held of what workflows had reserved" },
    { "reserved_cpu_hours", BETTER_NEITHER, WINDOW_NONE, false, "cores reserved",
      "reserves %s fewer core hours", "reserves %s more core hours",
      "Core hours kept aside for workflows" },
    { "reserved_gpu_hours", BETTER_NEITHER, WINDOW_NONE, false, "GPUs reserved",
      "reserves %s fewer GPU hours", "reserves %s more GPU hours",
      "GPU hours kept aside for workflows" },
    { "reserved_licence_hours", BETTER_NEITHER, WINDOW_NONE, false, "licences reserved",
      "reserves %s fewer licence hours", "reserves %s more licence hours",
      "Licence hours kept aside for workflows" },
    { "reserved_used_cpu_hours", BETTER_NEITHER, WINDOW_NONE, false, "reserved cores in use",
      "uses %s less of the cores reserved", "uses %s more of the cores reserved",
      "Core hours that workflows with a reservation held" },
    { "reserved_used_gpu_hours", BETTER_NEITHER, WINDOW_NONE, false, "reserved GPUs in use",
      "uses %s less of the GPUs reserved", "uses %s more of the GPUs reserved",
      "GPU hours that workflows with a reservation held" },
    { "reclaimed_cpu_hours", BETTER_LOWER, WINDOW_NONE, false, "core hours taken back",
      "takes %s fewer core hours back from borrowers", "takes %s more core hours back from borrowers",
      "Core hours that borrowers had held before they were stopped for the owner" },
    { "reclaimed_gpu_hours", BETTER_LOWER, WINDOW_NONE, false, "GPU hours taken back",
      "takes %s fewer GPU hours back from borrowers", "takes %s more GPU hours back from borrowers",
      "GPU hours that borrowers had held before they were stopped for the owner" },
    { "licence_util", BETTER_HIGHER, WINDOW_NONE, true, "licences in use",
      "keeps %s less of the licences in use", "keeps %s more of the licences in use",
      "Share of the licences that was held, mean over time" },
    { "lost_gpu_hours", BETTER_LOWER, WINDOW_NONE, false, "lost work", "loses %s less work", "loses %s more work",
      "Work thrown away by interruptions, in hours of a GPU at nominal speed" },
    { "goodput", BETTER_HIGHER, WINDOW_NONE, false, "goodput", "keeps %s less of its work", "keeps %s more of its work",
      "Useful work over useful and lost work: 1 where no work was thrown away" },
    { "energy", BETTER_LOWER, WINDOW_NONE, false, "energy", "takes %s less energy", "takes %s more energy",
      "Electricity that all nodes and cards drew, or the jobs of a user" },
    { "energy_idle", BETTER_LOWER, WINDOW_NONE, false, "energy that no job holds",
      "leaves %s less energy to what no job holds", "leaves %s more energy to what no job holds",
      "Electricity that was drawn for nodes and cards that no job held" },
    { "cost", BETTER_LOWER, WINDOW_NONE, false, "cost", "costs %s less", "costs %s more",
      "Price of nodes, cards and electricity, in the money of the scenario" },
    { "cost_idle", BETTER_LOWER, WINDOW_NONE, false, "cost of what no job holds",
      "pays %s less for what no job holds", "pays %s more for what no job holds",
      "Price of nodes, cards and electricity that no job held, in the money of the scenario" },
    { "s_whole_mean", BETTER_HIGHER, WINDOW_JOBS, false, "speed against the whole cluster",
      "comes %s less near the ideal on the whole cluster", "comes %s nearer to the ideal on the whole cluster",
      "Time of a job alone on the whole cluster over the time that it took, mean over jobs: 1 is ideal" },
    { "s_share_mean", BETTER_HIGHER, WINDOW_JOBS, false, "speed against a share",
      "comes %s less near the ideal on a share", "comes %s nearer to the ideal on a share",
      "Time of a job alone on its share of the cluster over the time that it took, mean over jobs: 1 is as fast"
      " as on that share" },
    { "s_whole_sigma", BETTER_LOWER, WINDOW_JOBS, false, "fairness among jobs (whole)",
      "treats jobs %s more alike", "treats jobs %s less alike",
      "How much jobs differ in their time alone on the whole cluster over the time that they took (standard"
      " deviation): 0 treats all alike" },
    { "s_share_sigma", BETTER_LOWER, WINDOW_JOBS, false, "fairness among jobs (share)",
      "treats jobs %s more alike", "treats jobs %s less alike",
      "How much jobs differ in their time alone on a share of the cluster over the time that they took (standard"
      " deviation): 0 treats all alike" },
    { "local_share", BETTER_HIGHER, WINDOW_NONE, true, "local reads",
      "reads %s less of its data locally", "reads %s more of its data locally",
      "Share of the bytes read that came from the task's own node" },
    { "rack_share", BETTER_NEITHER, WINDOW_NONE, true, "reads within the rack",
      "reads %s less of its data within the rack", "reads %s more of its data within the rack",
      "Share of the bytes read that came from another node of the task's rack" },
    { "cross_share", BETTER_NEITHER, WINDOW_NONE, true, "reads from other racks",
      "reads %s less of its data from other racks", "reads %s more of its data from other racks",
      "Share of the bytes read that came from another rack" },
    { "bytes_local", BETTER_NEITHER, WINDOW_NONE, false, "bytes read locally",
      "reads %s fewer bytes locally", "reads %s more bytes locally",
      "Bytes read from the task's own node" },
    { "bytes_rack", BETTER_NEITHER, WINDOW_NONE, false, "bytes read within the rack",
      "reads %s fewer bytes within the rack", "reads %s more bytes within the rack",
      "Bytes read from another node of the task's rack" },
    { "bytes_cross", BETTER_NEITHER, WINDOW_NONE, false, "bytes read from other racks",
      "reads %s fewer bytes from other racks", "reads %s more bytes from other racks",
      "Bytes read from another rack" },
    { "bytes_read", BETTER_NEITHER, WINDOW_NONE, false, "bytes read", "reads %s fewer bytes", "reads %s more bytes",
      "Bytes read by tasks that were done" },
    { "bytes_network", BETTER_LOWER, WINDOW_NONE, false, "network traffic",
      "moves %s less over the network", "moves %s more over the network",
      "Bytes that came over the network, read or in vain" },
    { "bytes_vain", BETTER_LOWER, WINDOW_NONE, false, "bytes moved in vain", "moves %s less in vain", "moves %s more in vain",
      "Bytes moved for tasks that were interrupted" },
    { "makespan_recorded", BETTER_NEITHER, WINDOW_NONE, false, "the recorded makespan",
      "has a recorded makespan %s smaller", "has a recorded makespan %s larger",
      "The makespan that the trace's file recorded: what happened, not a result" },
    { "makespan_bound", BETTER_NEITHER, WINDOW_NONE, false, "the makespan's bound",
      "has a bound of the makespan %s smaller", "has a bound of the makespan %s larger",
      "No schedule of these jobs on this cluster has a smaller makespan" },
    { "jct_mean_bound", BETTER_NEITHER, WINDOW_NONE, false, "the mean completion time's bound",
      "has a bound of the mean completion time %s smaller", "has a bound of the mean completion time %s larger",
      "No schedule of these jobs on this cluster has a smaller mean completion time" },
    { "little_l", BETTER_LOWER, WINDOW_NONE, false, "jobs in the system",
      "has %s fewer jobs in the system", "has %s more jobs in the system",
      "Jobs in the system, mean over time" },
    { "little_lambda", BETTER_NEITHER, WINDOW_NONE, false, "arrival rate",
      "takes in jobs at a rate %s lower", "takes in jobs at a rate %s higher",
      "Jobs that arrived in a second and were not rejected" },
    { "little_w", BETTER_LOWER, WINDOW_NONE, false, "time in the system",
      "keeps jobs in the system for %s less time", "keeps jobs in the system for %s more time",
      "Time that jobs were in the system, those that had not ended included; mean over jobs" },
    { "events", BETTER_NEITHER, WINDOW_NONE, false, "events", "takes %s fewer events", "takes %s more events",
      "Events of the simulation" },
    { "instants", BETTER_NEITHER, WINDOW_NONE, false, "instants", "has %s fewer instants", "has %s more instants",
      "Times at which anything happened in the simulation" },
    { "peak_live_jobs", BETTER_LOWER, WINDOW_NONE, false, "most jobs at once",
      "has a peak of jobs at once %s lower", "has a peak of jobs at once %s higher",
      "The most jobs in the system at once" },
    { "jobs_counted", BETTER_NEITHER, WINDOW_COUNT, false, "jobs counted", "counts %s fewer jobs", "counts %s more jobs",
      "Jobs that ended and count: those that means and percentiles of jobs are over" },
    { "jobs_arrived", BETTER_NEITHER, WINDOW_COUNT, false, "arrivals", "has %s fewer arrivals", "has %s more arrivals",
      "Jobs that arrived" },
    { "jobs_done", BETTER_HIGHER, WINDOW_COUNT, false, "jobs done", "gets %s fewer jobs done", "gets %s more jobs done",
      "Jobs that ended with all their work done" },
    { "jobs_timeout", BETTER_LOWER, WINDOW_COUNT, false, "jobs cut off by their limit",
      "has %s fewer jobs cut off by their limit", "has %s more jobs cut off by their limit",
      "Jobs cut off at their time limit; they have ended, and are in means and percentiles" },
    { "jobs_rejected", BETTER_LOWER, WINDOW_COUNT, false, "rejected jobs", "rejects %s fewer jobs", "rejects %s more jobs",
      "Jobs turned away because the cluster could never run them; they are in no mean" },
    { "jobs_failed", BETTER_LOWER, WINDOW_COUNT, false, "failed jobs",
      "has %s fewer jobs fail", "has %s more jobs fail",
      "Jobs with a task that failed on GPUs without the memory or cores asked; they are in no mean" },
    { "jobs_dependent", BETTER_NEITHER, WINDOW_NONE, false, "jobs that wait for others",
      "has %s fewer jobs that wait for others", "has %s more jobs that wait for others",
      "Jobs that had to wait for others by name" },
    { "jobs_never_eligible", BETTER_LOWER, WINDOW_NONE, false, "jobs that never became eligible",
      "has %s fewer jobs that never become eligible", "has %s more jobs that never become eligible",
      "Jobs whose dependencies could never be met; they are in no mean" },
    { "jobs_unfinished", BETTER_LOWER, WINDOW_COUNT, false, "unfinished jobs",
      "leaves %s fewer jobs unfinished", "leaves %s more jobs unfinished",
      "Jobs that had not ended when the run did; they are in no mean" },
    { "jobs_unlimited", BETTER_NEITHER, WINDOW_NONE, false, "jobs without a limit",
      "has %s fewer jobs without a limit", "has %s more jobs without a limit",
      "Jobs without a time limit, under a policy that goes by limits: it has no estimate of them" },
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

/* What the tails of families say. */
static const struct tail { const char *name, *words; } tails[] = {
    { "_mean", "; mean over jobs" },
    { "_p50", "; median: half of the jobs have less" },
    { "_p95", "; 95th percentile: 95 of 100 jobs have less" },
    { "_p99", "; 99th percentile: 99 of 100 jobs have less" },
    { "_max", "; the largest of any job" },
};

/* NULL: it has none. */
static const struct tail *tail_of(const char *metric)
{
    const size_t n = strlen(metric);
    for (size_t i = 0; i < ARRAY_LEN(tails); i++) {
        const size_t m = strlen(tails[i].name);
        if (n > m && strcmp(metric + n - m, tails[i].name) == 0) return &tails[i];
    }
    return NULL;
}

const char *metric_info_tail(const char *metric)
{
    const struct tail *t = tail_of(metric);
    return t != NULL ? metric + strlen(metric) - strlen(t->name) : "";
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

char *metric_info_meaning(const char *metric)
{
    const struct metric_info *m = metric_info_of(metric);
    if (m == NULL) return NULL;
    if (strcmp(m->name, metric) == 0) return mem_strdup(m->meaning);
    return mem_printf("%s%s", m->meaning, tail_of(metric)->words);      /* of a family */
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

/* Unit tests of the readers of public formats, on small files with the known oddities. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include <unistd.h>
#include "input/trace/trace.h"
#include "input/trace/reader.h"
#include "model/calls/calltime.h"
#include "ref/temp.h"
#include "ref/traceopts.h"

static struct cluster cluster;
static struct throughput perf;
static struct trace t;
static struct trace_opts o;
static struct diag d;
static char path[64], table[64];

static void setup(void)
{
    memset(&d, 0, sizeof d);
    o = (struct trace_opts){ .path = path, .speedup = 1, .window_to = TICK_NEVER, .dflt.limit = -1 };
}

/* The prepared trace's jobs; groups and strings copied. */
static struct { struct job_spec j; struct task_group g[2]; char id[64], user[64], queue[64], model[64]; } job[16];
static size_t n_jobs;

static char *keep(char *to, const char *s) { return s == NULL ? NULL : strncpy(to, s, 63); }

static void read_all(const char *format, const char *text)
{
    struct source s;
    temp_file(path, text);
    if (o.format == NULL) traceopts_format(&o, format);
    cr_assert_eq(trace_prepare(&t, &o, &cluster, &perf, &d), ST_OK, "line %u: %s", d.line, d.msg);
    cr_assert_eq(trace_source_open(&t, &s, &d), ST_OK);
    for (n_jobs = 0; s.next(s.ctx, &job[n_jobs].j, &d) == ST_OK; n_jobs++) {
        struct job_spec *j = &job[n_jobs].j;
        cr_assert_leq(j->n_groups, 2);
        memcpy(job[n_jobs].g, j->group, j->n_groups * sizeof *j->group);
        j->group = job[n_jobs].g;
        j->id = keep(job[n_jobs].id, j->id);
        j->user = keep(job[n_jobs].user, j->user);
        j->queue = keep(job[n_jobs].queue, j->queue);
        j->model = keep(job[n_jobs].model, j->model);
    }
    cr_assert_eq(d.code, ST_OK, "%s", d.msg);
    trace_source_close(&s);
}

static void teardown(void)
{
    trace_fini(&t);
    throughput_fini(&perf);
    cluster_fini(&cluster);
    unlink(path);
    if (table[0] != '\0') unlink(table);
    trace_opts_fini(&o);
}

TestSuite(formats, .init = setup, .fini = teardown);

static uint64_t repaired(const char *what)
{
    for (size_t i = 0; i < t.repairs.n; i++)
        if (strcmp(t.repairs.at[i].what, what) == 0) return t.repairs.at[i].count;
    return 0;
}

static void node(int64_t cores, uint32_t gpus, const char *type)
{
    struct node_spec n = { .name = type != NULL ? type : "cpu", .cpu_milli = cores * 1000, .mem_b = INT64_C(1) << 40, .n_gpu = gpus, .gpu_type = type };
    cr_assert_eq(cluster_add(&cluster, &n, &d), ST_OK);
}

Test(formats, units_are_split_as_evenly_as_possible_and_none_is_lost)
{
    for (int64_t total = 0; total <= 200; total++)
        for (int64_t most = 0; most <= 20; most++) {
            uint32_t n[2] = { 0, 0 };
            int64_t size[2] = { 0, 0 };
            uint32_t groups = trace_split(total, most, n, size);
            int64_t sum = 0, tasks = 0;
            for (uint32_t k = 0; k < groups; k++) { sum += n[k] * size[k]; tasks += n[k]; }
            cr_assert_eq(sum, total);
            cr_assert(most == 0 ? tasks == 1 : tasks == i64_max(1, (total + most - 1) / most));
            cr_assert(groups == 1 || size[0] == size[1] + 1);
        }
}

#define OPENB "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"
#define PODS OPENB "a,12000,16384,1,460,,LS,Running,100,210,110\n" \
                   "b,4000,0,0,0,,BE,Pending,200,230,\n" \
                   "c,4000,8,2,1000,V100M16|V100M32,LS,Succeeded,150,150,150\n"

Test(formats, openb_replays_demand_and_counts_what_is_odd)
{
    read_all("openb", PODS);
    cr_assert_eq(n_jobs, 3);
    cr_expect_str_eq(job[0].j.id, "a");
    cr_expect_eq(job[0].g->dur, 100 * TICK_SEC);        /* deletion - scheduled */
    cr_expect_eq(job[0].g->shape.gpu_milli, 460);
    cr_expect_eq(job[0].g->shape.mem_b, INT64_C(16384) << 20);
    cr_expect_null(job[0].j.user);                      /* qos is not a user */
    cr_expect_str_eq(job[1].j.id, "c");                 /* sorted by creation */
    cr_expect_eq(job[1].j.submit, 50 * TICK_SEC);
    cr_expect_eq(job[1].g->shape.gpu_types, 3);
    cr_expect_eq(job[2].g->dur, 30 * TICK_SEC);         /* deletion - creation */
    cr_expect_eq(repaired("pod never scheduled (Pending), runs for deletion - creation"), 1);
    cr_expect_eq(repaired("zero memory kept as 0"), 1);
    cr_expect_eq(repaired("zero duration kept as 0"), 1);
    cr_expect_eq(repaired("row out of time order, sorted"), 1);
}

Test(formats, openb_leaves_pending_pods_out_when_told)
{
    traceopts_format(&o, "openb");
    traceopts_set(&o, "pending", "skip");
    read_all("openb", PODS);
    cr_expect_eq(n_jobs, 2);
    cr_expect_eq(repaired("pod never scheduled (Pending), left out"), 1);
}

#define EV(opts) "-dt 10.5 -e submit_batch_job | -sim-walltime 84.25 --uid=u1 -J j" #opts " "

Test(formats, slurm_spreads_processes_over_nodes)
{
    read_all("slurm", EV(1) "-N 3 -n 8 -t 2-12 -q prio -p gen --mem=187000M --gres=gpu:2 --gres=gpu:2 --constraint=IB|OPA --exclusive=user x.job\r\n"
                      EV(2) "-N 2 -n 80 -p gen --gres=gpu:v100:1 --constraint=A&B x.job\n"
                      EV(3) "-N 4 -n 2 -c 3 -t 1:30 -p gen --mem=2G x.job\n");
    cr_assert_eq(n_jobs, 3);
    const struct job_spec *j = &job[0].j;
    cr_expect(j->gang);
    cr_assert_eq(j->n_groups, 2);
    cr_expect(job[0].g[0].n == 2 && job[0].g[0].shape.cpu_milli == 3000);
    cr_expect(job[0].g[1].n == 1 && job[0].g[1].shape.cpu_milli == 2000);
    cr_expect_eq(job[0].g[0].dur, 84250000);
    cr_expect_eq(job[0].g[0].shape.n_gpu, 2);           /* not 4 */
    cr_expect_eq(job[0].g[0].shape.mem_b, INT64_C(187000) << 20);
    cr_expect_eq(job[0].g[0].shape.exclusive, 1);
    cr_expect_eq(j->limit, 60 * 3600 * TICK_SEC);
    cr_expect_str_eq(j->queue, "prio");
    cr_expect_str_eq(j->user, "u1");
    uint64_t gen = UINT64_C(1) << intern_find(&cluster.labels, "gen");
    cr_expect_eq(job[0].g[0].shape.need_all, gen);
    cr_expect_eq(job[0].g[0].shape.need_any, UINT64_C(1) << intern_find(&cluster.labels, "IB") | UINT64_C(1) << intern_find(&cluster.labels, "OPA"));
    cr_assert_eq(job[1].j.n_groups, 1);
    cr_expect_eq(job[1].g[0].shape.cpu_milli, 40000);
    cr_expect_eq(job[1].g[0].shape.gpu_types, 1);
    cr_expect_eq(job[1].g[0].shape.need_all, gen | UINT64_C(1) << intern_find(&cluster.labels, "A") | UINT64_C(1) << intern_find(&cluster.labels, "B"));
    cr_expect_eq(job[1].j.limit, -1);
    cr_expect_str_eq(job[1].j.queue, "gen");
    cr_expect(job[2].g[0].n == 2 && job[2].g[0].shape.cpu_milli == 3000);
    cr_expect_eq(job[2].j.limit, 90 * TICK_SEC);
    cr_expect_eq(repaired("--gres given twice with the same value, counted once"), 1);
    cr_expect_eq(repaired("--exclusive=user treated as --exclusive"), 1);
    cr_expect_eq(repaired("-n below -N, nodes reduced to -n as Slurm does"), 1);
    cr_expect_eq(repaired("no --mem, the scenario's default used"), 1);
}

Test(formats, slurm_limits_come_in_six_forms)
{
    static const struct { const char *t; sim_tick s; } form[] = {
        { "90", 5400 }, { "1:30", 90 }, { "2:03:04", 7384 }, { "1-2", 93600 }, { "1-2:03", 93780 }, { "3-00:00:01", 259201 },
        { "0", -1 }, { "UNLIMITED", -1 },
    };
    char text[4096] = "", line[256];
    for (size_t i = 0; i < ARRAY_LEN(form); i++) {
        (void)snprintf(line, sizeof line, "-dt 1 -e submit_batch_job | -sim-walltime 5 -J j%zu -t %s x\n", i, form[i].t);
        strcat(text, line);
    }
    read_all("slurm", text);
    cr_assert_eq(n_jobs, ARRAY_LEN(form));
    for (size_t i = 0; i < ARRAY_LEN(form); i++)
        cr_expect_eq(job[i].j.limit, form[i].s < 0 ? -1 : form[i].s * TICK_SEC, "%s", form[i].t);
}

Test(formats, swf_processors_become_a_gang_on_the_largest_node)
{
    node(4, 0, NULL);
    read_all("swf", "; Version: 2.2\n;\n"
                    "1 1356996147 0 100 10 1 1024 -1 50 512 1 7 1 1 3 1 1 1 {9,9} extra\n"
                    "2 1356996150 -1 0 -1 -1 -1 -1 -1 -1 1 -1 1 1 -1 1 1 1\n"
                    "3 1356996151 -1 -99999999999 1 -1 -1 1 -1 -1 1 -1 1 1 -1 1 1 1\n");
    cr_assert_eq(n_jobs, 2);
    cr_assert_eq(job[0].j.n_groups, 2);                 /* 10 cores on nodes of 4: 4 + 3 + 3 */
    cr_expect(job[0].g[0].n == 1 && job[0].g[0].shape.cpu_milli == 4000 && job[0].g[0].shape.mem_b == 4 * 512 * 1024);
    cr_expect(job[0].g[1].n == 2 && job[0].g[1].shape.cpu_milli == 3000);
    cr_expect(job[0].j.gang);
    cr_expect_eq(job[0].j.limit, 50 * TICK_SEC);
    cr_expect_str_eq(job[0].j.user, "u7");
    cr_expect_str_eq(job[0].j.queue, "q3");
    cr_expect_eq(t.facts.n_past_limit, 1);
    cr_expect_eq(job[1].j.submit, 3 * TICK_SEC);
    cr_expect_null(job[1].j.user);
    cr_expect_eq(repaired("requested processors unknown, those allocated used"), 1);
    cr_expect_eq(repaired("processors unknown, 1 assumed"), 1);
    cr_expect_eq(repaired("zero duration kept as 0"), 1);
    cr_expect_eq(repaired("run time unknown (negative), row left out"), 1);
}

Test(formats, swf_memory_in_bytes_of_the_job_is_recognised_for_the_whole_file)
{
    read_all("swf", "1 5 0 10 2 1 -1 2 50 104857600 1 7 1 1 3 1 1 1\n"
                    "2 6 0 10 2 1 -1 2 50 68719476736 1 7 1 1 3 1 1 1\n");
    cr_expect_eq(job[0].g->shape.mem_b, 104857600);
    cr_expect_eq(repaired("requested memory taken as bytes of the whole job, not KiB a processor"), 2);
}

Test(formats, philly_stamps_are_seconds_apart_across_leap_days)
{
    node(8, 4, "V100");
    o.dflt.cpu_milli_per_gpu = 2000;
    read_all("philly", "timestamp,duration,num_gpus,gpu_time,cluster\n2016-03-01 00:00:01,66.0,6,66.0,vc1\n2016-02-28 23:59:59,1.5,1,1.5,vc2\n\n");
    cr_assert_eq(n_jobs, 2);
    cr_expect_str_eq(job[0].j.user, "vc2");
    cr_expect_str_eq(job[0].j.id, "philly-3");
    cr_expect_eq(job[1].j.submit, 86402 * TICK_SEC);
    cr_expect(job[1].j.gang && job[1].j.n_groups == 1 && job[1].g->n == 2 && job[1].g->shape.n_gpu == 3);
    cr_expect_eq(job[1].g->shape.cpu_milli, 6000);
}

/* v100 is nominal: 2 steps/s.  k80 runs it at half speed, p100 faster than v100, and x is not in the table. */
Test(formats, gavel_durations_and_rates_come_from_the_table)
{
    node(8, 8, "V100");
    node(8, 8, "K80");
    node(8, 8, "P100");
    node(8, 8, "x");
    temp_file(table, "{\"k80\": {\"('A', 1)\": {\"null\": 1.0, \"('A', 1)\": [0.5, 0.5]}, \"('B', 1)\": {\"null\": 3.0}, \"('A', 2)\": {\"null\": 0.0}},"
               " \"v100\": {\"('A', 1)\": {\"null\": 2.0}, \"('A', 2)\": {\"null\": 4.0}},"
               " \"p100\": {\"('A', 1)\": {\"null\": 3.0}, \"('B', 1)\": {\"null\": 6.0}},"
               " \"v100_unconsolidated\": {\"('B', 1)\": {\"null\": 9.0}}}");
    traceopts_format(&o, "gavel");
    traceopts_set(&o, "throughputs", table);
    traceopts_set(&o, "reference_gpu", "V100");
    read_all("gavel", "A\tcmd\t-n\t1\t100\t0.0\t1\nA\tcmd\t-n\t1\t100\t1.5\t4\nB\tcmd\t-n\t0\t60\t2\t1\n");
    cr_assert_eq(n_jobs, 3);
    cr_expect_eq(job[0].g->dur, 50 * TICK_SEC);
    cr_expect_str_eq(job[0].j.model, "A#1");
    uint32_t a = throughput_model(&perf, "A#1"), a4 = throughput_model(&perf, "A#4"), b = throughput_model(&perf, "B#1");
    cr_expect_eq(throughput_rate(&perf, &cluster, a, 0), RATE_ONE);
    cr_expect_eq(throughput_rate(&perf, &cluster, a, 1), RATE_ONE / 2);
    cr_expect_eq(throughput_rate(&perf, &cluster, a, 2), RATE_ONE * 3 / 2);
    cr_expect_eq(throughput_rate(&perf, &cluster, a, 3), RATE_ONE);       /* its type's general speed */
    cr_expect_eq(job[1].g->dur, 25 * TICK_SEC);         /* as with 2 GPUs */
    cr_expect_eq(throughput_rate(&perf, &cluster, a4, 1), 0); /* the table: cannot run there */
    cr_expect_eq(throughput_rate(&perf, &cluster, a4, 2), 0); /* not listed */
    cr_expect_eq(job[2].g->dur, 10 * TICK_SEC);         /* not on v100: the fastest, p100 */
    cr_expect_eq(throughput_rate(&perf, &cluster, b, 1), RATE_ONE / 2);
    cr_expect_eq(throughput_rate(&perf, &cluster, b, 0), 0);
    cr_expect_eq(repaired("no throughput for this many GPUs, that of the largest smaller count used"), 1);
    cr_expect_eq(repaired("no throughput on the reference GPU, nominal is the fastest type that has one"), 1);
}

/*
 * As calls: of A a step takes 1 s on k80 and 0.5 s on v100, of B 2 s on k80 and
 * none is known on v100 (0: cannot); C is on neither.  100 steps of A take 50 s
 * at best, 60 of B 120; the job of two GPUs and that of C are left out.
 */
Test(formats, gavel_jobs_of_one_gpu_are_calls_where_they_were_measured)
{
    static struct calltime times;
    struct ydoc y;
    uint32_t engine[3];
    struct node_spec n = { .name = "e", .rack = "r", .cpu_milli = 1000, .mem_b = 1 };
    static const char *const types[] = { "k80", "v100", "fpga" };
    for (uint32_t k = 0; k < 3; k++) n.engine[engine[k] = intern_id(&cluster.engines, types[k])] = 1;
    cr_assert_eq(cluster_add(&cluster, &n, &d), ST_OK, "%s", d.msg);
    cluster_seal(&cluster);
    temp_file(table, "{\"K80\": {\"('A', 1)\": {\"null\": 1.0}, \"('B', 1)\": {\"null\": 0.5}, \"('A', 2)\": {\"null\": 9.0}},"
               " \"V100\": {\"('A', 1)\": {\"null\": 2.0}, \"('B', 1)\": {\"null\": 0.0}}}");
    traceopts_format(&o, "gavel");
    traceopts_set(&o, "throughputs", table);
    o.times = &times;
    const struct trace_option *x = trace_option_find(o.format->option, o.format->n_options, "measured");
    cr_assert_eq(ydoc_parse(&y, "y", "measured: [k80, v100, fpga]", &d), ST_OK);
    cr_assert_eq(x->read(x, ydoc_get(y.root, "measured"), (char *)o.own + x->offset, &o, &cluster, &d), ST_OK, "%s", d.msg);
    ydoc_fini(&y);
    o.dflt.cpu_milli = 500;
    read_all("gavel", "A\tcmd\t-n\t1\t100\t0.0\t1\nA\tcmd\t-n\t1\t100\t1.5\t2\nC\tcmd\t-n\t0\t60\t2\t1\nB\tcmd\t-n\t0\t60\t3\t1\nA\tcmd\t-n\t0\t0\t4\t1\n");
    cr_assert_eq(n_jobs, 3);
    cr_expect(job[0].g->dur == 50 * TICK_SEC && job[1].g->dur == 120 * TICK_SEC && job[2].g->dur == TICK_SEC / 2);
    cr_expect(job[0].g->n == 1 && job[0].g->shape.n_gpu == 0 && job[0].g->shape.cpu_milli == 500);
    uint32_t a = intern_find(&times.apis, "A"), b = intern_find(&times.apis, "B");
    cr_expect_eq(calltime_us(&times, a, engine[0], 100), 100 * TICK_SEC);
    cr_expect_eq(calltime_us(&times, a, engine[1], 1000000), 500000 * TICK_SEC);
    cr_expect_eq(calltime_us(&times, b, engine[1], 1), -1, "0 steps/s: it cannot run there");
    cr_expect_eq(calltime_us(&times, a, engine[2], 1), -1, "not in the table");
    cr_expect_eq(repaired("a job of several GPUs, left out: a call takes one engine"), 1);
    cr_expect_eq(repaired("a job whose type has no throughput on any engine, left out"), 1);
    cr_expect_eq(repaired("zero steps taken as one"), 1);
    calltime_fini(&times);
}

Test(formats, seed_n_replays_the_nth_instance)
{
    static const char *const files[] = { "a.csv", "b.csv" };
    o.instance = files;
    o.n_instances = 2;
    traceopts_format(&o, "native");
    cr_assert_eq(trace_seed(&o, 2, &d), ST_OK);
    cr_expect(strcmp(o.path, "b.csv") == 0 && o.seed == 2 && trace_is_drawn(&o));
    cr_assert_eq(trace_seed(&o, 1, &d), ST_OK);
    cr_expect_str_eq(o.path, "a.csv");
    cr_assert_eq(trace_seed(&o, 3, &d), ST_EINPUT);
    cr_expect(strstr(d.msg, "seed 3: the trace has instances 1 to 2") != NULL, "%s", d.msg);
    cr_assert_eq(trace_seed(&o, 0, &d), ST_EINPUT);
}

Test(formats, helios_splits_jobs_of_many_gpus)
{
    o.gpus_per_task = 8;
    read_all("helios", "job_id,arrival_s,service_sec,gpu_count\nx#0,0.0,172800.0,32\ny,0.5,0.0,13\n");
    cr_assert_eq(n_jobs, 2);
    cr_expect(job[0].j.gang && job[0].g->n == 4 && job[0].g->shape.n_gpu == 8);
    cr_assert_eq(job[1].j.n_groups, 2);
    cr_expect(job[1].g[0].n == 1 && job[1].g[0].shape.n_gpu == 7 && job[1].g[1].n == 1 && job[1].g[1].shape.n_gpu == 6);
    cr_expect_eq(repaired("zero duration kept as 0"), 1);
}

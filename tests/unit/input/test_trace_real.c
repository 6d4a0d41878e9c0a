/* Facts known of the public traces, where they are present ($FAIRWAY_TRACES). */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "input/trace/trace.h"
#include "ref/traceopts.h"

static struct cluster cluster;
static struct throughput perf;
static struct trace t;
static struct trace_opts o;
static struct diag d;
static uint64_t n_cpu, n_share, n_gang, n_jobs;

static const char *dir(void)
{
    const char *s = getenv("FAIRWAY_TRACES");
    return s != NULL && *s != '\0' ? s : "../shared/traces";
}

/* Prepare the file and stream it once; skips the test when it is absent. */
static void replay(const char *format, const char *name)
{
    char path[1024];
    struct source s;
    struct job_spec j;
    sim_tick last = 0;
    (void)snprintf(path, sizeof path, "%s/%s", dir(), name);
    if (access(path, R_OK) != 0) cr_skip_test("skipped: no %s", path);
    if (o.format == NULL) traceopts_format(&o, format);
    o.path = path;
    o.speedup = 1;
    o.window_to = TICK_NEVER;
    o.dflt.limit = -1;
    if (o.gpus_per_task == 0) o.gpus_per_task = 8;
    cr_assert_eq(trace_prepare(&t, &o, &cluster, &perf, &d), ST_OK, "%s:%u: %s", d.file, d.line, d.msg);
    cr_assert_eq(trace_source_open(&t, &s, &d), ST_OK);
    enum st st;
    while ((st = s.next(s.ctx, &j, &d)) == ST_OK) {
        int64_t gpus = 0, milli = 0;
        cr_assert(n_jobs > 0 || j.submit == 0);
        cr_assert_geq(j.submit, last);
        last = j.submit;
        for (uint32_t k = 0; k < j.n_groups; k++) {
            gpus += (int64_t)j.group[k].n * j.group[k].shape.n_gpu;
            milli += (int64_t)j.group[k].n * j.group[k].shape.n_gpu * j.group[k].shape.gpu_milli;
            cr_assert_leq(j.group[k].shape.n_gpu, 8);
        }
        n_jobs++;
        n_cpu += gpus == 0;
        n_share += gpus == 1 && milli < 1000;
        n_gang += j.gang;
    }
    cr_assert_eq(st, ST_END, "%s", d.msg);
    trace_source_close(&s);
    cr_assert_eq(n_jobs, t.facts.n_jobs);
}

static uint64_t repaired(const char *what)
{
    for (size_t i = 0; i < t.repairs.n; i++)
        if (strcmp(t.repairs.at[i].what, what) == 0) return t.repairs.at[i].count;
    return 0;
}

static void teardown(void)
{
    trace_fini(&t);
    throughput_fini(&perf);
    cluster_fini(&cluster);
}

TestSuite(real, .fini = teardown);

/* 8,152 pods, 1,088 CPU-only, 3,078 fractional, 897 never scheduled, over 149 days. */
Test(real, openb_is_as_published)
{
    replay("openb", "openb/openb_pod_list_default.csv");
    cr_expect_eq(n_jobs, 8152);
    cr_expect_eq(n_cpu, 1088);
    cr_expect_eq(n_share, 3078);
    cr_expect_eq(repaired("pod never scheduled (Pending), runs for deletion - creation"), 897);
    cr_expect_eq((t.facts.last - t.facts.first) / (86400 * TICK_SEC), 149);
    cr_expect_eq(repaired("zero memory kept as 0"), 1);
    cr_expect_eq(repaired("zero duration kept as 0"), 1);
    cr_expect_eq(t.repairs.n, 3);
    cr_expect(t.facts.sorted);
}

Test(real, openb_gpu_types_come_from_the_gpuspec_variant)
{
    replay("openb", "openb/openb_pod_list_gpuspec33.csv");
    cr_expect_eq(n_jobs, 8152);
    cr_expect_neq(intern_find(&cluster.gpu_types, "V100M32"), NONE);
    cr_expect_neq(intern_find(&cluster.gpu_types, "G2"), NONE);
}

Test(real, openb_variants_out_of_order_are_sorted)
{
    replay("openb", "openb/openb_pod_list_cpu200.csv");
    cr_expect_eq(n_jobs, 8832);
    cr_expect_gt(repaired("row out of time order, sorted"), 868);
}

/* 5,000 submissions; --gres twice on each of the 44 GPU lines. */
Test(real, the_slurm_trace_is_read_whole)
{
    replay("slurm", "ub-hpc/workload_5k.events");
    cr_expect_eq(n_jobs, 5000);
    cr_expect_eq(n_cpu, 4956);
    cr_expect_eq(repaired("--gres given twice with the same value, counted once"), 44);
    cr_expect_eq(repaired("--exclusive=user treated as --exclusive"), 2);
    cr_expect_eq(repaired("no --mem, the scenario's default used"), 23);
    cr_expect_eq(t.facts.n_past_limit, 126);
    cr_expect_eq(cluster.labels.n, 4);          /* two partitions, two features */
}

Test(real, helios_is_read_whole)
{
    replay("helios", "helios-venus/helios_trace.csv");
    cr_expect_eq(n_jobs, 125303);
    cr_expect(t.facts.sorted);
    cr_expect_eq(t.repairs.n, 0);
    cr_expect_eq(n_cpu, 0);
    cr_expect_eq(t.facts.last - t.facts.first, 16747071 * TICK_SEC);      /* 193.8 days */
}

Test(real, philly_is_sorted_and_its_virtual_clusters_are_users)
{
    replay("philly", "philly/sia_philly.csv");
    cr_expect_eq(n_jobs, 82247);
    cr_expect_not(t.facts.sorted);
    cr_expect_eq(n_gang, 289);
}

/* 17,900 rows with three extra fields and an absolute epoch; two negative run times. */
Test(real, swf_with_extra_fields_is_read)
{
    replay("swf", "swf/wagap-2013.swf");
    cr_expect_eq(n_jobs, 17898);
    cr_expect_eq(repaired("run time unknown (negative), row left out"), 2);
    cr_expect_eq(t.facts.n_past_limit, 702);
}

Test(real, swf_with_a_header_is_read)
{
    replay("swf", "swf/hpc2n.swf");
    cr_expect_eq(n_jobs, 3170 - 25);
    cr_expect_eq(t.facts.n_past_limit, 320);
}

Test(real, gavel_takes_its_speeds_from_the_table)
{
    char path[1024];
    static const char *const types[] = { "V100", "P100", "K80" };
    (void)snprintf(path, sizeof path, "%s/gavel/simulation_throughputs.json", dir());
    traceopts_format(&o, "gavel");
    traceopts_set(&o, "throughputs", path);
    traceopts_set(&o, "reference_gpu", "V100");
    for (size_t i = 0; i < 3; i++) (void)cluster_gpu_type(&cluster, types[i], &d);
    replay("gavel", "gavel/msr-seed0/0e4a51.trace");
    cr_expect_eq(n_jobs, 1181);
    /* steps/s alone, batch size 16: 4.795 on K80, 35.869 on P100, 32.353 on V100: a P100 is the faster. */
    uint32_t m = throughput_model(&perf, "ResNet-18 (batch size 16)#1");
    cr_expect_eq(throughput_rate(&perf, &cluster, m, 0), RATE_ONE);
    cr_expect_eq(throughput_rate(&perf, &cluster, m, 1), (sim_rate)(35.869203207990005 / 32.353384328946916 * RATE_ONE + 0.5));
    cr_expect_eq(throughput_rate(&perf, &cluster, m, 2), (sim_rate)(4.795294551566172 / 32.353384328946916 * RATE_ONE + 0.5));
}

/* Unit tests of stages.csv and blocks.csv beside a native trace.  Mistakes are in tests/bad/scn. */
#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>
#include "base/mem.h"
#include "input/scenario/scenario.h"
#include "input/trace/trace.h"
#include "ref/traceopts.h"
#include "ref/temp.h"

static struct cluster cluster;
static struct throughput perf;
static struct data data;
static struct trace t;
static struct trace_opts o;
static struct diag d;
static char jobs[64], stages[64], blocks[64];

/* Three nodes n0, n1, n2. */
static void setup(void)
{
    char name[4];
    for (int k = 0; k < 3; k++) {
        (void)snprintf(name, sizeof name, "n%d", k);
        cr_assert_eq(cluster_add(&cluster, &(struct node_spec){ .name = name, .cpu_milli = 8000, .mem_b = 1 << 30,
                                                                .n_gpu = 2, .gpu_type = "G", .engine = { 0 } }, &d), ST_OK);
    }
    cluster_seal(&cluster);
    o = (struct trace_opts){ .path = jobs, .speedup = 1, .window_to = TICK_NEVER, .data = &data,
                             .dflt = { .limit = -1, .cpu_milli = 1000, .cpu_milli_per_gpu = 3000 } };
    traceopts_format(&o, "native");
    traceopts_set(&o, "stages", stages);
    traceopts_set(&o, "blocks", blocks);
}

static void teardown(void)
{
    trace_fini(&t);
    throughput_fini(&perf);
    data_fini(&data);
    cluster_fini(&cluster);
    trace_opts_fini(&o);
    unlink(jobs);
    unlink(stages);
    unlink(blocks);
}

TestSuite(stages, .init = setup, .fini = teardown);

static enum st prepare(const char *j, const char *s, const char *b)
{
    temp_file(jobs, j);
    temp_file(stages, s);
    temp_file(blocks, b);
    return trace_prepare(&t, &o, &cluster, &perf, &d);
}

static void prepared(const char *j, const char *s, const char *b)
{
    cr_assert_eq(prepare(j, s, b), ST_OK, "%s:%u:%u: %s", d.file, d.line, d.col, d.msg);
}

static const char BLOCKS[] = "block,size,replicas\nb1,1GB,n2|n0\na0,2kB,\nb0,3MiB,n1\n";
static const char JOBS[] = "id,submit_s\nj,0\n";

/* A job's graph as "task: inputs < tasks it waits for = output; ..." */
static const char *drawn(const struct job_spec *j)
{
    static char out[2048];
    size_t n = 0;
    uint32_t k = 0;
    const struct task_graph *g = j->graph;
    for (uint32_t i = 0; i < j->n_groups; i++)
        for (uint32_t c = 0; c < j->group[i].n; c++, k++) {
            n += (size_t)snprintf(out + n, sizeof out - n, "%u:", k);
            for (uint32_t e = g->in_start[k]; e < g->in_start[k + 1]; e++)
                n += g->in[e].block != NONE ? (size_t)snprintf(out + n, sizeof out - n, " %s", intern_name(&data.names, g->in[e].block))
                                            : (size_t)snprintf(out + n, sizeof out - n, " @%u", g->in[e].task);
            for (uint32_t e = g->after_start[k]; e < g->after_start[k + 1]; e++)
                n += (size_t)snprintf(out + n, sizeof out - n, " <%u", g->after[e]);
            n += (size_t)snprintf(out + n, sizeof out - n, " =%lld; ", (long long)g->out[k]);
        }
    return out;
}

static void first_is(const char *expected)
{
    struct source src;
    struct job_spec j;
    cr_assert_eq(trace_source_open(&t, &src, &d), ST_OK, "%s", d.msg);
    cr_assert_eq(src.next(src.ctx, &j, &d), ST_OK, "%s", d.msg);
    cr_assert_not_null(j.graph);
    cr_expect_str_eq(drawn(&j), expected);
    trace_source_close(&src);
}

Test(stages, blocks_have_sizes_and_replicas_and_those_without_are_placed_by_rule)
{
    prepared(JOBS, "job,stage,duration_s\nj,s,1\n", BLOCKS);
    cr_assert_eq(data.names.n, 3);
    cr_expect(data.block[0].size == 1000000000 && data.block[1].size == 2000 && data.block[2].size == 3 << 20);
    cr_expect(data.block[0].n == 2 && data.replica[data.block[0].first] == 0 && data.replica[data.block[0].first + 1] == 2);
    cr_expect(data.block[1].is_by_rule && !data.block[2].is_by_rule);
    data_place(&data, &cluster, DATA_RANDOM, 1, 1);
    cr_expect(data.block[0].n == 2 && data.block[1].n == 1 && data.block[2].n == 1);
}

/* A part begins where the last one read ends, or at its offset; parts may overlap and need not cover the file. */
Test(stages, parts_of_a_file_lie_where_it_does)
{
    prepared(JOBS, "job,stage,form,x,duration_s\nj,s,map,f/*,1\n",
             "block,size,replicas,file,offset\nf,10MB,,,\nf/0,4MB,,f,\nf/1,6MB,,f,\nf/2,1MB,,f,4MB\nf/3,5MB,,f,\n"
             "g,1MB,n1,,\ng/0,0.5MB,,g,500kB\nempty,0B,,g,1MB\n");
    for (uint32_t b = 0; b < 5; b++) cr_expect_eq(data.block[b].file, 0);
    for (uint32_t b = 5; b < 8; b++) cr_expect_eq(data.block[b].file, 5);
    cr_expect_eq(data.block[2].size, 6000000);
    first_is("0: f/0 =0; 1: f/1 =0; 2: f/2 =0; 3: f/3 =0; ");
    data_place(&data, &cluster, DATA_FILE, 2, 1);
    for (uint32_t b = 1; b < 5; b++)
        cr_expect(memcmp(data.replica + data.block[b].first, data.replica + data.block[0].first, 2 * sizeof *data.replica) == 0);
    cr_expect(data.block[6].n == 1 && data.replica[data.block[6].first] == 1);
}

Test(stages, blocks_are_added_once_however_often_the_trace_is_read)
{
    struct source src[3];
    struct job_spec j;
    prepared(JOBS, "job,stage,x,duration_s\nj,s,b1,1\n", BLOCKS);
    for (int k = 0; k < 3; k++) cr_assert_eq(trace_source_open(&t, &src[k], &d), ST_OK, "%s", d.msg);
    for (int k = 0; k < 3; k++) {
        cr_assert_eq(src[k].next(src[k].ctx, &j, &d), ST_OK);
        cr_expect_str_eq(drawn(&j), "0: b1 =0; ");
        cr_expect_eq(src[k].next(src[k].ctx, &j, &d), ST_END);
        trace_source_close(&src[k]);
    }
    cr_expect(data.names.n == 3 && data.n_replicas == 3);
}

Test(stages, lists_name_blocks_prefixes_in_file_order_and_outputs)
{
    prepared(JOBS, "job,stage,form,x,y,duration_s,output,after\n"
                   "j,m,map,b*,,1,1kB,\n"               /* b1 stands before b0 in the file */
                   "j,all,one,a0|@m|b0,,2,,\n"
                   "j,last,,,,0,5B,m|all\n", BLOCKS);
    first_is("0: b1 =1000; 1: b0 =1000; 2: a0 @0 @1 b0 =0; 3: <0 <1 <2 =5; ");
}

Test(stages, s4_21_each_form_makes_its_tasks)
{
    prepared(JOBS, "job,stage,form,x,y,duration_s\n"
                   "j,c,cross,b*,a0,1\n"
                   "j,w,wavefront,@c,b*,1\n", BLOCKS);
    first_is("0: b1 a0 =0; 1: b0 a0 =0; 2: @0 b1 =0; 3: @0 b0 <2 =0; 4: @1 b1 <2 =0; 5: @1 b0 <3 <4 =0; ");
}

Test(stages, each_stage_is_a_group_with_its_shape_and_the_jobs_types)
{
    struct source src;
    struct job_spec j;
    prepared("id,submit_s,gpu_type\nj,0,G\n", "job,stage,form,x,cpus,mem_mib,gpus,gpu_milli,duration_s\n"
             "j,a,map,b*,2,64,1,500,1.5\nj,b,one,,,,2,,3\nj,c,one,,,,,,0\n", BLOCKS);
    cr_assert_eq(trace_source_open(&t, &src, &d), ST_OK, "%s", d.msg);
    cr_assert_eq(src.next(src.ctx, &j, &d), ST_OK);
    cr_assert_eq(j.n_groups, 3);
    const struct task_group *g = j.group;
    cr_expect(g[0].n == 2 && g[1].n == 1 && g[2].n == 1);
    cr_expect(g[0].dur == 1500000 && g[1].dur == 3000000 && g[2].dur == 0);
    cr_expect(g[0].shape.cpu_milli == 2000 && g[0].shape.mem_b == 64 << 20 && g[0].shape.n_gpu == 1 && g[0].shape.gpu_milli == 500);
    cr_expect(g[1].shape.cpu_milli == 6000 && g[1].shape.n_gpu == 2 && g[1].shape.gpu_milli == GPU_WHOLE);
    cr_expect(g[2].shape.cpu_milli == 1000 && g[2].shape.n_gpu == 0 && g[2].shape.gpu_milli == 0);
    cr_expect(g[0].shape.gpu_types == 1 && g[1].shape.gpu_types == 1 && g[2].shape.gpu_types == 0);
    trace_source_close(&src);
}

Test(stages, jobs_with_and_without_stages_are_read_side_by_side)
{
    struct source src;
    struct job_spec j;
    uint32_t with = 0, without = 0;
    prepared("id,submit_s,duration_s\np,0,5\nj1,1,\nq,2,6\nj2,3,\nr,4,7\n",
             "job,stage,x,duration_s\nj1,s,b0,1\nj1,u,@s,1\nj2,s,b1,1\n", BLOCKS);
    cr_expect_eq(t.facts.n_tasks, 6);
    cr_assert_eq(trace_source_open(&t, &src, &d), ST_OK, "%s", d.msg);
    while (src.next(src.ctx, &j, &d) == ST_OK) *(j.graph != NULL ? &with : &without) += 1;
    cr_expect(d.code == ST_OK && with == 2 && without == 3);
    trace_source_close(&src);
}

Test(stages, a_window_skips_the_stages_of_the_jobs_before_it)
{
    o.window_from = 2 * TICK_SEC;
    prepared("id,submit_s\ni,0\nj,2\n", "job,stage,x,duration_s\ni,s,b0,1\nj,s,b1,1\n", BLOCKS);
    first_is("0: b1 =0; ");
}

/* 1 s, then 2 s: alone the job takes 3 s, and its limit twice as long; a task alone takes 2 s. */
Test(stages, a_limit_by_factor_is_of_the_longest_chain)
{
    struct source src;
    struct job_spec j;
    o.dflt.limit_factor = 2;
    prepared(JOBS, "job,stage,x,duration_s\nj,a,b0,1\nj,b,@a,2\n", BLOCKS);
    cr_assert_eq(trace_source_open(&t, &src, &d), ST_OK, "%s", d.msg);
    cr_assert_eq(src.next(src.ctx, &j, &d), ST_OK);
    cr_expect_eq(j.limit, 6 * TICK_SEC);
    trace_source_close(&src);
}

Test(stages, without_a_file_of_blocks_stages_still_pass_outputs_on)
{
    traceopts_format(&o, "native");
    traceopts_set(&o, "stages", stages);
    prepared(JOBS, "job,stage,form,x,duration_s,output\nj,a,,,1,1kB\nj,b,map,@a,1,\n", "");
    first_is("0: =1000; 1: @0 =0; ");
}

Test(stages, chains_longer_than_the_clock_counts_are_refused)
{
    /* 70,000,000 s is just below the longest duration: once it is right, twice it is not. */
    cr_expect_eq(prepare(JOBS, "job,stage,x,duration_s\nj,a,b0,70000000\nj,b,@a,70000000\n", BLOCKS), ST_EINPUT);
    cr_expect_not_null(strstr(d.msg, "one after another last longer than"), "%s", d.msg);
    cr_expect_eq(d.line, 3);
}

Test(stages, need_a_scenario_that_has_data)
{
    o.data = NULL;
    cr_expect_eq(prepare(JOBS, "job,stage,duration_s\nj,a,1\n", BLOCKS), ST_EINPUT);
}

/* The files decide results: another content, another run key. */
Test(stages, both_files_enter_the_run_key)
{
    char scn[64], text[512];
    char *key[3];
    temp_file(jobs, JOBS);
    temp_file(stages, "job,stage,duration_s\nj,a,1\n");
    temp_file(blocks, BLOCKS);
    (void)snprintf(text, sizeof text, "cluster: {groups: [{name: n, cpus: 4, mem: 8GiB}]}\ntrace: {format: native, path: '%s', stages: '%s', blocks: '%s'}\npolicies: [fifo]\n",
                   jobs, stages, blocks);
    temp_file(scn, text);
    for (int k = 0; k < 3; k++) {
        struct scenario s;
        if (k > 0) {
            FILE *f = fopen(k == 1 ? stages : blocks, "a");
            cr_assert_not_null(f);
            (void)fputs("\n", f);
            (void)fclose(f);
        }
        cr_assert_eq(scn_load(&s, scn, NULL, 0, &d), ST_OK, "%s", d.msg);
        key[k] = mem_strdup(s.id.canonical);
        scn_fini(&s);
    }
    cr_expect(strcmp(key[0], key[1]) != 0 && strcmp(key[1], key[2]) != 0);
    for (int k = 0; k < 3; k++) mem_free(key[k]);
    unlink(scn);
}

Test(stages, the_shipped_example_loads)
{
    struct scenario s;
    uint64_t waits = 0, graphs = 0;
    struct source src;
    struct job_spec j;
    if (access("scenarios/demo/forms.yaml", R_OK) != 0) cr_skip_test("skipped: not run from the project's folder");
    cr_assert_eq(scn_load(&s, "scenarios/demo/forms.yaml", NULL, 0, &d), ST_OK, "%s:%u:%u: %s", d.file, d.line, d.col, d.msg);
    cr_assert_eq(trace_prepare(&t, &s.trace, &s.cluster, &s.perf, &d), ST_OK, "%s:%u:%u: %s", d.file, d.line, d.col, d.msg);
    cr_expect(s.data.blocks.names.n == 18 && t.facts.n_tasks == 10 + 13 + 1 + 7);
    cr_assert_eq(trace_source_open(&t, &src, &d), ST_OK, "%s", d.msg);
    while (src.next(src.ctx, &j, &d) == ST_OK) {
        if (j.graph == NULL) continue;
        uint32_t n = 0;
        for (uint32_t k = 0; k < j.n_groups; k++) n += j.group[k].n;
        graphs++;
        waits += j.graph->after_start[n];
    }
    cr_expect(graphs == 3 && waits == 17 + 5);      /* the 4 x 3 wavefront, and the maps after the warm-up */
    trace_source_close(&src);
    scn_fini(&s);
}

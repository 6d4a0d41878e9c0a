/* Workflow files: S1-20, the other formats, and mistakes with their place. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "input/tasks/dag/dag.h"
#include "model/calls/calltime.h"

static char path[64];
static bool files;          /* asked for */

static const char *file(const char *end, const char *text)
{
    (void)snprintf(path, sizeof path, "/tmp/fairway-dag-%ld%s", (long)getpid(), end);
    FILE *f = fopen(path, "w");
    cr_assert(f != NULL);
    (void)fputs(text, f);
    (void)fclose(f);
    return path;
}

static void load(struct dag *g, const char *end, const char *text)
{
    struct diag d = { 0 };
    cr_assert_eq(dag_load(g, file(end, text), files, &d), ST_OK, "%s", d.msg);
    (void)remove(path);
}

static void fails(const char *end, const char *text, uint32_t line, const char *msg)
{
    struct dag g;
    struct diag d = { 0 };
    cr_assert_eq(dag_load(&g, file(end, text), files, &d), ST_EINPUT, "%s is read", text);
    (void)remove(path);
    cr_expect_eq(d.line, line, "line %u: %s", d.line, d.msg);
    cr_expect(strstr(d.msg, msg) != NULL, "%s", d.msg);
}

static uint32_t n_after(const struct dag *g, uint32_t k) { return g->after_start[k + 1] - g->after_start[k]; }

Test(dag, s1_20_both_notations_give_identical_workflows)
{
    struct dag a, b;
    load(&a, ".steps", "duration: 10s\nworkflow.step[1].job[1,2]\nworkflow.step[2].job[2,2]\nworkflow.step[2].job[3,3]\nworkflow.step[3].job[7,8] 20s\n");
    load(&b, ".steps", "# the same\nduration: 10s\njob[1,1,2]\njob[2,2,2]\njob[2,3,3]\njob[3,7,8] 20s\n");
    cr_assert_eq(a.n, 4);
    cr_assert_eq(b.n, 4);
    for (uint32_t k = 0; k < 4; k++) {
        struct dag_task x = a.task[k], y = b.task[k];
        x.line = y.line = 0;
        cr_assert_eq(memcmp(&x, &y, sizeof x), 0);
        cr_assert_str_eq(intern_name(&a.names, k), intern_name(&b.names, k));
        cr_assert_eq(n_after(&a, k), n_after(&b, k));
    }
    cr_assert_eq(n_after(&a, 3), 2);
    cr_assert_eq(a.task[3].cpu_milli, 8000);
    cr_assert_eq(a.task[3].dur[DAG_CPU], 20000000);
    dag_fini(&a);
    dag_fini(&b);
}

Test(dag, s1_19_steps_of_gpus_and_licences)
{
    struct dag g;
    load(&g, ".steps", "unit: gpus\nduration: 1s\njob[1,1,4]\n");
    cr_assert_eq(g.task[0].gpus, 4);
    cr_assert_eq(g.task[0].dur[DAG_GPU], 1000000);
    dag_fini(&g);
    load(&g, ".steps", "unit: licence:matlab\nduration: 1s\njob[1,1,4]\n");
    cr_assert_eq(g.task[0].licences, 4);
    cr_assert_str_eq(g.licence, "matlab");
    dag_fini(&g);
}

Test(dag, steps_with_mistakes)
{
    fails(".steps", "job[1,1,2]\n", 1, "no 'duration:' stands before it");
    fails(".steps", "duration: 1s\njob[1,1,2]\njob[3,1,2]\n", 3, "step 2 has none");
    fails(".steps", "duration: 1s\njob[1,1,2]\njob[1,1,3]\n", 3, "stands here again; it is on line 2");
    fails(".steps", "duration: 1s\nworkflow.step[1].job[1]\n", 2, "expected workflow.step[i].job[j,m] or job[i,j,m]");
    fails(".steps", "duration: 1s\njob[1,0,2]\n", 2, "expected workflow.step");
    fails(".steps", "duration: 1s\njob[1,1,2]\nunit: gpus\n", 3, "stands after jobs");
    fails(".steps", "# none\n", 0, "describes no task");
    fails(".yml", "x\n", 0, "unknown format");
}

#define WF(tasks, runs) "{\"name\":\"x\",\"schemaVersion\":\"1.5\",\"workflow\":{\"specification\":{\"tasks\":[\n" tasks "\n]},\"execution\":{\"tasks\":[\n" runs "\n]}}}"
#define TASK(id, parents, children) "{\"name\":\"t\",\"id\":\"" id "\",\"parents\":[" parents "],\"children\":[" children "]}"
#define RUN(id, s) "{\"id\":\"" id "\",\"runtimeInSeconds\":" s "}"

Test(dag, wfformat)
{
    struct dag g;
    load(&g, ".json", WF(TASK("a", "", "\"b\",\"c\"") ",\n" TASK("b", "\"a\"", "") ",\n" TASK("c", "", ""),
                         RUN("a", "1.5") "," RUN("c", "0") ",{\"id\":\"b\",\"runtimeInSeconds\":2,\"coreCount\":4,\"memoryInBytes\":1024}"));
    cr_assert_eq(g.n, 3);
    cr_assert_eq(n_after(&g, 1), 1, "named by both ends, once");
    cr_assert_eq(n_after(&g, 2), 1, "named by the parent alone");
    cr_assert_eq(g.task[0].dur[DAG_CPU], 1500000);
    cr_assert_eq(g.task[1].cpu_milli, 4000);
    cr_assert_eq(g.task[1].mem_b, 1024);
    cr_assert_eq(g.task[0].cpu_milli, -1);
    cr_assert_eq(g.task[2].line, 4);
    cr_assert_eq(g.recorded, 0, "it does not say");
    dag_fini(&g);
    load(&g, ".json", "{\"schemaVersion\":\"1.5\",\"workflow\":{\"specification\":{\"tasks\":[" TASK("a", "", "") "]},"
                      "\"execution\":{\"makespanInSeconds\":7.5,\"tasks\":[" RUN("a", "1.5") "]}}}");
    cr_assert_eq(g.recorded, 7500000);
    dag_fini(&g);
    fails(".json", "{\"schemaVersion\":\"1.5\",\"workflow\":{\"specification\":{\"tasks\":[" TASK("a", "", "") "]},"
                   "\"execution\":{\"makespanInSeconds\":-1,\"tasks\":[" RUN("a", "1.5") "]}}}", 0,
          "expected makespanInSeconds, a number from 0");
}

Test(dag, wfformat_with_mistakes)
{
    fails(".json", WF(TASK("abcd", "", "") ",\n" TASK("b", "\"abcx\"", ""), RUN("abcd", "1") "," RUN("b", "1")), 3, "'b' waits for 'abcx', which is not in the file");
    fails(".json", WF(TASK("a", "", "\"z\""), RUN("a", "1")), 2, "names the child 'z'");
    fails(".json", WF(TASK("a", "\"a\"", ""), RUN("a", "1")), 2, "waits for itself");
    fails(".json", WF(TASK("a", "\"b\"", "") ",\n" TASK("b", "\"c\"", "") ",\n" TASK("c", "\"a\"", ""), RUN("a", "1") "," RUN("b", "1") "," RUN("c", "1")), 2,
          "in a circle: 'a' waits for 'b' waits for 'c' waits for 'a'");
    fails(".json", WF(TASK("a", "", "") "," TASK("a", "", ""), RUN("a", "1")), 2, "stands here again");
    fails(".json", WF(TASK("a", "", ""), ""), 2, "has no execution");
    fails(".json", WF(TASK("a", "", ""), RUN("a", "-1")), 2, "expected runtimeInSeconds");
    fails(".json", WF(TASK("a", "", ""), RUN("q", "1")), 4, "is not in the specification");
    fails(".json", "{\"schemaVersion\":\"1.3\"}", 0, "schemaVersion is '1.3', expected 1.4 or 1.5");
    fails(".json", "{\n{", 2, "is not JSON");
}

/* b twice after a: what the edges carry adds up; sizes have units, names may have any sign but the last '='. */
Test(dag, a_parent_may_write_so_many_bytes_for_its_child)
{
    struct dag g;
    load(&g, ".txt", "a 1 -1 -1\nx=y 1 -1 -1 a\nb 2 -1 -1 a=2kB,x=y=0B,a=1B\n");
    cr_assert_eq(n_after(&g, 2), 2);
    cr_assert_eq(g.after_b[g.after_start[1]], 0);
    cr_assert_eq(g.after_b[g.after_start[2]], 2001);
    cr_assert_eq(g.after_b[g.after_start[2] + 1], 0);
    struct dag_job j = { .n = 0 };
    dag_job_graph(&g, &j);
    cr_assert(j.in_start[2] == 0 && j.in_start[3] == 1 && j.in[0].task == 0 && j.in[0].part == 2001);
    cr_assert(j.after_start[2] == 1 && j.after_start[3] == 2 && j.after[0] == 0 && j.after[1] == 1);
    dag_job_fini(&j);
    dag_fini(&g);
    fails(".txt", "a 1 -1 -1\nb 1 -1 -1 a=-5MB\n", 2, "'-5MB'");
    fails(".txt", "a 1 -1 -1\nb 1 -1 -1 a=5\n", 2, "'5'");
    fails(".txt", "a 1 -1 -1\nb 1 -1 -1 a=600TB\n", 2, "above 2^49 bytes");
    fails(".txt", "a 1 -1 -1\nb 1 -1 -1 =5MB\n", 2, "an empty parent");
    fails(".txt", "a 1 -1 -1\nb 1 -1 -1 a=400TB,a=400TB\n", 2, "reads more than 2^49 bytes (562 TB) of 'a'");
}

/* Of a file list of 1.5: name, bytes, and a task with what it reads and writes. */
#define FILES(list, tasks, runs) \
    "{\"schemaVersion\":\"1.5\",\"workflow\":{\"specification\":{\"files\":[" list "],\"tasks\":[\n" tasks "\n]}," \
    "\"execution\":{\"tasks\":[" runs "]}}}"
#define SIZE(name, b) "{\"id\":\"" name "\",\"sizeInBytes\":" b "}"
#define IO(id, in, out) "{\"id\":\"" id "\",\"inputFiles\":[" in "],\"outputFiles\":[" out "]}"

/* b reads 40 bytes that a wrote, in two files, 7 of its own and 5 that nobody wrote. */
static void expect_files(const struct dag *g)
{
    cr_assert_eq(n_after(g, 1), 1, "by what it reads");
    cr_assert_eq(g->after_b[g->after_start[1]], 40);
    cr_assert_eq(g->n_reads, 1);
    cr_assert(g->read[0].task == 1 && g->file[g->read[0].file].size == 5);
    struct data data = { .n_replicas = 0 };
    struct diag d = { 0 };
    struct dag_job j = { .n = 0 };
    struct dag *mine = (struct dag *)g;
    cr_assert_eq(dag_file_blocks(mine, &data, &d), ST_OK, "%s", d.msg);
    cr_assert_eq(dag_file_blocks(mine, &data, &d), ST_OK, "once more");
    cr_assert(data.names.n == 1 && data.block[0].size == 5);
    dag_job_graph(g, &j);
    cr_assert(j.in_start[1] == 0 && j.in_start[2] == 2 && j.after_start[2] == 0);
    cr_assert(j.in[0].block == NONE && j.in[0].task == 0 && j.in[0].part == 40 && j.in[1].block == 0);
    dag_job_fini(&j);
    data_fini(&data);
}

Test(dag, files_of_wfformat_are_edges_and_blocks)
{
    struct dag g;
    files = true;
    load(&g, ".json", FILES(SIZE("x", "30") "," SIZE("y", "10.0") "," SIZE("z", "5") "," SIZE("own", "7"),
                            IO("a", "", "\"x\",\"y\"") ",\n" IO("b", "\"x\",\"own\",\"y\",\"z\"", "\"own\""),
                            RUN("a", "1") "," RUN("b", "1")));
    expect_files(&g);
    dag_fini(&g);
    files = false;
    load(&g, ".json", FILES(SIZE("x", "-1"), IO("a", "\"q\"", ""), RUN("a", "1")));
    cr_assert(g.n_reads == 0 && g.files.n == 0, "not asked for, not looked at");
    dag_fini(&g);
}

/* The same in 1.4, where tasks have names, and a path may stand before a file's. */
#define OLD(name, more) "{\"name\":\"" name "\",\"runtimeInSeconds\":1,\"cores\":2,\"memoryInBytes\":3" more "}"
#define LINKED(link, name, b) "{\"link\":\"" link "\",\"name\":\"" name "\",\"sizeInBytes\":" b "}"
Test(dag, wfformat_1_4)
{
    struct dag g;
    files = true;
    load(&g, ".json", "{\"schemaVersion\":\"1.4\",\"workflow\":{\"makespanInSeconds\":9,\"tasks\":[\n"
         OLD("a", ",\"machine\":\"m1\",\"files\":[" LINKED("output", "x", "30") ","
                  "{\"link\":\"output\",\"path\":\"/d/\",\"name\":\"y\",\"sizeInBytes\":10}]") ",\n"
         OLD("b", ",\"parents\":[\"a\"],\"files\":[" LINKED("input", "x", "30") "," LINKED("input", "own", "7") ","
                  LINKED("output", "own", "7") "," LINKED("input", "/d/y", "10") "," LINKED("input", "z", "5") "]")
         "],\"machines\":[{\"nodeName\":\"m1\",\"cpu\":{\"count\":48,\"speed\":1200}}]}}");
    expect_files(&g);
    cr_assert(g.n == 2 && g.recorded == 9000000 && g.task[1].dur[DAG_CPU] == 1000000 && g.task[1].cpu_milli == 2000);
    cr_assert(g.task[1].mem_b == 3 && g.task[1].line == 3 && g.task[1].machine == NONE);
    cr_assert(g.machine_khz[g.task[0].machine] == 1200000);
    cr_assert_str_eq(intern_name(&g.machines, g.task[0].machine), "m1");
    dag_fini(&g);
    fails(".json", "{\"schemaVersion\":\"1.4\",\"workflow\":{\"tasks\":[\n"
          OLD("a", ",\"files\":[" LINKED("inout", "x", "1") "]") "]}}", 2,
          "file 0 of this task: expected a name, and as link input or output");
    fails(".json", "{\"schemaVersion\":\"1.4\",\"workflow\":{\"tasks\":[\n"
          OLD("a", ",\"files\":[" LINKED("input", "x", "1") "]") ",\n"
          OLD("b", ",\"files\":[" LINKED("input", "x", "2") "]") "]}}", 3, "file 'x' has 2 bytes here and 1 elsewhere");
    fails(".json", "{\"schemaVersion\":\"1.4\",\"workflow\":{}}", 0, "found no list workflow.tasks");
}

Test(dag, files_of_wfformat_with_mistakes)
{
    files = true;
    fails(".json", FILES(SIZE("xa", "1"), IO("a", "\"xb\"", ""), RUN("a", "1")), 2,
          "found file 'xb', which is not in workflow.specification.files");
    fails(".json", FILES(SIZE("x", "-1"), IO("a", "", ""), RUN("a", "1")), 1,
          "file 'x': expected sizeInBytes, a number from 0");
    fails(".json", FILES(SIZE("x", "1e17"), IO("a", "", ""), RUN("a", "1")), 1, "expected 0 to 2^49");
    fails(".json", FILES(SIZE("x", "1"), IO("a", "", "\"x\"") ",\n" IO("b", "", "\"x\""),
                         RUN("a", "1") "," RUN("b", "1")), 3,
          "file 'x' is written by this task and by that on line 2");
    fails(".json", FILES(SIZE("x", "1") "," SIZE("y", "1"), IO("a", "\"x\"", "\"y\"") ",\n" IO("b", "\"y\"", "\"x\""),
                         RUN("a", "1") "," RUN("b", "1")), 2,
          "in a circle: 'a' waits for 'b' waits for 'a'");
    fails(".txt", "1 1 1 1\n", 0, "has no files for 'files' to count");
}

Test(dag, dax)
{
    struct dag g;
    load(&g, ".dax", "<?xml version=\"1.0\"?>\n<adag>\n<child ref=\"b\"><parent ref=\"a\"/></child>\n<job id=\"a\" name=\"x\" runtime=\"13.59\"/>\n"
                     "<job id=\"b\" runtime=\"2\"><profile namespace=\"pegasus\" key=\"cores\"> 4 </profile><uses file=\"f\"/></job>\n</adag>\n");
    cr_assert_eq(g.n, 2);
    cr_assert_eq(n_after(&g, 1), 1);
    cr_assert_eq(g.task[0].dur[DAG_CPU], 13590000);
    cr_assert_eq(g.task[1].cpu_milli, 4000);
    cr_assert_eq(g.task[1].line, 5);
    dag_fini(&g);
    fails(".dax", "<adag>\n<job id=\"a\" runtime=\"1\"/>\n<child ref=\"a\">\n<parent ref=\"zz\"/></child></adag>", 4, "'a' waits for 'zz'");
    fails(".dax", "<adag>\n<job id=\"a\" runtime=\"1\"/>\n<child ref=\"q\"><parent ref=\"a\"/></child></adag>", 3, "'q' is not the id of a <job>");
    fails(".dax", "<adag>\n<job id=\"a\" runtime=\"1\"/><child ref=\"a\"><parent ref=\"a\"/></child></adag>", 2, "waits for itself");
    fails(".dax", "<adag>\n<job id=\"a\"/></adag>", 2, "found no runtime");
    fails(".dax", "<adag>\n<job id=\"a\" runtime=\"1\">\n</adag>", 3, "is not XML");
    fails(".xml", "<html/>", 1, "this is not a DAX");
}

Test(dag, measured)
{
    struct dag g;
    load(&g, ".txt", "350 0.056641 -1 -1\n354 2 0.5 0.25 350,352\n352 1 3 -1 350\n");
    cr_assert_eq(g.n, 3);
    cr_assert_eq(g.task[0].dur[DAG_CPU], 57);
    cr_assert_eq(g.task[0].dur[DAG_GPU], -1);
    cr_assert_eq(g.task[1].dur[DAG_GPU2], 250);
    cr_assert_eq(g.n_rounded, 1);
    cr_assert_eq(n_after(&g, 1), 2);
    dag_fini(&g);
    fails(".txt", "1 1 1 1\n2 1 1\n", 2, "found 2 times");
    fails(".txt", "1 1 x 1\n", 1, "'x' is not a time in ms");
    fails(".txt", "1 1 1 1 2\n", 1, "'1' waits for '2'");
    fails(".txt", "1 1 1 1 2\n2 1 1 1 1\n", 1, "in a circle");
    fails(".txt", "1 1 1 1 1\n", 1, "waits for itself");
}

/* Three of the public ones. */
Test(dag, public_files)
{
    const char *traces = getenv("FAIRWAY_TRACES");
    if (traces == NULL || *traces == '\0') cr_skip_test("no traces");
    static const char *const some[] = { "wfinstances/montage-chameleon-2mass-03d-001.json", "wfinstances/rnaseq-dirt02-001.json",
                                        "hetero-dag/3_resources/formatedTasks_3/sposv/sposv-64-20.txt" };
    static const uint32_t n[] = { 748, 197, 1960 };
    for (size_t i = 0; i < 3; i++) {
        struct dag g;
        struct diag d = { 0 };
        char p[512];
        (void)snprintf(p, sizeof p, "%s/%s", traces, some[i]);
        if (access(p, R_OK) != 0) cr_skip_test("no such trace");
        cr_assert_eq(dag_load(&g, p, false, &d), ST_OK, "%s", d.msg);
        cr_expect_eq(g.n, n[i], "%s: %u tasks", some[i], g.n);
        dag_fini(&g);
    }
}

/* ---- as calls ---- */

static struct cluster cluster;
static struct calltime times;
static struct dag_opts m;

static void engines(void)
{
    static const char *const types[] = { "gpu", "cpu" };        /* the cluster has no second GPU type */
    struct diag d = { 0 };
    struct node_spec n = { .name = "n", .rack = "r", .cpu_milli = 1000, .mem_b = 1 };
    for (int k = 0; k < 2; k++) n.engine[intern_id(&cluster.engines, types[k])] = 1;
    cr_assert_eq(cluster_add(&cluster, &n, &d), ST_OK, "%s", d.msg);
    cluster_seal(&cluster);
    m = (struct dag_opts){ .measured = { .n = 3, .engine = { 1, 0, NONE } } };
}

static void no_engines(void)
{
    calltime_fini(&times);
    cluster_fini(&cluster);
}

/*
 * a cannot run on the GPU; b waits for it, and takes 2 ms there against 5 on a CPU; the third figure is of no
 * engine here.
 */
Test(dag, measured_times_are_those_of_calls, .init = engines, .fini = no_engines)
{
    struct trace t;
    struct source src;
    struct job_spec j;
    struct throughput perf = { .rate = NULL };
    struct diag d = { 0 };
    struct trace_opts o = { .format = trace_format_find("dag", &d), .own = &m, .speedup = 1, .window_to = TICK_NEVER, .times = &times, .has_times = true,
                            .reads_times = true, .dflt = { .limit = -1, .cpu_milli = 250 } };
    o.path = file(".txt", "b 5 2 1 a\na 3 -1 -1\n");
    cr_assert_eq(trace_prepare(&t, &o, &cluster, &perf, &d), ST_OK, "%s", d.msg);
    cr_assert_eq(trace_source_open(&t, &src, &d), ST_OK, "%s", d.msg);
    cr_assert_eq(src.next(src.ctx, &j, &d), ST_OK, "%s", d.msg);
    cr_assert(j.n_groups == 2 && j.group[0].dur == 2000 && j.group[1].dur == 3000);
    cr_assert(j.group[0].shape.n_gpu == 0 && j.group[0].shape.cpu_milli == 250, "engines are all that they take");
    cr_assert(j.graph != NULL && j.graph->after_start[1] == 1 && j.graph->after[0] == 1);
    cr_assert(j.calls != NULL && j.calls->n[0] == 1 && j.calls->n[1] == 1);
    const struct call *b = &j.calls->call[j.calls->first[0]], *a = &j.calls->call[j.calls->first[1]];
    cr_assert_eq(calltime_us(&times, b->api, 1, b->size), 5000);
    cr_assert_eq(calltime_us(&times, b->api, 0, b->size), 2000);
    cr_assert_eq(calltime_us(&times, a->api, 0, a->size), -1);
    cr_assert_eq(src.next(src.ctx, &j, &d), ST_END, "one job");
    trace_source_close(&src);
    trace_fini(&t);
    throughput_fini(&perf);
    (void)remove(path);
}

Test(dag, measured_with_mistakes, .init = engines, .fini = no_engines)
{
    struct trace_opts o = { .times = &times, .has_times = true };
    struct trace_env env = { .opts = &o, .cluster = &cluster };
    struct shape common = { 0 };
    struct dag g;
    struct dag_job job;
    struct diag d = { 0 };
    load(&g, ".txt", "a -1 -1 7\n");
    cr_assert_eq(dag_measure(&g, &m.measured, &times, &d), ST_OK);
    cr_assert_eq(dag_spec_calls(&g, &env, &common, &job, &d), ST_EINPUT);
    cr_expect(d.line == 1 && strstr(d.msg, "on none of the engines") != NULL, "%s", d.msg);
    dag_fini(&g);
    d = (struct diag){ 0 };
    load(&g, ".txt", "a 1 2 7\n");      /* the same name, other times */
    cr_assert_eq(dag_measure(&g, &m.measured, &times, &d), ST_EINPUT);
    cr_expect(strstr(d.msg, "other times in another workflow's file") != NULL, "%s", d.msg);
    dag_fini(&g);
    d = (struct diag){ 0 };
    load(&g, ".steps", "duration: 1s\njob[1,1,4]\n");
    cr_assert_eq(dag_measure(&g, &m.measured, &times, &d), ST_EINPUT);
    cr_expect(strstr(d.msg, "has no times on several engines") != NULL, "%s", d.msg);
    dag_fini(&g);
}

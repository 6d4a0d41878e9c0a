/* Unit tests of the native trace format and of the stream: order, window, scaling, repairs. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "input/trace/trace.h"
#include "input/trace/format/native.h"
#include "ref/traceopts.h"
#include "ref/temp.h"

static struct cluster cluster;
static struct throughput perf;
static struct trace t;
static struct trace_opts o;
static struct diag d;
static char path[64];

static void setup(void)
{
    memset(&d, 0, sizeof d);
    o = (struct trace_opts){ .path = path, .speedup = 1, .window_to = TICK_NEVER, .dflt.limit = -1 };
    traceopts_format(&o, "native");
}

static enum st prepare(const char *text)
{
    temp_file(path, text);
    return trace_prepare(&t, &o, &cluster, &perf, &d);
}

static void prepared(const char *text)
{
    cr_assert_eq(prepare(text), ST_OK, "line %u: %s", d.line, d.msg);
}

static void teardown(void)
{
    trace_fini(&t);
    throughput_fini(&perf);
    cluster_fini(&cluster);
    trace_opts_fini(&o);
    unlink(path);
}

TestSuite(trace, .init = setup, .fini = teardown);

/* The stream as "id@submit_us id@submit_us ..." */
static const char *stream(void)
{
    static char out[1024];
    struct source s;
    struct job_spec j;
    size_t n = 0;
    out[0] = '\0';
    cr_assert_eq(trace_source_open(&t, &s, &d), ST_OK, "%s", d.msg);
    enum st st;
    while ((st = s.next(s.ctx, &j, &d)) == ST_OK)
        n += (size_t)snprintf(out + n, sizeof out - n, "%s%s@%lld", n > 0 ? " " : "", j.id, (long long)j.submit);
    cr_assert_eq(st, ST_END, "%s", d.msg);
    trace_source_close(&s);
    return out;
}

Test(trace, every_column_reaches_the_job)
{
    prepared("id,submit_s,duration_s,user,queue,tasks,gang,cpus,mem_mib,gpus,gpu_milli,gpu_mem_mib,gpu_type,labels,exclusive,limit_s,model,priority,class,mem_bw_mbs,hints\n"
             "a,1.5,10.000001,ann,q,3,1,2.5,1.5,2,250,1024,V100|T4,big&(x|y),1,60,bert,-4,mine,1500,weights=138+pipelined+complex=7.5\n");
    struct source s;
    struct job_spec j;
    cr_assert_eq(trace_source_open(&t, &s, &d), ST_OK);
    cr_assert_eq(s.next(s.ctx, &j, &d), ST_OK);
    cr_expect_str_eq(j.id, "a");
    cr_expect_str_eq(j.user, "ann");
    cr_expect_str_eq(j.queue, "q");
    cr_expect_str_eq(j.model, "bert");
    cr_expect_str_eq(j.klass, "mine");
    cr_expect_eq(j.submit, 0);
    cr_expect_eq(j.limit, 60 * TICK_SEC);
    cr_expect_eq(j.priority, -4);
    cr_expect_eq(j.hints.told, HINT_HEAVY_WEIGHTS | HINT_PIPELINED | HINT_COMPLEX_CPU);
    cr_expect_eq(j.hints.weights, 138000);
    cr_expect_eq(j.hints.work_us, 7500);
    cr_expect_eq(j.group[0].mem_bw, INT64_C(1500000000));
    cr_expect(j.gang);
    cr_expect_eq(j.line, 2);
    cr_assert_eq(j.n_groups, 1);
    const struct task_group *g = j.group;
    cr_expect_eq(g->n, 3);
    cr_expect_eq(g->dur, 10000001);
    cr_expect_eq(g->shape.cpu_milli, 2500);
    cr_expect_eq(g->shape.mem_b, 1536 << 10);
    cr_expect_eq(g->shape.n_gpu, 2);
    cr_expect_eq(g->shape.gpu_milli, 250);
    cr_expect_eq(g->shape.gpu_mem_b, INT64_C(1) << 30);
    cr_expect_eq(g->shape.gpu_types, 3);        /* V100 0, T4 1 */
    cr_expect_eq(g->shape.need_all, 1);         /* big 0, x 1, y 2 */
    cr_expect_eq(g->shape.need_any, 6);
    cr_expect_eq(g->shape.exclusive, 1);
    trace_source_close(&s);
}

Test(trace, what_a_row_leaves_open_is_the_scenarios_default)
{
    o.dflt.cpu_milli = 1000;
    o.dflt.cpu_milli_per_gpu = 4000;
    o.dflt.mem_b = 7;
    o.dflt.mem_b_per_gpu = 100;
    o.dflt.user = "dora";
    o.dflt.limit_factor = 1.5;
    prepared("id,submit_s,duration_s,gpus,cpus\na,0,10,,\nb,0,10,2,\nc,0,10,2,1\n");
    const int64_t cpu[] = { 1000, 8000, 1000 }, mem[] = { 7, 200, 200 };
    struct source s;
    struct job_spec j;
    cr_assert_eq(trace_source_open(&t, &s, &d), ST_OK);
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(s.next(s.ctx, &j, &d), ST_OK);
        cr_expect_eq(j.group->shape.cpu_milli, cpu[i]);
        cr_expect_eq(j.group->shape.mem_b, mem[i]);
        cr_expect_str_eq(j.user, "dora");
        cr_expect_eq(j.limit, 15 * TICK_SEC);
    }
    trace_source_close(&s);
}

Test(trace, an_unsorted_file_is_sorted_stably_and_counted)
{
    prepared("id,submit_s,duration_s\nc,30,1\na,10,1\nb,20,1\nb2,20,1\na2,10,1\n");
    cr_expect_str_eq(stream(), "a@0 a2@0 b@10000000 b2@10000000 c@20000000");
    cr_expect_str_eq(stream(), "a@0 a2@0 b@10000000 b2@10000000 c@20000000");
    cr_expect_not(t.facts.sorted);
    cr_assert_eq(t.repairs.n, 1);
    cr_expect_str_eq(t.repairs.at[0].what, "row out of time order, sorted");
    cr_expect_eq(t.repairs.at[0].count, 4);
    cr_expect_eq(t.repairs.at[0].first_line, 3);
}

/* Job `id` of a trace with everything that it points to, as bytes to compare. */
static size_t everything_of(const char *id, char *out, size_t cap)
{
    struct source s;
    struct job_spec j;
    size_t n = 0;
    cr_assert_eq(trace_source_open(&t, &s, &d), ST_OK, "%s", d.msg);
    do cr_assert_eq(s.next(s.ctx, &j, &d), ST_OK); while (strcmp(j.id, id) != 0);
    n += (size_t)snprintf(out, cap, "%s %s %s %s %s %s %lld %lld %d %d %u %lld %lld %u:", j.id, j.user, j.queue, j.model, j.klass, j.node,
                          (long long)j.submit, (long long)j.limit, j.priority, j.gang, j.hints.told, (long long)j.hints.weights,
                          (long long)j.hints.work_us, j.n_groups);
    for (uint32_t k = 0; k < j.n_groups; k++) {
        memcpy(out + n, &j.group[k], sizeof *j.group);
        n += sizeof *j.group;
    }
    trace_source_close(&s);
    return n;
}

Test(trace, a_job_of_an_unsorted_file_keeps_every_field)
{
    static const char head[] = "id,submit_s,duration_s,user,queue,tasks,gang,cpus,mem_mib,gpus,gpu_milli,limit_s,priority,class,mem_bw_mbs,hints\n";
    static const char first[] = "a,5,7,ann,q,2+1,0,3,100,1,500,20,-4,batch,90,pipelined+weights=0.5+complex=12\n", last[] = "b,9,1,,,,,,,,,,,,,\n";
    char text[1024], sorted[1024], unsorted[1024];
    (void)snprintf(text, sizeof text, "%s%s%s", head, first, last);
    prepared(text);
    cr_assert(t.facts.sorted);
    size_t n = everything_of("a", sorted, sizeof sorted);
    teardown();
    setup();
    (void)snprintf(text, sizeof text, "%s%s%s", head, last, first);
    prepared(text);
    cr_assert_not(t.facts.sorted);
    cr_assert_eq(everything_of("a", unsorted, sizeof unsorted), n);
    cr_expect_eq(memcmp(sorted, unsorted, n), 0, "%s\n%s", sorted, unsorted);
    cr_expect_neq(strstr(unsorted, " 7 500 12000 2:"), NULL, "hints are all three: %s", unsorted);
}

Test(trace, two_streams_of_a_sorted_file_do_not_disturb_each_other)
{
    prepared("id,submit_s,duration_s\nb,9,1\na,5,1\n");
    struct source s[2];
    struct job_spec j;
    for (int i = 0; i < 2; i++) cr_assert_eq(trace_source_open(&t, &s[i], &d), ST_OK);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 2; i++) {
            cr_assert_eq(s[i].next(s[i].ctx, &j, &d), ST_OK);
            cr_expect_str_eq(j.id, k == 0 ? "a" : "b");
        }
    for (int i = 0; i < 2; i++) trace_source_close(&s[i]);
}

Test(trace, the_window_counts_from_the_first_arrival_and_comes_before_max_jobs)
{
    const char *rows[] = { "id,submit_s,duration_s\na,100,1\nb,110,1\nc,120,1\nd,130,1\ne,140,1\n",
                           "id,submit_s,duration_s\ne,140,1\nb,110,1\na,100,1\nd,130,1\nc,120,1\n" };
    for (int i = 0; i < 2; i++) {
        o.window_from = 10 * TICK_SEC;
        o.window_to = 40 * TICK_SEC;
        o.max_jobs = 0;
        prepared(rows[i]);
        cr_expect_str_eq(stream(), "b@0 c@10000000 d@20000000");
        cr_expect_eq(t.facts.n_jobs, 3);
        cr_expect_eq(t.facts.n_file, 5);
        trace_fini(&t);
        unlink(path);
        o.max_jobs = 2;
        prepared(rows[i]);
        cr_expect_str_eq(stream(), "b@0 c@10000000");
        cr_expect_eq(t.facts.last, 120 * TICK_SEC);
        trace_fini(&t);
        unlink(path);
    }
}

Test(trace, speedup_divides_the_gaps)
{
    o.speedup = 4;
    prepared("id,submit_s,duration_s\na,100,1\nb,110,1\nc,111,1\n");
    cr_expect_str_eq(stream(), "a@0 b@2500000 c@2750000");
}

/* One node of 4 cores and 2 cards (one at half speed: capacity 2 x 0.5).  Over 100 s:
 * CPU 2 x 100 / (4 x 100) = 0.5; GPU 1 x 60 / (1 x 100) = 0.6, the bottleneck. */
Test(trace, load_scales_the_gaps_to_the_bottleneck)
{
    struct node_spec n = { .name = "n", .cpu_milli = 4000, .mem_b = 1000, .n_gpu = 2, .gpu_type = "slow" };
    cr_assert_eq(cluster_add(&cluster, &n, &d), ST_OK);
    cluster_set_gpu_type(&cluster, 0, 0.5, &(struct gpu_figures){ 0 });
    cluster_seal(&cluster);
    o.load = 0.9;
    prepared("id,submit_s,duration_s,cpus,gpus\na,0,100,2,0\nb,0,60,0,1\nc,100,0,0,0\n");
    cr_expect_float_eq(t.facts.load_cpu, 0.5, 1e-12);
    cr_expect_float_eq(t.facts.load_gpu, 0.6, 1e-12);
    cr_expect_float_eq(t.facts.stretch, 0.6 / 0.9, 1e-12);
    cr_expect_str_eq(stream(), "a@0 b@0 c@66666667");
}

Test(trace, load_and_speedup_exclude_each_other)
{
    o.load = 0.9;
    o.speedup = 2;
    cr_expect_eq(prepare("id,submit_s,duration_s\na,0,1\nb,1,1\n"), ST_EINPUT);
}

Test(trace, strict_turns_the_first_repair_into_an_error_at_its_line)
{
    o.strict = true;
    cr_expect_eq(prepare("id,submit_s,duration_s\na,5,1\nb,4,1\n"), ST_EINPUT);
    cr_expect_eq(d.line, 3);
}

Test(trace, the_content_hash_follows_the_bytes)
{
    uint64_t h[3];
    const char *text[] = { "id,submit_s,duration_s\na,5,1\n", "id,submit_s,duration_s\na,5,1\n", "id,submit_s,duration_s\na,5,2\n" };
    for (int i = 0; i < 3; i++) {
        prepared(text[i]);
        h[i] = t.facts.content_hash;
        trace_fini(&t);
        unlink(path);
    }
    cr_expect_eq(h[0], h[1]);
    cr_expect_neq(h[0], h[2]);
}

/* FNV-1a from its published basis and prime, over a file so large that a thread finds it, and an error in such a file. */
/* By a thread, where there are two processors. */
Test(trace, the_content_hash_of_a_large_file_is_found_beside_its_reading)
{
    enum { ROWS = 80000, BYTES = ROWS * 20 };
    char *text = calloc(BYTES + 100, 1);
    size_t n = (size_t)sprintf(text, "id,submit_s,duration_s\n");
    for (int i = 0; i < ROWS; i++) n += (size_t)sprintf(text + n, "j%06d,%d,%d\n", i, i, i % 100);
    cr_assert_gt(n, 1 << 20);
    prepared(text);
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    cr_expect_eq(t.facts.content_hash, h);
    trace_fini(&t);
    unlink(path);
    text[n - 2] = 'x';
    cr_expect_eq(prepare(text), ST_EINPUT);
    cr_expect_eq(d.line, ROWS + 1);
    free(text);
}

Test(trace, jobs_past_their_limit_are_kept_and_counted)
{
    prepared("id,submit_s,duration_s,limit_s\na,0,10,5\nb,0,5,5\nc,0,5,\n");
    cr_expect_eq(t.facts.n_past_limit, 1);
    cr_expect_eq(t.facts.n_jobs, 3);
    cr_expect_eq(t.repairs.n, 0);
}

/* Writing and reading again gives the same file, groups and awkward names included. */
Test(trace, what_is_written_reads_back_the_same)
{
    const char *text =
        "id,submit_s,duration_s,user,queue,tasks,gang,cpus,mem_mib,gpus,gpu_milli,gpu_mem_mib,gpu_type,labels,exclusive,limit_s,model,priority,class,mem_bw_mbs,hints,gpu_cores,node\n"
        "\"a,1\",0,10.5,\"say \"\"x\"\"\",,2+1,1,8+4,1024+512.5,4+3,,,V100|T4,big&(x|y),1,90.25,\"m (1)#4\",7,,1500.5+0,pipelined+weights=0.5+complex=7,,\n"
        "b,0.000001,0,,q,1,0,0.001,0.0000019,1,5,17,,,,,,,k,,,2560,\n"
        "c,2,1+2+3,,,1+1+1,0,1,1,0,,,,(x|y),,,,,,0.000001,,,n7\n";
    char again[8192] = "";
    prepared(text);
    FILE *f = tmpfile();
    struct source s;
    struct job_spec j;
    cr_assert_eq(trace_source_open(&t, &s, &d), ST_OK);
    native_write_header(f, &cluster, (struct native_form){ .past = t.facts.n_recorded > 0 });
    while (s.next(s.ctx, &j, &d) == ST_OK) native_write(f, &j, &cluster, (struct native_form){ .past = t.facts.n_recorded > 0 });
    trace_source_close(&s);
    rewind(f);
    again[fread(again, 1, sizeof again - 1, f)] = '\0';
    fclose(f);
    /* A model with a blank needs no quotes. */
    char want[8192];
    char *quoted = strstr(strcpy(want, text), "\"m (1)#4\"");
    memmove(quoted, quoted + 1, strlen(quoted));
    memmove(quoted + 7, quoted + 8, strlen(quoted + 7));
    cr_expect_str_eq(again, want);
}

/* 0 is a cost of its own; an empty field leaves the scenario's. */
Test(trace, what_an_interruption_costs_a_job_is_read_and_written)
{
    const char *rows = "id,submit_s,duration_s,restore_s\na,0,10,40.5\nb,0,10,\nc,0,10,0\n";
    const sim_tick want[] = { 40500000, -1, 0 };
    char text[4096] = "";
    prepared(rows);
    cr_expect(t.facts.has_restores);
    FILE *f = tmpfile();
    struct source s;
    struct job_spec j;
    cr_assert_eq(trace_source_open(&t, &s, &d), ST_OK);
    native_write_header(f, &cluster, (struct native_form){ .bare = true, .restores = true });
    for (int i = 0; s.next(s.ctx, &j, &d) == ST_OK; i++) {
        cr_expect_eq(j.restore.is_own ? j.restore.cost : -1, want[i]);
        native_write(f, &j, &cluster, (struct native_form){ .bare = true, .restores = true });
    }
    trace_source_close(&s);
    rewind(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    cr_expect(strstr(text, ",hints,restore_s\n") != NULL, "%s", text);
    cr_expect(strstr(text, ",40.5\n") != NULL && strstr(text, ",0\n") != NULL, "%s", text);
}

/* 75 MB of jobs do not fit memory: in order they are read twice; else they go through a temporary file. */
static void streams_many(const char *what, int (*submit_of)(int row))
{
    enum { ROWS = 750, WIDE = 100000 };
    char *user = malloc(WIDE + 1);
    memset(user, 'u', WIDE);
    user[WIDE] = '\0';
    temp_file(path, "");
    FILE *f = fopen(path, "w");
    fprintf(f, "id,submit_s,duration_s,user\n");
    for (int i = 0; i < ROWS; i++) fprintf(f, "j%d,%d,%d,%s\n", submit_of(i), submit_of(i), submit_of(i) + 1, user);
    fclose(f);
    cr_assert_eq(trace_prepare(&t, &o, &cluster, &perf, &d), ST_OK, "%s: %s", what, d.msg);
    cr_expect_eq(t.facts.n_jobs, ROWS, "%s", what);
    struct source s;
    struct job_spec j;
    cr_assert_eq(trace_source_open(&t, &s, &d), ST_OK, "%s", d.msg);
    for (int i = 0; i < ROWS; i++) {
        char id[16];
        snprintf(id, sizeof id, "j%d", i);
        cr_assert_eq(s.next(s.ctx, &j, &d), ST_OK, "%s: %s", what, d.msg);
        cr_assert(strcmp(j.id, id) == 0 && j.submit == i * TICK_SEC, "%s: %s instead of %s", what, j.id, id);
        cr_assert(j.n_groups == 1 && j.group[0].n == 1 && j.group[0].dur == (i + 1) * TICK_SEC, "%s", what);
        cr_assert_str_eq(j.user, user);
    }
    cr_expect_eq(s.next(s.ctx, &j, &d), ST_END);
    trace_source_close(&s);
    free(user);
}

static int in_order(int row)   { return row; }
static int backwards(int row)  { return 749 - row; }
static int late_first(int row) { return row == 740 ? 0 : row < 740 ? row + 1 : row; }

Test(trace, jobs_in_order_beyond_memory)                 { streams_many("in order", in_order); }
Test(trace, jobs_out_of_order_beyond_memory)             { streams_many("backwards", backwards); }
Test(trace, jobs_found_out_of_order_beyond_memory)       { streams_many("late", late_first); }

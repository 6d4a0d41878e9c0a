/* Ideal times: every job of a trace alone, on all GPUs and on 1/m of them. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "run/isolated.h"
#include "ref/temp.h"

static struct scenario s;
static struct trace t;
static struct diag d;
static char dir[TEMP_PATH], path[TEMP_PATH + 8];

static void put(const char *name, const char *text) { temp_put(dir, name, text); }

static void load(const char *jobs, uint32_t m)
{
    put("jobs.csv", jobs);
    put("s.yaml", "name: ideal\ncluster:\n  groups:\n    - {name: n, count: 4, cpus: 8, mem: 8GiB, gpus: 1, gpu_type: G}\n"
                  "trace: {format: native, path: jobs.csv}\npolicies: [fifo]\n");
    cr_assert_eq(scn_load(&s, path, NULL, 0, &d), ST_OK, "%s", d.msg);
    s.output.ideal_share = m;
    cr_assert_eq(trace_prepare(&t, &s.trace, &s.cluster, &s.perf, &d), ST_OK, "%s", d.msg);
}

static void set_up(void)
{
    temp_dir(dir);
    (void)snprintf(path, sizeof path, "%s/s.yaml", dir);
}

static void tear_down(void)
{
    trace_fini(&t);
    scn_fini(&s);
    temp_drop(dir);
}

TestSuite(isolated, .init = set_up, .fini = tear_down);

static void is(const struct isolated_times *i, uint64_t job, int64_t whole_s, int64_t share_s)
{
    cr_assert_eq(i->whole[job], whole_s < 0 ? -1 : whole_s * TICK_SEC, "job %llu, whole: %lld", (unsigned long long)job, (long long)i->whole[job]);
    cr_assert_eq(i->share[job], share_s < 0 ? -1 : share_s * TICK_SEC, "job %llu, share: %lld", (unsigned long long)job, (long long)i->share[job]);
}

/*
 * 4 GPUs, m = 2, so 2 in the share.
 *   a   4 tasks of 10 s: one wave, 10; two waves of 2, 20
 *   b   1 task of 7 s: 7 either way
 *   c   like a, later: found once
 *   d   5 tasks of 10 s: two waves, 20; three, 30
 *   g   a gang of 4, 10 s: never in a share of 2
 *   x   a task of 2 GPUs, which no node has: never
 *   p   a CPU task of 3 s: the quota does not touch it
 */
Test(isolated, of_each_job_alone_worked_by_hand)
{
    struct isolated_times i;
    load("id,submit_s,duration_s,tasks,gang,gpus\n"
         "a,0,10,4,0,1\nb,5,7,1,0,1\nc,6,10,4,0,1\nd,7,10,5,0,1\ng,8,10,4,1,1\nx,9,1,1,0,2\np,9,3,1,0,0\n", 2);
    cr_assert_eq(isolated_find(&i, &s, &t, 1, &d), ST_OK, "%s", d.msg);
    cr_assert_eq(i.n, 7);
    is(&i, 0, 10, 20);
    is(&i, 1, 7, 7);
    is(&i, 2, 10, 20);
    is(&i, 3, 20, 30);
    is(&i, 4, 10, -1);
    is(&i, 5, -1, -1);
    is(&i, 6, 3, 3);
    cr_assert_eq(i.n_distinct, 6);
    isolated_fini(&i);
}

/* 1/9 of 4 cards is none: at least one. */
Test(isolated, the_share_is_at_least_one_card)
{
    struct isolated_times i;
    load("id,submit_s,duration_s,tasks,gpus\na,0,10,3,1\n", 9);
    cr_assert_eq(isolated_find(&i, &s, &t, 1, &d), ST_OK, "%s", d.msg);
    is(&i, 0, 10, 30);
    isolated_fini(&i);
}

/* A node that fails at once does not concern a job that is alone in the ideal. */
Test(isolated, is_without_faults_and_the_same_twice)
{
    struct isolated_times i, j;
    static const struct fault_event down[] = { { 0, 0, false } };
    load("id,submit_s,duration_s,tasks,gpus\na,0,10,4,1\n", 1);
    s.fault.list = down;
    s.fault.n_list = 1;
    cr_assert_eq(isolated_find(&i, &s, &t, 1, &d), ST_OK, "%s", d.msg);
    cr_assert_eq(isolated_find(&j, &s, &t, 1, &d), ST_OK, "%s", d.msg);
    is(&i, 0, 10, 10);
    cr_assert_eq(memcmp(i.whole, j.whole, sizeof *i.whole), 0);
    isolated_fini(&i);
    isolated_fini(&j);
}

/* ---- with data ---- */

struct list { const struct job_spec *job; size_t n, at; };
static enum st next_of(void *ctx, struct job_spec *out, struct diag *e)
{
    struct list *l = ctx;
    (void)e;
    if (l->at == l->n) return ST_END;
    *out = l->job[l->at++];
    return ST_OK;
}

/*
 * Four nodes of one GPU on one rack; a disk gives 100 MB/s, the rack 50 MB/s.
 * Blocks of 100 MB: p, q on n-0; u on n-1.  Jobs of two tasks that compute 3 s.
 *   near   reads p and u: each from its own node, 1 + 3 = 4 s; with one
 *          card at a time, one after the other: 8 s
 *   far    reads p and q: one from n-0, the other over the rack, 2 + 3 = 5 s;
 *          one after the other, both at n-0: 8 s
 *   again  like far
 * Equal but for their blocks, near and far are told apart.
 */
Test(isolated, counts_the_way_to_the_data)
{
    struct isolated_times i;
    load("id,submit_s,duration_s\nunused,0,1\n", 4);
    const uint32_t n0 = 0, n1 = 1;
    s.data.net = (struct net_spec){ .disk_bps = 100000000, .rack_bps = 50000000, .aggregation_bps = 10000000 };
    uint32_t p = data_add(&s.data.blocks, "p", 100000000); data_replicas(&s.data.blocks, p, &n0, 1);
    uint32_t q = data_add(&s.data.blocks, "q", 100000000); data_replicas(&s.data.blocks, q, &n0, 1);
    uint32_t u = data_add(&s.data.blocks, "u", 100000000); data_replicas(&s.data.blocks, u, &n1, 1);
    const uint32_t in_start[] = { 0, 1, 2 }, none[] = { 0, 0, 0 };
    const int64_t out[] = { 0, 0 };
    const struct task_input pu[] = { { .block = p }, { .block = u } }, pq[] = { { .block = p }, { .block = q } };
    const struct task_graph near = { in_start, pu, none, NULL, out }, far = { in_start, pq, none, NULL, out };
    const struct task_group g = { .n = 2, .dur = 3 * TICK_SEC, .shape = { .cpu_milli = 1000, .n_gpu = 1, .gpu_milli = GPU_WHOLE } };
    const struct job_spec job[] = {
        { .id = "near", .limit = -1, .group = &g, .n_groups = 1, .graph = &near },
        { .id = "far", .limit = -1, .group = &g, .n_groups = 1, .graph = &far },
        { .id = "again", .limit = -1, .group = &g, .n_groups = 1, .graph = &far },
    };
    struct list l = { job, 3, 0 };
    cr_assert_eq(isolated_of_source(&i, &s, (struct source){ &l, next_of }, 1, &d), ST_OK, "%s", d.msg);
    cr_assert_eq(i.n_distinct, 2);
    is(&i, 0, 4, 8);
    is(&i, 1, 5, 8);
    is(&i, 2, 5, 8);
    isolated_fini(&i);
}

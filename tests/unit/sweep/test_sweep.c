/* What a sweep section stands for: how many runs, which, in which order.  Mistakes are in tests/bad/scn. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "sweep/grid.h"
#include "base/mem.h"
#include "input/scenario/sweep.h"
#include "ref/temp.h"

static char dir[TEMP_PATH], path[TEMP_PATH + 8];
static struct diag d;

static void put(const char *name, const char *text) { temp_put(dir, name, text); }

static void setup(void)
{
    temp_dir(dir);
    (void)snprintf(path, sizeof path, "%s/s.yaml", dir);
    put("jobs.csv", "id,submit_s,duration_s,cpus\na,0,1,1\n");
}

static void teardown(void) { temp_drop(dir); }

TestSuite(sweep, .init = setup, .fini = teardown);

#define BASE "cluster: {groups: [{name: a, count: 1, cpus: 4, mem: 8GiB}]}\ntrace: {format: native, path: jobs.csv}\n"

static struct grid load(const char *text, const char *const *set, size_t n_set)
{
    struct grid g;
    put("s.yaml", text);
    memset(&d, 0, sizeof d);
    cr_assert_eq(grid_load(&g, &(struct grid_opts){ .scenario = path, .set = set, .n_set = n_set }, &d), ST_OK,
                 "%s:%u:%u: %s", d.file, d.line, d.col, d.msg);
    return g;
}

static void is_run(const struct grid *g, size_t i, const char *want)
{
    char label[256];
    (void)grid_label(g, i, label, sizeof label);
    cr_expect_str_eq(label, want, "run %zu: '%s', expected '%s'", i, label, want);
}

Test(sweep, without_a_section_it_is_the_scenario)
{
    struct grid g = load(BASE "policies: [fifo, sjf]\nseeds: [7, 3]\n", NULL, 0);
    cr_assert_eq(g.n, 4);
    is_run(&g, 0, "fifo seed 7");
    is_run(&g, 1, "sjf seed 7");
    is_run(&g, 2, "fifo seed 3");
    is_run(&g, 3, "sjf seed 3");
    grid_fini(&g);
}

/* A case's parameter replaces the one that the policy states, wherever it stands. */
Test(sweep, a_listed_case_replaces_what_a_policy_states)
{
    static const char *const stated[] = {
        "{name: gsd, label: G, second_after: 7, any_after: 9}", "{name: gsd, label: G, any_after: 9, second_after: 7}",
        "{name: gsd, label: G, quota: 0, second_after: 7, any_after: 9}", "{name: gsd, label: G, any_after: 9}" };
    char text[1024];
    for (size_t i = 0; i < ARRAY_LEN(stated); i++) {
        (void)snprintf(text, sizeof text, BASE "policies: [%s]\nsweep: {cases: [{params: {G.second_after: 4}}]}\n", stated[i]);
        struct grid g = load(text, NULL, 0);
        const char *spec = g.at[0].policy[0].who.spec;
        cr_expect(strstr(spec, "second_after=4") != NULL && strstr(spec, "any_after=9") != NULL && strstr(spec, "=7") == NULL, "%s", spec);
        cr_expect_str_eq(g.at[0].policy[0].label, "G");
        grid_fini(&g);
    }
}

/* Listed cases have values of their own; labels stay, and what two cases share is one run, in its first place. */
Test(sweep, cases_that_are_listed_share_runs)
{
    struct grid g = load(BASE "policies: [fifo, {name: las, label: L}]\nseeds: 2\nsweep:\n  cases:\n"
                         "    - {set: {cluster.groups.0.count: 2}, params: {L.queues: 2}}\n"
                         "    - {set: {cluster.groups.0.count: 2}, params: {L.queues: 3}}\n"
                         "    - {set: {cluster.groups.0.count: 3}}\n    - {}\n", NULL, 0);
    const char *const want[] = {
        "cluster.groups.0.count=2  fifo seed 1", "cluster.groups.0.count=2  L seed 1", "cluster.groups.0.count=2  fifo seed 2",
        "cluster.groups.0.count=2  L seed 2", "cluster.groups.0.count=2  L seed 1", "cluster.groups.0.count=2  L seed 2",
        "cluster.groups.0.count=3  fifo seed 1", "cluster.groups.0.count=3  L seed 1", "cluster.groups.0.count=3  fifo seed 2",
        "cluster.groups.0.count=3  L seed 2", "fifo seed 1", "L seed 1", "fifo seed 2", "L seed 2" };
    const size_t run_at[] = { 0, 1, 2, 3, 0, 4, 2, 5, 6, 7, 8, 9, 10, 11, 12, 13 }, group_at[] = { 0, 2, 4, 5, 6, 8, 10, 12, 14 };
    cr_assert(g.n == ARRAY_LEN(want) && g.n_groups == 8, "%zu runs, %zu groups", g.n, g.n_groups);
    for (size_t i = 0; i < g.n; i++) is_run(&g, i, want[i]);
    for (size_t i = 0; i < ARRAY_LEN(run_at); i++) cr_expect_eq(g.run_at[i], run_at[i], "place %zu: run %u", i, g.run_at[i]);
    for (size_t i = 0; i < ARRAY_LEN(group_at); i++) cr_expect_eq(g.group_at[i], group_at[i], "group %zu", i);
    for (size_t i = 0; i < g.n; i++) cr_expect_eq(grid_find(&g, g.run[i].key), i);
    cr_expect_not_null(strstr(g.at[g.run[4].kase].policy[g.run[4].policy].who.spec, "queues=3"));
    grid_fini(&g);
}

/* 2 loads x 3 counts = 6 cases; fifo, and las at 2 x 2 values = 5 policies; seeds 2, 3, 4: 6 * 5 * 3 = 90. */
Test(sweep, every_combination_is_there_in_the_stated_order)
{
    struct grid g = load(BASE "policies: [fifo]\nseeds: 9\nsweep:\n  seeds: 2..4\n"
                         "  policies: [{name: las, label: L}, fifo]\n"
                         "  params: {L.queues: [2, 3], las.place: [best, pack]}\n"
                         "  set: {trace.max_jobs: [1, 2], cluster.groups.0.count: [1, 2, 3]}\n", NULL, 0);
    cr_assert_eq(g.n, 90);
    cr_expect(g.sweep.n_cases == 6 && g.n_policies == 5 && g.n_seeds == 3);
    is_run(&g, 0, "trace.max_jobs=1, cluster.groups.0.count=1  L queues=2 place=best seed 2");
    is_run(&g, 1, "trace.max_jobs=1, cluster.groups.0.count=1  L queues=2 place=pack seed 2");
    is_run(&g, 2, "trace.max_jobs=1, cluster.groups.0.count=1  L queues=3 place=best seed 2");
    is_run(&g, 3, "trace.max_jobs=1, cluster.groups.0.count=1  L queues=3 place=pack seed 2");
    is_run(&g, 4, "trace.max_jobs=1, cluster.groups.0.count=1  fifo seed 2");
    is_run(&g, 5, "trace.max_jobs=1, cluster.groups.0.count=1  L queues=2 place=best seed 3");
    is_run(&g, 15, "trace.max_jobs=1, cluster.groups.0.count=2  L queues=2 place=best seed 2");
    is_run(&g, 45, "trace.max_jobs=2, cluster.groups.0.count=1  L queues=2 place=best seed 2");
    is_run(&g, 89, "trace.max_jobs=2, cluster.groups.0.count=3  fifo seed 4");
    cr_expect(strstr(g.at[0].policy[1].who.spec, "queues=2") != NULL && strstr(g.at[0].policy[1].who.spec, "place=pack") != NULL);
    for (size_t i = 0; i < g.n; i++) cr_expect_eq(grid_find(&g, g.run[i].key), i);
    cr_expect_eq(grid_find(&g, "0123456789abcdef0123456789abcdef"), g.n);
    grid_fini(&g);
}

Test(sweep, a_label_that_is_the_spec_follows_it)
{
    struct grid g = load(BASE "policies: [las, 'sjf:place=pack']\nsweep: {params: {las.queues: [4], sjf.mode: [strict, skip]}}\n", NULL, 0);
    cr_assert_eq(g.n, 3);
    is_run(&g, 0, "las:queues=4 seed 1");
    is_run(&g, 1, "sjf:place=pack,mode=strict seed 1");
    is_run(&g, 2, "sjf:place=pack,mode=skip seed 1");
    grid_fini(&g);
}

Test(sweep, a_case_is_the_document_with_its_values_in_place)
{
    struct sweep w;
    struct scenario s;
    put("s.yaml", BASE "policies: [fifo]\nsweep:\n  set:\n    cluster.groups.0: [{name: x, cpus: 2, mem: 1GiB}, {name: y, count: 3, cpus: 8, mem: 1GiB}]\n"
        "    jobs.preemption.mode: [~, kill]\n    horizon: [1h]\n");
    cr_assert_eq(sweep_load(&w, path, NULL, 0, &d), ST_OK);
    cr_assert_eq(w.n_cases, 4);
    cr_assert_eq(sweep_case(&w, 3, &s, &d), ST_OK, "%s", d.msg);
    cr_expect_eq(s.cluster.n_nodes, 3);
    cr_expect(s.jobs.checkpoint_interval == -1 && s.horizon == 3600 * TICK_SEC);
    cr_expect_str_eq(s.id.variant, "cluster.groups.0={name: y, count: 3, cpus: 8, mem: 1GiB}, jobs.preemption.mode=kill, horizon=1h");
    scn_fini(&s);
    sweep_fini(&w);
}

Test(sweep, null_takes_a_key_out)
{
    struct sweep w;
    struct scenario s;
    put("s.yaml", BASE "horizon: 5s\npolicies: [fifo]\nsweep: {set: {horizon: [1h, ~]}}\n");
    cr_assert_eq(sweep_load(&w, path, NULL, 0, &d), ST_OK);
    cr_assert_eq(sweep_case(&w, 1, &s, &d), ST_OK, "%s", d.msg);
    cr_expect_eq(s.horizon, TICK_NEVER);
    cr_expect_str_eq(s.id.variant, "horizon=");
    scn_fini(&s);
    sweep_fini(&w);
}

/* The same question has the same key, however it is asked. */
Test(sweep, keys_are_those_of_run_with_set)
{
    struct grid g = load(BASE "policies: [fifo, sjf]\nseeds: 3\nsweep: {set: {horizon: [1h, 2h]}}\n", NULL, 0);
    static const char *const two[] = { "horizon=2h" };
    struct grid one = load(BASE "policies: [sjf]\nseeds: [2]\n", two, 1);
    cr_assert_eq(one.n, 1);
    cr_expect_str_eq(one.run[0].key, g.run[(1 * 3 + 1) * 2 + 1].key);
    cr_expect_str_eq(one.at[0].variant, "horizon=2h");
    grid_fini(&one);
    grid_fini(&g);
}

Test(sweep, a_key_hangs_on_trace_policy_and_seed)
{
    struct grid a = load(BASE "policies: [fifo]\nseeds: 2\n", NULL, 0);
    put("jobs.csv", "id,submit_s,duration_s,cpus\na,0,2,1\n");
    struct grid b = load(BASE "policies: [fifo, 'fifo:mode=skip']\nseeds: 2\n", NULL, 0);
    cr_expect_str_neq(a.run[0].key, a.run[1].key);
    cr_expect_str_neq(a.run[0].key, b.run[0].key);
    cr_expect_str_neq(b.run[0].key, b.run[1].key);
    grid_fini(&a);
    grid_fini(&b);
}

Test(sweep, what_is_asked_for_is_no_part_of_a_case)
{
    static const char *const set[] = { "sweep.seeds=1..2", "policies=[sjf]", "trace.max_jobs=1" };
    struct grid g = load(BASE "policies: [fifo]\nsweep: {set: {horizon: [1h]}}\n", set, 3);
    cr_assert_eq(g.n, 2);
    cr_expect_str_eq(g.at[0].variant, "trace.max_jobs=1, horizon=1h");
    cr_expect(strstr(g.at[0].text, "polic") == NULL && strstr(g.at[0].text, "sweep") == NULL && strstr(g.at[0].text, "seeds") == NULL);
    grid_fini(&g);
}

Test(sweep, run_reads_the_scenario_and_checks_the_sweep)
{
    struct scenario s;
    put("s.yaml", BASE "policies: [fifo]\nseeds: 4\nsweep: {policies: [sjf], seeds: 9, set: {horizon: [1h]}}\n");
    cr_assert_eq(scn_load(&s, path, NULL, 0, &d), ST_OK, "%s", d.msg);
    cr_expect(s.asked.has_sweep && s.asked.n_seeds == 4 && s.asked.n_policies == 1 && s.horizon == TICK_NEVER);
    cr_expect_str_eq(s.asked.policy[0].spec, "fifo");
    cr_expect_str_eq(s.id.variant, "");
    scn_fini(&s);
    put("s.yaml", BASE "policies: [fifo]\nsweep: {seeds: none}\n");
    cr_expect_eq(scn_load(&s, path, NULL, 0, &d), ST_EINPUT);
    cr_expect(s.id.path == NULL);
}

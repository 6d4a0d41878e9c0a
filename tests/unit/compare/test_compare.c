/* Policies side by side: pairing, intervals, and what is kept out. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "compare/compare.h"

static char path[64];
static struct store *s;
static struct diag d;

static void set_up(void)
{
    (void)snprintf(path, sizeof path, "/tmp/fairway-test-compare-%ld.db", (long)getpid());
    (void)unlink(path);
    cr_assert_eq(store_open(&s, path, &d), ST_OK, "%s", d.msg);
}

static void tear_down(void)
{
    store_close(s);
    (void)unlink(path);
}

TestSuite(compare, .init = set_up, .fini = tear_down);

/* A finished run with one metric, its unit s. */
static void add_one(const char *scenario, const char *policy, const char *spec, uint64_t seed, const char *metric, double x)
{
    static int n;
    char key[32];
    int64_t run;
    (void)snprintf(key, sizeof key, "one%d", n++);
    struct store_run r = { .key = key, .scenario = scenario, .title = "t", .scenario_text = scenario, .trace_path = "p", .trace_hash = "h",
                           .policy = policy, .policy_spec = spec, .policy_source = "none", .seed = seed };
    cr_assert_eq(store_run_begin(s, &r, &run, &d), ST_OK, "%s", d.msg);
    (void)store_metric(s, run, &(struct store_metric){ .name = metric, .scope = "all", .value = x, .unit = "s" }, &d);
    cr_assert_eq(store_run_end(s, run, STORE_DONE, 0, NULL, 0, &d), ST_OK, "%s", d.msg);
}

static void add(const char *scenario, const char *text, const char *policy, const char *spec, uint64_t seed, double jct,
                double unfinished, enum store_status status)
{
    static int n;
    char key[32];
    int64_t run;
    (void)snprintf(key, sizeof key, "%d", n++);
    struct store_run r = { .key = key, .scenario = scenario, .title = "t", .scenario_text = text, .trace_path = "p", .trace_hash = "h",
                           .policy = policy, .policy_spec = spec, .policy_source = "none", .seed = seed,
                           .clairvoyant = strcmp(policy, "sjf") == 0 };
    cr_assert_eq(store_run_begin(s, &r, &run, &d), ST_OK, "%s", d.msg);
    (void)store_metric(s, run, &(struct store_metric){ .name = "jct_mean", .scope = "all", .value = jct, .unit = "s" }, &d);
    (void)store_metric(s, run, &(struct store_metric){ .name = "jobs_done", .scope = "all", .value = 100 - unfinished, .unit = "1" }, &d);
    (void)store_metric(s, run, &(struct store_metric){ .name = "jobs_unfinished", .scope = "all", .value = unfinished, .unit = "1" }, &d);
    cr_assert_eq(store_run_end(s, run, status, 0, status == STORE_FAILED ? "it broke" : NULL, 0, &d), ST_OK, "%s", d.msg);
}

static void add_six(void)
{
    static const double fifo[] = { 10, 20, 30 }, sjf[] = { 8, 15, 26 };
    for (uint64_t i = 0; i < 3; i++) add("demo", "x", "fifo", "fifo:mode=skip", i + 1, fifo[i], 0, STORE_DONE);
    for (uint64_t i = 3; i-- > 0;) add("demo", "x", "sjf", "sjf", i + 1, sjf[i], 0, STORE_DONE);
}

static char *print(const struct compare *c, const struct compare_opts *o)
{
    char *text = calloc(1, 1 << 16);
    FILE *to = fmemopen(text, (1 << 16) - 1, "w");
    cr_assert_eq(compare_print(c, o, to, &d), ST_OK, "%s", d.msg);
    (void)fclose(to);
    return text;
}

/*
 * Differences by seed: -2 -5 -4; mean -11/3, sd sqrt(7/3), t(0.975, 2) =
 * 4.30265272975, half = t sd / sqrt 3 = 3.79458.  Ratios 0.8 0.75 0.8666...
 */
Test(compare, pairs_by_seed_whatever_the_order_of_runs)
{
    struct compare c;
    add_six();
    cr_assert_eq(compare_load(&c, s, &d), ST_OK, "%s", d.msg);
    cr_assert_eq(c.n, 1);
    cr_assert_eq(c.at[0].n_policies, 2);
    const struct compare_policy *fifo = &c.at[0].policy[0], *sjf = &c.at[0].policy[1];
    struct stats_ci diff = compare_diff(&c, sjf, fifo, "jct_mean", "all"), ratio = compare_ratio(&c, sjf, fifo, "jct_mean", "all");
    cr_assert_float_eq(diff.mean, -11.0 / 3, 1e-12);
    cr_assert_float_eq(diff.half, 4.30265272975 * sqrt(7.0 / 3) / sqrt(3), 1e-9);
    cr_assert_float_eq(ratio.mean, (0.8 + 0.75 + 26.0 / 30) / 3, 1e-12);
    cr_assert_float_eq(compare_mean(&c, fifo, "jct_mean", "all").half, 4.30265272975 * 10 / sqrt(3), 1e-9);
    compare_fini(&c);
}

Test(compare, a_seed_that_the_other_lacks_is_in_the_mean_and_in_no_difference)
{
    struct compare c;
    add_six();
    add("demo", "x", "sjf", "sjf", 9, 1000, 0, STORE_DONE);
    cr_assert_eq(compare_load(&c, s, &d), ST_OK);
    const struct compare_policy *fifo = &c.at[0].policy[0], *sjf = &c.at[0].policy[1];
    cr_assert_eq(compare_mean(&c, sjf, "jct_mean", "all").n, 4);
    struct stats_ci diff = compare_diff(&c, sjf, fifo, "jct_mean", "all");
    cr_assert_eq(diff.n, 3);
    cr_assert_float_eq(diff.mean, -11.0 / 3, 1e-12);
    compare_fini(&c);
}

Test(compare, failed_and_interrupted_runs_are_listed_and_never_mixed_in)
{
    struct compare c;
    add_six();
    add("demo", "x", "fifo", "fifo:mode=skip", 4, 1e9, 0, STORE_FAILED);
    add("demo", "x", "sjf", "sjf", 5, 1e9, 0, STORE_INTERRUPTED);
    cr_assert_eq(compare_load(&c, s, &d), ST_OK);
    cr_assert_eq(c.n_unfinished, 2);
    cr_assert_float_eq(compare_mean(&c, &c.at[0].policy[0], "jct_mean", "all").mean, 20, 1e-12);
    char *text = print(&c, &(struct compare_opts){ .metric = (const char *const[]){ "jct_mean" }, .n_metrics = 1 });
    cr_assert(strstr(text, "fifo, seed 4): failed: it broke") != NULL, "%s", text);
    cr_assert(strstr(text, "sjf, seed 5): interrupted") != NULL, "%s", text);
    free(text);
    compare_fini(&c);
}

Test(compare, the_table_marks_clairvoyance_and_shows_unfinished_jobs)
{
    struct compare c;
    add("demo", "x", "fifo", "fifo", 1, 100, 0, STORE_DONE);
    add("demo", "x", "sjf", "sjf", 1, 50, 7, STORE_DONE);
    cr_assert_eq(compare_load(&c, s, &d), ST_OK);
    char *text = print(&c, &(struct compare_opts){ .metric = (const char *const[]){ "jct_mean" }, .n_metrics = 1 });
    cr_assert(strstr(text, "policy  seeds  jobs done  unfinished  jct_mean, s\n") != NULL, "%s", text);
    cr_assert(strstr(text, "sjf *       1         93           7           50\n") != NULL, "%s", text);
    cr_assert(strstr(text, "sjf *     -50.0%\n") != NULL, "%s", text);
    cr_assert(strstr(text, "* clairvoyant") != NULL, "%s", text);
    free(text);
    compare_fini(&c);
}

Test(compare, another_scenario_text_is_another_case)
{
    struct compare c;
    add("demo", "x", "fifo", "fifo", 1, 1, 0, STORE_DONE);
    add("demo", "y", "fifo", "fifo", 1, 2, 0, STORE_DONE);
    cr_assert_eq(compare_load(&c, s, &d), ST_OK);
    cr_assert_eq(c.n, 2);
    cr_assert_str_eq(c.at[1].title, "demo (variant 2)");
    compare_fini(&c);
}

Test(compare, of_several_cases_each_is_called_by_what_was_set)
{
    struct compare c;
    struct compare_case *only;
    static const char *const text[] = { "x", "y", "z" }, *const variant[] = { "horizon=2h", "trace.load=0.8, horizon=1h", "trace.load=0.8, horizon=1h" };
    for (size_t i = 0; i < 3; i++) {
        struct store_run r = { .key = text[i], .scenario = "demo", .title = "t", .variant = variant[i], .scenario_text = text[i],
                               .trace_path = "p", .trace_hash = "h", .policy = "fifo", .policy_spec = "fifo", .policy_source = "none", .seed = 1 };
        int64_t run;
        cr_assert_eq(store_run_begin(s, &r, &run, &d), ST_OK);
        cr_assert_eq(store_run_end(s, run, STORE_DONE, 1, NULL, 0, &d), ST_OK);
        if (i > 0) continue;
        cr_assert_eq(compare_load(&c, s, &d), ST_OK);
        only = &c.at[0];
        cr_assert(c.n == 1 && strcmp(only->title, "demo") == 0, "alone it has its name");
        compare_fini(&c);
    }
    cr_assert_eq(compare_load(&c, s, &d), ST_OK);
    cr_assert_eq(c.n, 3);
    cr_assert_str_eq(c.at[0].title, "demo (horizon=2h)");
    cr_assert_str_eq(c.at[1].title, "demo (trace.load=0.8, horizon=1h)");
    cr_assert_str_eq(c.at[2].title, "demo (trace.load=0.8, horizon=1h, variant 2)");
    compare_fini(&c);
}

Test(compare, policies_of_one_label_are_told_apart_by_their_parameters)
{
    struct compare c;
    add("demo", "x", "las", "las:queues=2", 1, 1, 0, STORE_DONE);
    add("demo", "x", "las", "las:queues=3", 1, 2, 0, STORE_DONE);
    cr_assert_eq(compare_load(&c, s, &d), ST_OK);
    cr_assert_eq(c.at[0].n_policies, 2);
    cr_assert_str_eq(c.at[0].policy[1].label, "las:queues=3");
    compare_fini(&c);
}

Test(compare, of_runs_that_answer_the_same_question_the_latest_counts)
{
    struct compare c;
    add("demo", "x", "fifo", "fifo", 1, 1, 0, STORE_DONE);
    add("demo", "x", "fifo", "fifo", 1, 2, 0, STORE_DONE);
    cr_assert_eq(compare_load(&c, s, &d), ST_OK);
    cr_assert_eq(c.at[0].policy[0].n_runs, 1);
    cr_assert_float_eq(compare_mean(&c, &c.at[0].policy[0], "jct_mean", "all").mean, 2, 1e-12);
    compare_fini(&c);
}

Test(compare, names_the_nearest_metric_and_policy)
{
    struct compare c;
    struct diag e = { 0 }, f = { 0 }, g = { 0 };
    size_t at;
    add_six();
    cr_assert_eq(compare_load(&c, s, &d), ST_OK);
    cr_assert_eq(compare_check_metric(&c, "jct_maen", "all", &e), ST_EINPUT);
    cr_assert_str_eq(e.hint, "did you mean 'jct_mean'?");
    cr_assert_eq(compare_check_metric(&c, "jct_mean", "user=nobody", &g), ST_EINPUT);
    cr_assert_eq(compare_find(&c.at[0], "fifi", &at, &f), ST_EINPUT);
    cr_assert_str_eq(f.hint, "did you mean 'fifo'?");
    compare_fini(&c);
}

Test(compare, csv_has_a_row_a_policy_and_metric_in_full)
{
    struct compare c;
    add("demo", "x", "fifo", "fifo", 1, 100, 0, STORE_DONE);
    add("demo", "x", "sjf", "sjf", 1, 50, 0, STORE_DONE);
    cr_assert_eq(compare_load(&c, s, &d), ST_OK);
    char *text = print(&c, &(struct compare_opts){ .metric = (const char *const[]){ "jct_mean" }, .n_metrics = 1, .format = TABLE_CSV });
    cr_assert_str_eq(text, "scenario,policy,spec,clairvoyant,metric,scope,unit,seeds,mean,ci95,base,pairs,diff,diff_ci95,ratio,ratio_ci95,"
                           "published,published_ratio,lo95,hi95,diff_lo95,diff_hi95,ratio_lo95,ratio_hi95,interval,x_bound\n"
                           "demo,fifo,fifo,0,jct_mean,all,s,1,100,,fifo,1,0,,1,,,,,,,,,,,\n"
                           "demo,sjf,sjf,1,jct_mean,all,s,1,50,,fifo,1,-50,,0.5,,,,,,,,,,,\n");
    free(text);
    compare_fini(&c);
}

Test(compare, a_database_without_a_finished_run_says_why)
{
    struct compare c;
    struct diag e = { 0 };
    add("demo", "x", "fifo", "fifo", 1, 100, 0, STORE_FAILED);
    cr_assert_eq(compare_load(&c, s, &e), ST_EINPUT);
    cr_assert(strstr(e.hint, "it broke") != NULL, "%s / %s", e.msg, e.hint);
}

/* ---- published figures ---- */

/* DT of gs 900 and 700, of fs 810 and 630: means 800 and 720, the ratio .9 in both seeds. */
static void add_flow_k1(void)
{
    add_one("flow-k1", "gs", "gs", 1, "dt", 900);
    add_one("flow-k1", "gs", "gs", 2, "dt", 700);
    add_one("flow-k1", "the flow", "fs:alpha=2", 1, "dt", 810);
    add_one("flow-k1", "the flow", "fs:alpha=2", 2, "dt", 630);
}

/* S4-27: 825.6 and 808.2 s; their ratio .979; ours 800 (3.1 % less), 720 (10.9 % less), .9 (8.1 % less). */
Test(compare, S4_27_prints_what_the_paper_published_beside_ours)
{
    struct compare c;
    add_flow_k1();
    cr_assert_eq(compare_load(&c, s, &d), ST_OK);
    char *text = print(&c, &(struct compare_opts){ .metric = (const char *const[]){ "dt" }, .n_metrics = 1 });
    cr_assert(strstr(text, "dt      gs         825.6 s  800 \u00b11.3e+03   -3.1%  flow paper, Table 1 (S4-27)\n") != NULL, "%s", text);
    cr_assert(strstr(text, "dt      fs         808.2 s  720 \u00b11.1e+03  -10.9%  flow paper, Table 1 (S4-27)\n") != NULL, "%s", text);
    cr_assert(strstr(text, "dt      fs : gs      0.979        0.9 \u00b10   -8.1%  flow paper, Table 1 (S4-27)\n") != NULL, "%s", text);
    cr_assert(strstr(text, "dt      fs : gs        < 1        0.9 \u00b10     yes  flow paper, Table 1: order (S4-27)\n") != NULL, "%s", text);
    cr_assert(strstr(text, "14 published figures: this database has not the runs") != NULL, "%s", text);
    free(text);
    compare_fini(&c);
}

Test(compare, csv_has_published_values_and_ratios_to_the_base)
{
    struct compare c;
    add_flow_k1();
    cr_assert_eq(compare_load(&c, s, &d), ST_OK);
    char *text = print(&c, &(struct compare_opts){ .metric = (const char *const[]){ "dt" }, .n_metrics = 1, .format = TABLE_CSV });
    cr_assert(strstr(text, ",825.6,,") != NULL && strstr(text, ",808.2,0.979,") != NULL, "%s", text);
    free(text);
    text = print(&c, &(struct compare_opts){ .format = TABLE_CSV });
    cr_assert(strstr(text, "flow-k1,gs,gs,0,cross_share,all,,0,,,gs,0,,,,,0.15,,") != NULL, "%s", text);
    free(text);
    compare_fini(&c);
}

/* S4-32, DT down, and S4-33, about unchanged: beside another scenario's runs, by seed. */
Test(compare, a_published_figure_may_set_two_scenarios_side_by_side)
{
    struct compare c;
    add_one("flow-k6", "fs", "fs", 1, "dt", 100);
    add_one("flow-k6-10g", "fs", "fs", 1, "dt", 101);
    add_one("flow-j37", "fs", "fs", 1, "dt", 101);
    cr_assert_eq(compare_load(&c, s, &d), ST_OK);
    char *text = print(&c, &(struct compare_opts){ .metric = (const char *const[]){ "dt" }, .n_metrics = 1 });
    cr_assert(strstr(text, "fs : flow-k6/fs        < 1  1.01      NO  flow paper, 5.3.3") != NULL, "%s", text);
    cr_assert(strstr(text, "fs : flow-k6/fs    1 \u00b10.02  1.01     yes  flow paper, 5.3.4") != NULL, "%s", text);
    free(text);
    compare_fini(&c);
}

Test(compare, a_figure_of_a_policy_with_two_variants_is_of_neither)
{
    struct compare c;
    add_one("flow-k1", "one", "gs:quota=0", 1, "dt", 900);
    add_one("flow-k1", "two", "gs:quota=5", 1, "dt", 800);
    cr_assert_eq(compare_load(&c, s, &d), ST_OK);
    char *text = print(&c, &(struct compare_opts){ .metric = (const char *const[]){ "dt" }, .n_metrics = 1 });
    cr_assert(strstr(text, "18 published figures: this database has not the runs") != NULL, "%s", text);
    free(text);
    compare_fini(&c);
}

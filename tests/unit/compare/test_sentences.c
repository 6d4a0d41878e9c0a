/* A comparison as sentences, against bounds, and in a window of time. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/mem.h"
#include "compare/view.h"
#include "compare/metric_info.h"

static char path[64];
static struct store *s;
static struct diag d;

static void set_up(void)
{
    (void)snprintf(path, sizeof path, "/tmp/fairway-test-say-%ld.db", (long)getpid());
    (void)unlink(path);
    cr_assert_eq(store_open(&s, path, &d), ST_OK, "%s", d.msg);
}

static void tear_down(void)
{
    store_close(s);
    (void)unlink(path);
}

TestSuite(sentences, .init = set_up, .fini = tear_down);

struct pair { const char *metric; double x; const char *unit; };

static int64_t begin(const char *policy, uint64_t seed)
{
    static int n;
    char key[32];
    int64_t run;
    (void)snprintf(key, sizeof key, "say%d", n++);
    struct store_run r = { .key = key, .scenario = "x", .title = "t", .scenario_text = "x", .trace_path = "p", .trace_hash = "h",
                           .policy = policy, .policy_spec = policy, .policy_source = "none", .seed = seed,
                           .clairvoyant = strcmp(policy, "oracle") == 0 };
    cr_assert_eq(store_run_begin(s, &r, &run, &d), ST_OK, "%s", d.msg);
    return run;
}

static void finish(int64_t run)
{
    cr_assert_eq(store_run_end(s, run, STORE_DONE, 0, NULL, 0, &d), ST_OK, "%s", d.msg);
}

static void add(const char *policy, uint64_t seed, const struct pair *at, size_t n)
{
    int64_t run = begin(policy, seed);
    for (size_t i = 0; i < n; i++) {
        struct store_metric m = { .name = at[i].metric, .scope = "all", .value = at[i].x, .unit = at[i].unit ? at[i].unit : "1" };
        (void)store_metric(s, run, &m, &d);
    }
    finish(run);
}
#define ADD(policy, seed, ...) add(policy, seed, (const struct pair[]){ __VA_ARGS__ }, sizeof (const struct pair[]){ __VA_ARGS__ } / sizeof (struct pair))

/* What compare prints of these metrics, lines joined. */
static char *printed(const char *const *metric, size_t n, struct window w, enum table_format f)
{
    struct compare c;
    char *text = calloc(1, 1 << 16);
    FILE *to = fmemopen(text, (1 << 16) - 1, "w");
    cr_assert_eq(compare_load(&c, s, &d), ST_OK, "%s", d.msg);
    c.window = w;
    cr_assert_eq(compare_print(&c, &(struct compare_opts){ .metric = metric, .n_metrics = n, .format = f }, to, &d), ST_OK, "%s", d.msg);
    (void)fclose(to);
    compare_fini(&c);
    for (char *p; (p = strstr(text, "\n    ")) != NULL;) memmove(p + 1, p + 5, strlen(p + 5) + 1), *p = ' ';
    return text;
}

static void expect(const char *text, const char *want) { cr_assert(strstr(text, want) != NULL, "'%s' is not in:\n%s", want, text); }

/*
 * Ratios of jct .96 .95 .97: mean .96, sd .01, half 4.30265 x .01 / sqrt 3 =
 * 2.5 %.  Jain + 10 %, - 10 %, 0: half 24.8 %, so not told apart.
 */
Test(sentences, a_difference_that_is_one_is_said_with_its_interval_and_another_is_called_none)
{
    static const double jct[] = { 96, 95, 97 }, jain[] = { 0.55, 0.45, 0.5 };
    for (uint64_t i = 0; i < 3; i++) {
        ADD("gs", i, { "jct_mean", 100, "s" }, { "jain", 0.5, NULL }, { "preemptions", 0, NULL }, { "gpu_util", 0.5, NULL });
        ADD("gsp", i, { "jct_mean", jct[i], "s" }, { "jain", jain[i], NULL }, { "preemptions", 20, NULL }, { "gpu_util", 0.5, NULL });
    }
    char *text = printed((const char *const[]){ "jct_mean", "jain", "preemptions", "gpu_util" }, 4, (struct window){ 0, 0 }, TABLE_TEXT);
    expect(text, "gsp finishes jobs 4.0 % \u00b1 2.5 % sooner than gs, but preempts 20 more; fairness among users indistinguishable at 3 seeds;"
                 " GPU utilisation the same.");
    free(text);
}

/* Worse alone leads; which way is better is the metric's own. */
Test(sentences, what_is_worse_is_said_the_other_way_round)
{
    static const double util[] = { 0.45, 0.44, 0.46 };
    for (uint64_t i = 0; i < 3; i++) {
        ADD("a", i, { "jct_mean", 100, "s" }, { "gpu_util", 0.5, NULL });
        ADD("b", i, { "jct_mean", 110 + (double)i, "s" }, { "gpu_util", util[i], NULL });
    }
    char *text = printed((const char *const[]){ "jct_mean", "gpu_util" }, 2, (struct window){ 0, 0 }, TABLE_TEXT);
    expect(text, "b finishes jobs 11.0 % \u00b1 2.5 % later than a, keeps 10.0 % \u00b1 5.0 % less of the GPUs busy.");
    free(text);
}

/* The conclusion of the one case, by these metrics, against its first policy. */
static void concludes(const char *const *metric, size_t n, const char *want)
{
    struct compare c;
    cr_assert_eq(compare_load(&c, s, &d), ST_OK, "%s", d.msg);
    const struct compare_view v = {
        .c = &c, .k = &c.at[0], .base = &c.at[0].policy[0], .metric = metric, .n_metrics = n, .scope = "all"
    };
    char *text = compare_conclusion(&v);
    cr_expect_str_eq(text, want);
    mem_free(text);
    compare_fini(&c);
}

static const char *const two[] = { "jct_mean", "preemptions" };

/* Of those that are told nothing b and c are best: b by the mean, c is 2 % ± 4 % later than b: ratios 1.04, 1.02, 1.0. */
Test(sentences, a_conclusion_names_the_best_that_is_told_no_durations_its_price_and_its_equals)
{
    static const double of_c[] = { 83.2, 81.6, 80 };
    for (uint64_t i = 0; i < 3; i++) {
        ADD("a", i, { "jct_mean", 100, "s" }, { "preemptions", 0, NULL });
        ADD("b", i, { "jct_mean", 80, "s" }, { "preemptions", 7, NULL }, { "jobs_arrived", 50, NULL }, { "jobs_done", 48, NULL },
            { "jobs_timeout", 1, NULL }, { "jobs_failed", 1, NULL });
        ADD("c", i, { "jct_mean", of_c[i], "s" }, { "preemptions", 0, NULL });
        ADD("oracle", i, { "jct_mean", 10, "s" }, { "preemptions", 0, NULL });
    }
    concludes(two, 2, "Of 3 policies that are not told true durations, b does best by completion times: it finishes jobs 20.0 %"
                      " \u00b1 0.0 % sooner than a, but preempts 7 more; c is not told apart from it; 1 of its 50 jobs did not end and are"
                      " in no mean.");
}

Test(sentences, a_conclusion_says_where_the_base_is_best_and_what_one_seed_is)
{
    ADD("a", 1, { "jct_mean", 100, "s" });
    ADD("b", 1, { "jct_mean", 120, "s" });
    concludes(two, 2, "Of 2 policies a does best by completion times: b finishes jobs 20.0 % later than a (one seed: one"
                      " case, no evidence).");
}

/* One seed has e the slowest, the other the fastest: its mean is the least, 98 of 98 to 100, and says nothing. */
Test(sentences, a_conclusion_does_not_name_many_equals)
{
    static const char *const policy[] = { "a", "b", "c", "d", "e" };
    for (uint64_t i = 0; i < 2; i++)
        for (size_t p = 0; p < 5; p++) ADD(policy[p], i, { "jct_mean", 100 + (i == 0 ? 2.0 : -3.0) * (double)p, "s" });
    concludes(two, 1, "Of 5 policies e does best by completion times, but 4 others are not told apart from it.");
}

Test(sentences, a_clairvoyant_policy_is_best_only_beside_less_than_two_others)
{
    for (uint64_t i = 0; i < 2; i++) {
        ADD("a", i, { "jct_mean", 100, "s" });
        ADD("oracle", i, { "jct_mean", 50, "s" });
    }
    concludes(two, 1, "Of 2 policies oracle, which is told true durations, does best by completion times: it finishes jobs 50.0 %"
                      " sooner than a.");
}

Test(sentences, of_one_policy_the_conclusion_is_what_became_of_its_jobs)
{
    ADD("a", 1, { "jct_mean", 100, "s" }, { "jobs_arrived", 50, NULL }, { "jobs_done", 46, NULL }, { "jobs_timeout", 3, NULL },
        { "jobs_unfinished", 1, NULL }, { "jobs_unlimited", 20, NULL });
    concludes(two, 2, "Under a: 46 of 50 jobs done, 3 timed out, 1 unfinished, 20 without limit; completion times 100 s.");
}

Test(sentences, one_seed_is_called_one_case)
{
    ADD("a", 1, { "jct_mean", 100, "s" });
    ADD("b", 1, { "jct_mean", 90, "s" });
    char *text = printed((const char *const[]){ "jct_mean" }, 1, (struct window){ 0, 0 }, TABLE_TEXT);
    expect(text, "b finishes jobs 10.0 % sooner than a (one seed: one case, no evidence).");
    expect(text, "One seed: no intervals over seeds; `fairway compare --batches`");
    free(text);
}

Test(sentences, why_there_is_no_pair_is_said)
{
    ADD("A", 1, { "probes_mean", 4, NULL }, { "jct_mean", 100, "s" });
    ADD("B", 1, { "jct_mean", 90, "s" });
    ADD("C", 2, { "probes_mean", 5, NULL });
    char *text = printed((const char *[]){ "probes_mean" }, 1, (struct window){ 0 }, TABLE_TEXT);
    cr_expect(strstr(text, "B and A have none of these numbers in common.") != NULL, "%s", text);
    cr_expect(strstr(text, "C and A have no seed in common.") != NULL, "%s", text);
    free(text);
}

Test(sentences, seeds_that_change_nothing_are_no_evidence)
{
    for (uint64_t i = 0; i < 4; i++) {
        ADD("a", i, { "jct_mean", 100, "s" });
        ADD("b", i, { "jct_mean", 90, "s" });
    }
    char *text = printed((const char *const[]){ "jct_mean" }, 1, (struct window){ 0, 0 }, TABLE_TEXT);
    expect(text, "b finishes jobs 10.0 % sooner than a.");
    expect(text, "The seeds change nothing here");
    free(text);
}

/* Tails of eight seeds or more carry an interval corrected for skewness, in brackets. */
Test(sentences, tails_have_a_skewed_interval)
{
    for (uint64_t i = 0; i < 9; i++) {
        ADD("a", i, { "jct_p99", 100, "s" });
        ADD("b", i, { "jct_p99", 80 + (double)(i * i) / 8, "s" });
    }
    struct compare c;
    cr_assert_eq(compare_load(&c, s, &d), ST_OK);
    struct stats_ci r = compare_ratio(&c, &c.at[0].policy[1], &c.at[0].policy[0], "jct_p99", "all");
    compare_fini(&c);
    cr_assert(r.lo > 0.8 && r.hi < 0.88 && r.hi - r.mean != r.mean - r.lo, "[%g, %g]", r.lo, r.hi);
    char want[128], *text = printed((const char *const[]){ "jct_p99" }, 1, (struct window){ 0, 0 }, TABLE_TEXT);
    (void)snprintf(want, sizeof want, "b finishes jobs %.1f %% [%.1f, %.1f] sooner (p99) than a.", 100 * (1 - r.mean), 100 * (1 - r.hi), 100 * (1 - r.lo));
    expect(text, want);
    free(text);
}

/* Makespans 110 and 130 over bounds of 100: 1.10 and 1.30, mean 1.20; completion 50 over 40. */
Test(sentences, every_policy_stands_beside_the_bounds)
{
    ADD("a", 1, { "makespan", 110, "s" }, { "makespan_bound", 100, "s" }, { "jct_mean", 50, "s" }, { "jct_mean_bound", 40, "s" });
    ADD("a", 2, { "makespan", 130, "s" }, { "makespan_bound", 100, "s" }, { "jct_mean", 50, "s" }, { "jct_mean_bound", 40, "s" });
    char *text = printed((const char *const[]){ "jct_mean" }, 1, (struct window){ 0, 0 }, TABLE_TEXT);
    expect(text, "1.20 \u00b11.27");
    expect(text, "1.25\n");
    free(text);
    text = printed((const char *const[]){ "makespan" }, 1, (struct window){ 0, 0 }, TABLE_CSV);
    expect(text, ",t,1.2\n");
    free(text);
}

Test(sentences, latex_and_markdown_escape_the_names)
{
    ADD("a_1 & 50%", 1, { "jct_mean", 100, "s" });
    ADD("b|c", 1, { "jct_mean", 90, "s" });
    char *text = printed((const char *const[]){ "jct_mean" }, 1, (struct window){ 0, 0 }, TABLE_LATEX);
    expect(text, "  a\\_1 \\& 50\\% & 1 &");
    expect(text, "b\\textbar{}c finishes jobs 10.0 \\% sooner than a\\_1 \\& 50\\%");
    free(text);
    text = printed((const char *const[]){ "jct_mean" }, 1, (struct window){ 0, 0 }, TABLE_MARKDOWN);
    expect(text, "| b\\|c ");
    free(text);
}

/*
 * Tasks of calls: less time, fewer calls and bytes elsewhere and more useful
 * work are better; that engines execute less is neither.  Half of 3 % +- 1 %
 * as above: 4.30265 x .01 / sqrt 3 = 2.5 %.
 */
Test(sentences, s2_20_words_for_tasks_of_calls_know_which_way_is_better)
{
    static const double by[] = { 0.96, 0.95, 0.97 };
    static const char *const metric[] = { "task_time_mean", "calls_cross", "calls_cross_bytes", "best_share", "engine_best", "engine_taken", "queue_nodes_mean" };
    for (uint64_t i = 0; i < 3; i++) {
        ADD("balance", i, { "task_time_mean", 100, "s" }, { "calls_cross", 100, NULL }, { "calls_cross_bytes", 1e9, "B" }, { "best_share", 0.5, NULL },
            { "engine_best", 0.5, NULL }, { "engine_taken", 0.5, NULL }, { "queue_nodes_mean", 2, NULL });
        ADD("affinity", i, { "task_time_mean", 100 * by[i], "s" }, { "calls_cross", 100 * by[i], NULL }, { "calls_cross_bytes", 1e9 * by[i], "B" },
            { "best_share", 0.5 * (2 - by[i]), NULL }, { "engine_best", 0.5 * by[i], NULL }, { "engine_taken", 0.5 * by[i], NULL }, { "queue_nodes_mean", 2 * (2 - by[i]), NULL });
    }
    char *text = printed(metric, ARRAY_LEN(metric), (struct window){ 0, 0 }, TABLE_TEXT);
    expect(text, "affinity ends tasks 4.0 % \u00b1 2.5 % sooner than balance, sends 4.0 % \u00b1 2.5 % fewer calls to other nodes,"
                 " carries 4.0 % \u00b1 2.5 % less to other nodes and back, makes 4.0 % \u00b1 2.5 % more useful what calls take of engines,"
                 " takes engines for 4.0 % \u00b1 2.5 % less time, but gets 4.0 % \u00b1 2.5 % less useful work out of the engines,"
                 " keeps 4.0 % \u00b1 2.5 % more tasks waiting in nodes' queues.");
    free(text);
}

/* What is shown when nothing is asked for. */
Test(sentences, cases_of_calls_show_what_is_told_of_calls)
{
    ADD("a", 1, { "calls_done", 9, NULL }, { "task_time_mean", 100, "s" }, { "best_share", 0.5, NULL }, { "jct_mean", 100, "s" }, { "gpu_util", 0, NULL });
    char *text = printed(NULL, 0, (struct window){ 0, 0 }, TABLE_TEXT);
    expect(text, "task_time_mean");
    expect(text, "best_share, %");
    cr_assert(strstr(text, "gpu_util") == NULL, "%s", text);
    free(text);
}

/* tests/unit/metrics/test_names.c checks every metric's words. */
Test(sentences, a_family_is_known_by_its_tails_alone)
{
    cr_assert_not_null(metric_info_of("bounded_slowdown_p99"));
    cr_assert_null(metric_info_of("jct"));
    cr_assert_null(metric_info_of("some_note"));
    cr_assert(metric_info_is_tail("jct_p99") && !metric_info_is_tail("jct_mean") && !metric_info_is_tail("jain"));
}

/* ---- windows ---- */

/*
 * Jobs submitted at 0, 10, 20 ... 90 s, each 10 + 2 i s long, at once started;
 * the last is unfinished, the first not counted; utilisation i / 10 at 10 i s.
 */
static void add_ten(void)
{
    int64_t run = begin("a", 1);
    for (int i = 0; i < 10; i++) {
        int64_t at = i * 10 * TICK_SEC;
        struct store_job j = { .ordinal = (uint64_t)i, .id = "j", .user = i % 2 ? "bob" : "ann", .class = "cpu", .status = i < 9 ? "done" : "unfinished",
                               .submit_us = at, .start_us = at, .end_us = i < 9 ? at + (10 + 2 * i) * TICK_SEC : -1, .nominal_us = 5 * TICK_SEC,
                               .limit_us = -1, .n_tasks = 1, .ideal_whole_us = -1, .ideal_share_us = -1, .rho = 0.2 * i, .counted = i > 0,
                               .ran_us = 8 * TICK_SEC, .stage_wait_us = i * TICK_SEC };
        cr_assert_eq(store_job(s, run, &j, &d), ST_OK, "%s", d.msg);
        cr_assert_eq(store_series(s, run, &(struct store_series){ .name = "gpu_util", .at_us = at, .value = i / 10.0 }, &d), ST_OK);
    }
    finish(run);
}

static double in_window(const char *metric, const char *scope, double from_s, double to_s)
{
    struct compare c;
    cr_assert_eq(compare_load(&c, s, &d), ST_OK, "%s", d.msg);
    c.window = (struct window){ (sim_tick)(from_s * 1e6), to_s < 0 ? TICK_NEVER : (sim_tick)(to_s * 1e6) };
    double x = compare_value(&c, c.at[0].policy[0].run[0], metric, scope);
    compare_fini(&c);
    return x;
}

/* Submitted in [20, 50): jobs 2, 3, 4 of 14, 16 and 18 s; slowdowns 2.8 3.2 3.6; rho .4 .6 .8. */
Test(sentences, a_window_holds_the_jobs_submitted_in_it)
{
    add_ten();
    cr_assert_float_eq(in_window("jct_mean", "all", 20, 50), 16, 1e-12);
    cr_assert_float_eq(in_window("jct_p50", "all", 20, 50), 16, 1e-12);
    cr_assert_float_eq(in_window("jct_max", "all", 20, 50), 18, 1e-12);
    cr_assert_float_eq(in_window("slowdown_mean", "all", 20, 50), 3.2, 1e-12);
    cr_assert_float_eq(in_window("rho_mean", "all", 20, 50), 0.6, 1e-12);
    cr_assert_float_eq(in_window("stage_wait_mean", "all", 20, 50), 3, 1e-12);
    cr_assert_float_eq(in_window("not_running_max", "all", 20, 50), 18 - 8, 1e-12);
    cr_assert_float_eq(in_window("jct_mean", "user=bob", 20, 50), 16, 1e-12);
    cr_assert_float_eq(in_window("jct_mean", "user=ann", 20, 50), 16, 1e-12);
    cr_assert_float_eq(in_window("jct_mean", "class=cpu", 0, 20), 12, 1e-12);         /* the first does not count */
    cr_assert_float_eq(in_window("gpu_util", "all", 20, 50), 0.3, 1e-12);
    cr_assert_float_eq(in_window("rho_above_1", "all", 50, -1), 3.0 / 4, 1e-12);      /* rho 1.0 1.2 1.4 1.6 */
    cr_assert_float_eq(in_window("jobs_counted", "all", 0, 20), 1, 1e-12);
    cr_assert_float_eq(in_window("jobs_arrived", "all", 0, 20), 2, 1e-12);
    cr_assert_float_eq(in_window("jobs_unfinished", "all", 50, -1), 1, 1e-12);
    cr_assert(isnan(in_window("jct_mean", "user=eve", 20, 50)));
    cr_assert(isnan(in_window("jct_mean", "all", 21, 29)));
}

Test(sentences, a_metric_of_whole_runs_is_refused_in_a_window)
{
    static const char *const whole[] = { "makespan", "jain", "preemptions", "little_l", "jct_mean_bound", "goodput" };
    for (size_t i = 0; i < ARRAY_LEN(whole); i++) {
        struct diag e = { 0 };
        cr_assert_eq(window_check(whole[i], &e), ST_EINPUT);
        cr_assert(strstr(e.msg, whole[i]) != NULL && e.hint[0] != '\0');
        cr_assert_leq(strlen(e.hint), sizeof e.hint - 2, "the hint is whole");
    }
    cr_assert_eq(window_check("bounded_slowdown_p99", &d), ST_OK);
}

Test(sentences, an_empty_window_is_an_error)
{
    struct compare c;
    struct diag e = { 0 };
    add_ten();
    cr_assert_eq(compare_load(&c, s, &d), ST_OK);
    c.window = (struct window){ 200 * TICK_SEC, TICK_NEVER };
    cr_assert_eq(compare_print(&c, &(struct compare_opts){ .n_metrics = 0 }, stdout, &e), ST_EINPUT);
    cr_assert(strstr(e.msg, "no job that counts") != NULL, "%s", e.msg);
    compare_fini(&c);
}

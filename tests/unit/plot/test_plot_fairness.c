/* The figures of data-intensive jobs: what their scripts hold, what they refuse. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "plot/plot.h"

static char db[64], out[64];
static struct store *s;
static struct diag d;

static void set_up(void)
{
    (void)snprintf(db, sizeof db, "/tmp/fairway-test-plot-%ld.db", (long)getpid());
    (void)snprintf(out, sizeof out, "/tmp/fairway-test-plot-%ld.gp", (long)getpid());
    (void)unlink(db);
    cr_assert_eq(store_open(&s, db, &d), ST_OK, "%s", d.msg);
}

static void tear_down(void)
{
    store_close(s);
    (void)unlink(db);
    (void)unlink(out);
}

TestSuite(plot_data, .init = set_up, .fini = tear_down);

static void metric(int64_t run, const char *name, double value, const char *unit)
{
    (void)store_metric(s, run, &(struct store_metric){ .name = name, .scope = "all", .value = value, .unit = unit }, &d);
}

/* One run of two jobs, of spans 10 and 20 s times `slow`; ideals 8 and 15, 9 and none. */
static void add(const char *policy, uint64_t seed, int64_t slow, bool with_ideals, double bytes)
{
    static int n;
    char key[32];
    int64_t run;
    (void)snprintf(key, sizeof key, "%d", n++);
    struct store_run r = { .key = key, .scenario = "s", .title = "t", .scenario_text = "x", .trace_path = "p", .trace_hash = "h",
                           .policy = policy, .policy_spec = policy, .policy_source = "none", .seed = seed };
    const int64_t span[] = { 10, 20 }, whole[] = { 8, 15 }, share[] = { 9, -1 };
    cr_assert_eq(store_run_begin(s, &r, &run, &d), ST_OK, "%s", d.msg);
    for (uint64_t i = 0; i < 2; i++) {
        struct store_job j = { .ordinal = i, .id = i == 0 ? "J1" : "J2", .user = "u", .class = "multi", .status = "done", .counted = true,
                               .start_us = 5000000, .end_us = 5000000 + span[i] * slow * 1000000,
                               .ideal_whole_us = with_ideals ? whole[i] * 1000000 : -1,
                               .ideal_share_us = with_ideals && share[i] > 0 ? share[i] * 1000000 : -1 };
        (void)store_job(s, run, &j, &d);
    }
    static const char *const name[] = { "bytes_local", "bytes_rack", "bytes_cross" };
    for (int i = 0; i < 3 && bytes > 0; i++) metric(run, name[i], bytes * (i + 1), "B");
    if (bytes > 0) metric(run, "bytes_vain", 0, "B");
    if (bytes > 0) metric(run, "bytes_network", bytes * 5, "B");
    metric(run, "dt", 20.0 * (double)slow, "s");
    if (with_ideals) metric(run, "s_share_sigma", 0.1, "1");
    if (with_ideals) metric(run, "s_whole_sigma", 0.2, "1");
    cr_assert_eq(store_run_end(s, run, STORE_DONE, 0, NULL, 0, &d), ST_OK, "%s", d.msg);
}

static enum st draw(const char *figure, struct diag *e)
{
    const struct plot_figure *f = plot_find(figure, e);
    cr_assert_not_null(f);
    return plot_make(s, f, &(struct plot_opts){ .out = out, .run = -1, .from = -1, .to = -1 }, e);
}

static void script_has(const char *words)
{
    static char text[1 << 16];
    FILE *f = fopen(out, "r");
    cr_assert_not_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    (void)fclose(f);
    cr_assert(strstr(text, words) != NULL, "'%s' is not in\n%s", words, text);
}

/* Over seeds 1 and 2 gs takes 10 and 30, 20 and 60: means 20 and 40. */
Test(plot_data, jobs_ideal_draws_means_over_seeds_in_order_of_arrival)
{
    add("gs", 1, 1, true, 1);
    add("gs", 2, 3, true, 1);
    add("gsp", 1, 1, true, 1);
    cr_assert_eq(draw("jobs-ideal", &d), ST_OK, "%s", d.msg);
    script_has("$jobs << EOD\nJ1\t20\t8\t9\nJ2\t40\t15\tnan\n\n\nJ1\t10\t8\t9\nJ2\t20\t15\tnan\n");
    script_has("COLUMNS = 2\nROWS = 1\nJOBS = 2\nN = 2\n");
    script_has("Single-job time (seconds)");
}

Test(plot_data, data_bars_draws_means_and_intervals)
{
    add("gs", 1, 1, true, 1e9);
    add("gs", 2, 3, true, 1e9);
    add("gsp", 1, 2, true, 2e9);
    cr_assert_eq(draw("data-bars", &d), ST_OK, "%s", d.msg);
    /* dt of 20 and 60: 40 +- 12.7062 x 28.2843 / sqrt 2 */
    script_has("gs\t40\t254.124095\t0.1\t0\t0.2\t0\t1e+09\t0\t2e+09\t0\t3e+09\t0\t0\t0\n");
    script_has("gsp\t40\t0\t0.1\t0\t0.2\t0\t2e+09\t0\t4e+09\t0\t6e+09\t0\t0\t0\n");
    script_has("Bytes read (GB)");
    script_has("HAS_VAIN = 0");
}

/* bytes_network of 5 and 15 GB: 10 +- 12.7062 x 7.07107 / sqrt 2. */
Test(plot_data, fairness_traffic_draws_a_point_a_policy)
{
    add("gs", 1, 1, true, 1e9);
    add("gs", 2, 3, true, 3e9);
    add("gsp", 1, 2, true, 2e9);
    cr_assert_eq(draw("fairness-traffic", &d), ST_OK, "%s", d.msg);
    script_has("1e+10\t-5.35310237e+10\t7.35310237e+10\t0.1\t0.1\t0.1\n");
    script_has("1e+10\t1e+10\t1e+10\t0.1\t0.1\t0.1\n");
    script_has("Read over the network (GB)");
    script_has("LABEL[2] = 'gsp'");
}

Test(plot_data, without_ideal_times_it_says_how_to_get_them)
{
    struct diag e = { 0 }, f = { 0 };
    add("gs", 1, 1, false, 1e9);
    cr_assert_eq(draw("jobs-ideal", &e), ST_EINPUT);
    cr_assert(strstr(e.hint, "output: {ideal: 6}") != NULL, "%s", e.hint);
    cr_assert_eq(draw("data-bars", &f), ST_EINPUT);
    cr_assert_neq(access(out, F_OK), 0);
}

Test(plot_data, a_run_that_read_nothing_has_no_bytes_to_draw)
{
    struct diag e = { 0 };
    add("gs", 1, 1, true, 0);
    cr_assert_eq(draw("data-bars", &e), ST_EINPUT);
    cr_assert(strstr(e.msg, "no bytes to draw") != NULL, "%s", e.msg);
}

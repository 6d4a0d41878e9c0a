/* Merging by key: what comes in, what replaces what, and that it is all or nothing. */
#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "db/merge.h"
#include "ref/limit.h"
#include "ref/temp.h"

static char dir[TEMP_PATH];
static struct diag d;
static struct merge_tally t;

static void setup(void)
{
    temp_dir(dir);
    memset(&d, 0, sizeof d);
    memset(&t, 0, sizeof t);
}

static void teardown(void) { temp_drop(dir); }

TestSuite(merge, .init = setup, .fini = teardown);

static char *at(const char *name)
{
    static char p[4][96];
    static int next;
    char *to = p[next++ % 4];
    (void)snprintf(to, sizeof p[0], "%s/%s", dir, name);
    return to;
}

/* A run of n jobs, metric m. */
static void add(struct store *s, const char *key, enum store_status status, int n, double m)
{
    int64_t run;
    struct store_run r = { .key = key, .scenario = "s", .title = "t", .variant = "a=1", .scenario_text = "x", .trace_path = "p", .trace_hash = "h",
                           .policy = "fifo", .policy_spec = "fifo", .policy_source = "none", .seed = 1 };
    cr_assert_eq(store_run_begin(s, &r, &run, &d), ST_OK, "%s", d.msg);
    for (int i = 0; i < n; i++) {
        struct store_job j = { .ordinal = (uint64_t)i, .id = "j", .user = "u", .class = "single", .status = "done", .n_tasks = 1,
                               .end_us = 2, .nominal_us = 1, .limit_us = -1, .rho = 1, .ideal_whole_us = -1, .ideal_share_us = 7 };
        (void)store_job(s, run, &j, &d);
    }
    (void)store_metric(s, run, &(struct store_metric){ .name = "m", .scope = "all", .value = m, .unit = "s" }, &d);
    cr_assert_eq(store_run_end(s, run, status, 1, status == STORE_DONE ? NULL : "why", 0.5, &d), ST_OK, "%s", d.msg);
}

static struct store *made(const char *name)
{
    struct store *s;
    cr_assert_eq(store_open(&s, at(name), &d), ST_OK, "%s", d.msg);
    return s;
}

static int64_t ask(struct store *s, const char *sql)
{
    sqlite3_stmt *q = NULL;
    cr_assert_eq(sqlite3_prepare_v2(store_db(s), sql, -1, &q, NULL), SQLITE_OK, "%s", sqlite3_errmsg(store_db(s)));
    cr_assert_eq(sqlite3_step(q), SQLITE_ROW);
    int64_t x = sqlite3_column_int64(q, 0);
    (void)sqlite3_finalize(q);
    return x;
}

/* Output: k1 done (m = 1), k2 failed.  Parts: k1 done (m = 2), k2 done, k3 failed | k3 done, k2 failed, k4 interrupted. */
Test(merge, done_runs_win_and_stay)
{
    struct store *out = made("out"), *part[2] = { made("a"), made("b") };
    add(out, "k1", STORE_DONE, 3, 1);
    add(out, "k2", STORE_FAILED, 1, 1);
    add(part[0], "k1", STORE_DONE, 4, 2);
    add(part[0], "k2", STORE_DONE, 5, 2);
    add(part[0], "k3", STORE_FAILED, 6, 2);
    add(part[1], "k3", STORE_DONE, 7, 3);
    add(part[1], "k2", STORE_FAILED, 8, 3);
    add(part[1], "k4", STORE_INTERRUPTED, 9, 3);
    cr_assert_eq(merge_parts(out, part, 2, NULL, &t, &d), ST_OK, "%s", d.msg);
    cr_expect(t.added == 2 && t.replaced == 2 && t.present == 2 && t.unfinished == 2,
              "%lu %lu %lu %lu", t.added, t.replaced, t.present, t.unfinished);
    cr_expect_eq(ask(out, "SELECT count(*) FROM run"), 4);
    cr_expect_eq(ask(out, "SELECT sum(status = 'done') FROM run"), 3);
    cr_expect_eq(ask(out, "SELECT count(*) FROM job"), 3 + 5 + 7 + 9);
    cr_expect_eq(ask(out, "SELECT value FROM metric JOIN run ON run = id WHERE key = 'k1'"), 1);
    cr_expect_eq(ask(out, "SELECT value FROM metric JOIN run ON run = id WHERE key = 'k3'"), 3);
    cr_expect_eq(ask(out, "SELECT count(*) FROM job WHERE ideal_share_us = 7 AND ideal_whole_us IS NULL"), 24);
    cr_expect_eq(ask(out, "SELECT count(*) FROM run WHERE variant = 'a=1'"), 4);
    memset(&t, 0, sizeof t);
    cr_assert_eq(merge_parts(out, part, 2, NULL, &t, &d), ST_OK);
    cr_expect(t.added == 0 && t.replaced == 0 && t.present == 6);
    for (int i = 0; i < 2; i++) store_close(part[i]);
    store_close(out);
}

/* Of "k1" the second of the table, and so on. */
static int64_t id_of(void *ctx, const char *key) { return ((const int64_t *)ctx)[key[1] - '0']; }

Test(merge, shards_of_one_run_get_the_ids_asked_for)
{
    struct store *out = made("out"), *part[2] = { made("a"), made("b") };
    const struct merge_ids ids = { id_of, (int64_t[]){ 0, 12, 11 } };
    add(part[0], "k1", STORE_DONE, 1, 1);
    add(part[1], "k2", STORE_FAILED, 2, 2);
    cr_assert_eq(merge_parts(out, part, 2, &ids, &t, &d), ST_OK, "%s", d.msg);
    cr_expect_eq(ask(out, "SELECT id FROM run WHERE key = 'k1'"), 12);
    cr_expect_eq(ask(out, "SELECT count(*) FROM job WHERE run = 11"), 2);
    cr_assert_eq(merge_parts(out, part, 2, &ids, &t, &d), ST_OK);
    cr_expect(t.present == 1 && t.replaced == 1, "a newer failure replaces an older one");
    for (int i = 0; i < 2; i++) store_close(part[i]);
    store_close(out);
}

/* The second part's run cannot be taken in (its id is another run's), so the first one's is not there either. */
Test(merge, an_error_undoes_all_of_it)
{
    struct store *out = made("out"), *part[2] = { made("a"), made("b") };
    const struct merge_ids ids = { id_of, (int64_t[]){ 0, 5, 1 } };
    add(out, "k0", STORE_DONE, 1, 1);
    add(part[0], "k1", STORE_DONE, 1, 1);
    add(part[1], "k2", STORE_DONE, 1, 1);
    cr_expect_eq(merge_parts(out, part, 2, &ids, &t, &d), ST_EWORLD);
    cr_expect(d.msg[0] != '\0' && t.added == 0);
    cr_expect_eq(ask(out, "SELECT count(*) FROM run"), 1);
    cr_expect_eq(ask(out, "SELECT count(*) FROM job"), 1);
    for (int i = 0; i < 2; i++) store_close(part[i]);
    store_close(out);
}

/* kill -9 at forty moments of a merge of 20 runs of 3,000 jobs: all of them are there, or none. */
Test(merge, killed_at_any_moment_it_is_all_or_nothing, .timeout = LIMIT(120))
{
    struct store *part = made("a"), *out;
    int n_none = 0;
    for (int i = 0; i < 20; i++) {
        char key[8];
        (void)snprintf(key, sizeof key, "k%d", i);
        add(part, key, STORE_DONE, 3000, i);
    }
    store_close(part);
    for (int i = 0; i < 40; i++) {
        const char *path = at("out");
        (void)unlink(path);
        store_close(made("out"));
        pid_t pid = fork();
        if (pid == 0) {
            if (store_open(&out, path, &d) != ST_OK || store_open_read(&part, at("a"), &d) != ST_OK) _exit(1);
            _exit(merge_parts(out, &part, 1, NULL, &t, &d) == ST_OK ? 0 : 1);
        }
        (void)nanosleep(&(struct timespec){ .tv_nsec = (i + 1) * 2500000L }, NULL);
        (void)kill(pid, SIGKILL);
        (void)waitpid(pid, NULL, 0);
        cr_assert_eq(store_open(&out, path, &d), ST_OK, "%s", d.msg);
        int64_t n = ask(out, "SELECT count(*) FROM run"), jobs = ask(out, "SELECT count(*) FROM job");
        cr_assert((n == 0 && jobs == 0) || (n == 20 && jobs == 60000), "%ld runs, %ld jobs", (long)n, (long)jobs);
        n_none += n == 0;
        store_close(out);
    }
    cr_expect_gt(n_none, 0, "no merge was killed before its end: the test shows nothing");
}

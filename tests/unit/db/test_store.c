/* The results file: what it refuses, and that nothing leaves it half written. */
#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "db/store.h"
#include "ref/limit.h"

enum { JOBS = 500 };

static char path[64];

static void set_up(void)
{
    (void)snprintf(path, sizeof path, "/tmp/fairway-test-store-%ld.db", (long)getpid());
    (void)unlink(path);
}

static void tear_down(void)
{
    char journal[80];
    (void)snprintf(journal, sizeof journal, "%s-journal", path);
    (void)unlink(path);
    (void)unlink(journal);
}

TestSuite(store, .init = set_up, .fini = tear_down);

static struct store_run run_of(const char *key)
{
    return (struct store_run){ .key = key, .scenario = "s", .title = "t", .scenario_text = "x", .trace_path = "p",
                               .trace_hash = "h", .policy = "fifo", .policy_spec = "fifo", .policy_source = "none", .seed = 1 };
}

/* A whole run; the first error ends it. */
static enum st write_run(struct store *s, const char *key, struct diag *d)
{
    int64_t run;
    struct store_run r = run_of(key);
    TRY(store_run_begin(s, &r, &run, d));
    for (uint64_t i = 0; i < JOBS; i++) {
        struct store_job j = { .ordinal = i, .id = "j", .user = "u", .class = "single", .status = "done", .n_tasks = 1,
                               .start_us = 1, .end_us = 2, .nominal_us = 1, .limit_us = -1, .rho = 1, .counted = true };
        struct store_attempt a = { .ordinal = i, .attempt = 1, .cards = UINT64_C(1) << 63, .start_us = 1, .end_us = 2, .outcome = "done" };
        (void)store_attempt(s, run, &a, d);
        (void)store_job(s, run, &j, d);
    }
    (void)store_metric(s, run, &(struct store_metric){ .name = "jct_mean", .scope = "all", .value = 1, .unit = "s" }, d);
    return store_run_end(s, run, STORE_DONE, 42, NULL, 0.1, d);
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

/* Every finished run has all its rows, and the file is sound.  Returns how many runs are finished. */
static int64_t check_whole(void)
{
    struct store *s;
    struct diag d = { 0 };
    cr_assert_eq(store_open_read(&s, path, &d), ST_OK, "%s", d.msg);
    cr_assert_eq(ask(s, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'"), 1);
    int64_t done = ask(s, "SELECT count(*) FROM run WHERE status = 'done'");
    cr_assert_eq(ask(s, "SELECT count(*) FROM job JOIN run ON run = run.id WHERE run.status = 'done'"), done * JOBS);
    cr_assert_eq(ask(s, "SELECT count(*) FROM attempt JOIN run ON run = run.id WHERE run.status = 'done'"), done * JOBS);
    cr_assert_eq(ask(s, "SELECT count(*) FROM metric JOIN run ON run = run.id WHERE run.status = 'done'"), done);
    store_close(s);
    return done;
}

Test(store, a_finished_run_is_there_when_opened_again)
{
    struct store *s;
    struct diag d = { 0 };
    bool yes;
    cr_assert_eq(store_open(&s, path, &d), ST_OK, "%s", d.msg);
    cr_assert_eq(write_run(s, "k1", &d), ST_OK, "%s", d.msg);
    store_close(s);
    cr_assert_eq(store_open(&s, path, &d), ST_OK, "%s", d.msg);
    cr_assert_eq(store_has_run(s, "k1", &yes, &d), ST_OK);
    cr_assert(yes);
    cr_assert_eq(store_has_run(s, "k2", &yes, &d), ST_OK);
    cr_assert_not(yes);
    store_close(s);
    cr_assert_eq(check_whole(), 1);
}

/* The CHECKs of the tables are not asked when rows of a run are written; its rows are looked at before. */
Test(store, a_number_out_of_its_range_ends_the_run_by_its_name)
{
    struct store *s;
    struct diag d = { 0 };
    int64_t run;
    cr_assert_eq(store_open(&s, path, &d), ST_OK, "%s", d.msg);
    const struct store_run r = run_of("k");
    cr_assert_eq(store_run_begin(s, &r, &run, &d), ST_OK, "%s", d.msg);
    for (uint64_t i = 0; i < 3; i++)
        cr_assert_eq(store_elastic(s, run, &(struct store_elastic){ .ordinal = i, .max_tasks = i == 2 ? 4194304 : 1 }, &d), ST_OK);
    cr_assert_eq(store_run_end(s, run, STORE_DONE, 0, NULL, 0, &d), ST_EWORLD);
    cr_assert_not_null(strstr(d.msg, "a row of table 'elastic' cannot be: max_tasks is 4194304, expected 0 to 4194303"), "%s", d.msg);
    cr_assert_eq(ask(s, "SELECT count(*) FROM run WHERE status = 'failed'"), 1);
    store_close(s);
}

/* More than stand in memory at once; the caller's texts are gone when they are written. */
Test(store, rows_are_written_as_they_were_given)
{
    struct diag d = { 0 };
    struct store *s;
    int64_t run;
    const struct store_run r = run_of("k");
    cr_assert_eq(store_open(&s, path, &d), ST_OK);
    cr_assert_eq(store_run_begin(s, &r, &run, &d), ST_OK);
    for (uint64_t i = 0; i < 1000; i++) {
        char id[16];
        (void)snprintf(id, sizeof id, "job %u", (unsigned)i);
        struct store_job j = { .ordinal = i, .id = id, .user = "", .class = "c", .status = "done", .end_us = (int64_t)i,
                               .queue = i % 2 == 0 ? id : NULL, .rho = i % 5 == 0 ? NAN : (double)i / 4,
                               .recorded_start_us = i % 3 == 0 ? -1 : (int64_t)i };
        cr_assert_eq(store_job(s, run, &j, &d), ST_OK);
        (void)memset(id, '#', sizeof id);
    }
    cr_assert_eq(store_run_end(s, run, STORE_DONE, 1, NULL, 0.1, &d), ST_OK);
    cr_assert_eq(ask(s, "SELECT count(*) FROM job WHERE run = 1 AND id = 'job ' || ordinal AND user = '' AND end_us = ordinal"
                        " AND queue IS iif(ordinal % 2 = 0, id, NULL) AND rho IS iif(ordinal % 5 = 0, NULL, ordinal / 4.0)"
                        " AND recorded_start_us IS iif(ordinal % 3 = 0, NULL, ordinal)"), 1000);
    store_close(s);
}

enum { MANY = 150000 };         /* jobs, and a third as many attempts: several batches */

static int64_t write_many(struct store *s, enum st *st, struct diag *d)
{
    const struct store_run r = run_of("k");
    int64_t run;
    cr_assert_eq(store_run_begin(s, &r, &run, d), ST_OK, "%s", d->msg);
    for (uint64_t i = 0; i < MANY; i++) {
        char id[16];
        (void)snprintf(id, sizeof id, "job %u", (unsigned)i);
        struct store_job j = { .ordinal = i, .id = id, .user = "u", .class = "c", .status = "done", .queue = i % 2 == 0 ? id : NULL };
        struct store_attempt a = { .ordinal = i, .attempt = 1, .end_us = 2, .outcome = "done" };
        (void)store_job(s, run, &j, d);
        if (i % 3 == 0) (void)store_attempt(s, run, &a, d);
        if (i == MANY / 2 && d->code == ST_OK) cr_expect_geq(ask(s, "SELECT count(*) FROM job"), MANY / 2 - 256);
        (void)memset(id, '#', sizeof id);
    }
    *st = store_run_end(s, run, STORE_DONE, 42, NULL, 0.1, d);
    return run;
}

/* A part is written by one thread; the other by two, if they can be had. */
Test(store, a_thread_writes_what_is_written_without_one)
{
    char part[sizeof path + 8], sql[160];
    struct diag d = { 0 };
    struct store *s, *p;
    enum st st, st2;
    (void)snprintf(part, sizeof part, "%s.part", path);
    cr_assert_eq(store_open(&s, path, &d), ST_OK);
    cr_assert_eq(store_open_part(&p, part, &d), ST_OK);
    (void)write_many(s, &st, &d);
    (void)write_many(p, &st2, &d);
    cr_assert(st == ST_OK && st2 == ST_OK, "%s", d.msg);
    store_close(p);             /* else it is locked */
    (void)snprintf(sql, sizeof sql, "ATTACH '%s' AS part", part);
    cr_assert_eq(sqlite3_exec(store_db(s), sql, NULL, NULL, NULL), SQLITE_OK);
    static const char *const table[] = { "run", "job", "attempt", "wall" };
    for (size_t i = 0; i < 4; i++) {
        (void)snprintf(sql, sizeof sql, "SELECT count(*) FROM (SELECT * FROM main.%s EXCEPT SELECT * FROM part.%s)", table[i], table[i]);
        cr_expect_eq(ask(s, sql), 0, "%s", table[i]);
        (void)snprintf(sql, sizeof sql, "SELECT (SELECT count(*) FROM main.%s) - (SELECT count(*) FROM part.%s)", table[i], table[i]);
        cr_expect_eq(ask(s, sql), 0, "%s", table[i]);
    }
    cr_expect_eq(ask(s, "SELECT count(*) FROM job"), MANY);
    store_close(s);
    (void)unlink(part);
}

static void write_jobs(struct store *s, const char *key, uint64_t n, bool ends)
{
    struct diag d = { 0 };
    const struct store_run r = run_of(key);
    int64_t run;
    cr_assert_eq(store_run_begin(s, &r, &run, &d), ST_OK, "%s", d.msg);
    for (uint64_t i = 0; i < n; i++) {
        const struct store_job j = { .ordinal = i, .id = "a job", .user = "u", .class = "c", .status = "done" };
        cr_assert_eq(store_job(s, run, &j, &d), ST_OK, "%s", d.msg);
    }
    if (ends) cr_assert_eq(store_run_end(s, run, STORE_DONE, 42, NULL, 0.1, &d), ST_OK, "%s", d.msg);
}

/* A policy's process has the part that holds runs of others, too; of what it wrote some pages may be in the file. */
Test(store, who_dies_over_a_part_takes_no_run_of_others)
{
    char part[sizeof path + 8], journal[sizeof part + 8];
    struct diag d = { 0 };
    struct store *p;
    int status;
    (void)snprintf(part, sizeof part, "%s.part", path);
    (void)snprintf(journal, sizeof journal, "%s-journal", part);
    cr_assert_eq(store_open_part(&p, part, &d), ST_OK, "%s", d.msg);
    write_jobs(p, "k", 1000, true);
    store_leave(p);
    const pid_t pid = fork();
    if (pid == 0) {
        if (store_return(p, &d) != ST_OK || sqlite3_exec(store_db(p), "PRAGMA cache_size = 4", NULL, NULL, NULL) != SQLITE_OK) _exit(1);
        write_jobs(p, "of the one that dies", 5000, false);
        (void)raise(SIGKILL);
    }
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert(WIFSIGNALED(status));
    cr_assert_eq(store_return(p, &d), ST_OK, "%s", d.msg);
    cr_expect_eq(ask(p, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
    cr_expect_eq(ask(p, "SELECT count(*) FROM job"), 1000);
    write_jobs(p, "another", 1000, true);
    cr_expect_eq(ask(p, "SELECT count(*) FROM job"), 2000);
    store_close(p);
    (void)unlink(part);
    (void)unlink(journal);
}

Test(store, a_thread_that_fails_ends_the_run)
{
    struct diag d = { 0 };
    struct store *s;
    enum st st;
    cr_assert_eq(store_open(&s, path, &d), ST_OK);
    cr_assert_eq(sqlite3_exec(store_db(s), "PRAGMA max_page_count = 400", NULL, NULL, NULL), SQLITE_OK);
    int64_t run = write_many(s, &st, &d);
    cr_expect_eq(st, ST_EWORLD);
    cr_expect(strstr(d.msg, "cannot write") != NULL, "%s", d.msg);
    cr_expect_eq(ask(s, "SELECT count(*) FROM run WHERE status = 'failed' AND message LIKE 'cannot write%'"), 1);
    cr_expect_eq(ask(s, "SELECT max(id) FROM run"), run);
    cr_assert_eq(sqlite3_exec(store_db(s), "PRAGMA max_page_count = 400000", NULL, NULL, NULL), SQLITE_OK);
    d.code = ST_OK;
    (void)write_many(s, &st, &d);
    cr_expect_eq(st, ST_OK, "%s", d.msg);
    cr_expect_eq(ask(s, "SELECT count(*) FROM job"), MANY, "rows of the run that failed are left");
    store_close(s);
}

Test(store, a_run_of_the_same_key_replaces_the_old_one_and_its_rows)
{
    struct store *s;
    struct diag d = { 0 };
    cr_assert_eq(store_open(&s, path, &d), ST_OK);
    for (int i = 0; i < 3; i++) cr_assert_eq(write_run(s, "k1", &d), ST_OK, "%s", d.msg);
    cr_assert_eq(ask(s, "SELECT count(*) FROM job"), JOBS);
    cr_assert_eq(ask(s, "SELECT count(*) FROM wall"), 1);
    store_close(s);
    cr_assert_eq(check_whole(), 1);
}

Test(store, views_show_no_run_that_is_not_finished)
{
    struct store *s;
    struct diag d = { 0 };
    int64_t run;
    struct store_run r = run_of("k");
    cr_assert_eq(store_open(&s, path, &d), ST_OK);
    cr_assert_eq(store_run_begin(s, &r, &run, &d), ST_OK);
    cr_assert_eq(store_metric(s, run, &(struct store_metric){ .name = "x", .scope = "all", .value = 1, .unit = "1" }, &d), ST_OK);
    cr_assert_eq(store_run_end(s, run, STORE_INTERRUPTED, 0, "stopped", 0, &d), ST_OK);
    cr_assert_eq(ask(s, "SELECT count(*) FROM v_run"), 0);
    cr_assert_eq(ask(s, "SELECT count(*) FROM v_metric"), 0);
    cr_assert_eq(ask(s, "SELECT count(*) FROM run WHERE status = 'interrupted' AND message = 'stopped'"), 1);
    store_close(s);
}

Test(store, what_a_job_read_and_its_ideal_times_are_in_the_views)
{
    struct store *s;
    struct diag d = { 0 };
    int64_t run;
    struct store_run r = run_of("k");
    cr_assert_eq(store_open(&s, path, &d), ST_OK);
    cr_assert_eq(store_run_begin(s, &r, &run, &d), ST_OK);
    struct store_job j = { .id = "j0", .user = "u", .class = "single", .status = "done", .counted = true, .submit_us = 0, .start_us = 10,
                           .end_us = 110, .ideal_whole_us = 50, .ideal_share_us = -1, .rho = 0.5, .n_failed = 3 };
    cr_assert_eq(store_job(s, run, &j, &d), ST_OK, "%s", d.msg);
    cr_assert_eq(store_transfer(s, run, &(struct store_transfer){ .level = "local", .read_b = 7, .vain_b = 0 }, &d), ST_OK);
    cr_assert_eq(store_transfer(s, run, &(struct store_transfer){ .level = "rack", .read_b = 5, .vain_b = 2 }, &d), ST_OK);
    cr_assert_eq(store_transfer(s, run, &(struct store_transfer){ .level = "cross", .read_b = 3, .vain_b = 4 }, &d), ST_OK);
    cr_assert_eq(store_run_end(s, run, STORE_DONE, 0, NULL, 0, &d), ST_OK, "%s", d.msg);
    cr_assert_eq(ask(s, "SELECT s_whole = 0.5 AND s_share IS NULL AND ideal_share IS NULL AND rho = 0.5 FROM v_job"), 1);
    cr_assert_eq(ask(s, "SELECT n_failed FROM job"), 3);
    cr_assert_eq(ask(s, "SELECT local_b * 1000 + rack_b * 100 + cross_b * 10 + vain_b FROM v_moved"), 7536);
    cr_assert_eq(store_run_begin(s, &r, &run, &d), ST_OK);
    cr_assert_eq(ask(s, "SELECT count(*) FROM transfer"), 0);
    store_close(s);
}

Test(store, a_card_mask_with_the_highest_bit_expands_to_that_card)
{
    struct store *s;
    struct diag d = { 0 };
    cr_assert_eq(store_open(&s, path, &d), ST_OK);
    cr_assert_eq(write_run(s, "k1", &d), ST_OK);
    int64_t id = ask(s, "SELECT id FROM run"), run;
    struct store_run r = run_of("k2");
    cr_assert_eq(store_run_begin(s, &r, &run, &d), ST_OK);
    cr_assert_neq(id, run);
    struct store_job j = { .ordinal = 7, .id = "j7", .user = "u", .class = "multi", .status = "done", .gpu_milli = 2000,
                           .n_gpu = 2, .counted = true };
    struct store_attempt a = { .ordinal = 7, .attempt = 1, .cards = UINT64_C(1) << 63 | 4, .end_us = 9, .outcome = "done" };
    cr_assert_eq(store_node(s, run, &(struct store_node){ .name = "n0", .rack = "r0", .gpu_type = "V100", .n_gpu = 64 }, &d), ST_OK);
    cr_assert_eq(store_attempt(s, run, &a, &d), ST_OK);
    cr_assert_eq(store_job(s, run, &j, &d), ST_OK);
    cr_assert_eq(store_run_end(s, run, STORE_DONE, 0, NULL, 0, &d), ST_OK, "%s", d.msg);
    cr_assert_eq(ask(s, "SELECT count(*) FROM v_card WHERE job = 'j7' AND milli = 1000"), 2);
    cr_assert_eq(ask(s, "SELECT max(card) * 100 + min(card) FROM v_card WHERE job = 'j7'"), 6302);
    store_close(s);
}

static void make_other(const char *sql)
{
    sqlite3 *db;
    cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    (void)sqlite3_close(db);
}

static void expect_refusal(const char *words)
{
    struct store *s;
    struct diag d = { 0 }, e = { 0 };
    cr_assert_eq(store_open(&s, path, &d), ST_EWORLD);
    cr_assert(strstr(d.msg, words) != NULL, "%s", d.msg);
    cr_assert_null(s);
    cr_assert_eq(store_open_read(&s, path, &e), ST_EWORLD);
    cr_assert_null(s);
}

Test(store, refuses_the_database_of_another_program)
{
    make_other("CREATE TABLE t (x); INSERT INTO t VALUES (1)");
    expect_refusal("another program");
}

Test(store, refuses_a_newer_schema)
{
    make_other("PRAGMA application_id = 0x46574159; PRAGMA user_version = 999; CREATE TABLE t (x)");
    expect_refusal("schema version 999");
}

Test(store, refuses_a_file_that_is_no_database)
{
    FILE *f = fopen(path, "w");
    for (int i = 0; i < 500; i++) (void)fputs("id,submit,duration\n", f);
    (void)fclose(f);
    expect_refusal("not a Fairway database");
}

/* What SQLite would take for a database in memory is a file here, and no name is none. */
Test(store, results_never_go_where_nobody_finds_them)
{
    struct diag d = { .code = ST_OK };
    struct store *s = NULL;
    char dir[] = "/tmp/fairway-test-store-XXXXXX";
    cr_assert(mkdtemp(dir) != NULL && chdir(dir) == 0);
    static const char *const name[] = { ":memory:", "file:x.db?mode=memory" };
    for (size_t i = 0; i < 2; i++) {
        cr_assert_eq(store_open(&s, name[i], &d), ST_OK, "%s", d.msg);
        cr_assert_eq(write_run(s, "k", &d), ST_OK, "%s", d.msg);
        store_close(s);
        cr_expect_eq(access(name[i], R_OK), 0, "no file '%s'", name[i]);
        (void)unlink(name[i]);
    }
    cr_expect_eq(store_open(&s, "", &d), ST_EINPUT);
    d.code = ST_OK;
    cr_expect_eq(store_open_read(&s, "none.db", &d), ST_EWORLD);
    cr_expect(strstr(d.msg, "No such file") != NULL, "%s", d.msg);
    cr_assert(chdir("/") == 0 && rmdir(dir) == 0);
}

Test(store, reading_makes_no_file)
{
    struct store *s;
    struct diag d = { 0 };
    cr_assert_eq(store_open_read(&s, path, &d), ST_EWORLD);
    cr_assert_neq(access(path, F_OK), 0);
}

Test(store, a_full_disk_leaves_no_run_that_claims_to_be_done)
{
    struct diag d = { 0 };
    struct store *s;
    cr_assert_eq(store_open(&s, path, &d), ST_OK);
    cr_assert_eq(write_run(s, "k0", &d), ST_OK);
    int64_t pages = ask(s, "PRAGMA page_count");
    int failures = 0;
    for (;; pages++) {
        char limit[64];
        struct diag e = { 0 };
        (void)snprintf(limit, sizeof limit, "PRAGMA max_page_count = %lld", (long long)pages);
        cr_assert_eq(sqlite3_exec(store_db(s), limit, NULL, NULL, NULL), SQLITE_OK);
        if (write_run(s, "k1", &e) == ST_OK) break;
        cr_assert_eq(e.code, ST_EWORLD);
        cr_assert(strstr(e.msg, "cannot write") != NULL, "%s", e.msg);
        cr_assert_eq(check_whole(), 1);
        failures++;
    }
    store_close(s);
    cr_assert_gt(failures, 3);
    cr_assert_eq(check_whole(), 2);
}

Test(store, killing_the_writer_at_any_moment_leaves_every_finished_run_whole, .timeout = LIMIT(60))
{
    struct diag d = { 0 };
    struct store *s;
    cr_assert_eq(store_open(&s, path, &d), ST_OK);
    cr_assert_eq(write_run(s, "first", &d), ST_OK);
    store_close(s);
    /* At least 25 times, and on a busy machine until some have come through; the nap grows. */
    for (int i = 0; i < 25 || (i < 500 && check_whole() <= 10); i++) {
        pid_t pid = fork();
        if (pid == 0) {
            struct diag e = { 0 };
            if (store_open(&s, path, &e) != ST_OK) _exit(1);
            for (int k = 0;; k++) {
                char key[32];
                (void)snprintf(key, sizeof key, "%d-%d", i, k);
                if (write_run(s, key, &e) != ST_OK) _exit(1);
            }
        }
        struct timespec nap = { .tv_nsec = 1000000L + 1700000L * i };
        (void)nanosleep(&nap, NULL);
        int status;
        cr_assert_eq(kill(pid, SIGKILL), 0);
        cr_assert_eq(waitpid(pid, &status, 0), pid);
        cr_assert(WIFSIGNALED(status));
        cr_assert_geq(check_whole(), 1);
    }
    cr_assert_gt(check_whole(), 10);
}

/* ---- a disk that dies at the Nth write ---- */

struct shim { sqlite3_file base; sqlite3_file *real; };
static sqlite3_vfs *real_vfs, shim_vfs;
static int writes_left = -1;            /* -1: a sound disk; 0: every write fails */
static bool only_once;                  /* the disk is sound again after that write */

static sqlite3_file *real_of(sqlite3_file *f) { return ((struct shim *)f)->real; }
static bool dies(void)
{
    if (writes_left != 0 && (writes_left < 0 || --writes_left > 0)) return false;
    if (only_once) writes_left = -1;
    return true;
}

static int f_close(sqlite3_file *f) { return real_of(f)->pMethods->xClose(real_of(f)); }
static int f_read(sqlite3_file *f, void *b, int n, sqlite3_int64 at) { return real_of(f)->pMethods->xRead(real_of(f), b, n, at); }
static int f_write(sqlite3_file *f, const void *b, int n, sqlite3_int64 at)
{
    return dies() ? SQLITE_IOERR_WRITE : real_of(f)->pMethods->xWrite(real_of(f), b, n, at);
}
static int f_truncate(sqlite3_file *f, sqlite3_int64 n) { return dies() ? SQLITE_IOERR_TRUNCATE : real_of(f)->pMethods->xTruncate(real_of(f), n); }
static int f_sync(sqlite3_file *f, int flags) { return dies() ? SQLITE_IOERR_FSYNC : real_of(f)->pMethods->xSync(real_of(f), flags); }
static int f_size(sqlite3_file *f, sqlite3_int64 *n) { return real_of(f)->pMethods->xFileSize(real_of(f), n); }
static int f_lock(sqlite3_file *f, int l) { return real_of(f)->pMethods->xLock(real_of(f), l); }
static int f_unlock(sqlite3_file *f, int l) { return real_of(f)->pMethods->xUnlock(real_of(f), l); }
static int f_reserved(sqlite3_file *f, int *out) { return real_of(f)->pMethods->xCheckReservedLock(real_of(f), out); }
static int f_control(sqlite3_file *f, int op, void *arg) { return real_of(f)->pMethods->xFileControl(real_of(f), op, arg); }
static int f_sector(sqlite3_file *f) { return real_of(f)->pMethods->xSectorSize(real_of(f)); }
static int f_device(sqlite3_file *f) { return real_of(f)->pMethods->xDeviceCharacteristics(real_of(f)); }

static const sqlite3_io_methods shim_methods = {
    .iVersion = 1, .xClose = f_close, .xRead = f_read, .xWrite = f_write, .xTruncate = f_truncate, .xSync = f_sync,
    .xFileSize = f_size, .xLock = f_lock, .xUnlock = f_unlock, .xCheckReservedLock = f_reserved,
    .xFileControl = f_control, .xSectorSize = f_sector, .xDeviceCharacteristics = f_device,
};

static int shim_open(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *out)
{
    (void)v;
    struct shim *s = (struct shim *)f;
    s->real = (sqlite3_file *)(s + 1);
    int rc = real_vfs->xOpen(real_vfs, name, s->real, flags, out);
    s->base.pMethods = rc == SQLITE_OK ? &shim_methods : NULL;
    return rc;
}

static void use_shim(void)
{
    real_vfs = sqlite3_vfs_find(NULL);
    shim_vfs = *real_vfs;
    shim_vfs.zName = "dying";
    shim_vfs.szOsFile += (int)sizeof(struct shim);
    shim_vfs.xOpen = shim_open;
    cr_assert_eq(sqlite3_vfs_register(&shim_vfs, 1), SQLITE_OK);
}

Test(store, a_disk_that_dies_at_any_write_leaves_every_finished_run_whole, .timeout = LIMIT(120))
{
    use_shim();
    int failures = 0;
    for (int n = 1;; n++) {
        struct diag d = { 0 }, e = { 0 };
        struct store *s;
        tear_down();
        writes_left = -1;
        cr_assert_eq(store_open(&s, path, &d), ST_OK, "%s", d.msg);
        cr_assert_eq(write_run(s, "k0", &d), ST_OK);
        writes_left = n;
        enum st st = write_run(s, "k1", &e);
        store_close(s);
        bool lived = writes_left > 0;
        writes_left = -1;
        int64_t done = check_whole();
        cr_assert(done == 1 || done == 2);
        if (st == ST_OK) cr_assert_eq(done, 2);
        else cr_assert_eq(e.code, ST_EWORLD);
        failures += st != ST_OK;
        if (lived) { cr_assert_eq(st, ST_OK); break; }
    }
    cr_assert_gt(failures, 10);
}

/* Most of the writes are those of the last COMMIT. */
Test(store, a_run_whose_rows_or_end_could_not_be_written_has_failed, .timeout = LIMIT(120))
{
    use_shim();
    only_once = true;
    int n_failed = 0;
    for (int n = 1, lived = 0; !lived; n++) {
        struct diag d = { 0 }, e = { 0 };
        struct store *s;
        tear_down();
        writes_left = -1;
        cr_assert_eq(store_open(&s, path, &d), ST_OK, "%s", d.msg);
        writes_left = n;
        enum st st = write_run(s, "k", &e);
        lived = writes_left > 0;
        writes_left = -1;
        cr_assert_eq(ask(s, "SELECT count(*) FROM run WHERE status = 'running'"), 0, "write %d", n);
        int64_t failed = ask(s, "SELECT count(*) FROM run WHERE status = 'failed' AND message <> ''");
        cr_assert_eq(ask(s, "SELECT count(*) FROM run WHERE status = 'done'"), st == ST_OK, "write %d", n);
        cr_assert(st == ST_OK || e.code == ST_EWORLD);
        cr_assert(st == ST_OK ? failed == 0 : failed <= 1);
        n_failed += (int)failed;
        store_close(s);
    }
    cr_assert_gt(n_failed, 10);
}

/* No run of a sweep is lost: parts that cannot be read, parts that are damaged, a trace that changes on the way. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sqlite3.h>
#include <unistd.h>
#include "sweep/local.h"
#include "ref/limit.h"
#include "ref/temp.h"

static char dir[TEMP_PATH], path[TEMP_PATH + 16], db[TEMP_PATH + 16], parts[TEMP_PATH + 16];
static struct diag d;
static struct grid g;
static struct store *s;
static struct results r;

static void setup(void)
{
    temp_dir(dir);
    (void)snprintf(path, sizeof path, "%s/s.yaml", dir);
    (void)snprintf(db, sizeof db, "%s/a.db", dir);
    (void)snprintf(parts, sizeof parts, "%s/a.db.parts", dir);
    temp_put(dir, "jobs.csv", "id,submit_s,duration_s,cpus\na,0,1,1\n");
    temp_put(dir, "s.yaml", "cluster: {groups: [{name: a, count: 1, cpus: 4, mem: 8GiB}]}\ntrace: {format: native, path: jobs.csv}\n"
                            "policies: [fifo, sjf]\nseeds: 2\n");
    cr_assert_eq(grid_load(&g, &(struct grid_opts){ .scenario = path }, &d), ST_OK, "%s", d.msg);
    cr_assert_eq(store_open(&s, db, &d), ST_OK, "%s", d.msg);
    cr_assert_eq(shards_open(parts, &d), ST_OK, "%s", d.msg);
    cr_assert_eq(results_begin(&r, &g, s, parts, true, &d), ST_OK, "%s", d.msg);
}

static void teardown(void)
{
    shards_close(parts);
    cr_expect_neq(access(parts, F_OK), 0, "a part was left");
    results_fini(&r);
    store_close(s);
    grid_fini(&g);
    temp_drop(dir);
}

TestSuite(results, .init = setup, .fini = teardown, .timeout = LIMIT(60));

/* SQLite's files, but for the parts that this process opens: the first n_bad of them cannot be opened. */
static sqlite3_vfs failing;
static sqlite3_vfs *real;
static int n_bad;
static pid_t reader;

static int open_or_fail(sqlite3_vfs *v, sqlite3_filename name, sqlite3_file *f, int flags, int *out)
{
    size_t n = name != NULL ? strlen(name) : 0;
    if (n > 5 && strcmp(name + n - 5, ".part") == 0 && getpid() == reader && n_bad > 0) {
        n_bad--;
        f->pMethods = NULL;
        return SQLITE_CANTOPEN;
    }
    return real->xOpen(v, name, f, flags, out);
}

static void fail_to_open(int n)
{
    n_bad = n;
    reader = getpid();
    if (real != NULL) return;
    real = sqlite3_vfs_find(NULL);
    failing = *real;
    failing.zName = "failing";
    failing.xOpen = open_or_fail;
    cr_assert_eq(sqlite3_vfs_register(&failing, 1), SQLITE_OK);
}

static int64_t count(const char *sql)
{
    sqlite3_stmt *q = NULL;
    cr_assert_eq(sqlite3_prepare_v2(store_db(s), sql, -1, &q, NULL), SQLITE_OK);
    cr_assert_eq(sqlite3_step(q), SQLITE_ROW);
    int64_t n = sqlite3_column_int64(q, 0);
    (void)sqlite3_finalize(q);
    return n;
}

Test(results, a_part_that_cannot_be_read_is_made_again)
{
    for (int n = 1; n <= 2; n++) {
        fail_to_open(1);
        cr_assert_eq(local_run(&r, (uint32_t)n, &d), ST_OK, "%s", d.msg);
        cr_expect(n_bad == 0 && r.n_done == 4 && results_n_todo(&r) == 0, "%zu done", r.n_done);
        cr_expect_eq(count("SELECT count(*) FROM run WHERE status = 'done'"), 4);
        cr_assert_eq(sqlite3_exec(store_db(s), "DELETE FROM run", NULL, NULL, NULL), SQLITE_OK);
        results_fini(&r);
        cr_assert_eq(results_begin(&r, &g, s, parts, true, &d), ST_OK);
    }
}

/* The first run's parts, each time, by the one worker. */
Test(results, one_that_never_can_fails_its_run)
{
    fail_to_open(RESULTS_TRIES * 4);
    cr_assert_eq(local_run(&r, 1, &d), ST_OK, "%s", d.msg);
    cr_expect(r.n_failed == 4 && r.worst == 3 && results_n_todo(&r) == 0, "%zu failed, %zu to do", r.n_failed, results_n_todo(&r));
    cr_expect_eq(count("SELECT count(*) FROM run WHERE status = 'failed' AND message LIKE '%cannot open%'"), 4);
}

/* Whole but for some pages in its middle, as after a failing disk: the other part is taken. */
Test(results, a_damaged_part_is_made_again)
{
    struct shards_writer w;
    struct diag failed = { 0 };
    char part[sizeof parts + HASH_HEX + 8], zeros[4096] = { 0 };
    shards_writer_begin(&w, &g, parts, NULL);
    for (size_t i = 0; i < 2; i++) {
        r.state[i] = RESULTS_GIVEN;
        cr_assert_eq(shards_write(&w, i, &failed, &d), ST_OK, "%s", d.msg);
        cr_assert_eq(shards_seal(&w, &d), ST_OK, "%s", d.msg);
    }
    shards_writer_fini(&w);
    (void)snprintf(part, sizeof part, "%s/%s-0.part", parts, g.run[1].key);
    FILE *f = fopen(part, "r+");
    cr_assert(f != NULL && fseek(f, 16384, SEEK_SET) == 0);
    for (int i = 0; i < 60; i++) cr_assert_eq(fwrite(zeros, sizeof zeros, 1, f), 1);
    cr_assert_eq(fclose(f), 0);
    size_t n;
    cr_assert_eq(results_merge(&r, &n, &d), ST_OK, "%s", d.msg);
    cr_expect(n == 2 && r.state[0] == RESULTS_DONE && r.state[1] == RESULTS_WANTED);
    cr_assert_eq(local_run(&r, 1, &d), ST_OK, "%s", d.msg);
    cr_expect_eq(r.n_done, 4);
}

Test(results, a_trace_that_changes_fails_the_runs_that_come_after)
{
    temp_put(dir, "jobs.csv", "id,submit_s,duration_s,cpus\na,0,2,1\n");
    cr_assert_eq(local_run(&r, 2, &d), ST_OK, "%s", d.msg);
    cr_expect(r.n_failed == 4 && r.worst == 2, "%zu failed, %d", r.n_failed, r.worst);
    cr_expect_eq(count("SELECT count(*) FROM run WHERE status = 'failed' AND message LIKE '%changed while the sweep ran%'"), 4);
    cr_expect_eq(count("SELECT count(*) FROM run"), 4);
}

/* What a writer does within a second is one shard; all of it is taken in, in its place, or none. */
Test(results, a_shard_of_several_runs)
{
    struct shards_writer w;
    struct shards p;
    struct diag failed = { 0 };
    shards_writer_begin(&w, &g, parts, NULL);
    for (size_t i = 3; i-- > 1;) cr_assert_eq(shards_write(&w, i, &failed, &d), ST_OK, "%s", d.msg);
    cr_assert_eq(shards_scan(&p, parts, &g, &d), ST_OK);
    cr_expect_eq(p.n, 0, "it is not sealed yet");
    shards_fini(&p);
    cr_assert_eq(shards_seal(&w, &d), ST_OK, "%s", d.msg);
    shards_writer_fini(&w);
    cr_assert_eq(shards_scan(&p, parts, &g, &d), ST_OK);
    cr_expect(p.n == 1 && p.at[0].run == 2);
    shards_fini(&p);
    cr_assert_eq(results_merge(&r, NULL, &d), ST_OK, "%s", d.msg);
    cr_expect(r.n_done == 2 && r.state[0] == RESULTS_WANTED && r.state[1] == RESULTS_DONE && r.state[2] == RESULTS_DONE);
    cr_expect_eq(count("SELECT count(*) FROM run"), 2);
    for (size_t i = 1; i < 3; i++) {
        char sql[160];
        (void)snprintf(sql, sizeof sql, "SELECT id FROM run WHERE key = '%s'", g.run[i].key);
        cr_expect_eq(count(sql), r.id[i]);
    }
}

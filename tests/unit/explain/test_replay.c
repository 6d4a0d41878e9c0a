/*
 * The replayed ledger: one node of 8 cores and 2 cards; every amount below is
 * worked out by hand from the attempts written.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>
#include <unistd.h>
#include "db/record.h"
#include "explain/replay.h"
#include "ref/stage.h"

static char path[64];
static struct store *store;
static int64_t run;
static struct diag d;
static const struct store_node v100 = { .name = "n", .rack = "r", .gpu_type = "V100", .n_gpu = 2, .cpu_milli = 8000, .mem_b = 100 };

static void set_up(void)
{
    (void)snprintf(path, sizeof path, "/tmp/fairway-test-replay-%ld.db", (long)getpid());
    (void)unlink(path);
    struct store_run r = { .key = "k", .scenario = "s", .title = "t", .scenario_text = "x", .trace_path = "p", .trace_hash = "h",
                           .policy = "fifo", .policy_spec = "fifo", .policy_source = "none", .seed = 1 };
    memset(&d, 0, sizeof d);
    cr_assert_eq(store_open(&store, path, &d), ST_OK);
    cr_assert_eq(store_run_begin(store, &r, &run, &d), ST_OK);
}

static void tear_down(void)
{
    store_close(store);
    (void)unlink(path);
}

TestSuite(replay, .init = set_up, .fini = tear_down);

static void node(void)
{
    cr_assert_eq(store_node(store, run, &v100, &d), ST_OK);
    cr_assert_eq(store_capability(store, run, &(struct store_capability){ .node = 0 }, &d), ST_OK);
}

/* A job of one task asking one card and 2 cores, which ran [from, to) on card `card`. */
static void job(uint64_t ordinal, int64_t from, int64_t to, int card)
{
    struct store_request q = { .ordinal = ordinal, .cpu_milli = 2000, .n_gpu = 1, .gpu_milli = GPU_WHOLE };
    cr_assert_eq(store_request(store, run, &q, &d), ST_OK);
    cr_assert_eq(store_attempt(store, run, &(struct store_attempt){ .ordinal = ordinal, .attempt = 1, .cards = UINT64_C(1) << card,
                               .start_us = from, .end_us = to, .outcome = "done" }, &d), ST_OK);
}

static void open_whole(struct replay *r)
{
    cr_assert_eq(store_run_end(store, run, STORE_DONE, 1, NULL, 0, &d), ST_OK);
    cr_assert_eq(replay_open(r, store, run, 0, INT64_MAX, &d), ST_OK, "%s", d.msg);
}

static void expect(struct replay *r, int64_t at, int64_t cpu_free, int32_t card0, int32_t card1)
{
    cr_assert_eq(r->next_at, at, "expected a step at %ld, found %ld", (long)at, (long)r->next_at);
    cr_assert_eq(replay_step(r, &d), ST_OK, "%s", d.msg);
    const struct cluster *c = &r->cluster;
    cr_expect_eq(c->node[0].cpu_free, cpu_free, "at %ld: %ld milli-CPU free, not %ld", (long)at, (long)c->node[0].cpu_free, (long)cpu_free);
    cr_expect(c->card[0].milli_free == card0 && c->card[1].milli_free == card1, "at %ld: %d %d", (long)at, c->card[0].milli_free, c->card[1].milli_free);
    cluster_audit(c);
}

Test(replay, holds_what_the_attempts_held)
{
    struct replay r;
    node();
    job(0, 10, 30, 0);
    job(1, 20, 20, 1);          /* no time: left out */
    job(2, 20, 40, 1);
    job(3, 30, 50, 0);          /* at the instant in which 0 stops */
    open_whole(&r);
    expect(&r, 10, 6000, 0, 1000);
    cr_expect(replay_holds(&r, 0, -1) && replay_holds(&r, 0, 0) && !replay_holds(&r, 0, 1) && !replay_holds(&r, 2, -1));
    expect(&r, 20, 4000, 0, 0);
    cr_expect(r.n_started == 1 && r.started[0].ordinal == 2 && r.started[0].node == 0);
    expect(&r, 30, 4000, 0, 0);
    cr_expect(!replay_holds(&r, 0, -1) && replay_holds(&r, 3, -1));
    expect(&r, 40, 6000, 0, 1000);
    expect(&r, 50, 8000, 1000, 1000);
    cr_expect_eq(r.next_at, INT64_MAX);
    replay_close(&r);
}

/* 0 asks 2 cores and gets 6; at 20 it shrinks to 1, which lets 1 start with 7; at 30, 1 shrinks to 2 and 0 grows to 6:
 * rows of one instant come in no useful order, and two changes in one instant count as the last. */
Test(replay, cores_follow_what_was_held_not_what_was_asked)
{
    struct replay r;
    node();
    job(0, 10, 40, 0);
    job(1, 20, 50, 1);
    const struct { uint64_t job; int64_t at, cores; } row[] = {
        { 0, 10, 6000 }, { 0, 20, 5000 }, { 0, 20, 1000 }, { 1, 20, 7000 }, { 0, 30, 6000 }, { 1, 30, 2000 },
    };
    for (int i = 0; i < (int)ARRAY_LEN(row); i++) {
        struct store_cores c = { .ordinal = row[i].job, .attempt = 1, .seq = i, .at_us = row[i].at, .cpu_milli = row[i].cores };
        cr_assert_eq(store_cores(store, run, &c, &d), ST_OK);
    }
    open_whole(&r);
    expect(&r, 10, 2000, 0, 1000);
    expect(&r, 20, 0, 0, 0);
    expect(&r, 30, 0, 0, 0);
    expect(&r, 40, 6000, 1000, 0);
    expect(&r, 50, 8000, 1000, 1000);
    replay_close(&r);
}

/* A node of two tasks at most, 1 of its 8 cores and 10 of its 100 bytes kept for itself, cards of 16 bytes and 100 cores.
 * 0 and 1 start at once on half of card 0 each and ask 16 bytes and 60 cores: 1 got them, 0 was placed by count alone. */
Test(replay, the_node_is_what_it_was_and_who_was_placed_by_count_holds_no_memory)
{
    struct replay r;
    struct shape plain = { .cpu_milli = 1000 };
    cr_assert_eq(store_node(store, run, &v100, &d), ST_OK);
    cr_assert_eq(store_capability(store, run, &(struct store_capability){ .max_tasks = 2, .cpu_reserved_milli = 1000, .mem_reserved_b = 10,
                                  .gpu_mem_b = 16, .gpu_cores = 100 }, &d), ST_OK);
    for (uint64_t i = 0; i < 2; i++) {
        struct store_request q = { .ordinal = i, .cpu_milli = 2000, .n_gpu = 1, .gpu_milli = 500, .gpu_mem_b = 16, .gpu_cores = 60 };
        cr_assert_eq(store_request(store, run, &q, &d), ST_OK);
        cr_assert_eq(store_attempt(store, run, &(struct store_attempt){ .ordinal = i, .attempt = 1, .cards = 1, .start_us = 10, .end_us = i == 0 ? 20 : 30,
                                   .outcome = i == 0 ? "mismatch" : "done", .is_short = i == 0 }, &d), ST_OK);
    }
    open_whole(&r);
    const struct cluster *c = &r.cluster;
    cr_expect(c->node[0].cpu_free == 7000 && c->node[0].mem_free == 90);
    expect(&r, 10, 3000, 0, 1000);
    cr_expect(c->card[0].mem_free == 0 && c->card[0].core_free == 40 && c->card[1].mem_free == 16 && c->card[1].core_free == 100);
    cr_expect_eq(cluster_lacks(c, 0, &plain), LACK_TASKS);
    expect(&r, 20, 5000, 500, 1000);
    cr_expect(c->card[0].mem_free == 0 && c->card[0].core_free == 40);
    cr_expect_eq(cluster_lacks(c, 0, &plain), 0);
    expect(&r, 30, 7000, 1000, 1000);
    cr_expect(c->card[0].mem_free == 16 && c->card[0].core_free == 100);
    replay_close(&r);
}

Test(replay, an_outage_takes_the_node_and_gives_it_back)
{
    struct replay r;
    node();
    job(0, 10, 20, 0);
    cr_assert_eq(store_outage(store, run, &(struct store_outage){ .down_us = 20, .up_us = 30 }, &d), ST_OK);
    cr_assert_eq(store_outage(store, run, &(struct store_outage){ .down_us = 30, .up_us = -1 }, &d), ST_OK);      /* up and down again in one instant */
    open_whole(&r);
    expect(&r, 10, 6000, 0, 1000);
    expect(&r, 20, 8000, 1000, 1000);
    cr_expect(!r.cluster.node[0].is_up);
    expect(&r, 30, 8000, 1000, 1000);
    cr_expect(!r.cluster.node[0].is_up);
    replay_close(&r);
}

Test(replay, a_record_that_contradicts_itself_is_refused)
{
    struct replay r;
    node();
    job(0, 10, 30, 0);
    job(1, 20, 40, 0);          /* the same card */
    open_whole(&r);
    expect(&r, 10, 6000, 0, 1000);
    cr_assert_eq(replay_step(&r, &d), ST_EWORLD);
    cr_expect_not_null(strstr(d.msg, "contradicts its cluster at t=20 us, job number 1"), "%s", d.msg);
    replay_close(&r);
}

Test(replay, a_run_without_decisions_says_how_to_have_them)
{
    struct replay r;
    cr_assert_eq(store_run_end(store, run, STORE_DONE, 1, NULL, 0, &d), ST_OK);
    cr_assert_eq(replay_open(&r, store, run, 0, INT64_MAX, &d), ST_EINPUT);
    cr_expect_not_null(strstr(d.hint, "output.decisions=true"));
    replay_close(&r);
}

/* ---- what is recorded ---- */

static struct record *record;

/* Watch from the first round on; the first task runs on 5 cores from 20 s. */
static void meddle(struct stage *s, struct world *w)
{
    (void)s;
    if (record == NULL) {
        record = record_create(w, store, run, true);
        world_observe(w, record_observer(record));
    }
    if (world_now(w) == 20 * TICK_SEC) cr_assert_eq(world_resize(w, 0, 5000, 0), POL_OK);
}

Test(replay, a_change_of_cores_is_recorded_once)
{
    struct stage s;
    stage_init(&s);
    stage_node(&s, 8000, 2, "V100", 1);
    (void)stage_job(&s, 0, 60 * TICK_SEC, 2000, 1);
    (void)stage_job(&s, 20 * TICK_SEC, 10 * TICK_SEC, 2000, 1);
    s.meddle = meddle;
    stage_run(&s);
    cr_assert_eq(s.result, ST_END);
    cr_assert_eq(record_error(record, &d), ST_OK);
    record_destroy(record);
    cr_assert_eq(store_run_end(store, run, STORE_DONE, 1, NULL, 0, &d), ST_OK);
    sqlite3_stmt *q = NULL;
    cr_assert_eq(sqlite3_prepare_v2(store_db(store), "SELECT group_concat(ordinal || ' ' || at_us || ' ' || cpu_milli) FROM cores", -1, &q, NULL), SQLITE_OK);
    cr_assert_eq(sqlite3_step(q), SQLITE_ROW);
    cr_expect_str_eq((const char *)sqlite3_column_text(q, 0), "0 20000000 5000");
    (void)sqlite3_finalize(q);
    stage_fini(&s);
}

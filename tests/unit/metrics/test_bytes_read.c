/* Bytes by level and bytes in vain, through the observer's hooks, worked by hand. */
#include <criterion/criterion.h>
#include <signal.h>
#include "base/mem.h"
#include "model/graph.h"
#include "metrics/bytes_read.h"

/* Task 0 reads blocks a (100 B) and b (50 B) and writes 30 B, which task 1 reads. */
struct bench { struct world w; struct data data; struct bytes_read m; uint32_t job, task[2]; };

static void set_up(struct bench *b)
{
    static const struct task_input in[] = { { .block = 0 }, { .block = 1 }, { .block = NONE, .task = 0 } };
    static const uint32_t in_start[] = { 0, 2, 3 }, after_start[] = { 0, 0, 0 };
    static const int64_t out[] = { 30, 0 };
    const struct task_graph g = { .in_start = in_start, .in = in, .after_start = after_start, .out = out };
    const struct task_group group = { .n = 2, .dur = 10 };
    const struct job_spec spec = { .id = "j", .limit = -1, .group = &group, .n_groups = 1, .graph = &g };
    uint32_t bad;
    *b = (struct bench){ .job = 0 };
    MEM_RESERVE(b->data.block, b->data.cap_block, 2);
    b->data.block[0].size = 100;
    b->data.block[1].size = 50;
    b->w.cfg.data = &b->data;
    struct graph *graph = graph_create(&g, 2, &bad);
    cr_assert_not_null(graph);
    b->job = jobs_add(&b->w.jobs, &spec, 0, &b->w.shapes, graph);
    b->task[0] = b->w.jobs.job[b->job].first_task;
    b->task[1] = b->w.jobs.task[b->task[0]].next;
    bytes_read_arrived(&b->m, &b->w, b->job);
}

static void tear_down(struct bench *b)
{
    bytes_read_fini(&b->m);
    jobs_fini(&b->w.jobs);
    shapes_fini(&b->w.shapes);
    mem_free(b->data.block);
}

static void is(const struct bytes_read_sum *s, int64_t local, int64_t rack, int64_t cross, int64_t v_local, int64_t v_rack, int64_t v_cross)
{
    const int64_t want[] = { local, rack, cross, v_local, v_rack, v_cross };
    for (int l = 0; l < LEVELS; l++) {
        cr_assert_eq(s->read[l], want[l], "read %s: %lld", bytes_read_level[l], (long long)s->read[l]);
        cr_assert_eq(s->vain[l], want[LEVELS + l], "in vain %s: %lld", bytes_read_level[l], (long long)s->vain[l]);
    }
}

/*
 * Task 0, first attempt: a whole from its node, 20 B of b from another rack,
 * then killed: 100 local and 20 cross in vain.  Second: a and b whole from its
 * rack, done: 150 rack read.  Task 1: 30 local.
 */
Test(moved, an_attempt_that_does_not_end_done_moved_everything_in_vain)
{
    struct bench b;
    set_up(&b);
    bytes_read_started(&b.m, &b.w, b.task[0]);
    bytes_read_bytes(&b.m, &b.w, b.task[0], LEVEL_LOCAL, 100, true);
    bytes_read_bytes(&b.m, &b.w, b.task[0], LEVEL_CROSS, 20, false);
    bytes_read_stopped(&b.m, &b.w, b.task[0], STOP_PREEMPTED);
    is(bytes_read_job(&b.m, &b.w, b.job), 0, 0, 0, 100, 0, 20);
    bytes_read_started(&b.m, &b.w, b.task[0]);
    bytes_read_bytes(&b.m, &b.w, b.task[0], LEVEL_RACK, 100, true);
    bytes_read_bytes(&b.m, &b.w, b.task[0], LEVEL_RACK, 50, true);
    bytes_read_stopped(&b.m, &b.w, b.task[0], STOP_DONE);
    bytes_read_started(&b.m, &b.w, b.task[1]);
    bytes_read_bytes(&b.m, &b.w, b.task[1], LEVEL_LOCAL, 30, true);
    bytes_read_stopped(&b.m, &b.w, b.task[1], STOP_DONE);
    is(bytes_read_job(&b.m, &b.w, b.job), 30, 150, 0, 100, 0, 20);
    is(&b.m.run, 30, 150, 0, 100, 0, 20);
    cr_assert_eq(bytes_read_total(b.m.run.read), 100 + 50 + 30);
    cr_assert_eq(bytes_read_network(&b.m.run), 150 + 20);
    tear_down(&b);
}

/* Done, though b was never read: the world lost bytes. */
Test(moved, a_done_task_that_did_not_read_what_it_needed_is_a_bug, .signal = SIGABRT)
{
    struct bench b;
    set_up(&b);
    bytes_read_started(&b.m, &b.w, b.task[0]);
    bytes_read_bytes(&b.m, &b.w, b.task[0], LEVEL_LOCAL, 100, true);
    bytes_read_stopped(&b.m, &b.w, b.task[0], STOP_DONE);
}

Test(moved, a_slot_used_again_starts_from_nothing)
{
    struct bench b;
    set_up(&b);
    bytes_read_started(&b.m, &b.w, b.task[0]);
    bytes_read_bytes(&b.m, &b.w, b.task[0], LEVEL_CROSS, 100, true);
    bytes_read_stopped(&b.m, &b.w, b.task[0], STOP_FAILED);
    bytes_read_arrived(&b.m, &b.w, b.job);
    is(bytes_read_job(&b.m, &b.w, b.job), 0, 0, 0, 0, 0, 0);
    is(&b.m.run, 0, 0, 0, 0, 0, 100);
    tear_down(&b);
}

Test(moved, a_job_without_data_costs_and_says_nothing)
{
    struct bench b;
    const struct task_group group = { .n = 1, .dur = 1 };
    set_up(&b);
    uint32_t plain = jobs_add(&b.w.jobs, &(struct job_spec){ .id = "p", .group = &group, .n_groups = 1 }, 1, &b.w.shapes, NULL);
    uint32_t t = b.w.jobs.job[plain].first_task;
    bytes_read_arrived(&b.m, &b.w, plain);
    bytes_read_started(&b.m, &b.w, t);
    bytes_read_stopped(&b.m, &b.w, t, STOP_DONE);
    cr_assert_null(bytes_read_job(&b.m, &b.w, plain));
    cr_assert_eq(bytes_read_total(b.m.run.read), 0);
    tear_down(&b);
}

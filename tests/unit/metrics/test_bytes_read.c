/* Bytes by level and bytes in vain, through the observer's hooks, worked by hand. */
#include <criterion/criterion.h>
#include <signal.h>
#include "base/mem.h"
#include "metrics/bytes_read.h"
#include "model/world.h"

/* As the world does it. */
#define TELL(self, member, ...) bytes_read_collector.observer.member((self), __VA_ARGS__)

/* Task 0 reads blocks a (100 B) and b (50 B) and writes 30 B, which task 1 reads. */
struct bench {
    struct cluster cluster; struct throughput perf; struct data data; struct world *w; struct bytes_read m;
    uint32_t n_read, job, task[2];
};

static enum st next_job(void *ctx, struct job_spec *out, struct diag *d)
{
    struct bench *b = ctx;
    (void)d;
    static const struct task_input in[] = { { .block = 0 }, { .block = 1 }, { .block = NONE, .task = 0 } };
    static const uint32_t in_start[] = { 0, 2, 3 }, after_start[] = { 0, 0, 0 };
    static const int64_t written[] = { 30, 0 };
    static const struct task_graph g = { .in_start = in_start, .in = in, .after_start = after_start, .out = written };
    static const struct task_group two = { .n = 2, .dur = 10 };
    if (b->n_read++ > 0) return ST_END;
    *out = (struct job_spec){ .id = "j", .limit = -1, .group = &two, .n_groups = 1, .graph = &g };
    return ST_OK;
}

static enum st start_nothing(void *ctx, struct world *w, const struct notice *n, size_t n_notices, bool *again, struct diag *d)
{
    (void)ctx; (void)w; (void)n; (void)n_notices; (void)again; (void)d;
    return ST_OK;
}

/* The job has arrived and waits: the hooks are called by hand from there. */
static void set_up(struct bench *b)
{
    static const struct metrics_opts opts = { .store = NULL };
    static const struct collector_out out = { .opts = &opts };
    struct diag d = { 0 };
    *b = (struct bench){ .job = NONE, .m.out = &out };
    MEM_RESERVE(b->data.block, b->data.cap_block, 2);
    b->data.block[0].size = 100;
    b->data.block[1].size = 50;
    cr_assert_eq(cluster_add(&b->cluster, &(struct node_spec){ .name = "n0", .cpu_milli = 1000 }, &d), ST_OK, "%s", d.msg);
    cluster_seal(&b->cluster);
    b->w = world_create(&(struct world_config){ .cluster = &b->cluster, .throughput = &b->perf, .data = &b->data, .horizon = TICK_NEVER },
                        (struct source){ b, next_job }, (struct decider){ .decide = start_nothing, .strands = true });
    cr_assert_eq(world_step(b->w, &d), ST_OK, "%s", d.msg);
    cr_assert_eq(world_n_live_jobs(b->w), 1);
    b->job = world_task(b->w, 0)->job;
    b->task[0] = world_job(b->w, b->job)->first_task;
    b->task[1] = world_task(b->w, b->task[0])->next;
}

static void tear_down(struct bench *b)
{
    mem_free(b->m.task);
    mem_free(b->m.job);
    world_destroy(b->w);
    cluster_fini(&b->cluster);
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
    TELL(&b.m, moved, b.w, b.task[0], LEVEL_LOCAL, 100, true);
    TELL(&b.m, moved, b.w, b.task[0], LEVEL_CROSS, 20, false);
    TELL(&b.m, graph_stopped, b.w, b.task[0], STOP_PREEMPTED);
    is(&b.m.job[b.job], 0, 0, 0, 100, 0, 20);
    TELL(&b.m, moved, b.w, b.task[0], LEVEL_RACK, 100, true);
    TELL(&b.m, moved, b.w, b.task[0], LEVEL_RACK, 50, true);
    TELL(&b.m, graph_stopped, b.w, b.task[0], STOP_DONE);
    TELL(&b.m, moved, b.w, b.task[1], LEVEL_LOCAL, 30, true);
    TELL(&b.m, graph_stopped, b.w, b.task[1], STOP_DONE);
    is(&b.m.job[b.job], 30, 150, 0, 100, 0, 20);
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
    TELL(&b.m, moved, b.w, b.task[0], LEVEL_LOCAL, 100, true);
    TELL(&b.m, graph_stopped, b.w, b.task[0], STOP_DONE);
}

Test(moved, a_slot_used_again_starts_from_nothing)
{
    struct bench b;
    set_up(&b);
    TELL(&b.m, moved, b.w, b.task[0], LEVEL_CROSS, 100, true);
    TELL(&b.m, graph_stopped, b.w, b.task[0], STOP_FAILED);
    is(&b.m.job[b.job], 0, 0, 0, 0, 0, 100);
    TELL(&b.m, graph_ended, b.w, b.job);
    is(&b.m.job[b.job], 0, 0, 0, 0, 0, 0);
    is(&b.m.run, 0, 0, 0, 0, 0, 100);
    tear_down(&b);
}

Test(moved, of_a_job_without_data_it_is_told_nothing)
{
    const struct observer *o = &bytes_read_collector.observer;
    cr_assert(o->arrived == NULL && o->started == NULL && o->stopped == NULL && o->job_ended == NULL);
}

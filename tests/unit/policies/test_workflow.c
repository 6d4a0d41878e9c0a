/*
 * The policy workflow on hand-worked cases, S1-1 to S1-25 of the acceptance list:
 * steps of a workflow, what is reserved for them, and who comes first.
 * Each is run through the real host with every audit on (S1-7).
 */
#include "ref/wfexample.h"

Test(workflow, s1_1_a_stage_needs_the_sum_of_its_jobs_and_the_largest_is_reserved)
{
    struct wfcase c;
    setup(&c, 8);
    (void)wfcase_figure_1(&c, T);
    wfcase_run(&c, "workflow:lend=none");
    ran(&c, ST_END);
    static const int64_t need[] = { 2, 6, 6, 8 };
    cr_assert_eq(c.n_entries, 4);
    for (uint32_t i = 0; i < 4; i++) {
        cr_expect_eq(c.entry[i].e.need.cpu_milli, need[i] * CORE);
        cr_expect_eq(c.entry[i].e.reserved.cpu_milli, 8 * CORE);
    }
    wfcase_fini(&c);
}

Test(workflow, s1_2_more_than_the_largest_may_be_reserved_and_less_not)
{
    static const struct { const char *policy; int64_t reserved; } ok[] = {
        { "workflow", 6 }, { "workflow:reserve=cpus:6", 6 }, { "workflow:reserve=cpus:8", 8 } };
    for (size_t k = 0; k < 3; k++) {
        struct wfcase c;
        setup(&c, 10);
        (void)needs(&c, "w", (int64_t[]){ 4, 6 }, 2);
        wfcase_run(&c, ok[k].policy);
        ran(&c, ST_END);
        cr_assert_eq(c.entry[0].e.reserved.cpu_milli, ok[k].reserved * CORE, "%s", ok[k].policy);
        wfcase_fini(&c);
    }
    struct wfcase c;
    setup(&c, 10);
    (void)needs(&c, "w", (int64_t[]){ 4, 6 }, 2);
    wfcase_run(&c, "workflow:reserve=cpus:5");
    ran(&c, ST_EPOLICY);
    cr_assert(strstr(c.diag.msg, "gives a workflow 5 cores, and one of its stages needs 6") != NULL, "%s", c.diag.msg);
    wfcase_fini(&c);
}

/* 40 nodes of 4 cores: what is asked for beyond the largest step lies on 34 nodes of which no step knows. */
Test(workflow, s1_2_an_amount_may_lie_on_more_nodes_than_the_steps)
{
    struct wfcase c;
    wfcase_init(&c);
    for (int i = 0; i < 40; i++) wfcase_node(&c, 4 * CORE, 0, NULL);
    wfcase_task(wfcase_job(&c, "w", "u", true), 0, 10, CORE, 1);
    wfcase_run(&c, "workflow:reserve=cpus:135");
    ran(&c, ST_END);
    cr_assert_eq(c.entry[0].e.reserved.cpu_milli, 135 * CORE);
    wfcase_fini(&c);
}

Test(workflow, s1_2_more_cores_take_no_cards)
{
    struct wfcase c;
    wfcase_init(&c);
    wfcase_node(&c, 8 * CORE, 2, "v");
    wfcase_task(wfcase_job(&c, "w", "u", true), 0, 10, CORE, 1);
    wfcase_run(&c, "workflow:reserve=cpus:4");
    ran(&c, ST_END);
    cr_assert_eq(c.entry[0].e.reserved.cpu_milli, 4 * CORE);
    cr_assert_eq(c.entry[0].e.reserved.gpu_milli, 0);
    wfcase_fini(&c);
}

Test(workflow, s1_3_reserved_by_sum)
{
    struct wfcase c;
    setup(&c, 11);
    (void)needs(&c, "w", (int64_t[]){ 4, 6 }, 2);
    wfcase_run(&c, "workflow:reserve=sum");
    ran(&c, ST_END);
    cr_assert_eq(c.entry[0].e.reserved.cpu_milli, 10 * CORE);
    wfcase_run(&c, "workflow:reserve=cpus:11");
    ran(&c, ST_END);
    cr_assert_eq(c.entry[0].e.reserved.cpu_milli, 11 * CORE);
    wfcase_fini(&c);
    setup(&c, 22);
    (void)wfcase_figure_1(&c, T);
    wfcase_run(&c, "workflow:reserve=sum");
    ran(&c, ST_END);
    cr_assert_eq(c.entry[0].e.reserved.cpu_milli, 22 * CORE);
    wfcase_fini(&c);
}

/* Job 3 runs twice as long as its stage: the next waits for it, all else runs at once. */
Test(workflow, s1_4_stages_are_serial_and_their_jobs_parallel)
{
    struct wfcase c;
    setup(&c, 8);
    struct wf_job *j = wfcase_figure_1(&c, T);
    j->task[2].dur = 2 * T;
    wfcase_run(&c, "workflow:lend=none");
    ran(&c, ST_END);
    cr_assert_eq(c.entry[1].at, T);
    cr_assert_eq(c.entry[2].at, 3 * T);
    cr_assert_eq(c.end[0], 5 * T);
    cr_assert_eq(c.late, 0);
    wfcase_fini(&c);
}

/* a (1 core, 10 s) -> c (4, 10 s); b (3, 30 s) -> d (1, 10 s).  Of 7 cores: c starts when a ends, not when b does. */
static void crossed(struct wfcase *c)
{
    setup(c, 7);
    struct wf_job *j = wfcase_job(c, "w", "flow", true);
    j->linked = true;
    wfcase_task(j, 0, T, CORE, 1);
    wfcase_task(j, 0, 3 * T, 3 * CORE, 1);
    wfcase_task(j, 1, T, 4 * CORE, 1);
    wfcase_task(j, 1, T, CORE, 1);
    j->task[2].after = 1;
    j->task[3].after = 2;
}

Test(workflow, s1_4_with_barrier_task_a_task_waits_for_those_before_it_alone)
{
    static const struct { const char *policy; sim_tick end; int64_t reserved; } k[] = { { "workflow", 4 * T, 5 },
              { "workflow:barrier=task", 4 * T, 5 },
              { "workflow:barrier=task,reserve=cpus:7", 4 * T, 7 } };
    for (size_t i = 0; i < 3; i++) {
        struct wfcase c;
        crossed(&c);
        wfcase_run(&c, k[i].policy);
        ran(&c, ST_END);
        cr_expect_eq(c.entry[0].e.reserved.cpu_milli, k[i].reserved * CORE);
        cr_expect_eq(c.end[0], k[i].end, "%s: %lld", k[i].policy, (long long)c.end[0]);
        wfcase_fini(&c);
    }
    /* Its need follows: 4 cores at first, then c beside b, then b alone, then d. */
    struct wfcase c;
    crossed(&c);
    wfcase_run(&c, "workflow:barrier=task,reserve=cpus:7");
    ran(&c, ST_END);
    static const struct { sim_tick at; int64_t need; } entry[] = { { 0, 4 }, { T, 7 }, { 2 * T, 3 }, { 3 * T, 1 } };
    cr_assert_eq(c.n_entries, 4);
    for (uint32_t i = 0; i < 4; i++) is_entry(&c, i, entry[i].at, entry[i].need, 7 - entry[i].need, 0, 7);
    wfcase_fini(&c);
}

/* In 5 reserved cores there is no room for c beside b: it starts when there is, which is not later than by stages. */
Test(workflow, s1_4_with_barrier_task_what_has_no_room_waits_for_it)
{
    struct wfcase c;
    crossed(&c);
    c.job[0].task[1].dur = T / 2;
    c.job[0].task[0].dur = 3 * T;
    wfcase_run(&c, "workflow");
    ran(&c, ST_END);
    cr_expect_eq(c.end[0], 4 * T);
    wfcase_run(&c, "workflow:barrier=task");
    ran(&c, ST_END);
    cr_expect_eq(c.end[0], 4 * T, "d runs beside a, c after it");
    cr_expect_eq(c.entry[1].at, T / 2);
    is_entry(&c, 1, T / 2, 2, 3, 0, 5);
    wfcase_fini(&c);
}

/* A stage of 7 cores for 1 s and 1 core for 10 s: what the first leaves is lent until the next stage, if asked for. */
Test(workflow, s1_8_what_ends_early_is_kept_or_lent)
{
    static const struct { const char *policy; uint32_t lends; int64_t reclaimed; } k[] = { { "workflow", 0, 0 },
              { "workflow:freed=lend", 28, 7 },
              { "workflow:barrier=task", 28, 7 },
              { "workflow:freed=lend,lend=start", 0, 0 },
              { "workflow:freed=lend,lend=fits,estimate=true", 21, 0 } };
    for (size_t i = 0; i < 5; i++) {
        struct wfcase c;
        setup(&c, 8);
        struct wf_job *j = wfcase_job(&c, "w", "flow", true);
        wfcase_task(j, 0, S, 7 * CORE, 1);
        wfcase_task(j, 0, T, CORE, 1);
        wfcase_task(j, 1, T, 8 * CORE, 1);
        endless(&c, "o", 5 * S / 2);
        c.horizon = T;
        wfcase_run(&c, k[i].policy);
        ran(&c, ST_END);
        cr_expect_eq(c.lends[1], k[i].lends, "%s: %u", k[i].policy, c.lends[1]);
        const struct wf_entry *last = &c.entry[c.n_entries - 1];
        cr_expect_eq(last->at, T);
        cr_expect_eq(last->e.reclaimed.cpu_milli, k[i].reclaimed * CORE, "%s: %lld", k[i].policy,
                     (long long)last->e.reclaimed.cpu_milli);
        wfcase_fini(&c);
    }
}

Test(workflow, s1_18_priority_among_workflows_and_ordinary_jobs)
{
    for (int64_t cores = 10; cores <= 14; cores += 4) {
        struct wfcase c;
        setup(&c, cores);
        struct wf_job *w2 = needs(&c, "wf2", (int64_t[]){ 4, 6 }, 2);       /* first in the trace, second in rank */
        w2->priority = 1;
        wfcase_figure_1(&c, T)->priority = 2;
        endless(&c, "a", 7 * S);
        c.horizon = 6 * T;
        wfcase_run(&c, "workflow:lend=none");
        ran(&c, ST_END);
        cr_assert_eq(c.begin[1], 0);
        cr_assert_eq(c.begin[0], cores == 10 ? 4 * T : 0,
                     "wf2 starts at wf1's end, or at once where there is room for both");
        cr_assert_eq(c.begin[2], cores == 10 ? 0 : 2 * T, "ordinary jobs use what is left over meanwhile");
        wfcase_fini(&c);
    }
}

/* The node of stage 2 fails: it reserves anew, and goes on where it was. */
Test(workflow, a_lost_node_breaks_the_reservation_and_it_is_made_anew)
{
    struct wfcase c;
    wfcase_init(&c);
    for (int i = 0; i < 2; i++) wfcase_node(&c, 4 * CORE, 0, NULL);
    (void)needs(&c, "w", (int64_t[]){ 2, 4, 1 }, 3);
    endless(&c, "a", 7 * S);
    c.fault[c.n_faults++] = (struct fault_event){ .at = 15 * S, .node = 0, .up = false };
    c.fault[c.n_faults++] = (struct fault_event){ .at = 60 * S, .node = 0, .up = true };
    wfcase_run(&c, "workflow");
    ran(&c, ST_END);
    cr_assert_gt(c.end[0], 0);
    cr_assert_geq(c.n_entries, 3);
    wfcase_fini(&c);
}

Test(workflow, a_stage_wider_than_the_cluster_runs_in_parts)
{
    struct wfcase c;
    setup(&c, 4);
    struct wf_job *w = wfcase_job(&c, "w", "flow", true);
    wfcase_task(w, 0, T, CORE, 10);
    wfcase_task(w, 1, T, 4 * CORE, 1);
    wfcase_run(&c, "workflow");
    ran(&c, ST_END);
    cr_assert_eq(c.end[0], 4 * T);
    cr_assert_eq(c.n_entries, 4);
    wfcase_fini(&c);
}

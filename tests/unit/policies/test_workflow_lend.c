/*
 * The policy workflow on hand-worked cases, S1-1 to S1-25 of the acceptance list:
 * what is lent of a reservation, and to whom.
 * Each is run through the real host with every audit on (S1-7).
 */
#include "ref/wfexample.h"

Test(workflow, s1_5_free_during_a_stage_without_lending)
{
    struct wfcase c;
    setup(&c, 8);
    (void)wfcase_figure_1(&c, T);
    endless(&c, "a", 7 * S);
    c.horizon = 4 * T;
    wfcase_run(&c, "workflow:lend=none");
    ran(&c, ST_END);
    static const int64_t left[] = { 6, 2, 2, 0 };
    for (uint32_t i = 0; i < 4; i++) is_entry(&c, i, i * T, 8 - left[i], left[i], 0, 8); /* back to 8 between stages */
    cr_assert_eq(c.lends[1], 0);
    wfcase_fini(&c);
}

Test(workflow, s1_6_table_1)
{
    struct wfcase c;
    setup(&c, 8);
    (void)wfcase_figure_1(&c, T);
    endless(&c, "a", 7 * S);
    c.horizon = 4 * T;
    wfcase_run(&c, "workflow:lend=always");
    ran(&c, ST_END);
    is_entry(&c, 0, 0,     2, 6, 0, 8);
    is_entry(&c, 1, T,     6, 2, 4, 2);
    is_entry(&c, 2, 2 * T, 6, 2, 0, 6);
    is_entry(&c, 3, 3 * T, 8, 0, 2, 6);
    cr_assert_eq(c.end[0], 4 * T);
    wfcase_fini(&c);
}

/* The same with GPUs, licences, and all three at once: each by itself. */
Test(workflow, s1_19_cores_gpus_and_licences_independently)
{
    struct wfcase c;
    wfcase_init(&c);
    wfcase_node(&c, 64 * CORE, 8, NULL);
    c.cluster.licence_total[0] = 8;
    static const struct { int32_t cpu, gpu, lic; } stage[] = { { 2, 6, 8 }, { 6, 2, 0 }, { 1, 8, 3 } };
    struct wf_job *j = wfcase_job(&c, "w", "flow", true);
    for (uint32_t i = 0; i < 3; i++) {
        wfcase_task(j, i, T, stage[i].cpu * CORE, 1);
        j->task[i].gpus = stage[i].gpu;
        j->task[i].licences = stage[i].lic;
    }
    struct wf_job *b = wfcase_job(&c, "b", "a", false);         /* borrows licences alone: cores are free outside */
    wfcase_task(b, 0, 100 * T, CORE, 3);
    b->task[0].licences = 1;
    c.horizon = 3 * T;
    wfcase_run(&c, "workflow:lend=always");
    ran(&c, ST_END);
    for (uint32_t i = 0; i < 3; i++) {
        const struct reservations_stage *e = &c.entry[i].e;
        cr_expect_eq(e->reserved.cpu_milli, 6 * CORE);
        cr_expect_eq(e->reserved.gpu_milli, 8 * CORE);
        cr_expect_eq(e->reserved.licence[0], 8);
        cr_expect_eq(e->lendable.cpu_milli, (6 - stage[i].cpu) * CORE);
        cr_expect_eq(e->lendable.gpu_milli, (8 - stage[i].gpu) * CORE);
        cr_expect_eq(e->lendable.licence[0], 8 - stage[i].lic);
    }
    cr_assert_eq(c.lends[1], 3, "in stage 2 all licences can be lent");
    cr_assert_eq(c.first_loan[1], T, "as soon as it begins");
    cr_assert_eq(c.entry[2].e.reclaimed.licence[0], 0, "3 needed, 3 lent of 8");
    wfcase_fini(&c);
}

/* Paragraph 115: needs of 2, 6, 6 and 8 GPUs.  Borrowers have their cores from outside, however many. */
Test(workflow, s1_19_gpus_are_lent_whatever_cores_their_borrowers_need)
{
    static const int64_t of_stage[] = { 2, 6, 6, 8 }, back[] = { 0, 4, 0, 2 }, usable[] = { 8, 2, 6, 6 },
                         cores[] = { 0, 1, 2, 5 };
    for (size_t k = 0; k < 4; k++) {
        struct wfcase c;
        wfcase_init(&c);
        wfcase_node(&c, 64 * CORE, 8, NULL);
        struct wf_job *j = wfcase_job(&c, "w", "flow", true), *b = wfcase_job(&c, "b", "a", false);
        for (uint32_t i = 0; i < 4; i++) {
            wfcase_task(j, i, T, of_stage[i] * CORE, 1);
            j->task[i].gpus = (int32_t)of_stage[i];
        }
        wfcase_task(b, 0, 7 * S, cores[k] * CORE, 300);
        b->task[0].gpus = 1;
        c.horizon = 4 * T;
        wfcase_run(&c, "workflow");
        ran(&c, ST_END);
        cr_expect_eq(c.first_loan[1], 0);
        for (uint32_t i = 0; i < 4; i++) {
            cr_expect_eq(c.entry[i].at, i * T);
            cr_expect_eq(c.entry[i].e.reclaimed.gpu_milli, back[i] * CORE, "%lld cores, stage %u", (long long)cores[k],
                         i + 1);
            cr_expect_eq(c.entry[i].e.usable.gpu_milli, usable[i] * CORE, "%lld cores, stage %u", (long long)cores[k],
                         i + 1);
            cr_expect_eq(c.entry[i].e.usable.cpu_milli, 8 * CORE, "no core is lent");
        }
        wfcase_fini(&c);
    }
}

/* Of cores as well: 1 of 4 free outside, 2 left by the stage; what asks 3 takes both, and gives back 2. */
Test(workflow, s1_19_what_is_free_outside_comes_first)
{
    struct wfcase c;
    setup(&c, 5);
    (void)needs(&c, "w", (int64_t[]){ 2, 4 }, 2);
    wfcase_task(wfcase_job(&c, "b", "a", false), 0, 100 * T, 3 * CORE, 1);
    c.horizon = T;
    wfcase_run(&c, "workflow");
    ran(&c, ST_END);
    cr_assert_eq(c.first_loan[1], 0);
    is_entry(&c, 1, T, 4, 0, 2, 2);
    wfcase_fini(&c);
}

/* Licences belong to no node: who lacks only those runs anywhere. */
Test(workflow, s1_19_licences_are_lent_to_tasks_on_any_node)
{
    struct wfcase c;
    setup(&c, 2);
    wfcase_node(&c, 2 * CORE, 0, NULL);
    c.cluster.licence_total[0] = 3;
    struct wf_job *j = needs(&c, "w", (int64_t[]){ 1, 2 }, 2), *b = wfcase_job(&c, "b", "a", false);
    j->task[1].licences = 3;
    wfcase_task(b, 0, 100 * T, 2 * CORE, 1);
    b->task[0].licences = 2;
    c.horizon = T;
    wfcase_run(&c, "workflow");
    ran(&c, ST_END);
    cr_assert_eq(c.first_loan[1], 0);
    cr_assert_eq(c.entry[1].e.reclaimed.licence[0], 2);
    cr_assert_eq(c.entry[1].e.reclaimed.cpu_milli, 0, "it had its cores on the other node");
    wfcase_fini(&c);
}

/* While w2 waits for 8 GPUs and 5 cores, who borrows of w1 takes from outside no more than leaves it those. */
Test(workflow, s1_19_what_a_waiting_workflow_needs_is_not_taken_from_outside)
{
    struct wfcase c;
    wfcase_init(&c);
    wfcase_node(&c, 8 * CORE, 8, NULL);
    struct wf_job *w1 = wfcase_job(&c, "w1", "flow", true), *w2 = wfcase_job(&c, "w2", "flow", true),
                  *b = wfcase_job(&c, "b", "a", false);
    wfcase_task(w1, 0, T, CORE, 1);
    wfcase_task(w1, 1, T, CORE, 1);
    w1->task[0].gpus = 2;
    w1->task[1].gpus = 8;
    wfcase_task(w2, 0, T, 5 * CORE, 1);
    w2->task[0].gpus = 8;
    wfcase_task(b, 0, 100 * T, CORE, 6);
    b->task[0].gpus = 1;
    c.horizon = 3 * T;
    wfcase_run(&c, "workflow:admit=wait");
    ran(&c, ST_END);
    cr_assert_eq(c.lends[2], 3, "7 cores are free outside, 1 is reserved, 5 are kept for w2");
    cr_assert_eq(c.begin[1], 2 * T);
    wfcase_fini(&c);
}

/* With mode=strict who stands behind the first takes nothing from outside. */
Test(workflow, s1_19_strictly_only_the_first_takes_from_outside)
{
    static const struct {
        const char *policy;
        sim_tick first_loan;
    } k[] = { { "workflow:mode=skip", 0 }, { "workflow:mode=strict", -1 } };
    for (size_t i = 0; i < 2; i++) {
        struct wfcase c;
        setup(&c, 8);
        (void)needs(&c, "w", (int64_t[]){ 1, 2 }, 2);
        wfcase_task(wfcase_job(&c, "first", "a", false), 0, T, 8 * CORE, 1);
        struct wf_job *b = wfcase_job(&c, "b", "a", false);
        wfcase_task(b, 0, T, 7 * CORE, 1);
        c.horizon = T;
        wfcase_run(&c, k[i].policy);
        ran(&c, ST_END);
        cr_expect_eq(c.first_loan[2], k[i].first_loan, "%s", k[i].policy);
        wfcase_fini(&c);
    }
}

Test(workflow, s1_9_nothing_then_four_lent)
{
    struct wfcase c;
    setup(&c, 8);
    (void)needs(&c, "w", (int64_t[]){ 8, 4 }, 2);
    endless(&c, "a", 100 * T);
    c.horizon = T;
    wfcase_run(&c, "workflow");
    ran(&c, ST_END);
    is_entry(&c, 0, 0, 8, 0, 0, 8);
    is_entry(&c, 1, T, 4, 4, 0, 8);
    cr_assert_eq(c.begin[1], T);
    cr_assert_eq(c.lends[1], 4);
    wfcase_fini(&c);
}

/* 3 of 6 are wanted: usable next is 8 - 3 = 2 + 3. */
Test(workflow, s1_10_lent_in_part)
{
    struct wfcase c;
    setup(&c, 8);
    (void)needs(&c, "w", (int64_t[]){ 2, 8 }, 2);
    wfcase_task(wfcase_job(&c, "a", "a", false), 0, 100 * T, CORE, 3);
    c.horizon = T;
    wfcase_run(&c, "workflow");
    ran(&c, ST_END);
    is_entry(&c, 1, T, 8, 0, 3, 5);
    wfcase_fini(&c);
}

Test(workflow, s1_11_lent_by_ratio_with_the_largest_remainder)
{
    two_users("workflow:shares=[wf,p0],[u1,p1,1],[u2,p1,1]", 1, 1, 9, 4, 4, 0, 0);
    two_users("workflow:shares=[wf,p0],[u1,p1,2],[u2,p1,1]", 1, 1, 7, 4, 2, 0, 0);
    two_users("workflow:shares=[wf,p0],[u1,p1,1],[u2,p1,1]", 1, 1, 8, 4, 3, 0, 0);
}

/* Of 6 licences that the first stage leaves, 4 and 2; and of cores, which are free outside, whatever they like. */
Test(workflow, s1_11_licences_by_ratio)
{
    struct wfcase c;
    setup(&c, 64);
    c.cluster.licence_total[0] = 6;
    struct wf_job *w = needs(&c, "w", (int64_t[]){ 1, 1 }, 2);
    w->task[1].licences = 6;
    endless(&c, "u1", 100 * T);
    endless(&c, "u2", 100 * T);
    c.job[1].task[0].licences = c.job[2].task[0].licences = 1;
    c.horizon = T;
    wfcase_run(&c, "workflow:shares=[wf,p0],[u1,p1,2],[u2,p1,1]");
    ran(&c, ST_END);
    cr_expect(c.lends[1] == 4 && c.lends[2] == 2, "%u, %u", c.lends[1], c.lends[2]);
    cr_expect_eq(c.entry[1].e.reclaimed.licence[0], 6);
    wfcase_fini(&c);
}

Test(workflow, s1_14_groups_are_users_queues_or_machines)
{
    static const char *const who[] = { "[u1,p1]", "[user:u1,p1]", "[queue:q1,p1]", "[machines:gpu,p1]" };
    for (size_t k = 0; k < 4; k++) {
        struct wfcase c;
        char policy[100];
        wfcase_init(&c);
        wfcase_node(&c, 8 * CORE, 0, "gpu");
        (void)needs(&c, "w", (int64_t[]){ 2, 8 }, 2);
        struct wf_job *in = wfcase_job(&c, "in", "u1", false), *not_in = wfcase_job(&c, "out", "u2", false);
        in->queue = "q1";
        in->need_any = 1;
        not_in->queue = "q2";
        wfcase_task(in, 0, S, CORE, 2);
        wfcase_task(not_in, 0, S, CORE, 2);
        c.horizon = T;
        (void)snprintf(policy, sizeof policy, "workflow:shares=shares:[wf,p0],%s", who[k]);
        wfcase_run(&c, policy);
        ran(&c, ST_END);
        cr_expect_eq(c.lends[1], 2, "%s", policy);
        cr_expect_eq(c.lends[2], 0, "%s", policy);
        wfcase_fini(&c);
    }
}

/* Both nodes' tasks ask for a label, and only those who ask for the group's borrow. */
Test(workflow, s1_14_machines_are_those_of_the_label)
{
    struct wfcase c;
    struct diag d = { 0 };
    wfcase_init(&c);
    wfcase_node(&c, 8 * CORE, 0, "gpu");
    uint32_t big = cluster_label(&c.cluster, "big", &d);
    c.cluster.node[0].labels |= UINT64_C(1) << big;
    (void)needs(&c, "w", (int64_t[]){ 2, 8 }, 2);
    struct wf_job *in = wfcase_job(&c, "in", "u", false), *not_in = wfcase_job(&c, "out", "u", false),
                  *none = wfcase_job(&c, "none", "u", false);
    in->need_any = UINT64_C(1) << big;
    not_in->need_any = 1;
    wfcase_task(in, 0, S, CORE, 2);
    wfcase_task(not_in, 0, S, CORE, 2);
    wfcase_task(none, 0, S, CORE, 2);
    c.horizon = T;
    wfcase_run(&c, "workflow:shares=[wf,p0],[machines:big,p1]");
    ran(&c, ST_END);
    cr_expect(c.lends[1] == 2 && c.lends[2] == 0 && c.lends[3] == 0, "%u, %u, %u", c.lends[1], c.lends[2], c.lends[3]);
    wfcase_fini(&c);
}

/* A greater number borrows what the smaller leaves, and gives back before it. */
Test(workflow, s1_14_p1_before_p2)
{
    struct wfcase c;
    setup(&c, 9);
    (void)needs(&c, "w", (int64_t[]){ 1, 3, 9 }, 3);
    endless(&c, "u2", 100 * T);
    wfcase_task(wfcase_job(&c, "u1", "u1", false), 0, 100 * T, CORE, 5);
    c.horizon = T;
    wfcase_run(&c, "workflow:shares=[wf,p0],[u2,p2],[u1,p1]");
    ran(&c, ST_END);
    cr_assert_eq(c.lends[2], 5);
    cr_assert_eq(c.lends[1], 3);
    cr_assert_eq(wfcase_reclaims(&c, 1, T), 2);
    cr_assert_eq(wfcase_reclaims(&c, 2, T), 0);
    wfcase_fini(&c);
}

/* Paragraphs 82 and 134: what a share group submits may have an order, and is no workflow for that. */
Test(workflow, s1_24_a_chain_of_a_share_group_borrows_job_by_job)
{
    static const struct { const char *policy; uint32_t lends; sim_tick begin; } k[] = {
        { "workflow:shares=[wf,p0],[bob,p1]", 2, 0 }, { "workflow:shares=[*,p0],[bob,p1]", 2, 0 },
        { "workflow:shares=[w,p0],[*,p1]", 2, 0 }, { "workflow:shares=[w,p0],[queue:q,p1]", 2, 0 },
        { "workflow:shares=[*,p0],[*,p1]", 0, 2 * T }, { "workflow:shares=[bob,p0],[bob,p1]", 0, 2 * T } };
    for (size_t i = 0; i < 6; i++) {
        struct wfcase c;
        setup(&c, 8);
        (void)needs(&c, "w", (int64_t[]){ 2, 8 }, 2);
        struct wf_job *chain = wfcase_job(&c, "chain", "bob", true);
        chain->queue = "q";
        wfcase_task(chain, 0, 3 * S, CORE, 1);
        wfcase_task(chain, 1, 3 * S, 4 * CORE, 1);
        wfcase_run(&c, k[i].policy);
        ran(&c, ST_END);
        cr_expect_eq(c.lends[1], k[i].lends, "%s: %u", k[i].policy, c.lends[1]);
        cr_expect_eq(c.begin[1], k[i].begin, "%s", k[i].policy);
        for (uint32_t e = 0; e < c.n_entries && k[i].lends > 0; e++)
            cr_expect_eq(c.entry[e].job, 0, "%s: the chain has a reservation", k[i].policy);
        wfcase_fini(&c);
    }
}

Test(workflow, s1_25_shares_are_given_by_workflow)
{
    struct wfcase c;
    setup(&c, 8);
    (void)needs(&c, "w1", (int64_t[]){ 1, 4 }, 2);
    (void)needs(&c, "w2", (int64_t[]){ 1, 4 }, 2);
    endless(&c, "a", 100 * T);
    endless(&c, "b", 100 * T);
    endless(&c, "x", 100 * T);
    c.horizon = T - 1;
    wfcase_run(&c, "workflow:shares=[w1,p0],[a,p1];[w2,p0],[b,p1,2],[x,p1,1]");
    ran(&c, ST_END);
    cr_expect(c.lends[2] == 3 && c.lends[3] == 2 && c.lends[4] == 1, "%u, %u, %u", c.lends[2], c.lends[3], c.lends[4]);
    wfcase_run(&c, "workflow:shares=[w1,p0],[x,p1];[flow,p0],[a,p2],[b,p1]");
    ran(&c, ST_END);
    cr_expect(c.lends[2] == 0 && c.lends[3] == 3 && c.lends[4] == 3, "w2 lends as its user's: %u, %u, %u", c.lends[2],
              c.lends[3], c.lends[4]);
    wfcase_run(&c, "workflow:shares=[workflow:w2,p0],[a,p1]");
    ran(&c, ST_END);
    cr_expect(c.lends[2] == 3 && c.lends[3] == 0, "w1 lends to nobody: %u, %u", c.lends[2], c.lends[3]);
    wfcase_fini(&c);
}

/* In groups of several lists a unit is in order of arrival among all that may borrow there. */
Test(workflow, s1_25_one_unit_may_borrow_of_several_workflows)
{
    struct wfcase c;
    setup(&c, 8);
    (void)needs(&c, "w1", (int64_t[]){ 1, 4 }, 2);
    (void)needs(&c, "w2", (int64_t[]){ 1, 4 }, 2);
    wfcase_task(wfcase_job(&c, "a1", "a", false), 0, 100 * T, CORE, 2);
    wfcase_task(wfcase_job(&c, "b1", "b", false), 0, 100 * T, CORE, 2);
    wfcase_task(wfcase_job(&c, "a2", "a", false), 0, 100 * T, CORE, 3);
    c.horizon = T - 1;
    wfcase_run(&c, "workflow:shares=[w1,p0],[*,p1];[w2,p0],[a,p1]");
    ran(&c, ST_END);
    cr_expect(c.lends[2] == 2 && c.lends[3] == 1 && c.lends[4] == 3, "%u, %u, %u", c.lends[2], c.lends[3], c.lends[4]);
    wfcase_fini(&c);
}

Test(workflow, s1_25_what_is_reserved_is_given_by_workflow)
{
    struct wfcase c;
    setup(&c, 20);
    (void)needs(&c, "w1", (int64_t[]){ 1, 4 }, 2);
    (void)needs(&c, "w2", (int64_t[]){ 1, 4 }, 2);
    wfcase_job(&c, "w3", "other", true)->n = 0;
    wfcase_task(&c.job[2], 0, T, CORE, 1);
    wfcase_run(&c, "workflow:reserve=[w1,sum],[flow,cpus:6],[*,cpus:2]");
    ran(&c, ST_END);
    static const int64_t reserved[] = { 5, 6, 2 };
    for (uint32_t i = 0; i < 3; i++) {
        cr_expect_eq(c.entry[i].job, i);
        cr_expect_eq(c.entry[i].e.reserved.cpu_milli, reserved[i] * CORE, "w%u: %lld", i + 1,
                     (long long)c.entry[i].e.reserved.cpu_milli);
    }
    wfcase_run(&c, "workflow:reserve=[w1,cpus:6]");
    ran(&c, ST_END);
    cr_expect(c.entry[0].e.reserved.cpu_milli == 6 * CORE && c.entry[1].e.reserved.cpu_milli == 4 * CORE);
    static const char *const bad[] = { "[w1]", "[w1,most]", "[w1,max]x", "[w1,max],[w1,sum]", "[,max]", "most" };
    for (size_t i = 0; i < 6; i++) {
        char policy[80];
        (void)snprintf(policy, sizeof policy, "workflow:reserve=%s", bad[i]);
        wfcase_run(&c, policy);
        cr_expect_eq(c.result, ST_EINPUT, "%s", policy);
        cr_expect(strstr(c.diag.msg, "reserve=") != NULL, "%s", c.diag.msg);
    }
    wfcase_fini(&c);
}

Test(workflow, s1_15_only_users_whose_jobs_were_no_longer_than_any_of_the_stages)
{
    struct wfcase c;
    setup(&c, 8);
    struct wf_job *w = needs(&c, "w", (int64_t[]){ 2, 8 }, 2);
    w->task[1].dur = 5 * S;                     /* the shortest: 5 s */
    endless(&c, "equal", S);
    endless(&c, "longer", S);
    endless(&c, "unknown", S);
    c.horizon = T;
    wfcase_run(&c, "workflow:short=true,estimate=true,history=equal:5;longer:5.000001,shares=[wf,p0],[longer,p1],["
                   "unknown,p1],[equal,p1]");
    ran(&c, ST_END);
    cr_assert_gt(c.lends[1], 0, "equality is admitted");
    cr_assert_eq(c.lends[2], 0);
    cr_assert_eq(c.lends[3], 0, "no history, no loan");
    wfcase_fini(&c);
}

/* History is learned: alice's first job, outside, ran 3 s; bob's 30 s. */
Test(workflow, s1_15_history_is_what_ended)
{
    struct wfcase c;
    setup(&c, 10);
    wfcase_task(wfcase_job(&c, "a1", "alice", false), 0, 3 * S, CORE, 1);
    wfcase_task(wfcase_job(&c, "b1", "bob", false), 0, 30 * S, CORE, 1);
    struct wf_job *w = needs(&c, "w", (int64_t[]){ 2, 10 }, 2), *b2 = wfcase_job(&c, "b2", "bob", false),
                  *a2 = wfcase_job(&c, "a2", "alice", false);
    w->submit = b2->submit = a2->submit = 40 * S;
    wfcase_task(b2, 0, S, CORE, 2);
    wfcase_task(a2, 0, S, CORE, 2);
    c.horizon = 45 * S;
    wfcase_run(&c, "workflow:short=true,estimate=true");
    ran(&c, ST_END);
    cr_assert_eq(c.lends[3], 0);
    cr_assert_eq(c.lends[4], 2);
    wfcase_fini(&c);
}

/*
 * The policy workflow on hand-worked cases, S1-1 to S1-25 of the acceptance list:
 * what is taken back of what is lent, and from whom.
 * Each is run through the real host with every audit on (S1-7).
 */
#include "ref/wfexample.h"

Test(workflow, s1_8_exactly_the_shortfall_is_taken_back)
{
    /* Needs 2, then x of 8 with 6 lent: usable 2. */
    static const int64_t need[] = { 1, 2, 3, 8 }, back[] = { 0, 0, 1, 6 };
    for (size_t k = 0; k < 4; k++) {
        struct wfcase c;
        setup(&c, 8);
        (void)needs(&c, "w", (int64_t[]){ 2, need[k] }, 2);
        endless(&c, "a", 100 * T);
        c.horizon = T;
        wfcase_run(&c, "workflow:reserve=cpus:8");
        ran(&c, ST_END);
        is_entry(&c, 1, T, need[k], 8 - need[k], back[k], 2);
        cr_assert_eq(wfcase_reclaims(&c, ALL, T), (uint32_t)back[k]);
        cr_assert_eq(c.lends[1], 6 + (need[k] == 1), "what is more than needed is lent on");
        wfcase_fini(&c);
    }
}

/* 9 cores, 8 lent as `lent` says, in the second stage 1 + `by` needed: who is stopped, by borrower. */
static void stops(const char *policy, const int64_t *lent, uint32_t n, int64_t by, const char *expected)
{
    static const char *const id[] = { "a", "b", "c", "d" };
    struct wfcase c;
    char found[8] = "";
    int64_t idle = 8;
    setup(&c, 9);
    for (uint32_t i = 0; i < n; i++) idle -= lent[i];
    (void)needs(&c, "w", (int64_t[]){ 1, 1 + idle + by, 9 }, 3);
    for (uint32_t i = 0; i < n; i++) wfcase_task(wfcase_job(&c, id[i], id[i], false), 0, 100 * T, lent[i] * CORE, 1);
    c.horizon = T;
    wfcase_run(&c, policy);
    ran(&c, ST_END);
    for (uint32_t i = 0; i < n; i++) if (wfcase_reclaims(&c, i + 1, T) > 0) strcat(found, id[i]);
    cr_expect_str_eq(found, expected, "%s, short of %lld: %s, expected %s", policy, (long long)by, found, expected);
    wfcase_fini(&c);
}

/* Fewest and least first: who alone would do and gives least, else who gives most; the later of equals. */
Test(workflow, s1_8_nobody_is_stopped_in_vain)
{
    stops("workflow", (int64_t[]){ 3, 3, 1 }, 3, 2, "b");
    stops("workflow", (int64_t[]){ 3, 3, 1 }, 3, 1, "c");
    stops("workflow", (int64_t[]){ 3, 3, 1 }, 3, 4, "bc");
    stops("workflow", (int64_t[]){ 3, 3, 1 }, 3, 5, "ab");
    stops("workflow", (int64_t[]){ 4, 1, 2, 1 }, 4, 3, "a");
    stops("workflow", (int64_t[]){ 4, 1, 2, 1 }, 4, 6, "ac");
    stops("workflow", (int64_t[]){ 2, 2, 2, 2 }, 4, 4, "cd");
    /* By order the first gives back first, unless that would be in vain. */
    stops("workflow:shares=[wf,p0],[a,p1],[b,p1],[c,p1]", (int64_t[]){ 1, 3, 1 }, 3, 1, "a");
    stops("workflow:shares=[wf,p0],[a,p1],[b,p1],[c,p1]", (int64_t[]){ 1, 3, 1 }, 3, 4, "ab");
    stops("workflow:shares=[wf,p0],[a,p1],[b,p1],[c,p1]", (int64_t[]){ 1, 3, 1 }, 3, 3, "b");
    /* So with the lowest of priorities, and with the part that a ratio asks of a group. */
    stops("workflow:shares=[wf,p0],[a,p1],[b,p1],[c,p2]", (int64_t[]){ 1, 3, 1 }, 3, 3, "b");
    stops("workflow:shares=[wf,p0],[a,p1],[b,p1],[c,p2]", (int64_t[]){ 1, 3, 1 }, 3, 2, "ac");
    stops("workflow:shares=[wf,p0],[a,p1,1],[b,p1,1],[c,p1,1]", (int64_t[]){ 2, 2, 1 }, 3, 2, "a");
}

/* On two nodes of 4 cores a workflow needs all of the second; who began later, on the first, runs on. */
Test(workflow, s1_8_for_a_reservation_nobody_is_stopped_in_vain_either)
{
    struct wfcase c;
    setup(&c, 4);
    wfcase_node(&c, 4 * CORE, 0, "big");
    struct wf_job *on_big = wfcase_job(&c, "early", "a", false), *late = wfcase_job(&c, "late", "a", false),
                  *w = wfcase_job(&c, "w", "flow", true);
    on_big->need_any = w->need_any = 1;
    wfcase_task(on_big, 0, 100 * T, 2 * CORE, 1);
    late->submit = S;
    wfcase_task(late, 0, 100 * T, 3 * CORE, 1);
    w->submit = 2 * S;
    wfcase_task(w, 0, T, 4 * CORE, 1);
    c.horizon = T;
    wfcase_run(&c, "workflow:admit=preempt,place=first");
    ran(&c, ST_END);
    ran(&c, ST_END);
    cr_assert_eq(c.begin[2], 2 * S, "%lld, %u stops", (long long)c.begin[2], c.n_stops);
    uint32_t preempted[3] = { 0 };
    for (uint32_t i = 0; i < c.n_stops; i++) preempted[c.stop[i].job] += c.stop[i].reason == STOP_PREEMPTED;
    cr_assert(preempted[0] == 1 && preempted[1] == 0, "early %u, late %u", preempted[0], preempted[1]);
    wfcase_fini(&c);
}

Test(workflow, s1_12_taken_back_by_ratio)
{
    two_users("workflow:shares=[wf,p0],[u1,p1,1],[u2,p1,1]", 1, 5, 9, 4, 4, 2, 2);
}

/* Without ratios the earlier has all there is; with 4 each, as below, it gives all back first. */
Test(workflow, s1_13_by_order_the_earlier_borrows_first)
{
    two_users("workflow:shares=[wf,p0],[u1,p1],[u2,p1]", 1, 1, 9, 8, 0, 0, 0);
    struct wfcase c;
    setup(&c, 9);
    (void)needs(&c, "w", (int64_t[]){ 1, 5, 9 }, 3);
    wfcase_task(wfcase_job(&c, "u1", "u1", false), 0, 100 * T, CORE, 4);
    wfcase_task(wfcase_job(&c, "u2", "u2", false), 0, 100 * T, CORE, 4);
    c.horizon = T;
    wfcase_run(&c, "workflow:shares=[wf,p0],[u1,p1],[u2,p1]");
    ran(&c, ST_END);
    cr_assert_eq(wfcase_reclaims(&c, 1, T), 4);
    cr_assert_eq(wfcase_reclaims(&c, 2, T), 0);
    wfcase_fini(&c);
}

Test(workflow, s1_16_interruptions_of_borrowers)
{
    static const struct { const char *policy; sim_tick dur; uint32_t stops; } k[] = {
        { "workflow:lend=start", 7 * S, 0 }, { "workflow:lend=always", 7 * S, 6 },
        { "workflow:lend=fits,estimate=true", 7 * S, 0 }, { "workflow:lend=start", 25 * S, 4 } };
    for (size_t i = 0; i < 4; i++) {
        struct wfcase c;
        setup(&c, 8);
        (void)wfcase_figure_1(&c, T);
        endless(&c, "a", k[i].dur);
        c.horizon = 4 * T;
        wfcase_run(&c, k[i].policy);
        ran(&c, ST_END);
        cr_expect_eq(wfcase_reclaims(&c, ALL, -1), k[i].stops, "%s, %lld s: %u", k[i].policy, (long long)(k[i].dur / S),
                     wfcase_reclaims(&c, ALL, -1));
        cr_expect_eq(c.end[0], 4 * T);
        cr_expect_eq(c.late, 0, "S1-17");
        wfcase_fini(&c);
    }
}

/* Of equals who began last is stopped. */
Test(workflow, s1_17_who_began_last_is_stopped)
{
    struct wfcase c;
    setup(&c, 4);
    (void)needs(&c, "w", (int64_t[]){ 2, 3, 4 }, 3);
    struct wf_job *early = wfcase_job(&c, "early", "a", false), *late = wfcase_job(&c, "late", "a", false);
    late->submit = S;
    wfcase_task(early, 0, 100 * T, CORE, 1);
    wfcase_task(late, 0, 100 * T, CORE, 1);
    c.horizon = T;
    wfcase_run(&c, "workflow");
    ran(&c, ST_END);
    cr_expect(wfcase_reclaims(&c, 1, T) == 0 && wfcase_reclaims(&c, 2, T) == 1, "the late one");
    wfcase_fini(&c);
}

/* a waits since before b came, and has no room; b, stopped at 10 s, has one before a at 20 s. */
Test(workflow, s1_17_who_was_interrupted_comes_before_who_waited_longer)
{
    struct wfcase c;
    setup(&c, 4);
    (void)needs(&c, "w", (int64_t[]){ 2, 4, 2 }, 3);
    struct wf_job *first = wfcase_job(&c, "first", "u", false), *a = wfcase_job(&c, "a", "u", false),
                  *b = wfcase_job(&c, "b", "u", false);
    a->submit = b->submit = S;
    wfcase_task(first, 0, 9 * S, CORE, 1);
    wfcase_task(a, 0, S, 2 * CORE, 1);
    wfcase_task(b, 0, 100 * T, CORE, 1);
    c.horizon = 3 * T - 1;
    wfcase_run(&c, "workflow");
    ran(&c, ST_END);
    cr_expect_eq(wfcase_reclaims(&c, 3, T), 1);
    cr_expect_eq(c.lends[3], 2, "b goes on at 20 s");
    cr_expect_eq(c.begin[2], -1, "a still has no room");
    wfcase_fini(&c);
}

/* S1-17: interrupted borrowers return to the head: task 0 and 1 go on before 6 and 7 ever start. */
Test(workflow, s1_17_who_was_interrupted_comes_first)
{
    struct wfcase c;
    setup(&c, 4);
    (void)needs(&c, "w", (int64_t[]){ 2, 4, 2 }, 3);
    struct wf_job *early = wfcase_job(&c, "late", "a", false), *b = wfcase_job(&c, "b", "a", false);
    early->submit = 1;
    b->submit = 2;
    wfcase_task(early, 0, 15 * S, CORE, 2);
    wfcase_task(b, 0, S, CORE, 2);
    wfcase_run(&c, "workflow");
    ran(&c, ST_END);
    cr_assert_eq(wfcase_reclaims(&c, 1, T), 2);
    cr_assert_eq(c.end[1], 2 * T + 15 * S - (T - 1), "checkpointed: it goes on at 20 s where it was");
    cr_assert_eq(c.begin[2], c.end[1]);
    wfcase_fini(&c);
}

/*
 * The policy workflow on hand-worked cases, S1-1 to S1-19 of the acceptance
 * list, each run through the real host with every audit on (S1-7).
 */
#include <criterion/criterion.h>
#include <string.h>
#include "ref/wfcase.h"

#define S  INT64_C(1000000)
#define T  (10 * S)
#define CORE INT64_C(1000)
#define ALL UINT64_MAX

static void setup(struct wfcase *c, int64_t cores)
{
    wfcase_init(c);
    wfcase_node(c, cores * CORE, 0, NULL);
}

/* More one-core tasks than can end within the horizon. */
static void endless(struct wfcase *c, const char *user, sim_tick dur)
{
    wfcase_task(wfcase_job(c, user, user, false), 0, dur, CORE, 300);
}

static void ran(const struct wfcase *c, enum st st) { cr_assert_eq(c->result, st, "%s", c->diag.msg); }

static void is_entry(const struct wfcase *c, uint32_t i, sim_tick at, int64_t need, int64_t lendable, int64_t reclaimed,
                     int64_t usable)
{
    cr_assert(i < c->n_entries);
    const struct wf_entry *e = &c->entry[i];
    cr_expect_eq(e->at, at);
    cr_expect_eq(e->e.need.cpu_milli, need * CORE, "entry %u needs %lld", i, (long long)e->e.need.cpu_milli);
    cr_expect_eq(e->e.lendable.cpu_milli, lendable * CORE);
    cr_expect_eq(e->e.reclaimed.cpu_milli, reclaimed * CORE, "entry %u took back %lld", i,
                 (long long)e->e.reclaimed.cpu_milli);
    cr_expect_eq(e->e.usable.cpu_milli, usable * CORE, "entry %u could use %lld", i, (long long)e->e.usable.cpu_milli);
}

/* Stages of the given needs, one task each, T long. */
static struct wf_job *needs(struct wfcase *c, const char *id, const int64_t *need, uint32_t n)
{
    struct wf_job *j = wfcase_job(c, id, "flow", true);
    for (uint32_t i = 0; i < n; i++) wfcase_task(j, i, T, need[i] * CORE, 1);
    return j;
}

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

/* R = 9 or so with a first stage of 1: what the two users get, and what they give back of it. */
static void two_users(const char *policy, int64_t first, int64_t second, int64_t all, uint32_t lent_1, uint32_t lent_2,
                      uint32_t back_1, uint32_t back_2)
{
    struct wfcase c;
    setup(&c, all);
    (void)needs(&c, "w", (int64_t[]){ first, second, all }, 3);
    endless(&c, "u1", 100 * T);
    endless(&c, "u2", 100 * T);
    c.horizon = T;
    wfcase_run(&c, policy);
    ran(&c, ST_END);
    cr_expect_eq(c.lends[1], lent_1, "%s: u1 has %u", policy, c.lends[1]);
    cr_expect_eq(c.lends[2], lent_2, "%s: u2 has %u", policy, c.lends[2]);
    cr_expect_eq(wfcase_reclaims(&c, 1, T), back_1, "%s: u1 gives %u", policy, wfcase_reclaims(&c, 1, T));
    cr_expect_eq(wfcase_reclaims(&c, 2, T), back_2, "%s: u2 gives %u", policy, wfcase_reclaims(&c, 2, T));
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

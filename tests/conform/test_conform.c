/*
 * What every policy must keep, whatever it decides: the battery of the
 * conformance kit on every built-in, under every combination of its choices,
 * and on the example, from its shared object.  Runs are audited after every
 * instant, so a double booking stops the program.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/conform/conform.h"
#include "host/conform/specs.h"
#include "host/policy_load.h"
#include "builtin.h"

static uint32_t n_runs, n_specs;

/* False: its choices are refused together. */
static bool keeps_its_contract(const char *spec)
{
    uint32_t n_declined = 0;
    for (uint32_t i = 0; i < conform_n_cases(); i++) {
        struct conform_result r;
        conform_case_run(i, spec, NULL, &r);
        if (r.is_refused) return false;
        n_declined += r.is_declined;
        struct conform_case *c = conform_case_make(i);
        cr_assert_eq(r.n_problems, 0, "%s on '%s': %s: %s", spec, c->name, r.problem[0].what, r.problem[0].detail);
        conform_case_free(c);
        n_runs += r.n_runs;
    }
    cr_assert_lt(n_declined, conform_n_cases(), "%s is tried in no case", spec);
    n_specs++;
    return true;
}

static void under_all_its_choices(const char *name, const struct pol_ops *ops)
{
    static struct conform_specs s;
    conform_specs(&s, name, ops);
    /* 288 combinations and more, each choice on its own here; prop/test_workflow and prop/test_reference draw combinations. */
    static const char *const many[] = { "workflow", "multiqueue", "srtf", "tiresias" };
    bool may = false;
    for (size_t i = 0; i < sizeof many / sizeof *many; i++) may |= strcmp(name, many[i]) == 0;
    cr_assert(!s.is_each_alone || may, "%s", name);
    for (uint32_t i = 0; i < s.n; i++) s.is_refused[i] = !keeps_its_contract(s.spec[i]);
    char lacks[CONFORM_SPEC_LEN];
    cr_assert_not(conform_specs_lack(&s, lacks), "%s:%s is refused with whatever else is chosen", name, lacks);
}

Test(conform, every_policy_keeps_its_contract)
{
    for (size_t i = 0; pol_table[i] != NULL; i++) under_all_its_choices(pol_table[i]->name, pol_table[i]);
    fprintf(stderr, "%u runs, %u specs\n", n_runs, n_specs);
    cr_assert_gt(n_runs, n_specs * conform_n_cases() * 3);
}

/* Where the shared objects of the tests are: beside this program's folder (tests.mk). */
static const char *shared_object(const char *name)
{
    static char path[4096];
    const char *fairway = getenv("FAIRWAY");
    const char *slash = fairway != NULL ? strrchr(fairway, '/') : NULL;
    (void)snprintf(path, sizeof path, "%.*s/tests/so/%s", slash != NULL ? (int)(slash - fairway) : 5, slash != NULL ? fairway : "build", name);
    return path;
}

Test(conform, a_policy_of_a_shared_object_keeps_it_too)
{
    struct policy_load *l;
    struct diag d = { 0 };
    cr_assert_eq(policy_load_open(&l, shared_object("example.so"), "", 0, 0, &d), ST_OK, "%s", d.msg);
    under_all_its_choices(shared_object("example.so"), policy_load_ops(l));
    policy_load_close(l);
}

/* Each case must be able to fail someone: what the kit finds out is in tests/conform/bad, driven by tests/cli/test_policy_so.sh. */
Test(conform, a_case_that_no_job_ends_is_found)
{
    struct conform_result r;
    conform_case_run(0, shared_object("leaves_waiting.so"), NULL, &r);
    cr_assert_eq(r.n_problems, 0, "one job on one GPU: nothing can be left");
    conform_case_run(1, shared_object("leaves_waiting.so"), NULL, &r);
    cr_assert_gt(r.n_problems, 0);
    cr_assert_str_eq(r.problem[0].what, "left job j12 waiting on an idle cluster");     /* 12 GPUs, 60 jobs at once */
    cr_assert_eq(r.problem[0].at, 10);                                                  /* when the first 12 ended */
}

Test(conform, a_choice_that_is_refused_with_all_others_is_found)
{
    struct conform_specs s = { .n = 4, .spec = { "p:a=x,b=false", "p:a=xy,b=false", "p:a=x,b=true", "p:a=xy,b=true" } };
    char lacks[CONFORM_SPEC_LEN];
    s.is_refused[1] = s.is_refused[2] = true;
    cr_assert_not(conform_specs_lack(&s, lacks));
    s.is_refused[0] = true;                                     /* a=xy is accepted, a=x and b=false no more */
    cr_assert(conform_specs_lack(&s, lacks));
    cr_assert_str_eq(lacks, "a=x");
}

Test(conform, every_policy_says_what_it_is)
{
    for (size_t i = 0; pol_table[i] != NULL; i++) {
        struct pol_ops copy;
        struct diag d = { 0 };
        cr_assert_eq(policy_load_adopt(pol_table[i], &copy, sizeof copy, &d), ST_OK, "%s", d.msg);
        for (size_t j = 0; j < i; j++) cr_assert_str_neq(pol_table[j]->name, pol_table[i]->name);
    }
}

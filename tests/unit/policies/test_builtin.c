/* What built-in policies need of a scenario: a few of each kind, worked out from what they are. */
#include <criterion/criterion.h>
#include "builtin.h"

Test(builtin, what_a_policy_needs_is_its_own)
{
    static const struct { const char *name; enum builtin_kind kind; } row[] = {
        { "fifo", BUILTIN_ANY }, { "las", BUILTIN_ANY }, { "kube-default", BUILTIN_ANY },
        { "multiqueue", BUILTIN_ANY }, { "sjf", BUILTIN_ESTIMATES }, { "themis", BUILTIN_ESTIMATES },
        { "gavel", BUILTIN_SPEEDS }, { "synergy", BUILTIN_CORES }, { "optimus", BUILTIN_SCALING },
        { "sia", BUILTIN_GOODPUT }, { "afs", BUILTIN_ELASTIC }, { "fs", BUILTIN_DATA },
        { "slurm", BUILTIN_MANAGER }, { "kueue", BUILTIN_MANAGER }, { "recorded", BUILTIN_RECORD },
        { "quincy", BUILTIN_DATA }, { "workflow", BUILTIN_STEPS }, { "affinity", BUILTIN_CALLS },
        { "min-min", BUILTIN_CALLS }, { "heft", BUILTIN_CALLS },
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        cr_expect_eq(builtin_need_of(row[i].name), &builtin_needs[row[i].kind], "%s", row[i].name);
}

Test(builtin, a_part_of_a_name_is_no_name)
{
    cr_expect_eq(builtin_need_of("f"), &builtin_needs[BUILTIN_ANY], "begins fs, fsp and fsu");
    cr_expect_eq(builtin_need_of("sp"), &builtin_needs[BUILTIN_ANY], "ends gsp and fsp");
    cr_expect_eq(builtin_need_of("fs "), &builtin_needs[BUILTIN_ANY]);
}

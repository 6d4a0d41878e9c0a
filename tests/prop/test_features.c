/*
 * Every policy on clusters and requests with any features: limits on the tasks
 * of a node, memory and cores of cards, types, labels, engines, licences,
 * exclusive and gang jobs, data, lost nodes.  Audited, and every job that the
 * ledger says can run must run: a second idea of what fits would be found out.
 *
 * FEATURES_SEEDS=n draws n cases, 40 by default.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "host/conform/conform.h"
#include "builtin.h"

static void keeps_its_contract(const char *spec, uint32_t seeds)
{
    for (uint32_t i = conform_n_cases(); i < conform_n_cases() + seeds; i++) {
        struct conform_result r;
        conform_case_run(i, spec, NULL, &r);
        cr_expect_eq(r.n_problems, 0, "%s, case %u: %s: %s", spec, i, r.problem[0].what, r.problem[0].detail);
    }
}

Test(features, no_policy_has_another_idea_of_what_fits)
{
    const char *given = getenv("FEATURES_SEEDS");
    uint32_t seeds = given != NULL ? (uint32_t)strtoul(given, NULL, 10) : 40;
    for (size_t i = 0; pol_table[i] != NULL; i++) keeps_its_contract(pol_table[i]->name, seeds);
}

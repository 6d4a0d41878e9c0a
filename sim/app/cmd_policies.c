/* fairway policies [NAME]: what there is, where it comes from, what it takes. */
#include <stdio.h>
#include <string.h>
#include "app/cmd.h"
#include "app/polhost.h"
#include "table.h"

static const char *const type_name[] = { "whole number", "number", "true|false", "duration", NULL, "text" };

static void print_flags(uint32_t flags)
{
    if (flags & POL_PREEMPTS) (void)printf("  preempts running tasks\n");
    if (flags & POL_USES_LIMITS) (void)printf("  reads users' estimates\n");
    if (flags & POL_CLAIRVOYANT) (void)printf("  can be clairvoyant: reads true durations where its parameters say so\n");
}

static void print_one(const struct pol_ops *p)
{
    (void)printf("%s: %s\n  source: %s\n", p->name, p->summary, p->source);
    print_flags(p->flags);
    for (uint32_t i = 0; i < p->n_params; i++) {
        const struct pol_param *q = &p->params[i];
        const char *type = q->type == POL_CHOICE ? q->choices : type_name[q->type];
        (void)printf("  %s=%s\n      %s (%s)\n", q->name, q->dflt[0] ? q->dflt : "''", q->help, type);
    }
}

static int run(int argc, char **argv)
{
    if (argc > 2) return cmd_usage_error(&cmd_policies, "expected at most one policy name");
    if (argc == 2 && argv[1][0] == '-') return cmd_usage_error(&cmd_policies, "unknown option '%s'", argv[1]);
    if (argc == 1) {
        for (size_t i = 0; pol_table[i] != NULL; i++) (void)printf("%-8s %s\n", pol_table[i]->name, pol_table[i]->summary);
        (void)printf("\n`fairway policies NAME` shows a policy's parameters.\n");
        return 0;
    }
    const struct pol_ops *p = polhost_find(argv[1]);
    if (p != NULL) { print_one(p); return 0; }
    struct diag d = { 0 };
    const char *names[64];
    size_t n = 0;
    for (; pol_table[n] != NULL && n < ARRAY_LEN(names); n++) names[n] = pol_table[n]->name;
    (void)diag_set(&d, ST_EINPUT, "there is no policy '%s'", argv[1]);
    const char *near = diag_nearest(argv[1], names, n);
    if (near != NULL) diag_hint(&d, "did you mean '%s'?", near);
    return cmd_fail(&d);
}

const struct cmd cmd_policies = {
    .name = "policies", .summary = "every policy, its source, parameters and defaults",
    .usage = "usage: fairway policies [NAME]\n\n"
             "Without NAME: one line a policy.  With it: where the rule comes from, and each\n"
             "parameter with its default.  A policy is chosen as NAME:key=value,key=value.\n",
    .run = run,
};

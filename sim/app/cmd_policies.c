/* fairway policies [NAME]: what there is, where it comes from, what it takes. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include "app/cmd.h"
#include "app/polhost.h"
#include "out/table.h"
#include "builtin.h"

static const char *const type_name[] = {
    [POL_INT] = "whole number", [POL_NUMBER] = "number", [POL_BOOL] = "true|false",
    [POL_DURATION] = "duration", [POL_CHOICE] = "", [POL_TEXT] = "text",
};

static void describe(const struct pol_ops *p)
{
    (void)printf("%s: %s\n  source: %s\n", p->name, p->summary, p->source);
    if (p->flags & POL_PREEMPTS) (void)printf("  preempts running tasks\n");
    if (p->flags & POL_USES_LIMITS) (void)printf("  reads users' estimates\n");
    if (p->flags & POL_CLAIRVOYANT) (void)printf("  can be clairvoyant: reads true durations where its parameters say so\n");
    (void)printf("\n");
}

static const char *yes(uint32_t flag) { return flag ? "yes" : "no"; }

static struct table *table_of_policies(void)
{
    static const char *const heading[] = { "policy", "what it does", "source", "preempts", "reads limits", "clairvoyant" };
    struct table *t = table_create();
    for (size_t i = 0; i < ARRAY_LEN(heading); i++) table_column(t, heading[i], false);
    for (size_t i = 0; pol_table[i] != NULL; i++) {
        const struct pol_ops *p = pol_table[i];
        table_cell(t, "%s", p->name);
        table_cell(t, "%s", p->summary);
        table_cell(t, "%s", p->source);
        table_cell(t, "%s", yes(p->flags & POL_PREEMPTS));
        table_cell(t, "%s", yes(p->flags & POL_USES_LIMITS));
        table_cell(t, "%s", p->flags & POL_CLAIRVOYANT ? "can be" : "no");
    }
    return t;
}

static struct table *table_of_params(const struct pol_ops *p)
{
    static const char *const heading[] = { "parameter", "default", "values", "meaning" };
    struct table *t = table_create();
    for (size_t i = 0; i < ARRAY_LEN(heading); i++) table_column(t, heading[i], false);
    for (uint32_t i = 0; i < p->n_params; i++) {
        const struct pol_param *q = &p->params[i];
        table_cell(t, "%s", q->name);
        table_cell(t, "%s", q->dflt);
        table_cell(t, "%s", q->type == POL_CHOICE ? q->choices : type_name[q->type]);
        table_cell(t, "%s", q->help);
    }
    return t;
}

static int unknown(const char *name)
{
    struct diag d = { 0 };
    const char *names[64];
    size_t n = 0;
    for (; pol_table[n] != NULL && n < ARRAY_LEN(names); n++) names[n] = pol_table[n]->name;
    (void)diag_set(&d, ST_EINPUT, "there is no policy '%s'", name);
    const char *near = diag_nearest(name, names, n);
    if (near != NULL) diag_hint(&d, "did you mean '%s'?", near);
    return cmd_fail(&d);
}

static void print(struct table *t, enum table_format f)
{
    table_print(t, f, stdout);
    table_destroy(t);
}

static int run(int argc, char **argv)
{
    static const struct option opts[] = { { "json", no_argument, NULL, 'j' }, { "csv", no_argument, NULL, 'c' }, { 0 } };
    enum table_format f = TABLE_TEXT;
    optind = 1;
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, "", opts, NULL)) != -1;) {
        if (c == '?') return cmd_usage_error(&cmd_policies, "unknown option '%s'", argv[optind - 1]);
        f = c == 'j' ? TABLE_JSON : TABLE_CSV;
    }
    if (argc - optind > 1) return cmd_usage_error(&cmd_policies, "expected at most one policy name");
    if (argc == optind) {
        if (f != TABLE_TEXT) { print(table_of_policies(), f); return 0; }
        for (size_t i = 0; pol_table[i] != NULL; i++) (void)printf("%-9s %s\n", pol_table[i]->name, pol_table[i]->summary);
        (void)printf("\n`fairway policies NAME` shows where a rule comes from and its parameters.\n");
        return 0;
    }
    const struct pol_ops *p = polhost_find(argv[optind]);
    if (p == NULL) return unknown(argv[optind]);
    if (f == TABLE_TEXT) describe(p);
    print(table_of_params(p), f);
    return 0;
}

const struct cmd cmd_policies = {
    .name = "policies", .summary = "every policy, its source, parameters and defaults",
    .usage = "usage: fairway policies [NAME] [--json | --csv]\n\n"
             "Without NAME: one line a policy.  With it: where the rule comes from, and each\n"
             "parameter with its default.  A policy is chosen as NAME:key=value,key=value.\n",
    .run = run,
};

/* fairway policies: the list, a policy's source and parameters, a new one, and whether one keeps its contract. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include "host/sandbox.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "host/conform/report.h"
#include "host/host.h"
#include "cmd/new_policy.h"
#include "base/table.h"
#include "builtin.h"
#include "lib/sched/kube.h"

static const char *const type_name[] = {
    [POL_INT] = "whole number", [POL_NUMBER] = "number", [POL_BOOL] = "true|false",
    [POL_DURATION] = "duration", [POL_CHOICE] = "", [POL_TEXT] = "text", [POL_PLUGIN] = "|FILE.so",
};

static void describe(const struct pol_ops *p)
{
    text_line(stdout, "%s: %s", p->name, p->summary);
    text_line(stdout, "  source: %s", p->source);
    if (p->flags & POL_PREEMPTS) (void)printf("  preempts running tasks\n");
    if (p->flags & POL_USES_LIMITS) (void)printf("  reads users' estimates\n");
    if (p->flags & POL_BY_COUNT) (void)printf("  counts cards: may place a task on cards without the memory or cores it asks, where it fails\n");
    if (p->flags & POL_STRANDS) (void)printf("  may leave tasks waiting for ever, by keeping nodes apart\n");
    if (p->flags & POL_CLAIRVOYANT) (void)printf("  can be clairvoyant: reads true durations where its parameters say so\n");
    if (p->flags & POL_RUNS_CALLS) (void)printf("  runs tasks that are made of API calls, and other jobs in order of arrival\n");
    if (p->flags & POL_TAKES_REFUSALS) (void)printf("  goes on when a decision is refused; the run counts them\n");
    (void)printf("\n");
}

static const char *yes(uint32_t flag) { return flag ? "yes" : "no"; }

static struct table *table_of_policies(void)
{
    static const char *const heading[] = { "policy", "what it does", "source", "preempts", "reads limits", "clairvoyant", "runs calls" };
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
        table_cell(t, "%s", yes(p->flags & POL_RUNS_CALLS));
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
        table_cell(t, "%s%s", q->choices != NULL ? q->choices : "", type_name[q->type]);
        table_cell(t, "%s", q->help);
    }
    return t;
}

/* The Kubernetes policies take their score plugins by name. */
static void print_plugins(const struct pol_ops *p)
{
    bool has_scores = false;
    for (uint32_t i = 0; i < p->n_params; i++) has_scores |= strcmp(p->params[i].name, "score") == 0;
    if (!has_scores || strncmp(p->name, "kube-", sizeof "kube-" - 1) != 0) return;
    (void)printf("\nScore plugins:\n");
    for (size_t i = 0; kube_scores[i].name != NULL; i++) (void)printf("  %-10s %s\n", kube_scores[i].name, kube_scores[i].help);
    (void)printf("Filter plugins, which a policy has or has not:\n");
    for (size_t i = 0; kube_filters[i].name != NULL; i++) (void)printf("  %-10s %s\n", kube_filters[i].name, kube_filters[i].help);
}

static void print(struct table *t, enum table_format f)
{
    table_print(t, f, stdout);
    table_destroy(t);
}

struct policies_opts {
    enum table_format format;
    const char *new_name, *dir, *conform, *show;
    bool is_plugin;
    struct sandbox_limits limits;
};

static void list(enum table_format f)
{
    if (f != TABLE_TEXT) { print(table_of_policies(), f); return; }
    for (size_t i = 0; pol_table[i] != NULL; i++) (void)printf("%-12s %s\n", pol_table[i]->name, pol_table[i]->summary);
    (void)printf("\n`fairway policies NAME` shows where a rule comes from and its parameters;\n"
                 "`fairway policies --new NAME` begins one of your own.\n");
}

/* One that is not built in is created where it may crash, and described there. */
static enum st show(void *ctx, struct sandbox_page *page, struct diag *d)
{
    const struct policies_opts *o = ctx;
    struct host *h;
    TRY(host_create(&h, o->show, NULL, NULL, &(struct host_hooks){ .page = page }, d));
    if (o->format == TABLE_TEXT) describe(host_ops(h));
    if (o->format == TABLE_TEXT && host_label(h) != NULL) text_line(stdout, "  calls itself %s; its parameters are words of its command", host_label(h));
    else print(table_of_params(host_ops(h)), o->format);
    if (o->format == TABLE_TEXT) print_plugins(host_ops(h));
    host_destroy(h);
    return ST_OK;
}

static int begin_new(const struct policies_opts *o)
{
    struct diag d = { 0 };
    if (new_policy_write(o->new_name, o->dir, o->is_plugin, &d) != ST_OK) return cmd_fail(&d);
    const char *dir = o->dir != NULL ? o->dir : o->new_name, *of = o->is_plugin ? "fifo:place=" : "", *at = strchr(dir, '/') ? "" : "./";
    (void)printf("wrote %s/%s.c and a Makefile; next:\n"
                 "  make -C %s\n  fairway policies --conform %s%s%s/%s.so\n  fairway run SCENARIO.yaml -p %s%s%s/%s.so -p fifo\n",
                 dir, o->new_name, dir, of, at, dir, o->new_name, of, at, dir, o->new_name);
    return 0;
}

static int conform(const struct policies_opts *o)
{
    struct diag d = { 0 };
    uint32_t n_problems;
    if (conform_report(o->conform, &o->limits, o->format, &n_problems, &d) != ST_OK) return cmd_fail(&d);
    return n_problems > 0 ? diag_exit_status(ST_EPOLICY) : 0;
}

enum { OPT_TIMEOUT = 256, OPT_MEMORY };

static int parse(struct policies_opts *o, int argc, char **argv)
{
    static const struct option opts[] = {
        { "json", no_argument, NULL, 'j' }, { "csv", no_argument, NULL, 'c' }, { "new", required_argument, NULL, 'n' },
        { "score", no_argument, NULL, 's' }, { "output", required_argument, NULL, 'o' }, { "conform", required_argument, NULL, 'k' },
        { "decide-timeout", required_argument, NULL, OPT_TIMEOUT }, { "policy-memory", required_argument, NULL, OPT_MEMORY }, { 0 } };
    optind = 1;
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, ":o:", opts, NULL)) != -1;) {
        switch (c) {
        case 'j': o->format = TABLE_JSON; break;
        case 'c': o->format = TABLE_CSV; break;
        case 'n': o->new_name = optarg; break;
        case 's': o->is_plugin = true; break;
        case 'o': o->dir = optarg; break;
        case 'k': o->conform = optarg; break;
        case OPT_TIMEOUT: case OPT_MEMORY:
            if (!cmd_sandbox_limit(&cmd_policies, c == OPT_TIMEOUT ? "decide-timeout" : "policy-memory", optarg, &o->limits)) return 2;
            break;
        default: return cmd_option_error(&cmd_policies, c, argv);
        }
    }
    if (argc - optind > 1) return cmd_usage_error(&cmd_policies, "expected at most one policy");
    if (argc > optind) o->show = argv[optind];
    if ((o->new_name != NULL) + (o->conform != NULL) + (o->show != NULL) > 1)
        return cmd_usage_error(&cmd_policies, "POLICY, --new and --conform are three things to ask; ask one");
    if (o->is_plugin && o->new_name == NULL) return cmd_usage_error(&cmd_policies, "--score says what --new writes; it is not given");
    if (o->dir != NULL && o->new_name == NULL) return cmd_usage_error(&cmd_policies, "-o is where --new writes; it is not given");
    if (o->new_name != NULL && o->format != TABLE_TEXT) return cmd_usage_error(&cmd_policies, "--new prints no table");
    return 0;
}

static int run(int argc, char **argv)
{
    struct policies_opts o = { .format = TABLE_TEXT, .limits = SANDBOX_LIMITS };
    struct diag d = { 0 };
    int status = parse(&o, argc, argv);
    if (status != 0) return status;
    if (o.new_name != NULL) return begin_new(&o);
    if (o.conform != NULL) return conform(&o);
    if (o.show == NULL) { list(o.format); return 0; }
    enum st st = host_is_foreign(o.show) ? sandbox_run(&o.limits, o.show, NULL, show, &o, &d) : show(&o, NULL, &d);
    return st == ST_OK ? 0 : cmd_fail(&d);
}

const struct cmd cmd_policies = {
    .name = "policies", .summary = "every policy, its parameters; a new one; whether one keeps its contract",
    .usage = "usage: fairway policies [POLICY] [--json | --csv]\n"
             "       fairway policies --new NAME [--score] [-o FOLDER]\n"
             "       fairway policies --conform POLICY [--json | --csv]\n\n"
             "Without POLICY: one line a policy.  With it: where the rule comes from, and each\n"
             "parameter with its default.  A policy is chosen as NAME:key=value,key=value; one\n"
             "of a shared object as ./FILE.so:key=value; a program in any language as exec:COMMAND,\n"
             "which speaks the protocol of " DIAG_DOC("policies/PROTOCOL.md") ".\n\n"
             "      --new NAME                 write a policy that works and is yours to change, into FOLDER (default NAME)\n"
             "      --score                    or a plugin that chooses nodes for policies with place=, as in\n"
             "                                 -p fifo:place=./NAME.so\n"
             "  -o, --output FOLDER\n"
             "      --conform POLICY           run the policy through a battery of awkward cases and say what it breaks;\n"
             "                                 without parameters: under every combination of its choices.\n"
             "                                 Exit status 4 when it breaks something\n"
             "      --decide-timeout DURATION  wall-clock time that one call of it may take; default 10s\n"
             "      --policy-memory SIZE       memory by which its process may grow; default 4GiB\n",
    .run = run,
};

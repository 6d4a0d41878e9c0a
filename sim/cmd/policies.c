/* fairway policies: the list, a policy's source and parameters, a new one, and whether one keeps its contract. */
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
#include "lib/place/kube.h"

static const char *const type_name[] = {
    [POL_INT] = "whole number", [POL_NUMBER] = "number", [POL_BOOL] = "true|false",
    [POL_DURATION] = "duration", [POL_CHOICE] = "", [POL_TEXT] = "text", [POL_PLUGIN] = "|FILE.so",
    [POL_FILE] = " file",
};

static bool is_builtin(const struct pol_ops *p)
{
    size_t i = 0;
    while (pol_table[i] != NULL && pol_table[i] != p) i++;
    return pol_table[i] != NULL;
}

static void describe(const struct pol_ops *p)
{
    text_line(stdout, "%s: %s", p->name, p->summary);
    text_line(stdout, "  source: %s", p->source);
    const struct builtin_need *n = builtin_need_of(p->name);
    if (is_builtin(p)) text_line(stdout, n->is_needed ? "  needs %s" : "  for %s; runs others, too", n->what);
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
    struct table *t = table_of("policy|what it does|source|preempts|reads limits|clairvoyant|runs calls|needs");
    for (size_t i = 0; pol_table[i] != NULL; i++) {
        const struct pol_ops *p = pol_table[i];
        table_cell(t, "%s", p->name);
        table_cell(t, "%s", p->summary);
        table_cell(t, "%s", p->source);
        table_cell(t, "%s", yes(p->flags & POL_PREEMPTS));
        table_cell(t, "%s", yes(p->flags & POL_USES_LIMITS));
        table_cell(t, "%s", p->flags & POL_CLAIRVOYANT ? "can be" : "no");
        table_cell(t, "%s", yes(p->flags & POL_RUNS_CALLS));
        table_cell(t, "%s", builtin_need_of(p->name)->is_needed ? builtin_need_of(p->name)->what : "");
    }
    return t;
}

static struct table *table_of_params(const struct pol_ops *p)
{
    struct table *t = table_of("parameter|default|values|meaning");
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
    (void)printf("  %-10s %s\n", kube_affinity,
                 "NodeAffinity: what pods prefer of nodes, beside the most preferred of those that fit");
    (void)printf("Filter plugins, which a policy has or has not:\n");
    for (size_t i = 0; kube_filters[i].name != NULL; i++) (void)printf("  %-10s %s\n", kube_filters[i].name, kube_filters[i].help);
}

struct policies_opts {
    enum table_format format;
    const char *new_name, *dir, *conform, *show;
    bool is_plugin;
    struct sandbox_limits limits;
};

static void list(enum table_format f)
{
    if (f != TABLE_TEXT) { table_end(table_of_policies(), f, stdout); return; }
    for (const struct builtin_need *n = builtin_needs; n->what != NULL; n++) {
        if (n != builtin_needs) (void)printf("\n");
        text_line(stdout, n->is_needed ? "Need %s:" : "For %s; run others, too:", n->what);
        for (size_t i = 0; pol_table[i] != NULL; i++)
            if (builtin_need_of(pol_table[i]->name) == n) (void)printf("  %-12s %s\n", pol_table[i]->name, pol_table[i]->summary);
    }
    (void)printf("\n`fairway policies NAME` shows where a rule comes from and its parameters;\n"
                 "`fairway policies --new NAME` begins one of your own.\n");
}

/* One that is not built in is created where it may crash, and described there. */
static enum st show(void *ctx, struct sandbox_page *page, struct diag *d)
{
    const struct policies_opts *o = ctx;
    struct host *h;
    TRY(host_create(&h, o->show, NULL, NULL, NULL, &(struct host_hooks){ .page = page }, d));
    if (o->format == TABLE_TEXT) describe(host_ops(h));
    if (o->format == TABLE_TEXT && host_label(h) != NULL) text_line(stdout, "  calls itself %s; its parameters are words of its command", host_label(h));
    else table_end(table_of_params(host_ops(h)), o->format, stdout);
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

static int run(void *opts, const struct cmd_args *a)
{
    struct policies_opts *o = opts;
    struct diag d = { 0 };
    if (a->n > 0) o->show = a->at[0];
    if ((o->new_name != NULL) + (o->conform != NULL) + (o->show != NULL) > 1)
        return cmd_usage_error(&cmd_policies, "POLICY, --new and --conform are three things to ask; ask one");
    if (o->new_name != NULL && o->format != TABLE_TEXT) return cmd_usage_error(&cmd_policies, "--new prints no table");
    if (o->new_name != NULL) return begin_new(o);
    if (o->conform != NULL) return conform(o);
    if (o->show == NULL) { list(o->format); return 0; }
    enum st st = host_is_foreign(o->show) ? sandbox_run(&o->limits, o->show, NULL, show, o, &d) : show(o, NULL, &d);
    return st == ST_OK ? 0 : cmd_fail(&d);
}

static const struct cmd_option options[] = {
    { "new", 0, OPTION_TEXT, "NAME", "write a policy that works and is yours to change, into FOLDER (default NAME)",
      .offset = offsetof(struct policies_opts, new_name) },
    { "score", 0, OPTION_FLAG, NULL, "or a plugin that chooses nodes for policies with place=, as in\n-p fifo:place=./NAME.so",
      .offset = offsetof(struct policies_opts, is_plugin), .needs = "new" },
    { "output", 'o', OPTION_TEXT, "FOLDER", "where --new writes",
      .offset = offsetof(struct policies_opts, dir), .needs = "new", .words = "/" },
    { "conform", 0, OPTION_TEXT, "POLICY", "run the policy through a battery of awkward cases and say what it breaks;\n"
      "without parameters: under every combination of its choices.\nExit status 4 when it breaks something",
      .offset = offsetof(struct policies_opts, conform), .words = "@policies" },
    CMD_SANDBOX_OPTIONS(struct policies_opts, limits),
    OPTION_TABLE(struct policies_opts, format, "csv", TABLE_CSV, "CSV"),
    OPTION_TABLE(struct policies_opts, format, "json", TABLE_JSON, "JSON"),
    { 0 },
};

const struct cmd cmd_policies = {
    .name = "policies", .summary = "every policy, its parameters; a new one; whether one keeps its contract",
    .synopsis = "[POLICY] [OPTIONS]\n--new NAME [--score] [-o FOLDER]\n--conform POLICY [OPTIONS]",
    .about = "Without POLICY: one line a policy.  With it: where the rule comes from, and each\n"
             "parameter with its default.  A policy is chosen as NAME:key=value,key=value; one\n"
             "of a shared object as ./FILE.so:key=value; a program in any language as exec:COMMAND,\n"
             "which speaks the protocol of " DIAG_DOC("policies/PROTOCOL.md") ".\n",
    .option = options, .size = sizeof(struct policies_opts),
        .defaults = &(const struct policies_opts){ .limits = SANDBOX_LIMITS },
    .expected = "at most one policy", .max_args = 1, .arg = { "@policies" }, .run = run,
};

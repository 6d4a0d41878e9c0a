/* help.c -- `fairway help`: the commands and their options, for people, for the manual and for shells. */
#include "cmd/line/help.h"

#include <string.h>
#include "builtin.h"
#include "input/trace/trace.h"
#include "plot/plot.h"

#define CMD_ENTRY(id) &cmd_##id,
static const struct cmd *const cmds[] = { CMD_COMMANDS(CMD_ENTRY) };

const struct cmd *help_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(cmds); i++)
        if (strcmp(cmds[i]->name, name) == 0) return cmds[i];
    return NULL;
}

void help_print(FILE *to)
{
    (void)fprintf(to, "usage: fairway COMMAND [ARGUMENTS]\n\n"
                      "Replay a trace of jobs on a modelled GPU cluster under one or many scheduling policies.\n\n");
    for (size_t i = 0; i < ARRAY_LEN(cmds); i++) (void)fprintf(to, "  %-10s %s\n", cmds[i]->name, cmds[i]->summary);
    (void)fprintf(to, "\nA first answer:  fairway run SCENARIO.yaml, then  fairway compare NAME.db\n"
                      "Manuals:  man fairway\n"
                      "          " DIAG_DOC("scenarios/TUTORIAL.md") ": from a CSV file of jobs to an answer\n"
                      "          " DIAG_DOC("scenarios/REFERENCE.md") ": what a scenario may say\n\n"
                      "Exit status: 0 ok, 1 a difference was found or jobs were left unfinished, 2 usage or bad input,\n"
                      "3 the world failed (disk, database, missing gnuplot), 4 a policy broke its contract,\n"
                      "130 interrupted, with what was finished kept.\n");
}

int help_unknown(const char *name)
{
    struct diag d = { 0 };
    const char *names[ARRAY_LEN(cmds)];
    for (size_t i = 0; i < ARRAY_LEN(cmds); i++) names[i] = cmds[i]->name;
    (void)diag_set(&d, ST_EINPUT, "there is no command '%s'", name);
    const char *near = diag_nearest(name, names, ARRAY_LEN(cmds));
    if (near != NULL) diag_hint(&d, "did you mean 'fairway %s'?", near);
    else diag_hint(&d, "`fairway help` lists the commands");
    return cmd_fail(&d);
}

/* ---- lists ---- */

static const char *command_at(size_t i) { return i < ARRAY_LEN(cmds) ? cmds[i]->name : NULL; }
static const char *policy_at(size_t i) { return pol_table[i] != NULL ? pol_table[i]->name : NULL; }
static const char *figure_at(size_t i) { return plot_figures[i] != NULL ? plot_figures[i]->name : NULL; }
static const char *format_at(size_t i) { return trace_formats[i] != NULL ? trace_formats[i]->name : NULL; }

static bool print_list(const char *what)
{
    static const struct { const char *name; const char *(*at)(size_t i); } lists[] = {
        { "commands", command_at }, { "policies", policy_at }, { "figures", figure_at }, { "formats", format_at } };
    for (size_t k = 0; k < ARRAY_LEN(lists); k++) {
        if (strcmp(lists[k].name, what) != 0) continue;
        for (size_t i = 0; lists[k].at(i) != NULL; i++) (void)printf("%s\n", lists[k].at(i));
        return true;
    }
    return false;
}

/* One a line; with "=" after those that a value follows. */
static void print_options(const struct cmd *c, const char *after_valued)
{
    const struct cmd_option *all[OPTION_MAX];
    size_t n = option_all(c, all);
    for (size_t i = 0; i < n; i++) {
        const char *after = all[i]->value != NULL ? after_valued : "";
        if (all[i]->letter != 0) (void)printf("-%c%s\n", all[i]->letter, after);
        if (all[i]->name != NULL) (void)printf("--%s%s\n", all[i]->name, after);
    }
}

/* ---- completion ---- */

/* Candidates, one a line; "*..." stands for files of that pattern and "/" for folders. */
static void print_words(const char *words)
{
    if (words != NULL && words[0] == '@') { (void)print_list(words + 1); return; }
    for (size_t len; words != NULL && *words != '\0'; words += len + (words[len] == ' ')) {
        len = strcspn(words, " ");
        (void)printf("%.*s\n", (int)len, words);
    }
}

/* word[n] is a command line without the program; its last one is being completed. */
static void complete(int n, char **word)
{
    const struct cmd *c = n > 1 ? help_find(word[0]) : NULL;
    const struct cmd_option *x = NULL;
    int k = 0;
    if (n < 2) { (void)print_list("commands"); (void)printf("--version\n--help\n"); }
    if (c == NULL) return;
    for (int i = 1; i < n - 1; i++) {
        bool is_value = x != NULL && x->value != NULL;
        x = is_value ? NULL : option_find(c, word[i]);
        if (x != NULL && strchr(word[i], '=') != NULL) x = NULL;
        k += !is_value && word[i][0] != '-';
    }
    if (x != NULL && x->value != NULL) print_words(x->words);
    else if (word[n - 1][0] == '-') print_options(c, "");
    else print_words(c->verbs != NULL && k == 0 ? c->verbs : c->arg[k > 0 && c->arg[1] != NULL ? 1 : 0]);
}

/* ---- the command ---- */

struct args { const char *list; bool complete; };

static int run(void *opts, const struct cmd_args *a)
{
    const struct args *o = opts;
    if (o->complete) { complete(a->n, a->at); return 0; }
    bool of_command = o->list != NULL && strcmp(o->list, "options") == 0;
    bool takes_command = o->list == NULL || of_command;
    if (a->n > takes_command)
        return cmd_usage_error(&cmd_help, "expected %s, found %d",
                               takes_command ? "at most one command" : "no command", a->n);
    if (of_command && a->n == 0) return cmd_usage_error(&cmd_help, "--list options expects a command");
    const struct cmd *c = a->n > 0 ? help_find(a->at[0]) : NULL;
    if (a->n > 0 && c == NULL) return help_unknown(a->at[0]);
    if (of_command) print_options(c, "=");
    else if (o->list != NULL && !print_list(o->list))
        return cmd_usage_error(&cmd_help, "--list knows commands, options COMMAND, policies, figures and formats");
    else if (o->list == NULL && c != NULL) option_print_usage(c, stdout);
    else if (o->list == NULL) help_print(stdout);
    return 0;
}

static const struct cmd_option options[] = {
    { "list", 0, OPTION_TEXT, "WHAT", "words, one a line: commands, options COMMAND, policies, figures or formats;\n"
      "an option that takes a value ends in =",
      .offset = offsetof(struct args, list), .words = "commands options policies figures formats" },
    { "complete", 0, OPTION_FLAG, NULL, "for shells: what the last word of a command line may become; *.db stands\n"
      "for files and / for folders", .offset = offsetof(struct args, complete), .not_with = "list" },
    { 0 },
};

const struct cmd cmd_help = {
    .name = "help", .summary = "how a command is used: `fairway help COMMAND`",
    .synopsis = "[COMMAND]\n--list WHAT [COMMAND]\n--complete -- WORDS...",
    .option = options, .size = sizeof(struct args), .arg = { "@commands" }, .run = run,
};

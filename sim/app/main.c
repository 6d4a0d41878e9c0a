/* fairway: the table of subcommands. */
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "app/cmd.h"
#include "base/version.h"

static const struct cmd *const cmds[] = { &cmd_run, &cmd_compare, &cmd_check, &cmd_plot, &cmd_policies, &cmd_trace, &cmd_flow };

int cmd_fail(const struct diag *d)
{
    diag_print(d, stderr);
    return diag_exit_status(d->code);
}

int cmd_usage_error(const struct cmd *c, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    (void)fprintf(stderr, "fairway %s: ", c->name);
    (void)vfprintf(stderr, fmt, ap);
    (void)fprintf(stderr, "\n`fairway help %s` shows how it is used\n", c->name);
    va_end(ap);
    return 2;
}

static const struct cmd *find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(cmds); i++)
        if (strcmp(cmds[i]->name, name) == 0) return cmds[i];
    return NULL;
}

static void print_help(FILE *to)
{
    (void)fprintf(to, "usage: fairway COMMAND [ARGUMENTS]\n\n"
                      "Replay a trace of jobs on a modelled GPU cluster under one or many scheduling policies.\n\n");
    for (size_t i = 0; i < ARRAY_LEN(cmds); i++) (void)fprintf(to, "  %-10s %s\n", cmds[i]->name, cmds[i]->summary);
    (void)fprintf(to, "  %-10s %s\n\n", "help", "how a command is used");
    (void)fprintf(to, "Exit status: 0 ok, 1 a difference was found or jobs were left unfinished, 2 usage or bad input,\n"
                      "3 the world failed (disk, database, missing gnuplot), 4 a policy broke its contract,\n"
                      "130 interrupted, with what was finished kept.\n");
}

static int unknown(const char *name)
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

static int help(int argc, char **argv)
{
    if (argc < 2) { print_help(stdout); return 0; }
    const struct cmd *c = find(argv[1]);
    if (c == NULL) return unknown(argv[1]);
    (void)fputs(c->usage, stdout);
    return 0;
}

int main(int argc, char **argv)
{
    (void)setlocale(LC_CTYPE, "");      /* never LC_NUMERIC: numbers are written one way */
    if (argc < 2) { print_help(stderr); return 2; }
    if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return help(argc - 1, argv + 1);
    if (strcmp(argv[1], "--version") == 0) { (void)printf("fairway %s\n", FAIRWAY_VERSION); return 0; }
    const struct cmd *c = find(argv[1]);
    if (c == NULL) return unknown(argv[1]);
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0) { (void)fputs(c->usage, stdout); return 0; }
    int status = c->run(argc - 1, argv + 1);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        (void)fprintf(stderr, "fairway: error: cannot write to standard output\n");
        return status ? status : 3;
    }
    return status;
}

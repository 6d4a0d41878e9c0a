/* fairway: the table of subcommands. */
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "base/version.h"

#define CMD_ENTRY(id) &cmd_##id,
static const struct cmd *const cmds[] = { CMD_COMMANDS(CMD_ENTRY) };
static const struct cmd_list all = { cmds, ARRAY_LEN(cmds) };

static int dispatch(int argc, char **argv)
{
    if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return help_run(&all, argc - 1, argv + 1);
    if (strcmp(argv[1], "--version") == 0) { (void)printf("fairway %s\n", FAIRWAY_VERSION); return 0; }
    const struct cmd *c = help_find(&all, argv[1]);
    if (c == NULL) return help_unknown(&all, argv[1]);
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0) { (void)fputs(cmd_usage(c), stdout); return 0; }
    return c->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    (void)setlocale(LC_CTYPE, "");      /* never LC_NUMERIC: numbers are written one way */
    if (argc < 2) { help_print(&all, stderr); return 2; }
    int status = dispatch(argc, argv);
    if (status == 3 || (fflush(stdout) == 0 && !ferror(stdout))) return status;     /* 3: what failed is printed */
    (void)fprintf(stderr, "fairway: error: cannot write to standard output\n");
    return status > 1 ? status : 3;     /* 1 would claim that what it found was printed */
}

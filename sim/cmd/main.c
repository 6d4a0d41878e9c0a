/* fairway: the table of subcommands. */
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "host/sandbox.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "base/text.h"
#include "base/version.h"

#define CMD_ENTRY(id) &cmd_##id,
static const struct cmd *const cmds[] = { CMD_COMMANDS(CMD_ENTRY) };
static const struct cmd_list all = { cmds, ARRAY_LEN(cmds) };

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

bool cmd_sandbox_limit(const struct cmd *c, const char *option, const char *text, struct sandbox_limits *l)
{
    char error[200];
    bool is_time = strcmp(option, "decide-timeout") == 0;
    int64_t *to = is_time ? &l->call_us : &l->mem_b;
    if (text_parse(text, is_time ? TEXT_DURATION : TEXT_BYTES, 0, to, error, sizeof error) && *to > 0) return true;
    (void)cmd_usage_error(c, "--%s is '%s'; expected a %s", option, text, is_time ? "duration such as 500ms or 1m" : "size such as 512MiB");
    return false;
}

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
    if (status == 3 || (fflush(stdout) == 0 && !ferror(stdout))) return status;     /* 3: the command has said what failed */
    (void)fprintf(stderr, "fairway: error: cannot write to standard output\n");
    return status > 1 ? status : 3;     /* what an exit status of 1 tells of is lost */
}

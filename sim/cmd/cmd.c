/* cmd.c -- what the commands share: errors of use, options that several take. */
#include "cmd/cmd.h"

#include <getopt.h>
#include <stdarg.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"
#include "host/sandbox.h"

int cmd_fail(const struct diag *d)
{
    diag_print(d, stderr);
    return diag_exit_status(d->code);
}

int cmd_usage_error(const struct cmd *c, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *what = mem_vprintf(fmt, ap);
    text_line(stderr, "fairway %s: %s", c->name, what);
    mem_free(what);
    (void)fprintf(stderr, "`fairway help %s` shows how it is used\n", c->name);
    va_end(ap);
    return 2;
}

int cmd_option_error(const struct cmd *c, int found, char **argv)
{
    return cmd_usage_error(c, found == ':' ? "option '%s' needs a value" : "unknown option '%s'", argv[optind - 1]);
}

int cmd_parse_time(const struct cmd *c, const char *option, const char *text, sim_tick *out)
{
    char error[128];
    if (text_parse(text, TEXT_DURATION, TICK_SEC, out, error, sizeof error)) return 0;
    return cmd_usage_error(c, "--%s is '%s': %s", option, text, error);
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

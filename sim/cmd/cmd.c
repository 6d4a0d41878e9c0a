/* cmd.c -- what the commands share: how one is run, errors of use. */
#include "cmd/cmd.h"

#include <stdarg.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"

int cmd_run_line(const struct cmd *c, int argc, char **argv)
{
    struct cmd_args args;
    void *opts = mem_alloc(1, c->size > 0 ? c->size : 1);
    if (c->defaults != NULL) memcpy(opts, c->defaults, c->size);
    int status = option_parse(c, argc, argv, opts, &args);
    if (status == 0) status = c->run(opts, &args);
    option_fini(c, opts);
    mem_free(opts);
    return status;
}

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

/* cmd.c -- what the commands share: how one is run, errors of use. */
#include "cmd/cmd.h"

#include <stdarg.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"

static int run_on_db(const struct cmd *c, void *opts, const struct cmd_args *a)
{
    struct diag d = { 0 };
    struct store *s;
    int status = c->check != NULL ? c->check(opts, a) : 0;
    if (status != 0) return status;
    enum st st = store_open_read(&s, a->at[0], &d);
    if (st == ST_OK) {
        st = c->on_db(opts, a, s, &d);
        store_close(s);
    }
    return st == ST_OK ? 0 : cmd_fail(&d);
}

int cmd_run_line(const struct cmd *c, int argc, char **argv)
{
    struct cmd_args args;
    void *opts = mem_alloc(1, c->size > 0 ? c->size : 1);
    if (c->defaults != NULL) memcpy(opts, c->defaults, c->size);
    int status = option_parse(c, argc, argv, opts, &args);
    if (status == 0) status = c->run != NULL ? c->run(opts, &args) : run_on_db(c, opts, &args);
    option_fini(c, opts);
    if (c->fini != NULL) c->fini(opts);
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

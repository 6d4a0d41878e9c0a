/*
 * cmd.h -- the subcommands: one file each, one table.  Layer: cmd.
 */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include <stdio.h>
#include "base/diag.h"

struct cmd {
    const char *name, *summary;     /* summary: one line for `fairway help` */
    const char *usage;              /* printed by `fairway help NAME` and --help; ends in a newline */
    const char *(*make_usage)(void);        /* instead, where tables of the program are part of it; lives on */
    int (*run)(int argc, char **argv);      /* argv[0] is the command's name; returns the exit status */
};

/* Every command, in the order in which help has them: cmd_ID, of a file in this folder. */
#define CMD_COMMANDS(C) \
    C(run)      \
    C(sweep)    \
    C(merge)    \
    C(compare)  \
    C(check)    \
    C(plot)     \
    C(policies) \
    C(report)   \
    C(explain)  \
    C(timeline) \
    C(trace)    \
    C(flow)     \
    C(profile)  \
    C(stages)

#define CMD_DECLARE(id) extern const struct cmd cmd_##id;
CMD_COMMANDS(CMD_DECLARE)
#undef CMD_DECLARE

static inline const char *cmd_usage(const struct cmd *c) { return c->make_usage != NULL ? c->make_usage() : c->usage; }

/* Print the error and return its exit status. */
int cmd_fail(const struct diag *d);
/* A usage error: the message, and where help is; returns 2. */
int cmd_usage_error(const struct cmd *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same for what getopt_long returned for no option of the command: ':' where a value is missing. */
int cmd_option_error(const struct cmd *c, int found, char **argv);
/* Read the value of a --from or --to; 0, or 2 with the usage error printed.  A bare number is in seconds. */
int cmd_parse_time(const struct cmd *c, const char *option, const char *text, sim_tick *out);
/* Read --decide-timeout or --policy-memory into l; false, with the usage error printed, when it is none. */
struct sandbox_limits;
bool cmd_sandbox_limit(const struct cmd *c, const char *option, const char *text, struct sandbox_limits *l);

/*
 * A file that is put in place only when it is whole; "-" is standard output.
 * close takes the result so far, removes what is half written unless that is
 * ST_OK, and returns the final one.  Takes `temp`, the name that the file has until then.
 */
enum st cmd_output_open(FILE **to, char **temp, const char *path, struct diag *d);
enum st cmd_output_close(FILE *to, char *temp, const char *path, enum st st, struct diag *d);

#endif

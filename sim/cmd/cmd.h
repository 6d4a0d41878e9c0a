/*
 * cmd.h -- the subcommands: one file each, one table.  Layer: cmd.
 */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include <limits.h>
#include <stdio.h>
#include "base/diag.h"
#include "cmd/line/option.h"
#include "db/store.h"

struct cmd {
    const char *name, *summary;     /* summary: one line for `fairway help` */
    const char *synopsis;           /* what follows the name, a line for each form */
    const char *about, *notes;      /* help before and after the options; each ends in a newline, or is NULL */
    void (*list)(FILE *to);         /* more of it, after about, from a table of the program; or NULL */
    const struct cmd_option *option;            /* ends in an empty one; NULL: none */
    const struct cmd_option *(*more)(void);     /* options that another table of the program adds; or NULL */
    size_t size; const void *defaults;          /* the struct that options are read into; NULL: all zero */
    const char *verbs;              /* words, of which the first argument is one; or NULL */
    const char *expected;           /* "one database": how many arguments there must be, checked unless it is NULL */
    int min_args, max_args;
    const char *arg[2];             /* what shells complete the first by, and those that follow; see help.h */
    int (*run)(void *opts, const struct cmd_args *a);       /* returns the exit status */
    /* In place of run: of a database, the first argument, which is open for reading. */
    enum st (*on_db)(void *opts, const struct cmd_args *a, struct store *s, struct diag *d);
    int (*check)(const void *opts, const struct cmd_args *a);       /* before on_db: 0 or a usage error; or NULL */
    void (*fini)(void *opts);       /* frees what its OPTION_OWN options made, after an error of use, too; or NULL */
};

/* Every command, in the order in which help has them: cmd_ID, of a file in this folder. */
#define CMD_COMMANDS(C) \
    C(run)      \
    C(sweep)    \
    C(search)   \
    C(merge)    \
    C(compare)  \
    C(calibrate) \
    C(check)    \
    C(plot)     \
    C(policies) \
    C(report)   \
    C(explain)  \
    C(timeline) \
    C(trace)    \
    C(flow)     \
    C(profile)  \
    C(stages)   \
    C(help)

#define CMD_DECLARE(id) extern const struct cmd cmd_##id;
CMD_COMMANDS(CMD_DECLARE)
#undef CMD_DECLARE

/* Parse the command line and do it; returns the exit status.  argv[0] is the command's name. */
int cmd_run_line(const struct cmd *c, int argc, char **argv);

/* Print the error and return its exit status. */
int cmd_fail(const struct diag *d);
/* A usage error: the message, and where help is; returns 2. */
int cmd_usage_error(const struct cmd *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Options of commands that run policies, into a struct sandbox_limits. */
#define CMD_SANDBOX_OPTIONS(own, limits) \
    { "decide-timeout", 0, OPTION_DURATION, "DURATION", \
      "wall-clock time that a policy from a file may take for one call; default 10s", \
      .offset = offsetof(own, limits.call_us), .min = 1 }, \
    { "policy-memory", 0, OPTION_BYTES, "SIZE", "memory by which a run of such a policy may grow; default 4GiB", \
      .offset = offsetof(own, limits.mem_b), .min = 1 }

/*
 * A file that is put in place only when it is whole; "-" is standard output.
 * close takes the result so far, removes what is half written unless that is
 * ST_OK, and returns the final one.  Takes `temp`, the name that the file has until then.
 */
enum st cmd_output_open(FILE **to, char **temp, const char *path, struct diag *d);
enum st cmd_output_close(FILE *to, char *temp, const char *path, enum st st, struct diag *d);

#endif

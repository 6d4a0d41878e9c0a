/*
 * help.h -- `fairway help`: how commands are used, and the lists that shells
 * complete from and the manual is made of.  Layer: cmd.
 */
#ifndef CMD_HELP_H
#define CMD_HELP_H

#include <stdio.h>
#include "cmd/cmd.h"

struct cmd_list { const struct cmd *const *at; size_t n; };

/* The command of that name, or NULL. */
const struct cmd *help_find(const struct cmd_list *all, const char *name);
void help_print(const struct cmd_list *all, FILE *to);
/* An error: there is no such command; returns the exit status. */
int  help_unknown(const struct cmd_list *all, const char *name);
/* argv[0] is "help". */
int  help_run(const struct cmd_list *all, int argc, char **argv);

#endif
